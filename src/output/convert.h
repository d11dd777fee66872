/* convert.h - converts one process's store into the output files that the settings select.
 *
 * It reads every segment once, to find the order of the records and to compute statistics, then
 * reads the records in order for each format. Memory is bounded by the records that overlap in time
 * and by the program's own names, not by the length of the run. */
#ifndef CROCPROF_OUTPUT_CONVERT_H
#define CROCPROF_OUTPUT_CONVERT_H

#include <limits.h>
#include <signal.h>

#include "output/config.h"
#include "output/format.h"

typedef struct {
    const out_config_t *config;
    /* If set, this is called instead of writing files, with the process, its sorted records and its
     * statistics. It returns 0, or -1 with a line in the job's `why`. */
    int (*take)(void *taker, out_job_t *job);
    void *taker;
    unsigned threads;                  /* as in out_job_t */
    const volatile sig_atomic_t *stop; /* conversion ends with a failure once this is not 0 */
    /* The directory for the files, or "stdout"; NULL: each process's own output directory. If set,
     * paths in a store are not trusted: a name that leads out of the directory is replaced. */
    const char *directory;
    char **prefixes; /* prefixes of stores that were converted before; initially none */
    size_t prefix_count;
    const char
        *chosen; /* the prefix that out_convert_name has given this store; NULL: choose one */
} out_conversion_t;

typedef struct {
    char prefix[PATH_MAX]; /* prefix of the files written; "" for standard output */
    uint32_t pid;
    trace_counts_t counts;
    uint64_t cut;    /* bytes that could not be read */
    unsigned blank;  /* segments that had no records yet when the process was killed */
    unsigned files;  /* files written */
    bool running;    /* the process still runs, so nothing was converted */
    bool killed;     /* the process ended without closing its store */
    bool renamed;    /* the name of the files was replaced (see `directory`) */
    bool model_time; /* times of kernels come from a timing model */
    uint64_t lost_names, cut_texts;
    bool uncounted;                    /* the process was killed before its counts of instructions
                                        * were written */
    uint64_t counts_with_gaps;         /* dispatches whose counts of instructions are incomplete */
    char failure[TRACE_FAILURE_BYTES]; /* the first failure to write records in the process, or
                                        * "" */
} out_result_t;

/* Converts a store, which is not changed. Returns 0, or -1 with a line in `why`. */
int out_convert(out_conversion_t *c, const char *store, out_result_t *result, char *why,
                size_t why_bytes);

/* Does the first step of out_convert, for stores that are converted in parallel: sets `pid`,
 * `running`, `renamed` and `prefix` and reserves the prefix, so that the prefixes depend only on
 * the order of these calls. Returns 0, or -1 with a line in `why`. */
int out_convert_name(out_conversion_t *c, const char *store, out_result_t *result, char *why,
                     size_t why_bytes);
void out_conversion_free(out_conversion_t *c);

#endif
