#!/usr/bin/env python3
"""rocprofv3 over a real HIP program on the software GPU, with AMD's own runtimes.

usage: hip.py ROCPROFV3 PROGRAM [unittest arguments]
"""
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

os.environ.setdefault("ROCPROF_OUTPUT_FORMAT", "csv")

ROCPROFV3, PROGRAM = sys.argv[1:3]
AVAIL = ROCPROFV3 + "-avail"

N = 4096
XCCS = rf"\tDIMENSION_XCC\[0:{suite_gpu.XCCS - 1}\]" if suite_gpu.XCCS > 1 else ""  # in lists of dimensions
KERNELS = (("void reverse<float>(float const*, float*)",) * 3 +
           ("add(float const*, float const*, float*)",))


class Traced(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-hip-")

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def run_it(self, *options, how=(), status=0, command=None, **variables):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, *options, "--",
                               *(command or (PROGRAM, *how))], env={**os.environ, **variables},
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def tables(self, name):
        """The rows of every file of that name, process by process."""
        tables = []
        for path in sorted(glob.glob(f"{self.dir}/**/*_{name}.csv", recursive=True)):
            with open(path, newline="") as f:
                tables.append(list(csv.DictReader(f)))
        return tables

    def check_kernels(self, rows):
        self.assertEqual(tuple(r["Kernel_Name"] for r in rows), KERNELS)
        for number, row in enumerate(rows):
            add = number == 3
            expected = {"Kind": "KERNEL_DISPATCH", "Agent_Id": "Agent 1", "Dispatch_Id": str(number + 1),
                        "LDS_Block_Size": "0" if add else "512", "Scratch_Size": "0",
                        "Workgroup_Size_X": "256" if add else "128",
                        "Workgroup_Size_Y": "1", "Workgroup_Size_Z": "1", "Grid_Size_X": "4096",
                        "Grid_Size_Y": "1", "Grid_Size_Z": "1"}
            # three dispatches take streams in turn, the last is on the second
            expected["Stream_Id"] = "1212"[number]
            self.assertEqual({k: row[k] for k in expected}, expected)
            self.assertLess(int(row["Start_Timestamp"]), int(row["End_Timestamp"]))

    def test_everything(self):
        done = self.run_it("-s", "--stats", "-S")
        self.assertEqual(done.stdout, "right\n")
        self.assertNotIn("model time", done.stderr)
        self.assertRegex(done.stderr, r"process \d+: (\d+) records received, \1 written, 0 dropped")
        (kernels,), (copies,), (hip,), (hsa,) = (
            self.tables(t + "_trace") for t in ("kernel", "memory_copy", "hip_api", "hsa_api"))
        self.check_kernels(kernels)
        self.assertEqual([(c["Direction"], c["Stream_Id"], c["Source_Agent_Id"],
                           c["Destination_Agent_Id"]) for c in copies],
                         [("MEMORY_COPY_HOST_TO_DEVICE", "1", "Agent 0", "Agent 1"),
                          ("MEMORY_COPY_DEVICE_TO_HOST", "2", "Agent 1", "Agent 0")])
        (allocations,) = self.tables("memory_allocation_trace")
        sizes = [int(a["Allocation_Size"]) for a in allocations if a["Agent_Id"] == "Agent 1"]
        self.assertEqual(sizes.count(N * 4), 3, sizes)
        runtime = [r["Function"] for r in hip if r["Domain"] == "HIP_RUNTIME_API_EXT"]
        self.assertEqual(runtime,
                         ["hipHostMalloc"] + ["hipMalloc"] * 3 + ["hipStreamCreate"] * 2 +
                         ["hipMemcpyAsync", "hipStreamSynchronize"] +
                         ["hipLaunchKernel", "hipStreamSynchronize"] * 3 +
                         ["hipLaunchKernel", "hipMemcpyAsync", "hipStreamSynchronize"])
        self.assertTrue(any(r["Function"] == "hsa_queue_create" for r in hsa))
        # A kernel starts after the call that its correlation id names began, inside a launch.
        calls = {r["Correlation_Id"]: r for r in hip + hsa}
        launches = [r for r in hip if r["Function"] == "hipLaunchKernel"]
        for kernel, launch in zip(kernels, launches):
            call = int(calls[kernel["Correlation_Id"]]["Start_Timestamp"])
            self.assertGreaterEqual(int(kernel["Start_Timestamp"]), call)
            self.assertGreaterEqual(call, int(launch["Start_Timestamp"]))
            self.assertLessEqual(call, int(launch["End_Timestamp"]))
        for rows in (kernels, copies, hip, hsa):
            starts = [int(r["Start_Timestamp"]) for r in rows]
            self.assertEqual(starts, sorted(starts))
        (stats,) = self.tables("kernel_stats")
        self.assertEqual({s["Name"]: s["Calls"] for s in stats}, {KERNELS[0]: "3", KERNELS[3]: "1"})
        (agents,) = self.tables("agent_info")
        self.assertEqual([(a["Agent_Type"], a["Name"] == suite_gpu.ARCH) for a in agents],
                         [("CPU", False), ("GPU", True)])

    def test_kernels_alone(self):
        self.run_it("--kernel-trace", "-T", "-o", "x")
        self.assertEqual([r["Kernel_Name"] for r in self.tables("kernel_trace")[0]],
                         ["reverse"] * 3 + ["add"])
        self.assertEqual(sorted(os.listdir(self.dir)), ["x_agent_info.csv", "x_kernel_trace.csv"])

    def counters(self, name="x", where=""):
        """Values by counter, in the order of dispatches."""
        with open(f"{self.dir}/{where}{name}_counter_collection.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        values = {}
        for row in rows:
            values.setdefault(row["Counter_Name"], []).append(float(row["Counter_Value"]))
        return rows, values

    def test_counters(self):
        """4096 work-items are 64 waves, in 32 work-groups of `reverse` and 16 of `add`."""
        done = self.run_it("--pmc", "SQ_WAVES", "SPI_CSN_WAVE", "SPI_CSN_NUM_THREADGROUPS", "-o", "x")
        self.assertRegex(done.stderr, r"process \d+: 4 records received, 4 written, 0 dropped, 0 filtered")
        self.assertEqual(done.stdout, "right\n")
        rows, values = self.counters()
        self.assertEqual(values, {"SQ_WAVES": [64] * 4, "SPI_CSN_WAVE": [64] * 4,
                                  "SPI_CSN_NUM_THREADGROUPS": [32] * 3 + [16]})
        for number, row in enumerate(rows):
            d = number // 3
            expected = {"Dispatch_Id": str(d + 1), "Agent_Id": "Agent 1", "Kernel_Name": KERNELS[d],
                        "Grid_Size": "4096", "Workgroup_Size": "256" if d == 3 else "128",
                        "LDS_Block_Size": "0" if d == 3 else "512", "Scratch_Size": "0"}
            self.assertEqual({k: row[k] for k in expected}, expected)
            self.assertLess(int(row["Start_Timestamp"]), int(row["End_Timestamp"]))

    def test_passes_agree(self):
        """The same counter in two passes, and a derived one that is made of it."""
        derived = ["Wavefronts"] if suite_gpu.has_metric("Wavefronts") else []
        self.run_it("--pmc", "SQ_WAVES", "SQ_INSTS_VALU", "--pmc", "SQ_WAVES", *derived, "-o", "x",
                    "--kernel-iteration-range", "2-3")
        (_, first), (_, second) = self.counters(where="pass_1/"), self.counters(where="pass_2/")
        self.assertEqual(first["SQ_WAVES"], [64] * 2)
        self.assertEqual(second["SQ_WAVES"], [64] * 2)
        self.assertEqual([second[name] for name in derived], [[64] * 2] * len(derived))
        self.assertEqual(len(set(first["SQ_INSTS_VALU"])), 1)
        self.assertGreater(first["SQ_INSTS_VALU"][0], 64)

    def test_instances(self):
        """What each channel of the L2 has counted is what all have; these programs use no GDS."""
        channels = range(suite_gpu.CHANNELS)
        self.run_it("--pmc", "TCC_REQ_sum", "SQ_INSTS_GDS", *(f"TCC_REQ[{i}]" for i in channels), "-o", "x")
        _, values = self.counters()
        self.assertEqual(values.pop("SQ_INSTS_GDS"), [0] * 4)
        total = values.pop("TCC_REQ_sum")
        self.assertEqual(sorted(values), sorted(f"TCC_REQ[{i}]" for i in channels))
        self.assertEqual([sum(each) for each in zip(*values.values())], total)
        self.assertGreater(min(total), max(values["TCC_REQ[0]"]))
        done = self.run_it("--pmc", "TCC_REQ[32]", status=2)
        self.assertIn("TCC_REQ[32]", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_all_counters(self):
        """However many are asked for, they are of one execution, and what they are alone."""
        listed = subprocess.run([AVAIL, "--gpu", "soft", "list", "--pmc"], capture_output=True,
                                text=True, timeout=60).stdout.split(":\n\n", 1)[1].split()
        for name, words in (("all", ["all"]), ("few", ["SQ_WAVES", "TCP_TOTAL_READ_sum", "SQ_INSTS"])):
            self.run_it("--pmc", *words, "-o", name)
        self.assertFalse(glob.glob(f"{self.dir}/pass_*"))
        self.assertEqual(len(glob.glob(f"{self.dir}/*_counter_collection.csv")), 2)
        _, every = self.counters("all")
        properties = {n for n in listed if n.islower()}
        self.assertEqual(sorted(every), sorted(set(listed) - properties -
                                               {"SQ_ACCUM_PREV", "SQ_ACCUM_PREV_HIRES"}))
        self.assertEqual({len(v) for v in every.values()}, {4})
        for name, values in self.counters("few")[1].items():
            self.assertEqual(every[name], values, name)
        # two names of one event, and what must agree if it was counted at once
        self.assertEqual(every["TCC_EA0_WRREQ"], every[f"{suite_gpu.BELOW_L2}_WRREQ"])
        for hit, miss, all_ in zip(every["TCC_HIT"], every["TCC_MISS"], every["TCC_REQ"]):
            self.assertEqual(hit + miss, all_)
            self.assertGreater(hit * miss, 0)

    def test_model_time(self):
        """Durations of the model: clocks / frequency, the same each time, counted or not; and said so."""
        durations, clock, packet = [], suite_gpu.CLOCK / 1000, int(suite_gpu.PROFILE.get("packet_clocks", 5500))
        for run in ("trace", "again", "count"):
            options = ["--kernel-trace", "-S"] if run != "count" else [
                "--pmc", "GRBM_SPI_BUSY", "SPI_CSN_WAVE"]
            done = self.run_it(*options, "-o", run, SOFTGPU_TIME="model")
            self.assertIn("times of kernels are model time", done.stderr)
            name = "kernel_trace" if run != "count" else "counter_collection"
            with open(f"{self.dir}/{run}_{name}.csv", newline="") as f:
                rows = list(csv.DictReader(f))
            if run == "trace":
                self.assertIn("Kernels of Agent 1 have model time", done.stderr)
                (agents,) = self.tables("agent_info")
                self.assertEqual([a["Model_Name"] for a in agents], ["", f"{suite_gpu.PRODUCT} (model time)"])
            if run == "count":
                for row in rows:
                    if row["Counter_Name"] == "GRBM_SPI_BUSY":
                        self.assertEqual(
                            int((float(row["Counter_Value"]) / suite_gpu.XCCS + packet) / clock),  # all dies' sum
                            int(row["End_Timestamp"]) - int(row["Start_Timestamp"]))
            else:
                times = [(int(r["Start_Timestamp"]), int(r["End_Timestamp"])) for r in rows]
                durations.append([end - start for start, end in times])
                times.sort()
                for (_, end), (start, _) in zip(times, times[1:]):
                    self.assertLessEqual(end, start)
        self.assertEqual(durations[0], durations[1])

    def test_counters_beside_traces(self):
        self.run_it("-s", "--pmc", "SQ_WAVES", "--kernel-include-regex", "^add", "-o", "x")
        self.assertEqual(self.counters()[1], {"SQ_WAVES": [64]})
        self.check_kernels(self.tables("kernel_trace")[0])

    def test_counters_that_do_not_fit(self):
        """Refused with block, wanted, available and a way out; the program does not run."""
        names = ["TCC_HIT", "TCC_MISS", "TCC_READ", "TCC_WRITE", "TCC_REQ"]
        done = self.run_it("--pmc", *names, status=2, SOFTGPU_COUNTERS="0")
        self.assertRegex(done.stderr, r"5 counters of block TCC are wanted, 4 available; 2 passes "
                                      r"would do.*TCC_HIT TCC_MISS TCC_READ TCC_WRITE \| TCC_REQ")
        self.assertEqual((done.stdout, os.listdir(self.dir)), ("", []))
        done = self.run_it("--pmc", "SQ_WAVE", status=2)
        self.assertIn("counter 'SQ_WAVE' does not exist: did you mean SQ_WAVES?", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_absent_gpus_are_passed_over(self):
        done = self.run_it("--pmc", "SQ_WAVES:device=0,device=16384,device=99999999999999999999", "-o", "x")
        for gpu in ("16384", "99999999999999999999"):
            self.assertIn(f"there is no GPU {gpu}: it is passed over", done.stderr)
        self.assertEqual(self.counters()[1], {"SQ_WAVES": [64] * 4})
        done = self.run_it("--pmc", "SQ_WAVES:device=16384", "-o", "none")
        self.assertIn("there is no GPU 16384: it is passed over", done.stderr)

    def test_jobs_that_list(self):
        """A job that only shows what there is needs no program; one that runs a program does."""
        path = f"{self.dir}/jobs.json"
        for jobs, status, said in (('{"list_avail": true}', 0, ""),
                                   ('{"list_avail": true}, {"pmc": ["SQ_WAVES"]}', 2, "no program is given")):
            with self.subTest(jobs):
                os.makedirs(self.dir, exist_ok=True)
                with open(path, "w") as f:
                    f.write(f'{{"jobs": [{jobs}]}}')
                done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-i", path], capture_output=True, text=True,
                                      timeout=60)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn("SQ_WAVES", done.stdout)
                self.assertIn(said, done.stderr)

    def test_counters_of_a_killed_program(self):
        self.run_it("--pmc", "SQ_WAVES", "-o", "x", how=("kill",), status=137)
        self.assertEqual(self.counters()[1], {"SQ_WAVES": [64] * 4})

    def test_ways_out(self):
        """What the program has waited for is recorded, however soon after that it ends: the last of 300 more dispatches, too."""
        for how, status, more in (("_exit", 7, 300), ("abort", 134, 300), ("term", 143, 300), ("kill", 137, 0), ("fault", 134, 0)):
            with self.subTest(how):
                self.run_it("-s", "-o", how, how=(how, *[str(more)][:more]), status=status)
                with open(f"{self.dir}/{how}_kernel_trace.csv", newline="") as f:
                    rows = list(csv.DictReader(f))
                self.check_kernels(rows[:4])
                if more:
                    self.assertEqual(len(rows), 4 + more)

    def test_children_and_exec(self):
        for how in ((PROGRAM, "exec"), ("sh", "-c", f"{PROGRAM}; {PROGRAM}")):
            self.run_it("-r", command=how)
            tables = self.tables("kernel_trace")
            self.assertEqual(len(tables), 2)
            for rows in tables:
                self.check_kernels(rows)
            shutil.rmtree(self.dir)


class Avail(unittest.TestCase):
    def ask(self, *words, status=0, **variables):
        done = subprocess.run([AVAIL, "--gpu", "soft", *words], capture_output=True, text=True,
                              env={**os.environ, **variables}, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_lists(self):
        text = self.ask("list")
        self.assertTrue(text.startswith("GPU                           :\t0\n"
                                        f"Name                          :\t{suite_gpu.ARCH}\n"
                                        "PMC                           :\n\n"), text)
        names = text.split(":\n\n", 1)[1].split()
        self.assertTrue({"SQ_WAVES", "TCC_HIT", "GRBM_COUNT", "MeanOccupancyPerCU"} <= set(names))
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(text, self.ask("list", "--pmc"))
        self.assertEqual(text, self.ask("-d", "0", "list"))
        self.assertIn(f"\ngfx_target_version            :\t{suite_gpu.TARGET}\n", self.ask("list", "--agent"))
        none = "Agents supporting PC Sampling\n\n"  # with ROCr before 6.4
        self.assertIn(self.ask("list", "--pc-sampling"), (none, f"{none}GPU     :\t0\nName    :\t{suite_gpu.ARCH}\n\n\n"))
        self.assertIn("\nPMC                           :\n\n", self.ask("info"))

    def test_details(self):
        name, expression, kind = "Wavefronts", "reduce(SQ_WAVES,sum)", "exact"
        if not suite_gpu.has_metric(name):
            name, expression, kind = ("GPU_UTIL", "100*reduce(GRBM_GUI_ACTIVE,max)/reduce(GRBM_COUNT,max)", "timing-model")
        self.assertRegex(self.ask("info", "--pmc", "SQ_WAVES", name),
                         rf"^GPU:0\nName:{suite_gpu.ARCH}\n"
                         r"Counter_Name        :\tSQ_WAVES\n"
                         r"Description         :\t.+\n"
                         r"Block               :\tSQ\nSPM                 :\tSupported\n"
                         rf"Dimensions          :{XCCS}\tDIMENSION_SHADER_ENGINE\[0:{suite_gpu.ENGINES - 1}\]\tDIMENSION_INSTANCE\[0:0\]\n"
                         r"Class               :\texact\n\n\n"
                         rf"Counter_Name        :\t{name}\n"
                         r"Description         :\t.+\n"
                         rf"Expression          :\t{re.escape(expression)}\n"
                         r"Dimensions          :\tDIMENSION_INSTANCE\[0:0\]\n"
                         rf"Class               :\t{kind}\n\n\n$")
        every = self.ask("info", "--pmc")
        names = self.ask("list").split(":\n\n", 1)[1].split()
        self.assertEqual([line.split("\t")[1] for line in every.splitlines()
                          if line.startswith("Counter_Name ")], names)
        classes = {line.split("\t")[1] for line in every.splitlines() if line.startswith("Class ")}
        self.assertEqual(classes, {"exact", "cache-model", "timing-model", "unavailable"})

    def test_checks(self):
        self.assertEqual(self.ask("pmc-check", "SQ_WAVES", "GRBM_COUNT:device=0"),
                         "Following input counters can be collected together on GPU:0\tSQ_WAVES\t"
                         "GRBM_COUNT\n")
        self.assertEqual(self.ask("pmc-check", "--quiet", "SQ_WAVES"), "")
        self.assertIn("5 counters of block TCC are wanted, 4 available",
                      self.ask("pmc-check", "TCC_HIT", "TCC_MISS", "TCC_READ", "TCC_WRITE", "TCC_REQ",
                               status=1, SOFTGPU_COUNTERS="0"))
        self.assertGreater(len(self.ask("pmc-check", "all").split("\t")), 400)

    def test_refusals(self):
        for words, status, text in (
                (("pmc-check", "sq_waves"), 1, "'sq_waves' does not exist: did you mean SQ_WAVES?"),
                (("info", "--pmc", "Nothing"), 1, "counter 'Nothing' does not exist"),
                (("-d", "4", "list"), 1, "there is no GPU 4: this machine has 1"),
                (("pmc-check", "SQ_WAVES:device=7"), 1, "there is no GPU 7"),
                (("pmc-check", "SQ_WAVES:gpu=0"), 1, "NAME or NAME:device=N[,device=N...] is expected"),
                (("pmc-check",), 2, "needs the names of counters"),
                (("list", "all"), 2, "'all' has no place behind list"),
                (("lists",), 2, "'lists' is none of: list info pmc-check"),
                (("-d", "x", "list"), 2, "--device needs the index of a GPU, not 'x'"),
                (("list", "--pmc=maybe"), 2, "'maybe' is no truth value"),
                (("info", "--agent"), 2, "unknown option '--agent'"),
                (("-E", "/absent.yaml", "list"), 2, "/absent.yaml: No such file or directory")):
            with self.subTest(words):
                self.assertIn(text, self.ask(*words, status=status))

    def test_extra_counters(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write("rocprofiler-sdk:\n  counters-schema-version: 1\n  counters:\n"
                    "    - name: TwiceTheWaves\n      description: two for each\n      properties: []\n"
                    f"      definitions:\n        - architectures: [{suite_gpu.ARCH}]\n"
                    "          expression: 2*reduce(SQ_WAVES,sum)\n")
            f.flush()
            self.assertIn("Expression          :\t2*reduce(SQ_WAVES,sum)\n",
                          self.ask("-E", f.name, "info", "--pmc", "TwiceTheWaves"))
            directory = tempfile.mkdtemp()
            try:
                subprocess.run([ROCPROFV3, "--gpu", "soft", "-E", f.name, "--pmc", "TwiceTheWaves", "-d",
                                directory, "-o", "x", "--", PROGRAM], check=True, timeout=60,
                               capture_output=True)
                with open(directory + "/x_counter_collection.csv", newline="") as counted:
                    self.assertEqual([float(r["Counter_Value"]) for r in csv.DictReader(counted)], [128] * 4)
            finally:
                shutil.rmtree(directory)

    def count_with(self, text, *names, status=0):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "extra.yaml")
            with open(path, "w") as f:
                f.write(text)
            done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-E", path, "--pmc", *names, "-d", directory,
                                   "-o", "x", "--", PROGRAM], timeout=60, capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done.stderr)
            values = []
            if status == 0:
                with open(directory + "/x_counter_collection.csv", newline="") as counted:
                    values = [float(r["Counter_Value"]) for r in csv.DictReader(counted)]
            return done.stderr.replace(os.path.realpath(directory), "DIR"), values

    EXTRA = ("rocprofiler-sdk:\n  counters-schema-version: 1\n  counters:\n"
             "    - name: Good\n      description: one\n      properties: []\n"
             f"      definitions:\n        - architectures: [{suite_gpu.ARCH}]\n"
             "          expression: 3*reduce(SQ_WAVES,sum)\n")

    def test_wrong_extra_counters(self):
        """Told of once, with the file, before the program runs; the others count."""
        errors, values = self.count_with(self.EXTRA + self.EXTRA.split("counters:\n")[-1].replace(
            "Good", "Bad").replace("3*reduce(SQ_WAVES,sum)", "NOT_THERE+1"), "Good")
        self.assertEqual(values, [192] * 4)
        self.assertEqual(errors.count("NOT_THERE"), 2, errors)  # name and expression, one line
        self.assertRegex(errors, r"DIR/extra\.yaml:15:\d+: Bad: .*NOT_THERE")
        errors, _ = self.count_with("a: [b\n", "SQ_WAVES", status=2)
        self.assertRegex(errors, r"^[^\n]*DIR/extra\.yaml:2:1: [^\n]*\n$")

    def test_large_extra_counters(self):
        """More than a variable of the environment holds."""
        self.assertEqual(self.count_with(self.EXTRA + "# fill\n" * 30000, "Good")[1], [192] * 4)

    def test_full_device(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([AVAIL, "--gpu", "soft", "list"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (125, "rocprofv3-avail: error: standard output: No space left on device\n"))

    def test_nothing_asked(self):
        self.assertTrue(self.ask().startswith("Usage: rocprofv3-avail"))
        self.assertEqual(self.ask(), self.ask("--help"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
