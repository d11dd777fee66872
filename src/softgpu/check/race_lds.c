/* race_lds.c - the shadow of LDS: which wave accessed each dword last, and whether a new access is
 * ordered with that one.
 *
 * Each dword has a shadow word for its last write and one for its last read, and a second one of
 * each kind, for the access of another wave that the first would have lost. Words from before the
 * last barrier are ignored; times never repeat, so that nothing is cleared at a barrier. Lanes of
 * one instruction do not race with each other. */
#include "softgpu/check/race.h"

#include "softgpu/check/race_row.h"

#include <stdio.h>

typedef struct {
    race_access_t race; /* words below its `known.floor` are from before the last barrier */
    bool seconds;       /* some second word is newer than the last barrier */
} access_t;

/* Whether the word is another wave's access since the last barrier. */
static inline bool is_concurrent(const race_access_t *own, uint64_t word)
{
    return word >= own->known.floor && ((word ^ own->word) & RACE_WAVE_BITS);
}

/* Words below this one are from before the workgroup began. */
static inline uint64_t begin_of(const race_access_t *own)
{
    return (uint64_t)(own->s->clock.begin + 1) << RACE_OWNER_SHIFT;
}

/* RACE_FIRST, or 0, for a write that replaces the word `before`. RACE_FIRST if that word is from an
 * earlier workgroup, or is a first write by the same wave after which no barrier came. */
static inline uint64_t first_of(const race_access_t *own, uint64_t before)
{
    if (before < begin_of(own)) return RACE_FIRST;
    return before < own->known.floor || is_concurrent(own, before) ? 0 : before & RACE_FIRST;
}

static inline bool gives_back(const race_access_t *own, uint64_t word, uint32_t d)
{
    return race_clock_gives_back(&own->s->clock, own->wave, d, race_owner(word));
}

/* The word to record for an atomic access after a plain store by the same wave: the word of the
 * store, with the time of the access. Atomic accesses of other waves do not race with the atomic
 * access, but they race with the store unless it releases a lock. A store that releases a lock
 * which the same wave has initialised, with no barrier in between, counts as the one that has
 * initialised it. */
static uint64_t word_after_store(const race_access_t *own, uint64_t first, uint64_t word,
                                 uint32_t d)
{
    const uint64_t site = (uint64_t)(RACE_SITES - 1) << RACE_SITE_SHIFT;
    const bool begun = first & RACE_FIRST;
    if (first < own->known.floor || first & RACE_ATOMIC) return word;
    const bool kept = own->kind == RACE_RMW ? begun || !gives_back(own, first, d)
                                            : begun && gives_back(own, word, d);
    if (!kept) return word;
    return (first & site) | (word & ~(site | RACE_ATOMIC | RACE_EXTRA));
}

/* Whether a store leaves some bytes of `first`, a plain store, unchanged: those bytes may be a
 * flag. */
static inline bool leaves_flag(const race_access_t *own, uint64_t first, uint64_t word)
{
    return own->kind == RACE_STORE && !(first & RACE_ATOMIC) && first & ~word & RACE_MASK_BITS;
}

/* Records a read: its word becomes the first of the dword; another wave's moves to the second. */
static inline __attribute__((always_inline)) void keep_read(access_t *x, const race_access_t *own,
                                                            uint32_t d, uint64_t word)
{
    race_state_t *const s = own->s;
    if (is_concurrent(own, s->lds.read[d])) {
        s->second.read[d] = s->lds.read[d];
        s->second_time = s->clock.now;
        x->seconds = true;
    }
    s->lds.read[d] = word;
}

/* Records an access that changes the dword, in the same way; the same wave's bytes are merged. */
static inline __attribute__((always_inline)) void keep_write(access_t *x, const race_access_t *own,
                                                             uint32_t d, uint64_t word)
{
    race_state_t *const s = own->s;
    const uint64_t first = s->lds.write[d];
    if (is_concurrent(own, first)) {
        s->second.write[d] = first;
        s->second_time = s->clock.now;
        x->seconds = true;
        if (leaves_flag(own, first, word))
            race_clock_leave(&s->clock, race_wave(first), d, race_owner(first));
    } else {
        word = word_after_store(own, first, word, d);
    }
    s->lds.write[d] = race_merged(first, word | first_of(own, first));
}

