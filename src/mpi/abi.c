/* abi.c - the wrappers for one implementation of MPI: compiled for each, with its mpi.h.
 *
 * The wrappers are generated from trace/mpi.tsv; here are the functions that they call. Handles are
 * pointers in Open MPI and numbers in MPICH: a few macros convert a handle to a key, and a handle
 * of Fortran to one of C. The bridge queries MPI only after the program's own call has succeeded,
 * with the same handles, so that it never causes an error of its own. */
#include <mpi.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/bridge.h"
#include "mpi/call.h"

static struct {
    __typeof__(PMPI_Type_size) *type_size;
    __typeof__(PMPI_Comm_rank) *comm_rank;
    __typeof__(PMPI_Comm_size) *comm_size;
    __typeof__(PMPI_Comm_test_inter) *comm_test_inter;
    __typeof__(PMPI_Comm_group) *comm_group;
    __typeof__(PMPI_Comm_remote_group) *comm_remote_group;
    __typeof__(PMPI_Group_size) *group_size;
    __typeof__(PMPI_Group_translate_ranks) *group_translate;
    __typeof__(PMPI_Group_free) *group_free;
    __typeof__(PMPI_Isend) *isend;
    __typeof__(PMPI_Irecv) *irecv;
    __typeof__(PMPI_Wait) *wait;
#ifdef OPEN_MPI
    __typeof__(PMPI_Comm_f2c) *comm_f2c;
    __typeof__(PMPI_Type_f2c) *type_f2c;
    __typeof__(PMPI_Request_f2c) *request_f2c;
    void *world, *self, *no_comm, *byte;
#endif
    MPI_Fint **f_no_status, **f_no_statuses;
    void *f_in_place, **f_in_place_at;
} abi;

#ifdef OPEN_MPI
#define ABI_ENTRIES  mpi_openmpi_entries
#define ABI_BEGIN    mpi_openmpi_begin
#define ABI_COMM(f)  abi.comm_f2c(f)
#define ABI_TYPE(f)  abi.type_f2c(f)
#define ABI_KEY(c)   ((uint64_t)(uintptr_t)(c))
#define F_REQUEST(f) ABI_KEY(abi.request_f2c(f))
#define STATUS_WORDS 6
/* these are addresses of the library's data, which the loader may not find in any scope that it
 * searches */
#undef MPI_COMM_WORLD
#undef MPI_COMM_SELF
#undef MPI_COMM_NULL
#undef MPI_BYTE
#define MPI_BYTE       ((MPI_Datatype)abi.byte)
#define MPI_COMM_WORLD ((MPI_Comm)abi.world)
#define MPI_COMM_SELF  ((MPI_Comm)abi.self)
#define MPI_COMM_NULL  ((MPI_Comm)abi.no_comm)
#else
#define ABI_ENTRIES  mpi_mpich_entries
#define ABI_BEGIN    mpi_mpich_begin
#define ABI_COMM(f)  ((MPI_Comm)(f))
#define ABI_TYPE(f)  ((MPI_Datatype)(f))
#define ABI_KEY(c)   ((uint64_t)(uint32_t)(c))
#define F_REQUEST(f) ABI_KEY(f)
#define STATUS_WORDS 5
#endif

typedef struct {
    MPI_Fint words[STATUS_WORDS];
} abi_f_status_t;
_Static_assert(sizeof(abi_f_status_t) == sizeof(MPI_Status), "Fortran's status is C's");

