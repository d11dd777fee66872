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

/* Returns the number of an object; 0 if it has none yet. */
uint64_t sdk_handle_find(const sdk_handles_t *h, const void *object);

/* Returns the number of an object, which is assigned if the object has none. With `created`, the
 * object was just made and gets a new number even if its address is known. *made says whether this
 * call has assigned the number. Returns 0 when out of memory. */
uint64_t sdk_handle_add(sdk_handles_t *h, const void *object, bool created, bool *made);

#endif
