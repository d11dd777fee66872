/* origin.c - see origin.h. State per thread, read and written by that thread alone, but for the
 * first thread's range, which others read. */
#include "tool/origin.h"

#include <unistd.h>

/* Deeper calls and ranges than these keep the innermost place that was kept. */
enum { STREAM_DEPTH = 16, RANGE_DEPTH = 256 };

typedef struct {
    uint32_t values[RANGE_DEPTH];
    unsigned depth;
} ranges_t;

static __thread uint32_t streams[STREAM_DEPTH];
static __thread unsigned stream_depth;
static __thread ranges_t ranges;
static uint32_t first_range; /* innermost range of the first thread */

static uint32_t innermost(const uint32_t *values, unsigned depth, unsigned most)
{
    if (!depth) return 0;
    return values[(depth < most ? depth : most) - 1];
}

static void publish(void)
{
    if (gettid() == getpid())
        __atomic_store_n(&first_range, innermost(ranges.values, ranges.depth, RANGE_DEPTH),
                         __ATOMIC_RELAXED);
}

void tool_origin_push_range(uint32_t text)
{
    if (ranges.depth < RANGE_DEPTH) ranges.values[ranges.depth] = text;
    ranges.depth++;
    publish();
}

void tool_origin_pop_range(void)
{
    if (ranges.depth) ranges.depth--;
    publish();
}

uint64_t tool_origin_now(void)
{
    uint64_t stream = innermost(streams, stream_depth, STREAM_DEPTH);
    uint64_t range = ranges.depth ? innermost(ranges.values, ranges.depth, RANGE_DEPTH)
                                  : __atomic_load_n(&first_range, __ATOMIC_RELAXED);
    return stream << 32 | range;
}

static int on_request(rocprofiler_thread_id_t thread, rocprofiler_context_id_t context,
                      rocprofiler_external_correlation_id_request_kind_t kind,
                      rocprofiler_tracing_operation_t operation, uint64_t internal,
                      rocprofiler_user_data_t *external, void *data)
{
    (void)thread, (void)context, (void)kind, (void)operation, (void)internal, (void)data;
    external->value = tool_origin_now();
    return 0;
}

rocprofiler_status_t tool_origin_configure(rocprofiler_context_id_t traced)
{
    static const rocprofiler_external_correlation_id_request_kind_t kinds[] = {
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY};
    return rocprofiler_configure_external_correlation_id_request_service(traced, kinds, 2,
                                                                         on_request, NULL);
}

/* What was entered while the context ran is left again; `entered` says so. */
static void on_stream(rocprofiler_callback_tracing_record_t record,
                      rocprofiler_user_data_t *entered, void *data)
{
    (void)data;
    const rocprofiler_callback_tracing_hip_stream_data_t *stream = record.payload;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        if (stream_depth < STREAM_DEPTH) streams[stream_depth] = (uint32_t)stream->stream_id.handle;
        stream_depth++;
        entered->value = 1;
    } else if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT && entered->value) {
        stream_depth--;
    }
}

rocprofiler_status_t tool_origin_follow_streams(rocprofiler_context_id_t always)
{
    rocprofiler_tracing_operation_t set = ROCPROFILER_HIP_STREAM_SET;
    return rocprofiler_configure_callback_tracing_service(
        always, ROCPROFILER_CALLBACK_TRACING_HIP_STREAM, &set, 1, on_stream, NULL);
}
