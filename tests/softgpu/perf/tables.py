"""Two GPUs' counters as C: tables.py GEN_SOFTGPU_COUNTERS GEN_CACHE_EVENTS.

What the generators write of two small sets of tables is compared with what was worked out by hand: a block or a counter that
both GPUs have is one name, each GPU has numbers of its own, and an event that is no number is refused."""
import pathlib, subprocess, sys, tempfile

GPUS = "gpu\tfamily\tblocks\nold\tgfx9\told\nnew\tgfx10\tnew\nother\tgfx10\tnew\nunknown\t-\t-\n"
BLOCKS = "gpu\tblock\tid\tscope\tinstances\tslots\tmax_event\tflags\tspm\n"
REGISTERS = "family\tblock\tinstance\tslot\tselect\tcounter_lo\tcounter_hi\tselect1\n"
COUNTERS = "block\tcounter\tevents\tset\tmeaning\n"
SOFT = "counter\tclass\thow\n"
TABLES = {
    "gpus/architectures": GPUS,
    "aqlprofile/blocks": BLOCKS + """\
old	SQ	6	se	1	8	9	sq	9
old	SQ_CS	7	se	1	8	9	sq,alias	-
old	TCC	12	gpu	32	4	99	texture	-
old	ATC	21	gpu	1	4	99	aid	-
old	GCEA	23	gpu	1	4	99	mc,cp	-
new	TCC	12	gpu	16	4	99	texture	4
new	MALL	15	gpu	2	4	99	-	-
""",
    "aqlprofile/registers": REGISTERS + """\
gfx9	SQ	0	0	0xd9c0	0xd1c0	0xd1c1	-
gfx9	SX	0	0	1	2	3	-
gfx10	TCC	0	3	7	8	9	10
gfx10	TCC	1	3	11	12	13	14
""",
    "counters/counters": COUNTERS + """\
SQ	SQ_WAVES	4:old	x	waves
TCC	TCC_HIT	17:old 18:new	x	hits
CPC	CPC_X	1:old	x	never
TCC	TCC_NEW	19:gfx10	x	new
""",
    "counters/old-softgpu": SOFT + "SQ_WAVES\texact\tcounted\nTCC_HIT\tcache-model\tcounted\nCPC_X\texact\t0: never\n",
    "counters/new-softgpu": SOFT + "TCC_HIT\tcache-model\tcounted\nTCC_NEW\ttiming-model\tcounted\n",
}
WANT = """\
#ifdef SG_BLOCK_NAME
SG_BLOCK_NAME(SQ)
SG_BLOCK_NAME(TCC)
SG_BLOCK_NAME(MALL)
#undef SG_BLOCK_NAME
#endif
#ifdef SG_BLOCK
SG_TABLE(old)
SG_BLOCK(SQ, 6, 1, 1, 8)
SG_BLOCK(TCC, 12, 32, 0, 4)
SG_TABLE_END
SG_TABLE(new)
SG_BLOCK(TCC, 12, 16, 0, 4)
SG_BLOCK(MALL, 15, 2, 0, 4)
SG_TABLE_END
#undef SG_BLOCK
#endif
#ifdef SG_STREAMED
SG_TABLE(old)
SG_STREAMED(SQ, 1, 9)
SG_TABLE_END
SG_TABLE(new)
SG_STREAMED(TCC, 0, 4)
SG_TABLE_END
#undef SG_STREAMED
#endif
#ifdef SG_REGISTER
SG_TABLE(old)
SG_REGISTER(SQ, 0, 0xd9c0, 0xd1c0, 0xd1c1, 0)
SG_TABLE_END
SG_TABLE(new)
SG_REGISTER(TCC, 3, 7, 8, 9, 10)
SG_TABLE_END
#undef SG_REGISTER
#endif
#ifdef SG_COUNTER
SG_TABLE(old)
SG_COUNTER(old, SQ, SQ_WAVES, 4, EXACT, "counted")
SG_COUNTER(old, TCC, TCC_HIT, 17, CACHE, "counted")
SG_COUNTER(old, CPC, CPC_X, 1, EXACT, "0: never")
SG_TABLE_END
SG_TABLE(new)
SG_COUNTER(new, TCC, TCC_HIT, 18, CACHE, "counted")
SG_COUNTER(new, TCC, TCC_NEW, 19, TIMING, "counted")
SG_TABLE_END
#undef SG_COUNTER
#endif
"""
EVENTS = """\
#ifdef SGC_COUNTER
SGC_COUNTER(SQ_WAVES)
SGC_COUNTER(TCC_HIT)
SGC_COUNTER(TCC_NEW)
#undef SGC_COUNTER
#endif
#ifdef SGC_NUMBER
SGC_TABLE(old)
SGC_NUMBER(old, SQ_WAVES, 4)
SGC_NUMBER(old, TCC_HIT, 17)
SGC_TABLE_END
SGC_TABLE(new)
SGC_NUMBER(new, TCC_HIT, 18)
SGC_NUMBER(new, TCC_NEW, 19)
SGC_TABLE_END
#undef SGC_NUMBER
#endif
"""


def run(script, folder):
    out = folder / "out.inc"
    done = subprocess.run([sys.executable, script, str(folder), str(out), "old", "new"], capture_output=True, text=True)
    return done.stderr, "".join(out.read_text().splitlines(keepends=True)[1:]) if not done.returncode else ""


def main():
    counters, events = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for table, text in TABLES.items():
            (folder / table).parent.mkdir(exist_ok=True)
            (folder / f"{table}.tsv").write_text(text)
        assert run(counters, folder) == ("", WANT)
        assert run(events, folder) == ("", EVENTS)
        table = folder / "counters/counters.tsv"
        for text, why in (("TCC_HIT\tx:new", '"x" is no event number'), ("TCC_HIT\t1", '"1" is no event number'),
                          ("TCC_HIT\t1:old,gfx7", '"gfx7" is no GPU with counters, and no family of them'),
                          ("TCC_HIT\t1:unknown", '"unknown" is no GPU with counters, and no family of them')):
            table.write_text(COUNTERS + f"TCC\t{text}\tx\thits\n")
            assert run(events, folder) == (f"{table}:2: {why}\n", "")
        table.write_text(TABLES["counters/counters"])
        (folder / "counters/new-softgpu.tsv").write_text(SOFT + "NONE\texact\tcounted\n")
        assert run(events, folder) == (f"{folder}/counters/new-softgpu.tsv: NONE is no counter of new\n", "")
        (folder / "counters/new-softgpu.tsv").unlink()
        assert run(counters, folder)[0].startswith(f"{folder}/counters/new-softgpu.tsv does not exist")


if __name__ == "__main__":
    main()