/* An access to up to four bytes of one dword, from the lane's element's byte `from` on. */
static void touch(access_t *x, unsigned lane, uint32_t at, uint32_t from, uint32_t bytes)
{
    const race_state_t *s = x->race.s;
    const uint32_t d = at / 4;
    const uint64_t words[] = {s->lds.write[d], x->seconds ? s->second.write[d] : 0, s->lds.read[d],
                              x->seconds ? s->second.read[d] : 0};
    for (unsigned k = 0; k < (x->race.kind == RACE_LOAD ? 2 : 4); k++)
        if (is_concurrent(&x->race, words[k]))
            race_compare(&x->race, words[k], k >= 2, lane, at, from, bytes);
    const uint64_t word = race_word(&x->race, lane, race_mask(at, bytes));
    if (x->race.kind == RACE_LOAD)
        keep_read(x, &x->race, d, race_merged(s->lds.read[d], word));
    else
        keep_write(x, &x->race, d, word);
}

/* Whether an access to a whole dword needs a closer look: another wave's is in conflict. */
static inline bool is_near(const access_t *x, const race_access_t *own, bool reads, uint32_t d)
{
    const race_state_t *s = own->s;
    return is_concurrent(own, s->lds.write[d]) ||
           (reads ? x->seconds && is_concurrent(own, s->second.write[d])
                  : is_concurrent(own, s->lds.read[d]));
}

/* touch_whole() for elements of `n` dwords. x->race is copied so that the compiler need not read it
 * again after each store to the shadow. */
static inline __attribute__((always_inline)) uint64_t touch_dwords(access_t *x,
                                                                   const sgc_lanes_t *a,
                                                                   uint64_t lanes, uint32_t size,
                                                                   bool reads, uint32_t n)
{
    const race_access_t own = x->race;
    const race_state_t *const s = own.s;
    const uint64_t mine = own.word | RACE_MASK_BITS;
    uint64_t others = 0, last = UINT64_MAX;
    if (own.again) lanes = race_not_again(a, lanes, s->lds.read, 0, size, mine, own.again);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        const uint64_t at = a->va[lane];
        bool near = at % 4 || at + 4 * n > size;
        if (at == last && reads) continue;
        last = at;
        for (uint32_t d = (uint32_t)at / 4, end = d + n; d < end && !near; d++) {
            if (reads && own.again && !((s->lds.read[d] ^ mine) & own.again)) continue;
            near = is_near(x, &own, reads, d);
            if (near) break;
            if (reads)
                keep_read(x, &own, d, race_word(&own, lane, RACE_ALL_BYTES));
            else
                keep_write(x, &own, d, race_word(&own, lane, RACE_ALL_BYTES));
        }
        if (near) others |= UINT64_C(1) << lane;
    }
    return others;
}

/* The usual lanes: whole aligned dwords that no other wave has accessed in conflict. Returns the
 * lanes that need a closer look. The compiler makes a loop each for reads and changes of dwords. */
static uint64_t touch_whole(access_t *x, const sgc_lanes_t *a, uint64_t lanes, uint32_t size)
{
    const bool reads = x->race.kind == RACE_LOAD;
    if (!lanes || a->bytes % 4 || (x->seconds && !reads)) return lanes;
    if (a->bytes != 4) return touch_dwords(x, a, lanes, size, reads, a->bytes / 4);
    return reads ? touch_dwords(x, a, lanes, size, true, 1)
                 : touch_dwords(x, a, lanes, size, false, 1);
}

