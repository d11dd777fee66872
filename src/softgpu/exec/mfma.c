/* mfma.c - matrix instructions: D = A * B + C on tiles that are spread over the registers of a
 * wave.
 *
 * An instruction is a line at the end of this file, with the types of A and B; its shape is in
 * isa_table. mfma_elements.c and mfma_tile.c map elements to lanes and registers and do the work,
 * except for doubles, which are in this file. EXEC is ignored, as hardware ignores it. A NaN result
 * is the default NaN. */
#include "softgpu/exec/fpu_arch.h"
#include "softgpu/exec/mfma.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* ---- places of elements ---- */

/* Lane and register of row 0, column 0 of block b of C and D; the columns follow in lanes. */
static size_t cd_place(const isa_shape_t *s, unsigned b)
{
    switch (s->m) {
    case 32: return 16u * b * ISA_LANES;
    case 16: return 4u * b * ISA_LANES;
    default: return 4u * b;
    }
}

/* Doubles: the lane that holds the first of the m elements with depth k of block b of A or B. */
static unsigned ab_lane64(const isa_shape_t *s, unsigned b, unsigned k)
{
    return s->m == 16 ? 16 * k : 16 * k + 4 * b;
}

/* Doubles: lane and register of row i, column 0 of block b of C and D. */
static unsigned cd_lane64(const isa_shape_t *s, unsigned b, unsigned i)
{
    return s->m == 16 ? 16 * (i % 4) : 16 * i + 4 * b;
}

static unsigned cd_register64(const isa_shape_t *s, unsigned i)
{
    return s->m == 16 ? 2 * (i / 4) : 0;
}

/* The lane from which lane l takes its part of B, by the instruction's field BLGP. */
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

static const fpu_arch_t *arch_of(const isa_wave_t *w)
{
    return &fpu_archs[w->group->dispatch->arch->index];
}

static uint32_t *rows_of(const isa_wave_t *w, const isa_operand_t *o)
{
    return *isa_row_of(w, o);
}

/* ---- one instruction ---- */

/* The types of a line at the end of this file, completed by the architecture's kind of 8-bit floats
 * and by formats from an instruction's fields. */
typedef struct {
    uint8_t a, b; /* mfma_type_t */
    bool sparse;
} types_t;

/* A tile's operands while an instruction runs: elements of A and B, a copy of C. A and B have
 * different offsets in a page, since hosts compare only the low bits of the addresses of loads with
 * those of earlier stores. */
typedef struct {
    alignas(64) uint32_t a[MFMA_AB], gap[17 * 16], b[MFMA_AB];
    uint32_t copy[MFMA_CD];
} room_t;

static const isa_shape_t *shape_of(const isa_inst_t *i)
{
    return &isa_table[i->op].math.shape;
}

/* C's first register row, or `copy`. If C is a constant, the copy has it in all places. If D
 * overlaps C but is not the same registers, C is copied, because rows of D are written before all
 * rows of C are read. */
