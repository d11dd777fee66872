/* handles.h - numbers for a runtime's objects, which itself knows them by their addresses alone.
 *
 * They count up from 1 in the order in which objects are made or first seen; an object that comes
 * into being where another was gets a new one. Any thread; a number that is there is found without
 * a lock. */
#ifndef CROCPROF_SDK_HANDLES_H
#define CROCPROF_SDK_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    struct sdk_handle_table *_Atomic table;
    uint64_t last;
} sdk_handles_t;

/* 0: not seen yet. */
uint64_t sdk_handle_find(const sdk_handles_t *h, const void *object);

/* Number of an object that was made now, or that is not known; 0 without memory. `*made`: it is
 * new, and not another thread's find. */
uint64_t sdk_handle_add(sdk_handles_t *h, const void *object, bool created, bool *made);

#endif
