/* context.c - contexts: what was asked for, resolved and divided into groups.
 *
 * Open contexts are kept in a table, so that a pointer that is none gets an error and not a crash.
 * What groups count, and their data, is in data.c. */
#include "v1/v1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, MODES = 7 };

static v1_context_t *open_contexts[BUCKETS];

/* ---- the table of open contexts ---- */

static v1_context_t **bucket(const void *context)
{
    uint64_t hash = (uint64_t)(uintptr_t)context * 0x9e3779b97f4a7c15u;
    return &open_contexts[hash >> 54];
}

/* With v1_lock held. */
static v1_context_t **locate(const void *context)
{
    v1_context_t **link = bucket(context);
    while (*link && *link != context)
        link = &(*link)->next;
    return link;
}

static void enter(v1_context_t *context)
{
    pthread_mutex_lock(&v1_lock);
    v1_context_t **link = bucket(context);
    context->next = *link;
    *link = context;
    pthread_mutex_unlock(&v1_lock);
}

v1_context_t *v1_context_find(const char *function, const rocprofiler_t *context)
{
    if (!context) {
        v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: the context is NULL", function);
        return NULL;
    }
    pthread_mutex_lock(&v1_lock);
    v1_context_t *found = *locate(context);
    pthread_mutex_unlock(&v1_lock);
    if (!found)
        v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: %p is no open context", function, context);
    return found;
}

v1_group_t *v1_group_find(const char *function, const rocprofiler_t *handle, uint32_t index)
{
    v1_context_t *context = v1_context_find(function, handle);
    if (!context) return NULL;
    if (index < context->group_count) return &context->groups[index];
    v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: group %u of a context that has %u", function,
             index, context->group_count);
    return NULL;
}

/* ---- features ---- */

static bool names_trace(const char *name)
{
    return name && (!strcmp(name, "THREAD_TRACE") || !strcmp(name, "TT") || !strcmp(name, "SQTT"));
}

/* A counter by block and event: NULL if no counter is defined for it. With v1_catalogue_lock. */
static const ctr_counter_t *by_event(ctr_catalogue_t *catalogue, const char *block, uint32_t event)
{
    char name[200];
    size_t length = strcspn(block, "[");
    for (size_t i = 0; i < ctr_catalogue_count(catalogue); i++) {
        const ctr_counter_t *c = ctr_catalogue_at(catalogue, i), *instance;
        if (c->kind != CTR_HARDWARE || c->event != event || strlen(c->block) != length ||
            strncmp(c->block, block, length) != 0)
            continue;
        if (!block[length]) return c;
        snprintf(name, sizeof name, "%s%s", c->name, block + length);
        return ctr_catalogue_instance(catalogue, name, &instance, NULL) == CTR_OK ? instance : NULL;
    }
    return NULL;
}

static bool names_block(const ctr_catalogue_t *catalogue, const char *name)
{
    char block[64];
    snprintf(block, sizeof block, "%.*s", (int)strcspn(name, "["), name);
    return ctr_catalogue_find_block(catalogue, block);
}

/* The counter of a metric feature; NULL with a message. With v1_catalogue_lock. */
static const ctr_counter_t *resolve(const char *function, const v1_agent_t *agent,
                                    const rocprofiler_feature_t *feature)
{
    const ctr_counter_t *counter = NULL;
    ctr_error_t error = {0};
    if (!feature->name) {
        v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: a metric's name is NULL", function);
        return NULL;
    }
    if (names_block(agent->catalogue, feature->name)) {
        counter = by_event(agent->catalogue, feature->counter.block, feature->counter.event);
        if (!counter)
            v1_error(HSA_STATUS_ERROR, "%s: no counter of block %s has event %u on %s", function,
                     feature->counter.block, feature->counter.event, agent->gfx);
        return counter;
    }
    if (ctr_catalogue_instance(agent->catalogue, feature->name, &counter, &error) == CTR_OK &&
        counter->kind != CTR_CONSTANT)
        return counter;
    const char *similar = ctr_catalogue_similar(agent->catalogue, feature->name);
    bool instance = strchr(feature->name, '[');
    v1_error(HSA_STATUS_ERROR, "%s: %s has no metric '%s'%s%s%s", function, agent->gfx,
             feature->name, similar ? ", did you mean " : instance ? ": " : "",
             similar ? similar : instance ? error.text : "", similar ? "?" : "");
    return NULL;
}

static hsa_status_t copy_features(v1_context_t *c, const rocprofiler_feature_t *features)
{
    c->features = calloc(c->feature_count ? c->feature_count : 1, sizeof *c->features);
    c->owns_features = c->features;
    for (uint32_t i = 0; c->features && i < c->feature_count; i++) {
        c->features[i] = features[i];
        if (features[i].name && !(c->features[i].name = strdup(features[i].name)))
            return v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for features");
    }
    return c->features ? HSA_STATUS_SUCCESS
                       : v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for features");
}

