/* calls.h - calls whose buffered records have no arguments, recorded with them.
 *
 * Needed for libraries of which the SDK has no kind of records with arguments (those whose names
 * end with _EXT), such as RCCL: their arguments can be seen only during the call, in a callback. */
#ifndef CROCPROF_TOOL_CALLS_H
#define CROCPROF_TOOL_CALLS_H

#include <rocprofiler-sdk/rocprofiler.h>

/* Records the calls of the callback kind `kind`, with arguments, as if they were of the buffered
 * kind `as`. */
rocprofiler_status_t tool_calls_configure(rocprofiler_context_id_t context,
                                          rocprofiler_callback_tracing_kind_t kind,
                                          rocprofiler_buffer_tracing_kind_t as);

#endif
