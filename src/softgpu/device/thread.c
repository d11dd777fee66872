/* thread.c - how every thread of the device is started.
 *
 * Apart so that none is started any other way: the program's signals must never be delivered to a
 * thread of ours, and each thread is recognisable in a debugger by its name. */
#include "softgpu/device/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

typedef struct {
    void *(*body)(void *);
    void *arg;
    char name[16];
} start_t;

static void *enter(void *p)
{
    start_t s = *(start_t *)p;
    free(p);
    prctl(PR_SET_NAME, s.name);
    prctl(PR_SET_TIMERSLACK, 1000ul); /* short waits are latencies here, 50 us more would show */
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
