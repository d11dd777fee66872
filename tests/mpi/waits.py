#!/usr/bin/env python3
"""rocprofv3 waits over programs in which one thing is planted that makes ranks wait: it is named first, and the same program
without it is free of findings.

usage: waits.py ROCPROFV3 PROGRAMS [unittest arguments]
"""
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAMS = sys.argv[1:3]
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rocprofv3-waits-")
        self.addCleanup(shutil.rmtree, self.folder)

    def trace(self, name, *words, implementation="openmpi", ranks=4, program="planted", options=("--marker-trace",)):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROC", "HSA_"))}
        # ranks that wait leave the processor to others: there are more ranks than processors
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
        done = subprocess.run([*LAUNCHERS[implementation], "-n", str(ranks), ROCPROFV3, "--mpi-trace", *options, "-d", "out",
                               "-o", "r%rank%", "--", f"{PROGRAMS}/{program}-{implementation}", name, *words], env=environment,
                              cwd=self.folder, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)

    def waits(self, *options, status=0):
        done = subprocess.run([ROCPROFV3, "waits", *options], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def findings(self):
        return json.loads(self.waits("-f", "json", "out"))["findings"]


class Planted(Case):
    twins = False  # each program's own is run, too

    def free(self, name, implementation):
        """What is found of a twin: what chance does is not in all of five runs."""
        for attempt in range(5):
            shutil.rmtree(self.folder + "/out", ignore_errors=True)
            self.trace(name, "twin", implementation=implementation)
            found = self.findings()
            if not found:
                break
        self.assertEqual(found, [])

    def check(self, name, kind, rank, *texts, implementation="openmpi"):
        """Other programs on the machine delay ranks, too: what is planted is there in each run, and first in one of
        three."""
        for attempt in range(3):
            shutil.rmtree(self.folder + "/out", ignore_errors=True)
            self.trace(name, implementation=implementation)
            found = self.findings()
            self.assertIn((kind, rank), [(f["kind"], f["rank"]) for f in found], self.waits("out"))
            if (found[0]["kind"], found[0]["rank"]) == (kind, rank):
                break
        self.assertEqual((found[0]["kind"], found[0]["rank"]), (kind, rank), found)
        for text in texts:
            self.assertRegex(found[0]["text"], text)
        if self.twins:
            self.free(name, implementation)

    def test_all_twins(self):
        self.free("all", "openmpi")

    def test_slow_rank(self):
        self.check("slow_rank", "late in collectives", 2, "outside of MPI")

    def test_late_sender(self):
        self.check("late_sender", "late sender", 1, "rank 3 most of all")

    def test_late_receiver(self):
        self.check("late_receiver", "late receiver", 2, "rank 0 most of all")

    def test_late_start(self):
        self.check("late_start", "late in collectives", 3, r"starts (4[5-9]|[56][0-9])[0-9]\.[0-9] ms late")  # 500 ms

    def test_wrong_root(self):
        self.check("wrong_root", "late in collectives", 1)

    def test_one_phase(self):
        self.check("one_phase", "late in collectives", 0, "range neighbours")

    def test_barrier(self):
        self.check("barrier", "needless barrier", -1, "MPI_Barrier on MPI_COMM_WORLD", "8 times in each rank")

    def test_late_request(self):
        self.check("late_request", "late sender", 1, "rank 0 most of all")


class LongPlanted(Planted):
    """The same with a run of each program's twin, and with another implementation."""
    twins = True

    def test_late_sender_mpich(self):
        self.check("late_sender", "late sender", 1, "rank 3 most of all", implementation="mpich")


class LongShapes(Case):
    """Programs of other shapes than those by which the limits were chosen. The pipeline's twin is not free of findings: until the first
    item is there, each rank waits for those before it."""

    def check(self, name, ranks, rank, kinds, twin=True):
        for _ in range(3):
            shutil.rmtree(self.folder + "/out", ignore_errors=True)
            self.trace(name, ranks=ranks, program="shapes")
            found = self.findings()
            if found and (found[0]["rank"], found[0]["kind"] in kinds) == (rank, True):
                break
        self.assertEqual((found[0]["rank"], found[0]["kind"] in kinds), (rank, True), found)
        # more ranks than processors wait for each other anyway, but not for that one first
        first = []
        for _ in range(5 if twin else 0):
            shutil.rmtree(self.folder + "/out")
            self.trace(name, "twin", ranks=ranks, program="shapes")
            first = [f for f in self.findings()[:1] if f["rank"] == rank and f["kind"] in kinds]
            if not first:
                break
        self.assertEqual(first, [])

    def test_pipeline(self):
        self.check("pipeline", 6, 3, ["late sender"], twin=False)

    def test_halo(self):
        self.check("halo", 9, 8, ["late sender", "late in collectives"])

    def test_nodes(self):
        self.check("nodes", 9, 5, ["late in collectives"])


@unittest.skipUnless(os.path.exists(f"{PROGRAMS}/uneven-openmpi"), "hipcc is missing")
class Kernels(Case):
    """A program of HIP on the software GPU, one of whose ranks gives a kernel ten times the work: the finding names rank and kernel."""

    def run_it(self, rank):
        shutil.rmtree(self.folder + "/out", ignore_errors=True)
        self.trace(str(rank), ranks=3, program="uneven", options=("--gpu", "soft", "--kernel-trace", "--hip-runtime-trace"))
        return [f for f in self.findings() if "its kernel" in f["text"]]

    def test_kernel(self):
        """Other programs on the machine delay ranks, too: what is planted is told rightly in one of five runs."""
        text = (r"^rank 1 arrives [0-9.]+ m?s late in each of [0-9]+ collectives: "
                r"its kernel forces\(float\*, int\) takes ([3-9]|1[0-9])(\.[0-9])? x the median$")
        for _ in range(5):
            found = self.run_it(1)
            if [f["rank"] for f in found] == [1] and re.search(text, found[0]["text"]):
                break
        self.assertEqual([(f["kind"], f["rank"]) for f in found], [("late in collectives", 1)], self.waits("out"))
        self.assertRegex(found[0]["text"], text)

    def test_twin(self):
        for _ in range(5):
            found = self.run_it(-1)
            if not found:
                break
        self.assertEqual(found, [])


# When four ranks come to three collectives, in ms, and when they leave them; and one message of each kind.
ARRIVALS = {0: [(10, 16), (20, 30), (40, 40.5)], 1: [(15, 16), (21, 30), (41, 42)], 2: [(11, 16), (29, 30), (42, 42.5)],
            3: [(12, 16), (22, 30), (43, 43.5)]}
FUNCTIONS = ["MPI_Allreduce", "MPI_Barrier", "MPI_Reduce"]  # the root of the last one is rank 1


def made(path, rank, template):
    """A database with calls at times of its own, in one that a run has left."""
    shutil.copy(template, path)
    with sqlite3.connect(path) as d:
        tables = {t.rsplit("_", 5)[0]: t for (t,) in d.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        guid, nid, pid, tid = d.execute("SELECT guid, nid, pid, tid FROM rocpd_region LIMIT 1").fetchone()
        ids = {s: i for i, s in d.execute("SELECT id, string FROM rocpd_string")}
        for table in ("rocpd_arg", "rocpd_region", "rocpd_event"):
            d.execute(f'DELETE FROM "{tables[table]}"')

        def call(event, function, start, end, **values):
            if function not in ids:
                ids[function] = max(ids.values()) + 1
                d.execute(f'INSERT INTO "{tables["rocpd_string"]}" (id, string) VALUES (?, ?)', (ids[function], function))
            d.execute(f'INSERT INTO "{tables["rocpd_event"]}" (id, category_id) VALUES (?, ?)', (event, ids["MPI_API"]))
            d.execute(f'INSERT INTO "{tables["rocpd_region"]}" (nid, pid, tid, start, "end", name_id, event_id) '
                      "VALUES (?, ?, ?, ?, ?, ?, ?)",
                      (nid, pid, tid, int(start * 1e6), int(end * 1e6), ids[function], event))
            for i, (name, value) in enumerate({"communicator": "MPI_COMM_WORLD", "rank": rank, "size": 4, **values}.items()):
                d.execute(f'INSERT INTO "{tables["rocpd_arg"]}" (event_id, position, type, name, value) VALUES (?, ?, ?, ?, ?)',
                          (event, i, "int", name, str(value)))

        for i, (start, end) in enumerate(ARRIVALS[rank]):
            call(i + 1, FUNCTIONS[i], start, end, **({"root": 1} if i == 2 else {}))
        # rank 0 sends two messages with one tag to rank 2: the first late by 3 ms, the second into a receive that begins 4 ms late
        if rank == 0:
            call(11, "MPI_Send", 53, 53.5, destination=2, send_tag=5, bytes_sent=10)
            call(12, "MPI_Send", 60, 65, destination=2, send_tag=5, bytes_sent=1000)
        if rank == 2:
            call(11, "MPI_Irecv", 50, 50.1, source=0, receive_tag=5, request=1)
            call(12, "MPI_Wait", 50, 54, completed="r:1:MPI_COMM_WORLD:0:5:10", bytes_received=10)
            call(13, "MPI_Recv", 64, 65, source=0, receive_tag=5, bytes_received=1000)
        if rank == 3:
            call(11, "MPI_Send", 70, 71, destination=0, send_tag=1, bytes_sent=1)  # nobody receives it


class Sums(Case):
    """Waiting as computed by hand, from databases with given times, which are made of those of one run."""
    run_of_all = None  # its folder

    def setUp(self):
        super().setUp()
        if not self.run_of_all:
            self.trace("none", ranks=4)
            Sums.run_of_all = tempfile.mkdtemp(prefix="rocprofv3-waits-")
            self.addClassCleanup(shutil.rmtree, self.run_of_all)
            shutil.move(self.folder + "/out", self.run_of_all)
        os.mkdir(self.folder + "/made")
        for rank in range(4):
            made(f"{self.folder}/made/{rank}.db", rank, f"{self.run_of_all}/out/r{rank}_results.db")

    def test_ranks(self):
        rows = {int(r["rank"]): r for r in csv.DictReader(io.StringIO(self.waits("-f", "csv", "-i", "made")))}
        column = lambda name: [float(rows[rank][name]) / 1e6 for rank in range(4)]
        # Allreduce: the last is rank 1 at 15. Barrier: rank 2 at 29. Reduce: rank 1 alone waits, until it leaves at 42 (rank 3
        # comes at 43)
        self.assertEqual(column("collective_ns"), [5 + 9, 8 + 1, 4, 3 + 7])
        self.assertEqual(column("caused_ns"), [0, 5 + 4 + 3, 9 + 8 + 7, 1])
        self.assertEqual([int(rows[rank]["last_in"]) for rank in range(4)], [0, 1, 1, 1])
        self.assertEqual(column("late_ns"), [0, 4, 8, 2])  # 15 - (10+11+12)/3, 29 - (20+21+22)/3, 43 - (40+41+42)/3
        self.assertEqual(column("sender_ns"), [0, 0, 3, 0])
        self.assertEqual(column("late_send_ns"), [3, 0, 0, 0])
        self.assertEqual(column("receiver_ns"), [4, 0, 0, 0])
        self.assertEqual(column("late_receive_ns"), [0, 0, 4, 0])
        self.assertEqual([int(rows[rank]["sent"]) for rank in range(4)], [1010, 0, 0, 1])
        self.assertEqual([int(rows[rank]["received"]) for rank in range(4)], [0, 0, 1010, 0])

    def test_collectives(self):
        found = json.loads(self.waits("-f", "json", "made"))
        self.assertEqual((found["unmatched"], found["missing"]), (1, 0))
        self.assertEqual([(c["function"], c["communicator"], c["count"], c["calls"], c["total_ns"] / 1e6, c["waiting_ns"] / 1e6)
                          for c in found["collectives"]],
                         [("MPI_Barrier", "MPI_COMM_WORLD", 1, 4, 10 + 9 + 1 + 8, 9 + 8 + 7),
                          ("MPI_Allreduce", "MPI_COMM_WORLD", 1, 4, 6 + 1 + 5 + 4, 5 + 4 + 3),
                          ("MPI_Reduce", "MPI_COMM_WORLD", 1, 4, 2.5, 1)])

    def test_clocks_of_two_nodes(self):
        """Rank 3 is on a node whose clock is 5 s ahead, as --sync-clocks has found: nothing else changes."""
        before = self.waits("-f", "csv", "made")
        for rank in range(4):
            with sqlite3.connect(f"{self.folder}/made/{rank}.db") as d:
                tables = {t.rsplit("_", 5)[0]: t for (t,) in d.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                offset = -5000000000 if rank == 3 else 0
                d.execute(f'DELETE FROM "{tables["rocpd_metadata"]}" WHERE tag = \'boot_id\'')
                facts = {"boot_id": "b" if rank == 3 else "a",
                         "clock_begin": f"00000000000000aa 10000000 {offset} 0", "clock_end": f"00000000000000aa 90000000 {offset} 0"}
                for tag, value in facts.items():
                    d.execute(f'INSERT INTO "{tables["rocpd_metadata"]}" (tag, value) VALUES (?, ?)', (tag, value))
                d.execute(f'UPDATE "{tables["rocpd_region"]}" SET start = start - ?, "end" = "end" - ?', (offset, offset))
        self.assertEqual(self.waits("-f", "csv", "made"), before)
        self.assertIn("clocks off by", self.waits("made"))

    def test_any_order_of_rows(self):
        """Rows of a table may be stored in any order: here the last one comes first."""
        before = self.waits("-f", "json", "made")
        for rank in range(4):
            with sqlite3.connect(f"{self.folder}/made/{rank}.db") as d:
                tables = {t.rsplit("_", 5)[0]: t for (t,) in d.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                for table in ("rocpd_arg", "rocpd_region"):
                    d.execute(f'UPDATE "{tables[table]}" SET id = 1000000 - id')
        self.assertEqual(self.waits("-f", "json", "made"), before)

    def test_any_number_of_workers(self):
        """The output is the same, whether one process reads all databases or several read them side by side."""
        cpus = os.sched_getaffinity(0)
        several = [self.waits("-f", form, "made") for form in ("text", "csv", "json")]
        self.addCleanup(os.sched_setaffinity, 0, cpus)
        os.sched_setaffinity(0, {min(cpus)})
        self.assertEqual([self.waits("-f", form, "made") for form in ("text", "csv", "json")], several)

    def test_a_rank_is_missing_or_there_twice(self):
        os.remove(self.folder + "/made/3.db")
        self.assertIn("1 of the job have no database", self.waits("made"))
        shutil.copy(self.folder + "/made/2.db", self.folder + "/made/2-again.db")
        done = subprocess.run([ROCPROFV3, "waits", "made"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr.count("rank 2 is in"), 1, done.stderr)

    def test_bad_input(self):
        os.mkdir(self.folder + "/empty")
        self.assertEqual(self.waits("empty", status=2).count("\n"), 1)
        self.assertIn("xml", self.waits("-f", "xml", "made", status=2))
        with open(self.folder + "/empty/no.db", "w") as f:
            f.write("no database")
        self.assertEqual(self.waits("empty", status=1).count("\n"), 1)


if __name__ == "__main__":
    sys.argv[1:3] = []
    unittest.main()
