/* db.c - see db.h. Here are connections, views from files and cursors; the rooms above interpret
 * the contents of databases. */
#include "db/db.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/sqlite_path.h"
#include "db/joined.h"
#include "db/locks.h"
#include "db/pages.h"
#include "db/statements.h"
#include "db/swap.h"

volatile sig_atomic_t db_interrupted;

/* ---- what a connection may do ---- */

/* Limits on what a file's schema can make SQLite do. Statements of this program are far below
 * them. */
static const struct {
    int what, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 1 << 30},      {SQLITE_LIMIT_SQL_LENGTH, DB_SQL_BYTES},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},      {SQLITE_LIMIT_COLUMN, 500},
    {SQLITE_LIMIT_COMPOUND_SELECT, 500}, {SQLITE_LIMIT_VDBE_OP, 1 << 20},
    {SQLITE_LIMIT_FUNCTION_ARG, 100},    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},    {SQLITE_LIMIT_ATTACHED, 1},
};

static bool is(const char *text, const char *word)
{
    return text && strcasecmp(text, word) == 0;
}

/* Notes that a statement reads a table of main, if the table has not been filled yet. */
static void want(db_late_t *late, const char *table)
{
    for (size_t i = 0; i < late->count; i++)
        if (late->states[i] == DB_EMPTY && is(table, late->tables[i])) late->states[i] = DB_WANTED;
}

/* The authorizer: allows what db_open() promises. `data` is a db_late_t, or NULL. */
static int reading(void *data, int action, const char *first, const char *second, const char *where,
                   const char *view)
{
    (void)second, (void)view;
    switch (action) {
    case SQLITE_READ:
        /* if no column is used, SQLite passes the database only if the text names it */
        if (data && (!where || is(where, "main"))) want(data, first);
        return SQLITE_OK;
    case SQLITE_SELECT:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_ANALYZE: return SQLITE_OK;
    case SQLITE_CREATE_TABLE: /* main is in memory, or a temporary file */
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_INDEX:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_INDEX:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_REINDEX: return is(where, "temp") || is(where, "main") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA: /* those that only read, and those that this program sets */
        return is(first, "table_info") || is(first, "table_xinfo") || is(first, "foreign_keys") ||
                       is(first, "temp_store") || is(first, "cache_size")
                   ? SQLITE_OK
                   : SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

void db_lock(db_t *db)
{
    db->locked = true;
    sqlite3_set_authorizer(db->handle, reading, db->late);
}

/* Sets the usual authorizer again after another one has allowed more. */
static void allow_as_before(const db_t *db)
{
    sqlite3_set_authorizer(db->handle, db->locked ? reading : NULL, db->late);
}

static int is_interrupted(void *data)
{
    (void)data;
    return db_interrupted != 0;
}

static void guard(sqlite3 *handle)
{
    /* how many steps of SQLite's virtual machine are between two tests: well below 1 ms */
    enum { STEPS = 10000 };
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        sqlite3_limit(handle, limits[i].what, limits[i].most);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_progress_handler(handle, STEPS, is_interrupted, NULL);
}

/* Returns whether the rest of a text is only blanks and semicolons. */
static bool ends(const char *rest)
{
    return rest && rest[strspn(rest, " \t\r\n;")] == 0;
}

/* Runs a statement whose rows are not used. */
static bool run_kept(const db_t *db, const char *sql)
{
    struct db_statement *row = db_statement_find(db, sql);
    sqlite3_stmt *s = row ? row->s : NULL;
    int status = SQLITE_OK;
    if (!row) status = sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL);
    if (!row && status == SQLITE_OK) row = db_statement_keep(db, sql, s);
    while (status == SQLITE_OK && (status = sqlite3_step(s)) == SQLITE_ROW)
        status = SQLITE_OK;
    if (row)
        db_statement_give_back(row);
    else
        sqlite3_finalize(s);
    return status == SQLITE_DONE;
}

/* ---- opening ---- */

/* Returns "file:<path>?<query>", where every byte of the path that is special in a URI is encoded;
 * to be freed with sqlite3_free(). Returns NULL if there is no memory. */
static char *uri_of(const char *path, const char *query)
{
    static const char plain[] = "/._-~";
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "file:");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        sqlite3_str_appendf(
            text, isascii(*c) && (isalnum(*c) || strchr(plain, *c)) ? "%c" : "%%%02x", *c);
    sqlite3_str_appendf(text, "?%s", query);
    return sqlite3_str_finish(text);
}

