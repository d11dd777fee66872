/* read.c - reads a rank in a worker: calls of MPI and ranges in order, sums of kernels and
 * copies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "rocpd/message.h"
#include "rocpd/texts.h"
#include "waits/internal.h"

/* ---- ranges: a rank's phases, and the time in them without MPI ---- */

enum { DEPTH = 64 };

typedef struct {
    uint64_t end, inside; /* `inside`: time in MPI */
    uint64_t start;
    int64_t name;
} phase_t;

typedef struct {
    wts_rows_t *rows;
    phase_t open[DEPTH];
    unsigned depth;
} phases_t;

/* Ends the phases that are over at this time. */
static void leave(phases_t *p, uint64_t now)
{
    while (p->depth && p->open[p->depth - 1].end <= now) {
        const phase_t *at = &p->open[--p->depth];
        const uint64_t ns = at->end - at->start;
        if (!wts_add_time(&p->rows->sums.phases, &p->rows->sums.phase_room, at->name, 1,
                          ns > at->inside ? ns - at->inside : 0))
            p->rows->failed = true;
    }
}

static void enter(phases_t *p, const char *name, uint64_t start, uint64_t end)
{
    leave(p, start);
    if (p->depth == DEPTH || end <= start) return;
    p->open[p->depth++] =
        (phase_t){.start = start, .end = end, .name = wts_word(&p->rows->phases, name)};
}

static void pass(phases_t *p, uint64_t start, uint64_t end)
{
    leave(p, start);
    for (unsigned i = 0; i < p->depth; i++)
        if (end <= p->open[i].end) p->open[i].inside += end - start;
}

/* ---- calls ---- */

/* How the rows of a category are used; rows of other categories are only part of the work. */
typedef enum { IS_OTHER, IS_CALL, IS_RANGE } category_t;

/* A call or a range. */
typedef struct {
    uint64_t event, start, end, stack;
    uint32_t name; /* index in `kinds` */
    int32_t range; /* number of the range's name; -1: none */
    category_t category;
} region_t;

/* The properties of a call's name; many calls share few names. */
typedef struct {
    const trace_mpi_function_t *f; /* of MPI or RCCL */
    bool rccl;
    wts_call_kind_t work;
} kind_t;

/* The values of calls, in the order of the calls. */
typedef struct {
    db_cursor_t rows;
    bool more, sorted;
    uint64_t event, position; /* of the row before */
    bool disordered;          /* the rows are not in this order */
} beside_t;

typedef struct {
    const db_t *db;
    const char *guid;
    const trace_clock_map_t *clock;
    rocpd_texts_t texts;
    kind_t *kinds; /* of the texts, by index */
    region_t *regions;
    size_t region_count, region_room;
    wts_words_t ranges;
    wts_rows_t rows;
    wts_work_t work;
} reader_t;

enum { REST_BYTES = TRACE_WORDS_MAX * 8 - sizeof(trace_mpi_t) };

/* A record with room for the data that follows it. */
typedef struct {
    trace_mpi_t record;
    char rest[REST_BYTES];
} whole_t;

static category_t category_of(const char *name)
{
    if (!name) return IS_OTHER;
    if (strcmp(name, TRACE_MPI_KIND_NAME) == 0 || strcmp(name, "RCCL_API") == 0) return IS_CALL;
    return strcmp(name, "MARKER_CORE_RANGE_API") == 0 ? IS_RANGE : IS_OTHER;
}

static bool find_kinds(reader_t *d)
{
    d->kinds = calloc(d->texts.count + 1, sizeof(*d->kinds));
    for (size_t i = 0; d->kinds && i < d->texts.count; i++) {
        const trace_mpi_function_t *rccl = wts_rccl_find(d->texts.rows[i]);
        d->kinds[i] = (kind_t){.f = rccl ? rccl : trace_mpi_find(d->texts.rows[i]),
                               .rccl = rccl,
                               .work = wts_call_kind(d->texts.rows[i])};
    }
    return d->kinds;
}

/* Columns of a call: those of the record, then those of its event. */
enum { REGION_START = DB_RECORD_REST, REGION_END, REGION_NAME, REGIONS };
enum { EVENT_STACK = REGIONS + 1, EVENT_CATEGORY, EVENT_EXTDATA };

static const db_wanted_t region_columns[] = {
    {.name = "guid", .text = true},      {.name = "event_id"},
    [REGION_START] = {.name = "start"},  [REGION_END] = {.name = "end"},
    [REGION_NAME] = {.name = "name_id"},
};
static const db_wanted_t event_columns[] = {
    {.name = "guid", .text = true},
    {.name = "stack_id"},
    {.name = "category_id"},
    {.name = "extdata", .text = true},
};
/* The path needs no names of ranges. */
static const db_records_t of_calls = {"rocpd_region",   region_columns, event_columns, REGIONS, 4,
                                      .by_event = false};
