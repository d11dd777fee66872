#!/usr/bin/env python3
"""Ranks of four nodes whose clocks differ by seconds and drift, by a library that is preloaded: messages of MPI alone tell how,
and the error that is stated holds, however loaded this machine is. How small it is where messages are dense, rocpd.clocks asks.

usage: nodes.py ROCPROFV3 ROCPD PROGRAMS OTHER_NODE [unittest arguments]
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROCPROFV3, ROCPD, PROGRAMS, OTHER_NODE = sys.argv[1:5]
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
# name, ns that the clock is ahead, ppm that it is fast, ns that the time of day is wrong
NODES = (("n0", 0, 0, 0), ("n1", 5_000_000_000, 50, 0), ("n2", -3_210_987_654, -50, 2_000_000),
         ("n3", 86_400_000_000_000, 17, 0))
RANKS = {"openmpi": 4, "mpich": 2} # MPICH's ranks wait busily, and would wait for each other's processor
STEPS, MOST_NS = 150, 1_000_000


class Nodes(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-mpi-nodes-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.begun = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        for number, (name, shift, ppm, day) in enumerate(NODES):
            with open(f"{self.dir}/boot-{number}", "w") as f:
                f.write(f"{number:08x}-0000-4000-8000-000000000000\n")
            with open(f"{self.dir}/node-{number}", "w") as f:
                f.write(f"{name} {shift} {ppm} {self.begun} {day} {self.dir}/boot-{number}")

    def launch(self, implementation, options="", word=""):
        start = (f'export OTHER_NODE="$(cat {self.dir}/node-${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}})" LD_PRELOAD={OTHER_NODE}; '
                 f'exec {ROCPROFV3} --mpi-trace {options} -d out -o %rank% -- {PROGRAMS}/nodes-{implementation} {STEPS} {word}')
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROC", "LD_", "HSA_"))}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.run_it(*LAUNCHERS[implementation], "-n", str(RANKS[implementation]), "sh", "-c", start, env=environment)

    def run_it(self, *command, **how):
        done = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, timeout=200, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def right(self, node, ns):
        """The right time when the node's clock shows `ns`."""
        _, shift, ppm, _ = NODES[node]
        return self.begun + (ns - shift - self.begun) / (1 + ppm * 1e-6)

    def clocks(self, implementation):
        self.run_it(ROCPD, "convert", "-i", "out", "-f", "csv", "otf2", "-d", "all")
        with open(f"{self.dir}/all/out_clocks.csv", newline="") as f:
            clocks = {int(row["Rank"]): row for row in csv.DictReader(f)}
        self.assertEqual(sorted(clocks), list(range(RANKS[implementation])))
        self.assertEqual(clocks[0]["Clock"], "own clock")
        return clocks

    def ask(self, implementation):
        self.launch(implementation)
        clocks = self.clocks(implementation)
        properties = self.run_it("otf2-print", "-G", "all/out_results.otf2") if shutil.which("otf2-print") else None
        for rank in range(1, RANKS[implementation]):
            row = clocks[rank]
            self.assertRegex(row["Clock"], r"^rank 0's clock by MPI: .* us off at most$")
            if properties:
                self.assertIn(row["Clock"], properties)
            for later in (0, STEPS * 1_000_000, STEPS * 2_000_000):
                at = int(row["At"]) + later
                shown = at + int(row["Offset_Ns"]) + later * float(row["Drift_Ppm"]) * 1e-6
                off = shown - self.right(rank, at)
                self.assertLessEqual(abs(off), int(row["Error_Ns"]) + 100, row)
            self.assertLess(int(row["Error_Ns"]), MOST_NS)
            print(f"{implementation}, rank {rank}: off by {off / 1e3:.1f} us, stated {int(row['Error_Ns']) / 1e3:.1f}; drift "
                  f"{-float(row['Drift_Ppm']):.1f} ppm of {NODES[rank][2]}")
        worst = max(int(clocks[rank]["Error_Ns"]) for rank in range(1, RANKS[implementation]))
        said = self.run_it(ROCPROFV3, "waits", "-i", "out").splitlines()[0]
        self.assertIn(f"clocks off by {worst * 1e-3:.1f} us at most by calls of MPI; times are ms", said)

    def test_open_mpi(self):
        self.ask("openmpi")

    def test_mpich(self):
        self.ask("mpich")

    def test_paused(self):
        """Rank 0 records some calls only, so that its n-th barrier is another one than the others' n-th."""
        self.launch("mpich", "--marker-trace", "paused")
        clocks = self.clocks("mpich")
        self.assertRegex(clocks[1]["Clock"], "^time of day: ")
        self.assertNotIn("contradict", clocks[1]["Clock"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
