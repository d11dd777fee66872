/* valu_matrix.c - matrix instructions of gfx908, gfx942 and gfx950, bit for bit.
 *
 * Where an element lies is computed for each one from the formulas and tables of AMD's manual of
 * CDNA 4 (7.1.4, 7.1.5, 7.5.1), what it is from the definition of its format. Products are added in
 * the order of k, each sum is rounded once. Instructions are made of their rows, as no assembler of
 * Debian stable knows them all. valu_mfma.c has those of gfx90a. */
#include "valu_rig.h"
#include "isa/table.h"

__extension__ typedef __float128 f128_t;

enum { GFX908 = 1, GFX942 = 2, GFX950 = 4 };
typedef enum {
    e_f32,
    e_f16,
    e_bf16,
    e_i8,
    e_f64,
    e_xf32,
    e_fp8,
    e_bf8,
    e_fp6,
    e_bf6,
    e_fp4,
    e_f8f6f4
} element_t;

/* clang-format off */
typedef struct {
    const char *name;
    unsigned gpus;
    int m, k, blocks;
    element_t a, b;
    bool sparse;
} matrix_t;

static const matrix_t matrices[] = {
    {"v_mfma_f32_16x16x128_f8f6f4", GFX950, 16, 128, 1, e_f8f6f4, e_f8f6f4, false},
    {"v_mfma_f32_16x16x16_bf16", GFX942 | GFX950, 16, 16, 1, e_bf16, e_bf16, false},
    {"v_mfma_f32_16x16x16_f16", GFX942 | GFX950, 16, 16, 1, e_f16, e_f16, false},
    {"v_mfma_f32_16x16x1_4b_f32", GFX942 | GFX950, 16, 1, 4, e_f32, e_f32, false},
    {"v_mfma_f32_16x16x32_bf16", GFX950, 16, 32, 1, e_bf16, e_bf16, false},
    {"v_mfma_f32_16x16x32_bf8_bf8", GFX942 | GFX950, 16, 32, 1, e_bf8, e_bf8, false},
    {"v_mfma_f32_16x16x32_bf8_fp8", GFX942 | GFX950, 16, 32, 1, e_bf8, e_fp8, false},
    {"v_mfma_f32_16x16x32_f16", GFX950, 16, 32, 1, e_f16, e_f16, false},
    {"v_mfma_f32_16x16x32_fp8_bf8", GFX942 | GFX950, 16, 32, 1, e_fp8, e_bf8, false},
    {"v_mfma_f32_16x16x32_fp8_fp8", GFX942 | GFX950, 16, 32, 1, e_fp8, e_fp8, false},
    {"v_mfma_f32_16x16x4_4b_bf16", GFX942 | GFX950, 16, 4, 4, e_bf16, e_bf16, false},
    {"v_mfma_f32_16x16x4_4b_f16", GFX942 | GFX950, 16, 4, 4, e_f16, e_f16, false},
    {"v_mfma_f32_16x16x4_f32", GFX942 | GFX950, 16, 4, 1, e_f32, e_f32, false},
    {"v_mfma_f32_16x16x8_xf32", GFX942, 16, 8, 1, e_xf32, e_xf32, false},
    {"v_mfma_f32_32x32x16_bf16", GFX950, 32, 16, 1, e_bf16, e_bf16, false},
    {"v_mfma_f32_32x32x16_bf8_bf8", GFX942 | GFX950, 32, 16, 1, e_bf8, e_bf8, false},
    {"v_mfma_f32_32x32x16_bf8_fp8", GFX942 | GFX950, 32, 16, 1, e_bf8, e_fp8, false},
    {"v_mfma_f32_32x32x16_f16", GFX950, 32, 16, 1, e_f16, e_f16, false},
    {"v_mfma_f32_32x32x16_fp8_bf8", GFX942 | GFX950, 32, 16, 1, e_fp8, e_bf8, false},
    {"v_mfma_f32_32x32x16_fp8_fp8", GFX942 | GFX950, 32, 16, 1, e_fp8, e_fp8, false},
    {"v_mfma_f32_32x32x1_2b_f32", GFX942 | GFX950, 32, 1, 2, e_f32, e_f32, false},
    {"v_mfma_f32_32x32x2_f32", GFX942 | GFX950, 32, 2, 1, e_f32, e_f32, false},
    {"v_mfma_f32_32x32x4_2b_bf16", GFX942 | GFX950, 32, 4, 2, e_bf16, e_bf16, false},
    {"v_mfma_f32_32x32x4_2b_f16", GFX942 | GFX950, 32, 4, 2, e_f16, e_f16, false},
    {"v_mfma_f32_32x32x4_xf32", GFX942, 32, 4, 1, e_xf32, e_xf32, false},
    {"v_mfma_f32_32x32x64_f8f6f4", GFX950, 32, 64, 1, e_f8f6f4, e_f8f6f4, false},
    {"v_mfma_f32_32x32x8_bf16", GFX942 | GFX950, 32, 8, 1, e_bf16, e_bf16, false},
    {"v_mfma_f32_32x32x8_f16", GFX942 | GFX950, 32, 8, 1, e_f16, e_f16, false},
    {"v_mfma_f32_4x4x1_16b_f32", GFX942 | GFX950, 4, 1, 16, e_f32, e_f32, false},
    {"v_mfma_f32_4x4x4_16b_bf16", GFX942 | GFX950, 4, 4, 16, e_bf16, e_bf16, false},
    {"v_mfma_f32_4x4x4_16b_f16", GFX942 | GFX950, 4, 4, 16, e_f16, e_f16, false},
    {"v_mfma_i32_16x16x32_i8", GFX942 | GFX950, 16, 32, 1, e_i8, e_i8, false},
    {"v_mfma_i32_16x16x4_4b_i8", GFX942 | GFX950, 16, 4, 4, e_i8, e_i8, false},
    {"v_mfma_i32_16x16x64_i8", GFX950, 16, 64, 1, e_i8, e_i8, false},
    {"v_mfma_i32_32x32x16_i8", GFX942 | GFX950, 32, 16, 1, e_i8, e_i8, false},
    {"v_mfma_i32_32x32x32_i8", GFX950, 32, 32, 1, e_i8, e_i8, false},
    {"v_mfma_i32_32x32x4_2b_i8", GFX942 | GFX950, 32, 4, 2, e_i8, e_i8, false},
    {"v_mfma_i32_4x4x4_16b_i8", GFX942 | GFX950, 4, 4, 16, e_i8, e_i8, false},
    {"v_smfmac_f32_16x16x128_bf8_bf8", GFX950, 16, 128, 1, e_bf8, e_bf8, true},
    {"v_smfmac_f32_16x16x128_bf8_fp8", GFX950, 16, 128, 1, e_bf8, e_fp8, true},
    {"v_smfmac_f32_16x16x128_fp8_bf8", GFX950, 16, 128, 1, e_fp8, e_bf8, true},
    {"v_smfmac_f32_16x16x128_fp8_fp8", GFX950, 16, 128, 1, e_fp8, e_fp8, true},
    {"v_smfmac_f32_16x16x32_bf16", GFX942 | GFX950, 16, 32, 1, e_bf16, e_bf16, true},
    {"v_smfmac_f32_16x16x32_f16", GFX942 | GFX950, 16, 32, 1, e_f16, e_f16, true},
    {"v_smfmac_f32_16x16x64_bf16", GFX950, 16, 64, 1, e_bf16, e_bf16, true},
    {"v_smfmac_f32_16x16x64_bf8_bf8", GFX942 | GFX950, 16, 64, 1, e_bf8, e_bf8, true},
    {"v_smfmac_f32_16x16x64_bf8_fp8", GFX942 | GFX950, 16, 64, 1, e_bf8, e_fp8, true},
    {"v_smfmac_f32_16x16x64_f16", GFX950, 16, 64, 1, e_f16, e_f16, true},
    {"v_smfmac_f32_16x16x64_fp8_bf8", GFX942 | GFX950, 16, 64, 1, e_fp8, e_bf8, true},
    {"v_smfmac_f32_16x16x64_fp8_fp8", GFX942 | GFX950, 16, 64, 1, e_fp8, e_fp8, true},
    {"v_smfmac_f32_32x32x16_bf16", GFX942 | GFX950, 32, 16, 1, e_bf16, e_bf16, true},
    {"v_smfmac_f32_32x32x16_f16", GFX942 | GFX950, 32, 16, 1, e_f16, e_f16, true},
    {"v_smfmac_f32_32x32x32_bf16", GFX950, 32, 32, 1, e_bf16, e_bf16, true},
    {"v_smfmac_f32_32x32x32_bf8_bf8", GFX942 | GFX950, 32, 32, 1, e_bf8, e_bf8, true},
    {"v_smfmac_f32_32x32x32_bf8_fp8", GFX942 | GFX950, 32, 32, 1, e_bf8, e_fp8, true},
    {"v_smfmac_f32_32x32x32_f16", GFX950, 32, 32, 1, e_f16, e_f16, true},
    {"v_smfmac_f32_32x32x32_fp8_bf8", GFX942 | GFX950, 32, 32, 1, e_fp8, e_bf8, true},
    {"v_smfmac_f32_32x32x32_fp8_fp8", GFX942 | GFX950, 32, 32, 1, e_fp8, e_fp8, true},
    {"v_smfmac_f32_32x32x64_bf8_bf8", GFX950, 32, 64, 1, e_bf8, e_bf8, true},
    {"v_smfmac_f32_32x32x64_bf8_fp8", GFX950, 32, 64, 1, e_bf8, e_fp8, true},
    {"v_smfmac_f32_32x32x64_fp8_bf8", GFX950, 32, 64, 1, e_fp8, e_bf8, true},
    {"v_smfmac_f32_32x32x64_fp8_fp8", GFX950, 32, 64, 1, e_fp8, e_fp8, true},
    {"v_smfmac_i32_16x16x128_i8", GFX950, 16, 128, 1, e_i8, e_i8, true},
    {"v_smfmac_i32_16x16x64_i8", GFX942 | GFX950, 16, 64, 1, e_i8, e_i8, true},
    {"v_smfmac_i32_32x32x32_i8", GFX942 | GFX950, 32, 32, 1, e_i8, e_i8, true},
    {"v_smfmac_i32_32x32x64_i8", GFX950, 32, 64, 1, e_i8, e_i8, true},
    {"v_mfma_f32_32x32x1f32", GFX908, 32, 1, 2, e_f32, e_f32, false},
    {"v_mfma_f32_16x16x1f32", GFX908, 16, 1, 4, e_f32, e_f32, false},
    {"v_mfma_f32_4x4x1f32", GFX908, 4, 1, 16, e_f32, e_f32, false},
    {"v_mfma_f32_32x32x2f32", GFX908, 32, 2, 1, e_f32, e_f32, false},
    {"v_mfma_f32_16x16x4f32", GFX908, 16, 4, 1, e_f32, e_f32, false},
    {"v_mfma_f32_32x32x4f16", GFX908, 32, 4, 2, e_f16, e_f16, false},
    {"v_mfma_f32_16x16x4f16", GFX908, 16, 4, 4, e_f16, e_f16, false},
    {"v_mfma_f32_4x4x4f16", GFX908, 4, 4, 16, e_f16, e_f16, false},
    {"v_mfma_f32_32x32x8f16", GFX908, 32, 8, 1, e_f16, e_f16, false},
    {"v_mfma_f32_16x16x16f16", GFX908, 16, 16, 1, e_f16, e_f16, false},
    {"v_mfma_i32_32x32x4i8", GFX908, 32, 4, 2, e_i8, e_i8, false},
    {"v_mfma_i32_16x16x4i8", GFX908, 16, 4, 4, e_i8, e_i8, false},
    {"v_mfma_i32_4x4x4i8", GFX908, 4, 4, 16, e_i8, e_i8, false},
    {"v_mfma_i32_32x32x8i8", GFX908, 32, 8, 1, e_i8, e_i8, false},
    {"v_mfma_i32_16x16x16i8", GFX908, 16, 16, 1, e_i8, e_i8, false},
    {"v_mfma_f32_32x32x2bf16", GFX908, 32, 2, 2, e_bf16, e_bf16, false},
    {"v_mfma_f32_16x16x2bf16", GFX908, 16, 2, 4, e_bf16, e_bf16, false},
    {"v_mfma_f32_4x4x2bf16", GFX908, 4, 2, 16, e_bf16, e_bf16, false},
    {"v_mfma_f32_32x32x4bf16", GFX908, 32, 4, 1, e_bf16, e_bf16, false},
    {"v_mfma_f32_16x16x8bf16", GFX908, 16, 8, 1, e_bf16, e_bf16, false},
};
/* clang-format on */

