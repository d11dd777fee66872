"""Costs of inlined code, by the user's lines and by lines of headers: inlined.py BUILD LAYERED ALONE FOLDER

Rows are worked out from the sources: each wave executes each instruction of a marked line once. The wait states that a compiler
puts between them (s_nop, for hazards of gfx942 and later) are not of the source, and are not counted here."""
import csv
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

from sums import check

build, layered, alone, sources = sys.argv[1:]
WAVES = 4


def marked(name):
    """Of each marked line "name:number", by its mark."""
    with open(f"{sources}/{name}") as file:
        return {text.split("// ")[1].strip(): f"{os.path.basename(name)}:{n}" for n, text in enumerate(file, 1)
                if text[0] == " " and "// " in text}


def profile(folder, program):
    command = [f"{build}/bin/rocprofv3", "--gpu", "soft", "--instruction-counts", "-f", "rocpd", "csv", "json",
               "-d", folder, "-o", "t", "--", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check(done.returncode, 0, f"status: {done.stderr}")


def place(file, line):
    return f"{os.path.basename(file or '')}:{line}"


def wait_states(folder, kernel):
    """Of each s_nop of the kernel: the user's line, the chain down to it, its own line, executions."""
    with open(f"{folder}/t_instruction_counts.csv", newline="") as file:
        return [(place(row["User_File"], row["User_Line"]), row["Inlined"], place(row["Source_File"], row["Source_Line"]),
                 int(row["Issued"])) for row in csv.DictReader(file)
                if re.search(kernel, row["Kernel_Name"]) and row["Instruction"].startswith("s_nop")]


def annotate(folder, kernel, *options):
    """Rows: depth, what stands in the last column without the source text, executions."""
    done = subprocess.run([f"{build}/bin/rocprofv3", "annotate", "--kernel", kernel, "--limit", "0", *options, folder],
                          capture_output=True, text=True, timeout=60)
    check((done.returncode, done.stderr), (0, ""), f"annotate {options}")
    found, chain, waits = [], [], wait_states(folder, kernel)
    for line in done.stdout.splitlines():
        row = re.match(r" *[\d.]+% +([\d,]+) ", line[:60])
        if row:
            text = line[60:]
            depth = (len(text) - len(text.lstrip())) // 2
            chain[depth:] = [text.strip().split("  ")[0]]
            below = " > ".join(chain[1:])
            of_nops = sum(n for user, inlined, own, n in waits if chain[0] == (own if "--header-lines" in options else user) and
                          (inlined + " > ").startswith(below + " > " if below else ""))
            found.append((depth, chain[-1], int(row[1].replace(",", "")) - of_nops))
    return found


def beneath(rows, place):
    """The rows that stand beneath that of the place."""
    at = next(n for n, row in enumerate(rows) if row[:2] == (0, place))
    end = next((n for n, row in enumerate(rows) if n > at and not row[0]), len(rows))
    return rows[at + 1:end]


def total(rows):
    return sum(executed for depth, _, executed in rows if not depth)


def check_layered(folder):
    main, own, header = marked("inlined.hip"), marked("layers.h"), marked("include/hip/scaled.h")
    rows, lines = annotate(folder, r"^layered\("), annotate(folder, r"^layered\(", "--header-lines")
    by_user = {place: executed for depth, place, executed in rows if not depth}
    by_line = {place: executed for depth, place, executed in lines}
    # 4 instructions of the layers: one each of outer and inner, two of HIP's header
    check([by_user.get(main[mark]) for mark in ("layers", "scale", "plain")], [4 * WAVES, 2 * WAVES, WAVES], f"{rows}")
    check({place.split(":")[0] for place in by_user} - {"(no line)"}, {"inlined.hip"}, "files of the rows")
    # beneath, what costs most first; a function whose cost is all another's shares the row
    check(beneath(rows, main["layers"]),
          [(1, f"outer {own['goes on']}", 3 * WAVES), (2, f"inner {own['scales']} > scaled {header['scaled']}", 2 * WAVES),
           (2, f"inner {own['inner']}", WAVES), (1, f"outer {own['outer']}", WAVES)], "the layers")
    check(beneath(rows, main["scale"]), [(1, f"scaled {header['scaled']}", 2 * WAVES)], "one call")
    check(beneath(rows, main["plain"]), [], "a line of its own")
    check([row[0] for row in beneath(rows, main["barrier"])] != [], True, "what a barrier is made of")
    # the other view: each line by itself, whoever calls it
    check([by_line.get(place) for place in (header["scaled"], own["outer"], own["inner"], main["plain"])],
          [4 * WAVES, WAVES, WAVES, WAVES], f"{lines}")
    check([main[mark] in by_line for mark in ("layers", "scale")], [False, False], "callers")
    check({depth for depth, _, _ in lines}, {0}, "depths")
    check(any(place.startswith("amd_") for place in by_line), True, "HIP's own headers")
    check(total(rows), total(lines), "the sum")


def check_functor(folder):
    """A kernel that lies in a header: its user's lines are those of the functor, the others are the header's."""
    main, header = marked("inlined.hip"), marked("include/hip/scaled.h")
    rows = annotate(folder, r"^void applied<")
    by_user = {place: executed for depth, place, executed in rows if not depth}
    check([by_user.get(main[mark]) for mark in ("functor", "within")], [WAVES, 2 * WAVES], f"{rows}")
    check(by_user.get(header["kernel"]), WAVES, f"the kernel's own line in {rows}")
    check(beneath(rows, main["within"]), [(1, f"scaled {header['scaled']}", 2 * WAVES)], "the functor's call")
    check(total(rows), total(annotate(folder, r"^void applied<", "--header-lines")), "the sum")


def check_in_order(folder):
    """By instruction: headings are the user's lines, with the chain down to the instruction."""
    main, own, header = marked("inlined.hip"), marked("layers.h"), marked("include/hip/scaled.h")
    text = {}
    for options in ((), ("--header-lines",)):
        text[options] = subprocess.run([f"{build}/bin/rocprofv3", "annotate", "--kernel", r"^layered\(", "--by", "instruction",
                                        *options, folder], capture_output=True, text=True, timeout=60).stdout
    check(f"(outer {own['goes on']} > inner {own['scales']} > scaled {header['scaled']})\n" in text[()], True, text[()])
    check(re.search(rf"^ *{main['layers']}  x = outer", text[()], re.M) is not None, True, text[()])
    check(f"(scaled inlined at {own['scales']}, from {own['goes on']}, from {main['layers']})\n"
          in text["--header-lines",], True, text["--header-lines",])


def check_formats(folder):
    """Each instruction's user's line beside its own, with the chain between them."""
    main, own, header = marked("inlined.hip"), marked("layers.h"), marked("include/hip/scaled.h")
    with open(f"{folder}/t_instruction_counts.csv", newline="") as file:
        table = [row for row in csv.DictReader(file)
                 if row["Kernel_Name"].startswith("layered(") and not row["Instruction"].startswith("s_nop")]
    mine = [row for row in table if place(row["User_File"], row["User_Line"]) == main["layers"]]
    check(sum(int(row["Issued"]) for row in mine), 4 * WAVES, "CSV")
    check([row["Inlined"] for row in mine if place(row["Source_File"], row["Source_Line"]) == header["scaled"]],
          [f"outer {own['goes on']} > inner {own['scales']} > scaled {header['scaled']}"] * 2, "the chain in CSV")
    check({row["Inlined"] for row in table if place(row["Source_File"], row["Source_Line"]) == main["plain"]}, {""}, "no chain")
    with open(f"{folder}/t_results.json") as file:
        listed = json.load(file)["rocprofiler-sdk-tool"][0]["crocprof_instruction_counts"]["instructions"]
    with sqlite3.connect(f"{folder}/t_results.db") as base:
        base.row_factory = sqlite3.Row
        stored = [dict(row) for row in base.execute("SELECT * FROM crocprof_instruction")]
    for rows in (listed, stored):
        check(sum(row["issued"] for row in rows if place(row["user_file"], row["user_line"]) == main["layers"] and
                  not row["text"].startswith("s_nop")), 4 * WAVES,
              "JSON or the database")


def check_alone(folder):
    """The file that was compiled is the user's, wherever it lies."""
    main, header = marked("include/hip/alone.hip"), marked("include/hip/scaled.h")
    rows = annotate(folder, r"^alone\(")
    check((0, main["scale"], 2) in rows, True, f"{rows}")
    check(beneath(rows, main["scale"]), [(1, f"scaled {header['scaled']}", 2)], "the call")


with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
    profile(one, layered)
    profile(two, alone)
    check_layered(one)
    check_functor(one)
    check_in_order(one)
    check_formats(one)
    check_alone(two)
