#!/usr/bin/env python3
"""gen-cache-events.py - numbers of the hardware events that the cache model counts, as C rows.

    gen-cache-events.py SHARE OUTPUT GPU...

writes SGC_COUNTER(counter) for each counter that any GPU of softgpu has, and for each GPU, between
SGC_TABLE(gpu) and SGC_TABLE_END, SGC_NUMBER(gpu, counter, event number), for the blocks below. The
includer defines the macros of one of the two. The table of share/counters is the only place that
states a number. A block that the model learns to count is added to BLOCKS.
"""
import sys

import usage
from counter_tables import Facts

BLOCKS = {"TA", "TD", "TCP", "TCA", "TCC", "GL2C", "SQ"}


def events(facts, gpu):
    """{counter: event number as text}"""
    return {row["counter"]: row["event"] for row in facts.counters_of(gpu) if row["block"] in BLOCKS}


def main(share, output, *gpus):
    facts = Facts(share)
    tables = {gpu: events(facts, gpu) for gpu in gpus}
    names = {name: None for gpu in facts.soft for name in events(facts, gpu)}
    lines = ["/* written by gen-cache-events.py */", "#ifdef SGC_COUNTER"]
    lines += [f"SGC_COUNTER({name})" for name in names]
    lines += ["#undef SGC_COUNTER", "#endif", "#ifdef SGC_NUMBER"]
    for gpu, table in tables.items():
        lines += [f"SGC_TABLE({gpu})"]
        lines += [f"SGC_NUMBER({gpu}, {name}, {event})" for name, event in table.items()]
        lines += ["SGC_TABLE_END"]
    lines += ["#undef SGC_NUMBER", "#endif"]
    with open(output, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*usage.arguments(__doc__, 3, sys.maxsize))
