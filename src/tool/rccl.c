/* rccl.c - see rccl.h. A function with a communicator is a row of `functions`.
 *
 * Communicators are known from the calls that make them. All members of one pass the same unique
 * id, whose hash is the communicator's number. A communicator that is split off another has a
 * number computed from the parent's, from how many were split off the parent before, and from the
 * colour. For a communicator whose creation was not seen (the tool was attached later), rank and
 * size are queried by RCCL's own functions. */
#include "tool/rccl.h"

#include "base/text.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <rocprofiler-sdk/rccl.h>

typedef rocprofiler_callback_tracing_rccl_api_data_t data_t;

/* ---- communicators ---- */

typedef struct {
    ncclComm_t handle; /* NULL: the row is unused */
    uint64_t id;       /* 0: not known */
    int rank, size;    /* -1: not queried yet */
    uint32_t splits;
} communicator_t;

enum { COMMUNICATORS = 256 };
static communicator_t communicators[COMMUNICATORS];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static __thread bool asking __attribute__((tls_model("initial-exec")));

bool tool_rccl_asks(void)
{
    return asking;
}

/* No lock is needed: a row is complete once its handle is set, and a program does not use a
 * communicator while it is made or destroyed. */
static communicator_t *find(ncclComm_t handle)
{
    for (unsigned i = 0; handle && i < COMMUNICATORS; i++)
        if (__atomic_load_n(&communicators[i].handle, __ATOMIC_ACQUIRE) == handle)
            return &communicators[i];
    return NULL;
}

/* Adds a communicator. Returns NULL if there are too many; nothing is recorded about such a
 * communicator. */
static communicator_t *note(ncclComm_t handle, uint64_t id, int rank, int size)
{
    if (!handle) return NULL;
    pthread_mutex_lock(&making);
    communicator_t *c = find(handle);
    for (unsigned i = 0; !c && i < COMMUNICATORS; i++)
        if (!communicators[i].handle) c = &communicators[i];
    if (c) {
        c->id = id;
        c->rank = rank;
        c->size = size;
        c->splits = 0;
        __atomic_store_n(&c->handle, handle, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&making);
    return c;
}

static void forget(ncclComm_t handle)
{
    communicator_t *c = find(handle);
    if (c) __atomic_store_n(&c->handle, NULL, __ATOMIC_RELEASE);
}

/* Returns the number of a communicator, which is never a number of MPI's own communicators. */
static uint64_t hash(const void *bytes, size_t count)
{
    const uint64_t h = base_hash64(BASE_HASH64, bytes, count);
    return h < 16 ? h + 16 : h;
}

static void note_all(const ncclComm_t *handles, int count)
{
    static uint64_t made;
    const uint64_t what[] = {(uint64_t)getpid(), __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED)};
    for (int i = 0; handles && i < count; i++)
        note(handles[i], hash(what, sizeof(what)), i, count);
}

static void note_split(ncclComm_t parent, int color, const ncclComm_t *handle)
{
    communicator_t *p = find(parent);
    if (!p) return;
    const uint64_t what[] = {p->id, __atomic_add_fetch(&p->splits, 1, __ATOMIC_RELAXED),
                             (uint32_t)color};
    if (handle && p->id) note(*handle, hash(what, sizeof(what)), -1, -1);
}

/* Queries rank and size by RCCL's functions. */
static void query_rank(communicator_t *c)
{
    void *library = dlopen("librccl.so.1", RTLD_NOLOAD | RTLD_LAZY);
    void *from = library ? library : RTLD_DEFAULT;
    ncclResult_t (*rank)(const ncclComm_t, int *), (*size)(const ncclComm_t, int *);
    int values[2] = {-1, -1};
    *(void **)&rank = dlsym(from, "ncclCommUserRank");
    *(void **)&size = dlsym(from, "ncclCommCount");
    asking = true;
    if (rank && size && rank(c->handle, &values[0]) == ncclSuccess &&
        size(c->handle, &values[1]) == ncclSuccess) {
        c->rank = values[0];
        c->size = values[1];
    }
    asking = false;
    if (library) dlclose(library);
}

static const communicator_t *known(ncclComm_t handle)
{
    communicator_t *c = find(handle);
    if (!c) c = note(handle, 0, -1, -1);
    if (c && c->size < 0) query_rank(c);
    return c;
}

/* ---- functions ---- */

/* How much a rank sends or receives, for N elements. */
typedef enum { NONE, N, N_EACH, ROOT_N, ROOT_N_EACH, OTHERS_N, UNKNOWN } bytes_t;

