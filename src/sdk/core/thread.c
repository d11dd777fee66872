/* thread.c - thread entries: one is made at a thread's first traced call and is used for another
 * thread after its end.
 *
 * It is apart because the steps at a thread's end have an order: its rings must be closed before
 * another thread gets its entry. */
#include "sdk/core/thread.h"
#include "sdk/core/buffer.h"
#include "sdk/core/context.h"
#include "sdk/core/registration.h"
#include "sdk/core/services.h"

#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

enum {
    /* Ids without gaps are easier to read. So the first DENSE_IDS ids of a process are taken from
     * the shared counter one by one, which costs milliseconds in all. After that threads take
     * blocks of ids, and the rest of a thread's last block is never used. */
    DENSE_IDS = 1 << 18,
    ID_BLOCK = 64,
    NAP_US = 50,
    /* A fork stops other threads for at most 200 ms, even if some thread does not leave its
     * call. */
    GATE_TRIES = 200000 / NAP_US,
};

_Thread_local sdk_thread_t *sdk_thread_pointer __attribute__((tls_model("initial-exec")));
_Atomic uint32_t sdk_emit_special;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static sdk_thread_t *_Atomic all_threads;
static _Atomic uint64_t next_id = 1;
static pthread_key_t exit_key;
static bool has_exit_key;

static void thread_ends(void *entry)
{
    sdk_thread_t *self = entry;
    sdk_thread_pointer = NULL; /* if a later destructor makes a traced call, it gets a new entry */
    if (sdk_is_forked_child()) return;
    for (int slot = 0; slot < SDK_BUFFERS_MAX; slot++)
        if (self->cursors[slot].ring) sdk_ring_close(self->cursors[slot].ring);
    sdk_external_thread_ends(self);
    sdk_services_thread_ends(self);
    pthread_mutex_lock(&list_lock);
    memset(self->cursors, 0, sizeof self->cursors);
    self->current = self->outer = 0;
    atomic_store_explicit(&self->calls, 0, memory_order_relaxed);
    atomic_store_explicit(&self->live, 0, memory_order_relaxed);
    pthread_mutex_unlock(&list_lock);
}

void sdk_threads_init(void)
{
    has_exit_key = pthread_key_create(&exit_key, thread_ends) == 0;
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
        atomic_fetch_or(&sdk_emit_special, SDK_EMIT_FENCE);
}

/* Returns a new entry, on cache lines of its own, so that no other thread's data shares one. The
 * memory comes from mmap(), since a signal handler may need an entry for a thread that it has
 * interrupted in malloc(). */
static sdk_thread_t *new_entry(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t bytes = (sizeof(sdk_thread_t) + page - 1) & ~(page - 1);
    void *entry = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (entry == MAP_FAILED) return NULL;
#ifdef __SANITIZE_ADDRESS__
    __lsan_register_root_region(entry, bytes); /* the leak checker has to see that entries point to
                                                * memory in use */
#endif
    return entry;
}

/* Returns an entry that no thread uses any more, or a new one. To be called with list_lock held. */
static sdk_thread_t *free_entry(void)
{
    sdk_thread_t *self = atomic_load_explicit(&all_threads, memory_order_relaxed);
    while (self && atomic_load_explicit(&self->live, memory_order_relaxed))
        self = self->next;
    if (self || !(self = new_entry())) return self;
    self->next = atomic_load_explicit(&all_threads, memory_order_relaxed);
    atomic_store_explicit(&all_threads, self, memory_order_release);
    return self;
}

static sdk_thread_t *take_entry(void)
{
    pthread_mutex_lock(&list_lock);
    sdk_thread_t *self = free_entry();
    if (self) {
        self->tid = (uint64_t)syscall(SYS_gettid);
        atomic_store_explicit(&self->live, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&list_lock);
    if (!self) return NULL;
    sdk_thread_pointer = self;
    sdk_external_thread_begins(self);
    if (has_exit_key) pthread_setspecific(exit_key, self);
    return self;
}

sdk_thread_t *sdk_thread_create(void)
{
    if (sdk_is_forked_child()) return NULL;
    /* A signal handler of this thread that makes a traced call would wait for the lock that its own
     * thread holds. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = errno;
    /* a signal handler may have made the entry since the caller's check */
    sdk_thread_t *self = sdk_thread_pointer ? sdk_thread_pointer : take_entry();
    errno = error;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return self;
}

sdk_thread_t *sdk_thread_needed(const char *loss)
{
    static atomic_bool told;
    sdk_thread_t *self = sdk_thread_self();
    if (!self && !sdk_is_forked_child() && !atomic_exchange(&told, true))
        base_error("no memory for what is kept of a thread: %s, perhaps not only once", loss);
    return self;
}

uint64_t sdk_thread_refill_ids(sdk_thread_t *self)
{
    const bool dense = atomic_load_explicit(&next_id, memory_order_relaxed) <= DENSE_IDS;
    if (dense || !sdk_thread_begin_taking(self))
        return atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
    if (self->next_id == self->last_id) { /* no signal handler has taken a block meanwhile */
        self->next_id = atomic_fetch_add_explicit(&next_id, ID_BLOCK, memory_order_relaxed);
        self->last_id = self->next_id + ID_BLOCK;
    }
    const uint64_t id = self->next_id++;
    sdk_thread_end_taking(self);
    return id;
}

sdk_thread_t *sdk_thread_find(uint64_t tid)
{
    sdk_thread_t *found = NULL;
    pthread_mutex_lock(&list_lock);
    for (sdk_thread_t *t = atomic_load_explicit(&all_threads, memory_order_relaxed); t; t = t->next)
        if (atomic_load_explicit(&t->live, memory_order_relaxed) && t->tid == tid) found = t;
    pthread_mutex_unlock(&list_lock);
    return found;
}

void sdk_threads_each(void (*visit)(sdk_thread_t *, void *), void *closure)
{
    pthread_mutex_lock(&list_lock);
    for (sdk_thread_t *t = atomic_load_explicit(&all_threads, memory_order_relaxed); t; t = t->next)
        if (atomic_load_explicit(&t->live, memory_order_relaxed)) visit(t, closure);
    pthread_mutex_unlock(&list_lock);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_US * 1000}, NULL);
}

