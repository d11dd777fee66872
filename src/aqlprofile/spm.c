/* spm.c - streaming counters: their positions in a sample, and the commands for them.
 *
 * A sample is lines of 16 values of 16 bits: first those of blocks that the GPU has once, with the
 * clock in front, then those of each shader engine. Even lines take the even counters of a block,
 * odd lines the odd ones; a counter of SQ takes a place in an even line and the same place in the
 * next line. The order of the writes is that of AMD's library. Differences between GPUs are in
 * share/aqlprofile/spm.tsv and delays.tsv. If no delays are programmed, the values of different
 * blocks in a sample are some clocks apart. */
#include "aqlprofile/internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE = 16,
    STAMPS = 4,
    STAMP = 0xf0f0,
    NOTHING = 0xffff,
    NO_UPPER_HALF = 0, /* AMD's library writes this instead of an upper half */
    /* bits of a select register: the counter stops at its largest value; the second event */
    STOPS_16 = 1 << 20,
    STOPS_32 = 3 << 20,
    SECOND_SHIFT = 10,
    IN_SELECT = 2, /* two counters of 16 bits share a select register */
    /* RLC_SPM_PERFMON_CNTL */
    STALL_WHEN_FULL = 3 << 12,
    INTERVAL_SHIFT = 16
};

/* ---- places ---- */

enum { EVEN, ODD, KINDS };

/* How many places of even and odd lines are taken, in the whole GPU's lines or in an engine's. */
typedef struct {
    uint32_t count[KINDS];
} taken_t;

/* Returns the next free place in lines of that kind; even and odd lines alternate. */
static uint32_t place_of(const taken_t *taken, unsigned kind)
{
    const uint32_t n = taken->count[kind];
    return (n / LINE * KINDS + kind) * LINE + n % LINE;
}

/* Returns the entry of the multiplexer table for a counter of the slot's instance. */
static uint16_t mux_of(const aql_slot_t *slot, uint32_t counter)
{
    return (uint16_t)(counter | slot->block->streamed << 6 | slot->instance << 11);
}

/* Puts a counter at the next place. Places beyond the last line are counted, but not written:
 * aql_spm_make() then fails. */
static uint32_t put(uint16_t *table, taken_t *taken, unsigned kind, uint16_t mux)
{
    const uint32_t at = place_of(taken, kind);
    if (at < AQL_SPM_LINES * LINE) table[at] = mux;
    taken->count[kind]++;
    return at;
}

static void place(aql_spm_t *spm, uint32_t event, taken_t *taken)
{
    const aql_slot_t *slot = &spm->plan.slots[spm->plan.of[event]];
    const bool of_engine = slot->block->scope >= AQL_OF_ENGINE;
    uint16_t *table = spm->table[of_engine];
    uint32_t at, flags = of_engine ? 0 : AQL_SPM_GLOBAL;
    taken += of_engine;
    if (slot->block->kind & AQL_BLOCK_SQ) {
        const bool wide = spm->streaming->sq_bits == 32;
        at = put(table, taken, EVEN, mux_of(slot, 2 * slot->slot));
        put(table, taken, ODD, wide ? mux_of(slot, 2 * slot->slot + 1) : NO_UPPER_HALF);
        if (wide) flags |= AQL_SPM_32_BITS;
    } else {
        at = put(table, taken, slot->slot % 2 ? ODD : EVEN, mux_of(slot, slot->slot));
    }
    spm->place[event] = (uint16_t)(at | flags);
}

static uint32_t lines_of(const taken_t *taken)
{
    const uint32_t most =
        taken->count[EVEN] > taken->count[ODD] ? taken->count[EVEN] : taken->count[ODD];
    return (most + LINE - 1) / LINE * KINDS;
}

static hsa_status_t check(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event)
{
    const aql_block_t *block = aql_block(agent, (uint32_t)event->block_name);
    hsa_status_t status = aql_gpu_streams(agent->gpu);
    if (status) return status;
    if (block && (!block->streamed || event->flags.raw))
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s event %u%s cannot be streamed on %s",
                        block->name, event->event_id, event->flags.raw ? " with flags" : "",
                        agent->gpu->name);
    return aql_event_check(agent, event);
}

