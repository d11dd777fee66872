/* v1_pool.cpp - sections 4.2, 4.7 and 5.4, a tool by ROCP_TOOL_LIB: a pool of contexts, settings
 * changed by OnLoadToolProp. */
#include "v1_common.h"

#include <atomic>
#include <mutex>

struct context_entry_t {
    unsigned long number;
};

static rocprofiler_pool_t *pool;
static std::atomic<unsigned long> handled, waves, fetched;
static int tag;

static bool context_handler(const rocprofiler_pool_entry_t *entry, void *arg)
{
    rocprofiler_group_t group;
    check_status(rocprofiler_get_group(entry->context, 0, &group));
    check_status(rocprofiler_get_data(entry->context));
    waves += group.features[0]->data.result_int64;
    handled += arg == &tag && reinterpret_cast<context_entry_t *>(entry->payload)->number > 0;
    return true;
}

static void open_pool(hsa_agent_t agent)
{
    static rocprofiler_feature_t features[3];
    static const char *const names[] = {"SQ_WAVES", "SQ_INSTS_SALU", "GRBM_COUNT"};
    for (int i = 0; i < 3; i++) {
        features[i].kind = ROCPROFILER_FEATURE_KIND_METRIC;
        features[i].name = names[i];
    }
    void *handler_arg = &tag;
    hsa_status_t status;
    rocprofiler_pool_properties_t properties{};
    properties.num_entries = 100;
    properties.payload_bytes = sizeof(context_entry_t);
    properties.handler = context_handler; 
    properties.handler_arg = handler_arg;
    status = rocprofiler_pool_open(agent, features, 3, &pool,
        ROCPROFILER_MODE_SINGLEGROUP, properties);
    check_status(status);
}

static hsa_status_t dispatch_callback(const rocprofiler_callback_data_t *callback_data, void *,
                                      rocprofiler_group_t *group)
{
    static std::once_flag once;
    std::call_once(once, open_pool, callback_data->agent);
    hsa_status_t status;
    rocprofiler_pool_entry_t pool_entry{};
    status = rocprofiler_pool_fetch(pool, &pool_entry);
    check_status(status);
    // Profiling context entry
    rocprofiler_t* context = pool_entry.context;
    context_entry_t* entry = reinterpret_cast <context_entry_t*>
                            (pool_entry.payload);
    entry->number = ++fetched;
    return rocprofiler_get_group(context, 0, group);
}

static hsa_status_t count_entry(rocprofiler_pool_entry_t *entry, void *data)
{
    *static_cast<unsigned *>(data) += entry->context != NULL;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t queue_destroyed(hsa_queue_t *, void *)
{
    return HSA_STATUS_SUCCESS;
}

extern "C" void OnLoadToolProp(rocprofiler_settings_t *settings)
{
    std::cout << "OnLoadToolProp: intercept_mode " << settings->intercept_mode << ", timestamp_on "
              << settings->timestamp_on << ", timeout "
              << (settings->timeout ? "set" : "not set") << std::endl;
    settings->intercept_mode = 1;
    rocprofiler_intercepting_t callbacks = {};
    callbacks.dispatch = dispatch_callback;
    callbacks.destroy = queue_destroyed;
    check_status(rocprofiler_set_intercepting(callbacks, NULL));
}

extern "C" void OnUnloadTool()
{
    unsigned in_use = 0, one = 0;
    check_status(rocprofiler_remove_intercepting());
    check_status(rocprofiler_pool_flush(pool));
    check_status(rocprofiler_pool_iterate(pool, count_entry, &in_use));
    rocprofiler_pool_entry_t entry{};
    check_status(rocprofiler_pool_fetch(pool, &entry));
    check_status(rocprofiler_pool_iterate(pool, count_entry, &one));
    check_status(rocprofiler_pool_release(&entry));
    check_status(rocprofiler_pool_close(pool));
    std::cout << "OnUnloadTool: " << fetched << " fetched, " << handled << " handled, " << waves
              << " waves, " << in_use << " then " << one << " in use" << std::endl;
}
