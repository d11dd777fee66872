/* valu_gfx11.c - instructions of vectors that gfx11 has and no GPU before: halves of registers, two
 * operations in one instruction, dot products whose sources have signs of their own, and matrices.
 *
 * The words of a row are llvm-mc 15's for its text, which our disassembler has to give back;
 * halves, which that one does not know, are written by hand. The expected results are formulas from
 * AMD's manual of RDNA 3, lane by lane. Every core that is built is tested, in waves of 32 lanes
 * and of
 * 64. Code runs from GPU memory, since two operations are only put in order there. */
#include "isa/isa.h"
#include "isa/table.h"
#include "softgpu/exec/exec.h"
#include "softgpu/memory/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CODE UINT64_C(0x7fff00010000)

enum { LANES = 64, ROWS = 48, TURNS = 30, S2 = 0x3f000001, S3 = 0x12345678, END = 0xbfb00000 };

typedef struct {
    _Alignas(4096) uint32_t code[1024];
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    uint32_t before[ROWS][LANES];
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
    sg_memory_t *memory;
    isa_code_t *cache;
    const isa_core_t *core;
    uint64_t random;
} rig_t;

static rig_t *rig;

static uint32_t random32(void)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rig->random >> 32);
}

/* ---- numbers ---- */

static float f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits(float f)
{
    uint32_t r;
    memcpy(&r, &f, sizeof r);
    return r;
}

static float f16(uint32_t half)
{
    const uint16_t h = (uint16_t)half;
    _Float16 x;
    memcpy(&x, &h, sizeof x);
    return (float)x;
}

/* Of a sum that f64 holds exactly. */
static uint32_t half_of(double x)
{
    const _Float16 h = (_Float16)x;
    uint16_t out;
    memcpy(&out, &h, sizeof out);
    return out;
}

static float bf16(uint32_t half)
{
    return f32(half << 16);
}

/* To nearest, even numbers at the middle. */
static uint32_t bf16_of(float x)
{
    const uint32_t b = bits(x), rest = b & 0xffff, up = b >> 16 & 1;
    return (b >> 16) + (rest > 0x8000 || (rest == 0x8000 && up));
}

typedef enum { INTEGERS, FLOATS, HALVES, BFLOATS } fill_t;

static uint32_t number(fill_t kind)
{
    static const uint32_t some[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff,
                                    0x00008000, 0x7fff8000, 0xff808080, 0x88888888, 0x77777777};
    const uint32_t r = random32();
    const float x = (float)(int32_t)r / 65536;
    switch (kind) {
    case INTEGERS: return r & 3 ? random32() : some[(r >> 2) % (sizeof some / sizeof *some)];
    case FLOATS: return bits(x);
    case HALVES:
        return half_of((double)((int)(r & 255) - 128) / 8) |
               half_of((double)((int)(r >> 8 & 255) - 128) / 16) << 16;
    default: return bf16_of((float)((int)(r & 255) - 128)) | bf16_of((float)(r >> 20) / 64) << 16;
    }
}

/* ---- formulas: what register `reg` of the lane holds afterwards ---- */

enum { A = 6, B = 8, C = 10, D = 4 };

typedef struct {
    const uint32_t (*v)[LANES]; /* registers before */
    unsigned lane, reg, lanes;
} in_t;

static uint32_t at(const in_t *x, unsigned reg)
{
    return x->v[reg][x->lane];
}

static uint32_t low_half(const in_t *x, uint32_t half)
{
    return (at(x, D) & 0xffff0000) | (half & 0xffff);
}

static uint32_t high_half(const in_t *x, uint32_t half)
{
    return (at(x, D) & 0xffff) | half << 16;
}

#define FORMULA(name, expr)                                                                        \
    static uint32_t name(const in_t *x)                                                            \
    {                                                                                              \
        const uint32_t a = at(x, A), b = at(x, B), c = at(x, C);                                   \
        (void)a, (void)b, (void)c;                                                                 \
        return (expr);                                                                             \
    }

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))

