#!/usr/bin/env python3
"""Outputs that do not fit: each command says so and fails, and nobody is killed for it.

usage: full.py ROCPD ROCPROFV3 PROGRAM SCHEMA [unittest arguments]
"""
import glob
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rocpd

ROCPD, ROCPROFV3 = rocpd.ROCPD, rocpd.ROCPROFV3
BIN = os.path.dirname(ROCPROFV3)
AVAIL, DOCTOR, SOFTGPU = (os.path.join(BIN, name) for name in ("rocprofv3-avail", "rocprofv3-doctor", "softgpu"))
LIMIT = 24 << 10  # bytes that a file may have
EXTENDED = 3000   # marks in the database, whose outputs are longer than that in each format


def no_more_than(bytes_):
    """A process whose files may not grow beyond, and that has the signal's default."""
    def begin():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    return begin


def more_marks(path):
    """The small database, with so many marks that no output of it is small."""
    db = sqlite3.connect(path)
    table = {name.split("_0")[0]: name for name, in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd\\_%\\_0%' ESCAPE '\\'")}
    columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table["rocpd_region"]}")')]
    row = dict(zip(columns, db.execute(f'SELECT * FROM "{table["rocpd_region"]}" WHERE id = 2').fetchone()))
    for number in range(EXTENDED):
        row.update(id=1000 + number, start=10000 + 10 * number, end=10005 + 10 * number)
        db.execute(f'INSERT INTO "{table["rocpd_region"]}" VALUES ({", ".join("?" * len(columns))})',
                   [row[column] for column in columns])
    db.commit()
    db.close()


class Full(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = self.place.name
        self.database = os.path.join(self.folder, "run.db")
        rocpd.make(self.database)
        more_marks(self.database)

    def tearDown(self):
        self.place.cleanup()

    def test_standard_output(self):
        printing = [
            [ROCPD, "query", "-i", self.database, "--query", "SELECT * FROM kernels"],
            [ROCPD, "query", "-i", self.database, "--query", "SELECT * FROM regions"],
            [ROCPD, "summary", "-i", self.database],
            *([ROCPD, command, "--help"] for command in ("query", "summary", "convert", "merge", "package")),
            [ROCPD, "--help"], [ROCPD, "--version"],
            [ROCPROFV3, "findings", self.folder], [ROCPROFV3, "findings", "-f", "json", self.folder],
            [ROCPROFV3, "digest", self.folder], [ROCPROFV3, "diff", self.folder, self.folder],
            [ROCPROFV3, "watch", "--help"],
            *([ROCPROFV3, command, "--help"] for command in ("annotate", "check", "diff", "report", "findings", "digest")),
            [AVAIL, "--help"], [AVAIL, "--gpu", "soft", "list"], [AVAIL, "--gpu", "soft", "info", "--pmc"],
            [DOCTOR, "--list-checks"], [DOCTOR, "--help"], [DOCTOR, "--version"], [DOCTOR, "--format", "json"],
            [SOFTGPU, "--help"], [SOFTGPU, "--version"],
        ]
        for command in printing:
            with self.subTest(command=command[1:3]):
                fine = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertNotEqual(fine.stdout, "", fine.stderr)
                with open("/dev/full", "w") as full:
                    done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertGreater(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, "(standard output|[Nn]o space)")

    def test_files_that_may_not_grow(self):
        out = os.path.join(self.folder, "out")
        commands = {kind: [ROCPD, "convert", "-i", self.database, "-f", kind, "-d", out]
                    for kind in ("csv", "json", "pftrace", "otf2")}
        commands["merge"] = [ROCPD, "merge", "-i", self.database, "-d", out]
        commands["package"] = [ROCPD, "package", "-i", self.database, "--copy", "-d", out + "/packed"]
        commands["report"] = [ROCPROFV3, "report", self.folder, "-o", out + "/report.html"]
        for name, command in commands.items():
            with self.subTest(name):
                shutil.rmtree(out, ignore_errors=True)
                os.mkdir(out)
                fine = subprocess.run(command, capture_output=True, text=True, timeout=60)
                if "built without" in fine.stderr:
                    continue
                self.assertEqual(fine.returncode, 0, fine.stderr)
                largest = max(os.path.getsize(path) for path in glob.glob(out + "/**", recursive=True) if os.path.isfile(path))
                self.assertGreater(largest, LIMIT, "the output is too small to tell anything")
                shutil.rmtree(out)
                os.mkdir(out)
                done = subprocess.run(command, capture_output=True, text=True, timeout=60, preexec_fn=no_more_than(LIMIT))
                self.assertGreater(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, "(too large|full|could not be written|not complete|disk I/O)")

    def test_a_program_started_finds_the_signal_as_it_was(self):
        # A file that outgrows its kilobyte ends `head` by the signal, or is an error of the write.
        for before, wanted in (("SIG_DFL", "153"), ("SIG_IGN", "1")):
            program = ["sh", "-c", 'head -c 4096 /dev/zero >"$0"; echo $?', os.path.join(self.folder, "grown")]
            def begin():
                signal.signal(signal.SIGXFSZ, getattr(signal, before))
                resource.setrlimit(resource.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
            for command in ([SOFTGPU, "--", *program], [ROCPROFV3, "--gpu", "soft", "-s", "--", *program], program):
                done = subprocess.run(command, capture_output=True, text=True, timeout=60, preexec_fn=begin)
                status = done.stdout.split()[0]
                self.assertEqual(status, wanted, (command, done.stderr))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=2)
