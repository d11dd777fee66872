#!/usr/bin/env python3
"""rocpd on databases of many ranks, made by bench_fleet: what several processes read is what one reads, and what
Python computes; few descriptors are enough; files that are damaged and workers that die are told.

usage: fleet.py ROCPD BENCH_FLEET ROCPROFV3 [unittest arguments]
"""
import collections
import contextlib
import csv
import fractions
import glob
import hashlib
import json
import math
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROCPD, FLEET, ROCPROFV3 = sys.argv[1:4]
NAMES = {"kernels": "SELECT name, duration, pid FROM kernels",
         "memory_copies": "SELECT name, duration, pid FROM memory_copies",
         "hip": "SELECT name, duration, pid FROM regions WHERE category LIKE 'HIP%'",
         "markers": "SELECT extdata, duration, pid FROM regions WHERE category LIKE 'MARKER%'"}


def make(directory, *options):
    subprocess.run([FLEET, directory, *options], check=True)
    return sorted(glob.glob(f"{directory}/*/*.db"))


def summary_of(durations):
    """Calls, total, mean, least, most and deviation, as a summary's columns."""
    count, total = len(durations), sum(durations)
    spread = fractions.Fraction(count * sum(d * d for d in durations) - total * total, count * (count - 1) or 1)
    return count, total, total / count, min(durations), max(durations), math.sqrt(spread)


def computed(paths):
    """By view, process and name; the name None stands for all processes."""
    found = {}
    for path in paths:
        db = sqlite3.connect(path)
        for view, sql in NAMES.items():
            for name, duration, pid in db.execute(sql):
                name = json.loads(name)["message"] if view == "markers" else name
                for process in (None, pid):
                    found.setdefault((view, process, name), []).append(duration)
        db.close()
    return {key: summary_of(durations) for key, durations in found.items()}


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(child) for child in f.read().split()]


def is_opening(pid):
    """Whether a process sleeps in open() or openat() of x86-64."""
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as f:
            return f.read().split()[0] in ("2", "257")
    except (FileNotFoundError, ProcessLookupError): # it has ended
        return False


def who_opens(pid):
    """The children of a process that wait in the opening of a file, once one does; [] if none does for a minute. Where
    the system does not tell who sleeps where: all children after a second, in which they have long come to that."""
    try:
        with open("/proc/self/syscall", encoding="ascii"):
            pass
        for _ in range(6000):
            found = [child for child in children_of(pid) if is_opening(child)]
            if found:
                return found
            time.sleep(0.01)
        return []
    except (FileNotFoundError, PermissionError):
        time.sleep(1)
        return children_of(pid)


