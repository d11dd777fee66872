/* init_alu.c - derives which bits of a result are undefined if operands of an instruction between
 * registers are.
 *
 * init_rules.c says which rule an instruction follows. Most rules run the instruction on other
 * values of its operands (init_ask.h), and correct the outcome where that experiment is not
 * enough. */
#include "softgpu/check/init_ask.h"

#include "isa/isa.h"
#include "softgpu/exec/code.h"

#include <string.h>

/* ---- rules ---- */

/* Whether an operand has more rows than chk_view_t, as those of conversions of 32 numbers do. */
static bool is_wide(const chk_ask_t *f)
{
    enum { VIEW = 4 };
    bool wide = f->rows > VIEW;
    for (unsigned n = 0; n < 3; n++)
        wide |= isa_is_row(&f->i->src[n]) && isa_operand_dwords(&f->i->src[n]) > VIEW;
    return wide;
}

/* One undefined bit of an operand makes all of the lane's result undefined. */
static void any_wide(chk_ask_t *f)
{
    uint64_t lanes = 0;
    isa_row_t u;
    for (unsigned n = 0; n < 3; n++) {
        const uint64_t some = chk_operand_some(f->s, &f->i->src[n]);
        chk_ask_name(f, &f->i->src[n], ISA_ALL_LANES);
        lanes |= some;
    }
    for (unsigned l = 0; l < ISA_LANES; l++)
        u[l] = lanes >> l & 1 ? ~0u : 0;
    for (unsigned k = 0; k < f->rows; k++)
        chk_row_set(f->s, chk_row_of(f->s, &f->i->dst) + k, f->w->exec, u, &f->from);
}

/* The coarse rule: one undefined bit makes all of the lane's result undefined, or, if the result is
 * packed, all of the element that the bit belongs to. */
static void any(chk_ask_t *f)
{
    if (is_wide(f)) {
        any_wide(f);
        return;
    }
    isa_row_t u[CHK_RESULTS] = {{0}};
    uint64_t lanes = 0;
    chk_view_t v;
    for (unsigned n = 0; n < 3; n++) {
        if (!chk_operand_some(f->s, &f->i->src[n])) continue;
        uint64_t of_source = 0;
        chk_ask_look(f, n, false, &v);
        for (unsigned l = 0; l < ISA_LANES; l++) {
            uint32_t some = 0;
            for (unsigned k = 0; k < v.rows; k++)
                some |= v.row[k][l];
            if (!some) continue;
            of_source |= UINT64_C(1) << l;
            const bool halves = v.packed && v.rows == 1;
            const bool pairs = v.packed && v.rows == 2 && f->rows == 2;
            for (unsigned k = 0; k < f->rows; k++)
                u[k][l] |= halves && f->op->fmt == ISA_FMT_VOP3P &&
                                   isa_field(f->op, ISA_ROLE_VDST) && f->op->marks & ISA_IS_PACKED
                               ? (some & 0xffff ? 0xffff : 0) | (some >> 16 ? 0xffff0000 : 0)
                           : pairs && k < 2 ? (v.row[k][l] ? ~0u : 0)
                                            : ~0u;
        }
        if (of_source) chk_ask_name(f, &f->i->src[n], ISA_ALL_LANES);
        lanes |= of_source;
    }
    if (f->a->tied) {
        const uint64_t old = chk_operand_some(f->s, &f->i->dst) & f->w->exec;
        chk_ask_name(f, &f->i->dst, old);
        for (unsigned k = 0; k < f->rows; k++) {
            isa_row_t row;
            chk_row_get(f->s, chk_row_of(f->s, &f->i->dst) + k, row);
            for (unsigned l = 0; l < ISA_LANES; l++)
                if (row[l])
                    u[k][l] |= row[l] & 0xffff && row[l] >> 16 ? ~0u
                               : row[l] >> 16                  ? 0xffff0000
                                                               : 0xffff;
            if (!(f->op->marks & ISA_IS_PACKED) && !chk_ask_is_half_sum(f))
                for (unsigned l = 0; l < ISA_LANES; l++)
                    if (row[l]) u[0][l] = u[f->rows - 1][l] = ~0u;
        }
        lanes |= old;
    }
    if (f->op->reads & ISA_REG_VCC && !f->scalar) {
        const uint64_t vcc = chk_vcc_some(f->s);
        chk_ask_name_from(f, &f->s->scalar_from[ISA_CODE_VCC + !(uint32_t)vcc],
                          (unsigned)__builtin_popcountll(vcc));
        for (uint64_t left = vcc; left; left &= left - 1)
            for (unsigned k = 0; k < f->rows; k++)
                u[k][__builtin_ctzll(left)] = ~0u;
        lanes |= vcc;
    }
    if (f->scalar) {
        const bool some = lanes || (f->s->scc && f->op->reads & ISA_REG_SCC);
        const uint32_t all[2] = {some ? ~0u : 0, some ? ~0u : 0};
        if (some && !f->named) chk_ask_name_from(f, &f->s->scc_from, 1);
        if (chk_ask_has_mask(f) && !f->a->tied)
            chk_ask_set_scalars(f, f->mask, all, f->mask_dwords < 2 ? f->mask_dwords : 2);
        chk_ask_set_scc(f, some);
        return;
    }
    chk_ask_set_rows(f, u);
    chk_ask_set_mask(f, lanes & f->w->exec);
}

