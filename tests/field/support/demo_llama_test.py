"""What scripts/demo-llama says where llama.cpp has no back end for the GPU. Commands of ours stand for those that make a root,
enter it and profile. usage: demo_llama_test.py SCRIPTS"""
import os
import shutil
import subprocess
import sys
import tempfile

OF_CPU = "load_backend: loaded CPU backend from /usr/lib/ggml/backends0/libggml-cpu-haswell.so"
REFUSED = "load_backend: failed to initialize ROCm from libggml-hip.so: incompatible API version (backend: 1, current: 2)"
PROFILER = ['echo "runs $*"', 'while [ "$1" != -- ]; do [ "$1" != -d ] || out=$2; shift; done', 'echo "with ${GGML_BACKEND_PATH:-none}"',
            'here=${0%/*}/../..', 'cat "$here/log" >&2', 'mkdir -p "$out"',
            '[ ! -e "$here/gpu" ] || : >"$out/llama_kernel_trace.csv"']


def command(path, *lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("\n".join(["#!/bin/sh", *lines, ""]))
    os.chmod(path, 0o755)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


with tempfile.TemporaryDirectory() as tree:
    tree = os.path.realpath(tree)
    log, backend = tree + "/build/demo-llama/trace.log", tree + "/libggml-hip.so"
    command(tree + "/scripts/field-root")
    command(tree + "/scripts/in-field", "shift", 'exec env "$@"')
    command(tree + "/scripts/field-llama", f"echo {backend}")
    command(tree + "/build/bin/rocprofv3", *PROFILER)
    command(tree + "/build/bin/rocprofv3-avail")
    command(tree + "/bin/ls", f"[ -e {tree}/kernels ]")  # rocBLAS's
    shutil.copy(os.path.join(sys.argv[1], "demo-llama"), tree + "/scripts")
    os.makedirs(tree + "/tests/field/support")
    shutil.copy(os.path.join(sys.argv[1], "../tests/field/support/llama-batch"), tree + "/tests/field/support")
    write(tree + "/share/gpus/products.tsv", "mi300x\tgfx942\t-\n")
    write(tree + "/tests/field/packages-demo-llama.txt", "# architectures: gfx90a\n")
    for script in ("tests/field/support/gguf.py", "scripts/demo_table.py", "scripts/demo_llama_table.py"):
        write(f"{tree}/{script}", "")

    def demo(**variables):
        return subprocess.run([tree + "/scripts/demo-llama", tree + "/build"], capture_output=True, text=True, timeout=40,
                              env={"PATH": f"{tree}/bin:{os.environ['PATH']}", "GPU": "mi300x", **variables})

    def refused(said, **variables):
        run = demo(**variables)
        assert (run.returncode, run.stderr.splitlines()[-1]) == (1, f"demo-llama: {said}"), run

    write(backend, "amdgcn-amd-amdhsa--gfx90a")
    refused(f"LLAMA_BACKEND: {backend} has no code for gfx942, which GPU=mi300x is", LLAMA_BACKEND=backend)
    refused(f"GPU=mi300x: {backend} of experimental has no code for gfx942, for which it was built")
    refused("GPU=mi300x: the llama.cpp of forky has no code for gfx942; without SUITE= it is experimental's, "
            "with a back end that is built for it", SUITE="forky")

    write(backend, "amdgcn-amd-amdhsa--gfx942")
    for lines, why in (([OF_CPU, REFUSED], REFUSED), ([REFUSED, OF_CPU], REFUSED), ([OF_CPU], f"see {log}"), ([], f"see {log}")):
        write(tree + "/log", "".join(f"{line}\n" for line in lines))
        refused(f"llama.cpp used no GPU: {why}", LLAMA_BACKEND=backend)

    write(tree + "/gpu", "")
    for variables, loads in (({}, backend), ({"LLAMA_BACKEND": backend}, tree + "/build/demo-llama/libggml-hip.so")):
        run = demo(**variables)
        assert run.returncode == 0 and run.stdout.count(f"with {loads}\n") == 2, run
    for kernels in (False, True):
        if kernels:
            write(tree + "/kernels", "")
        run = demo()
        assert run.stdout.count(" -b 1 -ub 1\n") == 2 * (not kernels), run
        assert ("has no kernels for gfx942: llama.cpp gets one token at a time" in run.stderr) == (not kernels), run
