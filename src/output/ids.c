/* ids.c - see ids.h. */
#include "output/ids.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_IDS = 4096, BLOCK_WORDS = BLOCK_IDS / 64, BLOCKS_MAX = 1 << 16 };

struct out_ids_block {
    uint64_t key, before; /* ids of smaller blocks */
    uint64_t bits[BLOCK_WORDS];
    uint16_t words_before[BLOCK_WORDS]; /* ids of smaller words of the block */
};

/* False when out of memory; with `given_up` there is no block. */
static bool new_block(out_ids_t *s, uint64_t key)
{
    if (s->count == BLOCKS_MAX) {
        s->given_up = true;
        return true;
    }
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 16;
        out_ids_block_t *blocks = realloc(s->blocks, room * sizeof(*blocks));
        if (!blocks) return false;
        s->blocks = blocks;
        s->room = room;
    }
    memset(&s->blocks[s->count], 0, sizeof(*s->blocks));
    s->blocks[s->count++].key = key;
    return out_numbers_set(&s->places, key, s->count);
}

/* NULL if there is no block of the key. */
static inline out_ids_block_t *find(out_ids_t *s, uint64_t key)
{
    uint32_t *recent = &s->recent[key % OUT_RECENT];
    if (*recent && s->blocks[*recent - 1].key == key) return &s->blocks[*recent - 1];
    uint64_t place = out_numbers_get(&s->places, key);
    if (!place) return NULL;
    *recent = (uint32_t)place;
    return &s->blocks[place - 1];
}

bool out_ids_add(out_ids_t *s, uint64_t id)
{
    uint64_t key = id / BLOCK_IDS;
    if (!id || s->given_up) return true;
    out_ids_block_t *b = find(s, key);
    if (!b) {
        if (!new_block(s, key)) return false;
        if (s->given_up) return true;
        b = &s->blocks[s->count - 1];
    }
    b->bits[id % BLOCK_IDS / 64] |= UINT64_C(1) << id % 64;
    return true;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const out_ids_block_t *)a)->key, y = ((const out_ids_block_t *)b)->key;
    return x < y ? -1 : x > y;
}

bool out_ids_ready(out_ids_t *s)
{
    uint64_t before = 0;
    if (s->count) qsort(s->blocks, s->count, sizeof(*s->blocks), by_key);
    free(s->places.rows);
    s->places = (out_numbers_t){0};
    memset(s->recent, 0, sizeof(s->recent));
    for (size_t i = 0; i < s->count; i++) {
        out_ids_block_t *b = &s->blocks[i];
        if (!out_numbers_set(&s->places, b->key, i + 1)) return false;
        b->before = before;
        for (unsigned word = 0; word < BLOCK_WORDS; word++) {
            b->words_before[word] = (uint16_t)(before - b->before);
            before += (uint64_t)__builtin_popcountll(b->bits[word]);
        }
    }
    return true;
}

/* Without the instruction the compiler calls a function for it. */
static unsigned count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

uint64_t out_ids_place(out_ids_t *s, uint64_t id)
{
    if (!id || s->given_up) return id;
    const out_ids_block_t *b = find(s, id / BLOCK_IDS);
    if (!b) return id;
    unsigned word = id % BLOCK_IDS / 64;
    uint64_t place = b->before + b->words_before[word] + 1;
    return place + count_bits(b->bits[word] & ((UINT64_C(1) << id % 64) - 1));
}

void out_ids_free(out_ids_t *s)
{
    free(s->blocks);
    free(s->places.rows);
}
