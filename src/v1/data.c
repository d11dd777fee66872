/* data.c - the data of groups: their packets, sampling over a queue, and the values.
 *
 * AQLprofile makes packets, the counter engine computes values. A group's state changes only
 * here. */
#include "v1/v1.h"

#include "base/clock.h"
#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/owner.h"
#include "hsa/pm4.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

/* An event of the profile, and where its values go. */
typedef struct v1_slot {
    const ctr_event_t *event; /* NULL: the next event accumulates this one */
    uint32_t instance;
} v1_slot_t;

enum {
    ACCUMULATE_LOW_EVENT = 1, /* SQ_ACCUM_PREV, SQ_ACCUM_PREV_HIRES */
    ACCUMULATE_HIGH_EVENT = 185,
};

/* ---- packets ---- */

static const char *aqlprofile_message(void)
{
    const char *text = "";
    hsa_ven_amd_aqlprofile_error_string(&text);
    return text;
}

static hsa_status_t list_events(v1_group_t *g, uint32_t *count)
{
    size_t room = 1, n = 0;
    for (size_t i = 0; i < g->pass->event_count; i++)
        room += 2u * (g->pass->events[i].instance_end - g->pass->events[i].instance_begin);
    g->events = calloc(room, sizeof *g->events);
    g->slots = calloc(room, sizeof *g->slots);
    if (!g->events || !g->slots) return v1_no_memory("no memory for events");
    for (size_t i = 0; i < g->pass->event_count; i++) {
        const ctr_event_t *e = &g->pass->events[i];
        for (uint32_t instance = e->instance_begin; instance < e->instance_end; instance++) {
            hsa_ven_amd_aqlprofile_event_t event = {
                (hsa_ven_amd_aqlprofile_block_name_t)e->counter->block_id, instance,
                e->counter->event};
            g->events[n] = event;
            if (e->accumulate != CTR_ACCUMULATE_NONE) {
                event.counter_id = e->accumulate == CTR_ACCUMULATE_HIGH ? ACCUMULATE_HIGH_EVENT
                                                                        : ACCUMULATE_LOW_EVENT;
                g->events[++n] = event;
            }
            g->slots[n++] = (v1_slot_t){e, instance};
        }
    }
    *count = (uint32_t)n;
    return HSA_STATUS_SUCCESS;
}

