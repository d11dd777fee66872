/* convert.h - turns one process's store into the files asked for.
 *
 * Reads every segment once, to find the order of the records and to compute statistics, then reads
 * the records in order for each format. Memory is bounded by the records that overlap in time and
 * by the program's own names, not by the length of the run. */
#ifndef CROCPROF_OUTPUT_CONVERT_H
#define CROCPROF_OUTPUT_CONVERT_H

#include <limits.h>
#include <signal.h>

#include "output/config.h"
#include "output/format.h"

typedef struct {
    const out_config_t *config;
    /* If set, called in place of writing files: gets the process, with its records sorted and
     * statistics computed. 0, or -1 with a line in the job's `why`. */
    int (*take)(void *taker, out_job_t *job);
    void *taker;
    unsigned threads;                  /* as in out_job_t */
    const volatile sig_atomic_t *stop; /* conversion ends with a failure once this is not 0 */
    /* Where files go ("stdout" too); NULL: where each process wanted them. If set, paths in a store
     * are not trusted: a name that leads out of the directory is replaced. */
    const char *directory;
    char **prefixes; /* prefixes taken by stores converted before; begin with none */
    size_t prefix_count;
    const char
        *chosen; /* the prefix that out_convert_name has given this store; NULL: choose one */
} out_conversion_t;

typedef struct {
    char prefix[PATH_MAX]; /* of the files written; "" for standard output */
    uint32_t pid;
    trace_counts_t counts;
    uint64_t cut;    /* bytes that could not be read */
    unsigned blank;  /* segments that had no records yet when the process was killed */
    unsigned files;  /* files written */
    bool running;    /* the process is still running: nothing was converted */
    bool killed;     /* the process ended without closing its store */
    bool renamed;    /* the name of its files was replaced (see `directory`) */
    bool model_time; /* times of kernels are those of a timing model */
    uint64_t lost_names, cut_texts;
    bool uncounted;                    /* killed before its counts of instructions were written */
    uint64_t counts_with_gaps;         /* dispatches whose counts of instructions are incomplete */
    char failure[TRACE_FAILURE_BYTES]; /* the first failure to write in the process, or "" */
} out_result_t;

/* 0, or -1 with a line in `why`. The store is not changed. */
int out_convert(out_conversion_t *c, const char *store, out_result_t *result, char *why,
                size_t why_bytes);

/* What comes first in out_convert, for stores that are converted side by side: sets `pid`,
 * `running`, `renamed` and `prefix` and takes the prefix, so that it depends on the order of these
 * calls alone. 0, or -1 with a line in `why`. */
int out_convert_name(out_conversion_t *c, const char *store, out_result_t *result, char *why,
                     size_t why_bytes);
void out_conversion_free(out_conversion_t *c);

#endif
