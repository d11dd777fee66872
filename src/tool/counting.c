/* counting.c - see counting.h.
 *
 * The SDK requests the configuration for a dispatch on the thread that launches it; choosing one
 * takes no lock (selects.h). Values arrive on a thread of the SDK and go to the sink. */
#include "tool/counting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/dispatch_counting_service.h>
#include <rocprofiler-sdk/experimental/counters.h>
#include <rocprofiler-sdk/experimental/replay.h>
#include <rocprofiler-sdk/experimental/spm.h>

#include "base/grow.h"
#include "base/log.h"
#include "tool/facts.h"
#include "tool/origin.h"
#include "tool/selects.h"
#include "tool/sink.h"
#include "trace/extra.h"
#include "trace/format.h"
#include "trace/selection.h"
#include "trace/settings.h"

enum { AGENTS_MAX = 64 };

/* The counters that are collected on one agent. */
typedef struct {
    rocprofiler_agent_id_t id;
    int index; /* index among the GPUs */
    char name[32];
    rocprofiler_counter_config_id_t *configs; /* one for each set; handle 0 if no counter of the set
                                               * exists on the agent */
} agent_t;

static struct {
    trace_sets_t sets;
    /* If sets take turns, each is counted for `interval` of the selected dispatches, whose number
     * so far is `dispatches`. */
    uint64_t interval, dispatches;
    uint64_t clocks; /* clocks between samples; 0: the library's own choice */
    bool replay;     /* sets do not take turns: all are counted for each dispatch */
    bool streams;    /* there is one set, which is sampled; values at the end are not read */
    agent_t agents[AGENTS_MAX];
    size_t agent_count;
} counting;

bool tool_counting_wanted(void)
{
    return trace_setting_on(TRACE_SET_COUNTER_COLLECTION) || tool_streaming_wanted();
}

bool tool_streaming_wanted(void)
{
    return trace_setting_on(TRACE_SET_SPM_COUNTER_COLLECTION);
}

void tool_counting_agent(const rocprofiler_agent_v0_t *agent)
{
    if (agent->type != ROCPROFILER_AGENT_TYPE_GPU || counting.agent_count == AGENTS_MAX) return;
    agent_t *a = &counting.agents[counting.agent_count++];
    a->id = agent->id;
    a->index = agent->logical_node_type_id;
    snprintf(a->name, sizeof(a->name), "%s", agent->name);
}

static const agent_t *find_agent(rocprofiler_agent_id_t id)
{
    for (size_t i = 0; i < counting.agent_count; i++)
        if (counting.agents[i].id.handle == id.handle) return &counting.agents[i];
    return NULL;
}

static void choose(const agent_t *agent, uint64_t kernel, rocprofiler_counter_config_id_t *config)
{
    if (!tool_selects(kernel)) {
        tool_sink_filtered(1);
        return;
    }
    uint64_t number = __atomic_fetch_add(&counting.dispatches, 1, __ATOMIC_RELAXED);
    *config =
        agent->configs[counting.replay ? 0 : number / counting.interval % counting.sets.count];
    if (!config->handle) tool_sink_filtered(1);
}

static void on_dispatch(rocprofiler_dispatch_counting_service_data_t d,
                        rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user,
                        void *data)
{
    (void)data;
    const agent_t *agent = find_agent(d.dispatch_info.agent_id);
    uint64_t pass = user->value;
    user->value = (uint64_t)gettid();
    if (!agent || !agent->configs) return;
    if (pass) { /* a later pass of a dispatch whose first pass was selected */
        *config = agent->configs[pass];
        return;
    }
    choose(agent, d.dispatch_info.kernel_id, config);
}

