"""Streams, events, copies and graphs that are not in order; see corpus.py."""
import unittest

import corpus

SOME = range(1, 5)  # each of a pair may be first, and reads and writes count apart
KERNELS = corpus.Bug({"race-global": SOME}, "race of 4 bytes, lane ", "bug: change", None,
                     "bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate", other="bug: put")
OPTIONS = ("--check=race",)


def copy(line):
    """Of a copy and the kernel that has the line."""
    return corpus.Bug({"race-global": SOME}, "race of 4", line, None, " cop", other=line)


BUGS = {
    "two-streams": KERNELS,
    "event-of-the-wrong-stream": KERNELS,
    "wait-before-record": KERNELS,
    "record-too-early": KERNELS,
    "null-stream": KERNELS,
    "other-stream-is-waited-for": KERNELS,
    "graph-without-edge": KERNELS,
    "copied-too-early": copy("bug: put"),
    "changed-while-copied": copy("bug: change"),
    "not-there-yet": copy("bug: change"),
}


class Right(unittest.TestCase):
    def test_nothing_is_wrong(self):
        for name, done in corpus.in_twos(lambda name: corpus.check(name, options=OPTIONS),
                                         ("ways-to-wait", "ways-of-streams", "pool")):
            with self.subTest(name):
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", "softgpu: 0 errors\n"))


corpus.main(BUGS, OPTIONS)
