/* registers.c - the registers of the performance counters, which GRBM_GFX_INDEX selects.
 *
 * This file has the programming interface; events.c computes what an event counts. A counter's
 * value is the event's total minus its total when counting began. So any number of slots can count
 * the same event, and starting, stopping or resetting a counter costs next to nothing. */
#include "softgpu/perf/internal.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of registers that belong to no slot; SQ's from the column `control` of registers.tsv. */
enum {
    GRBM_GFX_INDEX = 0xc200,
    CP_PERFMON_CNTL = 0xd808,
    SQ_PERFCOUNTER_CTRL = 0xd9e0,
    SQ_PERFCOUNTER_MASK = 0xd9e1,
    RLC_PERFMON_CLK_CNTL = 0xdcbf
};

/* GRBM_GFX_INDEX */
enum {
    ALL_ARRAYS = 1 << 29,
    ALL_INSTANCES = 1 << 30,
    INSTANCE = 0xff,
    WGP_SHIFT = 2, /* of blocks of workgroup processors, in the field of the instance */
    ARRAY_SHIFT = 8,
    ARRAY = 0xff << ARRAY_SHIFT,
    ENGINE_SHIFT = 16,
    ENGINE = 0xff
};
#define ALL_ENGINES 0x80000000u

/* CP_PERFMON_CNTL */
enum { STATE = 15, RESET = 0, START = 1, STOP = 2, SAMPLE = 1 << 10 };

enum { KIND_NONE, KIND_SELECT, KIND_SELECT1, KIND_LOW, KIND_HIGH, KIND_CONTROL, KIND_SPM };

static sg_register_t *entry(sg_perf_t *p, uint32_t number)
{
    return &p->map[number - SG_PERF_FIRST_REGISTER];
}

/* Registers for slots that real GPUs do not have: three for each slot. */
static sg_register_t wide_register(const sg_perf_t *p, uint32_t number)
{
    static const uint8_t kinds[] = {KIND_SELECT, KIND_LOW, KIND_HIGH};
    enum { OF_A_SLOT = sizeof kinds };
    const uint32_t slots = p->profile.counter_slots, at = number - SG_COUNTER_REGISTERS;
    const uint32_t block = slots ? at / OF_A_SLOT / slots : SG_OUTER_BLOCKS;
    if (block >= SG_OUTER_BLOCKS || !p->blocks->outer[block])
        return (sg_register_t){.kind = KIND_NONE};
    return (sg_register_t){kinds[at % OF_A_SLOT], (uint8_t)(p->blocks->outer[block] - 1),
                           (uint16_t)(at / OF_A_SLOT % slots)};
}

static sg_register_t register_at(const sg_perf_t *p, uint32_t number)
{
    if (number >= SG_COUNTER_REGISTERS) return wide_register(p, number);
    if (number < SG_PERF_FIRST_REGISTER || number > SG_PERF_LAST_REGISTER)
        return (sg_register_t){.kind = KIND_NONE};
    return p->map[number - SG_PERF_FIRST_REGISTER];
}

static void make_map(sg_perf_t *p)
{
    static const uint16_t controls[] = {GRBM_GFX_INDEX, CP_PERFMON_CNTL, SQ_PERFCOUNTER_CTRL,
                                        SQ_PERFCOUNTER_MASK, RLC_PERFMON_CLK_CNTL};
    for (size_t i = 0; i < p->blocks->n_registers; i++) {
        const struct sg_slot_registers *r = &p->blocks->registers[i];
        *entry(p, r->select) = (sg_register_t){KIND_SELECT, r->block, r->slot};
        *entry(p, r->low) = (sg_register_t){KIND_LOW, r->block, r->slot};
        if (r->high) *entry(p, r->high) = (sg_register_t){KIND_HIGH, r->block, r->slot};
        if (r->select1) *entry(p, r->select1) = (sg_register_t){KIND_SELECT1, r->block, r->slot};
    }
    for (uint32_t n = SG_PERF_FIRST_REGISTER; n <= SG_PERF_LAST_REGISTER; n++)
        if (sg_spm_owns(n)) entry(p, n)->kind = KIND_SPM;
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++)
        entry(p, controls[i])->kind = KIND_CONTROL;
}

