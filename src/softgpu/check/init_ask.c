/* init_ask.c - runs an instruction on other values of its undefined operands, to find which bits of
 * the result depend on them.
 *
 * The instruction runs on a wave that belongs to the checker (the lab), with all undefined bits of
 * an operand 0, and all 1, in every combination of the operands. Bits of the result that differ are
 * undefined. That way modifiers, selects and lane permutations need no rules of their own. */
#include "softgpu/check/init_ask.h"

#include "softgpu/exec/code.h"
#include "softgpu/exec/interp.h"

#include <stdlib.h>
#include <string.h>

/* A stand-in for the code page of instructions that run in the lab: the executor's messages give
 * addresses in it. */
static isa_page_t no_code;
/* Until the first wave of the program is checked, instructions run as on the first GPU of the
 * table. */
static isa_dispatch_t no_dispatch = {.arch = isa_archs};
static isa_group_t no_group = {.dispatch = &no_dispatch};

bool chk_lab_make(chk_lab_t *l)
{
    l->rows = aligned_alloc(64, ISA_VGPR_ROWS * sizeof *l->rows);
    if (!l->rows) return false;
    memset(l->rows, 0, ISA_VGPR_ROWS * sizeof *l->rows);
    l->wave = (isa_wave_t){.vgpr = l->rows, .page = &no_code, .group = &no_group, .exec = 0};
    return true;
}

void chk_lab_free(chk_lab_t *l)
{
    free(l->rows);
    l->rows = NULL;
}

/* ---- an instruction with an undefined operand ---- */

void chk_ask_results(chk_ask_t *f)
{
    const isa_inst_t *i = f->i;
    const bool compares = i->fmt == ISA_FMT_VOPC || f->op->fmt == ISA_FMT_VOPC;
    f->rows = isa_is_row(&i->dst) ? isa_operand_dwords(&i->dst) : 0;
    f->mask = 0;
    f->mask_dwords = f->s->mask_dwords;
    if (i->dst2.kind == ISA_OPK_SGPR) {
        f->mask = i->dst2.reg;
    } else if (compares || f->op->writes & ISA_REG_VCC) {
        f->mask = i->dst.kind == ISA_OPK_SGPR ? i->dst.reg : ISA_CODE_VCC;
    } else if (i->dst.kind == ISA_OPK_SGPR) {
        f->mask = i->dst.reg;
        f->mask_dwords = isa_operand_dwords(&i->dst);
    }
}

static void copy_rows(chk_ask_t *f, const isa_operand_t *o)
{
    const unsigned row = chk_row_of(f->s, o), n = isa_operand_dwords(o);
    if (isa_is_row(o)) memcpy(f->lab->rows[row], f->w->vgpr[row], n * sizeof(isa_row_t));
}

void chk_ask_prepare(chk_ask_t *f)
{
    isa_wave_t *l = &f->lab->wave;
    memcpy(l->sgpr, f->w->sgpr, sizeof l->sgpr);
    l->scc = f->w->scc;
    l->mode =
        f->w->mode & ~(uint32_t)ISA_MODE_GPR_IDX; /* no indexing mode: the caller has put the final
                                                     register numbers into the operands */
    l->acc_offset = f->w->acc_offset;
    l->group = f->w->group;
    l->stop = 0;
    for (unsigned k = 0; k < 3; k++)
        copy_rows(f, &f->i->src[k]);
    copy_rows(f, &f->i->dst);
}

bool chk_ask_run(chk_ask_t *f, const isa_inst_t *i)
{
    isa_wave_t *l = &f->lab->wave;
    isa_handler_t *handler = f->lab->core->handlers[i->op];
    if (!handler) return false;
    handler(l, i);
    return !l->stop;
}

static void set_variable(chk_ask_t *f, const chk_variable_t *v, bool high)
{
    isa_wave_t *l = &f->lab->wave;
    isa_row_t u;
    if (v->kind == CHK_VARY_SCC) {
        l->scc = high;
        return;
    }
    for (unsigned k = 0; k < v->n; k++) {
        if (v->kind == CHK_VARY_SCALARS) {
            const uint32_t bits = f->s->scalar[v->at + k], x = f->w->sgpr[v->at + k];
            l->sgpr[v->at + k] = high ? x | bits : x & ~bits;
            continue;
        }
        uint32_t *row = f->lab->rows[v->at + k];
        const uint32_t *x = f->w->vgpr[v->at + k];
        chk_row_get(f->s, v->at + k, u);
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            row[lane] = high ? x[lane] | u[lane] : x[lane] & ~u[lane];
    }
}

