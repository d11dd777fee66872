/* passes.c - reads the databases of all ranks in three passes: facts about clocks and ranks, then
 * calls, then the operations on the critical path.
 *
 * Workers read files in parallel, each one at a time, and their results are joined here in the
 * order of the files, so that the result does not depend on the number of workers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/sorted.h"
#include "db/clocks.h"
#include "rocpd/one_clock.h"
#include "waits/internal.h"

enum { NO_RANK = UINT32_MAX };

/* A process, in the order of the files. */
typedef struct {
    char *guid;
    size_t file;
    uint32_t rank; /* index of the rank, or NO_RANK */
} process_t;

typedef struct {
    wts_state_t *s;
    const rocpd_files_t *files;
    process_t *processes;
    size_t process_count;
    trace_clock_facts_t *facts; /* facts about the processes' clocks */
    size_t facts_count;
    trace_clock_map_t *maps;
    wts_tracing_t tracing;
    size_t *pieces; /* numbers of the files that a pass reads */
    size_t piece_count;
    int (*work)(const void *all, const db_t *db, size_t file, FILE *to);
    bool (*join)(void *all, size_t file, wts_bytes_t *b);
} all_t;

/* ---- a pass ---- */

static int work(void *data, size_t number, FILE *to)
{
    const all_t *a = data;
    const char *path = a->files->paths[a->pieces[number]];
    char why[DB_WHY_BYTES];
    db_t db;
    if (db_open(&db, path, why) != 0) {
        base_error("%s: %s", path, why);
        return -1;
    }
    const int result = a->work(a, &db, a->pieces[number], to);
    db_close(&db);
    return result;
}

static int join(void *data, size_t number, const char *result, size_t bytes)
{
    all_t *a = data;
    wts_bytes_t b = {result, bytes};
    if (a->join(a, a->pieces[number], &b)) return 0;
    a->s->failed = true;
    return -1;
}

static const char *name_file(const void *data, size_t number)
{
    const all_t *a = data;
    return a->files->paths[a->pieces[number]];
}

static int run(all_t *a)
{
    const unsigned workers = base_pool_size(0, a->piece_count);
    const base_pool_t pool = {.count = a->piece_count,
                              .workers = workers,
                              .ahead = 4 * (size_t)workers,
                              .work = work,
                              .take = join,
                              .name = name_file,
                              .data = a,
                              .stop = &db_interrupted};
    return base_pool_run(&pool);
}

/* Returns the first process of a file; the processes of a file are adjacent. */
static size_t first_of(const all_t *a, size_t file)
{
    size_t i;
    BASE_SEARCH(i, a->process_count, a->processes[i].file < file);
    return i;
}

/* Returns whether a pass reads a process. */
static bool on_path(const all_t *a, const process_t *p)
{
    return p->rank != NO_RANK && wts_path_has(&a->tracing, p->rank);
}

static bool has_rank(const all_t *a, const process_t *p)
{
    (void)a;
    return p->rank != NO_RANK;
}

static void choose(all_t *a, bool (*wanted)(const all_t *a, const process_t *p))
{
    a->piece_count = 0;
    for (size_t i = 0; i < a->process_count; i++) {
        const size_t file = a->processes[i].file;
        if (wanted(a, &a->processes[i]) &&
            (!a->piece_count || a->pieces[a->piece_count - 1] != file))
            a->pieces[a->piece_count++] = file;
    }
}

/* ---- clocks and ranks ---- */

/* Returns the rank that the launcher has given a process which calls RCCL, as rank_of() does. */
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

/* Returns the rank of a process in MPI_COMM_WORLD, from its first call with that communicator, or
 * from the launcher; *size becomes the number of ranks. Returns -1 if it has none; -2 on an
 * error. */
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

/* The facts about a process that a worker writes; the guid precedes them. */
typedef struct {
    trace_clock_facts_t facts;
    int64_t rank, size;
} known_t;

/* Reads the facts about a process's clock, and when the process ended: until then the error of its
 * clock may have grown. */
static int read_facts(const db_t *db, const char *guid, trace_clock_facts_t *facts)
{
    if (db_clock_facts(db, guid, facts) != 0) return -1;
    db_cursor_t rows;
    db_rows(&rows, db, "SELECT MAX(fini) FROM rocpd_info_process WHERE guid = ?", "t", guid);
    if (db_next(&rows)) facts->last_ns = db_uint(&rows, 0);
    return db_end(&rows, "looking for the end of the process");
}

