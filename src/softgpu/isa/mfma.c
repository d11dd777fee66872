/* mfma.c - matrix instructions: D = A * B + C on tiles that a wave's registers hold together.
 *
 * All shapes run through one loop over a table row; where an element lies in lanes and registers is
 * told by the three placement functions. Products are added one k after the other, each step
 * rounded once. EXEC is ignored, as the hardware does. A NaN result is the default NaN. */
#include "softgpu/isa/valu.h"

typedef enum { A_F32, A_F16, A_BF16, A_I8, A_F64 } element_t;

typedef struct {
    uint8_t m, k, blocks; /* the tile is m x m, k deep */
    uint8_t type;         /* element_t of A and B */
    uint8_t regs;         /* of A and of B, dwords */
} shape_t;

enum {
    MAX_AB = 64 * 8,
    MAX_CD = 2048
}; /* elements: 64 lanes of eight nibbles' worth, 2 x 32 x 32 */

/* Lane that holds the first of the m elements with depth k of block b; the others follow it. */
static unsigned ab_lane(const shape_t *s, unsigned b, unsigned k, unsigned per_lane)
{
    if (s->type == A_F64) return s->m == 16 ? 16 * k : 16 * k + 4 * b;
    return s->m * (s->blocks > 1 ? b : k / per_lane);
}

/* Lane and register of row i, column 0 of block b of C and D; the columns follow in lanes. */
static unsigned cd_lane(const shape_t *s, unsigned b, unsigned i)
{
    if (s->type == A_F64) return s->m == 16 ? 16 * (i % 4) : 16 * i + 4 * b;
    return s->m == 32 ? 32 * (i / 4 % 2) : s->m == 16 ? 16 * (i / 4) : 4 * b;
}

static unsigned cd_register(const shape_t *s, unsigned b, unsigned i)
{
    if (s->type == A_F64) return s->m == 16 ? 2 * (i / 4) : 0;
    return s->m == 32 ? 16 * b + 4 * (i / 8) + i % 4 : s->m == 16 ? 4 * b + i % 4 : i;
}

/* BLGP: the lane of B that lane l is given. */
static unsigned blgp_lane(unsigned blgp, unsigned l)
{
    switch (blgp) {
    case 0: return l;
    case 1: return l & 31;
    case 2: return 32 + (l & 31);
    case 3: return (l + 16) & 63;
    default: return 16 * (blgp - 4) + (l & 15);
    }
}

static const uint32_t *rows_of(const isa_wave_t *w, const isa_operand_t *o)
{
    return w->vgpr[o->kind == ISA_OPK_AGPR ? w->acc_offset + o->reg : o->reg];
}

/* ---- elements to 32 bits (f32 or i32) ---- */

/* Element `at` of every lane's registers. */
static void widen(uint32_t *out, const uint32_t *rows, unsigned at, element_t type, bool flush)
{
    const uint32_t *in = rows + (type == A_I8 ? at / 4 : type == A_F32 ? 0 : at / 2) * ISA_LANES;
    const unsigned shift = type == A_I8 ? 8 * (at % 4) : 16 * (at % 2);
    switch (type) {
    case A_F16:
        VALU_LANES out[l] = fpu_flush16(in[l] >> shift & 0xffff);
        fpu_widen_row(out, out);
        break;
    case A_BF16: VALU_LANES out[l] = fpu_flush32(in[l] >> shift << 16); break;
    case A_I8: VALU_LANES out[l] = (uint32_t)(int8_t)(in[l] >> shift); break;
    default: VALU_LANES out[l] = flush ? fpu_flush32(in[l]) : in[l]; break;
    }
}

/* All of A or B in order block, depth, row (or column). A group of m lanes holds one block, or
 * per_lane consecutive depths of the only one. */
