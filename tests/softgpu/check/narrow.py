"""What is wrong in waves of 32 lanes, of gfx10 and later; see corpus.py."""
import corpus

LOAD = "register used while a load is outstanding, wave 0, group (0,0,0)"
LANES = "64 lanes of this wave"  # all of a wave: corpus.in_waves()
EXEC = "a condition of what nobody has written, lane 0 of wave 0, group (0,0,0)"


def waits(name, register, counter, behind=0):
    place = (f"{register} is read; of {behind + 1} operation{'s' if behind else ''} outstanding {behind} came after its own: "
             f"{corpus.wait_for(counter, behind)} waits for it")
    return corpus.Bug({"hazard-wait": 1}, LOAD, "bug: " + name, None, place, other="first: " + name)


def lanes(name, place, which=LANES):
    return corpus.Bug({"uninitialized-condition": 1}, EXEC, "bug: " + name, which, place)


BUGS = {
    "counted-apart": waits("counted-apart", "v40", "loads"),
    "returned": waits("returned", "v40", "loads"),
    "scalar-count": waits("scalar-count", "s40", "scalars"),
    "sixteen": waits("sixteen", "v40", "LDS", 16),
    "high-half": waits("high-half", "vcc_hi", "scalars"),
    "barrier-early": corpus.Bug({"hazard-lds": 1}, "read of LDS that has not been written for sure, lane 0 of wave", "bug: barrier-early",
                                LANES, "the write was outstanding when its wave came to the barrier", other="first: barrier-early"),
    "relative": lanes("relative", "the wave has never written v41"),
    "relative-to": lanes("relative-to", "the wave has never written v41"),
    "half-kept": lanes("half-kept", "the wave has never written v40", "1 lane of this wave"),
    "low-half": corpus.Bug({"uninitialized-branch": 1}, "a branch by a value that nobody has written, lane 0 of wave 0", "bug: low-half",
                           LANES, "the wave has never written VCC"),
    "one-register": lanes("one-register", "the wave has never written s40"),
    "beyond": corpus.Bug({"invalid-write": 1}, "invalid write of 4 bytes, lane 40 of wave 3, group (3,0,0)", "bug: beyond",
                         "24 lanes of this wave", "is 0 bytes after the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    "two-waves": corpus.Bug({"race-lds": range(1, 5)}, "race in LDS of 4 bytes, lane ", "bug: two-waves", LANES,
                            "of the workgroup's LDS", other="also: two-waves"),
    "published": corpus.Bug({"race-global": range(1, 5)}, "race of 4 bytes, lane ", "bug: published", "1 lane of this wave",
                            "bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate", other="also: published"),
}

corpus.main(BUGS, options=("--check=all",))