/* SQLite would count the bytes that it allocates under a lock of the whole process, and the count
 * is not used. */
__attribute__((constructor)) static void count_no_memory(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Opens every connection of this room; files are opened here or by attach(). `name` is ":memory:",
 * "" or a URI, NULL if there was no memory for it. Returns SQLite's status; then, too, the handle
 * is to be closed. */
static int open_handle(const char *name, int flags, sqlite3 **handle)
{
    *handle = NULL;
    return name ? sqlite3_open_v2(name, handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL)
                : SQLITE_NOMEM;
}

/* Opens a connection that is guarded; `path` is that of the file in `name`, or "". Returns NULL
 * with the reason in `why` on failure. */
static sqlite3 *connect(const char *name, const char *path, int flags, char *why, size_t bytes)
{
    sqlite3 *handle;
    const int status = open_handle(name, flags | SQLITE_OPEN_READWRITE, &handle);
    if (status == SQLITE_OK) {
        guard(handle);
        return handle;
    }
    if (status != SQLITE_CANTOPEN || !base_sqlite_too_long(path, why, bytes))
        snprintf(why, bytes, "%s", handle ? sqlite3_errmsg(handle) : sqlite3_errstr(status));
    sqlite3_close(handle);
    return NULL;
}

/* Attaches the file `path` read-only, and frees its URI, which may be NULL. SQLite's own message
 * for a file that cannot be opened would show the URI. */
static int attach(sqlite3 *handle, char *uri, const char *path, const char *name, char *why,
                  size_t bytes)
{
    sqlite3_stmt *s = NULL;
    int status = uri ? sqlite3_prepare_v2(handle, "ATTACH ? AS ?", -1, &s, NULL) : SQLITE_NOMEM;
    if (status == SQLITE_OK) status = sqlite3_bind_text(s, 1, uri, -1, SQLITE_STATIC);
    if (status == SQLITE_OK) status = sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
    if (status == SQLITE_OK) status = sqlite3_step(s);
    if (status != SQLITE_DONE &&
        (status != SQLITE_CANTOPEN || !base_sqlite_too_long(path, why, bytes)))
        snprintf(why, bytes, "%s",
                 !uri || status == SQLITE_CANTOPEN ? sqlite3_errstr(status)
                                                   : sqlite3_errmsg(handle));
    sqlite3_finalize(s);
    sqlite3_free(uri);
    return status == SQLITE_DONE ? 0 : -1;
}

/* Opens the file by a new connection, or, with `swap`, by one that can be used again. */
static int open_new(db_t *db, const char *path, db_swap_t *swap, char why[DB_WHY_BYTES])
{
    *db = (db_t){.swap = swap,
                 .handle = connect(":memory:", "", SQLITE_OPEN_CREATE, why, DB_WHY_BYTES)};
    int result = db->handle ? 0 : -1;
    char *uri = swap ? db_swap_uri(swap) : uri_of(path, db_reading(path));
    if (result == 0)
        result = attach(db->handle, uri, path, "db0", why, DB_WHY_BYTES);
    else
        sqlite3_free(uri);
    if (result == 0)
        db_lock(db);
    else
        db_close(db);
    return result;
}

int db_open(db_t *db, const char *path, char why[DB_WHY_BYTES])
{
    db_swap_t *swap = db_swap_begin(path);
    sqlite3 *handle = swap ? db_swap_handle(swap) : NULL;
    if (!handle) return open_new(db, path, swap, why);
    *db = (db_t){.swap = swap, .handle = handle, .locked = true};
    return 0;
}

int db_open_by_names(db_t *db, const char *path, char why[DB_WHY_BYTES])
{
    return open_new(db, path, NULL, why);
}

int db_make(db_t *db, const char *path)
{
    /* no other program has the file yet: it needs no locks, which its file system may not have */
    char why[256] = "", *uri = *path ? uri_of(path, "mode=rw&nolock=1") : NULL;
    *db = (db_t){.handle = *path ? connect(uri, path, 0, why, sizeof(why))
                                 : connect("", "", SQLITE_OPEN_CREATE, why, sizeof(why))};
    sqlite3_free(uri);
    if (db->handle) return 0;
    base_error("%s: %s", *path ? path : "opening a database", why);
    return -1;
}

int db_attach(db_t *db, const char *path)
{
    char why[256];
    if (attach(db->handle, uri_of(path, db_reading(path)), path, "part", why, sizeof(why)) == 0)
        return 0;
    base_error("%s: %s", path, why);
    return -1;
}

/* Drops everything in temp. Returns false if something is in main, or cannot be dropped. */
static bool drop_own(const db_t *db)
{
    db_cursor_t c;
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    bool good = true;
    db_rows(&c, db,
            "SELECT type, name FROM temp.sqlite_master WHERE type IN ('view', 'table') UNION ALL "
            "SELECT NULL, name FROM main.sqlite_master",
            "");
    for (; good && db_next(&c); good = !db_null(&c, 0))
        sqlite3_str_appendf(sql, "DROP %s temp.\"%w\";", db_text(&c, 0), db_text(&c, 1));
    good = good && !*c.why;
    db_drop(&c);
    char *text = sqlite3_str_finish(sql);
    if (good && text) good = sqlite3_exec(db->handle, text, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(text);
    return good;
}

/* Keeps the connection for another file, if it has no traces of its use for this file. */
static bool keep(const db_t *db)
{
    return db->swap && db->handle && db->locked && !db->late && !db_interrupted &&
           db_statements_idle(db) && sqlite3_get_autocommit(db->handle) && drop_own(db) &&
           db_swap_keep(db->swap, db->handle);
}

int db_close(db_t *db)
{
    int status = SQLITE_OK;
    if (!keep(db)) {
        db_statements_forget(db);
        status = sqlite3_close(db->handle);
        if (status == SQLITE_OK) db_swap_end(db->swap);
    }
    *db = (db_t){0};
    return status == SQLITE_OK ? 0 : -1;
}

void db_spoil(const db_t *db)
{
    db_swap_spoil(db->swap);
}

/* ---- tables that are filled when they are first read ---- */

/* Returns whether the statement that was just prepared reads tables that are to be filled. */
static bool wants(const db_t *db)
{
    bool any = false;
    for (size_t i = 0; db->late && i < db->late->count; i++)
        any |= db->late->states[i] == DB_WANTED;
    return any;
}

/* Unmarks the tables of a statement that will not run. */
static void want_nothing(const db_t *db)
{
    for (size_t i = 0; db->late && i < db->late->count; i++)
        if (db->late->states[i] == DB_WANTED) db->late->states[i] = DB_EMPTY;
}

/* Fills the marked tables in one transaction. Returns false with the reason in `why`. */
static bool fill(const db_t *db, char why[DB_WHY_BYTES])
{
    sqlite3_exec(db->handle, "SAVEPOINT late", NULL, NULL, NULL);
    const bool good = db->late->fill(db->late->data, why) == 0;
    sqlite3_exec(db->handle, "RELEASE late", NULL, NULL, NULL);
    if (!good) want_nothing(db);
    return good;
}

/* Prepares a statement whose tables are filled. Returns false with the reason in `why`. */
static bool prepare(const db_t *db, const char *sql, sqlite3_stmt **s, const char **rest,
                    char why[DB_WHY_BYTES])
{
    int status = sqlite3_prepare_v2(db->handle, sql, -1, s, rest);
    if (status == SQLITE_OK && wants(db)) {
        sqlite3_finalize(*s);
        *s = NULL;
        if (!fill(db, why)) return false;
        status = sqlite3_prepare_v2(db->handle, sql, -1, s, rest);
    }
    want_nothing(db);
    if (status == SQLITE_OK) return true;
    snprintf(why, DB_WHY_BYTES, "%s", sqlite3_errmsg(db->handle));
    return false;
}

/* Runs statements one by one, so that the tables of each are filled before it runs. Returns false
 * with the reason in `why` on failure. */
static bool run_each(const db_t *db, const char *sql, char why[DB_WHY_BYTES])
{
    bool good = true;
    while (good && *sql) {
        sqlite3_stmt *s = NULL;
        int status = SQLITE_DONE;
        good = prepare(db, sql, &s, &sql, why);
        while (good && s && (status = sqlite3_step(s)) == SQLITE_ROW)
            ;
        if (good && s && status != SQLITE_DONE) {
            snprintf(why, DB_WHY_BYTES, "%s", sqlite3_errmsg(db->handle));
            good = false;
        }
        sqlite3_finalize(s);
    }
    return good;
}

/* Binds the row's values to the statement and runs it. */
static int put_row(sqlite3_stmt *insert, sqlite3_stmt *row, int columns)
{
    int status = SQLITE_OK;
    for (int i = 0; status == SQLITE_OK && i < columns; i++)
        status = sqlite3_bind_value(insert, i + 1, sqlite3_column_value(row, i));
    if (status == SQLITE_OK && sqlite3_step(insert) != SQLITE_DONE) status = SQLITE_ERROR;
    const int reset = sqlite3_reset(insert);
    return status == SQLITE_OK ? reset : status;
}

/* Returns "INSERT INTO main.<name> VALUES (?,?…)"; NULL without memory. */
static char *insert_into(const char *name, int columns)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "INSERT INTO main.\"%w\" VALUES (", name);
    for (int i = 0; i < columns; i++)
        sqlite3_str_appendall(text, i ? ",?" : "?");
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

int db_copy(const db_t *to, const char *name, const db_t *from, char why[DB_WHY_BYTES])
{
    sqlite3_stmt *rows = NULL, *insert = NULL;
    char *select = sqlite3_mprintf("SELECT * FROM \"%w\"", name), *sql = NULL;
    sqlite3 *failed = from->handle;
    int status = select ? sqlite3_prepare_v2(from->handle, select, -1, &rows, NULL) : SQLITE_NOMEM;
    const int columns = rows ? sqlite3_column_count(rows) : 0;
    if (status == SQLITE_OK) {
        failed = to->handle;
        sql = insert_into(name, columns);
        status = sql ? sqlite3_prepare_v2(to->handle, sql, -1, &insert, NULL) : SQLITE_NOMEM;
    }
    while (status == SQLITE_OK) {
        const int step = sqlite3_step(rows);
        if (step == SQLITE_DONE) break;
        failed = step == SQLITE_ROW ? to->handle : from->handle;
        status = step == SQLITE_ROW ? put_row(insert, rows, columns) : step;
    }
    if (status != SQLITE_OK)
        snprintf(why, DB_WHY_BYTES, "%s",
                 status == SQLITE_NOMEM ? sqlite3_errstr(status) : sqlite3_errmsg(failed));
    sqlite3_finalize(rows);
    sqlite3_finalize(insert);
    sqlite3_free(select);
    sqlite3_free(sql);
    return status == SQLITE_OK ? 0 : -1;
}

/* ---- statements without rows ---- */

int db_run(const db_t *db, const char *sql, const char *what)
{
    char *problem = NULL, why[DB_WHY_BYTES];
    if (db->late && sql) {
        if (run_each(db, sql, why)) return 0;
        base_error("%s: %s", what, why);
        return -1;
    }
    const int status = sql ? sqlite3_exec(db->handle, sql, NULL, NULL, &problem) : SQLITE_NOMEM;
    if (status == SQLITE_OK) return 0;
    base_error("%s: %s", what,
               problem ? problem
               : sql   ? sqlite3_errmsg(db->handle)
                       : sqlite3_errstr(status));
    sqlite3_free(problem);
    return -1;
}

int db_runf(const db_t *db, const char *what, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values);
    va_end(values);
    const int result = db_run(db, sql, what);
    sqlite3_free(sql);
    return result;
}

