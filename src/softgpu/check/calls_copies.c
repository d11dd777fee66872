/* calls_copies.c - the calls by which programs copy and fill memory: reports the ranges that each
 * one writes and reads, from its arguments. */
#include "softgpu/check/calls.h"

/* The ranges that a call writes and reads. */
typedef struct {
    const void *to;
    size_t to_bytes;
    const void *from;
    size_t from_bytes;
} sides_t;

/* Announces a call that the program itself makes, not one that a runtime makes inside another.
 * Returns the checker's functions, whose over() has to be called when the call ends, or NULL. */
static const softgpu_check_api_t *copies(sides_t s, const char *call)
{
    const softgpu_check_api_t *a = calls_outer ? NULL : api();
    if (a)
        a->copies((uint64_t)(uintptr_t)s.to, s.to ? s.to_bytes : 0, (uint64_t)(uintptr_t)s.from,
                  s.from ? s.from_bytes : 0, call);
    return a;
}

/* Reports a copy or fill that is given to a copy engine. */
static void moves(sides_t s)
{
    const softgpu_check_api_t *a = api();
    if (a && a->moves)
        a->moves((uint64_t)(uintptr_t)s.to, s.to_bytes, (uint64_t)(uintptr_t)s.from, s.from_bytes,
                 s.to_bytes);
}

typedef struct {
    size_t x, y, z;
} point_t;

typedef struct {
    char *at;
    size_t pitch, width, height;
} pitched_t;

/* hipMemcpy3DParms */
typedef struct {
    void *from_array;
    point_t from_begin;
    pitched_t from;
    void *to_array;
    point_t to_begin;
    pitched_t to;
    point_t size;
    int kind;
} copy_3d_t;

/* One side of hip_Memcpy2D; if it is an array, both addresses are empty. */
typedef struct {
    size_t x, y;
    int type;
    char *host, *device;
    void *array;
    size_t pitch;
} side_2d_t;

typedef struct {
    side_2d_t from, to;
    size_t width, height;
} copy_2d_t;

/* The size from the first byte of a box to its last. */
static size_t extent_of(size_t pitch, size_t slice, size_t width, size_t height, size_t depth)
{
    return width && height && depth ? (depth - 1) * slice + (height - 1) * pitch + width : 0;
}

static const void *begin_3d(const pitched_t *p, const point_t *at)
{
    return p && p->at ? p->at + at->z * p->pitch * p->height + at->y * p->pitch + at->x : NULL;
}

static size_t bytes_3d(const pitched_t *p, const point_t *size)
{
    return extent_of(p->pitch, p->pitch * p->height, size->x, size->y, size->z);
}

static size_t bytes_2d(const copy_2d_t *c, const side_2d_t *s)
{
    return extent_of(s->pitch, 0, c->width, c->height, 1);
}

/* Whether the host or the device address counts depends on a type whose values differ between HIP's
 * versions: the address that is set is used. */
static const void *begin_2d(const side_2d_t *s)
{
    if (!s || s->array || (s->host && s->device)) return NULL;
    const char *at = s->host ? s->host : s->device;
    return at ? at + s->y * s->pitch + s->x : NULL;
}

/* hipMemsetParams */
typedef struct {
    char *to;
    unsigned element;
    size_t height, pitch;
    unsigned value;
    size_t width; /* elements */
} fill_t;

static size_t bytes_of_fill(const fill_t *f)
{
    return f ? extent_of(f->pitch, 0, f->width * f->element, f->height, 1) : 0;
}

/* The address of a part of a variable, given the host's symbol for it. NULL: not known. Calls HIP;
 * a profiler would record that call. */
static char *part_of(const void *symbol, size_t offset)
{
    static _Atomic(void *) slot;
    int (*address)(void **, const void *) =
        (int (*)(void **, const void *))find_next(&slot, "hipGetSymbolAddress");
    void *at = NULL;
    int status = NO_FUNCTION;
    if (address && !calls_outer && api() && !calls_profiled())
        INSIDE("hipGetSymbolAddress", status, address(&at, symbol));
    return status == GOOD && at ? (char *)at + offset : NULL;
}

/* The two sides of a copy, and the parameters that follow. */
#define TWO void *to, const void *from, size_t bytes
#define TWO_2D                                                                                     \
    void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height
#define TO_SYMBOL   const void *symbol, const void *from, size_t bytes, size_t offset, int kind
#define FROM_SYMBOL void *to, const void *symbol, size_t bytes, size_t offset, int kind
#define NODE        void *node, void *graph, const void *after, size_t n
#define ONE_2D      void *to, size_t pitch, int value, size_t width, size_t height
#define HSA_TWO                                                                                    \
    void *to, uint64_t to_agent, const void *from, uint64_t from_agent, size_t bytes, uint32_t n,  \
        const void *signals, uint64_t signal

#define PLAIN to, bytes, from, bytes
#define WIDE                                                                                       \
    to, extent_of(to_pitch, 0, width, height, 1), from, extent_of(from_pitch, 0, width, height, 1)
