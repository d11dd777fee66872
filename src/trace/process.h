/* process.h - is the process that a store is of still there? Its id may be another's by now; id and
 * start together are its own. */
#ifndef CROCPROF_TRACE_PROCESS_H
#define CROCPROF_TRACE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* When the process began, in clock ticks since boot: never 0. 0 if there is none, or it has ended
 * and only waits for its parent. Returns 0, or -1 with errno where that cannot be found out: then
 * nobody may take its store for finished. */
int trace_process_start(pid_t pid, uint64_t *start);

#endif
