#!/usr/bin/env python3
"""What has to be built for tests: test_programs.py BUILD REGEX|tests/FOLDER. Nothing is built here.
Each line is a target or a folder with a slash, as scripts/build-targets wants them. Fails if no test matches.

A test needs the files of the build tree that its command and environment name. If its command is a script, and it is
none of the fast tests, it needs all of the product besides, and if the script is given the build tree its folder's
programs. What else tests run is in uses.tsv; see cmake/tests.cmake."""
import functools
import json
import os
import re
import subprocess
import sys

build = os.path.abspath(sys.argv[1])
# targets of a folder, from which on all of it is built, and folders, from which on all of them are: each is a call of make,
# but of Ninja one call makes all
MANY = 5 if not os.path.exists(f"{build}/build.ninja") else 1 << 30


@functools.cache
def table(name):
    with open(f"{build}/tests/{name}.tsv", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip()]


def chosen(what):
    """(name, folder, labels, environment) of each test that matches, or of a folder's, as ctest has it."""
    which = [f"{build}/{what}"] if what.startswith("tests/") else [build, "-R", what]
    listed = subprocess.run(["ctest", "--show-only=json-v1", "--test-dir", *which], check=True, capture_output=True,
                            text=True)
    for test in json.loads(listed.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test["properties"]}
        yield (test["name"], properties["WORKING_DIRECTORY"], properties.get("LABELS", []),
               [line.split("=", 1)[1] for line in properties.get("ENVIRONMENT", [])])


def commands(folder):
    """{test: words of its command}. ctest does not tell those of programs that are not there yet."""
    with open(folder + "/CTestTestfile.cmake", encoding="utf-8") as file:
        return {name: [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r'"((?:[^"\\]|\\.)*)"', words)]
                for name, words in re.findall(r"^add_test\(\[=\[(.*?)\]=\](.*)\)$", file.read(), re.M)}


def area(inside):
    """The folder of tests that a path of the build tree is in: the nearest that ctest knows."""
    while inside.count("/") > 1 and not os.path.isfile(f"{build}/{inside}/CTestTestfile.cmake"):
        inside = os.path.dirname(inside)
    return inside


def wanted(name, folder, labels, command, environment):
    """What one test needs: targets, folders below the build tree."""
    own, fast = os.path.relpath(folder, build), "fast" in labels
    script = os.path.realpath(command[0]) not in makes
    need = set() if fast or not script else {"all"}
    for path in re.findall(re.escape(build) + r"(?![\w-])(?:/[^:;=\s]*)?", "\n".join(command + environment)):
        inside = os.path.relpath(path, build)
        if os.path.realpath(path) in makes:
            need.add(makes[os.path.realpath(path)])
        elif re.match(r"(tests|samples)/(?!bin/|lib/)[^/]+/", inside + "/"):
            need.add(area(inside))
        else:
            need |= ({own} if path == build else set()) | ({"all"} if not fast else set())
    for kind, key, *more in table("uses"):
        if re.search(key, name) if kind == "tests" else fast and script and key == own:
            need |= set(more)
    return need


def main():
    need, tests = set(), list(chosen(sys.argv[2]))
    if not tests:
        sys.exit(f"no test matches {sys.argv[2]}")
    for name, folder, labels, environment in tests:
        need |= wanted(name, folder, labels, commands(folder)[name], environment)
    for folder in {place for place in places.values() if re.match("tests|samples", place)}:
        inside = {target for target in need if places.get(target) == folder}
        if folder in need or len(inside) >= MANY:
            need = need - (inside - alone) | {folder}
    folders = sorted(n for n in need if os.path.isdir(f"{build}/{n}"))
    # "all" and faults_programs are targets, too, but make no file
    for target in sorted(need - set(folders), key=lambda n: (n != "all", n)):
        if "all" not in need or re.match("tests|samples|$", places.get(target, "")):
            print(target)
    for folder in ["samples", "tests"] if len(folders) >= 2 * MANY else folders:
        print(folder + "/")


makes = {os.path.realpath(path): target for target, path, _ in table("programs")}
places = {target: os.path.relpath(folder, build) for target, _, folder in table("programs")}
alone = {target for target, in table("long")}  # which making their folder does not make
if __name__ == "__main__":
    main()
