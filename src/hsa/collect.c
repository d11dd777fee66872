/* collect.c - the collector thread (collect.h): notices that work is complete, and reports it.
 *
 * The collector polls signal values with naps in between, since any sleep inside the runtime would
 * spin first and need an interrupt per signal. A nap lasts a sixteenth of the time since the last
 * event, so a program that waits for its signal is delayed by at most a few per cent of the work's
 * own duration. Only nap_length() may decide the length of naps. */
#include "hsa/lane.h"

#include "base/log.h"
#include "hsa/tables/tables.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LAZY_NAP_NS     1000000  /* nap if the program waits for nothing that is in flight */
#define URGENT_NAP_NS   10000    /* shortest nap while a program may wait */
#define LONG_NAP_NS     50000    /* a new urgent item ends a longer nap */
#define LINGER_NS       20000000 /* idle time before deep sleep */
#define GIVE_UP_LOOKING 256      /* a scan stops after this many unfinished items in a row */
#define GUARD_NAP_NS    25000000 /* how often the guardian checks while there is work */

/* All variables below except for the atomics are written under `lock`. No tool code runs while it
 * is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static hsax_lane_t *lanes;
static hsax_item_t *reporting; /* items that the collector is reporting, oldest first */
/* Changed under the lock, and read without it, too. */
static _Atomic enum {
    REPORT,
    MUTE
} mode; /* MUTE: items in flight still guard program signals, but are not reported */
static bool stopping;
static atomic_bool running;
static pthread_t thread, guardian;

static atomic_bool collecting = true, forked;
static atomic_bool silent; /* hsax_collect_finish() wants MUTE */
static atomic_uint_fast64_t lost_count;
static _Atomic uint64_t report_since; /* begin of the present report; 0: there is none */
static atomic_uint wake_word, guard_word;
static atomic_uint_fast64_t rounds; /* how often the collector has scanned all lanes */
static atomic_uint_fast64_t pieces; /* number of calls of hsax_collect_piece() */
atomic_int hsax_collector_state = HSAX_AWAKE;
_Atomic uint64_t hsax_held_up_ns = 50000000;
static uint64_t clock_frequency = 1000000000;

uint64_t hsax_clock_ns(uint64_t ticks)
{
    if (clock_frequency == 1000000000) return ticks;
    return (uint64_t)((unsigned __int128)ticks * 1000000000u / clock_frequency);
}

bool hsax_collecting(void)
{
    return atomic_load_explicit(&collecting, memory_order_relaxed);
}

bool hsax_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

