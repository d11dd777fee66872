#!/usr/bin/env python3
"""PAPI and LIKWID as Debian has their sources, built against this tree, their own tests on softgpu.

usage: clients.py BUILD [papi] [likwid]

Sources come from Debian's newer suites by apt, into BUILD/clients; the signed index says what they
are. Without a network what is there is used, or the client is skipped, which is said. A table of
client, test and result is printed; the exit status is 1 if a result is not the expected one.
"""
import os
import re
import shutil
import subprocess
import sys

SUITES = ["sid", "forky", "trixie"]
LIMIT_S = 300  # of one test program; of a build step thrice that
# Results that are the client's or the runtime's own. ROCr 5 brings code to a GPU by its way of copying within that
# GPU, which is always a kernel (RegionMemory::Freeze, GpuAgent::DmaCopy); newer ones have the host write it.
COPIES = "known: ROCr 5 copies code with a kernel, on any GPU: 64 waves more"
KNOWN = {f"PAPI rocm sample_{which}_monitoring": COPIES
         for which in ("single_kernel", "single_thread", "multi_kernel", "multi_thread")}
# PAPI's tests that skip themselves in their first line, and what comes of them without it.
SKIPPED = ["hl_intercept_single_thread_monitoring", "hl_intercept_multi_thread_monitoring",
           "hl_sample_single_thread_monitoring"]
KNOWN[f"PAPI rocm {SKIPPED[2]}, not skipped"] = "known: its threads are detached, main ends while they are in HIP"

build = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
place = os.path.join(build, "clients")
root = os.path.join(place, "root")
softgpu = os.path.join(build, "bin/softgpu")
rows = []


class Missing(Exception):
    """Why a client cannot be tried here."""


def change(path, *changes):
    """What a test takes too much of for softgpu, or has wrong: pairs of a pattern and what comes there."""
    with open(path) as file:
        text = file.read()
    for pattern, new in changes:
        text = re.sub(pattern, new, text)
    with open(path, "w") as file:
        file.write(text)


def run(words, where, log, env=None, limit=3 * LIMIT_S):
    """A build step: its output goes to a file, whose end is shown if it fails."""
    path = os.path.join(place, log)
    with open(path, "a") as out:
        done = subprocess.run(words, cwd=where, stdout=out, stderr=subprocess.STDOUT, timeout=limit,
                              env={**os.environ, **(env or {})})
    if done.returncode:
        with open(path) as out:
            sys.stderr.writelines(out.readlines()[-20:])
        raise Missing(f"{' '.join(words[:3])}: status {done.returncode}, see {path}")


def apt(*words, check=True):
    config = os.path.join(place, "apt/apt.conf")
    if not os.path.exists(config):
        for folder in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(place, "apt", folder), exist_ok=True)
        key = "/usr/share/keyrings/debian-archive-keyring.gpg"
        with open(os.path.join(place, "apt/sources.list"), "w") as file:
            file.writelines(f"deb-src [signed-by={key}] http://deb.debian.org/debian {suite} main\n"
                            for suite in SUITES)
        with open(config, "w") as file:
            file.write(f'Dir::Etc::SourceList "{place}/apt/sources.list";\nDir::Etc::SourceParts "-";\n'
                       f'Dir::State::Lists "{place}/apt/lists";\nDir::Cache "{place}/apt/cache";\n'
                       'APT::Sandbox::User "root";\n')
    done = subprocess.run(words, cwd=place, env={**os.environ, "APT_CONFIG": config}, text=True,
                          capture_output=True, timeout=LIMIT_S)
    if check and done.returncode:
        raise Missing(f"{words[0]} {words[1]}: {(done.stderr.splitlines() or ['failed'])[-1]}")
    return done.stdout


