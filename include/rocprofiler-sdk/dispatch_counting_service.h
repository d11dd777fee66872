/* Dispatch counting: the counters of each kernel dispatch. */
#ifndef ROCPROFILER_SDK_DISPATCH_COUNTING_SERVICE_H_
#define ROCPROFILER_SDK_DISPATCH_COUNTING_SERVICE_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** A dispatch that is or was counted. */
typedef struct rocprofiler_dispatch_counting_service_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_async_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp; /**< of the kernel; 0 before it ran */
    rocprofiler_timestamp_t end_timestamp;
    rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_dispatch_counting_service_data_t;

/** Buffer record of a counted dispatch: category COUNTERS, kind
 * ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER. Its values follow in the buffer as
 * rocprofiler_counter_record_t, kind ROCPROFILER_COUNTER_RECORD_VALUE, with the same dispatch id.
 * If the buffer is full, header and values may be lost and counted one by one. */
typedef struct rocprofiler_dispatch_counting_service_record_t {
    uint64_t size;        /**< bytes of this structure as the library knows it */
    uint64_t num_records; /**< number of values that follow */
    rocprofiler_async_correlation_id_t correlation_id;
    rocprofiler_timestamp_t start_timestamp;
    rocprofiler_timestamp_t end_timestamp;
    rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_dispatch_counting_service_record_t;

/** Called to choose what to count for a dispatch, on the launching thread, before the kernel is
 * written to its queue. It must not call functions of the runtimes.
 * @param dispatch_data without timestamps
 * @param config to be set to a configuration of the dispatch's agent; if it stays 0, the dispatch
 * is not counted
 * @param user_data passed to the callback with the values
 * @param callback_data_args as configured */
typedef void (*rocprofiler_dispatch_counting_service_cb_t)(
    rocprofiler_dispatch_counting_service_data_t dispatch_data,
    rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user_data,
    void *callback_data_args);

/** Called with the values of a dispatch, on a thread of the library.
 * @param record_data valid during the call; in the order of the configuration, then of instances
 * @param user_data as the first callback left it
 * @param callback_data_args as configured */
typedef void (*rocprofiler_dispatch_counting_record_cb_t)(
    rocprofiler_dispatch_counting_service_data_t dispatch_data,
    rocprofiler_counter_record_t *record_data, size_t record_count,
    rocprofiler_user_data_t user_data, void *callback_data_args);

/* The names of these types before version 1.0. */
typedef rocprofiler_dispatch_counting_service_cb_t rocprofiler_dispatch_counting_service_callback_t;
typedef rocprofiler_dispatch_counting_record_cb_t rocprofiler_profile_counting_record_callback_t;

/** Counts the dispatches of all queues while the context runs, into a buffer. Only one running
 * context can count dispatches: rocprofiler_start_context returns CONTEXT_CONFLICT for a second
 * one.
 *
 * A counted kernel runs alone on its agent. Therefore a program hangs in which a kernel waits for a
 * kernel on another queue.
 * @retval ROCPROFILER_STATUS_SUCCESS configured
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND no such buffer
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT the context counts devices
 * @retval ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED the context counts dispatches
 * already */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_dispatch_counting_service_cb_t callback, void *callback_data_args) ROCPROFILER_API;

/** Counts the dispatches as the function above does, but passes the values to a callback. The
 * results are the same, except that INVALID_ARGUMENT is also returned if record_callback is null,
 * and BUFFER_NOT_FOUND never. */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context_id,
    rocprofiler_dispatch_counting_service_cb_t dispatch_callback, void *dispatch_callback_args,
    rocprofiler_dispatch_counting_record_cb_t record_callback,
    void *record_callback_args) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
