/* mpi.h - calls of MPI, which the bridge (src/mpi) hands over.
 *
 * The SDK knows nothing of MPI: the bridge, preloaded beside this library, finds these functions by
 * name. Records go to the thread's own segment, as those of the SDK do. */
#ifndef CROCPROF_TOOL_MPI_H
#define CROCPROF_TOOL_MPI_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/mpi.h"

bool tool_mpi_wanted(void);

/* While the context is stopped, calls are not recorded. To be called before it starts. */
void tool_mpi_configure(rocprofiler_context_id_t traced);

/* For the bridge. Starts the SDK and this tool, unless a runtime of the GPU has done so. False if
 * MPI is not traced. */
ROCPROFILER_EXPORT bool rocprofv3_mpi_start(void);
/* Time on the clock of the records. */
ROCPROFILER_EXPORT uint64_t rocprofv3_mpi_now(void);
/* Takes a record, whose operation is in its head, and what stands behind it, whole words; adds the
 * end, size and thread. When this returns,
 * the record is in the store, or counted as dropped. Any thread. No lock, but at a thread's first
 * record. */
ROCPROFILER_EXPORT void rocprofv3_mpi_put(trace_mpi_t *record, const void *rest, size_t bytes);

#endif
