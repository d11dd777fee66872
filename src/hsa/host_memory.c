/* host_memory.c - allocates memory of host and GPU (host_memory.h).
 *
 * It is apart because only here the profilers choose among the runtime's pools. */
#include "hsa/host_memory.h"

#include "hsa/agents.h"
#include "hsa/tables/tables.h"

#include <stdbool.h>

/* a hsa_amd_memory_pool_flag_t of newer runtimes; older ones allow execution in all memory */
#define EXECUTABLE 4u

typedef struct {
    uint32_t grain; /* the flag that the pool must have */
    hsa_amd_memory_pool_t pool;
    bool kernarg;
} choice_t;

static hsa_status_t look_at(hsa_amd_memory_pool_t pool, void *data)
{
    choice_t *choice = data;
    hsa_amd_segment_t segment;
    uint32_t flags = 0;
    bool allowed = false;
    if (hsax.amd_ext.hsa_amd_memory_pool_get_info_fn(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                                     &segment) ||
        segment != HSA_AMD_SEGMENT_GLOBAL ||
        hsax.amd_ext.hsa_amd_memory_pool_get_info_fn(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS,
                                                     &flags) ||
        hsax.amd_ext.hsa_amd_memory_pool_get_info_fn(
            pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed) ||
        !allowed || !(flags & choice->grain))
        return HSA_STATUS_SUCCESS;
    bool kernarg = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
    if (!choice->pool.handle || (kernarg && !choice->kernarg)) {
        choice->pool = pool;
        choice->kernarg = kernarg;
    }
    return HSA_STATUS_SUCCESS;
}

/* Chooses a pool of the agent, preferably one for kernel arguments. Returns false if none is
 * suitable. */
static bool choose(hsa_agent_t agent, choice_t *choice)
{
    return !hsax.amd_ext.hsa_amd_agent_iterate_memory_pools_fn(agent, look_at, choice) &&
           choice->pool.handle;
}

hsa_status_t hsax_device_allocate(hsa_agent_t gpu, size_t bytes, void **memory)
{
    choice_t choice = {.grain = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED};
    *memory = NULL;
    if (!choose(gpu, &choice)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const hsa_status_t status =
        hsax.amd_ext.hsa_amd_memory_pool_allocate_fn(choice.pool, bytes, 0, memory);
    if (status) *memory = NULL;
    return status;
}

hsa_status_t hsax_host_allocate(hsa_agent_t gpu, size_t bytes, void **memory)
{
    const hsax_agent_t *host = hsax_agent_host();
    choice_t choice = {.grain = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED};
    *memory = NULL;
    if (!host || !choose(host->agent, &choice)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    hsa_status_t status =
        hsax.amd_ext.hsa_amd_memory_pool_allocate_fn(choice.pool, bytes, EXECUTABLE, memory);
    if (status == HSA_STATUS_ERROR_INVALID_ARGUMENT)
        status = hsax.amd_ext.hsa_amd_memory_pool_allocate_fn(choice.pool, bytes, 0, memory);
    if (!status) {
        status = hsax.amd_ext.hsa_amd_agents_allow_access_fn(1, &gpu, NULL, *memory);
        if (status) hsax_host_free(*memory);
    }
    if (status) *memory = NULL;
    return status;
}

void hsax_host_free(void *memory)
{
    if (memory) hsax.amd_ext.hsa_amd_memory_pool_free_fn(memory);
}
