"""The corpus of softgpu --check: each program of a family is reported with its line, its lanes and its allocation,
and its repaired twin is not.

A family is FAMILY.hip (corpus.h) and FAMILY.py, which ends with corpus.main(BUGS), a Bug by the name of its program;
a plain tuple will do. Further tests are classes of unittest beside it.
usage: FAMILY.py SOFTGPU PROGRAM SOURCE [name of a program or unittest argument ...]
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import typing
import unittest

softgpu, program, source = sys.argv[1:4]
del sys.argv[1:4]
folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(folder))

import remarks  # noqa: E402
import schema  # noqa: E402


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
    return run(softgpu, "--cus", "4", *options, "--", program, *words, **more)


def records(text):
    """The lines of a report in JSON, which are as the schema says."""
    with open(os.path.join(folder, "../../docs/check.schema.json"), encoding="utf-8") as f:
        whole = json.load(f)
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        schema.check(line, whole["$defs"][line["record"]], whole)
    return lines


def in_twos(do, names):
    """do(name) of all, two at a time: what each has returned."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(zip(names, pool.map(do, names)))


class Corpus(unittest.TestCase):
    bugs: typing.ClassVar[dict] = {}
    options = ("--check",)

    def judge(self, bug, done):
        text = done.stderr
        self.assertEqual((done.returncode, done.stdout), (bug.status, "" if bug.status else "done\n"), text)
        self.assertIn("softgpu: error: " + bug.head, text)
        for comment in filter(None, (bug.line, bug.other)):
            self.assertRegex(text, place_of(comment))
        for part in filter(None, (bug.lanes, bug.place)):
            self.assertIn(part, text)
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
        for name, done in in_twos(lambda name: check(name, options=self.options), self.bugs):
            with self.subTest(name):
                self.judge(self.bugs[name], done)

    def test_twins_are_silent(self):
        for name, done in in_twos(lambda name: check(name, "right", options=self.options), self.bugs):
            with self.subTest(name):
                own = re.sub(r"^softgpu\[\d+\]: 0 errors\n", "", done.stderr, flags=re.M)  # as its children
                self.assertEqual((done.returncode, done.stdout, own), (0, "done\n", "softgpu: 0 errors\n"))


def main(bugs, options=("--check",)):
    """Runs the tests of the family, of those programs alone that are named."""
    chosen = [word for word in sys.argv[1:] if word in bugs]
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in bugs]
    Corpus.bugs = {name: Bug(*bugs[name]) for name in chosen or bugs}
    Corpus.options = options
    sys.modules["__main__"].Corpus = Corpus
    unittest.main()
