/* translate_abreast.c - how many chunks a segment's loop computes abreast, instruction by
 * instruction. */
#include "softgpu/exec/translate_emit.h"

#include <string.h>

/* A host computes several chunks at once by itself, as far as its scheduler sees: some sixty vector
 * operations. If each of a segment's instructions needs the result of the one before, these are
 * operations of one or two chunks, each of which waits for another one. Such a segment takes
 * several chunks abreast, if their rows find room in the host's registers. Segments are written
 * several times, each time in the same way (translate_emit.c); what is found here in one round is
 * used in the next one. */

enum {
    SHORT = 8,   /* the host's scheduler has room for as many chains of so many operations as it
                    can compute at once: for eight, as two units take four clocks for each */
    AT_ONCE = 8, /* operations */
    SPARE = 2    /* of the host's vector registers: for what is no row */
};

/* Notes that the segment uses the row. Returns how many of the segment's instructions so far form
 * the longest chain that computes the row, each from the result of the one before. */
static unsigned to_row(isa_emitter_t *e, unsigned row)
{
    e->pace.used[row] = true;
    return e->pace.depth[row];
}

static unsigned to_source(isa_emitter_t *e, const isa_operand_t *o)
{
    unsigned longest = 0;
    for (unsigned r = 0; o->kind == ISA_OPK_VGPR && r < o->bits / 32u; r++) {
        const unsigned d = to_row(e, o->reg + r);
        longest = d > longest ? d : longest;
    }
    return longest;
}

void isa_emit_pace(isa_emitter_t *e, const isa_inst_t *i)
{
    isa_emit_pace_t *p = &e->pace;
    unsigned longest = isa_emit_reads_result(i) ? to_source(e, &i->dst) : 0;
    for (unsigned n = 0; n < 3; n++) {
        const unsigned d = to_source(e, &i->src[n]);
        longest = d > longest ? d : longest;
    }
    longest++;
    p->longest = longest > p->longest ? longest : p->longest;
    for (unsigned r = 0; i->dst.kind == ISA_OPK_VGPR && r < i->dst.bits / 32u; r++) {
        p->used[i->dst.reg + r] = true;
        p->depth[i->dst.reg + r] = (uint8_t)longest;
    }
}

/* How many chunks' rows find room in the host's vector registers. */
static unsigned room_for(const isa_emitter_t *e)
{
    const isa_library_t *library = e->library;
    const unsigned registers = library->masks ? 32 : 16,
                   vectors = 32 * library->chunk / library->bits;
    unsigned rows = 0;
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++)
        rows += e->pace.used[r];
    return rows ? (registers - SPARE) / (rows * vectors) : 1;
}

void isa_emit_end_pace(isa_emitter_t *e)
{
    isa_emit_pace_t *p = &e->pace;
    const unsigned chunks = isa_page_lanes(e->plan->page) / e->library->chunk, room = room_for(e);
    unsigned n = 1;
    while (p->longest > SHORT && n * e->n < AT_ONCE * p->longest && 2 * n <= room &&
           2 * n <= chunks && 2 * n <= ISA_EMIT_WAYS)
        n *= 2;
    p->abreast[p->segment++] = (uint8_t)(e->plan->masked || p->blocks ? 1 : n);
    memset(p->depth, 0, sizeof p->depth);
    memset(p->used, 0, sizeof p->used);
    p->longest = 0;
    p->blocks = false;
}
