/* thread.c - starts every thread of the device.
 *
 * No thread may be started in another way: the program's signals must never be delivered to a
 * thread of the device, and each thread has a name by which a debugger shows it. */
#include "softgpu/device/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
    void *(*body)(void *);
    void *arg;
    char name[16];
} start_t;

/* struct sched_attr of the kernel, its first version; libc has none. */
typedef struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
} sched_attributes_t;

/* Requests short time slices: on a busy host a woken thread with a short slice preempts one in the
 * middle of a long slice (Linux 6.12 and later; earlier kernels ignore the request). Without it, a
 * queue notices a doorbell milliseconds late if all cores are busy. */
static void request_short_slices(void)
{
    enum { TURN_NS = 100000 }; /* the least that the kernel grants */
    sched_attributes_t a;
    memset(&a, 0, sizeof a);
    if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0)) return;
    a.runtime = TURN_NS;
    syscall(SYS_sched_setattr, 0, &a, 0);
}

static void *enter(void *p)
{
    start_t s = *(start_t *)p;
    free(p);
    prctl(PR_SET_NAME, s.name);
    prctl(PR_SET_TIMERSLACK,
          1000ul); /* the default, 50 microseconds, would lengthen short waits considerably */
    request_short_slices();
    return s.body(s.arg);
}

int sg_thread_start(pthread_t *out, const char *name, void *(*body)(void *), void *arg)
{
    sigset_t all, before;
    start_t *s = malloc(sizeof *s);
    if (!s) return ENOMEM;
    s->body = body;
    s->arg = arg;
    snprintf(s->name, sizeof s->name, "%s", name);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(out, NULL, enter, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) free(s);
    return error;
}
