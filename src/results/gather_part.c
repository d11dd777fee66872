/* gather_part.c - see gather_part.h. Sums are kept in arrays, whose rows are found by a hash of
 * their key; SQLite only reads the records. Spans, gaps and calls of a database are freed when its
 * sums are complete. */
#include "results/gather_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/model_time.h"
#include "base/text.h"
#include "model/softgpu.h"
#include "results/gather_columns.h"
#include "results/gather_state.h"

static const char what[] = "summing up records";

/* The kinds of calls: a call has the kind of the first row that is the beginning of its name. */
static const struct {
    const char *begin;
    gather_kind_t kind;
} kinds[] = {
    {"hipLaunchHostFunc", GATHER_OTHER},
    {"hipLaunch", GATHER_LAUNCH},
    {"hipModuleLaunch", GATHER_LAUNCH},
    {"hipExtLaunch", GATHER_LAUNCH},
    {"hipExtModuleLaunch", GATHER_LAUNCH},
    {"hipHccModuleLaunch", GATHER_LAUNCH},
    {"hipDeviceSynchronize", GATHER_SYNC},
    {"hipCtxSynchronize", GATHER_SYNC},
    {"hipStreamSynchronize", GATHER_SYNC},
    {"hipEventSynchronize", GATHER_SYNC},
    {"hipMallocAsync", GATHER_OTHER},
    {"hipMallocFromPoolAsync", GATHER_OTHER},
    {"hipFreeAsync", GATHER_OTHER},
    {"hipMalloc", GATHER_ALLOC},
    {"hipFree", GATHER_ALLOC},
    {"hipHostMalloc", GATHER_ALLOC},
    {"hipHostAlloc", GATHER_ALLOC},
    {"hipHostFree", GATHER_ALLOC},
    {"hipExtMalloc", GATHER_ALLOC},
    {"hipMemcpy", GATHER_COPY},
    {"hipMemset", GATHER_COPY_ASYNC},
    {"hipModuleLoad", GATHER_LOAD},
    {"hiprtcCompile", GATHER_LOAD},
    {"hipLinkComplete", GATHER_LOAD},
    {"hip", GATHER_OTHER},
    {"__hip", GATHER_OTHER},
};

/* Names of calls that are not HIP's, and in which the host waits for other ranks, begin with one of
 * these. */
static const char *const waiting[] = {"MPI_", "PMPI_", "mpi_"};

/* A copy. */
typedef struct {
    size_t process;
    int64_t stream, start;
} move_t;

/* ---- arrays ---- */

static int no_memory(void)
{
    base_error("%s: %s", what, strerror(ENOMEM));
    return -1;
}

void *gather_next(gather_list_t *l, size_t bytes)
{
    if (!base_grow(&l->rows, l->count, &l->room, bytes)) return NULL;
    return memset((char *)l->rows + l->count++ * bytes, 0, bytes);
}

/* Returns the row that these numbers identify, a zeroed one if it is new; NULL without memory. */
static void *row_of(gather_table_t *t, const uint64_t *parts, size_t count, size_t bytes)
{
    const uint64_t key = out_numbers_key(0, parts, count);
    const uint64_t found = out_numbers_get(&t->numbers, key);
    if (found) return (char *)t->list.rows + (found - 1) * bytes;
    void *row = gather_next(&t->list, bytes);
    return row && out_numbers_set(&t->numbers, key, t->list.count) ? row : NULL;
}

/* ---- reading ---- */

/* Sets *process to the number of the process in column 0. Returns -1 without memory. Rows of a
 * process are adjacent, and the order of processes is mostly the same in each table. */
static int process_of(gather_t *g, const db_cursor_t *c, size_t *process)
{
    gather_part_t *p = g->part;
    const char *guid = db_text(c, 0);
    if (*process < p->process_count && strcmp(p->processes[*process], guid) == 0) return 0;
    if (++*process < p->process_count && strcmp(p->processes[*process], guid) == 0) return 0;
    for (*process = 0; *process < p->process_count; ++*process)
        if (strcmp(p->processes[*process], guid) == 0) return 0;
    const bool room = BASE_GROW_BY_ONE(p->processes, p->process_count);
    gather_work_t *work = room ? gather_next(&p->work, sizeof(*work)) : NULL;
    char *copy = work ? strdup(guid) : NULL;
    if (!copy) return no_memory();
    work->process = p->process_count;
    p->processes[p->process_count++] = copy;
    return 0;
}

typedef bool (*take_t)(gather_t *g, const db_cursor_t *c, size_t process);

