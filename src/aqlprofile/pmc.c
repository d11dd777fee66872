/* pmc.c - counters to slots, and the commands that start, read and stop them.
 *
 * Apart because both interfaces count in the same way. The order of the writes is that of AMD's
 * library, which is known to work on the hardware. */
#include "aqlprofile/internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    INSTANCES_MAX = 64, /* of a block; the tables have at most 32 */
    BLOCKS_MAX = 64,
    /* events that add up the level in the slot before, every 4 clocks and every clock */
    SQ_ACCUM_PREV = 1,
    SQ_ACCUM_PREV_HIRES = 185,
};
#define SQ_CTRL_WAVES 0xffff0057u /* all stages but ES and LS, which gfx9 merged into GS and HS */

typedef struct {
    const aql_agent_t *agent;
    uint16_t used[BLOCKS_MAX][INSTANCES_MAX];
    uint32_t sums; /* how many events add up a level; most profiles have none */
    aql_plan_t *plan;
} planner_t;

static hsa_status_t take_slot(planner_t *p, const aqlprofile_pmc_event_t *event, uint32_t select)
{
    const aql_block_t *block = aql_block(p->agent, (uint32_t)event->block_name);
    uint16_t *used = &p->used[block->id][event->block_index];
    const uint32_t slots = aql_block_slots(p->agent, block);
    if (*used == slots)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s[%u] counts %u events at once, no room for event %u%s", block->name,
                        event->block_index, slots, event->event_id,
                        event->flags.raw ? " and what adds it up" : "");
    p->plan->slots[p->plan->slot_count++] =
        (aql_slot_t){block, event->block_index, select, (*used)++};
    p->plan->kinds |= block->kind;
    return HSA_STATUS_SUCCESS;
}

static bool same_level(const aqlprofile_pmc_event_t *a, const aqlprofile_pmc_event_t *b)
{
    return a->block_name == b->block_name && a->block_index == b->block_index &&
           a->event_id == b->event_id;
}

/* An accumulating event must have the slot right after the level that it adds up. If the profile
 * asks for that level, too, its slot serves both; else the level gets a slot that is not read. */
static hsa_status_t place(planner_t *p, const aqlprofile_pmc_event_t *events, uint32_t count,
                          uint32_t at, bool *placed)
{
    hsa_status_t status;
    uint32_t level = at, sum = at;
    if (events[at].flags.raw) {
        for (level = 0; level < count; level++)
            if (!placed[level] && !events[level].flags.raw &&
                same_level(&events[level], &events[at]))
                break;
    } else if (p->sums) {
        for (sum = 0; sum < count; sum++)
            if (!placed[sum] && events[sum].flags.raw && same_level(&events[sum], &events[at]))
                break;
    }
    if (level < count) {
        p->plan->of[level] = p->plan->slot_count;
        placed[level] = true;
    }
    status = take_slot(p, &events[at], events[at].event_id);
    if (status || sum == count || !events[sum].flags.raw) return status;
    p->plan->of[sum] = p->plan->slot_count;
    placed[sum] = true;
    return take_slot(p, &events[sum],
                     events[sum].flags.sq_flags.accum == AQLPROFILE_ACCUMULATION_LO_RES
                         ? SQ_ACCUM_PREV
                         : SQ_ACCUM_PREV_HIRES);
}

hsa_status_t aql_plan_make(const aql_agent_t *agent, const aqlprofile_pmc_event_t *events,
                           uint32_t count, aql_plan_t *plan)
{
    planner_t p = {.agent = agent, .plan = plan};
    hsa_status_t status = HSA_STATUS_SUCCESS;
    bool *placed = NULL;
    memset(plan, 0, sizeof *plan);
    if (count > AQL_EVENTS_MAX)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "the profile has %u events, more than there are counters (at most %d)",
                        count, AQL_EVENTS_MAX);
    if (!count || !events)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the profile has no events");
    plan->slots = malloc(2ul * count * sizeof *plan->slots);
    plan->of = malloc(count * sizeof *plan->of);
    placed = calloc(count, sizeof *placed);
    if (!plan->slots || !plan->of || !placed) {
        status = aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u events", count);
        goto out;
    }
    plan->event_count = count;
    for (uint32_t i = 0; i < count && !status; i++) {
        status = aql_event_check(agent, &events[i]);
        p.sums += events[i].flags.raw != 0;
        if (!status)
            plan->samples +=
                aql_block_samples(agent, aql_block(agent, (uint32_t)events[i].block_name));
    }
    for (uint32_t i = 0; i < count && !status; i++)
        if (!placed[i]) status = place(&p, events, count, i, placed);
