/* pages.h - copies whole tables from one database file to another as pages.
 *
 * A table or an index is a tree of pages that name one another by number. Copied with other numbers
 * it is the same table, at the cost of its bytes: no row is decoded and none is inserted. Every
 * page and every record's head is tested on the way, as the file may be damaged or hostile; what
 * SQLite might understand in another way than this file makes a file one that is copied by SQL. */
#ifndef CROCPROF_DB_PAGES_H
#define CROCPROF_DB_PAGES_H

#include "db/db.h"

typedef struct {
    int fd;
    uint32_t page_bytes, pages;
    unsigned char *seen; /* a bit for each page that was copied */
} db_pages_t;

/* Opens a database file whose pages can be copied. 1; 0 if it is none, or cannot be read. */
int db_pages_open(db_pages_t *p, const char *path);
void db_pages_close(db_pages_t *p);

/* A table or an index. */
typedef struct {
    uint32_t root;
    unsigned columns; /* number that each record of a table has to have; 0: an index */
    unsigned key;     /* column, from 1, that is the number of the row and not stored; 0: none */
} db_tree_t;

/* Copies the tree to the pages from *next on of the file `to`, or to none if `to` is -1, and moves
 * *next behind them. Returns the root's new number; 0 if a page is not as it should be, or cannot
 * be read or written. */
uint32_t db_pages_copy(db_pages_t *p, const db_tree_t *tree, int to, uint32_t *next);

/* Makes an empty database with pages of this size at `path`, which is an empty file, and room for
 * pages behind the first, up to the page `pages`. 0, or -1 with the reason told. */
int db_pages_begin(const char *path, uint32_t page_bytes, uint32_t pages);

/* Adds a row to the schema, for a tree that was copied: `type` is table or index, `table` the name
 * of the table. Between db_pages_schema() with true and with false, after which the connection is
 * to be opened anew. 0, or -1 with the reason told. */
int db_pages_schema(const db_t *db, bool begin);
int db_pages_add(const db_t *db, const char *type, const char *name, const char *table,
                 uint32_t root, const char *sql);

#endif