static void take_results(const chk_ask_t *f, chk_result_t *r)
{
    const isa_wave_t *l = &f->lab->wave;
    const unsigned row = chk_row_of(f->s, &f->i->dst);
    for (unsigned k = 0; k < f->rows; k++)
        memcpy(r->row[k], f->lab->rows[row + k], sizeof r->row[k]);
    if (f->a->swaps)
        memcpy(r->row[1], f->lab->rows[chk_row_of(f->s, &f->i->src[0])], sizeof r->row[1]);
    for (unsigned k = 0; chk_ask_has_mask(f) && k < f->mask_dwords; k++)
        r->scalar[k] = l->sgpr[f->mask + k];
    r->exec[0] = l->sgpr[ISA_CODE_EXEC];
    r->exec[1] = l->sgpr[ISA_CODE_EXEC + 1];
    r->scc = l->scc;
}

void chk_ask_name_from(chk_ask_t *f, const chk_origin_t *from, unsigned much)
{
    if (much <= f->named) return;
    f->named = much;
    f->from = *from;
}

void chk_ask_name(chk_ask_t *f, const isa_operand_t *o, uint64_t lanes)
{
    unsigned much = 0;
    lanes &= f->reads;
    if (f->scalar && o->kind == ISA_OPK_SGPR)
        for (unsigned k = 0; k < isa_operand_dwords(o); k++)
            much += (unsigned)__builtin_popcount(f->s->scalar[o->reg + k]);
    else
        much = (unsigned)__builtin_popcountll(chk_operand_some(f->s, o) & lanes);
    if (much > f->named) chk_ask_name_from(f, chk_operand_from(f->s, o, lanes), much);
}

static void add_variable(chk_ask_t *f, unsigned kind, unsigned at, unsigned n)
{
    for (unsigned k = 0; k < f->variables; k++)
        if (f->variable[k].kind == kind && f->variable[k].at == at) {
            if (n > f->variable[k].n) f->variable[k].n = n;
            return;
        }
    if (f->variables < CHK_VARIABLES) f->variable[f->variables++] = (chk_variable_t){kind, at, n};
}

static void add_operand(chk_ask_t *f, const isa_operand_t *o, uint64_t lanes, bool names)
{
    const unsigned n = isa_operand_dwords(o);
    if (!(chk_operand_some(f->s, o) & lanes)) return;
    if (names) chk_ask_name(f, o, lanes);
    if (isa_is_row(o))
        add_variable(f, CHK_VARY_ROWS, chk_row_of(f->s, o), n);
    else if (o->kind == ISA_OPK_SGPR)
        add_variable(f, CHK_VARY_SCALARS, o->reg, n);
    else
        add_variable(f, CHK_VARY_SCC, 0, 1);
}

static void add_scc(chk_ask_t *f)
{
    if (!f->s->scc || !(f->op->reads & ISA_REG_SCC)) return;
    chk_ask_name_from(f, &f->s->scc_from, 1);
    add_variable(f, CHK_VARY_SCC, 0, 1);
}

bool chk_ask_all(chk_ask_t *f)
{
    chk_result_t r;
    memset(&f->differ, 0, sizeof f->differ);
    for (unsigned c = 0; c < 1u << f->variables; c++) {
        chk_ask_prepare(f);
        for (unsigned k = 0; k < f->variables; k++)
            set_variable(f, &f->variable[k], c >> k & 1);
        if (!chk_ask_run(f, f->i)) return false;
        if (!c) {
            take_results(f, &f->first);
            continue;
        }
        take_results(f, &r);
        for (unsigned k = 0; k < f->rows + f->a->swaps; k++)
            for (unsigned l = 0; l < ISA_LANES; l++)
                f->differ.row[k][l] |= r.row[k][l] ^ f->first.row[k][l];
        for (unsigned k = 0; chk_ask_has_mask(f) && k < f->mask_dwords; k++)
            f->differ.scalar[k] |= r.scalar[k] ^ f->first.scalar[k];
        for (unsigned k = 0; k < 2; k++)
            f->differ.exec[k] |= r.exec[k] ^ f->first.exec[k];
        f->differ.scc |= r.scc ^ f->first.scc;
    }
    return true;
}