static void gather(uint32_t *out, const uint32_t *rows, const shape_t *s, unsigned per_lane,
                   bool flush)
{
    alignas(64) uint32_t lanes[ISA_LANES];
    for (unsigned at = 0; at < per_lane; at++) {
        widen(lanes, rows, at, s->type, flush);
        for (unsigned group = 0; group < ISA_LANES / s->m; group++) {
            const unsigned place = s->blocks > 1 ? group * s->k + at : group * per_lane + at;
            memcpy(out + place * s->m, lanes + group * s->m, s->m * sizeof(*out));
        }
    }
}

/* One tile of m x m: sums over k of A[i][k] * B[k][j]. The depth is the outer loop, so that rows do
 * not wait for themselves. m stays a variable: with a constant, compilers unroll the inner loop and
 * then fail to find the vectors in it. */
typedef void tile_t(uint32_t *restrict acc, const uint32_t *restrict a, const uint32_t *restrict b,
                    size_t m, size_t depth);

#define TILE(name, expr)                                                                           \
    static __attribute__((noinline)) void name(uint32_t *restrict acc, const uint32_t *restrict a, \
                                               const uint32_t *restrict b, size_t m, size_t depth) \
    {                                                                                              \
        for (size_t k = 0; k < depth; k++, a += m, b += m)                                         \
            for (size_t i = 0; i < m; i++) {                                                       \
                uint32_t *restrict row = acc + i * m;                                              \
                const uint32_t x = a[i];                                                           \
                for (size_t j = 0; j < m; j++) {                                                   \
                    const uint32_t y = b[j], z = row[j];                                           \
                    row[j] = expr;                                                                 \
                }                                                                                  \
            }                                                                                      \
    }

TILE(tile_f32, fpu_bits32(__builtin_fmaf(fpu_f32(x), fpu_f32(y), fpu_f32(z))))
/* The product of two halves is exact: no fma needed. */
TILE(tile_f16, fpu_bits32(fpu_f32(x) * fpu_f32(y) + fpu_f32(z)))
TILE(tile_i8, x *y + z)

/* ORDER: element_t; bf16 needs fma as f32 does */
static tile_t *const tiles[4] = {tile_f32, tile_f16, tile_f32, tile_i8};

/* Selects only, so that the loops are vectorised. */
static void flush_all(uint32_t *restrict acc, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const uint32_t x = acc[k], zero = x & 0x80000000;
        acc[k] = (x & FPU_INF32) == 0 ? zero : x;
    }
}

static void quiet_all(uint32_t *restrict acc, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const uint32_t x = acc[k];
        acc[k] = (x & 0x7fffffff) > FPU_INF32 ? FPU_NAN32 : x;
    }
}

static void load_c(uint32_t *acc, const isa_wave_t *w, const isa_operand_t *o, const shape_t *s,
                   bool flush)
{
    const size_t m = s->m, n = m * m * s->blocks;
    if (o->kind == ISA_OPK_CONST)
        for (size_t k = 0; k < n; k++)
            acc[k] = (uint32_t)o->k;
    else
        for (unsigned b = 0, row = 0; b < s->blocks; b++)
            for (unsigned i = 0; i < m; i++, row++)
                memcpy(acc + row * m,
                       rows_of(w, o) + cd_register(s, b, i) * ISA_LANES + cd_lane(s, b, i),
                       m * sizeof(*acc));
    if (flush) flush_all(acc, n);
}

static void store_d(const isa_wave_t *w, const isa_operand_t *o, const uint32_t *acc,
                    const shape_t *s)
{
    for (unsigned b = 0; b < s->blocks; b++)
        for (unsigned i = 0; i < s->m; i++, acc += s->m) {
            uint32_t *row = (uint32_t *)rows_of(w, o) + cd_register(s, b, i) * ISA_LANES;
            memcpy(row + cd_lane(s, b, i), acc, s->m * sizeof(*acc));
        }
}

