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
    uint64_t least;            /* fewest bytes of one event */
    bool traced, lost, wraps;
} list_t;

/* A wave slot: when its last wave ends for the scheduler, and when in the trace, which may be some
 * clocks later. */
typedef struct {
    uint64_t over, shown;
} slot_t;

struct sg_sqtt_run {
    sg_sqtt_t *s;
    sg_sqtt_target_t target[32]; /* of each engine */
    uint32_t masks[32];          /* of each engine: units whose counters are sampled */
    sg_sqtt_counters_t *counters;
    slot_t (*slots)[ISA_UNIT_SIMDS][ISA_SIMD_SLOTS]; /* of each unit */
    uint32_t order;
    list_t list[];
};

struct sg_sqtt_group {
    const sg_sqtt_format_t *format;
    bool narrow;                   /* its waves have 32 lanes */
    uint32_t unit, n_waves, simds; /* simds: whose instructions are traced, none on other units */
    uint8_t lanes[ISA_GROUP_WAVES];
    struct {
        size_t jump;   /* number of the event of the jump just executed, + 1; 0: none */
        uint64_t next; /* address of the instruction after that jump */
        size_t before; /* the same as jump, for a jump just before a trap */
        bool trapped;
        uint64_t last; /* an instruction issued then, on the wave's clock, lasts so many clocks */
        uint32_t lasts;
    } wave[ISA_GROUP_WAVES];
    list_t list; /* until the workgroup is placed, an event's `simd` is the index of its wave */
};

/* Drops the older half of the events. The list has enough events to fill a buffer that wraps twice,
 * and they are nearly sorted, so the newer half would overwrite the older. */
static void drop_older_half(list_t *l)
{
    const size_t gone = l->n / 2;
    l->n -= gone;
    l->gone += gone;
    memmove(l->events, l->events + gone, l->n * sizeof *l->events);
    l->bytes = l->n * l->least;
}

static bool add(list_t *l, const sg_sqtt_event_t *event)
{
    if (l->lost || !(l->kinds >> event->kind & 1)) return false;
    if (l->wraps && l->bytes >= l->bytes_max) drop_older_half(l);
    l->bytes += l->least;
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
    enum { INITIATOR = 0x00, DISPATCH = 1, WAVES_OF_32 = 1 << 15, USER = 0x40, USER_MAX = 16 };
    const uint32_t initiator = DISPATCH | (launch->narrow ? WAVES_OF_32 : 0u);
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
    add_register(r, l, INITIATOR, initiator);
    if (r->s->format->launches)
        add(l, &(sg_sqtt_event_t){.order = r->order++, .kind = SG_SQTT_LAUNCH, .value = initiator});
}

