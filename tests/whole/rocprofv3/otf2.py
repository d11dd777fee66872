#!/usr/bin/env python3
"""OTF2 archives of a real HIP program, read by otf2-print and compared with the CSV files of the same run.

usage: otf2.py ROCPROFV3 PROGRAM [unittest arguments]
"""
import collections
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

ROCPROFV3, PROGRAM = sys.argv[1:3]
EVENT = re.compile(r'^(ENTER|LEAVE) +(\d+) +(\d+) +Region: "(.*)" <\d+>$')
CATEGORY = re.compile(r'^ +ADDITIONAL ATTRIBUTES: \("category" <0>; STRING; "(\w+)" <\d+>\)$')
METRIC = re.compile(r'^METRIC +(\d+) +(\d+) +Metric: \d+, 1 Value: \("(\w+)" <\d+>; DOUBLE; (\S+)\)$')
LOCATION = re.compile(r'^LOCATION +(\d+) +Name: "(.*)" <\d+>, Type: (\w+), # Events: (\d+), Group: "(.*)" <\d+>$')
REGION = re.compile(r'^REGION +\d+ +Name: "(.*)" <\d+> \(Aka.*, Role: (\w+), Paradigm: (\w+),')


def otf2_print(*words):
    done = subprocess.run(["otf2-print", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.splitlines()


class Archive:
    """Slices and metrics by otf2-print; that events of a location nest and are in order is checked."""

    def __init__(self, path):
        definitions = otf2_print("-G", path)
        self.locations = {m[1]: m.groups()[1:] for m in map(LOCATION.match, definitions) if m}
        self.regions = {m[1]: m.groups()[1:] for m in map(REGION.match, definitions) if m}
        self.slices, self.metrics = [], []
        stacks, counts = collections.defaultdict(list), collections.Counter()
        last = collections.Counter()
        for line in otf2_print(path):
            if m := CATEGORY.match(line):
                entered["category"] = m[1]
            elif m := METRIC.match(line):
                counts[m[1]] += 1
                self.metrics.append((stacks[m[1]][-1]["name"], m[3], float(m[4])))
            elif m := EVENT.match(line):
                kind, location, at, name = m[1], m[2], int(m[3]), m[4]
                counts[location] += 1
                assert at >= last[location], "out of order"
                last[location] = at
                if kind == "ENTER":
                    entered = {"name": name, "start": at, "location": self.locations[location][0]}
                    stacks[location].append(entered)
                    self.slices.append(entered)
                else:
                    slice_ = stacks[location].pop()
                    assert slice_["name"] == name, f"{slice_['name']} ends as {name}"
                    slice_["end"] = at
        assert not any(stacks.values()), "regions that are never left"
        for number, (name, _, events, _) in self.locations.items():
            assert int(events) == counts[number], name

    def of(self, category):
        return sorted((s["start"], s["end"], s["name"]) for s in self.slices if s["category"] == category)


class Otf2(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-otf2-")

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def run_it(self, *options):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, "-o", "it", "-f", "otf2", "csv",
                               *options, "--", PROGRAM], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Archive(os.path.join(self.dir, "it_results.otf2"))

    def rows(self, name):
        (path,) = glob.glob(f"{self.dir}/**/it_{name}.csv", recursive=True)
        with open(path, newline="") as f:
            return list(csv.DictReader(f))

    def test_has_what_csv_has(self):
        a = self.run_it("-s")
        for table, category, name in (("hip_api_trace", "hip_api", "Function"),
                                      ("hsa_api_trace", "hsa_api", "Function"),
                                      ("marker_api_trace", "marker_api", "Function"),
                                      ("kernel_trace", "kernel_dispatch", "Kernel_Name"),
                                      ("memory_copy_trace", "memory_copy", "Direction"),
                                      ("memory_allocation_trace", "memory_allocation", "Operation")):
            rows = sorted((int(r["Start_Timestamp"]), int(r["End_Timestamp"]), r[name])
                          for r in self.rows(table))
            if category == "marker_api": # marks are points
                rows = [r for r in rows if r[0] < r[1]]
            self.assertTrue(rows)
            self.assertEqual(a.of(category), rows, category)
        self.assertEqual({a.regions["MEMORY_COPY_DEVICE_TO_HOST"], a.regions["hipMalloc"],
                          a.regions["working"], a.regions["MEMORY_ALLOCATION_ALLOCATE"]},
                         {("DATA_TRANSFER", "HIP"), ("FUNCTION", "HIP"), ("FUNCTION", "USER"),
                          ("ALLOCATE", "HIP")})
        self.an_older_archive_is_replaced()

    def an_older_archive_is_replaced(self):
        """By one of fewer locations, which are those of what it has."""
        old = set(os.listdir(f"{self.dir}/it_results"))
        a = self.run_it("--kernel-trace", "--memory-copy-trace")
        self.assertLess(set(os.listdir(f"{self.dir}/it_results")), old)
        self.assertEqual([f for f in os.listdir(self.dir) if f.startswith(".")], [])
        wanted = {(f"Thread {r['Thread_Id']}, Compute on GPU Agent-1, Queue {r['Queue_Id']}",
                   "ACCELERATOR_STREAM", suite_gpu.ARCH) for r in self.rows("kernel_trace")}
        found = {(name, kind, group) for name, kind, _, group in a.locations.values()}
        self.assertEqual({f for f in found if "Compute" in f[0]}, wanted)
        self.assertTrue(all(re.fullmatch(r"Thread \d+, Copy to CPU Agent-0", name)
                            for name, *_ in found - wanted), found)

    def test_metrics(self):
        a = self.run_it("--pmc", "SQ_WAVES", "SQ_INSTS_SALU")
        self.assertEqual(sorted(a.metrics), sorted(
            (r["Kernel_Name"], r["Counter_Name"], float(r["Counter_Value"]))
            for r in self.rows("counter_collection")))
        self.counters_side_by_side()

    def counters_side_by_side(self):
        """In the other table of counters a dispatch has a row for all."""
        wide, found = self.rows("counter_collection_wide"), {}
        for row in self.rows("counter_collection"):
            name, value = row.pop("Counter_Name"), row.pop("Counter_Value")
            found.setdefault(row["Dispatch_Id"], dict(row))[name] = value
        self.assertEqual(wide, [found[r["Dispatch_Id"]] for r in wide])
        self.assertEqual(len(wide), len(found))

    def test_no_half_archive(self):
        with open(f"{self.dir}/it_results", "w"): # where the directory has to stand
            pass
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, "-o", "it", "-f", "otf2",
                               "--kernel-trace", "--", PROGRAM], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn("it_results.otf2", done.stderr)
        self.assertEqual(sorted(os.listdir(self.dir)), [".rocprofv3", "it_results"])

    def test_counters_that_take_turns(self):
        jobs = os.path.join(self.dir, "jobs.yaml")
        with open(jobs, "w") as f:
            f.write("jobs:\n  - pmc_groups: [[SQ_WAVES], [SQ_INSTS_SALU]]\n")
        subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, "-o", "it", "-f", "csv", "-i", jobs,
                        "--", PROGRAM], check=True, capture_output=True, timeout=120)
        rows = self.rows("counter_collection_wide")
        self.assertEqual({(bool(r["SQ_WAVES"]), bool(r["SQ_INSTS_SALU"])) for r in rows},
                         {(True, False), (False, True)})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
