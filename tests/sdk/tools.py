#!/usr/bin/env python3
"""Tools meet the library in every way there is, over a program that knows of none of them.

usage: tools.py BUILD_DIR SCENARIO. Each scenario runs programs and compares what they print, whole.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import remarks
import suite_gpu

build, scenario = sys.argv[1:]
program = f"{build}/tests/bin/sdk_program"
linked = f"{build}/tests/bin/sdk_program_linked"
lib = f"{build}/lib"
samples = f"{build}/samples/lib"
first, second = (f"{build}/tests/lib/libtest-tool-{n}.so" for n in ("first", "second"))


def run(command, status=0, **variables):
    """Standard output and the lines of standard error."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROCP", "HSA_", "LD_PRE"))}
    environment.update(variables)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    lines = remarks.own(done.stderr).splitlines()
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}, expected {status}:\n{done.stderr}")
    return done.stdout.strip(), lines


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"got      {got}\nexpected {wanted}")


def in_order(name, place, calls):
    return f"{name}: place {place}, {calls} calls"


def several():
    """A list with and without a colon at its end; order is that of the list."""
    wanted = ["first: configured", "second: configured", "first: initialised", "second: initialised",
              in_order("first", 0, 40), in_order("second", 1, 40)]
    for text in (f"{first}:{second}", f"{first}:{second}:", f":{first}::{second}"):
        expect(run([program], ROCP_TOOL_LIBRARIES=text), ("registered: 0", wanted))
    expect(run([program], ROCP_TOOL_LIBRARIES=second),
           ("registered: 0", ["second: configured", "second: initialised", in_order("second", 0, 40)]))


def missing():
    """A tool that cannot be loaded costs one line; the others and the program go on."""
    out, lines = run([program], ROCP_TOOL_LIBRARIES=f"/nowhere/libtool.so:{first}")
    expect(out, "registered: 0")
    if len(lines) != 4 or not re.match(r"rocprofiler-sdk: error: .*/nowhere/libtool\.so", lines[0]):
        sys.exit("\n".join(lines))
    expect(lines[3], in_order("first", 0, 40))
    out, lines = run([program], ROCP_TOOL_LIBRARIES=f"{lib}/librocprofiler-register.so.0")
    expect(out, "registered: 0")
    if len(lines) != 1 or "does not define rocprofiler_configure" not in lines[0]:
        sys.exit("\n".join(lines))


def preload():
    """Preloaded and listed: counted once."""
    wanted = ["first: configured", "first: initialised", in_order("first", 0, 40)]
    expect(run([program], LD_PRELOAD=first), ("registered: 0", wanted))
    expect(run([program], LD_PRELOAD=first, ROCP_TOOL_LIBRARIES=first), ("registered: 0", wanted))


def linked_tool():
    """A tool that the program is linked with, alone and beside a listed one."""
    expect(run([linked]),
           ("registered: 0", ["first: configured", "first: initialised", in_order("first", 0, 40)]))
    expect(run([linked], ROCP_TOOL_LIBRARIES=second),
           ("registered: 0", ["second: configured", "first: configured", "second: initialised",
                              "first: initialised", in_order("second", 0, 40),
                              in_order("first", 1, 40)]))


def refuses():
    """A tool that answers null is counted but takes no part."""
    expect(run([program], ROCP_TOOL_LIBRARIES=f"{first}:{second}", REFUSE_first="1"),
           ("registered: 0", ["first: configured", "second: configured", "second: initialised",
                              in_order("second", 1, 40)]))


def ends_early():
    """One of two tools ends inside its own callback; the other sees everything."""
    expect(run([program], ROCP_TOOL_LIBRARIES=f"{first}:{second}", END_EARLY_first="1"),
           ("registered: 0", ["first: configured", "second: configured", "first: initialised",
                              "second: initialised", in_order("first", 0, 5),
                              in_order("second", 1, 40)]))
    expect(run([program], ROCP_TOOL_LIBRARIES=first, END_EARLY_first="1"),
           ("registered: 0", ["first: configured", "first: initialised", in_order("first", 0, 5)]))


def ends_early_at_exit():
    """The program ends while one of two tools does, or by that tool: the other goes on and ends all
    the same."""
    begin = ["first: configured", "second: configured", "first: initialised", "second: initialised"]
    out, lines = run([program, "10", "200"], ROCP_TOOL_LIBRARIES=f"{first}:{second}",
                     END_EARLY_first="thread", RESTART_second="1")
    expect((out, lines[:4], lines[5:]), ("registered: 0", begin, [in_order("second", 1, 40)]))
    expect(run([program], ROCP_TOOL_LIBRARIES=f"{first}:{second}", END_EARLY_first="exit"),
           ("", begin + [in_order("first", 0, 5), in_order("second", 1, 4)]))


def none():
    """Without a tool the library is not loaded."""
    expect(run([program]), ("registered: 1", []))


