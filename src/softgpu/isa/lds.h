/* lds.h - what the LDS instruction files share: addresses and the checks before an access.
 *
 * A workgroup's LDS is run by one worker at a time, so nothing here is atomic for the host. */
#ifndef SOFTGPU_ISA_LDS_H
#define SOFTGPU_ISA_LDS_H

#include "softgpu/isa/address.h"
#include "softgpu/isa/handler.h"
#include "softgpu/isa/mem_lanes.h"

/* False, with the wave stopped, for the global data share: this device has none. */
static inline bool isa_ds_ready(isa_wave_t *w, const isa_inst_t *i)
{
    if (__builtin_expect(!(i->flags & ISA_F_GDS), 1)) return true;
    isa_stop_unsupported(w, i, "no global data share");
    return false;
}

/* Fills *a with ADDR + offset (32 bits, wrapping) for the active lanes whose `bytes` bytes lie in
 * the group's LDS; returns the other active lanes, which read 0 and write nothing. */
uint64_t isa_ds_addresses(isa_wave_t *w, const isa_inst_t *i, uint32_t offset, uint32_t bytes,
                          isa_lanes_t *a);

#endif
