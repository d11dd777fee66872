/* joined.h - records with their events, read from pages; the part of a cursor that db.c calls.
 *
 * The interface for others is db_records(), in db.h. */
#ifndef CROCPROF_DB_JOINED_H
#define CROCPROF_DB_JOINED_H

#include "db/db.h"

/* Goes to the next row. False at the end, or if a table turns out not to be as usual: c->joined is
 * NULL then, and the caller takes the remaining rows from the cursor's statement. */
bool db_joined_next(db_cursor_t *c);

/* The text of a column, as db_text() returns it. */
const char *db_joined_text(const db_cursor_t *c, int column);

void db_joined_end(db_cursor_t *c);

/* ---- in db.c, for the files of this room ---- */

/* Begins a transaction and reads from the file in it: SQLite then holds its shared lock, and no
 * other program can change the file. False: SQLite could not begin the transaction or not read, and
 * there is none. */
bool db_hold(const db_t *db);
/* Ends the transaction of db_hold(), after which other programs can change the file. */
void db_release(const db_t *db);

/* Opens a file of which pages alone are read, and not its schema. No other program can change the
 * file until db_close(). False: the file cannot be opened, and nothing is to be closed. */
bool db_open_bare(db_t *db, const char *path);
sqlite3_file *db_bare_file(const db_t *db);

#endif
