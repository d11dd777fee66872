/* The first interface for streaming performance monitors. It is not implemented; for the present
 * one see <rocprofiler-sdk/experimental/spm.h>. */
#ifndef ROCPROFILER_SDK_SPM_H_
#define ROCPROFILER_SDK_SPM_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** The values of one sample. */
typedef struct rocprofiler_spm_record_t {
    rocprofiler_counter_record_t *counters;
    uint64_t counters_count;
} rocprofiler_spm_record_t;

/** Not implemented.
 * @retval ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED always */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_spm_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_counter_config_id_t counter_config, uint64_t interval) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
