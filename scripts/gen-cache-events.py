#!/usr/bin/env python3
"""gen-cache-events.py - numbers of the hardware events that the cache model counts, as C names.

    gen-cache-events.py gfx90a-counters.tsv OUTPUT

writes one enum, SGC_EVENT_<counter name> = event number, for the blocks below. The table is the
only place that states a number. A block that the model learns to count is added to BLOCKS.
"""
import sys

import usage

BLOCKS = {"TA", "TD", "TCP", "TCA", "TCC", "SQ"}


def main(table, output):
    lines = ["/* generated from gfx90a-counters.tsv */", "enum {"]
    with open(table, encoding="utf-8") as rows:
        for number, line in enumerate(rows, 1):
            if line.startswith("#") or not line.strip():
                continue
            columns = line.rstrip("\n").split("\t")
            if columns[0] not in BLOCKS:
                continue
            if not columns[2].isdigit():
                sys.exit(f"{table}:{number}: \"{columns[2]}\" is no event number")
            lines.append(f"    SGC_EVENT_{columns[1]} = {columns[2]},")
    lines.append("};")
    with open(output, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*usage.arguments(__doc__, 2))
