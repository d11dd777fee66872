/* service.c - decides what is traced, and when: configuration, contexts, start and end of HSA.
 *
 * It is apart from the two services because conflicts between them belong to neither. It also
 * translates the parameters to those of the AQL profile library, and checks their limits. */
#include "base/log.h"
#include "gpus/gpus.h"
#include "hsa/agents.h"
#include "hsa/code_objects.h"
#include "hsa/runtime.h"
#include "sdk/agent/agent.h"
#include "sdk/catalogue/catalogue.h"
#include "sdk/core/registration.h"
#include "sdk/core/services.h"
#include "sdk/thread_trace/trace.h"

#include <stdlib.h>
#include <string.h>

static sdk_trace_service_t *services[SDK_CONTEXTS_MAX]; /* by the context's slot; NULL: none */

/* ---- parameters ---- */

#define AQL(x) HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_##x

static rocprofiler_status_t add(sdk_trace_unit_t *unit, uint32_t name, uint32_t value)
{
    if (unit->parameter_count == SDK_TRACE_PARAMETERS)
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    aqlprofile_att_parameter_t *p = &unit->parameters[unit->parameter_count++];
    memset(p, 0, sizeof *p);
    p->parameter_name = (hsa_ven_amd_aqlprofile_parameter_name_t)name;
    p->value = value;
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t add_size(sdk_trace_unit_t *unit, uint64_t bytes)
{
    add(unit, AQL(ATT_BUFFER_SIZE), (uint32_t)bytes);
    return add(unit, AQLPROFILE_ATT_PARAMETER_NAME_BUFFER_SIZE_HIGH, (uint32_t)(bytes >> 32));
}

static bool has(const sdk_trace_unit_t *unit, uint32_t name)
{
    for (uint32_t i = 0; i < unit->parameter_count; i++)
        if (unit->parameters[i].parameter_name == name) return true;
    return false;
}

static rocprofiler_status_t add_counter(sdk_trace_unit_t *unit,
                                        const rocprofiler_thread_trace_parameter_t *parameter)
{
    enum { COUNTERS_MAX = 8, SIMDS_ALL = 15, SIMDS_SHIFT = 28 };
    const ctr_catalogue_t *catalogue;
    uint32_t event = 0, counters = 0,
             simds = parameter->simd_mask ? parameter->simd_mask : SIMDS_ALL;
    sdk_counters_lock();
    const ctr_counter_t *counter = sdk_counters_find(parameter->counter_id, &catalogue);
    const bool good = counter && !strcmp(counter->block, "SQ");
    if (good) event = counter->event;
    sdk_counters_unlock();
    for (uint32_t i = 0; i < unit->parameter_count; i++)
        counters += unit->parameters[i].parameter_name == AQL(PERFCOUNTER_NAME);
    if (!good || counters == COUNTERS_MAX) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    return add(unit, AQL(PERFCOUNTER_NAME), event | simds << SIMDS_SHIFT);
}

/* ORDER: rocprofiler_thread_trace_parameter_type_t, and its additions in later versions. `least`
 * and `most` are the limits of the values. */
static const struct {
    uint32_t name;
    uint64_t least, most;
} parameters_known[] = {
    {AQL(COMPUTE_UNIT_TARGET), 0, 15},
    {AQL(SE_MASK), 1, UINT32_MAX},
    {AQL(ATT_BUFFER_SIZE), 1, UINT64_MAX},
    {AQL(SIMD_SELECTION), 0, 15},
    {AQL(PERFCOUNTER_CTRL), 0, 32},
    {AQL(PERFCOUNTER_NAME), 0, UINT64_MAX},
    {0, 0, UINT64_MAX}, /* for serialize all: concerns the queues, not the library */
    {AQL(PERFCOUNTER_MASK), 0, UINT32_MAX},
    {AQL(OCCUPANCY_MODE), 0, UINT64_MAX},
};

static rocprofiler_status_t set(sdk_trace_unit_t *unit, bool *serialize,
                                const rocprofiler_thread_trace_parameter_t *parameter)
{
    const uint32_t type = parameter->type;
    if (type >= sizeof parameters_known / sizeof *parameters_known ||
        parameter->value < parameters_known[type].least ||
        parameter->value > parameters_known[type].most)
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const uint32_t value = (uint32_t)parameter->value, name = parameters_known[type].name;
    switch (type) {
    case ROCPROFILER_THREAD_TRACE_PARAMETER_BUFFER_SIZE: return add_size(unit, parameter->value);
    case ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER: return add_counter(unit, parameter);
    case ROCPROFILER_THREAD_TRACE_PARAMETER_SERIALIZE_ALL:
        *serialize = parameter->value;
        return ROCPROFILER_STATUS_SUCCESS;
    case ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTERS_CTRL:
        /* here numbers count from 1, in the register from 0; 0: no counters are sampled */
        return value ? add(unit, name, value - 1) : ROCPROFILER_STATUS_SUCCESS;
    case ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER_EXCLUDE_MASK:
        return add(unit, name, ~value);
    case ROCPROFILER_THREAD_TRACE_PARAMETER_NO_DETAIL: return add(unit, name, value != 0);
    default: return add(unit, name, value);
    }
}

/* Returns the unit that is traced by default: the second of each array, or the only one. */
static uint32_t usual_target(const rocprofiler_agent_v0_t *agent)
{
    return gpus_units(agent->name, agent->cu_per_simd_array) == 1 ? 0 : 1;
}

static rocprofiler_status_t set_all(sdk_trace_unit_t *unit, bool *serialize,
                                    const rocprofiler_agent_v0_t *agent,
                                    const rocprofiler_thread_trace_parameter_t *parameters,
                                    size_t count)
{
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    add(unit, AQL(COMPUTE_UNIT_TARGET), usual_target(agent));
    add(unit, AQL(SE_MASK), 1);
    add_size(unit, 128u << 20);
    if (count && !parameters) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count && status == ROCPROFILER_STATUS_SUCCESS; i++)
        status = set(unit, serialize, &parameters[i]);
    /* unless their sampling rate is set, counters count no waves */
    if (status == ROCPROFILER_STATUS_SUCCESS && has(unit, AQL(PERFCOUNTER_NAME)) &&
        !has(unit, AQL(PERFCOUNTER_CTRL)))
        status = add(unit, AQL(PERFCOUNTER_CTRL), 0);
    return status;
}