def unpacked(package):
    """The folder with the newest sources that can be had: the original's, without Debian's patches."""
    folder = os.path.join(place, package)
    if os.path.isdir(folder):
        return folder
    def versions():
        told = apt("apt-cache", "showsrc", package, check=False)
        return re.findall(r"^Version: (?:\d+:)?(\S+)", told, re.M)

    if not versions():
        apt("apt-get", "update")
    for version in versions():
        apt("apt-get", "source", "--download-only", f"{package}={version}", check=False)
        start = f"{package}_{version.rsplit('-', 1)[0]}.orig.tar."
        found = [name for name in os.listdir(place) if name.startswith(start)]
        if found:
            os.makedirs(folder + ".new", exist_ok=True)
            run(["tar", "xf", os.path.join(place, found[0]), "--strip-components=1"], folder + ".new",
                f"{package}.log")
            os.rename(folder + ".new", folder)
            return folder
    raise Missing(f"no sources of {package} can be had from {', '.join(SUITES)}")


def make_root():
    """What these clients expect as /opt/rocm."""
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("include", "lib"):
        os.makedirs(os.path.join(root, folder))
    for name in os.listdir(os.path.join(source, "include")):
        os.symlink(os.path.join(source, "include", name), os.path.join(root, "include", name))
    for name in ("hsa", "hip"):
        os.symlink(f"/usr/include/{name}", os.path.join(root, "include", name))
    for name in os.listdir(os.path.join(build, "lib")):
        os.symlink(os.path.join(build, "lib", name), os.path.join(root, "lib", name))
    for name in os.listdir("/usr/lib/x86_64-linux-gnu"):
        if re.match(r"lib(hsa-runtime64|amdhip64)\.so", name):
            os.symlink(f"/usr/lib/x86_64-linux-gnu/{name}", os.path.join(root, "lib", name))


def tell(client, test, result, ok):
    known = KNOWN.get(f"{client} {test}")
    rows.append((client, test, result if ok or not known else f"{result}; {known}", ok or bool(known)))


def program(words, where, env):
    """Exit status (None: too slow) and output of a test program on softgpu."""
    try:
        done = subprocess.run([softgpu, "--", *words], cwd=where, env={**os.environ, **env}, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S)
    except subprocess.TimeoutExpired as late:
        return None, str(late.output)
    return done.returncode, done.stdout


def papi_result(client, test, status, out, counts=None):
    verdict = next((v for v in ("PASSED", "SKIPPED") if status == 0 and v in out), None)
    if verdict is None:
        lines = [line for line in out.splitlines() if line.startswith("Line #")]
        tell(client, test, f"failed: {lines[-1] if lines else f'status {status}'}", False)
    elif verdict == "PASSED" and counts and not any(float(n) for n in re.findall(counts, out)):
        tell(client, test, "passed, but all it counted is 0", False)
    else:
        tell(client, test, verdict.lower(), True)


