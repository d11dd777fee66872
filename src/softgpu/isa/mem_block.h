/* mem_block.h - the quick way of wave accesses: elements of 64 active lanes side by side.
 *
 * In line in the handlers that can tell from the registers alone that lanes are neighbours; what
 * they cannot take goes to mem_lanes.c, whose results are the same. */
#ifndef SOFTGPU_ISA_MEM_BLOCK_H
#define SOFTGPU_ISA_MEM_BLOCK_H

#include "softgpu/isa/mem.h"

#define ISA_BLOCK     static inline __attribute__((always_inline)) ISA_NO_TSAN
#define ISA_ALL_LANES UINT64_MAX

/* row[l] = row[0] + l * stride for all lanes; the numbers do not wrap. */
ISA_BLOCK bool isa_row_counts(const uint32_t *row, uint32_t stride)
{
    uint32_t differ = 0;
    for (uint32_t l = 0; l < ISA_LANES; l++)
        differ |= (row[l] - l * stride) ^ row[0];
    return !differ && row[0] <= UINT32_MAX - ISA_LANES * stride;
}

/* Host address of `bytes` bytes at va if one extent holds them all, else NULL without a fault. */
ISA_BLOCK uint8_t *isa_block_place(isa_wave_t *w, uint64_t va, uint64_t bytes, bool write)
{
    const sg_extent_t *e = isa_mem_extent(w, va);
    if (!e || bytes > e->end - va || (write && !(e->flags & SG_MEM_WRITABLE))) return NULL;
    return e->host + (va - e->begin);
}

/* 64 elements of n dwords side by side at p to and from n rows. Aligned dwords, and aligned pairs
 * in elements of two, move as one. */
ISA_BLOCK void isa_block_load(isa_row_t *restrict rows, const uint8_t *restrict p, unsigned n)
{
    uint32_t *restrict r0 = rows[0], *restrict r1 = rows[1], *restrict r2 = rows[2],
                       *restrict r3 = rows[3];
    const isa_u32_any_t *d = (const isa_u32_any_t *)p;
    const isa_u64_any_t *q = (const isa_u64_any_t *)p;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        switch (n) {
        case 1: r0[l] = d[l]; break;
        case 2:
            r0[l] = (uint32_t)q[l];
            r1[l] = (uint32_t)(q[l] >> 32);
            break;
        case 3:
            r0[l] = d[3 * l];
            r1[l] = d[3 * l + 1];
            r2[l] = d[3 * l + 2];
            break;
        default:
            r0[l] = d[4 * l];
            r1[l] = d[4 * l + 1];
            r2[l] = d[4 * l + 2];
            r3[l] = d[4 * l + 3];
            break;
        }
    }
}

ISA_BLOCK void isa_block_store(const isa_row_t *restrict rows, uint8_t *restrict p, unsigned n)
{
    const uint32_t *restrict r0 = rows[0], *restrict r1 = rows[1], *restrict r2 = rows[2],
                             *restrict r3 = rows[3];
    isa_u32_any_t *d = (isa_u32_any_t *)p;
    isa_u64_any_t *q = (isa_u64_any_t *)p;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        switch (n) {
        case 1: d[l] = r0[l]; break;
        case 2: q[l] = r0[l] | (uint64_t)r1[l] << 32; break;
        case 3:
            d[3 * l] = r0[l];
            d[3 * l + 1] = r1[l];
            d[3 * l + 2] = r2[l];
            break;
        default:
            d[4 * l] = r0[l];
            d[4 * l + 1] = r1[l];
            d[4 * l + 2] = r2[l];
            d[4 * l + 3] = r3[l];
            break;
        }
    }
}

/* Bytes (1) or words (2) side by side, zero- or sign-extended. */
ISA_BLOCK void isa_block_load_sub(uint32_t *restrict row, const uint8_t *restrict p, unsigned bytes,
                                  bool sign)
{
    const isa_u16_any_t *h = (const isa_u16_any_t *)p;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const uint32_t v = bytes == 1 ? p[l] : h[l];
        row[l] = !sign ? v : (uint32_t)(bytes == 1 ? (int32_t)(int8_t)v : (int32_t)(int16_t)v);
    }
}

#endif
