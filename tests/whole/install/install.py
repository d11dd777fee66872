#!/usr/bin/env python3
"""An installation that was moved: other projects build against it, its commands run from it.

What is installed runs with an empty environment. usage: install.py SOURCE_DIR BUILD_DIR clients|all [HIPCC]
clients: what nobody else asks of an installation; all: each component of a package, the samples, too
"""
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, build, what = sys.argv[1:4]
hipcc = sys.argv[4] if len(sys.argv) > 4 else None
here = os.path.dirname(os.path.abspath(__file__))
COMPONENTS = {"clients": ["rocprofiler-sdk-headers"],
              "all": ["rocprofiler-sdk", "rocprofiler-sdk-headers", "rocprofiler-sdk-shared-library"]}
# Ninja starts the compilers alone, make some ten processes beside each of them
generator = ["-G", "Ninja"] if shutil.which("ninja") else []


def run_bare(command, status=0, **environment):
    """Standard output and error of a command that must end with this status."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def run(command, **variables):
    """The same for compilers and their like: with the caller's environment, less what is ours."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("ROCP", "HSA_", "LD_", "CMAKE_", "PKG_CONFIG"))}
    return run_bare(command, **{**environment, **variables})


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"got      {got}\nexpected {wanted}")


def no_foreign_paths(root):
    """Nothing of the tree names the place that it was built in or installed to."""
    for path in glob.glob(root + "/lib/cmake/**/*.cmake", recursive=True) + \
            glob.glob(root + "/lib/pkgconfig/*.pc"):
        with open(path) as f:
            text = f.read()
        for place in (build, source, root):
            if place in text:
                sys.exit(f"{path} names {place}")
    for path in glob.glob(root + "/lib/**/*.so.*", recursive=True):
        found = re.findall(r"R(?:UN)?PATH.*\[(.*)\]", run(["readelf", "-d", path])[0])
        # from where it lies to lib, where the libraries are that it needs; the tool is loaded by a link, too
        own = "$ORIGIN" + "/.." * (os.path.relpath(path, root + "/lib").count("/"))
        expect(found, ["$ORIGIN:$ORIGIN/.." if "librocprofiler-sdk-tool.so" in path else own])


def outside_by_cmake(root, work):
    run(["cmake", *generator, "-S", here + "/outside", "-B", work, f"-DCMAKE_PREFIX_PATH={root}",
         f"-DSAMPLES={source}/samples",
         f"-DALL={what == 'all'}"])
    run(["cmake", "--build", work])
    run_bare([work + "/registers"])
    expect(run_bare([work + "/steps"]), ("1.414216\n", ""))
    out, story = run_bare([work + "/steps"], ROCP_TOOL_LIBRARIES=work + "/libmarkers.so")
    expect((out, story.splitlines()[0], len(story.splitlines())),
           ("1.414216\n", "markers: begin solve", 11))


def clients_by_cmake(root, work):
    """A project with C, C++ and HIP that uses all of the packages; its own tests run its tools."""
    if not hipcc:
        return
    run(["cmake", *generator, "-S", here + "/clients", "-B", work, f"-DCMAKE_PREFIX_PATH={root}", f"-DHIPCC={hipcc}",
         "-DCOMPONENTS=" + ";".join(COMPONENTS[what])])
    run(["cmake", "--build", work])
    told = run(["ctest", "--test-dir", work, "--output-on-failure"], GPU_FORCE_BLIT_COPY_SIZE="0")[0]
    expect("100% tests passed" in told and f"out of {7 + len(COMPONENTS[what])}" in told, True)


def amds_places(root):
    """Where AMD's installation has something, there is a file or a link that leads to one."""
    for path in ("lib/rocprofiler-sdk/librocprofiler-sdk-tool.so", "lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1",
                 "share/rocprofiler-sdk/counter_defs.yaml", "share/rocprofiler-sdk/basic_counters.xml",
                 "share/rocprofiler-sdk/derived_counters.xml", "share/rocprofiler-sdk/samples/sdk/tool.c",
                 "libexec/rocprofiler-sdk/rocprofiler-sdk-launch-compiler", "share/rocprofiler-sdk/setup-env.sh",
                 "share/modulefiles/rocprofiler-sdk/1.0.0", "share/doc/rocprofiler-sdk/LICENSE",
                 "lib/cmake/rocprofiler-sdk/Modules/FindrocDecode.cmake", "include/rocprofiler-sdk/cxx/operators.hpp",
                 "include/roctracer/ext/prof_protocol.h", "lib/libroctracer64.so.4"):
        expect((path, os.path.exists(f"{root}/{path}")), (path, True))
    told = run(["bash", "-c", ". $0/share/rocprofiler-sdk/setup-env.sh; echo $rocprofiler_sdk_ROOT; "
                "command -v rocprofv3", root])[0]
    expect(told, f"{root}\n{root}/bin/rocprofv3\n")
    launcher = root + "/libexec/rocprofiler-sdk/rocprofiler-sdk-launch-compiler"
    expect(run([launcher, "/bin/echo", "/usr/bin/c++", "/usr/bin/c++", "-c", "a b"])[0], "-c a b\n")
    expect(run([launcher, "/bin/false", "/usr/bin/c++", "/bin/echo", "as it is"])[0], "as it is\n")
    expect(run([launcher, "/bin/echo", "/usr/bin/c++"])[0], "")


