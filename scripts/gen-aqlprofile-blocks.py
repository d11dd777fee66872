#!/usr/bin/env python3
"""Writes the GPUs that AQLprofile knows, their counter blocks, and the registers of the blocks' slots, as C tables.

usage: gen-aqlprofile-blocks.py SHARE OUTPUT_FILE
reads gpus/architectures.tsv and the tables of aqlprofile, all below SHARE
"""
import sys

import usage
from counter_tables import Facts

SCOPES = {"gpu": "AQL_OF_GPU", "se": "AQL_OF_ENGINE", "sa": "AQL_OF_ARRAY", "wgp": "AQL_OF_WGP"}
FLAGS = {name: f"AQL_BLOCK_{name.upper()}"
         for name in ("sq", "cleared", "texture", "mc", "aid", "own", "cu", "grbm", "cp")}
REGISTERS = ("select", "control", "counter_lo", "counter_hi", "select1")


def number(field):
    return field.replace("-", "0")


class Tables:
    def __init__(self, share):
        self.facts = facts = Facts(share)
        self.gpus, self.blocks = list(facts.gpus.values()), facts.blocks
        self.registers = {(row["family"], row["block"], int(row["instance"]), int(row["slot"])): row
                          for row in facts.registers}

    def registers_of(self, family, block):
        """The block's register rows: slot by slot, of each instance that has some of its own."""
        instances = int(block["instances"]) if "own" in block["flags"].split(",") else 1
        keys = [(family, block["block"], instance, slot)
                for instance in range(instances) for slot in range(int(block["slots"]))]
        for key in keys:
            if key not in self.registers:
                sys.exit("registers.tsv has no row for %s %s, instance %d, slot %d" % key)
        return [self.registers[key] for key in keys]


def block_tables(tables):
    family = {gpu["gpu"]: gpu["family"] for gpu in tables.gpus}
    text = []
    for gpu in tables.gpus:
        name = gpu["gpu"]
        if gpu["blocks"] != name:
            if family[gpu["blocks"]] != gpu["family"]:
                sys.exit(f"architectures.tsv: {name} has the blocks of {gpu['blocks']}, which is of another family")
            continue
        table = [f"static const aql_block_t {name}_blocks[] = {{"]
        for b in tables.blocks[name]:
            registers = f"{name}_{b['block']}"
            text.append(f"static const aql_registers_t {registers}[] = {{")
            text += ["    {" + ", ".join(number(r[c]) for c in REGISTERS) + "},"
                     for r in tables.registers_of(gpu["family"], b)]
            text.append("};")
            flags = " | ".join(FLAGS[f] for f in b["flags"].split(",") if f in FLAGS) or "0"
            table.append(f"    {{\"{b['block']}\", {b['id']}, {SCOPES[b['scope']]}, {b['instances']}, {b['slots']}, "
                         f"{b['max_event']}, {flags}, {b['select']}, {number(b['spm'])}, {registers}}},")
        text += table + ["};"]
    return text


def delay_rows(tables, gpu, text):
    """Those of the GPU's blocks, in their order; the clocks they point to are added to the text."""
    facts, rows = tables.facts, []
    for b in tables.blocks[gpu["gpu"]]:
        engines = facts.delays.get((gpu["gpu"], b["block"]), [])
        if not engines:
            continue
        name, count = f"{gpu['gpu']}_{b['block']}_delays", len(engines[0])
        if any(len(clocks) != count for clocks in engines):
            sys.exit(f"delays.tsv: the engines of {gpu['gpu']} have different numbers of {b['block']}")
        text.append(f"static const uint8_t {name}[] = {{{', '.join(str(c) for clocks in engines for c in clocks)}}};")
        rows.append(f"    {{{b['id']}, {facts.delay_registers[gpu['family'], b['block']]}, {len(engines)}, {count}, "
                    f"{name}}},")
    return rows


def streaming_tables(tables):
    text = []
    for name, row in tables.facts.streaming.items():
        delays = delay_rows(tables, tables.facts.gpus[name], text)
        table = f"{name}_delays" if delays else "NULL"
        if delays:
            text += [f"static const aql_delay_t {table}[] = {{"] + delays + ["};"]
        text.append(f"static const aql_streaming_t {name}_streaming = {{{row['engines']}, {row['sq_bits']}, "
                    f"{number(row['delay_max'])}, {len(delays)}, {table}}};")
    return text


def main():
    share, output = usage.arguments(__doc__, 2)
    tables = Tables(share)
    text = ["/* Made by gen-aqlprofile-blocks.py */"] + block_tables(tables) + streaming_tables(tables)
    text.append("static const aql_gpu_t gpus[] = {")
    for gpu in tables.gpus:
        blocks = f"{gpu['blocks']}_blocks"
        streaming = f"&{gpu['blocks']}_streaming" if gpu["blocks"] in tables.facts.streaming else "NULL"
        text.append(f"    {{\"{gpu['gpu']}\", &aql_family_{gpu['family']}, {blocks}, sizeof {blocks} / sizeof *{blocks}, "
                    f"{gpu['xccs']}, {number(gpu['accumulate'])}, {number(gpu['trace'])}, {streaming}}},")
    text += ["};", ""]
    with open(output, "w", encoding="utf-8") as out:
        out.write("\n".join(text))


if __name__ == "__main__":
    main()
