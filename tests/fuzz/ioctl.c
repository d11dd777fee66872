/* ioctl.c - fuzz target: calls of the driver in any order, with any arguments, answered or refused.
 *
 * The input is a list of calls: a byte chooses the row, what follows fills its structure. Pointers
 * are the program's own promise, as are the numbers of what is behind them: both are put right; all
 * else may be anything. Afterwards everything is given back, whatever it was. */
#include "fake_device.h"

#include "softgpu/kfd/kfd.h"

#include "base/log.h"

#include <fcntl.h>
#include <libdrm/amdgpu_drm.h>
#include <libdrm/drm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    CALLS_MAX = 64,
    ARGS_MAX = 512,
    REGION_BYTES = 1 << 20,
    POINTED_BYTES = 1 << 16, /* behind each pointer */
    COUNT_MAX = 64,
    POINTERS = 2,
    HANDLES = 128 /* of anything; lower numbers come first */
};

typedef struct {
    unsigned long request;
    bool drm;
    /* offsets plus 1, 0: none */
    uint16_t pointers[POINTERS], counts[POINTERS]; /* 8 and 4 bytes */
    uint16_t address;                              /* of memory that may be the region's */
    uint16_t milliseconds, descriptor;             /* to wait; that comes back */
} call_t;

#define AT(type, member) (1 + offsetof(struct type, member))