static trace_dispatch_t launch_of(uint32_t type, size_t bytes, uint64_t thread,
                                  const rocprofiler_kernel_dispatch_info_t *info,
                                  rocprofiler_async_correlation_id_t correlation)
{
    const tool_origin_t origin = tool_origin_of(correlation.external.value);
    return (trace_dispatch_t){
        .head = trace_head(type, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
                           ROCPROFILER_KERNEL_DISPATCH_COMPLETE, thread, bytes),
        .correlation = correlation.internal,
        .external = origin.range,
        .agent = info->agent_id.handle,
        .queue = info->queue_id.handle,
        .kernel = info->kernel_id,
        .dispatch = info->dispatch_id,
        .stream = origin.stream,
        .private_bytes = info->private_segment_size,
        .group_bytes = info->group_segment_size,
        .workgroup = {info->workgroup_size.x, info->workgroup_size.y, info->workgroup_size.z},
        .grid = {info->grid_size.x, info->grid_size.y, info->grid_size.z}};
}

static void put(const rocprofiler_dispatch_counting_service_data_t *d, uint64_t thread,
                const trace_value_t *values, size_t count)
{
    size_t bytes = sizeof(trace_counters_t) + count * sizeof(*values);
    trace_counters_t record = {
        .dispatch = launch_of(TRACE_COUNTERS, bytes, thread, &d->dispatch_info, d->correlation_id),
        .count = count};
    record.dispatch.start = d->start_timestamp;
    record.dispatch.end = d->end_timestamp;
    tool_sink_counters(&record, values);
}

/* A record of the store holds TRACE_VALUES_MAX values. A dispatch with more values gets several
 * records; the values of one counter are never split. */
static void on_values(rocprofiler_dispatch_counting_service_data_t d,
                      rocprofiler_counter_record_t *records, size_t count,
                      rocprofiler_user_data_t thread, void *data)
{
    (void)data;
    trace_value_t *values = malloc((count ? count : 1) * sizeof(*values));
    if (!values) {
        tool_sink_lost(1);
        return;
    }
    /* index of the record's first value; end of its last complete counter */
    size_t first = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_id_t id = {0};
        rocprofiler_query_record_counter_id(records[i].id, &id);
        values[i] = (trace_value_t){
            .counter = id.handle, .instance = records[i].id, .value = records[i].counter_value};
        if (i && values[i - 1].counter != id.handle) whole = i;
        if (i - first < TRACE_VALUES_MAX) continue;
        if (whole == first) whole = i;
        put(&d, thread.value, values + first, whole - first);
        first = whole;
    }
    put(&d, thread.value, values + first, count - first);
    free(values);
}

/* ---- samples ---- */

static void on_sampled_dispatch(const rocprofiler_spm_dispatch_counting_service_data_t *d,
                                rocprofiler_counter_config_id_t *config,
                                rocprofiler_user_data_t *user, void *data)
{
    (void)data;
    const agent_t *agent = find_agent(d->dispatch_info.agent_id);
    user->value = (uint64_t)gettid();
    if (agent && agent->configs) choose(agent, d->dispatch_info.kernel_id, config);
}

/* Ids of the dimensions that say where an instance is; 0: the agent has no dimension of that
 * name. */
typedef struct {
    rocprofiler_counter_dimension_id_t xcc, engine, place;
} place_ids_t;

static place_ids_t place_ids(rocprofiler_counter_id_t id)
{
    place_ids_t ids = {0};
    rocprofiler_counter_info_v1_t info;
    if (rocprofiler_query_counter_info(id, ROCPROFILER_COUNTER_INFO_VERSION_1, &info) !=
        ROCPROFILER_STATUS_SUCCESS)
        return ids;
    for (uint64_t i = 0; i < info.dimensions_count; i++) {
        const rocprofiler_counter_record_dimension_info_t *d = info.dimensions[i];
        if (strcmp(d->name, "DIMENSION_XCC") == 0) ids.xcc = d->id;
        if (strcmp(d->name, "DIMENSION_SHADER_ENGINE") == 0) ids.engine = d->id;
        if (strcmp(d->name, "DIMENSION_INSTANCE") == 0) ids.place = d->id;
    }
    return ids;
}

