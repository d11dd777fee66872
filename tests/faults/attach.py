#!/usr/bin/env python3
"""A program that runs is attached, launches two kernels, is detached and goes on: attach.py BUILD OUT

Prints what the program has said to the end, and ends with rocprofv3's status. Faults are rocprofv3's alone.
"""
import os
import subprocess
import sys

BUILD, OUT = sys.argv[1:]
ROCPROFV3 = BUILD + "/bin/rocprofv3"
PROGRAM = BUILD + "/tests/whole/rocprofv3/attached"
pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
spared = {k: v for k, v in os.environ.items() if not k.startswith("FAULTS_") and k != "LD_PRELOAD"}

program = subprocess.Popen([ROCPROFV3, "--gpu", "soft", "--", PROGRAM], env={**spared, "ROCP_TOOL_ATTACH": "1"},
                           stderr=subprocess.DEVNULL, **pipes)
pid = program.stdout.readline().split()[1]
profiler = subprocess.Popen([ROCPROFV3, "--pid", pid, "--kernel-trace", "-f", "csv", "-d", OUT, "-o", "x"], **pipes)
while not profiler.stdout.readline().startswith("Press Enter") and profiler.poll() is None:
    pass
program.stdin.write("2\n")
program.stdin.flush()
said = program.stdout.readline()
profiler.communicate("\n")
said += program.communicate("1\n")[0]
print(said, f"status {program.returncode}")
sys.exit(profiler.returncode)
