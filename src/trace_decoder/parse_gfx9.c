/* parse_gfx9.c - applies the tokens of a trace of gfx9 to waves and registers.
 *
 * It is apart because no other GPU has these tokens; waves_gfx9.c and parse.c handle waves and
 * records. */
#include "trace_decoder/decoder.h"

#define EVENT(x) ROCPROF_TRACE_DECODER_EVENT_##x

enum { LANES_MAX = 64, UNITS = 16, BANKS = 4 };

typedef struct {
    dec_run_t *run;
    unsigned phase;
    int64_t sampled[UNITS][BANKS]; /* time of the last sample; 0: none */
} gfx9_t;

static dec_moment_t moment(const dec_token_t *t)
{
    unsigned engine = 0, pipe = 0;
    if (t->type != DEC_MISC) dec_token_pipe(t, &engine, &pipe);
    return (dec_moment_t){
        .time = t->time, .at = t->at, .engine = (uint8_t)engine, .pipe = (uint8_t)pipe};
}

static void send_event(dec_run_t *r, const dec_token_t *t,
                       rocprofiler_thread_trace_decoder_event_type_t type)
{
    const dec_moment_t m = moment(t);
    dec_run_event(r, &m, type, 0);
}

/* ---- waves ---- */

static dec_place_t place(const dec_token_t *t)
{
    return (dec_place_t){.time = t->time,
                         .unit = (uint8_t)dec_bits(t->bits, 9, 6),
                         .simd = (uint8_t)dec_bits(t->bits, 15, 14),
                         .slot = (uint8_t)dec_bits(t->bits, 13, 10),
                         .pipe = (uint8_t)dec_bits(t->bits, 17, 16),
                         .engine = (uint8_t)dec_bits(t->bits, 19, 18),
                         .group = (uint8_t)dec_bits(t->bits, 31, 29),
                         .grouped = true};
}

static bool is_target(const dec_run_t *r, const dec_token_t *t)
{
    return dec_bits(t->bits, 9, 6) == r->header.unit && !dec_bits(t->bits, 5, 5);
}

/* Returns the slot that a token names by SIMD and wave; NULL if the hardware has no such slot. */
static dec_wave_t **slot_of(dec_run_t *r, const dec_token_t *t)
{
    const uint64_t slot = dec_bits(t->bits, 13, 10);
    return slot < DEC_SLOTS ? &r->wave[dec_bits(t->bits, 15, 14)][slot] : NULL;
}

static dec_running_t *running_of(dec_run_t *r, const dec_token_t *t)
{
    return &r->running[dec_bits(t->bits, 9, 6)][dec_bits(t->bits, 15, 14)]
                      [dec_bits(t->bits, 13, 10)];
}

static void start(dec_run_t *r, const dec_token_t *t)
{
    const uint64_t lanes = dec_bits(t->bits, 28, 22);
    const uint64_t entry =
        r->registers.pipe[dec_bits(t->bits, 18, 18)][dec_bits(t->bits, 17, 16)].entry;
    const dec_place_t p = place(t);
    dec_wave_t **wave = slot_of(r, t);
    if (!wave) return;
    if (is_target(r, t)) {
        if (lanes > LANES_MAX) { /* not a start: the wave's context is saved or restored */
            if (*wave) dec_wave_context(*wave, t->time);
            return;
        }
        if (!*wave) {
            *wave = dec_wave_begin(p.simd, p.slot, t->time, entry);
            if (!*wave) {
                r->status = DEC_NO_MEMORY;
                return;
            }
            (*wave)->dispatcher = (uint8_t)(p.pipe | p.engine << 4);
            (*wave)->group = p.group;
        }
    }
    dec_running_t *running = running_of(r, t);
    if (!running->there) dec_run_occupancy(r, &p, entry, true);
    *running = (dec_running_t){.there = true, .entry = entry};
}

static void end(dec_run_t *r, const dec_token_t *t)
{
    const dec_place_t p = place(t);
    dec_wave_t **wave = slot_of(r, t);
    if (!wave) return;
    if (is_target(r, t) && *wave) {
        if ((*wave)->trap != DEC_RUNS) return;
        dec_wave_end(*wave, t->time);
        dec_run_wave(r, *wave);
        *wave = NULL;
    }
    dec_running_t *running = running_of(r, t);
    if (!running->there && r->lost) return;
    if (!running->there) dec_run_early(r, &p);
    dec_run_occupancy(r, &p, running->entry, false);
    *running = (dec_running_t){0};
}

static dec_wave_t *wave_at(dec_run_t *r, const dec_token_t *t)
{
    const uint64_t slot = dec_bits(t->bits, 8, 5);
    return slot < DEC_SLOTS ? r->wave[dec_bits(t->bits, 10, 9)][slot] : NULL;
}

/* Begins a wave whose start was lost, or was before the trace. */
static void adopt(dec_run_t *r, const dec_token_t *t)
{
    const uint64_t simd = dec_bits(t->bits, 10, 9), slot = dec_bits(t->bits, 8, 5);
    if (slot >= DEC_SLOTS) return;
    r->wave[simd][slot] = dec_wave_begin((uint8_t)simd, (uint8_t)slot, t->time, 0);
    if (!r->wave[simd][slot]) r->status = DEC_NO_MEMORY;
}

