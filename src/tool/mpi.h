/* mpi.h - calls of MPI, which the bridge (src/mpi) reports.
 *
 * The SDK does not trace MPI: the bridge, preloaded beside this library, looks these functions up
 * by name. Records go to the thread's own segment, as those of the SDK do. */
#ifndef CROCPROF_TOOL_MPI_H
#define CROCPROF_TOOL_MPI_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/mpi.h"

bool tool_mpi_wanted(void);

/* Calls are recorded while this context runs. To be called before the context starts. */
void tool_mpi_configure(rocprofiler_context_id_t traced);

/* Called by the bridge. Starts the SDK and this tool, unless a runtime of the GPU has done so.
 * Returns false if MPI is not traced. */
ROCPROFILER_EXPORT bool rocprofv3_mpi_start(void);
/* Returns the time on the clock of the records. */
ROCPROFILER_EXPORT uint64_t rocprofv3_mpi_now(void);
/* Takes a record, whose operation is in its head, and the data that follows it, in whole words of 8
 * bytes; adds end, size and thread. When this returns, the record is in the store, or counted as
 * dropped. Any thread may call this. It takes a lock only for a thread's first record. */
ROCPROFILER_EXPORT void rocprofv3_mpi_put(trace_mpi_t *record, const void *rest, size_t bytes);

#endif
