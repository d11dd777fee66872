/* cache.c - the entry points of the cache model: it is made, receives instructions and fences, and
 * is read and freed.
 *
 * Each unit has a file of its own. This file passes instructions and fences to the units, and
 * computes at the end of a dispatch how long its requests waited for each other. */
#include "softgpu/cache/mall.h"
#include "softgpu/cache/model.h"
#include "softgpu/cache/queue.h"

#include <stdlib.h>

static bool init_cu(const sgc_t *t, sgc_cu_t *cu)
{
    const sg_profile_t *p = &t->profile;
    const uint32_t sets = p->l1_vector_kb * 1024 / t->arch->vector_line / p->l1_vector_ways;
    return ways_init(&cu->l1, sets ? sets : 1, p->l1_vector_ways) &&
           sgc_tlb_init(&cu->tlb, p->utcl1_entries) &&
           (cu->tlb_pending = calloc(ways_slots(&cu->tlb.ways), sizeof *cu->tlb_pending));
}

static bool init_xccs(sgc_t *t)
{
    const uint32_t sets = (t->profile.utcl2_entries + SGC_UTCL2_WAYS - 1) / SGC_UTCL2_WAYS;
    t->xcc = calloc(t->xccs, sizeof *t->xcc);
    bool good = t->xcc;
    for (unsigned n = 0; good && sets && n < t->xccs; n++)
        good = ways_init(&t->xcc[n].utcl2, sets, SGC_UTCL2_WAYS);
    return good;
}

static bool init_gl1(sgc_t *t)
{
    const sg_profile_t *p = &t->profile;
    const uint32_t lines = p->gl1_kb * 1024 / t->arch->l2_line, sets = lines / p->gl1_ways;
    if (!p->gl1_kb) return true;
    t->gl1 = calloc(t->arrays, sizeof *t->gl1);
    for (unsigned n = 0; t->gl1 && n < t->arrays; n++)
        if (!ways_init(&t->gl1[n].ways, sets ? sets : 1, p->gl1_ways)) return false;
    return t->gl1;
}

/* How many scalar caches an XCC has: as many as its units share, and the spare ones, as long as
 * each has a unit. */
static uint32_t sqcs_of_xcc(const sg_profile_t *p, uint32_t engine_cus)
{
    const uint32_t shared = (engine_cus + p->l1_shared_cus - 1) / p->l1_shared_cus;
    const uint32_t all = p->shader_engines * shared + p->l1_spare_caches;
    return all < p->shader_engines * engine_cus ? all : p->shader_engines * engine_cus;
}

/* The scalar cache of the n-th unit. The engines of an XCC share its caches out as evenly as their
 * number allows, and so do the units of an engine: where there are spare caches, some units have
 * one of their own. */
static uint32_t sqc_of_unit(const sgc_t *t, uint32_t n)
{
    const uint32_t engine = n / t->engine_cus, unit = n % t->engine_cus;
    const uint32_t in_xcc = t->engines / t->xccs, all = t->xcc_sqcs;
    const uint32_t first = engine % in_xcc * all / in_xcc;
    const uint32_t end = (engine % in_xcc + 1) * all / in_xcc;
    const uint32_t at = t->profile.l1_spare_caches ? unit * (end - first) / t->engine_cus
                                                   : unit / t->profile.l1_shared_cus;
    return engine / in_xcc * all + first + at;
}