static void bits(chk_ask_t *f)
{
    const uint64_t unclear = chk_ask_controls(f);
    chk_ask_variables(f, f->a->of.control);
    if (!chk_ask_all(f)) {
        any(f);
        return;
    }
    for (unsigned l = 0; l < ISA_LANES && unclear; l++)
        for (unsigned k = 0; k < f->rows; k++)
            if (unclear >> l & f->w->exec >> l & 1) f->differ.row[k][l] = ~0u;
    const uint64_t lanes = f->a->quick & CHK_QUICK_ALL_LANES ? ISA_ALL_LANES : f->lanes;
    const unsigned row = chk_row_of(f->s, &f->i->dst);
    for (unsigned k = 0; k < f->rows; k++)
        chk_row_set(f->s, row + k, lanes, f->differ.row[k], &f->from);
    if (f->a->swaps)
        chk_row_set(f->s, chk_row_of(f->s, &f->i->src[0]), ISA_ALL_LANES, f->differ.row[1],
                    &f->from);
    uint32_t unknown = 0; /* undefined bits of the result; `ones`: bits that are 1 for sure */
    uint32_t ones = 0;
    for (unsigned k = 0; chk_ask_has_mask(f) && k < f->mask_dwords; k++) {
        if (unclear) f->differ.scalar[k] = ~0u;
        unknown |= f->differ.scalar[k];
        ones |= f->first.scalar[k] & ~f->differ.scalar[k];
    }
    if (f->op->writes & ISA_REG_EXEC && f->scalar) { /* SCC depends on the value that EXEC gets */
        unknown = f->differ.exec[0] | f->differ.exec[1];
        ones = (f->first.exec[0] & ~f->differ.exec[0]) | (f->first.exec[1] & ~f->differ.exec[1]);
        chk_ask_set_scalars(f, ISA_CODE_EXEC, f->differ.exec, 2);
    }
    if (chk_ask_has_mask(f)) chk_ask_set_scalars(f, f->mask, f->differ.scalar, f->mask_dwords);
    chk_ask_set_scc(f, unclear || f->differ.scc || (f->a->truth && unknown && !ones));
}

/* The rule for sums. A carry is undefined at the bits where the least and the greatest possible sum
 * differ; the other undefined bits are those of the operands. */
