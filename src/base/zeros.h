/* zeros.h - large arrays of zeros, of which only the pages that are touched use memory.
 *
 * They do not come from malloc(), which may return memory that was used before, so that calloc()
 * would have to clear all of it. munmap() frees such an array. */
#ifndef CROCPROF_BASE_ZEROS_H
#define CROCPROF_BASE_ZEROS_H

#include <stddef.h>
#include <sys/mman.h>

/* Reserves address space: its pages use memory once they are touched. Returns NULL if there is
 * none. */
static inline void *base_map_zeros(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

#endif
