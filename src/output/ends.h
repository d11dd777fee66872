/* ends.h - calls and other periods that have begun and not yet ended, the earliest end first.
 *
 * Writers of traces in order of time need it for every track. It is a heap. Of two periods with the
 * same end the one added last is taken first, because calls are nested. */
#ifndef CROCPROF_OUTPUT_ENDS_H
#define CROCPROF_OUTPUT_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t ns, value; /* `value` is the caller's */
    uint64_t number;
} out_end_t;

typedef struct {
    out_end_t *rows;
    size_t count, room;
    uint64_t added;
} out_ends_t;

/* Returns false when out of memory. */
bool out_ends_add(out_ends_t *e, uint64_t ns, uint64_t value);
/* Takes the earliest end out if it is not after `ns`; returns false if there is none. */
bool out_ends_take(out_ends_t *e, uint64_t ns, out_end_t *end);
void out_ends_free(out_ends_t *e);

#endif
