/* parse.c - decodes a whole trace: tokens go to waves and registers, what is complete goes to the
 * callback.
 *
 * Apart from handle.c because both versions of the interface parse in this way. Records go out in
 * this order: the generation; waves, dispatches and events as they come; arrays of all other
 * records; then information on the whole trace (data lost and the like). */
#include "trace_decoder/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define RECORD(x) ROCPROFILER_THREAD_TRACE_DECODER_RECORD_##x
#define EVENT(x)  ROCPROF_TRACE_DECODER_EVENT_##x
#define INFO(x)   ROCPROFILER_THREAD_TRACE_DECODER_INFO_##x

enum { BATCH = 65536 /* records of a kind that go out together */, LANES_MAX = 64, BANKS = 4 };

typedef struct {
    void *items;
    size_t count, room, size; /* size: of an item */
    rocprofiler_thread_trace_decoder_record_type_t type;
} list_t;

/* A wave that is running, on any compute unit. */
typedef struct {
    bool there;
    uint64_t entry;
} running_t;

typedef struct {
    const dec_parse_t *to;
    dec_status_t status;
    dec_header_t header;
    dec_registers_t registers;
    dec_wave_t *wave[DEC_SIMDS][DEC_SLOTS];
    running_t running[DEC_UNITS][DEC_SIMDS][DEC_SLOTS];
    unsigned phase;
    list_t early; /* starts of waves that were running when the trace began */
    list_t occupancy, counters, data, clocks;
    int64_t sampled[DEC_UNITS][BANKS]; /* time of the last sample; 0: none */
    bool lost, unfinished, unplaced;
} run_t;

/* ---- records ---- */

static void send(run_t *r, rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                 uint64_t count)
{
    if (r->status == DEC_SUCCESS && (count || type == RECORD(GFXIP)))
        r->status = r->to->callback(type, records, count, r->to->user);
}

static void flush(run_t *r, list_t *l)
{
    send(r, l->type, l->items, l->count);
    l->count = 0;
}

static void add(run_t *r, list_t *l, const void *item)
{
    if (l->count == BATCH) flush(r, l);
    if (!base_grow(&l->items, l->count, &l->room, l->size)) {
        r->status = DEC_NO_MEMORY;
        return;
    }
    memcpy((char *)l->items + l->count++ * l->size, item, l->size);
}

static void send_event(run_t *r, const dec_token_t *token,
                       rocprofiler_thread_trace_decoder_event_type_t type, uint64_t payload)
{
    unsigned engine = 0, pipe = 0;
    if (!r->to->second) return;
    if (token->type != DEC_MISC) dec_token_pipe(token, &engine, &pipe);
    rocprofiler_thread_trace_decoder_event_t event = {.size = sizeof event,
                                                      .time = token->time,
                                                      .type = type,
                                                      .me_id = (uint8_t)engine,
                                                      .pipe_id = (uint8_t)pipe,
                                                      .payload.raw = payload,
                                                      .byte_offset = token->at};
    if (type == EVENT(CODE_OBJECT_LOAD) || type == EVENT(CODE_OBJECT_UNLOAD))
        event.flags = ROCPROF_TRACE_DECODER_EVENT_FLAGS_PER_PIPE;
    send(r, RECORD(EVENT), &event, 1);
}

/* Passes the wave to the callback and frees it. */
static void send_wave(run_t *r, dec_wave_t *w)
{
    if (r->status == DEC_SUCCESS) {
        const size_t missing = dec_stitch(w, r->to->code, &r->registers);
        if (missing == SIZE_MAX || w->lost) r->status = DEC_NO_MEMORY;
        if (!w->over && !w->was_trapped) r->unfinished = true;
        /* if no code of the wave is known, missing addresses are no sign of an error */
        const bool known =
            missing < w->inst_count ||
            (w->entry_count && dec_place(&r->registers, w->entries[0].address).code_object_id);
        if (w->over && missing && known) r->unplaced = true;
    }
    for (size_t i = 0; !w->over && i < w->inst_count; i++) {
        enum { AFTER = 4 };
        const int64_t end = w->insts[i].time + w->insts[i].duration + AFTER;
        if (end > w->end) w->end = end;
    }
    rocprofiler_thread_trace_decoder_wave_t wave = {.cu = r->header.unit,
                                                    .simd = w->simd,
                                                    .wave_id = w->slot,
                                                    .contexts = w->contexts,
                                                    .begin_time = w->begin,
                                                    .end_time = w->end,
                                                    .timeline_size = w->state_count,
                                                    .instructions_size = w->inst_count,
                                                    .timeline_array = w->states,
                                                    .instructions_array = w->insts};
    if (r->to->second) {
        wave.dispatcher = w->dispatcher;
        wave.workgroup_id = w->group;
        wave.size = sizeof wave;
    }
    send(r, RECORD(WAVE), &wave, 1);
    dec_wave_free(w);
}

