/* agent_queue.c - see agent_queue.h. */
#include "sdk/gpu/agent_queue.h"

#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/own_queue.h"
#include "hsa/runtime.h"

enum {
    /* No fences: the packet before this one has made its values visible, and invalidating caches
     * would change the counters of kernels that run meanwhile. */
    BARRIER_HEADER =
        HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER,
};

hsa_queue_t *sdk_agent_queue_create(hsa_agent_t agent, const char *what)
{
    hsa_queue_t *queue = NULL;
    if (!hsax.core.hsa_queue_create_fn(agent, SDK_AGENT_QUEUE_SIZE, HSA_QUEUE_TYPE_SINGLE, NULL,
                                       NULL, UINT32_MAX, UINT32_MAX, &queue))
        return queue;
    base_error("no queue for the packets that %s", what);
    return NULL;
}

void sdk_agent_queue_submit(hsa_queue_t *queue, const void *packets, unsigned count,
                            hsa_signal_t signal)
{
    const hsa_barrier_and_packet_t barrier = {.header = BARRIER_HEADER,
                                              .completion_signal = signal};
    hsax_own_queue_submit(queue, packets, count, &barrier);
}

bool sdk_agent_queue_run(hsa_queue_t *queue, const void *packets, unsigned count,
                         hsa_signal_t signal)
{
    sdk_agent_queue_submit(queue, packets, count, signal);
    if (!hsax_own_queue_wait(signal)) {
        base_error("an agent has not answered a packet that counts or traces for %u s",
                   (unsigned)HSAX_ANSWER_SECONDS);
        return false;
    }
    __atomic_store_n(&hsax_signal_block(signal)->value, 1, __ATOMIC_RELAXED);
    return true;
}
