"""The tests as ctest lists them: suite.py SOURCE BUILD.

Each has a label, or two that go together (cmake/tests.cmake), and what a fast test's command names is built for
make test-fast. Of a file whose classes are tests of their own every class is, and every case belongs to one. A file of src
that tests compile themselves is as optimised there as in the product, and so is what includes the writer of traces.
Then lists with one mistake each, which must be found."""
import csv  # noqa: F401, what the files of cases import
import functools
import importlib.util
import json
import os
import re
import sqlite3  # noqa: F401
import subprocess  # noqa: F401
import sys
import tempfile  # noqa: F401
import unittest

SOURCE, BUILD = sys.argv[1:3]
sys.path.insert(0, SOURCE + "/scripts")
sys.dont_write_bytecode = True
sys.argv[1:] = [BUILD, "."]
import test_programs  # noqa: E402

ALLOWED = (["fast"], ["gpu"], ["slow"], ["gpu", "slow"])


def everything():
    """[name, folder, labels, command, environment] of every test."""
    commands = {}
    for name, folder, labels, environment in test_programs.chosen("."):
        if folder not in commands:
            commands[folder] = test_programs.commands(folder)
        yield [name, folder, labels, commands[folder][name], environment]


def labels(tests):
    with open(BUILD + "/tests/fast.txt", encoding="utf-8") as file:
        built = set(file.read().split())
    for name, folder, own, command, environment in tests:
        if sorted(set(own) - {"long"}) not in ALLOWED:  # long stands beside any of them
            yield f"{name}: labels {' '.join(own) or 'none'}: see cmake/tests.cmake"
        if own == ["fast"]:
            need = test_programs.wanted(name, folder, own, command, environment)
            for target in sorted(need & set(test_programs.places) - built):
                yield f"{name} is fast and needs {target}, which make test-fast does not build: NEEDS of crocprof_label()"


def labels_mistaken(tests):
    """Labels are looked at test by test: one is enough."""
    test = tests[3]
    for change in ([], ["quick"], ["fast", "slow"], ["long"]):
        yield [[*test[:2], change, *test[3:]]]
    (program,) = (path for path, target in test_programs.makes.items() if target == "softgpu_cli")
    yield [[*test[:2], ["fast"], [program], []]]


def case_names(command):
    """Cases of a file, as unittest finds them. To be called in a process of its own: the file reads its command line."""
    sys.argv = list(command[1:])
    sys.path.insert(0, os.path.dirname(command[1]))
    spec = importlib.util.spec_from_file_location("cases", command[1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    suites = [unittest.defaultTestLoader.loadTestsFromModule(module)]
    while suites:
        for test in suites.pop():
            if isinstance(test, unittest.TestSuite):
                suites.append(test)
            else:
                yield test.id().split(".", 1)[1]


def files(tests):
    """{(script, its arguments): names of classes that are tests of their own}, as crocprof_cases() makes them."""
    found = {}
    for name, _, _, command, _ in tests:
        if len(command) > 2 and command[-1][:1].isupper() and name.endswith("." + command[-1].lower()):
            found.setdefault(tuple(command[:-1]), []).append(command[-1])
    return found


@functools.cache
def listed(command):
    """Names of a file's cases. A fork has read already what most of these files import."""
    into, out = os.pipe()
    child = os.fork()
    if not child:
        names = " ".join(case_names(command))
        os.write(out, names.encode())  # all of it, as the other process reads meanwhile
        os._exit(0)
    os.close(out)
    with open(into, encoding="utf-8") as pipe:
        names = pipe.read().split()
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"{command[1]} has no list of cases")
    return names


def cases(tests):
    found = files(tests)
    if not found:
        yield "no test is a class of a file"
    for command, classes in found.items():
        for case in listed(command):
            if case.split(".")[0] not in classes:
                yield f"{os.path.basename(command[1])}: {case} is run by no test"


def cases_mistaken(tests):
    for classes in (classes for classes in files(tests).values() if len(classes) > 1):
        yield [test for test in tests if test[3][-1] != classes[0]]


def compiled():
    """[file below the source folder, its level of optimisation], once for each program or library. Cores are left out:
    each is for other processors, with a level of its own."""
    with open(BUILD + "/compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            if " -DISA_VARIANT=" in entry["command"]:
                continue
            name = os.path.relpath(os.path.join(entry["directory"], entry["file"]), SOURCE)
            yield [name, ([""] + re.findall(r" (-O\S*)", entry["command"]))[-1]]


def levels(files_compiled):
    known = {}
    for name, level in files_compiled:
        if name.startswith("src/"):
            known.setdefault(name, set()).add(level)
    of_writer = known.get("src/trace/writer.c", set())
    for name, level in files_compiled:
        if name.startswith("src/") and len(known[name]) > 1:
            yield f"{name} is compiled with {' and '.join(sorted(known[name]))}: see crocprof_product_code()"
        elif name.startswith("tests/") and includes_writer(name) and level not in of_writer:
            yield f"{name} includes trace/writer.h and is compiled with {level}: see crocprof_optimised()"


@functools.cache
def includes_writer(name):
    path = os.path.join(SOURCE, name)
    if not os.path.isfile(path):
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        return '#include "trace/writer.h"' in file.read()


def levels_mistaken(files_compiled):
    for wanted in ("src/tool/texts.c", "tests/output/crew_test.c"):
        (first, *_) = (place for place, (name, _) in enumerate(files_compiled) if name == wanted)
        yield [*files_compiled[:first], [wanted, "-O9"], *files_compiled[first + 1:]]


def main():
    tests, files_compiled = list(everything()), list(compiled())
    wrong = [*labels(tests), *cases(tests), *levels(files_compiled)]
    print("\n".join(wrong) or f"{len(tests)} tests")
    if wrong:
        return True
    unseen = 0
    for check, mistakes, right in ((labels, labels_mistaken, tests), (cases, cases_mistaken, tests),
                                   (levels, levels_mistaken, files_compiled)):
        for mistaken in mistakes(right):
            found = list(check(mistaken))
            print(f"a mistake of {check.__name__}:", *(found or ["not found"]), sep="\n  ")
            unseen += not found
    return unseen != 0


sys.exit(main())
