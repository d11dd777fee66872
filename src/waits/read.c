/* read.c - what is read of a database: calls of MPI and ranges in order, sums of kernels and
 * copies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "db/clocks.h"
#include "rocpd/texts.h"
#include "waits/internal.h"

const char *const wts_part_kinds[WTS_PARTS] = {[WTS_KERNEL] = "kernel",
                                               [WTS_COPY] = "copy",
                                               [WTS_LAUNCH] = "launching",
                                               [WTS_MPI] = "MPI",
                                               [WTS_HOST] = "host"};

const char *const wts_kinds[] = {[WTS_COLLECTIVE] = "late in collectives",
                                 [WTS_SENDER] = "late sender",
                                 [WTS_RECEIVER] = "late receiver",
                                 [WTS_PHASE] = "imbalance",
                                 [WTS_BARRIER] = "needless barrier"};

static uint64_t key_of(const char *name)
{
    uint64_t key = 5381;
    for (const char *at = name; *at; at++)
        key = out_mix(key ^ (unsigned char)*at);
    return key;
}

int64_t wts_word_find(const wts_words_t *words, const char *name)
{
    uint64_t place;
    for (uint64_t key = key_of(name); (place = out_numbers_get(&words->places, key)); key++)
        if (strcmp(words->rows[place - 1], name) == 0) return (int64_t)place - 1;
    return -1;
}

int64_t wts_word(wts_words_t *words, const char *name)
{
    const int64_t known = wts_word_find(words, name);
    uint64_t key = key_of(name);
    if (known >= 0) return known;
    while (out_numbers_get(&words->places, key))
        key++;
    if (!base_add_text(&words->rows, &words->count, name)) return -1;
    return out_numbers_set(&words->places, key, words->count) ? (int64_t)words->count - 1 : -1;
}

void wts_words_free(wts_words_t *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->rows[i]);
    free(words->rows);
    free(words->places.rows);
}

bool wts_add_time(wts_time_t **times, size_t *room, int64_t number, uint64_t count, uint64_t ns)
{
    if (number < 0) return false;
    if ((size_t)number >= *room) {
        const size_t more = (size_t)number + 16;
        wts_time_t *rows = realloc(*times, more * sizeof(*rows));
        if (!rows) return false;
        memset(rows + *room, 0, (more - *room) * sizeof(*rows));
        *times = rows;
        *room = more;
    }
    (*times)[number].count += count;
    (*times)[number].ns += ns;
    return true;
}

/* ---- ranges: a rank's phases, and the time in them without MPI ---- */

enum { DEPTH = 64 };

typedef struct {
    uint64_t end, inside; /* inside: time of MPI */
    uint64_t start;
    int64_t name;
} phase_t;

typedef struct {
    wts_state_t *s;
    wts_rank_t *rank;
    phase_t open[DEPTH];
    unsigned depth;
} phases_t;

/* Ends the phases that are over at a time. */
static void leave(phases_t *p, uint64_t now)
{
    while (p->depth && p->open[p->depth - 1].end <= now) {
        const phase_t *at = &p->open[--p->depth];
        const uint64_t ns = at->end - at->start;
        if (!wts_add_time(&p->rank->phases, &p->rank->phase_room, at->name, 1,
                          ns > at->inside ? ns - at->inside : 0))
            p->s->failed = true;
    }
}

static void enter(phases_t *p, const char *name, uint64_t start, uint64_t end)
{
    leave(p, start);
    if (p->depth == DEPTH || end <= start) return;
    p->open[p->depth++] =
        (phase_t){.start = start, .end = end, .name = wts_word(&p->s->w->names->phases, name)};
}

static void pass(phases_t *p, uint64_t start, uint64_t end)
{
    leave(p, start);
    for (unsigned i = 0; i < p->depth; i++)
        if (end <= p->open[i].end) p->open[i].inside += end - start;
}

/* ---- calls ---- */

typedef struct {
    db_cursor_t rows;
    bool more;
} beside_t;

typedef struct {
    const db_t *db;
    const char *guid;
    wts_reading_t reading;
    phases_t phases;
    void *rest; /* what stands behind a record */
    const trace_clock_map_t *clock;
    wts_rccl_t rccl;
    rocpd_texts_t texts;
    wts_work_t work;
} reader_t;

