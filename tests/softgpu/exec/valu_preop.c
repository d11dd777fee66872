/* valu_preop.c - v_trig_preop_f64 by its definition: 53 bits of 2 / pi, from a bit on that an
 * exponent and a number say.
 *
 * The 1201 bits of 2 / pi that the instruction knows are computed here, in fixed point, from
 * Machin's formula for pi. */
#include "code_rig.h"

#include <math.h>

enum {
    WORDS =
        44, /* of 32 bits behind the point, six more than are needed; word 0 is in front of it */
    BITS = 1201,
    SEGMENT = 53
};

typedef struct {
    uint32_t word[WORDS]; /* the highest first */
} fixed_t;

static fixed_t divided(fixed_t x, uint32_t by)
{
    uint64_t rest = 0;
    for (unsigned k = 0; k < WORDS; k++) {
        rest = rest << 32 | x.word[k];
        x.word[k] = (uint32_t)(rest / by);
        rest %= by;
    }
    return x;
}

/* x += sign * y */
static void add(fixed_t *x, const fixed_t *y, int sign)
{
    int64_t carry = 0;
    for (unsigned k = WORDS; k--;) {
        carry += (int64_t)x->word[k] + sign * (int64_t)y->word[k];
        x->word[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* times * arctan(1 / n) */
static fixed_t arctan_of_inverse(uint32_t times, uint32_t n)
{
    enum { TERMS = 620 };
    fixed_t power = {{times}}, sum = {{0}};
    power = divided(power, n);
    for (uint32_t k = 0; k < TERMS; k++) {
        const fixed_t term = divided(power, 2 * k + 1);
        add(&sum, &term, k % 2 ? -1 : 1);
        power = divided(divided(power, n), n);
    }
    return sum;
}

static bool less(const fixed_t *x, const fixed_t *y)
{
    unsigned k = 0;
    while (k + 1 < WORDS && x->word[k] == y->word[k])
        k++;
    return x->word[k] < y->word[k];
}

/* bit[n] is bit n + 1 of 2 / pi behind the point. */
static void two_over_pi(uint8_t bit[BITS])
{
    fixed_t pi = arctan_of_inverse(16, 5), rest = {{2}};
    const fixed_t less_that = arctan_of_inverse(4, 239);
    add(&pi, &less_that, -1);
    for (unsigned n = 0; n < BITS; n++) {
        const fixed_t once = rest;
        add(&rest, &once, 1);
        bit[n] = !less(&rest, &pi);
        if (bit[n]) add(&rest, &pi, -1);
    }
}

static double expected(const uint8_t bit[BITS], double x, uint32_t number)
{
    enum { NEAR = 1077, FAR = 1968, MORE = 128 };
    uint64_t word, bits = 0;
    memcpy(&word, &x, sizeof word);
    const int exponent = word >> 52 & 0x7ff;
    int shift = SEGMENT * (int)(number & 31);
    if (exponent > NEAR) shift += exponent - NEAR;
    for (int n = shift; n < shift + SEGMENT; n++)
        bits = bits << 1 | (n < BITS ? bit[n] : 0);
    return ldexp((double)bits, -SEGMENT - shift + (exponent >= FAR ? MORE : 0));
}

static void segments_of_two_over_pi(void **state)
{
    static const double angles[] = {0,
                                    1,
                                    -3e5,
                                    0x1p53,
                                    0x1p54,
                                    0x1p55,
                                    -0x1.8p100,
                                    0x1p944,
                                    0x1p945,
                                    1e300,
                                    0x1.fffffffffffffp1023};
    static uint8_t bit[BITS];
    (void)state;
    two_over_pi(bit);
    rig_t *r = rig_create();
    for (unsigned k = 0; k < sizeof angles / sizeof *angles; k++) {
        uint64_t word;
        memcpy(&word, &angles[k], sizeof word);
        for (unsigned l = 0; l < ISA_LANES; l++) {
            r->rows[2][l] = (uint32_t)word;
            r->rows[3][l] = (uint32_t)(word >> 32);
            r->rows[4][l] = l; /* of which the instruction takes five bits */
        }
        assert_int_equal(rig_run(r, "v_trig_preop_f64 v[0:1], v[2:3], v4\ns_endpgm\n"),
                         ISA_STOP_END);
        for (unsigned l = 0; l < ISA_LANES; l++) {
            const double want = expected(bit, angles[k], l);
            uint64_t wanted;
            memcpy(&wanted, &want, sizeof wanted);
            assert_int_equal(r->rows[0][l] | (uint64_t)r->rows[1][l] << 32, wanted);
        }
    }
    rig_destroy(r);
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(segments_of_two_over_pi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
