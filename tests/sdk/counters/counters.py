#!/usr/bin/env python3
"""Counters through the SDK: programs under tools, whole outputs compared.

usage: counters.py BUILD_DIR QUEUES_PROGRAM SCENARIO
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import remarks
import suite_gpu

build, queues, scenario = sys.argv[1:]
here = f"{build}/tests/sdk/counters"
kernels = f"{here}/kernels.hipfb"


def run(tool, program, *arguments, bridge=False, **variables):
    """Standard output and standard error of the program under the tool, as lists of lines."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROCP", "HSA_", "LD_"))}
    command = [program, *arguments]
    if bridge:
        preload = f"{build}/lib/softgpu/libsoftgpu-preload.so:{build}/lib/librocprofiler-hip-bridge.so"
        command = ["env", f"LD_PRELOAD={preload}", *command]
    if tool:
        environment["ROCP_TOOL_LIBRARIES"] = tool
        environment["HSA_TOOLS_LIB"] = f"{build}/lib/librocprofiler-register.so.0"
    environment["LD_LIBRARY_PATH"] = f"{build}/lib"
    environment.update(variables)
    done = subprocess.run([f"{build}/bin/softgpu", "--", *command], env=environment,
                          capture_output=True, text=True, timeout=100)
    if done.returncode:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines(), remarks.own(done.stderr).splitlines()


def expect(got, wanted):
    if got != wanted:
        sys.exit("\n".join(["got", *got, "expected", *wanted]))


def count(program, *arguments, said, wanted, **variables):
    out, _ = run(f"{here}/libcount_tool.so", program, *arguments, **variables)
    expect(out, [said, *wanted])


def line(launched, asked, counted=None):
    counted = asked if counted is None else counted
    return f"{launched} launched, {asked} asked for, {counted} counted, 0 overlap, 0 wrong"


SHAPES, STREAMS, DONE = f"{here}/shapes", f"{here}/streams", "shapes: done"
LAUNCHES = 6 * 8 * 15  # streams.hip, without the launches with which HIP sets memory


def api():
    out, errors = run(f"{here}/libapi_tool.so", SHAPES, SOFTGPU_COUNTERS="0", API_GPU=suite_gpu.ARCH,
                      API_ENGINES=str(suite_gpu.XCCS * suite_gpu.ENGINES),
                      API_CHANNELS=str(suite_gpu.XCCS * suite_gpu.CHANNELS))
    expect(out, [DONE, "more than 100 checks, 0 failed"])
    refused = [e for e in errors if "block TA" in e]
    expect(refused, ["rocprofiler-sdk: error: 3 counters of block TA are wanted, 2 available; "
                     "2 passes would do, limit 1: TA_TA_BUSY TA_BUFFER_WAVEFRONTS | "
                     "TA_FLAT_WAVEFRONTS"])


def states():
    out, errors = run(f"{here}/libstates_tool.so", SHAPES, SOFTGPU_GPUS="2")
    expect(out, [DONE, "more than 1000 checks, 9 dispatches, 0 failed"])
    told = [e for e in errors if "a dispatch is not counted" in e]
    expect(told, ["rocprofiler-sdk: error: a dispatch is not counted, perhaps others neither: the "
                  "tool's callback gave a counter configuration that does not exist"])


def each():
    """One counter for each of 800 kernels: all that there are, of which gfx950 has 678, and dispatches that are not counted."""
    out, _ = run(f"{here}/libeach_tool.so", f"{build}/tests/v1/many", "800", "1000000")
    expect(out, ["800 kernels", "more than 400 counters, 0 not as told, 0 strangers, 0 dropped, 0 failed"])


METRICS = os.path.dirname(os.path.abspath(__file__)) + "/../../../samples/v1/metrics.xml"


def owners():
    out, errors = run(f"{here}/libowners_tool.so", SHAPES, ROCP_METRICS=METRICS)
    expect(out, [DONE, "more than 25 checks, 0 failed, 9 counted"])
    # the tool is linked to the older library, which HSA does not load here: waves of queues that this
    # library has not seen are left out of its counts, and it says so
    expect(errors, ["rocprofiler: warning: rocprofiler_start: waves of the program's queues are not counted: "
                    "HSA has not loaded this library, set HSA_TOOLS_LIB=librocprofiler64.so.1",
                    *["rocprofiler-sdk: error: GPU 0 cannot be counted: librocprofiler64 counts on it in "
                      "this process"] * 2])


