/* bandwidth.c - gives workgroups time of the memory below L2: gaps between the times that earlier
 * workgroups have taken, then time after all of them. */
#include "softgpu/perf/bandwidth.h"

#include <string.h>

#include "base/sorted.h"

static void drop(sg_bandwidth_t *b, uint32_t i)
{
    memmove(&b->gap[i], &b->gap[i + 1], (--b->n - i) * sizeof *b->gap);
}

static void insert(sg_bandwidth_t *b, uint32_t i, uint64_t from, uint64_t to)
{
    if (from >= to) return;
    if (b->n == SG_BANDWIDTH_GAPS) {
        drop(b, 0);
        if (i) i--;
    }
    memmove(&b->gap[i + 1], &b->gap[i], (b->n++ - i) * sizeof *b->gap);
    b->gap[i].from = from;
    b->gap[i].to = to;
}

/* Takes up to `takes` of gap i, from `asked` on. Returns the end of the time taken. The rest of the
 * gap, before and after that time, stays a gap. */
static uint64_t take_gap(sg_bandwidth_t *b, uint32_t i, uint64_t asked, uint64_t takes)
{
    const uint64_t from = b->gap[i].from, to = b->gap[i].to;
    const uint64_t begin = from > asked ? from : asked;
    const uint64_t through = to - begin < takes ? to : begin + takes;
    if (begin == from) {
        b->gap[i].from = through;
        if (through == to) drop(b, i);
        return through;
    }
    b->gap[i].to = begin;
    insert(b, i + 1, through, to);
    return through;
}

/* The first gap that ends after `asked`. */
static uint32_t first_after(const sg_bandwidth_t *b, uint64_t asked)
{
    size_t i;
    BASE_SEARCH(i, b->n, b->gap[i].to <= asked);
    return (uint32_t)i;
}

uint64_t sg_bandwidth_take(sg_bandwidth_t *b, uint64_t asked, uint64_t takes)
{
    uint64_t through = asked;
    b->busy += takes;
    for (uint32_t i = takes ? first_after(b, asked) : 0; i < b->n && takes;) {
        const uint64_t from = b->gap[i].from;
        const uint32_t before = b->n;
        through = take_gap(b, i, asked, takes);
        takes -= through - (from > asked ? from : asked);
        if (b->n >= before) i++;
    }
    if (!takes) return through;
    const uint64_t begin = b->end > asked ? b->end : asked;
    insert(b, b->n, b->end, begin);
    b->end = begin + takes;
    return b->end;
}
