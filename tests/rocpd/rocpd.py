#!/usr/bin/env python3
"""rocpd: a small database made by hand, whose answers are known, in today's schema and in the first one;
and databases of real programs, converted and compared with what rocprofv3 itself writes.

usage: rocpd.py ROCPD ROCPROFV3 PROGRAM SCHEMA [unittest arguments]
"""
import csv
import ctypes.util
import glob
import itertools
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROCPD, ROCPROFV3, PROGRAM, SCHEMA = sys.argv[1:5]
NODE = 1234567


def schema(guid, version):
    """SQL of the schema; of the first version, without what came later."""
    with open(SCHEMA) as f:
        text = f.read()
    if version == "3":
        text = re.sub(r'CREATE (TABLE|VIEW) "(rocpd_(graph_launch|hip_event)(\{uuid\})?|graph_launches|hip_events|'
                      r'spm_counters)".*?;\n', "", text, flags=re.S)
        text = re.sub(r'\n    "(graph_exec_id|graph_node_id|spm_support|sample_id|xcc|shader_engine|instance)" '
                      r'[^\n]*', "", text)
        text = re.sub(r'\n    [^\n]*(graph_exec_id|graph_node_id)[^\n]*', "", text)
        text = re.sub(r',\n    FOREIGN KEY \("sample_id"\)[^\n]*', "", text)
        text = re.sub(r'\n(WHERE|AND|    AND)[^\n]*sample_id IS NULL', "", text)
    return text.replace("{uuid}", "_" + guid.replace("-", "_")).replace("{guid}", guid)


def make(path, guid="00000000-0000-7000-8000-000000000001", pid=4711, version="3.0.3", shift=0):
    """One process: a marked range, a launch in it with an argument, its kernel with a counter, a copy, memory
    given out, a mark."""
    db = sqlite3.connect(path)
    db.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN;" + schema(guid, version) + "COMMIT;")

    def put(table, **row):
        names = ", ".join(f'"{k}"' for k in row)
        db.execute(f'INSERT INTO "rocpd_{table}_{guid.replace("-", "_")}" ({names}) VALUES '
                   f'({", ".join("?" * len(row))})', list(row.values()))

    for tag, value in (("schema_version", version), ("uuid", "_" + guid.replace("-", "_")), ("guid", guid)):
        put("metadata", tag=tag, value=value)
    words = ["", "HIP_RUNTIME_API_EXT", "hipLaunchKernel", "KERNEL_DISPATCH", "MEMORY_COPY",
             "MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_ALLOCATION", "MARKER_CORE_RANGE_API", "roctxThreadRangeA",
             "step", "MARKER_CORE_API"]
    of = {word: i + 1 for i, word in enumerate(words)}
    for word, number in of.items():
        put("string", id=number, string=word)
    put("info_node", id=NODE, hash=99, machine_id="machine", system_name="Linux", hostname="host",
        release="6", version="v", hardware_name="x86_64", domain_name="d")
    put("info_process", id=pid, nid=NODE, ppid=4700, pid=pid, init=1, fini=9000, start=1, end=9000,
        command="app -x", environment='{"A": "b"}')
    put("info_thread", id=pid, nid=NODE, ppid=4700, pid=pid, tid=pid, name="app")
    put("info_agent", id=0, nid=NODE, pid=pid, type="CPU", absolute_index=0, logical_index=0, type_index=0,
        name="cpu", model_name="", vendor_name="CPU", product_name="cpu", extdata='{"cpu_cores_count": 8}')
    put("info_agent", id=1, nid=NODE, pid=pid, type="GPU", absolute_index=1, logical_index=1, type_index=0,
        name="gfx90a", model_name="", vendor_name="AMD", product_name="MI", extdata='{"simd_count": 416}')
    for table in ("queue", "stream"):
        put("info_" + table, id=0, nid=NODE, pid=pid, name="Default")
        put("info_" + table, id=1, nid=NODE, pid=pid, name="First")
    put("info_code_object", id=1, nid=NODE, pid=pid, agent_id=1, uri="file://app", load_base=1, load_size=2,
        load_delta=3)
    put("info_kernel_symbol", id=12, nid=NODE, pid=pid, code_object_id=1, kernel_name="_Z3addPfi.kd",
        display_name="add(float*, int)", kernel_object=5, sgpr_count=16, arch_vgpr_count=8, accum_vgpr_count=4)
    put("info_pmc", id=77, nid=NODE, pid=pid, agent_id=1, target_arch="GPU", name="SQ_WAVES", symbol="SQ_WAVES",
        description="waves", component="rocm", value_type="ABS", block="SQ", expression="", is_constant=0,
        is_derived=0)
    origin = dict(nid=NODE, pid=pid, tid=pid)
    put("event", id=1, category_id=of["MARKER_CORE_RANGE_API"], stack_id=1, parent_stack_id=0, correlation_id=0,
        extdata='{"message": "step"}')
    put("region", id=1, **origin, start=1000 + shift, end=5000 + shift, name_id=of["roctxThreadRangeA"], event_id=1)
    put("event", id=2, category_id=of["HIP_RUNTIME_API_EXT"], stack_id=2, parent_stack_id=0, correlation_id=0)
    put("region", id=2, **origin, start=2000 + shift, end=2400 + shift, name_id=of["hipLaunchKernel"], event_id=2)
    put("arg", event_id=2, position=0, type="unsigned long", name="sharedMemBytes", value="64")
    put("event", id=3, category_id=of["KERNEL_DISPATCH"], stack_id=2, parent_stack_id=2, correlation_id=0)
    put("kernel_dispatch", id=1, **origin, agent_id=1, kernel_id=12, dispatch_id=1, queue_id=1, stream_id=1,
        start=3000 + shift, end=3500 + shift, private_segment_size=0, group_segment_size=64, workgroup_size_x=64,
        workgroup_size_y=1, workgroup_size_z=1, grid_size_x=256, grid_size_y=1, grid_size_z=1,
        region_name_id=of["step"], event_id=3)
    put("pmc_event", event_id=3, pmc_id=77, value=3.0)
    put("pmc_event", event_id=3, pmc_id=77, value=1.0)
    put("event", id=4, category_id=of["MEMORY_COPY"], stack_id=3, parent_stack_id=3, correlation_id=0)
    put("memory_copy", id=1, **origin, start=6000 + shift, end=7000 + shift, name_id=of["MEMORY_COPY_HOST_TO_DEVICE"],
        dst_agent_id=1, dst_address=16, src_agent_id=0, src_address=32, size=4096, stream_id=1, event_id=4)
    put("event", id=5, category_id=of["MEMORY_ALLOCATION"], stack_id=4, parent_stack_id=0, correlation_id=0)
    put("memory_allocate", id=1, **origin, agent_id=1, type="ALLOC", level="REAL", start=500 + shift,
        end=600 + shift, address=4096, size=8192, queue_id=0, stream_id=0, event_id=5)
    put("event", id=6, category_id=of["MARKER_CORE_API"], stack_id=5, parent_stack_id=0, correlation_id=0,
        extdata='{"message": "here"}')
    put("track", id=1, **origin, name_id=of["MARKER_CORE_API"])
    put("sample", id=5, track_id=1, timestamp=8000 + shift, event_id=6)
    db.commit()
    db.close()
    return path


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocpd-")

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def run_it(self, *words, status=0, env=None):
        done = subprocess.run([ROCPD, *words], capture_output=True, text=True, timeout=240, cwd=self.dir, env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, name):
        with open(os.path.join(self.dir, name), newline="") as f:
            return list(csv.reader(f))


