/* valu_gfx12.c - what gfx1201 computes and no GPU before: matrices whose elements are spread over
 * all lanes, sparse ones, floats of 8 bits, IEEE 754's minima, transcendental operations on scalar
 * registers, permutations by a register.
 *
 * Words are written by hand from the fields of the encodings; their texts are those of llvm-mc 22
 * by vectors_gfx1201.tsv. Where elements of matrices are is AMD's matrix instruction calculator's
 * word, of which the table `spots` has some. */
#include "words_rig.h"

#include <math.h>

enum { N = 16, A = 8, B = 16, C = 24, D = 40, ROWS = 48 };

static uint32_t before[ROWS][WORDS_LANES];

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

/* A float of so many bits of exponent and mantissa, which is no NaN and not infinite. */
static float small(uint32_t code, int exponent, int mantissa)
{
    const int bias = (1 << (exponent - 1)) - 1;
    const int field = (int)(code >> mantissa & ((1u << exponent) - 1));
    const int rest = (int)(code & ((1u << mantissa) - 1));
    const double x = field ? ldexp((1 << mantissa) + rest, field - bias - mantissa)
                           : ldexp(rest, 1 - bias - mantissa);
    return (float)(code >> (exponent + mantissa) & 1 ? -x : x);
}

static uint32_t half_of(float x)
{
    const _Float16 h = (_Float16)x;
    uint16_t out;
    memcpy(&out, &h, sizeof out);
    return out;
}

static uint32_t bfloat_of(float x)
{
    const uint32_t b = bits(x), rest = b & 0xffff, odd = b >> 16 & 1;
    return (b >> 16) + (rest > 0x8000 || (rest == 0x8000 && odd));
}

/* ---- matrices ---- */

typedef enum { F16, BF16, FP8, BF8, I8, I4 } type_t;
static const uint8_t widths[] = {16, 16, 8, 8, 8, 4};

typedef struct {
    const char *name; /* of the instruction */
    unsigned op;
    type_t a, b;
    unsigned depth;
    bool sparse, half;
    unsigned neg, neg_hi, key;
    bool clamp, one; /* one: C is 1.0 */
} matrix_t;

