/* queue.c - creation and destruction of queues, and the thread that serves each of them.
 *
 * The thread calls the step function of aql.c or sdma.c, which executes packets and returns the
 * event for which the queue waits. Waiting is the same for every kind of queue: the thread spins at
 * first, then sleeps for growing times, and at last sleeps until the doorbell watch wakes it. */
#include "softgpu/check/check.h"
#include "softgpu/device/futex.h"
#include "softgpu/memory/guard.h"
#include "softgpu/device/stall.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <hsa/amd_hsa_queue.h>

enum {
    HOT_NS = 50000,       /* an idle queue spins for this time before it sleeps */
    RELAX_NS = 5000,      /* the same time while a dispatch runs, whose worker may need this core */
    LINGER_NS = 10000000, /* after this time the doorbell watch takes over from short sleeps */
    PAUSE_MIN_NS = 5000,
    PAUSE_MAX_NS = 300000,
    PAUSE_SHARE = 16, /* a pause is 1/16 of the time waited so far */
    MAX_TEXT = 256
};

/* ---- functions for other files ---- */

bool sg_queue_stopping(const sg_queue_t *q)
{
    return atomic_load_explicit(&q->stop, memory_order_acquire) ||
           atomic_load_explicit(&q->failed, memory_order_acquire);
}

void sg_queue_notify(sg_queue_t *q)
{
    sg_futex_bump(&q->wake);
}

void sg_queue_unref(sg_queue_t *q)
{
    if (atomic_fetch_sub_explicit(&q->refs, 1, memory_order_acq_rel) != 1) return;
    sg_aql_free(q);
    chk_line_free(q->order);
    free(q);
}

void sg_queue_fail(sg_queue_t *q, sg_queue_error_t what, uint64_t hsa_code, const char *format, ...)
{
    char text[MAX_TEXT];
    va_list args;
    if (atomic_exchange(&q->failed, true)) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    chk_flush(); /* writes findings now: the runtime may abort the program */
    q->device->ops.queue_error(q->device->ops.user, q, what, hsa_code, text);
    if (q->params.kind == SG_QUEUE_AQL && hsa_code) {
        const amd_queue_t *aq =
            sg_memory_host(q->device->memory, sg_aql_descriptor(q), sizeof *aq, 0);
        if (aq) sg_signal_store(q->device, aq->queue_inactive_signal.handle, (int64_t)hsa_code);
    }
    sg_queue_notify(q);
}

void sg_queue_fault(sg_queue_t *q, uint64_t va, uint32_t flags)
{
    if (atomic_exchange(&q->failed, true)) return;
    chk_flush(); /* writes findings now: the runtime may abort the program */
    q->device->ops.memory_fault(q->device->ops.user, va, flags);
    sg_queue_notify(q);
}

uint64_t sg_queue_doorbell(const sg_queue_t *q)
{
    const sg_device_t *d = q->device;
    size_t slot = q->params.doorbell_slot;
    return d->doorbells && slot < d->doorbell_bytes / 8 ? atomic_load(&d->doorbells[slot]) : 0;
}

/* ---- waiting ---- */

static uint64_t pause_after(uint64_t waited)
{
    uint64_t ns = waited / PAUSE_SHARE;
    return ns < PAUSE_MIN_NS ? PAUSE_MIN_NS : ns > PAUSE_MAX_NS ? PAUSE_MAX_NS : ns;
}

/* Sleeps for a short time. Not sched_yield(): that gives milliseconds to the other threads on this
 * core, often to a thread of the program that spins until this thread has made progress. After a
 * short sleep this thread gets the core back soon. */
static void spin(void)
{
    for (unsigned i = 0; i < 16; i++)
        sg_cpu_relax();
}

/* Stores to memory are not announced, so the sleep has a time-out. The completion of a packet wakes
 * the queue. */
static void wait_for_memory(sg_device_t *d, uint32_t activity, uint64_t waited)
{
    atomic_fetch_add(&d->activity_waiters, 1);
    sg_futex_wait(&d->activity, activity, pause_after(waited));
    atomic_fetch_sub(&d->activity_waiters, 1);
}

