/* gem.c - DRM's view of GPU memory: handles of buffer objects and their places in the page table.
 *
 * The runtimes' virtual memory management reserves addresses, allocates memory without an address
 * through the KFD, and maps the memory at the addresses here. Handles belong to a GPU, since all
 * descriptors that a process has of a render node are the same DRM file. */
#include "softgpu/kfd/bo.h"
#include "softgpu/kfd/kfd.h"

#include "base/grow.h"

#include <errno.h>
#include <libdrm/amdgpu_drm.h>
#include <libdrm/drm.h>
#include <stdlib.h>
#include <string.h>

/* One piece of an object at one address. */
typedef struct kfd_gem_mapping {
    uint64_t va, size, offset; /* offset in the object */
    uint32_t flags;            /* SG_MEM_* */
    struct kfd_gem_mapping *next;
} kfd_gem_mapping_t;

struct kfd_gem {
    kfd_bo_t *bo; /* NULL: free row */
    kfd_gem_mapping_t *mappings;
};

static struct kfd_gem *find(kfd_gpu_t *gpu, uint32_t handle)
{
    return handle && handle <= gpu->n_gems && gpu->gems[handle - 1].bo ? &gpu->gems[handle - 1]
                                                                       : NULL;
}

/* The handle of an object, a new one if it has none. Takes over the caller's reference. */
static int handle_of(kfd_gpu_t *gpu, kfd_bo_t *bo, uint32_t *handle)
{
    uint32_t row = UINT32_MAX;
    for (uint32_t i = 0; i < gpu->n_gems; i++) {
        if (gpu->gems[i].bo == bo) {
            kfd_bo_put(gpu->process, bo);
            *handle = i + 1;
            return 0;
        }
        if (!gpu->gems[i].bo && row == UINT32_MAX) row = i;
    }
    if (row == UINT32_MAX) {
        row = gpu->n_gems;
        size_t room = row;
        if (!BASE_GROW_ZEROS(gpu->gems, row, &room)) {
            kfd_bo_put(gpu->process, bo);
            return -ENOMEM;
        }
        gpu->n_gems = (uint32_t)room;
    }
    gpu->gems[row] = (struct kfd_gem){.bo = bo};
    *handle = row + 1;
    return 0;
}

/* ---- addresses ---- */

static int enter_mapping(kfd_gpu_t *gpu, struct kfd_gem *gem, const kfd_gem_mapping_t *m)
{
    kfd_gem_mapping_t *row = malloc(sizeof(*row));
    if (!row) return -ENOMEM;
    kfd_svm_forget(gpu->process, m->va, m->size); /* SVM ranges that were there no longer exist */
    int error = sg_memory_map(gpu->memory, m->va, m->size, gem->bo->host + m->offset, m->flags);
    if (error != 0) {
        free(row);
        return error;
    }
    *row = *m;
    row->next = gem->mappings;
    gem->mappings = row;
    return 0;
}

static void remove_mapping(kfd_gpu_t *gpu, kfd_gem_mapping_t **link)
{
    kfd_gem_mapping_t *m = *link;
    sg_memory_unmap(gpu->memory, m->va, m->size);
    if (m->flags & SG_MEM_EXECUTABLE) sg_device_invalidate_code(gpu->device);
    *link = m->next;
    free(m);
}

static int map_va(kfd_gpu_t *gpu, struct kfd_gem *gem, const struct drm_amdgpu_gem_va *va)
{
    kfd_gem_mapping_t m = {.va = va->va_address,
                           .size = va->map_size,
                           .offset = va->offset_in_bo,
                           .flags =
                               (va->flags & AMDGPU_VM_PAGE_WRITEABLE ? SG_MEM_WRITABLE : 0) |
                               (va->flags & AMDGPU_VM_PAGE_EXECUTABLE ? SG_MEM_EXECUTABLE : 0) |
                               (gem->bo->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM ? 0 : SG_MEM_HOST)};
    uint64_t bytes = gem->bo->size;
    if ((m.va | m.size | m.offset) % KFD_PAGE || m.size == 0 || m.offset > bytes ||
        m.size > bytes - m.offset || va->flags & AMDGPU_VM_PAGE_PRT)
        return -EINVAL;
    return enter_mapping(gpu, gem, &m);
}

