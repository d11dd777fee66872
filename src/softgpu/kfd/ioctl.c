/* ioctl.c - the table of KFD ioctls and the small ones among them.
 *
 * As in the kernel, only the number of an ioctl counts, and its function works on a zero-extended
 * copy of the caller's structure, so that programs built with older or newer headers both work. A
 * new ioctl needs a row in `rows`. */
#include "softgpu/kfd/kfd.h"

#include "base/clock.h"
#include "base/log.h"
#include "isa/arch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
    ARGS_BYTES = 512 /* no structure is larger, except those with a list at their end */
};

/* The addresses for memory, outside the apertures of LDS and scratch. The high limit makes the
 * thunk place buffers at ordinary mmap addresses. */
static const uint64_t gpuvm_base = 0x1000000, gpuvm_limit = 0x7fffffffffff;

static int get_version(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_get_version_args *args = data;
    args->major_version = KFD_IOCTL_MAJOR_VERSION;
    args->minor_version = p->config->minor_version;
    return 0;
}

static void describe_apertures(const kfd_gpu_t *gpu, struct kfd_process_device_apertures *a)
{
    *a = (struct kfd_process_device_apertures){
        .lds_base = ISA_SHARED_BASE,
        .lds_limit = ISA_SHARED_BASE + ISA_APERTURE_BYTES - 1,
        .scratch_base = ISA_PRIVATE_BASE,
        .scratch_limit = ISA_PRIVATE_BASE + ISA_APERTURE_BYTES - 1,
        .gpuvm_base = gpuvm_base,
        .gpuvm_limit = gpuvm_limit,
        .gpu_id = gpu->gpu_id};
}

static int get_apertures(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_get_process_apertures_args *args = data;
    args->num_of_nodes = p->n_gpus < NUM_OF_SUPPORTED_GPUS ? p->n_gpus : NUM_OF_SUPPORTED_GPUS;
    for (uint32_t i = 0; i < args->num_of_nodes; i++)
        describe_apertures(&p->gpus[i], &args->process_apertures[i]);
    return 0;
}

static int get_apertures_new(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_get_process_apertures_new_args *args = data;
    struct kfd_process_device_apertures *to =
        (void *)(uintptr_t)args->kfd_process_device_apertures_ptr;
    if (args->num_of_nodes == 0) { /* the caller queries the number of nodes */
        args->num_of_nodes = p->n_gpus;
        return 0;
    }
    if (!to) return -EFAULT;
    if (args->num_of_nodes > p->n_gpus) args->num_of_nodes = p->n_gpus;
    for (uint32_t i = 0; i < args->num_of_nodes; i++)
        describe_apertures(&p->gpus[i], &to[i]);
    return 0;
}

static int get_tile_config(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_get_tile_config_args *args = data;
    if (!kfd_gpu_find(p, args->gpu_id)) return -EINVAL;
    if (args->tile_config_ptr)
        memset((void *)(uintptr_t)args->tile_config_ptr, 0,
               args->num_tile_configs * sizeof(uint32_t));
    if (args->macro_tile_config_ptr)
        memset((void *)(uintptr_t)args->macro_tile_config_ptr, 0,
               args->num_macro_tile_configs * sizeof(uint32_t));
    args->gb_addr_config = isa_arch_find(p->config->profile.gfx_target_version)->gb_addr_config;
    args->num_banks = args->num_ranks = 0;
    return 0;
}

static int get_clock_counters(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_get_clock_counters_args *args = data;
    /* All clocks are read at one moment. ROCr may convert the timestamps of two successive kernels
     * with the results of two calls: if these disagreed, the kernels would seem to overlap. */
    const uint64_t now = base_clock_ns(CLOCK_BOOTTIME);
    args->system_clock_counter = now;
    args->cpu_clock_counter =
        now + base_clock_difference(CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW, NULL);
    /* a node without a GPU (id 0, from which ROCr reads the system clock) has no GPU clock */
    args->gpu_clock_counter =
        kfd_gpu_find(p, args->gpu_id)
            ? now + base_clock_difference(CLOCK_BOOTTIME, sg_device_clock_id(), NULL)
            : 0;
    args->system_clock_freq = 1000000000;
    return 0;
}

/* GPUs of compute nodes can run with XNACK; this GPU is set up without it, which is the product's
 * default. */
static int set_xnack_mode(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_set_xnack_mode_args *args = data;
    (void)p;
    if (args->xnack_enabled > 0) return -EPERM;
    args->xnack_enabled = 0;
    return 0;
}

static int accept(kfd_process_t *p, void *data)
{
    (void)p;
    (void)data;
    return 0;
}

/* A runtime announces itself to debuggers, and gets the driver's capabilities. */
static int runtime_enable(kfd_process_t *p, void *data)
{
    struct kfd_runtime_enable_args *args = data;
    (void)p;
    args->capabilities_mask = KFD_RUNTIME_CAPS_CORE_DUMP;
    return 0;
}