out:
    free(placed);
    return status;
}

void aql_plan_free(aql_plan_t *plan)
{
    free(plan->slots);
    free(plan->of);
    memset(plan, 0, sizeof *plan);
}

/* ---- commands ---- */

uint32_t aql_index_of(const aql_block_t *block, uint32_t instance, int engine)
{
    enum { ARRAY_ALL = 1 << 29, INSTANCE_ALL = 1 << 30 };
    const uint32_t engine_all = 1u << 31;
    return (engine < 0 ? engine_all : (uint32_t)engine << 16) | ARRAY_ALL |
           (block->instances > 1 ? instance : INSTANCE_ALL);
}

static void program(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_slot_t *slot)
{
    const aql_block_t *block = slot->block;
    const aql_registers_t registers = aql_slot_registers(agent, block, slot->slot);
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, aql_index_of(block, slot->instance, -1));
    if (block->kind & AQL_BLOCK_CLEARED)
        for (uint32_t i = 0; i < block->slots; i++) {
            aql_pm4_set(pm4, block->registers[i].low, 0);
            aql_pm4_set(pm4, block->registers[i].high, 0);
        }
    if (block->kind & AQL_BLOCK_CLEARED && slot->slot >= block->slots) {
        aql_pm4_set(pm4, registers.low, 0);
        aql_pm4_set(pm4, registers.high, 0);
    }
    aql_pm4_set(pm4, registers.select,
                slot->event | (block->kind & AQL_BLOCK_SQ ? AQL_SQ_SELECT_MASKS : 0));
    if (block->kind & AQL_BLOCK_SQ) {
        aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER_MASK, UINT32_MAX);
        aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER_CTRL, SQ_CTRL_WAVES);
    }
}

void aql_pmc_start(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                   bool concurrent)
{
    if (!concurrent) aql_pm4_wait_idle(pm4);
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_set(pm4, AQL_RLC_PERFMON_CLK_CNTL, 1);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_RESET);
    if (plan->kinds & AQL_BLOCK_TEXTURE) aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER_CTRL, AQL_SQ_CTRL_ALL);
    for (uint32_t i = 0; i < plan->slot_count; i++)
        program(pm4, agent, &plan->slots[i]);
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_set(pm4, AQL_COMPUTE_PERFCOUNT_ENABLE, 1);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_RESET);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_START);
    if (!concurrent) aql_pm4_wait_idle(pm4);
}

void aql_pmc_read(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan, uint64_t output)
{
    uint64_t at = output;
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_READ);
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_wait_idle(pm4);
    for (uint32_t i = 0; i < plan->event_count; i++) {
        const aql_slot_t *slot = &plan->slots[plan->of[i]];
        const aql_registers_t registers = aql_slot_registers(agent, slot->block, slot->slot);
        uint32_t samples = aql_block_samples(agent, slot->block);
        for (uint32_t sample = 0; sample < samples; sample++, at += 8) {
            int engine = slot->block->per_engine ? (int)sample : -1;
            aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, aql_index_of(slot->block, slot->instance, engine));
            aql_pm4_store_register(pm4, registers.low, at, false);
            aql_pm4_store_register(pm4, registers.high, at + 4, false);
        }
    }
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_flush(pm4, output, at - output);
}

void aql_pmc_stop(aql_pm4_t *pm4)
{
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, AQL_BROADCAST);
    aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, AQL_PERFMON_STOP);
    aql_pm4_set(pm4, AQL_RLC_PERFMON_CLK_CNTL, 0);
    aql_pm4_wait_idle(pm4);
}