static const matrix_t matrices[] = {
    {"v_wmma_f32_16x16x16_f16", 64, F16, F16, 16, false, false, 0, 0, 0, false, false},
    {"v_wmma_f32_16x16x16_f16", 64, F16, F16, 16, false, false, 5, 6, 0, false, false},
    {"v_wmma_f32_16x16x16_f16", 64, F16, F16, 16, false, false, 0, 0, 0, false, true},
    {"v_wmma_f32_16x16x16_bf16", 65, BF16, BF16, 16, false, false, 0, 0, 0, false, false},
    {"v_wmma_f16_16x16x16_f16", 66, F16, F16, 16, false, true, 0, 0, 0, false, false},
    {"v_wmma_f16_16x16x16_f16", 66, F16, F16, 16, false, true, 0, 0, 0, false, true},
    {"v_wmma_bf16_16x16x16_bf16", 67, BF16, BF16, 16, false, true, 0, 0, 0, false, false},
    {"v_wmma_i32_16x16x16_iu8", 68, I8, I8, 16, false, false, 0, 0, 0, false, false},
    {"v_wmma_i32_16x16x16_iu8", 68, I8, I8, 16, false, false, 1, 0, 0, true, false},
    {"v_wmma_i32_16x16x16_iu4", 69, I4, I4, 16, false, false, 2, 0, 0, false, false},
    {"v_wmma_i32_16x16x32_iu4", 74, I4, I4, 32, false, false, 3, 0, 0, false, false},
    {"v_wmma_f32_16x16x16_fp8_fp8", 70, FP8, FP8, 16, false, false, 0, 0, 0, false, false},
    {"v_wmma_f32_16x16x16_fp8_bf8", 71, FP8, BF8, 16, false, false, 0, 0, 0, false, false},
    {"v_wmma_f32_16x16x16_bf8_fp8", 72, BF8, FP8, 16, false, false, 4, 0, 0, false, false},
    {"v_wmma_f32_16x16x16_bf8_bf8", 73, BF8, BF8, 16, false, false, 0, 0, 0, false, false},
    {"v_swmmac_f32_16x16x32_f16", 80, F16, F16, 32, true, false, 0, 0, 0, false, false},
    {"v_swmmac_f32_16x16x32_f16", 80, F16, F16, 32, true, false, 0, 0, 1, false, false},
    {"v_swmmac_f32_16x16x32_bf16", 81, BF16, BF16, 32, true, false, 0, 0, 0, false, false},
    {"v_swmmac_f16_16x16x32_f16", 82, F16, F16, 32, true, true, 0, 0, 1, false, false},
    {"v_swmmac_bf16_16x16x32_bf16", 83, BF16, BF16, 32, true, true, 0, 0, 0, false, false},
    {"v_swmmac_i32_16x16x32_iu8", 84, I8, I8, 32, true, false, 3, 0, 1, false, false},
    {"v_swmmac_i32_16x16x32_iu4", 85, I4, I4, 32, true, false, 1, 0, 1, true, false},
    {"v_swmmac_i32_16x16x64_iu4", 86, I4, I4, 64, true, false, 2, 0, 0, false, false},
    {"v_swmmac_f32_16x16x32_fp8_fp8", 87, FP8, FP8, 32, true, false, 0, 0, 0, false, false},
    {"v_swmmac_f32_16x16x32_fp8_bf8", 88, FP8, BF8, 32, true, false, 0, 0, 1, false, false},
    {"v_swmmac_f32_16x16x32_bf8_fp8", 89, BF8, FP8, 32, true, false, 0, 0, 0, false, false},
    {"v_swmmac_f32_16x16x32_bf8_bf8", 90, BF8, BF8, 32, true, false, 0, 0, 0, false, false},
};

typedef struct {
    unsigned reg, lane, bit;
} spot_t;

static bool wide(void)
{
    return rig->core->lanes == 64;
}

/* Registers of a wave of 32 lanes, of which one of 64 has the upper half in the upper lanes. */
static spot_t folded(spot_t s, unsigned registers)
{
    if (wide() && registers > 1 && s.reg >= registers / 2) {
        s.reg -= registers / 2;
        s.lane += 32;
    }
    return s;
}

/* Depth k of row or column n, of a matrix of `count` depths that lie in runs of `run` bits. */
static spot_t spot(unsigned count, unsigned width, unsigned run, unsigned n, unsigned k)
{
    const unsigned all = count * width / 2; /* bits of a lane */
    const unsigned per = (run < all ? run : all) / width;
    const unsigned turn = k / per, bit = (turn / 2 * per + k % per) * width;
    const spot_t s = {bit / 32, n + turn % 2 * 16, bit % 32};
    return folded(s, all < 32 ? 1 : all / 32);
}

static uint32_t take(unsigned first, spot_t s, unsigned width)
{
    return before[first + s.reg][s.lane] >> s.bit & ((1u << width) - 1);
}

