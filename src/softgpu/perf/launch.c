/* launch.c - counts dispatches and workgroups: the functions that the device calls while waves run.
 *
 * A workgroup counts into memory of its own, which is added to its compute unit's sums when the
 * workgroup ends, so that threads share no counts in between. */
#include "softgpu/perf/snapshot.h"

#include "base/round.h"
#include "isa/table.h"

#include <stdlib.h>
#include <string.h>

struct sg_perf_run {
    sg_perf_t *p;
    sg_perf_launch_t launch;
    sg_schedule_t *schedule; /* SG_PERF_MODEL */
    sg_place_in_order_t order;
    bool entered;      /* sgc_begun() has been called for the dispatch */
    uint32_t *sq_mask; /* SQ's mask in each engine, 0 if SQ does not count this dispatch */
};

struct sg_perf_group {
    isa_subscriber_t subscriber; /* must be first: the hooks cast it to the workgroup's counts */
    isa_counter_t counter;
    sg_perf_run_t *run;
    uint64_t id;
    uint32_t unit, n_waves;
    bool counted; /* SQ counts its waves */
    bool counts;  /* `counter` is used: some register counts, not only the census */
    unsigned n_buckets;
    const sg_traits_t *traits;
    uint64_t fixed[SG_T_COUNT];
    /* SG_PERF_MODEL */
    sg_sqtt_group_t *traced; /* or NULL */
    bool closely;            /* it is traced or sampled: no instruction is a quick one */
    sg_clock_of_t of;
    sg_wave_clock_t clock[ISA_GROUP_WAVES];
    sg_barrier_clock_t barrier;
    const isa_group_t *group;
    isa_census_t *census; /* to whose lines the present turn adds costs, or NULL */
    /* The s_barrier_wait at which a wave is parked. `line` is its place in the census of the turn,
     * whose array may move while other waves run; 0: none. */
    struct {
        const isa_inst_t *inst;
        uint32_t line;
    } parked_at[ISA_GROUP_WAVES];
    sg_snapshots_t snapshots;
};

/* ---- dispatches ---- */

/* Whether SQ counts compute waves, and, on GPUs whose SQ can select VMIDs, waves of the first one
 * that the driver assigns to programs. */
static bool sq_enabled(const isa_arch_t *arch, uint32_t control)
{
    enum { COMPUTE = 1 << 6, FIRST_VMID = 8, VMID_SHIFT = 16 };
    return control & COMPUTE && (!arch->sq_masks || control >> VMID_SHIFT >> FIRST_VMID & 1);
}

sg_perf_run_t *sg_perf_run_begin(sg_perf_t *p, const sg_perf_launch_t *launch)
{
    const uint32_t engines = p->engines;
    sg_perf_run_t *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->p = p;
    r->launch = *launch;
    r->sq_mask = calloc(engines, sizeof *r->sq_mask);
    if (!r->sq_mask) goto fail;
    pthread_mutex_lock(&p->lock);
    for (uint32_t e = 0; e < engines; e++)
        if (launch->queue->enable & 1 && sq_enabled(p->arch, p->sq_control[e]))
            r->sq_mask[e] = p->arch->sq_masks ? p->sq_mask[e] : ~0u;
    pthread_mutex_unlock(&p->lock);
    if (launch->level != SG_PERF_MODEL) return r;
    sg_perf_model_lock(p);
    if (!p->caches) p->caches = sgc_create(p->arch, &p->profile, p->page, p->page_user);
    r->schedule = p->caches ? sg_schedule_create(p, launch) : NULL;
    if (r->schedule) sg_perf_enqueue(p, &r->order, launch->queue);
    sg_perf_model_unlock(p);
    if (r->schedule) return r;
fail:
    free(r->sq_mask);
    free(r);
    return NULL;
}

