/* team.c - see team.h: rounds of a workgroup whose waves several threads take.
 *
 * Who may be spread is decided in may_spread() alone; sg_team_learn() notes what shows only when
 * waves run. A round's hand-over: the owner writes the slice, then `todo`; a thread that takes a
 * wave clears its bit, runs it, writes the reason why it stopped, then counts `pending` down. */
#include "softgpu/device/team.h"

#include "softgpu/device/futex.h"
#include "softgpu/device/internal.h"
#include "softgpu/device/observe.h"

#include <sched.h>
#include <stdlib.h>

enum {
    /* A round that takes less is not worth waking a helper: a wake costs the owner some
     * microseconds, and the helper's first wave comes some tens of microseconds later. */
    WORTH_NS = 50000,
    SPIN_NS = 20000,   /* a helper without a wave waits so long for the next round */
    SPINS = 64,        /* looks at the clock after as many looks at memory */
    OWNER_SPINS = 2000 /* then the owner sleeps until all waves have come back */
};

static _Atomic bool wanted = true;
static pthread_mutex_t totals_lock = PTHREAD_MUTEX_INITIALIZER;
static sg_spread_t totals;

/* The thread that held the lock is not in the child, and the counts are those of the parent. */
static void in_forked_child(void)
{
    pthread_mutex_init(&totals_lock, NULL);
    totals = (sg_spread_t){0};
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_forked_child);
}

void sg_team_allow(bool allowed)
{
    atomic_store(&wanted, allowed);
}

sg_spread_t sg_team_totals(void)
{
    pthread_mutex_lock(&totals_lock);
    const sg_spread_t all = totals;
    pthread_mutex_unlock(&totals_lock);
    return all;
}

const char *sg_alone_text(sg_alone_t why)
{
    static const char *const texts[SG_ALONES] = {
        [SG_ALONE_NOT] = "spread",
        [SG_ALONE_OFF] = "SOFTGPU_SPREAD is 0",
        [SG_ALONE_WATCHED] = "observed",
        [SG_ALONE_VERIFIED] = "translations are verified",
        [SG_ALONE_ATOMIC] = "atomic operations",
        [SG_ALONE_ORDER] = "stores to LDS behind loads, without a barrier"};
    return texts[why];
}

void sg_spread_add(sg_spread_t *to, const sg_spread_t *from)
{
    to->groups += from->groups;
    to->rounds += from->rounds;
    to->turns += from->turns;
    to->helped += from->helped;
    for (unsigned k = 0; k < SG_ALONES; k++)
        to->alone[k] += from->alone[k];
}

static sg_alone_t may_spread(const sg_run_t *run)
{
    if (!atomic_load_explicit(&wanted, memory_order_relaxed)) return SG_ALONE_OFF;
    if (run->instrumented && !run->unwatched) return SG_ALONE_WATCHED;
    if (isa_translate_mode() == ISA_TRANSLATE_VERIFY) return SG_ALONE_VERIFIED;
    return atomic_load_explicit(&run->alone, memory_order_relaxed);
}

/* Passes the team's counts on. */
static void report(sg_box_t *b)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks); /* before anybody holds the lock */
    pthread_mutex_lock(&totals_lock);
    sg_spread_add(&totals, &b->team.counts);
    pthread_mutex_unlock(&totals_lock);
    if (b->run->observed) sg_observe_spread(b->run, &b->team.counts);
    b->team.counts = (sg_spread_t){0};
}

bool sg_team_allowed(sg_box_t *b)
{
    sg_team_t *t = &b->team;
    const sg_alone_t why = may_spread(b->run);
    if (!why) return true;
    t->refused = true;
    t->counts.alone[why]++;
    if (!t->open) report(b);
    return false;
}

