/* pmc.c - the commands that start, read and stop counters.
 *
 * It is apart because both interfaces count in the same way. The needs of a block are in its row
 * (gpu.c), those of a family of GPUs in family.c. The order of the writes is that of AMD's library,
 * which is known to work on the hardware. */
#include "aqlprofile/internal.h"

/* Values of the control registers of AQL_BLOCK_MC and AQL_BLOCK_AID. Other values select the slot
 * that the result registers show. */
enum { MC_OFF = 0, MC_START = 1 << 24, MC_CLEAR = 1 << 25 };

/* ---- GRBM_GFX_INDEX ---- */

enum { ARRAY_ALL = 1 << 29, INSTANCE_ALL = 1 << 30, ENGINE_SHIFT = 16, ARRAY_SHIFT = 8 };
#define ENGINE_ALL (1u << 31)

/* For blocks in a workgroup processor, the instance's field has the number of that above the number
 * of the instance. */
enum { WGP_SHIFT = 2 };

static uint32_t instance_bits(const aql_block_t *block, uint32_t instance)
{
    return block->instances > 1 ? instance : INSTANCE_ALL;
}

uint32_t aql_index_of(const aql_block_t *block, uint32_t instance)
{
    const bool of_wgp = block->scope >= AQL_OF_WGP;
    return ENGINE_ALL | ARRAY_ALL |
           (of_wgp ? (uint32_t)INSTANCE_ALL : instance_bits(block, instance));
}

uint32_t aql_index_in(uint32_t engine, uint32_t instance)
{
    return engine << ENGINE_SHIFT | ARRAY_ALL | instance;
}

static uint32_t index_at(const aql_block_t *block, uint32_t instance, uint32_t engine,
                         uint32_t array, uint32_t wgp)
{
    const uint32_t of_engine = engine << ENGINE_SHIFT, of_array = of_engine | array << ARRAY_SHIFT;
    switch (block->scope) {
    case AQL_OF_GPU: return aql_index_of(block, instance);
    case AQL_OF_ENGINE: return of_engine | ARRAY_ALL | instance_bits(block, instance);
    case AQL_OF_ARRAY: /* if each array has one instance, AMD's library selects all arrays */
        return block->instances > 1 ? of_array | instance : of_engine | ARRAY_ALL | INSTANCE_ALL;
    default: return of_array | wgp << WGP_SHIFT | (block->instances > 1 ? instance : 0);
    }
}

static void select_index(aql_pm4_t *pm4, uint32_t index)
{
    aql_pm4_set(pm4, AQL_GRBM_GFX_INDEX, index);
}

/* ---- blocks outside the XCCs ---- */

/* Returns the address by which the first XCC accesses a register of the die that contains the
 * instance. */
static uint64_t outer_register(const aql_pm4_t *pm4, const aql_slot_t *slot, uint32_t reg)
{
    enum { DIES = 4, DIE_SHIFT = 30, OTHER_DIE_SHIFT = 32 };
    const uint32_t of_die = slot->block->instances < DIES ? 1 : slot->block->instances / DIES;
    if (pm4->xccs == 1) return reg;
    return reg | (uint64_t)(slot->instance / of_die) << DIE_SHIFT | UINT64_C(1) << OTHER_DIE_SHIFT;
}

static void set_outer(aql_pm4_t *pm4, const aql_slot_t *slot, uint32_t reg, uint32_t value)
{
    const uint32_t begin = aql_pm4_begin_xcc(pm4, 0);
    aql_pm4_copy_value(pm4, outer_register(pm4, slot, reg), value);
    aql_pm4_end_xcc(pm4, begin);
}

/* Clears and starts the counters of all instances, one after the other by their number. */
static void start_outer(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                        const aql_block_t *block)
{
    const uint32_t begin = aql_pm4_begin_xcc(pm4, 0);
    for (uint32_t instance = 0; instance < block->instances; instance++)
        for (uint32_t i = 0; i < plan->slot_count; i++) {
            const aql_slot_t *slot = &plan->slots[i];
            if (slot->block != block || slot->instance != instance || slot->slot) continue;
            const uint64_t control =
                outer_register(pm4, slot, aql_slot_registers(agent, block, instance, 0).control);
            aql_pm4_copy_value(pm4, control, MC_CLEAR);
            aql_pm4_copy_value(pm4, control, MC_START);
        }
    aql_pm4_end_xcc(pm4, begin);
}

