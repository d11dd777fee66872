/* plan.c - events to slots, and the order of their results.
 *
 * It is apart from the commands (pmc.c) because streaming counters have slots, too, and because
 * results are read long after the commands were written. */
#include "aqlprofile/internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    INSTANCES_MAX = 64, /* instances of a block; the tables have at most 36 */
    BLOCKS_MAX = 64,
    /* accumulates the level counted in the slot before, every 4 clocks; the GPU's own event does so
     * every clock */
    SQ_ACCUM_PREV = 1
};

typedef struct {
    const aql_agent_t *agent;
    uint16_t used[BLOCKS_MAX][INSTANCES_MAX];
    uint32_t sums; /* number of events that accumulate a level; most profiles have none */
    aql_plan_t *plan;
} planner_t;

static hsa_status_t take_slot(planner_t *p, const aqlprofile_pmc_event_t *event, uint32_t select)
{
    const aql_block_t *block = aql_block(p->agent, (uint32_t)event->block_name);
    uint16_t *used = &p->used[block->id][event->block_index];
    const uint32_t slots = aql_block_slots(p->agent, block);
    if (*used == slots)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "%s[%u] counts %u events at once on %s, no room for event %u%s",
                        block->name, event->block_index, slots, p->agent->gpu->name,
                        event->event_id, event->flags.raw ? " and what adds it up" : "");
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

/* Assigns slots. An accumulating event must have the slot directly after the slot of the level that
 * it accumulates. If the profile has that level as an event, too, the level's slot serves both
 * events; else the level gets a slot whose counter is not read. */
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
                         : p->agent->gpu->accumulate);
}

/* Adds a counter of GRBM, which some families read in any case. */
static hsa_status_t add_grbm(planner_t *p)
{
    const aqlprofile_pmc_event_t event = {.block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GRBM};
    if (!p->agent->gpu->family->reads_grbm || p->plan->kinds & AQL_BLOCK_GRBM)
        return HSA_STATUS_SUCCESS;
    p->plan->added = true;
    p->plan->results++;
    return take_slot(p, &event, event.event_id);
}

/* Sets where the results of an event are: after those of the events before it. */
static void place_results(planner_t *p, const aqlprofile_pmc_event_t *event, uint32_t at)
{
    const aql_block_t *block = aql_block(p->agent, (uint32_t)event->block_name);
    const uint32_t samples = aql_block_samples(p->agent, block);
    uint32_t *section = block->kind & AQL_BLOCK_AID ? &p->plan->outside : &p->plan->per_xcc;
    p->plan->first[at] = *section;
    *section += samples / aql_block_places(p->agent, block).xccs;
    p->plan->results += samples;
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
    plan->slots = malloc((2ul * count + 1) * sizeof *plan->slots);
    plan->of = malloc(count * sizeof *plan->of);
    plan->first = malloc(count * sizeof *plan->first);
    placed = calloc(count, sizeof *placed);
    if (!plan->slots || !plan->of || !plan->first || !placed) {
        status = aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for %u events", count);
        goto out;
    }
    plan->event_count = count;
    for (uint32_t i = 0; i < count && !status; i++) {
        status = aql_event_check(agent, &events[i]);
        p.sums += events[i].flags.raw != 0;
        if (!status) place_results(&p, &events[i], i);
    }
    for (uint32_t i = 0; i < count && !status; i++)
        if (!placed[i]) status = place(&p, events, count, i, placed);
    if (!status) status = add_grbm(&p);
out:
    free(placed);
    return status;
}

void aql_plan_free(aql_plan_t *plan)
{
    free(plan->slots);
    free(plan->of);
    free(plan->first);
    memset(plan, 0, sizeof *plan);
}

/* ---- results ---- */

/* Passes on the results of one event in one XCC, or all results of a block outside the XCCs. */
static hsa_status_t give_xcc(const aql_agent_t *agent, const aql_plan_t *plan,
                             const uint64_t *output, uint32_t event, uint32_t xcc, aql_give_t give,
                             void *data)
{
    const aql_slot_t *slot = &plan->slots[plan->of[event]];
    const aql_registers_t registers =
        aql_slot_registers(agent, slot->block, slot->instance, slot->slot);
    const uint32_t samples =
        aql_block_samples(agent, slot->block) / aql_block_places(agent, slot->block).xccs;
    const uint64_t instances = aql_block_instances(agent, slot->block),
                   at = (xcc * instances + slot->instance) * samples;
    const uint64_t *value = output + plan->first[event];
    if (!(slot->block->kind & AQL_BLOCK_AID))
        value += plan->outside + (uint64_t)xcc * plan->per_xcc;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (uint32_t i = 0; i < samples && !status; i++)
        status = give(event, xcc * samples + i, at + i,
                      registers.high ? value[i] : (uint32_t)value[i], data);
    return status;
}

hsa_status_t aql_plan_results(const aql_agent_t *agent, const aql_plan_t *plan,
                              const uint64_t *output, aql_give_t give, void *data)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (uint32_t i = 0; i < plan->event_count; i++) {
        const aql_block_t *block = plan->slots[plan->of[i]].block;
        const uint32_t xccs = aql_block_places(agent, block).xccs;
        for (uint32_t xcc = 0; xcc < xccs && !status; xcc++)
            status = give_xcc(agent, plan, output, i, xcc, give, data);
    }
    return status;
}
