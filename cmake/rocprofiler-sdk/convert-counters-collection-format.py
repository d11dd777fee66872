#!/usr/bin/env python3
"""Counters of rocprofv3, one row for each, as one row for each dispatch with a column for each counter.

Reads the counter_collection CSV files that are named, and those below directories that are named; passes
of one program are put together by kernel and order, since every pass launches the same.
"""
import argparse
import csv
import glob
import os
import sys

KEYS = ("Counter_Name", "Counter_Value")
# what differs between passes of the same launch
OF_A_PASS = {"Start_Timestamp", "End_Timestamp", "Process_Id", "Thread_Id", "Queue_Id", "Correlation_Id"}


def files(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(glob.glob(path + "/**/*counter_collection.csv", recursive=True))
        else:
            yield path


def dispatches(path):
    """The dispatches of a file in order: their columns, and counter names with values."""
    found = {}
    with open(path, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            if any(key not in row for key in KEYS):
                sys.exit(f"{path}: no column {' or '.join(KEYS)}")
            key = (row.get("Process_Id"), row.get("Dispatch_Id"))
            columns = {name: value for name, value in row.items() if name not in KEYS}
            found.setdefault(key, (columns, {}))[1][row[KEYS[0]]] = row[KEYS[1]]
    return found.values()


def merged(paths):
    """All dispatches; one that a pass before had, too, gets this pass's counters."""
    rows = []
    by_launch = {}
    for path in paths:
        seen = {}
        for columns, counters in dispatches(path):
            launch = tuple(sorted((n, v) for n, v in columns.items() if n not in OF_A_PASS and n != "Dispatch_Id"))
            seen[launch] = number = seen.get(launch, -1) + 1
            before = by_launch.setdefault(launch, [])
            if number < len(before) and not set(counters) & set(before[number][1]):
                before[number][1].update(counters)
                continue
            before.insert(number, (columns, counters))
            rows.append(before[number])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-i", "--input", nargs="+", required=True, help="CSV files, or directories that have some")
    parser.add_argument("-o", "--output", default="counters.csv", help="the file to write")
    options = parser.parse_args()
    rows = merged(list(files(options.input)))
    if not rows:
        sys.exit("no counters in " + " ".join(options.input))
    columns = list(dict.fromkeys(name for row, _ in rows for name in row))
    counters = list(dict.fromkeys(name for _, row in rows for name in row))
    with open(options.output, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(columns + counters)
        for row, values in rows:
            writer.writerow([row.get(name, "") for name in columns] + [values.get(name, "") for name in counters])


main()
