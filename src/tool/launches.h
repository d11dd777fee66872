/* launches.h - finds the dispatch and the range of a kernel that begins on the software GPU.
 *
 * The SDK reports launches, the software GPU reports that kernels begin, and the two number queues
 * differently. Kernels of one queue begin in the order of their launches, by which both reports are
 * matched. */
#ifndef CROCPROF_TOOL_LAUNCHES_H
#define CROCPROF_TOOL_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* From this call on launches are kept until their kernels begin. */
rocprofiler_status_t tool_launches_configure(rocprofiler_context_id_t always);

typedef struct {
    uint64_t kernel;   /* id of the kernel */
    uint64_t dispatch; /* id of the dispatch */
    uint64_t queue;    /* the SDK's id of the queue */
    uint32_t range;    /* number of the text of the innermost ROCTx range, 0: none */
    uint32_t grid[3], workgroup[3];
} tool_launch_t;

/* Finds the launch of a kernel that begins on the GPU's queue `queue`. `launch` has the kernel and
 * the sizes; the rest is filled in. Returns false if there is none, as when a kernel is run again
 * for more counters. Each launch is found once. The software GPU's threads call this; it takes a
 * lock. */
bool tool_launches_take(tool_launch_t *launch, uint64_t queue);

#endif
