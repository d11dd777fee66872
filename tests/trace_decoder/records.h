/* records.h - how tests of the decoder give it code and streams, and have its records as text.
 *
 * Apart because the tests of all GPUs' streams use it. What a record's line looks like is said here
 * and nowhere else. */
#ifndef TESTS_TRACE_DECODER_RECORDS_H
#define TESTS_TRACE_DECODER_RECORDS_H

#include "stream.h"

#include <rocprof_trace_decoder/rocprof_trace_decoder.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define STATUS(x) ROCPROFILER_THREAD_TRACE_DECODER_STATUS_##x
#define RECORD(x) ROCPROFILER_THREAD_TRACE_DECODER_RECORD_##x
#define INST(x)   ROCPROFILER_THREAD_TRACE_DECODER_INST_##x
#define EVENT(x)  ROCPROF_TRACE_DECODER_EVENT_##x

typedef rocprofiler_thread_trace_decoder_status_t status_t;
typedef rocprofiler_thread_trace_decoder_pc_t pc_t;

/* ---- code ---- */

typedef struct {
    uint64_t address;
    unsigned bytes;
    const char *text;
} line_t;

static const line_t *code;
static uint64_t code_id; /* of the code object the lines are in */
static unsigned asked;

static status_t isa(char *text, uint64_t *bytes, uint64_t *size, pc_t pc, void *user)
{
    (void)user;
    asked++;
    for (const line_t *l = code; l && l->text; l++) {
        if (l->address != pc.address || pc.code_object_id != code_id) continue;
        const uint64_t length = strlen(l->text), room = *size;
        *bytes = l->bytes;
        *size = length;
        if (length > room) return STATUS(ERROR_OUT_OF_RESOURCES);
        memcpy(text, l->text, length);
        return STATUS(SUCCESS);
    }
    return STATUS(ERROR);
}

/* ---- what comes out, as text ---- */

static char out[16384];
static size_t out_size;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    out_size += (size_t)vsnprintf(out + out_size, sizeof out - out_size, format, list);
    va_end(list);
}

static const char *const categories[] = {"none",    "smem",    "salu", "vmem", "flat",
                                         "lds",     "valu",    "jump", "next", "immed",
                                         "context", "message", "bvh"};
static const char *const states[] = {"empty", "idle", "exec", "wait", "stall"};

static void say_wave(const rocprofiler_thread_trace_decoder_wave_t *w)
{
    say("wave cu %d simd %d slot %d contexts %d: %lld to %lld\n", w->cu, w->simd, w->wave_id,
        w->contexts, (long long)w->begin_time, (long long)w->end_time);
    for (uint64_t i = 0; i < w->instructions_size; i++) {
        const rocprofiler_thread_trace_decoder_inst_t *n = &w->instructions_array[i];
        say(" %lld +%d -%u %s %llu:%llx\n", (long long)n->time, n->duration, n->stall,
            categories[n->category], (unsigned long long)n->pc.code_object_id,
            (unsigned long long)n->pc.address);
    }
    for (uint64_t i = 0; i < w->timeline_size; i++)
        say("%s %s %d", i ? "," : "", states[w->timeline_array[i].type],
            w->timeline_array[i].duration);
    if (w->timeline_size) say("\n");
}

static void say_occupancy(const rocprofiler_thread_trace_decoder_occupancy_t *o)
{
    say("%s %llu cu %d simd %d slot %d %llu:%llx%s\n", o->start ? "start" : "end",
        (unsigned long long)o->time, o->cu, o->simd, o->wave_id,
        (unsigned long long)o->pc.code_object_id, (unsigned long long)o->pc.address,
        o->is_ext ? " ext" : "");
}

static status_t answer = STATUS(SUCCESS);