sgc_t *sgc_create(const isa_arch_t *arch, const sg_profile_t *profile, sgc_page_fn_t *page,
                  void *user)
{
    sgc_t *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->profile = *profile;
    t->arch = arch;
    t->scopes = arch->formats->scopes;
    t->fresh_flags[0] = ISA_F_GLC;
    t->fresh_flags[1] = arch->scope_bits ? ISA_F_SC1 : ISA_F_GLC;
    t->l1_wide = arch->vector_line > SGC_LINE;
    t->xccs = profile->num_xcc;
    t->engines = sg_profile_engines(profile);
    t->engine_cus = profile->arrays_per_engine * profile->cus_per_array;
    t->cus = t->engines * t->engine_cus;
    t->arrays = t->engines * profile->arrays_per_engine;
    t->xcc_sqcs = sqcs_of_xcc(profile, t->engine_cus);
    t->sqcs = t->xccs * t->xcc_sqcs;
    sgc_ops();
    t->cu = calloc(t->cus, sizeof *t->cu);
    if (!t->cu || !sgc_pages_init(&t->pages, page, user) || !sgc_l2_init(t) || !sgc_mall_init(t) ||
        !sgc_scalar_init(t) || !init_xccs(t) || !init_gl1(t))
        goto fail;
    for (unsigned n = 0; n < t->cus; n++) {
        t->cu[n].sqc = sqc_of_unit(t, n);
        t->cu[n].xcc = t->sqc[t->cu[n].sqc].xcc = n / (t->cus / t->xccs);
        t->cu[n].array = t->sqc[t->cu[n].sqc].array = n / profile->cus_per_array;
        t->cu[n].there = n % profile->cus_per_array <
                         sg_profile_array_cus(profile, n / t->engine_cus % profile->shader_engines,
                                              n % t->engine_cus / profile->cus_per_array);
        if (!init_cu(t, &t->cu[n])) goto fail;
    }
    return t;
fail:
    sgc_destroy(t);
    return NULL;
}

void sgc_destroy(sgc_t *t)
{
    if (!t) return;
    for (unsigned n = 0; t->cu && n < t->cus; n++) {
        ways_free(&t->cu[n].l1);
        sgc_tlb_free(&t->cu[n].tlb);
        free(t->cu[n].tlb_pending);
    }
    for (unsigned n = 0; t->gl1 && n < t->arrays; n++)
        ways_free(&t->gl1[n].ways);
    free(t->gl1);
    sgc_scalar_free(t);
    sgc_l2_free(t);
    sgc_mall_free(t);
    for (unsigned n = 0; t->xcc && n < t->xccs; n++)
        ways_free(&t->xcc[n].utcl2);
    free(t->xcc);
    free(t->pages.slot);
    free(t->cu);
    free(t);
}

sgc_cost_t sgc_before(sgc_t *t, unsigned cu, isa_watch_t *watch, const isa_wave_t *w,
                      const isa_inst_t *i)
{
    sgc_cost_t cost = {0, 0, 0, 0};
    const sgc_op_t *op = &sgc_ops_table[i->op];
    if (__builtin_expect(op->unit == ISA_UNIT_NONE, 1)) return cost;
    const unsigned at = sgc_unit(t, cu);
    sgc_cu_t *c = &t->cu[at];
    switch (op->unit) {
    case ISA_UNIT_VECTOR: sgc_vector(t, c, watch, w, i, op, &cost); break;
    case ISA_UNIT_LDS: sgc_lds(t, c, watch, w, i, op, &cost); break;
    default: sgc_scalar(t, sgc_sqc_of(t, at), w, i, op, &cost); break;
    }
    return cost;
}

sgc_moved_t sgc_below(const sgc_t *t)
{
    const uint64_t written = t->tallies.written;
    return (sgc_moved_t){(t->tallies.below - written) * SGC_LINE, written * SGC_LINE};
}

const sgc_tallies_t *sgc_tallies(const sgc_t *t)
{
    return &t->tallies;
}

void sgc_at(sgc_t *t, uint64_t now)
{
    t->now = now;
}

void sgc_waited(sgc_t *t, unsigned cu, const sgc_stand_t *s)
{
    sgc_cu_t *c = &t->cu[sgc_unit(t, cu)];
    c->tcp.latency += s->latency;
    c->td_busy.clocks += s->busy;
    c->tcp_busy.clocks += s->busy;
    c->td_wait.clocks += s->stood;
    c->tcp_wait.clocks += s->stood;
    c->ta.held += s->held;
    c->ta.ta_busy += s->held;
    c->ta.addr_stalled_by_tc_cycles += s->held;
}

static uint64_t sum(const uint64_t *of, unsigned n)
{
    uint64_t all = 0;
    for (unsigned k = 0; k < n; k++)
        all += of[k];
    return all;
}

