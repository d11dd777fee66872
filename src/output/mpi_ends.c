/* mpi_ends.c - see mpi_ends.h. As in src/waits, the n-th collective of a communicator is the same
 * in all of its members, and the n-th message between two ranks with the same tag that is sent is
 * the n-th that is received. A call is used only if MPI itself makes the bound true: where no byte
 * moves, a collective other than a barrier may end before others have come. */
#include "output/mpi_ends.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"

/* A request that is not complete yet. */
struct mpi_open {
    uint64_t request, communicator, stream, key, from;
    int32_t rank;
    bool ends;   /* what completes it is the end of a receive or of a collective */
    bool unsure; /* a receive of any source or tag, whose place among others is not known */
    bool over;   /* the row is unused */
};

/* ---- ends ---- */

static void add(mpi_ends_t *e, uint64_t stream, uint64_t key, uint64_t from, uint64_t to)
{
    if (!key || key & e->mask || (!from && !to)) return;
    if (!BASE_GROW(e->ends, e->count, &e->room)) {
        e->failed = true;
        return;
    }
    e->ends[e->count++] = (mpi_end_t){{key, from, to}, stream};
    e->count =
        trace_clock_ends_thin(e->ends, e->count, sizeof(*e->ends), TRACE_CLOCK_ENDS_MOST, &e->mask);
}

/* ---- streams ---- */

/* Sets the number of a stream. Returns false if there is no room for another stream. */
static bool set(mpi_ends_t *e, out_numbers_t *numbers, uint64_t stream, uint64_t number)
{
    if (out_numbers_get(numbers, stream))
        out_numbers_place(numbers, stream)->number = number;
    else if (numbers->count >= MPI_ENDS_STREAMS_MOST)
        return false;
    else if (!out_numbers_set(numbers, stream, number))
        e->failed = true;
    return true;
}

static void doubt(mpi_ends_t *e, uint64_t stream)
{
    e->partial |= !set(e, &e->unsure, stream, 1);
}

/* Returns the key of the next message or collective of a stream, which is that of `c`; 0 if there
 * are too many streams: then this one has no keys at all. Which of two calls that overlap, on two
 * threads, is the next one for MPI is not known. */
static uint64_t next_key(mpi_ends_t *e, uint64_t stream, const trace_mpi_t *c)
{
    const uint64_t order = out_numbers_get(&e->orders, stream);
    const uint64_t before = out_numbers_get(&e->until, stream);
    if (!set(e, &e->orders, stream, order + 1)) return 0;
    if (before > c->call.start) doubt(e, stream);
    if (before < c->call.end) set(e, &e->until, stream, c->call.end);
    return out_mix(out_mix(stream) ^ order);
}

static uint64_t stream_of(uint64_t communicator, int32_t from, int32_t to, int32_t tag)
{
    const uint64_t parts[] = {(uint64_t)(uint32_t)from << 32 | (uint32_t)to, (uint32_t)tag};
    return out_numbers_key(communicator, parts, 2);
}

static uint64_t collectives_of(uint64_t communicator)
{
    return out_numbers_key(communicator, NULL, 0);
}

/* ---- requests ---- */

static void open_request(mpi_ends_t *e, mpi_open_t row)
{
    if (!BASE_GROW(e->open, e->open_count, &e->open_room)) {
        e->failed = true;
        return;
    }
    size_t at = e->open_count++;
    for (; at && e->open[at - 1].request > row.request; at--)
        e->open[at] = e->open[at - 1];
    e->open[at] = row;
}

static mpi_open_t *find_request(const mpi_ends_t *e, uint64_t request)
{
    size_t i;
    BASE_SEARCH(i, e->open_count, e->open[i].request < request);
    mpi_open_t *row = i < e->open_count ? &e->open[i] : NULL;
    return row && row->request == request && !row->over ? row : NULL;
}

/* Removes a request; rows are moved once half of them are unused. */
static void close_request(mpi_ends_t *e, mpi_open_t *row)
{
    row->over = true;
    if (2 * ++e->open_over < e->open_count) return;
    size_t left = 0;
    for (size_t i = 0; i < e->open_count; i++)
        if (!e->open[i].over) e->open[left++] = e->open[i];
    e->open_count = left;
    e->open_over = 0;
}

static void complete(mpi_ends_t *e, const trace_mpi_t *wait, const trace_mpi_done_t *done)
{
    mpi_open_t *row = find_request(e, done->request);
    if (!row) return;
    if (row->unsure && done->peer >= 0) {
        doubt(e, stream_of(row->communicator, done->peer, row->rank, done->tag));
    } else if (!row->unsure) {
        add(e, row->stream, row->key, row->from, row->ends ? wait->call.end : 0);
    }
    close_request(e, row);
}

/* ---- messages ---- */

/* Returns whether the communicator is known, and has other processes. One of two groups has the
 * same ranks twice, and in its collectives a group waits for the other one only. */
static bool has_peers(const trace_mpi_t *c)
{
    return c->communicator && c->communicator != TRACE_MPI_SELF &&
           !(c->communicator & TRACE_MPI_TWO_GROUPS);
}

static void send(mpi_ends_t *e, const trace_mpi_t *c)
{
    if (!has_peers(c) || c->destination < 0) return;
    const uint64_t stream = stream_of(c->communicator, c->rank, c->destination, c->send_tag);
    add(e, stream, next_key(e, stream, c), c->call.start, 0);
}

static void receive(mpi_ends_t *e, const trace_mpi_t *c)
{
    if (!has_peers(c) || c->source < 0) return;
    const uint64_t stream = stream_of(c->communicator, c->source, c->rank, c->receive_tag);
    add(e, stream, next_key(e, stream, c), 0, c->call.end);
}

