/* valu_mfma.c - matrix instructions, element by element.
 *
 * Inputs are small whole numbers, so sums are exact in any order; where an element lies is computed
 * for each one from AMD's placement rules. CBSZ, ABID and BLGP are tried where they are legal.
 * Special numbers come in a test of their own. */
#include "valu_rig.h"

typedef struct {
    const char *name;
    int m, k, blocks;
    type_t type; /* of A and B; u16 stands for bf16, p16 for bytes */
    int a_regs, d_regs;
    bool broadcasts, permutes;
} matrix_t;

#define bf16  u16
#define bytes p16

static const matrix_t matrices[] = {
    {"f32_32x32x1f32", 32, 1, 2, f32, 1, 32, true, true},
    {"f32_16x16x1f32", 16, 1, 4, f32, 1, 16, true, true},
    {"f32_4x4x1f32", 4, 1, 16, f32, 1, 4, true, true},
    {"f32_32x32x2f32", 32, 2, 1, f32, 1, 16, false, true},
    {"f32_16x16x4f32", 16, 4, 1, f32, 1, 4, false, true},
    {"f32_32x32x4f16", 32, 4, 2, f16, 2, 32, true, true},
    {"f32_16x16x4f16", 16, 4, 4, f16, 2, 16, true, true},
    {"f32_4x4x4f16", 4, 4, 16, f16, 2, 4, true, true},
    {"f32_32x32x8f16", 32, 8, 1, f16, 2, 16, false, true},
    {"f32_16x16x16f16", 16, 16, 1, f16, 2, 4, false, true},
    {"i32_32x32x4i8", 32, 4, 2, bytes, 1, 32, true, true},
    {"i32_16x16x4i8", 16, 4, 4, bytes, 1, 16, true, true},
    {"i32_4x4x4i8", 4, 4, 16, bytes, 1, 4, true, true},
    {"i32_32x32x8i8", 32, 8, 1, bytes, 1, 16, false, true},
    {"i32_16x16x16i8", 16, 16, 1, bytes, 1, 4, false, true},
    {"f32_32x32x4bf16_1k", 32, 4, 2, bf16, 2, 32, true, true},
    {"f32_16x16x4bf16_1k", 16, 4, 4, bf16, 2, 16, true, true},
    {"f32_4x4x4bf16_1k", 4, 4, 16, bf16, 2, 4, true, true},
    {"f32_32x32x8bf16_1k", 32, 8, 1, bf16, 2, 16, false, true},
    {"f32_16x16x16bf16_1k", 16, 16, 1, bf16, 2, 4, false, true},
    {"f32_32x32x2bf16", 32, 2, 2, bf16, 1, 32, true, true},
    {"f32_16x16x2bf16", 16, 2, 4, bf16, 1, 16, true, true},
    {"f32_4x4x2bf16", 4, 2, 16, bf16, 1, 4, true, true},
    {"f32_32x32x4bf16", 32, 4, 1, bf16, 1, 16, false, true},
    {"f32_16x16x8bf16", 16, 8, 1, bf16, 1, 4, false, true},
    {"f64_16x16x4f64", 16, 4, 1, f64, 2, 8, false, false},
    {"f64_4x4x4f64", 4, 4, 4, f64, 2, 2, false, false},
};

static unsigned bits_of(type_t t)
{
    return t == bytes ? 8 : t == bf16 ? 16 : type_bits(t);
}

/* ---- placement: lane and bit position of an element of A or B, of C or D ---- */

static int ab_lane(const matrix_t *x, int i, int k, int b)
{
    const int per_lane = 32 * x->a_regs / (int)bits_of(x->type);
    if (x->type == f64) return x->m == 16 ? i + 16 * k : 16 * k + 4 * b + i;
    return i + x->m * (x->blocks > 1 ? b : k / per_lane);
}

static int ab_bit(const matrix_t *x, int k)
{
    const int e = (int)bits_of(x->type);
    return x->type == f64 ? 0 : k % (32 * x->a_regs / e) * e;
}

