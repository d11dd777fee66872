/* openmp_tool.c - a tool of the SDK that an OpenMP runtime asks for: is it told of the runtime's
 * start?
 *
 * Apart from rocprofv3's tool, which does not ask for that. TOOL_EVENTS=1 follows OpenMP's events
 * as well. What came is printed when the program ends. */
#include <stdio.h>
#include <stdlib.h>

#include <rocprofiler-sdk/ompt.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

static unsigned starts, events, events_before;
static unsigned long long version, instance;

static void on_start(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                     void *data)
{
    const rocprofiler_callback_tracing_runtime_initialization_data_t *started = record.payload;
    (void)user, (void)data;
    if (record.operation != ROCPROFILER_RUNTIME_INITIALIZATION_OMPT) return;
    starts++;
    version = started->version;
    instance = started->instance;
    events_before = events;
}

static void on_event(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                     void *data)
{
    (void)record, (void)user, (void)data;
    __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    rocprofiler_context_id_t context = {0};
    (void)finalizer, (void)data;
    if (rocprofiler_create_context(&context) ||
        rocprofiler_configure_callback_tracing_service(
            context, ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION, NULL, 0, on_start, NULL))
        return 1;
    if (getenv("TOOL_EVENTS") &&
        rocprofiler_configure_callback_tracing_service(context, ROCPROFILER_CALLBACK_TRACING_OMPT,
                                                       NULL, 0, on_event, NULL))
        return 1;
    return rocprofiler_start_context(context);
}

static void finalize(void *data)
{
    (void)data;
    fprintf(stderr, "%u starts, version %llu, instance %llu, %u events before, events %s\n", starts,
            version, instance, events_before, events ? "yes" : "no");
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t of, const char *runtime,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    static rocprofiler_tool_configure_result_t result = {
        .size = sizeof(result), .initialize = initialize, .finalize = finalize};
    (void)of, (void)runtime, (void)priority;
    id->name = "openmp_tool";
    return &result;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version);
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
    return rocprofiler_ompt_start_tool(omp_version, runtime_version);
}
