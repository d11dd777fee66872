/* config.c - configurations: counters that are counted together, and the blocks that count them.
 *
 * A configuration is checked completely when it is made. Later memory is allocated only if more
 * measurements are in flight at once than ever before: blocks are used again. */
#include "sdk/counters/counters.h"

#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/pm4.h"
#include "sdk/agent/agent.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"

enum {
    BLOCKS_MAX = 2048,       /* most blocks of a configuration in use at once */
    TAKE_PATIENCE_MS = 1000, /* how long a launch waits for a block */
};
#define NOWHERE UINT32_MAX /* for values that no counter of the configuration needs */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sdk_config_t **configs; /* index: handle - 1; NULL: destroyed */
static size_t config_count;

/* ---- handles ---- */

static void free_block(sdk_block_t *block)
{
    if (block->life == sdk_gpu_life()) {
        if (block->wrap.done.handle) hsax.core.hsa_signal_destroy_fn(block->wrap.done);
        if (block->handle.handle && block->config->interval)
            aqlprofile_spm_delete_packets(block->handle);
        else if (block->handle.handle)
            aqlprofile_pmc_delete_packets(block->handle);
    }
    free(block->raw);
    free(block->records);
    free(block);
}

static void free_config(sdk_config_t *config)
{
    for (sdk_block_t *block = config->free, *next; block; block = next) {
        next = block->next;
        free_block(block);
    }
    if (config->plan) ctr_plan_destroy(config->plan);
    free(config->counters);
    free(config->ids);
    free(config->events);
    free(config->event_of);
    free(config->places);
    pthread_mutex_destroy(&config->lock);
    free(config);
}

sdk_config_t *sdk_config_get(rocprofiler_counter_config_id_t id)
{
    pthread_mutex_lock(&lock);
    sdk_config_t *config = id.handle && id.handle <= config_count ? configs[id.handle - 1] : NULL;
    if (config) config->references++;
    pthread_mutex_unlock(&lock);
    return config;
}

static void refer(sdk_config_t *config)
{
    pthread_mutex_lock(&lock);
    config->references++;
    pthread_mutex_unlock(&lock);
}

void sdk_config_put(sdk_config_t *config)
{
    pthread_mutex_lock(&lock);
    bool last = --config->references == 0;
    pthread_mutex_unlock(&lock);
    if (last) free_config(config);
}

static bool publish(sdk_config_t *config)
{
    pthread_mutex_lock(&lock);
    const bool room = BASE_GROW_BY_ONE(configs, config_count);
    if (room) {
        configs[config_count++] = config;
        config->references = 1;
        config->id.handle = config_count;
    }
    pthread_mutex_unlock(&lock);
    return room;
}

rocprofiler_status_t sdk_config_destroy(rocprofiler_counter_config_id_t config_id, bool streams)
{
    pthread_mutex_lock(&lock);
    sdk_config_t *config =
        config_id.handle && config_id.handle <= config_count ? configs[config_id.handle - 1] : NULL;
    if (config && !config->interval == streams) config = NULL;
    if (config) configs[config_id.handle - 1] = NULL;
    pthread_mutex_unlock(&lock);
    if (!config) return ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND;
    sdk_config_put(config);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config_id)
{
    return sdk_config_destroy(config_id, false);
}

