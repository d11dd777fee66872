#!/usr/bin/env python3
"""rocprofv3 once for each task of a Slurm job, over the fake SDK: Slurm's daemons are started here, on one node,
in a folder of their own.

usage: slurm.py ROCPROFV3 TOOL_LIBRARY FAKE_SDK EMPTY_LIBRARY SUBJECT [unittest arguments]
"""
import glob
import os
import sqlite3
import subprocess
import sys
import unittest

import fake_root

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import slurm_here

ROCPROFV3, TOOL, SDK, EMPTY, SUBJECT = sys.argv[1:6]


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = slurm_here.Cluster()
        cls.addClassCleanup(cls.cluster.end)
        cls.cluster.start()
        cls.dir = cls.cluster.dir

    def test_each_task(self):
        fake_root.make(self.dir + "/root", TOOL, SDK, EMPTY)
        done = subprocess.run(
            ["srun", "-n", "4", "--overcommit", "--chdir", self.dir, ROCPROFV3, "--rocm-root", self.dir + "/root",
             "--gpu", "real" if os.path.exists("/dev/kfd") else "soft", "--kernel-trace", "--profile-mpi-ranks",
             "0,2-3", "-d", "out", "-o", "r%rank%of%size%.job%job%", "-f", "rocpd", "--", SUBJECT],
            env=self.cluster.environment, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr + self.cluster.said())
        self.assertEqual(sorted(os.path.basename(p) for p in glob.glob(self.dir + "/out/*")),
                         [f"r{rank}of4.job1_results.db" for rank in (0, 2, 3)])
        for path in glob.glob(self.dir + "/out/*.db"):
            with sqlite3.connect(path) as database:
                self.assertEqual(database.execute("SELECT COUNT(*) FROM kernels").fetchone(), (2,))


if __name__ == "__main__":
    if slurm_here.why_not():
        print("skipped:", slurm_here.why_not())
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
