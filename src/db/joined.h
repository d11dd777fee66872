/* joined.h - records with their events, read from pages; the part of a cursor that db.c calls.
 *
 * The interface for others is db_records(), in db.h. */
#ifndef CROCPROF_DB_JOINED_H
#define CROCPROF_DB_JOINED_H

#include "db/db.h"

/* Goes to the next row. False: at the end; or, with c->joined NULL from then on, the rows that
 * follow are those of the cursor's statement. */
bool db_joined_next(db_cursor_t *c);

/* The text of a column, as db_text() returns it. */
const char *db_joined_text(const db_cursor_t *c, int column);

void db_joined_end(db_cursor_t *c);

/* ---- in db.c, for the files of this room ---- */

/* Begins a transaction that has read the file, so that nobody else can change this until
 * db_release(). False: SQLite did not begin or read, and there is no transaction. */
bool db_hold(const db_t *db);
void db_release(const db_t *db);

/* Opens a file for reading pages alone: its schema is not read, and nobody else can change it until
 * it is closed, by db_close(). False: it cannot be opened, and nothing is to be closed. */
bool db_open_bare(db_t *db, const char *path);
sqlite3_file *db_bare_file(const db_t *db);

#endif
