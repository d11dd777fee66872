/* gather.c - see gather.h. Sums are made in arrays, whose rows are found by a hash of their key;
 * SQLite only reads the records and stores the sums. */
#include "results/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "model/numbers.h"
#include "model/sum.h"

static const char what[] = "summing up records";

typedef struct {
    size_t process;
    int64_t kernel, agent, stream;
    uint64_t lds, scratch, workgroup, grid;
    sum_t time;
    int64_t first, first_ns, last;
} launch_t;

/* What a call of HIP has to do with the GPU's time; X(id, name). */
#define KINDS(X)                                                                                   \
    X(NO_HIP, "")                                                                                  \
    X(OTHER, "other")                                                                              \
    X(LAUNCH, "launch")                                                                            \
    X(SYNC, "sync")                                                                                \
    X(ALLOC, "alloc")                                                                              \
    X(COPY, "copy") /* the host waits until it is done, or may have to */                          \
    X(COPY_ASYNC, "copy")                                                                          \
    X(LOAD, "load")

typedef enum {
#define X(id, name) KIND_##id,
    KINDS(X)
#undef X
} kind_t;

static const char *const kind_names[] = {
#define X(id, name) name,
    KINDS(X)
#undef X
};

/* The kind of a call: that of the first row with which its name begins. */
static const struct {
    const char *begin;
    kind_t kind;
} kinds[] = {
    {"hipLaunchHostFunc", KIND_OTHER},
    {"hipLaunch", KIND_LAUNCH},
    {"hipModuleLaunch", KIND_LAUNCH},
    {"hipExtLaunch", KIND_LAUNCH},
    {"hipExtModuleLaunch", KIND_LAUNCH},
    {"hipHccModuleLaunch", KIND_LAUNCH},
    {"hipDeviceSynchronize", KIND_SYNC},
    {"hipCtxSynchronize", KIND_SYNC},
    {"hipStreamSynchronize", KIND_SYNC},
    {"hipEventSynchronize", KIND_SYNC},
    {"hipMallocAsync", KIND_OTHER},
    {"hipMallocFromPoolAsync", KIND_OTHER},
    {"hipFreeAsync", KIND_OTHER},
    {"hipMalloc", KIND_ALLOC},
    {"hipFree", KIND_ALLOC},
    {"hipHostMalloc", KIND_ALLOC},
    {"hipHostAlloc", KIND_ALLOC},
    {"hipHostFree", KIND_ALLOC},
    {"hipExtMalloc", KIND_ALLOC},
    {"hipMemcpy", KIND_COPY},
    {"hipMemset", KIND_COPY_ASYNC},
    {"hipModuleLoad", KIND_LOAD},
    {"hiprtcCompile", KIND_LOAD},
    {"hipLinkComplete", KIND_LOAD},
    {"hip", KIND_OTHER},
    {"__hip", KIND_OTHER},
};

typedef struct {
    size_t process;
    char *name, *category;
    kind_t kind;
    sum_t time, inside;
    int64_t first, last, gap_ns;
} call_t;

typedef enum { OF_KERNEL, OF_COPY, OF_GAP } span_of_t;

/* For a gap: `filled` is the time up to which it is known what fills the gap, `left` the time that
 * nothing fills. */
typedef struct {
    size_t process;
    int64_t start, end;
    span_of_t of;
    int64_t filled, left;
} span_t;

/* A call of HIP while the GPU has nothing to do. */
typedef struct {
    size_t process, row; /* row: of the call's call_t */
    int64_t start, end;
} held_t;

