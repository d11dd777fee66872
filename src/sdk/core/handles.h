/* handles.h - gives numbers to objects that a runtime identifies only by their addresses.
 *
 * Numbers count up from 1 in the order in which objects are created or first seen. An object that
 * is created at the address of an earlier one gets a new number. Any thread may call the functions;
 * a number that exists is found without a lock. */
#ifndef CROCPROF_SDK_HANDLES_H
#define CROCPROF_SDK_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    struct sdk_handle_table *_Atomic table;
    uint64_t last;
} sdk_handles_t;

/* The number of an object; 0: it has none yet. */
uint64_t sdk_handle_find(const sdk_handles_t *h, const void *object);

/* The number of an object that was just created (`created`: it gets a new number) or that may have
 * none yet; 0: out of memory. *made: this call has assigned the number, and no other thread
 * meanwhile. */
uint64_t sdk_handle_add(sdk_handles_t *h, const void *object, bool created, bool *made);

#endif
