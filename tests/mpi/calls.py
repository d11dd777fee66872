#!/usr/bin/env python3
"""Calls of MPI under rocprofv3 --mpi-trace, by Open MPI and MPICH: bytes, peers and counts as computed by hand.

usage: calls.py ROCPROFV3 ROCPD PROGRAMS [unittest arguments]

PROGRAMS is the folder of what CMake has compiled: NAME-IMPLEMENTATION for calls.c, fortran.f90 and ends.c, and planted.c.
"""
import csv
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROCPROFV3, ROCPD, PROGRAMS = sys.argv[1:4]
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
COLUMNS = ("Communicator Rank Size Root Destination Send_Tag Bytes_Sent Source Receive_Tag Bytes_Received Request "
           "New_Communicator Members Completed").split()


def launch(implementation, ranks, command, folder):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROC", "LD_", "HSA_"))}
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return subprocess.run([*LAUNCHERS[implementation], "-n", str(ranks), *command], env=environment, cwd=folder,
                          capture_output=True, text=True, timeout=100)


def call(name, comm="world", rank="", size="", **values):
    """A line, as a tuple of texts; what is not given is an empty cell."""
    row = {"Communicator": comm, "Rank": rank, "Size": size, **values}
    return (name, *(str(row.get(c, "")) for c in COLUMNS))


