/* agent.c - the public query of agents, the mapping to HSA's agents, and the *_VISIBLE_DEVICES
 * variables.
 *
 * The rules of visibility are those of ROCm's "GPU isolation" page: the entries of HIP's list count
 * positions within ROCR's list, and an agent that is hidden from HSA is hidden from HIP, too. */
#include "sdk/agent/agent.h"

#include "base/driver.h"
#include "base/log.h"
#include "hsa/agents.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const rocprofiler_agent_v0_t *const *all;
static size_t all_count;

static void read_once(void)
{
    all = sdk_topology_read(BASE_DRIVER_NODES, &all_count);
}

const rocprofiler_agent_v0_t *const *sdk_agents(size_t *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_once);
    *count = all_count;
    return all;
}

const rocprofiler_agent_v0_t *sdk_agent_find(rocprofiler_agent_id_t id)
{
    size_t count;
    const rocprofiler_agent_v0_t *const *agents = sdk_agents(&count);
    for (size_t i = 0; i < count; i++)
        if (agents[i]->id.handle == id.handle) return agents[i];
    return NULL;
}

/* The HSA runtime numbers only the nodes that it may read; sdk_agents() leaves out the same
 * nodes, so the number is the index. */
rocprofiler_agent_id_t sdk_agent_of_hsa(hsa_agent_t agent)
{
    size_t count;
    const rocprofiler_agent_v0_t *const *agents = sdk_agents(&count);
    const hsax_agent_t *found = hsax_agent_find(agent);
    if (found && found->node < count) return agents[found->node]->id;
    return (rocprofiler_agent_id_t){0};
}

rocprofiler_status_t
rocprofiler_query_available_agents(rocprofiler_agent_version_t version,
                                   rocprofiler_query_available_agents_cb_t callback,
                                   size_t agent_size, void *user_data)
{
    if (!callback) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (version != ROCPROFILER_AGENT_INFO_VERSION_0 || agent_size > sizeof(rocprofiler_agent_v0_t))
        return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
    size_t count;
    const rocprofiler_agent_v0_t *const *agents = sdk_agents(&count);
    if (!count) {
        base_warning("no agents: %s has no nodes (is the amdgpu driver loaded?)",
                     BASE_DRIVER_NODES);
        return ROCPROFILER_STATUS_ERROR;
    }
    const void **copy = calloc(count, sizeof *copy);
    if (!copy) {
        base_error("agents: %s", strerror(ENOMEM));
        return ROCPROFILER_STATUS_ERROR;
    }
    memcpy(copy, agents, count * sizeof *copy);
    rocprofiler_status_t status = callback(version, copy, count, user_data);
    free(copy);
    return status;
}

/* ---- visibility ---- */

/* Position of the agent in a comma-separated list, -1 if it is not there. Entries are either the
 * GPU's ordinal or GPU-<unique id in hexadecimal>. */
static int32_t position(const char *list, const char *name, int32_t ordinal, uint64_t unique_id)
{
    char *copy = strdup(list), *rest = NULL;
    int32_t at = 0, found = -1;
    if (!copy) base_error("%s: %s", name, strerror(ENOMEM));
    if (!copy) return -1;
    for (char *token = strtok_r(copy, ", ", &rest); token && found < 0;
         token = strtok_r(NULL, ", ", &rest), at++) {
        char *end;
        if (strncmp(token, "GPU-", 4) == 0) {
            if (strtoull(token + 4, &end, 16) == unique_id && !*end && end != token + 4) found = at;
            continue;
        }
        unsigned long number = strtoul(token, &end, 10);
        if (*end)
            base_warning("%s=%s: '%s' is neither a device number nor GPU-<unique id>", name, list,
                         token);
        else if (number == (unsigned long)ordinal)
            found = at;
    }
    free(copy);
    return found;
}

void sdk_agent_set_visibility(rocprofiler_agent_v0_t *agent, const sdk_visible_t *visible)
{
    bool hsa = true, hip = true;
    if (agent->type == ROCPROFILER_AGENT_TYPE_GPU) {
        uint64_t unique_id;
        memcpy(&unique_id, agent->uuid.bytes, sizeof unique_id);
        int32_t index = agent->logical_node_type_id;
        if (visible->rocr && *visible->rocr) {
            index = position(visible->rocr, "ROCR_VISIBLE_DEVICES", index, unique_id);
            hsa = index >= 0;
        }
        bool own = visible->hip && *visible->hip;
        const char *list = own ? visible->hip : visible->cuda;
        hip = hsa;
        if (hsa && list && *list)
            hip = position(list, own ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES", index,
                           unique_id) >= 0;
        if (hsa && own && visible->cuda && *visible->cuda &&
            hip != (position(visible->cuda, "CUDA_VISIBLE_DEVICES", index, unique_id) >= 0))
            base_warning("HIP_VISIBLE_DEVICES=%s and CUDA_VISIBLE_DEVICES=%s disagree on GPU %d: "
                         "taking HIP's",
                         visible->hip, visible->cuda, (int)index);
    }
    agent->runtime_visibility = (rocprofiler_agent_runtime_visiblity_t){
        .hsa = hsa, .hip = hip, .rccl = hip, .rocdecode = hip};
}
