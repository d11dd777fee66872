#!/usr/bin/env python3
"""Counters are the same on every run, whatever the runtime copies in queues of its own beside the kernels that are
counted. usage: beside.py ROCPROFV3 PROGRAM"""
import csv
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

ROCPROFV3, PROGRAM = map(os.path.abspath, sys.argv[1:3])
RUNS, DISPATCHES, SUM = 5, 24, hex(12 * 8 * 0x01010101)
EXACT = {"SQ_WAVES": 160.0, "SQ_INSTS_VMEM_WR": 1280.0}  # 40 workgroups of four waves, eight stores each
MODELLED = ["SQ_INSTS_VALU", "GRBM_GUI_ACTIVE", "SQ_WAIT_ANY", "SQ_WAVE_CYCLES", "SQC_ICACHE_MISSES", "TCC_HIT_sum",
            "TCC_MISS_sum", f"{suite_gpu.BELOW_L2}_RDREQ_sum", f"{suite_gpu.BELOW_L2}_WRREQ_sum", "SPI_CSN_WAVE"]


def counted(folder):
    """The counters of the program's kernels, in their order."""
    done = subprocess.run([ROCPROFV3, "--gpu", "soft", "--pmc", *EXACT, *MODELLED, "-f", "csv", "-d", folder, "-o", "out",
                           "--", PROGRAM], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"{SUM} {SUM}, 0 failures\n", done.stdout
    dispatches = {}
    with open(f"{folder}/out_counter_collection.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["Kernel_Name"].startswith("add("):
                dispatches.setdefault(int(row["Dispatch_Id"]), {})[row["Counter_Name"]] = float(row["Counter_Value"])
    return [dispatches[i] for i in sorted(dispatches)]


with tempfile.TemporaryDirectory() as folder:
    runs = [counted(f"{folder}/{n}") for n in range(RUNS)]
assert len(runs[0]) == DISPATCHES, len(runs[0])
for run in runs:
    for i, (values, first) in enumerate(zip(run, runs[0])):
        assert values == first, (i, {n: (v, first[n]) for n, v in values.items() if v != first[n]})
        assert {n: values[n] for n in EXACT} == EXACT, (i, values)
print(f"{RUNS} runs of {DISPATCHES} dispatches: the same {len(EXACT) + len(MODELLED)} counters")
