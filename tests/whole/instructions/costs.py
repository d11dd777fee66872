"""What instructions cost, worked out by hand: costs.py BUILD SCENARIO PROGRAM MODULE-O0 MODULE-O3

The program is costs.hip with module.hip; the numbers here follow from their source, from the lines of
64 bytes that a wave's lanes ask for, and from the rules of LDS in docs/counter-model.md."""
import csv
import os
import subprocess
import sys
import tempfile

from sums import MODEL_COUNTERS, MODEL_OPTIONS, check, check_sums, counters_of, total

build, scenario, program, *modules = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
LINE, LANES, BANKS = 64, 64, 32
WIDTHS = {"char": 1, "short": 2, "int": 4, "int, 2u": 8, "int, 4u": 16}  # of strided<unsigned ...>
OFFSETS = range(1, 64, 7)
MEMORY = ("global_", "flat_", "buffer_", "scratch_")
LOADS, STORES = ("global_load", "flat_load"), ("global_store", "flat_store")
VECTOR = MEMORY + ("ds_", "v_")


def profile(folder, *options):
    command = [f"{build}/bin/rocprofv3", "--gpu", "soft", "--instruction-counts", *options, "-f", "csv", "-d", folder,
               "-o", "t", "--", program, *modules]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check((done.returncode, done.stdout), (0, "404 launches\n"), f"status and output ({done.stderr})")
    with open(f"{folder}/t_instruction_counts.csv", newline="") as file:
        table = list(csv.DictReader(file))
    for row in table:
        row["Kernel"] = row["Kernel_Name"].removeprefix("void ").split("(")[0]
        for column in row:
            if row[column].isdigit():
                row[column] = int(row[column])
    return table


def lines_by_word(name):
    with open(f"{HERE}/{name}") as file:
        return {text.split("// ")[1].strip(): n for n, text in enumerate(file, 1) if text[0] == " " and "// " in text}


LINES = {name: lines_by_word(name) for name in ("costs.hip", "module.hip", "within.h")}


def at(table, word, *prefixes, name="costs.hip"):
    """The instructions of a marked line."""
    return [row for row in table if row["Source_Line"] == LINES[name][word] and
            row["Source_File"].endswith(f"/instructions/{name}") and row["Instruction"].startswith(prefixes or VECTOR)]


def sums(table, *columns):
    return [total(table, column) for column in columns]


