"""The stand-in for hipcc in the tree of a second C compiler: what is taken from the first one's tree, and what is not.
usage: hipcc_test.py TESTS/field/support/hipcc"""
import os
import subprocess
import sys
import tempfile


def text(path):
    with open(path) as file:
        return file.read()


with tempfile.TemporaryDirectory() as folder:
    first, tree, tools = (os.path.join(folder, name) for name in ("first", "second", "tools"))
    for directory in (first + "/tests", tree + "/tests", tools):
        os.makedirs(directory)
    for name in ("plain", "linked"):
        with open(f"{first}/tests/{name}", "w") as file:
            file.write("the first tree's\n")
    with open(tools + "/hipcc", "w") as file:  # writes what it was asked for into its output, behind -o at the end
        file.write('#!/bin/sh\nfor last in "$@"; do :; done\n[ ! -d "${last%/*}" ] || echo "$@" >"$last"\necho "$@"\n')
    os.chmod(tools + "/hipcc", 0o755)

    def run(*words, **variables):
        return subprocess.run([sys.argv[1], *words], capture_output=True, text=True, timeout=30,
                              env={"PATH": f"{tools}:{os.environ['PATH']}", "FIELD_TREE": tree, "FIELD_FIRST": first,
                                   **variables})

    def made(name, *words):
        """Who has made an output."""
        end = run(*words, "a.hip", "-o", f"{tree}/tests/{name}")
        assert end.returncode == 0, end
        return "first" if text(f"{tree}/tests/{name}") == "the first tree's\n" else "hipcc"

    assert made("plain", "-O2") == "first"
    assert made("plain", "-O2", "-I", folder + "/include") == "first"
    assert made("plain", "-Xclang", "-include-pch", "-Xclang", f"{tree}/tests/hip_headers/gfx90a-O2") == "first"
    assert made("linked", f"-Wl,-rpath,{tree}/lib") == "hipcc"  # it would load the first tree's library
    assert made("linked", f"-L{tree}/lib", "-lours") == "hipcc"
    assert made("missing", "-O2") == "hipcc"  # the first tree has it not
    assert run("--version").stdout == "--version\n"
    assert "a.hip -o a.out" in run("a.hip", "-o", "a.out").stdout  # a test's own, elsewhere
    assert run("--version", PATH="/nowhere").returncode != 0
