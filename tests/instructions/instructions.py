"""rocprofv3 --instruction-counts of kernels.hip: instructions.py BUILD PROGRAM SOURCE SCENARIO

Counts are those that follow from the source and the launch: 4 groups of 256, 16 waves, by hand; and
those of the counters of the same run, which count the same in another way."""
import csv
import shutil
import subprocess
import sys
import tempfile

build, program, source, scenario = sys.argv[1:]
WAVES, RUNS, ROUNDS = 16, 2, 5  # of `strides`; of the loop in `rounds`


def check(got, expected, what):
    if got != expected:
        sys.exit(f"{what}: {got}, expected {expected}")


def profile(folder, *options):
    command = [f"{build}/bin/rocprofv3", "--gpu", "soft", *options, "-d", folder, "-o", "t", "--", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
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


def total(table, column, *prefixes):
    return sum(int(row[column]) for row in table
               if not prefixes or row["Instruction"].startswith(prefixes))


def check_table(folder):
    plain = subprocess.run([f"{build}/bin/softgpu", "--", program], capture_output=True, text=True)
    done = profile(folder, "--instruction-counts")
    check(done.stdout, plain.stdout, "the program's output")
    table, line = rows(folder, "instruction_counts"), marked()
    kernels = {row["Kernel_Name"].split("(")[0] for row in table}
    check({name for name in kernels if not name.startswith("__amd_rocclr_")}, {"strides", "rounds"}, "kernels")

    def at(name, word, *prefixes):
        return [row for row in of_kernel(table, name) if int(row["Source_Line"]) == line[word]
                and row["Source_File"] == source and row["Instruction"].startswith(prefixes)]

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


# The counter, and what it is the sum of.
SUMS = {
    "SQ_INSTS_VALU": ("Issued", ("v_",)),
    "SQ_INSTS_SMEM": ("Issued", ("s_load", "s_buffer")),
    "SQ_INSTS_LDS": ("Issued", ("ds_",)),
    "SQ_INSTS_VMEM_WR": ("Issued", ("global_store", "global_atomic")),
    "SQ_INSTS_BRANCH": ("Issued", ("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call")),
    "SQ_LDS_IDX_ACTIVE": ("Lds_Clocks", ()),
}


def check_counters(folder):
    profile(folder, "--instruction-counts", "-f", "csv", "--pmc", "SQ_WAVES", "SQ_LDS_BANK_CONFLICT",
            *SUMS)
    table = rows(folder, "instruction_counts")
    counted = {}
    for row in rows(folder, "counter_collection"):
        key = row["Kernel_Name"].split("(")[0], row["Counter_Name"]
        counted[key] = counted.get(key, 0) + float(row["Counter_Value"])
    for kernel, waves in (("strides", RUNS * WAVES), ("rounds", WAVES)):
        mine = of_kernel(table, kernel)
        check(counted[kernel, "SQ_WAVES"], waves, f"{kernel}: waves")
        for counter, (column, prefixes) in SUMS.items():
            check(total(mine, column, *prefixes), counted[kernel, counter], f"{kernel}: {counter}")
        check(total(mine, "Lds_Clocks") - total(mine, "Lds_Clocks_Needed"),
              counted[kernel, "SQ_LDS_BANK_CONFLICT"], f"{kernel}: conflicts")
    check(counted["strides", "SQ_LDS_BANK_CONFLICT"] > 0, True, "there are conflicts")


def check_callgrind(folder):
    tool = shutil.which("callgrind_annotate")
    if not tool:
        print("callgrind_annotate (valgrind) is not installed")
        sys.exit(77)
    profile(folder, "--instruction-counts", "-f", "callgrind")
    done = subprocess.run([tool, f"{folder}/t_callgrind.out"], capture_output=True, text=True)
    check((done.returncode, done.stderr), (0, ""), "callgrind_annotate")
    table = rows(folder, "instruction_counts")
    totals = next(line for line in done.stdout.splitlines() if line.endswith("PROGRAM TOTALS"))
    numbers = [int(word.replace(",", "")) for word in totals.split() if word[0].isdigit()]
    check(numbers[:4], [total(table, c) for c in ("Issued", "Lanes", "Lines", "Lines_Needed")],
          "totals")
    # the source stands beside its counts
    line = next(text for text in done.stdout.splitlines() if text.endswith("// spread"))
    mine = [row for row in of_kernel(table, "strides") if int(row["Source_Line"]) == marked()["spread"]]
    check(int(line.split()[0].replace(",", "")), total(mine, "Issued"), "the line's executions")


def check_selected(folder):
    profile(folder, "--instruction-counts", "--kernel-include-regex", "strides",
            "--kernel-iteration-range", "[2]")
    table = rows(folder, "instruction_counts")
    check({row["Kernel_Name"].split("(")[0] for row in table}, {"strides"}, "kernels")
    ends = [row for row in table if row["Instruction"] == "s_endpgm"]
    check(total(ends, "Issued"), WAVES, "one run of two")


def check_killed(folder):
    command = [f"{build}/bin/rocprofv3", "--gpu", "soft", "--instruction-counts", "-d", folder, "--", program, "kill"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check(done.returncode, 137, "status of a program that kills itself")
    check("LOST the counts of its instructions" in done.stderr, True, f"the loss in {done.stderr!r}")


with tempfile.TemporaryDirectory() as directory:
    globals()[f"check_{scenario}"](directory)
