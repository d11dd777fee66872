#!/usr/bin/env python3
"""An installation that was moved: other projects build against it, its commands run from it.

usage: install.py SOURCE_DIR BUILD_DIR [HIPCC]
"""
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, build = sys.argv[1:3]
hipcc = sys.argv[3] if len(sys.argv) > 3 else None
here = os.path.dirname(os.path.abspath(__file__))


def run(command, cwd=None, **variables):
    """Standard output and error of a command that must succeed."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("ROCP", "HSA_", "LD_", "CMAKE_PREFIX", "PKG_CONFIG"))}
    environment.update(variables)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True,
                          timeout=240)
    if done.returncode:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


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
        expect(found, ["$ORIGIN"])


def outside_by_cmake(root, work):
    run(["cmake", "-S", here + "/outside", "-B", work, f"-DCMAKE_PREFIX_PATH={root}",
         f"-DSAMPLES={source}/samples"])
    run(["cmake", "--build", work])
    run([work + "/registers"])
    expect(run([work + "/steps"]), ("1.414216\n", ""))
    out, story = run([work + "/steps"], ROCP_TOOL_LIBRARIES=work + "/libmarkers.so")
    expect((out, story.splitlines()[0], len(story.splitlines())),
           ("1.414216\n", "markers: begin solve", 11))


def outside_by_pkg_config(root, work):
    os.makedirs(work)
    where = root + "/lib/pkgconfig"
    for package in ("rocprofiler-register", "rocprofiler-sdk", "rocprofiler-sdk-roctx"):
        run(["pkg-config", "--validate", package], PKG_CONFIG_PATH=where)
    flags = run(["pkg-config", "--cflags", "--libs", "rocprofiler-sdk-roctx"],
                PKG_CONFIG_PATH=where)[0].split()
    run(["cc", f"{source}/samples/roctx/steps.c", "-o", work + "/steps", *flags, "-pthread"])
    expect(run([work + "/steps"], LD_LIBRARY_PATH=root + "/lib"), ("1.414216\n", ""))


def functions(directory, name):
    with open(glob.glob(f"{directory}/*_{name}.csv")[0], newline="") as f:
        return [row.get("Function") or row["Kernel_Name"] for row in csv.DictReader(f)]


def commands(root, work):
    out = work + "/traced"
    run([root + "/bin/rocprofv3", "--marker-trace", "-d", out, "-o", "x", "--",
         work + "/steps"])
    expect(len(functions(out, "marker_api_trace")), 8)
    expect("mi210" in run([root + "/bin/softgpu", "--list-profiles"])[0], True)
    if not hipcc:
        return
    run([hipcc, "--offload-arch=gfx90a", "-O2", "-I" + root + "/include",
         "-DMARKER_HEADER=<rocprofiler-sdk-roctx/roctx.h>", source + "/tests/roctx/marked.hip",
         "-o", work + "/marked", "-L" + root + "/lib", "-lrocprofiler-sdk-roctx",
         "-Wl,-rpath," + root + "/lib"])
    run([root + "/bin/softgpu", work + "/marked"])
    out = work + "/gpu"
    run([root + "/bin/rocprofv3", "--gpu", "soft", "--sys-trace", "-d", out, "-o", "x", "--",
         work + "/marked"])
    expect([name.split("(")[0] for name in functions(out, "kernel_trace")], ["scale", "add", "add"])
    expect(functions(out, "marker_api_trace")[0], "begin")


with tempfile.TemporaryDirectory(prefix="crocprof-install-") as directory:
    run(["cmake", "--install", build, "--prefix", directory + "/first"])
    moved = directory + "/moved/elsewhere"
    os.makedirs(directory + "/moved")
    shutil.move(directory + "/first", moved)
    no_foreign_paths(moved)
    outside_by_cmake(moved, directory + "/cmake")
    outside_by_pkg_config(moved, directory + "/pkg")
    commands(moved, directory + "/cmake")
