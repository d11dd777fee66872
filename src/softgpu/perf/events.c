/* events.c - what every event of every block counts.
 *
 * A table with a row for each counter of share/counters, except those that the cache model counts
 * by itself, and the formulas that compute a counter from sums (internal.h). Why a row of kind ZERO
 * is always 0 is in share/counters. */
#include "softgpu/perf/internal.h"

typedef enum {
    KIND_NONE,    /* not a row */
    KIND_ZERO,    /* always 0 */
    KIND_OPS,     /* instructions, added up over some buckets */
    KIND_FIXED,   /* an sg_tally_t, added up over compute units */
    KIND_LEVEL,   /* how many are in flight now: KIND_ACCUM reads its integral, an sg_tally_t */
    KIND_DEVICE,  /* an sg_device_tally_t */
    KIND_PACKETS, /* `other` clocks for each packet */
    KIND_IDLE,    /* all clocks but those of KIND_PACKETS */
    KIND_ACCUM,   /* the integral over time of the KIND_LEVEL in the slot before */
    KIND_BUSIEST  /* an event of the cache model: the largest value of a block's instances */
} kind_t;

typedef enum { BY_ONE, BY_ISSUE, BY_SEND, BY_MOPS, BY_MATRIX, BY_NORM } weight_t;

typedef struct {
    uint16_t event;
    uint8_t kind;   /* kind_t */
    uint8_t sum;    /* sg_tally_t, sg_device_tally_t, or the block of KIND_BUSIEST */
    uint8_t shift;  /* units of 1 << shift clocks */
    uint8_t weight; /* weight_t of KIND_OPS */
    uint8_t math;   /* KIND_OPS: only this isa_math_kind_t */
    uint8_t dwords; /* only scalar loads of so many dwords; 0: any */
    bool lanes;     /* count lanes, not instructions */
    bool live;      /* only instructions with a lane enabled */
    uint8_t plus;   /* KIND_OPS: an sg_tally_t that is added; 0: none */
    uint16_t other; /* KIND_BUSIEST: the event; KIND_PACKETS: clocks of a packet; KIND_LEVEL: clocks
                       between two samples of the level, 0: the level itself reads 0 */
    uint32_t classes;
    uint32_t formats; /* 0: any */
} event_row_t;

#define K(c) (1u << ISA_CLASS_##c)
#define F(f) (1u << ISA_FMT_##f)

enum {
    SMEM = K(SMEM) | K(SMEM_RD) | K(SMEM_WR) | K(SMEM_AT),
    DS = K(LDS) | K(LDS_RD) | K(LDS_WR) | K(LDS_AT),
    VALU = K(VALU) | K(MFMA),
    V_READ = K(VMEM_RD) | K(FLAT_RD),
    V_ATOMIC = K(VMEM_AT) | K(FLAT_AT),
    V_STORE = K(VMEM_WR) | K(FLAT_WR),
    V_ACCESS = V_READ | V_STORE | V_ATOMIC,
    VMEM = V_ACCESS | K(VMEM) | K(FLAT),
    MISC = K(BRANCH) | K(MSG),
    EVERY = (1u << ISA_CLASS_COUNT) - 1,
    BUFFERS = F(MUBUF) | F(MTBUF),
    FLATS = F(FLAT) | F(GLOBAL) | F(SCRATCH)
};

/* clang-format off */
#define OPS(n, set, ...)         {.event = n, .kind = KIND_OPS, .classes = set, __VA_ARGS__}
#define MATH(n, type)            OPS(n, VALU, .math = ISA_MATH_##type)
#define MOPS(n, type)            OPS(n, K(MFMA), .math = ISA_MATH_##type, .weight = BY_MOPS)
#define ISSUE(n, set, ...)       OPS(n, set, .weight = BY_ISSUE, __VA_ARGS__)
#define TA_OPS(n, set, formats_) OPS(n, set, .formats = formats_, .live = true)
#define FIXED(n, tally)          {.event = n, .kind = KIND_FIXED, .sum = SG_T_##tally}
#define QUADS(n, tally)          {.event = n, .kind = KIND_FIXED, .sum = SG_T_##tally, .shift = 2}
/* the arbiter of SPI counts every fourth clock */
#define ARBITER(n, tally)        {.event = n, .kind = KIND_FIXED, .sum = SG_T_##tally, .shift = 2}
#define SAMPLED(n, tally)        {.event = n, .kind = KIND_LEVEL, .sum = SG_T_##tally, .other = 112}
#define LEVEL(n, tally)          {.event = n, .kind = KIND_LEVEL, .sum = SG_T_##tally}
#define DEVICE(n, tally)         {.event = n, .kind = KIND_DEVICE, .sum = SG_D_##tally}
#define PACKETS(n, clocks)       {.event = n, .kind = KIND_PACKETS, .other = clocks}
#define IDLE(n, clocks)          {.event = n, .kind = KIND_IDLE, .other = clocks}
#define BUSIEST(n, block, what) {.event = n, .kind = KIND_BUSIEST, .sum = SG_BLOCK_##block, .other = what}
#define ZERO(n)                  {.event = n, .kind = KIND_ZERO}