static int d_lane(const matrix_t *x, int i, int j, int b)
{
    if (x->type == f64) return x->m == 16 ? j + 16 * (i % 4) : 16 * i + 4 * b + j;
    return x->m == 32 ? j + 32 * (i / 4 % 2) : x->m == 16 ? j + 16 * (i / 4) : j + 4 * b;
}

static int d_register(const matrix_t *x, int i, int b)
{
    if (x->type == f64) return x->m == 16 ? 2 * (i / 4) : 0;
    return x->m == 32 ? 16 * b + 4 * (i / 8) + i % 4 : x->m == 16 ? 4 * b + i % 4 : i;
}

/* ---- numbers ---- */

static uint64_t pattern(type_t t, int value)
{
    if (t == f16) return of_f16((half_t)(float)value);
    if (t == f32) return of_f32((float)value);
    if (t == f64) return of_f64(value);
    if (t == bf16) return of_f32((float)value) >> 16;
    return (uint8_t)value;
}

static double number(type_t t, uint64_t x)
{
    if (t == f16) return (double)as_f16(x);
    if (t == f32) return (double)as_f32(x);
    if (t == f64) return as_f64(x);
    if (t == bf16) return (double)as_f32(x << 16);
    return (int8_t)x;
}

static double element(const matrix_t *x, const uint32_t (*rows)[64], int lane, int bit)
{
    if (x->type == f64) return as_f64(rows[0][lane] | (uint64_t)rows[1][lane] << 32);
    return number(x->type, rows[bit / 32][lane] >> bit % 32 &
                               (x->type == f32 ? 0xffffffff : (1u << bits_of(x->type)) - 1));
}

static double result_at(const matrix_t *x, const uint32_t (*rows)[64], int i, int j, int b)
{
    const int reg = d_register(x, i, b), lane = d_lane(x, i, j, b);
    if (x->type == f64) return as_f64(rows[reg][lane] | (uint64_t)rows[reg + 1][lane] << 32);
    return x->type == bytes ? (double)(int32_t)rows[reg][lane] : (double)as_f32(rows[reg][lane]);
}

static int permuted_lane(int lane, int blgp)
{
    switch (blgp) {
    case 1: return lane % 32;
    case 2: return lane % 32 + 32;
    case 3: return (lane + 16) % 64;
    case 4:
    case 5:
    case 6:
    case 7: return lane % 16 + 16 * (blgp - 4);
    default: return lane;
    }
}

/* ---- one instruction ---- */

enum { A = 2, B = 4, C = 8, D = 40, ACC = 256 };

static uint32_t c_before[32][64];

static void fill(const matrix_t *x)
{
    const unsigned e = bits_of(x->type);
    for (int r = 0; r < x->a_regs; r++)
        for (int l = 0; l < 64; l++)
            for (int n = 0; n < 2; n++) {
                uint32_t *row = rig.rows[(n ? B : A) + r];
                row[l] = 0;
                for (unsigned at = 0; at < 32 && e <= 32; at += e)
                    row[l] |= (uint32_t)pattern(x->type, (int)(rig_random() % 15) - 7) << at;
            }
    for (int l = 0; l < 64 && x->type == f64; l++)
        for (int n = 0; n < 2; n++) {
            const uint64_t v = pattern(f64, (int)(rig_random() % 15) - 7);
            rig.rows[n ? B : A][l] = (uint32_t)v;
            rig.rows[(n ? B : A) + 1][l] = (uint32_t)(v >> 32);
        }
    for (int r = 0; r < x->d_regs; r++)
        for (int l = 0; l < 64; l++) {
            const int v = (int)(rig_random() % 2001) - 1000;
            rig.rows[C + r][l] = x->type == bytes ? (uint32_t)v : (uint32_t)of_f32((float)v);
            if (x->type == f64) rig.rows[C + r][l] = (uint32_t)(of_f64(v) >> (r % 2 ? 32 : 0));
            if (x->type == f64 && r % 2) {
                const uint64_t y = of_f64((int)(rig_random() % 2001) - 1000);
                rig.rows[C + r - 1][l] = (uint32_t)y;
                rig.rows[C + r][l] = (uint32_t)(y >> 32);
            }
        }
    memcpy(c_before, rig.rows[C], sizeof c_before);
}

