/* buffers.c - GPU memory: allocate, free, map and unmap.
 *
 * A buffer is a range of the GPU's file (VRAM, system memory), a device page (doorbells, registers)
 * or the program's own memory (user pointers). Mapping enters the buffer in the page tables of
 * GPUs. The program maps a buffer into its own address space by mmap() of a device node
 * (pages.h). */
#include "softgpu/kfd/kfd.h"

#include "base/grow.h"
#include "base/round.h"

#include <errno.h>
#include <fcntl.h>
#include <libdrm/amdgpu_drm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    KIND_MASK = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |
                KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
                KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP
};

/* KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, whose definition overflows an int */
static const uint32_t flag_writable = 1u << 31;

kfd_buffer_t *kfd_buffer_find(kfd_process_t *p, uint64_t handle)
{
    if (handle == 0 || handle > p->n_buffers || !p->buffers[handle - 1].used) return NULL;
    return &p->buffers[handle - 1];
}

/* Finds or makes a free row of the table, and sets *handle to its handle. NULL when memory runs
 * out. */
static kfd_buffer_t *new_row(kfd_process_t *p, uint64_t *handle)
{
    size_t i = 0;
    while (i < p->n_buffers && p->buffers[i].used)
        i++;
    if (!BASE_GROW_ZEROS(p->buffers, i, &p->n_buffers)) return NULL;
    *handle = i + 1;
    return &p->buffers[i];
}

bool kfd_is_mapped(uint64_t begin, uint64_t bytes)
{
    const uint64_t first = begin & ~(uint64_t)(KFD_PAGE - 1), size = begin - first + bytes;
    /* msync() is the cheapest call that fails if a page is not mapped */
    return bytes && size >= bytes && first + size >= first &&
           msync((void *)(uintptr_t)first, size, MS_ASYNC) == 0;
}

/* Finds the host memory of a new buffer and the offset for mmap(). */
static int back_buffer(kfd_gpu_t *gpu, kfd_buffer_t *b, uint64_t *mmap_offset)
{
    int error = -EINVAL;
    switch (b->flags & KIND_MASK) {
    case KFD_IOC_ALLOC_MEM_FLAGS_VRAM:
    case KFD_IOC_ALLOC_MEM_FLAGS_GTT:
        error = kfd_bo_create(gpu, b->flags, b->size, &b->bo);
        if (error != 0) break;
        b->host = b->bo->host;
        *mmap_offset = b->bo->mmap_offset;
        break;
    case KFD_IOC_ALLOC_MEM_FLAGS_USERPTR:
        b->host = (uint8_t *)(uintptr_t)*mmap_offset;
        error = !b->host ? -EINVAL : kfd_is_mapped(*mmap_offset, b->size) ? 0 : -EFAULT;
        break;
    case KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL:
        b->host = (uint8_t *)gpu->doorbells;
        *mmap_offset = kfd_doorbell_offset(gpu->index);
        error = b->size == KFD_DOORBELL_BYTES ? 0 : -EINVAL;
        break;
    case KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP:
        b->host = gpu->mmio;
        *mmap_offset = kfd_mmio_offset(gpu->index);
        error = b->size == KFD_PAGE ? 0 : -EINVAL;
        break;
    default: break;
    }
    return error;
}

int kfd_buffer_alloc(kfd_process_t *p, struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
    kfd_gpu_t *gpu = kfd_gpu_find(p, args->gpu_id);
    /* doubly mapped rings are for GPUs before gfx9, which softgpu does not have */
    if (!gpu || args->size == 0 || (args->flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM))
        return -EINVAL;
    kfd_buffer_t b = {.va = args->va_addr,
                      .size = base_round_up(args->size, KFD_PAGE),
                      .flags = args->flags,
                      .gpu = gpu->index,
                      .used = true};
    if (b.size == 0) return -EINVAL; /* rounding the size up has overflowed */
    uint64_t handle, mmap_offset = args->mmap_offset;

    pthread_mutex_lock(&p->lock);
    kfd_buffer_t *row = new_row(p, &handle);
    int error = row ? back_buffer(gpu, &b, &mmap_offset) : -ENOMEM;
    if (error == 0) {
        *row = b;
        args->handle = handle;
        args->mmap_offset = mmap_offset;
    }
    pthread_mutex_unlock(&p->lock);
    return error;
}

