/* gather_part.c - see gather_part.h. Sums are made in arrays, whose rows are found by a hash of
 * their key; SQLite only reads the records. Spans, gaps and calls of a database are forgotten when
 * its sums are made. */
#include "results/gather_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "model/softgpu.h"
#include "results/gather_columns.h"
#include "rocpd/message.h"

static const char what[] = "summing up records";

typedef enum { OF_KERNEL, OF_COPY, OF_GAP, OF_CALL } span_of_t;

/* For a gap: `filled` is the time up to which it is known what fills the gap, `left` the time that
 * nothing fills. */
typedef struct {
    size_t process;
    int64_t start, end;
    span_of_t of;
    int64_t kernel; /* symbol */
    int64_t filled, left;
} span_t;

/* A call of HIP while the GPU has nothing to do. */
typedef struct {
    size_t process, row; /* row: of the call's call_t */
    int64_t start, end;
} held_t;

/* The kind of a call: that of the first row with which its name begins. */
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

/* Calls that are not HIP's in which the host waits for other ranks begin so. */
static const char *const waiting[] = {"MPI_", "PMPI_", "mpi_"};

/* A copy. */
typedef struct {
    size_t process;
    int64_t stream, start;
} move_t;

typedef struct {
    gather_part_t *part;
    const gather_wanted_t *wanted;
    gather_list_t spans; /* of kernels and copies, then of gaps */
    gather_list_t held;  /* held_t */
    gather_list_t loads; /* span_t of calls that compile and load code */
    gather_list_t waits; /* span_t of calls in which the host waits; only for bins */
    gather_list_t moves; /* move_t */
    db_cursor_t texts;   /* finds two texts by process and ids */
    rocpd_message_t message;
    const db_t *db; /* for it */
    bool by_calls;  /* kernels have another clock than calls: gaps say nothing */
} gather_t;

/* ---- arrays ---- */

static int no_memory(void)
{
    base_error("%s: %s", what, strerror(ENOMEM));
    return -1;
}

void *gather_next(gather_list_t *l, size_t bytes)
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
static void *row_of(gather_table_t *t, const uint64_t *parts, size_t count, size_t bytes)
{
    const uint64_t key = out_numbers_key(0, parts, count);
    const uint64_t found = out_numbers_get(&t->numbers, key);
    if (found) return (char *)t->list.rows + (found - 1) * bytes;
    void *row = gather_next(&t->list, bytes);
    return row && out_numbers_set(&t->numbers, key, t->list.count) ? row : NULL;
}

static gather_work_t *work_of(const gather_t *g, size_t process)
{
    return (gather_work_t *)g->part->work.rows + process;
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
    gather_part_t *p = g->part;
    const char *guid = db_text(c, 0);
    if (*process < p->process_count && strcmp(p->processes[*process], guid) == 0) return 0;
    for (*process = 0; *process < p->process_count; ++*process)
        if (strcmp(p->processes[*process], guid) == 0) return 0;
    char **grown = reallocarray(p->processes, p->process_count + 1, sizeof(*grown));
    if (grown) p->processes = grown;
    gather_work_t *work = grown ? gather_next(&p->work, sizeof(*work)) : NULL;
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

static bool add_span(gather_t *g, const span_t *span)
{
    span_t *row = gather_next(&g->spans, sizeof(*row));
    if (row) *row = *span;
    return row;
}

static bool take_launch(gather_t *g, const db_cursor_t *c, size_t process)
{
    const int64_t start = db_int(c, LAUNCH_START), end = db_int(c, LAUNCH_END);
    const int64_t duration = between(start, end);
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
           add_span(g,
                    &(span_t){.process = process, .start = start, .end = end, .kernel = l.kernel});
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
    row->bytes = sum_of(row->bytes, db_int(c, MOVE_SIZE));
    sum_add(&row->time, between(start, end));
    if (!db_null(c, MOVE_STREAM)) {
        move_t *move = gather_next(&g->moves, sizeof(*move));
        if (!move) return false;
        *move = (move_t){process, db_int(c, MOVE_STREAM), start};
    }
    return add_span(g, &(span_t){.process = process, .start = start, .end = end, .of = OF_COPY});
}

static int read_memory(gather_part_t *p, const db_t *db)
{
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT size FROM rocpd_memory_allocate WHERE type = 'ALLOC' AND level = 'REAL' AND "
            "size IS NOT NULL",
            "");
    while (db_next(&c)) {
        p->allocated = sum_of(p->allocated, db_int(&c, 0));
        p->allocates = true;
    }
    return db_end(&c, what);
}

/* A stream that runs kernels of the program's own: `stream` is the number of the row plus one. */
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

/* Symbols that are kernels of the runtime. */
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

/* ---- bins ---- */

