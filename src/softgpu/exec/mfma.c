/* mfma.c - matrix instructions: D = A * B + C on tiles that a wave's registers hold together.
 *
 * A shape is a line at the end of this file. A and B are first copied to arrays; then tiles of 32
 * and 16 rows are summed up in host vectors, tiles of 4 rows and doubles element by element.
 * ab_lane(), cd_lane(), cd_register() and row_place() say in which lane and register an element
 * lies. Products are added one k after the other, and each step is rounded once. EXEC is ignored,
 * as hardware ignores it. A NaN result is the default NaN. */
#include "softgpu/exec/valu.h"

/* A_F16_FINITE: halves none of which is infinite or a NaN. */
typedef enum { A_F32, A_F16, A_BF16, A_I8, A_F64, A_F16_FINITE } element_t;

typedef struct {
    uint8_t m, k, blocks; /* the tile is m x m, k deep */
    uint8_t type;         /* element_t of A and B */
    uint8_t regs;         /* VGPRs that each of A and B takes */
} shape_t;

enum {
    MAX_AB = 64 * 4, /* elements of A or B: a lane holds no more than four */
    MAX_CD = 2048    /* elements of C or D: 2 blocks of 32 x 32 */
};

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

/* Distance in dwords from row 0 to row i of a tile of 32-bit elements. Four rows lie in four
 * registers, the next four in the same registers m lanes further on; when the lanes are used up,
 * the next four registers follow. */
ISA_VECTOR size_t row_place(const size_t m, size_t i)
{
    const size_t four = i / 4, side_by_side = ISA_LANES / m;
    return (four / side_by_side * 4 + i % 4) * ISA_LANES + four % side_by_side * m;
}

/* The lane whose part of B lane l gets, by the instruction's field BLGP. */
static unsigned blgp_lane(unsigned blgp, unsigned l)
{
    switch (blgp) {
    case 0: return l;
    case 1: return l & 31;
    case 2: return 32 + (l & 31);
    case 3: return (l + 16) & (ISA_LANES - 1);
    default: return 16 * (blgp - 4) + (l & 15);
    }
}

static const uint32_t *rows_of(const isa_wave_t *w, const isa_operand_t *o)
{
    return *isa_row_of(w, o);
}

/* ---- elements to 32 bits (f32 or i32) ---- */

ISA_VECTOR isa_vec_t flushed_vec(isa_vec_t x)
{
    return isa_vec_pick((x & FPU_INF32) == 0, x & 0x80000000, x);
}

/* The element at bit `shift` of each dword. For a finite half the bits are moved to the fields of
 * an f32, which is then 2^112 times too small. A denormal half makes a denormal f32, which the
 * multiplication takes for 0 in the host's mode that run32() sets. */
ISA_VECTOR isa_vec_t widened(isa_vec_t x, const unsigned shift, const element_t type, bool flush)
{
    const isa_vec_t part = x >> shift;
    switch (type) {
    case A_F16:
        return isa_vec_from_half(isa_vec_pick((part & 0x7c00) == 0, part & 0x8000, part & 0xffff));
    case A_F16_FINITE: {
        const isa_vec_t bits = (isa_vec_t)((isa_vec_i32_t)(x << (16 - shift)) >> 3) & 0x8fffe000;
        return (isa_vec_t)((isa_vec_f32_t)bits * 0x1p112f);
    }
    case A_BF16: return flushed_vec(part << 16);
    case A_I8: return (isa_vec_t)((isa_vec_i32_t)(part << 24) >> 24);
    default: return flush ? flushed_vec(x) : x;
    }
}

/* Writes all elements of A or B to `out`, ordered by block, depth, row (of B: column). A group of m
 * lanes holds one block or, if there is only one, some consecutive depths of it; either way
 * `group_step` elements. */
ISA_VECTOR void gather_as(uint32_t *out, const uint32_t *rows, const unsigned m, size_t group_step,
                          const element_t type, const unsigned regs, bool flush)
{
    const unsigned in_dword = type == A_F32 ? 1 : type == A_I8 ? 4 : 2, bits = 32 / in_dword;
    ISA_UNROLL for (unsigned at = 0; at < in_dword * regs; at++)
    {
        const uint32_t *in = rows + at / in_dword * ISA_LANES;
        uint32_t *to = out + at * m;
        ISA_UNROLL for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        {
            const isa_vec_t x = widened(isa_vec_load(in + l), at % in_dword * bits, type, flush);
            if (m >= ISA_VEC)
                isa_vec_store(to + l / m * group_step + l % m, x);
            else
                for (unsigned k = 0; k < ISA_VEC; k++)
                    to[(l + k) / m * group_step + (l + k) % m] = x[k];
        }
    }
}

/* A half that is infinite or a NaN has an exponent of all ones: adding 1 to it carries into the
 * sign's bit. */