FORMULA(mov_to_high, high_half(x, a))
FORMULA(mov_from_high, low_half(x, a >> 16))
FORMULA(add_halves, high_half(x, half_of((double)f16(a) + (double)f16(b >> 16))))
FORMULA(not_half, low_half(x, ~a))
FORMULA(and_halves, high_half(x, a &b >> 16))
FORMULA(or_halves, low_half(x, a >> 16 | b))
FORMULA(xor_halves, low_half(x, a ^ b))
FORMULA(cvt_i16, (uint32_t)(int32_t)(int16_t)(a >> 16))
FORMULA(cvt_u16, a & 0xffff)
FORMULA(choose, low_half(x, S2 >> x->lane % 32 & 1 ? b : a >> 16))
FORMULA(maxmin_f, bits(fminf(fmaxf(f32(a), f32(b)), f32(c))))
FORMULA(minmax_f, bits(fmaxf(fminf(-f32(a), fabsf(f32(b))), f32(c))))
FORMULA(maxmin_u, MIN(MAX(a, b), c))
FORMULA(minmax_u, MAX(MIN(a, b), c))
FORMULA(maxmin_i, (uint32_t)MIN(MAX((int32_t)a, (int32_t)b), (int32_t)c))
FORMULA(minmax_i, (uint32_t)MAX(MIN((int32_t)a, (int32_t)b), (int32_t)c))
FORMULA(maxmin_h, low_half(x, half_of((double)fminf(fmaxf(f16(a), f16(b)), f16(c)))))
FORMULA(minmax_h, high_half(x, half_of((double)fmaxf(fminf(f16(a >> 16), f16(b)), f16(c)))))

static int64_t part(uint32_t x, unsigned n, unsigned width, bool is_signed)
{
    const int64_t value = x >> n * width & ((1u << width) - 1);
    return is_signed && value >> (width - 1) ? value - (INT64_C(1) << width) : value;
}

static uint32_t dot(const in_t *x, unsigned width, bool sign_a, bool sign_b, bool clamp)
{
    int64_t sum = (int32_t)at(x, C);
    for (unsigned n = 0; n < 32 / width; n++)
        sum += part(at(x, A), n, width, sign_a) * part(at(x, B), n, width, sign_b);
    return (uint32_t)(clamp ? MAX(MIN(sum, INT32_MAX), INT32_MIN) : sum);
}

FORMULA(dot4, dot(x, 8, false, false, false))
FORMULA(dot4_a, dot(x, 8, true, false, false))
FORMULA(dot4_b, dot(x, 8, false, true, true))
FORMULA(dot4_ab, dot(x, 8, true, true, true))
FORMULA(dot4_wrap_b, dot(x, 8, false, true, false))
FORMULA(dot4_wrap_ab, dot(x, 8, true, true, false))
FORMULA(dot8, dot(x, 4, false, false, false))
FORMULA(dot8_a, dot(x, 4, true, false, false))
FORMULA(dot8_ab, dot(x, 4, true, true, true))

/* Rounded after each product. */
static uint32_t dot2_half(uint32_t a, uint32_t b, uint32_t c)
{
    c = half_of((double)f16(a) * (double)f16(b) + (double)f16(c));
    return half_of((double)f16(a >> 16) * (double)f16(b >> 16) + (double)f16(c));
}

static uint32_t dot2_bf(uint32_t a, uint32_t b, uint32_t c)
{
    c = bf16_of(fmaf(bf16(a & 0xffff), bf16(b & 0xffff), bf16(c & 0xffff)));
    return bf16_of(fmaf(bf16(a >> 16), bf16(b >> 16), bf16(c)));
}

FORMULA(dot2_f16, low_half(x, dot2_half(a, b, c)))
FORMULA(dot2_f16_high, high_half(x, dot2_half(a, b, c >> 16)))
FORMULA(dot2_bf16, low_half(x, dot2_bf(a, b, c)))

static uint32_t cut(uint32_t x, double least, double most)
{
    return (uint32_t)(int32_t)trunc(MAX(MIN((double)f32(x), most), least)) & 0xffff;
}

