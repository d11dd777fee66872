#!/usr/bin/env python3
"""What rocprofv3 sees of roctx_program.py. usage: marked.py BUILD_DIR"""
import csv
import os
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "roctx_program.py")
EXPECTED = ["roctxGetThreadId", "a mark", "outer", "inner", "across", "decorated", "by_its_name", "block", "fails",
            "went on", "roctxProfilerResume", "roctxProfilerPause", "roctxProfilerPause", "roctxProfilerResume"]

with tempfile.TemporaryDirectory(prefix="crocprof-python-") as directory:
    done = subprocess.run([build + "/bin/rocprofv3", "--marker-trace", "-f", "csv", "-d", directory, "-o", "x", "--",
                           sys.executable, "-B", program], capture_output=True, text=True, timeout=100,
                          env=dict(os.environ, PYTHONPATH=build + "/lib/python3/site-packages"))
    if done.returncode != 0 or done.stdout != "marked\n" or "ValueError: on purpose" not in done.stderr:
        sys.exit(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    with open(directory + "/x_marker_api_trace.csv", newline="", encoding="utf-8") as f:
        got = [row["Function"] for row in csv.DictReader(f)]
if got != EXPECTED:
    sys.exit(f"got      {got}\nexpected {EXPECTED}")
