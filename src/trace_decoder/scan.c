/* scan.c - parts of long traces: a quick look at what happens in a part, and cutting a part out as
 * a trace of its own.
 *
 * Apart from the parse because a scan looks at registers alone and computes no times, so that it is
 * fast enough for traces too long to parse; and because cutting needs what the scan has found. */
#include "trace_decoder/decoder.h"

#include <stdlib.h>
#include <string.h>

#define RECORD(x) ROCPROFILER_THREAD_TRACE_DECODER_RECORD_##x
#define EVENT(x)  ROCPROF_TRACE_DECODER_EVENT_##x

void dec_chunk_free(dec_chunk_t *chunk)
{
    dec_registers_free(&chunk->before);
    dec_registers_free(&chunk->after);
}

static dec_stream_t stream_of(const dec_chunk_t *chunk, const uint8_t *data, uint64_t size)
{
    return (dec_stream_t){
        .data = data, .size = size, .at = chunk->index ? 0 : DEC_HEADER_BYTES, .untimed = true};
}

static dec_status_t tell(const dec_parse_t *parse, const dec_registers_t *registers,
                         const dec_token_t *token, dec_change_t change, uint64_t value)
{
    unsigned engine, pipe;
    dec_token_pipe(token, &engine, &pipe);
    if (change == DEC_DISPATCHED) {
        rocprofiler_thread_trace_decoder_dispatch_t d = dec_dispatch(registers, engine, pipe);
        d.byte_offset = token->at;
        return parse->callback(RECORD(DISPATCH), &d, 1, parse->user);
    }
    rocprofiler_thread_trace_decoder_event_t event = {.size = sizeof event,
                                                      .me_id = (uint8_t)engine,
                                                      .pipe_id = (uint8_t)pipe,
                                                      .byte_offset = token->at};
    switch (change) {
    case DEC_FLUSHED: event.type = EVENT(CS_PARTIAL_FLUSH); break;
    case DEC_LOADED: event.type = EVENT(CODE_OBJECT_LOAD); break;
    case DEC_UNLOADED: event.type = EVENT(CODE_OBJECT_UNLOAD); break;
    default: return DEC_SUCCESS;
    }
    if (change != DEC_FLUSHED) {
        event.payload.code_object_id = value;
        event.flags = ROCPROF_TRACE_DECODER_EVENT_FLAGS_PER_PIPE;
    }
    return parse->callback(RECORD(EVENT), &event, 1, parse->user);
}

dec_status_t dec_scan(dec_chunk_t *chunk, const uint8_t *data, uint64_t size,
                      const dec_parse_t *parse)
{
    enum { GENERATION = 9 };
    dec_token_t token;
    dec_status_t status = dec_registers_copy(&chunk->after, &chunk->before);
    if (status == DEC_SUCCESS && !chunk->index && !dec_header_read(data, size, &chunk->header))
        status = DEC_NO_TRACE;
    if (status == DEC_SUCCESS && !chunk->index)
        status = parse->callback(RECORD(GFXIP), (void *)(uintptr_t)GENERATION, 0, parse->user);
    chunk->size = size;
    dec_stream_t stream = stream_of(chunk, data, size);
    while (status == DEC_SUCCESS && dec_stream_next(&stream, &token)) {
        uint64_t value = 0;
        const dec_change_t change = dec_registers_take(&chunk->after, &token, &value);
        if (change == DEC_LOST_MEMORY) status = DEC_NO_MEMORY;
        if (status == DEC_SUCCESS && change != DEC_NOTHING)
            status = tell(parse, &chunk->after, &token, change, value);
    }
    return status;
}

/* ---- cutting out ---- */

/* Writes while there is room, and counts all bytes, so that the caller learns the size needed. */
typedef struct {
    uint8_t *out;
    uint64_t size, room;
} writer_t;

static void put(writer_t *w, const void *bytes, uint64_t n)
{
    if (w->size <= w->room && n <= w->room - w->size) memcpy(w->out + w->size, bytes, n);
    w->size += n;
}

static void put_mark(writer_t *w, uint32_t word)
{
    const uint64_t token =
        DEC_REG | 1u << 7 | 3u << 10 | 1u << 15 | UINT64_C(0xc342) << 16 | (uint64_t)word << 32;
    put(w, &token, 8);
}

