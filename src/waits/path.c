/* path.c - the critical path of a job, followed from its end back to its begin. If a rank has
 * waited until another one arrived, the path continues in the other rank; if the host has waited
 * for the GPU, it continues in the GPU's operations.
 *
 *   rank 0   ####______|##            ## works, __ waits, | until the other one arrives
 *   rank 1   ##########|____|##       the path: rank 1 until the first |, then rank 0,
 *   rank 2   ###############|##       ... until the second one rank 2 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "waits/internal.h"

static void add_piece(wts_tracing_t *t, uint32_t rank, uint64_t from, uint64_t to, bool on_gpu)
{
    if (from >= to) return;
    if (!BASE_GROW(t->pieces, t->count, &t->room)) {
        t->s->failed = true;
        return;
    }
    t->pieces[t->count++] = (wts_piece_t){from, to, rank, on_gpu};
}

/* Returns the last wait of a rank that has ended until a moment, or, with `before`, earlier; NULL
 * if there is none. */
static const wts_wait_t *last_wait(const wts_state_t *s, uint32_t rank, uint64_t at, bool before)
{
    const wts_waits_t *w = &s->waits[rank];
    size_t i;
    BASE_SEARCH(i, w->count, w->rows[i].at < at || (!before && w->rows[i].at == at));
    return i ? &w->rows[i - 1] : NULL;
}

