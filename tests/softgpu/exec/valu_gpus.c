/* valu_gpus.c - vector instructions that gfx90a does not have, of the other GPUs of its family.
 *
 * The words of a row are llvm-mc 21.1.8's for its text, which our disassembler has to give back;
 * the expected results are formulas written from AMD's manuals of CDNA 1, 3 and 4, lane by lane, on
 * numbers that go wrong first and on random ones. Every core that is built is tested. */
#include "isa/isa.h"
#include "softgpu/exec/code.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { D = 1, A = 2, C = 4, LANES = 64, ROWS = 16, TURNS = 40 };

typedef struct {
    uint64_t a, b, c, old;
} in_t;

static struct {
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    uint32_t before[ROWS][LANES];
    uint64_t random;
} rig;

static isa_page_t no_code;

static uint32_t random32(void)
{
    rig.random = rig.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rig.random >> 32);
}

/* f32, f16 and bf16 that go wrong first: zeros, denormals, infinities, NaNs, neighbours of halves.
 */
static uint32_t number(void)
{
    static const uint32_t some[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                    0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                    0x7fc00000, 0x7f800001, 0xffa01234, 0x477fe000, 0x477ff000,
                                    0x33800000, 0x387fffff, 0x3f801000, 0x3f803000, 0x3c003c00,
                                    0x80000001, 0x7c017e00, 0x00018000, 0x7f810001, 0xffffffff,
                                    0x40404040, 0x0080007f, 4,          31,         0xfffffff0};
    const uint32_t r = random32();
    return r & 3 ? some[(r >> 2) % (sizeof some / sizeof *some)] : random32();
}

/* ---- formulas ---- */

