/* tool.h - the functions of rocprofv3's tool library that the bridge calls; it looks them up by
 * name. */
#ifndef CROCPROF_MPI_TOOL_H
#define CROCPROF_MPI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/mpi.h"

/* Starts the tool, unless a runtime of the GPU has done so. Returns false if there is no tool, or
 * if it does not trace MPI. */
bool mpi_tool_start(void);
/* Returns the time on the records' clock. */
uint64_t mpi_tool_now(void);
/* Passes a record to the tool, which fills in its size and thread. */
void mpi_tool_put(trace_mpi_t *record, const void *rest, size_t bytes);

#endif