/* Events of the cache model that say how long an instance was busy. */
enum { TA_BUSY = 15, TCP_BUSY = 1, TCC_BUSY = 2 };

static const event_row_t grbm[] = {
    DEVICE(0, CLOCK), DEVICE(2, CLOCK), DEVICE(3, CLOCK), DEVICE(11, WAVES),
    BUSIEST(13, TA, TA_BUSY), BUSIEST(28, TCP, TCP_BUSY), DEVICE(30, CLOCK), DEVICE(31, CLOCK),
    ZERO(34), BUSIEST(35, TCC, TCC_BUSY)
};

static const event_row_t cpc[] = {
    PACKETS(13, 7500), PACKETS(24, 650), DEVICE(25, CLOCK), ZERO(26), PACKETS(27, 4800),
    PACKETS(28, 160), IDLE(29, 160), PACKETS(30, 760), IDLE(31, 760), ZERO(32),
    DEVICE(33, WAVES)
};

static const event_row_t cpf[] = {
    ZERO(20), DEVICE(23, CLOCK), ZERO(24), ZERO(25), PACKETS(26, 1000), IDLE(27, 1000), ZERO(28)
};

static const event_row_t spi[] = {
    DEVICE(47, CLOCK), FIXED(48, SE_BUSY), FIXED(49, GROUPS), FIXED(52, WAVES),
    ARBITER(79, BLOCKED), ARBITER(85, BLOCKED), ARBITER(91, BLOCKED), ZERO(97),
    ARBITER(103, BLOCKED_WAVES), ARBITER(109, BLOCKED_VGPRS), ZERO(115), ARBITER(120, BLOCKED_LDS),
    ZERO(123), ZERO(125), ZERO(127), ZERO(133), FIXED(189, SGPR_WRITES), FIXED(195, WAVES)
};

