/* killer.c - preloaded into an attacher: kills it before its Nth call that touches the other
 * process, where N is KILL_AT. */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_int calls;

static void *count(const char *name)
{
    const char *limit = getenv("KILL_AT");
    if (limit && atomic_fetch_add(&calls, 1) + 1 == atoi(limit)) kill(getpid(), SIGKILL);
    return dlsym(RTLD_NEXT, name);
}

EXPORT long ptrace(enum __ptrace_request request, ...)
{
    long (*next)(enum __ptrace_request, pid_t, void *, void *);
    *(void **)&next = count("ptrace");
    va_list args;
    va_start(args, request);
    pid_t pid = va_arg(args, pid_t);
    void *address = va_arg(args, void *), *data = va_arg(args, void *);
    va_end(args);
    return next(request, pid, address, data);
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    pid_t (*next)(pid_t, int *, int);
    *(void **)&next = count("waitpid");
    return next(pid, status, options);
}

EXPORT ssize_t process_vm_writev(pid_t pid, const struct iovec *from, unsigned long from_count,
                                 const struct iovec *to, unsigned long to_count,
                                 unsigned long flags)
{
    __typeof__(&process_vm_writev) next;
    *(void **)&next = count("process_vm_writev");
    return next(pid, from, from_count, to, to_count, flags);
}

EXPORT ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long to_count,
                                const struct iovec *from, unsigned long from_count,
                                unsigned long flags)
{
    __typeof__(&process_vm_readv) next;
    *(void **)&next = count("process_vm_readv");
    return next(pid, to, to_count, from, from_count, flags);
}