def outside_by_pkg_config(root, work):
    os.makedirs(work)
    where = root + "/lib/pkgconfig"
    for package in ("rocprofiler-register", "rocprofiler-sdk", "rocprofiler-sdk-roctx",
                    "rocprofiler", "hsa-amd-aqlprofile"):
        run(["pkg-config", "--validate", package], PKG_CONFIG_PATH=where)
    flags = run(["pkg-config", "--cflags", "--libs", "rocprofiler-sdk-roctx"],
                PKG_CONFIG_PATH=where)[0].split()
    run(["cc", f"{source}/samples/roctx/steps.c", "-o", work + "/steps", *flags, "-pthread"])
    expect(run_bare([work + "/steps"], LD_LIBRARY_PATH=root + "/lib"), ("1.414216\n", ""))


def manual_pages(root):
    """Each page has the options that the program's help lists, and no others."""
    option = r"(?<![\w-])--?[A-Za-z?][\w-]*"
    for program, ask, status in (("softgpu", "--help", 0), ("rocprofv3", "--help", 0),
                                 ("rocprofv3-avail", "--help", 0), ("rocprof", "-h", 1)):
        told = "".join(run_bare([f"{root}/bin/{program}", ask], status))
        told = told.split("Not implemented:")[0]
        lists = re.findall(r"^ +(-.*?)(?:  |$)", told, re.MULTILINE)
        listed = {name for part in lists for name in re.findall(option, part)}
        with open(f"{root}/share/man/man1/{program}.1") as f:
            text = re.sub(r"\\f[A-Z]", "", f.read().replace("\\-", "-"))
        # those of its commands are completion.py's
        text = re.sub(r"^\.SH COMMANDS$.*?(?=^\.SH )", "", text, flags=re.MULTILINE | re.DOTALL)
        described = set(re.findall(option, text))
        expect((program, sorted(listed - described)), (program, []))
        known = set(re.findall(option, told))
        expect((program, sorted(described - known)), (program, []))


def functions(directory, name):
    with open(glob.glob(f"{directory}/*_{name}.csv")[0], newline="") as f:
        return [row.get("Function") or row["Kernel_Name"] for row in csv.DictReader(f)]


def commands(root, work, kernels):
    """What is installed, on the C project's program and libraries, and on the HIP program of clients_by_cmake."""
    out = work + "/traced"
    run_bare([root + "/bin/rocprofv3", "--marker-trace", "-f", "csv", "-d", out, "-o", "x", "--",
              work + "/steps"])
    expect(len(functions(out, "marker_api_trace")), 8)
    expect("mi210" in run_bare([root + "/bin/softgpu", "--list-profiles"])[0], True)
    if not hipcc:
        return
    run_bare([root + "/bin/softgpu", kernels])
    kept = {"SOFTGPU_COMPILED": work + "/kept"}  # what HIP compiles for itself, once for the two programs
    out = work + "/gpu"
    # as in scripts/run-tests: HIP 6 has kernels of its own for small copies
    run_bare([root + "/bin/rocprofv3", "--gpu", "soft", "--sys-trace", "-f", "csv", "-d", out, "-o", "x", "--", kernels],
             GPU_FORCE_BLIT_COPY_SIZE="0", **kept)
    names = [name.split("(")[0] for name in functions(out, "kernel_trace")]
    expect([name for name in names if not name.startswith("__amd_")], ["add", "add"])  # HIP 7 copies by a kernel
    expect(functions(out, "marker_api_trace"), ["both"])
    told = run_bare([root + "/bin/rocprofv3", "--gpu", "soft", "--", kernels],
                    ROCP_TOOL_LIBRARIES=work + "/libcount_dispatches.so", **kept)[1]
    expect(re.findall(r"_Z3add\w+.kd ran (\d) times: SQ_WAVES (\d+)", told), [("2", "2")])  # of one wave


with tempfile.TemporaryDirectory(prefix="crocprof-install-") as directory:
    run(["cmake", "--install", build, "--prefix", directory + "/first"])
    moved = directory + "/moved/elsewhere"
    os.makedirs(directory + "/moved")
    shutil.move(directory + "/first", moved)
    no_foreign_paths(moved)
    amds_places(moved)
    outside_by_cmake(moved, directory + "/cmake")
    clients_by_cmake(moved, directory + "/clients")
    manual_pages(moved)
    outside_by_pkg_config(moved, directory + "/pkg")
    commands(moved, directory + "/cmake", directory + "/clients/kernels")
