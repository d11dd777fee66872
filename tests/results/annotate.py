"""rocprofv3 annotate of databases made by hand: annotate.py BUILD SCHEMA

What is printed of each kernel is compared as a whole; its counts are such that the sentences can be worked out."""
import json
import os
import pty
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from database import Database

build, schema = sys.argv[1:]
COUNTS = ("issued", "lanes", "lines", "lines_needed", "lds_clocks", "lds_clocks_needed", "divergent", "wait_lds", "issue")


def check(got, expected, what):
    if got != expected:
        sys.exit(f"{what}:\n{got}\nexpected\n{expected}")


class Counted(Database):
    """One more kernel's instructions with each call."""

    def tables(self):
        columns = {"counted": "kernel_id, dispatch_id, range, dispatches, waves, lost, modelled",
                   "kernel_code": "kernel_id, code_object_id, gpu, vgpr_spills, sgpr_spills, wave_items, parameters",
                   "instruction": "kernel_id, dispatch_id, range, code_object_id, address, code, text, function, file, "
                                  "line, inlined, block, loop, loop_depth, " + ", ".join(COUNTS),
                   "source": "path, text"}
        for name, list in columns.items():
            self.db.execute(f"CREATE TABLE crocprof_{name}{self.suffix} (id INTEGER PRIMARY KEY, guid TEXT DEFAULT "
                            f"'{self.guid}', {list})")
            self.db.execute(f"CREATE VIEW crocprof_{name} AS SELECT * FROM crocprof_{name}{self.suffix}")

    def own(self, table, **row):
        self.db.execute(f"INSERT INTO crocprof_{table}{self.suffix} ({', '.join(row)}) VALUES "
                        f"({', '.join('?' * len(row))})", tuple(row.values()))

    def instruction(self, kernel, address, text, line=None, **row):
        row = {"function": "k", "code_object_id": 1, "block": 0, "loop_depth": 0, "file": line and "/src/k.hip",
               "issued": 4, "lanes": 4 * 64, **row}
        self.own("instruction", kernel_id=self.kernels[kernel], address=address, text=text, line=line, **row)


SOURCE = "\n".join(f"line {n};" if n != 3 else "\tout[x] = in[\x1b[31my];" for n in range(1, 10)) + "\n"


def make(path, lines=True, modelled=0, facts=None):
    d = Counted(path, schema, gpu="gfx1030" if facts else "gfx90a")
    d.tables()
    d.dispatch("scale(float*)", vgprs=104, lds=1024, group=256, facts=facts)
    d.dispatch("other\x1b]0;x\x07(int)", vgprs=8)
    for name in d.kernels:
        d.own("counted", kernel_id=d.kernels[name], dispatches=1, waves=4, lost=0, modelled=modelled)
    d.own("kernel_code", kernel_id=d.kernels["scale(float*)"], gpu="gfx1030" if facts else "gfx90a", vgpr_spills=3, sgpr_spills=1,
          parameters='[{"name":"out","type":"float *"},{"name":"n","type":"int"}]')
    at = iter(range(0, 400, 8))
    line = (lambda n: n) if lines else (lambda n: None)

    def put(text, n, **row):
        d.instruction("scale(float*)", next(at), text, line(n), **row)

    put("s_load_dword s0, s[4:5], 0x0", 1)
    put("global_load_dword v1, v[4:5], off", 3, lines=128, lines_needed=16)
    put("ds_write_b32 v3, v1", 4, lds_clocks=64, lds_clocks_needed=8)
    put("v_mul_f32_e32 v0, v1, v1", 5, lanes=84,
        inlined='[{"function":"square","file":"/src/k.hip","line":3}]' if lines else None)
    put("s_and_saveexec_b64 s[0:1], vcc", 6, divergent=3)
    put("buffer_load_dword v9, off, s[0:3], 0 offset:4", 7, block=40, loop=40, loop_depth=2, issued=40, lanes=2560,
        lines=160, lines_needed=160)
    put("s_cbranch_scc0 65530", 7, block=40, loop=40, loop_depth=2, issued=40, lanes=2560, wait_lds=9000, issue=40)
    put("s_endpgm", None, block=56)
    d.instruction("other\x1b]0;x\x07(int)", 0, "s_endpgm", None, issued=1)
    if lines:
        d.own("source", path="/src/k.hip", text=SOURCE)
    return d.close()


