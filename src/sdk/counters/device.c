/* device.c - device counting: agents that count while a context runs, and samples of their
 * counters.
 *
 * Each agent has a queue of its own for the packets that start, read and stop its counters; kernels
 * on other queues run meanwhile. There is one lock for each service. A thread that must not wait
 * for the lock leaves its request to the thread that holds the lock. */
#include "sdk/counters/counters.h"

#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/owner.h"
#include "hsa/runtime.h"
#include "sdk/agent/agent.h"
#include "sdk/core/registration.h"
#include "sdk/gpu/agent_queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    AGENTS_MAX = 32,
};
#define ANSWER_NS     10000000000u /* a sample that takes longer has failed */
#define LOOK_NS       20000        /* time between two reads of a signal */
#define SAMPLES_ASYNC 64           /* most samples of a lane in flight */

typedef struct {
    sdk_device_service_t *service;
    rocprofiler_agent_id_t id;
    sdk_buffer_t *buffer;
    rocprofiler_device_counting_service_cb_t callback;
    void *data;
    sdk_config_t *config; /* configuration that the tool chose at the start; NULL: none */
    sdk_block_t *block;   /* NULL: the agent is not counting */
    hsa_agent_t claimed;  /* agent that was claimed (hsa/owner.h); handle 0: none */
    hsa_queue_t *queue;   /* `queue` and `lane` live as long as HSA does */
    hsax_lane_t *lane;    /* for samples for which no thread waits */
    atomic_bool flying;   /* such a sample has not arrived yet */
    bool streams;         /* streaming counters: sampled all the time */
} unit_t;

struct sdk_device_service {
    sdk_context_t *context;
    pthread_mutex_t lock;
    atomic_bool running;
    atomic_bool asking;                /* the tool is choosing its configuration */
    const sdk_device_service_t *outer; /* the value that `inside` had before this service's tool
                                        * code ran */
    unsigned count;
    unit_t units[AGENTS_MAX];
};

sdk_device_service_t *sdk_device_services[SDK_CONTEXTS_MAX];

/* The service whose tool code this thread is running; that code may start and stop the context,
 * without the lock. */
static _Thread_local const sdk_device_service_t *inside;

/* Submits one of the block's packets and waits for it. */
static bool run(unit_t *unit, const void *packet)
{
    return sdk_agent_queue_run(unit->queue, packet, 1, unit->block->wrap.done);
}

