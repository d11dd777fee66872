/* context.c - contexts: the requested features, resolved and divided into groups.
 *
 * Open contexts are kept in a table, so that an invalid pointer causes an error and not a crash.
 * data.c has the groups' packets and data. */
#include "v1/v1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "base/grow.h"

enum { BUCKETS = 1024, MODES = 7 };

static v1_context_t *open_contexts[BUCKETS];

/* ---- the table of open contexts ---- */

static v1_context_t **bucket(const void *context)
{
    uint64_t hash = (uint64_t)(uintptr_t)context * BASE_GOLDEN;
    return &open_contexts[hash >> 54];
}

/* To be called with v1_lock held. */
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
        v1_invalid("%s: the context is NULL", function);
        return NULL;
    }
    pthread_mutex_lock(&v1_lock);
    v1_context_t *found = *locate(context);
    pthread_mutex_unlock(&v1_lock);
    if (!found) v1_invalid("%s: %p is no open context", function, context);
    return found;
}

v1_group_t *v1_group_find(const char *function, const rocprofiler_t *handle, uint32_t index)
{
    v1_context_t *context = v1_context_find(function, handle);
    if (!context) return NULL;
    if (index >= context->group_count)
        v1_invalid("%s: group %u of a context that has %u", function, index, context->group_count);
    else if (context->life != v1_life())
        v1_invalid("%s: HSA was shut down since the context was opened", function);
    else
        return &context->groups[index];
    return NULL;
}

/* ---- features ---- */

static bool names_trace(const char *name)
{
    return name && (!strcmp(name, "THREAD_TRACE") || !strcmp(name, "TT") || !strcmp(name, "SQTT"));
}

/* Returns the counter of an event of a block ("SQ") or of one of its instances ("TCC[3]"): the one
 * that is defined, or a new one without a definition. To be called with v1_catalogue_lock held. */
static const ctr_counter_t *by_event(ctr_catalogue_t *catalogue, const char *block, uint32_t event,
                                     ctr_error_t *error)
{
    char name[200];
    const ctr_counter_t *found = NULL;
    size_t length = strcspn(block, "[");
    for (size_t i = 0; i < ctr_catalogue_count(catalogue) && !found; i++) {
        const ctr_counter_t *c = ctr_catalogue_at(catalogue, i);
        if (c->kind == CTR_HARDWARE && c->event == event && strlen(c->block) == length &&
            strncmp(c->block, block, length) == 0)
            found = c;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, block);
    if (!found && ctr_catalogue_event(catalogue, name, event, &found, error) != CTR_OK) return NULL;
    if (!block[length]) return found;
    snprintf(name, sizeof name, "%s%s", found->name, block + length);
    return ctr_catalogue_instance(catalogue, name, &found, error) == CTR_OK ? found : NULL;
}

