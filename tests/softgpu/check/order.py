"""Streams, events, copies and graphs that are not in order; see corpus.py."""
import os
import subprocess
import tempfile
import unittest

import corpus

SOME = range(1, 5)  # each of a pair may be first, and reads and writes count apart
KERNELS = corpus.Bug({"race-global": SOME}, "race of 4 bytes, lane ", "bug: change", None,
                     "bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate", other="bug: put")
OPTIONS = ("--check=race",)


def copy(line, call):
    """Of a copy, which the call has asked for, and the kernel that has the line."""
    return corpus.Bug({"race-global": SOME}, "race of 4", line, None, "  hipMemcpyAsync at ", other=call)


def calls(one, other):
    """Of two calls."""
    return corpus.Bug({"race-global": SOME}, "race of ", one, other=other)


BUGS = {
    "two-streams": KERNELS,
    "event-of-the-wrong-stream": KERNELS,
    "wait-before-record": KERNELS,
    "record-too-early": KERNELS,
    "null-stream": KERNELS,
    "other-stream-is-waited-for": KERNELS,
    "value-too-early": KERNELS,
    "long-ago": KERNELS,
    "graph-without-edge": KERNELS,
    "copied-too-early": copy("bug: put", "copy: to host"),
    "changed-while-copied": copy("bug: change", "copy: beside a kernel"),
    "not-there-yet": copy("bug: change", "copy: beside a kernel"),
    "two-copies": calls("copy: from host", "copy: to host"),
    "two-copies-inside": calls("copy: one", "copy: two"),
    "two-fills": calls("fill: one", "fill: two"),
    "fill-and-copy": calls("fill: beside a copy", "copy: to host"),
    "fill-and-kernel": calls("fill: beside a kernel", "bug: put"),
    "graph-of-copies": calls("node: fill", "node: copy"),
    "freed-beside": corpus.Bug({"race-global": 1}, "race of 4000 bytes", "bug: put", None,
                               "bytes inside the 4000 bytes that hipMallocAsync gave out at", gone="freed: beside"),
}


class Right(unittest.TestCase):
    names = ("ways-to-wait", "ways-of-streams", "flag-of-another", "pool") + ("image-calls",) * (not corpus.NO_IMAGES)

    def test_nothing_is_wrong(self):
        corpus.nothing_is_wrong(self, self.names, OPTIONS)


class Profiled(unittest.TestCase):
    """Whatever a program waits for comes, without checks and with a profiler as well."""

    def test_waits_end(self):
        tools = os.path.dirname(corpus.softgpu)
        with tempfile.TemporaryDirectory(prefix="order-") as folder:
            first_generation = os.path.join(tools, "rocprof")
            for tool, *options in (("rocprofv3", "--gpu", "soft", "--sys-trace", "-d", folder, "--"),
                                   ("rocprofv3", "--gpu", "soft", "--pmc", "SQ_WAVES", "-d", folder, "--"),
                                   ("softgpu", "--", first_generation, "-o", os.path.join(folder, "x.csv"))):
                with self.subTest(f"{tool} {options}"):
                    done = subprocess.run([os.path.join(tools, tool), *options, corpus.program, "ways-to-wait"],
                                          capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)


corpus.main(BUGS, OPTIONS, streams=BUGS, unprofiled=("freed-beside",))
