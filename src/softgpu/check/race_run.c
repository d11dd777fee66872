/* race_run.c - dispatches, and the order between their workgroups.
 *
 * The code of gfx90a does not show memory orders. They are inferred; in doubt accesses count as
 * ordered. An atomic access that changes memory publishes the clock of its wave and the stores for
 * which the wave has waited; one that reads acquires all publications at the same address.
 * Addresses are hashed to 64 slots per dispatch. A publication gets a stamp, counted through the
 * dispatch. A workgroup keeps its last few publications, and for each slot the stamp at which it
 * last read it; through a slot, a reader also acquires what the slot's publishers had read before.
 *
 * A flag may be stored by a plain store: a workgroup that reads it by an atomic load is ordered
 * after the writer up to that store. A few such writers are kept; with more of them everything
 * counts as ordered. */
#include "softgpu/check/race.h"

#include "base/log.h"
#include "base/zeros.h"
#include "softgpu/check/fork.h"
#include "softgpu/check/order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = RACE_SLOTS,
    PUBLISHED = 8, /* publications that a workgroup keeps */
    FLAGS = 8,     /* workgroups after which a workgroup is ordered by a flag */
    RUNS = 4096,   /* dispatches and copies that are recorded */
    /* Workgroups of a dispatch are fewer: when the numbering has begun again, two of the largest
       fit one after the other, so that races between them are found; and beside one that runs there
       is room for any that has half as many. */
    TOTAL_MAX = RACE_OWNERS / 2
};

typedef struct {
    _Atomic uint32_t stamp;
    _Atomic uint64_t slots;
    _Atomic uint16_t when[RACE_WAVES]; /* the publishing wave's clock: a time for each wave */
    _Atomic uint8_t wave;              /* the wave that published it */
} publication_t;

/* The publications and the reads of a workgroup. Only the workgroup's own thread changes it; other
 * threads read it. BEING_WRITTEN: a bit of `n`, set while a publication is replaced. */
#define BEING_WRITTEN (UINT32_C(1) << 31)
#define MANY          UINT32_MAX
typedef struct {
    _Atomic uint32_t n; /* publications so far; with BEING_WRITTEN while one is replaced */
    publication_t last[PUBLISHED];
    _Atomic bool reads;           /* whether it has read any slot */
    _Atomic uint32_t read[SLOTS]; /* the dispatch's stamp when the slot was last read, 0: never */
    uint32_t n_flags;
    struct {
        uint32_t owner, time;
        uint64_t flag; /* shadow word of the last flag: its store counts as published even if the
                          wave has not waited for it */
    } flags[FLAGS];
    _Atomic bool flag_any, flag_all; /* flag_any: it is ordered after some workgroup by a flag;
                                      flag_all: there are too many of these to record */
} group_t;

/* The synchronisation between the workgroups of a dispatch. */
typedef struct {
    _Atomic uint32_t stamp;     /* publications so far */
    _Atomic uint64_t passes_on; /* slots whose publishers had read slots themselves before */
    _Atomic uint32_t flag_owner[SLOTS]; /* the owner that published there when it was ordered after
                                           workgroups by flags; MANY: several owners */
    _Atomic uint32_t read[SLOTS][SLOTS];
    group_t group[];
} syncs_t;

/* The record of a dispatch or of a copy. */
typedef struct {
    uint64_t serial, kernel_object; /* kernel_object 0: a copy */
    uint64_t call;                  /* the program's call for which it runs (request.h), or 0 */
    const struct sg_memory *memory;
    uint32_t base, total; /* its owners: `total` from `base` on */
    uint32_t groups[3];
} past_t;

struct race_run {
    past_t past;
    uint32_t round; /* of the numbering of owners, when the dispatch began */
    uint32_t floor,
        before; /* all owners below the floor, and all from `before` to its own, happen before it */
    size_t bytes;             /* size of the mapping of `syncs` */
    _Atomic(syncs_t *) syncs; /* NULL: no wave has published anything */
    race_run_t *next;
};

static struct {
    pthread_mutex_t lock;
    race_run_t *active;
    past_t past[RUNS]; /* a ring: owners ascend from the oldest to the newest */
    uint64_t n;        /* dispatches and copies so far */
    uint32_t next_owner;
    uint32_t round; /* how often the numbering of owners has begun again */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_owner = 1};

/* ---- dispatches ---- */

