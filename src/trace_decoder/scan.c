/* scan.c - parts of long traces: scans a part for its dispatches and code objects.
 *
 * It is apart from the parse because a scan handles only registers and computes no times, so that
 * it is fast enough for traces that are too long to parse. cut.c makes a trace of a range of a
 * part. */
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

dec_stream_t dec_chunk_stream(const dec_chunk_t *chunk, const uint8_t *data, uint64_t size)
{
    return (dec_stream_t){
        .data = data, .size = size, .at = chunk->index ? 0 : DEC_HEADER_BYTES, .untimed = true};
}

static dec_status_t tell(const dec_parse_t *parse, const dec_registers_t *registers,
                         const dec_moment_t *at, dec_change_t change, uint64_t value)
{
    if (change == DEC_LOST_MEMORY) return DEC_NO_MEMORY;
    if (change == DEC_DISPATCHED) {
        rocprofiler_thread_trace_decoder_dispatch_t d =
            dec_dispatch(registers, at->engine, at->pipe);
        d.byte_offset = at->at;
        return parse->callback(RECORD(DISPATCH), &d, 1, parse->user);
    }
    rocprofiler_thread_trace_decoder_event_t event = {
        .size = sizeof event, .me_id = at->engine, .pipe_id = at->pipe, .byte_offset = at->at};
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

static dec_status_t scan_bytes(dec_chunk_t *chunk, const uint8_t *data, uint64_t size,
                               const dec_parse_t *parse)
{
    dec_token_t token;
    dec_status_t status = DEC_SUCCESS;
    dec_stream_t stream = dec_chunk_stream(chunk, data, size);
    while (status == DEC_SUCCESS && dec_stream_next(&stream, &token)) {
        uint64_t value = 0;
        const dec_change_t change = dec_registers_take(&chunk->after, &token, &value);
        if (change == DEC_NOTHING) continue;
        unsigned engine, pipe;
        dec_token_pipe(&token, &engine, &pipe);
        const dec_moment_t at = {.at = token.at, .engine = (uint8_t)engine, .pipe = (uint8_t)pipe};
        status = tell(parse, &chunk->after, &at, change, value);
    }
    return status;
}

/* Scans a part, which begins where the part before has ended, between two tokens. */
static dec_status_t scan_packed(dec_chunk_t *chunk, const uint8_t *data, uint64_t size,
                                const dec_parse_t *parse)
{
    dec_packed_t token;
    dec_packed_stream_t stream;
    dec_status_t status = DEC_SUCCESS;
    dec_packed_begin(&stream, chunk->header.format, data, size);
    while (status == DEC_SUCCESS && dec_packed_next(&stream, &token)) {
        uint64_t value = 0;
        const dec_write_t write = dec_packed_write(&token);
        dec_change_t change =
            dec_registers_launch(&chunk->after, &token) ? DEC_DISPATCHED : DEC_NOTHING;
        if (token.row->type == DEC_WRITE) {
            change = dec_registers_write(&chunk->after, &write, &value);
            if (change == DEC_DISPATCHED) continue; /* REG_INIT reports dispatches */
        }
        if (change == DEC_NOTHING) continue;
        const dec_moment_t at = {.at = token.at / 8, .engine = write.engine, .pipe = write.pipe};
        status = tell(parse, &chunk->after, &at, change, value);
    }
    return status;
}

dec_status_t dec_scan(dec_chunk_t *chunk, const uint8_t *data, uint64_t size,
                      const dec_parse_t *parse)
{
    dec_status_t status = dec_registers_copy(&chunk->after, &chunk->before);
    if (status == DEC_SUCCESS && !chunk->index && !dec_header_read(data, size, &chunk->header))
        status = DEC_NO_TRACE;
    if (status != DEC_SUCCESS) return status;
    const dec_format_t *format = chunk->before.format = chunk->after.format = chunk->header.format;
    chunk->size = size;
    if (!chunk->index)
        status =
            parse->callback(RECORD(GFXIP), (void *)(uintptr_t)format->generation, 0, parse->user);
    if (status != DEC_SUCCESS) return status;
    return (format->bytes ? scan_bytes : scan_packed)(chunk, data, size, parse);
}
