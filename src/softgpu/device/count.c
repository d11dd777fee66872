/* count.c - decides whether anything looks at a dispatch, and runs its workgroups accordingly.
 *
 * Counters are in perf/, trace and statistics in observe.c, counts of single instructions in
 * census.c, checks in check.c. For a dispatch that nothing looks at, only sg_look_begin() is
 * called, and sg_look_run() while PC sampling is on. */
#include "softgpu/device/census.h"
#include "softgpu/device/check.h"
#include "softgpu/device/observe.h"
#include "softgpu/device/stall.h"

#include "base/log.h"

#include <hsa/hsa.h>

enum {
    /* compute_pgm_rsrc2: scratch offset, three workgroup ids, workgroup information */
    RSRC2_SCALARS = 0x781
};

void sg_look_begin(sg_run_t *run, const void *packet, uint64_t id)
{
    const hsa_kernel_dispatch_packet_t *p = packet;
    sg_device_t *d = run->device;
    const bool census_modelled = sg_census_run_begin(run, p->kernel_object);
    const sg_perf_level_t asked = sg_perf_level(d->perf, &run->queue->counting);
    const sg_perf_level_t level = d->profile.model_time || census_modelled ? SG_PERF_MODEL : asked;
    const uint32_t scalars = run->n_user + (uint32_t)__builtin_popcount(run->rsrc2 & RSRC2_SCALARS);
    sg_observe_begin(run, p->kernel_object, id);
    run->counted = NULL;
    if (level != SG_PERF_OFF) {
        const sg_perf_launch_t launch = {
            .level = level,
            .idle = asked == SG_PERF_OFF,
            .vgprs = run->isa.n_vgpr,
            .sgpr_words = scalars,
            .lds_bytes = run->lds_bytes,
            .memory_epoch = sg_memory_epoch(d->memory),
            .queue = &run->queue->counting,
            .acquire_scope = p->header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & 3,
            .release_scope = p->header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE & 3,
            .trace = {.entry = run->isa.entry_pc,
                      .packet = run->packet_va,
                      .threads = {run->size[0], run->size[1], run->size[2]},
                      .rsrc1 = run->rsrc1,
                      .rsrc2 = run->rsrc2,
                      .rsrc3 = run->rsrc3,
                      .user = run->user,
                      .n_user = run->n_user}};
        if (level != SG_PERF_MODEL || sg_pool_of_model(d))
            run->counted = sg_perf_run_begin(d->perf, &launch);
        if (!run->counted) base_error("no memory to count dispatch %llu", (unsigned long long)id);
    }
    if (census_modelled && !run->counted) sg_census_run_unmodelled(run);
    sg_check_begin(run, p, id, scalars);
    run->looked_at = run->observed || run->counted || run->census || run->checked;
    run->modelled = run->counted && level == SG_PERF_MODEL;
}

/* In model time kernels run one after the other, and none starts before the host started it. */
static void set_model_times(sg_run_t *run, uint64_t clocks, uint64_t *end_ts)
{
    sg_device_t *d = run->device;
    const uint64_t begun = run->start_ts, ns = clocks * 1000 / d->profile.engine_clock_mhz;
    uint64_t until = atomic_load(&d->model_until);
    do {
        run->start_ts = until > begun ? until : begun;
        *end_ts = run->start_ts + ns;
    } while (!atomic_compare_exchange_weak(&d->model_until, &until, *end_ts));
}

void sg_look_end(sg_run_t *run, uint64_t *end_ts)
{
    if (run->observed) sg_observe_end(run, *end_ts);
    sg_perf_contention_t contention = {.bandwidth = 0};
    const uint64_t clocks = run->counted ? sg_perf_run_end(run->counted, &contention) : 0;
    if (clocks && run->device->profile.model_time) set_model_times(run, clocks, end_ts);
    if (run->census) sg_census_run_end(run, *end_ts, &contention);
    if (run->checked) chk_dispatch_end(&run->check);
    run->counted = NULL;
}

static void lock(const sg_box_t *b)
{
    if (b->run->modelled) sg_perf_model_lock(b->run->device->perf);
}

