"""What a kernel's instructions leave to software, by a walk over the instructions that were executed.

The lines of softgpu --trace are all that it reads; it shares nothing with the checker, which mutate.py holds against it.
A walk leaves out one instruction, as if s_nop 0 stood in its place, and finds the pairs of instructions, producer and
consumer, that nothing keeps apart. Registers are known by the text of the instructions, addresses by the values that
the trace has. What differs between GPUs is in families.GPUS. Not looked at are exports and direct loads from LDS, which programs for
graphics have, and copies of SGPRs in the vector ALU of gfx12.
"""
import collections
import functools
import itertools
import re

import families
from families import GPUS
from states import ANY, FLAT, LDS, PAIRED, VM

LANES = (1 << 64) - 1
KINDS = ("s_waitcnt", "s_barrier", "s_nop", "v_nop", "s_waitcnt_depctr")  # what may be left out; with s_waitcnt those for one counter
NEEDS = {isa: functools.cache(gpu.needs) for isa, gpu in GPUS.items()}  # of two Codes, of which there are few
SHARED = 1 << 48  # flat addresses from here on, 4 GiB of them, are LDS
NAMED = {"vcc_lo", "vcc_hi", "exec_lo", "exec_hi", "flat_scratch_lo", "flat_scratch_hi", "m0"}
NO_RESULT = re.compile(r"(s_(cmp|bitcmp|wait|nop|barrier|branch|cbranch|setpc|endpgm|sleep|sendmsg(?!_rtn)|setreg|set_gpr|icache|dcache|"
                       r"ttrace|setprio|setvskip|trap|sethalt|rfe|store|scratch_store|buffer_store|atc|decperf|incperf)|"
                       r"v_nop|v_clrexcp|\w+_store_|ds_write|ds_gws|ds_nop|buffer_wb|buffer_inv|buffer_gl|global_(inv|wb))")
TWO_RESULTS = re.compile(r"v_(add|addc|sub|subb|subrev|subbrev)_co_|v_div_scale_|v_mad_([ui]64|co)_")
READS_RESULT = re.compile(r"v_(fmac|mac|dot\dc|pk_fmac|swap)_|v_swaprel|v_swmmac|s_(addk|mulk|cmov)|v_movreld|v_smfmac|v_permlane\d+_swap")
BYTES = (("pk_add", 4), ("dwordx16", 64), ("_b512", 64), ("dwordx8", 32), ("_b256", 32), ("dwordx2", 8), ("dwordx3", 12), ("dwordx4", 16), ("dword", 4), ("byte", 1), ("short", 2), ("_b128", 16), ("_b96", 12),
         ("64", 8), ("_x2", 8), ("_b8", 1), ("_u8", 1), ("_i8", 1), ("16", 2))


def registers(text):
    """Those that an operand names, one by one."""
    found = []
    for kind, one, first, last in re.findall(r"(?<![\w.])([vsa]|ttmp)(?:(\d+)|\[(\d+):(\d+)\])(?![\w\[])", text):
        low, high = (int(one), int(one)) if one else (int(first), int(last))
        found += [f"{kind}{n}" for n in range(low, high + 1)]
    for name in re.findall(r"(?<![\w.])(vcc|exec|flat_scratch|m0)((?:_lo|_hi)?)\b", text):
        name = "".join(name)
        found += PAIRED.get(name, (name,) if name in NAMED else ())
    return found


def operands(text):
    """Divided at commas that are in no brackets."""
    return [part.strip() for part in re.split(r",(?![^\[]*\])", text)] if text else []


def modifier(text, name, default=0):
    found = re.search(rf"\b{name}:(-?(?:0x[0-9a-f]+|\d+))", text)
    return int(found[1], 0) if found else default


