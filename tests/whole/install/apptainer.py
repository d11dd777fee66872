#!/usr/bin/env python3
"""The image of packaging/apptainer: Apptainer builds it, tests it, and profiles the demo in it.

usage: apptainer.py SOURCE_DIR BUILD_DIR DEMO (a HIP program)
Apptainer is that of the system, or of the field root of experimental. Debian 12, which the definition takes from Docker's
registry, is made by debootstrap here. Without Apptainer, a mirror, or the right to namespaces: status 77.
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

import bundle

SUITE = "bookworm"
NEW_USER = 0x10000000  # CLONE_NEWUSER
# What Apptainer wants of "/" is a mount, and nothing behind it.
ENTER = """mount --make-rprivate / && mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
    mount --rbind /dev "$1/dev" && mkdir -p "$1$2" && mount --rbind "$2" "$1$2" && cd "$1" && pivot_root . . && umount -l . || exit 77
    place=$2; shift 2
    exec env -i -C "$place" PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 APPTAINER_TMPDIR="$place" "$@\""""


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def enter(words):
    """Becomes the command in a root, for one that has all capabilities there: Apptainer asks for each, and root may lack some
    (in a container, say). So it is in a user namespace with the same ids."""
    libc = ctypes.CDLL(None, use_errno=True)
    (asked, ask), (mapped, tell) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:  # each side closes the ends of the other one, so that it does not wait for one that has ended
        os.close(asked)
        os.close(tell)
        os.write(ask, b"." if libc.unshare(NEW_USER) == 0 else b"!")
        if os.read(mapped, 1) != b".":
            os._exit(77)
        os.setgid(0)
        os.setuid(0)
        os.execvp("unshare", ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh", *words])
    os.close(ask)
    os.close(mapped)
    try:
        if os.read(asked, 1) != b".":
            raise OSError("no namespace of users")
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{child}/{name}", "w", encoding="ascii") as f:
                f.write("0 0 65536")
        os.write(tell, b".")
    except OSError:
        os.kill(child, 9)
        os.waitpid(child, 0)
        sys.exit(77)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def starter(source, folder):
    """The words in front of `apptainer`, which runs in the folder."""
    if shutil.which("apptainer"):
        return ["env", "-C", folder]
    root = os.environ.get("FIELD_ROOTS", source + "/build/field") + "/experimental"
    if not os.path.exists(root + "/usr/bin/apptainer"):
        skip("there is no apptainer, neither here nor in a field root (scripts/field-root experimental)")
    if os.geteuid() != 0:
        skip("the apptainer of a field root needs root (chroot and mount)")
    return [sys.executable, __file__, "--enter", root, folder]


def make_debian(folder):
    """A Debian 12 for the image to begin with, and where its packages come from."""
    mirrors = bundle.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages"])[0]
    mirror = next((uri for uri, suite in map(str.split, mirrors.splitlines()) if suite == SUITE and uri.startswith("http")), None)
    if not mirror or not shutil.which("debootstrap"):
        skip(f"no mirror of {SUITE} among apt's, or no debootstrap")
    done = subprocess.run(["debootstrap", "--variant=minbase", SUITE, folder + "/debian", mirror], capture_output=True, text=True,
                          timeout=900, check=False)
    if done.returncode:
        skip("debootstrap: " + (done.stdout + done.stderr).strip().splitlines()[-1])
    shutil.rmtree(folder + "/debian/dev")  # Apptainer copies it where no device may be made
    os.mkdir(folder + "/debian/dev")


def main():
    source, build, demo = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="crocprof-apptainer-") as folder:
        os.chmod(folder, 0o755)
        start = starter(source, folder)
        make_debian(folder)
        with open(source + "/packaging/apptainer/crocprof.def", encoding="utf-8") as f:
            text = f.read()
        archive = folder + "/" + re.search(r"build/crocprof-\S+\.tar\.zst", text).group(0)
        os.mkdir(folder + "/build")
        bundle.run([source + "/scripts/make-bundle", build, "--level", "1", "--output", archive])
        text, changed = re.subn(r"^Bootstrap: docker\nFrom: debian:12-slim$", f"Bootstrap: localimage\nFrom: {folder}/debian", text,
                                flags=re.M)
        bundle.expect(changed, 1, "the definition's first lines")
        with open(folder + "/crocprof.def", "w", encoding="utf-8") as f:
            f.write(text)
        shutil.copy(demo, folder + "/program")

        def apptainer(*words, limit=200):
            done = subprocess.run([*start, "apptainer", "--silent", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=limit, check=False)
            if done.returncode == 77:
                skip("mounts are not allowed here")
            bundle.expect(done.returncode, 0, f"apptainer {' '.join(words)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
            return done.stdout

        apptainer("build", "crocprof.sif", "crocprof.def", limit=1500)  # with %test
        bundle.expect("licences" in apptainer("inspect", "crocprof.sif"), True, "labels")
        bundle.expect("apptainer run" in apptainer("run-help", "crocprof.sif"), True, "help")
        for command in ("run", "exec"):
            told = apptainer(command, "--bind", folder, "--pwd", folder, "crocprof.sif", "rocprofv3", "--sys-trace", "-f", "csv", "rocpd",
                             "-d", command, "-o", "x", "--", "./program")
            bundle.expect(told.split(), ["matmul", "right", "reduction", "right", "stencil", "right"])
            with open(f"{folder}/{command}/x_kernel_trace.csv", newline="", encoding="utf-8") as f:
                names = [row["Kernel_Name"] for row in csv.DictReader(f)]
            bundle.expect({name: names.count(name) for name in bundle.KERNELS}, bundle.KERNELS)
            told = apptainer(command, "--bind", folder, "--pwd", folder, "crocprof.sif", "rocpd", "summary", "-i",
                             *glob.glob(f"{folder}/{command}/*.db"))
            bundle.expect("matmul_tiled" in told, True, told)
        print("the image is built, passes its test, and profiles the demo")


if sys.argv[1] == "--enter":
    enter(sys.argv[2:])
main()
