/* db.h - the only access to databases: opens them for reading, runs statements, yields their rows.
 *
 * Databases are untrusted input whose schema may contain any SQL: no SQL text from a file is
 * executed, except its views, and of each only the one statement that makes the view. No other file
 * that reads databases opens one, prepares a statement or steps it (the test rooms.door checks
 * this). Other files may use db_t's handle only for calls that execute nothing: texts, functions,
 * names of columns. Databases are written by src/output. Each connection is used by one thread at a
 * time: SQLite does not lock it. */
#ifndef CROCPROF_DB_DB_H
#define CROCPROF_DB_DB_H

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of the signal that has requested the command's end, or 0. After such a signal statements
 * end early, with an error. */
extern volatile sig_atomic_t db_interrupted;

/* ---- databases ---- */

enum { DB_WHY_BYTES = 512 };

typedef enum { DB_EMPTY, DB_WANTED, DB_FILLED } db_state_t;

/* Tables of main that are filled when a statement first reads them: db_rows() and db_run() call
 * `fill` before such a statement runs. `fill` has to fill the tables that are DB_WANTED and to set
 * them to DB_FILLED. It returns 0, or -1 with the reason in `why`. */
typedef struct {
    const char **tables;
    size_t count;
    db_state_t *states; /* states of the tables */
    int (*fill)(void *data, char why[DB_WHY_BYTES]);
    void *data;
} db_late_t;

typedef struct {
    sqlite3 *handle;
    const char *name; /* name of the file, which stands before the reason if a statement does not
                       * fit the database's schema; may be NULL */
    bool named;       /* the name stands before all other reasons, too */
    db_late_t *late;  /* NULL: all tables are filled */
    bool locked;
    struct db_swap *swap; /* set if the connection can be used again for another file; or NULL */
} db_t;

/* Opens the file read-only as the database db0 of a connection, which can attach and detach nothing
 * more and can change nothing but its temporary database, and main, which is in memory. SQLite does
 * not trust the file's schema, and its limits are low. Returns 0, or -1 with the reason in `why`,
 * and then there is nothing to close. */
int db_open(db_t *db, const char *path, char why[DB_WHY_BYTES]);

/* The same for a caller that reads the names of a process's own tables from the schema and uses
 * them. A connection of db_open() may show names of an earlier file there: its callers get such a
 * name from db_own_table(), in schema.h. */
int db_open_by_names(db_t *db, const char *path, char why[DB_WHY_BYTES]);

/* Opens the empty file `path` as a database into which others are copied; if `path` is "", it opens
 * a temporary file that is deleted with the connection. It has the same limits, but can attach
 * until db_lock(). Returns 0, or -1 after reporting the reason, and then there is nothing to
 * close. */
int db_make(db_t *db, const char *path);
/* Attaches a file read-only as the database `part`. A connection can have only one file at a time.
 * Returns 0, or -1 after reporting the reason. */
int db_attach(db_t *db, const char *path);
/* Restricts the connection to what db_open() allows. */
void db_lock(db_t *db);

/* Closes the database. Returns 0, or -1 if SQLite cannot close it. */
int db_close(db_t *db);
/* Marks a connection of db_open() as one that must not be used again for another file, because the
 * caller has added an SQL function whose data belong to the present file. */
void db_spoil(const db_t *db);

/* Begins a transaction and reads from the file in it: SQLite then holds its shared lock, and no
 * other program can change the file. Who reads much of a file holds it meanwhile, because otherwise
 * each statement takes the lock and looks for a journal, which takes half of the time of a small
 * file. Returns false if SQLite could not begin the transaction or could not read; then there is no
 * transaction. */
bool db_hold(const db_t *db);
/* Ends the transaction of db_hold(), if there is one, after which other programs can change the
 * file. */
void db_release(const db_t *db);

/* Makes a view from a file's text, "CREATE VIEW …", in temp or (if not `temporary`) in main. The
 * text must be a single statement that makes a view of this name and does nothing else. A view that
 * reads itself is refused. `harmless` says that the view is known not to do so; it saves the test,
 * which follows everything that the view reads and takes seconds if the view unites the tables of a
 * thousand ranks. Returns whether the view was made; if not, a warning says why. */
bool db_view(const db_t *db, const char *name, const char *sql, bool temporary, bool harmless);
/* Makes a temporary view of this name without rows, which hides a view of the file that db_view()
 * has refused. */
void db_hide(const db_t *db, const char *name);

/* Returns whether a view is recursive, so that reading it might never end. */
bool db_reads_itself(const db_t *db, const char *name);

/* Returns whether there is a view or table of this name that has the column, since versions of the
 * schema differ. */
bool db_has(const db_t *db, const char *view, const char *column);

/* Runs SQL. Returns 0, or -1 after reporting the reason; `what` names the attempt in the
 * message. */
int db_run(const db_t *db, const char *sql, const char *what);
/* The same for a format of sqlite3_mprintf(). */
int db_runf(const db_t *db, const char *what, const char *format, ...);

/* Adds the rows of the table or view `name` of another connection to main's table of this name,
 * which has the same columns. Returns 0, or -1 with the reason in `why`. */
