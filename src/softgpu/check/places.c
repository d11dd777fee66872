/* places.c - see places.h. A sorted array under a readers-writer lock: waves cache the answers and
 * seldom look up. Freed allocations stay in the array until new ones overlap them. */
#include "softgpu/check/places.h"

#include "base/grow.h"
#include "base/log.h"
#include "softgpu/check/fork.h"
#include "softgpu/check/sink.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GONE_MAX = 4096, PAGE_BYTES = 4096 };

static struct {
    pthread_rwlock_t lock;
    chk_place_t **place; /* by address, without overlaps */
    size_t n, room, n_gone;
    uint64_t serial;
    _Atomic uint64_t epoch;
    pid_t process; /* the process whose allocations these are */
    atomic_bool
        blind; /* an allocation is missing: the owner of an address may be unknown from now on */
} all = {.lock = PTHREAD_RWLOCK_INITIALIZER, .epoch = 1};

void chk_places_fork(chk_fork_t when)
{
    chk_fork_rwlock(&all.lock, when);
}

uint64_t chk_places_epoch(void)
{
    return atomic_load_explicit(&all.epoch, memory_order_acquire);
}

static uint64_t end_of(const void *of, size_t k)
{
    (void)of;
    return all.place[k]->end;
}

/* Index of the first allocation that ends after `va`. */
static size_t first_ending_after(uint64_t va)
{
    return chk_first_ending_after(all.n, va, end_of, NULL);
}

static void take_out(size_t at, size_t count)
{
    for (size_t k = at; k < at + count; k++) {
        all.n_gone -= !all.place[k]->live;
        free(all.place[k]);
    }
    all.n -= count;
    memmove(all.place + at, all.place + at + count, (all.n - at) * sizeof(*all.place));
}

/* Removes the oldest freed allocation. */
static void forget_oldest(void)
{
    size_t oldest = all.n;
    for (size_t k = 0; k < all.n; k++)
        if (!all.place[k]->live &&
            (oldest == all.n || all.place[k]->serial < all.place[oldest]->serial))
            oldest = k;
    if (oldest < all.n) take_out(oldest, 1);
}

static bool make_room(void)
{
    return BASE_GROW(all.place, all.n, &all.room);
}

/* Under the lock: removes the allocations between the addresses; returns whether any of them is
 * live. */
static bool clear(uint64_t begin, uint64_t end)
{
    const size_t at = first_ending_after(begin);
    size_t count = 0;
    bool over = false;
    for (; at + count < all.n && all.place[at + count]->begin < end; count++) {
        const chk_place_t *old = all.place[at + count];
        over |= old->live && !(old->flags & SOFTGPU_CHECK_INNER);
    }
    take_out(at, count);
    return over;
}

static void go_blind(void)
{
    if (!atomic_exchange(&all.blind, true))
        base_error("no memory to keep track of allocations: accesses outside them are not found");
}

bool chk_places_all(void)
{
    return !atomic_load_explicit(&all.blind, memory_order_relaxed);
}

uint64_t chk_place_add(uint64_t begin, uint64_t bytes, const char *call, unsigned flags,
                       const chk_stack_t *made)
{
    const uint64_t end = begin + bytes;
    if (!bytes || end < begin) return 0;
    chk_place_t *p = calloc(1, sizeof *p);
    uint64_t serial = 0;
    pthread_rwlock_wrlock(&all.lock);
    const bool over = clear(begin, end);
    if (p && make_room()) {
        const size_t at = first_ending_after(begin);
        serial = ++all.serial;
        *p = (chk_place_t){.begin = begin,
                           .end = end,
                           .flags = flags,
                           .live = true,
                           .over = over,
                           .serial = serial,
                           .call = call,
                           .made = *made};
        memmove(all.place + at + 1, all.place + at, (all.n - at) * sizeof(*all.place));
        all.place[at] = p;
        all.n++;
        all.process = getpid();
        p = NULL;
    }
    if (!serial) go_blind();
    atomic_fetch_add_explicit(&all.epoch, 1, memory_order_release);
    pthread_rwlock_unlock(&all.lock);
    free(p);
    return serial;
}

