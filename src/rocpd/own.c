/* own.c - see own.h. A table that lacks a column of another one has NULL there. */
#include "rocpd/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "output/own_tables.h"
#include "rocpd/base.h"

static const char *const names[] = {
#define X(id, name) name,
    OUT_OWN_TABLES(X)
#undef X
};

/* Tables or views that are united in one view. */
typedef struct {
    const char *part;
    char *name;
} table_t;

typedef struct {
    table_t *items;
    size_t count;
    char **columns; /* all columns that any of them has */
    size_t column_count;
} tables_t;

static void free_tables(tables_t *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].name);
    for (size_t i = 0; i < t->column_count; i++)
        free(t->columns[i]);
    free(t->items);
    free(t->columns);
}

static bool add_column(tables_t *t, const char *name)
{
    char **grown = realloc(t->columns, (t->column_count + 1) * sizeof(*grown));
    char *copy = grown ? strdup(name) : NULL;
    if (grown) t->columns = grown;
    if (copy) t->columns[t->column_count++] = copy;
    return copy;
}

static bool has_column(const tables_t *t, const char *name)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (sqlite3_stricmp(t->columns[i], name) == 0) return true;
    return false;
}

/* Steps to the next column of a table. False at the end; the statement is finalized then. */
static bool next_column(sqlite3_stmt *s, const char **name)
{
    if (s && sqlite3_step(s) == SQLITE_ROW) {
        *name = (const char *)sqlite3_column_text(s, 0);
        return *name;
    }
    sqlite3_finalize(s);
    return false;
}

static sqlite3_stmt *columns_of(sqlite3 *db, const char *part, const char *name)
{
    sqlite3_stmt *s = NULL;
    char *sql = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q, %Q)", name, part);
    if (sql) sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    sqlite3_free(sql);
    return s;
}

/* Adds a table or view, if there is one of this name. */
static bool add_table(sqlite3 *db, tables_t *t, const char *part, const char *name)
{
    const char *column;
    bool any = false, good = true;
    for (sqlite3_stmt *s = columns_of(db, part, name); next_column(s, &column); any = true)
        good = good && (has_column(t, column) || add_column(t, column));
    if (!any || !good) return good;
    table_t *grown = realloc(t->items, (t->count + 1) * sizeof(*grown));
    char *copy = grown ? strdup(name) : NULL;
    if (grown) t->items = grown;
    if (copy) t->items[t->count++] = (table_t){part, copy};
    return copy;
}

static void append_select(sqlite3 *db, const tables_t *t, size_t which, sqlite3_str *sql)
{
    const table_t *from = &t->items[which];
    tables_t mine = {0};
    const char *column;
    for (sqlite3_stmt *s = columns_of(db, from->part, from->name); next_column(s, &column);)
        add_column(&mine, column);
    sqlite3_str_appendall(sql, which ? " UNION ALL SELECT " : "SELECT ");
    for (size_t i = 0; i < t->column_count; i++)
        sqlite3_str_appendf(sql, "%s%s\"%w\"", i ? ", " : "",
                            has_column(&mine, t->columns[i]) ? "" : "NULL AS ", t->columns[i]);
    sqlite3_str_appendf(sql, " FROM \"%w\".\"%w\"", from->part, from->name);
    free_tables(&mine);
}

static int make_view(sqlite3 *db, const char *kind, const char *name, const tables_t *t)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendf(sql, "CREATE %s \"%w\" AS ", kind, name);
    for (size_t i = 0; i < t->count; i++)
        append_select(db, t, i, sql);
    char *text = sqlite3_str_finish(sql);
    const int result = text ? rocpd_run(db, text, name) : -1;
    sqlite3_free(text);
    return result;
}

int rocpd_own_views(sqlite3 *db, const char *const *parts, size_t count)
{
    int result = 0;
    for (size_t n = 0; result == 0 && n < OUT_OWN_COUNT; n++) {
        tables_t t = {0};
        for (size_t i = 0; result == 0 && i < count; i++)
            if (!add_table(db, &t, parts[i], names[n])) result = -1;
        if (result != 0)
            base_error("%s: %s", names[n], strerror(ENOMEM));
        else if (t.count)
            result = make_view(db, "TEMP VIEW", names[n], &t);
        free_tables(&t);
    }
    return result;
}

/* Adds the tables whose names are this name and a run's id. */
static bool add_like(sqlite3 *db, tables_t *t, const char *name)
{
    sqlite3_stmt *s = NULL;
    bool good = true;
    char *sql = sqlite3_mprintf("SELECT name FROM main.sqlite_master WHERE type = 'table' AND "
                                "substr(name, 1, length(%Q) + 1) = %Q || '_' ORDER BY rowid",
                                name, name);
    if (!sql || sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) good = false;
    while (good && sqlite3_step(s) == SQLITE_ROW)
        good = add_table(db, t, "main", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return good;
}

int rocpd_own_merge(sqlite3 *db)
{
    int result = 0;
    for (size_t n = 0; result == 0 && n < OUT_OWN_COUNT; n++) {
        tables_t t = {0};
        if (!add_like(db, &t, names[n])) {
            base_error("%s: %s", names[n], sqlite3_errmsg(db));
            result = -1;
        } else if (t.count) {
            result = make_view(db, "VIEW", names[n], &t);
        }
        free_tables(&t);
    }
    return result;
}
