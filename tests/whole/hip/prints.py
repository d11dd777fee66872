#!/usr/bin/env python3
"""What printf of many waves writes: prints.py SOFTGPU PROGRAM UNITS GROUPS ROUNDS KIND.

Runs prints.hip on a GPU of UNITS compute units and wants each line once. In each wave, rounds come one
after the other; within a round, the lanes of one printf in their order."""
import subprocess
import sys

TEXT = "a text of more than fifty-six characters, which go to the host in several parts"
ITEMS, LANES = 256, 64


def rest_of_line(kind, item):
    """What follows the three numbers, or None where the work-item prints nothing."""
    if kind == "numbers":
        return ""
    if kind == "strings":
        return f" {'odd' if item % 2 else 'even'} {TEXT}"
    return (" third", f" {TEXT}", None)[item % 3]


def call_of(kind, item):
    """Which printf of the kernel the work-item calls."""
    return item % 3 if kind == "divergent" else 0


def main():
    softgpu, program, units, groups, rounds, kind = sys.argv[1:]
    run = subprocess.run([softgpu, "--cus", units, "--", program, groups, rounds, kind],
                         stdout=subprocess.PIPE, text=True, errors="replace")
    groups, rounds = int(groups), int(rounds)
    if run.returncode:
        sys.exit(f"status {run.returncode} after {run.stdout.count(chr(10))} lines")
    missing = {f"{r} {g} {i}{rest_of_line(kind, i)}"
               for r in range(rounds) for g in range(groups) for i in range(ITEMS)
               if rest_of_line(kind, i) is not None}
    wanted = len(missing)
    last_round, last_item = {}, {}
    for number, line in enumerate(run.stdout.splitlines(), 1):
        if line not in missing:
            sys.exit(f"line {number} came before, or is wrong: {line!r}")
        missing.remove(line)
        of_round, group, item = map(int, line.split()[:3])
        wave, call = (group, item // LANES), call_of(kind, item)
        if of_round < last_round.get(wave, 0):
            sys.exit(f"line {number} is of an earlier round than the one before of its wave: {line!r}")
        last_round[wave] = of_round
        if (of_round, item) < last_item.get((wave, call), (0, 0)):
            sys.exit(f"line {number} is of an earlier lane than the one before of its wave: {line!r}")
        last_item[wave, call] = of_round, item
    if missing:
        sys.exit(f"{len(missing)} of {wanted} lines are missing, one of them {min(missing)!r}")
    print(f"{wanted} lines")


main()