static void sum(chk_ask_t *f)
{
    const isa_inst_t *i = f->i;
    isa_row_t u[CHK_RESULTS];
    chk_view_t v;
    const bool same = i->src[0].kind == i->src[1].kind && i->src[0].reg == i->src[1].reg &&
                      i->src[0].kind != ISA_OPK_CONST && f->op->marks & ISA_IS_SUBTRACTS;
    if (i->flags & (ISA_F_CLAMP | ISA_F_DSTSEL) ||
        (i->flags & ISA_F_SDWA && i->dst_sel != ISA_SEL_DWORD) ||
        (same && i->flags & (ISA_F_SDWA | ISA_F_DPP))) {
        any(f);
        return;
    }
    const bool with_old = f->with_old;
    f->with_old = f->a->tied;
    chk_ask_variables(f, 0);
    f->with_old = with_old;
    if (!chk_ask_all(f)) {
        any(f);
        return;
    }
    if (f->scalar) {
        uint32_t bits = f->differ.scalar[0];
        for (unsigned k = 0; k < f->variables && !same; k++)
            if (f->variable[k].kind == CHK_VARY_SCALARS) bits |= f->s->scalar[f->variable[k].at];
        if (chk_ask_has_mask(f)) chk_ask_set_scalars(f, f->mask, &bits, 1);
        chk_ask_set_scc(f, f->differ.scc || (bits && f->op->marks & ISA_IS_OVERFLOW));
        return;
    }
    memcpy(u[0], f->differ.row[0], sizeof u[0]);
    for (unsigned n = 0; n < 2 && !same; n++) {
        if (!chk_operand_some(f->s, &i->src[n])) continue;
        chk_ask_look(f, n, false, &v);
        for (unsigned l = 0; l < ISA_LANES; l++)
            u[0][l] |= v.row[0][l];
    }
    const uint32_t carries[2] = {f->differ.scalar[0], f->differ.scalar[1]};
    const bool carry = chk_ask_has_mask(f);
    chk_ask_set_rows(f, u);
    if (carry) chk_ask_set_mask(f, (carries[0] | (uint64_t)carries[1] << 32) & f->w->exec);
}

static uint64_t whole(const chk_view_t *v, unsigned l)
{
    return v->row[0][l] | (v->rows > 1 ? (uint64_t)v->row[1][l] << 32 : 0);
}

/* The lowest undefined bit of a product (all bits above it are undefined, too): the lowest
 * undefined bit of one factor, shifted up by the trailing zeros of the other. */
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

/* Value and shadow of source `n` for up(). With an immediate, source 0 is the destination. */
static void view_both(chk_ask_t *f, unsigned n, chk_view_t *x, chk_view_t *u)
{
    const isa_inst_t *i = f->i;
    if (!f->a->tied) {
        chk_ask_look(f, n, true, x);
        chk_ask_look(f, n, false, u);
        return;
    }
    x->rows = u->rows = 1;
    x->row[0][0] = n ? (uint32_t)i->imm : f->w->sgpr[i->dst.reg];
    u->row[0][0] = n ? 0 : f->s->scalar[i->dst.reg];
}

static void up(chk_ask_t *f)
{
    isa_row_t u[CHK_RESULTS] = {{0}};
    chk_view_t x[3], v[3];
    if (f->i->flags & (ISA_F_CLAMP | ISA_F_DSTSEL | ISA_F_SDWA)) {
        any(f);
        return;
    }
    const uint64_t unclear = chk_ask_controls(f);
    const unsigned sources = f->scalar ? 2 : 3;
    for (unsigned n = 0; n < sources; n++) {
        const isa_operand_t *o = f->a->tied ? &f->i->dst : &f->i->src[n];
        if (f->a->of.control >> n & 1)
            v[n].rows = 0;
        else
            view_both(f, n, &x[n], &v[n]);
        if (v[n].rows) chk_ask_name(f, o, ISA_ALL_LANES);
    }
    uint64_t lanes = 0;
    for (unsigned l = 0; l < (f->scalar ? 1 : ISA_LANES); l++) {
        const bool multiplies = f->a->of.rule == ISA_DATA_PRODUCT;
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
        chk_ask_set_scalars(f, f->mask, u[0], 1);
        chk_ask_set_scc(f, lanes);
        return;
    }
    chk_ask_set_rows(f, u);
    chk_ask_set_mask(f, lanes & f->w->exec);
}

/* Whether the outcome of a comparison depends on undefined bits. */
static bool open(const chk_alu_t *a, unsigned width, uint64_t x, uint64_t ux, uint64_t y,
                 uint64_t uy)
{
    const uint64_t all = width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    x &= all, y &= all, ux &= all, uy &= all;
    if (!(ux | uy)) return false;
    if (a->of.rule == ISA_DATA_EQUAL) return !((x ^ y) & ~(ux | uy));
    if (a->of.is_signed) { /* with the sign bits flipped, the unsigned order is the signed one */
        const uint64_t sign = UINT64_C(1) << (width - 1);
        x ^= sign;
        y ^= sign;
    }
    const uint64_t x0 = x & ~ux, x1 = x | ux, y0 = y & ~uy, y1 = y | uy;
    return a->of.order == ISA_ORDER_LESS ? x0 < y1 && x1 >= y0 : x1 > y0 && x0 <= y1;
}