/* No dispatch is running in the child. */
void race_run_fork(chk_fork_t when)
{
    chk_fork_mutex(&all.lock, when);
    if (when == CHK_FORK_CHILD) all.active = NULL;
}

/* The first owner from `base` on with `total` free ones; those of running dispatches are not free.
 * Under the lock. */
static uint32_t free_from(uint32_t base, uint32_t total)
{
    const race_run_t *r = all.active;
    while (r) {
        const uint32_t end = r->past.base + r->past.total;
        const bool overlaps = r->past.base < base + total && base < end;
        if (overlaps) base = end;
        r = overlaps ? all.active : r->next; /* those before it may overlap now */
    }
    return base;
}

/* The numbering of owners begins again from 1: shadow words with old numbers are invalid from then
 * on. */
static void begin_again(void)
{
    all.round++;
    all.n = 0;
    memset(all.past, 0, sizeof all.past);
    race_global_forget();
}

/* Takes `total` owners for a new actor. 0: the owners of running dispatches leave no room for
 * `total` more. Under the lock. */
static uint32_t take_owners(uint32_t total)
{
    uint32_t base = free_from(all.next_owner, total);
    if (base > RACE_OWNERS - total) {
        begin_again();
        base = free_from(1, total);
        if (base > RACE_OWNERS - total) return 0;
    }
    all.next_owner = base + total;
    return base;
}

/* The owners that happen before actor `serial`, whose first owner is `base`: those below `floor`,
 * and those from `before` to `base`. */
typedef struct {
    uint64_t serial;
    uint32_t base, floor, before;
} order_t;

static void add_past(order_t *o, const past_t *p)
{
    if (p->base >= o->base || chk_order_before(p->serial, o->serial)) return;
    if (p->base < o->floor) o->floor = p->base;
    if (p->base + p->total > o->before) o->before = p->base + p->total;
}

/* Under the lock: computes order_t from the active and the recorded actors. */
static order_t order_of(uint64_t serial, uint32_t base)
{
    order_t o = {.serial = serial, .base = base, .floor = base};
    for (const race_run_t *r = all.active; r; r = r->next)
        add_past(&o, &r->past);
    for (unsigned k = 0; k < RUNS && k < all.n; k++)
        add_past(&o, &all.past[k]);
    return o;
}

/* Says once that races in memory are not looked for in a dispatch, since it has too many
 * workgroups. */
static void say_too_large(uint64_t groups)
{
    static atomic_bool said;
    if (!atomic_exchange(&said, true))
        base_warning("race: a dispatch of %llu workgroups is not checked for races in memory: "
                     "there is room for %u of one dispatch, and for %u of all that run together",
                     (unsigned long long)groups, TOTAL_MAX - 1u, RACE_OWNERS - 1u);
}

void race_run_begin(const chk_dispatch_t *d)
{
    race_run_t *r = d->groups < TOTAL_MAX ? calloc(1, sizeof *r) : NULL;
    if (d->groups >= TOTAL_MAX) say_too_large(d->groups);
    if (!r) return;
    r->past = (past_t){.serial = d->serial,
                       .kernel_object = d->kernel_object,
                       .call = d->call,
                       .memory = d->memory,
                       .total = (uint32_t)d->groups,
                       .groups = {d->grid[0], d->grid[1], d->grid[2]}};
    r->bytes = sizeof(syncs_t) + d->groups * sizeof(group_t);
    race_global_code(d->memory, d->kernel_object);
    pthread_mutex_lock(&all.lock);
    r->past.base = take_owners(r->past.total);
    if (!r->past.base) {
        pthread_mutex_unlock(&all.lock);
        say_too_large(d->groups);
        free(r);
        return;
    }
    r->round = all.round;
    const order_t order = order_of(d->serial, r->past.base);
    r->floor = order.floor;
    r->before = order.before;
    all.past[all.n++ % RUNS] = r->past;
    r->next = all.active;
    all.active = r;
    pthread_mutex_unlock(&all.lock);
}

void race_run_end(const chk_dispatch_t *d)
{
    pthread_mutex_lock(&all.lock);
    race_run_t **at = &all.active;
    while (*at && (*at)->past.serial != d->serial)
        at = &(*at)->next;
    race_run_t *r = *at;
    if (r) *at = r->next;
    /* the numbering began again during the dispatch: its owners may be given out again, and old
     * words must not be taken for those of new owners */
    if (r && r->round != all.round) race_global_forget();
    pthread_mutex_unlock(&all.lock);
    if (!r) return;
    if (r->syncs) munmap(r->syncs, r->bytes);
    free(r);
}

