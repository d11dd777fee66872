/* whole.h - a message of another process, read in as many pieces as it takes. */
#ifndef CROCPROF_BASE_WHOLE_H
#define CROCPROF_BASE_WHOLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Reads so many bytes from a pipe or socket; false: the other end is closed before, or an error. */
static inline bool base_read_whole(int fd, void *to, size_t bytes)
{
    char *at = to;
    while (bytes) {
        const ssize_t n = read(fd, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

#endif
