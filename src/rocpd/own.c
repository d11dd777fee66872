/* own.c - see own.h. A table that lacks a column which another one has shows NULL there. */
#include "rocpd/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "rocpd/base.h"

const char *const rocpd_own_names[OUT_OWN_COUNT] = {
#define X(id, name) name,
    OUT_OWN_TABLES(X)
#undef X
};

extern const char rocpd_schema[]; /* src/output/rocpd_schema.sql, made by the build */

bool rocpd_is_own_view(const char *sql)
{
    const char *found = *sql ? strstr(rocpd_schema, sql) : NULL;
    return found && found[strlen(sql)] == ';';
}

/* ---- columns ---- */

void rocpd_columns_free(rocpd_columns_t *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->names[i]);
    for (size_t i = 0; i < c->type_count; i++)
        free(c->types[i]);
    free(c->names);
    free(c->types);
    *c = (rocpd_columns_t){0};
}

static bool has_column(const rocpd_columns_t *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (sqlite3_stricmp(c->names[i], name) == 0) return true;
    return false;
}

bool rocpd_columns_put(rocpd_columns_t *c, const char *name, const char *type)
{
    return has_column(c, name) || (base_add_text(&c->names, &c->count, name) &&
                                   base_add_text(&c->types, &c->type_count, type));
}

bool rocpd_columns_add(const db_t *db, rocpd_columns_t *c, const char *part, const char *name,
                       bool *any)
{
    db_cursor_t rows;
    bool good = true;
    *any = false;
    db_rows(&rows, db, "SELECT name, type FROM pragma_table_info(?1, ?2)", "tt", name, part);
    for (; good && db_next(&rows); *any = true)
        good = rocpd_columns_put(c, db_text(&rows, 0), db_text(&rows, 1));
    if (!good) base_error("%s: %s", name, strerror(ENOMEM));
    return db_end(&rows, name) == 0 && good;
}

