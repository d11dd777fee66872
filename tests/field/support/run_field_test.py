"""What scripts/run-field says of a build that fails in a root: the errors, though they are far from the end.

The script runs with commands of ours in the place of those that make a root and enter it.
usage: run_field_test.py SCRIPTS"""
import os
import shutil
import subprocess
import sys
import tempfile

ERRORS = ["a.c:7:3: error: unknown type name 'x'", "/usr/bin/ld: b.o: undefined reference to `y'",
          "make[2]: *** [Makefile:76: a.o] Error 1"]
OTHERS = [f"[{n}%] Building C object {n}.o" for n in range(100)]


def command(path, *lines):
    with open(path, "w") as file:
        file.write("\n".join(["#!/bin/sh", *lines, ""]))
    os.chmod(path, 0o755)


def said(output):
    """What a run says of its build, which printed these lines and failed."""
    with tempfile.TemporaryDirectory() as tree:
        scripts = os.path.join(tree, "scripts")
        os.makedirs(scripts)
        os.makedirs(os.path.join(tree, "tests/field"))
        for name in ("run-field", "build-errors"):
            shutil.copy(os.path.join(sys.argv[1], name), scripts)
        with open(os.path.join(tree, "output"), "w") as file:
            file.write("\n".join([*output, ""]))
        command(os.path.join(scripts, "field-root"))
        command(os.path.join(scripts, "in-field"), f"cat '{tree}/output'", "exit 2")
        run = subprocess.run([os.path.join(scripts, "run-field"), "none", "--programs", "."], capture_output=True, text=True,
                             timeout=30, env={**os.environ, "FIELD_ROOTS": tree})
    assert run.returncode == 1, run
    said = run.stdout.splitlines()
    return said[said.index("== build with gcc") + 1:said.index("== our own suite")]


lines = said([*OTHERS[:50], ERRORS[0], *OTHERS[50:70], ERRORS[1], ERRORS[2], *OTHERS])
assert lines == ERRORS, lines

lines = said(OTHERS)  # it does not say why: its end
assert lines == OTHERS[-40:], lines
