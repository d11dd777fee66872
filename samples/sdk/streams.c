/* streams.c - which HIP stream each kernel ran on.
 *
 * Dispatch records have no stream. This tool is told of a call's stream before the call, keeps it
 * for the thread, and gives it as external correlation id to the dispatches of that call. */
#include "sample.h"

enum { STREAMS = 64, DEPTH = 16 };

static const char sample_name[] = "streams tool";
static _Thread_local uint64_t stack[DEPTH];
static _Thread_local unsigned depth;
static uint64_t dispatches[STREAMS], created, destroyed;

static void on_stream(rocprofiler_callback_tracing_record_t record,
                      rocprofiler_user_data_t *user_data, void *data)
{
    (void)user_data, (void)data;
    const rocprofiler_callback_tracing_hip_stream_data_t *stream = record.payload;
    if (record.operation == ROCPROFILER_HIP_STREAM_CREATE) created++;
    if (record.operation == ROCPROFILER_HIP_STREAM_DESTROY) destroyed++;
    if (record.operation != ROCPROFILER_HIP_STREAM_SET) return;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        if (depth < DEPTH) stack[depth] = stream->stream_id.handle;
        depth++;
    } else {
        depth--;
    }
}

static int on_request(rocprofiler_thread_id_t thread_id, rocprofiler_context_id_t from,
                      rocprofiler_external_correlation_id_request_kind_t kind,
                      rocprofiler_tracing_operation_t operation, uint64_t internal_id,
                      rocprofiler_user_data_t *external_id, void *data)
{
    (void)thread_id, (void)from, (void)kind, (void)operation, (void)internal_id, (void)data;
    external_id->value = depth && depth <= DEPTH ? stack[depth - 1] : 0;
    return 0;
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_buffer_tracing_kernel_dispatch_record_t *dispatch = headers[i]->payload;
        uint64_t stream = dispatch->correlation_id.external.value;
        if (stream < STREAMS) dispatches[stream]++;
    }
}

static void sample_start(void)
{
    static const rocprofiler_external_correlation_id_request_kind_t kinds[] = {
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH};
    sample_buffer(on_records);
    sample_callbacks(ROCPROFILER_CALLBACK_TRACING_HIP_STREAM, on_stream);
    sample_records(ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
    REQUIRE(rocprofiler_configure_external_correlation_id_request_service(context, kinds, 1,
                                                                          on_request, NULL));
}

static void sample_end(void)
{
    fprintf(stderr, "%s: %" PRIu64 " created, %" PRIu64 " destroyed\n", sample_name, created,
            destroyed);
    for (int i = 0; i < STREAMS; i++)
        if (dispatches[i])
            fprintf(stderr, "%s: stream %d: %" PRIu64 " dispatches\n", sample_name, i,
                    dispatches[i]);
}
