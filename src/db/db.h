/* db.h - the one door to databases: opens them for reading, runs statements, yields their rows.
 *
 * Databases come from others, and their schema may contain any SQL: no SQL text from a file is
 * executed, except its views, and of each only the one statement that makes the view. No other file
 * that reads databases opens one, prepares a statement or steps it (the test rooms.door looks).
 * Others may use db_t's handle for what executes nothing: text, functions, columns' names.
 * Databases are written by src/output. Each connection is used by one thread at a time: SQLite does
 * not lock it. */
#ifndef CROCPROF_DB_DB_H
#define CROCPROF_DB_DB_H

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of the signal that asked the command to end, or 0. After such a signal statements end
 * early, with an error. */
extern volatile sig_atomic_t db_interrupted;

/* ---- databases ---- */

enum { DB_WHY_BYTES = 512 };

typedef enum { DB_EMPTY, DB_WANTED, DB_FILLED } db_state_t;

/* Tables of main that are filled when a statement first reads them: db_rows() and db_run() call
 * `fill` before such a statement runs. `fill` has to fill the tables that are DB_WANTED and to set
 * them to DB_FILLED. 0, or -1 with the reason in `why`. */
typedef struct {
    const char **tables;
    size_t count;
    db_state_t *states; /* of the tables */
    int (*fill)(void *data, char why[DB_WHY_BYTES]);
    void *data;
} db_late_t;

typedef struct {
    sqlite3 *handle;
    const char *name; /* of the file; stands before the reason if a statement does not fit the
                         database's schema; may be NULL */
    bool named;       /* it stands before all other reasons, too */
    db_late_t *late;  /* NULL: there are no such tables */
    bool locked;
    struct db_swap *swap; /* the connection may be used again for another file; or NULL */
} db_t;

/* Opens the file read-only as the database db0 of a connection, which can attach and detach nothing
 * more and can change nothing but its temporary database, and main, which is in memory. SQLite does
 * not trust the file's schema, and its limits are low. 0, or -1 with the reason in `why` and
 * nothing to close. */
int db_open(db_t *db, const char *path, char why[DB_WHY_BYTES]);

/* The same for a caller that reads the names of a process's own tables from the schema and uses
 * them. A connection of db_open() may show names of an earlier file there: its callers ask
 * db_own_table(), in schema.h, for a name. */
int db_open_by_names(db_t *db, const char *path, char why[DB_WHY_BYTES]);

/* Opens the empty file `path` as a database into which others are copied; "": a temporary file that
 * is deleted with the connection. It has the same limits, but can attach until db_lock(). 0, or -1
 * with the reason told and nothing to close. */
int db_make(db_t *db, const char *path);
/* Attaches a file read-only as the database `part`. A connection can have only one file at a time.
 * 0, or -1 with the reason told. */
int db_attach(db_t *db, const char *path);
/* From now on the connection is as db_open() leaves it. */
void db_lock(db_t *db);

/* 0, or -1 if SQLite cannot close the database. */
int db_close(db_t *db);
/* Marks a connection of db_open() as one that must not be kept for another file, because the caller
 * has added an SQL function whose data belong to the present file. */
void db_spoil(const db_t *db);

/* Makes a view from a file's text, "CREATE VIEW …", in temp or (if not `temporary`) in main. The
 * text must be a single statement that makes a view of this name and does nothing else. A view that
 * reads itself is refused; `harmless` says that the view is known not to, because the test looks at
 * all that the view reads, which takes seconds where a view unites the tables of a thousand ranks.
 * Returns whether the view was made; if not, a warning says why. */
bool db_view(const db_t *db, const char *name, const char *sql, bool temporary, bool harmless);
/* Makes a temporary view of this name without rows: it hides the view of a file that db_view() did
 * not make. */
void db_hide(const db_t *db, const char *name);

/* Whether there is such a view or table and it has the column: versions of the schema differ. */
bool db_has(const db_t *db, const char *view, const char *column);

/* Runs SQL. 0, or -1 with the reason told, in which `what` names what was tried. */
int db_run(const db_t *db, const char *sql, const char *what);
/* The same for a format of sqlite3_mprintf(). */
int db_runf(const db_t *db, const char *what, const char *format, ...);

/* Adds the rows of the table or view `name` of another connection to main's table of this name,
 * which has the same columns. 0, or -1 with the reason in `why`. */
int db_copy(const db_t *to, const char *name, const db_t *from, char why[DB_WHY_BYTES]);

/* ---- rows ----
 *
 * db_cursor_t c;
 * db_rows(&c, db, "SELECT id, name FROM rocpd_info_thread WHERE guid = ?", "t", guid);
 * while (db_next(&c))
 *     use(db_int(&c, 0), db_text(&c, 1));
 * if (db_end(&c, "reading threads") != 0) return -1;
 *
 * An error ends the rows, and db_end() alone says whether they have ended so: each cursor needs it,
 * also after rows that were left early. A cursor that is all zero has no rows. */

