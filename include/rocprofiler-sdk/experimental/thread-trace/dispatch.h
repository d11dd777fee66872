/* Thread traces of single kernels. */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_DISPATCH_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_DISPATCH_H_

#include <rocprofiler-sdk/experimental/thread-trace/core.h>

ROCPROFILER_EXTERN_C_INIT

/** What a tool returns when a kernel is launched. */
typedef enum rocprofiler_thread_trace_control_flags_t {
    ROCPROFILER_THREAD_TRACE_CONTROL_NONE = 0,
    ROCPROFILER_THREAD_TRACE_CONTROL_START_AND_STOP = 3
} rocprofiler_thread_trace_control_flags_t;

/** Called at each launch to decide whether to trace the kernel. *userdata_shader is passed to the
 * shader callback. */
typedef rocprofiler_thread_trace_control_flags_t (*rocprofiler_thread_trace_dispatch_callback_t)(
    rocprofiler_agent_id_t agent_id, rocprofiler_queue_id_t queue_id,
    rocprofiler_async_correlation_id_t correlation_id, rocprofiler_kernel_id_t kernel_id,
    rocprofiler_dispatch_id_t dispatch_id, void *userdata_config,
    rocprofiler_user_data_t *userdata_shader);

/** Makes a context trace those kernels of an agent that the callback chooses; each of them runs
 * alone on the agent. The data is delivered when the kernel has ended, on a thread of the library:
 * one call for each traced shader engine.
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such GPU
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT a parameter out of its limits, or no callback
 * @retval ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED the context traces the agent already
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT the context traces agents
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT the context counts dispatches */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_dispatch_thread_trace_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
    rocprofiler_thread_trace_dispatch_callback_t dispatch_callback,
    rocprofiler_thread_trace_shader_data_callback_t shader_callback,
    void *callback_userdata) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
