/* dispatch.c - dispatch counting: the tool is asked at the launch, and gets the values at the end.
 *
 * Called by kernel_dispatch.c, which owns the dispatch. The launching thread takes a block, the
 * collector's thread evaluates it; between the two the GPU uses it. */
#include "sdk/counters/counters.h"
#include "sdk/counters/service.h"

#include "base/log.h"
#include "hsa/owner.h"
#include "hsa/replay.h"
#include "sdk/core/registration.h"

#include <string.h>

_Atomic(const sdk_dispatch_service_t *) sdk_dispatch_service;

const sdk_plan_t sdk_counting_plan = {
    .domain = SDK_DOMAIN_KERNEL_DISPATCH,
    .operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE,
    .request_kind = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
};

/* ---- at the launch ---- */

/* The context's external id for the dispatch. If the context also follows dispatches, it has been
 * asked already. */
uint64_t sdk_counting_external(const sdk_context_t *context, const sdk_operation_t *operation)
{
    const sdk_plan_t *plan = operation->plan;
    for (unsigned i = 0; i < plan->callback_count; i++)
        if (plan->callbacks[i].context == context) return operation->callback_external[i].value;
    for (unsigned i = 0; i < plan->buffer_count; i++)
        if (plan->buffers[i].context == context) return operation->buffer_external[i].value;
    sdk_thread_t *self = sdk_thread_self();
    if (!self) return 0;
    if (context->request && sdk_external_asks(context, &sdk_counting_plan))
        return sdk_external_ask(self, context, &sdk_counting_plan, operation->internal);
    return sdk_external(self, context);
}

/* Logs, once in a process, why values are missing. */
static void refuse(const char *why)
{
    static atomic_bool told;
    if (!atomic_exchange(&told, true))
        base_error("a dispatch is not counted, perhaps others neither: %s", why);
}

/* The configuration that the tool chooses; handle 0: none, also if the tool is finalised. */
static rocprofiler_counter_config_id_t ask(const sdk_dispatch_service_t *service,
                                           rocprofiler_dispatch_counting_service_data_t data,
                                           rocprofiler_user_data_t *user)
{
    rocprofiler_counter_config_id_t config = {0};
    sdk_thread_t *self = sdk_thread_needed("a dispatch is not counted");
    if (!self) return config;
    sdk_emit_begin(self);
    if (sdk_context_accepts(service->context) && service->spm_callback) {
        const rocprofiler_spm_dispatch_counting_service_data_t spm = sdk_spm_data(&data);
        service->spm_callback(&spm, &config, user, service->data);
    } else if (sdk_context_accepts(service->context)) {
        service->callback(data, &config, user, service->data);
    }
    sdk_emit_end(self);
    return config;
}

static sdk_block_t *take(rocprofiler_counter_config_id_t id, bool streams, hsax_item_t *item,
                         rocprofiler_agent_id_t agent)
{
    sdk_config_t *config = sdk_config_get(id);
    if (config && !config->interval == streams) {
        sdk_config_put(config);
        config = NULL;
    }
    if (!config) {
        refuse("the tool's callback gave a counter configuration that does not exist");
        return NULL;
    }
    sdk_block_t *block = NULL;
    hsa_agent_t gpu = hsax_lane_agent(item->lane);
    if (config->agent->id.handle != agent.handle) {
        refuse("the tool's callback gave a counter configuration of another agent");
    } else if (hsax_owner_claim(gpu, HSAX_OWNER_SDK)) {
        refuse("another profiler library of the process counts on the GPU");
    } else if (!(block = sdk_block_take(config, gpu))) {
        refuse("no memory for its packets, or too many are in flight");
        hsax_owner_release(gpu, HSAX_OWNER_SDK);
    }
    sdk_config_put(config);
    return block;
}

static void give(sdk_block_t *block, bool used)
{
    hsa_agent_t gpu = block->agent;
    sdk_block_give(block, used);
    hsax_owner_release(gpu, HSAX_OWNER_SDK);
}

static void end_replay(const sdk_block_t *first, bool done)
{
    for (; first; first = first->again)
        if (first->wrap.replay) hsax_replay_end(first->wrap.replay, done);
}

static void give_all(sdk_block_t *block, bool used)
{
    for (sdk_block_t *next; block; block = next) {
        next = block->again;
        give(block, used);
    }
}

