#!/usr/bin/env python3
"""Everything that can fail, failing: one line of report for each class, what was tried and what survived.

usage: faults.py BUILD [--full [--every]] [--seed N] [--only KIND] [--at N] [CLASS...]

Classes are tool, rocprofv3, convert, sdk, counted, buffered, roctracer, attach, softgpu (each with the kinds of
calls that inject.c fails, one after the other), kill and disks. Without --full a choice of the calls fails, the
same for the same seed, of those with the same stack one in a class; with it, of all calls that have the same stack
the first, the last and one in between, and from the first on all that follow; with --every all.
--at shows one case: what failed, from where, and all that was printed.
"""
import argparse
import atexit
import concurrent.futures
import glob
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import suite_gpu
from runs import (CONVERSION_FAILED, Place, Result, execute, judge, judge_attached, judge_checked, judge_program,
                  judge_rocprof, judge_tracer)

KINDS = ("memory", "map", "open", "write", "size", "thread", "name")
LASTING = ("memory", "open", "write", "size")  # are also tried as: from here on all fail
USUAL = ("memory", "open", "write")
FORMATS = ("csv", "json", "pftrace", "rocpd")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build")
parser.add_argument("classes", nargs="*")
parser.add_argument("--full", action="store_true")
parser.add_argument("--every", action="store_true")
parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
parser.add_argument("--only", choices=KINDS)
parser.add_argument("--at")
args = parser.parse_intermixed_args()

BUILD = os.path.abspath(args.build)
HERE = BUILD + "/tests/faults"
FAKE = BUILD + "/tests/whole/rocprofv3"
ROCPROFV3 = BUILD + "/bin/rocprofv3"
INJECTOR = HERE + "/libfaults.so"
TOOL = "librocprofiler-sdk-tool"
OURS = ":".join((TOOL, "librocprofiler-sdk.so", "librocprofiler-register", "librocprofiler-hip-bridge",
                 "librocprofiler-sdk-roctx"))
workers = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
chance = random.Random(args.seed)


class Report:
    """Lines on standard output; status 1 if anything has not survived."""

    failed = False

    def line(self, name, tried, problems, note=""):
        print(f"{name:32} {tried:6} tried {tried - len(problems):6} survived{note}", flush=True)
        for problem in problems[:10]:
            print("   " + problem.replace("\n", "\n      "), flush=True)
        self.failed |= bool(problems) or not tried


report = Report()


def environment(**more):
    drop = ("ROCP", "HSA_", "LD_PRELOAD", "FAULTS_", "SOFTGPU_")
    return {**{k: v for k, v in os.environ.items() if not k.startswith(drop) or k == "SOFTGPU_GPU"}, **more}


def root_of_fakes():
    """An installation whose SDK makes the records that the test program asks for, see tests/whole/rocprofv3."""
    root = tempfile.mkdtemp(prefix="root.", dir=HERE)  # classes run at the same time
    atexit.register(shutil.rmtree, root)
    os.makedirs(root + "/lib/softgpu")
    others = {"librocprofiler-sdk-tool.so.1": BUILD + "/lib/librocprofiler-sdk-tool.so.1",
              "librocprofiler-sdk.so.1": FAKE + "/librocprofiler-sdk.so.1"}
    for path in glob.glob(BUILD + "/lib/*.so*") + glob.glob(BUILD + "/lib/softgpu/*.so"):
        name = os.path.relpath(path, BUILD + "/lib")
        os.symlink(others.get(name, FAKE + "/librocprofv3_empty.so"), f"{root}/lib/{name}")
    return root


def profile(out, *options, program, root=None):
    return [ROCPROFV3, *(["--rocm-root", root] if root else []), "--gpu", "soft", "-d", out, "-o", "x", *options,
            "--", *program]


# ---- calls that fail, one after the other ----