def owners_tools():
    """Tools of both generations count the same program: the SDK's context was there first. Whichever
    library gets the runtime's table first, all kernels run and the SDK's counts are right."""
    older = f"{build}/samples/lib/libsample-v1-dispatches.so"
    libraries = [f"{build}/lib/librocprofiler-register.so.0", f"{build}/lib/librocprofiler64.so.1"]
    for order in (libraries, libraries[::-1]):
        out, errors = run(f"{here}/libcount_tool.so", SHAPES, HSA_TOOLS_LIB=" ".join(order),
                          ROCP_TOOL_LIB=older, ROCP_HSA_INTERCEPT="1", ROCP_METRICS=METRICS)
        expect(out, [DONE, line(9, 9)])
        told = [e for e in errors if "cannot count while librocprofiler-sdk does on its GPU" in e]
        expect([str(len(told)), *[e for e in errors if "in all" in e]],
               ["1", "rocprofiler: warning: 9 kernels in all were not counted"])


def shapes():
    count(SHAPES, said=DONE, wanted=[line(9, 9)])


def some():
    count(SHAPES, said=DONE, wanted=[line(9, 3)], COUNT_EVERY="4")


def traced():
    count(SHAPES, said=DONE, wanted=[line(9, 9), "9 traced"], COUNT_TRACE="1")


def leaving():
    """The program ends while 20 kernels are under way: all are told of."""
    count(SHAPES, "leave", said=DONE, wanted=[line(29, 29)])


def buffer():
    """A buffer that is too small: what is not delivered is counted as dropped."""
    for size in ("4096", "1000000"):
        out, _ = run(f"{here}/libcount_tool.so", SHAPES, "leave", COUNT_BUFFER=size)
        expect(out, [DONE, "29 launched, 29 asked for, records all accounted for, 0 wrong"])


