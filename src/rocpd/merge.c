/* merge.c - rocpd merge: makes one database from several.
 *
 * Tables have the run's id in their names, so they are copied unchanged, by pages if possible;
 * views with the names without ids unite them. Of very many runs, all share one set of tables. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "output/file.h"
#include "rocpd/commands.h"
#include "rocpd/merge.h"
#include "rocpd/own.h"

/* Databases whose tables are kept apart: 22 of each. SQLite keeps the names of all tables in 64
 * lists, so that the time to open a database grows with the square of their number. */
enum { APART_MOST = 1024 };

typedef int (*each_t)(db_t *db, const char *name, const char *sql, const char *what);

/* Calls `each` with name and SQL of each row of the query. */
static int for_each(db_t *db, const char *query, each_t each, const char *what)
{
    db_cursor_t c;
    int result = 0;
    db_rows(&c, db, query, "");
    while (result == 0 && db_next(&c))
        result = each(db, db_text(&c, 0), db_text(&c, 1), what);
    return db_end(&c, "reading the schema") == 0 ? result : -1;
}

char *rocpd_table_like(const db_t *db, const char *part, const char *name)
{
    sqlite3_str *text = sqlite3_str_new(db->handle);
    unsigned columns = 0;
    db_cursor_t c;
    sqlite3_str_appendf(text, "CREATE TABLE \"%w\" (", name);
    db_rows(&c, db,
            "SELECT name, type, pk, (SELECT COUNT(*) FROM pragma_table_info(?1, ?2) WHERE pk) "
            "FROM pragma_table_info(?1, ?2)",
            "tt", name, part);
    while (db_next(&c)) {
        const char *type = db_text(&c, 1);
        const bool key = db_int(&c, 2) && db_int(&c, 3) == 1;
        if (columns++) sqlite3_str_appendall(text, ", ");
        rocpd_column_define(text, db_text(&c, 0), type);
        if (key && strcasecmp(type, "INTEGER") == 0) sqlite3_str_appendall(text, " PRIMARY KEY");
    }
    sqlite3_str_appendall(text, ")");
    char *sql = sqlite3_str_finish(text);
    if (db_end(&c, "reading a database") == 0 && columns && sql) return sql;
    sqlite3_free(sql);
    return NULL;
}

static int copy_table(db_t *db, const char *name, const char *sql, const char *file)
{
    (void)sql;
    if (sqlite3_table_column_metadata(db->handle, "main", name, NULL, NULL, NULL, NULL, NULL,
                                      NULL) == SQLITE_OK) {
        base_error("%s: table %s is in another of the databases already", file, name);
        return -1;
    }
    char *like = rocpd_table_like(db, "part", name);
    int result = like ? db_run(db, like, file) : -1;
    sqlite3_free(like);
    if (result == 0)
        result = db_runf(db, file, "INSERT INTO main.\"%w\" SELECT * FROM part.\"%w\"", name, name);
    return result;
}

/* Indexes a table by event, since its rows are looked up by their event. */
static int make_index(db_t *db, const char *name, const char *sql, const char *what)
{
    (void)sql;
    if (!db_has(db, name, "event_id")) return 0;
    return db_runf(db, what,
                   "CREATE INDEX IF NOT EXISTS main.\"by_event_%w\" ON \"%w\" (\"event_id\")", name,
                   name);
}

/* Copies only tables: triggers and indexes would need the file's SQL. */
static int copy_file(db_t *db, const char *path)
{
    int result = db_attach(db, path);
    if (result != 0) return -1;
    result = db_run(db, "BEGIN", path);
    if (result == 0)
        result = for_each(db,
                          "SELECT name, sql FROM part.sqlite_master WHERE type = 'table' AND name "
                          "NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
                          copy_table, path);
    if (result == 0) result = db_run(db, "COMMIT", path);
    if (result == 0) result = db_run(db, "DETACH part", path);
    return result;
}

/* Makes the indexes of the tables that were copied. */
static int make_indexes(db_t *db)
{
    return for_each(
        db,
        "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND (name LIKE "
        "'rocpd\\_arg\\_%' ESCAPE '\\' OR name LIKE 'rocpd\\_pmc\\_event\\_%' ESCAPE "
        "'\\' OR name LIKE 'rocpd\\_kernel\\_dispatch\\_%' ESCAPE '\\') AND 'by_event_' || "
        "name NOT IN (SELECT name FROM main.sqlite_master WHERE type = 'index')",
        make_index, "indexes");
}

/* Lists the tables whose names are this name and a run's id. Returns 0, or -1 after reporting the
 * reason. */
static int list_tables(const db_t *db, const char *name, char ***tables, size_t *count)
{
    bool room = true;
    db_cursor_t c;
    for (rocpd_tables_of(db, &c, name); room && db_next(&c);)
        room = base_add_text(tables, count, db_text(&c, 0));
    if (!room) base_error("%s: %s", name, strerror(ENOMEM));
    return db_end(&c, "reading a database") == 0 && room ? 0 : -1;
}

