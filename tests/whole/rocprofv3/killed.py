#!/usr/bin/env python3
"""Programs that are killed by SIGKILL: what had returned before is in the trace, all of it.

The verdict takes no time: the program tells after each call, or each synchronisation, how many it
has done, is killed after a random number of them, and what it told last must be there.

usage: killed.py ROCPROFV3 COUNTED [LAUNCHES] [unittest arguments]
"""
import collections
import csv
import glob
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, COUNTED = sys.argv[1:3]
LAUNCHES = sys.argv[3] if len(sys.argv) > 3 and not sys.argv[3].startswith("-") else None
SEED = int(os.environ.get("KILL_SEED") or random.SystemRandom().randrange(1 << 32))
KILLS = 6


class Killed(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-killed-")
        self.random = random.Random(SEED)

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def killed(self, options, program, most):
        """Kills the program after at most so many messages. {thread: what it told last}"""
        shutil.rmtree(self.dir)
        os.makedirs(self.dir)
        p = subprocess.Popen([ROCPROFV3, *options, "-f", "csv", "-d", self.dir, "-o", "x", "--", *program],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        wanted, told = 8 * self.random.randint(1, most), b""
        while len(told) < wanted:
            more = os.read(p.stdout.fileno(), wanted - len(told))
            if not more:
                break
            told += more
        self.assertEqual(len(told), wanted, p.stderr.read() if len(told) < wanted else "")
        first_thread = min(thread for thread, _ in struct.iter_unpack("<II", told))
        self.kill_program(p, first_thread)
        rest, err = p.communicate(timeout=60)
        told += rest
        self.assertEqual(p.returncode, 128 + 9, err)
        n = re.search(rb"(\d+) records received, (\d+) written, (\d+) dropped, (\d+) filtered", err)
        received, written, dropped, filtered = map(int, n.groups())
        self.assertEqual((received, dropped, filtered), (written, 0, 0), err)
        return dict(struct.iter_unpack("<II", told[:len(told) // 8 * 8]))

    def kill_program(self, p, thread):
        """The thread's process: the program, below rocprofv3."""
        with open(f"/proc/{thread}/status") as f:
            pid = int(re.search(r"Tgid:\s+(\d+)", f.read()).group(1))
        self.assertNotEqual(pid, p.pid)
        os.kill(pid, signal.SIGKILL)

    def rows(self, name):
        rows = []
        for path in glob.glob(f"{self.dir}/**/*_{name}.csv", recursive=True):
            with open(path, newline="") as f:
                rows += csv.DictReader(f)
        return rows

    def all_there(self, options, how, table):
        for i in range(KILLS):
            with self.subTest(seed=SEED, kill=i):
                told = self.killed(options, (COUNTED, how, "1000000"), 4000)
                rows = self.rows(table)
                found = collections.Counter(int(r["Thread_Id"]) for r in rows)
                for thread, done in told.items():
                    # one more call may have returned, and not have been told
                    self.assertIn(found[thread], (done, done + 1))
                self.assertEqual(len({r["Correlation_Id"] for r in rows}), len(rows))

    def test_calls(self):
        self.all_there(("--hip-runtime-trace",), "call", "hip_api_trace")

    def test_marks(self):
        self.all_there(("--marker-trace",), "mark", "marker_api_trace")

    @unittest.skipUnless(LAUNCHES, "no hipcc")
    def test_dispatches(self):
        """Each kernel whose synchronisation has returned."""
        for i in range(KILLS):
            with self.subTest(seed=SEED, kill=i):
                told = self.killed(("--gpu", "soft", "--kernel-trace"), (LAUNCHES,), 60)
                (done,) = told.values()
                self.assertGreaterEqual(len(self.rows("kernel_trace")), done)


if __name__ == "__main__":
    print(f"KILL_SEED={SEED}")
    unittest.main(argv=sys.argv[:1] + sys.argv[3 + bool(LAUNCHES):])
