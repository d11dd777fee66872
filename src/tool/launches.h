/* launches.h - finds the launch of a kernel that begins on the software GPU: its dispatch, its
 * range.
 *
 * The SDK reports launches, the software GPU reports that kernels begin, and each numbers queues in
 * its own way. Kernels of one queue begin in the order of their launches: that is how both are
 * matched. */
#ifndef CROCPROF_TOOL_LAUNCHES_H
#define CROCPROF_TOOL_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* From now on launches are kept until their kernels begin. */
rocprofiler_status_t tool_launches_configure(rocprofiler_context_id_t always);

typedef struct {
    uint64_t kernel;   /* id */
    uint64_t dispatch; /* id */
    uint64_t queue;    /* the SDK's */
    uint32_t range;    /* number of the text of the innermost ROCTx range, 0: none */
    uint32_t grid[3], workgroup[3];
} tool_launch_t;

/* Finds the launch of a kernel that begins on the GPU's queue `queue`. `launch` has the kernel and
 * the sizes; the rest is filled in. False: there is none, as when a kernel is run again for more
 * counters. Each launch is found once. For the GPU's threads; takes a lock. */
bool tool_launches_take(tool_launch_t *launch, uint64_t queue);

#endif
