#!/usr/bin/env python3
# field: forky
# field-ci: forky
# field-timeout: 21600
"""llama.cpp's own test of its operations, each on the GPU against the CPU: all of them bare, some traced
and counted."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field

f = field.Field()
PROGRAM = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"
HOURS = 3600
RESULT = re.compile(r"^  ([A-Z0-9_]+)\(.*\): (?:\x1b\[[0-9;]*m)*(OK|FAIL|not supported)", re.MULTILINE)
LEAST = 60  # operations that llama.cpp has at least
# Traced and counted in the full set. All of them are 17,000 cases and more, an hour and more bare on two cores.
SOME = "SOFT_MAX,CONCAT,L2_NORM,SSM_SCAN,POOL_2D,SWIGLU,DIAG_MASK_INF"
FEW = "RMS_NORM,SUM_ROWS,GET_ROWS"  # the small set: vector code, cross-lane operations, LDS


def operations(run):
    """{operation: {verdict: how often}}"""
    found = collections.defaultdict(collections.Counter)
    for name, verdict in RESULT.findall(run.out + run.err):
        found[name][verdict] += 1
    return found


def wrong(run):
    """What is wrong with a run of them all, or nothing."""
    bad = [name for name, verdicts in operations(run).items() if verdicts["FAIL"]]
    return run.why() or (f"wrong: {', '.join(bad)}" if bad else "" if "backends passed" in run.out + run.err else "no result")


def watched(name, command, bare):
    """Traced and counted: the same verdicts, nothing lost."""
    for way, run in (("trace", f.traced), ("counters", f.counted)):
        watch = run(f"{name} {way}", command, timeout=2 * HOURS)
        f.case(f"{name} {way}", wrong(watch.run) or watch.losses() or
               ("" if operations(watch.run) == operations(bare) else "other verdicts than bare"), watch.run.seconds)
        yield watch


if f.needs({PROGRAM: "llama.cpp-tests", "/usr/lib/x86_64-linux-gnu/ggml/backends0/libggml-hip.so": "libggml0-backend-hip"}):
    few = [PROGRAM, "test", "-b", "ROCm0", "-o", FEW, "-p", "type=f32"]
    bare = f.soft(few, "--stats")
    f.case("few operations bare", wrong(bare), bare.seconds)
    executed = field.executed(bare.err)
    trace, count = watched("few operations", few, bare)
    f.case("few operations, every dispatch traced",
           field.differences({k: n for k, (n, _) in executed.items()}, trace.dispatches()))
    f.case("few operations, every wave counted",
           field.miscounted(bare.err, count.counters()["SQ_WAVES"]))
    if not f.small:
        everything = [PROGRAM, "test", "-b", "ROCm0"]
        bare = f.soft(everything, timeout=4 * HOURS)
        for operation, verdicts in operations(bare).items():
            done = verdicts["OK"] + verdicts["FAIL"]
            if done:
                f.case(f"{operation}, {done} shapes and types", f"{verdicts['FAIL']} wrong" if verdicts["FAIL"] else "")
        f.case("all operations bare", wrong(bare) or
               ("" if len(operations(bare)) >= LEAST else f"only {len(operations(bare))} operations"), bare.seconds)
        some = [*everything, "-o", SOME]
        bare = f.soft(some)
        f.case("some operations bare", wrong(bare), bare.seconds)
        for _ in watched("some operations", some, bare):
            pass
f.finish()