def lines_of(places, size):
    """Lines that elements at these addresses touch, and the fewest that hold so many bytes."""
    touched = {byte // LINE for place in places for byte in (place, place + size - 1)}
    return [len(touched), min(len(touched), -(-len(places) * size // LINE))]


def lds_clocks(words):
    """Half a wave at a time: as many clocks as the fullest bank has different dwords."""
    clocks = 0
    for half in (words[:32], words[32:]):
        banks = [len({word for word in half if word % BANKS == bank}) for bank in range(BANKS)]
        clocks += max(banks)
    return clocks


def by_dispatch(table):
    launches = {}
    for row in table:
        launches.setdefault(row["Dispatch_Id"], []).append(row)
    return [launches[number] for number in sorted(launches)]


def is_strided(row, kind):
    return row["Kernel"] == f"strided<{'HIP_vector_type<' if ',' in kind else ''}unsigned {kind}>{' >' if ',' in kind else ''}"


def check_strides(launches):
    for kind, size in WIDTHS.items():
        mine = [launch for launch in launches if is_strided(launch[0], kind)]
        shapes = [(step, 0) for step in range(1, 65)] + [(1, first) for first in OFFSETS]
        check(len(mine), len(shapes), f"launches of {kind}")
        for launch, (step, first) in zip(mine, shapes):
            loads = [row for row in launch if row["Instruction"].startswith(LOADS)]
            places = [first + lane * step * size for lane in range(LANES)]
            expected = [1, LANES, LANES * size, *lines_of(places, size)]
            check(sums(loads, "Issued", "Lanes", "Bytes", "Lines", "Lines_Needed"), expected,
                  f"{size} bytes, {step} apart, from {first}")
            stores = [row for row in launch if row["Instruction"].startswith(STORES)]
            check(sums(stores, "Bytes", "Lines"), [LANES * size, LANES * size // LINE], f"stores of {size} bytes")


def check_banks(launches):
    mine = [launch for launch in launches if launch[0]["Kernel"] == "banks"]
    check(len(mine), 33, "launches of banks")
    for step, launch in enumerate(mine, 1):
        words = [lane * step % (64 * 33) for lane in range(LANES)]
        reads = [row for row in launch if row["Lds_Accesses"]]  # of LDS, or of the flat address space
        columns = ("Issued", "Lds_Accesses", "Lds_Bytes", "Lds_Clocks", "Lds_Clocks_Needed")
        for row in reads:
            check([row[c] for c in columns], [1, 1, 4 * LANES, lds_clocks(words), 2], f"lanes {step} dwords apart")
        check(len(reads), 2, "LDS instructions")


def check_modules(launches):
    """Four loads of two objects, the same name in the program: each has its own instructions."""
    mine = [launch for launch in launches if launch[0]["Kernel"] == "same"]
    check(len(mine), 5, "launches of same")
    check(len({launch[0]["Code_Object_Id"] for launch in mine}), 5, "code objects")
    check(sums(at(mine[0], "same", *MEMORY), "Issued", "Lanes"), [1, LANES], "the program's own")
    for launch, rounds in zip(mine[1:], (5, 10, 5, 10)):
        multiplied = at(launch, "rounds", "v_mul", name="module.hip")
        check(sums(multiplied, "Issued", "Lanes"), [rounds, rounds * LANES], f"{rounds} rounds")
        stored = at(launch, "store", *STORES, name="module.hip")
        check(sums(stored, "Bytes", "Lines", "Lines_Needed"), [4 * LANES, 4, 4], "a dword of each lane")


def check_dispatches(folder):
    table = profile(folder, "--instruction-counts-by", "dispatch", "--kernel-exclude-regex", "^__amd")
    launches = by_dispatch(table)
    check(len(launches), 404 + 4, "dispatches")
    for launch in launches:
        check(total([row for row in launch if row["Instruction"] == "s_endpgm"], "Issued"),
              16 if launch[0]["Kernel"] == "spilled" else 1, f"waves of {launch[0]['Kernel']}")
    check_strides(launches)
    check_banks(launches)
    check_modules(launches)


def check_flow(table):
    third = (LANES + 2) // 3
    check(sums(at(table, "third", "v_add"), "Issued", "Lanes"), [1, third], "lanes of the branch")
    check(sums(at(table, "others", "v_sub"), "Issued", "Lanes"), [1, LANES - third], "lanes of the other")
    # lane t goes round t % 8 times: seven rounds, one eighth fewer lanes in each
    rounds = at(table, "rounds", "v_mul")
    check(sums(rounds, "Issued", "Lanes"), [7, 8 * (7 + 6 + 5 + 4 + 3 + 2 + 1)], "rounds of the loop")
    check([rounds[0][f"Lanes_{k - 7}_{k}"] for k in range(8, 65, 8)], [1, 1, 1, 1, 1, 1, 1, 0], "lanes of each round")
    back = [row for row in table if row["Kernel"] == "divergent" and row["Taken"]]
    check(sums(back, "Taken", "Not_Taken"), [6, 1], "the branch back")
    # into the branch, to the others, into the loop, and out of it six times, the last of which leaves none
    check(total([row for row in table if row["Kernel"] == "divergent"], "Divergent"), 3 + 6, "splits")


def check_spills(table):
    """A dword of each of 16 waves' lanes lies in a row: 4 lines."""
    spills = [row for row in table if row["Kernel"] == "spilled" and row["Instruction"].startswith(("buffer_", "scratch_"))]
    check(len(spills) > 64, True, "spills of 192 values where there are 128 registers")
    for row in spills:
        dwords = {"dword": 1, "dwordx2": 2, "dwordx3": 3, "dwordx4": 4}[row["Instruction"].split()[0].split("_")[-1]]
        check([row[c] for c in ("Issued", "Bytes", "Lines", "Lines_Needed")],
              [16, 16 * 256 * dwords, 16 * 4 * dwords, 16 * 4 * dwords], row["Instruction"])


def check_atomics(table):
    mine = [row for row in table if row["Kernel"] == "atomics" and row["Atomics"]]
    shared = [row for row in mine if row["Instruction"].startswith("ds_max")]
    # 16 lanes at each of 4 places, one after the other, in both halves of the wave
    check(sums(shared, "Issued", "Atomics", "Lds_Clocks"), [1, LANES, 2 * 8], "atomics of LDS")
    others = [row for row in mine if row not in shared]
    check(sums(others, "Issued", "Atomics", "Lines", "Lines_Needed"), [1, LANES, 32, 4], "atomics of 32 lines")


def check_gather(table):
    where = [lane * 37 % 64 * 5 for lane in range(LANES)]
    loads = at(table, "gather", *LOADS)
    indices = lines_of(range(0, 4 * LANES, 4), 4)
    gathered = lines_of([4 * place for place in where], 4)
    check(sums(loads, "Issued", "Lines", "Lines_Needed"), [2, indices[0] + gathered[0], indices[1] + gathered[1]],
          "indices and what is gathered")


def check_kernels(folder):
    table = profile(folder)
    check_gather(table)
    check_flow(table)
    check_spills(table)
    check_atomics(table)
    check(sums(at(table, "header", "v_mul", name="within.h"), "Issued", "Lanes"), [1, LANES], "the header's function")
    # the same launches as one by one: 64 strides and 9 offsets of each width
    for kind, size in WIDTHS.items():
        steps = sum(lines_of([lane * step * size for lane in range(LANES)], size)[0] for step in range(1, 65))
        offsets = sum(lines_of([first + lane * size for lane in range(LANES)], size)[0] for first in OFFSETS)
        mine = [row for row in table if is_strided(row, kind) and row["Instruction"].startswith(LOADS)]
        check(sums(mine, "Issued", "Lines"), [64 + len(OFFSETS), steps + offsets], f"all of {kind}")
    own = [row for row in table if row["Kernel"] == "same" and row["Instruction"] == "s_endpgm"]
    check(sorted(row["Issued"] for row in own), [1, 1, 1, 1, 1], "kernels of one name")


def check_ranges(folder):
    table = profile(folder, "--instruction-counts-by", "range")
    ended = {}
    for row in table:
        if row["Instruction"] == "s_endpgm" and not row["Kernel"].startswith("__amd"):
            ended[row["Range"]] = ended.get(row["Range"], 0) + row["Issued"]
    each = 64 + len(OFFSETS)
    check(ended, {"strides": 4 * each, "wide": each, "": 33 + 5 + 16 + 4}, "waves of each range")


def check_counters(folder):
    table = profile(folder, *MODEL_OPTIONS, "--kernel-exclude-regex", "^__amd", "--pmc", *MODEL_COUNTERS)
    with open(f"{folder}/t_counter_collection.csv", newline="") as file:
        counted = counters_of(csv.DictReader(file))
    check(set(counted), {row["Kernel"] for row in table}, "kernels")
    for kernel in counted:
        runs = {"banks": 33, "same": 5}.get(kernel, 64 + len(OFFSETS))
        check_sums([row for row in table if row["Kernel"] == kernel], counted[kernel], runs, kernel)


with tempfile.TemporaryDirectory() as directory:
    globals()[f"check_{scenario}"](directory)
