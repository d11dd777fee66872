"""What is wrong in code of gfx11 and gfx12; see corpus.py."""
import corpus

LOAD = "register used while a load is outstanding, wave 0, group (0,0,0)"
STATES = "too few wait states between two instructions, wave 0, group (0,0,0)"
EXEC = "a condition of what nobody has written, lane 0 of wave 0, group (0,0,0)"
LANES = "64 lanes of this wave"  # all of a wave: corpus.in_waves()
ROW_5 = 0 if corpus.OWN_WAITS else 16  # the first lane that has row 5 of a product of matrices


def waits(name, place):
    return corpus.Bug({"hazard-wait": 1}, LOAD, "bug: " + name, None,
                      f"{place}; of 1 operation outstanding 0 came after its own: {corpus.wait_for('loads')} waits for it",
                      other="first: " + name)


def states(name, place):
    return corpus.Bug({"hazard-nop": 1}, STATES, "bug: " + name, None, place, other="first: " + name)


def unwritten(name, register, head=EXEC, lanes=LANES):
    return corpus.Bug({"uninitialized-condition": 1}, head, "bug: " + name, lanes, "the wave has never written " + register)


BUGS = {
    "second-reads": waits("second-reads", "v40 is read"),
    "second-writes": waits("second-writes", "v41 is written"),
    "delayed": waits("delayed", "v40 is read"),
    "other-half": waits("other-half", "v40, whose upper half is being loaded, is read"),
    "transcendental": states("transcendental", "a transcendental result is read by VALU, unless s_waitcnt_depctr va_vdst(0) waits for it, v40: "
                             "6 wait states needed, 0 had (LLVM)"),
    "matrix": states("matrix", "a matrix instruction, A, B or the indices of the next are its result, v40: 1 wait state needed, 0 had "
                     "(ISA 7.9 of RDNA 3, LLVM)"),
    "second-unwritten": unwritten("second-unwritten", "v41"),
    "exchanged": unwritten("exchanged", "v41"),
    "upper-half": unwritten("upper-half", "v40"),
    "half-sum": unwritten("half-sum", "v40"),
    "matrix-unwritten": unwritten("matrix-unwritten", "v64", lanes="16 lanes of this wave",
                                  head=f"a condition of what nobody has written, lane {ROW_5} of wave 0, group (0,0,0)"),
}
if corpus.GPU != "rx7900xtx":  # of gfx11 and gfx12 its hardware alone does not wait for such results
    del BUGS["transcendental"]

corpus.main(BUGS, options=("--check=init,hazard,memory",))
