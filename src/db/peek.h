/* peek.h - a look into one of many files whose schema is that of the first one.
 *
 * To open a file SQLite parses its schema, which takes as long as to read some thousand records.
 * Who wants to know of each of a thousand files which processes it has, reads two small tables of
 * it: where they are follows from the first file, if the texts of both schemas are the same but for
 * the id of the process. */
#ifndef CROCPROF_DB_PEEK_H
#define CROCPROF_DB_PEEK_H

#include "db/db.h"

typedef struct db_likeness db_likeness_t;

/* Notes the schema of a file that is open. NULL: it is not as usual, so that no other file can be
 * looked into by it. */
db_likeness_t *db_likeness_of(const db_t *db, const char *path);
void db_likeness_free(db_likeness_t *l);

/* What a file tells: all rows of rocpd_metadata, then those of rocpd_info_process. Either function
 * returns false if nothing more is wanted. */
typedef struct {
    bool (*fact)(void *data, const char *tag, const char *value);
    bool (*process)(void *data, const char *guid, uint32_t pid, uint64_t begin, uint64_t end);
    void *data;
} db_listener_t;

/* Looks into a file. False: its schema is another one, or the file is not as usual, or nothing more
 * was wanted: whatever was told is to be forgotten, and the file has to be opened. */
bool db_peek(const db_likeness_t *l, const char *path, const db_listener_t *to);

#endif
