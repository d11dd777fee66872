"""Where the code of softgpu and AQLprofile names a GPU: gpus.py SOURCE [--fails].

A GPU is rows and a descriptor: code asks isa_arch_t, and never which GPU it is. Names stand in tables alone, in the files
below; AQLprofile's are in share/aqlprofile. Comments may say what they like; code and strings elsewhere fail the test,
which names the line. So does a GPU of the list in src/isa/CMakeLists.txt that lacks one of its tables. The file of descriptors
may name, in tables and macros and not in functions, those GPUs of which it has a row.
--fails: a tree with one wrong line of each kind is made; each must be found, and nothing else."""
import pathlib, re, sys, tempfile

HELP = "src/softgpu/cli/main.c"  # the launcher's help, for people
DESCRIPTORS = "src/isa/arch.c"  # also of GPUs that have the instructions of one in the list
LIST = "src/isa/CMakeLists.txt"
LISTED = r"set\(ISA_GPUS ([^)]*)\)"


def tables(gpu):
    """The files that are about this GPU."""
    return [DESCRIPTORS, "src/softgpu/exec/fpu_arch.c", f"src/softgpu/check/hazards_{gpu}.c"]


def code_lines(text):
    """(number, line) without comments; strings stay."""
    def blank(m):
        return m.group(0) if m.group(0)[0] == '"' else re.sub(r"[^\n]", " ", m.group(0))
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)
    return enumerate(text.split("\n"), 1)


def table_lines(text):
    """Numbers of the lines of a C file that belong to a macro or to an initialiser outside functions."""
    spans = re.finditer(r"^#define(?:.*\\\n)*.*$|^(?:static )?const [^;{]*= \{[\s\S]*?^\};", text, re.M)
    return {n for m in spans for n in range(text.count("\n", 0, m.start()) + 1, text.count("\n", 0, m.end()) + 2)}


def own_names(tree, file, gpus):
    """For each line of a file, by number from 1 on, the GPUs that it may name."""
    text = (tree / file).read_text(errors="replace")
    if file != DESCRIPTORS:
        own = {gpu for gpu in gpus if file in tables(gpu)}
        return dict.fromkeys(range(1, text.count("\n") + 2), own)
    rows = set(re.findall(r"^ +(?:\[ISA_ARCH_\w+\] = )?\{[A-Z0-9]+\((gfx\w+)", text, re.M))
    macros = set(re.findall(r"^#define (\w+)", text, re.M))  # GFX103, of which no GPU has the name
    return dict.fromkeys(table_lines(text), rows | macros)


def wrong(tree):
    gpus = re.search(LISTED, (tree / LIST).read_text()).group(1).split()
    found = [f"{file}: {gpu} has no such table" for gpu in gpus for file in tables(gpu) if not (tree / file).is_file()]
    seen = 0
    for path in sorted(path for room in ("isa", "softgpu", "aqlprofile") for path in (tree / "src" / room).rglob("*.[ch]")):
        file = path.relative_to(tree).as_posix()
        own = own_names(tree, file, gpus)
        seen += 1
        for number, line in code_lines(path.read_text(errors="replace")):
            named = re.findall(r"gfx\d+[0-9a-f]{2}(?![0-9a-z])", line, re.I) if file != HELP else []
            found += [f"{file}:{number}: names {name}: {line.strip()}" for name in named if name not in own.get(number, ())]
    return found, seen


def finds_what_is_wrong():
    cases = {"src/softgpu/a/code.c": "const isa_arch_t *arch = &isa_gfx90a;", "src/softgpu/a/text.c": 'if (!strcmp(name, "gfx90a"))',
             "src/softgpu/a/macro.h": "#define IS_GFX942(a) 1", "src/softgpu/perf/events_gfx90a.c": "int gfx90a;",
             "src/aqlprofile/plan.c": 'known(name, "gfx1100")'}
    descriptors = """#define GFX940(gpu)                          \\
    .name = #gpu, .like = ISA_ARCH_gfx942
const isa_arch_t isa_archs[] = {
    [ISA_ARCH_gfx942] = {GFX940(gfx942), .version = 1},
    [ISA_ARCH_gfx90a] = {GFX9(gfx90a)},
};
static const isa_arch_t siblings[] = {
    {GFX940(gfx941), .like = ISA_ARCH_gfx1100},
};
bool is_fourth(const isa_arch_t *a)
{
    return a->index == ISA_ARCH_gfx942;
}"""
    lines_of_descriptors = [8, 12]  # a GPU without a row; a function that asks
    right = {DESCRIPTORS: descriptors, "src/softgpu/exec/fpu_arch.c": "[ISA_ARCH_gfx942]", "src/softgpu/check/hazards_gfx90a.c": "int gfx90a;",
             "src/aqlprofile/family.c": "aql_family_gfx12", "src/softgpu/a/right.c": "int x; /* as on gfx90a */ // gfx942",
             "src/softgpu/a/gfx.c": "p->gfx_target_version = gfx_index;", HELP: '"find a gfx90a"'}
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for file, line in {**cases, **right}.items():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(line + "\n")
        (tree / LIST).write_text("set(ISA_GPUS gfx90a gfx942)")
        found, _ = wrong(tree)
        of_descriptors = [int(f.split(":")[1]) for f in found if f.startswith(DESCRIPTORS)]
        others = [f.split(":")[0] for f in found if not f.startswith(DESCRIPTORS)]
        return of_descriptors == lines_of_descriptors and sorted(others) == sorted([*cases, *tables("gfx942")[2:]])


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        sys.exit(0 if finds_what_is_wrong() else "a wrong line was not found, or a right one was")
    problems, count = wrong(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or f"{count} files, GPUs are named in their tables alone")
    sys.exit(1 if problems or count < 100 else 0)
