"""Proves the checker by mutation: one wait, barrier or s_nop at a time becomes s_nop 0 in a program's code object, and
what softgpu --check then tells is held against a walk over the instructions that were executed (walk.py).

A removal is harmful if the walk finds instructions that nothing keeps apart any more: the checker has to name one such
pair, and none that the walk does not have. Of the others nothing may be told: where nothing was outstanding, and where
what was outstanding is not used before something else waits for it ("unused").

usage: mutate.py SOFTGPU [--gpu NAME] [--only KIND] [--every N] [--sample N [--seed SEED]] [--most LINES]
                 [--table FILE [--mark NAME]] [--least PERCENT] [-v] PROGRAM[:WORD...] ...
WORDs are the program's arguments. With --every N each Nth removal is tried; with --sample N of each kind as many as
that, drawn from a run's places by SEED, and the table says of how many. What an earlier run of the same file has
executed is no place of a later one. A program whose trace has more than --most lines is left out, and named. --table
puts this GPU's rows into FILE, between the marks called NAME, if anything was removed. The GPU is that of SOFTGPU_GPU
unless named; status 77: the walk does not know its wait states.
"""
from __future__ import annotations  # PyPy, which walks several times as fast, may be of an older Python

import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import typing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu
import walk

NOP = struct.pack("<I", 0xbf800000)
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
KINDS = walk.KINDS
FAMILIES = "hazard,sync,race,init"
Site = collections.namedtuple("Site", "at kind text pc kernels")  # at: offset in the executable's file
PLACE = re.compile(r"\S+ #\d+ group \S+ wave \d+ ([0-9a-f]+): ((?:s_(?:wait|barrier|nop)|v_nop)[^;]*)")
START = re.compile(r"\S+ #\d+ group \S+ wave \d+ ([0-9a-f]+): ")
RAN = re.compile(r"^kernel (\S+)$", re.MULTILINE)  # of --stats
LONGEST = 600  # seconds that a run may take
NEVER = "the wave has never written "  # so begin the checker's notes of registers, which no barrier is for


class Run(typing.NamedTuple):
    """A program under the checker: the findings, its status, which is None if it was ended after LONGEST, the kernels that
    have run, and the lines of its trace, if it was traced."""
    found: list
    status: int | None
    kernels: frozenset
    lines: dict | None = None

    def shows(self, site):
        """Whether silence about the site's kernels means something: they have run, and the program has ended by itself.
        Programs that find their results wrong end with 1."""
        return self.status in (0, 1) and site.kernels <= self.kernels


class Program:
    """An executable with a code object in it, or a code object."""

    def __init__(self, path, gpu):
        self.path = path
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.begin = self.find(gpu)
        self.functions = self.symbols()

    def find(self, gpu):
        at = self.bytes.find(BUNDLE)
        if at < 0:
            return 0
        count, where = struct.unpack_from("<Q", self.bytes, at + len(BUNDLE))[0], at + len(BUNDLE) + 8
        for _ in range(count):
            offset, _, length = struct.unpack_from("<QQQ", self.bytes, where)
            name = self.bytes[where + 24:where + 24 + length].decode()
            where += 24 + length
            if gpu in name:
                return at + offset
        raise LookupError(f"{self.path} has no code for {gpu}")

    def symbols(self):
        """By mangled name: address, offset in the file, size, of functions; mutants know them by these."""
        elf = memoryview(self.bytes)[self.begin:]
        table, = struct.unpack_from("<Q", elf, 0x28)
        size, count = struct.unpack_from("<HH", elf, 0x3a)
        sections = [struct.unpack_from("<IIQQQQIIQQ", elf, table + size * k) for k in range(count)]
        found = {}
        for section in sections:
            if section[1] not in (2, 11):  # SHT_SYMTAB, SHT_DYNSYM
                continue
            names = sections[section[6]][4]
            for k in range(section[5] // 24):
                name, info, _, index, value, length = struct.unpack_from("<IBBHQQ", elf, section[4] + 24 * k)
                if info & 15 != 2 or not 0 < index < count:
                    continue
                start = self.begin + names + name
                text = self.bytes[start:self.bytes.index(b"\0", start)].decode()
                home = sections[index]
                found[text] = (value, self.begin + home[4] + value - home[3], length)
        return found

    def function_at(self, address):
        for name, (value, at, length) in self.functions.items():
            if value <= address < value + length:
                return name, at + address - value
        return None


def demangled(names):
    names = list(names)
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.splitlines()))


