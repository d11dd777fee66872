/* agents.c - GPUs as services use them: the HSA agent of a GPU, and which service may use its
 * counters.
 *
 * It is apart because these facts belong to no single service: two services, or two libraries of
 * the process, cannot use the same registers. */
#include "sdk/gpu/gpu.h"

#include "base/log.h"
#include "hsa/agents.h"
#include "hsa/owner.h"
#include "hsa/runtime.h"
#include "sdk/agent/agent.h"

hsa_agent_t sdk_gpu_agent(rocprofiler_agent_id_t id)
{
    for (unsigned i = 0; hsax_runtime_up() && i < hsax_agent_count(); i++)
        if (hsax_agent_at(i)->gpu && sdk_agent_of_hsa(hsax_agent_at(i)->agent).handle == id.handle)
            return hsax_agent_at(i)->agent;
    return (hsa_agent_t){0};
}

bool sdk_gpu_claim(hsa_agent_t agent)
{
    const char *owner = hsax_owner_claim(agent, HSAX_OWNER_SDK);
    if (!owner) return true;
    const rocprofiler_agent_v0_t *known = sdk_agent_find(sdk_agent_of_hsa(agent));
    base_error("GPU %d cannot be counted: %s counts on it in this process",
               known ? known->logical_node_type_id : -1, owner);
    return false;
}

/* ---- uses of a GPU that exclude each other ---- */

static const struct {
    unsigned one, other;
} conflicts[] = {
    /* the packets that end a trace end streaming counters as well */
    {SDK_USES_TRACE, SDK_USES_STREAM},
    /* both would program the counters of SQ */
    {SDK_USES_TRACE_COUNTERS, SDK_USES_COUNTERS},
};

static unsigned uses_of[SDK_CONTEXTS_MAX]; /* by the context's slot; written while tools
                                            * configure */

static bool exclude(unsigned a, unsigned b)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        if ((a & conflicts[i].one && b & conflicts[i].other) ||
            (b & conflicts[i].one && a & conflicts[i].other))
            return true;
    return false;
}

bool sdk_gpu_use_conflicts(const sdk_context_t *context, unsigned uses)
{
    return exclude(uses_of[context->slot], uses);
}

void sdk_gpu_use(const sdk_context_t *context, unsigned uses)
{
    uses_of[context->slot] |= uses;
}

bool sdk_gpu_contexts_conflict(const sdk_context_t *a, const sdk_context_t *b)
{
    return exclude(uses_of[a->slot], uses_of[b->slot]);
}
