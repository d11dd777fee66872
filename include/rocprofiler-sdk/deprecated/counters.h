/* Counter functions of the beta releases; rocprofiler_counter_info_v1_t has the same
 * information. */
#ifndef ROCPROFILER_SDK_DEPRECATED_COUNTERS_H_
#define ROCPROFILER_SDK_DEPRECATED_COUNTERS_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Called with the dimensions of a counter. The array is valid during the call.
 * @return ignored */
typedef rocprofiler_status_t (*rocprofiler_available_dimensions_cb_t)(
    rocprofiler_counter_id_t id, const rocprofiler_counter_record_dimension_info_t *dim_info,
    size_t num_dims, void *user_data);

/** Calls info_cb once with all dimensions of a counter. Any thread.
 * @retval ROCPROFILER_STATUS_SUCCESS called
 * @retval ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND no such counter
 * @retval ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND the counter has no dimensions
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback */
ROCPROFILER_SDK_DEPRECATED("use rocprofiler_counter_info_v1_t")
rocprofiler_status_t
rocprofiler_iterate_counter_dimensions(rocprofiler_counter_id_t id,
                                       rocprofiler_available_dimensions_cb_t info_cb,
                                       void *user_data) ROCPROFILER_API;

/** Returns how many values a counter has in each measurement. Any thread.
 * @param agent_id ignored: the counter belongs to one agent
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND no such counter; then 0 is written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT instance_count is null */
ROCPROFILER_SDK_DEPRECATED("use rocprofiler_counter_info_v1_t")
rocprofiler_status_t
rocprofiler_query_counter_instance_count(rocprofiler_agent_id_t agent_id,
                                         rocprofiler_counter_id_t counter_id,
                                         size_t *instance_count) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