void db_release(const db_t *db)
{
    if (!sqlite3_get_autocommit(db->handle)) run_kept(db, "COMMIT");
}

bool db_hold(const db_t *db)
{
    static const char first[] = "SELECT 1 FROM db0.sqlite_master LIMIT 1";
    if (!run_kept(db, "BEGIN")) return false;
    if (run_kept(db, first)) return true;
    db_release(db);
    return false;
}

bool db_open_bare(db_t *db, const char *path)
{
    static const char hold[] =
        "BEGIN; PRAGMA schema_version"; /* reading this pragma does not need the schema */
    char *uri = uri_of(path, db_reading(path));
    *db = (db_t){0};
    int status = open_handle(uri, SQLITE_OPEN_READONLY, &db->handle);
    if (status == SQLITE_OK) status = sqlite3_exec(db->handle, hold, NULL, NULL, NULL);
    sqlite3_free(uri);
    if (status == SQLITE_OK) return true;
    db_close(db);
    return false;
}

sqlite3_file *db_bare_file(const db_t *db)
{
    sqlite3_file *file = NULL;
    sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file;
}

bool db_has(const db_t *db, const char *view, const char *column)
{
    sqlite3_stmt *s = NULL;
    /* the column has its view's name, since SQLite takes an unknown name in double quotes for a
     * text */
    char *sql = sqlite3_mprintf("SELECT \"%w\".\"%w\" FROM \"%w\" LIMIT 0", view, column, view);
    struct db_statement *kept = sql ? db_statement_find(db, sql) : NULL;
    const bool has =
        kept || (sql && sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) == SQLITE_OK);
    if (has && !kept) kept = db_statement_keep(db, sql, s);
    want_nothing(db);
    if (kept)
        db_statement_give_back(kept);
    else
        sqlite3_finalize(s);
    sqlite3_free(sql);
    return has;
}

