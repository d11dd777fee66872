/* sync.c - the part that looks at how waves of a workgroup meet. */
#include "softgpu/check/part.h"

#include "softgpu/isa/isa.h"

#include <stdio.h>

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
        f.pc = isa_wave_pc(w) - 4;
        snprintf(more, sizeof more, "%d of %u waves wait here, wave %d is the first that has ended",
                 __builtin_popcount(waiting), group->n_waves, __builtin_ctz(all & ~waiting));
        f.more = more;
        chk_report(&f);
    }
    for (uint32_t left = waiting; left; left &= left - 1) {
        const isa_wave_t *w = group->waves[__builtin_ctz(left)];
        if (!first) first = w;
        if (isa_wave_pc(w) == isa_wave_pc(first)) continue;
        char function[256], line[256];
        chk_finding_t f = chk_finding(g, first, NULL, CHK_KIND_BARRIER_PLACE);
        f.pc = isa_wave_pc(first) - 4;
        chk_where_code(f.memory, isa_wave_pc(w) - 4, function, sizeof function, line, sizeof line);
        snprintf(more, sizeof more, "wave %u waits %llu bytes of code from there%s%.64s",
                 w->index_in_group,
                 (unsigned long long)(isa_wave_pc(w) > isa_wave_pc(first)
                                          ? isa_wave_pc(w) - isa_wave_pc(first)
                                          : isa_wave_pc(first) - isa_wave_pc(w)),
                 *line ? ", at " : "", line);
        f.more = more;
        chk_report(&f);
        return;
    }
}

const chk_part_t chk_sync_part = {.family = CHK_SYNC, .barrier = barrier};