/* Splits a name like "SQ:4" or "TCC[3]:17". Returns false if the name has another form. */
static bool split_event(const char *name, char block[64], uint32_t *event)
{
    const char *colon = strchr(name, ':');
    if (!colon || colon - name >= 64 || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
        return false;
    snprintf(block, 64, "%.*s", (int)(colon - name), name);
    *event = (uint32_t)strtoul(colon + 1, NULL, 10);
    return true;
}

static bool names_block(const ctr_catalogue_t *catalogue, const char *name)
{
    char block[64];
    snprintf(block, sizeof block, "%.*s", (int)strcspn(name, "["), name);
    return ctr_catalogue_find_block(catalogue, block);
}

/* Returns the counter of a metric feature; NULL with a message. To be called with v1_catalogue_lock
 * held. */
static const ctr_counter_t *resolve(const char *function, const v1_agent_t *agent,
                                    const rocprofiler_feature_t *feature)
{
    const ctr_counter_t *counter = NULL;
    ctr_error_t error = {0};
    if (!feature->name) {
        v1_invalid("%s: a metric's name is NULL", function);
        return NULL;
    }
    char block[64];
    uint32_t event = feature->counter.event;
    bool split = split_event(feature->name, block, &event);
    if (split || names_block(agent->catalogue, feature->name)) {
        counter = by_event(agent->catalogue, split ? block : feature->counter.block, event, &error);
        if (!counter) v1_failed("%s: %s", function, error.text);
        return counter;
    }
    if (ctr_catalogue_instance(agent->catalogue, feature->name, &counter, &error) == CTR_OK &&
        counter->kind != CTR_CONSTANT)
        return counter;
    const char *similar = ctr_catalogue_similar(agent->catalogue, feature->name);
    bool instance = strchr(feature->name, '[');
    if (similar)
        v1_failed("%s: %s has no metric '%s', did you mean %s?", function, agent->gfx,
                  feature->name, similar);
    else
        v1_failed("%s: %s has no metric '%s'%s%s", function, agent->gfx, feature->name,
                  instance ? ": " : "", instance ? error.text : "");
    return NULL;
}

static hsa_status_t copy_features(v1_context_t *c, const rocprofiler_feature_t *features)
{
    c->features = calloc(c->feature_count ? c->feature_count : 1, sizeof *c->features);
    c->owns_features = c->features;
    for (uint32_t i = 0; c->features && i < c->feature_count; i++) {
        c->features[i] = features[i];
        if (features[i].name && !(c->features[i].name = strdup(features[i].name)))
            return v1_no_memory("no memory for features");
    }
    return c->features ? HSA_STATUS_SUCCESS : v1_no_memory("no memory for features");
}

/* Looks up the counters of all features and plans their groups. */
static hsa_status_t plan(const char *function, v1_context_t *c)
{
    const ctr_counter_t **wanted = calloc(c->feature_count + 1, sizeof *wanted);
    c->counters = calloc(c->feature_count + 1, sizeof *c->counters);
    hsa_status_t status = HSA_STATUS_SUCCESS;
    ctr_error_t error = {0};
    size_t count = 0;
    if (!wanted || !c->counters) {
        free(wanted);
        return v1_no_memory("%s: no memory", function);
    }
    pthread_mutex_lock(&v1_catalogue_lock);
    for (uint32_t i = 0; i < c->feature_count && !status; i++) {
        rocprofiler_feature_t *f = &c->features[i];
        /* contexts can share the program's features, which may have data that it has not read */
        if (c->owns_features) memset(&f->data, 0, sizeof f->data);
        if (f->kind == ROCPROFILER_FEATURE_KIND_TRACE && names_trace(f->name) && !c->trace) {
            c->trace = f;
            if (f->parameter_count && !f->parameters)
                status = v1_invalid("%s: parameters of trace '%s' are NULL, parameter_count is %u",
                                    function, f->name, f->parameter_count);
        } else if (f->kind == ROCPROFILER_FEATURE_KIND_TRACE) {
            status = v1_failed("%s: %s '%s'", function,
                               c->trace ? "one trace is the limit, this is a second:"
                                        : "there is no trace",
                               f->name ? f->name : "NULL");
        } else if (f->kind != ROCPROFILER_FEATURE_KIND_METRIC) {
            status = v1_failed("%s: features of kind %u are not supported", function, f->kind);
        } else if (!(c->counters[i] = resolve(function, c->agent, f))) {
            status = HSA_STATUS_ERROR;
        } else {
            wanted[count++] = c->counters[i];
        }
    }
    if (!status && count &&
        ctr_plan_create(c->agent->catalogue, &c->agent->properties, wanted, count,
                        c->mode & ROCPROFILER_MODE_SINGLEGROUP ? 1 : 0, &c->plan, &error) != CTR_OK)
        status = v1_failed("%s: %s", function, error.text);
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

/* Adds a feature for each instance of the group's events that is not one of the program's
 * features. */
static hsa_status_t add_inputs(v1_group_t *g)
{
    const ctr_event_t *events = g->pass->events, *end = events + g->pass->event_count;
    size_t room = 0;
    for (const ctr_event_t *e = events; e < end; e++)
        if (!asked_for(g->context, e->counter)) room += instances_of(e);
    g->inputs = calloc(room + 1, sizeof *g->inputs);
    for (const ctr_event_t *e = events; g->inputs && e < end; e++) {
        if (asked_for(g->context, e->counter)) continue;
        for (uint32_t i = e->instance_begin; i < e->instance_end; i++) {
            char *name;
            if ((instances_of(e) > 1 ? asprintf(&name, "%s[%u]", e->counter->name, i)
                                     : asprintf(&name, "%s", e->counter->name)) < 0)
                return v1_no_memory("no memory for features");
            g->inputs[g->input_count++] = (v1_input_t){{.name = name}, e, i};
        }
    }
    return g->inputs ? HSA_STATUS_SUCCESS : v1_no_memory("no memory for features");
}

static bool add_numbers(v1_group_t *g)
{
    const ctr_pass_t *p = g->pass;
    g->raw = calloc(2 * p->raw_count + p->scratch_count + p->value_count + 1, sizeof *g->raw);
    if (!g->raw) return false;
    g->raw_earlier = g->raw + p->raw_count;
    g->scratch = g->raw_earlier + p->raw_count;
    g->values = g->scratch + p->scratch_count;
    return true;
}

static hsa_status_t fill_group(v1_context_t *c, v1_group_t *g)
{
    hsa_status_t status = g->pass ? add_inputs(g) : HSA_STATUS_SUCCESS;
    if (status) return status;
    g->features = calloc(c->feature_count + g->input_count + 1, sizeof *g->features);
    if (!g->features || (g->pass && !add_numbers(g))) return v1_no_memory("no memory for a group");
    for (uint32_t i = 0; i < c->feature_count; i++)
        if (c->counters[i] ? v1_group_result(g, c->counters[i]) != NULL : g->index == 0)
            g->features[g->feature_count++] = &c->features[i];
    for (uint32_t i = 0; i < g->input_count; i++)
        g->features[g->feature_count++] = &g->inputs[i].feature;
    return v1_packets_build(g);
}

static hsa_status_t make_groups(v1_context_t *c)
{
    size_t passes = c->plan ? ctr_plan_pass_count(c->plan) : 0;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    c->group_count = passes ? (uint32_t)passes : 1;
    c->groups = calloc(c->group_count, sizeof *c->groups);
    if (!c->groups) return v1_no_memory("no memory for groups");
    for (uint32_t i = 0; i < c->group_count && !status; i++) {
        c->groups[i].context = c;
        c->groups[i].index = i;
        c->groups[i].pass = passes ? ctr_plan_pass(c->plan, i) : NULL;
        status = fill_group(c, &c->groups[i]);
    }
    return status;
}

static void free_group(v1_group_t *g)
{
    if (!g->context) return; /* the open failed before this group */
    v1_packets_free(g);
    for (uint32_t i = 0; i < g->input_count; i++)
        free((char *)(uintptr_t)g->inputs[i].feature.name);
    free(g->inputs);
    free(g->features);
    free(g->events);
    free(g->slots);
    free(g->raw);
}

static void free_context(v1_context_t *c)
{
    for (uint32_t i = 0; c->groups && i < c->group_count; i++)
        free_group(&c->groups[i]);
    for (uint32_t i = 0; c->owns_features && i < c->feature_count; i++)
        free((char *)(uintptr_t)c->features[i].name);
    if (c->owns_features) free(c->features);
    ctr_plan_destroy(c->plan);
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
        return v1_invalid("%s: mode %u has CREATEQUEUE without STANDALONE", function, c->mode);
    }
    if (!properties)
        return v1_invalid("%s: mode STANDALONE needs properties, they are NULL", function);
    if (!(c->mode & ROCPROFILER_MODE_CREATEQUEUE)) {
        c->queue = properties->queue;
        if (c->queue) return HSA_STATUS_SUCCESS;
        return v1_invalid("%s: mode STANDALONE without CREATEQUEUE needs properties.queue",
                          function);
    }
    hsa_status_t status =
        hsax.core.hsa_queue_create_fn(c->agent->hsa, properties->queue_depth, HSA_QUEUE_TYPE_MULTI,
                                      NULL, NULL, UINT32_MAX, UINT32_MAX, &c->queue);
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
        return v1_null(function, context ? "features" : "context");
    if (mode > MODES) return v1_invalid("%s: mode %u, %u is the largest", function, mode, MODES);
    v1_agent_t *a = v1_agent_find(agent);
    if (!a) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!v1_catalogue(a)) return a->gpu ? HSA_STATUS_ERROR : HSA_STATUS_ERROR_INVALID_AGENT;
    v1_context_t *c = calloc(1, sizeof *c);
    if (!c) return v1_no_memory("%s: no memory", function);
    c->agent = a;
    c->life = v1_life();
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
        free_context(c);
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
    return v1_context_open(__func__, agent, features, feature_count, false,
                           (v1_context_t **)context, mode, properties);
}

