"""What the field programs share: running programs bare, traced and counted, reading what rocprofv3 wrote, cases.

A field program makes one Field, reports each case to it, and ends with its finish().
"""
import collections
import csv
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu

try:
    from compression import zstd  # of Python 3.14 on
except ImportError:
    zstd = None

LOSSES = re.compile(r"process \d+: (\d+) records received, (\d+) written, (\d+) dropped, (\d+) filtered")
OURS = re.compile(r"(ROCP|HSA_|AMD_LOG|SOFTGPU_)\w*|\w+_VISIBLE_DEVICES|GPU_DEVICE_ORDINAL")

SHARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "share")

COMPRESSED = re.compile(rb"CCOB[\2\3]\0")  # how compressed bundles of kernels begin, by the version of their form
FRAME = b"\x28\xb5\x2f\xfd"  # how zstd's data begin, behind a header of 24 or 32 bytes
HEAD = 8192  # bytes of an unpacked bundle that have the list of its targets
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
# ggml's back end for HIP: that of GGML_BACKEND_PATH, by which run-field has ggml load one that is no package's, or the package's
GGML_HIP = os.environ.get("GGML_BACKEND_PATH") or LIBRARIES + "/ggml/backends0/libggml-hip.so"
OF_GGML = ("GGML_BACKEND_PATH names it" if os.environ.get("GGML_BACKEND_PATH") else
           "it is libggml0-backend-hip's; scripts/field-llama builds another")


# what is told of programs of the field by softgpu's checks and is true of them
KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.rules")
CHECKED = ["--check=all", "--suppressions", KNOWN]


class Run:
    """An ended program: status (None: ended for its time), out and err as text, seconds."""

    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    def why(self):
        """What is wrong with it, or nothing."""
        if self.status is None:
            return f"not ended after {self.seconds:.0f} s"
        lines = [line for line in (self.err + self.out).splitlines() if line.strip()]
        errors = [line for line in lines if re.search(r"softgpu: error|: error:|FATAL|Assert", line)]
        return "" if self.status == 0 else f"status {self.status}: {(errors or lines[-1:] or [''])[0][:300]}"


class Trace:
    """The files of a run under rocprofv3."""

    def __init__(self, folder, run):
        self.folder, self.run = folder, run

    def rows(self, table):
        for path in sorted(self.files(table)):
            with open(path, newline="") as file:
                yield from csv.DictReader(file)

    def files(self, table):
        for base, _, names in os.walk(self.folder):
            yield from (os.path.join(base, n) for n in names if n.endswith(f"_{table}.csv"))

    def dispatches(self):
        """How many dispatches of each kernel, by its name."""
        return collections.Counter(row["Kernel_Name"] for row in self.rows("kernel_trace"))

    def counters(self):
        """{counter: {kernel: sum over its dispatches}}"""
        sums = collections.defaultdict(collections.Counter)
        for row in self.rows("counter_collection"):
            sums[row["Counter_Name"]][row["Kernel_Name"]] += float(row["Counter_Value"])
        return sums

    def losses(self):
        """What was lost between the program and the files, or nothing."""
        counts = [[int(n) for n in m.groups()] for m in LOSSES.finditer(self.run.err)]
        if not counts:
            return "rocprofv3 says nothing of records"
        received, written, dropped, _ = (sum(column) for column in zip(*counts))
        if dropped or received != written:
            return f"{received} records received, {written} written, {dropped} dropped"
        dispatches = {(r["Process_Id"], r["Dispatch_Id"]) for r in self.rows("counter_collection")}
        in_files = sum(1 for _ in self.rows("trace")) + len(dispatches)
        return "" if in_files == written else f"{written} records written, {in_files} in the files"