void race_run_enter(race_state_t *s, uint64_t serial, uint64_t group)
{
    pthread_mutex_lock(&all.lock);
    race_run_t *r = all.active;
    while (r && r->past.serial != serial)
        r = r->next;
    pthread_mutex_unlock(&all.lock);
    s->run = r;
    if (!r) return;
    s->owner = r->past.base + (uint32_t)group;
    s->floor = r->floor;
    s->published_to_host = false;
    s->read_by = 0;
    s->before = r->before;
    s->n_before = r->past.base > r->before ? r->past.base - r->before : 0;
    memset(s->memo, 0, sizeof s->memo);
    race_step_enter(s);
}

static bool is_of(uint32_t owner, const past_t *p, past_t *out)
{
    if (owner - p->base >= p->total) return false;
    *out = *p;
    return true;
}

/* The last recorded actor whose first owner is `owner` or below. Under the lock; there always is
 * one. */
static const past_t *last_from(uint32_t owner)
{
    uint64_t low = all.n > RUNS ? all.n - RUNS : 0, high = all.n;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (all.past[middle % RUNS].base <= owner)
            low = middle;
        else
            high = middle;
    }
    return &all.past[low % RUNS];
}

/* Finds the actor of the owner; false: it is no longer recorded. Takes the lock. */
static bool find(uint32_t owner, past_t *out)
{
    bool found = false;
    pthread_mutex_lock(&all.lock);
    for (const race_run_t *r = all.active; r && !found; r = r->next)
        found = is_of(owner, &r->past, out);
    if (!found && all.n) found = is_of(owner, last_from(owner), out);
    pthread_mutex_unlock(&all.lock);
    return found;
}

const struct sg_memory *race_run_describe(uint64_t word, chk_other_t *o)
{
    past_t p;
    if (!find(race_owner(word), &p)) return NULL;
    const uint32_t id = race_owner(word) - p.base;
    o->kernel_object = p.kernel_object;
    o->request = p.call;
    o->dispatch = p.serial;
    o->group[0] = id % p.groups[0];
    o->group[1] = id / p.groups[0] % p.groups[1];
    o->group[2] = id / p.groups[0] / p.groups[1];
    return p.memory;
}

/* ---- between dispatches ---- */

static bool is_own(const race_state_t *s, uint32_t owner)
{
    return owner - s->run->past.base < s->run->past.total;
}

static bool is_before(race_memo_t *memo, unsigned *next_memo, uint32_t owner, uint64_t serial)
{
    past_t p;
    for (unsigned k = 0; k < RACE_MEMOS; k++)
        if (owner - memo[k].base < memo[k].end - memo[k].base) return memo[k].ordered;
    if (!find(owner, &p)) return true;
    /* copies with one serial run one after the other; nothing can wait for each of them */
    const bool ordered = p.serial == serial || chk_order_before(p.serial, serial);
    memo[(*next_memo)++ % RACE_MEMOS] = (race_memo_t){p.base, p.base + p.total, ordered};
    return ordered;
}

static bool other_ordered(race_state_t *s, uint32_t owner)
{
    return is_before(s->memo, &s->next_memo, owner, s->run->past.serial);
}

void race_run_publish_to_host(race_state_t *s)
{
    chk_order_publish(s->run->past.serial);
    s->published_to_host = true;
}

/* The owner of a copy, a new one if it has none yet; 0: none is free. Under the lock. */
static uint32_t owner_of_copy(uint64_t serial, uint64_t call)
{
    for (unsigned k = 0; k < RUNS && k < all.n; k++)
        if (all.past[k].serial == serial && all.past[k].call == call) return all.past[k].base;
    const uint32_t owner = take_owners(1);
    if (owner)
        all.past[all.n++ % RUNS] = (past_t){
            .serial = serial, .call = call, .base = owner, .total = 1, .groups = {1, 1, 1}};
    return owner;
}

bool race_run_copy(race_copy_t *c, uint64_t serial, uint64_t call)
{
    *c = (race_copy_t){.serial = serial, .call = call};
    pthread_mutex_lock(&all.lock);
    if (serial) c->owner = owner_of_copy(serial, call);
    c->floor = order_of(serial, c->owner).floor;
    pthread_mutex_unlock(&all.lock);
    return c->owner;
}

