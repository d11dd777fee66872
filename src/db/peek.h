/* peek.h - reads two small tables of a file without opening it as a database.
 *
 * When SQLite opens a file, it parses the schema, which takes as long as reading some thousand
 * records. To list the processes of a thousand files, only two small tables of each file are
 * needed. Their root pages are those of the first file, if the texts of both schemas are the same
 * except for the id of the process. */
#ifndef CROCPROF_DB_PEEK_H
#define CROCPROF_DB_PEEK_H

#include "db/db.h"

typedef struct db_likeness db_likeness_t;

/* Notes the schema of a file that is open. Returns NULL if the file is unusual, so that other files
 * cannot be read in this way. */
db_likeness_t *db_likeness_of(const db_t *db, const char *path);
void db_likeness_free(db_likeness_t *l);

/* Gets the contents of a file: all rows of rocpd_metadata, then those of rocpd_info_process. Either
 * function returns false if it needs no further rows. */
typedef struct {
    bool (*fact)(void *data, const char *tag, const char *value);
    bool (*process)(void *data, const char *guid, uint32_t pid, uint64_t begin, uint64_t end);
    void *data;
} db_listener_t;

/* Reads a file. Returns false if its schema differs, if the file is unusual, or if the listener has
 * returned false: then the rows that were passed must be discarded, and the file has to be opened
 * as a database. */
bool db_peek(const db_likeness_t *l, const char *path, const db_listener_t *to);

#endif