FORMULA(pk_i16, cut(a, -32768, 32767) | cut(b, -32768, 32767) << 16)
FORMULA(pk_u16, cut(a, 0, 65535) | cut(b, 0, 65535) << 16)
FORMULA(add3_mirror, x->v[A][x->lane ^ 15] + b + c)
FORMULA(add3_dpp8, x->v[A][x->lane ^ 7] + b + c)
FORMULA(swap_64, x->lanes == 64 ? x->v[A][x->lane ^ 32] : at(x, D))

/* Pairs write v4 and v5. */
#define PAIR(name, first, second) FORMULA(name, x->reg == D ? (first) : (second))
#define V(n)                      at(x, n)
#define PI                        UINT32_C(0x40490fdb)

PAIR(add_mov, bits(f32(a) + f32(b)), V(7))
PAIR(swap_movs, V(5), V(4))
PAIR(mov_add, a, V(4) + V(9))
PAIR(sub_mov, bits(f32(V(5)) - f32(b)), a)
PAIR(fmaak_fmac, bits(fmaf(f32(a), f32(b), f32(PI))), bits(fmaf(f32(V(7)), f32(V(9)), f32(V(5)))))
PAIR(fmamk_mul, bits(fmaf(f32(a), f32(PI), f32(b))), bits(f32(PI) * f32(V(9))))
PAIR(choose_shift, S3 >> x->lane % 32 & 1 ? b : a, V(9) << (V(7) & 31))
PAIR(fmac_fmac, bits(fmaf(f32(V(5)), f32(a), f32(V(4)))),
     bits(fmaf(f32(V(4)), f32(V(7)), f32(V(5)))))
PAIR(max_and, bits(fmaxf(f32(S2), f32(a))), 15 & V(7))
PAIR(mov_scalar, S3, a)

typedef struct {
    const char *text;
    uint32_t words[3];
    uint32_t (*formula)(const in_t *x);
    fill_t fill;
    bool two;         /* v5 is written, too, and the wave has 32 lanes */
    const char *wide; /* the text in waves of 64 lanes, if another */
} test_t;

