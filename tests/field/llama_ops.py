#!/usr/bin/env python3
# field: forky
# field-ci: forky
# field-mi100: forky
# field-mi300x: experimental
# field-waves32: forky experimental
# field-mi355x: experimental
# field-llama: experimental
# field-timeout: 21600
"""llama.cpp's own test of its operations, each on the GPU against the CPU: some shapes and types of every operation
bare, fewer traced and counted. With the set "all" every shape and type bare."""
import collections
import csv
import io
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field

f = field.Field()
PROGRAM = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"
HOUR = 3600
# in front of a wrong one stands how wrong it is
RESULT = re.compile(r"^(?:|\[[A-Z0-9_]+\] .*)  ([A-Z0-9_]+)\(.*\): (?:\x1b\[[0-9;]*m)*(OK|FAIL|not supported)", re.MULTILINE)
LEAST = 100  # operations that llama.cpp has at least on this back end
# Cases of an operation, evenly taken from its list: of all 15,700 the half takes half an hour on two cores.
BARE, WATCHED = 8, 2 if f.all else 1
ARGUMENT = 100_000  # characters; Linux takes 131,071 in one argument
FEW = "RMS_NORM,SUM_ROWS,GET_ROWS"  # the small set: vector code, cross-lane operations, LDS
# without the two shapes of a hundred million elements, which take nine tenths of the time
SHAPES = "type=f32" + "(?!.*(m=80000|be1=700))" * f.small


def operations(run):
    """{operation: {verdict: how often}}"""
    found = collections.defaultdict(collections.Counter)
    for name, verdict in RESULT.findall(run.out + run.err):
        found[name][verdict] += 1
    return found


def cases(run):
    """{operation: its cases that the GPU can do}, as the program wants them after -o."""
    found = {}
    for row in csv.DictReader(io.StringIO(run.out)):
        if row.get("supported") == "1":  # a case may be there twice
            found.setdefault(row["op_name"], {})[f"{row['op_name']}({row['op_params']})"] = None
    return {name: list(each) for name, each in found.items()}


def chosen(lists, most):
    """Arguments of -o: at most so many cases of each operation."""
    arguments = [""]
    for each in lists.values():
        count = min(most, len(each))
        for n in range(count):
            case = each[n * len(each) // count]
            if len(arguments[-1]) + len(case) >= ARGUMENT:
                arguments.append("")
            arguments[-1] += "," * bool(arguments[-1]) + case
    return arguments


def wrong(run):
    """What is wrong with a run, or nothing."""
    bad = [name for name, verdicts in operations(run).items() if verdicts["FAIL"]]
    return ("; ".join(filter(None, [bad and f"wrong: {', '.join(bad)}", run.why()])) or
            ("" if "backends passed" in run.out + run.err else "no result"))


def compared(name, command):
    """Bare, traced and counted: the same verdicts, nothing lost, every dispatch and every wave."""
    bare = f.soft(command, "--stats", timeout=HOUR)
    f.case(f"{name} bare", wrong(bare), bare.seconds)
    dispatches = {kernel: n for kernel, (n, _) in field.executed(bare.err).items()}
    for way, run, differences in (
            ("trace", f.traced, lambda trace: field.differences(dispatches, trace.dispatches())),
            ("counters", f.counted, lambda trace: field.miscounted(bare.err, trace.counters()["SQ_WAVES"]))):
        watch = run(f"{name} {way}", command, timeout=HOUR)
        f.case(f"{name} {way}", wrong(watch.run) or watch.losses() or
               ("" if operations(watch.run) == operations(bare) else "other verdicts than bare") or differences(watch),
               watch.run.seconds)


if f.needs({PROGRAM: "llama.cpp-tests"}, field.GGML_HIP):
    compared("few operations", [PROGRAM, "test", "-b", "ROCm0", "-o", FEW, "-p", SHAPES])
    if not f.small:
        test = [PROGRAM, "test", "-b", "ROCm0"]
        listed = f.soft([PROGRAM, "support", "-b", "ROCm0", "--output", "csv"])
        lists = cases(listed)
        f.case("list of operations", listed.why() or ("" if len(lists) >= LEAST else f"only {len(lists)} operations"))

        commands = [test] if f.all else [[*test, "-o", argument] for argument in chosen(lists, BARE)]
        runs = [f.soft(command, timeout=4 * HOUR) for command in commands]
        found = collections.defaultdict(collections.Counter)
        for run in runs:
            for operation, verdicts in operations(run).items():
                found[operation] += verdicts
        for operation, verdicts in found.items():
            done = verdicts["OK"] + verdicts["FAIL"]
            if done:
                f.case(f"{operation}, {done} shapes and types", f"{verdicts['FAIL']} wrong" if verdicts["FAIL"] else "")
        missing = ", ".join(lists.keys() - found.keys())
        f.case("operations bare", "; ".join(filter(None, map(wrong, runs))) or (f"not run: {missing}" if missing else ""),
               sum(run.seconds for run in runs))
        for argument in chosen(lists, WATCHED):
            compared("every operation", [*test, "-o", argument])
f.finish()