static void run32(isa_wave_t *w, const isa_inst_t *i, const shape_t *s, const uint32_t *b_rows)
{
    const unsigned per_lane = s->type == A_F32 ? 1 : (s->type == A_I8 ? 4u : 2u) * s->regs;
    /* f32 does as MODE says; halves always flush. */
    const bool half = s->type == A_F16 || s->type == A_BF16;
    const bool flush_in = half || (s->type == A_F32 && !(w->mode & 0x10));
    const bool flush_out = half || (s->type == A_F32 && !(w->mode & 0x20));
    alignas(64) uint32_t a[MAX_AB], b[MAX_AB], acc[MAX_CD];
    gather(a, rows_of(w, &i->src[0]), s, per_lane, flush_in);
    gather(b, b_rows, s, per_lane, flush_in);
    load_c(acc, w, &i->src[2], s, flush_in);
    for (unsigned block = 0; block < s->blocks; block++) {
        const unsigned from = (block & ~((1u << i->cbsz) - 1)) + i->abid;
        const unsigned from_a = i->cbsz ? from : block;
        tiles[s->type](acc + block * s->m * s->m, a + from_a * s->k * s->m, b + block * s->k * s->m,
                       s->m, s->k);
    }
    if (s->type != A_I8) quiet_all(acc, (size_t)s->m * s->m * s->blocks);
    if (flush_out) flush_all(acc, (size_t)s->m * s->m * s->blocks);
    store_d(w, &i->dst, acc, s);
}

/* ---- doubles ---- */

static double double_at(const uint32_t *rows, unsigned lane)
{
    return fpu_f64(rows[lane] | (uint64_t)rows[ISA_LANES + lane] << 32);
}

static void run64(isa_wave_t *w, const isa_inst_t *i, const shape_t *s, const uint32_t *b_rows)
{
    const uint32_t *a_rows = rows_of(w, &i->src[0]);
    const isa_operand_t *c = &i->src[2];
    double acc[MAX_CD / 8];
    double *out = acc;
    for (unsigned b = 0; b < s->blocks; b++)
        for (unsigned r = 0; r < s->m; r++)
            for (unsigned j = 0; j < s->m; j++) {
                double sum = fpu_f64(c->k);
                if (c->kind != ISA_OPK_CONST)
                    sum = double_at(rows_of(w, c) + cd_register(s, b, r) * ISA_LANES,
                                    cd_lane(s, b, r) + j);
                for (unsigned k = 0; k < s->k; k++)
                    sum = __builtin_fma(double_at(a_rows, ab_lane(s, b, k, 1) + r),
                                        double_at(b_rows, ab_lane(s, b, k, 1) + j), sum);
                *out++ = sum;
            }
    out = acc;
    for (unsigned b = 0; b < s->blocks; b++)
        for (unsigned r = 0; r < s->m; r++)
            for (unsigned j = 0; j < s->m; j++) {
                const uint64_t bits = fpu_bits64(*out++);
                const uint64_t x = fpu_nan64(bits) ? FPU_NAN64 : bits;
                uint32_t *row = (uint32_t *)rows_of(w, &i->dst) + cd_register(s, b, r) * ISA_LANES +
                                cd_lane(s, b, r) + j;
                row[0] = (uint32_t)x;
                row[ISA_LANES] = (uint32_t)(x >> 32);
            }
}

static const char *refusal(const isa_wave_t *w, const isa_inst_t *i, const shape_t *s)
{
    if (w->mode & VALU_MODE_GPR_IDX) return "register indexing";
    if (s->type != A_I8 && (w->mode & (s->type == A_F64 ? 0xc : 0x3))) return "MODE rounding";
    if (i->cbsz && (1u << i->cbsz > s->blocks || i->abid >= 1u << i->cbsz))
        return "cbsz or abid out of range";
    for (unsigned n = 0; n < 2; n++)
        if (i->src[n].kind != ISA_OPK_VGPR && i->src[n].kind != ISA_OPK_AGPR)
            return "scalar matrix";
    return NULL;
}

