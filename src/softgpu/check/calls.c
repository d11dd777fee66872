/* calls.c - the calls by which programs allocate and free GPU memory and load code. */
#include "softgpu/check/calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

_Atomic(const softgpu_check_api_t *) calls_api;
_Thread_local const char *calls_outer;

static void made(void *at, size_t bytes, const char *call, unsigned flags)
{
    const softgpu_check_api_t *a = api();
    if (calls_outer) flags |= SOFTGPU_CHECK_INNER;
    if (a && at && bytes) a->made((uint64_t)(uintptr_t)at, bytes, call, flags);
}

bool calls_going(void *at, const char *call, unsigned flags, softgpu_check_place_t *place)
{
    const softgpu_check_api_t *a = api();
    *place = (softgpu_check_place_t){0};
    return a && at && a->going((uint64_t)(uintptr_t)at, call, flags, place);
}

void calls_gone(void *at, const softgpu_check_place_t *place, const char *call, bool held)
{
    const softgpu_check_api_t *a = api();
    if (a && place->number) a->gone((uint64_t)(uintptr_t)at, place->number, call, held);
}

/* ---- memory that is allocated ---- */

typedef struct {
    void *at;
    size_t pitch, width, height;
} pitched_t;

typedef struct {
    size_t width, height, depth;
} extent_t;

/* hipIpcMemHandle_t */
typedef struct {
    char reserved[64];
} ipc_t;

static size_t bytes_of(void *at)
{
    static _Atomic(void *) slot;
    size_t bytes = 0;
    void *begin = NULL;
    int (*range)(void **, size_t *, void *) =
        (int (*)(void **, size_t *, void *))find_next(&slot, "hipMemGetAddressRange");
    return range && range(&begin, &bytes, at) == GOOD && begin == at ? bytes : 0;
}

enum { PAGE = 4096 };

/* HIP maps managed allocations next to each other. One page more than the program wants is
 * allocated from HIP. That page belongs to no allocation, so that an access just beyond the end
 * does not hit the next allocation. */
static size_t with_guard(size_t bytes)
{
    return bytes && bytes <= SIZE_MAX - PAGE ? bytes + PAGE : bytes;
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) & -(size_t)PAGE;
}

/* Sizes that HIP requests from ROCr are rounded up to whole pages, so that the memory can be shared
 * with other processes: ROCr takes a part of a mapping for a part of a 2 MiB block, which does not
 * exist here, and may end the process. */
static size_t bytes_for_hip(size_t bytes)
{
    return calls_outer && calls_outer[1] == 'i' ? whole_pages(bytes) : bytes;
}

