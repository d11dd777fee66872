/* Decoding of thread traces by a decoder library, librocprof-trace-decoder.so, AMD's or this
 * project's. */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_TRACE_DECODER_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_TRACE_DECODER_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/experimental/thread-trace/trace_decoder_types.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** A decoder. */
typedef struct rocprofiler_thread_trace_decoder_id_t {
    uint64_t handle;
} rocprofiler_thread_trace_decoder_id_t;

/** Called with an array of records, whose structure follows from the record type. */
typedef void (*rocprofiler_thread_trace_decoder_callback_t)(
    rocprofiler_thread_trace_decoder_record_type_t record_type_id, void *trace_events,
    uint64_t trace_size, void *userdata);

/** Opens the decoder library in the folder `path`. If that is an empty text: the first one that the
 * dynamic loader finds, or else the one beside this library. Any thread.
 * @retval ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE there is no decoder
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT a null pointer */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_thread_trace_decoder_create(rocprofiler_thread_trace_decoder_id_t *handle,
                                        const char *path) ROCPROFILER_API;

/** Frees a decoder, which no thread may be using. An unknown handle is ignored. */
ROCPROFILER_SDK_EXPERIMENTAL
void rocprofiler_thread_trace_decoder_destroy(rocprofiler_thread_trace_decoder_id_t handle)
    ROCPROFILER_API;

/** Give the decoder a code object that traces refer to, an ELF file, which it copies; and remove
 * it.
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT unknown handle; the id is in use, or to be
 * removed and unknown; or the data is not a code object
 * @retval ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE libamd_comgr, the disassembler, is not
 * installed */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_thread_trace_decoder_codeobj_load(
    rocprofiler_thread_trace_decoder_id_t handle, uint64_t load_id, uint64_t load_addr,
    uint64_t load_size, const void *data, uint64_t size) ROCPROFILER_API;
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_thread_trace_decoder_codeobj_unload(rocprofiler_thread_trace_decoder_id_t handle,
                                                uint64_t load_id) ROCPROFILER_API;

/** Decodes the trace of one shader engine. The callback is called for each array of records, on
 * this thread. Several threads may use one decoder at the same time.
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT unknown handle, or the data is not a trace */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_trace_decode(rocprofiler_thread_trace_decoder_id_t handle,
                                              rocprofiler_thread_trace_decoder_callback_t callback,
                                              void *data, uint64_t size,
                                              void *userdata) ROCPROFILER_API;

/** Returns a text that explains the value; null if the handle is unknown. */
ROCPROFILER_SDK_EXPERIMENTAL
const char *rocprofiler_thread_trace_decoder_info_string(
    rocprofiler_thread_trace_decoder_id_t handle,
    rocprofiler_thread_trace_decoder_info_t info) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
