/* file.c - see file.h. It writes numbers and buffers bytes; the formats' writers decide what a row
 * contains. */
#include "output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "trace/store.h"

out_file_t *out_file_descriptor(int fd, const char *name)
{
    out_file_t *f = malloc(sizeof(*f));
    if (!f) return NULL;
    f->fd = fd;
    f->error = 0;
    f->stamp = (out_stamp_t){0};
    f->threads = (out_again_t){0};
    f->temporary[0] = 0;
    f->memory = NULL;
    f->memory_used = f->memory_room = 0;
    f->used = 0;
    f->written = f->allocated = 0;
    snprintf(f->name, sizeof(f->name), "%s", name);
    return f;
}

/* Makes a new file in the folder of `path`, with the permissions of any new file. Its name begins
 * with
 * ".rocprofv3-". In a folder with a long path only so much of this prefix is taken that the new
 * path is no longer than `path`, since SQLite may refuse a longer one. Returns its descriptor, or
 * -1. */
static int open_beside(const char *path, char temporary[PATH_MAX])
{
    enum { LONG_FOLDER = 256 }; /* bytes; SQLite takes about twice as many */
    const char *slash = strrchr(path, '/');
    int bytes = slash ? (int)(slash - path) + 1 : 0;
    static const char begin[] = ".rocprofv3-", random[] = "XXXXXX";
    int begins =
        (int)strnlen(path + bytes, sizeof begin + sizeof random - 2) - (int)(sizeof random - 1);
    if (bytes < LONG_FOLDER) begins = (int)(sizeof begin - 1);
    if (begins < 1) begins = 1; /* hidden, whatever its length */
    if (snprintf(temporary, PATH_MAX, "%.*s%.*s%s", bytes, path, begins, begin, random) >=
        PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = base_file_own(mkostemp(temporary, O_CLOEXEC));
    if (fd < 0) return -1;
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) == 0) return fd;
    int error = errno;
    close(fd);
    unlink(temporary);
    errno = error;
    return -1;
}

int out_file_begin(const char *path, char temporary[PATH_MAX], char *why, size_t why_bytes)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof(directory), "%s", path);
    char *slash = strrchr(directory, '/');
    if (slash && slash != directory) {
        *slash = 0;
        if (trace_make_directories(directory) != 0) {
            snprintf(why, why_bytes, "%s: %s", directory, strerror(errno));
            return -1;
        }
    }
    int fd = open_beside(path, temporary);
    if (fd < 0) snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
    return fd;
}

out_file_t *out_file_open(const char *path, char *why, size_t why_bytes)
{
    char temporary[PATH_MAX];
    int fd = out_file_begin(path, temporary, why, why_bytes);
    if (fd < 0) return NULL;
    out_file_t *f = out_file_descriptor(fd, path);
    if (!f) {
        snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
        close(fd);
        unlink(temporary);
        return NULL;
    }
    memcpy(f->temporary, temporary, sizeof(temporary));
    return f;
}

void out_no_memory(out_file_t *f)
{
    if (!f->error) f->error = ENOMEM;
}

static void remember(out_file_t *f)
{
    if (!BASE_RESERVE(f->memory, f->memory_used + f->used + 1, &f->memory_room)) {
        f->error = ENOMEM;
        return;
    }
    memcpy(f->memory + f->memory_used, f->buffer, f->used);
    f->memory_used += f->used;
    f->memory[f->memory_used] = 0;
}

/* Writing aligned blocks takes the kernel a fifth less time than writing pieces of any size.
 * Allocating disk blocks ahead saves another tenth, but only for files that fill them; files in
 * memory get pages for everything that is allocated, so it is not done for them. */
enum { BLOCK_BYTES = 65536, AHEAD_BYTES = 8 << 20 };

static void allocate_ahead(out_file_t *f, size_t bytes)
{
    if (!f->temporary[0] || f->written < AHEAD_BYTES || f->written + bytes <= f->allocated) return;
    uint64_t from = f->allocated ? f->allocated : f->written;
    uint64_t more = AHEAD_BYTES + bytes;
    bool done = fallocate(f->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)more) == 0;
    f->allocated = done ? from + more : UINT64_MAX;
}

/* Frees the unused part of the last allocation. A failure only leaves disk space in use. */
static void end_allocation(out_file_t *f)
{
    bool left = f->allocated && f->allocated != UINT64_MAX;
    int ignored = left ? ftruncate(f->fd, (off_t)f->written) : 0;
    (void)ignored;
}

static void write_all(out_file_t *f, struct iovec *parts, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    allocate_ahead(f, bytes);
    while (bytes && !f->error) {
        ssize_t n = writev(f->fd, parts, count);
        if (n < 0 && errno != EINTR) f->error = errno;
        if (n < 0) continue;
        f->written += (uint64_t)n;
        bytes -= (size_t)n;
        for (; count && (size_t)n >= parts->iov_len; count--)
            n -= (ssize_t)(parts++)->iov_len;
        if (!count) continue;
        parts->iov_base = (char *)parts->iov_base + n;
        parts->iov_len -= (size_t)n;
    }
}

static void write_buffer(out_file_t *f, size_t bytes)
{
    struct iovec part = {f->buffer, bytes};
    write_all(f, &part, 1);
    f->used -= bytes;
    memmove(f->buffer, f->buffer + bytes, f->used);
}

/* Returns how many of the next bytes to write so that they end at a block's end; all of them if
 * there is no block's end among them. */
static size_t to_block_end(const out_file_t *f, size_t bytes)
{
    size_t behind = (size_t)((f->written + bytes) % BLOCK_BYTES);
    return behind < bytes ? bytes - behind : bytes;
}

