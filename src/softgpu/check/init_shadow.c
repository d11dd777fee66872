/* init_shadow.c - the shadows of a wave's registers, and the fast path for instructions whose
 * operands are all defined, as those of nearly all instructions are.
 *
 * chk_alu_step() runs for every such instruction of a checked wave. Where nothing is undefined it
 * only loads the masks of the operands and stores those of the result. */
#include "softgpu/check/init.h"

#include <string.h>

/* ---- shadows ---- */

/* Sets the origin of every register to "never written". Most waves change few origins: those that
 * are unchanged are skipped. */
static void name_registers(chk_shadow_t *s)
{
    for (; s->rows_named < s->n_rows; s->rows_named++) {
        s->row_from[s->rows_named] = (chk_origin_t){.from = CHK_FROM_VGPR, .at = s->rows_named};
        s->row_lanes[s->rows_named] = ISA_ALL_LANES;
    }
    for (unsigned k = 0; !s->scalars_named && k <= ISA_CODE_M0; k++)
        s->scalar_from[k] = (chk_origin_t){.from = CHK_FROM_SGPR, .at = k};
    s->scalars_named = true;
}

/* The shadows of the registers from `first` up to `end`: all bits of a byte are alike. */
static void fill_scalars(chk_shadow_t *s, unsigned first, unsigned end, int byte)
{
    memset(s->scalar + first, byte, (end - first) * sizeof *s->scalar);
}

void chk_shadow_start(chk_shadow_t *s, const isa_dispatch_t *d, uint32_t scalars)
{
    /* registers that this wave does not have count as defined; clear what an earlier wave has left
     * in their shadows */
    if (d->n_vgpr < s->n_rows)
        memset(s->some + d->n_vgpr, 0, (s->n_rows - d->n_vgpr) * sizeof *s->some);
    s->acc_offset = d->acc_offset;
    s->n_rows = d->n_vgpr;
    s->mask_dwords = d->narrow ? 1 : 2;
    memset(s->some, 0xff, d->n_vgpr * sizeof *s->some);
    for (uint32_t row = 0; d->narrow && row < d->n_vgpr; row++)
        s->some[row] = isa_dispatch_full(d);
    if (s->any_part) memset(s->part, 0, sizeof s->part);
    s->any_part = false;
    memset(s->some, 0, (d->last_id_row + 1) * sizeof *s->some);
    const unsigned sgprs = d->arch->formats->sgprs;
    fill_scalars(s, 0, scalars, 0);
    fill_scalars(s, scalars, sgprs, 0xff);
    fill_scalars(s, sgprs, ISA_SCALARS, 0);
    s->scalar[ISA_CODE_VCC] = s->scalar[ISA_CODE_VCC + 1] = s->scalar[ISA_CODE_M0] = ~0u;
    name_registers(s);
    s->scc = 1;
    s->scales[0] = s->scales[1] = 0;
    s->scc_from = (chk_origin_t){.from = CHK_FROM_SGPR, .at = ISA_CODE_SCC};
    s->page_number++;
}

void chk_row_get(const chk_shadow_t *s, unsigned row, uint32_t *bits)
{
    const uint64_t some = s->some[row], part = s->part[row];
    if (!some) {
        memset(bits, 0, sizeof(isa_row_t));
        return;
    }
    for (unsigned l = 0; l < ISA_LANES; l++)
        bits[l] = (0 - (uint32_t)(some >> l & 1)) & (part >> l & 1 ? s->bits[row][l] : ~0u);
}

const chk_origin_t *chk_row_from(const chk_shadow_t *s, unsigned row, uint64_t lanes)
{
    const uint64_t some = s->some[row] & lanes, last = some & s->row_lanes[row];
    return __builtin_popcountll(last) >= __builtin_popcountll(some & ~last) ? &s->row_from[row]
                                                                            : &s->row_before[row];
}

