/* lines.c - see lines.h. */
#include "base/lines.h"

#include "base/env.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void base_lines_open(base_lines_t *l, const char *variable, const char *what)
{
    const char *name = base_env(variable);
    *l = (base_lines_t){.variable = variable, .fd = base_log_stderr()};
    if (!name || !*name) return;
    l->fd = base_file_open(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
    l->file = base_file_id(l->fd);
    if (l->fd >= 0) return;
    base_error("%s: %s; %s to standard error", name, strerror(errno), what);
    l->fd = base_log_stderr();
}

void base_lines_write(base_lines_t *l, const char *text, size_t length)
{
    base_file_limit_t limit;
    base_file_limit_begin(&limit, false);
    /* the program has closed the descriptor */
    if (l->file.inode && !base_file_is(l->fd, l->file)) {
        l->fd = base_file_open(base_env(l->variable), O_WRONLY | O_APPEND, 0);
        /* the name may belong to another file by now */
        if (l->fd >= 0) l->file = base_file_id(l->fd);
    }
    while (length && l->fd >= 0) {
        const ssize_t n = write(l->fd, text, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text += n;
        length -= (size_t)n;
    }
    base_file_limit_end(&limit);
    if (!length || !l->file.inode || l->told) return;
    base_error("%s: %s", base_env(l->variable), strerror(errno));
    l->told = true;
}