static const event_row_t sq[] = {
    {.event = 1, .kind = KIND_ACCUM, .shift = 2}, {.event = 185, .kind = KIND_ACCUM},
    /* waves */
    DEVICE(2, CLOCK), FIXED(3, SE_BUSY), FIXED(4, WAVES), LEVEL(5, WAVE_CLOCKS),
    FIXED(6, WAVES_EQ_64), FIXED(7, WAVES_LT_64), FIXED(8, WAVES_LT_48), FIXED(9, WAVES_LT_32),
    FIXED(10, WAVES_LT_16), FIXED(13, BUSY), FIXED(14, ITEMS), ZERO(186), ZERO(187),
    /* instructions */
    OPS(25, EVERY), OPS(26, VALU),
    MATH(27, ADD_F16), MATH(28, MUL_F16), MATH(29, FMA_F16), MATH(30, TRANS_F16),
    MATH(31, ADD_F32), MATH(32, MUL_F32), MATH(33, FMA_F32), MATH(34, TRANS_F32),
    MATH(35, ADD_F64), MATH(36, MUL_F64), MATH(37, FMA_F64), MATH(38, TRANS_F64),
    MATH(39, INT32), MATH(40, INT64), MATH(41, CVT),
    MATH(42, MFMA_I8), MATH(43, MFMA_F16), MATH(44, MFMA_BF16), MATH(45, MFMA_F32),
    MATH(46, MFMA_F64),
    MOPS(47, MFMA_I8), MOPS(48, MFMA_F16), MOPS(49, MFMA_BF16), MOPS(50, MFMA_F32),
    MOPS(51, MFMA_F64),
    OPS(52, K(MFMA)), OPS(53, V_STORE | V_ATOMIC), OPS(54, V_READ), OPS(55, VMEM),
    OPS(56, K(SALU)), OPS(57, SMEM), OPS(58, VMEM, .formats = FLATS), FIXED(59, FLAT_LDS_ONLY),
    OPS(60, DS, .plus = SG_T_FLAT_LDS_ONLY), ZERO(61), OPS(63, K(GWS)), OPS(64, K(BRANCH)), OPS(65, K(MSG)), ZERO(66),
    OPS(188, SMEM, .weight = BY_NORM),
    /* levels */
    SAMPLED(67, VMEM_LEVEL), SAMPLED(68, SMEM_LEVEL), SAMPLED(69, LDS_LEVEL), SAMPLED(116, FETCH_LEVEL),
    LEVEL(337, SMEM_LEVEL),
    /* clocks */
    OPS(72, K(MFMA), .weight = BY_MATRIX), QUADS(74, WAVE_CLOCKS), QUADS(85, WAIT),
    QUADS(88, STALL), QUADS(91, STALL_LDS),
    ISSUE(96, EVERY & ~K(INTERNAL)), ISSUE(97, VMEM, .formats = BUFFERS), ISSUE(98, DS, .plus = SG_T_FLAT_LDS_ONLY),
    ISSUE(99, VALU),
    ISSUE(100, K(SALU) | SMEM), ISSUE(101, K(GWS)), ISSUE(102, MISC), ISSUE(103, VMEM, .formats = FLATS),
    OPS(104, V_STORE | V_ATOMIC, .weight = BY_SEND), OPS(105, V_READ, .weight = BY_SEND),
    ISSUE(111, SMEM), ISSUE(112, K(SALU)), OPS(113, VALU, .weight = BY_ISSUE, .lanes = true),
    FIXED(115, FETCHES), ZERO(133), ZERO(134), ZERO(136),
    /* the scalar caches */
    OPS(266, K(SMEM_AT)), OPS(298, K(SMEM_AT)),
    OPS(323, K(SMEM_RD), .dwords = 1), OPS(324, K(SMEM_RD), .dwords = 2),
    OPS(325, K(SMEM_RD), .dwords = 4), OPS(326, K(SMEM_RD), .dwords = 8),
    OPS(327, K(SMEM_RD), .dwords = 16)
};

static const event_row_t ta[] = {
    TA_OPS(32, V_ACCESS, 0), TA_OPS(44, V_ACCESS, BUFFERS), TA_OPS(45, V_READ, BUFFERS),
    TA_OPS(46, V_STORE, BUFFERS), TA_OPS(47, V_ATOMIC, BUFFERS), TA_OPS(100, V_ACCESS, FLATS),
    TA_OPS(101, V_READ, FLATS), TA_OPS(102, V_STORE, FLATS), TA_OPS(103, V_ATOMIC, FLATS)
};

static const event_row_t td[] = {
    TA_OPS(25, V_ACCESS, 0), TA_OPS(26, V_ATOMIC, 0), TA_OPS(27, V_STORE, 0)
};

static const event_row_t tcp[] = {DEVICE(0, CLOCK), TA_OPS(27, V_ACCESS, 0)};
static const event_row_t tca[] = {DEVICE(1, CLOCK)};
static const event_row_t tcc[] = {DEVICE(1, CLOCK), ZERO(9), ZERO(10)};
/* clang-format on */

#define TABLE(name)                                                                                \
    {                                                                                              \
        name, sizeof name / sizeof name[0]                                                         \
    }

static const struct {
    const event_row_t *rows;
    size_t n;
} tables[SG_BLOCK_COUNT] = {
    [SG_BLOCK_GRBM] = TABLE(grbm), [SG_BLOCK_CPC] = TABLE(cpc), [SG_BLOCK_CPF] = TABLE(cpf),
    [SG_BLOCK_SPI] = TABLE(spi),   [SG_BLOCK_SQ] = TABLE(sq),   [SG_BLOCK_TA] = TABLE(ta),
    [SG_BLOCK_TD] = TABLE(td),     [SG_BLOCK_TCP] = TABLE(tcp), [SG_BLOCK_TCA] = TABLE(tca),
    [SG_BLOCK_TCC] = TABLE(tcc)};

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
    default: return false;
    }
}

static const event_row_t *find(sg_block_t block, uint32_t event)
{
    for (size_t i = 0; i < tables[block].n; i++)
        if (tables[block].rows[i].event == event) return &tables[block].rows[i];
    return NULL;
}

/* ---- selects ---- */

