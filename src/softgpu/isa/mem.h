/* mem.h - how instructions reach memory: one address at a time.
 *
 * Scalar loads and instruction fetch need no more than this; accesses of a whole wave are in
 * mem_lanes.h. Every access goes through the device's page table; a wave keeps its last four
 * extents so that the table is seldom asked. Part of the core: compiled once per variant. */
#ifndef SOFTGPU_ISA_MEM_H
#define SOFTGPU_ISA_MEM_H

#include "softgpu/memory/memory.h"
#include "softgpu/isa/wave.h"

/* Program memory may be unaligned and of any type. An aligned access through these is one access
 * of its size on x86-64, which is the guarantee that programs need to talk through memory. */
typedef uint16_t isa_u16_any_t __attribute__((aligned(1), may_alias));
typedef uint32_t isa_u32_any_t __attribute__((aligned(1), may_alias));
typedef uint64_t isa_u64_any_t __attribute__((aligned(1), may_alias));

/* Races on program memory are the program's own: the thread sanitizer shall not report them. */
#define ISA_NO_TSAN __attribute__((no_sanitize("thread")))

/* Stops the wave with a memory fault; the first fault of an instruction counts. */
static inline void isa_mem_fault(isa_wave_t *w, uint64_t va, uint32_t flags)
{
    if (w->stop == ISA_STOP_MEMORY) return;
    w->stop = ISA_STOP_MEMORY;
    w->fault_addr = va;
    w->fault_flags = flags;
}

/* Asks the page table and remembers the answer; NULL if va is not mapped. */
const sg_extent_t *isa_mem_find(isa_wave_t *w, uint64_t va, uint64_t epoch);

/* The extent that holds va, or NULL. Sets no fault. */
static inline const sg_extent_t *isa_mem_extent(isa_wave_t *w, uint64_t va)
{
    const uint64_t epoch = sg_memory_epoch(w->group->dispatch->memory);
    if (__builtin_expect(w->mem_epoch == epoch, 1)) {
        for (unsigned k = 0; k < 4; k++) {
            const sg_extent_t *e = w->extent_cache[k];
            if (va - e->begin < e->end - e->begin) return e;
        }
    }
    return isa_mem_find(w, va, epoch);
}

/* What isa_mem_ptr does when the quick test fails: sets the fault unless the bytes go on in host
 * memory across the end of an extent. */
uint8_t *isa_mem_ptr_slow(isa_wave_t *w, uint64_t va, uint32_t bytes, uint32_t kind);

/* Host address of [va, va+bytes), or NULL after stopping the wave with a memory fault at the first
 * address that fails. `kind` is one of ISA_FAULT_READ, WRITE, EXEC. Extents are whole pages, so
 * naturally aligned accesses never cross from one into another; for bytes that may, use
 * isa_mem_load and isa_mem_store. The pointer is good for this instruction only. */
static inline uint8_t *isa_mem_ptr(isa_wave_t *w, uint64_t va, uint32_t bytes, uint32_t kind)
{
    const sg_extent_t *e = isa_mem_extent(w, va);
    if (__builtin_expect(!e || bytes > e->end - va ||
                             ((kind & ISA_FAULT_WRITE) && !(e->flags & SG_MEM_WRITABLE)),
                         0))
        return isa_mem_ptr_slow(w, va, bytes, kind);
    return e->host + (va - e->begin);
}

/* Copy to or from GPU memory across any number of extents. False after a fault, when the bytes
 * before the failing address have been copied. */
bool isa_mem_load(isa_wave_t *w, uint64_t va, void *dst, uint32_t bytes);
bool isa_mem_store(isa_wave_t *w, uint64_t va, const void *src, uint32_t bytes);

#endif
