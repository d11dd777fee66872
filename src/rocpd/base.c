/* base.c - see base.h. Connections and their views; the statements that read them are the
 * sub-commands'. */
#include "rocpd/base.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "db/clocks.h"
#include "db/peek.h"
#include "base/pool.h"
#include "base/text.h"
#include "rocpd/options.h"
#include "rocpd/times.h"
#include "trace/keys.h"
#include "trace/store.h"

static int no_memory(void)
{
    base_error("opening databases: %s", strerror(ENOMEM));
    return -1;
}

/* ---- what is in the files ---- */

/* Adds the views of the first file with their SQL: if `plain`, those of single tables (rocpd_*),
 * else the others. */
static int add_views(rocpd_base_t *b, const db_t *db, bool plain)
{
    bool room = true;
    db_cursor_t c;
    char *sql = sqlite3_mprintf("SELECT name, sql FROM db0.sqlite_master WHERE type = 'view' AND "
                                "name %s LIKE 'rocpd\\_%%' ESCAPE '\\' AND name NOT LIKE "
                                "'crocprof\\_%%' ESCAPE '\\' ORDER BY rowid",
                                plain ? "" : "NOT");
    db_rows(&c, db, sql, "");
    while (room && db_next(&c)) {
        if (!(room = BASE_GROW_BY_ONE(b->views, b->view_count))) break;
        rocpd_view_t *v = &b->views[b->view_count++];
        *v = (rocpd_view_t){strdup(db_text(&c, 0)), strdup(db_text(&c, 1)), plain, false};
        room = v->name && v->sql;
    }
    sqlite3_free(sql);
    return db_end(&c, "reading the schema") != 0 ? -1 : room ? 0 : no_memory();
}

/* Adds the columns of our own tables. */
static int add_own(const db_t *db, rocpd_columns_t own[OUT_OWN_COUNT])
{
    bool any;
    for (size_t n = 0; n < OUT_OWN_COUNT; n++)
        if (!rocpd_columns_add(db, &own[n], "db0", rocpd_own_names[n], &any)) return -1;
    return 0;
}

/* ---- processes of several files ---- */

static int add_place(rocpd_base_t *b, const rocpd_place_t *place)
{
    char *guid = BASE_GROW_BY_ONE(b->places, b->place_count) ? strdup(place->guid) : NULL;
    if (!guid) return no_memory();
    b->places[b->place_count] = *place;
    b->places[b->place_count++].guid = guid;
    return 0;
}

static int add_places(const db_t *db, size_t number, void *data)
{
    rocpd_base_t *b = data;
    int result = 0;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT guid, pid, COALESCE(init, 0), COALESCE(fini, 0) FROM rocpd_info_process WHERE "
            "guid IS NOT NULL",
            "");
    while (result == 0 && db_next(&c)) {
        rocpd_place_t place = {.guid = (char *)(uintptr_t)db_text(&c, 0),
                               .file = number,
                               .pid = (uint32_t)db_int(&c, 1),
                               .begin = db_uint(&c, 2),
                               .end = db_uint(&c, 3)};
        result = db_clock_facts(db, place.guid, &place.clock);
        if (result == 0) result = add_place(b, &place);
    }
    return db_end(&c, "reading processes") == 0 ? result : -1;
}

static int by_guid(const void *left, const void *right)
{
    const rocpd_place_t *a = left, *b = right;
    const int guids = strcmp(a->guid, b->guid);
    return guids ? guids : (a->file > b->file) - (a->file < b->file);
}

/* Sorts the places when those of all files are there. */
static int sort_places(rocpd_base_t *b)
{
    size_t *of_files = calloc(b->files->count, sizeof(*of_files));
    if (!of_files) return no_memory();
    for (size_t i = 0; i < b->place_count; i++)
        of_files[b->places[i].file]++;
    for (size_t i = 0; i < b->place_count; i++)
        b->places[i].alone = of_files[b->places[i].file] == 1;
    free(of_files);
    if (b->place_count) qsort(b->places, b->place_count, sizeof(*b->places), by_guid);
    b->placed = true;
    return 0;
}

int rocpd_find_places(rocpd_base_t *b)
{
    if (b->placed) return 0;
    return rocpd_files_each(b->files, add_places, b) == 0 ? sort_places(b) : -1;
}

const rocpd_place_t *rocpd_find_place(const rocpd_base_t *b, const char *guid)
{
    size_t low = 0, high = b->place_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(b->places[middle].guid, guid) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->place_count && strcmp(b->places[low].guid, guid) == 0 ? &b->places[low] : NULL;
}

const char *rocpd_file_of(const rocpd_base_t *b, const char *guid)
{
    const rocpd_place_t *place = rocpd_find_place(b, guid);
    return b->files->paths[place ? place->file : 0];
}

/* ---- a first look into all files ---- */

typedef struct {
    rocpd_base_t *b;
    const rocpd_files_t *files;
    db_likeness_t *likeness; /* of the first file, or NULL */
} look_t;

/* Looks into a file: its schema's version; of the first also the views, and what makes others
 * alike.
 */