uint64_t sg_perf_run_end(sg_perf_run_t *r, sg_perf_contention_t *contention)
{
    uint64_t clocks = 0;
    if (r->schedule) {
        sg_perf_model_lock(r->p);
        sgc_release(r->p->caches, r->launch.release_scope);
        clocks = sg_schedule_end(r->schedule, contention) + r->p->profile.packet_clocks;
        sg_perf_dequeue(r->p, &r->order);
        sg_perf_model_unlock(r->p);
    }
    free(r->sq_mask);
    free(r);
    return clocks;
}

/* ---- workgroups ---- */

size_t sg_perf_group_bytes(void)
{
    return base_round_up(sizeof(sg_perf_group_t), 64);
}

/* Begins the dispatch in the cache model; called on the thread that models it. */
static void enter_run(sg_perf_run_t *r)
{
    sg_perf_t *p = r->p;
    if (p->memory_epoch != r->launch.memory_epoch) sgc_remap(p->caches);
    p->memory_epoch = r->launch.memory_epoch;
    sgc_acquire(p->caches, r->launch.acquire_scope);
    sgc_begun(p->caches);
    p->below = sgc_below(p->caches);
    sg_schedule_begin(r->schedule);
    r->entered = true;
}

static void count_launch(sg_perf_group_t *g, const isa_group_t *group)
{
    g->fixed[SG_T_GROUPS]++;
    g->fixed[SG_T_WAVES] += g->n_waves;
    g->fixed[SG_T_SGPR_WRITES] += (uint64_t)g->n_waves * ((g->run->launch.sgpr_words + 3) / 4);
    for (uint32_t i = 0; i < g->n_waves; i++) {
        const unsigned lanes = isa_lane_count(group->waves[i]->exec);
        g->fixed[SG_T_ITEMS] += lanes;
        if (lanes == ISA_LANES) {
            g->fixed[SG_T_WAVES_EQ_64]++;
            continue;
        }
        g->fixed[SG_T_WAVES_LT_64]++;
        g->fixed[SG_T_WAVES_LT_48] += lanes < 48;
        g->fixed[SG_T_WAVES_LT_32] += lanes < 32;
        g->fixed[SG_T_WAVES_LT_16] += lanes < 16;
    }
}

/* Whether SQ counts the waves of the dispatch on that compute unit. */
static bool is_counted(const sg_perf_run_t *r, uint32_t unit)
{
    const sg_perf_t *p = r->p;
    const uint32_t engine = unit / p->units_per_engine, place = unit % p->units_per_engine;
    const uint32_t array = place / p->profile.cus_per_array;
    return r->sq_mask[engine] >> (16 * array + place % p->profile.cus_per_array) & 1;
}

void sg_perf_group_start(sg_perf_group_t *g, sg_perf_run_t *r, uint64_t id, uint32_t unit,
                         const isa_group_t *group)
{
    sg_perf_t *p = r->p;
    g->counter.bucket = sg_buckets()->bucket;
    g->traits = sg_traits_paced(p->arch, r->launch.narrow);
    g->n_buckets = sg_buckets()->n;
    g->run = r;
    g->counts = !r->launch.idle;
    g->id = id;
    g->unit = unit;
    g->n_waves = group->n_waves;
    g->counted = is_counted(r, unit);
    count_launch(g, group);
    if (!r->schedule) return;
    if (!r->entered) enter_run(r);
    g->barrier = (sg_barrier_clock_t){0};
    memset(g->parked_at, 0, g->n_waves * sizeof g->parked_at[0]);
    g->group = group;
    sg_sqtt_run_t *trace = sg_schedule_trace(r->schedule);
    g->traced = trace ? sg_sqtt_group_start(trace, unit, group) : NULL;
    sg_ran_t waves;
    waves.id = id;
    waves.unit = unit;
    waves.counted = g->counted;
    waves.n_waves = g->n_waves;
    for (uint32_t i = 0; i < g->n_waves; i++) {
        waves.wave[i].simd =
            (uint8_t)isa_bits_get(group->dispatch->arch->hw_id.simd, group->waves[i]->hw_id);
        sg_wave_clock_start(&g->clock[i], sg_perf_unit_of_simd(p, unit, waves.wave[i].simd),
                            waves.wave[i].simd);
    }
    g->of = (sg_clock_of_t){.profile = &p->profile,
                            .arch = p->arch,
                            .caches = p->caches,
                            .tallies = sgc_tallies(p->caches),
                            .start = sg_schedule_start(r->schedule, &waves)};
    sg_snapshots_start(&g->snapshots, p, &r->launch, group,
                       atomic_load(&p->device[SG_D_CLOCK]) + g->of.start);
    g->closely = g->traced || g->snapshots.period;
}

