/* calls_leave.c - the ways in which a program ends without running its exit handlers.
 *
 * Nothing here may allocate or lock: all of it can run in a signal handler, or between vfork and
 * exec. Each function reports to the checker and then does what its name says. */
#include "softgpu/check/calls.h"

#include "base/look_up.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    _Atomic(void *) exit, abort, assert_fail;
} next;

static void *next_exit(void)
{
    return base_next_definition(&next.exit, "_exit");
}
static void *next_abort(void)
{
    return base_next_definition(&next.abort, "abort");
}
static void *next_assert_fail(void)
{
    return base_next_definition(&next.assert_fail, "__assert_fail");
}

/* Runs before the program's own code, so that the functions below need no look-up. */
__attribute__((constructor)) static void find_all(void)
{
    next_exit();
    next_abort();
    next_assert_fail();
}

static void report_end(int status)
{
    const softgpu_check_api_t *a = atomic_load_explicit(&calls_api, memory_order_acquire);
    if (a) a->leaving(status);
}

/* A program that handles SIGABRT may continue: only an abort that ends the process is reported. */
static void report_abort(void)
{
    struct sigaction now;
    if (sigaction(SIGABRT, NULL, &now) == 0 &&
        (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
        report_end(SOFTGPU_CHECK_ABORTS);
}

EXPORT void _exit(int status)
{
    report_end(status & 0xff);
    ((__typeof__(_exit) *)next_exit())(status);
    __builtin_unreachable();
}

EXPORT void _Exit(int status)
{
    _exit(status);
}

EXPORT void abort(void)
{
    report_abort();
    ((__typeof__(abort) *)next_abort())();
    __builtin_unreachable();
}

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    report_abort();
    ((__typeof__(__assert_fail) *)next_assert_fail())(what, file, line, function);
    __builtin_unreachable();
}
