/* valu_float.c - floating-point vector instructions and conversions against the host's arithmetic.
 *
 * The rows are in valu_float.inc. Halves are the compiler's _Float16 and long double, elementary
 * functions the C library's in double, so nothing here shares code with the core. */
#include "valu_rig.h"

enum { RAWISH = 0, NEAREST_TEST = 0 };

/* Denormals to zero. */
static inline float Z(float x)
{
    return as_f32(flush_one(f32, of_f32(x)));
}

/* AMD's rule in words: IEEE mode looks for a signalling NaN first, then numbers beat NaNs. */
static uint64_t pick(const lane_t *x, type_t t, uint64_t a, uint64_t b, bool max)
{
    const uint64_t mask = sign_bit(t) * 2 - 1;
    a &= mask;
    b &= mask;
    if (x->mode & 0x200) {
        if (is_nan(t, a) && quiet(t, a) != a) return quiet(t, a);
        if (is_nan(t, b) && quiet(t, b) != b) return quiet(t, b);
    }
    if (is_nan(t, a)) return b;
    if (is_nan(t, b)) return a;
    /* in the order of the numbers, -0 before +0 */
    const bool a_negative = a & sign_bit(t), b_negative = b & sign_bit(t);
    bool a_less;
    if (a_negative != b_negative)
        a_less = a_negative;
    else
        a_less = a_negative ? a > b : a < b;
    return a_less != max ? a : b;
}
#define pick32(x, a, b, max) as_f32(pick(x, f32, a, b, max))
#define pick64(x, a, b, max) as_f64(pick(x, f64, a, b, max))
#define pick16(x, a, b, max) as_f16(pick(x, f16, a, b, max))

static bool same_number(type_t t, uint64_t a, uint64_t b)
{
    return a == b || !((a | b) & (sign_bit(t) - 1));
}

static uint64_t med(const lane_t *x, type_t t)
{
    const uint64_t mask = sign_bit(t) * 2 - 1, a = x->a & mask, b = x->b & mask, c = x->c & mask;
    if (is_nan(t, a) || is_nan(t, b) || is_nan(t, c))
        return pick(x, t, pick(x, t, a, b, false), c, false);
    /* the manual's order of questions, in which -0 equals +0 */
    const uint64_t top = pick(x, t, pick(x, t, a, b, true), c, true);
    if (same_number(t, top, a)) return pick(x, t, b, c, true);
    if (same_number(t, top, b)) return pick(x, t, a, c, true);
    return pick(x, t, a, b, true);
}
#define med32(x) as_f32(med(x, f32))
#define med16(x) as_f16(med(x, f16))

#define below_one(v, top) ((v) > (top) ? (__typeof__(v))(top) : (v) == 0 ? 0 : (v))

static int frexp_exponent(double x)
{
    int e = 0;
    frexp(x, &e);
    return e;
}

static double frexp_mantissa(double x)
{
    int e;
    return frexp(x, &e);
}

static double turns(double x, int quarter)
{
    if (!isfinite(x)) return x - x;
    if (fabs(x) > 256) return quarter;
    const double r = fmod(x, 1.0) * 2 * 3.14159265358979323846;
    /* exact multiples of a quarter turn have exact values */
    const double q = fmod(x * 4 + quarter, 4);
    if (q == 0 || q == 2 || q == -2) return quarter ? 0 : copysign(0, x);
    if (q == 1 || q == -3) return 1;
    if (q == 3 || q == -1) return -1;
    return quarter ? cos(r) : sin(r);
}

static float cube(float a, float b, float c, int what)
{
    const float x = fabsf(a), y = fabsf(b), z = fabsf(c);
    const int face = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    const float major = face == 2 ? c : face == 1 ? b : a;
    const bool negative = major < 0;
    switch (what) {
    case 0: return (float)(2 * face + negative);
    case 1: return face == 0 ? (negative ? c : -c) : face == 1 ? a : negative ? -a : a;
    case 2: return face == 1 ? (negative ? -c : c) : -b;
    default: return 2 * major;
    }
}

/* ---- pairs ---- */

