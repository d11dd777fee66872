/* race_lds.c - LDS: who accessed which dword last, and whether a wave's access is in order with
 * that.
 *
 * Each dword has a shadow word for its last write and one for its last read, and a second of each
 * for another wave's access that it would have replaced. Words from before the last barrier are
 * ignored; times never repeat, so that nothing is cleared at a barrier. Lanes of one instruction
 * are in no race with each other. */
#include "softgpu/check/race.h"

#include "softgpu/check/race_row.h"

#include <stdio.h>

typedef struct {
    race_access_t race;
    race_state_t *s;
    const isa_wave_t *w;
    const isa_inst_t *i;
    const race_site_t *site;
    unsigned wave, element;
    uint64_t limit; /* words below it are from before the last barrier */
    bool seconds;   /* some second word is newer than the last barrier */
    uint64_t again; /* the mask of race_again() */
} access_t;

/* Another wave's access since the last barrier. */
static inline bool hot(const access_t *x, uint64_t word)
{
    return word >= x->limit && ((word ^ x->race.word) & RACE_WAVE_BITS);
}

/* Whether the kinds of two accesses to the same bytes make a race, if nothing orders them. */
static bool kinds_race(const access_t *x, uint64_t word, bool is_read, unsigned lane, uint32_t at,
                       uint32_t from, uint32_t bytes)
{
    const bool atomic = word & RACE_ATOMIC;
    if (is_read) return !atomic;
    switch (x->race.kind) {
    case RACE_LOAD: return !x->site->atomic && !(atomic && x->site->tries);
    case RACE_RMW: return !atomic && !x->site->waits;
    default:
        if (atomic) return !(word & RACE_EXTRA);
        return !race_same(x->w, x->i, x->site, x->element, lane, x->w->group->lds + at, from,
                          bytes);
    }
}

static void look(access_t *x, uint64_t word, bool is_read, unsigned lane, uint32_t at,
                 uint32_t from, uint32_t bytes)
{
    const unsigned wave = race_wave(word);
    if (!hot(x, word) || !(word >> RACE_MASK_SHIFT & race_mask(at, bytes))) return;
    if (race_owner(word) <= race_clock_knows(&x->s->clock, x->wave, wave)) return;
    if (kinds_race(x, word, is_read, lane, at, from, bytes))
        race_found(&x->race, lane, at, word, is_read);
}

static __attribute__((noinline)) void look_at_all(access_t *x, unsigned lane, uint32_t at,
                                                  uint32_t from, uint32_t bytes)
{
    const uint32_t d = at / 4;
    const race_state_t *s = x->s;
    look(x, s->lds.write[d], false, lane, at, from, bytes);
    if (x->seconds) look(x, s->second.write[d], false, lane, at, from, bytes);
    if (x->race.kind == RACE_LOAD) return;
    look(x, s->lds.read[d], true, lane, at, from, bytes);
    if (x->seconds) look(x, s->second.read[d], true, lane, at, from, bytes);
}

/* Stores the word as the first; another wave's word moves to the second, and the same wave's bytes
 * are merged. */
static inline void keep(access_t *x, uint64_t *first, uint64_t *second, uint64_t word)
{
    if (hot(x, *first)) {
        *second = *first;
        x->s->second_time = x->s->clock.now;
        x->seconds = true;
    } else if (!((*first ^ word) >> RACE_WAVE_SHIFT)) {
        word |= *first & RACE_MASK_BITS;
    }
    *first = word;
}

/* An access to `bytes` bytes of one dword, `from` bytes into the lane's element. */
static inline void touch(access_t *x, unsigned lane, uint32_t at, uint32_t from, uint32_t bytes)
{
    race_state_t *s = x->s;
    const uint32_t d = at / 4;
    const uint64_t word = x->race.word | (uint64_t)lane << RACE_LANE_SHIFT |
                          (uint64_t)race_mask(at, bytes) << RACE_MASK_SHIFT;
    const bool reads = x->race.kind == RACE_LOAD;
    bool near = hot(x, s->lds.write[d]) || (!reads && hot(x, s->lds.read[d]));
    if (x->seconds) near |= hot(x, s->second.write[d]) || (!reads && hot(x, s->second.read[d]));
    if (near) look_at_all(x, lane, at, from, bytes);
    if (reads)
        keep(x, &s->lds.read[d], &s->second.read[d], word);
    else
        keep(x, &s->lds.write[d], &s->second.write[d], word);
}

