#!/usr/bin/env python3
"""rocprofv3 where things go wrong: full disks, closed streams, hostile directories, late signals.

usage: survive.py ROCPROFV3 TOOL_LIBRARY FAKE_SDK EMPTY_LIBRARY SUBJECT MISHAP_LIBRARY [unittest arguments]
"""
import contextlib
import csv
import glob
import json
import os
import re
import resource
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import unittest

os.environ.setdefault("ROCPROF_OUTPUT_FORMAT", "csv")

MISHAP = sys.argv.pop(6)
import whole  # noqa: E402
from whole import ROCPROFV3, SUBJECT  # noqa: E402

MEBIBYTE = 1 << 20


class Case(whole.Case):
    def convert(self, *words, status=0, cwd=None):
        done = subprocess.run([ROCPROFV3, "convert", *words], capture_output=True, text=True,
                              timeout=60, cwd=cwd or self.dir)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def received(self, store):
        """Records that the program's process has counted so far."""
        received = 0
        for segment in glob.glob(store + "/records-*.seg"):
            with open(segment, "rb") as f:
                received += struct.unpack_from("<Q", f.read(80), 72)[0]
        return received

    def kill(self, pid):
        """Kills a process and waits until it has gone, whoever its parent is."""
        process = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        select.select([process], [], [])
        os.close(process)

    def abandoned(self, *options):
        """A run whose rocprofv3 and program were both killed: its store stays. The store's path."""
        p = self.start("-s", *options, program=(SUBJECT, "wait"))
        self.assertEqual(p.stdout.readline(), "ready\n")
        store = os.path.dirname(glob.glob(self.out + "/.rocprofv3/*/*/meta.seg")[0])
        deadline = time.monotonic() + 20
        while self.received(store) < 9 and time.monotonic() < deadline:
            time.sleep(0.01)
        p.kill()
        p.wait()
        self.kill(int(os.path.basename(store).split("-")[0]))
        p.stdout.close()
        p.stderr.close()
        return store


