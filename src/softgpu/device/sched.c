/* sched.c - the scheduler: assigns workgroups to worker threads.
 *
 * A run (a dispatch) hands out workgroup ids. A workgroup in flight is a box, which any worker can
 * continue. A box that has used its turn goes to the tail of the ready list. Its worker first
 * starts further workgroups if they fit on the modelled GPU. So workgroups that wait for each other
 * all get turns.
 *
 * Starting the next workgroup of the same run in the same place takes no lock; every other choice
 * takes the pool's lock once. A worker that finds no workgroup helps another with the waves of its
 * workgroup (team.h). */
#include "base/env.h"
#include "softgpu/device/futex.h"
#include "softgpu/device/stall.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLICE = 20000,     /* taken branches of a wave in one turn: about a millisecond */
    MANY_WAITING = 64, /* with more ready workgroups than this, turns get shorter */
    SHORT_SLICE = 500, /* but no shorter than this */
    FIRST_SLICE =
        2000, /* of a new workgroup: short, so that workgroups for which it may wait start soon */
    INLINE_SLICE = 2000, /* on the submitting thread, which has packets to process */
    INLINE_WAVES = 64,   /* larger dispatches go to the workers at once */
    INLINE_NS = 20000, /* after this time the workers share the workgroups that have not started */
    /* Ids that a worker fetches at once: a part of those that are left, so that the last ones are
       fetched one by one, but no more than this. The counters of a run are in lines that all
       workers write, once for each fetch. */
    PARTS_EACH = 8, /* for each worker */
    FETCH_MOST = 256,
    SHARE_NS = 50000, /* if workers are idle for so long, half of the ids that a thread has fetched
                         and not started are theirs: sooner, the wake would take longer than a
                         short workgroup */
    STALL_TURNS =
        4, /* if each ready workgroup had this many turns and none ended, one more starts */
    KEEP_BOXES = 2, /* idle boxes that a worker keeps for itself */
    /* If all waves that a worker finds are in s_sleep, the worker sleeps, too: as long as they
       requested, and up to three quarters of the time if that repeats, because a thread for which
       they wait may need this processor. */
    REST_LEAST_NS = 2000, /* no shorter: the host's sleep would take longer than requested */
    REST_MOST_NS =
        20000, /* no longer unless the waves requested more: they may have got what they wait for */
    REST_OWED_MOST_NS = 500000 /* limit of a sleep that the waves requested */
};
_Static_assert(SLICE + SHORT_SLICE <= ISA_SLICE_MOST, "counts of a turn do not fit (watch.h)");

struct sg_pool {
    sg_device_t *device;
    bool orderly;                    /* for modelled runs: see sg_pool_of_model() */
    pthread_mutex_t *lock;           /* of all pools of the device */
    sg_place_model_t *places;        /* of all pools of the device */
    sg_run_t *active, **active_tail; /* runs with ids to hand out, served in turn */
    sg_box_t *ready,
        **ready_tail; /* boxes that had a turn; the one that has waited longest is first */
    sg_box_t *idle;
    uint32_t n_active, n_ready;
    uint32_t turns; /* turns that have been taken since a workgroup last ended */
    /* Hints that are read without the lock. `pressure`: work other than the worker's present run
     * waits; `backlog`: any work waits. */
    _Alignas(64) _Atomic uint32_t pressure, backlog;
    sg_teams_t teams;                  /* workgroups whose waves idle workers may take */
    _Alignas(64) _Atomic uint32_t seq; /* futex: changes with every addition of work */
    _Atomic uint32_t sleepers;
    uint32_t n_threads;
    struct {
        _Alignas(64) sg_worker_t self;
    } workers[];
};

/* The work of a thread: a box, ids that it fetched from the box's run, and the number of workgroups
 * that it finished but has not subtracted from run->left yet. */
typedef struct {
    sg_box_t *box;
    sg_run_t *run;
    sg_range_t ids;
    uint64_t finished;
    int32_t slice;
    uint64_t idle_since;   /* when workers were first seen idle while it had ids; 0: they are not */
    uint32_t drowsy;       /* number of consecutive turns in which all waves only slept (s_sleep) */
    uint64_t drowsy_since; /* when the first of these turns ended, by the device clock */
    uint64_t rested;       /* nanoseconds since then that the thread has slept */
} job_t;

