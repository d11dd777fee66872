/* small_rig.h - a reference for small floating-point formats.
 *
 * It knows a format as the list of its magnitudes, from the definition (sign, exponent, mantissa,
 * bias), and finds a number's neighbours by searching the list. All is exact in double. It shares
 * nothing with fpu_small.h but the numbering of formats and the type of a rounding. */
#ifndef TESTS_EXEC_SMALL_RIG_H
#define TESTS_EXEC_SMALL_RIG_H

#include "softgpu/exec/fpu_small.h"

#include <math.h>

typedef struct {
    const char *name;
    fpu_small_t format;
    int exponent_bits, mantissa_bits, bias;
    int finite;         /* magnitudes: codes 0 to finite - 1 */
    int infinity, nan;  /* codes, -1: none */
    bool minus_zero;    /* there is one */
    double least, most; /* smallest and largest magnitude above 0, from the documents */
} known_t;

static const known_t formats[] = {
    {"fp8", FPU_FP8, 4, 3, 7, 127, -1, 0x7f, true, 0x1p-9, 448},
    {"bf8", FPU_BF8, 5, 2, 15, 124, 0x7c, 0x7f, true, 0x1p-16, 57344},
    {"fp8 fnuz", FPU_FP8_FNUZ, 4, 3, 8, 128, -1, 0x80, false, 0x1p-10, 240},
    {"bf8 fnuz", FPU_BF8_FNUZ, 5, 2, 16, 128, -1, 0x80, false, 0x1p-17, 57344},
    {"fp6", FPU_FP6, 2, 3, 1, 32, -1, -1, true, 0.125, 7.5},
    {"bf6", FPU_BF6, 3, 2, 3, 32, -1, -1, true, 0.0625, 28},
    {"fp4", FPU_FP4, 2, 1, 1, 8, -1, -1, true, 0.5, 6},
    {"f16", FPU_F16, 5, 10, 15, 0x7c00, 0x7c00, 0x7e00, true, 0x1p-24, 65504},
    {"bf16", FPU_BF16, 8, 7, 127, 0x7f80, 0x7f80, 0x7fc0, true, 0x1p-133, 0x1.fep127},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static inline double magnitude(const known_t *k, int code)
{
    const int field = code >> k->mantissa_bits, rest = code & ((1 << k->mantissa_bits) - 1);
    const double fraction = ldexp(rest, -k->mantissa_bits);
    return field ? ldexp(1 + fraction, field - k->bias) : ldexp(fraction, 1 - k->bias);
}

static inline uint32_t sign_of(const known_t *k)
{
    return 1u << (k->exponent_bits + k->mantissa_bits);
}

static inline uint32_t with_sign(const known_t *k, bool negative, int code)
{
    if (k->nan == (int)sign_of(k) && (code == 0 || code == k->nan)) return (uint32_t)code;
    return (negative ? sign_of(k) : 0) | (uint32_t)code;
}

static inline uint32_t too_large(const known_t *k, bool negative, bool saturate)
{
    if (saturate || k->nan < 0) return with_sign(k, negative, k->finite - 1);
    return with_sign(k, negative, k->infinity >= 0 ? k->infinity : k->nan);
}

static inline uint32_t reference(const known_t *k, double x, fpu_rounding_t how)
{
    const bool negative = signbit(x);
    int low = 0, high = k->finite; /* the last code that is not above |x| is in [low, high) */
    if (x != x)
        return k->nan < 0 ? with_sign(k, negative, k->finite - 1) : with_sign(k, negative, k->nan);
    x = fabs(x);
    if (isinf(x)) return too_large(k, negative, how.saturate);
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (magnitude(k, middle) <= x)
            low = middle;
        else
            high = middle;
    }
    /* Behind the largest number the format goes on as if it had more exponents. */
    const double a = magnitude(k, low);
    const double b = low + 1 < k->finite ? magnitude(k, low + 1) : a + (a - magnitude(k, low - 1));
    if (x >= b) return too_large(k, negative, how.saturate);
    const double part = (x - a) / (b - a); /* b - a is a power of two */
    bool up = part > 0.5 || (part == 0.5 && low % 2);
    if (how.stochastic) {
        const int bits = 23 - k->mantissa_bits;
        const double random = ldexp(floor(ldexp(how.random, bits - 32)), -bits);
        up = part + random >= 1;
    }
    if (up && low + 1 == k->finite) return too_large(k, negative, how.saturate);
    return with_sign(k, negative, low + up);
}

#endif
