/* librocprof-trace-decoder: thread traces of a GPU's shader engines, as records of waves,
 * instructions and events. This implementation reads the traces of gfx9.
 *
 * Functions may be called from any thread, those of one handle from one at a time. Callbacks run on
 * the thread that called. Version 1: parse_data, dump_data and the texts; version 2: the rest. */
#ifndef ROCPROF_TRACE_DECODER_H_
#define ROCPROF_TRACE_DECODER_H_

#include <rocprof_trace_decoder/trace_decoder_types.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROCPROF_TRACE_DECODER_API __attribute__((visibility("default")))

/** Gets an array of trace_size records, valid during the call. Of GFXIP the pointer itself is the
 * number of the GPU's generation; RT_FREQUENCY points to a uint64_t, in Hz; INFO to values of
 * rocprofiler_thread_trace_decoder_info_t. Any answer but SUCCESS ends the parse with it. */
typedef rocprofiler_thread_trace_decoder_status_t (*rocprof_trace_decoder_trace_callback_t)(
    rocprofiler_thread_trace_decoder_record_type_t record_type_id, void *trace_events,
    uint64_t trace_size, void *userdata);

/** Writes the text of the instruction at `address`, its bytes to *memory_size, and the length of
 * the text to *size, which says at first how many bytes there is room for. If they do not suffice
 * it writes how many would, and answers ERROR_OUT_OF_RESOURCES: it is called again. Any other
 * answer but SUCCESS: nothing is known of the address. */
typedef rocprofiler_thread_trace_decoder_status_t (*rocprof_trace_decoder_isa_callback_t)(
    char *instruction, uint64_t *memory_size, uint64_t *size,
    rocprofiler_thread_trace_decoder_pc_t address, void *userdata);

/** Gives the next piece of a trace: where it is, and its bytes, which are also what it answers. 0
 * ends the trace. A piece has to last until the next call. */
typedef uint64_t (*rocprof_trace_decoder_se_data_callback_t)(uint8_t **buffer,
                                                             uint64_t *buffer_size, void *userdata);

/** Gets a line for each token: when, which, and what is in it. */
typedef void (*rocprofiler_thread_trace_decoder_debug_callback_t)(int64_t time, const char *type,
                                                                  const char *info, void *userdata);

/** Decodes the trace of one shader engine, the word of its GPU in front. Emits the records that
 * version 1 has.
 * @retval ..._ERROR_INVALID_ARGUMENT a null callback (isa_callback may be one: no instruction is
 * given its place in the code then)
 * @retval ..._ERROR_INVALID_SHADER_DATA no trace of a GPU that this decoder reads
 * @retval ..._ERROR_OUT_OF_RESOURCES no memory */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_parse_data(rocprof_trace_decoder_se_data_callback_t se_data_callback,
                                 rocprof_trace_decoder_trace_callback_t trace_callback,
                                 rocprof_trace_decoder_isa_callback_t isa_callback, void *userdata);

/** What the value means; a text for values that mean nothing, too. Never null. */
ROCPROF_TRACE_DECODER_API const char *
rocprof_trace_decoder_get_info_string(rocprofiler_thread_trace_decoder_info_t info);
ROCPROF_TRACE_DECODER_API const char *
rocprof_trace_decoder_get_status_string(rocprofiler_thread_trace_decoder_status_t status);

/** Lists the tokens of a trace, the word of its GPU in front. Answers as parse_data does. */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t rocprof_trace_decoder_dump_data(
    const char *data, uint64_t data_size, rocprofiler_thread_trace_decoder_debug_callback_t cb,
    void *userdata);

/** A decoder that keeps code objects and what a trace has told so far. */
typedef struct rocprof_trace_decoder_handle_t {
    uint64_t handle;
} rocprof_trace_decoder_handle_t;

/* All functions below answer ERROR_INVALID_ARGUMENT to a handle that is none. */

/** Makes a decoder, to be given to destroy_handle(). */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_create_handle(rocprof_trace_decoder_handle_t *handle);
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_destroy_handle(rocprof_trace_decoder_handle_t handle);

/** Gives it a code object, an ELF file, which it copies: `load_id` is what pc_t::code_object_id
 * has, load_addr and load_size where it is in the GPU's memory.
 * @retval ..._ERROR_NOT_IMPLEMENTED libamd_comgr, whose disassembler is used, is not installed
 * @retval ..._ERROR_INVALID_ARGUMENT no ELF file of such a GPU, or an id that is taken */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_codeobj_load(rocprof_trace_decoder_handle_t handle, uint64_t load_id,
                                   uint64_t load_addr, uint64_t load_size, const void *data,
                                   uint64_t data_size);
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_codeobj_unload(rocprof_trace_decoder_handle_t handle, uint64_t load_id);

/** Has another disassembler asked; NULL: its own. */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_set_isa_callback(rocprof_trace_decoder_handle_t handle,
                                       rocprof_trace_decoder_isa_callback_t callback,
                                       void *userdata);

/** Has traces read from a callback; NULL: what parse() is given. */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_set_se_data_callback(rocprof_trace_decoder_handle_t handle,
                                           rocprof_trace_decoder_se_data_callback_t callback,
                                           void *userdata);

/** Decodes a trace as parse_data() does, with the records of version 2. */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t rocprof_trace_decoder_parse(
    rocprof_trace_decoder_handle_t handle, const void *data, uint64_t data_size,
    rocprof_trace_decoder_trace_callback_t trace_callback, void *userdata);

/** Looks through a piece of a long trace for dispatches and events alone. Pieces are numbered from
 * 0, which has the word of the GPU, and scanned in order: a piece begins where the one before
 * ended, and knows what that had seen.
 * @retval ..._ERROR_INVALID_ARGUMENT the piece before has not been scanned */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_quick_scan(rocprof_trace_decoder_handle_t handle, uint64_t chunk_index,
                                 const void *data, uint64_t data_size,
                                 rocprof_trace_decoder_trace_callback_t trace_callback,
                                 void *userdata);

/** Forgets what is kept of a piece that was scanned.
 * @retval ..._ERROR_INVALID_ARGUMENT it was not */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_flush_chunk(rocprof_trace_decoder_handle_t handle, uint64_t chunk_index);

/** Makes a trace of its own of what is from offset_begin to offset_end of a piece that was scanned,
 * both at tokens' beginnings (byte_offset of records), with what came before that it needs.
 * *size_out: the room in data_out, and afterwards the bytes.
 * @retval ..._ERROR_OUT_OF_RESOURCES too little room, or no memory
 * @retval ..._ERROR_INVALID_ARGUMENT the piece was not scanned, or the offsets are none of it */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_build_standalone(rocprof_trace_decoder_handle_t handle, uint64_t chunk_index,
                                       const void *data, uint64_t data_size, uint64_t offset_begin,
                                       uint64_t offset_end, void *data_out, uint64_t *size_out);

#ifdef __cplusplus
}
#endif

#endif