static void issue(dec_run_t *r, const dec_token_t *t)
{
    dec_wave_t **waves = r->wave[dec_bits(t->bits, 6, 5)];
    for (unsigned slot = 0; slot < DEC_SLOTS; slot++) {
        const unsigned code = (unsigned)dec_bits(t->bits, 9 + 2 * slot, 8 + 2 * slot);
        if (code && waves[slot]) dec_wave_issue(waves[slot], code, t->time);
    }
}

static void save_contexts(dec_run_t *r)
{
    for (unsigned i = 0; i < DEC_SIMDS * DEC_SLOTS; i++) {
        dec_wave_t *w = r->wave[i / DEC_SLOTS][i % DEC_SLOTS];
        if (w && w->trap == DEC_RUNS) w->trap = DEC_TRAP_ASKED;
    }
}

/* ---- other tokens ---- */

static void misc(dec_run_t *r, const dec_token_t *t)
{
    switch (dec_bits(t->bits, 15, 13)) {
    case DEC_MISC_LOST:
        r->lost = true;
        send_event(r, t, EVENT(PACKET_LOSS));
        break;
    case DEC_MISC_STALL_BEGIN: send_event(r, t, EVENT(TT_STALL_BEGIN)); break;
    case DEC_MISC_STALL_END: send_event(r, t, EVENT(TT_STALL_END)); break;
    case DEC_MISC_SAVE_CONTEXT:
        save_contexts(r);
        send_event(r, t, EVENT(SAVE_CONTEXT));
        break;
    default: break;
    }
}

static void counters(gfx9_t *g, const dec_token_t *t)
{
    dec_run_t *r = g->run;
    enum { LATE = 4 /* delay of a unit's sample relative to the unit before, in cycles */ };
    const unsigned unit = (unsigned)dec_bits(t->bits, 9, 6),
                   bank = (unsigned)dec_bits(t->bits, 11, 10);
    rocprofiler_thread_trace_decoder_perfevent_t event = {
        .time = t->time - LATE * (int64_t)unit, .CU = (uint8_t)unit, .bank = (uint8_t)bank};
    if (dec_bits(t->bits, 5, 5)) return; /* it belongs to another shader array */
    /* The hardware leaves out samples that are zero: one sample stands for them. */
    const int64_t interval = (int64_t)r->registers.counter_interval, last = g->sampled[unit][bank];
    if (interval && last > 0 && event.time > last + interval) dec_run_add(r, &r->counters, &event);
    g->sampled[unit][bank] = event.time;
    event.events0 = (uint16_t)dec_bits(t->bits, 24, 12);
    event.events1 = (uint16_t)dec_bits(t->bits, 37, 25);
    event.events2 = (uint16_t)dec_bits(t->bits, 50, 38);
    event.events3 = (uint16_t)dec_bits(t->bits, 63, 51);
    dec_run_add(r, &r->counters, &event);
}

static void shader_data(dec_run_t *r, const dec_token_t *t)
{
    const rocprofiler_thread_trace_decoder_shaderdata_t data = {
        .time = t->time,
        .value = dec_bits(t->bits, 47, 16),
        .cu = (uint8_t)dec_bits(t->bits, 9, 6),
        .simd = (uint8_t)dec_bits(t->bits, 15, 14),
        .wave_id = (uint8_t)dec_bits(t->bits, 13, 10)};
    dec_run_add(r, &r->shader_data, &data);
}

static void registers(dec_run_t *r, const dec_token_t *t)
{
    const dec_moment_t m = moment(t);
    uint64_t value = 0;
    const dec_change_t change = dec_registers_take(&r->registers, t, &value);
    dec_run_change(r, &m, change, value);
}

static void take(gfx9_t *g, const dec_token_t *t)
{
    dec_run_t *r = g->run;
    switch (t->type) {
    case DEC_MISC: misc(r, t); break;
    case DEC_WAVE_START: start(r, t); break;
    case DEC_WAVE_END: end(r, t); break;
    case DEC_ISSUE: issue(r, t); break;
    case DEC_INST:
        if (!wave_at(r, t)) adopt(r, t);
        if (wave_at(r, t))
            dec_wave_inst(wave_at(r, t), (unsigned)dec_bits(t->bits, 15, 11), t->time, &g->phase);
        break;
    case DEC_INST_PC:
        if (wave_at(r, t)) dec_wave_pc(wave_at(r, t), dec_bits(t->bits, 63, 16) << 2);
        break;
    case DEC_USERDATA: shader_data(r, t); break;
    case DEC_PERF: counters(g, t); break;
    case DEC_REG:
    case DEC_REG_CS:
    case DEC_REG_CSPRIV: registers(r, t); break;
    default: break;
    }
}

void dec_run_parse_gfx9(dec_run_t *r)
{
    dec_token_t token;
    gfx9_t g = {.run = r};
    dec_stream_t stream = {.data = r->data, .size = r->size, .at = DEC_HEADER_BYTES};
    while (r->status == DEC_SUCCESS && dec_stream_next(&stream, &token)) {
        dec_run_breathe(r);
        take(&g, &token);
    }
}
