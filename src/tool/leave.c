/* leave.c - see leave.h. The functions here replace libc's: each saves the records and then does
 * exactly what libc's function does. They must not allocate or lock, since they can run in a signal
 * handler or between vfork and exec. */
#include "tool/leave.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tool/flush.h"

#define PUBLIC __attribute__((visibility("default")))

static struct {
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    void (*(*signal)(int, void (*)(int)))(int);
    void (*abort)(void);
    int (*execve)(const char *, char *const[], char *const[]);
    int (*execvpe)(const char *, char *const[], char *const[]);
    int (*fexecve)(int, char *const[], char *const[]);
    int (*execveat)(int, const char *, char *const[], char *const[], int);
    int (*daemon)(int, int);
} real;

/* Looks up libc's functions before the program's own code runs, so that the functions below only
 * read the pointers. */
__attribute__((constructor)) static void find_real(void)
{
    *(void **)&real.sigaction = dlsym(RTLD_NEXT, "sigaction");
    *(void **)&real.signal = dlsym(RTLD_NEXT, "signal");
    *(void **)&real.abort = dlsym(RTLD_NEXT, "abort");
    *(void **)&real.execve = dlsym(RTLD_NEXT, "execve");
    *(void **)&real.execvpe = dlsym(RTLD_NEXT, "execvpe");
    *(void **)&real.fexecve = dlsym(RTLD_NEXT, "fexecve");
    *(void **)&real.execveat = dlsym(RTLD_NEXT, "execveat"); /* NULL if glibc is older than 2.34 */
    *(void **)&real.daemon = dlsym(RTLD_NEXT, "daemon");
}

/* For a constructor of the program that calls these functions before find_real() has run. */
static void need_real(void)
{
    if (!real.execve) find_real();
}

PUBLIC void _exit(int status)
{
    tool_flush_now();
    for (;;)
        syscall(SYS_exit_group, status);
}

PUBLIC void _Exit(int status)
{
    _exit(status);
}

PUBLIC void abort(void)
{
    need_real();
    tool_flush_now();
    real.abort();
    for (;;)
        syscall(SYS_exit_group, 127);
}

PUBLIC int execve(const char *path, char *const argv[], char *const envp[])
{
    need_real();
    tool_flush_now();
    return real.execve(path, argv, envp);
}

PUBLIC int execvpe(const char *file, char *const argv[], char *const envp[])
{
    need_real();
    tool_flush_now();
    return real.execvpe(file, argv, envp);
}

PUBLIC int fexecve(int fd, char *const argv[], char *const envp[])
{
    need_real();
    tool_flush_now();
    return real.fexecve(fd, argv, envp);
}

int execveat(int directory, const char *path, char *const argv[], char *const envp[], int flags);

PUBLIC int execveat(int directory, const char *path, char *const argv[], char *const envp[],
                    int flags)
{
    need_real();
    tool_flush_now();
    if (real.execveat) return real.execveat(directory, path, argv, envp, flags);
    return (int)syscall(SYS_execveat, directory, path, argv, envp, flags);
}

/* libc's daemon() ends the parent by a call inside of libc, which does not reach _exit() here. */
PUBLIC int daemon(int stay, int keep_streams)
{
    need_real();
    tool_flush_now();
    return real.daemon(stay, keep_streams);
}

PUBLIC int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}
PUBLIC int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

/* Returns the number of words in a list of arguments that begins with `first` and ends with
 * NULL. */
static int count_words(const char *first, va_list args)
{
    int count = 0;
    for (const char *word = first; word; word = va_arg(args, const char *))
        count++;
    return count;
}

#define WORDS_OF(first)                                                                            \
    va_list args;                                                                                  \
    va_start(args, first);                                                                         \
    int count = count_words(first, args);                                                          \
    va_end(args);                                                                                  \
    char **words = __builtin_alloca((size_t)(count + 1) * sizeof(*words));                         \
    va_start(args, first);                                                                         \
    words[0] = (char *)(size_t)first;                                                              \
    for (int i = 1; i <= count; i++)                                                               \
    words[i] = va_arg(args, char *)

PUBLIC int execl(const char *path, const char *first, ...)
{
    WORDS_OF(first);
    va_end(args);
    return execve(path, words, environ);
}

PUBLIC int execlp(const char *file, const char *first, ...)
{
    WORDS_OF(first);
    va_end(args);
    return execvpe(file, words, environ);
}

PUBLIC int execle(const char *path, const char *first, ...)
{
    WORDS_OF(first);
    char *const *envp = va_arg(args, char *const *);
    va_end(args);
    return execve(path, words, envp);
}

/* Ends the process as the signal would have without the tool: the signal is sent again, with its
 * siginfo, and delivered when the handler returns. Faults are sent again, too, since the
 * instruction does not always trap again (after int3 the program counter is behind it; another
 * thread may have mapped the page). */
static void on_fatal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    tool_flush_now();
    real.sigaction(signal, &standard, NULL);
    pid_t pid = getpid(), thread = (pid_t)syscall(SYS_gettid);
    /* kill() works even if the queue of signals is full */
    if (syscall(SYS_rt_tgsigqueueinfo, pid, thread, signal, info) != 0 &&
        syscall(SYS_tgkill, pid, thread, signal) != 0)
        syscall(SYS_kill, pid, signal);
}

/* Returns whether the signal ends a process, except for SIGKILL, which cannot be handled, and the
 * two that libc uses itself. */
static bool is_fatal(int signal)
{
    switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH: return false;
    default: return signal > 0 && (signal < __SIGRTMIN || signal >= SIGRTMIN) && signal <= SIGRTMAX;
    }
}

static bool watching;

static bool is_watched(int signal)
{
    return watching && is_fatal(signal);
}

static bool is_ours(const struct sigaction *a)
{
    return a->sa_flags & SA_SIGINFO && a->sa_sigaction == on_fatal;
}

static int take(int signal, struct sigaction *before)
{
    struct sigaction ours = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    return real.sigaction(signal, &ours, before);
}

void tool_leave_watch(int signals)
{
    need_real();
    at_quick_exit(tool_flush_now);
    watching = signals;
    for (int i = 1; signals && i <= SIGRTMAX; i++) {
        struct sigaction now;
        if (is_fatal(i) && real.sigaction(i, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            take(i, NULL);
    }
}

/* The program never sees the tool's handler: where that is set, the program reads SIG_DFL, and
 * where the program sets SIG_DFL, the tool's handler is set. So handlers of the program that
 * restore the handler before them and raise the signal again (such as LLVM's, inside HIP) reach the
 * tool's handler. */
PUBLIC int sigaction(int signal, const struct sigaction *to, struct sigaction *from)
{
    need_real();
    struct sigaction before;
    bool standard = to && !(to->sa_flags & SA_SIGINFO) && to->sa_handler == SIG_DFL;
    int result = standard && is_watched(signal) ? take(signal, &before)
                                                : real.sigaction(signal, to, &before);
    if (result == 0 && from) {
        if (is_ours(&before)) before = (struct sigaction){.sa_handler = SIG_DFL};
        *from = before;
    }
    return result;
}

PUBLIC void (*signal(int number, void (*handler)(int)))(int)
{
    need_real();
    if (handler == SIG_DFL && is_watched(number)) {
        struct sigaction before;
        if (take(number, &before) != 0) return SIG_ERR;
        return is_ours(&before) ? SIG_DFL : before.sa_handler;
    }
    void (*before)(int) = real.signal(number, handler);
    return before == (void (*)(int))(size_t)on_fatal ? SIG_DFL : before;
}
