#!/usr/bin/env python3
"""rocprofv3 check and rocprofv3 diff on databases made by hand, whose answers are known.

usage: check.py ROCPROFV3 SCHEMA HELPERS [unittest arguments]
HELPERS: the folder of database.py
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROCPROFV3, SCHEMA, HELPERS = sys.argv[1:4]
sys.path.insert(0, HELPERS)
from database import Database  # noqa: E402

HOSTILE = 'k<"a&b">\x01|`x`\nnext'


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="budget-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def database(self, name="run.db", **more):
        return Database(self.path(name), SCHEMA, **more)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def run_it(self, *words, status=0):
        done = subprocess.run([ROCPROFV3, *words], capture_output=True, timeout=60, cwd=self.dir, check=False)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def cases(self, text, **counts):
        """(class, name, outcome, message) of a JUnit file that has the elements and attributes of the schema that
        CI systems read."""
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(root.tag, "testsuites")
        (suite,) = root
        self.assertEqual((suite.tag, set(suite.attrib)),
                         ("testsuite", {"name", "tests", "failures", "errors", "skipped", "time"}))
        found = []
        for case in suite:
            self.assertEqual((case.tag, set(case.attrib)), ("testcase", {"classname", "name", "time"}))
            outcome, message = "passed", ""
            for child in case:
                self.assertIn(child.tag, ("failure", "error"))
                self.assertEqual(set(child.attrib), {"message", "type"})
                outcome, message = child.tag, child.get("message")
            found.append((case.get("classname"), case.get("name"), outcome, message))
        for outcome, attribute in (("failure", "failures"), ("error", "errors")):
            self.assertEqual(int(suite.get(attribute)), sum(c[2] == outcome for c in found))
        self.assertEqual(int(suite.get("tests")), len(found))
        for key, value in counts.items():
            self.assertEqual(int(suite.get(key)), value)
        return found


class Check(Case):
    def setUp(self):
        super().setUp()
        db = self.database()
        for i in range(2):
            db.dispatch("void mul<float>(float*)", i * 2000, i * 2000 + 1000 + i, vgprs=40, agprs=8, lds=4096, group=256,
                        symbol="_Z3mulIfEvPT_", grid=1024,
                        counters={"SQ_WAVES": 16, "SQ_INSTS_VALU": 100 + i, "LDSBankConflict": 0.5,
                                  "TCC_HIT_sum": 1000 + 50 * i, "GRBM_GUI_ACTIVE": 9000})
        db.dispatch("add(int*)", 9000, 9500, scratch=64)
        db.close()

    def check(self, text, *options, status=0, **more):
        self.write("b.yaml", text)
        return self.run_it("check", "b.yaml", "run.db", *options, status=status, **more)

    def test_kept(self):
        done = self.check("mul*: {SQ_WAVES: 16, SQ_INSTS_VALU: <= 101, LDSBankConflict: <= 1 %, vgprs: '<= 40',\n"
                          "  agprs: 8, lds: <= 4 KiB, scratch: 0, dispatches: 2, workgroup: 256, grid: 1024,\n"
                          "  occupancy: '>= 8', total(SQ_INSTS_VALU): 201, mean(SQ_INSTS_VALU): 100.5,\n"
                          "  time: <= 1.01 us, sgprs: <= 16, TCC_HIT_sum: 1000 .. 1050}\n"
                          "/^add/: {scratch: 64, dispatches: '== 1'}\n")
        self.assertEqual(done.stdout.splitlines()[-1], "18 kept, 0 broken, 0 not checked")
        self.assertEqual(done.stderr, "")

    def test_occupancy_of_waves_of_two_sizes(self):
        """128 registers of gfx1030's 1024 (waves of 32) or 512 (of 64); 40000 bytes of LDS three times in a pair of units, once in
        one: three groups of eight waves on four SIMDs, or one on two."""
        for number, (facts, lds, waves) in enumerate((({"wave_size": 32, "wgp_mode": 1}, 0, 8), ({"wave_size": 64, "wgp_mode": 1}, 0, 4),
                                                      ({"wave_size": 32, "wgp_mode": 1}, 40000, 6), ({"wave_size": 32, "wgp_mode": 0}, 40000, 4),
                                                      ({}, 0, None), ({"wave_size": 48, "wgp_mode": 1}, 0, None))):
            name = f"{number}.db"
            db = self.database(name, gpu="gfx1030")
            db.dispatch("k(int*)", 0, 1000, group=256, lds=lds, vgprs=32 if lds else 128, facts=facts)
            db.close()
            self.write("b.yaml", f"k: {{occupancy: {waves or 1}}}")
            done = self.run_it("check", "b.yaml", name, status=0 if waves else 2)
            self.assertEqual(done.stdout.splitlines()[-1], "1 kept, 0 broken, 0 not checked" if waves else "0 kept, 0 broken, 1 not checked")
            self.assertEqual("the occupancy of gfx1030 is not known: the database lacks the size of the kernel's waves"
                             in done.stdout + done.stderr, waves is None)

    def test_text(self):
        done = self.check("mul*: {SQ_INSTS_VALU: <= 100, vgprs: <= 64}\nadd*: {scratch: 0}\n", status=1)
        self.assertEqual(done.stdout,
                         "Kernel  Quantity       Class  Limit        Value  Result\n"
                         "mul     SQ_INSTS_VALU  exact  <= 100  100 .. 101  BROKEN\n"
                         "mul     vgprs          exact  <= 64           40  ok\n"
                         "add     scratch        exact  0             64 B  BROKEN\n"
                         "1 kept, 2 broken, 0 not checked\n")

    def test_markdown(self):
        done = self.check("mul*: {SQ_INSTS_VALU: <= 100}\n", "--format", "md", status=1)
        self.assertEqual(done.stdout, "## b.yaml\n\n| Kernel | Quantity | Class | Limit | Value | Result |\n"
                         "|---|---|---|---|---:|---|\n"
                         "| mul | SQ\\_INSTS\\_VALU | exact | &lt;= 100 | 100 .. 101 | BROKEN |\n\n"
                         "0 kept, 1 broken, 0 not checked\n")

    def test_junit(self):
        text = "mul*:\n  SQ_INSTS_VALU: <= 100\n  vgprs: <= 64\n  TCC_MISS_sum: 0\n"
        done = self.check(text, "--format", "junit", status=1)
        name = "void mul<float>(float*)"
        expected = [(name, "SQ_INSTS_VALU <= 100", "failure",
                     "b.yaml:2:18: SQ_INSTS_VALU is 100 .. 101, the budget says <= 100"),
                    (name, "vgprs <= 64", "passed", ""),
                    (name, "TCC_MISS_sum 0", "error",
                     "b.yaml:4:17: TCC_MISS_sum: not collected: --pmc TCC_MISS_sum")]
        self.assertEqual(self.cases(done.stdout, tests=3, failures=1, errors=1), expected)
        # to a file: the text is on standard output, what is wrong on standard error
        done = self.check(text, "--format", "junit", "-o", "out/r.xml", status=1)
        self.assertEqual(self.cases(self.read("out/r.xml")), expected)
        self.assertIn("1 kept, 1 broken, 1 not checked", done.stdout)
        self.assertIn("b.yaml:2:18: SQ_INSTS_VALU is", done.stderr)

    def test_tolerance(self):
        """Of models alone: exact values are kept to strictly."""
        for rule, status in (("TCC_HIT_sum: '<= 1000 ± 5 %'", 0), ("TCC_HIT_sum: '<= 1000 +- 4.9 %'", 1),
                             ("TCC_HIT_sum: <= 1000", 1), ("GRBM_GUI_ACTIVE: 8600 ± 5 %", 0),
                             ("GRBM_GUI_ACTIVE: 8500 ± 5 %", 1)):
            self.check(f"mul*: {{{rule}}}\n", status=status)
        self.check("tolerance: 5 %\nmul*: {TCC_HIT_sum: <= 1000}\n")
        self.check("tolerance: 5 %\nmul*: {TCC_HIT_sum: '<= 1000 ± 1 %'}\n", status=1)
        self.check("tolerance: 5 %\nmul*: {SQ_INSTS_VALU: <= 100}\n", status=1)
        done = self.check("mul*: {SQ_INSTS_VALU: <= 100 ± 5 %}\n", status=2)
        self.assertIn("it is exact", done.stdout)

    def test_classes(self):
        done = self.check("mul*: {SQ_WAVES: 1, TCC_HIT_sum: 1, GRBM_GUI_ACTIVE: 1, time: 1 ns}\n", status=1)
        self.assertEqual([line.split("  ")[2:] and line.split()[2] for line in done.stdout.splitlines()[1:-1]],
                         ["exact", "cache", "timing", "measured"])

    def test_cannot_be_checked(self):
        for text, why in (("mul*: {TCC_MISS_sum: 0}\n", "not collected: --pmc TCC_MISS_sum"),
                          ("mul*: {tcc_hit_sum: 0}\n", "no such quantity; did you mean TCC_HIT_sum?"),
                          ("nothing*: {vgprs: 0}\n", "no kernel of the run is called so"),
                          ("mul*: {vgprs: 1 ms}\n", "the unit 'ms' does not fit"),
                          ("mul*: {time: 1 %}\n", "the unit '%' does not fit")):
            done = self.check(text, status=2)
            self.assertIn("not checked: " + why, done.stdout)
        # what is broken is broken, whatever else there is
        self.check("mul*: {vgprs: 0}\nnothing*: {vgprs: 0}\n", status=1)

    def test_losses(self):
        db = self.database("lost.db", metadata={"records_dropped": 3, "names_lost": 0})
        db.dispatch("add(int*)")
        db.close()
        self.write("b.yaml", "add*: {dispatches: 1}\n")
        done = self.run_it("check", "b.yaml", "lost.db", status=2)
        self.assertIn("the run lost 3 records", done.stderr)
        self.assertIn("1 kept, 0 broken, 1 not checked", done.stdout)
        self.run_it("check", "--update", "b.yaml", "lost.db", status=2)

    def test_wrong_words(self):
        self.assertIn("b.yaml:2:7: '<= x': a rule is", self.check("mul*:\n  SQ: <= x\n", status=2).stderr)
        self.assertIn("--format csv: known are text md junit", self.check("a: {v: 1}\n", "--format", "csv",
                                                                         status=2).stderr)
        self.assertIn("No such file", self.run_it("check", "none.yaml", "run.db", status=2).stderr)
        self.assertIn("No such file", self.run_it("check", "b.yaml", "none.db", status=2).stderr)
        self.assertIn("Usage:", self.run_it("check", status=2).stderr)
        self.write("not.db", "text")
        self.run_it("check", "b.yaml", "not.db", status=2)

    def test_two_processes(self):
        """Dispatches are those of each process."""
        db = self.database("more/two.db", pid=8) if os.makedirs(self.path("more")) is None else None
        db.dispatch("add(int*)")
        db.dispatch("add(int*)")
        db.close()
        shutil.copy(self.path("run.db"), self.path("more/run.db"))
        self.write("b.yaml", "add*: {dispatches: 1 .. 2, total(dispatches): 3}\n")
        self.run_it("check", "b.yaml", "more")
        self.write("b.yaml", "add*: {dispatches: 2}\n")
        self.run_it("check", "b.yaml", "more", status=1)

    def test_real_gpu(self):
        """Its counters are measured: a tolerance means something."""
        db = self.database("real.db", soft=False)
        db.dispatch("add(int*)", counters={"SQ_INSTS_VALU": 105})
        db.close()
        self.write("b.yaml", "add*: {SQ_INSTS_VALU: 100 ± 5 %}\n")
        self.assertIn("measured", self.run_it("check", "b.yaml", "real.db").stdout)

    def test_counts_of_instructions(self):
        """By dispatch; exact, but for what models make of them."""
        db = self.database("counted.db")
        db.dispatch("add(int*)")
        db.dispatch("add(int*)")
        db.counted("add(int*)", [{"issued": 10, "bytes": 4096, "l1_hits": 7, "wait_lds": 3}, {"issued": 30, "bytes": 0}],
                   dispatches=2)
        db.close()
        self.write("b.yaml", "add*: {instructions.issued: 20, total(instructions.issued): 40, mean(instructions.issued): 20,"
                             " instructions.bytes: 2 KiB, instructions.l1_hits: <= 3.5, instructions.wait_lds: <= 1.5}\n")
        said = self.run_it("check", "b.yaml", "counted.db").stdout
        self.assertEqual(re.findall(r"exact|cache model|timing model", said), ["exact"] * 4 + ["cache model", "timing model"])
        self.write("b.yaml", "mul*: {instructions.issued: 20}\n")
        self.assertIn("not collected: --instruction-counts", self.run_it("check", "b.yaml", "run.db", status=2).stdout)
        db = self.database("gaps.db")
        db.dispatch("mul(int*)")
        db.counted("mul(int*)", [{"issued": 20}], lost=1)
        db.close()
        self.assertIn("counts of instructions of 1 dispatches", self.run_it("check", "b.yaml", "gaps.db", status=2).stderr)

    def test_hostile_names(self):
        db = self.database("hostile.db")
        db.dispatch(HOSTILE)
        db.dispatch("k(int)", symbol="_Z1ki") # so that the other is shown whole
        db.close()
        self.write("b.yaml", "k*: {vgprs: 1}\n")
        text = self.run_it("check", "b.yaml", "hostile.db", status=1).stdout
        self.assertNotIn("\x01", text)
        self.assertEqual(len(text.splitlines()), 4)
        markdown = self.run_it("check", "b.yaml", "hostile.db", "-f", "md", status=1).stdout
        self.assertIn('k&lt;"a&b">?\\|\\`x\\`?next', markdown)
        cases = self.cases(self.run_it("check", "b.yaml", "hostile.db", "-f", "junit", status=1).stdout)
        self.assertEqual({c[0] for c in cases}, {"k(int)", HOSTILE.replace("\x01", "\ufffd")})

    # ---- --update

    def test_update_keeps_comments(self):
        before = ("# limits of ours ±\ntolerance: 5 %   # of models\n\n'mul*': {SQ_INSTS_VALU: \"<= 1\", # bits\n"
                  "  vgprs: <= 40, TCC_HIT_sum: '>= 7 ± 3 %', lds: 1 KiB}\nadd*:   \n    scratch: 0 # none\n")
        self.write("b.yaml", before)
        self.assertEqual(self.run_it("check", "--update", "b.yaml", "run.db").stdout, "b.yaml: 4 of 5 rules changed\n")
        self.assertEqual(self.read("b.yaml"),
                         "# limits of ours ±\ntolerance: 5 %   # of models\n\n'mul*': {SQ_INSTS_VALU: \"<= 101\", # bits\n"
                         "  vgprs: <= 40, TCC_HIT_sum: \">= 1000 ± 3 %\", lds: \"4 KiB\"}\nadd*:   \n"
                         "    scratch: 64 # none\n")
        self.run_it("check", "b.yaml", "run.db")

    def test_update_is_whole_or_not(self):
        before = "mul*: {SQ_INSTS_VALU: <= 1, TCC_MISS_sum: 0}\nnothing*: {vgprs: 1}\n"
        self.write("b.yaml", before)
        done = self.run_it("check", "--update", "b.yaml", "run.db", status=2)
        self.assertIn("b.yaml:1:43: TCC_MISS_sum of mul: not collected", done.stderr)
        self.assertIn("b.yaml:2:1: no kernel of the run is called so", done.stderr)
        self.assertEqual(self.read("b.yaml"), before)

    def test_update_makes(self):
        db = self.database("odd.db", pid=9)
        db.dispatch("k[1](int*)", counters={"L2CacheHit": 66.6})
        db.dispatch('q"\\<x>', vgprs=9)
        db.dispatch("__amd_rocclr_copyBuffer")
        db.close()
        self.run_it("check", "--update", "new.yaml", "odd.db", "run.db")
        text = self.read("new.yaml")
        self.assertNotIn("rocclr", text)
        self.assertIn('\n"mul":\n', text)
        self.assertIn('  SQ_INSTS_VALU: "<= 101"\n', text)
        self.assertIn('  TCC_HIT_sum: ">= 1000 ± 10 %"\n', text)
        self.assertIn('  L2CacheHit: ">= 66.6 ± 10 %"\n', text)
        self.assertNotIn("time", text)
        self.assertIn(", 0 broken, 0 not checked", self.run_it("check", "new.yaml", "odd.db", "run.db").stdout)


class Diff(Case):
    def runs(self, change=None, **more):
        for name in ("a.db", "b.db"):
            db = self.database(name)
            new = name == "b.db"
            values = {"SQ_INSTS_VALU": 100, "TCC_HIT_sum": 1000, "SQ_WAVES": 4}
            if new:
                values.update(change or {})
            db.dispatch("mul(float*)", 0, 9000, counters=values)
            db.dispatch("add(int*)", 10000, 11500 if new else 11000, **(more if new else {}))
            db.close()

    def test_same(self):
        self.runs()
        self.assertEqual(self.run_it("diff", "a.db", "b.db").stdout,
                         "2 kernels the same, 0 differences, 0 not compared\n")

    def test_differences(self):
        self.runs({"SQ_INSTS_VALU": 101, "SQ_WAVES": 8}, vgprs=16)
        self.assertEqual(self.run_it("diff", "a.db", "b.db", status=1).stdout,
                         "Kernel  Quantity       Class  Before  After  Change\n"
                         "mul     SQ_WAVES       exact       4      8  +100 %\n"
                         "add     vgprs          exact       8     16  +100 %\n"
                         "mul     SQ_INSTS_VALU  exact     100    101    +1 %\n"
                         "0 kernels the same, 3 differences, 0 not compared\n")

    def test_models(self):
        self.runs({"TCC_HIT_sum": 1099})
        self.run_it("diff", "a.db", "b.db")
        self.assertIn("TCC_HIT_sum", self.run_it("diff", "-t", "9", "a.db", "b.db", status=1).stdout)
        self.assertIn("time", self.run_it("diff", "--times", "a.db", "b.db", status=1).stdout)

    def test_kernels_and_values_of_one(self):
        self.runs()
        db = self.database("c.db")
        db.dispatch("mul(float*)", 0, 9000, counters={"SQ_INSTS_VALU": 100, "SQ_WAVES": 4})
        db.dispatch("new(int*)", 0, 1000)
        db.close()
        done = self.run_it("diff", "a.db", "c.db", status=1)
        self.assertEqual([line.split() for line in done.stdout.splitlines()[1:]],
                         ["add kernel there not there".split(), "new kernel not there there".split(),
                          "mul TCC_HIT_sum cache model 1,000 not collected".split(),
                          "0 kernels the same, 2 differences, 1 not compared".split()])
        done = self.run_it("diff", "a.db", "c.db", "--format", "junit", status=1)
        self.assertEqual([c[:3] for c in self.cases(done.stdout)],
                         [("add(int*)", "kernel", "failure"), ("new(int*)", "kernel", "failure"),
                          ("mul(float*)", "TCC_HIT_sum", "error")])

    def test_spread(self):
        """The mean is the same, the values are not."""
        for name, values in (("a.db", (4, 4)), ("b.db", (2, 6))):
            db = self.database(name)
            for value in values:
                db.dispatch("k(int*)", counters={"SQ_WAVES": value})
            db.close()
        line = self.run_it("diff", "a.db", "b.db", status=1).stdout.splitlines()[1]
        self.assertEqual(line.split(), "k SQ_WAVES exact 4 4 (2 .. 6) spread".split())

    def test_trouble(self):
        self.runs()
        self.run_it("diff", "a.db", status=2)
        self.run_it("diff", "a.db", "none", status=2)
        self.run_it("diff", "a.db", "b.db", "-t", "x", status=2)
        db = self.database("lost.db", metadata={"records_dropped": 1})
        db.dispatch("mul(float*)")
        db.close()
        self.run_it("diff", "lost.db", "lost.db", status=2)

    def test_markdown(self):
        self.runs({"SQ_WAVES": 8})
        self.assertIn("| mul | SQ\\_WAVES | exact | 4 | 8 | +100 % |\n",
                      self.run_it("diff", "a.db", "b.db", "-f", "md", status=1).stdout)


unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
