/* merge_rows.c - see merge.h. Runs share one set of tables: a row of each kind of table, whatever
 * the number of runs. Rows stay as they are, also their ids, which are those of their process: the
 * key is the process's guid with the id, by which all views of the schema join, and the tables are
 * sorted by it. Several processes read the databases, in the order of the guids, and send their
 * rows to this one. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/text.h"
#include "db/schema.h"
#include "rocpd/look.h"
#include "rocpd/merge.h"

enum { COLUMNS_MOST = 200 };

/* A table of the output. */
typedef struct {
    char *view; /* its name without the suffix */
    rocpd_columns_t columns;
    char *heading; /* of the rows that `insert` takes: names and types of columns */
    size_t heading_bytes;
    db_cursor_t insert;
} table_t;

typedef struct {
    const rocpd_files_t *files; /* in the order of the guids */
    char suffix[40];            /* of the tables' names, in the form of a guid */
    const db_t *db;
    table_t *tables;
    size_t count;
} work_t;

static int no_memory(void)
{
    base_error("merging: %s", strerror(ENOMEM));
    return -1;
}

/* ---- in a worker: what a database has ---- */

/* A value begins with one of these. */
enum { NONE = 'n', INTEGER = 'i', REAL = 'r', TEXT = 't', BLOB = 'b', ROW = 1, END = 0 };

static void send_bytes(char kind, const void *bytes, int count, FILE *to)
{
    putc(kind, to);
    fwrite(&count, sizeof(count), 1, to);
    fwrite(bytes, 1, (size_t)count, to);
}

static void send_value(const db_cursor_t *c, int column, FILE *to)
{
    const int64_t number = db_int(c, column);
    double real;
    switch (db_type(c, column)) {
    case SQLITE_INTEGER:
        putc(INTEGER, to);
        fwrite(&number, sizeof(number), 1, to);
        break;
    case SQLITE_FLOAT:
        real = db_real(c, column);
        putc(REAL, to);
        fwrite(&real, sizeof(real), 1, to);
        break;
    case SQLITE_TEXT:
        send_bytes(TEXT, db_text(c, column), sqlite3_column_bytes(c->s, column), to);
        break;
    case SQLITE_BLOB:
        send_bytes(BLOB, sqlite3_column_blob(c->s, column), sqlite3_column_bytes(c->s, column), to);
        break;
    default: putc(NONE, to);
    }
}

/* Sends the columns of a statement, then its rows, and ends it. Returns 0, or -1 after reporting
 * the reason; so do the functions below that return an int. */
static int send_table(const char *view, db_cursor_t *c, FILE *to)
{
    const int columns = c->s ? sqlite3_column_count(c->s) : 0;
    fprintf(to, "%s%c", view, 0);
    for (int i = 0; i < columns; i++) {
        const char *type = sqlite3_column_decltype(c->s, i);
        fprintf(to, "%s%c%s%c", sqlite3_column_name(c->s, i), 0, type ? type : "TEXT", 0);
    }
    putc(0, to); /* no name */
    while (db_next(c)) {
        putc(ROW, to);
        for (int i = 0; i < columns; i++)
            send_value(c, i, to);
    }
    putc(END, to);
    return db_end(c, view);
}

/* Sends metadata, whose rows do not say of which process they are, with the process's guid. */
static int send_metadata(const db_t *db, FILE *to)
{
    int result = 0;
    db_cursor_t processes, c;
    if (db_shares_tables(db)) {
        db_rows(&c, db, "SELECT * FROM " DB_SHARED_METADATA, "");
        return send_table(DB_SHARED_METADATA, &c, to);
    }
    db_rows(&processes, db, "SELECT guid, COUNT(*) OVER () FROM rocpd_info_process", "");
    while (result == 0 && db_next(&processes)) {
        char table[DB_TABLE_BYTES];
        const char *guid = db_text(&processes, 0);
        const bool own =
            db_own_table(db, "rocpd_metadata", guid, table) && db_has(db, table, "tag");
        if (!own && db_int(&processes, 1) > 1) continue; /* nobody can tell of whom they are */
        char *sql = sqlite3_mprintf("SELECT id, tag, value, ? AS guid FROM \"%w\"",
                                    own ? table : "rocpd_metadata");
        db_rows(&c, db, sql, "t", guid);
        result = send_table(DB_SHARED_METADATA, &c, to);
        sqlite3_free(sql);
    }
    return db_end(&processes, "reading processes") == 0 ? result : -1;
}

