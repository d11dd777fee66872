/* fpu_math.h - elementary functions in double precision, by polynomials.
 *
 * The hardware's f32 and f16 results are good to about one unit in the last place. The error of
 * these functions is well below half of one, and they use only operations that IEEE 754 defines
 * exactly, and so give the same bits on every host. They use no libm, no fused operations and no
 * tables. */
#ifndef SOFTGPU_EXEC_FPU_MATH_H
#define SOFTGPU_EXEC_FPU_MATH_H

#include "softgpu/exec/fpu.h"

/* Nearest integer of |x| < 2^51: the last place of the sum x + shift is worth 1. The host must
 * round to nearest. */
static inline double fpu_nearest(double x)
{
    const double shift = 6755399441055744.0; /* 1.5 * 2^52 */
    return (x + shift) - shift;
}

/* 2^x for |x| <= 1000. */
static inline double fpu_exp2(double x)
{
    const double n = fpu_nearest(x);
    const double t = (x - n) * 0.693147180559945309417;
    double p = 1.0 / 6227020800.0; /* 1/13!; |t| < 0.35 leaves an error below 2^-60 */
    p = p * t + 1.0 / 479001600.0;
    p = p * t + 1.0 / 39916800.0;
    p = p * t + 1.0 / 3628800.0;
    p = p * t + 1.0 / 362880.0;
    p = p * t + 1.0 / 40320.0;
    p = p * t + 1.0 / 5040.0;
    p = p * t + 1.0 / 720.0;
    p = p * t + 1.0 / 120.0;
    p = p * t + 1.0 / 24.0;
    p = p * t + 1.0 / 6.0;
    p = p * t + 0.5;
    p = p * t + 1.0;
    p = p * t + 1.0;
    /* the low bits of this sum are the integer n */
    const uint64_t power = (fpu_bits64(n + 6755399441055744.0) + 1023) << 52;
    return p * fpu_f64(power);
}

/* log2 of a positive, finite, normal number. */
static inline double fpu_log2(double x)
{
    const uint64_t bits = fpu_bits64(x);
    const uint64_t mantissa = bits & UINT64_C(0x000fffffffffffff);
    const bool upper = mantissa > UINT64_C(0x6a09e667f3bcd); /* sqrt(2) */
    /* the exponent as a double, without an integer conversion: 2^52 + e, minus 2^52 */
    const double e = fpu_f64((bits >> 52) | UINT64_C(0x4330000000000000)) - 4503599627370496.0;
    const double exponent = e - (upper ? 1022.0 : 1023.0);
    const double m =
        fpu_f64(mantissa | (upper ? UINT64_C(0x3fe0000000000000) : UINT64_C(0x3ff0000000000000)));
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 1.0 / 21.0; /* z < 0.0295 */
    p = p * z + 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    p = p * z + 1.0;
    return exponent + p * s * 2.88539008177792681472; /* 2 / ln 2 */
}

/* sin(2 pi x + quarter * pi / 2), |x| <= 2^40. */
static inline double fpu_sin_turns(double x, unsigned quarter)
{
    const double r = x - fpu_nearest(x); /* exact */
    const double k = fpu_nearest(4.0 * r);
    const double y = (r - 0.25 * k) * 6.283185307179586476925; /* within pi / 4 */
    const double z = y * y;
    const uint64_t q = fpu_bits64(k + 6755399441055744.0) + quarter;
    double s = 1.0 / 355687428096000.0;
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    s = (s * z + 1.0) * y; /* keeps the sign of zero */
    double c = 1.0 / 20922789888000.0;
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    c = c * z - 0.5;
    c = c * z + 1.0;
    /* In odd quarters of the turn the result is the cosine; in the upper two the sign changes. */
    const uint64_t cosine = 0 - (q & 1);
    const uint64_t v = (fpu_bits64(c) & cosine) | (fpu_bits64(s) & ~cosine);
    return fpu_f64(v ^ (q & 2) << 62);
}

#endif
