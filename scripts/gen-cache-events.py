#!/usr/bin/env python3
"""gen-cache-events.py - numbers of the hardware events that the cache model counts, as C names.

    gen-cache-events.py gfx90a-counters.tsv OUTPUT

writes one enum, SGC_EVENT_<counter name> = event number, for the blocks below. The table is the
only place that states a number. A block that the model learns to count is added to BLOCKS.
"""
import sys

import usage
from counter_tables import numbered_rows

BLOCKS = {"TA", "TD", "TCP", "TCA", "TCC", "SQ"}


def main(table, output):
    lines = ["/* generated from gfx90a-counters.tsv */", "enum {"]
    for number, row in numbered_rows(table):
        if row["block"] not in BLOCKS:
            continue
        if not row["event"].isdigit():
            sys.exit(f"{table}:{number}: \"{row['event']}\" is no event number")
        lines.append(f"    SGC_EVENT_{row['counter']} = {row['event']},")
    lines.append("};")
    with open(output, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*usage.arguments(__doc__, 2))
