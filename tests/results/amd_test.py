#!/usr/bin/env python3
"""Databases as AMD's tools write them, in the schema's first version and in 3.0.3: findings, digest, check, diff.

usage: amd_test.py ROCPROFV3 [unittest arguments]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import amd

ROCPROFV3 = sys.argv[1]


class Amd(unittest.TestCase):
    maxDiff = None

    def say(self, *words, status=0, told=""):
        done = subprocess.run([ROCPROFV3, *words], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (status, told))
        return done.stdout

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="amd-")
        self.addCleanup(directory.cleanup)
        self.paths = [amd.make(os.path.join(directory.name, f"{version}.db"), version) for version in ("3", "3.0.3")]

    def test_findings(self):
        for path in self.paths:
            found = json.loads(self.say("findings", path, "--format", "json"))["findings"]
            # times and counters are a real GPU's
            self.assertEqual({(f["rule"], f["subject"], f["class"]) for f in found},
                             {("lds-conflicts", "gemm", "measured"), ("occupancy-lds", "add", "exact"),
                              ("occupancy-registers", "gemm", "exact"),
                              ("idle-gpu", "", "measured")})
            conflicts = [f for f in found if f["rule"] == "lds-conflicts"][0]
            self.assertIn("25 % of the clocks", conflicts["text"])

    def test_digest(self):
        for path in self.paths:
            told = json.loads(self.say("digest", path, "--format", "json", "--bytes", "20000"))
            self.assertEqual([told["run"][k] for k in ("command", "host", "gpu", "software_gpu")], ["./gemm 4096", "node17", "gfx90a", False])
            self.assertEqual([(k["name"], k["calls"]["value"], k["time"]["value"]) for k in told["kernels"]],
                             [("gemm", 20, 200_000), ("add", 10, 20_000)])
            counters = {c["counter"]["name"]: c["counter"] for c in told["counters"]}
            self.assertEqual(set(counters), set(amd.COUNTERS))
            self.assertEqual((counters["SQ_WAVES"]["value"], counters["SQ_WAVES"]["class"]), (64 * 8, "measured"))
            self.assertEqual([(c["name"], c["moved"]["value"]) for c in told["copies"]], [("MEMORY_COPY_HOST_TO_DEVICE", 4 << 20)])
            self.assertEqual([c["name"] for c in told["calls"]], ["hipLaunchKernel", "hipMemcpy"])

    def test_check_and_diff(self):
        for path in self.paths:
            budget = path + ".yaml"
            with open(budget, "w", encoding="utf-8") as f:
                f.write("gemm: {SQ_WAVES: 512, vgprs: 128, dispatches: 20}\nadd: {vgprs: <= 8}\n")
            self.say("check", budget, path)
            self.say("diff", path, path)

    def test_annotate(self):
        for path in self.paths:
            self.say("annotate", path, status=1, told="rocprofv3: error: no instructions were counted: rocprofv3 --instruction-counts -- "
                                                      "PROGRAM counts them, on the software GPU\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