/* Calls `take` for every row, with the number of its process, and ends the rows. */
static int each(gather_t *g, db_cursor_t *c, take_t take)
{
    size_t process = SIZE_MAX;
    int result = 0;
    while (result == 0 && db_next(c)) {
        if (process_of(g, c, &process) != 0)
            result = -1;
        else if (!take(g, c, process))
            result = no_memory();
    }
    return db_end(c, what) == 0 ? result : -1;
}

static int each_row(gather_t *g, const db_t *db, const char *sql, take_t take)
{
    db_cursor_t c;
    db_rows(&c, db, sql, "");
    return each(g, &c, take);
}

static int each_record(gather_t *g, const db_t *db, const db_records_t *which, take_t take)
{
    db_cursor_t c;
    db_records(&c, db, which, NULL);
    return each(g, &c, take);
}

/* ---- kernels ---- */

static uint64_t volume_at(const db_cursor_t *c, int column)
{
    uint64_t volume = 1;
    for (int i = 0; i < 3; i++)
        volume *= db_uint(c, column + i);
    return volume;
}

static bool add_span(gather_t *g, const gather_span_t *span)
{
    gather_span_t *row = gather_next(&g->spans, sizeof(*row));
    if (row) *row = *span;
    return row;
}

static bool take_launch(gather_t *g, const db_cursor_t *c, size_t process)
{
    const int64_t start = db_int(c, LAUNCH_START), end = db_int(c, LAUNCH_END);
    const int64_t duration = gather_between(start, end);
    const gather_launch_t l = {.process = process,
                               .kernel = db_int(c, LAUNCH_KERNEL),
                               .agent = db_int(c, LAUNCH_AGENT),
                               .stream = db_int(c, LAUNCH_STREAM),
                               .lds = db_uint(c, LAUNCH_LDS),
                               .scratch = db_uint(c, LAUNCH_SCRATCH),
                               .workgroup = volume_at(c, LAUNCH_WORKGROUP),
                               .grid = volume_at(c, LAUNCH_GRID)};
    const uint64_t parts[] = {process, (uint64_t)l.kernel, (uint64_t)l.agent, (uint64_t)l.stream,
                              l.lds,   l.scratch,          l.workgroup,       l.grid};
    gather_launch_t *row =
        row_of(&g->part->launches, parts, sizeof(parts) / sizeof(*parts), sizeof(*row));
    if (!row) return false;
    const bool first = !row->time.count;
    if (first) *row = l;
    sum_add(&row->time, duration);
    if (first || start < row->first) {
        row->first = start;
        row->first_ns = duration;
    }
    if (first || end > row->last) row->last = end;
    return !g->wanted->calls ||
           add_span(g, &(gather_span_t){
                           .process = process, .start = start, .end = end, .kernel = l.kernel});
}

/* ---- copies and memory ---- */

static bool take_copy(gather_t *g, const db_cursor_t *c, size_t process)
{
    const int64_t start = db_int(c, MOVE_START), end = db_int(c, MOVE_END);
    const gather_copy_t copy = {.process = process,
                                .name_id = db_int(c, MOVE_NAME),
                                .from = db_int(c, MOVE_SOURCE),
                                .to = db_int(c, MOVE_DESTINATION)};
    const uint64_t parts[] = {process, (uint64_t)copy.name_id, (uint64_t)copy.from,
                              (uint64_t)copy.to};
    gather_copy_t *row =
        row_of(&g->part->copies, parts, sizeof(parts) / sizeof(*parts), sizeof(*row));
    if (!row) return false;
    if (!row->time.count) {
        *row = copy;
        db_again(&g->texts, "tii", g->part->processes[process], copy.name_id, copy.name_id);
        if (db_next(&g->texts) && !(row->name = strdup(db_text(&g->texts, 1)))) return false;
    }
    row->bytes = gather_sum(row->bytes, db_int(c, MOVE_SIZE));
    sum_add(&row->time, gather_between(start, end));
    if (!db_null(c, MOVE_STREAM)) {
        move_t *move = gather_next(&g->moves, sizeof(*move));
        if (!move) return false;
        *move = (move_t){process, db_int(c, MOVE_STREAM), start};
    }
    return add_span(
        g, &(gather_span_t){.process = process, .start = start, .end = end, .of = GATHER_OF_COPY});
}

static int read_memory(gather_part_t *p, const db_t *db)
{
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT size FROM rocpd_memory_allocate WHERE type = 'ALLOC' AND level = 'REAL' AND "
            "size IS NOT NULL",
            "");
    while (db_next(&c)) {
        p->allocated = gather_sum(p->allocated, db_int(&c, 0));
        p->allocates = true;
    }
    return db_end(&c, what);
}