bool race_run_pass(race_copy_t *c, uint64_t serial)
{
    *c = (race_copy_t){.serial = serial};
    pthread_mutex_lock(&all.lock);
    const uint32_t next = all.next_owner;
    c->floor = order_of(serial, next).floor;
    pthread_mutex_unlock(&all.lock);
    return c->floor < next;
}

bool race_run_copy_ordered(race_copy_t *c, uint64_t word)
{
    return race_owner(word) == c->owner ||
           is_before(c->memo, &c->next_memo, race_owner(word), c->serial);
}

static void acquire_from_dispatch(race_state_t *s, uint32_t owner)
{
    past_t p;
    if (other_ordered(s, owner) || !find(owner, &p)) return;
    chk_order_synchronise(p.serial, s->run->past.serial);
    memset(s->memo, 0, sizeof s->memo);
}

/* ---- between workgroups of a dispatch ---- */

static inline uint32_t get(const _Atomic uint32_t *p)
{
    return atomic_load_explicit(p, memory_order_relaxed);
}

static inline void raise(_Atomic uint32_t *p, uint32_t to)
{
    uint32_t now = get(p);
    while (now < to && !atomic_compare_exchange_weak_explicit(p, &now, to, memory_order_relaxed,
                                                              memory_order_relaxed))
        ;
}

static syncs_t *make_syncs(race_run_t *r)
{
    pthread_mutex_lock(&all.lock);
    syncs_t *m = r->syncs;
    if (!m) {
        m = base_map_zeros(r->bytes);
        atomic_store_explicit(&r->syncs, m, memory_order_release);
    }
    pthread_mutex_unlock(&all.lock);
    return m;
}

static syncs_t *syncs(const race_state_t *s)
{
    return s->run ? atomic_load_explicit(&s->run->syncs, memory_order_acquire) : NULL;
}

bool race_run_has_published(const race_state_t *s)
{
    return syncs(s);
}

static group_t *group_of(const race_state_t *s, syncs_t *m, uint32_t owner)
{
    return &m->group[owner - s->run->past.base];
}

/* The newest recorded publication of the wave, or NULL. */
static publication_t *newest_of(group_t *g, uint32_t n, unsigned wave)
{
    for (uint32_t k = 0; k < n && k < PUBLISHED; k++) {
        publication_t *p = &g->last[(n - 1 - k) % PUBLISHED];
        if (p->wave == wave) return p;
    }
    return NULL;
}

/* Publishes the wave's clock at `slots`. If the clock is the same as at the wave's last
 * publication, the slots are added to that one. */
static void publish(syncs_t *m, group_t *g, const race_clock_t *c, unsigned wave, uint64_t slots)
{
    uint16_t when[RACE_WAVES];
    const uint32_t n = get(&g->n);
    publication_t *last = newest_of(g, n, wave);
    bool same = last;
    for (unsigned v = 0; v < c->waves; v++) {
        when[v] = (uint16_t)race_clock_short(c, race_clock_knows(c, wave, v));
        same = same && last->when[v] == when[v];
    }
    if (same) {
        if (slots & ~last->slots)
            atomic_fetch_or_explicit(&last->slots, slots, memory_order_relaxed);
        return;
    }
    publication_t *p = &g->last[n % PUBLISHED];
    atomic_store(&g->n, n | BEING_WRITTEN);
    for (unsigned v = 0; v < c->waves; v++)
        p->when[v] = when[v];
    p->wave = (uint8_t)wave;
    p->stamp = atomic_fetch_add(&m->stamp, 1);
    p->slots = slots;
    atomic_store(&g->n, n + 1);
}

/* If the publisher is ordered after other workgroups by flags, so are workgroups that read the
 * slots. */
static void mark_ordered_by_flags(syncs_t *m, uint32_t owner, uint64_t slots)
{
    for (; slots; slots &= slots - 1) {
        _Atomic uint32_t *by = &m->flag_owner[__builtin_ctzll(slots)];
        uint32_t now = get(by);
        while (now != owner && now != MANY &&
               !atomic_compare_exchange_weak(by, &now, now ? MANY : owner))
            ;
    }
}

/* Whether mark_ordered_by_flags() has marked one of the slots for another owner. */
static bool is_marked_for_others(const syncs_t *m, uint32_t owner, uint64_t slots)
{
    for (; slots; slots &= slots - 1) {
        const uint32_t by = get(&m->flag_owner[__builtin_ctzll(slots)]);
        if (by && by != owner) return true;
    }
    return false;
}

