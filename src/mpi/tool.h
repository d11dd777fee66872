/* tool.h - what the bridge asks of rocprofv3's tool library, which it finds by name. */
#ifndef CROCPROF_MPI_TOOL_H
#define CROCPROF_MPI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/mpi.h"

/* Starts the tool, unless a runtime of the GPU has done so. False if there is none, or if it does
 * not trace MPI. */
bool mpi_tool_start(void);
/* Time on the records' clock. */
uint64_t mpi_tool_now(void);
/* Takes a record; its size and thread are filled in. */
void mpi_tool_put(trace_mpi_t *record, const void *rest, size_t bytes);

#endif
