/* numbers.h - a hash table from keys to numbers. A key is an id, or the address of a text.
 *
 * Several formats write a name once and then refer to it by its number. Keys cannot be removed. */
#ifndef CROCPROF_MODEL_NUMBERS_H
#define CROCPROF_MODEL_NUMBERS_H

#include "base/golden.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t key, number; /* `number` 0: the row is unused */
} out_number_t;

typedef struct {
    out_number_t *rows; /* their number is a power of two */
    size_t count, room;
} out_numbers_t;

/* Spreads a number over all 64 bits (the finaliser of splitmix64). */
static inline uint64_t out_mix(uint64_t x)
{
    x += BASE_GOLDEN;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline out_number_t *out_numbers_place(const out_numbers_t *n, uint64_t key)
{
    size_t at = (size_t)out_mix(key) & (n->room - 1);
    while (n->rows[at].number && n->rows[at].key != key)
        at = (at + 1) & (n->room - 1);
    return &n->rows[at];
}

/* Returns the number of a key; 0 if it has none. */
static inline uint64_t out_numbers_get(const out_numbers_t *n, uint64_t key)
{
    return n->room ? out_numbers_place(n, key)->number : 0;
}

/* Adds a key that has no number yet; the number must not be 0. Returns false when out of memory. */
static inline int out_numbers_set(out_numbers_t *n, uint64_t key, uint64_t number)
{
    if (2 * n->count >= n->room) {
        out_numbers_t more = {.room = n->room ? 2 * n->room : 256};
        more.rows = calloc(more.room, sizeof(*more.rows));
        if (!more.rows) return 0;
        for (size_t i = 0; i < n->room; i++)
            if (n->rows[i].number) *out_numbers_place(&more, n->rows[i].key) = n->rows[i];
        more.count = n->count;
        free(n->rows);
        *n = more;
    }
    *out_numbers_place(n, key) = (out_number_t){key, number};
    n->count++;
    return 1;
}

/* Returns a key for an object that several numbers of one `kind` identify. The key is a hash: among
 * a million different objects, two have the same key once in 37 million runs. */
static inline uint64_t out_numbers_key(uint64_t kind, const uint64_t *parts, size_t count)
{
    uint64_t key = out_mix(kind);
    for (size_t i = 0; i < count; i++)
        key = out_mix(key ^ parts[i]);
    return key;
}

static inline uint64_t out_hash(const char *text)
{
    return base_hash64(BASE_HASH64, text, strlen(text));
}

static inline uint64_t out_key(const void *text)
{
    return (uint64_t)(uintptr_t)text;
}

#endif