/* Counters of all features, and the plan of their groups. */
static hsa_status_t plan(const char *function, v1_context_t *c)
{
    const ctr_counter_t **wanted = calloc(c->feature_count + 1, sizeof *wanted);
    c->counters = calloc(c->feature_count + 1, sizeof *c->counters);
    hsa_status_t status = HSA_STATUS_SUCCESS;
    ctr_error_t error = {0};
    size_t count = 0;
    if (!wanted || !c->counters) {
        free(wanted);
        return v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "%s: no memory", function);
    }
    pthread_mutex_lock(&v1_catalogue_lock);
    for (uint32_t i = 0; i < c->feature_count && !status; i++) {
        rocprofiler_feature_t *f = &c->features[i];
        memset(&f->data, 0, sizeof f->data);
        if (f->kind == ROCPROFILER_FEATURE_KIND_TRACE && names_trace(f->name) && !c->trace) {
            c->trace = f;
        } else if (f->kind == ROCPROFILER_FEATURE_KIND_TRACE) {
            status = v1_error(HSA_STATUS_ERROR, "%s: %s '%s'", function,
                              c->trace ? "one trace is the limit, this is a second:"
                                       : "there is no trace",
                              f->name ? f->name : "NULL");
        } else if (f->kind != ROCPROFILER_FEATURE_KIND_METRIC) {
            status = v1_error(HSA_STATUS_ERROR, "%s: features of kind %u are not supported",
                              function, f->kind);
        } else if (!(c->counters[i] = resolve(function, c->agent, f))) {
            status = HSA_STATUS_ERROR;
        } else {
            wanted[count++] = c->counters[i];
        }
    }
    if (!status && count &&
        ctr_plan_create(c->agent->catalogue, &c->agent->properties, wanted, count,
                        c->mode & ROCPROFILER_MODE_SINGLEGROUP ? 1 : 0, &c->plan, &error) != CTR_OK)
        status = v1_error(HSA_STATUS_ERROR, "%s: %s", function, error.text);
    pthread_mutex_unlock(&v1_catalogue_lock);
    free(wanted);
    return status;
}

/* ---- groups ---- */

static bool asked_for(const v1_context_t *c, const ctr_counter_t *counter)
{
    for (uint32_t i = 0; i < c->feature_count; i++)
        if (c->counters[i] == counter) return true;
    return false;
}

static uint32_t instances_of(const ctr_event_t *event)
{
    return event->instance_end - event->instance_begin;
}

/* The events that no feature asks for itself become features of their own, one for each instance. */
static bool add_internal(v1_context_t *c, const ctr_event_t *event)
{
    for (uint32_t i = event->instance_begin; i < event->instance_end; i++) {
        rocprofiler_feature_t *f = &c->internal[c->internal_count];
        char *name = NULL;
        int length = instances_of(event) > 1 ? asprintf(&name, "%s[%u]", event->counter->name, i)
                                             : asprintf(&name, "%s", event->counter->name);
        if (length < 0) return false;
        f->name = name;
        c->internal_count++;
    }
    return true;
}

static bool in_pass(const ctr_pass_t *pass, const ctr_counter_t *counter)
{
    for (size_t i = 0; i < pass->result_count; i++)
        if (pass->results[i].counter == counter) return true;
    return false;
}

static hsa_status_t fill_group(v1_context_t *c, v1_group_t *g)
{
    uint32_t first = c->internal_count;
    for (size_t i = 0; g->pass && i < g->pass->event_count; i++)
        if (!asked_for(c, g->pass->events[i].counter) && !add_internal(c, &g->pass->events[i]))
            return v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for features");
    uint32_t internal = c->internal_count - first;
    g->features = calloc(c->feature_count + internal + 1, sizeof(rocprofiler_feature_t *));
    if (g->pass) {
        g->raw = calloc(g->pass->raw_count + 1, sizeof *g->raw);
        g->raw_earlier = calloc(g->pass->raw_count + 1, sizeof *g->raw_earlier);
        g->scratch = calloc(g->pass->scratch_count + 1, sizeof *g->scratch);
        g->values = calloc(g->pass->value_count + 1, sizeof *g->values);
    }
    if (!g->features || (g->pass && (!g->raw || !g->raw_earlier || !g->scratch || !g->values)))
        return v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for a group");
    for (uint32_t i = 0; i < c->feature_count; i++)
        if (c->counters[i] ? g->pass && in_pass(g->pass, c->counters[i]) : g->index == 0)
            g->features[g->feature_count++] = &c->features[i];
    for (uint32_t i = 0; i < internal; i++)
        g->features[g->feature_count++] = &c->internal[first + i];
    return v1_packets_build(g);
}

