#!/usr/bin/env python3
"""Writes the counter tables of share as C rows for softgpu's performance counters.

usage: gen-softgpu-counters.py SHARE OUT.inc GPU...
The file defines rows for whichever of SG_BLOCK_NAME, SG_COUNTER_NAME, SG_BLOCK, SG_STREAMED, SG_REGISTER, SG_EVENT and
SG_COUNTER is defined where it is included. Those of SG_BLOCK_NAME and SG_COUNTER_NAME are the blocks and the counters that
any GPU has. All others come once for each GPU, between SG_TABLE(gpu) and SG_TABLE_END, which the includer defines, too.
SG_EVENT(gpu, block, counter, event, says) has each event once, SG_COUNTER each name of it that softgpu counts; says:
SG_SAYS_ZERO: it always reads 0, SG_SAYS_NONE: softgpu does not count it, SG_SAYS_COUNTED."""
import sys

import usage
from counter_tables import Facts

CLASSES = {"exact": "EXACT", "cache-model": "CACHE", "timing-model": "TIMING",
           "not-applicable": "NONE"}


def per_se(block):
    return int(block["scope"] == "se")


def or_none(register):
    """0 stands for a register that the slot does not have."""
    return register.replace("-", "0")


def block_lines(facts, gpu):
    return [f"SG_BLOCK({b['block']}, {b['id']}, {b['instances']}, {b['scope'].upper()}, {b['slots']}, {b['select']})"
            for b in facts.soft_blocks_of(gpu)]


def streamed_lines(facts, gpu):
    return [f"SG_STREAMED({b['block']}, {per_se(b)}, {b['spm']})" for b in facts.soft_blocks_of(gpu) if b["spm"] != "-"]


def register_lines(facts, gpu):
    return [f"SG_REGISTER({r['block']}, {r['slot']}, {r['select']}, {r['counter_lo']}, {or_none(r['counter_hi'])}, "
            f"{or_none(r['select1'])})" for r in facts.registers_of(gpu)]


def counter_lines(facts, gpu):
    return [f"SG_COUNTER({gpu}, {r['block']}, {r['counter']}, {r['event']}, {CLASSES[r['class']]}, \"{r['how']}\")"
            for r in facts.counters_of(gpu) if r["class"] != "-"]


def how_of(row):
    """What SG_EVENT says of a counter's value."""
    return "SG_SAYS_NONE" if row["class"] == "-" else "SG_SAYS_ZERO" if row["how"][0] == "0" else "SG_SAYS_COUNTED"


def event_lines(facts, gpu):
    rows = {}
    for row in facts.counters_of(gpu):
        rows.setdefault((row["block"], row["event"]), row)
    return [f"SG_EVENT({gpu}, {r['block']}, {r['counter']}, {r['event']}, {how_of(r)})" for r in rows.values()]


SECTIONS = {"SG_BLOCK": block_lines, "SG_STREAMED": streamed_lines, "SG_REGISTER": register_lines,
            "SG_EVENT": event_lines, "SG_COUNTER": counter_lines}


def section(out, macro, lines):
    out.write("\n".join([f"#ifdef {macro}", *lines, f"#undef {macro}", "#endif"]) + "\n")


def main():
    share, path, *gpus = usage.arguments(__doc__, 3, sys.maxsize)
    facts = Facts(share)
    for gpu in gpus:
        if not facts.is_soft(gpu):
            sys.exit(f"{facts.path('counters', 'softgpu.tsv')} has no row for {gpu}: it says how softgpu counts there")
    names = {b["block"]: None for gpu in gpus for b in facts.soft_blocks_of(gpu)}
    counters = {row["counter"]: None for gpu in facts.soft for row in facts.counters_of(gpu)}
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* written by gen-softgpu-counters.py */\n")
        section(out, "SG_BLOCK_NAME", [f"SG_BLOCK_NAME({name})" for name in names])
        section(out, "SG_COUNTER_NAME", [f"SG_COUNTER_NAME({name})" for name in counters])
        for macro, lines in SECTIONS.items():
            section(out, macro, [line for gpu in gpus
                                 for line in [f"SG_TABLE({gpu})", *lines(facts, gpu), "SG_TABLE_END"]])


main()
