/* cache.c - the model as a whole: made, told of instructions, flushed.
 *
 * What each unit does is its own file's; here is who does what. */
#include "softgpu/cache/model.h"
#include "softgpu/cache/queue.h"

#include <stdlib.h>

static bool init_cu(const sg_profile_t *p, sgc_cu_t *cu)
{
    const uint32_t sets = p->l1_vector_kb * 1024 / SGC_LINE / p->l1_vector_ways;
    return ways_init(&cu->l1, sets ? sets : 1, p->l1_vector_ways) &&
           sgc_tlb_init(&cu->tlb, p->utcl1_entries);
}

sgc_t *sgc_create(const sg_profile_t *profile, sgc_page_fn_t *page, void *user)
{
    sgc_t *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->profile = *profile;
    t->engines = profile->shader_engines;
    t->engine_cus = profile->arrays_per_engine * profile->cus_per_array;
    t->cus = t->engines * t->engine_cus;
    t->engine_sqcs = (t->engine_cus + profile->l1_shared_cus - 1) / profile->l1_shared_cus;
    t->sqcs = t->engines * t->engine_sqcs;
    sgc_ops();
    t->cu = calloc(t->cus, sizeof *t->cu);
    if (!t->cu || !sgc_pages_init(&t->pages, page, user) || !sgc_l2_init(t) || !sgc_scalar_init(t))
        goto fail;
    for (unsigned n = 0; n < t->cus; n++) {
        t->cu[n].sqc =
            n / t->engine_cus * t->engine_sqcs + n % t->engine_cus / profile->l1_shared_cus;
        if (!init_cu(profile, &t->cu[n])) goto fail;
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
    }
    sgc_scalar_free(t);
    sgc_l2_free(t);
    free(t->pages.slot);
    free(t->cu);
    free(t);
}

unsigned sgc_cu(const sgc_t *t, unsigned engine, unsigned array, unsigned cu)
{
    const unsigned in_array = t->profile.cus_per_array;
    return engine % t->engines * t->engine_cus + (array % t->profile.arrays_per_engine) * in_array +
           cu % in_array;
}

unsigned sgc_cu_of_hw_id(const sgc_t *t, uint32_t hw_id)
{
    /* CU_ID 11:8, SH_ID 12, SE_ID 15:13 */
    return sgc_cu(t, hw_id >> 13 & 7, hw_id >> 12 & 1, hw_id >> 8 & 15);
}

sgc_cost_t sgc_before(sgc_t *t, unsigned cu, const isa_wave_t *w, const isa_inst_t *i)
{
    sgc_cost_t cost = {0, 0, 0, 0};
    const sgc_op_t *op = &sgc_ops_table[i->op];
    if (__builtin_expect(op->unit == SGC_UNIT_NONE, 1)) return cost;
    const unsigned at = sgc_unit(t, cu);
    sgc_cu_t *c = &t->cu[at];
    switch (op->unit) {
    case SGC_UNIT_VECTOR: sgc_vector(t, c, w, i, op, &cost); break;
    case SGC_UNIT_LDS: sgc_lds(t, c, w, i, op, &cost); break;
    default: sgc_scalar(t, sgc_sqc_of(t, at), w, i, op, &cost); break;
    }
    return cost;
}

uint64_t sgc_below(const sgc_t *t)
{
    return t->tallies.below * SGC_LINE;
}

const sgc_tallies_t *sgc_tallies(const sgc_t *t)
{
    return &t->tallies;
}

void sgc_reached(sgc_t *t, sgc_reach_t *r)
{
    t->reach = r;
}

void sgc_at(sgc_t *t, uint64_t now)
{
    t->now = now;
}

void sgc_waited(sgc_t *t, unsigned cu, uint64_t clocks, uint64_t busy, uint64_t stood)
{
    sgc_cu_t *c = &t->cu[sgc_unit(t, cu)];
    c->tcp.latency += clocks;
    c->td_busy.clocks += busy;
    c->tcp_busy.clocks += busy;
    c->td_wait.clocks += stood;
    c->tcp_wait.clocks += stood;
}

