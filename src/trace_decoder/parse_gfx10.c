/* parse_gfx10.c - applies the tokens of a trace of gfx10, gfx11 or gfx12 to waves and registers.
 *
 * It is apart because gfx9 has other tokens. Differences between these GPUs are rows of
 * tokens_gfx10.c, waves_gfx10.c and format.c, so nothing here depends on the GPU. The trace has the
 * instructions of one SIMD of one workgroup processor, and the beginnings and ends of waves of the
 * whole shader engine. */
#include "trace_decoder/decoder.h"

#define EVENT(x) ROCPROF_TRACE_DECODER_EVENT_##x

enum { KINDS = 256, SLOTS_OF_MASK = 16 };

typedef struct {
    dec_run_t *run;
    dec_packed_stream_t stream;
    const dec_kind_t *kinds[KINDS];
    int64_t told; /* the WAVE_READY tokens of this clock have been handled */
} gfx10_t;

static dec_moment_t moment(const dec_packed_t *t)
{
    enum { BYTE = 8 };
    return (dec_moment_t){.time = t->time,
                          .at = t->at / BYTE,
                          .engine = (uint8_t)(dec_field(t, DEC_F_ENGINE) % DEC_ENGINES),
                          .pipe = (uint8_t)dec_field(t, DEC_F_PIPE)};
}

static void send_event(dec_run_t *r, const dec_packed_t *t, unsigned type, unsigned flags)
{
    dec_moment_t m = moment(t);
    m.flags = (uint16_t)flags;
    dec_run_event(r, &m, (rocprofiler_thread_trace_decoder_event_type_t)type, 0);
}

/* ---- waves ---- */

static dec_place_t place(const dec_packed_t *t)
{
    const bool grouped = t->row->type == DEC_BEGIN_LONG && !dec_field(t, DEC_F_UNGROUPED);
    return (dec_place_t){
        .time = t->time,
        .unit = (uint8_t)(dec_field(t, DEC_F_UNIT) + (dec_field(t, DEC_F_ARRAY) ? DEC_ARRAY : 0)),
        .simd = (uint8_t)dec_field(t, DEC_F_SIMD),
        .slot = (uint8_t)dec_field(t, DEC_F_SLOT),
        .pipe = (uint8_t)dec_field(t, DEC_F_PIPE),
        .engine = (uint8_t)(dec_field(t, DEC_F_ENGINE) % DEC_ENGINES),
        .group = grouped ? (uint8_t)dec_field(t, DEC_F_GROUP) : 0,
        .grouped = grouped};
}

static bool is_target(const dec_run_t *r, const dec_place_t *p)
{
    return p->unit == r->header.unit && p->simd == r->header.simd;
}

/* Returns the slot of the traced SIMD. Its last wave stays there until the next one begins, since a
 * token with an address may follow the wave's end. */
static dec_wave_t **slot_of(dec_run_t *r, uint64_t slot)
{
    return &r->wave[0][slot % DEC_SLOTS_MAX];
}

static dec_wave_t *wave_of(dec_run_t *r, uint64_t slot)
{
    dec_wave_t *w = *slot_of(r, slot);
    return w && !w->over ? w : NULL;
}

static dec_running_t *running_of(dec_run_t *r, const dec_place_t *p)
{
    return &r->running[p->unit][p->simd][p->slot];
}

static dec_wave_t *begin_wave(dec_run_t *r, const dec_place_t *p, uint64_t entry)
{
    dec_wave_t **wave = slot_of(r, p->slot);
    if (*wave) dec_run_wave(r, *wave);
    *wave = dec_wave_begin(p->simd, p->slot, p->time, entry);
    if (!*wave) {
        r->status = DEC_NO_MEMORY;
        return NULL;
    }
    (*wave)->dispatcher = (uint8_t)(p->pipe | p->engine << 4);
    (*wave)->group = p->group;
    return *wave;
}

static void start(dec_run_t *r, const dec_place_t *p)
{
    const uint64_t entry = r->registers.pipe[p->engine][p->pipe].entry;
    dec_running_t *running = running_of(r, p);
    if (running->there) { /* its end was lost */
        const dec_place_t gone = {
            .time = p->time - 1, .unit = p->unit, .simd = p->simd, .slot = p->slot};
        dec_run_occupancy(r, &gone, running->entry, false);
    }
    *running = (dec_running_t){.there = true, .entry = entry};
    dec_run_occupancy(r, p, entry, true);
    if (is_target(r, p)) begin_wave(r, p, entry);
}

