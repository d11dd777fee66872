"""Who opens databases and steps through rows: door.py SOURCE [--fails].

Databases are opened for reading, and their statements prepared, stepped and executed, in src/db/db.c alone: what holds
there (read-only, limits, the authorizer, an error is no end) holds for every reader. The writer of rocprofv3's own
databases, which reads no file of others, does it for itself. Any other file below src/ that names one of SQLite's
functions for it fails the test, which names the file, the line and the function. Files are attached there alone, too,
and the door lets no connection have two.
--fails: a tree is made with each function in a reader, in the door and in the writer; only the reader's are found."""
import pathlib, re, sys, tempfile

DOOR = "src/db/db.c"
WRITER = {"src/output/rocpd.c", "src/output/rocpd_rows.c"}
CALL = re.compile(r"\bsqlite3_(?:open|prepare|step|exec|get_table|blob_open|deserialize|set_authorizer|limit)\w*|"
                  r"(?<=[\"; ])ATTACH(?= (?:\?|'|DATABASE))")
ONE = re.compile(r"\{SQLITE_LIMIT_ATTACHED, 1\}")


def calls(tree):
    """(file, line, function) of every call, comments and all."""
    for path in sorted((tree / "src").rglob("*.[ch]")):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for name in CALL.findall(line):
                yield path.relative_to(tree).as_posix(), number, name


def wrong(tree):
    found = list(calls(tree))
    problems = [f"{file}:{line}: {name} is called outside {DOOR}" for file, line, name in found
                if file != DOOR and file not in WRITER]
    called = {file for file, _, _ in found}
    if not ONE.search((tree / DOOR).read_text(errors="replace")):
        problems.append(f"{DOOR}: a connection may attach more than one file")
    return problems + [f"{file} calls none of the functions: the test's list is old"
                       for file in sorted({DOOR} | WRITER) if file not in called]


def finds_what_is_wrong():
    names = ["sqlite3_open", "sqlite3_open_v2", "sqlite3_prepare_v2", "sqlite3_prepare_v3", "sqlite3_step", "sqlite3_exec",
             "ATTACH"]
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for file in ("src/results/reader.c", "src/rocpd/reader.h", DOOR, *WRITER):
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text("".join(f"run(\"{name} ? AS x\");\n" if name.isupper() else f"{name}(db);\n" for name in names) +
                                     "sqlite3_column_int(s, 0); {SQLITE_LIMIT_ATTACHED, 1}\n")
        expected = [f"{file}:{line}: {name} is called outside {DOOR}"
                    for file in ("src/results/reader.c", "src/rocpd/reader.h") for line, name in enumerate(names, 1)]
        if wrong(tree) != expected:
            return False
        (tree / DOOR).write_text("")
        old = wrong(tree)
        return all(any(text in problem for problem in old) for text in (DOOR + " calls none", DOOR + ": a connection may"))


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        sys.exit(0 if finds_what_is_wrong() else "a call was not found, or a right one was")
    problems = wrong(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or f"one door: {DOOR}")
    sys.exit(1 if problems else 0)
