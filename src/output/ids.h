/* ids.h - a set of numbers, and the rank of each in the set.
 *
 * Correlation ids are assigned to threads in blocks, while readers of output files expect ids that
 * count up from 1 without gaps. A block has a bit for each of its numbers until all of them are in
 * the set, so memory depends on the number of blocks with gaps. */
#ifndef CROCPROF_OUTPUT_IDS_H
#define CROCPROF_OUTPUT_IDS_H

#include <stdbool.h>

#include "model/numbers.h"

typedef struct out_ids_block out_ids_block_t;
typedef struct out_ids_map out_ids_map_t;

enum { OUT_RECENT = 64 }; /* number of threads that may alternate, each with its own block */

typedef struct {
    out_ids_block_t *blocks;
    size_t count;
    out_ids_map_t *maps;
    size_t map_count;
    int32_t free_map;             /* the first unused map, index + 1; 0: none */
    out_numbers_t places;         /* by key: index of the block + 1 */
    uint32_t recent[OUT_RECENT];  /* by key % OUT_RECENT: index + 1 of the last block */
    uint64_t last_key;            /* key of the block of the last id */
    size_t last;                  /* index + 1 of that block; 0: none */
    uint64_t run, run_count;      /* `run_count` ids from `run` on, which are not in the blocks
                                   * yet */
    uint64_t last_id, last_place; /* argument and result of the last call of out_ids_place */
    bool given_up; /* there are too many gaps, as only damaged data has: the rank of an id is the id
                    * itself */
} out_ids_t;

/* The slow path of out_ids_add(). */
bool out_ids_new_run(out_ids_t *s, uint64_t id);

/* Adds an id; 0 is ignored. It is fast if the id is that of the call before, or the next one.
 * Returns false when out of memory. */
static inline bool out_ids_add(out_ids_t *s, uint64_t id)
{
    const uint64_t more = id - s->run;
    if (__builtin_expect(more > s->run_count || !s->run_count, 0)) return out_ids_new_run(s, id);
    s->run_count += more == s->run_count;
    return true;
}

/* Adds all ids of another set, for which out_ids_ready() was not called. Returns false when out of
 * memory. */
bool out_ids_merge(out_ids_t *s, out_ids_t *other);
/* To be called after the last id was added and before the first out_ids_place. Returns false when
 * out of memory. */
bool out_ids_ready(out_ids_t *s);
/* The slow path of out_ids_place(). */
uint64_t out_ids_find_place(out_ids_t *s, uint64_t id);

/* Returns the rank of an id of the set: the number of smaller ids, plus 1; 0 for 0. It is fast if
 * the id is that of the call before, or the next one. */
static inline uint64_t out_ids_place(out_ids_t *s, uint64_t id)
{
    const uint64_t more = id - s->last_id;
    const bool near = s->last_id && more < 2;
    s->last_place = __builtin_expect(near, 1) ? s->last_place + more : out_ids_find_place(s, id);
    s->last_id = id;
    return s->last_place;
}
void out_ids_free(out_ids_t *s);

#endif
