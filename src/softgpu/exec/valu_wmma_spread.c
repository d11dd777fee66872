/* valu_wmma_spread.c - matrix instructions of gfx12: WMMA, and SWMMAC, whose A is sparse: two of
 * each four elements are stored. D = A * B + C, of 16 x 16 elements.
 *
 * Row m of A and column n of B are in the lanes m and m + 16, with a block of depths in the first
 * and the next block in the second; column n of C and D is in the lanes n (rows 0 to 7) and n + 16.
 * In a wave of 64 lanes, the upper half of the registers that a wave of 32 has is in the lanes from
 * 32 on. EXEC is ignored. Products are added in the order of the depth, in f32 or in integers;
 * halves are rounded once, at the end. A NaN result is the default NaN. Source: AMD's matrix
 * instruction calculator. */
#include "softgpu/exec/fpu_small.h"
#include "softgpu/exec/wmma.h"

#include "isa/decode.h"

enum { N = WMMA_N, MOST = 64, DENSE_BLOCK = 64, SPARSE_BLOCK = 128 };

typedef enum { OF_F16, OF_BF16, OF_FP8, OF_BF8, OF_INT8, OF_INT4 } element_t;
static const uint8_t element_bits[] = {16, 16, 8, 8, 8, 4}; /* ORDER: element_t */

/* The elements of A and B, and their depth; SWMMAC stores half of those of A. */
typedef struct {
    uint8_t a, b; /* element_t */
    uint8_t depth;
    bool sparse, half; /* C and D are of 16 bits, of the type of A */
} shape_t;

typedef struct {
    alignas(64) uint32_t a[MOST][N], b[MOST][N]; /* depth, then row or column */
    alignas(64) uint32_t d[N][N];                /* row, column: C, then D */
    uint8_t at[MOST][N]; /* [element][row]: the depth of a stored element of A */
} tiles_t;

/* ---- registers of a wave of 32 lanes, also in a wave of 64 ---- */

static uint32_t *dword(const isa_wave_t *w, const isa_operand_t *o, unsigned registers, unsigned r,
                       unsigned lane)
{
    const unsigned half = registers / 2;
    if (ISA_LANES == 64 && half) {
        lane += 32 * (r / half);
        r %= half;
    }
    return &w->vgpr[o->reg + r][lane];
}

/* The place of depth k in a matrix of `count` depths: which of the two lanes, and which element
 * there. */
typedef struct {
    unsigned lane, element;
} spot_t;

static spot_t spot_of(unsigned k, unsigned count, unsigned bits, unsigned block_bits)
{
    const unsigned most = block_bits / bits, block = count / 2 < most ? count / 2 : most;
    return (spot_t){k / block % 2 * N, k / block / 2 * block + k % block};
}

static unsigned registers_of(unsigned count, unsigned bits)
{
    const unsigned n = count * bits / 64;
    return n ? n : 1;
}

/* ---- A and B ---- */

/* 8-bit floats, one by one. */
ISA_VECTOR isa_vec_t widened_small(isa_vec_t x, fpu_small_t type)
{
    for (unsigned l = 0; l < ISA_VEC; l++)
        x[l] = fpu_from_small(&fpu_formats[type], x[l]);
    return x;
}

/* NEG is for the elements in low halves, NEG_HI (ABS of the operand) for those in high ones; for
 * integers, NEG marks the elements as signed. */
ISA_VECTOR isa_vec_t widened(isa_vec_t x, element_t type, const isa_operand_t *o, bool high)
{
    const uint32_t sign = o->mods & (high ? ISA_MOD_ABS : ISA_MOD_NEG) ? 0x80000000 : 0;
    const int unused = 32 - element_bits[type];
    switch (type) {
    case OF_F16: return isa_vec_from_half(x) ^ sign;
    case OF_BF16: return x << 16 ^ sign;
    case OF_FP8: return widened_small(x, FPU_FP8);
    case OF_BF8: return widened_small(x, FPU_BF8);
    default: return o->mods & ISA_MOD_NEG ? (isa_vec_t)((isa_vec_i32_t)(x << unused) >> unused) : x;
    }
}

ISA_VECTOR void gather_of(uint32_t out[][N], const isa_wave_t *w, const isa_operand_t *o,
                          element_t type, unsigned count, unsigned block_bits)
{
    const unsigned bits = element_bits[type], registers = registers_of(count, bits);
    for (unsigned k = 0; k < count; k++) {
        const spot_t s = spot_of(k, count, bits, block_bits);
        const unsigned first = s.element * bits, r = first / 32, shift = first % 32;
        const uint32_t *row = dword(w, o, registers, r, s.lane);
        for (unsigned m = 0; m < N; m += ISA_VEC)
            isa_vec_store(&out[k][m], widened(isa_vec_load(row + m) >> shift & ((1u << bits) - 1),
                                              type, o, type <= OF_BF16 && shift));
    }
}