static uint32_t wgps_per_array(const sg_perf_t *p)
{
    return p->profile.cus_per_array / p->unit_cus;
}

/* The places (sg_instance_t) of an engine in which it has instances of a block. */
static uint32_t places_of(const sg_perf_t *p, sg_scope_t scope)
{
    const uint32_t arrays = p->profile.arrays_per_engine;
    return scope == SG_OF_WGP ? arrays * wgps_per_array(p) : scope == SG_OF_SA ? arrays : 1;
}

/* Makes the slots of each block, by the number of engines and instances in the profile. */
static bool make_banks(sg_perf_t *p)
{
    for (unsigned b = 0; b < SG_BLOCK_COUNT; b++) {
        sg_bank_t *bank = &p->bank[b];
        const sg_scope_t scope = p->blocks->shape[b].scope;
        const uint32_t instances = p->blocks->shape[b].instances, slots = p->blocks->shape[b].slots;
        const uint32_t most = sg_perf_parts(p, b);
        if (!instances) continue;
        bank->engines = scope == SG_OF_GPU ? p->xccs : p->engines;
        bank->in_place = instances < most ? instances : most;
        bank->instances = bank->in_place * places_of(p, scope);
        bank->n_slots = slots > p->profile.counter_slots ? slots : p->profile.counter_slots;
        bank->slots =
            calloc((size_t)bank->engines * bank->instances * bank->n_slots, sizeof(sg_slot_t));
        if (!bank->slots) return false;
    }
    return true;
}

sg_perf_t *sg_perf_create(const sg_profile_t *profile, sgc_page_fn_t *page, void *user)
{
    const isa_arch_t *arch = isa_arch_find(profile->gfx_target_version);
    sg_perf_t *p = arch ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    p->profile = *profile;
    p->arch = arch;
    p->events = sg_perf_events(arch);
    p->blocks = sg_perf_blocks(arch);
    p->page = page;
    p->page_user = user;
    p->units_per_engine = profile->arrays_per_engine * profile->cus_per_array;
    p->unit_cus = isa_arch_unit_cus(arch);
    p->xccs = profile->num_xcc;
    p->engines = p->xccs * profile->shader_engines;
    p->n_units = p->engines * p->units_per_engine;
    p->units = calloc(p->n_units, sizeof *p->units);
    p->trace = sg_sqtt_create(profile);
    p->sq_control = calloc(p->engines, sizeof(uint32_t));
    p->sq_mask = calloc(p->engines, sizeof(uint32_t));
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->model_next, NULL);
    pthread_mutex_init(&p->model_lock, NULL);
    p->xcc = calloc(p->xccs, sizeof *p->xcc);
    bool made = p->xcc;
    for (uint32_t x = 0; p->xcc && x < p->xccs; x++) {
        p->xcc[x].gfx_index = ALL_ENGINES | ALL_ARRAYS | ALL_INSTANCES;
        p->xcc[x].spm = sg_spm_create(x);
        made &= p->xcc[x].spm != NULL;
    }
    if (!made || !p->units || !p->trace || !p->sq_control || !p->sq_mask || !make_banks(p)) {
        sg_perf_destroy(p);
        return NULL;
    }
    make_map(p);
    return p;
}

void sg_perf_destroy(sg_perf_t *p)
{
    if (!p) return;
    for (unsigned b = 0; b < SG_BLOCK_COUNT; b++)
        free(p->bank[b].slots);
    sgc_destroy(p->caches);
    sg_sqtt_destroy(p->trace);
    for (uint32_t x = 0; p->xcc && x < p->xccs; x++)
        sg_spm_destroy(p->xcc[x].spm);
    free(p->xcc);
    free(p->sq_control);
    free(p->sq_mask);
    free(p->units);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->model_next);
    pthread_mutex_destroy(&p->model_lock);
    free(p);
}

bool sg_perf_owns(const sg_perf_t *p, uint32_t number)
{
    return sg_sqtt_owns(p->trace, number) || register_at(p, number).kind != KIND_NONE;
}

