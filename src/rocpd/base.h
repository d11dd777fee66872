/* base.h - the databases that a command reads, seen as one.
 *
 * Every file is attached to one connection, read-only; more than SQLite attaches are copied into a
 * temporary database first. Over the tables of all of them stand temporary views of the names that
 * AMD's schema gives them, and over these the schema's own views, as the first file has them: so
 * databases of all versions of the schema can be read. */
#ifndef CROCPROF_ROCPD_BASE_H
#define CROCPROF_ROCPD_BASE_H

#include <signal.h>
#include <sqlite3.h>

#include "rocpd/options.h"

/* Number of the signal that asked for the end, or 0. Whatever is being written then is not left. */
extern volatile sig_atomic_t rocpd_interrupted;
/* Lets statements of the connection end early then. */
void rocpd_heed_signals(sqlite3 *db);

typedef struct {
    char **paths;
    size_t count;
} rocpd_files_t;

/* The databases that --input names. 0, or -1 with the reason told. */
int rocpd_files_find(rocpd_files_t *f, const rocpd_options_t *o);
void rocpd_files_free(rocpd_files_t *f);

/* Text of the metadata row `tag` of one database, to be freed; NULL if there is none, or it is no
 * database (told then). */
char *rocpd_metadata(const char *path, const char *tag);

/* 0 if all of them have one version of the schema, else -1 with the reason told: `what` is what
 * they then cannot be. */
int rocpd_same_schema(const rocpd_files_t *f, const char *what);

/* Copies all of them into the main database of the connection, which is empty: their tables as they
 * are, and the views of the first one over all of them. 0, or -1 with the reason told. */
int rocpd_copy(sqlite3 *db, const rocpd_files_t *f);

typedef struct {
    long long begin, end;
    bool inclusive, whole; /* whole: no window */
} rocpd_window_t;

typedef struct {
    sqlite3 *db;
    const char
        *first; /* where the rows are: one database of the connection, or several, db0 and on */
    size_t count;
    rocpd_window_t window;
} rocpd_base_t;

/* All of them as one, cut to the window of the options. 0, or -1 with the reason told and nothing
 * to close. */
int rocpd_open(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o);
void rocpd_close(rocpd_base_t *b);

/* From now on the views show the rows of one process alone: what is asked about it costs no more
 * when there are many. No statement may be running. 0, or -1 with the reason told. */
int rocpd_narrow(rocpd_base_t *b, const char *guid);

/* Whether the view is there and has the column: schemas differ. */
bool rocpd_has_column(sqlite3 *db, const char *view, const char *column);

/* Runs SQL. 0, or -1 with the reason told: `what` is what was tried. */
int rocpd_run(sqlite3 *db, const char *sql, const char *what);

/* Of a statement whose last step answered `status`: 0 if there are no more rows, or -1 with the
 * reason told, since an error ends the rows as well. Frees the statement. */
int rocpd_finish(sqlite3 *db, sqlite3_stmt *s, int status);

/* <directory>/<name> of the options, keys replaced, directory made. 0, or -1 with the reason told.
 */
int rocpd_output(const rocpd_options_t *o, const char *name, char *path, size_t bytes);

/* The whole of a text file, to be freed; NULL with the reason told. */
char *rocpd_read_file(const char *path);

#endif
