#!/usr/bin/env python3
"""rocprofv3 --pc-sampling-* over a program whose kernels are in one loop nearly all of the time.

usage: pc_sampling.py BUILD_DIR PROGRAM SCENARIO [PRODUCT MHZ], of a GPU that softgpu has (soft, the suite's). What the loop looks like is known from the program's
source, how many samples there are from softgpu's rule for the model's time. A runtime that cannot sample
(ROCr before 6.4) has to be told of, and the program's result is the same. Without a trap handler that samples on the GPU (gfx1201, ROCr before 7)
the same holds, and the test is skipped.
"""
import collections
import csv
import glob
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

build, program, scenario, product, mhz = (*sys.argv[1:], "soft", suite_gpu.CLOCK)[:5]
LANES, LOOP = 64, ["s_add_u32", "s_addc_u32", "s_sub_u32", "s_cmp_lg_u32", "s_cbranch_scc1"]
if product == "rx9070xt":  # waves of 32 lanes, and other names
    LANES, LOOP[:3] = 32, ["s_add_co_u32", "s_add_co_ci_u32", "s_sub_co_u32"]
KERNELS, GROUPS, WAVES, TURNS = 3, 4, 256 // LANES, 150000
INTERVAL = 20
PERIOD = INTERVAL * 32 * int(mhz) // 4 | 1  # instructions of a wave between its samples, docs/softgpu.md
environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROCP", "HSA_", "LD_PRE"))}


def check(truth, *what):
    if not truth:
        sys.exit(f"{scenario}: wrong: " + " ".join(str(part) for part in what))


def run(*options, status=0, time="model"):
    done = subprocess.run([f"{build}/bin/rocprofv3", "--gpu", product, *options, "--", program],
                          env=dict(environment, SOFTGPU_TIME=time), capture_output=True, text=True, timeout=120)
    check(done.returncode == status, options, done.returncode, done.stderr)
    if not status:
        check(done.stdout == "hot: 1024 right\n", options, done.stdout, done.stderr)
    return done.stderr


def runtime():
    """The version of the HSA runtime that the program loads, 1.18 of ROCm 7; it is in the file's name."""
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=60).stdout
    path = re.search(r"libhsa-runtime64\.so\.1 => (\S+)", linked)
    check(path, "no HSA runtime:", linked)
    return [int(part) for part in os.path.realpath(path[1]).split(".so.")[1].split(".")[:2]]


def sample(out, *options, interval=INTERVAL, time="model"):
    """Standard error; None if this runtime cannot sample."""
    said = run("--pc-sampling-beta-enabled", "--pc-sampling-method", "host_trap", "--pc-sampling-unit", "time",
               "--pc-sampling-interval", str(interval), "--kernel-trace", "-d", out, "-o", "x", *options, time=time)
    old_handler = product == "rx9070xt" and "the runtime's trap handler for this GPU does not sample" in said
    if not old_handler and "can sample program counters" not in said:
        return said
    check(not glob.glob(f"{out}/*pc_sampling*"), "samples of a runtime without sampling")
    if old_handler:
        check(runtime() < [1, 18], "ROCr", runtime(), "has a handler that samples:", said)
        print(f"{scenario}: skipped: the trap handler of ROCr {runtime()} does not sample on this GPU")
        sys.exit(77)
    check("no samples: no GPU, with its driver and its runtime" in said, said)
    return None


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def results(out):
    with open(f"{out}/x_results.json", encoding="utf-8") as file:
        return json.load(file)["rocprofiler-sdk-tool"][0]


def hot_places(samples):
    """Offsets of the loop's instructions: the five most frequent, one behind the other."""
    places = collections.Counter((s["record"]["pc"]["code_object_id"], s["record"]["pc"]["code_object_offset"])
                                 for s in samples)
    loop = sorted(place for place, _ in places.most_common(5))
    first = loop[0]
    check(loop == [(first[0], first[1] + 4 * i) for i in range(5)], "places", loop)
    return loop, sum(places[place] for place in loop)


