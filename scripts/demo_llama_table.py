#!/usr/bin/env python3
"""Prints what the kernels of a language model did, by kind of work: demo_llama_table.py TRACE COUNTERS PREFIX

TRACE and COUNTERS are the folders of a traced and of a counted run of rocprofv3.
"""
import collections
import csv
import os
import re

import usage

trace, counters, prefix = usage.arguments(__doc__, 3)
# the first that is found in a kernel's name; rocBLAS's kernels begin with Cijk
KINDS = [("attention", r"flash_attn|soft_max"),
         ("matmul", r"mul_mat|^Cijk|gemm|gemv"),
         ("quantise, convert", r"quantize|convert_unary|dequantize"),
         ("rope", r"rope"),
         ("norm", r"norm"),
         ("KV cache", r"set_rows"),
         ("copies, fills", r"__amd_rocclr|cpy_|copy"),
         ("other", r"")]
RATIOS = {"L2CacheHit", "LDSBankConflict"}  # means; all others are counts, and add up


def kind(kernel):
    return next(name for name, pattern in KINDS if re.search(pattern, kernel))


def rows(folder, table):
    with open(os.path.join(folder, f"{prefix}_{table}.csv"), newline="") as file:
        yield from csv.DictReader(file)


calls, times = collections.Counter(), collections.Counter()
for row in rows(trace, "kernel_trace"):
    calls[kind(row["Kernel_Name"])] += 1
    times[kind(row["Kernel_Name"])] += int(row["End_Timestamp"]) - int(row["Start_Timestamp"])
values = collections.defaultdict(lambda: collections.defaultdict(list))
for row in rows(counters, "counter_collection"):
    values[row["Counter_Name"]][kind(row["Kernel_Name"])].append(float(row["Counter_Value"]))
print(f"\n{'Work of the kernels':<18} {'calls':>6} {'total':>10} {'share':>7}" + "".join(f" {name:>15}" for name in values))
for name, time in times.most_common():
    print(f"{name:<18} {calls[name]:>6} {time / 1e6:>7.2f} ms {100 * time / times.total():>6.1f}%", end="")
    for counter, by_kind in values.items():
        found = by_kind[name]
        shown = f"{sum(found) / len(found):,.1f} %" if found and counter in RATIOS else f"{sum(found):,.0f}"
        print(f" {shown:>15}", end="")
    print()