static int unmap_va(kfd_gpu_t *gpu, struct kfd_gem *gem, uint64_t va)
{
    for (kfd_gem_mapping_t **link = &gem->mappings; *link; link = &(*link)->next)
        if ((*link)->va == va) {
            remove_mapping(gpu, link);
            return 0;
        }
    return -ENOENT;
}

/* Splits the object's mapping that crosses `at`, if there is one. Running kernels can access both
 * parts meanwhile. */
static int split_mapping(kfd_gpu_t *gpu, struct kfd_gem *gem, uint64_t at)
{
    kfd_gem_mapping_t *m = gem->mappings;
    while (m && (at <= m->va || at >= m->va + m->size))
        m = m->next;
    if (!m) return 0;
    kfd_gem_mapping_t *rest = malloc(sizeof(*rest));
    int error = rest ? sg_memory_split(gpu->memory, at) : -ENOMEM;
    if (error != 0) {
        free(rest);
        return error;
    }
    *rest = (kfd_gem_mapping_t){.va = at,
                                .size = m->va + m->size - at,
                                .offset = m->offset + (at - m->va),
                                .flags = m->flags,
                                .next = m->next};
    m->size = at - m->va;
    m->next = rest;
    return 0;
}

/* Removes [begin, end) from an object's mappings and keeps the parts before and after it. */
static int clear_object(kfd_gpu_t *gpu, struct kfd_gem *gem, uint64_t begin, uint64_t end)
{
    int error = split_mapping(gpu, gem, begin);
    if (error == 0) error = split_mapping(gpu, gem, end);
    for (kfd_gem_mapping_t **link = &gem->mappings; *link && error == 0;) {
        if ((*link)->va < end && begin < (*link)->va + (*link)->size)
            remove_mapping(gpu, link);
        else
            link = &(*link)->next;
    }
    return error;
}

static int clear_va(kfd_gpu_t *gpu, uint64_t begin, uint64_t size)
{
    int error = 0;
    if ((begin | size) % KFD_PAGE || size == 0 || begin + size < begin) return -EINVAL;
    for (uint32_t i = 0; i < gpu->n_gems && error == 0; i++)
        if (gpu->gems[i].bo) error = clear_object(gpu, &gpu->gems[i], begin, begin + size);
    return error;
}

static int do_va(kfd_gpu_t *gpu, const struct drm_amdgpu_gem_va *va)
{
    int error = 0;
    if (va->operation == AMDGPU_VA_OP_CLEAR) return clear_va(gpu, va->va_address, va->map_size);
    struct kfd_gem *gem = find(gpu, va->handle);
    if (!gem) return -ENOENT;
    switch (va->operation) {
    case AMDGPU_VA_OP_REPLACE:
        error = clear_va(gpu, va->va_address, va->map_size);
        return error ? error : map_va(gpu, gem, va);
    case AMDGPU_VA_OP_MAP: return map_va(gpu, gem, va);
    case AMDGPU_VA_OP_UNMAP: return unmap_va(gpu, gem, va->va_address);
    default: return -EINVAL;
    }
}

/* ---- handles ---- */

static int create(kfd_gpu_t *gpu, union drm_amdgpu_gem_create *args)
{
    const uint64_t vram = AMDGPU_GEM_DOMAIN_VRAM, system = AMDGPU_GEM_DOMAIN_GTT;
    uint64_t domains = args->in.domains;
    kfd_bo_t *bo;
    if (domains == 0 || domains & ~(vram | system)) return -EINVAL;
    int error = kfd_bo_create(
        gpu, domains & vram ? KFD_IOC_ALLOC_MEM_FLAGS_VRAM : KFD_IOC_ALLOC_MEM_FLAGS_GTT,
        args->in.bo_size, &bo);
    memset(args, 0, sizeof(*args));
    return error ? error : handle_of(gpu, bo, &args->out.handle);
}