static bool wait_for_async(unit_t *unit)
{
    uint64_t end = base_clock_ns(CLOCK_MONOTONIC) + ANSWER_NS;
    while (atomic_load(&unit->flying)) {
        if (base_clock_ns(CLOCK_MONOTONIC) > end) return false;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    return true;
}

/* ---- start and stop ---- */

static rocprofiler_status_t set_config(rocprofiler_context_id_t context_id,
                                       rocprofiler_counter_config_id_t config_id)
{
    sdk_context_t *context = sdk_context_find(context_id);
    sdk_device_service_t *service = context ? sdk_device_services[context->slot] : NULL;
    if (!service) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (!atomic_load(&service->asking)) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_config_t *config = sdk_config_get(config_id);
    if (!config) return ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND;
    for (unsigned i = 0; i < service->count; i++) {
        unit_t *unit = &service->units[i];
        if (unit->id.handle != config->agent->id.handle) continue;
        if (!config->interval == unit->streams) {
            sdk_config_put(config);
            return ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND;
        }
        if (unit->config) sdk_config_put(unit->config);
        unit->config = config;
        return ROCPROFILER_STATUS_SUCCESS;
    }
    sdk_config_put(config);
    return ROCPROFILER_STATUS_ERROR_AGENT_MISMATCH;
}

static rocprofiler_status_t ask(sdk_device_service_t *service, unit_t *unit)
{
    sdk_thread_t *self = sdk_thread_needed("a GPU does not count");
    if (!self) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    atomic_store(&service->asking, true);
    sdk_emit_begin(self);
    if (sdk_context_accepts(service->context))
        unit->callback(sdk_context_id(service->context), unit->id, set_config, unit->data);
    sdk_emit_end(self);
    atomic_store(&service->asking, false);
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t start_unit(unit_t *unit)
{
    hsa_agent_t agent = sdk_gpu_agent(unit->id);
    if (!agent.handle) {
        base_error("a GPU that the HSA runtime does not show cannot count");
        return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    }
    if (unit->config->event_count) {
        if (!sdk_gpu_claim(agent)) return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
        unit->claimed = agent;
    }
    if (!unit->queue && unit->config->event_count) {
        unit->queue = sdk_agent_queue_create(agent, "count");
        if (!unit->queue) return ROCPROFILER_STATUS_ERROR_NO_PROFILE_QUEUE;
    }
    unit->block = sdk_block_take(unit->config, agent);
    if (!unit->block) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    const bool ready = !unit->streams || sdk_spm_device_start(unit->block, unit->buffer);
    if (ready && (!unit->config->event_count || run(unit, &unit->block->before[1])))
        return ROCPROFILER_STATUS_SUCCESS;
    if (ready && unit->streams) sdk_spm_device_stop(unit->block);
    sdk_block_give(unit->block, false);
    unit->block = NULL;
    return ROCPROFILER_STATUS_ERROR;
}

static void stop_unit(unit_t *unit)
{
    if (unit->block) {
        bool over = wait_for_async(unit) &&
                    (!unit->config->event_count || run(unit, &unit->block->after[1]));
        if (unit->streams) sdk_spm_device_stop(unit->block);
        sdk_block_give(unit->block, over);
    }
    unit->block = NULL;
    if (unit->claimed.handle) hsax_owner_release(unit->claimed, HSAX_OWNER_SDK);
    unit->claimed.handle = 0;
    if (unit->config) sdk_config_put(unit->config);
    unit->config = NULL;
}

static void stop_all(sdk_device_service_t *service)
{
    for (unsigned i = 0; i < service->count; i++)
        stop_unit(&service->units[i]);
    service->running = false;
}

/* Returns false if this thread holds the lock already, or if this thread is in a buffer's callback
 * and the lock is taken, since the holder may be waiting for that callback. */
static bool lock_service(sdk_device_service_t *service)
{
    const sdk_thread_t *self = sdk_thread_self();
    if (inside == service) return false;
    if (self && self->delivering) return !pthread_mutex_trylock(&service->lock);
    pthread_mutex_lock(&service->lock);
    return true;
}

/* Unlocks. Before that it stops the service if a thread that could not get the lock has requested
 * it. */
static void unlock_service(sdk_device_service_t *service)
{
    do {
        if (service->running && !sdk_context_active(service->context)) stop_all(service);
        pthread_mutex_unlock(&service->lock);
    } while (service->running && !sdk_context_active(service->context) &&
             !pthread_mutex_trylock(&service->lock));
}

/* These enclose tool code that runs with the lock held. */
static void enter(sdk_device_service_t *service)
{
    service->outer = inside;
    inside = service;
}

static void leave(sdk_device_service_t *service)
{
    inside = service->outer;
}

rocprofiler_status_t sdk_device_start(sdk_device_service_t *service)
{
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    /* The request is carried out later: when HSA starts, or by the holder of the lock. */
    if (!hsax_runtime_up() || inside == service) return status;
    if (!lock_service(service)) return ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR;
    if (service->running) goto out;
    service->running = true;
    enter(service);
    for (unsigned i = 0; i < service->count && status == ROCPROFILER_STATUS_SUCCESS; i++) {
        status = ask(service, &service->units[i]);
        if (service->units[i].config) status = start_unit(&service->units[i]);
    }
    leave(service);
    if (status != ROCPROFILER_STATUS_SUCCESS) stop_all(service);
out:
    unlock_service(service);
    return status;
}

void sdk_device_stop(sdk_device_service_t *service)
{
    if (lock_service(service)) unlock_service(service);
}

void sdk_device_abandon(sdk_device_service_t *service)
{
    pthread_mutex_lock(&service->lock);
    if (service->running) stop_all(service);
    for (unsigned i = 0; i < service->count; i++) {
        if (service->units[i].queue) hsax.core.hsa_queue_destroy_fn(service->units[i].queue);
        service->units[i].queue = NULL;
        service->units[i].lane = NULL; /* all lanes are closed when HSA shuts down */
    }
    pthread_mutex_unlock(&service->lock);
}

void sdk_device_forked(sdk_device_service_t *service)
{
    pthread_mutex_init(&service->lock, NULL);
    service->running = false;
    for (unsigned i = 0; i < service->count; i++) {
        unit_t *unit = &service->units[i];
        unit->config = NULL;
        unit->block = NULL;
        unit->queue = NULL;
        unit->lane = NULL;
        atomic_store(&unit->flying, false);
    }
}

bool sdk_device_conflict(const sdk_device_service_t *a, const sdk_device_service_t *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned j = 0; j < b->count; j++)
            if (a->units[i].id.handle == b->units[j].id.handle) return true;
    return false;
}

/* ---- samples ---- */

/* Computes records from the values that the read packet has stored, and writes them to the buffer
 * and to `records`, which has room for `room` of them or is NULL. Returns their number. */
static size_t deliver(unit_t *unit, rocprofiler_user_data_t user,
                      rocprofiler_counter_record_t *records, size_t room)
{
    size_t count = sdk_block_evaluate(unit->block);
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_record_t *record = &unit->block->records[i];
        record->user_data = user;
        sdk_buffer_emit(unit->buffer, ROCPROFILER_BUFFER_CATEGORY_COUNTERS,
                        ROCPROFILER_COUNTER_RECORD_VALUE, record, sizeof *record);
        if (i < room) records[i] = *record;
    }
    return count;
}

