#!/usr/bin/env python3
"""rocprofv3 findings on programs with one performance bug each: the bug is named first, and of the repaired twin nothing is,
with the model's times and, of bugs that are in what the host does, the host's; and every command that is printed runs as
it is printed, where it is. A command that another finding has had already, of another run, is not run again.

usage: bugs.py BUILD_DIR PROGRAM trace|counted [all]
PROGRAM is bugs.hip; counted: with counts of instructions and counters too, where only these show the bug; all: every bug with
both clocks
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu  # noqa: E402

BUILD, PROGRAM, WHAT = sys.argv[1:4]
ALL = "all" in sys.argv[4:]
COUNTERS = suite_gpu.countable(("TCP_TOTAL_CACHE_ACCESSES_sum SQ_INSTS_VMEM SQ_LDS_BANK_CONFLICT SQ_LDS_IDX_ACTIVE TCC_ATOMIC_sum TCC_REQ_sum "
                                "VALUUtilization SQ_INSTS_VALU SQC_DCACHE_MISSES SQC_DCACHE_REQ VALUBusy MemUnitBusy").split())
# bug: rules of which the first finding may be
TRACE = {"launches": {"launch-bound"}, "waits": {"sync-in-loop"}, "copies": {"sync-copies"}, "overlap": {"one-stream"},
         "rows": {"small-copies"}, "buffers": {"alloc-in-loop"}, "registers": {"occupancy-registers"}, "lds": {"occupancy-lds"},
         "arrays": {"scratch"}, "grid": {"few-waves"}, "groups": {"partial-waves"}, "host": {"idle-gpu"}}
COUNTED = {"atomics": {"atomics", "line-atomics"}, "banks": {"line-conflicts"}, "columns": {"line-uncoalesced"},
           "structures": {"line-uncoalesced"}, "branches": {"line-divergence"}, "spills": {"spill-in-loop"}}
OF_HOST = ("host",)  # whose findings are of the host's times alone
NOTES = {"host-times", "model-times"}
TRIED = set()  # commands that have been run, with the folder's name left out


def of_one_whole(finding):
    """Shares are of a whole, never above it."""
    assert 0 <= finding["weight"] <= 1, finding
    for e in finding["evidence"]:
        assert e["unit"] != "%" or 0 <= e["value"] <= 100, finding
    for f in finding["consequences"]:
        of_one_whole(f)


def findings(folder, bug, variant, clock):
    options = ["--instruction-counts", "--pmc", *COUNTERS] if WHAT == "counted" else []
    name = f"{bug} {variant} {clock}"  # a folder that a shell has to be told of
    subprocess.run([f"{BUILD}/bin/rocprofv3", "--gpu", "soft", "--sys-trace", *options, "-d", name, "--", PROGRAM, bug, variant],
                   check=True, capture_output=True, timeout=240, cwd=folder, env={**os.environ, "SOFTGPU_TIME": clock})
    done = subprocess.run([f"{BUILD}/bin/rocprofv3", "findings", name, "--format", "json"], check=True, capture_output=True,
                          timeout=60, cwd=folder)
    found = json.loads(done.stdout)["findings"]
    for f in found:
        of_one_whole(f)
        command = f["more"].replace(name, "FOLDER")
        if command in TRIED:
            continue
        TRIED.add(command)
        run = subprocess.run(f["more"], shell=True, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                             env={**os.environ, "PATH": f"{BUILD}/bin:{os.environ['PATH']}"})
        assert run.returncode == 0, (f["more"], run.stderr)
    return [f for f in found if f["rule"] not in NOTES]


def judge(folder, bug, rules, clock):
    os.makedirs(folder, exist_ok=True)
    bad, good = (findings(folder, bug, variant, clock) for variant in ("bad", "good"))
    problems = []
    if not bad or bad[0]["rule"] not in rules:
        problems.append((bug, clock, "is not named first", [(f["rule"], f["subject"], f["weight"], f["text"]) for f in bad]))
    if good:
        problems.append((bug, clock, "its twin is not free", [(f["rule"], f["subject"], f["weight"], f["text"]) for f in good]))
    return problems


def judged(folder, bug, rules, clock):
    """What else runs on the machine lengthens some of the host's times, and findings name what they see: a program whose
    threads were kept waiting is a slow one. So a case with the host's clock has three tries; the model's clock has one."""
    for attempt in range(3 if clock == "host" else 1):
        problems = judge(os.path.join(folder, str(attempt)), bug, rules, clock)
        if not problems:
            break
    return problems


def main():
    bugs = COUNTED if WHAT == "counted" else TRACE
    with tempfile.TemporaryDirectory(prefix="bugs-") as folder:
        cases = [(folder, bug, rules, clock) for bug, rules in bugs.items() for clock in ("host", "model")
                 if ALL or clock == "model" or bug in OF_HOST]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            problems = [p for of_one in pool.map(lambda c: judged(*c), cases) for p in of_one]
    for p in problems:
        print(*p)
    sys.exit(1 if problems else 0)


main()
