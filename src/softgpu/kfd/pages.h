/* pages.h - the pages behind a device node, which are mapped in several places and processes.
 *
 * They are a sparse memory file, so that the program's own mmap of the node finds them. Where the
 * limit on the size of files (ulimit -f) refuses that, and may not be raised, they are a segment of
 * System V shared memory, which the limit does not count; the node is a socket then, which cannot
 * be mapped, and whose mmap comes to kfd_pages_map(). */
#ifndef SOFTGPU_KFD_PAGES_H
#define SOFTGPU_KFD_PAGES_H

#include <stdint.h>
#include <sys/types.h>

typedef struct {
    int fd;           /* the node; -1: none */
    uint32_t segment; /* 1 + the segment's id; 0: the pages are the file's own */
    uint8_t *base;    /* of a segment that this process has made: all of it, until the end */
} kfd_pages_t;

/* New pages, zeros; memory is taken as they are written. 0 or -errno. */
int kfd_pages_create(const char *name, uint64_t bytes, kfd_pages_t *pages);

/* mmap() of them; MAP_FAILED with errno. */
void *kfd_pages_map(const kfd_pages_t *pages, uint64_t offset, void *address, uint64_t bytes,
                    int protection, int flags);

/* The device's own view of a range, which children do not inherit. NULL with errno. */
void *kfd_pages_alias(const kfd_pages_t *pages, uint64_t offset, uint64_t bytes);

/* How many bytes there are of pages that another process has sent; 0 if they are not sound: not
 * ours, or a file that could shrink under us, which would make a crash of each access. */
uint64_t kfd_pages_sound(const kfd_pages_t *pages);

#endif