bool aql_spm_counts(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event)
{
    return check(agent, event) == HSA_STATUS_SUCCESS;
}

hsa_status_t aql_spm_make(const aql_agent_t *agent, const aqlprofile_pmc_event_t *events,
                          uint32_t count, uint64_t interval, aql_spm_t *spm)
{
    enum { STEP = 32, INTERVAL_MAX = 65504 };
    taken_t taken[] = {{{[EVEN] = STAMPS}}, {{0}}};
    aql_agent_t product = *agent; /* only the product's own slots can be streamed */
    product.wide = (aql_wide_t){0};
    hsa_status_t status = aql_gpu_streams(agent->gpu);
    if (!status) status = aql_plan_make(&product, events, count, &spm->plan);
    for (uint32_t i = 0; i < count && !status; i++)
        status = check(agent, &events[i]);
    if (status) return status;
    spm->interval = (uint32_t)((interval + STEP / 2) / STEP * STEP);
    if (interval > INTERVAL_MAX || !spm->interval)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "a sample every %llu clocks cannot be, from %d to %d can",
                        (unsigned long long)interval, STEP, INTERVAL_MAX);
    spm->streaming = agent->gpu->streaming;
    spm->engines = agent->engines / agent->xccs;
    if (spm->engines > spm->streaming->engines)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%u shader engines%s cannot stream, %u can", spm->engines,
                        agent->xccs > 1 ? " of an XCC" : "", spm->streaming->engines);
    spm->place = calloc(count, sizeof *spm->place);
    if (!spm->place)
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u events", count);
    memset(spm->table, 0xff, sizeof spm->table);
    for (uint32_t i = 0; i < STAMPS; i++)
        spm->table[0][i] = STAMP;
    /* SQ comes first, so that both places of each of its counters have the same number in their
     * lines */
    for (int sq = 1; sq >= 0; sq--)
        for (uint32_t i = 0; i < count; i++)
            if (!(spm->plan.slots[spm->plan.of[i]].block->kind & AQL_BLOCK_SQ) == !sq)
                place(spm, i, taken);
    spm->lines[0] = lines_of(&taken[0]);
    spm->lines[1] = lines_of(&taken[1]);
    if (spm->lines[0] > AQL_SPM_LINES || spm->lines[1] > AQL_SPM_LINES)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "a sample of %u lines and %u of each shader engine cannot be, %d can",
                        spm->lines[0], spm->lines[1], AQL_SPM_LINES);
    return HSA_STATUS_SUCCESS;
}

void aql_spm_free(aql_spm_t *spm)
{
    aql_plan_free(&spm->plan);
    free(spm->place);
    spm->place = NULL;
}

/* ---- commands ---- */

/* Programs two counters of 16 bits, which share a select register. A slot has two such
 * registers. */
static void program_pair(aql_pm4_t *pm4, const aql_plan_t *plan, uint32_t first)
{
    const aql_slot_t *slot = &plan->slots[first];
    const uint32_t pair = slot->slot / IN_SELECT;
    const aql_registers_t *registers = &slot->block->registers[pair / IN_SELECT];
    uint32_t value = slot->event | STOPS_16;
    for (uint32_t i = 0; i < plan->slot_count; i++)
        if (plan->slots[i].block == slot->block && plan->slots[i].instance == slot->instance &&
            plan->slots[i].slot == slot->slot + 1)
            value |= plan->slots[i].event << SECOND_SHIFT;
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, aql_index_of(slot->block, slot->instance));
    aql_pm4_set(pm4, pair % IN_SELECT ? registers->select1 : registers->select, value);
}

static void program(aql_pm4_t *pm4, const aql_plan_t *plan)
{
    aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER_MASK, UINT32_MAX);
    aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER_CTRL, pm4->family->sq_texture);
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        const aql_slot_t *slot = &plan->slots[i];
        if (slot->block->kind & AQL_BLOCK_SQ) {
            aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
            aql_pm4_set(pm4, slot->block->registers[slot->slot].select,
                        slot->event | AQL_SQ_SELECT_MASKS | STOPS_32);
        } else if (slot->slot % IN_SELECT == 0) {
            program_pair(pm4, plan, i);
        }
    }
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
}

