/* watch.c - the test of FLAT instructions for the run loop's counter, and the wants of a subscriber
 * to which each instruction is reported: see watch.h.
 *
 * Not inline, and compiled once for all cores, since FLAT instructions are rare. */
#include "softgpu/exec/watch.h"

#include "softgpu/exec/address.h"

const uint8_t isa_wants_each_issue[ISA_OP_COUNT] = {[0 ... ISA_OP_COUNT - 1] = ISA_WANTS_ISSUE};

bool isa_flat_is_lds(const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_dispatch_t *d = w->group->dispatch;
    const uint32_t *high = isa_row_of(w, &i->src[0])[1];
    /* most FLAT instructions access memory: the first lane shows that */
    if (!w->exec || high[__builtin_ctzll(w->exec)] != d->shared_base >> 32) return false;
    return isa_address_flat_lanes(w, i).in[ISA_SPACE_LDS] == w->exec;
}
