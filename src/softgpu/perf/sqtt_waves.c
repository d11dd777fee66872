/* sqtt_waves.c - records the instructions of a dispatch's waves, and writes them when the dispatch
 * ends.
 *
 * Separate from the registers because it runs while waves run. A workgroup's clocks count from its
 * own start; when the model has placed the workgroup in the dispatch, its events get the dispatch's
 * clocks. When the dispatch has ended, each engine's events are sorted by time and written. */
#include "isa/table.h"
#include "softgpu/perf/sqtt_counters.h"
#include "softgpu/perf/sqtt_internal.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    sg_sqtt_event_t *events;
    size_t n, room, gone;      /* gone: number of earlier events that have been dropped */
    uint64_t bytes, bytes_max; /* fewest bytes that the events can take; the limit of that number */
    uint32_t kinds;            /* of events that become tokens, by bits */
    bool traced, lost, wraps;
} list_t;

struct sg_sqtt_run {
    sg_sqtt_t *s;
    uint32_t unit[32]; /* of each engine: the unit whose instructions are traced */
    uint32_t simds[32];
    uint32_t masks[32]; /* of each engine: units whose counters are sampled */
    sg_sqtt_counters_t *counters;
    uint64_t (
        *busy)[ISA_UNIT_SIMDS][ISA_SIMD_SLOTS]; /* of each unit: when its wave slots become free */
    uint32_t order;
    list_t list[];
};

struct sg_sqtt_group {
    uint32_t unit, n_waves, simds; /* simds: whose instructions are traced, none on other units */
    uint8_t lanes[ISA_GROUP_WAVES];
    struct {
        size_t jump;   /* number of the event of the jump just executed, + 1; 0: none */
        uint64_t next; /* address of the instruction after that jump */
        size_t before; /* the same as jump, for a jump just before a trap */
        bool trapped;
    } wave[ISA_GROUP_WAVES];
    list_t list; /* until the workgroup is placed, an event's `simd` is the index of its wave */
};

enum { BYTES_LEAST = 2 /* of an event's token */ };

/* Drops the older half of the events. The list has enough events to fill a buffer that wraps twice,
 * and they are nearly sorted, so the newer half would overwrite the older. */
static void drop_older_half(list_t *l)
{
    const size_t gone = l->n / 2;
    l->n -= gone;
    l->gone += gone;
    memmove(l->events, l->events + gone, l->n * sizeof *l->events);
    l->bytes = l->n * BYTES_LEAST;
}

static bool add(list_t *l, const sg_sqtt_event_t *event)
{
    if (l->lost || !(l->kinds >> event->kind & 1)) return false;
    if (l->wraps && l->bytes >= l->bytes_max) drop_older_half(l);
    l->bytes += BYTES_LEAST;
    l->lost = !BASE_GROW(l->events, l->n, &l->room) || l->bytes > l->bytes_max;
    if (l->lost) return false;
    l->events[l->n++] = *event;
    return true;
}

/* ---- dispatches ---- */

static void add_register(sg_sqtt_run_t *r, list_t *l, uint32_t number, uint32_t value)
{
    add(l, &(sg_sqtt_event_t){.order = r->order++,
                              .kind = SG_SQTT_REGISTER,
                              .type = (uint8_t)number,
                              .value = value});
}

/* Adds events for the registers, in the order of a trace from a gfx9 GPU. */
static void add_registers(sg_sqtt_run_t *r, list_t *l, const sg_sqtt_launch_t *launch)
{
    enum { INITIATOR = 0x00, DISPATCH = 1, USER = 0x40, USER_MAX = 16 };
    const struct {
        uint8_t number;
        uint32_t value;
    } registers[] = {{0x07, launch->threads[0]},
                     {0x08, launch->threads[1]},
                     {0x09, launch->threads[2]},
                     {0x0e, (uint32_t)launch->packet},
                     {0x0c, (uint32_t)(launch->entry >> 8)},
                     {0x0d, (uint32_t)(launch->entry >> 40)},
                     {0x2d, launch->rsrc3},
                     {0x12, launch->rsrc1},
                     {0x13, launch->rsrc2}};
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
        add_register(r, l, registers[i].number, registers[i].value);
    for (uint32_t i = 0; i < launch->n_user && i < USER_MAX; i++)
        add_register(r, l, USER + i, launch->user[i]);
    add_register(r, l, INITIATOR, DISPATCH);
}

