/* v2_spm.c - the aqlprofile_spm_* functions: packets, the thread that fetches samples, their
 * decoding.
 *
 * They are apart from v2.c because the driver delivers samples while the counters run. Between
 * start and stop a thread fetches them every few milliseconds. There are two buffers: the driver
 * fills one while the callback reads the other. */
#include "aqlprofile/handles.h"
#include "aqlprofile/internal.h"

#include <hsa/hsa_ext_amd.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT

enum { DESCRIPTION_BYTES = 4096, LINE_BYTES = 32, VERSION = 1 };

/* A description of the samples, for decoding them. */
typedef struct {
    uint32_t version, lines, engine_lines, engines, arrays, xccs;
    uint64_t event_count;
    uint16_t place[]; /* place of each event, with flags */
} description_t;

enum { EVENTS_MAX = (DESCRIPTION_BYTES - sizeof(description_t)) / sizeof(uint16_t) };

/* The header that the driver writes before the samples. A buffer is divided evenly among the XCCs;
 * each part has a header. */
typedef struct {
    uint32_t version, bytes, lost, reserved[5];
} header_t;

typedef struct {
    aql_object_t head;
    aql_spm_t spm;
    hsa_agent_t agent;
    description_t *description;
    uint32_t xccs;
    uint64_t part_bytes; /* size of the part of a buffer for each XCC: a header and samples */
    uint8_t *buffer[2];
    unsigned at; /* index of the driver's buffer */
    aqlprofile_spm_data_callback_t callback;
    void *userdata;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t changed;
    bool running, stopping;
} stream_t;

static uint64_t buffer_bytes(const stream_t *s)
{
    return s->xccs * s->part_bytes;
}

/* ---- the driver ---- */

static hsa_status_t node_of(hsa_agent_t agent, uint32_t *node)
{
    __typeof__(hsa_agent_get_info) *get_info = NULL;
    aql_runtime_function("hsa_agent_get_info", (void **)&get_info);
    if (!get_info)
        return aql_fail(HSA_STATUS_ERROR_NOT_INITIALIZED, "the HSA runtime is not loaded");
    return get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DRIVER_NODE_ID, node);
}

/* Acquires or releases the driver's streaming counters by the function `name` of the HSA runtime.
 * Runtimes before ROCm 6 do not have it; then the thunk's function is called, which takes the
 * node. */
static hsa_status_t own(hsa_agent_t agent, const char *name, const char *thunk_name)
{
    hsa_status_t (*runtime)(hsa_agent_t) = NULL;
    int (*thunk)(uint32_t) = NULL;
    uint32_t node;
    aql_runtime_function(name, (void **)&runtime);
    if (runtime) return runtime(agent);
    hsa_status_t status = node_of(agent, &node);
    if (status) return status;
    aql_thunk_function(thunk_name, (void **)&thunk);
    if (!thunk)
        return aql_fail(HSA_STATUS_ERROR,
                        "this HSA runtime has no streaming counters: neither %s nor %s", name,
                        thunk_name);
    return thunk(node) ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
}

static hsa_status_t exchange(hsa_agent_t agent, void *buffer, size_t bytes)
{
    hsa_status_t (*runtime)(hsa_agent_t, size_t, uint32_t *, uint32_t *, void *, bool *) = NULL;
    int (*thunk)(uint32_t, uint32_t, uint32_t *, uint32_t *, void *, bool *) = NULL;
    uint32_t timeout = 0, copied = 0, node;
    bool lost = false;
    aql_runtime_function("hsa_amd_spm_set_dest_buffer", (void **)&runtime);
    if (runtime) return runtime(agent, bytes, &timeout, &copied, buffer, &lost);
    aql_thunk_function("hsaKmtSPMSetDestBuffer", (void **)&thunk);
    if (!thunk || node_of(agent, &node)) return HSA_STATUS_ERROR;
    return thunk(node, (uint32_t)bytes, &timeout, &copied, buffer, &lost) ? HSA_STATUS_ERROR
                                                                          : HSA_STATUS_SUCCESS;
}

/* ---- fetching ---- */

/* Gives the driver the other buffer, and passes the one that the driver had to the callback.
 * Returns true if there were samples in it. */
static bool fetch(stream_t *s)
{
    uint8_t *full = s->buffer[s->at];
    bool any = false;
    for (uint32_t xcc = 0; xcc < s->xccs; xcc++)
        memset(full + xcc * s->part_bytes, 0, sizeof(header_t));
    s->at = !s->at;
    if (exchange(s->agent, s->buffer[s->at], buffer_bytes(s))) return false;
    for (uint32_t xcc = 0; xcc < s->xccs; xcc++) {
        uint8_t *part = full + xcc * s->part_bytes;
        header_t header;
        memcpy(&header, part, sizeof header);
        if (header.bytes > s->part_bytes - sizeof header) header = (header_t){.lost = 1};
        if (header.bytes || header.lost)
            s->callback(xcc, part + sizeof header, header.bytes,
                        header.lost ? 1 << AQLPROFILE_SPM_DATA_FLAGS_DATA_LOSS : 0, s->userdata);
        any |= header.bytes;
    }
    return any;
}

