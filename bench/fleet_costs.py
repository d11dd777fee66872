#!/usr/bin/env python3
"""What the commands that read many ranks cost: jobs of several sizes are made by bench_fleet, and every command reads
each of them. Seconds that pass, seconds of processor time of all processes, those of the process or thread that takes
what the others have made of files (whatever the number of CPUs, a command takes at least so long), and the memory of
the largest process; how long Chromium takes to open a page; then the goals, with what was measured.

usage: fleet_costs [--json FILE] [--ranks N,N...] [--records N] [--tries N] [--folder DIR] [--warm]
Files are read from the disk, not from the memory of the system, unless --warm is given. A job of 1,024 ranks of 10,000
records needs 12 GB in DIR. What is below the memory of this script itself is told as that.
"""
import argparse
import glob
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

BUILD, SOURCE = "@CMAKE_BINARY_DIR@", "@CMAKE_SOURCE_DIR@"
sys.path.insert(0, f"{SOURCE}/tests/report")
import browser  # pylint: disable=wrong-import-position

ROCPD, ROCPROFV3, FLEET = f"{BUILD}/bin/rocpd", f"{BUILD}/bin/rocprofv3", f"{BUILD}/bench/bench_fleet"

# Name, whether the job is one with calls of MPI, and the words; {} is the folder of the databases, OUT that of outputs.
COMMANDS = (
    ("summary", False, (ROCPD, "summary", "-i", "{}")),
    ("merge", False, (ROCPD, "merge", "-d", "OUT", "-o", "merged", "-i", "{}")),
    ("pftrace", False, (ROCPD, "convert", "-f", "pftrace", "-d", "OUT", "-i", "{}")),
    ("otf2", False, (ROCPD, "convert", "-f", "otf2", "-d", "OUT", "-i", "{}")),
    ("findings", False, (ROCPROFV3, "findings", "{}")),
    ("report", False, (ROCPROFV3, "report", "-o", "OUT/job.html", "{}")),
    ("waits, MPI", True, (ROCPROFV3, "waits", "{}")),
    ("findings, MPI", True, (ROCPROFV3, "findings", "{}")),
    ("report, MPI", True, (ROCPROFV3, "report", "-o", "OUT/job.html", "{}")),
)
GOAL_RANKS, GOAL_RECORDS = 1024, 10000
GOAL_SECONDS = {"summary": 6, "merge": 20, "pftrace": 10, "otf2": 10, "findings": 12, "report": 12}
GOAL_MB, GOAL_RATIO, RATIO_RANKS = 128, 17, 64
PAGE_MOST_MB, OPENING_MOST_MS = 10, 1000


