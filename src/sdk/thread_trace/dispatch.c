/* dispatch.c - traces of single kernels: the tool decides at the launch, and gets the data when the
 * kernel is over.
 *
 * It is a probe around dispatches (gpu/dispatch.h). A traced kernel runs alone on its agent. */
#include "sdk/thread_trace/trace.h"

#include "base/log.h"
#include "hsa/owner.h"
#include "sdk/core/registration.h"

/* Calls the tool for its decision; the result is NONE also if the tool is finalised. */
static rocprofiler_thread_trace_control_flags_t decide(const sdk_trace_unit_t *unit,
                                                       const sdk_dispatch_t *d,
                                                       const sdk_operation_t *operation,
                                                       rocprofiler_user_data_t *user)
{
    const rocprofiler_kernel_dispatch_info_t *info = &d->data.dispatch_info;
    rocprofiler_thread_trace_control_flags_t answer = ROCPROFILER_THREAD_TRACE_CONTROL_NONE;
    const sdk_context_t *context = unit->service->context;
    sdk_thread_t *self = sdk_thread_needed("a dispatch is not traced");
    if (!self) return answer;
    const rocprofiler_async_correlation_id_t correlation = {
        .internal = operation->internal, .external = {.value = sdk_external(self, context)}};
    sdk_emit_begin(self);
    if (sdk_context_accepts(context))
        answer = unit->dispatch(unit->agent, (rocprofiler_queue_id_t){d->queue}, correlation,
                                info->kernel_id, info->dispatch_id, unit->dispatch_data, user);
    sdk_emit_end(self);
    return answer;
}

static sdk_trace_unit_t *unit_of(sdk_trace_service_t *service, rocprofiler_agent_id_t agent)
{
    for (unsigned i = 0; i < service->count; i++)
        if (service->units[i].agent.handle == agent.handle) return &service->units[i];
    return NULL;
}

static void *begin(void *running, sdk_dispatch_t *d, const sdk_operation_t *operation)
{
    static atomic_bool told;
    sdk_trace_service_t *service = running;
    rocprofiler_user_data_t user = {0};
    sdk_trace_unit_t *unit = unit_of(service, d->data.dispatch_info.agent_id);
    const hsa_agent_t gpu = hsax_lane_agent(d->item->lane);
    d->item->alone = service->serialize;
    if (!unit) return NULL;
    if (decide(unit, d, operation, &user) == ROCPROFILER_THREAD_TRACE_CONTROL_NONE) return NULL;
    const char *owner = hsax_owner_claim(gpu, HSAX_OWNER_SDK);
    if (owner) {
        if (!atomic_exchange(&told, true))
            base_error("a kernel is not traced: %s counts on its GPU in this process", owner);
        return NULL;
    }
    sdk_trace_block_t *block = sdk_trace_block_take(unit, gpu);
    if (!block) {
        if (!atomic_exchange(&told, true))
            base_error("a kernel is not traced, perhaps others neither: no buffer for it");
        hsax_owner_release(gpu, HSAX_OWNER_SDK);
        return NULL;
    }
    block->user = user;
    block->wrap.inner = d->item->wrap; /* the packets of the counters, if the dispatch is counted as
                                        * well */
    d->item->wrap = &block->wrap;
    return block;
}

static void end(sdk_trace_block_t *block, bool used)
{
    const hsa_agent_t gpu = block->agent;
    sdk_trace_block_give(block, used);
    hsax_owner_release(gpu, HSAX_OWNER_SDK);
}

static void complete(void *block, const sdk_dispatch_t *d)
{
    (void)d;
    sdk_trace_block_deliver(block);
    end(block, true);
}

static void lost(void *block)
{
    end(block, false);
}

const sdk_probe_t sdk_trace_probe = {
    .place = SDK_PROBE_AROUND, .wraps = true, .begin = begin, .complete = complete, .lost = lost};
