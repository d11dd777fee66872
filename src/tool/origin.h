/* origin.h - where kernels and copies come from: the HIP stream, the marker range and the graph in
 * which their thread was when it launched them. If kernels are renamed, a mark's text replaces a
 * range's.
 *
 * Stream and range reach the record of the dispatch or copy in its external correlation id, which
 * is one number: the stream in the upper half, the number of the range's text in the lower. While a
 * graph is being launched, the id has the launch's number instead, and the position of the kernel
 * or copy in that launch; origin.c keeps stream, range and graph of each launch. */
#ifndef CROCPROF_TOOL_ORIGIN_H
#define CROCPROF_TOOL_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/rocprofiler.h>

typedef struct {
    uint64_t stream, range; /* stream 0: the default stream; range 0: no range */
    uint64_t graph, node;   /* 0: not launched by a graph */
} tool_origin_t;

/* Returns the origin that an external correlation id stands for. */
tool_origin_t tool_origin_of(uint64_t external);

/* Supplies the external ids of the context's dispatches, copies and barriers. With `names`, ids
 * contain ranges, by which kernels are named. */
rocprofiler_status_t tool_origin_configure(rocprofiler_context_id_t traced, bool names);

/* Follows HIP's streams, and launches of its graphs, as long as `always` runs. */
rocprofiler_status_t tool_origin_follow_streams(rocprofiler_context_id_t always);
rocprofiler_status_t tool_origin_follow_graphs(rocprofiler_context_id_t always);

/* Note ranges of the calling thread. A thread that is in no range counts as being in the first
 * thread's range. */
void tool_origin_push_range(uint32_t text);
void tool_origin_pop_range(void);
uint32_t tool_origin_range_now(void);

/* If kernels are renamed, this text is their name from now on, instead of their range's. The next
 * end of a range restores the text before it, as with AMD's tool. */
void tool_origin_mark(uint32_t text);

#endif
