/* swap.h - connections that are used for one file after another with the same schema.
 *
 * When SQLite opens a file, it parses the schema, which takes 2 ms, as long as reading some
 * thousand records. The files of a job's ranks have the same schema except for the ids of the
 * processes. So a connection that is closed is kept, without its file, and db_open() uses it for
 * the next file whose schema is the same (image.h). For SQLite it is one file, which has changed
 * between two transactions, as if another program had changed it.
 *
 * The names of tables then end with the id of the first file's process, while rows, and texts in
 * the schema's own table, have that of the present file. Code that needs such a name gets it from
 * db_own_table(). */
#ifndef CROCPROF_DB_SWAP_H
#define CROCPROF_DB_SWAP_H

#include <sqlite3.h>
#include <stdbool.h>

typedef struct db_swap db_swap_t;
struct db_places;
struct db_statements;

/* Takes a kept connection for the file, or begins a new one, whose handle is NULL. Returns NULL if
 * the file's schema is unusual, if the file cannot be read, or if there is no memory: then SQLite
 * has to open the file directly. */
db_swap_t *db_swap_begin(const char *path);
sqlite3 *db_swap_handle(const db_swap_t *s);
/* Returns the URI by which the file is to be attached to a new connection; to be freed with
 * sqlite3_free(). Returns NULL without memory. */
char *db_swap_uri(const db_swap_t *s);

/* Closes the file, and keeps the connection for another one. Returns false if db_swap_spoil() was
 * called, if the file's schema has changed, or if enough connections are kept: then the caller
 * closes the connection. */
bool db_swap_keep(db_swap_t *s, sqlite3 *handle);
/* Frees the result of db_swap_begin(), after the connection was closed. NULL is allowed. */
void db_swap_end(db_swap_t *s);

/* Makes db_swap_keep() refuse the connection. NULL is allowed here and below. */
void db_swap_spoil(db_swap_t *s);

/* Replaces the id of the present file's process, at the end of a table's name, by the id in the
 * schema that SQLite has parsed. */
void db_swap_rename(const db_swap_t *s, char *table);

/* Returns the list of tables that scan.c keeps with the connection. */
struct db_places **db_swap_places(db_swap_t *s);
/* Returns the list of statements that statements.c keeps with the connection, which has to be freed
 * before the connection is closed. */
struct db_statements **db_swap_statements(db_swap_t *s);

#endif