/* ---- lists; the pool's lock is held ---- */

static void update_hints(sg_pool_t *p)
{
    const bool others = p->n_active > 1 && !p->orderly;
    atomic_store_explicit(&p->pressure, p->n_ready + others, memory_order_relaxed);
    atomic_store_explicit(&p->backlog, p->n_ready + p->n_active, memory_order_relaxed);
}

static bool has_ids(const sg_run_t *run)
{
    return run->n_spare || atomic_load_explicit(&run->next, memory_order_relaxed) < run->total;
}

static void link_first(sg_pool_t *p, sg_run_t *run)
{
    run->next_active = p->active;
    if (p->active)
        p->active->link_active = &run->next_active;
    else
        p->active_tail = &run->next_active;
    run->link_active = &p->active;
    p->active = run;
    p->n_active++;
}

static void link_run(sg_pool_t *p, sg_run_t *run)
{
    if (run->link_active) return;
    run->next_active = NULL;
    run->link_active = p->active_tail;
    *p->active_tail = run;
    p->active_tail = &run->next_active;
    p->n_active++;
}

static void unlink_run(sg_pool_t *p, sg_run_t *run)
{
    if (!run->link_active) return;
    *run->link_active = run->next_active;
    if (run->next_active)
        run->next_active->link_active = run->link_active;
    else
        p->active_tail = run->link_active;
    run->link_active = NULL;
    p->n_active--;
}

static void push_ready(sg_pool_t *p, sg_box_t *b)
{
    b->next = NULL;
    *p->ready_tail = b;
    p->ready_tail = &b->next;
    p->n_ready++;
}

static sg_box_t *pop_ready(sg_pool_t *p)
{
    sg_box_t *b = p->ready;
    if (!b) return NULL;
    p->ready = b->next;
    if (!p->ready) p->ready_tail = &p->ready;
    p->n_ready--;
    return b;
}

/* Hands back the ids that the thread has not started. There is room: a thread has at most one
 * range, or is about to fetch it since it has seen that none was handed back. A range is divided
 * only if none (share_ids()) or no other (take_spare()) is handed back: those of all threads and
 * that one are all then. A thread that submits may hold one, too. */
static void spare_ids(sg_pool_t *p, job_t *j)
{
    if (j->ids.begin < j->ids.end) {
        j->run->spare[j->run->n_spare++] = j->ids;
        link_run(p, j->run);
        j->ids.begin = j->ids.end;
    }
}

/* Removes the ids that were handed back, and returns how many there were. */
static uint64_t drop_spare(sg_run_t *run)
{
    uint64_t n = 0;
    while (run->n_spare) {
        sg_range_t r = run->spare[--run->n_spare];
        n += r.end - r.begin;
    }
    return n;
}

/* How many ids a worker takes of so many that are left. */
static uint64_t part_of(const sg_run_t *run, uint64_t left)
{
    const uint64_t part = run->parts ? left / run->parts : 1;
    return part < 1 ? 1 : part > FETCH_MOST ? FETCH_MOST : part;
}

static bool fetch_ids(sg_run_t *run, sg_range_t *out)
{
    const uint64_t taken = atomic_load_explicit(&run->next, memory_order_relaxed);
    if (taken >= run->total) return false;
    const uint64_t n = part_of(run, run->total - taken);
    const uint64_t first = atomic_fetch_add_explicit(&run->next, n, memory_order_relaxed);
    if (first >= run->total) return false;
    out->begin = first;
    out->end = first + n < run->total ? first + n : run->total;
    return true;
}

/* Takes ids that were handed back. When there are no others, it takes a part of them, so that other
 * workers get some, too. A run without
 * parts is that of a single worker, which takes ids in their order. */
static sg_range_t take_spare(sg_run_t *run)
{
    sg_range_t *spare = &run->spare[run->n_spare - 1], taken = *spare;
    const bool last = atomic_load_explicit(&run->next, memory_order_relaxed) >= run->total;
    const uint64_t all = spare->end - spare->begin;
    const uint64_t n = run->parts && last && run->n_spare == 1 ? part_of(run, all) : all;
    if (n < all)
        taken.end = spare->begin += n;
    else
        run->n_spare--;
    return taken;
}

