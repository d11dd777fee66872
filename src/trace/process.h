/* process.h - finds out whether the process that writes a store still runs. The system may have
 * given its id to another process since; the id and the start time together identify a process. */
#ifndef CROCPROF_TRACE_PROCESS_H
#define CROCPROF_TRACE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Sets *start to the start time of the process in clock ticks since boot, which is never 0, or to 0
 * if there is no such process or it is a zombie. Returns 0, or -1 with errno if this cannot be
 * determined: then the caller must not treat the store as finished. */
int trace_process_start(pid_t pid, uint64_t *start);

#endif
