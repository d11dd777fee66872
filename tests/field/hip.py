#!/usr/bin/env python3
# field: bookworm trixie forky experimental
# field-ci: forky
# field-waves32: forky
# field-timeout: 1800
"""Our own HIP programs, built by the suite's hipcc for every version of code objects that it has: bare, under
--sys-trace, with counters, under the first generation's rocprof. Their whole output is tests/whole/hip/expected's, and
what was counted is what follows from the dispatches' sizes."""
import csv
import os
import re
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "field", "support"))
import field

f = field.Field()
VERSIONS = (4, 5, 6)
# printf needs the host's services, generic and private what code objects say of memory, lanes cross-lane operations
PROGRAMS = ["vectoradd", "printf", "reduction", "generic"] if f.small else \
    ["vectoradd", "matmul", "reduction", "histogram", "transpose", "stencil", "math", "lanes", "division", "private",
     "nbody", "generic", "cooperative", "printf", "streams", "copies", "symbols", "launchers", "hostatomics", "limits"]
if not f.small and f.suite in ("forky", "experimental"):  # HIP 5 has the functions, and refuses them
    PROGRAMS.append("vmm")
# not for GPUs with waves of 32 lanes: workgroups of printf have two waves there, which print in any order; of hostatomics LLVM
# makes an atomic addition of floats that these GPUs ignore in fine-grained memory; limits prints how much memory an MI210 has
NOT_NARROW = {"printf", "hostatomics", "limits"}
if f.wave == 32:
    PROGRAMS = [name for name in PROGRAMS if name not in NOT_NARROW]
LEAVING = {"vmm"}  # those with a process that ends by _exit, and then the first generation's tools write nothing


def versions():
    """The versions of code objects that hipcc makes; the small set takes the newest."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "empty.hip")
        with open(source, "w") as file:
            file.write("__global__ void nothing() {}\n")
        made = []
        for version in VERSIONS:
            if f.run(compiler(source, os.path.join(folder, "o"), version, "--cuda-device-only", "-c")).status == 0:
                made.append(version)
            elif not f.small:
                f.skip(f"code objects V{version}", "this suite's compiler does not make them")
    return made[-1:] if f.small else made


def compiler(source, output, version, *options):
    return ["hipcc", f"--offload-arch={f.target}", "-O2", f"-mcode-object-version={version}", *options, source, "-o", output,
            "-pthread"]


def hip_version():
    """HIP's own, of which some answers are: (major, minor)."""
    found = re.search(r"HIP version: (\d+)\.(\d+)", f.run(["hipcc", "--version"]).out)
    return tuple(map(int, found.groups())) if found else (0, 0)


def expected(program):
    """That of its expectations that is the GPU's, PROGRAM.gfx1100.txt; else the newest that is no newer than HIP:
    PROGRAM.txt, PROGRAM.hip5.7.txt, PROGRAM.hip6.txt."""
    folder = os.path.join(TESTS, "whole", "hip", "expected")
    own = os.path.join(folder, f"{program}.{f.target}.txt")
    if os.path.exists(own):
        with open(own) as file:
            return file.read()
    newer = {tuple(map(int, m[1].split("."))): m[0] for m in
             (re.fullmatch(re.escape(program) + r"\.hip([\d.]+)\.txt", name) for name in os.listdir(folder)) if m}
    since = max((version for version in newer if version <= hip), default=None)
    with open(os.path.join(folder, newer.get(since, program + ".txt"))) as file:
        return file.read()


def judged(run, program):
    if run.why():
        return run.why()
    return "" if run.out == expected(program) else f"its output differs: {run.out[-200:]!r}"


def waves_of(row):
    """How many waves a dispatch of the trace has: each of its workgroups, the last in a dimension often smaller."""
    sizes = []
    for axis in "XYZ":
        grid, group = int(row["Grid_Size_" + axis]), int(row["Workgroup_Size_" + axis])
        sizes.append([(grid // group, group)] + ([(1, grid % group)] if grid % group else []))
    return sum(nx * ny * nz * -(-(x * y * z) // f.wave) for nx, x in sizes[0] for ny, y in sizes[1] for nz, z in sizes[2])


def traced_waves(trace):
    sums = {}
    for row in trace.rows("kernel_trace"):
        sums[row["Kernel_Name"]] = sums.get(row["Kernel_Name"], 0) + waves_of(row)
    return sums


def first_generation(command, name, program, sums, own):
    """rocprof counts the same waves, and perhaps some of the runtime's own: it has one line for each dispatch."""
    jobs, out = f.path(name + ".txt"), f.path(name + ".csv")
    with open(jobs, "w") as file:
        file.write("pmc: SQ_WAVES\n")
    run = f.run([f"{f.build}/bin/rocprof", "--gpu", "soft", "-i", jobs, "-o", out, *command])
    if judged(run, program):
        return judged(run, program)
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    counted, dispatched = sum(int(float(row["SQ_WAVES"])) for row in rows), sum(sums.values())
    return "" if 0 <= counted - dispatched <= own else f"{counted} waves counted, {dispatched} dispatched"


def try_program(program, version):
    name, file = f"{program} V{version}", f.path(f"{program}-V{version}")
    built = f.run(compiler(f"{TESTS}/whole/hip/programs/{program}.hip", file, version), timeout=300)
    if not f.case(f"{name} built", built.why()):
        return
    bare = f.soft([file], "--stats")
    if not f.case(f"{name} bare", judged(bare, program)):
        return
    own = field.own_waves(bare.err)
    trace = f.traced(file + ".trace", [file])
    sums = traced_waves(trace)
    f.case(f"{name} trace", judged(trace.run, program) or trace.losses() or ("" if sums else "no kernel is in the trace"))
    counted = f.counted(file + ".count", [file])
    found = {kernel: int(n) for kernel, n in counted.counters().get("SQ_WAVES", {}).items()}
    f.case(f"{name} counters", judged(counted.run, program) or counted.losses() or
           field.counted_otherwise(sums, found, own))
    if program in LEAVING:
        f.skip(f"{name} v1", "a process of it ends by _exit, which writes no results of the first generation")
        return
    f.case(f"{name} v1", first_generation([file], os.path.basename(file) + ".v1", program, sums, own))


if f.needs({"hipcc": "hipcc"}):
    hip, made = hip_version(), versions()
    f.case("hipcc makes code objects", "" if made else f"of none of the versions {VERSIONS}")
    for each in made:
        for program_name in PROGRAMS:
            try_program(program_name, each)
f.finish()
