/* seam.h - what the preloaded stub asks of the device library.
 *
 * The two are separate so that a program that never looks for a GPU pays for nothing but the stub.
 * The stub finds softgpu_seam() by dlsym and calls through the table; nothing else is exported. */
#ifndef SOFTGPU_PRELOAD_SEAM_H
#define SOFTGPU_PRELOAD_SEAM_H

#include <stddef.h>

enum { SOFTGPU_SEAM_VERSION = 1 };

/* All functions are thread-safe and set errno when they fail. */
typedef struct {
    unsigned version; /* SOFTGPU_SEAM_VERSION of the library */

    /* Where the private tree keeps `path` (absolute, of the driver): written to buffer. The root
     * of the tree is the first *root_length characters. 0, or -1. */
    int (*locate)(const char *path, char *buffer, size_t size, size_t *root_length);

    /* Opens a device node ("/dev/kfd", "/dev/dri/renderD128"). A file descriptor or -1; ENXIO if
     * the path is no device node. */
    int (*open_device)(const char *path, int flags);

    /* True if fd is one of the devices; then *result is what ioctl() returns. */
    int (*ioctl)(int fd, unsigned long request, void *argument, int *result);
} softgpu_seam_t;

/* NULL, after one line on stderr, if the software GPU cannot be set up. */
const softgpu_seam_t *softgpu_seam(void);

#endif