def run(*words, status=0, **more):
    done = subprocess.run([f"{build}/bin/rocprofv3", "annotate", *words], capture_output=True, text=True, timeout=60,
                          **more)
    check(done.returncode, status, f"status of {words}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


HEAD = """scale(float*)
  1 dispatch, 4 waves
  104 VGPRs, 0 AGPRs, 16 SGPRs, 1,024 bytes of LDS, no scratch, 3 spilled VGPRs, 1 spilled SGPR, workgroups of 256
  occupancy: 4 of 8 waves on a SIMD, limited by VGPRs: one wave more with 96 VGPRs or fewer
  parameters: float *out, int n

"""
INDENT = " " * 60
# shares: issues, lines and clocks of LDS, of 456 in all: 240, 132, 68, 4
HEADER_LINES = HEAD + f""" Share    Executed      Lines     Needed  Conflicts  Lanes  Source
 52.6%          80        160        160              64.0  k.hip:7  line 7;
{INDENT}^ spill inside a loop, 2 deep: scratch is read 40 times   buffer_load_dword v9, off, s[0:3], 0 offset:4
 28.9%           4        128         16              64.0  k.hip:3  out[x] = in[?[31my];
{INDENT}^ uncoalesced: 32 lines touched, 4 needed   global_load_dword v1, v[4:5], off
 14.9%           4                               56   64.0  k.hip:4  line 4;
{INDENT}^ 8-way LDS conflict: 16 clocks, 2 needed   ds_write_b32 v3, v1
  0.9%           4                                    64.0  k.hip:1  line 1;
  0.9%           4                                    21.0  k.hip:5  line 5;
{INDENT}^ 21 of 64 lanes active   v_mul_f32_e32 v0, v1, v1
  0.9%           4                                    64.0  k.hip:6  line 6;
{INDENT}^ waves part here: 3 of 4 went on with some lanes only   s_and_saveexec_b64 s[0:1], vcc
  0.9%           4                                    64.0  (no line)
"""
# what was inlined stands beneath the line that has its cost
LINES = HEAD + f""" Share    Executed      Lines     Needed  Conflicts  Lanes  Source
 52.6%          80        160        160              64.0  k.hip:7  line 7;
{INDENT}^ spill inside a loop, 2 deep: scratch is read 40 times   buffer_load_dword v9, off, s[0:3], 0 offset:4
 29.8%           8        128         16              42.5  k.hip:3  out[x] = in[?[31my];
{INDENT}^ uncoalesced: 32 lines touched, 4 needed   global_load_dword v1, v[4:5], off
{INDENT}^ 21 of 64 lanes active   v_mul_f32_e32 v0, v1, v1  at k.hip:5
  0.9%           4                                    21.0    square k.hip:5  line 5;
 14.9%           4                               56   64.0  k.hip:4  line 4;
{INDENT}^ 8-way LDS conflict: 16 clocks, 2 needed   ds_write_b32 v3, v1
  0.9%           4                                    64.0  k.hip:1  line 1;
  0.9%           4                                    64.0  k.hip:6  line 6;
{INDENT}^ waves part here: 3 of 4 went on with some lanes only   s_and_saveexec_b64 s[0:1], vcc
  0.9%           4                                    64.0  (no line)
"""


def in_columns(text, start):
    """Rows of the table behind its head, without the sentences: what stands in the last column."""
    rows = text.split("\n\n")[1].splitlines()
    return [row[start:] for row in rows[1:] if row[:1] == " " and row[5:6] == "%"]


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(f"{folder}/a")
    path = make(f"{folder}/a/x_results.db")
    check(run("--kernel", "^scale", path), LINES + "\n", "lines")
    check(run("--kernel", "^scale", "--header-lines", path), HEADER_LINES + "\n", "each by its own line")

    # by instruction: in order, loops indented, lines as headings, with what was inlined
    by = run("--kernel", "^scale", "--by", "instruction", folder)
    check([row.strip() for row in in_columns(by, 60)],
          ["000000  s_load_dword s0, s[4:5], 0x0", "000008  global_load_dword v1, v[4:5], off",
           "000010  ds_write_b32 v3, v1", "000018  v_mul_f32_e32 v0, v1, v1",
           "000020  s_and_saveexec_b64 s[0:1], vcc", "000028  buffer_load_dword v9, off, s[0:3], 0 offset:4",
           "000030  s_cbranch_scc0 65530", "000038  s_endpgm"], "instructions")
    check("k.hip:3  out[x] = in[?[31my];  (square k.hip:5)\n" in by, True, f"what was inlined in {by}")
    by = run("--kernel", "^scale", "--by", "instruction", "--header-lines", folder)
    check("k.hip:5  line 5;  (square inlined at k.hip:3)\n" in by, True, f"what was inlined in {by}")
    check([len(row) - len(row.lstrip()) for row in in_columns(by, 60)], [0] * 5 + [4, 4, 0], "depths")
    blocks = run("--kernel", "^scale", "--by", "block", folder)
    check(in_columns(blocks, 60), ["block 0x0, 5 instructions  k.hip:1",
                                   "    block 0x28, 2 instructions  loop at 0x28, 2 deep  k.hip:7",
                                   "block 0x38, 1 instruction"], "blocks")
    functions = run("--kernel", "^scale", "--by", "function", folder)
    check([row.split()[0] for row in in_columns(functions, 60)], ["k", "square"], "functions")
    check(in_columns(run("-k", "^scale", "--by", "line", "--sort", "order", path), 60)[0], "(no line)", "in order")
    few = run("-k", "^scale", "--limit", "2", path)
    # two lines, and what was inlined in the second
    check((len(in_columns(few, 60)), "  4 more (--limit 0 shows all)\n" in few), (3, True), "a limit")
    isa = run("-k", "^scale", "--limit", "1", "--isa", path)
    check([row.split()[-1] for row in in_columns(isa, 60)], ["7;", "offset:4", "65530"], "a line's instructions")

    # every kernel, the one with most work first; what would steer a terminal does not get through
    both = run(folder)
    check([both.index("scale(float*)\n") < both.index("other?]0;x?(int)\n"), "\x1b" in both, "\x07" in both],
          [True, False, False], "both kernels")
    check("\x1b[31m" in run("--color", "always", path), True, "colours")

    # without lines: by block, and how to get lines
    os.mkdir(f"{folder}/b")
    bare = make(f"{folder}/b/x_results.db", lines=False)
    text = run("-k", "^scale", bare)
    check([row.split(",")[0].strip() for row in in_columns(text, 60)], ["block 0x0", "block 0x28", "block 0x38"], "bare")
    check("  no source lines: compile with -gline-tables-only, which changes no code\n" in text, True, "how to get lines")

    # the model's clocks, where they were counted
    os.mkdir(f"{folder}/c")
    # 104 are 112 of 1024 for waves of 32, 104 of 512 for those of 64
    for number, (wave, waves, more) in enumerate(((32, 8, "2 waves more with 96"), (64, 4, "one wave more with 96"))):
        os.mkdir(f"{folder}/w{number}")
        pairs = make(f"{folder}/w{number}/x_results.db", facts={"wave_size": wave, "wgp_mode": 1})
        told = f"  occupancy: {waves} of 16 waves on a SIMD, limited by VGPRs: {more} VGPRs or fewer"
        check(told in run("-k", "^scale", pairs).splitlines(), True, f"occupancy of waves of {wave}: {run('-k', '^scale', pairs)[:600]}")
    clocks = run("-k", "^scale", make(f"{folder}/c/x_results.db", modelled=1))
    check("100.0%          80        160        160              64.0        9,040" in clocks, True, f"clocks in {clocks}")
    check("^ 225 clocks of waiting for LDS (model)   s_cbranch_scc0 65530" in clocks, True, f"the wait in {clocks}")

    # what was inlined and costs next to nothing is counted together, unless it is one or all is asked for
    os.mkdir(f"{folder}/s")
    small = Counted(f"{folder}/s/x_results.db", schema)
    small.tables()
    small.dispatch("small(int)")
    small.own("counted", kernel_id=small.kernels["small(int)"], dispatches=1, waves=1, lost=0, modelled=0)
    for n, (line, issued, chain) in enumerate(((5, 6, [("f", 3)]), (6, 6, [("f", 3)]), (7, 688, [("f", 3)]), (3, 300, []),
                                               (8, 6, [("g", 9), ("f", 4)]), (4, 694, []))):
        inlined = json.dumps([{"function": name, "file": "/src/k.hip", "line": at} for name, at in chain])
        small.instruction("small(int)", 8 * n, "v_nop", line, issued=issued, lanes=64 * issued, inlined=inlined)
    table = run(small.close()).split("\n\n")[1].splitlines()[1:]
    shown = [line[60:] for line in table]
    check(shown, ["k.hip:3", "  f k.hip:7", "  + 2 of less than 1 % (--limit 0 shows all)", "k.hip:4", "  f k.hip:9 > g k.hip:8"],
          "small ones")
    check(len(in_columns(run("--limit", "0", f"{folder}/s"), 60)), 6, "all of them")

    # idle lanes are those of the kernel's waves: as its code says, or its descriptor, or as compilers take for its GPU
    for name, gpu, items, compiled, told in (
            ("w", "gfx1100", 32, None, "10 of 32 lanes active"), ("x", "gfx1100", 64, None, "10 of 64 lanes active"),
            ("y", "gfx1030", None, None, "10 of 32 lanes active"), ("u", "gfx90a", 1, None, "10 of 64 lanes active"),
            ("v", "gfx1030", 0xffffffff, None, "10 of 32 lanes active"),  # no size of a wave
            ("idle1", "gfx1030", None, 64, "10 of 64 lanes active"), ("idle2", "gfx1030", 0, 64, "10 of 64 lanes active"),
            ("idle3", "gfx1030", 32, 64, "10 of 32 lanes active"), ("idle4", "gfx1030", None, 48, "10 of 32 lanes active")):
        os.mkdir(f"{folder}/{name}")
        narrow = Counted(f"{folder}/{name}/x_results.db", schema)
        narrow.tables()
        narrow.dispatch("narrow(int)", facts={"wave_size": compiled} if compiled else None)
        narrow.own("counted", kernel_id=narrow.kernels["narrow(int)"], dispatches=1, waves=1, lost=0, modelled=0)
        narrow.own("kernel_code", kernel_id=narrow.kernels["narrow(int)"], gpu=gpu, vgpr_spills=0, sgpr_spills=0,
                   wave_items=items, parameters="[]")
        narrow.instruction("narrow(int)", 0, "v_add_f32_e32 v0, v1, v1", 5, issued=4, lanes=40)
        narrow.instruction("narrow(int)", 8, "v_add_f32_e32 v0, v1, v2", 6, issued=4, lanes=17 * 4)
        text = run(narrow.close())
        check(told in text, True, f"{told} in {text}")
        check("17 of" in text, "of 64" in told, f"more than half of them in {text}")

    # sources elsewhere; none at all
    os.mkdir(f"{folder}/d")
    with open(f"{folder}/d/k.hip", "w") as file:
        file.write("first\nsecond\nmoved\n")
    old = make(f"{folder}/d/x_results.db")

    with sqlite3.connect(old) as base:
        base.execute("DROP VIEW crocprof_source")
    check("k.hip:3  moved\n" in run("--source-path", "/other=/x", "--source-path", f"/src={folder}/d", old), True, "moved")
    check("k.hip:3\n" in run("--source-path", f"/sr={folder}/d", old), True, "a part of a folder's name is none")

    # a pager is asked for where there is a terminal
    def on_terminal(**variables):
        master, slave = pty.openpty()
        done = subprocess.Popen([f"{build}/bin/rocprofv3", "annotate", "-k", "^scale", path], stdout=slave, stderr=slave,
                                env={**os.environ, **variables})
        os.close(slave)
        told = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:
                break
            if not more:
                break
            told += more
        os.close(master)
        return done.wait(60), told.decode()

    check(on_terminal(PAGER="")[0], 0, "without a pager")
    check("\x1b[1mscale(float*)" in on_terminal(PAGER="")[1], True, "a terminal's colours")
    check("PAGED \x1b[1mscale" in on_terminal(PAGER="sed 's/^/PAGED /'")[1], True, "a pager")
    check(on_terminal(PAGER="true")[0], 0, "a pager that is left at once")

    # what cannot be shown
    os.mkdir(f"{folder}/e")
    plain = Database(f"{folder}/e/x_results.db", schema)
    plain.dispatch("k(int)")
    check("--instruction-counts" in run(plain.close(), status=1), True, "nothing was counted")
    check("2 others had" in run("-k", "nothing", path, status=1), True, "no such kernel")
    for words in (["--by", "page"], ["--limit", "x"], ["-k", "("], ["--source-path", "x"]):
        check(words[0].lstrip("-")[:1] in run(*words, path, status=1), True, f"{words}")
    run("/nonexistent.db", status=1)
    with open("/dev/full", "w") as full:
        done = subprocess.run([f"{build}/bin/rocprofv3", "annotate", path], stdout=full, stderr=subprocess.PIPE, text=True)
    check((done.returncode, "No space left" in done.stderr), (1, True), "a full disk")
