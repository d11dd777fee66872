/* owners_v1.c - see owners.h. */
#include "owners.h"

#include <rocprofiler/rocprofiler.h>

static rocprofiler_t *context;
static rocprofiler_feature_t feature = {.kind = ROCPROFILER_FEATURE_KIND_METRIC,
                                        .name = "SQ_WAVES"};
static rocprofiler_properties_t properties = {.queue_depth = 128};

static hsa_status_t first_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
    *(hsa_agent_t *)data = agent;
    return HSA_STATUS_INFO_BREAK;
}

bool older_open(void)
{
    hsa_agent_t agent = {0};
    hsa_iterate_agents(first_gpu, &agent);
    return rocprofiler_open(agent, &feature, 1, &context,
                            ROCPROFILER_MODE_STANDALONE | ROCPROFILER_MODE_CREATEQUEUE |
                                ROCPROFILER_MODE_SINGLEGROUP,
                            &properties) == HSA_STATUS_SUCCESS;
}

bool older_start(void)
{
    return rocprofiler_start(context, 0) == HSA_STATUS_SUCCESS;
}

bool older_stop(void)
{
    return rocprofiler_stop(context, 0) == HSA_STATUS_SUCCESS;
}

bool older_close(void)
{
    bool closed = rocprofiler_close(context) == HSA_STATUS_SUCCESS;
    return hsa_queue_destroy(properties.queue) == HSA_STATUS_SUCCESS && closed;
}

const char *older_message(void)
{
    const char *text = "";
    rocprofiler_error_string(&text);
    return text;
}