/* ---- formats ---- */

static int bits_of(element_t e)
{
    switch (e) {
    case e_f64: return 64;
    case e_f32:
    case e_xf32: return 32;
    case e_f16:
    case e_bf16: return 16;
    case e_fp6:
    case e_bf6: return 6;
    case e_fp4: return 4;
    default: return 8;
    }
}

static double of_fields(uint32_t x, int exponent_bits, int mantissa_bits, int bias)
{
    const int field = (int)(x >> mantissa_bits & ((1u << exponent_bits) - 1));
    const double fraction = ldexp(x & ((1u << mantissa_bits) - 1), -mantissa_bits);
    const double magnitude = field ? ldexp(1 + fraction, field - bias) : ldexp(fraction, 1 - bias);
    return x >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}

static double value(element_t e, uint32_t x, bool fnuz)
{
    switch (e) {
    case e_f32: return (double)as_f32(x);
    case e_xf32: return as_f32(x) != as_f32(x) ? NAN : (double)as_f32(x & 0xffffe000);
    case e_f16: return (double)as_f16(x);
    case e_bf16: return (double)as_f32((uint64_t)x << 16);
    case e_i8: return (int8_t)x;
    case e_fp8:
        if (fnuz) return x == 0x80 ? NAN : of_fields(x, 4, 3, 8);
        return (x & 0x7f) == 0x7f ? NAN : of_fields(x, 4, 3, 7);
    case e_bf8:
        if (fnuz) return x == 0x80 ? NAN : of_fields(x, 5, 2, 16);
        if ((x & 0x7f) > 0x7c) return NAN;
        return (x & 0x7f) == 0x7c ? (x & 0x80 ? -INFINITY : INFINITY) : of_fields(x, 5, 2, 15);
    case e_fp6: return of_fields(x, 2, 3, 1);
    case e_bf6: return of_fields(x, 3, 2, 3);
    case e_fp4: return of_fields(x, 2, 1, 1);
    default: fail(); return 0;
    }
}

