"""The corpus of softgpu --check: each program of a family is reported with its line, its lanes and its allocation,
and its repaired twin is not.

A family is FAMILY.hip (corpus.h) and FAMILY.py, which ends with corpus.main(BUGS), a Bug by the name of its program;
a plain tuple will do. Further tests are classes of unittest beside it.
usage: FAMILY.py SOFTGPU PROGRAM SOURCE [kinds] [name of a program or unittest argument ...]
       FAMILY.py SOFTGPU PROGRAM SOURCE observed[=N] [name of a program ...]
With "kinds", of the programs that are reported as the same kinds of findings the first stands for all; their twins are
what they are. With "observed", findings are compared with those of the same program under each observer of OBSERVERS; with N, of every
Nth program under two of them.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import typing
import unittest

softgpu, program, source = sys.argv[1:4]
del sys.argv[1:4]
folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(folder)))

import remarks  # noqa: E402
import schema  # noqa: E402
import suite_gpu  # noqa: E402
NO_IMAGES = "NO_IMAGES" in os.environ  # the suite's GPU has no image instructions
GPU = suite_gpu.PRODUCT
WAVE = 32 if GPU.startswith(("rx", "strix")) else 64  # lanes
OWN_WAITS = GPU == "rx9070xt"  # gfx12: each counter has an instruction of its own, LDS and scalars have one each


class Bug(typing.NamedTuple):
    kinds: dict         # how often each kind of the summary was different, a number or a range of them
    head: str           # what the report begins with, behind "softgpu: error: "
    line: str           # the comment of the line that is reported
    lanes: str | None = None
    place: str | None = None  # of the address,
    made: str | None = None   # behind which stands the line with this comment,
    gone: str | None = None   # and where it was taken back
    other: str | None = None  # the comment of another line that is reported: of the other access
    status: int = 0     # of the program, minus its signal


def in_waves(text):
    """What is said of waves of 64 lanes, said of the GPU's: the same work-item, and all lanes of a wave."""
    def place(match):
        item = 64 * int(match[2]) + int(match[1])
        return f"lane {item % WAVE} of wave {item // WAVE}"
    return re.sub(r"lane (\d+) of wave (\d+)", place, text).replace("64 lanes of this wave", f"{WAVE} lanes of this wave")


def wait_for(counter, n=0):
    """The instruction that waits until n operations are outstanding: of loads, LDS or scalars."""
    if OWN_WAITS:
        return {"loads": "s_wait_loadcnt", "LDS": "s_wait_dscnt", "scalars": "s_wait_kmcnt"}[counter] + f" 0x{n:x}"
    return f"s_waitcnt {'vmcnt' if counter == 'loads' else 'lgkmcnt'}({n})"