typedef struct {
    unit_t *unit;
    rocprofiler_user_data_t user;
} async_t;

static bool no_times(hsax_item_t *item)
{
    (void)item;
    return true;
}

static void async_complete(hsax_item_t *item)
{
    const async_t async = *(async_t *)item->client;
    sdk_device_service_t *service = async.unit->service;
    inside = service; /* the lock is not taken: its holder may be waiting for this sample */
    deliver(async.unit, async.user, NULL, 0);
    inside = NULL;
    atomic_store(&async.unit->flying, false);
    if (!pthread_mutex_trylock(&service->lock)) unlock_service(service);
}

static void async_lost(hsax_item_t *item)
{
    atomic_store(&((async_t *)item->client)->unit->flying, false);
}

static bool begin_async(unit_t *unit, rocprofiler_user_data_t user)
{
    static const hsax_lane_ops_t ops = {sizeof(async_t), no_times, async_complete, async_lost};
    if (!unit->lane) unit->lane = hsax_lane_open(&ops, unit->block->agent, 1, SAMPLES_ASYNC);
    hsax_item_t *item = unit->lane && hsax_collecting() ? hsax_lane_take(unit->lane) : NULL;
    if (!item) return false;
    *(async_t *)item->client = (async_t){unit, user};
    atomic_store(&unit->flying, true);
    sdk_agent_queue_submit(unit->queue, &unit->block->after[0], 1, item->signal);
    hsax_lane_submit(item);
    return true;
}

