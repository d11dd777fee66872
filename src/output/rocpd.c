/* rocpd.c - a SQLite database of one process's records, in the form that AMD's rocpd tools read.
 *
 * Here are opening, statements, texts and the end; rocpd_info.c and rocpd_rows.c fill in the rows.
 * The file is written under a temporary name, in one transaction without a journal, and renamed
 * when it is complete. */
#include "output/rocpd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sqlite_path.h"
#include "trace/clocks.h"
#include "trace/ranks.h"
#include "trace/store.h"

extern const char rocpd_schema[]; /* rocpd_schema.sql as a string, made by the build */

static const struct {
    const char *table, *columns;
} inserts[] = {
#define X(id, table, columns) {table, columns},
    ROCPD_INSERTS(X)
#undef X
};

static void fail(rocpd_t *r, const char *what)
{
    if (!r->failed) snprintf(r->job->why, r->job->why_bytes, "%s", what);
    r->failed = true;
}

void rocpd_no_memory(rocpd_t *r)
{
    fail(r, strerror(ENOMEM));
}

/* ---- rows ---- */

void rocpd_begin_with(rocpd_t *r, sqlite3_stmt *insert)
{
    r->at = insert;
    r->place = 0;
}

void rocpd_begin(rocpd_t *r, rocpd_insert_t which)
{
    rocpd_begin_with(r, r->inserts[which]);
}

void rocpd_int(rocpd_t *r, uint64_t value)
{
    sqlite3_bind_int64(r->at, ++r->place, (sqlite3_int64)value);
}

void rocpd_real(rocpd_t *r, double value)
{
    sqlite3_bind_double(r->at, ++r->place, value);
}

void rocpd_text(rocpd_t *r, const char *value)
{
    sqlite3_bind_text(r->at, ++r->place, value, -1, SQLITE_STATIC);
}

void rocpd_null(rocpd_t *r)
{
    sqlite3_bind_null(r->at, ++r->place);
}

void rocpd_int_if(rocpd_t *r, bool has, uint64_t value)
{
    if (has)
        rocpd_int(r, value);
    else
        rocpd_null(r);
}

static int step(rocpd_t *r)
{
    if (r->failed) return SQLITE_DONE;
    sqlite3_step(r->at);
    return sqlite3_reset(r->at);
}

void rocpd_end(rocpd_t *r)
{
    if (step(r) != SQLITE_OK && !r->failed) fail(r, sqlite3_errmsg(r->db));
}

bool rocpd_end_unless_taken(rocpd_t *r)
{
    int status = r->failed ? SQLITE_OK : step(r);
    if (status == SQLITE_CONSTRAINT) return false;
    if (status != SQLITE_OK) fail(r, sqlite3_errmsg(r->db));
    return true;
}

static out_json_t begin_json(rocpd_t *r, char bracket)
{
    out_json_t j = {.f = r->text};
    out_json_begin(&j, NULL, bracket);
    return j;
}

static const char *end_json(rocpd_t *r, out_json_t *j, char bracket)
{
    out_json_end(j, bracket);
    const char *text = out_file_memory_text(r->text);
    if (!text) rocpd_no_memory(r);
    return text;
}

out_json_t rocpd_object(rocpd_t *r)
{
    return begin_json(r, '{');
}

const char *rocpd_object_text(rocpd_t *r, out_json_t *j)
{
    return end_json(r, j, '}');
}

out_json_t rocpd_list(rocpd_t *r)
{
    return begin_json(r, '[');
}

const char *rocpd_list_text(rocpd_t *r, out_json_t *j)
{
    return end_json(r, j, ']');
}

/* Looks the text up by content: two addresses may have the same text, which must be in the table
 * once. */
static uint64_t find_text(rocpd_t *r, const char *text)
{
    uint64_t id = 0;
    sqlite3_bind_text(r->find_text, 1, text, -1, SQLITE_STATIC);
    if (sqlite3_step(r->find_text) == SQLITE_ROW)
        id = (uint64_t)sqlite3_column_int64(r->find_text, 0);
    sqlite3_reset(r->find_text);
    return id;
}