int kfd_buffer_free(kfd_process_t *p, struct kfd_ioctl_free_memory_of_gpu_args *args)
{
    int error = 0;
    pthread_mutex_lock(&p->lock);
    kfd_buffer_t *b = kfd_buffer_find(p, args->handle);
    if (!b) {
        error = -EINVAL;
    } else if (args->handle == p->event_page) {
        error = -EPERM; /* as in the driver: every interrupt writes to the event page */
    } else if (b->mapped) {
        error = -EBUSY; /* as in the driver */
    } else {
        if (b->bo) kfd_bo_put(p, b->bo);
        b->used = false;
    }
    pthread_mutex_unlock(&p->lock);
    return error;
}

/* ---- memory that is shared by descriptor ---- */

int kfd_buffer_adopt(kfd_process_t *p, kfd_bo_t *bo, uint64_t va, uint64_t *handle)
{
    kfd_buffer_t *row = new_row(p, handle);
    if (!row) {
        kfd_bo_put(p, bo);
        return -ENOMEM;
    }
    *row = (kfd_buffer_t){.va = va,
                          .size = bo->size,
                          .bo = bo,
                          .host = bo->host,
                          .flags = (bo->flags & KIND_MASK) | flag_writable |
                                   KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE,
                          .gpu = bo->gpu,
                          .used = true};
    return 0;
}

int kfd_buffer_export(kfd_process_t *p, struct kfd_export_dmabuf_args *args)
{
    int fd = -1;
    pthread_mutex_lock(&p->lock);
    const kfd_buffer_t *b = kfd_buffer_find(p, args->handle);
    int error = b && b->bo ? kfd_bo_export(p, b->bo, &fd) : -EINVAL;
    pthread_mutex_unlock(&p->lock);
    if (error == 0 && !(args->flags & O_CLOEXEC)) fcntl(fd, F_SETFD, 0);
    if (error == 0) args->dmabuf_fd = (uint32_t)fd;
    return error;
}

int kfd_buffer_import(kfd_process_t *p, struct kfd_ioctl_import_dmabuf_args *args)
{
    kfd_bo_t *bo;
    if (!kfd_gpu_find(p, args->gpu_id)) return -EINVAL;
    pthread_mutex_lock(&p->lock);
    int error = kfd_bo_import(p, (int)args->dmabuf_fd, &bo);
    uint64_t handle = 0;
    if (error == 0) error = kfd_buffer_adopt(p, bo, args->va_addr, &handle);
    pthread_mutex_unlock(&p->lock);
    args->handle = handle;
    return error;
}

