/* mall.c - the cache of memory behind the L2s (mall.h). */
#include "softgpu/cache/mall.h"

_Static_assert((int)SG_MALL_LINE == (int)SGC_LINE, "transactions are told by their lines");

bool sgc_mall_init(sgc_t *t)
{
    const sg_profile_t *p = &t->profile;
    const uint32_t sets = p->mall_kb * (1024 / SG_MALL_LINE) / SG_MALL_WAYS;
    return !p->mall_latency || !sets || ways_init(&t->mall, sets, SG_MALL_WAYS);
}

void sgc_mall_free(sgc_t *t)
{
    ways_free(&t->mall);
}

/* Returns whether the line was there. */
static bool look_up_and_fill(const sgc_t *t, uint32_t line64)
{
    uint32_t old;
    ways_use(&t->mall, ways_set(&t->mall, line64), line64, &old);
    return old == line64;
}

bool sgc_mall_read(sgc_t *t, uint32_t line64, unsigned lines)
{
    bool all = true;
    for (unsigned k = 0; k < 2; k++)
        if (lines >> k & 1) all &= look_up_and_fill(t, line64 + k);
    return all;
}

void sgc_mall_write(sgc_t *t, uint32_t line64)
{
    look_up_and_fill(t, line64);
}
