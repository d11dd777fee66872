/* trace_gfx9.c - the commands around a thread trace of gfx9, whose registers are not next to the
 * SQ's others.
 *
 * Registers, values and order are those of AMD's library, including the wait for the end, which
 * ends at once. If several engines are traced, GRBM_GFX_INDEX selects all engines again before
 * markers are written, while AMD's library leaves the last engine selected. */
#include "aqlprofile/internal.h"

#include <stddef.h>

enum {
    TRACE_BASE = 0xc330,
    TRACE_SIZE = 0xc331,
    TRACE_MASK = 0xc332,
    TRACE_TOKEN_MASK = 0xc333,
    TRACE_PERF_MASK = 0xc334,
    TRACE_CTRL = 0xc335,
    TRACE_MODE = 0xc336,
    TRACE_BASE2 = 0xc337,
    TRACE_TOKEN_MASK2 = 0xc338,
    TRACE_WPTR = 0xc339,
    TRACE_STATUS = 0xc33a,
    TRACE_HIWATER = 0xc33b,
    TRACE_CNTR = 0xc33c,

    MODE_OFF = 0x02040000,
    MODE_ON = 0x02240000,
    HIWATER = 6,

    USERDATA_CLOCK = 5,
    USERDATA_AGENT = 6,

    /* The register that AMD's library reads when it waits for the end of a trace. It is not the
     * status register, for which the mask is meant. The masked bit is not bit 0, so the value is
     * never 1, and the wait ends at once. */
    WAITED_FOR = 0x338,

    STATUS_ERROR = 1 << 28,
    STATUS_BUSY = 1 << 30,
    POLL_INTERVAL = 4
};
#define STATUS_FULL  (1u << 31)
#define RESET_BUFFER (1u << 31)

static uint32_t engines_of_xcc(const aql_trace_t *trace)
{
    return trace->engines / trace->xccs;
}

static bool wants_of_xcc(const aql_trace_t *trace, uint32_t xcc)
{
    const uint32_t engines = engines_of_xcc(trace);
    bool wanted = false;
    for (uint32_t i = 0; i < engines; i++)
        wanted |= aql_trace_wants(trace, xcc * engines + i);
    return wanted;
}

static void program_counters(aql_pm4_t *pm4, const aql_trace_t *trace)
{
    aql_pm4_set(pm4, AQL_RLC_PERFMON_CLK_CNTL, 1);
    aql_pm4_set(pm4, AQL_COMPUTE_PERFCOUNT_ENABLE, 1);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_RESET);
    for (uint32_t i = 0; i < AQL_TRACE_COUNTERS; i++) {
        uint32_t id = trace->counters[i] & 0xfffffff, simds = trace->counters[i] >> 28;
        aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER0_SELECT + i, id | simds << 24);
    }
    aql_pm4_set(pm4, TRACE_PERF_MASK, trace->counter_mask);
    aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER_MASK, trace->counter_mask);
    aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER_CTRL, trace->counter_control);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_START);
    aql_pm4_wait_idle(pm4);
}

/* Writes the clock to memory, and from there into the trace, so that both have the same value; for
 * each XCC that is traced, since each has its own clock. `field` is the offset of the clock in a
 * control row. */
static void mark_clocks(aql_pm4_t *pm4, const aql_trace_t *trace, size_t field)
{
    for (uint32_t xcc = 0; xcc < trace->xccs; xcc++) {
        if (!wants_of_xcc(trace, xcc)) continue;
        const uint64_t address = aql_trace_slot(trace, xcc) + field;
        const uint32_t begin = aql_pm4_begin_xcc(pm4, xcc);
        aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
        aql_pm4_set(pm4, AQL_TRACE_USERDATA_3, USERDATA_CLOCK);
        aql_pm4_store_clock(pm4, address);
        aql_pm4_copy_memory(pm4, AQL_TRACE_USERDATA_3, address);
        aql_pm4_copy_memory(pm4, AQL_TRACE_USERDATA_3, address + 4);
        aql_pm4_copy_clock(pm4, AQL_TRACE_USERDATA_3);
        aql_pm4_end_xcc(pm4, begin);
    }
}

