"""Instructions without an effect: nothing.py SOURCE [--fails].

The tables mark them (nothing), and salu_flow.c has an empty handler for each (NO_EFFECT), or a branch that is never taken.
Either without the other fails, except that of the mark `message`, which thread traces see.
--fails: a mark is taken out of a table, and a handler out of the file; both must be found."""
import pathlib, re, sys

HANDLERS = "src/softgpu/exec/salu_flow.c"


def differences(tables, handlers):
    marked, messages = set(), set()
    for text in tables:
        for columns in (line.split("\t") for line in text.splitlines() if not line.startswith("#")):
            if len(columns) < 6 or columns[1] not in ("SOPP", "SOPK"):
                continue
            name, marks = columns[3].split("=")[0], columns[-1].split(",")
            marked |= {name} if "nothing" in marks else set()
            messages |= {name} if "message" in marks else set()
    empty = set(re.findall(r"^NO_EFFECT\((\w+)\)$", handlers, re.M))
    never = set(re.findall(r"^BRANCH_IF\((\w+), false\)$", handlers, re.M))
    return sorted(marked - empty - never), sorted(empty - marked - messages | never - marked), len(marked)


def main():
    tree = pathlib.Path(sys.argv[1])
    tables = [p.read_text() for p in sorted((tree / "src/isa").glob("gfx*.tsv"))]
    handlers = (tree / HANDLERS).read_text()
    if sys.argv[2:] == ["--fails"]:
        without = [re.sub(r"^(.*\ts_nop\t.*)\tnothing$", r"\1\t-", text, flags=re.M) for text in tables]
        assert differences(without, handlers)[:2] == ([], ["s_nop"]), differences(without, handlers)
        assert differences(tables, handlers.replace("NO_EFFECT(s_clause)\n", ""))[:2] == (["s_clause"], [])
        return 0
    no_handler, no_mark, seen = differences(tables, handlers)
    assert seen > 20, seen
    for name in no_handler:
        print(f"{name} is marked `nothing`, and {HANDLERS} has no empty handler of it")
    for name in no_mark:
        print(f"{name} has an empty handler in {HANDLERS}, and no mark `nothing` in its table")
    return 1 if no_handler or no_mark else 0


if __name__ == "__main__":
    sys.exit(main())
