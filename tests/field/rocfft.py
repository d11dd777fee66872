#!/usr/bin/env python3
# field: forky
# field-waves32: forky
# field-timeout: 3600
"""rocFFT by its own test program, which compares each transform with FFTW's: kernels that it writes and compiles when
it needs them. Short lengths of every kind, few of them traced and counted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field
import gtests

PROGRAM = "/usr/libexec/rocm/librocfft0-tests/rocfft-test"
# Every transform is compiled on its own, by comgr, which takes longer than to run it: few of each kind.
KINDS = {  # kind: lengths
    "pow2_1D": ("8", "1024", "8192"), "pow3_1D": ("27", "729"), "pow5_1D": ("25", "625"), "radX_1D": ("7",),
    "prime_1D": ("17",), "mix_1D": ("6",), "pow2_2D": ("4_4", "64_64"), "pow3_2D": ("9_9",), "pow5_2D": ("5_5",),
    "mix_2D": ("56_56",), "len1_2D": ("1_3",), "pow2_3D": ("4_4_4",), "prime_3D": ("7_7_7",), "mix_3D": ("4_3_7",)}
SHAPES = ("complex_forward_len_{}_double_ip_batch_2_*", "complex_forward_len_{}_single_op_batch_2_*",
          "real_forward_len_{}_double_op_batch_2_*", "real_forward_len_{}_single_ip_batch_2_*")
LEAST = 80  # transforms
FEW = {"pow2_1D": ("1024",), "pow2_2D": ("64_64",)}


def filters(kinds):
    return ":".join(f"{kind}/accuracy_test.vs_fftw/{shape.format(length)}" for kind, lengths in kinds.items()
                    for length in lengths for shape in SHAPES)


f = field.Field()
if f.needs({PROGRAM: "librocfft0-tests"}):
    env = {"ROCFFT_RTC_CACHE_PATH": f.path("kernels.db")}
    gtests.check(f, [PROGRAM, "--seed", "1"], r"([^/]*)/", filters(KINDS), filters(FEW), LEAST, env=env)
f.finish()