/* A value of a row that was read without a statement. */
typedef struct {
    int64_t number;   /* 0 of a text and of NULL */
    const char *text; /* without a zero at its end; NULL of a number and of NULL */
    uint32_t bytes;   /* of the text */
    bool null;
} db_cell_t;

typedef struct {
    sqlite3_stmt *s;
    struct db_joined *joined;  /* db_records(): reads the rows in place of a statement, */
    const db_cell_t *cells;    /* and these are their values; else NULL */
    const char *rest;          /* what follows the statement in the text */
    const char *name;          /* stands before the reason, or NULL */
    struct db_statement *kept; /* the statement is one that the connection keeps; or NULL */
    bool ended;
    char why[DB_WHY_BYTES]; /* "": there was no error */
} db_cursor_t;

/* Begins a statement with its parameters, one letter of `formats` for each: 'i' an int64_t or
 * uint64_t, 'r' a double, 't' a text, which must last until the rows end, or NULL. Whether that
 * succeeds db_end() says, too; `sql` may be NULL, for memory that has run out. */
bool db_rows(db_cursor_t *c, const db_t *db, const char *sql, const char *formats, ...);

/* Begins the rows anew, with other parameters. After an error it does nothing. */
bool db_again(db_cursor_t *c, const char *formats, ...);

/* ---- records with their events ----
 *
 * Most rows of a database are records, each with a row of rocpd_event. They are read from the
 * file's pages (scan.h), and by a statement where these are not as usual: the rows are the same. */

/* A column whose values the caller wants. A table's pages are read as long as each value of the
 * column is NULL or has the type that is said here; from the first other one on SQLite reads the
 * rows. */
typedef struct {
    const char *name;
    bool text;     /* its values are texts, else whole numbers */
    bool optional; /* of tables that lack it, it is 0 */
} db_wanted_t;

enum { DB_RECORD_GUID, DB_RECORD_EVENT, DB_RECORD_REST };

typedef struct {
    const char *table;         /* the name of a view of a single table */
    const db_wanted_t *record; /* its columns, of which the first two are guid and event_id */
    const db_wanted_t *event;  /* those of the event, of which the first is guid */
    unsigned records, events;  /* how many there are of each */
    bool by_event;             /* rows come in the order of their events' ids, else in any */
    bool alone; /* records without an event have rows, too, with NULL in the event's columns; if no
                   column of the event is wanted, events are not read at all */
} db_records_t;

/* Begins the rows of records that have an event with the same guid (but see `alone`), of one
 * process or (NULL) of all. The columns of a row are those of the record, then those of the event.
 * The rows end by db_end(), as those of db_rows(). */
void db_records(db_cursor_t *c, const db_t *db, const db_records_t *which, const char *guid);

/* Goes to the next row; false at the end. */
bool db_next(db_cursor_t *c);

/* Frees the statement. 0, or -1 if the rows have ended with an error, with the reason told, in
 * which `what` names what was tried. */
__attribute__((warn_unused_result)) int db_end(db_cursor_t *c, const char *what);

/* The same without a word: the reason is in c->why until then. */
void db_drop(db_cursor_t *c);

/* ---- a row's values: of the row that db_next() went to, until the next call ---- */

static inline int64_t db_int(const db_cursor_t *c, int column)
{
    return c->cells ? c->cells[column].number : sqlite3_column_int64(c->s, column);
}

static inline uint64_t db_uint(const db_cursor_t *c, int column)
{
    return (uint64_t)db_int(c, column);
}

/* The nearest number that fits. */
static inline uint32_t db_small(const db_cursor_t *c, int column)
{
    const int64_t value = db_int(c, column);
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* Not of db_records(). */
static inline double db_real(const db_cursor_t *c, int column)
{
    return sqlite3_column_double(c->s, column);
}

static inline bool db_null(const db_cursor_t *c, int column)
{
    return c->cells ? c->cells[column].null : sqlite3_column_type(c->s, column) == SQLITE_NULL;
}

/* One of SQLite's: SQLITE_INTEGER, SQLITE_TEXT and so on. */
static inline int db_type(const db_cursor_t *c, int column)
{
    if (!c->cells) return sqlite3_column_type(c->s, column);
    const db_cell_t *cell = &c->cells[column];
    return cell->null ? SQLITE_NULL : cell->text ? SQLITE_TEXT : SQLITE_INTEGER;
}

/* Never NULL: "" for NULL. */
const char *db_text(const db_cursor_t *c, int column);

#endif
