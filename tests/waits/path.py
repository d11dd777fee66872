#!/usr/bin/env python3
"""rocprofv3 waits on databases with given times: the critical path and with whom waiting begins, as computed by hand, and what it
says that a slow rank does differently, in jobs that bench_fleet makes.

usage: path.py ROCPROFV3 BENCH_FLEET [unittest arguments]
"""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "report"))
import fixture  # pylint: disable=wrong-import-position

ROCPROFV3, FLEET = sys.argv[1:3]
MS = 1000000


class Rank:
    """The database of a rank; times are ms."""

    def __init__(self, folder, rank, size):
        self.rank, self.size = rank, size
        self.db = fixture.Database(f"{folder}/{rank}.db", pid=5000 + rank, command="./solve", soft=False)

    def call(self, name, start, end):
        """Of HIP; its number, for what it launches."""
        return self.db.call(name, int(start * MS), int(end * MS))

    def mpi(self, name, start, end, **values):
        self.db.call(name, int(start * MS), int(end * MS), "MPI_API")
        for i, (key, value) in enumerate({"communicator": "MPI_COMM_WORLD", "rank": self.rank, "size": self.size, **values}.items()):
            self.db.put("rocpd_arg", event_id=self.db.event, position=i, type="int", name=key, value=str(value))

    def kernel(self, number, start, end, launched):
        self.db.dispatch(number, int(start * MS), int(end * MS), launched)

    def done(self):
        self.db.done()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="waits-path-")
        self.addCleanup(shutil.rmtree, self.folder)

    def waits(self, *options):
        done = subprocess.run([ROCPROFV3, "waits", *options, self.folder], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def columns(self, *names):
        rows = sorted(csv.DictReader(io.StringIO(self.waits("-f", "csv"))), key=lambda r: int(r["rank"]))
        return [[float(row[name]) / MS for row in rows] for name in names]


class Path(Case):
    """Rank 0 waits for its GPU and sends to rank 1 at 12 ms; rank 1 waits for that and comes last to a collective at 20 ms; rank 2
    has waited for it, and goes on longest."""

    def setUp(self):
        super().setUp()
        ranks = [Rank(self.folder, i, 3) for i in range(3)]
        for rank, init in zip(ranks, (0.5, 1.5, 1)):
            rank.mpi("MPI_Init", 0, init)
        r = ranks[0]
        r.db.kernel(1, "first")
        r.db.kernel(2, "second")
        r.db.kernel(3, "other")
        r.kernel(1, 2, 8, r.call("hipLaunchKernel", 1, 1.1))
        r.kernel(2, 9, 11, r.call("hipLaunchKernel", 1.2, 1.3))
        other = r.call("hipLaunchKernel", 1.4, 1.5)
        r.call("hipStreamSynchronize", 3, 11.5)
        r.db.dispatch(3, int(1.6 * MS), int(13 * MS), other, queue=2) # nobody waits for it
        r.mpi("MPI_Send", 12, 12.2, destination=1, send_tag=3, bytes_sent=8)
        r.mpi("MPI_Allreduce", 12.5, 20.2, bytes_sent=8)
        r.mpi("MPI_Finalize", 21, 22)
        r = ranks[1]
        r.mpi("MPI_Recv", 5, 12.5, source=0, receive_tag=3, bytes_received=8)
        r.mpi("MPI_Allreduce", 20, 20.3, bytes_sent=8)
        r.mpi("MPI_Finalize", 22, 23)
        r = ranks[2]
        r.mpi("MPI_Allreduce", 15, 20.25, bytes_sent=8)
        r.mpi("MPI_Finalize", 24, 25)
        for rank in ranks:
            rank.done()

    def test_parts(self):
        path = json.loads(self.waits("-f", "json"))["path"]
        self.assertEqual((path["ns"], path["changes"]), (int(23.5 * MS), 2))
        parts = {(p["rank"], p["kind"], p["name"]): (p["count"], p["ns"] / MS) for p in path["parts"]}
        self.assertEqual(parts, {
            (2, "host", ""): (1, 3.75), (2, "MPI", "MPI_Allreduce"): (1, 0.25),  # 20 to 24
            (1, "host", ""): (1, 7.5), (1, "MPI", "MPI_Recv"): (1, 0.5),         # 12 to 20
            (0, "host", ""): (2, 1.5),                                           # 11 to 12, and 0.5 to 1
            (0, "kernel", "second"): (1, 2), (0, "kernel", "first"): (1, 6),
            (0, "launching", ""): (2, 2)})                                       # 8 to 9, and 1 to 2
        sums = {(p["kind"], p["name"]): p["ns"] / MS for p in path["sums"]}
        self.assertEqual(sums, {("host", ""): 12.75, ("MPI", "MPI_Allreduce"): 0.25, ("MPI", "MPI_Recv"): 0.5,
                                ("kernel", "second"): 2, ("kernel", "first"): 6, ("launching", ""): 2})

    def test_ranks(self):
        self.assertEqual(self.columns("path_ns"), [[11.5, 8, 4]])
        text = self.waits()
        self.assertIn("critical path: 23.500 ms, 2 changes of the rank; rank 0 48.9 %, rank 1 34.0 %, rank 2 17.0 %\n", text)
        self.assertRegex(text, r"\n +kernel +first +1 +6\.000 +25\.5\n")


class Roots(Case):
    """Rank 1 comes last to a collective because it has waited for rank 0 until shortly before."""

    def test_passed_on(self):
        ranks = [Rank(self.folder, i, 3) for i in range(3)]
        ranks[0].mpi("MPI_Send", 18, 18.1, destination=1, send_tag=3, bytes_sent=8)
        ranks[0].mpi("MPI_Allreduce", 18.2, 18.6)
        ranks[1].mpi("MPI_Recv", 5, 18.2, source=0, receive_tag=3, bytes_received=8)
        ranks[1].mpi("MPI_Allreduce", 18.5, 18.6)
        ranks[2].mpi("MPI_Allreduce", 15, 18.7)
        for rank in ranks:
            rank.mpi("MPI_Finalize", 19, 20)
            rank.done()
        # rank 2 waits 3.5 ms, and rank 0 0.3 ms, for rank 1, which has waited 13 ms for rank 0
        caused, late, root = self.columns("caused_ns", "late_send_ns", "root_ns")
        self.assertEqual(caused, [0, 3.8, 0])
        self.assertEqual(late, [13, 0, 0])
        self.assertEqual(root, [16.8, 0, 0])
        # rank 1 is 1.9 ms later than the mean of the others, because of rank 0
        last, late_ns, delays, delay_ns = self.columns("last_in", "late_ns", "delays", "delay_ns")
        self.assertEqual([n * MS for n in last], [0, 1, 0])
        self.assertEqual(late_ns, [0, 1.9, 0])
        self.assertEqual([n * MS for n in delays], [1, 0, 0])
        self.assertEqual(delay_ns, [1.9, 0, 0])

    def test_pipeline(self):
        """Rank 1 takes 20 ms for an item, ranks 0 and 2 take 10, rank 3 takes 15: rank 2 waits for rank 1, and rank 3 for rank 2 because
        of rank 1, since rank 2 has not worked longer than rank 3."""
        ranks, takes, free = [Rank(self.folder, i, 4) for i in range(4)], [10, 20, 10, 15], [1, 1, 1, 1]
        waits = {}
        for step in range(5):
            there = 1
            for i, rank in enumerate(ranks):
                begin = max(free[i], there)
                if i:
                    rank.mpi("MPI_Recv", free[i], begin + 0.001, source=i - 1, receive_tag=step, bytes_received=8)
                    waits[i, step] = begin - free[i]
                free[i] = there = begin + takes[i]
                if i < 3:
                    rank.mpi("MPI_Send", there, there + 0.001, destination=i + 1, send_tag=step, bytes_sent=8)
        for i, rank in enumerate(ranks):
            rank.mpi("MPI_Finalize", free[i] + 1, free[i] + 2)
            rank.done()
        self.assertEqual([waits[2, step] for step in range(5)], [30, 10, 10, 10, 10])
        self.assertEqual([waits[3, step] for step in range(5)], [40, 5, 5, 5, 5])
        # the first item: ranks 1 to 3 wait 10 ms for rank 0, ranks 2 and 3 20 ms for rank 1, rank 3 10 ms for rank 2
        self.assertEqual(self.columns("root_ns"), [[30, 40 + 4 * 10 + 4 * 5, 10, 0]])

    def test_circle(self):
        """Clocks that are off can say that ranks wait for each other: the sums stay those of the waits."""
        ranks = [Rank(self.folder, i, 2) for i in range(2)]
        for rank in ranks:
            rank.mpi("MPI_Recv", 1, 10, source=1 - rank.rank, receive_tag=0, bytes_received=8)
            rank.mpi("MPI_Send", 9, 9.5, destination=1 - rank.rank, send_tag=0, bytes_sent=8)
            rank.mpi("MPI_Finalize", 11, 12)
            rank.done()
        self.assertEqual(sum(self.columns("root_ns")[0]), 16)
        self.assertEqual(json.loads(self.waits("-f", "json"))["path"]["ns"], 10 * MS)

    def test_a_send_that_did_not_wait(self):
        """A send that was complete before the receive began has not waited for it, however long the call took."""
        ranks = [Rank(self.folder, i, 2) for i in range(2)]
        ranks[0].mpi("MPI_Isend", 1, 1.1, destination=1, send_tag=0, bytes_sent=8, request=1)
        ranks[0].mpi("MPI_Wait", 1.2, 5, completed="s:1:MPI_COMM_WORLD:1:0:8")
        ranks[1].mpi("MPI_Recv", 8, 8.1, source=0, receive_tag=0, bytes_received=8)
        for rank in ranks:
            rank.mpi("MPI_Finalize", 9, 10)
            rank.done()
        self.assertEqual(self.columns("receiver_ns", "late_receive_ns"), [[0, 0], [0, 0]])


class Rccl(Case):
    """Collectives of RCCL wait for each other on the GPUs, whenever the hosts have called them."""

    def test_kernels(self):
        for rank, (start, kernel) in enumerate(((4, "force"), (9, "force"), (5, "force"))):
            r = Rank(self.folder, rank, 3)
            r.db.put("rocpd_metadata", tag="rank", value=str(rank))
            r.db.put("rocpd_metadata", tag="ranks", value="3")
            r.db.kernel(1, kernel)
            r.db.kernel(2, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)")
            r.kernel(1, 1, start - 0.5, r.call("hipLaunchKernel", 0.5, 0.6))
            for step, again in enumerate((0, 20)):
                called = r.db.call("ncclAllReduce", int((again + 1) * MS), int((again + 1.1) * MS), "RCCL_API")
                for i, (name, value) in enumerate((("count", 100), ("communicator", "0x00000000000000ab"), ("rank", rank), ("size", 3),
                                                   ("bytes_sent", 400), ("bytes_received", "" if step else 400))):
                    r.db.put("rocpd_arg", event_id=r.db.event, position=i, type="int", name=name, value=str(value))
                r.kernel(2, again + start, again + 10, called)
            r.done()
        waits, caused, last = self.columns("collective_ns", "caused_ns", "last_in")
        self.assertEqual(waits, [10, 0, 8])
        self.assertEqual(caused, [0, 18, 0])
        self.assertEqual([n * MS for n in last], [0, 2, 0])
        found = json.loads(self.waits("-f", "json"))
        self.assertEqual([(c["function"], c["communicator"], c["count"], c["calls"], c["total_ns"], c["waiting_ns"], c["bytes"])
                          for c in found["collectives"]],
                         [("ncclAllReduce", "0x00000000000000ab", 2, 6, 24 * MS, 18 * MS, 2400)])
        self.assertEqual([r["received"] for r in found["ranks"]], [400] * 3)


class Findings(Case):
    """What waits finds is told by rocprofv3 findings, too."""

    def job(self, late=0):
        for i in range(4):
            r, at = Rank(self.folder, i, 4), 1
            r.db.put("rocpd_metadata", tag="rank", value=str(i))
            r.db.put("rocpd_metadata", tag="ranks", value="4")
            for step in range(10):
                if late < 0: # one message goes from rank 1 to rank 2
                    if i == 1:
                        r.mpi("MPI_Send", at + 6, at + 6.1, destination=2, send_tag=step, bytes_sent=100)
                    if i == 2:
                        r.mpi("MPI_Recv", at + 1, at + 6.2, source=1, receive_tag=step, bytes_received=100)
                else:
                    r.mpi("MPI_Allreduce", at + 4 + (late if i == 3 else 0), at + 4.1 + late, bytes_sent=8)
                at += 10
            r.mpi("MPI_Finalize", at, at + 1)
            r.done()

    def findings(self):
        done = subprocess.run([ROCPROFV3, "findings", "--format", "json", self.folder], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [f for f in json.loads(done.stdout)["findings"] if f["rule"].startswith("mpi-")]

    def test_late(self):
        self.job(3)
        found, = self.findings()
        self.assertEqual(found["rule"], "mpi-late")
        self.assertRegex(found["text"], r"^rank 3 arrives 3\.0 ms late in each of 10 collectives: .*\. All ranks together wait 90 ms, 23\.6 % of their time\.$")
        self.assertAlmostEqual(found["weight"], 90 / 381, 5)

    def test_sender(self):
        self.job(-1)
        found, = self.findings()
        self.assertEqual(found["rule"], "mpi-sender")
        self.assertRegex(found["text"], r"^rank 1 sends 5\.0 ms late in 10 messages: others wait 50\.0 ms for it, rank 2 most of all\. All")
        self.assertEqual(json.loads(self.waits("-f", "json"))["messages"], [{"from": 1, "to": 2, "count": 10, "bytes": 1000}])

    def test_none(self):
        self.job()
        self.assertEqual(self.findings(), [])


class Reasons(Case):
    """Jobs in which each rank exchanges with its neighbours before all wait for all: the slow one makes its neighbours late."""

    def first(self, *options):
        subprocess.run([FLEET, "--ranks", "12", "--records", "1000", "--mpi", *options, self.folder], check=True, timeout=60)
        findings = json.loads(self.waits("-f", "json"))["findings"]
        return findings[0] if findings else None

    def check(self, rank, text, *options):
        first = self.first(*options)
        self.assertEqual((first["kind"], first["rank"]), ("late in collectives", rank), first)
        self.assertRegex(first["text"], f"^rank {rank} keeps the others waiting [0-9]+ us in each of 4[0-9] collectives, through "
                                        f"ranks that wait for it: {text}$")

    def test_kernel(self):
        self.check(5, r"its kernel forces\(.* takes 1\.[89] x the median|.* takes 2 x the median", "--slow-rank", "5:1.9")

    def test_copies(self):
        self.check(6, r"its copies take (7\.9|8|8\.1) x the median", "--slow-copy", "6:8")

    def test_host(self):
        self.check(7, r"its time without MPI in the range step takes 1\.4 x the median", "--slow-host", "7:0.4")

    def test_none(self):
        self.assertIsNone(self.first())


class Folders(Case):
    def test_what_cannot_be_read_is_told(self):
        """A path that is too long stands for what cannot be read: root may read all else."""
        rank = Rank(self.folder, 0, 2)
        rank.mpi("MPI_Barrier", 0, 1)
        rank.done()
        self.assertIn("MPI", self.waits())
        place = os.open(self.folder, os.O_RDONLY)
        for _ in range(17):  # of 251 bytes each: more than PATH_MAX
            os.mkdir("d" * 250, dir_fd=place)
            below = os.open("d" * 250, os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = below
        os.close(place)
        for command in "waits", "findings":
            done = subprocess.run([ROCPROFV3, command, self.folder], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), command)
            self.assertTrue(done.stderr.startswith(f"rocprofv3: error: {self.folder}/{'d' * 250}/"), done.stderr)


if __name__ == "__main__":
    sys.argv[1:3] = []
    unittest.main()
