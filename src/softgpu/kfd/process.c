/* process.c - the state that the kernel would keep for this process, made at the first use.
 *
 * Each device node is a file of pages (pages.h). The offsets that ioctls return for mmap() are
 * offsets in it, so that the kernel's own mmap() maps the right pages. The device has mappings of
 * its own (the aliases), which a forked child does not inherit: the child starts with new state. */
#include "softgpu/kfd/kfd.h"

#include "base/log.h"

#include <errno.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum {
    /* Ranges of the /dev/kfd file. The thunk (5.2.3) takes a doorbell's page from the upper 32 bits
     * of doorbell_offset, so these pages lie at multiples of 4 GB. */
    DOORBELL_SHIFT = 32,
    MMIO_SHIFT = 16,
    /* Room for fragmentation: the file is this many times the memory that can be allocated. */
    FILE_FACTOR = 2,
    MAX_NODES = 64
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(kfd_process_t *) current;

/* The files of all device nodes that this process, or a process it was forked from, has made. */
static struct {
    dev_t dev;
    ino_t ino;
    kfd_node_t kind;
    uint32_t gpu;
} nodes[MAX_NODES];
static _Atomic unsigned n_nodes;

int kfd_fstat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st);
}

/* Under the lock. Adds a row to the table; if it is full after many forks, drops the older half. */
static int remember_node(int fd, kfd_node_t kind, uint32_t gpu)
{
    struct stat st;
    if (kfd_fstat(fd, &st) != 0) return -errno;
    unsigned n = atomic_load(&n_nodes);
    if (n == MAX_NODES) {
        memmove(&nodes[0], &nodes[MAX_NODES / 2], sizeof(nodes) / 2);
        n = MAX_NODES / 2;
    }
    nodes[n].dev = st.st_dev;
    nodes[n].ino = st.st_ino;
    nodes[n].kind = kind;
    nodes[n].gpu = gpu;
    atomic_store(&n_nodes, n + 1);
    return 0;
}

kfd_node_t kfd_node_of_file(const struct stat *st, uint32_t *gpu_index)
{
    if (!S_ISREG(st->st_mode) && !S_ISSOCK(st->st_mode)) return KFD_NODE_NONE;
    for (unsigned n = atomic_load(&n_nodes); n-- > 0;)
        if (nodes[n].ino == st->st_ino && nodes[n].dev == st->st_dev) {
            *gpu_index = nodes[n].gpu;
            return nodes[n].kind;
        }
    return KFD_NODE_NONE;
}

kfd_node_t kfd_node_of(int fd, uint32_t *gpu_index)
{
    struct stat st;
    return kfd_fstat(fd, &st) == 0 ? kfd_node_of_file(&st, gpu_index) : KFD_NODE_NONE;
}

/* Makes a device node of the given size and enters it in the table. 0 or -errno. */
static int make_node(const char *name, uint64_t bytes, kfd_node_t kind, uint32_t gpu,
                     kfd_pages_t *pages)
{
    int error = kfd_pages_create(name, bytes, pages);
    return error == 0 ? remember_node(pages->fd, kind, gpu) : error;
}

uint64_t kfd_doorbell_offset(uint32_t gpu)
{
    return (uint64_t)(gpu + 1) << DOORBELL_SHIFT;
}
uint64_t kfd_mmio_offset(uint32_t gpu)
{
    return (uint64_t)(gpu + 1) << MMIO_SHIFT;
}

/* ---- callbacks (sg_host_ops_t); called from device threads ---- */

static void on_raise_event(void *user, uint32_t id)
{
    kfd_gpu_t *gpu = user;
    kfd_events_raise(gpu->process->events, id);
}

static void on_memory_fault(void *user, uint64_t va, uint32_t flags)
{
    /* the same as ISA_FAULT_* in exec/wave.h */
    enum { FAULT_WRITE = 2, FAULT_EXEC = 4, FAULT_READ_ONLY = 8 };
    kfd_gpu_t *gpu = user;
    bool no_execute = flags & FAULT_EXEC && sg_memory_find(gpu->memory, va);
    struct kfd_hsa_memory_exception_data fault = {
        .failure = {.NotPresent = !(flags & FAULT_READ_ONLY) && !no_execute,
                    .ReadOnly = (flags & FAULT_READ_ONLY) != 0,
                    .NoExecute = no_execute},
        .va = va & ~(uint64_t)(KFD_PAGE - 1),
        .gpu_id = gpu->gpu_id,
        .ErrorType = KFD_MEM_ERR_NO_RAS};
    base_info("GPU %u: memory fault at %#llx (%s)", gpu->index, (unsigned long long)va,
              flags & FAULT_EXEC    ? "execute"
              : flags & FAULT_WRITE ? "write"
                                    : "read");
    kfd_smi_memory_fault(gpu);
    if (!kfd_events_memory_fault(gpu->process->events, &fault))
        base_error("GPU %u: memory fault at %#llx, and the program waits for no memory event",
                   gpu->index, (unsigned long long)va);
}

static void on_queue_error(void *user, sg_queue_t *queue, sg_queue_error_t what, uint64_t code,
                           const char *text)
{
    kfd_gpu_t *gpu = user;
    const kfd_queue_t *row = sg_queue_user(queue);
    (void)what;
    base_error("GPU %u, queue %u: %s", gpu->index, row ? row->id : 0, text);
    if (row) kfd_queue_exception(row, code);
}

