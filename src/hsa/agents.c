/* agents.c - lists the runtime's agents (agents.h), without the driver's topology files.
 *
 * The table has a fixed size so that readers need no lock while it is filled again. */
#include "hsa/agents.h"

#include "base/log.h"
#include "hsa/tables/tables.h"

#include <stdatomic.h>
#include <string.h>

#define AGENTS_MAX 128 /* more nodes than any machine's driver has shown */

static hsax_agent_t agents[AGENTS_MAX];
static atomic_uint count;

static hsa_status_t add_agent(hsa_agent_t agent, void *data)
{
    unsigned *n = data;
    hsa_device_type_t type;
    uint32_t node;
    if (hsax.core.hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_DEVICE, &type) ||
        hsax.core.hsa_agent_get_info_fn(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DRIVER_NODE_ID,
                                        &node) ||
        (type != HSA_DEVICE_TYPE_CPU && type != HSA_DEVICE_TYPE_GPU))
        return HSA_STATUS_SUCCESS;
    if (*n == AGENTS_MAX) {
        base_warning("more than %d HSA agents: the others are not profiled", AGENTS_MAX);
        return HSA_STATUS_INFO_BREAK;
    }
    hsax_agent_t *a = &agents[(*n)++];
    *a = (hsax_agent_t){.agent = agent, .node = node, .gpu = type == HSA_DEVICE_TYPE_GPU};
    if (hsax.core.hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_NAME, a->name)) a->name[0] = 0;
    a->name[sizeof a->name - 1] = 0;
    return HSA_STATUS_SUCCESS;
}

bool hsax_agents_load(void)
{
    unsigned n = 0;
    hsa_status_t status = hsax.core.hsa_iterate_agents_fn(add_agent, &n);
    atomic_store_explicit(&count, n, memory_order_release);
    if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return true;
    base_error("the HSA runtime lists no agents (status 0x%x)", status);
    return false;
}

unsigned hsax_agent_count(void)
{
    return atomic_load_explicit(&count, memory_order_acquire);
}

const hsax_agent_t *hsax_agent_at(unsigned index)
{
    return &agents[index];
}

const hsax_agent_t *hsax_agent_find(hsa_agent_t agent)
{
    unsigned n = hsax_agent_count();
    for (unsigned i = 0; i < n; i++)
        if (agents[i].agent.handle == agent.handle) return &agents[i];
    return NULL;
}

const hsax_agent_t *hsax_agent_host(void)
{
    unsigned n = hsax_agent_count();
    for (unsigned i = 0; i < n; i++)
        if (!agents[i].gpu) return &agents[i];
    return NULL;
}