static void check(const isa_core_t *core, const matrix_t *x, const isa_inst_t *inst, int d_row,
                  bool c_zero)
{
    for (int b = 0; b < x->blocks; b++)
        for (int i = 0; i < x->m; i++)
            for (int j = 0; j < x->m; j++) {
                const int group = 1 << inst->cbsz,
                          from = inst->cbsz ? b / group * group + inst->abid : b;
                double want = c_zero ? 0 : result_at(x, c_before, i, j, b);
                for (int k = 0; k < x->k; k++)
                    want += element(x, rig.rows + A, ab_lane(x, i, k, from), ab_bit(x, k)) *
                            element(x, rig.rows + B, permuted_lane(ab_lane(x, j, k, b), inst->blgp),
                                    ab_bit(x, k));
                const double have = result_at(x, rig.rows + d_row, i, j, b);
                if (have != want)
                    fail_msg("%s (%s, cbsz %d abid %d blgp %d): block %d (%d,%d) is %g, not %g",
                             x->name, core->name, inst->cbsz, inst->abid, inst->blgp, b, i, j, have,
                             want);
            }
}

static void run_matrix(const isa_core_t *core, const matrix_t *x, const isa_inst_t *inst, int d_row,
                       bool c_zero)
{
    fill(x);
    core->handlers[inst->op](&rig.wave, inst);
    if (rig.wave.stop) fail_msg("%s: %s", x->name, rig.wave.message);
    check(core, x, inst, d_row, c_zero);
}

static isa_inst_t instruction(const matrix_t *x)
{
    char text[160], ab[2][32], cd[2][32];
    uint32_t *words;
    isa_inst_t i = {.op = 0};
    for (int n = 0; n < 2; n++) {
        const int first = n ? B : A;
        sprintf(ab[n], x->a_regs > 1 ? "v[%d:%d]" : "v%d", first, first + 1);
        sprintf(cd[n], "v[%d:%d]", n ? D : C, (n ? D : C) + x->d_regs - 1);
    }
    sprintf(text, "v_mfma_%s %s, %s, %s, %s\n", x->name, cd[1], ab[0], ab[1], cd[0]);
    const size_t n = asm_words(text, &words);
    assert_true(n == 2);
    assert_int_equal(isa_decode(ASM_ARCH, words, 2, &i), 2);
    free(words);
    return i;
}

static void try_all(const isa_core_t *core, const matrix_t *x)
{
    const isa_inst_t plain = instruction(x);
    isa_inst_t i = plain;
    rig.wave.exec = UINT64_MAX;
    run_matrix(core, x, &i, D, false);
    rig.wave.exec = 5; /* plays no part */
    run_matrix(core, x, &i, D, false);
    i.dst.reg = i.src[2].reg; /* in place */
    run_matrix(core, x, &i, C, false);
    i = plain;
    i.src[2] = (isa_operand_t){.kind = ISA_OPK_CONST};
    run_matrix(core, x, &i, D, true);
    i = plain;
    i.dst.kind = ISA_OPK_AGPR;
    run_matrix(core, x, &i, ACC + D, false);
    i = plain;
    for (int blgp = 1; x->permutes && blgp < 8; blgp++) {
        i.blgp = (uint8_t)blgp;
        run_matrix(core, x, &i, D, false);
    }
    i = plain;
    for (int cbsz = 1; x->broadcasts && 1 << cbsz <= x->blocks; cbsz++)
        for (int abid = 0; abid < 1 << cbsz; abid++) {
            i.cbsz = (uint8_t)cbsz;
            i.abid = (uint8_t)abid;
            run_matrix(core, x, &i, D, false);
        }
}

static const char *const cores[] = {"base", "avx2", "avx512"};

static void matrix_instructions(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 3; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        for (unsigned n = 0; core && n < sizeof matrices / sizeof *matrices; n++)
            try_all(core, &matrices[n]);
    }
}

/* ---- infinities, NaNs and denormals: bit for bit, products added one after the other ---- */