def papi():
    folder = os.path.join(unpacked("papi"), "src")
    env = {"PAPI_ROCM_ROOT": root, "PAPI_ROCP_SDK_ROOT": root, "HIPCC": "hipcc"}
    jobs = f"-j{os.cpu_count()}"
    if not os.path.exists(f"{folder}/libpapi.so"):
        run(["./configure", "--with-components=rocm rocp_sdk"], folder, "papi.log", env)
        run(["make", "-C", "libpfm4/lib", jobs], folder, "papi.log", env)
        run(["make", "libpapi.so", "libpapi.a"], folder, "papi.log", env)
        run(["make", "-C", "testlib"], folder, "papi.log", env)
    shared = next(name for name in os.listdir(folder) if re.fullmatch(r"libpapi\.so\.\d+\.\d+", name) or
                  re.fullmatch(r"libpapi\.so\.\d+(\.\d+){3}", name))
    short = ".".join(shared.split(".")[:4])
    if not os.path.exists(f"{folder}/{short}"):
        os.symlink(shared, f"{folder}/{short}")
    libraries = f"{folder}/testlib/libtestlib.a {folder}/libpapi.so -pthread"
    env["LD_LIBRARY_PATH"] = f"{folder}:{folder}/libpfm4/lib:{root}/lib"

    tests = f"{folder}/components/rocm/tests"
    change(f"{tests}/matmul.h", (r"(#define ROWS\s+)\(\d+\)", r"\1(256)"))
    for test in SKIPPED:
        change(f"{tests}/{test}.cpp", (r"\n    test_skip\(", '\n    if (!getenv("EVERY_TEST")) test_skip('))
    start = f"{place}/papi_tests.o"
    run(["hipcc", "--offload-arch=gfx90a", "-O2", "-c", f"{source}/tests/oracle/clients/papi_tests.hip", "-o", start], tests,
        "papi.log")
    run(["make", jobs, "HIPCC=hipcc", f"PAPI_ROCM_ROOT={root}", "OPTFLAGS=-O2 --offload-arch=gfx90a",
         "LDFLAGS=--offload-arch=gfx90a -Wl,--wrap=PAPI_start", f"LDLIBS={start} {libraries}", "ALL"], tests,
        "papi.log", env)
    for test in sorted(name for name in os.listdir(tests) if name.endswith("monitoring")):
        ways = [("", {})]
        if test in SKIPPED:
            ways.append((", not skipped", {"EVERY_TEST": "1"}))
        elif f"PAPI rocm {test}" in KNOWN:
            ways.append((", code on the GPU before", {"LOAD_CODE": "1"}))
        for how, more in ways:
            papi_result("PAPI rocm", test + how, *program([f"./{test}"], tests, {**env, **more}))

    tests = f"{folder}/components/rocp_sdk/tests"
    change(f"{tests}/kernel.cpp", (r"i<1000000\b", "i<20000"))
    run(["make", "AMDCXX=hipcc", "GPUARCH=gfx90a", "ARCHFLAG=--offload-arch=gfx90a",
         "GPUFLAGS=--offload-arch=gfx90a", f"PAPILIB={folder}/libpapi.so", "template_tests"], tests,
        "papi.log", env)
    del env["PAPI_ROCM_ROOT"] # with it the other component has HSA load librocprofiler64 alone
    env["HSA_TOOLS_LIB"] = "librocprofiler-register.so.0" # ROCr 5 does not register by itself
    env["SOFTGPU_GPUS"] = "2"
    for mode, more in (("dispatch", {"PAPI_ROCP_SDK_DISPATCH_MODE": "1"}), ("sampling", {})):
        for test in ("simple", "advanced", "two_eventsets", "simple_sampling"):
            papi_result(f"PAPI rocp_sdk, {mode}", test, *program([f"./{test}"], tests, {**env, **more}),
                        r"device=0.*: ([0-9.]+)")


def extracted(packages):
    """Development files that only this client needs, out of this Debian's packages: nothing is installed."""
    folder = os.path.join(place, "debs")
    if not os.path.isdir(folder):
        os.makedirs(folder + ".new", exist_ok=True)
        run(["apt-get", "download", *packages], folder + ".new", "likwid.log")
        for name in os.listdir(folder + ".new"):
            run(["dpkg", "-x", name, "."], folder + ".new", "likwid.log")
        os.rename(folder + ".new", folder)
    return os.path.join(folder, "usr")


