/* valu_wmma.c - matrix instructions of gfx11 (WMMA): D = A * B + C, all of 16 x 16 elements.
 *
 * Row m of A is in lane m, column n of B in lane n, with all 16 depths in the lane's registers; the
 * lanes from 16 on hold copies, which are not read. C and D are stored by rows, with column n in
 * every 16th lane from n on: a register of a wave of 32 lanes has two rows, one of a wave of 64
 * lanes has four. EXEC is ignored. Products are added in the order of the depth, in f32 or in
 * integers; halves are rounded once, at the end. A NaN result is the default NaN. */
#include "softgpu/exec/wmma.h"

#include "isa/decode.h"

enum { N = WMMA_N, ROWS = ISA_LANES / N };

typedef struct {
    alignas(64) uint32_t a[N][N], b[N][N]; /* depth, then row or column */
    alignas(64) uint32_t d[N][N];          /* row, column: C, then D */
} tiles_t;

static const char *refusal(const isa_wave_t *w, const isa_inst_t *i, bool floats)
{
    const isa_operand_t *c = &i->src[2];
    if (floats && w->mode & 0xf) return "MODE rounding";
    if (c->kind != ISA_OPK_VGPR && c->kind != ISA_OPK_CONST) return "scalar matrix";
    return NULL;
}

/* ---- A and B ---- */

typedef enum { WMMA_F16, WMMA_BF16 } wmma_type_t;

/* NEG is for the elements in low halves, NEG_HI (ABS of the operand) for those in high ones. */
static void gather_floats(uint32_t out[N][N], const isa_wave_t *w, const isa_operand_t *o,
                          wmma_type_t type)
{
    const uint32_t low_sign = o->mods & ISA_MOD_NEG ? 0x80000000 : 0;
    const uint32_t high_sign = o->mods & ISA_MOD_ABS ? 0x80000000 : 0;
    const uint32_t low_half = 0xffff;
    for (unsigned r = 0; r < N / 2; r++) {
        const uint32_t *row = w->vgpr[o->reg + r];
        for (unsigned l = 0; l < N; l += ISA_VEC) {
            const isa_vec_t x = isa_vec_load(row + l), low = x & low_half;
            const bool half = type == WMMA_F16;
            isa_vec_store(&out[2 * r][l], (half ? isa_vec_from_half(low) : low << 16) ^ low_sign);
            isa_vec_store(&out[2 * r + 1][l],
                          (half ? isa_vec_from_half(x >> 16) : x & ~low_half) ^ high_sign);
        }
    }
}

/* NEG marks the elements as signed. */
static void gather_integers(uint32_t out[N][N], const isa_wave_t *w, const isa_operand_t *o,
                            unsigned bits)
{
    const bool is_signed = o->mods & ISA_MOD_NEG;
    for (unsigned k = 0; k < N; k++) {
        const uint32_t *row = w->vgpr[o->reg + k * bits / 32];
        const unsigned up = 32 - bits - k * bits % 32, down = 32 - bits;
        for (unsigned l = 0; l < N; l += ISA_VEC) {
            const isa_vec_t x = isa_vec_load(row + l) << up;
            isa_vec_store(&out[k][l],
                          is_signed ? (isa_vec_t)((isa_vec_i32_t)x >> (int)down) : x >> down);
        }
    }
}

/* ---- C and D ---- */

static uint32_t *place(const isa_wave_t *w, const isa_operand_t *o, unsigned m)
{
    return w->vgpr[o->reg + m / ROWS] + m % ROWS * N;
}

static void load_c(uint32_t d[N][N], const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_operand_t *c = &i->src[2];
    if (c->kind != ISA_OPK_CONST) {
        for (unsigned m = 0; m < N; m++)
            memcpy(d[m], place(w, c, m), sizeof d[m]);
        return;
    }
    for (unsigned m = 0; m < N; m++)
        for (unsigned n = 0; n < N; n++)
            d[m][n] = (uint32_t)c->k;
}

static void store_d(const isa_wave_t *w, const isa_inst_t *i, uint32_t d[N][N])
{
    for (unsigned m = 0; m < N; m++)
        memcpy(place(w, &i->dst, m), d[m], sizeof d[m]);
}

/* For C, NEG_HI takes the magnitude and NEG inverts the sign. */
static void signs_of_c(uint32_t d[N][N], const isa_operand_t *c)
{
    const uint32_t sign = 0x80000000;
    wmma_change_signs(d, c->mods & ISA_MOD_ABS ? ~sign : ~0u, c->mods & ISA_MOD_NEG ? sign : 0);
}

