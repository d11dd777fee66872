/* valu_small.c - small floating-point formats: values, rounding, overflow.
 *
 * The reference knows a format as the list of its magnitudes, from the definition (sign, exponent,
 * mantissa, bias), and finds a number's neighbours by searching the list. All is exact in double.
 * It shares nothing with fpu_small.h but the numbering of formats. */
#include "softgpu/exec/fpu_small.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

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

static double magnitude(const known_t *k, int code)
{
    const int field = code >> k->mantissa_bits, rest = code & ((1 << k->mantissa_bits) - 1);
    const double fraction = ldexp(rest, -k->mantissa_bits);
    return field ? ldexp(1 + fraction, field - k->bias) : ldexp(fraction, 1 - k->bias);
}

static uint32_t sign_of(const known_t *k)
{
    return 1u << (k->exponent_bits + k->mantissa_bits);
}

static uint32_t with_sign(const known_t *k, bool negative, int code)
{
    if (k->nan == (int)sign_of(k) && (code == 0 || code == k->nan)) return (uint32_t)code;
    return (negative ? sign_of(k) : 0) | (uint32_t)code;
}

static uint32_t too_large(const known_t *k, bool negative, bool saturate)
{
    if (saturate || k->nan < 0) return with_sign(k, negative, k->finite - 1);
    return with_sign(k, negative, k->infinity >= 0 ? k->infinity : k->nan);
}

static uint32_t reference(const known_t *k, double x, fpu_rounding_t how)
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

static void values(void **state)
{
    (void)state;
    for (int n = 0; n < FORMATS; n++) {
        const known_t *k = &formats[n];
        const fpu_format_t *f = &fpu_formats[k->format];
        assert_int_equal(fpu_format_bits(f), 1 + k->exponent_bits + k->mantissa_bits);
        assert_true(magnitude(k, 1) == k->least && magnitude(k, k->finite - 1) == k->most);
        for (uint32_t code = 0; code < 2 * sign_of(k); code++) {
            const int m = (int)(code & (sign_of(k) - 1));
            const float have = fpu_f32(fpu_from_small(f, code));
            const bool negative = code >= sign_of(k);
            const bool nan = (int)code == k->nan || (m != k->infinity && m >= k->finite);
            if (nan && have == have)
                fail_msg("%s 0x%x is %g, not a NaN", k->name, code, (double)have);
            if (nan) continue;
            const double want = m == k->infinity ? INFINITY : magnitude(k, m);
            if ((double)have != (negative ? -want : want) || !signbit(have) != !negative)
                fail_msg("%s 0x%x is %g, not %g", k->name, code, (double)have, want);
            /* What is there already is rounded to itself, whatever the random bits. */
            for (int r = 0; r < 3; r++) {
                const fpu_rounding_t how = {r > 0, false, r == 2 ? UINT32_MAX : 0};
                assert_int_equal(fpu_to_small(f, fpu_bits32(have), 0, how), code);
            }
        }
    }
}

static uint64_t random_state = 88172645463325252;
static uint32_t random32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static void compare(const known_t *k, uint32_t bits, int scale, fpu_rounding_t how)
{
    const double x = ldexp((double)fpu_f32(bits), scale);
    const uint32_t have = fpu_to_small(&fpu_formats[k->format], bits, scale, how),
                   want = reference(k, x, how);
    if (have != want)
        fail_msg("%s of %a (%s 0x%08x%s) is 0x%x, not 0x%x", k->name, x,
                 how.stochastic ? "random" : "nearest", how.random,
                 how.saturate ? ", saturated" : "", have, want);
}

static void every_way(const known_t *k, uint32_t bits, int scale)
{
    for (int saturate = 0; saturate < 2; saturate++) {
        compare(k, bits, scale, (fpu_rounding_t){false, saturate, 0});
        compare(k, bits, scale, (fpu_rounding_t){true, saturate, 0});
        compare(k, bits, scale, (fpu_rounding_t){true, saturate, UINT32_MAX});
        compare(k, bits, scale, (fpu_rounding_t){true, saturate, random32()});
    }
}

/* Each number of a format, what is half-way and a quarter of the way to the next one, and the f32
 * beside all those; both signs. */
static void near_numbers(void **state)
{
    (void)state;
    for (int n = 0; n < FORMATS; n++) {
        const known_t *k = &formats[n];
        for (int code = 0; code<k->finite; code += k->finite> 256 ? 37 : 1)
            for (int quarter = 0; quarter < 4; quarter++) {
                const double a = magnitude(k, code);
                const double step =
                    code + 1 < k->finite ? magnitude(k, code + 1) - a : a - magnitude(k, code - 1);
                const uint32_t bits = fpu_bits32((float)(a + step * quarter / 4));
                for (uint32_t d = 0; d < 3; d++) {
                    every_way(k, bits + d - (bits > 0), 0);
                    every_way(k, (bits + d - (bits > 0)) ^ 0x80000000, 0);
                }
            }
    }
}

static void any_numbers(void **state)
{
    static const uint32_t odd_ones[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,
                                        0x800000,   0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                        0x7fc00000, 0xffc00001, 0x7f800001};
    (void)state;
    for (int n = 0; n < FORMATS; n++) {
        const known_t *k = &formats[n];
        for (unsigned i = 0; i < sizeof odd_ones / sizeof *odd_ones; i++)
            for (int scale = -127; scale <= 127; scale += 127)
                every_way(k, odd_ones[i], scale);
        for (int i = 0; i < 2000; i++) {
            const uint32_t x = random32();
            every_way(k, x, 0);
            every_way(k, (x & 0x83ffffff) | 0x3c000000, 0);
            every_way(k, x, (int)(random32() % 255) - 127);
        }
    }
}

static void generator(void **state)
{
    (void)state;
    assert_int_equal(fpu_prng(1), 2);
    assert_int_equal(fpu_prng(0x40000000), 0x80000000);
    assert_int_equal(fpu_prng(0x80000000), 197);
    assert_int_equal(fpu_prng(0x80000001), 199);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(near_numbers),
                                       cmocka_unit_test(any_numbers), cmocka_unit_test(generator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