/* ---- rows ---- */

static bool fail(db_cursor_t *c, const char *why)
{
    snprintf(c->why, sizeof(c->why), "%s", why);
    c->ended = true;
    return false;
}

static bool bind(db_cursor_t *c, const char *formats, va_list values)
{
    int status = SQLITE_OK;
    for (int i = 0; formats[i] && status == SQLITE_OK; i++)
        switch (formats[i]) {
        case 'i': status = sqlite3_bind_int64(c->s, i + 1, va_arg(values, int64_t)); break;
        case 'r': status = sqlite3_bind_double(c->s, i + 1, va_arg(values, double)); break;
        default:
            status =
                sqlite3_bind_text(c->s, i + 1, va_arg(values, const char *), -1, SQLITE_STATIC);
        }
    return status == SQLITE_OK || fail(c, sqlite3_errstr(status));
}

bool db_rows(db_cursor_t *c, const db_t *db, const char *sql, const char *formats, ...)
{
    va_list values;
    char why[DB_WHY_BYTES];
    *c = (db_cursor_t){.rest = "", .name = db->named ? db->name : NULL};
    if (!sql) return fail(c, sqlite3_errstr(SQLITE_NOMEM));
    if ((c->kept = db_statement_find(db, sql))) {
        c->s = c->kept->s;
    } else if (!prepare(db, sql, &c->s, &c->rest, why)) {
        c->name = db->name;
        return fail(c, why);
    } else if (ends(c->rest)) {
        c->kept = db_statement_keep(db, sql, c->s);
    }
    va_start(values, formats);
    const bool bound = bind(c, formats, values);
    va_end(values);
    return bound;
}