/* Clocks for which requests wait for the port to L2, which carries the addresses of reads and the
 * data of writes. READ and WRITE: quarters of a clock for each request. The port of a vector L1
 * with lines of 128 bytes takes whatever its tags let through. */
static uint64_t port_stall(const sgc_t *t, const sgc_tcp_counts_t *c)
{
    if (t->l1_wide) return 0;
    enum { QUARTERS = 4, READ = 1, WRITE = 6 };
    uint64_t reads = 0, all = 0;
    for (unsigned type = 0; type < SGC_MTYPES; type++) {
        reads += c->by_type[type][SGC_READ];
        all += sum(c->by_type[type], SGC_ACCESSES);
    }
    return (reads * READ + (all - reads) * WRITE) / QUARTERS;
}

/* Limits a span to the dispatch: no unit is busy or waits for longer. The sum can be longer, since
 * the time in which the pipe is busy and the time in which waves wait are counted separately and
 * overlap. Returns the span's clocks in this dispatch. */
static uint64_t bound(sgc_span_t *s, uint64_t clocks)
{
    const uint64_t seen = s->seen;
    if (s->clocks > seen + clocks) s->clocks = seen + clocks;
    s->seen = s->clocks;
    return s->clocks - seen;
}

/* Clocks for which TD holds the vector L1 up. Data of narrow elements, for which lanes share
 * accesses, comes as fast as TD takes it: three of 64 such loads hold the L1 up for a clock. Data
 * of wide elements comes at half that rate: every fourth such load collides with the
 * acknowledgement of a store, if there are as many stores, and if one has come before it, as
 * sgc_late_t.alone assumes. */
static uint64_t held_by_returns(const sgc_td_counts_t *now, const sgc_td_counts_t *seen,
                                const sgc_late_t *late)
{
    const uint64_t narrow = now->narrow - seen->narrow, wide = now->wide - seen->wide;
    const uint64_t stores = now->stores - seen->stores;
    const uint64_t meet = late->loads ? wide * (late->loads - late->alone) / late->loads : 0;
    return 3 * narrow / 64 + (meet < stores ? meet : stores) / 4;
}

/* At a wave's start SPI writes a register to one SIMD, and stalls if data returns there. It is
 * assumed that the first waves of a unit start before any data comes, and that the others meet the
 * data of the dispatch at random, which comes in no more clocks than those waves have to start in.
 * What is left of a clock counts with the next unit of the dispatch. */
static uint64_t spi_stall(sgc_t *t, uint64_t data, const sgc_late_t *late)
{
    const uint64_t places = late->clocks * t->profile.simds_per_cu;
    const uint64_t comes = data < late->clocks ? data : late->clocks;
    if (!places) return 0;
    const double met = (double)comes * (double)late->waves / (double)places + t->spi_rest;
    const uint64_t whole = (uint64_t)met;
    t->spi_rest = met - (double)whole;
    return whole;
}

