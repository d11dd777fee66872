/* Contexts: sets of services that are switched on and off together. */
#ifndef ROCPROFILER_SDK_CONTEXT_H_
#define ROCPROFILER_SDK_CONTEXT_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** The handle of no context. */
#define ROCPROFILER_CONTEXT_NONE ROCPROFILER_HANDLE_LITERAL(rocprofiler_context_id_t, 0UL)

/** Makes a context that belongs to the tool whose initialize function is running.
 * @param context_id must hold 0; the handle is written on success, else it stays 0
 * @retval ROCPROFILER_STATUS_SUCCESS made
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT context_id is null
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO the handle passed in is not 0
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES the process has 64 contexts already */
rocprofiler_status_t
rocprofiler_create_context(rocprofiler_context_id_t *context_id) ROCPROFILER_API;

/** Starts the services of a context. Calls that are running already are not reported. Any thread,
 * also from callbacks; other threads notice it at their next call.
 * @retval ROCPROFILER_STATUS_SUCCESS the context runs, or did already
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED finalisation of its tool has begun */
rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id) ROCPROFILER_API;

/** Stops the services of a context. A call that had its ENTER callback gets its EXIT callback;
 * records of calls and kernels under way still arrive. Does not flush buffers. Any thread, also
 * from callbacks.
 * @retval ROCPROFILER_STATUS_SUCCESS stopped; without effect after finalisation
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context, or it does not run */
rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context_id) ROCPROFILER_API;

/** Tells whether a context runs. Any thread.
 * @param status non-zero if it runs
 * @retval ROCPROFILER_STATUS_SUCCESS status is written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT status is null
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context; status is 0 */
rocprofiler_status_t rocprofiler_context_is_active(rocprofiler_context_id_t context_id,
                                                   int *status) ROCPROFILER_API;

/** Tells whether a handle belongs to a context that can be started. Any thread.
 * @param status non-zero if it can
 * @retval ROCPROFILER_STATUS_SUCCESS status is written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT status is null
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context; status is 0 */
rocprofiler_status_t rocprofiler_context_is_valid(rocprofiler_context_id_t context_id,
                                                  int *status) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
