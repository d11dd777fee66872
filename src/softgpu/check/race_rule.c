/* race_rule.c - the rule: whether two accesses to the same bytes are in a race.
 *
 * There is one rule for LDS, global memory, copies and memory that is freed. race_lds.c and
 * race_global.c record accesses in the shadow. */
#include "softgpu/check/race.h"

/* Whether the kinds of the two accesses make a race, if nothing orders them. In LDS atomic accesses
 * have instructions of their own. In global memory, a store may be an atomic one, which has the
 * same instruction as a plain one: therefore it does not race with an atomic access. */
static bool kinds_race(const race_access_t *x, uint64_t word, bool is_read)
{
    const bool atomic = word & RACE_ATOMIC;
    if (x->kind == RACE_FREE) return true;
    if (is_read) return !atomic;
    switch (x->kind) {
    case RACE_LOAD: return !x->site->atomic && !(atomic && x->site->tries);
    case RACE_RMW: return x->in_lds && !atomic && (!x->site->waits || word & RACE_FIRST);
    default: return !atomic || (x->in_lds && (word & (RACE_EXTRA | RACE_FIRST)) != RACE_EXTRA);
    }
}

/* Whether the access is an atomic one in LDS, after a plain store that may have released a lock. */
static bool takes_lock(race_access_t *x, uint64_t word, bool is_read, uint64_t va)
{
    return x->kind == RACE_RMW && x->in_lds && !is_read && !(word & (RACE_ATOMIC | RACE_FIRST)) &&
           race_clock_gives_back(&x->s->clock, race_wave(word), (uint32_t)va / 4, race_owner(word));
}

static bool is_ordered(const race_access_t *x, uint64_t word, bool is_read)
{
    if (x->copy) return race_run_copy_ordered(x->copy, word);
    if (!x->in_lds) return race_run_ordered(x->s, x->wave, word, is_read);
    return race_owner(word) <= race_clock_knows(&x->s->clock, x->wave, race_wave(word));
}

/* Two stores of the same value do not race. */
static bool changes_nothing(race_access_t *x, uint64_t word, bool is_read, unsigned lane,
                            uint64_t va, uint32_t from, uint32_t bytes)
{
    if (x->kind != RACE_STORE || is_read || word & RACE_ATOMIC) return false;
    return x->in_lds ? race_same(x, lane, x->w->group->lds + va, from, bytes)
                     : race_global_same(x, word, lane, va, from, bytes);
}

void race_compare(race_access_t *x, uint64_t word, bool is_read, unsigned lane, uint64_t va,
                  uint32_t from, uint32_t bytes)
{
    if (x->copy && x->lanes) return; /* one race of a copy is enough */
    if (!(word >> RACE_MASK_SHIFT & race_mask(va, bytes)) || !kinds_race(x, word, is_read) ||
        is_ordered(x, word, is_read) || takes_lock(x, word, is_read, va) ||
        changes_nothing(x, word, is_read, lane, va, from, bytes))
        return;
    if (!x->lanes) {
        x->va = va;
        x->other = word;
        x->other_is_read = is_read;
    }
    x->lanes |= UINT64_C(1) << lane;
}
