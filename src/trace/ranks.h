/* ranks.h - which rank of a parallel program a process is.
 *
 * Three sides ask: each process, for the names of its output files; rocprofv3, which may be told
 * not to profile some ranks; and the writers of settings. The variables that launchers set are one
 * table in ranks.c. */
#ifndef CROCPROF_TRACE_RANKS_H
#define CROCPROF_TRACE_RANKS_H

#include "trace/settings.h"

typedef struct {
    const char *rank_name, *size_name; /* variables that were found, or NULL */
    long rank, size;                   /* -1: not known */
} trace_rank_t;

/* Rank and size from the variables that are named `rank` and `size`, if names are given; else
 * Slurm's rank, if it is set; else from the first launcher whose rank and size are both set, else
 * from the first whose rank is set. */
trace_rank_t trace_rank(const char *rank, const char *size, const trace_variables_t *variables);

/* Rank and size as the outputs of a process show them, in their names and in their contents:
 * trace_rank() with the names that --mpi-world-rank-variable and its like for the size give. */
trace_rank_t trace_rank_told(const trace_variables_t *variables);

#endif
