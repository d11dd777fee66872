/* External correlation ids: values chosen by the tool, which the records of a context contain. */
#ifndef ROCPROFILER_SDK_EXTERNAL_CORRELATION_H_
#define ROCPROFILER_SDK_EXTERNAL_CORRELATION_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Kinds of records for which an external id is requested. Records of HIP graphs use
 * HIP_RUNTIME_API. */
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
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_ROCSHMEM_API = 19,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIPFILE_API = 20,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_EVENT = 21,
    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST = 22,
} rocprofiler_external_correlation_id_request_kind_t;

/** Puts a value on the stack of a context and thread. The context's records about the thread's
 * calls have the topmost value; if the stack is empty, the topmost value of the main thread's
 * stack; if that is empty, too, 0. Any thread; tid may be another living thread.
 * @retval ROCPROFILER_STATUS_SUCCESS pushed
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no thread of this process has the id tid
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES memory is used up */
rocprofiler_status_t rocprofiler_push_external_correlation_id(
    rocprofiler_context_id_t context, rocprofiler_thread_id_t tid,
    rocprofiler_user_data_t external_correlation_id) ROCPROFILER_API;

/** Removes the topmost value from the stack of a context and thread.
 * @param external_correlation_id the value is written here, 0 if the stack was empty; may be null
 * @retval ROCPROFILER_STATUS_SUCCESS removed, or the stack was empty
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no thread of this process has the id tid */
rocprofiler_status_t rocprofiler_pop_external_correlation_id(
    rocprofiler_context_id_t context, rocprofiler_thread_id_t tid,
    rocprofiler_user_data_t *external_correlation_id) ROCPROFILER_API;

/** Called to request the external id of an operation: before the first callback about it, once per
 * operation and context, on the thread that begins it. It may push and pop.
 * @param thread_id of the operation
 * @param context_id that the id is for
 * @param kind of the operation
 * @param operation as in the records; of a kernel dispatch always ENQUEUE
 * @param internal_corr_id_value of the operation
 * @param external_corr_id_value to be written
 * @param user_data as given at configuration
 * @return 0 to use what was written, else the topmost value of the stack is used */
typedef int (*rocprofiler_external_correlation_id_request_cb_t)(
    rocprofiler_thread_id_t thread_id, rocprofiler_context_id_t context_id,
    rocprofiler_external_correlation_id_request_kind_t kind,
    rocprofiler_tracing_operation_t operation, uint64_t internal_corr_id_value,
    rocprofiler_user_data_t *external_corr_id_value, void *user_data);

/** Makes the context request external ids from the tool, instead of taking them from stacks. May be
 * called once per context, while tools are initialised.
 * @param kinds of operations; null: all
 * @param kinds_count how many
 * @retval ROCPROFILER_STATUS_SUCCESS configured
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not while tools are initialised
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback, or kinds with a count of 0
 * @retval ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED the context requests ids already
 * @retval ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND one of kinds does not exist */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
    rocprofiler_context_id_t context_id,
    const rocprofiler_external_correlation_id_request_kind_t *kinds, size_t kinds_count,
    rocprofiler_external_correlation_id_request_cb_t callback, void *callback_args) ROCPROFILER_API;

/** Returns the name of a request kind, such as "KERNEL_DISPATCH". Any thread, any time.
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
