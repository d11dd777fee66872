/* pages.h - copies whole tables from one database file to another as pages.
 *
 * A table or an index is a tree of pages that name one another by number. Copied with other numbers
 * it is the same table, and the copy costs no more than its bytes: no row is decoded and none is
 * inserted. Every page and every record's head is checked, since the file may be damaged or
 * hostile. A file with bytes that SQLite might interpret differently than this code is copied by
 * SQL instead. */
#ifndef CROCPROF_DB_PAGES_H
#define CROCPROF_DB_PAGES_H

#include "db/db.h"

typedef struct {
    int fd;
    uint32_t page_bytes, pages;
    unsigned char *seen;  /* a bit for each page that was copied */
    unsigned char *whole; /* all bytes of a small file; NULL: each page is read by itself */
    /* copies of a small file's pages, which db_pages_write() writes; the first of them has the new
     * number `first` */
    struct iovec *kept;
    uint32_t first, kept_count;
} db_pages_t;

/* Opens a database file whose pages can be copied. Returns 1; 0 if its pages cannot be copied, or
 * it cannot be read. */
int db_pages_open(db_pages_t *p, const char *path);
void db_pages_close(db_pages_t *p);

/* A table or an index. */
typedef struct {
    uint32_t root;
    unsigned columns; /* number of columns that each record of a table must have; 0: an index */
    unsigned key;     /* column, from 1, that is the number of the row and not stored; 0: none */
} db_tree_t;

/* Copies the tree to the pages from *next on of the file `to`, and moves *next behind them; if `to`
 * is -1, the pages are only checked and counted. Returns the root's new number; 0 if a page is
 * malformed, or cannot be read or written. Numbers do not count the page that SQLite leaves out,
 * see db_pages_number(). */
uint32_t db_pages_copy(db_pages_t *p, const db_tree_t *tree, int to, uint32_t *next);

/* Writes the copies that are not written yet: those of a small file are written together. Returns
 * false if they cannot be written. */
bool db_pages_write(const db_pages_t *p, int to);

/* Returns what SQLite calls the page which has this number here. The page with the byte at 1 GB has
 * none here: SQLite never uses this page, since the byte stands for the file's lock. */
uint32_t db_pages_number(uint32_t page_bytes, uint32_t number);

/* Makes an empty database with pages of this size in the empty file at `path`, and reserves the
 * pages after the first, up to the page `pages`. Returns 0, or -1 after reporting the reason. */
int db_pages_begin(const char *path, uint32_t page_bytes, uint32_t pages);

/* Adds a row to the schema, for a tree that was copied: `type` is table or index, `table` the name
 * of the table, `root` SQLite's number of the root. To be called between db_pages_schema() with
 * true and with false; after the latter the connection has to be opened again. Returns 0, or -1
 * after reporting the reason. */
int db_pages_schema(const db_t *db, bool begin);
int db_pages_add(const db_t *db, const char *type, const char *name, const char *table,
                 uint32_t root, const char *sql);

#endif
