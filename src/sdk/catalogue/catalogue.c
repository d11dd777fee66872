/* catalogue.c - the counters of each architecture, and the public functions that query them.
 *
 * Definitions are read at the first query. There is one catalogue for each architecture and each
 * number of XCCs, engines, arrays and units, since the dimensions of counters follow from these
 * numbers. Definitions and catalogues are never freed. One lock guards them; tool code never runs
 * while it is held. */
#include "sdk/catalogue/catalogue.h"

#include "base/env.h"
#include "base/log.h"
#include "sdk/agent/agent.h"
#include "sdk/core/services.h"

#include <rocprofiler-sdk/experimental/counters.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CATALOGUES_MAX = 15,
    IDS_EACH = 4096, /* ids per catalogue, out of the 16 bits that a record has for the counter */
    FIRST_ID = 1,    /* 0 means that there is no counter */
};

/* The arrays to which a rocprofiler_counter_info_v1_t points; made at the first query. */
typedef struct {
    bool known; /* false: the counter cannot be computed on this agent */
    ctr_shape_t shape;
    size_t dimension_count, instance_count;
    rocprofiler_counter_record_dimension_info_t *dimensions;
    const rocprofiler_counter_record_dimension_info_t **dimension_list;
    const rocprofiler_counter_record_dimension_instance_info_t **instance_list;
} details_t;

typedef struct {
    const char *gfx;
    ctr_catalogue_t *catalogue; /* NULL: there are no definitions for the architecture */
    ctr_agent_t agent;          /* the first agent that has these counters and dimensions */
    details_t *details[IDS_EACH];
} entry_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ctr_definitions_t *definitions;
static bool given; /* a tool has supplied definitions */
static entry_t *entries[CATALOGUES_MAX];
static unsigned entry_count;

void sdk_counters_lock(void)
{
    pthread_mutex_lock(&lock);
}

void sdk_counters_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static void forked(void)
{
    pthread_mutex_init(&lock, NULL);
}

ctr_agent_t sdk_counters_agent(const rocprofiler_agent_v0_t *agent)
{
    ctr_agent_t made;
    memset(&made, 0, sizeof made);
/* Copies a field by value: fields have several sizes, and some are unions of bit-fields. The host
 * is little-endian. */
#define COPY(name)                                                                                 \
    memcpy(&made.name, &agent->name, sizeof agent->name < 8 ? sizeof agent->name : 8);
    CTR_PROPERTIES(COPY)
#undef COPY
    return made;
}

/* ---- definitions ---- */

/* Adds the built-in definitions, and those of the file that the environment names. */
static bool add_own(ctr_definitions_t *to)
{
    ctr_error_t error;
    if (ctr_definitions_add_builtin(to) != CTR_OK) return false;
    const char *folder = base_env("ROCPROFILER_METRICS_PATH");
    if (!folder || !*folder) return true;
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/counter_defs.yaml", folder);
    if (length < 0 || (size_t)length >= sizeof path || access(path, R_OK)) {
        base_warning("ROCPROFILER_METRICS_PATH=%s: no counter_defs.yaml can be read there: taking "
                     "the library's own definitions",
                     folder);
        return true;
    }
    if (ctr_definitions_add_file(to, CTR_FORMAT_YAML, path, NULL, NULL, &error) != CTR_OK)
        base_error("%s", error.text);
    return true;
}

/* To be called with the lock held. */
static ctr_definitions_t *read_definitions(void)
{
    if (definitions) return definitions;
    ctr_definitions_t *made = ctr_definitions_create();
    if (made && !add_own(made)) {
        ctr_definitions_destroy(made);
        made = NULL;
    }
    if (!made) base_error("no memory for counter definitions");
    return definitions = made;
}

/* Returns the name by which messages refer to the added definitions. rocprofv3 puts the file that
 * they come from into one environment variable, and into another whether some process has already
 * reported their faulty entries (trace/extra.h). */
static const char *text_origin(void)
{
    const char *file = base_env("ROCPROF_EXTRA_COUNTERS_FILE");
    return file && *file ? file : "counter definitions";
}

static void told_already(const ctr_error_t *error, void *user)
{
    (void)error, (void)user;
}

static ctr_report_t text_report(void)
{
    return base_env_bool("ROCPROF_EXTRA_COUNTERS_TOLD", false) ? told_already : NULL;
}

