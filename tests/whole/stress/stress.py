#!/usr/bin/env python3
"""Real HIP programs on the software GPU under tools that come and programs that go in every way.

usage: stress.py BUILD_DIR order|ways|dlopen|rocprofv3|forks [all]   (STRESS_FORKS=10000: children of "forks")
Without "all", of two programs that ask the same in another order, or with other threads at work, one runs.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import remarks

BUILD, WHAT = sys.argv[1:3]
ALL = "all" in sys.argv[3:]
HERE = f"{BUILD}/tests/whole/stress"
LIB = f"{BUILD}/lib"
SOFTGPU, BRIDGE = f"{LIB}/softgpu/libsoftgpu-preload.so", f"{LIB}/librocprofiler-hip-bridge.so"
REGISTER = f"{LIB}/librocprofiler-register.so.0"
PATIENCE = 120  # seconds: hangs are what is looked for

failures = []


def run(command, preload=(BRIDGE,), **variables):
    """Status, standard output, the lines of standard error that are not the GPU's."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("ROCP", "HSA_", "LD_PRE"))}
    environment.update(variables)
    command = [f"{BUILD}/bin/softgpu", "--", "env", "LD_PRELOAD=" + ":".join((SOFTGPU, *preload)),
               *command]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "hangs", "", []
    return done.returncode, done.stdout.strip(), remarks.own(done.stderr).splitlines()


def expect(name, got, wanted):
    if got != wanted:
        failures.append(f"{name}:\n  got      {got}\n  expected {wanted}")


# ---- tools that are found in every way, HSA or HIP first ----

TOOL = f"{HERE}/libsummary_tool.so"
WHOLE = "summary: 8 HIP, some HSA, 1 dispatches, 2 copies, named kernels, 0 lost"


def missed(names):
    return (f"rocprofiler-register: warning: {names} registered before a profiling tool was there: "
            "calls, queues and code objects of until then are missed")


def unused():
    return (f"rocprofiler-sdk: warning: nothing was traced: {TOOL} was loaded after the runtimes "
            "had started and did not call rocprofiler_force_configure")


def order():
    second = "summary: 8 HIP, some HSA, 1 dispatches, 2 copies, unnamed kernels, 0 lost"
    for first in ("hsa", "hip"):
        program = [f"{HERE}/order", first]

        def case(name, lines, program=program, **how):
            expect(f"{first} first, {name}", run(program, **{"HSA_TOOLS_LIB": REGISTER, **how}),
                   (0, "right", lines))

        if first == "hip" and not ALL:  # what differs then is what a tool finds that comes late
            case("opened at middle 1", [missed("hip_compiler, hip, hsa"), "summary: 0 HIP, some HSA, 0 dispatches, 0 copies, "
                                        "unnamed kernels, 0 lost"], program=[*program, TOOL, "middle"], SUMMARY_FORCE="1")
            continue
        case("no tool", [])
        case("listed", [WHOLE], ROCP_TOOL_LIBRARIES=TOOL)
        case("preloaded", [WHOLE], preload=(BRIDGE, TOOL))
        case("linked", [WHOLE], program=[f"{HERE}/order_linked", first])
        # the runtime by itself neither registers nor is made to
        status, out, lines = run(program, preload=(TOOL,))
        expect(f"{first} first, nothing registers", (status, out, len(lines)), (0, "right", 1))
        if not re.match(f"rocprofiler-sdk: warning: nothing was traced for {TOOL}: .*/lib.*64.so.* "
                        "does not register", lines[0] if lines else ""):
            failures.append(f"{first} first, nothing registers: {lines}")
        # opened by the program: code that HIP registers before main is gone by any reckoning
        for forced in ("", "1"):
            how = {"SUMMARY_FORCE": forced} if forced else {}
            for when in ("start", "middle", "end"):
                early = "hip_compiler" if when == "start" else "hip_compiler, hsa"
                lines = [missed(early), WHOLE]
                if first == "hip" and when == "middle" or when == "end":
                    every = "hip_compiler, hsa, hip" if first == "hsa" else "hip_compiler, hip, hsa"
                    lines = [missed(every), second] if forced else [unused()]
                    if forced and when == "middle":
                        lines[1] = ("summary: 0 HIP, some HSA, 0 dispatches, 0 copies, unnamed "
                                    "kernels, 0 lost")
                case(f"opened at {when} {forced}", lines, program=[*program, TOOL, when], **how)