static void begin_receive(mpi_ends_t *e, const trace_mpi_t *c)
{
    mpi_open_t row = {.request = c->request,
                      .communicator = c->communicator,
                      .rank = c->rank,
                      .ends = true,
                      .unsure = c->source == TRACE_MPI_ANY || c->receive_tag == TRACE_MPI_ANY};
    if (!has_peers(c) || (c->source < 0 && c->source != TRACE_MPI_ANY)) return;
    if (!row.unsure) {
        row.stream = stream_of(c->communicator, c->source, c->rank, c->receive_tag);
        row.key = next_key(e, row.stream, c);
    }
    if (c->request)
        open_request(e, row);
    else if (row.unsure)
        e->partial = true; /* it is not known which message it gets */
}

/* ---- collectives ---- */

/* Whose end waits for whose begin. */
typedef enum { NOBODY, ALL_FOR_ALL, ALL_FOR_ROOT, ROOT_FOR_ALL } direction_t;

static direction_t direction_of(trace_mpi_collective_t operation)
{
    switch (operation) {
    case TRACE_MPI_OP_BARRIER:
    case TRACE_MPI_OP_ALLREDUCE:
    case TRACE_MPI_OP_ALLGATHER:
    case TRACE_MPI_OP_ALLTOALL:
    case TRACE_MPI_OP_REDUCE_SCATTER_BLOCK: return ALL_FOR_ALL;
    case TRACE_MPI_OP_BCAST:
    case TRACE_MPI_OP_SCATTER: return ALL_FOR_ROOT;
    case TRACE_MPI_OP_REDUCE:
    case TRACE_MPI_OP_GATHER: return ROOT_FOR_ALL;
    default: return NOBODY; /* some ranks may have nothing to give or to get */
    }
}

static void collective(mpi_ends_t *e, const trace_mpi_function_t *f, const trace_mpi_t *c)
{
    if (!has_peers(c)) return;
    if (f->class == TRACE_MPI_CREATE && !f->collective) return; /* not all members call it */
    const uint64_t stream = collectives_of(c->communicator), key = next_key(e, stream, c);
    const direction_t direction = direction_of(f->collective);
    const bool is_root = c->root >= 0 && c->root == c->rank;
    const bool begins = direction == ALL_FOR_ALL || (direction == ALL_FOR_ROOT && is_root) ||
                        (direction == ROOT_FOR_ALL && !is_root);
    const bool ends = direction == ALL_FOR_ALL || (direction == ALL_FOR_ROOT && !is_root) ||
                      (direction == ROOT_FOR_ALL && is_root);
    if (direction == NOBODY) return;
    if (f->collective != TRACE_MPI_OP_BARRIER && !c->sent && !c->received) return;
    const uint64_t from = begins ? c->call.start : 0;
    if (f->class == TRACE_MPI_COLLECTIVE)
        add(e, stream, key, from, ends ? c->call.end : 0);
    else if (c->request)
        open_request(
            e,
            (mpi_open_t){
                .request = c->request, .stream = stream, .key = key, .from = from, .ends = ends});
}

/* ---- calls ---- */

/* Notes the rank. Where the first record is not MPI_Init, calls before it are missing, and the
 * numbers of the others are wrong. */
static void note(mpi_ends_t *e, const trace_mpi_function_t *f, const trace_mpi_t *c)
{
    if (!e->begun) e->partial |= f->class != TRACE_MPI_INIT;
    e->begun = true;
    if (c->communicator != TRACE_MPI_WORLD || c->rank < 0 || e->size) return;
    e->rank = c->rank;
    e->size = c->size;
}

void out_mpi_ends_add(mpi_ends_t *e, const trace_mpi_t *c)
{
    uint32_t count;
    const trace_mpi_function_t *f = trace_mpi_function(trace_operation(c->call.head));
    if (!f || e->failed) return;
    note(e, f, c);
    const trace_mpi_done_t *done = trace_mpi_done(c, &count);
    switch (f->class) {
    case TRACE_MPI_SEND:
    case TRACE_MPI_ISEND: send(e, c); break;
    case TRACE_MPI_RECV: receive(e, c); break;
    case TRACE_MPI_SENDRECV:
        send(e, c);
        receive(e, c);
        break;
    case TRACE_MPI_IRECV: begin_receive(e, c); break;
    case TRACE_MPI_WAIT:
        for (uint32_t i = 0; i < count; i++)
            complete(e, c, &done[i]);
        break;
    case TRACE_MPI_COLLECTIVE:
    case TRACE_MPI_ICOLLECTIVE:
    case TRACE_MPI_CREATE: collective(e, f, c); break;
    case TRACE_MPI_INIT:
    case TRACE_MPI_FINALIZE:
    case TRACE_MPI_ABORT:
    case TRACE_MPI_PROBE:
    case TRACE_MPI_FREE: break;
    }
}

trace_clock_end_t *out_mpi_ends_take(const mpi_ends_t *e, size_t *count)
{
    const bool good = !e->failed && !e->partial && e->size > 1 && e->count;
    trace_clock_end_t *ends = good ? malloc(e->count * sizeof(*ends)) : NULL;
    *count = 0;
    for (size_t i = 0; ends && i < e->count; i++)
        if (!out_numbers_get(&e->unsure, e->ends[i].stream)) ends[(*count)++] = e->ends[i].end;
    return ends;
}

void out_mpi_ends_free(mpi_ends_t *e)
{
    free(e->ends);
    free(e->open);
    free(e->orders.rows);
    free(e->until.rows);
    free(e->unsure.rows);
    *e = (mpi_ends_t){0};
}
