/* valu_lane.c - instructions that move registers as a whole or single lanes of them.
 *
 * v_readlane and v_writelane ignore EXEC; v_readfirstlane uses it only to find a lane; the other
 * instructions move only active lanes. None of them has modifiers. */
#include "softgpu/exec/valu.h"

/* It is not documented which of these instructions obey register indexing, and no compiler combines
 * the two: such a combination stops the wave. */
static bool refuse_indexing(isa_wave_t *w, const isa_inst_t *i)
{
    if (!(w->mode & ISA_MODE_GPR_IDX)) return false;
    isa_stop_unsupported(w, i, "register indexing");
    return true;
}

ISA_INST(v_readfirstlane_b32)
{
    const unsigned lane = w->exec ? (unsigned)__builtin_ctzll(w->exec) : 0;
    if (refuse_indexing(w, i)) return;
    w->sgpr[i->dst.reg] =
        isa_is_row(&i->src[0]) ? isa_row_of(w, &i->src[0])[0][lane] : isa_read32(w, &i->src[0]);
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

/* Exchanges `n` lanes of vdst, from lane `upper` on, with as many lanes of src0, from `lower` on. A
 * lane that is not active keeps its value. The active lane with which it would be exchanged gets
 * that value with FI; with BOUND_CTRL it gets 0; else it keeps its own. The manuals describe the
 * instruction only for a full EXEC; the rest is an assumption. */
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

/* Exchanges the odd rows of 16 lanes of vdst with the even ones of src0. */
ISA_INST(v_permlane16_swap_b32)
{
    if (refuse_indexing(w, i)) return;
    swap_lanes(w, i, 16, 0, 16);
    swap_lanes(w, i, 48, 32, 16);
}

/* Exchanges the upper 32 lanes of vdst with the lower ones of src0. */
ISA_INST(v_permlane32_swap_b32)
{
    if (refuse_indexing(w, i)) return;
    swap_lanes(w, i, 32, 0, 32);
}

/* Each lane gets the value that src0 has in a lane of the same row of 16, or, if `flip` is 16, of
 * the other row of the pair: four bits for each lane of a row select the source lane. */
static void permute_rows(isa_wave_t *w, const isa_inst_t *i, unsigned flip)
{
    const bool inactive_too = i->op_sel & 1, zero = i->op_sel & 2;
    const uint64_t select = isa_read32(w, &i->src[1]) | (uint64_t)isa_read32(w, &i->src[2]) << 32;
    const uint32_t *from = *isa_row_of(w, &i->src[0]);
    uint32_t *to = *isa_row_of(w, &i->dst);
    alignas(64) uint32_t result[ISA_LANES];
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const unsigned lane = ((l & ~15u) ^ flip) | (select >> 4 * (l & 15) & 15);
        const bool read = inactive_too || w->exec >> lane & 1;
        result[l] = read ? from[lane] : zero ? 0 : to[l];
    }
    valu_blend(to, result, 1, w->exec);
}

ISA_INST(v_permlane16_b32)
{
    permute_rows(w, i, 0);
}

ISA_INST(v_permlanex16_b32)
{
    permute_rows(w, i, 16);
}

/* As permute_rows(), with the source lane in the lane's own second source. */
static void permute_rows_by(isa_wave_t *w, const isa_inst_t *i, unsigned flip)
{
    const bool inactive_too = i->op_sel & 1, zero = i->op_sel & 2;
    const uint32_t *from = *isa_row_of(w, &i->src[0]), *select = *isa_row_of(w, &i->src[1]);
    uint32_t *to = *isa_row_of(w, &i->dst);
    alignas(64) uint32_t result[ISA_LANES];
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const unsigned lane = ((l & ~15u) ^ flip) | (select[l] & 15);
        const bool read = inactive_too || w->exec >> lane & 1;
        result[l] = read ? from[lane] : zero ? 0 : to[l];
    }
    valu_blend(to, result, 1, w->exec);
}

ISA_INST(v_permlane16_var_b32)
{
    permute_rows_by(w, i, 0);
}

ISA_INST(v_permlanex16_var_b32)
{
    permute_rows_by(w, i, 16);
}

/* ---- v_movrel: registers whose numbers M0 is added to. If there is no register of that number, a
 * source is v0, and nothing is written to a destination. ---- */

typedef struct {
    uint32_t to, from; /* added to the registers' numbers */
} relative_t;

static bool relative(isa_wave_t *w, const isa_inst_t *i, const uint32_t **from, uint32_t **to,
                     relative_t by, uint32_t *room)
{
    const uint32_t n = w->group->dispatch->n_vgpr;
    const uint64_t end = n && n < ISA_VGPRS ? n : ISA_VGPRS;
    const uint64_t d = (uint64_t)i->dst.reg + by.to, s = (uint64_t)i->src[0].reg + by.from;
    if (i->flags & (ISA_F_SDWA | ISA_F_DPP)) {
        isa_stop_unsupported(w, i, "a part of a register, or another lane's");
        return false;
    }
    if (i->src[0].kind == ISA_OPK_VGPR)
        *from = w->vgpr[s < end ? s : 0];
    else
        *from = valu_scalar_rows(w, i, &i->src[0], room, 1);
    *to = d < end ? w->vgpr[d] : NULL;
    return *from != NULL;
}

#define MOVE_RELATIVE(name, to_by, from_by)                                                        \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        alignas(64) uint32_t room[ISA_LANES];                                                      \
        const uint32_t *from;                                                                      \
        uint32_t *to;                                                                              \
        if (relative(w, i, &from, &to, (relative_t){(to_by), (from_by)}, room) && to)              \
            valu_blend(to, from, 1, w->exec);                                                      \
    }

#define TO_BY   (w->m0 >> 16 & 0x3ff)
#define FROM_BY (w->m0 & 0x3ff)
MOVE_RELATIVE(v_movreld_b32, w->m0, 0)
MOVE_RELATIVE(v_movrels_b32, 0, w->m0)
MOVE_RELATIVE(v_movrelsd_b32, w->m0, w->m0)
MOVE_RELATIVE(v_movrelsd_2_b32, TO_BY, FROM_BY)

ISA_INST(v_swaprel_b32)
{
    alignas(64) uint32_t saved[ISA_LANES];
    const uint32_t *from;
    uint32_t *to;
    if (!relative(w, i, &from, &to, (relative_t){TO_BY, FROM_BY}, saved) || !to) return;
    uint32_t *const other = (uint32_t *)(uintptr_t)from;
    memcpy(saved, to, sizeof saved);
    valu_blend(to, other, 1, w->exec);
    valu_blend(other, saved, 1, w->exec);
}

/* ---- any function of three bits ---- */

/* Bit 4 * a + 2 * b + c of the table is the bit of the result for bits a, b, c of the sources. */
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

/* The rows of the sources; for 16-bit sources, the half that OP_SEL selects is moved to the low
 * half. */
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
    const uint32_t *row = isa_is_row(o) ? *isa_row_of(w, o) : valu_scalar_rows(w, i, o, tmp, 1);
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
ISA_INST(v_pipeflush) {}

/* Exception flags are not accumulated, so there are none to clear. */
ISA_INST(v_clrexcp) {}
