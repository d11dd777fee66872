"""Two GPUs' counters as C: tables.py GEN_SOFTGPU_COUNTERS GEN_CACHE_EVENTS.

What the generators write of two small sets of tables is compared with what was worked out by hand: a block or a counter that
both GPUs have is one name, each GPU has numbers of its own, and an event that is no number is refused."""
import pathlib, subprocess, sys, tempfile

GPUS = "gpu\tfamily\tblocks\nold\tgfx9\told\nnew\tgfx10\tnew\nother\tgfx10\tnew\nunknown\t-\t-\n"
BLOCKS = "gpu\tblock\tid\tscope\tinstances\tslots\tmax_event\tflags\tselect\tspm\n"
REGISTERS = "family\tblock\tinstance\tslot\tselect\tcounter_lo\tcounter_hi\tselect1\n"
COUNTERS = "block\tcounter\tevents\tset\tmeaning\n"
SOFT = "counter\tgpus\tclass\thow\n"
TABLES = {
    "gpus/architectures": GPUS,
    "aqlprofile/blocks": BLOCKS + """\
old	SQ	6	se	1	8	9	sq	0xf000	9
old	SQ_CS	7	se	1	8	9	sq,alias	0xf000	-
old	TCC	12	gpu	32	4	99	texture	0x0	-
old	ATC	21	gpu	1	4	99	aid,unlisted	0x0	-
old	GCEA	23	gpu	1	4	99	mc,cp	0x0	-
new	TCC	12	gpu	16	4	99	texture	0x0	4
new	MALL	15	gpu	2	4	99	-	0x0	-
new	SQ	6	wgp	1	8	9	sq	0x0	-
new	GL1C	27	sa	4	4	9	texture	0x0	-
""",
    "aqlprofile/registers": REGISTERS + """\
gfx9	SQ	0	0	0xd9c0	0xd1c0	0xd1c1	-
gfx9	SX	0	0	1	2	3	-
gfx10	TCC	0	3	7	8	9	10
gfx10	TCC	1	3	11	12	13	14
gfx10	SQ	0	0	20	21	-	-
""",
    "counters/counters": COUNTERS + """\
SQ	SQ_WAVES	4:old	x	waves
TCC	TCC_HIT	17:old 18:new	x	hits
CPC	CPC_X	1:old	x	never
TCC	TCC_NEW	19:gfx10	x	new
TCC	TCC_NEWER	19:new	x	the same
TCC	TCC_UNKNOWN	20:new	x	what softgpu does not count
""",
    "counters/softgpu": SOFT + """\
SQ_WAVES	old	exact	counted
TCC_HIT	old,new	cache-model	counted
CPC_X	old	exact	0: never
TCC_NEW	new	timing-model	counted
TCC_NEWER	new	timing-model	counted
""",
}
WANT = """\
#ifdef SG_BLOCK_NAME
SG_BLOCK_NAME(SQ)
SG_BLOCK_NAME(TCC)
SG_BLOCK_NAME(MALL)
SG_BLOCK_NAME(GL1C)
#undef SG_BLOCK_NAME
#endif
#ifdef SG_COUNTER_NAME
SG_COUNTER_NAME(SQ_WAVES)
SG_COUNTER_NAME(TCC_HIT)
SG_COUNTER_NAME(CPC_X)
SG_COUNTER_NAME(TCC_NEW)
SG_COUNTER_NAME(TCC_NEWER)
SG_COUNTER_NAME(TCC_UNKNOWN)
#undef SG_COUNTER_NAME
#endif
#ifdef SG_BLOCK
SG_TABLE(old)
SG_BLOCK(SQ, 6, 1, SE, 8, 0xf000)
SG_BLOCK(TCC, 12, 32, GPU, 4, 0x0)
SG_TABLE_END
SG_TABLE(new)
SG_BLOCK(TCC, 12, 16, GPU, 4, 0x0)
SG_BLOCK(MALL, 15, 2, GPU, 4, 0x0)
SG_BLOCK(SQ, 6, 1, WGP, 8, 0x0)
SG_BLOCK(GL1C, 27, 4, SA, 4, 0x0)
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
SG_REGISTER(SQ, 0, 20, 21, 0, 0)
SG_TABLE_END
#undef SG_REGISTER
#endif
#ifdef SG_EVENT
SG_TABLE(old)
SG_EVENT(old, SQ, SQ_WAVES, 4, SG_SAYS_COUNTED)
SG_EVENT(old, TCC, TCC_HIT, 17, SG_SAYS_COUNTED)
SG_EVENT(old, CPC, CPC_X, 1, SG_SAYS_ZERO)
SG_TABLE_END
SG_TABLE(new)
SG_EVENT(new, TCC, TCC_HIT, 18, SG_SAYS_COUNTED)
SG_EVENT(new, TCC, TCC_NEW, 19, SG_SAYS_COUNTED)
SG_EVENT(new, TCC, TCC_UNKNOWN, 20, SG_SAYS_NONE)
SG_TABLE_END
#undef SG_EVENT
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
SG_COUNTER(new, TCC, TCC_NEWER, 19, TIMING, "counted")
SG_TABLE_END
#undef SG_COUNTER
#endif
"""
EVENTS = """\
#ifdef SGC_COUNTER
SGC_COUNTER(SQ_WAVES)
SGC_COUNTER(TCC_HIT)
SGC_COUNTER(TCC_NEW)
SGC_COUNTER(TCC_NEWER)
SGC_COUNTER(TCC_UNKNOWN)
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
SGC_NUMBER(new, TCC_NEWER, 19)
SGC_NUMBER(new, TCC_UNKNOWN, 20)
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
        table = folder / "counters/softgpu.tsv"
        for text, why in (("NONE\tnew\texact\tcounted\n", "NONE is no counter of new"),
                          ("TCC_HIT\told\texact\tcounted\n" * 2, "TCC_HIT stands twice for old"),
                          ("TCC_HIT\tgfx7\texact\tcounted\n", '"gfx7" is no GPU with counters, and no family of them')):
            table.write_text(SOFT + text)
            assert run(events, folder) == (f"{table}:{1 + text.count(chr(10))}: {why}\n", "")
        table.write_text(SOFT + "TCC_HIT\told\texact\tcounted\n")
        assert run(counters, folder)[0].startswith(f"{table} has no row for new: ")


if __name__ == "__main__":
    main()
