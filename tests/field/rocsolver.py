#!/usr/bin/env python3
# field: forky
# field-waves32: forky
# field-timeout: 3600
"""rocSOLVER by its own test program, which compares each routine with LAPACK's on the host: some sizes of every
routine in all precisions, few of them traced and counted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field
import gtests

PROGRAM = "/usr/libexec/rocm/librocsolver0-tests/rocsolver-test"
# Its tests are numbered by sizes and options, for every precision and way of batching.
ALL = "checkin_lapack/*/8:checkin_lapack/*/12:checkin_lapack/*/21:checkin_lapack/*/33"
LEAST = 1500  # tests
DATA = "checkin_lapack/CSRRF_*"  # sparse refactorization reads matrices that are not packaged
FEW = "checkin_lapack/GETRF.__*/12:checkin_lapack/GEQRF.__*/12:checkin_lapack/SYEVD.__float/12:checkin_lapack/GESV.batched*/12"

f = field.Field()
if f.needs({PROGRAM: "librocsolver0-tests"}, "librocsolver.so.0", "librocblas.so.4"):
    gtests.check(f, [PROGRAM], r"[^/]*/([^.]*)", f"{ALL}-{DATA}", FEW, LEAST)
    f.skip(f"rocsolver-test {DATA}", "its matrices are not packaged")
f.finish()