/* Under the lock: the allocation that begins there, or NULL. */
static chk_place_t *beginning_at(uint64_t begin)
{
    const size_t at = first_ending_after(begin);
    return at < all.n && all.place[at]->begin == begin ? all.place[at] : NULL;
}

/* Under the lock: the live allocation with that serial, or NULL. */
static chk_place_t *live_one(uint64_t begin, uint64_t serial)
{
    chk_place_t *p = beginning_at(begin);
    return p && p->live && p->serial == serial ? p : NULL;
}

bool chk_place_at(uint64_t begin, chk_place_t *out)
{
    pthread_rwlock_rdlock(&all.lock);
    const chk_place_t *p = beginning_at(begin);
    const bool there = p && p->live && !p->gone_by;
    if (there) *out = *p;
    pthread_rwlock_unlock(&all.lock);
    return there;
}

void chk_place_name(uint64_t begin, uint64_t serial, const char *variable)
{
    pthread_rwlock_wrlock(&all.lock);
    chk_place_t *p = live_one(begin, serial);
    if (p) p->variable = variable;
    pthread_rwlock_unlock(&all.lock);
}

void chk_place_own(uint64_t begin, uint64_t host)
{
    pthread_rwlock_wrlock(&all.lock);
    chk_place_t *p = beginning_at(begin);
    if (p && p->live) p->host = host;
    pthread_rwlock_unlock(&all.lock);
}

void chk_place_ending(uint64_t begin, uint64_t serial, const char *by, const chk_stack_t *gone)
{
    pthread_rwlock_wrlock(&all.lock);
    chk_place_t *p = live_one(begin, serial);
    if (p) {
        p->gone_by = by;
        p->gone = *gone;
    }
    pthread_rwlock_unlock(&all.lock);
}

uint64_t chk_place_end(uint64_t begin, uint64_t serial, const char *by, const chk_stack_t *gone,
                       bool held)
{
    uint64_t bytes = 0;
    pthread_rwlock_wrlock(&all.lock);
    chk_place_t *p = live_one(begin, serial);
    if (p) {
        bytes = p->end - p->begin;
        p->live = false;
        p->held = held;
        if (by) {
            p->gone_by = by;
            p->gone = *gone;
        }
        if (++all.n_gone > GONE_MAX) forget_oldest();
        atomic_fetch_add_explicit(&all.epoch, 1, memory_order_release);
    }
    pthread_rwlock_unlock(&all.lock);
    return bytes;
}

void chk_place_released(uint64_t begin, uint64_t serial)
{
    pthread_rwlock_wrlock(&all.lock);
    chk_place_t *p = beginning_at(begin);
    if (p && p->serial == serial) p->held = false;
    pthread_rwlock_unlock(&all.lock);
}

/* Whether it is host memory that was unlocked. */
static bool is_unlocked(const chk_place_t *p)
{
    return !p->live && p->flags & SOFTGPU_CHECK_HOST;
}

void chk_places_shared(uint64_t begin, uint64_t bytes)
{
    pthread_rwlock_wrlock(&all.lock);
    size_t at = first_ending_after(begin);
    while (at < all.n && all.place[at]->begin < begin + bytes)
        if (is_unlocked(all.place[at]))
            take_out(at, 1);
        else
            at++;
    atomic_fetch_add_explicit(&all.epoch, 1, memory_order_release);
    pthread_rwlock_unlock(&all.lock);
}

/* Whether the allocation, live or freed, says who owns its addresses. A freed one that is unmapped
 * does not: a mapping that is there now may belong to a runtime and was never announced. */
static bool counts(const chk_place_t *p, bool shared)
{
    return p->live || p->held || (shared && is_unlocked(p));
}

