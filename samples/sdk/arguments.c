/* arguments.c - HIP calls with their arguments: by callback at the end of the call, when pointers
 * can be followed, and from EXT records, which outlast the call.
 *
 * Prints calls of hipMalloc and hipMemcpy. */
#include "sample.h"

static const char sample_name[] = "arguments tool";
static uint64_t records;

static int print_argument(rocprofiler_callback_tracing_kind_t kind,
                          rocprofiler_tracing_operation_t operation, uint32_t number,
                          const void *const address, int32_t indirections, const char *type,
                          const char *name, const char *value, int32_t dereferenced, void *data)
{
    (void)kind, (void)operation, (void)address, (void)indirections, (void)dereferenced;
    (void)data;
    /* addresses differ from run to run */
    bool pointer = strchr(type, '*') != NULL;
    fprintf(stderr, "%s%s=%s", number ? ", " : "", name, pointer ? "..." : value);
    return 0;
}

static void on_call(rocprofiler_callback_tracing_record_t record,
                    rocprofiler_user_data_t *user_data, void *data)
{
    (void)user_data, (void)data;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_EXIT) return;
    const char *name = NULL;
    rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name,
                                                           NULL);
    fprintf(stderr, "%s: %s(", sample_name, name);
    rocprofiler_iterate_callback_tracing_kind_operation_args(record, print_argument, 1, NULL);
    fprintf(stderr, ")\n");
}

static int count_argument(rocprofiler_buffer_tracing_kind_t kind,
                          rocprofiler_tracing_operation_t operation, uint32_t number,
                          const void *const address, int32_t indirections, const char *type,
                          const char *name, const char *value, void *data)
{
    (void)kind, (void)operation, (void)number, (void)address, (void)indirections, (void)type;
    (void)name, (void)value;
    ++*(uint64_t *)data;
    return 0;
}

static uint64_t arguments;

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data, (void)drop_count;
    for (size_t i = 0; i < count; i++) {
        records++;
        rocprofiler_iterate_buffer_tracing_record_args(*headers[i], count_argument, &arguments);
    }
}

static void sample_start(void)
{
    static const rocprofiler_tracing_operation_t calls[] = {
        ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc, ROCPROFILER_HIP_RUNTIME_API_ID_hipMemcpy};
    sample_buffer(on_records);
    REQUIRE(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, calls, 2, on_call, NULL));
    REQUIRE(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT, calls, 2, buffer));
}

static void sample_end(void)
{
    fprintf(stderr, "%s: %" PRIu64 " records, %" PRIu64 " arguments\n", sample_name, records,
            arguments);
}
