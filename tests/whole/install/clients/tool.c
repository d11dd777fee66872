/* Counts kernel dispatches through a buffer. */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <stdio.h>

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static unsigned long dispatches;

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)headers, (void)data, (void)drop_count;
    __atomic_fetch_add(&dispatches, count, __ATOMIC_RELAXED);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    if (rocprofiler_create_context(&context) != ROCPROFILER_STATUS_SUCCESS ||
        rocprofiler_create_buffer(context, 65536, 32768, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                  on_records, NULL, &buffer) != ROCPROFILER_STATUS_SUCCESS ||
        rocprofiler_configure_buffer_tracing_service(context,
                                                     ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
                                                     NULL, 0, buffer) != ROCPROFILER_STATUS_SUCCESS)
        return -1;
    return rocprofiler_start_context(context) == ROCPROFILER_STATUS_SUCCESS ? 0 : -1;
}

static void finish(void *data)
{
    (void)data;
    fprintf(stderr, "c-tool: %lu dispatches\n", dispatches);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
                                                           const char *runtime_version,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    (void)version, (void)runtime_version, (void)priority;
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, finish, NULL};
    id->name = "c-tool";
    return &result;
}
