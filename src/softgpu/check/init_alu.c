/* init_alu.c - what instructions between registers make of undefined operands.
 *
 * Where an operand has undefined bits the instruction itself is asked: it runs on a wave of our own
 * with all of these 0, and all 1, in every combination of its operands; bits of the result that
 * differ are undefined. Modifiers, selects and lane permutations need no rules of their own that
 * way. What kind of function an instruction is, and whether that answers the question, is
 * init_rules.c's. */
#include "softgpu/check/init.h"

#include "softgpu/isa/code.h"

#include <stdlib.h>
#include <string.h>

enum {
    VARIABLES = 6,
    RESULTS = 8, /* rows */
    FRESH = 520  /* rows of our own wave that no kernel has */
};

/* Messages give addresses in it. */
static isa_page_t no_code;
static isa_dispatch_t no_dispatch;
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

/* What the instruction reads: registers that vary together. */
typedef struct {
    enum { ROWS, SCALARS, SCC } kind;
    unsigned at, n;
} variable_t;

typedef struct {
    isa_row_t row[RESULTS];
    uint32_t scalar[4], exec[2], scc; /* scalar: dst or dst2 */
} result_t;

typedef struct {
    chk_lab_t *lab;
    chk_shadow_t *s;
    const isa_wave_t *w;
    const isa_inst_t *i;
    const chk_alu_t *a;
    const isa_row_desc_t *op;
    bool scalar;         /* an instruction without lanes */
    bool with_old;       /* a part of the destination may be left alone */
    unsigned rows, mask; /* of dst; scalar register of the result that is no row, 0: none */
    unsigned mask_dwords;
    uint64_t lanes; /* that are written */
    variable_t variable[VARIABLES];
    unsigned variables;
    chk_origin_t from;
    result_t first, differ;
} frame_t;

/* The scalar register that takes what is not for rows: a lane mask, or the result. */
static void find_results(frame_t *f)
{
    const isa_inst_t *i = f->i;
    const bool compares = i->fmt == ISA_FMT_VOPC || f->op->fmt == ISA_FMT_VOPC;
    f->rows = chk_is_row(&i->dst) ? chk_dwords(&i->dst) : 0;
    f->mask = 0;
    f->mask_dwords = 2;
    if (i->dst2.kind == ISA_OPK_SGPR) {
        f->mask = i->dst2.reg;
    } else if (compares || f->op->writes & ISA_REG_VCC) {
        f->mask = i->dst.kind == ISA_OPK_SGPR ? i->dst.reg : ISA_CODE_VCC;
    } else if (i->dst.kind == ISA_OPK_SGPR) {
        f->mask = i->dst.reg;
        f->mask_dwords = chk_dwords(&i->dst);
    }
}

static bool has_mask(const frame_t *f)
{
    return f->mask || f->i->dst.kind == ISA_OPK_SGPR || f->i->dst2.kind == ISA_OPK_SGPR;
}

static void copy_rows(frame_t *f, const isa_operand_t *o)
{
    const unsigned row = chk_row_of(f->s, o), n = chk_dwords(o);
    if (chk_is_row(o)) memcpy(f->lab->rows[row], f->w->vgpr[row], n * sizeof(isa_row_t));
}

/* Our wave as the program's is. */
static void prepare(frame_t *f)
{
    isa_wave_t *l = &f->lab->wave;
    memcpy(l->sgpr, f->w->sgpr, sizeof l->sgpr);
    l->scc = f->w->scc;
    l->mode = f->w->mode & ~(1u << 27); /* registers are those that are named */
    l->acc_offset = f->w->acc_offset;
    l->group = f->w->group;
    l->stop = 0;
    for (unsigned k = 0; k < 3; k++)
        copy_rows(f, &f->i->src[k]);
    copy_rows(f, &f->i->dst);
}

static bool run(frame_t *f, const isa_inst_t *i)
{
    isa_wave_t *l = &f->lab->wave;
    isa_handler_t *handler = f->lab->core->handlers[i->op];
    if (!handler) return false;
    handler(l, i);
    return !l->stop;
}

