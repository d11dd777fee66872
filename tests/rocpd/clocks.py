#!/usr/bin/env python3
"""Processes of several nodes, whose clocks differ: rocpd query and convert show one clock; a merged database keeps what was
measured and what is known of the clocks, so that whoever reads it changes each time once.

usage: clocks.py ROCPD BENCH_FLEET [unittest arguments]
"""
import csv
import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROCPD, FLEET = sys.argv[1:3]
LATE_NS, ERROR_NS = 3_000_000_000, 2500 # the second node's clock is so much ahead


class Clocks(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocpd-clocks-")
        self.addCleanup(shutil.rmtree, self.dir)
        subprocess.run([FLEET, f"{self.dir}/ranks", "--ranks", "4", "--per-node", "2", "--records", "30", "--flat"], check=True)
        self.paths = sorted(glob.glob(f"{self.dir}/ranks/*.db"))
        self.measured = {}
        for rank, path in enumerate(self.paths):
            self.give(path, rank)
            with sqlite3.connect(path) as db:
                self.measured[rank] = db.execute("SELECT guid, start, \"end\" FROM regions ORDER BY start, \"end\"").fetchall()
            db.close()

    def give(self, path, rank):
        """Facts of --sync-clocks: the first node's clock is that of rank 0."""
        with sqlite3.connect(path) as db:
            table, = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_metadata\\_%' ESCAPE '\\'").fetchone()
            first, last = db.execute("SELECT MIN(start), MAX(\"end\") FROM regions").fetchone()
            offset, error = (0, 0) if rank < 2 else (-LATE_NS, ERROR_NS)
            facts = {"rank": rank, "ranks": 4, "boot_id": f"node-{rank // 2}"}
            for tag, at in (("clock_begin", first), ("clock_end", last)):
                facts[tag] = f"77 {at} {offset} {error}"
            db.execute(f"DELETE FROM \"{table}\" WHERE tag IN ('boot_id', 'clock_last')")
            db.executemany(f'INSERT INTO "{table}" (tag, value) VALUES (?, ?)', [(k, str(v)) for k, v in facts.items()])
        db.close()

    def run_it(self, *words):
        done = subprocess.run([ROCPD, *words], capture_output=True, text=True, check=False, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def query(self, *inputs, sql="SELECT guid, start, \"end\" FROM regions"):
        said = self.run_it("query", "--query", sql, "--format", "csv", "-d", "q", "-o", "rows", "-i", *inputs)
        with open(f"{self.dir}/q/rows.csv", encoding="utf-8") as f:
            return said, sorted((row[0], *map(int, row[1:])) for row in list(csv.reader(f))[1:])

    def expected(self):
        return sorted((guid, start - LATE_NS * (rank > 1), end - LATE_NS * (rank > 1))
                      for rank, rows in self.measured.items() for guid, start, end in rows)

    def merge(self):
        said = self.run_it("merge", "-d", ".", "-o", "merged", "-i", *self.paths)
        self.assertIn("rocpd: processes of 2 nodes keep the times of their nodes' clocks, and the file has what is known", said)
        return f"{self.dir}/merged.db"

    def test_query(self):
        said, rows = self.query(*self.paths)
        self.assertEqual(said, "rocpd: times of 2 of 4 processes are changed to one clock, 2.5 us off at most\n")
        self.assertEqual(rows, self.expected())

    def test_merged(self):
        """Once, and not twice, whether the databases are read or what was merged of them."""
        merged = self.merge()
        with sqlite3.connect(merged) as db:
            kept = sorted(db.execute("SELECT guid, start, \"end\" FROM regions").fetchall())
        db.close()
        self.assertEqual(kept, sorted(row for rows in self.measured.values() for row in rows))
        said, rows = self.query(merged)
        self.assertEqual(said, "rocpd: times of 2 of 4 processes are changed to one clock, 2.5 us off at most\n")
        self.assertEqual(rows, self.expected())
        more = "SELECT guid, init, fini, start, \"end\" FROM rocpd_info_process"
        self.assertEqual(self.query(merged, sql=more)[1], self.query(*self.paths, sql=more)[1])
        for inputs, to in ((self.paths, "apart"), ([merged], "together")):
            self.run_it("convert", "-f", "csv", "-d", to, "-i", *inputs)
        names = os.listdir(f"{self.dir}/apart")
        self.assertIn("out_clocks.csv", names)
        for name in names:
            with open(f"{self.dir}/apart/{name}", "rb") as f, open(f"{self.dir}/together/{name}", "rb") as g:
                self.assertEqual(f.read(), g.read(), name)

    def test_one_node(self):
        """Nothing is changed, and nothing said."""
        said, rows = self.query(*self.paths[2:])
        self.assertEqual((said, rows), ("", sorted(self.measured[2] + self.measured[3])))
        self.assertEqual(self.run_it("merge", "-d", ".", "-o", "one", "-i", *self.paths[2:]), "")


class Meetings(unittest.TestCase):
    """Clocks that nobody has measured, of nodes whose ranks have met in collectives of MPI: their ends are one moment."""

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="rocpd-clocks-")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        subprocess.run([FLEET, f"{cls.dir}/ranks", "--ranks", "8", "--per-node", "2", "--records", "3000", "--mpi", "--flat",
                        "--boots", "100000", "--drift", "50", "--clocks", "20"], check=True)

    def ends(self, folder, said):
        """Of each collective the ends in all ranks, on one clock."""
        done = subprocess.run([ROCPD, "query", "--query", "SELECT guid, \"end\" FROM regions WHERE name = 'MPI_Allreduce'", "--format",
                               "csv", "-d", self.dir, "-o", "rows", "-i", folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, said)
        ranks = {}
        with open(f"{self.dir}/rows.csv", encoding="utf-8") as f:
            for guid, end in list(csv.reader(f))[1:]:
                ranks.setdefault(guid, []).append(int(end))
        self.assertEqual(len(ranks), 8)
        return list(zip(*map(sorted, ranks.values()), strict=True))

    def test_ends_are_one_moment(self):
        said = r"times of 6 of 8 processes are changed to one clock, (\d+\.\d) us off at most"
        rows = self.ends(f"{self.dir}/ranks", said)
        self.assertGreater(len(rows), 32)
        subprocess.run([ROCPD, "convert", "-f", "csv", "-d", self.dir, "-i", f"{self.dir}/ranks"], check=True)
        with open(f"{self.dir}/out_clocks.csv", encoding="utf-8") as f:
            clocks = list(csv.DictReader(f))
        self.assertEqual(sorted(row["Clock"].split(":")[0] for row in clocks), ["own clock"] * 2 + ["rank 0's clock by MPI's collectives"] * 6)
        off = max(max(row) - min(row) for row in rows)
        stated = [int(row["Error_Ns"]) for row in clocks]
        print(f"of {len(rows)} collectives ends are {off / 1e3:.1f} us apart at most; stated is {max(stated) / 1e3:.1f} us")
        self.assertLess(max(stated), 50000)
        self.assertLess(off, min(2 * max(stated), 20000))

    def test_calls_that_do_not_count(self):
        """Where one rank says another number of collectives, their beginning is compared; where none says any, the time of day is."""
        copy = f"{self.dir}/copy"
        shutil.copytree(f"{self.dir}/ranks", copy)
        self.addCleanup(shutil.rmtree, copy)

        def change(paths, sql):
            for path in paths:
                with sqlite3.connect(path) as db:
                    table, = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_metadata\\_%' ESCAPE '\\'").fetchone()
                    self.assertEqual(db.execute(sql.format(f'"{table}"')).rowcount, 1)
                db.close()

        paths = sorted(glob.glob(copy + "/*.db"))
        change(paths[3:4], "UPDATE {} SET value = '9' || value WHERE tag = 'clock_meetings'")
        rows = self.ends(copy, "times of 6 of 8 processes are changed to one clock, .* us off at most")
        self.assertLess(max(rows[0]) - min(rows[0]), 40000)
        change(paths, "UPDATE {} SET value = 'x' WHERE tag = 'clock_meetings'")
        rows = self.ends(copy, "times of 6 of 8 processes are changed to one clock, as far off as NTP lets it be")
        self.assertGreater(max(rows[0]) - min(rows[0]), 40000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
