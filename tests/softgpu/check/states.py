"""How many wait states a GPU needs between two instructions: walk.py's own table, by AMD's ISA documents and LLVM's hazard
recognizer, of both the smaller number.

It is apart because it is what differs between GPUs: each has a function of its own, by name in NEEDS. It shares nothing with
the checker's tables, which it is held against.
"""
import collections
import re

VM, LDS, ANY, FLAT = "vm", "lds", "any", "flat"  # flows of memory instructions: what counts them
PAIRED = {"vcc": ("vcc_lo", "vcc_hi"), "exec": ("exec_lo", "exec_hi"), "flat_scratch": ("flat_scratch_lo", "flat_scratch_hi")}
TRANSCENDENTAL = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_")
WITH_MASK = re.compile(r"v_(cndmask|addc|subb|subbrev)_")  # whose last operand is a mask of lanes


def rows_of(code):
    return int(re.search(r"_(\d+)x\d+x", code.name)[1])


def is_f64(code):
    return code.matrix and "f64" in code.name


def is_vector(register):
    return register[0] in "va" and not register.startswith("vcc")


def hardware_register(text):
    found = re.search(r"hwreg\((\w+)", text)
    return found and found[1]


class Pair:
    """Two instructions and what they share."""

    def __init__(self, first, second):
        self.first, self.second = first, second
        self.read, self.written = set(second.reads), set(first.writes)
        self.scalars = {r for r in self.written if not is_vector(r)}
        self.vectors = self.written - self.scalars
        self.memory = second.flow in (VM, FLAT)
        self.alu = first.vector and not first.matrix       # the first is VALU
        self.to_alu = second.vector and not second.matrix  # the second is


def of_gfx9(pair):
    """What all GPUs here need."""
    first, second, need = pair.first, pair.second, 0
    a, b = first.name, second.name
    if pair.alu and pair.memory and pair.scalars & pair.read:
        need = max(need, 5)
    if pair.alu and re.match("v_(readlane|writelane)", b) and len(second.source) > 1 and pair.scalars & set(second.source[1]):
        need = max(need, 4)
    if pair.alu and b.startswith("v_div_fmas") and pair.scalars & set(PAIRED["vcc"]):
        need = max(need, 4)
    if pair.alu and second.vector and "_dpp" in b:
        if pair.vectors & pair.read:
            need = max(need, 2)
        if pair.scalars & set(PAIRED["exec"]):
            need = max(need, 5)
    if pair.alu and re.search(r"src_(vccz|execz)", second.text) and pair.scalars & {*PAIRED["vcc"], *PAIRED["exec"]}:
        need = max(need, 5)
    if a.startswith("s_") and "m0" in pair.written:
        if re.match("s_(sendmsg|ttracedata|movrel)", b) or "gds" in second.rest or second.to_lds or "addtid" in b:
            need = max(need, 1)
    if a.startswith("s_setreg") and re.match("s_[gs]etreg", b):
        if hardware_register(first.text) == hardware_register(second.text):
            need = max(need, 2)
    if first.store and not a.startswith("ds_") and second.vector and len(first.source) > 1:
        scalar_offset = a.startswith(("buffer", "tbuffer")) and re.match(r"(s\d|m0|vcc)", first.parts[3] if len(first.parts) > 3 else "")
        data = first.source[0] if a.startswith(("buffer", "tbuffer")) else first.source[1]
        if len(data) > 2 and not scalar_offset and set(data) & set(second.writes):
            need = max(need, 1)
    return need


def of_unified(pair):
    """Of GPUs whose VALU and matrix instructions have one register file."""
    first, second, need = pair.first, pair.second, 0
    if pair.alu and second.matrix:
        if not first.dot and pair.vectors & pair.read:
            need = max(need, 2)
        if pair.scalars & set(PAIRED["exec"]):
            need = max(need, 4)
    if first.dot:
        same = first.name == second.name
        others = [r for part in second.source[:2] for r in part] if same else second.reads
        if (pair.to_alu or pair.memory or second.flow is LDS) and pair.vectors & set(others):
            need = max(need, 3)
        if pair.to_alu and not same and pair.vectors & set(second.writes):
            need = max(need, 3)
    if is_f64(first) and re.match("v_fmac?_f64", second.name):
        need = max(need, 2)
    return need


# ---- gfx908 ----

