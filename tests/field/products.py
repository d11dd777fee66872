#!/usr/bin/env python3
# field: experimental
# field-mi300x: experimental
# field-rx6800: experimental
# field-rx7900xtx: experimental
# field-strixhalo: experimental
# field-rx9070xt: experimental
# field-timeout: 1800
"""Matrix products by rocBLAS's own kernels for the GPU, Tensile's assembly among them, each element against Python's
arithmetic, in eight types and mixtures of them: bare, traced, counted, and with every check of softgpu."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support")
NUMBER = 5  # of librocblas in this suite
COMMAND = [sys.executable, os.path.join(SUPPORT, "product.py"), str(NUMBER)]
TENSILE = "Cijk_"
ERRORS = re.compile(r"^softgpu: (\d+) errors$", re.MULTILINE)


def judged(name, run, more=""):
    wrong = [line for line in run.out.splitlines() if line.startswith("wrong")]
    f.case(name, "; ".join(wrong) or run.why() or more, run.seconds)


f = field.Field()
# the counters of GPUs with waves of 32 lanes do not tell matrix instructions from others
ARITHMETIC = {64: "SQ_INSTS_MFMA", 32: "SQ_INSTS_VALU"}[f.wave]
if f.needs({f"/usr/lib/x86_64-linux-gnu/librocblas.so.{NUMBER}": f"librocblas{NUMBER}"}):
    bare = f.soft(COMMAND, "--stats")
    for line in bare.out.splitlines():
        verdict, _, case = line.partition(" ")
        f.case(case.partition(":")[0], "" if verdict == "right" else line)
    executed = field.executed(bare.err)
    own = sum(name.startswith(TENSILE) for name in executed)
    judged("bare", bare, "" if own else f"no kernel {TENSILE}*")
    trace = f.traced("trace", COMMAND)
    judged("trace", trace.run, trace.losses() or
           field.differences({k: n for k, (n, _) in executed.items()}, trace.dispatches()))
    counted = f.counted("counters", COMMAND, "SQ_WAVES", ARITHMETIC)
    counters = counted.counters()
    judged("counters", counted.run, counted.losses() or field.miscounted(bare.err, counters["SQ_WAVES"]) or
           ("" if any(counters[ARITHMETIC].values()) else f"{ARITHMETIC} counts nothing"))
    checked = f.soft(COMMAND, "--check=all", timeout=1200)
    found = ERRORS.search(checked.err)
    judged("checks", checked, "" if found and found[1] == "0" else checked.err[:600])
f.finish()
