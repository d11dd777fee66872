/* service.c - which contexts count, and when: between the core's contexts and the two services.
 *
 * Apart because conflicts between services belong to neither. The entry points of dispatch
 * counting, of streaming counters and of replays are here, too. */
#include "sdk/counters/service.h"

#include "base/log.h"
#include "hsa/agents.h"
#include "hsa/owner.h"
#include "hsa/runtime.h"
#include "sdk/agent/agent.h"
#include "sdk/core/registration.h"
#include "sdk/counters/counters.h"
#include "sdk/pc_sampling/sampling.h"
#include "sdk/thread_trace/trace.h"

#include <rocprofiler-sdk/experimental/replay.h>
#include <rocprofiler-sdk/spm.h>

#include <stdlib.h>

/* ---- GPUs, on which another library of the process may be counting ---- */

static pthread_mutex_t claims_lock = PTHREAD_MUTEX_INITIALIZER;
static bool claimed; /* all GPUs are claimed, for a context that counts dispatches */

bool sdk_counters_claim(hsa_agent_t agent)
{
    const char *owner = hsax_owner_claim(agent, HSAX_OWNER_SDK);
    if (!owner) return true;
    const rocprofiler_agent_v0_t *known = sdk_agent_find(sdk_agent_of_hsa(agent));
    base_error("GPU %d cannot be counted: %s counts on it in this process",
               known ? known->logical_node_type_id : -1, owner);
    return false;
}

static void release_gpus(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (hsax_agent_at(i)->gpu) hsax_owner_release(hsax_agent_at(i)->agent, HSAX_OWNER_SDK);
}

/* Claims or releases all GPUs. False if another library is counting on one of them. */
static bool claim_gpus(bool wanted)
{
    bool free = true;
    pthread_mutex_lock(&claims_lock);
    unsigned count = hsax_runtime_up() && wanted != claimed ? hsax_agent_count() : 0, i = 0;
    for (; wanted && free && i < count; i++)
        free = !hsax_agent_at(i)->gpu || sdk_counters_claim(hsax_agent_at(i)->agent);
    if (!free) release_gpus(i - 1);
    if (!wanted) release_gpus(count);
    if (count) claimed = wanted && free;
    pthread_mutex_unlock(&claims_lock);
    return free;
}

/* ---- contexts ---- */

static bool any_context(bool (*has)(const sdk_context_t *))
{
    const sdk_context_t *context;
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++)
        if (has(context)) return true;
    return false;
}

static bool counts_dispatches(const sdk_context_t *context)
{
    return context->dispatch_counting;
}

static bool counts_devices(const sdk_context_t *context)
{
    return context->device_counting;
}

bool sdk_counting_dispatches_configured(void)
{
    return sdk_attachable() || any_context(counts_dispatches);
}

bool sdk_counting_devices_configured(void)
{
    return sdk_attachable() || any_context(counts_devices);
}

static bool replays(const sdk_context_t *context)
{
    return context->dispatch_counting && context->dispatch_counting->passes > 1;
}

bool sdk_counting_replays_configured(void)
{
    return any_context(replays);
}

bool sdk_counting_conflict(const sdk_context_t *a, const sdk_context_t *b)
{
    bool dispatches = counts_dispatches(a) || counts_dispatches(b);
    if (sdk_trace_conflict(a, b)) return true;
    if (dispatches)
        return (counts_dispatches(a) || counts_devices(a)) &&
               (counts_dispatches(b) || counts_devices(b));
    return counts_devices(a) && counts_devices(b) &&
           sdk_device_conflict(a->device_counting, b->device_counting);
}

bool sdk_counting_active(const sdk_context_t *context)
{
    int active = 0;
    rocprofiler_context_is_active(sdk_context_id(context), &active);
    return active;
}

void sdk_gpu_contexts_changed(void)
{
    const sdk_context_t *context;
    const sdk_dispatch_service_t *dispatches = NULL;
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++) {
        if (context->dispatch_counting && sdk_counting_active(context))
            dispatches = context->dispatch_counting;
        if (context->device_counting && !sdk_counting_active(context))
            sdk_device_stop(context->device_counting);
    }
    atomic_store_explicit(&sdk_dispatch_service, dispatches, memory_order_release);
    if (!dispatches) claim_gpus(false);
    sdk_trace_contexts_changed();
    sdk_pcs_update();
}

rocprofiler_status_t sdk_counting_context_started(sdk_context_t *context)
{
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    if (context->device_counting) status = sdk_device_start(context->device_counting);
    if (context->dispatch_counting && !claim_gpus(true))
        status = ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
    return status == ROCPROFILER_STATUS_SUCCESS ? sdk_trace_context_started(context) : status;
}

/* ---- HSA and forks ---- */