static int send_file(void *data, size_t number, FILE *to)
{
    const work_t *w = data;
    db_t db;
    db_cursor_t views, c;
    if (rocpd_files_open(&db, w->files->paths[number]) != 0) return -1;
    db.name = w->files->paths[number];
    db.named = true;
    db_hold(&db);
    int result = send_metadata(&db, to);
    db_rows(&views, &db,
            "SELECT name FROM db0.sqlite_master WHERE type = 'view' AND (name LIKE 'rocpd\\_%' "
            "ESCAPE '\\' OR name LIKE 'crocprof\\_%' ESCAPE '\\') AND name NOT IN "
            "('rocpd_metadata', '" DB_SHARED_METADATA "') ORDER BY rowid",
            "");
    while (result == 0 && db_next(&views)) {
        char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", db_text(&views, 0));
        db_rows(&c, &db, sql, "");
        result = send_table(db_text(&views, 0), &c, to);
        sqlite3_free(sql);
    }
    if (db_end(&views, "reading the schema") != 0) result = -1;
    db_release(&db);
    db_close(&db);
    return result;
}

/* ---- the tables of the output ---- */

static bool has(const rocpd_columns_t *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcasecmp(c->names[i], name) == 0) return true;
    return false;
}

static int create(const work_t *w, const table_t *t)
{
    sqlite3_str *sql = sqlite3_str_new(w->db->handle);
    const bool keyed = has(&t->columns, "guid") && has(&t->columns, "id");
    sqlite3_str_appendf(sql, "CREATE TABLE \"%w%s\" (", t->view, w->suffix);
    for (size_t i = 0; i < t->columns.count; i++) {
        if (i) sqlite3_str_appendall(sql, ", ");
        rocpd_column_define(sql, t->columns.names[i], t->columns.types[i]);
    }
    sqlite3_str_appendall(sql, keyed ? ", PRIMARY KEY (guid, id)) WITHOUT ROWID" : ")");
    char *text = sqlite3_str_finish(sql);
    const int result = db_run(w->db, text, t->view);
    sqlite3_free(text);
    return result;
}

/* Adds a column that the databases so far did not have. */
static int add_column(const work_t *w, table_t *t, const char *name, const char *type)
{
    sqlite3_str *sql = sqlite3_str_new(w->db->handle);
    sqlite3_str_appendf(sql, "ALTER TABLE \"%w%s\" ADD COLUMN ", t->view, w->suffix);
    rocpd_column_define(sql, name, type);
    char *text = sqlite3_str_finish(sql);
    const int result = db_run(w->db, text, t->view);
    sqlite3_free(text);
    return result == 0 && !rocpd_columns_put(&t->columns, name, type) ? no_memory() : result;
}

static int prepare(const work_t *w, table_t *t, char *const *names, size_t count)
{
    sqlite3_str *sql = sqlite3_str_new(w->db->handle);
    sqlite3_str_appendf(sql, "INSERT INTO \"%w%s\" (", t->view, w->suffix);
    for (size_t i = 0; i < count; i++)
        sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : "", names[i]);
    sqlite3_str_appendall(sql, ") VALUES (");
    for (size_t i = 0; i < count; i++)
        sqlite3_str_appendall(sql, i ? ", ?" : "?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    db_drop(&t->insert);
    const bool good = db_rows(&t->insert, w->db, text, "");
    sqlite3_free(text);
    return good ? 0 : db_end(&t->insert, t->view);
}

/* Makes the table if it is new, or adds columns to it, and prepares the statement for rows with
 * these columns. */
