/* numbers.h - a number for each key: texts by their address, or ids.
 *
 * Apart because several formats write a name once and its number ever after. A hash table; keys are
 * never taken out. */
#ifndef CROCPROF_MODEL_NUMBERS_H
#define CROCPROF_MODEL_NUMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint64_t key, number; /* number 0: free */
} out_number_t;

typedef struct {
    out_number_t *rows; /* their number is a power of two */
    size_t count, room;
} out_numbers_t;

/* Spreads a number over all 64 bits (the finaliser of splitmix64). */
static inline uint64_t out_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
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

/* 0 for a key without a number. */
static inline uint64_t out_numbers_get(const out_numbers_t *n, uint64_t key)
{
    return n->room ? out_numbers_place(n, key)->number : 0;
}

/* Gives a key without a number one that is not 0. False when out of memory. */
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

/* FNV-1a of a text. */
static inline uint64_t out_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

static inline uint64_t out_key(const void *text)
{
    return (uint64_t)(uintptr_t)text;
}

#endif