static uint32_t round_up(uint32_t bytes, uint32_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Makes buffers and packets for a profile whose events or parameters are set. */
static hsa_status_t build(v1_group_t *g, v1_packets_t *p, uint32_t output)
{
    hsa_ven_amd_aqlprofile_profile_t *profile = &p->profile;
    hsa_status_t status = hsa_ven_amd_aqlprofile_start(profile, NULL);
    if (status) return v1_error(status, "group %u: %s", g->index, aqlprofile_message());
    if (output) profile->output_buffer.size = output;
    uint32_t command = round_up(profile->command_buffer.size, PAGE);
    p->bytes = command + (size_t)round_up(profile->output_buffer.size, PAGE);
    p->memory = v1_memory_get(g->context->agent, p->bytes);
    if (!p->memory) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    profile->command_buffer.ptr = p->memory;
    profile->output_buffer.ptr = (char *)p->memory + command;
    status = hsa_ven_amd_aqlprofile_start(profile, &p->start);
    if (!status) status = hsa_ven_amd_aqlprofile_stop(profile, &p->stop);
    if (status) return v1_error(status, "group %u: %s", g->index, aqlprofile_message());
    p->has_read = profile->type == HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_PMC &&
                  hsa_ven_amd_aqlprofile_read(profile, &p->read) == HSA_STATUS_SUCCESS;
    p->start.header = p->read.header = p->stop.header = HSA_PM4_FENCED;
    return HSA_STATUS_SUCCESS;
}

/* Sets the packets around a kernel: those of the trace outside, those of the counters inside.
 * Around concurrent kernels counters are only read, since they count all the time. */
static void line_up(v1_group_t *g)
{
    unsigned before = 0, after = 0;
    if (g->earlier.memory) {
        g->before[0] = g->earlier.read;
        g->after[0] = g->counters.read;
        g->wrap = (hsax_wrap_t){.before = g->before,
                                .after = g->after,
                                .before_count = 1,
                                .after_count = 1,
                                .done = g->done,
                                .shared = true};
        return;
    }
    if (g->trace.memory) g->before[before++] = g->trace.start;
    if (g->counters.memory) g->before[before++] = g->counters.start;
    if (g->counters.memory && g->counters.has_read) g->after[after++] = g->counters.read;
    if (g->counters.memory) g->after[after++] = g->counters.stop;
    if (g->trace.memory) g->after[after++] = g->trace.stop;
    g->wrap = (hsax_wrap_t){.before = g->before,
                            .after = g->after,
                            .before_count = before,
                            .after_count = after,
                            .done = g->done};
}

hsa_status_t v1_packets_build(v1_group_t *g)
{
    const v1_context_t *c = g->context;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    if (!hsax_make_signal(&g->done)) return v1_no_memory("no signal can be created");
    g->counters.profile.agent = g->trace.profile.agent = c->agent->hsa;
    if (g->pass && g->pass->event_count) {
        hsa_ven_amd_aqlprofile_profile_t *profile = &g->counters.profile;
        profile->type = HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_PMC;
        status = list_events(g, &profile->event_count);
        profile->events = g->events;
        if (!status) status = build(g, &g->counters, 0);
    }
    if (!status && v1_settings.k_concurrent && !(c->mode & ROCPROFILER_MODE_STANDALONE) &&
        !c->trace && g->counters.has_read) {
        g->earlier.profile = g->counters.profile;
        g->earlier.profile.output_buffer.ptr = g->earlier.profile.command_buffer.ptr = NULL;
        status = build(g, &g->earlier, 0);
    }
    if (!status && c->trace && g->index == 0) {
        hsa_ven_amd_aqlprofile_profile_t *profile = &g->trace.profile;
        profile->type = HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE;
        profile->parameters = c->trace->parameters;
        profile->parameter_count = c->trace->parameter_count;
        status = build(g, &g->trace, v1_settings.trace_size);
    }
    if (!status) line_up(g);
    return status;
}

void v1_packets_free(v1_group_t *g)
{
    const v1_packets_t *all[] = {&g->counters, &g->trace, &g->earlier};
    if (g->context->life != v1_life()) return; /* HSA has freed all memory */
    /* the GPU may still execute the packets */
    if (g->context->queue && g->state == V1_LOST) return;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        v1_memory_put(g->context->agent, all[i]->memory, all[i]->bytes);
    if (g->done.handle) hsax.core.hsa_signal_destroy_fn(g->done);
}

/* ---- sampling ---- */

/* Puts packets on a queue and waits until the GPU has executed the last. */
static hsa_status_t execute(const char *function, v1_group_t *g, hsa_queue_t *queue,
                            const hsa_ext_amd_aql_pm4_packet_t *packets, unsigned count)
{
    if (!count) return HSA_STATUS_SUCCESS;
    hsa_ext_amd_aql_pm4_packet_t *ring = queue->base_address;
    uint64_t deadline = v1_deadline();
    hsax.core.hsa_signal_store_relaxed_fn(g->done, 1);
    for (unsigned i = 0; i < count; i++) {
        uint64_t index = hsax.core.hsa_queue_add_write_index_scacq_screl_fn(queue, 1);
        while (index - hsax.core.hsa_queue_load_read_index_scacquire_fn(queue) >= queue->size)
            sched_yield();
        hsa_ext_amd_aql_pm4_packet_t packet = packets[i], *slot = &ring[index % queue->size];
        if (i + 1 == count) packet.completion_signal = g->done;
        uint32_t first;
        memcpy(&first, &packet, sizeof first);
        memcpy((char *)slot + sizeof first, (char *)&packet + sizeof first,
               sizeof packet - sizeof first);
        __atomic_store_n((uint32_t *)(void *)slot, first, __ATOMIC_RELEASE);
        hsax.core.hsa_signal_store_screlease_fn(queue->doorbell_signal, (hsa_signal_value_t)index);
    }
    while (hsax.core.hsa_signal_load_scacquire_fn(g->done) > 0) {
        /* the runtime's own wait is not used, since it needs an interrupt and may exceed the
         * timeout */
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        if (deadline != UINT64_MAX && base_clock_ns(CLOCK_MONOTONIC) > deadline)
            return v1_failed("%s: the GPU has not answered within %llu ns", function,
                             (unsigned long long)v1_settings.timeout);
    }
    return HSA_STATUS_SUCCESS;
}

static v1_group_t *standalone_group(const char *function, rocprofiler_t *context, uint32_t index)
{
    v1_group_t *g = v1_group_find(function, context, index);
    if (!g || g->context->queue) return g;
    v1_invalid("%s: the context was not opened in mode STANDALONE and has no queue", function);
    return NULL;
}

/* Finds a group that has been started; else returns an error with a message. */
static hsa_status_t find_running(const char *function, rocprofiler_t *context, uint32_t index,
                                 v1_group_t **group)
{
    v1_group_t *g = *group = standalone_group(function, context, index);
    if (!g) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&v1_lock);
    bool running = g->state == V1_RUNNING;
    pthread_mutex_unlock(&v1_lock);
    return running ? HSA_STATUS_SUCCESS : v1_failed("%s: group %u is not started", function, index);
}

