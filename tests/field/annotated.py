#!/usr/bin/env python3
# field: forky
# field-waves32: forky
# field-timeout: 900
"""Instructions of kernels that come without a source: llama.cpp's matrix-vector product and one of Tensile's, in
assembly, are counted and annotated by blocks; their waves are those that ran."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field

OPERATIONS = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"
BENCH = "/usr/libexec/rocm/librocblas4-bench/rocblas-bench"
f = field.Field()
# program, its packages, the library with its kernels, the command, how the kernels are named, what their products are made
# of: those of floats of matrix instructions, where the GPU has such of floats, which have a counter
CASES = [
    ("llama.cpp", {OPERATIONS: "llama.cpp-tests"}, field.GGML_HIP,
     [OPERATIONS, "test", "-b", "ROCm0", "-o", "MUL_MAT", "-p", "type_a=q4_0,type_b=f32,m=16,n=1,k=256,bs=\\[1,1\\]"],
     "mul_mat_vec", ("v_dot4",)),
    ("Tensile", {BENCH: "librocblas4-bench"}, "librocblas.so.4",
     [BENCH, *"-f gemm -r s -m 97 -n 66 -k 51 --lda 130 --ldb 131 --ldc 132 --alpha 2 --beta 3 -i 1 -j 0".split()],
     "Cijk_", ("v_mfma",) if f.has_counter("SQ_INSTS_MFMA") else ("v_fma", "v_dual_fma")),
]


def waves_of(table):
    """{kernel: waves}, by the instruction that each wave executes last and once."""
    waves = {}
    for row in table:
        if row["Instruction"] == "s_endpgm":
            waves[row["Kernel_Name"]] = waves.get(row["Kernel_Name"], 0) + int(row["Issued"])
    return waves


def check(name, command, kernels, products):
    bare = f.soft(command, "--stats", timeout=300)
    f.case(f"{name} bare", bare.why(), bare.seconds)
    expected = {kernel: counts[1] for kernel, counts in field.executed(bare.err).items() if kernels in kernel}
    for level in ("exact", "model"):
        folder = f.path(f"{name} {level}")
        trace = field.Trace(folder, f.run(
            [f"{f.build}/bin/rocprofv3", "--gpu", "soft", "--instruction-counts", "--instruction-counts-level", level,
             "--kernel-include-regex", kernels, "-f", "csv", "rocpd", "-d", folder, "-o", "t", "--", *command], timeout=300))
        table = list(trace.rows("instruction_counts"))
        multiplied = sum(int(row["Issued"]) for row in table if row["Instruction"].startswith(products))
        f.case(f"{name} {level}", trace.run.why() or field.differences(expected, waves_of(table)) or
               ("" if expected else f"no kernel {kernels}*") or ("" if multiplied else f"no {products[0]}*"), trace.run.seconds)
        shown = f.run([f"{f.build}/bin/rocprofv3", "annotate", "--isa", "--limit", "0", folder], timeout=120)
        f.case(f"{name} {level} annotated", shown.why() or ("" if kernels in shown.out else "no such kernel") or
               ("" if any(map(shown.out.__contains__, products)) else f"no {products[0]}*"), shown.seconds)


for name, packages, library, command, kernels, products in CASES:
    if f.needs(packages, library):
        check(name, command, kernels, products)
f.finish()