class Case(unittest.TestCase):
    RANKS = ("--ranks", "40", "--records", "50", "--slow-rank", "7", "--late-rank", "3", "--drift", "20", "--boots", "100")

    made = {}  # folders of ranks, of which each test has a copy: copying them is a tenth of making them

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocpd-fleet-")
        self.addCleanup(shutil.rmtree, self.dir)
        if self.RANKS not in self.made:
            folder = tempfile.mkdtemp(prefix="rocpd-fleet-")
            unittest.addModuleCleanup(shutil.rmtree, folder)
            make(folder, *self.RANKS)
            self.made[self.RANKS] = folder
        shutil.copytree(self.made[self.RANKS], f"{self.dir}/ranks")
        self.paths = sorted(glob.glob(f"{self.dir}/ranks/*/*.db"))

    def run_it(self, *words, status=0, program=ROCPD, **more):
        done = subprocess.run([program, *words], capture_output=True, text=True, timeout=300, cwd=self.dir, check=False,
                              **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def summary(self, directory, *words):
        """All files of a summary by their names."""
        self.run_it("summary", "-f", "csv", "-d", directory, "--summary-by-rank", "--domain-summary", *words)
        return {name: self.read(f"{directory}/{name}") for name in os.listdir(f"{self.dir}/{directory}")}

    def ask(self, database, sql):
        """The rows that rocpd reads of a database."""
        self.run_it("query", "-i", database, "--query", sql, "--format", "csv", "-o", "asked", "-d", ".")
        return list(csv.reader(self.read("asked.csv", "r").splitlines()))[1:]

    def read(self, name, mode="rb"):
        with open(f"{self.dir}/{name}", mode) as f:
            return f.read()


class Fleet(Case):
    def check(self, files):
        expected, told = computed(self.paths), {}
        for view in NAMES:
            for end, by_rank in (("", False), ("_summary_by_rank", True)):
                for row in csv.DictReader(files[f"out_{view}{end}.csv"].decode().splitlines()):
                    process = int(row["Processid"]) if by_rank else None
                    told[view, process, row["Name"]] = (
                        int(row["Calls"]), int(row["Duration (Nsec)"]), float(row["Average (Nsec)"]),
                        int(row["Min (Nsec)"]), int(row["Max (Nsec)"]), float(row["Std_Dev"]))
        self.assertEqual(set(told), set(expected))
        for key, numbers in expected.items():
            self.assertEqual(told[key][:2] + told[key][3:5], numbers[:2] + numbers[3:5], key)
            self.assertAlmostEqual(told[key][2], numbers[2], 5, key)
            self.assertAlmostEqual(told[key][5], numbers[5], 5, key)

    def test_workers(self):
        one = self.summary("one", "-j", "1", "-i", *self.paths)
        self.check(one)
        for workers in ("2", "7"):
            self.assertEqual(self.summary(workers, "-j", workers, "-i", *self.paths), one)

    def test_by_views(self):
        """A view of another text is read as it is, and gives the same sums as the tables behind our own."""
        quick = self.summary("quick", "-i", *self.paths)
        db = sqlite3.connect(self.paths[0])
        for view in ("kernels", "regions", "memory_copies"):
            sql, = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (view,)).fetchone()
            db.execute(f"DROP VIEW {view}")
            db.execute(sql.replace(" AS", "  AS", 1))
        db.commit()
        db.close()
        self.assertEqual(self.summary("slow", "-i", *self.paths), quick)

    def test_folders(self):
        """A folder without databases stands for those below it."""
        self.assertEqual(self.summary("below", "-i", f"{self.dir}/ranks"), self.summary("named", "-i", *self.paths))

    def test_boots(self):
        """Nodes that were booted at different moments are told apart, and put on one clock by their times of day."""
        self.run_it("convert", "-f", "csv", "-d", "csv", "-i", *self.paths)
        told = {row["Guid"]: row for row in csv.DictReader(self.read("csv/out_clocks.csv").decode().splitlines())}
        begun, boots = {}, set()
        for path in self.paths:
            db = sqlite3.connect(path)
            facts = dict(db.execute("SELECT tag, value FROM rocpd_metadata"))
            begun[facts["guid"]] = int(facts["clock_boottime_ns"])
            boots.add(facts["boot_id"])
            db.close()
        self.assertEqual(len(boots), 5)
        own = [guid for guid, row in told.items() if row["Clock"] == "own clock"]
        self.assertEqual(len(own), 8)
        for guid, row in told.items():
            # both clocks are read at the same moment, and run up to 20 ppm too fast or slow for less than a second
            off = int(row["Offset_Ns"]) - (begun[own[0]] - begun[guid])
            self.assertLess(abs(off), 1000, row)

    def test_windows(self):
        whole = self.summary("whole", "-j", "1", "--end", "60%", "-i", *self.paths)
        self.assertEqual(self.summary("three", "-j", "3", "--end", "60%", "-i", *self.paths), whole)

    def test_damaged(self):
        for path in (self.paths[11], self.paths[30]):
            size = os.path.getsize(path)
            with open(path, "r+b") as f:
                f.seek(8192)
                f.write(b"\xff" * (size - 8192))
        for workers in ("1", "2", "7"):
            done = self.run_it("summary", "-j", workers, "-i", *self.paths, status=1)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
            self.assertIn(self.paths[11], done.stderr)

    def test_worker_dies(self):
        """One of them is stuck when it is killed: it reads a pipe that nobody writes to."""
        os.mkfifo(f"{self.dir}/waits.db")
        with subprocess.Popen([ROCPD, "summary", "-j", "2", "-i", *self.paths[:3], f"{self.dir}/waits.db"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as done:
            stuck = who_opens(done.pid)
            for child in stuck:
                with contextlib.suppress(ProcessLookupError): # after the death of one the others are ended
                    os.kill(child, signal.SIGKILL)
            if not stuck:
                done.kill()
            out, err = done.communicate(timeout=60)
        self.assertTrue(stuck, "no worker has opened the pipe")
        self.assertEqual((done.returncode, out), (1, ""))
        self.assertRegex(err, r"\Arocpd: error: \S+\.db: the process that read it ended by signal 9 \(Killed\)\n\Z")

    def test_merge(self):
        self.paths += make(f"{self.dir}/long", "--ranks", "2", "--records", "3000", "--seed", "2") # trees of many pages
        self.run_it("merge", "-d", ".", "-o", "pages", "-i", *self.paths)
        db = sqlite3.connect(self.paths[5])
        db.executescript("PRAGMA page_size = 4096; VACUUM")
        db.close()
        self.run_it("merge", "-d", ".", "-o", "sql", "-i", *self.paths)
        by_pages, by_sql = (sqlite3.connect(f"{self.dir}/{name}.db") for name in ("pages", "sql"))
        self.assertEqual(by_pages.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(list(by_pages.iterdump()), list(by_sql.iterdump()))
        self.assertEqual(by_pages.execute("SELECT COUNT(*) FROM kernels").fetchone(),
                         (sum(n[0] for (view, pid, _), n in computed(self.paths).items() if (view, pid) == ("kernels", None)),))
        by_pages.close()
        by_sql.close()

    def merged(self, name, paths):
        """What a merge says, and its file as text."""
        done = self.run_it("merge", "-d", ".", "-o", name, "-i", *paths)
        db = sqlite3.connect(f"{self.dir}/{name}.db")
        text = sorted(db.iterdump()) # indexes that were missing are made last
        self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        (changes,), = db.execute("PRAGMA schema_version") # SQLite counts its own, and not rows that are written in the schema
        db.close()
        return done.stderr, text, changes == 0

    def test_merge_of_forms(self):
        """Databases that differ in their tables, indexes and views: a merge by pages has what SQL makes of them."""
        guids = []
        for path in self.paths[:4]:
            db = sqlite3.connect(path)
            guids.append(guid_of(db).replace("-", "_"))
            db.close()
        own = 'CREATE TABLE "crocprof_source_{}" (id INTEGER PRIMARY KEY, path TEXT{}); INSERT INTO "crocprof_source_{}" (path) VALUES (1)'
        endless = "CREATE VIEW r AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        fast = {"own", "table", "names", "recursive"} # the others' views, or more, are made by SQL
        cases = {"no index": {2: f'DROP INDEX "by_event_rocpd_arg_{guids[2]}"'},
                 "own": {i: own.format(guids[i], "", guids[i]) for i in (1, 3)},
                 "columns": {i: own.format(guids[i], ", more" * i, guids[i]) for i in (0, 1)},
                 "table": {0: "CREATE VIEW rocpd_extra AS SELECT 1; CREATE VIEW reader AS SELECT * FROM rocpd_extra",
                           3: f'CREATE TABLE "rocpd_extra_{guids[3]}" (a INTEGER, "b c")'},
                 "name": {0: f'CREATE VIEW "MINE_{guids[3]}" AS SELECT 2', **{i: f'CREATE TABLE "mine_{guids[i]}" (a)' for i in (1, 3)}},
                 "names": {1: f'CREATE TABLE "a ""b"" _{guids[1]}" (a)', 2: f'CREATE TABLE "Mine_{guids[2]}" (a)',
                           3: f'CREATE TABLE "a ""b"" _{guids[3]}" (a); CREATE TABLE "mine_{guids[3]}" (a)'},
                 "part of an id": {0: f'CREATE VIEW "rocpd_arg_{guids[3][:23]}" AS SELECT 1'},
                 "index": {0: f'CREATE VIEW "by_event_rocpd_arg_{guids[3]}" AS SELECT 1'},
                 "warned": {0: f'CREATE VIEW "MINE_{guids[3]}" AS SELECT 2;' + endless,
                            **{i: f'CREATE TABLE "mine_{guids[i]}" (a)' for i in (1, 3)}},
                 "beneath": {0: f'CREATE TABLE "x_{guids[0]}" (a);' + endless + f', "x_{guids[1]}"', 1: f'CREATE TABLE "x_{guids[1]}" (a)'},
                 "recursive": {0: endless}}
        for name, changes in cases.items():
            paths = [f"{self.dir}/{name}{i}.db" for i in range(4)]
            for i, path in enumerate(paths):
                shutil.copy(self.paths[i], path)
                db = sqlite3.connect(path)
                db.executescript(changes.get(i, ""))
                db.close()
            *by_pages, is_fast = self.merged("pages", paths)
            db = sqlite3.connect(paths[1])
            db.executescript("PRAGMA page_size = 4096; VACUUM") # another size of pages: all are copied by SQL
            db.close()
            with self.subTest(name):
                self.assertEqual(is_fast, name in fast)
                self.assertEqual(by_pages, [*self.merged("sql", paths)[:2]])
                for merged in ("pages.db", "sql.db"):
                    self.assertEqual(self.ask(merged, "SELECT COUNT(DISTINCT pid) FROM kernels"), [["4"]])
                    if name in ("own", "columns"):
                        self.assertEqual(self.ask(merged, "SELECT path FROM crocprof_source"), [["1"]] * 2)
                        self.run_it("summary", "-i", merged)
                        self.run_it("merge", "-d", ".", "-o", "again", "-i", merged, self.paths[5])
                        self.assertEqual(self.ask("again.db", "SELECT path FROM crocprof_source"), [["1"]] * 2)

    def test_merge_too_long(self):
        """A view of more text than SQLite would read of it is not written."""
        for path in self.paths[:12]:
            db = sqlite3.connect(path)
            name = "rocpd_" + "x" * 100000
            db.executescript(f'CREATE TABLE "{name}_{guid_of(db).replace("-", "_")}" (a); CREATE VIEW "{name}" AS SELECT 1')
            db.close()
        self.run_it("merge", "-d", ".", "-o", "m", "-i", *self.paths[:2])
        self.assertEqual(self.ask("m.db", "SELECT COUNT(DISTINCT pid) FROM kernels"), [["2"]])
        self.run_it("merge", "-d", ".", "-o", "m12", "-i", *self.paths[:12], status=1)
        self.assertFalse(os.path.exists(f"{self.dir}/m12.db"))

    def test_merge_damaged(self):
        with open(self.paths[11], "r+b") as f:
            f.seek(8192 * 3)
            f.write(b"\xff" * 8192 * 40)
        done = self.run_it("merge", "-d", ".", "-o", "m", "-i", *self.paths, status=1)
        self.assertIn(self.paths[11], done.stderr)
        self.assertFalse(os.path.exists(f"{self.dir}/m.db"))

    def test_convert(self):
        for workers in ("1", "3"):
            self.run_it("convert", "-j", workers, "-f", "otf2", "json", "csv", "-d", workers, "-i", *self.paths)
        files = [sorted(os.path.relpath(f, f"{self.dir}/{w}") for f in glob.glob(f"{self.dir}/{w}/**", recursive=True)
                        if os.path.isfile(f)) for w in ("1", "3")]
        self.assertEqual(*files)
        self.assertEqual(sum(name.endswith(".json") for name in files[0]), 40)
        for name in files[0]:
            if not name.endswith((".def", ".otf2")) or "/" in name: # these have the time of day
                self.assertEqual(self.read(f"1/{name}"), self.read(f"3/{name}"), name)
        if not shutil.which("otf2-print"):
            self.skipTest("needs otf2-print (otf2-tools)")
        printed = subprocess.run(["otf2-print", f"{self.dir}/3/out_results.otf2"], capture_output=True, text=True, check=True)
        self.assertEqual(printed.stderr, "")
        self.assertEqual(printed.stdout.count("ENTER"), 40 * 50)


class Reduce(Case):
    def reduce(self, to, *words, **more):
        self.run_it("reduce", "-o", to, *words, program=ROCPROFV3, **more)
        return self.read(to) if not more else None

    def test_groups(self):
        """Whatever is added to what, and in which order, the sums have the same bytes."""
        whole = self.reduce("whole", "-i", *self.paths)
        self.assertEqual(self.reduce("one", "-j", "1", "-i", *reversed(self.paths)), whole)
        cuts = (0, 1, 2, 17, 33, 40)
        parts = [f"{begin}.sums" for begin in cuts[:-1]]
        for begin, end in zip(cuts, cuts[1:]):
            self.reduce(f"{begin}.sums", "-i", *self.paths[begin:end])
        self.assertEqual(self.reduce("flat", "-i", *parts), whole)
        self.assertEqual(self.reduce("back", "-i", *reversed(parts)), whole)
        self.reduce("left", "-i", parts[3], parts[0])
        self.reduce("right", "-i", parts[1], "left", parts[4])
        self.assertEqual(self.reduce("tree", "-i", "right", parts[2]), whole)
        self.assertEqual(self.reduce("mixed", "-i", *self.paths[33:], *parts[:4]), whole)
        self.assertLess(len(whole), 200000)
        for more in ((), ("--summary-by-rank", "--domain-summary"), ("--region-categories", "NONE")):
            said = self.run_it("summary", "-i", *self.paths, *more).stdout
            self.assertEqual(self.run_it("reduce", "--show", "-i", "tree", *more, program=ROCPROFV3).stdout, said)
            self.assertEqual(self.run_it("summary", "-i", *parts, *more).stdout, said)

    def test_damaged(self):
        whole = self.reduce("whole.sums", "-i", *self.paths[:3])
        cases = [(whole[:n], "is cut") for n in (8, 20, 31, 100, len(whole) - 9, len(whole) - 1)]
        cases += [(whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1:], "is damaged")
                  for n in (12, 24, 40, len(whole) // 2, len(whole) - 9, len(whole) - 1)]
        cases += [(whole + b"x", "has more bytes"), (whole[:8] + b"\3" + whole[9:], "is of another version"),
                  (b"", "is no rocpd database")]
        for i, (data, reason) in enumerate(cases):
            with open(f"{self.dir}/bad.sums", "wb") as f:
                f.write(data)
            done = self.run_it("reduce", "-o", "to", "-i", "whole.sums", "bad.sums", program=ROCPROFV3, status=1)
            self.assertRegex(done.stderr, rf"\A[^\n]*{self.dir}/bad.sums:? {reason}[^\n]*\n\Z", i)
            self.assertFalse(os.path.exists(f"{self.dir}/to"))

    def test_names(self):
        self.reduce("short.sums", "--truncate-kernels", "-i", *self.paths[:3])
        done = self.run_it("summary", "-i", "short.sums", self.paths[3], status=1)
        self.assertIn("short.sums has names of kernels in another form", done.stderr)
        self.assertEqual(self.run_it("summary", "--truncate-kernels", "-i", "short.sums").stdout,
                         self.run_it("summary", "--truncate-kernels", "-i", *self.paths[:3]).stdout)

    def test_asks(self):
        done = self.run_it("reduce", "-i", self.paths[0], program=ROCPROFV3, status=1)
        self.assertEqual(done.stderr, "rocprofv3: error: reduce needs --output FILE, --show or both\n")


class Many(Case):
    """More ranks than there may be open files."""
    RANKS = ("--ranks", "140", "--records", "3")

    def limited(self, *words):
        return self.run_it(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))

    def test_descriptors(self):
        said = self.limited("summary", "-i", f"{self.dir}/ranks/*/*.db").stdout
        self.assertRegex(said, r"hipGetDevice +420 ")
        self.limited("merge", "-d", ".", "-o", "all", "-i", f"{self.dir}/ranks/*/*.db")
        db = sqlite3.connect(f"{self.dir}/all.db")
        self.assertEqual(db.execute("SELECT COUNT(*), COUNT(DISTINCT guid) FROM rocpd_region").fetchone(), (420, 140))
        db.close()
        self.assertEqual(self.limited("summary", "-i", "all.db").stdout, said)
        self.limited("convert", "-f", "pftrace", "-d", ".", "-i", f"{self.dir}/ranks/*/*.db")
        self.assertTrue(os.path.getsize(f"{self.dir}/out_results.pftrace"))


class United(Case):
    """More ranks than SQLite unites at a time, whose tables are kept apart when they are merged."""
    RANKS = ("--ranks", "410", "--records", "1")

    def test_merge(self):
        self.run_it("merge", "-d", ".", "-o", "all", "-i", f"{self.dir}/ranks/*/*.db")
        db = sqlite3.connect(f"{self.dir}/all.db")
        self.assertEqual(db.execute("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name LIKE "
                                    "'rocpd\\_region\\_%' ESCAPE '\\'").fetchone(), (410,))
        for view in ("rocpd_region", "rocpd_info_process"):
            self.assertEqual(db.execute(f"SELECT COUNT(*), COUNT(DISTINCT guid) FROM {view}").fetchone(), (410, 410), view)
        self.assertEqual({guid for guid, in db.execute("SELECT value FROM rocpd_metadata WHERE tag = 'guid'")},
                         {guid for guid, in db.execute("SELECT guid FROM rocpd_region")})
        db.close()


def guid_of(db):
    guid, = db.execute("SELECT value FROM rocpd_metadata WHERE tag = 'guid'").fetchone()
    return guid


def shown(value):
    """A value with its type; a long one as its digest."""
    text = repr(value)
    return text if len(text) < 1000 else (type(value), len(value), hashlib.sha256(text.encode()).digest())


def rows_of(paths, guids=None):
    """Of each view of a single table the columns, and how often each row is there, of these processes or of all; what
    a database lacks of another's columns is NULL, and metadata have the guid of their process."""
    found = {}
    for path in paths:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        views = {name: f'SELECT * FROM "{name}"' for name, in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'view' AND (name LIKE 'rocpd\\_%' ESCAPE '\\' OR "
            "name LIKE 'crocprof\\_%' ESCAPE '\\')")}
        if "crocprof_metadata" not in views:
            views["crocprof_metadata"] = f"SELECT *, '{guid_of(db)}' AS guid FROM rocpd_metadata"
        if guids:
            del views["rocpd_metadata"] # its rows do not say of which process they are
        for view, sql in views.items():
            rows = db.execute(f"SELECT * FROM ({sql}) WHERE guid IN (SELECT value FROM json_each(?))",
                              (json.dumps(guids),)) if guids else db.execute(sql)
            columns = [c[0] for c in rows.description]
            for row in rows:
                cells = zip(columns, map(shown, row))
                found.setdefault(view, collections.Counter())[frozenset(cell for cell in cells if cell[1] != "None")] += 1
        db.close()
    return found


class Rows(Case):
    """Databases that are merged by rows, since one of them shares its tables."""
    RANKS = ("--ranks", "12", "--records", "20")

    def setUp(self):
        super().setUp()
        self.change(0, "CREATE VIEW crocprof_metadata AS SELECT id, tag, value, '{guid}' AS guid FROM rocpd_metadata")

    def change(self, number, sql, *values):
        """Runs SQL on one of the databases, with @ for what the names of its tables end with."""
        db = sqlite3.connect(self.paths[number])
        guid = guid_of(db)
        for one in sql.split(";"):
            db.execute(one.replace("@", guid.replace("-", "_")).replace("{guid}", guid), values if "?" in one else ())
        db.commit()
        db.close()
        return guid

    def merge(self, name, *inputs, **more):
        return self.run_it("merge", "-d", ".", "-o", name, "-i", *inputs or self.paths, **more)

    def query(self, name, sql):
        db = sqlite3.connect(f"{self.dir}/{name}.db")
        rows = db.execute(sql).fetchall()
        db.close()
        return rows

    def test_merge(self):
        first, rest = self.paths[0], self.paths[1:]
        self.assertEqual(self.merge("all").stderr, "")
        self.merge("most", *self.paths[:9])
        self.merge("again", "most.db", *self.paths[9:])
        expected = rows_of(self.paths)
        for name in ("all", "again"):
            self.assertEqual(rows_of([f"{self.dir}/{name}.db"]), expected)
            self.assertEqual(self.query(name, "PRAGMA integrity_check"), [("ok",)])
        for command in (["summary", "--summary-by-rank"], ["convert", "-f", "csv", "-d"]):
            folders = [["apart"], ["together"]] if command[-1] == "-d" else [[], []]
            said = [self.run_it(*command, *folder, "-i", *paths).stdout for folder, paths in zip(folders, (self.paths, ["all.db"]))]
            self.assertEqual(*[text.replace("apart", "together") for text in said])
        names = sorted(os.listdir(f"{self.dir}/apart"))
        self.assertEqual(names, sorted(os.listdir(f"{self.dir}/together")))
        for name in names:
            self.assertEqual(self.read(f"apart/{name}"), self.read(f"together/{name}"))
        done = self.merge("twice", "all.db", first, status=1)
        self.assertIn("is in another of the databases already", done.stderr)
        self.narrowed(rest[5])

    def narrowed(self, path):
        """What is read of one process has no row of another one, also if the file has a table of any name."""
        db = sqlite3.connect(f"{self.dir}/all.db")
        db.execute("CREATE TABLE crocprof_narrowed(guid)")
        db.commit()
        db.close()
        for inputs, to in (([path], "one"), (["all.db"], "of_all")):
            self.run_it("convert", "-f", "json", "-d", to, "-i", *inputs)
        mine, = self.processes("one")
        who = ("node", "pid", "init_time")
        same = [p for p in self.processes("of_all") if all(p["metadata"][key] == mine["metadata"][key] for key in who)]
        self.assertEqual(len(same), 1, path)
        self.assertEqual(same[0]["buffer_records"], mine["buffer_records"])

    def processes(self, folder):
        for path in glob.glob(f"{self.dir}/{folder}/*.json"):
            with open(path) as f:
                yield json.load(f)["rocprofiler-sdk-tool"][0]

    def test_values(self):
        """Values of all types, in columns with and without a type, and columns and tables that only some files have."""
        for number, more in ((3, "more"), (9, "more"), (7, "other REAL")):
            self.change(number, f'ALTER TABLE "rocpd_string_@" ADD COLUMN {more};'
                                f'UPDATE "rocpd_string_@" SET {more.split()[0]} = ? WHERE id % 2', b"\0\xff")
        for number in (2, 8):
            for i, value in enumerate((7, -2 ** 63, "7", 7.0, 1e300, b"", b"\0\1\2", "", None)):
                self.change(number, 'CREATE TABLE IF NOT EXISTS "crocprof_counted_@" (id INTEGER PRIMARY KEY, guid TEXT, '
                                    'kernel_id INTEGER, part REAL, code BLOB, any);'
                                    'CREATE VIEW IF NOT EXISTS crocprof_counted AS SELECT *, any AS same, any || 1 AS "" '
                                    'FROM "crocprof_counted_@";'
                                    "INSERT INTO \"crocprof_counted_@\" VALUES (?1, '{guid}', 5, 0.25, x'00ff', ?2)", i, value)
        self.assertEqual(self.merge("all").stderr, "")
        self.assertEqual(rows_of([f"{self.dir}/all.db"]), rows_of(self.paths))
        self.assertEqual(self.query("all", "SELECT COUNT(DISTINCT guid), COUNT(*) FROM crocprof_counted"), [(2, 18)])
        self.assertEqual(self.ask("all.db", "SELECT COUNT(DISTINCT guid), COUNT(*) FROM crocprof_counted"), [["2", "18"]])

    def test_large(self):
        """A large file, and a small one whose views show much, are read by the process that writes."""
        make_it = ('CREATE TABLE "crocprof_source_@" (id INTEGER PRIMARY KEY, guid TEXT, path TEXT, text TEXT);'
                   'CREATE VIEW crocprof_source AS SELECT id, guid, path, {} FROM "crocprof_source_@";'
                   "INSERT INTO \"crocprof_source_@\" VALUES (1, '{{guid}}', 'a', ?1), (2, '{{guid}}', 'b', ?1)")
        self.change(4, make_it.format("text"), "0123456789" * 1000000)
        self.change(6, make_it.format("zeroblob(9000000) AS text"), "")
        self.change(6, "CREATE TABLE mine(a)")
        self.assertGreater(os.path.getsize(self.paths[4]), 16 << 20)
        self.assertLess(os.path.getsize(self.paths[6]), 1 << 20)
        for workers in ("1", "3"):
            done = self.run_it("merge", "-j", workers, "-d", ".", "-o", "all", "-i", *self.paths)
            self.assertEqual(done.stderr, f"rocpd: warning: {self.paths[6]}: table mine is left out: no view of the schema shows it\n")
            self.assertEqual(rows_of([f"{self.dir}/all.db"]), rows_of(self.paths))
            os.remove(f"{self.dir}/all.db")

    def test_left_out(self):
        other = ("CREATE TEMP TABLE other AS SELECT * FROM rocpd_info_process; UPDATE other SET id = id + 1{};"
                 'INSERT INTO "rocpd_info_process_@" SELECT * FROM other')
        self.change(1, "CREATE TABLE mine(a);CREATE TABLE yours(a)")
        self.change(2, 'DELETE FROM "rocpd_info_process_@"')
        self.change(3, other.format(", guid = 'other'"))
        twice = self.change(4, other.format(""))
        self.change(5, "CREATE VIEW beneath AS WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r;"
                       "CREATE VIEW rocpd_endless AS SELECT n FROM beneath")
        self.change(6, "CREATE TABLE \"mi\x1bne\"(a)")
        said = self.merge("all").stderr
        for number, words in ((1, "table mine and 1 more are left out: no view of the schema shows them"),
                              (2, "its table rocpd_metadata is left out: the file names no process that it is of"),
                              (3, "its table rocpd_metadata is left out: it does not say of which of the file's processes it is"),
                              (5, "view rocpd_endless is left out: it reads what it makes, perhaps without an end"),
                              (6, "table mi?ne is left out: no view of the schema shows it")):
            self.assertIn(f"{self.paths[number]}: {words}\n", said)
        self.assertEqual(said.count("\n"), 5, said)
        self.assertEqual(len(self.query("all", "SELECT DISTINCT guid FROM crocprof_metadata")), 11)
        self.assertEqual(self.query("all", f"SELECT COUNT(*) FROM rocpd_info_process WHERE guid = '{twice}'"), [(2,)])

    def test_no_metadata(self):
        """The views of metadata are there if no file has metadata that can be copied."""
        self.change(0, "DROP VIEW crocprof_metadata; CREATE VIEW crocprof_metadata AS WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 "
                       "FROM r) SELECT n AS id, 'tag' AS tag, 'value' AS value, 'x' AS guid FROM r")
        self.change(1, 'DELETE FROM "rocpd_info_process_@"')
        said = self.merge("all", *self.paths[:2]).stderr
        self.assertIn("view crocprof_metadata is left out", said)
        self.assertIn("its table rocpd_metadata is left out", said)
        for view in ("crocprof_metadata", "rocpd_metadata"):
            self.assertEqual(self.query("all", f"SELECT COUNT(*) FROM {view}"), [(0,)])


class Shared(Case):
    """So many ranks that they share one set of tables when they are merged."""
    RANKS = ("--ranks", "1030", "--records", "1")

    def test_merge(self):
        self.assertEqual(self.run_it("merge", "-d", ".", "-o", "all", "-i", *self.paths).stderr, "")
        some = self.paths[::60]
        guids = []
        for path in some:
            db = sqlite3.connect(path)
            guids.append(guid_of(db))
            db.close()
        self.assertEqual(rows_of([f"{self.dir}/all.db"], guids), rows_of(some, guids))
        db = sqlite3.connect(f"{self.dir}/all.db")
        self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        views = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'view' AND name LIKE 'rocpd\\_%' ESCAPE '\\'")]
        self.assertEqual(db.execute("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'").fetchone(), (len(views),))
        for view in ("regions", "rocpd_info_process", "crocprof_metadata"):
            self.assertEqual(db.execute(f"SELECT COUNT(DISTINCT guid) FROM {view}").fetchone(), (1030,), view)
        self.assertEqual(db.execute("SELECT COUNT(*) FROM regions").fetchone(), (1030,))
        db.close()
        said = [self.run_it("summary", "--summary-by-rank", "-i", *paths).stdout for paths in (self.paths, ["all.db"])]
        self.assertEqual(*said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
