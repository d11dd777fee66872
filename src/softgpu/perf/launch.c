/* launch.c - dispatches and workgroups that are counted.
 *
 * Apart from events.c because this is what runs while waves run. A workgroup counts into its own
 * memory and adds that to its compute unit when it ends: threads share nothing in between. */
#include "softgpu/perf/model.h"

#include <stdlib.h>
#include <string.h>

struct sg_perf_run {
    sg_perf_t *p;
    sg_perf_launch_t launch;
    sg_schedule_t *schedule; /* SG_PERF_MODEL */
    bool entered;            /* the caches know that it has begun */
    uint32_t *sq_mask;       /* of each engine, 0 where SQ does not count this dispatch */
};

struct sg_perf_group {
    isa_counter_t counter;
    sg_perf_run_t *run;
    uint64_t id;
    uint32_t unit, n_waves;
    bool counted; /* by SQ */
    uint64_t fixed[SG_T_COUNT];
    isa_count_t counts[2 * SG_BUCKETS];
    /* SG_PERF_MODEL */
    sg_clock_of_t of;
    sg_wave_clock_t clock[SG_WAVES_MAX];
};

/* ---- dispatches ---- */

/* Compute waves, and those of the first virtual memory id that the driver gives to programs. */
static bool sq_enabled(uint32_t control)
{
    enum { COMPUTE = 1 << 6, FIRST_VMID = 8, VMID_SHIFT = 16 };
    return control & COMPUTE && control >> VMID_SHIFT >> FIRST_VMID & 1;
}

sg_perf_run_t *sg_perf_run_begin(sg_perf_t *p, const sg_perf_launch_t *launch)
{
    const uint32_t engines = p->profile.shader_engines;
    sg_perf_run_t *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->p = p;
    r->launch = *launch;
    r->sq_mask = calloc(engines, sizeof *r->sq_mask);
    if (!r->sq_mask) goto fail;
    pthread_mutex_lock(&p->lock);
    for (uint32_t e = 0; e < engines; e++)
        if (launch->enabled && sq_enabled(p->sq_control[e])) r->sq_mask[e] = p->sq_mask[e];
    pthread_mutex_unlock(&p->lock);
    if (launch->level != SG_PERF_MODEL) return r;
    r->schedule = sg_schedule_create(p, launch);
    pthread_mutex_lock(&p->model_lock);
    if (!p->caches) p->caches = sgc_create(&p->profile, p->page, p->page_user);
    const bool good = r->schedule && p->caches;
    pthread_mutex_unlock(&p->model_lock);
    if (good) return r;
    if (r->schedule) sg_schedule_end(r->schedule);
fail:
    free(r->sq_mask);
    free(r);
    return NULL;
}

sg_perf_level_t sg_perf_run_level(const sg_perf_run_t *r)
{
    return r->launch.level;
}

void sg_perf_run_end(sg_perf_run_t *r)
{
    if (r->schedule) {
        pthread_mutex_lock(&r->p->model_lock);
        sgc_release(r->p->caches, r->launch.release_scope);
        sg_schedule_end(r->schedule);
        pthread_mutex_unlock(&r->p->model_lock);
    }
    free(r->sq_mask);
    free(r);
}

/* ---- workgroups ---- */

sg_perf_group_t *sg_perf_group_create(void)
{
    sg_perf_group_t *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->counter.bucket = sg_buckets()->bucket;
    g->counter.counts = g->counts;
    return g;
}

void sg_perf_group_destroy(sg_perf_group_t *g)
{
    free(g);
}

isa_counter_t *sg_perf_group_counter(sg_perf_group_t *g)
{
    return &g->counter;
}

/* What the caches see of the beginning of a dispatch, on the thread that models it. */
static void enter_run(sg_perf_run_t *r)
{
    sg_perf_t *p = r->p;
    if (p->memory_epoch != r->launch.memory_epoch) sgc_remap(p->caches);
    p->memory_epoch = r->launch.memory_epoch;
    sgc_acquire(p->caches, r->launch.acquire_scope);
    r->entered = true;
}

static void count_launch(sg_perf_group_t *g, const isa_group_t *group)
{
    g->fixed[SG_T_GROUPS]++;
    g->fixed[SG_T_WAVES] += g->n_waves;
    g->fixed[SG_T_SGPR_WORDS] += (uint64_t)g->n_waves * g->run->launch.sgpr_words;
    for (uint32_t i = 0; i < g->n_waves; i++) {
        const unsigned lanes = (unsigned)__builtin_popcountll(group->waves[i]->exec);
        g->fixed[SG_T_ITEMS] += lanes;
        g->fixed[SG_T_WAVES_EQ_64] += lanes == 64;
        g->fixed[SG_T_WAVES_LT_64] += lanes < 64;
        g->fixed[SG_T_WAVES_LT_48] += lanes < 48;
        g->fixed[SG_T_WAVES_LT_32] += lanes < 32;
        g->fixed[SG_T_WAVES_LT_16] += lanes < 16;
    }
}