static uint64_t pair_nan(type_t t, uint64_t r, uint64_t a, uint64_t b, uint64_t c)
{
    if (!is_nan(t, r)) return r;
    return quiet(t, is_nan(t, a) ? a : is_nan(t, b) ? b : is_nan(t, c) ? c : default_nan(t));
}

#define P(v) as_f32((v) >> 32 * h)
#define PAIR32(e)                                                                                  \
    ({                                                                                             \
        uint64_t pair = 0;                                                                         \
        for (int h = 0; h < 2; h++)                                                                \
            pair |= pair_nan(f32, of_f32(e), (uint32_t)(x->a >> 32 * h),                           \
                             (uint32_t)(x->b >> 32 * h), (uint32_t)(x->c >> 32 * h))               \
                    << 32 * h;                                                                     \
        pair;                                                                                      \
    })
#define H(v) as_f16((v) >> 16 * h)
#define PAIR16(e, p, q, r)                                                                         \
    ({                                                                                             \
        uint64_t pair = 0;                                                                         \
        for (int h = 0; h < 2; h++)                                                                \
            pair |= pair_nan(f16, of_f16((half_t)(e)), (p) >> 16 * h & 0xffff,                     \
                             (q) >> 16 * h & 0xffff, (uint32_t)(r) >> 16 * h & 0xffff)             \
                    << 16 * h;                                                                     \
        pair;                                                                                      \
    })
#define PAIR_PICK(max)                                                                             \
    (pick(x, f16, x->a & 0xffff, x->b & 0xffff, max) |                                             \
     pick(x, f16, x->a >> 16 & 0xffff, x->b >> 16 & 0xffff, max) << 16)

/* 64 bits of mantissa hold what rounding to a half needs of the sum. */
static half_t half_fma(half_t a, half_t b, half_t c)
{
    return (half_t)((long double)a * (long double)b + (long double)c);
}

static float dot2(lane_t *x)
{
    const float low = (float)as_f16(x->a) * (float)as_f16(x->b);
    const float high = (float)as_f16(x->a >> 16) * (float)as_f16(x->b >> 16);
    const float r = as_f32(x->c) + low + high;
    if (r == r) return r;
    const uint64_t halves[4] = {x->a & 0xffff, x->b & 0xffff, x->a >> 16 & 0xffff,
                                x->b >> 16 & 0xffff};
    for (int k = 0; k < 4; k++)
        if (is_nan(f16, halves[k])) {
            const uint64_t sign = (halves[k] & 0x8000) << 16, payload = (halves[k] & 0x3ff) << 13;
            return as_f32(0x7fc00000 | sign | payload);
        }
    return as_f32(is_nan(f32, x->c) ? quiet(f32, x->c) : 0x7fc00000);
}

/* ---- conversions ---- */

static int64_t to_integer(double x, int64_t low, int64_t high)
{
    return x != x ? 0 : x <= (double)low ? low : x >= (double)high ? high : (int64_t)x;
}

static int64_t norm(double x, double low, double top)
{
    return x != x ? 0 : (int64_t)roundeven(fmin(fmax(x, low), 1) * top);
}

static uint64_t join(int64_t low, int64_t high)
{
    return ((uint64_t)low & 0xffff) | ((uint64_t)high & 0xffff) << 16;
}

static int64_t half_toward_zero(float x)
{
    const int mode = fegetround();
    fesetround(FE_TOWARDZERO);
    volatile float y = x;
    volatile half_t r = (half_t)y;
    fesetround(mode);
    return (int64_t)of_f16(r);
}

static uint32_t put_byte(uint32_t old, unsigned at, float x)
{
    uint8_t bytes[4];
    memcpy(bytes, &old, 4);
    bytes[at] = (uint8_t)(x != x ? 0 : x <= 0 ? 0 : x >= 255 ? 255 : lrintf(x));
    memcpy(&old, bytes, 4);
    return old;
}

#define ROW ROW_FUNCTION
#include "valu_float.inc"
#undef ROW
#define ROW ROW_ENTRY
static const row_t rows[] = {
#include "valu_float.inc"
};

static void float_instructions(void **state)
{
    (void)state;
    test_rows(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(float_instructions)};
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
