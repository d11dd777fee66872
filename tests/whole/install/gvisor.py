#!/usr/bin/env python3
"""The bundle inside gVisor, whose kernel is a program: it has system calls of its own, without userfaultfd and others.

usage: gvisor.py SOURCE_DIR BUILD_DIR DEMO TRANSPOSE (HIP programs)
The root has glibc, HIP and the bundle, and no network. The demo is profiled as nobody without capabilities, and as root
with all of them. Without runsc, or where it cannot start, status 77.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import bundle

PLACE = "/opt/crocprof"
CAPABILITIES = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_IPC_LOCK", "CAP_KILL", "CAP_SETGID", "CAP_SETUID",
                "CAP_SYS_ADMIN", "CAP_SYS_NICE", "CAP_SYS_PTRACE", "CAP_SYS_RESOURCE")
# the one that runsc has and that needs nothing of the machine is taken; later releases of gVisor have the first
PLATFORMS = ("systrap", "ptrace")


class Sandbox:
    """Commands in a root, each in a sandbox of its own."""

    def __init__(self, folder, root):
        self.folder, self.root, self.number, self.platform = folder, root, 0, ""

    def command(self, words, capable):
        """The words that start the command, as nobody without capabilities or as root with them."""
        self.number += 1
        user = 0 if capable else bundle.NOBODY
        held = list(CAPABILITIES) if capable else []
        place = f"{self.folder}/sandbox{self.number}"
        os.makedirs(place)
        mounts = [{"destination": "/" + name, "type": kind, "source": kind}
                  for name, kind in (("proc", "proc"), ("sys", "sysfs"), ("dev", "tmpfs"))]
        with open(place + "/config.json", "w", encoding="utf-8") as f:
            json.dump({
                "ociVersion": "1.0.0", "root": {"path": self.root}, "mounts": mounts, "hostname": "inside",
                "process": {"args": words, "cwd": "/job", "env": ["GPU_FORCE_BLIT_COPY_SIZE=0"],
                            "user": {"uid": user, "gid": user}, "noNewPrivileges": not capable,
                            "capabilities": {which: held for which in ("bounding", "effective", "permitted", "inheritable")}},
                "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount", "network")]}}, f)
        return ["runsc", f"--root={self.folder}/state", "--network=none", "--ignore-cgroups", f"--platform={self.platform}",
                *([] if os.geteuid() == 0 else ["--rootless"]), "run", f"--bundle={place}", f"crocprof{os.getpid()}-{self.number}"]

    def starts(self):
        """Chooses a platform. The empty text, or why there is none."""
        why = ""
        for self.platform in PLATFORMS:
            done = subprocess.run(self.command([PLACE + "/bin/rocprofv3", "--version"], False), capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60, check=False)
            if done.returncode == 0 and "version: " in done.stdout:
                return ""
            why = (done.stdout + done.stderr).strip().splitlines()[-1:] or [f"status {done.returncode}"]
            why = why[0]
        return why

    def ask(self, program, *words, capable=False):
        return bundle.run(self.command([f"{PLACE}/bin/{program}", *words], capable))


def main():
    source, build, demo, transpose = map(os.path.abspath, sys.argv[1:])
    if not shutil.which("runsc"):
        print("skipped: there is no runsc (Debian package runsc)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="crocprof-gvisor-") as folder:
        os.chmod(folder, 0o755)
        archive, root = folder + "/bundle.tar.zst", folder + "/root"
        bundle.run([source + "/scripts/make-bundle", build, "--level", "1", "--output", archive])
        bundle.make_root(root, (demo, transpose))
        os.makedirs(root + PLACE)
        bundle.run(["tar", "--zstd", "-xf", archive, "-C", root + PLACE, "--strip-components", "1"])
        inside = Sandbox(folder, root)
        why = inside.starts()
        if why:
            print(f"skipped: runsc cannot start a sandbox here: {why}")
            sys.exit(77)
        bundle.works(root, inside.ask, demo, transpose)
        program = "/job/" + os.path.basename(demo)
        for words in (["softgpu", "--", program], ["softgpu", "--check", "--", program],
                      ["rocprofv3", "--pmc", "SQ_WAVES", "-d", "/job/counted", "-o", "c", "--", program]):
            told = inside.ask(*words)
            bundle.expect(told[0].split(), ["matmul", "right", "reduction", "right", "stencil", "right"], words)
        told = inside.ask("rocprofv3", "--sys-trace", "-d", "/job/root", "-o", "r", "--", program, capable=True)[0]
        bundle.expect(told.split(), ["matmul", "right", "reduction", "right", "stencil", "right"])
        print(f"the demo is profiled inside gVisor (platform {inside.platform})")


if __name__ == "__main__":
    main()
