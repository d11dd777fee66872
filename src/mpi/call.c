/* call.c - see call.h. Two tables of handles, without locks.
 *
 * A key has its place within a window of WINDOW places that begins at the key's hash. A place is
 * taken by changing its key from 0 to BUSY, filled in, and published by storing the key; storing 0
 * frees it. While a handle is made or freed, only one thread uses it, so no place is read and
 * changed at the same time. */
#include "mpi/call.h"

#include "base/golden.h"

#include <errno.h>
#include <string.h>

#include "mpi/tool.h"

enum { WINDOW = 16, COMMUNICATORS = 4096, REQUESTS = 1 << 16, CREATIONS = 4096 };
#define BUSY UINT64_C(1)

/* Each array has WINDOW more places than there are hashes, so that no window wraps. */
static uint64_t communicator_keys[COMMUNICATORS + WINDOW], request_keys[REQUESTS + WINDOW],
    creation_keys[CREATIONS + WINDOW];
static mpi_communicator_t communicators[COMMUNICATORS + WINDOW];
static mpi_request_t requests[REQUESTS + WINDOW];
static uint64_t creations[CREATIONS + WINDOW];

static uint64_t shared[2];    /* handles that several requests share */
static uint64_t last_request; /* incremented atomically */
static __thread bool inside __attribute__((tls_model("initial-exec")));

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x * UINT64_C(0xd6e8feb86659fd93) ^ x >> 29;
}

/* Returns the place of the key; -1 if it has none. */
static long find(const uint64_t *keys, size_t places, uint64_t key)
{
    const size_t first = mix(key) & (places - 1);
    for (size_t i = first; i < first + WINDOW; i++)
        if (__atomic_load_n(&keys[i], __ATOMIC_ACQUIRE) == key) return (long)i;
    return -1;
}

/* Takes a place for the key, which is BUSY until publish() is called; -1 if there is no room. */
static long take_place(uint64_t *keys, size_t places, uint64_t key)
{
    const size_t first = mix(key) & (places - 1);
    for (size_t i = first; i < first + WINDOW; i++) {
        uint64_t none = 0;
        if (__atomic_load_n(&keys[i], __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&keys[i], &none, BUSY, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return (long)i;
    }
    return -1;
}

static void publish(uint64_t *keys, long place, uint64_t key)
{
    __atomic_store_n(&keys[place], key, __ATOMIC_RELEASE);
}

/* ---- calls ---- */

bool mpi_call_begin(mpi_call_t *call, uint32_t function)
{
    if (inside) return false;
    inside = true;
    call->peers = 0;
    call->left_out = false;
    call->rest = NULL;
    call->rest_bytes = 0;
    call->saved_errno = errno;
    call->record = (trace_mpi_t){TRACE_MPI_NO_NUMBERS};
    call->record.call.head = trace_head(TRACE_MPI, TRACE_KIND_MPI_API, function, 0, 0);
    call->record.call.start = mpi_tool_now();
    errno = call->saved_errno;
    return true;
}

void mpi_call_end(mpi_call_t *call)
{
    call->saved_errno = errno;
    if (!call->left_out) mpi_tool_put(&call->record, call->rest, call->rest_bytes);
    inside = false;
    errno = call->saved_errno;
}

/* ---- communicators ---- */

bool mpi_communicator_get(uint64_t key, mpi_communicator_t *found)
{
    const long place = find(communicator_keys, COMMUNICATORS, key);
    if (place < 0) return false;
    *found = communicators[place];
    return true;
}

void mpi_communicator_keep(uint64_t key, const mpi_communicator_t *communicator)
{
    const long place = take_place(communicator_keys, COMMUNICATORS, key);
    if (place < 0) return;
    communicators[place] = *communicator;
    publish(communicator_keys, place, key);
}

void mpi_communicator_ends(uint64_t key)
{
    const long place = find(communicator_keys, COMMUNICATORS, key);
    if (place >= 0) publish(communicator_keys, place, 0);
}

/* Ids are never removed, so that communicators that are made later get new numbers. If there is no
 * room for an id, all communicators made from it have the number 0, and those with the same members
 * have the same id. */
uint64_t mpi_communicator_creations(uint64_t id)
{
    long place = find(creation_keys, CREATIONS, id + 2);
    if (place < 0) {
        place = take_place(creation_keys, CREATIONS, id + 2);
        if (place < 0) return 0;
        creations[place] = 0;
        publish(creation_keys, place, id + 2);
    }
    return __atomic_fetch_add(&creations[place], 1, __ATOMIC_RELAXED);
}

uint64_t mpi_id(uint64_t parent, uint64_t number, const uint32_t *members, uint32_t count)
{
    uint64_t id = mix(parent + BASE_GOLDEN) ^ mix(number + 1);
    for (uint32_t i = 0; i < count; i++)
        id = mix(id + members[i] + 1);
    id &= ~TRACE_MPI_TWO_GROUPS;
    return id > UINT32_MAX ? id : id + ((uint64_t)1 << 32);
}

/* ---- requests ---- */

void mpi_request_is_shared(uint64_t key)
{
    __atomic_store_n(&shared[shared[0] && shared[0] != key], key, __ATOMIC_RELAXED);
}

static bool is_shared(uint64_t key)
{
    return key == __atomic_load_n(&shared[0], __ATOMIC_RELAXED) ||
           key == __atomic_load_n(&shared[1], __ATOMIC_RELAXED) ||
           /* the bridge has not seen the call that began it */
           find(request_keys, REQUESTS, key) >= 0;
}

void mpi_request_begins(mpi_call_t *call, uint64_t key, trace_mpi_request_t kind)
{
    trace_mpi_t *r = &call->record;
    const bool sends = kind == TRACE_MPI_SENDS;
    const long place = is_shared(key) ? -1 : take_place(request_keys, REQUESTS, key);
    if (place < 0) return;
    r->request = __atomic_add_fetch(&last_request, 1, __ATOMIC_RELAXED);
    requests[place] = (mpi_request_t){.id = r->request,
                                      .communicator = r->communicator,
                                      .bytes = sends ? r->sent : 0,
                                      .peer = sends ? r->destination : r->source,
                                      .tag = sends ? r->send_tag : r->receive_tag,
                                      .kind = kind};
    publish(request_keys, place, key);
}

void mpi_request_take(uint64_t key, mpi_request_t *request)
{
    const long place = find(request_keys, REQUESTS, key);
    request->id = 0;
    if (place < 0) return;
    *request = requests[place];
    publish(request_keys, place, 0);
}

void mpi_request_put_back(uint64_t key, const mpi_request_t *request)
{
    const long place = take_place(request_keys, REQUESTS, key);
    if (place < 0) return;
    requests[place] = *request;
    publish(request_keys, place, key);
}
