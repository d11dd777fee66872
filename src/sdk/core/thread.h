/* thread.h - the data that the library keeps for each thread that has made a traced call.
 *
 * An entry is reached through one thread-local pointer, and only its own thread writes it, except
 * where a comment says otherwise. Entries are recycled and never freed, so that other threads may
 * read them. */
#ifndef CROCPROF_SDK_THREAD_H
#define CROCPROF_SDK_THREAD_H

#include "sdk/core/service.h"

typedef struct sdk_ring sdk_ring_t;

/* Where the thread writes its next record of a buffer; buffer.h describes the protocol. */
typedef struct {
    char *position;            /* next free byte of the chunk */
    char *limit;               /* the fast path may write up to here */
    _Atomic uint32_t *publish; /* number of complete bytes in the chunk; a release store here
                                * makes a record visible */
    sdk_ring_t *ring;          /* NULL until the thread has written to the buffer */
} sdk_cursor_t;

typedef struct sdk_thread {
    uint64_t current;          /* internal id of the innermost traced call, 0 if there is none */
    uint64_t outer;            /* internal id of the call that encloses it, 0 if there is none */
    uint64_t next_id, last_id; /* ids reserved for this thread: next_id to last_id - 1 */
    uint64_t tid;
    /* Above 0 while callbacks run or records are written: a finalising thread waits for 0. Read by
     * other threads, which use membarrier for the order, see sdk_threads_quiesce. */
    _Atomic uint32_t emitting;
    /* Nested traced calls under way: a forking thread waits for 0. Read by other threads. */
    _Atomic uint32_t calls;
    uint16_t delivering; /* above 0 inside a buffer's callback */
    bool taking;         /* the thread is taking a reserved id; its signal handlers read this */
    _Atomic uint32_t reserved; /* the thread fills in a record; its signal handlers read this */
    uint64_t delivering_mask;  /* buffers that this thread is delivering, by bit */
    _Atomic uint32_t live;     /* 0: the entry is free for another thread */
    struct sdk_reference *references; /* references to ids of calls under way, innermost first */
    struct sdk_thread *next;          /* next in the list of all entries ever made */
    /* Its open marker ranges, recycled with the entry; NULL until the first range. */
    struct sdk_ranges *ranges;
    /* Top of the stack of external ids for each context; written by the thread that pushes. */
    _Atomic uint64_t external[SDK_CONTEXTS_MAX];
    sdk_cursor_t cursors[SDK_BUFFERS_MAX];
} sdk_thread_t;

extern _Thread_local sdk_thread_t *sdk_thread_pointer __attribute__((tls_model("initial-exec")));

/* Makes the calling thread's entry. Returns NULL when out of memory, or in a child of a fork that
 * is not traced. */
sdk_thread_t *sdk_thread_create(void);

static inline sdk_thread_t *sdk_thread_self(void)
{
    sdk_thread_t *self = sdk_thread_pointer;
    if (__builtin_expect(self != NULL, 1)) return self;
    return sdk_thread_create();
}

/* The same for callers that drop something if there is no entry: the first such loss of the process
 * is logged, with the text `loss`. */
sdk_thread_t *sdk_thread_needed(const char *loss);

/* Takes a block of ids, returns its first and keeps the rest for the thread. In a signal handler
 * that has interrupted the taking of an id, it returns one id from the shared counter. */
uint64_t sdk_thread_refill_ids(sdk_thread_t *self);

static inline bool sdk_thread_begin_taking(sdk_thread_t *self)
{
    if (__builtin_expect(self->taking, 0)) return false;
    self->taking = true;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static inline void sdk_thread_end_taking(sdk_thread_t *self)
{
    atomic_signal_fence(memory_order_seq_cst);
    self->taking = false;
}

static inline uint64_t sdk_thread_next_id(sdk_thread_t *self)
{
    uint64_t id = 0;
    if (sdk_thread_begin_taking(self)) {
        if (__builtin_expect(self->next_id != self->last_id, 1)) id = self->next_id++;
        sdk_thread_end_taking(self);
    }
    return __builtin_expect(id != 0, 1) ? id : sdk_thread_refill_ids(self);
}

/* Reasons why sdk_emit_begin and sdk_call_begin must do more than one store. The word is 0 nearly
 * always. */
enum {
    SDK_EMIT_FENCE = 1, /* the kernel has no membarrier(): the fast path needs a fence */
    SDK_EMIT_GATE = 2,  /* a fork is about to happen: no call may begin, calls that have begun may
                         * end */
    SDK_EMIT_SHUT = 4,  /* a fork happens: all threads wait, so that no lock of a tool is held */
};
extern _Atomic uint32_t sdk_emit_special;

/* Slow path of sdk_emit_begin; `depth` is the value that the caller has stored. */
void sdk_emit_begin_special(sdk_thread_t *self, uint32_t depth);

/* Slow path of sdk_call_begin. */
void sdk_call_begin_special(sdk_thread_t *self);

/* These enclose a traced call, including the runtime's own work in it: the runtime may hold its
 * locks, which would stay locked for ever in a child that is forked meanwhile. */
static inline void sdk_call_begin(sdk_thread_t *self)
{
    atomic_store_explicit(&self->calls,
                          atomic_load_explicit(&self->calls, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&sdk_emit_special, memory_order_relaxed) != 0, 0))
        sdk_call_begin_special(self);
}

static inline void sdk_call_end(sdk_thread_t *self)
{
    atomic_store_explicit(&self->calls,
                          atomic_load_explicit(&self->calls, memory_order_relaxed) - 1,
                          memory_order_release);
}

/* These enclose callbacks and the writing of records. Either the thread sees, between the two, what
 * a finalising thread has written before sdk_threads_quiesce (that the context accepts nothing any
 * more), or the finalising thread waits for this thread. */
static inline void sdk_emit_begin(sdk_thread_t *self)
{
    uint32_t depth = atomic_load_explicit(&self->emitting, memory_order_relaxed) + 1;
    atomic_store_explicit(&self->emitting, depth, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&sdk_emit_special, memory_order_relaxed) != 0, 0))
        sdk_emit_begin_special(self, depth);
}

static inline void sdk_emit_end(sdk_thread_t *self)
{
    atomic_store_explicit(&self->emitting,
                          atomic_load_explicit(&self->emitting, memory_order_relaxed) - 1,
                          memory_order_release);
}

void sdk_threads_init(void);

/* Waits until every other thread has been outside sdk_emit_begin and sdk_emit_end once since the
 * call, at most timeout_ms. Returns false if one was still inside (in a tool's callback that does
 * not return). */
bool sdk_threads_quiesce(unsigned timeout_ms);

/* Returns the live thread with this id; NULL if there is none. */
sdk_thread_t *sdk_thread_find(uint64_t tid);

/* Calls `visit` for all live threads, under the list's lock. */
void sdk_threads_each(void (*visit)(sdk_thread_t *, void *), void *closure);

/* ---- Fork: see fork.c ---- */

/* Sets what threads find when they begin a call or a record: 0, SDK_EMIT_GATE, or that and
 * SDK_EMIT_SHUT. */
void sdk_threads_gate(uint32_t bits);

/* Waits until no other thread is inside a traced call, at most timeout_ms: a call may be waiting
 * for the GPU, or for the thread that forks. */
void sdk_threads_leave_calls(unsigned timeout_ms);

/* Locks the list of threads; in the child only the caller's entry stays live. */
void sdk_threads_fork_prepare(void);
void sdk_threads_fork_done(bool in_child);

/* How many correlation ids have been given out or reserved, as a measure of whether anything was
 * traced. */
uint64_t sdk_threads_progress(void);

#endif