/* Sets the group's state, and releases its claim of the GPU when it no longer counts. A group of
 * concurrent kernels keeps its claim, since the GPU goes on counting. */
static void set_state(v1_group_t *g, v1_state_t state)
{
    pthread_mutex_lock(&v1_lock);
    v1_agent_t *agent = g->context->agent;
    if (g->claimed && state != V1_RUNNING && !g->earlier.memory) {
        hsax_owner_release(agent->hsa, HSAX_OWNER_V1);
        g->claimed = false;
    }
    if (g->state == V1_FLYING) agent->flying--;
    if (state != V1_RUNNING && agent->counting == g) agent->counting = NULL;
    g->state = state;
    pthread_cond_broadcast(&v1_changed);
    pthread_mutex_unlock(&v1_lock);
}

/* Claims the group's GPU (hsa/owner.h). Returns NULL, or the name of its owner. To be called with
 * v1_lock held. */
static const char *claim(v1_group_t *g)
{
    if (!g->counters.memory || g->claimed) return NULL;
    const char *owner = hsax_owner_claim(g->context->agent->hsa, HSAX_OWNER_V1);
    g->claimed = !owner;
    return owner;
}

/* A context with a queue of its own (MODE_CREATEQUEUE) counts kernels in the program's queues. That
 * works only if HSA has loaded this library: see hsa/counted.h. */
static void warn_of_uncounted_queues(const v1_group_t *g)
{
    static atomic_bool told;
    if (g->context->mode & ROCPROFILER_MODE_CREATEQUEUE && g->counters.memory &&
        !v1_dispatch_hooked() && !atomic_exchange(&told, true))
        base_warning(
            "rocprofiler_start: waves of the program's queues are not counted: HSA has not "
            "loaded this library, set HSA_TOOLS_LIB=librocprofiler64.so.1");
}

