"""Reads the tables of share/counters: tab-separated, '#' begins a comment line, the first other line
names the columns. Used by every script that makes something of them.
"""
import sys


def numbered_rows(path):
    """(line number, {column: text}) for each row."""
    names = None
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            if line.startswith("#") or not line.strip():
                continue
            fields = line.rstrip("\n").split("\t")
            names = names or fields
            if len(fields) != len(names):
                sys.exit(f"{path}:{number}: {len(fields)} columns, expected {len(names)}")
            if fields is not names:
                yield number, dict(zip(names, fields))


def rows(path):
    return [row for _, row in numbered_rows(path)]