static void compare(chk_ask_t *f)
{
    const isa_inst_t *i = f->i;
    const isa_field_t *field = isa_field(f->op, ISA_ROLE_SRC0);
    const unsigned width = chk_ask_is_half(field) ? 16 : field ? field->bits : 32;
    chk_view_t x, y, ux, uy;
    uint64_t lanes = 0;
    if ((i->src[0].mods | i->src[1].mods) & ~ISA_MOD_SEXT ||
        (isa_is_row(&i->src[0]) && isa_is_row(&i->src[1]) && i->src[0].reg == i->src[1].reg &&
         i->src[0].kind == i->src[1].kind && i->flags & ISA_F_SDWA)) {
        any(f);
        return;
    }
    if (i->src[0].kind == i->src[1].kind && i->src[0].kind != ISA_OPK_CONST &&
        i->src[0].reg == i->src[1].reg && !f->a->tied) {
        chk_ask_set_mask(f, 0);
        chk_ask_set_scc(f, false);
        return;
    }
    if (f->a->tied) { /* a comparison with an immediate */
        const uint32_t u = f->s->scalar[i->dst.reg],
                       k = f->a->of.is_signed ? (uint32_t)i->imm : (uint16_t)i->imm;
        if (u) chk_ask_name(f, &i->dst, ISA_ALL_LANES);
        chk_ask_set_scc(f, open(f->a, 32, f->w->sgpr[i->dst.reg], u, k, 0));
        return;
    }
    chk_ask_look(f, 0, true, &x);
    chk_ask_look(f, 1, true, &y);
    chk_ask_look(f, 0, false, &ux);
    chk_ask_look(f, 1, false, &uy);
    for (unsigned l = 0; l < (f->scalar ? 1 : ISA_LANES); l++)
        lanes |=
            (uint64_t)open(f->a, width, whole(&x, l), whole(&ux, l), whole(&y, l), whole(&uy, l))
            << l;
    if (!f->scalar) lanes &= f->w->exec;
    for (unsigned n = 0; n < 2; n++)
        chk_ask_name(f, &i->src[n], lanes);
    if (f->scalar)
        chk_ask_set_scc(f, lanes);
    else
        chk_ask_set_mask(f, lanes);
}

/* ---- matrix products ---- */

enum { MATRIX_ROWS = 32 };

typedef uint32_t matrix_rows_t[MATRIX_ROWS][ISA_LANES];

/* Dword k of a source that consists of positive numbers, in the format of source `side`. */
static uint32_t positive(const chk_ask_t *f, unsigned side, unsigned k)
{
    enum { FP6 = 2, BF6, FP4, SIX = 6, PLACE = 3 };
    const unsigned format = f->op->marks & ISA_IS_FORMATS ? (side ? f->i->blgp : f->i->cbsz) : 0;
    uint32_t word = 0;
    if (format == FP4) return 0x22222222;
    if (format != FP6 && format != BF6) return 0x3c3c3c3c; /* in every type of 8, 16, 32 bits */
    for (unsigned bit = 0; bit < 32; bit++)
        word |= (uint32_t)((32 * k + bit) % SIX == PLACE) << bit;
    return word;
}

/* The bits of a register of indices that the instruction uses: two for each element of A of a lane,
 * in the set that ABID selects, or the first one if CBSZ is not 0. */
static uint32_t used_indices(const isa_inst_t *i, const isa_shape_t *s)
{
    enum { ELEMENTS = 16 /* of a register */ };
    const unsigned elements = s->k * s->m / (2 * ISA_LANES), sets = ELEMENTS / elements;
    const unsigned set = i->cbsz & 3 ? 0 : i->abid & (sets - 1);
    return (uint32_t)((UINT64_C(1) << 2 * elements) - 1) << 2 * elements * set;
}

/* Lanes whose elements of source `side` all count as undefined: the indices of a sparse A are
 * undefined, or scales that belong to the same elements. */