uint64_t sgc_unit_ended(sgc_t *t, unsigned cu, uint64_t clocks, uint64_t waves)
{
    sgc_cu_t *c = &t->cu[sgc_unit(t, cu)];
    const uint64_t ta = c->ta.ta_busy - c->seen_ta, data = c->td.data - c->seen_data;
    c->seen_ta = c->ta.ta_busy;
    c->seen_data = c->td.data;
    c->td.held_tcp += sgc_queue(data, clocks);
    /* SPI writes a register of a wave at its start, to one SIMD, as data goes to one */
    const uint64_t meetings = 2 * clocks * t->profile.simds_per_cu;
    if (clocks) c->td.spi_stall += (2 * data * waves + meetings / 2) / meetings;
    return ta;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Clocks of the pipes go on from dispatch to dispatch, those of two are not the same. */
static void part_dispatches(sgc_cu_t *c)
{
    const uint64_t td = later(c->td_busy.until, c->td_wait.until);
    c->free = later(c->free, later(td, later(c->tcp_busy.until, c->tcp_wait.until)));
}

void sgc_begun(sgc_t *t)
{
    for (unsigned n = 0; n < t->cus; n++)
        part_dispatches(&t->cu[n]);
    for (unsigned n = 0; n < t->channels; n++)
        t->channel[n].seen = t->channel[n].count;
    for (unsigned n = 0; n < SGC_ARRIVING; n++)
        t->arriving[n].at = 0;
    for (unsigned n = 0; n < t->sqcs; n++)
        t->sqc[n].data_arriving.at = t->sqc[n].code_arriving.at = 0;
}

static void end_channel(sgc_channel_t *c, uint64_t clocks, uint64_t at_work)
{
    sgc_tcc_counts_t *n = &c->count;
    const sgc_tcc_counts_t *seen = &c->seen;
    const uint64_t requests = sgc_requests(n) - sgc_requests(seen);
    if (requests) n->busy += requests > at_work ? requests : at_work;
    n->tag_stall += sgc_queue(requests + n->both - seen->both, clocks);
    for (unsigned local = 0; local < 2; local++) {
        n->rd_stall[local] += sgc_queue(n->ea_rdreq[local] - seen->ea_rdreq[local], clocks);
        n->wr_stall[local] += sgc_queue(n->ea_wrreq[local] - seen->ea_wrreq[local], clocks);
    }
}

void sgc_ended(sgc_t *t, uint64_t clocks, uint64_t at_work)
{
    for (unsigned n = 0; n < t->channels; n++)
        end_channel(&t->channel[n], clocks, at_work);
}

void sgc_flush(sgc_t *t, unsigned what)
{
    if (what & SGC_INV_L1)
        for (unsigned n = 0; n < t->cus; n++)
            sgc_vector_invalidate(&t->cu[n]);
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
    if (scope >= 1) sgc_flush(t, SGC_INV_L1 | SGC_INV_SCALAR);
    if (scope >= 2) sgc_flush(t, SGC_INV_L2_NC);
}

void sgc_release(sgc_t *t, unsigned scope)
{
    if (scope >= 1) sgc_flush(t, SGC_WB_SCALAR);
    if (scope >= 2) sgc_flush(t, SGC_WB_L2);
}

void sgc_acquire_mem(sgc_t *t, uint32_t coher_cntl)
{
    static const struct {
        uint32_t bit;
        unsigned what;
    } actions[] = {
        {UINT32_C(1) << 15, SGC_INV_L1},     /* TCL1_VOL */
        {UINT32_C(1) << 22, SGC_INV_L1},     /* TCL1 */
        {UINT32_C(1) << 27, SGC_INV_SCALAR}, /* SH_KCACHE */
        {UINT32_C(1) << 28, SGC_INV_SCALAR}, /* SH_KCACHE_VOL */
        {UINT32_C(1) << 30, SGC_WB_SCALAR},  /* SH_KCACHE_WB */
        {UINT32_C(1) << 29, SGC_INV_INST},   /* SH_ICACHE */
        {UINT32_C(1) << 18, SGC_WB_L2},      /* TC_WB */
    };
    const bool tc = coher_cntl >> 23 & 1, nc_only = coher_cntl >> 3 & 1;
    unsigned what = tc ? nc_only ? SGC_INV_L2_NC : SGC_INV_L2 : 0;
    for (unsigned k = 0; k < sizeof actions / sizeof *actions; k++)
        if (coher_cntl & actions[k].bit) what |= actions[k].what;
    sgc_flush(t, what);
}

void sgc_remap(sgc_t *t)
{
    sgc_pages_forget_types(&t->pages);
    for (unsigned n = 0; n < t->cus; n++)
        sgc_tlb_clear(&t->cu[n].tlb);
    for (unsigned n = 0; n < t->sqcs; n++) {
        sgc_tlb_clear(&t->sqc[n].data_tlb);
        sgc_tlb_clear(&t->sqc[n].code_tlb);
        sgc_forget_code(&t->sqc[n]);
    }
}
