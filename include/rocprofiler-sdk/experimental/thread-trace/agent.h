/* Thread traces of an agent, from the start of a context to its stop. */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_AGENT_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_AGENT_H_

#include <rocprofiler-sdk/experimental/thread-trace/core.h>

ROCPROFILER_EXTERN_C_INIT

/** Makes a context trace an agent while the context runs. The data is delivered when the context
 * stops, on the thread that stops it: one call for each traced shader engine.
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such GPU
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT a parameter out of its limits, or no callback
 * @retval ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED the context traces the agent already
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT the context traces dispatches */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_device_thread_trace_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
    rocprofiler_thread_trace_shader_data_callback_t shader_callback,
    rocprofiler_user_data_t callback_userdata) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
