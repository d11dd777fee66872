/* one_clock.h - computes the maps of the clocks of all processes of a command: from the facts that
 * the command has read already, and from messages of MPI, which are read only where they can make
 * the maps better. */
#ifndef CROCPROF_ROCPD_ONE_CLOCK_H
#define CROCPROF_ROCPD_ONE_CLOCK_H

#include "rocpd/files.h"
#include "trace/clocks.h"

/* The processes, which are numbered from 0: their facts, and in which file they are. */
typedef struct {
    const rocpd_files_t *files;
    size_t count;
    const trace_clock_facts_t *facts;
    const char *(*guid)(const void *data, size_t process);
    size_t (*file)(const void *data, size_t process);
    const void *data;
} rocpd_processes_t;

/* Fills in maps[i] for each process. Returns 1 if any of the maps changes times, 0 if none does, -1
 * after reporting the reason. */
int rocpd_one_clock(const rocpd_processes_t *p, trace_clock_map_t *maps);

#endif
