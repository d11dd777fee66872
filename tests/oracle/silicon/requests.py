#!/usr/bin/env python3
"""What the command processors of an MI350X count of the requests by which its XCCs wait for each other, by partition.

usage: requests.py SILICON_VCOPY SHARE. Apart from scripts/silicon, which knows one partition alone, the measured one. Each packet,
that which starts the counters and that of the dispatch, is a request of each XCC: a clock in its queue and 78 on its way.
Status 77 where SILICON_VCOPY lacks something, which it says.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../scripts"))
from counter_tables import Facts  # noqa: E402

vcopy, share = sys.argv[1:]
facts = Facts(share)
counters = {r["counter"]: r for r in facts.counters_of("gfx950")}
blocks = {b["block"]: b["id"] for b in facts.soft_blocks_of("gfx950")}
NAMES = ("CPC_SYNC_WRREQ_FIFO_BUSY", "CPC_CANE_BUSY")
wanted = "".join(f"{n} {blocks[counters[n]['block']]} {counters[n]['event']} -1\n" for n in NAMES)
for mode, xccs in (("spx", 8), ("dpx", 4), ("cpx", 1)):
    done = subprocess.run([vcopy, f"{share}/softgpu/mi350x.profile", "8", mode, "gpu", "0"], input=wanted,
                          capture_output=True, text=True, timeout=300)
    if done.returncode == 77:
        print(done.stderr or done.stdout, end="")
        sys.exit(77)
    requests = 2 * xccs if xccs > 1 else 0
    expected = "".join(f"{n} " + " ".join([str(requests * clocks)] * 3) + "\n" for n, clocks in zip(NAMES, (1, 78)))
    if done.returncode or done.stdout.split() != expected.split():
        sys.exit(f"{mode}: status {done.returncode}\n{done.stdout}{done.stderr}expected\n{expected}")