class Made(Case):
    """Of two databases whose every row is known."""
    version = "3.0.3"

    def setUp(self):
        super().setUp()
        self.one = make(self.dir + "/one.db", version=self.version)
        self.two = make(self.dir + "/two.db", guid="00000000-0000-7000-8000-000000000002", pid=4712,
                        version=self.version, shift=10000)


class ByHand(Made):
    # ---- query

    QUERY = "SELECT name AS kernel_name, duration, pid, NULL AS none FROM kernels ORDER BY pid"

    def test_console(self):
        self.assertEqual(self.run_it("query", "-i", "one.db", "two.db", "--query", self.QUERY).stdout,
                         "kernel_name       duration   pid  none\n"
                         "----------------  --------  ----  ----\n"
                         "add(float*, int)       500  4711      \n"
                         "add(float*, int)       500  4712      \n")

    FORMS = {
        "csv": '"Kernel_Name","Duration","Pid","None"\n"add(float*, int)",500,4711,""\n',
        "json": '[\n  {\n    "kernel_name": "add(float*, int)",\n    "duration": 500,\n    "pid": 4711,\n'
                '    "none": null\n  }\n]\n',
        "md": "| kernel_name      | duration |  pid | none |\n"
              "|:-----------------|---------:|-----:|-----:|\n"
              "| add(float*, int) |      500 | 4711 |      |\n",
        "html": '<table border="1">\n<thead><tr><th>kernel_name</th><th>duration</th><th>pid</th><th>none</th>'
                '</tr></thead>\n<tbody>\n<tr><td>add(float*, int)</td><td align="right">500</td>'
                '<td align="right">4711</td><td></td></tr>\n</tbody>\n</table>\n',
    }

    def test_forms(self):
        for form, text in self.FORMS.items():
            said = self.run_it("query", "-i", "one.db", "--query", self.QUERY, "--format", form, "-d", "o",
                               "-o", "q").stdout
            self.assertEqual(said, f"o/q.{form}\n")
            with open(f"{self.dir}/o/q.{form}") as f:
                self.assertEqual(f.read(), text)

    def pages(self, sql, **more):
        """Of the PDF, the text of each page as it stands there; the whole without the breaks of pages and lines."""
        if not shutil.which("pdftotext") or not ctypes.util.find_library("cairo"):
            self.skipTest("no pdftotext (poppler-utils), or no libcairo2")
        said = self.run_it("query", "-i", "one.db", "--query", sql, "--format", "pdf", "-d", "o", "-o", "q", **more).stdout
        self.assertEqual(said, "o/q.pdf\n")
        with open(f"{self.dir}/o/q.pdf", "rb") as f:
            self.assertEqual(f.read(5), b"%PDF-")
        text = subprocess.run(["pdftotext", "-layout", f"{self.dir}/o/q.pdf", "-"],
                              capture_output=True, text=True, check=True, timeout=60).stdout
        return text.rstrip("\f").split("\f")

    def test_pdf(self):
        page, = self.pages(self.QUERY)
        lines = [line.split("  ") for line in page.splitlines() if line.strip()]
        self.assertEqual([[word.strip() for word in line if word.strip()] for line in lines],
                         [["kernel_name", "duration", "pid", "none"], ["add(float*, int)", "500", "4711"], ["1"]])

    def test_pdf_of_many_pages(self):
        """Every cell is there, once; each page has the heading."""
        rows = 700
        pages = self.pages(f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
                           "SELECT i AS number, 'row_' || (i * 7919) AS word, i / 8.0 AS eighth, "
                           "'caf\u00e9 <' || i || '>' AS more FROM n")
        self.assertGreater(len(pages), rows / 60)
        found = []
        for number, page in enumerate(pages, 1):
            head, *cells, foot = [line.split() for line in page.splitlines() if line.strip()]
            self.assertEqual((head, foot), (["number", "word", "eighth", "more"], [str(number)]))
            found += cells
        self.assertEqual(found, [[str(i), f"row_{i * 7919}", f"{i / 8:.6f}", "caf\u00e9", f"<{i}>"]
                                 for i in range(1, rows + 1)])

    def test_pdf_of_odd_cells(self):
        """Long cells go on below, longer ones than a page on the next; many columns make broad pages."""
        word = "".join(f"{i:05d}." for i in range(1500))
        pages = self.pages(f"SELECT '{word}' AS long, 'beside' AS short")
        self.assertGreater(len(pages), 1)
        self.assertEqual("".join(re.findall(r"^ *([0-9.]{2,100})(?:  +beside)?$", "\n".join(pages), re.M)), word)
        self.assertEqual("".join(pages).count("beside"), 1)
        names = [f"column_{i:03d}" for i in range(300)]
        page, = self.pages("SELECT " + ", ".join(f"'v{i}' AS {name}" for i, name in enumerate(names)))
        self.assertEqual(page.split(), names + [f"v{i}" for i in range(300)] + ["1"])
        page, = self.pages("SELECT 'a' || char(10) || 'b' AS lines, CAST(x'61ff62' AS TEXT) AS bytes, '' AS empty")
        self.assertEqual(page.split(), ["lines", "bytes", "empty", "a", "a\ufffdb", "b", "1"])

    def test_pdf_without_cairo(self):
        os.makedirs(self.dir + "/none")
        with open(self.dir + "/none/libcairo.so.2", "w"):
            pass
        done = self.run_it("query", "-i", "one.db", "--query", self.QUERY, "--format", "pdf", "-d", "o", status=1,
                           env={**os.environ, "LD_LIBRARY_PATH": self.dir + "/none"})
        self.assertEqual((done.stdout, os.listdir(self.dir + "/o")), ("", []))
        self.assertIn("PDF is drawn by cairo, which is not there: install libcairo2", done.stderr)

    def clipboard(self, sql, *programs, status=0, **variables):
        """With these programs alone: what one of them has got, and with which words."""
        folder = tempfile.mkdtemp(dir=self.dir)
        for name, text in programs:
            with open(f"{folder}/{name}", "w") as f:
                f.write(f"#!/bin/sh\n{text}\n")
            os.chmod(f"{folder}/{name}", 0o755)
        keep = {name: value for name, value in os.environ.items() if name not in ("WAYLAND_DISPLAY", "PATH")}
        done = self.run_it("query", "-i", "one.db", "--query", sql, "--format", "clipboard", status=status,
                           env={**keep, "PATH": folder, "GOT": folder + "/got", **variables})
        got = ""
        if os.path.exists(folder + "/got"):
            with open(folder + "/got", encoding="utf-8") as f:
                got = f.read()
        return done, got

    def test_clipboard(self):
        keeps = 'echo "${0##*/} $*" >"$GOT"; while IFS= read -r line; do printf "%s\\n" "$line"; done >>"$GOT"'
        rows = "kernel_name\tduration\tpid\tnone\nadd(float*, int)\t500\t4711\t\n"
        for programs, variables, words in (
                (("xclip",), {}, "xclip -selection clipboard"), (("xsel",), {}, "xsel --clipboard --input"),
                (("wl-copy",), {}, "wl-copy "), (("xclip", "xsel", "wl-copy"), {}, "xclip -selection clipboard"),
                (("xclip", "wl-copy"), {"WAYLAND_DISPLAY": "wayland-0"}, "wl-copy ")):
            done, got = self.clipboard(self.QUERY, *[(name, keeps) for name in programs], **variables)
            self.assertEqual((done.stdout, got), ("1 row in the clipboard\n", f"{words}\n{rows}"))
        _, got = self.clipboard("SELECT 'a' || char(9) || '\"' AS x, 2.5 AS y", ("xsel", keeps))
        self.assertEqual(got.split("\n", 1)[1], 'x\ty\n"a\t"""\t2.500000\n')
        done, got = self.clipboard("SELECT 1 WHERE 0", ("xsel", keeps))
        self.assertEqual((done.stderr, got), ("No results found for query: SELECT 1 WHERE 0\n", ""))

    def test_no_clipboard(self):
        done, _ = self.clipboard(self.QUERY, status=1)
        self.assertIn("there is no program that knows the clipboard: install wl-clipboard, xclip or xsel", done.stderr)
        done, _ = self.clipboard(self.QUERY, ("xclip", "echo no display >&2; exit 3"), status=1)
        self.assertRegex(done.stderr, r"no display\n.*xclip: .*\(status 3\), the clipboard is as it was")
        big = "SELECT hex(zeroblob(1000000)) AS x"  # more than a pipe holds, to one that ends at once
        done, _ = self.clipboard(big, ("xsel", "exit 0"), status=1)
        self.assertIn("xsel: Broken pipe", done.stderr)
        done = self.run_it("summary", "-i", "one.db", "--format", "clipboard", status=2)
        self.assertIn("rocpd summary makes several tables", done.stderr)

    def test_script_and_nothing(self):
        with open(self.dir + "/s.sql", "w") as f:
            f.write("CREATE TEMP TABLE t(a); INSERT INTO t VALUES (7);")
        self.assertEqual(self.run_it("query", "-i", "one.db", "--script", "s.sql", "--query",
                                     "SELECT a FROM t").stdout, "a\n-\n7\n")
        none = self.run_it("query", "-i", "one.db", "--query", "SELECT 1 WHERE 0")
        self.assertEqual((none.stdout, none.stderr), ("", "No results found for query: SELECT 1 WHERE 0\n"))

    def test_databases_stay_as_they_are(self):
        before = os.stat(self.one).st_mtime_ns
        done = self.run_it("query", "-i", "one.db", "--query", "DELETE FROM db0.rocpd_metadata", status=1)
        self.assertIn("DELETE", done.stderr)
        self.assertEqual(os.stat(self.one).st_mtime_ns, before)

    # ---- windows

    def test_windows(self):
        def names(*window):
            said = self.run_it("query", "-i", "one.db", *window, "--query", "SELECT name FROM "
                               "regions UNION SELECT name FROM kernels UNION SELECT name FROM memory_copies "
                               "ORDER BY 1", "--format", "csv", "-d", "o").stdout
            return said.count("#"), [r[0] for r in self.rows("o/out.csv")[1:]]

        launch, kernel, copy, step = ("hipLaunchKernel", "add(float*, int)", "MEMORY_COPY_HOST_TO_DEVICE",
                                      "roctxThreadRangeA")
        self.assertEqual(names("--start", "1500", "--end", "4000"), (3, [kernel, launch]))
        self.assertEqual(names("--start", "1500", "--end", "4000", "--inclusive", "false"),
                         (3, [kernel, launch, step]))
        self.assertEqual(names("--start-marker", "step", "--end-marker", "step"), (3, [kernel, launch, step]))
        self.assertEqual(names("--start", "50%"), (3, [copy])) # of 500 to 8000
        self.assertEqual(names("--end-marker", "here"), (3, [copy, kernel, launch, step]))
        for wrong, text in ((("--start-marker", "absent"), "there are 0 of this name"),
                            (("--start", "x"), "'x' is neither nanoseconds nor a percentage"),
                            (("--start", "4000", "--end", "3000"), "ends at 3000, before it begins at 4000")):
            self.assertIn(text, self.run_it("query", "-i", "one.db", *wrong, "--query", "SELECT 1",
                                            status=1).stderr)

    # ---- summary

    def test_summary(self):
        self.run_it("summary", "-i", "one.db", "two.db", "-f", "csv", "-d", "o", "--domain-summary",
                    "--summary-by-rank")
        head = ["Name", "Calls", "Duration (Nsec)", "Average (Nsec)", "Percent (Inc)", "Min (Nsec)",
                "Max (Nsec)", "Std_Dev"]
        self.assertEqual(self.rows("o/out_kernels.csv"),
                         [head, ["add(float*, int)", "2", "1000", "500.000000", "100.000000", "500", "500",
                                 "0.000000"]])
        self.assertEqual(self.rows("o/out_markers.csv")[1][:3], ["step", "2", "8000"])
        self.assertEqual(self.rows("o/out_hip.csv")[1][:3], ["hipLaunchKernel", "2", "800"])
        self.assertEqual([r[:3] for r in self.rows("o/out_kernels_summary_by_rank.csv")],
                         [["Processid", "Hostname", "Name"], ["4711", "host", "add(float*, int)"],
                          ["4712", "host", "add(float*, int)"]])
        self.assertEqual([(r[0], r[2], r[4]) for r in self.rows("o/out_domain_summary.csv")[1:]],
                         [("MARKERS", "8000", "66.666667"), ("MEMORY_COPIES", "2000", "16.666667"),
                          ("KERNELS", "1000", "8.333333"), ("HIP", "800", "6.666667"),
                          ("MEMORY_ALLOCATIONS", "200", "1.666667")])

    def test_summary_deviation(self):
        """It is the nearest number, whatever the order of the records."""
        with sqlite3.connect(self.one) as db:
            db.execute("PRAGMA synchronous = OFF")
            guid, = db.execute("SELECT value FROM rocpd_metadata WHERE tag = 'uuid'").fetchone()
            called = f"rocpd_region{guid} WHERE name_id = (SELECT id FROM rocpd_string{guid} WHERE string = 'hipLaunchKernel')"
            names = [column[0] for column in db.execute(f"SELECT * FROM {called}").description]
            call = dict(zip(names, db.execute(f"SELECT * FROM {called}").fetchone()))
            for durations in itertools.permutations((28, 53, 118)):
                db.execute(f"DELETE FROM {called}")
                for ns in durations:
                    row = {**call, "id": None, "end": call["start"] + ns}
                    db.execute(f"INSERT INTO rocpd_region{guid} VALUES ({', '.join('?' * len(row))})", list(row.values()))
                db.commit()
                self.run_it("summary", "-i", "one.db", "-f", "json", "-d", "o", "--region-categories", "hip")
                with open(self.dir + "/o/out_hip.json", encoding="utf-8") as f:
                    self.assertEqual([row["STD_DEV"] for row in json.load(f)], [46.45786621588785])

    def test_summary_names(self):
        for options, name in ((["--mangled-kernels"], "_Z3addPfi.kd"), (["--truncate-kernels"], "add"),
                              (["--kernel-rename"], "step")):
            said = self.run_it("summary", "-i", "one.db", *options, "--region-categories", "NONE").stdout
            self.assertIn(f"\n{name} ", said)
            self.assertNotIn("HIP:", said)
        self.assertIn("\nHIP:", self.run_it("summary", "-i", "one.db", "--region-categories", "HIP").stdout)

    # ---- merge and package

    def test_merge(self):
        self.run_it("merge", "-i", "one.db", "two.db", "-d", "o")
        with sqlite3.connect(f"file:{self.dir}/o/merged.db?mode=ro", uri=True) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(db.execute("SELECT pid, name, start FROM kernels ORDER BY 1").fetchall(),
                             [(4711, "add(float*, int)", 3000), (4712, "add(float*, int)", 13000)])
            self.assertEqual(db.execute("SELECT counter_name, SUM(value) FROM counters_collection "
                                        "GROUP BY pid").fetchall(), [("SQ_WAVES", 4.0)] * 2)
        self.assertIn("\nadd(float*, int)      2",
                      self.run_it("summary", "-i", "o/merged.db", "--region-categories", "NONE").stdout)
        other = make(self.dir + "/old.db", guid="00000000-0000-7000-8000-000000000003", version="3")
        if self.version != "3":
            self.assertIn("schema version", self.run_it("merge", "-i", "one.db", other, status=1).stderr)
        self.assertEqual(sorted(os.listdir(self.dir + "/o")), ["merged.db"])

    def test_package(self):
        self.run_it("package", "-i", "one.db", "two.db", "-d", "both", "--copy")
        self.assertEqual(sorted(os.listdir(self.dir + "/both.rpdb")), ["index.yaml", "one.db", "two.db"])
        count = "SELECT COUNT(*) AS n FROM kernels"
        for given in ("both.rpdb", "both.rpdb/index.yaml", "*.db"):
            self.assertEqual(self.run_it("query", "-i", given, "--query", count).stdout, "n\n-\n2\n", given)
        odd = 'a "b\\c\' #.db'  # a name that YAML has to quote
        shutil.copy(self.two, f"{self.dir}/{odd}")
        self.run_it("package", "-i", odd, "-d", "odd")
        self.assertEqual(self.run_it("query", "-i", "odd.rpdb", "--query", count).stdout, "n\n-\n1\n")
        for text, files in ((f"files: [{self.dir}/one.db, ../two.db]", 2), ("files: one.db\nmore: &a [*a]\n", 1),
                            ("rocprofiler-sdk:\n  rocpd:\n    files:\n    - one.db\n    # - two.db\n", 1)):
            with open(self.dir + "/list.yaml", "w") as file:
                file.write(text.replace("../two", self.dir + "/two"))
            self.assertEqual(self.run_it("query", "-i", "list.yaml", "--query", count).stdout, f"n\n-\n{files}\n", text)
        with open(self.dir + "/list.yaml", "w") as file:
            file.write("files:\n  - [one.db\n")
        self.assertRegex(self.run_it("query", "-i", "list.yaml", "--query", count, status=2).stderr, "list.yaml:3:1: ")
        self.run_it("package", "-i", "two.db", "-d", "moved", "-c")
        self.assertFalse(os.path.exists(self.two))

    # ---- convert

    def test_csv(self):
        self.run_it("convert", "-i", "one.db", "-f", "csv", "-d", "o", "--agent-index-value", "type-relative")
        guid = "00000000-0000-7000-8000-000000000001"
        graph = ["0", "0"] if self.version != "3" else []
        self.assertEqual(self.rows("o/out_kernel_trace.csv")[1],
                         [guid, "KERNEL_DISPATCH", "GPU 0", "1", "1", *graph, "4711", "1", "12",
                          "add(float*, int)", "2", "3000", "3500", "500", "64", "0", "8", "4", "16", "64", "1",
                          "1", "256", "1", "1"])
        self.assertEqual(self.rows("o/out_memory_copy_trace.csv")[1],
                         [guid, "MEMORY_COPY", "MEMORY_COPY_HOST_TO_DEVICE", "1", *graph, "CPU 0", "GPU 0", "3",
                          "6000", "7000"])
        self.assertEqual(self.rows("o/out_memory_allocation_trace.csv")[1],
                         [guid, "MEMORY_ALLOCATION", "MEMORY_ALLOCATION_ALLOCATE", "GPU 0", "8192",
                          "0x0000000000001000", "4", "500", "600"])
        self.assertEqual(self.rows("o/out_counter_collection_trace.csv")[1][-4:],
                         ["SQ_WAVES", "4.000000", "3000", "3500"])
        self.assertEqual(self.rows("o/out_regions_trace.csv"),
                         [["Guid", "Domain", "Function", "Process_Id", "Thread_Id", "Correlation_Id",
                           "Start_Timestamp", "End_Timestamp"],
                          [guid, "MARKER_CORE_RANGE_API", "roctxThreadRangeA", "4711", "4711", "1", "1000", "5000"],
                          [guid, "HIP_RUNTIME_API_EXT", "hipLaunchKernel", "4711", "4711", "2", "2000", "2400"]])
        self.assertEqual(sorted(os.listdir(self.dir + "/o")), sorted(
            f"out_{n}.csv" for n in ("agent_info", "kernel_trace", "memory_copy_trace", "memory_allocation_trace",
                                     "counter_collection_trace", "regions_trace")))

    def test_json(self):
        self.run_it("convert", "-i", "one.db", "-f", "json", "-d", "o", "--kernel-rename")
        with open(self.dir + "/o/out_results.json") as f:
            (one,) = json.load(f)["rocprofiler-sdk-tool"]
        self.assertEqual((one["metadata"]["pid"], one["metadata"]["command"]), (4711, ["app", "-x"]))
        (call,) = one["buffer_records"]["hip_api"]
        self.assertEqual(call["args"], [{"type": "unsigned long", "name": "sharedMemBytes", "value": "64"}])
        self.assertEqual([m["value"] for m in one["strings"]["marker_api"]], ["step", "here"])
        (counted,) = one["callback_records"]["counter_collection"]
        self.assertEqual([v["value"] for v in counted["records"]], [3.0, 1.0])
        self.assertEqual([d["stats"]["operations"][0]["key"] for d in one["summary"]
                          if d["domain"] == "KERNEL_DISPATCH"], ["step"])

    def test_nothing_is_left_out(self):
        """More agents, arguments and values than records of one call or dispatch usually have."""
        with sqlite3.connect(self.dir + "/one.db") as db:
            (tables,) = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_info_agent_%'"),
            suffix = next(tables)[0].removeprefix("rocpd_info_agent")

            def repeat(table, first, count, columns, **changed):
                """Copies of a row; `changed`: SQL over the number i, from 0."""
                values = ", ".join(changed.get(c, c) for c in columns)
                db.execute(f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count}) "
                           f"INSERT INTO rocpd_{table}{suffix} ({', '.join(columns)}) "
                           f"SELECT {values} FROM rocpd_{table}{suffix}, n WHERE {first}")
            agent = [r[1] for r in db.execute(f"PRAGMA table_info(rocpd_info_agent{suffix})")]
            repeat("info_agent", "id = 1", 400, agent, id="i + 2", logical_index="i + 2", type_index="i + 1",
                   absolute_index="i + 2", extdata="""'{"id": {"handle": ' || (i + 7000) || '}}'""")
            db.execute(f"UPDATE rocpd_kernel_dispatch{suffix} SET agent_id = 401")
            argument = ["guid", "event_id", "position", "type", "name", "value"]
            repeat("arg", "position = 0", 50, argument, position="i + 1", name="'a' || (i + 1)",
                   value="CASE WHEN i < 2 THEN hex(zeroblob(45000)) ELSE i END")
            repeat("pmc_event", "value = 3.0", 6000, ["guid", "event_id", "pmc_id", "value"], value="1.0")
        done = self.run_it("convert", "-i", "one.db", "-f", "json", "csv", "-d", "o")
        with open(self.dir + "/o/out_results.json") as f:
            (one,) = json.load(f)["rocprofiler-sdk-tool"]
        (call,) = one["buffer_records"]["hip_api"]
        values = [a["value"] for a in call["args"]]
        self.assertEqual([a["name"] for a in call["args"]], ["sharedMemBytes"] + [f"a{i + 1}" for i in range(50)])
        self.assertEqual(values[:2], ["64", "0" * 90000])
        self.assertRegex(values[2], r"^0{30000,} \[cut\]$")
        self.assertIn("texts are too long for a record", done.stderr)
        (dispatch,) = one["buffer_records"]["kernel_dispatch"]
        self.assertEqual(dispatch["dispatch_info"]["agent_id"]["handle"], 7399)
        self.assertEqual(self.rows("o/out_counter_collection_trace.csv")[1][-3], "6004.000000")

    def test_interrupted(self):
        endless = "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT a FROM t"
        p = subprocess.Popen([ROCPD, "query", "-i", "one.db", "--query", endless, "--format", "csv", "-d", "o"],
                             stderr=subprocess.PIPE, text=True, cwd=self.dir)
        while p.poll() is None and not glob.glob(self.dir + "/o/.rocprofv3-*"):
            time.sleep(0.01)
        p.send_signal(signal.SIGINT)
        self.assertIn("interrupted", p.communicate(timeout=60)[1])
        self.assertEqual((p.returncode, os.listdir(self.dir + "/o")), (130, []))

    def test_interrupted_conversion(self):
        """Nothing is left but what was there before, although some of the tables were whole."""
        db = sqlite3.connect(self.one)  # the last of the tables
        guid, = db.execute("SELECT value FROM rocpd_metadata WHERE tag = 'uuid'").fetchone()
        row = db.execute(f"SELECT * FROM rocpd_region{guid}").fetchone()
        db.executemany(f"INSERT INTO rocpd_region{guid} VALUES (NULL{', ?' * (len(row) - 1)})", [row[1:]] * 300000)
        db.commit()
        db.close()
        os.makedirs(self.dir + "/o")
        with open(self.dir + "/o/out_kernel_trace.csv", "w") as f:
            f.write("of another run")
        p = subprocess.Popen([ROCPD, "convert", "-i", "one.db", "-f", "csv", "-d", "o"], stderr=subprocess.PIPE, text=True,
                             cwd=self.dir)
        # regions come after all others: their file is begun when the rows of the others are written
        begun = {"3": 7, "3.0.3": 10}[self.version]
        while p.poll() is None and len(glob.glob(self.dir + "/o/.rocprofv3-*/.*")) < begun:
            time.sleep(0.001)
        p.send_signal(signal.SIGINT)
        self.assertIn("interrupted", p.communicate(timeout=60)[1])
        self.assertEqual((p.returncode, os.listdir(self.dir + "/o")), (130, ["out_kernel_trace.csv"]))
        with open(self.dir + "/o/out_kernel_trace.csv") as f:
            self.assertEqual(f.read(), "of another run")

    # ---- the command line

    def test_mistakes(self):
        for words, text in ((["draw"], "'draw' is none of: convert query summary merge package"),
                            (["query", "-i", "one.db"], "rocpd query needs --query"),
                            (["convert", "-f", "csv"], "rocpd convert needs --input"),
                            (["convert", "-i", "one.db", "-f", "xls"], "'xls' is none of: csv pftrace"),
                            (["query", "-i", "one.db", "--query", "x", "--format", "xls"], "'xls' is none of"),
                            (["query", "-i", "one.db", "--query", "x", "--email-to", "y"], "--email-to is refused"),
                            (["query", "-i", "absent.db", "--query", "x"], "absent.db: No such file"),
                            (["summary", "-i", "one.db", "--start", "1", "--start-marker", "a"],
                             "--start and --start-marker exclude each other")):
            self.assertIn(text, self.run_it(*words, status=2).stderr)
        with open(self.dir + "/text.db", "w") as f:
            f.write("no database at all, whatever its name says")
        self.assertIn("text.db: is no rocpd database that can be opened: file is not a database", self.run_it("summary", "-i", "text.db", status=1).stderr)
        folder = "/".join([self.dir] + ["d" * 200] * 3)
        os.makedirs(folder)
        shutil.copy(self.dir + "/one.db", folder)
        self.assertIn(f"is no rocpd database that can be opened: its whole path has {len(folder) + 7} bytes, of which SQLite takes 504 at most",
                      self.run_it("summary", "-i", folder + "/one.db", status=1).stderr)
        # a long way to a short path is none; a long path is no reason why text is no database
        long_way = self.dir + "/." * 250 + "/one.db"
        self.run_it("summary", "-i", long_way)
        self.assertIn("file is not a database",
                      self.run_it("summary", "-i", self.dir + "/." * 250 + "/text.db", status=1).stderr)
        self.assertIn("no such column: absent", self.run_it("query", "-i", "one.db", "--query",
                                                             "SELECT absent FROM kernels", status=1).stderr)
        for words in (["--help"], ["--version"], [], ["convert", "--help"]):
            self.assertTrue(self.run_it(*words).stdout)


