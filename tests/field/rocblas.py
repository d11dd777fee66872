#!/usr/bin/env python3
# field: forky
# field-ci: forky
# field-mi100: forky
# field-waves32: forky
# field-timeout: 3600
"""rocBLAS by its own benchmark, which compares each result with a CPU's: matrix products by Tensile's assembly kernels,
matrix-vector products and triangular solvers, in five precisions; one traced, one counted."""
import concurrent.futures
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field

BENCH = "/usr/libexec/rocm/librocblas4-bench/rocblas-bench"
PRODUCT_CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support", "product.py")
TENSILE, OWN = "Cijk_", "rocblas_"  # how the kernels are named that must have run

# The largest error that a result may have, as a part of its norm: some ten roundings of the type. The benchmark judges
# products of doubles by a reference of single precision: those are held to that here and to the last bits by product.py.
LIMIT = {"h": 2e-2, "s": 1e-5, "d": 1e-13, "c": 1e-5, "z": 1e-13, "bf16": 2e-2, "i8": 0.0}
LIMIT_OF_PRODUCTS = {**LIMIT, "d": 1e-6}

# case, precision, kernels, options; sizes are small, and odd enough that edges are met
PRODUCT = "-f gemm -m 97 -n 66 -k 51 --lda 130 --ldb 131 --ldc 132 --alpha 2 --beta 3"
STRIDED = "-f gemm_strided_batched -m 33 -n 65 -k 40 --batch_count 5 --alpha 2 --beta 1"
BATCHED = "-f gemm_batched -m 64 -n 31 -k 72 --batch_count 3 --alpha 1 --beta 2"
VECTOR = "-f gemv -m 131 -n 77 --lda 140 --alpha 2 --beta 3"
SOLVE = "-f trsm -m 70 -n 45 --alpha 2"
MIXED = "-f gemm_ex -m 65 -n 34 -k 96 --alpha 1 --beta 1"
CASES = [
    ("gemm NN", "s", TENSILE, f"{PRODUCT} --transposeA N --transposeB N"),
    ("gemm NT", "d", TENSILE, f"{PRODUCT} --transposeA N --transposeB T"),
    ("gemm TN", "h", TENSILE, f"{PRODUCT} --transposeA T --transposeB N"),
    ("gemm CN", "c", TENSILE, f"{PRODUCT} --transposeA C --transposeB N"),
    ("gemm TC", "z", TENSILE, f"{PRODUCT} --transposeA T --transposeB C"),
    ("gemm strided batched TT", "s", TENSILE, f"{STRIDED} --transposeA T --transposeB T"),
    ("gemm strided batched NN", "h", TENSILE, f"{STRIDED} --transposeA N --transposeB N"),
    ("gemm strided batched NC", "z", TENSILE, f"{STRIDED} --transposeA N --transposeB C"),
    ("gemm batched NN", "d", TENSILE, f"{BATCHED} --transposeA N --transposeB N"),
    ("gemm batched NT", "c", TENSILE, f"{BATCHED} --transposeA N --transposeB T"),
    ("gemm batched TN", "s", TENSILE, f"{BATCHED} --transposeA T --transposeB N"),
    ("gemm f16 to f32", "h", TENSILE, f"{MIXED} --compute_type f32_r"),
    ("gemm bf16 to f32", "bf16", TENSILE, f"{MIXED} --compute_type f32_r"),
    ("gemm i8 to i32", "i8", TENSILE, f"{MIXED} --c_type i32_r --d_type i32_r --compute_type i32_r --transposeA T"),
    ("gemv N", "s", OWN, f"{VECTOR} --transposeA N"),
    ("gemv T", "d", OWN, f"{VECTOR} --transposeA T"),
    ("gemv C", "z", OWN, f"{VECTOR} --transposeA C"),
    ("trsm left upper", "s", OWN, f"{SOLVE} --side L --uplo U --transposeA N --diag N"),
    ("trsm right lower", "d", OWN, f"{SOLVE} --side R --uplo L --transposeA T --diag N"),
    ("trsm left lower", "c", OWN, f"{SOLVE} --side L --uplo L --transposeA C --diag U"),
]
SMALL = {"gemm NN"}  # most of a run is rocBLAS reading its code
NAMES = {"bf16": "bf16_r", "i8": "i8_r"}


def command(precision, options):
    return [BENCH, *options.split(), "-r", NAMES.get(precision, precision), "-v", "1", "-i", "1", "-j", "0"]


def judged(run, precision, kernels):
    """What is wrong with a run's results, or nothing. The last line holds values, the one before their names."""
    if run.why():
        return run.why()
    lines = [line for line in run.out.splitlines() if line.strip()]
    values = dict(zip(*csv.reader(lines[-2:]))) if len(lines) > 1 else {}
    errors = {name.strip(): float(value) for name, value in values.items() if name.strip().startswith("norm_error")}
    if not errors:
        return f"no error is reported: {lines[-1:]}"
    limit = (LIMIT_OF_PRODUCTS if kernels == TENSILE else LIMIT)[precision]
    wrong = [f"{name} {error:g}" for name, error in errors.items() if not 0 <= error <= limit]
    return f"{', '.join(wrong)}, limit {limit:g}" if wrong else ""


def missing(kernels, names):
    return "" if any(kernels in name for name in names) else f"no kernel {kernels}*, but {', '.join(sorted(names))[:200]}"


def main():
    f = field.Field()
    if not f.needs({BENCH: "librocblas4-bench"}, "librocblas.so.4"):
        f.finish()

    def bare(case):
        name, precision, kernels, options = case
        run = f.soft(command(precision, options), "--stats", timeout=180)
        return case, run, judged(run, precision, kernels) or missing(kernels, field.executed(run.err))

    # Most of a run is rocBLAS reading its code, on one thread: two at a time.
    cases = [c for c in CASES if not f.small or c[0] in SMALL]
    stats = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, run, why in pool.map(bare, cases):
            f.case(f"{case[0]} {case[1]}", why, run.seconds)
            stats[case[0]] = field.executed(run.err)

    direct = f.soft([sys.executable, PRODUCT_CHECK], timeout=180)
    wrong = [line for line in direct.out.splitlines() if line.startswith("wrong")]
    f.case("products by elements", "; ".join(wrong) or direct.why(), direct.seconds)

    # The records of the first product: the dispatches of which softgpu itself says that it executed them.
    name, precision, kernels, options = CASES[0]
    executed = stats[name]
    trace = f.traced("trace", command(precision, options), timeout=180)
    dispatches = {kernel: counts[0] for kernel, counts in executed.items()}
    f.case(f"{name} {precision} traced", judged(trace.run, precision, kernels) or trace.losses() or
           field.differences(dispatches, trace.dispatches()), trace.run.seconds)
    counted = f.counted("counters", command(precision, options), "SQ_WAVES", timeout=180)
    waves = {kernel: counts[1] for kernel, counts in executed.items()}
    f.case(f"{name} {precision} counted", judged(counted.run, precision, kernels) or counted.losses() or
           field.differences(waves, counted.counters().get("SQ_WAVES", {})), counted.run.seconds)
    f.finish()


if __name__ == "__main__":
    main()