static void end(dec_run_t *r, const dec_place_t *p)
{
    dec_running_t *running = running_of(r, p);
    dec_wave_t *w = is_target(r, p) ? wave_of(r, p->slot) : NULL;
    if (w) dec_wave_finish(w, p->time);
    if (!running->there && (running->saved || r->lost)) return;
    if (!running->there) dec_run_early(r, p);
    dec_run_occupancy(r, p, running->entry, false);
    *running = (dec_running_t){0};
}

/* Saves the wave's context: the wave is not running until it is restored. */
static void save(dec_run_t *r, const dec_place_t *p)
{
    dec_running_t *running = running_of(r, p);
    dec_wave_t *w = is_target(r, p) ? wave_of(r, p->slot) : NULL;
    if (w) dec_wave_save(w, p->time);
    if (!running->there) return;
    dec_run_occupancy(r, p, running->entry, false);
    running->there = false;
    running->saved = true;
}

static void restore(dec_run_t *r, const dec_place_t *p)
{
    dec_running_t *running = running_of(r, p);
    if (is_target(r, p)) {
        dec_wave_t *w = wave_of(r, p->slot);
        if (!w) w = begin_wave(r, p, 0);
        if (w) dec_wave_restore(w, p->time);
    }
    if (running->there) return;
    *running = (dec_running_t){.there = true, .entry = running->entry};
    dec_run_occupancy(r, p, running->entry, true);
}

/* Begins a wave, if the token's field is its number of lanes less 1: below 64, or with 96 added.
 * Some numbers between mean contexts. */
static void begin(dec_run_t *r, const dec_packed_t *t)
{
    enum { CONTEXTS = 66, CONTEXTS_END = 90 };
    enum { SAVES = 0x033, RESTORES = 0x3cc }; /* bit: number - CONTEXTS */
    const dec_place_t p = place(t);
    const uint64_t lanes = dec_field(t, DEC_F_LANES);
    if (lanes < CONTEXTS || lanes >= CONTEXTS_END) {
        start(r, &p);
        return;
    }
    if (SAVES >> (lanes - CONTEXTS) & 1) save(r, &p);
    if (RESTORES >> (lanes - CONTEXTS) & 1) restore(r, &p);
}

/* ---- instructions ---- */

static int64_t cycles_of(const dec_run_t *r, const dec_kind_t *kind, uint64_t number)
{
    const int64_t cycles = kind->cycles + (int64_t)number - kind->first;
    switch (kind->rate) {
    case DEC_RATE_DOUBLE: return cycles * r->header.rate;
    case DEC_RATE_DERATED: return cycles * r->header.rate * r->header.derate;
    default: return cycles;
    }
}

static void other(dec_run_t *r, const dec_packed_t *t, const dec_kind_t *kind, int64_t cycles)
{
    const bool known = kind->category != ROCPROFILER_THREAD_TRACE_DECODER_INST_NONE;
    const rocprofiler_thread_trace_decoder_inst_other_simd_t o = {.size = sizeof o,
                                                                  .time = t->time,
                                                                  .cycles =
                                                                      known ? (uint16_t)cycles : 0,
                                                                  .wgp = r->header.unit,
                                                                  .category = kind->category};
    dec_run_add(r, &r->others, &o);
}

static void instruction(gfx10_t *g, const dec_packed_t *t)
{
    /* its kind is unknown: following instructions get no address until a token has one */
    static const dec_kind_t unknown = {.category = ROCPROFILER_THREAD_TRACE_DECODER_INST_NONE};
    dec_run_t *r = g->run;
    const uint64_t number = dec_field(t, DEC_F_KIND);
    const dec_kind_t *kind = g->kinds[number];
    dec_wave_t *w = wave_of(r, dec_field(t, DEC_F_SLOT));
    if (!kind) r->unknown++;
    const int64_t cycles = kind ? cycles_of(r, kind, number) : 1;
    if (kind && kind->meaning == DEC_KIND_OTHER)
        other(r, t, kind, cycles);
    else if (w)
        dec_wave_run(w, kind ? kind : &unknown, cycles, r->header.format->barrier_long, t->time);
}

