/* base.c - see base.h. Here are connections and their views. look.c lists the contents of files,
 * and the sub-commands have the statements that read them. */
#include "rocpd/base.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "rocpd/look.h"
#include "rocpd/options.h"
#include "rocpd/times.h"
#include "trace/keys.h"
#include "trace/store.h"

/* ---- views ---- */

/* Returns whether the process has a table of its own for this view; its name is then in `name`. */
static bool has_own_table(const db_t *db, const char *view, const char *guid,
                          char table[DB_TABLE_BYTES])
{
    return db_own_table(db, view, guid, table) &&
           sqlite3_table_column_metadata(db->handle, "db0", table, NULL, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* Appends the SQL that makes a temporary view over a table or view of db0. */
static void put_view(const rocpd_base_t *b, sqlite3_str *sql, const char *name, const char *table)
{
    char *where = rocpd_window_condition(&b->window, name);
    sqlite3_str_appendf(sql,
                        "DROP VIEW IF EXISTS temp.\"%w\"; CREATE TEMP VIEW \"%w\" AS SELECT * FROM "
                        "db0.\"%w\"%s; ",
                        name, name, table, where ? where : " WHERE 0");
    sqlite3_free(where);
}

static int run_text(const db_t *db, sqlite3_str *sql, const char *what)
{
    char *text = sqlite3_str_finish(sql);
    const int result = db_run(db, text, what);
    sqlite3_free(text);
    return result;
}

/* The process that the views of shared tables show: by a row, since a change of views is a change
 * of the schema, after which SQLite prepares each statement anew. */
#define NARROWED_NAME "crocprof_narrowed"
#define NARROWED      "temp." NARROWED_NAME

/* Returns whether there is such a row. The file may have a table of that name, too. */
static bool has_narrowed(const db_t *db)
{
    return sqlite3_table_column_metadata(db->handle, "temp", NARROWED_NAME, NULL, NULL, NULL, NULL,
                                         NULL, NULL) == SQLITE_OK;
}

/* Appends the making of a view that shows the rows of this process of a shared table. */
static void put_narrow_view(const rocpd_base_t *b, const db_t *db, sqlite3_str *sql,
                            const char *name)
{
    const bool metadata = strcmp(name, "rocpd_metadata") == 0;
    if (!metadata && !db_has(db, name, "guid")) return;
    char *where = rocpd_window_condition(&b->window, name);
    sqlite3_str_appendf(
        sql,
        "DROP VIEW IF EXISTS temp.\"%w\"; CREATE TEMP VIEW \"%w\" AS SELECT %s FROM "
        "db0.\"%w\"%s%s guid = (SELECT guid FROM " NARROWED "); ",
        name, name, metadata ? "id, tag, value" : "*", metadata ? DB_SHARED_METADATA : name,
        where ? where : " WHERE 0", where && !*where ? " WHERE" : " AND");
    sqlite3_free(where);
}

/* Lets the views of shared tables show this process alone. Returns 0, or -1 after reporting the
 * reason. */
static int narrow_shared(const rocpd_base_t *b, const db_t *db, const char *guid)
{
    if (!has_narrowed(db)) {
        sqlite3_str *sql = sqlite3_str_new(db->handle);
        sqlite3_str_appendall(sql, "CREATE TEMP TABLE " NARROWED_NAME
                                   "(guid); INSERT INTO " NARROWED " VALUES (NULL); ");
        for (size_t i = 0; i < b->view_count; i++)
            if (b->views[i].plain) put_narrow_view(b, db, sql, b->views[i].name);
        if (run_text(db, sql, "making views") != 0) return -1;
    }
    return db_runf(db, "choosing a process", "UPDATE " NARROWED " SET guid = %Q", guid);
}

/* Makes the views of db0's tables, and replaces older ones. With a guid, the views of tables whose
 * names end with it, or which the processes of the file share, show this process alone, and the
 * other views stay as they are. */
static int make_plain_views(const rocpd_base_t *b, const db_t *db, const char *guid)
{
    if (guid && db_shares_tables(db)) return narrow_shared(b, db, guid);
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    sqlite3_str_appendall(sql, "DROP TABLE IF EXISTS " NARROWED "; ");
    for (size_t i = 0; i < b->view_count; i++) {
        const char *name = b->views[i].name;
        char table[DB_TABLE_BYTES];
        if (!b->views[i].plain) continue;
        if (!guid) {
            put_view(b, sql, name, name);
            continue;
        }
        if (has_own_table(db, name, guid, table)) put_view(b, sql, name, table);
    }
    return run_text(db, sql, "making views");
}

/* Returns whether the file's views of single tables contain none of the words that a recursive view
 * must have. */
static bool reads_tables_alone(const db_t *db)
{
    db_cursor_t c;
    if (db->late) return true; /* this program has made it from several files */
    db_rows(&c, db,
            "SELECT 1 FROM db0.sqlite_master WHERE type = 'view' AND name LIKE 'rocpd\\_%' ESCAPE "
            "'\\' AND sql LIKE '%with%'",
            "");
    const bool none = !db_next(&c);
    return db_end(&c, "reading the schema") == 0 && none;
}

/* Makes temporary copies of the first file's other views, so that they read the temporary views of
 * tables. */
static void make_data_views(const rocpd_base_t *b, const db_t *db)
{
    const bool plain = reads_tables_alone(db);
    for (size_t i = 0; i < b->view_count; i++) {
        rocpd_view_t *v = &b->views[i];
        if (v->plain) continue;
        const bool harmless = plain && rocpd_is_own_view(v->sql);
        if (db == &b->db)
            v->made = db_view(db, v->name, v->sql, true, harmless);
        else if (v->made)
            db_view(db, v->name, v->sql, true, harmless);
        else
            db_hide(db, v->name);
    }
}

/* ---- one file of several ---- */

/* Makes the views of a file that was opened. Returns 0, or -1 after reporting the reason. */
static int make_all_views(const rocpd_base_t *b, const db_t *db, bool data_views)
{
    int result = b->window.whole ? 0 : make_plain_views(b, db, NULL);
    if (result == 0) result = rocpd_own_views(db, b->own);
    if (result == 0 && data_views) make_data_views(b, db);
    return result;
}

/* Opens a file with its views. Without a window the names of single tables refer to the file's own
 * views. Returns 0, or -1 with the reason in `why`. */
static int open_file(const rocpd_base_t *b, size_t file, bool data_views, db_t *db,
                     char why[DB_WHY_BYTES])
{
    if (db_open(db, b->files->paths[file], why) != 0) return -1;
    if (b->db.name) db->name = b->files->paths[file];
    snprintf(why, DB_WHY_BYTES, "its views cannot be made");
    const int result = make_all_views(b, db, data_views);
    if (result != 0) db_close(db);
    return result;
}

static int open_file_or_tell(const rocpd_base_t *b, size_t file, bool data_views, db_t *db)
{
    char why[DB_WHY_BYTES];
    if (open_file(b, file, data_views, db, why) == 0) return 0;
    base_error("%s: %s", b->files->paths[file], why);
    return -1;
}

static void close_one(rocpd_base_t *b)
{
    if (b->one.handle) db_close(&b->one);
}

static int use_file(const rocpd_base_t *b, size_t file, bool data_views,
                    int (*use)(const db_t *db, void *data), void *data)
{
    db_t db;
    if (open_file_or_tell(b, file, data_views, &db) != 0) return -1;
    db_hold(&db);
    const int result = use(&db, data);
    db_release(&db);
    db_close(&db);
    return result;
}

/* ---- one process after another ---- */

/* Calls `use` for the files in the order of `files`, whose processes come in the order of guids. */
static int each_by_guid(rocpd_base_t *b, bool data_views, int (*use)(const db_t *db, void *data),
                        void *data)
{
    enum { UNSEEN, SEEN };
    char *seen = rocpd_find_places(b) == 0 ? calloc(b->files->count, 1) : NULL;
    bool apart = true; /* the processes of each file are adjacent */
    int result = seen ? 0 : -1;
    for (size_t i = 0; seen && i < b->place_count; i++) {
        const size_t file = b->places[i].file;
        const bool goes_on = i && b->places[i - 1].file == file;
        if (seen[file] == SEEN && !goes_on) apart = false;
        seen[file] = SEEN;
    }
    for (size_t file = 0; result == 0 && file < b->files->count; file++)
        if (seen[file] == UNSEEN) result = use_file(b, file, data_views, use, data);
    for (size_t i = 0; result == 0 && i < b->place_count; i++) {
        if (!apart) {
            const db_t *db = rocpd_narrow(b, b->places[i].guid);
            if (db && data_views && !b->one_whole) make_data_views(b, db);
            b->one_whole = data_views;
            result = db ? use(db, data) : -1;
        } else if (!i || b->places[i - 1].file != b->places[i].file) {
            result = use_file(b, b->places[i].file, data_views, use, data);
        }
    }
    free(seen);
    return result;
}

int rocpd_each(rocpd_base_t *b, rocpd_kind_t kind, int (*use)(const db_t *db, void *data),
               void *data)
{
    int result = 0;
    const bool data_views = kind == ROCPD_VIEWS || kind == ROCPD_VIEWS_BY_GUID;
    if (b->files->count == 1) return use(&b->db, data);
    if (kind == ROCPD_VIEWS_BY_GUID || kind == ROCPD_TABLES_BY_GUID)
        return each_by_guid(b, data_views, use, data);
    for (size_t file = 0; result == 0 && file < b->files->count; file++)
        result = use_file(b, file, data_views, use, data);
    return result;
}

void rocpd_let_go(rocpd_base_t *b)
{
    close_one(b);
}

const db_t *rocpd_narrow(rocpd_base_t *b, const char *guid)
{
    const db_t *db = &b->db;
    if (b->files->count > 1) {
        if (rocpd_find_places(b) != 0) return NULL;
        const rocpd_place_t *place = rocpd_find_place(b, guid);
        if (!place) return db;
        if (b->one.handle && b->one_file != place->file) close_one(b);
        b->one_file = place->file;
        if (!b->one.handle) {
            b->one_whole = false;
            if (open_file_or_tell(b, b->one_file, false, &b->one) != 0) return NULL;
        }
        db = &b->one;
        if (place->alone) return db;
    }
    return make_plain_views(b, db, guid) == 0 ? db : NULL;
}

/* ---- all of several files ---- */

/* Copies the rows of a file to the tables that are wanted. */
static int copy_file(const rocpd_base_t *b, size_t file, char why[DB_WHY_BYTES])
{
    char reason[DB_WHY_BYTES];
    db_t from;
    int result = open_file(b, file, false, &from, reason);
    if (result == 0) {
        for (size_t i = 0; result == 0 && i < b->late.count; i++)
            if (b->late.states[i] == DB_WANTED)
                result = db_copy(&b->db, b->late.tables[i], &from, reason);
        db_close(&from);
    }
    if (result != 0) snprintf(why, DB_WHY_BYTES, "%.255s: %.200s", b->files->paths[file], reason);
    return result;
}

/* Returns whether the table has few rows. Such tables are filled together, since a statement that
 * reads one mostly reads others, too. */
static bool is_small(const char *table)
{
    return base_begins_with(table, "rocpd_info_") || strcmp(table, "rocpd_metadata") == 0;
}

static int fill(void *data, char why[DB_WHY_BYTES])
{
    rocpd_base_t *b = data;
    int result = 0;
    for (size_t i = 0; i < b->late.count; i++)
        if (b->late.states[i] == DB_EMPTY && is_small(b->late.tables[i]))
            b->late.states[i] = DB_WANTED;
    for (size_t file = 0; result == 0 && file < b->files->count; file++)
        result = copy_file(b, file, why);
    char *filled = calloc(b->late.count + 1, 1); /* the statements below must not fill them again */
    for (size_t i = 0; filled && result == 0 && i < b->late.count; i++)
        if ((filled[i] = b->late.states[i] == DB_WANTED)) b->late.states[i] = DB_FILLED;
    for (size_t i = 0; filled && b->time && result == 0 && i < b->late.count; i++)
        if (filled[i]) result = rocpd_times_change(b, b->late.tables[i], why);
    if (!filled) snprintf(why, DB_WHY_BYTES, "%s", strerror(ENOMEM));
    if (!filled) result = -1;
    free(filled);
    return result;
}

int rocpd_open_one(const rocpd_base_t *b, size_t file, db_t *db)
{
    return open_file_or_tell(b, file, false, db);
}

int rocpd_begin_small(rocpd_base_t *b)
{
    if (db_run(&b->db, "SAVEPOINT small", "copying") != 0) return -1;
    for (size_t i = 0; i < b->late.count; i++)
        if (b->late.states[i] == DB_EMPTY && is_small(b->late.tables[i]))
            b->late.states[i] = DB_WANTED;
    return 0;
}

int rocpd_add_small(rocpd_base_t *b, const db_t *from)
{
    char why[DB_WHY_BYTES];
    for (size_t i = 0; i < b->late.count; i++) {
        if (b->late.states[i] != DB_WANTED) continue;
        if (db_copy(&b->db, b->late.tables[i], from, why) == 0) continue;
        base_error("%s: %s", b->late.tables[i], why);
        return -1;
    }
    return 0;
}

int rocpd_end_small(rocpd_base_t *b, bool good)
{
    for (size_t i = 0; i < b->late.count; i++)
        if (b->late.states[i] == DB_WANTED) b->late.states[i] = good ? DB_FILLED : DB_EMPTY;
    return db_run(&b->db, good ? "RELEASE small" : "ROLLBACK TO small; RELEASE small", "copying");
}

/* Makes an empty table and the view that shows it. Statements read the view, so that none can
 * change the table. */
static int make_table(rocpd_base_t *b, const char *name, const rocpd_columns_t *columns)
{
    sqlite3_str *sql = sqlite3_str_new(b->db.handle);
    sqlite3_str_appendf(sql, "CREATE TABLE main.\"%w\" (", name);
    for (size_t i = 0; i < columns->count; i++) {
        if (i) sqlite3_str_appendall(sql, ", ");
        rocpd_column_define(sql, columns->names[i], columns->types[i]);
    }
    sqlite3_str_appendf(sql, "); CREATE TEMP VIEW \"%w\" AS SELECT * FROM main.\"%w\"", name, name);
    b->late.tables[b->late.count++] = name;
    return run_text(&b->db, sql, name);
}

/* Makes a table for each view of a single table in the first file. */
static int make_tables(const db_t *db, size_t number, void *data)
{
    rocpd_base_t *b = data;
    int result = 0;
    for (size_t i = 0; !number && result == 0 && i < b->view_count; i++) {
        rocpd_columns_t columns = {0};
        bool any;
        if (!b->views[i].plain) continue;
        if (!rocpd_columns_add(db, &columns, "db0", b->views[i].name, &any)) result = -1;
        if (result == 0 && any) result = make_table(b, b->views[i].name, &columns);
        rocpd_columns_free(&columns);
    }
    return result;
}

/* Makes the temporary database; its tables are filled when they are first read. */
static int open_several(rocpd_base_t *b)
{
    const rocpd_files_t first = {.paths = b->files->paths, .count = 1};
    if (db_make(&b->db, "") != 0) return -1;
    const size_t most = b->view_count + OUT_OWN_COUNT;
    b->late = (db_late_t){.tables = calloc(most, sizeof(*b->late.tables)),
                          .states = calloc(most, sizeof(*b->late.states)),
                          .fill = fill,
                          .data = b};
    if (!b->late.tables || !b->late.states) return rocpd_look_no_memory();
    int result = db_run(&b->db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", "copying");
    if (result == 0) result = rocpd_files_each(&first, make_tables, b);
    for (size_t n = 0; result == 0 && n < OUT_OWN_COUNT; n++)
        if (b->own[n].count) result = make_table(b, rocpd_own_names[n], &b->own[n]);
    b->db.late = &b->late;
    db_lock(&b->db);
    return result;
}

static int open_single(rocpd_base_t *b)
{
    char why[DB_WHY_BYTES];
    if (db_open_by_names(&b->db, b->files->paths[0], why) != 0) {
        base_error("%s: %s", b->files->paths[0], why);
        return -1;
    }
    return make_plain_views(b, &b->db, NULL) == 0 ? rocpd_own_views(&b->db, b->own) : -1;
}

int rocpd_open(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o)
{
    return rocpd_open_alike(b, f, f, o);
}

int rocpd_open_alike(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_files_t *alike,
                     const rocpd_options_t *o)
{
    *b = (rocpd_base_t){.files = f};
    int result = rocpd_look_into_all(b, alike, o);
    if (result == 0) result = rocpd_window_find(&b->window, f, o);
    if (result == 0) result = f->count > 1 ? open_several(b) : open_single(b);
    if (result == 0)
        make_data_views(b, &b->db);
    else
        rocpd_close(b);
    return result;
}

void rocpd_close(rocpd_base_t *b)
{
    close_one(b);
    if (b->db.handle) db_close(&b->db);
    for (size_t i = 0; i < b->view_count; i++) {
        free(b->views[i].name);
        free(b->views[i].sql);
    }
    rocpd_forget_places(b);
    for (size_t n = 0; n < OUT_OWN_COUNT; n++)
        rocpd_columns_free(&b->own[n]);
    free(b->version);
    free(b->views);
    free(b->late.tables);
    free(b->late.states);
}

/* ---- files one by one ---- */

int rocpd_open_apart(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o)
{
    *b = (rocpd_base_t){.files = f};
    int result = rocpd_look(f, 0, b, &b->version, b->own, b, NULL);
    if (result == 0) result = rocpd_window_find(&b->window, f, o);
    if (result == 0) result = open_single(b);
    if (result == 0)
        make_data_views(b, &b->db);
    else
        rocpd_close(b);
    return result;
}

/* Returns whether the texts of the file's views are those of the first file, and none of these was
 * refused. */
static bool has_same_views(const rocpd_base_t *b, const db_t *db)
{
    bool same = true;
    size_t i = 0;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT name, sql FROM db0.sqlite_master WHERE type = 'view' AND name NOT LIKE "
            "'rocpd\\_%' ESCAPE '\\' AND name NOT LIKE 'crocprof\\_%' ESCAPE '\\' ORDER BY rowid",
            "");
    while (same && db_next(&c)) {
        while (i < b->view_count && b->views[i].plain)
            i++;
        same = i < b->view_count && b->views[i].made &&
               strcmp(db_text(&c, 0), b->views[i].name) == 0 &&
               strcmp(db_text(&c, 1), b->views[i].sql) == 0;
        i++;
    }
    while (i < b->view_count && b->views[i].plain)
        i++;
    return db_end(&c, "reading the schema") == 0 && same && i == b->view_count;
}

/* Returns whether the process has a table of its own for each view of single tables. */
static bool has_own_tables(const rocpd_base_t *b, const db_t *db, const char *guid)
{
    bool all = true;
    for (size_t i = 0; all && i < b->view_count; i++) {
        if (!b->views[i].plain) continue;
        char table[DB_TABLE_BYTES];
        all = has_own_table(db, b->views[i].name, guid, table);
    }
    return all;
}

/* Lists the processes of a file if there are several and each has tables of its own; otherwise the
 * list stays empty. Returns 0, or -1 after reporting the reason. */
static int list_apart(const rocpd_base_t *b, const db_t *db, rocpd_base_t *list)
{
    int result = rocpd_add_places(db, 0, list);
    bool apart = list->place_count > 1;
    for (size_t i = 0; result == 0 && apart && i < list->place_count; i++)
        apart = has_own_tables(b, db, list->places[i].guid);
    if (!apart) rocpd_forget_places(list);
    return result;
}

/* Calls `use` for each process. */
static int use_each(const rocpd_base_t *b, const db_t *db, const rocpd_base_t *list,
                    int (*use)(const db_t *db, void *data), void *data)
{
    int result = make_all_views(b, db, true);
    for (size_t i = 0; result == 0 && i < list->place_count; i++) {
        result = make_plain_views(b, db, list->places[i].guid);
        if (result == 0) result = use(db, data);
    }
    return result;
}

/* Compares the schema's version with that of the first file. */
static int check_version(const rocpd_base_t *b, size_t file, const db_t *db)
{
    char *version = b->any_version ? NULL : b->version;
    int result = rocpd_files_check(b->files, file, db, "read together", &version);
    if (result != 0 || !b->any_version) return result;
    result = strcmp(version, b->version) == 0 ? 0 : ROCPD_OTHER_VERSION;
    free(version);
    return result;
}

int rocpd_use(const rocpd_base_t *b, size_t file, bool bare, int (*use)(const db_t *db, void *data),
              void *data)
{
    db_t db;
    rocpd_base_t list = {0};
    if (rocpd_files_open(&db, b->files->paths[file]) != 0) return -1;
    db.name = b->files->paths[file];
    db.named = b->files->count > 1;
    db_hold(&db);
    int result = check_version(b, file, &db);
    if (result == 0) result = list_apart(b, &db, &list);
    if (result == 0 && list.place_count) {
        result = use_each(b, &db, &list, use, data);
    } else if (result == 0) {
        if (!(bare && b->window.whole && has_same_views(b, &db)))
            result = make_all_views(b, &db, true);
        if (result == 0) result = use(&db, data);
    }
    rocpd_forget_places(&list);
    db_release(&db);
    db_close(&db);
    return result;
}

/* ---- outputs ---- */

int rocpd_output(const rocpd_options_t *o, const char *name, char *path, size_t bytes)
{
    const char *env = getenv("ROCPD_OUTPUT_PATH");
    const char *given = rocpd_word(o, ROCPD_OUTPUT_PATH, env && *env ? env : "./rocpd-output-data");
    char directory[PATH_MAX], why[512];
    trace_keys_t *keys = trace_keys_current();
    int result =
        keys ? trace_keys_expand(keys, given, directory, sizeof(directory), why, sizeof(why)) : -1;
    if (result != 0) base_error("--output-path %s: %s", given, keys ? why : strerror(ENOMEM));
    if (keys) trace_keys_free(keys);
    if (result == 0 && trace_make_directories(directory) != 0) {
        base_error("%s: %s", directory, strerror(errno));
        result = -1;
    }
    if (result == 0 && (size_t)snprintf(path, bytes, "%s/%s", directory, name) >= bytes) {
        base_error("%s/%s: %s", directory, name, strerror(ENAMETOOLONG));
        result = -1;
    }
    return result;
}
