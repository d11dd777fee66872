#!/usr/bin/env python3
"""The marker samples together: the program alone, under the sample tool, under rocprofv3.

usage: sample.py BUILD_DIR
"""
import csv
import os
import subprocess
import sys
import tempfile

build = sys.argv[1]
program, tool = f"{build}/samples/bin/steps", f"{build}/samples/lib/libsample-markers.so"

STORY = """begin solve
begin step 0
end step 0, level 1
begin step 1
mark half way
end step 1, level 1
begin step 2
end step 2, level 1
end solve, level 0
process range begin output
process range end output
"""


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROCP", "HSA_", "LD_PRE"))}
    environment.update(variables)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    if done.returncode or done.stdout != "1.414216\n":
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"got:\n{got}\nexpected:\n{wanted}")


expect(run([program]), "")
expect(run([program], ROCP_TOOL_LIBRARIES=tool),
       "".join(f"markers: {line}\n" for line in STORY.splitlines()))
with tempfile.TemporaryDirectory() as out:
    run([f"{build}/bin/rocprofv3", "--marker-trace", "-f", "csv", "-d", out, "-o", "x", "--", program])
    with open(out + "/x_marker_api_trace.csv", newline="") as f:
        expect([r["Function"] for r in csv.DictReader(f)],
               ["solve", "step 0", "step 1", "half way", "step 2", "roctxProfilerPause",
                "roctxProfilerResume", "output"])
