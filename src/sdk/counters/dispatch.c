/* dispatch.c - dispatch counting: the tool chooses a configuration at the launch, and gets the
 * values at the end.
 *
 * It is a probe around dispatches (gpu/dispatch.h). The launching thread takes a block, the GPU
 * writes to it, and the collector's thread evaluates it. */
#include "sdk/counters/counters.h"

#include "base/log.h"
#include "hsa/owner.h"
#include "hsa/replay.h"
#include "sdk/core/registration.h"

#include <string.h>

sdk_dispatch_service_t *sdk_dispatch_services[SDK_CONTEXTS_MAX];

/* ---- at the launch ---- */

/* Logs, once in a process, why values are missing. */
static void refuse(const char *why)
{
    static atomic_bool told;
    if (!atomic_exchange(&told, true))
        base_error("a dispatch is not counted, perhaps others neither: %s", why);
}

/* Calls the tool for the configuration that it chooses. Handle 0: the tool chooses none, or is
 * finalised. */
static rocprofiler_counter_config_id_t
choose_config(const sdk_dispatch_service_t *service,
              rocprofiler_dispatch_counting_service_data_t data, rocprofiler_user_data_t *user)
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

/* Takes the block for one run of the dispatch; NULL if the run is not measured. */
static sdk_block_t *begin_pass(const sdk_dispatch_service_t *service, hsax_item_t *item,
                               const rocprofiler_dispatch_counting_service_data_t *data,
                               uint32_t pass)
{
    rocprofiler_user_data_t user = {.value = pass};
    rocprofiler_counter_config_id_t config = choose_config(service, *data, &user);
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

static void *begin(void *running, sdk_dispatch_t *d, const sdk_operation_t *operation)
{
    const sdk_dispatch_service_t *service = running;
    hsax_item_t *item = d->item;
    rocprofiler_dispatch_counting_service_data_t data = {
        .size = sizeof data,
        .correlation_id = {.internal = operation->internal,
                           .external = {.value =
                                            sdk_dispatch_external(service->context, operation)}},
        .dispatch_info = d->data.dispatch_info,
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

static void complete(void *first, const sdk_dispatch_t *d)
{
    end_replay(first, true);
    for (sdk_block_t *block = first, *next; block; block = next) {
        next = block->again;
        complete_pass(block, d->data.start_timestamp, d->data.end_timestamp);
    }
}

static void lost(void *first)
{
    sdk_block_t *block = first;
    if (block->config->interval) sdk_spm_lost(block);
    end_replay(block, false);
    give_all(block, false);
}

const sdk_probe_t sdk_counting_probe = {
    .place = SDK_PROBE_INSIDE,
    .wraps = true,
    .begin = begin,
    .complete = complete,
    .lost = lost,
    .lost_text = "dispatches that were to be counted did not finish: no values of them",
};
