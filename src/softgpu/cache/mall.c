/* mall.c - the cache of memory behind the L2s (mall.h). Its functions are not inlined: L2's loops
 * need them for misses alone, and on most GPUs not even for these. */
#include "softgpu/cache/mall.h"

#define NOINLINE __attribute__((noinline))

enum { MALL_WAYS = 16 };

bool sgc_mall_init(sgc_t *t)
{
    const sg_profile_t *p = &t->profile;
    const uint32_t sets = p->mall_kb * (1024 / SGC_LINE) / MALL_WAYS;
    return !p->mall_latency || !sets || ways_init(&t->mall, sets, MALL_WAYS);
}

void sgc_mall_free(sgc_t *t)
{
    ways_free(&t->mall);
}

/* Returns whether the line was there. */
static bool use(const sgc_t *t, uint32_t line64)
{
    uint32_t old;
    ways_use(&t->mall, ways_set(&t->mall, line64), line64, &old);
    return old == line64;
}

NOINLINE bool sgc_mall_read(sgc_t *t, uint32_t line64, unsigned lines)
{
    bool all = true;
    for (unsigned k = 0; k < 2; k++)
        if (lines >> k & 1) all &= use(t, line64 + k);
    return all;
}

NOINLINE void sgc_mall_write(sgc_t *t, uint32_t line64)
{
    use(t, line64);
}