/* ---- instructions ---- */

/* The barrier at which the wave was parked has completed: otherwise the wave would not run. */
static void unpark(sg_perf_group_t *g, uint32_t index)
{
    sg_wave_clock_t *clock = &g->clock[index];
    const uint64_t to = g->barrier.completed;
    const uint32_t line = g->parked_at[index].line;
    if (line && to > clock->now) g->census->line[line].n.wait_barrier += to - clock->now;
    g->parked_at[index].line = 0;
    sg_wave_clock_unpark(clock, to);
}

/* The wave is about to signal to its workgroup's barrier or to end, by which the barrier may
 * complete. Its clock has stepped over that. */
static void signal_barrier(sg_perf_group_t *g, const isa_wave_t *w, const sg_traits_t *traits)
{
    const isa_group_t *group = w->group;
    const uint32_t all = (uint32_t)((UINT64_C(1) << group->n_waves) - 1);
    const uint32_t now = group->barrier.signalled | group->barrier.ended | 1u << w->index_in_group;
    const uint64_t clock = g->clock[w->index_in_group].now;
    if (traits->flow != SG_FLOW_SIGNAL && !group->barrier.signalled) return;
    if (clock > g->barrier.signalled) g->barrier.signalled = clock;
    if (now != all) return;
    g->barrier.completed = g->barrier.signalled;
    g->barrier.signalled = 0;
}

static bool ends_wave(const isa_inst_t *i, const sg_traits_t *traits)
{
    return traits->flow == SG_FLOW_END || (traits->flow == SG_FLOW_KILL && i->imm & 1);
}

static void step_clock(sg_perf_group_t *g, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i,
                       const sg_traits_t *traits)
{
    sg_wave_clock_t *clock = &g->clock[w->index_in_group];
    if (g->snapshots.period)
        sg_snapshots_step(&g->snapshots, clock, &g->of, watch, w, i, traits);
    else
        sg_wave_clock_step(clock, &g->of, watch, w, i, traits);
    if (traits->flow < SG_FLOW_END) return;
    const bool ends = ends_wave(i, traits);
    clock->ended |= ends;
    if (traits->flow == SG_FLOW_SIGNAL || ends) signal_barrier(g, w, traits);
}

static void step(sg_perf_group_t *g, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i,
                 const sg_traits_t *traits)
{
    sg_wave_clock_t *clock = &g->clock[w->index_in_group];
    if (clock->parked) unpark(g, w->index_in_group);
    const uint64_t begin = clock->now;
    step_clock(g, watch, w, i, traits);
    if (g->traced)
        sg_sqtt_instruction(g->traced, w->index_in_group, w, i, i->pc, begin, clock->now,
                            traits->issue);
}

/* Counts and times an instruction whose run has been counted. */
static __attribute__((noinline)) void issue_slowly(sg_perf_group_t *g, isa_watch_t *watch,
                                                   isa_wave_t *w, const isa_inst_t *i,
                                                   const sg_traits_t *traits)
{
    isa_count_access(&g->counter, w, i);
    step(g, watch, w, i, traits);
}

static __attribute__((noinline)) void issue_closely(isa_subscriber_t *s, isa_watch_t *watch,
                                                    isa_wave_t *w, const isa_inst_t *i)
{
    sg_perf_group_t *g = (sg_perf_group_t *)s;
    issue_slowly(g, watch, w, i, &g->traits[isa_count_run(&g->counter, w, i)]);
}

