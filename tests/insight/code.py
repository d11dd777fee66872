"""What a code object says of its kernels, with DWARF 4 and 5 and without: code.py CODE_ASK CLANG"""
import os
import subprocess
import sys
import tempfile

program, clang = sys.argv[1:]
SOURCE = """typedef struct { int a; long b; } pair;
static inline float square(float x) { return
  x * x * 3.25f; }
static inline float twice(float x) {
  return square(x) + 1.5f; }
__attribute__((reqd_work_group_size(128, 1, 1)))
kernel void k(global float *out, const global float *in, pair p, long n, global void *deep) {
  local float tile[96];
  tile[n] = in[n];
  __builtin_amdgcn_s_barrier();
  out[p.a] =
    twice(tile[p.b]); }
__attribute__((amdgpu_num_vgpr(16), reqd_work_group_size(64, 1, 1)))
kernel void spills(global float16 *io) {
  float16 a = io[0], b = io[1], c = io[2];
  for (int i = 0; i < 9; i++) { a = a * b + c; b = b * c + a; c = c * a + b; }
  io[0] = a; io[1] = b; io[2] = c; }
"""


def check(got, expected, what):
    if got != expected:
        sys.exit(f"{what}: {got}, expected {expected}")


with tempfile.TemporaryDirectory() as folder:
    for flags in (["-gdwarf-4"], ["-gdwarf-5"], ["-gline-tables-only"], []):
        with open(f"{folder}/k.cl", "w") as file:
            file.write(SOURCE)
        done = subprocess.run([clang, "--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-O2", "-nogpulib", "-x", "cl",
                               *flags, "k.cl", "-o", "k.co"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            print(f"{clang} makes no code object: {done.stderr[:300]}")
            sys.exit(77)
        told = {name: subprocess.run([program, f"{folder}/k.co", name], capture_output=True, text=True, check=True)
                .stdout.splitlines() for name in ("k", "spills")}
        facts = {name: next(line for line in lines if line.startswith("spills")) for name, lines in told.items()}
        check(facts["k"], "spills 0 group 128 lds 384 scratch 0", f"{flags}: facts")
        words = facts["spills"].split()
        check(int(words[1]) > 0 and int(words[7]) > 0, True, f"{flags}: spills in {words}")
        parameters = [line.split(" ", 1)[1].split(", ") for line in told["k"] if line.startswith("parameter")]
        check([p[2:] for p in parameters],
              [["global_buffer", "0", "8"], ["global_buffer", "8", "8"], ["by_value", "16", "16"],
               ["by_value", "32", "8"], ["global_buffer", "40", "8"]], f"{flags}: parameters")
        if "-gdwarf-4" in flags or "-gdwarf-5" in flags:
            check([p[0] for p in parameters], ["out", "in", "p", "n", "deep"], f"{flags}: their names")
            check([p[1] for p in parameters], ["float *", "const float *", "pair", "long", "void *"],
                  f"{flags}: their types")
        places = {line for line in told["k"] if line.startswith("at ")}
        if not flags:
            check(places, {"at 0"}, "without lines")
            continue
        check(any(place.startswith("at 3 in square from 5 in twice from 12") for place in places), True,
              f"{flags}: the innermost in {sorted(places)}")
        check("at 9" in places, True, f"{flags}: the kernel's own line in {sorted(places)}")
