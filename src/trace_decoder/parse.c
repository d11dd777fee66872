/* parse.c - decodes a whole trace, and passes complete records to the callback.
 *
 * It is apart from parse_gfx9.c and parse_gfx10.c, which handle the tokens, because records are the
 * same for all GPUs; and from handle.c because both versions of the interface use it. Records are
 * passed in this order: the generation; waves, dispatches and events in the order of the trace;
 * arrays of all other records; then information on the whole trace, such as lost data. */
#include "trace_decoder/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define RECORD(x) ROCPROFILER_THREAD_TRACE_DECODER_RECORD_##x
#define EVENT(x)  ROCPROF_TRACE_DECODER_EVENT_##x
#define INFO(x)   ROCPROFILER_THREAD_TRACE_DECODER_INFO_##x

enum { BATCH = 65536 /* records of a type that are passed together */ };

/* ---- records ---- */

void dec_run_send(dec_run_t *r, rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                  uint64_t count)
{
    if (r->status == DEC_SUCCESS && (count || type == RECORD(GFXIP)))
        r->status = r->to->callback(type, records, count, r->to->user);
}

static void flush(dec_run_t *r, dec_list_t *l)
{
    dec_run_send(r, l->type, l->items, l->count);
    l->count = 0;
}

void dec_run_add(dec_run_t *r, dec_list_t *l, const void *item)
{
    if (l->count == BATCH) flush(r, l);
    if (!base_grow(&l->items, l->count, &l->room, l->size)) {
        r->status = DEC_NO_MEMORY;
        return;
    }
    memcpy((char *)l->items + l->count++ * l->size, item, l->size);
}

void dec_run_event(dec_run_t *r, const dec_moment_t *m,
                   rocprofiler_thread_trace_decoder_event_type_t type, uint64_t payload)
{
    if (!r->to->second) return;
    rocprofiler_thread_trace_decoder_event_t event = {.size = sizeof event,
                                                      .time = m->time,
                                                      .type = type,
                                                      .me_id = m->engine,
                                                      .pipe_id = m->pipe,
                                                      .flags = m->flags,
                                                      .payload.raw = payload,
                                                      .byte_offset = m->at};
    if (type == EVENT(CODE_OBJECT_LOAD) || type == EVENT(CODE_OBJECT_UNLOAD))
        event.flags = ROCPROF_TRACE_DECODER_EVENT_FLAGS_PER_PIPE;
    dec_run_send(r, RECORD(EVENT), &event, 1);
}

