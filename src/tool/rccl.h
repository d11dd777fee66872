/* rccl.h - what calls of RCCL say beside their arguments: the communicator by a number that all of
 * its members have in common, the rank in it, its size, and the bytes of this rank's buffers.
 *
 * Apart from calls.h because this alone knows what RCCL's arguments mean. */
#ifndef CROCPROF_TOOL_RCCL_H
#define CROCPROF_TOOL_RCCL_H

#include <rocprofiler-sdk/rocprofiler.h>

/* Calls `put` with each such value of a call that has ended, always as many for one function: a
 * value that is not known is "". */
typedef void (*tool_rccl_put_t)(void *to, const char *type, const char *name, const char *value);
void tool_rccl_values(rocprofiler_callback_tracing_record_t record, tool_rccl_put_t put, void *to);

/* Whether this thread is in a call of RCCL that the tool itself makes. */
bool tool_rccl_asks(void);

#endif
