/* calls.c - makes rows of each call of MPI of one rank: collectives in their order, messages by
 * their two ends. rows.c joins the rows of all ranks.
 *
 * All members of a communicator call its collectives in the same order, so the n-th call of each is
 * the same collective. Messages between two ranks with the same tag do not overtake each other, so
 * the n-th that is sent is the n-th that is received. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/internal.h"

/* A barrier that begins at most so long after a collective has no work between the two to order. */
enum { DIRECTLY_NS = 50000 };

/* A request that is not complete yet. */
typedef struct wts_request {
    uint64_t communicator, post;
    uint64_t order; /* order of a message, or number of a collective */
    uint64_t bytes;
    int32_t peer, tag, rank;
    uint32_t group; /* of a collective: index of its sums */
    uint8_t kind;   /* trace_mpi_request_t */
    bool ordered;   /* a receive from a given source with a given tag, which has its order from the
                     * beginning */
    bool complete;  /* the row is unused */
} wts_request_t;

/* Adds to a number that is 0 at first; returns its value before that. */
static uint64_t count_on(wts_rows_t *rows, out_numbers_t *n, uint64_t key, uint64_t more)
{
    if (out_numbers_get(n, key)) {
        out_number_t *row = out_numbers_place(n, key);
        const uint64_t before = row->number - 1;
        row->number += more;
        return before;
    }
    if (!out_numbers_set(n, key, more + 1)) rows->failed = true;
    return 0;
}

/* ---- collectives ---- */

/* Returns the index of the sums of a function on a communicator; -1 without memory. */
static int64_t group_of(wts_rows_t *rows, const trace_mpi_function_t *f, uint64_t communicator)
{
    const uint64_t key = out_mix(communicator) ^ out_hash(f->name);
    const uint64_t place = out_numbers_get(&rows->by_group, key);
    if (place) return (int64_t)place - 1;
    if (!BASE_GROW_BY_ONE(rows->groups, rows->group_count) ||
        !out_numbers_set(&rows->by_group, key, rows->group_count + 1)) {
        rows->failed = true;
        return -1;
    }
    rows->groups[rows->group_count] = (wts_group_t){.function = f, .communicator = communicator};
    return (int64_t)rows->group_count++;
}

static void add_stay(wts_rows_t *rows, wts_stay_row_t stay)
{
    if (BASE_GROW(rows->stays, rows->stay_count, &rows->stay_room))
        rows->stays[rows->stay_count++] = stay;
    else
        rows->failed = true;
}

/* Adds the rank's part of a collective. Returns the index of the sums of such collectives; -1
 * without memory. */
static int64_t take_part(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *call,
                         uint64_t number, bool on_gpu, bool direct)
{
    const int64_t group = group_of(r->rows, f, call->communicator);
    if (group < 0) return group;
    wts_group_t *g = &r->rows->groups[group];
    g->calls++;
    g->ns += call->call.end - call->call.start;
    g->bytes += call->sent;
    add_stay(r->rows, (wts_stay_row_t){.start = call->call.start,
                                       .end = call->call.end,
                                       .number = (uint32_t)number,
                                       .group = (uint32_t)group,
                                       .arrives = true,
                                       .is_root = call->root >= 0 && call->root == call->rank,
                                       .on_gpu = on_gpu,
                                       .direct = direct,
                                       .blocks = f->class != TRACE_MPI_ICOLLECTIVE});
    return group;
}

/* Returns whether the call is a barrier directly after another collective. */
static bool is_direct(const wts_reading_t *r, const trace_mpi_function_t *f,
                      const trace_mpi_t *call)
{
    return f->collective == TRACE_MPI_OP_BARRIER && f->class == TRACE_MPI_COLLECTIVE &&
           r->before_joins && r->before_communicator == call->communicator &&
           call->call.start - r->before_end <= DIRECTLY_NS;
}

/* ---- messages ---- */

