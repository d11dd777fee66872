"""Field programs that are Google Test programs of a ROCm library, each comparing the GPU's results with the host's:
bare, every result of its own; traced and counted, with the dispatches and waves that softgpu itself says it executed."""
import re

import field

RESULT = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+?)(?:,.*)? \(\d+ ms\)$", re.MULTILINE)
RAN = re.compile(r"^\[=+\] (\d+) tests? from \d+ test (?:suites?|cases?) ran", re.MULTILINE)


def results(run):
    """{test: OK, FAILED or SKIPPED}"""
    return {name: verdict for verdict, name in RESULT.findall(run.out)}


def wrong(run):
    """What is wrong with a run, or nothing."""
    found = results(run)
    failed = [name for name, verdict in found.items() if verdict == "FAILED"]
    ran = RAN.search(run.out)
    if failed:
        return f"{len(failed)} failed: {', '.join(failed[:3])}"
    return run.why() or ("no result" if not ran or not found else
                         f"{ran[1]} ran, {len(found)} have a result" if int(ran[1]) != len(found) else "")


def groups(run, routine):
    """The routines of a run, as the first group of a pattern finds them in its tests: {routine: [tests, failed]}"""
    counts = {}
    for name, verdict in results(run).items():
        count = counts.setdefault(re.match(routine, name)[1], [0, 0])
        count[0] += verdict != "SKIPPED"
        count[1] += verdict == "FAILED"
    return counts


def watched(f, name, trace, bare, differences):
    """A run under rocprofv3: the bare run's results, nothing lost, every dispatch."""
    f.case(name, wrong(trace.run) or trace.losses() or
           ("" if results(trace.run) == results(bare) else "other results than bare") or differences(trace), trace.run.seconds)


def check(f, command, routine, all_tests, few_tests, least, **keywords):
    """Runs `command` with the tests of one filter bare, at least so many, and those of another traced and counted."""
    if not f.small:
        run = f.soft([*command, f"--gtest_filter={all_tests}"], timeout=3600, **keywords)
        counts = groups(run, routine)
        for name, (tests, failed) in counts.items():
            if tests:
                f.case(f"{name}, {tests} tests", f"{failed} failed" if failed else "")
        done = sum(tests for tests, _ in counts.values())
        f.case("all bare", wrong(run) or ("" if done >= least else f"only {done} tests"), run.seconds)

    few = [*command, f"--gtest_filter={few_tests}"]
    bare = f.soft(few, "--stats", **keywords)
    f.case("few bare", wrong(bare), bare.seconds)
    dispatches = {kernel: n for kernel, (n, _) in field.executed(bare.err).items()}
    watched(f, "few traced", f.traced("trace", few, **keywords), bare,
            lambda trace: field.differences(dispatches, trace.dispatches()))
    watched(f, "few counted", f.counted("counters", few, **keywords), bare,
            lambda trace: field.miscounted(bare.err, trace.counters()["SQ_WAVES"]))