/* ---- waves ---- */

static void add_occupancy(run_t *r, list_t *to, const dec_token_t *t, uint64_t entry, bool start)
{
    rocprofiler_thread_trace_decoder_occupancy_t o = {
        .pc = {entry, 0}, /* replaced by code object and offset before it is sent */
        .time = to == &r->early ? 0 : (uint64_t)t->time,
        .cu = (uint8_t)dec_bits(t->bits, 9, 6),
        .simd = (uint8_t)dec_bits(t->bits, 15, 14),
        .wave_id = (uint8_t)dec_bits(t->bits, 13, 10),
        .start = start};
    if (r->to->second && start) {
        o.pipe_id = dec_bits(t->bits, 17, 16) & 15;
        o.me_id = dec_bits(t->bits, 19, 18) & 7;
        o.is_ext = 1;
        o.workgroup_id = dec_bits(t->bits, 31, 29) & 127;
    }
    add(r, to, &o);
}

static bool is_target(const run_t *r, const dec_token_t *t)
{
    return dec_bits(t->bits, 9, 6) == r->header.unit && !dec_bits(t->bits, 5, 5);
}

/* The slot that a token names by SIMD and wave; NULL: hardware has no such slot. */
static dec_wave_t **slot_of(run_t *r, const dec_token_t *t)
{
    const uint64_t slot = dec_bits(t->bits, 13, 10);
    return slot < DEC_SLOTS ? &r->wave[dec_bits(t->bits, 15, 14)][slot] : NULL;
}

static running_t *running_of(run_t *r, const dec_token_t *t)
{
    return &r->running[dec_bits(t->bits, 9, 6)][dec_bits(t->bits, 15, 14)]
                      [dec_bits(t->bits, 13, 10)];
}

static void start(run_t *r, const dec_token_t *t)
{
    const uint64_t lanes = dec_bits(t->bits, 28, 22);
    const uint64_t entry =
        r->registers.pipe[dec_bits(t->bits, 18, 18)][dec_bits(t->bits, 17, 16)].entry;
    dec_wave_t **wave = slot_of(r, t);
    if (!wave) return;
    if (is_target(r, t)) {
        if (lanes > LANES_MAX) { /* not a start: the wave's context is saved or restored */
            if (*wave) dec_wave_context(*wave, t->time);
            return;
        }
        if (!*wave) {
            *wave = dec_wave_begin(t, entry);
            if (!*wave) r->status = DEC_NO_MEMORY;
        }
    }
    running_t *running = running_of(r, t);
    if (!running->there) add_occupancy(r, &r->occupancy, t, entry, true);
    *running = (running_t){true, entry};
}

static void end(run_t *r, const dec_token_t *t)
{
    dec_wave_t **wave = slot_of(r, t);
    if (!wave) return;
    if (is_target(r, t) && *wave) {
        if ((*wave)->trap != DEC_RUNS) return;
        dec_wave_end(*wave, t->time);
        send_wave(r, *wave);
        *wave = NULL;
    }
    running_t *running = running_of(r, t);
    if (!running->there && r->lost) return;
    if (!running->there) add_occupancy(r, &r->early, t, 0, true);
    add_occupancy(r, &r->occupancy, t, running->entry, false);
    *running = (running_t){0};
}

static dec_wave_t *wave_at(run_t *r, const dec_token_t *t)
{
    const uint64_t slot = dec_bits(t->bits, 8, 5);
    return slot < DEC_SLOTS ? r->wave[dec_bits(t->bits, 10, 9)][slot] : NULL;
}

/* Begins a wave whose start was lost, or was before the trace. */
static void adopt(run_t *r, const dec_token_t *t)
{
    const uint64_t simd = dec_bits(t->bits, 10, 9), slot = dec_bits(t->bits, 8, 5);
    const dec_token_t started = {.bits = slot << 10 | simd << 14, .time = t->time};
    if (slot >= DEC_SLOTS) return;
    r->wave[simd][slot] = dec_wave_begin(&started, 0);
    if (!r->wave[simd][slot]) r->status = DEC_NO_MEMORY;
}

static void issue(run_t *r, const dec_token_t *t)
{
    dec_wave_t **waves = r->wave[dec_bits(t->bits, 6, 5)];
    for (unsigned slot = 0; slot < DEC_SLOTS; slot++) {
        const unsigned code = (unsigned)dec_bits(t->bits, 9 + 2 * slot, 8 + 2 * slot);
        if (code && waves[slot]) dec_wave_issue(waves[slot], code, t->time);
    }
}

