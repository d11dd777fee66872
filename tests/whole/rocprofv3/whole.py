#!/usr/bin/env python3
"""rocprofv3 from end to end over the fake SDK: files, counts, exit status, signals, children.

usage: whole.py ROCPROFV3 TOOL_LIBRARY FAKE_SDK EMPTY_LIBRARY SUBJECT [unittest arguments]
"""
import collections
import csv
import glob
import json
import os
import re
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import fake_root

os.environ.setdefault("ROCPROF_OUTPUT_FORMAT", "csv")

ROCPROFV3, TOOL, SDK, EMPTY, SUBJECT = sys.argv[1:6]
HERE = os.path.dirname(os.path.abspath(__file__))


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-test-")
        self.root = self.dir + "/root"
        self.out = self.dir + "/out"
        fake_root.make(self.root, TOOL, SDK, EMPTY)

    def tearDown(self):
        subprocess.run(["chmod", "-R", "u+w", self.dir], check=False)
        shutil.rmtree(self.dir)

    def command(self, *options, program=(SUBJECT,), gpu="soft", output=True):
        where = ["-d", self.out] if output else []
        return [ROCPROFV3, "--rocm-root", self.root, "--gpu", gpu, *where, *options, "--", *program]

    def run_it(self, *options, program=(SUBJECT,), env=None, status=0, cwd=None, **more):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ROCPROF")}
        environment["ROCPROF_OUTPUT_FORMAT"] = "csv"  # what most tests look at
        environment.update(env or {})
        done = subprocess.run(self.command(*options, program=program, **more), env=environment,
                              cwd=cwd or self.dir, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def start(self, *options, program):
        return subprocess.Popen(self.command(*options, program=program), cwd=self.dir, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True)

    def files(self):
        """Names below the output directory, process ids and host name made plain."""
        names = []
        for directory, _, files in os.walk(self.out):
            for name in files:
                path = os.path.relpath(os.path.join(directory, name), self.out)
                path = path.replace(socket.gethostname(), "HOST")
                names.append(re.sub(r"\b\d{2,}(?=[_/-])", "PID", path))
        return sorted(names)

    def rows(self, name):
        found = glob.glob(f"{self.out}/**/*_{name}.csv", recursive=True)
        self.assertEqual(len(found), 1, (name, found, self.files()))
        with open(found[0], newline="") as f:
            return list(csv.DictReader(f))

    def text(self, name):
        with open(glob.glob(f"{self.out}/**/*_{name}", recursive=True)[0]) as f:
            return f.read()

    def counts(self, stderr):
        return [tuple(map(int, m)) for m in re.findall(
            r"process \d+: (\d+) records received, (\d+) written, (\d+) dropped, (\d+) filtered",
            stderr)]


class Files(Case):
    def test_golden(self):
        """Every file of a full run, byte for byte; only the process id is masked."""
        done = self.run_it("-s", "--stats", "-o", "x")
        self.assertEqual(self.counts(done.stderr), [(9, 9, 0, 0)])
        golden = HERE + "/golden"
        for name in sorted(os.listdir(golden)):
            with open(f"{self.out}/{name}") as f:
                got = re.sub(r'^("H[A-Z_]+",\S+?",)\d+,', r"\1PID,", f.read(), flags=re.M)
            with open(f"{golden}/{name}") as f:
                self.assertEqual(got, f.read(), name)
        self.assertEqual(sorted(os.listdir(golden)), self.files())

    def test_default_names(self):
        self.run_it("--kernel-trace")
        self.assertEqual(self.files(), ["HOST/PID_agent_info.csv", "HOST/PID_kernel_trace.csv"])

    def test_a_database_when_nothing_is_said(self):
        said_nothing = {k: v for k, v in os.environ.items() if not k.startswith("ROCPROF")}
        subprocess.run(self.command("--kernel-trace", "-o", "x"), env=said_nothing, cwd=self.dir, check=True,
                       capture_output=True, timeout=60)
        self.assertEqual(self.files(), ["x_results.db"])

    def test_only_what_is_asked(self):
        self.run_it("--hip-trace", "--memory-copy-trace", "-o", "x")
        self.assertEqual(self.files(), ["x_agent_info.csv", "x_hip_api_trace.csv",
                                        "x_memory_copy_trace.csv"])
        self.assertEqual(len(self.rows("hip_api_trace")), 3)

    def test_environment_alone(self):
        self.run_it("--kernel-trace", env={"ROCPROF_OUTPUT_FILE_NAME": "from-%env{WHO}%", "WHO": "a b",
                                           "ROCPROF_TRUNCATE_KERNELS": "1"})
        self.assertEqual([r["Kernel_Name"] for r in self.rows("kernel_trace")],
                         ["vectoradd", "reduce"])
        self.assertIn("from-a_b_kernel_trace.csv", self.files())

    def test_current_directory(self):
        os.mkdir(self.dir + "/here")
        self.run_it("--kernel-trace", "-o", "n/%tag%", output=False, cwd=self.dir + "/here")
        self.out = self.dir + "/here"
        self.assertEqual(self.files(), ["n/subject_agent_info.csv", "n/subject_kernel_trace.csv"])

    def test_keys_of_the_program(self):
        """Its own words, and not rocprofv3's; what looks like a key in them stays as it is."""
        program = (SUBJECT, "x/%argt%", "%foo%")
        self.out += "/%argt%"
        self.run_it("--kernel-trace", "-o", "%arg1%-%tag%", program=program)
        self.out = os.path.dirname(self.out)
        self.assertEqual(self.files(), [f"subjectx_%argt%_%foo%/x_%argt%-subject_{name}.csv"
                                        for name in ("agent_info", "kernel_trace")])

    def test_rank_and_size_in_names_and_settings(self):
        """The same of every launcher, among them rank 0, in the name of the file and in what stands in it. The innermost
        one counts that has both facts."""
        launchers = (({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, (0, 4)),
                     ({"SLURM_PROCID": "3", "SLURM_NTASKS": "4", "PBS_NODENUM": "0", "PBS_O_TASKNUM": "2"}, (3, 4)),
                     ({"PBS_NODENUM": "1", "PBS_O_TASKNUM": "2", "SLURM_PROCID": "0", "PMI_SIZE": "9"}, (1, 2)),
                     ({"SLURM_PROCID": "0", "MPI_RANK": "2", "MPI_SIZE": "3"}, (2, 3)),
                     ({"PBS_NODENUM": "1", "PBS_O_TASKNUM": "2"}, (1, 2)),
                     ({"PMI_RANK": "2", "PMI_SIZE": "3"}, (2, 3)),
                     ({"MV2_COMM_WORLD_RANK": "1", "MV2_COMM_WORLD_SIZE": "5"}, (1, 5)),
                     ({"OMPI_COMM_WORLD_RANK": "4", "OMPI_COMM_WORLD_SIZE": "5"}, (4, 5)),
                     ({"FLUX_TASK_RANK": "1", "FLUX_JOB_SIZE": "2"}, (1, 2)),
                     ({"PMIX_RANK": "7"}, (7, 1)),
                     ({"MINE": "2", "OURS": "9", "PMI_RANK": "1", "ROCPROF_MPI_RANK_VAR": "MINE",
                       "ROCPROF_MPI_SIZE_VAR": "OURS"}, (2, 9)),
                     ({}, (0, 1)))
        for variables, (rank, size) in launchers:
            with self.subTest(variables):
                self.run_it("--kernel-trace", "--output-config", "-f", "json", "-o", "r%rank%of%size%", env=variables)
                with open(f"{self.out}/r{rank}of{size}_config.json") as f:
                    config = json.load(f)["rocprofiler-sdk-tool"][0]["metadata"]["config"]
                self.assertEqual((config["mpi_rank"], config["mpi_size"]), (rank, size))
                shutil.rmtree(self.out)

    def test_ranks_are_chosen_by_the_number_in_names(self):
        """A job of Slurm's that was started within one of PBS: the rank is Slurm's wherever it counts."""
        launchers = {"PBS_NODENUM": "0", "PBS_O_TASKNUM": "2", "SLURM_PROCID": "3", "SLURM_NTASKS": "4"}
        for ranks, found in (("0", []), ("3", ["r3of4_agent_info.csv", "r3of4_kernel_trace.csv"])):
            self.run_it("--kernel-trace", "--profile-mpi-ranks", ranks, "-o", "r%rank%of%size%", env=launchers)
            self.assertEqual(self.files(), found)

    def test_key_in_directory(self):
        self.run_it("--kernel-trace", "-d", self.out + "/%tag%-{pid}", "-o", "x", output=False)
        self.assertRegex("\n".join(self.files()), r"^subject-\w+/x_agent_info.csv\n"
                                                   r"subject-\w+/x_kernel_trace.csv$")
        self.assertEqual(len(self.rows("kernel_trace")), 2)
        self.assertFalse(glob.glob(self.out + "/**/.rocprofv3", recursive=True))

    def test_mangled_names(self):
        self.run_it("--kernel-trace", "-M")
        self.assertEqual([r["Kernel_Name"] for r in self.rows("kernel_trace")],
                         ["_Z9vectoraddPfPKfS1_i.kd", "_ZN2ns6reduceIdEEvPT_.kd"])

    def test_agent_index(self):
        self.run_it("--kernel-trace", "-A", "type-relative")
        self.assertEqual(self.rows("kernel_trace")[0]["Agent_Id"], "GPU 0")

    def test_minimum_output(self):
        done = self.run_it("-s", "--minimum-output-data", "1000")
        self.assertEqual(self.files(), [])
        self.assertEqual(self.counts(done.stderr), [(9, 9, 0, 0)])

    def test_standard_output(self):
        done = self.run_it("--kernel-trace", "-d", "stdout", output=False)
        self.assertEqual(done.stdout.count('"KERNEL_DISPATCH"'), 2)
        self.assertNotIn("KERNEL_DISPATCH", done.stderr)

    def test_standard_error(self):
        done = self.run_it("--kernel-trace", "-d", "stderr", output=False)
        self.assertEqual(done.stderr.count('"KERNEL_DISPATCH"'), 2)
        self.assertNotIn("KERNEL_DISPATCH", done.stdout)

    def test_many_records_in_order(self):
        self.run_it("--hip-trace", "--stats", "-o", "x", program=(SUBJECT, "many", "400000"))
        rows = self.rows("hip_api_trace")
        self.assertEqual(len(rows), 400000)
        starts = [int(r["Start_Timestamp"]) for r in rows]
        self.assertEqual(starts, list(range(10, 4000001, 10)))
        self.assertEqual(sum(int(r["Calls"]) for r in self.rows("hip_api_stats")), 400000)

    def test_nothing_to_trace(self):
        done = self.run_it("-s", program=(SUBJECT, "nothing"))
        self.assertIn("no process started a GPU runtime", done.stderr)
        self.assertEqual(os.listdir(self.out), [])

    def test_started_but_idle(self):
        done = self.run_it("-s", program=(SUBJECT, "empty"))
        self.assertEqual(self.counts(done.stderr), [(0, 0, 0, 0)])
        self.assertEqual(self.files(), [])

    def test_summary(self):
        done = self.run_it("-s", "-S", "-u", "usec", "--summary-groups", "HIP.*")
        self.assertIn("\n    ROCPROFV3 HIP_API SUMMARY:\n", done.stderr)
        self.assertIn("\n    ROCPROFV3 SUMMARY:\n", done.stderr)
        self.assertRegex(done.stderr, r"void ns::reduce<double>\(double\*\) +\| KERNEL_DISPATCH +\| +1 \| +0\.3 \|")
        self.run_it("-s", "-S", "--summary-output-file", "sum", "-o", "x")
        self.assertTrue(self.text("sum.txt").startswith("\nROCPROFV3 SUMMARY:\n\n|  "))


    def test_summaries_and_filters_do_not_depend_on_the_format(self):
        runs = ((["-s", "-S", "--stats"], (SUBJECT,)),
                (["--kernel-trace", "--pmc", "SQ_WAVES", "--kernel-include-regex", "reduce<double>", "-S"],
                 (SUBJECT, "dispatches", "6")),
                (["--kernel-trace", "--selected-regions", "-S"], (SUBJECT,)),
                (["-s", "--stats"], (SUBJECT,)))
        for options, program in runs:
            told = {}
            for form in ("csv", "json", "pftrace", "rocpd", "csv json pftrace rocpd"):
                done = self.run_it(*options, "-f", *form.split(), "-o", "x", program=program)
                told[form] = re.sub(r"process \d+|; \d+ files? .*", "", done.stderr)
            self.assertEqual(set(told.values()), {told["csv"]})
            self.assertIn("records received", told["csv"])
        kernels = [r["Kernel_Name"] for r in self.rows("kernel_trace")]
        with sqlite3.connect(self.out + "/x_results.db") as db:
            self.assertEqual(db.execute("SELECT name FROM kernels ORDER BY start").fetchall(), [(k,) for k in kernels])
        one = json.loads(self.text("results.json"))["rocprofiler-sdk-tool"][0]
        self.assertEqual([one["kernel_symbols"][r["dispatch_info"]["kernel_id"]]["formatted_kernel_name"]
                          for r in one["buffer_records"]["kernel_dispatch"]], kernels)


class Windows(Case):
    def windows(self, count, *options):
        """Contexts that were started and stopped when so many windows had closed."""
        done = self.run_it("--kernel-trace", "-P", *options, program=(SUBJECT, "windows", str(count)))
        return done.stdout.split()

    def test_all_of_them(self):
        self.assertEqual(self.windows(3, "0:1:3", "--collection-period-unit", "msec"), ["3", "3"])
        self.assertEqual(self.windows(3, "0:0.001:1", "0.001:0.001:2"), ["3", "3"])

    def test_one_that_does_not_come(self):
        self.assertEqual(self.windows(0, "1:1:1", "--collection-period-unit", "hour"), ["0", "0"])
        self.assertEqual(self.windows(1, "0:1:1", "3600e6:1:1", "--collection-period-unit", "usec"), ["1", "1"])

    def test_what_is_refused(self):
        for words, why in ((["1:1"], "'1:1' is not DELAY:TIME:REPEAT"), (["1:0:1"], "the second above 0"),
                           (["a:1:1"], "'a:1:1'"), (["1:1:-1"], "'1:1:-1'"), (["1:1:1x"], "'1:1:1x'"),
                           (["1e30:1:1"], "'1e30:1:1'"), (["1:1:1", "--selected-regions"], "exclude")):
            done = self.run_it("--kernel-trace", "-P", *words, status=2)
            self.assertIn(why, done.stderr)


class Memory(Case):
    def test_libraries(self):
        """Calls of libraries beside HIP and HSA in every format; each option alone, and -r, has them."""
        calls = {"rccl": 1, "rocdecode": 2, "rocjpeg": 3, "rocshmem": 4, "hipfile": 5}
        done = self.run_it("-r", "--stats", "-o", "x", "-f", "csv", "json", "rocpd", "pftrace",
                           program=(SUBJECT, "libraries"))
        self.assertEqual(self.counts(done.stderr), [(15, 15, 0, 0)])
        with open(self.out + "/x_results.json") as f:
            tool, = json.load(f)["rocprofiler-sdk-tool"]
        sections = tool["buffer_records"]
        hsa = tool["strings"]["buffer_records"][1]["operations"]  # places are the numbers, one is no operation's
        self.assertEqual((len(hsa), hsa[39:42]), (64, ["hsa_call_39", "", "hsa_call_41"]))
        with open(self.out + "/x_results.pftrace", "rb") as f:
            trace = f.read()
        with sqlite3.connect(self.out + "/x_results.db") as database:
            regions = dict(database.execute("SELECT category, COUNT(*) FROM regions GROUP BY category"))
            arguments = database.execute("SELECT R.category, A.type, A.name, A.value FROM rocpd_arg A JOIN "
                                         "regions R ON R.event_id = A.event_id ORDER BY 1").fetchall()
        self.assertEqual(arguments, [("HIPFILE_API_EXT", "int", "number", "1")] * 5 +
                         [("RCCL_API", "size_t", "count", "77")] +
                         [("ROCDECODE_API_EXT", "int", "number", "1")] * 2 +
                         [("ROCJPEG_API", "size_t", "count", "77")] * 3 +
                         [("ROCSHMEM_API_EXT", "int", "number", "1")] * 4)
        for name in ("rccl_api", "rocjpeg_api"):
            self.assertEqual({(r["size"], *map(tuple, map(dict.values, r["args"]))) for r in sections[name]},
                             {(64, ("size_t", "count", "77"))})
        self.assertEqual([(r["size"], r["args"], r["retval"]) for r in sections["rocdecode_api"]],
                         [(112, [{"type": "int", "name": "number", "value": "1"}],
                           {"uint64_t_retval": 3})] * 2)
        self.assertEqual([(r["size"], r["retval"]) for r in sections["hipfile_api"]],
                         [(128, {"uint64_t_retval": 3})] * 5)
        self.assertEqual([(r["size"], "retval" in r) for r in sections["rocshmem_api"]], [(128, False)] * 4)
        # the numbers of the kinds with arguments, which AMD's tool takes
        self.assertEqual({name: {r["kind"] for r in sections[name + "_api"]} for name in calls},
                         {"rccl": {14}, "rocdecode": {23}, "rocjpeg": {19}, "rocshmem": {35}, "hipfile": {37}})
        for name, count in calls.items():
            rows = self.rows(name + "_api_trace")
            self.assertEqual(len(rows), count)
            self.assertTrue(rows[0]["Domain"].startswith(name.upper() + "_API"), rows)
            self.assertEqual(self.rows(name + "_api_stats")[0]["Calls"], str(count))
            self.assertEqual(len(sections[name + "_api"]), count)
            self.assertEqual(sum(n for text, n in regions.items() if name.upper() in text), count, regions)
            self.assertIn((name + "_api").encode(), trace)
        shutil.rmtree(self.out)
        for name, count in calls.items():
            done = self.run_it(f"--{name}-trace", "-o", name, program=(SUBJECT, "libraries"))
            self.assertEqual(self.counts(done.stderr), [(count, count, 0, 0)])

    def test_libraries_in_an_archive(self):
        if "otf2" not in self.run_it("--help").stdout or not shutil.which("otf2-print"):
            self.skipTest("built without libotf2, or no otf2-print")
        self.run_it("-r", "-o", "x", "-f", "otf2", program=(SUBJECT, "libraries"))
        said = subprocess.run(["otf2-print", self.out + "/x_results.otf2"], capture_output=True, text=True,
                              timeout=60).stdout
        self.assertEqual(collections.Counter(re.findall(r'\("category" <0>; STRING; "(\w+)"', said)),
                         {"rccl_api": 1, "rocdecode_api": 2, "rocjpeg_api": 3, "rocshmem_api": 4, "hipfile_api": 5})

    def test_allocations_and_scratch(self):
        """Whole files; the thread and kind columns are the subject's."""
        done = self.run_it("-r", "--stats", "-o", "x", program=(SUBJECT, "memory"))
        self.assertEqual(self.counts(done.stderr), [(4, 4, 0, 0)])
        self.assertEqual(self.text("memory_allocation_trace.csv"),
                         '"Kind","Operation","Agent_Id","Allocation_Size","Address",'
                         '"Correlation_Id","Start_Timestamp","End_Timestamp"\n'
                         '"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent 1",4096,'
                         '"0x00007f0000001000",1,1000100,1000200\n'
                         '"MEMORY_ALLOCATION","MEMORY_ALLOCATION_FREE","",0,'
                         '"0x00007f0000001000",2,1000300,1000310\n')
        self.assertEqual(self.text("scratch_memory_trace.csv"),
                         '"Kind","Operation","Agent_Id","Queue_Id","Thread_Id","Alloc_Flags",'
                         '"Start_Timestamp","End_Timestamp","Allocation_Size"\n'
                         '"SCRATCH_MEMORY","SCRATCH_MEMORY_ALLOC","Agent 1",3,501,2,1000150,'
                         '1000160,65536\n'
                         '"SCRATCH_MEMORY","SCRATCH_MEMORY_FREE","Agent 1",3,501,2,1000250,'
                         '1000260,0\n')
        self.assertEqual([(r["Name"], r["Calls"], r["TotalDurationNs"])
                          for r in self.rows("domain_stats")],
                         [("MEMORY_ALLOCATION", "2", "110"), ("SCRATCH_MEMORY", "2", "20")])
        self.assertEqual([r["Name"] for r in self.rows("memory_allocation_stats")],
                         ["MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_FREE"])

    def test_one_of_them(self):
        self.run_it("--scratch-memory-trace", "-o", "x", program=(SUBJECT, "memory"))
        self.assertEqual(self.files(), ["x_agent_info.csv", "x_scratch_memory_trace.csv"])

    def test_streams_not_followed(self):
        self.run_it("--kernel-trace", "--group-by-queue")
        self.assertEqual([r["Stream_Id"] for r in self.rows("kernel_trace")], ["0", "0"])


class Ending(Case):
    def full(self, done, count=1):
        self.assertEqual(self.counts(done.stderr), [(9, 9, 0, 0)] * count)

    def test_status(self):
        self.full(self.run_it("-s", program=(SUBJECT, "status", "42"), status=42))

    def test_ways_out(self):
        for how, status in ((["_exit"], 5), (["quick_exit"], 6), (["abort"], 128 + 6),
                            (["fault"], 128 + 11), (["chain"], 128 + 15), (["raise", "15"], 128 + 15),
                            (["raise", "2"], 128 + 2), (["raise", "13"], 128 + 13),
                            (["int3"], 128 + 5), (["ud2"], 128 + 4), (["daemon"], 0)):
            with self.subTest(how):
                shutil.rmtree(self.out, ignore_errors=True)
                self.full(self.run_it("-s", program=(SUBJECT, *how), status=status))
                self.assertEqual(len(self.rows("kernel_trace")), 2)

    def test_every_fatal_signal(self):
        """Also those that hardly anyone sends."""
        for number in (1, 3, 10, 14, 16, 24, 25, 26, 27, 29, 30, 31, *range(34, 65, 6)):
            with self.subTest(number):
                self.full(self.run_it("-s", program=(SUBJECT, "raise", str(number)),
                                      status=128 + number))

    def test_killed(self):
        self.full(self.run_it("-s", program=(SUBJECT, "kill"), status=128 + 9))

    def test_handlers_are_invisible_and_optional(self):
        self.run_it("-s", program=(SUBJECT, "disposition"))
        self.run_it("-s", "--disable-signal-handlers", program=(SUBJECT, "disposition"))

    def test_exec(self):
        for how in ("execv", "execlp", "execveat"):
            shutil.rmtree(self.out, ignore_errors=True)
            self.full(self.run_it("--sys-trace", "-o", "x", program=(SUBJECT, how)), 2)
            self.assertEqual([n for n in self.files() if "kernel" in n],
                             ["PID-1/x_kernel_trace.csv", "x_kernel_trace.csv"])

    def test_children(self):
        done = self.run_it("-s", program=(SUBJECT, "fork-first"))
        self.full(done, 2)
        self.assertEqual([n for n in self.files() if "kernel" in n], ["HOST/PID_kernel_trace.csv"] * 2)
        done = self.run_it("-s", program=("sh", "-c", f"{SUBJECT}; {SUBJECT} status 3"), status=3)
        self.full(done, 2)

    def test_idle_children(self):
        """They leave nothing, however they end."""
        for way in ("0", "1"):
            done = self.run_it("-s", program=(SUBJECT, "fork-idle", way))
            self.assertEqual(self.counts(done.stderr), [(9, 9, 0, 0)])

    def test_fork_after_start(self):
        done = self.run_it("--kernel-trace", program=(SUBJECT, "fork-after"))
        self.assertEqual(sorted(self.counts(done.stderr)), [(1, 1, 0, 0), (2, 2, 0, 0)])
        names = []
        for path in glob.glob(self.out + "/**/*_kernel_trace.csv", recursive=True):
            with open(path, newline="") as f:
                names.append([r["Kernel_Name"].split("(")[0] for r in csv.DictReader(f)])
        self.assertEqual(sorted(names), [["vectoradd"], ["vectoradd", "void ns::reduce<double>"]])

    def test_fork_after_code(self):
        """A child's trace has the code that its parent had loaded."""
        self.run_it("--kernel-trace", "-f", "json", program=(SUBJECT, "fork-after"),
                    env={"ROCPROF_INSTRUCTION_COUNTS": "1"})
        code = []
        for path in glob.glob(self.out + "/**/*_results.json", recursive=True):
            with open(path) as f:
                strings = json.load(f)["rocprofiler-sdk-tool"][0]["strings"]
            code.append([re.sub(r".*_code_", "code_", n) for n in strings["code_object_snapshot_filenames"]])
        self.assertEqual(code, [["code_object_id_1.out"]] * 2)

    def test_losses_are_told(self):
        done = self.run_it("-s", "-f", "rocpd", program=(SUBJECT, "lose"))
        self.assertEqual(self.counts(done.stderr), [(21, 9, 12, 0)])
        self.assertIn("LOST 12 of 21 records", done.stderr)
        (path,) = glob.glob(self.out + "/**/*_results.db", recursive=True)
        db = sqlite3.connect(path)
        told = dict(db.execute("SELECT tag, value FROM rocpd_metadata"))
        db.close()
        self.assertEqual([told["records_" + what] for what in ("received", "written", "dropped", "filtered")],
                         ["21", "9", "12", "0"])

    def test_full_disk(self):
        done = self.run_it("-s", program=(SUBJECT, "full-disk"))
        self.assertEqual(self.counts(done.stderr), [(9, 0, 9, 0)])
        self.assertIn("LOST 9 of 9 records: no room after 0 bytes: File too large", done.stderr)

    def test_quiet(self):
        done = self.run_it("-s", "--log-level", "error")
        self.assertEqual(done.stderr, "")


class Signals(Case):
    def test_passed_on(self):
        p = self.start("-s", program=(SUBJECT, "wait"))
        self.assertEqual(p.stdout.readline(), "ready\n")
        for _ in range(2):
            os.kill(p.pid, signal.SIGUSR1)
            self.assertEqual(p.stdout.readline(), "got it\n")
        os.kill(p.pid, signal.SIGTERM)
        _, err = p.communicate(timeout=20)
        self.assertEqual(p.returncode, 128 + 15)
        self.assertEqual(self.counts(err), [(9, 9, 0, 0)])

    def test_twice(self):
        """The program lives on, for a second, while the signals arrive."""
        p = self.start("-s", program=("sh", "-c", f"trap '' INT; {SUBJECT}; echo ready; sleep 1; exit 4"))
        self.assertEqual(p.stdout.readline(), "ready\n")
        for _ in range(3):
            os.kill(p.pid, signal.SIGINT)
        p.communicate(timeout=20)
        self.assertEqual(p.returncode, 4)

    def test_killed_profiler(self):
        """rocprofv3 dies, the program goes on; its records are converted later."""
        p = self.start("-s", "-o", "x", program=(SUBJECT, "wait"))
        self.assertEqual(p.stdout.readline(), "ready\n")
        stores = glob.glob(self.out + "/.rocprofv3/*/*/meta.seg")
        self.assertEqual(len(stores), 1)
        pid = int(os.path.basename(os.path.dirname(stores[0])).split("-")[0])
        p.kill()
        p.wait()
        again = subprocess.run([ROCPROFV3, "convert", self.out], capture_output=True, text=True)
        self.assertIn("is still running", again.stderr)
        self.assertEqual([n for n in self.files() if n.endswith(".csv")], [])
        program = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        select.select([program], [], [])
        os.close(program)
        p.stdout.close()
        p.stderr.close()
        settings, = glob.glob(self.out + "/.rocprofv3/*/run.conf")
        with open(settings) as f:  # as when the tool library was loaded without rocprofv3
            text = f.read().replace("ROCPROF_OUTPUT_FORMAT=csv\n", "ROCPROF_OUTPUT_FORMAT=csv,xml\n")
        with open(settings, "w") as f:
            f.write(text)
        again = subprocess.run([ROCPROFV3, "convert", self.out], capture_output=True, text=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertRegex(again.stderr, r"warning: .*/run\.conf: ROCPROF_OUTPUT_FORMAT=csv,xml: .* none of: csv")
        self.assertEqual(self.counts(again.stderr), [(9, 9, 0, 0)])
        self.assertEqual(len(self.rows("kernel_trace")), 2)
        self.assertFalse(os.path.exists(self.out + "/.rocprofv3"))
        again = subprocess.run([ROCPROFV3, "convert", self.out], capture_output=True, text=True)
        self.assertNotEqual(again.returncode, 0)
        self.assertIn("holds no records", again.stderr)


class Errors(Case):
    def refuse(self, status, text, *options, program=(SUBJECT, "status", "99"), **more):
        done = self.run_it(*options, program=program, status=status, **more)
        lines = done.stderr.strip().split("\n")
        self.assertIn(text, lines[-1])
        self.assertEqual(done.stdout, "")

    def test_before_the_program(self):
        self.refuse(2, "did you mean --kernel-trace?", "--kernl-trace")
        self.refuse(2, "--stats needs a tracing option", "--stats")
        self.refuse(2, "'xml' is none of: csv json", "-f", "xml")
        self.refuse(127, "cannot run './absent': no such file", "-s", program=("./absent",))
        self.refuse(127, "not found in PATH", "-s", program=("absent-program",))
        self.refuse(126, "no permission to execute", "-s", program=(HERE + "/fake_sdk.c",))
        self.refuse(126, "it is a directory", "-s", program=("/tmp",))
        self.refuse(125, "unknown key '%foo%'", "-s", "-o", "%foo%")
        self.refuse(125, "malformed key", "-s", "-o", "%env{A")
        self.refuse(125, "cannot write to output directory", "-s", "-d", "/proc/nowhere", output=False)
        self.refuse(2, "ROCPROF_STATS_SUMMARY_UNITS is 'weeks'", "-s",
                    env={"ROCPROF_STATS_SUMMARY_UNITS": "weeks"})
        self.refuse(125, "--rocm-root: /absent", "-s", "--rocm-root", "/absent")
        open(self.dir + "/file", "w").close()
        self.refuse(125, "Not a directory", "-s", "-d", self.dir + "/file", output=False)
        if not os.path.exists("/dev/kfd"):
            self.refuse(125, "--gpu real: there is no /dev/kfd", "-s", gpu="real")
        self.refuse(2, "--gpu: 'mi999' is none of: auto real soft", "-s", gpu="mi999")

    def test_product(self):
        """A product's name is that of softgpu's GPU, whatever the environment says of it."""
        done = self.run_it(gpu="MI100", program=("sh", "-c", "echo $SOFTGPU_GPU $SOFTGPU_PROFILE $LD_PRELOAD"),
                           env={"SOFTGPU_GPU": "mi210", "SOFTGPU_PROFILE": "mi210"})
        words = done.stdout.split()
        self.assertEqual(words[0], "mi100")
        self.assertIn("libsoftgpu-preload.so", words[1])

    def test_incomplete_installation(self):
        os.unlink(self.root + "/lib/librocprofiler-sdk.so.1")
        self.refuse(125, "the installation is incomplete", "-s")

    def test_untraced(self):
        done = self.run_it(program=(SUBJECT, "status", "7"), status=7)
        self.assertIn("no tracing option", done.stderr)
        done = self.run_it(program=(SUBJECT, "status", "7"), status=7,
                           env={"ROCP_TOOL_LIBRARIES": "libother.so"})
        self.assertNotIn("no tracing option", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_script_without_first_line(self):
        path = self.dir + "/script"
        with open(path, "w") as f:
            f.write("exit 8\n")
        os.chmod(path, 0o755)
        self.run_it(program=(path,), status=8)

    def test_echo(self):
        done = self.run_it("-s", "--echo", program=("anything", "a"), status=127)
        done = self.run_it("-s", "--echo", program=("true", "a"))
        self.assertTrue(done.stdout.endswith("true a\n"))
        self.assertIn("ROCPROF_KERNEL_TRACE=1\n", done.stdout)
        self.assertFalse(os.path.exists(self.out))

    def test_streams_and_arguments_pass_through(self):
        done = subprocess.run(self.command("-s", "--log-level", "error", program=(
            "sh", "-c", 'cat; echo "$1" >&2; pwd', "sh", "a  b")), input="in", cwd=self.dir,
            capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("in" + self.dir + "\n", "a  b\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
