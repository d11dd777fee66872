#!/usr/bin/env python3
"""Reports in SARIF against the schema of its specification, which an npm package brings: those of programs with errors
of every family, of several processes, and of one that has not used the GPU.

usage: sarif.py BUILD_DIR
"""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

BUILD = sys.argv[1]
PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
SCHEMA = "lib/schemas/sarif-2.1.0-rtm.5.json"
VALIDATE = """
import json, sys, jsonschema
with open(sys.argv[1]) as f:
    validator = jsonschema.Draft4Validator(json.load(f), format_checker=jsonschema.draft4_format_checker)
for name in sys.argv[2:]:
    with open(name) as f:
        for error in validator.iter_errors(json.load(f)):
            print(name, list(error.absolute_path), error.message[:300])
"""
# programs of the corpus with a line, a call, an origin, another access, two barriers
PROGRAMS = (("memory", "memory", "freed-twice"), ("init", "init", "condition"), ("race", "race", "reduction"),
            ("race", "order", "two-streams"), ("sync", "sync", "different-barriers"), ("hazard", "hazard", "vector-load"))


def skip(why):
    print(why)
    sys.exit(77)


def schema():
    """Fetched once for a build tree."""
    path = os.path.join(BUILD, "tests/softgpu/check/npm/package", SCHEMA)
    folder = os.path.join(BUILD, "tests/softgpu/check/npm")
    if os.path.exists(path):
        return path
    os.makedirs(folder, exist_ok=True)
    try:
        done = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True,
                              timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as why:
        skip(f"no npm, or it does not answer: {why}")
    if done.returncode:
        skip(f"npm pack {PACKAGE}: {done.stderr.strip()}")
    archive, = glob.glob(os.path.join(folder, "*.tgz"))
    subprocess.run(["tar", "xzf", archive, "-C", folder], check=True)
    return path


def report(work, name, families, *words):
    path = os.path.join(work, name + ".sarif")
    subprocess.run([os.path.join(BUILD, "bin/softgpu"), "--cus", str(suite_gpu.UNITS), "--check=" + families, "--check-format", "sarif",
                    "--check-output", path, "--", *words], capture_output=True, timeout=100, check=False)
    with open(path, encoding="utf-8") as f:
        return path, json.load(f)["runs"][0]


def main():
    against = schema()
    done = subprocess.run(["/usr/bin/python3", "-c", "import jsonschema"], capture_output=True, check=False)
    if done.returncode:
        skip("python3-jsonschema is missing")
    with tempfile.TemporaryDirectory(prefix="sarif-") as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def one(row):
            families, program, bug = row
            return report(work, bug, families, os.path.join(BUILD, "tests/softgpu/check", program), bug)
        reports = list(pool.map(one, PROGRAMS))
        for (_, _, bug), (_, run) in zip(PROGRAMS, reports):
            assert run["results"], bug
        reports.append(report(work, "nothing", "all", "true"))
        assert not reports[-1][1]["results"]
        done = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", VALIDATE, against, *(p for p, _ in reports)],
                              capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
        # the validator is one: it sees what is wrong
        path, _ = reports[0]
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        document["runs"][0]["results"][0]["level"] = "bad"
        with open(path, "w", encoding="utf-8") as f:
            json.dump(document, f)
        done = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", VALIDATE, against, path], capture_output=True,
                              text=True, check=False)
        assert "'level'" in done.stdout and "'bad'" in done.stdout, done.stdout + done.stderr


main()