static status_t take(rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                     uint64_t count, void *user)
{
    (void)user;
    if (type == RECORD(GFXIP)) {
        say("gfx%d\n", (int)(uintptr_t)records);
        return answer;
    }
    for (uint64_t i = 0; i < count; i++) {
        const rocprofiler_thread_trace_decoder_perfevent_t *p = records;
        const rocprofiler_thread_trace_decoder_realtime_t *r = records;
        const rocprofiler_thread_trace_decoder_shaderdata_t *s = records;
        const rocprofiler_thread_trace_decoder_event_t *e = records;
        const rocprofiler_thread_trace_decoder_dispatch_t *d = records;
        const rocprofiler_thread_trace_decoder_inst_other_simd_t *o = records;
        switch (type) {
        case RECORD(WAVE): say_wave((rocprofiler_thread_trace_decoder_wave_t *)records + i); break;
        case RECORD(OCCUPANCY):
            say_occupancy((rocprofiler_thread_trace_decoder_occupancy_t *)records + i);
            break;
        case RECORD(PERFEVENT):
            say("counters %lld cu %d bank %d: %u %u %u %u\n", (long long)p[i].time, p[i].CU,
                p[i].bank, p[i].events0, p[i].events1, p[i].events2, p[i].events3);
            break;
        case RECORD(REALTIME):
            say("clock %lld is %llx\n", (long long)r[i].shader_clock,
                (unsigned long long)r[i].realtime_clock);
            break;
        case RECORD(RT_FREQUENCY): say("%llu Hz\n", *(unsigned long long *)records); break;
        case RECORD(SHADERDATA):
            say("data %lld: %llx of cu %d simd %d slot %d", (long long)s[i].time,
                (unsigned long long)s[i].value, s[i].cu, s[i].simd, s[i].wave_id);
            if (s[i].flags) say(" flags %d", s[i].flags);
            say("\n");
            break;
        case RECORD(INFO): say("info %d\n", ((int *)records)[i]); break;
        case RECORD(EVENT):
            say("event %lld: %d pipe %d payload %llu at %llu", (long long)e[i].time, e[i].type,
                e[i].pipe_id, (unsigned long long)e[i].payload.raw,
                (unsigned long long)e[i].byte_offset);
            if (e[i].flags & ROCPROF_TRACE_DECODER_EVENT_FLAGS_BOP) say(" bottom");
            say("\n");
            break;
        case RECORD(DISPATCH):
            say("dispatch %lld: %ux%ux%u vgprs %u sgprs %u user %u lds %u packet %llx %llu:%llx at "
                "%llu\n",
                (long long)d[i].time, d[i].thread_dim_x, d[i].thread_dim_y, d[i].thread_dim_z,
                d[i].vgprs, d[i].sgprs, d[i].user_sgprs, d[i].lds_size,
                (unsigned long long)d[i].dispatch_pkt_addr,
                (unsigned long long)d[i].entry_point.code_object_id,
                (unsigned long long)d[i].entry_point.address, (unsigned long long)d[i].byte_offset);
            break;
        case RECORD(INST_OTHER_SIMD):
            say("other %lld: %s of %d cycles, unit %d\n", (long long)o[i].time,
                categories[o[i].category], o[i].cycles, o[i].wgp);
            break;
        default: say("record of type %d\n", type);
        }
    }
    return answer;
}

/* Gives the stream in pieces. */
static const stream_t *given;
static uint64_t given_to, piece_size;

static uint64_t give(uint8_t **buffer, uint64_t *size, void *user)
{
    static uint8_t piece[sizeof given->bytes];
    (void)user;
    *size = given->size - given_to < piece_size ? given->size - given_to : piece_size;
    memcpy(piece, given->bytes + given_to, *size);
    *buffer = piece;
    given_to += *size;
    return *size;
}

static status_t parse(const stream_t *s)
{
    given = s;
    given_to = 0;
    out_size = 0;
    *out = '\0';
    asked = 0;
    if (!piece_size) piece_size = sizeof s->bytes;
    return rocprof_trace_decoder_parse_data(give, take, isa, NULL);
}

static void expect(const stream_t *s, const char *records)
{
    assert_int_equal(parse(s), STATUS(SUCCESS));
    assert_string_equal(out, records);
}

#endif
