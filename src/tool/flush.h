/* flush.h - has the SDK report what the GPU has done before the process ends.
 *
 * Records are in the store as soon as the tool has them; kernels and copies that have completed may
 * not have been reported yet. Functions that end the process, and signal handlers, cannot ask the
 * SDK themselves (their own thread may hold the SDK's locks); they wake a thread of the tool and
 * wait for it, for a bounded time. */
#ifndef CROCPROF_TOOL_FLUSH_H
#define CROCPROF_TOOL_FLUSH_H

#include <rocprofiler-sdk/fwd.h>

#define TOOL_FLUSH_FAILURE                                                                         \
    "no thread for the last flush: a program that leaves without exit handlers loses kernels and " \
    "copies that were not reported yet"

enum { TOOL_TICK_MS = 100, TOOL_FLUSH_WAIT_MS = 500 };

/* Starts the thread. 0, or an error number. `tick`, if not NULL, is called on it every
 * TOOL_TICK_MS, and may stop it. */
int tool_flush_start(rocprofiler_buffer_id_t buffer, void (*tick)(void));

/* The same again after fork, where the thread is gone. */
void tool_flush_start_in_child(void);

/* Ends the thread; it makes no call into the SDK afterwards. */
void tool_flush_stop(void);

/* Has all completed GPU work and all losses reported, or gives up after TOOL_FLUSH_WAIT_MS. Safe in
 * signal handlers; without effect in a forked child and on the thread on which the SDK delivers
 * records. Keeps errno. */
void tool_flush_now(void);

#endif
