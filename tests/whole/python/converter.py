#!/usr/bin/env python3
"""convert-counters-collection-format.py on files of two passes. usage: converter.py"""
import csv
import os
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../../cmake/rocprofiler-sdk/convert-counters-collection-format.py")


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"got      {got}\nexpected {wanted}")


def run(directory, *words, status=0):
    done = subprocess.run([sys.executable, SCRIPT, *words], cwd=directory, capture_output=True, text=True, timeout=60)
    expect((words, done.returncode), (words, status))
    return done.stderr


def rows(directory, *words):
    run(directory, "-i", "in", "-o", "new/wide.csv", *words)
    with open(f"{directory}/new/wide.csv", newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


with tempfile.TemporaryDirectory() as directory:
    for number, counter in ((1, "SQ_WAVES"), (2, "GRBM_COUNT")):
        os.makedirs(f"{directory}/in/pmc_{number}")
        with open(f"{directory}/in/pmc_{number}/{number}_counter_collection.csv", "w", newline="",
                  encoding="utf-8") as f:
            writer = csv.writer(f)
            writer.writerow(["Dispatch_Id", "Agent_Id", "Process_Id", "Kernel_Name", "Counter_Name", "Counter_Value"])
            for dispatch in (1, 2):
                writer.writerow([dispatch, "Agent 4", 100 + number, "k", counter, 10 * number + dispatch])
    wanted = [("4", "11", "21"), ("4", "12", "22")]
    expect([(row["Agent_Id"], row["SQ_WAVES"], row["GRBM_COUNT"]) for row in rows(directory)], wanted)
    expect([row["Agent_Id"] for row in rows(directory, "--retain-agent-prefix", "no")], ["4", "4"])
    for words in (("--retain-agent-prefix",), ("--retain-agent-prefix", "true")):
        expect([row["Agent_Id"] for row in rows(directory, *words)], ["Agent 4", "Agent 4"])
    run(directory, "-i", "in", "-o", "x", "--retain-agent-prefix", "perhaps", status=2)
    expect("INFO: reading in/pmc_1/1_counter_collection.csv" in run(directory, "-v", "-i", "in", "-o", "x"), True)
    expect(run(directory, "--input", "in", "--output", "x"), "")
    expect("writing x" in run(directory, "--debug", "-i", "in", "-o", "x"), True)
