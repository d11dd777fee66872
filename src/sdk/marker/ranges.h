/* ranges.h - marker ranges that have begun and not ended.
 *
 * They are apart from the wrappers because only this part is shared between threads. The ranges of
 * a thread are a stack. Ranges of the process are found by number:
 *
 *     begin: if the number's slot is free, compare-and-swap the range in; else add it to a hash
 *            table, under a lock
 *     end:   if the slot has a range of the number, compare-and-swap it out; else search the
 *            table, if the table is not empty
 *
 * No lock is taken unless the numbers of two open ranges differ by a multiple of SDK_RANGE_SLOTS,
 * and begin and end take the same time however many ranges are open. Memory of ranges is kept with
 * the threads and used again, never freed. */
#ifndef CROCPROF_SDK_RANGES_H
#define CROCPROF_SDK_RANGES_H

#include "sdk/core/thread.h"

enum { SDK_RANGE_SLOTS = 1024 };

typedef struct sdk_range {
    _Atomic uint64_t id;    /* number of a range of the process */
    struct sdk_range *next; /* in the thread's list of free ranges, or in a chain of the table */
    uint64_t begin;         /* ns */
    uint64_t outer;         /* value of sdk_thread_t.outer when the range began */
    sdk_operation_t operation;
    rocprofiler_callback_tracing_marker_api_data_t payload;
} sdk_range_t;

/* Returns a range to fill in; NULL when out of memory. */
sdk_range_t *sdk_range_new(sdk_thread_t *self);
void sdk_range_recycle(sdk_thread_t *self, sdk_range_t *range);

/* Every range that the thread begins is pushed, followed or not, so that begins and ends match; set
 * marks it as followed. push returns the place for set; 0 when out of memory: the range cannot be
 * set then. */
size_t sdk_ranges_push(sdk_thread_t *self);
void sdk_ranges_set(sdk_thread_t *self, size_t place, sdk_range_t *range);
sdk_range_t *sdk_ranges_pop(sdk_thread_t *self);
/* To be called when the thread ends: recycles the ranges that are still open. */
void sdk_ranges_close(sdk_thread_t *self);

/* For ranges of the process. `self` is the calling thread. take returns NULL if the number is not
 * open, or is not followed. The lock is only held between sdk_emit_begin and sdk_emit_end, so that
 * a fork never finds it held. */
void sdk_ranges_put(sdk_thread_t *self, uint64_t id, sdk_range_t *range);
sdk_range_t *sdk_ranges_take(sdk_thread_t *self, uint64_t id);

#endif
