/* events.c - the driver's events, on which host threads sleep until the GPU raises an interrupt.
 *
 * They behave like those of the kernel's kfd_events.c: raising an event activates every registered
 * waiter, and an auto-reset event stays signalled only if there is no waiter. One mutex guards
 * events and waiters. Each waiter sleeps on a futex of its own, so that raising wakes only its
 * waiters.
 *
 * One rule differs from the driver's. In a runtime that does not use the ages of events (ROCr
 * before 5.6), several signals share one event. Between reading its signal and beginning to wait, a
 * thread can lose the event to a thread that waits for another signal; with the driver it then
 * sleeps for ever, which a loaded host makes likely. Here the next wait of another thread completes
 * as well. Runtimes read their signals after each wait, so a spurious completion has no effect. */
#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    N_SIGNAL_EVENTS = KFD_SIGNAL_EVENT_LIMIT, /* ids 1 to 4095, which are also the numbers of their
                                                 mailbox slots */
    N_OTHER_EVENTS = 1024,
    N_EVENTS = N_SIGNAL_EVENTS + N_OTHER_EVENTS,
    LINKS_ON_STACK = 32,
    WAKES_AT_ONCE = 16
};

static const uint64_t slot_unsignaled = UINT64_MAX; /* the driver's value of an idle mailbox */
static const uint64_t page_offset = 2ull << 62;     /* the driver's mmap type for the event page */

typedef struct event event_t;
typedef struct waiter waiter_t;

/* An event that a waiter waits for: an element of the event's list of waiters. */
typedef struct link {
    waiter_t *waiter;
    event_t *event; /* NULL if it has been destroyed during the wait */
    struct link *next, **self;
    bool activated;
} link_t;

struct waiter {
    _Atomic uint32_t done; /* the futex */
    bool all;
    uint32_t n_links, n_active;
    pid_t thread;
};

struct event {
    uint32_t id, type;
    bool auto_reset, signaled;
    pid_t taken_by; /* the thread that consumed the last raise; 0: another thread's wait has
                       completed since */
    uint64_t age;
    link_t *waiters;
    struct kfd_hsa_memory_exception_data fault;
};

struct kfd_events {
    pthread_mutex_t lock;
    event_t *rows[N_EVENTS]; /* index is the id */
    uint32_t next_signal;    /* where the search for a free id begins */
    uint64_t *page;
    size_t page_slots;
};

kfd_events_t *kfd_events_create(void)
{
    kfd_events_t *e = calloc(1, sizeof(*e));
    if (e) pthread_mutex_init(&e->lock, NULL);
    return e;
}

void kfd_events_set_page(kfd_events_t *e, uint64_t *page, size_t bytes)
{
    pthread_mutex_lock(&e->lock);
    e->page = page;
    e->page_slots = bytes / sizeof(*page);
    for (size_t i = 0; i < e->page_slots; i++)
        page[i] = slot_unsignaled;
    pthread_mutex_unlock(&e->lock);
}

/* ---- under the lock ---- */

static event_t *find(kfd_events_t *e, uint32_t id)
{
    return id < N_EVENTS ? e->rows[id] : NULL;
}

static uint32_t free_id(kfd_events_t *e, uint32_t begin, uint32_t end, uint32_t from)
{
    for (uint32_t i = 0; i < end - begin; i++) {
        uint32_t id = begin + (from + i) % (end - begin);
        if (!e->rows[id]) return id;
    }
    return 0;
}