/* As the calculator has them: matrix, row or column 0, depth, and where it is. */
static void spots_are_the_calculators(void)
{
    static const struct {
        unsigned count, width, run, k;
        spot_t narrow, wide;
    } spots[] = {
        {16, 16, 64, 3, {1, 0, 16}, {1, 0, 16}},  {16, 16, 64, 5, {0, 16, 16}, {0, 16, 16}},
        {16, 16, 64, 8, {2, 0, 0}, {0, 32, 0}},   {16, 16, 64, 15, {3, 16, 16}, {1, 48, 16}},
        {16, 8, 64, 4, {1, 0, 0}, {0, 32, 0}},    {16, 8, 64, 8, {0, 16, 0}, {0, 16, 0}},
        {16, 4, 64, 7, {0, 0, 28}, {0, 0, 28}},   {16, 4, 64, 8, {0, 16, 0}, {0, 16, 0}},
        {32, 4, 64, 8, {1, 0, 0}, {0, 32, 0}},    {32, 4, 64, 31, {1, 16, 28}, {0, 48, 28}},
        {32, 16, 128, 4, {2, 0, 0}, {2, 0, 0}},   {32, 16, 128, 8, {0, 16, 0}, {0, 16, 0}},
        {32, 16, 128, 16, {4, 0, 0}, {0, 32, 0}}, {32, 16, 128, 31, {7, 16, 16}, {3, 48, 16}},
        {32, 8, 128, 8, {2, 0, 0}, {0, 32, 0}},   {32, 8, 128, 16, {0, 16, 0}, {0, 16, 0}},
        {64, 4, 128, 16, {2, 0, 0}, {0, 32, 0}},  {64, 4, 128, 32, {0, 16, 0}, {0, 16, 0}},
    };
    for (unsigned k = 0; k < sizeof spots / sizeof *spots; k++) {
        const spot_t is = spot(spots[k].count, spots[k].width, spots[k].run, 0, spots[k].k);
        const spot_t want = wide() ? spots[k].wide : spots[k].narrow;
        if (memcmp(&is, &want, sizeof is) != 0) fail_msg("spot %u is not the calculator's", k);
    }
}

static float element(const matrix_t *t, unsigned which, unsigned n, unsigned k)
{
    const type_t type = which ? t->b : t->a;
    const unsigned count = t->sparse && !which ? t->depth / 2 : t->depth, width = widths[type];
    const spot_t s = spot(count, width, t->sparse && which ? 128 : 64, n, k);
    const uint32_t x = take(which ? B : A, s, width);
    const unsigned signs = s.bit & 16 ? t->neg_hi : t->neg;
    switch (type) {
    case F16: return small(x, 5, 10) * (signs >> which & 1 ? -1.0f : 1.0f);
    case BF16: return f32(x << 16) * (signs >> which & 1 ? -1.0f : 1.0f);
    case FP8: return small(x, 4, 3);
    case BF8: return small(x, 5, 2);
    default:
        return (float)(t->neg >> which & 1 && x >> (width - 1) ? (int)x - (1 << width) : (int)x);
    }
}

/* The depth in B of element k of A's row m. */
static unsigned depth_of(const matrix_t *t, unsigned m, unsigned k)
{
    if (!t->sparse) return k;
    const unsigned count = t->depth / 2, width = widths[t->a], all = count * width / 2;
    const unsigned in_lane = count / 2 / (wide() && all > 32 ? 2 : 1);
    const spot_t s = spot(count, width, 64, m, k);
    const unsigned e = (s.reg * 32 + s.bit) / width;
    return k / 2 * 4 + (before[C][s.lane] >> (2 * (t->key * in_lane + e)) % 32 & 3);
}

/* Row m, column n of C or D. */
static spot_t result_spot(const matrix_t *t, unsigned m, unsigned n)
{
    const spot_t s = {t->half ? m % 8 / 2 : m % 8, n + m / 8 * 16, t->half ? m % 2 * 16 : 0};
    return folded(s, t->half ? 4 : 8);
}

static uint32_t product(const matrix_t *t, unsigned m, unsigned n)
{
    const spot_t s = result_spot(t, m, n);
    const uint32_t c = take(t->sparse ? D : C, s, t->half ? 16 : 31) |
                       (t->half ? 0 : before[(t->sparse ? D : C) + s.reg][s.lane] & 0x80000000);
    const unsigned count = t->sparse ? t->depth / 2 : t->depth;
    if (t->a >= I8) {
        int64_t sum = (int32_t)c;
        for (unsigned k = 0; k < count; k++)
            sum += (int64_t)(element(t, 0, m, k) * element(t, 1, n, depth_of(t, m, k)));
        if (t->clamp) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        return (uint32_t)sum;
    }
    float sum = !t->half ? f32(c) : t->a == F16 ? small(c, 5, 10) : f32(c << 16);
    if (t->one) sum = 1;
    if (t->neg_hi & 4) sum = fabsf(sum);
    if (t->neg & 4) sum = -sum;
    for (unsigned k = 0; k < count; k++)
        sum = fmaf(element(t, 0, m, k), element(t, 1, n, depth_of(t, m, k)), sum);
    return !t->half ? bits(sum) : t->a == F16 ? half_of(sum) : bfloat_of(sum);
}