class Field:
    def __init__(self):
        if len(sys.argv) != 2:
            sys.exit(f"usage: {sys.argv[0]} BUILD")
        self.build = os.path.abspath(sys.argv[1])
        self.suite = os.environ.get("FIELD_SUITE", "")
        self.small = os.environ.get("FIELD_SET") == "ci"
        self.all = os.environ.get("FIELD_SET") == "all"
        self.own_out = "FIELD_OUT" not in os.environ
        self.out = tempfile.mkdtemp() if self.own_out else os.environ["FIELD_OUT"]
        self.passed = self.failed = self.skipped = 0
        self.env = {k: v for k, v in os.environ.items() if not OURS.fullmatch(k)}
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.gpu = os.environ.get("FIELD_GPU") or "mi210"
        product = known("products", self.gpu)
        self.target, self.product = product["gpu"], product["product"]  # what compilers, and runtimes, call it
        facts = known("architectures", self.target)
        self.family = facts["family"]  # of GPUs that have counters in common
        self.generic = facts["generic"]  # the target whose code the GPU runs, too, or -
        self.wave = int(facts["waves"].split(",")[0])  # lanes, unless a compiler is told otherwise
        self.firmware = int(suite_gpu.profile_of(self.gpu)["mec_firmware"])  # of the packet processor
        self.patience = patience()  # by which limits of time are multiplied
        self.env.update(PYTHONDONTWRITEBYTECODE="1", SOFTGPU_GPU=self.gpu)

    def path(self, name):
        return os.path.join(self.out, name)

    # Running

    def run(self, command, timeout=900, env=None, directory=None):
        """Runs a command without input. Its output goes through files: pipes would block programs that write much."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=directory,
                                       env={**self.env, **(env or {})}, start_new_session=True)
            try:
                status = process.wait(timeout * self.patience)
            except subprocess.TimeoutExpired:
                status = None
            finally:  # ours may be ended too
                if process.returncode is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            seconds = time.monotonic() - start
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        return Run(status, *texts, seconds)

    def soft(self, command, *options, **keywords):
        return self.run([f"{self.build}/bin/softgpu", *options, "--", *command], **keywords)

    def traced(self, name, command, *options, **keywords):
        folder = self.path(name)
        shutil.rmtree(folder, ignore_errors=True)
        run = self.run([f"{self.build}/bin/rocprofv3", "--gpu", "soft", *(options or ["--sys-trace"]), "-f", "csv",
                        "-d", folder, "-o", "t", "--", *command], **keywords)
        return Trace(folder, run)

    def counted(self, name, command, *counters, **keywords):
        return self.traced(name, command, "--pmc", *(counters or ["SQ_WAVES"]), **keywords)

    # Cases

    def case(self, name, why="", seconds=None):
        """One case: it failed if there is a reason why."""
        took = "" if seconds is None else f" ({seconds:.0f} s)"
        print(f"FAIL {name}: {why}{took}" if why else f"ok {name}{took}", flush=True)
        self.failed += bool(why)
        self.passed += not why
        return not why

    def skip(self, name, why):
        print(f"skip {name}: {why}", flush=True)
        self.skipped += 1

    def has_code(self, library):
        """Whether a library has kernels for the GPU, its own or its family's. One whose bundles of kernels are compressed
        in a way that this Python cannot read may have."""
        names = [f"amdhsa--{name}".encode() for name in (self.target, self.generic) if name != "-"]
        with open(os.path.join(LIBRARIES, library), "rb") as file, \
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if any(data.find(name) >= 0 for name in names):
                return True
            starts = [bundle.start() for bundle in COMPRESSED.finditer(data)]
            heads = (bundle_head(data, start) for start in starts)
            return any(head is None or name in head for head in heads for name in names)

    def has_counter(self, name):
        """Whether the GPU has that counter of the hardware."""
        return any({self.target, self.family} & set(re.findall(r"[:,](\w+)", row["events"]))
                   for row in table("counters", "counters") if row["counter"] == name)

    def needs(self, packages, *libraries):
        """{file or program: its package}; libraries that need code for the GPU: skips what is missing, and says whether
        all are there."""
        missing = sorted({package for file, package in packages.items() if not shutil.which(file) and
                          not os.path.exists(file)})
        if missing:
            self.skip(os.path.basename(sys.argv[0]), f"needs the package {', '.join(missing)}")
            return False
        absent = [library for library in libraries if not os.path.exists(os.path.join(LIBRARIES, library))]
        if absent:
            why = f" ({OF_GGML})" if GGML_HIP in absent else ""
            self.skip(os.path.basename(sys.argv[0]), f"there is no {', '.join(absent)}{why}")
            return False
        lacking = [os.path.basename(library) for library in libraries if not self.has_code(library)]
        if lacking:
            self.skip(os.path.basename(sys.argv[0]), f"{', '.join(lacking)} has no code for {self.target}")
        return not lacking

    def finish(self):
        if self.own_out:
            shutil.rmtree(self.out, ignore_errors=True)
        print(f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else ""))
        sys.exit(self.failed != 0)


def bundle_head(data, at):
    """The beginning of the compressed bundle at that place, which lists its targets, or None if it cannot be read."""
    start = data.find(FRAME, at, at + 40)
    if not zstd or start < 0:
        return None
    return zstd.ZstdDecompressor().decompress(data[start:start + 16 * HEAD], max_length=HEAD)


def table(folder, name):
    """The rows of a table of share: {column: text}."""
    with open(os.path.join(SHARE, folder, name + ".tsv"), encoding="utf-8") as file:
        yield from csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)


def known(of, name):
    """What share/gpus has in the row of that name."""
    for row in table("gpus", of):
        if next(iter(row.values())) == name:
            return row
    sys.exit(f"field: {of} has no {name}")


def patience():
    """What FIELD_PATIENCE says: a whole number from 1 on, 1 unless it is set."""
    text = os.environ.get("FIELD_PATIENCE") or "1"
    if not re.fullmatch("[0-9]+", text) or int(text) < 1:
        sys.exit(f"field: FIELD_PATIENCE is {text}, which is no whole number from 1 on")
    return int(text)


def demangled(names):
    """The names as rocprofv3 writes them: without .kd, demangled by c++filt if it is there."""
    names = [name.removesuffix(".kd") for name in names]
    tool = shutil.which("c++filt") or shutil.which("llvm-cxxfilt")
    if not tool or not names:
        return names
    text = subprocess.run([tool], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return text.split("\n")[:len(names)]


STATISTICS = re.compile(r"^kernel (.*)\n  (\d+) dispatches, (\d+) waves", re.MULTILINE)
UNNAMED = "kernel_at_"  # those that the runtime copies with on queues of its own, of which no profiler is told


def executed(text):
    """What softgpu --stats says: {kernel: [dispatches, waves]}, without the runtime's own."""
    found = STATISTICS.findall(text)
    kernels = {}
    for name, row in zip(demangled([f[0] for f in found]), found):
        if not name.startswith(UNNAMED):
            counts = kernels.setdefault(name, [0, 0])
            counts[0] += int(row[1])
            counts[1] += int(row[2])
    return kernels


