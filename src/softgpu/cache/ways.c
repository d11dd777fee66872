/* ways.c - the functions of a tag array (ways.h) that are called too seldom to be inlined. */
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
    while (1u << c->chain_bits < WAYS_CHAINS * c->ways)
        c->chain_bits++;
    c->chain_shift = 32 - c->chain_bits;
    c->link = malloc((size_t)ways_slots(c) * sizeof *c->link);
    c->newest = malloc(c->sets * sizeof *c->newest);
    c->chain = malloc((size_t)c->sets << c->chain_bits);
    return c->link && c->newest && c->chain;
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
    free(c->newest);
    free(c->chain);
}

/* Resets the order of use so that way 0 is filled first. */
static void clear_order(const ways_t *c)
{
    uint64_t order = 0;
    for (uint32_t way = 0; way < c->ways; way++)
        order = order << 4 | way;
    for (uint32_t set = 0; set < c->sets; set++)
        c->order[set] = order;
}

static void clear_links(const ways_t *c)
{
    memset(c->chain, WAYS_NO_WAY, (size_t)c->sets << c->chain_bits);
    for (uint32_t set = 0; set < c->sets; set++) {
        ways_link_t *l = c->link + set * c->padded;
        for (uint32_t way = 0; way < c->ways; way++) {
            l[way].newer = (uint8_t)((way + 1) % c->ways);
            l[way].older = (uint8_t)((way + c->ways - 1) % c->ways);
        }
        c->newest[set] = (uint8_t)(c->ways - 1);
    }
}

void ways_clear(const ways_t *c)
{
    memset(c->tag, 0xff, (size_t)ways_slots(c) * sizeof *c->tag);
    if (c->order)
        clear_order(c);
    else
        clear_links(c);
}

static void oldest(const ways_t *c, uint32_t set, uint32_t way)
{
    const uint64_t order = ways_newest(c->order[set], way);
    c->order[set] = order >> 4 | (uint64_t)way << 4 * (c->ways - 1);
}

static void link_oldest(const ways_t *c, uint32_t set, uint32_t way)
{
    if (c->newest[set] == way)
        c->newest[set] = c->link[set * c->padded + way].older;
    else if (ways_oldest(c, set) != way)
        ways_between(c, set, way);
}

void ways_remove(const ways_t *c, uint32_t slot)
{
    const uint32_t set = slot / c->padded, way = slot % c->padded;
    uint32_t *tag = &c->tag[slot];
    if (c->chain && *tag != WAYS_EMPTY) ways_unchain(c, set * c->padded, way);
    *tag = WAYS_EMPTY;
    if (c->order)
        oldest(c, set, way);
    else
        link_oldest(c, set, way);
}