static ALWAYS_INLINE const uint32_t *rows_of_c(const isa_wave_t *w, const isa_inst_t *i,
                                               uint32_t *copy)
{
    const isa_shape_t *s = shape_of(i);
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

/* A lane holds a contiguous part of all depths if that fits into four registers (into two for a
 * sparse A, each of whose elements represents two depths). With twice as many registers there is a
 * second part, in the second half of all depths. Elements of 6 and 4 bits are contiguous. */
static ALWAYS_INLINE mfma_source_t source(const isa_shape_t *s, unsigned type, unsigned regs,
                                          bool is_sparse, bool flush)
{
    const unsigned depth = is_sparse ? s->k / 2 : s->k;
    const unsigned per_lane = depth * s->m * s->blocks / ISA_LANES;
    return (mfma_source_t){.m = s->m,
                           .type = (uint8_t)type,
                           .regs = (uint8_t)regs,
                           .blocks = s->blocks,
                           .depth = (uint16_t)depth,
                           .chunk =
                               (uint16_t)(regs == (is_sparse ? 4 : 8) ? per_lane / 2 : per_lane),
                           .flush = flush};
}

static ALWAYS_INLINE unsigned registers_of(const isa_operand_t *o, unsigned type)
{
    return type == MFMA_FP6 || type == MFMA_BF6 ? 6 : type == MFMA_FP4 ? 4 : o->bits / 32;
}

/* The operands whose denormals are flushed, by architecture and MODE. For f16 it is enough to flush
 * the inputs, for which the host has a mode: a sum that begins with a normal number or 0 is a
 * multiple of 2^-73 once a product of flushed halves that is not 0 has been added, so that neither
 * the result nor an intermediate sum is denormal. */
typedef struct {
    bool ab, c, d, in_host;
} flush_t;

static ALWAYS_INLINE flush_t flushing(const isa_wave_t *w, unsigned type)
{
    if (type == MFMA_F32 || type == MFMA_XF32) {
        const bool in = !(w->mode & 0x10), out = !(w->mode & 0x20);
        const bool sums = (in || out) && !arch_of(w)->keeps_sums;
        return (flush_t){.ab = in, .c = in && sums, .d = out && sums};
    }
    if ((type != MFMA_F16 && type != MFMA_BF16) || !arch_of(w)->flushes_small) return (flush_t){0};
    if (type == MFMA_F16) return (flush_t){.ab = true, .in_host = true};
    return (flush_t){.ab = true, .c = true, .d = true};
}

static ALWAYS_INLINE mfma_work_t work_of(const isa_wave_t *w, const isa_shape_t *s,
                                         const types_t *t, flush_t flush)
{
    const bool exact = t->a != MFMA_F32 && t->a != MFMA_XF32 && t->a != MFMA_BF16;
    return (mfma_work_t){.depth = t->sparse ? s->k / 2 : s->k,
                         .flush_c = flush.c,
                         .quiet = t->a != MFMA_I8,
                         .flush_d = flush.d,
                         .clamp = (w->mode & ISA_MODE_FP16_OVFL) && arch_of(w)->clamps,
                         .type = t->a == MFMA_I8 ? MFMA_I8
                                 : exact         ? MFMA_F16
                                                 : MFMA_F32};
}

/* A and B have the same layout if their elements have the same type and A is not sparse. */
static ALWAYS_INLINE void gather(const isa_wave_t *w, const isa_inst_t *i, const types_t *t,
                                 const uint32_t *b_rows, bool flush, room_t *room)
{
    const isa_shape_t *s = shape_of(i);
    mfma_source_t from = source(s, t->a, registers_of(&i->src[0], t->a), t->sparse, flush);
    mfma_gather(room->a, rows_of(w, &i->src[0]), &from);
    if (t->sparse || t->a != t->b)
        from = source(s, t->b, registers_of(&i->src[1], t->b), false, flush);
    mfma_gather(room->b, b_rows, &from);
}

static ALWAYS_INLINE void run32(isa_wave_t *w, const isa_inst_t *i, const types_t *t,
                                const uint32_t *b_rows)
{
    const isa_shape_t *s = shape_of(i);
    const flush_t flush = flushing(w, t->a);
    const mfma_work_t work = work_of(w, s, t, flush);
    const size_t of_block = (size_t)s->k * s->m;
    room_t room;
    const uint32_t *c_rows = rows_of_c(w, i, room.copy);
    uint32_t *d_rows = rows_of(w, &i->dst);
    if (flush.in_host) _mm_setcsr(ISA_HOST_FLOAT_MODE | ISA_HOST_DENORMALS_ZERO);
    gather(w, i, t, b_rows, flush.ab, &room);
    for (unsigned block = 0; block < s->blocks; block++) {
        const unsigned from = (block & ~((1u << i->cbsz) - 1)) + i->abid;
        const uint32_t *block_a = room.a + (i->cbsz ? from : block) * of_block;
        const size_t place = cd_place(s, block);
        mfma_tile(&work, s->m, d_rows + place, c_rows + place, block_a, room.b + block * of_block);
    }
    if (flush.in_host) _mm_setcsr(ISA_HOST_FLOAT_MODE);
}

/* run32() for one type, as a constant: decisions by type would take as long as the smallest
 * tile. */
#define RUN32(fn, TYPE)                                                                            \
    static __attribute__((noinline)) void fn(isa_wave_t *w, const isa_inst_t *i,                   \
                                             const uint32_t *b_rows)                               \
    {                                                                                              \
        run32(w, i, &(const types_t){TYPE, TYPE, false}, b_rows);                                  \
    }
RUN32(run_f32, MFMA_F32)
RUN32(run_f16, MFMA_F16)
RUN32(run_bf16, MFMA_BF16)
RUN32(run_i8, MFMA_I8)

static __attribute__((noinline)) void run_any(isa_wave_t *w, const isa_inst_t *i, const types_t *t,
                                              const uint32_t *b_rows)
{
    run32(w, i, t, b_rows);
}

static ALWAYS_INLINE void run_dense(isa_wave_t *w, const isa_inst_t *i, const types_t *t,
                                    const uint32_t *b_rows)
{
    switch (t->a) {
    case MFMA_F32: run_f32(w, i, b_rows); break;
    case MFMA_F16: run_f16(w, i, b_rows); break;
    case MFMA_BF16: run_bf16(w, i, b_rows); break;
    case MFMA_I8: run_i8(w, i, b_rows); break;
    default: run_any(w, i, t, b_rows); break;
    }
}

/* ---- sparse A ---- */

/* Of each four depths, two elements of A are stored. An index register has two bits for each of a
 * lane's elements, their depth within the four. It has room for several such sets of bits; ABID
 * selects the set, or the first one is used if CBSZ is not 0. */
static void places(uint8_t *at, const uint32_t *index, const isa_inst_t *i, const mfma_source_t *a)
{
    const unsigned per_lane = a->regs * 32u / mfma_bits(a->type), groups = ISA_LANES / a->m;
    const unsigned sets = 16 / per_lane, set = i->cbsz & 3 ? 0 : i->abid & (sets - 1);
    for (unsigned l = 0; l < ISA_LANES; l++)
        for (unsigned e = 0; e < per_lane; e++) {
            const unsigned stored =
                e / a->chunk * a->chunk * groups + l / a->m * a->chunk + e % a->chunk;
            at[stored * a->m + l % a->m] =
                (uint8_t)(stored / 2 * 4 + (index[l] >> 2 * (set * per_lane + e) & 3));
        }
}

static void run_sparse(isa_wave_t *w, const isa_inst_t *i, const types_t *t)
{
    const isa_shape_t *s = shape_of(i);
    const flush_t flush = flushing(w, t->a);
    const mfma_work_t work = work_of(w, s, t, flush);
    uint32_t *d_rows = rows_of(w, &i->dst);
    uint8_t at[MFMA_AB];
    room_t room;
    const mfma_source_t a = source(s, t->a, registers_of(&i->src[0], t->a), true, false);
    places(at, rows_of(w, &i->src[2]), i, &a);
    gather(w, i, t, rows_of(w, &i->src[1]), flush.ab, &room);
    mfma_sparse_tile(&work, s->m, d_rows, d_rows, room.a, room.b, at);
}

/* ---- A and B in formats of their own, and scaled ---- */

/* OP_SEL and OP_SEL_HI select the byte of a register that has the scales; a constant's scale is its
 * exponent. */
static void load_scales(isa_wave_t *w, const isa_operand_t *o, uint8_t *scales)
{
    const unsigned shift = o->kind == ISA_OPK_CONST ? 23 : 8 * (o->sel & 3u);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const uint32_t x = o->kind == ISA_OPK_VGPR ? w->vgpr[o->reg][l] : isa_read32(w, o);
        scales[l] = (uint8_t)(x >> shift);
    }
}

