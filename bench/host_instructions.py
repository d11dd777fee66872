#!/usr/bin/env python3
# How many instructions of the host one instruction of a wave costs, on each GPU of gfx9, and its ratio to gfx90a's.
# host_instructions.py BUILD [GPU ...]. Callgrind counts them, so that a busy host gives the same figures: two runs of each
# loop of bench_isa that differ in nothing but their iterations, so that what starts and ends the program falls away.
import re, shutil, subprocess, sys

GPUS = ["gfx90a", "gfx908", "gfx942", "gfx950"]  # the first is what the others are compared with
FEW, MANY = 200, 1200


def counted(build, gpu, loop, iterations):
    """The host's instructions of a run, the wave's of an iteration, the loop's name."""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"{build}/bench/bench_isa", "--core",
                          "avx2", "--gpu", gpu, "--loop", str(loop), "--iterations", str(iterations)],
                         capture_output=True, text=True)
    found = re.findall(r"Collected : (\d+)", run.stderr)  # the last is the program's; what it forks tells its own before
    if run.returncode or not found:
        sys.exit(f"host_instructions: {gpu}: {run.stderr.strip()}")
    instructions, name = run.stdout.split(maxsplit=1)
    return int(found[-1]), int(instructions), name.strip()


def cost(build, gpu, loop):
    few, many = counted(build, gpu, loop, FEW), counted(build, gpu, loop, MANY)
    return (many[0] - few[0]) / ((MANY - FEW) * many[1]), many[2]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: host_instructions.py BUILD [GPU ...]")
    if not shutil.which("valgrind"):
        sys.exit("host_instructions: there is no valgrind, of which callgrind is a part")
    build, gpus = sys.argv[1], sys.argv[2:] or GPUS
    for loop in range(2):
        first = None
        for gpu in gpus:
            per_instruction, name = cost(build, gpu, loop)
            first = first or per_instruction
            print(f"{name:20} {gpu:8} {per_instruction:8.2f} {per_instruction / first:7.3f}", flush=True)


main()
