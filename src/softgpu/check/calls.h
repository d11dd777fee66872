/* calls.h - for the library that is preloaded in front of HIP and HSA: how a call reaches the
 * checker, and the runtime's function of the same name.
 *
 * A call is always passed on to the runtime's function, whether or not there is a checker. */
#ifndef SOFTGPU_CHECK_CALLS_H
#define SOFTGPU_CHECK_CALLS_H

#include "softgpu/check/sink.h"

#include <dlfcn.h>
#include <stdatomic.h>

#define EXPORT __attribute__((visibility("default")))

/* The head of a preloaded call that no header declares. */
#define CALL(result, name, parameters)                                                             \
    EXPORT result name parameters;                                                                 \
    result name parameters

enum {
    GOOD = 0,
    NO_FUNCTION = 999 /* hipErrorUnknown; as a status of HSA it is an error, too */
};

/* The checker's functions, once they have been found. */
extern _Atomic(const softgpu_check_api_t *) calls_api;

/* The checker's functions; NULL: nothing is checked, or the GPU has not been opened yet. */
static inline const softgpu_check_api_t *api(void)
{
    const softgpu_check_api_t *a = atomic_load_explicit(&calls_api, memory_order_acquire);
    if (a) return a;
    softgpu_check_fn_t *ask = (softgpu_check_fn_t *)dlsym(RTLD_DEFAULT, SOFTGPU_CHECK_SYMBOL);
    a = ask ? ask(SOFTGPU_CHECK_VERSION) : NULL;
    atomic_store_explicit(&calls_api, a, memory_order_release);
    return a;
}

/* ---- calls_look_up.c: which function stands for which ---- */

/* The runtime's function with the same name as the preloaded one. Works also if the program has
 * opened the runtime with dlopen, so that RTLD_NEXT does not find it. NULL: there is none. */
void *calls_next(const char *name);
/* Keeps the function's library loaded even if the program closes it. */
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

/* Defines `next`. If the runtime has no such function, the call returns `otherwise`, which is empty
 * in a void function. */
#define NEXT_OR(name, otherwise)                                                                   \
    static _Atomic(void *) slot_of_next;                                                           \
    __typeof__(name) *next = (__typeof__(name) *)find_next(&slot_of_next, #name);                  \
    if (!next) return otherwise

/* The program's call during which a runtime makes this one, or NULL. Reports name that outer call,
 * since it is the one in the program's source. */
extern _Thread_local const char *calls_outer;

/* Calls the runtime's function; calls that are made inside it count as its own. */
#define INSIDE(name, status, ...)                                                                  \
    do {                                                                                           \
        const char *const outer_one = calls_outer;                                                 \
        if (!outer_one) calls_outer = name;                                                        \
        status = __VA_ARGS__;                                                                      \
        calls_outer = outer_one;                                                                   \
    } while (0)

/* Reports the status that the program's call returns. Calls that a runtime makes inside one are not
 * reported. */
void calls_returned(const char *call, int status);

bool calls_going(void *at, const char *call, unsigned flags, softgpu_check_place_t *place);
void calls_gone(void *at, const softgpu_check_place_t *place, const char *call, bool held);

/* ---- calls_held.c: memory that the program has freed and the runtime not yet ---- */

typedef int calls_free_t(void *at);

/* Frees memory as hipFree and its like do, but holds it back from the runtime; *status is the
 * result for the program. False: nothing was done, and the memory cannot be held. */
bool calls_hold(void *at, const char *call, calls_free_t *free_it, int *status);
/* Gives all memory that is held back to the runtime. False: there was none, and HIP's last error is
 * unchanged. */
bool calls_release_all(void);
/* In a forked child: the held memory is the parent's. */
void calls_held_forget(void);
/* Whether a profiler traces HIP, and would record calls that the checker makes as calls of the
 * program. */
bool calls_profiled(void);
/* Whether any stream is being captured. */
bool calls_capturing(void);

/* Called before and after a call in which the runtime waits, on the program's behalf, for `n`
 * signals (hsa_signal_t). */
void calls_behind(uint32_t n, const void *signals, bool begins);

/* Called before a call that makes copies and waits for them; returns the number for `returned` of
 * softgpu_order_api. */
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