static int look(const rocpd_files_t *files, size_t number, rocpd_base_t *views, char **version,
                rocpd_columns_t own[OUT_OWN_COUNT], rocpd_base_t *places, db_likeness_t **likeness)
{
    db_t db;
    if (rocpd_files_open(&db, files->paths[number]) != 0) return -1;
    int result = rocpd_files_check(files, number, &db, "read together", version);
    if (result == 0 && views) result = add_views(views, &db, true);
    if (result == 0 && views) result = add_views(views, &db, false);
    if (result == 0) result = add_own(&db, own);
    if (result == 0) result = add_places(&db, number, places);
    if (result == 0 && likeness) *likeness = db_likeness_of(&db, files->paths[number]);
    db_close(&db);
    return result;
}

/* What is found in a file whose schema is that of the first. */
typedef struct {
    rocpd_base_t *found;
    const char *version; /* of the schema of the first file */
    size_t number;
    bool told, same; /* the version of this file, and whether it is the same */
    trace_clock_facts_t clock;
} peek_t;

static bool take_fact(void *data, const char *tag, const char *value)
{
    peek_t *p = data;
    if (!p->told && strcmp(tag, "schema_version") == 0) {
        p->told = true;
        p->same = strcmp(value, p->version) == 0;
    }
    db_clock_take(&p->clock, tag, value);
    return true;
}

static bool take_process(void *data, const char *guid, uint32_t pid, uint64_t begin, uint64_t end)
{
    peek_t *p = data;
    const rocpd_place_t place = {.guid = (char *)(uintptr_t)guid,
                                 .file = p->number,
                                 .pid = pid,
                                 .begin = begin,
                                 .end = end,
                                 .clock = p->clock};
    return p->same && add_place(p->found, &place) == 0;
}

static void forget_places(rocpd_base_t *b)
{
    for (size_t i = 0; i < b->place_count; i++)
        free(b->places[i].guid);
    free(b->places);
    b->places = NULL;
    b->place_count = 0;
}

/* Looks into a file, if it can be done without opening it as a database. Its own tables have the
 * columns that those of the first file have. */
static bool peek(const look_t *l, size_t number, rocpd_base_t *found)
{
    peek_t p = {.found = found,
                .version = l->b->version,
                .number = number,
                .clock = (trace_clock_facts_t){.rank = -1}};
    const db_listener_t to = {take_fact, take_process, &p};
    if (l->likeness && db_peek(l->likeness, l->files->paths[number], &to) && p.same) return true;
    forget_places(found);
    return false;
}

/* In a worker: looks into a file behind the first, and writes what is in it: columns of each of our
 * tables, their number first, then processes. Texts end with a zero. */
static int look_into(void *data, size_t number, FILE *to)
{
    const look_t *l = data;
    rocpd_columns_t own[OUT_OWN_COUNT] = {0};
    rocpd_base_t found = {0};
    char *version = l->b->version;
    const int result = peek(l, number + 1, &found)
                           ? 0
                           : look(l->files, number + 1, NULL, &version, own, &found, NULL);
    for (size_t n = 0; n < OUT_OWN_COUNT; n++) {
        fwrite(&own[n].count, sizeof(own[n].count), 1, to);
        for (size_t i = 0; i < own[n].count; i++)
            fprintf(to, "%s%c%s%c", own[n].names[i], 0, own[n].types[i], 0);
        rocpd_columns_free(&own[n]);
    }
    for (size_t i = 0; i < found.place_count; i++) {
        fwrite(&found.places[i], sizeof(found.places[i]), 1, to);
        fprintf(to, "%s%c", found.places[i].guid, 0);
    }
    forget_places(&found);
    return result;
}

