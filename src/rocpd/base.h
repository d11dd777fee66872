/* base.h - the databases that a command reads, seen as one.
 *
 * Every file is attached to one connection, read-only; over the tables of all of them stand
 * temporary views of the names that AMD's schema gives them, and over these the schema's own views,
 * as the first file has them: so databases of all versions of the schema can be read. */
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

/* All of them as one, cut to the window of the options. NULL with the reason told. */
sqlite3 *rocpd_open(const rocpd_files_t *f, const rocpd_options_t *o);

/* Whether the view is there and has the column: schemas differ. */
bool rocpd_has_column(sqlite3 *db, const char *view, const char *column);

/* Runs SQL. 0, or -1 with the reason told: `what` is what was tried. */
int rocpd_run(sqlite3 *db, const char *sql, const char *what);

/* <directory>/<name> of the options, keys replaced, directory made. 0, or -1 with the reason told.
 */
int rocpd_output(const rocpd_options_t *o, const char *name, char *path, size_t bytes);

/* The whole of a text file, to be freed; NULL with the reason told. */
char *rocpd_read_file(const char *path);

#endif
