/* ranks.h - which rank of a parallel program a process is.
 *
 * Apart because two sides ask: names of output files, in each process, and rocprofv3, which may
 * leave ranks alone. What launchers set is one table in ranks.c. */
#ifndef CROCPROF_TRACE_RANKS_H
#define CROCPROF_TRACE_RANKS_H

/* Variables in which rocprofv3 tells the program's processes where rank and size stand. */
#define TRACE_RANK_VARIABLE "ROCPROF_MPI_RANK_VAR"
#define TRACE_SIZE_VARIABLE "ROCPROF_MPI_SIZE_VAR"

typedef struct {
    const char *rank_name, *size_name; /* variables that were found, or NULL */
    long rank, size;                   /* -1: not known */
} trace_rank_t;

/* From the variables `rank` and `size`, if they are told; else those of the first launcher of which
 * rank and size are set, else of the first of which the rank is. `env` gives a variable's value or
 * NULL. */
trace_rank_t trace_rank(const char *rank, const char *size, const char *(*env)(const char *name));

#endif