uint64_t rocpd_string(rocpd_t *r, const char *text)
{
    uint64_t id = out_numbers_get(&r->texts, out_key(text));
    if (id || r->failed) return id;
    id = find_text(r, text);
    if (!id) {
        sqlite3_stmt *outer = r->at; /* another row may be open */
        int place = r->place;
        id = ++r->text_count;
        rocpd_begin(r, ROCPD_STRING);
        rocpd_int(r, id);
        rocpd_text(r, text);
        rocpd_end(r);
        r->at = outer;
        r->place = place;
    }
    if (!out_numbers_set(&r->texts, out_key(text), id)) rocpd_no_memory(r);
    return id;
}

/* ---- the file ---- */

/* Replaces the placeholders in a text of the schema by the names of this run; NULL when out of
 * memory. */
static char *fill_in(const rocpd_t *r, const char *text)
{
    char *result = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&result, &bytes);
    if (!f) return NULL;
    for (const char *at; (at = strchr(text, '{')); text = at + strlen("{uuid}")) {
        fwrite(text, 1, (size_t)(at - text), f);
        bool uuid = strncmp(at, "{uuid}", strlen("{uuid}")) == 0;
        bool guid = strncmp(at, "{guid}", strlen("{guid}")) == 0;
        if (!uuid && !guid) { /* not a placeholder, but the empty object of a default */
            fputc('{', f);
            at -= strlen("{uuid}") - 1;
            continue;
        }
        fputs(uuid ? r->uuid : r->guid, f);
    }
    fputs(text, f);
    if (fclose(f) == 0) return result;
    free(result);
    return NULL;
}