static uint32_t special(type_t t)
{
    static const uint16_t halves[] = {0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc00, 0x7bff};
    static const uint16_t few[] = {0x7c00, 0xfc00, 0x7d00, 0xfe00};
    static const uint32_t floats[] = {0,          0x80000000, 1,          0x807fffff,
                                      0x00800000, 0x80c00000, 0x3f800000, 0xff7fffff};
    static const uint32_t few_floats[] = {0x7f800000, 0xff800000, 0x7fa00000, 0xffc00000};
    const bool rare = rig_random() % 256 == 0;
    const uint64_t n = rig_random();
    if (t == f16) return rare ? few[n % 4] : halves[n % 8];
    return (rare ? few_floats[n % 4] : floats[n % 8]) >> (t == bf16 ? 16 : 0);
}

static void fill_special(const matrix_t *x)
{
    for (int r = 0; r < x->a_regs; r++)
        for (int l = 0; l < 64; l++)
            for (int n = 0; n < 2; n++) {
                const uint32_t low = special(x->type);
                rig.rows[(n ? B : A) + r][l] = x->type == f32 ? low : low | special(x->type) << 16;
            }
    for (int r = 0; r < x->d_regs; r++)
        for (int l = 0; l < 64; l++)
            rig.rows[C + r][l] = special(f32);
    memcpy(c_before, rig.rows[C], sizeof c_before);
}

/* Halves flush denormals of A, B, C and D to zeros of their sign; f32 keeps them here. */
static uint32_t flushed(uint32_t x)
{
    return x & 0x7f800000 ? x : x & 0x80000000;
}

static float factor(const matrix_t *x, const uint32_t (*rows)[64], int lane, int bit)
{
    const uint32_t raw = rows[bit / 32][lane] >> bit % 32;
    if (x->type == f32) return as_f32(raw);
    if (x->type == bf16) return as_f32(flushed(raw << 16));
    return raw & 0x7c00 ? (float)as_f16(raw & 0xffff) : raw & 0x8000 ? -0.0f : 0.0f;
}

static void check_special(const isa_core_t *core, const matrix_t *x)
{
    const bool half = x->type != f32;
    for (int b = 0; b < x->blocks; b++)
        for (int i = 0; i < x->m; i++)
            for (int j = 0; j < x->m; j++) {
                const int reg = d_register(x, i, b), lane = d_lane(x, i, j, b);
                const uint32_t c = c_before[reg][lane], have = rig.rows[D + reg][lane];
                float sum = as_f32(half ? flushed(c) : c);
                for (int k = 0; k < x->k; k++)
                    sum = fmaf(factor(x, rig.rows + A, ab_lane(x, i, k, b), ab_bit(x, k)),
                               factor(x, rig.rows + B, ab_lane(x, j, k, b), ab_bit(x, k)), sum);
                uint32_t want = sum == sum ? (uint32_t)of_f32(sum) : 0x7fc00000;
                if (half) want = flushed(want);
                if (have != want)
                    fail_msg("%s (%s): block %d (%d,%d) is 0x%08x, not 0x%08x", x->name, core->name,
                             b, i, j, have, want);
            }
}

static void special_numbers(void **state)
{
    (void)state;
    for (unsigned n = 0; n < sizeof matrices / sizeof *matrices; n++) {
        const matrix_t *x = &matrices[n];
        if (x->type == bytes || x->type == f64) continue;
        const isa_inst_t i = instruction(x);
        for (unsigned c = 0; c < 3; c++) {
            const isa_core_t *core = isa_core_by_name(cores[c]);
            for (unsigned round = 0; core && round < 8; round++) {
                fill_special(x);
                core->handlers[i.op](&rig.wave, &i);
                check_special(core, x);
            }
        }
    }
}

static int start(void **state)
{
    (void)state;
    rig.random = 99;
    rig.dispatch.arch = ASM_ARCH;
    rig.group.dispatch = &rig.dispatch;
    rig.wave = (isa_wave_t){.group = &rig.group,
                            .vgpr = rig.rows,
                            .page = &no_code,
                            .mode = PLAIN_MODE,
                            .exec = UINT64_MAX,
                            .acc_offset = ACC};
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(matrix_instructions, start),
                                       cmocka_unit_test_setup(special_numbers, start)};
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
