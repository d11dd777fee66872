#!/usr/bin/env python3
"""What a report costs: processor time of making it and of its findings alone, its size, and, where there is Chromium,
how long it takes to open and what a frame of its timeline costs. usage: bench_report [--json FILE]
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

BUILD, SOURCE = "@CMAKE_BINARY_DIR@", "@CMAKE_SOURCE_DIR@"
sys.path.insert(0, f"{SOURCE}/tests/report")
import browser  # pylint: disable=wrong-import-position
import fixture  # pylint: disable=wrong-import-position
import frames  # pylint: disable=wrong-import-position

TRIES = 3


def seconds(*words):
    """Processor time of rocprofv3, the least of some tries."""
    best = float("inf")
    for _ in range(TRIES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([f"{BUILD}/bin/rocprofv3", *words], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return best


def main():
    figures = {}
    with tempfile.TemporaryDirectory() as directory:
        for count in (100_000, 1_000_000):
            database, page = fixture.many(f"{directory}/{count}.db", count), f"{directory}/report.html"
            figures[f"report_{count}_cpu_s"] = seconds("report", database, "-o", page)
            figures[f"findings_{count}_cpu_s"] = seconds("findings", database)
            figures[f"page_{count}_bytes"] = os.path.getsize(page)
        if browser.find():
            with browser.Browser() as b:
                figures["open_ms"] = min(b.open(page) for _ in range(TRIES))
                b.key("3")
                figures.update(frames.told(*frames.measure(b)))
        else:
            print("pages are not opened: needs chromium-headless-shell or chromium")
    for name, value in figures.items():
        print(f"{name:28} {value:10.5g}")
    if len(sys.argv) == 3 and sys.argv[1] == "--json":
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            json.dump(figures, f, indent=1)


main()