/* is_concurrent() of four words. */
RACE_ROW race_row_t concurrent_row(const race_access_t *own, race_row_t word)
{
    return (race_row_t)(word >= own->known.floor) &
           (race_row_t)(((word ^ own->word) & RACE_WAVE_BITS) != 0);
}

/* first_of() of four words for which is_concurrent() is false. */
RACE_ROW race_row_t first_row(const race_access_t *own, race_row_t before)
{
    return ((race_row_t)(before < begin_of(own)) |
            ((race_row_t)(before >= own->known.floor) & before)) &
           RACE_FIRST;
}

/* Records the access of all lanes: `n` dwords each, at a distance of 1 << shift dwords from dword
 * `d` on. Returns the lanes of the rows in which another wave is in conflict; touch() has to
 * compare these. */
static __attribute__((target("avx2"))) uint64_t touch_rows(access_t *x, uint32_t d, unsigned n,
                                                           unsigned shift)
{
    const race_access_t own = x->race;
    race_state_t *const s = own.s;
    const bool reads = own.kind == RACE_LOAD, seconds = x->seconds;
    const bool met = s->clock.met > s->clock.barrier; /* a store may release a lock */
    race_row_t *writers = (race_row_t *)(void *)&s->lds.write[d],
               *readers = (race_row_t *)(void *)&s->lds.read[d];
    uint64_t others = 0;
    race_rows_t r = race_rows_of(&own, readers, n, shift);
    if (race_rows_again(&r)) return 0;
    while (race_rows_next(&r)) {
        const race_row_t read = concurrent_row(&own, r.read) & r.to_do;
        race_row_t in_the_way = concurrent_row(&own, writers[r.k]) & r.to_do;
        if (!reads) in_the_way |= read;
        if (!reads && met) in_the_way |= first_row(&own, writers[r.k]) & r.to_do;
        if (seconds)
            in_the_way |=
                concurrent_row(&own, *(race_row_t *)(void *)&s->second.write[d + 4 * r.k]) &
                r.to_do;
        if (__builtin_expect(race_row_any(in_the_way), 0)) {
            others |= race_rows_lanes(&r);
            continue;
        }
        if (reads && race_row_any(read)) { /* another wave has read the dword, too */
            race_row_set((race_row_t *)(void *)&s->second.read[d + 4 * r.k], r.read, read);
            s->second_time = s->clock.now;
            x->seconds = true;
        }
        if (reads)
            race_row_set(&readers[r.k], r.word, r.to_do);
        else
            race_row_set(&writers[r.k], r.word | first_row(&own, writers[r.k]), r.to_do);
    }
    return others;
}

/* Handles all lanes at once where that is possible. Returns the lanes that have to be compared one
 * by one; lanes that all read one address count as one lane. */
static uint64_t touch_even(access_t *x, sgc_lanes_t *a, uint32_t size)
{
    const bool reads = x->race.kind == RACE_LOAD;
    unsigned shift;
    if (x->race.kind != RACE_RMW && (reads || !x->seconds) && race_row_even(a, &shift) &&
        a->va[0] + (uint64_t)ISA_LANES * a->step <= size)
        return touch_rows(x, (uint32_t)a->va[0] / 4, a->bytes / 4, shift);
    return a->even && !a->step && reads ? 1 : a->exec;
}

/* An access that synchronises at a dword: its wave acquires the times that other waves have
 * published there by atomic accesses, and publishes its own. A load that counts as atomic, and an
 * access that waits in a loop, may also read a flag that was stored by a plain store: then the wave
 * is ordered after that store. */
static void synchronise(const race_access_t *x, uint32_t d, bool reads)
{
    race_clock_t *c = &x->s->clock;
    const uint64_t word = x->s->lds.write[d];
    if (reads) race_clock_acquire(c, x->wave, d);
    const bool by_flag = x->site->waits || !x->site->rmw;
    if (reads && by_flag && is_concurrent(x, word) && !(word & RACE_ATOMIC))
        race_clock_synchronise(c, x->wave, race_wave(word), race_owner(word));
    if (x->site->rmw) race_clock_release(c, x->wave, d);
}