void race_run_release(race_state_t *s, unsigned wave, uint64_t slots)
{
    syncs_t *m = syncs(s);
    if (!s->run || (!m && !(m = make_syncs(s->run)))) return;
    group_t *g = group_of(s, m, s->owner);
    s->clock.published[wave] = s->clock.own[wave];
    publish(m, g, &s->clock, wave, slots);
    if (g->flag_any) mark_ordered_by_flags(m, s->owner, slots);
    if (!g->reads) return;
    for (uint64_t left = slots; left; left &= left - 1) {
        _Atomic uint32_t *to = m->read[__builtin_ctzll(left)];
        for (unsigned k = 0; k < SLOTS; k++)
            raise(&to[k], get(&g->read[k]));
    }
    if ((m->passes_on & slots) != slots) atomic_fetch_or(&m->passes_on, slots);
}

static void join_reads(group_t *g, const _Atomic uint32_t *from)
{
    for (unsigned k = 0; k < SLOTS; k++)
        raise(&g->read[k], get(&from[k]));
}

/* The wave's own row of stamps, cleared at its first use. */
static uint32_t *row_of(race_state_t *s, unsigned wave)
{
    if (!(s->read_by >> wave & 1)) memset(s->read[wave], 0, sizeof s->read[wave]);
    s->read_by |= 1u << wave;
    return s->read[wave];
}

/* As race_run_acquire(), but for one wave: orders it after other waves of its own workgroup. */
static void acquire_alone(race_state_t *s, const syncs_t *m, unsigned wave, uint64_t slots,
                          uint32_t now)
{
    uint32_t *own = row_of(s, wave);
    for (uint64_t left = slots; left; left &= left - 1)
        own[__builtin_ctzll(left)] = now;
    for (uint64_t left = slots & m->passes_on; left; left &= left - 1)
        for (unsigned k = 0; k < SLOTS; k++) {
            const uint32_t theirs = get(&m->read[__builtin_ctzll(left)][k]);
            if (theirs > own[k]) own[k] = theirs;
        }
}

void race_run_acquire(race_state_t *s, unsigned wave, uint64_t slots)
{
    syncs_t *m = syncs(s);
    if (!m) return;
    group_t *g = group_of(s, m, s->owner);
    const uint32_t now = atomic_load(&m->stamp);
    for (uint64_t left = slots; left; left &= left - 1)
        raise(&g->read[__builtin_ctzll(left)], now);
    for (uint64_t left = slots & m->passes_on; left; left &= left - 1)
        join_reads(g, m->read[__builtin_ctzll(left)]);
    acquire_alone(s, m, wave, slots, now);
    if (is_marked_for_others(m, s->owner, slots)) g->flag_any = g->flag_all = true;
    g->reads = true;
}

/* The workgroup has read the flag that the word `flag` describes: it is ordered after the writer
 * up to the flag's time, and after all that the writer's workgroup has read. */
static void acquire_flag(race_state_t *s, uint64_t flag)
{
    const uint32_t owner = race_owner(flag), time = race_time(flag);
    syncs_t *m = syncs(s);
    if (!m && !(m = make_syncs(s->run))) return;
    group_t *g = group_of(s, m, s->owner);
    const group_t *other = group_of(s, m, owner);
    uint32_t k = 0;
    if (other->reads) join_reads(g, other->read);
    g->reads |= other->reads;
    g->flag_all |= other->flag_any;
    g->flag_any = true;
    while (k < g->n_flags && g->flags[k].owner != owner)
        k++;
    if (k == FLAGS) {
        g->flag_all = true;
        return;
    }
    if (k == g->n_flags) g->flags[g->n_flags++].time = 0;
    g->flags[k].owner = owner;
    if (time < g->flags[k].time) return;
    g->flags[k].time = time;
    g->flags[k].flag = flag;
}

void race_run_synchronise(race_state_t *s, unsigned wave, uint64_t word)
{
    const uint32_t owner = race_owner(word);
    if (!s->run || race_run_is_before(s, owner)) return;
    if (owner == s->owner)
        race_clock_synchronise(&s->clock, wave, race_wave(word), s->clock.begin + race_time(word));
    else if (!is_own(s, owner))
        acquire_from_dispatch(s, owner);
    else if (!(word & RACE_ATOMIC))
        acquire_flag(s, word);
}

