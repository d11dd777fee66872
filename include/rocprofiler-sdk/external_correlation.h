/* External correlation ids: values of the tool that appear in the records of a context. */
#ifndef ROCPROFILER_SDK_EXTERNAL_CORRELATION_H_
#define ROCPROFILER_SDK_EXTERNAL_CORRELATION_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** What a record is about when an external id is wanted for it. */
typedef enum rocprofiler_external_correlation_id_request_kind_t {
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_NONE = 0,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_CORE_API = 1,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_AMD_EXT_API = 2,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_IMAGE_EXT_API = 3,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_FINALIZE_EXT_API = 4,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_RUNTIME_API = 5,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_COMPILER_API = 6,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CORE_API = 7,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CONTROL_API = 8,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_NAME_API = 9,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY = 10,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH = 11,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_SCRATCH_MEMORY = 12,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_RCCL_API = 13,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_OMPT = 14,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_ALLOCATION = 15,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_ROCDECODE_API = 16,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_ROCJPEG_API = 17,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CORE_RANGE_API = 18,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST = 19,
} rocprofiler_external_correlation_id_request_kind_t;

/** Puts a value on the stack of a context and thread. Records of that context about calls of that
 * thread carry the topmost value, 0 when the stack is empty. Any thread; tid may be another thread
 * that lives.
 * @retval ROCPROFILER_STATUS_SUCCESS pushed
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no thread of this process has the id tid
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES memory is used up */
rocprofiler_status_t rocprofiler_push_external_correlation_id(
    rocprofiler_context_id_t context, rocprofiler_thread_id_t tid,
    rocprofiler_user_data_t external_correlation_id) ROCPROFILER_API;

/** Takes the topmost value off again.
 * @param external_correlation_id the value is written here; may be null
 * @retval ROCPROFILER_STATUS_SUCCESS taken
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT nothing is on the stack of this thread */
rocprofiler_status_t rocprofiler_pop_external_correlation_id(
    rocprofiler_context_id_t context, rocprofiler_thread_id_t tid,
    rocprofiler_user_data_t *external_correlation_id) ROCPROFILER_API;

/** Name of a request kind, as "KERNEL_DISPATCH". Any thread, any time.
 * @param name set to constant text; may be null
 * @param name_len set to its length; may be null
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND no such kind */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_query_external_correlation_id_request_kind_name(
    rocprofiler_external_correlation_id_request_kind_t kind, const char **name,
    uint64_t *name_len) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