static float as_f32(uint64_t x)
{
    const uint32_t bits = (uint32_t)x;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t of_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static bool nan32(uint64_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

/* Of arithmetic: a NaN result is the first operand that is one, quieted, or the default one. */
static uint32_t arithmetic(uint32_t r, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t s[] = {a, b, c};
    if (!nan32(r)) return r;
    for (unsigned n = 0; n < 3; n++)
        if (nan32(s[n])) return (uint32_t)s[n] | 0x400000;
    return 0x7fc00000;
}

static uint64_t move(const in_t *x)
{
    return x->a;
}

static uint64_t minus_five(const in_t *x)
{
    (void)x;
    return UINT64_C(0xfffffffffffffffb);
}

/* CDNA 4: "the shift count must be between 0 and 4"; others are taken as 0. */
static uint64_t lshl_add(const in_t *x)
{
    static const uint64_t factor[8] = {1, 2, 4, 8, 16, 1, 1, 1};
    return x->a * factor[x->b % 8] + x->c;
}

static uint64_t fmamk(const in_t *x)
{
    return arithmetic(of_f32(fmaf(as_f32(x->a), as_f32(0x40490fdb), as_f32(x->b))), x->a, x->b, 0);
}

static uint64_t fmaak(const in_t *x)
{
    return arithmetic(of_f32(fmaf(as_f32(x->a), as_f32(x->b), as_f32(0x40490fdb))), x->a, x->b, 0);
}

static uint64_t mul_legacy(const in_t *x)
{
    if (!(x->a & 0x7fffffff) || !(x->b & 0x7fffffff)) return 0;
    return arithmetic(of_f32(as_f32(x->a) * as_f32(x->b)), x->a, x->b, 0);
}

/* Times x modulo x^32 + x^7 + x^6 + x^2 + 1. */
static uint64_t prng(const in_t *x)
{
    const uint64_t twice = (x->a & 0xffffffff) << 1;
    return (twice >> 32 ? twice ^ UINT64_C(0x1000000c5) : twice) & 0xffffffff;
}

static uint64_t parity(const in_t *x)
{
    return (uint32_t)(x->a ^ x->b ^ x->c);
}

static uint64_t majority(const in_t *x)
{
    return (uint32_t)((x->a & x->b) | (x->a & x->c) | (x->b & x->c));
}

static uint64_t choose(const in_t *x)
{
    return (uint32_t)((x->a & x->b) | (~x->a & x->c));
}

static uint64_t only_a(const in_t *x)
{
    return (uint32_t)(x->a & ~(x->b | x->c));
}

static uint64_t parity_low(const in_t *x)
{
    return (x->old & 0xffff0000) | (parity(x) & 0xffff);
}

static uint64_t parity_high(const in_t *x)
{
    return (x->old & 0xffff) | ((x->a >> 16 ^ x->b ^ x->c >> 16) & 0xffff) << 16;
}

static uint64_t shifted_byte(uint64_t x, uint64_t count, int64_t least, int64_t most)
{
    int64_t y = (int32_t)x;
    for (unsigned k = 0; k < (count & 31); k++) /* a division that rounds down */
        y = (y - (y & 1)) / 2;
    return (uint64_t)(y < least ? least : y > most ? most : y) & 0xff;
}

static uint64_t ashr_i8(const in_t *x)
{
    return (x->old & 0xffff0000) | shifted_byte(x->a, x->c, -128, 127) |
           shifted_byte(x->b, x->c, -128, 127) << 8;
}

static uint64_t ashr_i8_high(const in_t *x)
{
    return (x->old & 0xffff) | (ashr_i8(x) & 0xffff) << 16;
}

static uint64_t ashr_u8(const in_t *x)
{
    return (x->old & 0xffff0000) | shifted_byte(x->a, x->c, 0, 255) |
           shifted_byte(x->b, x->c, 0, 255) << 8;
}

static uint32_t to_f16(uint64_t x)
{
    const _Float16 h = (_Float16)as_f32(x);
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    if (nan32(x)) return (uint32_t)(x >> 16 & 0x8000) | 0x7e00 | (x >> 13 & 0x3ff);
    return bits;
}

static uint64_t pk_f16(const in_t *x)
{
    return to_f16(x->a) | to_f16(x->b) << 16;
}

static uint64_t from_bf16(const in_t *x)
{
    const uint32_t r = (uint32_t)x->a << 16;
    return nan32(r) ? r | 0x400000 : r;
}

static uint64_t from_bf16_signed(const in_t *x)
{
    return from_bf16(x) | 0x80000000;
}

/* A number's place in the order that minimum and maximum have: -0 is below +0. */
static int64_t place(uint64_t x, unsigned sign)
{
    const int64_t magnitude = (int64_t)(x & ((UINT64_C(1) << sign) - 1));
    return x >> sign & 1 ? -1 - magnitude : magnitude;
}

static uint32_t extreme(const uint32_t s[3], unsigned sign, uint32_t infinity, uint32_t quiet,
                        bool most)
{
    uint32_t r = s[0];
    for (unsigned n = 0; n < 3; n++)
        if ((s[n] & (infinity | (infinity - 1) | quiet)) > infinity) return s[n] | quiet;
    for (unsigned n = 1; n < 3; n++)
        if (most ? place(s[n], sign) > place(r, sign) : place(s[n], sign) < place(r, sign))
            r = s[n];
    return r;
}

static uint64_t minimum3(const in_t *x)
{
    const uint32_t s[] = {(uint32_t)x->a, (uint32_t)x->b, (uint32_t)x->c};
    return extreme(s, 31, 0x7f800000, 0x400000, false);
}

static uint64_t maximum3(const in_t *x)
{
    const uint32_t s[] = {(uint32_t)x->a, (uint32_t)x->b ^ 0x80000000, (uint32_t)x->c & 0x7fffffff};
    return extreme(s, 31, 0x7f800000, 0x400000, true);
}

static uint32_t extreme16(uint64_t a, uint64_t b, uint64_t c, bool most)
{
    const uint32_t s[] = {(uint32_t)a & 0xffff, (uint32_t)b & 0xffff, (uint32_t)c & 0xffff};
    return extreme(s, 15, 0x7c00, 0x200, most);
}

static uint64_t pk_minimum3(const in_t *x)
{
    return extreme16(x->a, x->b, x->c, false) |
           (uint64_t)extreme16(x->a >> 16, x->b >> 16, x->c >> 16, false) << 16;
}

static uint64_t pk_maximum3(const in_t *x)
{
    return extreme16(x->a >> 16, x->b, x->c, true) |
           (uint64_t)extreme16(x->a, x->b >> 16, x->c >> 16, true) << 16;
}

/* CDNA 4, 6.4: dot products flush denormals, operands and results, and round to nearest even. */
static uint32_t flushed(uint32_t x)
{
    return x & 0x7f800000 ? x : x & 0x80000000;
}

static uint64_t dot(uint64_t a, uint64_t b, uint64_t addend, unsigned negative)
{
    uint32_t s[5] = {flushed((uint32_t)addend)};
    float sum = as_f32(s[0]);
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t x = flushed((uint32_t)(a >> 16 * k << 16)) ^ (negative >> k & 1) << 31;
        const uint32_t y = flushed((uint32_t)(b >> 16 * k << 16)) ^ (negative >> (2 + k) & 1) << 31;
        s[1 + 2 * k] = x;
        s[2 + 2 * k] = y;
        sum = as_f32(flushed(of_f32(sum + as_f32(flushed(of_f32(as_f32(x) * as_f32(y)))))));
    }
    for (unsigned n = 0; n < 5; n++)
        if (nan32(s[n])) return s[n] | 0x400000;
    return nan32(of_f32(sum)) ? 0x7fc00000 : of_f32(sum);
}

static uint64_t dot2(const in_t *x)
{
    return dot(x->a, x->b, x->c, 0);
}

static uint64_t dot2_signs(const in_t *x) /* the low half of A, the high one of B */
{
    return dot(x->a, x->b, x->c, 1 | 8);
}

static uint64_t dot2c(const in_t *x)
{
    return dot(x->a, x->b, x->old, 0);
}

/* ABS[1:0] are NEG_HI[1:0] */
static uint64_t dot2c_signs(const in_t *x)
{
    return dot(x->a, x->b, x->old, 1 | 8);
}

/* Operands are v6, v8 and v10, the result goes to v4. `wide`: which of them have two registers. */
typedef struct {
    const char *gpu, *text;
    uint32_t words[2];
    unsigned wide;
    uint64_t (*formula)(const in_t *x);
} test_t;

/* clang-format off */
static const test_t tests[] = {
    {"gfx942", "v_mov_b64_e32 v[4:5], v[6:7]", {0x7e087106}, D | A, move},
    {"gfx942", "v_mov_b64_e32 v[4:5], -5", {0x7e0870c5}, D, minus_five},
    {"gfx942", "v_lshl_add_u64 v[4:5], v[6:7], v8, v[10:11]", {0xd2080004, 0x042a1106}, D | A | C, lshl_add},
    {"gfx942", "v_fmamk_f32 v4, v6, 0x40490fdb, v8", {0x2e081106, 0x40490fdb}, 0, fmamk},
    {"gfx942", "v_fmaak_f32 v4, v6, v8, 0x40490fdb", {0x30081106, 0x40490fdb}, 0, fmaak},
    {"gfx908", "v_mul_legacy_f32_e32 v4, v6, v8", {0x08081106}, 0, mul_legacy},
    {"gfx950", "v_prng_b32_e32 v4, v6", {0x7e08b106}, 0, prng},
    {"gfx950", "v_bitop3_b32 v4, v6, v8, v10 bitop3:0x96", {0xd2340204, 0xd42a1106}, 0, parity},
    {"gfx950", "v_bitop3_b32 v4, v6, v8, v10 bitop3:0xe8", {0xd2340504, 0x1c2a1106}, 0, majority},
    {"gfx950", "v_bitop3_b32 v4, v6, v8, v10 bitop3:0xca", {0xd2340104, 0x5c2a1106}, 0, choose},
    {"gfx950", "v_bitop3_b32 v4, v6, v8, v10 bitop3:0x10", {0xd2340204, 0x042a1106}, 0, only_a},
    {"gfx950", "v_bitop3_b16 v4, v6, v8, v10 bitop3:0x96", {0xd2330204, 0xd42a1106}, 0, parity_low},
    {"gfx950", "v_bitop3_b16 v4, v6, v8, v10 op_sel:[1,0,1,1] bitop3:0x96", {0xd2336a04, 0xd42a1106}, 0, parity_high},
    {"gfx950", "v_ashr_pk_i8_i32 v4, v6, v8, v10", {0xd2650004, 0x042a1106}, 0, ashr_i8},
    {"gfx950", "v_ashr_pk_i8_i32 v4, v6, v8, v10 op_sel:[0,0,0,1]", {0xd2654004, 0x042a1106}, 0, ashr_i8_high},
    {"gfx950", "v_ashr_pk_u8_i32 v4, v6, v8, v10", {0xd2660004, 0x042a1106}, 0, ashr_u8},
    {"gfx950", "v_cvt_pk_f16_f32 v4, v6, v8", {0xd2670004, 0x00021106}, 0, pk_f16},
    {"gfx950", "v_cvt_f32_bf16_e32 v4, v6", {0x7e08b706}, 0, from_bf16},
    {"gfx950", "v_cvt_f32_bf16_e64 v4, -|v6|", {0xd19b0104, 0x20000106}, 0, from_bf16_signed},
    {"gfx950", "v_minimum3_f32 v4, v6, v8, v10", {0xd2a80004, 0x042a1106}, 0, minimum3},
    {"gfx950", "v_maximum3_f32 v4, v6, -v8, |v10|", {0xd2a90404, 0x442a1106}, 0, maximum3},
    {"gfx950", "v_pk_minimum3_f16 v4, v6, v8, v10", {0xd39b4004, 0x1c2a1106}, 0, pk_minimum3},
    {"gfx950", "v_pk_maximum3_f16 v4, v6, v8, v10 op_sel:[1,0,0] op_sel_hi:[0,1,1]", {0xd39c4804, 0x142a1106}, 0, pk_maximum3},
    {"gfx950", "v_dot2_f32_bf16 v4, v6, v8, v10", {0xd39a4004, 0x1c2a1106}, 0, dot2},
    {"gfx950", "v_dot2_f32_bf16 v4, v6, v8, v10 neg_lo:[1,0,0] neg_hi:[0,1,0]", {0xd39a4204, 0x3c2a1106}, 0, dot2_signs},
    {"gfx950", "v_dot2c_f32_bf16_e32 v4, v6, v8", {0x2c081106}, 0, dot2c},
    {"gfx950", "v_dot2c_f32_bf16_e64 v4, -v6, |v8|", {0xd1160204, 0x20021106}, 0, dot2c_signs},
};
/* clang-format on */

static isa_inst_t decoded(const char *gpu, const uint32_t words[2], const char *text)
{
    char ours[128];
    isa_inst_t i = {.op = 0};
    const isa_arch_t *arch = isa_arch_named(gpu);
    assert_non_null(arch);
    if (isa_decode(arch, words, 2, &i) <= 0) fail_msg("%s: does not decode", text);
    isa_disassemble(arch, &i, ours, sizeof ours);
    assert_string_equal(ours, text);
    rig.dispatch.arch = arch;
    return i;
}

/* Fills the registers and runs the instruction on the lanes of EXEC. */
static void run(const isa_core_t *core, const isa_inst_t *i, const char *text)
{
    rig.wave.stop = ISA_RUN;
    memcpy(rig.rows, rig.before, sizeof rig.before);
    if (!core->handlers[i->op]) fail_msg("%s: no handler", text);
    core->handlers[i->op](&rig.wave, i);
    if (rig.wave.stop) fail_msg("%s: stopped: %s", text, rig.wave.message);
}

static void fill(uint32_t (*value)(void))
{
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < LANES; l++)
            rig.before[r][l] = value();
}

