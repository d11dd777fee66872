/* salu_float.c - floats in scalar registers, of gfx1151: every rounding mode, denormals kept or
 * not.
 *
 * The expected results of f32 are the host's in its own rounding mode; those of f16 are exact
 * results in f64, rounded by a search among all halves. */
#include "words_rig.h"

#include <fenv.h>
#include <math.h>

enum { TURNS = 400 };

static uint32_t mode_round, mode_denorm; /* fields of MODE, alike for both formats */

/* ---- numbers ---- */

static float f32(uint32_t x)
{
    float f;
    memcpy(&f, &x, sizeof f);
    return f;
}

static uint32_t bits(float f)
{
    uint32_t x;
    memcpy(&x, &f, sizeof x);
    return x;
}

static double f16(uint32_t h)
{
    const int exponent = h >> 10 & 31, mantissa = h & 1023;
    double x = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    if (exponent == 31) x = mantissa ? (double)NAN : (double)INFINITY;
    return h & 0x8000 ? -x : x;
}

static bool is_nan32(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

static bool is_nan16(uint32_t x)
{
    return (x & 0x7fff) > 0x7c00;
}

/* The half at or below the magnitude of x, and from there the one that the rounding mode says. */
static uint32_t half_of(double x)
{
    enum { INFINITE = 0x7c00 };
    const uint32_t sign = signbit(x) ? 0x8000 : 0;
    const double magnitude = fabs(x);
    if (x != x) return 0x7e00;
    if (isinf(x)) return sign | INFINITE;
    uint32_t low = 0, high = INFINITE - 1;
    while (low < high) {
        const uint32_t middle = (low + high + 1) / 2;
        if (f16(middle) <= magnitude)
            low = middle;
        else
            high = middle - 1;
    }
    if (f16(low) == magnitude) return sign | low;
    const bool outwards = (mode_round == 1 && !sign) || (mode_round == 2 && sign);
    if (mode_round != 0) return sign | (low + outwards);
    const double up = low + 1 == INFINITE ? 65536.0 : f16(low + 1);
    const double middle = (f16(low) + up) / 2;
    return sign | (low + (magnitude > middle || (magnitude == middle && low & 1)));
}

static uint32_t flush32(uint32_t x, unsigned bit)
{
    return !(mode_denorm >> bit & 1) && !(x & 0x7f800000) ? x & 0x80000000 : x;
}

static uint32_t flush16(uint32_t x, unsigned bit)
{
    return !(mode_denorm >> bit & 1) && !(x & 0x7c00) ? x & 0x8000 : x;
}

/* ---- what each instruction computes of a, b and the old destination c ---- */

typedef enum { ADD, SUB, MUL, FMAC, FMAAK, FMAMK, LEAST, MOST } operation_t;

#define K UINT32_C(0x40490fdb)

static uint32_t result32(operation_t op, uint32_t a, uint32_t b, uint32_t c)
{
    static const int rounds[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    a = flush32(a, 0);
    b = flush32(b, 0);
    c = flush32(c, 0);
    uint32_t in[3] = {a, b, c};
    unsigned n = op <= MUL ? 2 : 3;
    if (op == FMAAK) in[2] = K;
    if (op == FMAMK) in[1] = K, in[2] = b;
    if (op == LEAST || op == MOST) {
        if (is_nan32(a) || is_nan32(b)) return flush32(is_nan32(a) ? b : a, 1);
        const bool first = op == LEAST ? f32(a) < f32(b) || (f32(a) == f32(b) && a >> 31)
                                       : f32(a) > f32(b) || (f32(a) == f32(b) && !(a >> 31));
        return flush32(first ? a : b, 1);
    }
    for (unsigned k = 0; k < n; k++)
        if (is_nan32(in[k])) return in[k] | 0x400000;
    const volatile float x = f32(in[0]), y = f32(in[1]), z = f32(in[2]);
    fesetround(rounds[mode_round]);
    volatile float r = op == ADD ? x + y : op == SUB ? x - y : op == MUL ? x * y : fmaf(x, y, z);
    fesetround(FE_TONEAREST);
    return is_nan32(bits(r)) ? 0x7fc00000 : flush32(bits(r), 1);
}

/* Products and sums of numbers from 2^-10 on are exact in f64. */
static uint32_t result16(operation_t op, uint32_t a, uint32_t b, uint32_t c)
{
    a = flush16(a & 0xffff, 0);
    b = flush16(b & 0xffff, 0);
    c = flush16(c & 0xffff, 0);
    const uint32_t in[3] = {a, b, c};
    if (op == LEAST || op == MOST) {
        if (is_nan16(a) || is_nan16(b)) return flush16(is_nan16(a) ? b : a, 1);
        const bool first = op == LEAST ? f16(a) < f16(b) || (f16(a) == f16(b) && a >> 15)
                                       : f16(a) > f16(b) || (f16(a) == f16(b) && !(a >> 15));
        return flush16(first ? a : b, 1);
    }
    for (unsigned k = 0; k < (op <= MUL ? 2 : 3); k++)
        if (is_nan16(in[k])) return in[k] | 0x200;
    const double x = f16(a), y = f16(b), z = f16(c);
    double r = op == ADD ? x + y : op == SUB ? x - y : op == MUL ? x * y : x * y + z;
    /* a sum that is exactly 0 has the sign that the rounding mode says */
    const double other = op == SUB ? -y : op == ADD ? y : z;
    const double one = op == FMAC ? x * y : x;
    if (r == 0 && op != MUL && signbit(one) != signbit(other)) r = mode_round == 2 ? -0.0 : 0.0;
    return flush16(half_of(r), 1);
}

/* ---- running ---- */

static const uint32_t corners32[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                     0x00800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x7f7fffff,
                                     0xff7fffff, 0x7f800000, 0xff800000, 0x7fc01234, 0x7f812345,
                                     0x4b800001, 0x33800000, 0x00800001, 0x80800000};
static const uint32_t corners16[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400,
                                     0x3c00, 0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00,
                                     0xfc00, 0x7e12, 0x7d23, 0x6400, 0x1400, 0x5bff};

static uint32_t pick(bool half, bool moderate)
{
    const uint32_t r = random32();
    if (half && moderate) return (r & 0x83ff) | ((r >> 16 & 7) + 10) << 10;
    if (half) return r & 1 ? corners16[(r >> 1) % 18] : r >> 16;
    if (r & 1) return corners32[(r >> 1) % 19];
    return r & 2 ? random32() : (random32() & 0x80ffffff) | 0x3f000000;
}

static void set_mode(unsigned turn)
{
    mode_round = turn & 3;
    mode_denorm = turn >> 2 & 3;
    rig->wave.mode = mode_round * 5 | mode_denorm * 0x50;
}

typedef struct {
    const char *text;
    unsigned code;
    operation_t op;
    bool half;
} binary_t;

static const binary_t binaries[] = {
    {"s_add_f32 s8, s2, s3", 64, ADD, false},
    {"s_sub_f32 s8, s2, s3", 65, SUB, false},
    {"s_min_f32 s8, s2, s3", 66, LEAST, false},
    {"s_max_f32 s8, s2, s3", 67, MOST, false},
    {"s_mul_f32 s8, s2, s3", 68, MUL, false},
    {"s_fmaak_f32 s8, s2, s3, 0x40490fdb", 69, FMAAK, false},
    {"s_fmamk_f32 s8, s2, 0x40490fdb, s3", 70, FMAMK, false},
    {"s_fmac_f32 s8, s2, s3", 71, FMAC, false},
    {"s_add_f16 s8, s2, s3", 73, ADD, true},
    {"s_sub_f16 s8, s2, s3", 74, SUB, true},
    {"s_min_f16 s8, s2, s3", 75, LEAST, true},
    {"s_max_f16 s8, s2, s3", 76, MOST, true},
    {"s_mul_f16 s8, s2, s3", 77, MUL, true},
    {"s_fmac_f16 s8, s2, s3", 78, FMAC, true},
};

static void arithmetic(void)
{
    for (const binary_t *t = binaries; t < binaries + sizeof binaries / sizeof *binaries; t++) {
        const uint32_t words[2] = {0x80080302 | t->code << 23, K};
        words_load(t->text, words, 2);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            const bool moderate = t->op == FMAC;
            const uint32_t a = pick(t->half, moderate), b = pick(t->half, moderate),
                           c = pick(t->half, moderate);
            set_mode(turn);
            rig->wave.sgpr[2] = a;
            rig->wave.sgpr[3] = b;
            rig->wave.sgpr[8] = c;
            words_run(t->text);
            const uint32_t want = t->half ? result16(t->op, a, b, c) : result32(t->op, a, b, c);
            if (rig->wave.sgpr[8] != want)
                fail_msg("%s: of %x, %x, %x in mode %x is %x, not %x", t->text, a, b, c,
                         rig->wave.mode, rig->wave.sgpr[8], want);
        }
    }
}

typedef enum { CEIL, FLOOR, TRUNC, RNDNE } rounding_t;

static double whole(rounding_t how, double x)
{
    return how == CEIL ? ceil(x) : how == FLOOR ? floor(x) : how == TRUNC ? trunc(x) : nearbyint(x);
}

static void integral(void)
{
    static const char *const names[] = {"ceil", "floor", "trunc", "rndne"};
    for (unsigned k = 0; k < 8; k++) {
        const bool half = k >= 4;
        char text[64];
        const uint32_t word = 0xbe880002 | (half ? 107 + k - 4 : 96 + k) << 8;
        snprintf(text, sizeof text, "s_%s_f%s s8, s2", names[k % 4], half ? "16" : "32");
        words_load(text, &word, 1);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            uint32_t a = pick(half, false), want;
            set_mode(turn);
            rig->wave.sgpr[2] = a;
            words_run(text);
            a = half ? flush16(a & 0xffff, 0) : flush32(a, 0);
            if (half)
                want = is_nan16(a) ? a | 0x200 : half_of(whole((rounding_t)(k % 4), f16(a)));
            else
                want = is_nan32(a) ? a | 0x400000
                                   : bits((float)whole((rounding_t)(k % 4), (double)f32(a)));
            if (rig->wave.sgpr[8] != want)
                fail_msg("%s: of %x is %x, not %x", text, a, rig->wave.sgpr[8], want);
        }
    }
}

