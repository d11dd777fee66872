/* memory.c - memory for packets that count or trace and for their results, as the AQL profile
 * library requests it, and the count of HSA's starts and shutdowns. */
#include "sdk/gpu/gpu.h"

#include "hsa/host_memory.h"

#include <string.h>

const char *sdk_gpu_aql_message(void)
{
    const char *text = NULL;
    hsa_ven_amd_aqlprofile_error_string(&text);
    return text ? text : "no reason given";
}

static atomic_uint_fast64_t life;

uint64_t sdk_gpu_life(void)
{
    return atomic_load(&life);
}

void sdk_gpu_next_life(void)
{
    atomic_fetch_add(&life, 1);
}

hsa_status_t sdk_gpu_allocate(void **memory, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                              void *userdata)
{
    (void)flags;
    const hsa_agent_t *gpu = userdata;
    hsa_status_t status = hsax_host_allocate(*gpu, size, memory);
    if (!status) memset(*memory, 0, size);
    return status;
}

void sdk_gpu_free(void *memory, void *userdata)
{
    (void)userdata;
    hsax_host_free(memory);
}

hsa_status_t sdk_gpu_copy(void *to, const void *from, size_t size, void *userdata)
{
    (void)userdata;
    memcpy(to, from, size);
    return HSA_STATUS_SUCCESS;
}