static void futex_wake(atomic_uint *word)
{
    atomic_fetch_add(word, 1);
    syscall(SYS_futex, (unsigned *)word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Sleeps until the word is not `seen` any more, or for `ns` (0: without limit). */
static void futex_wait(atomic_uint *word, unsigned seen, uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    syscall(SYS_futex, (unsigned *)word, FUTEX_WAIT_PRIVATE, seen, ns ? &t : NULL, NULL, 0);
}

void hsax_collector_kick(void)
{
    futex_wake(&wake_word);
}

/* ---- items in flight; called with the lock held ---- */

static bool dropped(hsa_signal_t signal)
{
    return __atomic_load_n(&hsax_signal_block(signal)->value, __ATOMIC_ACQUIRE) < 1;
}

static bool has_completed(const hsax_item_t *item)
{
    return dropped(item->signal) && (!item->special || !item->last.handle || dropped(item->last));
}

/* Gives the program's signal the values that the GPU would have given it: timestamps, then the
 * decrement. The exchange makes sure that only one of collector and guardian does so. It needs no
 * lock. */
static void complete_program_signal(hsax_item_t *item)
{
    hsa_signal_t program = {__atomic_exchange_n(&item->program_signal.handle, 0, __ATOMIC_ACQ_REL)};
    if (!program.handle) return;
    const amd_signal_t *ours = hsax_signal_block(item->signal);
    amd_signal_t *theirs = hsax_signal_block(program);
    theirs->start_ts = ours->start_ts;
    theirs->end_ts = ours->end_ts;
    hsax.core.hsa_signal_subtract_screlease_fn(program, 1);
}

static void lose(hsax_lane_t *lane, hsax_item_t *item)
{
    if (item->anonymous) return;
    lane->ops.lost(item);
    atomic_fetch_add(&lost_count, 1);
}

static void lose_flying(hsax_lane_t *lane)
{
    for (hsax_item_t *item = lane->flying; item; item = item->next)
        lose(lane, item);
}

static void end_turns(hsax_lane_t *lane)
{
    for (hsax_item_t *item = lane->flying; item; item = item->next)
        hsax_turn_end(item, false);
}

static void adopt_pending(hsax_lane_t *lane)
{
    hsax_item_t *item = atomic_exchange_explicit(&lane->pending, NULL, memory_order_acquire);
    hsax_item_t *oldest = NULL;
    hsax_item_t **end = item ? &item->next : NULL; /* the newest one becomes the last */
    while (item) {
        hsax_item_t *next = item->next;
        item->next = oldest;
        oldest = item;
        lane->flying_count++;
        lane->urgent_count += item->urgent;
        item->timed = false;
        item = next;
    }
    if (!oldest) return;
    *lane->flying_end = oldest;
    lane->flying_end = end;
    for (item = oldest; item && mode == MUTE; item = item->next)
        lose(lane, item);
}

/* Takes the completed items out of the lane, oldest first, with their times. */
static hsax_item_t *gather(hsax_lane_t *lane)
{
    hsax_item_t *done = NULL, **done_end = &done, **link = &lane->flying;
    unsigned unfinished = 0;
    while (*link) {
        hsax_item_t *item = *link;
        if (!has_completed(item) || (unfinished && item->special && item->follows)) {
            link = &item->next;
            if (++unfinished >= GIVE_UP_LOOKING && !lane->urgent_count) break;
            continue;
        }
        *link = item->next;
        if (!*link) lane->flying_end = link;
        lane->flying_count--;
        lane->urgent_count -= item->urgent;
        if (item->special) hsax_turn_completed(item);
        if (!item->timed && !item->anonymous) item->timed = lane->ops.times(item);
        *done_end = item;
        done_end = &item->next;
    }
    *done_end = NULL;
    if (atomic_load_explicit(&lane->failed, memory_order_relaxed)) end_turns(lane);
    return done;
}

/* ---- reporting ---- */

/* Reports a batch, completes the program's signals, and recycles the items. Runs tool code. */
static void report(hsax_lane_t *lane, hsax_item_t *done, bool tell)
{
    hsax_item_t *last = done;
    for (hsax_item_t *item = done; item; last = item, item = item->next) {
        if (tell && item->timed && !item->anonymous)
            lane->ops.complete(item);
        else if (tell)
            lose(lane, item);
        if (item->special) hsax_turn_end(item, true);
        complete_program_signal(item);
        __atomic_store_n(&hsax_signal_block(item->signal)->value, 1, __ATOMIC_RELAXED);
        atomic_fetch_add_explicit(&lane->finished, 1, memory_order_release);
    }
    pthread_mutex_lock(&lock);
    reporting = NULL;
    pthread_mutex_unlock(&lock);
    atomic_store(&report_since, 0);
    hsax_lane_recycle(lane, done, last);
}

static void scan_lane(hsax_lane_t *lane)
{
    pthread_mutex_lock(&lock);
    adopt_pending(lane);
    hsax_item_t *done = gather(lane);
    bool tell = mode == REPORT;
    /* if most items are in flight, more are made here, so that the producer need not make them */
    bool short_of_items =
        lane->flying_count * 2 > atomic_load_explicit(&lane->made, memory_order_relaxed);
    reporting = done;
    pthread_mutex_unlock(&lock);
    if (done) {
        atomic_store(&report_since, base_clock_ns(CLOCK_MONOTONIC));
        report(lane, done, tell);
    }
    if (short_of_items) hsax_lane_grow(lane);
}

static void unlink_lane(hsax_lane_t *lane)
{
    for (hsax_lane_t **link = &lanes; *link; link = &(*link)->next) {
        if (*link != lane) continue;
        *link = lane->next;
        return;
    }
}

static void close_lane(hsax_lane_t *lane)
{
    scan_lane(lane);
    pthread_mutex_lock(&lock);
    if (mode == REPORT) lose_flying(lane);
    end_turns(lane);
    unlink_lane(lane);
    if (lane->closed) *lane->closed = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    hsax_lane_free(lane);
}

/* ---- the guardian ----
 *
 * Reporting runs tool code, which may wait for the GPU or for the program, and these may wait for
 * signals that the collector holds back. When a batch takes too long, the guardian completes the
 * signals: tool code that blocks then delays a program, but never deadlocks it. */

static void complete_held_up(void)
{
    pthread_mutex_lock(&lock);
    for (hsax_item_t *item = reporting; item; item = item->next)
        complete_program_signal(item);
    for (hsax_lane_t *lane = lanes; lane; lane = lane->next) {
        adopt_pending(lane);
        for (hsax_item_t *item = lane->flying; item; item = item->next) {
            if (!item->urgent || !has_completed(item)) continue;
            if (!item->timed && !item->anonymous) item->timed = lane->ops.times(item);
            if (item->special) hsax_turn_completed(item);
            complete_program_signal(item);
        }
    }
    hsax_turns_serve(lanes);
    pthread_mutex_unlock(&lock);
}

static void *guard(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "crocprof-guard");
    for (;;) {
        unsigned word = atomic_load(&guard_word);
        bool idle = atomic_load(&hsax_collector_state) == HSAX_ASLEEP;
        uint64_t since = atomic_load(&report_since);
        bool held_up =
            since && base_clock_ns(CLOCK_MONOTONIC) - since > atomic_load(&hsax_held_up_ns);
        if (held_up) complete_held_up();
        pthread_mutex_lock(&lock);
        bool stop = stopping;
        pthread_mutex_unlock(&lock);
        if (stop) return NULL;
        futex_wait(&guard_word, word, idle ? 0 : held_up ? LAZY_NAP_NS : GUARD_NAP_NS);
    }
}

/* ---- the collector ---- */

static unsigned serve_turns(void)
{
    pthread_mutex_lock(&lock);
    unsigned opened = hsax_turns_serve(lanes);
    pthread_mutex_unlock(&lock);
    return opened;
}

/* Scans every lane once. Lanes are added at the front and removed by this thread only, so the list
 * may be walked without the lock once its head is read. */
static void scan(unsigned *flying, unsigned *urgent, uint64_t *activity)
{
    *flying = *urgent = 0;
    *activity = 0;
    pthread_mutex_lock(&lock);
    hsax_lane_t *lane = lanes;
    pthread_mutex_unlock(&lock);
    while (lane) {
        hsax_lane_t *next = lane->next;
        if (__atomic_load_n(&lane->closing, __ATOMIC_ACQUIRE)) {
            close_lane(lane);
        } else {
            scan_lane(lane);
            *activity += atomic_load_explicit(&lane->submitted, memory_order_relaxed) +
                         atomic_load_explicit(&lane->finished, memory_order_relaxed);
            pthread_mutex_lock(&lock);
            *flying += lane->flying_count;
            *urgent += lane->urgent_count;
            pthread_mutex_unlock(&lock);
        }
        lane = next;
    }
}

static void become_mute(void)
{
    pthread_mutex_lock(&lock);
    for (hsax_lane_t *lane = lanes; lane && mode == REPORT; lane = lane->next) {
        adopt_pending(lane);
        lose_flying(lane);
    }
    mode = MUTE;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static bool anything_pending(void)
{
    pthread_mutex_lock(&lock);
    bool found = stopping || (atomic_load(&silent) && mode == REPORT);
    for (hsax_lane_t *lane = lanes; lane && !found; lane = lane->next)
        found = lane->closing || atomic_load(&lane->pending);
    pthread_mutex_unlock(&lock);
    return found;
}

/* Sleeps until another thread kicks the collector, or for `ns` (0: without limit). `word` is the
 * futex's value from before the last scan of the lanes, so that a kick during the scan ends the
 * sleep at once. */
static void nap(unsigned word, uint64_t ns)
{
    bool deep = ns == 0;
    atomic_store(&hsax_collector_state, deep               ? HSAX_ASLEEP
                                        : ns > LONG_NAP_NS ? HSAX_LONG_NAP
                                                           : HSAX_SHORT_NAP);
    if (!deep || !anything_pending()) futex_wait(&wake_word, word, ns);
    atomic_store(&hsax_collector_state, HSAX_AWAKE);
    if (deep) futex_wake(&guard_word);
}

static uint64_t nap_length(unsigned flying, unsigned urgent, uint64_t quiet)
{
    if (urgent) {
        uint64_t ns = quiet / 16;
        return ns < URGENT_NAP_NS ? URGENT_NAP_NS : ns > LAZY_NAP_NS ? LAZY_NAP_NS : ns;
    }
    if (flying || quiet < LINGER_NS) return LAZY_NAP_NS;
    return 0;
}

static void *collect(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "crocprof-gpu");
    prctl(PR_SET_TIMERSLACK, 1000);
    uint64_t progress = base_clock_ns(CLOCK_MONOTONIC), last_activity = 0;
    for (;;) {
        unsigned word = atomic_load(&wake_word), flying, urgent;
        uint64_t activity, now = base_clock_ns(CLOCK_MONOTONIC);
        if (atomic_load(&silent) && mode == REPORT) become_mute();
        scan(&flying, &urgent, &activity);
        atomic_fetch_add(&rounds, 1);
        bool opened = serve_turns();
        if (activity != last_activity || opened) progress = now;
        last_activity = activity;
        pthread_mutex_lock(&lock);
        bool stop = stopping && !lanes;
        pthread_mutex_unlock(&lock);
        if (stop) return NULL;
        nap(word, nap_length(flying, urgent, now - progress));
    }
}

/* To be called with the lock held. */
static bool start_threads(void)
{
    if (running) return true;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&thread, NULL, collect, NULL);
    running = !error;
    if (!error) {
        error = pthread_create(&guardian, NULL, guard, NULL);
        /* there is none to join; it is only needed if tool code blocks */
        if (error) guardian = thread;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error) base_error("no thread to collect GPU work: %s", strerror(error));
    return running;
}

