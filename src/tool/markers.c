/* markers.c - see markers.h.
 *
 * The callbacks here may run on any thread of the program: they are short and keep no pointer to
 * the program's data; records go to the sink. */
#include "tool/markers.h"

#include <string.h>

#include "base/env.h"
#include "tool/instructions.h"
#include "tool/origin.h"
#include "tool/sink.h"
#include "trace/settings.h"

/* The context that the program's requests stop and start. */
static rocprofiler_context_id_t paused;
static bool counted; /* requests nest: only the outermost have an effect */

/* With --kokkos-trace, whether this project's library sets the marks. It sets one for each
 * allocation, so marks must not name kernels then. */
static bool marks_are_of_kokkos(void)
{
    const char *libraries = base_env("KOKKOS_TOOLS_LIBS");
    return libraries && strstr(libraries, "librocprofiler-sdk-tool-kokkosp.so");
}

tool_markers_t tool_markers_wanted(void)
{
    const bool rename = trace_setting_on(TRACE_SET_KERNEL_RENAME);
    return (tool_markers_t){.trace = trace_setting_on(TRACE_SET_MARKER_TRACE),
                            .rename = rename,
                            .marks = rename && !marks_are_of_kokkos(),
                            .ranges = rename || tool_instructions_by_range(),
                            .selected = trace_setting_on(TRACE_SET_SELECTED_REGIONS)};
}

static uint64_t now(void)
{
    rocprofiler_timestamp_t ns = 0;
    rocprofiler_get_timestamp(&ns);
    return ns;
}

static uint32_t text_of(const rocprofiler_callback_tracing_record_t *record)
{
    const rocprofiler_callback_tracing_marker_api_data_t *payload = record->payload;
    const char *message = NULL;
    switch (record->operation) {
    case ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA:
        message = payload->args.roctxMarkA.message;
        break;
    case ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA:
        message = payload->args.roctxThreadRangeA.message;
        break;
    case ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA:
        message = payload->args.roctxProcessRangeA.message;
        break;
    default: return 0;
    }
    return tool_sink_text(message ? message : "");
}

static void put(const rocprofiler_callback_tracing_record_t *record, uint32_t kind, uint64_t start,
                uint64_t end, uint32_t text)
{
    trace_marker_t marker = {.head = trace_head(TRACE_MARKER, kind, (uint32_t)record->operation,
                                                record->thread_id, sizeof(marker)),
                             .start = start,
                             .end = end,
                             .correlation = record->correlation_id.internal,
                             .ancestor = record->correlation_id.ancestor,
                             .external = record->correlation_id.external.value,
                             .text = text};
    tool_sink_marker(&marker);
}

/* A mark has only one time: that at the end of the call. */
static void on_range(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *begin,
                     void *data)
{
    (void)data;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        begin->value = now();
        return;
    }
    uint64_t end = now();
    bool mark = record.operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA;
    put(&record, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API, mark ? end : begin->value, end,
        text_of(&record));
}

/* Keeps the number of the text of a range or mark for the kernels that the thread launches
 * (origin.h). */
static void on_named_range(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *pushed, void *data)
{
    (void)data;
    if (record.operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA) {
        if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) tool_origin_mark(text_of(&record));
    } else if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        tool_origin_push_range(text_of(&record));
        pushed->value = 1;
    } else if (pushed->value) {
        tool_origin_pop_range();
    }
}

/* Number of open regions, if requests nest. */
static int open_regions;

/* Returns whether the request begins or ends the outermost region. A pause without a resume before
 * it does neither. */
static bool is_outermost(bool start)
{
    int before = __atomic_load_n(&open_regions, __ATOMIC_RELAXED);
    do
        if (!start && !before) return false;
    while (!__atomic_compare_exchange_n(&open_regions, &before, before + (start ? 1 : -1), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return before == (start ? 0 : 1);
}

/* Pauses or resumes as the record requests. A request for one thread pauses or resumes all threads,
 * as with AMD's tool, since a context concerns the whole process. A second request of the same kind
 * has no effect, unless requests nest. */
static void obey(const rocprofiler_callback_tracing_record_t *record)
{
    bool stop = record->operation == ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerPause &&
                record->phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    bool start = record->operation == ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerResume &&
                 record->phase == ROCPROFILER_CALLBACK_PHASE_EXIT;
    if ((stop || start) && counted && !is_outermost(start)) return;
    if (stop) rocprofiler_stop_context(paused);
    if (start) rocprofiler_start_context(paused);
}

static void on_control(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *begin,
                       void *data)
{
    const bool *trace = data;
    obey(&record);
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
        begin->value = now();
    else if (*trace)
        put(&record, ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API, begin->value, now(), 0);
}

rocprofiler_status_t tool_markers_configure(tool_markers_t wanted, rocprofiler_context_id_t traced,
                                            rocprofiler_context_id_t always)
{
    static bool trace;
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    trace = wanted.trace;
    paused = traced;
    counted = wanted.selected && trace_setting_on(TRACE_SET_SELECTED_REGIONS_REF_COUNT);
    if (wanted.trace)
        status = rocprofiler_configure_callback_tracing_service(
            traced, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, NULL, 0, on_range, NULL);
    if (status == ROCPROFILER_STATUS_SUCCESS && (wanted.trace || wanted.selected))
        status = rocprofiler_configure_callback_tracing_service(
            always, ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API, NULL, 0, on_control, &trace);
    rocprofiler_tracing_operation_t named[] = {
        ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA,
        ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA}; /* a mark names kernels, but does not
                                                           * group counts */
    if (status == ROCPROFILER_STATUS_SUCCESS && wanted.ranges)
        status = rocprofiler_configure_callback_tracing_service(
            always, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, named, wanted.marks ? 2 : 1,
            on_named_range, NULL);
    return status;
}
