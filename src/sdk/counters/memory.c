/* memory.c - memory for counter packets and their results, from the runtime's pools.
 *
 * All of it is fine-grained memory of the host: the GPU executes packets from there, and what it
 * writes is seen without a copy. Apart because it is the only place that knows pools. */
#include "sdk/counters/counters.h"

#include "base/log.h"
#include "hsa/agents.h"

#include <string.h>

/* hsa_amd_memory_pool_flag_t, in runtimes that know it; others allow execution anywhere */
#define EXECUTABLE 4u

static atomic_uint_fast64_t life; /* 0: not up yet */

uint64_t sdk_counters_hsa_life(void)
{
    return atomic_load(&life);
}

void sdk_counters_hsa_begins(void)
{
    atomic_fetch_add(&life, 1);
}

void sdk_counters_hsa_ends(void)
{
    atomic_fetch_add(&life, 1);
}

typedef struct {
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
        !allowed || !(flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED))
        return HSA_STATUS_SUCCESS;
    bool kernarg = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
    if (!choice->pool.handle || (kernarg && !choice->kernarg)) *choice = (choice_t){pool, kernarg};
    return HSA_STATUS_SUCCESS;
}

hsa_status_t sdk_counters_allocate(void **memory, uint64_t size,
                                   aqlprofile_buffer_desc_flags_t flags, void *userdata)
{
    (void)flags;
    const hsax_agent_t *host = hsax_agent_host();
    choice_t choice = {0};
    if (!host ||
        hsax.amd_ext.hsa_amd_agent_iterate_memory_pools_fn(host->agent, look_at, &choice) ||
        !choice.pool.handle)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    hsa_status_t status =
        hsax.amd_ext.hsa_amd_memory_pool_allocate_fn(choice.pool, size, EXECUTABLE, memory);
    if (status == HSA_STATUS_ERROR_INVALID_ARGUMENT)
        status = hsax.amd_ext.hsa_amd_memory_pool_allocate_fn(choice.pool, size, 0, memory);
    if (status) return status;
    status = hsax.amd_ext.hsa_amd_agents_allow_access_fn(1, userdata, NULL, *memory);
    if (status) {
        hsax.amd_ext.hsa_amd_memory_pool_free_fn(*memory);
        *memory = NULL;
        return status;
    }
    memset(*memory, 0, size);
    return HSA_STATUS_SUCCESS;
}

void sdk_counters_free(void *memory, void *userdata)
{
    (void)userdata;
    hsax.amd_ext.hsa_amd_memory_pool_free_fn(memory);
}

hsa_status_t sdk_counters_copy(void *to, const void *from, size_t size, void *userdata)
{
    (void)userdata;
    memcpy(to, from, size);
    return HSA_STATUS_SUCCESS;
}
