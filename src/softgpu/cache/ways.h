/* ways.h - one set-associative array of tags with least-recently-used replacement.
 *
 * Every cache and translation buffer of the model is one. Apart because it is the hot part and
 * knows nothing of what a tag means: users hang their own data on `slot` numbers. */
#ifndef SOFTGPU_CACHE_WAYS_H
#define SOFTGPU_CACHE_WAYS_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    WAYS_MAX = 128,
    WAYS_BLOCK = 16, /* tags that are compared at once */
    WAYS_FEW = 16,   /* ways of which a word of 4 bits each holds the order of use */
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
    uint32_t padded; /* tags of a set in memory: a multiple of WAYS_BLOCK, the rest empty */
    uint32_t mask;   /* sets - 1 if that is a mask, else 0 */
    uint32_t *tag;   /* [sets * padded] */
    /* few ways: their numbers by age, the newest in the lowest 4 bits */
    uint64_t *order; /* [sets], or NULL */
    uint64_t all;    /* the bits of it that are used */
    /* many ways */
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
/* Scans a set for the tag; the order of use stays as it is. Slot or WAYS_NO_SLOT. */
int32_t ways_scan(const ways_t *c, uint32_t set, uint32_t tag);
/* Empties a slot; it is the next of its set to be filled. */
void ways_remove(ways_t *c, uint32_t slot);

/* Slots are numbered below this. */
static inline uint32_t ways_slots(const ways_t *c)
{
    return c->sets * c->padded;
}

static inline uint32_t ways_tag(const ways_t *c, uint32_t slot)
{
    return c->tag[slot];
}

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

/* Bit n: the n-th of WAYS_BLOCK tags is this one. */
static inline uint32_t ways_match(const uint32_t *block, uint32_t tag)
{
    const __m128i want = _mm_set1_epi32((int)tag), *t = (const __m128i *)block;
    const __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(t[0], want), _mm_cmpeq_epi32(t[1], want));
    const __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(t[2], want), _mm_cmpeq_epi32(t[3], want));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

/* ---- the order of use of few ways ---- */

/* The lowest bit of the place where a way stands in the order. Borrows of the subtraction reach
 * only places above the first that is found. */
static inline uint64_t ways_place(uint64_t order, uint32_t way)
{
    const uint64_t ones = UINT64_C(0x1111111111111111);
    const uint64_t x = order ^ way * ones, zero = (x - ones) & ~x & 8 * ones;
    return (zero & -zero) >> 3;
}

static inline uint64_t ways_newest(uint64_t order, uint32_t way)
{
    const uint64_t place = ways_place(order, way), below = place - 1, here = place * 15;
    return (order & ~(below | here)) | (order & below) << 4 | way;
}

/* ---- the order of use of many ---- */

static inline void ways_relink(ways_t *c, uint32_t set, uint32_t way)
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

/* ---- look-ups ---- */

static inline int32_t ways_find_many(ways_t *c, uint32_t set, uint32_t tag)
{
    int32_t *hint = c->hint + ways_hint_of(tag);
    int32_t slot = *hint;
    uint32_t way = (uint32_t)slot - set * c->padded;
    if (way >= c->ways || c->tag[slot] != tag) {
        if (c->filter && !c->filter[ways_filter_of(tag)]) return WAYS_NO_SLOT;
        slot = ways_scan(c, set, tag);
        if (slot < 0) return slot;
        way = (uint32_t)slot - set * c->padded;
        *hint = slot;
    }
    ways_relink(c, set, way);
    return slot;
}

/* Slot of the tag (less than ways_slots()), now the newest of its set, or WAYS_NO_SLOT. */
static inline int32_t ways_find(ways_t *c, uint32_t set, uint32_t tag)
{
    if (!c->order) return ways_find_many(c, set, tag);
    const uint32_t found = ways_match(c->tag + set * WAYS_BLOCK, tag);
    if (!found) return WAYS_NO_SLOT;
    const uint32_t way = (uint32_t)__builtin_ctz(found);
    c->order[set] = ways_newest(c->order[set], way);
    return (int32_t)(set * WAYS_BLOCK + way);
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
    if (c->order) {
        const uint64_t order = c->order[set];
        const uint32_t slot = set * WAYS_BLOCK + (uint32_t)(order >> 4 * (c->ways - 1));
        c->order[set] = (order << 4 & c->all) | order >> 4 * (c->ways - 1);
        *old = c->tag[slot];
        c->tag[slot] = tag;
        return (int32_t)slot;
    }
    const uint32_t way = c->end[set].older, slot = set * c->padded + way;
    *old = c->tag[slot];
    c->tag[slot] = tag;
    if (c->filter) {
        c->filter[ways_filter_of(tag)]++;
        if (*old != WAYS_EMPTY) c->filter[ways_filter_of(*old)]--;
    }
    c->hint[ways_hint_of(tag)] = (int32_t)slot;
    ways_relink(c, set, way);
    return (int32_t)slot;
}

#endif