/* Finds ids and a place for a new workgroup, of the run that is next. If no workgroup has ended for
 * long, one more than the modelled GPU holds may start: perhaps all workgroups in flight wait for
 * it. */
static bool pick_new(sg_pool_t *p, job_t *j, sg_place_t *place)
{
    bool stalled = p->turns > STALL_TURNS * (p->n_ready + 1);
    for (uint32_t tries = p->n_active; tries; tries--) {
        sg_run_t *run = p->active;
        unlink_run(p, run);
        if (!has_ids(run)) continue;
        if (p->orderly && !stalled)
            link_first(p, run); /* the run stays first until it ends, unless it stalls */
        else
            link_run(p, run); /* at the tail: other runs come first next time */
        if (p->orderly && !stalled && p->ready && p->ready->run != run) return false;
        if (!sg_place_take(p->places, run, stalled, place)) continue;
        if (run->n_spare) {
            j->ids = take_spare(run);
        } else if (!fetch_ids(run, &j->ids)) {
            sg_place_give(p->places, run, place);
            unlink_run(p, run);
            continue;
        }
        if (!has_ids(run)) unlink_run(p, run);
        if (stalled) p->turns = 0;
        j->run = run;
        return true;
    }
    return false;
}

/* ---- boxes ---- */

static sg_box_t *get_box(sg_pool_t *p, sg_worker_t *w)
{
    sg_box_t *b = w->free;
    if (b) {
        w->free = b->next;
        w->n_free--;
        return b;
    }
    pthread_mutex_lock(p->lock);
    b = p->idle;
    if (b) p->idle = b->next;
    pthread_mutex_unlock(p->lock);
    return b ? b : sg_box_create();
}

static void put_box(sg_pool_t *p, sg_worker_t *w, sg_box_t *b)
{
    b->run = NULL;
    if (w->n_free < KEEP_BOXES) {
        b->next = w->free;
        w->free = b;
        w->n_free++;
        return;
    }
    pthread_mutex_lock(p->lock);
    b->next = p->idle;
    p->idle = b;
    pthread_mutex_unlock(p->lock);
}

void sg_worker_release(sg_worker_t *w)
{
    while (w->free) {
        sg_box_t *b = w->free;
        w->free = b->next;
        sg_box_destroy(b);
    }
    w->n_free = 0;
}

/* ---- accounting ---- */

static void settle(sg_run_t *run, uint64_t finished)
{
    if (finished) sg_stall_settled(finished);
    if (finished &&
        atomic_fetch_sub_explicit(&run->left, finished, memory_order_acq_rel) == finished)
        sg_run_complete(run);
}

static bool cancelled(const sg_run_t *run)
{
    return atomic_load_explicit(&run->cancelled, memory_order_relaxed);
}

/* Frees stale pages of decoded code, if no wave can be using one. */
static void tidy_code(sg_pool_t *p)
{
    isa_code_t *code = p->device->code;
    if (isa_code_crowded(code) && sg_place_all_free(p->places)) isa_code_quiesce(code);
}

/* Wakes a sleeping worker, since there is new work, or room for work that waits. */
static void offer(sg_pool_t *p)
{
    atomic_fetch_add(&p->seq, 1);
    if (atomic_load(&p->sleepers)) sg_futex_wake(&p->seq, 1);
}

void sg_pool_call(sg_pool_t *p, uint32_t n)
{
    atomic_fetch_add(&p->seq, 1); /* first, for a worker that is about to sleep */
    if (!atomic_load(&p->sleepers)) return;
    sg_futex_wake(&p->seq, n < INT_MAX ? (int)n : SG_FUTEX_ALL);
}

bool sg_pool_busy(const sg_pool_t *p)
{
    return atomic_load_explicit(&p->backlog, memory_order_relaxed) != 0;
}

bool sg_pool_idle(const sg_pool_t *p)
{
    return atomic_load_explicit(&p->sleepers, memory_order_relaxed) && !sg_pool_busy(p);
}

sg_teams_t *sg_pool_teams(sg_pool_t *p)
{
    return &p->teams;
}

/* Wakes a worker because room became free, if work waits. For callers that do not pick work
 * themselves afterwards. */
