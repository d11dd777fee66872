/* rows.h - sums all records that take time, one database after another.
 *
 * rows.c reads any views; rows_quick.c reads the tables behind those views whose text is that of
 * this program's own schema, and computes the same sums in a fraction of the time. */
#ifndef CROCPROF_ROCPD_ROWS_H
#define CROCPROF_ROCPD_ROWS_H

#include "db/db.h"
#include "rocpd/options.h"
#include "rocpd/partial.h"

/* The forms of kernels' names; the numbers are used in files. */
enum { ROCPD_NAMES_SHOWN, ROCPD_NAMES_MANGLED, ROCPD_NAMES_TRUNCATED, ROCPD_NAMES_RENAMED = 4 };

typedef struct {
    char *name, *sql; /* `sql` comes from sqlite3_mprintf() */
    char *view;       /* text of the view, if it is that of this program's own schema; else NULL */
} rocpd_source_t;

/* The views of each database that are read. */
typedef struct {
    rocpd_source_t *views;
    size_t count;
    rocpd_source_t regions; /* calls and ranges */
    bool all_known;         /* all views are those of this program's own schema */
    uint32_t names;         /* ROCPD_NAMES_* */
} rocpd_rows_t;

/* Returns the form of names that the options select. */
uint32_t rocpd_rows_names(const rocpd_options_t *o);

/* Finds the views that have a duration in the first database; all databases share them. Returns 0,
 * or -1 after reporting the reason. */
int rocpd_rows_find(rocpd_rows_t *r, const db_t *first, const rocpd_options_t *o);
void rocpd_rows_free(rocpd_rows_t *r);

/* Reads a database into an empty partial; if all views are known, temporary views may be missing.
 * Returns 0, or -1 after reporting the reason. */
int rocpd_rows_read(const rocpd_rows_t *r, const db_t *db, rocpd_partial_t *to);

/* ---- for the files of this module ---- */

/* Reads the tables behind the known views. Returns 0; 1 if a database is so unusual that it has to
 * be read by its views, and the contents of `to` must be discarded; -1 after reporting the
 * reason. */
int rocpd_rows_quick(const rocpd_rows_t *r, const db_t *db, rocpd_partial_t *to);

/* Returns 1 if rocpd_rows_quick() reads this view, or if the view has no rows; else 0; -1 after
 * reporting the reason. */
int rocpd_rows_are_quick(const db_t *db, const rocpd_source_t *view);

int rocpd_rows_no_memory(void);

#endif