void out_flush(out_file_t *f)
{
    if (f->fd >= 0) {
        write_buffer(f, to_block_end(f, f->used));
        return;
    }
    remember(f);
    f->used = 0;
}

static void put(out_file_t *f, const char *data, size_t bytes)
{
    if (bytes <= sizeof(f->buffer) - f->used) { /* the usual case */
        memcpy(f->buffer + f->used, data, bytes);
        f->used += bytes;
        return;
    }
    while (bytes) {
        if (f->used == sizeof(f->buffer)) out_flush(f);
        size_t part = sizeof(f->buffer) - f->used;
        if (part > bytes) part = bytes;
        memcpy(f->buffer + f->used, data, part);
        f->used += part;
        data += part;
        bytes -= part;
    }
}

/* Writes the buffer and the data together, up to the end of a block; the rest goes to the
 * buffer. */
static void write_through(out_file_t *f, const char *data, size_t bytes)
{
    size_t now = to_block_end(f, f->used + bytes) - f->used;
    struct iovec parts[] = {{f->buffer, f->used}, {(void *)(uintptr_t)data, now}};
    write_all(f, parts, 2);
    f->used = 0;
    put(f, data + now, bytes - now);
}

void out_bytes(out_file_t *f, const void *data, size_t bytes)
{
    if (f->fd >= 0 && bytes >= BLOCK_BYTES)
        write_through(f, data, bytes);
    else if (bytes)
        put(f, data, bytes);
}

void out_text(out_file_t *f, const char *text)
{
    put(f, text, strlen(text));
}

void out_escaped(out_file_t *f, base_escape_t form, const char *text)
{
    for (base_piece_t piece; base_escape_next(form, &text, &piece);)
        put(f, piece.text, piece.bytes);
}

void out_quoted(out_file_t *f, const char *text)
{
    size_t bytes = strlen(text);
    if (bytes + 2 <= OUT_RESERVE_MAX && !memchr(text, '"', bytes)) {
        char *at = out_reserve(f, bytes + 2);
        *at++ = '"';
        memcpy(at, text, bytes);
        at[bytes] = '"';
        out_commit(f, at + bytes + 1);
        return;
    }
    out_char(f, '"');
    out_escaped(f, BASE_CSV, text);
    out_char(f, '"');
}

void out_signed(out_file_t *f, int64_t value)
{
    if (value < 0) out_char(f, '-');
    out_unsigned(f, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void out_format(out_file_t *f, const char *format, ...)
{
    char small[512], *text = small;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    if (n < 0) return;
    if ((size_t)n >= sizeof(small)) {
        va_start(args, format);
        if (vasprintf(&text, format, args) < 0) text = NULL;
        va_end(args);
        if (!text) {
            f->error = ENOMEM;
            return;
        }
    }
    put(f, text, (size_t)n);
    if (text != small) free(text);
}

bool out_is_stream(const char *name)
{
    return strcasecmp(name, "stdout") == 0 || strcasecmp(name, "stderr") == 0;
}

out_file_t *out_file_stream(const char *name)
{
    return strcasecmp(name, "stderr") == 0 ? out_file_descriptor(STDERR_FILENO, "standard error")
                                           : out_file_descriptor(STDOUT_FILENO, "standard output");
}

out_file_t *out_file_memory(void)
{
    return out_file_descriptor(-1, "memory");
}

const char *out_file_memory_bytes(out_file_t *f, size_t *bytes)
{
    out_flush(f);
    *bytes = f->memory_used;
    f->memory_used = 0;
    return f->error ? NULL : f->memory;
}

const char *out_file_memory_text(out_file_t *f)
{
    size_t bytes;
    return out_file_memory_bytes(f, &bytes);
}

void out_file_move(out_file_t *to, out_file_t *from)
{
    out_bytes(to, from->memory, from->memory_used);
    out_bytes(to, from->buffer, from->used);
    from->memory_used = from->used = 0;
    if (from->error && !to->error) to->error = from->error;
}

/* Copies a file inside the kernel, as far as that is possible. */
static void copy_quickly(out_file_t *f, int from)
{
    enum { PART = 1 << 20 };
    ssize_t n = 1;
    if (f->fd < 0) return;
    write_buffer(f, f->used);
    while (!f->error && n > 0) {
        allocate_ahead(f, PART);
        n = sendfile(f->fd, from, NULL, PART);
        if (n > 0) f->written += (uint64_t)n;
    }
}

int out_copy(out_file_t *f, const char *path, char *why, size_t why_bytes)
{
    char block[16384];
    ssize_t n = 0;
    const int from = base_file_open(path, O_RDONLY, 0);
    if (from >= 0) copy_quickly(f, from);
    while (from >= 0 && ((n = read(from, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) put(f, block, (size_t)n);
    const int result = from >= 0 && n == 0 ? 0 : -1;
    if (result != 0) snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
    if (from >= 0) close(from);
    return result;
}

int out_file_close(out_file_t *f, char *why, size_t why_bytes)
{
    bool own = f->temporary[0];
    write_buffer(f, f->fd < 0 ? 0 : f->used);
    if (own) end_allocation(f);
    if (own && close(f->fd) != 0 && !f->error) f->error = errno;
    if (own && !f->error && rename(f->temporary, f->name) != 0) f->error = errno;
    if (own && f->error) unlink(f->temporary);
    int error = f->error;
    if (error) snprintf(why, why_bytes, "%s: %s", f->name, strerror(error));
    free(f->memory);
    free(f);
    return error ? -1 : 0;
}

void out_signals_hold(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGQUIT);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void out_signals_release(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void out_file_abandon(out_file_t *f)
{
    if (!f) return;
    if (f->temporary[0]) {
        close(f->fd);
        unlink(f->temporary);
    }
    free(f->memory);
    free(f);
}