bool ABI_BEGIN(void *(*find)(const char *symbol))
{
#define FIND(member, symbol) (*(void **)&abi.member = find(symbol))
    FIND(f_no_status, "MPI_F_STATUS_IGNORE");
    FIND(f_no_statuses, "MPI_F_STATUSES_IGNORE");
#ifdef OPEN_MPI
    FIND(f_in_place, "mpi_fortran_in_place_");
    if (!FIND(comm_f2c, "PMPI_Comm_f2c") || !FIND(type_f2c, "PMPI_Type_f2c") ||
        !FIND(request_f2c, "PMPI_Request_f2c") || !FIND(world, "ompi_mpi_comm_world") ||
        !FIND(self, "ompi_mpi_comm_self") || !FIND(byte, "ompi_mpi_byte") ||
        !FIND(no_comm, "ompi_mpi_comm_null"))
        return false;
#else
    FIND(f_in_place_at, "MPIR_F_MPI_IN_PLACE");
#endif
    return FIND(type_size, "PMPI_Type_size") && FIND(comm_rank, "PMPI_Comm_rank") &&
           FIND(comm_size, "PMPI_Comm_size") && FIND(comm_test_inter, "PMPI_Comm_test_inter") &&
           FIND(comm_group, "PMPI_Comm_group") &&
           FIND(comm_remote_group, "PMPI_Comm_remote_group") &&
           FIND(group_size, "PMPI_Group_size") && FIND(group_free, "PMPI_Group_free") &&
           FIND(group_translate, "PMPI_Group_translate_ranks") && FIND(isend, "PMPI_Isend") &&
           FIND(irecv, "PMPI_Irecv") && FIND(wait, "PMPI_Wait");
#undef FIND
}

/* ---- values ---- */

static inline uint64_t abi_comm_key(MPI_Comm comm)
{
    return ABI_KEY(comm);
}

static inline int32_t abi_rank(int rank)
{
    return rank == MPI_ANY_SOURCE  ? TRACE_MPI_ANY
           : rank == MPI_PROC_NULL ? TRACE_MPI_NULL
           : rank < 0              ? TRACE_MPI_NONE
                                   : rank;
}

static inline int32_t abi_tag(int tag)
{
    return tag == MPI_ANY_TAG ? TRACE_MPI_ANY : tag;
}

static inline uint64_t abi_bytes(int count, MPI_Datatype type)
{
    int size = 0;
    if (count <= 0 || abi.type_size(type, &size) != MPI_SUCCESS || size < 0) return 0;
    return (uint64_t)count * (uint64_t)size;
}

static inline uint64_t abi_sum(const mpi_call_t *call, const int *counts, MPI_Datatype type)
{
    uint64_t sum = 0;
    for (int i = 0; i < call->peers; i++)
        sum += counts[i] > 0 ? (uint64_t)counts[i] : 0;
    return sum ? sum * abi_bytes(1, type) : 0;
}

static inline bool abi_in_place(const void *buffer)
{
    return buffer == MPI_IN_PLACE || (abi.f_in_place && buffer == abi.f_in_place) ||
           (abi.f_in_place_at && *abi.f_in_place_at && buffer == *abi.f_in_place_at);
}

#define BYTES(count, type) abi_bytes(count, type)
#define SUM(counts, type)  abi_sum(call, counts, type)
#define IN_PLACE(buffer)   abi_in_place(buffer)

/* ---- communicators ---- */

/* Returns the ranks in MPI_COMM_WORLD of a communicator's members, to be freed; NULL without
 * memory. */
static uint32_t *members_of(MPI_Comm comm, __typeof__(PMPI_Comm_group) *group_of, int *count)
{
    MPI_Group group, world;
    uint32_t *members = NULL;
    *count = 0;
    if (group_of(comm, &group) != MPI_SUCCESS) return NULL;
    if (abi.comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        if (abi.group_size(group, count) == MPI_SUCCESS && *count > 0) {
            int *ranks = malloc((size_t)*count * sizeof(*ranks));
            /* one more, so that whole words of 8 bytes can be copied */
            members = calloc((size_t)*count + 1, sizeof(*members));
            for (int i = 0; ranks && i < *count; i++)
                ranks[i] = i;
            if (!ranks || !members ||
                abi.group_translate(group, *count, ranks, world, (int *)members) != MPI_SUCCESS) {
                free(members);
                members = NULL;
            }
            free(ranks);
        }
        abi.group_free(&world);
    }
    abi.group_free(&group);
    return members;
}

