/* OpenMP as this library traces it: operation ids, arguments, and how an OpenMP runtime finds the
 * library. */
#ifndef ROCPROFILER_SDK_OMPT_H_
#define ROCPROFILER_SDK_OMPT_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/ompt/api_args.h>
#include <rocprofiler-sdk/ompt/api_id.h>

ROCPROFILER_EXTERN_C_INIT

/** For a tool that defines ompt_start_tool itself: its ompt_start_tool must return the result of
 * this function to the OpenMP runtime. For programs without such a tool the library defines
 * ompt_start_tool itself. Any thread. Initialises the library if that has not been done.
 * @param omp_version as ompt_start_tool gets it
 * @param runtime_version name of the runtime; may be null
 * @return null if no context traces OpenMP, or if a runtime has called before; the result is owned
 * by the library */
ompt_start_tool_result_t *rocprofiler_ompt_start_tool(unsigned int omp_version,
                                                      const char *runtime_version) ROCPROFILER_API;

/** Tells whether an OpenMP runtime has started and is traced. Any thread, any time.
 * @param[out] status 1 or 0
 * @retval ROCPROFILER_STATUS_SUCCESS status is written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT status is null */
rocprofiler_status_t rocprofiler_ompt_is_initialized(int *status) ROCPROFILER_API;

/** Tells whether that runtime has ended. Arguments and results as for
 * rocprofiler_ompt_is_initialized. */
rocprofiler_status_t rocprofiler_ompt_is_finalized(int *status) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
