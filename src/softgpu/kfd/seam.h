/* seam.h - what the preloaded stub asks of the device library.
 *
 * The two are separate so that a program that never looks for a GPU pays for nothing but the stub.
 * The stub finds softgpu_seam() by dlsym and calls through the table; nothing else is exported. */
#ifndef SOFTGPU_KFD_SEAM_H
#define SOFTGPU_KFD_SEAM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum {
    SOFTGPU_SEAM_VERSION = 6,
    /* What both sides know of the devices. DRM's numbers are fixed by the kernel; KFD's major is
     * dynamic, 234 is the first that the kernel hands out. */
    SOFTGPU_DRM_MAJOR = 226,
    SOFTGPU_KFD_MAJOR = 234,
    SOFTGPU_FIRST_RENDER_MINOR = 128,
    SOFTGPU_FIRST_PCI_BUS = 3,
    SOFTGPU_KFD_NODE = -1 /* in place of a GPU's index */
};

/* Offsets of a render node from here on stand for memory of other processes, for mmap() alone:
 * far beyond the end of any GPU's file. */
#define SOFTGPU_IMPORT_WINDOW (UINT64_C(1) << 45)

/* All functions are thread-safe and set errno when they fail. */
typedef struct {
    unsigned version; /* SOFTGPU_SEAM_VERSION of the library */

    /* Where the private tree keeps `path` (absolute, of the driver): written to buffer. The root
     * of the tree is the first *root_length characters. 0, or -1. */
    int (*locate)(const char *path, char *buffer, size_t size, size_t *root_length);

    /* Opens the node of a GPU, primary or render node, or SOFTGPU_KFD_NODE. A file descriptor or
     * -1; ENXIO if there is no such GPU. */
    int (*open_device)(int gpu, int flags);

    /* Opens a file of the driver that the private tree has not on the disk. -1 with errno; -2: the
     * tree has it. */
    int (*open_held)(const char *path, int flags);

    /* True if *st is one of the devices: the number that it shows as a device node. */
    bool (*device_number)(const struct stat *st, dev_t *number);

    /* mmap() of pages other than fd's own; false if it is those. */
    bool (*map)(int fd, uint64_t offset, void *address, size_t bytes, int protection, int flags,
                void **at);

    /* The program unmaps [address, address + bytes): GPUs lose it first. */
    void (*unmap)(void *address, size_t bytes);

    /* What sigaction() does with a signal that the device has taken over. False: ask the C library.
     */
    bool (*signal_action)(int number, const struct sigaction *action, struct sigaction *old,
                          int *result);

    /* What lseek() answers for a DMA-BUF, which knows its size and nothing else; -1 with errno. */
    int64_t (*seek)(int fd, int64_t offset, int whence);

    /* True if fd is one of the devices; then *result is what ioctl() returns. */
    int (*ioctl)(int fd, unsigned long request, void *argument, int *result);

    /* What the profiler's function of include/softgpu/instruction_counts.h answers. */
    const struct softgpu_instruction_counts_api *(*instruction_counts)(unsigned version);

    /* What the calls of checked programs are told to: check/sink.h. */
    const struct softgpu_check_api *(*check)(unsigned version);
} softgpu_seam_t;

/* NULL, after one line on stderr, if the software GPU cannot be set up. `has_stderr`: the program
 * was started with standard error; without, descriptor 2 is a file of the program's. */
const softgpu_seam_t *softgpu_seam(bool has_stderr);

#endif
