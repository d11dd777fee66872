#!/usr/bin/env python3
"""The workflows of docs/check.md as they stand there, on a real program and the software GPU; the compiler and the
packages are there already, and what services do with the report is theirs.

usage: ci.py BUILD_DIR PROGRAM PAGE
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from workflow import block, github, gitlab, run, stand_in  # noqa: E402

BUILD, PROGRAM, PAGE = sys.argv[1:4]


def judge(work, scripts, environment, rules, status):
    """Of the last script alone the status may be another than 0."""
    with open(work + "/check.rules", "w", encoding="utf-8") as f:
        f.write(rules)
    for k, script in enumerate(scripts):
        got, said = run(script, work, environment)
        assert got == (status if k + 1 == len(scripts) else 0), (got, said)
    with open(work + "/check.sarif", encoding="utf-8") as f:
        results = json.load(f)["runs"][0]["results"]
    assert [r["ruleId"] for r in results] == (["invalid-write"] if status else []), results
    return results


def main():
    with tempfile.TemporaryDirectory(prefix="ci-") as directory:
        tools, work = directory + "/tools", directory + "/work"
        os.makedirs(tools)
        os.makedirs(work)
        stand_in(tools + "/apt-get", "exit 0\n")
        # hipcc ... -o FILE: a program with an error
        stand_in(tools + "/hipcc", 'while [ "$1" != -o ]; do shift; done\n'
                 f'printf \'#!/bin/sh\\nexec "%s" counted\\n\' "{PROGRAM}" >"$2" && chmod +x "$2"\n')
        environment = dict(os.environ, PATH=f"{tools}:{BUILD}/bin:{os.environ['PATH']}")
        steps = github(block(PAGE, "github"))
        assert len(steps) == 4, steps
        judge(work, steps, environment, "# none\n", 42)
        judge(work, steps, environment, "invalid-write kernel=^spill\n", 0)
        lines = gitlab(block(PAGE, "gitlab"))
        assert len(lines) == 5, lines
        result, = judge(work, ["\n".join(lines)], environment, "# none\n", 42)
        with open(work + "/quality.json", encoding="utf-8") as f:
            quality, = json.load(f)
        assert quality["check_name"] == "invalid-write" and quality["description"] == result["message"]["text"]
        assert quality["location"]["path"].endswith("/use.hip") and quality["location"]["lines"]["begin"] > 1
        judge(work, ["\n".join(lines)], environment, "invalid-write kernel=^spill\n", 0)


main()
