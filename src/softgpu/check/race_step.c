/* race_step.c - running workgroups, and whether a store that a workgroup has checked is executed
 * yet.
 *
 * Each workgroup has a step counter, which is odd from the check of a store until the next
 * instruction that is checked. Threads of other workgroups read the counter when the store
 * conflicts with an access of theirs. */
#include "softgpu/check/race.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { WORKERS = 256 }; /* workgroups beyond this many are not waited for */

struct race_worker {
    _Alignas(64) _Atomic(race_state_t *) state; /* NULL: the entry is free */
    _Atomic uint32_t owner, step;
    _Atomic bool waits; /* for another workgroup's store */
};

static race_worker_t workers[WORKERS];

static race_worker_t *worker_of(race_state_t *s)
{
    for (unsigned k = 0; k < WORKERS; k++) {
        race_state_t *now = NULL;
        if (atomic_compare_exchange_strong(&workers[k].state, &now, s) || now == s)
            return &workers[k];
    }
    return NULL;
}

void race_step_enter(race_state_t *s)
{
    if (!s->worker && !(s->worker = worker_of(s))) return;
    race_step(s);
    atomic_store(&s->worker->waits,
                 false); /* the previous workgroup may have been ended while it waited */
    atomic_store_explicit(&s->worker->owner, s->owner, memory_order_release);
}

void race_step_leave(race_state_t *s)
{
    if (!s->worker) return;
    atomic_store(&s->worker->owner, 0);
    atomic_store(&s->worker->state, NULL);
    s->worker = NULL;
}

static void count_to(race_state_t *s, uint32_t odd)
{
    if (!s->worker) return;
    const uint32_t step = atomic_load_explicit(&s->worker->step, memory_order_relaxed);
    if (step % 2 != odd) atomic_store_explicit(&s->worker->step, step + 1, memory_order_release);
}

void race_step(race_state_t *s)
{
    count_to(s, 0);
}

void race_step_stores(race_state_t *s)
{
    count_to(s, 1);
}

/* ---- waiting for another workgroup ---- */

race_awaited_t race_step_of(const race_state_t *s, uint32_t owner)
{
    race_awaited_t a = {0};
    for (unsigned k = 0; owner != s->owner && k < WORKERS; k++) {
        if (atomic_load_explicit(&workers[k].owner, memory_order_acquire) != owner) continue;
        a.step = atomic_load_explicit(&workers[k].step, memory_order_acquire);
        if (a.step % 2) a.worker = &workers[k];
        a.owner = owner;
        break;
    }
    return a;
}

static bool is_at_step(const race_awaited_t *a)
{
    return a->worker && atomic_load_explicit(&a->worker->step, memory_order_acquire) == a->step;
}

race_turn_t race_step_turn(race_state_t *s, race_awaited_t *a)
{
    enum { YIELDS = 16, TURNS = 3000 }; /* 0.3 s in all: the other thread may be descheduled */
    static const struct timespec turn = {.tv_nsec = 100 * 1000};
    if (!is_at_step(a) || a->turns++ == TURNS) return RACE_TURN_OVER;
    if (s->worker) atomic_store(&s->worker->waits, true);
    if (atomic_load(&a->worker->waits) && s->owner < a->owner) return RACE_TURN_ITS;
    if (a->turns < YIELDS)
        sched_yield();
    else
        nanosleep(&turn, NULL);
    return RACE_TURN_AGAIN;
}

void race_step_waited(race_state_t *s)
{
    if (s->worker) atomic_store(&s->worker->waits, false);
}
