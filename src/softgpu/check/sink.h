/* sink.h - the functions by which the program's calls reach the checker: libsoftgpu-check.so looks
 * this table up.
 *
 * That library is preloaded in front of HIP and HSA. It depends on their functions, and on nothing
 * of the device but this table. */
#ifndef SOFTGPU_CHECK_SINK_H
#define SOFTGPU_CHECK_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOFTGPU_CHECK_VERSION = 9 };

/* Environment variable with the name of a file, to which every process appends a byte for each
 * error. */
#define SOFTGPU_CHECK_COUNT "SOFTGPU_CHECK_COUNT"

/* Environment variable with the launched program's process id: all other processes put their own id
 * into reports. */
#define SOFTGPU_CHECK_FIRST "SOFTGPU_CHECK_FIRST"

/* Name of the function, of type softgpu_check_fn_t, that the preloaded stub exports. */
#define SOFTGPU_CHECK_SYMBOL "softgpu_check"

/* The order of events (order.h). All functions are thread-safe; `at` is the address of a signal's
 * value. */
typedef struct softgpu_order_api {
    /* The program has read the value. `waited`: it has waited for it. */
    void (*seen)(uint64_t at, int64_t value, bool waited);

    /* The program is about to set the value, or to add to it; `seen` is the value before. */
    void (*stored)(uint64_t at, int64_t value);
    void (*added)(uint64_t at, int64_t seen, int64_t add);

    /* The program is about to ring a queue's doorbell: the packets up to this one are written.
     * `ring`: the packets' memory, which has `slots` slots. */
    void (*rung)(uint64_t queue, uint64_t packet, const void *ring, uint64_t slots);

    /* The runtime is about to call a handler on this thread, because the signal has this value.
     * `at` 0: the handler has returned. */
    void (*handling)(uint64_t at, int64_t value);
    /* A call of the runtime that may test the signal on the program's behalf begins (`begins`) or
     * ends. */
    void (*looking)(uint64_t at, bool begins);

    /* A call that makes copies and waits for them begins; its number is passed to returned(). */
    uint64_t (*called)(void);
    void (*returned)(uint64_t number);
} softgpu_order_api_t;

/* An allocation that is about to be freed. */
typedef struct {
    uint64_t number; /* its serial, for the functions below */
    uint64_t bytes;
    const char *made_by; /* "hipMalloc" */
} softgpu_check_place_t;

enum {
    SOFTGPU_CHECK_HOST = 1, /* host memory that the GPU may use from now on */
    SOFTGPU_CHECK_INNER = 2 /* made by a runtime inside another call */
};

enum {
    SOFTGPU_CHECK_REPORT = 1, /* report an address that is no allocation */
    SOFTGPU_CHECK_NOW = 2     /* the runtime frees it next: gone() will be called without `held` */
};

enum { SOFTGPU_CHECK_ABORTS = -1 };

/* A HIP call that has returned an error. */
typedef struct {
    const char *call;  /* its name, a literal */
    const char *error; /* such as "hipErrorInvalidValue"; NULL: HIP has no name for it */
    int status;
    bool launch;        /* it launches kernels; the members below describe the launch: */
    const char *kernel; /* its symbol, or NULL */
    uint32_t groups[3],
        items[3]; /* workgroups of the grid, work-items of a workgroup; 0: not known */
    uint64_t lds; /* bytes that the call adds to the kernel's own LDS */
} softgpu_check_failure_t;

/* All functions are thread-safe. Strings named `call` are literals, to which the checker keeps
 * pointers; it keeps no other argument. */
typedef struct softgpu_check_api {
    unsigned version; /* SOFTGPU_CHECK_VERSION of the library */

    /* Memory was allocated. If a runtime divides an allocation, each piece is announced again. */
    void (*made)(uint64_t begin, uint64_t bytes, const char *call, unsigned flags);

    /* The memory is the variable of that symbol, which the runtime has allocated by itself. */
    void (*variable)(uint64_t begin, uint64_t bytes, const char *symbol);

    /* The memory is the program's own, at the host address `host`. */
    void (*own)(uint64_t begin, uint64_t host);

    /* Memory is about to be freed. False: no such allocation is known. */
    bool (*going)(uint64_t begin, const char *call, unsigned flags, softgpu_check_place_t *place);
    /* `call`, such as hipFreeAsync, will free the memory when its stream has done all that comes
     * before; then gone() is called, with NULL for `call`. */
    void (*ending)(uint64_t begin, uint64_t number, const char *call);
    /* The memory is freed. `held`: the runtime still has it mapped, until released(). */
    void (*gone)(uint64_t begin, uint64_t number, const char *call, bool held);
    void (*released)(uint64_t begin, uint64_t number);

    /* The GPU may use host memory in the range, whatever was unlocked there. */
    void (*shared)(uint64_t begin, uint64_t bytes);

    /* A call that writes and reads these ranges begins; over() ends it. A size of 0: the call does
     * not write, or not read. */
    void (*copies)(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                   const char *call);
    /* A call that launches a graph begins; over() ends it. NULL: not wanted. */
    void (*launches)(const char *call);
    /* The latest call that the thread has begun is over. */
    void (*over)(void);
    /* A copy engine is about to be given this copy; from_bytes 0: it fills. NULL: not wanted. */
    void (*moves)(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                  uint64_t bytes);

    void (*failed)(const softgpu_check_failure_t *failure); /* NULL: not wanted */

    /* The program loads a code object; this is its whole file. */
    void (*code)(const void *elf, size_t bytes);

    /* The process is about to end without its exit handlers: by _exit with a status, or by abort
     * (SOFTGPU_CHECK_ABORTS). May be called in a signal handler. Also called when a child of vfork
     * ends; then nothing is reported. */
    void (*leaving)(int status);

    const softgpu_order_api_t *order; /* NULL: the order is not recorded */
} softgpu_check_api_t;

/* NULL: nothing is checked. */
typedef const softgpu_check_api_t *softgpu_check_fn_t(unsigned version);

#endif