/* ---- placement ---- */

/* Consecutive depths that a lane holds. If A (of which half is stored where it is sparse) and B
 * take eight registers in elements of 8 bits or more, it has two such parts, of each half of the
 * depths. */
typedef struct {
    int lane, item;
} place_t;

static place_t place(int i, int k, int b, int m, int depth, int blocks, int parts)
{
    const int part = k / (depth / parts), rest = k % (depth / parts);
    const int in_lane = depth / parts / (64 / (m * blocks) > 0 ? 64 / (m * blocks) : 1);
    return (place_t){i + m * (b + blocks * (rest / in_lane)), part * in_lane + rest % in_lane};
}

static int registers(element_t e, int m, int depth, int blocks)
{
    return m * depth * blocks * bits_of(e) / 64 / 32;
}

static uint32_t item(const uint32_t (*rows)[64], place_t p, int bits)
{
    const int at = p.item * bits;
    uint64_t x = rows[at / 32][p.lane];
    if (at % 32 + bits > 32) x |= (uint64_t)rows[at / 32 + 1][p.lane] << 32;
    return (uint32_t)(x >> at % 32 & ((UINT64_C(1) << bits) - 1));
}

/* Lane and register of D, by the constants of 7.1.4.2. */
static place_t d_place(int i, int j, int b, int m)
{
    const int h = 4, b_i = (64 + m * m / h - 1) / (m * m / h), m_i = 64 / b_i / m,
              g = m / (h * m_i);
    return (place_t){j + m * (i / h % m_i + m_i * (b % b_i)),
                     i % h + h * (i / (h * m_i) + g * (b / b_i))};
}

