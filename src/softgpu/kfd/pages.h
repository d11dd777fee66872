/* pages.h - the memory of a device node, which several processes may map.
 *
 * Usually the node is a sparse memfd, which the program's own mmap() maps. Where the limit on the
 * size of files (ulimit -f) forbids that and cannot be raised, the memory is a System V shared
 * memory segment, which the limit does not count. The node is then a socket, which the kernel
 * cannot map: kfd_pages_map() maps it instead. */
#ifndef SOFTGPU_KFD_PAGES_H
#define SOFTGPU_KFD_PAGES_H

#include <stdint.h>
#include <sys/types.h>

typedef struct {
    int fd;           /* the node; -1: none */
    uint32_t segment; /* 1 + the segment's id; 0: the memory is that of the file */
    uint8_t *base;    /* the whole segment, if this process made it; stays mapped until the end */
} kfd_pages_t;

/* New zeroed pages; the host gives memory only for pages that are written. 0 or -errno. */
int kfd_pages_create(const char *name, uint64_t bytes, kfd_pages_t *pages);

/* mmap() of the pages; MAP_FAILED with errno. */
void *kfd_pages_map(const kfd_pages_t *pages, uint64_t offset, void *address, uint64_t bytes,
                    int protection, int flags);

/* The device's own mapping of a range, which forked children do not inherit. NULL with errno. */
void *kfd_pages_alias(const kfd_pages_t *pages, uint64_t offset, uint64_t bytes);

/* Bytes of pages that another process has sent. 0 if they cannot be trusted: a segment of another
 * user, or a file that might shrink, so that an access would crash. */
uint64_t kfd_pages_sound(const kfd_pages_t *pages);

#endif
