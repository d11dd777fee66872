/* file.h - a text file written front to back, fast enough for millions of rows.
 *
 * Apart so that every format formats numbers in one way. An error is kept and told once, at close;
 * until then all calls are harmless. */
#ifndef CROCPROF_OUTPUT_FILE_H
#define CROCPROF_OUTPUT_FILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/digits.h"

/* For the functions below alone, which are here since each record calls them many times. */
typedef struct out_file {
    size_t used;
    int fd, error;               /* fd: -1 for what is kept in memory */
    uint64_t written, allocated; /* bytes of the file; allocated: none more can be, UINT64_MAX */
    out_stamp_t stamp;
    out_again_t threads;
    char *memory;
    size_t memory_used, memory_room;
    char name[PATH_MAX];      /* that people read; of a file, what it is to be */
    char temporary[PATH_MAX]; /* what it is until then; "" for an open descriptor */
    char buffer[262144];
} out_file_t;

/* Makes room in the buffer. */
void out_flush(out_file_t *f);

/* A file that is there, whole, once it is closed, and until then under a name of its own beside it;
 * the directories above it are made. A file or symbolic link of the name is replaced, never written
 * through. NULL with a line in `why`. */
out_file_t *out_file_open(const char *path, char *why, size_t why_bytes);

/* The same for writers of their own: a new file beside `path`, for the caller to rename or remove.
 * Its descriptor and, in `temporary`, its name; -1 with a line in `why`. */
int out_file_begin(const char *path, char temporary[PATH_MAX], char *why, size_t why_bytes);

/* Writes to an open descriptor, which stays open. `name` is for messages. */
out_file_t *out_file_descriptor(int fd, const char *name);

/* Is it the name of a stream, stdout or stderr in any case? */
bool out_is_stream(const char *name);
/* The same for a stream by its name. */
out_file_t *out_file_stream(const char *name);

/* Keeps everything in memory, for out_file_memory_text. */
out_file_t *out_file_memory(void);
/* What was written since the last call, ended by a zero byte; good until the next write. NULL when
 * memory ran out. */
const char *out_file_memory_text(out_file_t *f);
/* The same where zero bytes may be in it. */
const char *out_file_memory_bytes(out_file_t *f, size_t *bytes);

/* Writes what such a file has, and empties it; an error of one is the other's, too. */
void out_file_move(out_file_t *to, out_file_t *from);

/* Room for `bytes` (OUT_RESERVE_MAX at most), to be filled from the front; out_commit says how far.
 */
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

/* A number and a character behind it; into room that was reserved. */
enum { OUT_CELL_MAX = OUT_DIGITS_MAX + 1 };
static inline char *out_put_cell(char *at, uint64_t value, char end)
{
    at = out_put_unsigned(at, value);
    *at = end;
    return at + 1;
}

/* A time; the same number as any, written faster. */
static inline char *out_put_time(out_file_t *f, char *at, uint64_t ns)
{
    return out_put_stamp(&f->stamp, at, ns);
}

/* Two of them, with a constant text between them. */
#define OUT_PUT_TIMES(f, at, first, between, second)                                               \
    out_put_stamps(&(f)->stamp, at, first, second, between, sizeof(between) - 1)

/* The number of a thread, likewise. */
static inline char *out_put_thread(out_file_t *f, char *at, uint32_t thread)
{
    return out_put_again(&f->threads, at, thread);
}

static inline void out_cell(out_file_t *f, uint64_t value, char end)
{
    out_commit(f, out_put_cell(out_reserve(f, OUT_CELL_MAX), value, end));
}

void out_bytes(out_file_t *f, const void *data, size_t bytes);

/* The same for what is short as a rule. */
static inline void out_append(out_file_t *f, const void *data, size_t bytes)
{
    if (__builtin_expect(sizeof(f->buffer) - f->used < bytes, 0)) {
        out_bytes(f, data, bytes);
        return;
    }
    memcpy(f->buffer + f->used, data, bytes);
    f->used += bytes;
}

void out_no_memory(out_file_t *f); /* an error as any other */
void out_text(out_file_t *f, const char *text);
void out_quoted(out_file_t *f, const char *text); /* in double quotes; those inside are doubled */
void out_signed(out_file_t *f, int64_t value);
void out_format(out_file_t *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes what another file holds. 0, or -1 with a line in `why` if that cannot be read. */
int out_copy(out_file_t *f, const char *path, char *why, size_t why_bytes);

/* Flushes and closes. 0, or -1 with a line in `why` if any write failed: then there is no file. */
int out_file_close(out_file_t *f, char *why, size_t why_bytes);

/* For commands that have no handlers for SIGINT, SIGTERM, SIGHUP and SIGQUIT. Between the two calls
 * these signals are blocked, so that a file which is being written becomes whole before one of them
 * ends the command, and no part of it is left under a temporary name. */
void out_signals_hold(sigset_t *before);
void out_signals_release(const sigset_t *before);

/* Closes without leaving a file. NULL is allowed. */
void out_file_abandon(out_file_t *f);

#endif
