#!/usr/bin/env python3
"""The stand-in for the Python module perfetto, asked as AMD's validators ask it: what it says of a trace of a HIP program
is what the CSV files of the same run have.

usage: reader_test.py BUILD
"""
import csv
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv[1])
PROGRAM = BUILD + "/tests/whole/rocprofv3/traced"
for missing in [m for m in ("pandas",) if not importlib.util.find_spec(m)] + [p for p in (PROGRAM,) if not os.path.exists(p)]:
    print(f"skip: there is no {missing}")
    sys.exit(77)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/perfetto/python")
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig # noqa: E402


class Reader(unittest.TestCase):
    maxDiff = None

    def traced(self, folder, *options):
        subprocess.run([BUILD + "/bin/rocprofv3", "--gpu", "soft", "-d", folder, "-o", "out", "-f", "csv", "pftrace", *options,
                        "--", PROGRAM], check=True, capture_output=True, timeout=120)
        (path,) = glob.glob(folder + "/**/*.pftrace", recursive=True)
        return TraceProcessor(trace=path, config=TraceProcessorConfig(verbose=False)), os.path.dirname(path)

    def test_slices_and_tracks(self):
        with tempfile.TemporaryDirectory() as folder:
            reader, where = self.traced(folder, "-s")
            slices = reader.query("SELECT slice_id, track_id, category, depth, ts, dur, name FROM slice").as_pandas_dataframe()
            for table, category, name in (("hip_api", "hip_api", "Function"), ("kernel", "kernel_dispatch", "Kernel_Name"),
                                          ("memory_copy", "memory_copy", "Direction")):
                with open(f"{where}/out_{table}_trace.csv", newline="") as f:
                    rows = sorted((int(r["Start_Timestamp"]), int(r["End_Timestamp"]), r[name]) for r in csv.DictReader(f))
                found = slices[slices["category"] == category]
                self.assertEqual(sorted(zip(found["ts"], found["ts"] + found["dur"], found["name"])), rows)
                self.assertTrue(rows)
            tracks = reader.query("SELECT id FROM process_track UNION SELECT id FROM thread_track").as_pandas_dataframe()
            self.assertLessEqual(set(slices["track_id"]), set(tracks["id"]))
            self.assertEqual(len(set(slices["slice_id"])), len(slices))
            main = reader.query("SELECT process.pid, thread.tid, thread_track.parent_id, process_track.id FROM thread "
                                "JOIN thread_track ON thread_track.utid = thread.utid JOIN process JOIN process_track "
                                "ON process_track.upid = process.upid AND process_track.parent_id IS NULL "
                                "WHERE thread.is_main_thread").as_pandas_dataframe()
            self.assertEqual([(r[0] == r[1], r[2] == r[3]) for r in main.itertuples(index=False)], [(True, True)])

    def test_counters(self):
        with tempfile.TemporaryDirectory() as folder:
            reader, where = self.traced(folder, "--pmc", "SQ_WAVES")
            with open(where + "/out_counter_collection.csv", newline="") as f:
                rows = [float(r["Counter_Value"]) for r in csv.DictReader(f)]
            found = reader.query("SELECT counter.value FROM counter JOIN counter_track ON counter.track_id = counter_track.id "
                                 "WHERE counter_track.name LIKE 'AGENT%PMC SQ_WAVES' AND counter.value > 0 "
                                 "ORDER BY counter.ts").as_pandas_dataframe()
            self.assertEqual(list(found["value"]), rows)

    def test_a_trace_that_is_cut(self):
        with tempfile.NamedTemporaryFile() as f:
            f.write(bytes([0x0a, 0x05, 0x42]))
            f.flush()
            self.assertRaises(ValueError, TraceProcessor, trace=f.name)


unittest.main(argv=sys.argv[:1] + sys.argv[2:])