/* ---- operands as an instruction sees them ---- */

/* A move with the instruction's DPP. */
static isa_inst_t dpp_move(const isa_inst_t *i)
{
    enum { DPP = ISA_F_DPP | ISA_F_DPP8 | ISA_F_FI };
    isa_inst_t move = {.op = ISA_OP_v_mov_b32, .fmt = ISA_FMT_VOP1};
    if (!(i->flags & ISA_F_DPP)) return move;
    move.flags = i->flags & DPP;
    move.dpp_ctrl = i->dpp_ctrl;
    move.dpp_masks = i->dpp_masks;
    move.dpp_bound = i->dpp_bound;
    move.imm = i->imm;
    return move;
}

/* A row as the lanes read it through DPP, where a lane without a source reads 0. */
static void permute(chk_ask_t *f, uint32_t *row)
{
    isa_wave_t *l = &f->lab->wave;
    const isa_operand_t from = {
        .kind = ISA_OPK_VGPR, .bits = 32, .sel = ISA_SEL_DWORD, .reg = CHK_FRESH};
    isa_inst_t move = dpp_move(f->i);
    move.dpp_masks = 0xff;
    move.dpp_bound = 1;
    move.dst = move.src[0] = from;
    move.dst.reg++;
    l->exec = f->w->exec;
    l->mode = ISA_MODE_FLOAT_PLAIN;
    l->stop = 0;
    memcpy(f->lab->rows[CHK_FRESH], row, sizeof(isa_row_t));
    if (chk_ask_run(f, &move)) memcpy(row, f->lab->rows[CHK_FRESH + 1], sizeof(isa_row_t));
}

/* The lanes in which the old value of the destination may matter. Of an operand from another lane
 * these are the lanes that are on and have none. */
static uint64_t old_lanes(chk_ask_t *f)
{
    isa_wave_t *l = &f->lab->wave;
    isa_inst_t move = dpp_move(f->i);
    uint64_t kept = 0;
    const bool half = f->i->flags & ISA_F_DSTSEL || f->i->dst.bits < 32;
    if (f->a->old || half || !(f->i->flags & ISA_F_DPP) || !isa_is_row(&f->i->dst))
        return ISA_ALL_LANES;
    move.dst =
        (isa_operand_t){.kind = ISA_OPK_VGPR, .bits = 32, .sel = ISA_SEL_DWORD, .reg = CHK_FRESH};
    move.src[0] = move.dst;
    move.src[0].reg++;
    l->exec = f->w->exec;
    l->mode = ISA_MODE_FLOAT_PLAIN;
    l->stop = 0;
    memset(f->lab->rows[CHK_FRESH], 0xff, sizeof(isa_row_t));
    memset(f->lab->rows[CHK_FRESH + 1], 0, sizeof(isa_row_t));
    if (!chk_ask_run(f, &move)) return ISA_ALL_LANES;
    for (unsigned n = 0; n < ISA_LANES; n++)
        kept |= (uint64_t)(f->lab->rows[CHK_FRESH][n] & 1) << n;
    return kept & f->lanes;
}

void chk_ask_variables(chk_ask_t *f, unsigned without)
{
    f->variables = 0;
    for (unsigned k = 0; k < 3; k++)
        if (!(without >> k & 1)) add_operand(f, &f->i->src[k], ISA_ALL_LANES, true);
    /* Where it is not certain that a part of what the register held before stays, a source comes
       first. */
    const bool names = f->a->old || chk_keeps_part(f->i) || !f->named;
    if (f->with_old) add_operand(f, &f->i->dst, old_lanes(f), names);
    add_scc(f);
}

/* Extracts the `width` bits from bit `shift` on; `sext`: with sign extension. */
static void select_part(uint32_t *row, unsigned shift, unsigned width, bool sext)
{
    const unsigned above = 32 - width;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const uint32_t x = row[l] >> shift << above;
        row[l] = sext ? (uint32_t)((int32_t)x >> above) : x >> above;
    }
}

