#!/usr/bin/env python3
"""--benchmark-mode on softgpu: each mode does so much of profiling and no more, and leaves its settings alone
behind; what execution-profile counts is what a traced run records.

usage: benchmark.py ROCPROFV3 PROGRAM"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAM = map(os.path.abspath, sys.argv[1:3])
# graphs ask for external ids as calls do, and events have no section to be compared
TRACED = ("--hip-runtime-trace", "--hip-graph-trace", "no", "--hip-event-trace", "no", "--kernel-trace",
          "--memory-copy-trace")


class BenchmarkTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_it(self, *options, status=0, env=None):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.folder.name, "-o", "out", *options, "--",
                               PROGRAM], capture_output=True, text=True, timeout=120,
                              env={**os.environ, **(env or {})})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def traced(self):
        """The program's output and the records of each kind of a run that is traced."""
        done = self.run_it(*TRACED, "-f", "json")
        (path,) = glob.glob(self.folder.name + "/**/out_results.json", recursive=True)
        with open(path) as file:
            records = json.load(file)["rocprofiler-sdk-tool"][0]["buffer_records"]
        os.remove(path)
        return done.stdout, {kind: rows for kind, rows in records.items() if rows}

    def benchmark(self, mode, *options, env=None):
        """Of a run: output, number of records, what is in the one file."""
        asked = ("--benchmark-mode", mode) if mode else ()
        done = self.run_it(*TRACED, *asked, "-f", "json", "csv", *options, env=env)
        (path,) = [path for path in glob.glob(self.folder.name + "/**", recursive=True) if os.path.isfile(path)]
        self.assertTrue(path.endswith("out_config.json"), path)
        with open(path) as file:
            metadata = json.load(file)["rocprofiler-sdk-tool"][0]["metadata"]
        os.remove(path)
        (count,) = re.findall(r"(\d+) records received", done.stderr)
        return done.stdout, int(count), metadata

    def test_modes(self):
        output, records = self.traced()
        total = sum(map(len, records.values()))
        for mode in ("disabled-sdk-contexts", "sdk-buffer-overhead", "sdk-callback-overhead", "tool-runtime-overhead",
                     "execution-profile"):
            with self.subTest(mode):
                said, count, metadata = self.benchmark(mode)
                self.assertEqual(said.splitlines()[0], output.splitlines()[0]) # others have addresses
                self.assertEqual(count, total if mode == "tool-runtime-overhead" else 0)
                self.assertEqual(metadata["config"]["benchmark_mode"], mode)
                self.assertEqual("profile" in metadata, mode == "execution-profile")

    def test_profile(self):
        _, records = self.traced()
        _, _, metadata = self.benchmark(None, env={"ROCPROF_BENCHMARK_MODE": "execution-profile"})
        profile = metadata["profile"]
        self.assertEqual({kind: (counts["count"], counts["unique"]) for kind, counts in profile.items()
                          if isinstance(counts, dict)},
                         {name: (len(records[kind]), len({r["operation"] for r in records[kind]}))
                          for name, kind in (("hip_runtime_api", "hip_api"), ("kernel_dispatch", "kernel_dispatch"),
                                             ("memory_copy", "memory_copy"))
                          if kind in records}) # some runtimes copy by kernels
        self.assertEqual(profile["contexts"], 1)
        self.assertGreaterEqual(profile["threads"], len({r["thread_id"] for r in records["hip_api"]}))

    def test_refused(self):
        for options, text in (
                (("--benchmark-mode", "none-such"), "'none-such' is none of: disabled-sdk-contexts"),
                (("--benchmark-mode", "sdk-buffer-overhead", "--pmc", "SQ_WAVES"),
                 "--benchmark-mode sdk-buffer-overhead and --pmc exclude each other"),
                (("--benchmark-mode", "execution-profile", "--att"),
                 "--benchmark-mode execution-profile and --advanced-thread-trace exclude each other")):
            with self.subTest(options):
                self.assertIn(text, self.run_it(*options, status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
