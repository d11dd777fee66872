/* valu_interp.c - v_interp_*: a parameter of a triangle at a pixel, in two steps.
 *
 * The first lanes of each quad have the parameter at the triangle's first corner and how it changes
 * to the other two corners. Each step is a fused multiply-add with such a lane's value in all lanes
 * of the quad, whether EXEC includes that lane or not: that of v_fma_f32, or with halves
 * v_fma_mix_f32, whose handlers do the rest. */
#include "softgpu/exec/handler.h"
#include "softgpu/exec/interp.h"

enum { FIRST_SPREAD = ISA_DUAL_ROW - 2 }; /* rows that no kernel uses */
enum { HALF = 1, OF_HALVES = 2 };         /* OP_SEL and OP_SEL_HI of an operand */

/* Makes source n, if it is that of one lane of the quad, a row that no kernel uses, in which all
 * lanes of each quad have the value of that lane. */
static void spread(isa_wave_t *w, isa_inst_t *fma, const isa_row_desc_t *row, unsigned n)
{
    const unsigned lane = isa_quad_lane(row, n), free = FIRST_SPREAD + n / 2;
    if (lane == ISA_OWN_LANE) return;
    isa_quad_spread(w->vgpr[free], *isa_row_of(w, &fma->src[n]), lane);
    fma->src[n].reg = (uint16_t)free;
}

/* The step's multiply-add. The parameters are halves of a dword if `halves`. */
static isa_inst_t step(isa_wave_t *w, const isa_inst_t *i, unsigned op, bool halves)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    isa_inst_t fma = *i;
    fma.op = (uint16_t)op;
    fma.fmt = halves ? ISA_FMT_VOP3P : ISA_FMT_VOP3A;
    fma.imm = 0;
    fma.op_sel = 0;
    for (unsigned k = 0; k < 3; k++) {
        const bool parameter = isa_quad_lane(row, k) != ISA_OWN_LANE;
        if (fma.src[k].mods) fma.flags |= ISA_F_SRCMOD;
        fma.src[k].sel = halves && parameter ? (uint8_t)(OF_HALVES | (fma.src[k].sel & HALF)) : 0;
    }
    spread(w, &fma, row, 0);
    spread(w, &fma, row, 2);
    return fma;
}

/* Sums and results rounded toward zero, whatever MODE says. */
static uint32_t toward_zero(isa_wave_t *w)
{
    enum { ROUND_BITS = 15 };
    const uint32_t mode = w->mode;
    w->mode |= ROUND_BITS;
    return mode;
}

static void first_of_halves(isa_wave_t *w, const isa_inst_t *i)
{
    const isa_inst_t fma = step(w, i, ISA_OP_v_fma_mix_f32, true);
    ISA_HANDLER(v_fma_mix_f32)(w, &fma);
}

static void second_of_halves(isa_wave_t *w, const isa_inst_t *i)
{
    enum { OF_RESULT = 8 };
    const bool high = i->op_sel & OF_RESULT;
    const isa_inst_t fma = step(w, i, high ? ISA_OP_v_fma_mixhi_f16 : ISA_OP_v_fma_mixlo_f16, true);
    if (high)
        ISA_HANDLER(v_fma_mixhi_f16)(w, &fma);
    else
        ISA_HANDLER(v_fma_mixlo_f16)(w, &fma);
}

ISA_INST(v_interp_p10_f32)
{
    const isa_inst_t fma = step(w, i, ISA_OP_v_fma_f32, false);
    ISA_HANDLER(v_fma_f32)(w, &fma);
}

ISA_INST(v_interp_p2_f32)
{
    const isa_inst_t fma = step(w, i, ISA_OP_v_fma_f32, false);
    ISA_HANDLER(v_fma_f32)(w, &fma);
}

ISA_INST(v_interp_p10_f16_f32)
{
    first_of_halves(w, i);
}

ISA_INST(v_interp_p2_f16_f32)
{
    second_of_halves(w, i);
}

ISA_INST(v_interp_p10_rtz_f16_f32)
{
    const uint32_t mode = toward_zero(w);
    first_of_halves(w, i);
    w->mode = mode;
}

ISA_INST(v_interp_p2_rtz_f16_f32)
{
    const uint32_t mode = toward_zero(w);
    second_of_halves(w, i);
    w->mode = mode;
}
