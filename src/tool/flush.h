/* flush.h - makes the SDK report completed GPU work before the process ends.
 *
 * Records are in the store as soon as the tool has them; kernels and copies that have completed may
 * not have been reported yet. Functions that end the process, and signal handlers, cannot call the
 * SDK themselves, since their own thread may hold the SDK's locks. They wake a thread of the tool
 * and wait for it, for a bounded time. */
#ifndef CROCPROF_TOOL_FLUSH_H
#define CROCPROF_TOOL_FLUSH_H

#include <rocprofiler-sdk/fwd.h>

#define TOOL_FLUSH_FAILURE                                                                         \
    "no thread for the last flush: a program that leaves without exit handlers loses kernels and " \
    "copies that were not reported yet"

enum { TOOL_TICK_MS = 100, TOOL_FLUSH_WAIT_MS = 500 };

/* Starts the thread. Returns 0, or an error number. If `tick` is not NULL, the thread calls it
 * every TOOL_TICK_MS; `tick` may stop the thread. */
int tool_flush_start(rocprofiler_buffer_id_t buffer, void (*tick)(void));

/* Starts the thread again after a fork, which has not copied it. */
void tool_flush_start_in_child(void);

/* Ends the thread, which makes no further call into the SDK. */
void tool_flush_stop(void);

/* Waits until the SDK has reported all completed GPU work and all losses, at most
 * TOOL_FLUSH_WAIT_MS. It may be called in signal handlers. It has no effect in a forked child and
 * on the thread on which the SDK delivers records. It preserves errno. */
void tool_flush_now(void);

#endif
