"""Which room includes which: rooms.py SOURCE [--fails].

The order of the rooms is that in which the two CMake files build them. Every #include of a file of ours is an arrow from
the room of the file to the room of what it includes; an arrow that points up, or from softgpu to the profiler or
back, fails the test, which names it. The tables of CONTRIBUTING.md must have the same rooms in the same order.
--fails: a tree with one wrong arrow of each kind is made; each must be found."""
import os, pathlib, re, sys, tempfile

# what the software GPU may use of the rooms below the profiler's
SHARED = {"base", "disasm", "isa"}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def listed(path, pattern):
    return re.search(pattern, path.read_text(), re.S).group(1).split()


def rooms_of(tree):
    """The profiler's rooms in their order, and softgpu's."""
    all_rooms = listed(tree / "CMakeLists.txt", r"set\(rooms (.*?)\)")
    profiler = [r.removeprefix("src/") for r in all_rooms if r.startswith("src/") and r != "src/softgpu"]
    return profiler, ["softgpu/" + r for r in listed(tree / "src/softgpu/CMakeLists.txt", r"foreach\(part (.*?)\)")]


def room(path):
    parts = path.split("/")
    if parts[0] != "src":
        return None  # a public header: anyone's
    return "softgpu/" + parts[2] if parts[1] == "softgpu" else parts[1]


def arrows(tree):
    """(file, what it includes), of files of the tree."""
    for path in sorted(p for p in (tree / "src").rglob("*.[ch]")):
        file = path.relative_to(tree).as_posix()
        for name in INCLUDE.findall(path.read_text(errors="replace")):
            beside = os.path.normpath(os.path.join(os.path.dirname(file), name))
            for target in (beside, "src/" + name, "include/" + name):
                if (tree / target).is_file():
                    yield file, target
                    break


def wrong(tree):
    profiler, softgpu = rooms_of(tree)
    found, seen = [], 0
    for file, target in arrows(tree):
        a, b = room(file), room(target)
        seen += 1
        if a is None or b is None or a == b:
            continue
        unknown = [r for r in (a, b) if r not in profiler + softgpu]
        if unknown:
            found.append(f"{file} includes {target}: no CMake file lists {unknown[0]}")
        elif (a in softgpu) != (b in softgpu):
            if b not in SHARED:
                found.append(f"{file} includes {target}: softgpu and the profiler use nothing of each other")
        else:
            order = softgpu if a in softgpu else profiler
            if order.index(b) > order.index(a):
                found.append(f"{file} includes {target}: {b} stands above {a}")
    return found, seen


def documented(tree):
    """Rooms that CONTRIBUTING.md has in another order, or lacks."""
    profiler, softgpu = rooms_of(tree)
    text = (tree / "CONTRIBUTING.md").read_text()
    told = re.findall(r"^\| `src/(\w+)/` \|", text, re.M)
    parts = ["softgpu/" + r for r in re.findall(r"^\| `(\w+)/` \|", text.split("| room of `src/softgpu/`")[1], re.M)]
    return [f"CONTRIBUTING.md has the rooms {a}, CMake {b}"
            for a, b in ((told, profiler + ["softgpu"]), (parts, softgpu)) if a != b]


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
        found, _ = wrong(tree)
        return sorted(f.split(" includes ")[0] for f in found) == sorted(cases)


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        sys.exit(0 if finds_what_is_wrong() else "a wrong arrow was not found, or a right one was")
    source = pathlib.Path(sys.argv[1])
    problems, count = wrong(source)
    problems += documented(source)
    print("\n".join(problems) or f"{count} arrows, none of them up")
    sys.exit(1 if problems or count < 1000 else 0)
