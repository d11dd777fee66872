#!/usr/bin/env python3
"""--ompt-trace: what an OpenMP runtime tells of a program whose regions, tasks and locks are known.

usage: openmp.py ROCPROFV3 PROGRAM [unittest arguments]
"""
import collections
import csv
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAM = sys.argv[1:3]
# events of four threads, eight tasks; of a lock and a critical section each time it is taken
COUNTS = {"omp_parallel_begin": 1, "omp_parallel_end": 1, "omp_lock_init": 1, "omp_lock_destroy": 1,
          "omp_mutex_acquire": 12, "omp_mutex_acquired": 12, "omp_mutex_released": 12}
SPANS = {"omp_work", "omp_sync_region", "omp_sync_region_wait", "omp_implicit_task"}


class OpenMp(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-openmp-")
        self.addCleanup(shutil.rmtree, self.dir)

    def run_it(self, *options, status=0):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, "-o", "it", *options, "--", PROGRAM],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        if not status:
            self.assertEqual(done.stdout, "4954 8\n")
        return done.stderr

    def rows(self):
        with open(f"{self.dir}/it_ompt_trace.csv", newline="") as f:
            return list(csv.DictReader(f))

    def test_every_format(self):
        said = self.run_it("--ompt-trace", "-f", "csv", "json", "pftrace", "rocpd",
                           *(["otf2"] if shutil.which("otf2-print") else []))
        self.assertRegex(said, r"(\d+) records received, \1 written, 0 dropped, 0 filtered")
        rows = self.rows()
        self.assertEqual({r["Domain"] for r in rows}, {"OMPT"})
        counts = collections.Counter(r["Function"] for r in rows)
        self.assertEqual({name: counts[name] for name in COUNTS}, COUNTS)
        threads = collections.defaultdict(set)
        for r in rows:
            threads[r["Function"]].add(r["Thread_Id"])
            if r["Function"] not in SPANS:
                self.assertEqual(r["Start_Timestamp"], r["End_Timestamp"], r)
        self.assertEqual(len(threads["omp_thread_begin"]), 4)
        self.assertEqual(threads["omp_sync_region"], threads["omp_thread_begin"])
        self.assertEqual(threads["omp_parallel_begin"], {rows[0]["Process_Id"]})
        begin, end = (next(int(r["Start_Timestamp"]) for r in rows if r["Function"] == f"omp_parallel_{at}")
                      for at in ("begin", "end"))
        for r in rows:
            if r["Function"] in ("omp_work", "omp_mutex_acquired"):
                self.assertLessEqual(begin, int(r["Start_Timestamp"]))
                self.assertLessEqual(int(r["End_Timestamp"]), end)
        self.same_everywhere(counts)

    def same_everywhere(self, counts):
        with open(f"{self.dir}/it_results.json") as f:
            data, = json.load(f)["rocprofiler-sdk-tool"]
        names = data["strings"]["buffer_records"]
        self.assertEqual(collections.Counter(names[r["kind"]]["operations"][r["operation"]]
                                             for r in data["buffer_records"]["ompt"]), counts)
        db = sqlite3.connect(f"{self.dir}/it_results.db")
        found = collections.Counter(dict(db.execute(
            "SELECT name, COUNT(*) FROM regions WHERE category = 'OMPT' GROUP BY name")))
        points = db.execute("SELECT COUNT(*) FROM rocpd_sample").fetchone()[0]
        self.assertTrue(all(counts[name] >= n for name, n in found.items()), found)
        self.assertEqual(points + sum(found.values()), sum(counts.values()))
        with open(f"{self.dir}/it_results.pftrace", "rb") as f:
            trace = f.read()
        for name in counts:
            self.assertIn(name.encode(), trace)

    def test_groups(self):
        self.run_it("--ompt-trace", "mutex", "parallel", "-f", "csv")
        counts = collections.Counter(r["Function"] for r in self.rows())
        del counts["omp_work"] # compilers differ in what of a loop they leave to the runtime
        self.assertEqual(counts, COUNTS)

    def test_words(self):
        self.assertIn("'mutex,task' is none of: all thread", self.run_it("--ompt-trace", "mutex,task", status=2))

    def test_without_it(self):
        self.run_it("--marker-trace", "-f", "csv")
        self.assertEqual(glob.glob(self.dir + "/*"), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