class FirstSchema(Made):
    """The same with databases of the first release: what reads each of their tables."""
    version = "3"

    def test_read(self):
        for case in (ByHand.test_summary, ByHand.test_csv, ByHand.test_json, ByHand.test_merge):
            with self.subTest(case.__name__):
                case(self)
                shutil.rmtree(self.dir + "/o", ignore_errors=True)


class LongFirstSchema(ByHand):
    """All of the same."""
    version = "3"


class Ranks(Case):
    """More databases than a connection could attach, and than the process may have files open."""
    COUNT = 40
    OPEN = 30  # of which a conversion needs some twenty for what it writes

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="rocpd-test-")
        cls.addClassCleanup(shutil.rmtree, cls.made)
        for i in range(cls.COUNT):
            make(f"{cls.made}/{i:03}.db", f"00000000-0000-7000-8000-{i + 1:012}", 5000 + i, shift=10000 * i)

    def ask(self, files, sql, *options):
        self.run_it("query", "-i", files, "--query", sql, "--format", "csv", "-o", "it", "-d", "o", *options)
        with open(self.dir + "/o/it.csv", newline="") as f:
            return [tuple(map(int, row)) for row in list(csv.reader(f))[1:]]

    def test_read_together(self):
        sql = "SELECT pid, start FROM kernels ORDER BY start"
        kernels = [(5000 + i, 3000 + 10000 * i) for i in range(self.COUNT)]
        self.assertEqual(self.ask(self.made, sql), kernels)
        self.assertEqual(self.ask(self.made, sql, "--start", "200000"), kernels[20:])
        more = [f"{self.made}/{i:03}.db" for i in range(11)]  # than one connection could attach
        self.run_it("merge", "-i", *more, "-o", "all", "-d", "o")
        self.assertEqual(self.ask("o/all.db", sql), kernels[:11])
        said = self.run_it("summary", "-i", *more).stdout
        self.assertRegex(said, r"(?m)^add\(float\*, int\) +11 +5500 ")

    def test_one_after_another(self):
        """Whoever reads many databases has few of them open at once."""
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.OPEN, self.OPEN))
        made = [f"{self.made}/{i:03}.db" for i in range(self.OPEN)]
        for words in (("query", "--query", "SELECT COUNT(*) FROM regions"), ("summary",), ("merge", "-o", "all"),
                      ("convert", "-f", "csv", "pftrace"), *([command] for command in ("findings", "digest", "report"))):
            theirs = len(words) == 1 and words[0] != "summary"
            command = [ROCPROFV3, *words, *made] if theirs else [ROCPD, *words, "-i", *made]
            done = subprocess.run(command, capture_output=True, text=True, cwd=self.dir, timeout=240, preexec_fn=few)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)

    def test_converted(self):
        """Each becomes the same as alone."""
        self.run_it("convert", "-i", self.made, "-f", "json", "pftrace", "-d", "o")
        for i in (0, 27):
            self.run_it("convert", "-i", f"{self.made}/{i:03}.db", "-f", "json", "-d", f"one{i}")
            with open(f"{self.dir}/o/out_results_{i}.json") as many, \
                    open(f"{self.dir}/one{i}/out_results.json") as one:
                self.assertEqual(many.read(), one.read())
        self.assertEqual(len(os.listdir(self.dir + "/o")), self.COUNT + 1)