def streams_with(every):
    out, _ = run(f"{here}/libcount_tool.so", STREAMS, COUNT_EVERY=str(every))
    launched = int(out[1].split()[0])
    if launched < LAUNCHES:
        sys.exit(f"{launched} launched, expected {LAUNCHES} at least")
    expect(out, ["streams: 0 failures", line(launched, (launched + every - 1) // every)])


def streams():
    streams_with(1)


def streams_some():
    """Counted ones alone, others beside each other."""
    streams_with(5)


def cross():
    count(queues, kernels, "cross", said="20 of 20 rounds", wanted=[line(40, 40)])


def parts():
    """Workgroups that the end of the grid cuts: the tool works out their waves."""
    count(queues, kernels, "parts", said="6 of 6 shapes", wanted=[line(6, 6)])


def repeated():
    """Below a tool whose handler hands over eight dispatches at once."""
    tools = f"{build}/lib/librocprofiler-register.so.0 {here}/librepeat_tool.so"
    count(queues, kernels, "parts", said="6 of 6 shapes", wanted=[line(48, 48)],
          HSA_TOOLS_LIB=tools)


def cross_some():
    count(queues, kernels, "cross", said="20 of 20 rounds", wanted=[line(40, 14)], COUNT_EVERY="3")


def fail():
    """A queue that fails holds no other up; what it did not finish is said."""
    out, errors = run(f"{here}/libcount_tool.so", queues, kernels, "fail")
    expect(out, ["20 of 20 kernels, 1 failure", line(21, 21, 20)])
    lost = [e for e in errors if "to be counted" in e]
    expect(lost, ["rocprofiler-sdk: warning: 1 dispatches that were to be counted did not finish: "
                  "no values of them"])


def device():
    """40 kernels of two workgroups of 100: two waves each."""
    out, _ = run(f"{here}/libdevice_tool.so", queues, kernels, "cross")
    expect(out, ["20 of 20 rounds", "160 waves, several samples, 0 falls, 0 refusals, "
                                    "records all accounted for"])


def sample_dispatches():
    """shapes: 1+1+2 waves, 7 of 2, 6 of 4, 24 of 4 (210 items), 40 of 4, 5 of 1 and 9 of 2."""
    _, errors = run(f"{build}/samples/lib/libsample-count_dispatches.so", SHAPES)
    if len(errors) != 1 or not errors[0].startswith(
            "counting tool: _Z5touchPi.kd ran 9 times: SQ_WAVES 321 SQ_INSTS_VALU "):
        sys.exit("\n".join(errors))


def sample_device():
    """9 kernels of 321 waves; the runtime copies the code object with kernels of its own."""
    out, errors = run(f"{build}/samples/lib/libsample-count_device.so", SHAPES, bridge=True)
    expect(out, [DONE])
    first = errors[0].split() if errors else []
    if first[:5] != "device tool: after hipDeviceSynchronize: 8".split() or int(first[6]) < 321:
        sys.exit("\n".join(errors))
    expect(errors[1:], ["device tool: 8 records of samples waited for, 0 of others"])


def spm_run(program, *arguments, said, **variables):
    out, errors = run(f"{here}/libspm_tool.so", program, *arguments,
                      ROCPROFILER_SPM_BETA_ENABLED="on", **variables)
    expect(out[:1], [said])
    return out[1:], errors


def spm():
    """Samples of a dispatch together are its waves, whatever the interval, the same in every run, by
    callback and by buffer; a longer interval has fewer of them."""
    asked = "9 launched, 9 asked for, 9 ended, 0 lost, 0 wrong"
    first, _ = spm_run(SHAPES, said=DONE)
    expect(first[:1], [asked])
    for variables in ({}, {"SPM_BUFFER": "1"}):
        again, _ = spm_run(SHAPES, said=DONE, **variables)
        expect(again, first)
    longer, _ = spm_run(SHAPES, said=DONE, SPM_INTERVAL="8192")
    expect(longer[:1], [asked])
    few, many = (int(out[1].split()[0]) for out in (longer, first))
    if not 9 <= few < many:
        sys.exit(f"{few} samples every 8192 clocks, {many} every 64")
    # without the variable
    out, _ = run(f"{here}/libspm_tool.so", SHAPES)
    expect(out, [DONE, "refused: 0 failed"])


def spm_streams():
    """Six streams launch at the same time: each dispatch gets its own samples, of all dies no more than of one."""
    out, _ = spm_run(STREAMS, said="streams: 0 failures", SPM_INTERVAL=str(64 * suite_gpu.XCCS))
    launched = int(out[0].split()[0])
    expect(out[:1], [f"{launched} launched, {launched} asked for, {launched} ended, 0 lost, 0 wrong"])


def spm_leaving():
    """The program ends while kernels are under way; the samples of a long one need more room than
    there is, which is told. So is how many are left, if none ends within a second: the host needs half a second of its
    own for the samples of a kernel on a GPU of eight dies, and more if it has other work. What is being told of when the
    time is over may come too late."""
    out, errors = spm_run(SHAPES, "leave", said=DONE, SPM_INTERVAL="32")
    left = [re.search(r"(\d+) kernels or copies had not finished at the end", e) for e in errors]
    left = sum(int(found[1]) for found in left if found)
    choice = [f"29 launched, 29 asked for, {ended} ended, {ended - 9} lost, 0 wrong"
              for ended in ((29 - left, 28 - left) if left else (29,))]
    expect(out[:1], [out[0] if out[0] in choice else choice[0]])
    if not out[0].endswith(" 0 lost, 0 wrong") and not any("lost samples" in e for e in errors):
        sys.exit("\n".join(errors))


def spm_device():
    """The samples of the whole GPU: all the waves of all kernels (40 of 4, and of those with which
    older runtimes copy code), of no dispatch; as many as are counted. The GPU has room for some thousand
    samples, which a loaded host may fetch late."""
    out, _ = spm_run(queues, kernels, "cross", said="20 of 20 rounds", SPM_DEVICE="160", SPM_INTERVAL="2048")
    expect(out, ["several samples, 160 waves or more, 0 wrong"])


globals()[scenario]()