/* The first half of a scaled matrix instruction, which assemblers write as one of four dwords. */
ISA_INST(v_mfma_ld_scale_b32)
{
    load_scales(w, &i->src[0], w->scales[0]);
    load_scales(w, &i->src[1], w->scales[1]);
    w->scaled_pc = isa_next_pc(i) | 1;
}

static void run_formats(isa_wave_t *w, const isa_inst_t *i, const types_t *t)
{
    const isa_shape_t *s = shape_of(i);
    const mfma_work_t work = work_of(w, s, t, (flush_t){0});
    room_t room;
    const uint32_t *c_rows = rows_of_c(w, i, room.copy);
    uint32_t *d_rows = rows_of(w, &i->dst);
    gather(w, i, t, rows_of(w, &i->src[1]), false, &room);
    if (w->scaled_pc == (i->pc | 1))
        mfma_scaled_tile(&work, s->m, d_rows, c_rows, room.a, room.b, w->scales[0], w->scales[1]);
    else
        mfma_tile(&work, s->m, d_rows, c_rows, room.a, room.b);
    w->scaled_pc = 0;
}

/* ---- doubles ---- */

static double double_at(const uint32_t *rows, unsigned lane)
{
    return fpu_f64(rows[lane] | (uint64_t)rows[ISA_LANES + lane] << 32);
}

