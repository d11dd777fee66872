#!/usr/bin/env python3
"""What a rank costs at its start that --ranks leaves out: /bin/true by itself, and as rank 1 under rocprofv3 --ranks 0, in
turns. Milliseconds more, of processor time and passing; medians of many rounds, and the least.

usage: bench_left_out [--json FILE] [--rounds N]
Without an AMD GPU rocprofv3 would give the program softgpu, as `softgpu -- /bin/true` does. To leave that out, root gets a
/dev of its own with an empty file in place of the driver's device.
"""
import argparse
import json
import os
import statistics
import sys
import time

sys.path.insert(0, "@CMAKE_SOURCE_DIR@/tests")
import own_device

ROCPROFV3 = "@CMAKE_BINARY_DIR@/bin/rocprofv3"
PROGRAM = "/bin/true"
LEFT_OUT = [ROCPROFV3, "--ranks", "0", "--", PROGRAM]


def run(words, environment):
    """Milliseconds of processor time, and passing."""
    start = time.perf_counter()
    pid = os.posix_spawn(words[0], words, environment)
    _, status, used = os.wait4(pid, 0)
    passed = time.perf_counter() - start
    if status:
        sys.exit(f"bench_left_out: {words}: status {status}")
    return (used.ru_utime + used.ru_stime) * 1e3, passed * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--rounds", type=int, default=500)
    given = parser.parse_args()
    own_device.become()
    environment = {"PATH": "/usr/bin:/bin", "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
    rounds = [(run([PROGRAM], environment), run(LEFT_OUT, environment)) for _ in range(given.rounds)]
    figures = {}
    for i, what in enumerate(("processor", "passing")):
        bare, ours = [r[0][i] for r in rounds], [r[1][i] for r in rounds]
        figures[what] = {"median_ms": statistics.median(ours) - statistics.median(bare), "least_ms": min(ours) - min(bare)}
        print(f"{what:10} {figures[what]['median_ms']:6.3f} ms more (median of {given.rounds}; the least: {figures[what]['least_ms']:.3f}); "
              f"{PROGRAM} itself {statistics.median(bare):.3f}")
    if not os.path.exists(own_device.DEVICE):
        print("with the start of softgpu: there is no GPU")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as f:
            json.dump(figures, f, indent=1)


main()