/* No NaN and nothing infinite, and sums that stay finite. */
static uint32_t number(type_t type)
{
    const uint32_t r = random32();
    switch (type) {
    case F16: return half_of((float)((int)(r & 255) - 128) / 8) | half_of((float)(r >> 24)) << 16;
    case BF16:
        return bfloat_of((float)((int)(r & 255) - 99)) | bfloat_of((float)(r >> 20) / 64) << 16;
    case FP8: return r & 0xb7b7b7b7;
    case BF8: return r & 0xbbbbbbbb;
    default: return r;
    }
}

static void fill(const matrix_t *t)
{
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < WORDS_LANES; l++) {
            const bool c = r >= C && r < C + 8, d = r >= D;
            uint32_t x = number(r >= B ? t->b : t->a);
            if ((c && !t->sparse) || d)
                x = t->half      ? number(t->a)
                    : t->a >= I8 ? random32()
                                 : bits((float)(int)random32() / 65536);
            if (c && t->sparse) x = random32();
            before[r][l] = x;
        }
    memcpy(rig->rows, before, sizeof before);
}

static unsigned registers(const matrix_t *t, unsigned count, unsigned width)
{
    const unsigned n = count * width / 64;
    (void)t;
    return n < 2 ? 1 : wide() ? n / 2 : n;
}

static void name_tuple(char *to, unsigned first, unsigned n)
{
    if (n == 1)
        sprintf(to, "v%u", first);
    else
        sprintf(to, "v[%u:%u]", first, first + n - 1);
}

static void matrix_text(const matrix_t *t, char *text)
{
    char d[16], a[16], b[16], c[16];
    const unsigned results = (t->half ? 4u : 8u) / (wide() ? 2 : 1);
    name_tuple(d, D, results);
    name_tuple(a, A, registers(t, t->sparse ? t->depth / 2 : t->depth, widths[t->a]));
    name_tuple(b, B, registers(t, t->depth, widths[t->b]));
    name_tuple(c, C, t->sparse ? 1 : results);
    text += sprintf(text, "%s %s, %s, %s, %s", t->name, d, a, b, t->one ? "1.0" : c);
    if (t->key) text += sprintf(text, " index_key:%u", t->key);
    for (unsigned k = 0; k < 2; k++) {
        const unsigned neg = k ? t->neg_hi : t->neg;
        if (neg)
            text += sprintf(text, " neg_%s:[%u,%u,%u]", k ? "hi" : "lo", neg & 1, neg >> 1 & 1,
                            neg >> 2);
    }
    if (t->clamp) strcpy(text, " clamp");
}

static void check_matrix(const matrix_t *t, const char *text)
{
    for (unsigned m = 0; m < N; m++)
        for (unsigned n = 0; n < N; n++) {
            const spot_t s = result_spot(t, m, n);
            const uint32_t want = product(t, m, n);
            const uint32_t got = rig->rows[D + s.reg][s.lane] >> s.bit & (t->half ? 0xffff : ~0u);
            if (got != want)
                fail_msg("%s, %u lanes: row %u, column %u is %x, not %x", text, rig->core->lanes, m,
                         n, got, want);
        }
}

