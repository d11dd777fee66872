#!/usr/bin/env python3
"""Counters of rocprofv3, one row for each, as one row for each dispatch with a column for each counter.

Reads the counter_collection CSV files that are named, and those below directories that are named; passes
of one program are put together by kernel and order, since every pass launches the same.
"""
import argparse
import csv
import glob
import logging
import os
import sys

KEYS = ("Counter_Name", "Counter_Value")
# what differs between passes of the same launch
OF_A_PASS = {"Start_Timestamp", "End_Timestamp", "Process_Id", "Thread_Id", "Queue_Id", "Correlation_Id"}


TRUE, FALSE = ("1", "on", "t", "true", "y", "yes"), ("0", "f", "false", "n", "no", "off")


def truth(word):
    if word.lower() not in TRUE + FALSE:
        raise argparse.ArgumentTypeError(f"'{word}' is no truth value")
    return word.lower() in TRUE


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
        logging.info("reading %s", path)
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
    parser.add_argument("-o", "--output", default="counters.csv", help="the file to write (default %(default)s)")
    parser.add_argument("-d", "--debug", action="store_const", dest="level", const=logging.DEBUG,
                        default=logging.WARNING, help="tell of everything")
    parser.add_argument("-v", "--verbose", action="store_const", dest="level", const=logging.INFO,
                        help="tell which files are read and written")
    parser.add_argument("--retain-agent-prefix", nargs="?", type=truth, const=True, default=False, metavar="BOOL",
                        help="agents keep their words, as \"Agent 1\" (default: the number alone)")
    options = parser.parse_args()
    logging.basicConfig(level=options.level, format="%(levelname)s: %(message)s")
    rows = merged(list(files(options.input)))
    if not rows:
        sys.exit("no counters in " + " ".join(options.input))
    columns = list(dict.fromkeys(name for row, _ in rows for name in row))
    counters = list(dict.fromkeys(name for _, row in rows for name in row))
    if not options.retain_agent_prefix:
        for row, _ in rows:
            if row.get("Agent_Id"):
                row["Agent_Id"] = row["Agent_Id"].split(" ")[-1]
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    logging.info("writing %s: %d dispatches, %d counters", options.output, len(rows), len(counters))
    with open(options.output, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(columns + counters)
        for row, values in rows:
            writer.writerow([row.get(name, "") for name in columns] + [values.get(name, "") for name in counters])


main()