static void save_contexts(run_t *r)
{
    for (unsigned i = 0; i < DEC_SIMDS * DEC_SLOTS; i++) {
        dec_wave_t *w = r->wave[i / DEC_SLOTS][i % DEC_SLOTS];
        if (w && w->trap == DEC_RUNS) w->trap = DEC_TRAP_ASKED;
    }
}

/* ---- the rest ---- */

static void misc(run_t *r, const dec_token_t *t)
{
    switch (dec_bits(t->bits, 15, 13)) {
    case DEC_MISC_LOST:
        r->lost = true;
        send_event(r, t, EVENT(PACKET_LOSS), 0);
        break;
    case DEC_MISC_STALL_BEGIN: send_event(r, t, EVENT(TT_STALL_BEGIN), 0); break;
    case DEC_MISC_STALL_END: send_event(r, t, EVENT(TT_STALL_END), 0); break;
    case DEC_MISC_SAVE_CONTEXT:
        save_contexts(r);
        send_event(r, t, EVENT(SAVE_CONTEXT), 0);
        break;
    default: break;
    }
}

static void counters(run_t *r, const dec_token_t *t)
{
    enum { LATE = 4 /* cycles by which a unit's sample is late, after the unit before */ };
    const unsigned unit = (unsigned)dec_bits(t->bits, 9, 6),
                   bank = (unsigned)dec_bits(t->bits, 11, 10);
    rocprofiler_thread_trace_decoder_perfevent_t event = {
        .time = t->time - LATE * (int64_t)unit, .CU = (uint8_t)unit, .bank = (uint8_t)bank};
    if (dec_bits(t->bits, 5, 5)) return; /* of another shader array */
    /* The hardware leaves out samples that are zero: one stands for them. */
    const int64_t interval = (int64_t)r->registers.counter_interval, last = r->sampled[unit][bank];
    if (interval && last > 0 && event.time > last + interval) add(r, &r->counters, &event);
    r->sampled[unit][bank] = event.time;
    event.events0 = (uint16_t)dec_bits(t->bits, 24, 12);
    event.events1 = (uint16_t)dec_bits(t->bits, 37, 25);
    event.events2 = (uint16_t)dec_bits(t->bits, 50, 38);
    event.events3 = (uint16_t)dec_bits(t->bits, 63, 51);
    add(r, &r->counters, &event);
}

static void shader_data(run_t *r, const dec_token_t *t)
{
    const rocprofiler_thread_trace_decoder_shaderdata_t data = {
        .time = t->time,
        .value = dec_bits(t->bits, 47, 16),
        .cu = (uint8_t)dec_bits(t->bits, 9, 6),
        .simd = (uint8_t)dec_bits(t->bits, 15, 14),
        .wave_id = (uint8_t)dec_bits(t->bits, 13, 10)};
    add(r, &r->data, &data);
}

static void registers(run_t *r, const dec_token_t *t)
{
    uint64_t value = 0;
    switch (dec_registers_take(&r->registers, t, &value)) {
    case DEC_LOADED: send_event(r, t, EVENT(CODE_OBJECT_LOAD), value); break;
    case DEC_UNLOADED: send_event(r, t, EVENT(CODE_OBJECT_UNLOAD), value); break;
    case DEC_FLUSHED: send_event(r, t, EVENT(CS_PARTIAL_FLUSH), 0); break;
    case DEC_REALTIME:
        add(r, &r->clocks,
            &(rocprofiler_thread_trace_decoder_realtime_t){.shader_clock = t->time,
                                                           .realtime_clock = value});
        break;
    case DEC_DISPATCHED:
        if (r->to->second) {
            unsigned engine, pipe;
            dec_token_pipe(t, &engine, &pipe);
            rocprofiler_thread_trace_decoder_dispatch_t d =
                dec_dispatch(&r->registers, engine, pipe);
            d.time = t->time;
            d.byte_offset = t->at;
            send(r, RECORD(DISPATCH), &d, 1);
        }
        break;
    case DEC_LOST_MEMORY: r->status = DEC_NO_MEMORY; break;
    case DEC_NOTHING:
    case DEC_FREQUENCY: break;
    }
}

