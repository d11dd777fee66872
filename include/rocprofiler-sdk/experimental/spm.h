/* Streaming counters: the values of hardware counters at a regular interval of clocks, for each
 * kernel dispatch or for a whole GPU. Experimental: it may change.
 *
 * The functions that make configurations and services return NOT_IMPLEMENTED unless
 * ROCPROFILER_SPM_BETA_ENABLED is set in the environment, to a value other than "0", "false", "no"
 * or "off". */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_SPM_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_SPM_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/device_counting_service.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Parameters of a configuration. */
typedef enum rocprofiler_spm_parameter_type_t {
    ROCPROFILER_SPM_PARAMETER_TYPE_NONE = 0,
    ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES, /**< shader clocks between samples,
                                                                     rounded to a multiple of 32 */
    ROCPROFILER_SPM_PARAMETER_TYPE_LAST
} rocprofiler_spm_parameter_type_t;

/** What a callback with records means; or-ed. */
typedef enum rocprofiler_spm_record_flag_t {
    ROCPROFILER_SPM_RECORD_FLAG_NONE = 0,
    ROCPROFILER_SPM_RECORD_FLAG_DATA = 1 << 0,      /**< there are records */
    ROCPROFILER_SPM_RECORD_FLAG_DATA_LOSS = 1 << 1, /**< samples of the dispatch were lost */
    /* The last call for the dispatch; no records. */
    ROCPROFILER_SPM_RECORD_FLAG_DISPATCH_END = 1 << 2,
    ROCPROFILER_SPM_RECORD_FLAG_LAST = 1 << 3
} rocprofiler_spm_record_flag_t;

/** The smallest and the largest interval. */
typedef struct rocprofiler_spm_interval_range_t {
    uint64_t min_interval;
    uint64_t max_interval;
} rocprofiler_spm_interval_range_t;

/** A way in which an agent can sample. */
typedef struct rocprofiler_spm_available_configuration_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_spm_parameter_type_t type;
    __extension__ union {
        rocprofiler_spm_interval_range_t interval; /**< of SAMPLE_INTERVAL_SCLK_CYCLES */
    };
} rocprofiler_spm_available_configuration_t;

/** A parameter of a configuration. */
typedef struct rocprofiler_spm_parameters_t {
    uint64_t size; /**< sizeof this structure */
    rocprofiler_spm_parameter_type_t type;
    uint64_t value;
} rocprofiler_spm_parameters_t;

/** How much one instance of a counter has counted in one interval. */
typedef struct rocprofiler_spm_counter_record_t {
    uint64_t size;                         /**< bytes of this structure as the library knows it */
    rocprofiler_dispatch_id_t dispatch_id; /**< 0 if a whole GPU is sampled */
    rocprofiler_counter_instance_id_t id;  /**< counter and position, as in other records */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_timestamp_t timestamp; /**< end of the interval; the GPU's own clock, not ns */
    double value;
} rocprofiler_spm_counter_record_t;

/** A dispatch that is or was sampled. In buffers: a record of category COUNTERS, kind
 * ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER; its samples follow as
 * rocprofiler_spm_counter_record_t, kind ROCPROFILER_COUNTER_RECORD_VALUE. */
typedef struct rocprofiler_spm_dispatch_counting_service_data_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_async_correlation_id_t correlation_id;
    rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_spm_dispatch_counting_service_data_t;

/** Called with the ways in which an agent can sample. The array belongs to the library and is valid
 * during the call. The result becomes that of the function that was called. */
typedef rocprofiler_status_t (*rocprofiler_spm_available_configurations_cb_t)(
    const rocprofiler_spm_available_configuration_t **config, size_t num_config, void *user_data);

/** Called to choose what to sample for a dispatch, on the launching thread, before the kernel is
 * written to its queue. It must not call functions of the runtimes.
 * @param config to be set to a configuration made here for the dispatch's agent; if it stays 0, the
 * dispatch is not sampled
 * @param user_data passed to the callback with the records */
