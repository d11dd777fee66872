/* zeros.h - large arrays of zeros, of which only what is touched becomes memory.
 *
 * Apart from malloc(), which may hand out memory that has been used, so that calloc() would have to
 * clear all of it. munmap() gives such an array back. */
#ifndef CROCPROF_BASE_ZEROS_H
#define CROCPROF_BASE_ZEROS_H

#include <stddef.h>
#include <sys/mman.h>

/* Address space alone: its pages become memory when they are first touched. NULL: there is none. */
static inline void *base_map_zeros(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

#endif
