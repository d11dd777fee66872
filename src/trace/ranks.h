/* ranks.h - which rank of a parallel program a process is.
 *
 * Three sides ask: each process, for the names of its output files and for the facts in its store;
 * rocprofv3 and the tool, which may be told to leave ranks alone; and the writers of settings. The
 * variables that launchers set are one table in ranks.c, a row for each launcher. */
#ifndef CROCPROF_TRACE_RANKS_H
#define CROCPROF_TRACE_RANKS_H

#include "trace/settings.h"

typedef struct {
    const char *launcher;              /* whose rank it is; NULL: none, or named by its variable */
    const char *rank_name, *size_name; /* variables that were found, or NULL */
    long rank, size;                   /* -1: not known; so are the next three */
    long local_rank, local_size;       /* among the ranks of the same node */
    long node;                         /* which of the job's nodes */
    const char *job;                   /* id that the scheduler gave the job, or NULL */
} trace_rank_t;

/* Rank and size from the variables that are named `rank` and `size`, if names are given; else from
 * the innermost launcher all of whose variables for the two are set, else from the innermost whose
 * rank is set. What this launcher does not tell is taken from those around it that count the same
 * rank; the job's id is that of the outermost launcher which has one. */
trace_rank_t trace_rank(const char *rank, const char *size, const trace_variables_t *variables);

/* The same as the outputs of a process show it, in their names and in their contents: with the
 * names that --mpi-world-rank-variable and its like for the size give. */
trace_rank_t trace_rank_told(const trace_variables_t *variables);

/* Names of what is known of a process's rank, as its store and its database keep it. */
#define TRACE_RANK_FACTS(X)                                                                        \
    X("launcher", TEXT, launcher)                                                                  \
    X("job_id", TEXT, job)                                                                         \
    X("rank", NUMBER, rank)                                                                        \
    X("ranks", NUMBER, size)                                                                       \
    X("local_rank", NUMBER, local_rank)                                                            \
    X("local_ranks", NUMBER, local_size)                                                           \
    X("node_number", NUMBER, node)

/* Calls `put` for each fact that is known. */
void trace_rank_each(const trace_rank_t *rank, void (*put)(const char *name, const char *value));

/* What a list of ranks says, such as 0,5-7,every:16. */
typedef struct {
    long most, least; /* highest and lowest rank that it names; most -1: only steps */
    bool has;         /* the wanted rank is in it */
} trace_ranks_t;

/* Reads a list. 0, or -1 with a line in `why`. */
int trace_ranks_read(const char *list, long wanted, trace_ranks_t *found, char *why,
                     size_t why_bytes);

/* Is this process one of the ranks that --ranks leaves alone? */
bool trace_rank_left_out(const trace_variables_t *variables);

#endif