/* Makes a view that unites all tables whose names are the view's name and a run's id. */
static int unite_tables(db_t *db, const char *name, const char *sql, const char *file)
{
    sqlite3_str *text = sqlite3_str_new(db->handle);
    char **tables = NULL;
    size_t count = 0;
    (void)sql;
    int result = list_tables(db, name, &tables, &count);
    sqlite3_str_appendf(text, "CREATE VIEW \"%w\" AS ", name);
    for (size_t i = 0; i < count; i++) {
        rocpd_unite(text, i, count);
        sqlite3_str_appendf(text, "SELECT * FROM \"%w\"", tables[i]);
        free(tables[i]);
    }
    rocpd_unite(text, count, count);
    free(tables);
    char *view = sqlite3_str_finish(text);
    if (result == 0 && count) result = db_run(db, view, file);
    sqlite3_free(view);
    return result;
}

static int copy_view(db_t *db, const char *name, const char *sql, const char *file)
{
    (void)file;
    db_view(db, name, sql, false, rocpd_is_own_view(sql));
    return 0;
}

/* Makes the views that the first database has; `shared`: those of tables are there. */
static int make_views(db_t *db, const char *path, bool shared)
{
    int result = db_attach(db, path);
    if (result == 0 && !shared)
        result = for_each(db,
                          "SELECT name, sql FROM part.sqlite_master WHERE type = 'view' AND name "
                          "LIKE 'rocpd\\_%' ESCAPE '\\' ORDER BY rowid",
                          unite_tables, path);
    if (result == 0)
        result =
            for_each(db,
                     "SELECT name, sql FROM part.sqlite_master WHERE type = 'view' AND name "
                     "NOT LIKE 'rocpd\\_%' ESCAPE '\\' AND name NOT LIKE 'crocprof\\_%' ESCAPE "
                     "'\\' ORDER BY rowid",
                     copy_view, path);
    if (result == 0 && !shared) result = rocpd_own_merge(db);
    return result == 0 ? db_run(db, "DETACH part", path) : -1;
}

/* Copies all tables into the main database of the connection, which is empty. */
static int copy_files(db_t *db, const rocpd_files_t *f)
{
    int result = 0;
    for (size_t i = 0; i < f->count && result == 0; i++)
        result = copy_file(db, f->paths[i]);
    return result;
}

/* Warns that times are copied unchanged, if processes of several nodes have different clocks. */
static int warn_of_clocks(const db_t *db)
{
    db_cursor_t c;
    db_rows(&c, db, "SELECT COUNT(DISTINCT value) FROM rocpd_metadata WHERE tag = 'boot_id'", "");
    const int64_t nodes = db_next(&c) ? db_int(&c, 0) : 0;
    if (db_end(&c, "reading metadata") != 0) return -1;
    if (nodes > 1 && base_log_level >= BASE_LOG_WARNING)
        fprintf(
            stderr,
            "rocpd: processes of %lld nodes keep the times of their nodes' clocks, and the file "
            "has what is known of these: rocpd and rocprofv3 change times as they read it\n",
            (long long)nodes);
    return 0;
}

/* Copies all databases, and makes the views of the first one over all tables. Tables are copied
 * unchanged; the rows of too many databases are copied to one set of tables. Returns 0, or -1 after
 * reporting the reason. */
static int merge_into(const rocpd_files_t *f, const rocpd_options_t *o, const char *path)
{
    db_t db;
    bool shared = f->count > APART_MOST;
    const int copied = shared ? 0 : rocpd_merge_pages(f, o, path, &shared);
    if (copied < 0 || db_make(&db, path) != 0) return -1;
    int result = db_run(&db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", "merging");
    if (result == 0 && shared)
        result = rocpd_merge_rows(f, o, &db);
    else if (result == 0 && !copied)
        result = copy_files(&db, f);
    if (result == 0 && !shared) result = make_indexes(&db);
    if (result == 0) result = make_views(&db, f->paths[0], shared);
    if (result == 0) result = warn_of_clocks(&db);
    if (db_close(&db) == 0 || result != 0) return result;
    base_error("%s: the database is not whole", path);
    return -1;
}

int rocpd_merge(const rocpd_options_t *o, const rocpd_files_t *f)
{
    char name[NAME_MAX], path[PATH_MAX], part[PATH_MAX], why[512];
    const char *env = getenv("ROCPD_OUTPUT_NAME");
    const char *given = rocpd_word(o, ROCPD_OUTPUT_FILE, env && *env ? env : "merged");
    snprintf(name, sizeof(name), "%s%s", given, base_ends_with(given, ".db") ? "" : ".db");
    if (rocpd_output(o, name, path, sizeof(path)) != 0) return -1;
    int fd = out_file_begin(path, part, why, sizeof(why));
    if (fd < 0) {
        base_error("%s", why);
        return -1;
    }
    close(fd);
    int result = merge_into(f, o, part);
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