static uint32_t one(const char *text, unsigned code, uint32_t a)
{
    const uint32_t word = 0xbe880002 | code << 8;
    rig->wave.sgpr[2] = a;
    words_do(text, &word, 1);
    return rig->wave.sgpr[8];
}

static void conversions(void)
{
    static const struct {
        const char *text;
        unsigned code, mode;
        uint32_t from, to;
    } rows[] = {
        {"s_cvt_f32_i32 s8, s2", 100, 0xf0, 0xffffffff, 0xbf800000},
        {"s_cvt_f32_i32 s8, s2", 100, 0xf0, 0x80000000, 0xcf000000},
        {"s_cvt_f32_i32 s8, s2", 100, 0xf0, 0, 0},
        {"s_cvt_f32_i32 s8, s2", 100, 0xf0, 0x01000001, 0x4b800000}, /* 2^24 + 1, to even */
        {"s_cvt_f32_i32 s8, s2", 100, 0xf1, 0x01000001, 0x4b800001}, /* up */
        {"s_cvt_f32_i32 s8, s2", 100, 0xf2, 0xfeffffff, 0xcb800001}, /* -(2^24 + 1), down */
        {"s_cvt_f32_i32 s8, s2", 100, 0xf3, 0xfeffffff, 0xcb800000}, /* to zero */
        {"s_cvt_f32_u32 s8, s2", 101, 0xf0, 0xffffffff, 0x4f800000},
        {"s_cvt_f32_u32 s8, s2", 101, 0xf3, 0xffffffff, 0x4f7fffff},
        {"s_cvt_i32_f32 s8, s2", 102, 0xf0, 0xc0200000, 0xfffffffe}, /* -2.5 */
        {"s_cvt_i32_f32 s8, s2", 102, 0xf0, 0x4f800000, 0x7fffffff},
        {"s_cvt_i32_f32 s8, s2", 102, 0xf0, 0x7fc00000, 0},
        {"s_cvt_u32_f32 s8, s2", 103, 0xf0, 0xbf800000, 0},
        {"s_cvt_u32_f32 s8, s2", 103, 0xf0, 0x4f7fffff, 0xffffff00},
        {"s_cvt_u32_f32 s8, s2", 103, 0xf0, 0x7f800000, 0xffffffff},
        {"s_cvt_f16_f32 s8, s2", 104, 0xf0, 0x3f801000, 0x3c00}, /* 1 + half a unit, to even */
        {"s_cvt_f16_f32 s8, s2", 104, 0xf4, 0x3f801000, 0x3c01}, /* up: the field of f16 */
        {"s_cvt_f16_f32 s8, s2", 104, 0xf0, 0x47800000, 0x7c00},
        {"s_cvt_f16_f32 s8, s2", 104, 0xf0, 0x33800000, 0x0001}, /* 2^-24 */
        {"s_cvt_f16_f32 s8, s2", 104, 0x30, 0x33800000, 0x0000}, /* flushed */
        {"s_cvt_f32_f16 s8, s2", 105, 0xf0, 0x12343c00, 0x3f800000},
        {"s_cvt_f32_f16 s8, s2", 105, 0xf0, 0x00000001, 0x33800000},
        {"s_cvt_f32_f16 s8, s2", 105, 0x30, 0x00008001, 0x80000000}, /* flushed */
        {"s_cvt_hi_f32_f16 s8, s2", 106, 0xf0, 0xc0003c00, 0xc0000000},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        rig->wave.mode = rows[k].mode;
        const uint32_t got = one(rows[k].text, rows[k].code, rows[k].from);
        if (got != rows[k].to)
            fail_msg("%s: of %x in mode %x is %x, not %x", rows[k].text, rows[k].from, rows[k].mode,
                     got, rows[k].to);
    }
    const uint32_t pack = 0x80080302 | 72u << 23;
    rig->wave.mode = 0xf0;
    rig->wave.sgpr[2] = 0x3f801fff; /* cut off, whatever MODE says */
    rig->wave.sgpr[3] = 0xc7800000; /* -65536: the largest number */
    words_do("s_cvt_pk_rtz_f16_f32 s8, s2, s3", &pack, 1);
    assert_int_equal(rig->wave.sgpr[8], 0xfbff3c00);
}

