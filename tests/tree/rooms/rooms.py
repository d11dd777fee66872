"""Which room includes which: rooms.py SOURCE [--fails].

The order of the rooms is that in which the two CMake files build them. Every #include of a file of ours is an arrow
from the room of the file to the room of what it includes; an arrow that points up, or from softgpu to the profiler or
back, fails the test, which names it. A function that one room declares and another defines is an arrow, too, from the
declaration to the definition. The tables of CONTRIBUTING.md must have the same rooms in the same order, and tests/ a
folder with tests for each.
src/sdk has rooms of its own, in the order of its CMake file: what services share, the services, which know nothing of
each other, and the library.
--fails: a tree with one wrong arrow of each kind is made; each must be found."""
import os, pathlib, re, sys, tempfile

# what the software GPU may use of the rooms below the profiler's
SHARED = {"base", "gpus", "disasm", "isa"}
CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)  # comments and texts
DECLARED = re.compile(r"\b([a-z]\w*_\w+)\([^;{}]*?\)[^;{}]*;")
DEFINED = re.compile(r"^(?!static)\w[\w\s*]*\b([a-z]\w*_\w+)\([^;{}]*\)\s*\{", re.M)
TEST = re.compile(r"^\s*(add_test|crocprof_(unit_test|cases|fuzz_test|areas))\(", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def listed(path, pattern):
    return re.search(pattern, path.read_text(), re.S).group(1).split()


def rooms_of(tree):
    """The profiler's rooms in their order, and softgpu's."""
    all_rooms = listed(tree / "CMakeLists.txt", r"set\(rooms (.*?)\)")
    profiler = [r.removeprefix("src/") for r in all_rooms if r.startswith("src/") and r != "src/softgpu"]
    return profiler, ["softgpu/" + r for r in listed(tree / "src/softgpu/CMakeLists.txt", r"foreach\(part (.*?)\)")]


def sdk_heights(tree):
    """The folders of src/sdk with their heights: services stand beside each other."""
    cmake = tree / "src/sdk/CMakeLists.txt"
    shared, services = (listed(cmake, rf"set\({name} (.*?)\)") for name in ("sdk_shared", "sdk_services"))
    top = listed(cmake, r"foreach\(folder \$\{sdk_shared\} \$\{sdk_services\} (.*?)\)")
    return {**{folder: height for height, folder in enumerate(shared)}, **{folder: len(shared) for folder in services},
            **{folder: len(shared) + 1 + height for height, folder in enumerate(top)}}


def room(path):
    parts = path.split("/")
    if parts[0] != "src":
        return None  # a public header: anyone's
    return "softgpu/" + parts[2] if parts[1] == "softgpu" else parts[1]


def included(tree):
    """(what is said of an arrow, file, what it includes), of files of the tree."""
    for path in sorted(p for p in (tree / "src").rglob("*.[ch]")):
        file = path.relative_to(tree).as_posix()
        for name in INCLUDE.findall(path.read_text(errors="replace")):
            beside = os.path.normpath(os.path.join(os.path.dirname(file), name))
            for target in (beside, "src/" + name, "include/" + name):
                if (tree / target).is_file():
                    yield f"{file} includes {target}", file, target
                    break


def declared(tree):
    """(what is said of an arrow, header, file), of functions that only another room's header declares."""
    headers = {}
    for path in sorted((tree / "src").rglob("*.h")):
        for name in DECLARED.findall(CODE.sub("", path.read_text(errors="replace"))):
            headers.setdefault(name, []).append(path.relative_to(tree).as_posix())
    for path in sorted((tree / "src").rglob("*.c")):
        file = path.relative_to(tree).as_posix()
        for name in DEFINED.findall(CODE.sub("", path.read_text(errors="replace"))):
            if name in headers and not any(os.path.dirname(h) == os.path.dirname(file) for h in headers[name]):
                yield f"{headers[name][0]} declares {name}() of {file}", headers[name][0], file


def wrong(tree):
    profiler, softgpu = rooms_of(tree)
    found, seen = [], 0
    for what, file, target in [*included(tree), *declared(tree)]:
        a, b = room(file), room(target)
        seen += 1
        if a is None or b is None or a == b:
            continue
        unknown = [r for r in (a, b) if r not in profiler + softgpu]
        if unknown:
            found.append(f"{what}: no CMake file lists {unknown[0]}")
        elif (a in softgpu) != (b in softgpu):
            if b not in SHARED:
                found.append(f"{what}: softgpu and the profiler use nothing of each other")
        else:
            order = softgpu if a in softgpu else profiler
            if order.index(b) > order.index(a):
                found.append(f"{what}: {b} stands above {a}")
    return found, seen


def sdk_arrows(tree):
    """(what is said of an arrow, its room, the room it points to) between the folders of src/sdk."""
    for what, file, target in [*included(tree), *declared(tree)]:
        if file.startswith("src/sdk/") and target.startswith("src/sdk/"):
            yield what, file.split("/")[2], target.split("/")[2]


def wrong_in_sdk(tree):
    heights = sdk_heights(tree)
    found = []
    for what, a, b in sdk_arrows(tree):
        unknown = [folder for folder in (a, b) if folder not in heights]
        if unknown:
            found.append(f"{what}: src/sdk/CMakeLists.txt does not list {unknown[0]}")
        elif a != b and heights[b] >= heights[a]:
            found.append(f"{what}: {b} stands {'above' if heights[b] > heights[a] else 'beside'} {a}")
    return found


def documented(tree):
    """Rooms that CONTRIBUTING.md has in another order, or lacks."""
    profiler, softgpu = rooms_of(tree)
    text = (tree / "CONTRIBUTING.md").read_text()
    told = re.findall(r"^\| `src/(\w+)/` \|", text, re.M)
    parts = ["softgpu/" + r for r in re.findall(r"^\| `(\w+)/` \|", text.split("| room of `src/softgpu/`")[1], re.M)]
    return [f"CONTRIBUTING.md has the rooms {a}, CMake {b}"
            for a, b in ((told, profiler + ["softgpu"]), (parts, softgpu)) if a != b]


def untested(tree):
    """Rooms without a folder that registers tests."""
    profiler, softgpu = rooms_of(tree)
    lists = {name: tree / "tests" / name / "CMakeLists.txt" for name in [*profiler, "softgpu", *softgpu]}
    return [f"there is no test in tests/{name} for src/{name}" for name, path in lists.items()
            if not (path.is_file() and TEST.search(path.read_text()))]


def finds_what_is_wrong():
    """Each wrong arrow in a small tree is found, and nothing else."""
    cases = {"src/a/up.c": "b/b.h", "src/softgpu/m/up.c": "softgpu/n/n.h", "src/softgpu/m/across.c": "a/a.h",
             "src/b/across.c": "softgpu/m/m.h", "src/b/stray.c": "c/c.h"}
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        right = {"src/b/right.c": "a/a.h", "src/softgpu/n/right.c": "../m/m.h", "src/b/system.c": "stdio.h"}
        for file, name in {**cases, **right}.items():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(f'#include "{name}"\n')
        for header in ("a/a.h", "b/b.h", "c/c.h", "softgpu/m/m.h", "softgpu/n/n.h"):
            (tree / "src" / header).parent.mkdir(parents=True, exist_ok=True)
            (tree / "src" / header).write_text("")
        (tree / "CMakeLists.txt").write_text("set(rooms src/a src/b src/softgpu tests)")
        (tree / "src/softgpu/CMakeLists.txt").write_text("foreach(part m n)")
        for name, text in (("a", "if(X)\n  add_test(NAME a)\n"), ("softgpu", "crocprof_areas()\n"), ("softgpu/m", "# add_test()\n")):
            (tree / "tests" / name).mkdir(parents=True)
            (tree / "tests" / name / "CMakeLists.txt").write_text(text)
        if untested(tree) != [f"there is no test in tests/{name} for src/{name}" for name in ("b", "softgpu/m", "softgpu/n")]:
            return False
        found, _ = wrong(tree)
        if sorted(f.split(" includes ")[0] for f in found) != sorted(cases):
            return False
        (tree / "src/a/a.h").write_text("/* void b_one(void); */\nvoid a_two(int a,\n  int b) __attribute__((weak));\n")
        (tree / "src/b/right.c").write_text("void b_one(void)\n{\n}\nvoid a_two(int a,\n           int b)\n{\n}\n")
        return [f for f in wrong(tree)[0] if f.split(" includes ")[0] not in cases] == [
            "src/a/a.h declares a_two() of src/b/right.c: b stands above a"]


def finds_what_is_wrong_in_sdk():
    files = {"CMakeLists.txt": "set(sdk_shared low high)\nset(sdk_services one\n two)\n"
                               "foreach(folder ${sdk_shared} ${sdk_services} top)",
             "low/low.h": "void sdk_low(void);\nvoid sdk_top(int a,\n             int b) __attribute__((weak));\n",
             "low/low.c": '#include "sdk/low/low.h"\nvoid sdk_low(void)\n{\n}\n',
             "low/up.c": '#include "../high/high.h"\n',
             "high/high.h": "/* void sdk_one(void); */\n", "high/right.c": '#include "sdk/low/low.h"\n',
             "one/one.h": "", "one/one.c": "void sdk_one(void)\n{\n    sdk_low();\n}\n",
             "two/beside.c": '#include "sdk/one/one.h"\n', "two/right.c": '#include "sdk/high/high.h"\n',
             "top/top.c": '#include "sdk/one/one.h"\nvoid sdk_top(int a,\n             int b)\n{\n}\n',
             "stray/stray.c": '#include "sdk/low/low.h"\n'}
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for file, text in files.items():
            (tree / "src/sdk" / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / "src/sdk" / file).write_text(text)
        return sorted(wrong_in_sdk(tree)) == [
            "src/sdk/low/low.h declares sdk_top() of src/sdk/top/top.c: top stands above low",
            "src/sdk/low/up.c includes src/sdk/high/high.h: high stands above low",
            "src/sdk/stray/stray.c includes src/sdk/low/low.h: src/sdk/CMakeLists.txt does not list stray",
            "src/sdk/two/beside.c includes src/sdk/one/one.h: one stands beside two"]


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        found_all = finds_what_is_wrong() and finds_what_is_wrong_in_sdk()
        sys.exit(0 if found_all else "a wrong arrow, or a room without tests, was not found, or a right one was")
    source = pathlib.Path(sys.argv[1])
    problems, count = wrong(source)
    problems += wrong_in_sdk(source) + documented(source) + untested(source)
    inside = sum(1 for _, a, b in sdk_arrows(source) if a != b)
    print("\n".join(problems) or f"{count} arrows, {inside} of them between rooms of src/sdk, none of them up")
    sys.exit(1 if problems or count < 1000 or inside < 80 else 0)