/* Most instructions have all lanes active, and most of these need no call, or one. */
static void issue(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i)
{
    sg_perf_group_t *g = (sg_perf_group_t *)s;
    if (w->exec != ISA_ALL_LANES) {
        issue_closely(s, watch, w, i);
        return;
    }
    const sg_traits_t *traits = &g->traits[isa_count_run(&g->counter, w, i)];
    sg_wave_clock_t *clock = &g->clock[w->index_in_group];
    if (sg_wave_clock_quick(clock, traits, i->pc)) return;
    if (traits->flow < SG_FLOW_END && isa_count_is_plain(i) && !clock->parked)
        sg_wave_clock_step(clock, &g->of, watch, w, i, traits);
    else
        issue_slowly(g, watch, w, i, traits);
}

/* Steps the wave's clock and adds the clocks to the instruction's line in the census. */
static void issue_accounted(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w,
                            const isa_inst_t *i)
{
    sg_perf_group_t *g = (sg_perf_group_t *)s;
    isa_census_line_t *l = watch->line;
    sg_wave_clock_t *clock = &g->clock[w->index_in_group];
    const sg_traits_t *traits = &g->traits[g->counter.bucket[i->op]];
    if (g->counts) isa_count_run(&g->counter, w, i);
    if (!g->closely && sg_wave_clock_quick(clock, traits, i->pc)) {
        l->n.issue += traits->issue;
        l->pipe[traits->klass == ISA_CLASS_SALU ? SG_PIPE_SCALAR : SG_PIPE_VALU] += traits->issue;
        return;
    }
    sg_account_t account;
    if (g->counts) isa_count_access(&g->counter, w, i);
    if (clock->parked) unpark(g, w->index_in_group);
    sg_account_open(&account, clock, &g->of, traits, i->pc, l);
    if (g->closely || traits->flow >= SG_FLOW_END)
        step(g, watch, w, i, traits);
    else
        sg_wave_clock_step(clock, &g->of, watch, w, i, traits);
    sg_account_close(&account, clock, &g->of, l);
    if (!clock->parked) return;
    g->parked_at[w->index_in_group].inst = i;
    g->parked_at[w->index_in_group].line = (uint32_t)(l - g->census->line);
}

/* A turn begins, maybe on another thread than the last one, whose census is another one: waves are
 * parked at lines of it. */
static void find_parked(sg_perf_group_t *g, isa_census_t *census)
{
    if (!g->census && !census) return; /* nothing is parked at a line */
    g->census = census;
    for (uint32_t k = 0; k < g->n_waves; k++) {
        if (!g->parked_at[k].line) continue;
        const isa_wave_t *w = g->group->waves[k];
        const isa_inst_t *i = g->parked_at[k].inst;
        const bool there = i >= w->page->slots && i < w->page->slots + ISA_PAGE_SLOTS;
        const isa_census_line_t *l = census && there ? isa_census_line(census, w, i) : NULL;
        g->parked_at[k].line = l ? (uint32_t)(l - census->line) : 0;
    }
}

void sg_perf_group_watch(sg_perf_group_t *g, isa_watch_t *watch)
{
    const bool accounted = watch->census && watch->census->costs;
    if (!accounted) g->counts = true;
    if (!g->run || !g->run->schedule) {
        watch->counter = &g->counter;
        return;
    }
    find_parked(g, accounted ? watch->census : NULL);
    g->subscriber = (isa_subscriber_t){.wants = isa_wants_each_issue,
                                       .issue = accounted    ? issue_accounted
                                                : g->closely ? issue_closely
                                                             : issue};
    isa_watch_add(watch, &g->subscriber);
}

void sg_perf_group_barrier(sg_perf_group_t *g, const isa_group_t *group,
                           uint64_t waited[ISA_GROUP_WAVES])
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < g->n_waves; i++)
        if (g->clock[i].now > last) last = g->clock[i].now;
    sg_snapshots_barrier(&g->snapshots, group, g->clock, last);
    for (uint32_t i = 0; i < g->n_waves; i++) {
        waited[i] = g->clock[i].ended ? 0 : last - g->clock[i].now;
        sg_wave_clock_wait(&g->clock[i], g->clock[i].now + waited[i], SG_WAIT_BARRIER);
    }
}

