/* calls.h - calls whose buffered records have no arguments, recorded with them.
 *
 * They are needed for libraries, such as RCCL, for which the SDK has no kind of buffered records
 * with arguments (a kind whose name ends with _EXT): their arguments can be read only in a callback
 * during the call. */
#ifndef CROCPROF_TOOL_CALLS_H
#define CROCPROF_TOOL_CALLS_H

#include <rocprofiler-sdk/rocprofiler.h>

/* Records the calls of the callback kind `kind`, with arguments, as if they were of the buffered
 * kind `as`. */
rocprofiler_status_t tool_calls_configure(rocprofiler_context_id_t context,
                                          rocprofiler_callback_tracing_kind_t kind,
                                          rocprofiler_buffer_tracing_kind_t as);

#endif