sg_sqtt_run_t *sg_sqtt_run_begin(sg_perf_t *p, sg_sqtt_t *s, const sg_sqtt_launch_t *launch)
{
    uint32_t tokens = 0;
    enum { ENGINES_MAX = 32, UNIT = 15, SIMDS_SHIFT = 8, SIMDS_ALL = 15 };
    if (!sg_sqtt_on(s) || s->engines > ENGINES_MAX) return NULL;
    sg_sqtt_run_t *r = calloc(1, sizeof *r + s->engines * sizeof r->list[0]);
    if (!r) return NULL;
    r->s = s;
    r->busy = calloc((size_t)s->engines * s->units_per_engine, sizeof *r->busy);
    if (!r->busy) {
        free(r);
        return NULL;
    }
    pthread_mutex_lock(&s->lock);
    for (uint32_t e = 0; e < s->engines; e++) {
        const sg_sqtt_engine_t *engine = &s->engine[e];
        r->list[e].traced = engine->on;
        r->list[e].kinds = sg_sqtt_kinds(engine);
        r->list[e].wraps = sg_sqtt_wraps(engine);
        r->list[e].bytes_max = r->list[e].wraps ? 2 * sg_sqtt_bytes(engine) : sg_sqtt_room(engine);
        r->unit[e] = engine->mask & UNIT;
        r->masks[e] = engine->on ? engine->perf_mask : 0;
        if (engine->on) tokens |= engine->token_mask;
        r->simds[e] = engine->mask >> SIMDS_SHIFT & SIMDS_ALL;
    }
    pthread_mutex_unlock(&s->lock);
    for (uint32_t e = 0; e < s->engines; e++)
        if (r->list[e].traced) add_registers(r, &r->list[e], launch);
    r->counters = sg_sqtt_counters_begin(p, tokens);
    return r;
}

