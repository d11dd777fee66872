/* agent.h - the machine's agents, for the library's own use.
 *
 * The agents are read from the driver's topology at the first call and never change: pointers to
 * them stay valid, and reading them takes no lock. */
#ifndef CROCPROF_SDK_AGENT_H
#define CROCPROF_SDK_AGENT_H

#include <hsa/hsa.h>
#include <rocprofiler-sdk/agent.h>
#include <stddef.h>

/* Returns all agents in the order of the topology's nodes; *count is 0 if there is no topology. */
const rocprofiler_agent_v0_t *const *sdk_agents(size_t *count);

/* Returns the agent with this id; NULL if there is none. */
const rocprofiler_agent_v0_t *sdk_agent_find(rocprofiler_agent_id_t id);

/* Returns the id of an agent of HSA, whose handle is 0 if the agent is unknown. HSA must be
 * initialised. */
rocprofiler_agent_id_t sdk_agent_of_hsa(hsa_agent_t agent);

/* Reads the topology below `root` (normally BASE_DRIVER_NODES; a parameter for tests). Returns an
 * array of *count pointers that is never freed; NULL if there is none. */
const rocprofiler_agent_v0_t *const *sdk_topology_read(const char *root, size_t *count);

/* Sets the agent's runtime_visibility from the values of ROCR_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES
 * and CUDA_VISIBLE_DEVICES; NULL: unset. */
typedef struct {
    const char *rocr, *hip, *cuda;
} sdk_visible_t;
void sdk_agent_set_visibility(rocprofiler_agent_v0_t *agent, const sdk_visible_t *visible);

#endif
