/* librocprof-trace-decoder: decodes thread traces of a GPU's shader engines into records of waves,
 * instructions and events. This implementation reads the traces of gfx9,
 * gfx10, gfx11 and gfx12.
 *
 * Functions may be called from any thread, but those of one handle only from one thread at a time.
 * Callbacks run on the calling thread. Version 1 of the interface: parse_data, dump_data and the
 * texts; version 2: all other functions. Defined in src/trace_decoder/handle.c. */
#ifndef ROCPROF_TRACE_DECODER_H_
#define ROCPROF_TRACE_DECODER_H_

#include <rocprof_trace_decoder/trace_decoder_types.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROCPROF_TRACE_DECODER_API __attribute__((visibility("default")))

/** Called with an array of trace_size records, valid during the call. Exceptions: for GFXIP the
 * pointer itself is the number of the GPU's generation; for RT_FREQUENCY it points to a uint64_t,
 * in Hz; for INFO to values of rocprofiler_thread_trace_decoder_info_t. Any result but SUCCESS ends
 * the parse, which returns it. */
typedef rocprofiler_thread_trace_decoder_status_t (*rocprof_trace_decoder_trace_callback_t)(
    rocprofiler_thread_trace_decoder_record_type_t record_type_id, void *trace_events,
    uint64_t trace_size, void *userdata);

/** Writes the text of the instruction at `address`, the instruction's size in bytes to
 * *memory_size, and the length of the text to *size, which at first is the size of the buffer for
 * the text. If the buffer is too small, writes the size needed to *size and returns
 * ERROR_OUT_OF_RESOURCES; it is then called again. Any other result but SUCCESS: the instruction is
 * unknown. */
typedef rocprofiler_thread_trace_decoder_status_t (*rocprof_trace_decoder_isa_callback_t)(
    char *instruction, uint64_t *memory_size, uint64_t *size,
    rocprofiler_thread_trace_decoder_pc_t address, void *userdata);

/** Called for the next part of a trace: sets its address and its size in bytes, which it also
 * returns. 0 ends the trace. A part must stay valid until the next call. */
typedef uint64_t (*rocprof_trace_decoder_se_data_callback_t)(uint8_t **buffer,
                                                             uint64_t *buffer_size, void *userdata);

/** Called with a line for each token: its time, its type, and what it contains. Bits that are no
 * known token have lines of type UNKNOWN, and those after the last complete token a line of type
 * REST. */
typedef void (*rocprofiler_thread_trace_decoder_debug_callback_t)(int64_t time, const char *type,
                                                                  const char *info, void *userdata);

/** Decodes the trace of one shader engine, which begins with the word that names its GPU. Emits the
 * records of version 1.
 * @retval ..._ERROR_INVALID_ARGUMENT a callback is null (isa_callback may be null: then
 * instructions get no addresses)
 * @retval ..._ERROR_INVALID_SHADER_DATA not a trace of a GPU that this decoder knows
 * @retval ..._ERROR_OUT_OF_RESOURCES no memory */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_parse_data(rocprof_trace_decoder_se_data_callback_t se_data_callback,
                                 rocprof_trace_decoder_trace_callback_t trace_callback,
                                 rocprof_trace_decoder_isa_callback_t isa_callback, void *userdata);

/** Returns a text that explains the value, in static storage; also for unknown values, never
 * null. */
ROCPROF_TRACE_DECODER_API const char *
rocprof_trace_decoder_get_info_string(rocprofiler_thread_trace_decoder_info_t info);
ROCPROF_TRACE_DECODER_API const char *
rocprof_trace_decoder_get_status_string(rocprofiler_thread_trace_decoder_status_t status);

/** Lists the tokens of a trace, which begins with the word that names its GPU. The results are
 * those of parse_data. */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t rocprof_trace_decoder_dump_data(
    const char *data, uint64_t data_size, rocprofiler_thread_trace_decoder_debug_callback_t cb,
    void *userdata);

/** A decoder, which holds code objects and the state of the trace that it is scanning. */
typedef struct rocprof_trace_decoder_handle_t {
    uint64_t handle;
} rocprof_trace_decoder_handle_t;

/* All functions below return ERROR_INVALID_ARGUMENT if the handle is invalid. */

/** Creates a decoder; free it with destroy_handle(). */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_create_handle(rocprof_trace_decoder_handle_t *handle);
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_destroy_handle(rocprof_trace_decoder_handle_t handle);

/** Adds a code object, an ELF file, to the decoder, which copies it. `load_id` is the
 * pc_t::code_object_id of records, load_addr and load_size are its place in the GPU's memory.
 * @retval ..._ERROR_NOT_IMPLEMENTED libamd_comgr, whose disassembler is used, is not installed
 * @retval ..._ERROR_INVALID_ARGUMENT not an ELF file of an AMD GPU, or the id is in use */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_codeobj_load(rocprof_trace_decoder_handle_t handle, uint64_t load_id,
                                   uint64_t load_addr, uint64_t load_size, const void *data,
                                   uint64_t data_size);
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_codeobj_unload(rocprof_trace_decoder_handle_t handle, uint64_t load_id);

/** Sets a callback that returns the texts of instructions; NULL: the decoder disassembles its code
 * objects. */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_set_isa_callback(rocprof_trace_decoder_handle_t handle,
                                       rocprof_trace_decoder_isa_callback_t callback,
                                       void *userdata);

/** Sets a callback from which traces are read; NULL: the arguments of parse() are read. */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_set_se_data_callback(rocprof_trace_decoder_handle_t handle,
                                           rocprof_trace_decoder_se_data_callback_t callback,
                                           void *userdata);

/** Decodes a trace as parse_data() does, with the records of version 2. */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t rocprof_trace_decoder_parse(
    rocprof_trace_decoder_handle_t handle, const void *data, uint64_t data_size,
    rocprof_trace_decoder_trace_callback_t trace_callback, void *userdata);

/** Decodes only the dispatches and events in a part of a long trace. Parts are numbered from 0;
 * part 0 begins with the word that names the GPU. They must be scanned in order, since the scan of
 * a part continues with the state at the end of the part before.
 * @retval ..._ERROR_INVALID_ARGUMENT the part before has not been scanned */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_quick_scan(rocprof_trace_decoder_handle_t handle, uint64_t chunk_index,
                                 const void *data, uint64_t data_size,
                                 rocprof_trace_decoder_trace_callback_t trace_callback,
                                 void *userdata);

/** Frees the state that is kept of a scanned part.
 * @retval ..._ERROR_INVALID_ARGUMENT the part has not been scanned */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_flush_chunk(rocprof_trace_decoder_handle_t handle, uint64_t chunk_index);

/** Copies the range from offset_begin to offset_end of a scanned part, as a trace of its own. Both
 * must be offsets at which tokens begin (byte_offset of records). Tokens from before the range that
 * are needed to decode it are added. *size_out: the room in data_out; afterwards the number of
 * bytes.
 * @retval ..._ERROR_OUT_OF_RESOURCES too little room, or no memory
 * @retval ..._ERROR_INVALID_ARGUMENT the part was not scanned, or an offset is not of a token */
ROCPROF_TRACE_DECODER_API rocprofiler_thread_trace_decoder_status_t
rocprof_trace_decoder_build_standalone(rocprof_trace_decoder_handle_t handle, uint64_t chunk_index,
                                       const void *data, uint64_t data_size, uint64_t offset_begin,
                                       uint64_t offset_end, void *data_out, uint64_t *size_out);

#ifdef __cplusplus
}
#endif

#endif
