/* gather.c - see gather.h. What is summed up stands in arrays, found by a hash of what tells its
 * rows apart; SQLite only reads records and keeps the sums. */
#include "results/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/numbers.h"

static const char what[] = "summing up records";

enum { GAPS_KEPT = 20 }; /* the longest */

typedef struct {
    size_t process;
    sqlite3_int64 kernel, agent, stream;
    uint64_t lds, scratch, workgroup, grid, calls;
    sqlite3_int64 total, least, most, first, first_ns;
} launch_t;

typedef struct {
    size_t process;
    sqlite3_int64 name, category; /* texts of the process */
    uint64_t calls, inside;
    sqlite3_int64 time, longest, first, last, inside_ns, gap_ns;
} call_t;

typedef struct {
    size_t process;
    sqlite3_int64 start, end;
} span_t;

/* An array that grows. */
typedef struct {
    void *rows;
    size_t count, room;
} list_t;

typedef struct {
    res_run_t *run;
    char **processes; /* guids */
    size_t process_count;
    out_numbers_t numbers; /* place plus one, by key */
    list_t rows;           /* launch_t, or call_t */
    list_t spans;          /* of kernels and copies, then of gaps */
    sqlite3_int64 first, last;
} gather_t;

/* ---- arrays ---- */

static int no_memory(void)
{
    base_error("%s: %s", what, strerror(ENOMEM));
    return -1;
}

/* The next row, zeroed; NULL without memory. */
static void *next(list_t *l, size_t bytes)
{
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 256;
        void *rows = reallocarray(l->rows, room, bytes);
        if (!rows) return NULL;
        l->rows = rows;
        l->room = room;
    }
    return memset((char *)l->rows + l->count++ * bytes, 0, bytes);
}

/* The row of these numbers, zeroed where there is none; NULL without memory. Two that differ have
 * one key once in 37 million runs of a million. */
static void *row_of(gather_t *g, const uint64_t *parts, size_t count, size_t bytes)
{
    uint64_t key = 0;
    for (size_t i = 0; i < count; i++)
        key = out_mix(key ^ parts[i]);
    const uint64_t found = out_numbers_get(&g->numbers, key);
    if (found) return (char *)g->rows.rows + (found - 1) * bytes;
    void *row = next(&g->rows, bytes);
    return row && out_numbers_set(&g->numbers, key, g->rows.count) ? row : NULL;
}

static void forget(gather_t *g)
{
    for (size_t i = 0; i < g->process_count; i++)
        free(g->processes[i]);
    free(g->processes);
    free(g->numbers.rows);
    free(g->rows.rows);
    free(g->spans.rows);
}

/* ---- reading ---- */

/* Times of a database may be anything: what does not fit wraps. */
static sqlite3_int64 sum_of(sqlite3_int64 a, sqlite3_int64 b)
{
    return (sqlite3_int64)((uint64_t)a + (uint64_t)b);
}

static sqlite3_int64 between(sqlite3_int64 start, sqlite3_int64 end)
{
    return (sqlite3_int64)((uint64_t)end - (uint64_t)start);
}

/* Number of the process in column 0; -1 without memory. Rows of one stand together. */
static int process_of(gather_t *g, sqlite3_stmt *s, size_t *process)
{
    const char *text = (const char *)sqlite3_column_text(s, 0), *guid = text ? text : "";
    if (*process < g->process_count && strcmp(g->processes[*process], guid) == 0) return 0;
    for (*process = 0; *process < g->process_count; ++*process)
        if (strcmp(g->processes[*process], guid) == 0) return 0;
    char **grown = reallocarray(g->processes, g->process_count + 1, sizeof(*grown));
    if (grown) g->processes = grown;
    char *copy = grown ? strdup(guid) : NULL;
    if (!copy) return no_memory();
    g->processes[g->process_count++] = copy;
    return 0;
}

/* Every row of the statement, with the number of its process. */
static int each_row(gather_t *g, const char *sql,
                    bool (*take)(gather_t *g, sqlite3_stmt *s, size_t process))
{
    sqlite3_stmt *s = res_prepare(g->run, sql, what);
    size_t process = SIZE_MAX;
    int more = s ? 1 : -1;
    while (more > 0 && (more = res_step(s, what)) > 0) {
        if (process_of(g, s, &process) != 0)
            more = -1;
        else if (!take(g, s, process))
            more = no_memory();
    }
    sqlite3_finalize(s);
    return more;
}

/* ---- writing ---- */