bool sg_perf_group_snapshot(sg_perf_group_t *g, isa_wave_t *w)
{
    return sg_snapshots_take(&g->snapshots, w);
}

static void add_model(sg_perf_group_t *g)
{
    sg_ran_t ran; /* not zeroed, since it is large: only the members that are read are set */
    ran.id = g->id;
    ran.unit = g->unit;
    ran.n_waves = g->n_waves;
    ran.counted = g->counted;
    ran.waited = 0;
    ran.asked = ~UINT64_C(0);
    for (uint32_t i = 0; i < g->n_waves; i++) {
        const sg_wave_clock_t *c = &g->clock[i];
        g->fixed[SG_T_WAIT] += c->waited;
        ran.waited += c->waited;
        if (c->asked < ran.asked) ran.asked = c->asked;
        g->fixed[SG_T_VMEM_LEVEL] += c->vmem_level;
        g->fixed[SG_T_SMEM_LEVEL] += c->smem_level;
        g->fixed[SG_T_LDS_LEVEL] += c->lds_level;
        g->fixed[SG_T_FETCHES] += c->fetches;
        g->fixed[SG_T_FETCH_LEVEL] += c->fetch_level;
        ran.wave[i].clocks = c->now;
        ran.wave[i].simd = c->simd;
        memcpy(ran.wave[i].pipe, c->pipe, sizeof c->pipe);
        ran.wave[i].vector = c->vmem_level;
        ran.wave[i].loads = c->load_level;
        ran.wave[i].scalar = c->smem_level;
        ran.wave[i].n_loads = c->loads;
        ran.wave[i].n_first = c->loads_first;
        ran.wave[i].lines = c->most_lines;
    }
    const sgc_moved_t below = sgc_below(g->run->p->caches), *before = &g->run->p->below;
    ran.below = (sgc_moved_t){below.read - before->read, below.written - before->written};
    g->run->p->below = below;
    if (ran.asked == ~UINT64_C(0)) ran.asked = 0; /* the workgroup used no vector memory */
    ran.traced = g->traced;
    g->traced = NULL;
    sg_schedule_add(g->run->schedule, &ran);
}

enum { BUCKETS_AT_ONCE = 16 };
_Static_assert(ISA_BUCKETS % BUCKETS_AT_ONCE == 0, "buckets are tested in blocks");

/* Whether any of BUCKETS_AT_ONCE buckets has counted something. */
static bool has_runs(const uint64_t *runs)
{
    typedef uint64_t pair_t __attribute__((vector_size(16), aligned(8), may_alias));
    const pair_t *p = (const pair_t *)runs;
    const pair_t any = ((p[0] | p[1]) | (p[2] | p[3])) | ((p[4] | p[5]) | (p[6] | p[7]));
    return any[0] | any[1];
}

static inline void add_count(sg_sums_t *sums, isa_counter_t *c, unsigned k)
{
    if (!c->runs[k]) return;
    sg_add_held(&sums->runs[k], c->runs[k]);
    sg_add_held(&sums->lanes[k], c->lanes[k]);
    c->runs[k] = c->lanes[k] = 0;
}

/* Most buckets are 0: many are tested at once, then two. */
static void add_counts(sg_sums_t *sums, isa_counter_t *c, unsigned first, unsigned n)
{
    for (unsigned b = first; b < first + n; b += BUCKETS_AT_ONCE) {
        if (!has_runs(&c->runs[b])) continue;
        for (unsigned k = b; k < b + BUCKETS_AT_ONCE; k += 2) {
            if (!(c->runs[k] | c->runs[k + 1])) continue;
            add_count(sums, c, k);
            add_count(sums, c, k + 1);
        }
    }
}

/* The number of instructions of the given classes in a workgroup whose waves have 32 lanes. */
static uint64_t runs_of(const sg_perf_group_t *g, uint32_t classes)
{
    const isa_counter_t *c = &g->counter;
    uint64_t n = 0;
    for (unsigned b = 0; b < g->n_buckets; b++)
        if (classes >> g->traits[b].klass & 1) n += c->runs[b] + c->runs[ISA_BUCKETS + b];
    return n;
}

