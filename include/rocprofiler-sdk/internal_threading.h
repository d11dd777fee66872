/* Threads of the library: those that run buffer callbacks, and callbacks that are called when
 * threads are created. */
#ifndef ROCPROFILER_SDK_INTERNAL_THREADING_H_
#define ROCPROFILER_SDK_INTERNAL_THREADING_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Called on the creating thread before and after the library creates a thread. */
typedef void (*rocprofiler_internal_thread_library_cb_t)(rocprofiler_runtime_library_t, void *);

/** A thread that runs buffer callbacks. */
typedef struct rocprofiler_callback_thread_t {
    uint64_t handle;
} rocprofiler_callback_thread_t;

/** Sets callbacks that are called when the library creates a thread. Either one may be null.
 * @param libs rocprofiler_runtime_library_t values, or-ed; 0 means all. All threads of this library
 * are made for ROCPROFILER_LIBRARY.
 * @retval ROCPROFILER_STATUS_SUCCESS set
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED initialisation is over
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES 16 pairs are set already */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_at_internal_thread_create(rocprofiler_internal_thread_library_cb_t precreate,
                                      rocprofiler_internal_thread_library_cb_t postcreate, int libs,
                                      void *data) ROCPROFILER_API;

/** Creates a thread for buffer callbacks. The callbacks of buffers that share a thread run one
 * after another; buffers without an assignment share one thread of the library. The thread starts
 * when a buffer needs it.
 * @param cb_thread_id the handle is written here
 * @retval ROCPROFILER_STATUS_SUCCESS created
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT cb_thread_id is null
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED initialisation is over
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES the process has 64 such threads already */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_create_callback_thread(rocprofiler_callback_thread_t *cb_thread_id) ROCPROFILER_API;

/** Assigns a thread to a buffer: the thread runs the buffer's callbacks.
 * @retval ROCPROFILER_STATUS_SUCCESS assigned
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED initialisation is over
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND no such buffer
 * @retval ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND no such thread */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_assign_callback_thread(rocprofiler_buffer_id_t buffer_id,
                                   rocprofiler_callback_thread_t cb_thread_id) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
