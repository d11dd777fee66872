/* hsa.c - calls of HSA, as the tool reports them.
 *
 * They are apart because roctracer numbers HSA's calls in one sequence through all of HSA's tables,
 * and because the data of their callbacks has the layout of HSA's headers, whichever runtime is
 * loaded. */
#include "roctracer/internal.h"

const rocprofiler_callback_tracing_kind_t rtr_hsa_kinds[RTR_HSA_KINDS] = {
    ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API, ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API,
    ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API};

/* Number of the first operation of each kind. ORDER: rtr_hsa_kinds. */
static const uint32_t first[RTR_HSA_KINDS + 1] = {
    HSA_API_ID_hsa_init, ROCPROFILER_HSA_CORE_API_ID_LAST, HSA_API_ID_hsa_ext_image_get_capability,
    HSA_API_ID_DISPATCH};
_Static_assert((int)ROCPROFILER_HSA_CORE_API_ID_LAST + (int)ROCPROFILER_HSA_AMD_EXT_API_ID_LAST ==
                       (int)HSA_API_ID_hsa_ext_image_get_capability &&
                   (int)HSA_API_ID_hsa_ext_image_get_capability +
                           (int)ROCPROFILER_HSA_IMAGE_EXT_API_ID_LAST ==
                       (int)HSA_API_ID_DISPATCH,
               "numbers go on from kind to kind");

const char *rtr_hsa_name(uint32_t id)
{
    const char *name = NULL;
    for (unsigned i = 0; i < RTR_HSA_KINDS; i++)
        if (id >= first[i] && id < first[i + 1])
            rocprofiler_query_callback_tracing_kind_operation_name(
                rtr_hsa_kinds[i], (rocprofiler_tracing_operation_t)(id - first[i]), &name, NULL);
    return name;
}

int rtr_hsa_id(const char *name)
{
    for (uint32_t id = 0; id < HSA_API_ID_DISPATCH; id++) {
        const char *other = rtr_hsa_name(id);
        if (other && strcmp(other, name) == 0) return (int)id;
    }
    return -1;
}

/* The structures of arguments are equal to the SDK's, except that of
 * hsa_amd_memory_async_copy_rect. The SDK's union is at least as large, so the copy below stays
 * inside it. */
_Static_assert(sizeof(((hsa_api_data_t *)0)->args) <= sizeof(rocprofiler_hsa_api_args_t),
               "as many bytes are there");

static void copy_rect(hsa_api_data_t *to, const rocprofiler_hsa_api_args_t *from)
{
    __typeof__(to->args.hsa_amd_memory_async_copy_rect) *copy =
        &to->args.hsa_amd_memory_async_copy_rect;
    const __typeof__(from->hsa_amd_memory_async_copy_rect) *call =
        &from->hsa_amd_memory_async_copy_rect;
    copy->dst = call->dst;
    copy->dst_offset = call->dst_offset;
    copy->src = call->src;
    copy->src_offset = call->src_offset;
    copy->range = call->range;
    if (call->range) copy->range__val = *call->range;
    copy->copy_agent = call->copy_agent;
    copy->dir = call->dir;
    copy->num_dep_signals = call->num_dep_signals;
    copy->dep_signals = call->dep_signals;
    copy->completion_signal = call->completion_signal;
}

static void fill(void *data, const rocprofiler_callback_tracing_record_t *record,
                 rocprofiler_user_data_t *user_data, bool recorded)
{
    /* phase_data for calls that are also recorded. Their user_data has the time at which the call
     * began, so values that the callback stores here may be overwritten by another call. */
    static __thread uint64_t lost;
    const rocprofiler_callback_tracing_hsa_api_data_t *call = record->payload;
    hsa_api_data_t *to = data;
    bool leaves = record->phase == ROCPROFILER_CALLBACK_PHASE_EXIT;
    to->correlation_id = record->correlation_id.internal;
    to->phase = leaves ? ACTIVITY_API_PHASE_EXIT : ACTIVITY_API_PHASE_ENTER;
    to->uint64_t_retval = leaves ? call->retval.uint64_t_retval : 0;
    to->phase_data = recorded ? &lost : &user_data->value;
    memcpy(&to->args, &call->args, sizeof to->args);
    if (record->kind == ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API &&
        record->operation == ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_memory_async_copy_rect)
        copy_rect(to, &call->args);
}

void rtr_on_hsa_call(rocprofiler_callback_tracing_record_t record,
                     rocprofiler_user_data_t *user_data, void *data)
{
    (void)data;
    hsa_api_data_t call;
    if (rtr_asking()) return;
    rtr_events_call(&record);
    for (unsigned i = 0; i < RTR_HSA_KINDS; i++)
        if (record.kind == rtr_hsa_kinds[i])
            rtr_tell_call(ACTIVITY_DOMAIN_HSA_API, first[i] + (uint32_t)record.operation, &record,
                          user_data, fill, &call);
}
