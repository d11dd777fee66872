#!/usr/bin/env python3
"""Writes the counter blocks of a GPU, with the registers of their slots, as C tables.

usage: gen-aqlprofile-blocks.py TABLE_DIR GPU OUTPUT_FILE
reads GPU-blocks.tsv and GPU-perf-registers.tsv
"""
import os
import sys

import usage
from counter_tables import rows

KINDS = {"SQ": "AQL_BLOCK_SQ", "SX": "AQL_BLOCK_CLEARED"}
KINDS.update(dict.fromkeys(("TA", "TD", "TCP", "TCC", "TCA"), "AQL_BLOCK_TEXTURE"))


def main():
    folder, gpu, output = usage.arguments(__doc__, 3)
    registers = {}
    for row in rows(os.path.join(folder, f"{gpu}-perf-registers.tsv")):
        registers.setdefault(row["block"], {})[int(row["slot"])] = row
    text = ["/* Made by gen-aqlprofile-blocks.py */"]
    table = [f"static const aql_block_t {gpu}_blocks[] = {{"]
    for row in rows(os.path.join(folder, f"{gpu}-blocks.tsv")):
        name, slots = row["block"], int(row["slots"])
        text.append(f"static const aql_registers_t {gpu}_{name}[] = {{")
        for slot in range(slots):
            if slot not in registers.get(name, {}):
                sys.exit(f"{gpu}: {name} has {slots} slots, slot {slot} has no registers")
            r = registers[name][slot]
            text.append(f"    {{{r['select']}, {r['counter_lo']}, {r['counter_hi']}, "
                        f"{r['select1'].replace('-', '0')}}},")
        text.append("};")
        table.append(f"    {{\"{name}\", {row['id']}, {row['instances']}, {row['per_se']}, {slots}, "
                     f"{row['max_event']}, {KINDS.get(name, '0')}, {row['spm'].replace('-', '0')}, {gpu}_{name}}},")
    text += table + ["};", ""]
    with open(output, "w") as out:
        out.write("\n".join(text))


if __name__ == "__main__":
    main()
