/* format.h - the output formats: one row for each.
 *
 * src/trace/README.md says what else a new format needs. */
#ifndef CROCPROF_OUTPUT_FORMAT_H
#define CROCPROF_OUTPUT_FORMAT_H

#include "insight/instructions.h"
#include "model/sum.h"
#include "output/config.h"
#include "output/source.h"

typedef struct {
    out_model_t *model;
    const out_config_t *config;
    out_source_t *source;
    sums_t *stats;                 /* indexed by domain */
    const ins_set_t *instructions; /* NULL: instructions were not counted */
    char *why;
    size_t why_bytes;
    unsigned threads; /* number of threads that render, see crew.h; 0: as many as are useful */
    /* Counts of records received, written and lost, or NULL if unknown; and the number of bytes
     * that could not be read. */
    const trace_counts_t *counts;
    uint64_t cut;
    bool killed;       /* the process ended without closing its store */
    const char *clock; /* describes how the times of a process on one of several nodes were
                        * converted; or NULL */
} out_job_t;

/* Makes the file. Returns 0, or -1 with a line in the job's `why`, and then no file is left. A
 * writer that has nothing to write may return 0 without a file. */
typedef int (*out_writer_t)(out_job_t *job, const char *path);

int out_json_write(out_job_t *job, const char *path);
int out_rocpd_write(out_job_t *job, const char *path);
int out_pftrace_write(out_job_t *job, const char *path);
int out_otf2_write(out_job_t *job, const char *path);

int out_callgrind_write(out_job_t *job, const char *path);

#ifdef CROCPROF_OTF2 /* the build has found the library */
#define OUT_FORMATS_OPTIONAL(X) X(otf2, "results.otf2", out_otf2_write)
#else
#define OUT_FORMATS_OPTIONAL(X)
#endif

/* X(name as for -f, end of the file name, writer). CSV has several files and no writer here;
 * HTML pages are made by rocprofv3 from the databases of a whole run: both rows have NULL. */
#define OUT_FORMATS(X)                                                                             \
    X(csv, NULL, NULL)                                                                             \
    X(json, "results.json", out_json_write)                                                        \
    X(pftrace, "results.pftrace", out_pftrace_write)                                               \
    X(rocpd, "results.db", out_rocpd_write)                                                        \
    X(callgrind, "callgrind.out", out_callgrind_write)                                             \
    X(html, NULL, NULL)                                                                            \
    OUT_FORMATS_OPTIONAL(X)

enum {
#define X(name, file, writer) OUT_FORMAT_##name,
    OUT_FORMATS(X)
#undef X
        OUT_FORMAT_COUNT
};

#endif
