"""What sums over a kernel's instructions must be equal to: the counters of the same run, which count the
same in another way."""
import sys


def check(got, expected, what):
    if got != expected:
        sys.exit(f"{what}: {got}, expected {expected}")


def total(table, column, *prefixes):
    return sum(int(row[column]) for row in table
               if not prefixes or row["Instruction"].startswith(prefixes))


# Instructions that are not of the scalar unit's arithmetic, and those of branches.
BRANCHES = ("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call")
OTHER = BRANCHES + ("s_load", "s_buffer", "s_endpgm", "s_waitcnt", "s_nop", "s_sleep", "s_barrier", "s_sendmsg")
LOADS = ("global_load", "flat_load", "buffer_load", "scratch_load")
STORES = ("global_store", "flat_store", "buffer_store", "scratch_store")
ATOMICS = ("global_atomic", "flat_atomic", "buffer_atomic")


def scalar(row):
    return row["Instruction"].startswith("s_") and not row["Instruction"].startswith(OTHER)


def in_lds(row):
    """FLAT instructions that found nothing in memory are of LDS, too."""
    return row["Instruction"].startswith("ds_") or (int(row["Lds_Accesses"]) > 0 and int(row["Bytes"]) == 0)


def sum_of(column, *prefixes):
    return lambda table: total(table, column, *prefixes)


# What a counter says, or several together, from the instructions: counts,
EXACT = {
    "SQ_INSTS": sum_of("Issued"),
    "SQ_INSTS_VALU": sum_of("Issued", "v_"),
    "SQ_INSTS_SALU": lambda table: total([row for row in table if scalar(row)], "Issued"),
    "SQ_INSTS_SMEM": sum_of("Issued", "s_load", "s_buffer"),
    "SQ_INSTS_LDS": lambda table: total([row for row in table if in_lds(row)], "Issued"),
    "SQ_INSTS_VMEM": sum_of("Issued", *LOADS, *STORES, *ATOMICS),
    "SQ_INSTS_VMEM_RD": sum_of("Issued", *LOADS),
    "SQ_INSTS_VMEM_WR": sum_of("Issued", *STORES, *ATOMICS),
    "SQ_INSTS_FLAT": sum_of("Issued", "flat_", "global_", "scratch_"),
    "SQ_INSTS_BRANCH": sum_of("Issued", *BRANCHES),
    "SQ_INSTS_SENDMSG": sum_of("Issued", "s_endpgm", "s_sendmsg"),
    "SQ_LDS_IDX_ACTIVE": sum_of("Lds_Clocks"),
    "SQ_LDS_BANK_CONFLICT + SQ_LDS_ADDR_CONFLICT": lambda table: total(table, "Lds_Clocks") - total(table, "Lds_Clocks_Needed"),
}
# and what caches and clocks make of them.
MODEL = {
    "SQ_ACTIVE_INST_VALU": lambda table: total(table, "Issue", "v_") / 4,
    "SQ_THREAD_CYCLES_VALU": lambda table: sum(
        int(row["Issue"]) // int(row["Issued"]) // 4 * int(row["Lanes"])
        for row in table if row["Instruction"].startswith("v_")),
    "TCP_TOTAL_CACHE_ACCESSES_sum": lambda table: total(table, "L1_Hits") + total(table, "L1_Misses"),
    "TCP_TCC_READ_REQ_sum": sum_of("L1_Misses", *LOADS),
    "TCP_TCC_WRITE_REQ_sum": sum_of("L1_Misses", *STORES),
    "TCP_TCC_ATOMIC_WITH_RET_REQ_sum + TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum": sum_of("L1_Misses", *ATOMICS),
    "TCP_UTCL1_TRANSLATION_MISS_sum": sum_of("Tlb_Misses"),
    "SQC_DCACHE_HITS": sum_of("Scalar_Hits"),
    "SQC_DCACHE_MISSES": sum_of("Scalar_Misses"),
    "SQC_DCACHE_MISSES_DUPLICATE": sum_of("Scalar_Late"),
    "SQC_ICACHE_REQ": sum_of("Code_Fetches"),
    "SQC_ICACHE_MISSES": sum_of("Code_Misses"),
    "TCC_MISS_sum": lambda table: total(table, "L2_Misses") + total(table, "Code_L2_Misses"),
    "SQ_WAIT_INST_LDS": lambda table: total(table, "Stall_Lds") / 4,
}
LOST = [f"Wait_{what}" for what in ("Code", "Vector", "Scalar", "Lds", "Barrier", "Matrix", "Sleep", "Bandwidth")]
LOST += [f"Stall_{what}" for what in ("Valu", "Scalar", "Lds", "Vector")]

def names(*tables):
    return [name for table in tables for counters in table for name in counters.split(" + ")]


def check_counted(of, table, counted, kernel):
    check({counters: value(table) for counters, value in of.items()},
          {counters: sum(counted[name] for name in names([counters])) for counters in of}, kernel)


MODEL_OPTIONS = ("--instruction-counts", "--instruction-counts-level", "model", "-f", "csv")
MODEL_COUNTERS = (*names(EXACT, MODEL), "SQ_WAVE_CYCLES", "SQ_WAIT_ANY", "SQ_WAIT_INST_ANY", "TCC_HIT_sum", "SQC_TC_INST_REQ")
ENGINES = 8


def counters_of(table):
    """Sums over a kernel's dispatches, by kernel and counter."""
    counted = {}
    for row in table:
        mine = counted.setdefault(row["Kernel_Name"].removeprefix("void ").split("(")[0], {})
        mine[row["Counter_Name"]] = mine.get(row["Counter_Name"], 0) + float(row["Counter_Value"])
    return counted


def check_sums(table, counted, dispatches, kernel):
    """The instructions of one kernel, at the model's level."""
    check_counted(EXACT | MODEL, table, counted, kernel)
    # L2 serves requests for code, too
    check(total(table, "L2_Hits") - total(table, "Code_L2_Misses"), counted["TCC_HIT_sum"] - counted["SQC_TC_INST_REQ"],
          f"{kernel}: hits of L2")
    # an engine's counter is in units of four clocks, and the difference of two readings
    lost = sum(total(table, column) for column in LOST)
    for clocks, quads in ((lost, counted["SQ_WAIT_ANY"] + counted["SQ_WAIT_INST_ANY"]),
                          (lost + total(table, "Issue"), counted["SQ_WAVE_CYCLES"])):
        check(abs(clocks - 4 * quads) < 2 * 4 * ENGINES * dispatches, True,
              f"{kernel}: {clocks} clocks are {quads} of four")