/* Waits until no kernel has a group of the context any more. To be called with v1_lock held. */
static bool wait_landed(v1_context_t *c, uint64_t deadline)
{
    for (uint32_t i = 0; i < c->group_count; i++)
        while (c->groups[i].state == V1_FLYING)
            if (v1_life() != c->life || !v1_wait(deadline)) return false;
    return true;
}

hsa_status_t rocprofiler_close(rocprofiler_t *context)
{
    v1_context_t *c = v1_context_find(__func__, context);
    if (!c) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (c->entry)
        return v1_invalid("%s: the context belongs to a pool: release its entry", __func__);
    for (uint32_t i = 0; i < c->group_count; i++)
        if (c->groups[i].state == V1_RUNNING) rocprofiler_stop(context, i);
    pthread_mutex_lock(&v1_lock);
    bool landed = wait_landed(c, v1_deadline());
    v1_context_t **link = locate(context);
    bool ours = *link && landed;
    if (ours) *link = c->next;
    pthread_mutex_unlock(&v1_lock);
    if (!ours) return v1_failed("%s: the context's kernel has not completed", __func__);
    free_context(c);
    return HSA_STATUS_SUCCESS;
}

/* ---- sets of features ---- */

typedef struct {
    rocprofiler_feature_t *features;
    uint32_t count;
} set_t;
_Static_assert(sizeof(set_t) <= ROCPROFILER_FEATURE_SET_BYTES, "a set's size");

