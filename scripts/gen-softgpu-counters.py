#!/usr/bin/env python3
"""Writes the counter tables of share/counters as C rows for softgpu's performance counters.

usage: gen-softgpu-counters.py SHARE_COUNTERS OUT.inc
The file defines rows for whichever of SG_BLOCK, SG_STREAMED, SG_REGISTER and SG_COUNTER is defined where it is
included."""
import usage
from counter_tables import rows

CLASSES = {"exact": "EXACT", "cache-model": "CACHE", "timing-model": "TIMING",
           "not-applicable": "NONE"}


def section(out, macro, lines):
    out.write(f"#ifdef {macro}\n" + "".join(lines) + f"#undef {macro}\n#endif\n")


def main():
    folder, path = usage.arguments(__doc__, 2)
    blocks = rows(f"{folder}/gfx90a-blocks.tsv")
    names = {b["block"] for b in blocks}
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* written by gen-softgpu-counters.py */\n")
        section(out, "SG_BLOCK", [
            f"SG_BLOCK({b['block']}, {b['id']}, {b['instances']}, {b['per_se']}, {b['slots']})\n"
            for b in blocks])
        section(out, "SG_STREAMED", [
            f"SG_STREAMED({b['block']}, {b['per_se']}, {b['spm']})\n"
            for b in blocks if b["spm"] != "-"])
        section(out, "SG_REGISTER", [
            f"SG_REGISTER({r['block']}, {r['slot']}, {r['select']}, {r['counter_lo']}, {r['counter_hi']}, {r['select1'].replace('-', '0')})\n"
            for r in rows(f"{folder}/gfx90a-perf-registers.tsv") if r["block"] in names])
        section(out, "SG_COUNTER", [
            f"SG_COUNTER({r['block']}, {r['counter']}, {r['event']}, {CLASSES[r['class']]}, \"{r['how']}\")\n"
            for r in rows(f"{folder}/gfx90a-counters.tsv")])


main()
