"""No code asks what a GPU is called: gpu_names.py SOURCE [--fails].

What depends on the GPU is a column of share/gpus or a row of another table, and code asks the row. A comparison of a
GPU's name with a text, or of its number with a constant, fails the test, which names the line. Comparing a row's
members, and looking a row up, are what is wanted.
--fails: lines of which each is wrong, and lines of which none is."""
import pathlib, re, sys

WRONG = re.compile(r'(?:strn?cmp|strncasecmp|strcasecmp|strstr|memcmp|begins_with|starts_with)\s*\([^;]*?"gfx\d'
                   r'|\bgfx_target_version(?:\s*/\s*\d+)*\s*(?:[<>]=?|[=!]=)\s*\d'
                   r'|"gfx\d\w*"\s*[<>=!]=')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def wrong(text):
    """(number of the line, line) of each comparison."""
    plain = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)
    lines = plain.split("\n")
    for m in WRONG.finditer(plain):
        number = plain.count("\n", 0, m.start()) + 1
        yield number, lines[number - 1].strip()


def fails():
    bad = ['if (!strcmp(name, "gfx90a")) go();', 'bool unified = strncmp(gfx,\n        "gfx94", 5) == 0;', 'if (a->gfx_target_version >= 100000) go();',
           'if (agent->gfx_target_version / 10000 == 9) go();']
    good = ['/* strcmp(name, "gfx90a") */', '.gfx_target_version = 90010,', 'strncmp(name, "gfx", 3) == 0', '{"gfx90a", 90010},', 'if (a->gfx_target_version >= row->first) go();', 'const gpus_arch_t *g = gpus_find("gfx90a");']
    return all(len(list(wrong(line))) == 1 for line in bad) and not any(list(wrong(line)) for line in good)


if __name__ == "__main__":
    if sys.argv[2:] == ["--fails"]:
        sys.exit(0 if fails() else "a wrong line was not found, or a right one was")
    source = pathlib.Path(sys.argv[1])
    files = sorted((source / "src").rglob("*.[ch]"))
    found = [f"{path.relative_to(source)}:{number}: {line}" for path in files for number, line in wrong(path.read_text(errors="replace"))]
    print("\n".join(found) or f"{len(files)} files, none of which asks for a GPU's name")
    sys.exit(1 if found or len(files) < 500 else 0)