def constructor():
    """ROCPROFILER_LIBRARY_CTOR: the tool starts in a program that never starts a runtime."""
    expect(run(["/bin/true"], LD_PRELOAD=f"{lib}/librocprofiler-sdk.so.1", ROCP_TOOL_LIBRARIES=first,
               ROCPROFILER_LIBRARY_CTOR="1"),
           ("", ["first: configured", "first: initialised", in_order("first", 0, 0)]))
    expect(run(["/bin/true"], LD_PRELOAD=f"{lib}/librocprofiler-sdk.so.1", ROCP_TOOL_LIBRARIES=first),
           ("", []))


def copies():
    """Two copies of the library: one refuses, names both files, and does not touch the tools."""
    with tempfile.TemporaryDirectory() as folder:
        copy = f"{folder}/librocprofiler-sdk-copy.so"
        shutil.copy(f"{lib}/librocprofiler-sdk.so.1", copy)
        # constructors run from the last preloaded library to the first: the copy owns the process
        out, lines = run([program], LD_PRELOAD=f"{lib}/librocprofiler-sdk.so.1:{copy}",
                         ROCP_TOOL_LIBRARIES=first, ROCPROFILER_LIBRARY_CTOR="1")
        expect((out, lines),
               ("registered: 6",
                [f"rocprofiler-sdk: error: {lib}/librocprofiler-sdk.so.1 does nothing: {copy} profiles"
                 " this process already",
                 "first: configured", "first: initialised", in_order("first", 0, 0)]))


def sample_tool():
    expect(run([program, "3"], ROCP_TOOL_LIBRARIES=f"{samples}/libsample-tool.so"),
           ("registered: 0", ["sample tool: SDK 1.0.0, 0 code objects, 0 kernels",
                              "sample tool: hipGetLastError 6", "sample tool: hipMalloc 6"]))


def sample_intercept():
    expect(run([program, "5"], ROCP_TOOL_LIBRARIES=f"{samples}/libsample-intercept.so"),
           ("registered: 0", ["intercept tool: 10 calls of hipMalloc, 1000 bytes"]))


def sample_timed():
    """The finalizer from the tool's own thread: what comes later is not recorded."""
    out, lines = run([program, "50", "1000"], ROCP_TOOL_LIBRARIES=f"{samples}/libsample-timed.so",
                     SAMPLE_FINALIZE_AFTER_MS="200")
    expect(out, "registered: 0")
    ms = int(re.fullmatch(r"timed tool: finalised after (\d+) ms, 100 records, 0 lost", lines[0]).group(1))
    if len(lines) != 1 or not 200 <= ms < 900:
        sys.exit("\n".join(lines))
    # the program ends first
    out, lines = run([program, "50"], ROCP_TOOL_LIBRARIES=f"{samples}/libsample-timed.so")
    if not re.fullmatch(r"timed tool: finalised after \d+ ms, 200 records, 0 lost", lines[0]):
        sys.exit("\n".join(lines))


def run_hip(sample, name="axpy", said="axpy: 1000 right", tool=None, **variables):
    """A real HIP program with a sample tool, as rocprofv3 would start it on runtimes of ROCm 5."""
    out, lines = run([f"{build}/bin/softgpu", "--", "env",
                      f"LD_PRELOAD={lib}/softgpu/libsoftgpu-preload.so:{lib}/librocprofiler-hip-bridge.so",
                      f"{build}/tests/sdk/{name}"],
                     HSA_TOOLS_LIB=f"{lib}/librocprofiler-register.so.0",
                     ROCP_TOOL_LIBRARIES=tool or f"{samples}/libsample-{sample}.so", **variables)
    expect(out, said)
    return lines


def hip_every_kind():
    """Everything is followed at once; what those who check traces ask for holds."""
    expect(run_hip(None, "pipeline", "pipeline: 512 right", f"{build}/tests/lib/libsdk_every_tool.so"),
           ["kinds: 0 refused", "calls: many, 0 gaps, 0 ids twice, 0 records lost, 0 outside",
            "work: some, 0 without a call", "ids: 0 not retired once, 0 too early, one for each call"])


def hip_sample_tool():
    lines = run_hip("tool")
    # the program's code object and the runtime's own kernels are loaded at first use
    loaded = re.fullmatch(r"sample tool: SDK 1\.0\.0, (\d+) code objects, (\d+) kernels", lines[0])
    if not loaded or int(loaded.group(1)) < 1 or int(loaded.group(2)) < 2:
        sys.exit("\n".join(lines))
    expect(lines[1:], ["sample tool: hipDeviceSynchronize 1", "sample tool: hipFree 2",
                       "sample tool: hipLaunchKernel 2", "sample tool: hipMalloc 2",
                       "sample tool: hipMemcpy 3"])


def hip_sample_intercept():
    expect(run_hip("intercept"), ["intercept tool: 2 calls of hipMalloc, 8000 bytes"])


def hip_sample_timed():
    lines = run_hip("timed")
    if len(lines) != 1 or not re.fullmatch(
            r"timed tool: finalised after \d+ ms, 10 records, 0 lost", lines[0]):
        sys.exit("\n".join(lines))


