/* fence.c - applies the fences of packets to the cache model, in the order of their queue. It also
 * has the model's lock.
 *
 * When a packet is processed, dispatches before it may still be modelled: its fence then waits for
 * the last of them. Until the first modelled dispatch a fence costs one atomic load. The functions
 * of cache.h write back and invalidate; docs/counter-model.md lists the operations that each packet
 * requests. */
#include "softgpu/perf/internal.h"

#include <stdlib.h>

/* A fence is packed into one word: its low half has the operations on the caches (SGC_INV_L1 and
 * others), the bits above have the scopes of an AQL header. A wider scope includes the narrower. */
enum { ACQUIRE_SHIFT = 32, RELEASE_SHIFT = 34, NONE = 0, AGENT = 1, SYSTEM = 3 };

struct sg_fence {
    sg_fence_t *next;
    uint64_t actions;
};

/* ---- the lock ---- */

/* A thread that waits for the lock holds `model_next`, so it is the next to get the lock. Otherwise
 * the worker that runs a kernel, which releases the lock only to take it again, could keep the
 * queues' threads waiting until the kernel ends. */
void sg_perf_model_lock(sg_perf_t *p)
{
    pthread_mutex_lock(&p->model_next);
    pthread_mutex_lock(&p->model_lock);
    pthread_mutex_unlock(&p->model_next);
}

void sg_perf_model_unlock(sg_perf_t *p)
{
    pthread_mutex_unlock(&p->model_lock);
}

/* ---- order ---- */

/* One of the fence's two scopes, by cache.h's numbers. */
static unsigned scope(uint64_t actions, unsigned shift)
{
    return (unsigned)__builtin_popcount(actions >> shift & SYSTEM);
}

static void take_place(sg_perf_t *p, uint64_t actions)
{
    sgc_t *caches = atomic_load_explicit(&p->caches, memory_order_relaxed);
    if ((uint32_t)actions) sgc_flush(caches, (uint32_t)actions);
    sgc_acquire(caches, scope(actions, ACQUIRE_SHIFT));
    sgc_release(caches, scope(actions, RELEASE_SHIFT));
    if (!p->in_flight) atomic_fetch_or(&p->fenced, actions);
}

void sg_perf_enqueue(sg_perf_t *p, sg_place_in_order_t *at, sg_perf_queue_t *queue)
{
    if (queue->waiting) take_place(p, queue->waiting);
    queue->waiting = 0;
    queue->modelled = true;
    *at = (sg_place_in_order_t){.older = p->in_flight, .queue = queue};
    at->last = &at->fences;
    p->in_flight = at;
    atomic_store(&p->fenced, 0);
}

void sg_perf_dequeue(sg_perf_t *p, sg_place_in_order_t *at)
{
    sg_place_in_order_t **link = &p->in_flight;
    while (*link != at)
        link = &(*link)->older;
    *link = at->older;
    while (at->fences) {
        sg_fence_t *f = at->fences;
        at->fences = f->next;
        take_place(p, f->actions);
        free(f);
    }
}

/* Whether the fence has no effect: no dispatch has used the caches since the same fence took place,
 * and no counter would count it. */
static bool has_no_effect(const sg_perf_t *p, const sg_perf_queue_t *queue, uint64_t actions)
{
    return !(actions & ~atomic_load(&p->fenced)) && sg_perf_level(p, queue) != SG_PERF_MODEL;
}

/* Queues a fence after the queue's last dispatch that is still modelled. If there is none, or
 * memory has run out, it takes place at once. Fences of a queue that is not counted, such as the
 * one in which the runtime copies, are deferred: their time relative to counted kernels is random,
 * and results have to be the same in every run. */
static void put(sg_perf_t *p, sg_perf_queue_t *queue, uint64_t actions)
{
    if (!actions || !atomic_load_explicit(&p->caches, memory_order_acquire)) return;
    if (!queue->modelled && !(queue->enable & 1)) {
        queue->waiting |= actions;
        return;
    }
    if (has_no_effect(p, queue, actions)) return;
    sg_perf_model_lock(p);
    sg_place_in_order_t *at = p->in_flight;
    while (at && at->queue != queue)
        at = at->older;
    sg_fence_t *f = at ? malloc(sizeof *f) : NULL;
    if (f) {
        *f = (sg_fence_t){.actions = actions};
        *at->last = f;
        at->last = &f->next;
    } else {
        take_place(p, actions);
    }
    sg_perf_model_unlock(p);
}

/* ---- fences of packets ---- */

void sg_perf_enable(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t value)
{
    const uint64_t waiting = queue->waiting;
    queue->enable = value;
    queue->waiting = 0;
    put(p, queue, waiting); /* defers them again if the queue is still not counted */
}

void sg_perf_fence(sg_perf_t *p, sg_perf_queue_t *queue, unsigned acquire, unsigned release)
{
    static const uint64_t scopes[] = {NONE, AGENT, SYSTEM, SYSTEM};
    put(p, queue, scopes[acquire & 3] << ACQUIRE_SHIFT | scopes[release & 3] << RELEASE_SHIFT);
}

/* An ACQUIRE_MEM of less than all of memory is for a buffer that the command processor has written,
 * as when counters are read. The model does not have such writes, and reading counters must not
 * change the caches, so the packet has no effect here. */
void sg_perf_acquire_mem(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t control, uint64_t blocks)
{
    const uint64_t whole = UINT64_C(0xffffffff); /* a tebibyte */
    if (blocks >= whole)
        put(p, queue, p->arch->gcr ? sgc_gcr_actions(control) : sgc_coher_actions(control));
}

/* A bit of a packet's control word, and the operation that it requests. */
typedef struct {
    uint8_t bit;
    uint8_t what; /* SGC_* */
} action_t;

/* gfx9: the bits TCL1_VOL, TC_WB, TCL1. gfx10 and later: GLV_INV, GL1_INV, GL2_INV, GL2_WB. */
static const action_t released[] = {{12, SGC_INV_L1}, {15, SGC_WB_L2}, {16, SGC_INV_L1}};
static const action_t released_gcr[] = {
    {14, SGC_INV_L1}, {15, SGC_INV_ARRAY}, {20, SGC_INV_L2}, {21, SGC_WB_L2}};

static uint32_t actions_of(const action_t *actions, size_t n, uint32_t control)
{
    uint32_t what = 0;
    for (size_t i = 0; i < n; i++)
        if (control >> actions[i].bit & 1) what |= actions[i].what;
    return what;
}

void sg_perf_release_mem(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t control)
{
    enum { TC = 1 << 17, TC_NC = 1 << 19 };
    uint32_t what;
    if (p->arch->gcr) {
        what = actions_of(released_gcr, sizeof released_gcr / sizeof *released_gcr, control);
    } else {
        what = actions_of(released, sizeof released / sizeof *released, control);
        if (control & TC) what |= control & TC_NC ? SGC_INV_L2_NC : SGC_INV_L2;
    }
    put(p, queue, what);
}