class Target:
    """Something that runs: `program` is where calls fail, in `objects`; `most`: as many calls of a kind fail in the
    short form; `theirs`: a crash in other objects than ours is the runtime's, to which a driver without memory is
    new. It is counted apart. `sample`: of so many stacks a kind is tried in the long form, where others have tried
    the rest. `tried`: how often calls of each kind and stack have failed, over the targets that share it. `kinds` are
    those of the short form, where others have tried the rest."""

    SAME = 1  # of the calls with the same stack that fail in the short form; the long form has three of them

    def __init__(self, name, program, objects, command, prepare=None, judge=judge, most=16, theirs=False,
                 sample=None, tried=None, kinds=KINDS):
        self.name, self.program, self.objects, self.command = name, program, objects, command
        self.tried = {} if tried is None else tried
        self.kinds = KINDS if args.full else kinds
        self.prepare, self.judge, self.most, self.theirs, self.sample = prepare, judge, most, theirs, sample

    def run(self, kind=None, at=0):
        """The result, whether the call was reached, whose it was, the log."""
        with Place() as place:
            if self.prepare:
                self.prepare(place)
            faults = {}
            if kind:  # without a number: where each call comes from, of all kinds
                faults = dict(FAULTS_CALL=kind, FAULTS_AT=str(at), FAULTS_PROGRAM=self.program,
                              FAULTS_IN=self.objects, FAULTS_LOG=place.log, LD_PRELOAD=INJECTOR)
                if not at:
                    faults["FAULTS_PLACES"] = "1"
                if self.theirs:
                    faults["FAULTS_CRASHES"] = "1"
                if args.at:
                    faults["FAULTS_STACKS"] = "1"
            got = execute(self.command(place), environment(**faults), place.out, place.path)
            lines = place.lines()
            if args.at and at:
                print(*(" ".join(words) for words in lines), sep="\n")
                print(got.status, got.stdout, got.stderr, got.files)
            if got.kept and got.status is not None:
                got.later = execute([ROCPROFV3, "convert", place.out], environment(), place.out, place.path)
        whose = [words for words in lines if words[0] == kind]
        return got, bool(whose), whose, lines

    def problem(self, kind, at):
        """Whether the call was reached, what is wrong, whether the runtime has crashed."""
        got, reached, whose, lines = self.run(kind, at)
        crash = [words[2] for words in lines if words[0] == "crash" and BUILD not in words[2]]
        wrong = None if crash else self.judge(got, self.clean)
        if not wrong and getattr(got, "later", None):
            later = got.later
            if later.status != 0 or later.broken or later.uneven() or later.kept:
                wrong = f"not converted later: {later.status} {later.broken} {later.stderr}"
        if wrong:
            where = os.path.basename(whose[0][2]) if whose else "not reached"
            wrong = f"{self.name}: {kind} {at} ({where}): {wrong}\n{got.stderr.strip()}"
        return reached, wrong, bool(crash)

    def fresh(self, kind, numbers, stacks):
        """Those of the numbers whose stack has not been tried as often as is enough."""
        stack_of = {number: (kind, stack) for stack, same in stacks.items() for number in same}
        left = []
        for number in numbers:
            stack = stack_of.get(number, number)
            if self.tried.get(stack, 0) < self.SAME:
                left.append(number)
            self.tried[stack] = self.tried.get(stack, 0) + 1
        return left

    def choose(self, kind, lines):
        """How many calls there are, the numbers of those that fail, and of those from which on all do: see above;
        in the short form the first few and one out of each equal part of the rest."""
        own = [words for words in lines if words[0] in ("end", "place") and words[-1] == kind]
        count = max((int(words[1]) for words in own), default=0)
        stacks = {}
        for what, number, *where in own:
            if what == "place":
                stacks.setdefault(where[0], []).append(int(number))
        if args.full:
            if self.sample and not args.every:
                stacks = dict(chance.sample(sorted(stacks.items()), min(self.sample, len(stacks))))
            some = {n for numbers in stacks.values() for n in (
                numbers if args.every else (numbers[0], chance.choice(numbers), numbers[-1]))}
            return count, sorted(some), sorted(some if args.every else (numbers[0] for numbers in stacks.values()))
        first = min(count, self.most // 2)
        rest = min(count - first, self.most - first)
        numbers = list(range(1, first + 1))
        for i in range(rest):
            low, high = first + 1 + (count - first) * i // rest, first + (count - first) * (i + 1) // rest
            numbers.append(chance.randint(low, max(low, high)))
        numbers = self.fresh(kind, numbers, stacks)
        return count, numbers, numbers[::4]

    def all(self):
        self.clean = self.run()[0]
        wrong = self.judge(self.clean, self.clean)
        if wrong or self.clean.told or self.clean.status != 0:
            report.line(self.name, 1, [f"without faults: {wrong} {self.clean.status}\n{self.clean.stderr}"])
            return
        lines = self.run("all")[3]
        for kind in self.kinds:
            if args.only and kind != args.only:
                continue
            count, numbers, lasting = self.choose(kind, lines)
            tries = [(kind, n) for n in numbers]
            if kind in LASTING:
                tries += [(kind, f"{n}+") for n in lasting]
            if args.at:
                tries = [(kind, args.at)]
            if not tries:
                continue
            results = list(workers.map(lambda t: self.problem(*t), tries))
            missed = sum(not reached for reached, *_ in results)
            crashed = sum(crash for *_, crash in results)
            report.line(f"{self.name}: {kind}", len(tries), [wrong for _, wrong, _ in results if wrong],
                        f" of {count} calls" + (f", {missed} not reached" if missed else "") +
                        (f", {crashed} crash in the runtime" if crashed else ""))


def tool():
    root = root_of_fakes()
    Target("tool", "subject", TOOL, lambda place: profile(
        place.out, "-s", "-f", "csv", "json", program=(FAKE + "/subject",), root=root)).all()


def rocprofv3():
    root = root_of_fakes()
    Target("rocprofv3", "rocprofv3", "", lambda place: profile(
        place.out, "-s", "-f", "csv", "--stats", "-S", program=(FAKE + "/subject",), root=root)).all()


def abandoned(out, form, root, *words):
    """A run whose program was killed, and whose rocprofv3 was before it: its store stays in `out`."""
    process = subprocess.Popen(profile(out, "-s", "-f", *form.split(), program=(FAKE + "/subject", *words), root=root),
                               env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               start_new_session=True)
    if process.stdout.readline() != "ready\n":
        sys.exit("the test program does not start")
    time.sleep(0.3)  # for a delivery; fewer records do as well
    program = os.pidfd_open(child_of(process.pid))
    process.kill()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    select.select([program], [], [])  # the files of a killed process are closed before the process has ended
    os.close(program)
    process.stdout.read()
    process.stdout.close()


def convert():
    root = root_of_fakes()
    # enough for several threads, where there are as many CPUs
    several = ("csv json pftrace", "wait-many", str(MANY))
    tried = {}  # all formats begin with the same calls
    for form, *words in [(form, "wait") for form in FORMATS] + [several]:
        with Place() as store:
            abandoned(store.out, form, root, *words)
            Target(f"convert to {form}", "rocprofv3", "", lambda place: [ROCPROFV3, "convert", place.out],
                   prepare=lambda place: shutil.copytree(store.out, place.out), tried=tried, most=4).all()


def sdk():
    Target("profiled HIP program", "traced", OURS, lambda place: profile(
        place.out, "--kernel-trace", "--memory-copy-trace", "--hip-trace", "-f", "csv", program=(FAKE + "/traced",)),
        most=2).all()


def counted():
    """Counters: by the SDK, and by the first generation's library and command."""
    Target("counted HIP program", "traced", OURS + ":libhsa-amd-aqlprofile64", lambda place: profile(
        place.out, "--pmc", "SQ_WAVES", "GPU_UTIL", "--kernel-include-regex", ".", "-f", "csv",
        program=(FAKE + "/traced",)), most=2).all()

    def ask(place):
        os.mkdir(place.out)
        with open(place.path + "/in.txt", "w") as f:
            f.write("pmc: SQ_WAVES GPU_UTIL\n")
    Target("rocprof", "traced", "librocprofiler64:librocprof-tool:libhsa-amd-aqlprofile64", lambda place: [
        BUILD + "/bin/rocprof", "--gpu", "soft", "--timestamp", "on", "-i", place.path + "/in.txt",
        "-o", place.out + "/x.csv", FAKE + "/traced"], prepare=ask, judge=judge_rocprof, most=1, kinds=USUAL).all()


def buffered():
    """A tool that counts in a buffer: what is not delivered has to be counted as dropped."""
    counting = BUILD + "/tests/sdk/counters"
    Target("tool that counts in a buffer", "shapes", OURS, lambda place: [
        "env", f"ROCP_TOOL_LIBRARIES={counting}/libcount_tool.so", "COUNT_BUFFER=1000000",
        f"HSA_TOOLS_LIB={BUILD}/lib/librocprofiler-register.so.0", f"LD_LIBRARY_PATH={BUILD}/lib",
        BUILD + "/bin/softgpu", "--", counting + "/shapes", "leave"], judge=judge_tracer, most=1, sample=60, kinds=USUAL).all()


def roctracer():
    Target("program on roctracer", "kineto", OURS + ":libroctracer64", lambda place: [
        ROCPROFV3, "--gpu", "soft", "--", BUILD + "/tests/roctracer/kineto"], judge=judge_tracer, most=1,
        kinds=USUAL).all()


def attach():
    """What is the same in a run of its own is among "rocprofv3"."""
    Target("attached program", "rocprofv3", "", lambda place: [
        sys.executable, os.path.dirname(os.path.abspath(__file__)) + "/attach.py", BUILD, place.out],
        judge=judge_attached, most=1, sample=24, kinds=USUAL).all()


def softgpu():
    Target("HIP program on softgpu", "traced", "softgpu/lib", lambda place: [
        BUILD + "/bin/softgpu", "--", FAKE + "/traced"], judge=judge_program, most=2, theirs=True).all()
    Target("checked HIP program", "traced", "softgpu/lib", lambda place: [
        BUILD + "/bin/softgpu", "--check=all", "--", FAKE + "/traced"], judge=judge_checked, most=1, theirs=True,
           kinds=USUAL).all()
    Target("softgpu, the command", "softgpu", "", lambda place: [BUILD + "/bin/softgpu", "--cus", str(suite_gpu.UNITS), "--", "true"],
           judge=judge_program, most=8).all()


# ---- sudden ends ----

MANY = 20000


def child_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return int((f.read().split() or [0])[0])
    except FileNotFoundError:
        return 0


def await_child(process):
    while process.poll() is None:
        child = child_of(process.pid)
        if child:
            return child
    return 0


def convert_rest(place, *words):
    """What a later conversion makes of what is left, and what is wrong with it."""
    if not os.path.exists(place.out):
        return None, None
    for _ in range(100):  # of what was killed the files are closed before it is over
        rest = execute([ROCPROFV3, "convert", *words, place.out], environment(), place.out, place.path)
        if "is still running" not in rest.stderr:
            break
        time.sleep(0.05)
    if rest.status != 0 and "holds no records" not in rest.stderr:
        return rest, f"convert ends with {rest.status}: {rest.stderr}"
    if rest.broken or rest.kept:
        return rest, f"convert leaves {rest.broken} {rest.kept}: {rest.stderr}"
    return rest, f"counts do not add up: {rest.uneven()}" if rest.uneven() else None


def killed(victim, delay, root):
    """What is wrong after the program, its profiler or both were killed at a moment; None if nothing is."""
    with Place() as place:
        command = profile(place.out, "-s", "-f", "csv", program=(FAKE + "/subject", "many", str(MANY)), root=root)
        process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        program = await_child(process) if victim == "program" else 0
        time.sleep(delay)
        program = program or child_of(process.pid)
        for pid in (program if victim != "profiler" else 0, process.pid if victim != "program" else 0):
            try:
                if pid:
                    os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        stdout, stderr = process.communicate(timeout=60)  # the program has the pipes, too
        got = Result(process.returncode, stdout, stderr, place.out)
        allowed = {"program": (0, 128 + 9), "profiler": (0, -9), "both": (0, -9, 128 + 9)}[victim]
        if got.broken or got.status not in allowed:
            return f"status {got.status}, {got.broken}: {stderr}"
        rest, wrong = convert_rest(place)
        if wrong or not rest or "x_hip_api_trace.csv" not in rest.files:
            return wrong or (f"nothing is left: {stderr}" if got.status == 0 else None)
        rows = rest.files["x_hip_api_trace.csv"] - 1
        lived = victim == "profiler" or got.status == 0
        return f"{rows} of {MANY} records: {stderr} {rest.stderr}" if lived and rows != MANY else None


def kill():
    root = root_of_fakes()
    with Place() as place:
        started = time.monotonic()
        process = subprocess.Popen(profile(place.out, "-s", "-f", "csv", root=root, program=(
            FAKE + "/subject", "many", str(MANY))), env=environment(), stderr=subprocess.PIPE, text=True)
        child, born = await_child(process), time.monotonic()
        while child and os.path.exists(f"/proc/{child}"):
            time.sleep(0.0002)
        spans = {"program": time.monotonic() - born}
        told = process.communicate()[1]
        spans["profiler"] = spans["both"] = time.monotonic() - started
    if f"{MANY} written, 0 dropped" not in told:
        sys.exit(f"without faults: {told}")
    for victim, span in spans.items():
        moments = [chance.uniform(0, span) for _ in range(200 if args.full else 8)]
        problems = [f"{victim} after {delay * 1000:.3f} ms: {killed_so}" for delay, killed_so in zip(
            moments, workers.map(lambda delay: killed(victim, delay, root), moments)) if killed_so]
        report.line(f"killed: {victim}", len(moments), problems)


# ---- small disks ----

def on_disk(kibibytes, form, apart, root):
    """What is wrong after a run whose files, or store too, are on a file system of so many KiB."""
    with Place() as place:
        os.mkdir(place.out)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "none", place.out], check=True)
        try:
            more = {"ROCPROF_TMPDIR": place.path + "/stores"} if apart else {}
            command = profile(place.out, "-s", "-f", form, program=(FAKE + "/subject", "many", str(MANY)), root=root)
            got = execute(command, environment(**more), place.out, place.path)
            wrong = judge(got, disk_clean[form])
            received = sum(c[0] for c in got.counts)
            if not wrong and got.status == 0 and received != MANY and "nothing is traced" not in got.stderr:
                wrong = f"{received} of {MANY} records received"
            if not wrong and got.status == CONVERSION_FAILED and not apart:
                wrong = convert_rest(place, "-d", place.path + "/elsewhere")[1]
            return f"{wrong}\n{got.stderr}" if wrong else None
        finally:
            subprocess.run(["umount", "-l", place.out], check=False)


