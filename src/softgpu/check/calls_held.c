/* calls_held.c - holds memory that the program has freed back from the runtime for a while. The
 * memory is not allocated again at once, so that late accesses to it are found.
 *
 * Memory is dead when no work can use it any more. hipFree waits for the device, so its memory is
 * dead when it returns. Memory of hipFreeAsync is dead when its stream has reached the free, which
 * a callback on the stream reports. Before a call whose result depends on free memory, the runtime
 * gets the held memory back. */
#include "softgpu/check/calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_MAX = 4096, HELD_MIB = 256 };

typedef struct held {
    struct held *next;
    char *at;
    softgpu_check_place_t place;
    const char *call;
    calls_free_t *free_it;
    _Atomic bool dead; /* all work that was submitted before the free is complete */
} held_t;

static struct {
    pthread_mutex_t lock;
    held_t *first, **last; /* oldest first */
    uint64_t bytes, limit; /* limit 0: nothing is held */
    unsigned n;
    pthread_once_t once;
    _Atomic int captures; /* number of streams being captured */
} held = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

void calls_held_forget(void)
{
    pthread_mutex_init(&held.lock, NULL);
    held.first = NULL;
    held.last = &held.first;
    held.bytes = held.n = 0;
}

static void *function(const char *name)
{
    _Atomic(void *) found = NULL;
    return find_next(&found, name);
}

static _Thread_local bool asked; /* the checker has called HIP in this call of the program, which
                                    replaces HIP's last error */

bool calls_profiled(void)
{
    return getenv("ROCP_TOOL_LIBRARIES") || getenv("HSA_TOOLS_LIB");
}

static void choose_limit(void)
{
    const char *mib = getenv("SOFTGPU_CHECK_HELD");
    int devices = 0;
    int (*count)(int *) = (int (*)(int *))function("hipGetDeviceCount");
    held.last = &held.first;
    if (calls_profiled()) return;
    /* hipDeviceSynchronize waits for the current device, which with several devices need not be the
     * one whose memory is freed */
    asked = true;
    if (!count || count(&devices) != GOOD || devices != 1) return;
    held.limit = (mib ? strtoull(mib, NULL, 10) : HELD_MIB) << 20;
}

static bool is_wanted(void)
{
    if (calls_outer || !api()) return false;
    pthread_once(&held.once, choose_limit);
    return held.limit;
}

/* Whether hipFree and its like free exactly what this call allocated. */
static bool can_be_held(const softgpu_check_place_t *p)
{
    return !strncmp(p->made_by, "hip", 3) &&
           (strstr(p->made_by, "Alloc") || strstr(p->made_by, "Malloc")) && p->bytes <= held.limit;
}

/* ---- the list of held memory ---- */

/* Under the lock. */
static held_t **link_of(const void *at)
{
    held_t **link = &held.first;
    while (*link && (uint64_t)((const char *)at - (*link)->at) >= (*link)->place.bytes)
        link = &(*link)->next;
    return link;
}

static bool is_held(const void *at)
{
    pthread_mutex_lock(&held.lock);
    const bool found = *link_of(at);
    pthread_mutex_unlock(&held.lock);
    return found;
}

/* Adds an entry to the list. NULL: out of memory, or the address is held already. */
static held_t *keep(const held_t *what)
{
    held_t *h = malloc(sizeof *h);
    if (!h) return NULL;
    *h = *what;
    pthread_mutex_lock(&held.lock);
    const bool twice = *link_of(h->at);
    if (!twice) {
        *held.last = h;
        held.last = &h->next;
        held.bytes += h->place.bytes;
        held.n++;
    }
    pthread_mutex_unlock(&held.lock);
    if (twice) free(h);
    return twice ? NULL : h;
}

/* Under the lock. */
static held_t *take_out(held_t **link)
{
    held_t *h = *link;
    *link = h->next;
    if (!*link) held.last = link;
    held.bytes -= h->place.bytes;
    held.n--;
    return h;
}