/* Returns the row of a stream that runs kernels of the program itself; `stream` is the number of
 * the row plus one. */
static gather_stream_t *stream_of(gather_t *g, size_t process, int64_t stream, bool add)
{
    const uint64_t parts[] = {process, (uint64_t)stream};
    gather_table_t *t = &g->part->streams;
    if (!add && !out_numbers_get(&t->numbers, out_numbers_key(0, parts, 2))) return NULL;
    return row_of(t, parts, 2, sizeof(gather_stream_t));
}

static bool add_launch_to_stream(gather_t *g, const gather_launch_t *l)
{
    gather_stream_t *s = stream_of(g, l->process, l->stream, true);
    if (!s) return false;
    if (!s->kernels)
        *s = (gather_stream_t){
            .process = l->process, .stream = l->stream, .first = l->first, .last = l->last};
    s->kernels += l->time.count;
    if (l->first < s->first) s->first = l->first;
    if (l->last > s->last) s->last = l->last;
    return true;
}

/* Lists the symbols that are kernels of the runtime. */
static int find_foreign(const db_t *db, out_numbers_t *foreign)
{
    db_cursor_t c;
    bool room = true;
    db_rows(&c, db,
            "SELECT id FROM rocpd_info_kernel_symbol WHERE COALESCE(display_name, kernel_name) "
            "LIKE '\\_\\_amd\\_rocclr%' ESCAPE '\\'",
            "");
    while (room && db_next(&c))
        room = out_numbers_set(foreign, db_uint(&c, 0), 1);
    if (db_end(&c, what) != 0) return -1;
    return room ? 0 : no_memory();
}

static int find_streams(gather_t *g, const db_t *db)
{
    const gather_launch_t *l = g->part->launches.list.rows;
    const move_t *moves = g->moves.rows;
    out_numbers_t foreign = {0};
    int result = g->moves.count ? find_foreign(db, &foreign) : 0;
    for (size_t i = 0; result == 0 && g->moves.count && i < g->part->launches.list.count; i++)
        if (!out_numbers_get(&foreign, (uint64_t)l[i].kernel) && !add_launch_to_stream(g, &l[i]))
            result = no_memory();
    free(foreign.rows);
    for (size_t i = 0; result == 0 && i < g->moves.count; i++) {
        gather_stream_t *s = stream_of(g, moves[i].process, moves[i].stream, false);
        if (s && moves[i].start >= s->first && moves[i].start <= s->last) s->copies++;
    }
    return result;
}

/* ---- calls ---- */

static gather_kind_t kind_of(const char *name)
{
    gather_kind_t kind = GATHER_NO_HIP;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (!base_begins_with(name, kinds[i].begin)) continue;
        kind = kinds[i].kind;
        break;
    }
    return kind == GATHER_COPY && strstr(name, "Async") ? GATHER_COPY_ASYNC : kind;
}

static bool waits_for_others(const gather_call_t *row)
{
    bool found = false;
    for (size_t i = 0; i < sizeof(waiting) / sizeof(*waiting); i++)
        if (row->kind == GATHER_NO_HIP && base_begins_with(row->name, waiting[i])) found = true;
    return found;
}

/* Finds the texts of a call's ids; "" for missing ones. Returns false without memory. */
static bool name_call(gather_t *g, gather_call_t *row, int64_t name, int64_t category)
{
    db_again(&g->texts, "tii", g->part->processes[row->process], name, category);
    while (db_next(&g->texts)) {
        const int64_t id = db_int(&g->texts, 0);
        if (id == name && !row->name) row->name = strdup(db_text(&g->texts, 1));
        if (id == category && !row->category) row->category = strdup(db_text(&g->texts, 1));
    }
    if (!row->name) row->name = strdup("");
    if (!row->category) row->category = strdup("");
    return row->name && row->category;
}

static bool hold(gather_t *g, size_t process, const gather_call_t *row, int64_t start, int64_t end)
{
    gather_held_t *h = gather_next(&g->held, sizeof(*h));
    if (h)
        *h = (gather_held_t){
            process, (size_t)(row - (const gather_call_t *)g->part->calls.list.rows), start, end};
    return h;
}

static bool keep(gather_list_t *spans, size_t process, int64_t start, int64_t end)
{
    gather_span_t *span = gather_next(spans, sizeof(*span));
    if (span)
        *span =
            (gather_span_t){.process = process, .start = start, .end = end, .of = GATHER_OF_CALL};
    return span;
}

