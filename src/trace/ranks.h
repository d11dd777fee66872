/* ranks.h - which rank of a parallel program a process is.
 *
 * Three sides ask: each process, for the names of its output files; rocprofv3, which may be told
 * not to profile some ranks; and the writers of settings. The variables that launchers set are one
 * table in ranks.c. */
#ifndef CROCPROF_TRACE_RANKS_H
#define CROCPROF_TRACE_RANKS_H

/* Variables in which rocprofv3 tells the program's processes the names of the variables that hold
 * rank and size. */
#define TRACE_RANK_VARIABLE "ROCPROF_MPI_RANK_VAR"
#define TRACE_SIZE_VARIABLE "ROCPROF_MPI_SIZE_VAR"

typedef struct {
    const char *rank_name, *size_name; /* variables that were found, or NULL */
    long rank, size;                   /* -1: not known */
} trace_rank_t;

/* An environment: that of a process which runs, or what is kept of one that has run. */
typedef struct {
    const char *(*value)(const void *from, const char *name); /* of a variable, or NULL */
    const void *from;
} trace_variables_t;

/* Rank and size from the variables that are named `rank` and `size`, if names are given; else
 * Slurm's rank, if it is set; else from the first launcher whose rank and size are both set, else
 * from the first whose rank is set. */
trace_rank_t trace_rank(const char *rank, const char *size, const trace_variables_t *variables);

/* Rank and size as the outputs of a process show them, in their names and in their contents:
 * trace_rank() with the names that TRACE_RANK_VARIABLE and TRACE_SIZE_VARIABLE hold, if these are
 * set. */
trace_rank_t trace_rank_told(const trace_variables_t *variables);

#endif
