/* ways.c - the parts of a tag array that are not worth inlining. */
#include "softgpu/cache/ways.h"

#include <stdlib.h>
#include <string.h>

typedef uint32_t tags4_t __attribute__((vector_size(16), aligned(16), may_alias));
typedef uint64_t pair_t __attribute__((vector_size(16), may_alias));

bool ways_init(ways_t *c, uint32_t sets, uint32_t ways)
{
    c->sets = sets;
    c->ways = ways;
    c->padded = (ways + 3) / 4 * 4;
    c->mask = sets & (sets - 1) ? 0 : sets - 1;
    /* no more tags than a counter can count */
    const bool filtered = ways >= WAYS_FILTERED && (uint64_t)sets * ways < UINT16_MAX;
    if (filtered && !(c->filter = malloc(WAYS_FILTER * sizeof *c->filter))) return false;
    c->tag = aligned_alloc(64, ((size_t)sets * c->padded * sizeof *c->tag + 63) / 64 * 64);
    c->link = malloc((size_t)sets * ways * sizeof *c->link);
    c->end = malloc(sets * sizeof *c->end);
    c->hint = malloc(WAYS_HINTS * sizeof *c->hint);
    if (!c->tag || !c->link || !c->end || !c->hint) return false;
    ways_clear(c);
    return true;
}

void ways_free(ways_t *c)
{
    free(c->tag);
    free(c->link);
    free(c->end);
    free(c->hint);
    free(c->filter);
}

void ways_clear(ways_t *c)
{
    memset(c->tag, 0xff, (size_t)c->sets * c->padded * sizeof *c->tag);
    if (c->filter) memset(c->filter, 0, WAYS_FILTER * sizeof *c->filter);
    memset(c->hint, 0, WAYS_HINTS * sizeof *c->hint);
    for (uint32_t set = 0; set < c->sets; set++) {
        ways_link_t *l = c->link + set * c->ways;
        for (uint32_t way = 0; way < c->ways; way++)
            l[way] = (ways_link_t){(uint8_t)(way + 1), (uint8_t)(way - 1)};
        /* way 0 is filled first */
        c->end[set] = (ways_link_t){(uint8_t)(c->ways - 1), 0};
    }
}

int32_t ways_scan(const ways_t *c, uint32_t set, uint32_t tag)
{
    const uint32_t *t = c->tag + set * c->padded;
    const tags4_t want = {tag, tag, tag, tag};
    for (uint32_t way = 0; way < c->padded; way += 4) {
        const pair_t found = (pair_t)(*(const tags4_t *)(t + way) == want);
        if (!(found[0] | found[1])) continue;
        while (t[way] != tag)
            way++;
        return way < c->ways ? (int32_t)(set * c->ways + way) : WAYS_NO_SLOT;
    }
    return WAYS_NO_SLOT;
}

void ways_remove(ways_t *c, uint32_t slot)
{
    const uint32_t set = slot / c->ways, way = slot % c->ways;
    ways_link_t *l = c->link + set * c->ways, *e = c->end + set;
    uint32_t *tag = &c->tag[set * c->padded + way];
    if (c->filter && *tag != WAYS_EMPTY) c->filter[ways_filter_of(*tag)]--;
    *tag = WAYS_EMPTY;
    if (e->older == way) return;
    const uint8_t newer = l[way].newer, older = l[way].older;
    if (e->newer == way)
        e->newer = older;
    else
        l[newer].older = older;
    l[older].newer = newer;
    l[e->older].older = (uint8_t)way;
    l[way].newer = e->older;
    e->older = (uint8_t)way;
}
