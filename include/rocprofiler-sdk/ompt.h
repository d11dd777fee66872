/* OpenMP as this library traces it: operation ids, arguments, and its answer to OpenMP runtimes. */
#ifndef ROCPROFILER_SDK_OMPT_H_
#define ROCPROFILER_SDK_OMPT_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/ompt/api_args.h>
#include <rocprofiler-sdk/ompt/api_id.h>

ROCPROFILER_EXTERN_C_INIT

/** What a tool of its own answers an OpenMP runtime with that its own ompt_start_tool forwards; the
 * library has an ompt_start_tool itself, for programs without such a tool.
 * @param omp_version the runtime's, as ompt_start_tool gets it
 * @param runtime_version its name; may be null
 * @return null if no context traces OpenMP, or if a runtime has asked before; owned by the library
 * Any thread. Initialises the library if that has not been done. */
ompt_start_tool_result_t *rocprofiler_ompt_start_tool(unsigned int omp_version,
                                                      const char *runtime_version) ROCPROFILER_API;

/** Whether an OpenMP runtime has started and is traced.
 * @param[out] status 1 or 0
 * @retval ROCPROFILER_STATUS_SUCCESS
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT status is null
 * Any thread. */
rocprofiler_status_t rocprofiler_ompt_is_initialized(int *status) ROCPROFILER_API;

/** Whether that runtime has ended. Otherwise as rocprofiler_ompt_is_initialized. */
rocprofiler_status_t rocprofiler_ompt_is_finalized(int *status) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