/* ---- lanes ---- */

hsax_lane_t *hsax_lane_open(const hsax_lane_ops_t *ops, hsa_agent_t agent, unsigned ahead,
                            unsigned limit)
{
    hsax_lane_t *lane = hsax_lane_new(ops, agent, limit);
    if (!lane) return NULL;
    while (atomic_load(&lane->made) < ahead && hsax_lane_grow(lane)) {
    }
    pthread_mutex_lock(&lock);
    bool ok = atomic_load(&lane->made) && start_threads();
    if (ok) {
        lane->next = lanes;
        lanes = lane;
    }
    pthread_mutex_unlock(&lock);
    if (ok) return lane;
    hsax_lane_free(lane);
    return NULL;
}

void hsax_lane_fail(hsax_lane_t *lane)
{
    atomic_store(&lane->failed, true);
    hsax_collector_kick();
}

static bool on_collector(void)
{
    return running && pthread_equal(thread, pthread_self());
}

void hsax_lane_close(hsax_lane_t *lane)
{
    if (hsax_forked()) return;
    bool closed = false,
         wait = !on_collector() && atomic_load(&lane->submitted) != atomic_load(&lane->finished);
    pthread_mutex_lock(&lock);
    lane->closed = wait ? &closed : NULL;
    __atomic_store_n(&lane->closing, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    hsax_collector_kick();
    if (!wait) return;
    /* tool code may block the collector: wait until the guardian has certainly completed the
     * signals */
    uint64_t patience = 2 * atomic_load(&hsax_held_up_ns);
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    patience += (uint64_t)end.tv_nsec;
    end.tv_sec += (time_t)(patience / 1000000000);
    end.tv_nsec = (long)(patience % 1000000000);
    pthread_mutex_lock(&lock);
    while (!closed && pthread_cond_timedwait(&changed, &lock, &end) != ETIMEDOUT) {
    }
    if (!closed) lane->closed = NULL; /* the collector closes it when tool code has returned */
    pthread_mutex_unlock(&lock);
}

/* ---- the end ---- */

/* Returns how many items are in flight. *progress differs from call to call while the collector
 * makes progress. */
static uint64_t outstanding(uint64_t *progress)
{
    uint64_t left = 0;
    *progress = atomic_load(&pieces);
    pthread_mutex_lock(&lock);
    for (hsax_lane_t *lane = lanes; lane; lane = lane->next) {
        uint64_t done = atomic_load_explicit(&lane->finished, memory_order_acquire);
        *progress += done;
        left += atomic_load_explicit(&lane->submitted, memory_order_relaxed) - done;
    }
    pthread_mutex_unlock(&lock);
    return left;
}

void hsax_collect_piece(void)
{
    atomic_fetch_add_explicit(&pieces, 1, memory_order_relaxed);
}

void hsax_collect_wait(unsigned patience_ms)
{
    if (!running || on_collector()) return;
    uint64_t progress, last = 0, since = base_clock_ns(CLOCK_MONOTONIC);
    while (outstanding(&progress)) {
        uint64_t now = base_clock_ns(CLOCK_MONOTONIC);
        if (progress != last) since = now;
        last = progress;
        if (now - since > patience_ms * 1000000ull) return;
        hsax_collector_kick();
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

void hsax_collect_look(unsigned patience_ms)
{
    uint64_t progress, end = base_clock_ns(CLOCK_MONOTONIC) + patience_ms * 1000000ull;
    if (!running || on_collector()) return;
    /* the present round may have passed items that have just completed; the round after it has
     * not */
    uint64_t enough = atomic_load(&rounds) + 2;
    while (atomic_load(&rounds) < enough && outstanding(&progress) &&
           base_clock_ns(CLOCK_MONOTONIC) < end) {
        hsax_collector_kick();
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

static void wait_until_mute(unsigned patience_ms)
{
    uint64_t end = base_clock_ns(CLOCK_MONOTONIC) + patience_ms * 1000000ull;
    for (bool mute = false; !mute && base_clock_ns(CLOCK_MONOTONIC) < end;) {
        hsax_collector_kick();
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        pthread_mutex_lock(&lock);
        mute = mode == MUTE;
        pthread_mutex_unlock(&lock);
    }
}

uint64_t hsax_collect_finish(unsigned patience_ms)
{
    if (!atomic_exchange(&collecting, false) || !running) return 0;
    uint64_t before = atomic_load(&lost_count);
    hsax_collect_wait(patience_ms);
    atomic_store(&silent, true); /* called on the collector: takes effect in its next round */
    if (on_collector()) return atomic_load(&lost_count) - before;
    wait_until_mute(patience_ms);
    become_mute(); /* if the collector is still reporting, it has taken no notice */
    return atomic_load(&lost_count) - before;
}

uint64_t hsax_collect_shut_down(unsigned patience_ms)
{
    if (!running || on_collector()) return 0;
    uint64_t before = atomic_load(&lost_count);
    hsax_collect_wait(patience_ms);
    pthread_mutex_lock(&lock);
    stopping = true;
    for (hsax_lane_t *lane = lanes; lane; lane = lane->next)
        __atomic_store_n(&lane->closing, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    futex_wake(&guard_word);
    hsax_collector_kick();
    if (!pthread_equal(guardian, thread)) pthread_join(guardian, NULL);
    pthread_join(thread, NULL);
    running = stopping = false;
    hsax_turns_shut_down();
    return atomic_load(&lost_count) - before;
}

/* A forked child has no collector, and another thread may have held the lock. */
static void after_fork_in_child(void)
{
    atomic_store(&collecting, false);
    atomic_store(&forked, true);
    running = false;
    pthread_mutex_init(&lock, NULL);
    hsax_turns_forked();
}

static void init_once(void)
{
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

void hsax_collect_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
    uint64_t frequency = 0;
    if (hsax.core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency) ==
            HSA_STATUS_SUCCESS &&
        frequency)
        clock_frequency = frequency;
}