/* Takes out an entry that is dead: the one that holds the address, or (NULL) the oldest while more
 * than `bytes` bytes or `n` entries are held. */
static held_t *take_next(const void *at, uint64_t bytes, unsigned n)
{
    held_t *h = NULL;
    pthread_mutex_lock(&held.lock);
    held_t **link = at ? link_of(at) : &held.first;
    if (*link && atomic_load(&(*link)->dead) && (at || held.bytes > bytes || held.n > n))
        h = take_out(link);
    pthread_mutex_unlock(&held.lock);
    return h;
}

static void release(held_t *h)
{
    int status;
    api()->released((uint64_t)(uintptr_t)h->at, h->place.number);
    INSIDE(h->call, status, h->free_it(h->at));
    (void)status; /* unused: the program's call has returned already */
    free(h);
}

static bool release_down_to(const void *at, uint64_t bytes, unsigned n)
{
    bool any = false;
    for (held_t *h; (h = take_next(at, bytes, n)); any = true)
        release(h);
    return any;
}

bool calls_capturing(void)
{
    return atomic_load(&held.captures) > 0;
}

bool calls_release_all(void)
{
    asked = false;
    const bool released = is_wanted() && release_down_to(NULL, 0, 0);
    return released || asked;
}

/* ---- frees ---- */

/* Memory that is held has been freed already: a second free of it is reported and refused. */
static bool is_refused(void *at, const char *call)
{
    softgpu_check_place_t place;
    return is_held(at) && !calls_going(at, call, SOFTGPU_CHECK_REPORT, &place);
}

/* An address in no allocation: HIP refuses to free it as it would refuse memory that it has freed
 * already, and sets its last error. */
#define NOWHERE ((void *)1)

bool calls_hold(void *at, const char *call, calls_free_t *free_it, int *status)
{
    held_t h = {.at = at, .call = call, .free_it = free_it, .dead = true};
    static _Atomic(void *) slot;
    int (*wait)(void) = (int (*)(void))find_next(&slot, "hipDeviceSynchronize");
    if (!at || !is_wanted()) return false;
    if (is_refused(at, call)) {
        INSIDE(call, *status, free_it(NOWHERE));
        return true;
    }
    if (calls_capturing() || !wait || !calls_going(at, call, 0, &h.place) || !can_be_held(&h.place))
        return false;
    INSIDE(call, *status, wait());
    if (*status != GOOD || !keep(&h)) return false;
    calls_gone(at, &h.place, call, true);
    release_down_to(NULL, held.limit, HELD_MAX);
    return true;
}

/* Callback: the stream has reached the free. */
static void reached(void *stream, int status, void *data)
{
    held_t *h = data;
    (void)stream;
    (void)status;
    calls_gone(h->at, &h->place, NULL, true);
    atomic_store(&h->dead, true);
}

static bool is_capturing(void *stream)
{
    static _Atomic(void *) slot;
    int (*ask)(void *, int *) = (int (*)(void *, int *))find_next(&slot, "hipStreamIsCapturing");
    int state = 0;
    return !ask || ask(stream, &state) != GOOD || state;
}

/* A free on a stream that cannot have a callback: the checker does not learn when the stream
 * reaches the free, so the memory is marked as about to be freed. */
static int free_unseen(void *at, void *stream, const char *call, int (*next)(void *, void *))
{
    softgpu_check_place_t place;
    int status;
    if (calls_going(at, call, 0, &place))
        api()->ending((uint64_t)(uintptr_t)at, place.number, call);
    INSIDE(call, status, next(at, stream));
    return status;
}