static bool all_finite(const uint32_t *rows)
{
    isa_vec_t above = isa_vec_all(0);
    for (unsigned l = 0; l < 2 * ISA_LANES; l += ISA_VEC)
        above |= (isa_vec_load(rows + l) & 0x7c007c00) + 0x04000400;
    return !isa_vec_any(above & 0x80008000);
}

ISA_VECTOR void gather_rows(uint32_t *out, const uint32_t *rows, const shape_t *s, const unsigned m,
                            bool flush)
{
    const unsigned per_lane = s->regs * (s->type == A_F32 ? 1 : s->type == A_I8 ? 4 : 2);
    const size_t step = m * (s->blocks > 1 ? s->k : per_lane);
    switch (s->type) {
    case A_F16:
        if (all_finite(rows))
            gather_as(out, rows, m, step, A_F16_FINITE, 2, true);
        else
            gather_as(out, rows, m, step, A_F16, 2, true);
        break;
    case A_BF16:
        if (s->regs == 2)
            gather_as(out, rows, m, step, A_BF16, 2, true);
        else
            gather_as(out, rows, m, step, A_BF16, 1, true);
        break;
    case A_I8: gather_as(out, rows, m, step, A_I8, 1, false); break;
    default: gather_as(out, rows, m, step, A_F32, 1, flush); break;
    }
}

static void gather(uint32_t *out, const uint32_t *rows, const shape_t *s, bool flush)
{
    switch (s->m) {
    case 32: gather_rows(out, rows, s, 32, flush); break;
    case 16: gather_rows(out, rows, s, 16, flush); break;
    default: gather_rows(out, rows, s, 4, flush); break;
    }
}

/* ---- tiles of 32 and 16 rows: from registers to registers ---- */

/* What the tiles of one instruction share. `flush_in`: denormals of A, B and C become 0; `quiet`:
 * NaNs of D become the default NaN; `flush_out`: denormals of D become 0. */
typedef struct {
    size_t depth;
    bool flush_in, quiet, flush_out;
} work_t;

/* Rows of D that are summed up together, each for as many columns as two host vectors hold: all
 * these sums stay in host registers for the whole depth. */
enum { ROWS = ISA_VEC_BYTES == 64 ? 8 : 4 };

ISA_VECTOR isa_vec_t quiet_vec(isa_vec_t x)
{
    return isa_vec_pick((x & 0x7fffffff) > FPU_INF32, isa_vec_all(FPU_NAN32), x);
}

/* Not 0 if an element is a denormal. */
ISA_VECTOR uint32_t denormals_in(isa_vec_t x)
{
#if ISA_VEC_BYTES == 64
    return _mm512_fpclass_ps_mask((__m512)x, 0x20);
#else
    return isa_vec_signs((isa_vec_t)(x + x - 1 < 0xffffff)); /* doubling shifts the sign out */
#endif
}

ISA_VECTOR isa_vec_t step_i8(isa_vec_t x, isa_vec_t y, isa_vec_t z)
{
    return x * y + z;
}

typedef isa_vec_t step_t(isa_vec_t x, isa_vec_t y, isa_vec_t z);

#define FOR_ROWS_AND_COLUMNS                                                                       \
    ISA_UNROLL for (unsigned r = 0; r < ROWS; r++) ISA_UNROLL for (unsigned v = 0; v < columns; v++)

/* Computes a part of a tile of m rows: ROWS rows, and columns of `columns` host vectors. `c` and
 * `d` point at the part's first element, `a` at its first row's element of depth 0, `b` at its
 * first column's. Denormals and NaNs are rare: all sums are tested for them together, and replaced
 * one by one only if there are any. */
ISA_VECTOR void tile_rows(const work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,
                          const uint32_t *b, const size_t m, const unsigned columns, step_t *step)
{
    isa_vec_t acc[ROWS][2];
    uint32_t unusual = 0;
    FOR_ROWS_AND_COLUMNS acc[r][v] = isa_vec_load(c + row_place(m, r) + v * ISA_VEC);
    if (p->flush_in) {
        FOR_ROWS_AND_COLUMNS unusual |= denormals_in(acc[r][v]);
        if (__builtin_expect(unusual, 0)) FOR_ROWS_AND_COLUMNS acc[r][v] = flushed_vec(acc[r][v]);
    }
    for (size_t k = 0; k < p->depth; k++, a += m, b += m) {
        isa_vec_t y[2];
        ISA_UNROLL for (unsigned v = 0; v < columns; v++) y[v] = isa_vec_load(b + v * ISA_VEC);
        ISA_UNROLL for (unsigned r = 0; r < ROWS; r++)
        {
            const isa_vec_t x = isa_vec_all(a[r]);
            ISA_UNROLL for (unsigned v = 0; v < columns; v++) acc[r][v] = step(x, y[v], acc[r][v]);
        }
    }
    if (p->quiet) {
        unusual = 0;
        ISA_UNROLL for (unsigned r = 0; r < ROWS; r += 2)
            ISA_UNROLL for (unsigned v = 0; v < columns; v++) unusual |=
            isa_vec_unordered(acc[r][v], acc[r + 1][v]);
        if (__builtin_expect(unusual, 0)) FOR_ROWS_AND_COLUMNS acc[r][v] = quiet_vec(acc[r][v]);
    }
    if (p->flush_out) {
        unusual = 0;
        FOR_ROWS_AND_COLUMNS unusual |= denormals_in(acc[r][v]);
        if (__builtin_expect(unusual, 0)) FOR_ROWS_AND_COLUMNS acc[r][v] = flushed_vec(acc[r][v]);
    }
    FOR_ROWS_AND_COLUMNS isa_vec_store(d + row_place(m, r) + v * ISA_VEC, acc[r][v]);
}