static int by_rank(const void *a, const void *b)
{
    const wts_piece_t *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

void wts_path_find(wts_tracing_t *t)
{
    const wts_t *w = t->s->w;
    uint32_t rank = 0;
    if (!w->rank_count) return;
    for (uint32_t i = 1; i < w->rank_count; i++)
        if (w->ranks[i].last > w->ranks[rank].last) rank = i;
    uint64_t at = w->ranks[rank].last;
    /* errors of the clocks could make a circle of ranks that wait for each other at one moment */
    size_t same = 0;
    while (!t->s->failed) {
        const wts_wait_t *e = last_wait(t->s, rank, at, same > w->rank_count);
        const uint64_t first = w->ranks[rank].first;
        if (!e || e->at <= first) {
            add_piece(t, rank, first, at, false);
            break;
        }
        same = e->at == at ? same + 1 : 0;
        add_piece(t, rank, e->at, at, false);
        at = e->at;
        if (e->cause == WTS_IN_GPU) {
            const uint64_t from = e->from > first ? e->from : first;
            add_piece(t, rank, from, at, true);
            at = from;
            same = 0;
        } else {
            rank = e->by;
            t->s->w->path.changes++;
        }
    }
    if (t->count) qsort(t->pieces, t->count, sizeof(*t->pieces), by_rank);
}

/* Returns the index of the first piece of a rank, or where it would be. */
static size_t first_piece(const wts_tracing_t *t, uint32_t rank)
{
    size_t i;
    BASE_SEARCH(i, t->count, t->pieces[i].rank < rank);
    return i;
}

bool wts_path_has(const wts_tracing_t *t, uint32_t rank)
{
    const size_t at = first_piece(t, rank);
    return at < t->count && t->pieces[at].rank == rank;
}

/* ---- operations on the path ---- */

/* Adds to the row of this rank, kind and name. Returns false without memory. */
static bool add_to(out_numbers_t *places, wts_part_t **rows, size_t *count, const wts_part_t *part)
{
    const uint64_t words[] = {(uint64_t)part->rank, out_hash(part->name)};
    const uint64_t key = out_numbers_key(part->kind, words, 2);
    uint64_t place = out_numbers_get(places, key);
    if (!place) {
        if (!BASE_GROW_BY_ONE(*rows, *count) || !out_numbers_set(places, key, *count + 1))
            return false;
        (*rows)[(*count)++] = (wts_part_t){part->rank, part->kind, part->name, 0, 0};
        place = *count;
    }
    (*rows)[place - 1].count += part->count;
    (*rows)[place - 1].ns += part->ns;
    return true;
}

/* The parts of one rank. */
typedef struct {
    const wts_work_t *k;
    const wts_words_t *kernels;
    out_numbers_t places;
    wts_part_t *rows;
    size_t count;
    bool failed;
} own_t;

static void add_part(own_t *o, wts_part_kind_t kind, const char *name, uint64_t from, uint64_t to)
{
    if (from >= to) return;
    if (!add_to(&o->places, &o->rows, &o->count, &(wts_part_t){0, kind, name, 1, to - from}))
        o->failed = true;
}

static void add_host(own_t *o, const wts_piece_t *p, size_t *call)
{
    const wts_work_t *k = o->k;
    uint64_t at = p->from;
    while (*call && k->calls[*call - 1].end > p->from) /* one call may overlap two pieces */
        --*call;
    for (; *call < k->call_count && k->calls[*call].start < p->to; ++*call) {
        const wts_host_call_t *c = &k->calls[*call];
        const uint64_t start = c->start > at ? c->start : at;
        const uint64_t end = c->end < p->to ? c->end : p->to;
        if (!c->function || end <= start) continue;
        add_part(o, WTS_HOST, "", at, start);
        add_part(o, WTS_MPI, c->function, start, end);
        at = end;
    }
    add_part(o, WTS_HOST, "", at, p->to);
}

static void add_gpu(own_t *own, const wts_piece_t *p)
{
    const wts_work_t *k = own->k;
    size_t i;
    BASE_SEARCH(i, k->operation_count, k->operations[i].end <= p->to);
    const wts_operation_t *o = i ? &k->operations[i - 1] : NULL;
    uint64_t at = p->to;
    while (o && at > p->from) {
        const uint64_t start = o->start > p->from ? o->start : p->from;
        add_part(own, o->name == WTS_IS_COPY ? WTS_COPY : WTS_KERNEL,
                 o->name < 0 ? "" : own->kernels->rows[o->name], start, at);
        const bool follows = wts_follows(k, o);
        const uint64_t before = follows ? k->operations[o->before].end : o->launched;
        at = before > p->from ? before : p->from;
        add_part(own, WTS_LAUNCH, "", at, start);
        o = follows ? &k->operations[o->before] : NULL;
    }
    add_part(own, WTS_HOST, "", p->from, at);
}

/* A part in the form that a worker writes; its name follows. */
typedef struct {
    uint64_t kind, count, ns, bytes; /* `bytes`: length of the name */
} put_part_t;

bool wts_path_put(FILE *to, const wts_tracing_t *t, uint32_t rank, const wts_work_t *k,
                  const wts_words_t *kernels)
{
    own_t own = {.k = k, .kernels = kernels};
    size_t call = 0;
    for (size_t i = first_piece(t, rank); i < t->count && t->pieces[i].rank == rank; i++)
        if (t->pieces[i].on_gpu)
            add_gpu(&own, &t->pieces[i]);
        else
            add_host(&own, &t->pieces[i], &call);
    const uint64_t count = own.count;
    fwrite(&count, sizeof(count), 1, to);
    for (size_t i = 0; i < own.count; i++) {
        const wts_part_t *p = &own.rows[i];
        const put_part_t put = {p->kind, p->count, p->ns, strlen(p->name) + 1};
        fwrite(&put, sizeof(put), 1, to);
        fwrite(p->name, put.bytes, 1, to);
    }
    free(own.rows);
    free(own.places.rows);
    return !own.failed;
}

/* Returns the name in the job's tables, since the worker's result is freed. */
static const char *name_of(const wts_t *w, wts_part_kind_t kind, const char *name)
{
    const trace_mpi_function_t *f = kind == WTS_MPI ? trace_mpi_find(name) : NULL;
    const int64_t kernel = kind == WTS_KERNEL ? wts_word_find(&w->names->kernels, name) : -1;
    return f ? f->name : kernel >= 0 ? w->names->kernels.rows[kernel] : "";
}

bool wts_path_join(wts_tracing_t *t, uint32_t rank, wts_bytes_t *b)
{
    wts_t *w = t->s->w;
    wts_path_t *path = &w->path;
    uint64_t count;
    if (!wts_take_count(b, &count)) return false;
    while (count--) {
        uint64_t kind;
        wts_part_t part = {.rank = (int32_t)rank};
        if (!wts_take_count(b, &kind) || kind >= WTS_PARTS || !wts_take_count(b, &part.count) ||
            !wts_take_count(b, &part.ns))
            return false;
        const char *name = wts_take_text(b);
        if (!name) return false;
        part.kind = (wts_part_kind_t)kind;
        part.name = name_of(w, part.kind, name);
        w->ranks[rank].path_ns += part.ns;
        path->ns += part.ns;
        if (!add_to(&t->parts, &path->parts, &path->part_count, &part)) return false;
    }
    return true;
}

static int by_time(const void *a, const void *b)
{
    const wts_part_t *x = a, *y = b;
    if (x->ns != y->ns) return x->ns < y->ns ? 1 : -1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

void wts_path_end(wts_tracing_t *t)
{
    wts_path_t *p = &t->s->w->path;
    out_numbers_t places = {0};
    for (size_t i = 0; i < p->part_count; i++) {
        wts_part_t all = p->parts[i];
        all.rank = -1;
        if (!add_to(&places, &p->sums, &p->sum_count, &all)) t->s->failed = true;
    }
    if (p->part_count) qsort(p->parts, p->part_count, sizeof(*p->parts), by_time);
    if (p->sum_count) qsort(p->sums, p->sum_count, sizeof(*p->sums), by_time);
    free(places.rows);
}
