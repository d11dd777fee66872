/* spm.c - streaming counters: configurations, the sessions that fetch samples, records.
 *
 * They are apart from other counters because their values arrive while a kernel runs. The AQL
 * profile library fetches samples on a thread of its own. Samples are kept until the dispatch is
 * over and then passed to the tool, on the thread that reports dispatches. A session does
 * not distinguish samples of different dispatches, so the agent's next sampled dispatch begins only
 * after the samples of the last one have been taken out of the session
 * (hsax_wrap_t.reported_first). */
#include "sdk/counters/counters.h"

#include "base/env.h"
#include "base/log.h"
#include "hsa/collect.h"
#include "sdk/agent/agent.h"
#include "sdk/core/registration.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum {
    INTERVAL_MIN = 32, /* limit of the AQL profile library */
    INTERVAL_MAX = 65504,
    INTERVAL_USUAL = 8192,
    SESSIONS_MAX = 64,
    XCCS_MAX = 16,
    RECORDS_AT_ONCE = 4096,
    KEPT_MAX = 256 << 20 /* limit of bytes of samples of one dispatch */
};

bool sdk_spm_enabled(void)
{
    return base_env_bool("ROCPROFILER_SPM_BETA_ENABLED", false);
}

/* ---- packets ---- */

static bool create(const sdk_config_t *config, aqlprofile_spm_profile_t memory,
                   aqlprofile_handle_t *handle, aqlprofile_spm_buffer_desc_t *samples,
                   aqlprofile_spm_aql_packets_t *packets)
{
    aqlprofile_spm_parameter_t interval = {AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL,
                                           config->interval};
    memory.aql_agent = config->aql_agent;
    memory.events = config->events;
    memory.event_count = config->event_count;
    memory.parameters = &interval;
    memory.parameter_count = 1;
    memset(packets, 0, sizeof *packets);
    return !aqlprofile_spm_create_packets(handle, samples, packets, memory, 0);
}

bool sdk_spm_make_packets(const sdk_config_t *config, sdk_block_t *block,
                          hsa_ext_amd_aql_pm4_packet_t *start, hsa_ext_amd_aql_pm4_packet_t *stop)
{
    const aqlprofile_spm_profile_t memory = {.hsa_agent = block->agent,
                                             .alloc_cb = sdk_gpu_allocate,
                                             .dealloc_cb = sdk_gpu_free,
                                             .memcpy_cb = sdk_gpu_copy,
                                             .userdata = &block->agent};
    aqlprofile_spm_aql_packets_t packets;
    if (!create(config, memory, &block->handle, &block->samples, &packets)) return false;
    *start = packets.start_packet;
    *stop = packets.stop_packet;
    return true;
}

