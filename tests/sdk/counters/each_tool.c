/* each_tool.c - every counter of the GPU by itself, one for each dispatch in turn, into a small
 * buffer: each gives one record for every position of its dimensions, as was told before. */
#include "tools.h"

#include <stdbool.h>
#include <stdlib.h>

enum { COUNTERS_MAX = 1024 };

typedef struct {
    rocprofiler_counter_info_v1_t info;
    size_t instances; /* told by themselves */
    bool *seen;
    size_t records, twice;
    bool refused;
} counter_t;

static counter_t counters[COUNTERS_MAX];
static size_t counter_count;
static atomic_size_t next_counter;
static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static atomic_long strangers, dropped;

/* A record's position among all of the counter's dimensions. */
static size_t position_of(const counter_t *c, rocprofiler_counter_instance_id_t id)
{
    size_t index = 0;
    for (uint64_t i = 0; i < c->info.dimensions_count; i++) {
        /* tools copy the structures as one array, from the first */
        const rocprofiler_counter_record_dimension_info_t *d = &(*c->info.dimensions)[i];
        size_t at = 0;
        IS(d == c->info.dimensions[i], true);
        ANSWERS(rocprofiler_query_record_dimension_position(id, d->id, &at), SUCCESS);
        IS(at < d->instance_size, true);
        index = index * d->instance_size + at;
    }
    return index;
}

static void take(const rocprofiler_counter_record_t *record)
{
    rocprofiler_counter_id_t id = {0};
    ANSWERS(rocprofiler_query_record_counter_id(record->id, &id), SUCCESS);
    for (size_t i = 0; i < counter_count; i++) {
        counter_t *c = &counters[i];
        if (c->info.id.handle != id.handle) continue;
        size_t at = position_of(c, record->id);
        c->records++;
        if (at < c->instances && !c->seen[at])
            c->seen[at] = true;
        else
            c->twice++;
        return;
    }
    strangers++;
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data;
    dropped += (long)drop_count;
    for (size_t i = 0; i < count; i++)
        if (headers[i]->category == ROCPROFILER_BUFFER_CATEGORY_COUNTERS &&
            headers[i]->kind == ROCPROFILER_COUNTER_RECORD_VALUE)
            take(headers[i]->payload);
}

static rocprofiler_status_t list(rocprofiler_agent_id_t agent, rocprofiler_counter_id_t *ids,
                                 size_t count, void *data)
{
    (void)data;
    for (size_t i = 0; i < count && counter_count < COUNTERS_MAX; i++) {
        counter_t *c = &counters[counter_count++];
        ANSWERS(
            rocprofiler_query_counter_info(ids[i], ROCPROFILER_COUNTER_INFO_VERSION_1, &c->info),
            SUCCESS);
        ANSWERS(rocprofiler_query_counter_instance_count(agent, ids[i], &c->instances), SUCCESS);
        IS(c->instances, c->info.dimensions_instances_count);
        c->seen = calloc(c->instances + 1, sizeof *c->seen);
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static void choose(rocprofiler_dispatch_counting_service_data_t data,
                   rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user,
                   void *argument)
{
    (void)user, (void)argument;
    static bool listed; /* the program has one thread */
    rocprofiler_agent_id_t agent = data.dispatch_info.agent_id;
    if (!listed) ANSWERS(rocprofiler_iterate_agent_supported_counters(agent, list, NULL), SUCCESS);
    listed = true;
    size_t i = next_counter++;
    if (i >= counter_count) return;
    counters[i].refused = rocprofiler_create_counter_config(agent, &counters[i].info.id, 1,
                                                            config) != ROCPROFILER_STATUS_SUCCESS;
}

static int initialize(rocprofiler_client_finalize_t finish, void *data)
{
    (void)finish, (void)data;
    rocprofiler_callback_thread_t thread;
    ANSWERS(rocprofiler_create_context(&context), SUCCESS);
    ANSWERS(rocprofiler_create_buffer(context, 4096, 2048, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                      on_records, NULL, &buffer),
            SUCCESS);
    ANSWERS(rocprofiler_create_callback_thread(&thread), SUCCESS);
    ANSWERS(rocprofiler_assign_callback_thread(buffer, thread), SUCCESS);
    ANSWERS(rocprofiler_configure_buffer_dispatch_counting_service(context, buffer, choose, NULL),
            SUCCESS);
    ANSWERS(rocprofiler_start_context(context), SUCCESS);
    return 0;
}

static void finish(void *data)
{
    (void)data;
    size_t right = 0;
    ANSWERS(rocprofiler_flush_buffer(buffer), SUCCESS);
    ANSWERS(rocprofiler_stop_context(context), SUCCESS);
    for (size_t i = 0; i < counter_count; i++) {
        const counter_t *c = &counters[i];
        bool ok = !c->refused && !c->twice && c->records == c->instances && c->instances;
        right += ok;
        if (!ok)
            printf("%s: %zu records, %zu of them twice, expected %zu%s\n", c->info.name, c->records,
                   c->twice, c->instances, c->refused ? "; no configuration" : "");
    }
    printf("%s counters, %zu not as told, %ld strangers, %ld dropped, %d failed\n",
           counter_count > 400 ? "more than 400" : "too few", counter_count - right, strangers,
           dropped, failures);
}

TOOL("each", initialize, finish)
