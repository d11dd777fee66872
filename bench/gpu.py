#!/usr/bin/env python3
"""What softgpu costs a program: copies, launches, idle queues (gpu.hip) and a whole small program.

Rates are the best of some rounds, beside the host's own memcpy in the same run. The ratio of CPU
seconds is what a busy machine still tells truly. usage: bench_gpu [--json FILE]
"""
import json
import subprocess
import sys
import time

BUILD = "@CMAKE_BINARY_DIR@"
ROUNDS = 7


def softgpu(program, *arguments):
    return subprocess.run([f"{BUILD}/bin/softgpu", "--", f"{BUILD}/bench/{program}", *arguments],
                          check=True, capture_output=True, text=True, timeout=300).stdout


def whole_program():
    best = 1e9
    for _ in range(ROUNDS):
        begin = time.monotonic()
        softgpu("gpu_minimal")
        best = min(best, time.monotonic() - begin)
    return best


def main():
    figures = json.loads(softgpu("gpu"))
    figures["launch, sleeping wait"] = figures.pop("launch to completion")
    figures.update(json.loads(softgpu("gpu", "default")))
    figures["minimal program"] = {"seconds": round(whole_program(), 3)}
    host = figures["host memcpy, all cores"]
    for name in ("copy kernel", "copy kernel, grid stride"):
        kernel = figures[name]
        kernel["percent_of_memcpy"] = round(
            100 * kernel["gb_per_second"] / host["gb_per_second"], 1)
        kernel["percent_of_memcpy_by_cpu"] = round(
            100 * kernel["gb_per_cpu_second"] / host["gb_per_cpu_second"], 1)
    for name, values in figures.items():
        print(f"{name:26}", ", ".join(f"{key} {value}" for key, value in values.items()))
    if len(sys.argv) == 3 and sys.argv[1] == "--json":
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            json.dump(figures, f, indent=1)


main()
