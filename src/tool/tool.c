/* tool.c - rocprofv3's tool library: reads ROCPROF_* and configures the services of the SDK that
 * the settings need.
 *
 * It uses only the public SDK, as any tool would. trace/kinds.def lists the services. It runs
 * inside the program: errors are reported, and the program goes on. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "base/log.h"
#include "tool/att.h"
#include "tool/attach.h"
#include "tool/benchmark.h"
#include "tool/calls.h"
#include "tool/counting.h"
#include "tool/facts.h"
#include "tool/fields.h"
#include "tool/flush.h"
#include "tool/instructions.h"
#include "tool/formats.h"
#include "tool/leave.h"
#include "tool/markers.h"
#include "tool/mpi.h"
#include "tool/openmp.h"
#include "tool/origin.h"
#include "tool/sampling.h"
#include "tool/selects.h"
#include "tool/sink.h"
#include "tool/windows.h"
#include "trace/ranks.h"
#include "trace/settings.h"

/* With watermark 0 each thread delivers its own records at once, so that no record is still in the
 * buffer if the process is killed. */
enum { BUFFER_BYTES = 4096, BUFFER_WATERMARK = 0 };

static const struct {
    trace_setting_id_t setting;
    rocprofiler_buffer_tracing_kind_t kind, with_arguments; /* `with_arguments` 0: there is no such
                                                             * kind */
    rocprofiler_callback_tracing_kind_t seen;               /* kind of callbacks that have the
                                                             * arguments, or 0 */
} services[] = {
#define ROW(option, id, extended, callback)                                                        \
    {TRACE_SET_##option, ROCPROFILER_BUFFER_TRACING_##id, extended, callback},
#define KIND(id, domain, option)      ROW(option, id, 0, 0)
#define KIND_SEEN(id, domain, option) ROW(option, id, 0, ROCPROFILER_CALLBACK_TRACING_##id)
#define KIND_EXTENDED(id, domain, option, ...)                                                     \
    ROW(option, id, ROCPROFILER_BUFFER_TRACING_##id##_EXT, 0)
#include "trace/kinds.def"
#undef ROW
};

enum { SERVICE_COUNT = sizeof(services) / sizeof(*services) };

/* Returns whether kernels are traced. Counts of instructions need them, too, for the sizes of the
 * launches. */
static bool traces_kernels(void)
{
    return trace_setting_on(TRACE_SET_KERNEL_TRACE) || tool_streaming_wanted() ||
           tool_instructions_wanted();
}

static bool wanted(int service)
{
    return trace_setting_on(services[service].setting) ||
           (services[service].kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH &&
            traces_kernels());
}

static bool done(rocprofiler_status_t status, const char *what)
{
    if (status == ROCPROFILER_STATUS_SUCCESS) return true;
    const char *text = rocprofiler_get_status_string(status);
    base_error("%s: %s", what, text ? text : "unknown status");
    return false;
}

static void on_buffer(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer,
                      rocprofiler_record_header_t **headers, size_t count, void *data,
                      uint64_t lost)
{
    (void)context, (void)buffer, (void)data;
    tool_sink_records(headers, count, lost);
}

static void on_object_loaded(const rocprofiler_callback_tracing_code_object_load_data_t *object)
{
    tool_fact_code_object(object);
    if (tool_att_wanted() || tool_sampling_wanted() || tool_instructions_wanted())
        tool_att_code_object(object);
    if (tool_instructions_wanted()) tool_instructions_object(object);
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user, void *data)
{
    const bool counted = tool_instructions_wanted();
    (void)user, (void)data;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_LOAD) {
        if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD && counted)
            tool_instructions_unload(record.payload);
    } else if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
        on_object_loaded(record.payload);
    } else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER) {
        tool_fact_kernel(record.payload);
        if (tool_counting_wanted() || tool_att_wanted() || counted)
            tool_selects_kernel(record.payload);
        if (counted) tool_instructions_kernel(record.payload);
    } else if (record.operation == ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER) {
        tool_fact_host_function(record.payload);
    }
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    const bool *again = data;
    (void)version;
    for (size_t i = 0; i < count; i++) {
        tool_fact_agent(agents[i]);
        tool_fields_agent(agents[i]);
        if (!*again) tool_counting_agent(agents[i]);
        if (!*again) tool_att_agent(agents[i]);
        if (!*again) tool_sampling_agent(agents[i]);
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Without a driver there are no agents. The SDK reports that, and API calls are traced
 * nevertheless. */
static void query_agents(bool again)
{
    rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                       sizeof(rocprofiler_agent_v0_t), &again);
}