void sdk_config_forked(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* ---- making one ---- */

static bool add_counter(sdk_config_t *config, const ctr_counter_t *counter)
{
    for (size_t i = 0; i < config->counter_count; i++)
        if (config->counters[i] == counter) return true;
    if (!BASE_GROW_BY_ONE(config->counters, config->counter_count)) return false;
    config->counters[config->counter_count++] = counter;
    return true;
}

static rocprofiler_status_t add_list(sdk_config_t *config, const ctr_catalogue_t *catalogue,
                                     const rocprofiler_counter_id_t *list, size_t count)
{
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    sdk_counters_lock();
    for (size_t i = 0; i < count && status == ROCPROFILER_STATUS_SUCCESS; i++) {
        const ctr_catalogue_t *of;
        const ctr_counter_t *counter = sdk_counters_find(list[i], &of);
        if (!counter)
            status = ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
        else if (of != catalogue)
            status = ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT;
        else if (!add_counter(config, counter))
            status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    sdk_counters_unlock();
    return status;
}

/* Adds the counters of another configuration. A handle that is not a configuration of the agent is
 * ignored: some clients (PAPI) pass one that they have never set. */
static rocprofiler_status_t add_existing(sdk_config_t *config, rocprofiler_counter_config_id_t id)
{
    sdk_config_t *from = sdk_config_get(id);
    if (!from) return ROCPROFILER_STATUS_SUCCESS;
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    size_t count = from->agent == config->agent ? from->counter_count : 0;
    for (size_t i = 0; i < count && status == ROCPROFILER_STATUS_SUCCESS; i++)
        if (!add_counter(config, from->counters[i]))
            status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    sdk_config_put(from);
    return status;
}

static rocprofiler_status_t status_of(const ctr_error_t *error)
{
    base_error("%s", error->text);
    switch (error->status) {
    case CTR_TOO_MANY: return ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
    case CTR_NO_MEMORY: return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    case CTR_NOT_FOUND: return ROCPROFILER_STATUS_ERROR_PROFILE_COUNTER_NOT_FOUND;
    default: return ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED;
    }
}

bool sdk_counters_aql_agent(const rocprofiler_agent_v0_t *a, aqlprofile_agent_handle_t *handle)
{
    const aqlprofile_agent_info_v1_t info = {.agent_gfxip = a->name,
                                             .xcc_num = a->num_xcc,
                                             .se_num = a->num_shader_banks,
                                             .cu_num = a->cu_count,
                                             .shader_arrays_per_se = a->simd_arrays_per_engine,
                                             .domain = a->domain,
                                             .location_id = a->location_id};
    if (!aqlprofile_register_agent_info(handle, &info, AQLPROFILE_AGENT_VERSION_V1)) return true;
    handle->handle = 0;
    return false;
}

/* Sets how many counters each block can count at once, which the AQL profile library knows. */
static void query_slots(const sdk_config_t *config, ctr_agent_t *agent)
{
    for (uint32_t block = 0; config->aql_agent.handle && block < CTR_BLOCK_IDS; block++) {
        const aqlprofile_pmc_event_t event = {.block_name =
                                                  (hsa_ven_amd_aqlprofile_block_name_t)block};
        const aqlprofile_pmc_profile_t profile = {config->aql_agent, &event, 1};
        uint32_t slots = 0;
        if (!aqlprofile_get_pmc_info(&profile, AQLPROFILE_INFO_BLOCK_COUNTERS, &slots))
            agent->slots[block] = slots;
    }
}

static rocprofiler_status_t plan(sdk_config_t *config, const ctr_catalogue_t *catalogue)
{
    ctr_error_t error = {0};
    ctr_agent_t agent = sdk_counters_agent(config->agent);
    sdk_counters_aql_agent(config->agent, &config->aql_agent);
    query_slots(config, &agent);
    sdk_counters_lock();
    ctr_status_t status = ctr_plan_create(catalogue, &agent, config->counters,
                                          config->counter_count, 1, &config->plan, &error);
    sdk_counters_unlock();
    if (status != CTR_OK) {
        config->plan = NULL;
        error.status = status;
        return status_of(&error);
    }
    config->pass = ctr_plan_pass(config->plan, 0);
    size_t count = config->pass ? config->pass->value_count : 0;
    config->ids = calloc(count + 1, sizeof *config->ids);
    if (!config->ids) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    for (size_t r = 0; config->pass && r < config->pass->result_count; r++) {
        const ctr_result_t *result = &config->pass->results[r];
        for (size_t i = 0; i < ctr_shape_size(&result->shape); i++)
            config->ids[result->first + i] =
                ctr_instance_id(result->counter->id, &result->shape, i);
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static uint32_t instances_of(const ctr_event_t *event)
{
    const uint16_t *extent = event->shape.extent;
    /* a counter has one instance on each */
    const uint32_t aids = extent[CTR_DIM_AID] ? extent[CTR_DIM_AID] : 1;
    return aids * (extent[CTR_DIM_INSTANCE] ? extent[CTR_DIM_INSTANCE] : 1);
}

/* Lists the events of the plan as the AQL profile library takes them: one for each instance. */
static rocprofiler_status_t list_events(sdk_config_t *config)
{
    size_t count = 0;
    for (size_t i = 0; config->pass && i < config->pass->event_count; i++)
        count += instances_of(&config->pass->events[i]);
    if (!count) return ROCPROFILER_STATUS_SUCCESS;
    config->events = calloc(count, sizeof *config->events);
    config->event_of = calloc(count, sizeof *config->event_of);
    if (!config->events || !config->event_of) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    for (size_t i = 0; i < config->pass->event_count; i++) {
        const ctr_event_t *event = &config->pass->events[i];
        for (uint32_t instance = 0; instance < instances_of(event); instance++) {
            config->event_of[config->event_count] = (uint32_t)i;
            config->events[config->event_count++] = (aqlprofile_pmc_event_t){
                .block_index = instance,
                .event_id = event->counter->event,
                .flags.raw =
                    event->accumulate ? (uint32_t)event->accumulate : event->counter->event_flags,
                .block_name = (hsa_ven_amd_aqlprofile_block_name_t)event->counter->block_id,
            };
        }
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Checks with the AQL profile library that it can count the events on this agent. */
static rocprofiler_status_t check_events(sdk_config_t *config)
{
    if (!config->event_count) return ROCPROFILER_STATUS_SUCCESS;
    const char *name = config->agent->name;
    if (!config->aql_agent.handle) {
        sdk_counters_aql_agent(config->agent, &config->aql_agent); /* called only for its message,
                                                                    * which was overwritten */
        base_error("agent %s cannot count: %s", name, sdk_gpu_aql_message());
        return ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED;
    }
    aqlprofile_pmc_profile_t profile = {config->aql_agent, config->events, config->event_count};
    uint32_t bytes;
    if (!aqlprofile_get_pmc_info(&profile, AQLPROFILE_INFO_COMMAND_BUFFER_SIZE, &bytes))
        return ROCPROFILER_STATUS_SUCCESS;
    base_error("agent %s cannot count this: %s", name, sdk_gpu_aql_message());
    return ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
}

rocprofiler_status_t sdk_config_make(rocprofiler_agent_id_t agent_id,
                                     rocprofiler_counter_id_t *counters_list, size_t counters_count,
                                     const rocprofiler_counter_config_id_t *config_id,
                                     sdk_config_t **out)
{
    if (!config_id || (!counters_list && counters_count))
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const rocprofiler_agent_v0_t *agent = sdk_agent_find(agent_id);
    if (!agent) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    const ctr_catalogue_t *catalogue = sdk_counters_catalogue(agent);
    sdk_config_t *config = calloc(1, sizeof *config);
    if (!config) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    pthread_mutex_init(&config->lock, NULL);
    config->agent = agent;
    rocprofiler_status_t status = add_list(config, catalogue, counters_list, counters_count);
    if (status == ROCPROFILER_STATUS_SUCCESS) status = add_existing(config, *config_id);
    if (status == ROCPROFILER_STATUS_SUCCESS && !catalogue)
        status = ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED;
    if (status == ROCPROFILER_STATUS_SUCCESS) status = plan(config, catalogue);
    if (status == ROCPROFILER_STATUS_SUCCESS) status = list_events(config);
    if (status == ROCPROFILER_STATUS_SUCCESS) status = check_events(config);
    if (status == ROCPROFILER_STATUS_SUCCESS)
        *out = config;
    else
        free_config(config);
    return status;
}

rocprofiler_status_t sdk_config_end(sdk_config_t *config, rocprofiler_status_t status,
                                    rocprofiler_counter_config_id_t *config_id)
{
    if (status == ROCPROFILER_STATUS_SUCCESS && !publish(config))
        status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    if (status == ROCPROFILER_STATUS_SUCCESS)
        *config_id = config->id;
    else
        free_config(config);
    return status;
}

rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
                                                       rocprofiler_counter_id_t *counters_list,
                                                       size_t counters_count,
                                                       rocprofiler_counter_config_id_t *config_id)
{
    sdk_config_t *config;
    rocprofiler_status_t status =
        sdk_config_make(agent_id, counters_list, counters_count, config_id, &config);
    return status == ROCPROFILER_STATUS_SUCCESS ? sdk_config_end(config, status, config_id)
                                                : status;
}

/* ---- where each value belongs in the results ---- */

typedef struct {
    const sdk_config_t *config;
    uint32_t *places;
    uint32_t count;
} placing_t;

static hsa_status_t add_coordinate(int position, int id, int extent, int coordinate,
                                   const char *name, void *data)
{
    /* the library's order is XCD, AID, SE, SA, WGP, INSTANCE */
    static const ctr_dim_t dims[] = {CTR_DIM_XCC,          CTR_DIM_AID, CTR_DIM_SHADER_ENGINE,
                                     CTR_DIM_SHADER_ARRAY, CTR_DIM_WGP, CTR_DIM_INSTANCE};
    (void)position, (void)extent, (void)name;
    uint32_t *at = data;
    if (id >= 0 && (size_t)id < sizeof dims / sizeof *dims) at[dims[id]] = (uint32_t)coordinate;
    return HSA_STATUS_SUCCESS;
}

static uint32_t place_of(const sdk_config_t *config, aqlprofile_pmc_event_t event, uint64_t sample)
{
    uint32_t position[CTR_DIM_COUNT] = {0};
    if (aqlprofile_iterate_event_coord(config->aql_agent, event, sample, add_coordinate, position))
        return NOWHERE;
    for (size_t i = 0; i < config->pass->event_count; i++) {
        const ctr_event_t *e = &config->pass->events[i];
        uint32_t flags = e->accumulate ? (uint32_t)e->accumulate : e->counter->event_flags;
        if (e->counter->block_id != (uint32_t)event.block_name ||
            e->counter->event != event.event_id || flags != event.flags.raw)
            continue;
        size_t index = ctr_shape_index(&e->shape, position);
        return index == SIZE_MAX ? NOWHERE : (uint32_t)(e->first + index);
    }
    return NOWHERE;
}

static hsa_status_t add_place(aqlprofile_pmc_event_t event, uint64_t sample, uint64_t value,
                              void *data)
{
    (void)value;
    placing_t *p = data;
    if (!BASE_GROW_BY_ONE(p->places, p->count)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    p->places[p->count++] = place_of(p->config, event, sample);
    return HSA_STATUS_SUCCESS;
}

/* Determines where each value belongs, once per configuration: all of its blocks deliver the values
 * in the same order. */
static bool find_places(sdk_config_t *config, aqlprofile_handle_t handle)
{
    placing_t p = {.config = config};
    if (aqlprofile_pmc_iterate_data(handle, add_place, &p)) {
        free(p.places);
        return false;
    }
    pthread_mutex_lock(&config->lock);
    if (config->places) {
        free(p.places);
    } else {
        config->places = p.places;
        config->place_count = p.count;
    }
    pthread_mutex_unlock(&config->lock);
    return true;
}

/* ---- blocks ---- */

static void make_wrap(sdk_block_t *block, const aqlprofile_pmc_aql_packets_t *packets)
{
    const bool streams = block->config->interval;
    block->before[1] = packets->start_packet;
    block->after[0] = streams ? packets->stop_packet : packets->read_packet;
    block->after[1] = packets->stop_packet;
    hsa_ext_amd_aql_pm4_packet_t *all[] = {&block->before[1], &block->after[0], &block->after[1]};
    for (int i = 0; i < 3; i++) {
        all[i]->header = HSA_PM4_FENCED;
        all[i]->completion_signal.handle = 0;
    }
    block->wrap.before = &block->before[1];
    block->wrap.before_count = 1;
    block->wrap.after = block->after;
    block->wrap.after_count = streams ? 1 : 2;
    block->wrap.reported_first = streams;
}

bool sdk_block_begins_cold(sdk_block_t *block, bool cold)
{
    if (cold && !block->before[0].header) {
        if (!sdk_cold_packet(block->agent, &block->before[0])) return false;
        block->before[0].header = HSA_PM4_FENCED;
    }
    block->wrap.before = &block->before[cold ? 0 : 1];
    block->wrap.before_count = cold ? 2 : 1;
    return true;
}

static bool make_packets(sdk_config_t *config, sdk_block_t *block)
{
    aqlprofile_pmc_profile_t profile = {config->aql_agent, config->events, config->event_count};
    aqlprofile_pmc_aql_packets_t packets;
    memset(&packets, 0, sizeof packets);
    if (config->interval
            ? !sdk_spm_make_packets(config, block, &packets.start_packet, &packets.stop_packet)
            : aqlprofile_pmc_create_packets(&block->handle, &packets, profile, sdk_gpu_allocate,
                                            sdk_gpu_free, sdk_gpu_copy, &block->agent) != 0) {
        base_error("no packets that count: %s", sdk_gpu_aql_message());
        block->handle.handle = 0;
        return false;
    }
    make_wrap(block, &packets);
    return (config->interval || config->places || find_places(config, block->handle)) &&
           hsax_make_signal(&block->wrap.done);
}

static sdk_block_t *make_block(sdk_config_t *config, hsa_agent_t agent)
{
    const ctr_pass_t *pass = config->pass;
    sdk_block_t *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    block->config = config;
    block->life = sdk_gpu_life();
    block->agent = agent;
    size_t numbers = pass->raw_count + pass->scratch_count + pass->value_count;
    block->raw = calloc(numbers + 1, sizeof *block->raw);
    block->records = calloc(pass->value_count + 1, sizeof *block->records);
    bool made = block->raw && block->records;
    if (made) {
        block->scratch = block->raw + pass->raw_count;
        block->values = block->scratch + pass->scratch_count;
        made = !config->event_count || make_packets(config, block);
    }
    if (made) return block;
    free_block(block);
    return NULL;
}

/* Takes a free block off the list; to be called with the lock held. Blocks made before an earlier
 * shutdown of HSA are freed. */
static sdk_block_t *take_free(sdk_config_t *config, hsa_agent_t agent)
{
    for (sdk_block_t **link = &config->free; *link;) {
        sdk_block_t *block = *link;
        if (block->life == sdk_gpu_life() && block->agent.handle != agent.handle) {
            link = &block->next;
            continue;
        }
        *link = block->next;
        if (block->life == sdk_gpu_life()) return block;
        config->block_count--;
        free_block(block);
    }
    return NULL;
}

sdk_block_t *sdk_block_take(sdk_config_t *config, hsa_agent_t agent)
{
    sdk_block_t *block = NULL;
    bool full = true;
    for (int ms = 0; ms < TAKE_PATIENCE_MS && full; ms++) {
        if (ms) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        pthread_mutex_lock(&config->lock);
        block = take_free(config, agent);
        full = !block && config->block_count >= BLOCKS_MAX;
        if (!block && !full) config->block_count++;
        pthread_mutex_unlock(&config->lock);
    }
    if (!block && !full) {
        block = make_block(config, agent);
        if (!block) {
            pthread_mutex_lock(&config->lock);
            config->block_count--;
            pthread_mutex_unlock(&config->lock);
        }
    }
    if (block) refer(config);
    return block;
}

void sdk_block_give(sdk_block_t *block, bool used)
{
    sdk_config_t *config = block->config;
    if (!used) return; /* the block keeps its reference, so its memory is not freed */
    if (block->wrap.done.handle && block->life == sdk_gpu_life())
        __atomic_store_n(&hsax_signal_block(block->wrap.done)->value, 1, __ATOMIC_RELEASE);
    pthread_mutex_lock(&config->lock);
    block->next = config->free;
    config->free = block;
    pthread_mutex_unlock(&config->lock);
    sdk_config_put(config);
}

static void free_blocks(sdk_config_t *config)
{
    pthread_mutex_lock(&config->lock);
    sdk_block_t *block = config->free;
    config->free = NULL;
    for (sdk_block_t *next; block; block = next) {
        next = block->next;
        free_block(block);
        config->block_count--;
    }
    pthread_mutex_unlock(&config->lock);
}

void sdk_config_hsa_down(void)
{
    for (uint64_t handle = 1;; handle++) {
        pthread_mutex_lock(&lock);
        bool more = handle <= config_count;
        pthread_mutex_unlock(&lock);
        if (!more) return;
        sdk_config_t *config = sdk_config_get((rocprofiler_counter_config_id_t){handle});
        if (!config) continue;
        free_blocks(config);
        sdk_config_put(config);
    }
}

/* ---- values ---- */

typedef struct {
    sdk_block_t *block;
    uint32_t next;
} reading_t;

static hsa_status_t add_value(aqlprofile_pmc_event_t event, uint64_t sample, uint64_t value,
                              void *data)
{
    (void)event, (void)sample;
    reading_t *r = data;
    const sdk_config_t *config = r->block->config;
    if (r->next == config->place_count) return HSA_STATUS_INFO_BREAK;
    uint32_t place = config->places[r->next++];
    if (place != NOWHERE) r->block->raw[place] += (double)value;
    return HSA_STATUS_SUCCESS;
}

size_t sdk_block_evaluate(sdk_block_t *block)
{
    const sdk_config_t *config = block->config;
    const ctr_pass_t *pass = config->pass;
    memset(block->raw, 0, pass->raw_count * sizeof *block->raw);
    reading_t reading = {.block = block};
    if (config->event_count) aqlprofile_pmc_iterate_data(block->handle, add_value, &reading);
    ctr_evaluate(pass, block->raw, block->scratch, block->values);
    for (size_t i = 0; i < pass->value_count; i++)
        block->records[i] = (rocprofiler_counter_record_t){
            .id = config->ids[i], .counter_value = block->values[i], .agent_id = config->agent->id};
    return pass->value_count;
}