static void widen_host(gather_work_t *w, int64_t start, int64_t end)
{
    if (!w->called || start < w->host_first) w->host_first = start;
    if (!w->called || end > w->host_last) w->host_last = end;
    w->called = true;
}

/* Adds a record to the sums of the text that the program has given. */
static bool take_range(gather_t *g, const gather_call_t *call, const char *text, int64_t time)
{
    const uint64_t parts[] = {call->process, out_hash(text), out_hash(call->category)};
    gather_call_t *row =
        row_of(&g->part->ranges, parts, sizeof(parts) / sizeof(*parts), sizeof(*row));
    if (!row) return false;
    if (!row->time.count) {
        *row = (gather_call_t){
            .process = call->process, .name = strdup(text), .category = strdup(call->category)};
        if (!row->name || !row->category) return false;
    }
    sum_add(&row->time, time);
    return true;
}

/* Returns the text that the program has given to a call, or NULL. */
static const char *text_of(gather_t *g, const db_cursor_t *c)
{
    const char *text = NULL;
    if (rocpd_message(&g->message, g->db, c, CALL_EXTDATA, &text)) return text;
    db_drop(&g->message.extract); /* a value that is not JSON has no text */
    return NULL;
}

static bool take_call(gather_t *g, const db_cursor_t *c, size_t process)
{
    const int64_t name = db_int(c, CALL_NAME), category = db_int(c, CALL_CATEGORY);
    const int64_t start = db_int(c, CALL_START), end = db_int(c, CALL_END);
    const char *text = g->wanted->bins ? text_of(g, c) : NULL;
    const uint64_t parts[] = {process, (uint64_t)name, (uint64_t)category};
    gather_call_t *row =
        row_of(&g->part->calls, parts, sizeof(parts) / sizeof(*parts), sizeof(*row));
    if (!row) return false;
    if (!row->time.count) {
        *row = (gather_call_t){.process = process, .first = start, .last = end};
        if (!name_call(g, row, name, category)) return false;
        row->kind = kind_of(row->name);
        row->others = waits_for_others(row);
        row->waits = row->others || row->kind == GATHER_SYNC || row->kind == GATHER_COPY;
    }
    gather_work_t *w = gather_work_of(g, process);
    widen_host(w, start, end);
    sum_add(&row->time, gather_between(start, end));
    if (g->wanted->bins && !text)
        sum_add(&row->plain, gather_between(start, end));
    else if (text && !take_range(g, row, text, gather_between(start, end)))
        return false;
    if (start < row->first) row->first = start;
    if (end > row->last) row->last = end;
    if (w->busy && start >= w->first && end <= w->last)
        sum_add(&row->inside, gather_between(start, end));
    if (row->waits && g->wanted->bins && !keep(&g->waits, process, start, end)) return false;
    if (row->kind == GATHER_NO_HIP) return true;
    if (row->kind == GATHER_LOAD && !keep(&g->loads, process, start, end)) return false;
    return (!g->by_calls && !gather_in_gap(g, process, start, end)) ||
           hold(g, process, row, start, end);
}

/* ---- ranks ---- */

/* Reads a number from the settings of a process, which are JSON; -1 if there is none. */
#define SETTING(name)                                                                              \
    "COALESCE(iif(json_valid(P.extdata), json_extract(P.extdata, '$." name "'), -1), -1)"

static bool take_rank(gather_t *g, const db_cursor_t *c, size_t process)
{
    gather_rank_t *r = &gather_work_of(g, process)->rank;
    *r = (gather_rank_t){.pid = db_uint(c, 1), .rank = db_int(c, 3), .ranks = db_int(c, 4)};
    /* the settings of a process without MPI say that it is the only rank */
    if (r->ranks <= 1) r->rank = r->ranks = -1;
    r->host = strdup(db_text(c, 2));
    return r->host;
}

/* Reads the metadata, which belong to a database: they describe its process only if that is alone
 * in it. Databases without the id of the boot have the host's name instead. */
static int read_metadata(gather_t *g, const db_t *db)
{
    gather_work_t *w = gather_work_of(g, 0);
    gather_rank_t *r = &w->rank;
    db_cursor_t c;
    if (g->part->process_count != 1) return 0;
    db_rows(&c, db, "SELECT tag, value FROM rocpd_metadata", "");
    while (db_next(&c))
        gather_rank_fact(r, db_text(&c, 0), db_text(&c, 1));
    if (!*r->clock.boot && r->host) snprintf(r->clock.boot, sizeof(r->clock.boot), "%s", r->host);
    r->clock.rank = (long)r->rank;
    r->clock.last_ns = (uint64_t)gather_last(w);
    return db_end(&c, what);
}

