/* c_tool.c - a tool in C that takes any place: tells each step and counts calls of hipMemsetD32. */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <stdio.h>

static unsigned place, calls;
static rocprofiler_context_id_t context;

static void count(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user_data,
                  void *data)
{
    (void)user_data, (void)data;
    calls += record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
}

static int tool_init(rocprofiler_client_finalize_t fini_func, void *data)
{
    (void)fini_func;
    rocprofiler_tracing_operation_t operation = ROCPROFILER_HIP_RUNTIME_API_ID_hipMemsetD32;
    fprintf(stderr, "C: initialize, data %s\n", data == &place ? "right" : "wrong");
    rocprofiler_create_context(&context);
    rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, &operation, 1, count, NULL);
    rocprofiler_start_context(context);
    return 0;
}

static void tool_fini(void *data)
{
    fprintf(stderr, "C: finalize, place %u, %u calls, data %s\n", place, calls,
            data == &place ? "right" : "wrong");
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
                                                           const char *runtime_version,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *client_id)
{
    (void)version, (void)runtime_version;
    client_id->name = "C";
    place = priority;
    fprintf(stderr, "C: configure, place %u\n", priority);
    static rocprofiler_tool_configure_result_t result = {sizeof result, tool_init, tool_fini,
                                                         &place};
    return &result;
}
