/* sync.c - the sync check: finds waves that have ended while other waves of the workgroup wait at a
 * barrier, and waves that wait at different barriers. */
#include "softgpu/check/part.h"

#include "softgpu/exec/exec.h"

#include <stdio.h>

/* Where waves signal and wait by separate instructions: who has waited first in a turn of the
 * barrier (exec/barrier.h), and where. */
typedef struct {
    uint32_t turn;
    const isa_wave_t *first; /* NULL: none has, or a finding has been reported */
    uint64_t pc;
} state_t;

static void start(chk_group_t *g, void *state, const isa_group_t *group)
{
    (void)g;
    (void)group;
    *(state_t *)state = (state_t){0};
}

static void report_places(const chk_group_t *g, const isa_wave_t *first, uint64_t here,
                          const isa_wave_t *w, uint64_t there)
{
    char more[160];
    const chk_finding_t at = chk_finding(g, w, NULL, CHK_KIND_BARRIER_PLACE);
    chk_finding_t f = chk_finding(g, first, NULL, CHK_KIND_BARRIER_PLACE);
    f.pc = here;
    f.other = (chk_other_t){.what = "another waits",
                            .pc = there,
                            .kernel_object = at.kernel_object,
                            .dispatch = g->dispatch->serial,
                            .group = {at.group[0], at.group[1], at.group[2]},
                            .wave = at.wave,
                            .whole_wave = true};
    snprintf(more, sizeof more, "%llu bytes of code lie between the barriers",
             (unsigned long long)(there > here ? there - here : here - there));
    f.more = more;
    chk_report(&f);
}

static void waited(chk_group_t *g, void *state, const isa_wave_t *w, uint64_t pc)
{
    state_t *s = state;
    const uint32_t turn = w->group->barrier.turn;
    if (s->turn != turn) {
        *s = (state_t){.turn = turn, .first = w, .pc = pc};
    } else if (s->first && s->pc != pc) {
        report_places(g, s->first, s->pc, w, pc);
        s->first = NULL;
    }
}

static void barrier(chk_group_t *g, void *state, const isa_group_t *group, uint32_t waiting)
{
    const uint32_t all = group->n_waves == 32 ? ~0u : (1u << group->n_waves) - 1;
    const isa_wave_t *first = NULL;
    char more[160];
    (void)state;
    if (!waiting || group->n_waves == 1) return;
    if (waiting != all) {
        const isa_wave_t *w = group->waves[__builtin_ctz(waiting)];
        chk_finding_t f = chk_finding(g, w, NULL, CHK_KIND_BARRIER_EXIT);
        f.pc = g->barrier_pc[w->index_in_group];
        snprintf(more, sizeof more, "%d of %u waves wait here, wave %d is the first that has ended",
                 __builtin_popcount(waiting), group->n_waves, __builtin_ctz(all & ~waiting));
        f.more = more;
        chk_report(&f);
    }
    if (g->split) return; /* a wave may signal where it likes: waited() compares the waits */
    for (uint32_t left = waiting; left; left &= left - 1) {
        const isa_wave_t *w = group->waves[__builtin_ctz(left)];
        if (!first) first = w;
        const uint64_t here = g->barrier_pc[first->index_in_group];
        const uint64_t there = g->barrier_pc[w->index_in_group];
        if (here == there) continue;
        report_places(g, first, here, w, there);
        return;
    }
}

const chk_part_t chk_sync_part = {.family = CHK_SYNC,
                                  .bytes = sizeof(state_t),
                                  .start = start,
                                  .barrier = barrier,
                                  .waited = waited};
