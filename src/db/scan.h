/* scan.h - reads the rows of a table from the file's pages.
 *
 * SQLite takes some hundred nanoseconds to step to a row and to get its columns, one by one; here a
 * row is decoded in less than half of that. Only tables as this program and AMD's make them are
 * read so: what SQLite might understand in another way makes a table odd, and it is left to SQLite.
 * All numbers from the file are tested, as it may be damaged or hostile. */
#ifndef CROCPROF_DB_SCAN_H
#define CROCPROF_DB_SCAN_H

#include "db/db.h"

typedef struct db_scan db_scan_t;
struct db_places;

/* Opens a table by its own name, or by that of the view that shows it alone. `db` has begun a
 * transaction and read from its file (db_hold()), so that nobody changes the file meanwhile. The
 * scan puts each row's values of the columns in `wanted` into `cells`. NULL if the table cannot be
 * read by its pages, or if there is no memory. */
db_scan_t *db_scan_open(const db_t *db, const char *name, const db_wanted_t *wanted, unsigned count,
                        db_cell_t *cells);
/* Opens the table with this root page of a file that is held. Its columns are those of `like`, or
 * (NULL) the first ones. */
db_scan_t *db_scan_at(sqlite3_file *file, uint32_t root, const db_scan_t *like,
                      const db_wanted_t *wanted, unsigned count, db_cell_t *cells);
void db_scan_close(db_scan_t *s);

/* Frees the list of tables that a connection which goes from file to file has. */
void db_scan_forget(struct db_places *places);

/* The page of the table's root. */
uint32_t db_scan_root(const db_scan_t *s);

/* Goes to the next row in the order of the rows' numbers; its texts last until the next call.
 * False: there is none, or the table is odd. */
bool db_scan_next(db_scan_t *s);

/* The number of the row that it went to. */
int64_t db_scan_row(const db_scan_t *s);

/* From now on only one of the columns is read, which takes less time, or (-1) all again. */
void db_scan_choose(db_scan_t *s, int which);

/* Begins anew, with the first row or with any. */
void db_scan_again(db_scan_t *s);

/* Goes to the row with this number. False likewise. Between calls of this and of db_scan_next()
 * the scan has to begin anew. */
bool db_scan_find(db_scan_t *s, int64_t number);

/* Whether the last false means that the table is odd: it then has to be read by SQLite. */
bool db_scan_odd(const db_scan_t *s);

#endif
