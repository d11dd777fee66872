/* mem.c - the functions of mem.h that are not inline: look-ups of extents, accesses that cross
 * extents, faults.
 *
 * They are for one address at a time; mem_lanes.c accesses memory for all lanes. */
#include "softgpu/exec/mem.h"

#include <string.h>

/* Fills unused places of a wave's extent cache. It contains no address, so that the fast test in
 * mem.h need not test for NULL. */
static const sg_extent_t no_extent;

/* Looks va up. For an extent of registered host memory sg_memory_prove() has to test whether the
 * host still has the memory; a dispatch does so once for each extent, and remembers the last
 * few. */
static const sg_extent_t *find_proven(isa_dispatch_t *d, uint64_t va)
{
    const sg_extent_t *e = sg_memory_find(d->memory, va);
    if (!e || !(e->flags & SG_MEM_REGISTERED)) return e;
    _Atomic(const sg_extent_t *) *place = &d->proven[va >> 12 & (ISA_PROVEN - 1)];
    for (unsigned i = 0; i < ISA_PROVEN; i++)
        if (atomic_load_explicit(&d->proven[i], memory_order_acquire) == e) return e;
    e = sg_memory_prove(d->memory, va);
    if (e) atomic_store_explicit(place, e, memory_order_release);
    return e;
}

const sg_extent_t *isa_mem_find(isa_wave_t *w, uint64_t va, uint64_t epoch)
{
    if (w->mem_epoch != epoch) {
        for (unsigned k = 0; k < 4; k++)
            w->extent_cache[k] = &no_extent;
        w->mem_epoch = epoch;
    }
    const sg_extent_t *e = find_proven(w->group->dispatch, va);
    if (!e) return NULL;
    memmove(w->extent_cache + 1, w->extent_cache, 3 * sizeof w->extent_cache[0]);
    w->extent_cache[0] = e;
    return e;
}

/* The extent of va if it allows accesses of this kind, else NULL after setting the fault. */
static const sg_extent_t *usable_extent(isa_wave_t *w, uint64_t va, uint32_t kind)
{
    const sg_extent_t *e = isa_mem_extent(w, va);
    if (!e) {
        isa_mem_fault(w, va, kind);
        return NULL;
    }
    if ((kind & ISA_FAULT_WRITE) && !(e->flags & SG_MEM_WRITABLE)) {
        isa_mem_fault(w, va, kind | ISA_FAULT_RDONLY);
        return NULL;
    }
    return e;
}

uint8_t *isa_mem_ptr_slow(isa_wave_t *w, uint64_t va, uint32_t bytes, uint32_t kind)
{
    const sg_extent_t *e = usable_extent(w, va, kind);
    if (!e) return NULL;
    uint8_t *host = e->host + (va - e->begin);
    for (uint64_t done = e->end - va; done < bytes; done = e->end - va) {
        e = usable_extent(w, va + done, kind);
        if (!e) return NULL;
        if (e->host + (va + done - e->begin) != host + done) {
            isa_mem_fault(w, va + done, kind);
            return NULL;
        }
    }
    return host;
}

ISA_NO_TSAN static void copy_bytes(uint8_t *dst, const uint8_t *src, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++)
        dst[k] = src[k];
}

bool isa_mem_load(isa_wave_t *w, uint64_t va, void *dst, uint32_t bytes)
{
    uint8_t *to = dst;
    while (bytes) {
        const sg_extent_t *e = usable_extent(w, va, ISA_FAULT_READ);
        if (!e) return false;
        const uint64_t part = bytes < e->end - va ? bytes : e->end - va;
        copy_bytes(to, e->host + (va - e->begin), part);
        to += part;
        va += part;
        bytes -= (uint32_t)part;
    }
    return true;
}

bool isa_mem_store(isa_wave_t *w, uint64_t va, const void *src, uint32_t bytes)
{
    const uint8_t *from = src;
    while (bytes) {
        const sg_extent_t *e = usable_extent(w, va, ISA_FAULT_WRITE);
        if (!e) return false;
        const uint64_t part = bytes < e->end - va ? bytes : e->end - va;
        copy_bytes(e->host + (va - e->begin), from, part);
        from += part;
        va += part;
        bytes -= (uint32_t)part;
    }
    return true;
}
