/* seam.h - the functions that the preloaded stub (preload/) calls in libsoftgpu.so.
 *
 * They are two libraries so that a program that never looks for a GPU loads only the stub. The stub
 * finds softgpu_seam() by dlsym() and calls through the table that it returns; libsoftgpu.so
 * exports nothing else. */
#ifndef SOFTGPU_KFD_SEAM_H
#define SOFTGPU_KFD_SEAM_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    SOFTGPU_SEAM_VERSION = 8,
    /* Device numbers, the same in both libraries. DRM's are fixed by the kernel; KFD's major number
     * is dynamic: the kernel takes one from a range that ends at 234. */
    SOFTGPU_DRM_MAJOR = 226,
    SOFTGPU_KFD_MAJOR = 234,
    SOFTGPU_FIRST_RENDER_MINOR = 128,
    SOFTGPU_FIRST_PCI_BUS = 3,
    SOFTGPU_KFD_NODE = -1 /* in place of a GPU's index */
};

/* The folder of the host's processors, relative to the root of the file system. */
#define SOFTGPU_HOST_CPUS "sys/devices/system/cpu"

/* Whether the host has files about the caches of its processors. Uses the system call, since
 * access() is the stub's and would call the library. */
static inline bool softgpu_host_shows_caches(void)
{
    return syscall(SYS_faccessat, AT_FDCWD, "/" SOFTGPU_HOST_CPUS "/cpu0/cache/index0", F_OK) == 0;
}

/* An mmap() of a render node at this offset or a higher one maps memory of another process. The
 * offset is far beyond the end of any GPU's file. */
#define SOFTGPU_IMPORT_WINDOW (UINT64_C(1) << 45)

/* All functions are thread-safe and set errno when they fail. */
typedef struct {
    unsigned version; /* SOFTGPU_SEAM_VERSION of the library */

    /* Writes to `buffer` the path of the driver's file `path`, which is absolute, in the private
     * tree (tree.c). The root of the tree is the first *root_length characters. 0, or -1. */
    int (*locate)(const char *path, char *buffer, size_t size, size_t *root_length);

    /* Opens the node of a GPU, primary or render node, or SOFTGPU_KFD_NODE. A file descriptor or
     * -1; ENXIO if there is no such GPU. */
    int (*open_device)(int gpu, int flags);

    /* Opens a file of the driver whose text is kept in memory, because the private tree could not
     * store it. A descriptor; -1 with errno; -2: the file is in the tree. */
    int (*open_held)(const char *path, int flags);

    /* True if *st is one of the devices; *number is its number as a device node. */
    bool (*device_number)(const struct stat *st, dev_t *number);

    /* mmap() of a DMA-BUF or device node, with the result in *at. False: the kernel's mmap() can
     * map fd itself. */
    bool (*map)(int fd, uint64_t offset, void *address, size_t bytes, int protection, int flags,
                void **at);

    /* The program is about to unmap [address, address + bytes): removes it from the GPUs. */
    void (*unmap)(void *address, size_t bytes);

    /* sigaction() for a signal whose handler is the device's (guard.h). False: the handler is not
     * the device's, and the C library's sigaction() is to be called. */
    bool (*signal_action)(int number, const struct sigaction *action, struct sigaction *old,
                          int *result);

    /* lseek() of a DMA-BUF, which supports only finding its size; -1 with errno. */
    int64_t (*seek)(int fd, int64_t offset, int whence);

    /* True if fd is one of the devices or a DMA-BUF; then *result is what ioctl() returns. */
    int (*ioctl)(int fd, unsigned long request, void *argument, int *result);

    /* The table of include/softgpu/instruction_counts.h, for profilers. */
    const struct softgpu_instruction_counts_api *(*instruction_counts)(unsigned version);

    /* The checker's functions, to which the program's calls are reported: check/sink.h. */
    const struct softgpu_check_api *(*check)(unsigned version);
} softgpu_seam_t;

/* The table, or NULL, after one line on stderr, if the software GPU cannot be set up. `has_stderr`:
 * the program was started with a standard error. If it was not, descriptor 2 may be any file of the
 * program, and no message is written there. */
const softgpu_seam_t *softgpu_seam(bool has_stderr);

#endif