static void start_all_outer(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan)
{
    for (uint32_t i = 0; i < agent->gpu->block_count; i++) {
        const aql_block_t *block = &agent->gpu->blocks[i];
        bool used = false;
        for (uint32_t at = 0; at < plan->slot_count; at++)
            used |= plan->slots[at].block == block;
        if (used && block->kind & AQL_BLOCK_AID) start_outer(pm4, agent, plan, block);
    }
}

static void read_outer(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                       uint64_t output)
{
    for (uint32_t i = 0; i < plan->event_count; i++) {
        const aql_slot_t *slot = &plan->slots[plan->of[i]];
        if (!(slot->block->kind & AQL_BLOCK_AID)) continue;
        const aql_registers_t registers =
            aql_slot_registers(agent, slot->block, slot->instance, slot->slot);
        const uint64_t at = output + plan->first[i] * UINT64_C(8);
        const uint32_t begin = aql_pm4_begin_xcc(pm4, 0);
        aql_pm4_copy_value(pm4, outer_register(pm4, slot, registers.control), slot->slot);
        aql_pm4_store_register(pm4, outer_register(pm4, slot, registers.low), at, false);
        aql_pm4_store_register(pm4, outer_register(pm4, slot, registers.high), at + 4, false);
        aql_pm4_end_xcc(pm4, begin);
    }
}

/* Stops the counters; AMD's library stops each counter twice. */
static void stop_outer(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan)
{
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t i = 0; i < plan->slot_count; i++) {
            const aql_slot_t *slot = &plan->slots[i];
            if (slot->block->kind & AQL_BLOCK_AID)
                set_outer(
                    pm4, slot,
                    aql_slot_registers(agent, slot->block, slot->instance, slot->slot).control,
                    MC_OFF);
        }
}

/* ---- start ---- */

static void clear(aql_pm4_t *pm4, const aql_registers_t *registers)
{
    aql_pm4_set(pm4, registers->low, 0);
    aql_pm4_set(pm4, registers->high, 0);
}

static void program(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_slot_t *slot)
{
    const aql_block_t *block = slot->block;
    const aql_registers_t registers = aql_slot_registers(agent, block, slot->instance, slot->slot);
    const uint32_t select = block->select | slot->event;
    select_index(pm4, aql_index_of(block, slot->instance));
    if (block->kind & AQL_BLOCK_AID) {
        set_outer(pm4, slot, registers.select, select);
        return;
    }
    if (block->kind & AQL_BLOCK_MC) aql_pm4_copy_value(pm4, registers.control, MC_CLEAR);
    if (block->kind & AQL_BLOCK_CLEARED) {
        for (uint32_t i = 0; i < block->slots; i++)
            clear(pm4, &block->registers[i]);
        if (slot->slot >= block->slots) clear(pm4, &registers);
    }
    aql_pm4_set(pm4, registers.select, select);
    if (block->kind & AQL_BLOCK_MC) {
        aql_pm4_copy_value(pm4, registers.control, slot->slot);
        aql_pm4_copy_value(pm4, registers.control, MC_START);
    }
    if (block->kind & AQL_BLOCK_SQ) {
        if (pm4->family->sq_mask) aql_pm4_set(pm4, pm4->family->sq_mask, UINT32_MAX);
        aql_pm4_set(pm4, registers.control, pm4->family->sq_waves);
    }
}

static void control(aql_pm4_t *pm4, const aql_plan_t *plan, uint32_t value)
{
    if (plan->kinds & AQL_BLOCK_CP) aql_pm4_set(pm4, AQL_CP_PERFMON_CNTL, value);
}

static void keep_clocks(aql_pm4_t *pm4, uint32_t on)
{
    if (pm4->family->clock_control) aql_pm4_set(pm4, pm4->family->clock_control, on);
}

