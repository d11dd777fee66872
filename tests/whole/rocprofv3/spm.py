#!/usr/bin/env python3
"""rocprofv3 --spm on softgpu: what the samples of a kernel add up to is what --pmc counts, in JSON, in the
database and in the tables made of both; what cannot be sampled is refused before the program runs.

usage: spm.py ROCPROFV3 PROGRAM PROGRAM_FOR_MI100"""
import collections
import csv
import glob
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAM, MI100_PROGRAM = map(os.path.abspath, sys.argv[1:4])
ROCPD, AVAIL = (os.path.join(os.path.dirname(ROCPROFV3), name) for name in ("rocpd", "rocprofv3-avail"))
COUNTERS = ("SQ_WAVES", "SQ_INSTS_VALU", "TCP_TOTAL_CACHE_ACCESSES")
SPM = ("--spm-beta-enabled", "--spm-sample-interval", "320", "--spm", *COUNTERS)


class SpmTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def profile(self, *options, status=0, env=(), gpu="soft", program=PROGRAM):
        done = subprocess.run([ROCPROFV3, "--gpu", gpu, "-d", self.folder.name, "-o", "out", *options,
                               "--", program], capture_output=True, text=True, timeout=120,
                              env=os.environ | dict(env))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def find(self, name):
        (path,) = glob.glob(f"{self.folder.name}/**/{name}", recursive=True)
        return path

    def json(self):
        with open(self.find("out_results.json")) as file:
            return json.load(file)["rocprofiler-sdk-tool"][0]

    def sums(self, section):
        """Of each dispatch and counter."""
        data = self.json()
        names = {c["id"]["handle"]: c["name"] for c in data["counters"]}
        sums = collections.Counter()
        for entry in data["callback_records"][section]:
            info = entry["dispatch_data"]["dispatch_info"]
            for record in entry["records"]:
                sums[info["dispatch_id"], names[record["counter_id"]["handle"]]] += record["value"]
        return sums

    def test_samples_add_up(self):
        self.profile("-f", "json", "--pmc", *COUNTERS)
        counted = self.sums("counter_collection")
        self.assertTrue(counted)
        self.assertEqual(self.json()["callback_records"]["spm_counter_collection"], [])
        self.assertEqual({c["name"]: c["spm_support"] for c in self.json()["counters"]},
                         {name: 1 for name in COUNTERS})
        self.profile("-f", "json", "rocpd", "csv", *SPM)
        self.assertEqual(self.sums("spm_counter_collection"), counted)
        data = self.json()
        self.assertEqual(data["callback_records"]["counter_collection"], [])
        kernels = {k["dispatch_info"]["dispatch_id"] for k in data["buffer_records"]["kernel_dispatch"]}
        self.assertEqual(kernels, {dispatch for dispatch, _ in counted})
        self.database(counted)
        self.tables(counted)
        self.interval_and_variables(counted)

    def database(self, counted):
        base = sqlite3.connect(self.find("out_results.db"))
        sums = collections.Counter()
        for dispatch, name, value in base.execute("SELECT dispatch_id, counter_name, value FROM spm_counters"):
            sums[dispatch, name] += value
        self.assertEqual(sums, counted)
        self.assertEqual(base.execute("SELECT COUNT(*) FROM counters_collection").fetchone(), (0,))
        self.assertEqual(base.execute("SELECT DISTINCT S.string FROM rocpd_sample X JOIN rocpd_track T ON "
                                      "T.id = X.track_id JOIN rocpd_string S ON S.id = T.name_id").fetchall(),
                         [("SPM",)])
        # every instance of every counter has a value at each time, and a place of its own
        places = base.execute("SELECT counter_name, COUNT(*), COUNT(DISTINCT xcc || '.' || shader_engine || "
                              "'.' || instance) FROM spm_counters GROUP BY counter_name, dispatch_id, timestamp"
                              ).fetchall()
        self.assertTrue(places)
        for name, values, different in places:
            self.assertEqual(values, different, name)
        times = base.execute("SELECT DISTINCT dispatch_id, timestamp FROM spm_counters ORDER BY 1, 2").fetchall()
        steps = [b[1] - a[1] for a, b in zip(times, times[1:]) if a[0] == b[0]]
        self.assertTrue(all(step > 0 for step in steps))
        base.close()

    def tables(self, counted):
        done = subprocess.run([ROCPD, "convert", "-i", self.find("out_results.db"), "-f", "csv", "-d",
                               self.folder.name + "/again"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = sorted(glob.glob(f"{self.folder.name}/**/*spm_counter_collection_trace.csv", recursive=True))
        self.assertEqual(len(paths), 2)
        for path in paths:
            sums = collections.Counter()
            with open(path, newline="") as file:
                for row in csv.DictReader(file):
                    name, place = row["Counter_Name"].split("[")
                    self.assertRegex(place, r"^XCC: \d+, SE: \d+, Instance: \d+\]$")
                    sums[int(row["Dispatch_Id"]), name] += float(row["Counter_Value"])
            self.assertEqual(sums, counted, path)

    def test_mi100(self):
        """Its packets say how late each block is, and its samples have half of SQ's counters."""
        mi100 = {"gpu": "mi100", "program": MI100_PROGRAM}
        self.profile("-f", "json", "--pmc", *COUNTERS, **mi100)
        counted = self.sums("counter_collection")
        self.profile("-f", "json", *SPM, **mi100)
        self.assertTrue(counted)
        self.assertEqual(self.sums("spm_counter_collection"), counted)

    def interval_and_variables(self, sums):
        """Variables say the same as the options of the run before; the interval matters. (That samples are the same from run to run is
        tested by sdk.counters.spm: this program's copies run beside its kernels, in either order.)"""
        def count():
            return sum(len(e["records"]) for e in self.json()["callback_records"]["spm_counter_collection"])

        def steps():
            found = set()
            for entry in self.json()["callback_records"]["spm_counter_collection"]:
                times = sorted({r["timestamp"] for r in entry["records"]})
                found |= {later - earlier for earlier, later in zip(times[:-1], times[1:-1])}
            return found
        fine = count()
        self.assertEqual(steps(), {320})
        self.profile("-f", "json", env={"ROCPROF_SPM_COUNTER_COLLECTION": "1", "ROCPROFILER_SPM_BETA_ENABLED": "1",
                                        "ROCPROF_SPM_SAMPLE_INTERVAL": "640",
                                        "ROCPROF_SPM_COUNTERS": "spm: " + " ".join(COUNTERS)})
        self.assertEqual(steps(), {640})
        self.assertEqual(self.sums("spm_counter_collection"), sums)
        self.assertLess(count(), fine)

    def test_chosen_kernels(self):
        self.profile("-f", "json", *SPM, "--kernel-include-regex", "twice", "--kernel-iteration-range", "[2]")
        self.assertEqual(len({dispatch for dispatch, _ in self.sums("spm_counter_collection")}), 1)

    def test_refused(self):
        beta = "--spm-beta-enabled"
        for options, text in (
                (("--spm", "SQ_WAVES"), "--spm needs --spm-beta-enabled"),
                ((beta, "--spm", "SQ_WAVES", "--pmc", "SQ_WAVES"), "--spm and --pmc exclude each other"),
                ((beta, "--spm", "SQ_WAVES", "--att"), "--advanced-thread-trace and --spm exclude each other"),
                ((beta, "--spm-sample-interval", "320"), "--spm-sample-interval needs --spm"),
                (("--spm-sample-interval-unit", "sclk_cycles"), "--spm-sample-interval-unit needs --spm"),
                ((beta, "--spm", "Nothing"), "counter 'Nothing' does not exist"),
                ((beta, "--spm", "GPU_UTIL"), "GPU_UTIL cannot be sampled"),
                ((beta, "--spm", "SQ_WAVES", "--spm-sample-interval", "1000000"), "cannot be sampled together")):
            with self.subTest(options):
                self.assertIn(text, self.profile(*options, status=2))
                self.assertEqual(os.listdir(self.folder.name), [])

    def test_avail(self):
        def avail(*words):
            done = subprocess.run([AVAIL, "--gpu", "soft", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        self.assertRegex(avail("info", "--spm-config"),
                         r"Unit +:\tsclk_cycles\nMinimum_Interval:\t32\nMaximum_Interval:\t65504\n")
        self.assertRegex(avail("info", "--pmc", "SQ_WAVES"), r"Block +:\tSQ\nSPM +:\tSupported\n")
        self.assertNotIn("SPM", avail("info", "--pmc", "GPU_UTIL"))
        for gpu, counter, streams in (("mi300x", "TCC_HIT", True), ("gfx950", "SQ_WAVES", True),
                                      ("gfx908", "TCP_TOTAL_CACHE_ACCESSES", True), ("mi300x", "GRBM_COUNT", False),
                                      ("gfx1100", "SQ_WAVES", False), ("gfx1200", "SQ_WAVES", False)):
            with self.subTest(gpu=gpu):
                self.assertEqual("Supported" in avail("--gpu", gpu, "info", "--pmc", counter), streams)
        shown = subprocess.run([ROCPROFV3, "--gpu", "soft", "--list-avail"], capture_output=True, text=True,
                               timeout=60).stdout
        self.assertIn("Minimum_Interval:\t32\n", shown)
        self.assertIn("Counter_Name", shown)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
