#!/usr/bin/env python3
"""gen-cache-events.py - numbers of the hardware events that the cache model counts, as C rows.

    gen-cache-events.py SHARE_COUNTERS OUTPUT GPU...

writes SGC_COUNTER(counter) for each counter that any GPU has, and for each GPU, between
SGC_TABLE(gpu) and SGC_TABLE_END, SGC_NUMBER(gpu, counter, event number), for the blocks below. The
includer defines the macros of one of the two. The tables of share/counters are the only place that
states a number. A block that the model learns to count is added to BLOCKS.
"""
import sys

import usage
from counter_tables import numbered_rows

BLOCKS = {"TA", "TD", "TCP", "TCA", "TCC", "SQ"}


def events(table):
    """{counter: event number as text}"""
    found = {}
    for number, row in numbered_rows(table):
        if row["block"] not in BLOCKS:
            continue
        if not row["event"].isdigit():
            sys.exit(f"{table}:{number}: \"{row['event']}\" is no event number")
        found[row["counter"]] = row["event"]
    return found


def main(folder, output, *gpus):
    tables = {gpu: events(f"{folder}/{gpu}-counters.tsv") for gpu in gpus}
    names = {name: None for table in tables.values() for name in table}
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