static int know(const void *all, const db_t *db, size_t file, FILE *to)
{
    const all_t *a = all;
    char **guids = NULL;
    size_t count = 0;
    db_cursor_t rows;
    bool room = true;
    db_rows(&rows, db, "SELECT DISTINCT guid FROM rocpd_info_process", "");
    while (room && db_next(&rows))
        room = base_add_text(&guids, &count, db_text(&rows, 0));
    int result = db_end(&rows, a->files->paths[file]);
    if (!room) base_error("%s", strerror(ENOMEM));
    if (!room) result = -1;
    for (size_t i = 0; i < count; i++) {
        known_t known = {0};
        if (result == 0) result = read_facts(db, guids[i], &known.facts);
        if (result == 0) known.rank = rank_of(db, guids[i], &known.size);
        if (known.rank == -2) result = -1;
        const uint64_t bytes = strlen(guids[i]) + 1;
        fwrite(&bytes, sizeof(bytes), 1, to);
        fwrite(guids[i], bytes, 1, to);
        fwrite(&known, sizeof(known), 1, to);
        free(guids[i]);
    }
    free(guids);
    return result;
}

/* Returns the index of a new rank; NO_RANK if it exists already, or there is no memory. */
static uint32_t new_rank(all_t *a, const known_t *known, const char *file)
{
    wts_t *w = a->s->w;
    for (size_t i = 0; i < w->rank_count; i++)
        if (w->ranks[i].rank == known->rank) {
            if (a->s->tell)
                base_warning("%s: rank %d is in %s already: left out", file, (int)known->rank,
                             w->ranks[i].file);
            return NO_RANK;
        }
    if (!BASE_GROW_BY_ONE(w->ranks, w->rank_count) ||
        !BASE_GROW_BY_ONE(a->s->waits, a->s->waits_count)) {
        a->s->failed = true;
        return NO_RANK;
    }
    a->s->waits[a->s->waits_count++] = (wts_waits_t){0};
    wts_rank_t *r = &w->ranks[w->rank_count];
    *r = (wts_rank_t){.rank = (int32_t)known->rank,
                      .size = (int32_t)known->size,
                      .file = strdup(file),
                      .victim = -1};
    if (!r->file) a->s->failed = true;
    return (uint32_t)w->rank_count++;
}

static bool join_known(void *all, size_t file, wts_bytes_t *b)
{
    all_t *a = all;
    while (b->left) {
        known_t known;
        const char *guid = wts_take_text(b);
        if (!guid || !wts_take(b, &known, sizeof(known)) ||
            !BASE_GROW_BY_ONE(a->facts, a->facts_count) ||
            !BASE_GROW_BY_ONE(a->processes, a->process_count))
            return false;
        process_t *p = &a->processes[a->process_count];
        *p = (process_t){.guid = strdup(guid), .file = file, .rank = NO_RANK};
        if (!p->guid) return false;
        a->facts[a->facts_count++] = known.facts;
        a->process_count++;
        if (known.rank >= 0) p->rank = new_rank(a, &known, a->files->paths[file]);
        if (a->s->failed) return false;
    }
    return true;
}

static const char *guid_of(const void *data, size_t process)
{
    return ((const all_t *)data)->processes[process].guid;
}

static size_t file_of(const void *data, size_t process)
{
    return ((const all_t *)data)->processes[process].file;
}

/* Computes one clock for all nodes, as far as their clocks are known. */
static int plan_clocks(all_t *a)
{
    const rocpd_processes_t processes = {a->files, a->process_count, a->facts, guid_of, file_of, a};
    a->maps = calloc(a->process_count + 1, sizeof(*a->maps));
    if (!a->maps) a->s->failed = true;
    const int changed = a->maps ? rocpd_one_clock(&processes, a->maps) : -1;
    a->s->w->mapped = changed > 0;
    for (size_t i = 0; changed > 0 && i < a->process_count; i++) {
        if (a->maps[i].error_ns > a->s->w->clock_error_ns)
            a->s->w->clock_error_ns = a->maps[i].error_ns;
        a->s->w->clocks_guessed |= !trace_clock_bounded(&a->maps[i]);
        a->s->w->clocks_by_mpi |= a->maps[i].source == TRACE_CLOCK_MPI;
    }
    return changed < 0 ? -1 : 0;
}

