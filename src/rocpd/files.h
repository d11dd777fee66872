/* files.h - the databases that a command is given: paths, directories, indexes, wildcards.
 *
 * Here files are found and the versions of their schemas compared; base.h opens them for
 * reading. */
#ifndef CROCPROF_ROCPD_FILES_H
#define CROCPROF_ROCPD_FILES_H

#include "db/db.h"
#include "model/numbers.h"
#include "rocpd/options.h"

typedef struct {
    char **paths;
    size_t count;
    out_numbers_t known; /* paths that rocpd_files_add() has added, by their hashes: index + 1 */
    bool stores;         /* folders of stores are searched for, too */
} rocpd_files_t;

/* Adds to the list a database, or all databases below a folder, those of a folder in the order of
 * their names. Returns 0, or -1 after reporting the reason: that there is none, or that some of
 * what is below the folder cannot be read. */
int rocpd_files_search(char ***names, size_t *count, const char *path);

/* Finds the databases that --input names; for reduce also stores that are not converted, whose
 * paths are those of their folders. Returns 0, or -1 after reporting the reason. */
int rocpd_files_find(rocpd_files_t *f, const rocpd_options_t *o);
/* Adds a path unless it is in the list. Returns 0, or -1 after reporting the reason. */
int rocpd_files_add(rocpd_files_t *f, const char *path);
void rocpd_files_free(rocpd_files_t *f);

/* Returns the text of the metadata row `tag` of one database, to be freed; NULL, after reporting
 * the reason, if there is no such row or the file is not a database. */
char *rocpd_metadata(const char *path, const char *tag);

/* Opens a database, which must have metadata. Returns 0, or -1 after reporting the reason, and then
 * there is nothing to close. */
int rocpd_files_open(db_t *db, const char *path);
/* The same with db_open_by_names(). */
int rocpd_files_open_by_names(db_t *db, const char *path);

/* Compares the schema of a file with that of the first one: *version is NULL for the first, and
 * then set, to be freed. Returns 0, or -1 after reporting that they cannot be `what`, for example
 * "merged". */
int rocpd_files_check(const rocpd_files_t *f, size_t number, const db_t *db, const char *what,
                      char **version);

/* Calls `use` with each database, opened by itself, and its number, until a call returns something
 * else than 0, and returns that. Returns -1 after reporting the reason if a database cannot be
 * opened. */
int rocpd_files_each(const rocpd_files_t *f, int (*use)(const db_t *db, size_t number, void *data),
                     void *data);

/* Reads a whole text file, to be freed; NULL after reporting the reason. */
char *rocpd_read_file(const char *path);

#endif