/* The usual lanes: whole aligned dwords that no other wave has accessed in conflict. Returns the
 * lanes that need a closer look. What is read of *x is kept in registers: stores to the shadow do
 * not change it. */
static uint64_t touch_whole(access_t *x, const sgc_lanes_t *a, uint64_t lanes, uint32_t size)
{
    race_state_t *const s = x->s;
    const uint64_t mine = x->race.word | RACE_MASK_BITS, limit = x->limit;
    const uint32_t n = a->bytes / 4;
    const bool reads = x->race.kind == RACE_LOAD, seconds = x->seconds;
    const uint64_t again = x->again;
    uint64_t others = 0, last = UINT64_MAX;
    bool shared = false;
#define OTHERS(word) ((word) >= limit && ((word) ^ mine) & RACE_WAVE_BITS)
    if (a->bytes % 4 || (seconds && !reads)) return lanes;
    if (again) lanes = race_not_again(a, lanes, s->lds.read, 0, size, mine, again);
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t at = a->va[lane], word = mine | (uint64_t)lane << RACE_LANE_SHIFT;
        bool hot_one = at % 4 || at + 4 * n > size;
        if (at == last && reads) continue;
        last = at;
        for (uint32_t d = (uint32_t)at / 4, end = d + n; d < end && !hot_one; d++) {
            const uint64_t write = s->lds.write[d], read = s->lds.read[d];
            if (again && !((read ^ mine) & again)) continue;
            hot_one =
                OTHERS(write) || (reads ? seconds && OTHERS(s->second.write[d]) : OTHERS(read));
            if (hot_one) break;
            if (!reads) {
                s->lds.write[d] = word;
                continue;
            }
            if (OTHERS(read)) {
                s->second.read[d] = read;
                shared = true;
            }
            s->lds.read[d] = word;
        }
        if (hot_one) others |= UINT64_C(1) << lane;
    }
#undef OTHERS
    if (shared) {
        s->second_time = s->clock.now;
        x->seconds = true;
    }
    return others;
}

/* hot() of four words. */
RACE_ROW race_row_t hot_row(const access_t *x, race_row_t word)
{
    return (race_row_t)(word >= x->limit) &
           (race_row_t)(((word ^ x->race.word) & RACE_WAVE_BITS) != 0);
}

/* The access of all lanes: 1 << shift dwords apart from dword `d` on, each `n` dwords. Returns what
 * touch_whole() returns. */
static __attribute__((target("avx2"))) uint64_t touch_rows(access_t *x, uint32_t d, unsigned n,
                                                           unsigned shift)
{
    const access_t own = *x;
    race_state_t *const s = x->s;
    const uint64_t mine = x->race.word | RACE_MASK_BITS;
    const bool reads = x->race.kind == RACE_LOAD, seconds = x->seconds;
    const race_row_t used = race_row_used((race_row_t){0, 1, 2, 3}, n, shift);
    const race_row_t again = used & x->again;
    const unsigned rows = (ISA_LANES / 4) << shift;
    race_row_t *writers = (race_row_t *)(void *)&s->lds.write[d],
               *readers = (race_row_t *)(void *)&s->lds.read[d];
    uint64_t others = 0;
    if (own.again && race_row_all(readers, rows, mine, again)) return 0;
    for (unsigned k = 0; k < rows; k++) {
        const race_row_t r = readers[k], dword = (race_row_t){0, 1, 2, 3} + 4 * k;
        race_row_t to_do = used;
        if (own.again && !race_row_left(&to_do, r ^ mine, own.again)) continue;
        const race_row_t word = (dword >> shift) << RACE_LANE_SHIFT | mine;
        const race_row_t read = hot_row(&own, r) & to_do;
        race_row_t in_the_way = hot_row(&own, writers[k]) & to_do;
        if (!reads) in_the_way |= read;
        if (seconds)
            in_the_way |= hot_row(&own, *(race_row_t *)(void *)&s->second.write[d + 4 * k]) & to_do;
        if (__builtin_expect(race_row_any(in_the_way), 0)) {
            others |= race_row_lanes(4 * k, 4, shift);
            continue;
        }
        if (reads && race_row_any(read)) { /* another wave has read it, too */
            race_row_set((race_row_t *)(void *)&s->second.read[d + 4 * k], r, read);
            s->second_time = s->clock.now;
            x->seconds = true;
        }
        race_row_set(reads ? &readers[k] : &writers[k], word, to_do);
    }
    return others;
}

