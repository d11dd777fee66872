/* count.c - decides whether a dispatch is observed (counted, traced, checked), and runs its
 * workgroups accordingly.
 *
 * Counters are in perf/, trace and statistics in observe.c, counts of single instructions in
 * census.c, checks in check.c. For a dispatch that is not observed, only sg_instrument_begin() is
 * called, and sg_instrument_watch() in each turn of a workgroup. */
#include "softgpu/check/group.h"
#include "softgpu/device/census.h"
#include "softgpu/device/check.h"
#include "softgpu/device/stall.h"

#include "base/log.h"

#include <hsa/hsa.h>

void sg_instrument_begin(sg_run_t *run, const void *packet, uint64_t id)
{
    const hsa_kernel_dispatch_packet_t *p = packet;
    sg_device_t *d = run->device;
    const bool census_modelled = sg_census_run_begin(run, p->kernel_object);
    const sg_perf_level_t asked = sg_perf_level(d->perf, &run->queue->counting);
    const uint64_t snapshots = sg_sampling_clocks(d);
    const bool modelled = d->profile.model_time || census_modelled || snapshots;
    const sg_perf_level_t level = modelled ? SG_PERF_MODEL : asked;
    const uint32_t scalars = run->n_user + (uint32_t)__builtin_popcount(run->system);
    sg_observe_begin(run, p->kernel_object, id);
    run->counted = NULL;
    if (level != SG_PERF_OFF) {
        const sg_perf_launch_t launch = {
            .level = level,
            .idle = asked == SG_PERF_OFF,
            .snapshots = snapshots,
            .vgprs = sg_run_rows(run),
            .narrow = run->isa.narrow,
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
                      .narrow = run->isa.narrow,
                      .user = run->user,
                      .n_user = run->n_user}};
        if (level != SG_PERF_MODEL || sg_pool_of_model(d))
            run->counted = sg_perf_run_begin(d->perf, &launch);
        if (!run->counted) base_error("no memory to count dispatch %llu", (unsigned long long)id);
    }
    if (census_modelled && !run->counted) sg_census_run_unmodelled(run);
    sg_check_begin(run, p, id, scalars);
    run->instrumented = run->observed || run->counted || run->census || run->checked;
    run->unwatched = sg_observe_needs_no_watch(run);
    run->modelled = run->counted && level == SG_PERF_MODEL;
}

/* Sets the times of a run in model time, in which kernels run one after the other, and none starts
 * before the host started it. */
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

void sg_instrument_end(sg_run_t *run, uint64_t *end_ts)
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

/* ---- clients: observers of workgroups ---- */

static void observe_start(sg_box_t *b, uint64_t id)
{
    (void)id;
    sg_observe_start(b);
}

static void check_watch(sg_box_t *b, isa_watch_t *watch)
{
    if (!b->check) return;
    chk_group_watch(b->check, watch);
    sg_stall_watch(b, watch);
}

static void check_barrier(sg_box_t *b)
{
    if (b->check) chk_group_barrier(b->check, &b->group, b->sleeping);
}

static void census_start(sg_box_t *b, uint64_t id)
{
    (void)id;
    sg_census_turn(b, true);
}

static void census_watch(sg_box_t *b, isa_watch_t *watch)
{
    isa_watch_census(watch, b->census);
}

static void count_start(sg_box_t *b, uint64_t id)
{
    lock(b);
    sg_perf_group_start(b->counting, b->run->counted, id, b->unit, &b->group);
    unlock(b);
}

static void count_watch(sg_box_t *b, isa_watch_t *watch)
{
    sg_perf_group_watch(b->counting, watch);
}

static void count_barrier(sg_box_t *b)
{
    uint64_t waited[ISA_GROUP_WAVES];
    isa_census_t *census = b->run->census ? b->census : NULL;
    if (!b->run->modelled) return;
    sg_perf_group_barrier(b->counting, &b->group, waited);
    for (uint32_t i = 0; census && census->costs && i < b->group.n_waves; i++) {
        const isa_wave_t *w = b->wave[i]; /* w->ip is after the s_barrier */
        if (waited[i]) isa_census_line(census, w, w->ip - 1)->n.wait_barrier += waited[i];
    }
}

/* Any function but the first may be NULL. */
typedef struct {
    bool (*wants)(const sg_run_t *run);
    void (*start)(sg_box_t *b, uint64_t id);
    void (*watch)(sg_box_t *b, isa_watch_t *watch); /* adds subscribers to instructions */
    void (*barrier)(sg_box_t *b);
} client_t;

#define WANTS(name, member)                                                                        \
    static bool name(const sg_run_t *run)                                                          \
    {                                                                                              \
        return run->member;                                                                        \
    }
WANTS(is_observed, observed)
WANTS(is_checked, checked)
WANTS(has_census, census)
WANTS(is_counted, counted)

/* The census is before the counters: their model of time adds costs to the census's lines. */
static const client_t clients[] = {
    {is_observed, observe_start, sg_observe_watch, NULL},
    {is_checked, sg_check_start, check_watch, check_barrier},
    {has_census, census_start, census_watch, NULL},
    {is_counted, count_start, count_watch, count_barrier},
};

#define EACH(box, function, ...)                                                                   \
    for (unsigned k = 0; k < sizeof clients / sizeof *clients; k++)                                \
        if (clients[k].function && clients[k].wants((box)->run)) clients[k].function(__VA_ARGS__)

void sg_instrument_start(sg_box_t *b, uint64_t id)
{
    EACH(b, start, b, id);
}

bool sg_instrument_watch(sg_box_t *b, const isa_interrupt_t *interrupt)
{
    b->watch = (isa_watch_t){.interrupt = interrupt, .seen = b->seen};
    if (b->run->instrumented) EACH(b, watch, b, &b->watch);
    return isa_watched(&b->watch);
}

void sg_instrument_barrier(sg_box_t *b)
{
    EACH(b, barrier, b);
}

/* Runs a turn of an observed workgroup. When the workgroup ends, its counts are added to those of
 * its run. */
sg_box_result_t sg_instrument_turn(sg_box_t *b, int32_t slice)
{
    if (b->run->census) sg_census_turn(b, false);
    if (!b->run->counted) return sg_box_turn(b, slice);
    lock(b);
    const sg_box_result_t result = sg_box_turn(b, slice);
    if (result == SG_BOX_DONE || result == SG_BOX_FAILED) sg_perf_group_end(b->counting);
    unlock(b);
    return result;
}