static const db_records_t of_path = {"rocpd_region",   region_columns, event_columns, REGIONS, 3,
                                     .by_event = false};

static int by_event(const void *a, const void *b)
{
    const region_t *x = a, *y = b;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Sorts the regions by event. They are almost in this order: a range comes after the calls inside
 * it. */
static void sort_regions(reader_t *d)
{
    enum { MOVES = 32 };
    size_t moves = 0;
    for (size_t i = 1; i < d->region_count; i++) {
        const region_t row = d->regions[i];
        size_t at = i;
        for (; at && d->regions[at - 1].event > row.event; at--, moves++)
            d->regions[at] = d->regions[at - 1];
        d->regions[at] = row;
        if (moves <= MOVES * (i + MOVES)) continue;
        qsort(d->regions, d->region_count, sizeof(*d->regions), by_event);
        return;
    }
}

/* Reads all calls and ranges; for the path, also the host's operations. */
static int read_regions(reader_t *d, bool path)
{
    db_cursor_t c;
    rocpd_message_t message = {0};
    uint64_t last = 0;
    category_t category = IS_OTHER;
    bool good = true;
    db_records(&c, d->db, path ? &of_path : &of_calls, d->guid);
    while (good && !d->rows.failed && db_next(&c)) {
        const uint64_t name = out_numbers_get(&d->texts.places, db_uint(&c, REGION_NAME));
        const char *text = NULL;
        if (!name) continue;
        if (db_uint(&c, EVENT_CATEGORY) != last)
            category = category_of(rocpd_text(&d->texts, last = db_uint(&c, EVENT_CATEGORY)));
        region_t r = {.event = db_uint(&c, DB_RECORD_EVENT),
                      .start = trace_clock_map(d->clock, db_uint(&c, REGION_START)),
                      .end = trace_clock_map(d->clock, db_uint(&c, REGION_END)),
                      .stack = db_uint(&c, EVENT_STACK),
                      .name = (uint32_t)name - 1,
                      .range = -1,
                      .category = category};
        if (category == IS_RANGE && !path)
            good = rocpd_message(&message, d->db, &c, EVENT_EXTDATA, &text);
        if (text) r.range = (int32_t)wts_word(&d->ranges, text);
        if ((text && r.range < 0) || !BASE_GROW(d->regions, d->region_count, &d->region_room))
            d->rows.failed = true;
        else
            d->regions[d->region_count++] = r;
    }
    sort_regions(d);
    const int result = db_end(&c, "reading calls");
    return rocpd_message_end(&message, "reading calls") != 0 ? -1 : result;
}

static void read_host(reader_t *d)
{
    for (size_t i = 0; i < d->region_count; i++) {
        const region_t *r = &d->regions[i];
        if (r->category != IS_RANGE)
            wts_work_call(&d->work, &d->rows, &d->kinds[r->name].work, r->stack, r->start, r->end);
    }
}

/* ---- values of calls ---- */

/* Columns of a value. */
enum { ARG_POSITION = DB_RECORD_REST, ARG_NAME, ARG_VALUE, ARGS };

static const db_wanted_t arg_columns[] = {
    {.name = "guid", .text = true},
    {.name = "event_id"},
    [ARG_POSITION] = {.name = "position"},
    [ARG_NAME] = {.name = "name", .text = true},
    [ARG_VALUE] = {.name = "value", .text = true},
};
static const db_records_t args = {"rocpd_arg", arg_columns, NULL, ARGS, 0, .alone = true};

static void begin_beside(beside_t *b, const reader_t *d, bool sorted)
{
    *b = (beside_t){.sorted = sorted};
    if (sorted) /* the columns are those of `args` */
        db_rows(&b->rows, d->db,
                "SELECT guid, event_id, position, name, value FROM rocpd_arg WHERE guid = ? ORDER "
                "BY event_id, position",
                "t", d->guid);
    else
        db_records(&b->rows, d->db, &args, d->guid);
    b->more = db_next(&b->rows);
}

static void next_beside(beside_t *b)
{
    const uint64_t event = db_uint(&b->rows, DB_RECORD_EVENT);
    const uint64_t position = db_uint(&b->rows, ARG_POSITION);
    if (event < b->event || (event == b->event && position < b->position))
        b->disordered = !b->sorted;
    b->event = event;
    b->position = position;
    b->more = db_next(&b->rows);
}

/* Adds a call of MPI or RCCL with its values. */
static void take_call(const reader_t *d, const region_t *region, beside_t *b, whole_t *whole,
                      wts_reading_t *reading, phases_t *phases, const wts_rccl_t *rccl)
{
    const kind_t *kind = &d->kinds[region->name];
    trace_mpi_t *r = &whole->record;
    *r = (trace_mpi_t){.call = {.start = region->start, .end = region->end}, TRACE_MPI_NO_NUMBERS};
    while (b->more && db_uint(&b->rows, DB_RECORD_EVENT) < region->event)
        next_beside(b);
    for (; b->more && db_uint(&b->rows, DB_RECORD_EVENT) == region->event; next_beside(b))
        if (kind->f && *db_text(&b->rows, ARG_VALUE))
            trace_mpi_set(r, db_text(&b->rows, ARG_NAME), db_text(&b->rows, ARG_VALUE), whole->rest,
                          REST_BYTES);
    if (!kind->f || r->call.end < r->call.start) return;
    if (kind->rccl) {
        wts_rccl_time(rccl, region->stack, r);
        wts_rccl_call(reading, kind->f, r);
        return;
    }
    r->call.head = trace_head(TRACE_MPI, TRACE_KIND_MPI_API, trace_mpi_number(kind->f), 0,
                              sizeof(*r) + trace_mpi_rest_bytes(r));
    wts_call(reading, kind->f, r);
    pass(phases, r->call.start, r->call.end);
}

/* Adds calls of MPI and RCCL and ranges. Returns 1 if their values have to be sorted first. */
static int read_calls(reader_t *d, const wts_rccl_t *rccl, bool sorted)
{
    wts_reading_t reading = {.rows = &d->rows};
    phases_t phases = {.rows = &d->rows};
    beside_t b;
    whole_t *whole = malloc(sizeof(*whole));
    if (!whole) d->rows.failed = true;
    begin_beside(&b, d, sorted);
    for (size_t i = 0; whole && i < d->region_count && !d->rows.failed && !b.disordered; i++) {
        const region_t *r = &d->regions[i];
        if (r->category == IS_CALL)
            take_call(d, r, &b, whole, &reading, &phases, rccl);
        else if (r->range >= 0)
            enter(&phases, d->ranges.rows[r->range], r->start, r->end);
    }
    while (!sorted && b.more && !b.disordered)
        next_beside(&b);
    leave(&phases, UINT64_MAX);
    wts_reading_end(&reading);
    free(whole);
    return db_end(&b.rows, "reading values of calls") != 0 ? -1 : b.disordered;
}

/* Sums the times of kernels and copies. */
static void sum_work(reader_t *d)
{
    wts_rank_t *sums = &d->rows.sums;
    for (size_t i = 0; i < d->work.operation_count; i++) {
        const wts_operation_t *o = &d->work.operations[i];
        if (o->name == WTS_IS_COPY) {
            sums->copies.count++;
            sums->copies.ns += o->end - o->start;
        } else if (o->name >= 0 && !wts_add_time(&sums->kernels, &sums->kernel_room, o->name, 1,
                                                 o->end - o->start)) {
            d->rows.failed = true;
        }
    }
}

/* ---- a rank ---- */

static int read_all_of(reader_t *d, bool path)
{
    wts_rccl_t rccl = {0};
    int result = rocpd_texts_read(&d->texts, d->db, d->guid);
    if (result == 0 && !find_kinds(d)) d->rows.failed = true;
    if (result == 0 && d->kinds) result = read_regions(d, path);
    if (result == 0 && !path) result = wts_rccl_read(&rccl, &d->rows, d->db, d->guid, d->clock);
    if (result == 0 && !path) result = read_calls(d, &rccl, false);
    if (result == 1) {
        wts_rows_free(&d->rows);
        result = read_calls(d, &rccl, true);
    }
    if (result == 0) read_host(d);
    if (result == 0) result = wts_work_read(&d->work, &d->rows, d->db, d->guid, d->clock);
    wts_rccl_free(&rccl);
    if (!d->rows.failed) return result;
    base_error("%s", strerror(ENOMEM));
    return -1;
}

static void free_reader(reader_t *d)
{
    rocpd_texts_free(&d->texts);
    wts_words_free(&d->ranges);
    wts_work_free(&d->work);
    wts_rows_free(&d->rows);
    free(d->kinds);
    free(d->regions);
}

int wts_read_rank(FILE *to, const db_t *db, const char *guid, const trace_clock_map_t *clock)
{
    reader_t d = {.db = db, .guid = guid, .clock = clock};
    int result = read_all_of(&d, false);
    if (result == 0) {
        sum_work(&d);
        wts_work_waits(&d.work, &d.rows);
        if (d.rows.failed) base_error("%s", strerror(ENOMEM));
        if (d.rows.failed) result = -1;
    }
    if (result == 0) wts_rows_put(to, &d.rows);
    free_reader(&d);
    return result;
}

int wts_read_path(FILE *to, const db_t *db, const char *guid, const trace_clock_map_t *clock,
                  const wts_tracing_t *t, uint32_t rank)
{
    reader_t d = {.db = db, .guid = guid, .clock = clock};
    int result = read_all_of(&d, true);
    if (result == 0 && !wts_path_put(to, t, rank, &d.work, &d.rows.kernels)) {
        base_error("%s", strerror(ENOMEM));
        result = -1;
    }
    free_reader(&d);
    return result;
}
