/* agent.h - the machine's agents for the library's own use.
 *
 * Read from the driver's topology at the first call and never changed: pointers stay valid and
 * reading takes no lock. */
#ifndef CROCPROF_SDK_AGENT_H
#define CROCPROF_SDK_AGENT_H

#include <hsa/hsa.h>
#include <rocprofiler-sdk/agent.h>
#include <stddef.h>

/* All agents in the order of nodes; count 0 where there is no topology. */
const rocprofiler_agent_v0_t *const *sdk_agents(size_t *count);

/* NULL if there is none with that id. */
const rocprofiler_agent_v0_t *sdk_agent_find(rocprofiler_agent_id_t id);

/* The agent that HSA calls by this handle; id.handle 0 if unknown. Needs HSA to be up. */
rocprofiler_agent_id_t sdk_agent_of_hsa(hsa_agent_t agent);

/* Topology below `root` (normally /sys/class/kfd/kfd/topology/nodes), for tests too. Returns an
 * array of `*count` pointers, NULL if there is none; never freed. */
const rocprofiler_agent_v0_t *const *sdk_topology_read(const char *root, size_t *count);

/* Sets runtime_visibility of all from the values of ROCR_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES and
 * CUDA_VISIBLE_DEVICES; NULL: unset. */
typedef struct {
    const char *rocr, *hip, *cuda;
} sdk_visible_t;
void sdk_agent_set_visibility(rocprofiler_agent_v0_t *agent, const sdk_visible_t *visible);

#endif