class Real(Case):
    @classmethod
    def setUpClass(cls):
        made = tempfile.mkdtemp(prefix="rocpd-test-")
        cls.addClassCleanup(shutil.rmtree, made)
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-s", "--pmc", "SQ_WAVES", "-f", "rocpd", "json",
                               "pftrace", "-d", made, "-o", "own", "--", PROGRAM], capture_output=True,
                              text=True, timeout=120)
        if done.returncode:
            raise AssertionError(done.stderr)
        (cls.base,) = glob.glob(made + "/**/own_results.db", recursive=True)

    def document(self, path):
        with open(path) as f:
            (one,) = json.load(f)["rocprofiler-sdk-tool"]
        kinds = one["strings"]["buffer_records"]
        for records in one["buffer_records"].values():
            for r in records: # numbers of operations are a file's own
                r["operation"] = kinds[r["kind"]]["operations"][r["operation"]]
                r.pop("retval", None) # not in databases
        return one

    def test_json_is_what_rocprofv3_writes(self):
        self.run_it("convert", "-i", self.base, "-f", "json", "-d", "o")
        own = self.document(os.path.dirname(self.base) + "/own_results.json")
        again = self.document(self.dir + "/o/out_results.json")
        for section in ("kernel_dispatch", "hip_api", "hsa_api", "memory_copy"):
            self.assertEqual(again["buffer_records"][section], own["buffer_records"][section], section)
        times = [[(r["start_timestamp"], r["operation"]) for r in d["buffer_records"]["marker_api"]
                  if r["start_timestamp"] < r["end_timestamp"]] for d in (own, again)]
        self.assertEqual(times[0], times[1])
        given = [[(r["start_timestamp"], r["operation"], r["allocation_size"], r["address"])
                  for r in d["buffer_records"]["memory_allocation"] if "FREE" not in r["operation"]]
                 for d in (own, again)]
        self.assertEqual(given[0], given[1])
        self.assertEqual(again["kernel_symbols"], own["kernel_symbols"])
        self.assertEqual(again["strings"]["marker_api"], own["strings"]["marker_api"])
        self.assertEqual(again["callback_records"], own["callback_records"])

    def test_many_become_one(self):
        copy = os.path.join(self.dir, "two.db")
        make(copy)
        self.run_it("convert", "-i", self.base, copy, "-f", "pftrace", "-d", "o")
        own = os.path.getsize(os.path.dirname(self.base) + "/own_results.pftrace")
        self.assertGreater(os.path.getsize(self.dir + "/o/out_results.pftrace"), own * 0.9)
        self.assertEqual(os.listdir(self.dir + "/o"), ["out_results.pftrace"])

    def test_one_archive(self):
        if "otf2" not in self.run_it("convert", "--help").stdout or not shutil.which("otf2-print"):
            self.skipTest("built without libotf2, or no otf2-print")
        copy = os.path.join(self.dir, "two.db")
        make(copy)
        self.run_it("convert", "-i", self.base, copy, "-f", "otf2", "-d", "o")
        said = subprocess.run(["otf2-print", "-G", self.dir + "/o/out_results.otf2"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        nodes = re.findall(r'^SYSTEM_TREE_NODE +\d+ +Name: "(.*?)"', said.stdout, re.M)
        self.assertEqual(sorted(nodes), sorted(["app", PROGRAM]))
        self.assertIn('"Thread 4711, Compute on GPU Agent-1, Queue 1"', said.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=2)
