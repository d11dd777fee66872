/* ways.h - a set-associative array of tags with least-recently-used replacement.
 *
 * Every cache and translation buffer of the model has one. A tag is an opaque number: callers keep
 * their data in arrays of their own, indexed by the slot number of the tag. The functions are
 * inline because most of the model's time is spent here. */
#ifndef SOFTGPU_CACHE_WAYS_H
#define SOFTGPU_CACHE_WAYS_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define WAYS_INLINE static inline __attribute__((always_inline))

enum {
    WAYS_BLOCK = 16, /* tags that ways_match() compares at once */
    WAYS_FEW = 16,   /* up to this many ways, one word with 4 bits per way holds the order of use */
    WAYS_CHAINS = 16, /* hash chains per way, so that most are empty or have one way */
    WAYS_NO_WAY = UINT8_MAX,
    WAYS_NO_SLOT = -1
};
#define WAYS_EMPTY UINT32_MAX

/* Links of one way, for sets of many ways. The order of use is a ring, in which the oldest way
 * comes after the newest: to make the oldest way the newest, only ways_t.newest has to change. */
typedef struct {
    uint8_t newer, older;
    uint8_t chained;            /* next way in the same hash chain */
    _Alignas(4) uint32_t chain; /* index, in ways_t.chain, of its chain */
} ways_link_t;

/* After ways_init() only the arrays behind the pointers change. Loops therefore use a local copy of
 * the structure: a compiler knows that stores in the loop do not change it. */
typedef struct {
    uint32_t sets, ways;
    uint32_t padded; /* `ways`, rounded up to a multiple of WAYS_BLOCK: slots of a set */
    uint32_t mask;   /* sets - 1 if the number of sets is a power of two, else 0 */
    uint32_t *tag;   /* [sets * padded] */
    /* at most WAYS_FEW ways: their numbers by age, the newest in the lowest 4 bits */
    uint64_t *order; /* [sets], or NULL */
    uint64_t all;    /* bits of an order that are used */
    /* more ways: a tag is found by its hash */
    ways_link_t *link;    /* [sets * padded] */
    uint8_t *newest;      /* [sets] */
    uint8_t *chain;       /* [sets << chain_bits] first way of each chain, or WAYS_NO_WAY */
    uint32_t chain_bits;  /* logarithm of the number of chains of a set */
    uint32_t chain_shift; /* 32 - chain_bits */
} ways_t;

/* False: out of memory. ways_free() is to be called in either case. */
bool ways_init(ways_t *c, uint32_t sets, uint32_t ways);
void ways_free(ways_t *c);
/* Empties all slots. */
void ways_clear(const ways_t *c);
/* Empties a slot, which becomes the next of its set to be filled. */
void ways_remove(const ways_t *c, uint32_t slot);

/* The number of slots: all slot numbers are below it. */
WAYS_INLINE uint32_t ways_slots(const ways_t *c)
{
    return c->sets * c->padded;
}

WAYS_INLINE uint32_t ways_tag(const ways_t *c, uint32_t slot)
{
    return c->tag[slot];
}

/* The set for an index. */
WAYS_INLINE uint32_t ways_set(const ways_t *c, uint32_t index)
{
    return c->mask ? index & c->mask : index % c->sets;
}

/* Bit n is set if the n-th of the WAYS_BLOCK tags equals `tag`. */
WAYS_INLINE uint32_t ways_match(const uint32_t *block, uint32_t tag)
{
    const __m128i want = _mm_set1_epi32((int)tag), *t = (const __m128i *)block;
    const __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(t[0], want), _mm_cmpeq_epi32(t[1], want));
    const __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(t[2], want), _mm_cmpeq_epi32(t[3], want));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

/* ---- the order of use of few ways ---- */

/* Moves a way to the front of an order; those that were before it go back one place. `zero` marks
 * the place of the way: the subtraction may mark wrong places too, but only above the right one,
 * and zero ^ (zero - 1) depends on the lowest mark alone. */
WAYS_INLINE uint64_t ways_newest(uint64_t order, uint32_t way)
{
    const uint64_t ones = UINT64_C(0x1111111111111111);
    const uint64_t x = order ^ way * ones, zero = (x - ones) & ~x & 8 * ones;
    const uint64_t moved = zero ^ (zero - 1); /* up to the place of the way */
    return (((order << 4 ^ order) & moved) ^ order) | way;
}

/* ---- the order of use of many ways ---- */

WAYS_INLINE uint32_t ways_oldest(const ways_t *c, uint32_t set)
{
    return c->link[set * c->padded + c->newest[set]].newer;
}

/* Moves a way, which is neither the newest nor the oldest, to between those two in the ring. */
WAYS_INLINE void ways_between(const ways_t *c, uint32_t set, uint32_t way)
{
    ways_link_t *l = c->link + set * c->padded;
    const uint8_t newest = c->newest[set], oldest = l[newest].newer;
    const uint8_t newer = l[way].newer, older = l[way].older;
    l[newer].older = older;
    l[older].newer = newer;
    l[newest].newer = l[oldest].older = (uint8_t)way;
    l[way].newer = oldest;
    l[way].older = newest;
}

WAYS_INLINE void ways_relink(const ways_t *c, uint32_t set, uint32_t way)
{
    if (c->newest[set] == way) return;
    if (ways_oldest(c, set) != way) ways_between(c, set, way);
    c->newest[set] = (uint8_t)way;
}

