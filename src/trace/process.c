/* process.c - see process.h. It reads /proc without allocating memory, so that a lack of memory
 * never makes a running process look finished. */
#include "trace/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { FIELD_STATE = 3, FIELD_THREADS = 20, FIELD_START = 22 };

/* Returns a field of /proc/PID/stat. The name in field 2 may contain any characters, so the fields
 * are counted from the last ')'. */
static const char *field(const char *text, int number)
{
    const char *at = strrchr(text, ')');
    for (int i = FIELD_STATE - 1; at && i < number; i++) {
        at = strchr(at, ' ');
        if (at) at++;
    }
    return at;
}

/* Returns whether the process has ended. The state in stat is that of the first thread alone, which
 * is "Z" once that thread has ended, even while other threads still run. */
static bool has_ended(const char *text, const char *state)
{
    const char *threads = field(text, FIELD_THREADS);
    return (*state == 'Z' || *state == 'X') && (!threads || strtoul(threads, NULL, 10) <= 1);
}

int trace_process_start(pid_t pid, uint64_t *start)
{
    char path[64], text[1024];
    *start = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = base_file_open(path, O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    int error = errno;
    if (fd >= 0) close(fd);
    if (n < 0) {
        bool gone = kill(pid, 0) != 0 && errno == ESRCH; /* known even without /proc */
        errno = error;
        return gone ? 0 : -1;
    }
    text[n] = 0;
    const char *state = field(text, FIELD_STATE), *begun = field(text, FIELD_START);
    if (state && begun && !has_ended(text, state)) *start = strtoull(begun, NULL, 10);
    return 0;
}