static bool streams(const aql_plan_t *plan, uint32_t block)
{
    for (uint32_t i = 0; i < plan->slot_count; i++)
        if (plan->slots[i].block->id == block) return true;
    return false;
}

/* Sets the delay of each instance of a block. The RLC then waits for the block with the largest
 * delay, so that all values of a sample belong to the same clocks. */
static void set_delays_of(aql_pm4_t *pm4, const aql_delay_t *delay, uint32_t engines)
{
    const uint32_t count = delay->engines < engines ? delay->engines : engines;
    for (uint32_t e = 0; e < count; e++)
        for (uint32_t i = 0; i < delay->instances; i++) {
            aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, delay->engines > 1 ? aql_index_in(e, i) : i);
            aql_pm4_set(pm4, delay->reg, delay->clocks[e * delay->instances + i]);
        }
}

static void set_delays(aql_pm4_t *pm4, const aql_spm_t *spm)
{
    const aql_streaming_t *streaming = spm->streaming;
    if (!streaming->delay_max) return;
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_set(pm4, AQL_RLC_SPM_SAMPLE_DELAY_MAX, streaming->delay_max);
    for (uint32_t i = 0; i < streaming->delay_count; i++)
        if (streams(&spm->plan, streaming->delays[i].block))
            set_delays_of(pm4, &streaming->delays[i], spm->engines);
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
}

static void set_lines(aql_pm4_t *pm4, const aql_spm_t *spm)
{
    enum { GPU_SHIFT = 11, SE0_SHIFT = 16, SE4_SHIFT = 12, STEP = 5, IN_CORE = 4 };
    const uint32_t n = spm->lines[1];
    aql_pm4_set(pm4, AQL_RLC_SPM_SEGMENT_SIZE,
                (spm->lines[0] + IN_CORE * n) | spm->lines[0] << GPU_SHIFT |
                    (n | n << STEP | n << 2 * STEP) << SE0_SHIFT);
    if (spm->streaming->engines > IN_CORE)
        aql_pm4_set(pm4, AQL_RLC_SPM_SEGMENT_SIZE_CORE1,
                    IN_CORE * n | (n | n << STEP | n << 2 * STEP | n << 3 * STEP) << SE4_SHIFT);
}

static void set_table(aql_pm4_t *pm4, const uint16_t *table, uint32_t lines, uint32_t address)
{
    uint32_t words[AQL_SPM_LINES * LINE / 2 + 1];
    const uint32_t n = lines * LINE / 2;
    for (uint32_t i = 0; i < n; i++)
        words[i] = table[2 * i] | (uint32_t)table[2 * i + 1] << 16;
    words[n] = NOTHING | (uint32_t)NOTHING << 16; /* marks the end of the table */
    aql_pm4_set(pm4, address, 0);
    aql_pm4_write_register(pm4, address + 1, words, n + 1);
}

void aql_spm_start(aql_pm4_t *pm4, const aql_spm_t *spm)
{
    aql_pm4_set(pm4, AQL_RLC_PERFMON_CLK_CNTL, 1);
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_SPM_STOP);
    aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, AQL_RLC_SPM_PERFMON_CNTL, spm->interval << INTERVAL_SHIFT | STALL_WHEN_FULL);
    set_delays(pm4, spm);
    program(pm4, &spm->plan);
    set_lines(pm4, spm);
    set_table(pm4, spm->table[0], spm->lines[0], AQL_RLC_SPM_GLOBAL_MUXSEL_ADDR);
    set_table(pm4, spm->table[1], spm->lines[1], AQL_RLC_SPM_SE_MUXSEL_ADDR);
    aql_pm4_set(pm4, AQL_RLC_SPM_GLOBAL_MUXSEL_ADDR, 0);
    aql_pm4_set(pm4, AQL_RLC_SPM_SE_MUXSEL_ADDR, 0);
    aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, AQL_COMPUTE_PERFCOUNT_ENABLE, 1);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_SPM_START);
    aql_pm4_wait_idle(pm4);
}

void aql_spm_stop(aql_pm4_t *pm4)
{
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_SPM_STOP);
    aql_pm4_set(pm4, AQL_RLC_PERFMON_CLK_CNTL, 0);
}
