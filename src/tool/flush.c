/* flush.c - see flush.h. There is one thread and one semaphore; records are not handled here. */
#include "tool/flush.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "base/log.h"

static struct {
    pid_t pid; /* process that the thread belongs to */
    pthread_t thread;
    sem_t wake;
    bool stop;
    unsigned asked, done; /* numbers of the last request of tool_flush_now() and of the last one
                           * that was served */
    rocprofiler_buffer_id_t buffer;
    void (*tick)(void);
} flush;

static _Thread_local bool dismissed; /* this thread has stopped itself; another may have been
                                      * started */

static void wait_for_call(void)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TOOL_TICK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (flush.tick)
        sem_clockwait(&flush.wake, CLOCK_MONOTONIC, &until);
    else
        sem_wait(&flush.wake);
}

static void *run(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "rocprof-flush");
    while (!__atomic_load_n(&flush.stop, __ATOMIC_ACQUIRE)) {
        wait_for_call();
        if (__atomic_load_n(&flush.stop, __ATOMIC_ACQUIRE)) break;
        unsigned asked = __atomic_load_n(&flush.asked, __ATOMIC_ACQUIRE);
        rocprofiler_flush_buffer(flush.buffer);
        __atomic_store_n(&flush.done, asked, __ATOMIC_RELEASE);
        if (flush.tick) flush.tick();
        if (dismissed) break;
    }
    return NULL;
}

/* All signals are blocked in the new thread, so that the program's own threads handle them. */
static int start(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sem_init(&flush.wake, 0, 0);
    flush.stop = false;
    int error = pthread_create(&flush.thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    __atomic_store_n(&flush.pid, error ? 0 : getpid(), __ATOMIC_RELEASE);
    return error;
}

int tool_flush_start(rocprofiler_buffer_id_t buffer, void (*tick)(void))
{
    flush.buffer = buffer;
    flush.tick = tick;
    return start();
}

void tool_flush_start_in_child(void)
{
    flush.asked = flush.done = 0;
    if (start() != 0) base_warning("no thread for the last flush in process %d", (int)getpid());
}

void tool_flush_stop(void)
{
    if (flush.pid != getpid()) return;
    __atomic_store_n(&flush.stop, true, __ATOMIC_RELEASE);
    sem_post(&flush.wake);
    dismissed = pthread_equal(pthread_self(), flush.thread);
    if (dismissed)
        pthread_detach(flush.thread);
    else
        pthread_join(flush.thread, NULL);
    __atomic_store_n(&flush.pid, 0, __ATOMIC_RELEASE);
}

void tool_flush_now(void)
{
    enum { STEP_US = 50 };
    int error = errno;
    pid_t pid = __atomic_load_n(&flush.pid, __ATOMIC_ACQUIRE);
    if (!pid || pid != getpid() || pthread_equal(pthread_self(), flush.thread)) return;
    unsigned ticket = __atomic_add_fetch(&flush.asked, 1, __ATOMIC_ACQ_REL);
    sem_post(&flush.wake);
    for (int waited = 0; waited < TOOL_FLUSH_WAIT_MS * 1000; waited += STEP_US) {
        if ((int)(__atomic_load_n(&flush.done, __ATOMIC_ACQUIRE) - ticket) >= 0) break;
        struct timespec step = {0, STEP_US * 1000};
        nanosleep(&step, NULL);
    }
    errno = error;
}
