/* ids.h - a set of numbers, and the place of each in their order.
 *
 * Apart because correlation ids come in blocks, one after the other for each thread, while readers
 * expect them to count up from 1. A bit for each number of a block until all are there: memory
 * follows the blocks that have gaps. */
#ifndef CROCPROF_OUTPUT_IDS_H
#define CROCPROF_OUTPUT_IDS_H

#include <stdbool.h>

#include "model/numbers.h"

typedef struct out_ids_block out_ids_block_t;
typedef struct out_ids_map out_ids_map_t;

enum { OUT_RECENT = 64 }; /* threads take turns, each has a block of its own */

typedef struct {
    out_ids_block_t *blocks;
    size_t count, room;
    out_ids_map_t *maps;
    size_t map_count, map_room;
    int32_t free_map;             /* place of the first that is not used, from 1; 0: none */
    out_numbers_t places;         /* of blocks, from 1 */
    uint32_t recent[OUT_RECENT];  /* places of blocks that ids were in, by the end of their keys */
    uint64_t last_key;            /* of the block that the last id was in */
    size_t last;                  /* its place, from 1; 0: none */
    uint64_t run, run_count;      /* ids from `run` on that are still to be put in */
    uint64_t last_id, last_place; /* of the last question */
    bool given_up; /* more gaps than sound records have: places are the ids themselves */
} out_ids_t;

/* For the next function. */
bool out_ids_new_run(out_ids_t *s, uint64_t id);

/* Puts an id in; 0 is none. False when out of memory. Most are those of the record before, or the
 * next ones. */
static inline bool out_ids_add(out_ids_t *s, uint64_t id)
{
    const uint64_t more = id - s->run;
    if (__builtin_expect(more > s->run_count || !s->run_count, 0)) return out_ids_new_run(s, id);
    s->run_count += more == s->run_count;
    return true;
}

/* Puts all ids of another one in that is not ready. False when out of memory. */
bool out_ids_merge(out_ids_t *s, out_ids_t *other);
/* After the last id, before the first question. False when out of memory. */
bool out_ids_ready(out_ids_t *s);
/* For the next function. */
uint64_t out_ids_find_place(out_ids_t *s, uint64_t id);

/* How many smaller ids there are than this one, which is in the set, plus 1; 0 for 0. Most are that
 * of the question before, or the next one. */
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
