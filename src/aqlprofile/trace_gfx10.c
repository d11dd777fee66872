/* trace_gfx10.c - the commands around a thread trace of gfx10 and later, whose order is the same.
 *
 * They are apart from trace_gfx9.c because the order differs. Registers, and the values written to
 * them, differ from family to family: they are rows below, with the values of AMD's library. All
 * engines trace, but those that were not requested leave every token out. A trace of these families
 * cannot have SQ's counters. */
#include "aqlprofile/internal.h"

#include <stddef.h>

/* The values that are written to registers of each engine before it traces. */
typedef enum {
    NOTHING,       /* ends the row */
    SIZE_AND_HIGH, /* number of pages, and the upper bits of the first page's number */
    SIZE,          /* number of pages */
    BASE,          /* lower or upper half of the first page's number */
    BASE_HIGH,
    ZERO,
    MASK,   /* which waves to trace in detail */
    TOKENS, /* which tokens to leave out */
    CONTROL /* turns the trace on */
} value_t;

typedef struct aql_trace_registers {
    struct {
        uint32_t reg;
        value_t value;
    } of_engine[8];
    uint32_t status, counter, written, control; /* numbers of registers */
    uint32_t events, events_on; /* register that enables events of the trace; 0: there is none */
    uint32_t mask, tokens, tokens_occupancy, tokens_off, control_on, control_off; /* values */
    uint32_t interval; /* interval between two reads of the status */
    bool by_copy;      /* registers are set by COPY_DATA */
    bool finishes;     /* an event ends the trace */
    bool flushes;      /* the control rows are written back from caches */
} registers_t;

enum { COMPUTE_THREAD_TRACE_ENABLE = 0x2e1e, FINISH_PENDING = 0x3fc, BUSY = 1 << 25 };

static void set(aql_pm4_t *pm4, const registers_t *r, uint32_t reg, uint32_t value)
{
    if (r->by_copy)
        aql_pm4_copy_value(pm4, reg, value);
    else
        aql_pm4_set(pm4, reg, value);
}

static uint32_t value_of(const aql_trace_t *trace, uint32_t engine, value_t value)
{
    enum { SIZE_SHIFT = 8, SIMDS = 3, UNIT_SHIFT = 4 };
    const registers_t *r = trace->family->registers;
    const uint64_t base = trace->begin[engine] / AQL_TRACE_PAGE;
    const bool wanted = aql_trace_wants(trace, engine);
    const uint64_t bytes = wanted ? trace->size[engine] : AQL_TRACE_PAGE;
    const uint32_t pages = (uint32_t)(bytes / AQL_TRACE_PAGE);
    switch (value) {
    case SIZE_AND_HIGH: return pages << SIZE_SHIFT | (uint32_t)(base >> 32);
    case SIZE: return pages;
    case BASE: return (uint32_t)base;
    case BASE_HIGH: return (uint32_t)(base >> 32);
    case MASK: return r->mask | (trace->simds & SIMDS) | trace->unit << UNIT_SHIFT;
    case TOKENS:
        return !wanted ? r->tokens_off : trace->occupancy ? r->tokens_occupancy : r->tokens;
    case CONTROL: return r->control_on;
    default: return 0;
    }
}

static void select_engine(aql_pm4_t *pm4, uint32_t engine)
{
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, aql_trace_index(engine));
}

static void begin_trace(aql_pm4_t *pm4, const aql_trace_t *trace)
{
    const registers_t *r = trace->family->registers;
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_copy_value(pm4, r->status, 0);
    if (r->events) set(pm4, r, r->events, r->events_on);
    for (uint32_t i = 0; i < trace->engines; i++) {
        select_engine(pm4, i);
        for (int k = 0; r->of_engine[k].value; k++)
            set(pm4, r, r->of_engine[k].reg, value_of(trace, i, r->of_engine[k].value));
    }
    for (uint32_t i = 0; i < trace->engines; i++) {
        if (!aql_trace_wants(trace, i)) continue;
        select_engine(pm4, i);
        aql_pm4_set(pm4, COMPUTE_THREAD_TRACE_ENABLE, 1);
    }
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, AQL_TRACE_USERDATA_2, AQL_TRACE_BEGIN);
    aql_pm4_set(pm4, AQL_TRACE_USERDATA_2, AQL_TRACE_VERSION);
}

