#!/usr/bin/env python3
"""Defaults that --help tells and those that the pages tell are the same. usage: defaults.py SOURCE_DIR BUILD_DIR

A page tells of a default where the option's row of a table has "default" or "if not said" in it.
"""
import glob
import re
import subprocess
import sys

source, build = sys.argv[1:]
COMMANDS = [["rocprofv3"], *[["rocprofv3", word] for word in ("findings", "annotate", "digest", "diff", "check", "code", "report")],
            ["rocprofv3-doctor"], ["rocprofv3-avail"], ["softgpu"],
            *[["rocpd", word] for word in ("convert", "summary", "query", "merge", "package")]]
# pages that tell of options of a command, by the command's first word; all others are rocprofv3's
PAGES = {"softgpu": ("softgpu", "check", "counters", "counter-model"), "rocpd": ("rocpd", "python"),
         "scripts/conformance": ("conformance",)}
SAYS = re.compile(r"\bdefault\b|if not said|unless said")


def told_by_help(command):
    """{option: what its help says of a default, or ""}"""
    text = subprocess.run([f"{build}/bin/{command[0]}", *command[1:], "--help"], capture_output=True, text=True,
                          check=True, timeout=60).stdout
    found, option = {}, None
    for line in text.splitlines():
        begin = re.match(r"\s{2,8}(?:-\w, +)?(--[a-z][a-z-]*)", line)
        if begin:
            option = begin[1]
            found[option] = ""
        if option and (begin or line.startswith("        ")):
            found[option] += " " + line.strip()
        elif not begin:
            option = None
    defaults = {}
    for option, text in found.items():
        # "(default X)", "(default: X)", "X (default)", and report's "(X)"
        match = re.search(r"\(default:? ([^),;]+)|(\S+) \(default\)|\(default\) ([^:]+)|\(([\w.]+)\)$", text)
        defaults[option] = next((part for part in match.groups() if part), "") if match else ""
    return defaults


def normal(text):
    return re.sub(r"(?<=\d),(?=\d{3})", "", text).replace("`", "").lower()


def pages_of(program):
    names = PAGES.get(program)
    others = {name for pages in PAGES.values() for name in pages}
    for path in sorted(glob.glob(source + "/docs/*.md")):
        name = path.rsplit("/", 1)[1][:-3]
        if name in names if names else name not in others:
            with open(path, encoding="utf-8") as f:
                yield from ((name, line) for line in f)


wrong, looked = [], 0
for command in COMMANDS:
    for option, default in told_by_help(command).items():
        for page, line in pages_of(command[0]):
            # the option's own row of a table; a row of several options has to have the values of all
            own = line.startswith("|") and re.search(f"`{option}(?![a-z-])", line.split("|")[1])
            if not own or not SAYS.search(line):
                continue
            looked += 1
            if not default:
                wrong.append(f"{' '.join(command)} --help has no default of {option}, docs/{page}.md: {line.strip()}")
            elif normal(default).split(" ")[0] not in normal(line):
                wrong.append(f"{' '.join(command)} {option}: default {default!r}, docs/{page}.md: {line.strip()}")
if looked < 10:
    sys.exit(f"only {looked} defaults are told by the pages")
sys.exit("\n".join(wrong) or 0)
