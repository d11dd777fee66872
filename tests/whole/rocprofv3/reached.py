#!/usr/bin/env python3
"""HIP calls in a trace are those that a program made, however it reached the functions.

The program (tests/whole/hip/programs/reached.hip) counts its own calls; the table of HIP calls must have as
many of each, and no others but those that register the program's kernels.
usage: reached.py ROCPROFV3 PROGRAM OPTION...
"""
import collections
import csv
import glob
import subprocess
import sys
import tempfile

REGISTRATION = {"__hipRegisterFatBinary", "__hipRegisterFunction", "__hipUnregisterFatBinary"}


def main():
    rocprofv3, program, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="rocprofv3-reached-") as folder:
        done = subprocess.run([rocprofv3, "--gpu", "soft", *options, "-f", "csv", "-d", folder, "--", program, "calls"],
                              capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            sys.exit(f"status {done.returncode}\n{done.stdout}{done.stderr}")
        called = {}
        for line in done.stdout.splitlines():
            if line.startswith("called "):
                _, name, count = line.split()
                called[name] = int(count)
        traced = collections.Counter()
        for path in glob.glob(f"{folder}/**/*hip_api_trace.csv", recursive=True):
            with open(path, newline="") as table:
                traced.update(row["Function"] for row in csv.DictReader(table))
    wrong = [f"{name}: {called.get(name, 0)} calls, {traced[name]} in the trace"
             for name in sorted({*called, *traced} - REGISTRATION) if called.get(name, 0) != traced[name]]
    if wrong or not called:
        sys.exit("\n".join(wrong) or "the program counted nothing")


main()
