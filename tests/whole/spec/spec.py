#!/usr/bin/env python3
"""The statements of the documents, one scenario for each part, on an installed tree.

usage: spec.py BUILD_DIR SCENARIO. "setup" installs, and builds the project outside/ against that.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import remarks
import suite_gpu

build, scenario = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
root, out = f"{build}/tests/whole/spec/installed", f"{build}/tests/whole/spec/outside"
lib = root + "/lib"
BELOW_L2 = suite_gpu.BELOW_L2  # counters that the document calls TCC_EA


def run(command, status=0, timeout=60, **variables):
    """Standard output and the lines of standard error."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("ROCP", "HSA_", "LD_", "CMAKE_PREFIX", "PKG_CONFIG"))}
    environment.update(variables)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}, expected {status}:\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout.strip(), remarks.own(done.stderr).splitlines()


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"got      {got}\nexpected {wanted}")


def expect_lines(lines, patterns):
    """Each line as its pattern has it."""
    if len(lines) != len(patterns) or not all(map(re.fullmatch, patterns, lines)):
        sys.exit("got\n" + "\n".join(lines) + "\nexpected\n" + "\n".join(patterns))


def work(program, *arguments, preload="", status=0, **variables):
    """A program on runtimes that must be told to register."""
    preload = ":".join(filter(None, [f"{lib}/softgpu/libsoftgpu-preload.so", preload,
                                     f"{lib}/librocprofiler-hip-bridge.so"]))
    return run([f"{root}/bin/softgpu", "--", "env", f"LD_PRELOAD={preload}", f"{out}/{program}",
                *arguments], status, HSA_TOOLS_LIB=f"{lib}/librocprofiler-register.so.0", **variables)


def tool(name):
    return f"{out}/lib{name}.so"


def setup():
    shutil.rmtree(root, ignore_errors=True)
    run(["cmake", "--install", build, "--prefix", root])
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []  # which starts fewer processes than make
    shutil.rmtree(out, ignore_errors=True)  # of another generator
    # a fifth of this test's time would be the usual linker's, by which install.moved links
    linker = {"LDFLAGS": os.environ.get("LDFLAGS", "") + " -fuse-ld=gold"} if shutil.which("ld.gold") else {}
    run(["cmake", *generator, "-S", here + "/outside", "-B", out, f"-DCMAKE_PREFIX_PATH={root}"], timeout=120, **linker)
    run(["cmake", "--build", out, "-j2"], timeout=300)


# ---- "Building Tool Library" ----

FIRST = ["configure: place 0", "initialize: ExampleTool"]
LAST = r"finalize: ExampleTool, version 10000 = 1\.0\.0, place 0, {} calls"
C = ["C: configure, place {0}", "C: initialize, data right",
     "C: finalize, place {0}, {1} calls, data right"]


def c_lines(place, calls):
    return [line.format(place, calls) for line in C]


def listed():
    """ROCP_TOOL_LIBRARIES; finalized when the process ends."""
    out_text, lines = work("worker", ROCP_TOOL_LIBRARIES=tool("tool_library"))
    expect(out_text, "right")
    expect_lines(lines, FIRST + [LAST.format(6)])


def symbol():
    """No variable: the symbol of a preloaded library, of one the program is linked with, of the
    program."""
    expect(work("worker", preload=tool("c_tool")), ("right", c_lines(0, 6)))
    expect(work("linked"), ("right", c_lines(0, 6)))
    expect(work("own"), ("right", c_lines(0, 6)))
    for name in ("tool_library", "full_sample", "chain", "c_tool"):
        if " rocprofiler_configure" not in run(["nm", "-D", "--defined-only", tool(name)])[0]:
            sys.exit(f"{name}: rocprofiler_configure is not visible")