def everything():
    with tempfile.TemporaryDirectory() as out:
        said = sample(out, "-f", "csv", "json", "rocpd")
        if said is None:
            return
        check(" 0 dropped" in said and "lost" not in said, said)
        found = results(out)
        samples = found["buffer_records"]["pc_sample_host_trap"]
        check(not found["buffer_records"]["pc_sample_stochastic"], "stochastic samples")
        # every wave is met once in a period; besides the loop it has few instructions
        per_wave = TURNS * len(LOOP) // PERIOD
        waves = collections.Counter((s["record"]["dispatch_id"], s["record"]["wrkgrp_id"]["x"],
                                     s["record"]["wave_in_grp"]) for s in samples)
        check(len(waves) == KERNELS * GROUPS * WAVES, len(waves), "waves")
        check(set(waves.values()) <= {per_wave, per_wave + 1}, waves)
        loop, hot = hot_places(samples)
        check(hot >= 0.95 * len(samples), hot, "of", len(samples), "samples in the loop")
        # text and place belong together: the loop's instructions in the order of the source
        texts, comments = (found["strings"][f"pc_sample_{k}"] for k in ("instructions", "comments"))
        check(len(texts) == len(comments), "texts", len(texts), len(comments))
        at = {(s["record"]["pc"]["code_object_id"], s["record"]["pc"]["code_object_offset"]): s["inst_index"]
              for s in samples}
        check([texts[at[place]].split()[0] for place in loop] == LOOP, [texts[at[place]] for place in loop])
        kernels = {d["dispatch_info"]["dispatch_id"]: d for d in found["buffer_records"]["kernel_dispatch"]}
        objects = {o["code_object_id"] for o in found["code_objects"]}
        for s in samples:
            record = s["record"]
            check(record["dispatch_id"] in kernels, "dispatch", record)
            check(record["corr_id"]["internal"] ==
                  kernels[record["dispatch_id"]]["correlation_id"]["internal"], "correlation", record)
            check(record["pc"]["code_object_id"] in objects, "code object", record)
            check(record["exec_mask"] in (2**LANES - 1, 1) and record["timestamp"] > 0, record)
        # the database has them all, and the views of threads none
        database = sqlite3.connect(f"{out}/x_results.db")
        stored = database.execute(
            "SELECT S.timestamp, E.stack_id, S.extdata, E.extdata, E.line_info, X.string FROM rocpd_sample S "
            "JOIN rocpd_event E ON E.id = S.event_id JOIN rocpd_string X ON X.id = E.category_id").fetchall()
        check({row[5] for row in stored} == {"PC_SAMPLING_HOST_TRAP"}, "categories")
        check(database.execute("SELECT COUNT(*) FROM samples").fetchone() == (0,), "samples of threads")
        check(not database.execute("PRAGMA foreign_key_check").fetchall(), "keys of the database")
        stored = [(row[0], row[1], *map(json.loads, row[2:5])) for row in stored]
        check(sorted((time, stack, e["exec_mask"], e["instruction"], e["instruction_comment"], e["wave_in_group"],
                      *e["hw_id"].values(), event["dispatch_id"], *event["workgroup_id"].values(),
                      line["pc"]["code_object_id"], line["pc"]["code_object_offset"])
                     for time, stack, e, event, line in stored) ==
              sorted((r["timestamp"], r["corr_id"]["internal"], r["exec_mask"], texts[s["inst_index"]],
                      comments[s["inst_index"]], r["wave_in_grp"], *r["hw_id"].values(), r["dispatch_id"],
                      *r["wrkgrp_id"].values(), r["pc"]["code_object_id"], r["pc"]["code_object_offset"])
                     for s in samples for r in [s["record"]]), "database and JSON differ")
        database.close()
        # the table has the same
        table = rows(f"{out}/x_pc_sampling_host_trap.csv")
        check(list(table[0]) == ["Sample_Timestamp", "Exec_Mask", "Dispatch_Id", "Instruction",
                                 "Instruction_Comment", "Correlation_Id"], list(table[0]))
        key = sorted((int(r["Sample_Timestamp"]), int(r["Dispatch_Id"]), int(r["Exec_Mask"]), r["Instruction"],
                      int(r["Correlation_Id"])) for r in table)
        check(key == sorted((s["record"]["timestamp"], s["record"]["dispatch_id"], s["record"]["exec_mask"],
                             texts[s["inst_index"]], s["record"]["corr_id"]["internal"]) for s in samples),
              "table and JSON differ")


def by_the_clock():
    """By the host's time there are samples, how many nobody can say; none is lost, few are elsewhere."""
    with tempfile.TemporaryDirectory() as out:
        said = sample(out, "-f", "json", interval=100, time="host")
        if said is None:
            return
        check(" 0 dropped" in said and "lost" not in said, said)
        samples = results(out)["buffer_records"]["pc_sample_host_trap"]
        check(len(samples) >= 20, len(samples), "samples")
        _, hot = hot_places(samples)
        check(hot >= 0.95 * len(samples), hot, "of", len(samples), "samples in the loop")


def refusals():
    method, unit, interval = (("--pc-sampling-method", "host_trap"), ("--pc-sampling-unit", "time"),
                              ("--pc-sampling-interval", "100"))
    beta = ("--pc-sampling-beta-enabled",)
    for options, why in [((*beta, *method, *unit), "--pc-sampling-interval is missing"),
                         ((*beta, *method, *interval), "--pc-sampling-unit is missing"),
                         ((*beta, *unit, *interval), "--pc-sampling-method is missing"),
                         ((*method, *unit, *interval), "PC sampling unavailable: it needs --pc-sampling-beta-enabled"),
                         ((*beta, *method, *unit, "--pc-sampling-interval", "0"), "no interval"),
                         ((*beta, *method, *unit, "--pc-sampling-interval", "x"), "no whole number"),
                         ((*beta, "--pc-sampling-method", "guess", *unit, *interval), "none of")]:
        said = run(*options, status=2)
        check(why in said, options, said)


globals()[scenario]()
