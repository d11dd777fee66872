#!/usr/bin/env python3
"""Counters of whole HIP programs: numbers worked out by hand, and rules that hold for every dispatch.

usage: proof.py BUILD_DIR SCENARIO PROGRAM ...
Status 77: a program that the scenario needs is not built; which one is said.
Apart from the tests of single rooms since all of them take part: rocprofv3, SDK, packets, softgpu.
"""
import csv
import glob
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

build, scenario, *programs = sys.argv[1:]
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if not k.startswith(("ROCP", "HSA_", "LD_", "SOFTGPU_")) or k == "SOFTGPU_GPU"}
failures = []


def check(good, *what):
    if not good:
        failures.append(" ".join(map(str, what)))


def need(*files):
    """Nothing is proved of what is not there, and that shall be seen."""
    for file in files:
        if not os.path.exists(file):
            print(f"skipped: {file} is not built")
            sys.exit(77)


def rocprofv3(program, counters, status=0, options=(), **variables):
    """[(kernel, grid, workgroup, {counter: value})] by dispatch, and what the run said."""
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([f"{build}/bin/rocprofv3", "--gpu", "soft", "--pmc", *counters,
                               *options, "-d", place, "-o", "x", "-f", "csv", "--", *program],
                              env=ENVIRONMENT | variables, capture_output=True, text=True,
                              timeout=100)
        if done.returncode != status:
            sys.exit(f"{program}: status {done.returncode}\n{done.stdout}{done.stderr}")
        values, about = defaultdict(dict), {}
        for name in glob.glob(f"{place}/**/*counter_collection.csv", recursive=True):
            with open(name, newline="") as file:
                for row in csv.DictReader(file):
                    key = int(row["Process_Id"]), int(row["Dispatch_Id"])
                    about[key] = (row["Kernel_Name"], int(row["Grid_Size"]),
                                  int(row["Workgroup_Size"]))
                    if "-A" in options:
                        values[key]["Agent_Id"] = row["Agent_Id"]
                    values[key][row["Counter_Name"]] = float(row["Counter_Value"])
    return [(*about[k], values[k]) for k in sorted(values)], done


def waves_of(grid, workgroup):
    """A wave has 64 work items; the last of a workgroup, and the last workgroup, may have less."""
    return grid // workgroup * -(-workgroup // 64) + -(-(grid % workgroup) // 64)


EXACT = ["SQ_WAVES", "SQ_WAVES_EQ_64", "SQ_WAVES_LT_64", "SQ_INSTS", "SQ_INSTS_VALU",
         "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_VMEM", "SPI_CSN_WAVE",
         "SPI_CSN_NUM_THREADGROUPS"]
KINDS = ["SQ_INSTS", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_VMEM",
         "SQ_INSTS_LDS", "SQ_INSTS_BRANCH", "SQ_INSTS_FLAT_LDS_ONLY"]
CACHES = ["TCC_HIT_sum", "TCC_MISS_sum", "TCC_REQ_sum", "TCC_REQ", "TCC_READ_sum",
          "TCP_TOTAL_ACCESSES_sum", "TCP_TOTAL_READ_sum", "TCP_TOTAL_WRITE_sum",
          "TCP_TOTAL_ATOMIC_WITH_RET_sum", "SQ_WAVES", "SQ_BUSY_CYCLES", "SQ_WAVE_CYCLES",
          "SQ_WAIT_ANY", "GRBM_COUNT", "GRBM_GUI_ACTIVE"]
# GPUs without it cannot tell FLAT instructions in both kinds; these programs have none in LDS
OF_SOME_GPUS = {"SQ_INSTS_FLAT_LDS_ONLY": 0}
REQUESTS = ["TCC_REQ_sum", "TCC_READ_sum", "TCC_WRITE_sum", "TCC_ATOMIC_sum",
            "TCP_TCC_READ_REQ_sum", "TCP_TCC_WRITE_REQ_sum", "TCP_TCC_ATOMIC_WITH_RET_REQ_sum",
            "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", "SQC_TC_REQ", "TCC_UC_REQ_sum"]
LOOKUPS = ["TCP_UTCL1_REQUEST_sum", "TCP_UTCL1_TRANSLATION_HIT_sum",
           "TCP_UTCL1_TRANSLATION_MISS_sum", "TCP_TOTAL_CACHE_ACCESSES_sum"]
PENDING = int(suite_gpu.PROFILE.get("utcl1_pending", 10))  # look-ups that wait behind a miss of their page
PACKETS = {"waves": "SQ_WAVES", "waves of 64": "SQ_WAVES_EQ_64", "waves of less": "SQ_WAVES_LT_64",
           "work items": "SQ_ITEMS", "stores": "SQ_INSTS_VMEM_WR",
           "workgroups": "SPI_CSN_NUM_THREADGROUPS"}
# Not bounded: accesses of waves with few lanes are better than those of full ones can be.
UNBOUNDED = {"vL1dBufCoalesceRate"}