/* EXEC does not matter. */
static void all_matrices(void)
{
    spots_are_the_calculators();
    for (const matrix_t *t = matrices; t < matrices + sizeof matrices / sizeof *matrices; t++) {
        char text[160];
        const uint32_t c = t->one ? 0xf2 : 0x100 + C;
        const uint32_t words[2] = {
            0xcc004000 | t->op << 16 | (uint32_t)t->clamp << 15 | t->key << 11 | t->neg_hi << 8 | D,
            (0x100 + A) | (0x100 + B) << 9 | c << 18 | 3u << 27 | t->neg << 29};
        matrix_text(t, text);
        words_load(text, words, 2);
        for (unsigned turn = 0; turn < 4; turn++) {
            rig->wave.exec = turn & 1;
            fill(t);
            words_run(text);
            check_matrix(t, text);
        }
    }
}

static void products_of_matrices(void **state)
{
    (void)state;
    words_every_core("gfx1201", all_matrices);
}

/* ---- one lane: v4 and v5, or s4, are results of v6, v8 and v10, or of s6 ---- */

static const struct {
    const char *text;
    uint32_t words[3];
    uint32_t a, b, c, d;
} lanes[] = {
    /* the NaN is the result, quieted; -0 is less than 0 */
    {"v_minimum_f32 v4, v6, v8", {0xd7650004, 0x00021106}, 0x3f800000, 0x7f812345, 0, 0x7fc12345},
    {"v_minimum_f32 v4, v6, v8", {0xd7650004, 0x00021106}, 0, 0x80000000, 0, 0x80000000},
    {"v_maximum_f32 v4, v6, v8", {0xd7660004, 0x00021106}, 0x80000000, 0, 0, 0},
    {"v_maximum_f32 v4, v6, v8", {0xd7660004, 0x00021106}, 0xbf800000, 0x40000000, 0, 0x40000000},
    {"v_minimum_f16 v4, v6, v8", {0xd7670004, 0x00021106}, 0x3c00, 0xc000, 0, 0xabcdc000},
    {"v_maximum_f16 v4, v6, v8", {0xd7680004, 0x00021106}, 0x7d00, 0xc000, 0, 0xabcd7f00},
    {"v_minimummaximum_f32 v4, v6, v8, v10",
     {0xd66c0004, 0x042a1106},
     0x40000000,
     0x3f800000,
     0xbf800000,
     0x3f800000},
    {"v_maximumminimum_f32 v4, v6, v8, v10",
     {0xd66d0004, 0x042a1106},
     0x40000000,
     0x3f800000,
     0xbf800000,
     0xbf800000},
    {"v_maximumminimum_f32 v4, v6, v8, v10",
     {0xd66d0004, 0x042a1106},
     0x40000000,
     0x7fc00001,
     0xbf800000,
     0x7fc00001},
    {"v_pk_minimum_f16 v4, v6, v8",
     {0xcc1d4004, 0x18021106},
     0x40003c00,
     0x7e01c000,
     0,
     0x7e01c000},
    {"v_pk_maximum_f16 v4, v6, v8",
     {0xcc1e4004, 0x18021106},
     0x40003c00,
     0xbc007c01,
     0,
     0x40007e01},
    /* the number, not the NaN */
    {"v_min_num_f32_e32 v4, v6, v8", {0x2a081106}, 0x3f800000, 0x7fc00000, 0, 0x3f800000},
    {"v_max_num_f32_e32 v4, v6, v8", {0x2c081106}, 0x7f812345, 0xbf800000, 0, 0xbf800000},
    {"v_med3_num_f32 v4, v6, v8, v10",
     {0xd6310004, 0x042a1106},
     0x3f800000,
     0x40400000,
     0x40000000,
     0x40000000},
    /* 1.5 * 2 + 1 * -0.5 + 0 * 448 + 2^-9 * 256 + 10 = 13 */
    {"v_dot4_f32_fp8_fp8 v4, v6, v8, v10",
     {0xcc264004, 0x1c2a1106},
     0x0100383c,
     0x787eb040,
     0x41200000,
     0x41500000},
    /* 1 of BF8 * 1 of FP8, four times, less 10 */
    {"v_dot4_f32_bf8_fp8 v4, v6, v8, v10 neg_lo:[0,0,1]",
     {0xcc254004, 0x9c2a1106},
     0x3c3c3c3c,
     0x38383838,
     0x41200000,
     0xc0c00000},
    {"v_cvt_f32_fp8_e32 v4, v6", {0x7e08d906}, 0x40383cb8, 0, 0, 0xbf800000},
    {"v_cvt_f32_fp8_e64 v4, v6 byte_sel:1", {0xd5ec1004, 0x00000106}, 0x40383cb8, 0, 0, 0x3fc00000},
    {"v_cvt_f32_fp8_e64 v4, v6 byte_sel:2", {0xd5ec0804, 0x00000106}, 0x40383cb8, 0, 0, 0x3f800000},
    {"v_cvt_f32_bf8_e64 v4, v6 byte_sel:3", {0xd5ed1804, 0x00000106}, 0x40383cb8, 0, 0, 0x40000000},
    {"v_cvt_pk_fp8_f32 v4, v6, v8 op_sel:[0,0,1]",
     {0xd7694004, 0x00021106},
     0x3f800000,
     0xc0000000,
     0,
     0xc0384444},
    {"v_cvt_pk_bf8_f32 v4, v6, v8",
     {0xd76a0004, 0x00021106},
     0x3f800000,
     0xc0000000,
     0,
     0xabcdc03c},
    {"v_cvt_sr_fp8_f32 v4, v6, v8 byte_sel:2",
     {0xd76b4004, 0x00021106},
     0x3f800000,
     0,
     0,
     0xab384444},
};

