"""softgpu --coverage: coverage.py SOFTGPU PAGE PROGRAM [LLVM_OBJDUMP].

The table of docs/softgpu.md claims no more than the program says: the GPUs and their instructions are the same, and what is not
executed stands there. PROGRAM holds a code object for the suite's GPU, whose instructions are counted again in LLVM's listing of it."""
import collections, pathlib, re, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import suite_gpu

softgpu, page, program = sys.argv[1:4]
objdump = sys.argv[4] if len(sys.argv) > 4 else None


def run(*arguments):
    done = subprocess.run([softgpu, "--coverage", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def table(text):
    """{GPU: (instructions, executed, names of those that are not)}"""
    found = {}
    for row in re.findall(r"^\| (gfx\w+) \| (\d+) \| (\d+) \| (.*) \|$", text, re.M):
        found[row[0]] = int(row[1]), int(row[2]), set(re.findall(r"`(\w+)`", row[3]))
    return found


def listed(code_object):
    """Instructions of LLVM's listing by their names, without the suffixes of encodings."""
    text = subprocess.run([objdump, "-d", f"--mcpu={suite_gpu.ARCH}", str(code_object)], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^\t(\w+).*// [0-9A-F]{12}:", text, re.M)
    return collections.Counter(re.sub(r"_(e32|e64|sdwa|dpp)$", "", name) for name in names)


def main():
    status, text, _ = run()
    ours, told = table(text), table(pathlib.Path(page).read_text())
    assert status == 0 and len(ours) >= 4 and ours.keys() == told.keys(), (ours.keys(), told.keys())
    for gpu, (instructions, executed, missing) in ours.items():
        assert instructions == told[gpu][0] and executed >= told[gpu][1] and missing <= told[gpu][2], (
            f"{gpu}: the table of {page} is not what softgpu --coverage prints")
    status, text, _ = run(program)
    head = re.search(rf"^.*: {suite_gpu.ARCH}\S*: (\d+) instructions of (\d+) kinds, 0 kinds not executed$", text, re.M)
    assert status == 0 and head, text
    counts = {name: int(n) for n, name in re.findall(r"^ +(\d+)  (\w+)$", text, re.M)}
    assert sum(counts.values()) == int(head[1]) and len(counts) == int(head[2])
    if objdump:
        data = pathlib.Path(program).read_bytes()
        at = next(m.start() for m in re.finditer(b"\x7fELF\x02\x01\x01\x40", data) if data[m.start() + 18] == 224)
        with tempfile.NamedTemporaryFile(suffix=".co") as copy:
            copy.write(data[at:])
            copy.flush()
            want = listed(copy.name)
        for name in counts.keys() | want.keys():  # there may be s_nop behind a function
            assert name == "s_nop" or counts.get(name, 0) == want[name], (name, counts.get(name), want[name])
    status, _, errors = run("/nowhere")
    assert (status, errors) == (125, "softgpu: --coverage: /nowhere: No such file or directory\n"), errors
    status, _, errors = run("/etc/passwd")
    assert (status, errors) == (125, "softgpu: --coverage: /etc/passwd: no code object in it that is not compressed\n"), errors


main()