/* Adds the sums that are known only when the workgroup has ended. */
static void count_ended(sg_perf_group_t *g)
{
    enum {
        LDS = 1 << ISA_CLASS_LDS | 1 << ISA_CLASS_LDS_RD | 1 << ISA_CLASS_LDS_WR |
              1 << ISA_CLASS_LDS_AT
    };
    isa_counter_settle(&g->counter);
    g->fixed[SG_T_FLAT_LDS_ONLY] = g->counter.flat_lds_only;
    g->fixed[SG_T_BUFFER_RETURNS] = g->counter.buffer_returns;
    if (!g->run->launch.narrow || !g->counts) return;
    g->fixed[SG_T_INSTS_32] = runs_of(g, ~0u);
    g->fixed[SG_T_LDS_32] = runs_of(g, LDS) + g->counter.flat_lds_only;
    g->fixed[SG_T_VALU_32] = runs_of(g, 1u << ISA_CLASS_VALU | 1u << ISA_CLASS_MFMA);
}

void sg_perf_group_end(sg_perf_group_t *g)
{
    if (!g->run) return; /* the workgroup has not started */
    count_ended(g);
    sg_unit_t *u = &g->run->p->units[g->unit];
    sg_sums_t *sums = &u->sums[g->counted];
    if (g->run->schedule) {
        add_model(g);
        for (unsigned k = SG_T_MODEL; k < SG_T_COUNT; k++)
            sg_add_held(&sums->fixed[k], g->fixed[k]);
    }
    sg_unit_take(u);
    for (unsigned k = 0; k < SG_T_MODEL; k++)
        sg_add_held(&sums->fixed[k], g->fixed[k]);
    if (g->counts) {
        add_counts(sums, &g->counter, 0, g->n_buckets);
        add_counts(sums, &g->counter, ISA_BUCKETS, g->n_buckets);
    }
    sg_unit_leave(u);
    if (g->run->schedule) sg_schedule_counted(g->run->schedule);
    g->counter.flat_lds_only = g->counter.buffer_returns = 0;
    memset(g->fixed, 0, sizeof g->fixed);
    g->run = NULL;
}

static void add_times(sg_unit_t *u, const sg_perf_group_t *g, uint64_t times)
{
    sg_sums_t *sums = &u->sums[is_counted(g->run, (uint32_t)(u - g->run->p->units))];
    sg_unit_take(u);
    for (unsigned k = 0; k < SG_T_MODEL; k++)
        sg_add_held(&sums->fixed[k], times * g->fixed[k]);
    for (unsigned b = 0; g->counts && b < 2 * ISA_BUCKETS; b++) {
        sg_add_held(&sums->runs[b], times * g->counter.runs[b]);
        sg_add_held(&sums->lanes[b], times * g->counter.lanes[b]);
    }
    sg_unit_leave(u);
}

void sg_perf_groups_end(sg_perf_group_t *g, const uint64_t units[])
{
    if (!g->run) return; /* the workgroup has not started */
    count_ended(g);
    for (uint32_t u = 0; u < g->run->p->n_units; u++)
        if (units[u]) add_times(&g->run->p->units[u], g, units[u]);
    memset(g->counter.runs, 0, sizeof g->counter.runs);
    memset(g->counter.lanes, 0, sizeof g->counter.lanes);
    g->counter.flat_lds_only = g->counter.buffer_returns = 0;
    memset(g->fixed, 0, sizeof g->fixed);
    g->run = NULL;
}

/* ---- the command processor ---- */

void sg_perf_packet(sg_perf_t *p, const sg_perf_queue_t *queue)
{
    const uint32_t clocks = p->profile.packet_clocks;
    if (sg_perf_level(p, queue) != SG_PERF_MODEL) return;
    sg_add(&p->device[SG_D_PACKETS], 1);
    sg_add(&p->device[SG_D_CLOCK], clocks);
}
