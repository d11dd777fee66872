#!/usr/bin/env python3
"""--kfd-trace and its four: what the driver tells of a real HIP program's managed memory, in every format.

usage: driver.py ROCPROFV3 ROCPD PROGRAM [unittest arguments]
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

ROCPROFV3, ROCPD, PROGRAM = sys.argv[1:4]
BYTES = 8 * 4096
# operation, source, destination, where it was prefetched to; nodes: 0 is the host
MIGRATIONS = ((0, 1, 1), (1, 0, 0))


class Driver(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-driver-")
        self.addCleanup(shutil.rmtree, self.dir)

    def run_it(self, *options):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, "-o", "it", *options, "--", PROGRAM],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.address = int(done.stdout)
        self.said = done.stderr

    def rows(self, name="kfd_trace"):
        path = f"{self.dir}/it_{name}.csv"
        if not os.path.exists(path):
            return []
        with open(path, newline="") as f:
            return list(csv.DictReader(f))

    def own(self, rows):
        """Those of the program's memory: HIP 6 moves some of its own."""
        return [r for r in rows if f"start_address={self.address} " in r["Arguments"]]

    def migrated(self, source, destination, prefetched):
        return (f"start_address={self.address} end_address={self.address + BYTES} src_agent_id={source} "
                f"dst_agent_id={destination} prefetch_agent_id={prefetched} preferred_agent_id=-1 error_code=0")

    def expected(self):
        """Kind, operation behind its prefix, arguments."""
        rows = []
        for m in MIGRATIONS:
            rows += [("KFD_EVENT_PAGE_MIGRATE", "PREFETCH", self.migrated(*m)),
                     ("KFD_EVENT_PAGE_MIGRATE", "END", self.migrated(*m)),
                     ("KFD_PAGE_MIGRATE", "PREFETCH", self.migrated(*m))]
        rows.append(("KFD_EVENT_UNMAP_FROM_GPU", "UNMAP_FROM_CPU",
                     f"agent_id=1 start_address={self.address} end_address={self.address + BYTES}"))
        return sorted(rows)

    def test_every_format(self):
        formats = ["csv", "json", "pftrace", "rocpd"]
        if shutil.which("otf2-print"):
            formats.append("otf2")
        self.run_it("--kfd-trace", "--kernel-trace", "--stats", "-f", *formats)
        self.assertRegex(self.said, r"(\d+) records received, \1 written, 0 dropped, 0 filtered")
        rows = self.rows()
        prefix = "ROCPROFILER_"
        self.assertEqual(sorted((r["Domain"], r["Function"][len(prefix + r["Domain"]) + 1:], r["Arguments"])
                                for r in self.own(rows)), self.expected())
        for r in rows:
            self.assertEqual(r["Thread_Id"], r["Process_Id"]) # the driver knows no threads
            self.assertEqual(r["Start_Timestamp"] == r["End_Timestamp"], "EVENT" in r["Domain"])
        kernel, = self.rows("kernel_trace")
        there, back = (r for r in self.own(rows) if r["Domain"] == "KFD_PAGE_MIGRATE")
        self.assertLess(int(there["End_Timestamp"]), int(kernel["Start_Timestamp"]))
        self.assertLess(int(there["End_Timestamp"]), int(back["Start_Timestamp"]))
        self.assertEqual(sum(int(r["Calls"]) for r in self.rows("kfd_stats")), len(rows))

        def key(kind, operation, start, end, arguments):
            return kind, operation, int(start), int(end), arguments
        table = sorted(key(*(r[c] for c in ("Domain", "Function", "Start_Timestamp", "End_Timestamp", "Arguments")))
                       for r in rows)
        with open(f"{self.dir}/it_results.json") as f:
            data, = json.load(f)["rocprofiler-sdk-tool"]
        names = data["strings"]["buffer_records"]
        self.assertEqual(table, sorted(
            key(names[r["kind"]]["kind"], names[r["kind"]]["operations"][r["operation"]], r["start_timestamp"],
                r["end_timestamp"], " ".join(f"{a['name']}={a['value']}" for a in r["args"]))
            for r in data["buffer_records"]["kfd"]))

        db = sqlite3.connect(f"{self.dir}/it_results.db")
        self.assertEqual(table, sorted(
            key(*row[:4], " ".join(f"{k}={v}" for k, v in json.loads(row[4])["kfd"]["kfd"].items()))
            for row in db.execute("SELECT C.string, N.string, R.start, R.end, E.extdata FROM rocpd_region R JOIN "
                                  "rocpd_event E ON E.id = R.event_id JOIN rocpd_string C ON C.id = E.category_id "
                                  "JOIN rocpd_string N ON N.id = R.name_id WHERE R.tid = R.pid")))
        moved = collections.defaultdict(list)
        for r in rows:
            words = dict(word.split("=") for word in r["Arguments"].split())
            moved[r["Domain"]].append(int(words["end_address"]) - int(words["start_address"]))
        self.assertEqual(db.execute("SELECT I.name, I.description, I.block, SUM(P.value), COUNT(*) FROM "
                                    "rocpd_pmc_event P JOIN rocpd_info_pmc I ON I.id = P.pmc_id GROUP BY I.name "
                                    "ORDER BY 1").fetchall(),
                         [(kind, what, "KFD", sum(moved[kind]), len(moved[kind])) for kind, what in (
                             ("KFD_EVENT_PAGE_MIGRATE", "KFD page migration events"),
                             ("KFD_EVENT_UNMAP_FROM_GPU", "KFD unmap from GPU events"),
                             ("KFD_PAGE_MIGRATE", "KFD page migration paired records"))])
        with open(f"{self.dir}/it_results.pftrace", "rb") as f:
            trace = f.read()
        for text in ("kfd_events", *{r["Domain"] for r in rows}, *{r["Function"] for r in rows}):
            self.assertIn(text.encode(), trace)
        self.back_from_the_database(table)
        if "otf2" in formats:
            text = subprocess.run(["otf2-print", f"{self.dir}/it_results.otf2"], capture_output=True, text=True,
                                  check=True).stdout
            self.assertEqual(text.count('Region: "ROCPROFILER_KFD_PAGE_MIGRATE_PREFETCH"'),
                             2 * len(moved["KFD_PAGE_MIGRATE"])) # in and out

    def back_from_the_database(self, table):
        """rocpd makes the same of it."""
        out = self.dir + "/again"
        subprocess.run([ROCPD, "convert", "-i", f"{self.dir}/it_results.db", "-f", "json", "-d", out, "-o", "it"],
                       check=True, capture_output=True, text=True)
        path, = glob.glob(out + "/**/it*.json", recursive=True)
        with open(path) as f:
            data, = json.load(f)["rocprofiler-sdk-tool"]
        names = data["strings"]["buffer_records"]
        self.assertEqual(sorted((names[r["kind"]]["kind"], r["start_timestamp"], len(r["args"]))
                                for r in data["buffer_records"]["kfd"]),
                         sorted((row[0], row[2], row[4].count("=")) for row in table))

    def test_each_option(self):
        for options, kinds in (("--kfd-page-migration-trace", {"KFD_EVENT_PAGE_MIGRATE", "KFD_PAGE_MIGRATE"}),
                               ("--kfd-page-mapping-trace", {"KFD_EVENT_UNMAP_FROM_GPU"}),
                               ("--kfd-queue-trace --kfd-dropped-events-trace", set())):
            self.run_it(*options.split(), "-f", "csv")
            self.assertEqual({r["Domain"] for r in self.rows()}, kinds, options)
            for path in glob.glob(self.dir + "/*.csv"):
                os.remove(path)

    def test_with_everything(self):
        self.run_it("-r", "-f", "csv")
        self.assertEqual(len(self.own(self.rows())), len(self.expected()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