def hip_sample_thread_trace():
    """Every instruction of the traced waves has its place, and there are as many of a kind as the
    hardware's counters say: 4 of the 16 waves of a kernel are on the traced unit."""
    lines = run_hip("thread_trace", THREAD_TRACE="instructions")
    counted = {k: v for k, v in (re.fullmatch(r"counting tool: (\S+) ran 1 times: (.*)", line).groups()
                                 for line in run_hip("count_dispatches"))}
    kinds = {}
    kernels = []
    for line in lines:
        inst = re.fullmatch(r"simd \d slot \d: (\d+) \+(\d+) (\w+) at 0x[0-9a-f]+", line)
        if inst:
            kinds[inst.group(3)] = kinds.get(inst.group(3), 0) + 1
            continue
        kernel = re.fullmatch(r"thread trace tool: (\S+), engine 0: 4 waves, (\d+) of (\d+) "
                              r"instructions found, 8 waves began or ended", line)
        if not kernel or kernel.group(2) != kernel.group(3) or int(kernel.group(2)) != sum(kinds.values()):
            sys.exit("\n".join(lines))
        expect(f"SQ_WAVES 16 SQ_INSTS_VALU {4 * kinds['valu']} SQ_INSTS_SALU {4 * kinds['salu']}",
               counted[kernel.group(1)])
        kernels.append(kernel.group(1))
        kinds = {}
    expect(sorted(kernels), sorted(counted))


def hip_sample_pc_sampling():
    """Where the runtime samples, every sample of a hot loop has its place and its dispatch, whose id has
    not retired before, and none is lost; where it does not, the tool is told so. The program's result is
    the same."""
    lines = run_hip("pc_sampling", "hot", "hot: 1024 right", ROCPROFILER_PC_SAMPLING_BETA_ENABLED="1",
                    SOFTGPU_TIME="model")
    # the runtime may end what it says of its thread without a new line
    lines = [line[line.index("sampling tool: "):] for line in lines if "sampling tool: " in line]
    if "is not available" in lines[0]:
        expect(lines[1:], ["sampling tool: 0 samples, 0 lost, 0 of no dispatch that is known, 0 outside of "
                           "all code objects, 0 of retired ids"])
        return
    whole = re.fullmatch(r"sampling tool: (\d+) samples, 0 lost, 0 of no dispatch that is known, "
                         r"0 outside of all code objects, 0 of retired ids", lines[0])
    # 3 kernels of 16 waves, each of HOT_LOOPS turns of 5 instructions and few more: by the model's time a
    # wave is met once in so many instructions as it executes at one in four clocks, of 32 waves, in 20 microseconds
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hot.hip"), encoding="utf-8") as source:
        turns = int(re.search(r"HOT_LOOPS = (\d+)", source.read()).group(1))
    times = turns * 5 // (20 * 32 * suite_gpu.CLOCK // 4)
    if not whole or not 48 * times <= int(whole.group(1)) <= 48 * (times + 1):
        sys.exit("\n".join(lines))
    # its five most frequent places are those of the loop's five instructions
    places = [re.fullmatch(r"sampling tool: +(\d+) at 0x([0-9a-f]+) of code object (\d+)", line)
              for line in lines[1:]]
    offsets = sorted(int(p.group(2), 16) for p in places)
    hot = sum(int(p.group(1)) for p in places)
    if len(offsets) != 5 or offsets[4] - offsets[0] != 16 or hot < 0.95 * int(whole.group(1)):
        sys.exit("\n".join(lines))


# What the samples say of pipeline.hip, whole.
PIPELINE = {
    "agents": [suite_gpu.ARCH + r", \d+ compute units, 0 ways of PC sampling", "done"],
    "allocations": [r"\d+ allocations, [1-9]\d* on GPUs, \d+ releases, 0 of them unmatched"],
    "arguments": [r"hipMalloc\(ptr=\.\.\., size=1024\)"] * 2 + ["2 records, 4 arguments"],
    "code_objects": ["_Z5twicePi is launched by a host function",
                     "some kernels, all code objects unloaded, 0 wrong"],
    "copies": ["MEMORY_COPY_HOST_TO_DEVICE 2 copies, 2048 bytes",
               "MEMORY_COPY_DEVICE_TO_HOST 2 copies, 2048 bytes"],
    "dispatches": [r"_Z5twicePi\.kd ran 3 times"],
    "external": ["phase 1: 14 calls", "phase 2: 6 calls"],
    "retirement": ["20 calls, 3 dispatches, 20 ids retired, 0 too early"],
    "runtimes": ["RUNTIME_INITIALIZATION_HIP instance 0", "RUNTIME_INITIALIZATION_HSA instance 0",
                 "1 threads announced, 1 made"],
    "scratch": ["0 allocations of 0 bytes, 0 releases"],
    "streams": ["2 created, 2 destroyed", "stream 1: 1 dispatches", "stream 2: 2 dispatches"],
}


def pipeline():
    lines = run_hip(sample, "pipeline", "pipeline: 512 right")
    wanted = [f"{sample} tool: {line}" for line in PIPELINE[sample]]
    if len(lines) != len(wanted) or not all(map(re.fullmatch, wanted, lines)):
        sys.exit("\n".join(lines))


sample = scenario.removeprefix("pipeline_")
if sample != scenario:
    pipeline()
else:
    globals()[scenario]()