void rocpd_run_sql(rocpd_t *r, const char *sql)
{
    if (!sql) rocpd_no_memory(r);
    if (!r->failed && sqlite3_exec(r->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(r, sqlite3_errmsg(r->db));
}

void rocpd_prepare(rocpd_t *r, const char *sql, sqlite3_stmt **statement)
{
    if (!sql) rocpd_no_memory(r);
    if (!r->failed &&
        sqlite3_prepare_v3(r->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) != SQLITE_OK)
        fail(r, sqlite3_errmsg(r->db));
}

static void prepare_all(rocpd_t *r)
{
    char sql[1024];
    for (int i = 0; i < ROCPD_INSERT_COUNT; i++) {
        int n = snprintf(sql, sizeof(sql), "INSERT INTO \"rocpd_%s%s\" (%s) VALUES (?",
                         inserts[i].table, r->uuid, inserts[i].columns);
        for (const char *at = inserts[i].columns; (at = strchr(at, ',')); at++)
            n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
        snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
        rocpd_prepare(r, sql, &r->inserts[i]);
    }
    snprintf(sql, sizeof(sql), "SELECT id FROM \"rocpd_string%s\" WHERE string = ?", r->uuid);
    rocpd_prepare(r, sql, &r->find_text);
    snprintf(sql, sizeof(sql),
             "SELECT event_id FROM \"rocpd_kernel_dispatch%s\" WHERE id = ?1 AND dispatch_id = ?1",
             r->uuid);
    rocpd_prepare(r, sql, &r->find_launch);
}

/* Makes a UUID of version 7: the start of the process in milliseconds, then bits computed from
 * facts that distinguish processes. */
static void name_run(rocpd_t *r)
{
    const trace_segment_header_t *h = &r->job->model->header;
    const char *machine = out_model_info(r->job->model, TRACE_INFO_MACHINE);
    uint64_t seed = out_mix(h->pid ^ out_mix((uint64_t)r->ppid ^ out_mix(h->process_start)));
    uint64_t ms = h->realtime_ns / 1000000;
    for (; *machine; machine++)
        seed = out_mix(seed ^ (uint8_t)*machine);
    uint64_t more = out_mix(seed ^ h->realtime_ns);
    snprintf(r->guid, sizeof(r->guid), "%08x-%04x-7%03x-%04x-%012llx", (unsigned)(ms >> 16),
             (unsigned)(ms & 0xffff), (unsigned)(seed & 0xfff),
             (unsigned)(0x8000 | (seed >> 12 & 0x3fff)),
             (unsigned long long)(more & 0xffffffffffff));
    snprintf(r->uuid, sizeof(r->uuid), "_%s", r->guid);
    for (char *c = r->uuid; *c; c++)
        if (*c == '-') *c = '_';
}

/* For a table with AUTOINCREMENT, SQLite searches and updates a row of the table sqlite_sequence
 * with each insert. All rows here have explicit ids, so the word is only put into the schema when
 * all rows are in. */
static const char counted[] = "PRIMARY KEY AUTOINCREMENT NOT NULL";
static const char plain[] = "PRIMARY KEY               NOT NULL";

_Static_assert(sizeof(counted) == sizeof(plain), "one takes the other's place");

/* Removes the word in all tables but the first, which makes SQLite create sqlite_sequence. */
static void leave_counting(char *schema)
{
    char *at = strstr(schema, counted);
    for (at = at ? at + 1 : NULL; at && (at = strstr(at, counted));)
        memcpy(at, plain, sizeof(plain) - 1);
}

/* Puts the word back; needs a writable schema. */
static void begin_counting(rocpd_t *r)
{
    char *sql = sqlite3_mprintf("UPDATE sqlite_master SET sql = replace(sql, %Q, %Q) WHERE "
                                "type = 'table'",
                                plain, counted);
    sqlite3_stmt *tables = NULL;
    rocpd_run_sql(r, sql);
    sqlite3_free(sql);
    rocpd_prepare(r, "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd%'",
                  &tables);
    while (!r->failed && sqlite3_step(tables) == SQLITE_ROW) {
        sql = sqlite3_mprintf(
            "INSERT INTO sqlite_sequence (name, seq) SELECT %Q, MAX(id) FROM \"%w\" "
            "HAVING MAX(id) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
            "sqlite_sequence WHERE name = %Q)",
            sqlite3_column_text(tables, 0), sqlite3_column_text(tables, 0),
            sqlite3_column_text(tables, 0));
        rocpd_run_sql(r, sql);
        sqlite3_free(sql);
    }
    sqlite3_finalize(tables);
}

/* Makes the indexes for look-ups by event, after all rows, which is cheaper than updating them for
 * each row. No table may have a name that begins like theirs, because readers find tables by the
 * beginning of the name. */
static void make_indexes(rocpd_t *r)
{
    static const char *const tables[] = {"arg", "pmc_event", "kernel_dispatch"};
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        char *sql = sqlite3_mprintf("CREATE INDEX \"by_event_rocpd_%w%w\" ON \"rocpd_%w%w\" "
                                    "(\"event_id\")",
                                    tables[i], r->uuid, tables[i], r->uuid);
        rocpd_run_sql(r, sql);
        sqlite3_free(sql);
    }
}

static const char create_view[] = "CREATE VIEW \"";

/* Returns the place behind blanks and comments. */
static const char *next_statement(const char *at)
{
    for (;;) {
        at += strspn(at, " \n");
        if (strncmp(at, "--", 2) != 0) return at;
        at += strcspn(at, "\n");
    }
}

/* Puts the views into the schema as rows, which is what SQLite does with a view's statement after
 * it has parsed it and looked up all that it names. That was half of what the database of a short
 * run cost, and readers parse the views again. A view's text in the schema begins with its first
 * word and ends before the semicolon. Needs a writable schema. */
static void make_views(rocpd_t *r)
{
    sqlite3_stmt *insert = NULL;
    rocpd_prepare(r,
                  "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) "
                  "VALUES ('view', ?1, ?1, 0, ?2)",
                  &insert);
    for (const char *at = r->views, *end; !r->failed && *(at = next_statement(at)); at = end + 1) {
        end = strstr(at, ";\n");
        if (!end || strncmp(at, create_view, sizeof(create_view) - 1) != 0) {
            fail(r, "rocpd_schema.sql: something else stands among the views");
            break;
        }
        const char *name = at + sizeof(create_view) - 1;
        sqlite3_bind_text(insert, 1, name, (int)strcspn(name, "\""), SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, at, (int)(end - at), SQLITE_STATIC);
        rocpd_begin_with(r, insert);
        rocpd_end(r);
    }
    sqlite3_finalize(insert);
}

static void put_metadata(rocpd_t *r, const char *tag, const char *value)
{
    char *sql = sqlite3_mprintf("INSERT INTO \"rocpd_metadata%w\" (tag, value) VALUES (%Q, %Q)",
                                r->uuid, tag, value);
    if (sql)
        rocpd_run_sql(r, sql);
    else
        rocpd_no_memory(r);
    sqlite3_free(sql);
}

static void put_metadata_number(rocpd_t *r, const char *tag, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    put_metadata(r, tag, text);
}

/* Writes the counts of missing records as facts of the run, since conclusions from the records have
 * to consider them. */
static void write_losses(rocpd_t *r)
{
    const trace_counts_t *n = r->job->counts;
    if (!n) return;
    const struct {
        const char *tag;
        uint64_t value;
    } rows[] = {
        {"records_received", n->received}, {"records_written", n->written},
        {"records_dropped", n->dropped},   {"records_filtered", n->filtered},
        {"bytes_damaged", r->job->cut},    {"names_lost", r->job->model->header.counts.dropped}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        put_metadata_number(r, rows[i].tag, rows[i].value);
    if (r->job->killed) put_metadata(r, TRACE_TAG_UNCLOSED, "1");
}

/* Writes how the records' clock relates to the time of day, and the command that ran. */
static void write_moment(rocpd_t *r)
{
    const trace_segment_header_t *h = &r->job->model->header;
    put_metadata_number(r, "clock_boottime_ns", h->boottime_ns);
    put_metadata_number(r, "clock_realtime_ns", h->realtime_ns);
    put_metadata(r, "runtimes", out_model_info(r->job->model, TRACE_INFO_RUNTIMES));
}

/* Writes the rank of the process in a parallel program, and the system on which it ran. */
static void write_place(rocpd_t *r)
{
    static const char *const tags[] = {TRACE_INFO_BOOT, TRACE_INFO_LAST, TRACE_CLOCK_TAG_NTP,
                                       TRACE_CLOCK_TAG_NTP_LAST,
#define X(name, form, member) name,
                                       TRACE_RANK_FACTS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
        const char *value = out_model_info(r->job->model, tags[i]);
        if (*value) put_metadata(r, tags[i], value);
    }
}

/* Writes the measurements of --sync-clocks. */
static void write_clocks(rocpd_t *r)
{
    static const trace_setting_id_t ids[] = {TRACE_SET_CLOCK_BEGIN, TRACE_SET_CLOCK_END};
    static const char *const tags[] = {TRACE_CLOCK_TAG_BEGIN, TRACE_CLOCK_TAG_END};
    for (int i = 0; i < 2; i++) {
        const char *value = trace_setting_given_in(&r->job->config->variables, ids[i]);
        if (value) put_metadata(r, tags[i], value);
    }
}

/* Returns whether all calls of MPI from the first one on were recorded, so that the n-th message of
 * one rank is the n-th of another. */
static bool has_all_calls(const rocpd_t *r)
{
    static const trace_setting_id_t windows[] = {TRACE_SET_COLLECTION_PERIOD,
                                                 TRACE_SET_SELECTED_REGIONS};
    const out_job_t *job = r->job;
    for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
        if (trace_setting_given_in(&job->config->variables, windows[i])) return false;
    if (*out_model_info(job->model, TRACE_INFO_PAUSED)) return false;
    return !job->cut && !(job->counts && job->counts->dropped);
}

/* Writes the calls of MPI by which the clocks of nodes can be compared. */
static void write_mpi_ends(rocpd_t *r)
{
    char text[TRACE_CLOCK_ENDS_TEXT];
    size_t count = 0, done = 0;
    trace_clock_end_t *ends = has_all_calls(r) ? out_mpi_ends_take(&r->mpi_ends, &count) : NULL;
    while (done < count) {
        done += trace_clock_ends_put(ends + done, count - done, r->mpi_ends.rank, r->mpi_ends.size,
                                     text);
        put_metadata(r, TRACE_CLOCK_TAG_MPI, text);
    }
    free(ends);
}

static void write_metadata(rocpd_t *r)
{
    char sql[512];
    snprintf(sql, sizeof(sql),
             "INSERT INTO \"rocpd_metadata%s\" (tag, value) VALUES ('schema_version', '3.0.3'), "
             "('uuid', '%s'), ('guid', '%s')",
             r->uuid, r->uuid, r->guid);
    rocpd_run_sql(r, sql);
    write_losses(r);
    write_moment(r);
    write_place(r);
    write_clocks(r);
}

/* Makes SQLite put its temporary files for sorting into the database's folder, which needs to have
 * room for as much data anyway. */
static void sort_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    sqlite3_free(sqlite3_temp_directory);
    sqlite3_temp_directory = slash ? sqlite3_mprintf("%.*s", (int)(slash - path) + 1, path) : NULL;
}

static void make_tables(rocpd_t *r)
{
    r->schema = fill_in(r, rocpd_schema);
    if (!r->schema) return rocpd_no_memory(r);
    char *views = strstr(r->schema, create_view);
    r->views = views;
    if (!views) return fail(r, "rocpd_schema.sql: no views");
    leave_counting(r->schema);
    *views = 0; /* for the statements in front of it */
    rocpd_run_sql(r, r->schema);
    *views = *create_view;
}

static void open_file(rocpd_t *r, const char *path)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sort_beside(path);
    /* no mutex, since one thread uses the database; no locks, since no other process opens it, and
     * shared file systems may have none */
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    const char *without_locks = "unix-none";
    if (!sqlite3_vfs_find(without_locks)) without_locks = NULL;
    if (sqlite3_open_v2(path, &r->db, flags, without_locks) != SQLITE_OK)
        fail(r, sqlite3_errmsg(r->db));
    /* No other process sees the file before it is complete, and after a crash it is made anew. */
    rocpd_run_sql(
        r, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
           "PRAGMA page_size = 8192; PRAGMA cache_size = -8192; BEGIN");
    make_tables(r);
    prepare_all(r);
}