def reported(run):
    """What softgpu's checks told of a run, or nothing."""
    errors = re.findall(r"^softgpu: (\d+) errors?", run.err, re.MULTILINE)
    first = re.search(r"^softgpu: error: .*\n(?:  .*\n)*", run.err, re.MULTILINE)
    return (first[0].strip()[:600] if first else run.why() or
            ("" if errors and not any(map(int, errors)) else "no summary"))


def differences(expected, found):
    """How two {name: number} differ, or nothing."""
    names = [n for n in {**expected, **found} if expected.get(n, 0) != found.get(n, 0)]
    return "; ".join([f"{len(names)} kernels differ"] * bool(names) +
                     [f"{n[:80]}: {expected.get(n, 0)} executed, {found.get(n, 0)} in the file" for n in names[:2]])


def own_waves(text):
    """Waves of the runtime's own kernels, by what softgpu --stats says."""
    return sum(int(n) for name, _, n in STATISTICS.findall(text) if name.startswith(UNNAMED))


def counted_otherwise(expected, found, own):
    """How counted waves, {kernel: number}, differ from those expected, or nothing.

    Hardware counts all that runs on it: waves of the runtime's own kernels count for the kernel of the
    program that runs at the same time, if one does.
    """
    more = {k: found.get(k, 0) - expected.get(k, 0) for k in {**expected, **found}}
    right = min(more.values(), default=0) >= 0 and sum(more.values()) <= own
    return "" if right else differences(expected, found)


def miscounted(text, waves):
    """How counted waves, {kernel: number}, differ from what softgpu --stats says, or nothing."""
    return counted_otherwise({k: n for k, (_, n) in executed(text).items()}, waves, own_waves(text))
