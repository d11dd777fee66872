#!/usr/bin/env python3
"""How fast softgpu runs kernels that stand for real programs (field/*.hip), each checked there.

A first run counts the wave instructions exactly (--stats), a second one is timed, all interpreted:
millions of them per second and core, by the CPU time that the device's threads use and by the time that passes, and
how many times longer that takes than the host's own -O3 code for the same work on one core. A third run translates
what is hot, which is told in milliseconds, and keeps it on disk; a fourth one, which takes it from there, is timed.
Two more do so while rocprofv3 has an exact counter counted.
With --gpu softgpu is that product, whose program is there or, with --build, is built first. Lane instructions are wave
instructions times the lanes of a wave.
usage: bench_field [--json FILE] [--rounds N] [--core base|avx2|avx512] [--gpu NAME [--build]] [--interpreted]
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile

BUILD = "@CMAKE_BINARY_DIR@"
PROGRAM = f"{BUILD}/bench/field"
GPUS = "@field_gpus@".split(";")  # those for which there is a program of its own
# One kind of instruction each: they stand for no program, and are in neither the mean nor the least.
APART = ("f16 matrices", "stream")
# All hot code is translated, however long that takes, before it runs on.
ALL_HOT = {"SOFTGPU_TRANSLATE": "on", "SOFTGPU_TRANSLATE_SHARE": "0", "SOFTGPU_TRANSLATE_TIME": "100000",
           "SOFTGPU_TRANSLATE_ASIDE": "0"}


def choose(gpu, build):
    """Another GPU than softgpu's own, with the program that is compiled for it."""
    global PROGRAM
    if gpu not in GPUS:
        sys.exit(f"bench_field: there is no program for {gpu}, only for {', '.join(GPUS)}: see bench/CMakeLists.txt")
    if build:
        built = subprocess.run(["@CMAKE_SOURCE_DIR@/scripts/build-targets", BUILD, f"bench.field-{gpu}"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, check=False)
        if built.returncode:  # Ninja tells on standard output why
            sys.exit(f"{built.stdout}bench_field: the program for {gpu} cannot be built")
    PROGRAM += f"-{gpu}"
    if not os.path.exists(PROGRAM):
        sys.exit(f"bench_field: there is no {PROGRAM}: --build builds it")
    os.environ["SOFTGPU_GPU"] = gpu


def run(options, *arguments, **env):
    return subprocess.run([f"{BUILD}/bin/softgpu", *options, "--", PROGRAM, *arguments], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600,
                          env=dict(os.environ, **env))


def softgpu(options, *arguments, **env):
    return run(options, *arguments, **env).stdout


def counted(which, rounds, env):
    """Figures of a run in which rocprofv3 has an exact counter counted."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([f"{BUILD}/bin/rocprofv3", "--gpu", "soft", "--pmc", "SQ_INSTS_VALU", "-d", folder, "--",
                              PROGRAM, which, rounds], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True, timeout=600, env=dict(os.environ, **env))
    return json.loads(next(line for line in ran.stdout.splitlines() if line.startswith("{")))


def translated(core, which, rounds):
    """Figures of runs whose translations are on disk, without counters and with one, and milliseconds that translating
    took before, without. None if nothing is translated: there is no LLVM, or the core has no library."""
    with tempfile.TemporaryDirectory() as cache:
        env = {**ALL_HOT, "XDG_CACHE_HOME": cache, **({"SOFTGPU_CORE": core} if core else {})}
        took = re.search(r"translated ([1-9]\d*) loops in ([0-9.]+) ms", run(["--log=info"], which, rounds, **env).stderr)
        if not took:
            return None
        counted(which, rounds, env)
        return json.loads(softgpu([], which, rounds, **env)), counted(which, rounds, env), float(took[2])


def wave_instructions(options, which):
    """Of all kernels that are the case's own: their names begin with field_."""
    with tempfile.NamedTemporaryFile("r") as f:
        softgpu([*options, "--stats", f"--trace-file={f.name}"], which, "0")
        found = re.findall(r"^kernel field_\w+\n.* (\d+) wave instructions", f.read(), re.M)
    if not found:
        raise SystemExit(f"bench_field: no statistics of case {which}")
    return sum(map(int, found))


def options_for(core):
    return [f"--core={core}"] if core else []


def measure(core, which, rounds, hot_too):
    options = options_for(core)
    figures = json.loads(softgpu([*options, "--translate=off"], which, str(rounds)))
    if "lacking" in figures:
        return figures["name"], figures
    count = wave_instructions(options, which)
    hot = translated(core, which, str(rounds)) if hot_too else None
    host = min(figures["host"], hot[0]["host"]) if hot else figures["host"]
    # in all rounds but the one measured the workers stand by: they share one kernel
    workers = len(os.sched_getaffinity(0))
    return figures["name"], {
        "wave_instructions": count,
        "lanes": figures["wave"],
        "lanes_per_cpu_second": round(count * figures["wave"] / figures["cpu"] / 1e6),
        "per_cpu_second": round(count / figures["cpu"] / 1e6, 1),
        "per_second_and_core": round(count / figures["wall"] / workers / 1e6, 1),
        "cpu_ms": round(figures["cpu"] * 1e3, 2),
        "host_ms": round(host * 1e3, 2),
        "times_host": round(figures["cpu"] / host, 1),
        **(translated_columns(*hot, host) if hot else {}),
        "error": figures["error"],
    }


def translated_columns(plain, observed, translating, host):
    return {
        "translated_cpu_ms": round(plain["cpu"] * 1e3, 2),
        "translated_times_host": round(plain["cpu"] / host, 1),
        "translating_ms": round(translating, 0),
        "counted_cpu_ms": round(observed["cpu"] * 1e3, 2),
        "times_uncounted": round(observed["cpu"] / plain["cpu"], 2),
    }


# key of a figure, head of its column, width, digits behind the point
COLUMNS = (("wave_instructions", "M insts", 8, 2), ("per_cpu_second", "by CPU", 8, 1),
           ("lanes_per_cpu_second", "lanes", 7, 0),
           ("per_second_and_core", "by wall", 8, 1), ("cpu_ms", "CPU ms", 8, 2), ("host_ms", "host ms", 8, 2),
           ("times_host", "x host", 7, 1), ("translated_cpu_ms", "translated ms", 14, 2),
           ("translated_times_host", "x host", 7, 1), ("translating_ms", "translating ms", 15, 0),
           ("counted_cpu_ms", "counted ms", 11, 2), ("times_uncounted", "x", 5, 2))


def line_of(name, row):
    """A line of the table; a dash for what was not measured."""
    if "lacking" in row:
        return f"{name:18} left out: the GPU has no {row['lacking']}"
    texts = [f"{row[key] / (1e6 if key == 'wave_instructions' else 1):{width}.{digits}f}" if key in row else f"{'-':>{width}}"
             for key, _, width, digits in COLUMNS]
    return " ".join([f"{name:18}", *texts])


def geometric_mean(values):
    logs = list(map(math.log, values))
    return math.exp(sum(logs) / len(logs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--core")
    parser.add_argument("--gpu")
    parser.add_argument("--build", action="store_true", help="build the program of --gpu first")
    parser.add_argument("--interpreted", action="store_true", help="leave out what is translated or counted")
    given = parser.parse_args()
    if given.gpu:
        choose(given.gpu, given.build)
    cases = int(subprocess.run([PROGRAM], check=True, stdout=subprocess.PIPE, text=True).stdout)
    table = {}
    print("millions of wave instructions per second and core, by CPU time and by wall time; of lane instructions by CPU time")
    print(" ".join([f"{'kernel':18}", *(f"{head:>{width}}" for _, head, width, _ in COLUMNS)]))
    for which in range(cases):
        name, row = measure(given.core, str(which), given.rounds, not given.interpreted)
        table[name] = row
        print(line_of(name, row), flush=True)
    ran = {name: row for name, row in table.items() if "lacking" not in row}
    programs = [r for name, r in ran.items() if name not in APART]
    mean = geometric_mean(r["per_cpu_second"] for r in programs)
    least = min(r["per_cpu_second"] for r in programs)
    print(f"{'geometric mean':27} {mean:8.1f}, the least {least:.1f};"
          f" x host {geometric_mean(r['times_host'] for r in programs):.2f}, translated "
          + (f"{geometric_mean(r['translated_times_host'] for r in programs):.2f}"
             if all("translated_cpu_ms" in r for r in programs) else "-"))
    if not all("translated_cpu_ms" in r for r in ran.values()):
        print("-: nothing was translated" + ("" if given.interpreted else
                                            ", since there is no LLVM or no library for the core"))
    if given.json:
        with open(given.json, "w", encoding="utf-8") as f:
            json.dump({"kernels": table, "geometric_mean": round(mean, 1), "least": least}, f,
                      indent=1)


main()
