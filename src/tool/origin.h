/* origin.h - what a thread is doing when it launches: its HIP stream and its range of markers.
 *
 * Both travel to the record of the dispatch or copy in its external correlation id, which has room
 * for one number: the stream in the upper half, the number of the range's text in the lower. */
#ifndef CROCPROF_TOOL_ORIGIN_H
#define CROCPROF_TOOL_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/rocprofiler.h>

static inline uint64_t tool_origin_stream(uint64_t external)
{
    return external >> 32;
}
static inline uint64_t tool_origin_range(uint64_t external)
{
    return external & UINT32_MAX;
}

/* Has the context ask for external ids of dispatches and copies. `names`: with ranges, after which
 * kernels are named. */
rocprofiler_status_t tool_origin_configure(rocprofiler_context_id_t traced, bool names);

/* Follows HIP's streams as long as `always` runs. */
rocprofiler_status_t tool_origin_follow_streams(rocprofiler_context_id_t always);

/* Ranges of the calling thread. A thread without any is in that of the first thread. */
void tool_origin_push_range(uint32_t text);
void tool_origin_pop_range(void);

/* External id for what the calling thread launches now. */
uint64_t tool_origin_now(void);

#endif