/* Elements of A or B in order block, depth, row (or column). */
static void gather64(double *out, const uint32_t *rows, const isa_shape_t *s)
{
    for (unsigned b = 0; b < s->blocks; b++)
        for (unsigned k = 0; k < s->k; k++)
            for (unsigned i = 0; i < s->m; i++)
                *out++ = double_at(rows, ab_lane64(s, b, k) + i);
}

/* m is a variable: with a constant, compilers unroll the inner loop and then fail to find the
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

static void negate(const isa_operand_t *o, double *x)
{
    for (unsigned n = 0; o->mods & ISA_MOD_NEG && n < ISA_LANES; n++)
        x[n] = -x[n];
}

static void run64(isa_wave_t *w, const isa_inst_t *i)
{
    const isa_shape_t *s = shape_of(i);
    const isa_operand_t *c = &i->src[2];
    alignas(64) double a[ISA_LANES], b[ISA_LANES], acc[MFMA_CD / 8];
    double *out = acc;
    gather64(a, rows_of(w, &i->src[0]), s);
    gather64(b, rows_of(w, &i->src[1]), s);
    negate(&i->src[0], a);
    negate(&i->src[1], b);
    for (unsigned n = 0; n < s->blocks; n++) {
        for (unsigned r = 0; r < s->m; r++)
            for (unsigned j = 0; j < s->m; j++) {
                const double x = c->kind == ISA_OPK_CONST
                                     ? fpu_f64(c->k)
                                     : double_at(rows_of(w, c) + cd_register64(s, r) * ISA_LANES,
                                                 cd_lane64(s, n, r) + j);
                acc[(n * s->m + r) * s->m + j] = c->mods & ISA_MOD_NEG ? -x : x;
            }
        tile_f64(acc + n * s->m * s->m, a + n * s->m * s->k, b + n * s->m * s->k, s->m, s->k);
    }
    for (unsigned n = 0; n < s->blocks; n++)
        for (unsigned r = 0; r < s->m; r++)
            for (unsigned j = 0; j < s->m; j++) {
                const uint64_t bits = fpu_bits64(*out++);
                const uint64_t x = fpu_nan64(bits) ? FPU_NAN64 : bits;
                uint32_t *row =
                    rows_of(w, &i->dst) + cd_register64(s, r) * ISA_LANES + cd_lane64(s, n, r) + j;
                row[0] = (uint32_t)x;
                row[ISA_LANES] = (uint32_t)(x >> 32);
            }
}

/* ---- handlers ---- */

static const char *refusal(const isa_wave_t *w, const isa_inst_t *i, const types_t *t)
{
    const bool broadcasts = !t->sparse && t->a != MFMA_F64 && t->a != MFMA_F8F6F4;
    if (w->mode & ISA_MODE_GPR_IDX) return "register indexing";
    if (t->a != MFMA_I8 && (w->mode & (t->a == MFMA_F64 ? 0xc : 0x3)) &&
        !arch_of(w)->rounds_nearest)
        return "MODE rounding";
    if (broadcasts && i->cbsz && (1u << i->cbsz > shape_of(i)->blocks || i->abid >= 1u << i->cbsz))
        return "cbsz or abid out of range";
    if (t->a == MFMA_F8F6F4 && (i->cbsz > 4 || i->blgp > 4)) return "cbsz or blgp names no format";
    for (unsigned n = 0; n < 2; n++)
        if (!isa_is_row(&i->src[n])) return "scalar matrix";
    return NULL;
}

static unsigned type_here(const isa_wave_t *w, unsigned type, unsigned format)
{
    static const uint8_t formats[] = {MFMA_FP8, MFMA_BF8, MFMA_FP6, MFMA_BF6, MFMA_FP4};
    if (type < MFMA_FP8) return type;
    if (type == MFMA_F8F6F4) return formats[format];
    return arch_of(w)->fnuz ? type + (MFMA_FP8_FNUZ - MFMA_FP8) : type;
}