static const struct {
    bool there;
    bytes_t sent, received;
    size_t comm, count, type, root; /* offsets in the arguments; `root` 0: there is none */
    const char *peer;               /* what the rank that the root stands for is called */
} functions[ROCPROFILER_RCCL_API_ID_LAST] = {
#define AT(function, member) offsetof(rocprofiler_rccl_api_args_t, function.member)
#define ALL(function, n, sent, received)                                                           \
    [ROCPROFILER_RCCL_API_ID_##function] =                                                         \
        {true, sent, received, AT(function, comm), AT(function, n), AT(function, datatype),        \
         0,    NULL},
#define ROOTED(function, n, place, sent, received, peer)                                           \
    [ROCPROFILER_RCCL_API_ID_##function] = {true,                                                  \
                                            sent,                                                  \
                                            received,                                              \
                                            AT(function, comm),                                    \
                                            AT(function, n),                                       \
                                            AT(function, datatype),                                \
                                            AT(function, place),                                   \
                                            peer},
    ALL(ncclAllGather, sendcount, N, N_EACH)                   /* */
    ALL(ncclAllReduce, count, N, N)                            /* */
    ALL(ncclAllToAll, count, N_EACH, N_EACH)                   /* */
    ALL(ncclAllToAllv, sendcounts, UNKNOWN, UNKNOWN)           /* */
    ALL(ncclReduceScatter, recvcount, N_EACH, N)               /* */
    ROOTED(ncclBroadcast, count, root, ROOT_N, OTHERS_N, NULL) /* */
    ROOTED(ncclGather, sendcount, root, N, ROOT_N_EACH, NULL)  /* */
    ROOTED(ncclReduce, count, root, N, ROOT_N, NULL)           /* */
    ROOTED(ncclScatter, recvcount, root, ROOT_N_EACH, N, NULL) /* */
    ROOTED(ncclSend, count, peer, N, NONE, "destination")      /* */
    ROOTED(ncclRecv, count, peer, NONE, N, "source")           /* */
};

/* Indexed by ncclDataType_t, whose numbers are fixed: two types for each of the sizes up to 64
 * bits, then half, float, double, bfloat16, two of 8 bits. */
static const uint8_t type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

static size_t word(const data_t *d, size_t offset)
{
    size_t value;
    memcpy(&value, (const char *)&d->args + offset, sizeof(value));
    return value;
}

static int number(const data_t *d, size_t offset)
{
    int value;
    memcpy(&value, (const char *)&d->args + offset, sizeof(value));
    return value;
}

static void put_number(tool_rccl_put_t put, void *to, const char *name, int value)
{
    char text[16] = "";
    if (value >= 0) snprintf(text, sizeof(text), "%d", value);
    put(to, "int", name, text);
}

static void put_bytes(tool_rccl_put_t put, void *to, const char *name, bytes_t how, size_t n,
                      const communicator_t *c, int root)
{
    char text[24] = "";
    const bool ranked = how == ROOT_N || how == ROOT_N_EACH || how == OTHERS_N;
    const bool each = how == N_EACH || how == ROOT_N_EACH;
    if (how == NONE || (ranked && c && c->rank >= 0 && (c->rank == root) != (how != OTHERS_N)))
        n = 0;
    else if (how == UNKNOWN || ((ranked || each) && (!c || c->size < 0)))
        n = SIZE_MAX;
    else if (each)
        n *= (size_t)c->size;
    if (n != SIZE_MAX) snprintf(text, sizeof(text), "%zu", n);
    put(to, "size_t", name, text);
}

/* Notes the communicator that a call makes or ends. */
static void watch(uint32_t operation, const data_t *d)
{
    const rocprofiler_rccl_api_args_t *a = &d->args;
    const bool good = d->retval.ncclResult_t_retval == ncclSuccess ||
                      d->retval.ncclResult_t_retval == ncclInProgress;
    if (!good) return;
    switch (operation) {
    case ROCPROFILER_RCCL_API_ID_ncclCommInitRank:
        note(*a->ncclCommInitRank.newcomm,
             hash(&a->ncclCommInitRank.commId, sizeof(a->ncclCommInitRank.commId)),
             a->ncclCommInitRank.myrank, a->ncclCommInitRank.nranks);
        return;
    case ROCPROFILER_RCCL_API_ID_ncclCommInitRankConfig:
        note(*a->ncclCommInitRankConfig.comm,
             hash(&a->ncclCommInitRankConfig.commId, sizeof(a->ncclCommInitRankConfig.commId)),
             a->ncclCommInitRankConfig.myrank, a->ncclCommInitRankConfig.nranks);
        return;
    case ROCPROFILER_RCCL_API_ID_ncclCommInitAll:
        note_all(a->ncclCommInitAll.comms, a->ncclCommInitAll.ndev);
        return;
    case ROCPROFILER_RCCL_API_ID_ncclCommSplit:
        note_split(a->ncclCommSplit.comm, a->ncclCommSplit.color, a->ncclCommSplit.newcomm);
        return;
    case ROCPROFILER_RCCL_API_ID_ncclCommDestroy: forget(a->ncclCommDestroy.comm); return;
    case ROCPROFILER_RCCL_API_ID_ncclCommAbort: forget(a->ncclCommAbort.comm); return;
    }
}

void tool_rccl_values(rocprofiler_callback_tracing_record_t record, tool_rccl_put_t put, void *to)
{
    const data_t *d = record.payload;
    const uint32_t operation = (uint32_t)record.operation;
    if (!d || d->size < sizeof(*d) || operation >= ROCPROFILER_RCCL_API_ID_LAST) return;
    watch(operation, d);
    if (!functions[operation].there) return;
    char id[24] = "";
    const communicator_t *c = known((ncclComm_t)word(d, functions[operation].comm));
    const size_t type = (size_t)number(d, functions[operation].type);
    const size_t n =
        word(d, functions[operation].count) * (type < sizeof(type_bytes) ? type_bytes[type] : 0);
    const int root = functions[operation].root ? number(d, functions[operation].root) : -1;
    if (c && c->id) snprintf(id, sizeof(id), "0x%016" PRIx64, c->id);
    put(to, "ncclComm_t", "communicator", id);
    put_number(put, to, "rank", c ? c->rank : -1);
    put_number(put, to, "size", c ? c->size : -1);
    if (functions[operation].peer) put_number(put, to, functions[operation].peer, root);
    put_bytes(put, to, "bytes_sent", functions[operation].sent, n, c, root);
    put_bytes(put, to, "bytes_received", functions[operation].received, n, c, root);
}