bool db_again(db_cursor_t *c, const char *formats, ...)
{
    va_list values;
    if (*c->why) return false;
    sqlite3_reset(c->s);
    c->ended = false;
    va_start(values, formats);
    const bool bound = bind(c, formats, values);
    va_end(values);
    return bound;
}

bool db_next(db_cursor_t *c)
{
    if (c->ended) return false;
    if (c->joined) {
        if (db_joined_next(c)) return true;
        if (c->joined) c->ended = true;
    }
    if (c->ended || !c->s) return false;
    const int status = sqlite3_step(c->s);
    if (status == SQLITE_ROW) return true;
    c->ended = true;
    return status == SQLITE_DONE ? false : fail(c, sqlite3_errmsg(sqlite3_db_handle(c->s)));
}

const char *db_text(const db_cursor_t *c, int column)
{
    if (c->cells) return db_joined_text(c, column);
    const char *text = (const char *)sqlite3_column_text(c->s, column);
    return text ? text : "";
}

void db_drop(db_cursor_t *c)
{
    if (c->joined) db_joined_end(c);
    if (c->kept)
        db_statement_give_back(c->kept);
    else
        sqlite3_finalize(c->s);
    *c = (db_cursor_t){0};
}

int db_end(db_cursor_t *c, const char *what)
{
    const bool failed = *c->why;
    if (failed) base_error("%s%s%s: %s", c->name ? c->name : "", c->name ? ": " : "", what, c->why);
    db_drop(c);
    return failed ? -1 : 0;
}

