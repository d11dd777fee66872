/* convert.h - turns one process's store into the files asked for.
 *
 * Looks through every segment once, which is also when statistics are counted, then reads them in
 * order for each format. Memory is bounded by what overlaps in time and the program's own names,
 * not by the length of the run. */
#ifndef CROCPROF_OUTPUT_CONVERT_H
#define CROCPROF_OUTPUT_CONVERT_H

#include <limits.h>
#include <signal.h>

#include "output/config.h"
#include "output/format.h"

typedef struct {
    const out_config_t *config;
    /* In place of files: gets the process, its records sorted, statistics counted. 0, or -1 with a
     * line in the job's `why`. */
    int (*take)(void *taker, out_job_t *job);
    void *taker;
    unsigned threads;                  /* as in out_job_t */
    const volatile sig_atomic_t *stop; /* conversion ends early once this is not 0 */
    /* Where files go ("stdout" too); NULL: where each process wanted them. If given, no path that
     * stands in a store is believed: what leads out of the directory is replaced. */
    const char *directory;
    char **prefixes; /* taken by stores converted before; start with none */
    size_t prefix_count;
} out_conversion_t;

typedef struct {
    char prefix[PATH_MAX]; /* of the files written; "" for standard output */
    uint32_t pid;
    trace_counts_t counts;
    uint64_t cut;    /* bytes that could not be read */
    unsigned blank;  /* segments that the process had only begun when it was killed */
    unsigned files;  /* files written */
    bool running;    /* the process lives on: nothing was converted */
    bool killed;     /* it ended without closing its store */
    bool renamed;    /* the name of its files led out of the directory */
    bool model_time; /* times of kernels are those of a timing model */
    uint64_t lost_names, cut_texts;
    bool uncounted;                    /* killed before its counts of instructions were written */
    uint64_t counts_with_gaps;         /* dispatches of which counts of instructions are missing */
    char failure[TRACE_FAILURE_BYTES]; /* first failure to write inside the process, or "" */
} out_result_t;

/* 0, or -1 with a line in `why`; the store is left as it is in both cases. */
int out_convert(out_conversion_t *c, const char *store, out_result_t *result, char *why,
                size_t why_bytes);
void out_conversion_free(out_conversion_t *c);

#endif
