#!/usr/bin/env python3
"""rocprofv3 reduce: stores give the sums of their databases; ranks of a job add theirs up, by Open MPI, by MPICH, as a
step of Slurm and without any of them; what is odd about ranks is told, counted, and not fatal.

usage: reduce.py ROCPROFV3 ROCPD BENCH_FLEET [unittest arguments]
"""
import glob
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import slurm_here

ROCPROFV3, ROCPD, FLEET = sys.argv[1:4]
CLOSED = 104 # where a segment's header says when it was closed
RANKS = 8


class Case(unittest.TestCase):
    OPTIONS = ("--ranks", str(RANKS), "--records", "60", "--slow-rank", "5", "--flat")

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-reduce-")
        self.addCleanup(shutil.rmtree, self.dir)
        subprocess.run([FLEET, f"{self.dir}/out", *self.OPTIONS], check=True)
        self.paths = sorted(glob.glob(f"{self.dir}/out/*.db"))
        for rank, path in enumerate(self.paths):
            self.say(path, rank=rank, ranks=len(self.paths))

    def say(self, path, **facts):
        with sqlite3.connect(path) as db:
            table, = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_metadata\\_%' ESCAPE '\\'").fetchone()
            db.executemany(f'INSERT INTO "{table}" (tag, value) VALUES (?, ?)', [(k, str(v)) for k, v in facts.items()])
        db.close()

    def run_it(self, *words, status=0, **more):
        done = subprocess.run(words, capture_output=True, text=True, timeout=100, cwd=self.dir, check=False, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def reduce(self, to, *words, told=""):
        """The bytes of the sums."""
        done = self.run_it(ROCPROFV3, "reduce", "-o", to, "-i", *words)
        self.assertEqual(done.stderr, told)
        return self.read(to)

    def read(self, name):
        with open(f"{self.dir}/{name}", "rb") as f:
            return f.read()

    def whole(self):
        return self.reduce("whole.sums", *self.paths)


class Stores(Case):
    def setUp(self):
        super().setUp()
        for path in self.paths: # stores know no rank here
            os.unlink(path)
        subprocess.run([FLEET, f"{self.dir}/out", *self.OPTIONS, "--make", "both"], check=True)
        self.stores = sorted(glob.glob(f"{self.dir}/out/.rocprofv3/*/*-0"))

    def test_equal(self):
        """Databases, their stores, and any mixture have the same sums, bit by bit."""
        whole = self.whole()
        self.assertEqual(len(self.stores), RANKS)
        self.assertEqual(self.reduce("stores", f"{self.dir}/out/.rocprofv3"), whole)
        self.assertEqual(self.reduce("one", *reversed(self.stores)), whole)
        databases = {int(os.path.basename(s).split("-")[0]): s for s in self.stores}
        by_pid = {}
        for path in self.paths:
            with sqlite3.connect(path) as db:
                by_pid[db.execute("SELECT pid FROM rocpd_info_process").fetchone()[0]] = path
            db.close()
        pids = sorted(databases)
        self.assertEqual(self.reduce("mixed", *(databases[p] for p in pids[:3]), *(by_pid[p] for p in pids[3:])), whole)
        self.assertEqual(glob.glob(f"{tempfile.gettempdir()}/rocprofv3-??????/store.db"), [])
        # the folder of a job in which some ranks were converted
        for path in self.paths[:5]:
            os.unlink(path)
        self.run_it(ROCPROFV3, "reduce", "-o", "folder", "-i", "out")
        self.assertEqual(len(self.read("folder")), len(whole))

    def test_killed(self):
        """A store that was not closed, and ends in a record, is read as far as it goes; so says its database, too."""
        store = self.stores[3]
        for segment in glob.glob(f"{store}/*.seg"):
            with open(segment, "r+b") as f:
                f.seek(CLOSED)
                f.write(struct.pack("<Q", 0))
        records, = glob.glob(f"{store}/records-1.seg") or glob.glob(f"{store}/records-*.seg")[:1]
        os.truncate(records, 4096 + 1000)
        copy = f"{self.dir}/copy/.rocprofv3/1"
        shutil.copytree(os.path.dirname(store), copy)
        told = self.run_it(ROCPROFV3, "reduce", "-o", "stores", "-i", "out/.rocprofv3").stderr
        self.assertRegex(told, r"bytes of its records are damaged and were left out\n")
        self.assertRegex(told, r"process \d+ on \w+ did not end in order \(killed, or left by _exit\)")
        self.run_it(ROCPROFV3, "convert", "-d", f"{self.dir}/later", f"{copy}/{os.path.basename(store)}")
        later = glob.glob(f"{self.dir}/later/*.db")
        sums = self.run_it(ROCPROFV3, "reduce", "-o", "later.sums", "-i", *later).stderr
        self.assertRegex(sums, r"\A[^\n]*did not end in order[^\n]*\n\Z")
        self.run_it(ROCPROFV3, "reduce", "-o", "alone", "-i", store)
        self.assertEqual(self.read("alone"), self.read("later.sums"))
        self.assertNotEqual(self.read("stores"), self.whole())


class Odd(Case):
    def test_copies(self):
        """A process that is there several times counts once, whichever copies are added first."""
        whole = self.whole()
        shutil.copy(self.paths[2], f"{self.dir}/copy.db")
        told = r"rocprofv3: warning: rank 2, process \d+ on \w+ was read more than once: it is counted once\n"
        done = self.run_it(ROCPROFV3, "reduce", "-o", "twice", "--show", "-i", *self.paths, "copy.db")
        self.assertRegex(done.stderr, rf"\A{told}\Z")
        self.assertEqual(done.stdout, self.run_it(ROCPROFV3, "reduce", "--show", "-i", "whole.sums").stdout)
        self.run_it(ROCPROFV3, "reduce", "-o", "a", "-i", *self.paths[:3])
        self.run_it(ROCPROFV3, "reduce", "-o", "b", "-i", "copy.db", *self.paths[3:])
        self.run_it(ROCPROFV3, "reduce", "-o", "tree", "-i", "b", "a")
        self.assertEqual(self.read("tree"), self.read("twice"))
        self.assertEqual(len(self.read("tree")), len(whole))

    def test_better_copy(self):
        """Of two copies the one of a process that ended in order counts, else the one with more records."""
        fewer, killed = f"{self.dir}/fewer.db", f"{self.dir}/killed.db"
        for path, facts in ((fewer, {}), (killed, {"unclosed": 1})):
            shutil.copy(self.paths[2], path)
            self.say(path, **facts)
        db = sqlite3.connect(fewer)
        table, = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_kernel_dispatch\\_%' ESCAPE '\\'").fetchone()
        db.execute(f'DELETE FROM "{table}"')
        db.commit()
        db.close()
        shown = self.run_it(ROCPROFV3, "reduce", "--show", "-i", self.paths[2]).stdout
        for copies in ((fewer, self.paths[2]), (self.paths[2], fewer), (killed, self.paths[2]), (self.paths[2], killed),
                       (fewer, killed, self.paths[2])):
            self.assertEqual(self.run_it(ROCPROFV3, "reduce", "-j", "1", "--show", "-i", *copies).stdout, shown)
        self.assertNotEqual(self.run_it(ROCPROFV3, "reduce", "--show", "-i", fewer, killed).stdout,
                            self.run_it(ROCPROFV3, "reduce", "--show", "-i", killed).stdout)

    def test_ranks(self):
        """Missing ranks, ranks of several runs, other GPUs and versions."""
        db = sqlite3.connect(self.paths[1])
        for name, in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_info_agent\\_%' ESCAPE '\\'").fetchall():
            db.execute(f"UPDATE \"{name}\" SET name = 'gfx1100' WHERE type = 'GPU'")
        for name, in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_metadata\\_%' ESCAPE '\\'").fetchall():
            db.execute(f"UPDATE \"{name}\" SET value = '3.0.1' WHERE tag = 'schema_version'")
        db.commit()
        db.close()
        self.say(self.paths[0], rank=4)
        done = self.run_it(ROCPROFV3, "reduce", "--show", "-o", "sums", "-i", *self.paths[:6])
        lines = [line.removeprefix("rocprofv3: warning: ") for line in done.stderr.splitlines()]
        self.assertEqual(lines[:2], ["several processes, or runs, each of rank 4", "3 of 8 ranks are missing: 0, 6-7"])
        self.assertRegex(lines[2], r"\Aprocesses have different GPUs: \d x gfx\w+ \(5 processes\); \d x gfx1100 \(1 process\)\Z")
        self.assertEqual(lines[3:], ["processes have different versions of the schema: 3.0.3 (5 processes); 3.0.1 (1 process)"])
        self.assertEqual(self.run_it(ROCPROFV3, "reduce", "--show", "-i", "sums").stderr, done.stderr)
        self.assertEqual(self.reduce("part", *self.paths[4:6]), self.read("part")) # of a part nothing is missing

    def test_one_folder(self):
        """64 processes write into one folder at once: no file is lost or half, and their sum is that of all at once."""
        more = f"{self.dir}/more"
        subprocess.run([FLEET, more, "--ranks", "64", "--records", "4", "--flat"], check=True)
        paths = sorted(glob.glob(more + "/*.db"))
        self.reduce("whole", *paths)
        running = [subprocess.Popen([ROCPROFV3, "reduce", "-j", "1", "-o", f"{more}/sums/{i}.sums", "-i", path])
                   for i, path in enumerate(paths)]
        self.assertEqual([p.wait() for p in running], [0] * 64)
        self.assertEqual(len(os.listdir(f"{more}/sums")), 64)
        self.assertEqual(self.reduce("sum", *glob.glob(f"{more}/sums/*")), self.read("whole"))


class Files(Case):
    """Ranks without a launcher: its variables are enough."""

    def start(self, rank, *words, size=RANKS, local=None, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI", "PMI", "SLURM", "ROC"))}
        environment.update(SLURM_PROCID=str(rank), SLURM_NTASKS=str(size), SLURM_JOB_ID="71", SLURM_STEP_ID="3", **variables)
        if local is not None:
            environment.update(OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE=str(size), PMIX_NAMESPACE="x",
                               OMPI_COMM_WORLD_LOCAL_RANK=str(local), OMPI_COMM_WORLD_LOCAL_SIZE="4")
        return subprocess.Popen([ROCPROFV3, "reduce", "--tree", "files", *words], env=environment, cwd=self.dir, text=True,
                                stderr=subprocess.PIPE)

    def end(self, processes, status=0):
        said = ""
        for process in processes:
            said += process.communicate(timeout=100)[1]
            self.assertEqual(process.returncode, status, said)
        return said

    def run_all(self, *words, size=RANKS, without=(), **more):
        return self.end([self.start(rank, *words, size=size, **more) for rank in range(size) if rank not in without])

    def test_shares(self):
        """However many ranks, each file is read once."""
        whole = self.whole()
        for size in (1, 3, 8, 11):
            self.assertEqual(self.run_all("-o", "sum", "-i", "out", size=size), "")
            self.assertEqual(self.read("sum"), whole)
        self.assertEqual(sorted(os.listdir(self.dir)), ["out", "sum", "whole.sums"])

    def test_own(self):
        """By keys each rank names its own, and shares of a node's disk are those of the node's ranks."""
        whole = self.whole()
        self.assertEqual(self.run_all("-o", "sum", "-i", "out/rank-00000%rank%_results.db"), "")
        self.assertEqual(self.read("sum"), whole)
        for rank, path in enumerate(self.paths):
            os.makedirs(f"{self.dir}/node{rank // 4}", exist_ok=True)
            shutil.copy(path, f"{self.dir}/node{rank // 4}")
        ranks = [self.start(rank, "--node-local", "-o", "sum", "-i", f"node{rank // 4}", local=rank % 4) for rank in range(8)]
        self.assertEqual(self.end(ranks), "")
        self.assertEqual(self.read("sum"), whole)

    def test_missing(self):
        """A rank whose file is missing or damaged, one that does not come: the others are there, and it is told."""
        parts = self.reduce("parts", *[p for i, p in enumerate(self.paths) if i not in (1, 3, 4)])
        os.unlink(self.paths[1])
        with open(self.paths[3], "r+b") as f:
            f.truncate(5000)
        words = ("--tree-wait", "2", "-o", "sum", "-i", "out/rank-00000%rank%_results.db")
        # those first that give: then only the one that never comes is waited for, however loaded the machine is
        said = "".join(self.end([self.start(rank, *words)]) for rank in reversed(range(RANKS)) if rank != 4)
        self.assertIn("out/rank-000001_results.db: No such file", said)
        self.assertIn("out/rank-000003_results.db: is no rocpd database", said)
        self.assertIn("rank 4 has not given its sums within 2 s (--tree-wait): they are left out", said)
        self.assertIn("3 of 8 ranks are missing: 1, 3-4\n", said)
        self.assertIn("3 inputs could not be read, or did not come: the sums are without\n", said)
        absent = self.read("sum")
        self.assertEqual((absent[:28], absent[36:-8]), (parts[:28], parts[36:-8])) # but for the number of what is absent

    def test_damaged_part(self):
        """A part that is half, or of another run, is refused."""
        with open(f"{self.dir}/sum.71.3.8.4", "wb") as f: # rank 4 gives it to rank 0
            f.write(self.reduce("part", self.paths[4])[:-3])
        with open(f"{self.dir}/sum.71.2.8.1", "wb") as f:
            f.write(b"of another step")
        said = self.run_all("--tree-wait", "5", "-o", "sum", "-i", "out/rank-00000%rank%_results.db", without=(4,))
        self.assertIn("the part of rank 4 is cut", said)
        self.assertIn("1 of 8 ranks are missing: 4\n", said)
        self.assertTrue(os.path.exists(f"{self.dir}/sum.71.2.8.1"))

    def test_asks(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI", "PMI", "SLURM"))}
        for words, more, said in (
                (("--tree", "files", "-o", "s"), {}, "no launcher tells rank and size"),
                (("--tree", "files", "--show"), {"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}, "needs --output FILE"),
                (("--tree", "files", "-o", "s"), {"PMI_RANK": "0", "PMI_SIZE": "2"}, "MPICH gives its jobs no id: --tree-id"),
                (("--tree", "mpi", "-o", "s"), {"ROCPROF_MPI_LIBRARY": "libnone.so.1"}, "ROCPROF_MPI_LIBRARY=libnone.so.1: "),
                (("--tree", "mpi", "-o", "s"), {"ROCPROF_MPI_LIBRARY": "libc.so.6"}, "neither Open MPI nor has MPICH's ABI"),
                (("--tree-wait", "3", "-o", "s"), {}, "--tree-wait needs --tree")):
            done = subprocess.run([ROCPROFV3, "reduce", "-i", "out", *words], env={**environment, **more}, cwd=self.dir,
                                  capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Mpi(Case):
    """Real launchers: one line in the job script."""

    def tree(self, launcher, **variables):
        if not shutil.which(launcher[0]):
            self.skipTest(f"needs {launcher[0]}")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **variables}
        whole = self.whole()
        done = self.run_it(*launcher, "-n", str(RANKS), ROCPROFV3, "reduce", "--tree", "mpi", "-i", "out", "-o", "sum",
                           env=environment)
        self.assertEqual((done.stderr, self.read("sum")), ("", whole))
        return environment

    def test_open_mpi(self):
        launcher = ("mpirun.openmpi", "--oversubscribe")
        environment = self.tree(launcher)
        self.run_it(*launcher, "-n", "4", ROCPROFV3, "reduce", "--tree", "files", "-i", "out", "-o", "by_files", env=environment)
        self.assertEqual(self.read("by_files"), self.read("sum"))
        done = subprocess.run([*launcher, "-n", "2", ROCPROFV3, "reduce", "--tree", "mpi", "-i", "out", "-o", "other"],
                              env={**environment, "ROCPROF_MPI_LIBRARY": "libmpich.so.12"}, cwd=self.dir, capture_output=True,
                              text=True, check=False, timeout=60)
        self.assertIn("the launcher has started 2 ranks, of which this MPI knows one: ROCPROF_MPI_LIBRARY", done.stderr)
        self.assertFalse(os.path.exists(f"{self.dir}/other"))

    def test_mpich(self):
        self.tree(("mpirun.mpich",))


class Slurm(Case):
    def test_step(self):
        if slurm_here.why_not():
            self.skipTest(slurm_here.why_not())
        cluster = slurm_here.Cluster()
        self.addCleanup(cluster.end)
        cluster.start()
        whole = self.whole()
        done = self.run_it("srun", "-n", str(RANKS), "--overcommit", "--chdir", self.dir, ROCPROFV3, "reduce", "--tree", "files",
                           "-i", "out", "-o", "sum", env=cluster.environment)
        self.assertEqual((done.stderr, self.read("sum")), ("", whole), cluster.said())
        self.assertEqual(sorted(os.listdir(self.dir)), ["out", "sum", "whole.sums"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
