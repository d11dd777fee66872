/* rccl.h - what is recorded of RCCL's calls besides their arguments: the communicator by a number
 * that all of its members have in common, the rank in it, its size, and the bytes of this rank's
 * buffers.
 *
 * It is apart from calls.h because only here the arguments are interpreted. */
#ifndef CROCPROF_TOOL_RCCL_H
#define CROCPROF_TOOL_RCCL_H

#include <rocprofiler-sdk/rocprofiler.h>

/* Calls `put` with each such value of a call that has ended. The number of values depends on the
 * function only: a value that is not known is "". */
typedef void (*tool_rccl_put_t)(void *to, const char *type, const char *name, const char *value);
void tool_rccl_values(rocprofiler_callback_tracing_record_t record, tool_rccl_put_t put, void *to);

/* Returns whether this thread is in a call of RCCL that the tool itself makes. */
bool tool_rccl_asks(void);

#endif
