/* joined.h - records with their events, read from pages: the functions that db.c calls.
 *
 * Other rooms use db_records(), in db.h. */
#ifndef CROCPROF_DB_JOINED_H
#define CROCPROF_DB_JOINED_H

#include "db/db.h"

/* Goes to the next row. Returns false at the end, or if a table turns out to be unusual: then
 * c->joined is NULL, and the caller reads the remaining rows from the cursor's statement. */
bool db_joined_next(db_cursor_t *c);

/* Returns the text of a column, as db_text() does. */
const char *db_joined_text(const db_cursor_t *c, int column);

void db_joined_end(db_cursor_t *c);

/* ---- in db.c, for the files of this room ---- */

/* Opens a file whose pages are read, but not its schema. No other program can change the file until
 * db_close(). Returns false if the file cannot be opened; then there is nothing to close. */
bool db_open_bare(db_t *db, const char *path);
sqlite3_file *db_bare_file(const db_t *db);

#endif
