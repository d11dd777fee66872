/* follow.h - what a run has recorded so far, while it records: counts, and kernels by time.
 *
 * Reads the stores of a run from outside, where it stopped the last time; the program notices
 * nothing. Memory follows the number of kernels, not the length of the run. One thread at a time.
 */
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
    out_followed_kernel_t *kernels; /* by total time, then name */
    size_t kernel_count;
    uint64_t calls, total_ns;  /* of all of them */
    unsigned processes, ended; /* seen so far */
} out_followed_t;

typedef struct out_follow out_follow_t;

/* `directory`: an output directory, of which all runs are followed, or that of one run. It need not
 * be there yet. NULL: no memory. */
out_follow_t *out_follow_begin(const char *directory);
/* Looks again. What it returns is valid until the next look; NULL: no memory. */
const out_followed_t *out_follow_look(out_follow_t *f);
void out_follow_end(out_follow_t *f);

#endif
