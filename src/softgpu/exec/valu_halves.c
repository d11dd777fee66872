/* valu_halves.c - vector instructions that gfx11 adds: operations on single halves of registers,
 * dot products of halves and of integers whose sources are each signed or unsigned, conversions to
 * pairs of integers.
 *
 * As for all instructions, valu_slow.c and valu.h move operands of 16 bits to the low half of a
 * row, and results to the half of the destination. */
#include "softgpu/exec/valu_float.h"

VALU_OP1(v_mov_b16, u16, u16, 0, a)
VALU_OP1(v_not_b16, u16, u16, 0, ~a)
VALU_OP2(v_and_b16, u16, u16, u16, 0, a &b)
VALU_OP2(v_or_b16, u16, u16, u16, 0, a | b)
VALU_OP2(v_xor_b16, u16, u16, u16, 0, a ^ b)
VALU_OP1(v_cvt_i32_i16, i32, i16, 0, a)
VALU_OP1(v_cvt_u32_u16, u32, u16, 0, a)

/* The mask is the third source. */
static void body_v_cndmask_b16(valu_t *v)
{
    alignas(64) uint32_t chosen[ISA_ROW];
    uint32_t *d = VALU_ROW(v->d);
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1);
    isa_vec_expand(chosen, v->in, 1);
    VALU_LANES d[l] = (chosen[l] ? pb[l] : pa[l]) & 0xffff;
}
VALU_HANDLER(v_cndmask_b16, VALU_B16, VALU_F16, VALU_F16, VALU_NONE, VALU_MASK_IN | VALU_RAW)

/* Exchanges two halves of registers, which may be of one register. */
ISA_INST(v_swap_b16)
{
    alignas(64) uint32_t low[ISA_LANES], other[ISA_LANES];
    uint32_t *const a = w->vgpr[i->dst.reg], *const b = w->vgpr[i->src[0].reg];
    const unsigned at = i->op_sel & 8 ? 16 : 0, from = i->src[0].sel & 1 ? 16 : 0;
    const uint32_t half = 0xffff;
    VALU_LANES low[l] = a[l] >> at & half;
    VALU_LANES other[l] = b[l] >> from & half;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        if (!(w->exec >> l & 1)) continue;
        a[l] = (a[l] & ~(half << at)) | other[l] << at;
        b[l] = (b[l] & ~(half << from)) | low[l] << from;
    }
}

/* Each active lane gets the value of the lane 32 above or below it, even if that one is inactive.
 * No effect in a wave of 32 lanes. */
ISA_INST(v_permlane64_b32)
{
    alignas(64) uint32_t result[ISA_LANES];
    const uint32_t *from = w->vgpr[i->src[0].reg];
    if (ISA_LANES == 32) return;
    for (unsigned l = 0; l < ISA_LANES; l++)
        result[l] = from[l ^ 32];
    valu_blend(w->vgpr[i->dst.reg], result, 1, w->exec);
}

/* ---- floats to pairs of integers of 16 bits: truncated, saturated, 0 for a NaN ---- */

static inline uint32_t saturated(float x, float least, float most)
{
    if (x != x) return 0;
    return (uint32_t)(int32_t)(x < least ? least : x > most ? most : x) & 0xffff;
}

VALU_OP2(v_cvt_pk_i16_f32, u32, f32, f32, VALU_CLAMP_NOP,
         saturated(a, -32768, 32767) | saturated(b, -32768, 32767) << 16)
VALU_OP2(v_cvt_pk_u16_f32, u32, f32, f32, VALU_CLAMP_NOP,
         saturated(a, 0, 65535) | saturated(b, 0, 65535) << 16)

/* ---- dot products of integers: NEG says which sources are signed ---- */

static inline int64_t element(uint32_t x, unsigned at, unsigned bits, bool is_signed)
{
    const uint32_t up = x << (32 - bits - at);
    return is_signed ? (int64_t)((int32_t)up >> (32 - bits)) : (int64_t)(up >> (32 - bits));
}

static const uint32_t *row_of(isa_wave_t *w, const isa_inst_t *i, unsigned n, uint32_t *room)
{
    const isa_operand_t *o = &i->src[n];
    return o->kind == ISA_OPK_VGPR ? w->vgpr[o->reg] : valu_scalar_rows(w, i, o, room, 1);
}

static void dot_mixed(isa_wave_t *w, const isa_inst_t *i, unsigned bits)
{
    alignas(64) uint32_t room[3][ISA_ROW], result[ISA_ROW];
    const uint32_t *s[3];
    const bool signs[2] = {i->src[0].mods & ISA_MOD_NEG, i->src[1].mods & ISA_MOD_NEG};
    for (unsigned n = 0; n < 3; n++)
        if (!(s[n] = row_of(w, i, n, room[n]))) return;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        int64_t sum = (int32_t)s[2][l];
        for (unsigned at = 0; at < 32; at += bits)
            sum += element(s[0][l], at, bits, signs[0]) * element(s[1][l], at, bits, signs[1]);
        if (i->flags & ISA_F_CLAMP)
            sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        result[l] = (uint32_t)sum;
    }
    valu_blend(w->vgpr[i->dst.reg], result, 1, w->exec);
}

ISA_INST(v_dot4_i32_iu8)
{
    dot_mixed(w, i, 8);
}
ISA_INST(v_dot8_i32_iu4)
{
    dot_mixed(w, i, 4);
}