static void unlock(const sg_box_t *b)
{
    if (b->run->modelled) sg_perf_model_unlock(b->run->device->perf);
}

void sg_look_start(sg_box_t *b, uint64_t id)
{
    if (b->run->observed) sg_observe_start(b);
    if (b->run->checked) sg_check_start(b, id);
    if (b->run->census) sg_census_turn(b, true);
    if (!b->run->counted) return;
    lock(b);
    sg_perf_group_start(b->counting, b->run->counted, id, b->unit, &b->group);
    unlock(b);
}

/* b->census may be left over from the box's last run. */
static isa_census_t *census_of(const sg_box_t *b)
{
    return b->run->census ? b->census : NULL;
}

static isa_check_t *check_of(const sg_box_t *b)
{
    return b->run->checked && b->check ? sg_stall_watch(b, chk_group_isa(b->check)) : NULL;
}

/* The same, but NULL if the check wants to see no instruction. */
static isa_check_t *busy_check_of(const sg_box_t *b)
{
    isa_check_t *check = check_of(b);
    return check && !check->idle ? check : NULL;
}

/* Runs the wave with an observer. Statistics and trace have one of their own, to which counters,
 * the census, the check and interrupts are added. */
static isa_stop_t run_observed(sg_box_t *b, isa_wave_t *w, int32_t slice,
                               const isa_interrupt_t *interrupt)
{
    isa_observer_t alone = {0};
    isa_observer_t *o = b->run->observed && b->sight ? &b->sight->observer : &alone;
    o->census = census_of(b);
    o->check = busy_check_of(b);
    o->interrupt = interrupt;
    const bool steps = o->census && o->census->step; /* the step also counts for the counters */
    if (b->run->counted && !steps) sg_perf_group_observer(b->counting, o);
    const isa_stop_t why = b->run->device->core->run_observed(w, slice, o);
    o->before = NULL;
    return why;
}

bool sg_look_steps(const sg_box_t *b)
{
    const sg_run_t *run = b->run;
    return run->observed || run->counted || run->census || busy_check_of(b);
}

isa_stop_t sg_look_run(sg_box_t *b, isa_wave_t *w, int32_t slice, const isa_interrupt_t *interrupt)
{
    const sg_run_t *run = b->run;
    const isa_core_t *core = run->device->core;
    isa_census_t *census = census_of(b);
    isa_check_t *check = busy_check_of(b);
    const bool joined = run->counted && census && !census->step;
    if (interrupt || run->observed || joined || (run->modelled && !census) ||
        (check && (run->counted || census)))
        return run_observed(b, w, slice, interrupt);
    if (check) return core->run_checked(w, slice, check);
    if (census) return core->run_census(w, slice, census);
    if (run->counted) return core->run_counted(w, slice, sg_perf_group_counter(b->counting));
    return core->run(w, slice);
}

void sg_look_barrier(sg_box_t *b)
{
    uint64_t waited[ISA_GROUP_WAVES];
    isa_census_t *census = census_of(b);
    if (check_of(b)) chk_group_barrier(b->check, &b->group, b->sleeping);
    if (!b->run->modelled) return;
    sg_perf_group_barrier(b->counting, waited);
    for (uint32_t i = 0; census && census->step && i < b->group.n_waves; i++) {
        const isa_wave_t *w = b->wave[i]; /* w->ip is after the s_barrier */
        if (waited[i]) isa_census_line(census, w, w->ip - 1)->n.wait_barrier += waited[i];
    }
}

/* A turn of a workgroup that is looked at. Its counts are added to the run's when it ends. */
sg_box_result_t sg_look_turn(sg_box_t *b, int32_t slice)
{
    if (b->run->census) sg_census_turn(b, false);
    if (!b->run->counted) return sg_box_turn(b, slice);
    lock(b);
    const sg_box_result_t result = sg_box_turn(b, slice);
    if (result == SG_BOX_DONE || result == SG_BOX_FAILED) sg_perf_group_end(b->counting, &b->group);
    unlock(b);
    return result;
}