/* ---- products ---- */

static void sum_floats(tiles_t *t, wmma_type_t type)
{
    if (type == WMMA_F16)
        wmma_sum(t->d, t->a, t->b, NULL, N, isa_vec_fma_exact);
    else
        wmma_sum(t->d, t->a, t->b, NULL, N, isa_vec_fma);
    wmma_quiet(t->d);
}

/* ---- instructions ---- */

/* Whether the instruction is executed; if not, the wave is stopped. */
static bool is_defined(isa_wave_t *w, const isa_inst_t *i, bool floats)
{
    const char *why = refusal(w, i, floats);
    if (why) isa_stop_unsupported(w, i, why);
    return !why;
}

static void load_floats(tiles_t *t, const isa_wave_t *w, const isa_inst_t *i, wmma_type_t type)
{
    gather_floats(t->a, w, &i->src[0], type);
    gather_floats(t->b, w, &i->src[1], type);
    load_c(t->d, w, i);
}

static void to_f32(isa_wave_t *w, const isa_inst_t *i, wmma_type_t type)
{
    tiles_t t;
    if (!is_defined(w, i, true)) return;
    load_floats(&t, w, i, type);
    signs_of_c(t.d, &i->src[2]);
    sum_floats(&t, type);
    store_d(w, i, t.d);
}

static uint32_t widened(uint32_t x, wmma_type_t type)
{
    return type == WMMA_F16 ? fpu_f16_to_f32(x & 0xffff) : x << 16;
}

static uint32_t rounded_bf16(uint32_t x)
{
    if (fpu_nan32(x)) return 0x7fc0;
    return (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

static uint32_t narrowed(uint32_t x, wmma_type_t type)
{
    if (type == WMMA_BF16) return rounded_bf16(x);
    return fpu_nan32(x) ? 0x7e00 : fpu_f32_to_f16(x, FPU_NEAREST);
}

/* OP_SEL selects the half of the registers that C and D are in; the other half of D is kept. */
static void to_half(isa_wave_t *w, const isa_inst_t *i, wmma_type_t type)
{
    tiles_t t;
    const isa_operand_t *c = &i->src[2];
    const unsigned at = c->sel & 1 ? 16 : 0;
    const uint32_t mask = 0xffffu << at;
    if (!is_defined(w, i, true)) return;
    load_floats(&t, w, i, type);
    for (unsigned m = 0; m < N; m++)
        for (unsigned n = 0; n < N; n++)
            t.d[m][n] = c->kind == ISA_OPK_CONST
                            ? (uint32_t)isa_inline_constant(c->reg, ISA_T_F32, 32)
                            : widened(t.d[m][n] >> at, type);
    if (c->kind == ISA_OPK_CONST && c->reg < ISA_CODE_FLOAT_FIRST) /* an integer's bits */
        for (unsigned m = 0; m < N; m++)
            for (unsigned n = 0; n < N; n++)
                t.d[m][n] = widened((uint32_t)c->k, type);
    signs_of_c(t.d, c);
    sum_floats(&t, type);
    for (unsigned m = 0; m < N; m++) {
        uint32_t *row = place(w, &i->dst, m);
        for (unsigned n = 0; n < N; n++)
            row[n] = (row[n] & ~mask) | narrowed(t.d[m][n], type) << at;
    }
}

static void to_i32(isa_wave_t *w, const isa_inst_t *i, unsigned bits)
{
    tiles_t t;
    if (!is_defined(w, i, false)) return;
    gather_integers(t.a, w, &i->src[0], bits);
    gather_integers(t.b, w, &i->src[1], bits);
    load_c(t.d, w, i);
    wmma_sum_integers(t.d, t.a, t.b, NULL, N, i->flags & ISA_F_CLAMP);
    store_d(w, i, t.d);
}

ISA_INST(v_wmma_f32_16x16x16_f16)
{
    to_f32(w, i, WMMA_F16);
}
ISA_INST(v_wmma_f32_16x16x16_bf16)
{
    to_f32(w, i, WMMA_BF16);
}
ISA_INST(v_wmma_f16_16x16x16_f16)
{
    to_half(w, i, WMMA_F16);
}
ISA_INST(v_wmma_bf16_16x16x16_bf16)
{
    to_half(w, i, WMMA_BF16);
}
ISA_INST(v_wmma_i32_16x16x16_iu8)
{
    to_i32(w, i, 8);
}
ISA_INST(v_wmma_i32_16x16x16_iu4)
{
    to_i32(w, i, 4);
}