hsa_status_t rocprofiler_start(rocprofiler_t *context, uint32_t group_index)
{
    v1_group_t *g = standalone_group(__func__, context, group_index);
    if (!g) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    warn_of_uncounted_queues(g);
    v1_agent_t *agent = g->context->agent;
    pthread_mutex_lock(&v1_lock);
    const v1_group_t *other = agent->counting;
    uint32_t kernels = agent->flying;
    const char *owner = other || kernels ? NULL : claim(g);
    if (!other && !kernels && !owner) {
        agent->counting = g;
        agent->event_count = 0;
    }
    pthread_mutex_unlock(&v1_lock);
    if (other)
        return v1_failed("%s: GPU %u counts already for %s group", __func__, agent->index,
                         other == g ? "this" : "another");
    if (kernels)
        return v1_failed("%s: GPU %u is counting kernels (%u)", __func__, agent->index, kernels);
    if (owner)
        return v1_failed("%s: %s counts on GPU %u in this process", __func__, owner, agent->index);
    hsa_status_t status = execute(__func__, g, g->context->queue, g->before, g->wrap.before_count);
    g->has_data = false;
    set_state(g, status ? V1_IDLE : V1_RUNNING);
    return status;
}

hsa_status_t rocprofiler_read(rocprofiler_t *context, uint32_t group_index)
{
    v1_group_t *g;
    hsa_status_t status = find_running(__func__, context, group_index, &g);
    if (status) return status;
    if (!g->counters.memory || !g->counters.has_read)
        return v1_failed("%s: %s", __func__,
                         g->counters.memory ? "reading while counters run is switched off "
                                              "(AQLPROFILE_READ_API=0)"
                                            : "a trace can be read when it was stopped only");
    status = execute(__func__, g, g->context->queue, &g->counters.read, 1);
    if (!status) g->has_data = true;
    return status;
}

hsa_status_t rocprofiler_stop(rocprofiler_t *context, uint32_t group_index)
{
    v1_group_t *g;
    hsa_status_t status = find_running(__func__, context, group_index, &g);
    if (status) return status;
    status = execute(__func__, g, g->context->queue, g->after, g->wrap.after_count);
    g->has_data = !status;
    set_state(g, status ? V1_LOST : V1_READY);
    if (!status && g->context->handler)
        g->context->handler(v1_group_info(g), g->context->handler_arg);
    return status;
}

hsa_status_t rocprofiler_reset(rocprofiler_t *context, uint32_t group_index)
{
    v1_group_t *g = v1_group_find(__func__, context, group_index);
    if (!g) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&v1_lock);
    bool busy = g->state == V1_FLYING || g->state == V1_RUNNING;
    if (!busy) g->state = V1_IDLE;
    pthread_mutex_unlock(&v1_lock);
    if (busy) return v1_failed("%s: group %u is being collected", __func__, g->index);
    g->has_data = false;
    for (uint32_t i = 0; i < g->feature_count; i++)
        memset(&g->features[i]->data, 0, sizeof g->features[i]->data);
    return HSA_STATUS_SUCCESS;
}

/* ---- a kernel's group ---- */

static bool same_events(const v1_agent_t *agent, const hsa_ven_amd_aqlprofile_profile_t *profile)
{
    return agent->event_count == profile->event_count &&
           !memcmp(agent->events, profile->events, profile->event_count * sizeof *agent->events);
}

/* For concurrent kernels: makes the agent count the group's events from now on, all the time. */
static hsa_status_t start_always(v1_agent_t *agent, v1_group_t *g)
{
    const hsa_ven_amd_aqlprofile_profile_t *profile = &g->counters.profile;
    size_t bytes = profile->event_count * sizeof *profile->events;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    agent->event_count = 0; /* the events count only after the packets have been executed */
    if (!agent->queue)
        status = hsax.core.hsa_queue_create_fn(agent->hsa, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL,
                                               UINT32_MAX, UINT32_MAX, &agent->queue);
    if (!status) status = execute("concurrent", g, agent->queue, &g->counters.start, 1);
    if (status) return v1_error(status, "GPU %u has no queue to start counters", agent->index);
    free(agent->events);
    agent->events = malloc(bytes);
    if (!agent->events) return status;
    memcpy(agent->events, profile->events, bytes);
    agent->event_count = profile->event_count;
    return status;
}

/* Returns why the group cannot be counted for a kernel on that agent; NULL if it can. To be called
 * with v1_lock held. */
