/* mem.h - accesses of instructions to memory, at one address at a time.
 *
 * Scalar accesses use these functions; accesses of a whole wave are in mem_lanes.h. An address is
 * looked up in the device's memory (softgpu/memory/memory.h), which is made of extents. Each wave
 * remembers the last four extents that it found, so that most accesses need no look-up. */
#ifndef SOFTGPU_EXEC_MEM_H
#define SOFTGPU_EXEC_MEM_H

#include "softgpu/memory/memory.h"
#include "softgpu/exec/wave.h"

/* Types for program memory, which may be unaligned and hold any type. On x86-64 an aligned access
 * through one of them is one access of its size: programs rely on that when they exchange values
 * between waves through memory. */
typedef uint16_t isa_u16_any_t __attribute__((aligned(1), may_alias));
typedef uint32_t isa_u32_any_t __attribute__((aligned(1), may_alias));
typedef uint64_t isa_u64_any_t __attribute__((aligned(1), may_alias));

/* Data races on program memory are races of the program, not of softgpu: the thread sanitizer must
 * not report them. */
#define ISA_NO_TSAN __attribute__((no_sanitize("thread")))

/* Looks va up and remembers the extent in the wave's cache; NULL if va is not mapped. `epoch` is
 * that of the memory; if it has changed, the cache is emptied. */
const sg_extent_t *isa_mem_find(isa_wave_t *w, uint64_t va, uint64_t epoch);

/* The extent that holds va, if the wave remembers it, else NULL. */
static inline const sg_extent_t *isa_mem_remembered(const isa_wave_t *w, uint64_t va,
                                                    uint64_t epoch)
{
    if (__builtin_expect(w->mem_epoch != epoch, 0)) return NULL;
    for (unsigned k = 0; k < 4; k++) {
        const sg_extent_t *e = w->extent_cache[k];
        if (va - e->begin < e->end - e->begin) return e;
    }
    return NULL;
}

/* The extent that holds va, or NULL. Sets no fault. */
static inline const sg_extent_t *isa_mem_extent(isa_wave_t *w, uint64_t va)
{
    const uint64_t epoch = sg_memory_epoch(w->group->dispatch->memory);
    const sg_extent_t *e = isa_mem_remembered(w, va, epoch);
    return __builtin_expect(e != NULL, 1) ? e : isa_mem_find(w, va, epoch);
}

/* isa_mem_ptr() for bytes that do not lie in one accessible extent: they may continue in another
 * one whose host memory follows directly; otherwise the wave is stopped with a memory fault. */
uint8_t *isa_mem_ptr_slow(isa_wave_t *w, uint64_t va, uint32_t bytes, uint32_t kind);

/* Host address of [va, va+bytes), or NULL after stopping the wave with a memory fault at the first
 * address that cannot be accessed. `kind` is ISA_FAULT_READ, WRITE or EXEC. Extents are whole
 * pages, so a naturally aligned access never crosses from one into another; for accesses that may,
 * use isa_mem_load() and isa_mem_store(). The pointer is valid during this instruction only. */
static inline uint8_t *isa_mem_ptr(isa_wave_t *w, uint64_t va, uint32_t bytes, uint32_t kind)
{
    const sg_extent_t *e = isa_mem_extent(w, va);
    if (__builtin_expect(!e || bytes > e->end - va ||
                             ((kind & ISA_FAULT_WRITE) && !(e->flags & SG_MEM_WRITABLE)),
                         0))
        return isa_mem_ptr_slow(w, va, bytes, kind);
    return e->host + (va - e->begin);
}

/* Copy from or to GPU memory across any number of extents. False after a memory fault; the bytes
 * before the address that failed have been copied. */
bool isa_mem_load(isa_wave_t *w, uint64_t va, void *dst, uint32_t bytes);
bool isa_mem_store(isa_wave_t *w, uint64_t va, const void *src, uint32_t bytes);

#endif