/* Allocates memory for packets that are never executed, so HSA need not be initialised. */
static hsa_status_t host_allocate(void **memory, uint64_t size,
                                  aqlprofile_buffer_desc_flags_t flags, void *user)
{
    (void)flags, (void)user;
    *memory = malloc(size);
    return *memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static void host_free(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* Checks with the AQL profile library whether the counters fit into a sample. */
static rocprofiler_status_t check_fit(const sdk_config_t *config)
{
    const aqlprofile_spm_profile_t memory = {
        .alloc_cb = host_allocate, .dealloc_cb = host_free, .memcpy_cb = sdk_gpu_copy};
    aqlprofile_handle_t handle;
    aqlprofile_spm_buffer_desc_t samples;
    aqlprofile_spm_aql_packets_t packets;
    if (!create(config, memory, &handle, &samples, &packets)) {
        base_error("agent %s cannot stream this: %s", config->agent->name, sdk_gpu_aql_message());
        return ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
    }
    aqlprofile_spm_delete_packets(handle);
    return ROCPROFILER_STATUS_SUCCESS;
}

/* ---- configurations ---- */

static bool can_stream(aqlprofile_agent_handle_t agent, const ctr_counter_t *counter)
{
    const aqlprofile_pmc_event_t event = {
        .event_id = counter->event,
        .flags.raw = counter->event_flags,
        .block_name = (hsa_ven_amd_aqlprofile_block_name_t)counter->block_id,
    };
    return counter->kind == CTR_HARDWARE && aqlprofile_spm_is_event_supported(agent, event);
}

static rocprofiler_status_t read_parameters(rocprofiler_spm_parameters_t **parameters, size_t count,
                                            uint32_t *interval)
{
    *interval = INTERVAL_USUAL;
    if (!parameters && count) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_spm_parameters_t *p = parameters[i];
        if (!p || p->type != ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES)
            return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
        if (p->value < INTERVAL_MIN || p->value > INTERVAL_MAX) {
            base_error("a sample every %llu clocks cannot be, from %d to %d can",
                       (unsigned long long)p->value, INTERVAL_MIN, INTERVAL_MAX);
            return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
        }
        *interval = (uint32_t)p->value;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t check_counters(const sdk_config_t *config)
{
    if (!config->counter_count) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < config->counter_count; i++) {
        if (can_stream(config->aql_agent, config->counters[i])) continue;
        base_error("%s cannot be streamed", config->counters[i]->name);
        return ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT;
    }
    return check_fit(config);
}

/* Returns the record's instance id for the value of an event in a shader engine of an XCC; engine
 * -1: the instance belongs to no engine. */
static uint64_t instance_id(const sdk_config_t *config, uint32_t event, uint32_t xcc, int engine)
{
    uint32_t position[CTR_DIM_COUNT] = {0};
    const ctr_event_t *e = &config->pass->events[config->event_of[event]];
    position[CTR_DIM_XCC] = xcc;
    position[CTR_DIM_INSTANCE] = config->events[event].block_index;
    if (engine >= 0) position[CTR_DIM_SHADER_ENGINE] = (uint32_t)engine;
    const size_t index = ctr_shape_index(&e->shape, position);
    return ctr_instance_id(e->counter->id, &e->shape, index == SIZE_MAX ? 0 : index);
}

rocprofiler_status_t rocprofiler_spm_create_counter_config(
    rocprofiler_agent_id_t agent_id, rocprofiler_counter_id_t *counters_list, size_t counters_count,
    rocprofiler_spm_parameters_t **parameters, size_t parameters_count,
    rocprofiler_counter_config_id_t *config_id)
{
    uint32_t interval;
    sdk_config_t *config;
    if (!sdk_spm_enabled()) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    rocprofiler_status_t status = read_parameters(parameters, parameters_count, &interval);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    status = sdk_config_make(agent_id, counters_list, counters_count, config_id, &config);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    config->interval = interval;
    return sdk_config_end(config, check_counters(config), config_id);
}

rocprofiler_status_t
rocprofiler_spm_destroy_counter_config(rocprofiler_counter_config_id_t config_id)
{
    return sdk_config_destroy(config_id, true);
}

/* ---- what an agent supports ---- */

rocprofiler_status_t
rocprofiler_spm_query_agent_configurations(rocprofiler_agent_id_t agent_id,
                                           rocprofiler_spm_available_configurations_cb_t cb,
                                           void *user_data)
{
    static const rocprofiler_spm_available_configuration_t clocks = {
        .size = sizeof clocks,
        .type = ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES,
        .interval = {INTERVAL_MIN, INTERVAL_MAX}};
    const rocprofiler_spm_available_configuration_t *all[] = {&clocks};
    aqlprofile_agent_handle_t aql;
    const rocprofiler_agent_v0_t *agent = sdk_agent_find(agent_id);
    if (!agent) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    if (!cb) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (!sdk_counters_aql_agent(agent, &aql)) return ROCPROFILER_STATUS_ERROR;
    return cb(all, 1, user_data);
}

static bool streams(const rocprofiler_agent_v0_t *agent, const ctr_counter_t *counter)
{
    aqlprofile_agent_handle_t aql;
    return sdk_counters_aql_agent(agent, &aql) && can_stream(aql, counter);
}

rocprofiler_status_t rocprofiler_spm_iterate_agent_supported_counters(
    rocprofiler_agent_id_t agent_id, rocprofiler_available_counters_cb_t cb, void *user_data)
{
    return sdk_counters_iterate(agent_id, streams, cb, user_data);
}

/* ---- records ---- */

typedef struct {
    const sdk_block_t *block;
    rocprofiler_dispatch_id_t dispatch_id;
    uint32_t xcc;
    rocprofiler_spm_counter_record_t *records;
    const rocprofiler_spm_counter_record_t **pointers;
    size_t count;
    bool unknown; /* a counter had reached its maximum, so its value is unknown */
} batch_t;

static void add_record(uint64_t timestamp, uint64_t value, uint64_t index, int engine, void *data)
{
    batch_t *b = data;
    const sdk_config_t *config = b->block->config;
    if (value == UINT64_MAX) {
        b->unknown = true;
        return;
    }
    b->records[b->count++] = (rocprofiler_spm_counter_record_t){
        .size = sizeof *b->records,
        .dispatch_id = b->dispatch_id,
        .id = instance_id(config, (uint32_t)index, b->xcc, engine),
        .agent_id = config->agent->id,
        .timestamp = timestamp,
        .value = (double)value,
    };
}

static uint64_t ask_decoder(const sdk_block_t *block, aqlprofile_spm_decode_query_t what)
{
    uint64_t answer = 0;
    aqlprofile_spm_decode_query(block->samples, what, &answer);
    return answer;
}

/* Passes whole samples of an XCC to `take`, some thousand records at a time. Returns false if there
 * is no memory, or no samples. */
static bool pass_samples(const sdk_block_t *block, rocprofiler_dispatch_id_t dispatch_id,
                         uint32_t xcc, uint8_t *data, size_t bytes,
                         void (*take)(batch_t *batch, void *user), void *user)
{
    const uint64_t sample = ask_decoder(block, AQLPROFILE_SPM_DECODE_QUERY_SEG_SIZE);
    const uint64_t values = ask_decoder(block, AQLPROFILE_SPM_DECODE_QUERY_EVENT_COUNT) *
                            (block->config->agent->num_shader_banks + 1);
    const uint64_t at_once = values < RECORDS_AT_ONCE ? RECORDS_AT_ONCE / values : 1;
    batch_t b = {.block = block, .dispatch_id = dispatch_id, .xcc = xcc};
    b.records = malloc(at_once * values * sizeof *b.records);
    b.pointers = malloc(at_once * values * sizeof *b.pointers);
    bool good = b.records && b.pointers && sample;
    for (size_t at = 0; good && at < bytes; at += at_once * sample) {
        const size_t piece = bytes - at < at_once * sample ? bytes - at : at_once * sample;
        b.count = 0;
        good = !aqlprofile_spm_decode_stream_v1(block->samples, add_record, data + at, piece, &b);
        for (size_t i = 0; i < b.count; i++)
            b.pointers[i] = &b.records[i];
        if (good) take(&b, user);
    }
    free(b.records);
    free(b.pointers);
    return good;
}

/* ---- sessions: one for each agent with sampled dispatches in flight ---- */

/* Samples fetched so far, by XCC: each XCC's samples arrive in pieces and have to be joined. */
typedef struct {
    struct {
        uint8_t *data;
        size_t bytes, room;
    } of[XCCS_MAX];
    size_t bytes; /* sum over all XCCs */
    bool lost;
} samples_t;

typedef struct {
    hsa_agent_t agent;
    unsigned in_flight;
    bool running;
    aqlprofile_handle_t handle; /* handle that the library returned when the session was started */
    /* guarded by samples_lock, as the next member */
    samples_t samples;
    bool full; /* no room for further samples */
} session_t;

/* Lock order: sessions_lock, samples_lock. The thread that fetches samples takes only
 * samples_lock. */
static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER,
                       samples_lock = PTHREAD_MUTEX_INITIALIZER;
static session_t sessions[SESSIONS_MAX];

/* Returns the agent's session; NULL if there are too many agents. To be called with sessions_lock
 * held. */
static session_t *session_of(hsa_agent_t agent)
{
    for (unsigned i = 0; i < SESSIONS_MAX; i++) {
        if (!sessions[i].agent.handle) sessions[i].agent = agent;
        if (sessions[i].agent.handle == agent.handle) return &sessions[i];
    }
    return NULL;
}

/* Appends to the samples of an XCC; returns false if there is no room. */
static bool append(samples_t *samples, size_t xcc, const void *data, size_t bytes)
{
    if (xcc >= XCCS_MAX || samples->bytes + bytes > KEPT_MAX) return false;
    const size_t had = samples->of[xcc].bytes;
    size_t room = samples->of[xcc].room ? samples->of[xcc].room : 1 << 16;
    while (room < had + bytes)
        room *= 2;
    if (room != samples->of[xcc].room && !base_resize(&samples->of[xcc].data, room, 1))
        return false;
    samples->of[xcc].room = room;
    if (bytes) memcpy(samples->of[xcc].data + had, data, bytes);
    samples->of[xcc].bytes += bytes;
    samples->bytes += bytes;
    return true;
}

static void free_samples(samples_t *samples)
{
    for (size_t xcc = 0; xcc < XCCS_MAX; xcc++)
        free(samples->of[xcc].data);
}

static void keep(size_t xcc, void *data, size_t bytes, int flags, void *user)
{
    session_t *s = user;
    pthread_mutex_lock(&samples_lock);
    s->full = s->full || !append(&s->samples, xcc, data, bytes);
    s->samples.lost |= flags || s->full;
    pthread_mutex_unlock(&samples_lock);
}

static bool start(session_t *s, aqlprofile_handle_t handle)
{
    s->running = !aqlprofile_spm_start(handle, keep, s);
    s->handle = handle;
    if (!s->running) base_error("no samples: %s", sdk_gpu_aql_message());
    return s->running;
}

bool sdk_spm_begin(const sdk_block_t *block)
{
    pthread_mutex_lock(&sessions_lock);
    session_t *s = session_of(block->agent);
    const bool begun = s && (s->in_flight || start(s, block->handle));
    if (begun) s->in_flight++;
    pthread_mutex_unlock(&sessions_lock);
    return begun;
}

/* Takes the samples of a dispatch that is over out of the session. If other dispatches are in
 * flight, fetching goes on for them. */
static samples_t take_samples(const sdk_block_t *block)
{
    samples_t left = {0};
    pthread_mutex_lock(&sessions_lock);
    session_t *s = session_of(block->agent);
    if (s && s->in_flight) {
        const bool lost = !s->running || aqlprofile_spm_stop(s->handle);
        pthread_mutex_lock(&samples_lock);
        left = s->samples;
        left.lost |= lost;
        s->samples = (samples_t){0};
        s->full = s->running = false;
        pthread_mutex_unlock(&samples_lock);
        if (--s->in_flight) start(s, block->handle);
    }
    pthread_mutex_unlock(&sessions_lock);
    return left;
}

void sdk_spm_lost(const sdk_block_t *block)
{
    samples_t left = take_samples(block);
    free_samples(&left);
}

void sdk_spm_hsa_down(void)
{
    pthread_mutex_lock(&sessions_lock);
    for (unsigned i = 0; i < SESSIONS_MAX; i++) {
        if (sessions[i].running) aqlprofile_spm_stop(sessions[i].handle);
        free_samples(&sessions[i].samples);
        sessions[i] = (session_t){0};
    }
    pthread_mutex_unlock(&sessions_lock);
}

void sdk_spm_forked(void)
{
    pthread_mutex_init(&sessions_lock, NULL);
    pthread_mutex_init(&samples_lock, NULL);
    memset(sessions, 0, sizeof sessions);
}

/* ---- dispatches ---- */

rocprofiler_spm_dispatch_counting_service_data_t
sdk_spm_data(const rocprofiler_dispatch_counting_service_data_t *data)
{
    return (rocprofiler_spm_dispatch_counting_service_data_t){
        .size = sizeof(rocprofiler_spm_dispatch_counting_service_data_t),
        .correlation_id = data->correlation_id,
        .dispatch_info = data->dispatch_info,
    };
}

/* A dispatch whose samples are being passed to the tool. */
typedef struct {
    const sdk_block_t *block;
    rocprofiler_spm_dispatch_counting_service_data_t data;
    bool lost;
} delivery_t;

static void emit(const sdk_buffer_t *buffer, rocprofiler_counter_record_kind_t kind,
                 const void *record, size_t bytes)
{
    sdk_buffer_emit((sdk_buffer_t *)(uintptr_t)buffer, ROCPROFILER_BUFFER_CATEGORY_COUNTERS, kind,
                    record, bytes);
}

static void call_tool(const delivery_t *d, const rocprofiler_spm_counter_record_t **records,
                      size_t count, int flags)
{
    const sdk_dispatch_service_t *service = d->block->service;
    sdk_thread_t *self = sdk_thread_needed("samples of a dispatch are lost");
    if (!self) return;
    sdk_emit_begin(self);
    if (sdk_context_accepts(service->context))
        service->spm_record(&d->data, records, count, (rocprofiler_spm_record_flag_t)flags,
                            d->block->user, service->record_data);
    sdk_emit_end(self);
}

static void take_batch(batch_t *b, void *user)
{
    delivery_t *d = user;
    const sdk_buffer_t *buffer = d->block->service->buffer;
    const int loss = d->lost || b->unknown ? ROCPROFILER_SPM_RECORD_FLAG_DATA_LOSS : 0;
    for (size_t i = 0; buffer && i < b->count; i++)
        emit(buffer, ROCPROFILER_COUNTER_RECORD_VALUE, &b->records[i], sizeof b->records[i]);
    if (!buffer) call_tool(d, b->pointers, b->count, ROCPROFILER_SPM_RECORD_FLAG_DATA | loss);
    d->lost |= b->unknown;
    hsax_collect_piece(); /* samples of several XCCs may take longer than the collector waits */
}

static void warn_of_loss(const delivery_t *d)
{
    static atomic_bool told;
    if (!atomic_exchange(&told, true))
        base_warning("dispatch %llu lost samples, others perhaps too: a longer interval or fewer "
                     "counters need less room",
                     (unsigned long long)d->data.dispatch_info.dispatch_id);
}

void sdk_spm_complete(sdk_block_t *block)
{
    samples_t left = take_samples(block);
    delivery_t d = {.block = block, .data = sdk_spm_data(&block->data), .lost = left.lost};
    const sdk_buffer_t *buffer = block->service->buffer;
    hsax_turn_end(block->item, true); /* lets the next dispatch begin before the tool is called */
    if (buffer)
        emit(buffer, ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER, &d.data,
             sizeof d.data);
    for (uint32_t xcc = 0; xcc < XCCS_MAX; xcc++)
        if (left.of[xcc].bytes &&
            !pass_samples(block, d.data.dispatch_info.dispatch_id, xcc, left.of[xcc].data,
                          left.of[xcc].bytes, take_batch, &d))
            d.lost = true;
    if (d.lost) warn_of_loss(&d);
    if (!buffer)
        call_tool(&d, NULL, 0,
                  ROCPROFILER_SPM_RECORD_FLAG_DISPATCH_END |
                      (d.lost ? ROCPROFILER_SPM_RECORD_FLAG_DATA_LOSS : 0));
    free_samples(&left);
}

/* ---- a whole agent ---- */

static void take_device_batch(batch_t *b, void *user)
{
    sdk_buffer_t *buffer = user;
    for (size_t i = 0; i < b->count; i++)
        emit(buffer, ROCPROFILER_COUNTER_RECORD_VALUE, &b->records[i], sizeof b->records[i]);
}

static void take_device_samples(size_t xcc, void *data, size_t bytes, int flags, void *user)
{
    const sdk_block_t *block = user;
    static atomic_bool told;
    const bool taken = !bytes || pass_samples(block, 0, (uint32_t)xcc, data, bytes,
                                              take_device_batch, block->buffer);
    if ((flags || !taken) && !atomic_exchange(&told, true))
        base_warning("samples of a GPU were lost: %s",
                     taken ? "a longer interval needs less room" : "no memory");
}

bool sdk_spm_device_start(sdk_block_t *block, sdk_buffer_t *buffer)
{
    block->buffer = buffer;
    if (!aqlprofile_spm_start(block->handle, take_device_samples, block)) return true;
    base_error("no samples: %s", sdk_gpu_aql_message());
    return false;
}

void sdk_spm_device_stop(const sdk_block_t *block)
{
    aqlprofile_spm_stop(block->handle);
}