static uint64_t unclear_lanes(chk_ask_t *f, unsigned side)
{
    const bool scaled = f->op->marks & ISA_IS_FORMATS && f->w->scaled_pc == (f->i->pc | 1);
    uint64_t lanes = scaled ? f->s->scales[side] : 0;
    chk_ask_name_from(f, &f->s->scales_from, (unsigned)__builtin_popcountll(lanes));
    if (!f->a->tied || side || !chk_operand_some(f->s, &f->i->src[2])) return lanes;
    const uint32_t used = used_indices(f->i, &f->op->math.shape);
    isa_row_t u;
    chk_row_get(f->s, chk_row_of(f->s, &f->i->src[2]), u);
    for (unsigned l = 0; l < ISA_LANES; l++)
        lanes |= (uint64_t)((u[l] & used) != 0) << l;
    chk_ask_name(f, &f->i->src[2], lanes);
    return lanes;
}

/* Puts a source into rows of the lab: positive numbers, or with `marked` positive numbers for
 * undefined elements and 0 for defined ones. */
static void matrix_source(chk_ask_t *f, isa_operand_t *o, unsigned side, bool marked,
                          uint64_t unclear)
{
    const isa_operand_t *real = &f->i->src[side];
    const bool wide = f->op->math.kind == ISA_MATH_MFMA_F64;
    isa_row_t u = {0};
    *o = (isa_operand_t){.kind = ISA_OPK_VGPR,
                         .bits = o->bits,
                         .sel = o->sel,
                         .mods = o->mods,
                         .reg = (uint16_t)(CHK_FRESH + 8 * side)};
    const unsigned dwords = isa_operand_dwords(o);
    for (unsigned k = 0; k < dwords; k++) {
        const uint32_t number = positive(f, side, k);
        if (isa_is_row(real)) chk_row_get(f->s, chk_row_of(f->s, real) + k, u);
        for (unsigned l = 0; l < ISA_LANES; l++)
            f->lab->rows[o->reg + k][l] = !marked || u[l] || unclear >> l & 1 ? number : 0;
    }
    if (!wide || !marked) return;
    for (unsigned l = 0; l < ISA_LANES; l++)
        if (f->lab->rows[o->reg][l] | f->lab->rows[o->reg + 1][l])
            f->lab->rows[o->reg][l] = f->lab->rows[o->reg + 1][l] = positive(f, side, 0);
}

/* Adds to `touched` which elements of the result depend on undefined ones of source `which`. */
static void touch(chk_ask_t *f, unsigned which, matrix_rows_t touched)
{
    const uint64_t unclear = unclear_lanes(f, which);
    const unsigned row = chk_row_of(f->s, &f->i->dst), n = isa_operand_dwords(&f->i->dst);
    isa_inst_t i = *f->i;
    if (!unclear && !chk_operand_some(f->s, &i.src[which])) return;
    chk_ask_name(f, &i.src[which], ISA_ALL_LANES);
    chk_ask_prepare(f);
    if (f->a->tied) /* the sum is added to the destination, and source 2 has the indices of A */
        memset(f->lab->rows[row], 0, n * sizeof *f->lab->rows);
    else
        i.src[2] = (isa_operand_t){.kind = ISA_OPK_CONST, .bits = i.src[2].bits};
    for (unsigned side = 0; side < 2; side++)
        matrix_source(f, &i.src[side], side, side == which, unclear);
    if (!chk_ask_run(f, &i)) return;
    const unsigned lanes = isa_dispatch_lanes(f->w->group->dispatch);
    for (unsigned k = 0; k < n && k < MATRIX_ROWS; k++)
        for (unsigned l = 0; l < lanes; l++)
            touched[k][l] |= f->lab->rows[row + k][l];
}

/* Matrix products: the undefined elements of one operand are set to a positive value and all others
 * to 0, the other operand to positive values throughout. Elements of the result that are not 0 then
 * depend on an undefined one. */
static void matrix(chk_ask_t *f)
{
    isa_row_t u;
    const isa_operand_t *addend = f->a->tied ? &f->i->dst : &f->i->src[2];
    const unsigned row = chk_row_of(f->s, &f->i->dst), n = isa_operand_dwords(&f->i->dst);
    const bool wide = f->op->math.kind == ISA_MATH_MFMA_F64;
    matrix_rows_t touched = {{0}};
    touch(f, 0, touched);
    touch(f, 1, touched);
    f->s->scales[0] = f->s->scales[1] = 0;
    const bool added = chk_operand_some(f->s, addend) && isa_is_row(addend);
    chk_ask_name(f, addend, ISA_ALL_LANES);
    for (unsigned k = 0; k < n && k < MATRIX_ROWS && added; k++) {
        chk_row_get(f->s, chk_row_of(f->s, addend) + k, u);
        for (unsigned l = 0; l < ISA_LANES; l++)
            touched[k][l] |= u[l];
    }
    for (unsigned k = 0; k < n && k < MATRIX_ROWS; k++) {
        for (unsigned l = 0; l < ISA_LANES; l++)
            u[l] = touched[k][l] | (wide ? touched[k ^ 1][l] : 0) ? ~0u : 0;
        chk_row_set(f->s, row + k, ISA_ALL_LANES, u, &f->from);
    }
}