/* Returns how a trace of dispatches uses the GPU. A trace of a whole agent has no conflicting use,
 * since no other packets stop it. */
static unsigned uses(const sdk_trace_unit_t *unit)
{
    if (!unit->dispatch) return 0;
    return has(unit, AQL(PERFCOUNTER_NAME)) ? SDK_USES_TRACE | SDK_USES_TRACE_COUNTERS
                                            : SDK_USES_TRACE;
}

/* ---- configuration ---- */

static rocprofiler_status_t add_unit(sdk_context_t *context, const sdk_trace_unit_t *wanted)
{
    const bool device = !wanted->dispatch;
    sdk_trace_service_t *service = services[context->slot];
    if (!service) {
        service = calloc(1, sizeof *service);
        if (!service) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
        service->context = context;
        service->device = device;
        services[context->slot] = service;
    }
    if (service->device != device) return ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT;
    for (unsigned i = 0; i < service->count; i++)
        if (service->units[i].agent.handle == wanted->agent.handle)
            return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    if (service->count == SDK_TRACE_AGENTS) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    sdk_trace_unit_t *unit = &service->units[service->count++];
    *unit = *wanted;
    unit->service = service;
    pthread_mutex_init(&unit->lock, NULL);
    pthread_mutex_init(&unit->device_lock, NULL);
    sdk_gpu_use(context, uses(unit));
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t configure(rocprofiler_context_id_t context_id, sdk_trace_unit_t *unit,
                                      const rocprofiler_thread_trace_parameter_t *parameters,
                                      size_t count)
{
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (!unit->shader) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const rocprofiler_agent_v0_t *agent = sdk_agent_find(unit->agent);
    if (!agent || agent->type != ROCPROFILER_AGENT_TYPE_GPU)
        return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    bool serialize = false;
    rocprofiler_status_t status = set_all(unit, &serialize, agent, parameters, count);
    if (status == ROCPROFILER_STATUS_SUCCESS && sdk_gpu_use_conflicts(context, uses(unit)))
        status = ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
    if (status == ROCPROFILER_STATUS_SUCCESS) status = add_unit(context, unit);
    if (status == ROCPROFILER_STATUS_SUCCESS) services[context->slot]->serialize |= serialize;
    return status;
}

rocprofiler_status_t rocprofiler_configure_device_thread_trace_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
    rocprofiler_thread_trace_shader_data_callback_t shader_callback,
    rocprofiler_user_data_t callback_userdata)
{
    sdk_trace_unit_t unit = {
        .agent = agent_id, .shader = shader_callback, .shader_data = callback_userdata};
    return configure(context_id, &unit, parameters, num_parameters);
}

