/* merge.h - what the files of rocpd merge share: merge.c copies by SQL, merge_pages.c by pages,
 * merge_rows.c by rows, of which merge_source.c reads them, to tables that all runs share. */
#ifndef CROCPROF_ROCPD_MERGE_H
#define CROCPROF_ROCPD_MERGE_H

#include "rocpd/files.h"

/* Returns a statement that makes a table with the columns of the table in the database `part`,
 * without using the file's SQL; to be freed with sqlite3_free(). Returns NULL after reporting the
 * reason. */
char *rocpd_table_like(const db_t *db, const char *part, const char *name);

/* Copies the tables of all databases, and their indexes by event, into the empty file `path`.
 * Returns 1; 0 if one of them has to be copied otherwise, and the file is still empty: *shared says
 * whether the runs of one of them share tables; -1 after reporting the reason. */
int rocpd_merge_pages(const rocpd_files_t *f, const rocpd_options_t *o, const char *path,
                      bool *shared);

/* Copies the rows of all databases to tables that all of them share, in the empty main database of
 * the connection, and makes views with the tables' names without ids. Returns 0, or -1 after
 * reporting the reason. */
int rocpd_merge_rows(const rocpd_files_t *f, const rocpd_options_t *o, const db_t *db);

/* For merge_rows.c: calls `use` for each table of a database whose rows are copied, with the name
 * of the view that shows it and its rows. `use` returns 0, or -1 after reporting the reason, which
 * ends the work; it need not read all rows, and does not end them. With `tell`, warnings name the
 * views and tables that are left out. Returns 0, or -1 after reporting the reason. */
typedef int (*rocpd_merge_use_t)(void *data, const char *view, db_cursor_t *rows);
int rocpd_merge_source(const char *path, bool tell, rocpd_merge_use_t use, void *data);

#endif
