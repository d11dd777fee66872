/* hip_stream.c - gives numbers to HIP streams, and reports to tools which stream a call works on.
 * The null stream has the number 0. */
#include "sdk/hip_stream/hip_stream.h"
#include "sdk/core/handles.h"
#include "sdk/core/services.h"

#include <string.h>

static sdk_handles_t streams;

static uint64_t add(hipStream_t stream, bool created)
{
    bool made;
    return sdk_handle_add(&streams, stream, created, &made);
}

static uint64_t id_of(hipStream_t stream)
{
    if (!stream) return 0;
    uint64_t id = sdk_handle_find(&streams, stream);
    return id ? id : add(stream, false);
}

/* ---- reporting ---- */

/* Operations of streams have no correlation ids, since they do not belong to a call. */
static void begin(sdk_stream_use_t *use, const sdk_plan_t *plan, hipStream_t stream, uint64_t id)
{
    sdk_operation_begin_apart(&use->operation, plan);
    use->data = (rocprofiler_callback_tracing_hip_stream_data_t){
        .size = sizeof use->data, .stream_id = {.handle = id}, .stream_value = {.ptr = stream}};
}

void sdk_stream_enter(sdk_stream_use_t *use, const sdk_plan_t *plan, hipStream_t stream)
{
    begin(use, plan, stream, id_of(stream));
    sdk_operation_callback(&use->operation, ROCPROFILER_CALLBACK_PHASE_ENTER, &use->data);
}

void sdk_stream_exit(sdk_stream_use_t *use)
{
    sdk_operation_callback(&use->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &use->data);
}

static void tell(rocprofiler_hip_stream_operation_t operation, hipStream_t stream, uint64_t id)
{
    const sdk_plan_t *plan = sdk_plan(SDK_DOMAIN_HIP_STREAM, (int32_t)operation);
    if (!plan) return;
    sdk_stream_use_t use;
    begin(&use, plan, stream, id);
    sdk_operation_callback(&use.operation, ROCPROFILER_CALLBACK_PHASE_NONE, &use.data);
}

void sdk_stream_created(hipStream_t stream)
{
    /* The stream gets a number even if no context is running: one may start later. */
    tell(ROCPROFILER_HIP_STREAM_CREATE, stream, add(stream, true));
}

void sdk_stream_destroyed(hipStream_t stream)
{
    tell(ROCPROFILER_HIP_STREAM_DESTROY, stream, id_of(stream));
}

static void install(void *table)
{
    static void *wrapped[SDK_INSTANCES];
    if (!sdk_domain_configured(SDK_DOMAIN_HIP_STREAM)) return;
    int instance = sdk_api_place(wrapped, table, "hipStream_t");
    size_t size;
    memcpy(&size, table, sizeof size);
    for (unsigned i = 0; i < sdk_stream_row_count && instance >= 0; i++)
        sdk_api_wrap(&sdk_stream_rows[i], sdk_stream_rows[i].offset, table, size, instance);
}

SDK_SERVICE(hip_stream) = {.around = {ROCPROFILER_HIP_RUNTIME_TABLE, install}};
