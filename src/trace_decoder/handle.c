/* handle.c - the public functions: texts, parses, and decoders that keep code objects.
 *
 * Decoders are kept in a list, in which every handle is looked up, so that an invalid handle is an
 * error. */
#include "disasm/disasm.h"
#include "trace_decoder/decoder.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

typedef struct {
    uint64_t id;
    dis_object_t *object;
} object_t;

typedef struct decoder {
    struct decoder *next;
    uint64_t handle;
    object_t *objects;
    size_t object_count, object_room;
    rocprof_trace_decoder_isa_callback_t isa;
    void *isa_user;
    rocprof_trace_decoder_se_data_callback_t source;
    void *source_user;
    dec_chunk_t **chunks;
    size_t chunk_count, chunk_room;
} decoder_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static decoder_t *decoders;

/* ---- version 1 ---- */

const char *rocprof_trace_decoder_get_info_string(rocprofiler_thread_trace_decoder_info_t info)
{
    switch (info) {
    case ROCPROFILER_THREAD_TRACE_DECODER_INFO_NONE: return "nothing to be said";
    case ROCPROFILER_THREAD_TRACE_DECODER_INFO_DATA_LOST:
        return "data lost: the GPU could not write all of the trace, times and instructions may be "
               "wrong; a mask of fewer shader engines or SIMDs leaves less to write";
    case ROCPROFILER_THREAD_TRACE_DECODER_INFO_STITCH_INCOMPLETE:
        return "stitch incomplete: not every instruction was found in the code";
    case ROCPROFILER_THREAD_TRACE_DECODER_INFO_WAVE_INCOMPLETE:
        return "wave incomplete: the trace ends, or its buffer was full, before a wave has ended";
    case ROCPROFILER_THREAD_TRACE_DECODER_INFO_TOKENS_UNKNOWN:
        return "unknown tokens: what some tokens, or kinds of instructions, mean is not known; "
               "times and instructions behind them may be wrong";
    default: return "unknown information";
    }
}

const char *rocprof_trace_decoder_get_status_string(dec_status_t status)
{
    switch (status) {
    case ROCPROFILER_THREAD_TRACE_DECODER_STATUS_SUCCESS: return "success";
    case ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR: return "error";
    case ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_OUT_OF_RESOURCES:
        return "out of resources: no memory, or too little room";
    case ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_INVALID_ARGUMENT: return "invalid argument";
    case ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_INVALID_SHADER_DATA:
        return "invalid shader data: no thread trace of gfx9 to gfx12";
    case ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_NOT_IMPLEMENTED:
        return "not implemented: libamd_comgr is not installed";
    default: return "unknown status";
    }
}

dec_status_t
rocprof_trace_decoder_parse_data(rocprof_trace_decoder_se_data_callback_t se_data_callback,
                                 rocprof_trace_decoder_trace_callback_t trace_callback,
                                 rocprof_trace_decoder_isa_callback_t isa_callback, void *userdata)
{
    uint8_t *data;
    uint64_t size;
    if (!se_data_callback || !trace_callback) return DEC_INVALID;
    dec_code_t code = {.callback = isa_callback, .user = userdata};
    const dec_parse_t parse = {.callback = trace_callback, .user = userdata, .code = &code};
    dec_status_t status = dec_collect(se_data_callback, userdata, &data, &size);
    if (status == DEC_SUCCESS) status = dec_parse(&parse, data, size);
    dec_code_free(&code);
    free(data);
    return status;
}

static const char *const token_names[16] = {"MISC",       "TIMESTAMP",  "REG",      "WAVE_START",
                                            "WAVE_ALLOC", "REG_CSPRIV", "WAVE_END", "EVENT",
                                            "EVENT_CS",   "EVENT_GFX1", "INST",     "INST_PC",
                                            "USERDATA",   "ISSUE",      "PERF",     "REG_CS"};

typedef rocprofiler_thread_trace_decoder_debug_callback_t debug_callback_t;

/* Writes the bits after the last whole token, so that the lines account for every bit of the
 * trace. */
static void dump_rest(uint64_t at, uint64_t left, const char *unit, int64_t time,
                      debug_callback_t callback, void *user)
{
    char text[96];
    snprintf(text, sizeof text, "%s %llu: %llu %ss that are no whole token", unit,
             (unsigned long long)at, (unsigned long long)left, unit);
    if (left) callback(time, "REST", text, user);
}

static void dump_bytes(const uint8_t *data, uint64_t size, debug_callback_t callback, void *user)
{
    char text[64];
    dec_token_t token;
    dec_stream_t stream = {.data = data, .size = size, .at = DEC_HEADER_BYTES};
    while (dec_stream_next(&stream, &token)) {
        snprintf(text, sizeof text, "byte %llu: 0x%llx", (unsigned long long)token.at,
                 (unsigned long long)token.bits);
        callback(token.time, token_names[token.type], text, user);
    }
    dump_rest(stream.at, size - stream.at, "byte", stream.now, callback, user);
}

