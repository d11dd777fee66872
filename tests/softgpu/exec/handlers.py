"""What the sources say that no compiler checks: handlers.py SOURCE [--fails].

Rules of the instruction set's part of docs/softgpu.md ("What a handler may do"), each an expression and the files that may
have what it finds. A line elsewhere fails the test, which names it.
--fails: a tree with one line against each rule is made; each must be found, and nothing else."""
import pathlib, re, sys, tempfile

ISA, EXEC = "src/isa/", "src/softgpu/exec/"
# what the loops count is counted at every instruction
COUNTED = {EXEC + "census.h", "src/softgpu/perf/census.c"}

# (what is wrong, expression, files that are looked at, files where it is right)
RULES = [
    ("an instruction is known by its number and its row, not by its name",
     r"(->|\.)mnemonic\b", r"src/.*", {ISA + "table.c", ISA + "disasm.c", EXEC + "code.c", "src/softgpu/device/observe.c",
                                     "src/softgpu/cli/coverage.c",
                                     EXEC + "translate_plan.c",  # names of functions in the library of bitcode
                                     "src/code/body.c"}),  # of most GPUs it has texts alone, which LLVM wrote
    ("the row of an operand is isa_row_of()", r"kind == ISA_OPK_AGPR \?", r"src/.*", {EXEC + "wave.h"}),
    ("where AGPRs begin is known to isa_row_number() and isa_register_of_row()", r"acc_offset\b(?!, o\))", r"src/softgpu/.*",
     {EXEC + "wave.h", EXEC + "salu_hwreg.c", "src/softgpu/device/dispatch.c", "src/softgpu/device/group.c",
      "src/softgpu/check/init.h", "src/softgpu/check/init_ask.c", "src/softgpu/check/init_shadow.c"}),
    ("a set of all lanes is ISA_ALL_LANES, one of some isa_first_lanes()",
     r"(exec|lanes)\b[^;=]*[=!]?= *(~UINT64_C\(0\)|UINT64_MAX)|UINT64_MAX >> \(?ISA_LANES", r"src/softgpu/.*", COUNTED),
    ("lanes are counted by isa_lane_count()", r"popcount\w*\([^)]*exec", r"src/softgpu/.*", COUNTED),
    ("a handler leaves by isa_jump() or isa_jump_relative(), isa_stop() or isa_retry()",
     r"\w->(stop|budget|repeats|ip|page|lds_turn|fault_flags) *(=[^=]|[-+|&^]=|--|\+\+)|--\w->budget", EXEC + r".*",
     {EXEC + name for name in ("wave.h", "core.h", "lds.h", "lds.c", "code.c", "run.c", "trap.c",
                               "translate_count.c",  # a run loop, too
                               "chunk.h", "translate_verify.c")}),  # waves of their own
    ("a handler counts nothing: the loops do", r"\bgroup->\w+ *([-+|&^]?=[^=]|--|\+\+)|(--|\+\+)\w->group->", EXEC + r".*", set()),
    ("what is done to a lane is no function in a variable", r"\b(access_fn_t|isa_atomic(32|64)_t|op(32|64)_t) \*\w+;",
     EXEC + r".*", set()),
    # a macro of valu.h has the name of the body that it calls; no function is given one
    ("the body of a vector instruction has no pointer to it", r"\bvalu_body_t\b|typedef void \w+\((const )?valu_t\b|\(\*\w*\)\((const )?valu_t\b",
     EXEC + r".*", set()),
    ("an instruction knows its own address: i->pc", r"\bi - \S*slots\b", r"src/softgpu/.*", COUNTED),
    ("items become waves by isa_wave_count()", r"/ ISA_LANES\b.*items|items.*/ ISA_LANES\b", r"src/softgpu/.*", {EXEC + "wave.h"}),
    # the templates' accesses are inlined, and what an inlined function is marked with is lost
    ("a handler into which an access to memory is inlined is ISA_NO_TSAN", r"(?<!ISA_NO_TSAN )ISA_INST\((name|space##_(load|store)_##suffix)\) *\\$",
     EXEC + r"(smem|flat)\d*\.c", set()),
]


def code_lines(path):
    """(number, line) without comments and strings."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, path.read_text(errors="replace"), flags=re.S)
    return enumerate(text.split("\n"), 1)


def wrong(tree):
    found, seen = [], 0
    for path in sorted((tree / "src").rglob("*.[ch]")):
        file = path.relative_to(tree).as_posix()
        rules = [(why, re.compile(what)) for why, what, where, right in RULES
                 if re.fullmatch(where, file) and file not in right]
        seen += 1
        for number, line in code_lines(path) if rules else ():
            found += [f"{file}:{number}: {why}:{line}" for why, what in rules if what.search(line)]
    return found, seen


# against each rule, in its order: a file and a line
CASES = [("src/insight/a.c", 'if (strcmp(row->mnemonic, "s_branch") == 0)'),
         ("src/softgpu/cache/a.c", "row = o->reg + (o->kind == ISA_OPK_AGPR ? 8 : 0);"),
         ("src/softgpu/check/a.c", "if (row >= w->acc_offset) row -= 8;"),
         ("src/softgpu/perf/a.c", "if (w->exec != ~UINT64_C(0)) return;"),
         ("src/softgpu/exec/a.c", "n = __builtin_popcountll(w->exec);"),
         ("src/softgpu/exec/a.c", "w->stop = ISA_STOP_YIELD;"),
         ("src/softgpu/exec/a.c", "w->group->stores += 1;"),
         ("src/softgpu/exec/a.h", "    isa_atomic32_t *op;"),
         ("src/softgpu/exec/a.h", "void slow(isa_wave_t *w, void (*body)(valu_t *v));"),
         ("src/softgpu/exec/a.c", "slot = i - w->page->slots;"),
         ("src/softgpu/device/a.c", "waves = (items + 63) / ISA_LANES;"),
         ("src/softgpu/exec/smem.c", "    ISA_INST(name)  \\")]


def finds_what_is_wrong():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for k, (file, line) in enumerate(CASES):
            path = tree / file.replace(".", f"{k}.")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"/* {line} */\n{line}\n")
        found, _ = wrong(tree)
        return len(CASES) == len(RULES) == len(found) and all(
            any(f.startswith(file.replace(".", f"{k}.") + ":2: " + RULES[k][0]) for f in found)
            for k, (file, _) in enumerate(CASES))


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        sys.exit(0 if finds_what_is_wrong() else "a line against a rule was not found, or a right one was")
    problems, count = wrong(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or f"{count} files, nothing against {len(RULES)} rules")
    sys.exit(1 if problems or count < 100 else 0)