/* The text at *at, which then stands behind it. */
static const char *next_text(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

static int take_look(void *data, size_t number, const char *bytes, size_t count)
{
    const look_t *l = data;
    const char *at = bytes;
    (void)number;
    for (size_t n = 0; n < OUT_OWN_COUNT; n++) {
        size_t columns;
        memcpy(&columns, at, sizeof(columns));
        at += sizeof(columns);
        for (size_t i = 0; i < columns; i++) {
            const char *name = next_text(&at), *type = next_text(&at);
            if (!rocpd_columns_put(&l->b->own[n], name, type)) return no_memory();
        }
    }
    while (at < bytes + count) {
        rocpd_place_t place;
        memcpy(&place, at, sizeof(place));
        at += sizeof(place);
        place.guid = (char *)(uintptr_t)next_text(&at);
        if (add_place(l->b, &place) != 0) return -1;
    }
    return 0;
}

static const char *name_looked(const void *data, size_t number)
{
    const look_t *l = data;
    return l->files->paths[number + 1];
}

/* Looks into all files; several processes do if there are many. */
static int look_into_all(rocpd_base_t *b, const rocpd_files_t *files, const rocpd_options_t *o)
{
    enum { FEW = 16 };
    look_t l = {b, files, NULL};
    const base_pool_t pool = {.count = files->count - 1,
                              .workers = files->count < FEW ? 1 : rocpd_workers(o, files->count),
                              .work = look_into,
                              .take = take_look,
                              .name = name_looked,
                              .data = &l,
                              .stop = &db_interrupted};
    int result = look(files, 0, b, &b->version, b->own, b, files->count > 1 ? &l.likeness : NULL);
    if (result == 0) result = base_pool_run(&pool);
    db_likeness_free(l.likeness);
    if (result == 0 && files == b->files) return sort_places(b);
    forget_places(b); /* those of some files are of no use */
    return result;
}

/* ---- views ---- */

/* Whether the process has a table of its own of this view, and its name. */
static bool has_own_table(const db_t *db, const char *view, const char *guid,
                          char table[DB_TABLE_BYTES])
{
    return db_own_table(db, view, guid, table) &&
           sqlite3_table_column_metadata(db->handle, "db0", table, NULL, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* Appends the making of a temporary view over a table or view of db0. */
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

/* Makes the views of db0's tables, in place of older ones; with a guid, those of the tables whose
 * names end with it show this process alone, and the others stay as they are. */
static int make_plain_views(const rocpd_base_t *b, const db_t *db, const char *guid)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    sqlite3_str_appendall(sql, " ");
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

/* Whether the file's views of single tables have none of the words without which no view feeds
 * itself. */
static bool reads_tables_alone(const db_t *db)
{
    db_cursor_t c;
    if (db->late) return true; /* it is made by this program, of several files */
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

/* Makes the views of a file that was opened. 0, or -1 with the reason told. */
static int make_all_views(const rocpd_base_t *b, const db_t *db, bool data_views)
{
    int result = b->window.whole ? 0 : make_plain_views(b, db, NULL);
    if (result == 0) result = rocpd_own_views(db, b->own);
    if (result == 0 && data_views) make_data_views(b, db);
    return result;
}

/* Opens a file with its views. Without a window the names of single tables mean the file's own
 * views. 0, or -1 with the reason in `why`. */
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
    const int result = use(&db, data);
    db_close(&db);
    return result;
}

/* ---- one process after another ---- */

/* Calls back with the files in the order of `files`, whose processes come in the order of guids. */
static int each_by_guid(rocpd_base_t *b, bool data_views, int (*use)(const db_t *db, void *data),
                        void *data)
{
    enum { UNSEEN, SEEN };
    char *seen = rocpd_find_places(b) == 0 ? calloc(b->files->count, 1) : NULL;
    bool apart = true; /* the processes of each file are neighbours */
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

/* Tables of few rows, which are filled together: whoever reads one mostly reads others, too. */
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
    char *filled = calloc(b->late.count + 1, 1); /* statements below must not fill them again */
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

/* Makes an empty table and the view that shows it. Statements read the view, so that nobody changes
 * the table. */
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

/* Makes the temporary database, and lets its tables be filled when they are needed. */
static int open_several(rocpd_base_t *b)
{
    const rocpd_files_t first = {.paths = b->files->paths, .count = 1};
    if (db_make(&b->db, "") != 0) return -1;
    const size_t most = b->view_count + OUT_OWN_COUNT;
    b->late = (db_late_t){.tables = calloc(most, sizeof(*b->late.tables)),
                          .states = calloc(most, sizeof(*b->late.states)),
                          .fill = fill,
                          .data = b};
    if (!b->late.tables || !b->late.states) return no_memory();
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
    int result = look_into_all(b, alike, o);
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
    forget_places(b);
    for (size_t n = 0; n < OUT_OWN_COUNT; n++)
        rocpd_columns_free(&b->own[n]);
    free(b->version);
    free(b->views);
    free(b->late.tables);
    free(b->late.states);
}

/* ---- files by themselves ---- */

int rocpd_open_apart(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o)
{
    *b = (rocpd_base_t){.files = f};
    int result = look(f, 0, b, &b->version, b->own, b, NULL);
    if (result == 0) result = rocpd_window_find(&b->window, f, o);
    if (result == 0) result = open_single(b);
    if (result == 0)
        make_data_views(b, &b->db);
    else
        rocpd_close(b);
    return result;
}

/* Whether the file's views are those of the first file by their text, and none of these was left
 * out. */
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

/* Whether the process has a table of its own for each view of single tables. */
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

/* Lists the processes of a file if there are several and each has tables of its own; else there are
 * none in the list. 0, or -1 with the reason told. */
static int list_apart(const rocpd_base_t *b, const db_t *db, rocpd_base_t *list)
{
    int result = add_places(db, 0, list);
    bool apart = list->place_count > 1;
    for (size_t i = 0; result == 0 && apart && i < list->place_count; i++)
        apart = has_own_tables(b, db, list->places[i].guid);
    if (!apart) forget_places(list);
    return result;
}

/* Calls back with each process. */
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
    int result = check_version(b, file, &db);
    if (result == 0) result = list_apart(b, &db, &list);
    if (result == 0 && list.place_count) {
        result = use_each(b, &db, &list, use, data);
    } else if (result == 0) {
        if (!(bare && b->window.whole && has_same_views(b, &db)))
            result = make_all_views(b, &db, true);
        if (result == 0) result = use(&db, data);
    }
    forget_places(&list);
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