static void offer_room(sg_pool_t *p)
{
    if (p && atomic_load_explicit(&p->backlog, memory_order_relaxed)) offer(p);
}

/* The other pool of the device, which shares the places, or NULL. */
static sg_pool_t *neighbour(const sg_pool_t *p)
{
    sg_device_t *d = p->device;
    return atomic_load_explicit(p->orderly ? &d->pool : &d->model_pool, memory_order_acquire);
}

/* The job's box is done. Afterwards the caller picks new work or offers the room. The run may be
 * freed when this returns. */
static void leave(sg_pool_t *p, sg_worker_t *w, job_t *j)
{
    sg_run_t *run = j->run;
    uint64_t finished = j->finished;
    if (run->observed) sg_observe_leave(j->box, 1);
    pthread_mutex_lock(p->lock);
    sg_place_give(p->places, run, &j->box->place);
    tidy_code(p);
    p->turns = 0;
    if (cancelled(run))
        finished += j->ids.end - j->ids.begin +
                    drop_spare(run); /* includes ids that were handed back meanwhile */
    else
        spare_ids(p, j);
    if (!has_ids(run) || cancelled(run)) unlink_run(p, run);
    update_hints(p);
    pthread_mutex_unlock(p->lock);
    put_box(p, w, j->box);
    j->box = NULL;
    offer_room(neighbour(p));
    settle(run, finished);
}

/* ---- running ---- */

/* Starts the first id of the job in a fresh box at `place`. False: out of memory. */
static bool start_job(sg_pool_t *p, sg_worker_t *w, job_t *j, const sg_place_t *place)
{
    j->finished = 0;
    j->slice = FIRST_SLICE;
    j->box = get_box(p, w);
    if (!j->box) return false;
    j->box->place = *place;
    sg_box_start(j->box, j->run, j->ids.begin++);
    return true;
}

/* There is no host memory for a box: fails the queue, and drops the job's ids. */
static void start_failed(sg_pool_t *p, job_t *j, const sg_place_t *place)
{
    sg_run_t *run = j->run;
    uint64_t dropped = j->ids.end - j->ids.begin;
    sg_queue_fail(run->queue, SG_QUEUE_ERROR_RESOURCES, SG_CODE_GROUP_MEMORY,
                  "no host memory for the registers of a workgroup");
    sg_run_cancel(run);
    pthread_mutex_lock(p->lock);
    sg_place_give(p->places, run, place);
    unlink_run(p, run);
    update_hints(p);
    pthread_mutex_unlock(p->lock);
    offer_room(neighbour(p));
    settle(run, dropped);
}

/* Between two workgroups: hands back half of the thread's ids, if workers have been idle for a
 * while. */
static void share_ids(sg_pool_t *p, job_t *j)
{
    const uint64_t n = j->ids.end - j->ids.begin;
    if (n < 2 || !sg_pool_idle(p)) {
        j->idle_since = 0;
        return;
    }
    const uint64_t now = sg_device_clock();
    if (!j->idle_since) j->idle_since = now;
    if (now - j->idle_since < SHARE_NS) return;
    sg_range_t kept = {j->ids.begin, j->ids.end - n / 2};
    j->ids.begin = kept.end;
    pthread_mutex_lock(p->lock);
    if (!cancelled(j->run) && !j->run->n_spare) spare_ids(p, j);
    const bool shared = j->ids.begin == j->ids.end;
    if (!shared) kept.end = j->ids.end;
    update_hints(p);
    pthread_mutex_unlock(p->lock);
    j->ids = kept;
    j->idle_since = 0;
    if (shared) offer(p);
}

/* After a workgroup has finished: starts the next one of the same run in the same place, unless
 * other work waits. */
static bool advance(sg_pool_t *p, job_t *j)
{
    sg_run_t *run = j->run;
    j->finished++;
    if (cancelled(run) || atomic_load_explicit(&p->pressure, memory_order_relaxed)) return false;
    share_ids(p, j);
    if (j->ids.begin == j->ids.end) {
        if (atomic_load_explicit(&run->n_spare, memory_order_relaxed)) return false;
        if (!fetch_ids(run, &j->ids)) return false;
        settle(run, j->finished); /* these cannot be the last workgroups, since the ids just fetched
                                     are not finished */
        j->finished = 0;
    }
    j->slice = FIRST_SLICE;
    sg_box_start(j->box, run, j->ids.begin++);
    return true;
}

