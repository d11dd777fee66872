/* flat_transpose.c - global_load_tr_b128 and _b64: loads after which lanes exchange elements.
 *
 * Apart from flat.c because no other load of memory moves data between lanes. */
#include "softgpu/exec/address.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/mem_lanes.h"
#include "softgpu/exec/transpose.h"

static void load_transposed(isa_wave_t *w, const isa_inst_t *i, unsigned dwords)
{
    isa_lanes_t a = {.exec = w->exec, .dword_step = 4};
    isa_row_t rows[ISA_TILE_DWORDS];
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
    isa_lanes_load(w, &a, rows, dwords);
    if (!w->stop) isa_transpose_loaded(i->op, rows, isa_row_of(w, &i->dst), dwords);
}

ISA_INST(global_load_tr_b128)
{
    load_transposed(w, i, ISA_TILE_DWORDS);
}

ISA_INST(global_load_tr_b64)
{
    load_transposed(w, i, 2);
}
