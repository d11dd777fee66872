"""What is wrong in code of gfx12; see corpus.py. The programs are for gfx1201 alone."""
import corpus

LOAD = "register used while a load is outstanding, wave 0, group (0,0,0)"
COPY = "SGPR used while its new value is outstanding, wave 0, group (0,0,0)"
LANES = "64 lanes of this wave"  # all of a wave: corpus.in_waves()


def waits(name, register, counter):
    return corpus.Bug({"hazard-wait": 1}, LOAD, "bug: " + name, None,
                      f"{register} is read; of 1 operation outstanding 0 came after its own: {corpus.wait_for(counter)} waits for it",
                      other="first: " + name)


def copies(name, register, field):
    return corpus.Bug({"hazard-alu": 1}, COPY, "bug: " + name, None,
                      f"{register} is read, and the vector ALU has a copy of its old value: s_wait_alu depctr_{field}(0) waits for the "
                      "new one (LLVM)", other="first: " + name)


BUGS = {
    "other-counter": waits("other-counter", "v40", "loads"),
    "other-scalar": waits("other-scalar", "s40", "scalars"),
    "of-two": waits("of-two", "v42", "LDS"),
    "signal-early": corpus.Bug({"hazard-lds": 1}, "read of LDS that has not been written for sure, lane 0 of wave", "bug: signal-early",
                               LANES, "the write was outstanding when its wave came to the barrier: s_wait_dscnt before "
                               "s_barrier_signal waits for it", other="first: signal-early"),
    "no-wait": corpus.Bug({"race-lds": range(1, 3)}, "race in LDS of 4 bytes, lane ", "bug: no-wait", LANES, "of the workgroup's LDS",
                          other="also: no-wait"),
    "copy-salu": copies("copy-salu", "s40", "sa_sdst"),
    "copy-valu": copies("copy-valu", "s40", "va_sdst"),
    "copy-vcc": copies("copy-vcc", "vcc_lo", "va_vcc"),
}

corpus.main(BUGS, options=("--check=race,sync,hazard,memory",))
