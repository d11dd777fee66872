/* v1_dispatches.cpp - section 5.2: a program that profiles its own kernels, as it is printed. It is
 * not named to HSA by anybody; features are left as unset as they are there. */
#include "v1_common.h"
#include "work.h"

#include <vector>

struct entry_t {
    rocprofiler_group_t group;
    rocprofiler_feature_t *features;
    uint32_t features_count;
};
static std::vector<entry_t> saved;

hsa_status_t dispatch_callback(
    const rocprofiler_callback_data_t* callback_data,
    void* user_data,
    rocprofiler_group_t* group)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    // Profiling context
    rocprofiler_t* context;
    // Profiling info objects
    rocprofiler_feature_t* features = new rocprofiler_feature_t[2];
    // Tracing parameters
    rocprofiler_feature_parameter_t* parameters = new rocprofiler_feature_parameter_t[2];

    // Setting profiling features
    features[0].type = ROCPROFILER_METRIC;
    features[0].name = "L1_MISS_RATIO";
    features[1].type = ROCPROFILER_METRIC;
    features[1].name = "DRAM_BANDWIDTH";

    // Creating profiling context
    status = rocprofiler_open(callback_data->dispatch.agent, features, 2, &context,
        ROCPROFILER_MODE_SINGLEGROUP, NULL);
    check_status(status);

    // Get the profiling group
    // For general case with many groups there is rocprofiler_group_count() API
    const uint32_t group_index = 0;
    status = rocprofiler_get_group(context, group_index, group);
    check_status(status);

    // In SINGLEGROUP mode the context handle itself can be saved, because there is just one group
    saved.push_back({*group, features, 2});
    delete[] parameters;
    if (user_data) std::abort();

    return status;
}

void profiling_libary_constructor() {
    // Defining callback data, no data in this simple example
    void* callback_data = NULL;

    // Adding observers
    hsa_status_t status = rocprofiler_add_dispatch_callback(dispatch_callback, callback_data);
    check_status(status);

    // Dispatching profiled kernel
    if (!work(2)) std::abort();
}

void profiling_libary_destructor() {
    for (entry_t &each : saved) {
        entry_t *entry = &each;
        // In SINGLEGROUP mode the rocprofiler_get_group() method with default zero group
        // index can be used, if context handle would be saved
        hsa_status_t status = rocprofiler_group_get_data(&entry->group);
        check_status(status);
        status = rocprofiler_get_metrics(entry->group.context);
        check_status(status);
        print_results(entry->features, entry->features_count);
        status = rocprofiler_close(entry->group.context);
        check_status(status);
        delete[] entry->features;
    }
}

int main()
{
    profiling_libary_constructor();
    profiling_libary_destructor();
    return 0;
}
