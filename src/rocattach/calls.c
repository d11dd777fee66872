/* calls.c - makes the waiting thread of another process call a function, by ptrace.
 *
 * Everything is prepared on the thread's own stack, far below the part in use: the arguments, and a
 * reg_attach_call_t with the thread's registers. Then the thread is sent to the function
 * rocprofiler_register_attach_run of its process, and ptrace detaches at once. That function makes
 * the call, stores the result and restores the registers, so the thread returns to its wait by
 * itself, even if this process dies at any step or stops waiting. Neither code nor mappings of the
 * other process change.
 *
 * ptrace relations belong to a thread. The part that needs ptrace runs in a thread of its own,
 * because when that thread ends, the kernel detaches all threads that it traces, including those
 * that could not be stopped. */
#include "rocattach/internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "register/register.h"

#define SECOND UINT64_C(1000000000)

enum {
    STOP_SECONDS = 5, /* limit until the thread waits, and until it has stopped: both take
                       * microseconds */
    /* Handlers of the C library's own signals run on the thread's stack, too, with up to 11 KiB of
     * vector registers; they must not overwrite the data that are prepared below. */
    GAP = 16384,
    ALIGNMENT = 64,
    NAP_NS = 100000, /* the first pause between two checks; each next one is longer by a quarter */
    LONGEST_NAP_NS = 10000000,
    RESTARTS =
        /* The kernel's ERESTARTNOHAND: pause() was interrupted and would be restarted. */
    514,
};

/* ---- Waiting ---- */

typedef struct {
    uint64_t end_ns;
    long nap_ns;
} patience_t;

static patience_t patience(unsigned seconds)
{
    return (patience_t){base_clock_ns(CLOCK_MONOTONIC) + seconds * SECOND, NAP_NS};
}

/* Sleeps; returns false when the time is over. */
static bool nap(patience_t *p)
{
    nanosleep(&(struct timespec){.tv_nsec = p->nap_ns}, NULL);
    if (p->nap_ns < LONGEST_NAP_NS) p->nap_ns += p->nap_ns / 4;
    return base_clock_ns(CLOCK_MONOTONIC) < p->end_ns;
}

static unsigned limit_of(const rat_request_t *r)
{
    return (unsigned)base_env_int("ROCPROF_ATTACH_TIMEOUT", r->seconds, 1, 86400);
}

/* ---- The part that needs ptrace ---- */

typedef struct {
    const rat_target_t *target;
    const rat_request_t *request;
    uint64_t token; /* the process writes it to `done` after this call */
    uint64_t at;    /* address of the call's reg_attach_call_t */
    rocattach_status_t status;
    char why[RAT_WHY_BYTES];
} session_t;

static rocattach_status_t ended(const session_t *s)
{
    return rat_fail(ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND, "process %d has ended",
                    (int)s->target->pid);
}

static rocattach_status_t fail(const session_t *s, const char *what)
{
    if (errno == ESRCH || errno == ECHILD) return ended(s);
    if (errno == EPERM || errno == EACCES) return rat_target_denied(s->target);
    return rat_fail(ROCATTACH_STATUS_ERROR_PTRACE_ERROR, "process %d: %s: %s", (int)s->target->pid,
                    what, strerror(errno));
}

static long trace(const session_t *s, int request, void *data)
{
    return ptrace((enum __ptrace_request)request, s->target->thread, NULL, data);
}

/* Returns the error for a thread that was not at rest within the time. */
static rocattach_status_t busy(const session_t *s)
{
    return rat_fail(ROCATTACH_STATUS_ERROR,
                    "process %d cannot be attached: its thread " REG_ATTACH_THREAD
                    " is at work for another attach or detach that has not ended: wait for it, or "
                    "find out what the tool that it calls is waiting for",
                    (int)s->target->pid);
}

static rocattach_status_t stop(const session_t *s)
{
    int status;
    patience_t p = patience(STOP_SECONDS);
    if (trace(s, PTRACE_INTERRUPT, NULL) != 0) return fail(s, "PTRACE_INTERRUPT");
    for (;;) {
        pid_t got = waitpid(s->target->thread, &status, __WALL | WNOHANG);
        if (got > 0 && WIFSTOPPED(status)) return ROCATTACH_STATUS_SUCCESS;
        if (got > 0) return ended(s);
        if (got < 0 && errno != EINTR) return fail(s, "waiting");
        if (!nap(&p)) break;
    }
    return rat_fail(ROCATTACH_STATUS_ERROR_PTRACE_ERROR,
                    "process %d: its thread %d has not stopped within %d seconds: %s",
                    (int)s->target->pid, (int)s->target->thread, STOP_SECONDS,
                    rat_target_doing(s->target));
}

/* Returns true if the thread is stopped in pause(): only there its registers are those that a
 * system call leaves. */
static bool at_rest(const struct user_regs_struct *r)
{
    return r->orig_rax == SYS_pause && r->rax == (uint64_t)-RESTARTS;
}

static uint64_t take(uint64_t *top, size_t bytes)
{
    *top = (*top - bytes) & ~(uint64_t)(ALIGNMENT - 1);
    return *top;
}

/* Writes the arguments and the call below the used part of the stack, and sets `r` so that the
 * thread makes the call. */