/* ---- one instruction ---- */

enum { A = 8, B = 16, INDEX = 24, C = 32, D = 64, ACC = 256 };

typedef struct {
    const matrix_t *x;
    const isa_arch_t *arch;
    element_t a, b;
    int a_parts, b_parts, stored;
    isa_inst_t inst;
    bool scaled;
    uint8_t scales[2][64];
} run_t;

static uint32_t before[32][64]; /* C */

static isa_inst_t instruction(const matrix_t *x)
{
    isa_inst_t i = {.op = 0};
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        if (!strcmp(isa_table[op].mnemonic, x->name)) i.op = (uint16_t)op;
    if (!i.op) fail_msg("%s is in no table", x->name);
    return i;
}

static isa_operand_t vgprs(int first, int dwords)
{
    return (isa_operand_t){
        .kind = ISA_OPK_VGPR, .reg = (uint16_t)first, .bits = (uint16_t)(32 * dwords)};
}

static run_t prepare(const matrix_t *x, const isa_arch_t *arch, element_t a, element_t b)
{
    run_t r = {.x = x, .arch = arch, .a = a, .b = b};
    r.stored = x->sparse ? x->k / 2 : x->k;
    const int a_regs = registers(a, x->m, r.stored, x->blocks),
              b_regs = registers(b, x->m, x->k, x->blocks);
    r.b_parts = b_regs == 8 ? 2 : 1;
    r.a_parts = x->sparse ? r.b_parts : a_regs == 8 ? 2 : 1;
    r.inst = instruction(x);
    r.inst.dst = vgprs(D, x->m * x->m * x->blocks / 64);
    r.inst.src[0] = vgprs(A, a_regs);
    r.inst.src[1] = vgprs(B, b_regs);
    r.inst.src[2] = x->sparse ? vgprs(INDEX, 1) : vgprs(C, x->m * x->m * x->blocks / 64);
    if (x->a == e_f8f6f4) {
        r.inst.cbsz = (uint8_t)(a - e_fp8);
        r.inst.blgp = (uint8_t)(b - e_fp8);
    }
    rig.dispatch.arch = arch;
    return r;
}