/* clang-format off */
static const test_t tests[] = {
    {"v_mov_b16_e32 v4.h, v6", {0x7f083906}, mov_to_high, INTEGERS, false, NULL},
    {"v_mov_b16_e32 v4, v6.h", {0x7e083986}, mov_from_high, INTEGERS, false, NULL},
    {"v_add_f16_e32 v4.h, v6, v8.h", {0x65091106}, add_halves, HALVES, false, NULL},
    {"v_not_b16_e32 v4, v6", {0x7e08d306}, not_half, INTEGERS, false, NULL},
    {"v_and_b16 v4, v6, v8 op_sel:[0,1,1]", {0xd7625004, 0x00021106}, and_halves, INTEGERS, false, NULL},
    {"v_or_b16 v4, v6, v8 op_sel:[1,0,0]", {0xd7630804, 0x00021106}, or_halves, INTEGERS, false, NULL},
    {"v_xor_b16 v4, v6, v8", {0xd7640004, 0x00021106}, xor_halves, INTEGERS, false, NULL},
    {"v_cvt_i32_i16_e32 v4, v6.h", {0x7e08d586}, cvt_i16, INTEGERS, false, NULL},
    {"v_cvt_u32_u16_e32 v4, v6", {0x7e08d706}, cvt_u16, INTEGERS, false, NULL},
    {"v_maxmin_f32 v4, v6, v8, v10", {0xd65e0004, 0x042a1106}, maxmin_f, FLOATS, false, NULL},
    {"v_minmax_f32 v4, -v6, |v8|, v10", {0xd65f0204, 0x242a1106}, minmax_f, FLOATS, false, NULL},
    {"v_maxmin_u32 v4, v6, v8, v10", {0xd6620004, 0x042a1106}, maxmin_u, INTEGERS, false, NULL},
    {"v_minmax_u32 v4, v6, v8, v10", {0xd6630004, 0x042a1106}, minmax_u, INTEGERS, false, NULL},
    {"v_maxmin_i32 v4, v6, v8, v10", {0xd6640004, 0x042a1106}, maxmin_i, INTEGERS, false, NULL},
    {"v_minmax_i32 v4, v6, v8, v10", {0xd6650004, 0x042a1106}, minmax_i, INTEGERS, false, NULL},
    {"v_maxmin_f16 v4, v6, v8, v10", {0xd6600004, 0x042a1106}, maxmin_h, HALVES, false, NULL},
    {"v_minmax_f16 v4, v6, v8, v10 op_sel:[1,0,0,1]", {0xd6614804, 0x042a1106}, minmax_h, HALVES, false, NULL},
    {"v_dot4_i32_iu8 v4, v6, v8, v10", {0xcc164004, 0x1c2a1106}, dot4, INTEGERS, false, NULL},
    {"v_dot4_i32_iu8 v4, v6, v8, v10 neg_lo:[1,0,0]", {0xcc164004, 0x3c2a1106}, dot4_a, INTEGERS, false, NULL},
    {"v_dot4_i32_iu8 v4, v6, v8, v10 neg_lo:[0,1,0] clamp", {0xcc16c004, 0x5c2a1106}, dot4_b, INTEGERS, false, NULL},
    {"v_dot4_i32_iu8 v4, v6, v8, v10 neg_lo:[1,1,0] clamp", {0xcc16c004, 0x7c2a1106}, dot4_ab, INTEGERS, false, NULL},
    {"v_dot4_i32_iu8 v4, v6, v8, v10 neg_lo:[1,1,0]", {0xcc164004, 0x7c2a1106}, dot4_wrap_ab, INTEGERS, false, NULL},
    {"v_dot4_i32_iu8 v4, v6, v8, v10 neg_lo:[0,1,0]", {0xcc164004, 0x5c2a1106}, dot4_wrap_b, INTEGERS, false, NULL},
    {"v_dot8_i32_iu4 v4, v6, v8, v10", {0xcc184004, 0x1c2a1106}, dot8, INTEGERS, false, NULL},
    {"v_dot8_i32_iu4 v4, v6, v8, v10 neg_lo:[1,0,0]", {0xcc184004, 0x3c2a1106}, dot8_a, INTEGERS, false, NULL},
    {"v_dot8_i32_iu4 v4, v6, v8, v10 neg_lo:[1,1,0] clamp", {0xcc18c004, 0x7c2a1106}, dot8_ab, INTEGERS, false, NULL},
    {"v_dot2_f16_f16 v4, v6, v8, v10", {0xd6660004, 0x042a1106}, dot2_f16, HALVES, false, NULL},
    {"v_dot2_f16_f16 v4, v6, v8, v10 op_sel:[0,0,1,1]", {0xd6666004, 0x042a1106}, dot2_f16_high, HALVES, false, NULL},
    {"v_dot2_bf16_bf16 v4, v6, v8, v10", {0xd6670004, 0x042a1106}, dot2_bf16, BFLOATS, false, NULL},
    {"v_cvt_pk_i16_f32 v4, v6, v8", {0xd7060004, 0x00021106}, pk_i16, FLOATS, false, NULL},
    {"v_cvt_pk_u16_f32 v4, v6, v8", {0xd7070004, 0x00021106}, pk_u16, FLOATS, false, NULL},
    {"v_add3_u32_e64_dpp v4, v6, v8, v10 row_mirror row_mask:0xf bank_mask:0xf",
     {0xd6550004, 0x042a10fa, 0xff014006}, add3_mirror, INTEGERS, false, NULL},
    {"v_add3_u32_e64_dpp v4, v6, v8, v10 dpp8:[7,6,5,4,3,2,1,0]",
     {0xd6550004, 0x042a10e9, 0x05397706}, add3_dpp8, INTEGERS, false, NULL},
    {"v_permlane64_b32 v4, v6", {0x7e08cf06}, swap_64, INTEGERS, false, NULL},
    {"v_cndmask_b16 v4, v6, v8, s2 op_sel:[1,0,0,0]", {0xd65d0804, 0x000a1106}, choose, INTEGERS, false,
     "v_cndmask_b16 v4, v6, v8, s[2:3] op_sel:[1,0,0,0]"},
    {"v_dual_add_f32 v4, v6, v8 :: v_dual_mov_b32 v5, v7", {0xc9101106, 0x04040107}, add_mov, FLOATS, true, NULL},
    {"v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v5, v4", {0xca100105, 0x04040104}, swap_movs, INTEGERS, true, NULL},
    {"v_dual_mov_b32 v4, v6 :: v_dual_add_nc_u32 v5, v4, v9", {0xca200106, 0x04041304}, mov_add, INTEGERS, true, NULL},
    {"v_dual_sub_f32 v4, v5, v8 :: v_dual_mov_b32 v5, v6", {0xc9501105, 0x04040106}, sub_mov, FLOATS, true, NULL},
    {"v_dual_fmaak_f32 v4, v6, v8, 0x40490fdb :: v_dual_fmac_f32 v5, v7, v9",
     {0xc8401106, 0x04041307, 0x40490fdb}, fmaak_fmac, FLOATS, true, NULL},
    {"v_dual_fmamk_f32 v4, v6, 0x40490fdb, v8 :: v_dual_mul_f32 v5, 0x40490fdb, v9",
     {0xc8861106, 0x040412ff, 0x40490fdb}, fmamk_mul, FLOATS, true, NULL},
    {"v_dual_cndmask_b32 v4, v6, v8 :: v_dual_lshlrev_b32 v5, v7, v9",
     {0xca621106, 0x04041307}, choose_shift, INTEGERS, true, NULL},
    {"v_dual_fmac_f32 v4, v5, v6 :: v_dual_fmac_f32 v5, v4, v7", {0xc8000d05, 0x04040f04}, fmac_fmac, FLOATS, true, NULL},
    {"v_dual_max_f32 v4, s2, v6 :: v_dual_and_b32 v5, 15, v7", {0xcaa40c02, 0x04040e8f}, max_and, FLOATS, true, NULL},
    {"v_dual_mov_b32 v5, v6 :: v_dual_mov_b32 v4, s3", {0xca100106, 0x05040003}, mov_scalar, INTEGERS, true, NULL},
};
/* clang-format on */

