#!/usr/bin/env python3
"""Databases that somebody sent: what stands in their schema is never run, and folders may have any name.

usage: hostile_db.py ROCPD ROCPROFV3 PROGRAM SCHEMA [unittest arguments]
"""
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rocpd

ROCPD, ROCPROFV3 = rocpd.ROCPD, rocpd.ROCPROFV3
ANY_NAME = bytes(b for b in range(1, 256) if b != ord("/"))


def commands(folder, database, out):
    """Each command that reads databases: of a file, or of the folder that has it."""
    return {
        "query": [ROCPD, "query", "-i", database, "--query", "SELECT COUNT(*) FROM kernels"],
        "summary": [ROCPD, "summary", "-i", database],
        "convert": [ROCPD, "convert", "-i", database, "-f", "csv", "-d", out],
        "merge": [ROCPD, "merge", "-i", database, "-d", out],
        "package": [ROCPD, "package", "-i", database, "--copy", "-d", out + b"/packed"],
        "report": [ROCPROFV3, "report", folder, "-o", out + b"/report.html"],
        "findings": [ROCPROFV3, "findings", folder],
        "digest": [ROCPROFV3, "digest", folder],
        "annotate": [ROCPROFV3, "annotate", folder],
    }


def contents(folder):
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = hashlib.sha256(file.read()).digest()
    return found


def run(command, **options):
    return subprocess.run(command, capture_output=True, timeout=60, **options)


class Hostile(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder, self.out = (os.path.join(self.place.name.encode(), name) for name in (b"sent", b"out"))
        os.mkdir(self.folder)
        os.mkdir(self.out)
        self.database, self.victim = self.folder + b"/run.db", self.folder + b"/mine.sqlite"
        rocpd.make(self.database)
        with sqlite3.connect(self.victim) as mine:
            mine.executescript("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2);")
        mine.close()

    def tearDown(self):
        self.place.cleanup()

    def spoil(self, kind, name, text):
        """Puts the text into the schema under the name, whatever it is."""
        db = sqlite3.connect(self.database)
        db.executescript("PRAGMA writable_schema = ON;")
        db.execute("DELETE FROM sqlite_master WHERE name = ?", (name,))
        table = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd\\_region\\_0%' ESCAPE '\\' AND type = 'table'").fetchone()[0]
        db.execute("INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)",
                   (kind, name, table if kind == "trigger" else name, text))
        db.commit()
        db.close()

    def untouched(self, told=None):
        before = contents(self.folder)
        for name, command in commands(self.folder, self.database, self.out).items():
            done = run(command, cwd=self.folder)
            self.assertGreaterEqual(done.returncode, 0, (name, done.stderr))
            self.assertEqual(contents(self.folder), before, name)
            if told and name in ("query", "merge"):
                self.assertIn(told, done.stderr, name)
        # its rows are copied, or another's are, and the schema may be either's
        second = os.path.join(self.place.name.encode(), b"second.db")
        if not os.path.exists(second):
            rocpd.make(second, guid="00000000-0000-7000-8000-000000000002", pid=4712)
        for files in ((self.database, second), (second, self.database)):
            done = run([ROCPD, "query", "-i", *files, "--query", "SELECT COUNT(*) FROM regions"], cwd=self.folder)
            self.assertGreaterEqual(done.returncode, 0, done.stderr)
            self.assertEqual(contents(self.folder), before, files)

    def test_views_that_go_on(self):
        attack = (f"CREATE VIEW extra AS SELECT 1 AS a; ATTACH '{self.victim.decode()}' AS y; DELETE FROM y.t; "
                  f"ATTACH '{self.folder.decode()}/new.sqlite' AS z; CREATE TABLE z.made(a)")
        self.spoil("view", "extra", attack)
        self.untouched(told=b"extra is left out: its text goes on behind the view")

    def test_view_of_our_name(self):
        self.spoil("view", "rocpd_string", f"CREATE VIEW rocpd_string AS SELECT 1; ATTACH '{self.victim.decode()}' AS y; DELETE FROM y.t")
        self.untouched()

    def test_other_statements(self):
        for text in ("CREATE VIEW other AS SELECT 1", "DROP TABLE rocpd_string", "CREATE VIEW", "CREATE VIEW extra AS SELECT 1 --\n; DELETE"):
            self.spoil("view", "extra", text)
            self.untouched()

    def test_triggers_and_indexes(self):
        db = sqlite3.connect(self.database)
        table = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd\\_region\\_0%' ESCAPE '\\' AND type = 'table'").fetchone()[0]
        db.executescript(f'CREATE TRIGGER watch AFTER INSERT ON "{table}" BEGIN DELETE FROM "{table}"; END;'
                         f'CREATE INDEX found ON "{table}" (start) WHERE start > 5;')
        db.close()
        self.untouched()
        merged = sqlite3.connect(self.out + b"/merged.db")
        names = {name for name, in merged.execute("SELECT name FROM sqlite_master WHERE type IN ('trigger', 'index')")}
        merged.close()
        self.assertFalse({"watch", "found"} & names, names)
        self.assertTrue(any(name.startswith("by_event_rocpd_arg_") for name in names), names)

    def test_views_without_an_end(self):
        self.spoil("view", "extra", "CREATE VIEW extra AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r")
        done = run([ROCPD, "query", "-i", self.database, "--query", "SELECT COUNT(*) FROM extra"])
        self.assertIn(b"view extra is left out: it reads what it makes", done.stderr)

    def test_metadata_without_an_end(self):
        """A merge reads the tables of metadata, and their view only until it has what it looks for."""
        self.spoil("view", "rocpd_metadata", "CREATE VIEW rocpd_metadata AS WITH RECURSIVE r(id, tag, value) AS (SELECT 1, "
                   "'schema_version', '3.0.3' UNION ALL SELECT id + 1, 'boot_id', value FROM r) SELECT * FROM r")
        done = run([ROCPD, "merge", "-i", self.database, "-d", self.out])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        merged = sqlite3.connect(self.out + b"/merged.db")
        self.assertEqual(merged.execute("SELECT COUNT(*) FROM rocpd_metadata WHERE tag = 'schema_version'").fetchall(), [(1,)])
        merged.close()

    def merge_by_rows(self, *views):
        """Merges the database with these views, and one that says that its runs share tables."""
        db = sqlite3.connect(self.database)
        db.executescript(";".join(("CREATE VIEW crocprof_metadata AS SELECT 1 AS id, 'schema_version' AS tag, '3.0.3' AS value, "
                                   "'g' AS guid", *views)))
        db.close()
        return run([ROCPD, "merge", "-i", self.database, "-d", self.out])

    def test_columns_without_a_name(self):
        """Bytes of a text are no rows, whatever the columns before it are called."""
        text = bytes.fromhex("00017400000020").ljust(256, b"A")
        done = self.merge_by_rows(f"CREATE VIEW rocpd_x AS SELECT 1 AS id, CAST(x'{text.hex()}' AS TEXT) AS \"\", 1 AS a")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        merged = sqlite3.connect(self.out + b"/merged.db")
        self.assertEqual(merged.execute("SELECT * FROM rocpd_x").fetchall(), [(1, text.decode(), 1)])
        merged.close()

    def test_rows_without_an_end(self):
        done = self.merge_by_rows("CREATE VIEW beneath AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
                                  "CREATE VIEW rocpd_x AS SELECT n FROM beneath")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"view rocpd_x is left out: it reads what it makes", done.stderr)

    def test_files_of_a_query(self):
        """A query reads what it was given, and nothing else."""
        done = run([ROCPD, "query", "-i", self.database, "--query", f"ATTACH '{self.victim.decode()}' AS y"])
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(run([ROCPD, "query", "-i", self.database, "--query", "SELECT COUNT(*) FROM kernels"]).returncode, 0)


