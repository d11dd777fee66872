/* log.c - see log.h.
 *
 * It includes no other room, because every part of the project links it. A line is formatted on the
 * stack and written by a single write, so lines of several threads and processes do not mix. */
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
    ssize_t ignored = fd < 0 ? 0 : write(fd, line, bytes);
    (void)ignored;
    base_file_limit_end(&limit);
    if (fd > STDERR_FILENO) close(fd);
}

void base_log(base_log_level_t level, const char *format, ...)
{
    if (level > base_log_level || level == BASE_LOG_NONE) return;
    int saved_errno = errno;
    char line[2048];
    size_t room = sizeof line - 1; /* the last byte is for the newline */
    int n = snprintf(line, room, "%s: %s: ", log_prefix, level_names[level]);
    size_t used = n > 0 ? (size_t)n : 0;
    va_list args;
    va_start(args, format);
    n = vsnprintf(line + used, room - used, format, args);
    va_end(args);
    if (n > 0) used += (size_t)n < room - used ? (size_t)n : room - used - 1;
    line[used++] = '\n';
    put(line, used);
    errno = saved_errno;
}
