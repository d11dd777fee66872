/* swap.h - connections that go from one file to another one with the same schema.
 *
 * To open a file SQLite parses its schema, which takes 2 ms, as long as to read some thousand
 * records. Of a thousand files of a job's ranks all schemas are the same but for the ids of the
 * processes. So a connection that is closed is kept, without its file, and db_open() gives it the
 * next file whose schema is the same (image.h). SQLite sees one file throughout, which has changed
 * between two transactions, as any other program could change it.
 *
 * The names of tables then end with the id of the first file's process, while rows, and texts in
 * the schema's own table, have that of the present file: who makes such a name asks db_own_table().
 */
#ifndef CROCPROF_DB_SWAP_H
#define CROCPROF_DB_SWAP_H

#include <sqlite3.h>
#include <stdbool.h>

typedef struct db_swap db_swap_t;
struct db_places;
struct db_statements;

/* Finds a connection for the file, or begins a new one, whose handle is NULL. NULL: the file's
 * schema is not as usual, or the file cannot be read, or there is no memory: then SQLite has to
 * open it. */
db_swap_t *db_swap_begin(const char *path);
sqlite3 *db_swap_handle(const db_swap_t *s);
/* The URI by which the file is to be attached to a new connection; to be freed with sqlite3_free(),
 * NULL without memory. */
char *db_swap_uri(const db_swap_t *s);

/* Closes the file, and keeps the connection for another one. False: db_swap_spoil() was called,
 * or the file's schema has changed, or enough connections are kept: the caller closes this one. */
bool db_swap_keep(db_swap_t *s, sqlite3 *handle);
/* Frees what db_swap_begin() has made, after the connection was closed. NULL is allowed. */
void db_swap_end(db_swap_t *s);

/* From now on db_swap_keep() refuses the connection. NULL is allowed here and below. */
void db_swap_spoil(db_swap_t *s);

/* Replaces the id of the present file's process, at the end of a table's name in this file, by that
 * which SQLite knows. */
void db_swap_rename(const db_swap_t *s, char *table);

/* A list that scan.c keeps with the connection, of where tables are. */
struct db_places **db_swap_places(db_swap_t *s);
/* A list that db.c keeps with it, of statements: to be freed before the connection is closed. */
struct db_statements **db_swap_statements(db_swap_t *s);

#endif
