/* collect.c - see collect.h. The only place that waits for the GPU.
 *
 * The collector polls signal values with naps in between, since any sleep inside the runtime would
 * spin first and need an interrupt per signal. A nap lasts a sixteenth of the time that nothing has
 * happened for, so what waits for a program's signal is late by a few per cent of the work's own
 * duration at most. Change nap lengths in `nap` only. */
#include "hsa/collect.h"

#include "base/log.h"
#include "hsa/tables/tables.h"

#include <errno.h>
#include <hsa/amd_hsa_signal.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 64                      /* items made at once */
#define LAZY_NAP_NS 1000000           /* only records wait for us */
#define URGENT_NAP_NS 10000           /* shortest nap while a program may wait */
#define LONG_NAP_NS 50000             /* above this a new urgent item ends the nap */
#define LINGER_NS 20000000            /* idle time before deep sleep */
#define GIVE_UP_LOOKING 256           /* unfinished items in a row after which a scan stops */
#define TAKE_PATIENCE_NS 1000000000LL /* wait of a producer whose lane is full */

enum { AWAKE, SHORT_NAP, LONG_NAP, ASLEEP };

typedef struct chunk {
    struct chunk *next;
    _Alignas(64) char items[];
} chunk_t;

struct hsax_lane {
    /* Shared between producer and collector. */
    _Alignas(64) _Atomic(hsax_item_t *) pending; /* newest first */
    _Alignas(64) _Atomic(hsax_item_t *) recycled;
    /* The producer's. */
    _Alignas(64) hsax_item_t *free;
    _Atomic uint64_t submitted; /* written by the producer */
    /* The collector's. */
    _Alignas(64) hsax_item_t *flying, **flying_end; /* oldest first */
    unsigned flying_count, urgent_count;
    _Atomic uint64_t finished;
    _Atomic(chunk_t *) chunks; /* all memory of the items */
    atomic_uint made;
    /* Under `lock`. */
    hsax_lane_t *next;
    unsigned limit;
    size_t item_size;
    bool *closed; /* where the closer waits; NULL: open */
    bool closing;
    hsa_agent_t agent;
    hsax_lane_ops_t ops;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static hsax_lane_t *lanes;
static bool running, stopping;
static pthread_t thread;

static atomic_bool collecting = true;
static atomic_bool forked;
static atomic_bool silent;        /* finish() wants lost() for all */
static atomic_uint silenced;      /* answers of the collector to that */
static atomic_uint_fast64_t lost_count;
static atomic_int state = AWAKE;
static atomic_uint wake_word;
static uint64_t clock_frequency = 1000000000;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t hsax_clock_ns(uint64_t ticks)
{
    if (clock_frequency == 1000000000) return ticks;
    return (uint64_t)((unsigned __int128)ticks * 1000000000u / clock_frequency);
}

bool hsax_forked(void) { return atomic_load_explicit(&forked, memory_order_relaxed); }

bool hsax_collecting(void) { return atomic_load_explicit(&collecting, memory_order_relaxed); }

hsa_agent_t hsax_lane_agent(const hsax_lane_t *lane) { return lane->agent; }

/* A signal's handle is the address of its ABI block (HSA AMD extension, amd_hsa_signal.h). */
static amd_signal_t *signal_block(hsa_signal_t signal)
{
    return (amd_signal_t *)(uintptr_t)signal.handle;
}

static void kick(void)
{
    atomic_fetch_add(&wake_word, 1);
    syscall(SYS_futex, (unsigned *)&wake_word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* ---- items ---- */

static void push(_Atomic(hsax_item_t *) *stack, hsax_item_t *first, hsax_item_t *last)
{
    hsax_item_t *head = atomic_load_explicit(stack, memory_order_relaxed);
    do
        last->next = head;
    while (!atomic_compare_exchange_weak_explicit(stack, &head, first, memory_order_seq_cst,
                                                  memory_order_relaxed));
}

static bool make_signal(hsa_signal_t *signal)
{
    /* GPU_ONLY means a plain word of memory: no kernel event, no interrupt when it drops. */
    hsa_status_t status =
        hsax.amd_ext.hsa_amd_signal_create_fn
            ? hsax.amd_ext.hsa_amd_signal_create_fn(1, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, signal)
            : hsax.core.hsa_signal_create_fn(1, 0, NULL, signal);
    if (status == HSA_STATUS_SUCCESS) return true;
    base_warning("no signal for tracing GPU work (HSA status 0x%x)", status);
    return false;
}

/* Up to CHUNK new items as a list, NULL at the lane's limit. Called by producer and collector. */
static hsax_item_t *make_items(hsax_lane_t *lane)
{
    unsigned from = atomic_fetch_add(&lane->made, CHUNK);
    if (from >= lane->limit) {
        atomic_fetch_sub(&lane->made, CHUNK);
        return NULL;
    }
    hsax_item_t *first = NULL;
    size_t size = sizeof(chunk_t) + CHUNK * lane->item_size;
    chunk_t *chunk = aligned_alloc(64, size);
    if (chunk) memset(chunk, 0, size);
    for (unsigned i = 0; chunk && i < CHUNK; i++) {
        hsax_item_t *item = (hsax_item_t *)(void *)(chunk->items + i * lane->item_size);
        if (!make_signal(&item->signal)) break;
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

static hsax_item_t *take_recycled(hsax_lane_t *lane)
{
    return atomic_exchange_explicit(&lane->recycled, NULL, memory_order_acquire);
}

/* The lane is at its limit: wait for the collector, in short steps, for a while. */
static hsax_item_t *wait_for_item(hsax_lane_t *lane)
{
    uint64_t end = now_ns() + TAKE_PATIENCE_NS;
    while (hsax_collecting() && now_ns() < end) {
        kick();
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        hsax_item_t *items = take_recycled(lane);
        if (items) return items;
    }
    return NULL;
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
    item->submit_ns = 0;
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
    bool urgent = item->program_signal.handle != 0;
    atomic_store_explicit(&lane->submitted,
                          atomic_load_explicit(&lane->submitted, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    push(&lane->pending, item, item);
    /* Both sides write one word, then read the other's, all in one order (seq_cst): either we see
     * that the collector goes to sleep, or its last look sees our item. */
    int seen = atomic_load(&state);
    if (seen < LONG_NAP || (seen == LONG_NAP && !urgent)) return;
    if (atomic_compare_exchange_strong(&state, &seen, AWAKE)) kick();
}

/* ---- the collector ---- */

/* After the end of reporting the items in flight still guard program signals, but nobody is told
 * of them. */
enum { REPORT, MUTE };
static int mode = REPORT;

static void finish_item(hsax_lane_t *lane, hsax_item_t *item, bool report)
{
    if (report && lane->ops.times(item)) {
        lane->ops.complete(item);
    } else {
        lane->ops.lost(item);
        atomic_fetch_add(&lost_count, 1);
    }
}

/* The program's signal gets what the GPU would have given it: timestamps, then the decrement. */
static void complete_program_signal(hsax_item_t *item)
{
    if (!item->program_signal.handle) return;
    const amd_signal_t *ours = signal_block(item->signal);
    amd_signal_t *theirs = signal_block(item->program_signal);
    theirs->start_ts = ours->start_ts;
    theirs->end_ts = ours->end_ts;
    hsax.core.hsa_signal_subtract_screlease_fn(item->program_signal, 1);
}

static bool has_completed(const hsax_item_t *item)
{
    return __atomic_load_n(&signal_block(item->signal)->value, __ATOMIC_ACQUIRE) < 1;
}

static void adopt_pending(hsax_lane_t *lane)
{
    hsax_item_t *item = atomic_exchange_explicit(&lane->pending, NULL, memory_order_acquire);
    hsax_item_t *oldest = NULL;
    hsax_item_t **end = item ? &item->next : NULL; /* the newest becomes the last */
    while (item) {
        hsax_item_t *next = item->next;
        item->next = oldest;
        oldest = item;
        lane->flying_count++;
        lane->urgent_count += item->program_signal.handle != 0;
        item = next;
    }
    if (!oldest) return;
    *lane->flying_end = oldest;
    lane->flying_end = end;
    for (item = oldest; item && mode == MUTE; item = item->next) finish_item(lane, item, false);
}

static void scan_lane(hsax_lane_t *lane)
{
    hsax_item_t *done_first = NULL, *done_last = NULL;
    hsax_item_t **link = &lane->flying;
    unsigned unfinished = 0;
    while (*link) {
        hsax_item_t *item = *link;
        if (!has_completed(item)) {
            link = &item->next;
            if (++unfinished >= GIVE_UP_LOOKING && !lane->urgent_count) break;
            continue;
        }
        *link = item->next;
        if (!*link) lane->flying_end = link;
        lane->flying_count--;
        lane->urgent_count -= item->program_signal.handle != 0;
        if (mode == REPORT)
            finish_item(lane, item, true);
        else
            lane->ops.times(item); /* the program may ask for them */
        complete_program_signal(item);
        __atomic_store_n(&signal_block(item->signal)->value, 1, __ATOMIC_RELAXED);
        item->next = done_first;
        done_first = item;
        if (!done_last) done_last = item;
        atomic_fetch_add_explicit(&lane->finished, 1, memory_order_release);
    }
    if (done_first) push(&lane->recycled, done_first, done_last);
    /* Most items in flight: make more here so that the producer need not. */
    unsigned made = atomic_load_explicit(&lane->made, memory_order_relaxed);
    if (lane->flying_count * 2 > made) {
        hsax_item_t *fresh = make_items(lane), *last = fresh;
        while (last && last->next) last = last->next;
        if (fresh) push(&lane->recycled, fresh, last);
    }
}

static void lose_lane(hsax_lane_t *lane)
{
    for (hsax_item_t *item = lane->flying; item; item = item->next) finish_item(lane, item, false);
}

static void destroy_list(hsax_item_t *item)
{
    for (; item; item = item->next) hsax.core.hsa_signal_destroy_fn(item->signal);
}

/* Signals of items in flight, and the memory of all items of a lane that has such, stay: the GPU
 * might write them yet. */
static void free_lane(hsax_lane_t *lane)
{
    destroy_list(lane->free);
    destroy_list(take_recycled(lane));
    if (lane->flying_count) return;
    for (chunk_t *chunk = atomic_load(&lane->chunks), *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(lane);
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
    adopt_pending(lane);
    scan_lane(lane);
    if (mode == REPORT) lose_lane(lane);
    pthread_mutex_lock(&lock);
    unlink_lane(lane);
    if (lane->closed) *lane->closed = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free_lane(lane);
}

/* One look at every lane. Lanes are added at the front and removed by this thread only, so the
 * list may be walked without the lock once its head is read. */
static void scan(unsigned *flying, unsigned *urgent, uint64_t *finished)
{
    *flying = *urgent = 0;
    *finished = 0;
    pthread_mutex_lock(&lock);
    hsax_lane_t *lane = lanes;
    pthread_mutex_unlock(&lock);
    while (lane) {
        hsax_lane_t *next = lane->next;
        if (__atomic_load_n(&lane->closing, __ATOMIC_ACQUIRE)) {
            close_lane(lane);
        } else {
            adopt_pending(lane);
            scan_lane(lane);
            *flying += lane->flying_count;
            *urgent += lane->urgent_count;
            *finished += atomic_load_explicit(&lane->submitted, memory_order_relaxed) +
                         atomic_load_explicit(&lane->finished, memory_order_relaxed);
        }
        lane = next;
    }
}

static void become_mute(void)
{
    if (mode == MUTE || !atomic_load(&silent)) return;
    for (hsax_lane_t *lane = lanes; lane; lane = lane->next) {
        adopt_pending(lane);
        scan_lane(lane);
        lose_lane(lane);
    }
    mode = MUTE;
    atomic_store(&silenced, 1);
}

static bool anything_pending(void)
{
    bool found = stopping || (atomic_load(&silent) && mode == REPORT);
    pthread_mutex_lock(&lock);
    for (hsax_lane_t *lane = lanes; lane && !found; lane = lane->next)
        found = lane->closing || atomic_load(&lane->pending);
    pthread_mutex_unlock(&lock);
    return found;
}

/* Sleeps until kicked or for `ns` (0: without end). `word` was read before the last scan. */
static void nap(unsigned word, uint64_t ns)
{
    bool deep = ns == 0;
    atomic_store(&state, deep ? ASLEEP : ns > LONG_NAP_NS ? LONG_NAP : SHORT_NAP);
    if (!deep || !anything_pending()) {
        struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
        syscall(SYS_futex, (unsigned *)&wake_word, FUTEX_WAIT_PRIVATE, word, deep ? NULL : &t, NULL,
                0);
    }
    atomic_store(&state, AWAKE);
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
    uint64_t progress = now_ns(), last_finished = 0;
    for (;;) {
        unsigned word = atomic_load(&wake_word), flying, urgent;
        uint64_t finished, now = now_ns();
        become_mute();
        scan(&flying, &urgent, &finished);
        if (finished != last_finished) progress = now;
        last_finished = finished;
        pthread_mutex_lock(&lock);
        bool stop = stopping && !lanes;
        pthread_mutex_unlock(&lock);
        if (stop) return NULL;
        nap(word, nap_length(flying, urgent, now - progress));
    }
}

static bool start_collector(void)
{
    if (running) return true;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&thread, NULL, collect, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error) base_error("no thread to collect GPU work: %s", strerror(error));
    running = !error;
    return running;
}

/* ---- lanes ---- */

hsax_lane_t *hsax_lane_open(const hsax_lane_ops_t *ops, hsa_agent_t agent, unsigned ahead,
                            unsigned limit)
{
    hsax_lane_t *lane = aligned_alloc(64, sizeof *lane);
    if (!lane) return NULL;
    memset(lane, 0, sizeof *lane);
    lane->flying_end = &lane->flying;
    lane->ops = *ops;
    lane->agent = agent;
    lane->limit = limit;
    lane->item_size = (sizeof(hsax_item_t) + ops->client_size + 63) & ~(size_t)63;
    while (atomic_load(&lane->made) < ahead) {
        hsax_item_t *items = make_items(lane), *last = items;
        if (!items) break;
        while (last->next) last = last->next;
        push(&lane->recycled, items, last);
    }
    pthread_mutex_lock(&lock);
    bool ok = atomic_load(&lane->made) && start_collector();
    if (ok) {
        lane->next = lanes;
        lanes = lane;
    }
    pthread_mutex_unlock(&lock);
    if (ok) return lane;
    free_lane(lane);
    return NULL;
}

static bool on_collector(void) { return running && pthread_equal(thread, pthread_self()); }

void hsax_lane_close(hsax_lane_t *lane)
{
    bool closed = false, wait = !on_collector();
    pthread_mutex_lock(&lock);
    bool here = running;
    if (here) {
        lane->closed = wait ? &closed : NULL;
        __atomic_store_n(&lane->closing, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    if (!here) return;
    kick();
    if (!wait) return;
    pthread_mutex_lock(&lock);
    while (!closed) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* ---- the end ---- */

static uint64_t outstanding(uint64_t *finished)
{
    uint64_t left = 0;
    *finished = 0;
    pthread_mutex_lock(&lock);
    for (hsax_lane_t *lane = lanes; lane; lane = lane->next) {
        uint64_t done = atomic_load_explicit(&lane->finished, memory_order_acquire);
        *finished += done;
        left += atomic_load_explicit(&lane->submitted, memory_order_relaxed) - done;
    }
    pthread_mutex_unlock(&lock);
    return left;
}

void hsax_collect_wait(unsigned patience_ms)
{
    if (!running || on_collector()) return;
    uint64_t finished, last = 0, since = now_ns();
    while (outstanding(&finished)) {
        uint64_t now = now_ns();
        if (finished != last) since = now;
        last = finished;
        if (now - since > patience_ms * 1000000ull) return;
        kick();
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

uint64_t hsax_collect_finish(unsigned patience_ms)
{
    if (!atomic_exchange(&collecting, false) || !running) return 0;
    if (on_collector()) {
        atomic_store(&silent, true); /* takes effect when our caller's callback returns */
        return 0;
    }
    uint64_t before = atomic_load(&lost_count);
    hsax_collect_wait(patience_ms);
    atomic_store(&silent, true);
    uint64_t end = now_ns() + patience_ms * 1000000ull;
    while (!atomic_load(&silenced) && now_ns() < end) {
        kick();
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
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
    kick();
    pthread_join(thread, NULL);
    running = stopping = false;
    return atomic_load(&lost_count) - before;
}

/* The child has no collector, and the lock may have been held: never touch either again. */
static void after_fork_in_child(void)
{
    atomic_store(&collecting, false);
    atomic_store(&forked, true);
    running = false;
    pthread_mutex_init(&lock, NULL);
}

static void init_once(void) { pthread_atfork(NULL, NULL, after_fork_in_child); }

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
