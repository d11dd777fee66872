#!/usr/bin/env python3
# field: experimental
# field-mi300x: experimental
# field-waves32: experimental
# field-timeout: 1800
"""Matrix products by rocBLAS's own kernels for the GPU, Tensile's assembly among them, each element against Python's
arithmetic, in eight types and mixtures of them: bare, traced, counted, and with every check of softgpu."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support")
NUMBER = 5  # of librocblas in this suite
COMMAND = [sys.executable, os.path.join(SUPPORT, "product.py"), str(NUMBER)]
TENSILE = "Cijk_"


def judged(name, run, more=""):
    wrong = [line for line in run.out.splitlines() if line.startswith("wrong")]
    f.case(name, "; ".join(wrong) or run.why() or more, run.seconds)


f = field.Field()
# not all counters tell matrix instructions from others
ARITHMETIC = "SQ_INSTS_MFMA" if f.has_counter("SQ_INSTS_MFMA") else "SQ_INSTS_VALU"
LIBRARY = f"{field.LIBRARIES}/librocblas.so.{NUMBER}"
if f.needs({LIBRARY: f"librocblas{NUMBER}"}, LIBRARY):
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
    checked = f.soft(COMMAND, *field.CHECKED, timeout=1200)
    judged("checks", checked, field.reported(checked))
f.finish()
