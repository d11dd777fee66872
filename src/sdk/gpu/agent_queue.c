/* agent_queue.c - see agent_queue.h. */
#include "sdk/gpu/agent_queue.h"

#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/runtime.h"

#include <string.h>
#include <time.h>

enum {
    PACKET_BYTES = 64,
    /* No fences: the packet ahead has made its values visible, and emptied caches would show in
     * the counters of whatever runs meanwhile. */
    BARRIER_HEADER =
        HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER,
};
#define ANSWER_NS 10000000000u /* an agent that takes longer has failed */
#define LOOK_NS   20000        /* between two looks at a signal */

hsa_queue_t *sdk_agent_queue_create(hsa_agent_t agent, const char *what)
{
    hsa_queue_t *queue = NULL;
    if (!hsax.core.hsa_queue_create_fn(agent, SDK_AGENT_QUEUE_SIZE, HSA_QUEUE_TYPE_SINGLE, NULL,
                                       NULL, UINT32_MAX, UINT32_MAX, &queue))
        return queue;
    base_error("no queue for the packets that %s", what);
    return NULL;
}

static void copy_packet(hsa_queue_t *queue, uint64_t index, const void *packet)
{
    char *slot = (char *)queue->base_address + index % queue->size * PACKET_BYTES;
    uint32_t first;
    memcpy(&first, packet, sizeof first);
    memcpy(slot + sizeof first, (const char *)packet + sizeof first, PACKET_BYTES - sizeof first);
    __atomic_store_n((uint32_t *)(void *)slot, first, __ATOMIC_RELEASE);
}

void sdk_agent_queue_submit(hsa_queue_t *queue, const void *packets, unsigned count,
                            hsa_signal_t signal)
{
    hsa_barrier_and_packet_t barrier = {.header = BARRIER_HEADER, .completion_signal = signal};
    uint64_t index = hsax.core.hsa_queue_load_write_index_relaxed_fn(queue);
    for (unsigned i = 0; i < count; i++)
        copy_packet(queue, index + i, (const char *)packets + (size_t)i * PACKET_BYTES);
    copy_packet(queue, index + count, &barrier);
    hsax.core.hsa_queue_store_write_index_screlease_fn(queue, index + count + 1);
    hsax.core.hsa_signal_store_screlease_fn(queue->doorbell_signal,
                                            (hsa_signal_value_t)(index + count));
}

static bool wait_for(hsa_signal_t signal)
{
    uint64_t end = hsax_monotonic_ns() + ANSWER_NS;
    while (__atomic_load_n(&hsax_signal_block(signal)->value, __ATOMIC_ACQUIRE) > 0) {
        if (hsax_monotonic_ns() > end) return false;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    return true;
}

bool sdk_agent_queue_run(hsa_queue_t *queue, const void *packets, unsigned count,
                         hsa_signal_t signal)
{
    sdk_agent_queue_submit(queue, packets, count, signal);
    if (!wait_for(signal)) {
        base_error("an agent has not answered a packet that counts or traces for %u s",
                   (unsigned)(ANSWER_NS / 1000000000u));
        return false;
    }
    __atomic_store_n(&hsax_signal_block(signal)->value, 1, __ATOMIC_RELAXED);
    return true;
}
