/* v1_completion.cpp - section 5.3, a tool by ROCP_TOOL_LIB: a context for each kernel, which is
 * closed where its data is printed. */
#include "v1_common.h"

static rocprofiler_feature_t *feature_of(rocprofiler_group_t group)
{
    return group.features[0];
}

void completion_callback(profiler_group_t group, void *)
{
    check_status(rocprofiler_group_get_data(&group));
    print_results(feature_of(group), 1);
    hsa_status_t status = rocprofiler_close(group.context);
    check_status(status);
}

static hsa_status_t dispatch_callback(const rocprofiler_callback_data_t *callback_data, void *,
                                      rocprofiler_group_t *group)
{
    static rocprofiler_feature_t features[3];
    static const char *const names[] = {"SQ_WAVES", "SQ_INSTS_SALU", "GRBM_COUNT"};
    for (int i = 0; i < 3; i++) {
        features[i].kind = ROCPROFILER_FEATURE_KIND_METRIC;
        features[i].name = names[i];
    }
    hsa_agent_t agent = callback_data->agent;
    rocprofiler_t *context;
    hsa_status_t status;

    rocprofiler_properties_t properties = {};
    properties.callback = completion_callback;
    properties.callback_arg = NULL;     // no args defined
    status = rocprofiler_open(agent, features, 3, &context,
        ROCPROFILER_MODE_SINGLEGROUP, properties);
    check_status(status);
    return rocprofiler_get_group(context, 0, group);
}

extern "C" void OnLoadTool()
{
    std::cout << "OnLoadTool" << std::endl;
    check_status(rocprofiler_add_dispatch_callback(dispatch_callback, NULL));
}

extern "C" void OnUnloadTool()
{
    std::cout << "OnUnloadTool" << std::endl;
}