/* The slice of a turn. Turns are shorter if very many workgroups are ready, since perhaps all of
 * them spin and wait for one. */
static int32_t slice_among(uint32_t n_waiting)
{
    return n_waiting <= MANY_WAITING ? SLICE
                                     : (int32_t)(SLICE * MANY_WAITING / n_waiting) + SHORT_SLICE;
}

/* Takes the next box or id to run; with `yielded` set the current box waits for its next turn. */
static bool pick(sg_pool_t *p, sg_worker_t *w, job_t *j, bool yielded)
{
    sg_place_t place;
    bool started, more;
    j->idle_since = 0;
    for (;;) {
        uint64_t finished = 0;
        sg_run_t *old = j->run;
        pthread_mutex_lock(p->lock);
        if (yielded) {
            spare_ids(p, j);
            push_ready(p, j->box);
            finished = j->finished;
            p->turns = finished ? 0 : p->turns + 1;
            j->box = NULL;
        }
        started = yielded && pick_new(p, j, &place);
        if (!started) {
            j->box = pop_ready(p);
            if (!j->box) started = pick_new(p, j, &place);
        }
        if (j->box) {
            j->run = j->box->run;
            j->ids.begin = j->ids.end = 0;
            j->finished = 0;
            j->slice = slice_among(p->n_ready);
        }
        more = p->n_ready || p->n_active;
        update_hints(p);
        pthread_mutex_unlock(p->lock);
        settle(old, finished);
        /* only a worker that has found work wakes another: two without room would wake each other
         * for ever */
        if (more && (started || j->box)) offer(p);
        if (!started || start_job(p, w, j, &place)) return j->box != NULL;
        start_failed(p, j, &place);
        yielded = false;
    }
}

/* The rest of the time for which the box's waves requested to sleep. */
static uint64_t owed_sleep(sg_box_t *b, uint64_t now)
{
    if (!b->sleepy++) {
        b->slept_since = now;
        b->asked_ns = 0;
    }
    b->asked_ns += (uint64_t)b->nap_clocks * 1000 / b->run->isa.engine_clock_mhz;
    const uint64_t passed = now - b->slept_since;
    return b->asked_ns > passed ? b->asked_ns - passed : 0;
}

/* Called after a turn in which all waves of the box slept. The worker first continues other boxes,
 * whose waves may be awake. It sleeps once the number of consecutive turns in which all waves slept
 * is that of the waiting boxes, so that it has probably run all of these. */
static void rest_after_sleep(const sg_pool_t *p, job_t *j)
{
    const uint64_t now = sg_device_clock(), owed = owed_sleep(j->box, now);
    if (!j->drowsy++) {
        j->drowsy_since = now;
        j->rested = 0;
    }
    if (j->drowsy <= atomic_load_explicit(&p->backlog, memory_order_relaxed)) return;
    /* the longest rest after which three quarters of the time are rested */
    const uint64_t passed = now - j->drowsy_since;
    uint64_t rest = 3 * passed > 4 * j->rested ? 3 * passed - 4 * j->rested : 0;
    if (rest > REST_MOST_NS) rest = REST_MOST_NS;
    if (rest < owed) rest = owed < REST_OWED_MOST_NS ? owed : REST_OWED_MOST_NS;
    if (rest < REST_LEAST_NS) return;
    nanosleep(&(struct timespec){.tv_nsec = (long)rest}, NULL);
    j->rested += sg_device_clock() - now;
}

/* Runs boxes until no work is left. */
static void work(sg_pool_t *p, sg_worker_t *w, job_t *j)
{
    do {
        sg_box_result_t r = sg_box_run(j->box, j->slice);
        if (r == SG_BOX_FAILED) {
            sg_run_failed(j->run, j->box->failed);
            r = SG_BOX_DONE;
        }
        const bool stays = r != SG_BOX_DONE && !sg_pool_busy(p) && j->ids.begin == j->ids.end;
        if (j->box->team.open && !stays) sg_team_close(j->box);
        if (r == SG_BOX_DONE) {
            sg_stall_end(j->box);
            if (advance(p, j)) continue;
            leave(p, w, j);
            if (!pick(p, w, j, false)) return;
            continue;
        }
        sg_stall_turn(j->box, r == SG_BOX_SLEEPY);
        if (r == SG_BOX_SLEEPY)
            rest_after_sleep(p, j);
        else
            j->box->sleepy = j->drowsy = 0;
        if (!stays) {
            pick(p, w, j, true);
            continue;
        }
        j->slice = SLICE;
        settle(
            j->run,
            j->finished); /* these cannot be the last workgroups, since the box has not finished */
        j->finished = 0;
    } while (j->box);
}