void sdk_counting_hsa_up(void)
{
    const sdk_context_t *context;
    sdk_counters_hsa_begins();
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++)
        if (context->device_counting && sdk_counting_active(context))
            sdk_device_start(context->device_counting);
    if (sdk_counting_dispatches()) claim_gpus(true);
    sdk_trace_hsa_up();
    sdk_pcs_update();
}

void sdk_counting_hsa_down(void)
{
    const sdk_context_t *context;
    sdk_pcs_hsa_down();
    sdk_trace_hsa_down();
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++)
        if (context->device_counting) sdk_device_abandon(context->device_counting);
    sdk_spm_hsa_down();
    sdk_config_hsa_down();
    sdk_counters_hsa_ends();
    pthread_mutex_lock(&claims_lock);
    hsax_owner_release_all(HSAX_OWNER_SDK);
    claimed = false;
    pthread_mutex_unlock(&claims_lock);
}

void sdk_gpu_forked(void)
{
    const sdk_context_t *context;
    sdk_catalogue_forked();
    sdk_config_forked();
    sdk_trace_forked();
    sdk_spm_forked();
    sdk_pcs_forked();
    pthread_mutex_init(&claims_lock, NULL);
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++)
        if (context->device_counting) sdk_device_forked(context->device_counting);
}

/* ---- configuration of dispatch counting ---- */

static rocprofiler_status_t configure(rocprofiler_context_id_t context_id,
                                      const sdk_dispatch_service_t *wanted)
{
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (!wanted->callback && !wanted->spm_callback)
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (context->device_counting) return ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT;
    if (context->dispatch_counting) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    if (sdk_trace_counting_conflict(wanted, context->thread_trace))
        return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
    sdk_dispatch_service_t *made = malloc(sizeof *made);
    if (!made) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    *made = *wanted;
    made->context = context;
    context->dispatch_counting = made;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_dispatch_counting_service_cb_t callback, void *callback_data_args)
{
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_dispatch_service_t wanted = {
        .callback = callback, .data = callback_data_args, .buffer = sdk_buffer_find(buffer_id)};
    if (sdk_context_find(context_id) && callback && !wanted.buffer)
        return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    return configure(context_id, &wanted);
}

rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context_id,
    rocprofiler_dispatch_counting_service_cb_t dispatch_callback, void *dispatch_callback_args,
    rocprofiler_dispatch_counting_record_cb_t record_callback, void *record_callback_args)
{
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_dispatch_service_t wanted = {.callback = record_callback ? dispatch_callback : NULL,
                                     .data = dispatch_callback_args,
                                     .record = record_callback,
                                     .record_data = record_callback_args};
    return configure(context_id, &wanted);
}

/* A context with streaming counters must have no other service of counters. */
static rocprofiler_status_t configure_spm(rocprofiler_context_id_t context_id,
                                          const sdk_dispatch_service_t *wanted)
{
    const sdk_context_t *context = sdk_context_find(context_id);
    if (context && (context->dispatch_counting || context->device_counting))
        return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
    return configure(context_id, wanted);
}

rocprofiler_status_t rocprofiler_spm_configure_buffer_dispatch_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_spm_dispatch_counting_service_cb_t callback, void *callback_data_args)
{
    if (!sdk_spm_enabled()) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_dispatch_service_t wanted = {
        .spm_callback = callback, .data = callback_data_args, .buffer = sdk_buffer_find(buffer_id)};
    if (sdk_context_find(context_id) && callback && !wanted.buffer)
        return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    return configure_spm(context_id, &wanted);
}

rocprofiler_status_t rocprofiler_spm_configure_callback_dispatch_service(
    rocprofiler_context_id_t context_id,
    rocprofiler_spm_dispatch_counting_service_cb_t dispatch_callback, void *dispatch_callback_args,
    rocprofiler_spm_dispatch_counting_record_cb_t record_callback, void *record_callback_args)
{
    if (!sdk_spm_enabled()) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_dispatch_service_t wanted = {.spm_callback = record_callback ? dispatch_callback : NULL,
                                     .data = dispatch_callback_args,
                                     .spm_record = record_callback,
                                     .record_data = record_callback_args};
    return configure_spm(context_id, &wanted);
}

rocprofiler_status_t
rocprofiler_configure_dispatch_replay_service(rocprofiler_context_id_t context_id, uint32_t passes)
{
    sdk_context_t *context = sdk_context_find(context_id);
    if (sdk_configuring_client() < 0 || sdk_has_late_client())
        return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    if (!context || !context->dispatch_counting || context->dispatch_counting->spm_callback)
        return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (!passes || passes > ROCPROFILER_DISPATCH_REPLAY_PASSES_MAX)
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    context->dispatch_counting->passes = passes;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t
rocprofiler_configure_spm_service(rocprofiler_context_id_t context_id,
                                  rocprofiler_buffer_id_t buffer_id,
                                  rocprofiler_counter_config_id_t counter_config, uint64_t interval)
{
    (void)context_id, (void)buffer_id, (void)counter_config, (void)interval;
    return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}