static void query_agents_again(void)
{
    query_agents(true);
}

/* The program may pause `traced`; `always` is never stopped. They may be the same context. */
typedef struct {
    rocprofiler_context_id_t traced, always;
} contexts_t;

static bool make_contexts(contexts_t *c, tool_markers_t markers)
{
    static const char what[] = "making a context";
    if (!done(rocprofiler_create_context(&c->traced), what)) return false;
    c->always = c->traced;
    /* for an attachment, names of kernels are collected before the traced context starts */
    if (markers.trace || markers.ranges || markers.selected || tool_attach_is() ||
        tool_windows_wanted()) {
        c->always.handle = 0;
        if (!done(rocprofiler_create_context(&c->always), what)) return false;
    }
    return true;
}

static void add_services(const contexts_t *c, rocprofiler_buffer_id_t buffer)
{
    /* another attachment may need other formats */
    bool arguments = tool_attach_is() || tool_formats_want("rocpd json pftrace");
    for (int i = 0; i < SERVICE_COUNT; i++) {
        if (!wanted(i)) continue;
        if (arguments && services[i].seen) {
            done(tool_calls_configure(c->traced, services[i].seen, services[i].kind),
                 trace_settings[services[i].setting].variable);
            continue;
        }
        bool ext = arguments && services[i].with_arguments;
        rocprofiler_tracing_operation_t operations[ROCPROFILER_OMPT_ID_LAST];
        bool some = services[i].kind == ROCPROFILER_BUFFER_TRACING_OMPT;
        size_t count = some ? tool_openmp_operations(operations) : 0;
        done(rocprofiler_configure_buffer_tracing_service(
                 c->traced, ext ? services[i].with_arguments : services[i].kind,
                 count ? operations : NULL, count, buffer),
             trace_settings[services[i].setting].variable);
    }
    if (traces_kernels() || tool_counting_wanted() || tool_att_wanted() || tool_sampling_wanted() ||
        tool_instructions_wanted())
        done(
            rocprofiler_configure_callback_tracing_service(
                c->always, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, NULL, 0, on_code_object, NULL),
            "kernel names");
}

/* Finds the callback kind with the same name as a buffered kind. */
static bool find_callbacks(rocprofiler_buffer_tracing_kind_t of,
                           rocprofiler_callback_tracing_kind_t *found)
{
    const char *name = NULL;
    rocprofiler_query_buffer_tracing_kind_name(of, &name, NULL);
    for (int kind = 1; name && kind < ROCPROFILER_CALLBACK_TRACING_LAST; kind++) {
        const char *other = NULL;
        *found = (rocprofiler_callback_tracing_kind_t)kind;
        rocprofiler_query_callback_tracing_kind_name(*found, &other, NULL);
        if (other && strcmp(name, other) == 0) return true;
    }
    return false;
}

/* Configures the same services, and markers, but with callbacks that do nothing, so that the cost
 * of the SDK alone can be measured. */
static void add_idle_services(const contexts_t *c, rocprofiler_buffer_id_t buffer, bool markers)
{
    const bool callbacks = tool_benchmark() == TOOL_BENCHMARK_CALLBACKS;
    for (int i = 0; i < SERVICE_COUNT; i++) {
        rocprofiler_callback_tracing_kind_t called;
        if (!wanted(i)) continue;
        if (!callbacks)
            done(rocprofiler_configure_buffer_tracing_service(c->traced, services[i].kind, NULL, 0,
                                                              buffer),
                 trace_settings[services[i].setting].variable);
        else if (find_callbacks(services[i].kind, &called))
            done(rocprofiler_configure_callback_tracing_service(c->traced, called, NULL, 0,
                                                                tool_benchmark_call, NULL),
                 trace_settings[services[i].setting].variable);
    }
    if (markers)
        done(rocprofiler_configure_callback_tracing_service(
                 c->traced, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, NULL, 0,
                 tool_benchmark_call, NULL),
             "markers");
    if (tool_benchmark() == TOOL_BENCHMARK_PROFILE)
        done(tool_benchmark_count(c->traced), "the profile");
}