static void compares(void)
{
    static const char *const names[] = {"lt", "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                        "u",  "nge", "nlg", "ngt", "nle", "neq", "nlt"};
    for (unsigned k = 0; k < 28; k++) {
        const bool half = k >= 14;
        char text[64];
        const uint32_t word = 0xbf000302 | ((half ? 81 : 65) + k % 14) << 16;
        snprintf(text, sizeof text, "s_cmp_%s_f%s s2, s3", names[k % 14], half ? "16" : "32");
        words_load(text, &word, 1);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            const uint32_t a = pick(half, false), b = turn % 5 ? pick(half, false) : a;
            set_mode(turn);
            rig->wave.sgpr[2] = a;
            rig->wave.sgpr[3] = b;
            words_run(text);
            const double x = half ? f16(flush16(a & 0xffff, 0)) : (double)f32(flush32(a, 0));
            const double y = half ? f16(flush16(b & 0xffff, 0)) : (double)f32(flush32(b, 0));
            const bool unordered = isnan(x) || isnan(y), less = x < y, equal = x == y;
            const bool greater = !unordered && !less && !equal;
            const bool is[14] = {less,
                                 equal,
                                 less || equal,
                                 greater,
                                 less || greater,
                                 greater || equal,
                                 !unordered,
                                 unordered,
                                 unordered || less,
                                 unordered || equal,
                                 unordered || less || equal,
                                 unordered || greater,
                                 !equal,
                                 unordered || equal || greater};
            if (rig->wave.scc != is[k % 14]) fail_msg("%s: of %x and %x", text, a, b);
        }
    }
}

/* No effect, and no text of llvm-mc 21, which has forgotten the hint. */
static void hints(void)
{
    const uint32_t word = 0xbf930012;
    words_do("s_singleuse_vdst 0x12", &word, 1);
}

static void all(void)
{
    arithmetic();
    integral();
    conversions();
    compares();
    hints();
}

static void results_are_right(void **state)
{
    (void)state;
    words_every_core("gfx1151", all);
}

/* Earlier GPUs have no such instructions. */
static void are_of_later_gpus(void **state)
{
    const uint32_t word = 0xa0080302;
    isa_inst_t i = {.op = 0};
    (void)state;
    assert_int_equal(isa_decode(isa_arch_named("gfx1151"), &word, 1, &i), 1);
    assert_int_equal(isa_decode(isa_arch_named("gfx1100"), &word, 1, &i), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_right),
        cmocka_unit_test(are_of_later_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
