/* bo.h - buffer objects: pieces of GPU memory, whoever refers to them and in whichever process.
 *
 * The driver's buffers (buffers.c), DRM's handles (gem.c) and descriptors in other hands are
 * references to them. All functions are called under the process's lock; 0 or -errno. */
#ifndef SOFTGPU_KFD_BO_H
#define SOFTGPU_KFD_BO_H

#include "softgpu/kfd/pages.h"

#include "base/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kfd_process;
struct kfd_gpu;

/* Room for notes (DRM's metadata) of an object, behind the memory in the GPU's pages: each page of
 * memory has its own, and an object those of its first page. Unused ones cost nothing. */
enum { KFD_BO_NOTE_BYTES = 512 };

/* How many bytes there are for notes on `bytes` of memory. */
static inline uint64_t kfd_bo_all_notes(uint64_t bytes)
{
    return bytes / 4096 * KFD_BO_NOTE_BYTES;
}

typedef struct kfd_bo {
    uint32_t references;  /* of this process; 0: only others hold it, see kfd_bo_put() */
    uint32_t serial;      /* its name in IPC handles, never 0 */
    uint32_t gpu;         /* index of the owner */
    uint32_t flags;       /* KFD_IOC_ALLOC_MEM_FLAGS_* */
    uint32_t ipc_flags;   /* the thunk's own, which it gives at IPC export */
    uint64_t size;        /* bytes, whole pages */
    uint64_t offset;      /* in the GPU's pages */
    uint64_t note_offset; /* of its notes, in the same */
    uint64_t mmap_offset; /* for mmap() of the GPU's render node */
    uint8_t *host;        /* where the device finds the bytes */
    uint8_t *notes;       /* KFD_BO_NOTE_BYTES, seen by all who have the object; zeros at first */
    bool noted;           /* there may be some, of whatever process */

    /* of another process: its GPU's node and pages, and what tells it that we use the memory */
    bool foreign;
    uint32_t segment;
    base_kept_t file, lease;

    /* of this process: a pipe for each descriptor given out, hung up when the last holder is gone
     */
    base_kept_t *leases;
    uint32_t n_leases;
    struct kfd_bo *next, **self; /* the process's list */
} kfd_bo_t;

/* New memory of a GPU, zeros; `flags` say which kind. The caller has the first reference. */
int kfd_bo_create(struct kfd_gpu *gpu, uint32_t flags, uint64_t size, kfd_bo_t **out);
/* Gives a reference back. With the last one the memory is free, as soon as no other process uses
 * it and no descriptor of it is left. */
void kfd_bo_put(struct kfd_process *p, kfd_bo_t *bo);
/* Frees what only others held and nobody holds any more. */
void kfd_bo_sweep(struct kfd_process *p);
kfd_bo_t *kfd_bo_by_serial(struct kfd_process *p, uint32_t serial);

/* What the object's users tell each other of it: no more than KFD_BO_NOTE_BYTES. */
void kfd_bo_write_notes(kfd_bo_t *bo, const void *notes, size_t bytes);

/* A descriptor that stands for the memory: a DMA-BUF. May be passed on to other processes. */
int kfd_bo_export(struct kfd_process *p, kfd_bo_t *bo, int *fd);
/* The memory behind a descriptor, with a new reference; -EINVAL if it is no DMA-BUF of ours,
 * -ENODEV if it is the memory of a GPU that this process does not have. */
int kfd_bo_import(struct kfd_process *p, int fd, kfd_bo_t **out);
/* What is behind a descriptor: its size in bytes, or -EINVAL. Needs no lock. */
int64_t kfd_bo_descriptor_size(int fd);
/* mmap() of a DMA-BUF or of a device node. MAP_FAILED with errno; ENODEV if the pages are the
 * descriptor's own. */
void *kfd_bo_map(struct kfd_process *p, int fd, uint64_t offset, void *address, uint64_t bytes,
                 int protection, int flags);

/* In a forked child: closes what it has inherited. */
void kfd_bo_forget(struct kfd_process *p);

#endif