static int by_start(const void *left, const void *right)
{
    const span_t *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* The number of a kernel in its process; RES_BIN_NO_KERNEL if there are more than bins can tell
 * apart. */
static uint8_t number_of(gather_work_t *w, int64_t kernel)
{
    const int64_t *kernels = w->kernels.rows;
    for (size_t i = 0; i < w->kernels.count; i++)
        if (kernels[i] == kernel) return (uint8_t)i;
    int64_t *row =
        w->kernels.count < RES_BIN_NO_KERNEL ? gather_next(&w->kernels, sizeof(*row)) : NULL;
    if (!row) return RES_BIN_NO_KERNEL;
    *row = kernel;
    return (uint8_t)(w->kernels.count - 1);
}

/* Writes the parts of sorted spans of some kinds (bits) that no earlier one covers. Returns their
 * number. */
static size_t pieces_of(res_piece_t *to, gather_work_t *w, const span_t *spans, size_t count,
                        unsigned kinds_wanted)
{
    size_t pieces = 0;
    int64_t until = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const span_t *s = &spans[i];
        const int64_t from = s->start > until ? s->start : until;
        if (!(kinds_wanted & 1u << s->of) || from >= s->end) continue;
        const uint8_t kernel = s->of == OF_KERNEL ? number_of(w, s->kernel) : RES_BIN_NO_KERNEL;
        to[pieces++] = (res_piece_t){from, s->end, kernel};
        until = s->end;
    }
    return pieces;
}

/* Makes the bins of a process from its sorted spans and waits. */
static bool make_bins(gather_t *g, size_t process, const span_t *spans, size_t count,
                      const span_t *waits, size_t wait_count)
{
    enum { KERNELS = 1u << OF_KERNEL, COPIES = 1u << OF_COPY, CALLS = 1u << OF_CALL };
    gather_work_t *w = work_of(g, process);
    res_piece_t *all = malloc((3 * count + 2 * wait_count + 1) * sizeof(*all)), *at = all;
    if (!all) return false;
    const res_pieces_t kernels = {at, pieces_of(at, w, spans, count, KERNELS)};
    at += kernels.count;
    const res_pieces_t copies = {at, pieces_of(at, w, spans, count, COPIES)};
    at += copies.count;
    const res_pieces_t busy = {at, pieces_of(at, w, spans, count, KERNELS | COPIES)};
    at += busy.count;
    const res_pieces_t calls = {at, pieces_of(at, w, waits, wait_count, CALLS)};
    res_piece_t *left = malloc((busy.count + calls.count + 1) * sizeof(*left));
    const res_pieces_t idle = {left, left ? res_pieces_without(left, &calls, &busy) : 0};
    w->wait_ns = res_pieces_time(&idle);
    const bool made =
        left && res_bins_make(&w->bins, gather_first(w), gather_last(w), &kernels, &copies, &idle);
    free(left);
    free(all);
    return made;
}

static bool make_all_bins(gather_t *g, const span_t *spans, size_t count)
{
    span_t *waits = g->waits.rows;
    size_t span = 0, wait = 0;
    if (g->waits.count) qsort(waits, g->waits.count, sizeof(*waits), by_start);
    for (size_t process = 0; process < g->part->process_count; process++) {
        const size_t first_span = span, first_wait = wait;
        while (span < count && spans[span].process == process)
            span++;
        while (wait < g->waits.count && waits[wait].process == process)
            wait++;
        if (!make_bins(g, process, spans + first_span, span - first_span, waits + first_wait,
                       wait - first_wait))
            return false;
    }
    return true;
}

