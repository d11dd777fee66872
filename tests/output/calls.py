#!/usr/bin/env python3
"""Calls with numbers of every size: the same in CSV, JSON and Perfetto traces.

usage: calls.py CALLS PROTO [unittest arguments]
"""
import csv
import json
import subprocess
import sys
import tempfile
import unittest

from perfetto_trace import Trace

CALLS, PROTO = sys.argv[1:3]


class Calls(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="rocprofv3-calls-") as where:
            subprocess.run([CALLS, where], check=True, timeout=60)
            with open(f"{where}/calls_results.pftrace", "rb") as f:
                cls.trace = Trace(f.read(), PROTO)
            with open(f"{where}/calls_results.json") as f:
                cls.records = json.load(f)["rocprofiler-sdk-tool"][0]["buffer_records"]
            cls.rows = {}
            for name in ("hip_api", "marker_api"):
                with open(f"{where}/calls_{name}_trace.csv", newline="") as f:
                    cls.rows[name] = [(int(r["Start_Timestamp"]), int(r["End_Timestamp"]),
                                       int(r["Thread_Id"]), int(r["Correlation_Id"]), r["Function"])
                                      for r in csv.DictReader(f)]

    def test_every_call(self):
        self.assertEqual(len(self.rows["hip_api"]), 55 * 6 + 2 * 9)
        self.assertEqual(len(self.rows["marker_api"]), 55)
        for name, rows in self.rows.items():
            slices = [(s["start"], s["end"], int(s["notes"]["tid"]), int(s["notes"]["corr_id"]),
                       s["name"]) for s in self.trace.of(name)]
            self.assertEqual(sorted(slices), sorted(rows))
            self.assertEqual([(r["start_timestamp"], r["end_timestamp"], r["thread_id"],
                               r["correlation_id"]["internal"]) for r in self.records[name]],
                             [r[:4] for r in rows])

    def test_what_slices_say(self):
        names = {}
        for s in self.trace.of("hip_api"):
            notes = s["notes"]
            self.assertEqual((int(notes["begin_ns"]), int(notes["end_ns"]), int(notes["delta_ns"])),
                             (s["start"], s["end"], s["end"] - s["start"]))
            self.assertEqual((notes["kind"], f"hipCall{notes['operation']}"), ("5", s["name"]))
            thread = self.trace.tracks[s["track"]]["thread"][0]
            self.assertEqual(thread["tid"], [notes["tid"]])
            self.assertEqual(len(s["flows"]), 1)
            names.setdefault(s["flows"][0], []).append(s["name"])
        self.assertEqual({len(n) for n in names.values()}, {1})

    def test_calls_in_calls(self):
        ancestors = {r["correlation_id"]["internal"]: r["correlation_id"]["ancestor"]
                     for r in self.records["hip_api"]}
        self.assertGreater(len(set(ancestors.values())), 5)
        self.assertEqual({int(s["notes"]["corr_id"]): int(s["notes"]["ancestor_id"])
                          for s in self.trace.of("hip_api")}, ancestors)

    def test_arguments(self):
        with_arguments = [r for r in self.records["hip_api"] if "args" in r]
        self.assertEqual([len(r["args"][0]["value"]) for r in with_arguments],
                         2 * [1, 100, 120, 16000, 16100, 16200, 16300, 16400, 40000])
        slices = {int(s["notes"]["corr_id"]): s["notes"] for s in self.trace.of("hip_api")}
        for r in with_arguments:
            notes = slices[r["correlation_id"]["internal"]]
            self.assertEqual([notes["text"], notes["number"]], [a["value"] for a in r["args"]])
        self.assertEqual(sum("text" in notes for notes in slices.values()), len(with_arguments))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