bool sg_team_learn(sg_box_t *b, const isa_wave_t *w, isa_stop_t why)
{
    sg_alone_t found = SG_ALONE_NOT;
    if (why == ISA_STOP_ALONE) found = SG_ALONE_ATOMIC;
    /* a wave stops for this reason at a barrier of gfx12, too, where it may be spread */
    if (why == ISA_STOP_STEP && isa_table[w->ip->op].klass != ISA_CLASS_INTERNAL)
        found = SG_ALONE_ORDER;
    if (found) atomic_store_explicit(&b->run->alone, found, memory_order_relaxed);
    return found;
}

/* ---- running waves ---- */

typedef struct {
    const sg_box_t *b;
    isa_wave_t *wave;
    isa_ran_t *ran;
    isa_stop_t why;
} one_t;

static void run_one(void *arg)
{
    one_t *one = arg;
    one->why = sg_observe_run(one->b, one->wave, one->b->team.slice, one->ran);
}

/* Takes a wave of the round. Threads begin at different waves, so that a wave mostly stays on one
 * thread, whose caches have its registers. -1: none is left. */
static int take_wave(sg_team_t *t, uint32_t from)
{
    uint32_t left = atomic_load_explicit(&t->todo, memory_order_acquire);
    while (left) {
        const uint32_t behind = left >> from << from;
        const uint32_t bit = 1u << __builtin_ctz(behind ? behind : left);
        const uint32_t was = atomic_fetch_and(&t->todo, ~bit);
        if (was & bit) return __builtin_ctz(bit);
        left = was;
    }
    return -1;
}

/* Runs waves that are left of the round; returns how many. A helper, who has the pool, leaves the
 * rest when other work waits. */
static uint32_t run_waves(sg_box_t *b, uint32_t from, isa_ran_t *ran, const sg_pool_t *pool)
{
    sg_team_t *t = &b->team;
    uint32_t n = 0;
    for (int i; !(pool && sg_pool_busy(pool)) && (i = take_wave(t, from)) >= 0; n++) {
        /* The guard is around one wave and not around the loop: after a wave's fault, the owner
         * goes on with the other waves of the round. */
        one_t one = {b, b->wave[i], ran, ISA_STOP_MEMORY};
        sg_box_guarded(b, &one.wave, run_one, &one);
        t->why[i] = one.why;
        if (atomic_fetch_sub(&t->pending, 1) == 1 && atomic_load(&t->owner_waits))
            sg_futex_wake(&t->pending, 1);
    }
    return n;
}

/* ---- the owner ---- */

static void await_round(sg_team_t *t)
{
    for (unsigned n = 0; n < OWNER_SPINS; n++) {
        if (!atomic_load_explicit(&t->pending, memory_order_acquire)) return;
        sg_cpu_relax();
    }
    atomic_store(&t->owner_waits, 1);
    for (uint32_t n; (n = atomic_load(&t->pending)) != 0;)
        sg_futex_wait(&t->pending, n, 0);
    atomic_store(&t->owner_waits, 0);
}

void sg_team_round(sg_box_t *b, uint32_t todo, int32_t slice)
{
    sg_team_t *t = &b->team;
    const uint64_t begin = sg_device_clock();
    const uint32_t n = (uint32_t)__builtin_popcount(todo);
    const uint32_t members = atomic_load_explicit(&t->members, memory_order_relaxed);
    isa_ran_t *ran = sg_observe_ran(b);
    t->counts.groups += !t->had_team;
    t->had_team = true;
    t->slice = slice;
    b->group.spread = true;
    atomic_store_explicit(&t->pending, n, memory_order_relaxed);
    atomic_store_explicit(&t->todo, todo, memory_order_release);
    if (n > members + 1 && t->round_ns >= WORTH_NS) sg_pool_call(b->run->pool, n - members - 1);
    run_waves(b, 0, ran, NULL);
    t->own_ns = sg_device_clock() - begin;
    await_round(t);
    b->group.spread = false;
    t->round_ns = sg_device_clock() - begin;
    t->counts.rounds++;
    t->counts.turns += n;
}

