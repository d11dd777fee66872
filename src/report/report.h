/* report.h - makes a page from the databases of a run, which opens in any browser.
 *
 * The page is a template (page/, put into the program by the build) around the data: facts as JSON,
 * records as columns of numbers, packed together. No text from a database is part of the page's
 * HTML, so that no name can become markup or script. */
#ifndef CROCPROF_REPORT_REPORT_H
#define CROCPROF_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Roofs of the roofline model: bandwidths of memories, rates of units. X(name) */
#define REP_ROOFS(X)                                                                               \
    X(hbm)                                                                                         \
    X(l2)                                                                                          \
    X(l1)                                                                                          \
    X(lds)                                                                                         \
    X(f64)                                                                                         \
    X(f32)                                                                                         \
    X(f16)                                                                                         \
    X(mfma_f64)                                                                                    \
    X(mfma_f32)                                                                                    \
    X(mfma_xf32)                                                                                   \
    X(mfma_f16)                                                                                    \
    X(mfma_bf16)                                                                                   \
    X(mfma_f8)                                                                                     \
    X(mfma_i8)                                                                                     \
    X(mfma_f4)

typedef enum {
#define X(name) REP_ROOF_##name,
    REP_ROOFS(X)
#undef X
        REP_ROOF_COUNT
} rep_roof_t;

enum { REP_RUNS_MAX = 2, REP_EVENTS_MOST = 5000000 };

typedef struct {
    const char *label;  /* name of the run, for display */
    char *const *paths; /* databases, or directories that contain them; none: the working
                         * directory */
    size_t count;
    bool passing; /* the databases are removed after the page is made, so it does not list them */
} rep_input_t;

typedef struct {
    rep_input_t runs[REP_RUNS_MAX]; /* if there are two, they are compared */
    size_t run_count;
    double roofs[REP_ROOF_COUNT]; /* measured peaks, in GB/s and GFLOP/s; 0: none */
    uint64_t events;              /* most records of a timeline */
} rep_request_t;

/* Makes the page. Returns 0, or -1 after reporting the reason. */
int rep_write(const rep_request_t *request, const char *path);

/* Runs rocprofv3 report. Returns the exit status. */
int rep_command(int argc, char **argv);

#endif