static void take(run_t *r, const dec_token_t *t)
{
    switch (t->type) {
    case DEC_MISC: misc(r, t); break;
    case DEC_WAVE_START: start(r, t); break;
    case DEC_WAVE_END: end(r, t); break;
    case DEC_ISSUE: issue(r, t); break;
    case DEC_INST:
        if (!wave_at(r, t)) adopt(r, t);
        if (wave_at(r, t))
            dec_wave_inst(wave_at(r, t), (unsigned)dec_bits(t->bits, 15, 11), t->time, &r->phase);
        break;
    case DEC_INST_PC:
        if (wave_at(r, t)) dec_wave_pc(wave_at(r, t), dec_bits(t->bits, 63, 16) << 2);
        break;
    case DEC_USERDATA: shader_data(r, t); break;
    case DEC_PERF: counters(r, t); break;
    case DEC_REG:
    case DEC_REG_CS:
    case DEC_REG_CSPRIV: registers(r, t); break;
    default: break;
    }
}

/* ---- a trace ---- */

static void flush_occupancy(run_t *r)
{
    rocprofiler_thread_trace_decoder_occupancy_t *o = r->occupancy.items;
    for (size_t i = 0; i < r->occupancy.count; i++)
        if (!o[i].pc.code_object_id && o[i].pc.address)
            o[i].pc = dec_place(&r->registers, o[i].pc.address);
    flush(r, &r->early);
    flush(r, &r->occupancy);
}

static void finish(run_t *r)
{
    for (unsigned i = 0; i < DEC_SIMDS * DEC_SLOTS; i++)
        if (r->wave[i / DEC_SLOTS][i % DEC_SLOTS])
            send_wave(r, r->wave[i / DEC_SLOTS][i % DEC_SLOTS]);
    flush_occupancy(r);
    flush(r, &r->clocks);
    if (r->registers.clock_hertz) send(r, RECORD(RT_FREQUENCY), &r->registers.clock_hertz, 1);
    flush(r, &r->data);
    flush(r, &r->counters);
    const struct {
        bool said;
        rocprofiler_thread_trace_decoder_info_t info;
    } infos[] = {{r->lost, INFO(DATA_LOST)},
                 {r->unplaced, INFO(STITCH_INCOMPLETE)},
                 {r->unfinished, INFO(WAVE_INCOMPLETE)}};
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        rocprofiler_thread_trace_decoder_info_t info = infos[i].info;
        if (infos[i].said) send(r, RECORD(INFO), &info, 1);
    }
}

dec_status_t dec_parse(const dec_parse_t *parse, const uint8_t *data, uint64_t size)
{
    enum { GENERATION = 9 };
    dec_token_t token;
    run_t *r = calloc(1, sizeof *r);
    if (!r) return DEC_NO_MEMORY;
    r->to = parse;
    r->early.type = r->occupancy.type = RECORD(OCCUPANCY);
    r->early.size = r->occupancy.size = sizeof(rocprofiler_thread_trace_decoder_occupancy_t);
    r->counters.type = RECORD(PERFEVENT);
    r->counters.size = sizeof(rocprofiler_thread_trace_decoder_perfevent_t);
    r->data.type = RECORD(SHADERDATA);
    r->data.size = sizeof(rocprofiler_thread_trace_decoder_shaderdata_t);
    r->clocks.type = RECORD(REALTIME);
    r->clocks.size = sizeof(rocprofiler_thread_trace_decoder_realtime_t);
    if (!dec_header_read(data, size, &r->header)) {
        free(r);
        return DEC_NO_TRACE;
    }
    send(r, RECORD(GFXIP), (void *)(uintptr_t)GENERATION, 0);
    dec_stream_t stream = {.data = data, .size = size, .at = DEC_HEADER_BYTES};
    while (r->status == DEC_SUCCESS && dec_stream_next(&stream, &token)) {
        if (r->occupancy.count == BATCH) flush_occupancy(r);
        take(r, &token);
    }
    finish(r);
    const dec_status_t status = r->status;
    dec_registers_free(&r->registers);
    free(r->early.items);
    free(r->occupancy.items);
    free(r->counters.items);
    free(r->data.items);
    free(r->clocks.items);
    free(r);
    return status;
}

dec_status_t dec_collect(rocprof_trace_decoder_se_data_callback_t callback, void *user,
                         uint8_t **data, uint64_t *size)
{
    *data = NULL;
    *size = 0;
    for (;;) {
        uint8_t *piece = NULL;
        uint64_t piece_size = 0;
        const uint64_t bytes = callback(&piece, &piece_size, user);
        if (!bytes) return DEC_SUCCESS;
        uint8_t *grown = piece && bytes <= SIZE_MAX - *size ? realloc(*data, *size + bytes) : NULL;
        if (!grown) {
            free(*data);
            *data = NULL;
            return piece ? DEC_NO_MEMORY : DEC_INVALID;
        }
        memcpy(grown + *size, piece, bytes);
        *data = grown;
        *size += bytes;
    }
}