/* Sums of a process: its kernels and copies, and the times without any. */
typedef struct {
    size_t process;
    int64_t first, last, kernel_ns, copy_ns, busy_ns; /* covered by kernels, copies, either */
    sum_t gaps;
    int64_t startup_ns;
    bool busy; /* it has kernels or copies */
    sum_t own; /* what no call of HIP fills of each gap */
    /* from the times of calls alone: the intervals between the end of a call that waits for the GPU
     * and the beginning of the next call that gives it work */
    sum_t apart;
    int64_t asked, done; /* the first launch and the end of the last wait; 0: there is none */
    /* beginning of the first call, end of the last one; time that calls which compile and load code
     * cover */
    int64_t host_first, host_last, load_ns;
    bool called;
} work_t;

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
    list_t held;           /* held_t */
    list_t loads;          /* span_t of calls that compile and load code */
    work_t *work;          /* of each process */
    db_cursor_t texts;     /* finds two texts by process and ids, in the file that is being read */
    bool by_calls;         /* kernels have another clock than calls: gaps say nothing */
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

/* The row that these numbers identify, a zeroed one if it is new; NULL without memory. */
static void *row_of(gather_t *g, const uint64_t *parts, size_t count, size_t bytes)
{
    const uint64_t key = out_numbers_key(0, parts, count);
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
    free(g->held.rows);
    free(g->loads.rows);
    free(g->work);
}

/* ---- reading ---- */

