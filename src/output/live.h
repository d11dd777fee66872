/* live.h - memory that is given out and not yet taken back, by address.
 *
 * Apart because a record of memory taken back says neither how much it was nor whose, and every
 * format wants to know. Its size follows what is live, not the length of the run. */
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

/* Memory given out; false when out of memory. */
bool out_live_add(out_live_t *l, out_block_t block);
/* Memory taken back: what it was, or false where nobody saw it given out. */
bool out_live_take(out_live_t *l, uint64_t address, out_block_t *block);
void out_live_free(out_live_t *l);

#endif
