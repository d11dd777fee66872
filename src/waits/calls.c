/* calls.c - what each call of MPI says of waiting: collectives by order, messages by their two
 * ends.
 *
 * All members of a communicator call its collectives in the same order, so the n-th call of each is
 * the same collective. Messages between two ranks with the same tag do not overtake each other, so
 * the n-th that is sent is the n-th that is received. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/internal.h"

/* A barrier that begins so soon behind a collective has nothing to order. */
enum { DIRECTLY_NS = 50000 };

/* A request that is not complete yet. */
typedef struct wts_request {
    uint64_t communicator, post;
    uint64_t order; /* of a message; or the number of a collective */
    uint64_t bytes;
    int32_t peer, tag, rank;
    uint8_t kind; /* trace_mpi_request_t */
    bool ordered; /* a receive that says from whom and which tag has its order from the beginning */
    bool complete; /* the row is free */
} wts_request_t;

/* Adds to a number that begins with 0; what it was before. */
static uint64_t count_on(wts_state_t *s, out_numbers_t *n, uint64_t key, uint64_t more)
{
    if (out_numbers_get(n, key)) {
        out_number_t *row = out_numbers_place(n, key);
        const uint64_t before = row->number - 1;
        row->number += more;
        return before;
    }
    if (!out_numbers_set(n, key, more + 1)) s->failed = true;
    return 0;
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

static void arrive(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *call,
                   uint64_t number, bool direct)
{
    const uint64_t start = call->call.start;
    wts_instance_t *i = instance_of(r->s, call->communicator, number);
    if (!i) return;
    if (!i->calls)
        *i = (wts_instance_t){.first = start,
                              .last = start,
                              .base = start,
                              .last_rank = r->rank,
                              .root_rank = UINT32_MAX,
                              .operation = (uint8_t)f->collective};
    i->calls++;
    i->direct += direct;
    i->offset_sum += (int64_t)(start - i->base);
    if (start < i->first) i->first = start;
    if (start > i->last) {
        i->last = start;
        i->last_rank = r->rank;
    }
    if (call->root >= 0 && call->root == call->rank) {
        i->root_rank = r->rank;
        i->root_start = start;
    }
}

static uint64_t overlap(uint64_t from, uint64_t to, uint64_t until)
{
    const uint64_t end = to < until ? to : until;
    return end > from ? end - from : 0;
}

/* The time from `from` to `to` that a rank has waited in the collective; `by`: for whom. */
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

/* Somebody has waited in a collective: a host, which stood still from `from` on, or a GPU. */
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

/* Of one rank, the calls of a barrier's instances that stand right behind another collective. */
typedef struct {
    uint32_t rank, calls, direct;
} tally_t;

/* The rank has been counted: does it do something between most times? */
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

static void add_stay(wts_state_t *s, wts_stay_t stay)
{
    if (BASE_GROW(s->stays, s->stay_count, &s->stay_room))
        s->stays[s->stay_count++] = stay;
    else
        s->failed = true;
}

static void take_part(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *call,
                      uint64_t number, bool on_gpu, bool direct)
{
    arrive(r, f, call, number, direct);
    wts_collective_t *c = collective_of(r->s, f, call->communicator);
    const wts_communicator_t *communicator = communicator_of(r->s, call->communicator);
    if (!c || !communicator || r->s->failed) return;
    c->calls++;
    c->total_ns += call->call.end - call->call.start;
    c->bytes += call->sent;
    add_stay(r->s, (wts_stay_t){.start = call->call.start,
                                .end = call->call.end,
                                .number = (uint32_t)number,
                                .rank = r->rank,
                                .communicator = (uint32_t)(communicator - r->s->communicators),
                                .collective = (uint32_t)(c - r->s->w->collectives) + 1,
                                .on_gpu = on_gpu,
                                .direct = direct,
                                .blocks = f->class != TRACE_MPI_ICOLLECTIVE});
}

/* Is it a barrier that nothing stands before but another collective? */
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

/* Which of the messages with this peer and tag is the next one. */
static uint64_t next_order(wts_reading_t *r, bool sends, uint64_t communicator, int32_t peer,
                           int32_t tag)
{
    return count_on(r->s, &r->orders, message_key(communicator, peer, sends, tag, 0), 1);
}

static void add_end(wts_reading_t *r, const wts_request_t *q, uint64_t from, uint64_t to)
{
    const bool sends = q->kind == TRACE_MPI_SENDS;
    if (q->peer < 0) return;
    wts_end(r->s,
            &(wts_end_t){
                .key = sends ? message_key(q->communicator, q->rank, q->peer, q->tag, q->order)
                             : message_key(q->communicator, q->peer, q->rank, q->tag, q->order),
                .post = q->post,
                .from = from,
                .to = to,
                .bytes = q->bytes,
                .rank = r->rank,
                .sends = sends});
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

/* Keeps a request until a call has seen it complete. */
static void begin_request(wts_reading_t *r, const trace_mpi_t *c, wts_request_t q)
{
    if (!c->request) return;
    q.communicator = c->communicator;
    q.post = c->call.start;
    q.rank = c->rank;
    if (!BASE_GROW(r->requests, r->request_count, &r->request_room) ||
        !out_numbers_set(&r->pending, c->request, r->request_count + 1)) {
        r->s->failed = true;
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
    const wts_communicator_t *communicator = communicator_of(r->s, q->communicator);
    if (!communicator) return;
    add_stay(r->s, (wts_stay_t){.start = wait->call.start,
                                .end = wait->call.end,
                                .number = (uint32_t)q->order,
                                .rank = r->rank,
                                .communicator = (uint32_t)(communicator - r->s->communicators),
                                .blocks = true});
}

/* ---- calls ---- */

static void collective(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *c)
{
    if (!c->communicator || c->communicator == TRACE_MPI_SELF) return;
    if (f->class == TRACE_MPI_CREATE && !f->collective) return; /* not called by all members */
    const uint64_t number = count_on(r->s, &r->next, c->communicator, 1);
    take_part(r, f, c, number, false, is_direct(r, f, c));
    if (f->class == TRACE_MPI_ICOLLECTIVE)
        begin_request(r, c, (wts_request_t){.kind = TRACE_MPI_COLLECTS, .order = number});
}

/* The time of a rank is that between MPI_Init and MPI_Finalize: how long these take is the
 * launcher's. */
static void sum_up(wts_reading_t *r, const trace_mpi_function_t *f, const trace_mpi_t *c)
{
    wts_rank_t *rank = &r->s->w->ranks[r->rank];
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
    wts_rank_t *rank = &r->s->w->ranks[r->rank];
    if (!c->communicator) return;
    const uint64_t number = count_on(r->s, &r->next, c->communicator, 1);
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

void wts_reading_begin(wts_reading_t *r, wts_state_t *s, uint32_t rank)
{
    *r = (wts_reading_t){.s = s, .rank = rank};
}

void wts_reading_end(wts_reading_t *r)
{
    free(r->next.rows);
    free(r->orders.rows);
    free(r->pending.rows);
    free(r->requests);
}