static void fetch_rows(const chk_ask_t *f, const isa_operand_t *o, bool values, chk_view_t *v)
{
    for (unsigned k = 0; k < v->rows; k++) {
        if (isa_is_row(o)) {
            const unsigned row = chk_row_of(f->s, o) + k;
            if (values)
                memcpy(v->row[k], f->w->vgpr[row], sizeof v->row[k]);
            else
                chk_row_get(f->s, row, v->row[k]);
            continue;
        }
        uint32_t x = 0;
        if (o->kind == ISA_OPK_SGPR)
            x = values ? f->w->sgpr[o->reg + k] : f->s->scalar[o->reg + k];
        else if (o->kind == ISA_OPK_CONST)
            x = values ? (uint32_t)(o->k >> 32 * (k & 1)) : 0;
        else if (values)
            x = (uint32_t)(isa_special(f->w, o->reg) >> 32 * (k & 1));
        else if (o->reg == ISA_CODE_SCC)
            x = f->s->scc ? ~0u : 0;
        for (unsigned l = 0; l < ISA_LANES; l++)
            v->row[k][l] = x;
    }
}

bool chk_ask_is_half(const isa_field_t *field)
{
    return field &&
           (field->type == ISA_T_B16 || field->type == ISA_T_F16 || field->type == ISA_T_BF16);
}

bool chk_ask_is_half_sum(const chk_ask_t *f)
{
    return f->a->tied && f->op->math.kind == ISA_MATH_FMA_F16 && !(f->op->marks & ISA_IS_PACKED) &&
           chk_ask_is_half(isa_field(f->op, ISA_ROLE_SRC0));
}

void chk_ask_look(chk_ask_t *f, unsigned n, bool values, chk_view_t *v)
{
    static const isa_role_t roles[3] = {ISA_ROLE_SRC0, ISA_ROLE_SRC1, ISA_ROLE_SRC2};
    const isa_operand_t *o = &f->i->src[n];
    const isa_field_t *field = isa_field(f->op, roles[n]);
    const unsigned type = field ? field->type : ISA_T_BITS;
    const bool mixed = f->op->fmt == ISA_FMT_VOP3P && type == ISA_T_F16;
    v->rows = isa_operand_dwords(o) > 4 ? 4 : isa_operand_dwords(o);
    v->packed = type >= ISA_T_V2B16;
    fetch_rows(f, o, values, v);
    if (n == 0 && f->i->flags & ISA_F_DPP)
        for (unsigned k = 0; k < v->rows; k++)
            permute(f, v->row[k]);
    const unsigned of_quad = isa_quad_lane(f->op, n);
    if (of_quad != ISA_OWN_LANE) {
        isa_row_t own;
        memcpy(own, v->row[0], sizeof own);
        isa_quad_spread(v->row[0], own, of_quad);
    }
    if (f->i->flags & ISA_F_SDWA && o->sel < ISA_SEL_DWORD)
        select_part(v->row[0], isa_sel_shift(o->sel), isa_sel_width(o->sel),
                    o->mods & ISA_MOD_SEXT);
    else if (mixed ? o->sel & 2 : chk_ask_is_half(field) && !(f->op->marks & ISA_IS_PACKED))
        select_part(v->row[0], o->sel & 1 && !(f->i->flags & ISA_F_SDWA) ? 16 : 0, 16, false);
    for (unsigned l = 0; l < ISA_LANES && n < 2; l++)
        v->row[0][l] &= f->a->of.seen;
    if (!v->packed || f->i->fmt != ISA_FMT_VOP3P) return;
    const bool low = o->sel & 1, high = o->sel & 2;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const uint32_t x = v->row[0][l], y = v->row[1][l];
        if (v->rows == 1) {
            v->row[0][l] = (x >> (low ? 16 : 0) & 0xffff) | x >> (high ? 16 : 0) << 16;
        } else {
            v->row[0][l] = low ? y : x;
            v->row[1][l] = high ? y : x;
        }
    }
}

uint64_t chk_ask_controls(chk_ask_t *f)
{
    uint64_t lanes = 0;
    chk_view_t v;
    for (unsigned n = 0; n < 3; n++) {
        if (!(f->a->of.control >> n & 1) || !chk_operand_some(f->s, &f->i->src[n])) continue;
        chk_ask_look(f, n, false, &v);
        for (unsigned l = 0; l < ISA_LANES; l++)
            lanes |= (uint64_t)((v.row[0][l] & f->a->of.control_bits) != 0) << l;
        if (lanes) chk_ask_name(f, &f->i->src[n], ISA_ALL_LANES);
    }
    return lanes;
}