static uint64_t message_key(uint64_t communicator, int32_t from, int32_t to, int32_t tag,
                            uint64_t order)
{
    uint64_t key = out_mix(communicator ^ (uint64_t)(uint32_t)from << 32 ^ (uint32_t)to);
    key = out_mix(key ^ (uint64_t)(uint32_t)tag);
    key = out_mix(key ^ order);
    return key ? key : 1;
}

/* Returns the order of the next message with this peer and tag. */
static uint64_t next_order(wts_reading_t *r, bool sends, uint64_t communicator, int32_t peer,
                           int32_t tag)
{
    return count_on(r->rows, &r->orders, message_key(communicator, peer, sends, tag, 0), 1);
}

static void add_end(wts_reading_t *r, const wts_request_t *q, uint64_t from, uint64_t to)
{
    const bool sends = q->kind == TRACE_MPI_SENDS;
    if (q->peer < 0) return;
    if (!BASE_GROW(r->rows->ends, r->rows->end_count, &r->rows->end_room)) {
        r->rows->failed = true;
        return;
    }
    r->rows->ends[r->rows->end_count++] =
        (wts_end_t){.key = sends ? message_key(q->communicator, q->rank, q->peer, q->tag, q->order)
                                 : message_key(q->communicator, q->peer, q->rank, q->tag, q->order),
                    .post = q->post,
                    .from = from,
                    .to = to,
                    .bytes = q->bytes,
                    .sends = sends};
}

static void send(wts_reading_t *r, const trace_mpi_t *c, bool waits)
{
    wts_request_t q = {.communicator = c->communicator,
                       .post = c->call.start,
                       .peer = c->destination,
                       .tag = c->send_tag,
                       .rank = c->rank,
                       .bytes = c->sent,
                       .kind = TRACE_MPI_SENDS};
    if (q.peer < 0) return;
    q.order = next_order(r, true, q.communicator, q.peer, q.tag);
    add_end(r, &q, c->call.start, waits ? c->call.end : c->call.start);
}

static void receive(wts_reading_t *r, const trace_mpi_t *c)
{
    wts_request_t q = {.communicator = c->communicator,
                       .post = c->call.start,
                       .peer = c->source,
                       .tag = c->receive_tag,
                       .rank = c->rank,
                       .bytes = c->received,
                       .kind = TRACE_MPI_RECEIVES};
    if (q.peer < 0) return;
    q.order = next_order(r, false, q.communicator, q.peer, q.tag);
    add_end(r, &q, c->call.start, c->call.end);
}

/* Keeps a request until a call has completed it. */
static void begin_request(wts_reading_t *r, const trace_mpi_t *c, wts_request_t q)
{
    if (!c->request) return;
    q.communicator = c->communicator;
    q.post = c->call.start;
    q.rank = c->rank;
    if (!BASE_GROW(r->requests, r->request_count, &r->request_room) ||
        !out_numbers_set(&r->pending, c->request, r->request_count + 1)) {
        r->rows->failed = true;
        return;
    }
    r->requests[r->request_count++] = q;
}

static void begin_message(wts_reading_t *r, const trace_mpi_t *c, bool sends)
{
    wts_request_t q = {.peer = sends ? c->destination : c->source,
                       .tag = sends ? c->send_tag : c->receive_tag,
                       .kind = sends ? TRACE_MPI_SENDS : TRACE_MPI_RECEIVES};
    if (sends && !c->request) {
        send(r, c, false); /* complete at once */
        return;
    }
    q.ordered = q.peer >= 0 && q.tag != TRACE_MPI_ANY;
    if (q.ordered) q.order = next_order(r, sends, c->communicator, q.peer, q.tag);
    begin_request(r, c, q);
}

