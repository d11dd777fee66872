/* counted.c - hooks of queue creation that let SQ count each new queue's waves (counted.h).
 *
 * They are apart from queues.c because these queues need not be intercept queues: only their first
 * packet is written here. */
#include "hsa/counted.h"

#include "base/log.h"
#include "hsa/collect.h"
#include "hsa/host_memory.h"
#include "hsa/lane.h"
#include "hsa/own_queue.h"
#include "hsa/pm4.h"
#include "hsa/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static __typeof__(hsax.core.hsa_queue_create_fn) next_create;
static __typeof__(hsax.amd_ext.hsa_amd_queue_intercept_create_fn) next_create_intercepted;

/* Enables counting in a queue. If the queue does not answer, signal and commands are not freed,
 * since the GPU may still use them. */
static bool enable(hsa_agent_t agent, hsa_queue_t *queue)
{
    hsa_ext_amd_aql_pm4_packet_t packet = {.header = HSA_PM4_BARRIER};
    uint32_t words[HSA_PM4_COUNTED_WORDS];
    void *commands;
    hsa_pm4_counted(words);
    if (hsax_host_allocate(agent, sizeof words, &commands)) return false;
    if (!hsax_make_signal(&packet.completion_signal)) {
        hsax_host_free(commands);
        return false;
    }
    memcpy(commands, words, sizeof words);
    hsa_pm4_packet((uintptr_t)commands, HSA_PM4_COUNTED_WORDS, 0, &packet);
    hsax_own_queue_submit(queue, &packet, 1, NULL); /* no other thread uses the queue yet */
    if (!hsax_own_queue_wait(packet.completion_signal)) return false;
    hsax.core.hsa_signal_destroy_fn(packet.completion_signal);
    hsax_host_free(commands);
    return true;
}

static hsa_status_t made(hsa_status_t status, hsa_agent_t agent, hsa_queue_t *const *queue)
{
    if (status == HSA_STATUS_SUCCESS && !hsax_forked() && hsax_runtime_up() &&
        !enable(agent, *queue))
        base_warning("the counters of a whole GPU miss what one queue of the program does");
    return status;
}

static hsa_status_t create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                           void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                           uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    return made(next_create(agent, size, type, callback, data, private_size, group_size, queue),
                agent, queue);
}

static hsa_status_t create_intercepted(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                       void (*callback)(hsa_status_t, hsa_queue_t *, void *),
                                       void *data, uint32_t private_size, uint32_t group_size,
                                       hsa_queue_t **queue)
{
    return made(
        next_create_intercepted(agent, size, type, callback, data, private_size, group_size, queue),
        agent, queue);
}

void hsax_counted_hook(const hsax_api_table_t *table)
{
    next_create = table->core->hsa_queue_create_fn;
    HSAX_HOOK_CORE(table, hsa_queue_create, create);
    const size_t at =
        hsax_amd_ext_offset(offsetof(hsax_amd_ext_table_t, hsa_amd_queue_intercept_create_fn),
                            table->amd_ext->version.minor_id);
    if (!at) return;
    memcpy(&next_create_intercepted, (const char *)table->amd_ext + at,
           sizeof next_create_intercepted);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_queue_intercept_create, create_intercepted);
}