/* Checkpoints (CRIU) need a capability that programs do not have by default. */
static int not_permitted(kfd_process_t *p, void *data)
{
    (void)p;
    (void)data;
    return -EPERM;
}

/* Debuggers cannot stop waves. These two errors are the driver's for a GPU without support for
 * debugging, and for a queue that no debugger has stopped. */
static int no_debugger(kfd_process_t *p, void *data)
{
    (void)p;
    (void)data;
    return -ENODEV;
}
static int no_wave_state(kfd_process_t *p, void *data)
{
    (void)p;
    (void)data;
    return -EINVAL;
}

/* ---- memory, queues ---- */

static int alloc_memory(kfd_process_t *p, void *data)
{
    return kfd_buffer_alloc(p, data);
}
static int free_memory(kfd_process_t *p, void *data)
{
    return kfd_buffer_free(p, data);
}
static int map_memory(kfd_process_t *p, void *data)
{
    return kfd_buffer_map(p, data);
}
static int unmap_memory(kfd_process_t *p, void *data)
{
    return kfd_buffer_unmap(p, data);
}
static int create_queue(kfd_process_t *p, void *data)
{
    return kfd_queue_create(p, data);
}
static int update_queue(kfd_process_t *p, void *data)
{
    return kfd_queue_update(p, data);
}
static int set_cu_mask(kfd_process_t *p, void *data)
{
    return kfd_queue_set_cu_mask(p, data);
}
static int alloc_gws(kfd_process_t *p, void *data)
{
    return kfd_queue_alloc_gws(p, data);
}

static int destroy_queue(kfd_process_t *p, void *data)
{
    return kfd_queue_destroy(p, ((struct kfd_ioctl_destroy_queue_args *)data)->queue_id);
}

static int get_available_memory(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_get_available_memory_args *args = data;
    kfd_gpu_t *gpu = kfd_gpu_find(p, args->gpu_id);
    if (!gpu) return -EINVAL;
    args->available = kfd_vram_available(p, gpu);
    return 0;
}

static int export_dmabuf(kfd_process_t *p, void *data)
{
    return kfd_buffer_export(p, data);
}
static int import_dmabuf(kfd_process_t *p, void *data)
{
    return kfd_buffer_import(p, data);
}
static int get_dmabuf_info(kfd_process_t *p, void *data)
{
    return kfd_buffer_dmabuf_info(p, data);
}
static int ipc_export(kfd_process_t *p, void *data)
{
    return kfd_ipc_export(p, data);
}
static int ipc_import(kfd_process_t *p, void *data)
{
    return kfd_ipc_import(p, data);
}

static int spm(kfd_process_t *p, void *data)
{
    return kfd_spm(p, data);
}

static int set_trap_handler(kfd_process_t *p, void *data)
{
    return kfd_set_trap_handler(p, data);
}

static int pc_sample(kfd_process_t *p, void *data)
{
    enum { FIRST_MINOR_WITH_SAMPLING = 16 };
    return p->config->minor_version >= FIRST_MINOR_WITH_SAMPLING ? kfd_pc_sample(p, data) : -EINVAL;
}

static int svm(kfd_process_t *p, void *data, size_t bytes)
{
    return p->config->svm ? kfd_svm(p, data, bytes) : -EINVAL;
}

/* ---- events ---- */

static int smi_events(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_smi_events_args *args = data;
    kfd_gpu_t *gpu = kfd_gpu_find(p, args->gpuid);
    int fd = -1, error = gpu ? kfd_smi_open(gpu, &fd) : -EINVAL;
    args->anon_fd = (uint32_t)fd;
    return error;
}

/* The thunk allocates the event page and names it with the first event. The page is used as long as
 * the process lives, so it must be a buffer object, which the program cannot unmap. */
static int set_event_page(kfd_process_t *p, uint64_t handle)
{
    int error = 0;
    pthread_mutex_lock(&p->lock);
    kfd_buffer_t *b = kfd_buffer_find(p, handle);
    if (!b || !b->bo || b->size < KFD_SIGNAL_EVENT_LIMIT * sizeof(uint64_t) || p->event_page)
        error = -EINVAL;
    else
        error = kfd_buffer_set_mailboxes(p, b);
    if (error == 0) {
        kfd_events_set_page(p->events, (uint64_t *)b->host, b->size);
        p->event_page = handle;
    }
    pthread_mutex_unlock(&p->lock);
    return error;
}

static int create_event(kfd_process_t *p, void *data)
{
    struct kfd_ioctl_create_event_args *args = data;
    if (args->event_page_offset) {
        int error = set_event_page(p, args->event_page_offset);
        if (error != 0) return error;
    }
    return kfd_event_create(p->events, args);
}

static int destroy_event(kfd_process_t *p, void *data)
{
    return kfd_event_destroy(p->events, ((struct kfd_ioctl_destroy_event_args *)data)->event_id);
}

