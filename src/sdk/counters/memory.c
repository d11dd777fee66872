/* memory.c - memory for counter packets and their results, as the AQL profile library asks for it,
 * and the number of HSA's present start. */
#include "sdk/counters/counters.h"

#include "hsa/host_memory.h"

#include <string.h>

static atomic_uint_fast64_t life; /* 0: HSA has not been started */

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

hsa_status_t sdk_counters_allocate(void **memory, uint64_t size,
                                   aqlprofile_buffer_desc_flags_t flags, void *userdata)
{
    (void)flags;
    const hsa_agent_t *gpu = userdata;
    hsa_status_t status = hsax_host_allocate(*gpu, size, memory);
    if (!status) memset(*memory, 0, size);
    return status;
}

void sdk_counters_free(void *memory, void *userdata)
{
    (void)userdata;
    hsax_host_free(memory);
}

hsa_status_t sdk_counters_copy(void *to, const void *from, size_t size, void *userdata)
{
    (void)userdata;
    memcpy(to, from, size);
    return HSA_STATUS_SUCCESS;
}