static void set_variable(frame_t *f, const variable_t *v, bool high)
{
    isa_wave_t *l = &f->lab->wave;
    isa_row_t u;
    if (v->kind == SCC) {
        l->scc = high;
        return;
    }
    for (unsigned k = 0; k < v->n; k++) {
        if (v->kind == SCALARS) {
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

static void take_results(const frame_t *f, result_t *r)
{
    const isa_wave_t *l = &f->lab->wave;
    const unsigned row = chk_row_of(f->s, &f->i->dst);
    for (unsigned k = 0; k < f->rows; k++)
        memcpy(r->row[k], f->lab->rows[row + k], sizeof r->row[k]);
    if (f->a->swaps)
        memcpy(r->row[1], f->lab->rows[chk_row_of(f->s, &f->i->src[0])], sizeof r->row[1]);
    for (unsigned k = 0; has_mask(f) && k < f->mask_dwords; k++)
        r->scalar[k] = l->sgpr[f->mask + k];
    r->exec[0] = l->sgpr[ISA_CODE_EXEC];
    r->exec[1] = l->sgpr[ISA_CODE_EXEC + 1];
    r->scc = l->scc;
}

static void add_variable(frame_t *f, unsigned kind, unsigned at, unsigned n)
{
    for (unsigned k = 0; k < f->variables; k++)
        if (f->variable[k].kind == kind && f->variable[k].at == at) {
            if (n > f->variable[k].n) f->variable[k].n = n;
            return;
        }
    if (f->variables < VARIABLES) f->variable[f->variables++] = (variable_t){kind, at, n};
}

static void add_operand(frame_t *f, const isa_operand_t *o, uint64_t lanes)
{
    const unsigned n = chk_dwords(o);
    if (!(chk_operand_some(f->s, o) & lanes)) return;
    if (f->from.from == CHK_FROM_NOWHERE) f->from = *chk_operand_from(f->s, o, lanes);
    if (chk_is_row(o))
        add_variable(f, ROWS, chk_row_of(f->s, o), n);
    else if (o->kind == ISA_OPK_SGPR)
        add_variable(f, SCALARS, o->reg, n);
    else
        add_variable(f, SCC, 0, 1);
}

static void add_scc(frame_t *f)
{
    if (!f->s->scc || !(f->op->reads & ISA_REG_SCC)) return;
    if (f->from.from == CHK_FROM_NOWHERE) f->from = f->s->scc_from;
    add_variable(f, SCC, 0, 1);
}

static void add_variables(frame_t *f, unsigned without)
{
    f->variables = 0;
    for (unsigned k = 0; k < 3; k++)
        if (!(without >> k & 1)) add_operand(f, &f->i->src[k], ~UINT64_C(0));
    if (f->with_old) add_operand(f, &f->i->dst, ~UINT64_C(0));
    add_scc(f);
}

/* Where results of all combinations differ. False: it does not run. */
static bool run_combinations(frame_t *f)
{
    result_t r;
    memset(&f->differ, 0, sizeof f->differ);
    for (unsigned c = 0; c < 1u << f->variables; c++) {
        prepare(f);
        for (unsigned k = 0; k < f->variables; k++)
            set_variable(f, &f->variable[k], c >> k & 1);
        if (!run(f, f->i)) return false;
        if (!c) {
            take_results(f, &f->first);
            continue;
        }
        take_results(f, &r);
        for (unsigned k = 0; k < f->rows + f->a->swaps; k++)
            for (unsigned l = 0; l < ISA_LANES; l++)
                f->differ.row[k][l] |= r.row[k][l] ^ f->first.row[k][l];
        for (unsigned k = 0; has_mask(f) && k < f->mask_dwords; k++)
            f->differ.scalar[k] |= r.scalar[k] ^ f->first.scalar[k];
        for (unsigned k = 0; k < 2; k++)
            f->differ.exec[k] |= r.exec[k] ^ f->first.exec[k];
        f->differ.scc |= r.scc ^ f->first.scc;
    }
    return true;
}

/* ---- operands as an instruction sees them ---- */

typedef struct {
    isa_row_t row[4];
    unsigned rows;
    bool packed; /* two halves, or two dwords, for the two of the result */
} view_t;

/* A row as DPP gives it to the lanes; 0 where there is none to read. */
static void permute(frame_t *f, uint32_t *row)
{
    isa_wave_t *l = &f->lab->wave;
    const isa_operand_t from = {.kind = ISA_OPK_VGPR, .bits = 32, .sel = 6, .reg = FRESH};
    isa_inst_t move = {.op = ISA_OP_v_mov_b32, .fmt = ISA_FMT_VOP1, .flags = ISA_F_DPP};
    move.dpp_ctrl = f->i->dpp_ctrl;
    move.dpp_masks = 0xff;
    move.dpp_bound = 1;
    move.dst = move.src[0] = from;
    move.dst.reg++;
    l->exec = f->w->exec;
    l->mode = 0xf0;
    l->stop = 0;
    memcpy(f->lab->rows[FRESH], row, sizeof(isa_row_t));
    if (run(f, &move)) memcpy(row, f->lab->rows[FRESH + 1], sizeof(isa_row_t));
}

/* `width` bits from `shift`; `sext`: their sign goes on above them. */
static void select_part(uint32_t *row, unsigned shift, unsigned width, bool sext)
{
    const unsigned above = 32 - width;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const uint32_t x = row[l] >> shift << above;
        row[l] = sext ? (uint32_t)((int32_t)x >> above) : x >> above;
    }
}

static void fetch_rows(const frame_t *f, const isa_operand_t *o, bool values, view_t *v)
{
    for (unsigned k = 0; k < v->rows; k++) {
        if (chk_is_row(o)) {
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
        else if (o->reg == CHK_CODE_SCC)
            x = values ? f->w->scc : f->s->scc ? ~0u : 0;
        for (unsigned l = 0; l < ISA_LANES; l++)
            v->row[k][l] = x;
    }
}

static bool is_half(const isa_field_t *field)
{
    return field && (field->type == ISA_T_B16 || field->type == ISA_T_F16);
}

/* The shadow of source `n`, or its value, behind its selects. */
static void look(frame_t *f, unsigned n, bool values, view_t *v)
{
    static const isa_role_t roles[3] = {ISA_ROLE_SRC0, ISA_ROLE_SRC1, ISA_ROLE_SRC2};
    const isa_operand_t *o = &f->i->src[n];
    const isa_field_t *field = isa_field(f->op, roles[n]);
    const unsigned type = field ? field->type : ISA_T_BITS;
    const bool mixed = f->op->fmt == ISA_FMT_VOP3P && type == ISA_T_F16;
    v->rows = chk_dwords(o) > 4 ? 4 : chk_dwords(o);
    v->packed = type >= ISA_T_V2B16;
    fetch_rows(f, o, values, v);
    if (n == 0 && f->i->flags & ISA_F_DPP)
        for (unsigned k = 0; k < v->rows; k++)
            permute(f, v->row[k]);
    if (f->i->flags & ISA_F_SDWA && o->sel < 6)
        select_part(v->row[0], o->sel < 4 ? 8u * o->sel : 16u * (o->sel & 1), o->sel < 4 ? 8 : 16,
                    o->mods & ISA_MOD_SEXT);
    else if (mixed ? o->sel & 2 : is_half(field))
        select_part(v->row[0],
                    f->i->fmt != ISA_FMT_VOP1 && o->sel & 1 && !(f->i->flags & ISA_F_SDWA) ? 16 : 0,
                    16, false);
    for (unsigned l = 0; l < ISA_LANES && n < 2; l++)
        v->row[0][l] &= f->a->seen;
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

/* Lanes of which a control has an undefined bit that counts. */
static uint64_t undefined_controls(frame_t *f)
{
    uint64_t lanes = 0;
    view_t v;
    for (unsigned n = 0; n < 3; n++) {
        if (!(f->a->control >> n & 1) || !chk_operand_some(f->s, &f->i->src[n])) continue;
        look(f, n, false, &v);
        for (unsigned l = 0; l < ISA_LANES; l++)
            lanes |= (uint64_t)((v.row[0][l] & f->a->control_bits) != 0) << l;
        if (lanes && f->from.from == CHK_FROM_NOWHERE)
            f->from = *chk_operand_from(f->s, &f->i->src[n], ~UINT64_C(0));
    }
    return lanes;
}

/* ---- results ---- */

static void set_scalars(frame_t *f, unsigned reg, const uint32_t *bits, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        chk_scalar_set(f->s, reg + k, bits[k], &f->from);
}

static void set_mask(frame_t *f, uint64_t lanes)
{
    const uint32_t bits[2] = {(uint32_t)lanes, (uint32_t)(lanes >> 32)};
    if (!has_mask(f)) return;
    set_scalars(f, f->mask, bits, f->mask_dwords < 2 ? f->mask_dwords : 2);
    if (f->op->writes & ISA_REG_EXEC && f->op->fmt == ISA_FMT_VOPC)
        set_scalars(f, ISA_CODE_EXEC, bits, 2);
}

static void set_scc(frame_t *f, bool undefined)
{
    if (!(f->op->writes & ISA_REG_SCC)) return;
    f->s->scc = undefined;
    if (undefined) f->s->scc_from = f->from;
}

/* By row of the destination, the bits that the instruction writes. */
static void find_written(frame_t *f, isa_row_t *written)
{
    isa_inst_t i = *f->i;
    isa_wave_t *l = &f->lab->wave;
    isa_row_t low[RESULTS];
    if (!f->with_old || f->scalar) {
        for (unsigned k = 0; k < f->rows; k++)
            for (unsigned n = 0; n < ISA_LANES; n++)
                written[k][n] = 0 - (uint32_t)(f->lanes >> n & 1);
        return;
    }
    if (f->a->tied) { /* reads what it would be asked with: lanes alone can be left out */
        i = (isa_inst_t){
            .op = ISA_OP_v_mov_b32, .fmt = ISA_FMT_VOP1, .flags = f->i->flags & ISA_F_DPP};
        i.dpp_ctrl = f->i->dpp_ctrl;
        i.dpp_masks = f->i->dpp_masks;
        i.dpp_bound = f->i->dpp_bound;
        i.src[0] =
            (isa_operand_t){.kind = ISA_OPK_VGPR, .bits = 32, .sel = 6, .reg = FRESH + RESULTS};
        i.dst = f->i->dst;
    }
    i.dst.kind = ISA_OPK_VGPR;
    i.dst.reg = FRESH;
    for (unsigned high = 0; high < 2; high++) {
        prepare(f);
        memset(f->lab->rows[FRESH], high ? 0xff : 0, RESULTS * sizeof(isa_row_t));
        memset(f->lab->rows[FRESH + RESULTS], 0, sizeof(isa_row_t));
        const bool ran = run(f, &i);
        for (unsigned k = 0; k < f->rows; k++) {
            const uint32_t *row = f->lab->rows[f->a->tied ? FRESH : FRESH + k];
            for (unsigned n = 0; n < ISA_LANES; n++) {
                if (!high)
                    low[k][n] = row[n];
                else
                    written[k][n] = ran ? ~(low[k][n] ^ row[n]) : 0 - (uint32_t)(l->exec >> n & 1);
                if (high && f->i->op == ISA_OP_v_mac_f16) written[k][n] &= 0xffff;
            }
        }
    }
}

/* Of the written bits of the destination those of `u` are undefined. */
static void set_rows(frame_t *f, const isa_row_t *u)
{
    isa_row_t written[RESULTS], old, now;
    const unsigned row = chk_row_of(f->s, &f->i->dst);
    find_written(f, written);
    for (unsigned k = 0; k < f->rows; k++) {
        const chk_origin_t was = f->s->row_from[row + k];
        chk_row_get(f->s, row + k, old);
        for (unsigned l = 0; l < ISA_LANES; l++)
            now[l] = (u[k][l] & written[k][l]) | (old[l] & ~written[k][l]);
        chk_row_set(f->s, row + k, ~UINT64_C(0), now,
                    f->from.from == CHK_FROM_NOWHERE ? &was : &f->from);
    }
}

/* ---- rules ---- */

/* Every undefined bit makes all of the lane's result undefined, of packed numbers all of the one.
 */
static void any(frame_t *f)
{
    isa_row_t u[RESULTS] = {{0}};
    uint64_t lanes = 0;
    view_t v;
    for (unsigned n = 0; n < 3; n++) {
        if (!chk_operand_some(f->s, &f->i->src[n])) continue;
        look(f, n, false, &v);
        for (unsigned l = 0; l < ISA_LANES; l++) {
            uint32_t some = 0;
            for (unsigned k = 0; k < v.rows; k++)
                some |= v.row[k][l];
            if (!some) continue;
            lanes |= UINT64_C(1) << l;
            const bool halves = v.packed && v.rows == 1, pairs = v.packed && v.rows == 2;
            for (unsigned k = 0; k < f->rows; k++)
                u[k][l] |= halves && f->op->fmt == ISA_FMT_VOP3P &&
                                   isa_field(f->op, ISA_ROLE_VDST) &&
                                   strstr(f->op->mnemonic, "_pk_")
                               ? (some & 0xffff ? 0xffff : 0) | (some >> 16 ? 0xffff0000 : 0)
                           : pairs && k < 2 ? (v.row[k][l] ? ~0u : 0)
                                            : ~0u;
        }
        if (lanes && f->from.from == CHK_FROM_NOWHERE)
            f->from = *chk_operand_from(f->s, &f->i->src[n], ~UINT64_C(0));
    }
    if (f->a->tied) {
        const uint64_t old = chk_operand_some(f->s, &f->i->dst) & f->w->exec;
        if (old && f->from.from == CHK_FROM_NOWHERE)
            f->from = *chk_operand_from(f->s, &f->i->dst, old);
        for (unsigned k = 0; k < f->rows; k++) {
            isa_row_t row;
            chk_row_get(f->s, chk_row_of(f->s, &f->i->dst) + k, row);
            for (unsigned l = 0; l < ISA_LANES; l++)
                if (row[l])
                    u[k][l] |= row[l] & 0xffff && row[l] >> 16 ? ~0u
                               : row[l] >> 16                  ? 0xffff0000
                                                               : 0xffff;
            if (!strstr(f->op->mnemonic, "_pk_") && f->i->op != ISA_OP_v_mac_f16)
                for (unsigned l = 0; l < ISA_LANES; l++)
                    if (row[l]) u[0][l] = u[f->rows - 1][l] = ~0u;
        }
        lanes |= old;
    }
    if (f->op->reads & ISA_REG_VCC && !f->scalar) {
        const uint64_t vcc = f->s->scalar[ISA_CODE_VCC] | (uint64_t)f->s->scalar[ISA_CODE_VCC + 1]
                                                              << 32;
        if (vcc && f->from.from == CHK_FROM_NOWHERE)
            f->from = f->s->scalar_from[ISA_CODE_VCC + !(uint32_t)vcc];
        for (uint64_t left = vcc; left; left &= left - 1)
            for (unsigned k = 0; k < f->rows; k++)
                u[k][__builtin_ctzll(left)] = ~0u;
        lanes |= vcc;
    }
    if (f->scalar) {
        const bool some = lanes || (f->s->scc && f->op->reads & ISA_REG_SCC);
        const uint32_t all[2] = {some ? ~0u : 0, some ? ~0u : 0};
        if (some && f->from.from == CHK_FROM_NOWHERE) f->from = f->s->scc_from;
        if (has_mask(f) && !f->a->tied)
            set_scalars(f, f->mask, all, f->mask_dwords < 2 ? f->mask_dwords : 2);
        set_scc(f, some);
        return;
    }
    set_rows(f, u);
    set_mask(f, lanes & f->w->exec);
}

static void bits(frame_t *f)
{
    const uint64_t unclear = undefined_controls(f);
    add_variables(f, f->a->control);
    if (!run_combinations(f)) {
        any(f);
        return;
    }
    for (unsigned l = 0; l < ISA_LANES && unclear; l++)
        for (unsigned k = 0; k < f->rows; k++)
            if (unclear >> l & f->w->exec >> l & 1) f->differ.row[k][l] = ~0u;
    const uint64_t lanes = f->with_old ? ~UINT64_C(0) : f->lanes;
    const unsigned row = chk_row_of(f->s, &f->i->dst);
    for (unsigned k = 0; k < f->rows; k++)
        chk_row_set(f->s, row + k, lanes, f->differ.row[k], &f->from);
    if (f->a->swaps)
        chk_row_set(f->s, chk_row_of(f->s, &f->i->src[0]), ~UINT64_C(0), f->differ.row[1],
                    &f->from);
    uint32_t unknown = 0; /* of the result */
    uint32_t ones = 0;
    for (unsigned k = 0; has_mask(f) && k < f->mask_dwords; k++) {
        if (unclear) f->differ.scalar[k] = ~0u;
        unknown |= f->differ.scalar[k];
        ones |= f->first.scalar[k] & ~f->differ.scalar[k];
    }
    if (f->op->writes & ISA_REG_EXEC && f->scalar) { /* SCC is of what EXEC gets */
        unknown = f->differ.exec[0] | f->differ.exec[1];
        ones = (f->first.exec[0] & ~f->differ.exec[0]) | (f->first.exec[1] & ~f->differ.exec[1]);
        set_scalars(f, ISA_CODE_EXEC, f->differ.exec, 2);
    }
    if (has_mask(f)) set_scalars(f, f->mask, f->differ.scalar, f->mask_dwords);
    set_scc(f, unclear || f->differ.scc || (f->a->truth && unknown && !ones));
}

/* Carries: the least and the greatest of all sums tell where one may come or not. */
static void sum(frame_t *f)
{
    const isa_inst_t *i = f->i;
    isa_row_t u[RESULTS];
    view_t v;
    const bool same = i->src[0].kind == i->src[1].kind && i->src[0].reg == i->src[1].reg &&
                      i->src[0].kind != ISA_OPK_CONST && strstr(f->op->mnemonic, "_sub");
    if (i->flags & (ISA_F_CLAMP | ISA_F_DSTSEL) || (i->flags & ISA_F_SDWA && i->dst_sel != 6) ||
        (same && i->flags & (ISA_F_SDWA | ISA_F_DPP))) {
        any(f);
        return;
    }
    const bool with_old = f->with_old;
    f->with_old = f->a->tied;
    add_variables(f, 0);
    f->with_old = with_old;
    if (!run_combinations(f)) {
        any(f);
        return;
    }
    if (f->scalar) {
        uint32_t bits = f->differ.scalar[0];
        for (unsigned k = 0; k < f->variables && !same; k++)
            if (f->variable[k].kind == SCALARS) bits |= f->s->scalar[f->variable[k].at];
        if (has_mask(f)) set_scalars(f, f->mask, &bits, 1);
        set_scc(f, f->differ.scc || (bits && strstr(f->op->mnemonic, "_i32")));
        return;
    }
    memcpy(u[0], f->differ.row[0], sizeof u[0]);
    for (unsigned n = 0; n < 2 && !same; n++) {
        if (!chk_operand_some(f->s, &i->src[n])) continue;
        look(f, n, false, &v);
        for (unsigned l = 0; l < ISA_LANES; l++)
            u[0][l] |= v.row[0][l];
    }
    const uint32_t carries[2] = {f->differ.scalar[0], f->differ.scalar[1]};
    const bool carry = has_mask(f);
    set_rows(f, u);
    if (carry) set_mask(f, (carries[0] | (uint64_t)carries[1] << 32) & f->w->exec);
}

static uint64_t whole(const view_t *v, unsigned l)
{
    return v->row[0][l] | (v->rows > 1 ? (uint64_t)v->row[1][l] << 32 : 0);
}

/* The lowest undefined bit of a product: below that of a factor, zeros of the other push it up. */
static uint64_t product(uint64_t x, uint64_t ux, uint64_t y, uint64_t uy)
{
    int at = 64;
    x |= ux;
    y |= uy;
    if (ux && y) at = __builtin_ctzll(ux) + __builtin_ctzll(y);
    if (uy && x && __builtin_ctzll(uy) + __builtin_ctzll(x) < at)
        at = __builtin_ctzll(uy) + __builtin_ctzll(x);
    return at < 64 ? UINT64_C(1) << at : 0;
}

/* Source `n` as up() reads it; an immediate's destination is its first. */
static void look_both(frame_t *f, unsigned n, view_t *x, view_t *u)
{
    const isa_inst_t *i = f->i;
    if (!f->a->tied) {
        look(f, n, true, x);
        look(f, n, false, u);
        return;
    }
    x->rows = u->rows = 1;
    x->row[0][0] = n ? (uint32_t)i->imm : f->w->sgpr[i->dst.reg];
    u->row[0][0] = n ? 0 : f->s->scalar[i->dst.reg];
}

static void up(frame_t *f)
{
    isa_row_t u[RESULTS] = {{0}};
    view_t x[3], v[3];
    if (f->i->flags & (ISA_F_CLAMP | ISA_F_DSTSEL | ISA_F_SDWA)) {
        any(f);
        return;
    }
    const uint64_t unclear = undefined_controls(f);
    const unsigned sources = f->scalar ? 2 : 3;
    for (unsigned n = 0; n < sources; n++) {
        const isa_operand_t *o = f->a->tied ? &f->i->dst : &f->i->src[n];
        if (f->a->control >> n & 1)
            v[n].rows = 0;
        else
            look_both(f, n, &x[n], &v[n]);
        if (v[n].rows && f->from.from == CHK_FROM_NOWHERE && chk_operand_some(f->s, o))
            f->from = *chk_operand_from(f->s, o, ~UINT64_C(0));
    }
    uint64_t lanes = 0;
    for (unsigned l = 0; l < (f->scalar ? 1 : ISA_LANES); l++) {
        const bool multiplies = f->a->rule == CHK_RULE_PRODUCT;
        uint64_t some =
            multiplies ? product(whole(&x[0], l), whole(&v[0], l), whole(&x[1], l), whole(&v[1], l))
                       : 0;
        for (unsigned n = multiplies ? 2 : 0; n < sources; n++)
            if (v[n].rows) some |= whole(&v[n], l);
        if (unclear >> l & 1) some = ~UINT64_C(0);
        some |= 0 - some;
        lanes |= (uint64_t)(some != 0) << l;
        u[0][l] = (uint32_t)some;
        u[1][l] = (uint32_t)(some >> 32);
    }
    if (f->scalar) {
        set_scalars(f, f->mask, u[0], 1);
        set_scc(f, lanes);
        return;
    }
    set_rows(f, u);
    set_mask(f, lanes & f->w->exec);
}

/* Whether the outcome of a comparison depends on undefined bits. */
static bool open(const chk_alu_t *a, unsigned width, uint64_t x, uint64_t ux, uint64_t y,
                 uint64_t uy)
{
    const uint64_t all = width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    x &= all, y &= all, ux &= all, uy &= all;
    if (!(ux | uy)) return false;
    if (a->rule == CHK_RULE_EQUAL) return !((x ^ y) & ~(ux | uy));
    if (a->is_signed) { /* the same order without signs */
        const uint64_t sign = UINT64_C(1) << (width - 1);
        x ^= sign;
        y ^= sign;
    }
    const uint64_t x0 = x & ~ux, x1 = x | ux, y0 = y & ~uy, y1 = y | uy;
    return a->ordering == 1 ? x0 < y1 && x1 >= y0 : x1 > y0 && x0 <= y1;
}

static void compare(frame_t *f)
{
    const isa_inst_t *i = f->i;
    const isa_field_t *field = isa_field(f->op, ISA_ROLE_SRC0);
    const unsigned width = is_half(field) ? 16 : field ? field->bits : 32;
    view_t x, y, ux, uy;
    uint64_t lanes = 0;
    if ((i->src[0].mods | i->src[1].mods) & ~ISA_MOD_SEXT ||
        (chk_is_row(&i->src[0]) && chk_is_row(&i->src[1]) && i->src[0].reg == i->src[1].reg &&
         i->src[0].kind == i->src[1].kind && i->flags & ISA_F_SDWA)) {
        any(f);
        return;
    }
    if (i->src[0].kind == i->src[1].kind && i->src[0].kind != ISA_OPK_CONST &&
        i->src[0].reg == i->src[1].reg && !f->a->tied) {
        set_mask(f, 0);
        set_scc(f, false);
        return;
    }
    if (f->a->tied) { /* with an immediate */
        const uint32_t u = f->s->scalar[i->dst.reg],
                       k = f->a->is_signed ? (uint32_t)i->imm : (uint16_t)i->imm;
        if (u) f->from = f->s->scalar_from[i->dst.reg];
        set_scc(f, open(f->a, 32, f->w->sgpr[i->dst.reg], u, k, 0));
        return;
    }
    look(f, 0, true, &x);
    look(f, 1, true, &y);
    look(f, 0, false, &ux);
    look(f, 1, false, &uy);
    for (unsigned l = 0; l < (f->scalar ? 1 : ISA_LANES); l++)
        lanes |=
            (uint64_t)open(f->a, width, whole(&x, l), whole(&ux, l), whole(&y, l), whole(&uy, l))
            << l;
    if (!f->scalar) lanes &= f->w->exec;
    for (unsigned n = 0; lanes && n < 2 && f->from.from == CHK_FROM_NOWHERE; n++)
        f->from = *chk_operand_from(f->s, &i->src[n], lanes);
    if (f->scalar)
        set_scc(f, lanes);
    else
        set_mask(f, lanes);
}

/* Products and sums of one sign: what becomes other than 0 depends on what was. */
static void matrix(frame_t *f)
{
    enum { POISON = 0x3c3c3c3c }; /* positive in all types of elements */
    isa_inst_t i = *f->i;
    isa_row_t u;
    const unsigned row = chk_row_of(f->s, &i.dst), n = chk_dwords(&i.dst);
    const bool wide = strstr(f->op->mnemonic, "f64");
    uint32_t touched[32][ISA_LANES] = {{0}};
    for (unsigned which = 0; which < 2; which++) {
        const isa_operand_t *undefined = &f->i->src[which];
        if (!chk_operand_some(f->s, undefined)) continue;
        if (f->from.from == CHK_FROM_NOWHERE)
            f->from = *chk_operand_from(f->s, undefined, ~UINT64_C(0));
        prepare(f);
        i.src[2] = (isa_operand_t){.kind = ISA_OPK_CONST, .bits = f->i->src[2].bits};
        for (unsigned side = 0; side < 2; side++) {
            isa_operand_t *o = &i.src[side];
            *o = (isa_operand_t){.kind = ISA_OPK_VGPR,
                                 .bits = o->bits,
                                 .sel = o->sel,
                                 .mods = o->mods,
                                 .reg = (uint16_t)(FRESH + 8 * side)};
            const unsigned dwords = chk_dwords(o);
            for (unsigned k = 0; k < dwords; k++) {
                const isa_operand_t *real = &f->i->src[side];
                if (chk_is_row(real)) chk_row_get(f->s, chk_row_of(f->s, real) + k, u);
                for (unsigned l = 0; l < ISA_LANES; l++)
                    f->lab->rows[o->reg + k][l] = side != which || u[l] ? POISON : 0;
            }
            if (wide && side == which)
                for (unsigned l = 0; l < ISA_LANES; l++)
                    if (f->lab->rows[o->reg][l] | f->lab->rows[o->reg + 1][l])
                        f->lab->rows[o->reg][l] = f->lab->rows[o->reg + 1][l] = POISON;
        }
        if (!run(f, &i)) continue;
        for (unsigned k = 0; k < n && k < 32; k++)
            for (unsigned l = 0; l < ISA_LANES; l++)
                touched[k][l] |= f->lab->rows[row + k][l];
    }
    const bool addend = chk_operand_some(f->s, &f->i->src[2]) && chk_is_row(&f->i->src[2]);
    if (addend && f->from.from == CHK_FROM_NOWHERE)
        f->from = *chk_operand_from(f->s, &f->i->src[2], ~UINT64_C(0));
    for (unsigned k = 0; k < n && k < 32 && addend; k++) {
        chk_row_get(f->s, chk_row_of(f->s, &f->i->src[2]) + k, u);
        for (unsigned l = 0; l < ISA_LANES; l++)
            touched[k][l] |= u[l];
    }
    for (unsigned k = 0; k < n && k < 32; k++) {
        for (unsigned l = 0; l < ISA_LANES; l++)
            u[l] = touched[k][l] | (wide ? touched[k ^ 1][l] : 0) ? ~0u : 0;
        chk_row_set(f->s, row + k, ~UINT64_C(0), u, &f->from);
    }
}

/* ---- one instruction ---- */

void chk_alu_slow(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_row_desc_t *op = &isa_table[i->op];
    frame_t f;
    f.lab = l;
    f.s = s;
    f.w = w;
    f.i = i;
    f.op = op;
    f.a = &chk_alu_table[i->op];
    f.scalar = op->fmt <= ISA_FMT_SOPC;
    f.with_old = f.a->old || i->flags & CHK_PARTIAL_FLAGS;
    f.lanes = w->exec;
    f.from = (chk_origin_t){.from = CHK_FROM_NOWHERE};
    find_results(&f);
    switch (f.a->rule) {
    case CHK_RULE_BITS: bits(&f); break;
    case CHK_RULE_SUM: sum(&f); break;
    case CHK_RULE_UP:
    case CHK_RULE_PRODUCT: up(&f); break;
    case CHK_RULE_EQUAL:
    case CHK_RULE_ORDER: compare(&f); break;
    case CHK_RULE_MATRIX: matrix(&f); break;
    default: any(&f); break;
    }
}