/* Computes a tile of m rows. `c` and `d` point at row 0 of C and D. */
ISA_VECTOR void tile_of(const work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,
                        const uint32_t *b, const size_t m, step_t *step)
{
    const unsigned columns = m >= 2 * ISA_VEC ? 2 : 1;
    for (size_t first = 0; first < m; first += ROWS)
        for (size_t at = 0; at < m; at += columns * ISA_VEC) {
            const size_t place = row_place(m, first) + at;
            tile_rows(p, d + place, c + place, a + first, b + at, m, columns, step);
        }
}

typedef void tile_t(const work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,
                    const uint32_t *b);

#define TILE(name, step)                                                                           \
    static void name##_16(const work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,      \
                          const uint32_t *b)                                                       \
    {                                                                                              \
        tile_of(p, d, c, a, b, 16, step);                                                          \
    }                                                                                              \
    static void name##_32(const work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,      \
                          const uint32_t *b)                                                       \
    {                                                                                              \
        tile_of(p, d, c, a, b, 32, step);                                                          \
    }

TILE(tile_f32, isa_vec_fma)
TILE(tile_f16, isa_vec_fma_exact) /* the product of two halves is exact */
TILE(tile_i8, step_i8)

/* ORDER: element_t; bf16 is multiplied as f32 is */
static tile_t *const tiles[4][2] = {{tile_f32_16, tile_f32_32},
                                    {tile_f16_16, tile_f16_32},
                                    {tile_f32_16, tile_f32_32},
                                    {tile_i8_16, tile_i8_32}};

/* ---- tiles of 4 rows: too narrow for host vectors, element by element ---- */

static uint32_t small_step(uint32_t x, uint32_t y, uint32_t z, element_t type)
{
    if (type == A_I8) return x * y + z;
    return fpu_bits32(__builtin_fmaf(fpu_f32(x), fpu_f32(y), fpu_f32(z)));
}

static void small_tile(const work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,
                       const uint32_t *b, element_t type)
{
    enum { M = 4 };
    for (size_t i = 0; i < M; i++, d += ISA_LANES, c += ISA_LANES)
        for (size_t j = 0; j < M; j++) {
            uint32_t x = p->flush_in ? fpu_flush32(c[j]) : c[j];
            for (size_t k = 0; k < p->depth; k++)
                x = small_step(a[k * M + i], b[k * M + j], x, type);
            if (p->quiet && fpu_nan32(x)) x = FPU_NAN32;
            d[j] = p->flush_out ? fpu_flush32(x) : x;
        }
}

/* ---- one instruction ---- */

/* C's first register row, or `copy`. If C is a constant, the copy has it in all places. If D
 * overlaps C without being in the same registers, C is copied because rows of D are written before
 * all rows of C are read. */
static const uint32_t *rows_of_c(const isa_wave_t *w, const isa_inst_t *i, const shape_t *s,
                                 uint32_t *copy)
{
    const size_t dwords = (size_t)s->m * s->m * s->blocks;
    const uint32_t *c = rows_of(w, &i->src[2]), *d = rows_of(w, &i->dst);
    if (i->src[2].kind == ISA_OPK_CONST) {
        for (size_t n = 0; n < dwords; n++)
            copy[n] = (uint32_t)i->src[2].k;
        return copy;
    }
    if (c == d || c + dwords <= d || d + dwords <= c) return c;
    memcpy(copy, c, dwords * sizeof *copy);
    return copy;
}

/* For f32, MODE says whether denormals are flushed; for f16 and bf16 they always are. For f16 it is
 * enough to flush the inputs, for which the host has a mode: a sum that begins with a normal number
 * or 0 is a multiple of 2^-73 once a product of flushed halves that is not 0 has been added, so
 * that neither the result nor a sum on the way to it is denormal. */