int kfd_buffer_dmabuf_info(kfd_process_t *p, struct kfd_ioctl_get_dmabuf_info_args *args)
{
    kfd_bo_t *bo;
    struct drm_amdgpu_gem_metadata notes;
    uint32_t room = args->metadata_size;
    pthread_mutex_lock(&p->lock);
    int error = kfd_bo_import(p, (int)args->dmabuf_fd, &bo);
    if (error == 0) {
        memcpy(&notes.data, bo->notes, sizeof(notes.data));
        args->size = bo->size;
        args->metadata_size = notes.data.data_size_bytes;
        if (args->metadata_size > room)
            error = -EINVAL; /* the caller has to call again with more room */
        else if (args->metadata_ptr)
            memcpy((void *)(uintptr_t)args->metadata_ptr, notes.data.data, args->metadata_size);
        args->gpu_id = kfd_gpu_id(bo->gpu);
        args->flags = bo->flags & (KIND_MASK | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
        kfd_bo_put(p, bo);
    }
    pthread_mutex_unlock(&p->lock);
    return error;
}

/* ---- the page tables ---- */

static uint32_t page_flags(uint32_t flags)
{
    return (flags & flag_writable ? SG_MEM_WRITABLE : 0) |
           (flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE ? SG_MEM_EXECUTABLE : 0) |
           (flags & KFD_IOC_ALLOC_MEM_FLAGS_COHERENT ? SG_MEM_COHERENT : 0) |
           (flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM ? 0 : SG_MEM_HOST);
}

static int map_on(kfd_gpu_t *gpu, kfd_buffer_t *b)
{
    if (b->mapped & 1u << gpu->index) return 0;
    if (b->va == 0) return -EINVAL; /* memory without an address: DRM gives it one (gem.c) */
    kfd_svm_forget(gpu->process, b->va, b->size); /* SVM ranges that were there no longer exist */
    uint32_t flags = page_flags(b->flags) | (b->mailboxes ? SG_MEM_MAILBOXES : 0);
    /* host memory of the thunk has the same address on the GPU; memory that the program registers
     * has another */
    if (b->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR && b->va != (uintptr_t)b->host) {
        flags |= SG_MEM_REGISTERED;
        sg_guard_install();
    }
    int error = sg_memory_map(gpu->memory, b->va, b->size, b->host, flags);
    if (error == 0) b->mapped |= 1u << gpu->index;
    return error;
}

int kfd_buffer_set_mailboxes(kfd_process_t *p, kfd_buffer_t *b)
{
    const uint32_t flags = page_flags(b->flags) | SG_MEM_MAILBOXES;
    int error = 0;
    for (uint32_t k = 0; k < p->n_gpus && error == 0; k++)
        if (b->mapped >> k & 1) error = sg_memory_protect(p->gpus[k].memory, b->va, b->size, flags);
    b->mailboxes = error == 0;
    return error;
}

static int unmap_from(kfd_gpu_t *gpu, kfd_buffer_t *b)
{
    if (!(b->mapped & 1u << gpu->index)) return 0;
    int error = sg_memory_unmap(gpu->memory, b->va, b->size);
    if (error == 0) b->mapped &= ~(1u << gpu->index);
    if (b->flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE) sg_device_invalidate_code(gpu->device);
    return error;
}

/* Calls `step` for the GPUs of the caller's list, but not for the first *n_success of them, which a
 * previous call has done. */
static int for_each_gpu(kfd_process_t *p, uint64_t handle, uint64_t ids, uint32_t n,
                        uint32_t *n_success, int (*step)(kfd_gpu_t *, kfd_buffer_t *))
{
    const uint32_t *gpu_ids = (const uint32_t *)(uintptr_t)ids;
    if (n == 0 || !gpu_ids || *n_success > n) return -EINVAL;
    pthread_mutex_lock(&p->lock);
    kfd_buffer_t *b = kfd_buffer_find(p, handle);
    int error = b ? 0 : -EINVAL;
    while (error == 0 && *n_success < n) {
        kfd_gpu_t *gpu = kfd_gpu_find(p, gpu_ids[*n_success]);
        error = gpu ? step(gpu, b) : -EINVAL;
        if (error == 0) ++*n_success;
    }
    pthread_mutex_unlock(&p->lock);
    return error;
}

int kfd_buffer_map(kfd_process_t *p, struct kfd_ioctl_map_memory_to_gpu_args *args)
{
    return for_each_gpu(p, args->handle, args->device_ids_array_ptr, args->n_devices,
                        &args->n_success, map_on);
}

int kfd_buffer_unmap(kfd_process_t *p, struct kfd_ioctl_unmap_memory_from_gpu_args *args)
{
    return for_each_gpu(p, args->handle, args->device_ids_array_ptr, args->n_devices,
                        &args->n_success, unmap_from);
}

uint64_t kfd_vram_available(kfd_process_t *p, kfd_gpu_t *gpu)
{
    pthread_mutex_lock(&p->lock);
    kfd_bo_sweep(p);
    uint64_t available = gpu->vram_bytes - gpu->vram_used;
    pthread_mutex_unlock(&p->lock);
    return available;
}
