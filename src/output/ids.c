/* ids.c - see ids.h. */
#include "output/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { BLOCK_IDS = 4096, BLOCK_WORDS = BLOCK_IDS / 64, MAPS_MAX = 1 << 16, NO_MAP = -1 };

/* Most blocks are full in the end. A full block has no map, so memory stays small even for very
 * many records. */
struct out_ids_block {
    uint64_t key, before; /* `before`: number of ids in blocks with smaller keys */
    uint32_t count;
    int32_t map; /* NO_MAP: the block is full */
};

struct out_ids_map {
    uint64_t bits[BLOCK_WORDS];
    uint16_t words_before[BLOCK_WORDS]; /* number of ids in the block's smaller words */
    int32_t next_free;
};

/* Makes a map. Returns false when out of memory; if it has set `given_up`, there is no map. */
static bool new_map(out_ids_t *s, int32_t *map)
{
    if (s->map_count == MAPS_MAX && s->free_map == 0) {
        s->given_up = true;
        return true;
    }
    if (s->free_map) {
        *map = s->free_map - 1;
        s->free_map = s->maps[*map].next_free;
    } else {
        if (!BASE_GROW_BY_ONE(s->maps, s->map_count)) return false;
        *map = (int32_t)s->map_count++;
    }
    memset(&s->maps[*map], 0, sizeof(*s->maps));
    return true;
}

static void free_map(out_ids_t *s, out_ids_block_t *b)
{
    s->maps[b->map].next_free = s->free_map;
    s->free_map = b->map + 1;
    b->map = NO_MAP;
}

/* Makes a block. Returns false when out of memory; if `given_up` is set, there is no block. */
static bool new_block(out_ids_t *s, uint64_t key)
{
    out_ids_block_t b = {.key = key};
    if (!new_map(s, &b.map)) return false;
    if (s->given_up) return true;
    if (!BASE_GROW_BY_ONE(s->blocks, s->count)) return false;
    s->blocks[s->count++] = b;
    return out_numbers_set(&s->places, key, s->count);
}

/* __builtin_popcountll is not used because it is a function call, unless the compiler may use the
 * instruction. */
static unsigned count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

/* Returns the block of a key; NULL if there is none. */
static out_ids_block_t *find(out_ids_t *s, uint64_t key)
{
    uint32_t *recent = &s->recent[key % OUT_RECENT];
    if (!*recent || s->blocks[*recent - 1].key != key) {
        uint64_t place = out_numbers_get(&s->places, key);
        if (!place) return NULL;
        *recent = (uint32_t)place;
    }
    s->last_key = key;
    s->last = *recent;
    return &s->blocks[s->last - 1];
}

/* Finds or makes the block; if `given_up` is set, there may be none. */
static bool need_block(out_ids_t *s, uint64_t key)
{
    return find(s, key) || (new_block(s, key) && (s->given_up || find(s, key)));
}

/* Adds `count` ids from `id` on, all of which are in one block. Returns false when out of
 * memory. */
static bool put_in_block(out_ids_t *s, uint64_t id, uint64_t count)
{
    if (!need_block(s, id / BLOCK_IDS)) return false;
    if (s->given_up) return true;
    out_ids_block_t *b = &s->blocks[s->last - 1];
    if (b->map == NO_MAP) return true;
    for (uint64_t some; count; count -= some, id += some) {
        uint64_t *word = &s->maps[b->map].bits[id % BLOCK_IDS / 64];
        some = 64 - id % 64;
        if (some > count) some = count;
        const uint64_t bits = UINT64_MAX >> (64 - some) << id % 64;
        b->count += count_bits(bits & ~*word);
        *word |= bits;
    }
    if (b->count == BLOCK_IDS) free_map(s, b);
    return true;
}

static bool put_run(out_ids_t *s)
{
    bool room = true;
    for (uint64_t some; room && s->run_count && !s->given_up; s->run_count -= some) {
        some = BLOCK_IDS - s->run % BLOCK_IDS;
        if (some > s->run_count) some = s->run_count;
        room = put_in_block(s, s->run, some);
        s->run += some;
    }
    s->run_count = 0;
    return room;
}

bool out_ids_new_run(out_ids_t *s, uint64_t id)
{
    if (!id) return true;
    if (!put_run(s)) return false;
    s->run = id;
    s->run_count = 1;
    return true;
}

static void merge_block(out_ids_t *s, const out_ids_t *other, const out_ids_block_t *from)
{
    out_ids_block_t *b = &s->blocks[s->last - 1];
    if (b->map == NO_MAP) return;
    out_ids_map_t *map = &s->maps[b->map];
    b->count = 0;
    for (unsigned word = 0; word < BLOCK_WORDS; word++) {
        map->bits[word] |= from->map == NO_MAP ? UINT64_MAX : other->maps[from->map].bits[word];
        b->count += (uint32_t)__builtin_popcountll(map->bits[word]);
    }
    if (b->count == BLOCK_IDS) free_map(s, b);
}

bool out_ids_merge(out_ids_t *s, out_ids_t *other)
{
    if (!put_run(s) || !put_run(other)) return false;
    s->given_up |= other->given_up;
    for (size_t i = 0; i < other->count && !s->given_up; i++) {
        if (!need_block(s, other->blocks[i].key)) return false;
        if (!s->given_up) merge_block(s, other, &other->blocks[i]);
    }
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
    if (!put_run(s)) return false;
    if (s->count) qsort(s->blocks, s->count, sizeof(*s->blocks), by_key);
    free(s->places.rows);
    s->places = (out_numbers_t){0};
    memset(s->recent, 0, sizeof(s->recent));
    s->last = 0;
    for (size_t i = 0; i < s->count; i++) {
        out_ids_block_t *b = &s->blocks[i];
        if (!out_numbers_set(&s->places, b->key, i + 1)) return false;
        out_ids_map_t *map = b->map == NO_MAP ? NULL : &s->maps[b->map];
        uint64_t inside = 0;
        b->before = before;
        before += b->count;
        for (unsigned word = 0; map && word < BLOCK_WORDS; word++) {
            map->words_before[word] = (uint16_t)inside;
            inside += (uint64_t)__builtin_popcountll(map->bits[word]);
        }
    }
    return true;
}

uint64_t out_ids_find_place(out_ids_t *s, uint64_t id)
{
    uint64_t key = id / BLOCK_IDS;
    if (!id || s->given_up) return id;
    bool same = s->last && s->last_key == key;
    const out_ids_block_t *b = same ? &s->blocks[s->last - 1] : find(s, key);
    if (!b) return id;
    uint64_t place = b->before + 1;
    if (b->map == NO_MAP) return place + id % BLOCK_IDS;
    const out_ids_map_t *map = &s->maps[b->map];
    unsigned word = id % BLOCK_IDS / 64;
    place += map->words_before[word];
    return place + count_bits(map->bits[word] & ((UINT64_C(1) << id % 64) - 1));
}

void out_ids_free(out_ids_t *s)
{
    free(s->blocks);
    free(s->maps);
    free(s->places.rows);
}