def forget(paths):
    """Makes the system read these files from the disk the next time."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def alone_seconds(pid):
    """Processor time of a process that has ended and was not waited for, without other processes and threads."""
    with open(f"/proc/{pid}/task/{pid}/stat", encoding="ascii", errors="replace") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(words, messages):
    """Seconds that pass, of processor time, alone; MB. What the command says goes to the file."""
    start = time.monotonic()
    with open(messages, "wb") as to, open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(words, stdout=nowhere, stderr=to)  # pylint: disable=consider-using-with
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall, alone = time.monotonic() - start, alone_seconds(process.pid)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        with open(messages, encoding="utf-8", errors="replace") as f:
            sys.exit(f"fleet_costs: {' '.join(words)}: status {process.returncode}\n{f.read()[-2000:]}")
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "alone": alone, "mb": used.ru_maxrss * 1024 / 1e6}


def opening(page):
    """Milliseconds until Chromium has a page, the least of three; None without Chromium."""
    if not browser.find():
        return None
    with browser.Browser() as b:
        return min(b.open(page) for _ in range(3))


def measure(words, folder, paths, given, tries):
    """The quickest of some tries, with the bytes of what was written."""
    best, opened = None, None
    for _ in range(tries):
        out = f"{folder}/out"
        os.makedirs(out)
        if not given.warm:
            forget(paths)
        row = run([word.replace("OUT", out) for word in words], f"{folder}/messages")
        row["written_mb"] = sum(os.path.getsize(f) for f in glob.glob(f"{out}/**", recursive=True) if os.path.isfile(f)) / 1e6
        if not opened and os.path.exists(f"{out}/job.html"):
            opened = opening(f"{out}/job.html")
        shutil.rmtree(out)
        if not best or row["wall"] < best["wall"]:
            best = row
    return best if opened is None else {**best, "open_ms": opened}


def make(directory, ranks, records, mpi):
    """A job with one slow rank."""
    start = time.monotonic()
    subprocess.run([FLEET, "--ranks", str(ranks), "--records", str(records), "--slow-rank", str(37 % ranks),
                    *(["--mpi"] if mpi else []), directory], check=True)
    return glob.glob(f"{directory}/**/*.db", recursive=True), time.monotonic() - start


def job(folder, ranks, mpi, given):
    """All rows of a job, by the names of commands."""
    directory, rows = f"{folder}/job", {}
    paths, took = make(directory, ranks, given.records, mpi)
    size = sum(map(os.path.getsize, paths)) / 1e6
    print(f"\n{ranks} ranks of {given.records} records{', with MPI' if mpi else ''}: {size:.0f} MB, made in {took:.1f} s")
    print(f"{'':14} {'passes':>8} {'processor':>10} {'alone':>7} {'MB':>6} {'written MB':>11}", flush=True)
    tries = given.tries or (3 if ranks <= RATIO_RANKS else 1)
    for name, with_mpi, words in COMMANDS:
        if with_mpi != mpi:
            continue
        row = rows[name] = measure([w.replace("{}", directory) for w in words], folder, paths, given, tries)
        print(f"{name:14} {row['wall']:8.2f} {row['cpu']:10.2f} {row['alone']:7.2f} {row['mb']:6.0f} {row['written_mb']:11.1f}"
              f"{'  opened in %d ms' % row['open_ms'] if 'open_ms' in row else ''}", flush=True)
    shutil.rmtree(directory)
    return rows


def table(figures, key, form, title):
    """A table in Markdown: a line for each number of ranks."""
    names = [name for name, _, _ in COMMANDS]
    print(f"\n{title}:\n\n| ranks | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for ranks, rows in figures.items():
        print(f"| {int(ranks):,} | {' | '.join(format(rows[name][key], form) for name in names)} |")


def goals(figures, records):
    """A line for each goal of what was measured."""
    print()
    many, few = figures.get(str(GOAL_RANKS)), figures.get(str(RATIO_RANKS))
    if not many or records != GOAL_RECORDS:
        return

    def tell(what, got, most):
        print(f"{what:42} {got:8.2f}, at most {most:4}: {'holds' if got <= most else 'DOES NOT HOLD'}")
    for name, most in GOAL_SECONDS.items():
        tell(f"seconds of {name}", many[name]["wall"], most)
    tell("MB of the largest process", max(row["mb"] for row in many.values()), GOAL_MB)
    tell("MB of a page", max(many[name]["written_mb"] for name in ("report", "report, MPI")), PAGE_MOST_MB)
    for name in ("report", "report, MPI"):
        if "open_ms" in many[name]:
            tell(f"ms to open the page of {name}", many[name]["open_ms"], OPENING_MOST_MS)
    for name in many if few else ():
        tell(f"times the seconds of {RATIO_RANKS} ranks, {name}", many[name]["wall"] / few[name]["wall"], GOAL_RATIO)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--ranks", default="1,8,64,256,1024")
    parser.add_argument("--records", type=int, default=GOAL_RECORDS)
    parser.add_argument("--tries", type=int, default=0, help="default: 3 of up to 64 ranks, 1 of more; the quickest counts")
    parser.add_argument("--folder", help="where jobs are made and outputs written (default: TMPDIR)")
    parser.add_argument("--warm", action="store_true", help="files may be in memory")
    given = parser.parse_args()
    figures = {}
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(f"{len(os.sched_getaffinity(0))} CPUs; memory below {own:.0f} MB is told as that")
    with tempfile.TemporaryDirectory(prefix="fleet-costs-", dir=given.folder) as folder:
        for ranks in given.ranks.split(","):
            figures[ranks] = {**job(folder, int(ranks), False, given), **job(folder, int(ranks), True, given)}
    for key, form, title in (("wall", ".2f", "Seconds that pass"), ("cpu", ".2f", "Seconds of processor time"),
                             ("alone", ".2f", "Of these, alone"), ("mb", ".0f", "MB of the largest process")):
        table(figures, key, form, title)
    goals(figures, given.records)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as f:
            json.dump({"records": given.records, "cold": not given.warm, "ranks": figures}, f, indent=1)


main()