static rocprofiler_status_t sample_unit(unit_t *unit, rocprofiler_user_data_t user, bool async,
                                        rocprofiler_counter_record_t *records, size_t room,
                                        size_t *count)
{
    if (!unit->block || unit->streams) return ROCPROFILER_STATUS_SUCCESS;
    if (!wait_for_async(unit)) return ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR;
    bool hardware = unit->config->event_count;
    if (hardware && async)
        return begin_async(unit, user) ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR;
    if (hardware && !run(unit, &unit->block->after[0])) return ROCPROFILER_STATUS_ERROR;
    size_t left = records && *count < room ? room - *count : 0;
    *count += deliver(unit, user, left ? records + *count : NULL, left);
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t check_sample(rocprofiler_context_id_t id,
                                         rocprofiler_counter_flag_t flags,
                                         const rocprofiler_counter_record_t *records,
                                         const size_t *rec_count, sdk_device_service_t **service)
{
    sdk_context_t *context = sdk_context_find(id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (sdk_finalizing()) return ROCPROFILER_STATUS_ERROR_FINALIZED;
    if (!sdk_context_active(context)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED;
    if (flags != ROCPROFILER_COUNTER_FLAG_NONE && flags != ROCPROFILER_COUNTER_FLAG_ASYNC)
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (records && (!rec_count || flags == ROCPROFILER_COUNTER_FLAG_ASYNC))
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *service = sdk_device_services[context->slot];
    if (!*service) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (records && !*rec_count) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    return hsax_runtime_up() ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED;
}

rocprofiler_status_t rocprofiler_sample_device_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_user_data_t user_data,
    rocprofiler_counter_flag_t flags, rocprofiler_counter_record_t *output_records,
    size_t *rec_count)
{
    sdk_device_service_t *service;
    rocprofiler_status_t status =
        check_sample(context_id, flags, output_records, rec_count, &service);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    if (inside == service || pthread_mutex_trylock(&service->lock))
        return ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR;
    size_t count = 0, room = output_records ? *rec_count : 0;
    if (!service->running) status = ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED;
    enter(service);
    for (unsigned i = 0; i < service->count && status == ROCPROFILER_STATUS_SUCCESS; i++)
        status = sample_unit(&service->units[i], user_data, flags == ROCPROFILER_COUNTER_FLAG_ASYNC,
                             output_records, room, &count);
    leave(service);
    unlock_service(service);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    if (output_records) *rec_count = count;
    return count > room && output_records ? ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES
                                          : ROCPROFILER_STATUS_SUCCESS;
}

/* ---- configuration ---- */

static rocprofiler_status_t add_unit(sdk_device_service_t *service, const unit_t *unit)
{
    for (unsigned i = 0; i < service->count; i++)
        if (service->units[i].id.handle == unit->id.handle)
            return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (service->count == AGENTS_MAX) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    service->units[service->count] = *unit;
    service->units[service->count++].service = service;
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t configure(rocprofiler_context_id_t context_id,
                                      rocprofiler_buffer_id_t buffer_id,
                                      rocprofiler_agent_id_t agent_id,
                                      rocprofiler_device_counting_service_cb_t cb, void *user_data,
                                      bool streams)
{
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (!cb) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    sdk_buffer_t *buffer = sdk_buffer_find(buffer_id);
    if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    const rocprofiler_agent_v0_t *agent = sdk_agent_find(agent_id);
    if (!agent || agent->type != ROCPROFILER_AGENT_TYPE_GPU)
        return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    if (sdk_dispatch_services[context->slot])
        return ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT;
    unit_t unit = {
        .id = agent_id, .buffer = buffer, .callback = cb, .data = user_data, .streams = streams};
    if (!sdk_device_services[context->slot]) {
        sdk_device_service_t *made = calloc(1, sizeof *made);
        if (!made) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
        pthread_mutex_init(&made->lock, NULL);
        made->context = context;
        sdk_device_services[context->slot] = made;
    }
    return add_unit(sdk_device_services[context->slot], &unit);
}

rocprofiler_status_t rocprofiler_configure_device_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_agent_id_t agent_id, rocprofiler_device_counting_service_cb_t cb, void *user_data)
{
    return configure(context_id, buffer_id, agent_id, cb, user_data, false);
}

rocprofiler_status_t rocprofiler_configure_spm_device_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_agent_id_t agent_id, rocprofiler_device_counting_service_cb_t cb, void *user_data)
{
    if (!sdk_spm_enabled()) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    return configure(context_id, buffer_id, agent_id, cb, user_data, true);
}
