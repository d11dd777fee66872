#!/usr/bin/env python3
"""--process-sync: files are made when all processes of the run have ended.

A shell leaves a process of its behind, which works when it is told to. usage: sync.py ROCPROFV3
PROGRAM"""
import glob
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAM = map(os.path.abspath, sys.argv[1:3])
SCRIPT = '"$0" <"$1" >"$2" & while ! grep -q ready "$2" 2>/dev/null; do sleep 0.02; done'


class SyncTest(unittest.TestCase):
    def test_process_that_outlives_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            orders, answers = os.path.join(folder, "orders"), os.path.join(folder, "answers")
            os.mkfifo(orders)
            profiler = subprocess.Popen(
                [ROCPROFV3, "--gpu", "soft", "--process-sync", "--kernel-trace", "-f", "csv", "-d",
                 folder, "-o", "out", "--", "sh", "-c", SCRIPT, PROGRAM, orders, answers],
                stderr=subprocess.PIPE, text=True)
            self.addCleanup(profiler.kill)
            with open(orders, "w") as to:
                children = pathlib.Path(f"/proc/{profiler.pid}/task/{profiler.pid}/children")
                while children.read_text():  # the shell
                    self.assertIsNone(profiler.poll())
                to.write("3\n")
            err = profiler.communicate(timeout=60)[1]
            self.assertEqual(profiler.returncode, 0, err)
            (path,) = glob.glob(folder + "/out_kernel_trace.csv")
            with open(path) as file:
                self.assertEqual(file.read().count('"add('), 3, err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