static hsa_status_t make_groups(v1_context_t *c)
{
    size_t passes = c->plan ? ctr_plan_pass_count(c->plan) : 0, internal = 0;
    c->group_count = passes ? (uint32_t)passes : 1;
    c->groups = calloc(c->group_count, sizeof *c->groups);
    for (size_t p = 0; p < passes; p++) {
        const ctr_pass_t *pass = ctr_plan_pass(c->plan, p);
        for (size_t i = 0; i < pass->event_count; i++)
            internal += instances_of(&pass->events[i]);
    }
    c->internal = calloc(internal + 1, sizeof *c->internal);
    if (!c->groups || !c->internal)
        return v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for groups");
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (uint32_t i = 0; i < c->group_count; i++) {
        c->groups[i].context = c;
        c->groups[i].index = i;
        c->groups[i].pass = passes ? ctr_plan_pass(c->plan, i) : NULL;
    }
    for (uint32_t i = 0; i < c->group_count && !status; i++)
        status = fill_group(c, &c->groups[i]);
    return status;
}

static void free_group(v1_group_t *g)
{
    v1_packets_free(g, &g->counters);
    v1_packets_free(g, &g->trace);
    v1_packets_free(g, &g->earlier);
    if (g->done.handle && v1_runtime_alive()) hsax.core.hsa_signal_destroy_fn(g->done);
    free(g->features);
    free(g->events);
    free(g->slots);
    free(g->raw);
    free(g->raw_earlier);
    free(g->scratch);
    free(g->values);
}

void v1_context_free(v1_context_t *c)
{
    for (uint32_t i = 0; c->groups && i < c->group_count; i++)
        free_group(&c->groups[i]);
    for (uint32_t i = 0; i < c->internal_count; i++)
        free((char *)(uintptr_t)c->internal[i].name);
    for (uint32_t i = 0; c->owns_features && i < c->feature_count; i++)
        free((char *)(uintptr_t)c->features[i].name);
    if (c->owns_features) free(c->features);
    ctr_plan_destroy(c->plan);
    free(c->internal);
    free(c->groups);
    free(c->counters);
    free(c);
}

/* ---- open and close ---- */

static hsa_status_t give_queue(const char *function, v1_context_t *c,
                               rocprofiler_properties_t *properties)
{
    if (!(c->mode & ROCPROFILER_MODE_STANDALONE)) {
        if (!(c->mode & ROCPROFILER_MODE_CREATEQUEUE)) return HSA_STATUS_SUCCESS;
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s: mode %u has CREATEQUEUE without STANDALONE", function, c->mode);
    }
    if (!properties)
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s: mode STANDALONE needs properties, they are NULL", function);
    if (!(c->mode & ROCPROFILER_MODE_CREATEQUEUE)) {
        c->queue = properties->queue;
        if (c->queue) return HSA_STATUS_SUCCESS;
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s: mode STANDALONE without CREATEQUEUE needs properties.queue", function);
    }
    hsa_status_t status = hsax.core.hsa_queue_create_fn(
        c->agent->hsa, properties->queue_depth, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
        UINT32_MAX, &c->queue);
    if (status) {
        c->queue = NULL;
        return v1_error(status, "%s: no queue of depth %u (HSA status 0x%x): a power of two?",
                        function, properties->queue_depth, status);
    }
    properties->queue = c->queue;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t v1_context_open(const char *function, hsa_agent_t agent,
                             rocprofiler_feature_t *features, uint32_t count, bool own,
                             v1_context_t **context, uint32_t mode,
                             rocprofiler_properties_t *properties)
{
    hsa_status_t status = v1_runtime();
    if (status) return status;
    if (!context || (count && !features))
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function,
                        context ? "features" : "context");
    if (mode > MODES)
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: mode %u, %u is the largest",
                        function, mode, MODES);
    v1_agent_t *a = v1_agent_find(agent);
    if (!a) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!v1_catalogue(a)) return a->gpu ? HSA_STATUS_ERROR : HSA_STATUS_ERROR_INVALID_AGENT;
    v1_context_t *c = calloc(1, sizeof *c);
    if (!c) return v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "%s: no memory", function);
    c->agent = a;
    c->mode = mode;
    c->features = features;
    c->feature_count = count;
    if (properties) {
        c->handler = properties->handler;
        c->handler_arg = properties->handler_arg;
    }
    if (own) status = copy_features(c, features);
    if (own) c->copy_to = features;
    if (!status) status = plan(function, c);
    if (!status) status = make_groups(c);
    if (!status) status = give_queue(function, c, properties);
    if (status) {
        v1_context_free(c);
        return status;
    }
    enter(c);
    *context = c;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t rocprofiler_open(hsa_agent_t agent, rocprofiler_feature_t *features,
                              uint32_t feature_count, rocprofiler_t **context, uint32_t mode,
                              rocprofiler_properties_t *properties)
{
    return v1_context_open("rocprofiler_open", agent, features, feature_count, false,
                           (v1_context_t **)context, mode, properties);
}

