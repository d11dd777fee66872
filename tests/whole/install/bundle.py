#!/usr/bin/env python3
"""The bundle: how large it is, what it has and needs, what it leaves alone, and that it runs where there is nothing else.

usage: bundle.py SOURCE_DIR BUILD_DIR OWN [DEMO TRANSPOSE] (own.c; HIP programs, where there are any)
The root without anything but glibc and HIP is one that chroot makes; without the right to that, status 77.
"""
import csv
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 80e6  # bytes of the archive
GLIBC = re.compile(r"(lib(c|m|dl|pthread|rt)|ld-linux-x86-64)\.so\.\d+$")
NEWEST_GLIBC = (2, 36)
# what docs/fleet.md says is looked for outside; a GPU's runtime is the program's
OUTSIDE = re.compile(r"lib(hsa-runtime64|amdhip64|amd_comgr|LLVM|cairo|debuginfod)[-.]")
NOBODY = 65534
KERNELS = {"matmul_tiled(float const*, float const*, float*, int)": 1, "transpose(float const*, float*, int)": 1,
           "jacobi_step(double const*, double*, int)": 50, "reduce_sum(int const*, int*, int)": 1}


variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}  # of all commands; main adds TMPDIR, so that links are removed


def fail(what):
    sys.exit(f"bundle.py: {what}")


def expect(got, wanted, what=""):
    if got != wanted:
        fail(f"{what}\ngot      {got}\nexpected {wanted}")


