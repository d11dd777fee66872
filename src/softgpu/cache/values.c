/* values.c - maps the hardware's events to the counts of the model.
 *
 * One table for all GPUs: a row has a counter, and the offset of its count in a unit's structure.
 * Counters that are always 0 by the model's rules have a row too, with the reason, so that the
 * table has every counter of the model. The numbers that a GPU gives the counters' events are
 * generated from its table in share/counters. */
#include "softgpu/cache/model.h"

#include <stddef.h>

/* The counters of all GPUs. */
enum {
#define SGC_COUNTER(name) COUNTER_##name,
#include "softgpu/cache_events.inc"
    COUNTERS
};

/* By GPU and counter: the number of its event + 1; 0: the GPU does not have the counter. */
/* clang-format off */
#define SGC_TABLE(gpu) [ISA_ARCH_##gpu] = {
#define SGC_NUMBER(gpu, name, event) [COUNTER_##name] = (event) + 1,
#define SGC_TABLE_END },
static const uint16_t numbers[ISA_ARCH_COUNT][COUNTERS] = {
#include "softgpu/cache_events.inc"
};
/* clang-format on */

/* The unit whose structure holds the count. */
typedef enum {
    OF_NOBODY,
    OF_CU,
    OF_SQC,
    OF_CHANNEL,
    OF_CHANNEL_LEVEL,      /* transactions by memory, times their clocks */
    OF_CHANNEL_READ_LEVEL, /* the same of reads, of which the MALL may serve some */
    OF_CHANNEL_WRITE_LEVEL
} owner_t;

/* `n` counts `step` bytes apart, from `offset` on, are added up and multiplied; the `n_less` counts
 * from `less` on are subtracted. */
typedef struct {
    uint16_t counter;
    uint8_t block; /* sgc_block_t */
    uint8_t owner; /* owner_t */
    uint16_t n, step;
    size_t offset, less;
    uint8_t n_less, times;
} row_t;

enum { WORD = sizeof(uint64_t), TYPE_STEP = SGC_ACCESSES * WORD };

#define SUM(b, name, of, type, m, n, step)                                                         \
    {                                                                                              \
        COUNTER_##name, SGC_##b, OF_##of, n, step, offsetof(type, m), 0, 0, 1                      \
    }
#define LESS(b, name, of, type, m, n, step, taken, n_taken)                                        \
    {                                                                                              \
        COUNTER_##name, SGC_##b, OF_##of, n, step, offsetof(type, m), offsetof(type, taken),       \
            n_taken, 1                                                                             \
    }
#define CU(b, name, m)  SUM(b, name, CU, sgc_cu_t, m, 1, WORD)
#define SQC(name, m)    SUM(SQ, name, SQC, sgc_sqc_t, count.m, 1, WORD)
#define TCC(b, name, m) SUM(b, name, CHANNEL, sgc_channel_t, count.m, 1, WORD)
#define ZERO(b, name)                                                                              \
    {                                                                                              \
        COUNTER_##name, SGC_##b, OF_NOBODY, 0, 0, 0, 0, 0, 0                                       \
    }
/* Requests: _ACCESS of one kind of access, to memory of all types; _TYPE of all kinds, to memory of
 * one type; _ALL all of them. */
#define CU_ACCESS(b, name, a) SUM(b, name, CU, sgc_cu_t, tcp.by_type[0][a], SGC_MTYPES, TYPE_STEP)
#define TCC_ACCESS(name, a)                                                                        \
    SUM(TCC, name, CHANNEL, sgc_channel_t, count.by_type[0][a], SGC_MTYPES, TYPE_STEP)
#define TCC_TYPE(name, t)                                                                          \
    SUM(TCC, name, CHANNEL, sgc_channel_t, count.by_type[t][0], SGC_ACCESSES, WORD)
#define CU_ALL(b, name)                                                                            \
    SUM(b, name, CU, sgc_cu_t, tcp.by_type[0][0], SGC_MTYPES *SGC_ACCESSES, WORD)
#define TCC_ALL(b, name)                                                                           \
    SUM(b, name, CHANNEL, sgc_channel_t, count.by_type[0][0], SGC_MTYPES *SGC_ACCESSES, WORD)

