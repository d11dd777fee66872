/* redirect.h - decides which paths and file descriptors belong to the software GPU, and handles
 * calls for them. */
#ifndef SOFTGPU_PRELOAD_REDIRECT_H
#define SOFTGPU_PRELOAD_REDIRECT_H

#include "softgpu/kfd/seam.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* True if the path belongs to the driver. Only compares strings; does not load libsoftgpu.so. */
bool redirect_wanted(const char *path);

/* True if the path is a device node of the driver. */
bool redirect_is_device(const char *path);

/* Device number that stat() shows for a device node. */
dev_t redirect_device_number(const char *path);

/* True if *st, from fstat(), is one of the devices that redirect_open() opens; *number is then the
 * number of its device node. */
bool redirect_shows_device(const struct stat *st, dev_t *number);

/* The path in the private tree for a path of the driver; NULL with errno if there is no tree. */
const char *redirect_path(const char *path, char buffer[PATH_MAX]);

/* Removes the private tree's root from a resolved path, in place. */
void redirect_strip_root(const char *path, char *resolved);

/* Opens a path of the driver that is not a file in the private tree: a descriptor, or -1 with
 * errno. REDIRECT_FILE: it is a file there, see redirect_path(). */
enum { REDIRECT_FILE = -2 };
int redirect_open(const char *path, int flags);

/* Call the functions of the same names in seam.h. If libsoftgpu.so is not loaded, they return
 * false, or -1 with errno. */
bool redirect_map(int fd, uint64_t offset, void *address, size_t bytes, int protection, int flags,
                  void **at);
void redirect_unmap(void *address, size_t bytes);
bool redirect_signal_action(int number, const struct sigaction *action, struct sigaction *old,
                            int *result);
int64_t redirect_seek(int fd, int64_t offset, int whence);

/* Whether libsoftgpu.so is loaded: the program has looked for the driver. */
bool redirect_in_use(void);

/* Whether the program was started with a standard error. */
bool redirect_has_stderr(void);

/* The path of a library in this library's own folder; false: the path is too long. */
bool redirect_beside(const char *name, char path[PATH_MAX]);

struct softgpu_check_api;
const struct softgpu_check_api *redirect_check(unsigned version);
struct softgpu_instruction_counts_api;
const struct softgpu_instruction_counts_api *redirect_instruction_counts(unsigned version);

/* True if fd is a device or a DMA-BUF: *result is then what ioctl() returns. */
bool redirect_ioctl(int fd, unsigned long request, void *argument, int *result);

#endif
