/* events.c - from sums to the values of counters.
 *
 * A row (events.h) says what an event counts. This file has the numbers of each GPU's events, and
 * the formulas that compute a counter from sums (internal.h). */
#include "softgpu/perf/events.h"

enum { EVENTS = 512, ZERO = 0x8000, REFUSED = 0x4000, COUNTER = 0x3fff };
/* The entry of a counter in share/counters/softgpu.tsv. ZERO: the counter always reads 0, for the
 * reason given there. NONE: it has no row, since the models do not determine its value. */
enum { SG_SAYS_COUNTED = 0, SG_SAYS_ZERO = ZERO, SG_SAYS_NONE = REFUSED };

/* The events of one GPU: by block and number the sg_counter_t, with ZERO or REFUSED if that is
 * so. */
struct sg_events {
    uint16_t counter[SG_BLOCK_COUNT][EVENTS];
    uint16_t number[SG_COUNTERS]; /* the reverse: the number of a counter's event */
};

/* clang-format off */
#define SG_TABLE(gpu) [ISA_ARCH_##gpu] = {
#define SG_TABLE_END },
#define SG_EVENT(gpu, block, name, event, says) \
    .counter[SG_BLOCK_##block][event] = SG_C_##name | says, .number[SG_C_##name] = event,
static const sg_events_t tables[ISA_ARCH_COUNT] = {
#include "softgpu/perf_tables.inc"
};
/* clang-format on */

const sg_events_t *sg_perf_events(const isa_arch_t *arch)
{
    return &tables[arch->index];
}

static const isa_arch_t *arch_of(const sg_events_t *t)
{
    return &isa_archs[t - tables];
}

/* The block's number in the cache model; false if the model has no events of the block. */
static bool model_block(sg_block_t block, sgc_block_t *out)
{
    switch (block) {
    case SG_BLOCK_SQ: *out = SGC_SQ; return true;
    case SG_BLOCK_TA: *out = SGC_TA; return true;
    case SG_BLOCK_TD: *out = SGC_TD; return true;
    case SG_BLOCK_TCP: *out = SGC_TCP; return true;
    case SG_BLOCK_TCA: *out = SGC_TCA; return true;
    case SG_BLOCK_TCC: *out = SGC_TCC; return true;
    case SG_BLOCK_GL2C: *out = SGC_GL2C; return true;
    default: return false;
    }
}

/* The row of an event; NULL: it is an event of the cache model, or there is no such event. */
static const sg_event_row_t *find(const sg_events_t *t, sg_block_t block, uint32_t event)
{
    static const sg_event_row_t always_zero = {.kind = SG_EVENT_ZERO};
    const unsigned counter = event < EVENTS ? t->counter[block][event] : 0;
    if (counter & ZERO) return &always_zero;
    const sg_event_row_t *row = &sg_event_rows[counter & COUNTER];
    return row->kind ? row : NULL;
}

/* ---- selects ---- */

static uint32_t event_of(sg_block_t block, uint32_t select)
{
    switch (block) {
    case SG_BLOCK_GRBM:
    case SG_BLOCK_GRBM_SE: return select & 0x3f;
    case SG_BLOCK_TA:
    case SG_BLOCK_TD: return select & 0xff;
    case SG_BLOCK_SQ: return select & 0x1ff;
    default: return select & 0x3ff;
    }
}

/* Whether the GPU's select register has the mask, and the select excludes all of it. */
static bool excludes(const sg_blocks_t *blocks, uint32_t select, uint32_t mask)
{
    return blocks->shape[SG_BLOCK_SQ].select & mask && !(select & mask);
}

/* Whether the select's masks exclude every SIMD, or, for events of the scalar caches, every bank or
 * client: then the slot counts nothing. */
static bool masked_out(const isa_arch_t *arch, sg_block_t block, uint32_t select)
{
    enum { FIRST_OF_CACHES = 256, SIMDS = 0xf000000, BANKS = 0xf000, CLIENTS = 0xf0000 };
    const sg_blocks_t *blocks = sg_perf_blocks(arch);
    if (block != SG_BLOCK_SQ) return false;
    if (event_of(block, select) < FIRST_OF_CACHES) return excludes(blocks, select, SIMDS);
    return excludes(blocks, select, BANKS) || excludes(blocks, select, CLIENTS);
}

/* ---- events that are not counted ---- */

const char *sg_perf_refuses(const sg_perf_t *p, sg_block_t block, uint32_t select)
{
    const uint32_t event = event_of(block, select);
    static const char *const names[SG_COUNTERS] = {
#define SG_COUNTER_NAME(name) [SG_C_##name] = #name,
#include "softgpu/perf_tables.inc"
    };
    const unsigned counter = event < EVENTS ? p->events->counter[block][event] : 0;
    return counter & REFUSED ? names[counter & COUNTER] : NULL;
}

/* ---- formulas ---- */

static uint64_t load(const _Atomic uint64_t *v)
{
    return atomic_load_explicit(v, memory_order_relaxed);
}

static uint32_t weight_of(const sg_traits_t *t, sg_event_weight_t weight)
{
    enum { QUAD = 4, SENT = 2 /* dwords that a lane sends in four clocks */ };
    switch (weight) {
    case SG_BY_ISSUE: return t->issue / QUAD;
    case SG_BY_SEND: return t->dwords > SENT ? (t->dwords + SENT - 1u) / SENT : 1;
    case SG_BY_MOPS: return t->mops;
    case SG_BY_MATRIX: return t->matrix;
    case SG_BY_NORM: return t->flow == SG_FLOW_SCALAR_CACHE ? 4 : 2;
    default: return 1;
    }
}

static bool matches(const sg_event_row_t *row, const sg_traits_t *t)
{
    return row->classes >> t->klass & 1 && (!row->math || row->math == t->math) &&
           (!row->dwords || row->dwords == t->dwords) &&
           (!row->formats || row->formats >> t->format & 1);
}

static uint64_t sum_instructions(const sg_event_row_t *row, const sg_sums_t *s)
{
    const sg_buckets_t *buckets = sg_buckets();
    uint64_t n = 0;
    for (unsigned b = 0; b < buckets->n; b++) {
        if (!matches(row, &buckets->traits[b])) continue;
        const uint32_t weight = weight_of(&buckets->traits[b], row->weight);
        for (unsigned none = 0; none < (row->live ? 1 : 2); none++)
            n += weight * load(row->lanes ? &s->lanes[b + none * ISA_BUCKETS]
                                          : &s->runs[b + none * ISA_BUCKETS]);
    }
    return n;
}

/* The row's sg_tally_t. */
static unsigned tally_of(const isa_arch_t *arch, const sg_event_row_t *row)
{
    const bool of_wgps = sg_perf_blocks(arch)->shape[SG_BLOCK_SQ].scope == SG_OF_WGP;
    return row->of_wgp && of_wgps ? row->of_wgp : row->sum;
}

static uint64_t sum_unit(const sg_perf_t *p, const sg_event_row_t *row, sg_unit_t *u, bool sq_only)
{
    const unsigned sum = tally_of(p->arch, row);
    uint64_t n = 0;
    if (row->minus) sg_unit_take(u);
    for (unsigned counted = sq_only; counted < 2; counted++) {
        const sg_sums_t *s = &u->sums[counted];
        n += row->kind == SG_EVENT_OPS ? sum_instructions(row, s) : load(&s->fixed[sum]);
        if (row->plus) n += load(&s->fixed[row->plus]);
        if (row->minus) n -= load(&s->fixed[row->minus]);
    }
    if (row->minus) sg_unit_leave(u);
    return n;
}

/* The compute units of an engine, or channels of an XCC's L2, of which an instance of a block has
 * the sums: each `step`th from `first` on, before `end`. */
typedef struct {
    uint32_t first, end, step;
} units_t;

/* A block with a single instance in each place has the sums of the whole place. */
static units_t units_of(const sg_perf_t *p, sg_block_t block, uint32_t instance)
{
    const sg_instance_t at = sg_perf_instance(p, block, instance);
    const uint32_t first = at.place * sg_perf_parts(p, block);
    return (units_t){first + at.number, first + sg_perf_parts(p, block), p->bank[block].in_place};
}

static uint64_t sum_units(sg_perf_t *p, const sg_event_row_t *row, sg_block_t block,
                          uint32_t engine, uint32_t instance)
{
    const units_t units = units_of(p, block, instance);
    uint64_t n = 0;
    for (uint32_t k = units.first; k < units.end; k += units.step)
        n += sum_unit(p, row, sg_perf_unit(p, engine, k), block == SG_BLOCK_SQ);
    return n;
}

/* The sum over all compute units of an XCC. */
static uint64_t sum_engines(sg_perf_t *p, const sg_event_row_t *row, uint32_t xcc)
{
    const uint32_t engines = p->profile.shader_engines;
    uint64_t n = 0;
    for (uint32_t e = xcc * engines; e < (xcc + 1) * engines; e++)
        for (uint32_t i = 0; i < p->units_per_engine; i++)
            n += sum_unit(p, row, sg_perf_unit(p, e, i), false);
    return n;
}

static uint64_t cache_value(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t part,
                            uint32_t event)
{
    sgc_block_t model;
    if (!model_block(block, &model)) return 0;
    return p->caches ? sgc_value(p->caches, model, engine, part, event) : 0;
}

static uint64_t sum_caches(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                           uint32_t event)
{
    const units_t units = units_of(p, block, instance);
    uint64_t n = 0;
    if (block == SG_BLOCK_SQ)
        return p->caches ? sgc_value_of_units(p->caches, engine, units.first, units.end, event) : 0;
    for (uint32_t k = units.first; k < units.end; k += units.step)
        n += cache_value(p, block, engine, k, event);
    return n;
}

/* The largest value of the compute units of an XCC. */
static uint64_t busiest(sg_perf_t *p, const sg_event_row_t *row, uint32_t xcc)
{
    const uint32_t engines = p->bank[row->sum].engines / p->xccs;
    uint64_t most = 0;
    for (uint32_t e = xcc * engines; e < (xcc + 1) * engines; e++)
        for (uint32_t i = 0; i < p->units_per_engine; i++) {
            const uint64_t value = cache_value(p, row->sum, e, i, p->events->number[row->other]);
            if (value > most) most = value;
        }
    return most;
}

static uint64_t integral(sg_perf_t *p, uint32_t engine, uint32_t instance, uint32_t previous)
{
    const sg_event_row_t *row = find(p->events, SG_BLOCK_SQ, event_of(SG_BLOCK_SQ, previous));
    if (!row || row->kind != SG_EVENT_LEVEL || masked_out(p->arch, SG_BLOCK_SQ, previous)) return 0;
    return sum_units(p, row, SG_BLOCK_SQ, engine, instance);
}

/* The clocks that the row names by its key of the profile. */
static uint32_t clocks_of(const sg_perf_t *p, const sg_event_row_t *row)
{
    return *(const uint32_t *)((const char *)&p->profile + row->other);
}

static uint64_t of_packets(const sg_perf_t *p, const sg_event_row_t *row)
{
    return clocks_of(p, row) * load(&p->device[SG_D_PACKETS]);
}

/* Where several XCCs work as one, their command processors wait for each other at each packet: each
 * sends one request, which is in a queue for a clock, and then on its way. */
static uint64_t of_requests(const sg_perf_t *p, const sg_event_row_t *row)
{
    if (p->xccs < 2) return 0;
    return row->other ? of_packets(p, row) : load(&p->device[SG_D_PACKETS]);
}

static uint64_t total_held(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                           uint32_t select, uint32_t previous)
{
    const uint32_t event = event_of(block, select);
    const sg_event_row_t *row = find(p->events, block, event);
    if (masked_out(p->arch, block, select)) return 0;
    switch (row ? (sg_event_kind_t)row->kind : SG_EVENT_NONE) {
    case SG_EVENT_NONE: return sum_caches(p, block, engine, instance, event);
    case SG_EVENT_OPS:
    case SG_EVENT_FIXED: return sum_units(p, row, block, engine, instance);
    case SG_EVENT_ENGINES: return sum_engines(p, row, engine);
    case SG_EVENT_DEVICE: return load(&p->device[row->sum]);
    case SG_EVENT_LEVEL: return row->other ? sum_units(p, row, block, engine, instance) : 0;
    case SG_EVENT_PACKETS: return of_packets(p, row);
    case SG_EVENT_SYNC: return of_requests(p, row);
    case SG_EVENT_IDLE: return load(&p->device[SG_D_CLOCK]) - of_packets(p, row);
    case SG_EVENT_ACCUM: return integral(p, engine, instance, previous);
    case SG_EVENT_BUSIEST: return busiest(p, row, engine);
    case SG_EVENT_L2_BUSY: return p->caches ? sgc_l2_busy(p->caches, engine) : 0;
    default: return 0;
    }
}

/* How many bits a number of clocks is shifted to be in the event's unit. */
static unsigned shift_of(const isa_arch_t *arch, const sg_event_row_t *row)
{
    enum { QUAD_SHIFT = 2 };
    return row->shift + (row->quads && arch->sq_quads ? QUAD_SHIFT : 0u);
}

uint64_t sg_perf_in_units(const sg_perf_t *p, sg_block_t block, uint32_t select, uint64_t total)
{
    const sg_event_row_t *row = find(p->events, block, event_of(block, select));
    if (!row) return total;
    return row->kind == SG_EVENT_LEVEL && row->other ? total / clocks_of(p, row)
                                                     : total >> shift_of(p->arch, row);
}

uint64_t sg_perf_total_held(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                            uint32_t select, uint32_t previous)
{
    return sg_perf_in_units(p, block, select,
                            total_held(p, block, engine, instance, select, previous));
}

uint64_t sg_perf_unit_total(sg_perf_t *p, uint32_t engine, uint32_t place, uint32_t select)
{
    const sg_events_t *t = p->events;
    const sg_event_row_t *row = find(t, SG_BLOCK_SQ, event_of(SG_BLOCK_SQ, select));
    if (!row || masked_out(p->arch, SG_BLOCK_SQ, select)) return 0;
    sg_unit_t *unit = sg_perf_unit(p, engine, place);
    switch ((sg_event_kind_t)row->kind) {
    case SG_EVENT_OPS:
    case SG_EVENT_FIXED: return sum_unit(p, row, unit, true) >> shift_of(p->arch, row);
    case SG_EVENT_LEVEL: return row->other ? sum_unit(p, row, unit, true) / clocks_of(p, row) : 0;
    default: return 0;
    }
}

uint64_t sg_perf_total(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                       uint32_t select, uint32_t previous)
{
    const sg_event_row_t *row = find(p->events, block, event_of(block, select));
    const bool of_caches = !row || row->kind == SG_EVENT_BUSIEST || row->kind == SG_EVENT_L2_BUSY;
    if (of_caches) sg_perf_model_lock(p);
    const uint64_t total = total_held(p, block, engine, instance, select, previous);
    if (of_caches) sg_perf_model_unlock(p);
    return total;
}

sg_perf_level_t sg_perf_level_of(const sg_events_t *t, sg_block_t block, uint32_t select)
{
    const uint32_t event = event_of(block, select);
    const sg_event_row_t *row = find(t, block, event);
    sgc_block_t model;
    if (masked_out(arch_of(t), block, select)) return SG_PERF_OFF;
    if (!row)
        return model_block(block, &model) && sgc_counts(arch_of(t), model, event) ? SG_PERF_MODEL
                                                                                  : SG_PERF_OFF;
    if (row->kind == SG_EVENT_ZERO) return SG_PERF_OFF;
    const bool tallied = row->kind == SG_EVENT_FIXED || row->kind == SG_EVENT_ENGINES;
    if (row->kind == SG_EVENT_OPS || (tallied && tally_of(arch_of(t), row) < SG_T_MODEL))
        return SG_PERF_EXACT;
    return SG_PERF_MODEL;
}

sg_how_t sg_perf_how(const sg_events_t *t, sg_block_t block, uint32_t event)
{
    const sg_event_row_t *row = find(t, block, event);
    sgc_block_t model;
    if (row) return row->kind == SG_EVENT_ZERO ? SG_HOW_ZERO : SG_HOW_COUNTED;
    if (!model_block(block, &model)) return SG_HOW_MISSING;
    if (sgc_zero(arch_of(t), model, event)) return SG_HOW_ZERO;
    return sgc_counts(arch_of(t), model, event) ? SG_HOW_COUNTED : SG_HOW_MISSING;
}
