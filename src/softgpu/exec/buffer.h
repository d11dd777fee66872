/* buffer.h - what the buffer instruction files share: one access of a wave, its lanes and range.
 *
 * address.h has the fields of a descriptor and computes addresses. */
#ifndef SOFTGPU_EXEC_BUFFER_H
#define SOFTGPU_EXEC_BUFFER_H

#include "softgpu/exec/address.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/lds.h"
#include "softgpu/exec/mem_lanes.h"

/* One buffer access of a wave. */
typedef struct {
    isa_lanes_t at; /* all active lanes, in range or not */
    isa_buffer_range_t range;
} isa_buffer_access_t;

/* `formatted`: the instruction converts by a format, its own or the descriptor's. */
void isa_buffer_decode(const isa_wave_t *w, const isa_inst_t *i, bool formatted, isa_buffer_t *b);

/* Addresses and range of the access that *i makes through *b. */
void isa_buffer_addresses(isa_wave_t *w, const isa_inst_t *i, const isa_buffer_t *b,
                          isa_buffer_access_t *x);

/* Active lanes for which `bytes` bytes of their element, starting `from` bytes into it, are in
 * range. */
uint64_t isa_buffer_inside(const isa_buffer_access_t *x, uint32_t from, uint32_t bytes);

#endif
