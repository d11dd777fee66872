/* translate_rest.c - what a segment does with lanes that its quick functions cannot compute. */
#include "softgpu/exec/code.h"
#include "softgpu/exec/translate_emit.h"

#include <stddef.h>

/* A loop over chunks (translate_segment.c) ends at the first chunk in which a lane has a NaN or
 * another rare case, before anything of the chunk is stored. What follows is written here: EXEC
 * becomes its lanes from that chunk on, and the handlers of all of the segment's instructions are
 * called, one after the other. So rare cases are computed as the interpreter does, and need no code
 * of LLVM's. Where NaNs are frequent, translate.c has the code translated anew for them, with
 * functions that compute NaNs. The handlers can neither stop the wave nor see other lanes, but for
 * reads of other lanes' registers, which translate_lanes.c writes. */

/* The address of an operation of a VOPD instruction: the slot knows that of the pair. */
static unsigned put_half(isa_emitter_t *e, const isa_inst_t *slot, const isa_inst_t *half)
{
    const isa_dual_t *pair = (const isa_dual_t *)(uintptr_t)slot->dst.k;
    const unsigned at = isa_emit_slot(e, &e->rest, slot), p = isa_emit_fresh(e);
    isa_put(&e->rest, "  %%q%u = getelementptr i8, ptr %%p%u, i64 %zu\n", p, at,
            offsetof(isa_inst_t, dst.k));
    isa_put(&e->rest, "  %%r%u = load ptr, ptr %%q%u\n", p, p);
    isa_put(&e->rest, "  %%p%u = getelementptr i8, ptr %%r%u, i64 %td\n", p, p,
            (const char *)half - (const char *)pair);
    return p;
}

static void call_handler(isa_emitter_t *e, const isa_inst_t *i)
{
    const isa_inst_t *slot = e->ran[e->counted];
    const unsigned fn = isa_emit_handler(e, &e->rest, i);
    const unsigned at =
        slot->fmt == ISA_FMT_VOPD ? put_half(e, slot, i) : isa_emit_slot(e, &e->rest, slot);
    isa_put(&e->rest, "  call void %%f%u(ptr %%w, ptr %%p%u)\n", fn, at);
}

/* Lane masks that the segment has written are in the wave: the handlers have written them. */
static void save(isa_emitter_t *e, unsigned reg, unsigned n)
{
    if (!isa_emit_pending(e, reg, n)) isa_emit_save(e, reg, n);
}

void isa_emit_rest(isa_emitter_t *e, const isa_step_t *s)
{
    for (unsigned n = 0; n < 3; n++) {
        const isa_operand_t *o = &s->i->src[n];
        if (o->kind == ISA_OPK_SGPR) save(e, o->reg, (o->bits + 31u) / 32u);
    }
    if (s->in >= 0) save(e, (unsigned)s->in, isa_emit_mask_size(e));
    if (!isa_emit_rest_lanes(e, s->i)) call_handler(e, s->i);
}

/* Stores EXEC to the wave. */
static void put_exec(isa_emitter_t *e, const char *kind, unsigned exec)
{
    isa_put(&e->tail, "  store i64 %%%s%u, ptr %%p%u\n", kind, exec,
            isa_emit_member(e, &e->tail, ISA_CODE_EXEC));
}

/* Adds the lanes of a mask that a handler has written. */
static void add_mask(isa_emitter_t *e, const isa_emit_mask_t *m)
{
    const unsigned v = isa_emit_fresh(e), bits = 32 * isa_emit_mask_size(e);
    isa_text_t *t = &e->tail;
    isa_put(t, "  %%m%u = load i%u, ptr %%p%u\n", v, bits, isa_emit_member(e, t, (unsigned)m->reg));
    if (bits == 64)
        isa_put(t, "  %%t%u = or i64 %%m%u, 0\n", v, v);
    else
        isa_put(t, "  %%t%u = zext i32 %%m%u to i64\n", v, v);
    isa_put(t, "  %%n%u = load i64, ptr %%mask%u\n  %%o%u = or i64 %%n%u, %%t%u\n", v, m->variable,
            v, v, v);
    isa_put(t, "  store i64 %%o%u, ptr %%mask%u\n", v, m->variable);
}

/* Adds to a number of the wave's. */
static void add_to_wave(isa_emitter_t *e, size_t offset, unsigned n)
{
    const unsigned v = isa_emit_fresh(e);
    isa_text_t *t = &e->tail;
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %zu\n  %%c%u = load i32, ptr %%p%u\n", v,
            offset, v, v);
    isa_put(t, "  %%d%u = add i32 %%c%u, %u\n  store i32 %%d%u, ptr %%p%u\n", v, v, n, v, v);
}

void isa_emit_close_rest(isa_emitter_t *e, unsigned l, bool rare)
{
    isa_text_t *t = &e->tail;
    if (!rare) {
        e->rest.size = 0;
        return;
    }
    isa_put(t, "rest%u:\n", l);
    add_to_wave(e, offsetof(isa_wave_t, rests), 1);
    if (e->noted_nans) add_to_wave(e, offsetof(isa_wave_t, rest_nans), e->n);
    if (e->exec)
        isa_put(t, "  %%a%u = or i64 %%t%u, 0\n", l, e->exec);
    else
        isa_put(t, "  %%a%u = or i64 0, %lld\n", l, (long long)isa_page_full(e->plan->page));
    isa_put(t, "  %%l%u = load i64, ptr %%lane%u\n  %%from%u = shl i64 -1, %%l%u\n", l, l, l, l);
    isa_put(t, "  %%exec%u = and i64 %%a%u, %%from%u\n", l, l, l);
    isa_put(t, "  store i64 %%exec%u, ptr %%left\n", l);
    put_exec(e, "exec", l);
    isa_move(t, &e->rest);
    put_exec(e, "a", l);
    for (unsigned k = 0; k < e->n_masks; k++)
        add_mask(e, &e->mask[k]);
    isa_put(t, "  br label %%behind%u\n", l);
}
