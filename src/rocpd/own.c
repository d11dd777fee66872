/* own.c - see own.h. A table that lacks a column of another one has NULL there. */
#include "rocpd/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
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

static bool has_column(const tables_t *t, const char *name)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (sqlite3_stricmp(t->columns[i], name) == 0) return true;
    return false;
}

/* Adds the columns of a table or view; *any says whether there is one. False with the reason
 * told. */
static bool add_columns(const db_t *db, tables_t *t, const char *part, const char *name, bool *any)
{
    db_cursor_t c;
    bool good = true;
    *any = false;
    db_rows(&c, db, "SELECT name FROM pragma_table_info(?1, ?2)", "tt", name, part);
    for (; good && db_next(&c); *any = true)
        good = has_column(t, db_text(&c, 0)) ||
               base_add_text(&t->columns, &t->column_count, db_text(&c, 0));
    if (!good) base_error("%s: %s", name, strerror(ENOMEM));
    return db_end(&c, name) == 0 && good;
}

/* Adds a table or view, if there is one of this name. */
static bool add_table(const db_t *db, tables_t *t, const char *part, const char *name)
{
    bool any;
    if (!add_columns(db, t, part, name, &any)) return false;
    if (!any) return true;
    char *copy = BASE_GROW_BY_ONE(t->items, t->count) ? strdup(name) : NULL;
    if (copy) t->items[t->count++] = (table_t){part, copy};
    if (!copy) base_error("%s: %s", name, strerror(ENOMEM));
    return copy;
}

static bool append_select(const db_t *db, const tables_t *t, size_t which, sqlite3_str *sql)
{
    const table_t *from = &t->items[which];
    tables_t mine = {0};
    bool any;
    const bool good = add_columns(db, &mine, from->part, from->name, &any);
    sqlite3_str_appendall(sql, which ? " UNION ALL SELECT " : "SELECT ");
    for (size_t i = 0; i < t->column_count; i++)
        sqlite3_str_appendf(sql, "%s%s\"%w\"", i ? ", " : "",
                            has_column(&mine, t->columns[i]) ? "" : "NULL AS ", t->columns[i]);
    sqlite3_str_appendf(sql, " FROM \"%w\".\"%w\"", from->part, from->name);
    free_tables(&mine);
    return good;
}

/* Makes the view, if there are any tables. */
static int make_view(const db_t *db, const char *kind, const char *name, const tables_t *t)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    bool good = true;
    sqlite3_str_appendf(sql, "CREATE %s \"%w\" AS ", kind, name);
    for (size_t i = 0; good && i < t->count; i++)
        good = append_select(db, t, i, sql);
    char *text = sqlite3_str_finish(sql);
    const int result = !good ? -1 : t->count ? db_run(db, text, name) : 0;
    sqlite3_free(text);
    return result;
}

int rocpd_own_views(const db_t *db, const char *const *parts, size_t count)
{
    int result = 0;
    for (size_t n = 0; result == 0 && n < OUT_OWN_COUNT; n++) {
        tables_t t = {0};
        for (size_t i = 0; result == 0 && i < count; i++)
            if (!add_table(db, &t, parts[i], names[n])) result = -1;
        if (result == 0) result = make_view(db, "TEMP VIEW", names[n], &t);
        free_tables(&t);
    }
    return result;
}

void rocpd_tables_of(const db_t *db, db_cursor_t *c, const char *name)
{
    db_rows(c, db,
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND substr(name, 1, "
            "length(?1) + 1) = ?1 || '_' ORDER BY rowid",
            "t", name);
}

int rocpd_own_merge(const db_t *db)
{
    int result = 0;
    for (size_t n = 0; result == 0 && n < OUT_OWN_COUNT; n++) {
        tables_t t = {0};
        db_cursor_t c;
        rocpd_tables_of(db, &c, names[n]);
        while (result == 0 && db_next(&c))
            if (!add_table(db, &t, "main", db_text(&c, 0))) result = -1;
        if (db_end(&c, names[n]) != 0) result = -1;
        if (result == 0) result = make_view(db, "VIEW", names[n], &t);
        free_tables(&t);
    }
    return result;
}
