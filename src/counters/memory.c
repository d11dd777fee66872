/* memory.c - arena, growing arrays and the map from names to numbers.
 *
 * They are apart because all files of the room use them and they do not depend on counters. Sizes
 * are checked for overflow here, so that callers need not check them. */
#include "base/text.h"
#include "counters/internal.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 << 10 };

struct ctr_chunk {
    ctr_chunk_t *next;
    size_t used, size;
    _Alignas(max_align_t) char data[];
};

void *ctr_arena_alloc(ctr_arena_t *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX / 2) return NULL;
    bytes = (bytes + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    ctr_chunk_t *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = calloc(1, sizeof(*chunk) + room);
        if (!chunk) return NULL;
        chunk->size = room;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *memory = chunk->data + chunk->used;
    chunk->used += bytes;
    return memory;
}

char *ctr_arena_text(ctr_arena_t *arena, const char *text, size_t length)
{
    char *copy = ctr_arena_alloc(arena, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void ctr_arena_free(ctr_arena_t *arena)
{
    while (arena->chunks) {
        ctr_chunk_t *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}

/* Hashes a key. Only the low bits choose a row, so the high bits are mixed into them. */
static uint64_t hash(const char *key, size_t length)
{
    const uint64_t h = base_hash64(BASE_HASH64, key, length);
    return h ^ h >> 29;
}

static struct ctr_map_entry *find(const ctr_map_t *map, const char *key, size_t length)
{
    size_t at = hash(key, length) & (map->capacity - 1);
    for (;; at = (at + 1) & (map->capacity - 1)) {
        struct ctr_map_entry *entry = &map->entries[at];
        if (!entry->key || (entry->length == length && memcmp(entry->key, key, length) == 0))
            return entry;
    }
}

uint32_t ctr_map_get(const ctr_map_t *map, const char *key, size_t length)
{
    if (!map->capacity) return CTR_MAP_NONE;
    const struct ctr_map_entry *entry = find(map, key, length);
    return entry->key ? entry->value : CTR_MAP_NONE;
}

static bool grow(ctr_map_t *map)
{
    ctr_map_t bigger = {.capacity = map->capacity ? map->capacity * 2 : 256, .count = map->count};
    bigger.entries = calloc(bigger.capacity, sizeof(*bigger.entries));
    if (!bigger.entries) return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].key)
            *find(&bigger, map->entries[i].key, map->entries[i].length) = map->entries[i];
    free(map->entries);
    *map = bigger;
    return true;
}

bool ctr_map_put(ctr_map_t *map, const char *key, size_t length, uint32_t value)
{
    if (map->count * 2 >= map->capacity && !grow(map)) return false;
    struct ctr_map_entry *entry = find(map, key, length);
    if (!entry->key) map->count++;
    if (!entry->key) *entry = (struct ctr_map_entry){.key = key, .length = length};
    entry->value = value;
    return true;
}

void ctr_map_free(ctr_map_t *map)
{
    free(map->entries);
    *map = (ctr_map_t){0};
}