const char *sg_perf_refused(const sg_perf_t *p, uint32_t number, uint32_t value)
{
    const sg_register_t r = register_at(p, number);
    return r.kind == KIND_SELECT ? sg_perf_refuses(p, r.block, value) : NULL;
}

sg_spm_t *sg_perf_spm(sg_perf_t *p, uint32_t xcc)
{
    return p->xcc[xcc].spm;
}

void sg_perf_set_trace_memory(sg_perf_t *p, sg_sqtt_memory_fn_t *memory, void *user)
{
    sg_sqtt_set_memory(p->trace, memory, user);
}

/* ---- slots ---- */

/* Number of engines of the block's bank that belong to one XCC. */
static uint32_t of_xcc(const sg_perf_t *p, unsigned block)
{
    return p->bank[block].engines / p->xccs;
}

/* Whether counting is started on the XCC of the block's engine `e`. */
static bool running(const sg_perf_t *p, unsigned block, uint32_t e)
{
    return (p->xcc[e / of_xcc(p, block)].control & STATE) == START;
}

/* A slot whose select was never written has event 0, as after power-on, but its value is 0. */
static uint64_t total(sg_perf_t *p, unsigned block, uint32_t engine, uint32_t instance,
                      uint32_t slot)
{
    const sg_bank_t *bank = &p->bank[block];
    const sg_slot_t *at = sg_slot_at(bank, engine, instance, slot);
    const uint32_t previous = slot ? sg_slot_at(bank, engine, instance, slot - 1)->select : 0;
    return at->selected ? sg_perf_total(p, block, engine, instance, at->select, previous) : 0;
}

typedef void visit_fn_t(sg_perf_t *p, unsigned block, uint32_t engine, uint32_t instance,
                        uint32_t slot, uint32_t argument);

/* GRBM_GFX_INDEX's fields of array and instance, as they name an engine's instance `i`. */
static uint32_t index_of(const sg_perf_t *p, unsigned block, uint32_t i)
{
    const sg_instance_t at = sg_perf_instance(p, block, i);
    const uint32_t wgps = wgps_per_array(p);
    switch ((sg_scope_t)p->blocks->shape[block].scope) {
    case SG_OF_SA: return at.place << ARRAY_SHIFT | at.number;
    case SG_OF_WGP:
        return at.place / wgps << ARRAY_SHIFT | at.place % wgps << WGP_SHIFT | at.number;
    default: return at.number;
    }
}

uint32_t sg_perf_index_of(const sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t i)
{
    return engine << ENGINE_SHIFT | index_of(p, block, i);
}

/* The bits of these fields that a GRBM_GFX_INDEX compares for the block. A block with a single
 * instance ignores the field of the instance, unless that names the workgroup processor. */
static uint32_t compared(const sg_perf_t *p, unsigned block, uint32_t index)
{
    const sg_scope_t scope = p->blocks->shape[block].scope;
    const bool single = p->blocks->shape[block].instances == 1 && scope != SG_OF_WGP;
    return (index & ALL_INSTANCES || single ? 0u : INSTANCE) |
           (index & ALL_ARRAYS || scope < SG_OF_SA ? 0u : ARRAY);
}

/* Whether the XCC's GRBM_GFX_INDEX selects the instance `i` of its engine `e`: it can select all,
 * one, or one that does not exist. */
static bool selects(const sg_perf_t *p, uint32_t xcc, unsigned block, uint32_t e, uint32_t i)
{
    const uint32_t index = p->xcc[xcc].gfx_index;
    const bool every_engine = index & ALL_ENGINES || of_xcc(p, block) == 1;
    return (every_engine || e == (index >> ENGINE_SHIFT & ENGINE)) &&
           !((index_of(p, block, i) ^ index) & compared(p, block, index));
}

/* Calls fn for the slot in each of the block's instances that the XCC's GRBM_GFX_INDEX selects. */
static void visit_indexed(sg_perf_t *p, uint32_t xcc, unsigned block, uint32_t slot, visit_fn_t *fn,
                          uint32_t argument)
{
    const uint32_t engines = of_xcc(p, block);
    for (uint32_t e = 0; e < engines; e++)
        for (uint32_t i = 0; i < p->bank[block].instances; i++)
            if (selects(p, xcc, block, e, i)) fn(p, block, xcc * engines + e, i, slot, argument);
}

