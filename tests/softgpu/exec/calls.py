"""That handlers call by name: calls.py OBJDUMP OBJECT...

The objects are those of one executor core, a file for each source. docs/softgpu.md, "What a handler may do", says that code which
copies a handler, as a translator does, meets no call through a pointer in it. Sources hide such calls in templates, so the
machine code is read: each indirect call is printed with its function and fails the test, but for those of ALLOWED.
--fails CC: a file with such calls, and one without, are compiled; the former must be found and the latter not."""
import pathlib, re, subprocess, sys, tempfile

# file, function: who calls whom through a pointer
ALLOWED = [("run.c", r".*"),  # the loops call handlers and watchers
           ("valu_dual.c", r"isa_core_dual|run_half"),  # the handlers of both operations, as a loop does
           ("salu_flow.c", r"isa_\w+_s_sendmsg(halt)?")]  # isa_dispatch_t.on_message, the one call out of the core

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
CALL = re.compile(r"\s(?:bnd |notrack )*call\w*\s+\*")
JUMP = re.compile(r"\s(?:bnd |notrack )*jmp\w*\s+\*")
# In position-independent code a switch adds a distance of 32 bits, from a table, to the table's own address.
DISTANCE, NEAR = re.compile(r"\smovslq\s[^%]*\("), 8


def indirect(text):
    """(function, instruction) of each call through a pointer, and of each jump that may be the last one of a function."""
    function, before = "", []
    for line in text.split("\n"):
        if m := FUNCTION.match(line):
            function, before = m[1], []
            continue
        if CALL.search(line) or JUMP.search(line) and not any(map(DISTANCE.search, before)):
            yield function, line.split("\t")[-1].strip()
        before = (before + [line])[-NEAR:]


def disassembled(objdump, path):
    return subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout


def wrong(objdump, objects):
    for path in objects:
        source = re.sub(r"\.o(bj)?$", "", pathlib.Path(path).name)
        for function, instruction in indirect(disassembled(objdump, path)):
            if not any(source == file and re.fullmatch(name, function) for file, name in ALLOWED):
                yield f"{source}: {function}(): {instruction}"


POINTERS = """
typedef void body_t(int *v);
extern body_t *bodies[4];
struct { body_t *body; } desc;
void from_table(int *v, int n) { bodies[n](v); }
void from_member(int *v) { desc.body(v); v[0]++; }
void from_argument(int *v, body_t *body) { body(v); v[0]++; }
void at_the_end(int *v, body_t *body) { body(v); }
"""
NAMES = "".join(f"void body{n}(int *v);\n" for n in range(9)) + """
void by_name(int *v) { body0(v); v[0]++; }
void by_switch(int *v, int n)
{
    switch (n) {
""" + "".join(f"case {n}: body{n}(v); v[{n}]++; break;\n" for n in range(9)) + "}}\n"


def finds_calls(objdump, cc):
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for name, text in ("pointers.c", POINTERS), ("names.c", NAMES):
            source = pathlib.Path(folder, name)
            source.write_text(text)
            objects.append(f"{source}.o")
            subprocess.run([cc, "-O2", "-fPIC", "-c", source, "-o", objects[-1]], check=True)
        found = {line.split("(")[0] for line in wrong(objdump, objects)}
        each = [sum(1 for _ in wrong(objdump, [o])) for o in objects]
    expected = {"pointers.c: " + name for name in ("from_table", "from_member", "from_argument", "at_the_end")}
    return found == expected and each == [4, 0]


if __name__ == "__main__":
    if sys.argv[1] == "--fails":
        sys.exit(0 if finds_calls(*sys.argv[2:]) else "a call through a pointer was not found, or one by name was")
    problems = list(wrong(sys.argv[1], sys.argv[2:]))
    print("\n".join(problems) or f"{len(sys.argv) - 2} objects, no call through a pointer")
    sys.exit(1 if problems or len(sys.argv) < 20 else 0)
