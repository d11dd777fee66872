/* idle.c - dispatches whose waves end at once: their workgroups are counted, not run.
 *
 * If the dispatch is observed, one workgroup of each size is run, and its counts are multiplied by
 * the number of workgroups of that size. So a grid of 2^56 workgroups costs as little as one of
 * eight. */
#include "softgpu/device/census.h"
#include "softgpu/device/observe.h"

#include "softgpu/exec/code_idle.h"

#include <string.h>

enum {
    AXES = 3,
    SIZES = 1 << AXES, /* sizes of workgroups: on each axis full, or cut off at the grid's edge */
    TURN = 64          /* taken branches in a turn; these waves take none */
};

bool sg_idle(const sg_run_t *run)
{
    const sg_device_t *d = run->device;
    if (run->modelled || atomic_load_explicit(&d->sampling.on, memory_order_relaxed)) return false;
    if (run->observed && run->observed->trace) return false;
    return isa_code_idle(d->code, run->core, run->isa.entry_pc);
}

/* Part of the grid: on each axis the workgroups from `first` up to, but not including, `end`. */
typedef struct {
    uint64_t first[AXES], end[AXES];
} part_t;

/* The part of the grid whose workgroups are cut off on the axes in `edges`. False: there is
 * none. */
static bool part_of(const sg_run_t *run, unsigned edges, part_t *p)
{
    for (unsigned k = 0; k < AXES; k++) {
        const uint64_t n = run->groups[k], full = run->grid[k] / run->size[k];
        p->first[k] = edges >> k & 1 ? full : 0;
        p->end[k] = edges >> k & 1 ? n : full;
        if (p->first[k] == p->end[k]) return false;
    }
    return true;
}

/* out[r]: how many of the products step * i, i from `first` on and below `end`, leave the remainder
 * r when they are divided by n. */
static void count_axis(uint64_t step, uint64_t first, uint64_t end, uint32_t n, uint64_t out[])
{
    const uint64_t whole = (end - first) / n, rest = (end - first) % n;
    memset(out, 0, n * sizeof *out);
    for (uint64_t k = 0; k < n && first + k < end; k++)
        out[(first + k) % n * (step % n) % n] += whole + (k < rest);
}

/* out[r]: how many pairs, of one product counted in `a` and one in `b`, have a sum that leaves the
 * remainder r. */
static void add_axis(const uint64_t a[], const uint64_t b[], uint32_t n, uint64_t out[])
{
    memset(out, 0, n * sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; a[i] && k < n; k++)
            out[(i + k) % n] += a[i] * b[k];
}

/* How many of the part's workgroups each compute unit gets; they are dealt to the units in turn. */
static void count_units(const sg_run_t *run, const part_t *p, uint64_t units[SG_CU_MAX])
{
    const uint32_t n = sg_units_in_turn(run);
    uint64_t x[SG_CU_MAX], y[SG_CU_MAX], sum[SG_CU_MAX];
    const uint64_t row = run->groups[0], plane = row * run->groups[1];
    count_axis(1, p->first[0], p->end[0], n, x);
    count_axis(row, p->first[1], p->end[1], n, y);
    add_axis(x, y, n, sum);
    count_axis(plane, p->first[2], p->end[2], n, y);
    add_axis(sum, y, n, x);
    memset(units, 0, SG_CU_MAX * sizeof *units);
    for (uint32_t k = 0; k < n; k++)
        units[sg_unit_of(run, k)] += x[k];
}

/* Runs the part's first workgroup; it stands for all of them. */
static void count_part(sg_box_t *b, sg_run_t *run, const part_t *p)
{
    uint64_t units[SG_CU_MAX], times = 1;
    for (unsigned k = 0; k < AXES; k++)
        times *= p->end[k] - p->first[k];
    if (run->census) sg_census_stands(run, times);
    const uint64_t first =
        p->first[0] + run->groups[0] * (p->first[1] + run->groups[1] * p->first[2]);
    if (!sg_box_start(b, run, first)) return;
    while (sg_box_turn(b, TURN) != SG_BOX_DONE && !b->failed)
        continue;
    if (run->observed) sg_observe_leave(b, times);
    if (!run->counted) return;
    count_units(run, p, units);
    sg_perf_groups_end(b->counting, units);
}

void sg_idle_count(sg_box_t *b, sg_run_t *run)
{
    part_t p;
    for (unsigned edges = 0; edges < SIZES; edges++)
        if (part_of(run, edges, &p)) count_part(b, run, &p);
    if (run->census) sg_census_stands(run, 0);
}
