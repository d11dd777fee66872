#!/usr/bin/env python3
# field: forky
# field-ci: forky
# field-waves32: forky
# field-timeout: 3600
"""Programs that are right, with every check of softgpu: nothing is reported but what known.rules knows to be true.
Libraries by programs of their own, ours built by the suite's hipcc."""
import concurrent.futures
import os
import re
import sys

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support")
sys.path.insert(0, SUPPORT)
import field
import whisper_model

HIP = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "whole", "hip", "programs")
BLAS = "/usr/libexec/rocm/librocblas4-bench/rocblas-bench"
SPARSE = "/usr/libexec/rocm/librocsparse1-tests/rocsparse-test"
FFT = "/usr/libexec/rocm/librocfft0-tests/rocfft-test"
SOLVER = "/usr/libexec/rocm/librocsolver0-tests/rocsolver-test"
LLAMA = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"
ONCE = "-v 1 -i 1 -j 0"
PRODUCT = f"-f gemm -m 97 -n 66 -k 51 --lda 130 --ldb 131 --ldc 132 --alpha 2 --beta 3 {ONCE}"
MIXED = f"-f gemm_ex -m 65 -n 34 -k 96 --alpha 1 --beta 1 {ONCE}"
FFTS = ":".join(f"{kind}/accuracy_test.vs_fftw/{name}_batch_2_*" for kind, name in (
    ("pow2_1D", "complex_forward_len_1024_single_op"), ("pow2_1D", "real_forward_len_8_double_op"),
    ("pow3_2D", "complex_forward_len_9_9_double_ip"), ("prime_3D", "real_forward_len_7_7_7_single_ip"),
    ("prime_1D", "complex_forward_len_17_double_ip")))
SOLVERS = ":".join(f"checkin_lapack/{name}" for name in (
    "GETRF.__*/12", "GEQRF.__*/12", "SYEVD.__float/12", "GESV.batched*/12", "GESVD.__*/8", "POTRF.__float/12"))
ATTENTION = ("hsk=64,hsv=64,nh=4,nr23=.1,1.,kv=113,nb=1,mask=1,sinks=1,max_bias=0[.]0*,logit_softcap=0[.]0*,prec=f32,"
             "type_K=(f16|q8_0).*permute=.0,1,2,3.")