def rules(who, name, grid, workgroup, v):
    """What holds for any dispatch, of the counters that are there."""
    v = {**OF_SOME_GPUS, **v}

    def rule(text, *needs):
        if all(n in v for n in needs):
            check(eval(text, {}, dict(v)), who, name, text, {n: v[n] for n in needs})

    waves, groups = waves_of(grid, workgroup), -(-grid // workgroup)
    for counter, wanted in (("SQ_WAVES", waves), ("SPI_CSN_WAVE", waves),
                            ("SPI_CSN_NUM_THREADGROUPS", groups)):
        if counter in v:
            check(v[counter] == wanted, who, name, counter, v[counter], "expected", wanted)
    rule("SQ_WAVES == SQ_WAVES_EQ_64 + SQ_WAVES_LT_64", "SQ_WAVES", "SQ_WAVES_EQ_64",
         "SQ_WAVES_LT_64")
    # s_nop and s_waitcnt are in SQ_INSTS alone; FLAT is in VMEM, and in LDS too where it finds that.
    rule("SQ_INSTS >= SQ_INSTS_VALU + SQ_INSTS_SALU + SQ_INSTS_SMEM + SQ_INSTS_VMEM + SQ_INSTS_LDS"
         " + SQ_INSTS_BRANCH - SQ_INSTS_FLAT_LDS_ONLY", *KINDS)
    rule("TCC_HIT_sum + TCC_MISS_sum == TCC_REQ_sum", *CACHES[:3])
    rule("TCC_REQ == TCC_REQ_sum", "TCC_REQ", "TCC_REQ_sum")
    rule("TCP_TOTAL_READ_sum + TCP_TOTAL_WRITE_sum + TCP_TOTAL_ATOMIC_WITH_RET_sum"
         " <= TCP_TOTAL_ACCESSES_sum", *CACHES[5:9])
    rule("0 < SQ_BUSY_CYCLES <= 8 * GRBM_GUI_ACTIVE", "SQ_BUSY_CYCLES", "GRBM_GUI_ACTIVE")
    rule("0 < GRBM_GUI_ACTIVE <= GRBM_COUNT", "GRBM_COUNT", "GRBM_GUI_ACTIVE")
    rule("SQ_WAIT_ANY <= SQ_WAVE_CYCLES", "SQ_WAIT_ANY", "SQ_WAVE_CYCLES")
    rule("TCC_READ_sum + TCC_WRITE_sum + TCC_ATOMIC_sum == TCC_REQ_sum", *REQUESTS[:4])
    # two reads for the halves of a line are one when they arrive; page tables are read besides, uncached
    rule("TCP_TCC_READ_REQ_sum / 2 + TCP_TCC_WRITE_REQ_sum + TCP_TCC_ATOMIC_WITH_RET_REQ_sum"
         " + TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum + SQC_TC_REQ <= TCC_REQ_sum and TCC_REQ_sum - TCC_UC_REQ_sum"
         " <= TCP_TCC_READ_REQ_sum + TCP_TCC_WRITE_REQ_sum + TCP_TCC_ATOMIC_WITH_RET_REQ_sum"
         " + TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum + SQC_TC_REQ", *REQUESTS)
    # look-ups that wait for a translation are neither hits nor misses
    rule("TCP_UTCL1_TRANSLATION_HIT_sum + TCP_UTCL1_TRANSLATION_MISS_sum <= TCP_UTCL1_REQUEST_sum"
         f" <= TCP_UTCL1_TRANSLATION_HIT_sum + {PENDING + 1} * TCP_UTCL1_TRANSLATION_MISS_sum", *LOOKUPS[:3])
    rule("TCP_UTCL1_REQUEST_sum == TCP_TOTAL_CACHE_ACCESSES_sum", *LOOKUPS)


def invariants():
    there = avail("list", "--pmc").split()
    program, dispatches = programs[0], 16 if os.path.basename(programs[0]) == "known" else None
    for counters in (EXACT, KINDS, CACHES, REQUESTS, LOOKUPS):
        counters = [name for name in counters if name in there or name not in OF_SOME_GPUS]
        rows, _ = rocprofv3([program], counters)
        check(rows and dispatches in (None, len(rows)), program, len(rows), "dispatches")
        for row in rows:
            check(len(row[3]) == len(counters), program, row[0], "counters", sorted(row[3]))
            rules(os.path.basename(program), *row)


def avail(*words):
    done = subprocess.run([f"{build}/bin/rocprofv3-avail", "--gpu", "soft", *words],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def percentages():
    """Every metric that is a percentage, in passes of the allocator's own proposal."""
    facts = re.findall(r"Counter_Name *:\t(\w+)\nDescription *:\t(Percent|Fraction) ",
                       avail("info", "--pmc"))
    bound = {name: 100 if what == "Percent" else 1 for name, what in facts}
    wanted = {name for name, text in suite_gpu.metrics().items() if text.startswith(("Percent ", "Fraction "))}
    check(set(bound) == wanted and wanted, "percentages", sorted(set(bound) ^ wanted))
    passes, left = [], set(bound)
    while left:  # a long proposal is cut, but never in its first pass
        more = re.search(r"passes would do, limit 1: (.*?) \|", avail("pmc-check", *sorted(left)))
        passes.append(more[1].split() if more else sorted(left))
        check(passes[-1] and set(passes[-1]) <= left, "passes", passes)
        left -= set(passes[-1])
    for counters in passes:
        rows, _ = rocprofv3([programs[0]], counters)
        check(rows, "no dispatches")
        for name, _, _, v in rows:
            check(len(v) == len(counters), name, "counters", sorted(v))
            for counter in set(counters) - UNBOUNDED:
                check(0 <= v[counter] <= bound[counter], name, counter, v[counter])


# Sets of shader engines that are each engine once, of a die that has so many
SOME_ENGINES = {8: ("0", "1:3", "4,6", "5,7"), 1: ("0",)}


def members(positions):
    """The numbers that a position of a dimension means: A:B, or A,B,..."""
    first, colon, last = positions.partition(":")
    return range(int(first), int(last) + 1) if colon else [int(n) for n in positions.split(",")]


def places():
    """What is counted in some places, and in the others, is what is counted in all."""
    engines, channels = suite_gpu.ENGINES, suite_gpu.CHANNELS
    half = channels // 2
    parts = {"WAVES": ("SQ_WAVES", "DIMENSION_SHADER_ENGINE", SOME_ENGINES[engines]),
             "HITS": ("TCC_HIT", "DIMENSION_INSTANCE", ("0", f"1:{half - 1}", f"{half}:{channels - 2}", str(channels - 1))),
             "MISSES": ("TCC_MISS", "DIMENSION_INSTANCE", ("0:7", "8,9,10,11", f"12:{channels - 1}"))}
    text = "rocprofiler-sdk:\n  counters-schema-version: 1\n  counters:\n"
    names = {}
    for part, (counter, dimension, sets) in parts.items():
        names[counter] = [f"{part}_{i}" for i in range(len(sets))]
        for name, positions in zip(names[counter], sets):
            text += (f"  - name: {name}\n    description: a part\n    definitions:\n"
                     f"    - architectures: [{suite_gpu.ARCH}]\n      expression: "
                     f"reduce(select({counter},[{dimension}=[{positions}]]),sum)\n")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        rows, _ = rocprofv3([programs[0]], [*names, *sum(names.values(), [])],
                            options=("-E", file.name))
    check(len(rows) == 16, len(rows), "dispatches")
    for name, _, _, v in rows:
        for counter, pieces in names.items():
            check(sum(v[p] for p in pieces) == v[counter], name, counter, v)
    # 1024 workgroups of 4 waves take the shader engines in turn
    wanted = [4096 // engines * len(members(positions)) for positions in SOME_ENGINES[engines]]
    for name, _, _, v in rows[:2]:
        check([v[p] for p in names["SQ_WAVES"]] == wanted, name, v, wanted)


def forks():
    """A child made before the GPU is used counts its own kernel of 64 work items; the parent two."""
    rows, done = rocprofv3([programs[0]], ["SQ_WAVES", "SQ_WAVES_EQ_64", "SQ_INSTS_VMEM_WR"])
    rows = [row for row in rows if not row[0].startswith("__amd_rocclr_")]  # HIP's own copies
    check(len(rows) == 3, len(rows), "dispatches", done.stderr)
    for name, grid, _, v in rows:
        check(grid == 64 and list(v.values()) == [1, 1, 1], name, grid, v)
    check(done.stderr.count("records received") == 2, "processes", done.stderr)


def gpus():
    """Kernels of two GPUs that run at the same time do not see each other's counts."""
    for counters, wanted in ((["SQ_WAVES", "SPI_CSN_NUM_THREADGROUPS"], {"GPU 0": 20, "GPU 1": 20}),
                             (["SQ_WAVES:device=1"], {"GPU 1": 20}),
                             (["SQ_WAVES:device=0", "SPI_CSN_WAVE:device=1"],
                              {"GPU 0": 20, "GPU 1": 20}),
                             (["SQ_WAVES:device=0,device=1"], {"GPU 0": 20, "GPU 1": 20})):
        rows, done = rocprofv3([programs[0]], counters, options=("-A", "type-relative"),
                               SOFTGPU_GPUS="2")
        check(done.stdout == "gpus: 2, 0 wrong\n", "output", done.stdout)
        seen = defaultdict(list)
        for name, grid, workgroup, v in rows:
            agent = v.pop("Agent_Id")
            rules(agent, name, grid, workgroup, v)
            seen[agent].append(grid // workgroup)
            check(sorted(v) == sorted(c.split(":")[0] for c in counters
                                      if ":" not in c or f"device={agent[-1]}" in c), agent, v)
        check({a: len(g) for a, g in seen.items()} == wanted, counters, "dispatches", dict(seen))
        for agent, groups in seen.items():
            times = int(agent[-1]) + 1
            check(groups == [times * i for i in range(1, 21)], agent, "workgroups", groups)


def by_hand():
    known = programs[0]
    below_l2 = suite_gpu.BELOW_L2 + "_RDREQ_sum"
    rows, done = rocprofv3([known], [
        "SQ_WAVES", "SQ_INSTS_LDS", "SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE",
        "TCP_TOTAL_READ_sum", "TCP_TOTAL_WRITE_sum", "TCP_TCC_READ_REQ_sum",
        "TCP_TCC_WRITE_REQ_sum", "TCC_WRITE_sum", below_l2])
    check(done.stdout == "known: 0 wrong\n", "output", done.stdout)
    check(len(rows) == 16, len(rows), "dispatches")
    # 2^18 work items are 4096 waves. A wave's dwords, side by side and aligned, are 16 quads that
    # each touch one 64-byte line: 16 accesses; 4 quarters of a line each: 4 requests to L2. Lines of 128 bytes are read by
    # one request for both halves. L1 has none of the lines, which are read once, and is written through.
    reads = 256 // suite_gpu.VECTOR_LINE
    for k, (name, _, _, v) in enumerate(rows[:2]):
        for counter, wanted in {"SQ_WAVES": 4096, "TCP_TOTAL_READ_sum": 4096 * 16,
                                "TCP_TOTAL_WRITE_sum": 4096 * 16, "TCP_TCC_READ_REQ_sum": 4096 * reads,
                                "TCP_TCC_WRITE_REQ_sum": 4096 * 4, "TCC_WRITE_sum": 4096 * 4,
                                "SQ_INSTS_LDS": 0, "SQ_LDS_IDX_ACTIVE": 0}.items():
            check(v[counter] == wanted, name, counter, v[counter], "expected", wanted)
        # The first copy reads 1 MiB from memory in pieces of 64 bytes, or of 128 where both halves of a line are one read,
        # besides code and arguments, which each die reads for itself; the second finds it in L2, 4 or 8 MiB large.
        piece = 128 if int(suite_gpu.PROFILE.get("l2_reads_whole", 0)) else 64
        read = v[below_l2] - ((1 << 20) // piece if k == 0 else 0)
        check(0 <= read < 200 * suite_gpu.XCCS, name, "copy", k, "reads from memory", v[below_l2])
    # Ten waves, each with a write and a read of one dword per lane: two phases of 32 lanes. Lanes
    # `stride` apart fall into 32 / gcd banks, so gcd lanes meet in one: a phase takes gcd clocks,
    # one of which is not a conflict.
    for (name, _, _, v), (stride, gcd) in zip(rows[2:9], ((1, 1), (2, 2), (3, 1), (4, 4), (8, 8),
                                                          (16, 16), (32, 32))):
        check(f"<{stride}>" in name, name, "is not of stride", stride)
        for counter, wanted in {"SQ_WAVES": 10, "SQ_INSTS_LDS": 20,
                                "SQ_LDS_IDX_ACTIVE": 10 * 2 * 2 * gcd,
                                "SQ_LDS_BANK_CONFLICT": 10 * 2 * 2 * (gcd - 1)}.items():
            check(v[counter] == wanted, name, counter, v[counter], "expected", wanted)
    # Workgroups of 1, 63, 64, 65, 105, 1024 and 1000 items: 1, 1, 1, 2, 2, 16 and 16 waves each.
    waves = [v["SQ_WAVES"] for _, _, _, v in rows[9:]]
    check(waves == [3, 5, 5, 14, 48, 64, 16], "waves of shapes", waves)


FLOATS = [f"SQ_INSTS_VALU_{kind}_{size}" for kind in ("ADD", "MUL", "FMA", "TRANS") for size in ("F32", "F64")]
OTHERS = ["SQ_INSTS_VALU_INT32", "SQ_INSTS_VALU_INT64", "SQ_INSTS_VALU_CVT", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR",
          "SQ_INSTS_FLAT", "SQ_INSTS_SENDMSG", "TA_TOTAL_WAVEFRONTS_sum", "TD_LOAD_WAVEFRONT_sum"]
TRANSLATED = {"SOFTGPU_TRANSLATE": "on", "SOFTGPU_TRANSLATE_AFTER": "2", "SOFTGPU_TRANSLATE_TIME": "100000",
              "SOFTGPU_TRANSLATE_SHARE": "0", "SOFTGPU_TRANSLATE_CACHE": "0", "SOFTGPU_TRANSLATE_ASIDE": "0",
              "SOFTGPU_LOG": "info"}


def translated():
    """Exact counters say the same of code of the host as of code that is interpreted. One thread runs all workgroups: how often
    a sum by compare-and-swap is tried again depends on what others do meanwhile."""
    there = avail("list", "--pmc").split()
    for program in programs:
        for counters in (KINDS, FLOATS, OTHERS):
            counters = [name for name in counters if name in there]
            wanted, _ = rocprofv3([program], counters, SOFTGPU_TRANSLATE="off", SOFTGPU_THREADS="1")
            rows, done = rocprofv3([program], counters, SOFTGPU_THREADS="1", **TRANSLATED)
            if re.search("are interpreted: (there is no LLVM|the core has no library)", done.stderr):
                print("skipped: nothing can be translated here")
                sys.exit(77)
            check(re.search("translated [0-9]+ loops in .*: [1-9][0-9]* instructions in ", done.stderr), program,
                  "nothing ran translated", done.stderr)
            check(rows and len(rows) == len(wanted), program, len(rows), "dispatches of", len(wanted))
            for row, other in zip(rows, wanted):
                check(row == other, program, row, "interpreted", other)


def equal(name, v, **wanted):
    for counter, value in wanted.items():
        check(v[counter] == value, name, counter, v[counter], "expected", value)


def narrow_exact():
    """Of an RX 6800: 2^18 work items are 8192 waves of 32. Each executes a scalar load, 7 vector ALU instructions, a load,
    a store, two waits and its end: hipcc of Debian 12 makes these 13 of the copy."""
    rows, done = rocprofv3(programs, ["SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_FLAT", "SQ_INSTS_LDS",
                                      "SQ_INSTS_GDS", "SQ_WAVE32_INSTS", "SQ_WAVE64_INSTS", "SQ_INSTS_WAVE32",
                                      "SQ_INSTS_WAVE32_VALU", "SQ_INSTS_WAVE32_LDS"], SOFTGPU_GPU="rx6800")
    check(done.stdout == "known: 0 wrong\n", "output", done.stdout)
    for name, _, _, v in rows[:2]:
        equal(name, v, SQ_WAVES=8192, SQ_INSTS_VALU=7 * 8192, SQ_INSTS_SALU=0, SQ_INSTS_SMEM=8192, SQ_INSTS_FLAT=2 * 8192,
              SQ_INSTS_LDS=0, SQ_INSTS_GDS=0, SQ_WAVE32_INSTS=13 * 8192, SQ_WAVE64_INSTS=0, SQ_INSTS_WAVE32=13 * 8192,
              SQ_INSTS_WAVE32_VALU=7 * 8192, SQ_INSTS_WAVE32_LDS=0)
    # ten workgroups of 64 items are 20 waves, each with a write and a read of LDS
    for name, _, _, v in rows[2:9]:
        equal(name, v, SQ_WAVES=20, SQ_INSTS_LDS=40, SQ_INSTS_WAVE32_LDS=40)
    # Workgroups of 1, 63, 64, 65, 105, 1024 and 1000 items: 1, 2, 2, 3, 4, 32 and 32 waves each.
    waves = [v["SQ_WAVES"] for _, _, _, v in rows[9:]]
    check(waves == [3, 10, 10, 21, 96, 128, 32], "waves of shapes", waves)


def narrow_caches():
    """A wave's dwords are one line of 128 bytes: a read of L2 and two writes of half a line. L0 and GL1 have none of them."""
    rows, _ = rocprofv3(programs, ["TA_FLAT_LOAD_WAVEFRONTS_sum", "TA_FLAT_STORE_WAVEFRONTS_sum", "GL2C_HIT_sum", "GL2C_MISS_sum",
                                   "GL2C_MC_RDREQ_sum", "GL2C_EA_RDREQ_128B_sum", "SQC_LDS_IDX_ACTIVE", "SQC_LDS_BANK_CONFLICT",
                                   "LDSBankConflict", "TA_BUSY_max", "GRBM_TA_BUSY"], SOFTGPU_GPU="rx6800")
    for k, (name, _, _, v) in enumerate(rows[:2]):
        equal(name, v, TA_FLAT_LOAD_WAVEFRONTS_sum=8192, TA_FLAT_STORE_WAVEFRONTS_sum=8192, SQC_LDS_IDX_ACTIVE=0,
              GRBM_TA_BUSY=v["TA_BUSY_max"])
        # the first copy misses with each read, and with the first of each two writes; the second finds both in L2, of 4 MiB
        misses, hits = (2 * 8192, 8192) if k == 0 else (0, 3 * 8192)
        more = v["GL2C_MISS_sum"] - misses, v["GL2C_HIT_sum"] - hits, v["GL2C_EA_RDREQ_128B_sum"] - misses / 2
        check(all(0 <= n < 32 for n in more), name, "copy", k, "code, arguments and page tables", more)
        check(v["GL2C_MC_RDREQ_sum"] >= v["GL2C_EA_RDREQ_128B_sum"], name, v)
    # a write and a read of 32 lanes are a phase each; lanes `stride` dwords apart meet in a bank by gcd
    for (name, _, _, v), gcd in zip(rows[2:9], (1, 2, 1, 4, 8, 16, 32)):
        equal(name, v, SQC_LDS_IDX_ACTIVE=20 * 2 * gcd, SQC_LDS_BANK_CONFLICT=20 * 2 * (gcd - 1),
              LDSBankConflict=100 * (gcd - 1) / gcd)


NARROW_PERCENT = ("OccupancyPercent", "L2CacheHit", "MemUnitBusy", "TA_UTIL", "SPI_UTIL", "CP_UTIL", "EA_UTIL", "WAVE_DEP_WAIT",
                  "WAVE_ISSUE_WAIT", "ALUStalledByLDS", "GPU_UTIL")


def narrow_metrics():
    """Derived metrics are what their parts make them."""
    rows, _ = rocprofv3(programs, [*NARROW_PERCENT, "MeanOccupancyPerCU", "VALUInsts", "CU_NUM", "SE_NUM", "SIMD_NUM", "SQ_WAVE_CYCLES",
                                   "GRBM_GUI_ACTIVE", "SQ_WAIT_ANY", "LdsLatency"], SOFTGPU_GPU="rx6800")
    check(len(rows) == 16, len(rows), "dispatches")
    for name, _, _, v in rows:
        for metric in NARROW_PERCENT:
            check(0 <= v[metric] <= 100, name, metric, v[metric])
        equal(name, v, CU_NUM=16, SE_NUM=4, SIMD_NUM=32)
        waves = v["SQ_WAVE_CYCLES"] / v["GRBM_GUI_ACTIVE"] / 16
        check(abs(v["MeanOccupancyPerCU"] - waves) < 1e-3 * waves, name, "waves on a unit", v)
        check(abs(v["OccupancyPercent"] - 100 * waves / 32) < 1e-3 * waves, name, "of 32 slots", v)
        check(0 < v["SQ_WAIT_ANY"] <= v["SQ_WAVE_CYCLES"], name, v)
    equal(rows[0][0], rows[0][3], VALUInsts=7)
    # lds_latency, and the clocks of conflicts above one
    for (name, _, _, v), gcd in zip(rows[2:9], (1, 2, 1, 4, 8, 16, 32)):
        equal(name, v, LdsLatency=64 + gcd - 1)
    rows, _ = rocprofv3(programs, ["FETCH_SIZE"], SOFTGPU_GPU="rx6800")
    check(1024 <= rows[0][3]["FETCH_SIZE"] < 1026, "1 MiB", rows[0])


def waves_in_databases(product):
    """The compiler's descriptors say waves of 32 on both units of a pair; of the copy a SIMD holds as many as it has slots.
    Workgroups of two waves with 8 KiB of LDS are 16 in a pair, so 8 waves of a SIMD."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([f"{build}/bin/rocprofv3", "--gpu", "soft", "--kernel-trace", "-d", place, "-o", "x", "-f", "rocpd", "--", *programs],
                       env=ENVIRONMENT | {"SOFTGPU_GPU": product}, capture_output=True, check=True, timeout=100)
        (path,) = glob.glob(f"{place}/**/*.db", recursive=True)
        with open(f"{place}/budget.yaml", "w", encoding="utf-8") as file:
            file.write("copy_dwords: {occupancy: 16}\n/stride<32>/: {occupancy: 8}\n")
        done = subprocess.run([f"{build}/bin/rocprofv3", "check", f"{place}/budget.yaml", path], capture_output=True, text=True, timeout=100)
        check(done.returncode == 0 and "2 kept, 0 broken, 0 not checked" in done.stdout, "occupancy", done.stdout, done.stderr)
        rows = sqlite3.connect(path).execute("SELECT DISTINCT extdata ->> '$.wave_size', extdata ->> '$.wgp_mode' FROM "
                                             "rocpd_info_kernel_symbol S WHERE id IN (SELECT kernel_id FROM rocpd_kernel_dispatch)")
        check(list(rows) == [(32, 1)], "waves and mode of kernels", list(rows))


def narrow():
    waves_in_databases("rx6800")
    narrow_exact()
    narrow_caches()
    narrow_metrics()
    # what softgpu cannot tell it does not answer with 0
    _, done = rocprofv3(programs, ["SQ_INST_CYCLES_VMEM"], status=134, SOFTGPU_GPU="rx6800")
    check("softgpu has no model of SQ_INST_CYCLES_VMEM of gfx1030" in done.stderr, "refused", done.stderr)


# GPUs of gfx11: compute units, engines.
GFX11 = {"rx7900xtx": (24, 6), "strixhalo": (8, 2)}
GFX11_PERCENT = ("OccupancyPercent", "L2CacheHit", "MemUnitBusy", "WAVE_DEP_WAIT", "WAVE_ISSUE_WAIT", "ALUStalledByLDS", "GPU_UTIL",
                 "GPUBusy", "WriteUnitStalled")


def rdna3_exact(product):
    """A wave of the copy executes a scalar load, 7 vector ALU instructions, two s_delay_alu, a load, a store, two waits and its end:
    LLVM 21 makes these 15 of it. Loads and stores are FLAT instructions, and none of TEX, as measured of a gfx1153."""
    rows, done = rocprofv3(programs, ["SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_FLAT", "SQ_INSTS_LDS",
                                      "SQ_INSTS_GDS", "SQ_WAVE32_INSTS", "SQ_WAVE64_INSTS", "SQ_INSTS_WAVE32", "SQ_INSTS_TEX_LOAD",
                                      "SQ_INSTS_TEX_STORE", "SQ_INSTS_WAVE32_VALU", "SQ_INSTS_WAVE32_LDS"], SOFTGPU_GPU=product)
    check(done.stdout == "known: 0 wrong\n", "output", done.stdout)
    check(len(rows) == 16, len(rows), "dispatches", done.stderr)
    for name, _, _, v in rows[:2]:
        equal(name, v, SQ_WAVES=8192, SQ_INSTS_VALU=7 * 8192, SQ_INSTS_SALU=0, SQ_INSTS_SMEM=8192, SQ_INSTS_FLAT=2 * 8192,
              SQ_INSTS_LDS=0, SQ_INSTS_GDS=0, SQ_WAVE32_INSTS=15 * 8192, SQ_WAVE64_INSTS=0, SQ_INSTS_WAVE32=15 * 8192,
              SQ_INSTS_TEX_LOAD=0, SQ_INSTS_TEX_STORE=0, SQ_INSTS_WAVE32_VALU=7 * 8192, SQ_INSTS_WAVE32_LDS=0)
    for name, _, _, v in rows[2:9]:
        equal(name, v, SQ_WAVES=20, SQ_INSTS_LDS=40, SQ_INSTS_WAVE32_LDS=40)
    check([v["SQ_WAVES"] for _, _, _, v in rows[9:]] == [3, 10, 10, 21, 96, 128, 32], "waves of shapes")


def rdna3_caches(product):
    """As on an RX 6800, of which narrow_caches() tells. L2 has room for both arrays of the copy on an RX 7900 XTX alone. Its blocks
    count four events at once."""
    rows, _ = rocprofv3(programs, ["GL2C_HIT_sum", "GL2C_MISS_sum", "GL2C_MC_RDREQ_sum", "GL2C_EA_RDREQ_128B_sum", "SQC_LDS_IDX_ACTIVE",
                                   "SQC_LDS_BANK_CONFLICT", "LDSBankConflict", "LdsLatency", "TA_BUFFER_LOAD_WAVEFRONTS_sum",
                                   "TA_BUSY_max"], SOFTGPU_GPU=product)
    name, _, _, v = rows[0]
    more = v["GL2C_MISS_sum"] - 2 * 8192, v["GL2C_HIT_sum"] - 8192, v["GL2C_EA_RDREQ_128B_sum"] - 8192
    check(all(0 <= n < 128 for n in more), name, "code, arguments and page tables", more)
    check(v["GL2C_MC_RDREQ_sum"] >= v["GL2C_EA_RDREQ_128B_sum"], name, v)
    again = rows[1][3]
    check(0 <= again["GL2C_HIT_sum"] + again["GL2C_MISS_sum"] - 3 * 8192 < 128, "the second copy", rows[1])
    check(again["GL2C_HIT_sum"] > 3 * 8192 - 32 or product != "rx7900xtx", "the second copy", rows[1])
    for name, _, _, v in rows:
        equal(name, v, TA_BUFFER_LOAD_WAVEFRONTS_sum=0)
        check(v["TA_BUSY_max"] > 0, name, v)
    for (name, _, _, v), gcd in zip(rows[2:9], (1, 2, 1, 4, 8, 16, 32)):
        equal(name, v, SQC_LDS_IDX_ACTIVE=20 * 2 * gcd, SQC_LDS_BANK_CONFLICT=20 * 2 * (gcd - 1), LDSBankConflict=100 * (gcd - 1) / gcd,
              LdsLatency=64 + gcd - 1)
    for metric, kib in (("FETCH_SIZE", 1024), ("WRITE_SIZE", 1024)):
        rows, _ = rocprofv3(programs, [metric], SOFTGPU_GPU=product)
        check(kib <= rows[0][3][metric] < kib + 10, metric, "1 MiB", rows[0])


def rdna3_metrics(product):
    """Derived metrics are what their parts make them."""
    units, engines = GFX11[product]
    rows, _ = rocprofv3(programs, ["CU_NUM", "SE_NUM", "SIMD_NUM", "SQ_WAVE_CYCLES", "SQ_BUSY_CYCLES", "GRBM_GUI_ACTIVE", "SQ_WAIT_ANY",
                                   "MeanOccupancyPerCU", "MeanOccupancyPerActiveCU", "VALUInsts", *GFX11_PERCENT], SOFTGPU_GPU=product)
    check(len(rows) == 16, len(rows), "dispatches")
    for name, _, _, v in rows:
        for metric in GFX11_PERCENT:
            check(0 <= v[metric] <= 100, name, metric, v[metric])
        equal(name, v, CU_NUM=units, SE_NUM=engines, SIMD_NUM=2 * units)
        waves = v["SQ_WAVE_CYCLES"] / v["GRBM_GUI_ACTIVE"] / units
        check(abs(v["MeanOccupancyPerCU"] - waves) < 1e-3 * waves, name, "waves on a unit", v)
        check(abs(v["OccupancyPercent"] - 100 * waves / 32) < 1e-3 * waves, name, "of 32 slots", v)
        # each workgroup processor is busy at most as long as the GPU, and has 64 slots
        check(0 < v["SQ_BUSY_CYCLES"] <= units / 2 * v["GRBM_GUI_ACTIVE"], name, "busy", v)
        active = v["SQ_WAVE_CYCLES"] / v["SQ_BUSY_CYCLES"]
        check(abs(v["MeanOccupancyPerActiveCU"] - active) < 1e-3 * active, name, "waves on a processor", v)
        check(1 <= active <= 64, name, "waves on a processor", active)
        check(0 < v["SQ_WAIT_ANY"] <= v["SQ_WAVE_CYCLES"], name, v)
    equal(rows[0][0], rows[0][3], VALUInsts=7)


def rdna3():
    """Of a GPU of gfx11, whose name that of the program ends with."""
    product = os.path.basename(programs[0]).rsplit("-", 1)[1]
    waves_in_databases(product)
    rdna3_exact(product)
    rdna3_caches(product)
    rdna3_metrics(product)
    _, done = rocprofv3(programs, ["SQ_INST_CYCLES_VMEM"], status=134, SOFTGPU_GPU=product)
    check("softgpu has no model of SQ_INST_CYCLES_VMEM of gfx11" in done.stderr, "refused", done.stderr)


def rdna4_exact(product):
    """A wave of the copy executes a scalar load, 7 vector ALU instructions, two s_delay_alu, a load, a store, three waits and its end:
    LLVM 21 makes these 16 of it."""
    rows, done = rocprofv3(programs, ["SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_FLAT", "SQ_INSTS_LDS",
                                      "SQ_WAVE32_INSTS", "SQ_WAVE64_INSTS", "SQ_INSTS_WAVE32", "SQ_INSTS_TEX_LOAD",
                                      "SQ_INSTS_TEX_STORE", "SQ_INSTS_WAVE32_VALU", "SQ_INSTS_WAVE32_LDS"], SOFTGPU_GPU=product)
    check(done.stdout == "known: 0 wrong\n", "output", done.stdout)
    check(len(rows) == 16, len(rows), "dispatches", done.stderr)
    for name, _, _, v in rows[:2]:
        equal(name, v, SQ_WAVES=8192, SQ_INSTS_VALU=7 * 8192, SQ_INSTS_SALU=0, SQ_INSTS_SMEM=8192, SQ_INSTS_FLAT=2 * 8192,
              SQ_INSTS_LDS=0, SQ_WAVE32_INSTS=16 * 8192, SQ_WAVE64_INSTS=0, SQ_INSTS_WAVE32=16 * 8192, SQ_INSTS_TEX_LOAD=0,
              SQ_INSTS_TEX_STORE=0, SQ_INSTS_WAVE32_VALU=7 * 8192, SQ_INSTS_WAVE32_LDS=0)
    for name, _, _, v in rows[2:9]:
        equal(name, v, SQ_WAVES=20, SQ_INSTS_LDS=40, SQ_INSTS_WAVE32_LDS=40)
    check([v["SQ_WAVES"] for _, _, _, v in rows[9:]] == [3, 10, 10, 21, 96, 128, 32], "waves of shapes")


def rdna4_caches(product):
    """As on an RX 7900 XTX, without GL1: L0 asks L2 for whole lines. L2 has room for both arrays of the copy. Its blocks count four
    events at once."""
    rows, _ = rocprofv3(programs, ["GL2C_HIT_sum", "GL2C_MISS_sum", "GL2C_EA_RDREQ_128B_sum", "SQC_LDS_IDX_ACTIVE",
                                   "SQC_LDS_BANK_CONFLICT", "LDSBankConflict", "TA_BUFFER_LOAD_WAVEFRONTS_sum", "TA_BUSY_max"],
                        SOFTGPU_GPU=product)
    name, _, _, v = rows[0]
    more = v["GL2C_MISS_sum"] - 2 * 8192, v["GL2C_HIT_sum"] - 8192, v["GL2C_EA_RDREQ_128B_sum"] - 8192
    check(all(0 <= n < 128 for n in more), name, "code, arguments and page tables", more)
    check(rows[1][3]["GL2C_HIT_sum"] > 3 * 8192 - 32, "the second copy", rows[1])
    for name, _, _, v in rows:
        equal(name, v, TA_BUFFER_LOAD_WAVEFRONTS_sum=0)
        check(v["TA_BUSY_max"] > 0, name, v)
    for (name, _, _, v), gcd in zip(rows[2:9], (1, 2, 1, 4, 8, 16, 32)):
        equal(name, v, SQC_LDS_IDX_ACTIVE=20 * 2 * gcd, SQC_LDS_BANK_CONFLICT=20 * 2 * (gcd - 1), LDSBankConflict=100 * (gcd - 1) / gcd)
    rows, _ = rocprofv3(programs, ["GL2C_EA_RDREQ_sum", "GL2C_EA_RDREQ_128B_sum", "GL2C_EA_RDREQ_64B_sum", "GL2C_EA_RDREQ_32B_sum"],
                        SOFTGPU_GPU=product)
    for name, _, _, v in rows:
        equal(name, v, GL2C_EA_RDREQ_32B_sum=0, GL2C_EA_RDREQ_sum=v["GL2C_EA_RDREQ_128B_sum"] + v["GL2C_EA_RDREQ_64B_sum"])
    rows, _ = rocprofv3(programs, ["FETCH_SIZE"], SOFTGPU_GPU=product)
    check(1024 <= rows[0][3]["FETCH_SIZE"] < 1024 + 10, "1 MiB", rows[0])
    rows, _ = rocprofv3(programs, ["GL2C_EA_WRREQ_sum", "GL2C_EA_WRREQ_64B_sum", "GL2C_EA_WRREQ_STALL_max"], SOFTGPU_GPU=product)
    check(0 <= rows[0][3]["GL2C_EA_WRREQ_sum"] - 16384 < 64, "1 MiB by 64 bytes", rows[0])
    check(0 <= rows[0][3]["GL2C_EA_WRREQ_sum"] - rows[0][3]["GL2C_EA_WRREQ_64B_sum"] < 64, "1 MiB by 64 bytes", rows[0])


def rdna4_metrics(product):
    """Derived metrics are what their parts make them. There are 16 compute units in 4 engines."""
    percent = ("L2CacheHit", "WAVE_DEP_WAIT", "WAVE_ISSUE_WAIT", "GPU_UTIL")
    rows, _ = rocprofv3(programs, ["CU_NUM", "SQ_WAVE_CYCLES", "SQ_BUSY_CYCLES", "GRBM_GUI_ACTIVE", "SQ_WAIT_ANY", *percent],
                        SOFTGPU_GPU=product)
    check(len(rows) == 16, len(rows), "dispatches")
    for name, _, _, v in rows:
        for metric in percent:
            check(0 <= v[metric] <= 100, name, metric, v[metric])
        equal(name, v, CU_NUM=16)
        check(0 < v["SQ_BUSY_CYCLES"] <= 8 * v["GRBM_GUI_ACTIVE"], name, "busy", v)
        check(1 <= v["SQ_WAVE_CYCLES"] / v["SQ_BUSY_CYCLES"] <= 64, name, "waves on a processor", v)
        check(0 < v["SQ_WAIT_ANY"] <= v["SQ_WAVE_CYCLES"], name, v)


def rdna4():
    """Of a GPU of gfx12."""
    product = os.path.basename(programs[0]).rsplit("-", 1)[1]
    waves_in_databases(product)
    rdna4_exact(product)
    rdna4_caches(product)
    rdna4_metrics(product)
    _, done = rocprofv3(programs, ["SQ_INST_CYCLES_VMEM"], status=134, SOFTGPU_GPU=product)
    check("softgpu has no model of SQ_INST_CYCLES_VMEM of gfx12" in done.stderr, "refused", done.stderr)


def steady():
    """The same values whatever the number of workers, on another run, and beside other load."""
    known, counters = programs[0], list(dict.fromkeys(EXACT + CACHES))
    wanted, _ = rocprofv3([known], counters, SOFTGPU_THREADS="1")
    for threads in ("1", "2", "5"):
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"]) \
            if threads == "2" else None
        got, _ = rocprofv3([known], counters, SOFTGPU_THREADS=threads)
        if busy:
            busy.kill()
            busy.wait()
        check(len(got) == len(wanted), len(got), "dispatches, expected", len(wanted))
        for one, other in zip(wanted, got):
            check(set(one[3]) == set(counters), f"{threads} workers:", set(one[3]) ^ set(counters))
            check(one == other, f"{threads} workers:", one, other)


def tool(command, **variables):
    done = subprocess.run([f"{build}/bin/softgpu", "--", *command], capture_output=True, text=True,
                          env=ENVIRONMENT | {"LD_LIBRARY_PATH": f"{build}/lib"} | variables,
                          timeout=100)
    check(not done.returncode, "status", done.returncode, done.stderr)
    return done


def agreement_sdk():
    """rocprofv3 and a tool of the SDK see the same kernels."""
    known, sample = programs
    rows, _ = rocprofv3([known], ["SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU"])
    sums = defaultdict(lambda: [0, 0, 0])
    for name, _, _, v in rows:  # names differ in form: kernels are compared by their sums
        sums[name][0] += v["SQ_WAVES"]
        sums[name][1] += v["SQ_INSTS_VALU"]
        sums[name][2] += v["SQ_INSTS_SALU"]
    done = tool([known], ROCP_TOOL_LIBRARIES=sample,
                HSA_TOOLS_LIB=f"{build}/lib/librocprofiler-register.so.0")
    seen = [[float(words[k]) for k in (-5, -3, -1)] for words in
            (line.split() for line in done.stderr.splitlines()) if "SQ_INSTS_SALU" in words]
    check(sorted(seen) == sorted(sums.values()), "SDK's tool", sorted(seen), "rocprofv3",
          sorted(sums.values()))


def agreement_v1():
    """And a tool of ROC Profiler's interface."""
    known, sample = programs
    rows, _ = rocprofv3([known], ["SQ_WAVES"])
    done = tool([known], ROCP_TOOL_LIB=sample, ROCP_HSA_INTERCEPT="1",
                HSA_TOOLS_LIB=f"{build}/lib/librocprofiler64.so.1",
                ROCP_METRICS=f"{os.path.dirname(os.path.abspath(__file__))}"
                             "/../../../samples/v1/metrics.xml")
    waves = [float(line.split()[-1].strip("()")) for line in done.stdout.splitlines()
             if "SQ_WAVES" in line]
    check(sorted(waves) == sorted(v["SQ_WAVES"] for *_, v in rows), "first generation", waves)


def agreement_packets():
    """And a program that sends the packets of AQLprofile itself."""
    rows, _ = rocprofv3([*programs, "uncounted"], list(PACKETS.values()))
    done = tool(programs)
    own = {PACKETS[line[:14].strip()]: float(line[14:]) for line in done.stdout.splitlines()}
    check(len(rows) == 1 and own == rows[0][3], "packets of its own", own, "rocprofv3",
          rows)


def ends():
    """However a program ends: its output and status, and every record accounted for."""
    traced = programs[0]
    for how, status in (("return", 0), ("_exit", 7), ("abort", 134), ("term", 143)):
        rows, done = rocprofv3([traced, how], EXACT, status)
        check(done.stdout == "right\n", how, "output", done.stdout)
        check(len(rows) == 4, how, len(rows), "dispatches")
        for row in rows:
            rules(how, *row)
        for line in done.stderr.splitlines():
            if "records received" in line:
                check_account(how, line)


def end_of():
    """Programs of tests/whole/hip: their own ends, a fault of the GPU, children; as without counting."""
    program = programs[0]
    plain = subprocess.run([f"{build}/bin/softgpu", "--", program], env=ENVIRONMENT,
                           capture_output=True, text=True, timeout=100)
    status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    _, done = rocprofv3([program], ["SQ_WAVES"], status)
    check(done.stdout == plain.stdout, program, "output", done.stdout)
    for line in done.stderr.splitlines():
        if "records received" in line:
            check_account(program, line)


def check_account(who, line):
    """A record that was received is written, dropped or filtered."""
    n = [int(w) for w in line.replace(":", " ").split() if w.isdigit()][1:5]
    check(n[0] == sum(n[1:]), who, line)


need(*programs)
globals()[scenario]()
if failures:
    sys.exit("\n".join(failures[:40]))
