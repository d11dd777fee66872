/* mishap.c - preloaded into rocprofv3 itself: what befalls it at one exact moment.
 *
 * MISHAP names it. Apart from the fake SDK, which is loaded into the program. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int befalls(const char *name)
{
    const char *mishap = getenv("MISHAP");
    return mishap && strcmp(mishap, name) == 0 &&
           strcmp(program_invocation_short_name, "rocprofv3") == 0;
}

/* "late-int": Ctrl-C right after the first directory was removed, which is a store's: the last
 * thing that its conversion does. */
__attribute__((visibility("default"))) int rmdir(const char *path)
{
    static int (*real)(const char *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rmdir");
    int result = real(path);
    if (result == 0 && befalls("late-int")) raise(SIGINT);
    return result;
}

/* "write-int": Ctrl-C when the first part of a large file, or of a database, was written. To the
 * process, since threads that write take no signals. */
static void wrote(void)
{
    static int told;
    if (befalls("write-int") && !told++) kill(getpid(), SIGINT);
}

__attribute__((visibility("default"))) ssize_t writev(int fd, const struct iovec *parts, int count)
{
    static ssize_t (*real)(int, const struct iovec *, int);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "writev");
    ssize_t result = real(fd, parts, count);
    wrote();
    return result;
}

__attribute__((visibility("default"))) ssize_t pwrite64(int fd, const void *data, size_t bytes,
                                                        off_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    ssize_t result = real(fd, data, bytes, at);
    wrote();
    return result;
}
