/* range.c - see range.h: a sorted list of free ranges, allocated by first fit.
 *
 * A list is enough: programs hold hundreds of buffers, not millions, they allocate rarely, and the
 * list stays short because neighbours are joined. */
#include "softgpu/kfd/range.h"

#include "base/round.h"

#include <errno.h>
#include <stdlib.h>

struct kfd_range {
    uint64_t begin, end;
    kfd_range_t *next;
};

static kfd_range_t *new_range(uint64_t begin, uint64_t end, kfd_range_t *next)
{
    kfd_range_t *range = malloc(sizeof(*range));
    if (range) *range = (kfd_range_t){begin, end, next};
    return range;
}

int kfd_ranges_init(kfd_ranges_t *r, uint64_t begin, uint64_t end)
{
    r->free = new_range(begin, end, NULL);
    return r->free ? 0 : -ENOMEM;
}

/* Cuts [begin, end) out of *link, which holds it. */
static int cut(kfd_range_t **link, uint64_t begin, uint64_t end)
{
    kfd_range_t *range = *link;
    if (range->begin == begin && range->end == end) {
        *link = range->next;
        free(range);
    } else if (range->begin == begin) {
        range->begin = end;
    } else if (range->end == end) {
        range->end = begin;
    } else {
        kfd_range_t *rest = new_range(end, range->end, range->next);
        if (!rest) return -ENOMEM;
        range->end = begin;
        range->next = rest;
    }
    return 0;
}

int kfd_ranges_take(kfd_ranges_t *r, uint64_t size, uint64_t align, uint64_t *offset)
{
    for (kfd_range_t **link = &r->free; *link; link = &(*link)->next) {
        uint64_t begin = base_round_up((*link)->begin, align);
        if (begin < (*link)->end && size <= (*link)->end - begin) {
            *offset = begin;
            return cut(link, begin, begin + size);
        }
    }
    return -ENOMEM;
}

void kfd_ranges_give(kfd_ranges_t *r, uint64_t offset, uint64_t size)
{
    kfd_range_t *before = NULL, *after = r->free;
    while (after && after->begin < offset) {
        before = after;
        after = after->next;
    }
    uint64_t end = offset + size;
    if (before && before->end == offset && after && after->begin == end) {
        before->end = after->end;
        before->next = after->next;
        free(after);
    } else if (before && before->end == offset) {
        before->end = end;
    } else if (after && after->begin == end) {
        after->begin = offset;
    } else {
        kfd_range_t *range = new_range(offset, end, after);
        if (!range) return;
        *(before ? &before->next : &r->free) = range;
    }
}