/* Calls fn for all slots of the XCC. */
static void visit_all(sg_perf_t *p, uint32_t xcc, visit_fn_t *fn)
{
    for (unsigned b = 0; b < SG_BLOCK_COUNT; b++) {
        const sg_bank_t *bank = &p->bank[b];
        const uint32_t engines = of_xcc(p, b);
        for (uint32_t s = 0; s < bank->used; s++)
            for (uint32_t e = xcc * engines; e < (xcc + 1) * engines; e++)
                for (uint32_t i = 0; i < bank->instances; i++)
                    fn(p, b, e, i, s, 0);
    }
}

static void reset_slot(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s,
                       uint32_t unused)
{
    sg_slot_t *slot = sg_slot_at(&p->bank[b], e, i, s);
    (void)unused;
    slot->value = slot->sample = 0;
}

static void start_slot(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s,
                       uint32_t unused)
{
    (void)unused;
    sg_slot_at(&p->bank[b], e, i, s)->base = total(p, b, e, i, s);
}

static uint64_t since_start(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s)
{
    const sg_slot_t *slot = sg_slot_at(&p->bank[b], e, i, s);
    return sg_perf_in_units(p, b, slot->select, total(p, b, e, i, s) - slot->base);
}

static void stop_slot(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s, uint32_t unused)
{
    sg_slot_t *slot = sg_slot_at(&p->bank[b], e, i, s);
    (void)unused;
    slot->value += since_start(p, b, e, i, s);
}

static uint64_t value_of(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s)
{
    const sg_slot_t *slot = sg_slot_at(&p->bank[b], e, i, s);
    return slot->value + (running(p, b, e) ? since_start(p, b, e, i, s) : 0);
}

static void sample_slot(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s,
                        uint32_t unused)
{
    (void)unused;
    sg_slot_at(&p->bank[b], e, i, s)->sample = value_of(p, b, e, i, s);
}

/* Selects another event. The next slot may integrate this one's event, so both slots keep the
 * values that they have reached and continue from there. */
static void select_slot(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s,
                        uint32_t select)
{
    const uint32_t last = s + 1 < p->bank[b].n_slots ? s + 1 : s;
    for (uint32_t k = s; running(p, b, e) && k <= last; k++)
        stop_slot(p, b, e, i, k, 0);
    sg_slot_at(&p->bank[b], e, i, s)->select = select;
    sg_slot_at(&p->bank[b], e, i, s)->selected = true;
    for (uint32_t k = s; running(p, b, e) && k <= last; k++)
        start_slot(p, b, e, i, k, 0);
}

static void select1_slot(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s,
                         uint32_t select)
{
    sg_slot_at(&p->bank[b], e, i, s)->select1 = select;
}

static void write_value(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s,
                        uint32_t argument, unsigned shift)
{
    sg_slot_t *slot = sg_slot_at(&p->bank[b], e, i, s);
    uint64_t value = value_of(p, b, e, i, s);
    value = (value & ~(UINT64_C(0xffffffff) << shift)) | (uint64_t)argument << shift;
    slot->value = slot->sample = value;
    if (running(p, b, e)) start_slot(p, b, e, i, s, 0);
}

static void write_low(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s, uint32_t low)
{
    write_value(p, b, e, i, s, low, 0);
}

static void write_high(sg_perf_t *p, unsigned b, uint32_t e, uint32_t i, uint32_t s, uint32_t high)
{
    write_value(p, b, e, i, s, high, 32);
}

/* ---- how dispatches have to run ---- */

/* The level that the block's started slots need. */
static uint32_t level_of_bank(const sg_perf_t *p, unsigned b)
{
    const sg_bank_t *bank = &p->bank[b];
    const size_t n = (size_t)bank->engines * bank->instances * bank->used;
    uint32_t level = SG_PERF_OFF;
    for (size_t s = 0; s < n && level < SG_PERF_MODEL; s++) {
        const sg_slot_t *slot = &bank->slots[s];
        if (!slot->selected || !running(p, b, (uint32_t)(s / bank->instances % bank->engines)))
            continue;
        const uint32_t needs = sg_perf_level_of(p->events, b, slot->select);
        if (needs > level) level = needs;
    }
    return level;
}

