#!/usr/bin/env python3
"""The recipes in docs/format-*.md run, on the files of a fresh run, and print something; the pictures that the
pages show are made anew and hold what they should.

usage: recipes.py SOURCE_DIR BUILD_DIR PROGRAM KIND...
KIND: the word of a code block behind its three backquotes (sh, sql, python, "python pandas", "sql duckdb");
pictures: the pictures.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SOURCE, BUILD, PROGRAM = sys.argv[1:4]
SKIPPED = 77
PYTHON = "/usr/bin/python3" # the one that Debian's packages are for
ENVIRONMENT = dict(os.environ, PATH=f"{BUILD}/bin:{os.environ['PATH']}")
# Perfetto's trace_processor cannot be had as a package: the pages say what its queries are, nothing runs them
COMMANDS = {
    "sh": ["sh", "-e", "-c"],
    "sql": ["rocpd", "query", "-i", "out/demo_results.db", "--query"],
    "python": [PYTHON, "-c"],
    "python pandas": [PYTHON, "-c"],
    "sql duckdb": ["duckdb", "-c"],
}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False, **more)


def recipes(kind):
    """(page, number, text) of each block of a kind."""
    for page in sorted(glob.glob(f"{SOURCE}/docs/format-*.md")):
        with open(page, encoding="utf-8") as f:
            blocks = re.findall(r"^```(.+?)\n(.*?)^```$", f.read(), re.M | re.S)
        for number, (word, text) in enumerate(blocks, 1):
            if word not in COMMANDS and word != "sql perfetto":
                sys.exit(f"{page}: recipe {number} is of a kind that nothing runs: {word}")
            if word == kind:
                yield os.path.basename(page), number, text


def profile(directory):
    done = run([f"{BUILD}/bin/rocprofv3", "--gpu", "soft", "-s", "--pmc", "SQ_WAVES", "-f", "csv", "json", "pftrace",
                "otf2", "rocpd", "-d", "out", "-o", "demo", "--", PROGRAM], cwd=directory)
    if done.returncode:
        sys.exit(done.stderr)


def try_recipes(kind, directory):
    count = 0
    for page, number, text in recipes(kind):
        done = run(COMMANDS[kind] + [text], cwd=directory)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        if done.returncode or not lines or "rror" in done.stderr:
            sys.exit(f"{page}, recipe {number} ({kind}): status {done.returncode}\n{done.stdout}{done.stderr}")
        count += 1
    if not count:
        sys.exit(f"no recipe of the kind {kind}")
    print(f"{kind}: {count} recipes")


def check_pictures(directory):
    shown = {"csv": "matmul_tiled", "json": "dispatch_info", "otf2": "jacobi_step", "pftrace": "jacobi_step",
             "rocpd": "jacobi_step"}
    done = run([f"{SOURCE}/scripts/draw-formats", BUILD, PROGRAM, directory])
    if done.returncode:
        sys.exit(done.stderr)
    for name, words in shown.items():
        file = f"format-{name}.svg"
        with open(f"{SOURCE}/docs/format-{name}.md", encoding="utf-8") as f:
            if f"](pictures/{file})" not in f.read():
                sys.exit(f"format-{name}.md does not show {file}")
        for where in (directory, f"{SOURCE}/docs/pictures"):
            root = xml.etree.ElementTree.parse(f"{where}/{file}").getroot()
            if words not in "".join(root.itertext()):
                sys.exit(f"{where}/{file} does not show {words}")
    print(f"{len(shown)} pictures")


def missing(kind):
    if kind == "sql duckdb":
        return "" if shutil.which("duckdb") else "duckdb"
    done = run([PYTHON, "-c", "import pandas"])
    return "python3-pandas" if kind == "python pandas" and done.returncode else ""


def main():
    kinds = sys.argv[4:]
    lacking = [package for package in map(missing, kinds) if package]
    if lacking:
        print(f"skipped: needs {' '.join(lacking)}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="recipes-") as directory:
        if kinds != ["pictures"]:
            profile(directory)
        for kind in kinds:
            if kind == "pictures":
                check_pictures(directory)
            else:
                try_recipes(kind, directory)


main()
