/* fork.c - a traced process forks: the child goes on tracing, with empty buffers.
 *
 * It is apart because it takes every lock of the core. During the fork no other thread may be in
 * tool code or hold a lock of this library, because the child would lack the thread that releases
 * it. Nor should another thread be inside a runtime, whose locks the child may need. Locks are
 * taken in the order of this file; a new lock of the core must be added here. */
#include "base/log.h"
#include "sdk/core/clock.h"
#include "sdk/core/context.h"
#include "sdk/core/registration.h"
#include "sdk/core/services.h"

#include <time.h>

enum {
    PATIENCE_MS = 100, /* how long to wait for tools' callbacks that are running */
    CALLS_MS = 20,     /* how long to wait for traced calls under way; one that waits for the GPU
                        * may not return at all */
};

/* State of the current fork. The lock is needed because the C library runs these handlers of
 * several threads at the same time, and only then serialises the forks. */
static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;
static bool still;
static uint64_t parent_tid;
static uint32_t held_buffers;
static uint64_t progress_at_fork; /* as it was when the process forked; used in the child */

/* Locks all buffers in the order of their indices, or none. */
static bool hold_buffers(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_MS * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    for (held_buffers = 0; sdk_buffer_at(held_buffers); held_buffers++)
        if (!sdk_buffer_fork_prepare(sdk_buffer_at(held_buffers), &until)) break;
    if (!sdk_buffer_at(held_buffers)) return true;
    while (held_buffers)
        sdk_buffer_fork_done(sdk_buffer_at(--held_buffers), false);
    return false;
}

static void before_fork(void)
{
    pthread_mutex_lock(&fork_lock);
    sdk_thread_t *self = sdk_thread_pointer;
    /* Inside a callback, the state of the tool's locks and of this thread's records is unknown. */
    bool inside =
        self && (atomic_load_explicit(&self->emitting, memory_order_relaxed) || self->delivering);
    still = false;
    if (inside || sdk_finalization_begun()) return;
    parent_tid = sdk_thread_id();
    sdk_threads_gate(SDK_EMIT_GATE);
    sdk_threads_leave_calls(CALLS_MS);
    sdk_threads_gate(SDK_EMIT_GATE | SDK_EMIT_SHUT);
    if (!sdk_threads_quiesce(PATIENCE_MS) || !hold_buffers()) return;
    sdk_contexts_fork_prepare();
    sdk_external_fork_prepare();
    sdk_threads_fork_prepare();
    sdk_clock_fork_prepare();
    still = true;
}

static void release(bool in_child)
{
    sdk_clock_fork_done();
    sdk_threads_fork_done(in_child);
    sdk_external_fork_done(in_child, parent_tid, sdk_thread_id());
    sdk_contexts_fork_done();
    while (held_buffers)
        sdk_buffer_fork_done(sdk_buffer_at(--held_buffers), in_child);
}

static void after_fork(void)
{
    if (still) release(false);
    sdk_threads_gate(0);
    pthread_mutex_unlock(&fork_lock);
}

static void after_fork_in_child(void)
{
    sdk_threads_gate(0);
    if (sdk_is_forked_child()) {
        /* nothing to do: this is a child of a child that is not traced */
    } else if (still) {
        sdk_helpers_forked();
        release(true);
        progress_at_fork = sdk_threads_progress();
        sdk_services_at(SDK_AT_FORK);
        if (sdk_has_late_client()) sdk_silence_child(); /* the tool cannot detach from the child */
    } else {
        base_info("this child of a fork is not traced: a tool was at work when it was made");
        sdk_silence_child();
    }
    pthread_mutex_unlock(&fork_lock);
}

void sdk_fork_watch(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

bool sdk_fork_idle_child(void)
{
    return progress_at_fork && progress_at_fork == sdk_threads_progress();
}