static void wake(_Atomic uint32_t *futex)
{
    syscall(SYS_futex, futex, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Futexes of threads that are woken after the lock has been released, since each needs the lock at
 * once. A waiter may have returned by then: its stack may hold another futex at that address, whose
 * waiters expect spurious wakes. */
typedef struct {
    _Atomic uint32_t *futexes[WAKES_AT_ONCE];
    unsigned n;
} wakes_t;

static void finish_waiter(waiter_t *w, wakes_t *wakes)
{
    if (atomic_exchange_explicit(&w->done, 1, memory_order_release)) return;
    if (wakes->n < WAKES_AT_ONCE)
        wakes->futexes[wakes->n++] = &w->done;
    else
        wake(&w->done);
}

static void wake_all(const wakes_t *wakes)
{
    for (unsigned i = 0; i < wakes->n; i++)
        wake(wakes->futexes[i]);
}

static void activate(link_t *link)
{
    if (!link->activated) {
        link->activated = true;
        link->waiter->n_active++;
    }
}

static bool is_complete(const waiter_t *w)
{
    return w->all ? w->n_active == w->n_links : w->n_active > 0;
}

static void signal_event(event_t *ev, wakes_t *wakes)
{
    ev->signaled = !ev->auto_reset || !ev->waiters;
    if (++ev->age == 0) ev->age = 2; /* waiters pass 0 for no age; 1: never signalled */
    for (link_t *link = ev->waiters; link; link = link->next) {
        activate(link);
        ev->taken_by = link->waiter->thread;
        if (is_complete(link->waiter)) finish_waiter(link->waiter, wakes);
    }
}

static void enter_list(link_t *link, event_t *ev)
{
    link->self = &ev->waiters;
    link->next = ev->waiters;
    if (link->next) link->next->self = &link->next;
    ev->waiters = link;
}

static void leave_list(link_t *link)
{
    if (!link->self) return;
    *link->self = link->next;
    if (link->next) link->next->self = link->self;
    link->self = NULL;
}

/* ---- the ioctls ---- */

int kfd_event_create(kfd_events_t *e, struct kfd_ioctl_create_event_args *args)
{
    bool is_signal =
        args->event_type == KFD_IOC_EVENT_SIGNAL || args->event_type == KFD_IOC_EVENT_DEBUG_EVENT;
    event_t *ev = calloc(1, sizeof(*ev));
    if (!ev) return -ENOMEM;
    pthread_mutex_lock(&e->lock);
    uint32_t id = is_signal ? free_id(e, 1, N_SIGNAL_EVENTS, e->next_signal)
                            : free_id(e, N_SIGNAL_EVENTS, N_EVENTS, 0);
    if (id) {
        *ev = (event_t){
            .id = id, .type = args->event_type, .auto_reset = args->auto_reset != 0, .age = 1};
        e->rows[id] = ev;
        args->event_id = id;
        args->event_trigger_data = id;
        args->event_slot_index = is_signal ? id : 0;
        args->event_page_offset = is_signal ? page_offset : 0;
        if (is_signal) {
            e->next_signal = id; /* free_id() counts from 0: the search begins at id + 1 */
            if (id < e->page_slots) e->page[id] = slot_unsignaled;
        }
    }
    pthread_mutex_unlock(&e->lock);
    if (!id) free(ev);
    return id ? 0 : -ENOSPC;
}

int kfd_event_destroy(kfd_events_t *e, uint32_t id)
{
    wakes_t wakes = {.n = 0};
    pthread_mutex_lock(&e->lock);
    event_t *ev = find(e, id);
    if (ev) {
        e->rows[id] = NULL;
        while (ev->waiters) {
            link_t *link = ev->waiters;
            link->event = NULL;
            leave_list(link);
            finish_waiter(link->waiter, &wakes);
        }
    }
    pthread_mutex_unlock(&e->lock);
    wake_all(&wakes);
    free(ev);
    return ev ? 0 : -EINVAL;
}

int kfd_event_set(kfd_events_t *e, uint32_t id)
{
    wakes_t wakes = {.n = 0};
    pthread_mutex_lock(&e->lock);
    event_t *ev = find(e, id);
    bool settable = ev && ev->type == KFD_IOC_EVENT_SIGNAL;
    if (settable) signal_event(ev, &wakes);
    pthread_mutex_unlock(&e->lock);
    wake_all(&wakes);
    return settable ? 0 : -EINVAL;
}

int kfd_event_reset(kfd_events_t *e, uint32_t id)
{
    pthread_mutex_lock(&e->lock);
    event_t *ev = find(e, id);
    bool resettable = ev && ev->type == KFD_IOC_EVENT_SIGNAL;
    if (resettable) ev->signaled = false;
    pthread_mutex_unlock(&e->lock);
    return resettable ? 0 : -EINVAL;
}

void kfd_events_raise(kfd_events_t *e, uint32_t id)
{
    wakes_t wakes = {.n = 0};
    pthread_mutex_lock(&e->lock);
    event_t *ev = find(e, id);
    if (ev) {
        if (id < e->page_slots) __atomic_store_n(&e->page[id], slot_unsignaled, __ATOMIC_RELAXED);
        signal_event(ev, &wakes);
    }
    pthread_mutex_unlock(&e->lock);
    wake_all(&wakes);
}

bool kfd_events_memory_fault(kfd_events_t *e, const struct kfd_hsa_memory_exception_data *fault)
{
    bool any = false;
    wakes_t wakes = {.n = 0};
    pthread_mutex_lock(&e->lock);
    for (size_t id = N_SIGNAL_EVENTS; id < N_EVENTS; id++)
        if (e->rows[id] && e->rows[id]->type == KFD_IOC_EVENT_MEMORY) {
            e->rows[id]->fault = *fault;
            signal_event(e->rows[id], &wakes);
            any = true;
        }
    pthread_mutex_unlock(&e->lock);
    wake_all(&wakes);
    return any;
}

/* ---- waiting ---- */

/* Looks up the events of a wait, and which of them have been signalled already. False if an id is
 * unknown. */
static bool begin_wait(kfd_events_t *e, waiter_t *w, link_t *links,
                       const struct kfd_event_data *data, bool ages)
{
    for (uint32_t i = 0; i < w->n_links; i++)
        if (!find(e, data[i].event_id)) return false;
    for (uint32_t i = 0; i < w->n_links; i++) {
        event_t *ev = find(e, data[i].event_id);
        links[i] = (link_t){.waiter = w, .event = ev};
        uint64_t age = 0; /* last_event_age has the offset of the exception data */
        if (ages && ev->type == KFD_IOC_EVENT_SIGNAL) memcpy(&age, &data[i], sizeof(age));
        const bool lost = !age && ev->taken_by && ev->taken_by != w->thread;
        if (ev->signaled || lost || (age && age != ev->age)) activate(&links[i]);
        if (ev->signaled)
            ev->taken_by = w->thread;
        else if (lost)
            ev->taken_by = 0;
        if (ev->auto_reset) ev->signaled = false;
    }
    return true;
}

static void end_wait(waiter_t *w, link_t *links, bool complete)
{
    for (uint32_t i = 0; i < w->n_links; i++) {
        leave_list(&links[i]);
        /* a wait that failed leaves auto-reset events signalled */
        if (!complete && links[i].activated && links[i].event && links[i].event->auto_reset)
            links[i].event->signaled = true;
    }
}

static void copy_out(const waiter_t *w, const link_t *links, struct kfd_event_data *data, bool ages)
{
    for (uint32_t i = 0; i < w->n_links; i++) {
        const event_t *ev = links[i].event;
        if (!links[i].activated || !ev) continue;
        if (ev->type == KFD_IOC_EVENT_MEMORY)
            data[i].memory_exception_data = ev->fault;
        else if (ages && ev->type == KFD_IOC_EVENT_SIGNAL)
            memcpy(&data[i], &ev->age, sizeof(ev->age));
    }
}

/* Sleeps until the waiter is done or the time is over. */
static void sleep_until_done(waiter_t *w, uint32_t timeout_ms)
{
    struct timespec deadline;
    bool forever = timeout_ms == UINT32_MAX;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += timeout_ms / 1000;
    deadline.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000;
    }
    while (!atomic_load_explicit(&w->done, memory_order_acquire)) {
        long r = syscall(SYS_futex, &w->done, FUTEX_WAIT_BITSET_PRIVATE, 0,
                         forever ? NULL : &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
        if (r != 0 && errno == ETIMEDOUT) return;
    }
}

static bool any_destroyed(const waiter_t *w, const link_t *links)
{
    for (uint32_t i = 0; i < w->n_links; i++)
        if (!links[i].event) return true;
    return false;
}

int kfd_events_wait(kfd_events_t *e, struct kfd_ioctl_wait_events_args *args, bool ages)
{
    struct kfd_event_data *data = (struct kfd_event_data *)(uintptr_t)args->events_ptr;
    waiter_t w = {.all = args->wait_for_all != 0, .n_links = args->num_events, .thread = gettid()};
    link_t some[LINKS_ON_STACK], *links = some;
    args->wait_result = KFD_IOC_WAIT_RESULT_FAIL;
    if (args->num_events > LINKS_ON_STACK) links = calloc(args->num_events, sizeof(*links));
    if (!links) return -ENOMEM;

    int error = -EINVAL;
    pthread_mutex_lock(&e->lock);
    if (!data || w.n_links == 0 || !begin_wait(e, &w, links, data, ages)) goto out;
    if (!is_complete(&w) && args->timeout != 0) {
        for (uint32_t i = 0; i < w.n_links; i++)
            enter_list(&links[i], links[i].event);
        pthread_mutex_unlock(&e->lock);
        sleep_until_done(&w, args->timeout);
        pthread_mutex_lock(&e->lock);
    }
    error = any_destroyed(&w, links) ? -EIO : 0;
    end_wait(&w, links, error == 0 && is_complete(&w));
    if (error == 0) {
        args->wait_result =
            is_complete(&w) ? KFD_IOC_WAIT_RESULT_COMPLETE : KFD_IOC_WAIT_RESULT_TIMEOUT;
        copy_out(&w, links, data, ages);
    }
out:
    pthread_mutex_unlock(&e->lock);
    if (links != some) free(links);
    return error;
}