enum { REST_BYTES = TRACE_WORDS_MAX * 8 - sizeof(trace_mpi_t) };

/* A row of MPI or RCCL, with the values that stand beside it. */
static void take_call(reader_t *d, const char *name, const db_cursor_t *row, beside_t *b)
{
    const trace_mpi_function_t *rccl = wts_rccl_find(name);
    const trace_mpi_function_t *f = rccl ? rccl : trace_mpi_find(name);
    const uint64_t event = db_uint(row, 0);
    trace_mpi_t r = {.call = {.start = trace_clock_map(d->clock, db_uint(row, 3)),
                              .end = trace_clock_map(d->clock, db_uint(row, 4))},
                     .rank = TRACE_MPI_NONE,
                     .size = TRACE_MPI_NONE,
                     .destination = TRACE_MPI_NONE,
                     .send_tag = TRACE_MPI_NONE,
                     .source = TRACE_MPI_NONE,
                     .receive_tag = TRACE_MPI_NONE,
                     .root = TRACE_MPI_NONE};
    while (b->more && db_uint(&b->rows, 0) < event)
        b->more = db_next(&b->rows);
    for (; b->more && db_uint(&b->rows, 0) == event; b->more = db_next(&b->rows))
        if (*db_text(&b->rows, 2))
            trace_mpi_set(&r, db_text(&b->rows, 1), db_text(&b->rows, 2), d->rest, REST_BYTES);
    if (!f || r.call.end < r.call.start) return;
    if (rccl) {
        wts_rccl_time(&d->rccl, db_uint(row, 6), &r);
        wts_rccl_call(&d->reading, rccl, &r);
        return;
    }
    const size_t bytes = trace_mpi_rest_bytes(&r);
    trace_mpi_t *whole = (trace_mpi_t *)d->rest - 1;
    r.call.head =
        trace_head(TRACE_MPI, TRACE_KIND_MPI_API, trace_mpi_number(f), 0, sizeof(r) + bytes);
    *whole = r;
    wts_call(&d->reading, f, whole);
    pass(&d->phases, r.call.start, r.call.end);
}

/* What is done with the rows of a category; others are left to the work alone. */
typedef enum { IS_OTHER, IS_CALL, IS_RANGE } category_t;

static category_t category_of(const char *name)
{
    if (strcmp(name, TRACE_MPI_KIND_NAME) == 0 || strcmp(name, "RCCL_API") == 0) return IS_CALL;
    return strcmp(name, "MARKER_CORE_RANGE_API") == 0 ? IS_RANGE : IS_OTHER;
}

/* All calls and ranges in their order; for the path only what the host does. */
static int read_calls(reader_t *d, bool path)
{
    beside_t b = {0};
    db_cursor_t rows;
    uint64_t last = 0;
    category_t category = IS_OTHER;
    db_rows(
        &rows, d->db,
        "SELECT E.id, R.name_id, E.category_id, R.start, R.\"end\", iif(E.extdata = '{}', NULL, "
        "JSON_EXTRACT(E.extdata, '$.message')), E.stack_id FROM rocpd_region R JOIN "
        "rocpd_event E ON E.id = R.event_id AND E.guid = R.guid WHERE R.guid = ? ORDER BY E.id",
        "t", d->guid);
    if (!path)
        db_rows(&b.rows, d->db,
                "SELECT event_id, name, value FROM rocpd_arg WHERE guid = ? ORDER BY event_id, "
                "position",
                "t", d->guid);
    b.more = !path && db_next(&b.rows);
    while (!d->reading.s->failed && db_next(&rows)) {
        const char *name = rocpd_text(&d->texts, db_uint(&rows, 1));
        const uint64_t start = trace_clock_map(d->clock, db_uint(&rows, 3));
        const uint64_t end = trace_clock_map(d->clock, db_uint(&rows, 4));
        if (!name) continue;
        if (db_uint(&rows, 2) != last) {
            const char *text = rocpd_text(&d->texts, last = db_uint(&rows, 2));
            category = text ? category_of(text) : IS_OTHER;
        }
        if (category != IS_RANGE)
            wts_work_call(&d->work, d->reading.s, name, db_uint(&rows, 6), start, end);
        if (category == IS_CALL && !path)
            take_call(d, name, &rows, &b);
        else if (category == IS_RANGE && !path && !db_null(&rows, 5))
            enter(&d->phases, db_text(&rows, 5), start, end);
    }
    if (!path) leave(&d->phases, UINT64_MAX);
    const int result = db_end(&rows, "reading calls");
    return !path ? db_end(&b.rows, "reading values of calls") | result : result;
}