def order():
    """All tools are configured before any is initialized; the later ones know their place, and may
    refuse."""
    out_text, lines = work("worker", ROCP_TOOL_LIBRARIES=f"{tool('tool_library')}:{tool('c_tool')}")
    expect_lines(lines[:4], [FIRST[0], "C: configure, place 1", FIRST[1], C[1]])
    expect_lines(sorted(lines[4:]), [c_lines(1, 6)[2], LAST.format(6)])
    out_text, lines = work("worker", ROCP_TOOL_LIBRARIES=f"{tool('c_tool')}:{tool('tool_library')}")
    expect_lines(lines, [C[0].format(0), "configure: place 1", C[1], c_lines(0, 6)[2]])


def finalizer():
    """The finalizer, from a thread of the tool: calls after it are not seen."""
    out_text, lines = work("worker", "1500", ROCP_TOOL_LIBRARIES=tool("tool_library"),
                           FINALIZE_AFTER_MS="300")
    expect(out_text, "right")
    expect_lines(lines, FIRST + [LAST.format("[0-3]")])


def full_sample():
    expect(work("worker", ROCP_TOOL_LIBRARIES=tool("full_sample")),
           ("right", ["ExampleTool: code objects loaded, 0 other records"]))


def forced():
    expect(work("forced"),
           ("right", ["forced: place 0",
                      "ROCPROFILER_STATUS_SUCCESS then ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED,"
                      " initialized 0 then 1", "forced: 4 calls"]))
    # beside a tool that is found
    out_text, lines = work("forced", ROCP_TOOL_LIBRARIES=tool("c_tool"))
    expect_lines(lines[:2], ["forced: place 0", C[0].format(1)])
    expect(sorted(lines[4:]), [c_lines(1, 8)[2], "forced: 4 calls"])


def command_line():
    """rocprofv3 stands on its tool library, which uses the SDK; other tools work beside it."""
    names = glob.glob(f"{lib}/librocprofiler-sdk-tool.so.*.*.*")
    expect(len(names), 1)
    needed = re.findall(r"NEEDED.*\[(.*)\]", run(["readelf", "-d", names[0]])[0])
    expect("librocprofiler-sdk.so.1" in needed, True)
    folder = f"{out}/traced"
    shutil.rmtree(folder, ignore_errors=True)
    out_text, lines = run([f"{root}/bin/rocprofv3", "--gpu", "soft", "--hip-trace", "-f", "csv", "-d",
                           folder, "-o", "x", "--", f"{out}/worker"],
                          ROCP_TOOL_LIBRARIES=tool("c_tool"))
    expect(out_text, "right")
    expect([line for line in lines if line.startswith("C: ")], c_lines(0, 6))
    with open(f"{folder}/x_hip_api_trace.csv") as f:
        expect(f.read().count('"hipMemsetD32"'), 6)


def own_tools():
    """rocprofv3 without an option of its own: runtimes of all ages find the program's tools."""
    for program, variables in (("worker", {"ROCP_TOOL_LIBRARIES": tool("c_tool")}), ("linked", {}),
                               ("own", {})):
        out_text, lines = run([f"{root}/bin/rocprofv3", "--gpu", "soft", "--", f"{out}/{program}"],
                              **variables)
        expect(out_text, "right")
        expect([line for line in lines if line.startswith("C: ")], c_lines(0, 6))


def untold():
    """Runtimes that do not register, and nobody who has them register: nothing is lost in silence."""
    def plain(program, **variables):
        return run([f"{root}/bin/softgpu", "--", f"{out}/{program}"], **variables)
    why = ("rocprofiler-sdk: warning: {} was traced: {} does not register its functions; "
           "use rocprofv3, or HSA_TOOLS_LIB=librocprofiler-register.so.0 and "
           "LD_PRELOAD=librocprofiler-hip-bridge.so")
    hip, hsa = r".*/libamdhip64\.so.*", r".*/libhsa-runtime64\.so.*"
    out_text, lines = plain("linked")
    expect(out_text, "right")
    expect_lines(lines, c_lines(0, 0) + [why.format("no HIP call", hip)])
    out_text, lines = plain("worker", ROCP_TOOL_LIBRARIES=tool("full_sample"))
    expect_lines(lines, ["ExampleTool: code objects missing, 0 other records",
                         why.format("nothing of HSA or the GPU", hsa)])