/* The block for one run of the dispatch; NULL: it is not measured. */
static sdk_block_t *begin_pass(const sdk_dispatch_service_t *service, hsax_item_t *item,
                               const rocprofiler_dispatch_counting_service_data_t *data,
                               uint32_t pass)
{
    rocprofiler_user_data_t user = {.value = pass};
    rocprofiler_counter_config_id_t config = ask(service, *data, &user);
    sdk_block_t *block =
        config.handle ? take(config, service->spm_callback, item, data->dispatch_info.agent_id)
                      : NULL;
    if (!block) return NULL;
    if (!sdk_block_begins_cold(block, service->passes > 1) ||
        (service->spm_callback && !sdk_spm_begin(block))) {
        give(block, true);
        return NULL;
    }
    block->item = item;
    block->service = service;
    block->data = *data;
    block->user = user;
    block->again = NULL;
    block->wrap.again = NULL;
    block->wrap.replay = NULL;
    return block;
}

sdk_block_t *sdk_counting_begin(const sdk_dispatch_service_t *service, hsax_item_t *item,
                                const rocprofiler_kernel_dispatch_info_t *info,
                                const sdk_operation_t *operation)
{
    rocprofiler_dispatch_counting_service_data_t data = {
        .size = sizeof data,
        .correlation_id = {.internal = operation->internal,
                           .external = {.value =
                                            sdk_counting_external(service->context, operation)}},
        .dispatch_info = *info,
    };
    sdk_block_t *first = NULL, **last = &first;
    hsax_wrap_t *first_wrap = NULL, *wrap = NULL;
    unsigned runs = 0;
    uint32_t passes = service->passes ? service->passes : 1;
    if (passes > 1 && !hsax_replay_possible()) return NULL;
    for (uint32_t pass = 0; pass < passes; pass++) {
        sdk_block_t *block = begin_pass(service, item, &data, pass);
        if (!block && !pass) return NULL;
        if (!block) continue;
        *last = block;
        last = &block->again;
        if (!block->config->event_count) continue;
        if (wrap)
            wrap->again = &block->wrap;
        else
            first_wrap = &block->wrap;
        wrap = &block->wrap;
        runs++;
    }
    if (runs > 1 && !(first_wrap->replay = hsax_replay_begin(item->lane, runs))) {
        refuse("no memory or signals to run a kernel several times");
        give_all(first, true);
        return NULL;
    }
    item->wrap = first_wrap;
    return first;
}

/* ---- at the end ---- */

static void record(const sdk_dispatch_service_t *service, sdk_block_t *block, size_t count)
{
    rocprofiler_dispatch_counting_service_record_t header = {
        .size = sizeof header,
        .num_records = count,
        .correlation_id = block->data.correlation_id,
        .start_timestamp = block->data.start_timestamp,
        .end_timestamp = block->data.end_timestamp,
        .dispatch_info = block->data.dispatch_info,
    };
    sdk_buffer_emit(service->buffer, ROCPROFILER_BUFFER_CATEGORY_COUNTERS,
                    ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER, &header,
                    sizeof header);
    for (size_t i = 0; i < count; i++)
        sdk_buffer_emit(service->buffer, ROCPROFILER_BUFFER_CATEGORY_COUNTERS,
                        ROCPROFILER_COUNTER_RECORD_VALUE, &block->records[i],
                        sizeof block->records[i]);
}

static void call(const sdk_dispatch_service_t *service, sdk_block_t *block, size_t count)
{
    sdk_thread_t *self = sdk_thread_needed("values of a dispatch are lost");
    if (!self) return;
    sdk_emit_begin(self);
    if (sdk_context_accepts(service->context))
        service->record(block->data, block->records, count, block->user, service->record_data);
    sdk_emit_end(self);
}

static void complete_pass(sdk_block_t *block, uint64_t start_ns, uint64_t end_ns)
{
    if (block->config->interval) {
        sdk_spm_complete(block);
        give(block, true);
        return;
    }
    size_t count = sdk_block_evaluate(block);
    for (size_t i = 0; i < count; i++) {
        block->records[i].dispatch_id = block->data.dispatch_info.dispatch_id;
        block->records[i].user_data = block->user;
    }
    block->data.start_timestamp = start_ns;
    block->data.end_timestamp = end_ns;
    if (block->service->buffer)
        record(block->service, block, count);
    else
        call(block->service, block, count);
    give(block, true);
}

void sdk_counting_complete(sdk_block_t *block, uint64_t start_ns, uint64_t end_ns)
{
    end_replay(block, true);
    for (sdk_block_t *next; block; block = next) {
        next = block->again;
        complete_pass(block, start_ns, end_ns);
    }
}

static atomic_uint_fast64_t lost_count;

uint64_t sdk_counting_lost_count(void)
{
    return atomic_load(&lost_count);
}

void sdk_counting_lost(sdk_block_t *block)
{
    atomic_fetch_add(&lost_count, 1);
    if (block->config->interval) sdk_spm_lost(block);
    end_replay(block, false);
    give_all(block, false);
}