/* Counters below L2 have one of two names, by the GPU. */
#define EA_BOTH(row, name, ...)                                                                    \
    row(TCC, TCC_EA_##name, __VA_ARGS__), row(TCC, TCC_EA0_##name, __VA_ARGS__)
#define EA_SUM(name, m, of) EA_BOTH(SUM, name, of, sgc_channel_t, count.m, 2, WORD)
#define EA(name, m)         EA_BOTH(SUM, name, CHANNEL, sgc_channel_t, count.m, 1, WORD)
#define EA_ZERO(name)       ZERO(TCC, TCC_EA_##name), ZERO(TCC, TCC_EA0_##name)
/* The pieces of 32 bytes that transactions read, of one half of a line or of both, and those that
 * they write, one or two each. `local`: in which memory. */
#define EA_READ_32B(name, local)                                                                   \
    {                                                                                              \
        COUNTER_TCC_EA0_##name, SGC_TCC, OF_CHANNEL, 2, 2 * WORD,                                  \
            offsetof(sgc_channel_t, count.ea_rdreq[local]), 0, 0, SGC_LINE / 32                    \
    }
#define EA_WRITE_32B(name, local)                                                                  \
    LESS(TCC, TCC_EA0_##name, CHANNEL, sgc_channel_t, count.ea_wrreq[local], 2, 2 * WORD,          \
         count.at_pieces[local], 1)

static const row_t rows[] = {
    CU(TA, TA_TA_BUSY, ta.ta_busy),
    CU(TA, TA_TOTAL_WAVEFRONTS, ta.total_wavefronts),
    CU(TA, TA_BUFFER_WAVEFRONTS, ta.buffer[0]),
    CU(TA, TA_BUFFER_READ_WAVEFRONTS, ta.buffer[1]),
    CU(TA, TA_BUFFER_WRITE_WAVEFRONTS, ta.buffer[2]),
    CU(TA, TA_BUFFER_ATOMIC_WAVEFRONTS, ta.buffer[3]),
    CU(TA, TA_BUFFER_TOTAL_CYCLES, ta.buffer_total_cycles),
    CU(TA, TA_BUFFER_COALESCED_READ_CYCLES, ta.buffer_coalesced_read_cycles),
    CU(TA, TA_BUFFER_COALESCED_WRITE_CYCLES, ta.buffer_coalesced_write_cycles),
    CU(TA, TA_ADDR_STALLED_BY_TC_CYCLES, ta.addr_stalled_by_tc_cycles),
    ZERO(TA, TA_ADDR_STALLED_BY_TD_CYCLES), /* the data unit always accepts a command */
    CU(TA, TA_DATA_STALLED_BY_TC_CYCLES, ta.data_stalled_by_tc_cycles),
    CU(TA, TA_FLAT_WAVEFRONTS, ta.flat[0]),
    CU(TA, TA_FLAT_READ_WAVEFRONTS, ta.flat[1]),
    CU(TA, TA_FLAT_WRITE_WAVEFRONTS, ta.flat[2]),
    CU(TA, TA_FLAT_ATOMIC_WAVEFRONTS, ta.flat[3]),

    CU(TA, TA_FLAT_LOAD_WAVEFRONTS, ta.flat[1]),
    CU(TA, TA_FLAT_STORE_WAVEFRONTS, ta.flat[2]),
    CU(TA, TA_BUFFER_LOAD_WAVEFRONTS, ta.buffer[1]),
    CU(TA, TA_BUFFER_STORE_WAVEFRONTS, ta.buffer[2]),

    CU(TD, TD_TD_BUSY, td_busy.clocks),
    CU(TD, TD_TC_STALL, td_wait.clocks),
    CU(TD, TD_SPI_STALL, td.spi_stall),
    CU(TD, TD_LOAD_WAVEFRONT, td.load_wavefront),
    CU(TD, TD_ATOMIC_WAVEFRONT, td.atomic_wavefront),
    CU(TD, TD_STORE_WAVEFRONT, td.store_wavefront),
    CU(TD, TD_COALESCABLE_WAVEFRONT, td.coalescable_wavefront),

    CU(TCP, TCP_GATE_EN2, tcp_busy.clocks),
    CU(TCP, TCP_TCP_TA_DATA_STALL_CYCLES, ta.data_stalled_by_tc_cycles),
    CU(TCP, TCP_TD_TCP_STALL_CYCLES, td.held_tcp),
    CU(TCP, TCP_TCR_TCP_STALL_CYCLES, tcp.port_stall),
    CU(TCP, TCP_READ_TAGCONFLICT_STALL_CYCLES, tcp.tagconflict[SGC_READ]),
    CU(TCP, TCP_WRITE_TAGCONFLICT_STALL_CYCLES, tcp.tagconflict[SGC_WRITE]),
    CU(TCP, TCP_ATOMIC_TAGCONFLICT_STALL_CYCLES, tcp.tagconflict[SGC_ATOMIC]),
    CU(TCP, TCP_PENDING_STALL_CYCLES, tcp_wait.clocks),
    CU(TCP, TCP_TA_TCP_STATE_READ, tcp.state_read),
    /* on these GPUs every access is volatile: no line is held against other agents' changes */
    SUM(TCP, TCP_VOLATILE, CU, sgc_cu_t, tcp.accesses, 4, WORD),
    SUM(TCP, TCP_TOTAL_ACCESSES, CU, sgc_cu_t, tcp.accesses, 4, WORD),
    CU(TCP, TCP_TOTAL_READ, tcp.accesses[0]),
    CU(TCP, TCP_TOTAL_WRITE, tcp.accesses[1]),
    CU(TCP, TCP_TOTAL_ATOMIC_WITH_RET, tcp.accesses[2]),
    CU(TCP, TCP_TOTAL_ATOMIC_WITHOUT_RET, tcp.accesses[3]),
    CU(TCP, TCP_TOTAL_WRITEBACK_INVALIDATES, tcp.writeback_invalidates),
    CU(TCP, TCP_UTCL1_REQUEST, tcp.cache_accesses),
    CU(TCP, TCP_UTCL1_TRANSLATION_MISS, tcp.utcl1_miss),
    CU(TCP, TCP_UTCL1_TRANSLATION_HIT, tcp.utcl1_hit),
    ZERO(TCP, TCP_UTCL1_PERMISSION_MISS), /* a forbidden access ends the kernel */
    CU(TCP, TCP_TOTAL_CACHE_ACCESSES, tcp.cache_accesses),
    CU(TCP, TCP_TCP_LATENCY, tcp.latency),
    CU(TCP, TCP_TCC_READ_REQ_LATENCY, tcp.read_latency),
    CU(TCP, TCP_TCC_WRITE_REQ_LATENCY, tcp.write_latency),
    CU_ACCESS(TCP, TCP_TCC_READ_REQ, SGC_READ),
    CU_ACCESS(TCP, TCP_CACHE_MISS, SGC_READ),
    CU_ACCESS(TCP, TCP_TCC_WRITE_REQ, SGC_WRITE),
    CU(TCP, TCP_TCC_ATOMIC_WITH_RET_REQ, tcp.tcc_atomic_ret),
    LESS(TCP, TCP_TCC_ATOMIC_WITHOUT_RET_REQ, CU, sgc_cu_t, tcp.by_type[0][SGC_ATOMIC], SGC_MTYPES,
         TYPE_STEP, tcp.tcc_atomic_ret, 1),
    CU(TCP, TCP_TCC_NC_READ_REQ, tcp.by_type[SGC_NC][SGC_READ]),
    CU(TCP, TCP_TCC_NC_WRITE_REQ, tcp.by_type[SGC_NC][SGC_WRITE]),
    CU(TCP, TCP_TCC_NC_ATOMIC_REQ, tcp.by_type[SGC_NC][SGC_ATOMIC]),
    CU(TCP, TCP_TCC_UC_READ_REQ, tcp.by_type[SGC_UC][SGC_READ]),
    CU(TCP, TCP_TCC_UC_WRITE_REQ, tcp.by_type[SGC_UC][SGC_WRITE]),
    CU(TCP, TCP_TCC_UC_ATOMIC_REQ, tcp.by_type[SGC_UC][SGC_ATOMIC]),
    CU(TCP, TCP_TCC_CC_READ_REQ, tcp.by_type[SGC_CC][SGC_READ]),
    CU(TCP, TCP_TCC_CC_WRITE_REQ, tcp.by_type[SGC_CC][SGC_WRITE]),
    CU(TCP, TCP_TCC_CC_ATOMIC_REQ, tcp.by_type[SGC_CC][SGC_ATOMIC]),
    CU(TCP, TCP_TCC_RW_READ_REQ, tcp.by_type[SGC_RW][SGC_READ]),
    CU(TCP, TCP_TCC_RW_WRITE_REQ, tcp.by_type[SGC_RW][SGC_WRITE]),
    CU(TCP, TCP_TCC_RW_ATOMIC_REQ, tcp.by_type[SGC_RW][SGC_ATOMIC]),

    TCC_ALL(TCA, TCA_BUSY), /* a clock for each request that it passes on */

    TCC(TCC, TCC_BUSY, busy),
    TCC_ALL(TCC, TCC_REQ),
    TCC(TCC, TCC_STREAMING_REQ, streaming),
    TCC_TYPE(TCC_NC_REQ, SGC_NC),
    TCC_TYPE(TCC_UC_REQ, SGC_UC),
    TCC_TYPE(TCC_CC_REQ, SGC_CC),
    TCC_TYPE(TCC_RW_REQ, SGC_RW),
    ZERO(TCC, TCC_PROBE), /* no other agent probes this L2 */
    ZERO(TCC, TCC_PROBE_ALL),
    TCC_ACCESS(TCC_READ, SGC_READ),
    TCC_ACCESS(TCC_WRITE, SGC_WRITE),
    TCC_ACCESS(TCC_ATOMIC, SGC_ATOMIC),
    TCC(TCC, TCC_HIT, hit),
    LESS(TCC, TCC_MISS, CHANNEL, sgc_channel_t, count.by_type[0][0], SGC_MTYPES *SGC_ACCESSES, WORD,
         count.hit, 1),
    TCC(TCC, TCC_WRITEBACK, writeback),
    EA_SUM(WRREQ, ea_wrreq, CHANNEL),
    EA_SUM(WRREQ_64B, ea_wrreq_64b, CHANNEL),
    EA(WR_UNCACHED_32B, ea_wr_uncached_32b),
    EA_SUM(WRREQ_STALL, wr_stall, CHANNEL),
    EA(WRREQ_IO_CREDIT_STALL, wr_stall[0]),
    EA_ZERO(WRREQ_GMI_CREDIT_STALL), /* there is one die */
    EA(WRREQ_DRAM_CREDIT_STALL, wr_stall[1]),
    ZERO(TCC, TCC_TOO_MANY_EA_WRREQS_STALL), /* there is no limit */
    EA_SUM(WRREQ_LEVEL, ea_wrreq, CHANNEL_WRITE_LEVEL),
    EA_SUM(ATOMIC, ea_atomic, CHANNEL),
    EA_SUM(ATOMIC_LEVEL, ea_atomic, CHANNEL_LEVEL),
    EA_SUM(RDREQ, ea_rdreq, CHANNEL),
    EA_ZERO(RDREQ_32B), /* a half of a line is always read whole */
    EA(RD_UNCACHED_32B, ea_rd_uncached_32b),
    EA(RDREQ_IO_CREDIT_STALL, rd_stall[0]),
    EA_ZERO(RDREQ_GMI_CREDIT_STALL),
    EA(RDREQ_DRAM_CREDIT_STALL, rd_stall[1]),
    EA_SUM(RDREQ_LEVEL, ea_rdreq, CHANNEL_READ_LEVEL),
    TCC(TCC, TCC_TAG_STALL, tag_stall),
    SUM(TCC, TCC_BUBBLE, CHANNEL, sgc_channel_t, count.ea_read_whole, 2, WORD),
    SUM(TCC, TCC_EA0_RDREQ_128B, CHANNEL, sgc_channel_t, count.ea_read_whole, 2, WORD),
    LESS(TCC, TCC_EA0_RDREQ_64B, CHANNEL, sgc_channel_t, count.ea_rdreq, 2, WORD,
         count.ea_read_whole, 2),
    LESS(TCC, TCC_EA0_WRREQ_WRITE_DRAM, CHANNEL, sgc_channel_t, count.ea_wrreq[1], 1, WORD,
         count.ea_atomic[1], 1),
    TCC(TCC, TCC_EA0_WRREQ_ATOMIC_DRAM, ea_atomic[1]),
    EA_READ_32B(RDREQ_IO_32B, 0),
    EA_READ_32B(RDREQ_DRAM_32B, 1),
    EA_WRITE_32B(WRREQ_WRITE_IO_32B, 0),
    EA_WRITE_32B(WRREQ_WRITE_DRAM_32B, 1),
    TCC(TCC, TCC_EA0_WRREQ_ATOMIC_IO_32B, at_pieces[0]),
    TCC(TCC, TCC_EA0_WRREQ_ATOMIC_DRAM_32B, at_pieces[1]),
    TCC(TCC, TCC_EA0_WRREQ_WRITE_ATOMIC_32B, at_pieces[1]),
    TCC(TCC, TCC_NORMAL_WRITEBACK, normal_writeback),
    TCC(TCC, TCC_ALL_TC_OP_WB_WRITEBACK, op_writeback),
    TCC(TCC, TCC_NORMAL_EVICT, normal_evict),
    TCC(TCC, TCC_ALL_TC_OP_INV_EVICT, op_evict),
    EA(RDREQ_DRAM, ea_rdreq[1]),
    EA(WRREQ_DRAM, ea_wrreq[1]),

    /* L2 of gfx10 and later. A read below it is of half a line or of all of it. */
    TCC(GL2C, GL2C_HIT, hit),
    LESS(GL2C, GL2C_MISS, CHANNEL, sgc_channel_t, count.by_type[0][0], SGC_MTYPES *SGC_ACCESSES,
         WORD, count.hit, 1),
    SUM(GL2C, GL2C_MC_RDREQ, CHANNEL, sgc_channel_t, count.ea_rdreq, 2, WORD),
    ZERO(GL2C, GL2C_EA_RDREQ_32B),
    LESS(GL2C, GL2C_EA_RDREQ_64B, CHANNEL, sgc_channel_t, count.ea_rdreq, 2, WORD,
         count.ea_read_whole, 2),
    ZERO(GL2C, GL2C_EA_RDREQ_96B),
    SUM(GL2C, GL2C_EA_RDREQ_128B, CHANNEL, sgc_channel_t, count.ea_read_whole, 2, WORD),
    SUM(GL2C, GL2C_MC_WRREQ, CHANNEL, sgc_channel_t, count.ea_wrreq, 2, WORD),
    SUM(GL2C, GL2C_EA_WRREQ_64B, CHANNEL, sgc_channel_t, count.ea_wrreq_64b, 2, WORD),
    SUM(GL2C, GL2C_MC_WRREQ_STALL, CHANNEL, sgc_channel_t, count.wr_stall, 2, WORD),
    /* the same by their names on gfx12 */
    SUM(GL2C, GL2C_EA_RDREQ, CHANNEL, sgc_channel_t, count.ea_rdreq, 2, WORD),
    SUM(GL2C, GL2C_EA_WRREQ, CHANNEL, sgc_channel_t, count.ea_wrreq, 2, WORD),
    SUM(GL2C, GL2C_EA_WRREQ_STALL, CHANNEL, sgc_channel_t, count.wr_stall, 2, WORD),

    CU(SQ, SQC_LDS_BANK_CONFLICT, sq.lds_bank_conflict),
    CU(SQ, SQC_LDS_IDX_ACTIVE, sq.lds_idx_active),
    CU(SQ, SQ_LDS_BANK_CONFLICT, sq.lds_bank_conflict),
    CU(SQ, SQ_LDS_ADDR_CONFLICT, sq.lds_addr_conflict),
    CU(SQ, SQ_LDS_UNALIGNED_STALL, sq.lds_unaligned_stall),
    CU(SQ, SQ_LDS_MEM_VIOLATIONS, sq.lds_mem_violations),
    CU(SQ, SQ_LDS_ATOMIC_RETURN, sq.lds_atomic_return),
    CU(SQ, SQ_LDS_IDX_ACTIVE, sq.lds_idx_active),
    SUM(SQ, SQC_TC_REQ, SQC, sgc_sqc_t, count.tc, 4, WORD),
    SQC(SQC_TC_INST_REQ, tc[0]),
    SQC(SQC_TC_DATA_READ_REQ, tc[1]),
    SQC(SQC_TC_DATA_WRITE_REQ, tc[2]),
    SQC(SQC_TC_DATA_ATOMIC_REQ, tc[3]),
    ZERO(SQ, SQC_TC_STALL), /* the port accepts a request each clock */
    SQC(SQC_ICACHE_REQ, icache_req),
    SQC(SQC_ICACHE_BUSY_CYCLES, icache_req), /* a request takes a clock */
    SQC(SQC_DCACHE_BUSY_CYCLES, dcache_req),
    SQC(SQC_ICACHE_HITS, icache_hits),
    SQC(SQC_ICACHE_MISSES, icache_misses),
    SQC(SQC_ICACHE_MISSES_DUPLICATE, icache_duplicate),
    SQC(SQC_DCACHE_REQ, dcache_req),
    SQC(SQC_DCACHE_HITS, dcache_hits),
    SQC(SQC_DCACHE_MISSES, dcache_misses),
    SQC(SQC_DCACHE_MISSES_DUPLICATE, dcache_duplicate),
    SQC(SQC_DCACHE_INPUT_VALID_READYB, dcache_shut),
    SQC(SQC_DCACHE_ATOMIC, dcache_atomic),
    SQC(SQC_DCACHE_INFLIGHT_LEVEL, inflight),
};

enum { ROWS = sizeof rows / sizeof *rows };

static const row_t *row_of(const isa_arch_t *arch, sgc_block_t block, unsigned event)
{
    const uint16_t *number = numbers[arch->index];
    for (unsigned k = 0; k < ROWS; k++)
        if (rows[k].block == block && number[rows[k].counter] == event + 1) return &rows[k];
    return NULL;
}

bool sgc_counts(const isa_arch_t *arch, sgc_block_t block, unsigned event)
{
    const row_t *r = row_of(arch, block, event);
    return r && r->owner != OF_NOBODY;
}

bool sgc_zero(const isa_arch_t *arch, sgc_block_t block, unsigned event)
{
    const row_t *r = row_of(arch, block, event);
    return r && r->owner == OF_NOBODY;
}

static uint64_t read_counts(const row_t *r, const void *unit)
{
    const char *at = (const char *)unit + r->offset;
    uint64_t sum = 0;
    for (unsigned k = 0; k < r->n; k++)
        sum += *(const uint64_t *)(at + k * r->step);
    sum *= r->times;
    for (unsigned k = 0; k < r->n_less; k++)
        sum -= *(const uint64_t *)((const char *)unit + r->less + k * WORD);
    return sum;
}

static uint64_t level(const sgc_t *t, const row_t *r, const sgc_channel_t *c)
{
    const uint64_t *n = (const uint64_t *)((const char *)c + r->offset);
    return sgc_in_flight(t, n, r->owner == OF_CHANNEL_WRITE_LEVEL);
}

uint64_t sgc_l2_busy(const sgc_t *t, unsigned xcc)
{
    uint64_t most = 0;
    for (unsigned n = 0; xcc < t->xccs && n < t->channels; n++) {
        const uint64_t busy = t->channel[xcc * t->channels + n].count.busy;
        if (busy > most) most = busy;
    }
    return most;
}

uint64_t sgc_value_of_units(const sgc_t *t, unsigned se, unsigned first, unsigned end,
                            unsigned event)
{
    const row_t *r = row_of(t->arch, SGC_SQ, event);
    uint64_t sum = 0;
    if (!r || se >= t->engines || first >= end || end > t->engine_cus) return 0;
    const sgc_cu_t *units = &t->cu[se * t->engine_cus];
    for (unsigned k = first; r->owner == OF_CU && k < end; k++)
        sum += read_counts(r, &units[k]);
    for (unsigned k = units[first].sqc; r->owner == OF_SQC && k <= units[end - 1].sqc; k++)
        sum += read_counts(r, &t->sqc[k]);
    return sum;
}

uint64_t sgc_value(const sgc_t *t, sgc_block_t block, unsigned se, unsigned instance,
                   unsigned event)
{
    const row_t *r = row_of(t->arch, block, event);
    const bool there = se < t->xccs && instance < t->channels;
    const sgc_channel_t *channel = there ? &t->channel[se * t->channels + instance] : NULL;
    if (!r) return 0;
    if (block == SGC_SQ) return sgc_value_of_units(t, se, 0, t->engine_cus, event);
    switch (r->owner) {
    case OF_CHANNEL: return there ? read_counts(r, channel) : 0;
    case OF_CHANNEL_READ_LEVEL: return there ? sgc_reads_in_flight(t, &channel->count) : 0;
    case OF_CHANNEL_LEVEL:
    case OF_CHANNEL_WRITE_LEVEL: return there ? level(t, r, channel) : 0;
    case OF_CU:
        if (se >= t->engines || instance >= t->engine_cus) return 0;
        return read_counts(r, &t->cu[se * t->engine_cus + instance]);
    default: return 0;
    }
}