/* The type is a constant for the compiler in each of these. */
static void gather(uint32_t out[][N], const isa_wave_t *w, const isa_operand_t *o, element_t type,
                   unsigned count, unsigned block_bits)
{
    switch (type) {
    case OF_F16: gather_of(out, w, o, OF_F16, count, block_bits); break;
    case OF_BF16: gather_of(out, w, o, OF_BF16, count, block_bits); break;
    case OF_FP8: gather_of(out, w, o, OF_FP8, count, block_bits); break;
    case OF_BF8: gather_of(out, w, o, OF_BF8, count, block_bits); break;
    case OF_INT8: gather_of(out, w, o, OF_INT8, count, block_bits); break;
    default: gather_of(out, w, o, OF_INT4, count, block_bits);
    }
}

/* Of each four depths of A two elements are stored, and two bits of the index for each give its
 * depth. OP_SEL selects the part of the register that has the index of a lane's elements. */
static void find_depths(tiles_t *t, const isa_wave_t *w, const isa_inst_t *i, element_t type,
                        unsigned count)
{
    const unsigned bits = element_bits[type], registers = registers_of(count, bits);
    const unsigned split = ISA_LANES == 64 && registers > 1 ? 2 : 1;
    const unsigned in_lane = count / 2 / split;
    for (unsigned k = 0; k < count; k++) {
        const spot_t s = spot_of(k, count, bits, DENSE_BLOCK);
        const unsigned lane = s.lane + 32 * (s.element / in_lane), element = s.element % in_lane;
        const unsigned shift = (2 * (i->op_sel * in_lane + element)) & 31;
        for (unsigned m = 0; m < N; m++)
            t->at[k][m] = (uint8_t)(k / 2 * 4 + (w->vgpr[i->src[2].reg][lane + m] >> shift & 3));
    }
}

/* ---- C and D ---- */

enum { ROWS_OF_LANE = 8 };

static uint32_t *row_of(const isa_wave_t *w, const isa_operand_t *o, unsigned m, bool half)
{
    const unsigned r = m % ROWS_OF_LANE;
    return dword(w, o, half ? ROWS_OF_LANE / 2 : ROWS_OF_LANE, half ? r / 2 : r,
                 m / ROWS_OF_LANE * N);
}

static uint32_t constant_of(const isa_operand_t *c, const shape_t *s, bool floats)
{
    if (!floats) return (uint32_t)c->k;
    if (c->reg >= ISA_CODE_FLOAT_FIRST) return (uint32_t)isa_inline_constant(c->reg, ISA_T_F32, 32);
    if (!s->half) return (uint32_t)c->k;
    return s->a == OF_F16 ? fpu_f16_to_f32((uint32_t)c->k & 0xffff) : (uint32_t)c->k << 16;
}

/* `from`: the registers of row m, or NULL for a constant. */
static void load_row(uint32_t to[N], const uint32_t *from, uint32_t constant, const shape_t *s,
                     unsigned m)
{
    for (unsigned n = 0; n < N; n += ISA_VEC) {
        isa_vec_t x = from ? isa_vec_load(from + n) : isa_vec_all(constant);
        if (from && s->half) x = x >> 16 * (m % 2) & 0xffff;
        if (from && s->half) x = s->a == OF_F16 ? isa_vec_from_half(x) : x << 16;
        isa_vec_store(to + n, x);
    }
}

/* For C, NEG_HI takes the magnitude and NEG inverts the sign. */
static void load_c(tiles_t *t, const isa_wave_t *w, const isa_inst_t *i, const shape_t *s,
                   bool floats)
{
    const isa_operand_t *c = s->sparse ? &i->dst : &i->src[2];
    const bool plain = s->sparse || !floats, constant = c->kind == ISA_OPK_CONST;
    const uint32_t value = constant ? constant_of(c, s, floats) : 0;
    for (unsigned m = 0; m < N; m++)
        load_row(t->d[m], constant ? NULL : row_of(w, c, m, s->half), value, s, m);
    wmma_change_signs(t->d, !plain && c->mods & ISA_MOD_ABS ? 0x7fffffff : ~0u,
                      !plain && c->mods & ISA_MOD_NEG ? 0x80000000 : 0);
}

