/* Streaming counters: what hardware counters have counted, every so many clocks, of each kernel
 * dispatch or of a whole GPU. Experimental: it may change.
 *
 * The functions that make configurations and services answer NOT_IMPLEMENTED unless
 * ROCPROFILER_SPM_BETA_ENABLED is set (to what does not mean no) in the environment. */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_SPM_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_SPM_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/device_counting_service.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** What a configuration can be told. */
typedef enum rocprofiler_spm_parameter_type_t {
    ROCPROFILER_SPM_PARAMETER_TYPE_NONE = 0,
    ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES, /**< shader clocks between samples,
                                                                     rounded to a multiple of 32 */
    ROCPROFILER_SPM_PARAMETER_TYPE_LAST
} rocprofiler_spm_parameter_type_t;

/** What a callback with records means; bits. */
typedef enum rocprofiler_spm_record_flag_t {
    ROCPROFILER_SPM_RECORD_FLAG_NONE = 0,
    ROCPROFILER_SPM_RECORD_FLAG_DATA = 1 << 0,         /**< there are records */
    ROCPROFILER_SPM_RECORD_FLAG_DATA_LOSS = 1 << 1,    /**< samples of the dispatch were lost */
    ROCPROFILER_SPM_RECORD_FLAG_DISPATCH_END = 1 << 2, /**< the last of the dispatch, no records */
    ROCPROFILER_SPM_RECORD_FLAG_LAST = 1 << 3
} rocprofiler_spm_record_flag_t;

/** From and to. */
typedef struct rocprofiler_spm_interval_range_t {
    uint64_t min_interval;
    uint64_t max_interval;
} rocprofiler_spm_interval_range_t;

/** How an agent can sample. */
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

/** What one instance of a counter has counted in one interval. */
typedef struct rocprofiler_spm_counter_record_t {
    uint64_t size;                         /**< bytes of this structure as the library knows it */
    rocprofiler_dispatch_id_t dispatch_id; /**< 0 where a whole GPU is sampled */
    rocprofiler_counter_instance_id_t id;  /**< counter and place, as of other counter records */
    rocprofiler_agent_id_t agent_id;
    rocprofiler_timestamp_t timestamp; /**< end of the interval, of the GPU's own clock: not ns */
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

/** Gets how an agent can sample; the array is the library's, valid during the call. What it returns
 * is the answer of the function that was called. */
typedef rocprofiler_status_t (*rocprofiler_spm_available_configurations_cb_t)(
    const rocprofiler_spm_available_configuration_t **config, size_t num_config, void *user_data);

/** Asks what is to be sampled, on the thread that launches, before the kernel is written to its
 * queue. Functions of the runtimes must not be called inside.
 * @param config to be set to a configuration made here for the dispatch's agent; 0 as it comes:
 * none
 * @param user_data comes back with the records */
typedef void (*rocprofiler_spm_dispatch_counting_service_cb_t)(
    const rocprofiler_spm_dispatch_counting_service_data_t *dispatch_data,
    rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user_data,
    void *callback_data_args);

/** Gets the samples of a dispatch that is over, in the order of time, in as many calls as it takes
 * and one more with DISPATCH_END. On a thread of the library.
 * @param records array of pointers, both valid during the call */
typedef void (*rocprofiler_spm_dispatch_counting_record_cb_t)(
    const rocprofiler_spm_dispatch_counting_service_data_t *dispatch_data,
    const rocprofiler_spm_counter_record_t **records, size_t record_count,
    rocprofiler_spm_record_flag_t flags, rocprofiler_user_data_t userdata,
    void *record_callback_args);

/** Tells how an agent can sample.
 * @retval ROCPROFILER_STATUS_SUCCESS told
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback
 * @retval ROCPROFILER_STATUS_ERROR the agent has no streaming counters */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_spm_query_agent_configurations(rocprofiler_agent_id_t agent_id,
                                           rocprofiler_spm_available_configurations_cb_t cb,
                                           void *user_data) ROCPROFILER_API;

/** Makes a configuration of hardware counters that are sampled together, all instances of each.
 * @param counters_list basic counters of the agent
 * @param parameters the interval; every 8192 clocks without one
 * @param config_id in: a configuration whose counters are taken over, or 0; out: the new one
 * @retval ROCPROFILER_STATUS_SUCCESS made
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the variable is not set
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent
 * @retval ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND no such counter
 * @retval ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT a counter of another agent, one that
 * is computed, or of a block that cannot be streamed
 * @retval ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT more than fit
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no counters, or a parameter that cannot be */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_spm_create_counter_config(
    rocprofiler_agent_id_t agent_id, rocprofiler_counter_id_t *counters_list, size_t counters_count,
    rocprofiler_spm_parameters_t **parameters, size_t parameters_count,
    rocprofiler_counter_config_id_t *config_id) ROCPROFILER_API;

/** Gives a configuration back; what is being sampled with it goes on.
 * @retval ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND none that was made here */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_spm_destroy_counter_config(rocprofiler_counter_config_id_t config_id) ROCPROFILER_API;

/** Lists the counters of an agent that can be sampled.
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED it has none */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_spm_iterate_agent_supported_counters(rocprofiler_agent_id_t agent_id,
                                                 rocprofiler_available_counters_cb_t cb,
                                                 void *user_data) ROCPROFILER_API;

/** Samples dispatches of a context while it runs. As for dispatch counting, one context may do so
 * at a time, and a sampled kernel runs alone on its agent. The next one begins when the samples of
 * the one before have been fetched.
 * @retval ROCPROFILER_STATUS_SUCCESS configured
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED the variable is not set
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID no such context
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT the context counts already, in whatever way */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_spm_configure_callback_dispatch_service(
    rocprofiler_context_id_t context_id,
    rocprofiler_spm_dispatch_counting_service_cb_t dispatch_callback, void *dispatch_callback_args,
    rocprofiler_spm_dispatch_counting_record_cb_t record_callback,
    void *record_callback_args) ROCPROFILER_API;

/** The same with a buffer, which is not told of lost samples: a message is.
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND no such buffer */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_spm_configure_buffer_dispatch_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_spm_dispatch_counting_service_cb_t callback,
    void *callback_data_args) ROCPROFILER_API;

/** Samples an agent while the context runs; `cb` is asked for the configuration when it starts. One
 * for each agent of a context. Records have dispatch id 0.
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
