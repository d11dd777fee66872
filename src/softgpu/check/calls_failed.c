/* calls_failed.c - calls that have returned an error: launches of kernels, whose status <<<>>>
 * hides from the program, waits, and every call that uses calls_returned(). */
#include "softgpu/check/calls.h"

#include <string.h>

/* Statuses that are no error: work that is not ready yet, and calls after HIP has shut down. */
enum { DEINITIALIZED = 4, NOT_READY = 600 };

/* Whether the error is to be reported. HIP's function for the name of an error is called only
 * then. */
static bool is_reported(int status)
{
    const softgpu_check_api_t *a = api();
    return status != GOOD && status != NOT_READY && status != DEINITIALIZED && !calls_outer && a &&
           a->failed;
}

static void report(softgpu_check_failure_t *f)
{
    static _Atomic(void *) slot;
    const char *(*name_of)(int) = (const char *(*)(int))find_next(&slot, "hipGetErrorName");
    f->error = name_of ? name_of(f->status) : NULL;
    api()->failed(f);
}

void calls_returned(const char *call, int status)
{
    softgpu_check_failure_t f = {.call = call, .status = status};
    if (is_reported(status) && !strncmp(call, "hip", 3)) report(&f);
}

/* ---- launches ---- */

typedef struct {
    uint32_t x, y, z;
} dim3_t;

/* The first members of hipLaunchConfig_t. */
typedef struct {
    dim3_t groups, items;
    size_t lds;
} config_t;

typedef struct {
    const void *function; /* the host function that stands for the kernel */
    dim3_t groups, items;
    uint64_t lds;
} launch_t;

/* A launch inside another launch is made by the runtime, not by the program. calls_outer is not set
 * here: not every copy or allocation that the runtime makes meanwhile belongs to the launch. */
static _Thread_local bool launching;

static void launch_returned(const char *call, int status, const launch_t *l)
{
    static _Atomic(void *) slot;
    softgpu_check_failure_t f = {.call = call,
                                 .status = status,
                                 .launch = true,
                                 .groups = {l->groups.x, l->groups.y, l->groups.z},
                                 .items = {l->items.x, l->items.y, l->items.z},
                                 .lds = l->lds};
    if (launching || !is_reported(status)) return;
    const char *(*name_of)(const void *, void *) =
        (const char *(*)(const void *, void *))find_next(&slot, "hipKernelNameRefByPtr");
    if (l->function && name_of) f.kernel = name_of(l->function, NULL);
    report(&f);
}

/* Announces the launch of a graph, whose nodes may be copies and fills. Returns the checker's
 * functions, whose over() has to be called when the call ends, or NULL. */
static const softgpu_check_api_t *launches(const char *call)
{
    const softgpu_check_api_t *a =
        launching || calls_outer || strncmp(call, "hipGraph", 8) != 0 ? NULL : api();
    if (!a || !a->launches) return NULL;
    a->launches(call);
    return a;
}

static uint32_t groups_of(uint32_t all, uint32_t items)
{
    return items ? all / items + (all % items != 0) : 0;
}

#define BY_FUNCTION                                                                                \
    const void *function, dim3_t groups, dim3_t items, void **arguments, size_t lds, void *stream
#define SIX void *f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t x, uint32_t y, uint32_t z

#define SIX_ARGUMENTS f, gx, gy, gz, x, y, z
#define OF_FUNCTION   .function = function, .groups = groups, .items = items, .lds = lds
#define OF_GROUPS     .groups = {gx, gy, gz}, .items = {x, y, z}, .lds = lds
#define OF_ITEMS                                                                                   \
    .groups = {groups_of(gx, x), groups_of(gy, y), groups_of(gz, z)}, .items = {x, y, z}, .lds = lds

/* X(name, parameters, arguments, the members of softgpu_check_failure_t that describe the
 * launch) */
