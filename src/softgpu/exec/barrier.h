/* barrier.h - the barrier of a workgroup at which waves signal and wait by separate instructions
 * (gfx12).
 *
 * The barrier completes when each wave has signalled or has ended; a wave waits for the completion
 * of the turn in which it has signalled. The waves of a workgroup may run on several threads, so
 * the sets of waves change atomically then. */
#ifndef SOFTGPU_EXEC_BARRIER_H
#define SOFTGPU_EXEC_BARRIER_H

#include "softgpu/exec/wave.h"

/* Adds the wave to one of the sets; returns the set as it was. Every wave does so when it ends, and
 * an atomic operation of the host would take longer than the rest of that. */
static inline uint32_t isa_barrier_add(const isa_wave_t *w, _Atomic uint32_t *set)
{
    const uint32_t bit = 1u << w->index_in_group;
    if (w->group->spread) return atomic_fetch_or(set, bit);
    const uint32_t old = atomic_load_explicit(set, memory_order_relaxed);
    atomic_store_explicit(set, old | bit, memory_order_relaxed);
    return old;
}

/* Completes the barrier if no wave is missing. Two waves that are the last of both sets at the same
 * time may both find that; the exchange succeeds for one of them. */
static inline void isa_barrier_complete(isa_group_t *g)
{
    const uint32_t all = (uint32_t)((UINT64_C(1) << g->n_waves) - 1);
    uint32_t signalled = atomic_load(&g->barrier.signalled);
    if (!signalled || (signalled | atomic_load(&g->barrier.ended)) != all) return;
    if (atomic_compare_exchange_strong(&g->barrier.signalled, &signalled, 0))
        atomic_fetch_add(&g->barrier.turn, 1);
}

/* Whether the wave is the first to signal in this turn. */
static inline bool isa_barrier_signal(isa_wave_t *w)
{
    isa_group_t *g = w->group;
    w->barrier_turn = atomic_load(&g->barrier.turn); /* it cannot end without this wave */
    const bool first = !isa_barrier_add(w, &g->barrier.signalled);
    isa_barrier_complete(g);
    return first;
}

/* Whether the wave may continue. */
static inline bool isa_barrier_passed(isa_wave_t *w)
{
    const uint32_t turn = atomic_load(&w->group->barrier.turn);
    if (w->barrier_turn == turn) return false;
    w->barrier_turn = turn;
    return true;
}

static inline void isa_barrier_leave(isa_wave_t *w)
{
    isa_group_t *g = w->group;
    isa_barrier_add(w, &g->barrier.ended);
    if (atomic_load(&g->barrier.signalled)) isa_barrier_complete(g);
}

#endif
