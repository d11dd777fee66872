/* rows.c - the operations of one rank as rows: their transport from a worker to the process that
 * joins them, and the results of joining the calls of many ranks.
 *
 * All members of a communicator call its collectives in the same order, so the n-th call of each is
 * the same collective. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/internal.h"

/* ---- from a worker ---- */

void wts_rows_free(wts_rows_t *r)
{
    wts_words_free(&r->kernels);
    wts_words_free(&r->phases);
    free(r->sums.kernels);
    free(r->sums.phases);
    free(r->groups);
    free(r->by_group.rows);
    free(r->stays);
    free(r->ends);
    free(r->gpu);
    *r = (wts_rows_t){0};
}

static void put_count(FILE *to, size_t count)
{
    const uint64_t number = count;
    fwrite(&number, sizeof(number), 1, to);
}

static void put_array(FILE *to, const void *rows, size_t count, size_t bytes)
{
    put_count(to, count);
    if (count) fwrite(rows, bytes, count, to);
}

static void put_names(FILE *to, const wts_words_t *names, const wts_time_t *times, size_t room)
{
    put_count(to, names->count);
    for (size_t i = 0; i < names->count; i++) {
        const wts_time_t none = {0};
        fwrite(i < room ? &times[i] : &none, sizeof(none), 1, to);
        put_array(to, names->rows[i], strlen(names->rows[i]) + 1, 1);
    }
}

void wts_rows_put(FILE *to, const wts_rows_t *r)
{
    fwrite(&r->sums, sizeof(r->sums), 1, to);
    put_names(to, &r->phases, r->sums.phases, r->sums.phase_room);
    put_names(to, &r->kernels, r->sums.kernels, r->sums.kernel_room);
    put_array(to, r->groups, r->group_count, sizeof(*r->groups));
    put_array(to, r->stays, r->stay_count, sizeof(*r->stays));
    put_array(to, r->ends, r->end_count, sizeof(*r->ends));
    put_array(to, r->gpu, r->gpu_count, sizeof(*r->gpu));
}

/* Copies the next bytes of a worker's result. Rows may be unaligned, since texts between them have
 * any length. */
bool wts_take(wts_bytes_t *b, void *to, size_t bytes)
{
    if (b->left < bytes) return false;
    if (bytes) memcpy(to, b->at, bytes);
    b->at += bytes;
    b->left -= bytes;
    return true;
}

bool wts_take_count(wts_bytes_t *b, uint64_t *count)
{
    return wts_take(b, count, sizeof(*count));
}

const char *wts_take_text(wts_bytes_t *b)
{
    uint64_t bytes;
    const char *text;
    if (!wts_take_count(b, &bytes) || !bytes || bytes > b->left) return NULL;
    text = b->at;
    b->at += bytes;
    b->left -= bytes;
    return text[bytes - 1] ? NULL : text;
}

/* ---- communicators ---- */

static wts_communicator_t *communicator_of(wts_state_t *s, uint64_t id)
{
    const uint64_t place = out_numbers_get(&s->by_id, id);
    if (place) return &s->communicators[place - 1];
    if (!BASE_GROW_BY_ONE(s->communicators, s->communicator_count)) {
        s->failed = true;
        return NULL;
    }
    wts_communicator_t *c = &s->communicators[s->communicator_count++];
    *c = (wts_communicator_t){.id = id};
    if (!out_numbers_set(&s->by_id, id, s->communicator_count)) s->failed = true;
    return c;
}

static wts_instance_t *instance_of(wts_state_t *s, uint64_t id, uint64_t number)
{
    wts_communicator_t *c = communicator_of(s, id);
    if (!c) return NULL;
    while (c->count <= number) {
        if (!BASE_GROW(c->instances, c->count, &c->room)) {
            s->failed = true;
            return NULL;
        }
        c->instances[c->count++] = (wts_instance_t){0};
    }
    return &c->instances[number];
}

static wts_collective_t *collective_of(wts_state_t *s, const trace_mpi_function_t *f, uint64_t id)
{
    const uint64_t key = out_mix(id) ^ out_hash(f->name);
    const uint64_t place = out_numbers_get(&s->collectives, key);
    if (place) return &s->w->collectives[place - 1];
    if (!BASE_GROW_BY_ONE(s->w->collectives, s->w->collective_count)) {
        s->failed = true;
        return NULL;
    }
    wts_collective_t *c = &s->w->collectives[s->w->collective_count++];
    *c = (wts_collective_t){.communicator = id, .function = f->name};
    if (!out_numbers_set(&s->collectives, key, s->w->collective_count)) s->failed = true;
    return c;
}