static int read_work(reader_t *d)
{
    return wts_work_read(&d->work, d->reading.s, d->db, d->guid, d->clock);
}

/* How long kernels and copies took. */
static void sum_work(reader_t *d)
{
    wts_rank_t *rank = d->phases.rank;
    for (size_t i = 0; i < d->work.operation_count; i++) {
        const wts_operation_t *o = &d->work.operations[i];
        if (o->name == WTS_IS_COPY) {
            rank->copies.count++;
            rank->copies.ns += o->end - o->start;
        } else if (o->name >= 0 && !wts_add_time(&rank->kernels, &rank->kernel_room, o->name, 1,
                                                 o->end - o->start)) {
            d->reading.s->failed = true;
        }
    }
}

/* ---- processes ---- */

/* Of all processes, by the order of the files: what is known of their clocks, and how times change.
 */
typedef struct {
    char **guids;
    trace_clock_facts_t *facts;
    trace_clock_map_t *maps;
    size_t count, facts_count;
} clocks_t;

typedef struct {
    wts_state_t *s;
    const rocpd_files_t *files;
    enum { CLOCKS, CALLS, PATH } pass;
    clocks_t clocks;
    wts_tracing_t tracing;
    char *memory;
} all_t;

static int note_clock(all_t *a, const db_t *db, const char *guid)
{
    clocks_t *c = &a->clocks;
    if (!BASE_GROW_BY_ONE(c->facts, c->facts_count) || !base_add_text(&c->guids, &c->count, guid)) {
        a->s->failed = true;
        return -1;
    }
    return db_clock_facts(db, guid, &c->facts[c->facts_count++]);
}

/* One clock for all nodes, as far as it is known. */
static void plan_clocks(all_t *a)
{
    clocks_t *c = &a->clocks;
    c->maps = calloc(c->count + 1, sizeof(*c->maps));
    const int changed = c->maps ? trace_clock_plan(c->facts, c->facts_count, c->maps) : -1;
    if (changed < 0) a->s->failed = true;
    a->s->w->mapped = changed > 0;
    for (size_t i = 0; changed > 0 && i < c->count; i++) {
        if (c->maps[i].error_ns > a->s->w->clock_error_ns)
            a->s->w->clock_error_ns = c->maps[i].error_ns;
        a->s->w->clocks_guessed |=
            c->maps[i].source == TRACE_CLOCK_DAY || c->maps[i].source == TRACE_CLOCK_ALONE;
    }
}

static const trace_clock_map_t *clock_of(const all_t *a, const char *guid)
{
    static const trace_clock_map_t same = {.source = TRACE_CLOCK_SAME};
    for (size_t i = 0; i < a->clocks.count; i++)
        if (strcmp(a->clocks.guids[i], guid) == 0) return &a->clocks.maps[i];
    return &same;
}

static void free_clocks(clocks_t *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->guids[i]);
    free(c->guids);
    free(c->facts);
    free(c->maps);
}

/* What the launcher has told of the rank, of a process that calls RCCL; returns as rank_of(). */
static int64_t rank_told(const db_t *db, const char *guid, int64_t *size)
{
    static const char sql[] =
        "SELECT (SELECT value FROM rocpd_metadata WHERE tag = 'rank'), (SELECT value FROM "
        "rocpd_metadata WHERE tag = 'ranks') FROM rocpd_region R JOIN rocpd_event E ON E.id = "
        "R.event_id AND E.guid = R.guid JOIN rocpd_string C ON C.id = E.category_id AND C.guid = "
        "E.guid WHERE R.guid = ? AND C.string = 'RCCL_API' LIMIT 1";
    db_cursor_t rows;
    int64_t rank = -1;
    db_rows(&rows, db, sql, "t", guid);
    if (db_next(&rows) && !db_null(&rows, 0)) {
        rank = strtol(db_text(&rows, 0), NULL, 10);
        *size = strtol(db_text(&rows, 1), NULL, 10);
    }
    return db_end(&rows, "looking for the rank") != 0 ? -2 : rank;
}