/* Any bits, or numbers that sums do not lose. */
static void fill(const run_t *r, bool any)
{
    for (int n = A; n < INDEX; n++)
        for (int l = 0; l < 64; l++) {
            const element_t e = n < B ? r->a : r->b;
            uint32_t x = (uint32_t)rig_random();
            if (!any && e == e_f16) x = (x & 0x83ff83ff) | 0x38003800;
            if (!any && e == e_bf16) x = (x & 0x80ff80ff) | 0x3f003f00;
            if (!any && (e == e_f32 || e == e_xf32)) x = (x & 0x80ffffff) | 0x3f000000;
            if (!any && (e == e_fp8 || e == e_bf8)) x &= 0xb7b7b7b7;
            rig.rows[n][l] = x;
        }
    for (int n = 0; n < 32; n++)
        for (int l = 0; l < 64; l++) {
            const uint32_t x = (uint32_t)rig_random();
            before[n][l] = r->a == e_i8        ? x
                           : any && x % 8 == 0 ? (uint32_t)interesting(f32)
                                               : (x & 0x83ffffff) | 0x40000000;
            rig.rows[C + n][l] = rig.rows[D + n][l] = before[n][l];
        }
    for (int l = 0; l < 64; l++) {
        uint32_t index = 0; /* pairs whose first is less than the second */
        for (int pair = 0; pair < 8; pair++) {
            static const uint8_t pairs[] = {4, 8, 12, 9, 13, 14};
            index |= (uint32_t)pairs[rig_random() % 6] << 4 * pair;
        }
        rig.rows[INDEX][l] = index;
    }
}

static const char *const cores[] = {"base", "avx2", "avx512"};

/* ---- the reference ---- */

/* Whether MODE keeps denormals of A and B, or of the result. */
static bool keeps(element_t e, bool input)
{
    if (e != e_f32 && e != e_xf32) return true;
    return rig.wave.mode >> (input ? 4 : 5) & 1;
}