/* ---- gaps ---- */

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
    for (size_t i = 0; i < g->spans.count; i++) {
        const span_t span = spans[i];
        const bool begins = span.process != process;
        gather_work_t *w = work_of(g, span.process);
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
    gather_call_t *row = (gather_call_t *)g->part->calls.list.rows + h->row;
    for (size_t i = gap_behind(g, h->process, h->start);
         i < g->spans.count && gaps[i].process == h->process && gaps[i].start < h->end; i++) {
        span_t *gap = &gaps[i];
        const int64_t from = h->start > gap->filled ? h->start : gap->filled;
        const int64_t to = h->end < gap->end ? h->end : gap->end;
        if (from >= to) continue;
        const int64_t part = between(from, to);
        const bool first = h->start == row->first && row->kind != GATHER_SYNC;
        int64_t *sum = first ? &work_of(g, h->process)->startup_ns : &row->gap_ns;
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
    const gather_call_t *rows = g->part->calls.list.rows;
    int64_t since = 0, own = 0; /* own: time since the wait in no call */
    bool waits = false;         /* the GPU has nothing to do: all work has been waited for */
    for (size_t i = 0; i < g->held.count; i++) {
        const held_t *h = &held[i];
        const gather_kind_t kind = rows[h->row].kind;
        gather_work_t *w = work_of(g, h->process);
        const bool begins = !i || held[i - 1].process != h->process;
        if (begins) waits = false;
        if (kind == GATHER_LAUNCH && !w->asked) w->asked = h->start;
        if (kind == GATHER_SYNC || kind == GATHER_COPY) w->done = h->end;
        if (waits && h->start > since) own = sum_of(own, between(since, h->start));
        if (waits && w->asked && (kind == GATHER_LAUNCH || kind >= GATHER_COPY))
            sum_add(&w->apart, own);
        if (kind == GATHER_SYNC || kind == GATHER_COPY) {
            since = h->end;
            own = 0;
            waits = true;
        } else if (kind != GATHER_OTHER && kind != GATHER_ALLOC) {
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
        cover(&work_of(g, loads[i].process)->load_ns, &until, &loads[i],
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
        sum_add(&work_of(g, gaps[i].process)->own, gaps[i].left);
    if (g->by_calls) find_apart(g);
    sum_loads(g);
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

/* Finds the texts of a call's ids; "" for those that there are not. False without memory. */
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
    held_t *h = gather_next(&g->held, sizeof(*h));
    if (h)
        *h = (held_t){process, (size_t)(row - (const gather_call_t *)g->part->calls.list.rows),
                      start, end};
    return h;
}

static bool keep(gather_list_t *spans, size_t process, int64_t start, int64_t end)
{
    span_t *span = gather_next(spans, sizeof(*span));
    if (span) *span = (span_t){.process = process, .start = start, .end = end, .of = OF_CALL};
    return span;
}

static void widen_host(gather_work_t *w, int64_t start, int64_t end)
{
    if (!w->called || start < w->host_first) w->host_first = start;
    if (!w->called || end > w->host_last) w->host_last = end;
    w->called = true;
}

/* Adds a record to the sums of the program's own text. */
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

/* The program's own text of a call, or NULL. */
static const char *text_of(gather_t *g, const db_cursor_t *c)
{
    const char *text = NULL;
    if (rocpd_message(&g->message, g->db, c, CALL_EXTDATA, &text)) return text;
    db_drop(&g->message.extract); /* what is no JSON has no text */
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
    gather_work_t *w = work_of(g, process);
    widen_host(w, start, end);
    sum_add(&row->time, between(start, end));
    if (g->wanted->bins && !text)
        sum_add(&row->plain, between(start, end));
    else if (text && !take_range(g, row, text, between(start, end)))
        return false;
    if (start < row->first) row->first = start;
    if (end > row->last) row->last = end;
    if (w->busy && start >= w->first && end <= w->last) sum_add(&row->inside, between(start, end));
    if (row->waits && g->wanted->bins && !keep(&g->waits, process, start, end)) return false;
    if (row->kind == GATHER_NO_HIP) return true;
    if (row->kind == GATHER_LOAD && !keep(&g->loads, process, start, end)) return false;
    return (!g->by_calls && !in_gap(g, process, start, end)) || hold(g, process, row, start, end);
}

/* ---- ranks ---- */

/* A number in the settings of a process, which are JSON; -1: there is none. */
#define SETTING(name)                                                                              \
    "COALESCE(iif(json_valid(P.extdata), json_extract(P.extdata, '$." name "'), -1), -1)"

static bool take_rank(gather_t *g, const db_cursor_t *c, size_t process)
{
    gather_rank_t *r = &work_of(g, process)->rank;
    *r = (gather_rank_t){.pid = db_uint(c, 1), .rank = db_int(c, 3), .ranks = db_int(c, 4)};
    if (r->ranks <= 1) r->rank = r->ranks = -1; /* settings tell of each process that it is one */
    r->host = strdup(db_text(c, 2));
    return r->host;
}

/* Metadata belong to a database, so that they tell of its process only if it is alone. Databases
 * without the id of the boot have the host's name instead. */
static int read_metadata(gather_t *g, const db_t *db)
{
    gather_work_t *w = work_of(g, 0);
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

/* Whether times of kernels are those of softgpu's model. */
static int ask_model(gather_t *g, const db_t *db)
{
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT 1 FROM rocpd_info_agent WHERE model_name LIKE '%" OUT_MODEL_TIME "%' LIMIT 1",
            "");
    g->by_calls = db_next(&c);
    return db_end(&c, what);
}

/* Reads copies and calls, and finds gaps between kernels and copies. */
static int read_all(gather_t *g, const db_t *db)
{
    static const char texts[] =
        "SELECT id, string FROM rocpd_string WHERE guid = ?1 AND id IN (?2, ?3)";
    db_rows(&g->texts, db, texts, "");
    int result = ask_model(g, db);
    if (result == 0) result = each_record(g, db, &gather_copies, take_copy);
    if (result == 0) result = find_streams(g, db);
    if (g->spans.count) qsort(g->spans.rows, g->spans.count, sizeof(span_t), by_start);
    /* bins need the spans, calls the gaps between them */
    span_t *spans =
        g->wanted->bins && g->spans.count ? malloc(g->spans.count * sizeof(*spans)) : NULL;
    const size_t count = spans ? g->spans.count : 0;
    if (spans) memcpy(spans, g->spans.rows, count * sizeof(*spans));
    find_gaps(g);
    if (result == 0) result = read_calls(g, db);
    if (result == 0) sum_gaps(g);
    if (result == 0 && g->wanted->bins && !make_all_bins(g, spans, count)) result = no_memory();
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
