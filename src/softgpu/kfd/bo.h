/* bo.h - buffer objects: pieces of GPU memory, which several processes may share.
 *
 * The driver's buffers (buffers.c), DRM's handles (gem.c) and DMA-BUF descriptors refer to them.
 * Unless a comment says otherwise, functions are called under the process's lock and return 0 or
 * -errno. */
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

/* Notes are an object's metadata (DRM_AMDGPU_GEM_METADATA), which the processes that share the
 * object read and write. Each page of memory has room for notes, in the GPU's pages after all
 * memory; an object uses the room of its first page. Unused room costs no memory. */
enum { KFD_BO_NOTE_BYTES = 512 };

/* Bytes of room for the notes of `bytes` of memory. */
static inline uint64_t kfd_bo_all_notes(uint64_t bytes)
{
    return bytes / 4096 * KFD_BO_NOTE_BYTES;
}

typedef struct kfd_bo {
    uint32_t references; /* references in this process; 0: only other processes hold the object, see
                            kfd_bo_put() */
    uint32_t serial;     /* identifies the object in IPC handles, never 0 */
    uint32_t gpu;        /* index of the owner */
    uint32_t flags;      /* KFD_IOC_ALLOC_MEM_FLAGS_* */
    uint32_t ipc_flags;  /* the thunk's flags, from IPC export */
    uint64_t size;       /* bytes, whole pages */
    uint64_t offset;     /* in the GPU's pages */
    uint64_t note_offset; /* of its notes, in the GPU's pages */
    uint64_t mmap_offset; /* for mmap() of the GPU's render node */
    uint8_t *host;        /* host address at which the device finds the bytes */
    uint8_t *notes;       /* KFD_BO_NOTE_BYTES, shared by all processes; zeros at first */
    bool noted;           /* some process may have written notes */

    /* for memory of another process: the render node of that process, and the lease, which this
     * process closes when it no longer uses the memory */
    bool foreign;
    uint32_t segment;
    base_kept_t file, lease;

    /* for memory of this process: the reading ends of pipes, one for each exported descriptor; a
     * pipe hangs up when the descriptor's last holder has closed it */
    base_kept_t *leases;
    uint32_t n_leases;
    struct kfd_bo *next, **self; /* links of kfd_process_t.bos */
} kfd_bo_t;

/* Allocates zeroed memory of a GPU; `flags` select the kind. The caller has the first reference. */
int kfd_bo_create(struct kfd_gpu *gpu, uint32_t flags, uint64_t size, kfd_bo_t **out);
/* Drops a reference. After the last one the memory is freed as soon as no other process uses it and
 * no descriptor of it is left. */
void kfd_bo_put(struct kfd_process *p, kfd_bo_t *bo);
/* Frees objects that neither this process nor another one holds any more. */
void kfd_bo_sweep(struct kfd_process *p);
kfd_bo_t *kfd_bo_by_serial(struct kfd_process *p, uint32_t serial);

/* Writes the object's notes, at most KFD_BO_NOTE_BYTES. */
void kfd_bo_write_notes(kfd_bo_t *bo, const void *notes, size_t bytes);

/* Makes a DMA-BUF: a descriptor that refers to the memory and may be passed to other processes. */
int kfd_bo_export(struct kfd_process *p, kfd_bo_t *bo, int *fd);
/* The memory to which a DMA-BUF refers, with a new reference. -EINVAL: the descriptor is no DMA-BUF
 * of softgpu; -ENODEV: it is memory of a GPU that this process does not have. */
int kfd_bo_import(struct kfd_process *p, int fd, kfd_bo_t **out);
/* Bytes of memory to which a DMA-BUF refers, or -EINVAL. Needs no lock. */
int64_t kfd_bo_descriptor_size(int fd);
/* mmap() of a DMA-BUF or of a device node. MAP_FAILED with errno; ENODEV: the caller can map the
 * descriptor with the kernel's mmap(). */
void *kfd_bo_map(struct kfd_process *p, int fd, uint64_t offset, void *address, uint64_t bytes,
                 int protection, int flags);

/* Sends bytes through a socket and, with them, up to two descriptors. 0 or -errno. */
int kfd_send_descriptors(int socket, const void *bytes, size_t n_bytes, const int *fds, size_t n);

/* In a forked child: closes the inherited descriptors. */
void kfd_bo_forget(struct kfd_process *p);

#endif
