/* windows.c - see windows.h. */
#include "tool/windows.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "trace/settings.h"

typedef struct {
    uint64_t delay, time, repeat; /* in ns, in ns, and a count; `repeat` 0: for ever */
} period_t;

static struct {
    rocprofiler_context_id_t context;
    period_t *periods;
    size_t count;
    uint64_t now; /* CLOCK_MONOTONIC at the begin of the current step */
    pthread_t thread;
    pid_t pid; /* process that the thread belongs to; 0: there is no thread */
    sem_t wake;
    bool stop;
} windows;

bool tool_windows_wanted(void)
{
    return trace_setting_given(TRACE_SET_COLLECTION_PERIOD);
}

static bool read_number(const char **at, char end, uint64_t *number)
{
    char *behind;
    errno = 0;
    *number = strtoull(*at, &behind, 10);
    bool good = !errno && behind != *at && (*behind == end || (!*behind && end == ';'));
    *at = behind + (*behind != 0);
    return good;
}

static bool read_periods(const char *list)
{
    size_t most = 1;
    for (const char *at = list; *at; at++)
        most += *at == ';';
    windows.periods = calloc(most, sizeof(*windows.periods));
    if (!windows.periods) return false;
    for (const char *at = list; *at;) {
        period_t *p = &windows.periods[windows.count++];
        if (!read_number(&at, ':', &p->delay) || !read_number(&at, ':', &p->time) ||
            !read_number(&at, ';', &p->repeat))
            return false;
    }
    return true;
}

/* Waits for the end of a step of `ns`, counted from the end of the step before, so that the times
 * do not drift. Returns false if the thread is to end. */
static bool await(uint64_t ns)
{
    windows.now += ns;
    struct timespec until = {.tv_sec = (time_t)(windows.now / 1000000000u),
                             .tv_nsec = (long)(windows.now % 1000000000u)};
    while (!__atomic_load_n(&windows.stop, __ATOMIC_ACQUIRE))
        if (sem_clockwait(&windows.wake, CLOCK_MONOTONIC, &until) != 0 && errno == ETIMEDOUT)
            return !__atomic_load_n(&windows.stop, __ATOMIC_ACQUIRE);
    return false;
}

static void *run(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "rocprof-windows");
    for (size_t i = 0; i < windows.count; i++) {
        const period_t *p = &windows.periods[i];
        for (uint64_t n = 0; !p->repeat || n < p->repeat; n++) {
            if (!await(p->delay)) return NULL;
            rocprofiler_start_context(windows.context);
            if (!await(p->time)) return NULL;
            rocprofiler_stop_context(windows.context);
        }
    }
    return NULL;
}

/* All signals are blocked in the new thread, so that the program's own threads handle them. */
static bool start(void)
{
    struct timespec now;
    sigset_t all, before;
    clock_gettime(CLOCK_MONOTONIC, &now);
    windows.now = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    windows.stop = false;
    sem_init(&windows.wake, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&windows.thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    windows.pid = error ? 0 : getpid();
    if (error) base_error("collection periods: no thread: %s: nothing is traced", strerror(error));
    return !error;
}

/* fork() does not copy the thread, and the context may be running in the child. */
static void in_child(void)
{
    if (!windows.pid) return;
    rocprofiler_stop_context(windows.context);
    start();
}

bool tool_windows_start(rocprofiler_context_id_t context)
{
    const char *list = trace_setting_given(TRACE_SET_COLLECTION_PERIOD);
    windows.context = context;
    if (!read_periods(list)) {
        base_error("ROCPROF_COLLECTION_PERIOD is '%s': delay:time:repeat in nanoseconds, parted by "
                   "semicolons, is needed: nothing is traced",
                   list);
        return false;
    }
    pthread_atfork(NULL, NULL, in_child);
    return start();
}

void tool_windows_stop(void)
{
    if (windows.pid != getpid()) return;
    __atomic_store_n(&windows.stop, true, __ATOMIC_RELEASE);
    sem_post(&windows.wake);
    pthread_join(windows.thread, NULL);
    windows.pid = 0;
}