/* Acts as a memory fence in all threads at once (membarrier), so that the threads' fast paths need
 * no fence. */
static void order_all(void)
{
    if (!(atomic_load(&sdk_emit_special) & SDK_EMIT_FENCE))
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Waits until each other thread has been seen outside a traced call (with `calls`), or outside
 * sdk_emit_begin and sdk_emit_end. */
static bool wait_for_all(bool calls, unsigned timeout_ms)
{
    bool all = true;
    sdk_thread_t *self = sdk_thread_pointer;
    uint64_t waited_us = 0;
    order_all();
    for (sdk_thread_t *t = atomic_load_explicit(&all_threads, memory_order_acquire); t;
         t = t->next) {
        while (t != self && atomic_load(calls ? &t->calls : &t->emitting)) {
            if (waited_us >= timeout_ms * 1000ull) {
                all = false;
                break;
            }
            nap();
            waited_us += NAP_US;
        }
    }
    return all;
}

bool sdk_threads_quiesce(unsigned timeout_ms)
{
    return wait_for_all(false, timeout_ms);
}

/* ---- Fork ---- */

void sdk_threads_leave_calls(unsigned timeout_ms)
{
    wait_for_all(true, timeout_ms);
}

/* Returns whether a thread that begins a call or a record must wait. A thread that is inside a call
 * may go on until the gate is shut, so that the call can return. */
static bool stopped(uint32_t calls_outside)
{
    uint32_t special = atomic_load(&sdk_emit_special);
    return special & SDK_EMIT_SHUT || (special & SDK_EMIT_GATE && !calls_outside);
}

static void wait_at_gate(_Atomic uint32_t *depth, uint32_t calls_outside)
{
    for (int i = 0; i < GATE_TRIES && stopped(calls_outside); i++) {
        atomic_store(depth, 0);
        nap();
        atomic_store(depth, 1);
    }
}

void sdk_emit_begin_special(sdk_thread_t *self, uint32_t depth)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (depth > 1) return; /* this thread is inside already, and the forking thread waits for it */
    wait_at_gate(&self->emitting, atomic_load_explicit(&self->calls, memory_order_relaxed));
}

void sdk_call_begin_special(sdk_thread_t *self)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&self->calls, memory_order_relaxed) > 1) return;
    wait_at_gate(&self->calls, 0);
}

void sdk_threads_gate(uint32_t bits)
{
    const uint32_t all = SDK_EMIT_GATE | SDK_EMIT_SHUT;
    atomic_fetch_or(&sdk_emit_special, bits);
    atomic_fetch_and(&sdk_emit_special, ~(all & ~bits));
}

void sdk_threads_fork_prepare(void)
{
    pthread_mutex_lock(&list_lock);
}

void sdk_threads_fork_done(bool in_child)
{
    sdk_thread_t *self = sdk_thread_pointer;
    sdk_thread_t *first = atomic_load_explicit(&all_threads, memory_order_relaxed);
    for (sdk_thread_t *t = first; t && in_child; t = t->next) {
        memset(t->cursors, 0, sizeof t->cursors); /* these rings belong to the parent */
        if (t == self) {
            t->tid = (uint64_t)syscall(SYS_gettid);
            continue;
        }
        t->current = t->outer = 0;
        t->references = NULL;
        sdk_services_thread_ends(t);
        atomic_store_explicit(&t->emitting, 0, memory_order_relaxed);
        atomic_store_explicit(&t->calls, 0, memory_order_relaxed);
        t->delivering = 0;
        t->taking = false;
        t->delivering_mask = 0;
        atomic_store_explicit(&t->reserved, 0, memory_order_relaxed);
        atomic_store_explicit(&t->live, 0, memory_order_relaxed);
    }
    pthread_mutex_unlock(&list_lock);
}

uint64_t sdk_threads_progress(void)
{
    sdk_thread_t *self = sdk_thread_pointer;
    return atomic_load_explicit(&next_id, memory_order_relaxed) + (self ? self->next_id : 0);
}

uint64_t sdk_correlation_new(void)
{
    sdk_thread_t *self = sdk_thread_self();
    return self ? sdk_thread_next_id(self)
                : atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
}

uint64_t sdk_thread_id(void)
{
    return sdk_thread_pointer ? sdk_thread_pointer->tid : (uint64_t)syscall(SYS_gettid);
}
