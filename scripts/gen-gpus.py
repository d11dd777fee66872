#!/usr/bin/env python3
"""Writes what is known of GPUs as C tables.

usage: gen-gpus.py TABLE_DIR OUTPUT_FILE
reads architectures.tsv, rates.tsv and products.tsv of TABLE_DIR; every architecture has exactly one row of rates, and what
a product has of XCCs, engines and units can be
"""
import os
import sys

import usage
from counter_tables import numbered_rows, rows

SAMPLING = {"-": "0", "host": "GPUS_SAMPLING_HOST_TRAP", "host,stochastic": "GPUS_SAMPLING_HOST_TRAP | GPUS_SAMPLING_STOCHASTIC"}
AGPRS = {"none": "GPUS_AGPRS_NONE", "own": "GPUS_AGPRS_OWN", "unified": "GPUS_AGPRS_UNIFIED"}
NUMBERS = ("target", "xccs", "slots", "simds", "cus", "sgpr_granule", "lds", "lds_group", "lds_granule", "barriers",
           "vector_line", "scalar_line", "l2_line", "drm_family")
RATES = ("f64", "f32", "f16", "i8", "m_f64", "m_f32", "m_xf32", "m_f16", "m_bf16", "m_f8", "m_i8", "m_f4")
SPEEDS = ("l1", "lds", "l2", "memory")


def number(text):
    return text.replace("-", "0")


def name(text):
    return "NULL" if text == "-" else f'"{text}"'


def registers(row, lanes):
    return "{" + ", ".join(number(row[column + str(lanes)]) for column in ("vgprs", "granule", "encoded")) + "}"


def rates_of(folder):
    found = {}
    path = os.path.join(folder, "rates.tsv")
    for line, row in numbered_rows(path):
        for gpu in row["gpus"].split(","):
            if gpu in found:
                sys.exit(f"{path}:{line}: {gpu} has rates already")
            rates = ", ".join(number(row[column]) for column in RATES)
            speeds = ", ".join(number(row[column]) for column in SPEEDS)
            found[gpu] = f".rates = {{{rates}}}, .speed = {{{speeds}}}"
    return found


def arch_line(row, archs, rates):
    if row["gpu"] not in rates:
        sys.exit(f"{row['gpu']} has no row in rates.tsv")
    if row["generic"] not in ("-", *archs):
        sys.exit(f"{row['gpu']}: {row['generic']} has no row in architectures.tsv")
    if (row["family"] == "-") != (row["blocks"] == "-"):
        sys.exit(f"{row['gpu']}: a family without blocks, or blocks without a family")
    members = [f".name = \"{row['gpu']}\"", f".family = {name(row['family'])}", f".blocks = {name(row['blocks'])}",
               f".generic = {name(row['generic'])}",
               f".wave = {row['waves'].split(',')[0]}", f".wave64 = {registers(row, 64)}",
               f".wave32 = {registers(row, 32)}", f".agprs = {AGPRS[row['agprs']]}", f".sgprs = {number(row['sgprs'])}",
               f".sampling = {SAMPLING[row['sampling']]}"]
    members += [f".{column} = {number(row[column])}" for column in NUMBERS]
    return "    {" + ", ".join([*members, rates[row["gpu"]]]) + "},"


def product_line(path, line, row, archs):
    if row["gpu"] not in archs:
        sys.exit(f"{path}:{line}: {row['gpu']} has no row in architectures.tsv")
    xccs, engines, units = (int(row[column]) for column in ("xccs", "engines", "units"))
    most = int(archs[row["gpu"]]["xccs"])
    if not 1 <= xccs <= most or engines % xccs or not units or not int(row["arrays"]):
        sys.exit(f"{path}:{line}: {row['product']} of {xccs} XCCs (at most {most}) with {engines} engines, {units} units")
    fields = [f"\"{row['name']}\"", f"\"{row['product']}\"", f"&archs[{list(archs).index(row['gpu'])}]", row["xccs"],
              row["engines"], row["arrays"], row["units"], row["clock"], number(row["memory"]), number(row["bandwidth"])]
    return "    {" + ", ".join(fields) + "},"


def main():
    folder, output = usage.arguments(__doc__, 2)
    archs = {row["gpu"]: row for row in rows(os.path.join(folder, "architectures.tsv"))}
    rates = rates_of(folder)
    path = os.path.join(folder, "products.tsv")
    text = ["/* Made by gen-gpus.py from share/gpus. */", "static const gpus_arch_t archs[] = {"]
    text += [arch_line(row, archs, rates) for row in archs.values()]
    text += ["};", "static const gpus_product_t products[] = {"]
    text += [product_line(path, line, row, archs) for line, row in numbered_rows(path)]
    text += ["};", ""]
    with open(output, "w", encoding="utf-8") as out:
        out.write("\n".join(text))


if __name__ == "__main__":
    main()