enum {
    SQ_EVENT = 0x1ff,
    WIDE_EVENT = 0x3ff, /* bits of PERF_SEL in the other blocks: 10, 8 of TA and TD, 6 of GRBM */
    TEXTURE_EVENT = 0xff,
    GRBM_EVENT = 0x3f,
    FIRST_SQC_EVENT = 256, /* from here on events of the scalar caches, which have no SIMD mask */
    SIMD_MASK = 0xf000000
};

static uint32_t event_of(sg_block_t block, uint32_t select)
{
    switch (block) {
    case SG_BLOCK_SQ: return select & SQ_EVENT;
    case SG_BLOCK_TA:
    case SG_BLOCK_TD: return select & TEXTURE_EVENT;
    case SG_BLOCK_GRBM:
    case SG_BLOCK_GRBM_SE: return select & GRBM_EVENT;
    default: return select & WIDE_EVENT;
    }
}

/* Whether the select's masks exclude every SIMD, or every bank or client of the caches: then it
 * counts nothing. */
static bool masked_out(sg_block_t block, uint32_t select)
{
    if (block != SG_BLOCK_SQ) return false;
    if ((select & SQ_EVENT) < FIRST_SQC_EVENT) return !(select & SIMD_MASK);
    return !(select & 0xf000) || !(select & 0xf0000);
}

/* ---- formulas ---- */

static uint64_t load(const _Atomic uint64_t *v)
{
    return atomic_load_explicit(v, memory_order_relaxed);
}

static uint32_t weight_of(const sg_traits_t *t, weight_t weight)
{
    enum { QUAD = 4, SENT = 2 /* dwords that a lane sends in four clocks */ };
    switch (weight) {
    case BY_ISSUE: return t->issue / QUAD;
    case BY_SEND: return t->dwords > SENT ? (t->dwords + SENT - 1u) / SENT : 1;
    case BY_MOPS: return t->mops;
    case BY_MATRIX: return t->matrix;
    case BY_NORM: return t->flow == SG_FLOW_SCALAR_CACHE ? 4 : 2;
    default: return 1;
    }
}

static bool matches(const event_row_t *row, const sg_traits_t *t)
{
    return row->classes >> t->klass & 1 && (!row->math || row->math == t->math) &&
           (!row->dwords || row->dwords == t->dwords) &&
           (!row->formats || row->formats >> t->format & 1);
}

static uint64_t sum_instructions(const event_row_t *row, const sg_sums_t *s)
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

static uint64_t sum_unit(const event_row_t *row, const sg_unit_t *u, bool sq_only)
{
    uint64_t n = 0;
    for (unsigned counted = sq_only; counted < 2; counted++) {
        const sg_sums_t *s = &u->sums[counted];
        n += row->kind == KIND_OPS ? sum_instructions(row, s) : load(&s->fixed[row->sum]);
        if (row->plus) n += load(&s->fixed[row->plus]);
    }
    return n;
}

/* How many instances of a block the profile has in an engine: one per compute unit or L2 channel
 * for some blocks, else 1. If registers can select only k of them, instance n stands for n, n + k,
 * n + 2 k and so on, so that GPUs larger than any real one lose no counts. */
static uint32_t parts(const sg_perf_t *p, sg_block_t block)
{
    switch (block) {
    case SG_BLOCK_TA:
    case SG_BLOCK_TD:
    case SG_BLOCK_TCP: return p->units_per_engine;
    case SG_BLOCK_TCA:
    case SG_BLOCK_TCC: return p->profile.l2_channels;
    default: return 1;
    }
}

/* The sum of one compute unit for blocks that each unit has, of the engine for the others. */
static uint64_t sum_units(sg_perf_t *p, const event_row_t *row, sg_block_t block, uint32_t engine,
                          uint32_t instance)
{
    const bool gated = block == SG_BLOCK_SQ;
    const uint32_t step = parts(p, block) > 1 ? p->bank[block].instances : 1;
    uint64_t n = 0;
    for (uint32_t k = instance; k < p->units_per_engine; k += step)
        n += sum_unit(row, sg_perf_unit(p, engine, k), gated);
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
    uint64_t n = 0;
    for (uint32_t part = instance; part < parts(p, block); part += p->bank[block].instances)
        n += cache_value(p, block, engine, part, event);
    return n;
}

static uint64_t busiest(sg_perf_t *p, const event_row_t *row)
{
    const sg_bank_t *bank = &p->bank[row->sum];
    uint64_t most = 0;
    for (uint32_t e = 0; e < bank->engines; e++)
        for (uint32_t i = 0; i < parts(p, row->sum); i++) {
            const uint64_t value = cache_value(p, row->sum, e, i, row->other);
            if (value > most) most = value;
        }
    return most;
}