void sg_perf_group_start(sg_perf_group_t *g, sg_perf_run_t *r, uint64_t id, uint32_t unit,
                         const isa_group_t *group)
{
    enum { SIMD_SHIFT = 4, SIMD = 3 }; /* HW_ID */
    sg_perf_t *p = r->p;
    const uint32_t engine = unit / p->units_per_engine, place = unit % p->units_per_engine;
    const uint32_t array = place / p->profile.cus_per_array;
    g->run = r;
    g->id = id;
    g->unit = unit;
    g->n_waves = group->n_waves;
    g->counted = r->sq_mask[engine] >> (16 * array + place % p->profile.cus_per_array) & 1;
    count_launch(g, group);
    if (!r->schedule) return;
    if (!r->entered) enter_run(r);
    g->of = (sg_clock_of_t){.profile = &p->profile, .caches = p->caches, .unit = unit};
    for (uint32_t i = 0; i < g->n_waves; i++)
        sg_wave_clock_start(&g->clock[i], group->waves[i]->hw_id >> SIMD_SHIFT & SIMD);
}

static void before(isa_observer_t *o, isa_wave_t *w, const isa_inst_t *i, uint64_t pc)
{
    sg_perf_group_t *g = o->before_user;
    const sg_buckets_t *buckets = sg_buckets();
    const uint8_t bucket = buckets->bucket[i->op];
    isa_count_t *at = &g->counts[2 * bucket + !w->exec];
    at->runs++;
    at->lanes += (uint64_t)__builtin_popcountll(w->exec);
    sg_wave_clock_step(&g->clock[w->index_in_group], &g->of, w, i, &buckets->traits[bucket], pc);
}

void sg_perf_group_observer(sg_perf_group_t *g, isa_observer_t *out)
{
    out->before = before;
    out->before_user = g;
}

void sg_perf_group_barrier(sg_perf_group_t *g)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < g->n_waves; i++)
        if (g->clock[i].now > last) last = g->clock[i].now;
    for (uint32_t i = 0; i < g->n_waves; i++)
        if (!g->clock[i].ended) sg_wave_clock_wait(&g->clock[i], last);
}

static void add_model(sg_perf_group_t *g)
{
    sg_ran_t ran = {.id = g->id, .unit = g->unit, .n_waves = g->n_waves, .counted = g->counted};
    for (uint32_t i = 0; i < g->n_waves; i++) {
        const sg_wave_clock_t *c = &g->clock[i];
        g->fixed[SG_T_WAIT] += c->waited;
        g->fixed[SG_T_VMEM_LEVEL] += c->vmem_level;
        g->fixed[SG_T_SMEM_LEVEL] += c->smem_level;
        g->fixed[SG_T_LDS_LEVEL] += c->lds_level;
        g->fixed[SG_T_FETCHES] += c->fetches;
        g->fixed[SG_T_FETCH_LEVEL] += c->fetch_level;
        g->fixed[SG_T_FLAT_LDS_ONLY] += c->flat_lds_only;
        ran.wave[i].clocks = c->now;
        ran.wave[i].simd = c->simd;
        memcpy(ran.wave[i].pipe, c->pipe, sizeof c->pipe);
    }
    sg_schedule_add(g->run->schedule, &ran);
}

void sg_perf_group_end(sg_perf_group_t *g)
{
    sg_sums_t *sums = &g->run->p->units[g->unit].sums[g->counted];
    const unsigned n = 2 * sg_buckets()->n;
    if (g->run->schedule) add_model(g);
    for (unsigned k = 0; k < SG_T_COUNT; k++)
        sg_add(&sums->fixed[k], g->fixed[k]);
    for (unsigned k = 0; k < n; k++) {
        if (!g->counts[k].runs) continue;
        sg_add(&sums->counts[k].runs, g->counts[k].runs);
        sg_add(&sums->counts[k].lanes, g->counts[k].lanes);
    }
    memset(g->fixed, 0, sizeof g->fixed);
    memset(g->counts, 0, n * sizeof g->counts[0]);
    g->run = NULL;
}

/* ---- the command processor ---- */

void sg_perf_model_lock(sg_perf_t *p)
{
    pthread_mutex_lock(&p->model_lock);
}

void sg_perf_model_unlock(sg_perf_t *p)
{
    pthread_mutex_unlock(&p->model_lock);
}

void sg_perf_packet(sg_perf_t *p)
{
    const uint32_t clocks = p->profile.packet_clocks;
    if (sg_perf_level(p) != SG_PERF_MODEL) return;
    sg_add(&p->device[SG_D_PACKETS], 1);
    sg_add(&p->device[SG_D_DECODE], clocks);
    sg_add(&p->device[SG_D_CP], clocks);
    sg_add(&p->device[SG_D_CLOCK], clocks);
}

void sg_perf_acquire(sg_perf_t *p, uint32_t coher_cntl)
{
    pthread_mutex_lock(&p->model_lock);
    if (p->caches) sgc_acquire_mem(p->caches, coher_cntl);
    pthread_mutex_unlock(&p->model_lock);
}