hsa_status_t rocprofiler_add_feature(const rocprofiler_feature_t *feature,
                                     rocprofiler_feature_set_t *features_set)
{
    set_t *set = features_set;
    if (!feature || !set || !feature->name)
        return v1_null(__func__, !feature ? "feature"
                                 : !set   ? "features_set"
                                          : "the feature's name");
    if (!BASE_GROW_BY_ONE(set->features, set->count))
        return v1_no_memory("%s: no memory", __func__);
    rocprofiler_feature_t *f = &set->features[set->count];
    *f = *feature;
    f->name = strdup(feature->name);
    if (!f->name) return v1_no_memory("%s: no memory", __func__);
    set->count++;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t rocprofiler_features_set_open(hsa_agent_t agent,
                                           rocprofiler_feature_set_t *features_set,
                                           rocprofiler_t **context, uint32_t mode,
                                           rocprofiler_properties_t *properties)
{
    set_t *set = features_set;
    if (!set) return v1_null(__func__, "features_set");
    v1_context_t *c;
    hsa_status_t status = v1_context_open(__func__, agent, set->features, set->count, false,
                                          context ? &c : NULL, mode, properties);
    if (status) return status;
    c->owns_features = true;
    memset(set, 0, sizeof *set);
    *context = c;
    return HSA_STATUS_SUCCESS;
}

/* ---- queries of a context ---- */

hsa_status_t rocprofiler_get_agent(rocprofiler_t *context, hsa_agent_t *agent)
{
    v1_context_t *c = v1_context_find(__func__, context);
    if (!c) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agent) return v1_null(__func__, "agent");
    *agent = c->agent->hsa;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t rocprofiler_group_count(const rocprofiler_t *context, uint32_t *group_count)
{
    v1_context_t *c = v1_context_find(__func__, context);
    if (!c) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!group_count) return v1_null(__func__, "group_count");
    *group_count = c->group_count;
    return HSA_STATUS_SUCCESS;
}

rocprofiler_group_t v1_group_info(v1_group_t *g)
{
    return (rocprofiler_group_t){g->index, g->features, g->feature_count, g->context};
}

hsa_status_t rocprofiler_get_group(rocprofiler_t *context, uint32_t group_index,
                                   rocprofiler_group_t *group)
{
    v1_group_t *g = v1_group_find(__func__, context, group_index);
    if (!g) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!group) return v1_null(__func__, "group");
    *group = v1_group_info(g);
    return HSA_STATUS_SUCCESS;
}