/* ---- making the state ---- */

static int open_gpu(kfd_process_t *p, uint32_t index)
{
    const sg_profile_t *profile = &p->config->profile;
    kfd_gpu_t *gpu = &p->gpus[index];
    struct sysinfo host;
    *gpu =
        (kfd_gpu_t){.index = index, .gpu_id = kfd_gpu_id(index), .process = p, .pages = {.fd = -1}};

    if (sysinfo(&host) != 0) return -errno;
    gpu->vram_bytes = kfd_vram_bytes(profile);
    gpu->system_bytes = ((uint64_t)host.totalram * host.mem_unit) & ~(uint64_t)(KFD_PAGE - 1);
    uint64_t bytes = (gpu->vram_bytes + gpu->system_bytes) * FILE_FACTOR;

    uint64_t notes = kfd_bo_all_notes(bytes);
    int error = make_node("softgpu-render", bytes + notes, KFD_NODE_RENDER, index, &gpu->pages);
    if (error != 0) return error;
    /* two mappings, since valgrind's address space has no range that is large enough for both */
    gpu->alias = kfd_pages_alias(&gpu->pages, 0, bytes);
    gpu->notes = kfd_pages_alias(&gpu->pages, bytes, notes);
    gpu->doorbells = kfd_pages_alias(&p->pages, kfd_doorbell_offset(index), KFD_DOORBELL_BYTES);
    gpu->mmio = kfd_pages_alias(&p->pages, kfd_mmio_offset(index), KFD_PAGE);
    if (!gpu->alias || !gpu->notes || !gpu->doorbells || !gpu->mmio) return -errno;
    struct stat st;
    if (kfd_fstat(gpu->pages.fd, &st) != 0) return -errno;
    gpu->file_dev = st.st_dev;
    gpu->file_ino = st.st_ino;
    gpu->file_bytes = bytes;
    error = kfd_ranges_init(&gpu->ranges, 0, bytes);
    if (error != 0) return error;

    sg_host_ops_t ops = {.user = gpu,
                         .raise_event = on_raise_event,
                         .memory_fault = on_memory_fault,
                         .queue_error = on_queue_error};
    gpu->device = sg_device_create(profile, &ops);
    if (!gpu->device) return errno == EINVAL ? -EINVAL : -ENOMEM;
    gpu->memory = sg_device_memory(gpu->device);
    sg_device_set_doorbells(gpu->device, gpu->doorbells, KFD_DOORBELL_BYTES, p->pages.fd,
                            kfd_doorbell_offset(index));
    return 0;
}

static int open_process(kfd_process_t *p, const kfd_config_t *config)
{
    pthread_mutex_init(&p->lock, NULL);
    p->config = config;
    p->n_gpus = config->n_gpus;
    pthread_mutex_init(&p->svm_lock, NULL);
    p->ipc_socket = BASE_KEPT_NONE;
    int error = kfd_ranges_init(&p->windows, SOFTGPU_IMPORT_WINDOW, 2 * SOFTGPU_IMPORT_WINDOW);
    if (error != 0) return error;
    p->events = kfd_events_create();
    if (!p->events) return -ENOMEM;
    error = make_node("softgpu-kfd", kfd_doorbell_offset(KFD_MAX_GPUS), KFD_NODE_KFD, 0, &p->pages);
    for (uint32_t i = 0; i < p->n_gpus && error == 0; i++)
        error = open_gpu(p, i);
    return error;
}

kfd_process_t *kfd_process_peek(void)
{
    return atomic_load_explicit(&current, memory_order_acquire);
}

kfd_process_t *kfd_process_get(void)
{
    kfd_process_t *p = kfd_process_peek();
    const kfd_config_t *config = p ? NULL : kfd_config();
    if (p || !config) return p;
    pthread_mutex_lock(&lock);
    p = kfd_process_peek();
    if (!p) {
        p = calloc(1, sizeof(*p));
        int error = p ? open_process(p, config) : -ENOMEM;
        if (error != 0) { /* the program continues without a GPU; the state made so far stays until
                             it ends */
            base_error("cannot set up the GPU: %s", strerror(-error));
            p = NULL;
        }
        atomic_store_explicit(&current, p, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return p;
}

void kfd_process_forget(void)
{
    kfd_process_t *p = kfd_process_peek();
    pthread_mutex_init(&lock, NULL);
    if (!p) return;
    uint32_t index;
    for (uint32_t i = 0; i < p->n_gpus; i++)
        if (kfd_node_of(p->gpus[i].pages.fd, &index) == KFD_NODE_RENDER) close(p->gpus[i].pages.fd);
    if (kfd_node_of(p->pages.fd, &index) == KFD_NODE_KFD) close(p->pages.fd);
    kfd_bo_forget(p);
    base_kept_close(&p->ipc_socket);
    kfd_smi_forget();
    kfd_spm_forget();
    atomic_store(&current, NULL);
}

kfd_gpu_t *kfd_gpu_find(kfd_process_t *p, uint32_t gpu_id)
{
    for (uint32_t i = 0; i < p->n_gpus; i++)
        if (p->gpus[i].gpu_id == gpu_id) return &p->gpus[i];
    return NULL;
}
