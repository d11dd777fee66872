/* owner.h - which profiler library of the process counts on a GPU.
 *
 * librocprofiler-sdk and librocprofiler64 program the same counters, and neither can see which
 * kernels the other counts: if both counted, both results would be wrong. The library that claims a
 * GPU first owns it until it has released all its claims. Each library has a copy of this code, but
 * all share one table (owner_table.c). */
#ifndef CROCPROF_HSA_OWNER_H
#define CROCPROF_HSA_OWNER_H

#include <hsa/hsa.h>
#include <stdatomic.h>
#include <stdint.h>

typedef enum { HSAX_OWNER_NONE, HSAX_OWNER_SDK, HSAX_OWNER_V1 } hsax_owner_t;

/* Claims the agent once more for `who`, which must release it. Returns NULL on success, otherwise
 * the name of the library that owns it. Any thread may call this; it takes no lock. */
const char *hsax_owner_claim(hsa_agent_t agent, hsax_owner_t who);
void hsax_owner_release(hsa_agent_t agent, hsax_owner_t who);

/* To be called when HSA shuts down or starts again: handles of agents are not valid any more. */
void hsax_owner_release_all(hsax_owner_t who);

/* ---- the table ---- */

enum { HSAX_OWNERS_MAX = 64 };

/* One row of the table. Libraries of different versions share it, so a new layout needs a new
 * name. */
typedef struct {
    _Atomic uint64_t agent; /* handle of the agent; 0: unused */
    _Atomic uint64_t word;  /* owner in the upper half, number of claims in the lower; 0: not
                             * claimed */
} hsax_owner_slot_t;

extern __attribute__((visibility("default")))
hsax_owner_slot_t crocprof_counting_owners_1[HSAX_OWNERS_MAX];

#endif
