"""Accesses that nothing orders; see corpus.py."""
import unittest

import corpus

SOME = range(1, 5)  # each of a pair may be first, and a line may be several instructions
LDS = "race in LDS of 4 bytes, lane "
GLOBAL = "race of 4 bytes, lane "
INSIDE = "bytes inside the 4096 bytes that hipMalloc gave out at"
ONE = "1 lane of this wave"


def lds(name, lanes=None, count=SOME):
    return corpus.Bug({"race-lds": count}, LDS, "bug: " + name, lanes, "of the workgroup's LDS", other="also: " + name)


def memory(name, lanes=None, count=SOME, head=GLOBAL, other="also: "):
    return corpus.Bug({"race-global": count}, head, "bug: " + name, lanes, INSIDE, "made: allocate",
                      other=other + name)


BUGS = {
    "reduction": lds("reduction"),
    # a wave's rows, of which there are four or two, of each as many columns of another's
    "transpose": lds("transpose", "16 lanes of this wave" if corpus.WAVE == 64 else "4 lanes of this wave"),
    "scan": lds("scan"),
    "producer": lds("producer", "64 lanes of this wave", 1),
    "reuse": lds("reuse", "64 lanes of this wave"),
    "double-buffer": lds("double-buffer", "64 lanes of this wave"),
    "lds-histogram": corpus.Bug({"race-lds": SOME}, LDS, "bug: lds-histogram", place="of the workgroup's LDS"),
    "lds-atomic": lds("lds-atomic"),
    "lds-clear": lds("lds-clear", "8 lanes of this wave", 1),
    "lds-flag": lds("lds-flag", ONE),
    "broadcast": lds("broadcast"),
    "volatile-flag": lds("volatile-flag", ONE),
    "lds-begun": lds("lds-begun", "64 lanes of this wave"),
    "lds-lock": lds("lds-lock", ONE),
    "straight": lds("straight", "64 lanes of this wave"),
    "through-memory": memory("through-memory", "64 lanes of this wave"),
    "stencil": memory("stencil", ONE),
    "histogram": memory("histogram", other="bug: "),
    "boundary": memory("boundary", ONE, 1, other="bug: "),
    "last-block": memory("last-block", ONE, head="race of "),
    "look-back": memory("look-back", ONE),
    "grid": memory("grid", "64 lanes of this wave"),
    "ticket": memory("ticket", ONE, other="bug: "),
    "unlock": memory("unlock", ONE, other="bug: "),
    "atomic-plain": memory("atomic-plain", ONE),
    "variable": corpus.Bug({"race-global": SOME}, GLOBAL, "bug: variable", ONE,
                           "is 0 bytes inside the 4 bytes of the variable total"),
    "streams": memory("streams", "64 lanes of this wave"),
    "surface": corpus.Bug({"race-global": SOME}, GLOBAL, "bug: surface", "64 lanes of this wave",
                          "bytes inside the 32768 bytes that hsa_amd_memory_pool_allocate gave out at", "made: surface",
                          other="bug: surface"),
}

RIGHT = ("locked", "locked-waves", "waiting-wave", "largest", "sum-far", "found-by-many", "bytes", "byte-flags",
         "byte-flags-of-waves", "same-row", "stored-straight", "same-colour")
if corpus.WAVE == 32:
    del BUGS["straight"]  # its descriptor is gfx9's, and it takes waves to have 64 lanes
if corpus.NO_IMAGES:
    del BUGS["surface"]
    RIGHT = RIGHT[:-1]


class Idioms(unittest.TestCase):
    def test_what_is_no_race(self):
        corpus.nothing_is_wrong(self, RIGHT, ("--check=race",))


corpus.main(BUGS, ("--check=race",), streams=("streams",))
