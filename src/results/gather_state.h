/* gather_state.h - the state while a database is read, shared by the files that make its part:
 * gather_part.c reads records, gather_gaps.c computes the gaps between them.
 *
 * Only these two files include it; other files include gather_part.h. */
#ifndef CROCPROF_RESULTS_GATHER_STATE_H
#define CROCPROF_RESULTS_GATHER_STATE_H

#include "results/gather_part.h"
#include "rocpd/message.h"

/* The kinds of spans. */
typedef enum { GATHER_OF_KERNEL, GATHER_OF_COPY, GATHER_OF_GAP, GATHER_OF_CALL } gather_span_of_t;

/* A span of time of a process. For a gap: up to the time `filled` it is known which calls fill it,
 * and `left` is the time that no call fills. */
typedef struct {
    size_t process;
    int64_t start, end;
    gather_span_of_t of;
    int64_t kernel; /* symbol */
    int64_t filled, left;
} gather_span_t;

/* A call of HIP while the GPU has no work. */
typedef struct {
    size_t process, row; /* `row`: index of the call's gather_call_t in the part's calls */
    int64_t start, end;
} gather_held_t;

typedef struct {
    gather_part_t *part;
    const gather_wanted_t *wanted;
    gather_list_t spans; /* gather_span_t of kernels and copies, later of gaps */
    gather_list_t held;  /* gather_held_t */
    gather_list_t loads; /* gather_span_t of calls that compile and load code */
    gather_list_t waits; /* gather_span_t of calls in which the host waits; only for bins */
    gather_list_t moves; /* copies in streams, a type of gather_part.c */
    db_cursor_t texts;   /* statement that finds two texts by process and ids */
    rocpd_message_t message;
    const db_t *db; /* the database, for `message` */
    bool by_calls;  /* kernels have another clock than calls, so gaps are not computed */
} gather_t;

static inline gather_work_t *gather_work_of(const gather_t *g, size_t process)
{
    return (gather_work_t *)g->part->work.rows + process;
}

/* Adds and wraps on overflow: times in a database may be any numbers. */
static inline int64_t gather_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t gather_between(int64_t start, int64_t end)
{
    return (int64_t)((uint64_t)end - (uint64_t)start);
}

/* ---- in gather_gaps.c ---- */

/* Compares two gather_span_t by process and start. */
int gather_by_start(const void *left, const void *right);

/* Replaces the spans, which are sorted by process and start, by the gaps between them, which are
 * fewer, in the same order. */
void gather_find_gaps(gather_t *g);

/* Returns whether a gap of the process overlaps this time. */
bool gather_in_gap(const gather_t *g, size_t process, int64_t start, int64_t end);

/* Sums the parts of gaps that calls fill, once all calls have been read. */
void gather_sum_gaps(gather_t *g);

/* Makes the bins of all processes from the sorted spans of kernels and copies, and from the waits.
 * Returns false without memory. */
bool gather_make_bins(gather_t *g, const gather_span_t *spans, size_t count);

#endif