/* Lanes that have every address of the access once; their addresses are filled in. */
static uint64_t lanes_of(sgc_lanes_t *a)
{
    const uint64_t lanes = a->even && !a->step ? 1 : a->exec;
    if (lanes & ~UINT64_C(1)) sgc_lanes_spread(a);
    return lanes;
}

/* Whether the recorded write is the first one to the dword and a plain store of another wave. Such
 * a store initialises the value at which the access waits; the access cannot have waited for the
 * store itself. */
static bool is_initialised_by_store(const race_access_t *x, sgc_lanes_t *a, uint32_t size)
{
    for (uint64_t left = lanes_of(a); left; left &= left - 1) {
        const uint64_t at = a->va[__builtin_ctzll(left)];
        const uint64_t word = at + a->bytes <= size ? x->s->lds.write[at / 4] : 0;
        if (is_concurrent(x, word) && (word & (RACE_FIRST | RACE_ATOMIC)) == RACE_FIRST)
            return true;
    }
    return false;
}

static void synchronise_lanes(const race_access_t *x, sgc_lanes_t *a, uint32_t size, bool reads)
{
    uint64_t last = UINT64_MAX;
    for (uint64_t left = lanes_of(a); left; left &= left - 1) {
        const uint64_t at = a->va[__builtin_ctzll(left)];
        if (at != last && at + a->bytes <= size) synchronise(x, (uint32_t)at / 4, reads);
        last = at;
    }
}

static void report(const chk_group_t *g, const race_access_t *x, uint32_t bytes)
{
    char more[64];
    snprintf(more, sizeof more, "offset %llu of the workgroup's LDS", (unsigned long long)x->va);
    race_report(g, CHK_KIND_RACE_LDS, x, bytes, more);
}

void race_lds(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
              const race_site_t *site, race_kind_t kind, sgc_lanes_t *a, unsigned element)
{
    const uint32_t size = w->group->lds_bytes;
    const bool returns =
        sgc_ops_table[i->op].returns || (i->fmt != ISA_FMT_DS && i->flags & ISA_F_GLC);
    const bool meets = kind == RACE_RMW || (kind == RACE_LOAD && site->atomic);
    if (w->group->n_waves == 1 || size > 4 * RACE_LDS_DWORDS) return;
    access_t x;
    x.seconds = s->second_time > s->clock.barrier;
    race_begin(&x.race, s, w, i, site, kind, 0);
    x.race.in_lds = true;
    x.race.element = element;
    x.race.known.floor = (uint64_t)(s->clock.barrier + 1) << RACE_OWNER_SHIFT;
    /* The times that an atomic access acquires at a dword do not order the access to that dword
     * itself, unless the access waits there for a later value than the first. */
    const bool later = site->rmw && (!site->waits || is_initialised_by_store(&x.race, a, size));
    if (meets && !later) synchronise_lanes(&x.race, a, size, kind == RACE_LOAD || returns);
    if (!site->rmw) race_clock_pass(&s->clock, x.race.wave);
    x.race.word |= (uint64_t)s->clock.own[x.race.wave] << RACE_OWNER_SHIFT |
                   (site->waits && kind == RACE_RMW ? RACE_EXTRA : 0);
    x.race.again = race_again(site, kind, x.race.word);
    uint64_t lanes = touch_even(&x, a, size);
    if (lanes & ~UINT64_C(1)) sgc_lanes_spread(a);
    for (lanes = touch_whole(&x, a, lanes, size); lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        const uint32_t at = (uint32_t)a->va[lane];
        for (uint32_t from = 0, n; from < a->bytes && a->va[lane] + a->bytes <= size; from += n) {
            n = race_in_dword(at + from, a->bytes - from);
            touch(&x, lane, at + from, from, n);
        }
    }
    if (meets && later) synchronise_lanes(&x.race, a, size, returns);
    if (x.race.lanes) report(g, &x.race, a->bytes);
}
