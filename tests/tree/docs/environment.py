"""environment.py SOURCE: every environment variable that the source names is in the tables of which docs/environment.md is
made (those of options, docs/environment.tsv), once, and every one of the tables is in the source. --fails: what is
missing in a small tree is found."""
import pathlib, re, sys, tempfile

# calls that take a variable's name, as their first argument or as the one behind a program's name
CALLS = re.compile(r'\b(?:getenv|secure_getenv|setenv|unsetenv|base_env|base_env_bool|base_env_int|env|is_set|variable|'
                   r'add_variable)\(\s*"(\w+)"|\b(?:base_log_init|base_program_begin|base_lines_open)\([^,()]+,\s*"(\w+)"')
# variables that stand in a table of the source; these families have no other names, but for MPI's own and our name of its calls
TABLED = re.compile(r'"((?:ROCPROF|ROCPD|ROCTX|ROCP|SOFTGPU|SLURM|PBS|PMI|PMIX|MV2|OMPI|FLUX|LSB|JOB|TORCHELASTIC|'
                    r'MPI(?!_COMM_(?:WORLD|SELF)"|_F_STATUS|_API")|WORLD|LOCAL|GROUP)_[A-Z0-9_]+)"')
OTHERS = re.compile(r'"((?:ROCPROFILER|KOKKOS|AQLPROFILE|ROCM|ROCR|HIP|CUDA|HSA)_[A-Z0-9_]+|[A-Z]+)"')
SOURCES = (".c", ".h", ".cpp", ".def")
TABLES = ("src/trace/settings.def", "src/softgpu/profile/options.def")


def named(tree):
    """{variable: a file that names it}, and all words of the source that might be the name of one."""
    found, words = {}, set()
    for path in sorted((tree / "src").rglob("*")):
        if path.suffix not in SOURCES or str(path.relative_to(tree)) in TABLES:
            continue
        text = path.read_text(errors="replace")
        for match in CALLS.finditer(text):
            found.setdefault(match[1] or match[2], path.relative_to(tree))
        for name in TABLED.findall(text):
            found.setdefault(name, path.relative_to(tree))
        words.update(OTHERS.findall(text))
    return found, words | set(found)


def tabled(tree):
    """Names of the table of settings, and of the other one."""
    texts = "".join((tree / table).read_text() for table in TABLES)
    own = [name for columns in re.findall(r'(?:\.variable = |\.also = |^VARIABLE\(\w+, )"([\w ]+)"', texts, re.M)
           for name in columns.split()]
    own += re.findall(r'"(SOFTGPU_\w+)",', re.sub(r"^VARIABLE.*", "", texts, flags=re.M))
    lines = (tree / "docs/environment.tsv").read_text().splitlines()
    return own, [line.split("\t")[0] for line in lines if line and not line.startswith("#")]


def wrong(tree):
    found, words = named(tree)
    own, others = tabled(tree)
    rows = own + others
    problems = [f"{path}: {name} has no row" for name, path in found.items() if name not in rows]
    problems += [f"{name} has two rows" for name in sorted({name for name in rows if rows.count(name) > 1})]
    problems += [f"docs/environment.tsv: no source names {name}" for name in others if name not in words]
    return problems, len(rows)


def finds_what_is_missing():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for table in TABLES:
            (tree / table).parent.mkdir(parents=True)
        (tree / "docs").mkdir()
        (tree / "src/trace/settings.def").write_text('OPTION(A, "a", BOOL, B, "c", .variable = "ROCPROF_A")\n'
                                                     'VARIABLE(B, "ROCPROF_B", BOOL, "c")\n')
        (tree / "src/softgpu/profile/options.def").write_text('OPTION(C, \'c\', "c", "N", "SOFTGPU_C", "d")\n')
        (tree / "docs/environment.tsv").write_text("# about\n##\ttitle\twho\nROCPROF_A\t\t\t\nGONE\t\t\t\nSOFTGPU_X\t\t\t\n")
        (tree / "src/a.c").write_text('getenv("NEW"); base_env_bool(\n    "ROCPROF_B", false); base_log_init("x", "LOG");\n'
                                      '#define NAME "SOFTGPU_X"\nstatic const char *const names[] = {"ROCPD_Y", "ROCPROF_A", "SOFTGPU_C"};\n')
        return wrong(tree)[0] == ["src/a.c: NEW has no row", "src/a.c: LOG has no row", "src/a.c: ROCPD_Y has no row",
                                  "ROCPROF_A has two rows", "docs/environment.tsv: no source names GONE"]


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        sys.exit(0 if finds_what_is_missing() else "a variable without a row was not found, or another one was")
    problems, count = wrong(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(problems) or f"{count} variables, each has its row")
    sys.exit(1 if problems or count < 150 else 0)
