/* flush.h - gets records out of the SDK's buffer soon, and at once before the process goes.
 *
 * A thread of its own asks for delivery every TOOL_FLUSH_MS, so that a SIGKILL costs at most the
 * records of that time. Leaving functions and signal handlers cannot flush themselves (the SDK's
 * locks may be held by the very thread); they wake the thread and wait for it, for a bounded time.
 */
#ifndef CROCPROF_TOOL_FLUSH_H
#define CROCPROF_TOOL_FLUSH_H

#include <rocprofiler-sdk/fwd.h>

#define TOOL_FLUSH_FAILURE "no thread for regular flushes: a killed program loses more records"

enum { TOOL_FLUSH_MS = 100, TOOL_FLUSH_WAIT_MS = 500 };

/* Starts the thread. 0, or an error number. `tick`, if not NULL, is called on it after each
 * delivery, and may stop it. */
int tool_flush_start(rocprofiler_buffer_id_t buffer, void (*tick)(void));

/* The same again after fork, where the thread is gone. */
void tool_flush_start_in_child(void);

/* Ends the thread; it makes no call into the SDK afterwards. */
void tool_flush_stop(void);

/* Has all records so far delivered, those of all GPU work that has completed among them, or gives
 * up after TOOL_FLUSH_WAIT_MS. Safe in signal handlers, without effect in a forked child and on the
 * SDK's delivering thread's behalf. Keeps errno. */
void tool_flush_now(void);

#endif