def place_of(comment):
    """FILE:LINE, as a regular expression, of the line that ends with the comment: in the source or in corpus.h."""
    for name in (source, os.path.join(folder, "corpus.h")):
        with open(name, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                if line.rstrip().endswith("// " + comment):
                    return rf"\S*{re.escape(os.path.basename(name))}:{number}\b"
    raise LookupError(f"{source} has no line with // {comment}")


def run(*words, **more):
    """A process that has ended; what its runtime says of itself is not among what it told."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False, **more)
    done.stderr = remarks.own(done.stderr)
    return done


def check(*words, options=("--check",), **more):
    return run(softgpu, "--cus", str(suite_gpu.UNITS), *options, "--", program, *words, **more)


def records(text):
    """The lines of a report in JSON, which are as the schema says."""
    with open(os.path.join(folder, "../../../docs/check.schema.json"), encoding="utf-8") as f:
        whole = json.load(f)
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        schema.check(line, whole["$defs"][line["record"]], whole)
    return lines


def in_twos(do, names):
    """do(name) of all, two at a time: what each has returned."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(zip(names, pool.map(do, names)))


TRIES = 5


def until_found(name, do, found, tries):
    """What do() has returned when it had found something, or the last time; how many tries that took is printed. With `tries` for
    programs whose streams run side by side: if the host lets a copy engine begin only after the program has seen another
    copy's end, the two are in order."""
    for k in range(1, tries + 1):
        done = do()
        if found(done):
            break
    if tries > 1:
        print(f"{name}: {'found' if found(done) else 'not found'} after {k} of {tries} tries", file=sys.stderr)
    return done


def nothing_is_wrong(test, names, options):
    """Of programs that are right: they are one process, so that not each of them starts a runtime; where that tells
    something, each is one."""
    def told(names):
        done = check(",".join(names), options=options)
        return done.returncode, done.stdout, done.stderr

    together = told(names)
    wanted = (0, "done\n" * len(names), "softgpu: 0 errors\n")
    if together != wanted:
        for name, got in in_twos(lambda name: told([name]), names):
            with test.subTest(name):
                test.assertEqual(got, (0, "done\n", "softgpu: 0 errors\n"))
    test.assertEqual(together, wanted)


class Corpus(unittest.TestCase):
    bugs: typing.ClassVar[dict] = {}
    stand_for: typing.ClassVar[dict] = {}  # those that are run, each for others of its kinds
    options = ("--check",)
    together = 16  # twins that are one process
    single = ()   # programs whose twins change what comes after them
    streams = ()  # programs whose kernels or copies run side by side

    def judge(self, bug, done):
        text = done.stderr
        self.assertEqual((done.returncode, done.stdout), (bug.status, "" if bug.status else "done\n"), text)
        self.assertIn("softgpu: error: " + in_waves(bug.head), text)
        for comment in filter(None, (bug.line, bug.other)):
            self.assertRegex(text, place_of(comment))
        for part in filter(None, (bug.lanes, bug.place)):
            self.assertIn(in_waves(part), text)
        if bug.made:
            self.assertRegex(text, rf"{re.escape(bug.place)} {place_of(bug.made)}")
        if bug.gone:
            self.assertRegex(text, rf" and \S+ took back at {place_of(bug.gone)}")
        found = {k: int(v) for k, v in re.findall(r"softgpu:   (\S+) +(\d+) different", text)}
        for kind, count in bug.kinds.items():
            if isinstance(count, range) and found.get(kind) in count:
                found[kind] = count
        self.assertEqual(found, bug.kinds, text)

    def test_bugs_are_found(self):
        def run_one(name):
            return until_found(name, lambda: check(name, options=self.options),
                               lambda done: "softgpu: error: " in done.stderr, TRIES if name in self.streams else 1)

        for name, done in in_twos(run_one, self.stand_for):
            with self.subTest(name):
                self.judge(self.bugs[name], done)

    def twins(self, names):
        """What a process tells that runs the twins of these programs one after another, and what it should."""
        done = check(",".join(names), "right", options=self.options)
        own = re.sub(r"^softgpu\[\d+\]: 0 errors\n", "", done.stderr, flags=re.M)  # as its children
        return (done.returncode, done.stdout, own), (0, "done\n" * len(names), "softgpu: 0 errors\n")

    def test_twins_are_silent(self):
        """Several are one process, so that not each of them starts a runtime; where one tells something, each is one."""
        names = [name for name in self.bugs if name not in self.single]
        groups = [names[i:i + self.together] for i in range(0, len(names), self.together)]
        alone = [[name] for name in self.bugs if name in self.single]
        for group, (got, wanted) in in_twos(self.twins, groups):
            if got != wanted:
                alone += [[name] for name in group]
                with self.subTest(together=group):
                    self.assertEqual(got, wanted)
        for name, (got, wanted) in in_twos(self.twins, alone):
            with self.subTest(*name):
                self.assertEqual(got, wanted)


# Who else looks at instructions: options of softgpu, and those of rocprofv3, where it is there.
OBSERVERS = {
    "statistics": (("--stats",), ()),
    "trace": (("--trace", "--trace-file", os.devnull), ()),
    "counters": ((), ("--pmc", "SQ_WAVES", "SQ_INSTS_VALU")),
    "counters of the model": ((), ("--pmc", "TCC_HIT_sum", "SQ_BUSY_CYCLES")),
    "instruction counts": ((), ("--instruction-counts",)),
    "instruction counts of the model": ((), ("--instruction-counts", "--instruction-counts-level", "model")),
    "counters and statistics": (("--stats",), ("--pmc", "SQ_WAVES")),
    "instruction counts and statistics": (("--stats",), ("--instruction-counts",)),
    "instruction counts and counters": ((), ("--instruction-counts", "--pmc", "SQ_WAVES")),
    "all": (("--stats", "--trace", "--trace-file", os.devnull),
            ("--instruction-counts", "--instruction-counts-level", "model", "--pmc", "TCC_HIT_sum")),
}
NOT_COMPARED = ("process", "pc", "address", "begin")  # where the host has put something


def comparable(value):
    if isinstance(value, dict):
        return {key: comparable(v) for key, v in value.items() if key not in NOT_COMPARED}
    if isinstance(value, list):
        return [comparable(v) for v in value]
    return re.sub("0x[0-9a-f]+", "0x", value) if isinstance(value, str) else value


def pair(finding):
    """The two places of a race, whichever of them was first, and the calls they are made for."""
    at = dict(finding.get("at", {}), call=finding.get("call"))
    return sorted(json.dumps([place.get("function"), place.get("frames"), place.get("call")], sort_keys=True)
                  for place in (at, finding.get("other", at)))


class Observed(unittest.TestCase):
    """One thread runs the waves, so that they come in the same order every time. Which of two streams is first is the
    host's matter even so, and a profiler that reads counters has one kernel end before the next begins."""
    bugs: typing.ClassVar[dict] = {}
    options = ("--check",)
    step = 0  # 0: all of them
    streams = ()     # programs whose kernels or copies run side by side
    unprofiled = ()  # those that end in another way under a profiler: what is freed is not held there, and HIP 5.2
    #                  does not end where hipFreeAsync is called, with or without checks
    maxDiff = None

    def findings(self, name, softgpu_options=(), profiler=()):
        with tempfile.TemporaryDirectory(prefix="observed-") as folder:
            words = [softgpu, "--cus", str(suite_gpu.UNITS), "--threads", "1", *self.options, "--check-format", "json", "--check-output",
                     folder + "/found.json", *softgpu_options, "--"]
            if profiler:
                words += [os.path.join(os.path.dirname(softgpu), "rocprofv3"), "--gpu", "soft", "-d", folder + "/out",
                          *profiler, "--"]
            done = run(*words, program, name)
            with open(folder + "/found.json", encoding="utf-8") as f:
                lines = records(f.read())
        found = [comparable(line) for line in lines if line["record"] == "finding"]
        status = 128 - done.returncode if done.returncode < 0 else done.returncode  # as a profiler tells a signal
        return status, sorted(found, key=lambda line: json.dumps(line, sort_keys=True))

    def some_findings(self, name, *observer):
        return until_found(name, lambda: self.findings(name, *observer), lambda result: result[1],
                           TRIES if name in self.streams else 1)

    def test_findings_are_the_same(self):
        def compare(name):
            which = list(OBSERVERS)
            if self.step:
                at = list(self.bugs).index(name)
                which = [which[(at + k * len(which) // 2) % len(which)] for k in range(2)]
            if name in self.unprofiled:
                which = [observer for observer in which if not OBSERVERS[observer][1]]
            if name in self.streams:
                which = [observer for observer in which if "--pmc" not in OBSERVERS[observer][1]]
            alone = self.some_findings(name)
            return alone, {observer: self.some_findings(name, *OBSERVERS[observer]) for observer in which}

        for name, (alone, observed) in in_twos(compare, list(self.bugs)[::self.step or 1]):
            self.assertTrue(alone[1], f"nothing is found in {name}")
            for observer, found in observed.items():
                with self.subTest(name, observer=observer):
                    if name in self.streams:
                        (_, found), (_, one) = found, alone
                        self.assertEqual(*({json.dumps(pair(f)) for f in findings} for findings in (found, one)))
                    else:
                        self.assertEqual(found, alone)


def of_each_kind(bugs):
    """The first program of those that are reported as the same kinds and end in the same way."""
    first = {}
    for name, bug in bugs.items():
        first.setdefault((tuple(sorted(bug.kinds)), bug.status), name)
    return {name: bugs[name] for name in first.values()}


def main(bugs, options=("--check",), streams=(), unprofiled=(), single=()):
    """Runs the tests of the family, of those programs alone that are named."""
    chosen = [word for word in sys.argv[1:] if word in bugs]
    observed = [word for word in sys.argv[1:] if re.fullmatch(r"observed(=\d+)?", word)]
    kinds = "kinds" in sys.argv[1:]
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in bugs and word not in observed and word != "kinds"]
    tests = Observed if observed else Corpus
    tests.bugs = {name: Bug(*bugs[name]) for name in chosen or bugs}
    Corpus.stand_for = of_each_kind(tests.bugs) if kinds else tests.bugs
    tests.options = options
    Corpus.single, Corpus.streams = single, streams
    if observed:
        Observed.streams, Observed.unprofiled = streams, unprofiled
        Observed.step = int(observed[0].partition("=")[2] or 0)
        sys.argv[1:1] = ["Observed"]
    setattr(sys.modules["__main__"], tests.__name__, tests)
    unittest.main()