static int read_ranks(gather_t *g, const db_t *db)
{
    const int result =
        each_row(g, db,
                 "SELECT P.guid, P.pid, N.hostname, " SETTING("mpi_rank") ", " SETTING(
                     "mpi_size") " FROM rocpd_info_process P LEFT JOIN rocpd_info_node N ON N.id = "
                                 "P.nid AND N.guid = P.guid WHERE P.guid IS NOT NULL",
                 take_rank);
    return result == 0 && g->part->process_count ? read_metadata(g, db) : result;
}

/* ---- the whole ---- */

static int read_calls(gather_t *g, const db_t *db)
{
    g->db = db;
    const int result = each_record(
        g, db, g->wanted->bins ? &gather_calls_with_texts : &gather_calls_alone, take_call);
    return rocpd_message_end(&g->message, what) != 0 ? -1 : result;
}

/* Determines whether times of kernels are those of softgpu's model. */
static int read_model(gather_t *g, const db_t *db)
{
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT 1 FROM rocpd_info_agent WHERE model_name LIKE '%" BASE_MODEL_TIME "%' LIMIT 1",
            "");
    g->by_calls = db_next(&c);
    return db_end(&c, what);
}

/* Reads copies and calls, and computes gaps between kernels and copies. */
static int read_all(gather_t *g, const db_t *db)
{
    static const char texts[] =
        "SELECT id, string FROM rocpd_string WHERE guid = ?1 AND id IN (?2, ?3)";
    db_rows(&g->texts, db, texts, "");
    int result = read_model(g, db);
    if (result == 0) result = each_record(g, db, &gather_copies, take_copy);
    if (result == 0) result = find_streams(g, db);
    if (g->spans.count)
        qsort(g->spans.rows, g->spans.count, sizeof(gather_span_t), gather_by_start);
    /* bins need the spans, calls the gaps between them */
    gather_span_t *spans =
        g->wanted->bins && g->spans.count ? malloc(g->spans.count * sizeof(*spans)) : NULL;
    const size_t count = spans ? g->spans.count : 0;
    if (spans) memcpy(spans, g->spans.rows, count * sizeof(*spans));
    gather_find_gaps(g);
    if (result == 0) result = read_calls(g, db);
    if (result == 0) gather_sum_gaps(g);
    if (result == 0 && g->wanted->bins && !gather_make_bins(g, spans, count)) result = no_memory();
    free(spans);
    if (result == 0) result = read_memory(g->part, db);
    if (result == 0) result = read_ranks(g, db);
    return db_end(&g->texts, what) == 0 ? result : -1;
}

gather_part_t *gather_part(const db_t *db, const gather_wanted_t *wanted)
{
    gather_part_t *part = calloc(1, sizeof(*part));
    gather_t g = {.part = part, .wanted = wanted};
    int result = part ? 0 : no_memory();
    if (result == 0) result = each_record(&g, db, &gather_launches, take_launch);
    if (result == 0 && wanted->calls) result = read_all(&g, db);
    gather_list_t *const of_file[] = {&g.spans, &g.held, &g.loads, &g.waits, &g.moves};
    for (size_t i = 0; i < sizeof(of_file) / sizeof(*of_file); i++)
        free(of_file[i]->rows);
    if (result == 0) return part;
    if (part) gather_part_free(part);
    return NULL;
}

void gather_part_clear(gather_part_t *p)
{
    gather_call_t *calls = p->calls.list.rows, *ranges = p->ranges.list.rows;
    gather_copy_t *copies = p->copies.list.rows;
    gather_work_t *work = p->work.rows;
    gather_table_t *const tables[] = {&p->launches, &p->calls, &p->ranges, &p->copies, &p->streams};
    for (size_t i = 0; i < p->calls.list.count; i++) {
        free(calls[i].name);
        free(calls[i].category);
    }
    for (size_t i = 0; i < p->ranges.list.count; i++) {
        free(ranges[i].name);
        free(ranges[i].category);
    }
    for (size_t i = 0; i < p->copies.list.count; i++)
        free(copies[i].name);
    for (size_t i = 0; i < p->process_count; i++)
        free(p->processes[i]);
    for (size_t i = 0; i < p->work.count; i++) {
        free(work[i].kernels.rows);
        free(work[i].rank.host);
        res_bins_free(&work[i].bins);
    }
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        free(tables[i]->numbers.rows);
        free(tables[i]->list.rows);
    }
    free(p->processes);
    free(p->work.rows);
}

void gather_part_free(gather_part_t *p)
{
    gather_part_clear(p);
    free(p);
}