/* ---- hash chains, by which a tag is found among many ways ---- */

WAYS_INLINE uint32_t ways_chain(const ways_t *c, uint32_t set, uint32_t tag)
{
    return (set << c->chain_bits) + (tag * UINT32_C(0x9e3779b1) >> c->chain_shift);
}

WAYS_INLINE uint32_t ways_follow(const ways_t *c, uint32_t first, uint32_t chain, uint32_t tag)
{
    uint32_t way = c->chain[chain];
    while (way != WAYS_NO_WAY && c->tag[first + way] != tag)
        way = c->link[first + way].chained;
    return way;
}

WAYS_INLINE void ways_unchain(const ways_t *c, uint32_t first, uint32_t way)
{
    ways_link_t *l = c->link + first;
    uint8_t *at = &c->chain[l[way].chain];
    while (*at != way)
        at = &l[*at].chained;
    *at = l[way].chained;
}

/* Replaces the oldest tag of the set by one that the set does not have. */
WAYS_INLINE uint32_t ways_replace(const ways_t *c, uint32_t set, uint32_t chain, uint32_t tag,
                                  uint32_t *old)
{
    const uint32_t first = set * c->padded;
    ways_link_t *l = c->link + first;
    const uint32_t way = l[c->newest[set]].newer, slot = first + way;
    *old = c->tag[slot];
    if (*old != WAYS_EMPTY) ways_unchain(c, first, way);
    c->tag[slot] = tag;
    l[way].chain = chain;
    l[way].chained = c->chain[chain];
    c->chain[chain] = (uint8_t)way;
    c->newest[set] = (uint8_t)way;
    return slot;
}

/* Slot of the way at place `newer` in the set's order of use: 0 is the newest. */
WAYS_INLINE uint32_t ways_at(const ways_t *c, uint32_t set, uint32_t newer)
{
    if (c->order) return set * WAYS_BLOCK + (uint32_t)(c->order[set] >> 4 * newer & 15);
    const ways_link_t *l = c->link + set * c->padded;
    uint32_t way = ways_oldest(c, set);
    for (uint32_t n = c->ways - 1; n > newer; n--)
        way = l[way].newer;
    return set * c->padded + way;
}

/* ---- look-ups ---- */

/* Slot of the tag, or WAYS_NO_SLOT. Does not count as a use. */
WAYS_INLINE int32_t ways_look(const ways_t *c, uint32_t set, uint32_t tag)
{
    if (c->order) {
        const uint32_t found = ways_match(c->tag + set * WAYS_BLOCK, tag);
        return found ? (int32_t)(set * WAYS_BLOCK + (uint32_t)__builtin_ctz(found)) : WAYS_NO_SLOT;
    }
    const uint32_t first = set * c->padded;
    const uint32_t way = ways_follow(c, first, ways_chain(c, set, tag), tag);
    return way == WAYS_NO_WAY ? WAYS_NO_SLOT : (int32_t)(first + way);
}

/* Slot of the tag, or WAYS_NO_SLOT. A tag that is found becomes the newest of its set. */
WAYS_INLINE int32_t ways_find(const ways_t *c, uint32_t set, uint32_t tag)
{
    const int32_t slot = ways_look(c, set, tag);
    if (slot < 0) return slot;
    const uint32_t way = (uint32_t)slot - set * c->padded;
    if (c->order)
        c->order[set] = ways_newest(c->order[set], way);
    else
        ways_relink(c, set, way);
    return slot;
}

/* Replaces the oldest tag of the set by one that the set does not have, and makes that the newest.
 * Returns its slot; *old is the tag that was replaced, or WAYS_EMPTY. */
WAYS_INLINE uint32_t ways_insert(const ways_t *c, uint32_t set, uint32_t tag, uint32_t *old)
{
    if (!c->order) return ways_replace(c, set, ways_chain(c, set, tag), tag, old);
    const uint64_t order = c->order[set], oldest = order >> 4 * (c->ways - 1);
    const uint32_t slot = set * WAYS_BLOCK + (uint32_t)oldest;
    c->order[set] = (order << 4 & c->all) | oldest;
    *old = c->tag[slot];
    c->tag[slot] = tag;
    return slot;
}

/* ways_find(), or ways_insert() if the set does not have the tag. *old is the tag that the slot
 * held before: `tag` itself if the set had it, or WAYS_EMPTY. */
WAYS_INLINE uint32_t ways_use(const ways_t *c, uint32_t set, uint32_t tag, uint32_t *old)
{
    if (c->order) {
        const uint32_t found = ways_match(c->tag + set * WAYS_BLOCK, tag);
        if (!found) return ways_insert(c, set, tag, old);
        const uint32_t way = (uint32_t)__builtin_ctz(found);
        c->order[set] = ways_newest(c->order[set], way);
        *old = tag;
        return set * WAYS_BLOCK + way;
    }
    const uint32_t first = set * c->padded, chain = ways_chain(c, set, tag);
    const uint32_t way = ways_follow(c, first, chain, tag);
    if (way == WAYS_NO_WAY) return ways_replace(c, set, chain, tag, old);
    ways_relink(c, set, way);
    *old = tag;
    return first + way;
}

#endif
