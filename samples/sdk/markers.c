/* markers.c - a tool that prints the program's marks and ranges as they happen, and obeys it.
 *
 * A range comes as one operation, whatever calls begin and end it. Requests to pause come by a
 * context of their own: the one that is paused would not see the request to resume. */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <stdbool.h>
#include <stdio.h>

static rocprofiler_context_id_t ranges, requests;

static void require(rocprofiler_status_t status, const char *what)
{
    if (status == ROCPROFILER_STATUS_SUCCESS) return;
    fprintf(stderr, "markers: %s: %s\n", what, rocprofiler_get_status_string(status));
}

static void on_marker(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                      void *data)
{
    (void)user, (void)data;
    const rocprofiler_callback_tracing_marker_api_data_t *payload = record.payload;
    bool begins = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    switch (record.operation) {
    case ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA:
        if (begins) fprintf(stderr, "markers: mark %s\n", payload->args.roctxMarkA.message);
        break;
    case ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA:
        /* the level is the result of roctxRangePush, known at the end */
        if (begins)
            fprintf(stderr, "markers: begin %s\n", payload->args.roctxThreadRangeA.message);
        else
            fprintf(stderr, "markers: end %s, level %d\n", payload->args.roctxThreadRangeA.message,
                    payload->retval.int32_t_retval);
        break;
    case ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA:
        fprintf(stderr, "markers: process range %s %s\n", begins ? "begin" : "end",
                payload->args.roctxProcessRangeA.message);
        break;
    default: break;
    }
}

static void on_request(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                       void *data)
{
    (void)user, (void)data;
    bool pause = record.operation == ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerPause;
    if (pause && record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
        rocprofiler_stop_context(ranges);
    else if (!pause && record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT)
        rocprofiler_start_context(ranges);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    require(rocprofiler_create_context(&ranges), "create context");
    require(rocprofiler_create_context(&requests), "create context");
    require(
        rocprofiler_configure_callback_tracing_service(
            ranges, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, NULL, 0, on_marker, NULL),
        "trace ranges");
    require(
        rocprofiler_configure_callback_tracing_service(
            requests, ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API, NULL, 0, on_request, NULL),
        "trace requests");
    require(rocprofiler_start_context(ranges), "start context");
    require(rocprofiler_start_context(requests), "start context");
    return 0;
}

ROCPROFILER_EXPORT rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
                      rocprofiler_client_id_t *client_id)
{
    static rocprofiler_tool_configure_result_t result = {.size = sizeof(result),
                                                         .initialize = initialize};
    (void)version, (void)runtime_version, (void)priority;
    client_id->name = "markers";
    return &result;
}
