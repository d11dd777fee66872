/* queues.c - see queues.h. The hooks of queue creation, and the handler that rewrites packets.
 *
 * The runtime calls the handler with one queue's lock held, so packets of a queue are handled one
 * call at a time and in order, on the thread that rang the doorbell. */
#include "hsa/queues.h"

#include "base/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD            64   /* items ready when a queue is created */
#define LIMIT_FACTOR     4    /* items at most, in queue sizes */
#define LIMIT_LEAST      4096 /* and not fewer than this */
#define BATCH            32   /* packets rewritten on the stack at once */
#define QUEUE_SIZE_LEAST 4    /* an intercept queue needs room for its own retry packet */

typedef struct queue {
    struct queue *next;
    hsa_queue_t *hsa;
    uint64_t id;
    hsax_lane_t *lane;
} queue_t;

static const hsax_dispatch_client_t *client;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static queue_t *queues;
static atomic_uint_fast64_t last_queue_id, missed;

uint64_t hsax_queues_missed(void)
{
    return atomic_load(&missed);
}

static bool read_times(hsax_item_t *item)
{
    hsa_amd_profiling_dispatch_time_t time;
    hsa_status_t status = hsax.amd_ext.hsa_amd_profiling_get_dispatch_time_fn(
        hsax_lane_agent(item->lane), item->signal, &time);
    if (status != HSA_STATUS_SUCCESS) {
        base_warning("no timestamps of a kernel dispatch (HSA status 0x%x)", status);
        return false;
    }
    item->start_ns = hsax_clock_ns(time.start);
    item->end_ns = hsax_clock_ns(time.end);
    return true;
}

bool hsax_queue_find(const hsa_queue_t *hsa, uint64_t *id, hsa_agent_t *agent)
{
    pthread_mutex_lock(&lock);
    const queue_t *queue = queues;
    while (queue && queue->hsa != hsa)
        queue = queue->next;
    if (queue) {
        *id = queue->id;
        *agent = hsax_lane_agent(queue->lane);
    }
    pthread_mutex_unlock(&lock);
    return queue;
}

/* ---- packets ---- */

typedef union {
    uint16_t header;
    hsa_kernel_dispatch_packet_t dispatch;
    unsigned char bytes[64];
} packet_t;

static bool is_dispatch(const packet_t *packet)
{
    unsigned type =
        packet->header >> HSA_PACKET_HEADER_TYPE & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
    return type == HSA_PACKET_TYPE_KERNEL_DISPATCH;
}

/* Gives the packet our signal if the client wants it. */
static hsax_item_t *adopt(queue_t *queue, packet_t *packet)
{
    hsax_item_t *item = hsax_lane_take(queue->lane);
    if (!item) {
        if (atomic_fetch_add(&missed, 1) == 0)
            base_warning("kernel dispatches go unrecorded: no free signal for queue %llu",
                         (unsigned long long)queue->id);
        return NULL;
    }
    if (!client->begin(item, queue->id, &packet->dispatch)) {
        hsax_lane_untake(item);
        return NULL;
    }
    item->program_signal = packet->dispatch.completion_signal;
    packet->dispatch.completion_signal = item->signal;
    return item;
}

static void rewrite_batch(queue_t *queue, const packet_t *packets, unsigned count,
                          hsax_packet_writer_t writer)
{
    packet_t copy[BATCH];
    hsax_item_t *items[BATCH];
    unsigned adopted = 0;
    memcpy(copy, packets, count * sizeof *copy);
    for (unsigned i = 0; i < count; i++) {
        if (!is_dispatch(&copy[i])) continue;
        hsax_item_t *item = adopt(queue, &copy[i]);
        if (item) items[adopted++] = item;
    }
    writer(copy, count);
    for (unsigned i = 0; i < adopted; i++) {
        client->submitted(items[i]);
        hsax_lane_submit(items[i]);
    }
}

static void handle_packets(const void *data, uint64_t count, uint64_t index, void *queue,
                           hsax_packet_writer_t writer)
{
    (void)index;
    if (!hsax_collecting() || !client->wanted()) {
        writer(data, count);
        return;
    }
    for (const packet_t *packets = data; count;) {
        unsigned batch = count < BATCH ? (unsigned)count : BATCH;
        rewrite_batch(queue, packets, batch, writer);
        packets += batch;
        count -= batch;
    }
}

