#!/usr/bin/env python3
"""Ranks of parallel programs by what launchers set, over the fake SDK: what is left alone, what is kept of the rest.

usage: rank_facts.py ROCPROFV3 TOOL_LIBRARY FAKE_SDK EMPTY_LIBRARY SUBJECT [unittest arguments]
"""
import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import fake_root

ROCPROFV3, TOOL, SDK, EMPTY, SUBJECT = sys.argv[1:6]
OPEN_MPI = "OMPI_COMM_WORLD_RANK=%d OMPI_COMM_WORLD_SIZE=%d OMPI_COMM_WORLD_LOCAL_RANK=%d"


class Facts(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-rank-facts-")
        self.addCleanup(shutil.rmtree, self.dir)
        fake_root.make(self.dir + "/root", TOOL, SDK, EMPTY)

    def start(self, options, program, variables):
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(("ROC", "LD_", "HSA_", "OMPI_", "PMI", "SLURM_"))}
        environment.update(v.split("=", 1) for v in variables.split())
        return subprocess.Popen([ROCPROFV3, "--rocm-root", self.dir + "/root", "--gpu",
                                 "real" if os.path.exists("/dev/kfd") else "soft", "--kernel-trace", "-d", "out",
                                 *options, "--", *program], env=environment, cwd=self.dir, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_rank(self, options, program, variables="", status=0):
        process = self.start(options, program, variables)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, err)
        return process, out, err

    def names(self):
        return sorted(os.path.basename(p) for p in glob.glob(self.dir + "/out/*") + glob.glob(self.dir + "/out/.[!.]*"))

    def facts(self, name):
        with sqlite3.connect(f"{self.dir}/out/{name}_results.db") as database:
            return dict(database.execute("SELECT tag, value FROM rocpd_metadata"))

    def test_every(self):
        for rank in (0, 1, 2, 3, 4):
            self.run_rank(["-f", "csv", "-o", "r%rank%", "--ranks", "1,every:2"], [SUBJECT], OPEN_MPI % (rank, 5, rank))
        self.assertEqual([n for n in self.names() if "kernel" in n], [f"r{r}_kernel_trace.csv" for r in (0, 1, 2, 4)])

    def test_libraries(self):
        """The start of a rank that is left alone loads the C library alone: other projects' libraries would be most of it."""
        loaded = subprocess.run([ROCPROFV3], env={"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True, check=True)
        names = {line.split()[0] for line in loaded.stdout.splitlines()}
        if any("san" in name for name in names):
            self.skipTest("a sanitizer's build")
        self.assertLessEqual({n for n in names if n.startswith("lib")}, {"libc.so.6", "libm.so.6"})

    def test_left_alone(self):
        """The process becomes the program: the same id, one thread, no file, signals as they were."""
        show = ("import os; print(os.getpid()); "
                "print(*[l for l in open('/proc/self/status') if l[:4] in ('Thre', 'SigI')])")
        process, out, _ = self.run_rank(["--ranks", "0"], [sys.executable, "-c", show], OPEN_MPI % (1, 2, 1))
        self.assertEqual(out.split()[0], str(process.pid))
        self.assertIn("Threads:\t1", out)
        bare = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
        self.assertEqual(out.split()[1:], bare.stdout.split()[1:])
        self.assertFalse(os.path.exists(self.dir + "/out"))

    def test_left_alone_by_the_tool(self):
        """One rocprofv3 around the launcher: each process looks for itself."""
        ranks = "; ".join(f"env {OPEN_MPI % (rank, 3, rank)} {SUBJECT}" for rank in range(3))
        self.run_rank(["-f", "csv", "-o", "r%rank%", "--ranks", "0,2"], ["sh", "-c", ranks])
        self.assertEqual([n for n in self.names() if "kernel" in n], ["r0_kernel_trace.csv", "r2_kernel_trace.csv"])
        self.assertEqual([n for n in self.names() if n.startswith((".", "r1"))], [])

    def test_inner_launcher(self):
        """A script of Slurm is its rank 0; mpirun in it counts for itself, below and above rocprofv3."""
        slurm = "SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_JOB_ID=77 SLURM_NODEID=3"
        self.run_rank(["-o", "above%rank%of%size%"], [SUBJECT], f"{slurm} {OPEN_MPI % (2, 4, 1)}")
        self.run_rank(["-o", "below%rank%of%size%"], ["env", *(OPEN_MPI % (3, 4, 1)).split(), SUBJECT], slurm)
        self.assertEqual(self.names(), ["above2of4_results.db", "below3of4_results.db"])

    def test_facts(self):
        self.run_rank(["-o", "a"], [SUBJECT],
                      "SLURM_PROCID=9 SLURM_NTASKS=12 SLURM_LOCALID=1 SLURM_NODEID=4 SLURM_JOB_ID=77")
        facts = self.facts("a")
        expected = {"launcher": "Slurm", "job_id": "77", "rank": "9", "ranks": "12", "local_rank": "1",
                    "node_number": "4"}
        self.assertEqual({k: facts.get(k) for k in expected}, expected)
        with open("/proc/sys/kernel/random/boot_id") as f:
            self.assertEqual(facts["boot_id"], f.read().strip())
        self.run_rank(["-o", "b"], [SUBJECT])
        self.assertEqual([k for k in self.facts("b") if k in expected], [])

    def test_wrong_lists(self):
        for words, why in (("every:0", "--ranks every:0: 'every:0': the least step is 1"),
                           ("0,every:x", "--ranks 0,every:x: 'every:x': ranks are numbers from 0 to 2147483647"),
                           ("0-4", "--ranks 0-4: there is no rank 4, OMPI_COMM_WORLD_SIZE is 2")):
            _, _, err = self.run_rank(["--ranks", words], [SUBJECT], OPEN_MPI % (1, 2, 1), status=2)
            self.assertIn(why, err)
            self.assertEqual(err.count("\n"), 1, err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
