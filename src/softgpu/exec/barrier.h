/* barrier.h - the barrier of a workgroup at which waves signal and wait by separate instructions
 * (gfx12).
 *
 * The barrier completes when each wave has signalled or has ended; a wave waits for the completion
 * of the turn in which it has signalled. Waves of a workgroup run one after the other on one
 * thread, so no atomics are needed. */
#ifndef SOFTGPU_EXEC_BARRIER_H
#define SOFTGPU_EXEC_BARRIER_H

#include "softgpu/exec/wave.h"

static inline void isa_barrier_complete(isa_group_t *g)
{
    const uint32_t all = (uint32_t)((UINT64_C(1) << g->n_waves) - 1);
    if ((g->barrier.signalled | g->barrier.ended) != all) return;
    g->barrier.signalled = 0;
    g->barrier.turn++;
}

/* Whether the wave is the first to signal in this turn. */
static inline bool isa_barrier_signal(isa_wave_t *w)
{
    isa_group_t *g = w->group;
    const bool first = !g->barrier.signalled;
    w->barrier_turn = g->barrier.turn;
    g->barrier.signalled |= 1u << w->index_in_group;
    isa_barrier_complete(g);
    return first;
}

/* Whether the wave may continue. */
static inline bool isa_barrier_passed(isa_wave_t *w)
{
    if (w->barrier_turn == w->group->barrier.turn) return false;
    w->barrier_turn = w->group->barrier.turn;
    return true;
}

static inline void isa_barrier_leave(isa_wave_t *w)
{
    isa_group_t *g = w->group;
    g->barrier.ended |= 1u << w->index_in_group;
    if (g->barrier.signalled) isa_barrier_complete(g);
}

#endif