/* Queries the properties of a communicator, except for its id. */
static bool query(MPI_Comm comm, mpi_communicator_t *c)
{
    int inter = 0;
    if (abi.comm_rank(comm, &c->rank) != MPI_SUCCESS ||
        abi.comm_size(comm, &c->size) != MPI_SUCCESS ||
        abi.comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return false;
    c->inter = inter;
    return true;
}

/* Returns the id of a communicator with two groups, which is the same from both sides. */
static uint64_t id_of_two(MPI_Comm comm)
{
    int counts[2];
    uint32_t *groups[2] = {members_of(comm, abi.comm_group, &counts[0]),
                           members_of(comm, abi.comm_remote_group, &counts[1])};
    uint64_t id = 0;
    if (groups[0] && groups[1]) {
        const int low = groups[0][0] > groups[1][0];
        const uint64_t first = mpi_id(0, 0, groups[low], (uint32_t)counts[low]);
        id = mpi_id(first, 1, groups[!low], (uint32_t)counts[!low]) | TRACE_MPI_TWO_GROUPS;
    }
    free(groups[0]);
    free(groups[1]);
    return id;
}

/* Identifies a communicator by its members alone, since the function that has made it is not
 * traced. */
static bool identify(MPI_Comm comm, mpi_communicator_t *c)
{
    if (!query(comm, c)) return false;
    if (comm == MPI_COMM_WORLD) {
        c->id = TRACE_MPI_WORLD;
    } else if (comm == MPI_COMM_SELF) {
        c->id = TRACE_MPI_SELF;
    } else if (c->inter) {
        c->id = id_of_two(comm);
    } else {
        int count;
        uint32_t *members = members_of(comm, abi.comm_group, &count);
        c->id = members ? mpi_id(0, 0, members, (uint32_t)count) : 0;
        free(members);
    }
    mpi_communicator_keep(ABI_KEY(comm), c);
    return true;
}

static void abi_communicator(mpi_call_t *call, MPI_Comm comm)
{
    mpi_communicator_t c;
    if (!mpi_communicator_get(ABI_KEY(comm), &c) && (comm == MPI_COMM_NULL || !identify(comm, &c)))
        return;
    call->record.communicator = c.id;
    call->record.rank = c.rank;
    call->record.size = c.size;
    call->peers = c.inter ? 0 : c.size;
}

/* A new communicator's id follows from its parent's, from how many were made of that before, and
 * from its members. All members of the parent make them in the same order. Only the new
 * communicator's members call MPI_Comm_create_group: then it is counted among those of the same
 * members and tag. */
typedef struct {
    uint64_t parent, number;
    bool alone;
} mpi_creation_t;

static void abi_creation_begin(mpi_creation_t *creation, MPI_Comm comm, bool alone, int tag)
{
    mpi_communicator_t parent = {0};
    if (comm != MPI_COMM_NULL && !mpi_communicator_get(ABI_KEY(comm), &parent))
        identify(comm, &parent);
    *creation = (mpi_creation_t){.parent = parent.id, .number = (uint64_t)tag, .alone = alone};
}

static void abi_creation_end(mpi_call_t *call, mpi_creation_t *creation, MPI_Comm comm,
                             MPI_Comm parent)
{
    mpi_communicator_t c;
    int count = 0;
    abi_communicator(call, parent);
    if (!creation->alone) creation->number = mpi_communicator_creations(creation->parent);
    if (comm == MPI_COMM_NULL || !query(comm, &c)) return;
    uint32_t *members = c.inter ? NULL : members_of(comm, abi.comm_group, &count);
    if (creation->alone && members)
        creation->number = mpi_communicator_creations(
            mpi_id(creation->parent, creation->number, members, (uint32_t)count));
    c.id = c.inter   ? id_of_two(comm)
           : members ? mpi_id(creation->parent, creation->number, members, (uint32_t)count)
                     : 0;
    mpi_communicator_keep(ABI_KEY(comm), &c);
    call->record.made = c.id;
    if (members && count <= TRACE_MPI_MEMBERS_MAX) {
        call->record.count = (uint32_t)count;
        call->rest = members;
        call->rest_bytes = ((size_t)count * sizeof(*members) + 7) / 8 * 8;
    } else {
        free(members);
    }
}

/* To be called when the record has been put. */
static void abi_creation_free(mpi_call_t *call)
{
    free((void *)(uintptr_t)call->rest);
}

/* Finds the handles that several requests share: messages to and from MPI_PROC_NULL are complete at
 * once, as are small messages that MPI has copied, and their requests have the same handle. */
static void abi_init(mpi_call_t *call)
{
    MPI_Request request;
    abi_communicator(call, MPI_COMM_WORLD);
    if (abi.isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS) {
        mpi_request_is_shared(ABI_KEY(request));
        abi.wait(&request, MPI_STATUS_IGNORE);
    }
    if (abi.irecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS) {
        mpi_request_is_shared(ABI_KEY(request));
        abi.wait(&request, MPI_STATUS_IGNORE);
    }
}

/* ---- statuses ---- */

static inline uint64_t status_bytes(const MPI_Status *s)
{
#ifdef OPEN_MPI
    return s->_ucount;
#else
    return (uint64_t)(uint32_t)s->count_lo | (uint64_t)((uint32_t)s->count_hi_and_cancelled >> 1)
                                                 << 32;
#endif
}

static inline MPI_Status *c_own_status(MPI_Status *given, MPI_Status *own)
{
    return given == MPI_STATUS_IGNORE ? own : given;
}

static inline void c_take_status(mpi_call_t *call, const MPI_Status *s, bool data)
{
    call->record.source = abi_rank(s->MPI_SOURCE);
    call->record.receive_tag = abi_tag(s->MPI_TAG);
    if (data) call->record.received = status_bytes(s);
}

static inline bool f_ignores(const MPI_Fint *status, MPI_Fint *const *none)
{
    return none && status == *none;
}

static inline MPI_Fint *f_own_status(MPI_Fint *given, abi_f_status_t *own)
{
    return f_ignores(given, abi.f_no_status) ? own->words : given;
}

static inline void f_take_status(mpi_call_t *call, const MPI_Fint *s, bool data)
{
    MPI_Status status;
    memcpy(&status, s, sizeof(status));
    c_take_status(call, &status, data);
}

/* ---- requests ---- */

static inline uint64_t c_key(const MPI_Request *request)
{
    return ABI_KEY(*request);
}

static inline uint64_t f_key(const MPI_Fint *request)
{
    return F_REQUEST(*request);
}

/* The requests for which a call waits. They are taken out of the table before the call; those that
 * are not complete are put back afterwards. */
enum { FEW = 32 };
typedef struct {
    MPI_Status *statuses; /* passed to MPI's own function */
    int count;
    uint32_t completed;
    uint64_t *keys;
    mpi_request_t *requests;
    trace_mpi_done_t *done;
    void *memory;
    uint64_t few_keys[FEW];
    mpi_request_t few_requests[FEW];
    trace_mpi_done_t few_done[FEW];
    MPI_Status few_statuses[FEW];
} wait_t;

/* Allocates room for `count` requests; without memory, none of them is followed. */
static MPI_Status *wait_room(wait_t *w, int count)
{
    MPI_Status *statuses = w->few_statuses;
    w->count = count > 0 ? count : 0;
    w->completed = 0;
    w->memory = NULL;
    w->keys = w->few_keys;
    w->requests = w->few_requests;
    w->done = w->few_done;
    if (count <= FEW) return statuses;
    const size_t n = (size_t)count;
    char *at = w->memory = malloc(
        n * (sizeof(*w->keys) + sizeof(*w->requests) + sizeof(*w->done) + sizeof(*statuses)));
    if (!at) {
        w->count = 0;
        return NULL;
    }
    w->keys = (uint64_t *)at;
    w->requests = (mpi_request_t *)(w->keys + n);
    w->done = (trace_mpi_done_t *)(w->requests + n);
    return (MPI_Status *)(w->done + n);
}

static void done(wait_t *w, int which, const MPI_Status *status)
{
    mpi_request_t *request = which >= 0 && which < w->count ? &w->requests[which] : NULL;
    if (!request || !request->id) return;
    const bool came = request->kind == TRACE_MPI_RECEIVES;
    w->done[w->completed++] =
        (trace_mpi_done_t){.request = request->id,
                           .communicator = request->communicator,
                           .bytes = came ? status_bytes(status) : request->bytes,
                           .peer = came ? abi_rank(status->MPI_SOURCE) : request->peer,
                           .tag = came ? abi_tag(status->MPI_TAG) : request->tag,
                           .kind = request->kind};
    request->id = 0;
}

static void wait_all(mpi_call_t *call, wait_t *w, bool flag)
{
    call->left_out = !flag;
    for (int i = 0; flag && i < w->count; i++)
        done(w, i, &w->statuses[i]);
}

static void wait_any(mpi_call_t *call, wait_t *w, bool flag, int index)
{
    call->left_out = !flag;
    if (flag && index != MPI_UNDEFINED) done(w, index, w->statuses);
}

/* As wait_all, for the requests with these indices; `first` is the number of the first index. */
static void wait_some(mpi_call_t *call, wait_t *w, int count, const int *indices, int first)
{
    call->left_out = count == 0;
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        done(w, indices[i] - first, &w->statuses[i]);
}

static void describe_wait(mpi_call_t *call, wait_t *w)
{
    trace_mpi_t *r = &call->record;
    if (w->completed > TRACE_MPI_DONE_MAX) w->completed = TRACE_MPI_DONE_MAX;
    r->count = w->completed;
    call->rest = w->done;
    call->rest_bytes = w->completed * sizeof(*w->done);
    for (uint32_t i = 0; i < w->completed; i++)
        if (w->done[i].kind == TRACE_MPI_RECEIVES) r->received += w->done[i].bytes;
    if (w->completed != 1) return;
    r->communicator = w->done[0].communicator;
    if (w->done[0].kind != TRACE_MPI_RECEIVES) return;
    r->source = w->done[0].peer;
    r->receive_tag = w->done[0].tag;
}

static void wait_end(mpi_call_t *call, wait_t *w)
{
    for (int i = 0; i < w->count; i++)
        if (w->requests[i].id) mpi_request_put_back(w->keys[i], &w->requests[i]);
    if (!call->left_out) describe_wait(call, w);
    mpi_call_end(call);
    free(w->memory);
}

typedef wait_t c_wait_t;

static inline void c_wait_begin(wait_t *w, int count, const MPI_Request *requests,
                                MPI_Status *given, bool many)
{
    MPI_Status *own = wait_room(w, count);
    const bool ignored = many ? given == MPI_STATUSES_IGNORE : given == MPI_STATUS_IGNORE;
    w->statuses = ignored && own ? own : given;
    for (int i = 0; i < w->count; i++)
        mpi_request_take(w->keys[i] = c_key(&requests[i]), &w->requests[i]);
}

static inline void c_wait_all(mpi_call_t *call, wait_t *w, int flag)
{
    wait_all(call, w, flag);
}

static inline void c_wait_any(mpi_call_t *call, wait_t *w, int flag, int index)
{
    wait_any(call, w, flag, index);
}

static inline void c_wait_some(mpi_call_t *call, wait_t *w, const int *count, const int *indices)
{
    wait_some(call, w, *count, indices, 0);
}

static inline void c_wait_end(mpi_call_t *call, wait_t *w, bool good)
{
    (void)good;
    wait_end(call, w);
}

/* Fortran has the same statuses as C, but its indices begin with 1. */
typedef struct {
    wait_t wait;
    MPI_Fint *statuses;
} f_wait_t;

static inline void f_wait_begin(f_wait_t *w, int count, const MPI_Fint *requests, MPI_Fint *given,
                                bool many)
{
    MPI_Status *own = wait_room(&w->wait, count);
    const bool ignored = f_ignores(given, many ? abi.f_no_statuses : abi.f_no_status);
    w->statuses = ignored && own ? (MPI_Fint *)own : given;
    w->wait.statuses = (MPI_Status *)w->statuses;
    for (int i = 0; i < w->wait.count; i++)
        mpi_request_take(w->wait.keys[i] = f_key(&requests[i]), &w->wait.requests[i]);
}

static inline void f_wait_all(mpi_call_t *call, f_wait_t *w, int flag)
{
    wait_all(call, &w->wait, flag);
}

static inline void f_wait_any(mpi_call_t *call, f_wait_t *w, int flag, int index)
{
    wait_any(call, &w->wait, flag, index == MPI_UNDEFINED ? index : index - 1);
}

static inline void f_wait_some(mpi_call_t *call, f_wait_t *w, const int *count, const int *indices)
{
    wait_some(call, &w->wait, *count, indices, 1);
}

static inline void f_wait_end(mpi_call_t *call, f_wait_t *w, bool good)
{
    (void)good;
    wait_end(call, &w->wait);
}

#pragma GCC diagnostic ignored "-Wcast-function-type"
#include "mpi/mpi_wrappers.inc"