/* Follows the streams and ranges of launches, if any launches are recorded. */
static void add_origins(const contexts_t *c)
{
    bool launches =
        traces_kernels() || tool_counting_wanted() || trace_setting_on(TRACE_SET_MEMORY_COPY_TRACE);
    if (!launches && !trace_setting_on(TRACE_SET_HIP_EVENT_TRACE)) return;
    done(tool_origin_configure(c->traced, tool_markers_wanted().rename),
         "streams and ranges of kernels");
    if (launches) done(tool_origin_follow_graphs(c->always), "graphs");
    if (!trace_setting_on(TRACE_SET_GROUP_BY_QUEUE))
        done(tool_origin_follow_streams(c->always), "streams");
}

static void start_contexts(const contexts_t *c, tool_markers_t markers)
{
    static const char what[] = "starting the trace";
    if (tool_benchmark() == TOOL_BENCHMARK_CONTEXTS) return;
    if (c->always.handle != c->traced.handle) done(rocprofiler_start_context(c->always), what);
    if (markers.selected) return; /* the program starts the traced context */
    if (tool_windows_wanted()) {
        tool_windows_start(c->traced);
        return;
    }
    done(rocprofiler_start_context(c->traced), what);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    contexts_t contexts = {0};
    rocprofiler_buffer_id_t buffer = {0};
    tool_markers_t markers = tool_markers_wanted();
    const bool idle = tool_benchmark_ignores();
    if (!tool_sink_open()) return -1;
    if (!make_contexts(&contexts, markers) ||
        !done(rocprofiler_create_buffer(contexts.traced, BUFFER_BYTES, BUFFER_WATERMARK,
                                        ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                        idle ? tool_benchmark_buffer : on_buffer, NULL, &buffer),
              "making a buffer"))
        return -1;
    if (idle) {
        add_idle_services(&contexts, buffer, markers.trace);
    } else {
        add_services(&contexts, buffer);
        add_origins(&contexts);
        done(tool_markers_configure(markers, contexts.traced, contexts.always), "markers");
        if (tool_mpi_wanted()) tool_mpi_configure(contexts.traced);
    }
    query_agents(false);
    if (tool_counting_wanted()) tool_counting_configure(contexts.traced);
    if (tool_att_wanted()) tool_att_configure(contexts.traced);
    if (tool_sampling_wanted()) tool_sampling_configure(contexts.traced, buffer);
    if (tool_instructions_wanted()) tool_instructions_start(contexts.always);
    bool late = tool_attach_is();
    if (late)
        tool_attach_ready(&(tool_attach_parts_t){.always = contexts.always,
                                                 .traced = contexts.traced,
                                                 .buffer = buffer,
                                                 .selected = markers.selected,
                                                 .agents = query_agents_again});
    if (tool_flush_start(buffer, late ? tool_attach_look : NULL) != 0)
        base_warning(TOOL_FLUSH_FAILURE);
    /* signal handlers of a program that runs already are not changed */
    tool_leave_watch(!late && !trace_setting_on(TRACE_SET_DISABLE_SIGNAL_HANDLERS));
    start_contexts(&contexts, markers);
    return 0;
}

static void finalize_tool(void *data)
{
    (void)data;
    tool_windows_stop();
    tool_att_stop();
    tool_instructions_stop();
    tool_flush_stop();
    tool_benchmark_put();
    tool_sink_close(true);
}

ROCPROFILER_EXPORT rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
                      rocprofiler_client_id_t *client_id)
{
    static rocprofiler_tool_configure_result_t result = {
        .size = sizeof(result), .initialize = initialize, .finalize = finalize_tool};
    (void)version, (void)runtime_version, (void)priority;
    if (tool_attach_is()) tool_attach_begin(client_id);
    base_log_init("rocprofv3", "ROCPROF_LOG_LEVEL");
    client_id->name = "rocprofv3";
    if (trace_rank_left_out(&trace_environment)) return NULL;
    for (int i = 0; i < SERVICE_COUNT; i++)
        if (wanted(i)) return &result;
    return tool_markers_wanted().trace || tool_mpi_wanted() || tool_counting_wanted() ||
                   tool_att_wanted() || tool_sampling_wanted() || tool_instructions_wanted()
               ? &result
               : NULL;
}
