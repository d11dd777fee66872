"""Programs of the suite's other tests, with every check of softgpu: nothing is reported but what the rules mean, and
their tests pass as they do without. Which programs there are is ctest's own list: what a test runs by softgpu itself.

usage: silent.py BUILD RULES few|some|all|REGEX   RULES: a file of suppressions; few: what each has something of its own;
some: what takes seconds; REGEX: names
"""
import concurrent.futures
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as known:
    RULES = known.read()
SOME = r"""hip\.(?!busy|copies|crowd|exits|leaders|limited|mi100|rx6800|rx7900xtx|rx9070xt|strixhalo|prints-(?!4-)).*(?<!-O0)(?<!-O3)|hsa\.(known|abandon)|
    oracle\.(sharing|random)-O2|sdk\..*|v1\.(default|dump|misuse)|aqlprofile\.(att|count_8)"""
FEW = r"""hip\.(reduction|histogram|private|generic|cooperative|images|symbols|handshake|hostatomics|ipcevents|
    floatatomics|registered)-O2|hsa\.(known|abandon)|oracle\.(sharing|random)-O2|sdk\.driver\.whole|
    v1\.default|aqlprofile\.(att|count_8)"""
CHOSEN = re.compile({"few": FEW, "some": SOME, "all": ".*"}.get(sys.argv[3], sys.argv[3]), re.VERBOSE)
# Left out, and why
OTHERS = {
    r"check\..*": "programs that are wrong, and their twins",
    r"hip\.(badpointer|deviceabort)-O2|hip\.killed-.*": "killed: there is no summary",
    r"hip\.(faults|managed)-O2": "look at what happens where memory has been given back, which is held",
    r"hip\.limits-O2": "takes all of the memory, of which 4 GiB would be filled, in a time of its own",
    r"hip\.dlopen\.checked": "is checked anyway",
    r"oracle\.translate\..*": "are about translated code: what is checked is interpreted",
    r"hip\.too_old.*": "is refused: there is no GPU",
    r"hip\.rx9070xt\.no_time": "is refused: there is no GPU",
    r"(python|softgpu)\.(?!hsa|observe|peers).*": "the launcher and the driver, no programs of a GPU",
}
# What programs do on purpose, as rules
MEANT = {
    r"hip\.gpus": "invalid-write kernel=^fill",  # memory of a GPU without access
    r"hip\.ipc-O2|hip\.limited": "double-free call=hipIpcCloseMemHandle",
    r"hip\.floatatomics-.*": "fine-grained-float-atomic kernel=^add",  # changes nothing, which is what it looks at
    r"hip\.registered-.*": "invalid-read kernel=^add",  # by the host's pointer, which is out of reach
}
# What compilers do wrong: tests, the versions of hipcc's compiler, rules. LLVM takes the wait out of a loop's first block
# where nothing is outstanding when the loop is entered: docs/field.md.
COMPILED = (
    (r"oracle\.sharing-O[1s]", r"clang version (18|19|2[0-2])\.", "hazard-lds kernel=phases<"),
    (r"oracle\.sharing-O[1s]", r"clang version (18|19|2[0-2])\.", "hazard-lds-write kernel=phases<"),
)
LIMIT = 900  # seconds of a test


@functools.cache
def compiler():
    """What hipcc says of its version."""
    return subprocess.run(["hipcc", "--version"], check=True, capture_output=True, text=True).stdout


def rules_of(name):
    """The rules for a test: what is known of libraries, what it does on purpose, what compilers do wrong."""
    own = [rule for meant, rule in MEANT.items() if re.fullmatch(meant, name)]
    own += [rule for meant, version, rule in COMPILED if re.fullmatch(meant, name) and re.search(version, compiler())]
    return RULES + "".join(rule + "\n" for rule in own)


def tests():
    """{name: (command, environment)} of those that are meant."""
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True, capture_output=True)
    for test in json.loads(listed.stdout)["tests"]:
        name, command = test["name"], test.get("command", [])
        if (f"{BUILD}/bin/softgpu" in map(os.path.abspath, command) and CHOSEN.fullmatch(name) and
                not any(re.fullmatch(other, name) for other in OTHERS)):
            own = [p["value"] for p in test["properties"] if p["name"] == "ENVIRONMENT"]
            yield name, command, dict(line.split("=", 1) for line in sum(own, []))


def wrong(test):
    """What is wrong with a test, or nothing, and how long it took."""
    name, command, own = test
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)  # tests may become other users
        report, rules = os.path.join(folder, "report"), os.path.join(folder, "rules")
        with open(rules, "w", encoding="utf-8") as file:
            file.write(rules_of(name))
        # the first two as scripts/run-tests has them
        env = {"GPU_FORCE_BLIT_COPY_SIZE": "0", "HIP_SKIP_ABORT_ON_GPU_ERROR": "0", **os.environ, **own,
               "SOFTGPU_CHECK": "all", "SOFTGPU_CHECK_OUTPUT": report, "SOFTGPU_CHECK_SUPPRESSIONS": rules}
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=env, timeout=LIMIT, check=False)
            why = f"status {done.returncode}\n" + done.stdout.decode(errors="replace") if done.returncode else ""
        except subprocess.TimeoutExpired:
            why = f"not ended after {LIMIT} s"
        try:
            with open(report, encoding="utf-8") as file:
                told = file.read()
        except FileNotFoundError:
            told = ""
    found = re.search(r"^softgpu\S*: error: .*\n(?:  .*\n)*", told, re.MULTILINE)
    if found:
        why = found[0]
    elif not why and not re.search(r"^softgpu\S*: 0 errors$", told, re.MULTILINE):
        why = "no summary: nothing was checked"
    return name, why.strip()[:2000], time.monotonic() - start


passed = failed = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for name, why, seconds in pool.map(wrong, tests()):
        print(f"FAIL {name}: {why}" if why else f"ok {name} ({seconds:.0f} s)", flush=True)
        passed += not why
        failed += bool(why)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0 or passed == 0)