static void *fetch_until_stopped(void *argument)
{
    enum { LOOK_NS = 5000000, SECOND = 1000000000, LAST_LOOKS = 1000 };
    stream_t *s = argument;
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        struct timespec then;
        clock_gettime(CLOCK_REALTIME, &then);
        then.tv_nsec += LOOK_NS;
        then.tv_sec += then.tv_nsec / SECOND;
        then.tv_nsec %= SECOND;
        pthread_cond_timedwait(&s->changed, &s->lock, &then);
        pthread_mutex_unlock(&s->lock);
        while (fetch(s)) {
        }
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    /* the number is limited, since counters that are still running would fill buffers for ever */
    for (int i = 0; i < LAST_LOOKS && fetch(s); i++) {
    }
    return NULL;
}

static void end(stream_t *s)
{
    if (!s->running) return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    s->running = false;
    own(s->agent, "hsa_amd_spm_release", "hsaKmtSPMRelease");
}

/* ---- packets ---- */

static void release(aql_object_t *head)
{
    stream_t *s = (stream_t *)head;
    end(s);
    if (s->description) {
        pthread_mutex_destroy(&s->lock);
        pthread_cond_destroy(&s->changed);
    }
    aql_spm_free(&s->spm);
    free(s->description);
    free(s->buffer[0]);
    free(s->buffer[1]);
}

static const aql_kind_t stream_kind = {.text = "streaming counters",
                                       .packets = "packets",
                                       .bytes = sizeof(stream_t),
                                       .copies = true,
                                       .release = release};

/* Divides a buffer of `bytes` bytes among the XCCs. A part has whole samples if it has room for
 * one. */
static hsa_status_t divide(stream_t *s, uint32_t xccs, uint64_t bytes)
{
    const uint64_t sample =
        (s->spm.lines[0] + (uint64_t)s->spm.lines[1] * s->spm.engines) * LINE_BYTES;
    s->xccs = xccs;
    s->part_bytes = bytes / xccs / LINE_BYTES * LINE_BYTES;
    if (s->part_bytes >= sizeof(header_t) + sample)
        s->part_bytes -= (s->part_bytes - sizeof(header_t)) % sample;
    if (s->part_bytes >= LINE_BYTES + sizeof(header_t)) return HSA_STATUS_SUCCESS;
    return aql_fail(INVALID, "a buffer of %llu bytes for %u XCCs cannot be, from %zu to %u can",
                    (unsigned long long)bytes, xccs, xccs * (LINE_BYTES + sizeof(header_t)),
                    UINT32_MAX);
}

static hsa_status_t describe(stream_t *s, uint32_t arrays)
{
    const uint32_t count = s->spm.plan.event_count;
    if (count > EVENTS_MAX)
        return aql_fail(INVALID, "%u events cannot be streamed, %d can", count, EVENTS_MAX);
    s->description = calloc(1, DESCRIPTION_BYTES);
    s->buffer[0] = malloc(buffer_bytes(s));
    s->buffer[1] = malloc(buffer_bytes(s));
    if (s->description) {
        pthread_mutex_init(&s->lock, NULL);
        pthread_cond_init(&s->changed, NULL);
    }
    if (!s->description || !s->buffer[0] || !s->buffer[1])
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                        "no memory for two buffers of %llu bytes",
                        (unsigned long long)buffer_bytes(s));
    *s->description = (description_t){.version = VERSION,
                                      .lines = s->spm.lines[0],
                                      .engine_lines = s->spm.lines[1],
                                      .engines = s->spm.engines,
                                      .arrays = arrays,
                                      .xccs = s->xccs,
                                      .event_count = count};
    memcpy(s->description->place, s->spm.place, count * sizeof(uint16_t));
    return HSA_STATUS_SUCCESS;
}

static uint32_t build(const stream_t *s, aql_pm4_t *pm4)
{
    aql_spm_start(pm4, &s->spm);
    const uint32_t stop = pm4->count;
    aql_spm_stop(pm4);
    return stop;
}

