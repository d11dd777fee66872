/* rows.h - reads one database after another into sums: all records that take time.
 *
 * rows.c reads views, whatever they are; rows_quick.c reads the tables behind those views whose
 * text is that of this program's own schema, and gets the same sums in a fraction of the time. */
#ifndef CROCPROF_ROCPD_ROWS_H
#define CROCPROF_ROCPD_ROWS_H

#include "db/db.h"
#include "rocpd/options.h"
#include "rocpd/partial.h"

/* Which names kernels have; numbers in files. */
enum { ROCPD_NAMES_SHOWN, ROCPD_NAMES_MANGLED, ROCPD_NAMES_TRUNCATED, ROCPD_NAMES_RENAMED = 4 };

typedef struct {
    char *name, *sql; /* sql: of sqlite3_mprintf() */
    char *view;       /* its text, if that is the one of this program's own schema; else NULL */
} rocpd_source_t;

/* What is read of each database. */
typedef struct {
    rocpd_source_t *views;
    size_t count;
    rocpd_source_t regions; /* calls and ranges */
    bool all_known;         /* all views are those of this program's own schema */
    uint32_t names;         /* ROCPD_NAMES_* */
} rocpd_rows_t;

/* Which names the options ask for. */
uint32_t rocpd_rows_names(const rocpd_options_t *o);

/* Finds the views that have a duration in the first database, whose views all of them share. 0, or
 * -1 with the reason told. */
int rocpd_rows_find(rocpd_rows_t *r, const db_t *first, const rocpd_options_t *o);
void rocpd_rows_free(rocpd_rows_t *r);

/* Reads a database into an empty partial; where all views are known, the temporary ones may be
 * missing. 0, or -1 with the reason told. */
int rocpd_rows_read(const rocpd_rows_t *r, const db_t *db, rocpd_partial_t *to);

/* ---- for the files of this module ---- */

/* Reads the tables behind the known views. 0; 1 if a database is so unusual that it has to be read
 * by its views, and what is in `to` is to be forgotten; -1 with the reason told. */
int rocpd_rows_quick(const rocpd_rows_t *r, const db_t *db, rocpd_partial_t *to);

/* 1 if rocpd_rows_quick() reads this view, or the view has no rows; else 0; -1 with the reason
 * told. */
int rocpd_rows_are_quick(const db_t *db, const rocpd_source_t *view);

int rocpd_rows_no_memory(void);

#endif