class Changed(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = self.place.name.encode()
        self.database = self.folder + b"/run.db"
        rocpd.make(self.database)

    def tearDown(self):
        self.place.cleanup()

    def change(self, sql):
        """The SQL, with TABLE_ before the names of tables, on a database whose tables lack constraints."""
        db = sqlite3.connect(self.database)
        db.executescript("PRAGMA synchronous = OFF; PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
        db.commit()
        db.close()
        db = sqlite3.connect(self.database)
        (suffix,), = db.execute("SELECT substr(name, 14) FROM sqlite_master WHERE name LIKE 'rocpd\\_string\\_%' ESCAPE '\\' AND type = 'table'")
        db.executescript("PRAGMA synchronous = OFF; BEGIN;" + sql.replace("@", suffix) + "; COMMIT")
        db.close()

    def survive(self, every=1, first=0):
        """All commands, or every third of them from the first on."""
        with tempfile.TemporaryDirectory() as out:
            for name, command in list(commands(self.folder, self.database, out.encode()).items())[first % every::every]:
                done = run(command)
                self.assertIn(done.returncode, (0, 1, 2), (name, done.stderr))

    def nulls(self, every):
        """NULL in every column of a table, for each table."""
        db = sqlite3.connect(self.database)
        tables = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd\\_%' ESCAPE '\\'")]
        columns = {t: [c for _, c, _, _, _, key in db.execute(f'PRAGMA table_info("{t}")') if not key] for t in tables}
        filled = {t for t in tables if db.execute(f'SELECT COUNT(*) FROM "{t}"').fetchone()[0]}
        db.close()
        with open(self.database, "rb") as file:
            whole = file.read()
        for number, table in enumerate(sorted(filled)):
            with self.subTest(table=table):
                with open(self.database, "wb") as file:
                    file.write(whole)
                self.change("; ".join(f'UPDATE OR IGNORE "{table}" SET "{c}" = NULL' for c in columns[table]))
                self.survive(every, number)


class LongDamaged(Changed):
    def test_null_in_every_column(self):
        """Each table with each command."""
        self.nulls(1)


class Damaged(Changed):
    def test_null_in_every_column(self):
        """Each table with every third command, and each command with every third table."""
        self.nulls(3)

    def test_numbers_of_more_than_32_bits(self):
        """Where a number has 32 bits, a greater one is the greatest, and none below 0 is a great one."""
        self.change("UPDATE rocpd_kernel_dispatch_@ SET grid_size_x = 4294967301, workgroup_size_x = -4294967291")
        done = run([ROCPD, "convert", "-i", self.database, "-f", "json", "-d", self.folder])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder + b"/out_results.json") as file:
            records = json.load(file)["rocprofiler-sdk-tool"][0]["buffer_records"]["kernel_dispatch"]
        sizes = {(r["dispatch_info"]["grid_size"]["x"], r["dispatch_info"]["workgroup_size"]["x"]) for r in records}
        self.assertEqual(sizes, {(4294967295, 0)})

    def test_metadata_without_a_value(self):
        self.change("UPDATE rocpd_metadata_@ SET value = NULL")
        done = run([ROCPD, "summary", "-i", self.database])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"is no rocpd database: its metadata names no schema", done.stderr)

    def test_index_that_names_itself(self):
        with open(self.folder + b"/index.yaml", "w") as file:
            file.write("rocprofiler-sdk:\n  rocpd:\n    files:\n      - \"index.yaml\"\n")
        done = run([ROCPD, "summary", "-i", self.folder + b"/index.yaml"])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"indexes name one another", done.stderr)

    def test_more_names_than_records_have_room_for(self):
        self.change("".join(f"INSERT INTO rocpd_string_@(id, string) VALUES ({100 + n}, 'hipCall{n}'); "
                            f"INSERT INTO rocpd_event_@(id, category_id, stack_id, parent_stack_id, correlation_id) VALUES ({100 + n}, 2, {100 + n}, 0, 0); "
                            f"INSERT INTO rocpd_region_@(id, nid, pid, tid, start, \"end\", name_id, event_id) VALUES "
                            f"({100 + n}, {rocpd.NODE}, 4711, 4711, {1000 + n}, {1001 + n}, {100 + n}, {100 + n}); " for n in range(5000)))
        with tempfile.TemporaryDirectory() as out:
            done = run([ROCPD, "convert", "-i", self.database, "-f", "json", "-d", out])
            self.assertIn(b"more than 4096 names of calls in one category", done.stderr)
            (name,) = os.listdir(out)
            with open(os.path.join(out, name), encoding="utf-8") as file:
                process = json.load(file)["rocprofiler-sdk-tool"][0]
        kinds = {kind["kind"]: kind["operations"] for kind in process["strings"]["buffer_records"]}
        calls = process["buffer_records"]["hip_api"]
        self.assertEqual(len(calls), 4096)  # the launch, and as many of the others as have room
        for call in calls:
            name = kinds["HIP_RUNTIME_API_EXT"][call["operation"]]
            if name.startswith("hipCall"):
                self.assertEqual(call["start_timestamp"], 1000 + int(name[7:]))

    def test_package_overwrites_nothing(self):
        names = []
        for n in range(4):
            os.mkdir(self.folder + b"/%d" % n)
            names.append(self.folder + b"/%d/x.db" % n)
            rocpd.make(names[-1], guid=f"00000000-0000-7000-8000-00000000000{n + 2}", pid=5000 + n)
        for pair in (names[:2], names[2:]):
            done = run([ROCPD, "package", "--consolidate", "-d", self.folder + b"/all", "-i", *pair])
            self.assertEqual(done.returncode, 0, done.stderr)
        found = {name for name in os.listdir(self.folder + b"/all.rpdb") if name.endswith(b".db")}
        self.assertEqual(len(found), 4, found)
        pids = set()
        for name in found:
            db = sqlite3.connect(self.folder + b"/all.rpdb/" + name)
            pids |= {pid for pid, in db.execute("SELECT pid FROM rocpd_info_process")}
            db.close()
        self.assertEqual(pids, {5000, 5001, 5002, 5003})

    def test_times_with_an_exponent(self):
        done = run([ROCPD, "summary", "-i", self.database, "--start", "1.5e1", "--end", "9e3"])
        self.assertIn(b"Windowed time bounds: 15 : 9000 nsec", done.stdout)

    def test_categories_are_whole_words(self):
        done = run([ROCPD, "summary", "-i", self.database, "--region-categories", "hipfile"])
        self.assertNotIn(b"hipLaunchKernel", done.stdout)


class Names(unittest.TestCase):
    def test_any_folder(self):
        """Every byte but / and NUL, and what a URI would take for its own."""
        for name in (ANY_NAME[:120], ANY_NAME[120:], b"run#1", b"a?mode=rwc", b"50%41", b"file:x", b"it's", b'say "hi"'):
            with self.subTest(name=name), tempfile.TemporaryDirectory() as place:
                folder, out = os.path.join(place.encode(), name), os.path.join(place.encode(), b"out")
                os.mkdir(folder)
                os.mkdir(out)
                rocpd.make(folder + b"/x.db")
                for what, command in commands(folder, folder + b"/x.db", out).items():
                    if what == "annotate":
                        continue  # this database has no instructions
                    done = run(command)
                    self.assertEqual(done.returncode, 0, (what, done.stderr))
                self.assertEqual(os.listdir(folder), [b"x.db"])
                self.assertEqual(sorted(os.listdir(place.encode())), sorted([name, b"out"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
