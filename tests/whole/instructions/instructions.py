"""rocprofv3 --instruction-counts of kernels.hip: instructions.py BUILD PROGRAM SOURCE SCENARIO

Counts are those that follow from the source and the launch: 4 groups of 256, 16 waves, by hand; and
those of the counters of the same run, which count the same in another way."""
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from sums import EXACT, LOST, MODEL_COUNTERS, MODEL_OPTIONS, check, check_counted, check_sums, counters_of, names, total

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

build, program, source, scenario = sys.argv[1:]
WAVES, RUNS, ROUNDS = 16, 2, 5  # of `strides`; of the loop in `rounds`


def profile(folder, *options, **variables):
    command = [f"{build}/bin/rocprofv3", "--gpu", "soft", *options, "-d", folder, "-o", "t", "--", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **variables})
    if done.returncode:
        sys.exit(f"status {done.returncode}: {done.stderr}")
    return done


def rows(folder, name):
    with open(f"{folder}/t_{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def marked():
    """Line numbers by the word in the comment behind the line."""
    with open(source) as file:
        return {line.split("// ")[1].strip(): n for n, line in enumerate(file, 1)
                if line[0] == " " and "// " in line}


def of_kernel(table, name):
    return [row for row in table if row["Kernel_Name"].startswith(name + "(")]


def check_table(folder):
    plain = subprocess.run([f"{build}/bin/softgpu", "--", program], capture_output=True, text=True)
    done = profile(folder, "--instruction-counts")
    check(done.stdout, plain.stdout, "the program's output")
    table, line = rows(folder, "instruction_counts"), marked()
    kernels = {row["Kernel_Name"].split("(")[0] for row in table}
    check({name for name in kernels if not name.startswith("__amd_rocclr_")}, {"strides", "rounds"}, "kernels")

    def at(name, word, *prefixes):
        return [row for row in of_kernel(table, name) if int(row["Source_Line"]) == line[word]
                and row["Source_File"].endswith("/instructions/kernels.hip") and row["Instruction"].startswith(prefixes)]

    waves = RUNS * WAVES
    # a float of each line of 128 bytes: 64 lines of 64 bytes where 4 would do
    load = at("strides", "spread", "global_load", "flat_load")
    check([(total(load, c)) for c in ("Issued", "Lanes", "Bytes", "Lines", "Lines_Needed")],
          [waves, 64 * waves, 256 * waves, 64 * waves, 4 * waves], "the spread load")
    # in a row: 4 lines
    store = at("strides", "dense", "global_store", "flat_store")
    check([(total(store, c)) for c in ("Issued", "Lines", "Lines_Needed")],
          [waves, 4 * waves, 4 * waves], "the dense store")
    # 8 dwords apart: lanes meet in 4 of 32 banks; 32 lanes a clock without that
    write = at("strides", "conflict", "ds_write")
    check([(total(write, c)) for c in ("Issued", "Lds_Bytes", "Lds_Clocks", "Lds_Clocks_Needed")],
          [waves, 256 * waves, 16 * waves, 2 * waves], "the conflicting write")
    # 20 of 64 lanes go on: one split for each wave
    check(total(of_kernel(table, "strides"), "Divergent"), waves, "splits")
    inside = at("strides", "inlined", "v_mul")
    check([(total(inside, c)) for c in ("Issued", "Lanes", "Lanes_17_24")],
          [waves, 20 * waves, waves], "the inlined multiplication")
    multiply = at("rounds", "loop", "v_fma", "v_mul", "v_mac")
    check(total(multiply, "Issued"), ROUNDS * WAVES, "rounds of the loop")
    # each wave's 64 atomics hit the places of all others, which are tried again if somebody was first
    check(total(of_kernel(table, "rounds"), "Atomics") >= 64 * WAVES, True, "atomics")


def check_counters(folder):
    profile(folder, "--instruction-counts", "-f", "csv", "--pmc", "SQ_WAVES", *names(EXACT))
    table, counted = rows(folder, "instruction_counts"), counters_of(rows(folder, "counter_collection"))
    for kernel, waves in (("strides", RUNS * WAVES), ("rounds", WAVES)):
        mine = of_kernel(table, kernel)
        check(counted[kernel]["SQ_WAVES"], waves, f"{kernel}: waves")
        check_counted(EXACT, mine, counted[kernel], kernel)
    check(counted["strides"]["SQ_LDS_BANK_CONFLICT"] > 0, True, "there are conflicts")
    check("L1_Hits" in table[0], False, "columns of the model, which is not asked for")
    # with the model's time kernels that nobody counts are modelled, and leave nothing to those that are counted
    profile(f"{folder}/timed", "--instruction-counts", "--kernel-include-regex", "rounds", "-f", "csv", "--pmc",
            *names(EXACT), SOFTGPU_TIME="model")
    timed = rows(f"{folder}/timed", "instruction_counts"), rows(f"{folder}/timed", "counter_collection")
    check_counted(EXACT, of_kernel(timed[0], "rounds"), counters_of(timed[1])["rounds"], "rounds by model time")


# Counters that stay 0 in `strides`.
NOT_HERE = {"SQ_LDS_ADDR_CONFLICT", "SQ_WAIT_INST_LDS"}


def check_model(folder):
    profile(folder, *MODEL_OPTIONS, "--pmc", *MODEL_COUNTERS)
    counted = counters_of(rows(folder, "counter_collection"))
    for kernel, runs in (("strides", RUNS), ("rounds", 1)):
        check_sums(of_kernel(rows(folder, "instruction_counts"), kernel), counted[kernel], runs, kernel)
    seen = {name for name, value in counted["strides"].items() if value}
    check({name for name in MODEL_COUNTERS if "ATOMIC" not in name} - seen, NOT_HERE, "counters without a value")


def check_callgrind(folder):
    tool = shutil.which("callgrind_annotate")
    if not tool:
        print("callgrind_annotate (valgrind) is not installed")
        sys.exit(77)
    profile(folder, "--instruction-counts", "--instruction-counts-level", "model", "-f", "callgrind")
    done = subprocess.run([tool, f"{folder}/t_callgrind.out"], capture_output=True, text=True)
    check((done.returncode, done.stderr), (0, ""), "callgrind_annotate")
    table = rows(folder, "instruction_counts")
    totals = next(line for line in done.stdout.splitlines() if line.endswith("PROGRAM TOTALS"))
    numbers = [int(word.replace(",", "")) for word in totals.split() if word[0].isdigit()]
    check(numbers[:4], [total(table, c) for c in ("Issued", "Lanes", "Lines", "Lines_Needed")],
          "totals")
    clocks = sum(total(table, column) for column in ("Issue", *LOST))
    check(numbers[-3:], [total(table, "L1_Misses"), total(table, "L2_Misses"), clocks], "totals of the model")
    # the source stands beside its counts
    line = next(text for text in done.stdout.splitlines() if text.endswith("// spread"))
    mine = [row for row in of_kernel(table, "strides") if int(row["Source_Line"]) == marked()["spread"]]
    check(int(line.split()[0].replace(",", "")), total(mine, "Issued"), "the line's executions")


def calls_of(path):
    """Of each caller and callee: times, and what that cost."""
    found, caller, callee, times = {}, None, None, 0
    with open(path) as file:
        for line in file:
            if line.startswith("fn="):
                caller = line[3:].strip()
            elif line.startswith("cfn="):
                callee = line[4:].strip()
            elif line.startswith("calls="):
                times = int(line[6:].split()[0])
                costs = [int(word) for word in next(file).split()[2:]]
                before = found.get((caller, callee), (0, [0] * len(costs)))
                found[caller, callee] = before[0] + times, [a + b for a, b in zip(before[1], costs)]
    return found


def check_graph(folder):
    """What was inlined is a function of its own, with callers; events of the models; jumps."""
    profile(folder, "--instruction-counts", "--instruction-counts-level", "model", "-f", "callgrind", "csv")
    path, table = f"{folder}/t_callgrind.out", rows(folder, "instruction_counts")
    strides, calls = of_kernel(table, "strides"), calls_of(path)
    name = strides[0]["Function"]
    waves = RUNS * WAVES
    inside = [row for row in strides if int(row["Source_Line"]) == marked()["inlined"]]
    times, costs = calls[name, "inlined"]
    check((times, costs[0], costs[1]), (waves, total(inside, "Issued"), total(inside, "Lanes")), "the inlined function")
    # through all that stands between: __syncthreads calls others, down to the instruction
    times, costs = calls[name, "__syncthreads"]
    barriers = [row for row in strides if row["Instruction"] == "s_barrier"]
    check((times, costs[0] >= total(barriers, "Issued")), (waves, True), "the barrier's call")
    check([callee for caller, callee in calls if caller == "__syncthreads"] != [], True, "what it is made of")
    with open(path) as file:
        text = file.read()
    events = next(line for line in text.splitlines() if line.startswith("events: ")).split()[1:]
    totals = dict(zip(events, map(int, next(line for line in text.splitlines()
                                            if line.startswith("summary: ")).split()[1:])))
    clocks = ["Issue"] + [column for column in table[0] if column.startswith(("Wait_", "Stall_"))]
    check([totals[event] for event in ("L1Miss", "L2Miss", "Cycles")],
          [total(table, "L1_Misses"), total(table, "L2_Misses"), sum(total(table, column) for column in clocks)],
          "the models' events")
    loop = min(int(row["Address"]) for row in of_kernel(table, "rounds") if int(row["Source_Line"]) == marked()["loop"])
    back = [line.split()[1] for line in text.splitlines() if line.startswith(f"jcnd={WAVES * (ROUNDS - 1)}/{WAVES * ROUNDS} ")]
    check(len(back) == 1 and int(back[0], 16) <= loop, True, f"the loop's jump among {back}")


def lower(row):
    """A row of the table in CSV under the names that a database's columns have."""
    renamed = {"Kernel_Name": "kernel", "Instruction": "text", "Source_File": "file", "Source_Line": "line"}
    return {renamed.get(key, key.lower()): value for key, value in row.items()}


def numbers(rows):
    """By place, what was counted; whatever a format calls the rest."""
    skip = {"kernel", "function", "text", "file", "line", "inlined", "user_file", "user_line", "block", "loop", "loop_depth", "code", "id",
            "guid", "kernel_id", "dispatch_id", "range"}
    return sorted((int(row["code_object_id"]), int(row["address"]),
                   tuple(sorted((key, int(value)) for key, value in row.items()
                                if key not in skip and value is not None))) for row in rows)


def database(path, query, *values):
    with sqlite3.connect(path) as base:
        base.row_factory = sqlite3.Row
        return [dict(row) for row in base.execute(query, values)]


LANES = ["lanes_0"] + [f"lanes_{8 * k - 7}_{8 * k}" for k in range(1, 9)]


def of_json(path):
    with open(path) as file:
        own = json.load(file)["rocprofiler-sdk-tool"][0]["crocprof_instruction_counts"]
    for row in own["instructions"]:
        row.update(zip(LANES, row.pop("by_lanes")))
    return own


def check_formats(folder):
    """One join, four formats; and the same again out of the database, alone or merged."""
    profile(folder, "--instruction-counts", "--embed-sources", "-f", "csv", "rocpd", "json")
    table = [lower(row) for row in rows(folder, "instruction_counts")]
    path = f"{folder}/t_results.db"
    stored = database(path, "SELECT * FROM crocprof_instruction")
    check(len(stored) > 50, True, "instructions")
    check(numbers(stored), numbers(table), "the database")
    check(numbers(of_json(f"{folder}/t_results.json")["instructions"]), numbers(table), "JSON")
    # what was inlined, and where: the line of the call is in the kernel
    inside = [row for row in stored if row["line"] == marked()["inlined"] and row["text"].startswith("v_mul")]
    check([[(f["function"], f["line"], f["file"]) for f in json.loads(row["inlined"])] for row in inside],
          [[("inlined", marked()["call"], inside[0]["file"])]], "the inlined function")
    barrier = [row for row in stored if row["text"] == "s_barrier"]
    names = [[f["function"] for f in json.loads(row["inlined"])] for row in barrier]
    check([list[-1] for list in names], ["__syncthreads"], f"the outermost of {names}")
    # the loop: its body alone, one deep
    loops = {(row["loop_depth"], row["kernel_id"]) for row in stored if row["line"] == marked()["loop"]
             and row["text"].startswith(("v_fma", "v_mul", "v_mac"))}
    check([depth for depth, _ in loops], [1], "depth of the loop")
    check({row["loop_depth"] for row in stored if row["text"].startswith("s_endpgm")}, {0}, "depth of the end")
    for row in stored:
        check(row["block"] <= row["address"] and (row["loop"] or 0) <= row["address"], True, f"places of {row}")
    # one of the kernel's dispatches ran it; its workgroups are there for the occupancy
    counted = database(path, "SELECT C.dispatches, C.waves, C.modelled, K.workgroup_size_x AS size, F.gpu, "
                       "F.vgpr_spills AS spills, F.group_size_max AS most, F.parameters FROM crocprof_counted C "
                       "JOIN crocprof_kernel_code F ON F.kernel_id = C.kernel_id JOIN rocpd_kernel_dispatch K "
                       "ON K.kernel_id = C.kernel_id GROUP BY C.kernel_id ORDER BY C.waves")
    check([[row[key] for key in ("dispatches", "waves", "modelled", "size", "gpu", "spills", "most")]
           for row in counted], [[1, WAVES, 0, 256, suite_gpu.ARCH, 0, 256], [RUNS, RUNS * WAVES, 0, 256, suite_gpu.ARCH, 0, 256]],
          "kernels")
    check([[p["size"] for p in json.loads(row["parameters"])] for row in counted], [[8, 4], [8, 8, 4]], "parameters")
    with open(source) as file:
        text = file.read()
    mine = database(path, "SELECT text FROM crocprof_source WHERE path LIKE '%kernels.hip'")
    if os.path.exists(inside[0]["file"]):
        check(mine, [{"text": text}], "the embedded source")
    # as rocpd tells it
    rocpd, quiet = f"{build}/bin/rocpd", {"capture_output": True, "text": True, "timeout": 60}
    subprocess.run([rocpd, "convert", "-i", path, "-f", "json", "csv", "-d", folder, "-o", "c"], check=True, **quiet)
    with open(f"{folder}/c_instruction_counts.csv", newline="") as again:
        check(sorted(map(str, map(lower, csv.DictReader(again)))), sorted(map(str, table)), "CSV of the database")
    check(of_json(f"{folder}/c_results.json"), of_json(f"{folder}/t_results.json"), "JSON of the database")
    # beside databases that have less: one without instructions, one whose table lacks a column
    other = ["--kernel-trace", "-f", "rocpd"]
    profile(f"{folder}/none", *other)
    shutil.copy(path, f"{folder}/none/old.db")
    with sqlite3.connect(f"{folder}/none/old.db") as base:
        for (name, kind) in base.execute("SELECT name, type FROM sqlite_master WHERE name LIKE '%pd_%' OR name LIKE "
                                         "'crocprof_%'").fetchall():
            if kind == "table":
                base.execute(f'ALTER TABLE "{name}" RENAME TO "{name}_0"')
        base.execute("DROP VIEW crocprof_instruction")
        (old,) = base.execute("SELECT name FROM sqlite_master WHERE name LIKE 'crocprof_instruction%' AND type = "
                              "'table'").fetchone()
        base.execute(f'ALTER TABLE "{old}" DROP COLUMN divergent')
        base.execute(f'CREATE VIEW crocprof_instruction AS SELECT * FROM "{old}"')
    for files in ([f"{folder}/none/t_results.db", path], [path, f"{folder}/none/old.db"]):
        subprocess.run([rocpd, "merge", "-i", *files, "-d", folder, "-o", "m"], check=True, **quiet)
        merged = database(f"{folder}/m.db", "SELECT * FROM crocprof_instruction")
        twice = 2 if files[1].endswith("old.db") else 1
        check(len(merged), twice * len(stored), f"instructions of {files}")
        check(sum(row["divergent"] or 0 for row in merged), total_of(stored, "divergent"), "a column of one")
        subprocess.run([rocpd, "query", "-i", *files, "--format", "csv", "-d", folder, "-o", "q", "--query",
                        "SELECT SUM(issued) AS n FROM crocprof_instruction"], check=True, **quiet)
        with open(f"{folder}/q.csv") as asked:
            check(asked.read().split()[1:], [str(twice * total_of(stored, "issued"))], "the sum of both")


def total_of(rows, column):
    return sum(row[column] for row in rows)


def check_annotate(folder):
    """The lines that cost most come first, with what is wrong with them."""
    profile(folder, "--instruction-counts", "-f", "rocpd")
    done = subprocess.run([f"{build}/bin/rocprofv3", "annotate", "--kernel", "^strides", folder], capture_output=True,
                          text=True, timeout=60)
    check((done.returncode, done.stderr), (0, ""), "annotate")
    said = [(line.split("^ ")[1].split("   ")[0], before) for before, line in
            zip(done.stdout.splitlines(), done.stdout.splitlines()[1:]) if "^ " in line]
    for sentence, word in (("uncoalesced: 64 lines touched, 4 needed", "spread"),
                           ("8-way LDS conflict: 16 clocks, 2 needed", "conflict"),
                           ("20 of 64 lanes active", "call")):
        places = [place for text, place in said if text == sentence]
        check(any(f"kernels.hip:{marked()[word]}" in place for place in places), True, f"{sentence} in {said}")
    check("occupancy: 8 of 8 waves on a SIMD" in done.stdout, True, "the head")


def check_transpose(folder):
    """A column of the tile lies in one bank, or, with a column more, in all: 32 lanes of each half of a wave."""
    profile(folder, "--instruction-counts", "-f", "rocpd")
    said = {}
    for kernel in ("transpose", "transpose_padded"):
        said[kernel] = subprocess.run([f"{build}/bin/rocprofv3", "annotate", "--kernel", kernel + r"\(", "--limit", "3",
                                       folder], capture_output=True, text=True, timeout=60).stdout.splitlines()
        check(said[kernel][0].startswith(kernel + "("), True, f"{kernel} in {said[kernel]}")
    with open(source) as file:
        line = next(n for n, text in enumerate(file, 1) if "= tile[i][j];" in text)
    at = [n for n, text in enumerate(said["transpose"]) if "32-way LDS conflict: 64 clocks, 2 needed" in text]
    check(len(at), 1, f"conflicts in {said['transpose']}")
    check(f"transpose.hip:{line}  out[(x + j) * n + y + i] = tile[i][j];" in said["transpose"][at[0] - 1], True,
          "the conflicting line")
    check([text for text in said["transpose_padded"] if "conflict:" in text], [], "conflicts with padding")


def check_selected(folder):
    one_of_two = "--kernel-include-regex", "strides", "--kernel-iteration-range", "[2]"
    replay = "--kernel-replay-beta-enabled", "--replay-mode", "kernel", "--pmc", "SQ_WAVES", "--pmc", "SQ_INSTS"
    for number, (options, waves) in enumerate((
            (one_of_two, WAVES),
            ((*one_of_two, "-f", "csv", "--pmc", "SQ_WAVES"), WAVES),  # counters number the runs for themselves
            (("--kernel-exclude-regex", "rounds|^__amd"), RUNS * WAVES),
            ((*replay, "-f", "csv", "--kernel-include-regex", "strides"), RUNS * WAVES))):  # once, not for each pass
        below = f"{folder}/{number}"
        profile(below, "--instruction-counts", *options)
        table = rows(below, "instruction_counts")
        check({row["Kernel_Name"].split("(")[0] for row in table}, {"strides"}, f"kernels with {options}")
        check(total([row for row in table if row["Instruction"] == "s_endpgm"], "Issued"), waves, f"waves with {options}")


def check_killed(folder):
    command = [f"{build}/bin/rocprofv3", "--gpu", "soft", "--instruction-counts", "-d", folder, "--", program, "kill"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check(done.returncode, 137, "status of a program that kills itself")
    check("LOST the counts of its instructions" in done.stderr, True, f"the loss in {done.stderr!r}")
    # counts of dispatches are written before the program sees that they have ended
    command[4:4] = ["--instruction-counts-by", "dispatch", "-f", "csv", "-o", "t"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check((done.returncode, "LOST" in done.stderr), (137, False), f"status and losses in {done.stderr!r}")
    table, ends = rows(folder, "instruction_counts"), {}
    for row in table:
        if row["Instruction"] == "s_endpgm":
            key = row["Kernel_Name"].split("(")[0], row["Dispatch_Id"]
            ends[key] = ends.get(key, 0) + int(row["Issued"])
    check(sorted((name, waves) for (name, _), waves in ends.items()), [("rounds", WAVES), *[("strides", WAVES)] * RUNS], "dispatches")


with tempfile.TemporaryDirectory() as directory:
    globals()[f"check_{scenario}"](directory)
