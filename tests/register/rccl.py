#!/usr/bin/env python3
"""RCCL that does not register is traced through the bridge; one that does has to do it itself.

usage: rccl.py ROCPROFV3 PROGRAM unregistered|registered
"""
import csv
import glob
import subprocess
import sys
import tempfile

rocprofv3, program, kind = sys.argv[1:4]


def run(folder, *options):
    done = subprocess.run([rocprofv3, *options, "-f", "csv", "-d", folder, "-o", "x", "--", program],
                          capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit(f"status {done.returncode}: {done.stderr}")


def main():
    with tempfile.TemporaryDirectory(prefix="rocprofv3-rccl-") as folder:
        run(folder, "--rccl-trace")
        calls = []
        for path in glob.glob(folder + "/x_rccl_api_trace.csv"):
            with open(path, newline="") as f:
                calls = [(r["Domain"], r["Function"]) for r in csv.DictReader(f)]
    expected = [("RCCL_API", "ncclGetVersion"), ("RCCL_API", "ncclCommInitRank")]
    if calls != (expected if kind == "unregistered" else []):
        sys.exit(f"traced: {calls}")


main()