static void end_trace(aql_pm4_t *pm4, const aql_trace_t *trace)
{
    const registers_t *r = trace->family->registers;
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_set(pm4, COMPUTE_THREAD_TRACE_ENABLE, 0);
    if (r->finishes) aql_pm4_finish_trace(pm4);
    aql_pm4_wait_clear(pm4, r->status, FINISH_PENDING, r->interval);
    set(pm4, r, r->control, r->control_off);
    aql_pm4_wait_clear(pm4, r->status, BUSY, r->interval);
    for (uint32_t i = 0; i < trace->engines; i++) {
        const uint64_t row = aql_trace_slot(trace, i);
        select_engine(pm4, i);
        aql_pm4_store_register(pm4, r->status, row + offsetof(aql_trace_control_t, status), true);
        aql_pm4_store_register(pm4, r->counter, row + offsetof(aql_trace_control_t, counter), true);
        aql_pm4_store_register(pm4, r->written, row + offsetof(aql_trace_control_t, written), true);
    }
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    if (r->flushes)
        aql_pm4_flush(pm4, trace->control, trace->engines * sizeof(aql_trace_control_t));
    aql_pm4_wait_idle(pm4);
}

/* Bits of the mask: only waves of compute; from gfx11 on, also without shader data of other
 * waves. */
enum { COMPUTE_WAVES = 1 << 16, NO_DATA_OF_OTHERS = 1 << 17 };

static const registers_t registers_gfx10 = {
    .of_engine = {{0x2341, SIZE_AND_HIGH},
                  {0x2340, BASE},
                  {0x2345, MASK},
                  {0x2346, TOKENS},
                  {0x2347, CONTROL}},
    .status = 0x2348,
    .counter = 0x2349,
    .written = 0x2344,
    .control = 0x2347,
    .mask = COMPUTE_WAVES,
    .tokens = 0x00080683,
    .tokens_occupancy = 0x030807cf,
    .tokens_off = 0x030007ff,
    .control_on = 0xa0423f41,
    .control_off = 0xa0423f40,
    .interval = 4,
};

static const registers_t registers_gfx11 = {
    .of_engine = {{0xd9e9, SIZE_AND_HIGH},
                  {0xd9e8, BASE},
                  {0xd9ed, MASK},
                  {0xd9ee, TOKENS},
                  {0xd9ec, CONTROL}},
    .status = 0xd9f4,
    .counter = 0xd9fa,
    .written = 0xd9ef,
    .control = 0xd9ec,
    .mask = COMPUTE_WAVES | NO_DATA_OF_OTHERS,
    .tokens = 0x0c080683,
    .tokens_occupancy = 0x030807cf,
    .tokens_off = 0x0f0007ff,
    .control_on = 0xa0423941,
    .control_off = 0xa0423940,
    .interval = 16,
    .flushes = true,
};

static const registers_t registers_gfx12 = {
    .of_engine = {{0xd9e6, SIZE},
                  {0xd9e7, BASE},
                  {0xd9e8, BASE_HIGH},
                  {0xd9ef, ZERO},
                  {0xd9ed, MASK},
                  {0xd9ee, TOKENS},
                  {0xd9ec, CONTROL}},
    .status = 0xd9f4,
    .counter = 0xd9fa,
    .written = 0xd9ef,
    .control = 0xd9ec,
    .events = 0xc448,
    .events_on = 3, /* at the top and at the bottom of the pipe */
    .mask = COMPUTE_WAVES | NO_DATA_OF_OTHERS,
    .tokens = 0x8c1f4003,
    .tokens_occupancy = 0x030807ff,
    .tokens_off = 0x1f0007ff,
    .control_on = 0xa0405941,
    .control_off = 0xa0405940,
    .interval = 4,
    .by_copy = true,
    .finishes = true,
    .flushes = true,
};

enum { ERROR = 1 << 24, WRITTEN = 0x1fffffff };

const aql_trace_family_t aql_trace_gfx10 = {
    .begin = begin_trace,
    .end = end_trace,
    .engine_bytes = UINT64_C(16) << 30,
    .error = ERROR,
    .written = WRITTEN,
    .registers = &registers_gfx10,
};

const aql_trace_family_t aql_trace_gfx11 = {
    .begin = begin_trace,
    .end = end_trace,
    .engine_bytes = UINT64_C(1) << 29,
    .error = ERROR,
    .written = WRITTEN,
    .wraps = UINT64_C(1) << 29,
    .registers = &registers_gfx11,
};

const aql_trace_family_t aql_trace_gfx12 = {
    .begin = begin_trace,
    .end = end_trace,
    .engine_bytes = UINT64_C(16) << 30,
    .error = ERROR,
    .written = WRITTEN,
    .registers = &registers_gfx12,
};
