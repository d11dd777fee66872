/* scan.h - reads the rows of a table from the file's pages.
 *
 * SQLite takes some hundred nanoseconds to step to a row and to get its columns, one by one; here a
 * row is decoded in less than half of that. Only tables in the form that this program and AMD's
 * write are read in this way. A table is called odd if SQLite might interpret it differently; then
 * SQLite reads it. All numbers from the file are checked, since the file may be damaged or
 * hostile. */
#ifndef CROCPROF_DB_SCAN_H
#define CROCPROF_DB_SCAN_H

#include "db/db.h"

typedef struct db_scan db_scan_t;
struct db_places;

/* Opens a table by its own name, or by that of the view that shows it alone. `db` has begun a
 * transaction and read from its file (db_hold()), so that the file does not change meanwhile. The
 * scan puts each row's values of the columns in `wanted` into `cells`. Returns NULL if the table
 * cannot be read by its pages, or if there is no memory. */
db_scan_t *db_scan_open(const db_t *db, const char *name, const db_wanted_t *wanted, unsigned count,
                        db_cell_t *cells);
/* Opens the table with this root page of a file that is held. Its columns are those of `like`, or,
 * if that is NULL, the first ones. */
db_scan_t *db_scan_at(sqlite3_file *file, uint32_t root, const db_scan_t *like,
                      const db_wanted_t *wanted, unsigned count, db_cell_t *cells);
void db_scan_close(db_scan_t *s);

/* Frees the list of tables of a connection that is used for one file after another. */
void db_scan_forget(struct db_places *places);

/* Returns the root page of the table. */
uint32_t db_scan_root(const db_scan_t *s);

/* Goes to the next row in the order of the rows' numbers; its texts last until the next call.
 * Returns false if there is none, or if the table is odd. */
bool db_scan_next(db_scan_t *s);

/* Returns the number of the present row. */
int64_t db_scan_row(const db_scan_t *s);

/* Reads only one of the columns from now on, which takes less time; -1 reads all again. */
void db_scan_choose(db_scan_t *s, int which);

/* Begins again, with the first row or with any. */
void db_scan_again(db_scan_t *s);

/* Goes to the row with this number. Returns false if there is none, or if the table is odd. Between
 * calls of this and of db_scan_next(), db_scan_again() has to be called. */
bool db_scan_find(db_scan_t *s, int64_t number);

/* Returns whether the last false means that the table is odd, so that SQLite has to read it. */
bool db_scan_odd(const db_scan_t *s);

#endif