static void begin(void)
{
    rig.random = 1;
    rig.group = (isa_group_t){.dispatch = &rig.dispatch, .n_waves = 1};
    rig.wave = (isa_wave_t){.group = &rig.group, .vgpr = rig.rows, .mode = 0xf0};
    rig.wave.page = &no_code;
}

static uint64_t pair(unsigned reg, unsigned l, bool wide)
{
    return rig.before[reg][l] | (wide ? (uint64_t)rig.before[reg + 1][l] << 32 : 0);
}

static void check(const test_t *t)
{
    for (unsigned l = 0; l < LANES; l++) {
        const in_t x = {pair(6, l, t->wide & A), pair(8, l, false), pair(10, l, t->wide & C),
                        pair(4, l, false)};
        const bool active = rig.wave.exec >> l & 1;
        const uint64_t want = active ? t->formula(&x) : pair(4, l, t->wide & D);
        const uint64_t have = rig.rows[4][l] | (t->wide & D ? (uint64_t)rig.rows[5][l] << 32 : 0);
        if (have != want)
            fail_msg("%s: lane %u of %llx, %llx, %llx, %llx is %llx, not %llx", t->text, l,
                     (unsigned long long)x.a, (unsigned long long)x.b, (unsigned long long)x.c,
                     (unsigned long long)x.old, (unsigned long long)have, (unsigned long long)want);
    }
}

