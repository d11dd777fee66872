#!/usr/bin/env python3
"""Records that a signal handler makes in the middle of records of its own thread.

usage: handlers.py ROCPROFV3 PROGRAM

The program must end as without a profiler. Every record is there and is itself, or is counted as dropped.
"""
import collections
import csv
import glob
import re
import subprocess
import sys
import tempfile

ROCPROFV3, PROGRAM = sys.argv[1:]
CALLS = 60000  # a thousand interrupts, of which a hundred hit a record in the making


def run(kind, option):
    """What the program has printed, the counts, the rows."""
    with tempfile.TemporaryDirectory(prefix="crocprof-handlers-") as out:
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", option, "-f", "csv", "-d", out, "-o", "x", "--", PROGRAM,
                               kind, str(CALLS)], capture_output=True, text=True, timeout=120)
        counts = re.findall(r"(\d+) records received, (\d+) written, (\d+) dropped", done.stderr)
        if done.returncode or len(counts) != 1:
            sys.exit(f"{kind}: status {done.returncode}: {done.stderr}")
        path, = [p for p in glob.glob(out + "/x_*_trace.csv")]
        with open(path, newline="") as f:
            return int(done.stdout), tuple(map(int, counts[0])), list(csv.DictReader(f))


def check(kind, option, column):
    """`column` says which of the program's calls a row is."""
    handled, (received, written, dropped), rows = run(kind, option)
    names = collections.Counter(row[column] for row in rows)
    wanted = {"marks": {"first": 1, "outside": CALLS, "in the handler": handled},
              "calls": {"hsa_system_get_info": 1 + CALLS + handled}}[kind]
    ids = {row["Correlation_Id"] for row in rows}
    problems = []
    if received != written + dropped or written != len(rows):
        problems.append(f"{received} received, {written} written, {dropped} dropped, {len(rows)} rows")
    if any(names[name] > wanted.get(name, 0) for name in names) or received != sum(wanted.values()):
        problems.append(f"{dict(names)} of {wanted}, {received} received")
    if dropped > handled or sum(wanted.values()) - len(rows) != dropped:
        problems.append(f"{dropped} dropped, {handled} in the handler, {len(rows)} rows")
    if len(ids) != len(rows):
        problems.append(f"{len(rows) - len(ids)} of {len(rows)} have another's id")
    if handled < 20:
        problems.append(f"{handled} interrupts are none to speak of")
    for problem in problems:
        print(f"{kind}: {problem}")
    return not problems


good = [check("marks", "--marker-trace", "Function"), check("calls", "--hsa-core-trace", "Function")]
sys.exit(not all(good))