static void update_level(sg_perf_t *p)
{
    bool streams = false;
    for (uint32_t x = 0; x < p->xccs; x++)
        streams |= sg_spm_on(p->xcc[x].spm);
    const uint32_t traced = sg_sqtt_on(p->trace) || streams ? SG_PERF_MODEL : SG_PERF_OFF;
    uint32_t level = traced;
    for (unsigned b = 0; b < SG_BLOCK_COUNT && level < SG_PERF_MODEL; b++) {
        const uint32_t needs = level_of_bank(p, b);
        if (needs > level) level = needs;
    }
    atomic_store_explicit(&p->level, level, memory_order_release);
    atomic_store_explicit(&p->traced_level, traced, memory_order_release);
}

sg_perf_level_t sg_perf_level(const sg_perf_t *p, const sg_perf_queue_t *queue)
{
    const _Atomic uint32_t *level = queue->enable & 1 ? &p->level : &p->traced_level;
    return (sg_perf_level_t)atomic_load_explicit(level, memory_order_acquire);
}

/* ---- registers ---- */

static void write_perfmon(sg_perf_t *p, uint32_t xcc, uint32_t value)
{
    uint32_t *control = &p->xcc[xcc].control;
    const bool was = (*control & STATE) == START, is = (value & STATE) == START;
    if (was && !is) visit_all(p, xcc, stop_slot);
    *control = value;
    if ((value & STATE) == RESET) visit_all(p, xcc, reset_slot);
    if (is && !was) visit_all(p, xcc, start_slot);
    if (value & SAMPLE) visit_all(p, xcc, sample_slot);
    sg_spm_control(p, p->xcc[xcc].spm, value);
    update_level(p);
}

/* `by_engine` has a value for each engine of all XCCs. */
static void write_engines(const sg_perf_t *p, uint32_t xcc, uint32_t *by_engine, uint32_t value)
{
    const uint32_t index = p->xcc[xcc].gfx_index, engines = p->profile.shader_engines;
    for (uint32_t e = 0; e < engines; e++)
        if (index & ALL_ENGINES || e == (index >> ENGINE_SHIFT & ENGINE))
            by_engine[xcc * engines + e] = value;
}

static uint32_t read_engine(const sg_perf_t *p, uint32_t xcc, const uint32_t *by_engine)
{
    const uint32_t index = p->xcc[xcc].gfx_index, engines = p->profile.shader_engines;
    const uint32_t e = index & ALL_ENGINES ? 0 : index >> ENGINE_SHIFT & ENGINE;
    return e < engines ? by_engine[xcc * engines + e] : 0;
}

static void write_control(sg_perf_t *p, uint32_t xcc, uint32_t number, uint32_t value)
{
    switch (number) {
    case GRBM_GFX_INDEX: p->xcc[xcc].gfx_index = value; break;
    case CP_PERFMON_CNTL: write_perfmon(p, xcc, value); break;
    case SQ_PERFCOUNTER_CTRL: write_engines(p, xcc, p->sq_control, value); break;
    case SQ_PERFCOUNTER_MASK: write_engines(p, xcc, p->sq_mask, value); break;
    default: p->xcc[xcc].clocks = value; break;
    }
}

static uint32_t read_control(const sg_perf_t *p, uint32_t xcc, uint32_t number)
{
    switch (number) {
    case GRBM_GFX_INDEX: return p->xcc[xcc].gfx_index;
    case CP_PERFMON_CNTL: return p->xcc[xcc].control;
    case SQ_PERFCOUNTER_CTRL: return read_engine(p, xcc, p->sq_control);
    case SQ_PERFCOUNTER_MASK: return read_engine(p, xcc, p->sq_mask);
    default: return p->xcc[xcc].clocks;
    }
}

/* Slots that were never selected count nothing: those from `used` on need not be visited. */
static void use_slot(sg_bank_t *bank, uint32_t slot)
{
    if (slot >= bank->used) bank->used = slot + 1;
}