static const char *const cores[] = {"base", "avx2", "avx512"};
enum { CORES = sizeof cores / sizeof *cores };

static void results_are_the_manuals(void **state)
{
    unsigned ran = 0;
    (void)state;
    for (unsigned c = 0; c < CORES; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        begin();
        for (const test_t *t = tests; core && t < tests + sizeof tests / sizeof *tests; t++) {
            const isa_inst_t i = decoded(t->gpu, t->words, t->text);
            for (unsigned turn = 0; turn < TURNS; turn++) {
                rig.wave.exec = turn & 1 ? ISA_ALL_LANES : UINT64_C(0x0f5a00ff12345678);
                fill(number);
                run(core, &i, t->text);
                check(t);
                ran++;
            }
        }
    }
    assert_true(ran >= TURNS * sizeof tests / sizeof *tests);
}

/* What MODE does not change: roundings of conversions to pairs, roundings and denormals of dot
 * products. */
static void modes_change_nothing(void **state)
{
    static const struct {
        const char *begin;
        uint32_t mode;
    } cases[] = {{"v_cvt_pk_f16_f32", 0xff}, {"v_dot2", 0x0f}, {"v_bitop3", 0x0f}};
    unsigned ran = 0;
    (void)state;
    for (unsigned c = 0; c < CORES; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        begin();
        for (const test_t *t = tests; core && t < tests + sizeof tests / sizeof *tests; t++)
            for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
                if (strncmp(t->text, cases[k].begin, strlen(cases[k].begin)) != 0) continue;
                const isa_inst_t i = decoded(t->gpu, t->words, t->text);
                fill(number);
                rig.wave.mode = cases[k].mode;
                rig.wave.exec = ISA_ALL_LANES;
                run(core, &i, t->text);
                check(t);
                ran++;
            }
    }
    assert_true(ran >= 8);
}

