"""How scripts/field-root keeps to the versions that a list pins. Commands of ours stand for apt's and for in-field.
usage: field_root_test.py SCRIPTS"""
import os
import shutil
import subprocess
import sys
import tempfile

LIST = ["# of experimental", "# pin: 7.2.4*", "# mirror: 2026-10-30", "make", "hipcc/experimental librccl-dev/experimental"]
SID = "{0} | 7.0.2-1 | http://deb.debian.org/debian sid/main amd64 Packages"
EXPERIMENTAL = "{0} | {1} | http://deb.debian.org/debian experimental/main amd64 Packages"


def command(path, *lines):
    with open(path, "w") as file:
        file.write("\n".join(["#!/bin/sh", *lines, ""]))
    os.chmod(path, 0o755)


def read(path):
    with open(path) as file:
        return file.read()


def field_root(words, versions, **environment):
    """Runs the script over a root that exists: its run, {path: text} of apt's files in it, and what was installed.
    `versions`: of the packages in experimental."""
    with tempfile.TemporaryDirectory() as tree:
        apt = tree + "/roots/experimental/etc/apt"
        os.makedirs(apt + "/preferences.d")
        os.makedirs(tree + "/scripts")
        os.makedirs(tree + "/commands")
        shutil.copy(os.path.join(sys.argv[1], "field-root"), tree + "/scripts")
        command(tree + "/scripts/in-field", "shift", 'exec "$@"')
        command(tree + "/commands/id", "echo 0")
        command(tree + "/commands/dpkg-query", "exit 1")
        command(tree + "/commands/apt-get", f'case "$*" in "install -y"*) echo "$*" >{tree}/installed;; esac')
        command(tree + "/commands/apt-cache", f'[ "$1" != madison ] || cat {tree}/versions.$2')
        for name, version in versions.items():
            with open(f"{tree}/versions.{name}", "w") as file:
                file.write("\n".join([SID.format(name), *([EXPERIMENTAL.format(name, version)] if version else []), ""]))
        with open(tree + "/packages.txt", "w") as file:
            file.write("\n".join([*words, ""]))
        run = subprocess.run([tree + "/scripts/field-root", "experimental", tree + "/packages.txt"], capture_output=True,
                             text=True, timeout=40, env={"PATH": f"{tree}/commands:{os.environ['PATH']}",
                                                         "FIELD_ROOTS": tree + "/roots", **environment})
        files = {os.path.relpath(os.path.join(folder, name), apt): read(os.path.join(folder, name))
                 for folder, _, names in os.walk(apt) for name in names}
        return run, files, read(tree + "/installed") if os.path.exists(tree + "/installed") else None


# as the list wants it: also what its packages depend on is of that version
PREFERENCES = "Package: /./\nPin: version 7.2.4*\nPin-Priority: 990\n"
run, files, installed = field_root(LIST, {"hipcc": "7.2.4+dfsg-1~exp1", "librccl-dev": "7.2.4-1~exp3"})
assert run.returncode == 0, run
assert files == {"preferences.d/field": PREFERENCES}, files
assert installed == "install -y -qq make hipcc/experimental librccl-dev/experimental\n", installed

# the mirror has a newer version of one and no version of the other
run, _, installed = field_root(LIST, {"hipcc": "7.3.0-1~exp1", "librccl-dev": None})
assert run.returncode == 3 and installed is None, (run, installed)
assert run.stderr == (
    "field-root: the mirror has moved on: packages.txt is for version 7.2.4* (mirrors of 2026-10-30), and there is: hipcc "
    "7.3.0-1~exp1, librccl-dev none. FIELD_MIRROR=URL takes another mirror, such as a copy of that day\n"), run.stderr

# another mirror, for a root that exists
_, files, _ = field_root(LIST, {"hipcc": "7.2.4-1", "librccl-dev": "7.2.4-1"}, FIELD_MIRROR="http://copies.example/20261030")
assert files["sources.list"] == ("deb http://copies.example/20261030 sid main\n"
                                 "deb http://copies.example/20261030 experimental main\n"), files

# a list that pins nothing
run, files, installed = field_root(["make hipcc"], {})
assert run.returncode == 0 and files == {} and installed == "install -y -qq make hipcc\n", (run, files, installed)