rocprofiler_status_t rocprofiler_load_counter_definition(const char *yaml, size_t size,
                                                         rocprofiler_counter_flag_t flags)
{
    if (!yaml || !size ||
        (flags != ROCPROFILER_COUNTER_FLAG_NONE &&
         flags != ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION))
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    rocprofiler_status_t status = ROCPROFILER_STATUS_ERROR;
    ctr_error_t error = {0};
    ctr_definitions_t *made = NULL;
    pthread_mutex_lock(&lock);
    if (definitions) {
        base_error("counter definitions come too late: %s",
                   given ? "others were given before" : "counters have been asked for already");
        goto out;
    }
    status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    made = ctr_definitions_create();
    if (!made || (flags == ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION && !add_own(made))) goto out;
    if (ctr_definitions_add_text(made, CTR_FORMAT_YAML, yaml, size, text_origin(), text_report(),
                                 NULL, &error) != CTR_OK) {
        base_error("%s", error.text);
        status = ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
        goto out;
    }
    definitions = made;
    made = NULL;
    given = true;
    status = ROCPROFILER_STATUS_SUCCESS;
out:
    pthread_mutex_unlock(&lock);
    if (made) ctr_definitions_destroy(made);
    return status;
}

/* ---- catalogues; with the lock held ---- */

static entry_t *make_entry(const rocprofiler_agent_v0_t *agent)
{
    if (entry_count == CATALOGUES_MAX || !read_definitions()) return NULL;
    entry_t *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    ctr_error_t error = {0};
    made->gfx = agent->name;
    made->agent = sdk_counters_agent(agent);
    ctr_status_t status = ctr_catalogue_create(definitions, agent->name, CTR_GENERATION_SDK,
                                               FIRST_ID + entry_count * IDS_EACH, text_report(),
                                               NULL, &made->catalogue, &error);
    if (status != CTR_OK) {
        made->catalogue = NULL;
        if (status != CTR_NOT_FOUND) base_error("%s", error.text);
    }
    return entries[entry_count++] = made;
}

/* Returns whether counters have the same dimensions on both agents. */
static bool same_shape(const ctr_agent_t *a, const rocprofiler_agent_v0_t *b)
{
    return a->num_xcc == b->num_xcc && a->num_shader_banks == b->num_shader_banks &&
           a->array_count == b->array_count &&
           a->simd_arrays_per_engine == b->simd_arrays_per_engine && a->cu_count == b->cu_count &&
           a->simd_count == b->simd_count && a->simd_per_cu == b->simd_per_cu;
}

static entry_t *entry_of(const rocprofiler_agent_v0_t *agent)
{
    if (agent->type != ROCPROFILER_AGENT_TYPE_GPU) return NULL;
    for (unsigned i = 0; i < entry_count; i++)
        if (!strcmp(entries[i]->gfx, agent->name) && same_shape(&entries[i]->agent, agent))
            return entries[i];
    return make_entry(agent);
}

static entry_t *entry_of_id(rocprofiler_counter_id_t id)
{
    uint64_t index = (id.handle - FIRST_ID) / IDS_EACH;
    return id.handle >= FIRST_ID && index < entry_count && entries[index]->catalogue
               ? entries[index]
               : NULL;
}

const ctr_counter_t *sdk_counters_find(rocprofiler_counter_id_t id,
                                       const ctr_catalogue_t **catalogue)
{
    const entry_t *entry = entry_of_id(id);
    if (!entry) return NULL;
    *catalogue = entry->catalogue;
    return ctr_catalogue_by_id(entry->catalogue, (uint32_t)id.handle);
}

ctr_catalogue_t *sdk_counters_catalogue(const rocprofiler_agent_v0_t *agent)
{
    pthread_mutex_lock(&lock);
    const entry_t *entry = entry_of(agent);
    pthread_mutex_unlock(&lock);
    return entry ? entry->catalogue : NULL;
}

rocprofiler_status_t sdk_counters_iterate(rocprofiler_agent_id_t agent_id,
                                          bool (*which)(const rocprofiler_agent_v0_t *,
                                                        const ctr_counter_t *),
                                          rocprofiler_available_counters_cb_t cb, void *user_data)
{
    if (!cb) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const rocprofiler_agent_v0_t *agent = sdk_agent_find(agent_id);
    if (!agent) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    rocprofiler_counter_id_t *ids = NULL;
    size_t count = 0;
    pthread_mutex_lock(&lock);
    const entry_t *entry = entry_of(agent);
    size_t all = entry && entry->catalogue ? ctr_catalogue_count(entry->catalogue) : 0;
    if (all) ids = calloc(all, sizeof *ids);
    for (size_t i = 0; ids && i < all; i++) {
        const ctr_counter_t *counter = ctr_catalogue_at(entry->catalogue, i);
        if (!which || which(agent, counter)) ids[count++].handle = counter->id;
    }
    pthread_mutex_unlock(&lock);
    if (!count) {
        const bool no_memory = all && !ids;
        free(ids);
        return no_memory ? ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES
                         : ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED;
    }
    rocprofiler_status_t status = cb(agent_id, ids, count, user_data);
    free(ids);
    return status;
}

rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(
    rocprofiler_agent_id_t agent_id, rocprofiler_available_counters_cb_t cb, void *user_data)
{
    return sdk_counters_iterate(agent_id, NULL, cb, user_data);
}

/* ---- information on one counter ---- */

static bool list_dimensions(details_t *d)
{
    d->dimensions = calloc(CTR_DIM_COUNT, sizeof *d->dimensions);
    d->dimension_list = calloc(CTR_DIM_COUNT, sizeof *d->dimension_list);
    if (!d->dimensions || !d->dimension_list) return false;
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++) {
        if (!d->shape.extent[dim]) continue;
        d->dimensions[d->dimension_count] =
            (rocprofiler_counter_record_dimension_info_t){.name = ctr_dim_name((ctr_dim_t)dim),
                                                          .instance_size = d->shape.extent[dim],
                                                          .id = (uint64_t)dim};
        d->dimension_list[d->dimension_count] = &d->dimensions[d->dimension_count];
        d->dimension_count++;
    }
    return true;
}

/* Describes the instance of the counter at `index` in memory of the caller. */
static void describe_instance(const details_t *d, uint32_t counter, size_t index,
                              rocprofiler_counter_record_dimension_instance_info_t *instance,
                              rocprofiler_counter_dimension_info_t *at,
                              const rocprofiler_counter_dimension_info_t **list)
{
    uint32_t position[CTR_DIM_COUNT];
    ctr_shape_position(&d->shape, index, position);
    for (size_t i = 0; i < d->dimension_count; i++) {
        at[i] = (rocprofiler_counter_dimension_info_t){.size = sizeof *at,
                                                       .dimension_name = d->dimensions[i].name,
                                                       .index = position[d->dimensions[i].id]};
        list[i] = &at[i];
    }
    *instance = (rocprofiler_counter_record_dimension_instance_info_t){
        .size = sizeof *instance,
        .instance_id = ctr_instance_pack(counter, position),
        .counter_id = counter,
        .dimensions_count = d->dimension_count,
        .dimensions = list};
}

static bool list_instances(details_t *d, uint32_t counter)
{
    size_t count = d->instance_count, each = d->dimension_count;
    rocprofiler_counter_record_dimension_instance_info_t *instances =
        calloc(count, sizeof *instances);
    rocprofiler_counter_dimension_info_t *at = calloc(count * each + 1, sizeof *at);
    const rocprofiler_counter_dimension_info_t **lists = calloc(count * each + 1, sizeof *lists);
    d->instance_list = calloc(count, sizeof *d->instance_list);
    bool made = instances && at && lists && d->instance_list;
    for (size_t i = 0; made && i < count; i++) {
        describe_instance(d, counter, i, &instances[i], at + i * each, lists + i * each);
        d->instance_list[i] = &instances[i];
    }
    if (made) return true;
    free(instances);
    free(at);
    free(lists);
    return false;
}

/* To be called with the lock held; NULL when out of memory. */
static const details_t *details_of(entry_t *entry, const ctr_counter_t *counter)
{
    if (counter->index >= IDS_EACH) return NULL;
    details_t **place = &entry->details[counter->index];
    if (*place) return *place;
    details_t *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    ctr_error_t error = {0};
    d->known =
        ctr_counter_shape(entry->catalogue, counter, &entry->agent, &d->shape, &error) == CTR_OK;
    if (!d->known) {
        base_info("%s", error.text);
    } else {
        d->instance_count = ctr_shape_size(&d->shape);
        if (!list_dimensions(d) || !list_instances(d, counter->id)) {
            free(d->dimensions);
            free(d->dimension_list);
            free(d->instance_list);
            free(d);
            return NULL;
        }
    }
    return *place = d;
}