static const call_t calls[] = {
    {.request = AMDKFD_IOC_GET_VERSION},
    {.request = AMDKFD_IOC_CREATE_QUEUE,
     .address = AT(kfd_ioctl_create_queue_args, ring_base_address)},
    {.request = AMDKFD_IOC_DESTROY_QUEUE},
    {.request = AMDKFD_IOC_GET_CLOCK_COUNTERS},
    {.request = AMDKFD_IOC_GET_PROCESS_APERTURES},
    {.request = AMDKFD_IOC_UPDATE_QUEUE},
    {.request = AMDKFD_IOC_CREATE_EVENT},
    {.request = AMDKFD_IOC_DESTROY_EVENT},
    {.request = AMDKFD_IOC_SET_EVENT},
    {.request = AMDKFD_IOC_RESET_EVENT},
    {.request = AMDKFD_IOC_WAIT_EVENTS,
     .pointers = {AT(kfd_ioctl_wait_events_args, events_ptr)},
     .counts = {AT(kfd_ioctl_wait_events_args, num_events)},
     .milliseconds = AT(kfd_ioctl_wait_events_args, timeout)},
    {.request = AMDKFD_IOC_GET_TILE_CONFIG,
     .pointers = {AT(kfd_ioctl_get_tile_config_args, tile_config_ptr),
                  AT(kfd_ioctl_get_tile_config_args, macro_tile_config_ptr)},
     .counts = {AT(kfd_ioctl_get_tile_config_args, num_macro_tile_configs),
                AT(kfd_ioctl_get_tile_config_args, num_tile_configs)}},
    {.request = AMDKFD_IOC_GET_PROCESS_APERTURES_NEW,
     .pointers = {AT(kfd_ioctl_get_process_apertures_new_args, kfd_process_device_apertures_ptr)},
     .counts = {AT(kfd_ioctl_get_process_apertures_new_args, num_of_nodes)}},
    {.request = AMDKFD_IOC_ALLOC_MEMORY_OF_GPU,
     .address = AT(kfd_ioctl_alloc_memory_of_gpu_args, mmap_offset)},
    {.request = AMDKFD_IOC_FREE_MEMORY_OF_GPU},
    {.request = AMDKFD_IOC_MAP_MEMORY_TO_GPU,
     .pointers = {AT(kfd_ioctl_map_memory_to_gpu_args, device_ids_array_ptr)},
     .counts = {AT(kfd_ioctl_map_memory_to_gpu_args, n_devices)}},
    {.request = AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU,
     .pointers = {AT(kfd_ioctl_unmap_memory_from_gpu_args, device_ids_array_ptr)},
     .counts = {AT(kfd_ioctl_unmap_memory_from_gpu_args, n_devices)}},
    {.request = AMDKFD_IOC_SET_CU_MASK,
     .pointers = {AT(kfd_ioctl_set_cu_mask_args, cu_mask_ptr)},
     .counts = {AT(kfd_ioctl_set_cu_mask_args, num_cu_mask)}},
    {.request = AMDKFD_IOC_ALLOC_QUEUE_GWS},
    {.request = AMDKFD_IOC_SET_XNACK_MODE},
    {.request = AMDKFD_IOC_AVAILABLE_MEMORY},
    {.request = AMDKFD_IOC_GET_DMABUF_INFO,
     .pointers = {AT(kfd_ioctl_get_dmabuf_info_args, metadata_ptr)},
     .counts = {AT(kfd_ioctl_get_dmabuf_info_args, metadata_size)}},
    {.request = AMDKFD_IOC_IMPORT_DMABUF},
    {.request = AMDKFD_IOC_SMI_EVENTS, .descriptor = AT(kfd_ioctl_smi_events_args, anon_fd)},
    {.request = _IOWR(AMDKFD_IOCTL_BASE, KFD_NR_EXPORT_DMABUF, struct kfd_export_dmabuf_args),
     .descriptor = AT(kfd_export_dmabuf_args, dmabuf_fd)},
    {.request = _IOWR(AMDKFD_IOCTL_BASE, KFD_NR_IPC_EXPORT, struct kfd_ipc_export_args)},
    {.request = _IOWR(AMDKFD_IOCTL_BASE, KFD_NR_IPC_IMPORT, struct kfd_ipc_import_args)},
    {.request = _IOWR(AMDKFD_IOCTL_BASE, KFD_NR_RLC_SPM, struct kfd_spm_args),
     .pointers = {AT(kfd_spm_args, dest_buf)},
     .counts = {AT(kfd_spm_args, buf_size)},
     .milliseconds = AT(kfd_spm_args, timeout)},
    {.request = _IOC(_IOC_READ | _IOC_WRITE, AMDKFD_IOCTL_BASE, _IOC_NR(AMDKFD_IOC_SVM), 120)},
    {.request = DRM_IOCTL_GET_CLIENT, .drm = true},
    {.request = DRM_IOCTL_GET_CAP, .drm = true},
    {.request = DRM_IOCTL_GEM_CLOSE, .drm = true},
    {.request = DRM_IOCTL_PRIME_HANDLE_TO_FD, .drm = true, .descriptor = AT(drm_prime_handle, fd)},
    {.request = DRM_IOCTL_PRIME_FD_TO_HANDLE, .drm = true},
    {.request = DRM_IOCTL_AMDGPU_INFO,
     .drm = true,
     .pointers = {AT(drm_amdgpu_info, return_pointer)},
     .counts = {AT(drm_amdgpu_info, return_size)}},
    {.request = DRM_IOCTL_AMDGPU_GEM_CREATE, .drm = true},
    {.request = DRM_IOCTL_AMDGPU_GEM_MMAP, .drm = true},
    {.request = DRM_IOCTL_AMDGPU_GEM_METADATA, .drm = true},
    {.request = DRM_IOCTL_AMDGPU_GEM_OP, .drm = true, .pointers = {AT(drm_amdgpu_gem_op, value)}},
    {.request = DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, .drm = true},
    {.request = DRM_IOCTL_AMDGPU_GEM_VA, .drm = true},
    {.request = AMDKFD_IOC_SET_TRAP_HANDLER},
    {.request = _IOWR(AMDKFD_IOCTL_BASE, KFD_NR_PC_SAMPLE, struct kfd_pc_sample_args),
     .pointers = {AT(kfd_pc_sample_args, sample_info_ptr)},
     .counts = {AT(kfd_pc_sample_args, num_sample_info)}},
};

static uint8_t *region; /* memory of the program's */

static void put_word(uint8_t *at, uint32_t limit)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    value %= limit;
    memcpy(at, &value, sizeof(value));
}