/* v_mfma_ld_scale_b32: records the lanes whose scales, a byte that OP_SEL selects, are
 * undefined. */
static void scales(chk_ask_t *f)
{
    for (unsigned side = 0; side < 2; side++) {
        const isa_operand_t *o = &f->i->src[side];
        const uint32_t byte = UINT32_C(0xff) << 8 * (o->sel & 3);
        isa_row_t u = {0};
        if (isa_is_row(o)) chk_row_get(f->s, chk_row_of(f->s, o), u);
        for (unsigned l = 0; l < ISA_LANES && o->kind == ISA_OPK_SGPR; l++)
            u[l] = f->s->scalar[o->reg];
        f->s->scales[side] = 0;
        for (unsigned l = 0; l < ISA_LANES; l++)
            f->s->scales[side] |= (uint64_t)((u[l] & byte) != 0) << l;
        if (f->s->scales[side]) f->s->scales_from = *chk_operand_from(f->s, o, f->s->scales[side]);
    }
}

/* ---- one instruction ---- */

/* The two operations of a VOPD instruction, which read before either writes. */
void chk_alu_dual(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_dual_t *pair = (const isa_dual_t *)(uintptr_t)i->dst.k;
    const bool aside = pair->order == ISA_DUAL_ASIDE,
               swapped = pair->order == ISA_DUAL_SECOND_FIRST;
    const unsigned row = i->dst.reg;
    chk_row_shadow_t before, after;
    isa_inst_t first;
    if (!aside) {
        chk_alu_step(l, s, w, &pair->half[swapped]);
        chk_alu_step(l, s, w, &pair->half[!swapped]);
        return;
    }
    isa_decode_half(i, 0, &first);
    chk_row_keep(s, row, &before);
    chk_alu_step(l, s, w, &first);
    chk_row_keep(s, row, &after);
    chk_row_bring(s, row, &before);
    chk_alu_step(l, s, w, &pair->half[1]);
    chk_row_bring(s, row, &after);
}

/* The lanes whose operands matter: those that are on, unless others may be read. Exchanges by LDS
 * have 0 of a lane that is off, and DPP takes nothing from it unless FI is set. */
static uint64_t lanes_read(const isa_wave_t *w, const isa_inst_t *i)
{
    const bool own = chk_alu_table[i->op].quick & CHK_QUICK_LANES && !(i->flags & ISA_F_FI);
    return own || isa_table[i->op].klass == ISA_CLASS_LDS ? w->exec : ISA_ALL_LANES;
}

void chk_alu_slow(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_row_desc_t *op = &isa_table[i->op];
    chk_ask_t f;
    f.lab = l;
    f.s = s;
    f.w = w;
    f.i = i;
    f.op = op;
    f.a = &chk_alu_table[i->op];
    f.scalar = op->fmt <= ISA_FMT_SOPC;
    f.with_old = f.a->old || chk_is_partial(i);
    f.lanes = w->exec;
    f.reads = lanes_read(w, i);
    f.from = (chk_origin_t){.from = CHK_FROM_NOWHERE};
    f.named = 0;
    chk_ask_results(&f);
    if (i->op == ISA_OP_v_mfma_ld_scale_b32) {
        scales(&f);
        return;
    }
    switch (f.a->of.rule) {
    case ISA_DATA_BITS: bits(&f); break;
    case ISA_DATA_SUM: sum(&f); break;
    case ISA_DATA_UP:
    case ISA_DATA_PRODUCT: up(&f); break;
    case ISA_DATA_EQUAL:
    case ISA_DATA_ORDER: compare(&f); break;
    case ISA_DATA_MATRIX: matrix(&f); break;
    default: any(&f); break;
    }
}
