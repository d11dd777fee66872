#!/usr/bin/env python3
"""Prints the statistics and counters of one rocprofv3 run as aligned tables: demo_table.py DIR PREFIX"""
import csv
import os

import usage

folder, prefix = usage.arguments(__doc__, 2)
PARTS = [("Kernels", "kernel_stats"), ("HIP API", "hip_api_stats"), ("HSA API", "hsa_api_stats"),
         ("Memory copies", "memory_copy_stats")]
ROWS = 12


def readable(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.2f} {unit}"
    return f"{ns:.0f} ns"


for title, name in PARTS:
    path = os.path.join(folder, f"{prefix}_{name}.csv")
    if not os.path.exists(path):
        continue
    with open(path, newline="") as table:
        rows = list(csv.DictReader(table))
    print(f"\n{title:<44} {'calls':>8} {'total':>11} {'average':>11} {'share':>8}")
    for row in rows[:ROWS]:
        label = row["Name"] if len(row["Name"]) <= 44 else row["Name"][:41] + "..."
        print(f"{label:<44} {row['Calls']:>8} {readable(float(row['TotalDurationNs'])):>11} "
              f"{readable(float(row['AverageNs'])):>11} {float(row['Percentage']):>7.2f}%")
    if len(rows) > ROWS:
        rest = rows[ROWS:]
        print(f"{f'({len(rest)} more)':<44} {sum(int(r['Calls']) for r in rest):>8} "
              f"{readable(sum(float(r['TotalDurationNs']) for r in rest)):>11}")


def counter_table(path):
    """A line for each kernel, with the averages of its dispatches."""
    values, names = {}, []
    with open(path, newline="") as table:
        for row in csv.DictReader(table):
            name = row["Counter_Name"]
            if name not in names:
                names.append(name)
            values.setdefault(row["Kernel_Name"], {}).setdefault(name, []).append(float(row["Counter_Value"]))
    print(f"\n{'Counters, average of a kernel':<32} {'calls':>8}" +
          "".join(f" {name:>16}" for name in names))
    for kernel, counts in values.items():
        calls = max(len(v) for v in counts.values())
        print(f"{kernel:<32} {calls:>8}" +
              "".join(f" {sum(counts[n]) / len(counts[n]):>16,.1f}" for n in names))


counted = os.path.join(folder, f"{prefix}_counter_collection.csv")
if os.path.exists(counted):
    counter_table(counted)
print("\nFiles written (times on softgpu are host times, not those of a real GPU):")
for base, _, files in sorted(os.walk(folder)):
    for file in sorted(files):
        if file.endswith((".csv", ".txt")):
            path = os.path.join(base, file)
            print(f"  {path} ({os.path.getsize(path)} bytes)")