void sg_perf_trace_event(sg_perf_t *p, uint32_t number)
{
    sg_sqtt_event(p->trace, number, atomic_load(&p->device[SG_D_CLOCK]));
}

void sg_perf_trace_sync(sg_perf_t *p)
{
    sg_sqtt_sync(p->trace, atomic_load(&p->device[SG_D_CLOCK]));
}

static void write_in_xcc(sg_perf_t *p, uint32_t xcc, const sg_register_t *r, uint32_t number,
                         uint32_t value)
{
    if (sg_sqtt_owns(p->trace, number))
        sg_sqtt_write(p->trace, xcc, p->xcc[xcc].gfx_index, number, value,
                      atomic_load(&p->device[SG_D_CLOCK]));
    switch (r->kind) {
    case KIND_SELECT: visit_indexed(p, xcc, r->block, r->slot, select_slot, value); break;
    case KIND_SELECT1: visit_indexed(p, xcc, r->block, r->slot, select1_slot, value); break;
    case KIND_LOW: visit_indexed(p, xcc, r->block, r->slot, write_low, value); break;
    case KIND_HIGH: visit_indexed(p, xcc, r->block, r->slot, write_high, value); break;
    case KIND_CONTROL: write_control(p, xcc, number, value); break;
    case KIND_SPM: sg_spm_write(p->xcc[xcc].spm, number, value); break;
    default: break;
    }
}

void sg_perf_write(sg_perf_t *p, uint32_t xccs, uint32_t number, uint32_t value)
{
    const sg_register_t found = register_at(p, number), *r = &found;
    const bool of_slot = r->kind != KIND_NONE && r->kind != KIND_CONTROL;
    pthread_mutex_lock(&p->lock);
    if (of_slot) use_slot(&p->bank[r->block], r->slot);
    for (uint32_t x = 0; x < p->xccs; x++)
        if (xccs >> x & 1) write_in_xcc(p, x, r, number, value);
    if (sg_sqtt_owns(p->trace, number) || r->kind == KIND_SELECT) update_level(p);
    pthread_mutex_unlock(&p->lock);
}

/* Finds the engine and the instance that answer a read: the first of those that GRBM_GFX_INDEX
 * selects. */
static bool answers(const sg_perf_t *p, uint32_t xcc, unsigned block, uint32_t *e, uint32_t *i)
{
    for (*e = 0; *e < of_xcc(p, block); ++*e)
        for (*i = 0; *i < p->bank[block].instances; ++*i)
            if (selects(p, xcc, block, *e, *i)) return true;
    return false;
}

static uint32_t read_slot(sg_perf_t *p, uint32_t xcc, const sg_register_t *r)
{
    uint32_t e, i;
    if (!answers(p, xcc, r->block, &e, &i)) return 0;
    e += xcc * of_xcc(p, r->block);
    const sg_slot_t *slot = sg_slot_at(&p->bank[r->block], e, i, r->slot);
    if (r->kind == KIND_SELECT) return slot->select;
    if (r->kind == KIND_SELECT1) return slot->select1;
    const uint64_t value =
        p->xcc[xcc].control & SAMPLE ? slot->sample : value_of(p, r->block, e, i, r->slot);
    return (uint32_t)(r->kind == KIND_LOW ? value : value >> 32);
}

uint32_t sg_perf_read(sg_perf_t *p, uint32_t xccs, uint32_t number)
{
    const sg_register_t found = register_at(p, number), *r = &found;
    uint32_t xcc = xccs ? (uint32_t)__builtin_ctz(xccs) : 0;
    if (xcc >= p->xccs) xcc = 0;
    pthread_mutex_lock(&p->lock);
    const uint32_t value = sg_sqtt_owns(p->trace, number)
                               ? sg_sqtt_read(p->trace, xcc, p->xcc[xcc].gfx_index, number)
                           : r->kind == KIND_CONTROL ? read_control(p, xcc, number)
                           : r->kind == KIND_SPM     ? sg_spm_read(p->xcc[xcc].spm, number)
                           : r->kind == KIND_NONE    ? 0
                                                     : read_slot(p, xcc, r);
    pthread_mutex_unlock(&p->lock);
    return value;
}