static rocattach_status_t prepare(session_t *s, struct user_regs_struct *r)
{
    const rat_request_t *q = s->request;
    uint64_t top = r->rsp - GAP, room = r->rsp - rat_target_stack(s->target, r->rsp);
    size_t bytes = GAP + q->bytes[0] + q->bytes[1];
    if (bytes > room / 2)
        return rat_fail(
            ROCATTACH_STATUS_ERROR,
            "process %d: variables of %zu bytes do not fit the stack of its "
            "thread " REG_ATTACH_THREAD ", half of which (%llu bytes) is for them: start it with "
            "a larger 'ulimit -s'",
            (int)s->target->pid, q->bytes[0] + q->bytes[1], (unsigned long long)room / 2);
    uint64_t first = take(&top, q->bytes[0]), second = take(&top, q->bytes[1]);
    s->at = take(&top, sizeof(reg_attach_call_t));
    reg_attach_call_t call = {.token = s->token,
                              .rip = r->rip,
                              .rsp = r->rsp,
                              .rbx = r->rbx,
                              .rdi = r->rdi,
                              .rsi = r->rsi,
                              .rdx = r->rdx,
                              .r8 = r->r8,
                              .r9 = r->r9,
                              .r10 = r->r10};
    const struct iovec from[] = {{(void *)(size_t)q->data[0], q->bytes[0]},
                                 {(void *)(size_t)q->data[1], q->bytes[1]},
                                 {&call, sizeof call}};
    const struct iovec to[] = {
        {(void *)first, q->bytes[0]}, {(void *)second, q->bytes[1]}, {(void *)s->at, sizeof call}};
    ssize_t whole = (ssize_t)(q->bytes[0] + q->bytes[1] + sizeof call);
    errno = EFAULT; /* the error if only a part is written */
    if (process_vm_writev(s->target->pid, from, 3, to, 3, 0) != whole)
        return fail(s, "writing to its stack");
    r->rip = s->target->run;
    r->rsp = s->at;
    r->rax = q->function;
    r->rbx = s->at;
    r->rdi = first;
    r->rsi = second;
    r->orig_rax = ~UINT64_C(0); /* else the kernel would restart pause() */
    return ROCATTACH_STATUS_SUCCESS;
}

/* Prepares the call in a thread that is stopped; *again becomes true if it was no longer in
 * pause(). */
static rocattach_status_t send_stopped(session_t *s, bool *again)
{
    struct user_regs_struct r;
    if (trace(s, PTRACE_GETREGS, &r) != 0) return fail(s, "reading registers");
    *again = !at_rest(&r);
    if (*again) return busy(s);
    rocattach_status_t status = prepare(s, &r);
    if (status != ROCATTACH_STATUS_SUCCESS) return status;
    if (trace(s, PTRACE_SETREGS, &r) != 0) return fail(s, "writing registers");
    return ROCATTACH_STATUS_SUCCESS;
}

static rocattach_status_t send(session_t *s)
{
    patience_t p = patience(STOP_SECONDS);
    bool again = true;
    rocattach_status_t status = ROCATTACH_STATUS_SUCCESS;
    while (again) {
        while (!rat_target_at_rest(s->target))
            if (!nap(&p)) return busy(s);
        if (trace(s, PTRACE_SEIZE, NULL) != 0) return fail(s, "PTRACE_SEIZE");
        status = stop(s);
        if (status != ROCATTACH_STATUS_SUCCESS) return status;
        status = send_stopped(s, &again);
        trace(s, PTRACE_DETACH, NULL);
        if (again && !nap(&p)) return status;
    }
    return status;
}

static void *run_session(void *data)
{
    session_t *s = data;
    s->status = send(s);
    snprintf(s->why, sizeof s->why, "%s", rat_why());
    return NULL;
}

static rocattach_status_t in_own_thread(session_t *s)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, run_session, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) return rat_fail(ROCATTACH_STATUS_ERROR, "no thread: %s", strerror(error));
    pthread_join(thread, NULL);
    return s->status == ROCATTACH_STATUS_SUCCESS ? s->status : rat_fail(s->status, "%s", s->why);
}

/* ---- The result ---- */

static rocattach_status_t await_answer(const session_t *s, int *answer)
{
    reg_attach_call_t call = {0};
    const struct iovec to = {&call, sizeof call}, from = {(void *)s->at, sizeof call};
    const unsigned seconds = limit_of(s->request);
    const pid_t pid = s->target->pid;
    patience_t p = patience(seconds);
    do {
        if (syscall(SYS_tgkill, pid, s->target->thread, 0) != 0 && errno == ESRCH) return ended(s);
        if (process_vm_readv(pid, &to, 1, &from, 1, 0) != sizeof call)
            return fail(s, "reading its stack");
        if (call.token != s->token)
            return rat_fail(ROCATTACH_STATUS_ERROR,
                            "process %d: another attach or detach has come before the answer of "
                            "the %s was read",
                            (int)pid, s->request->name);
        if (call.done == s->token) {
            *answer = (int)call.answer;
            return ROCATTACH_STATUS_SUCCESS;
        }
    } while (nap(&p));
    return rat_fail(ROCATTACH_STATUS_ERROR,
                    "process %d has not finished the %s within %u seconds: %s. It goes on with it "
                    "alone. ROCPROF_ATTACH_TIMEOUT=SECONDS in rocprofv3's environment waits longer",
                    (int)pid, s->request->name, seconds, rat_target_doing(s->target));
}

rocattach_status_t rat_call(const rat_target_t *t, const rat_request_t *r, int *answer)
{
    static atomic_uint calls;
    session_t *s = calloc(1, sizeof *s);
    if (!s) return rat_fail(ROCATTACH_STATUS_ERROR, "no memory");
    s->target = t;
    s->request = r;
    s->token = (uint64_t)getpid() << 32 | (atomic_fetch_add(&calls, 1) + 1);
    rocattach_status_t status = in_own_thread(s);
    if (status == ROCATTACH_STATUS_SUCCESS) status = await_answer(s, answer);
    free(s);
    return status;
}
