"""What walk.py knows of a GPU: how memory instructions are counted, what waits for which counter, and wait states.

Each GPU is a row of GPUS. Facts are of AMD's ISA documents and of LLVM's SIInsertWaitcnts and hazard recognizer. Nothing here is shared with
the checker, which it is held against.
"""
import collections
import itertools
import re

import states
from states import ANY, FLAT, LDS

# Kinds of memory instructions. Atomic operations that return something are loads, others are stores.
LOAD, STORE, SAMPLE, BVH, FLAT_STORE = "load", "store", "sample", "bvh", "flat store"

# How a kind is counted. counts: {counter: queue}; a counter goes down in the order of issue for all that is in a queue, and in any order
# for what is in none (None). lands: {counter: queue} of the same, in which registers are written; what comes later to the same queues may
# write a register that is being loaded. follows: the queues that it is later in.
Row = collections.namedtuple("Row", "counts lands follows")


def row(counts, lands=None, follows=None):
    lands = counts if lands is None else lands
    return Row(counts, lands, lands if follows is None else follows)


def vector(counter, *queues):
    """Of vector memory: the queue of the counter, and that of the registers."""
    return row({counter: queues[0]}, {counter: queues[-1]})


GFX9 = {**{kind: vector("vmcnt", "vm") for kind in (LOAD, STORE, SAMPLE, BVH)},
        **{kind: row({"vmcnt": None, "lgkmcnt": None}, {"vmcnt": "vm", "lgkmcnt": None}, {}) for kind in (FLAT, FLAT_STORE)},
        LDS: row({"lgkmcnt": "lds"}), ANY: row({"lgkmcnt": None})}

# FLAT is in order with what else each of its counters counts. Registers come in order within a kind of vector memory.
GFX10 = {LOAD: vector("vmcnt", "loads"), SAMPLE: vector("vmcnt", "loads", "samples"), BVH: vector("vmcnt", "loads", "rays"),
         STORE: vector("vscnt", "stores"), LDS: row({"lgkmcnt": "lds"}), ANY: row({"lgkmcnt": None}),
         FLAT: row({"vmcnt": "loads", "lgkmcnt": "lds"}), FLAT_STORE: row({"vscnt": "stores", "lgkmcnt": "lds"})}

# Vector memory of gfx1200 and gfx1201 may write registers in any order.
GFX12 = {LOAD: vector("loadcnt", "loads", None), SAMPLE: vector("samplecnt", "samples", None), BVH: vector("bvhcnt", "rays", None),
         STORE: vector("storecnt", "stores"), LDS: row({"dscnt": "lds"}), ANY: row({"kmcnt": None}),
         FLAT: row({"loadcnt": "loads", "dscnt": "lds"}, {"loadcnt": None, "dscnt": "lds"}), FLAT_STORE: row({"storecnt": "stores", "dscnt": "lds"})}


def by_any(code):
    """Wait states are instructions of any kind; s_nop is several."""
    return code.states


def by_valu(code):
    """Wait states are instructions of the vector ALU."""
    return int(code.vector)


def never(_first, _between):
    return False


def waits_for_valu(code):
    """s_waitcnt_depctr by name, or by a number, whose upper four bits are va_vdst."""
    return code.name == "s_waitcnt_depctr" and ("va_vdst(0)" in code.rest or (code.rest.startswith("0x") and not int(code.rest, 16) >> 12))


def trans_is_there(first, between):
    """Whether a transcendental operation's result is there behind these: two more such operations, or what is only issued when VALU's results
    are there. `first` may be of another kind."""
    if not states.TRANSCENDENTAL.match(first.name):
        return False
    return any(code.flow in (states.VM, FLAT, LDS) or code.name.startswith("exp") or waits_for_valu(code) for code in between) or \
        sum(1 for code in between if states.TRANSCENDENTAL.match(code.name)) >= 2


FULL = {"kmcnt": 31, "bvhcnt": 7}  # what counters of gfx10 and later can count; others 63

# needs: the wait states of two Codes, `most` of any, unless what is between the two `settles` it; `weigh`: how many one is; recent: how many
# instructions are looked back at. lanes: those of the waves that compilers make. full: what counters can count. lds: the counter of LDS, which says something of FLAT only if
# a lane is there; whole: FLAT's other counter does even if no lane is in memory. nop: the instruction that is there for wait states
# alone. cmpx_result: whether v_cmpx names a register that it writes besides EXEC.
Gpu = collections.namedtuple("Gpu", "name needs most recent lanes counts full lds whole weigh settles nop cmpx_result")


def of_gfx9(name):
    return Gpu(name, states.NEEDS[name], 20, 24, 64, GFX9, {"vmcnt": 63, "lgkmcnt": 15}, "lgkmcnt", True, by_any, never, "s_nop", True)


def of_rdna(name, most, counts=GFX10, lds="lgkmcnt", settles=never):
    return Gpu(name, states.NEEDS[name], most, 1 + 10 * most, 32, counts, {c: FULL.get(c, 63) for of in counts.values() for c in of.counts}, lds, False, by_valu, settles, "v_nop", False)


GPUS = {gpu.name: gpu for gpu in itertools.chain(
    map(of_gfx9, ("gfx908", "gfx90a", "gfx942", "gfx950")),
    (of_rdna("gfx1030", 0), of_rdna("gfx1100", 6, settles=trans_is_there), of_rdna("gfx1151", 1), of_rdna("gfx1201", 1, GFX12, "dscnt")))}

COUNTERS = {counter for gpu in GPUS.values() for of in gpu.counts.values() for counter in of.counts} | {"expcnt"}
ONE = re.compile(r"s_wait(?:cnt)?_(\w+)$")
DEFAULT = {"s_wait_idle": dict.fromkeys(COUNTERS, 0)}


def waits(name, rest):
    """The counters that an instruction waits for: {counter: number that may be outstanding}; None: it waits for none."""
    if name == "s_waitcnt":
        if rest.startswith("0x") or rest.isdigit():
            raise ValueError(rest)
        return {counter: int(n) for counter, n in re.findall(r"(\w+)\((\d+)\)", rest)}
    if name in DEFAULT:
        return DEFAULT[name]
    found = ONE.match(name)
    counters = [word for word in found[1].split("_") if word in COUNTERS] if found else []
    if not counters:
        return None
    number = int(rest.split()[-1], 0)
    if len(counters) == 1:
        return {counters[0]: number}
    return {counters[0]: number >> 8 & 63, counters[1]: number & 63}  # loadcnt or storecnt, and dscnt


def kind_of(code):
    """Of a memory instruction."""
    store = code.store or (code.atomic and not code.returns)
    if code.flow is FLAT:
        return FLAT_STORE if store else FLAT
    if code.flow in (LDS, ANY):
        return code.flow
    if code.name.startswith("image_bvh"):
        return BVH
    if re.match(r"image_(sample|gather|msaa)", code.name):
        return SAMPLE
    return STORE if store or code.name.startswith("global_wb") else LOAD
