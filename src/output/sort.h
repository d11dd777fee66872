/* sort.h - puts records in order of their start, however many there are.
 *
 * Records are kept up to a fixed number of bytes; beyond that, sorted runs go to an unnamed
 * temporary file and are merged when read. Records that start together keep the order in which
 * they were added. */
#ifndef CROCPROF_OUTPUT_SORT_H
#define CROCPROF_OUTPUT_SORT_H

#include "trace/format.h"

typedef struct out_sorter out_sorter_t;

enum { OUT_SORT_BYTES = 8 << 20 };

/* `directory` is for the temporary file, `memory` the bytes of records to keep (at least one
 * record of the greatest size). NULL when out of memory. */
out_sorter_t *out_sorter_new(const char *directory, size_t memory);

/* 0, or -1 with a line in `why`: out of memory, disk full. */
int out_sorter_add(out_sorter_t *s, const trace_timed_t *record, char *why, size_t why_bytes);

/* The next record in order, valid until the next call; NULL at the end or after an error, which
 * out_sorter_error then gives as text. No more adding after the first call. */
const trace_timed_t *out_sorter_next(out_sorter_t *s);
const char *out_sorter_error(const out_sorter_t *s);

/* The next call of out_sorter_next gives the first record again. */
void out_sorter_rewind(out_sorter_t *s);

void out_sorter_free(out_sorter_t *s);

#endif