wts_direction_t wts_direction(trace_mpi_collective_t operation)
{
    switch (operation) {
    case TRACE_MPI_OP_BCAST:
    case TRACE_MPI_OP_SCATTER:
    case TRACE_MPI_OP_SCATTERV: return WTS_FOR_ROOT;
    case TRACE_MPI_OP_REDUCE:
    case TRACE_MPI_OP_GATHER:
    case TRACE_MPI_OP_GATHERV: return WTS_ROOT_FOR_ALL;
    default: return WTS_FOR_ALL;
    }
}

static wts_instance_t *arrive(wts_state_t *s, uint32_t rank, const wts_group_t *g,
                              const wts_stay_row_t *row)
{
    const uint64_t start = row->start;
    wts_instance_t *i = instance_of(s, g->communicator, row->number);
    if (!i || !row->arrives) return i;
    if (!i->calls)
        *i = (wts_instance_t){.first = start,
                              .last = start,
                              .base = start,
                              .last_rank = rank,
                              .root_rank = UINT32_MAX,
                              .operation = (uint8_t)g->function->collective};
    i->calls++;
    i->direct += row->direct;
    i->offset_sum += (int64_t)(start - i->base);
    if (start < i->first) i->first = start;
    if (start > i->last) {
        i->last = start;
        i->last_rank = rank;
    }
    if (row->is_root) {
        i->root_rank = rank;
        i->root_start = start;
    }
    return i;
}

static uint64_t overlap(uint64_t from, uint64_t to, uint64_t until)
{
    const uint64_t end = to < until ? to : until;
    return end > from ? end - from : 0;
}

/* Returns the time from `from` to `to` that a rank has waited in the collective; *by becomes the
 * rank for which it waited. */
static uint64_t waited(const wts_instance_t *i, bool is_root, uint64_t from, uint64_t to,
                       uint32_t *by)
{
    const wts_direction_t d = wts_direction(i->operation);
    *by = i->last_rank;
    if (i->calls < 2) return 0;
    if (d == WTS_ROOT_FOR_ALL && !is_root) return 0;
    if (d != WTS_FOR_ROOT) return overlap(from, to, i->last);
    *by = i->root_rank;
    return i->root_rank == UINT32_MAX ? 0 : overlap(from, to, i->root_start);
}

/* Notes a wait in a collective: of a host, which waits from `from` on, or of a GPU. */
static void blame(wts_state_t *s, const wts_stay_t *stay, uint64_t ns, uint32_t by)
{
    if (by == stay->rank || !ns) return;
    wts_rank_t *rank = &s->w->ranks[by];
    s->w->ranks[stay->rank].collective_ns += ns;
    rank->caused_ns += ns;
    if (!stay->on_gpu) {
        wts_wait(s, stay->rank, (wts_wait_t){stay->start, stay->start + ns, by, WTS_IN_COLLECTIVE});
        return;
    }
    rank->root_ns += ns;
    rank->rooted_ns[WTS_IN_COLLECTIVE] += ns;
}

/* For one rank, the calls of a barrier's instances that are directly after another collective. */
typedef struct {
    uint32_t rank, calls, direct;
} tally_t;

/* Adds a rank's tally: whether it does other work between the two calls most times. */
static void end_tally(wts_collective_t *c, const tally_t *t)
{
    c->between += 2 * t->direct < t->calls;
}

static void count_direct(wts_state_t *s, const wts_stay_t *stay, const wts_instance_t *i,
                         tally_t *tallies)
{
    wts_collective_t *c = &s->w->collectives[stay->collective - 1];
    tally_t *t = &tallies[stay->collective - 1];
    if (t->rank != stay->rank) {
        end_tally(c, t);
        *t = (tally_t){.rank = stay->rank};
    }
    t->calls++;
    t->direct += stay->direct;
    c->direct += i->last_rank == stay->rank;
    c->direct_ns += stay->end - stay->start;
}

void wts_judge_stays(wts_state_t *s)
{
    tally_t *tallies = calloc(s->w->collective_count + 1, sizeof(*tallies));
    if (!tallies) {
        s->failed = true;
        return;
    }
    for (size_t n = 0; n < s->stay_count; n++) {
        const wts_stay_t *stay = &s->stays[n];
        const wts_instance_t *i = &s->communicators[stay->communicator].instances[stay->number];
        uint32_t by;
        if (stay->collective)
            s->w->collectives[stay->collective - 1].count += i->last_rank == stay->rank;
        if (stay->collective && wts_is_direct(i)) count_direct(s, stay, i, tallies);
        if (!stay->blocks) continue;
        const uint64_t ns = waited(i, i->root_rank == stay->rank, stay->start, stay->end, &by);
        if (stay->collective) s->w->collectives[stay->collective - 1].waiting_ns += ns;
        blame(s, stay, ns, by);
    }
    for (size_t i = 0; i < s->w->collective_count; i++)
        end_tally(&s->w->collectives[i], &tallies[i]);
    free(tallies);
    free(s->stays);
    s->stays = NULL;
    s->stay_count = s->stay_room = 0;
}