/* ---- calls, and the path ---- */

static int read_calls(const void *all, const db_t *db, size_t file, FILE *to)
{
    const all_t *a = all;
    int result = 0;
    for (size_t i = first_of(a, file); result == 0 && i < a->process_count; i++) {
        const process_t *p = &a->processes[i];
        if (p->file != file) break;
        if (has_rank(a, p)) result = wts_read_rank(to, db, p->guid, &a->maps[i]);
    }
    return result;
}

static bool join_calls(void *all, size_t file, wts_bytes_t *b)
{
    all_t *a = all;
    for (size_t i = first_of(a, file); i < a->process_count && a->processes[i].file == file; i++)
        if (has_rank(a, &a->processes[i]) && !wts_rows_join(a->s, a->processes[i].rank, b))
            return false;
    return true;
}

static int read_path(const void *all, const db_t *db, size_t file, FILE *to)
{
    const all_t *a = all;
    int result = 0;
    for (size_t i = first_of(a, file); result == 0 && i < a->process_count; i++) {
        const process_t *p = &a->processes[i];
        if (p->file != file) break;
        if (on_path(a, p))
            result = wts_read_path(to, db, p->guid, &a->maps[i], &a->tracing, p->rank);
    }
    return result;
}

static bool join_path(void *all, size_t file, wts_bytes_t *b)
{
    all_t *a = all;
    for (size_t i = first_of(a, file); i < a->process_count && a->processes[i].file == file; i++)
        if (on_path(a, &a->processes[i]) && !wts_path_join(&a->tracing, a->processes[i].rank, b))
            return false;
    return true;
}

/* ---- the whole ---- */

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

/* Computes for each collective, once all arrivals are known, which rank was late, and by how
 * much. */
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

static int read_clocks_and_ranks(all_t *a)
{
    a->pieces = calloc(a->files->count + 1, sizeof(*a->pieces));
    if (!a->pieces) {
        a->s->failed = true;
        return -1;
    }
    for (a->piece_count = 0; a->piece_count < a->files->count; a->piece_count++)
        a->pieces[a->piece_count] = a->piece_count;
    a->work = know;
    a->join = join_known;
    const int result = run(a);
    return result == 0 ? plan_clocks(a) : result;
}

static int read_all_calls(all_t *a)
{
    choose(a, has_rank);
    a->work = read_calls;
    a->join = join_calls;
    const int result = run(a);
    if (result != 0) return result;
    a->s->w->unmatched = a->s->ends.count;
    judge_arrivals(a->s);
    wts_judge_stays(a->s);
    return 0;
}

static int read_all_paths(all_t *a)
{
    wts_roots(a->s);
    wts_path_find(&a->tracing);
    choose(a, on_path);
    a->work = read_path;
    a->join = join_path;
    const int result = run(a);
    wts_path_end(&a->tracing);
    return result;
}

static void free_all(all_t *a)
{
    for (size_t i = 0; i < a->process_count; i++)
        free(a->processes[i].guid);
    free(a->processes);
    free(a->facts);
    free(a->maps);
    free(a->pieces);
    free(a->tracing.pieces);
    free(a->tracing.parts.rows);
    free_state(a->s);
}

int wts_read(wts_t *w, const rocpd_files_t *files, bool tell)
{
    *w = (wts_t){.names = calloc(1, sizeof(*w->names))};
    wts_state_t s = {.w = w, .tell = tell, .failed = !w->names};
    all_t a = {.s = &s, .files = files, .tracing = {.s = &s}};
    int result = s.failed ? -1 : read_clocks_and_ranks(&a);
    if (result == 0 && !s.failed) result = read_all_calls(&a);
    if (result == 0 && !s.failed) result = read_all_paths(&a);
    if (w->pair_count) qsort(w->pairs, w->pair_count, sizeof(*w->pairs), by_ranks);
    if (result == 0 && !s.failed) s.failed = !wts_find(&s);
    if (s.failed) base_error("%s", strerror(ENOMEM));
    free_all(&a);
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
