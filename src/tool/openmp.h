/* openmp.h - the events of OpenMP that --ompt-trace selects. */
#ifndef CROCPROF_TOOL_OPENMP_H
#define CROCPROF_TOOL_OPENMP_H

#include <rocprofiler-sdk/ompt.h>
#include <rocprofiler-sdk/rocprofiler.h>

/* Writes the operations of the groups that ROCPROF_OMPT_TRACE_OPERATIONS names and returns their
 * number; 0: all. `operations` has room for ROCPROFILER_OMPT_ID_LAST. */
size_t tool_openmp_operations(rocprofiler_tracing_operation_t *operations);

#endif