def number_requests(rows):
    """Small messages may be complete at once: then their requests have no numbers. So they get none here."""
    numbers = {}
    for row in rows:
        if row["Request"] and row["Function"] == "MPI_Isend" and int(row["Bytes_Sent"]) < 100:
            numbers[row["Request"]] = ""
        elif row["Request"]:
            numbers[row["Request"]] = str(1 + len([n for n in numbers.values() if n]))
        row["Request"] = numbers.get(row["Request"], "")
        done = [text.split(":") for text in row["Completed"].split()]
        row["Completed"] = " ".join(":".join([d[0], numbers[d[1]], *d[2:]]) for d in done if numbers[d[1]])
        if row["Function"] in ("MPI_Wait", "MPI_Waitany") and not row["Completed"]:
            row["Communicator"] = ""
        if row["Function"] == "MPI_Waitall":  # if one is complete, its peer stands in the line, too
            row["Communicator"] = row["Source"] = row["Receive_Tag"] = ""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rocprofv3-mpi-")
        self.addCleanup(shutil.rmtree, self.folder)

    def trace(self, implementation, program, *arguments, ranks=4, formats=("csv",), status=0, options=()):
        profiler = [ROCPROFV3, "--mpi-trace", *options, "-f", *formats, "-d", "out", "-o", "r%rank%", "--"]
        done = launch(implementation, ranks,
                      [*profiler, f"{PROGRAMS}/{program}-{implementation}", *arguments], self.folder)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def lines(self, rank, path="out"):
        """The lines of a rank; communicators have names in the order in which they are made."""
        with open(f"{self.folder}/{path}/r{rank}_mpi_api_trace.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        names = {"MPI_COMM_WORLD": "world", "MPI_COMM_SELF": "self", "": ""}
        for row in rows:
            self.assertEqual(row["Domain"], "MPI_API")
            self.assertLessEqual(int(row["Start_Timestamp"]), int(row["End_Timestamp"]))
            made = row["New_Communicator"]
            if made and made not in names:
                names[made] = f"made{len(names) - 2}"
            for long, short in names.items():
                if long:
                    row["Completed"] = row["Completed"].replace(long, short)
        number_requests(rows)
        return [(row["Function"], *(names[row[c]] if c.endswith("ommunicator") else row[c] for c in COLUMNS))
                for row in rows]

    def ids(self, rank):
        with open(f"{self.folder}/out/r{rank}_mpi_api_trace.csv", newline="") as f:
            return [(r["Function"], r["New_Communicator"]) for r in csv.DictReader(f) if r["New_Communicator"]]


def in_c(me):
    """What calls.c does in the rank."""
    right, left = (me + 1) % 4, (me + 3) % 4
    world = dict(rank=me, size=4)
    rows = [call("MPI_Init_thread", **world)]
    if me == 0:
        rows.append(call("MPI_Send", **world, Destination=1, Send_Tag=7, Bytes_Sent=64))
    if me == 1:
        rows += [call("MPI_Recv", **world, Source=0, Receive_Tag=7, Bytes_Received=64),
                 call("MPI_Send", **world, Destination=2, Send_Tag=9, Bytes_Sent=12)]
    if me == 2:
        rows += [call("MPI_Probe", **world, Source=1, Receive_Tag=9),
                 call("MPI_Recv", **world, Source=1, Receive_Tag=9, Bytes_Received=12)]
    rows += [call("MPI_Irecv", **world, Source=left, Receive_Tag=11, Request=1),
             call("MPI_Isend", **world, Destination=right, Send_Tag=11, Bytes_Sent=16),
             call("MPI_Waitall", "", Bytes_Received=16, Completed=f"r:1:world:{left}:11:16"),
             call("MPI_Sendrecv", **world, Destination=right, Send_Tag=12, Bytes_Sent=16, Source=left, Receive_Tag=12,
                  Bytes_Received=16),
             call("MPI_Irecv", **world, Source="any", Receive_Tag=13, Request=2),
             call("MPI_Isend", **world, Destination=right, Send_Tag=13, Bytes_Sent=4),
             call("MPI_Test", Source=left, Receive_Tag=13, Bytes_Received=4, Completed=f"r:2:world:{left}:13:4"),
             call("MPI_Wait", ""),
             call("MPI_Recv", **world, Source="null", Receive_Tag="any"),
             call("MPI_Irecv", **world, Source=left, Receive_Tag=14, Request=3),
             call("MPI_Isend", **world, Destination=right, Send_Tag=14, Bytes_Sent=1 << 20, Request=4),
             call("MPI_Waitall", "", Bytes_Received=1 << 20,
                  Completed=f"r:3:world:{left}:14:1048576 s:4:world:{right}:14:1048576")]
    for tag in range(40):
        rows += [call("MPI_Irecv", **world, Source=left, Receive_Tag=tag, Request=5 + tag),
                 call("MPI_Isend", **world, Destination=right, Send_Tag=tag, Bytes_Sent=4)]
    completed = [f"r:{5 + tag}:world:{left}:{tag}:4" for tag in range(40)]
    rows.append(call("MPI_Waitall", "", Bytes_Received=160, Completed=" ".join(completed)))
    rows += [call("MPI_Comm_dup", **world, New_Communicator="made1", Members="0-3"), call("MPI_Barrier", "made1", me, 4)]
    # split by odd and even, the highest rank first
    members, mine = [[2, 0], [3, 1]][me % 2], 1 - me // 2
    rows.append(call("MPI_Comm_split", **world, New_Communicator="made2", Members=" ".join(map(str, members))))
    half = dict(comm="made2", rank=mine, size=2)

    def both(name, sent="", received="", root="", **more):
        values = {k: v for k, v in (("Bytes_Sent", sent), ("Bytes_Received", received)) if v}
        rows.append(call("MPI_" + name, **{**half, **more}, Root=root, **values))

    count = 4 * (mine + 1)  # bytes of as many numbers as this rank has in the functions with v; both: 12
    first, second = mine == 0, mine == 1
    both("Barrier")
    both("Bcast", 20 * second, 20 * first, 1)
    both("Reduce", 12, 12 * first, 0)
    both("Allreduce", 0, 8)
    both("Gather", 8, 16 * second, 1)
    both("Gatherv", count, 12 * first, 0)
    both("Scatter", 24 * first, 12, 0)
    both("Scatterv", 12 * second, count, 1)
    both("Allgather", 4, 8)
    both("Allgatherv", count, 12)
    both("Alltoall", 16, 16)
    both("Alltoallv", 4, 4, comm="self", rank=0, size=1)
    both("Reduce_scatter", 12, count)
    both("Reduce_scatter_block", 16, 8)
    both("Scan", 8, 8)
    both("Exscan", 8, 8 * second)
    both("Ibarrier", Request=45)
    rows.append(call("MPI_Wait", "made2", Completed="c:45:made2:none:none:0"))
    both("Iallreduce", 16, 16, Request=46)
    rows.append(call("MPI_Wait", "made2", Completed="c:46:made2:none:none:0"))
    in_odd = me in (1, 3)
    rows.append(call("MPI_Comm_create", "made1", me, 4, **({"New_Communicator": "made3", "Members": "3 1"} if in_odd else {})))
    if in_odd:
        rows += [call("MPI_Barrier", "made3", int(me == 1), 2), call("MPI_Comm_free", "made3", int(me == 1), 2)]
    rows += [call("MPI_Comm_free", **half), call("MPI_Comm_free", "made1", me, 4),
             call("MPI_Send"),  # an error, which the program gets: nothing is asked of its arguments
             call("MPI_Finalize", **world)]
    rows[-2] = call("MPI_Send", "")
    return rows


def in_fortran(me):
    right, left = (me + 1) % 4, (me + 3) % 4
    world = dict(rank=me, size=4)
    rows = [call("MPI_Init", **world)]
    if me == 0:
        rows.append(call("MPI_Send", **world, Destination=1, Send_Tag=7, Bytes_Sent=20))
    if me == 1:
        rows.append(call("MPI_Recv", **world, Source=0, Receive_Tag=7, Bytes_Received=20))
    rows += [call("MPI_Sendrecv", **world, Destination=right, Send_Tag=8, Bytes_Sent=8, Source=left, Receive_Tag=8,
                  Bytes_Received=8),
             call("MPI_Irecv", **world, Source=left, Receive_Tag=9, Request=1),
             call("MPI_Isend", **world, Destination=right, Send_Tag=9, Bytes_Sent=12),
             call("MPI_Waitall", "", Bytes_Received=12, Completed=f"r:1:world:{left}:9:12"),
             call("MPI_Irecv", **world, Source=left, Receive_Tag=10, Request=2),
             call("MPI_Isend", **world, Destination=right, Send_Tag=10, Bytes_Sent=4)]
    waits = [call("MPI_Waitany", Source=left, Receive_Tag=10, Bytes_Received=4, Completed=f"r:2:world:{left}:10:4"),
             call("MPI_Waitany", "")]
    members, mine = [[0, 2], [1, 3]][me % 2], me // 2
    rest = [call("MPI_Comm_split", **world, New_Communicator="made1", Members=" ".join(map(str, members))),
            call("MPI_Barrier", "made1", mine, 2), call("MPI_Allreduce", "made1", mine, 2, Bytes_Received=12),
            call("MPI_Bcast", "made1", mine, 2, Root=1, **{"Bytes_Sent" if mine else "Bytes_Received": 32}),
            call("MPI_Gatherv", **world, Root=2, Bytes_Sent=4 * (me + 1), **({"Bytes_Received": 40} if me == 2 else {})),
            call("MPI_Comm_free", "made1", mine, 2), call("MPI_Finalize", **world)]
    return rows, waits, rest


class Calls(Case):
    def check_c(self, implementation):
        done = self.trace(implementation, "calls", formats=("csv", "rocpd", "json", "pftrace"))
        self.assertEqual(done.stdout.count("is done"), 4)
        for me in range(4):
            self.assertEqual(self.lines(me), in_c(me))
        for rank in range(1, 4):  # communicators of all members have one id; the two halves have two
            self.assertEqual(self.ids(rank)[0], self.ids(0)[0])
            self.assertEqual(self.ids(rank)[1] == self.ids(0)[1], rank == 2)
        self.assertEqual(self.ids(1), self.ids(3))
        self.check_others(0)

    def check_others(self, rank):
        """The same values in the database, in JSON and in what rocpd makes of the database."""
        path = f"{self.folder}/out/r{rank}_results"
        with open(f"{self.folder}/out/r{rank}_mpi_api_trace.csv", newline="") as f:
            expected = [(r["Function"], [(c.lower(), r[c]) for c in COLUMNS if r[c]]) for r in csv.DictReader(f)]
        with sqlite3.connect(path + ".db") as database:
            events = database.execute("SELECT event_id, name FROM regions WHERE category = 'MPI_API' ORDER BY start").fetchall()
            arguments = {}
            for event, name, value in database.execute("SELECT event_id, name, value FROM rocpd_arg ORDER BY position"):
                arguments.setdefault(event, []).append((name, value))
        self.assertEqual([(name, arguments.get(event, [])) for event, name in events], expected)
        with open(path + ".json") as f:
            records = json.load(f)["rocprofiler-sdk-tool"][0]
        names = next(k["operations"] for k in records["strings"]["buffer_records"] if k["kind"] == "MPI_API")
        self.assertEqual([(names[r["operation"]], [(a["name"], a["value"]) for a in r["args"]])
                          for r in records["buffer_records"]["mpi_api"]], expected)
        subprocess.run([ROCPD, "convert", "-i", path + ".db", "-f", "pftrace", "-d", "again", "-o", "again"],
                       cwd=self.folder, check=True, capture_output=True, timeout=60)
        sizes = [os.path.getsize(file) for file in (path + ".pftrace", *glob.glob(self.folder + "/again/*.pftrace"))]
        self.assertEqual(len(sizes), 2)
        self.assertLess(abs(sizes[0] - sizes[1]), sizes[0] // 10)  # the same calls with the same values

    def test_open_mpi(self):
        self.check_c("openmpi")

    def test_mpich(self):
        self.check_c("mpich")


@unittest.skipUnless(shutil.which("otf2-print"), "otf2-tools")
class Archives(Case):
    """Archives of all ranks have messages, collectives and communicators, which otf2-print reads without a word."""

    def read(self, path, *options):
        found = glob.glob(f"{self.folder}/{path}/*.otf2")
        self.assertEqual(len(found), 1)
        done = subprocess.run(["otf2-print", *options, found[0]], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def convert(self, to):
        subprocess.run([ROCPD, "convert", "-i", "out", "-f", "otf2", "-d", to], cwd=self.folder, check=True, capture_output=True,
                       timeout=60)

    def count(self, lines):
        names = [line.split()[0] for line in lines if line.startswith("MPI_")]
        return {name: names.count(name) for name in sorted(set(names))}

    def test_all_ranks_and_without_one(self):
        self.trace("mpich", "calls", formats=("rocpd",))
        self.convert("all")
        lines = self.read("all")
        found = self.count(lines)
        # each rank: 43 receives by request, one by MPI_Sendrecv; two more messages. Sends whose requests are not complete at
        # once are one or more of each rank; each is complete in the end
        self.assertEqual((found["MPI_IRECV_REQUEST"], found["MPI_IRECV"], found["MPI_RECV"]), (4 * 43, 4 * 43, 4 + 2))
        self.assertEqual(found["MPI_SEND"] + found["MPI_ISEND"], 4 * 44 + 2)
        self.assertGreaterEqual(found["MPI_ISEND"], 4)
        self.assertEqual(found["MPI_ISEND"], found["MPI_ISEND_COMPLETE"])
        # 16 collectives of each rank, two barriers, of which one is of two ranks, and three new communicators
        self.assertEqual(found["MPI_COLLECTIVE_BEGIN"], 4 * (16 + 1 + 3) + 2)
        self.assertEqual(found["MPI_COLLECTIVE_END"], found["MPI_COLLECTIVE_BEGIN"])
        self.assertEqual(sum("Operation: REDUCE_SCATTER_BLOCK" in line for line in lines), 4)
        first = next(line for line in lines if line.startswith("MPI_SEND") and "Tag: 7," in line)
        self.assertIn("Receiver: 1 ", first)
        self.assertIn("Length: 64", first)
        definitions = self.read("all", "-G")
        members = [line.split("Members: ")[1] for line in definitions if line.startswith("GROUP") and "COMM_LOCATIONS" in line]
        self.assertEqual(len(members), 1)
        self.assertEqual(members[0].count("Thread "), 4)
        self.assertEqual(sum(line.startswith("COMM ") for line in definitions), 6)  # world, self, dup, two halves, create

        # a rank is missing
        os.remove(self.folder + "/out/r2_results.db")
        self.convert("some")
        self.assertEqual(self.count(self.read("some"))["MPI_RECV"], 3 + 1)
        self.assertEqual(sum("rank that is not in this archive" in line for line in self.read("some", "-G")
                             if line.startswith("LOCATION ")), 1)

    def test_one_rank(self):
        """Its own archive has regions alone: the others are in no archive with it."""
        self.trace("mpich", "ends", "plain", formats=("otf2",), ranks=2)
        shutil.rmtree(self.folder + "/out/r1_results")
        os.remove(self.folder + "/out/r1_results.otf2")
        self.assertEqual(self.count(self.read("out")), {})


class Clocks(Case):
    """Two nodes are one here, so the right offset is known: it is 0."""

    def test_by_calls(self):
        self.trace("mpich", "planted", "slow_rank", "twin", formats=("rocpd",))
        times = []
        for rank in range(4):
            with sqlite3.connect(f"{self.folder}/out/r{rank}_results.db") as db:
                table, = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_metadata\\_%' ESCAPE '\\'").fetchone()
                kept = [row for row, in db.execute("SELECT value FROM rocpd_metadata WHERE tag = 'clock_mpi'")]
                calls = db.execute("SELECT name, start, \"end\" FROM regions WHERE name LIKE 'MPI\\_%' ESCAPE '\\'").fetchall()
                meetings = db.execute("SELECT start, \"end\" FROM regions WHERE name IN ('MPI_Barrier', 'MPI_Allreduce', "
                                      "'MPI_Allgather', 'MPI_Alltoall')").fetchall()
                db.execute(f'UPDATE "{table}" SET value = ? WHERE tag = \'boot_id\'', (f"node{rank // 2}",))
            db.close()
            ends = []
            times += [time for _, *both in calls for time in both]
            for text in kept:
                own, size, *numbers = text.split()
                self.assertEqual((own, size), (str(rank), "4"))
                base, *numbers = [int(n, 16) for n in numbers]
                ends += [tuple(n and n + base for n in numbers[i + 1:i + 3]) for i in range(0, len(numbers), 3)]
            # each is the begin or the end of calls, all collectives are among them, and it has each once
            self.assertGreaterEqual({start for _, start, _ in calls}, {start for start, _ in ends if start})
            self.assertGreaterEqual({end for _, _, end in calls}, {end for _, end in ends if end})
            self.assertGreaterEqual(set(ends), set(meetings))
            self.assertEqual(len(set(ends)), len(ends))
            self.assertGreaterEqual(len(meetings), 4)
        subprocess.run([ROCPD, "convert", "-i", "out", "-f", "csv", "-d", "all"], cwd=self.folder, check=True, capture_output=True, timeout=60)
        with open(f"{self.folder}/all/out_clocks.csv", newline="", encoding="utf-8") as f:
            rows = sorted(csv.DictReader(f), key=lambda row: int(row["Rank"]))
        self.assertEqual([row["Clock"] for row in rows[:2]], ["own clock"] * 2)
        for row in rows[2:]:
            self.assertIn("rank 0's clock by MPI: ", row["Clock"])
            print(f"rank {row['Rank']}: {row['Offset_Ns']} ns, at most {row['Error_Ns']} off")
            self.assertLessEqual(abs(int(row["Offset_Ns"])), int(row["Error_Ns"]))
            # who comes last in each step is chance, and on a loaded machine late, but no later than the program has run
            self.assertLess(int(row["Error_Ns"]), max(times) - min(times))


class Fortran(Case):
    def check(self, implementation):
        done = self.trace(implementation, "fortran")
        self.assertEqual(done.stdout.count("done"), 4)
        for me in range(4):
            rows, waits, rest = in_fortran(me)
            lines = self.lines(me)
            n = len(rows)
            self.assertEqual(lines[:n], rows)
            self.assertEqual(sorted(lines[n:n + 2]), sorted(waits))
            self.assertEqual(lines[n + 2:], rest)

    def test_open_mpi(self):
        self.check("openmpi")

    def test_mpich(self):
        self.check("mpich")


class EndsCase(Case):
    """Whatever way a program ends and whoever starts it, its result is its own."""

    def said(self):
        """What the ranks have written to their file, which is removed."""
        path = self.folder + "/said"
        with open(path, encoding="utf-8") as f:
            lines = sorted(f)
        os.remove(path)
        return lines

    WAYS = {"plain": (0, "MPI_Finalize"), "unfinished": (None, "MPI_Barrier"), "abort": (None, "MPI_Abort"),
            "threads": (0, "MPI_Finalize")}

    def check(self, implementation, *ways):
        for how in ways or self.WAYS:
            status, last = self.WAYS[how]
            with self.subTest(how=how):
                shutil.rmtree(self.folder + "/out", ignore_errors=True)
                bare = launch(implementation, 2, [f"{PROGRAMS}/ends-{implementation}", how], self.folder)
                expected = self.said()
                self.assertEqual(len(expected), 4)
                done = self.trace(implementation, "ends", how, ranks=2, status=status)
                if how != "unfinished":  # the launchers say now one rank's status, now the other's
                    self.assertEqual(done.returncode, bare.returncode, done.stderr)
                self.assertEqual(self.said(), expected)
                if how in ("abort", "unfinished"):  # the launcher may kill rocprofv3 before it has made files
                    until = time.monotonic() + 20  # and end before the ranks that it has killed
                    while not os.path.exists(self.folder + "/out/r0_mpi_api_trace.csv") and time.monotonic() < until:
                        for store in glob.glob(self.folder + "/out/.rocprofv3/*"):
                            subprocess.run([ROCPROFV3, "convert", store], cwd=self.folder, capture_output=True, timeout=60)
                        time.sleep(0.1)
                functions = [line[0] for line in self.lines(0)]
                self.assertEqual(functions[-1], last)
                if how == "threads":  # four threads with 50 messages each
                    self.assertEqual(functions.count("MPI_Send"), 200)
                    self.assertEqual(functions.count("MPI_Recv"), 200)

    def launch_inside(self, *implementations):
        for implementation in implementations:
            launcher = LAUNCHERS[implementation]
            done = subprocess.run([ROCPROFV3, "--mpi-trace", "-f", "csv", "-d", "out", "-o", "r%rank%", "--", *launcher, "-n", "2",
                                   f"{PROGRAMS}/ends-{implementation}", "plain"], cwd=self.folder, capture_output=True, text=True,
                                  timeout=60, env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
            self.assertEqual(done.returncode, 0, done.stderr)
            for rank in range(2):
                self.assertEqual(self.lines(rank)[-1][0], "MPI_Finalize")
            shutil.rmtree(self.folder + "/out")


class Ends(EndsCase):
    def test_open_mpi(self):
        self.check("openmpi")

    def test_mpich(self):
        self.check("mpich", "abort")

    def test_launcher_inside(self):
        self.launch_inside("mpich")

    def test_a_program_without_mpi(self):
        done = subprocess.run([ROCPROFV3, "--mpi-trace", "-d", "out", "--", "sh", "-c", "echo hello; exit 7"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (7, "hello\n"))
        self.assertEqual(done.stderr.count("called MPI"), 1, done.stderr)

    def test_nothing_without_the_option(self):
        done = launch("openmpi", 2, [ROCPROFV3, "--kernel-trace", "-f", "csv", "-d", "out", "-o", "r%rank%", "--",
                                     f"{PROGRAMS}/ends-openmpi", "preloads"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("mpi-bridge", done.stdout)
        self.assertEqual(glob.glob(self.folder + "/out/*mpi*"), [])


class LongEnds(EndsCase):
    """With the other implementation."""

    def test_mpich(self):
        self.check("mpich")

    def test_launcher_inside(self):
        self.launch_inside("openmpi")


if __name__ == "__main__":
    sys.argv[1:4] = []
    unittest.main()
