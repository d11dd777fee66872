#!/usr/bin/env python3
"""Writes docs/counter-list.md from the tables of share/counters and tests/oracle/silicon/exceptions.tsv.

usage: gen-counter-list.py SHARE EXCEPTIONS PAGE [--check]    --check: fail if the page is not up to date
EXCEPTIONS: what is not as a real GPU was measured to count, see scripts/silicon."""
import collections, os, sys

import usage
from counter_tables import Facts, rows

TITLES = {"exact": "exact", "cache-model": "cache model", "timing-model": "timing model",
          "not-applicable": "not applicable"}


def page(share, exceptions):
    counters = Facts(share).counters_of("gfx90a")
    number = collections.Counter(TITLES[r["class"]] for r in counters)
    zero = sum(r["how"].startswith("0") for r in counters)
    out = ["# Counters of gfx90a", "",
           "On this page you find what each hardware counter of gfx90a counts, of which class it is on softgpu, and "
           "where\nsoftgpu is unlike a real MI200.", "",
           "Written by `scripts/gen-counter-list.py` from `share/counters/counters.tsv` and `softgpu.tsv`; "
           "what the classes mean is in `counters.md`.", "",
           f"{len(counters)} counters: " + ", ".join(f"{n} {c}" for c, n in number.items()) +
           f"; {zero} of them always read 0 on softgpu, for the reason given.", ""]
    block = None
    for r in counters:
        if r["block"] != block:
            block = r["block"]
            out += ["", f"## {block}", "", "| counter | event | class | meaning |", "|---|---|---|---|"]
        reason = " (" + r["how"] + ")" if r["how"].startswith("0") else ""
        out.append(f"| {r['counter']} | {r['event']} | {TITLES[r['class']]} | {r['meaning']}{reason} |")
    out += ["", "## Unlike a real MI200", "",
            "`make silicon` sets what softgpu counts beside what was measured of two programs. Of the first program's "
            "counters these differ, exact ones and those of the models:", "", "| counter | reason |", "|---|---|"]
    out += [f"| {r['counter']} | {r['reason']} |" for r in rows(exceptions)]
    out += ["", "Of the second program's 17 kernels these are off by more than a factor of two, of any class:", "",
            "| counter | kernels | reason |", "|---|---|---|"]
    second = os.path.join(os.path.dirname(exceptions), "streams-exceptions.tsv")
    out += [f"| {r['counter']} | {r['kernels']} | {r['reason']} |" for r in rows(second)]
    return "\n".join(out).replace("\n\n\n", "\n\n") + "\n"


def main():
    source, exceptions, target, *check = usage.arguments(__doc__, 3, 4)
    text = page(source, exceptions)
    if check:
        if open(target, encoding="utf-8").read() != text:
            sys.exit(f"{target} is not what {source} says: run gen-counter-list.py")
        return
    open(target, "w", encoding="utf-8").write(text)


main()
