#!/usr/bin/env python3
# field: forky
# field-waves32: forky
# field-timeout: 7200
"""llama.cpp's own test of model architectures: random models of each on the GPU against the CPU, bare, and
some traced and counted. With the set "all" all are traced."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field

f = field.Field()
PROGRAM = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-llama-archs"
HOUR = 3600
SOME = "llama|gemma3|mamba2|rwkv7"  # attention, sliding windows, two kinds of recurrence
LEAST = 100  # architectures that llama.cpp has at least
# llama.cpp's own: it takes its matrix kernel for the experts' products (MUL_MAT_ID of f32) when their depth is a multiple
# of 32, its width of a warp, but the kernel steps by the 64 lanes of a wave. Of a depth of 160 it leaves half of the last
# step's products out and adds old ones instead, on softgpu and on hardware alike: 96, 160, 224 are wrong, 128, 192 right.
WRONG = {("laguna", "MoE"), ("step35", "MoE")} if f.wave == 64 else set()
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SEED = ["-s", "1", "-b", "ROCm0"]


def architectures(run):
    """{(architecture, configuration): (verdicts of the comparisons on the GPU)}"""
    found = {}
    for line in COLOUR.sub("", run.out).splitlines():
        cells = [c.strip() for c in line.split("|")[1:-1]]
        if len(cells) == 6 and f.product in cells[1]:
            found[cells[0], cells[2]] = tuple(c.split()[0] for c in cells[3:])
    return found


def wrong(run):
    """What is wrong with a run, or nothing. Its status is 1 where a result is wrong that is known to be."""
    failed = {key for key, verdicts in architectures(run).items() if "FAIL" in verdicts}
    bad = [" ".join(key) for key in failed - WRONG]
    return f"wrong: {', '.join(bad)}" if bad else "no result" if not architectures(run) else \
        "" if failed and run.status == 1 else run.why()


def watched(name, way, run, command, bare):
    watch = run(f"{name} {way}", command, timeout=2 * HOUR)
    f.case(f"{name} {way}", wrong(watch.run) or watch.losses() or
           ("" if architectures(watch.run) == architectures(bare) else "other verdicts than bare"), watch.run.seconds)


if f.needs({PROGRAM: "llama.cpp-tests"}, field.GGML_HIP):
    some = [PROGRAM, *SEED, "-a", SOME]
    bare = f.soft(some, timeout=HOUR)
    f.case("some architectures bare", wrong(bare), bare.seconds)
    watched("some architectures", "trace", f.traced, some, bare)
    watched("some architectures", "counters", f.counted, some, bare)
    if not f.small:
        bare = f.soft([PROGRAM, *SEED], timeout=2 * HOUR)
        for (architecture, kind), verdicts in architectures(bare).items():
            if set(verdicts) == {"SKIP"}:
                f.skip(f"{architecture} {kind}", "llama.cpp has no random model of it")
            elif "FAIL" in verdicts and (architecture, kind) in WRONG:
                f.skip(f"{architecture} {kind}", "llama.cpp's product of experts is wrong on waves of 64 lanes")
            else:
                f.case(f"{architecture} {kind}", "wrong result" if "FAIL" in verdicts else "")
        f.case("all architectures bare", wrong(bare) or
               ("" if len(architectures(bare)) >= LEAST else f"only {len(architectures(bare))} architectures"), bare.seconds)
        if f.all:
            watched("all architectures", "trace", f.traced, [PROGRAM, *SEED], bare)
f.finish()
