/* redirect.h - which paths and file descriptors belong to the software GPU. */
#ifndef SOFTGPU_PRELOAD_REDIRECT_H
#define SOFTGPU_PRELOAD_REDIRECT_H

#include "softgpu/kfd/seam.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* True if the path belongs to the driver. A few compares; never loads anything. */
bool redirect_wanted(const char *path);

/* True if the path is a device node of the driver. */
bool redirect_is_device(const char *path);

/* Device number that stat() shows for a device node. */
dev_t redirect_device_number(const char *path);

/* True if *st, of a file without a name, is one of the devices that redirect_open() has opened. */
bool redirect_shows_device(const struct stat *st, dev_t *number);

/* The private tree's name for a wanted path; NULL with errno if there is none. */
const char *redirect_path(const char *path, char buffer[PATH_MAX]);

/* Takes the tree's root off a resolved name, in place. */
void redirect_strip_root(const char *path, char *resolved);

/* Opens a wanted path that is no file of the tree: a descriptor, or -1 with errno. REDIRECT_FILE:
 * it is one, see redirect_path(). */
enum { REDIRECT_FILE = -2 };
int redirect_open(const char *path, int flags);

/* As the functions of the same names in seam.h; without a device false, and -1 with errno. */
bool redirect_map(int fd, uint64_t offset, void *address, size_t bytes, int protection, int flags,
                  void **at);
void redirect_unmap(void *address, size_t bytes);
bool redirect_signal_action(int number, const struct sigaction *action, struct sigaction *old,
                            int *result);
int64_t redirect_seek(int fd, int64_t offset, int whence);

struct softgpu_check_api;
const struct softgpu_check_api *redirect_check(unsigned version);
struct softgpu_instruction_counts_api;
const struct softgpu_instruction_counts_api *redirect_instruction_counts(unsigned version);

/* True if fd is a device: *result is then the ioctl's. */
bool redirect_ioctl(int fd, unsigned long request, void *argument, int *result);

#endif
