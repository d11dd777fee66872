#!/usr/bin/env python3
"""Programs that AMD delivers as scripts are run by "python3 PROGRAM", stripped or not. usage: by_python.py BUILD_DIR"""
import os
import shutil
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
WORDS = {"rocprofv3": ["--gpu", "soft", "--kernel-trace", "--", "true"], "rocprofv3-avail": ["--gpu", "soft", "list"],
         "rocpd": ["convert", "-i", "nothing.db"]}


def run(*command, directory=build + "/bin"):
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory, timeout=60)
    return done.returncode, done.stdout, [line for line in done.stderr.splitlines() if "process " not in line]


for name, words in WORDS.items():
    for arguments in (["--version"], words) if name != "rocprofv3-avail" else (words,):
        wanted = run(f"{build}/bin/{name}", *arguments)
        for path in (name, f"{build}/bin/{name}"):
            got = run(sys.executable, path, *arguments)
            if got != wanted:
                sys.exit(f"python3 {path} {arguments}:\ngot      {got}\nexpected {wanted}")
    if not shutil.which("strip"):
        continue
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(f"{directory}/bin")
        os.symlink(f"{build}/libexec", f"{directory}/libexec")
        subprocess.run(["strip", "-o", f"{directory}/bin/{name}", f"{build}/bin/{name}"], check=True)
        got = run(sys.executable, name, "--help", directory=directory + "/bin")
        if got != run(f"{build}/bin/{name}", "--help") or got[0]:
            sys.exit(f"python3 {name}, stripped: {got}")
