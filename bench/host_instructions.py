#!/usr/bin/env python3
# How many instructions of the host one instruction of a wave costs, on each GPU, and its ratio to the first one's.
# host_instructions.py BUILD [GPU[:LANES] ...], LANES of a wave: 64 or 32. Callgrind counts them, so that a busy host gives the
# same figures: two runs of each loop of bench_isa that differ in nothing but their iterations, so that what starts and ends
# the program falls away. Loops are interpreted. CORE names the core, avx2 unless set (callgrind does not know AVX-512).
import os, re, shutil, subprocess, sys

WAVES = ["gfx90a:64", "gfx908:64", "gfx942:64", "gfx950:64", "gfx1030:64", "gfx1030:32", "gfx1100:64", "gfx1100:32"]
FEW, MANY = 200, 1200


def counted(build, wave, loop, iterations):
    """The host's instructions of a run, the wave's of an iteration, the loop's name."""
    gpu, _, lanes = wave.partition(":")
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"{build}/bench/bench_isa", "--core",
                          os.environ.get("CORE", "avx2"), "--gpu", gpu, "--lanes", lanes or "64", "--loop", str(loop),
                          "--iterations", str(iterations)], capture_output=True, text=True)
    found = re.findall(r"Collected : (\d+)", run.stderr)  # the last is the program's; what it forks tells its own before
    if run.returncode or not found:
        sys.exit(f"host_instructions: {wave}: {run.stderr.strip()}")
    instructions, name = run.stdout.split(maxsplit=1)
    return int(found[-1]), int(instructions), name.strip()


def loops(build):
    """How many loops bench_isa has: it tells where there is none of such a number."""
    asked = subprocess.run([f"{build}/bench/bench_isa", "--loop", "-1", "--iterations", "1"], capture_output=True, text=True)
    found = re.search(r"there are (\d+) loops", asked.stderr)
    if not found:
        sys.exit(f"host_instructions: {asked.stderr.strip()}")
    return int(found[1])


def cost(build, wave, loop):
    few, many = counted(build, wave, loop, FEW), counted(build, wave, loop, MANY)
    return (many[0] - few[0]) / ((MANY - FEW) * many[1]), many[2]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: host_instructions.py BUILD [GPU[:LANES] ...]")
    if not shutil.which("valgrind"):
        sys.exit("host_instructions: there is no valgrind, of which callgrind is a part")
    build, waves = sys.argv[1], sys.argv[2:] or WAVES
    for loop in range(loops(build)):
        first = None
        for wave in waves:
            per_instruction, name = cost(build, wave, loop)
            first = first or per_instruction
            print(f"{name:20} {wave:10} {per_instruction:8.2f} {per_instruction / first:7.3f}", flush=True)


main()