/* With CLAMP and DX10_CLAMP a NaN becomes 0. */
static void clamped_nans_are_zero(void **state)
{
    static const test_t t = {
        "gfx950", "v_minimum3_f32 v4, v6, v8, v10 clamp", {0xd2a88004, 0x042a1106}, 0, NULL};
    (void)state;
    for (unsigned c = 0; c < CORES; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        if (!core) continue;
        begin();
        const isa_inst_t i = decoded(t.gpu, t.words, t.text);
        fill(number);
        rig.wave.mode = 0x1f0;
        rig.wave.exec = ISA_ALL_LANES;
        run(core, &i, t.text);
        for (unsigned l = 0; l < LANES; l++) {
            const in_t x = {rig.before[6][l], rig.before[8][l], rig.before[10][l], 0};
            const uint32_t r = (uint32_t)minimum3(&x);
            const float f = as_f32(r);
            const uint32_t want = nan32(r) || !(f > 0) ? 0 : f > 1 ? 0x3f800000 : r;
            assert_int_equal(rig.rows[4][l], want);
        }
    }
}

/* ---- lanes ---- */

static void expect(unsigned reg, const uint32_t *want, const char *text)
{
    for (unsigned l = 0; l < LANES; l++)
        if (rig.rows[reg][l] != want[l])
            fail_msg("%s: v%u of lane %u is %x, not %x", text, reg, l, rig.rows[reg][l], want[l]);
}

