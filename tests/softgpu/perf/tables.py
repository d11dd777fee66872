"""Two GPUs' counters as C: tables.py GEN_SOFTGPU_COUNTERS GEN_CACHE_EVENTS.

What the generators write of two small sets of tables is compared with what was worked out by hand: a block or a counter that
both GPUs have is one name, each GPU has numbers of its own, and an event that is no number is refused."""
import pathlib, subprocess, sys, tempfile

BLOCKS = "block\tid\tinstances\tper_se\tslots\tspm\n"
REGISTERS = "block\tslot\tselect\tcounter_lo\tcounter_hi\tselect1\n"
COUNTERS = "block\tcounter\tevent\tclass\thow\n"
TABLES = {
    "old-blocks": BLOCKS + "SQ\t6\t1\t1\t8\t9\nTCC\t12\t32\t0\t4\t-\n",
    "old-perf-registers": REGISTERS + "SQ\t0\t0xd9c0\t0xd1c0\t0xd1c1\t-\nSX\t0\t1\t2\t3\t-\n",
    "old-counters": COUNTERS + "SQ\tSQ_WAVES\t4\texact\tcounted\nTCC\tTCC_HIT\t17\tcache-model\tcounted\nCPC\tCPC_X\t1\texact\t0: never\n",
    "new-blocks": BLOCKS + "TCC\t12\t16\t0\t4\t4\nMALL\t15\t2\t0\t4\t-\n",
    "new-perf-registers": REGISTERS + "TCC\t3\t7\t8\t9\t10\n",
    "new-counters": COUNTERS + "TCC\tTCC_HIT\t18\tcache-model\tcounted\nTCC\tTCC_NEW\t19\ttiming-model\tcounted\n",
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
            (folder / f"{table}.tsv").write_text(text)
        assert run(counters, folder) == ("", WANT)
        assert run(events, folder) == ("", EVENTS)
        (folder / "new-counters.tsv").write_text(COUNTERS + "TCC\tTCC_HIT\tx\tcache-model\tcounted\n")
        assert run(events, folder) == (f'{folder}/new-counters.tsv:2: "x" is no event number\n', "")


if __name__ == "__main__":
    main()