static int by_time(const void *a, const void *b)
{
    const sg_sqtt_event_t *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

void sg_sqtt_run_counted(sg_sqtt_run_t *r, uint64_t from, uint64_t to)
{
    if (r->counters) sg_sqtt_counters_add(r->counters, from, to);
}

static void put_sample(void *user, uint32_t engine, const sg_sqtt_event_t *event)
{
    sg_sqtt_run_t *r = user;
    sg_sqtt_event_t sample = *event;
    sample.order = r->order++;
    if (r->list[engine].traced) add(&r->list[engine], &sample);
}

void sg_sqtt_run_end(sg_sqtt_run_t *r, uint64_t clock)
{
    sg_sqtt_t *s = r->s;
    if (r->counters) sg_sqtt_counters_end(r->counters, s->units_per_array, r->masks, put_sample, r);
    for (uint32_t e = 0; e < s->engines; e++) {
        list_t *l = &r->list[e];
        if (l->n) qsort(l->events, l->n, sizeof *l->events, by_time);
        for (size_t i = 0; i < l->n; i++)
            l->events[i].time += clock;
        pthread_mutex_lock(&s->lock);
        if (l->traced) sg_sqtt_emit(s, &s->engine[e], l->events, l->n);
        if (l->lost && s->engine[e].on && !s->engine[e].error) s->engine[e].full = true;
        pthread_mutex_unlock(&s->lock);
        free(l->events);
    }
    free(r->busy);
    free(r);
}

/* ---- workgroups ---- */

sg_sqtt_group_t *sg_sqtt_group_start(sg_sqtt_run_t *r, uint32_t unit, const isa_group_t *group)
{
    const uint32_t engine = unit / r->s->units_per_engine, place = unit % r->s->units_per_engine;
    if (!r->list[engine].traced) return NULL;
    sg_sqtt_group_t *g = calloc(1, sizeof *g);
    if (!g) {
        r->list[engine].lost = true;
        return NULL;
    }
    g->unit = unit;
    g->n_waves = group->n_waves;
    g->simds = place == r->unit[engine] ? r->simds[engine] : 0;
    g->list.kinds = r->list[engine].kinds;
    g->list.wraps = r->list[engine].wraps;
    g->list.bytes_max = r->list[engine].bytes_max;
    for (uint32_t i = 0; i < g->n_waves; i++)
        g->lanes[i] = (uint8_t)isa_lane_count(group->waves[i]->exec);
    return g;
}

/* The kind in the instruction's token; -1: it is complete when issued and has no token. */
static int kind_of(const isa_inst_t *i)
{
    const bool two = i->dwords > 1;
    /* the kind of token follows from the encoding; the class, as for counters, from the memory */
    const bool flat =
        i->fmt == ISA_FMT_FLAT || i->fmt == ISA_FMT_GLOBAL || i->fmt == ISA_FMT_SCRATCH;
    switch ((isa_class_t)isa_table[i->op].klass) {
    case ISA_CLASS_SALU: return two ? SG_INST_SALU_64 : SG_INST_SALU_32;
    case ISA_CLASS_BRANCH: return i->fmt == ISA_FMT_SOPP ? SG_INST_NEXT : SG_INST_PC;
    case ISA_CLASS_MSG: return SG_INST_MESSAGE;
    case ISA_CLASS_INTERNAL: return -1;
    case ISA_CLASS_SMEM:
    case ISA_CLASS_SMEM_RD: return SG_INST_SMEM_RD;
    case ISA_CLASS_SMEM_WR:
    case ISA_CLASS_SMEM_AT: return SG_INST_SMEM_WR;
    case ISA_CLASS_VALU: return two ? SG_INST_VALU_64 : SG_INST_VALU_32;
    case ISA_CLASS_MFMA: return SG_INST_MATRIX;
    case ISA_CLASS_GWS: return SG_INST_GDS;
    case ISA_CLASS_FLAT:
    case ISA_CLASS_FLAT_RD:
    case ISA_CLASS_VMEM:
    case ISA_CLASS_VMEM_RD: return flat ? SG_INST_FLAT_RD : SG_INST_VMEM_RD;
    case ISA_CLASS_FLAT_WR:
    case ISA_CLASS_FLAT_AT:
    case ISA_CLASS_VMEM_WR:
    case ISA_CLASS_VMEM_AT: return flat ? SG_INST_FLAT_WR : SG_INST_VMEM_WR;
    default: return SG_INST_LDS;
    }
}

static void set_target(sg_sqtt_group_t *g, uint32_t index, size_t event, uint64_t pc)
{
    if (event <= g->list.gone) return;
    sg_sqtt_event_t *jump = &g->list.events[event - g->list.gone - 1];
    if (jump->kind == SG_SQTT_PC)
        jump->value = pc;
    else if (pc != g->wave[index].next)
        jump->type = SG_INST_JUMP;
}

/* The wave's next instruction, at `pc`, is the target of its last jump. If a trap came in between,
 * the target is the instruction to which the trap handler returns. */
static void resolve_jump(sg_sqtt_group_t *g, uint32_t index, uint64_t pc)
{
    set_target(g, index, g->wave[index].jump, pc);
    set_target(g, index, g->wave[index].before, pc);
    g->wave[index].jump = g->wave[index].before = 0;
}

static bool note(sg_sqtt_group_t *g, uint32_t index, uint64_t time, sg_sqtt_kind_t kind, int type,
                 uint64_t value)
{
    return add(&g->list, &(sg_sqtt_event_t){.time = time,
                                            .value = value,
                                            .kind = (uint8_t)kind,
                                            .type = (uint8_t)type,
                                            .simd = (uint8_t)index});
}

/* Whether the instruction is in the trace. A trap is shown as one instruction of the program, which
 * ends when the handler returns; the handler's other instructions are left out. */
static bool outside_trap(sg_sqtt_group_t *g, uint32_t index, const isa_wave_t *w,
                         const isa_inst_t *i, uint64_t begin)
{
    const bool returns = i->op == ISA_OP_s_rfe_b64 || i->op == ISA_OP_s_rfe_restore_b64;
    if (w->privileged && !g->wave[index].trapped) {
        note(g, index, begin, SG_SQTT_ISSUE, SG_ISSUE_INST, 0);
        note(g, index, begin, SG_SQTT_INST, SG_INST_TO_TRAP, 0);
        g->wave[index].before = g->wave[index].jump;
        g->wave[index].jump = 0;
    }
    g->wave[index].trapped = w->privileged;
    return !w->privileged || returns;
}

void sg_sqtt_instruction(sg_sqtt_group_t *g, uint32_t index, const isa_wave_t *w,
                         const isa_inst_t *i, uint64_t pc, uint64_t begin, uint64_t end,
                         uint32_t issue)
{
    enum { QUAD = 4 };
    const isa_arch_t *arch = w->group->dispatch->arch;
    const uint64_t issued = end - begin > issue ? end - issue : begin;
    const int kind = kind_of(i);
    if (!(g->simds >> (isa_bits_get(arch->hw_id.simd, w->hw_id)) & 1)) return;
    if (!outside_trap(g, index, w, i, begin)) return;
    if (!w->privileged) resolve_jump(g, index, pc);
    if (issued >= begin + QUAD) note(g, index, begin, SG_SQTT_ISSUE, SG_ISSUE_STALLED, 0);
    note(g, index, issued, SG_SQTT_ISSUE, kind < 0 ? SG_ISSUE_IMMEDIATE : SG_ISSUE_INST, 0);
    if (i->op == ISA_OP_s_ttracedata) note(g, index, issued, SG_SQTT_DATA, 0, w->m0);
    if (kind < 0) return;
    const uint64_t done = end > issued + QUAD ? end - QUAD : issued;
    bool noted = note(g, index, done, SG_SQTT_INST, kind, 0);
    if (kind == SG_INST_PC) noted = note(g, index, done, SG_SQTT_PC, 0, pc);
    if (kind == SG_INST_PC || kind == SG_INST_NEXT) {
        g->wave[index].jump = noted ? g->list.gone + g->list.n : 0;
        if (!w->privileged) g->wave[index].next = pc + 4ul * i->dwords;
    }
}

/* The lowest slot of the SIMD that is free at `start`. */
static uint8_t take_slot(sg_sqtt_run_t *r, uint32_t unit, uint8_t simd, uint64_t start,
                         uint64_t end)
{
    uint64_t *busy = r->busy[unit][simd];
    uint8_t slot = 0;
    while (slot + 1u < r->s->slots_per_simd && busy[slot] > start)
        slot++;
    busy[slot] = end;
    return slot;
}

/* Converts a clock of the wave alone to one of the dispatch. A wave that shares its pipes takes
 * longer than alone: the times of its instructions are stretched in proportion. */
static uint64_t clock_of(const sg_sqtt_times_t *times, uint32_t index, uint64_t time)
{
    const uint64_t alone = times->alone[index], took = times->end[index] - times->start;
    if (!alone || time > alone) return times->end[index];
    return times->start + (uint64_t)((unsigned __int128)time * took / alone);
}

void sg_sqtt_place(sg_sqtt_run_t *r, sg_sqtt_group_t *g, const sg_sqtt_times_t *times)
{
    const sg_sqtt_t *s = r->s;
    uint8_t slot[ISA_GROUP_WAVES];
    list_t *l = &r->list[g->unit / s->units_per_engine];
    const uint8_t place = (uint8_t)(g->unit % s->units_per_engine % s->units_per_array & 15);
    for (uint32_t i = 0; i < g->n_waves; i++) {
        slot[i] = take_slot(r, g->unit, times->simd[i], times->start, times->end[i]);
        add(l, &(sg_sqtt_event_t){.time = times->start,
                                  .value = g->lanes[i],
                                  .order = r->order++,
                                  .kind = SG_SQTT_WAVE_START,
                                  .simd = times->simd[i],
                                  .slot = slot[i],
                                  .place = place});
    }
    for (size_t k = 0; k < g->list.n; k++) {
        sg_sqtt_event_t event = g->list.events[k];
        const uint32_t index = event.simd;
        event.time = clock_of(times, index, event.time);
        event.order = r->order++;
        event.simd = times->simd[index];
        event.slot = slot[index];
        event.place = place;
        add(l, &event);
    }
    l->lost |= g->list.lost;
    for (uint32_t i = 0; i < g->n_waves; i++)
        add(l, &(sg_sqtt_event_t){.time = times->end[i],
                                  .order = r->order++,
                                  .kind = SG_SQTT_WAVE_END,
                                  .simd = times->simd[i],
                                  .slot = slot[i],
                                  .place = place});
    free(g->list.events);
    free(g);
}