/* Rows of 16 lanes, or halves of 32: the second of each two of v4 and the first of v6 change
 * places. */
static void swapped(unsigned rows, const uint32_t words[2], const char *text,
                    const isa_core_t *core)
{
    uint32_t want[2][LANES];
    const isa_inst_t i = decoded("gfx950", words, text);
    fill(random32);
    rig.wave.exec = ISA_ALL_LANES;
    for (unsigned l = 0; l < LANES; l++) {
        const bool second = l / rows & 1;
        want[0][l] = second ? rig.before[6][l - rows] : rig.before[4][l];
        want[1][l] = second ? rig.before[6][l] : rig.before[4][l + rows];
    }
    run(core, &i, text);
    expect(4, want[0], text);
    expect(6, want[1], text);
}

/* Lane 40 of v4 and lane 8 of v6 are partners; one of them is inactive. */
static void half_active(const uint32_t words[2], const char *text, bool fetches,
                        const isa_core_t *core)
{
    const isa_inst_t i = decoded("gfx950", words, text);
    uint32_t want[2][LANES];
    fill(random32);
    rig.wave.exec = UINT64_C(1) << 40 | 1 << 9;
    memcpy(want[0], rig.before[4], sizeof want[0]);
    memcpy(want[1], rig.before[6], sizeof want[1]);
    want[0][40] = fetches ? rig.before[6][8] : 0;
    want[1][9] = fetches ? rig.before[4][41] : 0;
    run(core, &i, text);
    expect(4, want[0], text);
    expect(6, want[1], text);
}

static void lanes_change_places(void **state)
{
    (void)state;
    for (unsigned c = 0; c < CORES; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        if (!core) continue;
        begin();
        swapped(16, (uint32_t[2]){0x7e08b306}, "v_permlane16_swap_b32_e32 v4, v6", core);
        swapped(32, (uint32_t[2]){0x7e08b506}, "v_permlane32_swap_b32_e32 v4, v6", core);
        half_active((uint32_t[2]){0xd19a1004, 0x00000106},
                    "v_permlane32_swap_b32_e64 v4, v6 bound_ctrl:1", false, core);
        half_active((uint32_t[2]){0xd19a0804, 0x00000106}, "v_permlane32_swap_b32_e64 v4, v6 fi:1",
                    true, core);
    }
}

/* DPP of 64 bits: lane 3 of each row of 16. */
static void pairs_are_broadcast(void **state)
{
    static const char text[] =
        "v_mov_b64_dpp v[4:5], v[6:7] row_newbcast:3 row_mask:0xf bank_mask:0xf";
    (void)state;
    for (unsigned c = 0; c < CORES; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        uint32_t want[2][LANES];
        if (!core) continue;
        begin();
        fill(random32);
        rig.wave.exec = ISA_ALL_LANES;
        const isa_inst_t i = decoded("gfx942", (uint32_t[2]){0x7e0870fa, 0xff015306}, text);
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned r = 0; r < 2; r++)
                want[r][l] = rig.before[6 + r][l / 16 * 16 + 3];
        run(core, &i, text);
        expect(4, want[0], text);
        expect(5, want[1], text);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(results_are_the_manuals), cmocka_unit_test(modes_change_nothing),
        cmocka_unit_test(clamped_nans_are_zero),   cmocka_unit_test(lanes_change_places),
        cmocka_unit_test(pairs_are_broadcast),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
