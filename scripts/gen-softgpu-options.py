#!/usr/bin/env python3
"""Writes the tables of softgpu's options, from src/softgpu/profile/options.def.

usage: gen-softgpu-options.py SOURCE_DIR                 those of docs/softgpu.md and docs/check.md
       gen-softgpu-options.py SOURCE_DIR --check         fail if they are not up to date
       gen-softgpu-options.py SOURCE_DIR --man PAGE      the manual page, of softgpu.1.in

A table stands between two lines of its page: BEGIN and END. The manual page has a line @OPTIONS@.
"""
import os
import re
import sys

import settings_table
import usage

BEGIN = "<!-- options: written by scripts/gen-softgpu-options.py -->"
END = "<!-- end of options -->"
# The page, and whether it is about the rows of the checker. Each page has the variables without an option, too.
PAGES = {"docs/softgpu.md": False, "docs/check.md": True}
NOTES = ("CHECK_COUNT", "CHECK_FIRST")  # the launcher's own


def of_checker(row):
    return row["variable"].startswith("SOFTGPU_CHECK")


def is_text(row, column):
    return row.get(column, "NULL") not in ("NULL", "")


def option(row, gap):
    """The option with its argument."""
    if "option" not in row:
        return ""
    argument = row["argument"] if is_text(row, "argument") else ""
    if argument and "alone" in row:
        return f"--{row['option']}[={argument}]"
    return f"--{row['option']}" + (gap + argument if argument else "")


def sentences(row):
    """The help and what is added to it."""
    return row["help"].rstrip(".") + "." + (" " + row["more"] if "more" in row else "")


def cell(text, page):
    """As a cell of a page's table; a link within the page needs no name of it."""
    return text.replace("|", "\\|").replace(f"]({os.path.basename(page)}#", "](#").replace("<", "&lt;")


def table(rows, page):
    lines = [BEGIN, "| option | variable | meaning |", "|---|---|---|"]
    for row in rows:
        if of_checker(row) == PAGES[page] and row["id"] not in NOTES:
            name = f"`{option(row, ' ')}`" if "option" in row else ""
            variable = row["variable"] if name else f"{row['variable']}={row['argument']}"
            lines.append(f"| {name} | `{variable}` | {cell(sentences(row), page)} |".replace("|  |", "| |"))
    return "\n".join([*lines, END])


def with_table(text, rows, page):
    before, rest = text.split(BEGIN)
    return before + table(rows, page) + rest.split(END)[1]


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def manual(rows):
    out = []
    for row in rows:
        if "option" in row:
            letter = row["letter"].strip("'")
            plain = re.sub(r"\[([^]]*)\]\(([^)#]*)[^)]*\)", r"\1 (in docs/\2)", sentences(row))
            out += [".TP", f".B {escaped(f'-{letter}, ' + option(row, '='))} ({row['variable']})", escaped(plain)]
    return "\n".join(out) + "\n"


def main():
    source, *how = usage.arguments(__doc__, 1, 3)
    rows = settings_table.rows(os.path.join(source, "src/softgpu/profile/options.def"), settings_table.SOFTGPU)
    if how[:1] == ["--man"]:
        with open(os.path.join(source, "share/man/man1/softgpu.1.in"), encoding="utf-8") as f:
            page = f.read()
        with open(how[1], "w", encoding="utf-8") as f:
            f.write(page.replace("@OPTIONS@\n", manual(rows)))
        return
    for page in PAGES:
        path = os.path.join(source, page)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        new = with_table(text, rows, page)
        if how and new != text:
            sys.exit(f"{path}: the options are not what their table says: run gen-softgpu-options.py")
        if new != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(new)


main()