/* ---- joining ---- */

static bool join_names(wts_bytes_t *b, wts_words_t *names, wts_time_t **times, size_t *room)
{
    uint64_t count;
    if (!wts_take_count(b, &count)) return false;
    for (uint64_t i = 0; i < count; i++) {
        wts_time_t time;
        const char *name = wts_take(b, &time, sizeof(time)) ? wts_take_text(b) : NULL;
        const int64_t number = name ? wts_word(names, name) : -1;
        if (number < 0) return false;
        if (time.count && !wts_add_time(times, room, number, time.count, time.ns)) return false;
    }
    return true;
}

static bool join_sums(wts_state_t *s, wts_rank_t *rank, wts_bytes_t *b)
{
    wts_rank_t sums;
    if (!wts_take(b, &sums, sizeof(sums))) return false;
    rank->first = sums.first;
    rank->last = sums.last;
    rank->calls = sums.calls;
    rank->mpi_ns = sums.mpi_ns;
    rank->sent = sums.sent;
    rank->received = sums.received;
    rank->copies = sums.copies;
    return join_names(b, &s->w->names->phases, &rank->phases, &rank->phase_room) &&
           join_names(b, &s->w->names->kernels, &rank->kernels, &rank->kernel_room);
}

/* A group, with the index + 1 of its sums over all ranks. */
typedef struct {
    wts_group_t group;
    uint32_t collective;
} joined_t;

/* Reads the groups of a rank, to be freed; NULL without memory. */
static joined_t *join_groups(wts_state_t *s, wts_bytes_t *b, uint64_t *count)
{
    if (!wts_take_count(b, count)) return NULL;
    joined_t *groups = calloc(*count + 1, sizeof(*groups));
    for (uint64_t i = 0; groups && i < *count; i++) {
        wts_group_t *g = &groups[i].group;
        wts_collective_t *c =
            wts_take(b, g, sizeof(*g)) ? collective_of(s, g->function, g->communicator) : NULL;
        if (!c) {
            free(groups);
            return NULL;
        }
        c->calls += g->calls;
        c->total_ns += g->ns;
        c->bytes += g->bytes;
        groups[i].collective = (uint32_t)(c - s->w->collectives) + 1;
    }
    return groups;
}

static bool join_stays(wts_state_t *s, uint32_t rank, wts_bytes_t *b)
{
    uint64_t group_count, count;
    joined_t *groups = join_groups(s, b, &group_count);
    bool good = groups && wts_take_count(b, &count);
    for (uint64_t n = 0; good && n < count; n++) {
        wts_stay_row_t row;
        good = wts_take(b, &row, sizeof(row)) && row.group < group_count &&
               arrive(s, rank, &groups[row.group].group, &row) &&
               BASE_GROW(s->stays, s->stay_count, &s->stay_room);
        if (!good) break;
        const wts_communicator_t *c = communicator_of(s, groups[row.group].group.communicator);
        s->stays[s->stay_count++] =
            (wts_stay_t){.start = row.start,
                         .end = row.end,
                         .number = row.number,
                         .rank = rank,
                         .communicator = (uint32_t)(c - s->communicators),
                         .collective = row.arrives ? groups[row.group].collective : 0,
                         .on_gpu = row.on_gpu,
                         .direct = row.direct,
                         .blocks = row.blocks};
    }
    free(groups);
    return good;
}

bool wts_rows_join(wts_state_t *s, uint32_t rank, wts_bytes_t *b)
{
    uint64_t count;
    bool good =
        join_sums(s, &s->w->ranks[rank], b) && join_stays(s, rank, b) && wts_take_count(b, &count);
    for (uint64_t i = 0; good && i < count; i++) {
        wts_end_t end;
        good = wts_take(b, &end, sizeof(end));
        end.rank = rank;
        if (good) wts_end(s, &end);
    }
    good = good && wts_take_count(b, &count);
    for (uint64_t i = 0; good && i < count; i++) {
        wts_time_span_t span;
        good = wts_take(b, &span, sizeof(span));
        if (good) wts_wait(s, rank, (wts_wait_t){span.start, span.end, rank, WTS_IN_GPU});
    }
    return good && !s->failed;
}
