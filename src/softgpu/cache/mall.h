/* mall.h - the cache of memory behind the L2s of all XCCs (MALL; AMD calls it Infinity Cache).
 *
 * It stands in front of the GPU's own memory, whoever reads or writes that: one for the whole GPU.
 * Reads and writes below L2 fill it. Memory has the data of its lines: a line that is replaced
 * needs no transaction, and no fence and no packet empties it. Its tags take 18 MiB of the host for
 * an MI350X's 256 MiB, which sgc_create() writes. */
#ifndef SOFTGPU_CACHE_MALL_H
#define SOFTGPU_CACHE_MALL_H

#include "softgpu/cache/model.h"

bool sgc_mall_init(sgc_t *t);
void sgc_mall_free(sgc_t *t);

/* One transaction below L2 reads some of the two lines `line64` and `line64` + 1, bit n of `lines`
 * the n-th, and fills them. Returns whether all of them were there. */
bool sgc_mall_read(sgc_t *t, uint32_t line64, unsigned lines);
/* A transaction writes the line, or a part of it, and fills it. */
void sgc_mall_write(sgc_t *t, uint32_t line64);

/* Whether the GPU has a MALL whose latency is known. Where it has none, each read of the GPU's own
 * memory takes vram_latency. */
static inline bool sgc_has_mall(const sgc_t *t)
{
    return __builtin_expect(t->mall.sets != 0, 0);
}

#endif
