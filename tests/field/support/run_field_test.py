"""What scripts/run-field runs, and what it says of it. Commands of ours stand for those that make a root and enter it.
usage: run_field_test.py SCRIPTS"""
import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

ERRORS = ["a.c:7:3: error: unknown type name 'x'", "/usr/bin/ld: b.o: undefined reference to `y'",
          "make[2]: *** [Makefile:76: a.o] Error 1"]
OTHERS = [f"[{n}%] Building C object {n}.o" for n in range(100)]


def command(path, *lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("\n".join(["#!/bin/sh", *lines, ""]))
    os.chmod(path, 0o755)


@contextlib.contextmanager
def source_tree(*inside):
    """A source tree with the script; `inside`: the commands of its in-field."""
    with tempfile.TemporaryDirectory() as tree:
        os.makedirs(tree + "/tests/field")
        os.makedirs(tree + "/scripts")
        shutil.copytree(os.path.join(sys.argv[1], "..", "share", "gpus"), tree + "/share/gpus")
        for name in ("run-field", "build-errors"):
            shutil.copy(os.path.join(sys.argv[1], name), tree + "/scripts")
        command(tree + "/scripts/field-root")
        command(tree + "/scripts/in-field", *inside)
        yield tree


def run_field(tree, *options, **variables):
    return subprocess.run([tree + "/scripts/run-field", "none", *options], capture_output=True, text=True, timeout=40,
                          env={**os.environ, "FIELD_ROOTS": tree, **variables})


def said(output):
    """What a run says of its build, which printed these lines and failed."""
    with source_tree('cat "${0%/*}/../output"', "exit 2") as tree:
        with open(os.path.join(tree, "output"), "w") as file:
            file.write("\n".join([*output, ""]))
        run = run_field(tree, "--programs", ".")
    assert run.returncode == 1, run
    said = run.stdout.splitlines()
    return said[said.index("== build with gcc") + 1:said.index("== our own suite")]


def parts(*options):
    """The parts of a run in a root that has clang, and the commands of those that clang has made."""
    with source_tree('echo "$*" >>"${0%/*}/../commands"', "echo 1 passed, 0 failed") as tree:
        command(tree + "/none/usr/bin/clang")
        run = run_field(tree, *options)
        with open(tree + "/commands") as file:
            commands = [line for line in file.read().splitlines() if ".clang" in line]
        assert run.returncode == 0, run
        first = f"FIELD_TREE={tree}/build/field/none.clang FIELD_FIRST={tree}/build/field/none.build"
        assert all(first in line for line in commands), commands
        assert not commands or f"-DHIPCC={tree}/tests/field/support/hipcc" in commands[0], commands
    return [line[3:] for line in run.stdout.splitlines() if line.startswith("== ")]


def program(tree, name, *lines):
    """A field program that is on while its file is there."""
    command(f"{tree}/tests/field/{name}.sh", "# field: none", *lines, 'rm "on.$name"', "echo 1 passed, 0 failed")


lines = said([*OTHERS[:50], ERRORS[0], *OTHERS[50:70], ERRORS[1], ERRORS[2], *OTHERS])
assert lines == ERRORS, lines

lines = said(OTHERS)  # it does not say why: its end
assert lines == OTHERS[-40:], lines

assert parts() == ["build with gcc", "our own suite", "build with clang", "what clang compiled"]
assert parts("--tests", "unit") == ["build with gcc", "our own suite"]
assert parts("--gpu", "mi300x") == ["build with gcc", "our own suite"]

# on another GPU: a tree that is compiled for it, the field programs that name it
with source_tree('echo "$*" >>"${0%/*}/../commands"', "echo 1 passed, 0 failed") as tree:
    program(tree, "any")
    program(tree, "both", "# field-mi300x: none")
    run = run_field(tree, "--gpu", "mi300x", LLAMA_BACKEND="/some/libggml-hip.so")
    with open(tree + "/commands") as file:
        made, *others = file.read().splitlines()
    assert "none.mi300x.build" in made and made.endswith("-DCROCPROF_GPU=mi300x samples/ tests/ long_programs"), made
    assert sum("FIELD_GPU=mi300x" in line and "both.sh" in line for line in others) == 1, others
    assert not any("any.sh" in line for line in others), others
    assert all("GGML_BACKEND_PATH=/some/libggml-hip.so" in line for line in others if "both.sh" in line), others

# llama.cpp's back end is built for another GPU where a program names the suite for it; without it the programs are run, too
for status, said, count in ((0, "/kept/libggml-hip.so", "2 passed, 0 failed"), (3, "no source", "1 passed, 0 failed, 1 skipped"),
                            (1, "does not compile", "1 passed, 1 failed")):
    with source_tree('echo "$*" >>"${0%/*}/../commands"', "echo 1 passed, 0 failed") as tree:
        command(tree + "/build/bin/softgpu")
        command(tree + "/scripts/field-llama", f"echo {said}", f"exit {status}")
        program(tree, "llama", "# field-mi300x: none", "# field-llama: none")
        run = run_field(tree, "--gpu", "mi300x", "--programs", ".", "--build", tree + "/build")
        with open(tree + "/commands") as file:
            loads = "GGML_BACKEND_PATH=/kept/libggml-hip.so" in file.read()
        assert run.stdout.endswith(count + "\n") and loads == (not status) and said in run.stdout, run

# on a GPU with waves of 32 lanes: the tests that have its name, in the tree that is compiled for no other GPU, and nothing else
# of the tests is built
with source_tree('echo "$*" >>"${0%/*}/../commands"', "echo 1 passed, 0 failed") as tree:
    run_field(tree, "--gpu", "rx7900xtx")
    with open(tree + "/commands") as file:
        made, tests = file.read().splitlines()
    assert "none.build" in made and "CROCPROF_GPU" not in made and "tests/" not in made, made
    assert tests.endswith(r"none.build \.rx7900xtx(\.|$)"), tests

# a class of GPUs in a header stands for each of them; a GPU that no program names is told
with source_tree('echo "$*" >>"${0%/*}/../commands"', "echo 1 passed, 0 failed") as tree:
    command(tree + "/build/bin/softgpu")
    program(tree, "any")
    program(tree, "class", "# field-waves32: none")
    program(tree, "own", "# field-mi300x: none")
    for gpu, names in (("rx7600", ["class"]), ("mi300x", ["own"]), ("mi50", []), ("", ["any", "class", "own"])):
        run = run_field(tree, *["--gpu", gpu] * bool(gpu), "--programs", ".", "--build", tree + "/build")
        assert sorted(line[3:] for line in run.stdout.splitlines() if line.startswith("== ")) == names, (gpu, run)
        skips = "field programs             0       0       1        0      0  none names mi50 or its class for none"
        assert (skips in run.stdout.splitlines(), run.stdout.endswith("0 passed, 0 failed, 1 skipped\n")) == (
            (not names,) * 2), run
    with open(tree + "/commands") as file:
        outs = [word for line in file for word in line.split() if word.startswith("FIELD_OUT=")]
    assert {out.partition("/build/field/out/")[2] for out in outs} == {
        "none.rx7600/class", "none.mi300x/own", "none/any", "none/class", "none/own"}, outs

# a program that takes longer than its limit, unless the run has patience, of which the program hears
with source_tree('shift; cd "${0%/*}/.." && exec env "$@"') as tree:
    command(tree + "/build/bin/softgpu")
    command(f"{tree}/tests/field/slow.sh", "# field: none", "# field-timeout: 1", "sleep 2", "echo $FIELD_PATIENCE passed, 0 failed")
    for options, end in (([], "0 passed, 1 failed"), (["--patience", "9"], "9 passed, 0 failed")):
        run = run_field(tree, "--build", tree + "/build", "--programs", ".", *options)
        assert run.stdout.endswith(f"\n{end}\n"), run

    for wrong in ("0", "-1", "1.5", "x"):
        run = run_field(tree, "--build", tree + "/build", "--programs", ".", f"--patience={wrong}")
        assert (run.returncode, run.stdout) == (2, "") and f"{wrong} is no whole number from 1 on" in run.stderr, run

# one run at a time in a build tree: another waits, and says so
with source_tree('echo "$*" >>"${0%/*}/../commands"', "echo 1 passed, 0 failed") as tree:
    command(tree + "/build/bin/softgpu")
    program(tree, "any")
    lock = os.open(tree + "/build", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    waiting = subprocess.Popen([tree + "/scripts/run-field", "none", "--programs", ".", "--build", tree + "/build"],
                               stdout=subprocess.PIPE, text=True, env={**os.environ, "FIELD_ROOTS": tree})
    assert waiting.stdout.readline() == f"run-field: waits for another run in {tree}/build\n"
    assert not os.path.exists(tree + "/commands")
    os.close(lock)
    assert waiting.communicate(timeout=40)[0].endswith("1 passed, 0 failed\n") and waiting.returncode == 0

# two programs at a time, each waiting for the other; one that wants to be alone is
with source_tree('shift; cd "${0%/*}/.." && exec env "$@"') as tree:
    command(tree + "/build/bin/softgpu")
    program(tree, "alone", "# field-alone: yes", "name=alone", "! ls on.* || exit 1", "touch on.alone")
    for name, other in (("one", "two"), ("two", "one")):
        program(tree, name, f"name={name} other={other}", "[ ! -e on.alone ] || exit 1", "touch on.$name met.$name",
                "for i in $(seq 200); do [ -e met.$other ] && break; sleep 0.1; done", "[ -e met.$other ] || exit 1",
                "echo $name goes on", "sleep 0.2", "echo $name ends")
    run = run_field(tree, "--build", tree + "/build", "--programs", ".")
    assert run.returncode == 0, run
    lines = run.stdout.splitlines()
    for name in ("one", "two"):  # what they print does not mix
        at = lines.index(f"== {name}")
        assert lines[at + 1:at + 4] == [f"{name} goes on", f"{name} ends", "1 passed, 0 failed"], lines
    assert lines.index("== alone") > max(lines.index("== one"), lines.index("== two")), lines
