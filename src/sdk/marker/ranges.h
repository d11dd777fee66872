/* ranges.h - marker ranges that have begun and not ended.
 *
 * Apart from the wrappers because only the keeping is shared between threads. Ranges of a thread
 * are a stack. Ranges of the process are found by number:
 *
 *     begin:  free place of the number's slot -> compare-and-swap the range in; taken -> table,
 * lock end:    the slot holds the number -> compare-and-swap it out; else table, if it has any
 *
 * so that no lock is taken unless two open ranges are SDK_RANGE_SLOTS numbers apart, and begin and
 * end take the same time however many ranges are open. Memory of ranges is kept with the threads
 * and used again, never freed. */
#ifndef CROCPROF_SDK_RANGES_H
#define CROCPROF_SDK_RANGES_H

#include "sdk/core/thread.h"

enum { SDK_RANGE_SLOTS = 1024 };

typedef struct sdk_range {
    _Atomic uint64_t id;    /* of a range of the process */
    struct sdk_range *next; /* free ranges of the thread, or the table's chain */
    uint64_t begin;         /* ns */
    uint64_t outer;         /* what was around the call or range that is around this one */
    sdk_operation_t operation;
    rocprofiler_callback_tracing_marker_api_data_t payload;
} sdk_range_t;

/* A range to fill in; NULL without memory. */
sdk_range_t *sdk_range_new(sdk_thread_t *self);
void sdk_range_recycle(sdk_thread_t *self, sdk_range_t *range);

/* Every range that the thread begins is pushed, so that ends match begins: as one that nobody
 * follows, until it is set. Returns its place; 0 without memory: then it cannot be set. */
size_t sdk_ranges_push(sdk_thread_t *self);
void sdk_ranges_set(sdk_thread_t *self, size_t place, sdk_range_t *range);
sdk_range_t *sdk_ranges_pop(sdk_thread_t *self);

/* Any thread, itself. sdk_ranges_take returns NULL if the number is not open, or nobody follows it.
 * The lock is held between sdk_emit_begin and sdk_emit_end, so that no fork finds it held. */
void sdk_ranges_put(sdk_thread_t *self, uint64_t id, sdk_range_t *range);
sdk_range_t *sdk_ranges_take(sdk_thread_t *self, uint64_t id);

#endif
