"""Lists that no table makes: lists.py SOURCE [--fails].

The families of checks (CHK_FAMILIES in kinds.h) stand in the shell's completion and in the text of --check; the GPUs whose
counters softgpu has (ISA_COUNTED_GPUS) in docs/counter-definitions.md. Each has all, and nothing else.
--fails: a family and a GPU more are wanted; each list is found to lack them."""
import pathlib, re, sys


def wrong(tree, more=()):
    def found(file, pattern):
        return re.search(pattern, (tree / file).read_text(), re.S).group(1)

    def compare(file, has, wants):
        return [file] if set(has) != set(wants) | set(more) else []
    families = re.findall(r'X\(\w+, "(\w+)"\)', found("src/softgpu/check/kinds.h", r"#define CHK_FAMILIES\(X\)(.*?)\n\n"))
    completed = found("share/bash-completion/softgpu", r'--check\) mapfile -t COMPREPLY < <\(compgen -W "([^"]*)"').split()
    told = found("src/softgpu/profile/options.def", r'CHECK\(CHECK,.*?those of (.*?)that FAMILIES names')
    told = set(re.findall(r"\w+", told.replace("all of", "").replace("these", ""))) - {"and"}
    counted = found("src/isa/CMakeLists.txt", r"set\(ISA_COUNTED_GPUS (.*?) PARENT_SCOPE\)").split()
    rows = re.findall(r"^\| (gfx[^|]*) \|[^|]*\|[^|]*\| ([^|]*) \|$", (tree / "docs/counter-definitions.md").read_text(), re.M)
    yes = [gpu for names, cell in rows for gpu in re.findall(r"gfx\w+", names if cell == "yes" else cell)]
    return (compare("share/bash-completion/softgpu", set(completed) - {"all"}, families) +
            compare("src/softgpu/profile/options.def", told, families) + compare("docs/counter-definitions.md", yes, counted))


def main():
    tree = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--fails"]:
        return 0 if len(wrong(tree, ["another"])) == 3 else 1
    files = wrong(tree)
    for file in files:
        print(f"{file} has other families of checks, or other GPUs that are counted, than the source")
    return 1 if files else 0


if __name__ == "__main__":
    sys.exit(main())
