/* launches.h - what a kernel that begins on the GPU was launched as: its dispatch, its range.
 *
 * The SDK tells of launches, the software GPU of beginnings, by queues that each numbers in its own
 * way: a queue's launches begin in their order, which is how one is found for the other. */
#ifndef CROCPROF_TOOL_LAUNCHES_H
#define CROCPROF_TOOL_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* Launches are kept from now on until they begin. */
rocprofiler_status_t tool_launches_configure(rocprofiler_context_id_t always);

typedef struct {
    uint64_t kernel;   /* id */
    uint64_t dispatch; /* id */
    uint64_t queue;    /* the SDK's */
    uint32_t range;    /* number of the text of the innermost ROCTx range, 0: none */
    uint32_t grid[3], workgroup[3];
} tool_launch_t;

/* The launch of which so much is known when it begins on the GPU's queue `queue`; the rest is
 * filled in. False: there is none, as when a kernel is run again for more counters. Each is found
 * once. Threads of the GPU; takes a lock. */
bool tool_launches_take(tool_launch_t *launch, uint64_t queue);

#endif