def gfx908(first, second):
    """Results of matrix instructions are in AGPRs, which only v_accvgpr_read and v_accvgpr_write copy."""
    pair = Pair(first, second)
    need = of_gfx9(pair)
    puts, gets = second.name.startswith("v_accvgpr_write"), second.name.startswith("v_accvgpr_read")
    if pair.alu and (second.matrix or puts):
        if pair.scalars & set(PAIRED["exec"]):
            need = max(need, 4)
        if {r for r in pair.vectors if r[0] == "v"} & pair.read:
            need = max(need, 2)
    if first.name.startswith("v_accvgpr_read") and (pair.memory or second.flow is LDS) and pair.vectors & pair.read:
        need = max(need, 2)
    if first.name.startswith("v_accvgpr_write"):
        if gets and pair.vectors & pair.read:
            need = max(need, 3)
        if second.matrix:
            need = max(need, inputs(second, pair.vectors, 3, 1))
    if first.matrix:
        need = max(need, matrix_of_gfx908(first, second, pair.vectors, puts, gets))
    return need


def inputs(second, written, factors, addend):
    """Wait states of a matrix instruction of which `written` is A or B, or a part of C."""
    need = factors if written & {r for part in second.source[:2] for r in part} else 0
    return max(need, addend) if written & set(second.source[2]) else need


def matrix_of_gfx908(first, second, written, puts, gets):
    passes, need = {4: 2, 16: 8, 32: 16}[rows_of(first)], 0
    if second.matrix:
        same = list(second.source[2]) == list(first.writes)
        need = inputs(second, written, 4, 0 if same else 2)
    if gets and written & set(second.reads):
        need = passes + 2
    if puts and written & set(second.writes):
        need = max(need, passes - 1)
    if puts and set(first.source[2]) & set(second.writes):
        need = max(need, passes - 3)
    return need


# ---- gfx90a ----

def gfx90a(first, second):
    pair = Pair(first, second)
    need = max(of_gfx9(pair), of_unified(pair))
    if first.matrix:
        need = max(need, matrix_of_gfx90a(first, second, pair.vectors))
    return need


def passes_of_gfx90a(code):
    """A pass is four clocks."""
    rows = rows_of(code)
    if is_f64(code):
        return 4 if rows == 4 else 8
    return {4: 2, 16: 8, 32: 16}[rows]


def matrix_of_gfx90a(first, second, written):
    passes, need = passes_of_gfx90a(first), 0
    if second.matrix:
        ab = {r for part in second.source[:2] for r in part}
        c = second.source[2] if len(second.source) > 2 else []
        if is_f64(first):
            small = rows_of(first) == 4
            if written & ab:
                need = 6 if small else 11
            if written & set(c):
                same = list(c) == list(first.writes)
                if is_f64(second):
                    need = max(need, 0 if same and not small else 4 if small else 9)
        else:
            if written & ab:
                need = passes + 3
            if written & set(c) and list(c) != list(first.writes):
                need = max(need, passes + (1 if is_f64(second) else 0))
        return need
    memory = second.flow in (VM, FLAT, LDS)
    if second.vector or memory:
        if is_f64(first):
            small = rows_of(first) == 4
            if written & set(second.reads):
                need = (9 if small else 18) if memory else 6 if small else 11
        elif written & set(second.reads):
            need = passes + 3
        if second.vector and written & set(second.writes):
            need = max(need, (6 if rows_of(first) == 4 else 11) if is_f64(first) else passes + 3)
        if second.vector and not is_f64(first) and len(first.source) > 2 and set(first.source[2]) & set(second.writes):
            need = max(need, passes - 1)
    return need


# ---- gfx942 and gfx950 ----

# more: wait states that there are more than on gfx942 behind a matrix instruction that is neither of f32 nor of f64;
# used, addend: those behind one of f64 with 16 rows, whose result is A or B or read by VALU, and C of another
Later = collections.namedtuple("Later", "more used addend")


def gfx942(first, second, numbers=Later(0, 11, 9)):
    pair = Pair(first, second)
    need = max(of_gfx9(pair), of_unified(pair))
    if pair.alu and pair.to_alu:
        need = max(need, alu_of_gfx942(pair))
    if first.matrix:
        need = max(need, matrix_of_gfx942(first, second, pair.vectors, numbers))
    return need


def gfx950(first, second):
    need = gfx942(first, second, Later(1, 19, 17))
    if first.vector and not first.matrix and re.match(r"v_permlane\d+_swap", second.name):
        if set(first.writes) & set(second.reads):
            need = max(need, 2)
        if first.name.startswith("v_cmpx"):
            need = max(need, 4)
    return need