CALL(int, hipFreeAsync, (void *at, void *stream))
{
    NEXT(hipFreeAsync);
    static const char call[] = "hipFreeAsync";
    static _Atomic(void *) slot;
    int (*call_back)(void *, void (*)(void *, int, void *), void *, unsigned) =
        (int (*)(void *, void (*)(void *, int, void *), void *, unsigned))find_next(
            &slot, "hipStreamAddCallback");
    /* hipFree, since the stream may have been destroyed when the memory is given back */
    held_t h = {.at = at, .call = call, .free_it = (calls_free_t *)function("hipFree")}, *kept;
    int status;
    if (!at || !is_wanted() || !call_back || !h.free_it || is_capturing(stream))
        return free_unseen(at, stream, call, next);
    if (is_refused(at, call)) {
        INSIDE(call, status, h.free_it(NOWHERE)); /* hipFreeAsync itself may crash */
        return status;
    }
    if (calls_going(at, call, SOFTGPU_CHECK_REPORT, &h.place) && can_be_held(&h.place) &&
        (kept = keep(&h))) {
        api()->ending((uint64_t)(uintptr_t)at, h.place.number, call);
        INSIDE(call, status, call_back(stream, reached, kept, 0));
        if (status == GOOD) {
            release_down_to(NULL, held.limit, HELD_MAX);
            return GOOD;
        }
        pthread_mutex_lock(&held.lock);
        free(take_out(link_of(at)));
        pthread_mutex_unlock(&held.lock);
    }
    return free_unseen(at, stream, call, next);
}

/* ---- calls that would see that memory is held ---- */

/* X(name, parameters, arguments, address): before the call, the memory held at the address is given
 * back; NULL: all held memory. */
#define ASKS(X)                                                                                    \
    X(hipMemGetInfo, (size_t * left, size_t * total), (left, total), NULL)                         \
    X(hipMemPoolTrimTo, (void *pool, size_t bytes), (pool, bytes), NULL)                           \
    X(hipMemPoolDestroy, (void *pool), (pool), NULL)                                               \
    X(hipMemPoolGetAttribute, (void *pool, int what, void *to), (pool, what, to), NULL)            \
    X(hipDeviceReset, (void), (), NULL)                                                            \
    X(hipDevicePrimaryCtxReset, (int device), (device), NULL)                                      \
    X(hipPointerGetAttributes, (void *to, const void *at), (to, at), at)                           \
    X(hipPointerGetAttribute, (void *to, int what, void *at), (to, what, at), at)                  \
    X(hipMemGetAddressRange, (void **begin, size_t *bytes, void *at), (begin, bytes, at), at)      \
    X(hipMemPtrGetInfo, (void *at, size_t *bytes), (at, bytes), at)                                \
    X(hipHostGetDevicePointer, (void **to, void *at, unsigned flags), (to, at, flags), at)         \
    X(hipHostGetFlags, (unsigned *to, void *at), (to, at), at)                                     \
    X(hipIpcGetMemHandle, (void *to, void *at), (to, at), at)

#define X(name, parameters, arguments, address)                                                    \
    CALL(int, name, parameters)                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        int status;                                                                                \
        if (is_wanted()) release_down_to(address, 0, 0);                                           \
        INSIDE(#name, status, next arguments);                                                     \
        return status;                                                                             \
    }
ASKS(X)
#undef X

/* While a stream of a device is captured, no thread may wait for the device. X(name, parameters,
 * arguments, more): `more` is added to the number of captures. */
#define CAPTURES(X)                                                                                \
    X(hipStreamBeginCapture, (void *stream, int mode), (stream, mode), 1)                          \
    X(hipStreamBeginCapture_spt, (void *stream, int mode), (stream, mode), 1)                      \
    X(hipStreamBeginCaptureToGraph,                                                                \
      (void *stream, void *graph, const void *after, const void *data, size_t n, int mode),        \
      (stream, graph, after, data, n, mode), 1)                                                    \
    X(hipStreamEndCapture, (void *stream, void **graph), (stream, graph), -1)                      \
    X(hipStreamEndCapture_spt, (void *stream, void **graph), (stream, graph), -1)

#define X(name, parameters, arguments, more)                                                       \
    CALL(int, name, parameters)                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        const int status = next arguments;                                                         \
        if (status == GOOD) atomic_fetch_add(&held.captures, more);                                \
        return status;                                                                             \
    }
CAPTURES(X)
#undef X
