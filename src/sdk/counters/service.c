/* service.c - decides which contexts count, and when; it stands between the core's contexts and the
 * two services.
 *
 * It is apart because conflicts between the two belong to neither. The entry points of dispatch
 * counting, of streaming counters and of replays are here, too. */
#include "sdk/counters/counters.h"

#include "base/log.h"
#include "hsa/agents.h"
#include "hsa/owner.h"
#include "hsa/runtime.h"
#include "sdk/core/registration.h"
#include "sdk/core/services.h"

#include <rocprofiler-sdk/experimental/replay.h>
#include <rocprofiler-sdk/spm.h>

#include <stdlib.h>

/* ---- GPUs, on which another library of the process may be counting ---- */

static pthread_mutex_t claims_lock = PTHREAD_MUTEX_INITIALIZER;
static bool claimed; /* all GPUs are claimed, because a context counts dispatches */

static void release_gpus(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (hsax_agent_at(i)->gpu) hsax_owner_release(hsax_agent_at(i)->agent, HSAX_OWNER_SDK);
}

/* Claims or releases all GPUs. Returns false if another library is counting on one of them. */
static bool claim_gpus(bool wanted)
{
    bool free = true;
    pthread_mutex_lock(&claims_lock);
    unsigned count = hsax_runtime_up() && wanted != claimed ? hsax_agent_count() : 0, i = 0;
    for (; wanted && free && i < count; i++)
        free = !hsax_agent_at(i)->gpu || sdk_gpu_claim(hsax_agent_at(i)->agent);
    if (!free) release_gpus(i - 1);
    if (!wanted) release_gpus(count);
    if (count) claimed = wanted && free;
    pthread_mutex_unlock(&claims_lock);
    return free;
}

/* ---- contexts ---- */

static bool conflicts(const sdk_context_t *a, const sdk_context_t *b)
{
    const sdk_device_service_t *device_a = sdk_device_services[a->slot],
                               *device_b = sdk_device_services[b->slot];
    const bool dispatches_a = sdk_dispatch_services[a->slot],
               dispatches_b = sdk_dispatch_services[b->slot];
    if (dispatches_a || dispatches_b)
        return (dispatches_a || device_a) && (dispatches_b || device_b);
    return device_a && device_b && sdk_device_conflict(device_a, device_b);
}

static void contexts_changed(void)
{
    const sdk_context_t *context;
    const sdk_dispatch_service_t *dispatches = NULL;
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++) {
        if (sdk_dispatch_services[slot] && sdk_context_active(context))
            dispatches = sdk_dispatch_services[slot];
        if (sdk_device_services[slot] && !sdk_context_active(context))
            sdk_device_stop(sdk_device_services[slot]);
    }
    sdk_probe_run(SDK_PROBE_INSIDE, dispatches);
    if (!dispatches) claim_gpus(false);
}

static rocprofiler_status_t started(sdk_context_t *context)
{
    sdk_device_service_t *device = sdk_device_services[context->slot];
    rocprofiler_status_t status = device ? sdk_device_start(device) : ROCPROFILER_STATUS_SUCCESS;
    if (sdk_dispatch_services[context->slot] && !claim_gpus(true))
        status = ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
    return status;
}

/* ---- HSA and forks ---- */

static unsigned needs(void)
{
    const unsigned dispatches = SDK_GPU_DISPATCHES | SDK_GPU_TURNS;
    unsigned needs = sdk_attachable() ? dispatches | SDK_GPU_DEVICES : 0;
    for (uint32_t slot = 0; sdk_context_at(slot); slot++) {
        const sdk_dispatch_service_t *service = sdk_dispatch_services[slot];
        if (service) needs |= dispatches | (service->passes > 1 ? SDK_GPU_REPLAYS : 0);
        if (sdk_device_services[slot]) needs |= SDK_GPU_DEVICES;
    }
    return needs;
}

static void hsa_up(void)
{
    const sdk_context_t *context;
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++)
        if (sdk_device_services[slot] && sdk_context_active(context))
            sdk_device_start(sdk_device_services[slot]);
    if (sdk_probe_value(SDK_PROBE_INSIDE)) claim_gpus(true);
}

static void hsa_down(void)
{
    for (uint32_t slot = 0; slot < SDK_CONTEXTS_MAX; slot++)
        if (sdk_device_services[slot]) sdk_device_abandon(sdk_device_services[slot]);
    sdk_spm_hsa_down();
    sdk_config_hsa_down();
    pthread_mutex_lock(&claims_lock);
    claimed = false; /* all claims are released with HSA */
    pthread_mutex_unlock(&claims_lock);
}

static void forked(void)
{
    sdk_config_forked();
    sdk_spm_forked();
    pthread_mutex_init(&claims_lock, NULL);
    for (uint32_t slot = 0; slot < SDK_CONTEXTS_MAX; slot++)
        if (sdk_device_services[slot]) sdk_device_forked(sdk_device_services[slot]);
}

SDK_SERVICE(counters) = {
    .at = {[SDK_AT_CONTEXTS] = contexts_changed, [SDK_AT_FORK] = forked},
    .conflicts = conflicts,
    .started = started,
    .gpu = &(const sdk_gpu_part_t){.needs = needs,
                                   .up = hsa_up,
                                   .down = hsa_down,
                                   .probe = &sdk_counting_probe},
};

/* ---- configuration of dispatch counting ---- */

static rocprofiler_status_t configure(rocprofiler_context_id_t context_id,
                                      const sdk_dispatch_service_t *wanted)
{
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (!wanted->callback && !wanted->spm_callback)
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const unsigned uses = SDK_USES_COUNTERS | (wanted->spm_callback ? SDK_USES_STREAM : 0);
    if (sdk_device_services[context->slot]) return ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT;
    if (sdk_dispatch_services[context->slot])
        return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    if (sdk_gpu_use_conflicts(context, uses)) return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
    sdk_dispatch_service_t *made = malloc(sizeof *made);
    if (!made) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    *made = *wanted;
    made->context = context;
    sdk_dispatch_services[context->slot] = made;
    sdk_gpu_use(context, uses);
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
    if (context && (sdk_dispatch_services[context->slot] || sdk_device_services[context->slot]))
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
    sdk_dispatch_service_t *service = context ? sdk_dispatch_services[context->slot] : NULL;
    if (!service || service->spm_callback) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (!passes || passes > ROCPROFILER_DISPATCH_REPLAY_PASSES_MAX)
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    service->passes = passes;
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