static void vector(gfx10_t *g, const dec_packed_t *t)
{
    static const dec_kind_t plain = {.category = ROCPROFILER_THREAD_TRACE_DECODER_INST_VALU};
    dec_wave_t *w = wave_of(g->run, dec_field(t, DEC_F_SLOT));
    if (w) dec_wave_run(w, &plain, 1, false, t->time);
}

/* Calls the function for each wave in the token's mask. */
static void each(dec_run_t *r, const dec_packed_t *t, void (*take)(dec_wave_t *, int64_t),
                 int64_t time)
{
    const uint64_t mask = dec_field(t, DEC_F_SLOTS);
    for (unsigned slot = 0; slot < SLOTS_OF_MASK; slot++)
        if (mask >> slot & 1 && wave_of(r, slot)) take(wave_of(r, slot), time);
}

static void ready(dec_run_t *r, const dec_packed_t *t)
{
    /* if the token follows others of its clock, it belongs to the clock before */
    each(r, t, dec_wave_ready, t->time - r->header.format->ready_first);
}

/* Handles the WAVE_READY tokens of the token's clock before all other tokens of that clock. */
static void ready_ahead(gfx10_t *g, const dec_packed_t *t)
{
    dec_packed_t next = *t;
    dec_packed_stream_t *s = &g->stream;
    if (g->told == t->time) return;
    g->told = t->time;
    const uint64_t at = s->at;
    const bool more = s->more;
    do {
        if (next.row->type == DEC_READY) ready(g->run, &next);
    } while (dec_packed_next(s, &next) && next.time == t->time);
    s->at = at;
    s->more = more;
    s->now = t->time;
}

static void go(dec_run_t *r, const dec_packed_t *t)
{
    dec_wave_t *w = *slot_of(r, dec_field(t, DEC_F_SLOT));
    if (w) dec_wave_go(w, t->time, dec_field(t, DEC_F_ADDRESS) << 2);
}

/* ---- other tokens ---- */

static void lose(dec_run_t *r, const dec_packed_t *t)
{
    r->lost = true;
    send_event(r, t, EVENT(PACKET_LOSS), 0);
}

/* ORDER: bits of MISC from 16 on. The lowest has another meaning on GPUs that report losses by
 * it. */
static const uint8_t states[] = {
    EVENT(SPM_SAMPLE),       EVENT(GC_RINSE),       EVENT(NONE),
    EVENT(SAVE_CONTEXT),     EVENT(TT_STALL_BEGIN), EVENT(TT_STALL_END),
    EVENT(DIDT_STALL_BEGIN), EVENT(DIDT_STALL_END)};
enum { LOST_BIT = 0, SAVE_BIT = 3 };

static void misc(dec_run_t *r, const dec_packed_t *t)
{
    const uint64_t bits = dec_field(t, DEC_F_VALUE);
    for (unsigned i = 0; i < sizeof states; i++) {
        if (!(bits >> i & 1)) continue;
        if (i == LOST_BIT && r->header.format->misc_lost)
            lose(r, t);
        else if (states[i])
            send_event(r, t, states[i], 0);
    }
    for (unsigned slot = 0; bits >> SAVE_BIT & 1 && slot < DEC_SLOTS_MAX; slot++) {
        dec_wave_t *w = wave_of(r, slot);
        if (w && w->trap == DEC_RUNS) w->trap = DEC_TRAP_READY;
    }
}

static void stamp(dec_run_t *r, const dec_packed_t *t)
{
    switch (dec_packed_stamp(r->header.format, t)) {
    case DEC_STAMP_LOST: lose(r, t); break;
    case DEC_STAMP_REAL:
        dec_run_add(r, &r->clocks,
                    &(rocprofiler_thread_trace_decoder_realtime_t){
                        .shader_clock = t->time, .realtime_clock = dec_field(t, DEC_F_VALUE)});
        break;
    default: break;
    }
}

static void happened(dec_run_t *r, const dec_packed_t *t)
{
    static const struct {
        uint8_t number, event;
    } events[] = {{0x04, EVENT(CACHE_FLUSH)},      {0x06, EVENT(CACHE_FLUSH)},
                  {0x07, EVENT(CS_PARTIAL_FLUSH)}, {0x14, EVENT(CACHE_FLUSH)},
                  {0x16, EVENT(CACHE_FLUSH)},      {0x28, EVENT(BOTTOM_OF_PIPE_TS)},
                  {0x36, EVENT(TT_FLUSH)}};
    const unsigned flags =
        ROCPROF_TRACE_DECODER_EVENT_FLAGS_PER_PIPE |
        (dec_field(t, DEC_F_BOTTOM) ? ROCPROF_TRACE_DECODER_EVENT_FLAGS_BOP : 0u);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i].number == dec_field(t, DEC_F_KIND)) send_event(r, t, events[i].event, flags);
}