#define TO_PART       part_of(symbol, offset), bytes, from, bytes
#define FROM_PART     to, bytes, part_of(symbol, offset), bytes
#define FILL(bytes)   to, bytes, NULL, 0
#define FILL_2D       FILL(extent_of(pitch, 0, width, height, 1))
#define ARGUMENTS_2D  to, to_pitch, from, from_pitch, width, height
#define ARGUMENTS_HSA to, to_agent, from, from_agent, bytes, n, signals, signal
#define SIDES_3D                                                                                   \
    begin_3d(c ? &c->to : NULL, &c->to_begin), c ? bytes_3d(&c->to, &c->size) : 0,                 \
        begin_3d(c ? &c->from : NULL, &c->from_begin), c ? bytes_3d(&c->from, &c->size) : 0
#define SIDES_2D                                                                                   \
    begin_2d(c ? &c->to : NULL), c ? bytes_2d(c, &c->to) : 0, begin_2d(c ? &c->from : NULL),       \
        c ? bytes_2d(c, &c->from) : 0

/* X(name, parameters, arguments, the ranges that are written and read) */
#define COPIES(X)                                                                                  \
    X(hipMemcpy, (TWO, int kind), (to, from, bytes, kind), (PLAIN))                                \
    X(hipMemcpy_spt, (TWO, int kind), (to, from, bytes, kind), (PLAIN))                            \
    X(hipMemcpyAsync, (TWO, int kind, void *stream), (to, from, bytes, kind, stream), (PLAIN))     \
    X(hipMemcpyAsync_spt, (TWO, int kind, void *stream), (to, from, bytes, kind, stream), (PLAIN)) \
    X(hipMemcpyWithStream, (TWO, int kind, void *stream), (to, from, bytes, kind, stream),         \
      (PLAIN))                                                                                     \
    X(hipMemcpyHtoD, (TWO), (to, from, bytes), (PLAIN))                                            \
    X(hipMemcpyDtoH, (TWO), (to, from, bytes), (PLAIN))                                            \
    X(hipMemcpyDtoD, (TWO), (to, from, bytes), (PLAIN))                                            \
    X(hipMemcpyHtoDAsync, (TWO, void *stream), (to, from, bytes, stream), (PLAIN))                 \
    X(hipMemcpyDtoHAsync, (TWO, void *stream), (to, from, bytes, stream), (PLAIN))                 \
    X(hipMemcpyDtoDAsync, (TWO, void *stream), (to, from, bytes, stream), (PLAIN))                 \
    X(hipMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t bytes),   \
      (to, to_device, from, from_device, bytes), (PLAIN))                                          \
    X(hipMemcpyPeerAsync,                                                                          \
      (void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream),    \
      (to, to_device, from, from_device, bytes, stream), (PLAIN))                                  \
    X(hipMemcpy2D, (TWO_2D, int kind), (ARGUMENTS_2D, kind), (WIDE))                               \
    X(hipMemcpy2D_spt, (TWO_2D, int kind), (ARGUMENTS_2D, kind), (WIDE))                           \
    X(hipMemcpy2DAsync, (TWO_2D, int kind, void *stream), (ARGUMENTS_2D, kind, stream), (WIDE))    \
    X(hipMemcpyParam2D, (const copy_2d_t *c), (c), (SIDES_2D))                                     \
    X(hipMemcpyParam2DAsync, (const copy_2d_t *c, void *stream), (c, stream), (SIDES_2D))          \
    X(hipDrvMemcpy2DUnaligned, (const copy_2d_t *c), (c), (SIDES_2D))                              \
    X(hipMemcpy3D, (const copy_3d_t *c), (c), (SIDES_3D))                                          \
    X(hipMemcpy3D_spt, (const copy_3d_t *c), (c), (SIDES_3D))                                      \
    X(hipMemcpy3DAsync, (const copy_3d_t *c, void *stream), (c, stream), (SIDES_3D))               \
    X(hipMemcpyToSymbol, (TO_SYMBOL), (symbol, from, bytes, offset, kind), (TO_PART))              \
    X(hipMemcpyToSymbol_spt, (TO_SYMBOL), (symbol, from, bytes, offset, kind), (TO_PART))          \
    X(hipMemcpyToSymbolAsync, (TO_SYMBOL, void *stream),                                           \
      (symbol, from, bytes, offset, kind, stream), (TO_PART))                                      \
    X(hipMemcpyToSymbolAsync_spt, (TO_SYMBOL, void *stream),                                       \
      (symbol, from, bytes, offset, kind, stream), (TO_PART))                                      \
    X(hipMemcpyFromSymbol, (FROM_SYMBOL), (to, symbol, bytes, offset, kind), (FROM_PART))          \
    X(hipMemcpyFromSymbol_spt, (FROM_SYMBOL), (to, symbol, bytes, offset, kind), (FROM_PART))      \
    X(hipMemcpyFromSymbolAsync, (FROM_SYMBOL, void *stream),                                       \
      (to, symbol, bytes, offset, kind, stream), (FROM_PART))                                      \
    X(hipMemcpyFromSymbolAsync_spt, (FROM_SYMBOL, void *stream),                                   \
      (to, symbol, bytes, offset, kind, stream), (FROM_PART))                                      \
    X(hipMemset, (void *to, int value, size_t bytes), (to, value, bytes), (FILL(bytes)))           \
    X(hipMemset_spt, (void *to, int value, size_t bytes), (to, value, bytes), (FILL(bytes)))       \
    X(hipMemsetAsync, (void *to, int value, size_t bytes, void *stream),                           \
      (to, value, bytes, stream), (FILL(bytes)))                                                   \
    X(hipMemsetD8, (void *to, unsigned char value, size_t n), (to, value, n), (FILL(n)))           \
    X(hipMemsetD16, (void *to, unsigned short value, size_t n), (to, value, n), (FILL(2 * n)))     \
    X(hipMemsetD32, (void *to, int value, size_t n), (to, value, n), (FILL(4 * n)))                \
    X(hipMemsetD8Async, (void *to, unsigned char value, size_t n, void *stream),                   \
      (to, value, n, stream), (FILL(n)))                                                           \
    X(hipMemsetD16Async, (void *to, unsigned short value, size_t n, void *stream),                 \
      (to, value, n, stream), (FILL(2 * n)))                                                       \
    X(hipMemsetD32Async, (void *to, int value, size_t n, void *stream), (to, value, n, stream),    \
      (FILL(4 * n)))                                                                               \
    X(hipMemset2D, (ONE_2D), (to, pitch, value, width, height), (FILL_2D))                         \
    X(hipMemset2D_spt, (ONE_2D), (to, pitch, value, width, height), (FILL_2D))                     \
    X(hipMemset2DAsync, (ONE_2D, void *stream), (to, pitch, value, width, height, stream),         \
      (FILL_2D))                                                                                   \
    X(hipMemset3D, (pitched_t p, int value, point_t size), (p, value, size),                       \
      (p.at, bytes_3d(&p, &size), NULL, 0))                                                        \
    X(hipMemset3DAsync, (pitched_t p, int value, point_t size, void *stream),                      \
      (p, value, size, stream), (p.at, bytes_3d(&p, &size), NULL, 0))                              \
    X(hipGraphAddMemcpyNode, (NODE, const copy_3d_t *c), (node, graph, after, n, c), (SIDES_3D))   \
    X(hipGraphAddMemcpyNode1D, (NODE, TWO, int kind),                                              \
      (node, graph, after, n, to, from, bytes, kind), (PLAIN))                                     \
    X(hipGraphAddMemcpyNodeToSymbol, (NODE, TO_SYMBOL),                                            \
      (node, graph, after, n, symbol, from, bytes, offset, kind), (TO_PART))                       \
    X(hipGraphAddMemcpyNodeFromSymbol, (NODE, FROM_SYMBOL),                                        \
      (node, graph, after, n, to, symbol, bytes, offset, kind), (FROM_PART))                       \
    X(hipGraphAddMemsetNode, (NODE, const fill_t *f), (node, graph, after, n, f),                  \
      (f ? f->to : NULL, bytes_of_fill(f), NULL, 0))