/* Finds the details of a counter by its handle; if the result is NULL, *status is the reason. */
static const details_t *find_details(rocprofiler_counter_id_t id, const ctr_counter_t **counter,
                                     rocprofiler_status_t *status)
{
    const details_t *details = NULL;
    pthread_mutex_lock(&lock);
    entry_t *entry = entry_of_id(id);
    *counter = entry ? ctr_catalogue_by_id(entry->catalogue, (uint32_t)id.handle) : NULL;
    *status = ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
    if (*counter) {
        details = details_of(entry, *counter);
        *status = details ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    pthread_mutex_unlock(&lock);
    return details;
}

rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t counter_id,
                                                    rocprofiler_counter_info_version_id_t version,
                                                    void *info)
{
    if (!info) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (version != ROCPROFILER_COUNTER_INFO_VERSION_0 &&
        version != ROCPROFILER_COUNTER_INFO_VERSION_1)
        return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
    const ctr_counter_t *c;
    rocprofiler_status_t status;
    const details_t *d = find_details(counter_id, &c, &status);
    if (!d) return status;
    if (version == ROCPROFILER_COUNTER_INFO_VERSION_0)
        *(rocprofiler_counter_info_v0_t *)info = (rocprofiler_counter_info_v0_t){
            .id = counter_id,
            .name = c->name,
            .description = c->description,
            .block = c->block,
            .expression = c->expression,
            .is_constant = c->kind == CTR_CONSTANT,
            .is_derived = c->kind == CTR_DERIVED,
        };
    else
        *(rocprofiler_counter_info_v1_t *)info = (rocprofiler_counter_info_v1_t){
            .size = sizeof(rocprofiler_counter_info_v1_t),
            .id = counter_id,
            .name = c->name,
            .description = c->description,
            .block = c->block,
            .expression = c->expression,
            .is_constant = c->kind == CTR_CONSTANT,
            .is_derived = c->kind == CTR_DERIVED,
            .dimensions_count = d->dimension_count,
            .dimensions = d->dimension_list,
            .dimensions_instances_count = d->instance_count,
            .dimensions_instances = d->instance_list,
        };
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_counter_dimensions(
    rocprofiler_counter_id_t id, rocprofiler_available_dimensions_cb_t info_cb, void *user_data)
{
    if (!info_cb) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const ctr_counter_t *counter;
    rocprofiler_status_t status;
    const details_t *d = find_details(id, &counter, &status);
    if (!d) return status;
    if (!d->dimension_count) return ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND;
    info_cb(id, d->dimensions, d->dimension_count, user_data);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_counter_instance_count(rocprofiler_agent_id_t agent_id,
                                                              rocprofiler_counter_id_t counter_id,
                                                              size_t *instance_count)
{
    (void)agent_id;
    if (!instance_count) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const ctr_counter_t *counter;
    rocprofiler_status_t status;
    const details_t *d = find_details(counter_id, &counter, &status);
    *instance_count = d ? d->instance_count : 0;
    return status;
}

rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t id,
                                                         rocprofiler_counter_id_t *counter_id)
{
    if (!counter_id) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    counter_id->handle = ctr_instance_counter(id);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t
rocprofiler_query_record_dimension_position(rocprofiler_counter_instance_id_t id,
                                            rocprofiler_counter_dimension_id_t dim, size_t *pos)
{
    if (!pos) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (dim >= CTR_DIM_COUNT) return ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND;
    *pos = ctr_instance_position(id, (ctr_dim_t)dim);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_create_counter(const char *name, size_t name_len, const char *expr,
                                                size_t expr_len, const char *description,
                                                size_t description_len,
                                                rocprofiler_agent_id_t agent,
                                                rocprofiler_counter_id_t *counter_id)
{
    if (!name || !name_len || !expr || !expr_len || !counter_id ||
        (!description && description_len))
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const rocprofiler_agent_v0_t *a = sdk_agent_find(agent);
    if (!a) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    rocprofiler_status_t status = ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    ctr_error_t error = {0};
    const ctr_counter_t *made;
    pthread_mutex_lock(&lock);
    entry_t *entry = entry_of(a);
    if (!entry || !entry->catalogue) goto out;
    status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    if (ctr_catalogue_count(entry->catalogue) >= IDS_EACH) goto out;
    ctr_status_t added =
        ctr_catalogue_add(entry->catalogue, name, name_len, expr, expr_len,
                          description ? description : "", description_len, &made, &error);
    if (added == CTR_OK) {
        counter_id->handle = made->id;
        status = ROCPROFILER_STATUS_SUCCESS;
        goto out;
    }
    base_error("%s", error.text);
    if (added == CTR_BAD_EXPRESSION || added == CTR_NOT_FOUND)
        status = ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED;
    else if (added != CTR_NO_MEMORY)
        status = ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
out:
    pthread_mutex_unlock(&lock);
    return status;
}

SDK_SERVICE(catalogue) = {.at = {[SDK_AT_FORK] = forked}};
