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
