#!/usr/bin/env python3
"""rocprofv3 once for each rank of a parallel program, over the fake SDK, started by Open MPI.

usage: ranks.py ROCPROFV3 TOOL_LIBRARY FAKE_SDK EMPTY_LIBRARY SUBJECT MPIRUN ROCPD NO_LOCKS [unittest arguments]
"""
import errno
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import fake_root

ROCPROFV3, TOOL, SDK, EMPTY, SUBJECT, MPIRUN, ROCPD, NO_LOCKS = sys.argv[1:9]
# mpirun may mix the lines of ranks, so each has a file; its own variables differ from run to run
SHOW = """
import json, os
with open("seen-" + os.environ["OMPI_COMM_WORLD_RANK"], "w") as f:
    json.dump({k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMIX_"))}, f)
"""


class Ranks(unittest.TestCase):
    four = None  # the run of all_four(), its folder

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-ranks-")
        self.addCleanup(shutil.rmtree, self.dir)
        fake_root.make(self.dir + "/root", TOOL, SDK, EMPTY)

    @staticmethod
    def archives():
        """Whether there are OTF2 archives, and what reads them."""
        help_text = subprocess.run([ROCPD, "convert", "--help"], capture_output=True, text=True, timeout=60).stdout
        return "otf2" in help_text and shutil.which("otf2-print")

    def all_four(self):
        """What mpirun and rocprofv3 have told of four ranks, and the folder of their files: of one run, at which several tests look."""
        if not Ranks.four:
            folder = tempfile.mkdtemp(prefix="rocprofv3-ranks-")
            self.addClassCleanup(shutil.rmtree, folder)
            done = self.run_ranks(["-d", folder + "/out", "-f", "pftrace", "rocpd", *["otf2"] * bool(self.archives()),
                                   "-o", "r%rank%of%size%.%local_rank%", "--sync-clocks"], [SUBJECT])
            Ranks.four = done, folder
        return Ranks.four

    def run_ranks(self, options, program, ranks=4, status=0):
        profiler = [ROCPROFV3, "--rocm-root", self.dir + "/root", "--gpu",
                    "real" if os.path.exists("/dev/kfd") else "soft", "--kernel-trace", *options, "--"]
        return self.launch([*profiler, *program], ranks, status)

    def launch(self, command, ranks=4, status=0):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROC", "LD_", "HSA_"))}
        # ranks wait for each other however late a loaded machine starts them
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", ROCPROF_SYNC_TIMEOUT="60000")
        done = subprocess.run([MPIRUN, "--oversubscribe", "-n", str(ranks), *command], env=environment,
                              cwd=self.dir, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def seen(self, rank):
        with open(f"{self.dir}/seen-{rank}") as f:
            return json.load(f)

    def names(self):
        return sorted(os.path.basename(p) for p in glob.glob(self.dir + "/out/*"))

    def test_files_are_named_after_ranks(self):
        _, folder = self.all_four()
        ends = [".db", ".pftrace", *[".otf2", ".def", ""] * bool(self.archives())]
        self.assertEqual(sorted(os.listdir(folder + "/out")), sorted(f"r{rank}of4.{rank}_results{end}" for rank in range(4) for end in ends))
        for rank in range(4):
            with sqlite3.connect(f"{folder}/out/r{rank}of4.{rank}_results.db") as database:
                self.assertEqual(database.execute("SELECT COUNT(*) FROM kernels").fetchone(), (2,))

    def alone(self):
        """Environment and command of a rank that no launcher starts."""
        return ({k: v for k, v in os.environ.items() if not k.startswith(("ROC", "LD_", "HSA_"))},
                [ROCPROFV3, "--rocm-root", self.dir + "/root", "--gpu", "real" if os.path.exists("/dev/kfd") else "soft",
                 "--kernel-trace", "-f", "rocpd", "-d", "out", "-o", "%rank%", "--", SUBJECT])

    def test_one_folder(self):
        """64 ranks write into one folder at once, without a launcher that waits for them: every file is there and whole,
        is that of its rank, and nothing else is left."""
        environment, command = self.alone()
        ranks = [subprocess.Popen(command, cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env=environment | {"PMI_RANK": str(rank), "PMI_SIZE": "64"}) for rank in range(64)]
        for process in ranks:
            said = process.communicate(timeout=100)[1]
            self.assertEqual(process.returncode, 0, said)
        self.assertEqual(sorted(os.listdir(self.dir + "/out")), sorted(f"{rank}_results.db" for rank in range(64)))
        for rank, process in enumerate(ranks):
            with sqlite3.connect(f"{self.dir}/out/{rank}_results.db") as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                self.assertEqual(database.execute("SELECT COUNT(*) FROM kernels").fetchone(), (2,))
                self.assertEqual(database.execute("SELECT value FROM rocpd_metadata WHERE tag = 'rank'").fetchone(), (str(rank),))

    def test_without_locks(self):
        """Shared file systems may have no locks: databases are written there, and read, and are the same."""
        environment, command = self.alone()
        readers = [[ROCPD, "summary", "-i", "out"], [ROCPD, "query", "--query", "SELECT * FROM kernels", "-i", "out/0_results.db"],
                   [ROCPD, "merge", "-d", ".", "-o", "merged", "-i", "out"], [ROCPD, "summary", "-i", "merged.db"],
                   [ROCPD, "convert", "-f", "csv", "-d", "csv", "-i", "out"], [ROCPROFV3, "findings", "out"],
                   [ROCPROFV3, "report", "-o", "page.html", "out"]]
        def run(words, more):
            done = subprocess.run(words, cwd=self.dir, env=environment | more, capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
            return done.stdout

        for number in (errno.ENOSYS, errno.ENOLCK):
            without = {"LD_PRELOAD": NO_LOCKS, "NO_LOCKS": str(number)}
            for rank in ("0", "1"):
                run(command, without | {"PMI_RANK": rank, "PMI_SIZE": "2"})
            for words in readers:
                self.assertEqual(run(words, without), run(words, {}), words)
            shutil.rmtree(self.dir + "/out")
        # what the library does, it does to SQLite
        with sqlite3.connect(self.dir + "/merged.db") as database:
            self.assertEqual(database.execute("SELECT COUNT(*) FROM kernels").fetchone(), (4,))
        done = subprocess.run([sys.executable, "-c", "import sqlite3; sqlite3.connect('merged.db').execute('SELECT * FROM kernels')"],
                              cwd=self.dir, capture_output=True, text=True, check=False,
                              env=environment | {"LD_PRELOAD": NO_LOCKS, "NO_LOCKS": str(errno.ENOLCK)})
        self.assertIn("OperationalError", done.stderr)

    def test_one_timeline_one_archive(self):
        """Each rank has files of its own; rocpd makes one of them."""
        if not self.archives():
            self.skipTest("built without libotf2, or no otf2-print")
        _, folder = self.all_four()
        subprocess.run([ROCPD, "convert", "-i", folder + "/out", "-f", "pftrace", "otf2", "-d", "all"], cwd=self.dir,
                       check=True, capture_output=True, timeout=60)

        def places(path):
            said = subprocess.run(["otf2-print", "-G", path], capture_output=True, text=True, timeout=60, check=True)
            return sorted(re.findall(r'^LOCATION +\d+ +Name: "(.*?)" <', said.stdout, re.M))

        found = places(self.dir + "/all/out_results.otf2")
        self.assertEqual(found, sorted(p for rank in range(4)
                                       for p in places(f"{folder}/out/r{rank}of4.{rank}_results.otf2")))
        self.assertGreaterEqual(len(found), 4)

        def tracks(path):
            with open(path, "rb") as f:
                return len(re.findall(rb"STREAM \[\d+\]", f.read()))

        self.assertEqual(tracks(self.dir + "/all/out_results.pftrace"),
                         sum(tracks(f"{folder}/out/r{rank}of4.{rank}_results.pftrace") for rank in range(4)))

    def test_clocks_of_one_node(self):
        """All ranks find rank 0, and need no exchange with it; what mpirun tells is in the databases."""
        done, folder = self.all_four()
        self.assertNotIn("sync-clocks", done.stderr)
        references = set()
        for rank in range(4):
            with sqlite3.connect(f"{folder}/out/r{rank}of4.{rank}_results.db") as database:
                facts = dict(database.execute("SELECT tag, value FROM rocpd_metadata"))
            self.assertEqual([facts[k] for k in ("launcher", "rank", "ranks", "local_rank", "local_ranks")],
                             ["Open MPI", str(rank), "4", str(rank), "4"])
            for tag in ("clock_begin", "clock_end"):
                reference, _, offset, error = facts[tag].split()
                references.add((reference, offset, error))
        self.assertEqual([r[1:] for r in references], [("0", "0")])
        self.assertEqual([n for n in os.listdir(folder + "/out") if n.startswith(".")], [])

    def test_only_some(self):
        """Ranks that are not chosen find what they would find without rocprofv3, but for the software GPU."""
        program = ["python3", "-c", SHOW]
        self.launch(program)
        before = self.seen(1)
        done = self.run_ranks(["-d", "out", "-f", "csv", "-o", "r%rank%", "--profile-mpi-ranks", "0,2-3",
                               "--log-level", "info"], program)
        left_alone = self.seen(1)
        left_alone.pop("LD_PRELOAD", None)
        self.assertEqual(left_alone, before)
        for rank in (0, 2, 3):
            self.assertEqual(self.seen(rank)["ROCPROF_MPI_RANK_VAR"], "OMPI_COMM_WORLD_RANK")
            self.assertEqual(self.seen(rank)["ROCPROF_KERNEL_TRACE"], "1")
        self.assertIn("rank 1 (OMPI_COMM_WORLD_RANK) is not among 0,2-3: not profiled", done.stderr)

    def test_what_is_left_out_writes_nothing(self):
        self.run_ranks(["-d", "out", "-f", "csv", "-o", "r%rank%", "--profile-mpi-ranks", "1"], [SUBJECT], 2)
        self.assertEqual(self.names(), ["r1_agent_info.csv", "r1_kernel_trace.csv"])

    def test_wrong_lists(self):
        """As each rank finds them, which the launcher's variables tell, whoever has set them."""
        environment, command = self.alone()
        for words, why in ((["--profile-mpi-ranks", "0-4"], "there is no rank 4, OMPI_COMM_WORLD_SIZE is 2"),
                           (["--profile-mpi-ranks", "2-1"], "2-1 ends before it begins"),
                           (["--profile-mpi-ranks", "a"], "'a': ranks are numbers"),
                           (["--mpi-world-rank-variable", "X"], "need each other")):
            for rank in ("0", "1"):
                done = subprocess.run([command[0], *words, *command[1:]], cwd=self.dir, capture_output=True, text=True, timeout=60,
                                      env=environment | {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": "2"}, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(why, done.stderr)

    def test_another_launcher(self):
        self.run_ranks(["-d", "out", "-f", "csv", "-o", "r%rank%", "--mpi-world-rank-variable", "OMPI_UNIVERSE_SIZE",
                        "--mpi-world-size-variable", "OMPI_COMM_WORLD_SIZE"], [SUBJECT], ranks=1)
        self.assertEqual(len(self.names()), 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[9:]])