/* A possible reader of publications: a workgroup, or one wave of the publishing workgroup
 * itself. */
typedef struct {
    const group_t *group;
    const uint32_t *wave; /* the wave's row of stamps; NULL: the reader is the workgroup */
} reader_t;

/* Whether one of the slots has been read since the publication. */
static bool was_read(reader_t by, uint64_t slots, uint32_t stamp)
{
    for (; slots; slots &= slots - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(slots);
        if ((by.wave ? by.wave[k] : get(&by.group->read[k])) > stamp) return true;
    }
    return false;
}

/* The wave `by` has told others of all accesses before the time `until`. Returns whether this
 * access is one of them. `until` is so early that stores are none of them for which their wave has
 * not waited. Since a wave's reads are done in order, a read by the wave `by` itself at the time
 * `until` is one of them, too; a read by another wave at that time is not. */
static bool is_told(unsigned by, uint32_t until, unsigned wave, uint32_t time, bool is_read)
{
    const bool at_once = is_read && by == wave;
    return time < until + (at_once || time == RACE_TIME_MAX);
}

/* Whether the publication covers an access. */
static bool covers(const publication_t *p, unsigned wave, uint32_t time, bool is_read)
{
    return is_told(p->wave, p->when[wave] + 1u, wave, time, is_read);
}

/* Whether the reader has read a publication that covers the access. Each wave publishes its own
 * clock, so a publication that does not cover the access says nothing about older ones by other
 * waves. But a publication by the wave that made the access shows that this wave had not waited for
 * the access by then, so no older publication covers it. If a covering publication may have been
 * dropped, the answer is yes. */
static bool published(const group_t *g, reader_t by, unsigned wave, uint32_t time, bool is_read)
{
    const uint32_t n = atomic_load(&g->n);
    bool may_be_forgotten = n > PUBLISHED;
    if (n & BEING_WRITTEN) return true;
    for (uint32_t k = 0; k < n && k < PUBLISHED; k++) {
        const publication_t *p = &g->last[(n - 1 - k) % PUBLISHED];
        if (!covers(p, wave, time, is_read))
            may_be_forgotten &= p->wave != wave;
        else if (was_read(by, p->slots, p->stamp))
            return true;
    }
    return may_be_forgotten ||
           atomic_load(&g->n) != n; /* or a publication was replaced meanwhile */
}

/* Whether two words describe one access. Its mask and RACE_EXTRA may differ, since later accesses
 * replace some of its bytes. */
static bool same_access(uint64_t a, uint64_t b)
{
    return !((a ^ b) & ~(RACE_MASK_BITS | RACE_EXTRA));
}

static bool group_ordered(const race_state_t *s, uint64_t word, bool is_read)
{
    syncs_t *m = syncs(s);
    if (!m) return false;
    const uint32_t owner = race_owner(word), time = race_time(word);
    const group_t *by = group_of(s, m, s->owner);
    if (by->flag_all) return true;
    for (uint32_t k = 0; k < by->n_flags; k++) {
        const uint64_t flag = by->flags[k].flag;
        if (by->flags[k].owner == owner &&
            (is_told(race_wave(flag), by->flags[k].time, race_wave(word), time, is_read) ||
             same_access(flag, word)))
            return true;
    }
    return by->reads &&
           published(group_of(s, m, owner), (reader_t){by, NULL}, race_wave(word), time, is_read);
}

/* Whether the access of another wave of the same workgroup is ordered before: by a barrier, by LDS,
 * or by an address in global memory at which both waves have synchronised. */
static bool wave_ordered(race_state_t *s, unsigned wave, uint64_t word, bool is_read)
{
    const uint32_t time = race_time(word);
    if (time == RACE_TIME_MAX ||
        s->clock.begin + time <= race_clock_knows(&s->clock, wave, race_wave(word)))
        return true;
    syncs_t *m = s->read_by >> wave & 1 ? syncs(s) : NULL;
    return m && published(group_of(s, m, s->owner), (reader_t){NULL, s->read[wave]},
                          race_wave(word), time, is_read);
}

bool race_run_ordered(race_state_t *s, unsigned wave, uint64_t word, bool is_read)
{
    const uint32_t owner = race_owner(word);
    if (owner == s->owner) return wave_ordered(s, wave, word, is_read);
    return is_own(s, owner) ? group_ordered(s, word, is_read) : other_ordered(s, owner);
}
