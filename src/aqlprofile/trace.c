/* trace.c - thread traces: their parameters, the division of the buffer, markers, and how much was
 * written.
 *
 * It is apart because both interfaces trace in the same way. The commands around a trace are in
 * trace_gfx9.c and trace_gfx10.c, since the families differ in registers and in the order of
 * commands. */
#include "aqlprofile/internal.h"

#include <string.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT

enum {
    /* registers of gfx9; other families' values follow from the parameters in trace_gfx10.c */
    MASK_STALLS = 0xc080, /* bit for registers; SPI and SQ wait when the trace's FIFO is full */
    TOKENS_ALL = 0x000fbc6f,
    TOKENS_OCCUPANCY = 0x000f906f,
    TOKENS_COUNTERS = 0x4000,

    USERDATA_CODE_OBJECT = 4,
    ENGINES_OF_HARDWARE = 64 /* each engine that is not traced has a page of the buffer */
};

/* ---- parameters ---- */

enum { FIRST = 1, SECOND = 2 }; /* the interfaces that have a parameter */

typedef struct {
    aql_trace_t *trace;
    uint32_t vm_id, raw_mask, raw_tokens, raw_tokens2;
    uint32_t all_stages; /* value of SQ_PERFCOUNTER_CTRL with which waves of all stages count */
    uint64_t size;
} parse_t;

static bool set_unit(parse_t *p, uint32_t value)
{
    p->trace->unit = value;
    return value <= 15;
}

static bool set_vm_id(parse_t *p, uint32_t value)
{
    p->vm_id = value;
    return value <= 3;
}

static bool set_raw_mask(parse_t *p, uint32_t value)
{
    p->raw_mask = value;
    p->trace->unit = value & 15;
    return !(value & 0x50);
}

static bool set_raw_tokens(parse_t *p, uint32_t value)
{
    p->raw_tokens = value;
    return !(value >> 24);
}

static bool set_raw_tokens2(parse_t *p, uint32_t value)
{
    p->raw_tokens2 = value;
    return true;
}

static bool set_engines(parse_t *p, uint32_t value)
{
    p->trace->engine_mask = value & (uint32_t)((UINT64_C(1) << p->trace->engines) - 1);
    return p->trace->engine_mask;
}

static bool set_concurrent(parse_t *p, uint32_t value)
{
    p->trace->concurrent = value;
    return true;
}

static bool set_simds(parse_t *p, uint32_t value)
{
    p->trace->simds = value & 15;
    return true;
}

static bool set_occupancy(parse_t *p, uint32_t value)
{
    p->trace->occupancy = value;
    return true;
}

static bool set_size(parse_t *p, uint32_t value)
{
    p->size = (p->size & ~UINT64_C(0xffffffff)) | value;
    return true;
}

static bool set_size_high(parse_t *p, uint32_t value)
{
    p->size = (p->size & UINT64_C(0xffffffff)) | (uint64_t)value << 32;
    return true;
}

static bool set_timestamps(parse_t *p, uint32_t value)
{
    p->trace->timestamps = value != AQLPROFILE_ATT_PARAMETER_RT_TIMESTAMP_DISABLE;
    return value <= AQLPROFILE_ATT_PARAMETER_RT_TIMESTAMP_DISABLE;
}

static bool set_counter_mask(parse_t *p, uint32_t value)
{
    p->trace->counter_mask = value;
    return true;
}

static bool set_counter_control(parse_t *p, uint32_t value)
{
    p->trace->counter_control = p->all_stages | (value & 0x1f) << 8;
    return true;
}

static bool add_counter(parse_t *p, uint32_t value)
{
    if (p->trace->counter_count == AQL_TRACE_COUNTERS) return false;
    p->trace->counters[p->trace->counter_count++] = value;
    return true;
}

/* Accepts and ignores a parameter. */
static bool accept(parse_t *p, uint32_t value)
{
    (void)p, (void)value;
    return true;
}

