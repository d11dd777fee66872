"""One run under a fault: what it was, what came of it, and whether it was honest.

Honest is a run that ends with the program's own result and either has all of what a run without the
fault has, or says what is missing. Never a crash, a hang, silence, or a file that is not whole under
its final name.
"""
import csv
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile

PATIENCE = 60  # seconds: hangs are what is looked for
NOTHING_STARTED = (2, 125, 126, 127)
CONVERSION_FAILED = 74


def packets(data):
    """How many packets a Perfetto trace has; ValueError where one is cut."""
    at = count = 0
    while at < len(data):
        if data[at] != 0x0A:
            raise ValueError(f"no packet at byte {at}")
        size = shift = 0
        while True:
            at += 1
            size |= (data[at] & 0x7F) << shift
            shift += 7
            if data[at] < 0x80:
                break
        at += 1 + size
        count += 1
    if at != len(data):
        raise ValueError("the last packet is cut")
    return count


def tables(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        state = base.execute("PRAGMA integrity_check").fetchone()[0]
        if state != "ok":
            raise ValueError(state)
        names = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return [(re.sub(r"_[0-9a-f]{8}.*", "", n), base.execute(f'SELECT COUNT(*) FROM "{n}"').fetchone()[0])
                for n in names]
    finally:
        base.close()


def content(path):
    """What a file holds, apart from what differs in every run; an exception where it is not whole."""
    if path.endswith(".db"):
        return tables(path)
    with open(path, "rb") as f:
        data = f.read()
    if path.endswith(".json"):
        tool, = json.loads(data)["rocprofiler-sdk-tool"]
        return {name: len(rows) for name, rows in tool["buffer_records"].items()}
    if path.endswith(".pftrace"):
        return packets(data)
    text = data.decode()
    if path.endswith(".csv"):
        if not text.endswith("\n"):
            raise ValueError("the last line is cut")
        rows = list(csv.reader(io.StringIO(text)))
        if any(len(row) != len(rows[0]) for row in rows):
            raise ValueError("a line is cut")
        return len(rows)
    return text


class Result:
    """status (None: killed after PATIENCE), stdout, stderr, files: {name: content}, broken, kept."""

    def __init__(self, status, stdout, stderr, out):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.files, self.broken, self.kept, self.remains = {}, [], False, []
        for directory, folders, names in os.walk(out):
            if ".rocprofv3" in folders:
                folders.remove(".rocprofv3")
                self.kept = True
            for name in names:
                if name.startswith(".rocprofv3-"):
                    self.remains.append(name)
                    continue
                try:
                    self.files[name] = content(os.path.join(directory, name))
                except Exception as e:  # whatever a reader says of a file that is not whole
                    self.broken.append(f"{name}: {e}")

    @property
    def counts(self):
        return [tuple(map(int, m)) for m in re.findall(
            r"process \d+: (\d+) records received, (\d+) written, (\d+) dropped, (\d+) filtered", self.stderr)]

    @property
    def told(self):
        # of a program that traces itself rocprofv3 says that it does not
        return re.findall(r"(?:fatal|error|warning): (?!no tracing option)\S.*", self.stderr)

    def uneven(self):
        """Counts that do not add up, or are not the rows of the CSV files."""
        wrong = [c for c in self.counts if c[0] != c[1] + c[2] + c[3]]
        rows = [lines - 1 for name, lines in self.files.items() if name.endswith("_trace.csv")]
        if rows and self.counts and sum(rows) != sum(c[1] for c in self.counts):
            wrong.append(f"{sum(rows)} rows for {self.counts}")
        return wrong


def execute(command, environment, out, cwd):
    process = subprocess.Popen(command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    try:
        stdout, stderr = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        return Result(None, stdout, stderr, out)
    return Result(process.returncode, stdout, stderr, out)


def judge(got, clean):
    """What is wrong with a run of rocprofv3 or of its conversion; None if nothing is."""
    if got.status is None:
        return "hangs"
    if got.broken:
        return f"not whole: {got.broken}"
    if got.status != CONVERSION_FAILED and got.uneven():
        return f"counts do not add up: {got.uneven()}"
    same = got.status == clean.status and got.stdout == clean.stdout
    failed = got.status == CONVERSION_FAILED and got.stdout == clean.stdout
    refused = got.status in NOTHING_STARTED and not got.stdout
    if not (same or failed or refused):
        return f"status {got.status}, standard output {got.stdout!r}"
    if got.told:
        return None
    if not same:
        return f"status {got.status} in silence"
    if got.files != clean.files or got.counts != clean.counts:
        return f"differs in silence: {got.counts} {got.files}"
    if got.kept or got.remains:
        return "leaves something in silence"
    return None


def judge_attached(got, clean):
    """A run of rocprofv3 beside a program that runs already, and is none the worse for it."""
    if got.status is None:
        return "hangs"
    if got.broken or got.stdout != clean.stdout:
        return f"not whole: {got.broken}, standard output {got.stdout!r}"
    if got.status != CONVERSION_FAILED and got.uneven():
        return f"counts do not add up: {got.uneven()}"
    same = (got.status, got.files, got.counts) == (clean.status, clean.files, clean.counts)
    if got.told or (same and not got.kept and not got.remains):
        return None
    return f"differs in silence: status {got.status} {got.counts} {got.files}"


def judge_program(got, clean):
    """The same of a program without a profiler: right, or not and somebody says why."""
    if got.status is None:
        return "hangs"
    if got.status == clean.status:
        return None if got.stdout == clean.stdout else f"standard output {got.stdout!r}"
    if got.status < 0 and -got.status != signal.SIGABRT:
        return f"signal {-got.status}"
    return None if got.stderr.strip() else f"status {got.status} in silence"


def judge_checked(got, clean):
    """The same of a program that is right, with softgpu's checks: what cannot be known is not reported."""
    sum_of_all = re.search(r"^softgpu: [1-9]\d* errors?.*", got.stderr, re.MULTILINE)
    return f"reported: {sum_of_all[0]}" if sum_of_all else judge_program(got, clean)


def judge_rocprof(got, clean):
    """A run of rocprof: the program's own result, and all rows, or a message of what is missing."""
    if got.status is None:
        return "hangs"
    if got.broken:
        return f"not whole: {got.broken}"
    if got.status < 0 or got.stdout != clean.stdout:
        return f"status {got.status}, standard output {got.stdout!r}"
    if got.told or (got.status, got.files) == (clean.status, clean.files):
        return None
    return f"differs in silence: status {got.status} {got.files}"


def judge_tracer(got, clean):
    """A program or tool that uses a library: right, or it was told by an answer, or the user by a message."""
    if got.status is None:
        return "hangs"
    if got.status < 0 or got.status > 128:
        return f"signal, status {got.status}"
    if (got.status, got.stdout) == (clean.status, clean.stdout) or got.told or got.status != clean.status:
        return None
    if "STATUS_ERROR" in got.stdout:  # tools print what they are answered
        return None
    return f"differs in silence: standard output {got.stdout!r}"


class Place:
    """A directory of a run, removed with it."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="crocprof-faults-")
        self.out = self.path + "/out"
        self.log = self.path + "/log"
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def lines(self):
        try:
            with open(self.log) as f:
                return [line.split() for line in f]
        except FileNotFoundError:
            return []
