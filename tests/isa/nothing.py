"""Instructions without an effect: nothing.py SOURCE [--fails].

The tables mark them (nothing), and gen-isa.py gives them s_nop's handler. One that has a handler of its own, which would never
run, fails, and so does an empty handler of one that has no such mark, except that of the mark `message`, which thread traces see.
A row of a later table that says only what is different has the earlier instruction's marks.
--fails: a mark is taken out of a table, and a handler added to a file; both must be found."""
import pathlib, re, sys

HANDLERS = "src/softgpu/exec/salu_*.c"
HANDLER = re.compile(r"^(?:ISA_INST|BRANCH_IF)\((\w+)\b.*?(\{\}|\bfalse\)|$)", re.M)


def marks_of(tables):
    """{instruction: its marks} of SOPP and SOPK; of several rows that have one mnemonic, the marks of all."""
    marks = {}
    for text in tables:
        earlier = dict(marks)
        for columns in (line.split("\t") for line in text.splitlines() if not line.startswith("#")):
            if len(columns) < 5 or columns[1] not in ("SOPP", "SOPK"):
                continue
            name, _, like = columns[3].partition("=")
            inherits = len(columns) == 5 or columns[-1] == "="
            own = earlier[like or name] if inherits else set(columns[-1].split(","))
            marks[name] = marks.get(name, set()) | own
    return marks


def differences(tables, handlers):
    """(own handlers that never run, empty ones without a mark, marked instructions); handlers: {file: text}."""
    marks = marks_of(tables)
    marked = {name for name in marks if "nothing" in marks[name]}
    found = [(name, file, body) for file, text in handlers.items() for name, body in HANDLER.findall(text)]
    own = sorted((name, file) for name, file, _ in found if name in marked - {"s_nop"})
    no_mark = sorted((name, file) for name, file, body in found
                     if body and not marks.get(name, set()) & {"nothing", "message"})
    return own, no_mark, len(marked)


def main():
    tree = pathlib.Path(sys.argv[1])
    tables = [p.read_text() for p in sorted((tree / "src/isa").glob("gfx*.tsv"), key=lambda p: int(p.stem[3:]))]
    handlers = {p.relative_to(tree).as_posix(): p.read_text() for p in sorted(tree.glob(HANDLERS))}
    if sys.argv[2:] == ["--fails"]:
        flow = "src/softgpu/exec/salu_flow.c"
        without = [re.sub(r"^(.*\ts_nop\t.*)\tnothing$", r"\1\t-", text, flags=re.M) for text in tables]
        assert differences(without, handlers)[:2] == ([], [("s_nop", flow)]), differences(without, handlers)
        for name in "s_clause", "s_wait_alu":  # the second has its marks from an earlier table
            for more in f"ISA_INST({name}) {{}}\n", f"ISA_INST({name})\n{{\n", f"BRANCH_IF({name}, false)\n":
                assert differences(tables, {**handlers, "other.c": more})[:2] == ([(name, "other.c")], []), more
        for more in "ISA_INST(s_trap) {}\n", "BRANCH_IF(s_trap, false)\n":
            assert differences(tables, {**handlers, "other.c": more})[:2] == ([], [("s_trap", "other.c")]), more
        return 0
    own, no_mark, seen = differences(tables, handlers)
    assert seen > 20, seen
    for name, file in own:
        print(f"{file}: {name} is marked `nothing`, and has a handler of its own")
    for name, file in no_mark:
        print(f"{file}: {name} has an empty handler, and no mark `nothing` in its table")
    return 1 if own or no_mark else 0


if __name__ == "__main__":
    sys.exit(main())
