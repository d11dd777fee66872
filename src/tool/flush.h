/* flush.h - has the SDK report what the GPU has done before the process goes.
 *
 * Records are in the store as soon as the tool has them; kernels and copies that have completed may
 * not have been reported yet. Leaving functions and signal handlers cannot ask for it themselves
 * (the SDK's locks may be held by the very thread); they wake a thread of ours and wait for it, for
 * a bounded time. */
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

/* Has all GPU work reported that has completed, and losses told, or gives up after
 * TOOL_FLUSH_WAIT_MS. Safe in signal handlers, without effect in a forked child and on the SDK's
 * delivering thread's behalf. Keeps errno. */
void tool_flush_now(void);

#endif
