/* base.h - opens the databases that a command reads, as one.
 *
 * Every file is attached to one connection, read-only (db/db.h). If there are more files than
 * SQLite can attach, they are copied into a temporary database first. Temporary views, named as in
 * AMD's schema, unite the tables of all files; above them are the schema's own views, taken from
 * the first file. So databases of all versions of the schema can be read. */
#ifndef CROCPROF_ROCPD_BASE_H
#define CROCPROF_ROCPD_BASE_H

#include "db/db.h"
#include "db/schema.h"
#include "rocpd/options.h"

typedef struct {
    char **paths;
    size_t count;
} rocpd_files_t;

/* Finds the databases that --input names. 0, or -1 with the reason told. */
int rocpd_files_find(rocpd_files_t *f, const rocpd_options_t *o);
void rocpd_files_free(rocpd_files_t *f);

/* Text of the metadata row `tag` of one database, to be freed; NULL, with the reason told, if there
 * is no such row or the file is no database. */
char *rocpd_metadata(const char *path, const char *tag);

/* 0 if all databases have the same version of the schema, else -1 with the reason told: that they
 * cannot be `what`, for example "merged". */
int rocpd_same_schema(const rocpd_files_t *f, const char *what);

/* Copies all databases into the main database of the connection, which is empty: their tables as
 * they are, and the views of the first one over all tables. 0, or -1 with the reason told. */
int rocpd_copy(db_t *db, const rocpd_files_t *f);

typedef struct {
    long long begin, end;
    bool inclusive, whole; /* whole: there is no window */
} rocpd_window_t;

typedef struct {
    db_t db;
    const char
        *first; /* where the rows are: one database of the connection, or several, db0 and on */
    size_t count;
    rocpd_window_t window;
} rocpd_base_t;

/* Opens all databases as one, whose views show only the window of the options. 0, or -1 with the
 * reason told and nothing to close. */
int rocpd_open(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o);
void rocpd_close(rocpd_base_t *b);

/* From now on the views show only the rows of one process, so that statements about it take no
 * longer if there are many processes. No statement may be running. 0, or -1 with the reason
 * told. */
int rocpd_narrow(rocpd_base_t *b, const char *guid);

/* Writes the path of an output, --output-path/<name>, to `path`: keys are replaced and the
 * directory is made. 0, or -1 with the reason told. */
int rocpd_output(const rocpd_options_t *o, const char *name, char *path, size_t bytes);

/* The whole of a text file, to be freed; NULL with the reason told. */
char *rocpd_read_file(const char *path);

#endif
