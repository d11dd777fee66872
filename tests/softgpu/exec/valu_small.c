/* valu_small.c - small floating-point formats: values, rounding, overflow.
 *
 * fpu_small.h against the reference of small_rig.h, for all numbers of a format and what is between
 * them. */
#include "softgpu/exec/fpu_small.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "small_rig.h"

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
            if (nan && fpu_format_bits(f) == 8) assert_true(fpu_nan32(fpu_from_byte(*f, code)));
            if (nan) continue;
            const double want = m == k->infinity ? INFINITY : magnitude(k, m);
            if ((double)have != (negative ? -want : want) || !signbit(have) != !negative)
                fail_msg("%s 0x%x is %g, not %g", k->name, code, (double)have, want);
            if (fpu_format_bits(f) == 8)
                assert_int_equal(fpu_from_byte(*f, code), fpu_bits32(have));
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