/* ---- results ---- */

void chk_ask_set_scalars(chk_ask_t *f, unsigned reg, const uint32_t *bits, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        chk_scalar_set(f->s, reg + k, bits[k], &f->from);
}

void chk_ask_set_mask(chk_ask_t *f, uint64_t lanes)
{
    const uint32_t bits[2] = {(uint32_t)lanes, (uint32_t)(lanes >> 32)};
    if (!chk_ask_has_mask(f)) return;
    chk_ask_set_scalars(f, f->mask, bits, f->mask_dwords < 2 ? f->mask_dwords : 2);
    if (f->op->writes & ISA_REG_EXEC && f->op->fmt == ISA_FMT_VOPC)
        chk_ask_set_scalars(f, ISA_CODE_EXEC, bits, 2);
}

void chk_ask_set_scc(chk_ask_t *f, bool undefined)
{
    if (!(f->op->writes & ISA_REG_SCC)) return;
    f->s->scc = undefined;
    if (undefined) f->s->scc_from = f->from;
}

/* For each row of the destination, the bits that the instruction writes: it runs with a destination
 * of zeros and one of ones, and bits of the results that differ were not written. */
static void find_written(chk_ask_t *f, isa_row_t *written)
{
    isa_inst_t i = *f->i;
    isa_wave_t *l = &f->lab->wave;
    isa_row_t low[CHK_RESULTS];
    if (!f->with_old || f->scalar) {
        for (unsigned k = 0; k < f->rows; k++)
            for (unsigned n = 0; n < ISA_LANES; n++)
                written[k][n] = 0 - (uint32_t)(f->lanes >> n & 1);
        return;
    }
    if (f->a->tied) { /* The destination is an operand, whose value must not vary: a move with the
                         same DPP shows at least which lanes are left alone. */
        i = dpp_move(f->i);
        i.src[0] = (isa_operand_t){
            .kind = ISA_OPK_VGPR, .bits = 32, .sel = ISA_SEL_DWORD, .reg = CHK_FRESH + CHK_RESULTS};
        i.dst = f->i->dst;
    }
    i.dst.kind = ISA_OPK_VGPR;
    i.dst.reg = CHK_FRESH;
    for (unsigned high = 0; high < 2; high++) {
        chk_ask_prepare(f);
        memset(f->lab->rows[CHK_FRESH], high ? 0xff : 0, CHK_RESULTS * sizeof(isa_row_t));
        memset(f->lab->rows[CHK_FRESH + CHK_RESULTS], 0, sizeof(isa_row_t));
        const bool ran = chk_ask_run(f, &i);
        for (unsigned k = 0; k < f->rows; k++) {
            const uint32_t *row = f->lab->rows[f->a->tied ? CHK_FRESH : CHK_FRESH + k];
            for (unsigned n = 0; n < ISA_LANES; n++) {
                if (!high)
                    low[k][n] = row[n];
                else
                    written[k][n] = ran ? ~(low[k][n] ^ row[n]) : 0 - (uint32_t)(l->exec >> n & 1);
                if (high && chk_ask_is_half_sum(f))
                    written[k][n] &= f->i->op_sel & 8 ? 0xffff0000 : 0xffff;
            }
        }
    }
}

void chk_ask_set_rows(chk_ask_t *f, const isa_row_t *u)
{
    isa_row_t written[CHK_RESULTS], old, now;
    const unsigned row = chk_row_of(f->s, &f->i->dst);
    find_written(f, written);
    for (unsigned k = 0; k < f->rows; k++) {
        uint64_t made = 0; /* lanes in which the instruction writes an undefined bit */
        chk_row_get(f->s, row + k, old);
        for (unsigned l = 0; l < ISA_LANES; l++) {
            made |= (uint64_t)((u[k][l] & written[k][l]) != 0) << l;
            now[l] = (u[k][l] & written[k][l]) | (old[l] & ~written[k][l]);
        }
        chk_row_set(f->s, row + k, ~made, now, NULL);
        chk_row_set(f->s, row + k, made, now, f->named ? &f->from : NULL);
    }
}