static void start_engine(aql_pm4_t *pm4, const aql_trace_t *trace, uint32_t engine)
{
    const uint32_t begin = aql_pm4_begin_xcc(pm4, engine / engines_of_xcc(trace));
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, aql_trace_index(engine % engines_of_xcc(trace)));
    aql_pm4_set(pm4, TRACE_TOKEN_MASK2, trace->token_mask2);
    aql_pm4_copy_value(pm4, TRACE_STATUS, 0);
    aql_pm4_set(pm4, TRACE_BASE, (uint32_t)(trace->begin[engine] >> 12));
    aql_pm4_set(pm4, TRACE_BASE2, (uint32_t)(trace->begin[engine] >> 44));
    aql_pm4_set(pm4, TRACE_SIZE, (uint32_t)(trace->size[engine] / AQL_TRACE_PAGE));
    aql_pm4_set(pm4, TRACE_CTRL, RESET_BUFFER);
    if (!trace->concurrent) aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, TRACE_MODE, MODE_ON);
    aql_pm4_end_xcc(pm4, begin);
}

static void begin_trace(aql_pm4_t *pm4, const aql_trace_t *trace)
{
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    if (!trace->concurrent) aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, TRACE_MASK, trace->mask);
    if (trace->counter_count) program_counters(pm4, trace);
    aql_pm4_set(pm4, TRACE_TOKEN_MASK, trace->token_mask);
    aql_pm4_set(pm4, TRACE_MODE, MODE_OFF);
    aql_pm4_set(pm4, TRACE_HIWATER, HIWATER);
    for (uint32_t i = 0; i < trace->engines; i++)
        if (aql_trace_wants(trace, i)) start_engine(pm4, trace, i);
    aql_pm4_wait_idle(pm4);
    /* a single engine is still selected */
    if (__builtin_popcount(trace->engine_mask) > 1)
        aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_set(pm4, AQL_TRACE_USERDATA_2, AQL_TRACE_BEGIN);
    aql_pm4_set(pm4, AQL_TRACE_USERDATA_2, AQL_TRACE_VERSION);
    if (trace->timestamps && trace->clock_khz)
        aql_pm4_set(pm4, AQL_TRACE_USERDATA_2, USERDATA_AGENT | trace->clock_khz << 12);
    if (trace->timestamps) mark_clocks(pm4, trace, offsetof(aql_trace_control_t, clock_begin));
}

static void store_engine(aql_pm4_t *pm4, const aql_trace_t *trace, uint32_t engine)
{
    const uint64_t row = aql_trace_slot(trace, engine);
    const uint32_t begin = aql_pm4_begin_xcc(pm4, engine / engines_of_xcc(trace));
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, aql_trace_index(engine % engines_of_xcc(trace)));
    aql_pm4_wait_not_one(pm4, WAITED_FOR, STATUS_BUSY, POLL_INTERVAL);
    aql_pm4_store_register(pm4, TRACE_STATUS, row + offsetof(aql_trace_control_t, status), true);
    aql_pm4_store_register(pm4, TRACE_CNTR, row + offsetof(aql_trace_control_t, counter), true);
    aql_pm4_store_register(pm4, TRACE_WPTR, row + offsetof(aql_trace_control_t, written), true);
    aql_pm4_end_xcc(pm4, begin);
}

static void end_trace(aql_pm4_t *pm4, const aql_trace_t *trace)
{
    const uint64_t control_bytes = trace->engines * sizeof(aql_trace_control_t),
                   first = trace->begin[__builtin_ctz(trace->engine_mask)];
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_wait_idle(pm4);
    if (trace->timestamps) {
        mark_clocks(pm4, trace, offsetof(aql_trace_control_t, clock_end));
        aql_pm4_wait_idle(pm4);
    }
    aql_pm4_set(pm4, TRACE_MODE, MODE_OFF);
    aql_pm4_wait_idle(pm4);
    if (trace->counter_count) {
        aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_STOP);
        aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_RESET);
        aql_pm4_set(pm4, AQL_RLC_PERFMON_CLK_CNTL, 0);
        aql_pm4_wait_idle(pm4);
    }
    for (uint32_t i = 0; i < trace->engines; i++)
        if (aql_trace_wants(trace, i)) store_engine(pm4, trace, i);
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_flush(pm4, trace->control, control_bytes);
    aql_pm4_flush(pm4, first, trace->bytes - (first - trace->begin[0]));
    aql_pm4_set(pm4, TRACE_SIZE, 0);
    aql_pm4_set(pm4, TRACE_CTRL, RESET_BUFFER);
    aql_pm4_wait_idle(pm4);
    aql_pm4_flush(pm4, trace->control, control_bytes);
    aql_pm4_wait_idle(pm4);
}

const aql_trace_family_t aql_trace_gfx9 = {
    .begin = begin_trace,
    .end = end_trace,
    .engine_bytes = UINT64_C(16) << 30,
    .error = STATUS_ERROR,
    .full = STATUS_FULL,
    .written = 0x3fffffff,
};
