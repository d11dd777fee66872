#!/usr/bin/env python3
"""What tracing kernel dispatches costs the launching thread: ns of its CPU time per launch.

Runs one program bare, with queues intercepted but nothing recorded, and with records, in turns in
one run; takes the best of each. usage: bench_dispatch [--json FILE]
"""
import json
import os
import subprocess
import sys

BUILD = "@CMAKE_BINARY_DIR@"
MODES = {"bare": None, "intercepted": "off", "recorded": "on"}


def run(mode):
    env = dict(os.environ, LD_LIBRARY_PATH=f"{BUILD}/lib")
    if mode:
        env.update(HSA_TOOLS_LIB="librocprofiler-register.so.0", DISPATCH_TOOL=mode,
                   ROCP_TOOL_LIBRARIES=f"{BUILD}/bench/libdispatch_tool.so")
    done = subprocess.run([f"{BUILD}/bin/softgpu", "--", f"{BUILD}/bench/dispatch"], env=env,
                          check=True, capture_output=True, text=True, timeout=120)
    # 10 rounds of 2000 launches and one to begin with
    wanted = {"on": "records 20001 dropped 0", "off": "records 0 dropped 0"}.get(mode, "")
    if done.stderr.strip() != wanted:
        sys.exit(f"{mode}: wanted \"{wanted}\", got: {done.stderr}")
    return float(done.stdout.split()[0])


def main():
    best = {}
    for _ in range(5):
        for name, mode in MODES.items():
            best[name] = min(best.get(name, 1e18), run(mode))
    figures = {f"{name}_ns_per_launch": value for name, value in best.items()}
    figures["added_ns_per_launch"] = best["recorded"] - best["bare"]
    for name, value in figures.items():
        print(f"{name:28} {value:8.0f}")
    if len(sys.argv) == 3 and sys.argv[1] == "--json":
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            json.dump(figures, f, indent=1)


main()
