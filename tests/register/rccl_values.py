#!/usr/bin/env python3
"""Calls of RCCL say communicator, rank, size and bytes, which the stand-in for RCCL makes known as RCCL would.

usage: rccl_values.py ROCPROFV3 PROGRAM
"""
import glob
import sqlite3
import subprocess
import sys
import tempfile

rocprofv3, program = sys.argv[1:3]
NAMES = ("communicator", "rank", "size", "destination", "bytes_sent", "bytes_received")


def values(folder, rank):
    """Of each call by function and place: the values."""
    done = subprocess.run([rocprofv3, "--rccl-trace", "-d", folder, "-o", str(rank), "--", program, str(rank), "4"],
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        sys.exit(f"status {done.returncode}: {done.stderr}")
    db, = glob.glob(f"{folder}/{rank}*.db")
    with sqlite3.connect(db) as d:
        rows = d.execute("SELECT R.event_id, R.name, A.name, A.value FROM regions R JOIN rocpd_arg A ON A.event_id = R.event_id "
                         "WHERE R.category = 'RCCL_API' ORDER BY 1").fetchall()
    calls = {}
    for event, function, name, value in rows:
        calls.setdefault((event, function), {})[name] = value
    return [(function, *(v[n] for n in NAMES if n in v)) for (_, function), v in calls.items()]


def equal(was, expected):
    if was != expected:
        sys.exit(f"{was} instead of {expected}")


def main():
    with tempfile.TemporaryDirectory(prefix="rocprofv3-rccl-") as folder:
        calls = [values(folder, rank) for rank in range(4)]
    world, halves = calls[0][1][1], [c[6][1] for c in calls]
    equal((len(world), world[:2], len(halves[0])), (18, "0x", 18))
    equal([halves[0] == halves[2], halves[1] == halves[3], halves[0] == halves[1], world in halves], [True, True, False, False])
    for rank, rows in enumerate(calls):
        equal(rows[1:5], [("ncclAllReduce", world, str(rank), "4", "400", "400"), ("ncclAllGather", world, str(rank), "4", "80", "320"),
                          ("ncclBroadcast", world, str(rank), "4", *(("16", "0") if rank == 1 else ("0", "16"))),
                          ("ncclSend", world, str(rank), "4", str((rank + 1) % 4), "3", "0")])
        equal(rows[6], ("ncclAllReduce", halves[rank], str(rank // 2), "2", "2", "2"))
        equal([r[0] for r in rows], ["ncclCommInitRank", *(r[0] for r in rows[1:5]), "ncclCommSplit", "ncclAllReduce"])


main()
