/* buffer.h - buffer descriptors and the addresses they give, for all buffer instructions.
 *
 * Word and bit positions are gfx9's; nothing outside buffer*.c looks into a descriptor. */
#ifndef SOFTGPU_ISA_BUFFER_H
#define SOFTGPU_ISA_BUFFER_H

#include "softgpu/isa/handler.h"
#include "softgpu/isa/mem_lanes.h"

typedef struct {
    uint64_t base;
    uint32_t stride; /* bytes of a record */
    uint32_t num_records;
    uint32_t index_stride; /* records that a swizzled buffer interleaves: 8, 16, 32, 64 */
    bool swizzle;
    bool add_tid;   /* the lane number is added to the index */
    uint32_t word3; /* formats and component selects */
} isa_buffer_t;

/* One buffer access of a wave. */
typedef struct {
    isa_lanes_t at;                       /* all active lanes, range check or not */
    _Alignas(64) uint64_t end[ISA_LANES]; /* what is compared with the limit, see limit_step */
    uint64_t limit; /* a lane is in range while end[l] + limit_step * bytes <= limit */
    uint32_t
        limit_step; /* 1: the limit counts bytes; 0: records, the element's size is no matter */
} isa_buffer_access_t;

void isa_buffer_decode(const isa_wave_t *w, const isa_inst_t *i, isa_buffer_t *b);

/* Addresses and range of the access that *i makes through *b. */
void isa_buffer_addresses(isa_wave_t *w, const isa_inst_t *i, const isa_buffer_t *b,
                          isa_buffer_access_t *x);

/* Active lanes that may access `bytes` bytes of their element, starting `from` bytes into it. */
uint64_t isa_buffer_inside(const isa_buffer_access_t *x, uint32_t from, uint32_t bytes);

/* The LDS side of a transfer between buffer and LDS: the dword of lane l is at M0[15:0] + OFFSET +
 * 4 * l; lanes of `exec` that lie beyond the LDS are left out. */
void isa_buffer_lds_lanes(const isa_wave_t *w, const isa_inst_t *i, uint64_t exec, isa_lanes_t *a);

#endif