def likwid():
    folder = unpacked("likwid")
    usr = extracted(["libhwloc-dev", "libhwloc15", "liblua5.3-dev", "liblua5.3-0", "librocm-smi-dev"])
    libraries = f"{usr}/lib/x86_64-linux-gnu"
    include = os.path.join(root, "include")
    os.symlink(f"{usr}/include/rocm_smi", f"{include}/rocm_smi")
    os.makedirs(f"{include}/amd_smi") # of which LIKWID wants a version number, if there is one
    with open(f"{include}/amd_smi/amdsmi.h", "w"):
        pass
    run(["gcc", "-shared", "-fPIC", f"{source}/tests/oracle/clients/no_smi.c", "-o", f"{root}/lib/librocm_smi64.so"],
        folder, "likwid.log")
    env = {"CPATH": f"{usr}/include/x86_64-linux-gnu:{usr}/include:{usr}/include/lua5.3", "LIBRARY_PATH": libraries}
    run(["make", f"-j{os.cpu_count()}", "ROCM_INTERFACE=true", f"ROCM_HOME={root}", "ACCESSMODE=perf_event",
         f"LUA_INCLUDE_DIR={usr}/include/lua5.3", f"LUA_LIB_DIR={libraries}", "LUA_LIB_NAME=lua5.3",
         f"HWLOC_INCLUDE_DIR={usr}/include", f"HWLOC_LIB_DIR={libraries}", "HWLOC_LIB_NAME=hwloc",
         f"PREFIX={place}", "liblikwid.so"], folder, "likwid.log", env)
    test = f"{folder}/test/test-rocmon-triad"
    # names of events have a prefix, which LIKWID's own test does not know
    change(f"{test}.cpp", (r"248 \* 1024 \* 1024", "256 * 1024"),
           (r'"GRBM_GUI_ACTIVE:_,GRBM_COUNT:_,TCC_HIT_sum:_", &gid',
            '"ROCP_GRBM_GUI_ACTIVE:ROCM0,ROCP_GRBM_COUNT:ROCM1,ROCP_TCC_HIT_sum:ROCM2", &gid'))
    for name in (test, f"{test}-marker"):
        run(["hipcc", "--offload-arch=gfx90a", "-O2", "-std=c++11", f"-I{folder}/src/includes",
             "-DLIKWID_WITH_ROCMON", "-DLIKWID_ROCMON", f"{name}.cpp", "-o", name, f"-L{folder}", "-llikwid",
             "-lm", f"-Wl,-rpath-link,{libraries}"], folder, "likwid.log")
    marks = f"{place}/likwid.marks"
    env = {"LD_LIBRARY_PATH": f"{folder}:{libraries}:{root}/lib", "ROCM_HOME": root,
           "HSA_TOOLS_LIB": "librocprofiler64.so.1", "ROCP_METRICS": f"{build}/lib/rocprofiler/metrics.xml",
           "LIKWID_ROCMON_GPUS": "0", "LIKWID_ROCMON_EVENTS": "ROCP_SQ_WAVES:ROCM0",
           "LIKWID_ROCMON_FILEPATH": marks}
    status, out = program([test], folder, env)
    hits = [float(n) for n in re.findall(r"^ROCP_TCC_HIT_sum: ([0-9.]+)", out, re.M)]
    right = status == 0 and hits and hits == sorted(hits) and hits[0] > 0
    tell("LIKWID rocmon", "test-rocmon-triad", "passed" if right else f"failed: status {status}", right)
    status, out = program([f"{test}-marker", "262144"], folder, env)
    lines = open(marks).read().splitlines() if os.path.exists(marks) else []
    # kernels run on while a region ends, so that they are counted in the next one, or in none
    waves = [float(line.split()[-1]) for line in lines[3:]]
    right = status == 0 and len(lines) == 5 and min(waves) >= 0 and sum(waves) > 0
    tell("LIKWID rocmon", "test-rocmon-triad-marker", "passed" if right else f"failed: status {status}", right)


CLIENTS = {"papi": papi, "likwid": likwid}


def main():
    os.makedirs(place, exist_ok=True)
    make_root()
    for name in sys.argv[2:] or CLIENTS:
        try:
            if not shutil.which("hipcc"):
                raise Missing("no hipcc")
            CLIENTS[name]()
        except Missing as why:
            rows.append((name, "-", f"SKIPPED: {why}", True))
    width = [max(len(row[i]) for row in rows) for i in range(2)]
    for client, test, result, _ in rows:
        print(f"{client:{width[0]}}  {test:{width[1]}}  {result}")
    bad = sum(not row[3] for row in rows)
    print(f"{len(rows)} results, {bad} not as expected")
    sys.exit(bad != 0)


main()