static uint32_t narrowed(uint32_t x, element_t type)
{
    if (type == OF_F16) return fpu_nan32(x) ? 0x7e00 : fpu_f32_to_f16(x, FPU_NEAREST);
    return fpu_nan32(x) ? 0x7fc0 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

static void store_d(const tiles_t *t, const isa_wave_t *w, const isa_inst_t *i, const shape_t *s)
{
    for (unsigned m = 0; m < N; m++) {
        uint32_t *row = row_of(w, &i->dst, m, s->half);
        const unsigned shift = 16 * (m % 2);
        if (!s->half) {
            memcpy(row, t->d[m], sizeof t->d[m]);
            continue;
        }
        for (unsigned n = 0; n < N; n++)
            row[n] = (row[n] & ~(0xffffu << shift)) | narrowed(t->d[m][n], (element_t)s->a)
                                                          << shift;
    }
}

/* ---- products ---- */

/* `exact`: products are representable in f32. */
ISA_VECTOR void sum_floats(tiles_t *t, unsigned count, bool sparse, bool exact)
{
    const uint8_t(*at)[N] = t->at;
    if (sparse)
        wmma_sum(t->d, t->a, t->b, at, count, exact ? isa_vec_fma_exact : isa_vec_fma);
    else
        wmma_sum(t->d, t->a, t->b, NULL, count, exact ? isa_vec_fma_exact : isa_vec_fma);
    wmma_quiet(t->d);
}

static void sum_integers(tiles_t *t, unsigned count, bool sparse, bool clamp)
{
    const uint8_t(*at)[N] = t->at;
    if (sparse)
        wmma_sum_integers(t->d, t->a, t->b, at, count, clamp);
    else
        wmma_sum_integers(t->d, t->a, t->b, NULL, count, clamp);
}

static const char *refusal(const isa_wave_t *w, const isa_inst_t *i, const shape_t *s, bool floats)
{
    const isa_operand_t *c = &i->src[2];
    if (floats && w->mode & 0xf) return "MODE rounding";
    if (!s->sparse && c->kind != ISA_OPK_VGPR && c->kind != ISA_OPK_CONST) return "scalar matrix";
    if (s->sparse && c->kind != ISA_OPK_VGPR) return "scalar index";
    return NULL;
}

static void multiply(isa_wave_t *w, const isa_inst_t *i, const shape_t *s)
{
    tiles_t t;
    const bool floats = s->a < OF_INT8;
    const unsigned count = s->sparse ? s->depth / 2u : s->depth;
    const char *why = refusal(w, i, s, floats);
    if (why) {
        isa_stop_unsupported(w, i, why);
        return;
    }
    gather(t.a, w, &i->src[0], (element_t)s->a, count, DENSE_BLOCK);
    gather(t.b, w, &i->src[1], (element_t)s->b, s->depth, s->sparse ? SPARSE_BLOCK : DENSE_BLOCK);
    if (s->sparse) find_depths(&t, w, i, (element_t)s->a, count);
    load_c(&t, w, i, s, floats);
    if (!floats)
        sum_integers(&t, count, s->sparse, i->flags & ISA_F_CLAMP);
    else if (s->a == OF_BF16)
        sum_floats(&t, count, s->sparse, false);
    else
        sum_floats(&t, count, s->sparse, true);
    store_d(&t, w, i, s);
}

/* ---- instructions ---- */

#define MATRIX(name, A, B, depth, sparse, half)                                                    \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        static const shape_t shape = {OF_##A, OF_##B, depth, sparse, half};                        \
        multiply(w, i, &shape);                                                                    \
    }
MATRIX(v_wmma_f32_16x16x16_f16_2, F16, F16, 16, false, false)
MATRIX(v_wmma_f32_16x16x16_bf16_2, BF16, BF16, 16, false, false)
MATRIX(v_wmma_f16_16x16x16_f16_2, F16, F16, 16, false, true)
MATRIX(v_wmma_bf16_16x16x16_bf16_2, BF16, BF16, 16, false, true)
MATRIX(v_wmma_i32_16x16x16_iu8_2, INT8, INT8, 16, false, false)
MATRIX(v_wmma_i32_16x16x16_iu4_2, INT4, INT4, 16, false, false)
MATRIX(v_wmma_i32_16x16x32_iu4, INT4, INT4, 32, false, false)
MATRIX(v_wmma_f32_16x16x16_fp8_fp8, FP8, FP8, 16, false, false)
MATRIX(v_wmma_f32_16x16x16_fp8_bf8, FP8, BF8, 16, false, false)
MATRIX(v_wmma_f32_16x16x16_bf8_fp8, BF8, FP8, 16, false, false)
MATRIX(v_wmma_f32_16x16x16_bf8_bf8, BF8, BF8, 16, false, false)
MATRIX(v_swmmac_f32_16x16x32_f16, F16, F16, 32, true, false)
MATRIX(v_swmmac_f32_16x16x32_bf16, BF16, BF16, 32, true, false)
MATRIX(v_swmmac_f16_16x16x32_f16, F16, F16, 32, true, true)
MATRIX(v_swmmac_bf16_16x16x32_bf16, BF16, BF16, 32, true, true)
MATRIX(v_swmmac_i32_16x16x32_iu8, INT8, INT8, 32, true, false)
MATRIX(v_swmmac_i32_16x16x32_iu4, INT4, INT4, 32, true, false)
MATRIX(v_swmmac_i32_16x16x64_iu4, INT4, INT4, 64, true, false)
MATRIX(v_swmmac_f32_16x16x32_fp8_fp8, FP8, FP8, 32, true, false)
MATRIX(v_swmmac_f32_16x16x32_fp8_bf8, FP8, BF8, 32, true, false)
MATRIX(v_swmmac_f32_16x16x32_bf8_fp8, BF8, FP8, 32, true, false)
MATRIX(v_swmmac_f32_16x16x32_bf8_bf8, BF8, BF8, 32, true, false)
