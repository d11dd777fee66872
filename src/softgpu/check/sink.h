/* sink.h - what the calls of the program tell the checker: libsoftgpu-check.so finds the table.
 *
 * The library stands in front of HIP and HSA; it knows their functions and nothing of the device.
 */
#ifndef SOFTGPU_CHECK_SINK_H
#define SOFTGPU_CHECK_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOFTGPU_CHECK_VERSION = 9 };

/* Variable with the name of a file to which every process adds a byte for each error. */
#define SOFTGPU_CHECK_COUNT "SOFTGPU_CHECK_COUNT"

/* Variable with the process that the launcher has become: others say which they are. */
#define SOFTGPU_CHECK_FIRST "SOFTGPU_CHECK_FIRST"

/* Name of the function of type softgpu_check_fn_t that the preloaded stub exports. */
#define SOFTGPU_CHECK_SYMBOL "softgpu_check"

/* What tells what happens before what. All functions are thread-safe; `at` is the address of a
 * signal's value. */
typedef struct softgpu_order_api {
    /* The program has seen the value. `waited`: for it. */
    void (*seen)(uint64_t at, int64_t value, bool waited);

    /* It is about to set it, or to add to it what is `seen` there. */
    void (*stored)(uint64_t at, int64_t value);
    void (*added)(uint64_t at, int64_t seen, int64_t add);

    /* It is about to ring a doorbell: this packet of the queue, and those before, are written.
     * `ring`: of so many slots. */
    void (*rung)(uint64_t queue, uint64_t packet, const void *ring, uint64_t slots);

    /* The runtime is about to call a handler, on this thread, because of that; 0: it has returned.
     */
    void (*handling)(uint64_t at, int64_t value);
    /* A call of the runtime that may look at the signal in the program's place begins, or is over.
     */
    void (*looking)(uint64_t at, bool begins);

    /* A call begins that waits for copies of its own: a number for returned(). */
    uint64_t (*called)(void);
    void (*returned)(uint64_t number);
} softgpu_order_api_t;

/* What is known of an allocation that is to be taken back. */
typedef struct {
    uint64_t number; /* for those who tell more of it */
    uint64_t bytes;
    const char *made_by; /* "hipMalloc" */
} softgpu_check_place_t;

enum {
    SOFTGPU_CHECK_HOST = 1, /* memory of the program's own, which the GPU may use from now on */
    SOFTGPU_CHECK_INNER = 2 /* made by a runtime inside another call */
};

enum {
    SOFTGPU_CHECK_REPORT = 1, /* tell what cannot be taken back */
    SOFTGPU_CHECK_NOW = 2     /* the runtime is told next: it is not held, by gone() */
};

enum { SOFTGPU_CHECK_ABORTS = -1 };

/* A call of HIP's that has returned an error. */
typedef struct {
    const char *call;  /* a literal */
    const char *error; /* "hipErrorInvalidValue"; NULL: HIP does not say */
    int status;
    bool launch;                  /* of kernels; what is known of it: */
    const char *kernel;           /* its symbol, or NULL */
    uint32_t groups[3], items[3]; /* of the grid, and of a workgroup; 0: not known */
    uint64_t lds;                 /* bytes that the call adds to the kernel's own */
} softgpu_check_failure_t;

/* All functions are thread-safe, take the caller's stack and keep nothing but `call`, a literal. */
typedef struct softgpu_check_api {
    unsigned version; /* SOFTGPU_CHECK_VERSION of the library */

    /* Memory was given out. What a runtime gets and divides is told again, part by part. */
    void (*made)(uint64_t begin, uint64_t bytes, const char *call, unsigned flags);

    /* It is a variable of that symbol, which the runtime keeps in memory of its own. */
    void (*variable)(uint64_t begin, uint64_t bytes, const char *symbol);

    /* It is the program's own, and the program has it at that address. */
    void (*own)(uint64_t begin, uint64_t host);

    /* Memory is about to be taken back; false: nothing is known of it. */
    bool (*going)(uint64_t begin, const char *call, unsigned flags, softgpu_check_place_t *place);
    /* It will be, when a stream gets there; then gone() with NULL for the call. */
    void (*ending)(uint64_t begin, uint64_t number, const char *call);
    /* `held`: the runtime has not been told yet, so that it is still mapped until released(). */
    void (*gone)(uint64_t begin, uint64_t number, const char *call, bool held);
    void (*released)(uint64_t begin, uint64_t number);

    /* The GPU may use the program's own memory there, whatever has been unlocked of it. */
    void (*shared)(uint64_t begin, uint64_t bytes);

    /* A call is about to write and to read, until it is over(); 0 bytes: it does one of them only.
     */
    void (*copies)(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                   const char *call);
    /* A call is about to launch a graph, until it is over(). NULL: nobody asks. */
    void (*launches)(const char *call);
    /* The latest call of the thread that began is over. */
    void (*over)(void);
    /* A copy engine is about to be given that to do; 0 bytes to be read: it fills. NULL: nobody
     * asks. */
    void (*moves)(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                  uint64_t bytes);

    void (*failed)(const softgpu_check_failure_t *failure); /* NULL: nobody asks */

    /* A code object's file, whole. */
    void (*code)(const void *elf, size_t bytes);

    /* The process is about to end without the handlers of exit: by _exit with a status, or
     * (SOFTGPU_CHECK_ABORTS) by abort. May be called in a signal handler, and where a child of
     * vfork ends, of which nothing is told. */
    void (*leaving)(int status);

    const softgpu_order_api_t *order; /* NULL: nobody asks */
} softgpu_check_api_t;

/* NULL: nothing is checked. */
typedef const softgpu_check_api_t *softgpu_check_fn_t(unsigned version);

#endif