void chk_row_set(chk_shadow_t *s, unsigned row, uint64_t lanes, const uint32_t *bits,
                 const chk_origin_t *from)
{
    uint64_t some = 0, part = 0;
    if (row >= s->n_rows) return; /* the wave has no such register */
    for (unsigned l = 0; l < ISA_LANES; l++) {
        some |= (uint64_t)(bits[l] != 0) << l;
        part |= (uint64_t)(bits[l] + 1 > 1) << l;
    }
    some &= lanes;
    part &= lanes;
    for (uint64_t left = part; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        s->bits[row][l] = bits[l];
    }
    if (some && from) {
        s->row_before[row] = *chk_row_from(s, row, ~lanes);
        s->row_from[row] = *from;
        s->row_lanes[row] = lanes;
        if (row < s->rows_named) s->rows_named = row;
    }
    s->some[row] = (s->some[row] & ~lanes) | some;
    s->part[row] = (s->part[row] & ~lanes) | part;
    s->any_part |= part != 0;
}

void chk_row_keep(const chk_shadow_t *s, unsigned row, chk_row_shadow_t *kept)
{
    kept->from = s->row_from[row];
    kept->before = s->row_before[row];
    kept->lanes = s->row_lanes[row];
    chk_row_get(s, row, kept->bits);
}

void chk_row_bring(chk_shadow_t *s, unsigned row, const chk_row_shadow_t *kept)
{
    chk_row_set(s, row, ISA_ALL_LANES, kept->bits, &kept->from);
    s->row_before[row] = kept->before;
    s->row_lanes[row] = kept->lanes;
    s->row_from[row] = kept->from;
    if (row < s->rows_named) s->rows_named = row;
}

const chk_origin_t *chk_operand_from(const chk_shadow_t *s, const isa_operand_t *o, uint64_t lanes)
{
    static const chk_origin_t nowhere;
    const unsigned n = isa_operand_dwords(o);
    for (unsigned k = 0; k < n && isa_is_row(o); k++)
        if (s->some[chk_row_of(s, o) + k] & lanes)
            return chk_row_from(s, chk_row_of(s, o) + k, lanes);
    for (unsigned k = 0; k < n && o->kind == ISA_OPK_SGPR; k++)
        if (s->scalar[o->reg + k]) return &s->scalar_from[o->reg + k];
    return o->kind == ISA_OPK_SPECIAL ? &s->scc_from : &nowhere;
}

void chk_operand_define(chk_shadow_t *s, const isa_operand_t *o, uint64_t lanes)
{
    const unsigned n = isa_operand_dwords(o);
    if (isa_is_row(o)) {
        for (unsigned k = 0; k < n; k++)
            s->some[chk_row_of(s, o) + k] &= ~lanes;
    } else if (o->kind == ISA_OPK_SGPR) {
        memset(&s->scalar[o->reg], 0, n * sizeof *s->scalar);
    }
}

/* ---- instructions with defined operands ---- */

/* The numbers that M0 adds to those of the destination's and the source's register. */
typedef struct {
    uint32_t to, from;
} relative_t;

static relative_t relative_of(unsigned op, uint32_t m0)
{
    const relative_t both = {m0 >> 16 & 0x3ff, m0 & 0x3ff};
    switch (op) {
    case ISA_OP_s_movrels_b32:
    case ISA_OP_s_movrels_b64:
    case ISA_OP_v_movrels_b32: return (relative_t){0, m0};
    case ISA_OP_s_movreld_b32:
    case ISA_OP_s_movreld_b64:
    case ISA_OP_v_movreld_b32: return (relative_t){m0, 0};
    case ISA_OP_v_movrelsd_b32: return (relative_t){m0, m0};
    default: return both; /* v_movrelsd_2, s_movrelsd_2, v_swaprel */
    }
}

/* The plain instruction with the same operation as one with relative registers. */
static uint16_t plain_of(unsigned op, unsigned dwords)
{
    if (op == ISA_OP_v_swaprel_b32) return ISA_OP_v_swap_b32;
    if (isa_table[op].klass == ISA_CLASS_VALU) return ISA_OP_v_mov_b32;
    return dwords == 2 ? ISA_OP_s_mov_b64 : ISA_OP_s_mov_b32;
}

/* Adds `by` to an operand's register number; an operand that has no register is left as it is. */
static void move_register(const isa_wave_t *w, isa_operand_t *o, uint32_t by)
{
    const uint32_t n = w->group->dispatch->n_vgpr, rows = n < ISA_VGPRS ? n : ISA_VGPRS;
    const uint64_t reg = (uint64_t)o->reg + by;
    if (o->kind == ISA_OPK_SGPR && reg + isa_operand_dwords(o) <= ISA_SCALARS)
        o->reg = (uint16_t)reg;
    if (o->kind == ISA_OPK_VGPR && reg < rows) o->reg = (uint16_t)reg;
}