static hsa_status_t write_commands(stream_t *s, const aql_agent_t *agent,
                                   aqlprofile_spm_aql_packets_t *packets)
{
    aql_pm4_t pm4 = aql_pm4_list(agent, NULL, 0);
    const uint32_t stop = build(s, &pm4), count = pm4.count;
    uint32_t *words = malloc(count * 4ul);
    if (!words)
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u commands", count);
    pm4 = aql_pm4_list(agent, words, count);
    build(s, &pm4);
    hsa_status_t status = aql_object_write(&s->head, words, count, "commands",
                                           AQLPROFILE_MEMORY_HINT_DEVICE_NONCOHERENT);
    free(words);
    if (status) return status;
    const uint32_t *first = s->head.commands;
    aql_pm4_packet(agent, first, stop * 4, &packets->start_packet);
    aql_pm4_packet(agent, first + stop, (count - stop) * 4, &packets->stop_packet);
    return status;
}

static hsa_status_t read_parameters(const aqlprofile_spm_profile_t *profile, uint64_t *values)
{
    for (size_t i = 0; i < profile->parameter_count; i++) {
        const aqlprofile_spm_parameter_t *p = &profile->parameters[i];
        if ((unsigned)p->type >= AQLPROFILE_SPM_PARAMETER_TYPE_LAST)
            return aql_fail(INVALID, "parameter %d does not exist", p->type);
        values[p->type] = p->value;
    }
    if (values[AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_MODE] !=
        AQLPROFILE_SPM_PARAMETER_SAMPLE_MODE_SCLK)
        return aql_fail(INVALID, "intervals are counted in shader clocks alone");
    if (values[AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE] < LINE_BYTES + sizeof(header_t) ||
        values[AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE] > UINT32_MAX)
        return aql_fail(INVALID, "a buffer of %llu bytes cannot be, from %zu to %u can",
                        (unsigned long long)values[AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE],
                        LINE_BYTES + sizeof(header_t), UINT32_MAX);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT hsa_status_t aqlprofile_spm_create_packets(aqlprofile_handle_t *handle,
                                                      aqlprofile_spm_buffer_desc_t *desc,
                                                      aqlprofile_spm_aql_packets_t *packets,
                                                      aqlprofile_spm_profile_t profile,
                                                      size_t flags)
{
    const aql_memory_t memory = {profile.alloc_cb, profile.dealloc_cb, profile.memcpy_cb,
                                 profile.userdata};
    uint64_t values[AQLPROFILE_SPM_PARAMETER_TYPE_LAST] = {
        [AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE] = 1 << 20,
        [AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL] = 1 << 13};
    aql_object_t *object;
    aql_agent_t agent;
    if (!desc || flags) return aql_fail(INVALID, "%s", !desc ? "desc is NULL" : "flags must be 0");
    hsa_status_t status = aql_object_begin(&stream_kind, handle, packets, &memory, &object);
    if (status) return status;
    stream_t *s = (stream_t *)object;
    s->agent = profile.hsa_agent;
    status = read_parameters(&profile, values);
    if (!status) status = aql_agent_get(profile.aql_agent, &agent);
    if (!status && profile.event_count > AQL_EVENTS_MAX)
        status = aql_fail(INVALID, "%zu events cannot be streamed", profile.event_count);
    if (!status)
        status = aql_spm_make(&agent, profile.events, (uint32_t)profile.event_count,
                              values[AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL], &s->spm);
    if (!status) status = divide(s, agent.xccs, values[AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE]);
    if (!status) status = describe(s, agent.arrays);
    if (!status) status = write_commands(s, &agent, packets);
    if (!status) *desc = (aqlprofile_spm_buffer_desc_t){s->description, DESCRIPTION_BYTES};
    return aql_object_end(object, status, handle);
}

AQL_EXPORT void aqlprofile_spm_delete_packets(aqlprofile_handle_t handle)
{
    aql_object_remove(handle, &stream_kind);
}

/* ---- start and stop ---- */

static stream_t *stream_of(aqlprofile_handle_t handle)
{
    return (stream_t *)aql_object_get(handle, &stream_kind);
}

AQL_EXPORT hsa_status_t aqlprofile_spm_start(aqlprofile_handle_t handle,
                                             aqlprofile_spm_data_callback_t data_cb, void *userdata)
{
    stream_t *s = stream_of(handle);
    if (!s) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    if (!data_cb) return aql_fail(INVALID, "data_cb is NULL");
    if (s->running) return aql_fail(HSA_STATUS_ERROR, "it has been started already");
    hsa_status_t status = own(s->agent, "hsa_amd_spm_acquire", "hsaKmtSPMAcquire");
    if (status) return aql_fail(status, "the driver does not give the streaming counters");
    s->callback = data_cb;
    s->userdata = userdata;
    s->stopping = false;
    status = exchange(s->agent, s->buffer[s->at], buffer_bytes(s));
    if (status) {
        aql_fail(status, "the driver takes no buffer of %llu bytes",
                 (unsigned long long)buffer_bytes(s));
    } else if (pthread_create(&s->thread, NULL, fetch_until_stopped, s)) {
        status = aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no thread to fetch samples");
    } else {
        s->running = true;
        return status;
    }
    own(s->agent, "hsa_amd_spm_release", "hsaKmtSPMRelease");
    return status;
}

AQL_EXPORT hsa_status_t aqlprofile_spm_stop(aqlprofile_handle_t handle)
{
    stream_t *s = stream_of(handle);
    if (!s || !s->running) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    end(s);
    return HSA_STATUS_SUCCESS;
}

/* ---- decoding ---- */

static const description_t *description_of(aqlprofile_spm_buffer_desc_t desc)
{
    const description_t *d = desc.data;
    return d && desc.size >= sizeof *d && d->version == VERSION && d->event_count <= EVENTS_MAX &&
                   d->lines <= AQL_SPM_LINES && d->engine_lines <= AQL_SPM_LINES
               ? d
               : NULL;
}

static uint64_t segment_bytes(const description_t *d)
{
    return (d->lines + (uint64_t)d->engine_lines * d->engines) * LINE_BYTES;
}

AQL_EXPORT hsa_status_t aqlprofile_spm_decode_query(aqlprofile_spm_buffer_desc_t desc,
                                                    aqlprofile_spm_decode_query_t query,
                                                    uint64_t *param_out)
{
    const description_t *d = description_of(desc);
    if (!d || !param_out)
        return aql_fail(INVALID, "%s", !d ? "desc describes no samples" : "param_out is NULL");
    switch (query) {
    case AQLPROFILE_SPM_DECODE_QUERY_SEG_SIZE: *param_out = segment_bytes(d); break;
    case AQLPROFILE_SPM_DECODE_QUERY_NUM_XCC: *param_out = d->xccs; break;
    case AQLPROFILE_SPM_DECODE_QUERY_EVENT_COUNT: *param_out = d->event_count; break;
    case AQLPROFILE_SPM_DECODE_QUERY_COUNTER_MAP_BYTE_OFFSET:
        *param_out = offsetof(description_t, place);
        break;
    default: return aql_fail(INVALID, "question %d is not answered", query);
    }
    return HSA_STATUS_SUCCESS;
}

/* Returns the value; UINT64_MAX stands for a counter that has stopped at its largest value. */
static uint64_t value_at(const uint16_t *segment, uint32_t at, bool wide)
{
    enum { LINE = LINE_BYTES / 2 };
    uint64_t value = segment[at];
    if (wide) value |= (uint64_t)segment[at + LINE] << 16;
    return value == (wide ? UINT32_MAX : UINT16_MAX) ? UINT64_MAX : value;
}

static void decode_one(const description_t *d, const uint16_t *segment,
                       aqlprofile_spm_decode_callback_v1_t callback, void *userdata)
{
    enum { LINE = LINE_BYTES / 2, WHOLE_GPU = -1 };
    uint64_t clock;
    memcpy(&clock, segment, sizeof clock);
    for (uint64_t i = 0; i < d->event_count; i++) {
        const bool global = d->place[i] & AQL_SPM_GLOBAL, wide = d->place[i] & AQL_SPM_32_BITS;
        const uint32_t at = d->place[i] & AQL_SPM_PLACE;
        for (uint32_t e = 0; e < (global ? 1 : d->engines); e++) {
            const uint32_t base = global ? 0 : (d->lines + e * d->engine_lines) * LINE;
            callback(clock, value_at(segment, base + at, wide), i, global ? WHOLE_GPU : (int)e,
                     userdata);
        }
    }
}

AQL_EXPORT hsa_status_t aqlprofile_spm_decode_stream_v1(
    aqlprofile_spm_buffer_desc_t desc, aqlprofile_spm_decode_callback_v1_t decode_cb, void *data,
    size_t size, void *userdata)
{
    const description_t *d = description_of(desc);
    if (!d || !decode_cb || (!data && size))
        return aql_fail(INVALID, "%s",
                        !d           ? "desc describes no samples"
                        : !decode_cb ? "decode_cb is NULL"
                                     : "data is NULL");
    const uint64_t bytes = segment_bytes(d);
    if (!bytes || size % bytes)
        return aql_fail(INVALID, "%zu bytes are no whole samples of %llu", size,
                        (unsigned long long)bytes);
    for (size_t at = 0; at < size; at += bytes)
        decode_one(d, (const uint16_t *)(const void *)((const char *)data + at), decode_cb,
                   userdata);
    return HSA_STATUS_SUCCESS;
}

AQL_EXPORT bool aqlprofile_spm_is_event_supported(aqlprofile_agent_handle_t agent,
                                                  aqlprofile_pmc_event_t event)
{
    aql_agent_t known;
    return !aql_agent_get(agent, &known) && aql_spm_counts(&known, &event);
}