# ---- a library with kernels, opened by a program that knows nothing of HIP ----

def dlopen():
    got = run([f"{BUILD}/tests/bin/hip_loader", f"{BUILD}/tests/whole/hip/plugin-O2"],
              HSA_TOOLS_LIB=REGISTER, ROCP_TOOL_LIBRARIES=TOOL, SUMMARY_KERNEL="triple")
    expect("opened with RTLD_LOCAL", got[:2], (0, "plugin: 128 checked, 0 wrong"))
    lines = got[2]
    if len(lines) != 1 or not re.fullmatch(
            r"summary: \d+ HIP, some HSA, 1 dispatches, \d+ copies, named kernels, 0 lost", lines[0]):
        failures.append(f"opened with RTLD_LOCAL: {lines}")


# ---- ways out ----

# way: its status (negative: a signal); do threads rest at the end; is the tool told of its end
WAYS = {
    "return": (20, True, True), "late": (20, True, True), "thread": (23, True, True),
    "exit-busy": (24, False, True), "thread-busy": (23, False, True),
    "_exit": (21, True, False), "_exit-busy": (21, False, False), "quick_exit": (22, True, False),
    "abort": (-signal.SIGABRT, True, False), "abort-busy": (-signal.SIGABRT, False, False),
    "kill": (-signal.SIGKILL, True, False), "kill-busy": (-signal.SIGKILL, False, False),
    "term": (-signal.SIGTERM, True, False), "term-busy": (-signal.SIGTERM, False, False),
    "exec": (25, True, False), "exec-busy": (25, False, False),
    "fork-before": (20, True, True), "fork-before-_exit": (20, True, True),
    "fork-after-_exit": (20, True, True),
    "fork-busy": (24, False, True),
}


def ways():
    for way, (status, rests, told) in WAYS.items():
        if ALL:
            expect(f"{way} bare", run([f"{HERE}/ways", way], preload=()), (status, "", []))
        elif way + "-busy" in WAYS:  # which is the harder one
            continue
        got = run([f"{HERE}/ways", way], HSA_TOOLS_LIB=REGISTER,
                  ROCP_TOOL_LIBRARIES=f"{HERE}/libways_tool.so")
        expect(f"{way}", got[:2], (status, ""))
        exact = "sums: exact, 0 lost of lossless, some"
        if not told:
            expect(way, got[2], [])
        elif rests:
            # a child that worked tells of its own sums
            expect(way, got[2], [exact] * (2 if way == "fork-before" else 1))
        else:
            lines = [x for x in got[2] if x.startswith("sums:")]
            if not lines or "calls after the end" in str(got[2]) or not re.fullmatch(
                    "sums: .*, 0 lost of lossless, some", lines[-1]):
                failures.append(f"{way}: {got[2]}")


def rocprofv3():
    for way, (status, _, _) in WAYS.items():
        with tempfile.TemporaryDirectory() as folder:
            command = [f"{BUILD}/bin/rocprofv3", "--gpu", "soft", "-d", folder, "-s", "--",
                       f"{HERE}/ways", way]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                failures.append(f"rocprofv3 {way}: hangs")
                continue
            expect(f"rocprofv3 {way}", done.returncode, 128 - status if status < 0 else status)
            found = re.findall(r"process \d+: (\d+) records received, (\d+) written, (\d+) dropped, (\d+) filtered",
                               done.stderr)
            if not found or any(int(r) != int(w) + int(d) + int(f) for r, w, d, f in found):
                failures.append(f"rocprofv3 {way}: {done.stderr}")


# ---- threads that use the GPU and fork: STRESS_FORKS children in all ----

def forks():
    number = os.environ.get("STRESS_FORKS", "160" if ALL else "48")
    with tempfile.TemporaryDirectory() as folder:
        command = [f"{BUILD}/bin/rocprofv3", "--gpu", "soft", "-d", folder, "-s", "--", f"{HERE}/forks", number]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + int(number))
        expect("forks", (done.returncode, done.stdout), (0, f"{number} children, 0 hung, 0 ended otherwise\n"))
        if done.returncode:
            failures.append(done.stderr)


globals()[WHAT]()
if failures:
    sys.exit("\n".join(failures))
