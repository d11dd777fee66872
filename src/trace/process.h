/* process.h - tells whether the process that writes a store still runs. Its id may belong to
 * another process by now; id and start time together identify it. */
#ifndef CROCPROF_TRACE_PROCESS_H
#define CROCPROF_TRACE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Start time of the process in clock ticks since boot, which is never 0; 0 if there is no such
 * process, or it is a zombie. Returns 0, or -1 with errno if that cannot be found out: then the
 * caller must not treat the store as finished. */
int trace_process_start(pid_t pid, uint64_t *start);

#endif
