#!/usr/bin/env python3
"""The workflows of docs/ci.md, step by step as they stand there, on a real program and the software GPU: in a
repository of a branch and main, with git itself; the compiler and the packages are there already.

usage: ci.py BUILD_DIR PROGRAM PAGE github|gitlab
"""
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from workflow import block, github, gitlab, run, stand_in  # noqa: E402

BUILD, PROGRAM, PAGE, KIND = sys.argv[1:5]


def git(directory, *words):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@e", "-c", "init.defaultBranch=main", *words],
                   cwd=directory, check=True, capture_output=True)


def repository(directory, environment):
    """main and a branch that has been pushed; the budget is what `check --update` makes of a run."""
    origin, work = directory + "/origin", directory + "/work"
    os.makedirs(origin)
    git(origin, "init")
    with open(origin + "/app.hip", "w", encoding="utf-8") as f:
        f.write("// the compiler that stands in does not read this\n")
    git(origin, "add", ".")
    git(origin, "commit", "-m", "app")
    git(directory, "clone", origin, work)
    profile = ["rocprofv3", "--gpu", "soft", "--kernel-trace", "--pmc", "SQ_INSTS_VALU", "SQ_WAVES", "LDSBankConflict",
               "-d", directory + "/first", "--", PROGRAM]
    subprocess.run(profile, env=environment, check=True, capture_output=True, timeout=120)
    subprocess.run(["rocprofv3", "check", "--update", work + "/budget.yaml", directory + "/first"], env=environment,
                   check=True, timeout=60)
    return work


def main():
    text = block(PAGE, KIND)
    scripts = github(text) if KIND == "github" else gitlab(text)
    assert sum("rocprofv3" in s for s in scripts) >= 3 and any("hipcc" in s for s in scripts), scripts
    with tempfile.TemporaryDirectory(prefix="ci-") as directory:
        tools = directory + "/tools"
        os.makedirs(tools)
        stand_in(tools + "/apt-get", "exit 0\n")
        # hipcc ... -o FILE
        stand_in(tools + "/hipcc", f'while [ "$1" != -o ]; do shift; done; cp {PROGRAM} "$2"\n')
        environment = dict(os.environ, PATH=f"{tools}:{BUILD}/bin:{os.environ['PATH']}",
                           GITHUB_STEP_SUMMARY=directory + "/summary", CI_DEFAULT_BRANCH="main")
        work = repository(directory, environment)
        for script in scripts:
            status, said = run(script, work, environment)
            assert status == 0, said
        if KIND == "github":
            with open(directory + "/summary.check", encoding="utf-8") as f:
                assert " kept, 0 broken, 0 not checked\n" in f.read()
            with open(directory + "/summary", encoding="utf-8") as f:
                assert " kernels the same, 0 differences, 0 not compared\n" in f.read()
        else:
            for name in ("check.xml", "diff.xml"):
                suite = xml.etree.ElementTree.parse(f"{work}/{name}").getroot()[0]
                assert int(suite.get("tests")) > 3 and suite.get("failures") == suite.get("errors") == "0", name
        # a budget that is too small ends the job
        with open(work + "/budget.yaml", "w", encoding="utf-8") as f:
            f.write('matmul*: {SQ_INSTS_VALU: "<= 1"}\n')
        status, said = run(scripts[-1], work, environment)
        assert status == 1 and "BROKEN" in said, said
        shutil.rmtree(work)
    print(f"{KIND}: {len(scripts)} steps")


main()