class Code:
    """What an instruction's text says, whichever wave executes it."""
    known = {}

    def __new__(cls, text, gpu):
        if (text, gpu.name) not in cls.known:
            cls.known[text, gpu.name] = made = super().__new__(cls)
            made.read(text, gpu)
            if " :: " in text:
                made.join([Code(half.replace("v_dual_", "v_"), gpu) for half in text.split(" :: ")])
        return cls.known[text, gpu.name]

    def join(self, halves):
        """Of an instruction that is two operations, both of which read before either writes."""
        self.writes = [r for half in halves for r in half.writes]
        self.reads = [r for half in halves for r in half.reads]
        self.source = [part for half in halves for part in half.source]

    def read(self, text, gpu):
        self.text = text
        self.name, _, rest = text.partition(" ")
        name, parts = self.name, operands(rest)
        self.parts, self.rest = parts, rest
        words = set(rest.split())
        self.vector = name.startswith("v_")
        self.matrix = bool(re.match(r"v_(s?mfma|wmma|swmmac)", name))
        self.dot = bool(re.match(r"v_dot", name))
        self.atomic = "_atomic_" in name or bool(re.match(
            r"ds_(add|sub|rsub|inc|dec|min|max|and|or|xor|mskor|wrxchg|storexchg|cmpst|wrap|condxchg|cond_sub|pk_add)", name))
        self.glc = "glc" in words or "sc0" in words or bool(re.search(r"th:TH_ATOMIC_\w*RETURN", rest))
        self.past_l1 = self.glc or "sc1" in words or "scope:" in rest  # loads that other waves' stores are seen by: of a wider scope than the wave
        self.slc = "slc" in words
        self.to_lds = "lds" in words or "_load_lds_" in name
        self.store = bool(re.match(r"\w+_store_|ds_write", name))
        self.flow = self.flow_of(name, "gds" in words)
        self.load = self.flow is not None and not self.store and not self.atomic
        self.space = "lds" if name.startswith("ds_") and "gds" not in words else \
            "global" if re.match(r"global_(?!inv|wb)", name) else \
            "flat" if name.startswith("flat_") else "scalar" if name.startswith("s_load_") else None
        results = 2 if TWO_RESULTS.match(name) else 1
        if NO_RESULT.match(name) or (self.to_lds and self.load) or (name.startswith("v_cmpx") and not gpu.cmpx_result):
            results = 0
        elif self.atomic:
            results = int("_rtn" in name if name.startswith("ds_") else self.glc)
        self.returns = results > 0
        self.writes = [r for part in parts[:results] for r in registers(part)]
        self.source = [registers(part) for part in parts[results:]]
        self.reads = [r for part in self.source for r in part]
        if READS_RESULT.match(name):
            self.reads += self.writes
        if re.match(r"v_(swap|permlane\d+_swap)", name):
            self.writes += self.source[0]
        if name.startswith("v_cmpx"):
            self.writes += PAIRED["exec"][:gpu.lanes // 32]
        if name.startswith("v_div_fmas") or "_vccz" in name or "_vccnz" in name:
            self.reads += PAIRED["vcc"][:gpu.lanes // 32]
        if name.startswith(("flat_", "scratch_")):
            self.reads += PAIRED["flat_scratch"]
        self.waits = families.waits(name, rest)
        self.full = gpu.full
        self.count = gpu.counts[families.kind_of(self)] if self.flow is not None else None
        self.states = int(rest, 0) + 1 if name == "s_nop" else 16 if name == "s_sleep" else 1
        if name in ("s_setpc_b64", "s_swappc_b64"):
            self.states = 20
        self.states = gpu.weigh(self)
        self.place = self.place_of(gpu)
        self.signals = name == "s_barrier" or (name == "s_barrier_signal" and rest == "-1")
        self.meets = name in ("s_barrier", "s_barrier_wait")
        self.all_lanes = self.matrix or bool(re.match(r"v_(readlane|readfirstlane|writelane)", name))
        self.bytes = next((n for word, n in BYTES if word in name.replace("st64", "").replace("stride64", "")), 4)
        if name.startswith("ds_") and re.search("bpermute|permute|swizzle", name):
            self.space = None

    def place_of(self, gpu):
        """Its kind, one of KINDS, if it may be left out; else None. What leaves no wait state would not be missed."""
        if self.waits is not None:
            return "s_waitcnt"
        if self.name == "s_barrier":  # of two instructions none is: a signal without its wait would count at the next barrier
            return self.name
        if self.name == gpu.nop:
            return self.name if self.states > (gpu.nop == "s_nop") else None
        return "s_waitcnt_depctr" if self.name == "s_waitcnt_depctr" else None

    @staticmethod
    def flow_of(name, gds):
        if name.startswith(("s_load", "s_buffer_load", "s_scratch_load", "s_memtime", "s_memrealtime", "s_atomic", "s_buffer_atomic",
                            "s_sendmsg_rtn", "s_get_barrier_state")) or gds:
            return ANY
        if name.startswith("ds_"):
            return LDS
        if name.startswith("flat_"):
            return FLAT
        if name.startswith(("global_", "buffer_", "tbuffer_", "scratch_", "image_")) and not name.startswith(("buffer_wbinvl1", "buffer_gl")):
            return VM
        return None


class Step:
    """One instruction that a wave has executed."""
    __slots__ = ("code", "counters", "exec", "pc", "spread", "values", "wave")

    def __init__(self, wave, pc, code, exec_):
        self.wave, self.pc, self.code, self.exec = wave, pc, code, exec_
        self.spread = None  # by lane: space, address, bytes of each element
        self.values = None  # by lane: what is stored, as a tuple of dwords
        self.counters = frozenset(code.count.counts) if code.count else None  # that say when it is done


LINE = re.compile(r"(\S+) #(\d+) group (\d+,\d+,\d+) wave (\d+) (?:([0-9a-f]+): |(starts))(.*)")
CHANGE = re.compile(r"(\w+)=(\[[^\]]*\]|[0-9a-f]+(?:[+-]\d+\*lane)?)")


class Wave:
    """A wave's registers, as far as the trace has told."""

    def __init__(self, lanes):
        self.exec, self.lanes = LANES, lanes
        self.scalar, self.vector = {}, {}

    def change(self, text, before):
        for name, value in CHANGE.findall(text.partition(" in lanes ")[0]):
            if name[0] in "va" and name[1:].isdigit():
                self.vector[name] = (value, before, self.vector.get(name))
            elif name == "exec":
                self.exec = int(value, 16)
            elif name in PAIRED:
                self.scalar[name + "_lo"], self.scalar[name + "_hi"] = int(value[8:], 16), int(value[:8], 16)
            else:
                self.scalar[name] = int(value, 16)

    def row(self, name):
        """The 64 values; what was kept as text is worked out when it is asked for."""
        held = self.vector.get(name)
        if held is None or isinstance(held, list):
            return held or [0] * 64
        todo = []
        while held is not None and not isinstance(held, list):
            todo.append(held[:2])
            held = held[2]
        row = list(held) if held else [0] * 64
        for text, mask in reversed(todo):
            if text[0] == "[":
                values = [int(v, 16) for v in text[1:-1].split()]
                lanes = range(self.lanes) if len(values) == self.lanes else [k for k in range(64) if mask >> k & 1]
                for k, v in zip(lanes, values):
                    row[k] = v
            else:
                first, step = re.fullmatch(r"([0-9a-f]+)(?:([+-]\d+)\*lane)?", text).groups()
                first, step = int(first, 16), int(step or 0)
                for k in range(64):
                    if mask >> k & 1:
                        row[k] = first + step * k & 0xffffffff
        self.vector[name] = row
        return row

    def value(self, text):
        """Of a scalar pair."""
        low, high = registers(text)[:2]
        return self.scalar.get(high, 0) << 32 | self.scalar.get(low, 0)


def flat_counters(code, step, gpu):
    """Those of FLAT: of LDS if a lane is there, and of memory if one is there or the GPU counts it whatever its lanes are."""
    spaces = {space for lane in (step.spread or {}).values() for space, _, _ in lane}
    return frozenset(c for c in code.count.counts
                     if ("lds" in spaces if c == gpu.lds else gpu.whole or "global" in spaces or not spaces))


def is_shared(address):
    return address >> 32 == SHARED >> 32


def reach(wave, code, exec_):
    """By lane: space, address, bytes of each element that a memory instruction accesses."""
    lanes = [k for k in range(64) if exec_ >> k & 1]
    name, parts = code.name, code.parts
    if code.space == "scalar":
        words = parts[2].split()
        offset = int(words[0], 16) if words[0].startswith(("0x", "-0x")) else wave.scalar.get(words[0], 0)  # of null 0
        return {0: [("global", (wave.value(parts[1]) + offset + modifier(code.rest, "offset")) & ~3, code.bytes)]}
    if code.to_lds and code.load:
        if not name.startswith("buffer_"):
            return None
        base = (wave.scalar.get("m0", 0) & 0xffff) + modifier(code.rest, "offset")
        return {k: [("lds", base + 4 * k, 4)] for k in lanes}
    if code.space == "lds":
        if re.search("addtid|consume|append|gws|ordered", name):
            return None
        at = wave.row(code.source[0][0]) if code.source and code.source[0] else [0] * 64
        if re.search(r"(read|write)2|wrxchg2|_2addr_", name):
            step = code.bytes * (64 if "st64" in name or "stride64" in name else 1)
            offsets = [modifier(code.rest, "offset0") * step, modifier(code.rest, "offset1") * step]
        else:
            offsets = [modifier(code.rest, "offset")]
        return {k: [("lds", at[k] + o, code.bytes) for o in offsets] for k in lanes}
    if code.space in ("global", "flat"):
        first = 1 if code.returns else 0
        offset = modifier(code.rest, "offset")
        scalar = next((p for p in parts[first + 1:] if re.match(r"s\[|vcc", p)), None) if code.space == "global" else None
        if scalar:
            base, row = wave.value(scalar.split()[0]), wave.row(registers(parts[first])[0])
            at = [base + row[k] + offset for k in range(64)]
        else:
            low, high = (wave.row(r) for r in registers(parts[first])[:2])
            at = [(high[k] << 32 | low[k]) + offset for k in range(64)]
        return {k: [("lds", at[k] & 0xffffffff, code.bytes) if is_shared(at[k]) else ("global", at[k], code.bytes)] for k in lanes}
    return None


def stored(wave, code, exec_):
    """By lane the dwords of a store's data."""
    first = 1
    data = [r for part in code.source[first:] for r in part if r[0] in "va"]
    if code.space != "lds":
        data = code.source[1] if len(code.source) > 1 else []
    rows = [wave.row(r) for r in data]
    return {k: tuple(row[k] for row in rows) for k in range(64) if exec_ >> k & 1}


def read_trace(lines, isa, wanted=None):
    """The dispatches of a GPU's trace: (kernel, packet) and the steps of their waves, in the order in which they were executed."""
    gpu = GPUS[isa]
    dispatches, waves = {}, {}
    for line in lines:
        match = LINE.match(line)
        if not match or (wanted and match[1] not in wanted):
            continue
        kernel, packet, group, number, pc, starts, rest = match.groups()
        key, own = (kernel, int(packet)), (kernel, packet, group, number)
        steps = dispatches.setdefault(key, [])
        if starts:
            wave = waves[own] = Wave(gpu.lanes)
            wave.change(rest.partition(" ; ")[2], LANES)
            continue
        text, _, changes = rest.partition(" ; ")
        wave, code = waves[own], Code(text.strip(), gpu)
        step = Step((group, int(number)), int(pc, 16), code, wave.exec)
        if code.space or code.to_lds:
            step.spread = reach(wave, code, wave.exec)
            if code.store:
                step.values = stored(wave, code, wave.exec)
        if code.flow is FLAT:
            step.counters = flat_counters(code, step, gpu)
        wave.change(changes, wave.exec)
        steps.append(step)
    return dispatches


# ---- registers: what is outstanding, and wait states ----

class Flow:
    """What is outstanding of one wave."""

    def __init__(self):
        self.queue = []    # operations: the counters that still have to say that each is done, pc, number of the wave's step
        self.pending = {}  # register: its operation and the lanes of which

    def begin(self, number, step):
        """The operation that a memory instruction leaves behind."""
        op = {"flow": step.code.flow, "pc": step.pc, "number": number, "code": step.code, "left": step.counters, "done": not step.counters}
        if step.counters:
            self.queue.append(op)
            if len(self.queue) > min(step.code.full.values()):
                self.wait({})
        return op

    def wait(self, waits):
        """Waits until a counter has the value that is named. One that is not named is full at most: an instruction that it has to
        count is issued when the first operation is done."""
        behind, left = collections.Counter(), []
        for op in reversed(self.queue):
            for counter, queue in op["code"].count.counts.items():
                behind[counter, queue] += 1
                n = waits.get(counter, op["code"].full[counter])
                if n == 0 or (queue is not None and behind[counter, queue] > n):
                    op["left"] -= {counter}
            if op["left"]:
                left.append(op)
            else:
                op["done"] = True
        self.queue = left[::-1]

    def copy(self):
        made, own = Flow(), {op["number"]: dict(op) for op in self.queue}
        made.queue = list(own.values())
        for register, held in self.pending.items():
            live = [(own[op["number"]], lanes) for op, lanes in held if not op["done"]]
            if live:
                made.pending[register] = live
        return made

    def unlike(self, other):
        """The operations of which one of the two still waits for something that the other does not wait for."""
        ours, theirs = ({op["number"]: op for op in flow.queue} for flow in (self, other))
        return [op for number, op in {**theirs, **ours}.items()
                if number not in ours or number not in theirs or ours[number]["left"] != theirs[number]["left"]]


def in_order(op, code):
    """Whether what an outstanding operation writes is there before the instruction, a later one, writes."""
    return code.count is not None and all(
        op["code"].count.lands[c] is not None and op["code"].count.lands[c] == code.count.follows.get(c) for c in op["left"])


class Path:
    """One wave: what is outstanding, and its last instructions with the wait states at their ends."""

    def __init__(self, gpu):
        self.flow, self.recent, self.now, self.gpu, self.needs = Flow(), [], 0, gpu, NEEDS[gpu.name]

    def copy(self):
        made = Path(self.gpu)
        made.flow, made.recent, made.now = self.flow.copy(), list(self.recent), self.now
        return made

    def step(self, number, step, found):
        """`found` gets the pairs of which the second is this instruction: (kind, producer, consumer)."""
        code = step.code
        self.use(step, found)
        if step.exec or not (code.vector or code.flow in (VM, LDS, FLAT)):
            between = []
            for other, end in reversed(self.recent):
                if self.now - end >= self.gpu.most:
                    break
                if self.now - end < self.needs(other.code, code) and not self.gpu.settles(other.code, between):
                    found.add(("nop", other.pc, step.pc))
                between.append(other.code)
        self.now += code.states
        self.recent.append((step, self.now))
        del self.recent[:-self.gpu.recent]
        if code.waits is not None:
            self.flow.wait(code.waits)
        if code.flow is not None:
            op = self.flow.begin(number, step)
            vector = code.flow is not ANY
            if step.exec or not vector:
                for r in code.writes:
                    self.flow.pending.setdefault(r, []).append((op, step.exec if vector else LANES))

    def use(self, step, found):
        code = step.code
        lanes_of = LANES if code.all_lanes else step.exec
        for r in {*code.reads, *code.writes}:
            held = self.flow.pending.get(r)
            if not held:
                continue
            live = []
            for op, lanes in held:
                if op["done"]:
                    continue
                live.append((op, lanes))
                is_vector = r[0] in "va" and r[1:].isdigit()
                if is_vector and not lanes & lanes_of:
                    continue
                if r not in code.reads and in_order(op, code):
                    continue
                found.add(("wait", op["pc"], step.pc))
            self.flow.pending[r] = live


class Registers:
    """What waves' instructions leave to software by registers: as they are, and where one wait, barrier or s_nop is left out.

    One walk along a wave finds all of it. Where an instruction may be left out, a copy of the wave's state goes on without it, beside
    the state itself, until the two are alike again: until nothing is outstanding in the one alone, and no wait states reach back to there.
    """

    def __init__(self, isa, removals=True):
        self.gpu, self.removals = GPUS[isa], removals
        self.instead = Code("s_nop 0", self.gpu).states
        self.kept = set()    # pairs with nothing left out
        self.without = {}    # by instruction that is left out: the pairs that come from then on, kept ones among them
        self.waited = set()  # each s_waitcnt that has waited for something
        self.seen = set()    # barriers, and those whose absence other waves may see in memory: shows()

    def follow(self, steps):
        path, beside = Path(self.gpu), {}
        for number, step in enumerate(steps):
            for pc, (copy, last) in list(beside.items()):
                if pc == step.pc:
                    continue
                if pc not in self.seen and shows(step.code, copy.flow, path.flow):
                    self.seen.add(pc)
                copy.step(number, step, self.without[pc])
            if self.removals and step.code.place:
                self.without.setdefault(step.pc, set())
                if step.code.place == "s_barrier":
                    self.seen.add(step.pc)
                copy = beside[step.pc][0] if step.pc in beside else path.copy()
                copy.now += self.instead  # as s_nop 0 would
                beside[step.pc] = (copy, number)
            outstanding = len(path.flow.queue)
            path.step(number, step, self.kept)
            if step.code.waits is not None and len(path.flow.queue) < outstanding:
                self.waited.add(step.pc)
            for pc, (copy, last) in list(beside.items()):
                if number - last > self.gpu.recent and not copy.flow.unlike(path.flow):
                    del beside[pc]


def shows(code, without, flow):
    """Whether other waves may see at this instruction that its wave has waited for less: at a barrier what LDS has still to do, at a
    store or an atomic access that earlier stores are outstanding, and at LDS that a transfer to it is."""
    if code.signals:
        return any(op["flow"] in (LDS, FLAT) or op["code"].to_lds for op in without.unlike(flow))
    if code.store or code.atomic:
        return any(not op["code"].load or op["code"].to_lds for op in without.unlike(flow))
    return code.space in ("lds", "flat") and any(op["code"].to_lds for op in without.unlike(flow))


# ---- memory: what waves rely on ----

class Clocks:
    """By wave: up to which of its accesses, in the order of the trace, other waves' accesses happened before its own."""

    def __init__(self):
        self.known = {}

    def of(self, wave):
        return self.known.setdefault(wave, {})

    @staticmethod
    def join(into, other):
        for wave, n in other.items():
            if into.get(wave, -1) < n:
                into[wave] = n


def in_lds(op):
    """Whether LDS may still have something to do of the operation; of FLAT one of its counters counts that."""
    return not op["done"] and (op["flow"] is VM or bool(op["left"] & {"lgkmcnt", "dscnt"}))


def memory_walk(steps, without=None, chance=False):
    """The pairs of a dispatch's accesses that nothing orders: {(kind, earlier, later)}. With `chance` also those that
    need not be told: of a load and a store whose value was there already, so that the load gets the right one by chance,
    and of loads and stores of places that others have written to since."""
    groups = {}
    for step in steps:
        groups.setdefault(step.wave[0], set()).add(step.wave)
    return _Memory(groups, chance, grain_of(steps)).walk(steps, without)


def unwritten_reads(steps):
    """The bytes of LDS that waves have got and to which nobody in their workgroup had written before: (instruction, wave, byte)."""
    found, written = set(), {}
    for step in steps:
        own = written.setdefault(step.wave[0], set())
        code = step.code
        places = {byte for elements in (step.spread or {}).values() for space, at, size in elements if space == "lds"
                  for byte in range(at, at + size)}
        if not (code.store or code.to_lds) and places - own:
            found |= {(step.pc, step.wave, byte) for byte in places - own}
        if code.store or code.atomic or code.to_lds:
            own |= places
    return found


def barriers_apart(steps):
    """The barriers at which waves have met others of their workgroup that were at another one, or had ended."""
    paths = {}
    for step in steps:
        own = paths.setdefault(step.wave[0], {}).setdefault(step.wave, [])
        if step.code.meets:
            own.append(step.pc)
    turns = [set(turn) for waves in paths.values() for turn in itertools.zip_longest(*waves.values())]
    return {pc for turn in turns if len(turn) > 1 for pc in turn if pc is not None}


def grain_of(steps):
    """Bytes in which accesses are looked at: 4 if all are of whole dwords."""
    return 1 if any(at % 4 or size % 4 for step in steps if step.spread
                    for elements in step.spread.values() for _, at, size in elements) else 4


class _Memory:
    def __init__(self, groups, chance, grain):
        self.groups, self.chance, self.grain = groups, chance, grain
        self.found = set()
        self.clocks, self.lds_clocks = Clocks(), Clocks()
        self.flow = {wave: Flow() for group in groups.values() for wave in group}
        self.late = set()  # waves and numbers of accesses to LDS that were outstanding at the last barrier: until the next one
        self.lds_writes = {}  # by wave and number: where it has written, by which instruction, whether atomically
        self.late_at = {}     # by place: what was outstanding there, which may come behind whatever the others do there
        self.at_barrier = {group: set() for group in groups}
        self.waiting, self.learns = set(), {}  # waves at a barrier, and by wave what it knows behind one that all have come to
        self.ended = {group: set() for group in groups}
        self.published, self.lds_published = {}, {}
        self.last_write, self.reads, self.value = {}, {}, {}
        self.outstanding = {wave: [] for wave in self.flow}  # of LDS: numbers of accesses and their operations
        self.stores = {wave: [] for wave in self.flow}       # the same of stores to memory
        self.changed_by = {}  # waves that have changed a dword by an atomic access: their stores may give a lock back

    def walk(self, steps, without):
        for number, step in enumerate(steps):
            code = step.code
            if step.pc == without:
                continue
            flow = self.flow[step.wave]
            if code.waits is not None:
                flow.wait(code.waits)
            if code.flow is not None:
                op = flow.begin(number, step)
                if step.spread:
                    self.access(number, step, op)
            if code.signals:
                self.arrive(step.wave, number)
            if code.meets:
                self.leave(step.wave)
            if code.name == "s_endpgm":
                self.ended[step.wave[0]].add(step.wave)
                self.meet(step.wave[0], number)
        return self.found

    def arrive(self, wave, number):
        self.at_barrier[wave[0]].add((wave, number))
        self.meet(wave[0], number)

    def leave(self, wave):
        """The wave waits at the barrier, or goes on if all have been there: what they have done comes before what it does then."""
        if wave not in self.learns:
            self.waiting.add(wave)
            return
        at, lds = self.learns.pop(wave)
        self.waiting.discard(wave)
        Clocks.join(self.clocks.of(wave), at)
        Clocks.join(self.lds_clocks.of(wave), lds)

    def meet(self, group, number):
        """All waves have come to the barrier: each may know the others' accesses, of LDS those that they have waited for."""
        waves = self.groups[group]
        here = {wave for wave, _ in self.at_barrier[group]}
        if not here or here | self.ended[group] != waves:
            return
        at = {}
        lds = {}
        self.late = {pair for pair in self.late if pair[0][0] != group}
        self.late_at = {where: held for where, held in self.late_at.items() if where[1] != group}
        for wave in here:
            Clocks.join(at, self.clocks.of(wave))
            at[wave] = number
            Clocks.join(lds, self.lds_clocks.of(wave))
            self.outstanding[wave] = [(n, op) for n, op in self.outstanding[wave] if in_lds(op)]
            late = [n for n, op in self.outstanding[wave]]
            lds[wave] = min(late) - 1 if late else number
            self.late |= {(wave, n) for n in late}
            for n in late:
                pc, atomic, places = self.lds_writes.get((wave, n), (0, False, ()))
                for where in places:
                    self.late_at.setdefault(where, []).append((wave, pc, atomic))
            self.lds_writes = {pair: held for pair, held in self.lds_writes.items() if pair[0] != wave or pair[1] in late}
        self.at_barrier[group] = set()
        for wave in here:
            self.learns[wave] = (at, lds)
            if wave in self.waiting:
                self.leave(wave)

    def access(self, number, step, op):
        code, wave = step.code, step.wave
        group = wave[0]
        # An atomic access learns first and publishes then; a load that passes the caches may be an atomic one. What it
        # learns at a dword does not order the access to that dword itself.
        before = {False: dict(self.clocks.of(wave)), True: dict(self.lds_clocks.of(wave))}
        if code.atomic or (code.load and code.past_l1):
            for elements in step.spread.values():
                for space, at, _ in elements:
                    where = (space, group if space == "lds" else None, at // 4)
                    held, gives_back = self.published.get(where, (None, True))
                    clocks = self.lds_clocks if space == "lds" else self.clocks
                    if held and (code.load or (code.returns and gives_back)):
                        Clocks.join(clocks.of(wave), held)
                    if code.atomic:
                        self.changed_by.setdefault(where, set()).add(wave)
        touches_lds = touches_global = False
        new_values, new_reads = [], []
        for lane, elements in step.spread.items():
            data = step.values.get(lane, ()) if step.values else ()
            used = 0
            for space, at, size in elements:
                lds = space == "lds"
                touches_lds |= lds
                touches_global |= not lds
                own = data[used:used + max(1, size // 4)]
                used += max(1, size // 4)
                known = before[lds] if code.atomic else (self.lds_clocks if lds else self.clocks).of(wave)
                for byte in range(at, at + size, self.grain):
                    where = (space, group if lds else None, byte)
                    value = None
                    if code.store and own:
                        dword = own[min((byte - at) // 4, len(own) - 1)]
                        value = dword if self.grain == 4 else dword >> 8 * ((byte - at) % 4) & 255
                        if "d16_hi" in code.name:
                            value = dword >> 16 + 8 * ((byte - at) % 4) & 255
                    if where in self.late_at:
                        self.meet_late(where, step)
                    if where in self.last_write:
                        self.meet_writes(where, step, known, value)
                    changes = code.store or code.atomic or (code.to_lds and lds)
                    there = code.store and value is not None and self.value.get(where) == value
                    if changes and where in self.reads and (self.chance or not there):
                        self.meet_reads(where, step, known)
                    if changes:
                        new_values.append((where, value))
                    else:
                        new_reads.append(where)
        kind = "atomic" if code.atomic else "store"
        for where, value in new_values:
            same = code.store and value is not None and self.value.get(where) == value and where in self.last_write
            if self.chance or not same:
                held = self.last_write.setdefault(where, {})
                if kind == "store" and not self.chance:
                    held.clear()  # behind an atomic access, what was stored before it matters still
                gives_back = wave in self.changed_by.get((where[0], where[1], where[2] // 4), ())
                held[(wave, step.pc) if self.chance else kind] = (wave, number, step.pc, kind, op, gives_back)
                if not self.chance:
                    self.reads.pop(where, None)
            self.value[where] = value
        for where in new_reads:
            held = (wave, number, step.pc, code.past_l1 and code.space != "lds")
            self.reads.setdefault(where, {})[wave, step.pc] = held
        if touches_lds:
            self.outstanding[wave].append((number, op))
            self.lds_writes[wave, number] = (step.pc, code.atomic, [where for where, _ in new_values if where[0] == "lds"])
        if touches_global and (code.store or code.atomic):
            self.stores[wave] = [pair for pair in self.stores[wave] if not pair[1]["done"]] + [(number, op)]
        if code.atomic or code.store:
            self.publish(number, step)

    def publish(self, number, step):
        code, wave = step.code, step.wave
        places = {(space, wave[0] if space == "lds" else None, at // 4)
                  for elements in step.spread.values() for space, at, _ in elements}
        for where in places:
            lds = where[0] == "lds"
            clocks = (self.lds_clocks if lds else self.clocks).of(wave)
            held = dict(clocks)
            held[wave] = number if lds else self.waited_before(wave, number)
            if code.atomic and where in self.published:
                Clocks.join(held, self.published[where][0])
            self.published[where] = (held, code.atomic or wave in self.changed_by.get(where, ()))

    def waited_before(self, wave, number):
        late = [n for n, op in self.stores[wave] if not op["done"] and n != number]
        return min(late) - 1 if late else number

    def meet_late(self, where, step):
        for wave, pc, atomic in self.late_at[where]:
            if wave != step.wave and not (atomic and step.code.atomic):
                self.found.add((where[0], pc, step.pc))

    def meet_writes(self, where, step, known, value):
        for last in self.last_write[where].values():
            self.meet_write(where, step, known, value, last)

    def meet_write(self, where, step, known, value, last):
        wave, number, pc, kind, op, gives_back = last
        code = step.code
        lds = where[0] == "lds"
        if wave == step.wave:
            # a transfer to LDS is in order with nothing that LDS does
            if lds and op["flow"] is VM and not op["done"] and code.flow is not VM:
                self.found.add(("lds", pc, step.pc))
            return
        if lds and (wave, number) in self.late:
            if not (kind == "atomic" and code.atomic):
                self.found.add((where[0], pc, step.pc))
            return
        if known.get(wave, -1) >= number:
            return
        if kind == "atomic" and (code.atomic or not lds):
            if code.atomic or code.past_l1 or code.store:
                return
        if code.atomic and (not lds or gives_back):
            return
        if code.load and code.past_l1 and not lds:
            return
        if code.store and value is not None and self.value.get(where) == value:
            return
        self.found.add((where[0], pc, step.pc))

    def meet_reads(self, where, step, known):
        for wave, number, pc, atomic in self.reads[where].values():
            ordered = known.get(wave, -1) >= number and not (where[0] == "lds" and (wave, number) in self.late)
            if wave == step.wave or ordered or atomic:
                continue
            self.found.add((where[0], pc, step.pc))
