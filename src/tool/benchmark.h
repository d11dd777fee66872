/* benchmark.h - what of profiling is left out so that the cost of the rest can be measured.
 *
 * ROCPROF_BENCHMARK_MODE; a run in any mode leaves no output but its settings. */
#ifndef CROCPROF_TOOL_BENCHMARK_H
#define CROCPROF_TOOL_BENCHMARK_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

typedef enum {
    TOOL_BENCHMARK_NONE,
    TOOL_BENCHMARK_CONTEXTS,  /* services are configured, and nothing is started */
    TOOL_BENCHMARK_BUFFERS,   /* records are made, and nobody looks at them */
    TOOL_BENCHMARK_CALLBACKS, /* callbacks in place of records; they do nothing */
    TOOL_BENCHMARK_TOOL,      /* records are kept as ever */
    TOOL_BENCHMARK_PROFILE    /* what the program does is counted, nothing else */
} tool_benchmark_t;

tool_benchmark_t tool_benchmark(void);

/* Do callbacks and buffers lead nowhere? And what they lead to then. */
bool tool_benchmark_ignores(void);
void tool_benchmark_call(rocprofiler_callback_tracing_record_t record,
                         rocprofiler_user_data_t *user, void *data);
void tool_benchmark_buffer(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer,
                           rocprofiler_record_header_t **headers, size_t count, void *data,
                           uint64_t lost);

/* PROFILE: counts what the context follows; and puts the counts into the store, before it is
 * closed. */
rocprofiler_status_t tool_benchmark_count(rocprofiler_context_id_t context);
void tool_benchmark_put(void);

#endif
