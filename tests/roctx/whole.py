#!/usr/bin/env python3
"""rocprofv3 over programs that set markers, on the software GPU, with AMD's own runtimes.

usage: whole.py ROCPROFV3 PROGRAM OLD_PROGRAM GOLDEN_DIR [unittest arguments]
"""
import csv
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("ROCPROF_OUTPUT_FORMAT", "csv")

ROCPROFV3, PROGRAM, OLD_PROGRAM, GOLDEN = sys.argv[1:5]
BESIDE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "output")
sys.path.insert(0, BESIDE)
from perfetto_trace import Trace  # noqa: E402

OUTER, QUOTED, INNER, PROCESS = "outer", 'in "quotes", with comma', "inner", "across threads"


class Marked(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="roctx-")

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def run_it(self, *options, program=(PROGRAM,)):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, "-o", "x", *options, "--",
                               *program], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = re.search(r"(\d+) records received, (\d+) written, (\d+) dropped, (\d+) filtered",
                           done.stderr)
        self.assertTrue(counts, done.stderr)
        self.assertEqual(counts[1], counts[2])
        self.assertEqual((counts[3], counts[4]), ("0", "0"))
        return done

    def text(self, name):
        with open(f"{self.dir}/x_{name}.csv") as f:
            return f.read()

    def markers(self):
        """(function, start, end) of each row; messages may hold commas and quotes."""
        with open(f"{self.dir}/x_marker_api_trace.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertTrue(all(r["Domain"].startswith("MARKER_") for r in rows))
        return [(r["Function"], int(r["Start_Timestamp"]), int(r["End_Timestamp"])) for r in rows]

    def names(self):
        return [r[0] for r in self.markers()]

    def kernels(self):
        if not os.path.exists(f"{self.dir}/x_kernel_trace.csv"):
            return []
        with open(f"{self.dir}/x_kernel_trace.csv", newline="") as f:
            return list(csv.DictReader(f))

    def kernel_names(self):
        return [re.sub(r"\(.*", "", r["Kernel_Name"]) for r in self.kernels()]

    def test_every_format(self):
        """The same names and times; ranges lie in each other."""
        self.run_it("--marker-trace", "-f", "csv", "json", "rocpd", "pftrace")
        rows = sorted(self.markers())
        self.assertEqual(len(rows), 6)
        with open(self.dir + "/x_results.json") as f:
            (one,) = json.load(f)["rocprofiler-sdk-tool"]
        texts = {m["key"]: m["value"] for m in one["strings"]["marker_api"]}
        records = {texts[r["correlation_id"]["internal"]]: r for r in one["buffer_records"]["marker_api"]}
        self.assertEqual(sorted((name, r["start_timestamp"], r["end_timestamp"]) for name, r in records.items()), rows)
        outer = records[OUTER]["correlation_id"]["internal"]
        self.assertEqual({name for name, r in records.items() if r["correlation_id"]["ancestor"] == outer}, {QUOTED, INNER})
        with sqlite3.connect(f"file:{self.dir}/x_results.db?mode=ro", uri=True) as db:
            self.assertEqual(rows, sorted(db.execute(
                "SELECT extdata ->> '$.message', start, end FROM regions_and_samples WHERE category LIKE 'MARKER%'")))
        if not shutil.which("protoc"):
            self.skipTest("no protoc: Perfetto's was not looked at")
        with open(self.dir + "/x_results.pftrace", "rb") as f:
            slices = Trace(f.read(), BESIDE + "/perfetto.proto").of("marker_api")
        self.assertEqual(sorted((s["name"], s["start"], s["end"]) for s in slices), rows)
        self.assertEqual(len({s["track"] for s in slices if s["name"] in (OUTER, QUOTED, INNER)}), 1)

    def test_golden(self):
        """The file, byte for byte but for ids and times; names in it by when they began."""
        self.run_it("--marker-trace", "--kernel-trace", "--stats")
        got = re.sub(r'(",)\d+,\d+,\d+,\d+,\d+$', r"\1PID,TID,ID,START,END",
                     self.text("marker_api_trace"), flags=re.M)
        with open(GOLDEN + "/marker_api_trace.csv") as f:
            self.assertEqual(got, f.read())
        rows = {name: (start, end) for name, start, end in self.markers()}
        for mark in ("begin", "end"):
            self.assertEqual(*rows[mark])
        self.assertLess(rows[OUTER][0], rows[QUOTED][0])
        self.assertLess(rows[QUOTED][1], rows[INNER][0])
        self.assertLess(rows[INNER][1], rows[OUTER][1])
        self.assertLess(rows[OUTER][1], rows[PROCESS][0])
        scale, inner, outside = [(int(k["Start_Timestamp"]), int(k["End_Timestamp"]))
                                 for k in self.kernels()]
        self.assertTrue(rows[QUOTED][1] < scale[0] < scale[1] < rows[INNER][0])
        self.assertTrue(rows[INNER][0] < inner[0] < inner[1] < rows[INNER][1])
        self.assertLess(rows[PROCESS][1], outside[0])
        stats = self.text("marker_api_stats")
        self.assertEqual(stats.count("\n"), 7)
        self.assertIn(f'\n"{INNER}",1,{rows[INNER][1] - rows[INNER][0]},', stats)
        self.assertIn('\n"MARKER_API",6,', self.text("domain_stats"))

    def test_aggregates(self):
        for option in ("--sys-trace", "--runtime-trace"):
            self.run_it(option)
            self.assertEqual(self.names(), ["begin", OUTER, QUOTED, INNER, PROCESS, "end"])
            self.assertEqual(len(self.kernels()), 3)

    def test_pause(self):
        self.run_it("--marker-trace", "--kernel-trace", program=(PROGRAM, "pause"))
        self.assertEqual(self.names(), ["begin", OUTER, QUOTED, "roctxProfilerPause",
                                        "roctxProfilerResume", PROCESS, "end"])
        self.assertEqual(self.kernel_names(), ["scale", "add"])

    def test_selected_regions(self):
        self.run_it("--marker-trace", "--kernel-trace", "--selected-regions",
                    program=(PROGRAM, "regions"))
        self.assertEqual(self.names(), ["roctxProfilerResume", INNER, "roctxProfilerPause"])
        self.assertEqual(self.kernel_names(), ["add"])

    def test_nested_regions(self):
        """The inner one's pause ends everything, unless regions are counted."""
        options = ["--kernel-trace", "--selected-regions"]
        self.run_it(*options, "--selected-regions-ref-count", program=(PROGRAM, "nested"))
        self.assertEqual(self.kernel_names(), ["add"])
        os.remove(f"{self.dir}/x_kernel_trace.csv")
        self.run_it(*options, program=(PROGRAM, "nested"))
        self.assertFalse(os.path.exists(f"{self.dir}/x_kernel_trace.csv"))

    def test_selected_regions_without_markers(self):
        self.run_it("--kernel-trace", "--memory-copy-trace", "--selected-regions",
                    program=(PROGRAM, "regions"))
        self.assertEqual(self.kernel_names(), ["add"])
        self.assertFalse(glob.glob(self.dir + "/*marker*") + glob.glob(self.dir + "/*copy*"))

    def test_kernel_rename(self):
        self.run_it("--kernel-trace", "--kernel-rename", "--stats")
        self.assertEqual(self.kernel_names(), [OUTER, INNER, "begin"])
        self.assertIn(f'"{INNER}",1,', self.text("kernel_stats"))
        self.assertFalse(glob.glob(self.dir + "/*marker*"))

    def test_kernels_after_marks(self):
        """The mark's text names kernels of the thread that set it. The next end of a range takes it away
        in place of the range's, as with AMD's tool; an empty text names nothing."""
        outside = ["scale", "first", "scale", "theirs", "first"]
        inside = ["range", "two", "one", "later", "one", "range", "scale"]
        deep = ["deep", "level 1", "level 0"]
        self.run_it("--kernel-trace", "--kernel-rename", "--stats", program=(PROGRAM, "marks"))
        self.assertEqual(self.kernel_names(), outside + inside + deep)
        self.assertNotIn('\n"",', self.text("kernel_stats"))
        self.run_it("--kernel-trace", program=(PROGRAM, "marks"))
        self.assertEqual(set(self.kernel_names()), {"add", "scale"})

    def test_marks_that_name_nothing(self):
        """Counts of instructions are of ranges. Kokkos' allocations are marks, and no names."""
        self.run_it("--instruction-counts", "--instruction-counts-by", "range", "--kernel-rename",
                    program=(PROGRAM, "marks"))
        with open(f"{self.dir}/x_instruction_counts.csv", newline="") as f:
            self.assertEqual({r["Range"] for r in csv.DictReader(f)},
                             {"", "range", "around", "later", "level 39", "level 0"})
        self.run_it("--kernel-trace", "--kokkos-trace", program=(PROGRAM, "marks"))
        self.assertEqual(self.kernel_names(), ["scale", "add", "scale", "add", "add", "range", "range",
                                               "around", "later", "around", "add", "scale", "level 39",
                                               "level 0", "add"])

    def test_deep_ranges(self):
        self.run_it("--kernel-trace", "--kernel-rename", program=(PROGRAM, "deep"))
        self.assertEqual(self.kernel_names(), ["range 300", "range 20", "add"])

    def test_summary_keeps_kernels_from_their_ranges(self):
        """They have one name, and rows of their own."""
        done = self.run_it("--kernel-trace", "--marker-trace", "--kernel-rename", "--summary")
        rows = [[cell.strip() for cell in line.split("|")[1:4]]
                for line in done.stderr.splitlines() if "_API " in line or "KERNEL_" in line]
        for name in (OUTER, INNER):
            self.assertEqual(sorted(row[1:] for row in rows if row[0] == name),
                             [["KERNEL_DISPATCH", "1"], ["MARKER_API", "1"]])

    def test_rename_and_pause(self):
        self.run_it("--kernel-trace", "--marker-trace", "--kernel-rename",
                    program=(PROGRAM, "pause"))
        self.assertEqual(self.kernel_names(), [OUTER, "begin"])

    def counted(self):
        with open(f"{self.dir}/x_counter_collection.csv", newline="") as f:
            return [(r["Kernel_Name"], r["Counter_Value"]) for r in csv.DictReader(f)]

    def test_counters_of_renamed_and_selected_kernels(self):
        """One wave each."""
        self.run_it("--pmc", "SQ_WAVES", "--kernel-rename")
        self.assertEqual(self.counted(), [(OUTER, "1.000000"), (INNER, "1.000000"), ("begin", "1.000000")])
        self.run_it("--pmc", "SQ_WAVES", "--kernel-rename", "--selected-regions",
                    program=(PROGRAM, "regions"))
        self.assertEqual(self.counted(), [(INNER, "1.000000")])
        self.run_it("--pmc", "SQ_WAVES", "--selected-regions", program=(PROGRAM, "pause"))
        self.assertEqual(self.counted(), [("add(float*, float)", "1.000000")])

    def test_old_interface(self):
        """A program linked to libroctx64: with our library preloaded, and by its own."""
        for more in ((), ("--suppress-marker-preload",)):
            self.run_it("--marker-trace", *more, program=(OLD_PROGRAM,))
            self.assertEqual(self.names(), ["begin", OUTER, QUOTED, INNER, PROCESS, "end"])

    def test_not_asked(self):
        self.run_it("--kernel-trace")
        self.assertEqual(self.kernel_names(), ["scale", "add", "add"])
        self.assertFalse(glob.glob(self.dir + "/*marker*"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