/* The rank of a process in MPI_COMM_WORLD, by its first call with that, or as the launcher has told
 * it; *size: of all. -1: it has none; -2: an error. */
static int64_t rank_of(const db_t *db, const char *guid, int64_t *size)
{
    static const char sql[] =
        "SELECT A.value, B.value FROM rocpd_arg W JOIN rocpd_arg A ON A.event_id = W.event_id AND "
        "A.guid = W.guid AND A.name = 'rank' JOIN rocpd_arg B ON B.event_id = W.event_id AND "
        "B.guid = W.guid AND B.name = 'size' WHERE W.guid = ? AND W.name = 'communicator' AND "
        "W.value = 'MPI_COMM_WORLD' LIMIT 1";
    db_cursor_t rows;
    int64_t rank = -1;
    db_rows(&rows, db, sql, "t", guid);
    if (db_next(&rows)) {
        rank = strtol(db_text(&rows, 0), NULL, 10);
        *size = strtol(db_text(&rows, 1), NULL, 10);
    }
    if (db_end(&rows, "looking for the rank") != 0) return -2;
    return rank < 0 ? rank_told(db, guid, size) : rank;
}

static wts_rank_t *new_rank(all_t *a, int64_t rank, int64_t size, const char *file)
{
    wts_t *w = a->s->w;
    for (size_t i = 0; i < w->rank_count; i++)
        if (w->ranks[i].rank == rank) {
            if (a->s->tell)
                base_warning("%s: rank %d is in %s already: left out", file, (int)rank,
                             w->ranks[i].file);
            return NULL;
        }
    if (!BASE_GROW_BY_ONE(w->ranks, w->rank_count) ||
        !BASE_GROW_BY_ONE(a->s->waits, a->s->waits_count)) {
        a->s->failed = true;
        return NULL;
    }
    a->s->waits[a->s->waits_count++] = (wts_waits_t){0};
    wts_rank_t *r = &w->ranks[w->rank_count];
    *r = (wts_rank_t){
        .rank = (int32_t)rank, .size = (int32_t)size, .file = strdup(file), .victim = -1};
    if (!r->file) a->s->failed = true;
    w->rank_count++;
    return r;
}

static int read_rank(reader_t *d, uint32_t index)
{
    wts_state_t *s = d->reading.s;
    d->phases = (phases_t){.s = s, .rank = &s->w->ranks[index]};
    int result = wts_rccl_read(&d->rccl, s, d->db, d->guid, d->clock);
    if (result == 0) result = read_calls(d, false);
    if (result == 0) result = read_work(d);
    if (result == 0) sum_work(d);
    if (result == 0) wts_work_waits(&d->work, s, index);
    wts_rccl_free(&d->rccl);
    wts_reading_end(&d->reading);
    return result;
}

/* What a rank does on the path. */
static int read_path(all_t *a, reader_t *d, uint32_t index)
{
    int result = read_calls(d, true);
    if (result == 0) result = read_work(d);
    if (result == 0) wts_path_add(&a->tracing, index, &d->work);
    return result;
}

static int read_process(all_t *a, const db_t *db, const char *guid, const char *file)
{
    reader_t d = {.db = db, .guid = guid, .rest = a->memory + sizeof(trace_mpi_t)};
    int64_t size = 0;
    if (a->pass == CLOCKS) return note_clock(a, db, guid);
    d.clock = clock_of(a, guid);
    const int64_t rank = rank_of(db, guid, &size);
    if (rank < 0) return rank == -2 ? -1 : 0;
    wts_t *w = a->s->w;
    uint32_t index = (uint32_t)w->rank_count;
    if (a->pass == PATH) {
        for (index = 0; index < w->rank_count; index++)
            if (w->ranks[index].rank == rank) break;
        if (index == w->rank_count || strcmp(w->ranks[index].file, file) != 0 ||
            !wts_path_has(&a->tracing, index))
            return 0;
    } else if (!new_rank(a, rank, size, file)) {
        return a->s->failed ? -1 : 0;
    }
    wts_reading_begin(&d.reading, a->s, index);
    int result = rocpd_texts_read(&d.texts, db, guid);
    if (result == 0) result = a->pass == PATH ? read_path(a, &d, index) : read_rank(&d, index);
    rocpd_texts_free(&d.texts);
    wts_work_free(&d.work);
    return result;
}

