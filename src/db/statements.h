/* statements.h - the prepared statements that a connection keeps.
 *
 * A connection that is used for one file after another (swap.h) would prepare the same statements
 * for each, which takes as long as running them. Other connections keep none. Only db.c uses this.
 */
#ifndef CROCPROF_DB_STATEMENTS_H
#define CROCPROF_DB_STATEMENTS_H

#include "db/db.h"

struct db_statement {
    char *sql;
    sqlite3_stmt *s;
    bool used;      /* a cursor uses it */
    uint64_t taken; /* when it was used last, counted in statements */
};

/* Returns the statement of this text, if it is kept and no cursor uses it; it counts as used from
 * then on. */
struct db_statement *db_statement_find(const db_t *db, const char *sql);

/* Keeps a prepared statement, which counts as used. Returns NULL if it cannot be kept: then the
 * cursor owns it. */
struct db_statement *db_statement_keep(const db_t *db, const char *sql, sqlite3_stmt *s);

/* The cursor does not use the statement any more. */
void db_statement_give_back(struct db_statement *row);

/* Finalizes all statements that the connection keeps. */
void db_statements_forget(const db_t *db);

/* Returns whether all statements of the connection are kept ones that no cursor uses. */
bool db_statements_idle(const db_t *db);

#endif
