"""Instructions without an effect: nothing.py SOURCE [--fails].

The tables mark them (nothing), and gen-isa.py gives them s_nop's handler. One that has a handler of its own, which would never
run, fails, and so does an empty handler of one that has no such mark, except that of the mark `message`, which thread traces see.
--fails: a mark is taken out of a table, and a handler added to the file; both must be found."""
import pathlib, re, sys

HANDLERS = "src/softgpu/exec/salu_flow.c"
HANDLER = re.compile(r"^(?:ISA_INST|BRANCH_IF)\((\w+)\b.*?(\{\}|\bfalse\)|$)", re.M)


def differences(tables, handlers):
    marked, messages = set(), set()
    for text in tables:
        for columns in (line.split("\t") for line in text.splitlines() if not line.startswith("#")):
            if len(columns) < 6 or columns[1] not in ("SOPP", "SOPK"):
                continue
            name, marks = columns[3].split("=")[0], columns[-1].split(",")
            marked |= {name} if "nothing" in marks else set()
            messages |= {name} if "message" in marks else set()
    own = {name for name, _ in HANDLER.findall(handlers)}
    empty = {name for name, body in HANDLER.findall(handlers) if body}
    return sorted(marked & own - {"s_nop"}), sorted(empty - marked - messages), len(marked)


def main():
    tree = pathlib.Path(sys.argv[1])
    tables = [p.read_text() for p in sorted((tree / "src/isa").glob("gfx*.tsv"))]
    handlers = "".join(p.read_text() for p in sorted((tree / HANDLERS).parent.glob("salu*.c")))
    if sys.argv[2:] == ["--fails"]:
        without = [re.sub(r"^(.*\ts_nop\t.*)\tnothing$", r"\1\t-", text, flags=re.M) for text in tables]
        assert differences(without, handlers)[:2] == ([], ["s_nop"]), differences(without, handlers)
        for more in "ISA_INST(s_clause) {}\n", "ISA_INST(s_clause)\n{\n", "BRANCH_IF(s_clause, false)\n":
            assert differences(tables, handlers + more)[:2] == (["s_clause"], []), more
        for more in "ISA_INST(s_trap) {}\n", "BRANCH_IF(s_trap, false)\n":
            assert differences(tables, handlers + more)[:2] == ([], ["s_trap"]), more
        return 0
    own, no_mark, seen = differences(tables, handlers)
    assert seen > 20, seen
    for name in own:
        print(f"{name} is marked `nothing`, and has a handler of its own")
    for name in no_mark:
        print(f"{name} has an empty handler in {HANDLERS}, and no mark `nothing` in its table")
    return 1 if own or no_mark else 0


if __name__ == "__main__":
    sys.exit(main())