static void dump_packed(const dec_format_t *format, const uint8_t *data, uint64_t size,
                        debug_callback_t callback, void *user)
{
    char text[96];
    dec_packed_t token;
    dec_packed_stream_t stream;
    dec_packed_begin(&stream, format, data, size);
    while (dec_packed_next(&stream, &token)) {
        snprintf(text, sizeof text, "bit %llu, %u bits: 0x%llx", (unsigned long long)token.at,
                 token.row->bits, (unsigned long long)token.bits);
        callback(token.time, token.row->name, text, user);
    }
    dump_rest(stream.at, stream.size - stream.at, "bit", stream.now, callback, user);
}

dec_status_t rocprof_trace_decoder_dump_data(const char *data, uint64_t data_size,
                                             rocprofiler_thread_trace_decoder_debug_callback_t cb,
                                             void *userdata)
{
    dec_header_t header;
    const uint8_t *bytes = (const uint8_t *)data;
    if (!data || !cb) return DEC_INVALID;
    if (!dec_header_read(bytes, data_size, &header)) return DEC_NO_TRACE;
    if (header.format->bytes)
        dump_bytes(bytes, data_size, cb, userdata);
    else
        dump_packed(header.format, bytes, data_size, cb, userdata);
    return DEC_SUCCESS;
}

/* ---- version 2 ---- */

static decoder_t *find(rocprof_trace_decoder_handle_t handle)
{
    pthread_mutex_lock(&lock);
    decoder_t *d = decoders;
    while (d && d->handle != handle.handle)
        d = d->next;
    pthread_mutex_unlock(&lock);
    return d;
}

dec_status_t rocprof_trace_decoder_create_handle(rocprof_trace_decoder_handle_t *handle)
{
    static uint64_t last;
    if (!handle) return DEC_INVALID;
    decoder_t *d = calloc(1, sizeof *d);
    if (!d) return DEC_NO_MEMORY;
    pthread_mutex_lock(&lock);
    d->handle = ++last;
    d->next = decoders;
    decoders = d;
    pthread_mutex_unlock(&lock);
    handle->handle = d->handle;
    return DEC_SUCCESS;
}

static void free_chunk(dec_chunk_t *chunk)
{
    dec_chunk_free(chunk);
    free(chunk);
}

dec_status_t rocprof_trace_decoder_destroy_handle(rocprof_trace_decoder_handle_t handle)
{
    pthread_mutex_lock(&lock);
    decoder_t **link = &decoders;
    while (*link && (*link)->handle != handle.handle)
        link = &(*link)->next;
    decoder_t *d = *link;
    if (d) *link = d->next;
    pthread_mutex_unlock(&lock);
    if (!d) return DEC_INVALID;
    for (size_t i = 0; i < d->object_count; i++)
        dis_object_close(d->objects[i].object);
    for (size_t i = 0; i < d->chunk_count; i++)
        free_chunk(d->chunks[i]);
    free(d->objects);
    free(d->chunks);
    free(d);
    return DEC_SUCCESS;
}

static object_t *object_of(decoder_t *d, uint64_t id)
{
    for (size_t i = 0; i < d->object_count; i++)
        if (d->objects[i].id == id) return &d->objects[i];
    return NULL;
}

dec_status_t rocprof_trace_decoder_codeobj_load(rocprof_trace_decoder_handle_t handle,
                                                uint64_t load_id, uint64_t load_addr,
                                                uint64_t load_size, const void *data,
                                                uint64_t data_size)
{
    decoder_t *d = find(handle);
    dis_object_t *object;
    (void)load_addr, (void)load_size; /* the trace itself says where it was loaded */
    if (!d || !data || object_of(d, load_id)) return DEC_INVALID;
    if (!dis_available()) return ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_NOT_IMPLEMENTED;
    const dis_status_t status = dis_object_open(data, data_size, &object);
    if (status) return status == DIS_NO_MEMORY ? DEC_NO_MEMORY : DEC_INVALID;
    if (!BASE_GROW(d->objects, d->object_count, &d->object_room)) {
        dis_object_close(object);
        return DEC_NO_MEMORY;
    }
    d->objects[d->object_count++] = (object_t){load_id, object};
    return DEC_SUCCESS;
}

dec_status_t rocprof_trace_decoder_codeobj_unload(rocprof_trace_decoder_handle_t handle,
                                                  uint64_t load_id)
{
    decoder_t *d = find(handle);
    object_t *o = d ? object_of(d, load_id) : NULL;
    if (!o) return DEC_INVALID;
    dis_object_close(o->object);
    *o = d->objects[--d->object_count];
    return DEC_SUCCESS;
}

dec_status_t rocprof_trace_decoder_set_isa_callback(rocprof_trace_decoder_handle_t handle,
                                                    rocprof_trace_decoder_isa_callback_t callback,
                                                    void *userdata)
{
    decoder_t *d = find(handle);
    if (!d) return DEC_INVALID;
    d->isa = callback;
    d->isa_user = userdata;
    return DEC_SUCCESS;
}

