#!/usr/bin/env python3
"""Counters of whole HIP programs: numbers worked out by hand, and rules that hold for every dispatch.

usage: proof.py BUILD_DIR KNOWN_PROGRAM SCENARIO
Apart from the tests of single rooms since all of them take part: rocprofv3, SDK, packets, softgpu.
"""
import csv
import glob
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

build, known, scenario = sys.argv[1:]
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if not k.startswith(("ROCP", "HSA_", "LD_", "SOFTGPU_"))}
failures = []


def check(good, *what):
    if not good:
        failures.append(" ".join(map(str, what)))


def rocprofv3(program, counters, status=0, **variables):
    """[(kernel, grid, workgroup, {counter: value})] by dispatch, and what the run said."""
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([f"{build}/bin/rocprofv3", "--gpu", "soft", "--pmc", *counters,
                               "-d", place, "-o", "x", "-f", "csv", "--", *program],
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
                    values[key][row["Counter_Name"]] = float(row["Counter_Value"])
    return [(*about[k], values[k]) for k in sorted(values)], done


def waves_of(grid, workgroup):
    """A wave has 64 work items; the last of a workgroup, and the last workgroup, may have less."""
    return grid // workgroup * -(-workgroup // 64) + -(-(grid % workgroup) // 64)


EXACT = ["SQ_WAVES", "SQ_WAVES_EQ_64", "SQ_WAVES_LT_64", "SQ_INSTS", "SQ_INSTS_VALU",
         "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_VMEM", "SPI_CSN_WAVE",
         "SPI_CSN_NUM_THREADGROUPS"]
KINDS = ["SQ_INSTS", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_INSTS_VMEM",
         "SQ_INSTS_LDS", "SQ_INSTS_BRANCH", "SQ_INSTS_FLAT"]
CACHES = ["TCC_HIT_sum", "TCC_MISS_sum", "TCC_REQ_sum", "TCC_REQ", "TCC_READ_sum",
          "TCP_TOTAL_ACCESSES_sum", "TCP_TOTAL_READ_sum", "TCP_TOTAL_WRITE_sum",
          "TCP_TOTAL_ATOMIC_WITH_RET_sum", "SQ_WAVES", "SQ_BUSY_CYCLES", "SQ_WAVE_CYCLES",
          "SQ_WAIT_ANY", "GRBM_COUNT", "GRBM_GUI_ACTIVE"]
REQUESTS = ["TCC_REQ_sum", "TCC_READ_sum", "TCC_WRITE_sum", "TCC_ATOMIC_sum",
            "TCP_TCC_READ_REQ_sum", "TCP_TCC_WRITE_REQ_sum", "TCP_TCC_ATOMIC_WITH_RET_REQ_sum",
            "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", "SQC_TC_REQ"]
LOOKUPS = ["TCP_UTCL1_REQUEST_sum", "TCP_UTCL1_TRANSLATION_HIT_sum",
           "TCP_UTCL1_TRANSLATION_MISS_sum", "TCP_TOTAL_CACHE_ACCESSES_sum"]
PACKETS = {"waves": "SQ_WAVES", "waves of 64": "SQ_WAVES_EQ_64", "waves of less": "SQ_WAVES_LT_64",
           "work items": "SQ_ITEMS", "stores": "SQ_INSTS_VMEM_WR",
           "workgroups": "SPI_CSN_NUM_THREADGROUPS"}
PERCENT = ["GPUBusy", "L2CacheHit", "VALUUtilization", "OccupancyPercent", "SALUBusy"]


def rules(who, name, grid, workgroup, v):
    """What holds for any dispatch, of the counters that are there."""
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
    # s_nop, s_waitcnt, s_endpgm and messages are in SQ_INSTS alone; FLAT is in VMEM and in LDS.
    rule("SQ_INSTS >= SQ_INSTS_VALU + SQ_INSTS_SALU + SQ_INSTS_SMEM + SQ_INSTS_VMEM + SQ_INSTS_LDS"
         " + SQ_INSTS_BRANCH - SQ_INSTS_FLAT", *KINDS)
    rule("TCC_HIT_sum + TCC_MISS_sum == TCC_REQ_sum", *CACHES[:3])
    rule("TCC_REQ == TCC_REQ_sum", "TCC_REQ", "TCC_REQ_sum")
    rule("TCP_TOTAL_READ_sum + TCP_TOTAL_WRITE_sum + TCP_TOTAL_ATOMIC_WITH_RET_sum"
         " <= TCP_TOTAL_ACCESSES_sum", *CACHES[5:9])
    rule("0 < SQ_BUSY_CYCLES <= 8 * GRBM_GUI_ACTIVE", "SQ_BUSY_CYCLES", "GRBM_GUI_ACTIVE")
    rule("0 < GRBM_GUI_ACTIVE <= GRBM_COUNT", "GRBM_COUNT", "GRBM_GUI_ACTIVE")
    rule("SQ_WAIT_ANY <= SQ_WAVE_CYCLES", "SQ_WAIT_ANY", "SQ_WAVE_CYCLES")
    rule("TCC_READ_sum + TCC_WRITE_sum + TCC_ATOMIC_sum == TCC_REQ_sum", *REQUESTS[:4])
    rule("TCP_TCC_READ_REQ_sum + TCP_TCC_WRITE_REQ_sum + TCP_TCC_ATOMIC_WITH_RET_REQ_sum"
         " + TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum + SQC_TC_REQ == TCC_REQ_sum", *REQUESTS)
    rule("TCP_UTCL1_TRANSLATION_HIT_sum + TCP_UTCL1_TRANSLATION_MISS_sum == TCP_UTCL1_REQUEST_sum",
         *LOOKUPS[:3])
    rule("TCP_UTCL1_REQUEST_sum == TCP_TOTAL_CACHE_ACCESSES_sum", *LOOKUPS)
    for percent in PERCENT:
        if percent in v:
            check(0 <= v[percent] <= 100, who, name, percent, v[percent])


def invariants():
    programs = {"known": 16}  # and the programs of tests/hip that are built, by their dispatches
    for name in ("transpose",):
        if os.access(f"{build}/tests/hip/{name}-O2", os.X_OK):
            programs[f"{build}/tests/hip/{name}-O2"] = None
    for program, dispatches in programs.items():
        for counters in (EXACT, KINDS, CACHES, REQUESTS, LOOKUPS, PERCENT):
            rows, _ = rocprofv3([known if program == "known" else program], counters)
            check(rows and dispatches in (None, len(rows)), program, len(rows), "dispatches")
            for row in rows:
                check(len(row[3]) == len(counters), program, row[0], "counters", sorted(row[3]))
                rules(os.path.basename(program), *row)


def by_hand():
    rows, done = rocprofv3([known], [
        "SQ_WAVES", "SQ_INSTS_LDS", "SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE",
        "TCP_TOTAL_READ_sum", "TCP_TOTAL_WRITE_sum", "TCP_TCC_READ_REQ_sum",
        "TCP_TCC_WRITE_REQ_sum", "TCC_WRITE_sum", "TCC_EA_RDREQ_sum"])
    check(done.stdout == "known: 0 wrong\n", "output", done.stdout)
    check(len(rows) == 16, len(rows), "dispatches")
    # 2^18 work items are 4096 waves. A wave's dwords, side by side and aligned, are 16 quads that
    # each touch one 64-byte line: 16 accesses; 4 quarters of a line each: 4 requests to L2. L1 has
    # none of the lines, which are read once, and is written through.
    for k, (name, _, _, v) in enumerate(rows[:2]):
        for counter, wanted in {"SQ_WAVES": 4096, "TCP_TOTAL_READ_sum": 4096 * 16,
                                "TCP_TOTAL_WRITE_sum": 4096 * 16, "TCP_TCC_READ_REQ_sum": 4096 * 4,
                                "TCP_TCC_WRITE_REQ_sum": 4096 * 4, "TCC_WRITE_sum": 4096 * 4,
                                "SQ_INSTS_LDS": 0, "SQ_LDS_IDX_ACTIVE": 0}.items():
            check(v[counter] == wanted, name, counter, v[counter], "expected", wanted)
        # The first copy reads 1 MiB from memory in pieces of 64 bytes, besides code and arguments;
        # the second finds it in L2, 8 MiB large.
        read = v["TCC_EA_RDREQ_sum"] - (16384 if k == 0 else 0)
        check(0 <= read < 200, name, "copy", k, "reads from memory", v["TCC_EA_RDREQ_sum"])
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


def steady():
    """The same values whatever the number of workers, on another run, and beside other load."""
    for counters in (EXACT, CACHES):
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
                check(one == other, f"{threads} workers:", one, other)


def agreement():
    """rocprofv3, a tool of the SDK and one of ROC Profiler's interface see the same kernels."""
    def tool(**variables):
        done = subprocess.run([f"{build}/bin/softgpu", "--", known], capture_output=True, text=True,
                              env=ENVIRONMENT | {"LD_LIBRARY_PATH": f"{build}/lib"} | variables,
                              timeout=100)
        check(not done.returncode, "status", done.returncode, done.stderr)
        return done

    rows, _ = rocprofv3([known], ["SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_SALU"])
    sums = defaultdict(lambda: [0, 0, 0])
    for name, _, _, v in rows:  # names differ in form: kernels are compared by their sums
        sums[name][0] += v["SQ_WAVES"]
        sums[name][1] += v["SQ_INSTS_VALU"]
        sums[name][2] += v["SQ_INSTS_SALU"]
    done = tool(ROCP_TOOL_LIBRARIES=f"{build}/samples/lib/libsample-count_dispatches.so",
                HSA_TOOLS_LIB=f"{build}/lib/librocprofiler-register.so.0")
    seen = [[float(words[k]) for k in (-5, -3, -1)] for words in
            (line.split() for line in done.stderr.splitlines()) if "SQ_INSTS_SALU" in words]
    check(sorted(seen) == sorted(sums.values()), "SDK's tool", sorted(seen), "rocprofv3",
          sorted(sums.values()))
    older = glob.glob(f"{build}/samples/lib/libsample-v1-dispatches.so")
    if older:
        done = tool(ROCP_TOOL_LIB=older[0], ROCP_HSA_INTERCEPT="1",
                    HSA_TOOLS_LIB=f"{build}/lib/librocprofiler64.so.1",
                    ROCP_METRICS=f"{os.path.dirname(os.path.abspath(__file__))}"
                                 "/../../samples/v1/metrics.xml")
        waves = [float(line.split()[-1].strip("()")) for line in done.stdout.splitlines()
                 if "SQ_WAVES" in line]
        check(sorted(waves) == sorted(v["SQ_WAVES"] for *_, v in rows), "first generation", waves)
    # a program that sends the packets of AQLprofile itself, and the same kernel counted from outside
    fill = [f"{build}/samples/bin/count", f"{build}/samples/aqlprofile/fill.hsaco"]
    if all(map(os.path.exists, fill)):
        rows, _ = rocprofv3(fill + ["uncounted"], list(PACKETS.values()))
        done = subprocess.run([f"{build}/bin/softgpu", "--", *fill], capture_output=True, text=True,
                              env=ENVIRONMENT | {"LD_LIBRARY_PATH": f"{build}/lib"}, timeout=100)
        own = {PACKETS[line[:14].strip()]: float(line[14:]) for line in done.stdout.splitlines()}
        check(len(rows) == 1 and own == rows[0][3], "packets of its own", own, "rocprofv3", rows)


def ends():
    """However a program ends: its output and status, and every record accounted for."""
    traced = f"{build}/tests/rocprofv3/traced"
    for how, status in (("return", 0), ("_exit", 7), ("abort", 134), ("term", 143)):
        rows, done = rocprofv3([traced, how], EXACT, status)
        check(done.stdout == "right\n", how, "output", done.stdout)
        check(len(rows) == 4, how, len(rows), "dispatches")
        for row in rows:
            rules(how, *row)
        for line in done.stderr.splitlines():
            if "records received" in line:
                check_account(how, line)
    # programs of tests/hip that are built: their own ends, a fault of the GPU, children
    for name, status in (("forks", 0), ("badpointer", 134), ("nosync", 5)):
        program = f"{build}/tests/hip/{name}-O2"
        if not os.access(program, os.X_OK):
            continue
        plain = subprocess.run([f"{build}/bin/softgpu", "--", program], env=ENVIRONMENT,
                               capture_output=True, text=True, timeout=100)
        _, done = rocprofv3([program], ["SQ_WAVES"], status)
        check(done.stdout == plain.stdout, name, "output", done.stdout)
        for line in done.stderr.splitlines():
            if "records received" in line:
                check_account(name, line)


def check_account(who, line):
    """A record that was received is written, dropped or filtered."""
    n = [int(w) for w in line.replace(":", " ").split() if w.isdigit()][1:5]
    check(n[0] == sum(n[1:]), who, line)


globals()[scenario]()
if failures:
    sys.exit("\n".join(failures[:40]))