static void *worker_main(void *arg)
{
    sg_worker_t *w = arg;
    sg_pool_t *p = w->pool;
    for (;;) {
        uint32_t seen = atomic_load(&p->seq);
        job_t j = {0};
        if (pick(p, w, &j, false)) {
            work(p, w, &j);
            continue;
        }
        if (sg_team_help(&p->teams, p)) continue;
        atomic_fetch_add(&p->sleepers, 1);
        sg_futex_wait(&p->seq, seen, 0);
        atomic_fetch_sub(&p->sleepers, 1);
    }
    return NULL;
}

/* ---- entry points ---- */

static void publish(sg_pool_t *p, sg_run_t *run, job_t *j)
{
    uint64_t wanted;
    pthread_mutex_lock(p->lock);
    if (j) {
        spare_ids(p, j);
        if (j->box) push_ready(p, j->box);
    } else {
        link_run(p, run);
    }
    update_hints(p);
    atomic_fetch_add(&p->seq, 1);
    wanted = atomic_load_explicit(&run->left, memory_order_relaxed);
    pthread_mutex_unlock(p->lock);
    if (atomic_load(&p->sleepers))
        sg_futex_wake(&p->seq, wanted < p->n_threads ? (int)wanted : SG_FUTEX_ALL);
}

/* Runs the dispatch on this thread for a short time, and hands the rest to the workers. False:
 * there was no room, and no workgroup was run. */
static bool run_inline(sg_pool_t *p, sg_worker_t *w, sg_run_t *run)
{
    sg_place_t place;
    pthread_mutex_lock(p->lock);
    bool room = !p->n_active && sg_place_take(p->places, run, false, &place);
    pthread_mutex_unlock(p->lock);
    if (!room) return false;

    job_t j = {.run = run, .ids = {0, run->total}};
    uint64_t start = sg_device_clock();
    atomic_store_explicit(&run->next, run->total, memory_order_relaxed);
    if (!start_job(p, w, &j, &place)) {
        start_failed(p, &j, &place);
        offer_room(p);
        return true;
    }
    j.box->submitting = true;
    for (;;) {
        sg_box_result_t r = sg_box_run(j.box, INLINE_SLICE);
        if (r == SG_BOX_FAILED) {
            sg_run_failed(run, j.box->failed);
            r = SG_BOX_DONE;
        }
        if (r != SG_BOX_DONE) {
            uint64_t finished = j.finished;
            j.box->submitting = false;
            publish(p, run, &j);
            settle(run, finished);
            return true;
        }
        j.finished++;
        if (cancelled(run) || j.ids.begin == j.ids.end) break;
        if (sg_device_clock() - start > INLINE_NS) {
            sg_box_t *box = j.box;
            j.box = NULL;
            publish(p, run, &j);
            j.box = box;
            break;
        }
        sg_box_start(j.box, run, j.ids.begin++);
    }
    j.box->submitting = false;
    leave(p, w, &j);
    offer_room(p);
    return true;
}

/* If the dispatch's waves end at once: counts its workgroups without running them all. False: the
 * dispatch is not of that kind, or there is no room. */
static bool run_idle(sg_pool_t *p, sg_worker_t *w, sg_run_t *run)
{
    sg_place_t place;
    pthread_mutex_lock(p->lock);
    const bool idle = sg_idle(run) && sg_place_take(p->places, run, false, &place);
    pthread_mutex_unlock(p->lock);
    if (!idle) return false;

    job_t j = {.run = run, .finished = run->total, .box = get_box(p, w)};
    if (!j.box) {
        start_failed(p, &j, &place);
        return true;
    }
    j.box->place = place;
    atomic_store_explicit(&run->next, run->total, memory_order_relaxed);
    j.box->submitting = true;
    if (run->instrumented) sg_idle_count(j.box, run);
    j.box->submitting = false;
    leave(p, w, &j);
    offer_room(p);
    return true;
}