/* Rows as `bind` puts them into the statement, behind the guid. */
static int put_rows(gather_t *g, const char *sql, size_t bytes,
                    void (*bind)(sqlite3_stmt *s, const void *row))
{
    sqlite3_stmt *s = res_prepare(g->run, sql, what);
    int more = s ? 0 : -1;
    for (size_t i = 0; more == 0 && i < g->rows.count; i++) {
        const char *row = (const char *)g->rows.rows + i * bytes;
        sqlite3_bind_text(s, 1, g->processes[*(const size_t *)row], -1, SQLITE_STATIC);
        bind(s, row);
        more = res_step(s, what);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return more;
}

static void bind_numbers(sqlite3_stmt *s, const sqlite3_int64 *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sqlite3_bind_int64(s, (int)i + 2, numbers[i]); /* behind the guid */
}

/* ---- launches ---- */

static uint64_t volume_at(sqlite3_stmt *s, int column)
{
    uint64_t volume = 1;
    for (int i = 0; i < 3; i++)
        volume *= (uint64_t)sqlite3_column_int64(s, column + i);
    return volume;
}

static bool take_launch(gather_t *g, sqlite3_stmt *s, size_t process)
{
    const sqlite3_int64 start = sqlite3_column_int64(s, 12),
                        duration = between(start, sqlite3_column_int64(s, 13));
    const launch_t l = {.process = process,
                        .kernel = sqlite3_column_int64(s, 1),
                        .agent = sqlite3_column_int64(s, 2),
                        .stream = sqlite3_column_int64(s, 3),
                        .lds = (uint64_t)sqlite3_column_int64(s, 4),
                        .scratch = (uint64_t)sqlite3_column_int64(s, 5),
                        .workgroup = volume_at(s, 6),
                        .grid = volume_at(s, 9)};
    const uint64_t parts[] = {process, (uint64_t)l.kernel, (uint64_t)l.agent, (uint64_t)l.stream,
                              l.lds,   l.scratch,          l.workgroup,       l.grid};
    launch_t *row = row_of(g, parts, sizeof(parts) / sizeof(*parts), sizeof(*row));
    if (!row) return false;
    if (!row->calls) {
        *row = l;
        row->least = row->most = row->first_ns = duration;
        row->first = start;
    }
    row->calls++;
    row->total = sum_of(row->total, duration);
    if (duration < row->least) row->least = duration;
    if (duration > row->most) row->most = duration;
    if (start < row->first) {
        row->first = start;
        row->first_ns = duration;
    }
    return true;
}

static void bind_launch(sqlite3_stmt *s, const void *row)
{
    const launch_t *l = row;
    const sqlite3_int64 numbers[] = {l->kernel,
                                     l->agent,
                                     l->stream,
                                     (sqlite3_int64)l->lds,
                                     (sqlite3_int64)l->scratch,
                                     (sqlite3_int64)l->workgroup,
                                     (sqlite3_int64)l->grid,
                                     (sqlite3_int64)l->calls,
                                     l->total,
                                     l->least,
                                     l->most,
                                     l->first,
                                     l->first_ns};
    bind_numbers(s, numbers, sizeof(numbers) / sizeof(*numbers));
}

int res_gather_launches(res_run_t *r)
{
    gather_t g = {.run = r};
    int result =
        rocpd_run(r->db,
                  "DROP TABLE IF EXISTS temp.res_launch; CREATE TEMP TABLE res_launch(guid, "
                  "kernel_id, agent_id, stream_id, lds, scratch, workgroup, grid, calls, total, "
                  "least, most, first, first_ns)",
                  what);
    if (result == 0)
        result = each_row(&g,
                          "SELECT guid, kernel_id, agent_id, stream_id, group_segment_size, "
                          "private_segment_size, workgroup_size_x, workgroup_size_y, "
                          "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, start, \"end\" "
                          "FROM rocpd_kernel_dispatch",
                          take_launch);
    if (result == 0)
        result = put_rows(&g, "INSERT INTO res_launch VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                          sizeof(launch_t), bind_launch);
    forget(&g);
    return result;
}

/* ---- gaps ---- */

static bool take_span(gather_t *g, sqlite3_stmt *s, size_t process)
{
    span_t *span = next(&g->spans, sizeof(*span));
    if (!span) return false;
    *span = (span_t){process, sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2)};
    if (g->spans.count == 1 || span->start < g->first) g->first = span->start;
    if (g->spans.count == 1 || span->end > g->last) g->last = span->end;
    return true;
}

static int by_start(const void *left, const void *right)
{
    const span_t *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

static int by_length(const void *left, const void *right)
{
    const span_t *a = left, *b = right;
    const sqlite3_int64 x = between(a->start, a->end), y = between(b->start, b->end);
    return x != y ? (x < y ? 1 : -1) : by_start(left, right);
}

/* Leaves the gaps in place of the spans, of which there are more, the longest first. */
static sqlite3_int64 find_gaps(gather_t *g)
{
    span_t *const spans = g->spans.rows;
    sqlite3_int64 idle = 0, until = 0;
    size_t gaps = 0, process = SIZE_MAX;
    if (g->spans.count) qsort(spans, g->spans.count, sizeof(*spans), by_start);
    for (size_t i = 0; i < g->spans.count; i++) {
        const span_t span = spans[i];
        const bool begins = span.process != process;
        if (!begins && until < span.start) {
            spans[gaps++] = (span_t){process, until, span.start};
            idle = sum_of(idle, between(until, span.start));
        }
        if (begins || until < span.end) until = span.end;
        process = span.process;
    }
    g->spans.count = gaps;
    if (gaps) qsort(spans, gaps, sizeof(*spans), by_length);
    return idle;
}

static int put_work(gather_t *g)
{
    const bool any = g->spans.count;
    const sqlite3_int64 idle = find_gaps(g);
    const span_t *longest = g->spans.count ? g->spans.rows : NULL;
    const sqlite3_int64 numbers[] = {g->first, g->last, (sqlite3_int64)g->spans.count, idle,
                                     longest ? between(longest->start, longest->end) : 0};
    sqlite3_stmt *s = res_prepare(g->run, "INSERT INTO res_work VALUES (?,?,?,?,?)", what);
    for (int i = 0; s && any && i < 5; i++)
        sqlite3_bind_int64(s, i + 1, numbers[i]);
    const int result = s ? res_step(s, what) : -1;
    sqlite3_finalize(s);
    return result;
}

/* ---- calls ---- */

/* How much of the longest gaps of its process the call fills. */
static sqlite3_int64 in_gaps(const gather_t *g, size_t process, sqlite3_int64 start,
                             sqlite3_int64 end)
{
    const span_t *gaps = g->spans.rows;
    sqlite3_int64 filled = 0;
    for (size_t i = 0; i < g->spans.count && i < GAPS_KEPT; i++) {
        const sqlite3_int64 from = start > gaps[i].start ? start : gaps[i].start;
        const sqlite3_int64 to = end < gaps[i].end ? end : gaps[i].end;
        if (gaps[i].process == process && from < to) filled = sum_of(filled, between(from, to));
    }
    return filled;
}

static bool take_call(gather_t *g, sqlite3_stmt *s, size_t process)
{
    const sqlite3_int64 name = sqlite3_column_int64(s, 1), category = sqlite3_column_int64(s, 2);
    const sqlite3_int64 start = sqlite3_column_int64(s, 3), end = sqlite3_column_int64(s, 4);
    const uint64_t parts[] = {process, (uint64_t)name, (uint64_t)category};
    call_t *row = row_of(g, parts, sizeof(parts) / sizeof(*parts), sizeof(*row));
    if (!row) return false;
    if (!row->calls)
        *row = (call_t){
            .process = process, .name = name, .category = category, .first = start, .last = end};
    row->calls++;
    row->time = sum_of(row->time, between(start, end));
    if (between(start, end) > row->longest) row->longest = between(start, end);
    if (start < row->first) row->first = start;
    if (end > row->last) row->last = end;
    if (start >= g->first && end <= g->last) {
        row->inside++;
        row->inside_ns = sum_of(row->inside_ns, between(start, end));
    }
    row->gap_ns = sum_of(row->gap_ns, in_gaps(g, process, start, end));
    return true;
}

static void bind_call(sqlite3_stmt *s, const void *row)
{
    const call_t *c = row;
    const sqlite3_int64 numbers[] = {
        c->name,  c->category, (sqlite3_int64)c->calls,  c->time,      c->longest,
        c->first, c->last,     (sqlite3_int64)c->inside, c->inside_ns, c->gap_ns};
    bind_numbers(s, numbers, sizeof(numbers) / sizeof(*numbers));
}

int res_gather_calls(res_run_t *r)
{
    gather_t g = {.run = r};
    int result = rocpd_run(
        r->db,
        "DROP TABLE IF EXISTS temp.res_work; DROP TABLE IF EXISTS temp.res_call; DROP TABLE IF "
        "EXISTS temp.res_call_by_id; CREATE TEMP TABLE res_work(first, last, gaps, idle_ns, "
        "longest_ns); CREATE TEMP TABLE res_call_by_id(guid, name_id, category_id, calls, time_ns, "
        "longest_ns, "
        "first, last, inside, inside_ns, gap_ns)",
        what);
    if (result == 0)
        result = each_row(&g,
                          "SELECT guid, start, \"end\" FROM rocpd_kernel_dispatch UNION ALL SELECT "
                          "guid, start, \"end\" FROM rocpd_memory_copy",
                          take_span);
    if (result == 0) result = put_work(&g);
    if (result == 0)
        result = each_row(&g,
                          "SELECT R.guid, R.name_id, E.category_id, R.start, R.\"end\" FROM "
                          "rocpd_region R LEFT JOIN rocpd_event E ON E.id = R.event_id AND E.guid "
                          "= R.guid",
                          take_call);
    if (result == 0)
        result = put_rows(&g, "INSERT INTO res_call_by_id VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                          sizeof(call_t), bind_call);
    if (result == 0)
        result = rocpd_run(
            r->db,
            "CREATE TEMP TABLE res_call AS SELECT C.guid, COALESCE(S.string, '') AS name, "
            "COALESCE(T.string, '') AS category, calls, time_ns, longest_ns, first, last, inside, "
            "inside_ns, "
            "gap_ns FROM res_call_by_id C LEFT JOIN rocpd_string S ON S.id = C.name_id AND S.guid "
            "= C.guid LEFT JOIN rocpd_string T ON T.id = C.category_id AND T.guid = C.guid",
            what);
    forget(&g);
    return result;
}