/* ---- running code ---- */

static unsigned lanes_here(void)
{
    return rig->core->lanes;
}

static void load_code(const char *text, const uint32_t words[3])
{
    char ours[160];
    isa_inst_t i = {.op = 0};
    const int n = isa_decode_lanes(rig->dispatch.arch, lanes_here(), words, 3, &i);
    if (n <= 0) fail_msg("%s: does not decode", text);
    isa_disassemble(rig->dispatch.arch, &i, ours, sizeof ours);
    assert_string_equal(ours, text);
    memcpy(rig->code, words, 4 * (size_t)n);
    rig->code[n] = END;
    isa_code_invalidate(rig->cache);
}

static void run(const char *text)
{
    memcpy(rig->rows, rig->before, sizeof rig->before);
    assert_true(rig->core->set_pc(&rig->wave, CODE));
    if (rig->core->run(&rig->wave, 100) != ISA_STOP_END)
        fail_msg("%s: stopped: %s", text, rig->wave.message);
}

static void fill(fill_t kind)
{
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < LANES; l++)
            rig->before[r][l] = number(kind);
}

static void check(const test_t *t)
{
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < lanes_here(); l++) {
            const in_t x = {(const uint32_t(*)[LANES])rig->before, l, r, lanes_here()};
            const bool written = r == D || (t->two && r == D + 1);
            const bool active = written && rig->wave.exec >> l & 1;
            const uint32_t want = active ? t->formula(&x) : rig->before[r][l];
            if (rig->rows[r][l] != want)
                fail_msg("%s: v%u, lane %u of %u is %x, not %x", t->text, r, l, lanes_here(),
                         rig->rows[r][l], want);
        }
}

static const char *const cores[] = {"base", "avx2", "avx512"};

