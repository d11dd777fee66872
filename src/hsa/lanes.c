/* lanes.c - the producers' side of lanes (collect.h), and the items with their signals.
 *
 * take and submit are on the path of every traced launch: they take no lock and make no system call
 * except to wake a sleeping collector. The collector, which waits for completion, is in
 * collect.c. */
#include "hsa/lane.h"

#include "base/log.h"
#include "hsa/tables/tables.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHUNK            64           /* items that are made at once */
#define TAKE_PATIENCE_NS 1000000000LL /* how long a producer waits whose lane is full */

hsa_agent_t hsax_lane_agent(const hsax_lane_t *lane)
{
    return lane->agent;
}

hsax_lane_t *hsax_lane_new(const hsax_lane_ops_t *ops, hsa_agent_t agent, unsigned limit)
{
    hsax_lane_t *lane = aligned_alloc(64, sizeof *lane);
    if (!lane) return NULL;
    memset(lane, 0, sizeof *lane);
    lane->flying_end = &lane->flying;
    lane->ops = *ops;
    lane->agent = agent;
    lane->limit = limit;
    lane->item_size = (sizeof(hsax_item_t) + ops->client_size + 63) & ~(size_t)63;
    return lane;
}

static void push(_Atomic(hsax_item_t *) *stack, hsax_item_t *first, hsax_item_t *last)
{
    hsax_item_t *head = atomic_load_explicit(stack, memory_order_relaxed);
    do
        last->next = head;
    while (!atomic_compare_exchange_weak_explicit(stack, &head, first, memory_order_seq_cst,
                                                  memory_order_relaxed));
}

void hsax_lane_recycle(hsax_lane_t *lane, hsax_item_t *first, hsax_item_t *last)
{
    push(&lane->recycled, first, last);
}

bool hsax_make_signal(hsa_signal_t *signal)
{
    /* GPU_ONLY makes the signal a plain word of memory: there is no kernel event, and no interrupt
     * when its value drops. */
    hsa_status_t status =
        hsax.amd_ext.hsa_amd_signal_create_fn
            ? hsax.amd_ext.hsa_amd_signal_create_fn(1, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, signal)
            : hsax.core.hsa_signal_create_fn(1, 0, NULL, signal);
    if (status == HSA_STATUS_SUCCESS) return true;
    base_warning("no signal for tracing GPU work (HSA status 0x%x)", status);
    return false;
}

/* Returns up to CHUNK new items as a list, NULL at the lane's limit. Called by producer and
 * collector. */
static hsax_item_t *make_items(hsax_lane_t *lane)
{
    unsigned from = atomic_fetch_add(&lane->made, CHUNK);
    if (from >= lane->limit) {
        atomic_fetch_sub(&lane->made, CHUNK);
        return NULL;
    }
    hsax_item_t *first = NULL;
    size_t size = sizeof(hsax_chunk_t) + CHUNK * lane->item_size;
    hsax_chunk_t *chunk = aligned_alloc(64, size);
    if (chunk) memset(chunk, 0, size);
    for (unsigned i = 0; chunk && i < CHUNK; i++) {
        hsax_item_t *item = (hsax_item_t *)(void *)(chunk->items + i * lane->item_size);
        if (!hsax_make_signal(&item->signal)) break;
        item->lane = lane;
        item->next = first;
        first = item;
    }
    if (!first) {
        free(chunk);
        atomic_fetch_sub(&lane->made, CHUNK);
        return NULL;
    }
    chunk->next = atomic_load_explicit(&lane->chunks, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&lane->chunks, &chunk->next, chunk)) {
    }
    return first;
}

bool hsax_lane_grow(hsax_lane_t *lane)
{
    hsax_item_t *fresh = make_items(lane), *last = fresh;
    if (!fresh) return false;
    while (last->next)
        last = last->next;
    push(&lane->recycled, fresh, last);
    return true;
}

static hsax_item_t *take_recycled(hsax_lane_t *lane)
{
    return atomic_exchange_explicit(&lane->recycled, NULL, memory_order_acquire);
}

/* Waits for the collector, in short steps, for a while, since the lane is at its limit. */
static hsax_item_t *wait_for_item(hsax_lane_t *lane)
{
    uint64_t end = base_clock_ns(CLOCK_MONOTONIC) + TAKE_PATIENCE_NS;
    while (hsax_collecting() && base_clock_ns(CLOCK_MONOTONIC) < end) {
        hsax_collector_kick();
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        hsax_item_t *items = take_recycled(lane);
        if (items) return items;
    }
    return NULL;
}

static void forget_special(hsax_item_t *item)
{
    item->special = item->anonymous = item->alone = item->follows = false;
    item->last.handle = 0;
    item->wrap = NULL;
    item->mark = NULL;
    item->turn = (hsax_turn_t){0};
}

hsax_item_t *hsax_lane_take(hsax_lane_t *lane)
{
    if (!lane->free) lane->free = take_recycled(lane);
    if (!lane->free) lane->free = make_items(lane);
    if (!lane->free) lane->free = wait_for_item(lane);
    hsax_item_t *item = lane->free;
    if (!item) return NULL;
    lane->free = item->next;
    item->program_signal.handle = 0;
    if (item->special) forget_special(item);
    return item;
}

void hsax_lane_untake(hsax_item_t *item)
{
    item->next = item->lane->free;
    item->lane->free = item;
}

void hsax_lane_submit(hsax_item_t *item)
{
    hsax_lane_t *lane = item->lane;
    bool urgent = item->urgent = item->program_signal.handle || item->special;
    atomic_store_explicit(&lane->submitted,
                          atomic_load_explicit(&lane->submitted, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    push(&lane->pending, item, item);
    /* Both sides write one word, then read the other's, all in one order (seq_cst): either this
     * thread sees that the collector goes to sleep, or the collector's last scan sees the item. */
    int seen = atomic_load(&hsax_collector_state);
    if (seen < HSAX_LONG_NAP || (seen == HSAX_LONG_NAP && !urgent)) return;
    if (atomic_compare_exchange_strong(&hsax_collector_state, &seen, HSAX_AWAKE))
        hsax_collector_kick();
}

static void destroy_list(hsax_item_t *item)
{
    for (; item; item = item->next)
        hsax.core.hsa_signal_destroy_fn(item->signal);
}

void hsax_lane_free(hsax_lane_t *lane)
{
    destroy_list(lane->free);
    destroy_list(take_recycled(lane));
    if (lane->flying_count) return;
    for (hsax_chunk_t *chunk = atomic_load(&lane->chunks), *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(lane);
}
