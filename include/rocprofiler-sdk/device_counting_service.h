/* Device counting: counters of a whole agent, read whenever the tool wants. */
#ifndef ROCPROFILER_SDK_DEVICE_COUNTING_SERVICE_H_
#define ROCPROFILER_SDK_DEVICE_COUNTING_SERVICE_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Passed to the callback below: sets the configuration that the context counts on the
 * configuration's agent, from this start of the context on.
 * @retval ROCPROFILER_STATUS_SUCCESS set
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID no such context, or it does not count devices
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED called outside of the callback
 * @retval ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND no such configuration
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_MISMATCH a configuration of an agent that the context does
 * not count */
typedef rocprofiler_status_t (*rocprofiler_device_counting_agent_cb_t)(
    rocprofiler_context_id_t context_id, rocprofiler_counter_config_id_t config_id);

/** Called each time the context starts (or, if HSA is not initialised then, as soon as it is), to
 * choose what to count on an agent. The tool calls set_config inside; without that, nothing is
 * counted. */
typedef void (*rocprofiler_device_counting_service_cb_t)(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_device_counting_agent_cb_t set_config, void *user_data);

/* The name of this type before version 1.0. */
typedef rocprofiler_device_counting_service_cb_t rocprofiler_device_counting_service_callback_t;

/* The name that this type had in the beta releases. */
typedef rocprofiler_device_counting_agent_cb_t rocprofiler_agent_set_profile_callback_t;

/** Counts on an agent while the context runs. May be called once for each of several agents of a
 * context. While a context counts on an agent, no other context can count on the agent or count
 * dispatches, nor can another library of the process count on it: then rocprofiler_start_context
 * returns CONTEXT_CONFLICT. If rocprofiler_start_context is called from a buffer's callback while
 * another thread reads or stops the context, it returns CONTEXT_ERROR.
 * @param buffer_id the buffer that gets the samples
 * @retval ROCPROFILER_STATUS_SUCCESS configured
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID no such context
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND no such buffer
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such GPU
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT the context counts dispatches
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback, or the context counts on this
 * agent already */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_device_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_agent_id_t agent_id, rocprofiler_device_counting_service_cb_t cb,
    void *user_data) ROCPROFILER_API;

/** Reads the counters of a running context: one record for each value, counted from the start of
 * the context, into the buffer (category COUNTERS, kind ROCPROFILER_COUNTER_RECORD_VALUE, dispatch
 * id 0). Running kernels are not stopped. May be called by any thread except those of the library.
 * @param user_data goes into the records
 * @param flags ROCPROFILER_COUNTER_FLAG_ASYNC: return at once; the records are delivered later
 * @param output_records null, or an array of *rec_count elements to which the records are also
 * written
 * @param rec_count number of records written; if there was too little room, the number needed
 * @retval ROCPROFILER_STATUS_SUCCESS read, or begun
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED the context does not run
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID the context does not count devices
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR the context is being started, stopped or read by
 * another thread
 * @retval ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED HSA has not started; the context counts from that
 * start on
 * @retval ROCPROFILER_STATUS_ERROR the agent did not answer
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT output_records together with ASYNC or without
 * rec_count, or another flag
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES output_records is too small; the buffer has the
 * records nevertheless, unless *rec_count was 0: then nothing was read
 * @retval ROCPROFILER_STATUS_ERROR_FINALIZED the library is finalised */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_sample_device_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_user_data_t user_data,
    rocprofiler_counter_flag_t flags, rocprofiler_counter_record_t *output_records,
    size_t *rec_count) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
