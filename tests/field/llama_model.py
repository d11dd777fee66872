#!/usr/bin/env python3
# field: forky
# field-ci: forky
# field-mi100: forky
# field-mi300x: experimental
# field-waves32: forky experimental
# field-mi355x: experimental
# field-llama: experimental
# field-timeout: 1200
"""A tiny random model in llama.cpp: what it says on the GPU is what it says on the CPU, bare, traced,
counted and with every check of softgpu, which tells nothing, and the trace has every kernel that was executed.
On a GPU that rocBLAS has no kernels for, llama.cpp gets one token at a time: it leaves the products of several to rocBLAS."""
import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field
import gguf

f = field.Field()
CPU, GPU = ["--device", "none"], ["--device", "ROCm0", "-ngl", "99"]
EXACT = ("f32", "f16")  # the CPU and the GPU round the activations of quantised models in their own ways
# Kullback-Leibler divergence of the GPU's next tokens from the CPU's, and the share of equal first choices:
# some ten times what the ways of rounding make of a right result
CLOSE = {"f32": (0.0005, 99), "f16": (0.0005, 98), "q8_0": (0.02, 85), "q4_0": (0.04, 80)}
# Where llama.cpp leaves products of halves to rocBLAS (seen on gfx1030 and gfx1100), it has them added up in halves, unless it
# is told otherwise. rocBLAS's kernels that do so have the letters HB in their names, those that add up in floats HHS or HSS.
HALVES = re.compile(r"Cijk_\w+?_HB_")
IN_HALVES = (0.012, 85)
IN_FLOATS = {"GGML_CUDA_CUBLAS_COMPUTE_TYPE": "f32"}
LISTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "packages-demo-llama.txt")
BATCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support/llama-batch")
AT_A_TIME = subprocess.run([BATCH, f.target], stdout=subprocess.PIPE, text=True, check=True).stdout.split()  # it tells why on stderr
COUNTERS = ["SQ_WAVES", "SQ_INSTS_VALU", "GRBM_COUNT"]


def completion(model):
    return ["llama-completion", "-m", model, "-p", "ba be bi bo bu", "-n", "24", "--temp", "0", "-s", "1", "-no-cnv",
            "--no-warmup", "-c", "256", *AT_A_TIME]


def perplexity(model, text, base):
    return ["llama-perplexity", "-m", model, "-f", text, "-c", "64", "--kl-divergence-base", base, *AT_A_TIME]


def text_file():
    """Words for the model to go on from."""
    choose = random.Random(3)
    syllables = [text for text, _, kind in gguf.vocabulary() if kind == gguf.NORMAL and len(text) == 2]
    words = ["".join(choose.choice(syllables) for _ in range(choose.randint(1, 3))) for _ in range(120)]
    path = f.path("text")
    with open(path, "w", encoding="utf-8") as file:
        file.write(" ".join(words))
    return path


def away(run, most, least):
    """Why the next tokens' probabilities of a run on the GPU are not near enough those of the CPU, or nothing."""
    if run.why():
        return run.why()
    last = [line.replace("±", " ").replace("%", " ").split() for line in run.out.splitlines() if "±" in line]
    if not last or len(last[-1]) != 11:
        return "llama-perplexity printed no divergence"
    divergence, same = float(last[-1][5]), float(last[-1][9])
    return "" if 0 <= divergence <= most and same >= least else f"divergence {divergence}, {same} % the same"


def probabilities(kind, model, text):
    """Those of the next tokens, as llama.cpp adds up on that GPU, and in floats if it does not do so by itself."""
    base = f.path(f"base-{kind}")
    cpu = f.soft([*perplexity(model, text, base), *CPU])
    command = [*perplexity(model, text, base), *GPU, "--kl-divergence"]
    gpu = f.soft(command, "--stats")
    most, least = CLOSE[kind]
    if not any(map(HALVES.match, field.executed(gpu.err))):
        f.case(f"{kind} probabilities", cpu.why() or away(gpu, most, least))
        return
    f.case(f"{kind} probabilities, added up in halves",
           cpu.why() or away(gpu, max(most, IN_HALVES[0]), min(least, IN_HALVES[1])))
    f.case(f"{kind} probabilities, added up in floats", cpu.why() or away(f.soft(command, env=IN_FLOATS), most, least))