bool sg_queue_pause(sg_queue_t *q, sg_patience_t *p)
{
    uint64_t now = sg_device_clock();
    if (!p->since) p->since = now;
    if (now - p->since < RELAX_NS)
        spin();
    else
        wait_for_memory(q->device, p->activity, now - p->since);
    p->activity =
        atomic_load(&q->device->activity); /* before the caller reads the memory again: futex.h */
    return !sg_queue_stopping(q);
}

static void wait_for(sg_queue_t *q, sg_step_t step, uint32_t wake, uint32_t activity,
                     uint64_t waited)
{
    sg_watch_t *watch = q->device->watch;
    switch (step) {
    case SG_STEP_WORKED: break;
    case SG_STEP_POLL:
        if (waited > LINGER_NS) sg_watch_add(watch, q);
        if (waited < RELAX_NS)
            spin();
        else
            wait_for_memory(q->device, activity, waited);
        break;
    case SG_STEP_IDLE:
    case SG_STEP_BUSY:
        if (waited < (step == SG_STEP_IDLE ? HOT_NS : RELAX_NS))
            spin();
        else if (waited < LINGER_NS)
            sg_futex_wait(&q->wake, wake, pause_after(waited));
        else
            sg_watch_wait(watch, q, wake);
        break;
    case SG_STEP_DEAD:
        sg_watch_add(watch, q);
        sg_futex_wait(&q->wake, wake, 0);
        break;
    }
}

/* Runs one step. An access to memory that the program has unmapped is a memory fault. */
static sg_step_t guarded_step(sg_queue_t *q)
{
    sg_guard_t g;
    if (!sg_guard_enter(&g, q->device->memory)) return q->step(q);
    if (sigsetjmp(g.back, 0)) {
        sg_queue_fault(q, g.va, g.write ? ISA_FAULT_WRITE : ISA_FAULT_READ);
        return SG_STEP_DEAD;
    }
    const sg_step_t step = q->step(q);
    sg_guard_leave(&g);
    return step;
}

static void *queue_main(void *arg)
{
    sg_queue_t *q = arg;
    uint64_t quiet = 0;
    for (;;) {
        uint32_t wake = atomic_load(
            &q->wake); /* both words are read before `stop` and before the step: futex.h */
        uint32_t activity = atomic_load(&q->device->activity);
        if (atomic_load_explicit(&q->stop, memory_order_acquire)) break;
        if (!atomic_load(&q->waiting)) atomic_store(&q->doorbell_seen, sg_queue_doorbell(q));
        sg_step_t step = guarded_step(q);
        if (step == SG_STEP_WORKED) {
            sg_stall_moved();
            sg_watch_remove(q->device->watch, q);
            quiet = 0;
            continue;
        }
        uint64_t now = sg_device_clock();
        if (!quiet) quiet = now;
        bool watched = now - quiet > LINGER_NS;
        wait_for(q, step, wake, activity, now - quiet);
        if (watched && !atomic_load(&q->waiting)) quiet = 0; /* the watch has woken this thread */
    }
    sg_watch_remove(q->device->watch, q);
    if (q->params.kind == SG_QUEUE_AQL) sg_aql_stop(q); /* only AQL queues have dispatches */
    sg_worker_release(&q->worker);
    return NULL;
}

/* ---- device.h ---- */

static bool ring_fits(const sg_queue_t *q, uint64_t va, uint64_t bytes)
{
    if (q->params.kind == SG_QUEUE_AQL) return sg_aql_ring_fits(q->device, va, bytes);
    return bytes && bytes % sizeof(uint32_t) == 0 &&
           sg_object_at(q->device, va, bytes, sizeof(uint32_t), 0);
}

static int init_kind(sg_queue_t *q)
{
    const sg_queue_params_t *p = &q->params;
    const sg_device_t *d = q->device;
    if (p->kind != SG_QUEUE_PM4 && !ring_fits(q, p->ring_va, p->ring_bytes)) return -EINVAL;
    switch (p->kind) {
    case SG_QUEUE_AQL: q->step = sg_aql_step; return sg_aql_init(q);
    case SG_QUEUE_SDMA:
        q->step = sg_sdma_step;
        if (!SG_OBJECT_AT(d, p->write_ptr_va, uint64_t, 0) ||
            !SG_OBJECT_AT(d, p->read_ptr_va, uint64_t, SG_MEM_WRITABLE))
            return -EINVAL;
        return 0;
    case SG_QUEUE_PM4: break;
    }
    return -EOPNOTSUPP;
}

