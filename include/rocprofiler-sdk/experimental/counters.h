/* Counter definitions that a tool supplies. */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_COUNTERS_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_COUNTERS_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Supplies counter definitions to the library, in YAML (docs/counter-definitions.md). To be called
 * before any other function of counters. Faulty definitions are reported on standard error by line
 * and column; the other definitions of the text are used. Any thread.
 * @param yaml the text, copied
 * @param size its bytes
 * @param flags ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION: in addition to the library's own
 * definitions; ROCPROFILER_COUNTER_FLAG_NONE: instead of them
 * @retval ROCPROFILER_STATUS_SUCCESS the definitions will be used when counters are first needed
 * @retval ROCPROFILER_STATUS_ERROR counters have been used already, or definitions were supplied
 * before
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no text, text that is not YAML, or another flag
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES no memory */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_load_counter_definition(const char *yaml, size_t size,
                                    rocprofiler_counter_flag_t flags) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
