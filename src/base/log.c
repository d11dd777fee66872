/* log.c - see log.h.
 *
 * It includes no other room, because every part of the project links it. A line is formatted on the
 * stack, or in pages of its own if it is long, and passed to a single write. So lines of several
 * threads and processes do not mix in a file, nor in a pipe up to PIPE_BUF bytes; of a longer line
 * a pipe may take parts, between which others write. */
#include "base/log.h"

#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

enum { MARK = 48, WAIT_MS = 1000 /* for the reader of a pipe that is full and does not block */ };

/* Bytes of earlier lines that were not written. The next line begins with their number. */
static _Atomic size_t missing;

/* Writes a mark, which ends a line, to `mark`; returns its bytes. */
static size_t put_mark(char mark[MARK], size_t more)
{
    return (size_t)snprintf(mark, MARK, " [%zu bytes more]\n", more);
}

/* Waits until the file takes more bytes; returns false after `end`. */
static bool wait_until(int fd, uint64_t end)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    const uint64_t now = base_clock_ns(CLOCK_MONOTONIC);
    if (now >= end) return false;
    const int ready = poll(&room, 1, (int)((end - now) / 1000000 + 1));
    return ready > 0 || (ready < 0 && errno == EINTR);
}

/* Returns how many bytes are not written. The first write takes all, unless a pipe is full. */
static size_t write_all(int fd, const char *line, size_t bytes, unsigned wait_ms)
{
    const uint64_t end = base_clock_ns(CLOCK_MONOTONIC) + wait_ms * 1000000ull;
    while (bytes) {
        const ssize_t n = write(fd, line, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN && wait_until(fd, end)) continue;
        if (n <= 0) break;
        line += n;
        bytes -= (size_t)n;
    }
    return bytes;
}

/* As long as the mark of missing bytes cannot be written, no line waits: a program whose log nobody
 * reads is held up once. */
static void write_line(int fd, const char *line, size_t bytes)
{
    char mark[MARK];
    const size_t before = atomic_exchange(&missing, 0);
    if (before && write_all(fd, mark, put_mark(mark, before), 0))
        atomic_fetch_add(&missing, before + bytes);
    else
        atomic_fetch_add(&missing, write_all(fd, line, bytes, WAIT_MS));
}

static void put(const char *line, size_t bytes)
{
    int fd = base_log_stderr();
    if (log_path[0])
        fd = base_file_open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666);
    if (fd < 0) return;
    base_file_limit_t limit; /* writing to a pipe without a reader must not end the program */
    base_file_limit_begin(&limit, false);
    write_line(fd, line, bytes);
    base_file_limit_end(&limit);
    if (fd > STDERR_FILENO) close(fd);
}

/* Writes "prefix: level: text" and a line feed, without a zero byte behind it. Returns how many
 * bytes that is. If it is more than the `room`, `line` has the beginning of the text, and a zero
 * byte in its last place. */
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

/* Ends a line of `bytes` bytes by the number of those for which the `room` is too small. Returns
 * the bytes of the line that is then there. */
static size_t cut_line(char *line, size_t room, size_t bytes)
{
    char mark[MARK];
    if (bytes <= room) return bytes;
    const size_t kept = room - MARK, n = put_mark(mark, bytes - 1 - kept);
    memcpy(line + kept, mark, n);
    return kept + n;
}

/* Pages for a long line; NULL without memory. The kernel is called directly, not through mmap() and
 * munmap(): those of the software GPU's stub take locks, and a caller may hold them. */
static char *map_line(size_t bytes)
{
    const long at =
        syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    return at == -1 ? NULL : (char *)(uintptr_t)at;
}

void base_log(base_log_level_t level, const char *format, ...)
{
    if (level > base_log_level || level == BASE_LOG_NONE) return;
    int saved_errno = errno;
    char short_line[2048], *long_line = NULL;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t bytes = format_line(short_line, sizeof(short_line), level, format, args);
    const size_t room = bytes;
    if (bytes > sizeof(short_line)) long_line = map_line(room);
    if (long_line) bytes = format_line(long_line, room, level, format, again);
    /* a text that another thread changes may have grown since its bytes were counted */
    char *line = long_line ? long_line : short_line;
    bytes = cut_line(line, long_line ? room : sizeof(short_line), bytes);
    va_end(again);
    va_end(args);
    put(line, bytes);
    if (long_line) syscall(SYS_munmap, long_line, room);
    errno = saved_errno;
}