rocprofiler_status_t rocprofiler_configure_dispatch_thread_trace_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
    rocprofiler_thread_trace_dispatch_callback_t dispatch_callback,
    rocprofiler_thread_trace_shader_data_callback_t shader_callback, void *callback_userdata)
{
    sdk_trace_unit_t unit = {.agent = agent_id,
                             .dispatch = dispatch_callback,
                             .dispatch_data = callback_userdata,
                             .shader = dispatch_callback ? shader_callback : NULL};
    return configure(context_id, &unit, parameters, num_parameters);
}

/* ---- contexts ---- */

static bool share_agent(const sdk_trace_service_t *a, const sdk_trace_service_t *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->units[i].agent.handle == b->units[k].agent.handle) return true;
    return false;
}

/* There is one trace of dispatches at a time, and one of each agent. */
static bool conflicts(const sdk_context_t *context, const sdk_context_t *other)
{
    const sdk_trace_service_t *a = services[context->slot], *b = services[other->slot];
    return a && b && ((!a->device && !b->device) || share_agent(a, b));
}

static void contexts_changed(void)
{
    const sdk_context_t *context;
    const sdk_trace_service_t *dispatches = NULL;
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++) {
        sdk_trace_service_t *service = services[slot];
        if (!service) continue;
        const bool active = sdk_context_active(context);
        if (!service->device && active) dispatches = service;
        if (service->device && !active) sdk_trace_device_stop(service);
    }
    sdk_probe_run(SDK_PROBE_AROUND, dispatches);
}

static rocprofiler_status_t started(sdk_context_t *context)
{
    sdk_trace_service_t *service = services[context->slot];
    return service && service->device ? sdk_trace_device_start(service)
                                      : ROCPROFILER_STATUS_SUCCESS;
}

/* ---- HSA and forks ---- */

/* SDK_GPU_WAITS is needed because the buffer of an earlier trace may have to become free first. */
static unsigned needs(void)
{
    unsigned needs = 0;
    for (uint32_t slot = 0; slot < SDK_CONTEXTS_MAX; slot++)
        if (services[slot])
            needs |= services[slot]->device ? SDK_GPU_DEVICES | SDK_GPU_CODE_OBJECTS
                                            : SDK_GPU_DISPATCHES | SDK_GPU_TURNS | SDK_GPU_WAITS;
    return needs;
}

static void hsa_up(void)
{
    const sdk_context_t *context;
    for (uint32_t slot = 0; (context = sdk_context_at(slot)); slot++)
        if (services[slot] && services[slot]->device && sdk_context_active(context))
            sdk_trace_device_start(services[slot]);
}

static void hsa_down(void)
{
    for (uint32_t slot = 0; slot < SDK_CONTEXTS_MAX; slot++) {
        sdk_trace_service_t *service = services[slot];
        if (!service) continue;
        if (service->device) sdk_trace_device_abandon(service);
        for (unsigned i = 0; i < service->count; i++)
            sdk_trace_blocks_hsa_down(&service->units[i]);
    }
}

static void forked(void)
{
    sdk_probe_run(SDK_PROBE_AROUND, NULL);
    for (uint32_t slot = 0; slot < SDK_CONTEXTS_MAX; slot++) {
        sdk_trace_service_t *service = services[slot];
        for (unsigned i = 0; service && i < service->count; i++) {
            sdk_trace_unit_t *unit = &service->units[i];
            pthread_mutex_init(&unit->lock, NULL);
            pthread_mutex_init(&unit->device_lock, NULL);
            unit->free = unit->running = NULL;
            unit->queue = NULL;
        }
    }
}

static void code_object(const hsax_code_object_t *object, bool unload)
{
    const sdk_trace_object_t o = sdk_trace_object(object);
    for (uint32_t slot = 0; slot < SDK_CONTEXTS_MAX; slot++)
        if (services[slot] && services[slot]->device)
            sdk_trace_device_tell(services[slot], &o, unload);
}

SDK_SERVICE(thread_trace) = {
    .at = {[SDK_AT_CONTEXTS] = contexts_changed, [SDK_AT_FORK] = forked},
    .conflicts = conflicts,
    .started = started,
    .gpu = &(const sdk_gpu_part_t){.needs = needs,
                                   .up = hsa_up,
                                   .down = hsa_down,
                                   .code_object = code_object,
                                   .probe = &sdk_trace_probe},
};
