/* The whole interface of librocprofiler-sdk, and the functions that belong to no service. */
#ifndef ROCPROFILER_SDK_ROCPROFILER_H_
#define ROCPROFILER_SDK_ROCPROFILER_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/version.h>

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/buffer.h>
#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/context.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/deprecated/profile_config.h>
#include <rocprofiler-sdk/device_counting_service.h>
#include <rocprofiler-sdk/dispatch_counting_service.h>
#include <rocprofiler-sdk/external_correlation.h>
#include <rocprofiler-sdk/hip.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/intercept_table.h>
#include <rocprofiler-sdk/internal_threading.h>
#include <rocprofiler-sdk/marker.h>
#include <rocprofiler-sdk/pc_sampling.h>

ROCPROFILER_EXTERN_C_INIT

/** Returns the version of the loaded library; that of the headers is ROCPROFILER_SDK_VERSION. Each
 * pointer may be null. Any thread, any time.
 * @retval ROCPROFILER_STATUS_SUCCESS always */
rocprofiler_status_t rocprofiler_get_version(uint32_t *major, uint32_t *minor,
                                             uint32_t *patch) ROCPROFILER_API;

/** Returns the same version in one structure. Any thread, any time.
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT info is null */
rocprofiler_status_t
rocprofiler_get_version_triplet(rocprofiler_version_triplet_t *info) ROCPROFILER_API;

/** The time on the clock of the records: ns of CLOCK_BOOTTIME. Any thread, any time.
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT ts is null */
rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t *ts) ROCPROFILER_API;

/** Returns the calling thread's id, as records have it: the kernel's thread id. Any thread, any
 * time.
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT tid is null */
rocprofiler_status_t rocprofiler_get_thread_id(rocprofiler_thread_id_t *tid) ROCPROFILER_API;

/** Returns the name of the status's enumerator, a constant text; null for numbers outside the
 * enumeration. Any thread, any time. */
const char *rocprofiler_get_status_name(rocprofiler_status_t status) ROCPROFILER_API;

/** Returns a sentence that explains the status, a constant text; null for numbers outside the
 * enumeration. Any thread, any time. */
const char *rocprofiler_get_status_string(rocprofiler_status_t status) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
