/* leave.c - writes the reports when a process ends without running exit handlers.
 *
 * A thread that was started for this writes them, since the thread that ends the process may be in
 * a signal handler, in the middle of malloc(). If a report needs a lock that the interrupted code
 * holds, the report stays incomplete, and the process ends after a time-out. */
#include "softgpu/device/internal.h"

#include "softgpu/check/check.h"
#include "softgpu/check/sink.h"

#include <errno.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_SECONDS = 10 };

static struct {
    void (*end)(void);
    sem_t asked, done;
    _Atomic pid_t starting,
        process; /* the process that is starting its thread; the process that has started it */
    _Atomic int status;
} leave;

static void *wait_for_the_end(void *nothing)
{
    (void)nothing;
    for (;;) {
        while (sem_wait(&leave.asked) != 0)
            continue;
        const int status = atomic_load(&leave.status);
        chk_ends(status, status == SOFTGPU_CHECK_ABORTS);
        leave.end();
        sem_post(&leave.done);
    }
    return NULL;
}

void sg_leave_watch(void (*end)(void))
{
    const pid_t self = getpid();
    pthread_t thread;
    if (!chk_wanted() || atomic_exchange(&leave.starting, self) == self) return;
    sem_init(&leave.asked, 0, 0);
    sem_init(&leave.done, 0, 0);
    leave.end = end;
    if (sg_thread_start(&thread, "softgpu-leave", wait_for_the_end, NULL) != 0) return;
    pthread_detach(thread);
    atomic_store(&leave.process, self);
}

void sg_leave(int status)
{
    struct timespec limit;
    if (atomic_load(&leave.process) != getpid()) return;
    atomic_store(&leave.status, status);
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += WAIT_SECONDS;
    sem_post(&leave.asked);
    while (sem_clockwait(&leave.done, CLOCK_MONOTONIC, &limit) != 0 && errno == EINTR)
        continue;
}