static void put_pointer(uint8_t *at, const void *to)
{
    memcpy(at, &to, sizeof(to));
}

/* What a program answers for itself. */
static void put_right(const call_t *c, uint8_t *args, uint8_t pointed[POINTERS][POINTED_BYTES])
{
    for (unsigned i = 0; i < POINTERS; i++) {
        if (c->pointers[i]) put_pointer(args + c->pointers[i] - 1, pointed[i]);
        if (c->counts[i]) put_word(args + c->counts[i] - 1, COUNT_MAX);
    }
    if (c->milliseconds) put_word(args + c->milliseconds - 1, 2);
    if (c->address) {
        uint64_t value;
        memcpy(&value, args + c->address - 1, sizeof(value));
        if (value < REGION_BYTES) put_pointer(args + c->address - 1, region + value);
    }
}

static int call(kfd_process_t *p, const call_t *c, const uint8_t *data, size_t bytes)
{
    static uint8_t pointed[POINTERS][POINTED_BYTES];
    _Alignas(16) uint8_t args[ARGS_MAX] = {0};
    memcpy(args, data, bytes);
    for (unsigned i = 0; i < POINTERS; i++)
        memcpy(pointed[i], data, bytes);
    put_right(c, args, pointed);
    int error =
        c->drm ? kfd_drm_ioctl(&p->gpus[0], c->request, args) : kfd_ioctl(p, c->request, args);
    if (error > 0) abort();
    int fd = -1;
    if (error == 0 && c->descriptor) memcpy(&fd, args + c->descriptor - 1, sizeof(fd));
    if (fd > 2) close(fd);
    return error;
}

/* Sessions are numbered on and on; one input makes few. */
static void give_back_sessions(kfd_process_t *p)
{
    const uint32_t last = p->gpus[0].last_session;
    for (uint32_t id = last; id && id + CALLS_MAX > last; id--)
        for (unsigned step = 0; step < 2; step++) {
            struct kfd_pc_sample_args args = {.op = step ? KFD_PCS_DESTROY : KFD_PCS_STOP,
                                              .gpu_id = kfd_gpu_id(0),
                                              .trace_id = id};
            kfd_ioctl(p, _IOWR(AMDKFD_IOCTL_BASE, KFD_NR_PC_SAMPLE, struct kfd_pc_sample_args),
                      &args);
        }
}

/* Until nothing is left that a number can name. */
static void give_back(kfd_process_t *p)
{
    uint32_t gpu = kfd_gpu_id(0);
    for (uint32_t id = 0; id < HANDLES; id++) {
        struct kfd_ioctl_destroy_queue_args queue = {.queue_id = id};
        struct kfd_ioctl_destroy_event_args event = {.event_id = id};
        struct drm_gem_close gem = {.handle = id};
        struct kfd_ioctl_unmap_memory_from_gpu_args unmap = {
            .handle = id, .device_ids_array_ptr = (uintptr_t)&gpu, .n_devices = 1};
        struct kfd_ioctl_free_memory_of_gpu_args buffer = {.handle = id};
        kfd_ioctl(p, AMDKFD_IOC_DESTROY_QUEUE, &queue);
        kfd_ioctl(p, AMDKFD_IOC_DESTROY_EVENT, &event);
        kfd_ioctl(p, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap);
        kfd_ioctl(p, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &buffer);
        kfd_drm_ioctl(&p->gpus[0], DRM_IOCTL_GEM_CLOSE, &gem);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kfd_process_t *p = kfd_process_get();
    if (!region)
        region =
            mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!p || region == MAP_FAILED) abort();
    for (unsigned i = 0; i < CALLS_MAX && size; i++) {
        const call_t *c = &calls[data[0] % (sizeof(calls) / sizeof(calls[0]))];
        size_t bytes = _IOC_SIZE(c->request);
        data++, size--;
        if (bytes > size) bytes = size;
        call(p, c, data, bytes);
        data += bytes;
        size -= bytes;
    }
    give_back(p);
    give_back_sessions(p);
    return 0;
}
