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

enum { DB_SQL_BYTES = 1 << 20 }; /* length of the longest text that connections of db.h read */

/* Writes the schema of a file whose trees were copied. SQLite does not parse the SQL of a row that
 * is added: the next program that opens the file does. The caller must know that the SQL is valid
 * and has at most DB_SQL_BYTES, and that each name is new. All functions return 0, or -1 after
 * reporting the reason. */
typedef struct {
    db_t db;
    db_cursor_t row;
} db_schema_t;

/* If it returns -1, there is nothing to end. */
int db_schema_begin(db_schema_t *s, const char *path);
/* Adds a row: `type` is table, index or view, `table` the name of the index's table or else the
 * same as `name`, `root` SQLite's number of the root, or 0 for a view. */
int db_schema_add(db_schema_t *s, const char *type, const char *name, const char *table,
                  uint32_t root, const char *sql);
/* Ends the writing. If `result`, what was done so far, is not 0, it is returned. */
int db_schema_end(db_schema_t *s, int result);

#endif