static void one_lane(void)
{
    for (unsigned k = 0; k < sizeof lanes / sizeof *lanes; k++) {
        const unsigned lane = 5;
        memset(rig->rows, 0, sizeof *rig->rows * 16);
        rig->rows[4][lane] = 0xabcd4444;
        rig->rows[6][lane] = lanes[k].a;
        rig->rows[8][lane] = lanes[k].b;
        rig->rows[10][lane] = lanes[k].c;
        words_do(lanes[k].text, lanes[k].words, 3);
        if (rig->rows[4][lane] != lanes[k].d)
            fail_msg("%s: of %x, %x, %x is %x, not %x", lanes[k].text, lanes[k].a, lanes[k].b,
                     lanes[k].c, rig->rows[4][lane], lanes[k].d);
    }
}

/* Pairs of dwords, and the short forms that doubles have here. */
static void doubles(void)
{
    static const struct {
        const char *text;
        uint32_t words[2];
        double a, b, d;
    } rows[] = {
        {"v_add_f64_e32 v[4:5], v[6:7], v[8:9]", {0x04081106}, 1.5, 0.25, 1.75},
        {"v_mul_f64_e32 v[4:5], v[6:7], v[8:9]", {0x0c081106}, 1.5, 4, 6},
        {"v_min_num_f64_e32 v[4:5], v[6:7], v[8:9]", {0x1a081106}, 1.5, -4, -4},
        {"v_max_num_f64_e32 v[4:5], v[6:7], v[8:9]", {0x1c081106}, (double)NAN, -4, -4},
        {"v_minimum_f64 v[4:5], v[6:7], v[8:9]", {0xd7410004, 0x00021106}, 1.5, -4, -4},
        {"v_maximum_f64 v[4:5], v[6:7], -v[8:9]", {0xd7420004, 0x40021106}, 1.5, -4, 4},
        {"v_add_f64_e64 v[4:5], -v[6:7], |v[8:9]|", {0xd5020204, 0x20021106}, 1.5, -4, 2.5},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint64_t in[2], out;
        memcpy(&in[0], &rows[k].a, 8);
        memcpy(&in[1], &rows[k].b, 8);
        for (unsigned l = 0; l < WORDS_LANES; l++)
            for (unsigned n = 0; n < 4; n++)
                rig->rows[6 + n][l] = (uint32_t)(in[n / 2] >> 32 * (n % 2));
        words_do(rows[k].text, rows[k].words, 2);
        out = rig->rows[4][3] | (uint64_t)rig->rows[5][3] << 32;
        double got;
        memcpy(&got, &out, 8);
        if (got != rows[k].d) fail_msg("%s is %g, not %g", rows[k].text, got, rows[k].d);
    }
}

