#!/usr/bin/env python3
"""Cost of profiling a minimal HIP program: overhead.py BUILD PROGRAM [ROUNDS]

Runs the program bare on softgpu and under rocprofv3 --sys-trace in turns and compares the medians
of the wall time and of the peak resident memory of the largest process. One JSON object on stdout.
"""
import json
import os
import shutil
import statistics
import sys
import tempfile
import time


def run(command):
    begin = time.monotonic()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


build, program = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 9
folder = tempfile.mkdtemp(prefix="crocprof-bench-")
bare = [f"{build}/bin/softgpu", "--", program]
traced = [f"{build}/bin/rocprofv3", "--gpu", "soft", "--sys-trace", "-f", "csv", "-d", folder, "--", program]
samples = {"bare": [], "traced": []}
for turn in range(rounds + 1):
    for name, command in (("bare", bare), ("traced", traced)):
        result = run(command)
        if turn:  # the first round warms the page cache
            samples[name].append(result)
shutil.rmtree(folder, ignore_errors=True)
out = {}
for name, results in samples.items():
    out[name] = {"seconds": round(statistics.median(r[0] for r in results), 4),
                 "peak_mb": round(statistics.median(r[1] for r in results), 1)}
out["added_percent"] = round(100 * (out["traced"]["seconds"] / out["bare"]["seconds"] - 1), 1)
out["added_mb"] = round(out["traced"]["peak_mb"] - out["bare"]["peak_mb"], 1)
print(json.dumps(out))
