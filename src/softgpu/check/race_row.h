/* race_row.h - the shadow words of four dwords at a time, with AVX2.
 *
 * Only if race_rows is true may a caller use them. */
#ifndef SOFTGPU_CHECK_RACE_ROW_H
#define SOFTGPU_CHECK_RACE_ROW_H

#include "softgpu/check/race.h"

#include <immintrin.h>

typedef uint64_t race_row_t __attribute__((vector_size(32), aligned(8), may_alias));

#define RACE_ROW __attribute__((target("avx2"), always_inline)) static inline

RACE_ROW bool race_row_any(race_row_t r)
{
    return !_mm256_testz_si256((__m256i)r, (__m256i)r);
}

/* Whether all words of the rows, a multiple of four rows, match `word` in the bits of the mask
 * `bits`. */
RACE_ROW bool race_row_all(const race_row_t *row, unsigned rows, uint64_t word, race_row_t bits)
{
    for (const race_row_t *end = row + rows; row < end; row += 4) {
        const race_row_t differ =
            (row[0] ^ word) | (row[1] ^ word) | (row[2] ^ word) | (row[3] ^ word);
        if (!_mm256_testz_si256((__m256i)differ, (__m256i)bits)) return false;
    }
    return true;
}

/* Removes from *to_do the words that do not differ in `bits`; `differ` is the XOR of old and new
 * words. False: none is left. */
RACE_ROW bool race_row_left(race_row_t *to_do, race_row_t differ, uint64_t bits)
{
    *to_do &= (race_row_t)((differ & bits) != 0);
    return race_row_any(*to_do);
}

/* Stores the words whose element in `to_do` is all ones. Other words are not even written with
 * their old value, since another thread may be changing them. A whole row is stored without a mask,
 * since masked stores are slow on some hosts. */
RACE_ROW void race_row_set(race_row_t *to, race_row_t word, race_row_t to_do)
{
    if (!race_row_any(~to_do))
        *to = word;
    else
        _mm256_maskstore_epi64((long long *)to, (__m256i)to_do, (__m256i)word);
}

/* ---- the rows that an access of all lanes touches ---- */

typedef struct {
    const race_row_t *readers; /* read words, from the first lane's on */
    uint64_t mine, again;      /* word of the access without the lane; the mask of race_again() */
    race_row_t used;           /* which dwords of a row are accessed, as a mask */
    unsigned rows, shift;      /* lanes are 1 << shift dwords apart */
    /* the present row: its number, read words, words to store, and in which places */
    unsigned k;
    race_row_t read, word, to_do;
    race_row_t next; /* words to store of the row behind it */
} race_rows_t;

/* Lanes are 1 << shift dwords apart, and each accesses its first `n` dwords. */
RACE_ROW race_rows_t race_rows_of(const race_access_t *x, const race_row_t *readers, unsigned n,
                                  unsigned shift)
{
    const race_row_t dword = {0, 1, 2, 3};
    return (race_rows_t){.readers = readers,
                         .mine = x->word | RACE_MASK_BITS,
                         .again = x->again,
                         .used = (race_row_t)((dword & ((UINT64_C(1) << shift) - 1)) < n),
                         .rows = (ISA_LANES / 4) << shift,
                         .shift = shift,
                         .k = ~0u,
                         .next = (dword >> shift) << RACE_LANE_SHIFT | x->word | RACE_MASK_BITS};
}

/* Whether the access is a read that is redundant in all lanes. */
RACE_ROW bool race_rows_again(const race_rows_t *r)
{
    return r->again && race_row_all(r->readers, r->rows, r->mine, r->used & r->again);
}

/* What the words of a row have more than those of the row before it. */
static inline uint64_t race_rows_step(const race_rows_t *r)
{
    return (uint64_t)(4u >> r->shift) << RACE_LANE_SHIFT;
}

/* Advances to the next row that is not redundant. False: there is none. */
RACE_ROW bool race_rows_next(race_rows_t *r)
{
    while (++r->k < r->rows) {
        r->read = r->readers[r->k];
        r->to_do = r->used;
        r->word = r->next;
        r->next += race_rows_step(r);
        if (r->again && !race_row_left(&r->to_do, r->read ^ r->mine, r->again)) continue;
        return true;
    }
    return false;
}

/* Stores the words of all rows at `to`, where every dword is accessed. race_rows_next() finds no
 * row after that. */
RACE_ROW void race_rows_fill(race_rows_t *r, race_row_t *to)
{
    for (const race_row_t *end = to + r->rows; to < end; to++) {
        *to = r->next;
        r->next += race_rows_step(r);
    }
    r->k = r->rows;
}

/* The lanes whose dwords are in the present row. */
static inline uint64_t race_rows_lanes(const race_rows_t *r)
{
    const unsigned n = 4u >> r->shift;
    return ((UINT64_C(1) << (n ? n : 1)) - 1) << (4 * r->k >> r->shift);
}

/* Whether the host has AVX2, as the choice of the executor's core implies. Set once, before any
 * wave is checked. */
extern bool race_rows;

/* True if the access suits rows: all lanes are active, and their elements are whole dwords, 1 <<
 * *shift dwords apart (at most 4). */
static inline bool race_row_even(const sgc_lanes_t *a, unsigned *shift)
{
    const bool fits = a->step == 4 || a->step == 8 || a->step == 16;
    if (!a->even || !fits || !a->bytes || a->bytes % 4 || a->bytes > a->step || a->va[0] % 4)
        return false;
    *shift = (unsigned)__builtin_ctz(a->step / 4);
    return race_rows;
}

/* Skips the lanes, from the first on, whose read is redundant; `again` is the mask of race_again().
 * `readers`: read words of the `bytes` bytes from `base` on. */
static inline uint64_t race_not_again(const sgc_lanes_t *a, uint64_t lanes, const uint64_t *readers,
                                      uint64_t base, uint64_t bytes, uint64_t word, uint64_t again)
{
    uint64_t last = UINT64_MAX;
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t at = a->va[__builtin_ctzll(lanes)] - base;
        uint64_t differ = 0;
        if (at == last) continue;
        if (at % 4 || at >= bytes || bytes - at < a->bytes) break;
        for (uint64_t d = at / 4; d < (at + a->bytes) / 4; d++)
            differ |= __atomic_load_n(&readers[d], __ATOMIC_RELAXED) ^ word;
        if (differ & again) break;
        last = at;
    }
    return lanes;
}

#endif