static void begin(const isa_core_t *core)
{
    rig = aligned_alloc(4096, (sizeof *rig + 4095) / 4096 * 4096);
    assert_non_null(rig);
    memset(rig, 0, sizeof *rig);
    rig->random = 1;
    rig->core = core;
    rig->memory = sg_memory_create();
    assert_int_equal(sg_memory_map(rig->memory, CODE, sizeof rig->code, rig->code,
                                   SG_MEM_WRITABLE | SG_MEM_EXECUTABLE),
                     0);
    rig->dispatch.arch = isa_arch_named("gfx1100");
    assert_non_null(rig->dispatch.arch);
    rig->cache = isa_code_create(rig->dispatch.arch, rig->memory);
    assert_non_null(rig->cache);
    rig->dispatch.memory = rig->memory;
    rig->dispatch.code = rig->cache;
    rig->dispatch.narrow = core->lanes == 32;
    rig->dispatch.doorbell_id = 0x155;
    rig->group = (isa_group_t){.dispatch = &rig->dispatch, .n_waves = 1};
    rig->wave = (isa_wave_t){.group = &rig->group, .vgpr = rig->rows, .mode = 0xf0};
    rig->wave.sgpr[2] = S2;
    rig->wave.sgpr[3] = core->lanes == 32 ? S3 : S2; /* s[2:3] is a set of lanes */
    rig->wave.vcc = S3;
}

static void end(void)
{
    isa_code_destroy(rig->cache);
    sg_memory_destroy(rig->memory);
    free(rig);
}

static void on_every_core(void (*test)(void))
{
    unsigned ran = 0;
    for (unsigned c = 0; c < sizeof cores / sizeof *cores; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        if (!core) continue;
        begin(core);
        test();
        end();
        begin(isa_core_narrow(core));
        test();
        end();
        ran++;
    }
    assert_true(ran);
}

static void all_rows(void)
{
    for (const test_t *t = tests; t < tests + sizeof tests / sizeof *tests; t++) {
        if (t->two && lanes_here() != 32) continue;
        load_code(t->wide && lanes_here() == 64 ? t->wide : t->text, t->words);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            const uint64_t exec = UINT64_MAX >> (64 - lanes_here());
            const bool permutes = strstr(t->text, "_dpp") || strstr(t->text, "permlane");
            rig->wave.exec = turn & 1 || permutes ? exec : exec & UINT64_C(0x0f5a00ff12345678);
            fill(t->fill);
            run(t->text);
            check(t);
        }
    }
}

static void results_are_the_manuals(void **state)
{
    (void)state;
    on_every_core(all_rows);
}

/* Waves of 64 lanes have no pairs: the words are no instruction there. */
static void pairs_are_of_narrow_waves(void **state)
{
    static const uint32_t words[] = {0xca100105, 0x04040104};
    const isa_arch_t *arch = isa_arch_named("gfx1100");
    isa_inst_t i = {.op = 0};
    (void)state;
    assert_int_equal(isa_decode_lanes(arch, 32, words, 2, &i), 2);
    assert_int_equal(isa_decode_lanes(arch, 64, words, 2, &i), 0);
}

/* ---- matrices: A in v8 and on, B in v16, C in v24, D in v32 ---- */

enum { MA = 8, MB = 16, MC = 24, N = 16 };

typedef enum { F32_F16, F32_BF16, F16_F16, BF16_BF16, I32_IU8, I32_IU4 } matrix_t;

typedef struct {
    const char *text[2]; /* in waves of 32 lanes, of 64 */
    uint32_t words[3];
    matrix_t kind;
    unsigned d;          /* first register of D */
    unsigned low, high;  /* bits of NEG and NEG_HI */
    bool clamp, high_cd; /* C and D are in high halves */
    bool one;            /* C is 1.0 */
} matrix_test_t;

#define WMMA(name, ab, more)                                                                       \
    {                                                                                              \
        "v_wmma_" name " v[32:39], " ab ", v[24:31]" more,                                         \
            "v_wmma_" name " v[32:35], " ab ", v[24:27]" more                                      \
    }
#define AB8 "v[8:15], v[16:23]"
#define AB4 "v[8:11], v[16:19]"
#define AB2 "v[8:9], v[16:17]"

