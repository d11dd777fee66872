/* no_locks.c - preloaded, it makes all file systems what a shared one without locks is: NO_LOCKS is
 * the number of the error that every question about a lock ends with. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int fail(void)
{
    const char *number = getenv("NO_LOCKS");
    errno = number ? atoi(number) : ENOSYS;
    return -1;
}

static int call(const char *name, int fd, int command, void *argument)
{
    switch (command) {
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW: return fail();
    default: break;
    }
    int (*next)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
    return next(fd, command, argument);
}

#define FCNTL(name)                                                                                \
    EXPORT int name(int fd, int command, ...)                                                      \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, command);                                                                   \
        void *argument = va_arg(rest, void *);                                                     \
        va_end(rest);                                                                              \
        return call(#name, fd, command, argument);                                                 \
    }

FCNTL(fcntl)
FCNTL(fcntl64)

EXPORT int flock(int fd, int operation)
{
    (void)fd, (void)operation;
    return fail();
}

EXPORT int lockf(int fd, int command, off_t bytes)
{
    (void)fd, (void)command, (void)bytes;
    return fail();
}