class Disks(Case):
    def test_conversion_without_room(self):
        """No file that is not whole, a status that says so, the records kept; no signal kills."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4 * MEBIBYTE, 4 * MEBIBYTE))
        done = subprocess.run(self.command("--hip-trace", "-o", "x", program=(SUBJECT, "many", "100000")),
                              cwd=self.dir, capture_output=True, text=True, timeout=60, preexec_fn=limit)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn("x_hip_api_trace.csv: File too large; the records are kept", done.stderr)
        self.assertEqual([n for n in self.files() if not n.startswith(".rocprofv3/")], [])
        done = self.convert(self.out)
        self.assertEqual(self.counts(done.stderr), [(100000, 100000, 0, 0)])
        self.assertEqual(len(self.rows("hip_api_trace")), 100000)

    def test_path_too_long(self):
        """SQLite takes no path of more than 504 bytes: the records are kept, and converted elsewhere. It is the database's own
        path that counts, whatever the temporary one's length."""
        for folder_bytes, name in ((600, "x"), (400, "y" * 150)):
            folder = self.folder_of(folder_bytes)
            whole = f"{os.path.realpath(folder)}/{name}_results.db"
            done = self.run_it("-s", "-f", "rocpd", "-d", folder, "-o", name, program=(SUBJECT, "status", "0"), status=74)
            self.assertIn(f"{name}_results.db: its whole path has {len(whole)} bytes, of which SQLite takes 504 at most; "
                          "the records are kept: rocprofv3 convert -d DIR ", done.stderr)
            self.assertFalse(os.path.exists(whole))
            self.convert("-d", self.dir + "/elsewhere", done.stderr.split("convert -d DIR ")[1].split()[0])
            self.assertTrue(self.reads(glob.glob(f"{self.dir}/elsewhere/**/{name}_results.db", recursive=True)[0]))

    def test_longest_path(self):
        """A path of 504 bytes is written and read, though the names of other temporary files are longer than its own."""
        folder = self.folder_of(504 - len("/x_results.db"))
        self.run_it("-s", "-f", "rocpd", "-d", folder, "-o", "x", program=(SUBJECT, "status", "0"))
        self.assertTrue(self.reads(folder + "/x_results.db"))

    def folder_of(self, count):
        """The path of a folder whose whole path has so many bytes."""
        start = os.path.realpath(self.dir) + "/"
        rest = count - len(start)
        return start + "/".join(["d" * 99] * (rest // 100 - 1) + ["d" * (rest - 100 * (rest // 100 - 1))])

    def reads(self, path):
        """How many tables and views a database has."""
        database = sqlite3.connect(path)
        with contextlib.closing(database):
            return database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]

    def test_status_of_the_program_first(self):
        os.makedirs(self.out + "/x_agent_info.csv")
        done = self.run_it("-s", "-o", "x", program=(SUBJECT, "status", "3"), status=3)
        self.assertIn("x_agent_info.csv: Is a directory", done.stderr)

    def test_filtered_last(self):
        """A segment whose last record was left out is cut to its records at the end, as any other."""
        os.makedirs(self.out + "/x_agent_info.csv")  # so that the store stays
        done = self.run_it("-s", "-o", "x", program=(SUBJECT, "unknown"), status=74)
        segments = glob.glob(self.out + "/.rocprofv3/*/*-0/records-*.seg")
        self.assertEqual([os.path.getsize(s) > 64 * 1024 for s in segments], [False, False])
        os.rmdir(self.out + "/x_agent_info.csv")
        self.assertEqual(self.counts(self.convert(self.out).stderr), [(10, 9, 0, 1)], done.stderr)

    def test_names_without_room(self):
        done = self.run_it("--kernel-trace", "-o", "x", program=(SUBJECT, "names-without-room"))
        self.assertEqual(self.counts(done.stderr), [(4, 4, 0, 0)])
        self.assertRegex(done.stderr, r"error: names are lost: .*: no room after \d+ bytes: File too large")
        # two kernels', and of the process's facts at its end those that had no room any more
        self.assertRegex(done.stderr, r"LOST [2-5] names .*: no room after \d+ bytes: File too large")
        self.assertEqual([r["Kernel_Name"][-20:] for r in self.rows("kernel_trace")],
                         ["b" * 20, "c" * 20, "unknown kernel", "unknown kernel"])

    def test_no_room_at_all(self):
        """Not even for the name of the output directory: nothing is written below /."""
        done = self.run_it("-s", program=(SUBJECT, "no-room"), status=74)
        self.assertIn("does not say where its files go ('')", done.stderr)
        store, = glob.glob(self.out + "/.rocprofv3/*/*-0")
        done = self.convert(store)
        self.assertEqual(self.counts(done.stderr), [(9, 0, 9, 0)])

    def test_long_text(self):
        done = self.run_it("--kernel-trace", program=(SUBJECT, "long-name", str(3 * MEBIBYTE)))
        name = self.long_names()[0]
        self.assertTrue(name.endswith("hhh [cut]") and 130000 < len(name) < 131072, len(name))
        self.assertIn("1 texts are too long for the trace: what is left of them ends with ' [cut]'", done.stderr)
        shutil.rmtree(self.out)
        done = self.run_it("--kernel-trace", program=(SUBJECT, "long-name", "130000"))
        self.assertTrue(self.long_names() == ["h" * 130000])
        self.assertNotIn("too long", done.stderr)

    def long_names(self):
        csv.field_size_limit(1 << 22)
        return [r["Kernel_Name"] for r in self.rows("kernel_trace")]

    def test_wide_calls(self):
        """Twelve arguments, the fourth too long for a record: all are there, and it is said what is cut."""
        done = self.run_it("--hip-trace", "-f", "json", "-o", "x", program=(SUBJECT, "wide"))
        with open(self.out + "/x_results.json") as f:
            call, = json.load(f)["rocprofiler-sdk-tool"][0]["buffer_records"]["hip_api"]
        values = [a["value"] for a in call["args"]]
        self.assertEqual([v for v in values if len(v) < 10], ["1"] * 11)
        self.assertRegex(values[3], r"^v{16000,} \[cut\]$")
        self.assertIn("1 texts are too long for the trace", done.stderr)
        self.assertNotIn("LOST", done.stderr)

    def test_full_standard_output(self):
        for words in (["--help"], ["--version"], ["-s", "--echo", "--", "true"]):
            done = subprocess.run(["sh", "-c", '"$@" >/dev/full', "sh", ROCPROFV3, "--rocm-root", self.root,
                                   "--gpu", "soft", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 125, words)
            self.assertIn("standard output: No space left on device", done.stderr)
        done = subprocess.run(["sh", "-c", '"$@" >/dev/full', "sh", ROCPROFV3, "convert", "--help"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 125)

    def test_help_of_convert(self):
        done = subprocess.run([ROCPROFV3, "convert", "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("Usage: rocprofv3 convert "), done.stdout)

    def test_quotes(self):
        self.run_it("--kernel-trace", "--stats", program=(SUBJECT, "quotes"))
        self.assertEqual([r["Kernel_Name"] for r in self.rows("kernel_trace")], ['say "hi", "'])
        self.assertEqual([r["Name"] for r in self.rows("kernel_stats")], ['say "hi", "'])


class Directories(Case):
    def outside(self):
        """Everything below the test's directory but the output and the installation."""
        return sorted(n for n in os.listdir(self.dir) if n not in ("out", "root"))

    def test_removed_working_directory(self):
        done = subprocess.run(["sh", "-c", f'mkdir {self.dir}/gone && cd {self.dir}/gone && rmdir ../gone && exec "$@"',
                               "sh", *self.command("-s", output=False)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("the working directory has no name", done.stderr)
        done = subprocess.run(["sh", "-c", f'mkdir {self.dir}/gone && cd {self.dir}/gone && rmdir ../gone && exec "$@"',
                               "sh", *self.command("-s")], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows("kernel_trace")), 2)

    def test_convert_chooses_the_directory(self):
        self.abandoned("-o", "x")
        self.convert("-d", "elsewhere", self.out)
        self.assertIn("x_kernel_trace.csv", os.listdir(self.dir + "/elsewhere"))
        self.assertEqual(os.listdir(self.out), [])

    def test_paths_in_stores_are_not_believed(self):
        for name in ("../../evil", "a/../../../evil", f"{self.dir}/evil", ".."):
            with self.subTest(name):
                shutil.rmtree(self.out, ignore_errors=True)
                store = os.path.basename(self.abandoned("-o", name, "-S", "--summary-output-file", "../../bad"))
                done = self.convert(self.out)
                self.assertIn("the name it has for its files leads elsewhere", done.stderr)
                self.assertIn(store + "_kernel_trace.csv", os.listdir(self.out))
                self.assertIn(store + "_bad.txt", os.listdir(self.out))
                self.assertEqual(self.outside(), [])

    def test_moved_run(self):
        """What was recorded elsewhere, for a directory that is no more, is written beside the store."""
        store = self.abandoned("-o", "x")
        os.rename(self.out, self.dir + "/moved")
        self.convert(self.dir + "/moved")
        self.assertFalse(os.path.exists(self.out), store)
        self.assertIn("x_kernel_trace.csv", os.listdir(self.dir + "/moved"))

    def test_damaged_facts(self):
        store = self.abandoned("-o", "x")
        with open(store + "/meta.seg", "r+b") as f:
            f.truncate(4096)
        done = self.convert(self.out)
        self.assertIn("bytes of its records are damaged", done.stderr)
        self.assertIn(os.path.basename(store) + "_kernel_trace.csv", os.listdir(self.out))

    def test_stores_that_were_only_begun(self):
        """Their processes were killed then: what has no header has no records, and goes."""
        for size in (0, 4096):
            store = self.abandoned("-o", "x")
            for name in os.listdir(store):
                if name != "meta.seg":
                    os.unlink(f"{store}/{name}")
            with open(store + "/meta.seg", "wb") as f:
                f.write(bytes(size))
            os.mkdir(store + "9")
            done = self.convert(self.out)
            self.assertEqual(done.stderr.count("ended before its trace began"), 2, done.stderr)
            self.assertEqual(os.listdir(self.out), [])
            store = self.abandoned("-o", "x")
            with open(store + "/records-9.seg", "wb") as f:
                f.write(bytes(size))
            done = self.convert(self.out)
            self.assertIn("was killed while it began 1 of its files", done.stderr)
            self.assertEqual(self.counts(done.stderr), [(9, 9, 0, 0)])
            shutil.rmtree(self.out)

    def test_store_that_was_not_removed_to_the_end(self):
        """It is not converted again with what is left of it."""
        store = self.abandoned("-o", "x")
        os.rename(store, store + ".done")
        os.unlink(store + ".done/records-0.seg")
        self.assertEqual(self.convert(self.out).stderr, "")
        self.assertEqual(os.listdir(self.out), [])

    def test_symbolic_links_are_replaced(self):
        os.makedirs(self.out)
        victim = self.dir + "/victim"
        with open(victim, "w") as f:
            f.write("precious")
        os.symlink(victim, self.out + "/x_kernel_trace.csv")
        self.run_it("--kernel-trace", "-o", "x")
        with open(victim) as f:
            self.assertEqual(f.read(), "precious")
        self.assertFalse(os.path.islink(self.out + "/x_kernel_trace.csv"))
        self.assertEqual(len(self.rows("kernel_trace")), 2)

    def test_rights_of_files(self):
        def mask():
            os.umask(0o027)
        subprocess.run(self.command("--kernel-trace", "-o", "x"), cwd=self.dir, check=True, preexec_fn=mask,
                       capture_output=True)
        self.assertEqual(os.stat(self.out + "/x_kernel_trace.csv").st_mode & 0o777, 0o640)

    def test_linked_segments(self):
        store = self.abandoned("-o", "x")
        os.rename(store + "/meta.seg", self.dir + "/kept")
        os.symlink(self.dir + "/kept", store + "/meta.seg")
        self.assertIn("symbolic link", self.convert(self.out, status=74).stderr)
        os.unlink(store + "/meta.seg")
        os.mkfifo(store + "/meta.seg")
        self.assertIn("meta.seg", self.convert(self.out, status=74).stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs to give files away")
    def test_stores_of_others(self):
        store = self.abandoned("-o", "x")
        os.chown(store + "/records-0.seg", 54321, -1)
        self.assertIn("records-0.seg belongs to user 54321", self.convert(self.out, status=74).stderr)
        os.chown(os.path.dirname(store), 54321, -1)
        self.assertIn("belongs to user 54321", self.convert(self.out, status=74).stderr)
        self.convert("--other-users", self.out)
        self.assertIn("x_kernel_trace.csv", os.listdir(self.out))


class Descriptors(Case):
    def test_closed_streams(self):
        """What the program prints to a closed stream goes nowhere, and not into a trace."""
        done = subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh",
                               *self.command("-s", "-o", "x", program=(SUBJECT, "closed-streams"))],
                              cwd=self.dir, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(len(self.rows("kernel_trace")), 2)
        self.assertEqual(len(self.rows("hip_api_trace")), 3)

    def test_number_of_standard_error(self):
        """A program that was started without standard error has another file there."""
        file = self.dir + "/mine"
        done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh",
                               *self.command("-s", "-o", "x", program=(SUBJECT, "take-stderr", file))],
                              cwd=self.dir, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 74)  # the full disk was met
        self.assertEqual(os.stat(file).st_size, 0)

    def test_closed_under_us(self):
        """The program closes all descriptors and uses their numbers: its file is not written to."""
        file = self.dir + "/mine"
        done = self.run_it("--hip-trace", program=(SUBJECT, "close-all", file))
        self.assertEqual(self.counts(done.stderr), [(40000, 40000, 0, 0)])
        self.assertEqual(len(self.rows("hip_api_trace")), 40000)
        self.assertEqual(os.stat(file).st_size, 0)


class Several(Case):
    """Stores of several processes are converted side by side, which changes neither files nor messages."""

    def leave(self, *counts):
        """What a killed rocprofv3 leaves of processes with so many records, which all want the same name."""
        script = 'for n in $1; do "$0" many $n & done; wait; echo ready; exec sleep 60'
        p = self.start("--hip-trace", "-f", "csv", "json", "rocpd", "-o", "x",
                       program=("sh", "-c", script, SUBJECT, " ".join(map(str, counts))))
        self.assertEqual(p.stdout.readline(), "ready\n")
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        self.assertEqual(len(glob.glob(self.out + "/.rocprofv3/*/*/meta.seg")), len(counts))

    def begin(self, folder, cpus=None):
        return subprocess.Popen([ROCPROFV3, "convert", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, cpus or os.sched_getaffinity(0)))

    def below(self, folder):
        """All files that are not of stores, with their contents."""
        found = {}
        for directory, _, names in os.walk(folder):
            for name in names if ".rocprofv3" not in directory.split("/") else []:
                with open(f"{directory}/{name}", "rb") as f:
                    found[os.path.relpath(f"{directory}/{name}", folder)] = f.read()
        return found

    def received(self, told):
        return sorted(count[0] for count in self.counts(told))

    def test_same_as_one_after_the_other(self):
        self.leave(3000, 100, 20000, 1)
        told, files = [], []
        for cpus in ({min(os.sched_getaffinity(0))}, None):
            copy = f"{self.dir}/copy{len(told)}"
            shutil.copytree(self.out, copy)
            p = self.begin(copy, cpus)
            told.append(p.communicate(timeout=60)[1].replace(copy, "OUT"))
            self.assertEqual(p.returncode, 0, told)
            files.append(self.below(copy))
        self.assertEqual(told[0], told[1])
        self.assertEqual(self.received(told[0]), [1, 100, 3000, 20000])
        self.assertEqual(sorted(files[0]), sorted(files[1]))
        self.assertEqual([name for name in files[0] if files[0][name] != files[1][name]], [])
        self.assertEqual(sum(name.endswith("x_results.db") for name in files[0]), 4)

    def test_interrupted(self):
        """No half file and nothing hidden; what is left is converted later."""
        self.leave(60000, 60000, 60000, 60000)
        p = self.begin(self.out)
        while p.poll() is None and not [n for n in os.listdir(self.out) if n != ".rocprofv3"]:
            time.sleep(0.005)
        p.send_signal(signal.SIGINT)
        told = p.communicate(timeout=60)[1]
        self.assertEqual(p.returncode, 128 + signal.SIGINT, told)
        self.assertEqual([name for name in self.below(self.out) if os.path.basename(name).startswith(".")], [])
        self.assertEqual(sorted(self.received(told) + self.received(self.convert(self.out).stderr)), [60000] * 4)

    def test_worker_dies(self):
        """Its store is kept, and told; the others are converted."""
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU: there are no workers")
        self.leave(60000, 60000, 60000)
        p = self.begin(self.out)
        children = ""
        while p.poll() is None and not children:
            with open(f"/proc/{p.pid}/task/{p.pid}/children", encoding="ascii") as f:
                children = f.read()
        os.kill(int(children.split()[0]), signal.SIGKILL)
        told = p.communicate(timeout=60)[1]
        self.assertEqual(p.returncode, 74, told)
        self.assertIn("the process that read it ended by signal 9", told)
        self.assertEqual(self.received(told), [60000] * 2, told)
        self.assertEqual(self.received(self.convert(self.out).stderr), [60000])


class Signals(Case):
    def test_all_are_passed_on(self):
        p = self.start("-s", program=(SUBJECT, "wait"))
        self.assertEqual(p.stdout.readline(), "ready\n")
        for number in (signal.SIGALRM, signal.SIGVTALRM, signal.SIGWINCH, signal.SIGURG, signal.SIGIO,
                       signal.SIGRTMIN + 5, signal.SIGUSR1):
            os.kill(p.pid, number)
            self.assertEqual(p.stdout.readline(), "got it\n", number)
        os.kill(p.pid, signal.SIGPWR)
        _, err = p.communicate(timeout=20)
        self.assertEqual(p.returncode, 128 + signal.SIGPWR)
        self.assertEqual(self.counts(err), [(9, 9, 0, 0)])

    def test_interrupted_conversion(self):
        """No half file, whatever the format; what is left is converted later."""
        for form, name in (("csv", "hip_api_trace.csv"), ("json", "results.json"), ("pftrace", "results.pftrace"),
                           ("rocpd", "results.db")):
            with self.subTest(form):
                done = self.run_it("--hip-trace", "-f", form, "-o", form, program=(SUBJECT, "many", "400000"),
                                   env={"LD_PRELOAD": MISHAP, "MISHAP": "write-int"}, status=128 + 2)
                self.assertIn("interrupted while converting; what is left: rocprofv3 convert", done.stderr)
                self.assertEqual(os.listdir(self.out), [".rocprofv3"])
                self.assertEqual(self.counts(self.convert(self.out).stderr), [(400000, 400000, 0, 0)])
                self.assertIn(f"{form}_{name}", self.files())
                shutil.rmtree(self.out)

    def test_interrupted_page(self):
        """Whoever interrupts a report, or what diff writes, finds a whole file or none."""
        self.run_it("--hip-trace", "-f", "rocpd", "-o", "x", program=(SUBJECT, "many", "2000"))
        database = self.out + "/x_results.db"
        for command, name, end in ((["report", database], "page.html", b"</html>\n"),
                                   (["diff", database, database, "-f", "junit"], "diff.xml", b"</testsuites>\n")):
            done = subprocess.run([ROCPROFV3, *command, "-o", f"{self.dir}/made/{name}"], capture_output=True, timeout=60,
                                  env=dict(os.environ, LD_PRELOAD=MISHAP, MISHAP="write-int"))
            self.assertEqual(done.returncode, -signal.SIGINT, done.stderr)
            with open(f"{self.dir}/made/{name}", "rb") as f:
                self.assertTrue(f.read().endswith(end), name)
        self.assertEqual(sorted(os.listdir(self.dir + "/made")), ["diff.xml", "page.html"])

    def test_late_interrupt(self):
        """After the conversion's last step nothing is interrupted, and nothing is left to name."""
        environment = dict(os.environ, LD_PRELOAD=MISHAP, MISHAP="late-int")
        done = self.run_it("-s", "-o", "x", env=environment)
        self.assertNotIn("what is left", done.stderr)
        self.assertEqual(len(self.rows("kernel_trace")), 2)
        done = self.run_it("--pmc", "SQ_WAVES", "--pmc", "GRBM_COUNT", "-o", "y", env=environment, status=128 + 2,
                           program=(SUBJECT, "dispatches", "2"))
        self.assertIn("interrupted after run 1 of 2", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