static const char *obstacle(const v1_group_t *g, const v1_agent_t *on)
{
    if (g->context->agent != on) return "is of another GPU";
    if (g->state == V1_FLYING) return "another kernel has";
    if (g->state == V1_RUNNING) return "was started";
    if (on->counting) return "cannot count while another group is started on its GPU";
    if (v1_settings.k_concurrent && on->flying && g->counters.memory &&
        !(g->earlier.memory && same_events(on, &g->counters.profile)))
        return "has other events than its GPU counts for concurrent kernels";
    return NULL;
}

bool v1_group_fly(v1_group_t *g, const v1_agent_t *on)
{
    static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER; /* serialises start_always() */
    v1_agent_t *agent = g->context->agent;
    bool start = false;
    pthread_mutex_lock(&starting);
    pthread_mutex_lock(&v1_lock);
    const char *why = obstacle(g, on);
    if (!why && claim(g)) why = "cannot count while librocprofiler-sdk does on its GPU";
    if (!why) {
        start = g->earlier.memory && !same_events(agent, &g->counters.profile);
        if (g->counters.memory && !g->earlier.memory) agent->event_count = 0;
        g->state = V1_FLYING;
        g->has_data = false;
        agent->flying++;
    }
    pthread_mutex_unlock(&v1_lock);
    bool ok = !why && !(start && start_always(agent, g));
    pthread_mutex_unlock(&starting);
    if (why)
        v1_failed("a dispatch callback gave group %u of context %p, which %s", g->index,
                  (void *)g->context, why);
    else if (!ok)
        set_state(g, V1_IDLE);
    if (!ok) return false;
    if (g->context->entry) v1_entry_flies(g->context->entry);
    hsax.core.hsa_signal_store_relaxed_fn(g->done, 1);
    return true;
}

void v1_group_land(v1_group_t *g, bool lost)
{
    v1_context_t *c = g->context;
    struct v1_entry *entry = c->entry;
    rocprofiler_handler_t handler = c->handler;
    void *arg = c->handler_arg;
    rocprofiler_group_t info = v1_group_info(g);
    g->has_data = !lost;
    set_state(g, lost ? V1_LOST : V1_READY);
    /* from here on the program may close the context */
    if (entry)
        v1_entry_ready(entry, lost);
    else if (handler && !lost)
        handler(info, arg);
}

/* ---- values ---- */

typedef struct {
    v1_group_t *group;
    double *raw;
    size_t next; /* number of the next event of the profile */
    uint32_t last_sample;
} reader_t;

/* Finds the place of a sample: samples of an event are numbered by the parts of the GPU that the
 * block is in, from the outermost to the innermost. Returns false if the shape has no place for the
 * sample. */
static bool place_sample(const ctr_shape_t *shape, uint32_t sample,
                         uint32_t position[CTR_DIM_COUNT])
{
    static const ctr_dim_t inner_first[] = {CTR_DIM_WGP, CTR_DIM_SHADER_ARRAY,
                                            CTR_DIM_SHADER_ENGINE, CTR_DIM_XCC};
    for (size_t i = 0; i < sizeof inner_first / sizeof *inner_first; i++) {
        const uint16_t extent = shape->extent[inner_first[i]];
        if (!extent) continue;
        position[inner_first[i]] = sample % extent;
        sample /= extent;
    }
    return !sample;
}

