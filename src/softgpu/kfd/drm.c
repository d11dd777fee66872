/* drm.c - the few ioctls by which the thunk and libdrm query the render node.
 *
 * Graphics is not supported: contexts and command submission are refused like unknown ioctls.
 * Ioctls about memory are in gem.c. The answers follow from the profile. */
#include "softgpu/kfd/kfd.h"
#include "softgpu/exec/wave.h"

#include "base/log.h"

#include <errno.h>
#include <libdrm/amdgpu_drm.h>
#include <libdrm/drm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    DRM_MAJOR_VERSION = 3,
    DRM_MINOR_VERSION = 49,
    ENGINES = 4,          /* rows of cu_bitmap in the answer */
    ENGINE_ARRAYS = 4,    /* columns of cu_bitmap */
    COUNTER_KHZ = 1000000 /* the device clock counts nanoseconds */
};

/* Copies as much of the text as the caller has room for, and sets *room to its full length. */
static void put_text(char *to, __kernel_size_t *room, const char *text)
{
    size_t n = strlen(text);
    if (to && *room) memcpy(to, text, n < *room ? n : *room);
    *room = n;
}

static int get_version(struct drm_version *v)
{
    v->version_major = DRM_MAJOR_VERSION;
    v->version_minor = DRM_MINOR_VERSION;
    v->version_patchlevel = 0;
    put_text(v->name, &v->name_len, "amdgpu");
    put_text(v->date, &v->date_len, "20150101"); /* the date of the driver, which never changes */
    put_text(v->desc, &v->desc_len, "AMD GPU");
    return 0;
}

static int get_client(struct drm_client *c)
{
    if (c->idx != 0) return -EINVAL;
    c->auth = 1;
    c->pid = (unsigned long)getpid();
    c->uid = getuid();
    return 0;
}

static void describe_device(const kfd_gpu_t *gpu, struct drm_amdgpu_info_device *d)
{
    const sg_profile_t *p = &gpu->process->config->profile;
    d->device_id = p->device_id;
    d->chip_rev = p->asic_revision;
    d->external_rev = p->external_revision;
    d->pci_rev = p->pci_revision;
    d->family = isa_arch_find(p->gfx_target_version)->drm_family;
    d->num_shader_engines = p->shader_engines;
    d->num_shader_arrays_per_engine = p->arrays_per_engine;
    d->gpu_counter_freq = COUNTER_KHZ;
    d->max_engine_clock = (uint64_t)p->engine_clock_mhz * 1000;
    d->max_memory_clock = (uint64_t)p->memory_clock_mhz * 1000;
    d->cu_active_number = sg_profile_cus(p);
    /* the bitmap has rows for 4 engines: as in the driver for gfx9, engines from 4 on appear as
     * further arrays of engines 0 to 3 */
    const uint32_t arrays = p->arrays_per_engine;
    for (uint32_t k = 0; k < p->shader_engines * arrays && k < ENGINES * ENGINE_ARRAYS; k++) {
        const uint32_t se = k / arrays, sa = k % arrays + se / ENGINES * arrays;
        d->cu_bitmap[se % ENGINES][sa] = (1u << sg_profile_array_cus(p, se, k % arrays)) - 1;
    }
    d->virtual_address_offset = 2ull << 20;
    d->virtual_address_max = 1ull << 47;
    d->virtual_address_alignment = KFD_PAGE;
    d->pte_fragment_size = 2 << 20;
    d->gart_page_size = KFD_PAGE;
    d->vram_type = AMDGPU_VRAM_TYPE_HBM;
    d->vram_bit_width = p->memory_width_bits;
    d->wave_front_size = isa_arch_find(p->gfx_target_version)->lanes;
    d->num_shader_visible_vgprs = ISA_VGPRS;
    d->num_cu_per_sh = p->cus_per_array;
    d->num_tcc_blocks = p->l2_channels;
}