# ---- "Runtime intercept tables" ----

def tables():
    """The tool's functions are outermost, the library's next; what the tool does not pass on the
    library never sees."""
    last = "2 marks, agents too, {} cut off; traced: all inside, 0 alone"
    out_text, lines = work("worker", ROCP_TOOL_LIBRARIES=tool("chain"))
    expect(out_text, "right")
    expect((sorted(lines[:-1]), lines[-1]),
           ([f"{name}: found a function of the library"
             for name in ("HIP (runtime)", "HSA", "MARKER (ROCTx)")], last.format(0)))
    out_text, lines = work("worker", status=1, ROCP_TOOL_LIBRARIES=tool("chain"), CUT="1")
    expect((out_text, lines[-1]), ("wrong", last.format(6)))


def chaining():
    """The sample's runtime, without a tool and with one. It needs no GPU and no launcher."""
    out_text, lines = run([out + "/foo"])
    expect((out_text, lines), ("register: 1\nfoo(21) = 42\nfoo(22) = 44", []))
    chained = ("register: 0\nfoo(21) = 43\nfoo(22) = 45", ["table version 20100, instance 0, 1 table"])
    expect(run([out + "/foo"], ROCP_TOOL_LIBRARIES=tool("foo_tool")), chained)
    expect(run([out + "/foo"], LD_PRELOAD=tool("foo_tool")), chained)


# ---- "ROC Profiler Library Specification" ----

MEANT = {60: "TCP_TOTAL_CACHE_ACCESSES", 70: "TCP_TCC_WRITE_REQ"}  # by the events that the document has


def metrics_file(folder):
    """The document's, with the GPU's names and events of the counters that are meant."""
    with open(here + "/metrics.xml", encoding="utf-8") as file:
        text = file.read().replace("TCC_EA_", BELOW_L2 + "_")
    for event, name in MEANT.items():
        text = text.replace(f" event={event} ", f" event={suite_gpu.event_of(name)} ")
    with open(folder + "/metrics.xml", "w", encoding="utf-8") as file:
        file.write(text)
    return folder + "/metrics.xml"


def v1(program, *arguments, **variables):
    with tempfile.TemporaryDirectory() as folder:
        return run([f"{root}/bin/softgpu", "--", f"{out}/{program}", *arguments],
                   LD_LIBRARY_PATH=lib, ROCP_METRICS=metrics_file(folder), MALLOC_PERTURB_="165", **variables)


def v1_tool(name, intercept="1", **variables):
    """The worker under a tool that ROC Profiler loads, and ROC Profiler by HSA."""
    return v1("worker", HSA_TOOLS_LIB="librocprofiler64.so.1", ROCP_TOOL_LIB=tool(name),
              ROCP_HSA_INTERCEPT=intercept, **variables)


def expect_output(got, *patterns):
    # HSA of ROCm 6 tells at its end of signals that HIP keeps, whoever profiles
    expect([line for line in got[1] if "detected by SharedSignalPool" not in line], [])
    expect_lines(got[0].splitlines(), patterns)


RATIO = ["Derived counter:  gpu-agent0 : L1_MISS_RATIO : ",
         "      L1_MISS_RATIO = sum(L1_CYCLES_COUNTER,16)/ sum(L1_MISS_COUNTER,16)"]
METRICS = ["major fits, both names agree", "before: ''", "after: status set, text set",
           "Basic counter:  gpu-agent0 : L1_CYCLES_COUNTER[0-15] : ",
           "      block TCP has 4 counters",
           "Basic counter:  gpu-agent0 : L1_MISS_COUNTER[0-15] : ",
           "      block TCP has 4 counters", *RATIO,
           "Derived counter:  gpu-agent0 : DRAM_BANDWIDTH : ",
           f"      DRAM_BANDWIDTH = ({BELOW_L2}_RDREQ_sum+{BELOW_L2}_WRREQ_sum)*64/GRBM_GUI_ACTIVE",
           "metrics: as many as counted", "Trace:  THREAD_TRACE, described",
           "traces: as many as counted", *RATIO, "1 of that name"]