/* Takes a result. Results come event by event, each with its samples. */
static hsa_status_t take_result(hsa_ven_amd_aqlprofile_info_type_t type,
                                hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    reader_t *r = data;
    if (type != HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA) return HSA_STATUS_SUCCESS;
    if (!r->next || info->sample_id <= r->last_sample) r->next++;
    r->last_sample = info->sample_id;
    if (r->next > r->group->counters.profile.event_count) return HSA_STATUS_ERROR;
    const v1_slot_t *slot = &r->group->slots[r->next - 1];
    if (!slot->event) return HSA_STATUS_SUCCESS;
    uint32_t position[CTR_DIM_COUNT] = {0};
    if (!place_sample(&slot->event->shape, info->sample_id, position)) return HSA_STATUS_SUCCESS;
    position[CTR_DIM_INSTANCE] = slot->instance;
    size_t index = ctr_shape_index(&slot->event->shape, position);
    if (index != SIZE_MAX) r->raw[slot->event->first + index] = (double)info->pmc_data.result;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_results(v1_group_t *g, const v1_packets_t *from, double *raw)
{
    reader_t reader = {.group = g, .raw = raw};
    memset(raw, 0, g->pass->raw_count * sizeof *raw);
    return hsa_ven_amd_aqlprofile_iterate_data(&from->profile, take_result, &reader);
}

/* Returns the sum of one instance's values over all shader engines. */
static uint64_t sum_instance(const ctr_shape_t *shape, const double *values, uint32_t instance)
{
    uint64_t sum = 0;
    uint32_t position[CTR_DIM_COUNT];
    for (size_t i = 0; i < ctr_shape_size(shape); i++) {
        ctr_shape_position(shape, i, position);
        if (position[CTR_DIM_INSTANCE] == instance) sum += (uint64_t)values[i];
    }
    return sum;
}

static void set_integer(rocprofiler_feature_t *f, uint64_t value)
{
    f->data.kind = ROCPROFILER_DATA_KIND_INT64;
    f->data.result_int64 = value;
}

const ctr_result_t *v1_group_result(const v1_group_t *g, const ctr_counter_t *counter)
{
    for (size_t i = 0; g->pass && i < g->pass->result_count; i++)
        if (g->pass->results[i].counter == counter) return &g->pass->results[i];
    return NULL;
}

/* Returns whether the program sees a counter; also true for NAME[i], which the engine treats as an
 * expression. */
static bool is_counter(const ctr_counter_t *counter)
{
    return counter->kind == CTR_HARDWARE || ctr_is_instance(counter);
}

static void set_counters(v1_group_t *g)
{
    v1_context_t *c = g->context;
    for (uint32_t i = 0; i < c->feature_count; i++) {
        const ctr_counter_t *counter = c->counters[i];
        const ctr_result_t *r = counter ? v1_group_result(g, counter) : NULL;
        if (!r || !is_counter(counter)) continue;
        set_integer(&c->features[i], counter->kind == CTR_HARDWARE
                                         ? sum_instance(&r->shape, g->values + r->first, 0)
                                         : (uint64_t)g->values[r->first]);
    }
}

static void set_inputs(v1_group_t *g)
{
    for (uint32_t i = 0; i < g->input_count; i++) {
        v1_input_t *input = &g->inputs[i];
        set_integer(&input->feature, sum_instance(&input->event->shape,
                                                  g->raw + input->event->first, input->instance));
    }
}

static hsa_status_t add_trace(hsa_ven_amd_aqlprofile_info_type_t type,
                              hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    rocprofiler_bytes_t *bytes = data;
    if (type != HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA) return HSA_STATUS_SUCCESS;
    if (!bytes->instance_count++) bytes->ptr = info->trace_data.ptr;
    bytes->size += info->trace_data.size;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t set_trace(const char *function, v1_group_t *g)
{
    rocprofiler_data_t *data = &g->context->trace->data;
    *data = (rocprofiler_data_t){.kind = ROCPROFILER_DATA_KIND_BYTES};
    hsa_status_t status =
        hsa_ven_amd_aqlprofile_iterate_data(&g->trace.profile, add_trace, &data->result_bytes);
    /* if the trace did not fit, the data is the part that did, and the status says so */
    return status ? v1_error(status, "%s: %s", function, aqlprofile_message()) : status;
}

/* Copies data to the features with which the program opened a pool. In AMD's library the contexts
 * of a pool use these features, and tools read them. */
static void share_data(const v1_context_t *c)
{
    if (!c->copy_to) return;
    pthread_mutex_lock(&v1_lock);
    for (uint32_t i = 0; i < c->feature_count; i++)
        c->copy_to[i].data = c->features[i].data;
    pthread_mutex_unlock(&v1_lock);
}

/* Converts the output buffers of a group that has data to the data of its features. */
static hsa_status_t evaluate(const char *function, v1_group_t *g)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    if (g->counters.memory) status = take_results(g, &g->counters, g->raw);
    if (!status && g->earlier.memory) {
        status = take_results(g, &g->earlier, g->raw_earlier);
        for (size_t i = 0; i < g->pass->raw_count; i++)
            g->raw[i] -= g->raw_earlier[i];
    }
    if (status) return v1_error(status, "%s: %s", function, aqlprofile_message());
    if (g->pass) {
        ctr_evaluate(g->pass, g->raw, g->scratch, g->values);
        set_counters(g);
        set_inputs(g);
    }
    if (g->trace.memory) status = set_trace(function, g);
    share_data(g->context);
    return status;
}

hsa_status_t rocprofiler_get_data(rocprofiler_t *context, uint32_t group_index)
{
    v1_group_t *g = v1_group_find(__func__, context, group_index);
    if (!g) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint64_t deadline = v1_deadline();
    pthread_mutex_lock(&v1_lock);
    while (g->state == V1_FLYING && v1_wait(deadline)) {
    }
    v1_state_t state = g->state;
    bool has_data = g->has_data;
    pthread_mutex_unlock(&v1_lock);
    if (state == V1_FLYING)
        return v1_failed("%s: no data within %llu ns", __func__,
                         (unsigned long long)v1_settings.timeout);
    if (!has_data)
        return v1_failed("%s: group %u has no data: %s", __func__, group_index,
                         state == V1_LOST      ? "its kernel did not complete"
                         : state == V1_RUNNING ? "it was not read since it was started"
                                               : "no kernel had it, and it was not started");
    return evaluate(__func__, g);
}

hsa_status_t rocprofiler_get_metrics(const rocprofiler_t *context)
{
    v1_context_t *c = v1_context_find(__func__, context);
    if (!c) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < c->group_count; i++)
        if (!c->groups[i].has_data)
            return v1_failed("%s: group %u of %u has no data", __func__, i, c->group_count);
    for (uint32_t i = 0; i < c->feature_count; i++) {
        const ctr_counter_t *counter = c->counters[i];
        if (!counter || is_counter(counter)) continue;
        for (uint32_t k = 0; k < c->group_count; k++) {
            const ctr_result_t *r = v1_group_result(&c->groups[k], counter);
            if (!r) continue;
            c->features[i].data.kind = ROCPROFILER_DATA_KIND_DOUBLE;
            c->features[i].data.result_double = c->groups[k].values[r->first];
        }
    }
    share_data(c);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t rocprofiler_iterate_trace_data(rocprofiler_t *context,
                                            rocprofiler_trace_data_callback_t callback, void *data)
{
    v1_context_t *c = v1_context_find(__func__, context);
    if (!c) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!callback || !c->trace || !c->groups[0].has_data)
        return v1_invalid("%s: %s", __func__,
                          !callback   ? "callback is NULL"
                          : !c->trace ? "the context has no trace"
                                      : "there is no data yet");
    v1_group_t *g = v1_group_find(__func__, context, 0);
    if (!g) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = hsa_ven_amd_aqlprofile_iterate_data(&g->trace.profile, callback, data);
    return status ? v1_error(status, "%s: %s", __func__, aqlprofile_message()) : status;
}

/* ---- the same by group ---- */

#define BY_GROUP(what)                                                                             \
    hsa_status_t rocprofiler_group_##what(rocprofiler_group_t *group)                              \
    {                                                                                              \
        if (!group) return v1_invalid("rocprofiler_group_" #what ": group is NULL");               \
        return rocprofiler_##what(group->context, group->index);                                   \
    }
BY_GROUP(start)
BY_GROUP(read)
BY_GROUP(stop)
BY_GROUP(get_data)
