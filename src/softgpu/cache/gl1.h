/* gl1.h - one read through GL1, the read-only cache of a shader array in front of L2.
 *
 * GPUs from gfx10 on have it: vector, scalar and instruction caches of an array's units read
 * through it. A line is one of L2. A write or an atomic operation drops its line and is passed on
 * to L2. Inline because the vector L1 reads in loops; making and emptying GL1 is in cache.c. */
#ifndef SOFTGPU_CACHE_GL1_H
#define SOFTGPU_CACHE_GL1_H

#include "softgpu/cache/l2.h"

/* The GL1 of a shader array; NULL: the GPU has none. */
L2_INLINE sgc_gl1_t *gl1_of(const sgc_t *t, uint32_t array)
{
    return t->gl1 ? &t->gl1[array] : NULL;
}

/* Reads the whole line of L2 that `line64` is in. `past`: the load bypasses GL1 and leaves no line
 * there. GL1 does not hold memory of the type UC. Returns the clocks until the data is back. */
L2_INLINE uint32_t gl1_read(sgc_t *t, sgc_gl1_t *g, const l2_view_t *v, uint32_t line64,
                            sgc_page_t page, bool past, bool stream)
{
    const uint32_t tag = line64 >> v->wide, set = ways_set(&g->ways, tag);
    uint32_t old;
    if (page.type == SGC_UC) return l2_request(t, v, line64, page, SGC_READ, 0, stream);
    if (past) {
        const int32_t slot = ways_look(&g->ways, set, tag);
        if (slot >= 0) ways_remove(&g->ways, (uint32_t)slot);
    } else {
        g->filled = true;
        ways_use(&g->ways, set, tag, &old);
        if (old == tag) return t->profile.gl1_latency;
    }
    return l2_read_both(t, v, line64, page, stream);
}

/* Drops the line that a write or an atomic operation changes, so that GL1 holds no stale bytes. */
L2_INLINE void gl1_drop(const sgc_t *t, sgc_gl1_t *g, uint32_t line64)
{
    const uint32_t tag = line64 >> t->l2.wide;
    const int32_t slot = g->filled ? ways_look(&g->ways, ways_set(&g->ways, tag), tag) : -1;
    if (slot >= 0) ways_remove(&g->ways, (uint32_t)slot);
}

#endif