static int head_table(const work_t *w, table_t *t, const char *heading, size_t bytes)
{
    char *names[COLUMNS_MOST];
    size_t count = 0;
    int result = 0;
    const bool new = !t->columns.count;
    for (const char *at = heading; result == 0 && *at;) {
        const char *name = at, *type = at + strlen(at) + 1;
        at = type + strlen(type) + 1;
        if (count == COLUMNS_MOST) {
            base_error("%s: more than %d columns", t->view, COLUMNS_MOST);
            return -1;
        }
        names[count++] = (char *)(uintptr_t)name;
        if (new && !rocpd_columns_put(&t->columns, name, type)) result = no_memory();
        if (!new && !has(&t->columns, name)) result = add_column(w, t, name, type);
    }
    if (result == 0 && new) result = create(w, t);
    if (result == 0) result = prepare(w, t, names, count);
    free(t->heading);
    t->heading = malloc(bytes);
    if (!t->heading) return no_memory();
    memcpy(t->heading, heading, bytes);
    t->heading_bytes = bytes;
    return result;
}

static table_t *find_table(work_t *w, const char *view)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->tables[i].view, view) == 0) return &w->tables[i];
    char *copy = BASE_GROW_BY_ONE(w->tables, w->count) ? strdup(view) : NULL;
    if (!copy) return NULL;
    w->tables[w->count] = (table_t){.view = copy};
    return &w->tables[w->count++];
}

/* Takes a value, behind which *at is then. */
static int take_value(sqlite3_stmt *s, int place, const char **at)
{
    const char kind = *(*at)++, *bytes = *at;
    int64_t number;
    double real;
    int count;
    switch (kind) {
    case INTEGER:
        memcpy(&number, bytes, sizeof(number));
        *at += sizeof(number);
        return sqlite3_bind_int64(s, place, number);
    case REAL:
        memcpy(&real, bytes, sizeof(real));
        *at += sizeof(real);
        return sqlite3_bind_double(s, place, real);
    case TEXT:
    case BLOB:
        memcpy(&count, bytes, sizeof(count));
        bytes += sizeof(count);
        *at = bytes + count;
        return kind == TEXT ? sqlite3_bind_text(s, place, bytes, count, SQLITE_STATIC)
                            : sqlite3_bind_blob(s, place, bytes, count, SQLITE_STATIC);
    default: return sqlite3_bind_null(s, place);
    }
}

/* Takes the rows of a table, behind which *at is then. */
static int take_rows(table_t *t, const char **at)
{
    const int columns = sqlite3_bind_parameter_count(t->insert.s);
    while (*(*at)++ == ROW) {
        int status = SQLITE_OK;
        db_again(&t->insert, "");
        for (int i = 1; i <= columns && status == SQLITE_OK; i++)
            status = take_value(t->insert.s, i, at);
        if (status != SQLITE_OK) return no_memory();
        db_next(&t->insert);
        if (*t->insert.why) return -1;
    }
    return 0;
}

/* Where a heading ends that begins here: behind a name without a letter. */
static const char *behind_heading(const char *at)
{
    while (*at)
        for (int i = 0; i < 2; i++)
            at += strlen(at) + 1;
    return at + 1;
}

static int take_file(void *data, size_t number, const char *bytes, size_t count)
{
    work_t *w = data;
    const char *at = bytes;
    while (at < bytes + count) {
        table_t *t = find_table(w, at);
        const char *heading = at + strlen(at) + 1;
        at = behind_heading(heading);
        const size_t length = (size_t)(at - heading);
        if (!t) return no_memory();
        const bool same = t->heading_bytes == length && memcmp(t->heading, heading, length) == 0;
        if (!same && head_table(w, t, heading, length) != 0) return -1;
        if (take_rows(t, &at) == 0) continue;
        if (*t->insert.why) base_error("%s: %s", w->files->paths[number], t->insert.why);
        return -1;
    }
    return 0;
}

static const char *name_file(const void *data, size_t number)
{
    const work_t *w = data;
    return w->files->paths[number];
}

/* ---- behind the rows ---- */

/* Rows of these tables are looked up by their event, too. */
static bool is_by_event(const table_t *t)
{
    static const char *const names[] = {"rocpd_arg", "rocpd_pmc_event", "rocpd_kernel_dispatch"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(t->view, names[i]) == 0) return has(&t->columns, "event_id");
    return false;
}