static uint32_t position(rocprofiler_counter_instance_id_t instance,
                         rocprofiler_counter_dimension_id_t dimension)
{
    size_t place = 0;
    if (dimension) rocprofiler_query_record_dimension_position(instance, dimension, &place);
    return (uint32_t)place;
}

static void put_samples(const rocprofiler_spm_dispatch_counting_service_data_t *d, uint64_t thread,
                        rocprofiler_timestamp_t now, const trace_reading_t *samples, size_t count)
{
    size_t bytes = sizeof(trace_readings_t) + count * sizeof(*samples);
    trace_readings_t record = {
        .dispatch = launch_of(TRACE_READINGS, bytes, thread, &d->dispatch_info, d->correlation_id),
        .count = count};
    record.dispatch.start = record.dispatch.end = now;
    tool_sink_readings(&record, samples);
}

static void on_samples(const rocprofiler_spm_dispatch_counting_service_data_t *d,
                       const rocprofiler_spm_counter_record_t **records, size_t count,
                       rocprofiler_spm_record_flag_t flags, rocprofiler_user_data_t thread,
                       void *data)
{
    (void)data;
    rocprofiler_timestamp_t now = 0;
    rocprofiler_counter_id_t of = {0};
    place_ids_t ids = {0};
    if (flags & ROCPROFILER_SPM_RECORD_FLAG_DATA_LOSS)
        base_warning("samples of dispatch %llu were lost",
                     (unsigned long long)d->dispatch_info.dispatch_id);
    trace_reading_t *samples = malloc((count ? count : 1) * sizeof(*samples));
    if (!samples) {
        tool_sink_lost(1);
        return;
    }
    rocprofiler_get_timestamp(&now);
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_id_t id = {0};
        rocprofiler_query_record_counter_id(records[i]->id, &id);
        if (id.handle != of.handle) ids = place_ids(id);
        of = id;
        samples[i] = (trace_reading_t){.counter = id.handle,
                                       .instance = records[i]->id,
                                       .clock = records[i]->timestamp,
                                       .value = records[i]->value,
                                       .xcc = position(records[i]->id, ids.xcc),
                                       .engine = position(records[i]->id, ids.engine),
                                       .place = position(records[i]->id, ids.place)};
    }
    for (size_t at = 0; at < count; at += TRACE_READINGS_MAX) {
        size_t some = count - at < TRACE_READINGS_MAX ? count - at : TRACE_READINGS_MAX;
        put_samples(d, thread.value, now, samples + at, some);
    }
    free(samples);
}

/* The counters that an agent has, those of them that can be sampled, and those that a set selects,
 * in the order of its names. */
typedef struct {
    rocprofiler_counter_id_t *has, *streams, *wanted;
    size_t has_count, stream_count, wanted_count;
    bool failed;
} search_t;

static void add_id(search_t *s, rocprofiler_counter_id_t **ids, size_t *count,
                   rocprofiler_counter_id_t id)
{
    const bool room = BASE_GROW_BY_ONE(*ids, *count);
    s->failed |= !room;
    if (room) (*ids)[(*count)++] = id;
}

static void want(search_t *s, rocprofiler_counter_id_t id)
{
    add_id(s, &s->wanted, &s->wanted_count, id);
}