PASSED = r"\[  PASSED  \] [1-9]"
TESTED = r"[1-9]\d*/\d+ tests passed"
RIGHT = "norm_error"  # its report of a result; judged by rocblas.py
LIBRARIES = {  # what: (program, arguments, its package, what it says when something has run)
    "rocBLAS gemm f32": (BLAS, f"{PRODUCT} -r f32_r", "librocblas4-bench", RIGHT),
    "rocBLAS gemm f16": (BLAS, f"{PRODUCT} -r f16_r --transposeA T", "librocblas4-bench", RIGHT),
    "rocBLAS gemm f64 complex": (BLAS, f"{PRODUCT} -r f64_c --transposeB C", "librocblas4-bench", RIGHT),
    "rocBLAS gemm i8": (BLAS, f"{MIXED} -r i8_r --c_type i32_r --d_type i32_r --compute_type i32_r --transposeA T",
                        "librocblas4-bench", RIGHT),
    "rocBLAS trsm": (BLAS, f"-f trsm -m 70 -n 45 --alpha 2 --side L --uplo U --transposeA N --diag N -r f32_r {ONCE}",
                     "librocblas4-bench", RIGHT),
    "rocBLAS gemv": (BLAS, f"-f gemv -m 131 -n 77 --lda 140 --alpha 2 --beta 3 --transposeA T -r f64_r {ONCE}",
                     "librocblas4-bench", RIGHT),
    "rocBLAS dotc": (BLAS, f"-f dotc -n 1025 -r f64_c {ONCE}", "librocblas4-bench", RIGHT),
    "rocBLAS trsv": (BLAS, f"-f trsv -n 100 --lda 100 -r f32_c --uplo L --diag N --transposeA N {ONCE}",
                     "librocblas4-bench", RIGHT),
    "rocBLAS trtri": (BLAS, f"-f trtri -n 100 --lda 100 -r f32_r --uplo L --diag N {ONCE}", "librocblas4-bench", RIGHT),
    "rocBLAS iamax": (BLAS, f"-f iamax -n 5000 -r f32_r {ONCE}", "librocblas4-bench", RIGHT),
    "rocSPARSE": (SPARSE, "--gtest_filter=quick/csrmv.*", "librocsparse1-tests", PASSED),
    "rocFFT": (FFT, f"--seed 1 --gtest_filter={FFTS}", "librocfft0-tests", PASSED),
    "rocSOLVER": (SOLVER, f"--gtest_filter={SOLVERS}", "librocsolver0-tests", PASSED),
    "llama.cpp": (LLAMA, "test -b ROCm0 -o RMS_NORM,SUM_ROWS,GET_ROWS,MUL_MAT -p "
                  "type=f32|type_a=q4_0.*m=16,n=1,k=256,bs=.1,1.,nr=.1,1.,per=.0,1,2,3.", "llama.cpp-tests",
                  TESTED),
    "llama.cpp nvfp4": (LLAMA, "test -b ROCm0 -o MUL_MAT -p type_a=nvfp4.*m=16,n=16,k=256,bs=.3,2.", "llama.cpp-tests",
                        TESTED),
    "llama.cpp attention": (LLAMA, f"test -b ROCm0 -o FLASH_ATTN_EXT -p {ATTENTION}", "llama.cpp-tests", TESTED),
}
CODE = {BLAS: ["librocblas.so.4"], SPARSE: ["librocsparse.so.1"], SOLVER: ["librocsolver.so.0", "librocblas.so.4"],
        LLAMA: [field.GGML_HIP]}
OURS = ["vectoradd", "matmul", "reduction", "histogram", "transpose", "stencil", "math", "lanes", "nbody", "generic",
        "cooperative", "streams", "copies"]
f = field.Field()


def reported(run, ran):
    """What is wrong with a run, or nothing."""
    return field.reported(run) or ("" if re.search(ran, run.out) else "nothing has run")


def built(source):
    """The program of a source, or None; it has its lines."""
    program = f.path(os.path.basename(source) + ".out")
    run = f.run(["hipcc", f"--offload-arch={f.target}", "-O2", "-g", source, "-o", program, "-pthread"], timeout=600)
    return program if not run.why() else f.case(os.path.basename(source), run.why()) or None


def libraries():
    for name, (program, arguments, package, ran) in LIBRARIES.items():
        if not f.small and f.needs({program: package}, *CODE.get(program, [])):
            yield name, [program, *arguments.split()], ran


def whisper():
    if not f.small and f.needs({"whisper-cli": "whisper.cpp"}, field.GGML_HIP):
        model, heard = f.path("tiny.bin"), f.path("sound.wav")
        whisper_model.tiny_whisper(model)
        whisper_model.sound(heard, 1)
        yield "whisper.cpp", f"whisper-cli -m {model} -f {heard} -nf -bs 1 -bo 1 -nt -np -ac 64".split(), r"\w"


def ours():
    sources = [os.path.join(HIP, f"{name}.hip") for name in (OURS[:3] if f.small else OURS)]
    primitives = ["primitives.hip"] if f.small else ["primitives.hip", "primitives_more.hip"]
    for source in [*(os.path.join(SUPPORT, name) for name in primitives), *sources]:
        program = built(source)
        if program:
            yield os.path.basename(source), [program], ""


def check(case):
    name, command, ran = case
    run = f.soft(command, *field.CHECKED, timeout=1200)
    return name, run, reported(run, ran)


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for name, run, why in pool.map(check, [*libraries(), *whisper(), *ours()]):
        f.case(f"{name}, every check", why, run.seconds)
f.finish()