#define LAUNCHES(X)                                                                                \
    X(hipLaunchKernel, (BY_FUNCTION), (function, groups, items, arguments, lds, stream),           \
      (OF_FUNCTION))                                                                               \
    X(hipLaunchKernel_spt, (BY_FUNCTION), (function, groups, items, arguments, lds, stream),       \
      (OF_FUNCTION))                                                                               \
    X(hipExtLaunchKernel, (BY_FUNCTION, void *start, void *stop, int flags),                       \
      (function, groups, items, arguments, lds, stream, start, stop, flags), (OF_FUNCTION))        \
    X(hipLaunchCooperativeKernel,                                                                  \
      (const void *function, dim3_t groups, dim3_t items, void **arguments, unsigned lds,          \
       void *stream),                                                                              \
      (function, groups, items, arguments, lds, stream), (OF_FUNCTION))                            \
    X(hipLaunchCooperativeKernel_spt,                                                              \
      (const void *function, dim3_t groups, dim3_t items, void **arguments, uint32_t lds,          \
       void *stream),                                                                              \
      (function, groups, items, arguments, lds, stream), (OF_FUNCTION))                            \
    X(hipLaunchKernelExC, (const config_t *c, const void *function, void **arguments),             \
      (c, function, arguments),                                                                    \
      (.function = function, .groups = c ? c->groups : (dim3_t){0},                                \
       .items = c ? c->items : (dim3_t){0}, .lds = c ? c->lds : 0))                                \
    X(hipModuleLaunchKernel, (SIX, unsigned lds, void *stream, void **arguments, void **extra),    \
      (SIX_ARGUMENTS, lds, stream, arguments, extra), (OF_GROUPS))                                 \
    X(hipModuleLaunchCooperativeKernel, (SIX, unsigned lds, void *stream, void **arguments),       \
      (SIX_ARGUMENTS, lds, stream, arguments), (OF_GROUPS))                                        \
    X(hipExtModuleLaunchKernel,                                                                    \
      (SIX, size_t lds, void *stream, void **arguments, void **extra, void *start, void *stop,     \
       uint32_t flags),                                                                            \
      (SIX_ARGUMENTS, lds, stream, arguments, extra, start, stop, flags), (OF_ITEMS))              \
    X(hipHccModuleLaunchKernel,                                                                    \
      (SIX, size_t lds, void *stream, void **arguments, void **extra, void *start, void *stop),    \
      (SIX_ARGUMENTS, lds, stream, arguments, extra, start, stop), (OF_ITEMS))                     \
    X(hipGraphLaunch, (void *graph, void *stream), (graph, stream), (0))                           \
    X(hipGraphLaunch_spt, (void *graph, void *stream), (graph, stream), (0))

#define EXPAND(...) __VA_ARGS__
#define X(name, parameters, arguments, known)                                                      \
    CALL(int, name, parameters)                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        const launch_t launch = {EXPAND known};                                                    \
        const bool outer = launching;                                                              \
        const softgpu_check_api_t *told = launches(#name);                                         \
        launching = true;                                                                          \
        const int status = next arguments;                                                         \
        launching = outer;                                                                         \
        if (told) told->over();                                                                    \
        launch_returned(#name, status, &launch);                                                   \
        return status;                                                                             \
    }
LAUNCHES(X)
#undef X

/* ---- other calls that may fail ---- */

/* X(name, parameters, arguments) */
#define OTHERS(X)                                                                                  \
    X(hipSetDevice, (int device), (device))                                                        \
    X(hipDeviceSynchronize, (void), ())                                                            \
    X(hipStreamSynchronize, (void *stream), (stream))                                              \
    X(hipStreamSynchronize_spt, (void *stream), (stream))                                          \
    X(hipStreamWaitEvent, (void *stream, void *event, unsigned flags), (stream, event, flags))     \
    X(hipStreamWaitEvent_spt, (void *stream, void *event, unsigned flags), (stream, event, flags)) \
    X(hipEventRecord, (void *event, void *stream), (event, stream))                                \
    X(hipEventRecord_spt, (void *event, void *stream), (event, stream))                            \
    X(hipEventSynchronize, (void *event), (event))                                                 \
    X(hipEventElapsedTime, (float *ms, void *start, void *stop), (ms, start, stop))                \
    X(hipGraphInstantiate,                                                                         \
      (void **executable, void *graph, void **node, char *problem, size_t room),                   \
      (executable, graph, node, problem, room))

#define X(name, parameters, arguments)                                                             \
    CALL(int, name, parameters)                                                                    \
    {                                                                                              \
        NEXT(name);                                                                                \
        const int status = next arguments;                                                         \
        calls_returned(#name, status);                                                             \
        return status;                                                                             \
    }
OTHERS(X)
#undef X
