/* calls.h - calls whose buffered records have no arguments, recorded with them.
 *
 * Apart because the SDK has records with arguments for HIP and rocDecode alone: of other libraries
 * they are seen only while a call lasts, in a callback. */
#ifndef CROCPROF_TOOL_CALLS_H
#define CROCPROF_TOOL_CALLS_H

#include <rocprofiler-sdk/rocprofiler.h>

/* Calls of a kind are recorded as records of the buffered kind would be, with their arguments. */
rocprofiler_status_t tool_calls_configure(rocprofiler_context_id_t context,
                                          rocprofiler_callback_tracing_kind_t kind,
                                          rocprofiler_buffer_tracing_kind_t as);

#endif
