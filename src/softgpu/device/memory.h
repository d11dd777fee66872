/* memory.h - the device's page table: which GPU addresses exist and where their bytes are.
 *
 * Filled by the driver front end (map, unmap), read by everything that touches memory: waves,
 * instruction fetch, packets, SDMA. Look-ups take no lock. GPU address and host address are the
 * same for most memory, but not for registered host memory: never assume it. */
#ifndef SOFTGPU_DEVICE_MEMORY_H
#define SOFTGPU_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_MEM_WRITABLE = 1, SG_MEM_EXECUTABLE = 2, SG_MEM_COHERENT = 4, SG_MEM_HOST = 8 };

typedef struct sg_extent {
    uint64_t begin, end;  /* GPU addresses, [begin, end) */
    uint8_t *host;        /* host address of `begin`, always readable by the device */
    uint32_t flags;       /* SG_MEM_* */
} sg_extent_t;

typedef struct sg_memory sg_memory_t;

sg_memory_t *sg_memory_create(void);
void sg_memory_destroy(sg_memory_t *m);

/* Makes [va, va+size) valid. 0, -EINVAL (overlap, unaligned to 4096) or -ENOMEM. Thread-safe. */
int sg_memory_map(sg_memory_t *m, uint64_t va, uint64_t size, void *host, uint32_t flags);

/* Removes exactly what one map call made. 0 or -ENOENT. The extent object stays readable until
 * sg_memory_quiesce(): a racing access sees either state. */
int sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size);

/* Changes with every unmap; cached extent pointers are valid while it stays the same. */
uint64_t sg_memory_epoch(const sg_memory_t *m);

/* The extent that holds va, or NULL. Lock-free, O(log n) at worst. */
const sg_extent_t *sg_memory_find(const sg_memory_t *m, uint64_t va);

/* Host address of [va, va+size) if it lies in one extent with the wanted flags, else NULL. */
void *sg_memory_host(const sg_memory_t *m, uint64_t va, uint64_t size, uint32_t flags);

/* Frees extents that were unmapped; the caller knows that no reader is active. */
void sg_memory_quiesce(sg_memory_t *m);

#endif