def v1_metrics():
    """Sections 3, 4.3 and 5.1, with the file of section 1."""
    expect_output(v1("v1_metrics"), *map(re.escape, METRICS))


def v1_dispatches():
    """Section 5.2. A fill's stores of dwords look up the first-level cache once for each write below it,
    those of two dwords (HIP 5) quad by quad, twice."""
    expect_output(v1("v1_dispatches"), *2 * [r"0: L1_MISS_RATIO result_double \([12]\)",
                                             r"1: DRAM_BANDWIDTH result_double \([0-9.]+\)"])


def fill_waves():
    """Waves of a fill of 16 KiB, as softgpu executed them: HIP 5 fills with 2048 work-items, HIP 6 with 1024."""
    found = re.findall(r"^kernel .*\n  (\d+) dispatches, (\d+) waves",
                       "\n".join(run([f"{root}/bin/softgpu", "--stats", "--", f"{out}/worker"])[1]), re.M)
    dispatches, waves = max((int(d), int(w)) for d, w in found)
    return waves // dispatches


WAVES = r"{}: SQ_WAVES result_int64 \({}\)"


def v1_completion():
    """Section 5.3, and section 2: without ROCP_HSA_INTERCEPT nothing is intercepted."""
    expect_lines(sorted(v1_tool("v1_completion")[0].splitlines()),
                 6 * [WAVES.format(0, fill_waves())] + ["OnLoadTool", "OnUnloadTool", "right"])
    expect_output(v1_tool("v1_completion", "0"), "OnLoadTool", "right", "OnUnloadTool")


def v1_pool():
    """Sections 4.2, 4.7 and 5.4: the tool's settings win."""
    for variable, mode in (("0", 0), ("1", 1)):
        expect_output(v1_tool("v1_pool", variable),
                      f"OnLoadToolProp: intercept_mode {mode}, timestamp_on 0, timeout set", "right",
                      f"OnUnloadTool: 6 fetched, 6 handled, {6 * fill_waves()} waves, 0 then 1 in use")


def v1_trace():
    """Section 1: the overflow of an output buffer is told; what fits is there."""
    for size, told in (("8000000", "complete"),
                       ("400000", "overflow: .*trace buffer of shader engine 0, .* too small")):
        expect_output(v1_tool("v1_trace", TRACE_SIZE=size, WORK_WORDS="100000"
                              if told == "complete" else "3000000"), "right", told,
                      r"0: THREAD_TRACE result_bytes there size there instance_count\(1\)", "1 part")


def v1_sampling():
    """Sections 5.5 and 5.6."""
    waves = fill_waves()
    busy = next(name for name in ("GPUBusy", "GPU_UTIL") if suite_gpu.has_metric(name))  # the same of newer GPUs
    expect_output(v1("v1_sampling", busy, HSA_TOOLS_LIB="librocprofiler64.so.1"),
                  *(WAVES.format(0, waves * n) for n in range(1, 5)))


def v1_contexts():
    """Sections 4.4 and 4.5."""
    expect_output(v1("v1_contexts", HSA_TOOLS_LIB="librocprofiler64.so.1"), "SINGLEGROUP fails", "2 groups",
                  *(f"group {n} of the context: yes, metrics before: refused" for n in (0, 1)),
                  "data complete, consistent", WAVES.format(0, fill_waves()), "time right")


def v1_missing():
    """A tool that is not there costs a line; the program runs."""
    out_text, lines = v1("worker", HSA_TOOLS_LIB="librocprofiler64.so.1",
                         ROCP_TOOL_LIB="/nowhere/tool.so", ROCP_HSA_INTERCEPT="1")
    expect(out_text, "right")
    expect_lines(lines, ["rocprofiler: (warning|error): .*/nowhere/tool.so.*"])


globals()[scenario]()
