/* log.c - see log.h.
 *
 * It includes no other room, because every part of the project links it. A line is formatted on the
 * stack, or in pages of its own if it is long, and written by a single write, so lines of several
 * threads and processes do not mix. */
#include "base/log.h"

#include "base/env.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

base_log_level_t base_log_level = BASE_LOG_WARNING;

static const char *log_prefix = "crocprof";
static const char *const level_names[] = {"none", "fatal", "error", "warning", "info", "trace"};

void base_log_init(const char *prefix, const char *variable)
{
    log_prefix = prefix;
    const char *value = base_env(variable);
    if (!value || !*value) return;
    for (unsigned i = 0; i < sizeof level_names / sizeof *level_names; i++) {
        if (strcmp(value, level_names[i]) == 0 || (value[0] == (char)('0' + i) && !value[1])) {
            base_log_level = (base_log_level_t)i;
            return;
        }
    }
    /* The launcher rocprofv3 has two more levels, "env" and "config", which it handles itself. */
    if (strcmp(value, "env") == 0 || strcmp(value, "config") == 0) return;
    base_warning("%s=%s is no log level (fatal, error, warning, info, trace)", variable, value);
}

static bool has_stderr = true;

__attribute__((constructor)) static void look_for_stderr(void)
{
    has_stderr = fcntl(STDERR_FILENO, F_GETFD) >= 0;
}

int base_log_stderr(void)
{
    return has_stderr ? STDERR_FILENO : -1;
}

void base_log_set_stderr(bool has)
{
    has_stderr = has;
}

static char log_path[PATH_MAX]; /* "": standard error */

void base_log_to(const char *path)
{
    if ((size_t)snprintf(log_path, sizeof log_path, "%s", path ? path : "") >= sizeof log_path)
        log_path[0] = 0;
}

static void put(const char *line, size_t bytes)
{
    int fd = base_log_stderr();
    if (log_path[0])
        fd = base_file_open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666);
    base_file_limit_t limit; /* writing to a pipe without a reader must not end the program */
    base_file_limit_begin(&limit, false);
    while (fd >= 0 && bytes) { /* the first write takes all, unless a pipe is full */
        const ssize_t n = write(fd, line, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        line += n;
        bytes -= (size_t)n;
    }
    base_file_limit_end(&limit);
    if (fd > STDERR_FILENO) close(fd);
}

/* Writes "prefix: level: text" and a line feed, without a zero byte behind it. Returns how many
 * bytes that is, even if it is more than the `room`; what is then in `line` is of no use. */
static size_t format_line(char *line, size_t room, base_log_level_t level, const char *format,
                          va_list args)
{
    const int head = snprintf(line, room, "%s: %s: ", log_prefix, level_names[level]);
    const size_t used = head > 0 ? (size_t)head : 0;
    const size_t rest = used < room ? room - used : 0;
    const int text = vsnprintf(rest ? line + used : NULL, rest, format, args);
    const size_t bytes = used + (text > 0 ? (size_t)text : 0);
    if (bytes < room) line[bytes] = '\n';
    return bytes + 1;
}

/* Ends a line of `bytes` bytes, of which `room` are there, by the number of those that are not. */
static size_t cut_line(char *line, size_t room, size_t bytes)
{
    enum { MARK = 48 };
    char mark[MARK];
    const size_t kept = room - MARK;
    const int n = snprintf(mark, sizeof(mark), " [%zu bytes more]\n", bytes - 1 - kept);
    memcpy(line + kept, mark, (size_t)n);
    return kept + (size_t)n;
}

void base_log(base_log_level_t level, const char *format, ...)
{
    if (level > base_log_level || level == BASE_LOG_NONE) return;
    int saved_errno = errno;
    char short_line[2048], *line = short_line;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t bytes = format_line(line, sizeof(short_line), level, format, args);
    const size_t room = bytes + 1; /* of a long line; vsnprintf() adds a zero byte */
    if (bytes > sizeof(short_line)) {
        line = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (line == MAP_FAILED) {
            line = short_line;
            bytes = cut_line(line, sizeof(short_line), bytes);
        } else {
            bytes = format_line(line, room, level, format, again);
        }
    }
    va_end(again);
    va_end(args);
    put(line, bytes);
    if (line != short_line) munmap(line, room);
    errno = saved_errno;
}