def misnamed():
    """How the architectures for which the package's back end has code differ from those that the list names, or nothing."""
    with open(LISTED, encoding="utf-8") as file:
        named = set(re.search(r"^# architectures: *(.*)$", file.read(), re.MULTILINE)[1].split())
    with open(field.GGML_HIP, "rb") as file:
        found = {name.decode() for name in re.findall(rb"amdhsa--(gfx[0-9a-f]+)", file.read())}
    return "" if named == found else f"{os.path.basename(LISTED)} names {sorted(named)}, the library has {sorted(found)}"


def stream_and_graph(trace):
    """What is missing in the trace of how the kernels came to the GPU, or nothing."""
    calls = {row["Function"] for row in trace.rows("hip_api_trace")}
    missing = {"hipGraphLaunch", "hipStreamBeginCapture", "hipStreamEndCapture", "hipLaunchKernel",
               "hipMemcpyAsync"} - calls
    if missing:
        return f"no {', '.join(sorted(missing))} in the trace"
    none = {row["Kernel_Name"] for row in trace.rows("kernel_trace") if row["Stream_Id"] == "0"}
    if "hipMemset" in calls:  # which is on the default stream, 0, and HIP 7 fills small pieces by a kernel
        none.discard("__amd_rocclr_fillBufferAligned")
    return f"{len(none)} kernels without a stream, as {sorted(none)[0][:60]}" if none else ""


def observed(name, command, right):
    """The same program bare, traced and counted. right(run): why its output is not, or nothing."""
    bare = f.soft(command, "--stats")
    if not f.case(f"{name} bare", bare.why() or right(bare)):
        return
    executed = field.executed(bare.err)
    trace = f.traced(f"{name} trace", command)
    f.case(f"{name} trace", trace.run.why() or right(trace.run) or trace.losses() or
           field.differences({k: n for k, (n, _) in executed.items()}, trace.dispatches()))
    f.case(f"{name} graphs and streams", stream_and_graph(trace))
    counted = f.counted(f"{name} counters", command, *COUNTERS)
    counters = counted.counters()
    f.case(f"{name} counters", counted.run.why() or right(counted.run) or counted.losses() or
           field.miscounted(bare.err, counters["SQ_WAVES"]) or
           ("" if set(COUNTERS) == set(counters) else f"only {', '.join(counters)} are counted"))
    if not f.small:
        checked = f.soft(command, *field.CHECKED)
        f.case(f"{name} every check", field.reported(checked) or right(checked))


def bench_ran(run):
    try:
        tests = json.loads(run.out)
    except ValueError:
        return "no JSON"
    wrong = [t for t in tests if not t["avg_ts"] > 0]
    return "" if len(tests) == 2 and not wrong else f"{len(tests)} results, {len(wrong)} without speed"


if f.needs({"llama-completion": "llama.cpp-tools", "llama-perplexity": "llama.cpp-tools-extra"}, field.GGML_HIP):
    if field.GGML_HIP.startswith(field.LIBRARIES):  # it is the package's
        f.case("architectures of the package", misnamed())
    words = text_file()
    for quant in ("f16", "q4_0") if f.small else gguf.KINDS:
        path = f.path(f"tiny-{quant}.gguf")
        gguf.tiny_llama(path, quant)
        probabilities(quant, path, words)
        says = f.soft([*completion(path), *CPU])
        f.case(f"{quant} CPU", says.why() or ("" if says.out.strip() else "says nothing"))
        # where rounding differs, the same on the GPU however it is watched
        first = f.soft([*completion(path), *GPU]).out if quant not in EXACT else says.out
        if quant == "f16" or not f.small:
            observed(f"{quant} completion", [*completion(path), *GPU],
                     lambda run: "" if run.out == first else f"says {run.out[:200]!r}, not {first[:200]!r}")
    if not f.small:
        observed("bench", ["llama-bench", "-m", f.path("tiny-q4_0.gguf"), "-p", "48", "-n", "8", "-r", "1", "-o", "json",
                           "-ngl", "99", *AT_A_TIME], bench_ran)
f.finish()