chk_where_t chk_place_find(uint64_t va, uint64_t begin, uint64_t end, bool shared, chk_span_t *span)
{
    chk_where_t where = CHK_OUTSIDE;
    *span = (chk_span_t){begin, end};
    if (!chk_places_all()) return CHK_INSIDE;
    pthread_rwlock_rdlock(&all.lock);
    size_t at = first_ending_after(va), last = at;
    while (at < all.n && !counts(all.place[at], shared) && all.place[at]->begin < end)
        at++;
    while (last && !counts(all.place[last - 1], shared) && all.place[last - 1]->end > begin)
        last--;
    const chk_place_t *p = at < all.n ? all.place[at] : NULL;
    const chk_place_t *q = last ? all.place[last - 1] : NULL;
    if (p && p->begin <= va) {
        *span = (chk_span_t){p->begin, p->end};
        if (p->live) where = CHK_INSIDE;
    } else {
        const bool before = q && q->end > begin, behind = p && p->begin < end;
        if (before) span->begin = q->end;
        if (behind) span->end = p->begin;
        if (!before && !behind) where = CHK_OTHERS;
    }
    pthread_rwlock_unlock(&all.lock);
    return where;
}

/* Whether the address is in the rest of the allocation's last page, where no other allocation can
 * be. */
static bool in_last_page(const chk_place_t *p, uint64_t va)
{
    return va >= p->end && (va ^ (p->end - 1)) < PAGE_BYTES;
}

static bool is_gpus(const chk_place_t *p)
{
    return p->live && !(p->flags & SOFTGPU_CHECK_HOST);
}

static bool is_piece(const chk_place_t *p)
{
    return p->live && p->call && !strcmp(p->call, "hipMemMap");
}

/* The end of the allocation. Adjacent pieces that a program has mapped count as one allocation. */
static uint64_t end_of_pieces(size_t at)
{
    while (at + 1 < all.n && is_piece(all.place[at]) && is_piece(all.place[at + 1]) &&
           all.place[at]->end == all.place[at + 1]->begin)
        at++;
    return all.place[at]->end;
}

bool chk_place_beyond(uint64_t va, uint64_t bytes, uint64_t *bad)
{
    bool beyond = false;
    if (!bytes || va + bytes < va) return false;
    pthread_rwlock_rdlock(&all.lock);
    const size_t at = first_ending_after(va);
    const chk_place_t *p = at < all.n ? all.place[at] : NULL;
    *bad = va;
    if (p && p->begin <= va) {
        const uint64_t end = end_of_pieces(at);
        beyond = p->held || (is_gpus(p) && bytes > end - va);
        if (!p->held) *bad = end;
    } else {
        beyond = (at && is_gpus(all.place[at - 1]) && in_last_page(all.place[at - 1], va)) ||
                 (p && is_gpus(p) && bytes > p->begin - va);
    }
    pthread_rwlock_unlock(&all.lock);
    return beyond;
}

void chk_places_each(void (*see)(const chk_place_t *p, void *to), void *to)
{
    pthread_rwlock_rdlock(&all.lock);
    for (size_t k = 0; k < all.n && all.process == getpid(); k++)
        see(all.place[k], to);
    pthread_rwlock_unlock(&all.lock);
}

bool chk_place_near(uint64_t va, chk_place_t *out)
{
    const chk_place_t *best = NULL;
    pthread_rwlock_rdlock(&all.lock);
    const size_t at = first_ending_after(va);
    for (size_t k = at < 2 ? 0 : at - 2; k < all.n && k < at + 2; k++) {
        const chk_place_t *p = all.place[k];
        const uint64_t d = chk_place_distance(p, va);
        if (d > CHK_NEAR_BYTES) continue;
        /* preferred in this order: an allocation around the address, even if freed; a live one; the
         * nearest */
        if (!best || !d || (chk_place_distance(best, va) && p->live > best->live) ||
            (p->live == best->live && d < chk_place_distance(best, va)))
            best = p;
    }
    if (best) *out = *best;
    pthread_rwlock_unlock(&all.lock);
    return best;
}

bool chk_place_was(uint64_t begin, chk_place_t *out)
{
    pthread_rwlock_rdlock(&all.lock);
    const chk_place_t *p = beginning_at(begin);
    const bool was = p && p->gone_by;
    if (was) *out = *p;
    pthread_rwlock_unlock(&all.lock);
    return was;
}