/* clang-format off */
static const matrix_test_t matrices[] = {
    {WMMA("f32_16x16x16_f16", AB8, ""), {0xcc404020, 0x1c622108}, F32_F16, 32, 0, 0, false, false, false},
    {{"v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31] neg_lo:[1,0,1] neg_hi:[0,1,1]",
      "v_wmma_f32_16x16x16_f16 v[24:27], v[8:15], v[16:23], v[24:27] neg_lo:[1,0,1] neg_hi:[0,1,1]"},
     {0xcc404618, 0xbc622108}, F32_F16, 24, 5, 6, false, false, false},
    {{"v_wmma_f32_16x16x16_f16 v[32:39], v[8:15], v[16:23], 1.0",
      "v_wmma_f32_16x16x16_f16 v[32:35], v[8:15], v[16:23], 1.0"},
     {0xcc404020, 0x1bca2108}, F32_F16, 32, 0, 0, false, false, true},
    {WMMA("f32_16x16x16_bf16", AB8, ""), {0xcc414020, 0x1c622108}, F32_BF16, 32, 0, 0, false, false, false},
    {WMMA("f16_16x16x16_f16", AB8, ""), {0xcc424020, 0x1c622108}, F16_F16, 32, 0, 0, false, false, false},
    {WMMA("f16_16x16x16_f16", AB8, " op_sel:[0,0,1]"), {0xcc426020, 0x1c622108}, F16_F16, 32, 0, 0, false, true, false},
    {WMMA("bf16_16x16x16_bf16", AB8, ""), {0xcc434020, 0x1c622108}, BF16_BF16, 32, 0, 0, false, false, false},
    {WMMA("i32_16x16x16_iu8", AB4, ""), {0xcc444020, 0x1c622108}, I32_IU8, 32, 0, 0, false, false, false},
    {WMMA("i32_16x16x16_iu8", AB4, " neg_lo:[1,0,0] clamp"), {0xcc44c020, 0x3c622108}, I32_IU8, 32, 1, 0, true, false, false},
    {WMMA("i32_16x16x16_iu8", AB4, " neg_lo:[1,1,0]"), {0xcc444020, 0x7c622108}, I32_IU8, 32, 3, 0, false, false, false},
    {WMMA("i32_16x16x16_iu4", AB2, " neg_lo:[0,1,0]"), {0xcc454020, 0x5c622108}, I32_IU4, 32, 2, 0, false, false, false},
    {WMMA("i32_16x16x16_iu4", AB2, " neg_lo:[1,1,0] clamp"), {0xcc45c020, 0x7c622108}, I32_IU4, 32, 3, 0, true, false, false},
};
/* clang-format on */

/* Element of row or column n and depth k of A (0) or B (1), with its sign. */
static float element(const matrix_test_t *t, unsigned which, unsigned n, unsigned k)
{
    const uint32_t pair = rig->before[(which ? MB : MA) + k / 2][n];
    const uint32_t half = k & 1 ? pair >> 16 : pair & 0xffff;
    const float x = t->kind == F32_BF16 || t->kind == BF16_BF16 ? bf16(half) : f16(half);
    return (k & 1 ? t->high : t->low) >> which & 1 ? -x : x;
}

static int64_t integer(const matrix_test_t *t, unsigned which, unsigned n, unsigned k)
{
    const unsigned width = t->kind == I32_IU8 ? 8 : 4, per = 32 / width;
    return part(rig->before[(which ? MB : MA) + k / per][n], k % per, width, t->low >> which & 1);
}

/* The element of row m and column n of D, whose C is c. */
static uint32_t product(const matrix_test_t *t, unsigned m, unsigned n, uint32_t c, uint32_t old)
{
    const uint32_t half = t->high_cd ? c >> 16 : c & 0xffff;
    if (t->kind >= I32_IU8) {
        int64_t sum = (int32_t)c;
        for (unsigned k = 0; k < N; k++)
            sum += integer(t, 0, m, k) * integer(t, 1, n, k);
        return (uint32_t)(t->clamp ? MAX(MIN(sum, INT32_MAX), INT32_MIN) : sum);
    }
    float sum = t->kind == F16_F16 ? f16(half) : t->kind == BF16_BF16 ? bf16(half) : f32(c);
    if (t->one) sum = 1;
    if (t->high >> 2 & 1) sum = fabsf(sum);
    if (t->low >> 2 & 1) sum = -sum;
    for (unsigned k = 0; k < N; k++)
        sum = fmaf(element(t, 0, m, k), element(t, 1, n, k), sum);
    if (t->kind == F32_F16 || t->kind == F32_BF16) return bits(sum);
    const uint32_t result = t->kind == F16_F16 ? half_of((double)sum) : bf16_of(sum);
    return t->high_cd ? (old & 0xffff) | result << 16 : (old & 0xffff0000) | result;
}

