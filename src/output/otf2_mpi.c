/* otf2_mpi.c - see otf2_mpi.h. Each class of functions is a case in both functions that write
 * events. */
#include "output/otf2_mpi.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ORDER: trace_mpi_collective_t */
static const OTF2_CollectiveOp operations[] = {
#define OP(name) [TRACE_MPI_OP_##name] = OTF2_COLLECTIVE_OP_##name,
    OP(BARRIER) OP(BCAST) OP(REDUCE) OP(ALLREDUCE) OP(GATHER) OP(GATHERV) OP(SCATTER)
        OP(SCATTERV)                                                                  /* */
    OP(ALLGATHER) OP(ALLGATHERV) OP(ALLTOALL) OP(ALLTOALLV) OP(REDUCE_SCATTER)        /* */
    OP(REDUCE_SCATTER_BLOCK) OP(SCAN) OP(EXSCAN) OP(CREATE_HANDLE) OP(DESTROY_HANDLE) /* */
#undef OP
};

static void check(otf2_mpi_t *m, OTF2_ErrorCode code)
{
    if (m->error == OTF2_SUCCESS) m->error = code;
}

/* ---- communicators ---- */

static uint32_t add_communicator(otf2_mpi_t *m, uint64_t id, const uint32_t *members,
                                 uint32_t count)
{
    const uint64_t place = out_numbers_get(&m->by_id, id);
    if (place) return (uint32_t)place;
    uint32_t *copy = count ? malloc(count * sizeof(*copy)) : NULL;
    if ((count && !copy) || !BASE_GROW_BY_ONE(m->communicators, m->count)) {
        free(copy);
        check(m, OTF2_ERROR_MEM_FAULT);
        return 0;
    }
    if (copy) memcpy(copy, members, count * sizeof(*copy));
    m->communicators[m->count++] = (otf2_communicator_t){id, copy, count};
    if (!out_numbers_set(&m->by_id, id, m->count)) check(m, OTF2_ERROR_MEM_FAULT);
    return (uint32_t)m->count;
}

/* Returns the index + 1 of a communicator; 0 if its members are not known, so that no events can
 * refer to its ranks. */
static uint32_t communicator_of(otf2_mpi_t *m, uint64_t id)
{
    return id == TRACE_MPI_WORLD || id == TRACE_MPI_SELF ? add_communicator(m, id, NULL, 0)
                                                         : (uint32_t)out_numbers_get(&m->by_id, id);
}

/* Notes the location of a rank: the thread that calls MPI first stands for its rank. */
static void note_rank(otf2_mpi_t *m, uint64_t location, const trace_mpi_t *r)
{
    if (r->communicator != TRACE_MPI_WORLD || r->rank < 0 || r->size < 0) return;
    const uint32_t size = m->size < (uint32_t)r->size ? (uint32_t)r->size : m->size;
    if (!BASE_RESERVE_ZEROS(m->locations, size, &m->location_room)) {
        check(m, OTF2_ERROR_MEM_FAULT);
        return;
    }
    m->size = size; /* there are never fewer locations */
    if ((uint32_t)r->rank < m->size && !m->locations[r->rank]) m->locations[r->rank] = location;
}

/* ---- events ---- */

static uint32_t keep(otf2_mpi_t *m, const trace_mpi_t *r)
{
    const size_t bytes = trace_words(r->call.head) * 8u;
    size_t at = 0;
    while (at < m->pending_count && m->pending[at])
        at++;
    trace_mpi_t *copy = malloc(bytes);
    if (!copy || (at == m->pending_count && !BASE_GROW_BY_ONE(m->pending, m->pending_count))) {
        free(copy);
        check(m, OTF2_ERROR_MEM_FAULT);
        return 0;
    }
    if (at == m->pending_count) m->pending_count++;
    memcpy(copy, r, bytes);
    m->pending[at] = copy;
    return (uint32_t)at + 1;
}