/* Lanes of the same row of 16, or of the other row of the pair, that a register names; lanes
 * without EXEC are no sources, but with op_sel:[1,0]. */
static void permutations(void)
{
    static const struct {
        const char *text;
        uint32_t words[2];
        unsigned flip;
        bool inactive;
    } rows[] = {
        {"v_permlane16_var_b32 v4, v6, v8", {0xd70f0004, 0x00021106}, 0, false},
        {"v_permlanex16_var_b32 v4, v6, v8", {0xd7100004, 0x00021106}, 16, false},
        {"v_permlane16_var_b32 v4, v6, v8 op_sel:[1,0]", {0xd70f0804, 0x00021106}, 0, true},
    };
    const uint64_t exec = UINT64_C(0x5a5a5a5a5aff00f7) & UINT64_MAX >> (64 - rig->core->lanes);
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (unsigned l = 0; l < WORDS_LANES; l++) {
            rig->rows[4][l] = 1000 + l;
            rig->rows[6][l] = 100 + l;
            rig->rows[8][l] = random32();
        }
        rig->wave.exec = exec;
        words_do(rows[k].text, rows[k].words, 2);
        for (unsigned l = 0; l < rig->core->lanes; l++) {
            const unsigned from = ((l & 48) | (rig->rows[8][l] & 15)) ^ rows[k].flip;
            const bool active = exec >> l & 1, read = rows[k].inactive || exec >> from & 1;
            assert_int_equal(rig->rows[4][l], active && read ? 100 + from : 1000 + l);
        }
    }
}

/* No lane needs to be active. */
static void transcendentals(void)
{
    static const struct {
        const char *text;
        uint32_t words[2], a, d;
    } rows[] = {
        {"v_s_exp_f32 s4, s6", {0xd6800004, 6}, 0x40400000, 0x41000000},
        {"v_s_log_f32 s4, s6", {0xd6820004, 6}, 0x41000000, 0x40400000},
        {"v_s_rcp_f32 s4, -s6", {0xd6840004, 0x20000006}, 0x40000000, 0xbf000000},
        {"v_s_rsq_f32 s4, s6", {0xd6860004, 6}, 0x40800000, 0x3f000000},
        {"v_s_sqrt_f32 s4, s6 mul:2", {0xd6880004, 0x08000006}, 0x40800000, 0x40800000},
        {"v_s_exp_f16 s4, s6", {0xd6810004, 6}, 0x55554200, 0x4800},
        {"v_s_rcp_f16 s4, |s6|", {0xd6850104, 6}, 0xc000, 0x3800},
        {"v_s_sqrt_f16 s4, s6 clamp", {0xd6898004, 6}, 0x4400, 0x3c00},
    };
    rig->wave.exec = 0;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        rig->wave.mode = strstr(rows[k].text, "mul:") ? 0xc0 : 0xf0; /* OMOD asks for flushing */
        rig->wave.sgpr[6] = rows[k].a;
        words_do(rows[k].text, rows[k].words, 2);
        if (rig->wave.sgpr[4] != rows[k].d)
            fail_msg("%s is %x, not %x", rows[k].text, rig->wave.sgpr[4], rows[k].d);
        assert_int_equal(rig->wave.exec, 0);
    }
}

static void vectors(void)
{
    one_lane();
    doubles();
    permutations();
    transcendentals();
}

static void results_are_the_manuals(void **state)
{
    (void)state;
    words_every_core("gfx1201", vectors);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(results_are_the_manuals),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
