/* agents.c - the machine's agents, and which of them can be sampled. */
#include "sample.h"

static const char sample_name[] = "agents tool";

static rocprofiler_status_t
on_configurations(const rocprofiler_pc_sampling_configuration_t *configurations, size_t count,
                  void *data)
{
    (void)configurations;
    *(size_t *)data = count;
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_agent_v0_t *agent = agents[i];
        if (agent->type != ROCPROFILER_AGENT_TYPE_GPU) continue;
        size_t ways = 0;
        rocprofiler_query_pc_sampling_agent_configurations(agent->id, on_configurations, &ways);
        fprintf(stderr, "%s: %s, %u compute units, %zu ways of PC sampling\n", sample_name,
                agent->name, agent->cu_count, ways);
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static void sample_start(void)
{
    REQUIRE(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                               sizeof(rocprofiler_agent_v0_t), NULL));
}

static void sample_end(void)
{
    fprintf(stderr, "%s: done\n", sample_name);
}
