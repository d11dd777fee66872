/* ways.h - one set-associative array of tags with least-recently-used replacement.
 *
 * Every cache and translation buffer of the model is one. Apart because it is the hot part and
 * knows nothing of what a tag means: users hang their own data on `slot` numbers. */
#ifndef SOFTGPU_CACHE_WAYS_H
#define SOFTGPU_CACHE_WAYS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WAYS_MAX = 128,
    WAYS_HINTS = 256,
    WAYS_FILTER = 2048, /* counters that tell most absent tags without a look at the set */
    WAYS_FILTERED = 32, /* ways from which on that is worth while */
    WAYS_NO_SLOT = -1
};
#define WAYS_EMPTY UINT32_MAX

/* Links of one way in the order of use of its set. */
typedef struct {
    uint8_t newer, older;
} ways_link_t;

typedef struct {
    uint32_t sets, ways;
    uint32_t padded;   /* tags of a set in memory: a multiple of 4, the rest empty */
    uint32_t mask;     /* sets - 1 if that is a mask, else 0 */
    uint32_t *tag;     /* [sets * padded] */
    ways_link_t *link; /* [sets * ways] */
    ways_link_t *end;  /* [sets]: newest, oldest */
    int32_t *hint;     /* [WAYS_HINTS] the slot where a tag was seen last */
    uint16_t *filter;  /* [WAYS_FILTER] how many tags there are with a hash, or NULL */
} ways_t;

/* False: no memory; free is still due. */
bool ways_init(ways_t *c, uint32_t sets, uint32_t ways);
void ways_free(ways_t *c);
/* Forgets everything. */
void ways_clear(ways_t *c);
/* Scans a set for the tag; for ways_find() only. */
int32_t ways_scan(const ways_t *c, uint32_t set, uint32_t tag);

static inline uint32_t ways_hint_of(uint32_t tag)
{
    return (tag * UINT32_C(0x9e3779b1)) >> 24;
}

static inline uint32_t ways_filter_of(uint32_t tag)
{
    return (tag * UINT32_C(0x9e3779b1)) >> 21;
}

/* The set that an index falls into. */
static inline uint32_t ways_set(const ways_t *c, uint32_t index)
{
    return c->mask ? index & c->mask : index % c->sets;
}

/* Makes the way the newest of its set. */
static inline void ways_use(ways_t *c, uint32_t set, uint32_t way)
{
    ways_link_t *l = c->link + set * c->ways, *e = c->end + set;
    if (e->newer == way) return;
    const uint8_t newer = l[way].newer, older = l[way].older;
    if (e->older == way)
        e->older = newer;
    else
        l[older].newer = newer;
    l[newer].older = older;
    l[e->newer].newer = (uint8_t)way;
    l[way].older = e->newer;
    e->newer = (uint8_t)way;
}

/* Slot of the tag (set * ways + way), now the newest of its set, or WAYS_NO_SLOT. */
static inline int32_t ways_find(ways_t *c, uint32_t set, uint32_t tag)
{
    int32_t *hint = c->hint + ways_hint_of(tag);
    int32_t slot = *hint;
    uint32_t way = (uint32_t)slot - set * c->ways;
    if (way >= c->ways || c->tag[set * c->padded + way] != tag) {
        if (c->filter && !c->filter[ways_filter_of(tag)]) return WAYS_NO_SLOT;
        slot = ways_scan(c, set, tag);
        if (slot < 0) return slot;
        way = (uint32_t)slot - set * c->ways;
        *hint = slot;
    }
    ways_use(c, set, way);
    return slot;
}

/* Whether a tag is there; the order of use stays as it is. */
static inline bool ways_has(const ways_t *c, uint32_t set, uint32_t tag)
{
    if (c->filter && !c->filter[ways_filter_of(tag)]) return false;
    return ways_scan(c, set, tag) >= 0;
}

/* Puts a tag that is not there in place of the oldest and makes it the newest. Its slot; what was
 * there in *old, WAYS_EMPTY if nothing. */
static inline int32_t ways_insert(ways_t *c, uint32_t set, uint32_t tag, uint32_t *old)
{
    const uint32_t way = c->end[set].older;
    uint32_t *t = c->tag + set * c->padded + way;
    const int32_t slot = (int32_t)(set * c->ways + way);
    *old = *t;
    *t = tag;
    if (c->filter) {
        c->filter[ways_filter_of(tag)]++;
        if (*old != WAYS_EMPTY) c->filter[ways_filter_of(*old)]--;
    }
    c->hint[ways_hint_of(tag)] = slot;
    ways_use(c, set, way);
    return slot;
}

static inline uint32_t ways_tag(const ways_t *c, uint32_t slot)
{
    return c->tag[slot / c->ways * c->padded + slot % c->ways];
}

/* Empties a slot; it is the next of its set to be filled. */
void ways_remove(ways_t *c, uint32_t slot);

#endif