static void begin_send(otf2_mpi_t *m, OTF2_EvtWriter *w, const trace_mpi_t *r, uint64_t *events)
{
    const uint32_t c = communicator_of(m, r->communicator);
    if (!c || r->destination < 0) return;
    const uint32_t to = (uint32_t)r->destination, tag = (uint32_t)r->send_tag;
    check(m, r->request ? OTF2_EvtWriter_MpiIsend(w, NULL, r->call.start, to, c - 1, tag, r->sent,
                                                  r->request)
                        : OTF2_EvtWriter_MpiSend(w, NULL, r->call.start, to, c - 1, tag, r->sent));
    ++*events;
}

uint32_t otf2_mpi_begins(otf2_mpi_t *m, OTF2_EvtWriter *w, uint64_t location, const trace_mpi_t *r,
                         uint64_t *events)
{
    uint32_t count;
    const trace_mpi_function_t *f = trace_mpi_function(trace_operation(r->call.head));
    const uint32_t *members = trace_mpi_members(r, &count);
    note_rank(m, location, r);
    if (!f || (m->alone && m->size > 1)) return 0;
    if (count) add_communicator(m, r->made, members, count);
    switch (f->class) {
    case TRACE_MPI_SEND:
    case TRACE_MPI_ISEND: begin_send(m, w, r, events); return 0;
    case TRACE_MPI_SENDRECV: begin_send(m, w, r, events); return keep(m, r);
    case TRACE_MPI_RECV:
    case TRACE_MPI_WAIT: return keep(m, r);
    case TRACE_MPI_IRECV:
        if (!r->request) return 0;
        check(m, OTF2_EvtWriter_MpiIrecvRequest(w, NULL, r->call.start, r->request));
        ++*events;
        return 0;
    case TRACE_MPI_COLLECTIVE:
    case TRACE_MPI_CREATE:
        if (!f->collective || !communicator_of(m, r->communicator)) return 0;
        check(m, OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, r->call.start));
        ++*events;
        return keep(m, r);
    case TRACE_MPI_INIT:
    case TRACE_MPI_FINALIZE:
    case TRACE_MPI_ABORT:
    case TRACE_MPI_PROBE:
    case TRACE_MPI_ICOLLECTIVE: /* this version of the format has no events for it */
    case TRACE_MPI_FREE: return 0;
    }
    return 0;
}

static void end_request(otf2_mpi_t *m, OTF2_EvtWriter *w, uint64_t ns, const trace_mpi_done_t *d,
                        uint64_t *events)
{
    const uint32_t c = communicator_of(m, d->communicator);
    if (d->kind == TRACE_MPI_SENDS)
        check(m, OTF2_EvtWriter_MpiIsendComplete(w, NULL, ns, d->request));
    else if (d->kind == TRACE_MPI_RECEIVES && c && d->peer >= 0)
        check(m, OTF2_EvtWriter_MpiIrecv(w, NULL, ns, (uint32_t)d->peer, c - 1, (uint32_t)d->tag,
                                         d->bytes, d->request));
    else
        return;
    ++*events;
}

static void write_end(otf2_mpi_t *m, OTF2_EvtWriter *w, const trace_mpi_t *r, uint64_t *events)
{
    uint32_t count;
    const trace_mpi_function_t *f = trace_mpi_function(trace_operation(r->call.head));
    const trace_mpi_done_t *done = trace_mpi_done(r, &count);
    const uint32_t c = communicator_of(m, r->communicator);
    const uint64_t ns = r->call.end;
    if (f->class == TRACE_MPI_WAIT) {
        for (uint32_t i = 0; i < count; i++)
            end_request(m, w, ns, &done[i], events);
    } else if (f->class == TRACE_MPI_COLLECTIVE || f->class == TRACE_MPI_CREATE) {
        check(m, OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, ns, operations[f->collective], c - 1,
                                                 r->root >= 0 ? (uint32_t)r->root
                                                              : OTF2_UNDEFINED_UINT32,
                                                 r->sent, r->received));
        ++*events;
    } else if (c && r->source >= 0) {
        check(m, OTF2_EvtWriter_MpiRecv(w, NULL, ns, (uint32_t)r->source, c - 1,
                                        (uint32_t)r->receive_tag, r->received));
        ++*events;
    }
}