/* X(name, parameters, arguments, pointer, bytes) */
#define GIVES(X)                                                                                   \
    X(hipMalloc, (void **at, size_t bytes), (at, bytes), *at, bytes)                               \
    X(hipExtMallocWithFlags, (void **at, size_t bytes, unsigned flags), (at, bytes, flags), *at,   \
      bytes)                                                                                       \
    X(hipMallocManaged, (void **at, size_t bytes, unsigned flags), (at, with_guard(bytes), flags), \
      *at, bytes)                                                                                  \
    X(hipMallocHost, (void **at, size_t bytes), (at, bytes), *at, bytes)                           \
    X(hipMemAllocHost, (void **at, size_t bytes), (at, bytes), *at, bytes)                         \
    X(hipHostMalloc, (void **at, size_t bytes, unsigned flags), (at, bytes, flags), *at, bytes)    \
    X(hipHostAlloc, (void **at, size_t bytes, unsigned flags), (at, bytes, flags), *at, bytes)     \
    X(hipMallocAsync, (void **at, size_t bytes, void *stream), (at, bytes, stream), *at, bytes)    \
    X(hipMallocFromPoolAsync, (void **at, size_t bytes, void *pool, void *stream),                 \
      (at, bytes, pool, stream), *at, bytes)                                                       \
    X(hipMallocPitch, (void **at, size_t *pitch, size_t width, size_t height),                     \
      (at, pitch, width, height), *at, *pitch *height)                                             \
    X(hipMemAllocPitch, (void **at, size_t *pitch, size_t width, size_t height, unsigned element), \
      (at, pitch, width, height, element), *at, *pitch *height)                                    \
    X(hipMalloc3D, (pitched_t * to, extent_t extent), (to, extent), to->at,                        \
      to->pitch *extent.height *extent.depth)                                                      \
    X(hipIpcOpenMemHandle, (void **at, ipc_t handle, unsigned flags), (at, handle, flags), *at,    \
      bytes_of(*at))                                                                               \
    X(hipMemMap, (void *at, size_t bytes, size_t offset, void *handle, unsigned long long flags),  \
      (at, bytes, offset, handle, flags), at, bytes)                                               \
    X(hsa_memory_allocate, (uint64_t region, size_t bytes, void **at), (region, bytes, at), *at,   \
      bytes)                                                                                       \
    X(hsa_amd_memory_pool_allocate, (uint64_t pool, size_t bytes, uint32_t flags, void **at),      \
      (pool, bytes_for_hip(bytes), flags, at), *at, bytes)                                         \
    X(hsa_amd_ipc_memory_attach,                                                                   \
      (const void *handle, size_t bytes, uint32_t count, const void *agents, void **at),           \
      (handle, bytes, count, agents, at), *at, bytes)

/* Whether the program itself calls HIP. Only such calls release held memory: HIP's own calls of HSA
 * come while HIP holds locks. */
static bool is_hip(const char *name)
{
    return name[1] == 'i' && !calls_outer;
}

/* If the runtime is out of memory, the memory that is held (calls_held.c) is released and the call
 * repeated. Memory that is allocated while a stream is captured belongs to the graph. */
