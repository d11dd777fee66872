#!/usr/bin/env python3
"""rocprofv3 --pmc over the fake SDK: values, passes, filters, input files, variables, what is refused.

usage: pmc.py ROCPROFV3 TOOL_LIBRARY FAKE_SDK EMPTY_LIBRARY SUBJECT [unittest arguments]
"""
import csv
import os
import re
import shutil
import subprocess
import sys
import unittest

import whole
from whole import ROCPROFV3, SUBJECT


class Counters(whole.Case):
    """Counters of the fake SDK: of counter c in instance i of dispatch d, 1000 d + 100 c + i."""

    IDS = {"SQ_WAVES": 1, "SQ_INSTS_VALU": 2, "SQ_INSTS_SALU": 3, "GRBM_COUNT": 4, "Half": 5}

    def expected(self, counters, dispatches):
        rows = []
        for d in dispatches:
            for name in sorted(counters, key=self.IDS.get):
                c = self.IDS[name]
                places = 4 if c < 4 else 1
                value = sum(1000 * d + 100 * c + i for i in range(places))
                rows.append((str(d), name, f"{value:.6f}"))
        return rows

    def got(self, where=""):
        with open(f"{self.out}/{where}x_counter_collection.csv", newline="") as f:
            return [(r["Dispatch_Id"], r["Counter_Name"], r["Counter_Value"])
                    for r in csv.DictReader(f)]

    def count(self, *options, dispatches="4", **more):
        return self.run_it("-o", "x", *options, program=(SUBJECT, "dispatches", dispatches), **more)

    def test_whole_file(self):
        done = self.count("--pmc", "GRBM_COUNT,SQ_WAVES", dispatches="2")
        self.assertEqual(self.counts(done.stderr), [(2, 2, 0, 0)])
        line = '%d,%d,"Agent 1",3,PID,PID,4096,%d,"%s",128,512,16,%d,%d,%d,"%s",%d.000000,%d,%d\n'
        one, two = (1, 1, 7, "vectoradd(float*, float const*, float const*, int)", 28, 7, 112), (
            2, 2, 8, "void ns::reduce<double>(double*)", 32, 8, 128)
        self.assertEqual(
            re.sub(r'",3,\d+,\d+,', '",3,PID,PID,', self.text("counter_collection.csv")),
            '"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id",'
            '"Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size",'
            '"Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name",'
            '"Counter_Value","Start_Timestamp","End_Timestamp"\n' +
            line % (*one, "SQ_WAVES", 4406, 1000100, 1000150) +
            line % (*one, "GRBM_COUNT", 1400, 1000100, 1000150) +
            line % (*two, "SQ_WAVES", 8406, 1000200, 1000250) +
            line % (*two, "GRBM_COUNT", 2400, 1000200, 1000250))
        self.assertEqual(self.files(), ["x_agent_info.csv", "x_counter_collection.csv", "x_counter_collection_wide.csv"])

    def test_passes(self):
        done = self.count("--pmc", "SQ_WAVES", "SQ_INSTS_VALU", "--pmc", "SQ_INSTS_SALU", "GRBM_COUNT")
        self.assertEqual(self.got("pass_1/"), self.expected(("SQ_WAVES", "SQ_INSTS_VALU"), range(1, 5)))
        self.assertEqual(self.got("pass_2/"), self.expected(("SQ_INSTS_SALU", "GRBM_COUNT"), range(1, 5)))
        self.assertIn("rocprofv3: run 2 of 2: pass_2\n", done.stderr)
        self.assertEqual(sorted(os.listdir(self.out)), ["pass_1", "pass_2"])

    def test_filters(self):
        for options, dispatches in (
                (("--kernel-include-regex", "reduce<double>"), (2, 4, 6, 8)),
                (("--kernel-exclude-regex", "^vector"), (2, 4, 6, 8)),
                (("--kernel-include-regex", r"\w+<.*?>(?!\d)"), (2, 4, 6, 8)),
                (("--kernel-include-regex", "e", "--kernel-exclude-regex", "reduce"), (1, 3, 5, 7)),
                (("--kernel-iteration-range", "[1-2],[4]"), (1, 2, 3, 4, 7, 8)),
                (("--kernel-iteration-range", "2", "3", "--kernel-include-regex", "add"), (3, 5)),
                (("-M", "--kernel-include-regex", "^_Z9"), (1, 3, 5, 7)),
                (("-T", "--kernel-include-regex", "^reduce$"), (2, 4, 6, 8))):
            with self.subTest(options):
                shutil.rmtree(self.out, ignore_errors=True)
                done = self.count("--pmc", "SQ_WAVES", *options, dispatches="8")
                self.assertEqual(self.got(), self.expected(("SQ_WAVES",), dispatches))
                n = len(dispatches)
                self.assertEqual(self.counts(done.stderr), [(8, n, 0, 8 - n)])

    def test_nothing_to_summarise(self):
        done = self.count("--pmc", "SQ_WAVES", "-S")
        self.assertEqual(done.stderr.count("there is nothing to summarise"), 1, done.stderr)
        done = self.count("--pmc", "SQ_WAVES", "--kernel-trace", "-S")
        self.assertNotIn("nothing to summarise", done.stderr)

    def test_nothing_selected(self):
        done = self.count("--pmc", "SQ_WAVES", "--kernel-include-regex", "absent")
        self.assertEqual(self.counts(done.stderr), [(4, 0, 0, 4)])
        self.assertEqual(self.files(), [])

    def test_beside_a_trace(self):
        self.count("--pmc", "SQ_WAVES", "--kernel-trace", "--stats", "-S")
        self.assertEqual(self.got(), self.expected(("SQ_WAVES",), range(1, 5)))
        self.assertEqual([r["Dispatch_Id"] for r in self.rows("kernel_trace")], list("1234"))
        self.assertEqual([r["Name"] for r in self.rows("domain_stats")], ["KERNEL_DISPATCH"])

    def write(self, name, text):
        with open(f"{self.dir}/{name}", "w") as f:
            f.write(text)
        return f"{self.dir}/{name}"

    def test_text_file(self):
        path = self.write("i.txt", "\ufeffpmc : SQ_WAVES GRBM_COUNT\r\nkernel: x\n# two\ngpu:\nrange: \r\npmc: SQ_INSTS_VALU\n")
        done = self.count("-i", path)
        self.assertEqual(done.stderr.count("no effect"), 1, done.stderr)
        self.assertEqual(done.stderr.count("i.txt:2: 'kernel:' has no effect here: see --kernel-include-regex"),
                         1, done.stderr)
        self.assertEqual(self.got("pmc_1/"), self.expected(("SQ_WAVES", "GRBM_COUNT"), range(1, 5)))
        self.assertEqual(self.got("pmc_2/"), self.expected(("SQ_INSTS_VALU",), range(1, 5)))

    def test_yaml_and_json_files(self):
        yaml = self.write("i.yaml", """jobs:
  - pmc: [SQ_WAVES]
    kernel_include_regex: add
    truncate_kernels: true
  - kernel_trace: true
""")
        json = self.write("i.json", """{"jobs": [
  {"pmc": ["SQ_WAVES"], "kernel_include_regex": "add", "truncate_kernels": true},
  {"kernel_trace": true}]}
""")
        for path in (yaml, json):
            shutil.rmtree(self.out, ignore_errors=True)
            self.count("-i", path)
            self.assertEqual(self.got("pass_1/"), self.expected(("SQ_WAVES",), (1, 3)))
            self.assertEqual(self.files(), ["pass_1/x_agent_info.csv", "pass_1/x_counter_collection.csv",
                                            "pass_1/x_counter_collection_wide.csv",
                                            "pass_2/x_agent_info.csv", "pass_2/x_kernel_trace.csv"])
            self.assertEqual({r["Kernel_Name"] for r in self.rows("counter_collection")}, {"vectoradd"})
            self.assertNotIn("vectoradd", {r["Kernel_Name"] for r in self.rows("kernel_trace")})

    def test_groups_take_turns(self):
        path = self.write("i.yml", "jobs:\n  - pmc_groups: [[SQ_WAVES], [GRBM_COUNT, SQ_INSTS_VALU]]\n"
                                   "    pmc_group_interval: 2\n    output_file: x\n")
        self.run_it("-i", path, program=(SUBJECT, "dispatches", "6"))
        self.assertEqual(self.got(), self.expected(("SQ_WAVES",), (1, 2)) +
                         self.expected(("GRBM_COUNT", "SQ_INSTS_VALU"), (3, 4)) +
                         self.expected(("SQ_WAVES",), (5, 6)))

    def test_devices(self):
        self.count("--pmc", "SQ_WAVES:device=0", "GRBM_COUNT")
        self.assertEqual(self.got(), self.expected(("SQ_WAVES", "GRBM_COUNT"), range(1, 5)))

    def test_extra_counters(self):
        path = self.write("extra.yaml", "Half: made up\n")
        done = self.count("--pmc", "Half", status=2)
        self.assertIn("counter 'Half' does not exist", done.stderr)
        self.count("--pmc", "Half", "-E", path)
        self.assertEqual(self.got(), self.expected(("Half",), range(1, 5)))

    COUNT = {"ROCPROF_COUNTER_COLLECTION": "1", "ROCPROF_COUNTERS": "pmc: SQ_WAVES GRBM_COUNT:device=0"}

    def test_environment(self):
        """Variables mean what the options mean that set them; options win."""
        self.count(env=self.COUNT | {"ROCPROF_KERNEL_FILTER_RANGE": "[2]", "ROCPROF_OUTPUT_FORMAT": "CSV"})
        self.assertEqual(self.got(), self.expected(("SQ_WAVES", "GRBM_COUNT"), (3, 4)))
        self.count("--pmc", "SQ_INSTS_VALU", env=self.COUNT)
        self.assertEqual(self.got(), self.expected(("SQ_INSTS_VALU",), range(1, 5)))
        path = self.write("i.yml", "jobs:\n  - pmc_groups: [[SQ_INSTS_VALU], [GRBM_COUNT]]\n")
        self.count("-i", path, env=self.COUNT)
        self.assertEqual(self.got(), [row for d, c in enumerate(("SQ_INSTS_VALU", "GRBM_COUNT") * 2)
                                      for row in self.expected((c,), (d + 1,))])
        shutil.rmtree(self.out)
        self.count(env={"ROCPROF_KERNEL_TRACE": "yes"})
        self.assertEqual(self.files(), ["x_agent_info.csv", "x_kernel_trace.csv"])
        self.count("-r", env={"ROCPROF_KERNEL_TRACE": "0"})
        self.assertTrue(self.rows("kernel_trace"))

    def test_refused_environment(self):
        """All before the program runs, with the variable's name."""
        for variables, text in (
                ({"ROCPROF_OUTPUT_FORMAT": "csv;xls"}, "ROCPROF_OUTPUT_FORMAT=csv;xls: --output-format: 'xls' is none of: csv"),
                ({"ROCPROF_SPM_COUNTER_COLLECTION": "1"}, "but ROCPROF_SPM_COUNTERS names no counters"),
                ({"ROCPROF_PC_SAMPLING_METHOD": "guess"}, "ROCPROF_PC_SAMPLING_METHOD=guess in the environment: "
                 "--pc-sampling-method: 'guess' is none of: stochastic host_trap"),
                ({"ROCPROF_COUNTERS": "SQ_WAVES"}, "'SQ_WAVES': a set of counters begins with pmc:"),
                ({"ROCPROF_COUNTERS": "pmc: Nothing"}, "counter 'Nothing' does not exist"),
                ({"ROCPROF_COUNTERS": ""}, "neither ROCPROF_COUNTERS nor ROCPROF_COUNTER_GROUPS names")):
            with self.subTest(variables):
                done = self.count(env=self.COUNT | variables, status=2)
                self.assertIn(text, done.stderr)
                if "Nothing" not in text:
                    self.assertIn(next(iter(variables)), done.stderr)
                self.assertFalse(os.path.exists(self.out))
        self.count(env=self.COUNT | {"ROCPROF_PC_SAMPLING_METHOD": "none", "ROCPROF_RCCL_API_TRACE": "0"})

    def test_failing_run_stops_the_others(self):
        done = self.run_it("-o", "x", "--pmc", "SQ_WAVES", "--pmc", "GRBM_COUNT",
                           program=(SUBJECT, "dispatches", "2", "9"), status=9)
        self.assertIn("run 1 of 2 ended with 9: the others are left out", done.stderr)
        self.assertEqual(os.listdir(self.out), ["pass_1"])

    def test_refusals(self):
        """All before the program runs."""
        no_turn = self.write("turn.yaml", "jobs:\n  - pmc_groups: [[SQ_WAVES]]\n    pmc_group_interval: 0\n")
        bad_key = self.write("key.yaml", "jobs:\n  - pmc: [SQ_WAVES]\n    pmcs: [A]\n")
        bad_json = self.write("bad.json", '{"jobs": [\n  {"pmc": [1}]}')
        twice = self.write("twice.yaml", "jobs:\n  - output_file: y\n")
        for options, status, text in (
                (("--pmc", "SQ_WAVE"), 2, "counter 'SQ_WAVE' does not exist: did you mean SQ_WAVES?"),
                (("--pmc", "SQ_WAVES", "--pmc", "Nothing"), 2, "counter 'Nothing' does not exist"),
                (("--pmc", "SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU"), 2,
                 "fake: SQ: 3 wanted, 2 available\n"),
                (("--pmc", "SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU"), 2,
                 "GPU 0 (gfx90a): the counters cannot be collected together"),
                (("--pmc", "A!"), 2, "counter 'A!': a name has letters, digits and underscores"),
                (("--pmc", "SQ_WAVES", "--kernel-include-regex", "["), 2, "--kernel-include-regex: '['"),
                (("--pmc", "SQ_WAVES", "--kernel-iteration-range", "0"), 2, "iterations are numbers from 1"),
                (("-i", bad_key), 2, "key.yaml:3:5: unknown key 'pmcs': did you mean pmc?"),
                (("-i", bad_json), 2, "bad.json:2:13: "),
                (("-i", no_turn), 2, "turn.yaml:3:25: --pmc-group-interval: '0': a group's turn is one"),
                (("-i", twice), 2, "twice.yaml:2: --output-file is 'y' here and 'x' on the command line"),
                (("-i", self.dir + "/no.txt"), 2, "no.txt: No such file or directory"),
                (("--pmc", "SQ_WAVES", "-E", "/absent.yaml"), 2, "/absent.yaml: No such file"),
                (("--pmc", "SQ_WAVES", "--stats"), 2, "--stats needs a tracing option")):
            with self.subTest(options):
                shutil.rmtree(self.out, ignore_errors=True)
                done = self.count(*options, status=status)
                self.assertIn(text, done.stderr)
                self.assertFalse(os.path.exists(self.out))

    def test_gpu_without_counters(self):
        """It is traced as any other; counters are refused with its name."""
        gpu = {"FAKE_GPU": "gfx1399"}
        done = self.count("--pmc", "SQ_WAVES", env=gpu, status=2)
        self.assertIn("counter 'SQ_WAVES' does not exist: no counters of gfx1399 are known\n", done.stderr)
        self.assertFalse(os.path.exists(self.out))
        self.count("--kernel-trace", env=gpu)
        self.assertEqual(len(self.rows("kernel_trace")), 4)

    def test_avail_of_the_same_installation(self):
        done = subprocess.run([ROCPROFV3, "--rocm-root", self.root, "--gpu", "soft", "-L"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(
            "GPU:0\nName:gfx90a\n"
            "Counter_Name        :\tSQ_WAVES\n"
            "Description         :\twaves\n"
            "Block               :\tSQ\n"
            "Dimensions          :\tDIMENSION_INSTANCE[0:3]\n"), done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