static int set_event(kfd_process_t *p, void *data)
{
    return kfd_event_set(p->events, ((struct kfd_ioctl_set_event_args *)data)->event_id);
}

static int reset_event(kfd_process_t *p, void *data)
{
    return kfd_event_reset(p->events, ((struct kfd_ioctl_reset_event_args *)data)->event_id);
}

static int wait_events(kfd_process_t *p, void *data)
{
    enum { FIRST_MINOR_WITH_AGES = 14 };
    return kfd_events_wait(p->events, data, p->config->minor_version >= FIRST_MINOR_WITH_AGES);
}

/* ---- dispatch ---- */

static const struct {
    uint8_t nr;
    const char *name;
    int (*handler)(kfd_process_t *, void *);
    int (*with_list)(kfd_process_t *, void *, size_t bytes); /* in place of handler */
} rows[] = {
#define ROW(name, handler)                                                                         \
    {                                                                                              \
        _IOC_NR(AMDKFD_IOC_##name), #name, handler, NULL                                           \
    }
    ROW(GET_VERSION, get_version),
    ROW(CREATE_QUEUE, create_queue),
    ROW(DESTROY_QUEUE, destroy_queue),
    ROW(SET_MEMORY_POLICY, accept),
    ROW(GET_CLOCK_COUNTERS, get_clock_counters),
    ROW(GET_PROCESS_APERTURES, get_apertures),
    ROW(UPDATE_QUEUE, update_queue),
    ROW(CREATE_EVENT, create_event),
    ROW(DESTROY_EVENT, destroy_event),
    ROW(SET_EVENT, set_event),
    ROW(RESET_EVENT, reset_event),
    ROW(WAIT_EVENTS, wait_events),
    ROW(SET_SCRATCH_BACKING_VA, accept),
    ROW(GET_TILE_CONFIG, get_tile_config),
    ROW(SET_TRAP_HANDLER, set_trap_handler),
    ROW(GET_PROCESS_APERTURES_NEW, get_apertures_new),
    ROW(ACQUIRE_VM, accept),
    ROW(ALLOC_MEMORY_OF_GPU, alloc_memory),
    ROW(FREE_MEMORY_OF_GPU, free_memory),
    ROW(MAP_MEMORY_TO_GPU, map_memory),
    ROW(UNMAP_MEMORY_FROM_GPU, unmap_memory),
    ROW(SET_CU_MASK, set_cu_mask),
    ROW(ALLOC_QUEUE_GWS, alloc_gws),
    ROW(SET_XNACK_MODE, set_xnack_mode),
    ROW(AVAILABLE_MEMORY, get_available_memory),
    ROW(GET_DMABUF_INFO, get_dmabuf_info),
    ROW(IMPORT_DMABUF, import_dmabuf),
    ROW(SMI_EVENTS, smi_events),
    ROW(CRIU_OP, not_permitted),
    ROW(GET_QUEUE_WAVE_STATE, no_wave_state),
    {_IOC_NR(AMDKFD_IOC_SVM), "SVM", NULL, svm},
    {KFD_NR_EXPORT_DMABUF, "EXPORT_DMABUF", export_dmabuf, NULL},
    {KFD_NR_RUNTIME_ENABLE, "RUNTIME_ENABLE", runtime_enable, NULL},
    {KFD_NR_DBG_TRAP, "DBG_TRAP", no_debugger, NULL},
    {KFD_NR_IPC_IMPORT, "IPC_IMPORT_HANDLE", ipc_import, NULL},
    {KFD_NR_IPC_EXPORT, "IPC_EXPORT_HANDLE", ipc_export, NULL},
    {KFD_NR_RLC_SPM, "RLC_SPM", spm, NULL},
    {KFD_NR_PC_SAMPLE, "PC_SAMPLE", pc_sample, NULL},
#undef ROW
};

int kfd_ioctl(kfd_process_t *p, unsigned long request, void *argument)
{
    _Alignas(16) unsigned char short_data[ARGS_BYTES];
    unsigned char *data = short_data;
    size_t size = _IOC_SIZE(request), room = size > ARGS_BYTES ? size : ARGS_BYTES;
    if (!argument) return -EINVAL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].nr != _IOC_NR(request)) continue;
        if (size > ARGS_BYTES && !rows[i].with_list) return -EINVAL;
        if (size > ARGS_BYTES) data = malloc(room);
        if (!data) return -ENOMEM;
        memset(data, 0, room);
        if (_IOC_DIR(request) & _IOC_WRITE) memcpy(data, argument, size);
        int error = rows[i].with_list ? rows[i].with_list(p, data, size) : rows[i].handler(p, data);
        if (_IOC_DIR(request) & _IOC_READ) memcpy(argument, data, size);
        if (data != short_data) free(data);
        base_trace("%s: %s", rows[i].name, error ? strerror(-error) : "done");
        return error;
    }
    base_info("KFD ioctl %#x is not answered", (unsigned)_IOC_NR(request));
    return -EINVAL;
}