static void close_file(rocpd_t *r)
{
    for (int i = 0; i < ROCPD_INSERT_COUNT; i++)
        sqlite3_finalize(r->inserts[i]);
    sqlite3_finalize(r->find_text);
    sqlite3_finalize(r->find_launch);
    make_indexes(r);
    rocpd_run_sql(r, "PRAGMA writable_schema = ON");
    make_views(r);
    begin_counting(r);
    rocpd_run_sql(r, "PRAGMA writable_schema = OFF");
    rocpd_run_sql(r, "COMMIT");
    if (sqlite3_close(r->db) != SQLITE_OK) fail(r, "closing the database failed");
    sort_beside("");
}

int out_rocpd_write(out_job_t *job, const char *path)
{
    char part[PATH_MAX], why[256];
    /* the temporary name, by which SQLite writes the file, may be shorter than the one by which
     * others are to open it */
    if (base_sqlite_too_long(path, why, sizeof(why))) {
        snprintf(job->why, job->why_bytes, "%s: %s", path, why);
        return -1;
    }
    int fd = out_file_begin(path, part, job->why, job->why_bytes);
    if (fd < 0) return -1;
    close(fd); /* SQLite opens the empty file by its name */
    rocpd_t r = {.job = job, .pid = job->model->header.pid};
    r.ppid = strtoll(out_model_info(job->model, TRACE_INFO_PARENT), NULL, 10);
    r.text = out_file_memory();
    if (!r.text) rocpd_no_memory(&r);
    name_run(&r);
    if (!r.failed) open_file(&r, part);
    if (!r.failed) write_metadata(&r);
    if (!r.failed) rocpd_write_info(&r);
    if (!r.failed) rocpd_write_records(&r);
    if (!r.failed) write_mpi_ends(&r);
    if (!r.failed) rocpd_write_code(&r);
    if (r.db) close_file(&r);
    r.failed |= job->source->failed;
    if (r.failed) {
        char what[256];
        snprintf(what, sizeof(what), "%s", job->why);
        if (!job->source->failed) snprintf(job->why, job->why_bytes, "%s: %s", path, what);
        unlink(part);
    } else if (rename(part, path) != 0) {
        snprintf(job->why, job->why_bytes, "%s: %s", path, strerror(errno));
        unlink(part);
        r.failed = true;
    }
    free(r.schema);
    out_file_abandon(r.text);
    out_numbers_t *const numbers[] = {&r.texts,   &r.tracks,  &r.queues,
                                      &r.streams, &r.unknown, &r.driver_counters};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        free(numbers[i]->rows);
    out_live_free(&r.live);
    out_mpi_ends_free(&r.mpi_ends);
    return r.failed ? -1 : 0;
}