void aql_pmc_start(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                   bool concurrent)
{
    const aql_family_t *family = pm4->family;
    if (!concurrent) aql_pm4_wait_idle(pm4);
    select_index(pm4, AQL_BROADCAST);
    keep_clocks(pm4, 1);
    control(pm4, plan, AQL_PERFMON_RESET);
    if (plan->kinds & AQL_BLOCK_TEXTURE)
        aql_pm4_set(pm4, AQL_SQ_PERFCOUNTER_CTRL, family->sq_texture);
    if (family->sq_control2 && plan->kinds & (AQL_BLOCK_TEXTURE | AQL_BLOCK_SQ))
        aql_pm4_set(pm4, family->sq_control2, family->sq_control2_value);
    for (uint32_t i = 0; i < plan->slot_count; i++)
        program(pm4, agent, &plan->slots[i]);
    start_all_outer(pm4, agent, plan);
    select_index(pm4, AQL_BROADCAST);
    aql_pm4_set(pm4, AQL_COMPUTE_PERFCOUNT_ENABLE, 1);
    control(pm4, plan, AQL_PERFMON_RESET);
    control(pm4, plan, AQL_PERFMON_START);
    if (!concurrent) aql_pm4_wait_idle(pm4);
}

/* ---- read ---- */

static void store(aql_pm4_t *pm4, const aql_registers_t *registers, uint64_t at)
{
    aql_pm4_store_register(pm4, registers->low, at, false);
    if (registers->high) aql_pm4_store_register(pm4, registers->high, at + 4, false);
}

static void read_slot(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_slot_t *slot, uint64_t at)
{
    const aql_block_t *block = slot->block;
    const aql_registers_t registers = aql_slot_registers(agent, block, slot->instance, slot->slot);
    const aql_places_t places = aql_block_places(agent, block);
    select_index(pm4, AQL_BROADCAST);
    for (uint32_t engine = 0; engine < places.engines; engine++)
        for (uint32_t array = 0; array < places.arrays; array++)
            for (uint32_t wgp = 0; wgp < places.wgps; wgp++, at += 8) {
                select_index(pm4, index_at(block, slot->instance, engine, array, wgp));
                if (block->kind & AQL_BLOCK_MC)
                    aql_pm4_copy_value(pm4, registers.control, slot->slot);
                store(pm4, &registers, at);
            }
}

/* Reads a counter of GRBM, whose value the results then replace. */
static void read_grbm_first(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                            uint64_t output)
{
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        const aql_slot_t *slot = &plan->slots[i];
        if (!(slot->block->kind & AQL_BLOCK_GRBM)) continue;
        const aql_registers_t registers =
            aql_slot_registers(agent, slot->block, slot->instance, slot->slot);
        store(pm4, &registers, output);
        return;
    }
}

static void read_xcc(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan, uint32_t xcc,
                     uint64_t output)
{
    const uint64_t results = output + (plan->outside + xcc * (uint64_t)plan->per_xcc) * 8;
    uint32_t begin = aql_pm4_begin_xcc(pm4, xcc);
    select_index(pm4, AQL_BROADCAST);
    if (pm4->family->reads_grbm) read_grbm_first(pm4, agent, plan, output);
    aql_pm4_wait_idle(pm4);
    for (uint32_t i = 0; i < plan->event_count; i++) {
        const aql_slot_t *slot = &plan->slots[plan->of[i]];
        if (slot->block->kind & AQL_BLOCK_AID) continue;
        /* the commands of one event take less than the other half */
        if (pm4->count - begin > AQL_XCC_WORDS_MAX / 2) {
            aql_pm4_end_xcc(pm4, begin);
            begin = aql_pm4_begin_xcc(pm4, xcc);
        }
        read_slot(pm4, agent, slot, results + plan->first[i] * UINT64_C(8));
    }
    if (plan->added)
        read_slot(pm4, agent, &plan->slots[plan->slot_count - 1],
                  results + plan->per_xcc * UINT64_C(8));
    select_index(pm4, AQL_BROADCAST);
    aql_pm4_end_xcc(pm4, begin);
}

void aql_pmc_read(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan, uint64_t output)
{
    control(pm4, plan, AQL_PERFMON_READ);
    read_outer(pm4, agent, plan, output);
    for (uint32_t xcc = 0; xcc < agent->xccs; xcc++)
        read_xcc(pm4, agent, plan, xcc, output);
    aql_pm4_flush(pm4, output, plan->results * UINT64_C(8));
}

/* ---- stop ---- */

void aql_pmc_stop(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan)
{
    select_index(pm4, AQL_BROADCAST);
    stop_outer(pm4, agent, plan);
    control(pm4, plan, pm4->family->perfmon_stop);
    keep_clocks(pm4, 0);
    aql_pm4_wait_idle(pm4);
}
