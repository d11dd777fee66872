/* range.h - allocates ranges of a file: keeps a list of the free ones. Not thread-safe: the owner
 * holds a lock. */
#ifndef SOFTGPU_KFD_RANGE_H
#define SOFTGPU_KFD_RANGE_H

#include <stdint.h>

typedef struct kfd_range kfd_range_t;

typedef struct {
    kfd_range_t *free; /* sorted, never two neighbours that touch */
} kfd_ranges_t;

/* Makes [begin, end) free. 0 or -ENOMEM. */
int kfd_ranges_init(kfd_ranges_t *r, uint64_t begin, uint64_t end);

/* Takes `size` bytes from the first free range that fits; `align` is a power of two. 0 or
 * -ENOMEM. */
int kfd_ranges_take(kfd_ranges_t *r, uint64_t size, uint64_t align, uint64_t *offset);

/* Frees a range of kfd_ranges_take(). If there is no memory for the list's entry, the range stays
 * taken, which is harmless. */
void kfd_ranges_give(kfd_ranges_t *r, uint64_t offset, uint64_t size);

#endif