int db_copy(const db_t *to, const char *name, const db_t *from, char why[DB_WHY_BYTES]);

/* ---- rows ----
 *
 * The rows of a statement:
 *
 * - db_rows(&c, db, "SELECT id, name FROM rocpd_info_thread WHERE guid = ?", "t", guid);
 *
 * - while (db_next(&c)) use(db_int(&c, 0), db_text(&c, 1));
 *
 * - if (db_end(&c, "reading threads") != 0) return -1;
 *
 * An error ends the rows, and only db_end() says whether there was one: it must be called for each
 * cursor, also if not all rows were read. A cursor that is all zero has no rows. */

/* A value of a row that was read from the file's pages. */
typedef struct {
    int64_t number;   /* 0 if the value is a text or NULL */
    const char *text; /* without a zero at its end; NULL if the value is a number or NULL */
    uint32_t bytes;   /* length of the text */
    bool null;
} db_cell_t;

typedef struct {
    sqlite3_stmt *s;
    struct db_joined *joined;  /* db_records(): reads the rows instead of a statement, */
    const db_cell_t *cells;    /* and these are their values; else NULL */
    const char *rest;          /* the text after the statement */
    const char *name;          /* the name of the file for messages, or NULL */
    struct db_statement *kept; /* set if the connection keeps the statement; or NULL */
    bool ended;
    char why[DB_WHY_BYTES]; /* "": there was no error */
} db_cursor_t;

/* Begins a statement with its parameters, one letter of `formats` for each: 'i' an int64_t or
 * uint64_t, 'r' a double, 't' a text, which must last until the rows end, or NULL. An error is
 * reported by db_end(), too. `sql` may be NULL, which counts as a lack of memory. */
bool db_rows(db_cursor_t *c, const db_t *db, const char *sql, const char *formats, ...);

/* Runs the statement again, with other parameters. After an error it does nothing. */
bool db_again(db_cursor_t *c, const char *formats, ...);

/* ---- records with their events ----
 *
 * Most rows of a database are records, each with a row of rocpd_event. They are read from the
 * file's pages (scan.h), or by a statement if the pages have an unusual form; the rows are the
 * same. */

/* A column whose values the caller wants. A table's pages are read as long as each value of the
 * column is NULL or has the type given here; from the first other value on SQLite reads the
 * rows. */
typedef struct {
    const char *name;
    bool text;     /* its values are texts, else whole numbers */
    bool optional; /* tables may lack it: its value is then 0 */
} db_wanted_t;

enum { DB_RECORD_GUID, DB_RECORD_EVENT, DB_RECORD_REST };

typedef struct {
    const char *table;         /* the name of a view of a single table */
    const db_wanted_t *record; /* columns of the record, of which the first two are guid and
                                * event_id */
    const db_wanted_t *event;  /* columns of the event, of which the first is guid */
    unsigned records, events;  /* number of elements of `record` and of `event` */
    bool by_event;             /* rows come in the order of their events' ids, else in any */
    bool alone; /* records without an event have rows, too, with NULL in the event's columns; if no
                 * column of the event is wanted, events are not read at all */
} db_records_t;

/* Begins the rows of records that have an event with the same guid (but see `alone`), of one
 * process or, if `guid` is NULL, of all. The columns of a row are those of the record, then those
 * of the event. db_end() must be called, as for db_rows(). */
void db_records(db_cursor_t *c, const db_t *db, const db_records_t *which, const char *guid);

/* Goes to the next row; returns false at the end. */
bool db_next(db_cursor_t *c);

/* Frees the statement. Returns 0, or -1 after reporting the reason if the rows have ended with an
 * error; `what` names the attempt in the message. */
__attribute__((warn_unused_result)) int db_end(db_cursor_t *c, const char *what);

/* The same without a message: until then, the reason is in c->why. */
void db_drop(db_cursor_t *c);

/* ---- values of the row to which db_next() went; texts are valid until the next call ---- */

static inline int64_t db_int(const db_cursor_t *c, int column)
{
    return c->cells ? c->cells[column].number : sqlite3_column_int64(c->s, column);
}

static inline uint64_t db_uint(const db_cursor_t *c, int column)
{
    return (uint64_t)db_int(c, column);
}

/* Returns the nearest number that fits. */
static inline uint32_t db_small(const db_cursor_t *c, int column)
{
    const int64_t value = db_int(c, column);
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* Not for cursors of db_records(). */
static inline double db_real(const db_cursor_t *c, int column)
{
    return sqlite3_column_double(c->s, column);
}

static inline bool db_null(const db_cursor_t *c, int column)
{
    return c->cells ? c->cells[column].null : sqlite3_column_type(c->s, column) == SQLITE_NULL;
}

/* Returns one of SQLite's types: SQLITE_INTEGER, SQLITE_TEXT and so on. */
static inline int db_type(const db_cursor_t *c, int column)
{
    if (!c->cells) return sqlite3_column_type(c->s, column);
    const db_cell_t *cell = &c->cells[column];
    return cell->null ? SQLITE_NULL : cell->text ? SQLITE_TEXT : SQLITE_INTEGER;
}

/* Returns the text, which is never NULL: "" for NULL. */
const char *db_text(const db_cursor_t *c, int column);

#endif
