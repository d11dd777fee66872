/* helper.c - the threads that deliver buffers in the background.
 *
 * It is apart from buffer.c because it decides when to deliver, not how. A helper sleeps on a futex
 * until one of its buffers wakes it, and wakes once a second to adjust the clock. */
#include "base/log.h"
#include "sdk/core/buffer.h"
#include "sdk/core/clock.h"
#include "sdk/core/context.h"
#include "sdk/core/registration.h"

#include <limits.h>
#include <string.h>
#include <time.h>

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HELPERS_MAX = 1 + 64 }; /* the default helper, and those that tools make */

struct sdk_helper {
    _Atomic uint64_t pending;  /* buffers to be delivered, by bit */
    _Atomic uint32_t sleeping; /* futex word: 1 while the thread sleeps or is about to */
    _Atomic bool stop;
    bool made, running;
    _Atomic bool restart; /* the thread ran in the parent of this process and must be started
                           * again */
    pthread_t thread;
};

static sdk_helper_t helpers[HELPERS_MAX] = {{.made = true}};
static pthread_mutex_t helpers_lock = PTHREAD_MUTEX_INITIALIZER;
static bool started;

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *timeout)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout, NULL, 0);
}

static void call(sdk_helper_t *helper)
{
    /* All accesses to pending, stop and sleeping, here and in sleep_until_called, are seq_cst:
     * either this thread sees that the helper sleeps, or the helper sees what this thread has
     * set. */
    if (atomic_load(&helper->sleeping) && atomic_exchange(&helper->sleeping, 0))
        futex_wake(&helper->sleeping);
}

static void start_one(sdk_helper_t *helper);

void sdk_helper_wake(sdk_buffer_t *buffer)
{
    sdk_helper_t *helper = buffer->helper;
    uint64_t bit = (uint64_t)1 << buffer->slot;
    if (atomic_load_explicit(&helper->restart, memory_order_relaxed) &&
        atomic_exchange(&helper->restart, false))
        start_one(helper);
    if (atomic_load_explicit(&helper->pending, memory_order_relaxed) & bit) return;
    atomic_fetch_or(&helper->pending, bit);
    call(helper);
}

static void sleep_until_called(sdk_helper_t *helper, const struct timespec *longest)
{
    atomic_store(&helper->sleeping, 1);
    if (!atomic_load(&helper->pending) && !atomic_load(&helper->stop))
        futex_wait(&helper->sleeping, 1, longest);
    atomic_store(&helper->sleeping, 0);
}

static void *helper_main(void *argument)
{
    sdk_helper_t *helper = argument;
    prctl(PR_SET_NAME, "rocprofiler-sdk");
    /* the helper sleeps for short times at first, because the first measurements of the clock's
     * rate are the least accurate */
    struct timespec longest = {.tv_nsec = 20000000};
    while (!atomic_load_explicit(&helper->stop, memory_order_acquire)) {
        uint64_t pending = atomic_exchange_explicit(&helper->pending, 0, memory_order_acquire);
        if (!pending) {
            sleep_until_called(helper, &longest);
            sdk_clock_discipline();
            if (longest.tv_sec == 0 && (longest.tv_nsec *= 4) >= 1000000000)
                longest = (struct timespec){.tv_sec = 1};
            continue;
        }
        for (; pending; pending &= pending - 1) {
            sdk_buffer_t *buffer = sdk_buffer_at((uint32_t)__builtin_ctzll(pending));
            if (buffer) sdk_buffer_deliver(buffer);
        }
    }
    return NULL;
}

sdk_helper_t *sdk_helper_create(void)
{
    sdk_helper_t *made = NULL;
    pthread_mutex_lock(&helpers_lock);
    for (int i = 1; i < HELPERS_MAX && !made; i++) {
        if (helpers[i].made) continue;
        made = &helpers[i];
        made->made = true;
    }
    pthread_mutex_unlock(&helpers_lock);
    return made;
}

sdk_helper_t *sdk_helper_get(uint64_t handle)
{
    return handle < HELPERS_MAX && helpers[handle].made ? &helpers[handle] : NULL;
}

uint64_t sdk_helper_handle(const sdk_helper_t *helper)
{
    return (uint64_t)(helper - helpers);
}

static void start_one(sdk_helper_t *helper)
{
    int error = sdk_internal_thread_start(&helper->thread, helper_main, helper);
    helper->running = error == 0;
    if (error)
        base_warning("no thread for buffer callbacks (%s): buffers are delivered when full, at "
                     "flush and at the end",
                     strerror(error));
}

void sdk_helpers_start(void)
{
    for (uint32_t slot = 0; slot < SDK_BUFFERS_MAX; slot++) {
        sdk_buffer_t *buffer = sdk_buffer_at(slot);
        if (!buffer) continue;
        if (!buffer->helper->running) start_one(buffer->helper);
        started = true;
    }
}

void sdk_helpers_stop(void)
{
    if (!started) return;
    for (int i = 0; i < HELPERS_MAX; i++) {
        sdk_helper_t *helper = &helpers[i];
        if (!helper->running) continue;
        atomic_store(&helper->stop, true);
        call(helper);
        if (pthread_equal(helper->thread, pthread_self())) {
            /* A tool finalises inside its buffer callback, on this thread. */
            pthread_detach(helper->thread);
        } else {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 2;
            if (pthread_timedjoin_np(helper->thread, NULL, &until)) {
                base_warning(
                    "a buffer callback has not returned for 2 s: its thread is left alone");
                pthread_detach(helper->thread);
            }
        }
        helper->running = false;
    }
}

void sdk_helpers_forked(void)
{
    pthread_mutex_init(&helpers_lock, NULL);
    for (int i = 0; i < HELPERS_MAX; i++) {
        sdk_helper_t *helper = &helpers[i];
        atomic_store(&helper->restart, helper->running);
        atomic_store(&helper->pending, 0);
        atomic_store(&helper->sleeping, 0);
        helper->running = false;
    }
}
