/* device.c - traces of whole agents, from the start of a context to its stop.
 *
 * Each agent has a queue of its own for the packets; kernels on other queues run meanwhile. Code
 * objects that are loaded or unloaded while the trace runs are written into it. */
#include "sdk/thread_trace/trace.h"

#include "base/log.h"
#include "hsa/owner.h"
#include "hsa/runtime.h"
#include "sdk/gpu/agent_queue.h"

static bool run(sdk_trace_unit_t *unit, const hsa_ext_amd_aql_pm4_packet_t *packets, unsigned count)
{
    enum { MOST = SDK_AGENT_QUEUE_SIZE - 1 };
    bool good = true;
    for (unsigned i = 0; i < count && good; i += MOST)
        good = sdk_agent_queue_run(unit->queue, packets + i, count - i < MOST ? count - i : MOST,
                                   unit->running->wrap.done);
    return good;
}

static rocprofiler_status_t start_unit(sdk_trace_unit_t *unit)
{
    const hsa_agent_t agent = sdk_gpu_agent(unit->agent);
    if (!agent.handle) {
        base_error("a GPU that the HSA runtime does not show cannot be traced");
        return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    }
    if (!sdk_gpu_claim(agent)) return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
    unit->claimed = agent;
    if (!unit->queue) unit->queue = sdk_agent_queue_create(agent, "trace");
    if (!unit->queue) return ROCPROFILER_STATUS_ERROR_NO_PROFILE_QUEUE;
    unit->running = sdk_trace_block_take(unit, agent);
    if (!unit->running) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    unit->running->user = unit->shader_data;
    if (run(unit, unit->running->before, unit->running->before_count))
        return ROCPROFILER_STATUS_SUCCESS;
    sdk_trace_block_give(unit->running, false);
    unit->running = NULL;
    return ROCPROFILER_STATUS_ERROR;
}

/* The lock is not held while the trace is passed to the tool, so that the tool may call any
 * function. */
static void stop_unit(sdk_trace_unit_t *unit)
{
    pthread_mutex_lock(&unit->device_lock);
    sdk_trace_block_t *block = unit->running;
    const bool over = block && run(unit, &block->stop, 1);
    const hsa_agent_t claimed = unit->claimed;
    unit->running = NULL;
    unit->claimed.handle = 0;
    pthread_mutex_unlock(&unit->device_lock);
    if (over) sdk_trace_block_deliver(block);
    if (block) sdk_trace_block_give(block, over);
    if (claimed.handle) hsax_owner_release(claimed, HSAX_OWNER_SDK);
}

rocprofiler_status_t sdk_trace_device_start(sdk_trace_service_t *service)
{
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    if (!hsax_runtime_up()) return status; /* the trace is started when HSA starts */
    for (unsigned i = 0; i < service->count && status == ROCPROFILER_STATUS_SUCCESS; i++) {
        pthread_mutex_lock(&service->units[i].device_lock);
        if (!service->units[i].running) status = start_unit(&service->units[i]);
        pthread_mutex_unlock(&service->units[i].device_lock);
    }
    if (status != ROCPROFILER_STATUS_SUCCESS) sdk_trace_device_stop(service);
    return status;
}

void sdk_trace_device_stop(sdk_trace_service_t *service)
{
    for (unsigned i = 0; i < service->count; i++)
        stop_unit(&service->units[i]);
}

void sdk_trace_device_tell(sdk_trace_service_t *service, const sdk_trace_object_t *object,
                           bool unload)
{
    hsa_ext_amd_aql_pm4_packet_t packet;
    for (unsigned i = 0; i < service->count; i++) {
        sdk_trace_unit_t *unit = &service->units[i];
        pthread_mutex_lock(&unit->device_lock);
        if (unit->running && unit->running->agent.handle == object->agent.handle &&
            sdk_trace_marker(object, unload, false, &packet))
            run(unit, &packet, 1);
        pthread_mutex_unlock(&unit->device_lock);
    }
}

void sdk_trace_device_abandon(sdk_trace_service_t *service)
{
    sdk_trace_device_stop(service);
    for (unsigned i = 0; i < service->count; i++) {
        if (service->units[i].queue) hsax.core.hsa_queue_destroy_fn(service->units[i].queue);
        service->units[i].queue = NULL;
    }
}
