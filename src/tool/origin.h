/* origin.h - what a thread is doing when it launches: its HIP stream, its range of markers, its
 * graph.
 *
 * All travel to the record of the dispatch or copy in its external correlation id, which has room
 * for one number: the stream in the upper half, the number of the range's text in the lower. Where
 * a graph is being launched it is the launch's number instead, and the place of what is launched
 * among all of that; origin.c keeps the rest for each launch. */
#ifndef CROCPROF_TOOL_ORIGIN_H
#define CROCPROF_TOOL_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/rocprofiler.h>

typedef struct {
    uint64_t stream, range; /* 0: the default one, none */
    uint64_t graph, node;   /* 0: none */
} tool_origin_t;

/* What an external id says. */
tool_origin_t tool_origin_of(uint64_t external);

/* Has the context ask for external ids of dispatches, copies and barriers. `names`: with ranges,
 * after which kernels are named. */
rocprofiler_status_t tool_origin_configure(rocprofiler_context_id_t traced, bool names);

/* Follows HIP's streams, and launches of its graphs, as long as `always` runs. */
rocprofiler_status_t tool_origin_follow_streams(rocprofiler_context_id_t always);
rocprofiler_status_t tool_origin_follow_graphs(rocprofiler_context_id_t always);

/* Ranges of the calling thread. A thread without any is in that of the first thread. */
void tool_origin_push_range(uint32_t text);
void tool_origin_pop_range(void);
uint32_t tool_origin_range_now(void);

#endif
