/* ranks.h - which rank of a parallel program a process is.
 *
 * The rank is needed in three places: in each process, for the names of its output files and for
 * the facts in its store; in rocprofv3 and the tool, which skip the ranks that --ranks leaves out;
 * and in the writers that show the settings. The variables that launchers set are one table in
 * ranks.c, a row for each launcher. */
#ifndef CROCPROF_TRACE_RANKS_H
#define CROCPROF_TRACE_RANKS_H

#include "trace/settings.h"

typedef struct {
    const char *launcher;              /* the launcher that gave the rank; NULL: none, or the rank's
                                        * variable was named by an option */
    const char *rank_name, *size_name; /* the variables that were read, or NULL */
    long rank, size;                   /* -1: not known; the same holds for the next three */
    long local_rank, local_size;       /* among the ranks of the same node */
    long node;                         /* number of the node within the job */
    const char *job;                   /* id of the job as the scheduler set it, or NULL */
} trace_rank_t;

/* Rank and size from the variables that are named `rank` and `size`, if names are given; else from
 * the innermost launcher all of whose variables for the two are set, else from the innermost whose
 * rank is set. Facts that this launcher does not set are taken from the launchers around it that
 * give the process the same rank; the id of the job is that of the outermost launcher which sets
 * one. */
trace_rank_t trace_rank(const char *rank, const char *size, const trace_variables_t *variables);

/* The same, with the names of variables that --mpi-world-rank-variable and
 * --mpi-world-size-variable give: this is the rank that the names and the contents of a process's
 * outputs show. */
trace_rank_t trace_rank_told(const trace_variables_t *variables);

/* Names under which a store and a database keep the facts about the rank of a process. */
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

/* A list of ranks, such as 0,5-7,every:16. */
typedef struct {
    long most, least; /* highest and lowest rank that the list names; most is -1 if it has only
                       * "every:" items */
    bool has;         /* the rank `wanted` is in the list */
} trace_ranks_t;

typedef enum {
    TRACE_LIST_RIGHT,
    TRACE_LIST_NO_RANKS, /* a word is no number, no range and no step */
    TRACE_LIST_NO_STEP,  /* every:0 */
    TRACE_LIST_BACKWARDS /* a range ends before it begins */
} trace_list_t;

/* Reads a list and looks for the rank `wanted` in it. `wrong` becomes the word for which the list
 * is refused. */
trace_list_t trace_ranks_find(const char *list, long wanted, trace_ranks_t *found,
                              const char **wrong);

/* The same. Returns 0, or -1 with a line in `why`. */
int trace_ranks_read(const char *list, long wanted, trace_ranks_t *found, char *why,
                     size_t why_bytes);

/* Returns whether this process is one of the ranks that --ranks leaves out. */
bool trace_rank_left_out(const trace_variables_t *variables);

#endif