static void fill_matrices(const matrix_test_t *t)
{
    const fill_t kind = t->kind >= I32_IU8                         ? INTEGERS
                        : t->kind == F32_F16 || t->kind == F16_F16 ? HALVES
                                                                   : BFLOATS;
    fill(kind);
    for (unsigned r = MC; r < MC + 8; r++)
        for (unsigned l = 0; l < LANES; l++)
            if (t->kind == F32_F16 || t->kind == F32_BF16) rig->before[r][l] = number(FLOATS);
    for (unsigned r = MA; r < MC; r++) /* the copies in further lanes */
        for (unsigned l = N; l < LANES; l++)
            rig->before[r][l] = rig->before[r][l % N];
}

static void check_matrix(const matrix_test_t *t, const char *text)
{
    const unsigned rows = lanes_here() / N, registers = N / rows;
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < lanes_here(); l++) {
            const bool written = r >= t->d && r < t->d + registers;
            const unsigned m = (r - t->d) * rows + l / N;
            const uint32_t old = rig->before[r][l];
            const uint32_t want =
                written ? product(t, m, l % N, rig->before[MC + r - t->d][l], old) : old;
            if (rig->rows[r][l] != want)
                fail_msg("%s: v%u, lane %u is %x, not %x", text, r, l, rig->rows[r][l], want);
        }
}

/* EXEC does not matter. */
static void all_matrices(void)
{
    for (const matrix_test_t *t = matrices; t < matrices + sizeof matrices / sizeof *matrices;
         t++) {
        const char *text = t->text[lanes_here() == 64];
        load_code(text, t->words);
        for (unsigned turn = 0; turn < 4; turn++) {
            rig->wave.exec = turn & 1;
            fill_matrices(t);
            run(text);
            check_matrix(t, text);
        }
    }
}

static void products_of_matrices(void **state)
{
    (void)state;
    on_every_core(all_matrices);
}

/* ---- messages, and M0, whose code is NULL's elsewhere ---- */

static void scalar(void)
{
    static const uint32_t doorbell[3] = {0xbe884c80}, pack[3] = {0x9a880302},
                          free_vgprs[3] = {0xbfb60003}, to_m0[3] = {0xbefd0002},
                          from_m0[3] = {0xbe88007d}, from_null[3] = {0xbe88007c};
    load_code("s_sendmsg_rtn_b32 s8, sendmsg(MSG_RTN_GET_DOORBELL)", doorbell);
    run("s_sendmsg_rtn_b32");
    assert_int_equal(rig->wave.sgpr[8], 0x155);
    rig->wave.sgpr[3] = S3;
    load_code("s_pack_hl_b32_b16 s8, s2, s3", pack);
    run("s_pack_hl_b32_b16");
    assert_int_equal(rig->wave.sgpr[8], 0x56783f00);
    load_code("s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", free_vgprs);
    run("s_sendmsg");
    load_code("s_mov_b32 m0, s2", to_m0);
    run("s_mov_b32 m0");
    assert_int_equal(rig->wave.m0, S2);
    load_code("s_mov_b32 s8, m0", from_m0);
    run("s_mov_b32 s8, m0");
    assert_int_equal(rig->wave.sgpr[8], S2);
    load_code("s_mov_b32 s8, null", from_null);
    run("s_mov_b32 s8, null");
    assert_int_equal(rig->wave.sgpr[8], 0);
}

static void scalar_registers(void **state)
{
    (void)state;
    on_every_core(scalar);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(results_are_the_manuals),
        cmocka_unit_test(pairs_are_of_narrow_waves),
        cmocka_unit_test(products_of_matrices),
        cmocka_unit_test(scalar_registers),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