def writes_part(code):
    """Of a register: SDWA with a selection, OP_SEL whose last bit, the result's, is set."""
    if "_sdwa" in code.name:
        selected = re.search(r"dst_sel:(\w+)", code.text)
        return bool(selected) and selected[1] != "DWORD"
    chosen = re.search(r"op_sel:\[([\d,]+)\]", code.text)
    return bool(chosen) and not code.name.startswith(("v_pk_", "v_dot", "v_mad_mix")) and chosen[1].endswith("1")


def alu_of_gfx942(pair):
    """VALU behind VALU: gfx942 does not look after all that is handed over."""
    first, second, need = pair.first, pair.second, 0
    if TRANSCENDENTAL.match(first.name) and not TRANSCENDENTAL.match(second.name) and pair.vectors & pair.read:
        need = max(need, 1)
    if writes_part(first) and pair.vectors & pair.read:
        need = max(need, 1)
    constants = second.source[:-1] if WITH_MASK.match(second.name) else second.source
    shared = pair.scalars & {r for part in constants for r in part}
    if shared - set(PAIRED["vcc"]) - set(PAIRED["exec"]):
        need = max(need, 2)
    if shared & set(PAIRED["vcc"]):
        need = max(need, 1)
    if re.match("v_(readlane|readfirstlane|writelane)", second.name) and pair.scalars & set(PAIRED["exec"]):
        need = max(need, 4)
    if re.match("v_(readlane|readfirstlane)", second.name) and pair.vectors & pair.read:
        need = max(need, 1)
    return need


def is_f32(code):
    """Whether a matrix instruction multiplies f32: these are not of the unit that the others are of."""
    return code.matrix and bool(re.search(r"x\d+(_\d+b)?_?f32$", code.name))


def passes_of_gfx942(code):
    """By the clocks that AMD's matrix instruction calculator has; four of them are a pass."""
    rows, depth = map(int, re.search(r"_(\d+)x\d+x(\d+)", code.name).groups())
    if is_f64(code):
        return 4 if rows == 4 else 8
    if is_f32(code):
        return {4: 2, 16: 8, 32: 16}[rows]
    if rows == 4:
        return 2
    # several blocks take twice the time of one: they are 32x32x4 and 16x16x4
    blocks = depth <= 4 and "xf32" not in code.name and not code.name.startswith("v_smfmac")
    return {16: 4, 32: 8}[rows] * (2 if blocks else 1)


def matrix_of_gfx942(first, second, written, numbers):
    rows, passes, need = rows_of(first), passes_of_gfx942(first), 0
    memory, small = second.flow in (VM, FLAT, LDS), rows == 4
    more = numbers.more if passes > 2 else 0
    if not (second.vector or memory):
        return 0
    f64, f32 = is_f64(first), is_f32(first)
    used = (6 if small else numbers.used) if f64 else passes + 2 if f32 else passes + 3 + more
    if second.matrix:
        addend = second.source[2] if len(second.source) > 2 else []
        if written & {r for part in second.source[:2] for r in part}:
            need = used
        if list(addend) == list(first.writes):
            both = f64 and small and is_f64(second) and rows_of(second) == 4
            need = max(need, 4 if both else 2 if passes == 2 else 0)
        elif written & set(addend):
            wide = is_f32(second) or is_f64(second)
            if f64 or f32:  # matrix instructions of other types take C later than these have their result
                need = max(need, (4 if small else numbers.addend) if f64 and wide else passes if wide else 0)
            else:
                need = max(need, passes + 1 + (more if wide else numbers.more))
        return need
    if written & set(second.reads):
        need = (9 if small else 18) if f64 and memory else used
    if second.vector and written & set(second.writes):
        need = max(need, 11 if f64 and not small else used)
    if second.vector and not f64 and not f32 and len(first.source) > 2 and set(first.source[2]) & set(second.writes):
        need = max(need, passes - 1)
    return need


# ---- gfx10 and later, which wait for most of it by themselves ----

def gfx1030(_first, _second):
    return 0


def gfx1151(first, second):
    """Between matrix instructions, where one multiplies by the result of the other, or has its indices there."""
    if not (first.matrix and second.matrix):
        return 0
    factors = second.source[:3] if second.name.startswith("v_swmmac") else second.source[:2]
    return int(bool(set(first.writes) & {r for part in factors for r in part}))


def gfx1100(first, second):
    if TRANSCENDENTAL.match(first.name) and second.vector and set(first.writes) & set(second.reads):
        return 6
    return gfx1151(first, second)


NEEDS = {"gfx908": gfx908, "gfx90a": gfx90a, "gfx942": gfx942, "gfx950": gfx950,
         "gfx1030": gfx1030, "gfx1100": gfx1100, "gfx1151": gfx1151, "gfx1201": gfx1151}