void sg_pool_submit(sg_pool_t *p, sg_worker_t *self, sg_run_t *run)
{
    run->pool = p;
    run->parts = p->orderly ? 0 : p->n_threads * (uint64_t)PARTS_EACH;
    const bool small = run->total * run->waves <= INLINE_WAVES;
    if (!p->orderly && (small ? run_inline(p, self, run) : run_idle(p, self, run))) return;
    publish(p, run, NULL);
}

void sg_run_cancel(sg_run_t *run)
{
    sg_pool_t *p = run->pool;
    uint64_t dropped = 0;
    if (!p || atomic_exchange(&run->cancelled, 1)) return;
    pthread_mutex_lock(p->lock);
    uint64_t next = atomic_exchange(&run->next, run->total);
    if (next < run->total) dropped = run->total - next;
    dropped += drop_spare(run);
    unlink_run(p, run);
    update_hints(p);
    pthread_mutex_unlock(p->lock);
    settle(run, dropped);
}

static uint32_t thread_count(void)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return (uint32_t)base_env_int("SOFTGPU_THREADS", cores, 1, SG_THREADS_MAX);
}

static void free_pool(sg_pool_t *p, const sg_pool_t *with)
{
    pthread_mutex_destroy(&p->teams.lock);
    if (!with) {
        free(p->places);
        free(p->lock);
    }
    free(p);
}

/* `with`: the pool whose lock and places it shares, or NULL. */
static sg_pool_t *create(sg_device_t *d, uint32_t n, const sg_pool_t *with)
{
    uint32_t started = 0;
    const size_t bytes = sizeof(sg_pool_t) + n * sizeof(((sg_pool_t *)0)->workers[0]);
    sg_pool_t *p = aligned_alloc(_Alignof(sg_pool_t), bytes);
    if (!p) return NULL;
    memset(p, 0, bytes);
    p->device = d;
    p->orderly = with != NULL;
    p->active_tail = &p->active;
    p->ready_tail = &p->ready;
    p->places = with ? with->places : sg_place_model_create(d);
    const bool located = d->locations || sg_locate_units(d);
    p->lock = with ? with->lock : malloc(sizeof *p->lock);
    if (!with && p->lock) pthread_mutex_init(p->lock, NULL);
    pthread_mutex_init(&p->teams.lock, NULL);
    for (uint32_t i = 0; located && p->places && p->lock && i < n; i++) {
        pthread_t thread;
        char name[24];
        snprintf(name, sizeof name, "sg-%s-%u", with ? "model" : "worker", i);
        p->workers[i].self.pool = p;
        if (sg_thread_start(&thread, name, worker_main, &p->workers[i].self)) break;
        pthread_detach(thread);
        started++;
    }
    if (!started) { /* no thread has seen the pool */
        free_pool(p, with);
        return NULL;
    }
    p->n_threads = started;
    return p;
}

sg_pool_t *sg_pool_of(sg_device_t *d)
{
    sg_pool_t *p = atomic_load_explicit(&d->pool, memory_order_acquire);
    if (p) return p;
    pthread_mutex_lock(&d->lock);
    p = atomic_load_explicit(&d->pool, memory_order_relaxed);
    if (!p) {
        p = create(d, thread_count(), NULL);
        atomic_store_explicit(&d->pool, p, memory_order_release);
    }
    pthread_mutex_unlock(&d->lock);
    return p;
}

sg_pool_t *sg_pool_of_model(sg_device_t *d)
{
    const sg_pool_t *main_pool = sg_pool_of(d);
    sg_pool_t *p = atomic_load_explicit(&d->model_pool, memory_order_acquire);
    if (p || !main_pool) return p;
    pthread_mutex_lock(&d->lock);
    p = atomic_load_explicit(&d->model_pool, memory_order_relaxed);
    if (!p) {
        p = create(d, 1, main_pool);
        atomic_store_explicit(&d->model_pool, p, memory_order_release);
    }
    pthread_mutex_unlock(&d->lock);
    return p;
}
