/* mem_lanes.h - memory accesses of a whole wave: 64 addresses, one element size.
 *
 * Vector memory instructions without a faster path fill in an isa_lanes_t with the address of each
 * lane, and pass it to one of these functions. If one extent holds all lanes' elements, the
 * functions copy blocks of adjacent elements; otherwise they access memory lane by lane. The
 * addresses may also be offsets in LDS. */
#ifndef SOFTGPU_EXEC_MEM_LANES_H
#define SOFTGPU_EXEC_MEM_LANES_H

#include "softgpu/exec/mem.h"

#include <string.h>

typedef struct {
    _Alignas(64)
        uint64_t va[ISA_LANES]; /* defined for active lanes; LDS: offset in the workgroup's LDS */
    uint64_t exec;              /* lanes that access memory */
    uint32_t
        dword_step; /* from one dword of a lane's element to its next: 4, in swizzled memory more */
    bool lds;       /* `va` are offsets in LDS, all in range, not addresses in memory */
} isa_lanes_t;

/* Loads of a byte or a word, by how they fill the register. Loads into one half of a register write
 * zero to the other half: on gfx90a d16 loads do not keep it, with or without SRAM-ECC (LLVM
 * D112635). On GPUs that keep it, isa_sub_keep() restores it. */
typedef enum {
    ISA_SUB_U8,
    ISA_SUB_I8,
    ISA_SUB_U16,
    ISA_SUB_I16,
    ISA_SUB_U8_D16,
    ISA_SUB_I8_D16,
    ISA_SUB_B16_D16,
    ISA_SUB_U8_D16_HI,
    ISA_SUB_I8_D16_HI,
    ISA_SUB_B16_D16_HI
} isa_sub_t;

static inline bool isa_sub_is_high(isa_sub_t kind)
{
    return kind >= ISA_SUB_U8_D16_HI;
}

/* To be called before the load. True if the load leaves the other half of its register unchanged:
 * then the register is copied to `old`. */
static inline __attribute__((always_inline)) bool
isa_sub_keeps(const isa_wave_t *w, const isa_inst_t *i, isa_sub_t kind, uint32_t *old)
{
    if (kind < ISA_SUB_U8_D16 || !w->group->dispatch->arch->formats->keeps_halves) return false;
    memcpy(old, isa_row_of(w, &i->dst), sizeof(isa_row_t));
    return true;
}

/* To be called after the load: restores that half. */
static inline __attribute__((always_inline)) void
isa_sub_keep(const isa_wave_t *w, const isa_inst_t *i, isa_sub_t kind, const uint32_t *old)
{
    const uint32_t kept = isa_sub_is_high(kind) ? 0xffff : 0xffff0000;
    uint32_t *row = *isa_row_of(w, &i->dst);
    for (unsigned l = 0; l < ISA_LANES; l++)
        row[l] = (row[l] & ~kept) | (old[l] & kept);
}

static inline uint32_t isa_sub_bytes(isa_sub_t kind)
{
    return kind == ISA_SUB_U16 || kind == ISA_SUB_I16 || kind == ISA_SUB_B16_D16 ||
                   kind == ISA_SUB_B16_D16_HI
               ? 2
               : 1;
}

/* For all functions below: lanes outside a->exec are neither read nor written, in memory or in
 * registers. A memory fault stops the wave; its address is that of the first lane that fails.
 * `rows` are consecutive registers, one for each dword of an element. */
void isa_lanes_load(isa_wave_t *w, isa_lanes_t *a, isa_row_t *rows, unsigned dwords);
void isa_lanes_store(isa_wave_t *w, isa_lanes_t *a, const isa_row_t *rows, unsigned dwords);
void isa_lanes_load_sub(isa_wave_t *w, isa_lanes_t *a, isa_row_t *row, isa_sub_t kind);
/* Stores the low byte or word of each lane's dword shifted right by `shift`. */
void isa_lanes_store_sub(isa_wave_t *w, isa_lanes_t *a, const isa_row_t *row, unsigned bytes,
                         unsigned shift);

/* Copies a lane's element between memory and buf, also if it crosses extents or memory is swizzled.
 * False after a fault. */
bool isa_lane_bytes(isa_wave_t *w, const isa_lanes_t *a, unsigned l, uint8_t *buf, unsigned bytes,
                    bool write);

/* Writes 0 to `dwords` rows in the lanes of `mask`: the result of loads out of range. */
void isa_lanes_zero(isa_row_t *rows, unsigned dwords, uint64_t mask);

#endif