disk_clean = {}


def disks():
    """In a mount namespace of its own, where that is allowed."""
    if "FAULTS_NAMESPACE" not in os.environ:
        words = [sys.executable, *sys.argv[:1], args.build, "disks", "--seed", str(args.seed), *["--full"][:args.full]]
        space = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
        if subprocess.run([*space, "true"], stderr=subprocess.DEVNULL).returncode:
            print("disks: skipped, no mount namespace here")
            if args.classes == ["disks"]:
                sys.exit(77)
            return
        sys.stdout.flush()
        report.failed |= subprocess.run([*space, *words], env={**os.environ, "FAULTS_NAMESPACE": "1"}).returncode != 0
        return
    root = root_of_fakes()
    sizes = [64, 256, 1024, 4096] if not args.full else list(range(64, 4097, 64))
    for form in FORMATS:
        with Place() as place:
            disk_clean[form] = execute(profile(place.out, "-s", "-f", form, program=(
                FAKE + "/subject", "many", str(MANY)), root=root), environment(), place.out, place.path)
        cases = [(size, apart) for size in sizes for apart in (False, True)]
        problems = [f"{size} KiB{', store elsewhere' if apart else ''}: {wrong}" for (size, apart), wrong in zip(
            cases, workers.map(lambda c: on_disk(c[0], form, c[1], root), cases)) if wrong]
        report.line(f"small disks: {form}", len(cases), problems)


CLASSES = dict(tool=tool, rocprofv3=rocprofv3, convert=convert, sdk=sdk, counted=counted, buffered=buffered,
               roctracer=roctracer, attach=attach, softgpu=softgpu, kill=kill, disks=disks)

unknown = [name for name in args.classes if name not in CLASSES]
if unknown:
    parser.error(f"no class {unknown[0]}; there are {', '.join(CLASSES)}")
print(f"seed {args.seed}")
for name in args.classes or CLASSES:
    CLASSES[name]()
sys.exit(report.failed)