static void complete(wts_reading_t *r, const trace_mpi_t *wait, const trace_mpi_done_t *done)
{
    const uint64_t place = out_numbers_get(&r->pending, done->request);
    wts_request_t *q = place ? &r->requests[place - 1] : NULL;
    if (!q || q->complete) return;
    q->complete = true;
    if (q->kind != TRACE_MPI_COLLECTS) {
        q->peer = done->peer;
        q->tag = done->tag;
        q->bytes = done->bytes;
        if (!q->ordered && q->peer >= 0)
            q->order = next_order(r, false, q->communicator, q->peer, q->tag);
        add_end(r, q, wait->call.start, wait->call.end);
        return;
    }
    add_stay(r->rows, (wts_stay_row_t){.start = wait->call.start,
                                       .end = wait->call.end,
                                       .number = (uint32_t)q->order,
                                       .group = q->group,
                                       .blocks = true});
}

/* ---- calls ---- */

static void collective(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *c)
{
    if (!c->communicator || c->communicator == TRACE_MPI_SELF) return;
    if (f->class == TRACE_MPI_CREATE && !f->collective) return; /* not all members call it */
    const uint64_t number = count_on(r->rows, &r->next, c->communicator, 1);
    const int64_t group = take_part(r, f, c, number, false, is_direct(r, f, c));
    if (f->class == TRACE_MPI_ICOLLECTIVE && group >= 0)
        begin_request(
            r, c,
            (wts_request_t){.kind = TRACE_MPI_COLLECTS, .order = number, .group = (uint32_t)group});
}

/* Sums a call. The time of a rank is that between MPI_Init and MPI_Finalize, whose own durations
 * depend on the launcher. */
static void sum_up(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *c)
{
    wts_rank_t *rank = &r->rows->sums;
    const bool init = f->class == TRACE_MPI_INIT, over = f->class == TRACE_MPI_FINALIZE;
    const uint64_t first = init ? c->call.end : c->call.start;
    const uint64_t last = over ? c->call.start : c->call.end;
    if (!rank->calls || first < rank->first) rank->first = first;
    if (last > rank->last) rank->last = last;
    rank->calls++;
    if (init || over) return;
    rank->mpi_ns += c->call.end - c->call.start;
    rank->sent += c->sent;
    rank->received += c->received;
}

void wts_rccl_call(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *c)
{
    wts_rank_t *rank = &r->rows->sums;
    if (!c->communicator) return;
    const uint64_t number = count_on(r->rows, &r->next, c->communicator, 1);
    take_part(r, f, c, number, true, false);
    if (!rank->calls || c->call.start < rank->first) rank->first = c->call.start;
    if (c->call.end > rank->last) rank->last = c->call.end;
    rank->calls++;
    rank->sent += c->sent;
    rank->received += c->received;
}

void wts_call(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *c)
{
    uint32_t count;
    const trace_mpi_done_t *done = trace_mpi_done(c, &count);
    sum_up(r, f, c);
    switch (f->class) {
    case TRACE_MPI_COLLECTIVE:
    case TRACE_MPI_ICOLLECTIVE:
    case TRACE_MPI_CREATE: collective(r, f, c); break;
    case TRACE_MPI_SEND: send(r, c, true); break;
    case TRACE_MPI_RECV: receive(r, c); break;
    case TRACE_MPI_SENDRECV:
        send(r, c, false);
        receive(r, c);
        break;
    case TRACE_MPI_ISEND:
    case TRACE_MPI_IRECV: begin_message(r, c, f->class == TRACE_MPI_ISEND); break;
    case TRACE_MPI_WAIT:
        for (uint32_t i = 0; i < count; i++)
            complete(r, c, &done[i]);
        break;
    case TRACE_MPI_PROBE:
    case TRACE_MPI_INIT:
    case TRACE_MPI_FINALIZE:
    case TRACE_MPI_ABORT:
    case TRACE_MPI_FREE: break;
    }
    r->before_end = c->call.end;
    r->before_communicator = c->communicator;
    r->before_joins = f->class == TRACE_MPI_COLLECTIVE &&
                      wts_direction(f->collective) == WTS_FOR_ALL &&
                      f->collective != TRACE_MPI_OP_SCAN && f->collective != TRACE_MPI_OP_EXSCAN;
}

void wts_reading_end(wts_reading_t *r)
{
    free(r->next.rows);
    free(r->orders.rows);
    free(r->pending.rows);
    free(r->requests);
}