/* Runs the instruction with B permuted between lanes as BLGP selects. */
static void run_permuted(isa_wave_t *w, const isa_inst_t *i, const types_t *t)
{
    alignas(64) uint32_t permuted[8 * ISA_LANES];
    const uint32_t *b_rows = rows_of(w, &i->src[1]);
    for (unsigned r = 0; r < registers_of(&i->src[1], t->b); r++)
        for (unsigned l = 0; l < ISA_LANES; l++)
            permuted[r * ISA_LANES + l] = b_rows[r * ISA_LANES + blgp_lane(i->blgp, l)];
    run_dense(w, i, t, permuted);
}

static __attribute__((noinline)) void matrix(isa_wave_t *w, const isa_inst_t *i, const types_t *t)
{
    const char *why = refusal(w, i, t);
    if (why) {
        isa_stop_unsupported(w, i, why);
        return;
    }
    const types_t here = {(uint8_t)type_here(w, t->a, i->cbsz),
                          (uint8_t)type_here(w, t->b, i->blgp), t->sparse};
    if (t->a == MFMA_F64)
        run64(w, i);
    else if (t->a == MFMA_F8F6F4)
        run_formats(w, i, &here);
    else if (t->sparse)
        run_sparse(w, i, &here);
    else if (i->blgp)
        run_permuted(w, i, &here);
    else
        run_dense(w, i, &here, rows_of(w, &i->src[1]));
}

/* Whether the instruction can run without further tests: it has no broadcast and no permutation,
 * and MODE has no bits that may have to be refused. `t` is a constant. */
static ALWAYS_INLINE bool is_plain(const isa_wave_t *w, const isa_inst_t *i, const types_t *t)
{
    return t->a <= MFMA_I8 && !t->sparse && !(w->mode & (ISA_MODE_GPR_IDX | 0x3)) && !i->cbsz &&
           !i->blgp && isa_is_row(&i->src[0]) && isa_is_row(&i->src[1]);
}

#define MATRIX(name, A, B, SPARSE)                                                                 \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        static const types_t types = {MFMA_##A, MFMA_##B, SPARSE};                                 \
        if (is_plain(w, i, &types))                                                                \
            run_dense(w, i, &types, rows_of(w, &i->src[1]));                                       \
        else                                                                                       \
            matrix(w, i, &types);                                                                  \
    }
#define MFMA(name, type)         MATRIX(v_mfma_##name, type, type, false)
#define MFMA_MIXED(name, A, B)   MATRIX(v_mfma_##name, A, B, false)
#define SMFMAC(name, type)       MATRIX(v_smfmac_##name, type, type, true)
#define SMFMAC_MIXED(name, A, B) MATRIX(v_smfmac_##name, A, B, true)

MFMA(f32_32x32x1f32, F32)
MFMA(f32_16x16x1f32, F32)
MFMA(f32_4x4x1f32, F32)
MFMA(f32_32x32x2f32, F32)
MFMA(f32_16x16x4f32, F32)
MFMA(f32_32x32x4f16, F16)
MFMA(f32_16x16x4f16, F16)
MFMA(f32_4x4x4f16, F16)
MFMA(f32_32x32x8f16, F16)
MFMA(f32_16x16x16f16, F16)
MFMA(i32_32x32x4i8, I8)
MFMA(i32_16x16x4i8, I8)
MFMA(i32_4x4x4i8, I8)
MFMA(i32_32x32x8i8, I8)
MFMA(i32_16x16x16i8, I8)
MFMA(f32_32x32x4bf16_1k, BF16)
MFMA(f32_16x16x4bf16_1k, BF16)
MFMA(f32_4x4x4bf16_1k, BF16)
MFMA(f32_32x32x8bf16_1k, BF16)
MFMA(f32_16x16x16bf16_1k, BF16)
MFMA(f32_32x32x2bf16, BF16)
MFMA(f32_16x16x2bf16, BF16)
MFMA(f32_4x4x2bf16, BF16)
MFMA(f32_32x32x4bf16, BF16)
MFMA(f32_16x16x8bf16, BF16)
MFMA(f64_16x16x4f64, F64)
MFMA(f64_4x4x4f64, F64)

