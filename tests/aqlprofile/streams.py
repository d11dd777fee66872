#!/usr/bin/env python3
"""Compares the commands of libhsa-amd-aqlprofile64 with those of AMD's library, dword by dword.

usage: streams.py RECORDS.tsv.xz EXCEPTIONS.tsv PROGRAM
RECORDS has what AMD's library wrote (columns gfx, profile, phase, row, dwords), PROGRAM writes ours (streams.c).
EXCEPTIONS says where ours is another on purpose, and why: it rewrites the recorded dwords, which must then be
ours. An exception that changes no record is a failure, too.
"""
import itertools
import lzma
import re
import subprocess
import sys

ADDRESS = (2, 3)  # dwords of a vendor packet
EXCEPTIONS_MAX = 12


def lines(text):
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


class Allowed:
    """What the regular expression `recorded` matches becomes `ours`; where there are several, separated by |, each
    time the next."""

    def __init__(self, gpus, profiles, phase, recorded, ours, reason):
        self.gpus, self.profiles, self.phase = gpus.split(","), profiles.split(","), phase
        self.recorded, self.ours, self.reason = recorded, ours.split("|"), reason
        self.streams = 0

    def apply(self, key, words):
        if key[0] not in self.gpus or key[1] not in self.profiles or key[2] != self.phase:
            return words
        turn = itertools.cycle(self.ours)
        words, times = re.subn(self.recorded, lambda match: match.expand(next(turn)), words)
        self.streams += times > 0
        return words


def without_address(row, words):
    dwords = words.split()
    if row == "AQL":
        for at in ADDRESS:
            dwords[at] = "address"
    return dwords


def describe(ours, recorded):
    for at, (a, b) in enumerate(zip(ours, recorded)):
        if a != b:
            return f"dword {at} of {len(ours)} is {a}, recorded of {len(recorded)} is {b}"
    return f"{len(ours)} dwords, recorded are {len(recorded)}"


def main():
    records, exceptions, program = sys.argv[1:]
    with lzma.open(records, "rt", encoding="ascii") as text:
        recorded = {tuple(f[:4]): f[4] for f in lines(text.read())[1:] if f[3] in ("AQL", "IB")}
    with open(exceptions, encoding="utf-8") as text:
        allowed = [Allowed(*f) for f in lines(text.read())[1:]]
    profiles = list(dict.fromkeys((gpu, profile) for gpu, profile, *_ in recorded))
    made = subprocess.run([program], input="".join(f"{g} {p}\n" for g, p in profiles), text=True,
                          stdout=subprocess.PIPE, check=False)
    failures = [f"{program}: status {made.returncode}"] if made.returncode else []
    ours = {}
    for gpu, profile, phase, row, words in lines(made.stdout):
        if row in ("AQL", "IB"):
            ours[gpu, profile, phase, row] = words
        else:
            failures.append(f"{gpu} {profile}: {words}")
    counts = {}
    for key, words in recorded.items():
        count = counts.setdefault(key[0], {"AQL": [0, 0, 0], "IB": [0, 0, 0]})[key[3]]
        count[0] += 1
        mine = without_address(key[3], ours[key]) if key in ours else []
        if mine == without_address(key[3], words):
            count[1] += 1
            continue
        for exception in allowed:
            words = exception.apply(key, words) if key[3] == "IB" else words
        if mine == without_address(key[3], words):
            count[2] += 1
        elif mine:
            failures.append(" ".join(key) + ": " + describe(mine, without_address(key[3], words)))
    for gpu, count in counts.items():
        streams, equal, excepted = count["IB"]
        packets, same, _ = count["AQL"]
        print(f"{gpu}: {equal} of {streams} streams are equal, {excepted} more but for exceptions; "
              f"{same} of {packets} packets")
    for exception in allowed:
        print(f"exception in {exception.streams} streams: {','.join(exception.profiles)} {exception.phase}: "
              f"{exception.reason}")
        if not exception.streams:
            failures.append("an exception holds for no stream: " + exception.reason)
    if len(allowed) > EXCEPTIONS_MAX:
        failures.append(f"{len(allowed)} exceptions are more than {EXCEPTIONS_MAX}")
    print("\n".join(failures))
    sys.exit(bool(failures))


main()
