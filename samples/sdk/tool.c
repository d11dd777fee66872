/* tool.c - the smallest complete tool: it traces code objects and counts HIP calls.
 *
 * Run any HIP program with ROCP_TOOL_LIBRARIES=.../libsample-tool.so; at the end it prints how
 * often each HIP function was called, and which code objects were loaded. */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t version;
    const char *runtime_version;
    uint32_t priority;
    rocprofiler_client_id_t *client_id;
    rocprofiler_client_finalize_t finalizer;
    rocprofiler_context_id_t context;
    _Atomic uint64_t calls[ROCPROFILER_HIP_RUNTIME_API_ID_LAST];
    _Atomic uint64_t code_objects, kernels;
} tool_data_t;

static void require(rocprofiler_status_t status, const char *what)
{
    if (status == ROCPROFILER_STATUS_SUCCESS) return;
    fprintf(stderr, "sample tool: %s: %s\n", what, rocprofiler_get_status_string(status));
}

/* Runs on the thread that makes the call: keep it short. */
static void tool_tracing_callback(rocprofiler_callback_tracing_record_t record,
                                  rocprofiler_user_data_t *user_data, void *callback_data)
{
    (void)user_data;
    tool_data_t *tool = callback_data;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return; /* LOAD has the same value */
    if (record.kind == ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API)
        tool->calls[record.operation]++;
    else if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD)
        tool->code_objects++;
    else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER)
        tool->kernels++;
}

/* HIP and HSA must not be called here. */
static int tool_init(rocprofiler_client_finalize_t fini_func, void *tool_data_v)
{
    tool_data_t *tool = tool_data_v;
    tool->finalizer = fini_func;
    require(rocprofiler_create_context(&tool->context), "create context");
    require(rocprofiler_configure_callback_tracing_service(tool->context,
                                                           ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
                                                           NULL, 0, tool_tracing_callback, tool),
            "trace code objects");
    require(rocprofiler_configure_callback_tracing_service(
                tool->context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0,
                tool_tracing_callback, tool),
            "trace HIP");
    require(rocprofiler_start_context(tool->context), "start context");
    return 0;
}

static void tool_fini(void *tool_data_v)
{
    tool_data_t *tool = tool_data_v;
    fprintf(stderr, "sample tool: SDK %s, %llu code objects, %llu kernels\n", tool->runtime_version,
            (unsigned long long)tool->code_objects, (unsigned long long)tool->kernels);
    for (int operation = 0; operation < ROCPROFILER_HIP_RUNTIME_API_ID_LAST; operation++) {
        const char *name = NULL;
        if (!tool->calls[operation]) continue;
        rocprofiler_query_callback_tracing_kind_operation_name(
            ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, operation, &name, NULL);
        fprintf(stderr, "sample tool: %s %llu\n", name, (unsigned long long)tool->calls[operation]);
    }
    free(tool);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
                                                           const char *runtime_version,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *client_id)
{
    /* not the first tool: take no part */
    if (priority > 0) return NULL;
    client_id->name = "ExampleTool";
    tool_data_t *tool = calloc(1, sizeof *tool);
    if (!tool) return NULL;
    tool->version = version;
    tool->runtime_version = runtime_version;
    tool->priority = priority;
    tool->client_id = client_id;
    static rocprofiler_tool_configure_result_t result;
    result = (rocprofiler_tool_configure_result_t){sizeof result, tool_init, tool_fini, tool};
    return &result;
}
