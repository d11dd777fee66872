/* guard.c - see guard.h: the handlers of SIGSEGV and SIGBUS, which pass signals of the program on
 * to its own handlers.
 *
 * No other file of softgpu may change the program's signal actions. A handler acts only in a
 * guarded thread and on host memory that is mapped on the GPU; for every other signal it does what
 * would have happened without the handler. */
#include "softgpu/memory/guard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* The C library's sigaction(), under a name that the stub does not redirect. */
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

enum {
    N_SIGNALS = 2,
    N_KEPT = 8, /* actions that are kept: a reader that copies one is safe as long as fewer changes
                   happen meanwhile */
    FLAG_RESTORER = 0x04000000, /* SA_RESTORER of the x86-64 kernel, for which libc has no name */
    PAGE_FAULT_WRITE = 2        /* error code of a page fault on x86-64 */
};

static const int numbers[N_SIGNALS] = {SIGSEGV, SIGBUS};

/* The program's own actions, newest at `current`. */
typedef struct {
    struct sigaction kept[N_KEPT];
    _Atomic unsigned next, current;
} programs_t;

static programs_t programs[N_SIGNALS];
static _Atomic bool installed;

static _Thread_local sg_guard_t *guard __attribute__((tls_model("initial-exec")));
static _Thread_local bool of_device
    __attribute__((tls_model("initial-exec"))); /* the thread is one of the device's */
static _Thread_local bool listens
    __attribute__((tls_model("initial-exec"))); /* it blocks neither of the two signals */

static bool is_ours(int number)
{
    return number == SIGSEGV || number == SIGBUS;
}

static programs_t *program_of(int number)
{
    return &programs[number == SIGBUS];
}

static bool is_default(const struct sigaction *a)
{
    return !(a->sa_flags & SA_SIGINFO) && a->sa_handler == SIG_DFL;
}

static bool is_ignored(const struct sigaction *a)
{
    return !(a->sa_flags & SA_SIGINFO) && a->sa_handler == SIG_IGN;
}

/* ---- in the handler ---- */

/* Installs the default action and lets it happen: a fault recurs on return, a signal that was sent
 * is sent again. */
static void let_die(int number, bool sent)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    __sigaction(number, &plain, NULL);
    if (sent) syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), number);
}

static void add_both(sigset_t *set)
{
    for (unsigned i = 0; i < N_SIGNALS; i++)
        sigaddset(set, numbers[i]);
}

/* Lets this thread get both signals. Async-signal-safe. */
static void listen(void)
{
    sigset_t both;
    sigemptyset(&both);
    add_both(&both);
    listens = true;
    pthread_sigmask(SIG_UNBLOCK, &both, NULL);
}

/* For a signal that was sent, is no fault, and was delivered to a thread of the device: sends it to
 * the process again. This thread blocks both signals until its next guard, so that a thread of the
 * program gets it. */
static void pass_on(int number, siginfo_t *info, ucontext_t *context)
{
    add_both(&context->uc_sigmask);
    listens = false;
    syscall(SYS_rt_sigqueueinfo, getpid(), number, info);
}

static void run_program(int number, siginfo_t *info, void *context)
{
    programs_t *p = program_of(number);
    const bool sent = info->si_code <= 0;
    const struct sigaction a = p->kept[atomic_load(&p->current)];
    if (is_default(&a) || (is_ignored(&a) && !sent)) {
        let_die(number, sent);
        return;
    }
    if (is_ignored(&a)) return;
    if (a.sa_flags & (int)SA_RESETHAND) {
        const struct sigaction plain = {.sa_handler = SIG_DFL};
        int result;
        sg_guard_action(number, &plain, NULL, &result);
    }
    if (a.sa_flags & SA_SIGINFO)
        a.sa_sigaction(number, info, context);
    else
        a.sa_handler(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    sg_guard_t *g = guard;
    const bool sent = info->si_code <= 0;
    if (g && !sent && sg_memory_behind(g->memory, info->si_addr, &g->va)) {
        g->write = at->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_WRITE;
        guard = g->outer;
        listen(); /* the kernel has blocked the signal, siglongjmp() does not unblock it, and a
                     fault in what an outer guard still guards would end the process */
        siglongjmp(g->back, 1);
    }
    /* also when `listens` is false: if both signals come at once, the second is handled first */
    if (of_device && sent)
        pass_on(number, info, at);
    else
        run_program(number, info, context);
}

/* ---- for the program ---- */

/* Records the program's action and installs this file's handler with the flags and the mask of that
 * action. An ignored signal stays ignored, since programs executed by this one inherit that. */
static int take(int number, const struct sigaction *action)
{
    programs_t *p = program_of(number);
    struct sigaction ours = *action, now;
    if (!is_ignored(action)) {
        ours.sa_flags = (action->sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
        ours.sa_sigaction = on_signal;
    }
    const unsigned slot = atomic_fetch_add(&p->next, 1) % N_KEPT;
    p->kept[slot] = *action;
    if (__sigaction(number, NULL, &now) == 0) {
        p->kept[slot].sa_flags |= now.sa_flags & FLAG_RESTORER;
        p->kept[slot].sa_restorer = now.sa_restorer;
    }
    atomic_store(&p->current, slot);
    return __sigaction(number, &ours, NULL);
}

bool sg_guard_action(int number, const struct sigaction *action, struct sigaction *old, int *result)
{
    if (!is_ours(number) || !atomic_load(&installed)) return false;
    const programs_t *p = program_of(number);
    const struct sigaction before = p->kept[atomic_load(&p->current)];
    *result = action ? take(number, action) : 0;
    if (old) *old = before;
    return true;
}

static void install(void)
{
    for (unsigned i = 0; i < N_SIGNALS; i++) {
        struct sigaction programs_own;
        if (__sigaction(numbers[i], NULL, &programs_own) != 0 || take(numbers[i], &programs_own))
            return;
    }
    atomic_store(&installed, true);
}

void sg_guard_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

/* ---- for threads of the device ---- */

bool sg_guard_enter(sg_guard_t *g, const sg_memory_t *memory)
{
    if (!atomic_load_explicit(&installed, memory_order_relaxed)) return false;
    if (!listens) {
        of_device = true;
        listen();
    }
    g->memory = memory;
    g->outer = guard;
    guard = g;
    return true;
}

void sg_guard_leave(const sg_guard_t *g)
{
    guard = g->outer;
}