static uint64_t integral(sg_perf_t *p, uint32_t engine, uint32_t previous)
{
    const event_row_t *row = find(SG_BLOCK_SQ, previous & SQ_EVENT);
    if (!row || row->kind != KIND_LEVEL || masked_out(SG_BLOCK_SQ, previous)) return 0;
    return sum_units(p, row, SG_BLOCK_SQ, engine, 0);
}

static uint64_t total_held(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                           uint32_t select, uint32_t previous)
{
    const uint32_t event = event_of(block, select);
    const event_row_t *row = find(block, event);
    if (masked_out(block, select)) return 0;
    switch (row ? (kind_t)row->kind : KIND_NONE) {
    case KIND_NONE: return sum_caches(p, block, engine, instance, event);
    case KIND_OPS:
    case KIND_FIXED: return sum_units(p, row, block, engine, instance);
    case KIND_DEVICE: return load(&p->device[row->sum]);
    case KIND_LEVEL: return row->other ? sum_units(p, row, block, engine, instance) : 0;
    case KIND_PACKETS: return row->other * load(&p->device[SG_D_PACKETS]);
    case KIND_IDLE:
        return load(&p->device[SG_D_CLOCK]) - row->other * load(&p->device[SG_D_PACKETS]);
    case KIND_ACCUM: return integral(p, engine, previous);
    case KIND_BUSIEST: return busiest(p, row);
    default: return 0;
    }
}

uint64_t sg_perf_in_units(sg_block_t block, uint32_t select, uint64_t total)
{
    const event_row_t *row = find(block, event_of(block, select));
    if (!row) return total;
    return row->kind == KIND_LEVEL && row->other ? total / row->other : total >> row->shift;
}

uint64_t sg_perf_total_held(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                            uint32_t select, uint32_t previous)
{
    return sg_perf_in_units(block, select,
                            total_held(p, block, engine, instance, select, previous));
}

uint64_t sg_perf_unit_total(sg_perf_t *p, uint32_t engine, uint32_t place, uint32_t select)
{
    const event_row_t *row = find(SG_BLOCK_SQ, event_of(SG_BLOCK_SQ, select));
    if (!row || masked_out(SG_BLOCK_SQ, select)) return 0;
    const sg_unit_t *unit = sg_perf_unit(p, engine, place);
    switch ((kind_t)row->kind) {
    case KIND_OPS:
    case KIND_FIXED: return sum_unit(row, unit, true) >> row->shift;
    case KIND_LEVEL: return row->other ? sum_unit(row, unit, true) / row->other : 0;
    default: return 0;
    }
}

uint64_t sg_perf_total(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                       uint32_t select, uint32_t previous)
{
    const event_row_t *row = find(block, event_of(block, select));
    const bool of_caches = !row || row->kind == KIND_BUSIEST;
    if (of_caches) sg_perf_model_lock(p);
    const uint64_t total = total_held(p, block, engine, instance, select, previous);
    if (of_caches) sg_perf_model_unlock(p);
    return total;
}

sg_perf_level_t sg_perf_level_of(sg_block_t block, uint32_t select)
{
    const uint32_t event = event_of(block, select);
    const event_row_t *row = find(block, event);
    sgc_block_t model;
    if (masked_out(block, select)) return SG_PERF_OFF;
    if (!row)
        return model_block(block, &model) && sgc_counts(model, event) ? SG_PERF_MODEL : SG_PERF_OFF;
    if (row->kind == KIND_ZERO) return SG_PERF_OFF;
    if (row->kind == KIND_OPS || (row->kind == KIND_FIXED && row->sum < SG_T_MODEL))
        return SG_PERF_EXACT;
    return SG_PERF_MODEL;
}

sg_how_t sg_perf_how(sg_block_t block, uint32_t event)
{
    const event_row_t *row = find(block, event);
    sgc_block_t model;
    if (row) return row->kind == KIND_ZERO ? SG_HOW_ZERO : SG_HOW_COUNTED;
    if (!model_block(block, &model)) return SG_HOW_MISSING;
    if (sgc_zero(model, event)) return SG_HOW_ZERO;
    return sgc_counts(model, event) ? SG_HOW_COUNTED : SG_HOW_MISSING;
}
