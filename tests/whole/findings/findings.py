#!/usr/bin/env python3
"""rocprofv3 findings: for each rule a database that shows it and one that does not.

usage: findings.py ROCPROFV3 SCHEMA HELPERS RULES [unittest arguments]
HELPERS: the folder of database.py; RULES: finding_rules.c, every rule of which has to be here
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, SCHEMA, HELPERS, RULES = map(os.path.abspath, sys.argv[1:5])
sys.path.insert(0, HELPERS)
from database import Database  # noqa: E402

K = "work(float*)"


def kernels(db, count=1, duration=1000, gap=0, begin=0, **more):
    for i in range(count):
        start = begin + i * (duration + gap)
        db.dispatch(K, start, start + duration, **more)


def counters(**values):
    return lambda db: db.dispatch(K, 0, 1000, counters=values)


def launch_bound(kernel_ns):
    """The first one loads code."""
    def fill(db):
        db.region("hipLaunchKernel", -10**9, 0)
        for i in range(30):
            db.region("hipLaunchKernel", i * 10000, i * 10000 + 5000)
            db.dispatch(K, i * 10000 + 6000, i * 10000 + 6000 + kernel_ns)
    return fill


def idle(gap):
    """The first and the last gap are filled by calls: the first by one that sets things up."""
    def fill(db):
        kernels(db, 5, 1000, gap)
        for i in (0, 3):
            db.region("hipMalloc", i * (1000 + gap) + 1000, (i + 1) * (1000 + gap))
    return fill


def copies_between(name):
    """Each third of the time is a kernel, a copy and a call that goes on for a while."""
    def fill(db):
        for i in range(8):
            db.dispatch(K, i * 3000, i * 3000 + 1000)
            db.copy("HOST_TO_DEVICE", 4096, i * 3000 + 1000, i * 3000 + 2000, stream=2)
            db.region(name, i * 3000 + 1000, i * 3000 + 3000)
    return fill


def calls(name, count, duration=10, kernel_ns=1000, kernel_count=20):
    def fill(db):
        kernels(db, kernel_count, kernel_ns)
        for i in range(count):
            db.region(name, i * duration, (i + 1) * duration)
    return fill


def one_stream(streams):
    def fill(db):
        for i in range(5):
            db.copy("HOST_TO_DEVICE", 4096, i * 3000, i * 3000 + 1000)
            db.dispatch(K, i * 3000 + 1000, i * 3000 + 3000, stream=i % streams + 1)
    return fill


def warm_up(first):
    def fill(db):
        db.dispatch(K, 0, first)
        kernels(db, 5, 1000, begin=first)
    return fill


def pageable(pinned, size=1 << 20):
    def fill(db):
        kernels(db)
        db.region("hipMemcpyAsync", 0, 10)
        for i in range(6):
            db.copy("HOST_TO_DEVICE", size // 4, 100 * i, 100 * i + 100)
        if pinned:
            db.region("hipHostMalloc", 0, 5)
    return fill


def small_copies(size):
    def fill(db):
        for i in range(60):
            db.copy("DEVICE_TO_HOST", size, i * 100, i * 100 + 50)
    return fill


def l2(fetched_kb, **hits):
    def fill(db):
        db.allocation(1 << 20)
        counters(FETCH_SIZE=fetched_kb, **(hits or {"L2CacheHit": 40}))(db)
    return fill


def shape(**more):
    return lambda db: db.dispatch(K, 0, 1000, **more)


def instruction(spills=0, items=0, **counts):
    def fill(db):
        kernels(db)
        db.counted(K, [{"text": "s_endpgm", "issued": 4},
                       {"text": "some_op v1", "file": "/src/deep/a.hip", "line": 7, "issued": 16, **counts}], spills=spills,
                   items=items)
    return fill


def nothing(db):
    kernels(db)


SPILL = "buffer_store_dword v0, off, s[12:15], 0 offset:4"
# rule: (what shows it, what does not, a part of the text); what does not is just below the threshold
CASES = {
    "losses": (dict(metadata={"records_dropped": 5}), nothing, "lost 5 records, 0 B of damaged records, 0 names"),
    "host-times": (dict(), dict(model="mi210 (model time)"), "software GPU"),
    "model-times": (dict(model="mi210 (model time)", fill=lambda db: [nothing(db), db.region("hipMalloc", 0, 9)]),
                    dict(model="mi210 (model time)"), "cannot be judged"),
    "launch-bound": (launch_bound(4000), launch_bound(6000), "work is launched 30 times, with 100 waves at most; it "
                                                             "takes 4 us on average, and a launch takes the host 5 us"),
    "idle-gpu": (idle(2000), idle(300), "nothing to do for 4 us, 36.4 % of the run's time, in 4 gaps; meanwhile the "
                                        "host is in the program's own code"),
    "sync-in-loop": (calls("hipStreamSynchronize", 20), calls("hipStreamSynchronize", 19), "called 20 times"),
    "one-stream": (one_stream(1), one_stream(2), "4 copies between kernels are on the kernels' own stream: copies (5 us in all) and kernels (10 us)"),
    "alloc-in-loop": (calls("hipMalloc", 20), calls("hipMallocAsync", 20), "hipMalloc: 20 calls"),
    "code-loading": (lambda db: [calls("hipModuleLoadData", 2, 1000)(db), db.region("hipFree", 0, 20000)],
                     lambda db: [calls("hipModuleLoadData", 2, 400)(db), db.region("hipFree", 0, 20000)],
                     "Compiling or loading code takes 2 us in 2 calls, 10 %"),
    "warm-up": (warm_up(5100), warm_up(4900), "first run of work takes 5.1 us, the other ones 1 us"),
    "sync-copies": (copies_between("hipMemcpy"), copies_between("hipMemcpyAsync"), "hipMemcpy is called 8 times"),
    "pageable-copies": (pageable(False), pageable(True), "6 copies between host and GPU move 1.5 MiB"),
    "small-copies": (small_copies(4096), small_copies(70000), "60 copies move 4 KiB each"),
    "few-waves": (shape(group=64, grid=64 * 31), shape(group=64, grid=64 * 32), "31 waves, the GPU 32 SIMDs"),
    "tail": (shape(group=256, grid=256 * 65), shape(group=256, grid=256 * 128), "65 workgroups of work fill the GPU 1 time"),
    "partial-waves": (shape(group=96, grid=9600), shape(group=128, grid=12800), "96 work-items: 25 % of the lanes"),
    "occupancy-registers": (shape(vgprs=128), shape(vgprs=64), "4 waves of work where 8 are possible, limited by VGPRs"),
    "occupancy-lds": (shape(group=256, lds=32768), shape(group=256, lds=8192), "2 waves of work where 8 are possible, limited by LDS"),
    "occupancy-workgroups": (dict(gpu="gfx908", fill=shape(group=128)), dict(gpu="gfx908", fill=shape(group=256)),
                             "8 waves of work where 10 are possible, limited by workgroups"),
    "occupancy-scratch": (dict(agent={"max_slots_scratch_cu": 8}, fill=shape(scratch=64)), shape(scratch=64),
                          "could hold 32 waves of work, but has room for the scratch memory of 8"),
    "scratch": (shape(scratch=64), shape(scratch=0), "64 B of scratch memory"),
    "uncoalesced": (counters(TCP_TOTAL_CACHE_ACCESSES_sum=2400, SQ_INSTS_VMEM=100),
                    counters(TCP_TOTAL_CACHE_ACCESSES_sum=2300, SQ_INSTS_VMEM=100), "touches 24 cache lines, or pieces of them"),
    "line-uncoalesced": (instruction(lines=64, lines_needed=32), instruction(lines=63, lines_needed=32),
                         "At a.hip:7, some_op v1 touches 2 times the cache lines that its bytes need, 32 more"),
    "line-conflicts": (instruction(lds_clocks=24, lds_clocks_needed=16), instruction(lds_clocks=23, lds_clocks_needed=16),
                       "At a.hip:7, some_op v1 takes 1.5 times the clocks of LDS that it needs, since lanes want the same bank: 8 "
                       "clocks are lost."),
    "line-atomics": (instruction(lines=16, lines_needed=64, lanes=1024, atomics=1024), instruction(lines=64, lines_needed=64, lanes=1024, atomics=1024),
                     "At a.hip:7, some_op v1 does 1,024 atomics, 64 lanes on each cache line"),
    "line-divergence": (instruction(text="v_add", lanes=16 * 32, divergent=3), instruction(text="v_add", lanes=16 * 48, divergent=3),
                        "32 of 64 lanes are active in the vector instructions of work, on average; lanes part most often at a.hip:7."),
    "spill-in-loop": (instruction(text=SPILL, loop_depth=1, issued=9, spills=2), instruction(text=SPILL, loop_depth=0, issued=9, spills=2),
                      "0 offset:4 is executed 9 times, within a loop"),
    "lds-conflicts": (counters(SQ_LDS_BANK_CONFLICT=125, SQ_LDS_IDX_ACTIVE=1000),
                      counters(SQ_LDS_BANK_CONFLICT=99, SQ_LDS_IDX_ACTIVE=1000), "12.5 % of the clocks"),
    "l2-reuse": (l2(2048), l2(2047), "Only 40 % of the requests of work hit L2. A launch fetches 2 MiB where the program has 1 MiB"),
    "tlb-misses": (counters(TCP_UTCL1_TRANSLATION_MISS_sum=5, TCP_UTCL1_REQUEST_sum=100),
                   counters(TCP_UTCL1_TRANSLATION_MISS_sum=4, TCP_UTCL1_REQUEST_sum=100), "5 % of the address translations of work"),
    "scalar-misses": (counters(SQC_DCACHE_MISSES=200, SQC_DCACHE_REQ=1000),
                      counters(SQC_DCACHE_MISSES=199, SQC_DCACHE_REQ=1000), "20 % of 1,000 scalar loads"),
    "code-misses": (counters(SQC_TC_INST_REQ=200, SQC_ICACHE_REQ=1000, SQC_ICACHE_MISSES=6),
                    counters(SQC_TC_INST_REQ=200, SQC_ICACHE_REQ=1000, SQC_ICACHE_MISSES=7),
                    "work ask for code 1,000 times in a launch, and 104 lines of the instruction cache"),
    "atomics": (counters(TCC_ATOMIC_sum=25, TCC_REQ_sum=100), counters(TCC_ATOMIC_sum=24, TCC_REQ_sum=100),
                "25 % of the requests of work to L2 are atomics, 25 in a launch"),
    "divergence": (counters(VALUUtilization=50), counters(VALUUtilization=70), "32 of 64 lanes"),
    "no-matrix": (counters(SQ_INSTS_VALU_FMA_F16=30, SQ_INSTS_VALU=100, SQ_INSTS_MFMA=0),
                  counters(SQ_INSTS_VALU_FMA_F16=30, SQ_INSTS_VALU=100, SQ_INSTS_MFMA=1), "30 % of the vector"),
    "far-from-roofs": (counters(VALUBusy=19, MemUnitBusy=5, SQ_INSTS_VALU=50000), counters(VALUBusy=20, MemUnitBusy=5, SQ_INSTS_VALU=50000), "work 19 % of the time of work"),
}


def job(change=None, at=3, count=8, hosts=1, **options):
    """What each rank of a job does: three steps of a large kernel and a small one, which leave no time. The rank `at` is changed: `change` says how often it
    launches the large one, for how long, and when it begins. Of ranks of the same host clocks are the same; those of others have begun at
    another time, which the metadata tell."""
    made = []
    for rank in range(count):
        own = {"launches": 3, "ns": 40_000_000, "begin": 0, **((change or {}) if rank == at else {})}
        host = rank % hosts
        boot = 10**12 * (1 + host)  # this host was started earlier

        def fill(db, own=own, boot=boot, rank=rank):
            if own["launches"] is None:
                db.region("hipInit", boot, boot + 300_000_000)
                return
            for i in range(own["launches"]):
                start = boot + own["begin"] + i * 60_000_000
                middle = start + own["ns"] + rank * 1000
                db.dispatch(K, start, middle)
                db.dispatch("rest(int*)", middle, start + 60_000_000)
        made.append(dict(soft=False, pid=100 + rank, fill=fill, host=f"node{host}",
                         gpu=own.get("gpu", "gfx90a"), agent_name=own.get("product"),
                         metadata={"rank": rank, "ranks": options.get("ranks", count), "clock_boottime_ns": boot + 1, "clock_realtime_ns": 1 + 10**18,
                                   **({"unclosed": own["unclosed"]} if "unclosed" in own else {})}))
    return made


MS = 1000000


def mpi(step, planted=True):
    """Four ranks with ten steps of 10 ms, each of what `step` does: step(call, rank, begin in ms, number, planted)."""
    made = []
    for rank in range(4):
        def fill(db, rank=rank):
            def call(name, start, end, **values):
                db.region(name, int(start * MS), int(end * MS), "MPI_API",
                          arguments={"communicator": "MPI_COMM_WORLD", "rank": rank, "size": 4, **values})

            def spread(name, start, end):
                event = db.event("MARKER_CORE_RANGE_API")
                db.db.execute(f'UPDATE "rocpd_event{db.suffix}" SET extdata = ? WHERE id = ?', (json.dumps({"message": name}), event))
                db.put("region", nid=1, pid=db.pid, tid=db.pid, start=int(start * MS), end=int(end * MS), name_id=db.text("range"), event_id=event)
            call.range = spread
            call("MPI_Init", 0.5, 1)
            for number in range(10):
                step(call, rank, 1 + 10 * number, number, planted)
            call("MPI_Finalize", 101, 102)
        made.append(dict(soft=False, pid=100 + rank, fill=fill, host="node0", agent_name=None, metadata={"rank": rank, "ranks": 4}))
    return made


def late(call, rank, begin, _, planted):
    call("MPI_Allreduce", begin + 4 + (3 if planted and rank == 3 else 0.01 * rank), begin + 7.5)


def sender(call, rank, begin, number, planted):
    if rank == 1:
        call("MPI_Send", begin + (6 if planted else 1.1), begin + 6.1, destination=2, send_tag=number, bytes_sent=9)
    if rank == 2:
        call("MPI_Recv", begin + 1, begin + 6.2, source=1, receive_tag=number, bytes_received=9)


def receiver(call, rank, begin, number, planted):
    if rank == 1:
        call("MPI_Send", begin + 1, begin + 6.1, destination=2, send_tag=number, bytes_sent=9)
    if rank == 2:
        call("MPI_Recv", begin + (6 if planted else 1.1), begin + 6.2, source=1, receive_tag=number, bytes_received=9)


def uneven(call, rank, begin, number, planted):
    call.range("forces", begin, begin + 8)
    late(call, rank, begin, number, planted)


def barrier(call, rank, begin, _, planted):
    call("MPI_Allreduce", begin + 4, begin + 4.1)
    if planted:
        call("MPI_Barrier", begin + 4.12, begin + 4.2)


# rule: (a job that shows it, its twin, a part of the text); the twin is just below the threshold
RANK_CASES = {
    "ranks-missing": (job(ranks=9), job(), "8 ranks of 9 can be read, 1 are missing"),
    "rank-kernel": (job({"ns": 52_000_000}), job({"ns": 45_000_000}), "rank 3 is 1.3 times the median in work: 156 ms of kernels, where the median of 8 ranks is 120 ms. 0 others are above 1.15 times, too"),
    "rank-work": (job({"launches": 4, "begin": -60_000_000}), job({"ns": 45_000_000}), "rank 3 launches work 4 times, the median of 8 ranks 3 times. 0 others differ"),
    "rank-late": (job({"begin": 30_000_000}), job({"begin": 8_000_000}), "rank 3 begins 30 ms after the median of 8 ranks, 14.3 % of the job's time. 0 others begin late, too"),
    "rank-idle": (job({"launches": None}), job(), "rank 3 runs no kernel, where 7 ranks do. 0 others run none"),
    "mpi-late": (mpi(late), mpi(late, False), "rank 3 arrives 3.0 ms late in each of 10 collectives: its time outside of MPI is 1.5 x the median. All ranks together wait 89.7 ms"),
    "mpi-sender": (mpi(sender), mpi(sender, False), "rank 1 sends 5.0 ms late in 10 messages: others wait 50.0 ms for it, rank 2 most of all. All"),
    "mpi-receiver": (mpi(receiver), mpi(receiver, False), "rank 2 begins to receive 5.0 ms late in 10 messages: others wait 50.0 ms for it"),
    "mpi-imbalance": (mpi(uneven), mpi(uneven, False), "range forces: rank 3 takes 1.7 x the median without MPI, 29.9 ms more in all"),
    "mpi-barrier": (mpi(barrier), mpi(barrier, False), "MPI_Barrier on MPI_COMM_WORLD stands right behind another collective 10 times in each rank"),
    "ranks-ended": (job({"unclosed": 1}), job({"unclosed": 0}), "rank 3 of 8 was killed, or left by _exit: its records are read as far as they go. 0 others did not end"),
    "ranks-gpus": (job({"gpu": "gfx908"}), job(), "2 kinds of GPUs: gfx908, gfx90a"),
}


class Case(unittest.TestCase):
    maxDiff = None
    tried = set()  # rules and their commands, without the folder

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="findings-")
        self.addCleanup(shutil.rmtree, self.dir)

    def job(self, ranks, name="job"):
        """The folder with a database of each rank, two in each folder below it."""
        folder = os.path.join(self.dir, name)
        for number, rank in enumerate(ranks):
            options = dict(rank)
            fill, host, product = options.pop("fill"), options.pop("host"), options.pop("agent_name")
            path = os.path.join(folder, str(number // 2), f"{number}.db")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            db = Database(path, SCHEMA, **options)
            db.db.execute(f'UPDATE "rocpd_info_node{db.suffix}" SET hostname = ?', (host,))
            if product:
                db.db.execute(f'UPDATE "rocpd_info_agent{db.suffix}" SET product_name = ? WHERE type = \'GPU\'', (product,))
            fill(db)
            db.close()
        return folder

    def database(self, fill, name="run.db"):
        options = dict(fill) if isinstance(fill, dict) else {}
        fill = options.pop("fill", nothing) if isinstance(fill, dict) else fill
        db = Database(os.path.join(self.dir, name), SCHEMA, **options)
        fill(db)
        return db.close()

    def say(self, *words, status=0):
        done = subprocess.run([ROCPROFV3, "findings", *words], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def findings(self, path):
        found = json.loads(self.say(path, "--format", "json"))
        self.assertEqual((found["schema"], found["found"]), ("crocprof-findings-1", len(found["findings"])))
        self.check(found["findings"], os.path.dirname(path))
        return found["findings"]

    def check(self, found, folder):
        """Shares are of one whole; a command runs as it is printed: once, if a rule has had the same one of another database."""
        for f in found:
            self.assertTrue(0 <= f["weight"] <= 1, f)
            self.assertTrue(all(0 <= e["value"] <= 100 for e in f["evidence"] if e["unit"] == "%"), f)
            self.assertTrue(f["check"].endswith("."), f)
            self.check(f["consequences"], folder)
            known = f["rule"], f["more"].replace(self.dir, "")
            if known in self.tried:
                continue
            self.tried.add(known)
            done = subprocess.run(f["more"], shell=True, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, "PATH": os.path.dirname(ROCPROFV3) + ":" + os.environ["PATH"]})
            self.assertEqual(done.returncode, 0, (f["more"], done.stderr))


def all_of(found):
    return [f for top in found for f in [top, *all_of(top["consequences"])]]


class Rules(Case):
    def test_all_are_here(self):
        with open(RULES, encoding="utf-8") as f:
            rules = re.findall(r'^    \{"([a-z0-9-]+)",', f.read(), re.M)
        self.assertEqual([r for r in rules if r not in RANK_CASES], list(CASES))
        self.assertEqual([r for r in rules if r not in CASES], list(RANK_CASES))
        self.assertGreaterEqual(len(rules), 25)


def case(rule, fill, quiet, text):
    def shows(self):
        found = [f for f in all_of(self.findings(self.database(fill))) if f["rule"] == rule]
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0]["text"])
        self.assertNotIn("{", found[0]["text"])
        self.assertTrue(found[0]["title"] and found[0]["advice"] and found[0]["evidence"])
        self.assertTrue(0 <= found[0]["weight"] <= 1)

    def does_not(self):
        self.assertNotIn(rule, [f["rule"] for f in all_of(self.findings(self.database(quiet)))])
    name = rule.replace("-", "_")
    setattr(Rules, f"test_{name}", shows)
    setattr(Rules, f"test_{name}_not", does_not)


for RULE, (FILL, QUIET, TEXT) in CASES.items():
    case(RULE, FILL, QUIET, TEXT)


class Ranks(Case):
    """A fault is planted in one rank of a job: it is named first. The twin without the fault is free of findings about ranks."""

    def rules(self, *words):
        found = [f for f in json.loads(self.say(*words, "--format", "json"))["findings"] if f["rule"] in RANK_CASES]
        for f in found:
            self.assertTrue(0 <= f["weight"] <= 1 and "{" not in f["text"] and f["evidence"], f)
        return found

    def test_hosts(self):
        """Ranks of several hosts are compared by the time of day: a late one is late, and the others are not, though their clocks
        differ by a quarter of an hour. Where nothing tells the time of day, nothing is late."""
        late = self.rules(self.job(job({"begin": 30_000_000}, hosts=4)))
        self.assertEqual([(f["rule"], f["text"][:25]) for f in late], [("rank-late", "rank 3 begins 30 ms after")])
        self.assertEqual(self.rules(self.job(job(hosts=4), "twin")), [])
        unknown = [{**rank, "metadata": {k: v for k, v in rank["metadata"].items() if "clock" not in k}} for rank in job({"begin": 30_000_000}, hosts=4)]
        self.assertEqual(self.rules(self.job(unknown, "unknown")), [])

    def test_late_by_little_in_short_steps(self):
        """Steps of 1 ms: one rank that is 130 us late in each has most of the critical path. Where the rank changes, or the delay is
        nothing but the order in which ranks leave the collective before, nobody is late."""
        def short(late_by, rank_of):
            def step(call, rank, begin, number, _):
                for at in range(10):
                    late = late_by if rank == rank_of(10 * number + at) else 0.0001 * rank
                    call("MPI_Allreduce", begin + at + 0.5 + late, begin + at + 0.65)
            return step
        found = self.rules(self.job(mpi(short(0.13, lambda _: 3)), "late"))
        self.assertEqual([f["rule"] for f in found], ["mpi-late"])
        self.assertIn("rank 3 arrives 130 us late in each of 100 collectives", found[0]["text"])
        self.assertEqual(self.rules(self.job(mpi(short(0.13, lambda n: n % 4)), "turns")), [])
        self.assertEqual(self.rules(self.job(mpi(short(0.005, lambda _: 3)), "order")), [])

    def test_late_messages_by_little(self):
        """A rank that sends 130 us late, of 1 ms, in each step."""
        def sends(late_by):
            def step(call, rank, begin, number, _):
                for at in range(10):
                    start, tag = begin + at, 10 * number + at
                    if rank == 1:
                        call("MPI_Send", start + 0.5 + late_by, start + 0.51 + late_by, destination=2, send_tag=tag, bytes_sent=9)
                    if rank == 2:
                        call("MPI_Recv", start + 0.5, start + 0.52 + late_by, source=1, receive_tag=tag, bytes_received=9)
                call("MPI_Allreduce", begin + (9.72 if rank == 2 else 9.715), begin + 9.75)
            return step
        found = self.rules(self.job(mpi(sends(0.13)), "late"))
        self.assertEqual([f["rule"] for f in found], ["mpi-sender"])
        self.assertIn("rank 1 sends 130 us late in 100 messages", found[0]["text"])
        self.assertEqual(self.rules(self.job(mpi(sends(0.005)), "twin")), [])

    def test_a_barrier_where_ranks_lose_the_processor(self):
        """A rank, or two of four, that lose the processor between the collective and the barrier have done nothing there."""
        def preempted(call, rank, begin, number, _):
            call("MPI_Allreduce", begin + 4, begin + 4.1)
            call("MPI_Barrier", begin + (4.9 if rank == number % 7 or (number, rank) == (3, 1) else 4.12), begin + 5)
        text = {f["rule"]: f["text"] for f in self.rules(self.job(mpi(preempted)))}
        self.assertIn("MPI_Barrier on MPI_COMM_WORLD stands right behind another collective 10 times in each rank", text.get("mpi-barrier", ""))

    def test_a_barrier_that_orders(self):
        """One rank does something between the collective and the barrier, which the others then find done."""
        def writes(call, rank, begin, _, __):
            call("MPI_Allreduce", begin + 4, begin + 4.1)
            call("MPI_Barrier", begin + (4.3 if rank == 2 else 4.12), begin + 4.4)
        self.assertNotIn("mpi-barrier", [f["rule"] for f in self.rules(self.job(mpi(writes)))])

    def test_pairs_of_units(self):
        """A pair of gfx1030's units holds four groups of eight waves of 32, of 128 registers each: four pairs hold 16, not 32. Of groups on one
        unit eight units hold two each, the same 16; of groups of ten waves a pair holds three, but two units one each. Without the size
        of waves neither is known."""
        def found(name, groups, facts, group=256):
            agent = {"cu_count": 8, "simd_count": 16, "simd_per_cu": 2, "wave_front_size": 32}
            path = self.database(dict(gpu="gfx1030", agent=agent, fill=shape(group=group, grid=group * groups, vgprs=128, facts=facts)), name)
            return {f["rule"]: f["text"] for f in self.findings(path)}
        text = found("tail.db", 17, {"wave_size": 32, "wgp_mode": 1})
        self.assertIn("17 workgroups of work fill the GPU 1.1 times", text.get("tail", ""))
        self.assertIn("8 waves of work where 16 are possible, limited by VGPRs", text.get("occupancy-registers", ""))
        self.assertNotIn("tail", found("even.db", 32, {"wave_size": 32, "wgp_mode": 1}))
        alone = {"wave_size": 32, "wgp_mode": 0}
        self.assertIn("17 workgroups of work fill the GPU 1.1 times", found("alone.db", 17, alone).get("tail", ""))
        self.assertIn("9 workgroups of work fill the GPU 1.1 times", found("large.db", 9, alone, 320).get("tail", ""))
        self.assertNotIn("tail", found("larger.db", 9, {"wave_size": 32, "wgp_mode": 1}, 320))
        self.assertFalse({"tail", "occupancy-registers"} & set(found("unknown.db", 17, {})))

    def test_fewer(self):
        """Of three ranks nobody can say what is usual; of processes that are no ranks, neither."""
        self.assertEqual(self.rules(self.job(job({"ns": 52_000_000}, at=1, count=3))), [])
        alone = [{**rank, "metadata": {}} for rank in job({"ns": 52_000_000})]
        self.assertEqual(self.rules(self.job(alone, "alone")), [])

    def test_left_out(self):
        """A database that was cut off, one without bytes, a copy of one, one of another version: told, counted, not fatal. A rank's
        findings are those of the ranks that remain."""
        folder = self.job(job({"ns": 52_000_000}, count=12))
        path = [f"{folder}/{n // 2}/{n}.db" for n in range(12)]
        os.truncate(path[5], os.path.getsize(path[5]) // 2 // 4096 * 4096)
        os.truncate(path[6], 0)
        shutil.copy(path[7], folder + "/copy.db")
        with sqlite3.connect(path[8]) as db:
            table = [n for n, in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_metadata_%'")][0]
            db.execute(f"UPDATE \"{table}\" SET value = '2.0' WHERE tag = 'schema_version'")
        done = subprocess.run([ROCPROFV3, "findings", "--format", "json", folder], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = done.stderr.splitlines()
        self.assertEqual(len(told), 4, told)
        for name, why in (("2/5.db", "left out: "), ("3/6.db", "left out: no such table"), ("7.db", "has the same process"), ("4/8.db", "it has schema version 2.0")):
            self.assertTrue(any(name in line and why in line for line in told), (name, told))
        found = {f["rule"]: f for f in json.loads(done.stdout)["findings"]}
        self.assertEqual(found["ranks-missing"]["weight"], 1)
        self.assertEqual({e["name"]: e["value"] for e in found["ranks-missing"]["evidence"]},
                         {"there": 9, "ranks": 12, "missing": 3, "damaged": 2, "twice": 1, "version": 1, "repeated": 0})
        self.assertIn("rank 3 is 1.3 times the median in work", found["rank-kernel"]["text"])

    def test_none_left(self):
        folder = self.job(job(count=2))
        for n in range(2):
            os.truncate(f"{folder}/0/{n}.db", 0)
        done = subprocess.run([ROCPROFV3, "findings", folder], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("none of the 2 databases can be read", done.stderr)

    def test_repeated(self):
        """Two runs of one rank, one of the others."""
        ranks = job()
        again = {**ranks[2], "pid": 777}
        found = self.rules(self.job(ranks + [again]))
        self.assertIn("Of 1 rank there are more runs than of the others", {f["rule"]: f for f in found}["ranks-missing"]["text"])


def rank_case(rule, shown, twin, text):
    def shows(self):
        found = self.rules(self.job(shown))
        # whom a range takes longer is late behind it
        self.assertEqual([f["rule"] for f in found], ["mpi-late", rule] if rule == "mpi-imbalance" else [rule])
        self.assertIn(text, found[-1]["text"])
        whole = json.loads(self.say(self.dir + "/job", "--format", "json"))["findings"]
        if rule not in ("ranks-missing", "ranks-gpus", "mpi-imbalance"):  # two cost no time; the last comes behind the lateness
            self.assertEqual(whole[0]["rule"], rule, [(f["rule"], f["weight"]) for f in whole])

    def does_not(self):
        self.assertEqual(self.rules(self.job(twin)), [])
    name = rule.replace("-", "_")
    setattr(Ranks, f"test_{name}", shows)
    setattr(Ranks, f"test_{name}_not", does_not)


for RULE, (FILL, QUIET, TEXT) in RANK_CASES.items():
    rank_case(RULE, FILL, QUIET, TEXT)


class Output(Case):
    def both(self):
        def fill(db):
            db.dispatch("a|b(float*)", 0, 9000, counters={"VALUUtilization": 50}, scratch=16)
            db.dispatch("c(int*)", 9000, 10000, scratch=32)
        return self.database(fill)

    def test_order_and_classes(self):
        found = self.findings(self.both())
        self.assertEqual([(f["rule"], f["subject"], f["class"]) for f in found],
                         [("scratch", "a", "exact"), ("divergence", "a", "timing model"), ("scratch", "c", "exact"),
                          ("host-times", "", "measured")])
        self.assertEqual([f["weight"] for f in found], [0.45, 0.45, 0.05, 0])
        self.assertEqual(found[1]["evidence"], [
            {"name": "active", "value": 50, "unit": "%", "class": "timing model"},
            {"name": "lanes", "value": 32, "unit": "", "class": "timing model"},
            {"name": "wave", "value": 64, "unit": "", "class": "timing model"}])

    def test_real_gpu(self):
        """What was counted there is measured; its times are its own."""
        found = self.findings(self.database(dict(soft=False, fill=counters(VALUUtilization=50))))
        self.assertEqual([(f["rule"], f["class"]) for f in found], [("divergence", "measured")])

    def test_text(self):
        text = self.say(self.both(), "--limit", "2")
        self.assertTrue(text.startswith("1. Spills, or arrays in scratch memory: a (exact, up to 45.0 % of the run's time)\n   Each"))
        self.assertTrue(text.endswith("\n2 more: --limit\n"))

    def test_markdown(self):
        text = self.say(self.both(), "--format", "md")
        self.assertIn("### Spills, or arrays in scratch memory: c (exact, up to 5.0 % of the run's time)\n\nEach work-item of c has 32 B",
                      text)

    def test_nothing(self):
        self.assertEqual(self.say(self.database(dict(soft=False))), "nothing found\n")

    def test_waves_of_32(self):
        """A workgroup's waves are those of the agent: 96 work-items fill three of 32."""
        for group, wanted in ((96, []), (48, ["A workgroup of work has 48 work-items: 25 % of the lanes of its waves of 32 never work."])):
            fill = dict(gpu="gfx1100", agent={"wave_front_size": 32}, fill=shape(group=group, grid=group * 100))
            found = self.findings(self.database(fill, f"{group}.db"))
            self.assertEqual([f["text"] for f in all_of(found) if f["rule"] == "partial-waves"], wanted)

    def test_divergence_in_waves_of_either_size(self):
        """Lanes are those of the kernel's waves, as its code says, or else of the agent's: 20 of 32 are few, 24 are not, and
        30 of 64 are."""
        for number, (agent, items, lanes, wanted) in enumerate((
                (32, 32, 20, "20 of 32"), (32, 32, 24, None), (32, 64, 30, "30 of 64"), (32, 64, 46, None), (64, 32, 24, None),
                (32, None, 20, "20 of 32"), (32, None, 30, None), (32, 0, 20, "20 of 32"), (32, 7, 30, None),
                (32, 0xffffffff, 30, None))):
            with self.subTest((agent, items, lanes)):
                fill = instruction(text="v_add", items=items, lanes=16 * lanes, divergent=3)
                database = self.database(dict(gpu="gfx1100", agent={"wave_front_size": agent}, fill=fill), f"{number}.db")
                texts = [f["text"] for f in all_of(self.findings(database)) if f["rule"] == "line-divergence"]
                self.assertEqual([text[:len("20 of 32")] for text in texts], [wanted] if wanted else [])

    def test_counted_divergence_in_waves_of_either_size(self):
        """VALUUtilization is in percent of the lanes of the agent's waves; the lanes are compared with those of the kernel's waves, of which
        the facts of counted code (`items`) or those of the kernel (`compiled`) say the size."""
        for number, (agent, items, compiled, percent, wanted) in enumerate((
                (32, None, None, 50, "16 of 32"), (32, None, None, 70, None), (64, None, None, 50, "32 of 64"), (64, 32, None, 50, None),
                (64, 32, None, 25, "16 of 32"), (32, 64, None, 100, "32 of 64"), (32, 64, None, 200, None),
                (32, None, 64, 100, "32 of 64"), (32, None, 64, 200, None), (64, None, 32, 50, None), (64, None, 32, 25, "16 of 32"),
                (32, None, 32, 50, "16 of 32"), (32, 64, 64, 100, "32 of 64"), (0, None, 64, 100, "32 of 64"))):
            with self.subTest((agent, items, compiled, percent)):
                def fill(db, items=items, compiled=compiled, percent=percent):
                    if compiled:
                        db.kernel(K, facts={"wave_size": compiled, "wgp_mode": 1})
                    if items:
                        instruction(text="s_add", items=items)(db)
                    counters(VALUUtilization=percent)(db)
                database = self.database(dict(gpu="gfx1100", agent={"wave_front_size": agent}, fill=fill), f"{number}.db")
                texts = [f["text"] for f in all_of(self.findings(database)) if f["rule"] == "divergence"]
                self.assertEqual([text[:len("16 of 32")] for text in texts], [wanted] if wanted else [])

    def test_other_gpus(self):
        """Waves and cache lines are those of the GPU: as its run says, else as the table of GPUs has them."""
        lines = counters(TCP_TOTAL_CACHE_ACCESSES_sum=2400, SQ_INSTS_VMEM=100)
        for number, (gpu, lanes, fill, rule, wanted) in enumerate((
                ("gfx1100", 32, shape(group=96, grid=9600), "partial-waves", False),
                ("gfx1100", 32, shape(group=100, grid=10000), "partial-waves", True),
                ("gfx1100", 64, shape(group=96, grid=9600), "partial-waves", True),
                ("gfx1100", 0, shape(group=96, grid=9600), "partial-waves", False),
                ("gfx1399", 0, shape(group=96, grid=9600), "partial-waves", True),
                ("gfx908", 64, lines, "uncoalesced", True),
                ("gfx942", 64, lines, "uncoalesced", True),  # whose look-ups are of halves of its lines
                # a sum of two vectors of 2^18 elements: 144 caches miss once each, and have 17 lines read behind that one
                ("gfx950", 64, counters(SQC_TC_INST_REQ=2592, SQC_ICACHE_REQ=16400, SQC_ICACHE_MISSES=144), "code-misses", False),
                ("gfx950", 64, counters(SQC_TC_INST_REQ=5000, SQC_ICACHE_REQ=16400, SQC_ICACHE_MISSES=144), "code-misses", True),
                ("gfx90a", 64, counters(SQC_TC_INST_REQ=220, SQC_ICACHE_REQ=1000, SQC_ICACHE_MISSES=110), "code-misses", True),
                ("gfx90a", 64, counters(SQC_TC_INST_REQ=220, SQC_ICACHE_REQ=1000), "code-misses", False),
                ("gfx942", 64, l2(2048, TCC_HIT_sum=40, TCC_REQ_sum=100), "l2-reuse", True),
                ("gfx942", 64, l2(2048, TCC_HIT_sum=50, TCC_REQ_sum=100), "l2-reuse", False),
                ("gfx1399", 64, lines, "uncoalesced", False))):
            with self.subTest((gpu, lanes, rule)):
                database = self.database(dict(gpu=gpu, agent={"wave_front_size": lanes}, fill=fill), f"{number}.db")
                self.assertEqual(rule in [f["rule"] for f in self.findings(database)], wanted)

    def test_an_array_is_no_spill(self):
        """Of a kernel whose code spills nothing, scratch in a loop is an array."""
        found = self.findings(self.database(instruction(text=SPILL, loop_depth=1, issued=9)))
        self.assertNotIn("spill-in-loop", [f["rule"] for f in found])

    def test_places(self):
        """An instruction is told by the outermost of its lines that is the user's, and by the innermost where this is
        another; databases that do not say which is the user's, by the files' folders."""
        hip, tile, main = "/opt/rocm-6.4.0/include/hip/x.h", "/src/tile.h", "/src/deep/a.hip"
        for number, (places, users, expected) in enumerate((
                (((hip, 1), (main, 7)), (main, 7), "a.hip:7"),
                (((hip, 1), (hip, 2), (tile, 3), (main, 7)), (main, 7), "a.hip:7 (inlined from tile.h:3)"),
                (((tile, 3), (main, 7)), (main, 7), "a.hip:7 (inlined from tile.h:3)"),
                (((tile, 3), (hip, 1), (hip, 2)), (tile, 3), "tile.h:3"),  # a functor of a kernel that HIP brings
                (((hip, 1), (hip, 2)), (hip, 1), "x.h:1"),
                (((hip, 1), ("/usr/lib/a.hip", 7)), ("/usr/lib/a.hip", 7), "a.hip:7"),  # what was compiled itself
                (((main, 7),), (main, 7), "a.hip:7"))):
            chain = json.dumps([{"function": "f", "file": file, "line": line} for file, line in places[1:]])
            row = {"text": "some_op v1", "file": places[0][0], "line": places[0][1], "issued": 16, "lines": 64,
                   "lines_needed": 32, "inlined": chain}
            for known in (True, False):
                if not known and users[0].startswith("/usr/lib"):
                    continue
                named = {"user_file": users[0], "user_line": users[1]} if known else {}

                def fill(db):
                    kernels(db)
                    db.counted(K, [row | named], places=named)
                found = self.findings(self.database(fill, f"{number}{known}.db"))
                self.assertIn(f"At {expected}, some_op", next(f["text"] for f in found if f["rule"] == "line-uncoalesced"))

    def test_no_places(self):
        """A list of anything else than places names none."""
        for number, chain in enumerate(('["x", 2, [1], {"line": -5}, {"file": 7, "line": "y"}, null]', "{}", "[", '"x"', "7")):
            found = self.findings(self.database(instruction(lines=64, lines_needed=32, inlined=chain), f"{number}.db"))
            self.assertIn("At a.hip:7", next(f["text"] for f in found if f["rule"] == "line-uncoalesced"))

    def test_cut_names(self):
        """Instances of a template that are called the same: what is found of one is told of it by its whole name."""
        def fill(db):
            for size, scratch in ((1, 0), (2, 16)):
                db.kernels.pop("sum", None)
                db.dispatch("sum", scratch=scratch, symbol=f"_Z3sumILi{size}EEvPf.kd")
        found = self.findings(self.database(fill))
        self.assertEqual([f["subject"] for f in found if f["rule"] == "scratch"],
                         ["void sum<2>(float*)"])

    def test_instances(self):
        """Instances of a template with the same finding are one finding, which tells how many there are."""
        def fill(db):
            for size in range(1, 8):
                db.dispatch(f"void sum<{size}>(float*)", size * 100, size * 100 + 100, scratch=16, symbol=f"_Z3sumILi{size}EEvPf.kd")
            db.dispatch("other(float*)", 900, 1000, scratch=16)
        found = [f for f in self.findings(self.database(fill)) if f["rule"] == "scratch"]
        self.assertEqual([(f["subject"].split("<")[0], len(f["also"]), round(f["weight"], 3)) for f in found],
                         [("sum" if found[0]["subject"].startswith("sum") else "void sum", 6, 0.389), ("other", 0, 0.056)])
        self.assertIn(" The same of 6 more: ", self.say(self.database(fill, "b.db")))

    def test_processes(self):
        """Of processes that ran at the same time, each idle most of it, the share is of the time of all."""
        paths = []
        for pid in range(5):
            db = Database(os.path.join(self.dir, f"{pid}.db"), SCHEMA, pid=pid + 1)
            kernels(db, 10, 1000, 9000)
            paths.append(db.close())
        found = [f for f in json.loads(self.say(*paths, "--format", "json"))["findings"] if f["rule"] == "idle-gpu"]
        self.assertEqual([round(e["value"], 6) for e in found[0]["evidence"] if e["name"] == "share"], [round(8100 / 91, 6)])

    def test_causes(self):
        """Consequences lie beneath their cause, and their weight is its."""
        fill = counters(TCC_ATOMIC_sum=50, TCC_REQ_sum=100, VALUUtilization=20, TCP_TOTAL_CACHE_ACCESSES_sum=6400, SQ_INSTS_VMEM=100)
        found = [f for f in self.findings(self.database(fill)) if f["weight"]]
        self.assertEqual([(f["rule"], {c["rule"] for c in f["consequences"]}, round(f["weight"], 3)) for f in found],
                         [("atomics", {"divergence", "uncoalesced"}, 0.8)])

    def test_copies(self):
        """A database and its copy have the same ids twice: no reason to refuse them."""
        path = self.both()
        shutil.copy(path, path + ".copy.db")
        self.assertIn("Spills", self.say(path, path + ".copy.db"))

    def test_empty_run(self):
        self.assertTrue(self.say(self.database(lambda db: None)).startswith("1. Times of kernels are those of the host"))

    def test_trouble(self):
        self.say("none.db", status=2)
        self.say("--limit", "x", status=2)
        self.say(self.both(), "--format", "junit", status=2)


unittest.main(argv=[sys.argv[0]] + sys.argv[5:])
