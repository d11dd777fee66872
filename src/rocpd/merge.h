/* merge.h - what the files of rocpd merge share: merge.c copies by SQL, merge_pages.c by pages,
 * merge_rows.c by rows to tables that all runs share. */
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

#endif