void sg_team_open(sg_box_t *b)
{
    sg_team_t *t = &b->team;
    sg_teams_t *all = sg_pool_teams(b->run->pool);
    t->round_ns = UINT64_MAX;
    t->n_joined = 0;
    t->open = true;
    atomic_store_explicit(&t->closing, 0, memory_order_relaxed);
    atomic_store_explicit(&t->todo, 0, memory_order_relaxed);
    pthread_mutex_lock(&all->lock);
    t->next = all->first;
    all->first = b;
    atomic_fetch_add(&all->n_open, 1);
    pthread_mutex_unlock(&all->lock);
}

void sg_team_close(sg_box_t *b)
{
    sg_team_t *t = &b->team;
    sg_teams_t *all = sg_pool_teams(b->run->pool);
    sg_box_t **link = &all->first;
    pthread_mutex_lock(&all->lock);
    while (*link != b)
        link = &(*link)->team.next;
    *link = t->next;
    atomic_fetch_sub(&all->n_open, 1);
    pthread_mutex_unlock(&all->lock);
    atomic_store(&t->closing, 1);
    for (unsigned n = 0; atomic_load_explicit(&t->members, memory_order_acquire); n++) {
        sg_cpu_relax();
        if (n > OWNER_SPINS) sched_yield(); /* a helper has lost its processor */
    }
    t->open = false;
    t->counts.helped += atomic_exchange(&t->helped, 0);
    report(b);
}

/* ---- helpers ---- */

/* The team with waves to run that has the fewest helpers; the caller is one of them from then on.
 */
static sg_box_t *join(sg_teams_t *all, uint32_t *number)
{
    sg_box_t *best = NULL;
    pthread_mutex_lock(&all->lock);
    for (sg_box_t *b = all->first; b; b = b->team.next)
        if (atomic_load_explicit(&b->team.todo, memory_order_relaxed) &&
            (!best || atomic_load(&b->team.members) < atomic_load(&best->team.members)))
            best = b;
    if (best) {
        atomic_fetch_add(&best->team.members, 1);
        *number = ++best->team.n_joined;
    }
    pthread_mutex_unlock(&all->lock);
    return best;
}

/* The wave at which helper `number` begins: 1 in the middle, the next ones in the middles of what
 * is left between those. */
static uint32_t first_wave(uint32_t number, uint32_t n_waves)
{
    uint32_t part = 0;
    for (unsigned bit = 0; bit < 5; bit++)
        part |= (number >> bit & 1) << (4 - bit);
    return part * n_waves / 32;
}

/* Waits for the team's next round. False: for too long, or there is something else to do. */
static bool next_round(sg_team_t *t, sg_pool_t *p)
{
    const uint64_t begin = sg_device_clock();
    for (;;) {
        for (unsigned n = 0; n < SPINS; n++) {
            if (atomic_load(&t->closing) || sg_pool_busy(p)) return false;
            if (atomic_load_explicit(&t->todo, memory_order_relaxed)) return true;
            sg_cpu_relax();
        }
        if (sg_device_clock() - begin > SPIN_NS) return false;
    }
}

bool sg_team_help(sg_teams_t *all, sg_pool_t *p)
{
    uint32_t number, n = 0;
    if (!atomic_load(&all->n_open)) return false;
    sg_box_t *b = join(all, &number);
    if (!b) return false;
    sg_team_t *t = &b->team;
    isa_ran_t *ran = b->run->unwatched ? calloc(1, sizeof *ran) : NULL;
    const uint32_t from = first_wave(number, b->group.n_waves);
    const bool counts = ran || !b->run->unwatched; /* else memory has run out */
    while (counts) {
        n += run_waves(b, from, ran, p);
        if (!next_round(t, p)) break;
    }
    if (ran) sg_observe_helped(b->run, ran);
    free(ran);
    atomic_fetch_add_explicit(&t->helped, n, memory_order_relaxed);
    atomic_fetch_sub_explicit(&t->members, 1, memory_order_release);
    return n > 0;
}