void otf2_mpi_ends(otf2_mpi_t *m, OTF2_EvtWriter *w, uint32_t pending, uint64_t *events)
{
    trace_mpi_t **place = &m->pending[pending - 1];
    write_end(m, w, *place, events);
    free(*place);
    *place = NULL;
}

/* ---- definitions ---- */

uint32_t otf2_mpi_missing(const otf2_mpi_t *m)
{
    uint32_t missing = 0;
    if (!m->count) return 0;
    for (uint32_t i = 0; i < m->size; i++)
        missing += !m->locations[i];
    return missing;
}

typedef struct {
    otf2_mpi_t *m;
    OTF2_GlobalDefWriter *w;
    uint64_t *all;   /* the numbers 0, 1, ..., one for each rank */
    uint32_t groups; /* number of groups so far */
    bool define;
} definer_t;

static void define_group(const definer_t *d, uint32_t group, uint32_t name, OTF2_GroupType type,
                         uint32_t count)
{
    if (d->define)
        check(d->m, OTF2_GlobalDefWriter_WriteGroup(d->w, group, name, type, OTF2_PARADIGM_MPI,
                                                    OTF2_GROUP_FLAG_NONE, count, d->all));
}

enum { GROUP_LOCATIONS, GROUP_SELF, GROUPS };

static void define_communicator(definer_t *d, uint32_t i, uint32_t name)
{
    const otf2_communicator_t *c = &d->m->communicators[i];
    const uint32_t count = c->members ? c->count : d->m->size;
    uint32_t known = 0;
    for (uint32_t k = 0; k < count && k < d->m->size; k++) {
        const uint32_t rank = c->members ? c->members[k] : k;
        if (rank < d->m->size) d->all[known++] = rank;
    }
    const bool self = c->id == TRACE_MPI_SELF;
    const uint32_t group = self ? GROUP_SELF : d->groups++;
    if (!self) define_group(d, group, name, OTF2_GROUP_TYPE_COMM_GROUP, known);
    if (d->define)
        check(d->m, OTF2_GlobalDefWriter_WriteComm(d->w, i, name, group, OTF2_UNDEFINED_COMM,
                                                   OTF2_COMM_FLAG_NONE));
}

void otf2_mpi_define(otf2_mpi_t *m, OTF2_GlobalDefWriter *w, uint64_t next,
                     uint32_t (*text)(void *data, const char *name), void *data, bool define)
{
    definer_t d = {.m = m, .w = w, .groups = GROUPS, .define = define};
    if (!m->count) return;
    d.all = calloc(m->size + 1, sizeof(*d.all));
    if (!d.all) {
        check(m, OTF2_ERROR_MEM_FAULT);
        return;
    }
    for (uint32_t i = 0; i < m->size; i++)
        d.all[i] = m->locations[i] ? m->locations[i] : next++;
    define_group(&d, GROUP_LOCATIONS, text(data, "MPI"), OTF2_GROUP_TYPE_COMM_LOCATIONS, m->size);
    define_group(&d, GROUP_SELF, text(data, "MPI_COMM_SELF"), OTF2_GROUP_TYPE_COMM_SELF, 0);
    for (uint32_t i = 0; i < m->count; i++) {
        char name[32];
        trace_mpi_communicator(m->communicators[i].id, name);
        define_communicator(&d, i, text(data, name));
    }
    free(d.all);
}

void otf2_mpi_free(otf2_mpi_t *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->communicators[i].members);
    for (size_t i = 0; i < m->pending_count; i++)
        free(m->pending[i]);
    free(m->communicators);
    free(m->pending);
    free(m->locations);
    free(m->by_id.rows);
}
