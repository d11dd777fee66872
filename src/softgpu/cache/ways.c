/* ways.c - the parts of a tag array that are not worth inlining. */
#include "softgpu/cache/ways.h"

#include <stdlib.h>
#include <string.h>

static bool init_order(ways_t *c)
{
    c->all = ~UINT64_C(0) >> 4 * (WAYS_FEW - c->ways);
    c->order = malloc(c->sets * sizeof *c->order);
    return c->order != NULL;
}

static bool init_links(ways_t *c)
{
    /* no more tags than a counter can count */
    const bool filtered = c->ways >= WAYS_FILTERED && (uint64_t)c->sets * c->ways < UINT16_MAX;
    if (filtered && !(c->filter = malloc(WAYS_FILTER * sizeof *c->filter))) return false;
    c->link = malloc((size_t)c->sets * c->ways * sizeof *c->link);
    c->end = malloc(c->sets * sizeof *c->end);
    c->hint = malloc(WAYS_HINTS * sizeof *c->hint);
    return c->link && c->end && c->hint;
}

bool ways_init(ways_t *c, uint32_t sets, uint32_t ways)
{
    c->sets = sets;
    c->ways = ways;
    c->padded = (ways + WAYS_BLOCK - 1) / WAYS_BLOCK * WAYS_BLOCK;
    c->mask = sets & (sets - 1) ? 0 : sets - 1;
    c->tag = aligned_alloc(64, (size_t)ways_slots(c) * sizeof *c->tag);
    if (!c->tag || !(ways <= WAYS_FEW ? init_order(c) : init_links(c))) return false;
    ways_clear(c);
    return true;
}

void ways_free(ways_t *c)
{
    free(c->tag);
    free(c->order);
    free(c->link);
    free(c->end);
    free(c->hint);
    free(c->filter);
}

/* Way 0 is filled first. */
static void clear_order(ways_t *c)
{
    uint64_t order = 0;
    for (uint32_t way = 0; way < c->ways; way++)
        order = order << 4 | way;
    for (uint32_t set = 0; set < c->sets; set++)
        c->order[set] = order;
}

static void clear_links(ways_t *c)
{
    if (c->filter) memset(c->filter, 0, WAYS_FILTER * sizeof *c->filter);
    memset(c->hint, 0, WAYS_HINTS * sizeof *c->hint);
    for (uint32_t set = 0; set < c->sets; set++) {
        ways_link_t *l = c->link + set * c->ways;
        for (uint32_t way = 0; way < c->ways; way++)
            l[way] = (ways_link_t){(uint8_t)(way + 1), (uint8_t)(way - 1)};
        c->end[set] = (ways_link_t){(uint8_t)(c->ways - 1), 0};
    }
}

void ways_clear(ways_t *c)
{
    memset(c->tag, 0xff, (size_t)ways_slots(c) * sizeof *c->tag);
    if (c->order)
        clear_order(c);
    else
        clear_links(c);
}

int32_t ways_scan(const ways_t *c, uint32_t set, uint32_t tag)
{
    const uint32_t first = set * c->padded;
    for (uint32_t block = 0; block < c->padded; block += WAYS_BLOCK) {
        const uint32_t found = ways_match(c->tag + first + block, tag);
        if (found) return (int32_t)(first + block + (uint32_t)__builtin_ctz(found));
    }
    return WAYS_NO_SLOT;
}

static void oldest(ways_t *c, uint32_t set, uint32_t way)
{
    const uint64_t order = c->order[set], place = ways_place(order, way), below = place - 1;
    const uint64_t above = order & ~(below | place * 15);
    c->order[set] = (order & below) | above >> 4 | (uint64_t)way << 4 * (c->ways - 1);
}

static void link_oldest(ways_t *c, uint32_t set, uint32_t way)
{
    ways_link_t *l = c->link + set * c->ways, *e = c->end + set;
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

void ways_remove(ways_t *c, uint32_t slot)
{
    const uint32_t set = slot / c->padded, way = slot % c->padded;
    uint32_t *tag = &c->tag[slot];
    if (c->filter && *tag != WAYS_EMPTY) c->filter[ways_filter_of(*tag)]--;
    *tag = WAYS_EMPTY;
    if (c->order)
        oldest(c, set, way);
    else
        link_oldest(c, set, way);
}
