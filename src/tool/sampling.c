/* sampling.c - see sampling.h. The SDK says which ways of sampling an agent has; if the requested
 * way is not among them, a message names those that are. */
#include "tool/sampling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/pc_sampling.h>

#include "base/log.h"
#include "trace/settings.h"

/* ORDER: rocprofiler_pc_sampling_method_t, rocprofiler_pc_sampling_unit_t. */
static const char *const methods[] = {"none", "stochastic", "host_trap"};
static const char *const units[] = {"none", "instructions", "cycles", "time"};

enum {
    METHODS = sizeof(methods) / sizeof(*methods),
    UNITS = sizeof(units) / sizeof(*units),
    GPUS_MAX = 64
};

static struct {
    const rocprofiler_agent_v0_t *gpus[GPUS_MAX];
    size_t gpu_count;
    unsigned sampled, unlike; /* number of GPUs that are sampled; number of those that can only be
                               * sampled in other ways */
} sampling;

typedef struct {
    const rocprofiler_agent_v0_t *agent;
    rocprofiler_context_id_t context;
    rocprofiler_buffer_id_t buffer;
} target_t;

/* The setting's words stand in the order of the enumerations, behind "none". */
static int method(void)
{
    return trace_setting_choice(TRACE_SET_PC_SAMPLING_METHOD) + 1;
}

static int unit(void)
{
    return trace_setting_choice(TRACE_SET_PC_SAMPLING_UNIT) + 1;
}

bool tool_sampling_wanted(void)
{
    return method() != ROCPROFILER_PC_SAMPLING_METHOD_NONE;
}

static void tell_ways(const rocprofiler_agent_v0_t *agent,
                      const rocprofiler_pc_sampling_configuration_t *ways, size_t count)
{
    for (size_t i = 0; i < count; i++)
        base_error("GPU %d (%s) can be sampled by %s, unit %s, intervals %zu to %zu",
                   agent->logical_node_type_id, agent->name,
                   (unsigned)ways[i].method < METHODS ? methods[ways[i].method] : "?",
                   (unsigned)ways[i].unit < UNITS ? units[ways[i].unit] : "?", ways[i].min_interval,
                   ways[i].max_interval);
}

static rocprofiler_status_t on_ways(const rocprofiler_pc_sampling_configuration_t *ways,
                                    size_t count, void *data)
{
    const target_t *target = data;
    rocprofiler_status_t status = rocprofiler_configure_pc_sampling_service(
        target->context, target->agent->id, (rocprofiler_pc_sampling_method_t)method(),
        (rocprofiler_pc_sampling_unit_t)unit(),
        trace_setting_number(TRACE_SET_PC_SAMPLING_INTERVAL), target->buffer, 0);
    if (status == ROCPROFILER_STATUS_SUCCESS) {
        sampling.sampled++;
    } else if (status == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT) {
        sampling.unlike++;
        tell_ways(target->agent, ways, count);
    } else {
        base_error("GPU %d is not sampled: %s", target->agent->logical_node_type_id,
                   rocprofiler_get_status_string(status));
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

void tool_sampling_agent(const rocprofiler_agent_v0_t *agent)
{
    if (agent->type == ROCPROFILER_AGENT_TYPE_GPU && sampling.gpu_count < GPUS_MAX)
        sampling.gpus[sampling.gpu_count++] = agent;
}

void tool_sampling_configure(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer)
{
    for (size_t i = 0; i < sampling.gpu_count; i++) {
        target_t target = {sampling.gpus[i], context, buffer};
        /* a GPU that cannot be sampled at all does not prevent the sampling of others */
        rocprofiler_query_pc_sampling_agent_configurations(sampling.gpus[i]->id, on_ways, &target);
    }
    if (sampling.sampled) return;
    base_error("no samples: %s",
               sampling.unlike
                   ? "no GPU can be sampled as it is asked for"
                   : "no GPU, with its driver and its runtime, can sample program counters");
}