/* Handles all lanes at once where that is possible. Returns the lanes that are left for a look one
 * by one; lanes that all read one address count as one lane. */
static uint64_t touch_even(access_t *x, sgc_lanes_t *a, uint32_t size)
{
    const bool reads = x->race.kind == RACE_LOAD;
    unsigned shift;
    if ((reads || !x->seconds) && race_row_even(a, &shift) &&
        a->va[0] + (uint64_t)ISA_LANES * a->step <= size)
        return touch_rows(x, (uint32_t)a->va[0] / 4, a->bytes / 4, shift);
    return a->even && !a->step && reads ? 1 : a->exec;
}

/* An access that synchronises at a dword: it learns what other waves have published there by atomic
 * accesses, and publishes in turn. A load that counts as atomic, and an access that waits in a
 * loop, may also read a flag that was stored by a plain store: then the wave is ordered behind that
 * store. */
static void meet(access_t *x, uint32_t d, bool reads)
{
    race_clock_t *c = &x->s->clock;
    const uint64_t word = x->s->lds.write[d];
    if (reads) race_clock_acquire(c, x->wave, d);
    const bool by_flag = x->site->waits || !x->site->rmw;
    if (reads && by_flag && hot(x, word) && !(word & RACE_ATOMIC))
        race_clock_meet(c, x->wave, race_wave(word), race_owner(word));
    if (x->site->rmw) race_clock_release(c, x->wave, d);
}

static void report(const chk_group_t *g, const access_t *x, uint32_t bytes)
{
    char more[64];
    snprintf(more, sizeof more, "offset %llu of the workgroup's LDS",
             (unsigned long long)x->race.va);
    race_report(g, x->w, x->i, CHK_KIND_RACE_LDS, &x->race, bytes, more);
}

void race_lds(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
              const race_site_t *site, race_kind_t kind, sgc_lanes_t *a, unsigned element)
{
    const unsigned wave = w->index_in_group;
    const uint32_t size = w->group->lds_bytes;
    const bool returns =
        sgc_ops_table[i->op].returns || (i->fmt != ISA_FMT_DS && i->flags & ISA_F_GLC);
    const bool meets = kind == RACE_RMW || (kind == RACE_LOAD && site->atomic);
    if (w->group->n_waves == 1 || size > 4 * RACE_LDS_DWORDS) return;
    access_t x = {.race = {.kind = kind, .word = (uint64_t)wave << RACE_WAVE_SHIFT},
                  .s = s,
                  .w = w,
                  .i = i,
                  .site = site,
                  .wave = wave,
                  .element = element,
                  .limit = (uint64_t)(s->clock.barrier + 1) << RACE_OWNER_SHIFT,
                  .seconds = s->second_time > s->clock.barrier};
    uint64_t last = UINT64_MAX, left = !meets ? 0 : a->even && !a->step ? 1 : a->exec;
    if (left & ~UINT64_C(1)) sgc_lanes_spread(a);
    for (; left; left &= left - 1) {
        const uint64_t at = a->va[__builtin_ctzll(left)];
        if (at != last && at + a->bytes <= size)
            meet(&x, (uint32_t)at / 4, kind == RACE_LOAD || returns);
        last = at;
    }
    x.race.word |= (uint64_t)s->clock.own[wave] << RACE_OWNER_SHIFT |
                   (uint64_t)site->id << RACE_SITE_SHIFT |
                   (meets || site->tries ? RACE_ATOMIC : 0) |
                   (site->waits && kind == RACE_RMW ? RACE_EXTRA : 0);
    x.again = race_again(site, kind, x.race.word);
    uint64_t lanes = touch_even(&x, a, size);
    if (lanes & ~UINT64_C(1)) sgc_lanes_spread(a);
    for (lanes = touch_whole(&x, a, lanes, size); lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        const uint64_t at = a->va[lane];
        if (at + a->bytes > size) continue;
        for (uint32_t from = 0, n; from < a->bytes; from += n) {
            const uint32_t to_next = 4 - ((uint32_t)at + from) % 4;
            n = a->bytes - from < to_next ? a->bytes - from : to_next;
            touch(&x, lane, (uint32_t)at + from, from, n);
        }
    }
    if (x.race.lanes) report(g, &x, a->bytes);
}
