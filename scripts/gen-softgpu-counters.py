#!/usr/bin/env python3
"""Writes the counter tables of share/counters as C rows for softgpu's performance counters.

usage: gen-softgpu-counters.py SHARE_COUNTERS OUT.inc GPU...
The file defines rows for whichever of SG_BLOCK_NAME, SG_BLOCK, SG_STREAMED, SG_REGISTER and SG_COUNTER is defined where
it is included. Those of SG_BLOCK_NAME are the blocks that any GPU has. All others come once for each GPU, between
SG_TABLE(gpu) and SG_TABLE_END, which the includer defines, too."""
import sys

import usage
from counter_tables import rows

CLASSES = {"exact": "EXACT", "cache-model": "CACHE", "timing-model": "TIMING",
           "not-applicable": "NONE"}


def block_lines(folder, gpu):
    return [f"SG_BLOCK({b['block']}, {b['id']}, {b['instances']}, {b['per_se']}, {b['slots']})"
            for b in rows(f"{folder}/{gpu}-blocks.tsv")]


def streamed_lines(folder, gpu):
    return [f"SG_STREAMED({b['block']}, {b['per_se']}, {b['spm']})"
            for b in rows(f"{folder}/{gpu}-blocks.tsv") if b["spm"] != "-"]


def register_lines(folder, gpu):
    names = {b["block"] for b in rows(f"{folder}/{gpu}-blocks.tsv")}
    return [f"SG_REGISTER({r['block']}, {r['slot']}, {r['select']}, {r['counter_lo']}, {r['counter_hi']}, "
            f"{r['select1'].replace('-', '0')})"
            for r in rows(f"{folder}/{gpu}-perf-registers.tsv") if r["block"] in names]


def counter_lines(folder, gpu):
    return [f"SG_COUNTER({gpu}, {r['block']}, {r['counter']}, {r['event']}, {CLASSES[r['class']]}, \"{r['how']}\")"
            for r in rows(f"{folder}/{gpu}-counters.tsv")]


SECTIONS = {"SG_BLOCK": block_lines, "SG_STREAMED": streamed_lines, "SG_REGISTER": register_lines,
            "SG_COUNTER": counter_lines}


def section(out, macro, lines):
    out.write("\n".join([f"#ifdef {macro}", *lines, f"#undef {macro}", "#endif"]) + "\n")


def main():
    folder, path, *gpus = usage.arguments(__doc__, 3, sys.maxsize)
    names = {b["block"]: None for gpu in gpus for b in rows(f"{folder}/{gpu}-blocks.tsv")}
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* written by gen-softgpu-counters.py */\n")
        section(out, "SG_BLOCK_NAME", [f"SG_BLOCK_NAME({name})" for name in names])
        for macro, lines in SECTIONS.items():
            section(out, macro, [line for gpu in gpus
                                 for line in [f"SG_TABLE({gpu})", *lines(folder, gpu), "SG_TABLE_END"]])


main()
