/* calls.h - for the calls that stand in front of HIP's and HSA's: the checker, and the next
 * function.
 *
 * A call passes on to the runtime's own, whatever becomes of the checker. */
#ifndef SOFTGPU_CHECK_CALLS_H
#define SOFTGPU_CHECK_CALLS_H

#include "softgpu/check/sink.h"

#include <dlfcn.h>
#include <stdatomic.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    GOOD = 0,
    NO_FUNCTION = 999 /* hipErrorUnknown; no status of HSA's that is good */
};

/* What has been found of the checker. */
extern _Atomic(const softgpu_check_api_t *) calls_api;

/* The checker; NULL: nothing is checked, or the GPU is not there yet. */
static inline const softgpu_check_api_t *api(void)
{
    const softgpu_check_api_t *a = atomic_load_explicit(&calls_api, memory_order_acquire);
    if (a) return a;
    softgpu_check_fn_t *ask = (softgpu_check_fn_t *)dlsym(RTLD_DEFAULT, SOFTGPU_CHECK_SYMBOL);
    a = ask ? ask(SOFTGPU_CHECK_VERSION) : NULL;
    atomic_store_explicit(&calls_api, a, memory_order_release);
    return a;
}

/* ---- calls_look_up.c: which functions stand for which ---- */

/* The runtime's function that comes after the checked call of the same name, also where the program
 * has opened the runtime for itself, so that it comes after nobody. NULL: there is none. */
void *calls_next(const char *name);
/* Its library stays, although the program may close it. */
void calls_keep(void *function);

static inline void *find_next(_Atomic(void *) *slot, const char *name)
{
    void *f = atomic_load_explicit(slot, memory_order_relaxed);
    if (f) return f;
    f = calls_next(name);
    if (f) calls_keep(f);
    atomic_store_explicit(slot, f, memory_order_relaxed);
    return f;
}

#define NEXT(name) NEXT_OR(name, NO_FUNCTION)

/* Without it, `otherwise` is what the call returns; nothing of one that returns nothing. */
#define NEXT_OR(name, otherwise)                                                                   \
    static _Atomic(void *) slot_of_next;                                                           \
    __typeof__(name) *next = (__typeof__(name) *)find_next(&slot_of_next, #name);                  \
    if (!next) return otherwise

/* The program's call, if a runtime makes others inside it: that one knows better what it is for. */
extern _Thread_local const char *calls_outer;

/* A call of the runtime's whose own calls are known to be its. */
#define INSIDE(name, status, ...)                                                                  \
    do {                                                                                           \
        const char *const outer_one = calls_outer;                                                 \
        if (!outer_one) calls_outer = name;                                                        \
        status = __VA_ARGS__;                                                                      \
        calls_outer = outer_one;                                                                   \
    } while (0)

/* What the program's call has returned; of one that a runtime makes inside it nothing is told. */
void calls_returned(const char *call, int status);

void calls_made(void *at, size_t bytes, const char *call, unsigned flags);
bool calls_going(void *at, const char *call, unsigned flags, softgpu_check_place_t *place);
void calls_gone(void *at, const softgpu_check_place_t *place, const char *call, bool held);

/* ---- calls_held.c: memory that is taken back, but not yet by the runtime ---- */

typedef int calls_free_t(void *at);

/* As hipFree and its like do; *status is the program's. False: nothing has happened, and nothing
 * can be kept back. */
bool calls_hold(void *at, const char *call, calls_free_t *free_it, int *status);
/* What is held is given back; false: there was nothing, and HIP's last error is what it was. */
bool calls_release_all(void);
/* In a forked child: what is held is the parent's. */
void calls_held_forget(void);
/* Whether a profiler would see other calls than the program's. */
bool calls_profiled(void);
/* Whether any stream is captured. */
bool calls_capturing(void);

/* Around a call in which the runtime looks at `n` signals, hsa_signal_t, in the program's place. */
void calls_behind(uint32_t n, const void *signals, bool begins);

/* Around a call that waits for copies of its own. */
static inline uint64_t called(void)
{
    const softgpu_check_api_t *a = api();
    return a && a->order ? a->order->called() : 0;
}
static inline void returned(uint64_t number)
{
    const softgpu_check_api_t *a = api();
    if (a && a->order) a->order->returned(number);
}

#endif