static int finish(const work_t *w)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < w->count; i++) {
        const table_t *t = &w->tables[i];
        result = db_runf(w->db, t->view, "CREATE VIEW \"%w\" AS SELECT * FROM \"%w%s\"", t->view,
                         t->view, w->suffix);
        if (result == 0 && is_by_event(t) && has(&t->columns, "guid"))
            result = db_runf(w->db, t->view,
                             "CREATE INDEX \"by_event_%w%s\" ON \"%w%s\" (guid, event_id)", t->view,
                             w->suffix, t->view, w->suffix);
        if (result == 0 && strcmp(t->view, DB_SHARED_METADATA) == 0)
            result = db_runf(w->db, t->view,
                             "CREATE VIEW rocpd_metadata AS SELECT id, tag, value FROM \"%w%s\"",
                             t->view, w->suffix);
    }
    return result;
}

static void forget(work_t *w)
{
    for (size_t i = 0; i < w->count; i++) {
        table_t *t = &w->tables[i];
        db_drop(&t->insert);
        rocpd_columns_free(&t->columns);
        free(t->view);
        free(t->heading);
    }
    free(w->tables);
}

static int copy_all(work_t *w, const rocpd_options_t *o)
{
    const base_pool_t pool = {.count = w->files->count,
                              .workers = rocpd_workers(o, w->files->count),
                              .ahead = 64,
                              .work = send_file,
                              .take = take_file,
                              .name = name_file,
                              .data = w,
                              .stop = &db_interrupted};
    int result =
        db_run(w->db, "PRAGMA page_size = 8192; PRAGMA cache_size = -32768; BEGIN", "merging");
    if (result == 0) result = base_pool_run(&pool);
    if (result == 0) result = finish(w);
    forget(w);
    return result == 0 ? db_run(w->db, "COMMIT", "merging") : -1;
}

/* Lists the files in the order of the guids of their first processes, those without any last; and
 * refuses a process that is in two of them. */
static int sort_files(const rocpd_base_t *b, rocpd_files_t *sorted)
{
    char **paths = b->files->paths;
    char *seen = calloc(b->files->count, 1);
    sorted->paths = calloc(b->files->count, sizeof(*sorted->paths));
    int result = seen && sorted->paths ? 0 : no_memory();
    for (size_t i = 0; result == 0 && i < b->place_count; i++) {
        const rocpd_place_t *place = &b->places[i], *before = place - 1;
        if (i && place->file != before->file && strcmp(place->guid, before->guid) == 0) {
            base_error("%s: process %s is in another of the databases already", paths[place->file],
                       place->guid);
            result = -1;
        }
        if (!seen[place->file]) sorted->paths[sorted->count++] = paths[place->file];
        seen[place->file] = 1;
    }
    for (size_t i = 0; result == 0 && i < b->files->count; i++)
        if (!seen[i]) sorted->paths[sorted->count++] = paths[i];
    free(seen);
    return result;
}

/* A name that no other merge has, unless it is of as many processes, of which the first is the
 * same. */
static void name_tables(work_t *w, const rocpd_base_t *b)
{
    char of[128];
    snprintf(of, sizeof(of), "%zu %s", b->place_count, b->place_count ? b->places->guid : "");
    const uint64_t high = base_hash64(BASE_HASH64, of, strlen(of));
    const uint64_t low = base_hash64(high, of, strlen(of));
    snprintf(w->suffix, sizeof(w->suffix),
             "_%08" PRIx64 "_%04" PRIx64 "_%04" PRIx64 "_%04" PRIx64 "_%012" PRIx64, high >> 32,
             high >> 16 & 0xffff, high & 0xffff, low >> 48, low & 0xffffffffffff);
}

int rocpd_merge_rows(const rocpd_files_t *f, const rocpd_options_t *o, const db_t *db)
{
    rocpd_base_t base = {.files = f};
    rocpd_files_t sorted = {0};
    work_t w = {.files = &sorted, .db = db};
    int result = rocpd_look_into_all(&base, f, o);
    if (result == 0) result = sort_files(&base, &sorted);
    if (result == 0) {
        name_tables(&w, &base);
        result = copy_all(&w, o);
    }
    free(sorted.paths);
    rocpd_close(&base);
    return result;
}
