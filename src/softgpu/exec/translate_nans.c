/* translate_nans.c - which NaNs of a segment need no test.
 *
 * A quick function notes in which lanes its result is a NaN (translate_emit.h). If the result is
 * then added, multiplied and so on, a NaN makes that result a NaN, too, and one test is enough: in
 * a chain of sums and products, that of the last. Segments are written several times, each time in
 * the same way (translate_emit.c); what is found here in one round is used in the next one. */
#include "softgpu/exec/translate_emit.h"

#include <string.h>

/* What a row is of a number: all of it, or a dword of a double. */
enum { ROW_FLOAT, ROW_LOW, ROW_HIGH };

/* Whether a NaN in any source makes the result a NaN, which is all that the quick function notes:
 * of sums and products of doubles; of sums and products of numbers of 32 bits. */
static bool passes_doubles(unsigned body)
{
    switch (body) {
    case ISA_OP_v_add_f64:
    case ISA_OP_v_mul_f64:
    case ISA_OP_v_fma_f64:
    case ISA_OP_v_fmac_f64:
    case ISA_OP_v_fract_f64: return true;
    default: return false;
    }
}

static bool passes_floats(unsigned body)
{
    switch (body) {
    case ISA_OP_v_add_f32:
    case ISA_OP_v_sub_f32:
    case ISA_OP_v_subrev_f32:
    case ISA_OP_v_mul_f32:
    case ISA_OP_v_fma_f32:
    case ISA_OP_v_fmac_f32:
    case ISA_OP_v_fmamk_f32:
    case ISA_OP_v_fmaak_f32:
    case ISA_OP_v_mad_f32:
    case ISA_OP_v_mac_f32:
    case ISA_OP_v_madmk_f32:
    case ISA_OP_v_madak_f32:
    case ISA_OP_v_fma_mix_f32:
    case ISA_OP_v_fract_f32:
    case ISA_OP_v_pk_add_f32:
    case ISA_OP_v_pk_mul_f32:
    case ISA_OP_v_pk_fma_f32: return true;
    default: return false;
    }
}

/* The sources of an instruction with SDWA may be parts of a register. A function that is no quick
 * one notes nothing. */
static bool passes(const isa_emitter_t *e, const isa_inst_t *i)
{
    const unsigned body = isa_table[i->op].body;
    return !(i->flags & ISA_F_SDWA) && (passes_doubles(body) || passes_floats(body)) &&
           isa_chunk_function(i, e->plan->nans) == ISA_FUNCTION_QUICK;
}

/* What row r of the instruction's operands is. */
static uint8_t part_of(const isa_inst_t *i, unsigned r)
{
    if (!passes_doubles(isa_table[i->op].body)) return ROW_FLOAT;
    return r ? ROW_HIGH : ROW_LOW;
}

/* What the row has now, if that has been noted in this segment. */
static isa_emit_noted_t *noted(isa_emitter_t *e, unsigned row)
{
    isa_emit_noted_t *n = &e->noted[row];
    return n->value && n->value == e->way[ISA_EMIT_QUICK].row[row] ? n : NULL;
}

/* The instruction reads the row as a number's part: its result shows whether that is a NaN. Of a
 * double, the high dword's read counts, which follows that of the low one. */
static void pass(isa_emitter_t *e, unsigned row, uint8_t part)
{
    isa_emit_noted_t *n = noted(e, row);
    if (!n || n->part != part || part == ROW_LOW) return;
    if (part == ROW_HIGH) {
        const isa_emit_noted_t *low = row ? noted(e, row - 1) : NULL;
        if (!low || low->part != ROW_LOW || low->by != n->by) return;
    }
    e->unseen[n->by]--;
    n->value = 0; /* is counted once */
}

static void pass_source(isa_emitter_t *e, const isa_inst_t *i, unsigned n)
{
    const isa_operand_t *o = &i->src[n];
    if (o->kind != ISA_OPK_VGPR) return;
    if (isa_plan_mixes(i) && o->sel & 2) return; /* a half */
    const bool packed = i->fmt == ISA_FMT_VOP3P && !isa_plan_mixes(i);
    for (unsigned r = 0; r < o->bits / 32u; r++)
        pass(e, o->reg + (packed ? o->sel >> r & 1 : r), part_of(i, r));
}

void isa_emit_pass_nans(isa_emitter_t *e, const isa_inst_t *i)
{
    if (!passes(e, i)) return;
    for (unsigned n = 0; n < 3; n++)
        pass_source(e, i, n);
    for (unsigned r = 0; isa_emit_reads_result(i) && r < i->dst.bits / 32u; r++)
        pass(e, i->dst.reg + r, part_of(i, r));
}

void isa_emit_note_nans(isa_emitter_t *e, const isa_inst_t *i)
{
    const uint16_t by = (uint16_t)e->vectors++;
    e->unseen[by] = 1; /* what else is noted is never seen otherwise */
    if (!passes(e, i)) return;
    e->unseen[by] = 0;
    for (unsigned r = 0; r < i->dst.bits / 32u; r++) {
        const unsigned row = i->dst.reg + r;
        const uint8_t part = part_of(i, r);
        e->noted[row] = (isa_emit_noted_t){e->way[ISA_EMIT_QUICK].row[row], by, part};
        if (part != ROW_LOW) e->unseen[by]++;
    }
}

bool isa_emit_is_seen(const isa_emitter_t *e)
{
    return e->seen[e->vectors];
}

void isa_emit_begin_nans(isa_emitter_t *e)
{
    for (unsigned n = 0; n < e->vectors; n++)
        e->seen[n] = !e->unseen[n];
    memset(e->noted, 0, sizeof e->noted);
    e->vectors = 0;
}
