#!/usr/bin/env python3
"""The Debian package: it installs, its programs run, and nothing is left when it is removed.

dpkg works on a root of its own below a temporary directory, so nobody needs to be root.
usage: deb.py BUILD_DIR CPACK PROGRAM [whole]   PROGRAM: a HIP program, or "" where there is none
whole: as users get it, stripped and compressed, with the packages that it depends on, which Debian's tools look for in each
file: half a minute.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

build, cpack, program = sys.argv[1:4]
whole = "whole" in sys.argv[4:]
QUICKLY = ("-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-D", "CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF", "-D", "CPACK_STRIP_FILES=OFF")


def run(command, status=0, **environment):
    done = subprocess.run(command, env=environment or None, capture_output=True, text=True, timeout=280)
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(what)


def below(root):
    """Files and links that are not dpkg's own."""
    return sorted(os.path.relpath(os.path.join(d, n), root) for d, _, names in os.walk(root)
                  for n in names if not d.startswith(root + "/var"))


def check_control(package):
    def field(name):
        return run(["dpkg-deb", "-f", package, name]).strip()

    expect(field("Package") == "crocprof" and re.match(r"\d+\.\d+\.\d+$", field("Version")), "name or version")
    if not whole:
        return
    depends = field("Depends")
    for library in ("libc6", "libsqlite3-0", "libyaml-0-2", "libpcre2-8-0", "libjansson4"):
        expect(library in depends, f"{library} is not among {depends}")
    expect("rocprof" not in depends, f"it depends on itself: {depends}")


def main():
    with tempfile.TemporaryDirectory(prefix="crocprof-deb-") as folder:
        # with the generator that the tree has, cpack would build it first, beside the tests that run
        run([cpack, "--config", build + "/CPackConfig.cmake", "-D", "CPACK_CMAKE_GENERATOR=Ninja",
             *(() if whole else QUICKLY), "-B", folder])
        package, = glob.glob(folder + "/*.deb")
        check_control(package)
        root = folder + "/root"
        for directory in ("info", "updates", "triggers"):
            os.makedirs(f"{root}/var/lib/dpkg/{directory}")
        for name in ("status", "available"):
            open(f"{root}/var/lib/dpkg/{name}", "w").close()
        dpkg = ["dpkg", "--root=" + root, "--force-unsafe-io", "--force-not-root", "--force-depends", "--force-bad-path",
                "--force-script-chrootless", "--log=/dev/null"]
        # its scripts call ldconfig, which is not to touch this machine
        os.mkdir(folder + "/bin")
        os.symlink("/bin/true", folder + "/bin/ldconfig")
        path = {"PATH": folder + "/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        run([*dpkg, "-i", package], **path)
        files = below(root)
        for name in ("bin/rocprofv3", "libexec/rocprofv3", "bin/softgpu", "lib/librocprofiler-sdk.so.1", "share/man/man1/rocprofv3.1",
                     "share/bash-completion/completions/rocprofv3", "share/zsh/site-functions/_rocprofv3",
                     "include/rocprofiler-sdk/rocprofiler.h"):
            expect("usr/" + name in files, f"{name} is not in the package")
        for name in os.listdir(root + "/usr/bin"):
            if os.path.isdir(f"{root}/usr/bin/{name}"):
                continue
            expect(f"usr/share/man/man1/{name}.1" in files, f"{name} has no man page")
            expect(f"usr/share/bash-completion/completions/{name}" in files, f"bash does not complete {name}")
            run([f"{root}/usr/bin/{name}", "--version" if name == "rocprof" else "--help"], PATH="/usr/bin:/bin")
        if program:
            run([root + "/usr/bin/rocprofv3", "--gpu", "soft", "--sys-trace", "-f", "csv", "-d", folder + "/out",
                 "-o", "x", "--", program], PATH="/usr/bin:/bin", HOME=folder)
            expect(os.path.exists(folder + "/out/x_kernel_trace.csv"), "no kernels were traced")
        run([*dpkg, "-P", "crocprof"], **path)
        expect(below(root) == [] and not os.path.exists(root + "/usr"), f"left behind: {below(root)}")
    print("the package installs, runs and leaves nothing")


main()
