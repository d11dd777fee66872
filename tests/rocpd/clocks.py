#!/usr/bin/env python3
"""Processes of several nodes, whose clocks differ: rocpd query and convert show one clock; a merged database keeps what was
measured and what is known of the clocks, so that whoever reads it changes each time once. Where MPI was traced, its messages
tell how clocks differ.

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
from fractions import Fraction

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
        self.assertEqual(sorted(row["Clock"].split(":")[0] for row in clocks), ["own clock"] * 2 + ["rank 0's clock by MPI"] * 6)
        off = max(max(row) - min(row) for row in rows)
        stated = [int(row["Error_Ns"]) for row in clocks]
        print(f"of {len(rows)} collectives ends are {off / 1e3:.1f} us apart at most; stated is {max(stated) / 1e3:.1f} us")
        self.assertLess(max(stated), 50000)
        self.assertLess(off, min(2 * max(stated), 20000))

    def test_calls_that_do_not_count(self):
        """Where one rank does not say what it has called, the other ranks of its node do; where none says anything, the time of
        day is compared."""
        copy = f"{self.dir}/copy"
        shutil.copytree(f"{self.dir}/ranks", copy)
        self.addCleanup(shutil.rmtree, copy)

        def change(paths, sql):
            for path in paths:
                with sqlite3.connect(path) as db:
                    table, = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_metadata\\_%' ESCAPE '\\'").fetchone()
                    self.assertGreaterEqual(db.execute(sql.format(f'"{table}"')).rowcount, 1)
                db.close()

        paths = sorted(glob.glob(copy + "/*.db"))
        change(paths[3:4], "UPDATE {} SET value = 'x' WHERE tag = 'clock_mpi'")
        rows = self.ends(copy, "times of 6 of 8 processes are changed to one clock, .* us off at most")
        self.assertLess(max(rows[0]) - min(rows[0]), 40000)
        change(paths, "UPDATE {} SET value = 'x' WHERE tag = 'clock_mpi'")
        rows = self.ends(copy, "times of 6 of 8 processes are changed to one clock, as far off as NTP lets it be")
        self.assertGreater(max(rows[0]) - min(rows[0]), 40000)


class Messages(unittest.TestCase):
    """Four nodes of two ranks, booted seconds apart, whose clocks drift. Their times of day are right, but nothing says so, so
    that they tell the right answer and are not used themselves."""
    DENSE_NS = 20_000

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="rocpd-messages-")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        subprocess.run([FLEET, f"{cls.dir}/ranks", "--ranks", "8", "--per-node", "2", "--records", "8000", "--flat", "--mpi",
                        "--boots", "5", "--drift", "50", "--imbalance", "0"], check=True)
        cls.paths = sorted(glob.glob(f"{cls.dir}/ranks/*.db"))
        cls.facts = {}
        for path in cls.paths:
            with sqlite3.connect(path) as db:
                facts = dict(db.execute("SELECT tag, value FROM rocpd_metadata WHERE tag <> 'clock_mpi'"))
            db.close()
            cls.facts[facts["guid"]] = facts
        cls.first = next(iter(cls.facts))

    def setUp(self):
        self.out = tempfile.mkdtemp(prefix="rocpd-messages-")
        self.addCleanup(shutil.rmtree, self.out)

    def run_it(self, *words, before=()):
        done = subprocess.run([*before, ROCPD, *words], capture_output=True, text=True, check=False, cwd=self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def clocks(self, paths, to="out", **how):
        self.run_it("convert", "-f", "csv", "-d", to, "-i", *paths, **how)
        with open(f"{self.out}/{to}/out_clocks.csv", encoding="utf-8") as f:
            return {row["Guid"]: row for row in csv.DictReader(f)}

    def day_of(self, guid):
        """Begin and end of a process: its own clock, and the time of day."""
        facts = self.facts[guid]
        return (int(facts["clock_boottime_ns"]), int(facts["clock_realtime_ns"]),
                *map(int, facts["clock_last"].split()))

    def right(self, guid, at):
        """What the clock of the first node shows when that of the process shows `at`."""
        begin, day, end, day_end = self.day_of(guid)
        day += round(Fraction(day_end - day, end - begin) * (at - begin))
        begin, first, end, last = self.day_of(self.first)
        return begin + round(Fraction(end - begin, last - first) * (day - first))

    def check(self, rows, most):
        for guid, row in rows.items():
            if self.facts[guid]["boot_id"] == self.facts[self.first]["boot_id"]:
                self.assertEqual(row["Clock"], "own clock")
                continue
            self.assertRegex(row["Clock"], r"^rank 0's clock by MPI: [+-]\d+\.\d{9} s, drift .* ppm, [0-9.]+ us off at most$")
            begin, _, end, _ = self.day_of(guid)
            offs = []
            for i in range(11):
                at = begin + (end - begin) * i // 10
                shown = at + int(row["Offset_Ns"]) + (at - int(row["At"])) * float(row["Drift_Ppm"]) * 1e-6
                offs.append(abs(shown - self.right(guid, at)))
            self.assertLessEqual(max(offs), int(row["Error_Ns"]) + 2)
            self.assertLess(int(row["Error_Ns"]), most)
            print(f"off by {max(offs) / 1e3:.1f} us, stated {int(row['Error_Ns']) / 1e3:.1f}")

    def test_offsets_and_drift(self):
        rows = self.clocks(self.paths)
        self.assertEqual(len(rows), 8)
        self.check(rows, self.DENSE_NS)
        drifts = [abs(float(row["Drift_Ppm"])) for row in rows.values()]
        self.assertGreater(max(drifts), 10)
        said = self.run_it("query", "--query", "SELECT 1", "-i", *self.paths)
        worst = max(int(row["Error_Ns"]) for row in rows.values() if row["Error_Ns"])
        self.assertEqual(said, f"rocpd: times of 6 of 8 processes are changed to one clock, {worst * 1e-3:.1f} us off at most by "
                               "calls of MPI\n")

    def test_any_order(self):
        """Neither the order of the files nor the number of workers matters, and a merged file says the same."""
        rows = self.clocks(self.paths)
        self.assertEqual(self.clocks(self.paths[::-1], "reverse", before=("taskset", "-c", str(min(os.sched_getaffinity(0))))), rows)
        self.run_it("merge", "-d", ".", "-o", "merged", "-i", *self.paths)
        self.assertEqual(self.clocks([f"{self.out}/merged.db"], "together"), rows)

    def changed(self, statement, *values, ranks):
        """Copies of the databases, of which those of some ranks are changed."""
        paths = []
        for rank, path in enumerate(self.paths):
            paths.append(shutil.copy(path, self.out))
            if rank not in ranks:
                continue
            with sqlite3.connect(paths[-1]) as db:
                db.create_function("later", 1, self.later)
                db.execute(statement.replace("METADATA", db.execute(
                    "SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_metadata\\_%' ESCAPE '\\'").fetchone()[0]), values)
            db.close()
        return paths

    @staticmethod
    def later(text):
        """The ends of a row, of which those of the second half of the time are 1 ms later."""
        rank, size, base, *numbers = text.split()
        ends = [[int(n, 16) for n in numbers[i:i + 3]] for i in range(0, len(numbers), 3)]
        middle = sorted(t for end in ends for t in end[1:] if t)[len(ends) // 2]
        return " ".join([rank, size, base, *(f"{n:x}" for key, *times in ends for n in
                                             (key, *(t + 1_000_000 if t > middle else t for t in times)))])

    def test_set_meanwhile(self):
        """The clock of one node jumps: it is told, its times of day are what is left, and the others are as right as before."""
        paths = self.changed("UPDATE \"METADATA\" SET value = later(value) WHERE tag = 'clock_mpi'", ranks=(4, 5))
        rows = self.clocks(paths)
        odd = {guid: row for guid, row in rows.items() if "contradict" in row["Clock"]}
        self.assertEqual(len(odd), 2)
        for row in odd.values():
            self.assertRegex(row["Clock"], r"^time of day: .*, as far off as NTP lets it be \(calls of MPI contradict each "
                                           r"other: they fit no line\)$")
            self.assertEqual(row["Error_Ns"], "")
        self.check({guid: row for guid, row in rows.items() if guid not in odd}, 2 * self.DENSE_NS)
        self.assertIn("contradict", self.run_it("query", "--query", "SELECT 1", "-i", *paths))

    def test_without(self):
        """Databases that were made before, and several runs of a rank: the times of day."""
        for statement, ranks in (("DELETE FROM \"METADATA\" WHERE tag = 'clock_mpi'", range(8)),
                                 ("UPDATE \"METADATA\" SET value = '0' || substr(value, 2) WHERE tag = 'clock_mpi'", (7,))):
            rows = self.clocks(self.changed(statement, ranks=ranks))
            self.assertEqual(len([row for row in rows.values() if row["Clock"].startswith("time of day: ")]), 6)

    def test_known_times_of_day(self):
        """They are used where the kernels say that they are better, and the error is told as a number."""
        insert = "INSERT INTO \"METADATA\" (tag, value) VALUES ('clock_ntp', ?1), ('clock_ntp_last', ?1)"
        rows = self.clocks(self.changed(insert, "sync 2000 10", ranks=range(8)))
        told = [row for row in rows.values() if row["Clock"].startswith("time of day: ")]
        self.assertEqual(len(told), 6)
        for row in told:
            self.assertTrue(row["Clock"].endswith(" ppm, 4.0 us off at most (as the kernels state)"), row["Clock"])
            self.assertEqual(row["Error_Ns"], "4000")
        self.check(self.clocks(self.changed(insert, "sync 900000 10", ranks=range(8)), "worse"), self.DENSE_NS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