static void link_queue(sg_device_t *d, sg_queue_t *q)
{
    pthread_mutex_lock(&d->lock);
    q->next_queue = d->queues;
    d->queues = q;
    pthread_mutex_unlock(&d->lock);
    sg_watch_changed(d->watch);
}

static void unlink_queue(sg_device_t *d, sg_queue_t *q)
{
    pthread_mutex_lock(&d->lock);
    sg_queue_t **link = &d->queues;
    while (*link && *link != q)
        link = &(*link)->next_queue;
    if (*link) *link = q->next_queue;
    pthread_mutex_unlock(&d->lock);
    sg_watch_changed(d->watch);
}

/* The first packet's doorbell value is 0, which must differ from the doorbell's old value. */
static void reset_doorbell(const sg_queue_t *q)
{
    const sg_device_t *d = q->device;
    size_t slot = q->params.doorbell_slot;
    if (d->doorbells && slot < d->doorbell_bytes / 8) atomic_store(&d->doorbells[slot], UINT64_MAX);
}

static int ensure_watch(sg_device_t *d)
{
    pthread_mutex_lock(&d->lock);
    if (!d->watch) d->watch = sg_watch_create(d);
    int error = d->watch ? 0 : -ENOMEM;
    pthread_mutex_unlock(&d->lock);
    return error;
}

int sg_queue_create(sg_device_t *d, const sg_queue_params_t *p, void *user, sg_queue_t **out)
{
    static const char *const names[] = {"sg-aql-%u", "sg-pm4-%u", "sg-sdma-%u"};
    char name[16];
    sg_queue_t *q = calloc(1, sizeof *q);
    if (!q) return -ENOMEM;
    q->device = d;
    q->params = *p;
    q->user = user;
    atomic_init(&q->refs, 1);
    atomic_init(&q->ring_va, p->ring_va);
    atomic_init(&q->ring_bytes, p->ring_bytes);
    atomic_init(&q->percent, p->percent);
    int error = init_kind(q);
    if (!error) error = ensure_watch(d);
    if (error) goto out;
    q->order = chk_line_create(p->kind == SG_QUEUE_AQL ? sg_aql_descriptor(q) : 0);

    reset_doorbell(q);
    link_queue(d, q);
    snprintf(name, sizeof name, names[p->kind], p->doorbell_slot & 0xffffu);
    error = -sg_thread_start(&q->thread, name, queue_main, q);
    if (error) {
        unlink_queue(d, q);
        goto out;
    }
    *out = q;
    q = NULL;
out:
    if (q) sg_queue_unref(q);
    return error;
}

void *sg_queue_user(const sg_queue_t *q)
{
    return q->user;
}

int sg_queue_update(sg_queue_t *q, uint64_t ring_va, uint64_t ring_bytes, uint32_t percent)
{
    if (ring_bytes && !ring_fits(q, ring_va, ring_bytes)) return -EINVAL;
    if (ring_bytes) {
        atomic_store(&q->ring_va, ring_va);
        atomic_store(&q->ring_bytes, ring_bytes);
    }
    atomic_store(&q->percent, percent);
    sg_queue_notify(q);
    return 0;
}

int sg_queue_set_cu_mask(sg_queue_t *q, const uint32_t *mask, uint32_t bits)
{
    bool any = false;
    if (bits > SG_CU_MAX) bits = SG_CU_MAX;
    for (uint32_t word = 0; word < SG_CU_MAX / 64;
         word++) { /* all words are written, since the previous mask may have been longer */
        uint64_t low = word * 64 < bits ? mask[2 * word] : 0;
        uint64_t high = word * 64 + 32 < bits ? mask[2 * word + 1] : 0;
        atomic_store(&q->cu_mask[word], low | high << 32);
        any |= low || high;
    }
    atomic_store_explicit(&q->cu_masked, any, memory_order_release);
    return 0;
}

void sg_queue_destroy(sg_queue_t *q)
{
    unlink_queue(q->device, q);
    atomic_store_explicit(&q->stop, true, memory_order_release);
    sg_queue_notify(q);
    sg_device_stir(q->device);
    pthread_join(q->thread, NULL);
    sg_queue_unref(q);
}
