/* names.c - queries and iterations over kinds and operations, status texts, versions.
 *
 * It is apart because nothing here depends on the state of the library: all functions may be called
 * at any time from any thread. */
#include "sdk/core/names.h"
#include "sdk/core/clock.h"
#include "sdk/core/service.h"

#include <string.h>

/* Returns the text of a value in *name; false if there is none. */
static bool look_up(const sdk_names_t *names, int64_t value, const char **name, uint64_t *length)
{
    if (value < 0 || value >= names->count || !names->texts[value]) return false;
    if (name) *name = names->texts[value];
    if (length) *length = strlen(names->texts[value]);
    return true;
}

rocprofiler_status_t
rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
                                             const char **name, uint64_t *name_len)
{
    return look_up(&sdk_names_callback_kind, kind, name, name_len)
               ? ROCPROFILER_STATUS_SUCCESS
               : ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}

rocprofiler_status_t
rocprofiler_query_buffer_tracing_kind_name(rocprofiler_buffer_tracing_kind_t kind,
                                           const char **name, uint64_t *name_len)
{
    return look_up(&sdk_names_buffer_kind, kind, name, name_len)
               ? ROCPROFILER_STATUS_SUCCESS
               : ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_query_external_correlation_id_request_kind_name(
    rocprofiler_external_correlation_id_request_kind_t kind, const char **name, uint64_t *name_len)
{
    return look_up(&sdk_names_external_request, kind, name, name_len)
               ? ROCPROFILER_STATUS_SUCCESS
               : ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_query_intercept_table_name(rocprofiler_intercept_table_t kind,
                                                            const char **name, uint64_t *name_len)
{
    return look_up(&sdk_names_intercept_table, kind, name, name_len)
               ? ROCPROFILER_STATUS_SUCCESS
               : ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
}

static rocprofiler_status_t operation_name(const sdk_names_t *const *kinds, int64_t kind,
                                           int64_t kind_count, int64_t operation, const char **name,
                                           uint64_t *name_len)
{
    if (kind < 0 || kind >= kind_count) return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
    if (!kind) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    /* A kind without a table has no operations. */
    if (!kinds[kind]) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    if (look_up(kinds[kind], operation, name, name_len)) return ROCPROFILER_STATUS_SUCCESS;
    if (name) *name = NULL;
    if (name_len) *name_len = 0;
    return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
}

rocprofiler_status_t
rocprofiler_query_callback_tracing_kind_operation_name(rocprofiler_callback_tracing_kind_t kind,
                                                       rocprofiler_tracing_operation_t operation,
                                                       const char **name, uint64_t *name_len)
{
    return operation_name(sdk_callback_operations, kind, ROCPROFILER_CALLBACK_TRACING_LAST,
                          operation, name, name_len);
}

rocprofiler_status_t
rocprofiler_query_buffer_tracing_kind_operation_name(rocprofiler_buffer_tracing_kind_t kind,
                                                     rocprofiler_tracing_operation_t operation,
                                                     const char **name, uint64_t *name_len)
{
    return operation_name(sdk_buffer_operations, kind, ROCPROFILER_BUFFER_TRACING_LAST, operation,
                          name, name_len);
}

rocprofiler_status_t
rocprofiler_iterate_callback_tracing_kinds(rocprofiler_callback_tracing_kind_cb_t callback,
                                           void *data)
{
    if (!callback) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (int kind = ROCPROFILER_CALLBACK_TRACING_NONE; kind < ROCPROFILER_CALLBACK_TRACING_LAST;
         kind++)
        if (callback((rocprofiler_callback_tracing_kind_t)kind, data)) break;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t
rocprofiler_iterate_buffer_tracing_kinds(rocprofiler_buffer_tracing_kind_cb_t callback, void *data)
{
    if (!callback) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (int kind = ROCPROFILER_BUFFER_TRACING_NONE; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++)
        if (callback((rocprofiler_buffer_tracing_kind_t)kind, data)) break;
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Checks that the operations of a kind can be listed. */
static rocprofiler_status_t check_kind(const sdk_names_t *const *kinds, int64_t kind, int64_t last)
{
    if (kind < 0 || kind > last) return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
    if (!kind || kind == last) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    return kinds[kind] ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
    rocprofiler_callback_tracing_kind_t kind,
    rocprofiler_callback_tracing_kind_operation_cb_t callback, void *data)
{
    if (!callback) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    rocprofiler_status_t status =
        check_kind(sdk_callback_operations, kind, ROCPROFILER_CALLBACK_TRACING_LAST);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    for (uint32_t op = 0; op < sdk_callback_operations[kind]->count; op++)
        if (sdk_callback_operations[kind]->texts[op] && callback(kind, (int32_t)op, data)) break;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kind_operations(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_buffer_tracing_kind_operation_cb_t callback,
    void *data)
{
    if (!callback) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    rocprofiler_status_t status =
        check_kind(sdk_buffer_operations, kind, ROCPROFILER_BUFFER_TRACING_LAST);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    for (uint32_t op = 0; op < sdk_buffer_operations[kind]->count; op++)
        if (sdk_buffer_operations[kind]->texts[op] && callback(kind, (int32_t)op, data)) break;
    return ROCPROFILER_STATUS_SUCCESS;
}

/* ---- Status, version, time ---- */

const char *rocprofiler_get_status_name(rocprofiler_status_t status)
{
    const char *name = NULL;
    look_up(&sdk_names_status, status, &name, NULL);
    return name;
}

const char *rocprofiler_get_status_string(rocprofiler_status_t status)
{
    static const char *const sentences[ROCPROFILER_STATUS_LAST] = {
        [ROCPROFILER_STATUS_SUCCESS] = "Done",
        [ROCPROFILER_STATUS_ERROR] = "Failed",
        [ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND] = "No context has this handle",
        [ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND] = "No buffer has this handle",
        [ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND] = "There is no such kind",
        [ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND] = "The kind has no such operation",
        [ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND] = "No callback thread has this handle",
        [ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND] = "No agent has this handle",
        [ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND] = "No counter has this handle or name",
        [ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR] = "The context cannot do this",
        [ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID] = "The context is not valid for this call",
        [ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED] = "The context does not run",
        [ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT] = "Another running context excludes this one",
        [ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO] = "The handle to be written is not zero",
        [ROCPROFILER_STATUS_ERROR_BUFFER_BUSY] = "The buffer is being delivered",
        [ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED] =
            "The context has this service already",
        [ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED] = "This cannot be configured now",
        [ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED] = "The library does not offer this",
        [ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI] = "Structure sizes or versions do not fit",
        [ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT] = "An argument is null or out of range",
        [ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT] = "The agent has no such counter",
        [ROCPROFILER_STATUS_ERROR_FINALIZED] = "The library is finalised",
        [ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED] = "The HSA runtime has not started",
        [ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND] = "The counter has no such dimension",
        [ROCPROFILER_STATUS_ERROR_PROFILE_COUNTER_NOT_FOUND] =
            "The counter configuration lacks a counter",
        [ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED] = "A counter's expression cannot be read",
        [ROCPROFILER_STATUS_ERROR_AST_NOT_FOUND] = "The counter has no expression",
        [ROCPROFILER_STATUS_ERROR_AQL_NO_EVENT_COORD] = "A hardware event has no place",
        [ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL] = "The kernel driver is too old for this",
        [ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES] = "A limit or memory is used up",
        [ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND] = "No counter configuration has this handle",
        [ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT] =
            "Agent and dispatch counting exclude each other",
        [ROCPROFILER_STATUS_INTERNAL_NO_AGENT_CONTEXT] = "No context counts on this agent",
        [ROCPROFILER_STATUS_ERROR_SAMPLE_RATE_EXCEEDED] = "Samples are asked for too fast",
        [ROCPROFILER_STATUS_ERROR_NO_PROFILE_QUEUE] = "The agent has no queue for counting",
        [ROCPROFILER_STATUS_ERROR_NO_HARDWARE_COUNTERS] = "The counters need no hardware",
        [ROCPROFILER_STATUS_ERROR_AGENT_MISMATCH] = "Agents do not match",
        [ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE] = "The service is not available on this system",
        [ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT] = "The hardware cannot do so much at once",
        [ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED] =
            "The agent's architecture is not supported",
        [ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED] = "The system does not permit this",
    };
    return (int)status < 0 || status >= ROCPROFILER_STATUS_LAST ? NULL : sentences[status];
}

rocprofiler_status_t rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch)
{
    if (major) *major = ROCPROFILER_SDK_VERSION_MAJOR;
    if (minor) *minor = ROCPROFILER_SDK_VERSION_MINOR;
    if (patch) *patch = ROCPROFILER_SDK_VERSION_PATCH;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_version_triplet(rocprofiler_version_triplet_t *info)
{
    if (!info) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    return rocprofiler_get_version(&info->major, &info->minor, &info->patch);
}

rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t *ts)
{
    if (!ts) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    sdk_clock_init();
    *ts = sdk_now();
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_thread_id(rocprofiler_thread_id_t *tid)
{
    if (!tid) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *tid = sdk_thread_id();
    return ROCPROFILER_STATUS_SUCCESS;
}