static bool is_type(const char *type)
{
    return !type[strspn(type,
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 (),")];
}

void rocpd_column_define(sqlite3_str *sql, const char *name, const char *type)
{
    sqlite3_str_appendf(sql, "\"%w\" %s", name, is_type(type) ? type : "");
}

/* Returns whether both have the same columns in the same order. */
static bool is_same(const rocpd_columns_t *a, const rocpd_columns_t *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->names[i], b->names[i]) == 0;
    return same;
}

/* Appends a SELECT of all these columns from a table or view that has only those of `mine`. The
 * database `main` is not named: the text stays in a view of it, and a program that opens the file
 * later may call its database otherwise. */
static void append_columns(const rocpd_columns_t *all, const rocpd_columns_t *mine,
                           const char *part, const char *name, bool any, sqlite3_str *sql)
{
    const bool same = any && is_same(all, mine);
    sqlite3_str_appendall(sql, same ? "SELECT *" : "SELECT ");
    for (size_t i = 0; !same && i < all->count; i++)
        sqlite3_str_appendf(sql, "%s%s\"%w\"", i ? ", " : "",
                            has_column(mine, all->names[i]) ? "" : "NULL AS ", all->names[i]);
    if (!any)
        sqlite3_str_appendall(sql, " WHERE 0");
    else if (strcmp(part, "main") == 0)
        sqlite3_str_appendf(sql, " FROM \"%w\"", name);
    else
        sqlite3_str_appendf(sql, " FROM \"%w\".\"%w\"", part, name);
}

/* The same for any table or view; if it does not exist, a SELECT without rows. Returns false after
 * reporting the reason. */
static bool append_select(const db_t *db, const rocpd_columns_t *all, const char *part,
                          const char *name, sqlite3_str *sql)
{
    rocpd_columns_t mine = {0};
    bool any;
    const bool good = rocpd_columns_add(db, &mine, part, name, &any);
    append_columns(all, &mine, part, name, any, sql);
    rocpd_columns_free(&mine);
    return good;
}

/* ---- views of one database ---- */

/* Returns whether the database's own view or table has exactly these columns, in this order. */
static bool has_all(const db_t *db, const rocpd_columns_t *all, const char *name)
{
    rocpd_columns_t mine = {0};
    bool any;
    const bool same = rocpd_columns_add(db, &mine, "db0", name, &any) && is_same(&mine, all);
    rocpd_columns_free(&mine);
    return same;
}

int rocpd_own_views(const db_t *db, const rocpd_columns_t columns[OUT_OWN_COUNT])
{
    int result = 0;
    for (size_t n = 0; result == 0 && n < OUT_OWN_COUNT; n++) {
        if (!columns[n].count || has_all(db, &columns[n], rocpd_own_names[n])) continue;
        sqlite3_str *sql = sqlite3_str_new(db->handle);
        sqlite3_str_appendf(sql, "CREATE TEMP VIEW \"%w\" AS ", rocpd_own_names[n]);
        const bool good = append_select(db, &columns[n], "db0", rocpd_own_names[n], sql);
        char *text = sqlite3_str_finish(sql);
        result = good ? db_run(db, text, rocpd_own_names[n]) : -1;
        sqlite3_free(text);
    }
    return result;
}

/* ---- views of a merged database ---- */

void rocpd_unite(sqlite3_str *sql, size_t number, size_t count)
{
    enum { AT_ONCE = 400 };
    if (count <= AT_ONCE) {
        if (number && number < count) sqlite3_str_appendall(sql, " UNION ALL ");
        return;
    }
    if (number == count)
        sqlite3_str_appendall(sql, ")");
    else if (number % AT_ONCE == 0)
        sqlite3_str_appendf(sql, "%sSELECT * FROM (", number ? ") UNION ALL " : "");
    else
        sqlite3_str_appendall(sql, " UNION ALL ");
}

void rocpd_tables_of(const db_t *db, db_cursor_t *c, const char *name)
{
    db_rows(c, db,
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND substr(name, 1, "
            "length(?1) + 1) = ?1 || '_' ORDER BY rowid",
            "t", name);
}

/* Finds the tables of this name and a run's id, and the columns that any of them has. */
static int find_tables(const db_t *db, const char *name, rocpd_columns_t *columns, char ***tables,
                       size_t *count)
{
    bool good = true, any;
    db_cursor_t c;
    for (rocpd_tables_of(db, &c, name); good && db_next(&c);) {
        good = rocpd_columns_add(db, columns, "main", db_text(&c, 0), &any);
        if (!good || base_add_text(tables, count, db_text(&c, 0))) continue;
        base_error("%s: %s", name, strerror(ENOMEM));
        good = false;
    }
    return db_end(&c, name) == 0 && good ? 0 : -1;
}

static int merge_tables(const db_t *db, const char *name, const rocpd_columns_t *columns,
                        char *const *tables, size_t count)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    bool good = true;
    sqlite3_str_appendf(sql, "CREATE VIEW \"%w\" AS ", name);
    for (size_t i = 0; good && i < count; i++) {
        rocpd_unite(sql, i, count);
        good = append_select(db, columns, "main", tables[i], sql);
    }
    rocpd_unite(sql, count, count);
    char *text = sqlite3_str_finish(sql);
    const int result = !good ? -1 : count ? db_run(db, text, name) : 0;
    sqlite3_free(text);
    return result;
}

int rocpd_own_merge(const db_t *db)
{
    int result = 0;
    for (size_t n = 0; result == 0 && n < OUT_OWN_COUNT; n++) {
        rocpd_columns_t columns = {0};
        char **tables = NULL;
        size_t count = 0;
        result = find_tables(db, rocpd_own_names[n], &columns, &tables, &count);
        if (result == 0) result = merge_tables(db, rocpd_own_names[n], &columns, tables, count);
        for (size_t i = 0; i < count; i++)
            free(tables[i]);
        free(tables);
        rocpd_columns_free(&columns);
    }
    return result;
}

char *rocpd_own_text(const db_t *db, const char *name, const char *like, const char *const *tables,
                     size_t count)
{
    rocpd_columns_t columns = {0};
    bool any;
    char *text = NULL;
    if (rocpd_columns_add(db, &columns, "main", like, &any)) {
        sqlite3_str *sql = sqlite3_str_new(db->handle);
        sqlite3_str_appendf(sql, "CREATE VIEW \"%w\" AS ", name);
        for (size_t i = 0; i < count; i++) {
            rocpd_unite(sql, i, count);
            append_columns(&columns, &columns, "main", tables[i], true, sql);
        }
        rocpd_unite(sql, count, count);
        text = sqlite3_str_finish(sql);
        if (!text) base_error("%s: %s", name, strerror(ENOMEM));
    }
    rocpd_columns_free(&columns);
    return text;
}