static void describe_memory(const kfd_gpu_t *gpu, struct drm_amdgpu_memory_info *m)
{
    m->vram.total_heap_size = m->vram.usable_heap_size = gpu->vram_bytes;
    m->vram.heap_usage = gpu->vram_used;
    m->vram.max_allocation = gpu->vram_bytes;
    m->cpu_accessible_vram = m->vram;
    m->gtt.total_heap_size = m->gtt.usable_heap_size = gpu->system_bytes;
    m->gtt.heap_usage = gpu->system_used;
    m->gtt.max_allocation = gpu->system_bytes;
}

static int get_info(kfd_gpu_t *gpu, const struct drm_amdgpu_info *info)
{
    union {
        uint32_t number;
        uint64_t wide;
        struct drm_amdgpu_info_device device;
        struct drm_amdgpu_info_vram_gtt vram_gtt;
        struct drm_amdgpu_memory_info memory;
        struct drm_amdgpu_info_firmware firmware;
        uint32_t registers[64];
    } answer;
    size_t size = sizeof(answer.number);
    memset(&answer, 0, sizeof(answer));

    switch (info->query) {
    case AMDGPU_INFO_ACCEL_WORKING: answer.number = 1; break;
    case AMDGPU_INFO_DEV_INFO:
        describe_device(gpu, &answer.device);
        size = sizeof(answer.device);
        break;
    case AMDGPU_INFO_READ_MMR_REG: /* libdrm reads tiling registers, which mean nothing here */
        size = info->read_mmr_reg.count * sizeof(uint32_t);
        if (size > sizeof(answer.registers)) return -EINVAL;
        break;
    case AMDGPU_INFO_FW_VERSION: size = sizeof(answer.firmware); break;
    case AMDGPU_INFO_VRAM_USAGE:
    case AMDGPU_INFO_VIS_VRAM_USAGE:
        answer.wide = gpu->vram_used;
        size = sizeof(answer.wide);
        break;
    case AMDGPU_INFO_GTT_USAGE:
        answer.wide = gpu->system_used;
        size = sizeof(answer.wide);
        break;
    case AMDGPU_INFO_VRAM_GTT:
        answer.vram_gtt =
            (struct drm_amdgpu_info_vram_gtt){gpu->vram_bytes, gpu->vram_bytes, gpu->system_bytes};
        size = sizeof(answer.vram_gtt);
        break;
    case AMDGPU_INFO_MEMORY:
        describe_memory(gpu, &answer.memory);
        size = sizeof(answer.memory);
        break;
    case AMDGPU_INFO_TIMESTAMP:
        answer.wide = sg_device_clock();
        size = sizeof(answer.wide);
        break;
    default: base_info("amdgpu info query %#x is not answered", info->query); return -EINVAL;
    }
    void *to = (void *)(uintptr_t)info->return_pointer;
    if (!to || info->return_size == 0) return -EINVAL;
    memcpy(to, &answer, size < info->return_size ? size : info->return_size);
    return 0;
}

static int get_capability(struct drm_get_cap *c)
{
    c->value = c->capability == DRM_CAP_PRIME ? DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT : 0;
    return 0;
}

int kfd_drm_ioctl(kfd_gpu_t *gpu, unsigned long request, void *argument)
{
    if (!argument) return -EFAULT;
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION): return get_version(argument);
    case _IOC_NR(DRM_IOCTL_GET_CLIENT): return get_client(argument);
    case _IOC_NR(DRM_IOCTL_GET_CAP): return get_capability(argument);
    case DRM_COMMAND_BASE + DRM_AMDGPU_INFO: return get_info(gpu, argument);
    default: break;
    }
    int error = kfd_gem_ioctl(gpu, _IOC_NR(request), argument);
    if (error != -ENOTTY) return error;
    base_info("DRM ioctl %#x is not answered", (unsigned)_IOC_NR(request));
    return -EINVAL;
}