static void mfma(isa_wave_t *w, const isa_inst_t *i, const shape_t *s)
{
    const char *why = refusal(w, i, s);
    const uint32_t *b_rows = rows_of(w, &i->src[1]);
    alignas(64) uint32_t permuted[2 * ISA_LANES];
    if (why) {
        isa_stop_unsupported(w, i, why);
        return;
    }
    if (i->blgp) {
        for (unsigned r = 0; r < s->regs; r++)
            for (unsigned l = 0; l < ISA_LANES; l++)
                permuted[r * ISA_LANES + l] = b_rows[r * ISA_LANES + blgp_lane(i->blgp, l)];
        b_rows = permuted;
    }
    if (s->type == A_F64)
        run64(w, i, s, b_rows);
    else
        run32(w, i, s, b_rows);
}

#define MFMA(name, M, K, BLOCKS, TYPE, REGS)                                                       \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        static const shape_t shape = {M, K, BLOCKS, TYPE, REGS};                                   \
        mfma(w, i, &shape);                                                                        \
    }

MFMA(v_mfma_f32_32x32x1f32, 32, 1, 2, A_F32, 1)
MFMA(v_mfma_f32_16x16x1f32, 16, 1, 4, A_F32, 1)
MFMA(v_mfma_f32_4x4x1f32, 4, 1, 16, A_F32, 1)
MFMA(v_mfma_f32_32x32x2f32, 32, 2, 1, A_F32, 1)
MFMA(v_mfma_f32_16x16x4f32, 16, 4, 1, A_F32, 1)
MFMA(v_mfma_f32_32x32x4f16, 32, 4, 2, A_F16, 2)
MFMA(v_mfma_f32_16x16x4f16, 16, 4, 4, A_F16, 2)
MFMA(v_mfma_f32_4x4x4f16, 4, 4, 16, A_F16, 2)
MFMA(v_mfma_f32_32x32x8f16, 32, 8, 1, A_F16, 2)
MFMA(v_mfma_f32_16x16x16f16, 16, 16, 1, A_F16, 2)
MFMA(v_mfma_i32_32x32x4i8, 32, 4, 2, A_I8, 1)
MFMA(v_mfma_i32_16x16x4i8, 16, 4, 4, A_I8, 1)
MFMA(v_mfma_i32_4x4x4i8, 4, 4, 16, A_I8, 1)
MFMA(v_mfma_i32_32x32x8i8, 32, 8, 1, A_I8, 1)
MFMA(v_mfma_i32_16x16x16i8, 16, 16, 1, A_I8, 1)
MFMA(v_mfma_f32_32x32x4bf16_1k, 32, 4, 2, A_BF16, 2)
MFMA(v_mfma_f32_16x16x4bf16_1k, 16, 4, 4, A_BF16, 2)
MFMA(v_mfma_f32_4x4x4bf16_1k, 4, 4, 16, A_BF16, 2)
MFMA(v_mfma_f32_32x32x8bf16_1k, 32, 8, 1, A_BF16, 2)
MFMA(v_mfma_f32_16x16x16bf16_1k, 16, 16, 1, A_BF16, 2)
MFMA(v_mfma_f32_32x32x2bf16, 32, 2, 2, A_BF16, 1)
MFMA(v_mfma_f32_16x16x2bf16, 16, 2, 4, A_BF16, 1)
MFMA(v_mfma_f32_4x4x2bf16, 4, 2, 16, A_BF16, 1)
MFMA(v_mfma_f32_32x32x4bf16, 32, 4, 1, A_BF16, 1)
MFMA(v_mfma_f32_16x16x8bf16, 16, 8, 1, A_BF16, 1)
MFMA(v_mfma_f64_16x16x4f64, 16, 4, 1, A_F64, 2)
MFMA(v_mfma_f64_4x4x4f64, 4, 4, 4, A_F64, 2)
