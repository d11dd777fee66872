/* file.h - a text file written front to back, fast enough for millions of rows.
 *
 * It is apart so that all formats write numbers in the same way. The first error is kept and
 * returned by close; after an error, other calls have no effect. */
#ifndef CROCPROF_OUTPUT_FILE_H
#define CROCPROF_OUTPUT_FILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/escape.h"
#include "output/digits.h"

/* Only the functions below use the members. The struct is declared here so that they can be
 * inlined: each record calls them many times. */
typedef struct out_file {
    size_t used;
    int fd, error;               /* fd: -1 for a file in memory */
    uint64_t written, allocated; /* in bytes; `allocated`: 0: nothing yet, UINT64_MAX: allocating
                                  * has failed */
    out_stamp_t stamp;
    out_again_t threads;
    char *memory;
    size_t memory_used, memory_room;
    char name[PATH_MAX];      /* final name of the file, or a name for messages */
    char temporary[PATH_MAX]; /* name until it is closed; "" for an open descriptor */
    char buffer[262144];
} out_file_t;

/* Makes room in the buffer by writing its contents. */
void out_flush(out_file_t *f);

/* Makes a file that appears under its name when it is closed and complete; until then it has a
 * temporary name in the same folder. The folders of its path are made. An existing file or symbolic
 * link is replaced, never written through. Returns NULL with a line in `why` on failure. */
out_file_t *out_file_open(const char *path, char *why, size_t why_bytes);

/* For other writers: makes a temporary file in the folder of `path`, which the caller has to rename
 * or remove. Returns its descriptor and, in `temporary`, its name; -1 with a line in `why`. */
int out_file_begin(const char *path, char temporary[PATH_MAX], char *why, size_t why_bytes);

/* Writes to an open descriptor, which is not closed. `name` is for messages. */
out_file_t *out_file_descriptor(int fd, const char *name);

/* Returns true for "stdout" and "stderr", in upper or lower case. */
bool out_is_stream(const char *name);
/* Opens the stream with such a name. */
out_file_t *out_file_stream(const char *name);

/* Makes a file in memory, whose contents out_file_memory_text() returns. */
out_file_t *out_file_memory(void);
/* Returns the text written since the last call, with a zero byte at the end, which is valid until
 * the next write; NULL if there was no memory. */
const char *out_file_memory_text(out_file_t *f);
/* The same for data that may contain zero bytes. */
const char *out_file_memory_bytes(out_file_t *f, size_t *bytes);

/* Writes the contents of a file in memory to another file, and empties the file in memory. An error
 * of either file becomes the other's, too. */
void out_file_move(out_file_t *to, out_file_t *from);

/* Reserves room for `bytes` (at most OUT_RESERVE_MAX), to be filled from the front; out_commit says
 * how far it was filled. */
enum { OUT_RESERVE_MAX = 4096 };
static inline char *out_reserve(out_file_t *f, size_t bytes)
{
    if (__builtin_expect(sizeof(f->buffer) - f->used < bytes, 0)) out_flush(f);
    return f->buffer + f->used;
}

static inline void out_commit(out_file_t *f, const char *end)
{
    f->used = (size_t)(end - f->buffer);
}

static inline void out_char(out_file_t *f, char c)
{
    *out_reserve(f, 1) = c;
    f->used++;
}

static inline void out_unsigned(out_file_t *f, uint64_t value)
{
    out_commit(f, out_put_unsigned(out_reserve(f, OUT_DIGITS_MAX), value));
}

/* Writes a number and a character into reserved room. */
enum { OUT_CELL_MAX = OUT_DIGITS_MAX + 1 };
static inline char *out_put_cell(char *at, uint64_t value, char end)
{
    at = out_put_unsigned(at, value);
    *at = end;
    return at + 1;
}

/* Writes a time, as out_put_unsigned does, but faster. */
static inline char *out_put_time(out_file_t *f, char *at, uint64_t ns)
{
    return out_put_stamp(&f->stamp, at, ns);
}

/* Writes two times with a constant text between them. */
#define OUT_PUT_TIMES(f, at, first, between, second)                                               \
    out_put_stamps(&(f)->stamp, at, first, second, between, sizeof(between) - 1)

/* Writes the id of a thread, from a cache. */
static inline char *out_put_thread(out_file_t *f, char *at, uint32_t thread)
{
    return out_put_again(&f->threads, at, thread);
}

static inline void out_cell(out_file_t *f, uint64_t value, char end)
{
    out_commit(f, out_put_cell(out_reserve(f, OUT_CELL_MAX), value, end));
}

void out_bytes(out_file_t *f, const void *data, size_t bytes);

/* As out_write, but faster for data that is usually short. */
static inline void out_append(out_file_t *f, const void *data, size_t bytes)
{
    if (__builtin_expect(sizeof(f->buffer) - f->used < bytes, 0)) {
        out_bytes(f, data, bytes);
        return;
    }
    memcpy(f->buffer + f->used, data, bytes);
    f->used += bytes;
}

void out_no_memory(out_file_t *f); /* notes an error, like a failed write */
void out_text(out_file_t *f, const char *text);
/* Writes the text in the escaped form, without quotes around it. */
void out_escaped(out_file_t *f, base_escape_t form, const char *text);
/* Writes the text in double quotes; quotes in the text are doubled. */
void out_quoted(out_file_t *f, const char *text);
void out_signed(out_file_t *f, int64_t value);
void out_format(out_file_t *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends the contents of another file. Returns 0, or -1 with a line in `why` if that cannot be
 * read. */
int out_copy(out_file_t *f, const char *path, char *why, size_t why_bytes);

/* Writes the rest and closes the file. Returns 0, or -1 with a line in `why` if any write has
 * failed: then no file is left. */
int out_file_close(out_file_t *f, char *why, size_t why_bytes);

/* These are for commands without handlers for SIGINT, SIGTERM, SIGHUP and SIGQUIT. Between the two
 * calls these signals are blocked, so that a file that is being written is completed before a
 * signal ends the command, and no temporary file is left. */
void out_signals_hold(sigset_t *before);
void out_signals_release(const sigset_t *before);

/* Closes the file without leaving it on disk. NULL is allowed. */
void out_file_abandon(out_file_t *f);

#endif
