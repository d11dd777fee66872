"""The models of caches and time use no function of libm: libm.py SOURCE [--fails].

Their numbers are the same on every host (docs/model-numbers.md), and exp() and its like may differ from one libm to another in
the last digit. A file of their rooms that includes math.h or tgmath.h, or calls a function of the compiler's for one of theirs, fails the test, which names the line.
--fails: a tree with such lines in each of the rooms, and in others."""
import pathlib, re, sys, tempfile

ROOMS = ("cache", "perf", "device", "profile")
WRONG = re.compile(r"^\s*#\s*include\s*<(?:math|tgmath)\.h>|\b__builtin_(?:exp(?:2|10|m1)?[fl]?|(?:log|pow|sqrt|sin|cos|tan|fma)\w*)\s*\(")


def wrong(tree):
    """(how many files there are, what is wrong in them)."""
    files = sorted(path for room in ROOMS for path in (tree / "src/softgpu" / room).rglob("*.[ch]"))
    return len(files), [f"{path.relative_to(tree).as_posix()}:{number}: {line.strip()}" for path in files
                        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1) if WRONG.search(line)]


def finds_what_is_wrong():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for room in (*ROOMS, "exec"):
            (tree / "src/softgpu" / room).mkdir(parents=True)
            (tree / "src/softgpu" / room / "x.c").write_text("#include <stdlib.h>\n#  include <math.h>\nx = __builtin_expm1(y);\nx = __builtin_expect(y, 0);\n")
        expected = [f"src/softgpu/{room}/x.c:{line}" for room in sorted(ROOMS) for line in ("2: #  include <math.h>", "3: x = __builtin_expm1(y);")]
        return wrong(tree) == (len(ROOMS), expected)


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        sys.exit(0 if finds_what_is_wrong() else "a wrong line was not found, or a right one was")
    n, found = wrong(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or f"{n} files of the models, none of which uses libm")
    sys.exit(1 if found or n < 40 else 0)