static rocprofiler_status_t on_counters(rocprofiler_agent_id_t agent,
                                        rocprofiler_counter_id_t *counters, size_t count,
                                        void *data)
{
    search_t *s = data;
    (void)agent;
    for (size_t i = 0; i < count; i++)
        add_id(s, &s->has, &s->has_count, counters[i]);
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t on_streams(rocprofiler_agent_id_t agent,
                                       rocprofiler_counter_id_t *counters, size_t count, void *data)
{
    search_t *s = data;
    (void)agent;
    for (size_t i = 0; i < count; i++)
        add_id(s, &s->streams, &s->stream_count, counters[i]);
    return ROCPROFILER_STATUS_SUCCESS;
}

static bool can_stream(const search_t *s, rocprofiler_counter_id_t id)
{
    for (size_t i = 0; i < s->stream_count; i++)
        if (s->streams[i].handle == id.handle) return true;
    return false;
}

/* Adds the agent's counters that the name selects to those that are wanted, and puts them into the
 * store. Returns false if there are none. */
static bool want_named(search_t *s, const agent_t *a, const char *name)
{
    const size_t before = s->wanted_count;
    for (size_t i = 0; i < s->has_count; i++) {
        rocprofiler_counter_info_v0_t info;
        rocprofiler_counter_info_v1_t more;
        if (rocprofiler_query_counter_info(s->has[i], ROCPROFILER_COUNTER_INFO_VERSION_0, &info) !=
                ROCPROFILER_STATUS_SUCCESS ||
            !trace_wants_counter(name, info.name, info.is_constant))
            continue;
        want(s, s->has[i]);
        if (rocprofiler_query_counter_info(s->has[i], ROCPROFILER_COUNTER_INFO_VERSION_1, &more) ==
            ROCPROFILER_STATUS_SUCCESS)
            tool_fact_counter(a->id, &more, can_stream(s, s->has[i]));
    }
    return s->wanted_count > before;
}

/* Makes a counter from a name like TCC_HIT[3], which selects one instance of a counter. */
static rocprofiler_counter_id_t make_instance(const agent_t *a, const char *name)
{
    rocprofiler_counter_id_t id = {0};
    rocprofiler_counter_info_v1_t info;
    char *expression = trace_instance_expression(name);
    if (!expression) return id;
    if (rocprofiler_create_counter(name, strlen(name), expression, strlen(expression), NULL, 0,
                                   a->id, &id) == ROCPROFILER_STATUS_SUCCESS &&
        rocprofiler_query_counter_info(id, ROCPROFILER_COUNTER_INFO_VERSION_1, &info) ==
            ROCPROFILER_STATUS_SUCCESS)
        tool_fact_counter(a->id, &info, false);
    free(expression);
    return id;
}

/* Returns the agent's counters that a set selects, to be freed; NULL if there is no memory. With
 * `tell`, it warns of names that the agent does not have. */
static rocprofiler_counter_id_t *find_counters(const agent_t *a, size_t number, bool tell,
                                               size_t *count)
{
    const trace_set_t *set = &counting.sets.sets[number];
    search_t s = {0};
    rocprofiler_iterate_agent_supported_counters(a->id, on_counters, &s);
    rocprofiler_spm_iterate_agent_supported_counters(a->id, on_streams, &s);
    for (size_t i = 0; i < set->count; i++) {
        const trace_wanted_t *w = &set->counters[i];
        if (w->device != TRACE_ALL_DEVICES && w->device != a->index) continue;
        if (want_named(&s, a, w->name)) continue;
        rocprofiler_counter_id_t instance = make_instance(a, w->name);
        if (instance.handle)
            want(&s, instance);
        else if (tell)
            base_warning("GPU %d (%s) has no counter %s", a->index, a->name, w->name);
    }
    free(s.has);
    free(s.streams);
    *count = s.wanted_count;
    if (!s.failed) return s.wanted;
    if (tell)
        base_error("GPU %d (%s): a set of counters is not collected: no memory", a->index, a->name);
    free(s.wanted);
    return NULL;
}

static rocprofiler_status_t make_stream(const agent_t *a, rocprofiler_counter_id_t *ids,
                                        size_t count, rocprofiler_counter_config_id_t *config)
{
    rocprofiler_spm_parameters_t interval = {
        .size = sizeof(interval),
        .type = ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES,
        .value = counting.clocks};
    rocprofiler_spm_parameters_t *parameters = &interval;
    return rocprofiler_spm_create_counter_config(a->id, ids, count, &parameters,
                                                 counting.clocks ? 1 : 0, config);
}

static bool make_config(agent_t *a, size_t number)
{
    size_t count;
    rocprofiler_counter_id_t *ids = find_counters(a, number, true, &count);
    rocprofiler_status_t status = ROCPROFILER_STATUS_ERROR;
    if (ids && counting.streams)
        status = make_stream(a, ids, count, &a->configs[number]);
    else if (ids)
        status = rocprofiler_create_counter_config(a->id, ids, count, &a->configs[number]);
    if (ids && status != ROCPROFILER_STATUS_SUCCESS)
        base_error("GPU %d (%s): counters cannot be collected together: %s", a->index, a->name,
                   rocprofiler_get_status_string(status));
    free(ids);
    return status == ROCPROFILER_STATUS_SUCCESS;
}

static bool read_variables(void)
{
    char why[512];
    const char *one = trace_setting_given(TRACE_SET_PMC),
               *groups = trace_setting_given(TRACE_SET_PMC_GROUPS);
    counting.interval = trace_setting_number(TRACE_SET_PMC_GROUP_INTERVAL);
    counting.clocks = trace_setting_number(TRACE_SET_SPM_SAMPLE_INTERVAL);
    counting.streams = tool_streaming_wanted();
    if (counting.streams) one = trace_setting_given(TRACE_SET_SPM);
    int result = counting.streams ? trace_streams_read(&counting.sets, one, why, sizeof(why))
                                  : trace_sets_read(&counting.sets, one && *one ? one : groups, why,
                                                    sizeof(why));
    if (result == 0 && tool_selects_read(why, sizeof(why))) {
        if (counting.sets.count) return true;
        snprintf(why, sizeof(why), "%s names none",
                 counting.streams ? "ROCPROF_SPM_COUNTERS" : "ROCPROF_COUNTERS");
    }
    base_error("no counters are collected: %s", why);
    return false;
}

/* Loads the user's definitions of counters. The SDK has printed what is wrong with single
 * entries. */
static void load_extra(void)
{
    char why[512];
    char *text = trace_extra_receive(why, sizeof(why));
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    if (text)
        status = rocprofiler_load_counter_definition(text, strlen(text),
                                                     ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION);
    if (status != ROCPROFILER_STATUS_SUCCESS)
        base_error("extra counters: %s", rocprofiler_get_status_string(status));
    if (why[0]) base_error("extra counters: %s", why);
    free(text);
}

void tool_counting_again(void)
{
    __atomic_store_n(&counting.dispatches, 0, __ATOMIC_RELAXED);
    tool_selects_again();
    for (size_t i = 0; i < counting.agent_count; i++)
        for (size_t set = 0; counting.agents[i].configs && set < counting.sets.count; set++)
            free(find_counters(&counting.agents[i], set, false, &(size_t){0}));
}

bool tool_counting_configure(rocprofiler_context_id_t context)
{
    bool any = false;
    if (!read_variables()) return false;
    load_extra();
    for (size_t i = 0; i < counting.agent_count; i++) {
        agent_t *a = &counting.agents[i];
        a->configs = calloc(counting.sets.count, sizeof(*a->configs));
        if (!a->configs) base_error("GPU %d (%s) does not count: no memory", a->index, a->name);
        for (size_t set = 0; a->configs && set < counting.sets.count; set++)
            any |= make_config(a, set);
    }
    if (!any) {
        base_error("no counters are collected: no GPU has them");
        return false;
    }
    rocprofiler_status_t status = counting.streams
                                      ? rocprofiler_spm_configure_callback_dispatch_service(
                                            context, on_sampled_dispatch, NULL, on_samples, NULL)
                                      : rocprofiler_configure_callback_dispatch_counting_service(
                                            context, on_dispatch, NULL, on_values, NULL);
    counting.replay = trace_setting_on(TRACE_SET_REPLAY_MODE) && counting.sets.count > 1;
    if (status == ROCPROFILER_STATUS_SUCCESS && counting.replay)
        status =
            rocprofiler_configure_dispatch_replay_service(context, (uint32_t)counting.sets.count);
    if (status == ROCPROFILER_STATUS_SUCCESS) return true;
    base_error("no counters are collected: %s", rocprofiler_get_status_string(status));
    return false;
}
