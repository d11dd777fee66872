/* guard.c - see guard.h. */
#include "rocpd/guard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "rocpd/base.h"

/* Limits for what a file's schema can make SQLite do. Statements of this program are far below
 * them. */
static const struct {
    int what, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 1 << 30},      {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},      {SQLITE_LIMIT_COLUMN, 500},
    {SQLITE_LIMIT_COMPOUND_SELECT, 500}, {SQLITE_LIMIT_VDBE_OP, 1 << 20},
    {SQLITE_LIMIT_FUNCTION_ARG, 100},    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

char *rocpd_uri(const char *path, const char *query)
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

int rocpd_attach(sqlite3 *db, const char *path, const char *name)
{
    sqlite3_stmt *s = NULL;
    char *uri = rocpd_uri(path, "mode=ro");
    int status = uri ? sqlite3_prepare_v2(db, "ATTACH ? AS ?", -1, &s, NULL) : SQLITE_NOMEM;
    if (status == SQLITE_OK) status = sqlite3_bind_text(s, 1, uri, -1, SQLITE_STATIC);
    if (status == SQLITE_OK) status = sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
    if (status == SQLITE_OK) status = sqlite3_step(s);
    if (status != SQLITE_DONE)
        base_error("%s: %s", path, uri ? sqlite3_errmsg(db) : sqlite3_errstr(status));
    sqlite3_finalize(s);
    sqlite3_free(uri);
    return status == SQLITE_DONE ? 0 : -1;
}

void rocpd_guard(sqlite3 *db)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        sqlite3_limit(db, limits[i].what, limits[i].most);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
}

static bool is(const char *text, const char *word)
{
    return text && strcasecmp(text, word) == 0;
}

static int reading(void *data, int action, const char *first, const char *second, const char *where,
                   const char *view)
{
    (void)data, (void)second, (void)view;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
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

void rocpd_guard_reading(sqlite3 *db)
{
    sqlite3_set_authorizer(db, reading, NULL);
}

/* The view that is being made: making_view() allows only this, which includes a row in a table of
 * the schema. */
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

void rocpd_guard_shown(const char *text, char shown[64])
{
    size_t n = 0;
    for (; text && text[n] && n < 63; n++)
        shown[n] = iscntrl((unsigned char)text[n]) ? '?' : text[n];
    shown[n] = 0;
}

/* Whether the rest of a text is only blanks and semicolons. */
static bool ends(const char *rest)
{
    return rest && rest[strspn(rest, " \t\r\n;")] == 0;
}

static int not_recursive(void *data, int action, const char *first, const char *second,
                         const char *where, const char *view)
{
    (void)data, (void)first, (void)second, (void)where, (void)view;
    return action == SQLITE_RECURSIVE ? SQLITE_DENY : SQLITE_OK;
}

/* Whether the view is recursive: reading it might never end. */
static bool feeds_itself(sqlite3 *db, const char *name)
{
    sqlite3_stmt *s = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
    sqlite3_set_authorizer(db, not_recursive, NULL);
    const bool feeds = sql && sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_AUTH;
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return feeds;
}

/* Replaces a refused view: in temp by a view without rows, since the name would else mean the
 * file's own view; in main by nothing, since the file is not attached when main is read. */
static void leave_out(sqlite3 *db, const char *name, bool temporary)
{
    char *sql = temporary
                    ? sqlite3_mprintf("DROP VIEW IF EXISTS temp.\"%w\"; CREATE TEMP VIEW \"%w\" AS "
                                      "SELECT NULL AS left_out WHERE 0",
                                      name, name)
                    : sqlite3_mprintf("DROP VIEW IF EXISTS main.\"%w\"", name);
    if (sql) rocpd_run(db, sql, name);
    sqlite3_free(sql);
}

bool rocpd_guard_view(sqlite3 *db, const char *name, const char *sql, bool temporary)
{
    static const char begin[] = "CREATE VIEW";
    char shown[64];
    const char *rest = NULL;
    sqlite3_stmt *s = NULL;
    bool made = false;
    if (!name) return false;
    if (!sql || strncasecmp(sql, begin, sizeof(begin) - 1) != 0) {
        leave_out(db, name, temporary);
        return false;
    }
    making_t making = {name, temporary};
    char *text =
        sqlite3_mprintf("CREATE %sVIEW%s", temporary ? "TEMP " : "", sql + sizeof(begin) - 1);
    sqlite3_set_authorizer(db, making_view, &making);
    if (text && sqlite3_prepare_v2(db, text, -1, &s, &rest) == SQLITE_OK && s && ends(rest))
        made = sqlite3_step(s) == SQLITE_DONE;
    rocpd_guard_shown(name, shown);
    if (!made)
        base_warning("view %s is left out: %s", shown,
                     s && !ends(rest) ? "its text goes on behind the view" : sqlite3_errmsg(db));
    sqlite3_finalize(s);
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_free(text);
    if (made && feeds_itself(db, name)) {
        base_warning("view %s is left out: it reads what it makes, perhaps without an end", shown);
        made = false;
    }
    if (!made) leave_out(db, name, temporary);
    return made;
}
