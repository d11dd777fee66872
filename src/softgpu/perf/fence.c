/* fence.c - fences of packets, in the order in which their queue has them; the model's lock.
 *
 * Apart because packets are processed while dispatches before them may still be modelled: a fence
 * then waits behind the last of them. Before anything has been modelled a fence is one load. What a
 * fence does to the caches is cache.h's; which packet does which is in docs/counter-model.md. */
#include "softgpu/perf/internal.h"

#include <stdlib.h>

struct sg_fence {
    sg_fence_t *next;
    uint32_t coher_cntl; /* actions of ACQUIRE_MEM, besides the scopes */
    uint8_t acquire, release;
};

enum { TC_NC = 1 << 3, TCL1_VOL = 1 << 15, TC_WB = 1 << 18, TCL1 = 1 << 22, TC = 1 << 23 };

/* ---- the lock ---- */

/* Whoever waits has `next` and is the next to get the lock: the worker, which lets go only to take
 * it again, cannot keep queues from their packets for as long as a kernel runs. */
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

static void take_place(sg_perf_t *p, const sg_fence_t *f)
{
    sgc_t *caches = atomic_load_explicit(&p->caches, memory_order_relaxed);
    if (f->coher_cntl) sgc_acquire_mem(caches, f->coher_cntl);
    sgc_acquire(caches, f->acquire);
    sgc_release(caches, f->release);
}

void sg_perf_enqueue(sg_perf_t *p, sg_place_in_order_t *at, const void *queue)
{
    *at = (sg_place_in_order_t){.older = p->in_flight, .queue = queue};
    at->last = &at->fences;
    p->in_flight = at;
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
        take_place(p, f);
        free(f);
    }
}

/* Behind the last dispatch of the queue that is still modelled; at once if there is none, or no
 * memory to wait. */
static void put(sg_perf_t *p, const void *queue, sg_fence_t fence)
{
    sg_perf_model_lock(p);
    sg_place_in_order_t *at = p->in_flight;
    while (at && at->queue != queue)
        at = at->older;
    sg_fence_t *copy = at ? malloc(sizeof *copy) : NULL;
    if (copy) {
        *copy = fence;
        *at->last = copy;
        at->last = &copy->next;
    } else {
        take_place(p, &fence);
    }
    sg_perf_model_unlock(p);
}

static bool any_cache(const sg_perf_t *p)
{
    return atomic_load_explicit(&p->caches, memory_order_acquire);
}

/* ---- what packets ask for ---- */

void sg_perf_fence(sg_perf_t *p, const void *queue, unsigned acquire, unsigned release)
{
    if ((acquire || release) && any_cache(p))
        put(p, queue, (sg_fence_t){.acquire = (uint8_t)acquire, .release = (uint8_t)release});
}

/* Of L2 the packet means its range alone. A small one is a buffer that the command processor has
 * written, of which the modelled L2 knows nothing. */
void sg_perf_acquire_mem(sg_perf_t *p, const void *queue, uint32_t coher_cntl, uint64_t blocks)
{
    const uint64_t whole = UINT64_C(0xffffffff); /* a tebibyte */
    if (blocks < whole) coher_cntl &= ~(uint32_t)(TC_NC | TC_WB | TC);
    if (coher_cntl && any_cache(p)) put(p, queue, (sg_fence_t){.coher_cntl = coher_cntl});
}

void sg_perf_release_mem(sg_perf_t *p, const void *queue, uint32_t control)
{
    static const struct {
        uint8_t bit; /* of RELEASE_MEM */
        uint32_t coher_cntl;
    } actions[] = {{12, TCL1_VOL}, {15, TC_WB}, {16, TCL1}, {17, TC}, {19, TC_NC}};
    uint32_t coher_cntl = 0;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (control >> actions[i].bit & 1) coher_cntl |= actions[i].coher_cntl;
    if (coher_cntl && any_cache(p)) put(p, queue, (sg_fence_t){.coher_cntl = coher_cntl});
}
