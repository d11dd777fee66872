#!/usr/bin/env python3
# field: trixie
# field-timeout: 600
# field-alone: what it installs the others would find
"""The Debian package, made in the suite by `make deb`'s cpack: apt installs it with what it depends on, it profiles
the demo from where it is installed, and once it is purged no file of the system is there that was not before."""
import glob
import os
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "field", "support"))
import field

f = field.Field()
# whose contents are the package manager's and the linker's own
NOT_OURS = ("/var/lib/dpkg", "/var/lib/apt", "/var/cache/apt", "/var/cache/man", "/var/cache/ldconfig", "/var/log")
APT = ["apt-get", "-y", "-qq", "--no-install-recommends"]
QUIET = {"DEBIAN_FRONTEND": "noninteractive"}


def system():
    """Every file, directory and link of the system's folders."""
    found = set()
    for root in ("/usr", "/etc", "/opt", "/var"):
        for directory, directories, names in os.walk(root):
            directories[:] = [d for d in directories if os.path.join(directory, d) not in NOT_OURS]
            found.update(os.path.join(directory, n) for n in names + directories)
    return found


def make_package():
    run = f.run(["cpack", "--config", f"{f.build}/CPackConfig.cmake", "-B", f.out], timeout=300, directory=f.build)
    packages = glob.glob(f.path("*.deb"))
    f.case("package made", run.why() or ("" if packages else "there is no file"), run.seconds)
    return packages[0] if packages else None


def missing_words(run, words):
    return run.why() or "".join(f"no {word} in the output" for word in words if word not in run.out + run.err)


def use(program):
    """From where the package has put them, by the names that a user types."""
    for name in ("rocprofv3", "softgpu", "rocpd", "rocprofv3-avail", "rocprofv3-doctor"):
        at = shutil.which(name)
        f.case(f"{name} is found", "" if at and at.startswith("/usr/bin/") else f"at {at}")
        f.case(f"{name} --help", missing_words(f.run([name, "--help"]), ["sage"]))
    bare = f.run(["softgpu", "--", program])
    f.case("demo bare", missing_words(bare, ["matmul", "right"]))
    trace = f.run(["rocprofv3", "--gpu", "soft", "-s", "--pmc", "SQ_WAVES", "-f", "csv", "rocpd", "-d", f.path("out"),
                   "-o", "t", "--", program])
    kernels = field.Trace(f.path("out"), trace)
    f.case("demo traced and counted", trace.why() or kernels.losses() or
           field.differences({"matmul_tiled": 1, "jacobi_step": 50}, named(kernels)))
    query = f.run(["rocpd", "query", "-i", f.path("out/t_results.db"), "--query",
                   "SELECT name, total_calls FROM top_kernels"])
    f.case("demo's database queried", missing_words(query, ["jacobi_step"]))


def named(trace):
    """Dispatches of the demo's own kernels, by the names without arguments."""
    return {name: n for k, n in trace.dispatches().items() if (name := k.split("(")[0]) in ("matmul_tiled", "jacobi_step")}


def main():
    program = f.path("demo")
    built = f.run(["hipcc", "--offload-arch=gfx90a", "-O3", f"{SOURCE}/samples/demo/demo.hip", "-o", program])
    package = make_package()
    if not f.case("demo built", built.why()) or not package:
        return
    depends = subprocess.run(["dpkg-deb", "-f", package, "Depends"], check=True, capture_output=True, text=True).stdout
    f.run(APT + ["update"], env=QUIET)
    met = f.run(APT + ["satisfy", depends.strip()], env=QUIET)
    if not f.case("what it depends on", met.why()):
        return
    before = system()
    installed = f.run(APT + ["install", package], env=QUIET)
    try:
        if f.case("installed", installed.why()):
            use(program)
    finally:
        removed = f.run(APT + ["purge", "crocprof"], env=QUIET)
    left = sorted(system() - before)
    f.case("purged without a trace", removed.why() or ("left: " + " ".join(left[:5]) if left else ""))


if f.needs({"hipcc": "hipcc", "cpack": "cmake", "dpkg-shlibdeps": "dpkg-dev"}):
    main()
f.finish()