static const struct {
    uint32_t name, interfaces;
    bool (*set)(parse_t *p, uint32_t value);
    const char *text, *limit;
} parameters_known[] = {
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_COMPUTE_UNIT_TARGET, FIRST | SECOND, set_unit,
     "COMPUTE_UNIT_TARGET", "0 to 15"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_VM_ID_MASK, FIRST, set_vm_id, "VM_ID_MASK", "0 to 3"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_MASK, FIRST, set_raw_mask, "MASK", "bits 4 and 6 zero"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_TOKEN_MASK, FIRST, set_raw_tokens, "TOKEN_MASK",
     "24 bits"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_TOKEN_MASK2, FIRST, set_raw_tokens2, "TOKEN_MASK2", ""},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, FIRST | SECOND, set_engines, "SE_MASK",
     "a bit for a shader engine of the agent"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SAMPLE_RATE, FIRST, accept, "SAMPLE_RATE", ""},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_K_CONCURRENT, FIRST, set_concurrent, "K_CONCURRENT", ""},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SIMD_SELECTION, FIRST | SECOND, set_simds,
     "SIMD_SELECTION", ""},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_OCCUPANCY_MODE, FIRST | SECOND, set_occupancy,
     "OCCUPANCY_MODE", ""},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE, SECOND, set_size, "ATT_BUFFER_SIZE",
     ""},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE, FIRST, accept, "ATT_BUFFER_SIZE", ""},
    {AQLPROFILE_ATT_PARAMETER_NAME_BUFFER_SIZE_HIGH, SECOND, set_size_high, "BUFFER_SIZE_HIGH", ""},
    {AQLPROFILE_ATT_PARAMETER_NAME_RT_TIMESTAMP, SECOND, set_timestamps, "RT_TIMESTAMP", "0 to 2"},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_MASK, FIRST | SECOND, set_counter_mask,
     "PERFCOUNTER_MASK", ""},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_CTRL, FIRST | SECOND, set_counter_control,
     "PERFCOUNTER_CTRL", ""},
    {HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_NAME, FIRST | SECOND, add_counter,
     "PERFCOUNTER_NAME", "8 counters"},
};

static hsa_status_t set_parameter(parse_t *p, uint32_t name, uint32_t value, bool second)
{
    for (size_t i = 0; i < sizeof parameters_known / sizeof *parameters_known; i++) {
        if (parameters_known[i].name != name ||
            !(parameters_known[i].interfaces & (second ? SECOND : FIRST)))
            continue;
        if (parameters_known[i].set(p, value)) return HSA_STATUS_SUCCESS;
        return aql_fail(INVALID, "trace parameter %s cannot be 0x%x: %s", parameters_known[i].text,
                        value, parameters_known[i].limit);
    }
    return aql_fail(INVALID, "no trace parameter has number %u", name);
}

hsa_status_t aql_trace_make(const aql_agent_t *agent, const aqlprofile_att_parameter_t *parameters,
                            uint32_t count, bool second, aql_trace_t *trace)
{
    enum { ENGINES_DEFAULT = 0x11, SIMDS_ALL = 15, BYTES_DEFAULT = 192 << 20 };
    parse_t p = {
        .trace = trace, .size = BYTES_DEFAULT, .all_stages = agent->gpu->family->sq_texture};
    hsa_status_t status = HSA_STATUS_SUCCESS;
    memset(trace, 0, sizeof *trace);
    trace->family = agent->gpu->family->trace;
    trace->version = agent->gpu->trace;
    trace->xccs = agent->xccs;
    trace->engines = agent->engines;
    trace->clock_khz = agent->clock_khz;
    trace->simds = SIMDS_ALL;
    trace->counter_mask = UINT32_MAX;
    trace->timestamps = second;
    set_engines(&p, ENGINES_DEFAULT);
    if (count && !parameters) return aql_fail(INVALID, "parameters is NULL");
    for (uint32_t i = 0; i < count && !status; i++)
        status =
            set_parameter(&p, (uint32_t)parameters[i].parameter_name, parameters[i].value, second);
    trace->bytes = p.size;
    trace->mask = MASK_STALLS | trace->unit | trace->simds << 8 | p.vm_id << 12;
    trace->token_mask = trace->occupancy ? TOKENS_OCCUPANCY : TOKENS_ALL;
    trace->token_mask2 = UINT32_MAX;
    /* these are used only if all three are given */
    if (p.raw_mask && p.raw_tokens && p.raw_tokens2) {
        trace->mask = p.raw_mask;
        trace->token_mask = p.raw_tokens;
        trace->token_mask2 = p.raw_tokens2;
    }
    if (trace->counter_count) trace->token_mask |= TOKENS_COUNTERS;
    return status;
}