class Proof:
    def __init__(self, args):
        self.args = args
        self.rows = collections.Counter()
        self.known = set()  # files and offsets in them: places of earlier runs
        self.wrong = []
        self.left_out = []
        self.excused = collections.Counter()  # by rule of consequences(): they are neither found nor false

    def command(self, *options):
        gpu = self.args.gpu
        return [self.args.softgpu, "--gpu", gpu, "--cus", str(suite_gpu.units_of(gpu)), "--threads", "1", *options, "--"]

    def trace(self, path, words):
        with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
            ended = True
            with subprocess.Popen([*self.command("--trace", "--trace-file", folder + "/lines"), path, *words],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(LONGEST)
                except subprocess.TimeoutExpired:
                    process.kill()
                    ended = False
            lines = self.lines(folder + "/lines")
            if not ended and lines is not None:  # they are not all
                raise RuntimeError(f"{path} {words} has not ended within {LONGEST} s")
            return lines

    def lines(self, path, wanted=None):
        """The lines of a trace by kernel, those of `wanted` or of all; None: they are too many."""
        lines, count = {}, 0
        with open(path, encoding="utf-8") as f:
            for line in f:
                if not line.startswith("_Z"):
                    continue
                kernel = line.partition(" ")[0]
                if wanted and kernel not in wanted:
                    continue
                lines.setdefault(kernel, []).append(line)
                count += 1
                if count > self.args.most:
                    return None
        return lines

    def findings(self, path, words):
        """What the checker tells of a program as it is."""
        run = self.checked(path, words)
        if run.status != 0:
            raise RuntimeError(f"{path} {words} has ended with {run.status}")
        return run.found

    def checked(self, path, words, trace=None, kernels=()):
        """The program under the checker; with `trace`, a file, the instructions of the same run go there, of `kernels`."""
        with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
            options = (f"--check={FAMILIES}", "--check-format", "json", "--check-output", folder + "/found", "--stats",
                       *((trace_of(kernels), "--trace-file", trace) if trace else ()))
            status, told = None, ""
            try:
                done = subprocess.run([*self.command(*options), path, *words], capture_output=True, text=True, timeout=LONGEST,
                                      check=False)
                status, told = done.returncode, done.stderr
            except subprocess.TimeoutExpired:
                pass
            records = []
            if os.path.exists(folder + "/found"):  # what is killed has written whole lines
                with open(folder + "/found", encoding="utf-8") as f:
                    records = [json.loads(line) for line in f]
            if status in (0, 1) and not any(r["record"] == "summary" for r in records):
                raise RuntimeError(f"{path} {words} has ended with {status}, without a summary: {told}")
            if trace and os.path.exists(trace):  # which the statistics follow
                with open(trace, encoding="utf-8") as f:
                    told += "".join(line for line in f if line.startswith("kernel "))
            return Run([r for r in records if r["record"] == "finding"], status, frozenset(RAN.findall(told)))

    def prove(self, path, words):
        lines = self.trace(path, words)
        if not lines and lines is not None:
            raise RuntimeError(f"{path} {words} has executed nothing")
        if lines is None:
            self.left_out.append(os.path.basename(path))
            return
        program = Program(path, self.args.isa)
        subject = Subject(program, lines, demangled(program.functions), self.args.isa)
        before = [subject.pair(f) for f in self.findings(path, words)]
        sites = [s for s in subject.sites() if (path, s.at) not in self.known]
        self.known |= {(path, s.at) for s in sites}
        self.rows.update((s.kind, "places") for s in sites)
        for batch, run in self.mutants(program, words, self.chosen(sites)):
            together = len(batch) == 1 or all(map(run.shows, batch))
            for site in batch:  # one of them may have kept the kernels of others from running
                self.judge(subject, words, site, run if together else self.mutant(program, words, [site.at]), before)
            if self.args.v:
                print(*self.table().splitlines()[2:], *self.wrong, sep="\n", file=sys.stderr, flush=True)

    def chosen(self, sites):
        if self.args.only:
            sites = [s for s in sites if s.kind == self.args.only]
        if self.args.sample:
            draw, drawn = random.Random(self.args.seed), []
            for kind in KINDS:
                of_kind = [s for s in sites if s.kind == kind]
                drawn += draw.sample(of_kind, min(self.args.sample, len(of_kind)))
            draw.shuffle(drawn)  # so that what a run has done is a sample of all, too, if it is stopped
            sites = drawn
        return sites[self.args.begin::self.args.every]

    def mutants(self, program, words, sites):
        """Each batch with its run. A walk takes longer than a run: that of the next batch goes on beside the walk over this one."""
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            started = collections.deque()
            for batch in batches(sites):
                started.append((batch, pool.submit(self.mutant, program, words, [s.at for s in batch])))
                if len(started) == 2:
                    first, run = started.popleft()
                    yield first, run.result()
            for last, run in started:
                yield last, run.result()

    def mutant(self, program, words, places, traced=()):
        """The changed program under the checker, traced if kernels are named."""
        changed = bytearray(program.bytes)
        for at in places:
            changed[at:at + 4] = NOP
        with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
            path = os.path.join(folder, os.path.basename(program.path))
            with open(path, "wb") as f:
                f.write(changed)
            os.chmod(path, 0o755)
            trace = os.path.join(folder, "lines") if traced else None
            run = self.checked(path, words, trace, traced)
            return run._replace(lines=self.lines(trace, traced)) if trace and os.path.exists(trace) else run

    @staticmethod
    def compare(subject, site, harmful, found, before, astray=frozenset()):
        """What was told of the kernels with the site, what of it is right, and how many were excused by which rule. `astray`: of
        strayed()."""
        own = [(subject.pair(f), f.get("note") or "", subject.kernel(f)) for f in found if subject.kernel(f) in site.kernels]
        told, excused = {pair for pair, _, _ in own} - set(before), {}
        if site.kind == "s_barrier":
            excused = consequences(harmful, astray, [of for of in own if of[0] in told])
        left = told - excused.keys()
        return left, among(harmful, left), collections.Counter(excused.values())

    def again(self, subject, words, site, harmful, before):
        """Without it waves may take another way than in the run that was walked over: once more, the site alone, with a
        walk over the very run that is checked. What was harmful in the first run is so all the same."""
        run = self.mutant(subject.program, words, [site.at], site.kernels)
        was = in_memory(subject.pairs(None, site.kernels, True))  # with nothing left out, so that it is no reason to tell
        by_chance, astray = in_memory(subject.pairs(site, None, True)) - was, set()
        if run.lines:
            same = Subject(subject.program, run.lines, subject.names, subject.isa, removals=False)
            harmful = harmful | (same.pairs(None, site.kernels) - subject.pairs(None, site.kernels))
            by_chance |= in_memory(same.pairs(None, site.kernels, True)) - was
            astray = strayed(same.astray(site.kernels), subject.astray(site.kernels),
                             {k for k in site.kernels if len(same.dispatches(k)) != len(subject.dispatches(k))})
        told, right, excused = self.compare(subject, site, harmful, run.found, before, astray)
        # the walk has the last store of each place alone, and only if it changes something: others need not be told, but may be
        return run, harmful, told - (among(by_chance, told) - right), right, excused

    def judge(self, subject, words, site, run, before):
        harmful = subject.pairs(site) - subject.pairs(None, site.kernels)
        told, right, excused = self.compare(subject, site, harmful, run.found, before)
        if run.status is not None and (told - right or (harmful and not right)):
            run, harmful, told, right, excused = self.again(subject, words, site, harmful, before)
        key = site.kind
        self.excused.update(excused)
        self.rows[key, "removed"] += 1
        if harmful:
            self.rows[key, "harmful"] += 1
            self.rows[key, "found"] += bool(right)
            if not right:
                self.wrong.append(story("missed", subject, site, harmful, told))
        else:
            used = "unused" if site.kind == "s_waitcnt" and subject.in_flight(site) else "idle"
            self.rows[key, used] += 1
            if not run.shows(site):  # silence of what has not run says nothing
                self.rows[key, "not run"] += 1
                self.wrong.append(story(f"not run, status {run.status}", subject, site, harmful, told))
        if told - right:
            self.rows[key, "false"] += 1
            self.wrong.append(story("false", subject, site, harmful, told - right))

    def table(self):
        lines = ["| GPU | left out | times | harmful | found | | nothing outstanding | outstanding, not used | told without reason |",
                 "|---|---|---|---|---|---|---|---|---|"]
        for kind in KINDS:
            if not self.rows[kind, "places"]:
                continue
            n = {key: self.rows[kind, key] for key in ("removed", "harmful", "found", "idle", "unused", "false")}
            share = f"{100 * n['found'] / n['harmful']:.1f} %" if n["harmful"] else ""
            of = f" of {self.rows[kind, 'places']}" if self.args.sample else ""
            lines.append(f"| {self.args.isa} | `{kind}` | {n['removed']}{of} | {n['harmful']} | {n['found']} | {share} | {n['idle']} | "
                         f"{n['unused']} | {n['false']} |")
        return "\n".join(lines)


class Subject:
    """A program's dispatches, and where their instructions are. A kernel's lines are read when they are walked over."""

    def __init__(self, program, lines, names, isa, removals=True):
        self.program, self.names, self.isa, self.removals = program, names, isa, removals
        self.by_name = {plain: mangled for mangled, plain in names.items()}
        self.lines = {kernel: of for kernel, of in lines.items() if kernel in program.functions}
        self.steps, self.along, self.in_memory, self.memo = {}, {}, {}, {}
        self.bias = 0
        for kernel, of in self.lines.items():
            first = next(filter(None, map(START.match, of)), None)
            if first:  # one code object: its functions have one bias
                self.bias = int(first[1], 16) - program.functions[kernel][0]

    def dispatches(self, kernel):
        if kernel not in self.steps:
            self.steps[kernel] = [steps for steps in walk.read_trace(self.lines.get(kernel, []), self.isa).values() if steps]
        return self.steps[kernel]

    def place(self, pc):
        """Function and offset in it."""
        found = self.program.function_at(pc - self.bias)
        return (found[0], pc - self.bias - self.program.functions[found[0]][0]) if found else ("?", pc)

    def sites(self):
        seen = {}
        for kernel, lines in self.lines.items():
            for line in lines:
                place = PLACE.match(line)
                if place:
                    code = walk.Code(place[2].strip(), walk.GPUS[self.isa])
                    if code.place:
                        seen.setdefault(int(place[1], 16), (code, set()))[1].add(kernel)
        made = []
        for pc, (code, kernels) in sorted(seen.items()):
            where = self.program.function_at(pc - self.bias)
            if where:
                made.append(Site(where[1], code.place, code.text, pc, frozenset(kernels)))
        return made

    def pairs(self, site, kernels=None, chance=False):
        """What the walk finds without the instruction at `site`, or with all instructions: (kind, producer, consumer)."""
        found = set()
        for kernel in site.kernels if site else kernels:
            key = (kernel, site.pc if site else None, chance)
            if key not in self.memo:
                self.memo[key] = self.walk(*key)
            found |= self.memo[key]
        return found

    def walk(self, kernel, without, chance):
        along = self.registers(kernel)
        found = along.kept | along.without.get(without, set())
        found |= self.memory(kernel, without if without in along.seen else None, chance)
        return {(kind, self.place(a), self.place(b)) for kind, a, b in found}

    def registers(self, kernel):
        """One walk for all that may be left out, along each way that a wave has taken."""
        if kernel not in self.along:
            self.along[kernel] = made = walk.Registers(self.isa, self.removals)
            seen = set()
            for steps in self.dispatches(kernel):
                paths = {}
                for step in steps:
                    paths.setdefault(step.wave, []).append(step)
                for path in paths.values():
                    shape = tuple((s.pc, s.exec, s.counters) for s in path)
                    if shape not in seen:
                        seen.add(shape)
                        made.follow(path)
        return self.along[kernel]

    def memory(self, kernel, without, chance):
        key = (kernel, without, chance)
        if key not in self.in_memory:
            self.in_memory[key] = found = set()
            for steps in self.dispatches(kernel):
                if len({s.wave for s in steps}) > 1 or any(s.code.to_lds for s in steps):
                    found |= walk.memory_walk(steps, without, chance)
        return self.in_memory[key]

    def astray(self, kernels):
        """Reads of LDS to which nobody had written, each byte of each wave for itself, as others may have read so before, and barriers
        at which waves have not met all others: (what, place, kernel, what else tells it from others)."""
        found = set()
        for kernel in kernels:
            for number, steps in enumerate(self.dispatches(kernel)):
                found |= {("unwritten", self.place(pc), kernel, (number, wave, byte)) for pc, wave, byte in walk.unwritten_reads(steps)}
                found |= {("apart", self.place(pc), kernel, None) for pc in walk.barriers_apart(steps)}
        return found

    def in_flight(self, site):
        """Whether something was outstanding, once, that the s_waitcnt waits for."""
        return any(site.pc in self.registers(kernel).waited for kernel in site.kernels)

    def kernel(self, finding):
        return self.by_name.get(finding["at"].get("kernel"))

    def pair(self, finding):
        kinds = {"hazard-wait": "wait", "hazard-nop": "nop", "hazard-lds": "lds",
                 "hazard-lds-write": "lds", "race-lds": "lds", "race-global": "global"}
        own, other = finding["at"], finding.get("other", {})

        def place(at):
            return (self.by_name.get(at.get("function"), at.get("function")), at.get("offset"))
        return (kinds.get(finding["kind"], finding["kind"]), place(other), place(own))


def story(what, subject, site, harmful, told):
    harmful, told = (sorted(pairs, key=str)[:4] for pairs in (harmful, told))
    return f"{what}: {os.path.basename(subject.program.path)} {subject.place(site.pc)} {site.text}\n  walk {harmful}\n  told {told}"


def trace_of(kernels):
    """The option; of several kernels all are traced."""
    return "--trace=" + min(kernels) if len(kernels) == 1 else "--trace"


def among(pairs, told):
    """Those of `told` that are pairs of the walk. Of two accesses to memory either may come first in a run."""
    return {p for p in told if p in pairs or (p[0] in ("lds", "global") and (p[0], p[2], p[1]) in pairs)}


def in_memory(pairs):
    return {p for p in pairs if p[0] in ("lds", "global")}


def places_of(pair):
    return {pair[1], pair[2]} - {(None, None)}


def strayed(here, before, recounted):
    """What Subject.astray() has of a run, `here`, and not of the first one, `before`, without what tells the reads of a place
    apart; "also" stands for reads of unwritten LDS that both have. A kernel of `recounted` was not dispatched as often as in the first
    run, so that the numbers of its dispatches do not tell which reads are the same: any that is of the same place and byte is one."""
    def known(of):
        what, place, kernel, read = of
        return (what, place, kernel, read[2]) if read and kernel in recounted else of
    was = set(map(known, before))
    both = {of for of in here if known(of) in was}
    return {of[:3] for of in here - both} | {("also", *of[1:3]) for of in both if of[0] == "unwritten"}


def consequences(harmful, astray, own):
    """Of the checker's pairs, each with its note and its kernel, those that come of waves that have gone on without a barrier, and the
    rule by which each is excused: that waves are at other barriers than others, and uninitialized values, of LDS that nobody has written. Such a pair has a consumer alone, or
    is told where the value matters, with who has read it: an instruction that comes too early, or one that has read unwritten
    LDS in that run, as waves have written elsewhere. What is computed of such a value may be told without a place where it was
    read: of a kernel in which unwritten LDS was read. So may what was read as in the first run, but did not matter there, if the
    barrier keeps accesses to LDS apart, and in the kernel that read it."""
    unwritten, apart = ({place for what, place, _ in astray if what == kind} for kind in ("unwritten", "apart"))
    readers = {later for kind, _, later in harmful if kind == "lds"} | unwritten
    uninitialized = [(p, note, kernel) for p, note, kernel in own if p[0].startswith("uninit")]
    named = {(p, kernel) for p, _, kernel in uninitialized if readers & {p[1], p[2]}}
    also = {(place, kernel) for what, place, kernel in astray if what == "also" and any(p[0] == "lds" for p in harmful)}
    read_in = {kernel for _, kernel in named} | {kernel for what, _, kernel in astray if what == "unwritten"}
    excused = {p: "met at other barriers" for p, _, _ in own if p[0].startswith("barrier-") and places_of(p) and places_of(p) <= apart}
    for pair, note, kernel in uninitialized:
        if (pair, kernel) in named:
            excused[pair] = "read too early, or elsewhere"
        elif kernel in read_in and not note.startswith(NEVER):
            if pair[1] == (None, None):
                excused[pair] = "no place where it was read"
            elif (pair[1], kernel) in also:
                excused[pair] = "read as in the first run"
    return excused


def batches(sites):
    """Sites that no kernel executes two of are one run."""
    left = list(sites)
    while left:
        taken, batch, rest = set(), [], []
        for site in left:
            if taken & site.kernels:
                rest.append(site)
            else:
                taken |= site.kernels
                batch.append(site)
        yield batch
        left = rest


def write_table(path, mark, table, isa):
    """Other GPUs' rows stay."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    begin, end = text.index(f"<!-- {mark}:"), text.index(f"<!-- end of {mark} -->")
    begin = text.index("\n", begin) + 1
    lines = table.splitlines()
    others = [line for line in text[begin:end].splitlines()[2:] if not line.startswith(f"| {isa} |")]
    rows = sorted([*others, *lines[2:]], key=lambda line: line.split("|")[1])  # of one GPU in the order that they have
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join([text[:begin] + lines[0], lines[1], *rows, text[end:]]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("softgpu")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--gpu", default=suite_gpu.PRODUCT)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=1000000)
    parser.add_argument("--least", type=float, default=98)
    parser.add_argument("--table")
    parser.add_argument("--mark", default="mutation")
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    args.isa = suite_gpu.arch_of(args.gpu)
    if args.isa not in walk.GPUS:
        print(f"skipped: families.py does not have {args.gpu}, {args.isa}")
        return 77
    proof = Proof(args)
    for text in args.programs:
        path, _, words = text.partition(":")
        if args.v:
            print(text, file=sys.stderr, flush=True)
        proof.prove(path, words.split(":") if words else [])
    print(proof.table())
    removed = sum(proof.rows[kind, "removed"] for kind in KINDS)
    if args.table and removed:
        write_table(args.table, args.mark, proof.table(), args.isa)
    for text in proof.wrong:
        print(text)
    if proof.excused:
        print(f"{sum(proof.excused.values())} findings are consequences of barriers that were left out: "
              + ", ".join(f"{rule} {n}" for rule, n in sorted(proof.excused.items())))
    for name in proof.left_out:
        print(f"{name} is left out: its trace is too long")
    if not removed:
        print("nothing was removed")
    harmful, found, false, not_run = (sum(proof.rows[kind, key] for kind in KINDS) for key in ("harmful", "found", "false", "not run"))
    return int(not removed or bool(false + not_run) or 100 * found < args.least * harmful)


if __name__ == "__main__":
    sys.exit(main())