sg_sqtt_run_t *sg_sqtt_run_begin(sg_perf_t *p, sg_sqtt_t *s, const sg_sqtt_launch_t *launch)
{
    uint32_t tokens = 0;
    enum { ENGINES_MAX = 32 };
    if (!sg_sqtt_on(s) || s->engines > ENGINES_MAX) return NULL;
    sg_sqtt_run_t *r = calloc(1, sizeof *r + s->engines * sizeof r->list[0]);
    if (!r) return NULL;
    r->s = s;
    r->slots = calloc((size_t)s->engines * s->units_per_engine, sizeof *r->slots);
    if (!r->slots) {
        free(r);
        return NULL;
    }
    pthread_mutex_lock(&s->lock);
    for (uint32_t e = 0; e < s->engines; e++) {
        const sg_sqtt_engine_t *engine = &s->engine[e];
        r->list[e].traced = engine->on;
        r->list[e].kinds = s->format->kinds(engine);
        r->list[e].wraps = s->format->wraps && s->format->wraps(engine);
        r->list[e].least = s->format->least;
        r->list[e].bytes_max = r->list[e].wraps ? 2 * sg_sqtt_bytes(engine) : sg_sqtt_room(engine);
        r->target[e] = s->format->target(engine);
        r->masks[e] = engine->on ? engine->perf_mask : 0;
        if (engine->on && s->format->counters) tokens |= engine->token_mask;
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
    free(r->slots);
    free(r);
}

/* ---- workgroups ---- */

sg_sqtt_group_t *sg_sqtt_group_start(sg_sqtt_run_t *r, uint32_t unit, const isa_group_t *group)
{
    const uint32_t engine = unit / r->s->units_per_engine,
                   in_engine = unit % r->s->units_per_engine, place = in_engine / r->s->unit_cus;
    const bool traced = in_engine < r->s->units_per_array && place == r->target[engine].place;
    if (!r->list[engine].traced) return NULL;
    sg_sqtt_group_t *g = calloc(1, sizeof *g);
    if (!g) {
        r->list[engine].lost = true;
        return NULL;
    }
    g->format = r->s->format;
    g->unit = unit;
    g->n_waves = group->n_waves;
    g->narrow = isa_dispatch_lanes(group->dispatch) == 32;
    g->simds = traced ? r->target[engine].simds : 0;
    g->list.kinds = r->list[engine].kinds;
    g->list.wraps = r->list[engine].wraps;
    g->list.least = r->list[engine].least;
    g->list.bytes_max = r->list[engine].bytes_max;
    for (uint32_t i = 0; i < g->n_waves; i++)
        g->lanes[i] = (uint8_t)isa_lane_count(group->waves[i]->exec);
    return g;
}

static void set_target(sg_sqtt_group_t *g, uint32_t index, size_t event, uint64_t pc)
{
    if (event <= g->list.gone) return;
    sg_sqtt_event_t *jump = &g->list.events[event - g->list.gone - 1];
    if (jump->kind == SG_SQTT_PC)
        jump->value = pc;
    else if (pc != g->wave[index].next)
        jump->type = g->format->taken;
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

/* The instruction whose events sg_sqtt_tell() adds. */
struct sg_sqtt_told {
    sg_sqtt_group_t *group;
    uint32_t index; /* of its wave */
    const isa_wave_t *wave;
    const isa_inst_t *inst;
    uint64_t pc;
};

static uint64_t value_of(const sg_sqtt_told_t *told, sg_sqtt_tells_t tells)
{
    switch (tells) {
    case SG_TELLS_DATA: return told->wave->m0;
    case SG_TELLS_CONSTANT: return (uint32_t)told->inst->imm;
    case SG_TELLS_TARGET: return told->pc;
    default: return 0;
    }
}

void sg_sqtt_tell(sg_sqtt_told_t *told, uint64_t time, sg_sqtt_kind_t kind, int type,
                  sg_sqtt_tells_t tells)
{
    sg_sqtt_group_t *g = told->group;
    const bool noted = note(g, told->index, time, kind, type, value_of(told, tells));
    if (tells != SG_TELLS_BRANCH && tells != SG_TELLS_TARGET) return;
    g->wave[told->index].jump = noted ? g->list.gone + g->list.n : 0;
    if (!told->wave->privileged) g->wave[told->index].next = told->pc + 4ul * told->inst->dwords;
}

void sg_sqtt_tell_clocks(sg_sqtt_told_t *told, uint64_t issued, uint32_t clocks)
{
    told->group->wave[told->index].last = issued;
    told->group->wave[told->index].lasts = clocks;
}

/* Whether the instruction is in the trace. A trap is shown as one instruction of the program, which
 * ends when the handler returns; the handler's other instructions are left out. */
static bool outside_trap(sg_sqtt_told_t *told, uint64_t begin)
{
    sg_sqtt_group_t *g = told->group;
    const uint32_t index = told->index;
    const isa_wave_t *w = told->wave;
    const unsigned op = told->inst->op;
    const bool returns = op == ISA_OP_s_rfe_b64 || op == ISA_OP_s_rfe_restore_b64;
    if (w->privileged && !g->wave[index].trapped) {
        g->format->tell_trap(told, begin);
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
    const isa_bits_t simd = w->group->dispatch->arch->hw_id.simd;
    const uint64_t issued = end - begin > issue ? end - issue : begin;
    sg_sqtt_told_t told = {.group = g, .index = index, .wave = w, .inst = i, .pc = pc};
    if (!(g->simds >> isa_bits_get(simd, w->hw_id) & 1)) return;
    if (!outside_trap(&told, begin)) return;
    if (!w->privileged) resolve_jump(g, index, pc);
    g->format->tell(&told, g->format, w, i, begin, issued, end);
}

/* Converts a clock of the wave alone to one of the dispatch. A wave that shares its pipes takes
 * longer than alone: the times of its instructions are stretched in proportion. */
static uint64_t clock_of(const sg_sqtt_times_t *times, uint32_t index, uint64_t time)
{
    const uint64_t alone = times->alone[index], took = times->end[index] - times->start;
    if (!alone || time > alone) return times->end[index];
    return times->start + (uint64_t)((unsigned __int128)time * took / alone);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A wave ends a clock behind what its instructions last. */
static uint64_t end_of(const sg_sqtt_group_t *g, const sg_sqtt_times_t *times, uint32_t index)
{
    if (!g->wave[index].lasts) return times->end[index];
    const uint64_t told = clock_of(times, index, g->wave[index].last) + g->wave[index].lasts + 1;
    return later(times->end[index], told);
}

/* Where a wave is in the trace: its slot, and the clocks between which it is there. */
typedef struct {
    uint64_t start, end;
    uint8_t slot;
} stay_t;

/* The lowest slot that is free in the trace. If no slot is, the slot whose last wave ends first in
 * the trace: of those that are free for the scheduler or, if the scheduler has none, of all. */
static uint8_t choose_slot(const slot_t *slots, uint32_t count, uint64_t start)
{
    uint8_t best = 0;
    for (uint8_t i = 0; i < count; i++) {
        const bool over = slots[i].over <= start;
        if (over && slots[i].shown <= start) return i;
        const bool best_over = slots[best].over <= start;
        if (over == best_over ? slots[i].shown < slots[best].shown : over) best = i;
    }
    return best;
}

/* Finds the place of a wave, which is in the trace from times->start to end_of() if a slot is free
 * there. If all are taken there and one is free for the scheduler, the wave starts when the slot's
 * last wave has ended in the trace, and ends behind its own instructions, none of which is before
 * that. If the profile has more waves per SIMD than the trace has slots, waves overlap in a slot.
 */
static stay_t take_slot(sg_sqtt_run_t *r, const sg_sqtt_group_t *g, const sg_sqtt_times_t *times,
                        uint32_t index)
{
    slot_t *slots = r->slots[g->unit / r->s->unit_cus * r->s->unit_cus][times->simd[index]];
    stay_t stay = {.start = times->start, .end = end_of(g, times, index)};
    stay.slot = choose_slot(slots, r->s->slots_per_simd, stay.start);
    slot_t *slot = &slots[stay.slot];
    if (slot->over <= stay.start && slot->shown > stay.start) {
        const uint64_t last = clock_of(times, index, g->wave[index].last);
        const uint32_t lasts = g->wave[index].lasts ? g->wave[index].lasts : 1;
        stay.start = slot->shown;
        stay.end = later(stay.end, later(last, stay.start) + lasts + 1);
    }
    /* a wave without a clock, too, is in its slot when the next wave of its workgroup gets one */
    slot->over = later(slot->over, later(times->end[index], times->start + 1));
    slot->shown = later(slot->shown, later(stay.end, stay.start + 1));
    return stay;
}

void sg_sqtt_place(sg_sqtt_run_t *r, sg_sqtt_group_t *g, const sg_sqtt_times_t *times)
{
    const sg_sqtt_t *s = r->s;
    stay_t stay[ISA_GROUP_WAVES];
    list_t *l = &r->list[g->unit / s->units_per_engine];
    const uint32_t in_engine = g->unit % s->units_per_engine;
    const uint8_t place = (uint8_t)(in_engine % s->units_per_array / s->unit_cus & 15),
                  array = (uint8_t)(in_engine / s->units_per_array & 1);
    for (uint32_t i = 0; i < g->n_waves; i++) {
        stay[i] = take_slot(r, g, times, i);
        add(l, &(sg_sqtt_event_t){.time = stay[i].start,
                                  .value = g->lanes[i],
                                  .order = r->order++,
                                  .kind = SG_SQTT_WAVE_START,
                                  .type = g->narrow,
                                  .simd = times->simd[i],
                                  .slot = stay[i].slot,
                                  .place = place,
                                  .array = array});
    }
    for (size_t k = 0; k < g->list.n; k++) {
        sg_sqtt_event_t event = g->list.events[k];
        const uint32_t index = event.simd;
        event.time = clock_of(times, index, event.time);
        if (event.time < stay[index].start) event.time = stay[index].start;
        event.order = r->order++;
        event.simd = times->simd[index];
        event.slot = stay[index].slot;
        event.place = place;
        event.array = array;
        add(l, &event);
    }
    l->lost |= g->list.lost;
    for (uint32_t i = 0; i < g->n_waves; i++)
        add(l, &(sg_sqtt_event_t){.time = stay[i].end,
                                  .order = r->order++,
                                  .kind = SG_SQTT_WAVE_END,
                                  .simd = times->simd[i],
                                  .slot = stay[i].slot,
                                  .place = place,
                                  .array = array});
    free(g->list.events);
    free(g);
}
