/* calls.c - the calls with which programs get and return GPU memory, and load code.
 *
 * Preloaded where a program is checked: each passes on to the runtime's own and tells the checker
 * of it. Needs no runtime's headers: pointers, sizes and handles are all that there is to know. */
#include "softgpu/check/calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The program's call, if a runtime makes others inside it: that one knows better what it is for. */
static _Thread_local const char *outer;

static void made(void *at, size_t bytes, const char *call)
{
    const softgpu_check_api_t *a = api();
    if (a && at && bytes) a->made((uint64_t)(uintptr_t)at, bytes, call);
}

static uint64_t going(void *at, const char *call, int report)
{
    const softgpu_check_api_t *a = api();
    return a && at ? a->going((uint64_t)(uintptr_t)at, call, report) : 0;
}

static void gone(void *at, uint64_t number, const char *call)
{
    const softgpu_check_api_t *a = api();
    if (a && number) a->gone((uint64_t)(uintptr_t)at, number, call);
}

/* ---- memory that is given out ---- */

/* X(name, parameters, arguments, pointer, bytes) */
#define GIVES(X)                                                                                   \
    X(hipMalloc, (void **at, size_t bytes), (at, bytes), *at, bytes)                               \
    X(hipExtMallocWithFlags, (void **at, size_t bytes, unsigned flags), (at, bytes, flags), *at,   \
      bytes)                                                                                       \
    X(hipMallocManaged, (void **at, size_t bytes, unsigned flags), (at, bytes, flags), *at, bytes) \
    X(hipMallocHost, (void **at, size_t bytes), (at, bytes), *at, bytes)                           \
    X(hipMemAllocHost, (void **at, size_t bytes), (at, bytes), *at, bytes)                         \
    X(hipHostMalloc, (void **at, size_t bytes, unsigned flags), (at, bytes, flags), *at, bytes)    \
    X(hipHostAlloc, (void **at, size_t bytes, unsigned flags), (at, bytes, flags), *at, bytes)     \
    X(hipMallocAsync, (void **at, size_t bytes, void *stream), (at, bytes, stream), *at, bytes)    \
    X(hipMallocFromPoolAsync, (void **at, size_t bytes, void *pool, void *stream),                 \
      (at, bytes, pool, stream), *at, bytes)                                                       \
    X(hipMallocPitch, (void **at, size_t *pitch, size_t width, size_t height),                     \
      (at, pitch, width, height), *at, *pitch *height)                                             \
    X(hsa_memory_allocate, (uint64_t region, size_t bytes, void **at), (region, bytes, at), *at,   \
      bytes)                                                                                       \
    X(hsa_amd_memory_pool_allocate, (uint64_t pool, size_t bytes, uint32_t flags, void **at),      \
      (pool, bytes, flags, at), *at, bytes)

#define X(name, parameters, arguments, pointer, bytes)                                             \
    EXPORT int name parameters;                                                                    \
    int name parameters                                                                            \
    {                                                                                              \
        NEXT(name);                                                                                \
        const char *const within = outer;                                                          \
        outer = #name;                                                                             \
        const int status = next arguments;                                                         \
        outer = within;                                                                            \
        if (status == GOOD) made(pointer, bytes, #name);                                           \
        return status;                                                                             \
    }
GIVES(X)
#undef X

/* ---- memory that is taken back ---- */

/* X(name): waits for what uses it, then takes it back. */
#define TAKES(X)                                                                                   \
    X(hipFree)                                                                                     \
    X(hipHostFree)                                                                                 \
    X(hipFreeHost)                                                                                 \
    X(hsa_memory_free)                                                                             \
    X(hsa_amd_memory_pool_free)

#define X(name)                                                                                    \
    EXPORT int name(void *at);                                                                     \
    int name(void *at)                                                                             \
    {                                                                                              \
        NEXT(name);                                                                                \
        const char *const within = outer;                                                          \
        const uint64_t number = going(at, #name, !within);                                         \
        if (!within) outer = #name;                                                                \
        const int status = next(at);                                                               \
        outer = within;                                                                            \
        if (status == GOOD) gone(at, number, within ? within : #name);                             \
        return status;                                                                             \
    }
TAKES(X)
#undef X

/* ---- the program's own memory ---- */

typedef struct locked {
    struct locked *next;
    void *host, *at;
} locked_t;

static struct {
    pthread_mutex_t lock;
    locked_t *first;
} locked = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void keep_locked(void *host, size_t bytes, void *at, const char *call)
{
    locked_t *l = malloc(sizeof *l);
    if (!l) return;
    made(at, bytes, call);
    pthread_mutex_lock(&locked.lock);
    *l = (locked_t){locked.first, host, at};
    locked.first = l;
    pthread_mutex_unlock(&locked.lock);
}

static void *take_locked(void *host)
{
    void *at = NULL;
    pthread_mutex_lock(&locked.lock);
    locked_t **link = &locked.first;
    while (*link && (*link)->host != host)
        link = &(*link)->next;
    if (*link) {
        locked_t *l = *link;
        at = l->at;
        *link = l->next;
        free(l);
    }
    pthread_mutex_unlock(&locked.lock);
    return at;
}

EXPORT int hsa_amd_memory_lock(void *host, size_t bytes, void *agents, int count, void **at);
int hsa_amd_memory_lock(void *host, size_t bytes, void *agents, int count, void **at)
{
    NEXT(hsa_amd_memory_lock);
    const int status = next(host, bytes, agents, count, at);
    if (status == GOOD) keep_locked(host, bytes, *at, "hsa_amd_memory_lock");
    return status;
}

EXPORT int hsa_amd_memory_lock_to_pool(void *host, size_t bytes, void *agents, int count,
                                       uint64_t pool, uint32_t flags, void **at);
int hsa_amd_memory_lock_to_pool(void *host, size_t bytes, void *agents, int count, uint64_t pool,
                                uint32_t flags, void **at)
{
    NEXT(hsa_amd_memory_lock_to_pool);
    const int status = next(host, bytes, agents, count, pool, flags, at);
    if (status == GOOD) keep_locked(host, bytes, *at, "hsa_amd_memory_lock_to_pool");
    return status;
}

EXPORT int hsa_amd_memory_unlock(void *host);
int hsa_amd_memory_unlock(void *host)
{
    NEXT(hsa_amd_memory_unlock);
    void *at = take_locked(host);
    const uint64_t number = going(at, "hsa_amd_memory_unlock", 0);
    const int status = next(host);
    if (status == GOOD) gone(at, number, "hsa_amd_memory_unlock");
    return status;
}

/* ---- code ---- */

EXPORT int hsa_code_object_reader_create_from_memory(const void *elf, size_t bytes, void *reader);
int hsa_code_object_reader_create_from_memory(const void *elf, size_t bytes, void *reader)
{
    NEXT(hsa_code_object_reader_create_from_memory);
    const int status = next(elf, bytes, reader);
    const softgpu_check_api_t *a = status == GOOD ? api() : NULL;
    if (a) a->code(elf, bytes);
    return status;
}

EXPORT int hsa_code_object_reader_create_from_file(int fd, void *reader);
int hsa_code_object_reader_create_from_file(int fd, void *reader)
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
