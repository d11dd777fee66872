#!/usr/bin/env python3
"""Writes docs/environment.md: every environment variable, from the tables of options and docs/environment.tsv.

usage: gen-environment.py SOURCE_DIR [--check]    --check: fail if the page is not up to date
"""
import os
import re
import sys

import settings_table
import usage

BEGIN = """# Environment variables

With this page you can set whatever an option sets without the option, for one program or a whole shell, and tell which
variables of an environment are ours and who has set them. Written by `scripts/gen-environment.py` from
`src/trace/settings.def`, `src/softgpu/profile/options.def` and `docs/environment.tsv`.

How values are read, everywhere: BOOL is yes, true, on, y, t or a number above 0; no, false, off, n, f or 0, in any case; a
variable with another word in it means yes. Numbers are decimal, or hexadecimal after 0x. LEVEL is none, fatal, error,
warning, info or trace. A variable that is empty counts as not set, unless its row says otherwise. A program with more
rights than its caller (setuid) reads none of those that libraries read.

## rocprofv3

An option comes before its variable. rocprofv3 sets the variables of its options for the program; the tool reads them there,
so that they also work where the tool is loaded without rocprofv3. All but those marked * are settled by the first attach to
a process (`--pid`).
"""
HEADS = ["| variable | option | value | default | meaning |", "|---|---|---|---|---|"]
# Values that are not written as the option's are.
WRITTEN = {"PMC": "pmc: NAME ...", "PMC_GROUPS": "lines of pmc: NAME ...", "SPM": "spm: NAME ...", "REPLAY_MODE": "BOOL",
           "COLLECTION_PERIOD": "DELAY:TIME:REPEAT in nanoseconds, several with ; between", "PRELOADED": "LIB:LIB..."}


def default(row):
    if "fallback" in row:
        return row["fallback"]
    return {"BOOL": "no", "PARTS": "no", "NOT": "yes"}.get(row["form"], "")


def value(row):
    words, most = row.get("words", "TEXT"), row.get("most", "")
    if row["id"] in WRITTEN:
        return WRITTEN[row["id"]]
    if row["form"] in ("BOOL", "NOT", "PARTS"):
        return "BOOL"
    if row["form"] in ("NUMBER", "INTEGER"):
        unit = "BYTES" if row["variable"].endswith("_BYTES") else row.get("words", "N")
        return f"{row.get('least', '0')} to {most}" if most.isdigit() else unit
    if row["form"] == "CHOICE":
        return words.replace(" ", ", ")
    if row["form"] == "TEXT":
        return words
    gap = row.get("joined", "\n")
    between = {" ": "blanks", ",": "commas", ", ": "commas", ":": "colons", "\n": "line feeds"}.get(gap, gap)
    return f"{'one or more of ' + words.replace(' ', ', ') if row['form'] == 'CHOICES' else words}, with {between} between"


def meaning(row):
    text = row["help"].replace(" ({default})", "").replace("{default}, ", "")
    return f"no means: {text}" if row["form"] == "NOT" else text


def cell(text):
    return text.replace("|", "\\|").replace("\\\\", "\\").replace("<", "&lt;")


def line(cells):
    return "| " + " | ".join(cell(c) for c in cells).replace("  |", " |") + " |"


def name_of(row):
    """The option as it is given."""
    if row.get("place") == "TRACE_FILES":
        return f"`{row['option'].replace('-', '_')}` in a file"
    return f"`--{row['option']}`" if "option" in row else ""


def settings(path, headings):
    groups = {}
    for row in settings_table.rows(path, settings_table.SETTINGS):
        if "variable" not in row:
            continue
        lines = groups.setdefault(headings.get(row.get("group"), "Without an option"), [])
        if row.get("words") == "FORMATS":
            row["words"] = headings["FORMATS"]
        star = " *" if "per_attach" in row else ""
        lines.append(line([f"`{row['variable']}`{star}", name_of(row), value(row), default(row), meaning(row)]))
        for other in row.get("also", "").split():
            what = "which groups of them, with commas between" if row["form"] == "PARTS" else "the same for other libraries"
            lines.append(line([f"`{other}`", name_of(row), row["words"].replace(" ", ", "), "", what]))
    return [text for heading, lines in groups.items() for text in ["", f"### {heading}", "", *HEADS, *lines]]


SOFTGPU_HEADS = {"softgpu": "Read by the [software GPU](softgpu.md); the command `softgpu` sets those with an option.",
                 "The checker": "Read by the software GPU's [checker](check.md)."}


def softgpu(path):
    groups = {title: ["", f"## {title}", "", about, "", *HEADS] for title, about in SOFTGPU_HEADS.items()}
    for row in settings_table.rows(path, settings_table.SOFTGPU):
        said = re.search(r"\(default:? ([^);]+)\)|([\w.]+) \(default\)", row["help"])
        if "alone" in row or row["argument"] == "strict":
            said = None  # of the option without a word, not of the variable
        option = f"`--{row['option']}`" if "option" in row else ""
        limits = f"{row.get('least', '0')} to {row.get('most')}" if row.get("most", "").isdigit() else row["argument"]
        written = row.get("words") or ("BOOL" if limits == "NULL" else limits)
        lines = groups["The checker" if row["variable"].startswith("SOFTGPU_CHECK") else "softgpu"]
        text = row["help"] if row["help"][1].isupper() else row["help"][0].lower() + row["help"][1:]
        lines.append(line([f"`{row['variable']}`", option, written, (said[1] or said[2]) if said else "", text]))
    return [text for lines in groups.values() for text in lines]


def others(path):
    out = []
    with open(path, encoding="utf-8") as f:
        for text in f.read().splitlines():
            cells = text.split("\t")
            if cells[0] == "##":
                out += ["", f"## {cells[1]}", "", cells[2][0].upper() + cells[2][1:] + ".", "",
                        "| variable | value | default | meaning |", "|---|---|---|---|"]
            elif text and not text.startswith("# "):
                out.append(line([f"`{cells[0]}`", *cells[1:]]))
    return out


def main():
    source, *check = usage.arguments(__doc__, 1, 2)
    page = os.path.join(source, "docs/environment.md")
    lines = settings(os.path.join(source, "src/trace/settings.def"), settings_table.words(f"{source}/src/trace/settings.c"))
    lines += softgpu(os.path.join(source, "src/softgpu/profile/options.def"))
    text = BEGIN + "\n".join(lines + others(os.path.join(source, "docs/environment.tsv"))) + "\n"
    if check:
        with open(page, encoding="utf-8") as f:
            if f.read() != text:
                sys.exit(f"{page} is not what its sources say: run gen-environment.py")
        return
    with open(page, "w", encoding="utf-8") as f:
        f.write(text)


main()
