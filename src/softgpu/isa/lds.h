/* lds.h - what the LDS instruction files share: addresses and the checks before an access.
 *
 * A workgroup's LDS is run by one worker at a time, so nothing here is atomic for the host. */
#ifndef SOFTGPU_ISA_LDS_H
#define SOFTGPU_ISA_LDS_H

#include "softgpu/isa/address.h"
#include "softgpu/isa/handler.h"
#include "softgpu/isa/mem_block.h"
#include "softgpu/isa/mem_lanes.h"

/* False, with the wave stopped, for the global data share: this device has none. */
static inline bool isa_ds_ready(isa_wave_t *w, const isa_inst_t *i)
{
    if (__builtin_expect(!(i->flags & ISA_F_GDS), 1)) return true;
    isa_stop_unsupported(w, i, "no global data share");
    return false;
}

/* Hardware's waves go step by step, and kernels rely on it: all waves read, and then some replace
 * what was read, with the barrier in between forgotten (rocSOLVER 6.4: potf2, syevj). Here a wave
 * runs on to the next barrier. So the first store of a wave that has read since the last barrier
 * lets the other waves come as far; one turn more of each, in such kernels only. Atomic operations
 * need no order. */
enum { ISA_LDS_READ = 1, ISA_LDS_WAITS = 2, ISA_LDS_WAITED = 3 }; /* lds_turn; 0: none of these */

static inline void isa_ds_reads(isa_wave_t *w)
{
    w->lds_turn |= ISA_LDS_READ; /* none waits while it reads, and who has waited stays so */
}

/* Whether it is such a store: its handler will do nothing but wait. */
bool isa_ds_lets_go_first(isa_wave_t *w, const isa_inst_t *i);

bool isa_ds_wait_or_go(isa_wave_t *w, const isa_inst_t *i);

/* True: the store is to be tried again after the others. */
static inline bool isa_ds_waits(isa_wave_t *w, const isa_inst_t *i)
{
    const uint8_t turn = w->lds_turn;
    if (__builtin_expect(turn != ISA_LDS_READ && turn != ISA_LDS_WAITS, 1)) return false;
    return isa_ds_wait_or_go(w, i);
}

/* Fills *a with ADDR + offset (32 bits, wrapping) for the active lanes whose `bytes` bytes lie in
 * the group's LDS; returns the other active lanes, which read 0 and write nothing. */
uint64_t isa_ds_addresses(isa_wave_t *w, const isa_inst_t *i, uint32_t offset, uint32_t bytes,
                          isa_lanes_t *a);

/* The quick way, when every active lane is in range: LDS offsets of all lanes, 0 for inactive ones;
 * false if an active lane's element is out of range or the group has no LDS to speak of. */
ISA_BLOCK bool isa_ds_in_range(isa_wave_t *w, const isa_inst_t *i, uint32_t offset, uint32_t bytes,
                               uint32_t *restrict at)
{
    const uint32_t *addr = isa_lanes_rows(w, &i->src[0])[0];
    if (bytes > w->group->lds_bytes || (i->flags & ISA_F_GDS)) return false;
    const uint32_t limit = w->group->lds_bytes - bytes;
    isa_vec_t most = isa_vec_all(0);
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        isa_vec_t x = isa_vec_load(addr + l) + offset;
        if (w->exec != ISA_ALL_LANES) x = isa_row_active(x, l, w->exec);
        most = isa_vec_max(most, x);
        isa_vec_store(at + l, x);
    }
    return !isa_vec_above(most, isa_vec_all(limit));
}

#endif
