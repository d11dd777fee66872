/* follow.h - the records of a run so far, while it is running: counts, and kernels by time.
 *
 * It reads the stores of a run from another process, continuing where it stopped the last time; the
 * program is not disturbed. Memory depends on the number of kernels, not on the length of the run.
 * Only one thread at a time may use it. */
#ifndef CROCPROF_OUTPUT_FOLLOW_H
#define CROCPROF_OUTPUT_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

typedef struct {
    char *name;
    uint64_t calls, total_ns, longest_ns;
} out_followed_kernel_t;

typedef struct {
    trace_counts_t counts;
    out_followed_kernel_t *kernels; /* sorted by total time, then name */
    size_t kernel_count;
    uint64_t calls, total_ns;  /* sums over all kernels */
    unsigned processes, ended; /* number of processes seen so far, and of those that have ended */
} out_followed_t;

typedef struct out_follow out_follow_t;

/* Begins to follow a run. `directory` is an output directory, all of whose runs are followed, or
 * the directory of one run. It need not exist yet. Returns NULL if there is no memory. */
out_follow_t *out_follow_begin(const char *directory);
/* Reads the records that have been added. The result is valid until the next call; NULL if there is
 * no memory. */
const out_followed_t *out_follow_look(out_follow_t *f);
void out_follow_end(out_follow_t *f);

#endif
