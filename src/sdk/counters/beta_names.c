/* beta_names.c - the functions for counter configurations under the names of the beta releases, for
 * clients that look them up at run time (PAPI does).
 *
 * Apart because the public header has inline functions of these names, so this file must not
 * include it. */
#include <rocprofiler-sdk/counter_config.h>

ROCPROFILER_API rocprofiler_status_t rocprofiler_create_profile_config(
    rocprofiler_agent_id_t agent_id, rocprofiler_counter_id_t *counters_list, size_t counters_count,
    rocprofiler_profile_config_id_t *config_id);
ROCPROFILER_API rocprofiler_status_t
rocprofiler_destroy_profile_config(rocprofiler_profile_config_id_t config_id);

rocprofiler_status_t rocprofiler_create_profile_config(rocprofiler_agent_id_t agent_id,
                                                       rocprofiler_counter_id_t *counters_list,
                                                       size_t counters_count,
                                                       rocprofiler_profile_config_id_t *config_id)
{
    return rocprofiler_create_counter_config(agent_id, counters_list, counters_count, config_id);
}

rocprofiler_status_t rocprofiler_destroy_profile_config(rocprofiler_profile_config_id_t config_id)
{
    return rocprofiler_destroy_counter_config(config_id);
}
