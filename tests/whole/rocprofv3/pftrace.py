#!/usr/bin/env python3
"""Perfetto traces of a real HIP program, read by protoc through a description of the format that the
writer does not know, and compared with the CSV files of the same run.

usage: pftrace.py ROCPROFV3 PROGRAM PROTO [unittest arguments]
"""
import collections
import csv
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAM, PROTO = sys.argv[1:4]
sys.path.insert(0, os.path.dirname(PROTO))
from perfetto_trace import Trace  # noqa: E402


def read(data):
    return Trace(data, PROTO)


class Pftrace(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-pftrace-")

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def run_it(self, *options):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, "-f", "csv", "pftrace",
                               *options, "--", PROGRAM], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr
        (path,) = glob.glob(f"{self.dir}/**/*_results.pftrace", recursive=True)
        with open(path, "rb") as f:
            return f.read()

    def rows(self, name):
        (path,) = glob.glob(f"{self.dir}/**/*_{name}.csv", recursive=True)
        with open(path, newline="") as f:
            return list(csv.DictReader(f))

    def test_everything_that_csv_has(self):
        t = read(self.run_it("-s"))
        for table, category, name in (("hip_api_trace", "hip_api", "Function"),
                                      ("hsa_api_trace", "hsa_api", "Function"),
                                      ("kernel_trace", "kernel_dispatch", "Kernel_Name"),
                                      ("memory_copy_trace", "memory_copy", "Direction")):
            rows = self.rows(table)
            self.assertEqual(
                sorted((int(r["Start_Timestamp"]), int(r["End_Timestamp"]), r[name],
                        r["Correlation_Id"]) for r in rows),
                sorted((s["start"], s["end"], s["name"], s["notes"]["corr_id"])
                       for s in t.of(category)), table)
        for row, s in zip(self.rows("kernel_trace"), t.of("kernel_dispatch")):
            for column, note in (("VGPR_Count",) * 2, ("SGPR_Count",) * 2, ("Queue_Id", "queue"),
                                 ("Workgroup_Size_X", "workgroup_size_x"), ("Grid_Size_X", "grid_size"),
                                 ("Dispatch_Id", "dispatch_id"), ("Stream_Id", "stream_ID")):
                self.assertEqual(row[column], s["notes"][note], column)

    def test_tracks_and_flows(self):
        t = read(self.run_it("-r"))
        names = collections.Counter(t.tracks[s["track"]]["name"][0] for s in
                                    t.of("kernel_dispatch") + t.of("memory_copy"))
        self.assertEqual(names, {"STREAM [1]": 3, "STREAM [2]": 3})
        launches = {s["flows"][0]: s["name"] for s in t.of("hip_api")}
        for s in t.of("kernel_dispatch"):
            self.assertEqual(launches[s["flows"][0]], "hipLaunchKernel")
        for s in t.of("memory_copy"):
            self.assertEqual(launches[s["flows"][0]], "hipMemcpyAsync")
        processes = [x for x in t.tracks.values() if x["process"]]
        self.assertEqual([x["process"][0]["process_name"][0] for x in processes],
                         [os.path.basename(PROGRAM)])
        self.assertEqual({x["parent_uuid"][0] for x in t.tracks.values() if not x["process"]},
                         {processes[0]["uuid"][0]})

    def test_queues_in_place_of_streams(self):
        t = read(self.run_it("-r", "--group-by-queue"))
        tracks = {t.tracks[s["track"]]["name"][0] for s in t.of("kernel_dispatch")}
        self.assertTrue(tracks)
        for name in tracks:
            self.assertRegex(name, r"^COMPUTE Agent \[1\] QUEUE \[\d\] GPU$")
        self.assertEqual({t.tracks[s["track"]]["name"][0].split(" THREAD")[0]
                          for s in t.of("memory_copy")}, {"COPY to Agent [0]", "COPY to Agent [1]"})

    def test_bytes(self):
        t = read(self.run_it("-r"))
        for name, points in t.counters.items():
            if name.startswith("COPY BYTES"):
                self.assertEqual(points[-1][1], 0)
        self.assertEqual([v for _, v in t.counters["COPY BYTES to Agent [1] (GPU)"]], [16384, 0])
        given = [v for _, v in t.counters["ALLOCATE BYTES on Agent [1] (GPU)"]]
        want, total = [], 0
        live = {}
        for row in self.rows("memory_allocation_trace"):
            if row["Agent_Id"] == "Agent 1":
                total += int(row["Allocation_Size"])
                live[row["Address"]] = int(row["Allocation_Size"])
            elif row["Address"] in live and "FREE" in row["Operation"]:
                total -= live.pop(row["Address"])
            else:
                continue
            want.append(total)
        self.assertEqual(given, want)

    def test_counters(self):
        t = read(self.run_it("--pmc", "SQ_WAVES", "SQ_INSTS_SALU"))
        rows = self.rows("counter_collection")
        want = {(r["Dispatch_Id"], r["Counter_Name"]): float(r["Counter_Value"]) for r in rows}
        self.assertEqual(want[("1", "SQ_WAVES")], 64) # 4096 threads
        found = {(s["notes"]["dispatch_id"], c): float(s["notes"][c]) for s in t.of("kernel_dispatch")
                 for c in ("SQ_WAVES", "SQ_INSTS_SALU")}
        self.assertEqual(found, want)
        self.assertEqual([v for _, v in t.counters["Agent [1] PMC SQ_WAVES"]], [64, 0] * 4)

    def test_counters_beside_the_trace(self):
        t = read(self.run_it("--kernel-trace", "--pmc", "SQ_WAVES"))
        self.assertEqual([s["notes"]["SQ_WAVES"] for s in t.of("kernel_dispatch")], ["64"] * 4)

    def test_arguments(self):
        t = read(self.run_it("--hip-trace"))
        (copy, back) = [s for s in t.of("hip_api") if s["name"] == "hipMemcpyAsync"]
        self.assertEqual((copy["notes"]["sizeBytes"], copy["notes"]["kind"]), ("16384", "HostToDevice"))

    def test_what_the_perfetto_options_do(self):
        options = {"--perfetto-backend": "system", "--perfetto-buffer-size": "1",
                   "--perfetto-buffer-fill-policy": "ring_buffer", "--perfetto-shmem-size-hint": "1"}
        data = self.run_it("-s", *(word for pair in options.items() for word in pair))
        self.assertGreater(len(data), 1024) # more than the "buffer" holds
        for option, value in options.items():
            self.assertIn(f"{option} {value} changes nothing", self.said)
        shutil.rmtree(self.dir)
        self.run_it("-r", "--perfetto-backend", "inprocess", "--perfetto-buffer-fill-policy", "discard")
        self.assertNotIn("perfetto", self.said)

    def test_files_behind_each_other(self):
        data = self.run_it("-s")
        shutil.rmtree(self.dir)
        other = self.run_it("-s")
        one, both = read(data), read(data + other)
        self.assertEqual(len(both.slices), len(one.slices) + len(read(other).slices))
        self.assertFalse({s["flows"][0] for s in one.slices if s["flows"]} &
                         {s["flows"][0] for s in read(other).slices if s["flows"]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
