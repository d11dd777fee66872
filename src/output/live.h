/* live.h - memory that is allocated and not yet freed, by address.
 *
 * A record of a release has neither size nor agent, and every format needs them. The table's size
 * depends on what is allocated at one time, not on the length of the run. */
#ifndef CROCPROF_OUTPUT_LIVE_H
#define CROCPROF_OUTPUT_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t address, bytes, agent;
} out_block_t;

typedef struct {
    out_block_t *blocks; /* a hash table, its size a power of two */
    size_t used, room;
} out_live_t;

/* Notes that memory was allocated. Returns false when out of memory. */
bool out_live_add(out_live_t *l, out_block_t block);
/* Notes that memory was freed, and returns its block; false if its allocation was not seen. */
bool out_live_take(out_live_t *l, uint64_t address, out_block_t *block);
void out_live_free(out_live_t *l);

#endif