/* HSA copies that wait for signals: ROCr 6 tests the signals itself, and gives the engine only
 * those that do not have their value yet. */
#define COPIES_HSA_AFTER(X)                                                                        \
    X(hsa_amd_memory_async_copy, (HSA_TWO), (ARGUMENTS_HSA), (PLAIN))                              \
    X(hsa_amd_memory_async_copy_on_engine, (HSA_TWO, int engine, bool force),                      \
      (ARGUMENTS_HSA, engine, force), (PLAIN))

/* HSA copies that create a signal and wait for it before they return. */
#define COPIES_HSA_WAITS_FOR(X)                                                                    \
    X(hsa_memory_copy, (TWO), (to, from, bytes), (PLAIN))                                          \
    X(hsa_amd_memory_fill, (void *to, uint32_t value, size_t n), (to, value, n), (FILL(4 * n)))

#define EXPAND(...) __VA_ARGS__
#define COPY(name, parameters, arguments, sides, first, then)                                      \
    CALL(int, name, parameters)                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        int status;                                                                                \
        const sides_t s = {EXPAND sides};                                                          \
        const softgpu_check_api_t *told = copies(s, #name);                                        \
        first;                                                                                     \
        INSIDE(#name, status, next arguments);                                                     \
        then;                                                                                      \
        if (told) told->over();                                                                    \
        calls_returned(#name, status);                                                             \
        return status;                                                                             \
    }
#define X(name, parameters, arguments, sides) COPY(name, parameters, arguments, sides, , )
COPIES(X)
#undef X
#define X(name, parameters, arguments, sides)                                                      \
    COPY(name, parameters, arguments, sides, (calls_behind(n, signals, true), moves(s)),           \
         calls_behind(n, signals, false))
COPIES_HSA_AFTER(X)
#undef X
#define X(name, parameters, arguments, sides)                                                      \
    COPY(name, parameters, arguments, sides, const uint64_t number = called(), returned(number))
COPIES_HSA_WAITS_FOR(X)
#undef X