void dec_run_wave(dec_run_t *r, dec_wave_t *w)
{
    if (r->status == DEC_SUCCESS) {
        const size_t missing =
            dec_stitch(w, r->to->code, &r->registers, r->header.barriers_missing);
        if (missing == SIZE_MAX || w->lost) r->status = DEC_NO_MEMORY;
        if (!w->over && !w->was_trapped) r->unfinished = true;
        /* if no code of the wave is known, missing addresses do not mean an error */
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
    dec_run_send(r, RECORD(WAVE), &wave, 1);
    dec_wave_free(w);
}

static void add_occupancy(dec_run_t *r, dec_list_t *to, const dec_place_t *p, uint64_t entry,
                          bool start)
{
    rocprofiler_thread_trace_decoder_occupancy_t o = {
        .pc = {entry, 0}, /* replaced by code object and offset before it is passed */
        .time = to == &r->early ? 0 : (uint64_t)p->time,
        .cu = p->unit,
        .simd = p->simd,
        .wave_id = p->slot,
        .start = start};
    if (r->to->second && start) {
        o.pipe_id = p->pipe & 15u;
        o.me_id = p->engine & 7u;
        o.is_ext = p->grouped;
        o.workgroup_id = p->group & 127u;
    }
    dec_run_add(r, to, &o);
}

void dec_run_occupancy(dec_run_t *r, const dec_place_t *p, uint64_t entry, bool start)
{
    add_occupancy(r, &r->occupancy, p, entry, start);
}

void dec_run_early(dec_run_t *r, const dec_place_t *p)
{
    add_occupancy(r, &r->early, p, 0, true);
}

static void flush_occupancy(dec_run_t *r)
{
    rocprofiler_thread_trace_decoder_occupancy_t *o = r->occupancy.items;
    for (size_t i = 0; i < r->occupancy.count; i++)
        if (!o[i].pc.code_object_id && o[i].pc.address)
            o[i].pc = dec_place(&r->registers, o[i].pc.address);
    flush(r, &r->early);
    flush(r, &r->occupancy);
}

void dec_run_breathe(dec_run_t *r)
{
    if (r->occupancy.count == BATCH) flush_occupancy(r);
}

void dec_run_change(dec_run_t *r, const dec_moment_t *m, dec_change_t change, uint64_t value)
{
    switch (change) {
    case DEC_LOADED: dec_run_event(r, m, EVENT(CODE_OBJECT_LOAD), value); break;
    case DEC_UNLOADED: dec_run_event(r, m, EVENT(CODE_OBJECT_UNLOAD), value); break;
    case DEC_FLUSHED: dec_run_event(r, m, EVENT(CS_PARTIAL_FLUSH), 0); break;
    case DEC_REALTIME:
        dec_run_add(r, &r->clocks,
                    &(rocprofiler_thread_trace_decoder_realtime_t){.shader_clock = m->time,
                                                                   .realtime_clock = value});
        break;
    case DEC_DISPATCHED:
        if (r->to->second) {
            rocprofiler_thread_trace_decoder_dispatch_t d =
                dec_dispatch(&r->registers, m->engine, m->pipe);
            d.time = m->time;
            d.byte_offset = m->at;
            dec_run_send(r, RECORD(DISPATCH), &d, 1);
        }
        break;
    case DEC_LOST_MEMORY: r->status = DEC_NO_MEMORY; break;
    case DEC_NOTHING:
    case DEC_FREQUENCY: break;
    }
}

/* ---- a trace ---- */

static void finish(dec_run_t *r)
{
    for (unsigned i = 0; i < DEC_SIMDS * DEC_SLOTS_MAX; i++)
        if (r->wave[i / DEC_SLOTS_MAX][i % DEC_SLOTS_MAX])
            dec_run_wave(r, r->wave[i / DEC_SLOTS_MAX][i % DEC_SLOTS_MAX]);
    flush_occupancy(r);
    flush(r, &r->clocks);
    if (r->registers.clock_hertz)
        dec_run_send(r, RECORD(RT_FREQUENCY), &r->registers.clock_hertz, 1);
    flush(r, &r->shader_data);
    flush(r, &r->counters);
    flush(r, &r->others);
    const struct {
        bool said;
        rocprofiler_thread_trace_decoder_info_t info;
    } infos[] = {{r->lost, INFO(DATA_LOST)},
                 {r->unplaced, INFO(STITCH_INCOMPLETE)},
                 {r->unfinished, INFO(WAVE_INCOMPLETE)},
                 {r->unknown, INFO(TOKENS_UNKNOWN)}};
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        rocprofiler_thread_trace_decoder_info_t info = infos[i].info;
        if (infos[i].said) dec_run_send(r, RECORD(INFO), &info, 1);
    }
}

dec_status_t dec_parse(const dec_parse_t *parse, const uint8_t *data, uint64_t size)
{
    dec_run_t *r = calloc(1, sizeof *r);
    if (!r) return DEC_NO_MEMORY;
    r->to = parse;
    r->data = data;
    r->size = size;
    dec_list_t *const lists[] = {&r->early,       &r->occupancy, &r->counters,
                                 &r->shader_data, &r->clocks,    &r->others};
    r->early = r->occupancy = (dec_list_t){
        .type = RECORD(OCCUPANCY), .size = sizeof(rocprofiler_thread_trace_decoder_occupancy_t)};
    r->counters = (dec_list_t){.type = RECORD(PERFEVENT),
                               .size = sizeof(rocprofiler_thread_trace_decoder_perfevent_t)};
    r->shader_data = (dec_list_t){.type = RECORD(SHADERDATA),
                                  .size = sizeof(rocprofiler_thread_trace_decoder_shaderdata_t)};
    r->clocks = (dec_list_t){.type = RECORD(REALTIME),
                             .size = sizeof(rocprofiler_thread_trace_decoder_realtime_t)};
    r->others = (dec_list_t){.type = RECORD(INST_OTHER_SIMD),
                             .size = sizeof(rocprofiler_thread_trace_decoder_inst_other_simd_t)};
    if (!dec_header_read(data, size, &r->header)) {
        free(r);
        return DEC_NO_TRACE;
    }
    const dec_format_t *format = r->registers.format = r->header.format;
    dec_run_send(r, RECORD(GFXIP), (void *)(uintptr_t)format->generation, 0);
    format->parse(r);
    finish(r);
    const dec_status_t status = r->status;
    dec_registers_free(&r->registers);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->items);
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
        if (!piece || bytes > SIZE_MAX - *size || !BASE_RESIZE(*data, *size + bytes)) {
            free(*data);
            *data = NULL;
            return piece ? DEC_NO_MEMORY : DEC_INVALID;
        }
        memcpy(*data + *size, piece, bytes);
        *size += bytes;
    }
}