#define X(name, parameters, arguments, pointer, bytes)                                             \
    CALL(int, name, parameters)                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        int status;                                                                                \
        INSIDE(#name, status, next arguments);                                                     \
        if (status != GOOD && is_hip(#name) && calls_release_all())                                \
            INSIDE(#name, status, next arguments);                                                 \
        if (status == GOOD)                                                                        \
            made(pointer, bytes, #name, calls_capturing() ? SOFTGPU_CHECK_INNER : 0);              \
        calls_returned(#name, status);                                                             \
        return status;                                                                             \
    }
GIVES(X)
#undef X

/* The size passed to ROCr has to be that of the allocation, which bytes_for_hip() has rounded up.
 * If that size fails, the memory was allocated by the program itself, with the size given. */
CALL(int, hsa_amd_ipc_memory_create, (void *at, size_t bytes, void *handle))
{
    NEXT(hsa_amd_ipc_memory_create);
    const int status = next(at, whole_pages(bytes), handle);
    return status == GOOD ? status : next(at, bytes, handle);
}

CALL(void, __hipRegisterManagedVar,
     (void *module, void **at, void *value, const char *symbol, size_t bytes, unsigned alignment))
{
    NEXT_OR(__hipRegisterManagedVar, );
    next(module, at, value, symbol, bytes, alignment);
    const softgpu_check_api_t *a = api();
    if (a && *at && bytes) a->variable((uint64_t)(uintptr_t)*at, bytes, symbol);
}

/* ---- memory that is freed ---- */

static int take_back(void *at, const char *call, calls_free_t *next)
{
    softgpu_check_place_t place;
    int status;
    const char *const within = calls_outer;
    calls_going(at, call, SOFTGPU_CHECK_NOW | (within ? 0 : SOFTGPU_CHECK_REPORT), &place);
    INSIDE(call, status, next(at));
    if (status == GOOD) calls_gone(at, &place, within ? within : call, false);
    return status;
}

#define TAKES(X)                                                                                   \
    X(hipIpcCloseMemHandle)                                                                        \
    X(hsa_memory_free)                                                                             \
    X(hsa_amd_memory_pool_free)                                                                    \
    X(hsa_amd_ipc_memory_detach)

#define X(name)                                                                                    \
    CALL(int, name, (void *at))                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        return take_back(at, #name, next);                                                         \
    }
TAKES(X)
#undef X

/* These calls wait until nothing uses the memory. */
#define TAKES_LATER(X)                                                                             \
    X(hipFree)                                                                                     \
    X(hipHostFree)                                                                                 \
    X(hipFreeHost)

#define X(name)                                                                                    \
    CALL(int, name, (void *at))                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        int status;                                                                                \
        return calls_hold(at, #name, next, &status) ? status : take_back(at, #name, next);         \
    }
TAKES_LATER(X)
#undef X

CALL(int, hipMemUnmap, (void *at, size_t bytes))
{
    NEXT(hipMemUnmap);
    softgpu_check_place_t place;
    calls_going(at, "hipMemUnmap", SOFTGPU_CHECK_NOW, &place);
    const int status = next(at, bytes);
    if (status == GOOD) calls_gone(at, &place, "hipMemUnmap", false);
    return status;
}

/* ---- host memory that is locked for the GPU ---- */

typedef struct locked {
    struct locked *next;
    void *host;
    uintptr_t begin, end; /* GPU addresses of this range and of all locked ranges that overlap it;
                             together they count as one allocation */
} locked_t;

static struct {
    pthread_mutex_t lock;
    locked_t *first;
} locked = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The child has none of its parent's GPU memory. Its locks are initialised anew, since threads that
 * the child does not have may have held them. */
static void in_forked_child(void)
{
    pthread_mutex_init(&locked.lock, NULL);
    locked.first = NULL;
    calls_held_forget();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_forked_child);
}

/* Whether the calling thread is in one of the two calls in which HIP locks whole pages, not exactly
 * the range that the program named. */
static bool is_of_register(void)
{
    return calls_outer &&
           (!strcmp(calls_outer, "hipHostRegister") || !strcmp(calls_outer, "hipHostUnregister"));
}

static bool overlap(const locked_t *a, const locked_t *b)
{
    return a->begin < b->end && b->begin < a->end;
}

static void keep_locked(void *host, size_t bytes, void *at, const char *call)
{
    locked_t *l = is_of_register() ? NULL : malloc(sizeof *l);
    if (!l) return;
    const locked_t own = {.begin = (uintptr_t)at, .end = (uintptr_t)at + bytes};
    locked_t all = own;
    pthread_mutex_lock(&locked.lock);
    for (const locked_t *k = locked.first; k; k = k->next) {
        if (!overlap(k, &own)) continue;
        if (k->begin < all.begin) all.begin = k->begin;
        if (k->end > all.end) all.end = k->end;
    }
    *l = (locked_t){locked.first, host, all.begin, all.end};
    locked.first = l;
    for (locked_t *k = l->next; k; k = k->next)
        if (overlap(k, &own)) {
            k->begin = all.begin;
            k->end = all.end;
        }
    made((void *)all.begin, all.end - all.begin, call, SOFTGPU_CHECK_HOST);
    if (api()) api()->own(all.begin, (uintptr_t)host - (own.begin - all.begin));
    pthread_mutex_unlock(&locked.lock);
}

/* Forgets the last lock of the host address. Returns where its allocation begins; NULL: nothing was
 * locked, or other locked ranges are still in the allocation. */
static void *take_locked(void *host)
{
    uintptr_t begin = 0;
    pthread_mutex_lock(&locked.lock);
    locked_t **link = &locked.first;
    while (*link && (*link)->host != host)
        link = &(*link)->next;
    if (*link) {
        locked_t *l = *link;
        begin = l->begin;
        *link = l->next;
        free(l);
    }
    for (const locked_t *k = locked.first; k; k = k->next)
        if (k->begin == begin) begin = 0;
    pthread_mutex_unlock(&locked.lock);
    return (void *)begin;
}

static int unlock(void *host, const char *call, calls_free_t *next)
{
    softgpu_check_place_t place;
    int status;
    void *at = is_of_register() ? NULL : take_locked(host);
    calls_going(at, call, SOFTGPU_CHECK_NOW, &place);
    INSIDE(call, status, next(host));
    if (status == GOOD) calls_gone(at, &place, calls_outer ? calls_outer : call, false);
    return status;
}

CALL(int, hsa_amd_memory_lock, (void *host, size_t bytes, void *agents, int count, void **at))
{
    NEXT(hsa_amd_memory_lock);
    const int status = next(host, bytes, agents, count, at);
    if (status == GOOD) keep_locked(host, bytes, *at, "hsa_amd_memory_lock");
    return status;
}

CALL(int, hsa_amd_memory_lock_to_pool,
     (void *host, size_t bytes, void *agents, int count, uint64_t pool, uint32_t flags, void **at))
{
    NEXT(hsa_amd_memory_lock_to_pool);
    const int status = next(host, bytes, agents, count, pool, flags, at);
    if (status == GOOD) keep_locked(host, bytes, *at, "hsa_amd_memory_lock_to_pool");
    return status;
}

CALL(int, hsa_amd_memory_unlock, (void *host))
{
    NEXT(hsa_amd_memory_unlock);
    return unlock(host, "hsa_amd_memory_unlock", next);
}

CALL(int, hipHostRegister, (void *host, size_t bytes, unsigned flags))
{
    NEXT(hipHostRegister);
    static _Atomic(void *) slot;
    int (*pointer)(void **, void *, unsigned) =
        (int (*)(void **, void *, unsigned))find_next(&slot, "hipHostGetDevicePointer");
    void *at = NULL;
    int status;
    INSIDE("hipHostRegister", status, next(host, bytes, flags));
    if (status == GOOD && pointer && pointer(&at, host, 0) == GOOD)
        keep_locked(host, bytes, at, "hipHostRegister");
    calls_returned("hipHostRegister", status);
    return status;
}

CALL(int, hipHostUnregister, (void *host))
{
    NEXT(hipHostUnregister);
    return unlock(host, "hipHostUnregister", next);
}

/* Calls that let the GPU use memory without a lock; they do not say how far that memory reaches. */
#define SHARES(X)                                                                                  \
    X(hsa_amd_svm_attributes_set, (void *at, size_t bytes, void *list, size_t n),                  \
      (at, bytes, list, n))                                                                        \
    X(hsa_amd_svm_prefetch_async,                                                                  \
      (void *at, size_t bytes, uint64_t agent, uint32_t n, const void *signals, uint64_t signal),  \
      (at, bytes, agent, n, signals, signal))

#define X(name, parameters, arguments)                                                             \
    CALL(int, name, parameters)                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        const softgpu_check_api_t *a = api();                                                      \
        if (a) a->shared((uint64_t)(uintptr_t)at, bytes);                                          \
        return next arguments;                                                                     \
    }
SHARES(X)
#undef X

/* ---- code ---- */

CALL(int, hsa_code_object_reader_create_from_memory, (const void *elf, size_t bytes, void *reader))
{
    NEXT(hsa_code_object_reader_create_from_memory);
    const int status = next(elf, bytes, reader);
    const softgpu_check_api_t *a = status == GOOD ? api() : NULL;
    if (a) a->code(elf, bytes);
    return status;
}

CALL(int, hsa_code_object_reader_create_from_file, (int fd, void *reader))
{
    NEXT(hsa_code_object_reader_create_from_file);
    const int status = next(fd, reader);
    const softgpu_check_api_t *a = status == GOOD ? api() : NULL;
    struct stat st;
    if (!a || fstat(fd, &st) != 0 || st.st_size <= 0) return status;
    void *elf = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (elf == MAP_FAILED) return status;
    a->code(elf, (size_t)st.st_size);
    munmap(elf, (size_t)st.st_size);
    return status;
}
