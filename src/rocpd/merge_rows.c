/* merge_rows.c - see merge.h. Runs share one set of tables: a row of each kind of table, whatever
 * the number of runs. Rows stay as they are, also their ids, which are those of their process: the
 * key is the process's guid with the id, by which all views of the schema join, and the tables are
 * sorted by it. Several processes read the databases, in the order of the guids, and send their
 * rows to this one, which reads large databases itself, since what was sent stays in memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/text.h"
#include "db/schema.h"
#include "rocpd/look.h"
#include "rocpd/merge.h"

enum {
    COLUMNS_MOST = 200,
    SENT_MOST = 8 << 20, /* bytes of a database that a worker sends */
};

/* A table of the output. */
typedef struct {
    char *view; /* its name without the suffix */
    rocpd_columns_t columns;
    char *heading; /* of the rows that `insert` takes: number, names and types of columns */
    size_t heading_bytes;
    db_cursor_t insert;
} table_t;

typedef struct {
    const rocpd_files_t *files; /* in the order of the guids */
    const char *path;           /* the file whose rows are being taken */
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

/* Makes the heading of a statement's rows: the number of columns as a uint32_t, then each column's
 * name and type, which end with a zero byte and may be empty. The caller frees the heading. Returns
 * NULL when out of memory. */
static char *make_heading(const db_cursor_t *c, size_t *bytes)
{
    const uint32_t count = c->s ? (uint32_t)sqlite3_column_count(c->s) : 0;
    char *heading = NULL;
    FILE *to = open_memstream(&heading, bytes);
    if (!to) return NULL;
    fwrite(&count, sizeof(count), 1, to);
    for (int i = 0; i < (int)count; i++) {
        const char *name = sqlite3_column_name(c->s, i), *type = sqlite3_column_decltype(c->s, i);
        fprintf(to, "%s%c%s%c", name ? name : "", 0, type ? type : "", 0);
    }
    if (fclose(to) == 0) return heading;
    free(heading);
    return NULL;
}

/* ---- in a worker: sends what a database has ----
 *
 * For each table: the name of its view with a zero, a heading, rows, END. A row is ROW and as many
 * values as the heading has columns. Behind all tables, the last byte says whether they are all. */

/* A value begins with one of these. */
enum { NONE = 'n', INTEGER = 'i', REAL = 'r', TEXT = 't', BLOB = 'b', ROW = 1, END = 0 };

enum {
    WHOLE = 'w',  /* all tables were sent */
    UNREAD = 'u', /* the file is large, and nothing was sent */
    CUT = 'c',    /* what the file's views show is large; warnings about the file were given */
};

typedef struct {
    FILE *to;
    size_t bytes; /* with those behind SENT_MOST, which are not written */
} out_t;

static void send_bytes(out_t *o, const void *bytes, size_t count)
{
    o->bytes += count;
    if (count && o->bytes <= SENT_MOST) fwrite(bytes, 1, count, o->to);
}

static void send_byte(out_t *o, char byte)
{
    send_bytes(o, &byte, 1);
}

/* Sends a text or a blob. */
static void send_counted(out_t *o, char kind, const void *bytes, int count)
{
    send_byte(o, kind);
    send_bytes(o, &count, sizeof(count));
    send_bytes(o, bytes, (size_t)count);
}

static void send_value(out_t *o, const db_cursor_t *c, int column)
{
    int64_t number;
    double real;
    const void *bytes;
    switch (db_type(c, column)) {
    case SQLITE_INTEGER:
        number = db_int(c, column);
        send_byte(o, INTEGER);
        send_bytes(o, &number, sizeof(number));
        break;
    case SQLITE_FLOAT:
        real = db_real(c, column);
        send_byte(o, REAL);
        send_bytes(o, &real, sizeof(real));
        break;
    case SQLITE_TEXT:
        bytes = db_text(c, column);
        send_counted(o, TEXT, bytes, sqlite3_column_bytes(c->s, column));
        break;
    case SQLITE_BLOB:
        bytes = sqlite3_column_blob(c->s, column);
        send_counted(o, BLOB, bytes, sqlite3_column_bytes(c->s, column));
        break;
    default: send_byte(o, NONE);
    }
}

static int send_table(void *data, const char *view, db_cursor_t *c)
{
    out_t *o = data;
    size_t bytes;
    char *heading = make_heading(c, &bytes);
    if (!heading) return no_memory();
    const int columns = c->s ? sqlite3_column_count(c->s) : 0;
    send_bytes(o, view, strlen(view) + 1);
    send_bytes(o, heading, bytes);
    free(heading);
    while (o->bytes <= SENT_MOST && db_next(c)) {
        send_byte(o, ROW);
        for (int i = 0; i < columns; i++)
            send_value(o, c, i);
    }
    send_byte(o, END);
    return 0;
}

static int send_file(void *data, size_t number, FILE *to)
{
    const work_t *w = data;
    const char *path = w->files->paths[number];
    struct stat is;
    out_t out = {.to = to};
    int result = 0;
    const bool large = stat(path, &is) == 0 && is.st_size > SENT_MOST;
    if (!large) result = rocpd_merge_source(path, true, send_table, &out);
    putc(large ? UNREAD : out.bytes > SENT_MOST ? CUT : WHOLE, to);
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
    const char *at = heading + sizeof(uint32_t);
    uint32_t columns;
    size_t count = 0;
    int result = 0;
    const bool new = !t->columns.count;
    memcpy(&columns, heading, sizeof(columns));
    if (columns > COLUMNS_MOST) {
        base_error("%s: %s: more than %d columns", w->path, t->view, COLUMNS_MOST);
        return -1;
    }
    while (result == 0 && count < columns) {
        const char *name = at, *type = at + strlen(at) + 1;
        at = type + strlen(type) + 1;
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
        if (strcasecmp(w->tables[i].view, view) == 0) return &w->tables[i];
    char *copy = BASE_GROW_BY_ONE(w->tables, w->count) ? strdup(view) : NULL;
    if (!copy) return NULL;
    w->tables[w->count] = (table_t){.view = copy};
    return &w->tables[w->count++];
}

/* Returns the table, ready for rows with this heading; NULL after reporting the reason. */
static table_t *ready_table(work_t *w, const char *view, const char *heading, size_t bytes)
{
    table_t *t = find_table(w, view);
    if (!t) {
        no_memory();
        return NULL;
    }
    const bool same = t->heading_bytes == bytes && memcmp(t->heading, heading, bytes) == 0;
    return same || head_table(w, t, heading, bytes) == 0 ? t : NULL;
}

/* The table of metadata is made even if no file has any for it, since other code reads its view. */
static int make_metadata(work_t *w)
{
    static const char *const columns[][2] = {
        {"id", "INTEGER"}, {"tag", "TEXT"}, {"value", "TEXT"}, {"guid", "TEXT"}};
    table_t *t = find_table(w, DB_SHARED_METADATA);
    bool room = t;
    for (size_t i = 0; room && i < sizeof(columns) / sizeof(*columns); i++)
        room = rocpd_columns_put(&t->columns, columns[i][0], columns[i][1]);
    return room ? create(w, t) : no_memory();
}

/* Runs the statement for a row, whose values are bound. */
static int put_row(const work_t *w, table_t *t, int status)
{
    if (status == SQLITE_OK) {
        db_next(&t->insert);
        if (!*t->insert.why) return 0;
    }
    base_error("%s: %s: %s", w->path, t->view,
               status == SQLITE_OK ? t->insert.why : sqlite3_errstr(status));
    return -1;
}

/* ---- takes what a worker has sent ---- */

/* The bytes that were sent. They have texts from the file, so nothing of them is taken unless it
 * ends with them. */
typedef struct {
    const char *at, *end;
} in_t;

/* Returns the next bytes, or NULL if there are not as many. */
static const char *take(in_t *in, size_t count)
{
    const char *bytes = in->at;
    if ((size_t)(in->end - bytes) < count) return NULL;
    in->at += count;
    return bytes;
}

static bool take_copy(in_t *in, void *to, size_t count)
{
    const char *bytes = take(in, count);
    if (bytes) memcpy(to, bytes, count);
    return bytes;
}

/* Returns the next text, or NULL if it has no end. */
static const char *take_text(in_t *in)
{
    const char *zero = memchr(in->at, 0, (size_t)(in->end - in->at));
    return zero ? take(in, (size_t)(zero - in->at) + 1) : NULL;
}

static int take_value(sqlite3_stmt *s, int place, in_t *in)
{
    char kind;
    const char *bytes;
    int64_t number;
    double real;
    int count;
    if (!take_copy(in, &kind, 1)) return SQLITE_CORRUPT;
    switch (kind) {
    case NONE: return sqlite3_bind_null(s, place);
    case INTEGER:
        if (!take_copy(in, &number, sizeof(number))) return SQLITE_CORRUPT;
        return sqlite3_bind_int64(s, place, number);
    case REAL:
        if (!take_copy(in, &real, sizeof(real))) return SQLITE_CORRUPT;
        return sqlite3_bind_double(s, place, real);
    case TEXT:
    case BLOB:
        if (!take_copy(in, &count, sizeof(count)) || count < 0) return SQLITE_CORRUPT;
        bytes = take(in, (size_t)count);
        if (!bytes) return SQLITE_CORRUPT;
        return kind == TEXT ? sqlite3_bind_text(s, place, bytes, count, SQLITE_STATIC)
                            : sqlite3_bind_blob(s, place, bytes, count, SQLITE_STATIC);
    default: return SQLITE_CORRUPT;
    }
}

static int malformed(const work_t *w)
{
    base_error("%s: what was read of it is malformed", w->path);
    return -1;
}

static int take_rows(const work_t *w, table_t *t, in_t *in)
{
    const int columns = sqlite3_bind_parameter_count(t->insert.s);
    char begin;
    for (;;) {
        int status = SQLITE_OK;
        if (!take_copy(in, &begin, 1) || (begin != ROW && begin != END)) return malformed(w);
        if (begin == END) return 0;
        db_again(&t->insert, "");
        for (int i = 1; i <= columns && status == SQLITE_OK; i++)
            status = take_value(t->insert.s, i, in);
        if (status == SQLITE_CORRUPT) return malformed(w);
        if (put_row(w, t, status) != 0) return -1;
    }
}

/* Takes a heading, and returns whether it is whole. */
static bool take_heading(in_t *in)
{
    uint32_t columns;
    if (!take_copy(in, &columns, sizeof(columns)) || !columns) return false;
    for (uint64_t i = 0; i < 2 * (uint64_t)columns; i++)
        if (!take_text(in)) return false;
    return true;
}

static int take_tables(work_t *w, in_t *in)
{
    int result = 0;
    while (result == 0 && in->at < in->end) {
        const char *view = take_text(in), *heading = in->at;
        if (!view || !take_heading(in)) return malformed(w);
        table_t *t = ready_table(w, view, heading, (size_t)(in->at - heading));
        result = t ? take_rows(w, t, in) : -1;
    }
    return result;
}

/* ---- reads a large database in this process ---- */

static int copy_table(void *data, const char *view, db_cursor_t *c)
{
    work_t *w = data;
    size_t bytes;
    const int columns = c->s ? sqlite3_column_count(c->s) : 0;
    if (!columns) return 0; /* the statement has failed, which is reported when it is ended */
    char *heading = make_heading(c, &bytes);
    if (!heading) return no_memory();
    table_t *t = ready_table(w, view, heading, bytes);
    int result = t ? 0 : -1;
    free(heading);
    while (result == 0 && db_next(c)) {
        int status = SQLITE_OK;
        db_again(&t->insert, "");
        for (int i = 0; i < columns && status == SQLITE_OK; i++)
            status = sqlite3_bind_value(t->insert.s, i + 1, sqlite3_column_value(c->s, i));
        result = put_row(w, t, status);
    }
    return result;
}

static int take_file(void *data, size_t number, const char *bytes, size_t count)
{
    work_t *w = data;
    in_t in = {bytes, bytes + count - 1};
    w->path = w->files->paths[number];
    if (!count) return malformed(w);
    if (*in.end == WHOLE) return take_tables(w, &in);
    return rocpd_merge_source(w->path, *in.end == UNREAD, copy_table, w);
}

static const char *name_file(const void *data, size_t number)
{
    const work_t *w = data;
    return w->files->paths[number];
}

/* ---- behind the rows ---- */

static int finish(const work_t *w)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < w->count; i++) {
        const table_t *t = &w->tables[i];
        result = db_runf(w->db, t->view, "CREATE VIEW \"%w\" AS SELECT * FROM \"%w%s\"", t->view,
                         t->view, w->suffix);
        if (result == 0 && rocpd_is_by_event(t->view) && has(&t->columns, "event_id") &&
            has(&t->columns, "guid"))
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
    const unsigned workers = rocpd_workers(o, w->files->count);
    const base_pool_t pool = {.count = w->files->count,
                              .workers = workers,
                              .ahead = 2 * (size_t)workers,
                              .work = send_file,
                              .take = take_file,
                              .name = name_file,
                              .data = w,
                              .stop = &db_interrupted};
    int result =
        db_run(w->db, "PRAGMA page_size = 8192; PRAGMA cache_size = -32768; BEGIN", "merging");
    if (result == 0) result = make_metadata(w);
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