dec_status_t
rocprof_trace_decoder_set_se_data_callback(rocprof_trace_decoder_handle_t handle,
                                           rocprof_trace_decoder_se_data_callback_t callback,
                                           void *userdata)
{
    decoder_t *d = find(handle);
    if (!d) return DEC_INVALID;
    d->source = callback;
    d->source_user = userdata;
    return DEC_SUCCESS;
}

/* The callback for instructions, which reads the code objects that the decoder keeps. */
static dec_status_t disassemble(char *instruction, uint64_t *memory_size, uint64_t *size,
                                dec_pc_t address, void *userdata)
{
    object_t *o = object_of(userdata, address.code_object_id);
    if (!o) return DEC_INVALID;
    const size_t length =
        dis_object_text(o->object, address.address, instruction, *size, memory_size);
    if (!length) return DEC_INVALID;
    const bool fits = length < *size;
    *size = fits ? length : length + 1;
    return fits ? DEC_SUCCESS : DEC_NO_MEMORY;
}

dec_status_t rocprof_trace_decoder_parse(rocprof_trace_decoder_handle_t handle, const void *data,
                                         uint64_t data_size,
                                         rocprof_trace_decoder_trace_callback_t trace_callback,
                                         void *userdata)
{
    decoder_t *d = find(handle);
    uint8_t *collected = NULL;
    dec_status_t status = DEC_SUCCESS;
    if (!d || !trace_callback || (!d->source && !data)) return DEC_INVALID;
    dec_code_t code = {.callback = d->isa            ? d->isa
                                   : d->object_count ? disassemble
                                                     : NULL,
                       .user = d->isa ? d->isa_user : d};
    const dec_parse_t parse = {
        .callback = trace_callback, .user = userdata, .code = &code, .second = true};
    if (d->source) status = dec_collect(d->source, d->source_user, &collected, &data_size);
    if (status == DEC_SUCCESS) status = dec_parse(&parse, d->source ? collected : data, data_size);
    dec_code_free(&code);
    free(collected);
    return status;
}

/* ---- pieces ---- */

static dec_chunk_t **chunk_of(decoder_t *d, uint64_t index)
{
    for (size_t i = 0; i < d->chunk_count; i++)
        if (d->chunks[i]->index == index) return &d->chunks[i];
    return NULL;
}

dec_status_t rocprof_trace_decoder_quick_scan(rocprof_trace_decoder_handle_t handle,
                                              uint64_t chunk_index, const void *data,
                                              uint64_t data_size,
                                              rocprof_trace_decoder_trace_callback_t trace_callback,
                                              void *userdata)
{
    decoder_t *d = find(handle);
    if (!d || !data || !trace_callback) return DEC_INVALID;
    dec_chunk_t **before = chunk_index ? chunk_of(d, chunk_index - 1) : NULL;
    if (chunk_of(d, chunk_index) || (chunk_index && !before)) return DEC_INVALID;
    dec_chunk_t *chunk = calloc(1, sizeof *chunk);
    if (!chunk || !BASE_GROW(d->chunks, d->chunk_count, &d->chunk_room)) {
        free(chunk);
        return DEC_NO_MEMORY;
    }
    const dec_parse_t parse = {.callback = trace_callback, .user = userdata, .second = true};
    dec_status_t status = DEC_SUCCESS;
    chunk->index = chunk_index;
    if (before) {
        chunk->header = (*before)->header;
        status = dec_registers_copy(&chunk->before, &(*before)->after);
    }
    if (status == DEC_SUCCESS) status = dec_scan(chunk, data, data_size, &parse);
    if (status == DEC_SUCCESS)
        d->chunks[d->chunk_count++] = chunk;
    else
        free_chunk(chunk);
    return status;
}

dec_status_t rocprof_trace_decoder_flush_chunk(rocprof_trace_decoder_handle_t handle,
                                               uint64_t chunk_index)
{
    decoder_t *d = find(handle);
    dec_chunk_t **chunk = d ? chunk_of(d, chunk_index) : NULL;
    if (!chunk) return DEC_INVALID;
    free_chunk(*chunk);
    *chunk = d->chunks[--d->chunk_count];
    return DEC_SUCCESS;
}

dec_status_t rocprof_trace_decoder_build_standalone(rocprof_trace_decoder_handle_t handle,
                                                    uint64_t chunk_index, const void *data,
                                                    uint64_t data_size, uint64_t offset_begin,
                                                    uint64_t offset_end, void *data_out,
                                                    uint64_t *size_out)
{
    decoder_t *d = find(handle);
    dec_chunk_t **chunk = d ? chunk_of(d, chunk_index) : NULL;
    const uint64_t first = chunk_index ? 0 : DEC_HEADER_BYTES;
    if (!chunk || !data || !size_out || data_size != (*chunk)->size || offset_end > data_size ||
        offset_begin > offset_end || offset_begin < first)
        return DEC_INVALID;
    return dec_cut(*chunk, data, offset_begin, offset_end, data_out, size_out);
}
