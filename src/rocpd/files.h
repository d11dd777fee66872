/* files.h - the databases that a command is given: paths, directories, indexes, wildcards.
 *
 * Files are found here and asked what schema they have; base.h opens them. */
#ifndef CROCPROF_ROCPD_FILES_H
#define CROCPROF_ROCPD_FILES_H

#include "db/db.h"
#include "model/numbers.h"
#include "rocpd/options.h"

typedef struct {
    char **paths;
    size_t count;
    out_numbers_t known; /* paths that rocpd_files_add() has added, by their hashes: index + 1 */
    bool stores;         /* folders of stores are looked for, too */
} rocpd_files_t;

/* Finds the databases that --input names; for reduce also stores that are not converted, whose
 * paths are those of their folders. 0, or -1 with the reason told. */
int rocpd_files_find(rocpd_files_t *f, const rocpd_options_t *o);
/* Adds a path unless it is there. 0, or -1 with the reason told. */
int rocpd_files_add(rocpd_files_t *f, const char *path);
void rocpd_files_free(rocpd_files_t *f);

/* Text of the metadata row `tag` of one database, to be freed; NULL, with the reason told, if there
 * is no such row or the file is no database. */
char *rocpd_metadata(const char *path, const char *tag);

/* Opens a database, which has metadata. 0, or -1 with the reason told and nothing to close. */
int rocpd_files_open(db_t *db, const char *path);
/* The same by db_open_by_names(). */
int rocpd_files_open_by_names(db_t *db, const char *path);

/* Compares the schema of a file with that of the first one: *version is NULL for the first, and
 * then set, to be freed. 0; or -1 with the reason told, which is that they cannot be `what`, for
 * example "merged". */
int rocpd_files_check(const rocpd_files_t *f, size_t number, const db_t *db, const char *what,
                      char **version);

/* Calls back with each database, opened by itself, and its number, until a callback returns
 * something else than 0; returns that. -1 with the reason told if one cannot be opened, or has
 * another version of the schema than the first. */
int rocpd_files_same(const rocpd_files_t *f, const char *what,
                     int (*use)(const db_t *db, size_t number, void *data), void *data);

/* The same without a look at the schema. */
int rocpd_files_each(const rocpd_files_t *f, int (*use)(const db_t *db, size_t number, void *data),
                     void *data);

/* The whole of a text file, to be freed; NULL with the reason told. */
char *rocpd_read_file(const char *path);

#endif
