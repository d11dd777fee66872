/* memory.h - the device's page table: which GPU addresses are mapped, and to which host memory.
 *
 * The driver's front end (kfd/) maps and unmaps extents; waves, instruction fetch and packets look
 * them up, without a lock. A GPU address and its host address may differ: those of registered host
 * memory do. */
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
    SG_MEM_HOST = 8,        /* not VRAM */
    SG_MEM_REGISTERED = 16, /* registered memory of the program, which may unmap it without notice:
                               see sg_memory_prove() */
    SG_MEM_SVM = 32,        /* the program's memory as shared virtual memory (kfd/svm.c): unmapped
                               here before the program unmaps it */
    SG_MEM_MAILBOXES = 64   /* the event page: the driver resets values that are stored there */
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

/* Maps [va, va+size) to `host`. 0, -EINVAL (overlap, unaligned to 4096, beyond 48 bits) or -ENOMEM.
 * Thread-safe. Until the call returns, a reader may find only some of the pages mapped. */
int sg_memory_map(sg_memory_t *m, uint64_t va, uint64_t size, void *host, uint32_t flags);

/* Removes exactly what one call of sg_memory_map() mapped. 0 or -ENOENT. The sg_extent_t stays
 * readable until sg_memory_destroy(), since an access on another thread may still use it. */
int sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size);

/* Splits the extent around `at`, unless one begins there: the two can then be unmapped separately.
 * The memory stays mapped for readers all the time. Not for registered extents. 0, -EINVAL
 * (unaligned) or -ENOMEM. Thread-safe. */
int sg_memory_split(sg_memory_t *m, uint64_t at);

/* Changes the SG_MEM_* flags of exactly what one call of sg_memory_map() mapped; the memory stays
 * mapped for readers all the time. Not for registered extents. 0, -ENOENT or -ENOMEM.
 * Thread-safe. */
int sg_memory_protect(sg_memory_t *m, uint64_t va, uint64_t size, uint32_t flags);

/* The epoch, never 0, changes with every unmap and whenever an extent is replaced. A cached extent
 * pointer is valid while the epoch is the one read before the pointer was looked up. */
static inline uint64_t sg_memory_epoch(const sg_memory_t *m)
{
    return atomic_load_explicit(&((const sg_memory_head_t *)m)->epoch, memory_order_acquire);
}

/* The extent that holds va, or NULL. Wait-free: at most four dependent loads. */
const sg_extent_t *sg_memory_find(const sg_memory_t *m, uint64_t va);

/* Like sg_memory_find(), but tests whether the host memory of a registered extent is still mapped,
 * since the program may unmap it without notice. Unmapped pages are removed from the table, as on a
 * GPU, and the rest of the extent stays. guard.h handles memory that is unmapped while a kernel or
 * a copy uses it. */
const sg_extent_t *sg_memory_prove(sg_memory_t *m, uint64_t va);

/* Host address of [va, va+size) if it lies in one extent with the wanted flags and, for a
 * registered extent, still exists; else NULL. */
void *sg_memory_host(const sg_memory_t *m, uint64_t va, uint64_t size, uint32_t flags);

/* True, with the GPU address in *va, if the host address is mapped on the GPU, or has been: a
 * thread that found it in the table before it was unmapped may access it afterwards. Searches the
 * whole table without a lock, so that a signal handler can call it. */
bool sg_memory_behind(const sg_memory_t *m, const void *host, uint64_t *va);

#endif
