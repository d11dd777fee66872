/* count.c - dispatches and workgroups whose instructions are looked at: counters, statistics,
 * trace.
 *
 * Apart because the plain path only asks whether anybody looks. What is counted is perf's matter,
 * what is traced or kept for the statistics observe.c's. */
#include "softgpu/device/observe.h"

#include "base/log.h"

#include <hsa/hsa.h>

enum {
    COMPUTE_PERFCOUNT_ENABLE = 0x2e0b,
    /* compute_pgm_rsrc2: scratch offset, three workgroup ids, workgroup information */
    RSRC2_SCALARS = 0x781
};

void sg_look_begin(sg_run_t *run, const void *packet, uint64_t id)
{
    const hsa_kernel_dispatch_packet_t *p = packet;
    sg_device_t *d = run->device;
    const sg_perf_level_t level = sg_perf_level(d->perf);
    sg_observe_begin(run, p->kernel_object, id);
    run->counted = NULL;
    if (level != SG_PERF_OFF) {
        const sg_perf_launch_t launch = {
            .level = level,
            .enabled = atomic_load(&d->registers[COMPUTE_PERFCOUNT_ENABLE]) & 1,
            .vgprs = run->isa.n_vgpr,
            .sgpr_words = run->n_user + (uint32_t)__builtin_popcount(run->rsrc2 & RSRC2_SCALARS),
            .lds_bytes = run->lds_bytes,
            .memory_epoch = sg_memory_epoch(d->memory),
            .queue = run->queue,
            .acquire_scope = p->header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & 3,
            .release_scope = p->header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE & 3,
            .trace = {.entry = run->isa.entry_pc,
                      .threads = {run->size[0], run->size[1], run->size[2]},
                      .rsrc2 = run->rsrc2}};
        if (level != SG_PERF_MODEL || sg_pool_of_model(d))
            run->counted = sg_perf_run_begin(d->perf, &launch);
        if (!run->counted) base_error("no memory to count dispatch %llu", (unsigned long long)id);
    }
    run->looked_at = run->observed || run->counted;
    run->modelled = run->counted && level == SG_PERF_MODEL;
}

void sg_look_end(sg_run_t *run, uint64_t end_ts)
{
    if (run->observed) sg_observe_end(run, end_ts);
    if (run->counted) sg_perf_run_end(run->counted);
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
    if (!b->run->counted) return;
    lock(b);
    sg_perf_group_start(b->counting, b->run->counted, id, b->unit, &b->group);
    unlock(b);
}

/* Statistics and trace stay with their observer; counters and interruptions join it. */
static isa_stop_t run_observed(sg_box_t *b, isa_wave_t *w, int32_t slice,
                               const isa_interrupt_t *interrupt)
{
    isa_observer_t alone = {0};
    isa_observer_t *o = b->run->observed && b->sight ? &b->sight->observer : &alone;
    if (b->run->counted) sg_perf_group_observer(b->counting, o);
    o->interrupt = interrupt;
    const isa_stop_t why = b->run->device->core->run_observed(w, slice, o);
    o->before = NULL;
    o->interrupt = NULL;
    return why;
}

isa_stop_t sg_look_run(sg_box_t *b, isa_wave_t *w, int32_t slice, const isa_interrupt_t *interrupt)
{
    if (interrupt) return run_observed(b, w, slice, interrupt);
    if (!b->run->counted)
        return b->run->observed ? sg_observe_run(b, w, slice) : b->run->device->core->run(w, slice);
    if (b->run->observed || b->run->modelled) return run_observed(b, w, slice, NULL);
    return b->run->device->core->run_counted(w, slice, sg_perf_group_counter(b->counting));
}

void sg_look_barrier(sg_box_t *b)
{
    if (b->run->modelled) sg_perf_group_barrier(b->counting);
}

/* A turn of a workgroup that is counted; its counts are added when it ends. */
sg_box_result_t sg_look_turn(sg_box_t *b, int32_t slice)
{
    if (!b->run->counted) return sg_box_turn(b, slice);
    lock(b);
    const sg_box_result_t result = sg_box_turn(b, slice);
    if (result == SG_BOX_DONE || result == SG_BOX_FAILED) sg_perf_group_end(b->counting, &b->group);
    unlock(b);
    return result;
}