/* With v1_lock held: waits for kernels that have the context. */
static bool wait_landed(v1_context_t *c, uint64_t deadline)
{
    for (uint32_t i = 0; i < c->group_count; i++)
        while (c->groups[i].state == V1_FLYING)
            if (hsax_forked() || !v1_runtime_alive() || !v1_wait(deadline)) return false;
    return true;
}

hsa_status_t rocprofiler_close(rocprofiler_t *context)
{
    const char *function = "rocprofiler_close";
    v1_context_t *c = v1_context_find(function, context);
    if (!c) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (c->entry)
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s: the context belongs to a pool: release its entry", function);
    for (uint32_t i = 0; i < c->group_count; i++)
        if (c->groups[i].state == V1_RUNNING) rocprofiler_stop(context, i);
    pthread_mutex_lock(&v1_lock);
    bool landed = wait_landed(c, v1_deadline());
    v1_context_t **link = locate(context);
    bool ours = *link && landed;
    if (ours) *link = c->next;
    pthread_mutex_unlock(&v1_lock);
    if (!ours)
        return v1_error(HSA_STATUS_ERROR, "%s: the context's kernel has not completed", function);
    v1_context_free(c);
    return HSA_STATUS_SUCCESS;
}

/* ---- sets of features ---- */

typedef struct {
    rocprofiler_feature_t *features;
    uint32_t count, room;
} set_t;
_Static_assert(sizeof(set_t) <= ROCPROFILER_FEATURE_SET_BYTES, "a set's size");

static void empty(set_t *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        free((char *)(uintptr_t)set->features[i].name);
    free(set->features);
    memset(set, 0, sizeof *set);
}

hsa_status_t rocprofiler_add_feature(const rocprofiler_feature_t *feature,
                                     rocprofiler_feature_set_t *features_set)
{
    const char *function = "rocprofiler_add_feature";
    set_t *set = features_set;
    if (!feature || !set || !feature->name)
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function,
                        !feature ? "feature" : !set ? "features_set" : "the feature's name");
    if (set->count == set->room) {
        uint32_t room = set->room ? 2 * set->room : 8;
        rocprofiler_feature_t *more = realloc(set->features, room * sizeof *more);
        if (!more) return v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "%s: no memory", function);
        set->features = more;
        set->room = room;
    }
    rocprofiler_feature_t *f = &set->features[set->count];
    *f = *feature;
    f->name = strdup(feature->name);
    if (!f->name) return v1_error(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "%s: no memory", function);
    set->count++;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t rocprofiler_features_set_open(hsa_agent_t agent,
                                           rocprofiler_feature_set_t *features_set,
                                           rocprofiler_t **context, uint32_t mode,
                                           rocprofiler_properties_t *properties)
{
    const char *function = "rocprofiler_features_set_open";
    set_t *set = features_set;
    if (!set)
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: features_set is NULL", function);
    hsa_status_t status = v1_context_open(function, agent, set->features, set->count, true,
                                          (v1_context_t **)context, mode, properties);
    if (!status) empty(set);
    return status;
}

/* ---- what a context is ---- */

hsa_status_t rocprofiler_get_agent(rocprofiler_t *context, hsa_agent_t *agent)
{
    const char *function = "rocprofiler_get_agent";
    v1_context_t *c = v1_context_find(function, context);
    if (!c) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agent) return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: agent is NULL", function);
    *agent = c->agent->hsa;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t rocprofiler_group_count(const rocprofiler_t *context, uint32_t *group_count)
{
    const char *function = "rocprofiler_group_count";
    v1_context_t *c = v1_context_find(function, context);
    if (!c) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!group_count)
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: group_count is NULL", function);
    *group_count = c->group_count;
    return HSA_STATUS_SUCCESS;
}

void v1_group_info(v1_group_t *group, rocprofiler_group_t *info)
{
    *info = (rocprofiler_group_t){group->index, group->features, group->feature_count,
                                  group->context};
}

hsa_status_t rocprofiler_get_group(rocprofiler_t *context, uint32_t group_index,
                                   rocprofiler_group_t *group)
{
    const char *function = "rocprofiler_get_group";
    v1_group_t *g = v1_group_find(function, context, group_index);
    if (!g) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!group) return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s: group is NULL", function);
    v1_group_info(g, group);
    return HSA_STATUS_SUCCESS;
}
