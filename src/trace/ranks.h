/* ranks.h - which rank of a parallel program a process is.
 *
 * Apart because three sides ask: names of output files, in each process; rocprofv3, which may leave
 * ranks alone; and the writers of settings. What launchers set is one table in ranks.c. */
#ifndef CROCPROF_TRACE_RANKS_H
#define CROCPROF_TRACE_RANKS_H

/* Variables in which rocprofv3 tells the program's processes where rank and size stand. */
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

/* From the variables `rank` and `size`, if they are told; else the rank of Slurm, if it is set;
 * else those of the first launcher of which rank and size are set, else of the first of which the
 * rank is. Whoever chooses ranks and whoever names files by them has the same. */
trace_rank_t trace_rank(const char *rank, const char *size, const trace_variables_t *variables);

/* What a process's outputs say of it, their names and what stands in them: the same, from the two
 * variables that TRACE_RANK_VARIABLE and TRACE_SIZE_VARIABLE name, if these are set. */
trace_rank_t trace_rank_told(const trace_variables_t *variables);

#endif