def run(command, status=0, **environment):
    """Standard output and error of a command that runs with this environment and nothing else."""
    done = subprocess.run(command, env={**variables, **environment}, capture_output=True, text=True, timeout=200)
    if done.returncode != status:
        fail(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


# ---- in a root of its own ----

def inside(root, command):
    """Becomes the command in the root, with the kernel's file systems, without a network, capabilities, and rights to
    get any; root becomes nobody. In namespaces that unshare has made."""
    for name in ("proc", "sys", "dev"):
        subprocess.run(["mount", "--rbind", "/" + name, f"{root}/{name}"], check=True)
    libc = ctypes.CDLL(None, use_errno=True)
    os.chroot(root)
    os.chdir("/job")
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; fails behind the last
    with open("/proc/self/uid_map", encoding="utf-8") as f:
        if f.read().split() == ["0", "0", "4294967295"]:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    if libc.prctl(38, 1, 0, 0, 0) != 0:  # PR_SET_NO_NEW_PRIVS
        fail("no_new_privs")
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()  # _LINUX_CAPABILITY_VERSION_3
    if libc.capset(header, none) != 0:
        fail("capset")
    with open("/proc/self/status", encoding="utf-8") as f:
        now = dict(line.split(":\t") for line in f.read().splitlines() if line.startswith(("CapEff", "NoNewPrivs")))
    expect(now, {"CapEff": "0" * 16, "NoNewPrivs": "1"})
    os.execve(command[0], command, {"GPU_FORCE_BLIT_COPY_SIZE": "0"})


def put(root, path):
    """A file of the system in the root, at the same place."""
    target = root + path
    if not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            os.link(os.path.realpath(path), target)
        except OSError:
            shutil.copyfile(path, target)
            os.chmod(target, 0o755)


def put_libraries(root, path):
    for found in re.findall(r"/[^ ]+(?= \(0x)", run(["ldd", path])[0]):
        put(root, found)


def make_root(root, programs):
    """Nothing but what the programs load; comgr is what HIP loads by name."""
    for name in ("proc", "sys", "dev", "tmp", "job"):
        os.makedirs(f"{root}/{name}")
    for name in ("tmp", "job"):
        os.chmod(f"{root}/{name}", 0o1777)
    os.chmod(root, 0o755)
    for path in programs:
        shutil.copy(path, root + "/job")
        put_libraries(root, path)
    comgr = re.search(r"libamd_comgr\.so\.\d+ .*=> (.*)", run(["ldconfig", "-p"])[0])
    if comgr:
        put(root, comgr.group(1))
        put_libraries(root, comgr.group(1))


def works(root, ask, demo, transpose):
    """Profiles programs of the root's folder /job, by commands that `ask` runs in the root: programs of the bundle and
    their words; it returns their output and error output. What is written is read from outside."""
    told = ask("rocprofv3", "--sys-trace", "-f", "csv", "rocpd", "json", "pftrace", "otf2", "-d", "/job/out", "-o", "x",
               "--", "/job/" + os.path.basename(demo))[0]
    expect(told.split(), ["matmul", "right", "reduction", "right", "stencil", "right"])
    ask("rocpd", "convert", "-f", "csv", "-d", "/job/again", "-o", "y", "-i", "/job/out/x_results.db")
    for name in ("out/x", "again/y"):
        with open(f"{root}/job/{name}_kernel_trace.csv", newline="", encoding="utf-8") as f:
            names = [row["Kernel_Name"] for row in csv.DictReader(f)]
        expect({name: names.count(name) for name in KERNELS}, KERNELS)
    for name in ("json", "pftrace", "otf2"):
        expect(os.path.getsize(f"{root}/job/out/x_results.{name}") > 0, True, name)
    expect("matmul_tiled" in ask("rocpd", "summary", "-i", "/job/out/x_results.db")[0], True)
    ask("rocprofv3", "report", "-o", "/job/report.html", "/job/out")
    # source lines, by libdw
    ask("rocprofv3", "--instruction-counts", "-d", "/job/lines", "-o", "x", "--", "/job/" + os.path.basename(transpose))
    told = ask("rocprofv3", "annotate", "--no-pager", "--limit", "3", "/job/lines")[0]
    expect("transpose.hip:18" in told, True, told)


def runs_alone(folder, archive, demo, transpose):
    root, place = folder + "/root", "/opt/two blanks: and a colon"
    make_root(root, (demo, transpose))
    os.makedirs(root + place)
    run(["tar", "--zstd", "-xf", archive, "-C", root + place])
    tree, = os.listdir(root + place)
    users = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    begin = ["unshare", *users, "--mount", "--net"]

    def ask(program, *words):
        return run([*begin, sys.executable, __file__, "--inside", root, f"{place}/{tree}/bin/{program}", *words])

    works(root, ask, demo, transpose)
    # LD_PRELOAD takes no blanks: a link of nobody's own
    link, = glob.glob(root + "/tmp/crocprof-*")
    expect(os.readlink(link), f"{place}/{tree}")


# ---- where the system has all of it, too ----

def system_stays_outside(tree, work, commands):
    """What ours load is in the bundle, or glibc's, or a runtime's."""
    for words in commands:
        log = f"{work}/loader"
        run([f"{tree}/bin/{words[0]}", *words[1:]], LD_DEBUG="files", LD_DEBUG_OUTPUT=log)
        text = ""
        for path in glob.glob(log + ".*"):
            with open(path, encoding="utf-8", errors="replace") as f:
                text += f.read()
            os.remove(path)
        for library, by in re.findall(r"file=(\S+) \[\d+\];  (?:needed|dynamically loaded) by (.*) \[\d+\]", text):
            if not by.startswith(tree) or library.startswith(tree):
                continue
            name = os.path.basename(library)
            inside_it = glob.glob(f"{tree}/lib/**/{name}", recursive=True)
            if not inside_it and not GLIBC.match(name) and not OUTSIDE.match(name):
                fail(f"{words}: {by} loads {library}")
        for path in re.findall(r"calling init: (\S.*)", text):  # libelf and libzstd may be a runtime's
            if re.search(r"lib(dw|sqlite3|yaml|pcre2|jansson)[-.0-9]", path) and not path.startswith(tree):
                fail(f"{words}: loads {path}")


def leaves_programs_alone(tree, work, own):
    """A program's own libraries are the system's, and nobody else's are seen; ours do not use the program's."""
    def asked(*command, **environment):
        out, told = run([*command], **environment)
        return [line.split("\t") for line in out.splitlines()], told

    plain, _ = asked(own)
    expect([row[1] for row in plain[1:]], ["-"] * (len(plain) - 1))
    private = tree + "/lib/crocprof/crocprof-"
    traced = [f"{tree}/bin/rocprofv3", "--marker-trace", "--kernel-include-regex", "a.*", "-f", "csv", "-d", work + "/own", "--", own]
    expect(asked(*traced)[0], plain)
    expect(asked(f"{tree}/bin/softgpu", "--check", "--", own)[0], plain)
    for name in ("libstdc++.so.6", "libzstd.so.1"):
        expect(asked(own, private + name)[0], plain)
    # libdw and libelf of one release use each other's internals: that of the program, which is linked with it, is another
    rows, told = asked(own, private + "libdw.so.1", LD_DEBUG="bindings")
    expect(rows, plain)
    bound = re.findall(r"binding file .*/crocprof-libdw.* \[0\] to (.*) \[0\]: normal symbol `(g?elf_\w+)'", told)
    expect(len(bound) > 20, True, "symbols of libelf")
    expect({path for path, _ in bound}, {private + "libelf.so.1"})


def check_files(tree):
    """Nothing of other projects is seen from outside, nothing needs a newer glibc, and each licence is there."""
    newest = (0, 0)
    for path in glob.glob(tree + "/bin/*") + [tree + "/libexec/rocprofv3"] + glob.glob(tree + "/lib/**/*.so*", recursive=True):
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        symbols = run(["nm", "-D", path])[0]
        newest = max([newest, *(tuple(map(int, v.split("."))) for v in re.findall(r"@GLIBC_(2\.\d+)", symbols))])
        foreign = re.findall(r"\b(?:yaml_|pcre2_|sqlite3_|json_object|OTF2_)\w*", symbols)
        expect(foreign, [], path)
        for needed, in re.findall(r"()\(RPATH\)", run(["readelf", "-d", path])[0]):
            fail(f"{path} has an RPATH")
        for way in re.findall(r"RUNPATH.*\[(.*)\]", run(["readelf", "-d", path])[0]):
            expect([part for part in way.split(":") if not part.startswith("$ORIGIN")], [], path)
    expect(newest <= NEWEST_GLIBC, True, f"glibc {newest}")
    with open(tree + "/licences/README", encoding="utf-8") as f:
        listed = re.findall(r"^(\S+) \d\S*: ", f.read(), re.M)
    for name in listed:
        expect(os.path.getsize(f"{tree}/licences/{name}.txt") > 300, True, name)
    for word in ("sqlite3", "yaml", "pcre2", "jansson", "zlib1g", "libdw", "libelf", "libzstd", "lzma", "bz2", "libstdc++",
                 "trace-format", "xxhash"):
        expect(any(word in name for name in listed), True, f"licence of {word}: {listed}")
    for name in ("LICENSE", "README", "licences/uplot.txt"):
        expect(os.path.exists(f"{tree}/{name}"), True, name)


def main():
    source, build, own, *programs = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="crocprof-bundle-") as folder:
        os.chmod(folder, 0o755)
        variables["TMPDIR"] = folder
        archive = folder + "/bundle.tar.zst"
        run([source + "/scripts/make-bundle", build, "--level", "1", "--output", archive])
        expect(os.path.getsize(archive) <= MOST, True, "size of the archive")
        place = folder + "/with a blank"
        os.makedirs(place)
        run(["tar", "--zstd", "-xf", archive, "-C", place])
        tree = f"{place}/{os.listdir(place)[0]}"
        check_files(tree)
        leaves_programs_alone(tree, folder, own)
        if not programs:
            return
        system_stays_outside(tree, folder, [
            ["rocprofv3", "--gpu", "soft", "--instruction-counts", "-d", folder + "/lines", "-o", "x", "--", programs[1]],
            ["rocprofv3", "annotate", "--no-pager", folder + "/lines"],
            ["rocprofv3", "code", programs[1]],
            ["rocpd", "summary", "-i", folder + "/lines/x_results.db"],
            ["rocprofv3-avail", "--gpu", "soft", "list"]])
        if subprocess.run(["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--mount", "--net", "true"],
                          capture_output=True).returncode:
            print("skipped: a root of its own cannot be made here; all else holds")
            sys.exit(77)
        runs_alone(folder, archive, *programs)


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(sys.argv[2], sys.argv[3:])
    main()
