/* Several passes of counters for each dispatch: the kernel is run once for each pass, and each run
 * begins with the contents that the memory of the GPUs had before the first run. Not part of AMD's
 * library. */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_REPLAY_H_
#define ROCPROFILER_SDK_EXPERIMENTAL_REPLAY_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

#define ROCPROFILER_DISPATCH_REPLAY_PASSES_MAX 64

/** Makes each dispatch that the context counts run up to `passes` times. The dispatch callback is
 * called for each pass in turn, with the number of the pass, from 0, as user data. If it chooses no
 * configuration in pass 0, the kernel is run once and not counted; if it chooses none in another
 * pass, that pass is left out. The values of each pass are delivered with the same dispatch data,
 * whose timestamps are those of the last run.
 *
 * What kernels write to memory of GPUs is undone between the runs: memory that the program has
 * allocated there, and variables of its code. Writes to memory of the host are not undone: a kernel
 * that adds to it adds several times. The program's copies wait for the runs of a kernel, and do
 * not overlap with each other.
 * @retval ROCPROFILER_STATUS_SUCCESS configured
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function, or the
 * tool is attached to a running program, whose memory is not known
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID no such context, or it counts no dispatches
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no passes, or more than
 * ROCPROFILER_DISPATCH_REPLAY_PASSES_MAX */
rocprofiler_status_t
rocprofiler_configure_dispatch_replay_service(rocprofiler_context_id_t context_id,
                                              uint32_t passes) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