typedef void (*rocprofiler_spm_dispatch_counting_service_cb_t)(
    const rocprofiler_spm_dispatch_counting_service_data_t *dispatch_data,
    rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user_data,
    void *callback_data_args);

/** Called with the samples of a dispatch that has ended, in order of time, in several calls if
 * necessary, and then one call with DISPATCH_END. It runs on a thread of the library.
 * @param records array of pointers; array and records are valid during the call */
typedef void (*rocprofiler_spm_dispatch_counting_record_cb_t)(
    const rocprofiler_spm_dispatch_counting_service_data_t *dispatch_data,
    const rocprofiler_spm_counter_record_t **records, size_t record_count,
    rocprofiler_spm_record_flag_t flags, rocprofiler_user_data_t userdata,
    void *record_callback_args);

/** Calls cb with the ways in which an agent can sample.
 * @retval ROCPROFILER_STATUS_SUCCESS called
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback
 * @retval ROCPROFILER_STATUS_ERROR the agent has no streaming counters */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_spm_query_agent_configurations(rocprofiler_agent_id_t agent_id,
                                           rocprofiler_spm_available_configurations_cb_t cb,
                                           void *user_data) ROCPROFILER_API;

/** Creates a configuration of hardware counters that are sampled together; all instances of each
 * counter are sampled.
 * @param counters_list hardware counters of the agent
 * @param parameters the interval; without one, 8192 clocks
 * @param config_id in: a configuration whose counters are added, or 0; out: the new one
 * @retval ROCPROFILER_STATUS_SUCCESS created
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the variable is not set
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent
 * @retval ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND no such counter
 * @retval ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT a counter of another agent, a derived
 * one, or one of a block that cannot be streamed
 * @retval ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT more counters than fit
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no counters, or an invalid parameter */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_spm_create_counter_config(
    rocprofiler_agent_id_t agent_id, rocprofiler_counter_id_t *counters_list, size_t counters_count,
    rocprofiler_spm_parameters_t **parameters, size_t parameters_count,
    rocprofiler_counter_config_id_t *config_id) ROCPROFILER_API;

/** Destroys a configuration. Dispatches that are being sampled with it are completed.
 * @retval ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND not a configuration that was made here */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_spm_destroy_counter_config(rocprofiler_counter_config_id_t config_id) ROCPROFILER_API;

/** Lists the counters of an agent that can be sampled.
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED there are no such counters */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_spm_iterate_agent_supported_counters(rocprofiler_agent_id_t agent_id,
                                                 rocprofiler_available_counters_cb_t cb,
                                                 void *user_data) ROCPROFILER_API;

/** Samples the dispatches of all queues while the context runs. As with dispatch counting, only one
 * context can do so at a time, and a sampled kernel runs alone on its agent. The next kernel begins
 * when the samples of the one before have been fetched.
 * @retval ROCPROFILER_STATUS_SUCCESS configured
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the variable is not set
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT the context already has a service of
 * counters */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_spm_configure_callback_dispatch_service(
    rocprofiler_context_id_t context_id,
    rocprofiler_spm_dispatch_counting_service_cb_t dispatch_callback, void *dispatch_callback_args,
    rocprofiler_spm_dispatch_counting_record_cb_t record_callback,
    void *record_callback_args) ROCPROFILER_API;

/** Samples dispatches as the function above does, but writes the samples to a buffer. Lost samples
 * are not reported in the buffer, but in a message on standard error.
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND no such buffer */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_spm_configure_buffer_dispatch_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_spm_dispatch_counting_service_cb_t callback,
    void *callback_data_args) ROCPROFILER_API;

/** Samples an agent while the context runs; `cb` is asked for the configuration when the context
 * starts. May be called once for each agent of a context. Records have dispatch id 0.
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the variable is not set
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT the context counts dispatches
 * @retval others as rocprofiler_configure_device_counting_service */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_spm_device_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_agent_id_t agent_id, rocprofiler_device_counting_service_cb_t cb,
    void *user_data) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