MFMA(f32_16x16x128_f8f6f4, F8F6F4)
MFMA(f32_16x16x16_bf16, BF16)
MFMA(f32_16x16x16_f16, F16)
MFMA(f32_16x16x1_4b_f32, F32)
MFMA(f32_16x16x32_bf16, BF16)
MFMA(f32_16x16x32_bf8_bf8, BF8)
MFMA_MIXED(f32_16x16x32_bf8_fp8, BF8, FP8)
MFMA(f32_16x16x32_f16, F16)
MFMA_MIXED(f32_16x16x32_fp8_bf8, FP8, BF8)
MFMA(f32_16x16x32_fp8_fp8, FP8)
MFMA(f32_16x16x4_4b_bf16, BF16)
MFMA(f32_16x16x4_4b_f16, F16)
MFMA(f32_16x16x4_f32, F32)
MFMA(f32_16x16x8_xf32, XF32)
MFMA(f32_32x32x16_bf16, BF16)
MFMA(f32_32x32x16_bf8_bf8, BF8)
MFMA_MIXED(f32_32x32x16_bf8_fp8, BF8, FP8)
MFMA(f32_32x32x16_f16, F16)
MFMA_MIXED(f32_32x32x16_fp8_bf8, FP8, BF8)
MFMA(f32_32x32x16_fp8_fp8, FP8)
MFMA(f32_32x32x1_2b_f32, F32)
MFMA(f32_32x32x2_f32, F32)
MFMA(f32_32x32x4_2b_bf16, BF16)
MFMA(f32_32x32x4_2b_f16, F16)
MFMA(f32_32x32x4_xf32, XF32)
MFMA(f32_32x32x64_f8f6f4, F8F6F4)
MFMA(f32_32x32x8_bf16, BF16)
MFMA(f32_32x32x8_f16, F16)
MFMA(f32_4x4x1_16b_f32, F32)
MFMA(f32_4x4x4_16b_bf16, BF16)
MFMA(f32_4x4x4_16b_f16, F16)
MFMA(f64_16x16x4_f64, F64)
MFMA(f64_16x16x4_f64_2, F64)
MFMA(f64_4x4x4_4b_f64, F64)
MFMA(i32_16x16x32_i8, I8)
MFMA(i32_16x16x4_4b_i8, I8)
MFMA(i32_16x16x64_i8, I8)
MFMA(i32_32x32x16_i8, I8)
MFMA(i32_32x32x32_i8, I8)
MFMA(i32_32x32x4_2b_i8, I8)
MFMA(i32_4x4x4_16b_i8, I8)
SMFMAC(f32_16x16x128_bf8_bf8, BF8)
SMFMAC_MIXED(f32_16x16x128_bf8_fp8, BF8, FP8)
SMFMAC_MIXED(f32_16x16x128_fp8_bf8, FP8, BF8)
SMFMAC(f32_16x16x128_fp8_fp8, FP8)
SMFMAC(f32_16x16x32_bf16, BF16)
SMFMAC(f32_16x16x32_f16, F16)
SMFMAC(f32_16x16x64_bf16, BF16)
SMFMAC(f32_16x16x64_bf8_bf8, BF8)
SMFMAC_MIXED(f32_16x16x64_bf8_fp8, BF8, FP8)
SMFMAC(f32_16x16x64_f16, F16)
SMFMAC_MIXED(f32_16x16x64_fp8_bf8, FP8, BF8)
SMFMAC(f32_16x16x64_fp8_fp8, FP8)
SMFMAC(f32_32x32x16_bf16, BF16)
SMFMAC(f32_32x32x16_f16, F16)
SMFMAC(f32_32x32x32_bf16, BF16)
SMFMAC(f32_32x32x32_bf8_bf8, BF8)
SMFMAC_MIXED(f32_32x32x32_bf8_fp8, BF8, FP8)
SMFMAC(f32_32x32x32_f16, F16)
SMFMAC_MIXED(f32_32x32x32_fp8_bf8, FP8, BF8)
SMFMAC(f32_32x32x32_fp8_fp8, FP8)
SMFMAC(f32_32x32x64_bf8_bf8, BF8)
SMFMAC_MIXED(f32_32x32x64_bf8_fp8, BF8, FP8)
SMFMAC_MIXED(f32_32x32x64_fp8_bf8, FP8, BF8)
SMFMAC(f32_32x32x64_fp8_fp8, FP8)
SMFMAC(i32_16x16x128_i8, I8)
SMFMAC(i32_16x16x64_i8, I8)
SMFMAC(i32_32x32x32_i8, I8)
SMFMAC(i32_32x32x64_i8, I8)