/* The instruction with the register numbers that it actually uses, if M0 or the indexing mode
 * changes them. */
static const isa_inst_t *resolve(const isa_wave_t *w, const isa_inst_t *i, isa_inst_t *room)
{
    const bool relative = chk_alu_table[i->op].quick & CHK_QUICK_MOVREL,
               indexed =
                   w->mode & ISA_MODE_GPR_IDX && i->fmt >= ISA_FMT_VOP1 && i->fmt <= ISA_FMT_VOP3P;
    if (!relative && !indexed) return i;
    *room = *i;
    if (relative) {
        const relative_t by = relative_of(i->op, w->m0);
        room->op = plain_of(i->op, isa_operand_dwords(by.from ? &i->src[0] : &i->dst));
        move_register(w, &room->dst, by.to);
        move_register(w, &room->src[0], by.from);
        return room;
    }
    for (unsigned n = 0; n < 4; n++) {
        isa_operand_t *o = n < 3 ? &room->src[n] : &room->dst;
        const uint32_t reg = o->reg + (w->m0 >> (12 + n) & 1 ? w->m0 & 0xff : 0);
        if (o->kind == ISA_OPK_VGPR && reg < ISA_WAVE_VGPRS) o->reg = (uint16_t)reg;
    }
    return room;
}

/* Marks all results of the instruction as defined, since all its operands are. */
static inline void define_results(chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i,
                                  unsigned quick)
{
    if (isa_is_row(&i->dst)) {
        const unsigned row = chk_row_of(s, &i->dst), n = isa_operand_dwords(&i->dst);
        const uint64_t others = quick & CHK_QUICK_ALL_LANES ? 0 : ~w->exec;
        for (unsigned k = 0; k < n; k++)
            s->some[row + k] &= others;
    } else if (i->dst.kind == ISA_OPK_SGPR) {
        s->scalar[i->dst.reg] = 0; /* one or two dwords: too few for a memset to pay */
        if (i->dst.bits > 32) s->scalar[i->dst.reg + 1] = 0;
    }
    if (i->dst2.kind == ISA_OPK_SGPR)
        for (unsigned k = 0; k < s->mask_dwords; k++)
            s->scalar[i->dst2.reg + k] = 0;
    else if (quick & CHK_QUICK_TO_VCC && i->dst.kind != ISA_OPK_SGPR)
        chk_vcc_define(s);
    if (quick & CHK_QUICK_TO_SCC) s->scc = 0;
}

/* Not 0 if a register that the instruction reads, but that is no operand of it, has undefined
 * bits. */
static uint64_t implicit_some(const chk_shadow_t *s, unsigned quick)
{
    uint64_t some = 0;
    if (quick & CHK_QUICK_SCALED) some |= s->scales[0] | s->scales[1];
    if (quick & CHK_QUICK_OF_SCC) some |= s->scc;
    if (quick & CHK_QUICK_OF_VCC) some |= chk_vcc_some(s);
    return some;
}

void chk_alu_step(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i)
{
    isa_inst_t room;
    if (__builtin_expect(
            w->mode & ISA_MODE_GPR_IDX || chk_alu_table[i->op].quick & CHK_QUICK_MOVREL, 0))
        i = resolve(w, i, &room);
    const unsigned quick = chk_alu_table[i->op].quick;
    uint64_t some = chk_operand_some(s, &i->src[0]) | chk_operand_some(s, &i->src[1]) |
                    chk_operand_some(s, &i->src[2]);
    /* an inactive lane matters only if the instruction reads across lanes */
    if (quick & CHK_QUICK_LANES && !(i->flags & ISA_F_DPP)) some &= w->exec;
    if (quick & CHK_QUICK_OLD || chk_is_partial(i))
        some |= chk_operand_some(s, &i->dst) &
                (quick & CHK_QUICK_ALL_LANES || !isa_is_row(&i->dst) ? ISA_ALL_LANES : w->exec);
    if (__builtin_expect(quick & CHK_QUICK_IMPLICIT, 0)) some |= implicit_some(s, quick);
    if (__builtin_expect(!some || quick & CHK_QUICK_KNOWN, 1))
        define_results(s, w, i, quick);
    else
        chk_alu_slow(l, s, w, i);
}
