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

bool rocpd_is_by_event(const char *table)
{
    static const char *const names[] = {"rocpd_arg", "rocpd_pmc_event", "rocpd_kernel_dispatch"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const size_t length = strlen(names[i]);
        if (strncasecmp(table, names[i], length) == 0 && (!table[length] || table[length] == '_'))
            return true;
    }
    return false;
}

static int make_index(db_t *db, const char *name, const char *sql, const char *what)
{
    (void)sql;
    if (!rocpd_is_by_event(name) || !db_has(db, name, "event_id")) return 0;
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
        result = rocpd_merge_each(
            db,
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
    return rocpd_merge_each(
        db,
        "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND 'by_event_' || name NOT "
        "IN (SELECT name FROM main.sqlite_master WHERE type = 'index')",
        make_index, "indexes");
}

/* Copies all tables into the main database of the connection, which is empty. */
static int copy_files(db_t *db, const rocpd_files_t *f)
{
    int result = 0;
    for (size_t i = 0; i < f->count && result == 0; i++)
        result = copy_file(db, f->paths[i]);
    return result;
}

void rocpd_merge_tell_clocks(size_t nodes)
{
    if (nodes > 1 && base_log_level >= BASE_LOG_WARNING)
        fprintf(stderr,
                "rocpd: processes of %zu nodes keep the times of their nodes' clocks, and the file "
                "has what is known of these: rocpd and rocprofv3 change times as they read it\n",
                nodes);
}

static int warn_of_clocks(const db_t *db)
{
    db_cursor_t c;
    db_rows(&c, db, "SELECT COUNT(DISTINCT value) FROM rocpd_metadata WHERE tag = 'boot_id'", "");
    const size_t nodes = db_next(&c) ? (size_t)db_int(&c, 0) : 0;
    if (db_end(&c, "reading metadata") != 0) return -1;
    rocpd_merge_tell_clocks(nodes);
    return 0;
}

/* Copies all databases, and makes the views of the first one over all tables. Tables are copied
 * unchanged; the rows of too many databases are copied to one set of tables. Returns 0, or -1 after
 * reporting the reason. */
static int merge_into(const rocpd_files_t *f, const rocpd_options_t *o, const char *path)
{
    db_t db;
    bool shared = f->count > APART_MOST;
    const rocpd_merged_t done =
        shared ? ROCPD_MERGE_NOTHING : rocpd_merge_pages(f, o, path, &shared);
    if (done == ROCPD_MERGE_ALL) return 0;
    if (done == ROCPD_MERGE_FAILED || db_make(&db, path) != 0) return -1;
    int result = db_run(&db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", "merging");
    if (result == 0 && shared)
        result = rocpd_merge_rows(f, o, &db);
    else if (result == 0 && done == ROCPD_MERGE_NOTHING)
        result = copy_files(&db, f);
    if (result == 0 && !shared) result = make_indexes(&db);
    if (result == 0) result = rocpd_merge_views(&db, f->paths[0], shared);
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