hsa_status_t aql_trace_place(aql_trace_t *trace, uint64_t data, uint64_t bytes, uint64_t control)
{
    const uint64_t step_min = 128u << 10, step_end = trace->family->engine_bytes;
    uint64_t traced = (uint64_t)__builtin_popcount(trace->engine_mask);
    uint64_t apart = (ENGINES_OF_HARDWARE - traced) * AQL_TRACE_PAGE;
    uint64_t step = bytes > apart ? (bytes - apart) / traced / AQL_TRACE_PAGE * AQL_TRACE_PAGE : 0;
    if (step < step_min || step >= step_end)
        return aql_fail(INVALID,
                        "a trace of %llu shader engines takes from %llu to %llu bytes, not %llu",
                        (unsigned long long)traced, (unsigned long long)(step_min * traced + apart),
                        (unsigned long long)((step_end - AQL_TRACE_PAGE) * traced + apart),
                        (unsigned long long)bytes);
    if (data % AQL_TRACE_PAGE)
        return aql_fail(INVALID, "the trace's buffer is not aligned to %d bytes", AQL_TRACE_PAGE);
    trace->bytes = bytes;
    trace->control = control;
    for (uint32_t i = 0; i < trace->engines; i++) {
        bool wanted = trace->engine_mask >> i & 1;
        trace->begin[i] = data;
        trace->size[i] = wanted ? step : 0;
        data += wanted ? step : AQL_TRACE_PAGE;
    }
    return HSA_STATUS_SUCCESS;
}

/* ---- commands ---- */

bool aql_trace_wants(const aql_trace_t *trace, uint32_t engine)
{
    return trace->engine_mask >> engine & 1;
}

uint32_t aql_trace_index(uint32_t engine)
{
    enum { INSTANCE_ALL = 1 << 30, ENGINE_SHIFT = 16 };
    return INSTANCE_ALL | engine << ENGINE_SHIFT; /* array 0 */
}

uint64_t aql_trace_slot(const aql_trace_t *trace, uint32_t engine)
{
    return trace->control + engine * sizeof(aql_trace_control_t);
}

void aql_trace_begin(aql_pm4_t *pm4, const aql_trace_t *trace)
{
    trace->family->begin(pm4, trace);
}

void aql_trace_end(aql_pm4_t *pm4, const aql_trace_t *trace)
{
    trace->family->end(pm4, trace);
}

void aql_trace_mark(aql_pm4_t *pm4, uint32_t type, uint32_t word)
{
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_set(pm4, AQL_TRACE_USERDATA_2, USERDATA_CODE_OBJECT | type << 8);
    aql_pm4_set(pm4, AQL_TRACE_USERDATA_2, word);
}

/* ---- results ---- */

/* Returns how much was written, before limiting it to the buffer. */
static uint64_t written(const aql_trace_t *trace, const aql_trace_control_t *control,
                        uint32_t engine)
{
    enum { UNIT = 32 };
    const aql_trace_family_t *family = trace->family;
    const uint64_t bytes = (uint64_t)(control[engine].written & family->written) * UNIT;
    return family->wraps ? (bytes - trace->begin[engine]) % family->wraps : bytes;
}

uint64_t aql_trace_bytes(const aql_trace_t *trace, const aql_trace_control_t *control,
                         uint32_t engine)
{
    const uint64_t bytes = written(trace, control, engine);
    return bytes < trace->size[engine] ? bytes : trace->size[engine];
}

hsa_status_t aql_trace_check(const aql_trace_t *trace, const aql_trace_control_t *control)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (uint32_t i = 0; i < trace->engines; i++) {
        if (!trace->size[i]) continue;
        if (control[i].status & trace->family->error)
            return aql_fail(HSA_STATUS_ERROR_EXCEPTION,
                            "shader engine %u could not reach its trace buffer", i);
        if (!status && (control[i].status & trace->family->full ||
                        written(trace, control, i) >= trace->size[i]))
            status = aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                              "the trace buffer of shader engine %u, %llu bytes, was too small", i,
                              (unsigned long long)trace->size[i]);
    }
    return status;
}
