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

/* Exchanges `n` lanes of vdst from `upper` on with the same number of src0's from `lower` on. A
 * lane that is not active keeps its value, and is no source, either: its partner then keeps its
 * own, or with FI gets the value all the same, or with BOUND_CTRL gets 0. What happens there is
 * documented of a full EXEC alone. */
static void swap_lanes(isa_wave_t *w, const isa_inst_t *i, unsigned upper, unsigned lower,
                       unsigned n)
{
    const bool inactive_too = i->op_sel & 1, zero = i->op_sel & 2;
    uint32_t *a = *isa_row_of(w, &i->dst), *b = *isa_row_of(w, &i->src[0]);
    for (unsigned k = 0; k < n; k++) {
        const bool up = w->exec >> (upper + k) & 1, low = w->exec >> (lower + k) & 1;
        const uint32_t x = a[upper + k], y = b[lower + k];
        if (up && (low || inactive_too || zero)) a[upper + k] = low || inactive_too ? y : 0;
        if (low && (up || inactive_too || zero)) b[lower + k] = up || inactive_too ? x : 0;
    }
}

/* The odd rows of 16 lanes of vdst and the even ones of src0. */
ISA_INST(v_permlane16_swap_b32)
{
    if (refuse_indexing(w, i)) return;
    swap_lanes(w, i, 16, 0, 16);
    swap_lanes(w, i, 48, 32, 16);
}

/* The upper 32 lanes of vdst and the lower ones of src0. */
ISA_INST(v_permlane32_swap_b32)
{
    if (refuse_indexing(w, i)) return;
    swap_lanes(w, i, 32, 0, 32);
}

/* ---- any function of three bits ---- */

/* Bit 4 * a + 2 * b + c of the table is the result's for bits a, b, c of the sources. */
static void truth(uint32_t *row, const uint32_t *const s[3], unsigned table)
{
    VALU_LANES
    {
        const uint32_t a = s[0][l], b = s[1][l], c = s[2][l];
        uint32_t r = 0;
        for (unsigned k = 0; k < 8; k++) {
            const uint32_t term = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
            r |= table >> k & 1 ? term : 0;
        }
        row[l] = r;
    }
}

/* The sources' rows; of 16-bit ones the half that OP_SEL says is brought down. */
static bool truth_sources(isa_wave_t *w, const isa_inst_t *i, uint32_t (*tmp)[ISA_LANES],
                          const uint32_t *s[3])
{
    if (refuse_indexing(w, i)) return false;
    for (unsigned n = 0; n < 3; n++) {
        const isa_operand_t *o = &i->src[n];
        s[n] = o->kind == ISA_OPK_VGPR ? w->vgpr[o->reg] : valu_scalar_rows(w, i, o, tmp[n], 1);
        if (!s[n]) return false;
        if (!o->sel) continue;
        for (unsigned l = 0; l < ISA_LANES; l++)
            tmp[n][l] = s[n][l] >> 16;
        s[n] = tmp[n];
    }
    return true;
}

ISA_INST(v_bitop3_b32)
{
    alignas(64) uint32_t tmp[3][ISA_LANES], result[ISA_LANES];
    const uint32_t *s[3];
    if (!truth_sources(w, i, tmp, s)) return;
    truth(result, s, (unsigned)i->imm);
    valu_blend(w->vgpr[i->dst.reg], result, 1, w->exec);
}

/* The other half of the destination is kept. */
ISA_INST(v_bitop3_b16)
{
    alignas(64) uint32_t tmp[3][ISA_LANES], result[ISA_LANES];
    const uint32_t *s[3], *dst = w->vgpr[i->dst.reg];
    const unsigned shift = i->op_sel & 8 ? 16 : 0;
    if (!truth_sources(w, i, tmp, s)) return;
    truth(result, s, (unsigned)i->imm);
    for (unsigned l = 0; l < ISA_LANES; l++)
        result[l] = (dst[l] & ~(0xffffu << shift)) | (result[l] & 0xffff) << shift;
    valu_blend(w->vgpr[i->dst.reg], result, 1, w->exec);
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
