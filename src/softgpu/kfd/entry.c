/* entry.c - the one exported function of libsoftgpu.so: the table that the preloaded stub calls.
 *
 * It also handles fork and the end of the process for the whole library. The device's threads are
 * not stopped at exit, since the program's own destructors may still use the GPU. */
#include "softgpu/kfd/kfd.h"
#include "softgpu/kfd/seam.h"

#include "base/log.h"
#include "base/round.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dma-buf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int locate(const char *path, char *buffer, size_t size, size_t *root_length)
{
    const char *root = kfd_tree_root();
    if (!root) return -1;
    *root_length = strlen(root);
    /* a processor's caches are read from the machine's folder, even if the path is below that of a
     * NUMA node */
    static const char nodes[] = "/sys/devices/system/node/";
    const bool of_node = strncmp(path, nodes, sizeof(nodes) - 1) == 0;
    const char *cpu = of_node ? strstr(path + sizeof(nodes) - 1, "/cpu") : NULL;
    int n =
        snprintf(buffer, size, "%s%s%s", root, cpu ? "/" SOFTGPU_HOST_CPUS : "", cpu ? cpu : path);
    if (n < 0 || (size_t)n >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

static atomic_flag over = ATOMIC_FLAG_INIT;

__attribute__((destructor)) static void at_exit(void)
{
    if (atomic_flag_test_and_set(&over)) return;
    sg_observe_report();
    sg_check_report();
    kfd_tree_remove();
}

static bool runtime_good;

static void check_runtime(void)
{
    const kfd_config_t *config = kfd_config();
    runtime_good = config && kfd_runtime_knows(&config->profile);
}

/* Checks, when the device is opened for the first time, the runtime that the program has loaded. */
static bool runtime_supports_gpu(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, check_runtime);
    return runtime_good;
}

static int open_device(int gpu, int flags)
{
    kfd_process_t *p = runtime_supports_gpu() ? kfd_process_get() : NULL;
    if (p) sg_leave_watch(at_exit);
    if (!p || gpu >= (int)p->n_gpus) {
        errno = p ? ENXIO : ENODEV;
        return -1;
    }
    uint32_t index = 0;
    bool kfd = gpu == SOFTGPU_KFD_NODE;
    int fd = kfd ? p->pages.fd : p->gpus[gpu].pages.fd;
    /* a program that closes all descriptors closes this one, too, and may reuse its number */
    if (kfd_node_of(fd, &index) != (kfd ? KFD_NODE_KFD : KFD_NODE_RENDER)) {
        errno = ENODEV;
        return -1;
    }
    return fcntl(fd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
}

static int open_held(const char *path, int flags)
{
    char file[PATH_MAX];
    size_t root;
    if (locate(path, file, sizeof(file), &root) != 0) return -1;
    int fd = kfd_tree_open_held(file, flags);
    if (fd >= 0) return fd;
    errno = -fd;
    return fd == -ENOENT ? -2 : -1;
}

static bool device_number(const struct stat *st, dev_t *number)
{
    uint32_t gpu = 0;
    kfd_node_t node = kfd_node_of_file(st, &gpu);
    *number = node == KFD_NODE_RENDER ? makedev(SOFTGPU_DRM_MAJOR, KFD_FIRST_RENDER_MINOR + gpu)
                                      : makedev(SOFTGPU_KFD_MAJOR, 0);
    return node != KFD_NODE_NONE;
}

static bool map(int fd, uint64_t offset, void *address, size_t bytes, int protection, int flags,
                void **at)
{
    kfd_process_t *p = kfd_process_peek();
    if (!p) return false;
    pthread_mutex_lock(&p->lock);
    *at = kfd_bo_map(p, fd, offset, address, bytes, protection, flags);
    pthread_mutex_unlock(&p->lock);
    return *at != MAP_FAILED || errno != ENODEV;
}

static void unmap(void *address, size_t bytes)
{
    kfd_process_t *p = kfd_process_peek();
    if (!p) return;
    kfd_svm_forget(p, (uintptr_t)address & ~(uint64_t)(KFD_PAGE - 1),
                   base_round_up(bytes, KFD_PAGE));
}

static int64_t seek(int fd, int64_t offset, int whence)
{
    int64_t size = kfd_bo_descriptor_size(fd);
    if (size >= 0 && offset == 0 && (whence == SEEK_END || whence == SEEK_SET))
        return whence == SEEK_END ? size : 0;
    errno = size >= 0 ? EINVAL : ESPIPE;
    return -1;
}

/* True if fd is a DMA-BUF. Programs use one ioctl on it, DMA_BUF_IOCTL_SYNC, which announces
 * accesses of the CPU to the kernel. It has no effect, since GPU and CPU use the same pages. */
static int dma_buf_ioctl(int fd, unsigned long request, int *result)
{
    if (kfd_bo_descriptor_size(fd) < 0) return 0;
    *result = _IOC_NR(request) == _IOC_NR(DMA_BUF_IOCTL_SYNC) ? 0 : -1;
    if (*result != 0) errno = ENOTTY;
    return 1;
}

static int device_ioctl(int fd, unsigned long request, void *argument, int *result)
{
    uint32_t gpu = 0;
    if (_IOC_TYPE(request) == _IOC_TYPE(DMA_BUF_IOCTL_SYNC))
        return dma_buf_ioctl(fd, request, result);
    kfd_node_t node = kfd_node_of(fd, &gpu);
    if (node == KFD_NODE_NONE) return 0;
    kfd_process_t *p = kfd_process_get();
    int error = -ENODEV;
    if (p && node == KFD_NODE_KFD)
        error = kfd_ioctl(p, request, argument);
    else if (p && gpu < p->n_gpus)
        error = kfd_drm_ioctl(&p->gpus[gpu], request, argument);
    *result = error == 0 ? 0 : -1;
    if (error != 0) errno = -error;
    return 1;
}

static void in_forked_child(void)
{
    kfd_process_forget();
    kfd_tree_forget();
    atomic_flag_clear(&over);
}

static void register_handlers(void)
{
    pthread_atfork(NULL, NULL, in_forked_child);
    at_quick_exit(at_exit); /* quick_exit() does not run destructors */
}

__attribute__((visibility("default"))) const softgpu_seam_t *softgpu_seam(bool has_stderr)
{
    static const softgpu_seam_t seam = {
        .version = SOFTGPU_SEAM_VERSION,
        .locate = locate,
        .open_device = open_device,
        .open_held = open_held,
        .device_number = device_number,
        .map = map,
        .unmap = unmap,
        .signal_action = sg_guard_action,
        .seek = seek,
        .ioctl = device_ioctl,
        .instruction_counts = sg_census_api,
        .check = sg_check_api,
    };
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!has_stderr) base_log_set_stderr(false);
    pthread_once(&once, register_handlers);
    return kfd_config() && sg_check_ready() ? &seam : NULL;
}