/* A sum that wraps: times in a database may be any numbers. */
static int64_t sum_of(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t between(int64_t start, int64_t end)
{
    return (int64_t)((uint64_t)end - (uint64_t)start);
}

/* Sets *process to the number of the process in column 0. -1 without memory. Rows of a process come
 * one after the other. */
static int process_of(gather_t *g, const db_cursor_t *c, size_t *process)
{
    const char *guid = db_text(c, 0);
    if (*process < g->process_count && strcmp(g->processes[*process], guid) == 0) return 0;
    for (*process = 0; *process < g->process_count; ++*process)
        if (strcmp(g->processes[*process], guid) == 0) return 0;
    char **grown = reallocarray(g->processes, g->process_count + 1, sizeof(*grown));
    if (grown) g->processes = grown;
    work_t *work = grown ? reallocarray(g->work, g->process_count + 1, sizeof(*work)) : NULL;
    if (work) g->work = work;
    char *copy = work ? strdup(guid) : NULL;
    if (!copy) return no_memory();
    g->work[g->process_count] = (work_t){.process = g->process_count};
    g->processes[g->process_count++] = copy;
    return 0;
}

/* What is done with every row of a statement. */
typedef struct {
    gather_t *g;
    const char *sql;
    bool (*take)(gather_t *g, const db_cursor_t *c, size_t process);
    bool texts; /* texts are looked up */
} rows_t;

static int take_rows(const db_t *db, void *data)
{
    static const char texts[] =
        "SELECT id, string FROM rocpd_string WHERE guid = ?1 AND id IN (?2, ?3)";
    const rows_t *rows = data;
    db_cursor_t c;
    size_t process = SIZE_MAX;
    int result = 0;
    if (rows->texts) db_rows(&rows->g->texts, db, texts, "");
    db_rows(&c, db, rows->sql, "");
    while (result == 0 && db_next(&c)) {
        if (process_of(rows->g, &c, &process) != 0)
            result = -1;
        else if (!rows->take(rows->g, &c, process))
            result = no_memory();
    }
    if (db_end(&c, what) != 0) result = -1;
    return db_end(&rows->g->texts, what) == 0 ? result : -1;
}

static bool take_call(gather_t *g, const db_cursor_t *c, size_t process);

/* Calls `take` for every row of the statement in one file after another, with the number of its
 * process. */
static int each_row(gather_t *g, const char *sql,
                    bool (*take)(gather_t *g, const db_cursor_t *c, size_t process))
{
    rows_t rows = {g, sql, take, take == take_call};
    return rocpd_each(&g->run->base, ROCPD_TABLES, take_rows, &rows);
}

/* ---- writing ---- */

/* Writes rows: `bind` sets the statement's parameters, the first of which is the guid. */
static int put_rows(const gather_t *g, const char *sql, const void *rows, size_t count,
                    size_t bytes, void (*bind)(db_cursor_t *c, const char *guid, const void *row))
{
    db_cursor_t c;
    db_rows(&c, g->run->db, sql, "");
    for (size_t i = 0; i < count; i++) {
        const char *row = (const char *)rows + i * bytes;
        bind(&c, g->processes[*(const size_t *)row], row);
        db_next(&c);
    }
    return db_end(&c, what);
}

/* ---- launches ---- */

static uint64_t volume_at(const db_cursor_t *c, int column)
{
    uint64_t volume = 1;
    for (int i = 0; i < 3; i++)
        volume *= db_uint(c, column + i);
    return volume;
}

static bool take_launch(gather_t *g, const db_cursor_t *c, size_t process)
{
    const int64_t start = db_int(c, 12), duration = between(start, db_int(c, 13));
    const launch_t l = {.process = process,
                        .kernel = db_int(c, 1),
                        .agent = db_int(c, 2),
                        .stream = db_int(c, 3),
                        .lds = db_uint(c, 4),
                        .scratch = db_uint(c, 5),
                        .workgroup = volume_at(c, 6),
                        .grid = volume_at(c, 9)};
    const uint64_t parts[] = {process, (uint64_t)l.kernel, (uint64_t)l.agent, (uint64_t)l.stream,
                              l.lds,   l.scratch,          l.workgroup,       l.grid};
    launch_t *row = row_of(g, parts, sizeof(parts) / sizeof(*parts), sizeof(*row));
    if (!row) return false;
    const int64_t end = db_int(c, 13);
    const bool first = !row->time.count;
    if (first) *row = l;
    sum_add(&row->time, duration);
    if (first || start < row->first) {
        row->first = start;
        row->first_ns = duration;
    }
    if (first || end > row->last) row->last = end;
    return true;
}

static void bind_launch(db_cursor_t *c, const char *guid, const void *row)
{
    const launch_t *l = row;
    db_again(c, "tiiiiiiiiiiiiii", guid, l->kernel, l->agent, l->stream, l->lds, l->scratch,
             l->workgroup, l->grid, l->time.count, sum_total(&l->time), l->time.least, l->time.most,
             l->first, l->first_ns, l->last);
}

int res_gather_launches(res_run_t *r)
{
    gather_t g = {.run = r};
    int result =
        db_run(r->db,
               "DROP TABLE IF EXISTS temp.res_launch; CREATE TEMP TABLE res_launch(guid, "
               "kernel_id, agent_id, stream_id, lds, scratch, workgroup, grid, calls, total, "
               "least, most, first, first_ns, last)",
               what);
    if (result == 0)
        result = each_row(&g,
                          "SELECT guid, kernel_id, agent_id, stream_id, group_segment_size, "
                          "private_segment_size, workgroup_size_x, workgroup_size_y, "
                          "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, start, \"end\" "
                          "FROM rocpd_kernel_dispatch",
                          take_launch);
    if (result == 0)
        result = put_rows(&g, "INSERT INTO res_launch VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                          g.rows.rows, g.rows.count, sizeof(launch_t), bind_launch);
    forget(&g);
    return result;
}

/* ---- gaps ---- */

static bool take_span(gather_t *g, const db_cursor_t *c, size_t process)
{
    span_t *span = next(&g->spans, sizeof(*span));
    if (!span) return false;
    *span = (span_t){.process = process,
                     .start = db_int(c, 1),
                     .end = db_int(c, 2),
                     .of = db_int(c, 3) ? OF_COPY : OF_KERNEL};
    return true;
}

static int by_start(const void *left, const void *right)
{
    const span_t *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* Adds to *covered the part of a span that no earlier span covers; spans come in the order of their
 * beginnings. `begins`: the span is the first. */
static void cover(int64_t *covered, int64_t *until, const span_t *span, bool begins)
{
    const int64_t from = begins || span->start > *until ? span->start : *until;
    if (from < span->end) *covered = sum_of(*covered, between(from, span->end));
    if (begins || span->end > *until) *until = span->end;
}

/* Replaces the spans by the gaps between them, which are fewer, sorted by process and start. */
static void find_gaps(gather_t *g)
{
    span_t *const spans = g->spans.rows;
    int64_t until[3] = {0}; /* kernels, copies, both */
    bool any[2] = {false, false};
    size_t gaps = 0, process = SIZE_MAX;
    if (g->spans.count) qsort(spans, g->spans.count, sizeof(*spans), by_start);
    for (size_t i = 0; i < g->spans.count; i++) {
        const span_t span = spans[i];
        const bool begins = span.process != process;
        work_t *w = &g->work[span.process];
        if (begins) {
            w->first = span.start;
            w->busy = true;
            any[OF_KERNEL] = any[OF_COPY] = false;
        } else if (until[2] < span.start) {
            const int64_t length = between(until[2], span.start);
            spans[gaps++] = (span_t){.process = span.process,
                                     .start = until[2],
                                     .end = span.start,
                                     .of = OF_GAP,
                                     .filled = until[2],
                                     .left = length};
            sum_add(&w->gaps, length);
        }
        cover(&w->busy_ns, &until[2], &span, begins);
        cover(span.of == OF_COPY ? &w->copy_ns : &w->kernel_ns, &until[span.of], &span,
              !any[span.of]);
        any[span.of] = true;
        w->last = until[2];
        process = span.process;
    }
    g->spans.count = gaps;
}

/* The first gap of the process that ends behind this time; the number of gaps if none does. */
static size_t gap_behind(const gather_t *g, size_t process, int64_t time)
{
    const span_t *gaps = g->spans.rows;
    size_t low = 0, high = g->spans.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const bool before = gaps[middle].process != process ? gaps[middle].process < process
                                                            : gaps[middle].end <= time;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool in_gap(const gather_t *g, size_t process, int64_t start, int64_t end)
{
    const size_t i = gap_behind(g, process, start);
    const span_t *gaps = g->spans.rows;
    return i < g->spans.count && gaps[i].process == process && gaps[i].start < end;
}

/* Counts to a call the parts of gaps during it that no earlier call has filled. What a function's
 * first call fills counts as start-up: in it a runtime sets itself up and loads code. */
static void fill_gaps(gather_t *g, const held_t *h)
{
    span_t *gaps = g->spans.rows;
    call_t *row = (call_t *)g->rows.rows + h->row;
    for (size_t i = gap_behind(g, h->process, h->start);
         i < g->spans.count && gaps[i].process == h->process && gaps[i].start < h->end; i++) {
        span_t *gap = &gaps[i];
        const int64_t from = h->start > gap->filled ? h->start : gap->filled;
        const int64_t to = h->end < gap->end ? h->end : gap->end;
        if (from >= to) continue;
        const int64_t part = between(from, to);
        const bool first = h->start == row->first && row->kind != KIND_SYNC;
        int64_t *sum = first ? &g->work[h->process].startup_ns : &row->gap_ns;
        *sum = sum_of(*sum, part);
        gap->filled = to;
        gap->left -= part;
    }
}

static int by_call_start(const void *left, const void *right)
{
    const held_t *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return a->start != b->start ? (a->start > b->start) - (a->start < b->start)
                                : (a->row > b->row) - (a->row < b->row);
}

/* Finds from calls alone the times when the GPU certainly had nothing to do and the host was in no
 * call. */
static void find_apart(gather_t *g)
{
    const held_t *held = g->held.rows;
    const call_t *rows = g->rows.rows;
    int64_t since = 0, own = 0; /* own: time since the wait in no call */
    bool waits = false;         /* the GPU has nothing to do: all work has been waited for */
    for (size_t i = 0; i < g->held.count; i++) {
        const held_t *h = &held[i];
        const kind_t kind = rows[h->row].kind;
        work_t *w = &g->work[h->process];
        const bool begins = !i || held[i - 1].process != h->process;
        if (begins) waits = false;
        if (kind == KIND_LAUNCH && !w->asked) w->asked = h->start;
        if (kind == KIND_SYNC || kind == KIND_COPY) w->done = h->end;
        if (waits && h->start > since) own = sum_of(own, between(since, h->start));
        if (waits && w->asked && (kind == KIND_LAUNCH || kind >= KIND_COPY))
            sum_add(&w->apart, own);
        if (kind == KIND_SYNC || kind == KIND_COPY) {
            since = h->end;
            own = 0;
            waits = true;
        } else if (kind != KIND_OTHER && kind != KIND_ALLOC) {
            waits = false;
        } else if (waits && h->end > since) {
            since = h->end;
        }
    }
}

/* Sums up the time that loads cover: several threads may load at once, and a call that links may
 * contain one that loads. */
static void sum_loads(gather_t *g)
{
    span_t *loads = g->loads.rows;
    int64_t until = 0;
    if (g->loads.count) qsort(loads, g->loads.count, sizeof(*loads), by_start);
    for (size_t i = 0; i < g->loads.count; i++)
        cover(&g->work[loads[i].process].load_ns, &until, &loads[i],
              !i || loads[i - 1].process != loads[i].process);
}

static void sum_gaps(gather_t *g)
{
    const span_t *gaps = g->spans.rows;
    held_t *held = g->held.rows;
    if (g->held.count) qsort(held, g->held.count, sizeof(*held), by_call_start);
    for (size_t i = 0; i < g->held.count; i++)
        fill_gaps(g, &held[i]);
    for (size_t i = 0; i < g->spans.count; i++)
        sum_add(&g->work[gaps[i].process].own, gaps[i].left);
    if (g->by_calls) find_apart(g);
    sum_loads(g);
}

static void bind_work(db_cursor_t *c, const char *guid, const void *row)
{
    const work_t *w = row;
    db_again(c, "tiiiiiiiiiiiiiiii", guid, w->first, w->last, w->kernel_ns, w->copy_ns, w->busy_ns,
             w->gaps.count, sum_total(&w->gaps), w->gaps.most, w->startup_ns, sum_total(&w->own),
             w->own.most, sum_total(&w->apart), w->apart.count,
             between(w->host_first, w->host_last), w->load_ns,
             w->asked && w->done > w->asked ? between(w->asked, w->done) : (int64_t)0);
}

/* ---- calls ---- */

static kind_t kind_of(const char *name)
{
    kind_t kind = KIND_NO_HIP;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (!base_begins_with(name, kinds[i].begin)) continue;
        kind = kinds[i].kind;
        break;
    }
    return kind == KIND_COPY && strstr(name, "Async") ? KIND_COPY_ASYNC : kind;
}

/* Finds the texts of a call's ids; "" for those that there are not. False without memory. */
static bool name_call(gather_t *g, call_t *row, int64_t name, int64_t category)
{
    db_again(&g->texts, "tii", g->processes[row->process], name, category);
    while (db_next(&g->texts)) {
        const int64_t id = db_int(&g->texts, 0);
        if (id == name && !row->name) row->name = strdup(db_text(&g->texts, 1));
        if (id == category && !row->category) row->category = strdup(db_text(&g->texts, 1));
    }
    if (!row->name) row->name = strdup("");
    if (!row->category) row->category = strdup("");
    return row->name && row->category;
}

static bool hold(gather_t *g, size_t process, const call_t *row, int64_t start, int64_t end)
{
    held_t *h = next(&g->held, sizeof(*h));
    if (h) *h = (held_t){process, (size_t)(row - (const call_t *)g->rows.rows), start, end};
    return h;
}

static bool keep_load(gather_t *g, size_t process, int64_t start, int64_t end)
{
    span_t *load = next(&g->loads, sizeof(*load));
    if (load) *load = (span_t){.process = process, .start = start, .end = end};
    return load;
}

static void widen_host(work_t *w, int64_t start, int64_t end)
{
    if (!w->called || start < w->host_first) w->host_first = start;
    if (!w->called || end > w->host_last) w->host_last = end;
    w->called = true;
}

static bool take_call(gather_t *g, const db_cursor_t *c, size_t process)
{
    const int64_t name = db_int(c, 1), category = db_int(c, 2);
    const int64_t start = db_int(c, 3), end = db_int(c, 4);
    const uint64_t parts[] = {process, (uint64_t)name, (uint64_t)category};
    call_t *row = row_of(g, parts, sizeof(parts) / sizeof(*parts), sizeof(*row));
    if (!row) return false;
    if (!row->time.count) {
        *row = (call_t){.process = process, .first = start, .last = end};
        if (!name_call(g, row, name, category)) return false;
        row->kind = kind_of(row->name);
    }
    work_t *w = &g->work[process];
    widen_host(w, start, end);
    sum_add(&row->time, between(start, end));
    if (start < row->first) row->first = start;
    if (end > row->last) row->last = end;
    if (w->busy && start >= w->first && end <= w->last) sum_add(&row->inside, between(start, end));
    if (row->kind == KIND_NO_HIP) return true;
    if (row->kind == KIND_LOAD && !keep_load(g, process, start, end)) return false;
    return (!g->by_calls && !in_gap(g, process, start, end)) || hold(g, process, row, start, end);
}

static void bind_call(db_cursor_t *c, const char *guid, const void *row)
{
    const call_t *l = row;
    db_again(c, "ttttiiiiiiii", guid, l->name, l->category, kind_names[l->kind], l->time.count,
             sum_total(&l->time), l->time.most, l->first, l->last, l->inside.count,
             sum_total(&l->inside), l->gap_ns);
}

/* ---- the whole ---- */

static const char tables[] =
    "DROP TABLE IF EXISTS temp.res_work; DROP TABLE IF EXISTS temp.res_call; CREATE TEMP TABLE "
    "res_work(guid, first, last, kernel_ns, copy_ns, busy_ns, gaps, idle_ns, longest_ns, "
    "startup_ns, own_ns, own_longest_ns, apart_ns, apart, host_ns, load_ns, asked_ns); CREATE TEMP "
    "TABLE res_call(guid, name, category, kind, calls, time_ns, longest_ns, first, last, inside, "
    "inside_ns, gap_ns)";

static int put_all(gather_t *g)
{
    int result = put_rows(g, "INSERT INTO res_work VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                          g->work, g->process_count, sizeof(work_t), bind_work);
    if (result == 0)
        result = put_rows(g, "INSERT INTO res_call VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", g->rows.rows,
                          g->rows.count, sizeof(call_t), bind_call);
    return result;
}

static void forget_names(gather_t *g)
{
    call_t *calls = g->rows.rows;
    for (size_t i = 0; i < g->rows.count; i++) {
        free(calls[i].name);
        free(calls[i].category);
    }
}

int res_gather_calls(res_run_t *r, bool model_time)
{
    gather_t g = {.run = r, .by_calls = model_time};
    int result = db_run(r->db, tables, what);
    if (result == 0)
        result = each_row(&g,
                          "SELECT guid, start, \"end\", 0 FROM rocpd_kernel_dispatch UNION ALL "
                          "SELECT guid, start, \"end\", 1 FROM rocpd_memory_copy",
                          take_span);
    if (result == 0) find_gaps(&g);
    if (result == 0)
        result = each_row(&g,
                          "SELECT R.guid, R.name_id, E.category_id, R.start, R.\"end\" FROM "
                          "rocpd_region R LEFT JOIN rocpd_event E ON E.id = R.event_id AND E.guid "
                          "= R.guid",
                          take_call);
    if (result == 0) sum_gaps(&g);
    if (result == 0) result = put_all(&g);
    forget_names(&g);
    forget(&g);
    return result;
}
