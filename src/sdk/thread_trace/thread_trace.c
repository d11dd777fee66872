/* thread_trace.c - the entry points of thread traces, where nothing takes or decodes any.
 *
 * There is no decoder, so no handle of one is good. Apart because a service and a decoder that come
 * replace all of it. */
#include "sdk/core/context.h"
#include "sdk/core/registration.h"

#include <rocprofiler-sdk/experimental/thread_trace.h>

static rocprofiler_status_t configure(rocprofiler_context_id_t context_id)
{
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    if (!sdk_context_find(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t rocprofiler_configure_device_thread_trace_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
    rocprofiler_thread_trace_shader_data_callback_t shader_callback,
    rocprofiler_user_data_t callback_userdata)
{
    (void)agent_id, (void)parameters, (void)num_parameters, (void)shader_callback;
    (void)callback_userdata;
    return configure(context_id);
}

rocprofiler_status_t rocprofiler_configure_dispatch_thread_trace_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
    rocprofiler_thread_trace_dispatch_callback_t dispatch_callback,
    rocprofiler_thread_trace_shader_data_callback_t shader_callback, void *callback_userdata)
{
    (void)agent_id, (void)parameters, (void)num_parameters, (void)dispatch_callback;
    (void)shader_callback, (void)callback_userdata;
    return configure(context_id);
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_create(rocprofiler_thread_trace_decoder_id_t *handle,
                                        const char *path)
{
    return handle && path ? ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE
                          : ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
}

void rocprofiler_thread_trace_decoder_destroy(rocprofiler_thread_trace_decoder_id_t handle)
{
    (void)handle;
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_codeobj_load(rocprofiler_thread_trace_decoder_id_t handle,
                                              uint64_t load_id, uint64_t load_addr,
                                              uint64_t load_size, const void *data, uint64_t size)
{
    (void)handle, (void)load_id, (void)load_addr, (void)load_size, (void)data, (void)size;
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_codeobj_unload(rocprofiler_thread_trace_decoder_id_t handle,
                                                uint64_t load_id)
{
    (void)handle, (void)load_id;
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
}

rocprofiler_status_t rocprofiler_trace_decode(rocprofiler_thread_trace_decoder_id_t handle,
                                              rocprofiler_thread_trace_decoder_callback_t callback,
                                              void *data, uint64_t size, void *userdata)
{
    (void)handle, (void)callback, (void)data, (void)size, (void)userdata;
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
}

const char *
rocprofiler_thread_trace_decoder_info_string(rocprofiler_thread_trace_decoder_id_t handle,
                                             rocprofiler_thread_trace_decoder_info_t info)
{
    (void)handle, (void)info;
    return NULL;
}
