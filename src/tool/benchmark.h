/* benchmark.h - modes that leave parts of profiling out, so that the cost of the rest can be
 * measured.
 *
 * ROCPROF_BENCHMARK_MODE names the mode. A run in any of the modes leaves no output but its
 * settings. */
#ifndef CROCPROF_TOOL_BENCHMARK_H
#define CROCPROF_TOOL_BENCHMARK_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

typedef enum {
    TOOL_BENCHMARK_NONE,
    TOOL_BENCHMARK_CONTEXTS,  /* services are configured, and nothing is started */
    TOOL_BENCHMARK_BUFFERS,   /* the SDK makes records, and the tool discards them */
    TOOL_BENCHMARK_CALLBACKS, /* the SDK makes callbacks instead of records; the callbacks do
                               * nothing */
    TOOL_BENCHMARK_TOOL,      /* records are kept as usual */
    TOOL_BENCHMARK_PROFILE    /* calls, kernels and copies are counted, and not recorded */
} tool_benchmark_t;

tool_benchmark_t tool_benchmark(void);

/* Returns whether the mode ignores records: then the SDK calls the two functions below, which do
 * nothing, instead of the tool's own. */
bool tool_benchmark_ignores(void);
void tool_benchmark_call(rocprofiler_callback_tracing_record_t record,
                         rocprofiler_user_data_t *user, void *data);
void tool_benchmark_buffer(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer,
                           rocprofiler_record_header_t **headers, size_t count, void *data,
                           uint64_t lost);

/* For TOOL_BENCHMARK_PROFILE: counts the operations that the context traces. */
rocprofiler_status_t tool_benchmark_count(rocprofiler_context_id_t context);
/* Puts these counts into the store, before it is closed. */
void tool_benchmark_put(void);

#endif