static double flushed(double x)
{
    return fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

static double a_at(const run_t *r, int i, int k, int b)
{
    const matrix_t *x = r->x;
    const place_t p = place(i, k, b, x->m, r->stored, x->blocks, r->a_parts);
    const double v =
        value(r->a, item(rig.rows + A, p, bits_of(r->a)), r->arch == &isa_archs[ISA_ARCH_gfx942]);
    return keeps(r->a, true) ? v : flushed(v);
}

static double b_at(const run_t *r, int j, int k, int b)
{
    const matrix_t *x = r->x;
    place_t p = place(j, k, b, x->m, x->k, x->blocks, r->b_parts);
    if (x->a != e_f8f6f4 && r->inst.blgp)
        p.lane = r->inst.blgp == 3  ? (p.lane + 16) % 64
                 : r->inst.blgp < 3 ? p.lane % 32 + (r->inst.blgp == 2 ? 32 : 0)
                                    : p.lane % 16 + 16 * (r->inst.blgp - 4);
    const double v =
        value(r->b, item(rig.rows + B, p, bits_of(r->b)), r->arch == &isa_archs[ISA_ARCH_gfx942]);
    return keeps(r->b, true) ? v : flushed(v);
}

/* The depth of the stored element s of row i. */
static int depth_of(const run_t *r, int i, int s)
{
    const matrix_t *x = r->x;
    const place_t p = place(i, s, 0, x->m, r->stored, 1, r->a_parts);
    const int per_lane = r->inst.src[0].bits / bits_of(r->a), sets = 16 / per_lane;
    const int set = r->inst.cbsz & 3 ? 0 : r->inst.abid % sets;
    return s / 2 * 4 + (int)(rig.rows[INDEX][p.lane] >> (2 * (set * per_lane + p.item)) & 3);
}

static f128_t power(int e)
{
    f128_t x = 1;
    for (; e > 0; e--)
        x *= 2;
    for (; e < 0; e++)
        x /= 2;
    return x;
}

static float scaled(const run_t *r, int i, int j, int k, double a, double b, float sum)
{
    const int sa = r->scales[0][i + r->x->m * (k / 32)], sb = r->scales[1][j + r->x->m * (k / 32)];
    if (sa == 255 || sb == 255 || a != a || b != b) return NAN;
    if (isinf(a) || isinf(b)) return sum + (float)(a * b);
    const f128_t product = (f128_t)a * b * power(sa - 127 + sb - 127);
    return (float)((f128_t)sum + product);
}

/* A block's elements: those of A as they are stored, with their depths. */
static double a_values[32][128], b_values[32][128];
static int depths[32][128];

static void take_block(const run_t *r, int from, int b)
{
    for (int i = 0; i < r->x->m; i++) {
        for (int s = 0; s < r->stored; s++) {
            a_values[i][s] = a_at(r, i, s, from);
            depths[i][s] = r->x->sparse ? depth_of(r, i, s) : s;
        }
        for (int k = 0; k < r->x->k; k++)
            b_values[i][k] = b_at(r, i, k, b);
    }
}

static uint32_t float_at(const run_t *r, int i, int j, uint32_t c)
{
    const bool old = r->x->gpus & GFX908;
    double sum = (double)as_f32(c);
    if (old && !keeps(r->a, true)) sum = flushed(sum);
    bool infinite = isinf(sum);
    for (int s = 0; s < r->stored; s++) {
        const int k = depths[i][s];
        const double x = a_values[i][s], y = b_values[j][k];
        infinite = infinite || isinf(x) || isinf(y);
        sum = r->scaled ? (double)scaled(r, i, j, k, x, y, (float)sum)
                        : (double)fmaf((float)x, (float)y, (float)sum);
    }
    if (sum != sum) return 0x7fc00000;
    if (rig.wave.mode & ISA_MODE_FP16_OVFL && !old && isinf(sum) && !infinite)
        return sum > 0 ? 0x7f7fffff : 0xff7fffff;
    if (old && !keeps(r->a, false)) sum = flushed(sum);
    return (uint32_t)of_f32((float)sum);
}

static uint32_t int_at(const run_t *r, int i, int j, uint32_t c)
{
    int64_t sum = (int32_t)c;
    for (int s = 0; s < r->stored; s++)
        sum += (int64_t)a_values[i][s] * (int64_t)b_values[j][depths[i][s]];
    if (rig.wave.mode & ISA_MODE_FP16_OVFL && !(r->x->gpus & GFX908))
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static void check(const isa_core_t *core, const run_t *r)
{
    const matrix_t *x = r->x;
    const int group = 1 << r->inst.cbsz;
    for (int b = 0; b < x->blocks; b++) {
        take_block(r, x->blocks > 1 && r->inst.cbsz ? b / group * group + r->inst.abid : b, b);
        for (int i = 0; i < x->m; i++)
            for (int j = 0; j < x->m; j++) {
                const place_t p = d_place(i, j, b, x->m);
                const uint32_t c = before[p.item][p.lane], have = rig.rows[D + p.item][p.lane];
                const uint32_t want = r->a == e_i8 ? int_at(r, i, j, c) : float_at(r, i, j, c);
                if (have != want)
                    fail_msg("%s of %s (%s; %d, %d, cbsz %d abid %d blgp %d mode 0x%x): block %d "
                             "(%d,%d) is 0x%08x, not 0x%08x",
                             x->name, r->arch->name, core->name, r->a, r->b, r->inst.cbsz,
                             r->inst.abid, r->inst.blgp, rig.wave.mode, b, i, j, have, want);
            }
    }
}

/* ---- all of them ---- */

/* ---- scales ---- */

enum { SCALES = 26, PC = 0x1000 };

/* `far`: scales of the whole range, NaNs among them; else such that sums are not all lost. */
static void fill_scales(run_t *r, bool far, const isa_inst_t *load)
{
    for (int n = 0; n < 2; n++) {
        const isa_operand_t *o = &load->src[n];
        for (int l = 0; l < 64; l++) {
            const int near = 127 - 8 + (int)(rig_random() % 17);
            const int x = far && rig_random() % 8 == 0 ? (int)(rig_random() % 256) : near;
            rig.rows[SCALES + n][l] = (uint32_t)rig_random();
            ((uint8_t *)&rig.rows[SCALES + n][l])[o->sel] = (uint8_t)x;
            r->scales[n][l] = o->kind == ISA_OPK_CONST ? 128 : (uint8_t)x;
        }
    }
}

static void run_scaled(run_t *r, bool far, bool any)
{
    for (unsigned n = 0; n < 3; n++) {
        const isa_core_t *core = isa_core_by_name(cores[n]);
        isa_inst_t load = {.pc = PC - 8, .dwords = 2};
        for (unsigned op = 1; op < ISA_OP_COUNT; op++)
            if (!strcmp(isa_table[op].mnemonic, "v_mfma_ld_scale_b32")) load.op = (uint16_t)op;
        for (int s = 0; s < 2; s++) {
            load.src[s] = vgprs(SCALES + s, 1);
            load.src[s].sel = (uint8_t)(rig_random() % 4);
        }
        if (!far && any) load.src[1] = (isa_operand_t){.kind = ISA_OPK_CONST, .k = 0x40000000};
        if (!core) continue;
        fill(r, any);
        fill_scales(r, far, &load);
        r->inst.pc = PC;
        r->scaled = true;
        core->handlers[load.op](&rig.wave, &load);
        core->handlers[r->inst.op](&rig.wave, &r->inst);
        if (rig.wave.stop) fail_msg("%s: %s", r->x->name, rig.wave.message);
        check(core, r);
        /* The scales are for one instruction. */
        r->scaled = false;
        fill(r, any);
        core->handlers[r->inst.op](&rig.wave, &r->inst);
        check(core, r);
    }
}

static void scales(void **state)
{
    static const uint8_t formats[][2] = {
        {e_fp8, e_fp8}, {e_bf8, e_fp4}, {e_fp6, e_bf6}, {e_fp4, e_fp4}, {e_bf6, e_bf8}};
    (void)state;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        for (size_t n = 0; matrices[i].a == e_f8f6f4 && n < sizeof formats / sizeof *formats; n++) {
            run_t r =
                prepare(&matrices[i], &isa_archs[ISA_ARCH_gfx950], formats[n][0], formats[n][1]);
            for (unsigned how = 0; how < 4; how++)
                run_scaled(&r, how & 1, how & 2);
            rig.wave.mode |= ISA_MODE_FP16_OVFL;
            run_scaled(&r, true, true);
            rig.wave.mode = PLAIN_MODE;
        }
}

/* ---- doubles ---- */

static double double_at(const uint32_t (*rows)[64], int lane)
{
    return as_f64(rows[0][lane] | (uint64_t)rows[1][lane] << 32);
}

/* m is 16 with a depth of 4, or 4 with a depth of 4 and 4 blocks. */
static void check_doubles(const isa_core_t *core, const char *name, int m, unsigned neg)
{
    for (int b = 0; b < (m == 4 ? 4 : 1); b++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                const int lane = m == 16 ? j + 16 * (i % 4) : 16 * i + 4 * b + j;
                const int reg = m == 16 ? i / 4 * 2 : 0;
                double want = double_at(before + reg, lane) * (neg & 4 ? -1 : 1);
                for (int k = 0; k < 4; k++)
                    want =
                        fma((neg & 1 ? -1 : 1) * double_at(rig.rows + A, 16 * k + 4 * b + i),
                            (neg & 2 ? -1 : 1) * double_at(rig.rows + B, 16 * k + 4 * b + j), want);
                const double have = double_at(rig.rows + D + reg, lane);
                if (have != want)
                    fail_msg("%s (%s, neg %u): block %d (%d,%d) is %a, not %a", name, core->name,
                             neg, b, i, j, have, want);
            }
}

static void fill_doubles(void)
{
    for (int n = A; n < C + 8; n += 2)
        for (int l = 0; l < 64; l++) {
            const uint64_t x = of_f64((double)(int)(rig_random() % 2001) / 7 - 143);
            rig.rows[n][l] = (uint32_t)x;
            rig.rows[n + 1][l] = (uint32_t)(x >> 32);
        }
    memcpy(before, rig.rows[C], 8 * sizeof *before);
}

static void run(run_t *r, bool any)
{
    for (unsigned n = 0; n < 3; n++) {
        const isa_core_t *core = isa_core_by_name(cores[n]);
        if (!core) continue;
        fill(r, any);
        core->handlers[r->inst.op](&rig.wave, &r->inst);
        if (rig.wave.stop) fail_msg("%s: %s", r->x->name, rig.wave.message);
        check(core, r);
    }
}

static void run_gpu(const matrix_t *x, const isa_arch_t *arch, element_t a, element_t b)
{
    run_t r = prepare(x, arch, a, b);
    rig.wave.mode = PLAIN_MODE;
    run(&r, false);
    run(&r, true);
    rig.wave.mode = PLAIN_MODE | ISA_MODE_FP16_OVFL;
    run(&r, true);
    rig.wave.mode = PLAIN_MODE & ~0xf0u; /* denormals become 0 */
    run(&r, true);
    rig.wave.mode = PLAIN_MODE;
    if (x->a == e_f8f6f4) return;
    for (int cbsz = 0; cbsz < 3; cbsz++)
        for (int abid = 0; abid < 4; abid++) {
            if (!x->sparse && (x->blocks == 1 || 1 << cbsz > x->blocks || abid >= 1 << cbsz))
                continue;
            r.inst.cbsz = (uint8_t)cbsz;
            r.inst.abid = (uint8_t)abid;
            run(&r, false);
        }
    r.inst.cbsz = r.inst.abid = 0;
    for (int blgp = 1; !x->sparse && blgp < 8; blgp++) {
        r.inst.blgp = (uint8_t)blgp;
        run(&r, false);
    }
}

static void run_matrix(const matrix_t *x, const isa_arch_t *arch)
{
    if (x->a != e_f8f6f4) {
        run_gpu(x, arch, x->a, x->b);
        return;
    }
    for (int a = e_fp8; a <= e_fp4; a++)
        for (int b = e_fp8; b <= e_fp4; b++)
            run_gpu(x, arch, (element_t)a, (element_t)b);
}

static void matrix_instructions(unsigned gpu, const isa_arch_t *arch)
{
    int n = 0;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        if (matrices[i].gpus & gpu) {
            run_matrix(&matrices[i], arch);
            n++;
        }
    assert_int_equal(n, gpu == GFX908 ? 20 : gpu == GFX942 ? 44 : 64);
}

static void gfx908(void **state)
{
    (void)state;
    matrix_instructions(GFX908, &isa_archs[ISA_ARCH_gfx908]);
}

static void gfx942(void **state)
{
    (void)state;
    matrix_instructions(GFX942, &isa_archs[ISA_ARCH_gfx942]);
}

static void gfx950(void **state)
{
    (void)state;
    matrix_instructions(GFX950, &isa_archs[ISA_ARCH_gfx950]);
}

static void doubles(void **state)
{
    static const matrix_t names[] = {{.name = "v_mfma_f64_16x16x4_f64", .m = 16},
                                     {.name = "v_mfma_f64_4x4x4_4b_f64", .m = 4}};
    (void)state;
    rig.dispatch.arch = &isa_archs[ISA_ARCH_gfx942];
    rig.wave.mode = PLAIN_MODE | 0xf; /* rounding: to nearest even all the same */
    for (unsigned n = 0; n < 2 * 8 * 3; n++) {
        const isa_core_t *core = isa_core_by_name(cores[n % 3]);
        const matrix_t *x = &names[n / 3 % 2];
        isa_inst_t i = instruction(x);
        i.dst = vgprs(D, x->m == 16 ? 8 : 2);
        i.src[0] = vgprs(A, 2);
        i.src[1] = vgprs(B, 2);
        i.src[2] = vgprs(C, x->m == 16 ? 8 : 2);
        for (unsigned s = 0; s < 3; s++)
            if (n / 6 >> s & 1) i.src[s].mods = ISA_MOD_NEG;
        if (!core) continue;
        fill_doubles();
        core->handlers[i.op](&rig.wave, &i);
        if (rig.wave.stop) fail_msg("%s: %s", x->name, rig.wave.message);
        check_doubles(core, x->name, x->m, n / 6);
    }
}

/* Every matrix instruction of a GPU's table has a handler. */
static void all_have_handlers(void **state)
{
    (void)state;
    const isa_core_t *core = isa_core_select();
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        if (isa_table[op].klass == ISA_CLASS_MFMA && !core->handlers[op])
            fail_msg("%s has no handler", isa_table[op].mnemonic);
}

static int start(void **state)
{
    (void)state;
    rig.random = 77;
    rig.group.dispatch = &rig.dispatch;
    rig.wave = (isa_wave_t){.group = &rig.group,
                            .vgpr = rig.rows,
                            .page = &no_code,
                            .mode = PLAIN_MODE,
                            .exec = 5, /* plays no part */
                            .acc_offset = ACC};
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(all_have_handlers, start),
                                       cmocka_unit_test_setup(gfx908, start),
                                       cmocka_unit_test_setup(gfx942, start),
                                       cmocka_unit_test_setup(gfx950, start),
                                       cmocka_unit_test_setup(scales, start),
                                       cmocka_unit_test_setup(doubles, start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
