/* linked.h - what programs that call the library themselves share: the GPU, and calls shown with
 * their answers. */
#ifndef TESTS_V1_LINKED_H
#define TESTS_V1_LINKED_H

#include <rocprofiler/rocprofiler.h>

#include <stdio.h>

/* For hsa_iterate_agents: the last GPU goes to *data. */
static inline hsa_status_t take_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU) *(hsa_agent_t *)data = agent;
    return HSA_STATUS_SUCCESS;
}

static inline void show(hsa_status_t status, const char *call)
{
    const char *text = "";
    rocprofiler_error_string(&text);
    if (status)
        printf("%s\n    0x%x %s\n", call, status, text);
    else
        printf("%s\n    succeeds\n", call);
}
#define SHOW(call) show(call, #call)

#endif