/* ---- queues ---- */

static void remember(queue_t *queue)
{
    pthread_mutex_lock(&lock);
    queue->next = queues;
    queues = queue;
    pthread_mutex_unlock(&lock);
}

static queue_t *forget(const hsa_queue_t *hsa)
{
    queue_t *found = NULL;
    pthread_mutex_lock(&lock);
    for (queue_t **link = &queues; *link && !found; link = &(*link)->next) {
        if ((*link)->hsa != hsa) continue;
        found = *link;
        *link = found->next;
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Makes a queue just created ours; on failure it stays an ordinary one that is not traced. */
static bool attach(hsa_agent_t agent, hsa_queue_t *hsa)
{
    queue_t *queue = calloc(1, sizeof *queue);
    if (!queue) return false;
    hsax_lane_ops_t ops = {client->client_size, read_times, client->complete, client->lost};
    unsigned limit = hsa->size * LIMIT_FACTOR;
    queue->hsa = hsa;
    queue->id = atomic_fetch_add(&last_queue_id, 1) + 1;
    queue->lane = hsax_lane_open(&ops, agent, AHEAD, limit < LIMIT_LEAST ? LIMIT_LEAST : limit);
    if (!queue->lane) goto fail;
    if (hsax.amd_ext.hsa_amd_profiling_set_profiler_enabled_fn(hsa, 1) ||
        hsax.amd_ext.hsa_amd_queue_intercept_register_fn(hsa, handle_packets, queue))
        goto fail;
    remember(queue);
    return true;
fail:
    if (queue->lane) hsax_lane_close(queue->lane);
    free(queue);
    return false;
}

static hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                                 uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    if (hsax_collecting() && queue && size >= QUEUE_SIZE_LEAST) {
        hsa_status_t status = hsax.amd_ext.hsa_amd_queue_intercept_create_fn(
            agent, size, type, callback, data, private_size, group_size, queue);
        if (status == HSA_STATUS_SUCCESS) {
            if (!attach(agent, *queue))
                base_warning("dispatches of one queue are not recorded: it cannot be intercepted");
            return status;
        }
        base_info("no intercept queue of size %u (HSA status 0x%x)", size, status);
    }
    return hsax.core.hsa_queue_create_fn(agent, size, type, callback, data, private_size,
                                         group_size, queue);
}

/* The GPU stops first; then nothing of the queue can be in the making. */
static hsa_status_t destroy_queue(hsa_queue_t *hsa)
{
    queue_t *queue = hsax_forked() ? NULL : forget(hsa);
    hsa_status_t status = hsax.core.hsa_queue_destroy_fn(hsa);
    if (!queue) return status;
    if (status != HSA_STATUS_SUCCESS) {
        remember(queue);
        return status;
    }
    hsax_lane_close(queue->lane);
    free(queue);
    return status;
}

/* Our times need the queue's profiling: it stays on whatever the program asks. */
static hsa_status_t set_profiler_enabled(hsa_queue_t *hsa, int enable)
{
    if (!enable && !hsax_forked()) {
        queue_t *queue = forget(hsa);
        if (queue) {
            remember(queue);
            return HSA_STATUS_SUCCESS;
        }
    }
    return hsax.amd_ext.hsa_amd_profiling_set_profiler_enabled_fn(hsa, enable);
}

bool hsax_queues_hook(const hsax_api_table_t *table, const hsax_dispatch_client_t *who)
{
    if (!hsax.amd_ext.hsa_amd_queue_intercept_create_fn ||
        !hsax.amd_ext.hsa_amd_queue_intercept_register_fn) {
        base_error("the HSA runtime has no intercept queues: kernel dispatches cannot be traced");
        return false;
    }
    client = who;
    queues = NULL; /* of a runtime that was shut down, with its lanes */
    HSAX_HOOK_CORE(table, hsa_queue_create, create_queue);
    HSAX_HOOK_CORE(table, hsa_queue_destroy, destroy_queue);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_profiling_set_profiler_enabled, set_profiler_enabled);
    return true;
}
