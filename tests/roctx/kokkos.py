#!/usr/bin/env python3
"""Kokkos' hooks as markers: which there are, and how they lie in each other.

usage: kokkos.py ROCPROFV3 PROGRAM [unittest arguments]
"""
import csv
import glob
import os
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAM = sys.argv[1:3]

RANGES = ["region", "axpy", "dot", "inside dot", "Kokkos::parallel_scan",
          "Kokkos::deep_copy HIP x <- Host x_mirror, 4096 bytes", "first", "second"]
MARKS = ["Kokkos::allocate HIP x, 4096 bytes", "Kokkos::dual_view_sync v, device",
         "Kokkos::dual_view_modify v, host", "Kokkos::deallocate HIP x, 4096 bytes", "event"]


class Kokkos(unittest.TestCase):
    def run_it(self, *options):
        self.dir = tempfile.TemporaryDirectory(prefix="rocprofv3-kokkos-")
        self.addCleanup(self.dir.cleanup)
        done = subprocess.run([ROCPROFV3, "-f", "csv", "-d", self.dir.name, "-o", "x", *options, "--", PROGRAM],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def times(self):
        with open(self.dir.name + "/x_marker_api_trace.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(len({r["Function"] for r in rows}), len(rows))
        return {r["Function"]: (int(r["Start_Timestamp"]), int(r["End_Timestamp"])) for r in rows}

    def test_ranges_and_marks(self):
        self.run_it("--kokkos-trace")
        times = self.times()
        self.assertEqual(sorted(times), sorted(RANGES + MARKS))
        for mark in MARKS:
            self.assertEqual(*times[mark])
        for name in RANGES:
            self.assertLess(*times[name])
        for inner in ("axpy", "dot", "Kokkos::parallel_scan"):
            self.assertTrue(times["region"][0] < times[inner][0] < times[inner][1] < times["region"][1])
        self.assertTrue(times["dot"][0] < times["inside dot"][0] < times["inside dot"][1] < times["dot"][1])
        self.assertTrue(times["first"][0] < times["second"][0] < times["first"][1] < times["second"][1])

    def test_only_when_asked(self):
        self.run_it("--marker-trace")
        self.assertFalse(glob.glob(self.dir.name + "/*"))


if __name__ == "__main__":
    os.environ.pop("KOKKOS_TOOLS_LIBS", None)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
