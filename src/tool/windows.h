/* windows.h - collection periods: tracing that starts and stops by the clock.
 *
 * ROCPROF_COLLECTION_PERIOD is a list of delay:time:repeat, separated by semicolons. Delay and time
 * are in nanoseconds; `repeat` is how often both are repeated, 0 for ever. A thread of its own
 * keeps the times. */
#ifndef CROCPROF_TOOL_WINDOWS_H
#define CROCPROF_TOOL_WINDOWS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_windows_wanted(void);

/* From this call on the periods start and stop the context; in a forked child they begin anew.
 * Returns false, with the reason logged, if no thread can be made or the list is malformed: then
 * the context is never started. */
bool tool_windows_start(rocprofiler_context_id_t context);

/* Ends the thread; the context stays as it is. */
void tool_windows_stop(void);

#endif
