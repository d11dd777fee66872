/* ends.h - what has begun and not yet ended, the earliest end first.
 *
 * Apart because writers of traces in order of time need it for every track. A heap. Of two with the
 * same end the one added last comes out first, because calls are nested. */
#ifndef CROCPROF_OUTPUT_ENDS_H
#define CROCPROF_OUTPUT_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t ns, value; /* the value is the caller's */
    uint64_t number;
} out_end_t;

typedef struct {
    out_end_t *rows;
    size_t count, room;
    uint64_t added;
} out_ends_t;

/* False when out of memory. */
bool out_ends_add(out_ends_t *e, uint64_t ns, uint64_t value);
/* Takes the earliest out if it is not after `ns`; false if there is none. */
bool out_ends_take(out_ends_t *e, uint64_t ns, out_end_t *end);
void out_ends_free(out_ends_t *e);

#endif