/* ---- views from files ---- */

/* The view that is being made: the authorizer making_view() allows only this, and so a row in a
 * table of the schema. */
typedef struct {
    const char *name;
    bool temporary;
} making_t;

static int making_view(void *data, int action, const char *first, const char *second,
                       const char *where, const char *view)
{
    const making_t *m = data;
    (void)second, (void)where, (void)view;
    switch (action) {
    case SQLITE_CREATE_VIEW: return !m->temporary && is(first, m->name) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_CREATE_TEMP_VIEW:
        return m->temporary && is(first, m->name) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_READ:
        return is(first, "sqlite_master") || is(first, "sqlite_temp_master") ||
                       is(first, "sqlite_schema") || is(first, "sqlite_temp_schema")
                   ? SQLITE_OK
                   : SQLITE_DENY;
    case SQLITE_SELECT:
    case SQLITE_FUNCTION: return SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

/* Copies a text from a file in the form for error messages: without control characters, and cut. */
static void copy_shown(const char *text, char shown[64])
{
    size_t n = 0;
    for (; text && text[n] && n < 63; n++)
        shown[n] = iscntrl((unsigned char)text[n]) ? '?' : text[n];
    shown[n] = 0;
}

static int not_recursive(void *data, int action, const char *first, const char *second,
                         const char *where, const char *view)
{
    (void)data, (void)first, (void)second, (void)where, (void)view;
    return action == SQLITE_RECURSIVE ? SQLITE_DENY : SQLITE_OK;
}

bool db_reads_itself(const db_t *db, const char *name)
{
    sqlite3_stmt *s = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
    sqlite3_set_authorizer(db->handle, not_recursive, NULL);
    const bool feeds = sql && sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) == SQLITE_AUTH;
    allow_as_before(db);
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return feeds;
}

void db_hide(const db_t *db, const char *name)
{
    db_runf(db, name,
            "DROP VIEW IF EXISTS temp.\"%w\"; CREATE TEMP VIEW \"%w\" AS SELECT NULL AS left_out "
            "WHERE 0",
            name, name);
}

/* Replaces a refused view: in temp by a view without rows, since otherwise the name would refer to
 * the file's own view. In main nothing replaces it, since the file is not attached when main is
 * read. */
static void leave_out(const db_t *db, const char *name, bool temporary)
{
    if (temporary)
        db_hide(db, name);
    else
        db_runf(db, name, "DROP VIEW IF EXISTS main.\"%w\"", name);
}

bool db_view(const db_t *db, const char *name, const char *sql, bool temporary, bool harmless)
{
    static const char begin[] = "CREATE VIEW";
    char shown[64];
    const char *rest = NULL;
    sqlite3_stmt *s = NULL;
    bool made = false;
    if (strncasecmp(sql, begin, sizeof(begin) - 1) != 0) {
        leave_out(db, name, temporary);
        return false;
    }
    making_t making = {name, temporary};
    char *text =
        sqlite3_mprintf("CREATE %sVIEW%s", temporary ? "TEMP " : "", sql + sizeof(begin) - 1);
    sqlite3_set_authorizer(db->handle, making_view, &making);
    if (text && sqlite3_prepare_v2(db->handle, text, -1, &s, &rest) == SQLITE_OK && s && ends(rest))
        made = sqlite3_step(s) == SQLITE_DONE;
    copy_shown(name, shown);
    if (!made)
        base_warning("view %s is left out: %s", shown,
                     s && !ends(rest) ? "its text goes on behind the view"
                                      : sqlite3_errmsg(db->handle));
    sqlite3_finalize(s);
    allow_as_before(db);
    sqlite3_free(text);
    if (made && !harmless && db_reads_itself(db, name)) {
        base_warning("view %s is left out: it reads what it makes, perhaps without an end", shown);
        made = false;
    }
    if (!made) leave_out(db, name, temporary);
    return made;
}
