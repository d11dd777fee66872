/* other_node.c - preloaded into rocprofv3 and its program, it makes them believe that they are on
 * another node: clocks that were started at another moment and run at another speed, another boot,
 * another name. OTHER_NODE is "NAME SHIFT_NS DRIFT_PPM FROM_NS DAY_NS BOOT_FILE": clocks are
 * SHIFT_NS ahead, and so much more for each ns since FROM_NS on CLOCK_BOOTTIME; the time of day is
 * DAY_NS wrong besides; BOOT_FILE is what they read for the id of the boot. OTHER_NODE_NTP is what
 * the kernel states about the error of the time of day, "MOST_US LIKELY_US"; without it the time of
 * day is not kept by NTP.
 *
 * UCX reads the true id of the boot: it would otherwise connect the ranks by TCP instead of by
 * shared memory, and on TCP MPI_Finalize of MPICH 4.0 waits for ever now and then, with and without
 * rocprofv3: a rank that has left UCX for the launcher's barrier does not answer the other one. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static struct {
    char name[64], boot[256];
    long long shift, from, day;
    double drift;
    int on;
    int (*clock)(clockid_t, struct timespec *);
    int (*open)(const char *, int, ...);
    FILE *(*fopen)(const char *, const char *);
} node;

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("OTHER_NODE");
    node.clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    node.open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    node.fopen = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    node.on = text && sscanf(text, "%63s %lld %lf %lld %lld %255s", node.name, &node.shift,
                             &node.drift, &node.from, &node.day, node.boot) == 6;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
    struct timespec boot;
    if (!node.clock) start();
    const int result = node.clock(clock, t);
    if (result != 0 || !node.on ||
        (clock != CLOCK_BOOTTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
        return result;
    node.clock(CLOCK_BOOTTIME, &boot);
    const long long since = boot.tv_sec * 1000000000LL + boot.tv_nsec - node.from;
    /* NTP keeps the speed of the time of day */
    const long long more = clock == CLOCK_REALTIME
                               ? node.day
                               : node.shift + (long long)((double)since * node.drift * 1e-6);
    const long long ns = t->tv_sec * 1000000000LL + t->tv_nsec + more;
    t->tv_sec = ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
    return 0;
}

EXPORT int adjtimex(struct timex *t)
{
    const char *text = getenv("OTHER_NODE_NTP");
    *t = (struct timex){.status = STA_UNSYNC};
    if (!text || sscanf(text, "%ld %ld", &t->maxerror, &t->esterror) != 2) return TIME_ERROR;
    t->status = 0;
    return TIME_OK;
}

static int is_ucx(const void *caller)
{
    Dl_info library;
    if (!dladdr(caller, &library)) return 0;
    const char *slash = strrchr(library.dli_fname, '/');
    return strncmp(slash ? slash + 1 : library.dli_fname, "libuc", strlen("libuc")) == 0;
}

static const char *path_of(const char *path, const void *caller)
{
    if (!node.on || strcmp(path, "/proc/sys/kernel/random/boot_id") != 0 || is_ucx(caller))
        return path;
    return node.boot;
}

EXPORT int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    if (!node.open) start();
    return node.open(path_of(path, __builtin_return_address(0)), flags, mode);
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
    if (!node.fopen) start();
    return node.fopen(path_of(path, __builtin_return_address(0)), mode);
}

EXPORT int gethostname(char *name, size_t bytes)
{
    snprintf(name, bytes, "%s", node.on ? node.name : "localhost");
    return 0;
}
