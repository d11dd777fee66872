/* valu_lane.c - instructions that move registers as a whole or single lanes of them.
 *
 * v_readlane, v_writelane and v_readfirstlane do not ask EXEC whether a lane is active; the others
 * move active lanes only. None takes modifiers. */
#include "softgpu/exec/valu.h"

/* Which of these obey register indexing is not documented; no compiler combines them. */
static bool refuse_indexing(isa_wave_t *w, const isa_inst_t *i)
{
    if (!(w->mode & ISA_MODE_GPR_IDX)) return false;
    isa_stop_unsupported(w, i, "register indexing");
    return true;
}

static bool is_register(const isa_operand_t *o)
{
    return o->kind == ISA_OPK_VGPR || o->kind == ISA_OPK_AGPR;
}

ISA_INST(v_readfirstlane_b32)
{
    const unsigned lane = w->exec ? (unsigned)__builtin_ctzll(w->exec) : 0;
    if (refuse_indexing(w, i)) return;
    w->sgpr[i->dst.reg] =
        is_register(&i->src[0]) ? isa_row_of(w, &i->src[0])[0][lane] : isa_read32(w, &i->src[0]);
}

ISA_INST(v_readlane_b32)
{
    if (refuse_indexing(w, i)) return;
    w->sgpr[i->dst.reg] = isa_row_of(w, &i->src[0])[0][isa_read32(w, &i->src[1]) & (ISA_LANES - 1)];
}

ISA_INST(v_writelane_b32)
{
    if (refuse_indexing(w, i)) return;
    isa_row_of(w, &i->dst)[0][isa_read32(w, &i->src[1]) & (ISA_LANES - 1)] =
        isa_read32(w, &i->src[0]);
}

ISA_INST(v_swap_b32)
{
    uint32_t *a = *isa_row_of(w, &i->dst), *b = *isa_row_of(w, &i->src[0]);
    alignas(64) uint32_t saved[ISA_LANES];
    if (refuse_indexing(w, i)) return;
    memcpy(saved, a, sizeof(saved));
    valu_blend(a, b, 1, w->exec);
    valu_blend(b, saved, 1, w->exec);
}

static void move_row(isa_wave_t *w, const isa_inst_t *i)
{
    alignas(64) uint32_t tmp[ISA_LANES];
    const isa_operand_t *o = &i->src[0];
    const uint32_t *row = is_register(o) ? *isa_row_of(w, o) : valu_scalar_rows(w, i, o, tmp, 1);
    if (row && !refuse_indexing(w, i)) valu_blend(*isa_row_of(w, &i->dst), row, 1, w->exec);
}

ISA_INST(v_accvgpr_read_b32)
{
    move_row(w, i);
}
ISA_INST(v_accvgpr_write_b32)
{
    move_row(w, i);
}
ISA_INST(v_accvgpr_mov_b32)
{
    move_row(w, i);
}

ISA_INST(v_nop) {}

/* Exception flags are not accumulated, so there are none to clear. */
ISA_INST(v_clrexcp) {}
