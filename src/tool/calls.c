/* calls.c - see calls.h. It runs on the program's threads, inside their calls. */
#include "tool/calls.h"

#include "tool/rccl.h"
#include "tool/sink.h"

typedef struct {
    tool_values_t values;
    const char *texts[2 * TRACE_ARGUMENTS_MAX]; /* types and names */
} arguments_t;

static int add_argument(rocprofiler_callback_tracing_kind_t kind,
                        rocprofiler_tracing_operation_t operation, uint32_t number,
                        const void *const address, int32_t indirections, const char *type,
                        const char *name, const char *value, int32_t followed, void *data)
{
    arguments_t *a = data;
    (void)kind, (void)operation, (void)number, (void)address, (void)indirections, (void)followed;
    a->texts[2 * a->values.count] = type;
    a->texts[2 * a->values.count + 1] = name;
    return tool_values_add(&a->values, value);
}

static void add_value(void *to, const char *type, const char *name, const char *value)
{
    arguments_t *a = to;
    if (a->values.count == TRACE_ARGUMENTS_MAX) return;
    a->texts[2 * a->values.count] = type;
    a->texts[2 * a->values.count + 1] = name;
    tool_values_add(&a->values, value);
}

/* Records the arguments with the values that they have when the call returns; memory that pointers
 * point to is not read. */
static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *begin,
                    void *data)
{
    const rocprofiler_buffer_tracing_kind_t *kind = data;
    arguments_t a;
    rocprofiler_timestamp_t ns = 0;
    if (tool_rccl_asks()) return;
    rocprofiler_get_timestamp(&ns);
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        begin->value = ns;
        return;
    }
    a.values.bytes = a.values.count = a.values.cut = 0;
    rocprofiler_iterate_callback_tracing_kind_operation_args(record, add_argument, 0, &a);
    if (record.kind == ROCPROFILER_CALLBACK_TRACING_RCCL_API)
        tool_rccl_values(record, add_value, &a);
    tool_values_end(&a.values);
    trace_call_t call = {
        .call = {.head = trace_head(TRACE_API, *kind, (uint32_t)record.operation, record.thread_id,
                                    sizeof(call) + a.values.bytes),
                 .start = begin->value,
                 .end = ns,
                 .correlation = record.correlation_id.internal,
                 .ancestor = record.correlation_id.ancestor,
                 .external = record.correlation_id.external.value},
        .count = (uint32_t)a.values.count};
    tool_sink_call(&call, &a.values, a.texts);
}

rocprofiler_status_t tool_calls_configure(rocprofiler_context_id_t context,
                                          rocprofiler_callback_tracing_kind_t kind,
                                          rocprofiler_buffer_tracing_kind_t as)
{
    static rocprofiler_buffer_tracing_kind_t kinds[ROCPROFILER_CALLBACK_TRACING_LAST];
    kinds[kind] = as;
    return rocprofiler_configure_callback_tracing_service(context, kind, NULL, 0, on_call,
                                                          &kinds[kind]);
}