static void put_register(writer_t *w, unsigned engine, unsigned pipe, unsigned number,
                         uint32_t value)
{
    const uint64_t raw_engine = engine ? 0 : 1;
    const uint64_t token = DEC_REG_CS | (uint64_t)pipe << 5 | raw_engine << 7 |
                           (uint64_t)number << 9 | (uint64_t)value << 16;
    put(w, &token, 6);
}

static void put_ranges(writer_t *w, const dec_registers_t *r)
{
    enum { FIELD = 4, TAIL = 0, BEFORE = 2 };
    static const uint32_t fields[] = {1, 4, 2, 3, 5, 6}; /* sizes, addresses, ids */
    for (size_t i = 0; i < r->range_count; i++) {
        const dec_range_t *range = &r->ranges[i];
        if (!range->loaded) continue;
        const uint32_t words[] = {(uint32_t)range->size,    (uint32_t)(range->size >> 32),
                                  (uint32_t)range->address, (uint32_t)(range->address >> 32),
                                  (uint32_t)range->id,      (uint32_t)(range->id >> 32)};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            put_mark(w, FIELD | fields[k] << 8);
            put_mark(w, words[k]);
        }
        put_mark(w, FIELD | TAIL << 8);
        put_mark(w, BEFORE);
    }
}

/* Writes tokens that set the registers, as if they had just been written. */
static void put_state(writer_t *w, const dec_registers_t *r)
{
    enum { OP_AGENT = 6 };
    const uint32_t start = 0x434f5200, version = 524801;
    if (r->rocm) {
        put_mark(w, start);
        put_mark(w, version);
        put_mark(w, OP_AGENT | (uint32_t)(r->clock_hertz / 1000) << 12);
        put_mark(w, OP_AGENT | 1 << 8 | (uint32_t)r->counter_interval << 12);
        put_ranges(w, r);
    }
    for (unsigned i = 0; i < DEC_ENGINES * DEC_PIPES; i++) {
        const unsigned engine = i / DEC_PIPES, pipe = i % DEC_PIPES;
        const dec_pipe_t *p = &r->pipe[engine][pipe];
        const struct {
            unsigned number;
            uint32_t value;
        } values[] = {{0x07, p->threads[0]},
                      {0x08, p->threads[1]},
                      {0x09, p->threads[2]},
                      {0x0e, (uint32_t)p->packet},
                      {0x0f, (uint32_t)(p->packet >> 32)},
                      {0x0c, (uint32_t)(p->entry >> 8)},
                      {0x0d, (uint32_t)(p->entry >> 40)},
                      {0x12, p->rsrc1},
                      {0x13, p->rsrc2}};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            if (values[k].value) put_register(w, engine, pipe, values[k].number, values[k].value);
    }
}

dec_status_t dec_cut(const dec_chunk_t *chunk, const uint8_t *data, uint64_t begin, uint64_t end,
                     uint8_t *out, uint64_t *size)
{
    dec_registers_t registers;
    dec_token_t token;
    const uint64_t header = 0x11 | 4u << 13 | 0xfu << 16 | (uint64_t)chunk->header.unit << 20 |
                            (uint64_t)chunk->header.engine << 26;
    dec_status_t status = dec_registers_copy(&registers, &chunk->before);
    dec_stream_t stream = stream_of(chunk, data, end);
    while (status == DEC_SUCCESS && stream.at < begin && dec_stream_next(&stream, &token)) {
        uint64_t value;
        if (stream.at <= begin && dec_registers_take(&registers, &token, &value) == DEC_LOST_MEMORY)
            status = DEC_NO_MEMORY;
    }
    if (status == DEC_SUCCESS && stream.at != begin) status = DEC_INVALID;
    while (status == DEC_SUCCESS && stream.at < end && dec_stream_next(&stream, &token)) {
    }
    if (status == DEC_SUCCESS && stream.at != end) status = DEC_INVALID;
    if (status == DEC_SUCCESS) {
        writer_t w = {.out = out, .room = out ? *size : 0};
        put(&w, &header, sizeof header);
        put_state(&w, &registers);
        put(&w, data + begin, end - begin);
        if (w.size > w.room) status = DEC_NO_MEMORY;
        *size = w.size;
    }
    dec_registers_free(&registers);
    return status;
}