static void run32(isa_wave_t *w, const isa_inst_t *i, const shape_t *s, const uint32_t *b_rows)
{
    const bool bf16 = s->type == A_BF16, f32 = s->type == A_F32;
    const work_t work = {.depth = s->k,
                         .flush_in = bf16 || (f32 && !(w->mode & 0x10)),
                         .quiet = s->type != A_I8,
                         .flush_out = bf16 || (f32 && !(w->mode & 0x20))};
    alignas(64) uint32_t a[MAX_AB], b[MAX_AB], copy[MAX_CD];
    const uint32_t *c_rows = rows_of_c(w, i, s, copy);
    uint32_t *d_rows = (uint32_t *)rows_of(w, &i->dst);
    const size_t of_block = (size_t)s->k * s->m;
    if (s->type == A_F16) _mm_setcsr(ISA_HOST_FLOAT_MODE | ISA_HOST_DENORMALS_ZERO);
    gather(a, rows_of(w, &i->src[0]), s, work.flush_in);
    gather(b, b_rows, s, work.flush_in);
    for (unsigned block = 0; block < s->blocks; block++) {
        const unsigned from = (block & ~((1u << i->cbsz) - 1)) + i->abid;
        const uint32_t *block_a = a + (i->cbsz ? from : block) * of_block;
        const size_t place = cd_register(s, block, 0) * (size_t)ISA_LANES + cd_lane(s, block, 0);
        if (s->m == 4)
            small_tile(&work, d_rows + place, c_rows + place, block_a, b + block * of_block,
                       s->type);
        else
            tiles[s->type][s->m == 32](&work, d_rows + place, c_rows + place, block_a,
                                       b + block * of_block);
    }
    if (s->type == A_F16) _mm_setcsr(ISA_HOST_FLOAT_MODE);
}

/* ---- doubles ---- */

static double double_at(const uint32_t *rows, unsigned lane)
{
    return fpu_f64(rows[lane] | (uint64_t)rows[ISA_LANES + lane] << 32);
}

/* Elements of A or B in order block, depth, row (or column). */
static void gather64(double *out, const uint32_t *rows, const shape_t *s)
{
    for (unsigned b = 0; b < s->blocks; b++)
        for (unsigned k = 0; k < s->k; k++)
            for (unsigned i = 0; i < s->m; i++)
                *out++ = double_at(rows, ab_lane(s, b, k, 1) + i);
}

/* m stays a variable: with a constant, compilers unroll the inner loop and then fail to find the
 * vectors in it. */
static __attribute__((noinline)) void tile_f64(double *restrict acc, const double *restrict a,
                                               const double *restrict b, size_t m, size_t depth)
{
    for (size_t k = 0; k < depth; k++, a += m, b += m)
        for (size_t i = 0; i < m; i++) {
            double *restrict row = acc + i * m;
            const double x = a[i];
            for (size_t j = 0; j < m; j++)
                row[j] = __builtin_fma(x, b[j], row[j]);
        }
}

static void run64(isa_wave_t *w, const isa_inst_t *i, const shape_t *s, const uint32_t *b_rows)
{
    const isa_operand_t *c = &i->src[2];
    alignas(64) double a[ISA_LANES], b[ISA_LANES], acc[MAX_CD / 8];
    double *out = acc;
    gather64(a, rows_of(w, &i->src[0]), s);
    gather64(b, b_rows, s);
    for (unsigned n = 0; n < s->blocks; n++) {
        for (unsigned r = 0; r < s->m; r++)
            for (unsigned j = 0; j < s->m; j++)
                acc[(n * s->m + r) * s->m + j] =
                    c->kind == ISA_OPK_CONST
                        ? fpu_f64(c->k)
                        : double_at(rows_of(w, c) + cd_register(s, n, r) * ISA_LANES,
                                    cd_lane(s, n, r) + j);
        tile_f64(acc + n * s->m * s->m, a + n * s->m * s->k, b + n * s->m * s->k, s->m, s->k);
    }
    for (unsigned n = 0; n < s->blocks; n++)
        for (unsigned r = 0; r < s->m; r++)
            for (unsigned j = 0; j < s->m; j++) {
                const uint64_t bits = fpu_bits64(*out++);
                const uint64_t x = fpu_nan64(bits) ? FPU_NAN64 : bits;
                uint32_t *row = (uint32_t *)rows_of(w, &i->dst) + cd_register(s, n, r) * ISA_LANES +
                                cd_lane(s, n, r) + j;
                row[0] = (uint32_t)x;
                row[ISA_LANES] = (uint32_t)(x >> 32);
            }
}

static const char *refusal(const isa_wave_t *w, const isa_inst_t *i, const shape_t *s)
{
    if (w->mode & ISA_MODE_GPR_IDX) return "register indexing";
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
