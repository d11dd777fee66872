/* windows.h - collection periods: tracing that starts and stops by the clock.
 *
 * ROCPROF_COLLECTION_PERIOD is a list of delay:time:repeat in nanoseconds, parted by semicolons;
 * each is repeated so often, 0 for ever. A thread of its own keeps the times. */
#ifndef CROCPROF_TOOL_WINDOWS_H
#define CROCPROF_TOOL_WINDOWS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_windows_wanted(void);

/* From now on the windows start and stop the context, in a forked child from the beginning. False,
 * and told, if there is no thread or the list is not readable: then nobody starts it. */
bool tool_windows_start(rocprofiler_context_id_t context);

/* Ends the thread; the context stays as it is. */
void tool_windows_stop(void);

#endif
