/* merge.c - rocpd merge: makes one database from several.
 *
 * Tables have the run's id in their names, so they are copied as they are; views with the plain
 * names unite them. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "output/file.h"
#include "rocpd/commands.h"
#include "rocpd/guard.h"
#include "rocpd/own.h"

typedef int (*each_t)(sqlite3 *db, const char *name, const char *sql, void *data);

/* Calls back with name and SQL of each row of the query. */
static int for_each(sqlite3 *db, const char *query, each_t each, void *data)
{
    sqlite3_stmt *s = NULL;
    int result = 0, status = sqlite3_prepare_v2(db, query, -1, &s, NULL);
    if (status != SQLITE_OK) {
        base_error("reading the schema: %s", sqlite3_errmsg(db));
        return -1;
    }
    while (result == 0 && (status = sqlite3_step(s)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        if (name) result = each(db, name, (const char *)sqlite3_column_text(s, 1), data);
    }
    const int ended = rocpd_finish(db, s, status == SQLITE_ROW ? SQLITE_DONE : status);
    return result == 0 ? ended : result;
}

static int run_formatted(sqlite3 *db, const char *what, char *sql)
{
    int result = sql ? rocpd_run(db, sql, what) : -1;
    sqlite3_free(sql);
    return result;
}

/* Whether a declared type has only harmless characters; another one is left out, since SQLite needs
 * no type. */
static bool is_type(const char *type)
{
    return type && *type &&
           !type[strspn(type,
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 (),")];
}

/* A statement that makes a table with the columns of the file's table, without using the file's
 * SQL. NULL with the reason told. */
static char *table_like(sqlite3 *db, const char *name)
{
    sqlite3_stmt *s = NULL;
    sqlite3_str *text = sqlite3_str_new(db);
    unsigned columns = 0;
    int status = sqlite3_prepare_v2(
        db,
        "SELECT name, type, pk, (SELECT COUNT(*) FROM pragma_table_info(?1, 'part') WHERE pk) FROM "
        "pragma_table_info(?1, 'part')",
        -1, &s, NULL);
    if (status == SQLITE_OK) status = sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    sqlite3_str_appendf(text, "CREATE TABLE main.\"%w\" (", name);
    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = sqlite3_step(s);
        if (status != SQLITE_ROW) break;
        const char *type = (const char *)sqlite3_column_text(s, 1);
        const bool key = sqlite3_column_int(s, 2) && sqlite3_column_int(s, 3) == 1;
        sqlite3_str_appendf(text, "%s\"%w\" %s%s", columns++ ? ", " : "", sqlite3_column_text(s, 0),
                            is_type(type) ? type : "",
                            key && type && strcasecmp(type, "INTEGER") == 0 ? " PRIMARY KEY" : "");
    }
    sqlite3_str_appendall(text, ")");
    char *sql = sqlite3_str_finish(text);
    if (rocpd_finish(db, s, status) == 0 && columns && sql) return sql;
    sqlite3_free(sql);
    return NULL;
}

static int copy_table(sqlite3 *db, const char *name, const char *sql, void *data)
{
    const char *file = data;
    (void)sql;
    if (sqlite3_table_column_metadata(db, "main", name, NULL, NULL, NULL, NULL, NULL, NULL) ==
        SQLITE_OK) {
        base_error("%s: table %s is in another of the databases already", file, name);
        return -1;
    }
    if (run_formatted(db, file, table_like(db, name)) != 0) return -1;
    return run_formatted(
        db, file, sqlite3_mprintf("INSERT INTO main.\"%w\" SELECT * FROM part.\"%w\"", name, name));
}

/* Indexes a table by event, since its rows are looked up by their event. */
static int make_index(sqlite3 *db, const char *name, const char *sql, void *data)
{
    (void)sql;
    if (!rocpd_has_column(db, name, "event_id")) return 0;
    return run_formatted(
        db, data,
        sqlite3_mprintf("CREATE INDEX IF NOT EXISTS main.\"by_event_%w\" ON \"%w\" (\"event_id\")",
                        name, name));
}

/* Copies only tables: triggers and indexes would need the file's SQL. */
static int copy_file(sqlite3 *db, const char *path)
{
    int result = rocpd_attach(db, path, "part");
    if (result != 0) return -1;
    result = rocpd_run(db, "BEGIN", path);
    if (result == 0)
        result = for_each(db,
                          "SELECT name, sql FROM part.sqlite_master WHERE type = 'table' AND name "
                          "NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
                          copy_table, (void *)path);
    if (result == 0) result = rocpd_run(db, "COMMIT", path);
    if (result == 0) result = rocpd_run(db, "DETACH part", path);
    return result;
}

static int make_indexes(sqlite3 *db)
{
    return for_each(db,
                    "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND (name LIKE "
                    "'rocpd\\_arg\\_%' ESCAPE '\\' OR name LIKE 'rocpd\\_pmc\\_event\\_%' ESCAPE "
                    "'\\' OR name LIKE 'rocpd\\_kernel\\_dispatch\\_%' ESCAPE '\\')",
                    make_index, (void *)"indexes");
}

/* Makes a view that unites all tables whose names are the view's name and a run's id. */
static int unite_tables(sqlite3 *db, const char *name, const char *sql, void *data)
{
    sqlite3_stmt *s = NULL;
    sqlite3_str *text = sqlite3_str_new(db);
    bool any = false;
    int status = SQLITE_ERROR;
    (void)sql;
    sqlite3_str_appendf(text, "CREATE VIEW \"%w\" AS ", name);
    char *like = sqlite3_mprintf("SELECT name FROM main.sqlite_master WHERE type = 'table' AND "
                                 "substr(name, 1, length(%Q) + 1) = %Q || '_' ORDER BY rowid",
                                 name, name);
    if (like && sqlite3_prepare_v2(db, like, -1, &s, NULL) == SQLITE_OK)
        for (; (status = sqlite3_step(s)) == SQLITE_ROW; any = true)
            sqlite3_str_appendf(text, "%sSELECT * FROM \"%w\"", any ? " UNION ALL " : "",
                                sqlite3_column_text(s, 0));
    int result = rocpd_finish(db, s, status);
    sqlite3_free(like);
    char *view = sqlite3_str_finish(text);
    if (result == 0 && any) result = view ? rocpd_run(db, view, data) : -1;
    sqlite3_free(view);
    return result;
}

static int copy_view(sqlite3 *db, const char *name, const char *sql, void *data)
{
    (void)data;
    rocpd_guard_view(db, name, sql, false);
    return 0;
}

/* Makes the views that the first database has. */
static int make_views(sqlite3 *db, const char *path)
{
    int result = rocpd_attach(db, path, "part");
    if (result == 0)
        result = for_each(db,
                          "SELECT name, sql FROM part.sqlite_master WHERE type = 'view' AND name "
                          "LIKE 'rocpd\\_%' ESCAPE '\\' ORDER BY rowid",
                          unite_tables, (void *)path);
    if (result == 0)
        result =
            for_each(db,
                     "SELECT name, sql FROM part.sqlite_master WHERE type = 'view' AND name "
                     "NOT LIKE 'rocpd\\_%' ESCAPE '\\' AND name NOT LIKE 'crocprof\\_%' ESCAPE "
                     "'\\' ORDER BY rowid",
                     copy_view, (void *)path);
    if (result == 0) result = rocpd_own_merge(db);
    return result == 0 ? rocpd_run(db, "DETACH part", path) : -1;
}

int rocpd_copy(sqlite3 *db, const rocpd_files_t *f)
{
    int result = rocpd_run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", "merging");
    for (size_t i = 0; i < f->count && result == 0; i++)
        result = copy_file(db, f->paths[i]);
    if (result == 0) result = make_indexes(db);
    return result == 0 ? make_views(db, f->paths[0]) : -1;
}

static int merge_into(const rocpd_files_t *f, const char *path)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, result = -1;
    char *uri = rocpd_uri(path, "mode=rw");
    if (!uri || sqlite3_open_v2(uri, &db, flags, NULL) != SQLITE_OK) {
        base_error("%s: %s", path, db ? sqlite3_errmsg(db) : strerror(ENOMEM));
    } else {
        rocpd_guard(db);
        rocpd_heed_signals(db);
        result = rocpd_copy(db, f);
    }
    sqlite3_free(uri);
    if (sqlite3_close(db) != SQLITE_OK && result == 0) {
        base_error("%s: the database is not whole", path);
        result = -1;
    }
    return result;
}

int rocpd_merge(const rocpd_options_t *o, const rocpd_files_t *f)
{
    char name[NAME_MAX], path[PATH_MAX], part[PATH_MAX], why[512];
    const char *env = getenv("ROCPD_OUTPUT_NAME");
    const char *given = rocpd_word(o, ROCPD_OUTPUT_FILE, env && *env ? env : "merged");
    snprintf(name, sizeof(name), "%s%s", given, base_ends_with(given, ".db") ? "" : ".db");
    if (rocpd_same_schema(f, "merged") != 0 || rocpd_output(o, name, path, sizeof(path)) != 0)
        return -1;
    int fd = out_file_begin(path, part, why, sizeof(why));
    if (fd < 0) {
        base_error("%s", why);
        return -1;
    }
    close(fd);
    int result = merge_into(f, part);
    if (result == 0 && rename(part, path) != 0) {
        base_error("%s: %s", path, strerror(errno));
        result = -1;
    }
    if (result != 0)
        unlink(part);
    else
        printf("Merge completed successfully! Output saved to: %s\n", path);
    return result;
}