uint64_t sgc_unit_ended(sgc_t *t, unsigned cu, uint64_t clocks, const sgc_late_t *late)
{
    sgc_cu_t *c = &t->cu[sgc_unit(t, cu)];
    const uint64_t looked_up = c->ta.ta_busy - c->ta.held;
    const uint64_t ta = looked_up - c->seen_ta, data = c->td.data - c->seen_td.data;
    c->seen_ta = looked_up;
    const uint64_t port = port_stall(t, &c->tcp), stalled = port - c->seen_port;
    const uint64_t busy = bound(&c->tcp_busy, clocks), td_busy = bound(&c->td_busy, clocks);
    /* a unit waits for no data in a clock in which some comes */
    const uint64_t comes = c->td.lookups - c->seen_td.lookups;
    const uint64_t idle = td_busy > comes ? td_busy - comes : 0;
    bound(&c->td_wait, idle);
    bound(&c->tcp_wait, idle);
    c->tcp.port_stall += stalled < busy ? stalled : busy;
    c->seen_port = port;
    c->td.held_tcp += held_by_returns(&c->td, &c->seen_td, late);
    c->td.spi_stall += spi_stall(t, data, late);
    c->seen_td = c->td;
    return ta;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A unit's clocks run on through all dispatches. A new dispatch begins after the last clock of the
 * one before: else its first clocks would count as counted already. */
static void part_dispatches(sgc_cu_t *c)
{
    const uint64_t td = later(c->td_busy.until, c->td_wait.until);
    c->free = later(c->free, later(td, later(c->tcp_busy.until, c->tcp_wait.until)));
}

static void forget_translations(sgc_t *t)
{
    for (unsigned n = 0; n < t->cus; n++) {
        sgc_cu_t *c = &t->cu[n];
        sgc_tlb_clear(&c->tlb);
        memset(c->tlb_pending, 0, ways_slots(&c->tlb.ways) * sizeof *c->tlb_pending);
        c->pending = 0;
    }
    for (unsigned n = 0; n < t->sqcs; n++) {
        sgc_tlb_clear(&t->sqc[n].data_tlb);
        sgc_tlb_clear(&t->sqc[n].code_tlb);
    }
    for (unsigned n = 0; t->profile.utcl2_entries && n < t->xccs; n++)
        ways_clear(&t->xcc[n].utcl2);
}

void sgc_begun(sgc_t *t)
{
    forget_translations(t);
    for (unsigned n = 0; n < t->cus; n++)
        part_dispatches(&t->cu[n]);
    for (unsigned n = 0; n < t->xccs * t->channels; n++)
        t->channel[n].seen = t->channel[n].count;
    for (unsigned n = 0; n < t->xccs; n++)
        memset(t->xcc[n].arriving, 0, sizeof t->xcc[n].arriving);
    for (unsigned n = 0; n < t->sqcs; n++)
        memset(t->sqc[n].data_arriving, 0, sizeof t->sqc[n].data_arriving);
    t->base += UINT64_C(1) << SGC_DISPATCH_BITS;
    t->uncached.at = 0;
    t->spi_rest = 0;
}

/* A read that misses holds the tags until a line has been picked to be replaced: 5 clocks for every
 * 8 halves of a line that are read. */
static uint64_t tag_stall(const sgc_tcc_counts_t *n)
{
    return 5 * (n->ea_rdreq[0] + n->ea_rdreq[1]) / 8;
}

static uint64_t in_flight(const sgc_t *t, const sgc_tcc_counts_t *n)
{
    return sgc_reads_in_flight(t, n) + sgc_in_flight(t, n->ea_wrreq, true);
}

/* Clocks of the dispatch in which the channel waits for memory. */
static uint64_t waits(const sgc_t *t, const sgc_channel_t *c, uint64_t clocks)
{
    return sgc_any(in_flight(t, &c->count) - in_flight(t, &c->seen), clocks);
}

/* A channel that has served a request is busy in each clock that it takes a request, that memory
 * transfers data for it, or that it waits for memory. */
static void end_channel(const sgc_t *t, sgc_channel_t *c, uint64_t clocks, uint64_t at_work)
{
    sgc_tcc_counts_t *n = &c->count;
    const sgc_tcc_counts_t *seen = &c->seen;
    const uint64_t requests = sgc_requests(n) - sgc_requests(seen);
    if (requests) n->busy += later(requests, later(at_work, waits(t, c, clocks)));
    n->tag_stall += tag_stall(n) - tag_stall(seen);
    for (unsigned local = 0; local < 2; local++) {
        n->rd_stall[local] +=
            sgc_queue((n->ea_rdreq[local] - seen->ea_rdreq[local]) * 4 / 5, clocks);
        n->wr_stall[local] += sgc_queue(n->ea_wrreq[local] - seen->ea_wrreq[local], clocks);
    }
}

void sgc_ended(sgc_t *t, uint64_t clocks, uint64_t at_work)
{
    for (unsigned n = 0; n < t->xccs * t->channels; n++)
        end_channel(t, &t->channel[n], clocks, at_work);
}

void sgc_gl1_invalidate(sgc_gl1_t *g)
{
    if (g->filled) ways_clear(&g->ways);
    g->filled = false;
}

void sgc_flush(sgc_t *t, unsigned what)
{
    for (unsigned n = 0; what & SGC_INV_ARRAY && t->gl1 && n < t->arrays; n++)
        sgc_gl1_invalidate(&t->gl1[n]);
    if (what & SGC_INV_L1)
        for (unsigned n = 0; n < t->cus; n++)
            if (t->cu[n].there) sgc_vector_invalidate(&t->cu[n]);
    for (unsigned n = 0; n < t->sqcs; n++) {
        if (what & (SGC_WB_SCALAR | SGC_INV_SCALAR)) sgc_scalar_write_back(t, &t->sqc[n]);
        if (what & SGC_INV_SCALAR) ways_clear(&t->sqc[n].data);
        if (what & SGC_INV_INST) {
            ways_clear(&t->sqc[n].code);
            sgc_forget_code(&t->sqc[n]);
        }
    }
    if (what & SGC_WB_L2) sgc_l2_write_back(t);
    if (what & (SGC_INV_L2 | SGC_INV_L2_NC)) sgc_l2_invalidate(t, what & SGC_INV_L2);
}

void sgc_acquire(sgc_t *t, unsigned scope)
{
    if (scope >= 1) sgc_flush(t, SGC_INV_L1 | SGC_INV_ARRAY | SGC_INV_SCALAR);
    if (scope >= 2) sgc_flush(t, SGC_INV_L2_NC);
}

void sgc_release(sgc_t *t, unsigned scope)
{
    if (scope >= 1) sgc_flush(t, SGC_WB_SCALAR);
    if (scope >= 2) sgc_flush(t, SGC_WB_L2);
}

/* Bits of a packet's control word, and the operation (SGC_INV_L1 and its like) that they
 * request. */
typedef struct {
    uint32_t bits;
    unsigned what;
} action_t;

static unsigned actions_of(const action_t *actions, size_t n, uint32_t control)
{
    unsigned what = 0;
    for (size_t k = 0; k < n; k++)
        if (control & actions[k].bits) what |= actions[k].what;
    return what;
}

unsigned sgc_coher_actions(uint32_t coher_cntl)
{
    static const action_t actions[] = {
        {UINT32_C(1) << 15, SGC_INV_L1},     /* TCL1_VOL */
        {UINT32_C(1) << 22, SGC_INV_L1},     /* TCL1 */
        {UINT32_C(1) << 27, SGC_INV_SCALAR}, /* SH_KCACHE */
        {UINT32_C(1) << 28, SGC_INV_SCALAR}, /* SH_KCACHE_VOL */
        {UINT32_C(1) << 30, SGC_WB_SCALAR},  /* SH_KCACHE_WB */
        {UINT32_C(1) << 29, SGC_INV_INST},   /* SH_ICACHE */
        {UINT32_C(1) << 18, SGC_WB_L2},      /* TC_WB */
    };
    const bool tc = coher_cntl >> 23 & 1, nc_only = coher_cntl >> 3 & 1;
    const unsigned what = tc ? nc_only ? SGC_INV_L2_NC : SGC_INV_L2 : 0;
    return what | actions_of(actions, sizeof actions / sizeof *actions, coher_cntl);
}

unsigned sgc_gcr_actions(uint32_t gcr_cntl)
{
    static const action_t actions[] = {
        {UINT32_C(3) << 0, SGC_INV_INST},   /* GLI_INV */
        {UINT32_C(1) << 6, SGC_WB_SCALAR},  /* GLK_WB */
        {UINT32_C(1) << 7, SGC_INV_SCALAR}, /* GLK_INV */
        {UINT32_C(1) << 8, SGC_INV_L1},     /* GLV_INV */
        {UINT32_C(1) << 9, SGC_INV_ARRAY},  /* GL1_INV */
        {UINT32_C(1) << 14, SGC_INV_L2},    /* GL2_INV */
        {UINT32_C(1) << 15, SGC_WB_L2},     /* GL2_WB */
    };
    return actions_of(actions, sizeof actions / sizeof *actions, gcr_cntl);
}

void sgc_remap(sgc_t *t)
{
    sgc_pages_forget_types(&t->pages);
    forget_translations(t);
    for (unsigned n = 0; n < t->sqcs; n++)
        sgc_forget_code(&t->sqc[n]);
}
