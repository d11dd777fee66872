/* run.h - what runs have left, to be read: their databases as one, kernels by name, counters.
 *
 * Every sub-command that reads results begins here. What is not offered is one statement of SQL
 * away: `db` has the views of AMD's schema over all databases, whatever version they have. */
#ifndef CROCPROF_RESULTS_RUN_H
#define CROCPROF_RESULTS_RUN_H

#include <stdint.h>

#include "rocpd/base.h"

typedef struct {
    rocpd_files_t files;
    rocpd_base_t base;
    sqlite3 *db; /* base's */
} res_run_t;

/* Databases, or directories that hold some, at any depth; none: the working directory. 0, or -1
 * with the reason told and nothing to close. */
int res_run_open(res_run_t *r, char *const *paths, size_t count);
void res_run_close(res_run_t *r);

/* A kernel: all dispatches of one name. Where they differ, the greatest is given. */
typedef struct {
    char *name, *agent; /* agent: name of one that ran it, as gfx90a */
    uint64_t calls, total_ns, min_ns, max_ns;
    uint32_t vgprs, agprs, sgprs;
    uint32_t group_bytes, private_bytes; /* of dispatches, dynamic LDS included */
    uint32_t workgroup;                  /* work-items */
    uint32_t variants;                   /* different codes of this name: 1 mostly */
} res_kernel_t;

typedef struct {
    res_kernel_t *rows; /* by total time, then name */
    size_t count;
} res_kernels_t;

/* 0, or -1 with the reason told and nothing to free. */
int res_kernels(res_run_t *r, res_kernels_t *k);
void res_kernels_free(res_kernels_t *k);

/* A counter over the dispatches of one kernel in which it was collected. A dispatch's value is the
 * sum over the counter's instances, as everywhere in the schema. */
typedef struct {
    char *name;
    uint64_t dispatches;
    double sum, min, max;
} res_counter_t;

typedef struct {
    res_counter_t *rows; /* by name */
    size_t count;
} res_counters_t;

/* Those of the kernel of this name. Same answers. */
int res_counters(res_run_t *r, const char *kernel, res_counters_t *c);
void res_counters_free(res_counters_t *c);

/* A statement, to be finalized; NULL with the reason told: `what` is what was tried. */
sqlite3_stmt *res_prepare(res_run_t *r, const char *sql, const char *what);
/* A step: 1 a row, 0 the end, -1 with the reason told. */
int res_step(sqlite3_stmt *s, const char *what);

#endif
