/* memory.h - the device's page table: which GPU addresses exist and where their bytes are.
 *
 * Filled by the driver front end (map, unmap), read by everything that touches memory: waves,
 * instruction fetch, packets, SDMA. Look-ups take no lock. GPU address and host address are the
 * same for most memory, but not for registered host memory: never assume it. */
#ifndef SOFTGPU_MEMORY_MEMORY_H
#define SOFTGPU_MEMORY_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SG_MEM_WRITABLE = 1,
    SG_MEM_EXECUTABLE = 2,
    SG_MEM_COHERENT = 4,
    SG_MEM_HOST = 8,
    SG_MEM_REGISTERED = 16, /* the program's own: it may be gone, see sg_memory_prove() */
    SG_MEM_SVM =
        32, /* the program's own, by attributes of its range: it leaves before it is gone */
    SG_MEM_MAILBOXES = 64 /* of the driver's events, who takes out what anyone puts in */
};

typedef struct sg_extent {
    uint64_t begin, end; /* GPU addresses, [begin, end) */
    uint8_t *host;       /* host address of `begin` */
    uint32_t flags;      /* SG_MEM_* */
} sg_extent_t;

typedef struct sg_memory sg_memory_t;

/* First member of sg_memory_t, visible so that the hot path can read it in line. */
typedef struct {
    _Atomic uint64_t epoch;
} sg_memory_head_t;

sg_memory_t *sg_memory_create(void);
void sg_memory_destroy(sg_memory_t *m);

/* Makes [va, va+size) valid. 0, -EINVAL (overlap, unaligned to 4096, beyond 48 bits) or -ENOMEM.
 * Thread-safe. A reader sees a mapping grow page by page until the call returns. */
int sg_memory_map(sg_memory_t *m, uint64_t va, uint64_t size, void *host, uint32_t flags);

/* Removes exactly what one map call made. 0 or -ENOENT. The extent object stays readable until
 * sg_memory_quiesce(): a racing access sees either state. */
int sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size);

/* Makes two of the extent that `at` lies in, if it does not begin there: each can be unmapped on
 * its own, and readers find one or the other all the time. Not for registered extents. 0, -EINVAL
 * (unaligned) or -ENOMEM. Thread-safe. */
int sg_memory_split(sg_memory_t *m, uint64_t at);

/* New SG_MEM_* for exactly what one map call made; readers find it all the time. Not for registered
 * extents. 0, -ENOENT or -ENOMEM. Thread-safe. */
int sg_memory_protect(sg_memory_t *m, uint64_t va, uint64_t size, uint32_t flags);

/* Changes with every unmap and whenever an extent is replaced, never 0; cached extent pointers are
 * valid while it stays the same. Read it before the look-up whose result is to be cached. */
static inline uint64_t sg_memory_epoch(const sg_memory_t *m)
{
    return atomic_load_explicit(&((const sg_memory_head_t *)m)->epoch, memory_order_acquire);
}

/* The extent that holds va, or NULL. Wait-free: at most four dependent loads. */
const sg_extent_t *sg_memory_find(const sg_memory_t *m, uint64_t va);

/* The same, after a look whether the program still has the host memory of a registered extent: it
 * need not tell us before it unmaps. Pages that are gone leave the table, as a GPU's do, and the
 * rest of the extent stays. Memory that goes while a kernel or a copy uses it: guard.h. */
const sg_extent_t *sg_memory_prove(sg_memory_t *m, uint64_t va);

/* Host address of [va, va+size) if it lies in one extent with the wanted flags, and
 * is still there if the extent is a registered one; else NULL. */
void *sg_memory_host(const sg_memory_t *m, uint64_t va, uint64_t size, uint32_t flags);

/* True, and the GPU's address, if a GPU reaches the host address. Walks the whole table without a
 * lock, for signal handlers. */
bool sg_memory_behind(const sg_memory_t *m, const void *host, uint64_t *va);

/* Frees extents that were unmapped; the caller knows that no reader is active. */
void sg_memory_quiesce(sg_memory_t *m);

#endif
