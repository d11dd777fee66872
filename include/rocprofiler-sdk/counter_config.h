/* Counter configurations: which counters of an agent are counted together. */
#ifndef ROCPROFILER_SDK_COUNTER_CONFIG_H_
#define ROCPROFILER_SDK_COUNTER_CONFIG_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Creates a configuration: a set of counters that can be counted at the same time. Whatever could
 * fail later is checked here. Does not need the HSA runtime. Any thread.
 * @param counters_list counters of this agent; repetitions count once
 * @param config_id the handle is written here; if it was that of a configuration of the same agent
 * before, the new configuration also has the counters of that one, after those of the list; any
 * other value is ignored
 * @retval ROCPROFILER_STATUS_SUCCESS made
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT a null pointer
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent
 * @retval ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND no such counter
 * @retval ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT a counter of agents of another
 * architecture
 * @retval ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT a block cannot count that many events at once;
 * a line on standard error names the block, how many are wanted and available, and groups of
 * counters that are possible
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES no memory */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
                                  rocprofiler_counter_id_t *counters_list, size_t counters_count,
                                  rocprofiler_counter_config_id_t *config_id) ROCPROFILER_API;

/** Destroys a configuration. Measurements that are using it are still completed. Any thread.
 * @retval ROCPROFILER_STATUS_SUCCESS done
 * @retval ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND no such configuration */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config_id) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