static int close_handle(kfd_gpu_t *gpu, uint32_t handle)
{
    struct kfd_gem *gem = find(gpu, handle);
    if (!gem) return -EINVAL;
    while (gem->mappings)
        remove_mapping(gpu, &gem->mappings);
    kfd_bo_put(gpu->process, gem->bo);
    gem->bo = NULL;
    return 0;
}

static int prime_import(kfd_gpu_t *gpu, struct drm_prime_handle *args)
{
    kfd_bo_t *bo;
    int error = kfd_bo_import(gpu->process, args->fd, &bo);
    return error ? error : handle_of(gpu, bo, &args->handle);
}

static int prime_export(kfd_gpu_t *gpu, struct drm_prime_handle *args)
{
    struct kfd_gem *gem = find(gpu, args->handle);
    return gem ? kfd_bo_export(gpu->process, gem->bo, &args->fd) : -ENOENT;
}

static int where_to_map(kfd_gpu_t *gpu, union drm_amdgpu_gem_mmap *args)
{
    struct kfd_gem *gem = find(gpu, args->in.handle);
    if (!gem) return -ENOENT;
    args->out.addr_ptr = gem->bo->mmap_offset;
    return 0;
}

/* Gets or sets an object's notes (bo.h): tiling of images, the runtimes' marks of shared memory. */
static int metadata(kfd_gpu_t *gpu, struct drm_amdgpu_gem_metadata *args)
{
    _Static_assert(sizeof(args->data) <= KFD_BO_NOTE_BYTES, "metadata must fit an object's notes");
    struct kfd_gem *gem = find(gpu, args->handle);
    if (!gem) return -ENOENT;
    switch (args->op) {
    case AMDGPU_GEM_METADATA_OP_GET_METADATA:
        memcpy(&args->data, gem->bo->notes, sizeof(args->data));
        return 0;
    case AMDGPU_GEM_METADATA_OP_SET_METADATA:
        if (args->data.data_size_bytes > sizeof(args->data.data)) return -EINVAL;
        kfd_bo_write_notes(gem->bo, &args->data, sizeof(args->data));
        return 0;
    default: return -EINVAL;
    }
}

static int created_as(kfd_gpu_t *gpu, const struct drm_amdgpu_gem_op *args)
{
    struct kfd_gem *gem = find(gpu, args->handle);
    if (!gem) return -ENOENT;
    if (args->op != AMDGPU_GEM_OP_GET_GEM_CREATE_INFO || !args->value) return -EINVAL;
    *(struct drm_amdgpu_gem_create_in *)(uintptr_t)args->value = (struct drm_amdgpu_gem_create_in){
        .bo_size = gem->bo->size,
        .alignment = KFD_PAGE,
        .domains = gem->bo->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM ? AMDGPU_GEM_DOMAIN_VRAM
                                                                 : AMDGPU_GEM_DOMAIN_GTT};
    return 0;
}

/* No work is submitted through DRM, so there is none to wait for. */
static int wait_idle(kfd_gpu_t *gpu, union drm_amdgpu_gem_wait_idle *args)
{
    if (!find(gpu, args->in.handle)) return -ENOENT;
    memset(args, 0, sizeof(*args));
    return 0;
}

int kfd_gem_ioctl(kfd_gpu_t *gpu, unsigned number, void *argument)
{
    int error;
    pthread_mutex_lock(&gpu->process->lock);
    switch (number) {
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
        error = close_handle(gpu, ((struct drm_gem_close *)argument)->handle);
        break;
    case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD): error = prime_export(gpu, argument); break;
    case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE): error = prime_import(gpu, argument); break;
    case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_CREATE: error = create(gpu, argument); break;
    case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_MMAP: error = where_to_map(gpu, argument); break;
    case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_METADATA: error = metadata(gpu, argument); break;
    case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_OP: error = created_as(gpu, argument); break;
    case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_WAIT_IDLE: error = wait_idle(gpu, argument); break;
    case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_VA: error = do_va(gpu, argument); break;
    default: error = -ENOTTY; break;
    }
    pthread_mutex_unlock(&gpu->process->lock);
    return error;
}
