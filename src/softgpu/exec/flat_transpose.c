/* flat_transpose.c - global_load_tr_b128: a load after which lanes exchange elements.
 *
 * Apart from flat.c because no other load of memory moves data between lanes. */
#include "softgpu/exec/address.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/mem_lanes.h"

enum { TILE = 8, DWORDS = TILE / 2 };

/* Eight lanes have read eight halves each. Lane n of the eight gets half n of each of them, in the
 * order of lanes: measured of a gfx1201 and published. */
static void transpose(const isa_row_t *in, isa_row_t *out)
{
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const unsigned column = l % TILE, first = l - column;
        for (unsigned k = 0; k < TILE; k++) {
            const uint32_t half = in[column / 2][first + k] >> 16 * (column & 1) & 0xffff;
            out[k / 2][l] = k & 1 ? out[k / 2][l] | half << 16 : half;
        }
    }
}

ISA_INST(global_load_tr_b128)
{
    isa_lanes_t a = {.exec = w->exec, .dword_step = 4};
    isa_row_t rows[DWORDS];
    const isa_row_t *v = isa_row_of(w, &i->src[0]);
    const uint64_t offset = (uint64_t)(int64_t)i->imm;
    if (!w->exec) return;
    if (ISA_LANES != 32 || w->exec != ISA_ALL_LANES) {
        isa_stop_unsupported(w, i, "not all of 32 lanes");
        return;
    }
    if (i->flags & ISA_F_SADDR)
        isa_address_based(a.va, isa_read64(w, &i->src[2]) + offset, v[0]);
    else
        isa_address_pairs(a.va, v, offset);
    isa_lanes_load(w, &a, rows, DWORDS);
    if (!w->stop) transpose(rows, isa_row_of(w, &i->dst));
}
