#!/usr/bin/env python3
"""rocprofv3.1: the page's text with the options that `rocprofv3 --help` prints.

usage: gen-rocprofv3-man.py ROCPROFV3 PAGE_IN PAGE_OUT

The options have one table, in the program; the page has a line @OPTIONS@ in their place.
"""
import re
import subprocess

import usage


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def options(help_text):
    """(heading, [(option, text)]) of each group."""
    groups, lines = [], help_text.splitlines()
    for number, line in enumerate(lines):
        heading = re.match(r"([A-Z][\w -]+):$", line)
        row = re.match(r"  (-\S.*?)(?: {2,}|$)(.*)", line)
        if heading:
            groups.append((heading[1], []))
        elif row and groups:
            text = row[2] or lines[number + 1].strip()
            groups[-1][1].append((row[1].rstrip(), text))
    return [g for g in groups if g[1]]


def main():
    program, source, target = usage.arguments(__doc__, 3)
    help_text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    help_text = help_text.split("\nKeys in names")[0]
    out = []
    for heading, rows in options(help_text):
        out.append(f".SS {heading}")
        for option, text in rows:
            out += [".TP", f".B {escape(option)}", escape(text[0].upper() + text[1:]) + "."]
    with open(source, encoding="utf-8") as f:
        page = f.read()
    with open(target, "w", encoding="utf-8") as f:
        f.write(page.replace("@OPTIONS@\n", "\n".join(out) + "\n"))


main()
