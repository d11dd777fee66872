/* pool.c - counts every kernel with contexts of a pool (section 5.4), and prints the sums at the
 * end. A tool, used as dispatches.c is; it sets the interception itself. */
#include "sample.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    uint64_t begin; /* what belongs to a dispatch goes here */
    rocprofiler_feature_t *feature;
} context_entry_t;

static rocprofiler_pool_t *pool;
static atomic_ulong dispatches, collected, waves;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static hsa_agent_t agent;

static bool context_handler(const rocprofiler_pool_entry_t *entry, void *arg)
{
    (void)arg;
    const context_entry_t *payload = entry->payload;
    if (CHECK(rocprofiler_get_data(entry->context, 0))) {
        atomic_fetch_add(&collected, 1);
        atomic_fetch_add(&waves, payload->feature->data.result_int64);
    }
    return true; /* the entry is free again */
}

static void open_pool(void)
{
    static rocprofiler_feature_t feature = {.kind = ROCPROFILER_FEATURE_KIND_METRIC,
                                            .name = "SQ_WAVES"};
    rocprofiler_pool_properties_t properties = {0};
    properties.num_entries = 100;
    properties.payload_bytes = sizeof(context_entry_t);
    properties.handler = context_handler;
    CHECK(rocprofiler_pool_open(agent, &feature, 1, &pool, ROCPROFILER_MODE_SINGLEGROUP,
                                &properties));
}

static hsa_status_t dispatch_callback(const rocprofiler_callback_data_t *callback_data,
                                      void *user_data, rocprofiler_group_t *group)
{
    (void)user_data;
    agent = callback_data->agent;
    pthread_once(&once, open_pool);
    rocprofiler_pool_entry_t pool_entry = {0};
    if (!pool || !CHECK(rocprofiler_pool_fetch(pool, &pool_entry))) return HSA_STATUS_ERROR;
    atomic_fetch_add(&dispatches, 1);
    hsa_status_t status = rocprofiler_get_group(pool_entry.context, 0, group);
    context_entry_t *entry = pool_entry.payload;
    entry->feature = group->features[0];
    return status;
}

void OnLoadToolProp(rocprofiler_settings_t *settings)
{
    rocprofiler_queue_callbacks_t callbacks = {.dispatch = dispatch_callback};
    settings->intercept_mode = 1;
    CHECK(rocprofiler_set_queue_callbacks(callbacks, NULL));
}

void OnUnloadTool(void)
{
    CHECK(rocprofiler_remove_queue_callbacks());
    if (pool) CHECK(rocprofiler_pool_flush(pool));
    printf("%lu dispatches, %lu collected, %lu waves\n", dispatches, collected, waves);
    if (pool) CHECK(rocprofiler_pool_close(pool));
    fflush(stdout);
}