static int read_file(const db_t *db, size_t number, void *data)
{
    all_t *a = data;
    char **guids = NULL;
    size_t count = 0;
    db_cursor_t rows;
    db_rows(&rows, db, "SELECT DISTINCT guid FROM rocpd_info_process", "");
    while (db_next(&rows))
        if (!base_add_text(&guids, &count, db_text(&rows, 0))) a->s->failed = true;
    int result = db_end(&rows, a->files->paths[number]);
    for (size_t i = 0; i < count; i++) {
        if (result == 0) result = read_process(a, db, guids[i], a->files->paths[number]);
        free(guids[i]);
    }
    free(guids);
    return result;
}

static void free_state(wts_state_t *s)
{
    for (size_t i = 0; i < s->communicator_count; i++)
        free(s->communicators[i].instances);
    free(s->communicators);
    free(s->by_id.rows);
    free(s->ends.rows);
    free(s->collectives.rows);
    free(s->stays);
    free(s->victims.rows);
    free(s->pairs.rows);
    for (size_t i = 0; i < s->waits_count; i++)
        free(s->waits[i].rows);
    free(s->waits);
}

/* What is known of each collective when all ranks have arrived: who was late, and by how much. */
static void judge_arrivals(wts_state_t *s)
{
    const uint64_t first = wts_first_collective(s);
    for (size_t c = 0; c < s->communicator_count; c++)
        for (size_t n = 0; n < s->communicators[c].count; n++) {
            const wts_instance_t *i = &s->communicators[c].instances[n];
            wts_rank_t *rank = &s->w->ranks[i->last_rank];
            s->w->instances += i->calls > 1;
            if (i->calls < 2 ||
                (wts_direction(i->operation) == WTS_FOR_ROOT && i->last_rank != i->root_rank))
                continue;
            const int64_t late = wts_late(i);
            if (late <= 0) continue;
            rank->last_in++;
            rank->late_ns += (uint64_t)late;
            if (i->first == first) rank->late_first_ns += (uint64_t)late;
        }
}

static int by_ranks(const void *a, const void *b)
{
    const wts_pair_t *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

int wts_read(wts_t *w, const rocpd_files_t *files, bool tell)
{
    *w = (wts_t){.names = calloc(1, sizeof(*w->names))};
    wts_state_t s = {.w = w, .tell = tell};
    all_t a = {.s = &s,
               .files = files,
               .tracing = {.s = &s},
               .memory = malloc(sizeof(trace_mpi_t) + REST_BYTES)};
    int result = -1;
    s.failed = !w->names || !a.memory;
    if (!s.failed) result = rocpd_files_each(files, read_file, &a);
    if (result == 0) plan_clocks(&a);
    a.pass = CALLS;
    if (result == 0 && !s.failed) result = rocpd_files_each(files, read_file, &a);
    if (result == 0) {
        w->unmatched = s.ends.count;
        judge_arrivals(&s);
        wts_judge_stays(&s);
    }
    if (result == 0 && !s.failed) {
        wts_roots(&s);
        wts_path_find(&a.tracing);
        a.pass = PATH;
        result = rocpd_files_each(files, read_file, &a);
        wts_path_end(&a.tracing);
    }
    if (w->pair_count) qsort(w->pairs, w->pair_count, sizeof(*w->pairs), by_ranks);
    if (result == 0 && !s.failed) s.failed = !wts_find(&s);
    if (s.failed) base_error("%s", strerror(ENOMEM));
    free_state(&s);
    free_clocks(&a.clocks);
    free(a.tracing.pieces);
    free(a.tracing.parts.rows);
    free(a.memory);
    return s.failed ? -1 : result;
}

void wts_free(wts_t *w)
{
    for (size_t i = 0; i < w->rank_count; i++) {
        free(w->ranks[i].file);
        free(w->ranks[i].kernels);
        free(w->ranks[i].phases);
    }
    for (size_t i = 0; i < w->finding_count; i++)
        free(w->findings[i].text);
    free(w->path.parts);
    free(w->path.sums);
    free(w->pairs);
    free(w->ranks);
    free(w->collectives);
    free(w->kernels);
    free(w->phases);
    free(w->findings);
    if (w->names) {
        wts_words_free(&w->names->kernels);
        wts_words_free(&w->names->phases);
    }
    free(w->names);
    *w = (wts_t){0};
}
