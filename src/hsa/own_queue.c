/* own_queue.c - writes packets into a queue of this library and waits for their completion
 * (own_queue.h). */
#include "hsa/own_queue.h"

#include "hsa/lane.h"
#include "hsa/runtime.h"

#include <string.h>
#include <time.h>

static void put(hsa_queue_t *queue, uint64_t index, const char *packet)
{
    char *slot = (char *)queue->base_address + index % queue->size * HSAX_PACKET_BYTES;
    uint32_t first;
    memcpy(&first, packet, sizeof first);
    memcpy(slot + sizeof first, packet + sizeof first, HSAX_PACKET_BYTES - sizeof first);
    __atomic_store_n((uint32_t *)(void *)slot, first, __ATOMIC_RELEASE);
}

void hsax_own_queue_submit(hsa_queue_t *queue, const void *packets, unsigned count,
                           const void *last)
{
    uint64_t index = hsax.core.hsa_queue_load_write_index_relaxed_fn(queue);
    for (unsigned i = 0; i < count; i++)
        put(queue, index++, (const char *)packets + (size_t)i * HSAX_PACKET_BYTES);
    if (last) put(queue, index++, last);
    hsax.core.hsa_queue_store_write_index_screlease_fn(queue, index);
    hsax.core.hsa_signal_store_screlease_fn(queue->doorbell_signal,
                                            (hsa_signal_value_t)(index - 1));
}

bool hsax_own_queue_wait(hsa_signal_t signal)
{
    enum { LOOK_NS = 20000 }; /* between two checks */
    const uint64_t end =
        base_clock_ns(CLOCK_MONOTONIC) + HSAX_ANSWER_SECONDS * UINT64_C(1000000000);
    while (__atomic_load_n(&hsax_signal_block(signal)->value, __ATOMIC_ACQUIRE) > 0) {
        if (base_clock_ns(CLOCK_MONOTONIC) > end) return false;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    return true;
}
