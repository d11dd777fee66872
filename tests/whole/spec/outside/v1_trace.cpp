/* v1_trace.cpp - traces, a tool by ROCP_TOOL_LIB: the first kernel is traced into a buffer of
 * TRACE_SIZE bytes; that it was too small is told when the data is got. */
#include "v1_common.h"

static rocprofiler_feature_t features[2];
static rocprofiler_group_t groups[2];
static unsigned count;

static hsa_status_t dispatch_callback(const rocprofiler_callback_data_t *callback_data, void *,
                                      rocprofiler_group_t *group)
{
    static const rocprofiler_feature_parameter_t engines[] = {
        {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, 1}};
    rocprofiler_t *context;
    if (count == 1) return HSA_STATUS_SUCCESS;
    features[count].type = ROCPROFILER_TRACE;
    features[count].name = "THREAD_TRACE";
    features[count].parameters = engines;
    features[count].parameter_count = 1;
    check_status(rocprofiler_open(callback_data->agent, &features[count], 1, &context, 0, NULL));
    check_status(rocprofiler_get_group(context, 0, group));
    groups[count++] = *group;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t see(hsa_ven_amd_aqlprofile_info_type_t type,
                        hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    *static_cast<unsigned *>(data) +=
        type == HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA && info->trace_data.size > 0;
    return HSA_STATUS_SUCCESS;
}

extern "C" void OnLoadToolProp(rocprofiler_settings_t *settings)
{
    settings->trace_size = static_cast<uint32_t>(std::atoi(std::getenv("TRACE_SIZE")));
    settings->intercept_mode = 1;
    check_status(rocprofiler_add_dispatch_callback(dispatch_callback, NULL));
}

extern "C" void OnUnloadTool()
{
    const char *text = "";
    unsigned parts = 0;
    check_status(rocprofiler_remove_dispatch_callback());
    hsa_status_t status = rocprofiler_group_get_data(&groups[0]);
    if (status) rocprofiler_error_string(&text);
    std::cout << (status ? "overflow: " : "complete") << text << std::endl;
    print_results(features, 1);
    const rocprofiler_t *context = groups[0].context;
    rocprofiler_iterate_trace_data(context, see, &parts);
    std::cout << parts << " part" << std::endl;
    check_status(rocprofiler_close(groups[0].context));
}