static void shader_data(dec_run_t *r, const dec_packed_t *t)
{
    const dec_place_t p = place(t);
    const unsigned flags = (t->row->type == DEC_DATA_SHORT)
                               << ROCPROFILER_THREAD_TRACE_DECODER_SHADERDATA_FLAGS_IMM |
                           (dec_field(t, DEC_F_PRIVILEGED) != 0)
                               << ROCPROFILER_THREAD_TRACE_DECODER_SHADERDATA_FLAGS_PRIV;
    const rocprofiler_thread_trace_decoder_shaderdata_t data = {.time = t->time,
                                                                .value = dec_field(t, DEC_F_VALUE),
                                                                .cu = p.unit,
                                                                .simd = p.simd,
                                                                .wave_id = p.slot,
                                                                .flags = (uint8_t)flags};
    if (dec_field(t, DEC_F_MASKED) && r->header.format->data_masked) return;
    dec_run_add(r, &r->shader_data, &data);
}

static void written(dec_run_t *r, const dec_packed_t *t)
{
    const dec_moment_t m = moment(t);
    const dec_write_t write = dec_packed_write(t);
    uint64_t value = 0;
    const dec_change_t change = dec_registers_write(&r->registers, &write, &value);
    /* REG_INIT reports dispatches */
    if (change != DEC_DISPATCHED) dec_run_change(r, &m, change, value);
}

static void launch(dec_run_t *r, const dec_packed_t *t)
{
    const dec_moment_t m = moment(t);
    if (dec_registers_launch(&r->registers, t)) dec_run_change(r, &m, DEC_DISPATCHED, 0);
}

static void header(dec_run_t *r, const dec_packed_t *t)
{
    dec_header_t header = {0};
    dec_header_take(t->bits, &header);
    if (header.format == r->header.format)
        r->header = header;
    else
        r->unknown++;
}

static void take(gfx10_t *g, const dec_packed_t *t)
{
    dec_run_t *r = g->run;
    switch (t->row->type) {
    case DEC_UNKNOWN: r->unknown++; break;
    case DEC_HEADER: header(r, t); break;
    case DEC_STAMP: stamp(r, t); break;
    case DEC_STATE: misc(r, t); break;
    case DEC_WRITE: written(r, t); break;
    case DEC_LAUNCH: launch(r, t); break;
    case DEC_HAPPENED: happened(r, t); break;
    case DEC_BEGIN:
    case DEC_BEGIN_LONG: begin(r, t); break;
    case DEC_END: {
        const dec_place_t p = place(t);
        end(r, &p);
        break;
    }
    case DEC_INSTRUCTION: instruction(g, t); break;
    case DEC_VALU: vector(g, t); break;
    case DEC_IMMEDIATE:
        if (wave_of(r, dec_field(t, DEC_F_SLOT)))
            dec_wave_immediate(wave_of(r, dec_field(t, DEC_F_SLOT)), t->time);
        break;
    case DEC_IMMEDIATES: each(r, t, dec_wave_immediate, t->time); break;
    case DEC_READY:
        if (!r->header.format->ready_first) ready(r, t);
        break;
    case DEC_GOES_TO: go(r, t); break;
    case DEC_DATA:
    case DEC_DATA_SHORT: shader_data(r, t); break;
    case DEC_PAD:
    case DEC_TIME:
    case DEC_MORE:
    case DEC_UNREPORTED: break;
    }
}

void dec_run_parse_gfx10(dec_run_t *r)
{
    dec_packed_t token;
    gfx10_t g = {.run = r, .told = -1};
    const dec_format_t *format = r->header.format;
    for (const dec_kind_t *kind = format->kinds; kind->first <= kind->last; kind++)
        for (unsigned number = kind->first; number <= kind->last; number++)
            g.kinds[number] = kind;
    dec_packed_begin(&g.stream, format, r->data, r->size);
    while (r->status == DEC_SUCCESS && dec_packed_next(&g.stream, &token)) {
        dec_run_breathe(r);
        if (format->ready_first) ready_ahead(&g, &token);
        take(&g, &token);
    }
}
