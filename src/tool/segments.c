/* segments.c - see segments.h, where the functions on the path of each record are; here are those
 * that run once per thread. A segment belongs to its thread, and only that thread frees its memory:
 * when the store is closed, the segment is only marked as retired. */
#include "tool/segments.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"

/* Descriptors of the tool count towards the program's limit. The first segments keep their
 * descriptors, so that they can go on if their path can no longer be opened; further segments open
 * the file when needed. */
enum { KEPT_DESCRIPTORS = 16, ASIDE_BYTES = 4096 };

typedef struct segment {
    tool_segment_t of; /* must be the first member: tool_segment_own points to it */
    struct segment *next, *next_free;
    char aside[ASIDE_BYTES]; /* whole records made by signal handlers */
} segment_t;

static struct {
    pthread_mutex_t *lock;
    pthread_key_t key; /* its destructor is called when a thread ends */
    bool have_key;
    segment_t *all, *free; /* all: of the open store; free: those that no thread uses */
    unsigned count;
    bool refused; /* a segment could not be made: no further ones are tried */
} segments;

__thread tool_segment_t *tool_segment_own __attribute__((tls_model("initial-exec")));

/* ---- records of a signal handler that has interrupted another record of its thread ---- Both are
 * on the same thread, so atomic operations without ordering are enough. */

static bool put_aside(segment_t *segment, const void *fixed, size_t fixed_bytes, const void *rest,
                      size_t rest_bytes)
{
    size_t bytes = fixed_bytes + rest_bytes;
    size_t at = __atomic_fetch_add(&segment->of.aside_bytes, bytes, __ATOMIC_RELAXED);
    if (at + bytes > ASIDE_BYTES) {
        __atomic_fetch_sub(&segment->of.aside_bytes, bytes, __ATOMIC_RELAXED);
        trace_writer_lose(segment->of.writer, "records of a signal handler", ENOBUFS);
        trace_writer_count(segment->of.writer, 1, 0, 0);
        return false;
    }
    char *end = mempcpy(segment->aside + at, fixed, fixed_bytes);
    if (rest_bytes) memcpy(end, rest, rest_bytes);
    return true;
}

/* Writes the handlers' records, and those that further handlers add meanwhile. */
static void write_aside(segment_t *segment)
{
    size_t at = 0, end;
    do {
        while (at < __atomic_load_n(&segment->of.aside_bytes, __ATOMIC_RELAXED)) {
            trace_head_t head;
            memcpy(&head, segment->aside + at, sizeof(head));
            trace_writer_put(segment->of.writer, segment->aside + at);
            trace_writer_count(segment->of.writer, 1, 0, 0);
            at += trace_words(head) * 8u;
        }
        end = at;
    } while (!__atomic_compare_exchange_n(&segment->of.aside_bytes, &end, 0, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void tool_segment_catch_up(tool_segment_t *segment)
{
    while (__atomic_load_n(&segment->aside_bytes, __ATOMIC_RELAXED) != 0) {
        tool_segment_set_busy(segment, true);
        write_aside((segment_t *)segment);
        tool_segment_set_busy(segment, false);
    }
}

bool tool_segment_put(const void *fixed, size_t fixed_bytes, const void *rest, size_t rest_bytes,
                      bool *has)
{
    tool_segment_t *segment = tool_segment_own;
    *has = segment;
    if (!segment) return false;
    if (tool_segment_interrupted())
        return put_aside((segment_t *)segment, fixed, fixed_bytes, rest, rest_bytes);
    tool_segment_set_busy(segment, true);
    bool written = trace_writer_put_parts(segment->writer, fixed, fixed_bytes, rest, rest_bytes);
    trace_writer_count(segment->writer, 1, 0, 0);
    tool_segment_end(segment);
    return written;
}

/* Returns the calling thread's segment, or NULL. */
static segment_t *of_thread(void)
{
    return (segment_t *)tool_segment_own;
}

static void let_go(segment_t *segment, void (*leave)(trace_writer_t *))
{
    if (tool_segment_own == &segment->of) tool_segment_own = NULL;
    leave(segment->of.writer);
    free(segment);
}

/* Called when a thread ends. Destructors that run later may still record: the thread then takes a
 * segment again. */
static void give_back(void *data)
{
    segment_t *segment = data;
    sigset_t all, before;
    sigfillset(&all);
    /* a signal handler that makes a record would need the lock */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(segments.lock);
    tool_segment_own = NULL;
    if (segment->of.retired) {
        let_go(segment, trace_writer_forget);
    } else {
        segment->next_free = segments.free;
        segments.free = segment;
    }
    pthread_mutex_unlock(segments.lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void own(segment_t *segment)
{
    tool_segment_own = segment ? &segment->of : NULL;
    if (segments.have_key) pthread_setspecific(segments.key, segment);
}

void tool_segments_init(pthread_mutex_t *lock)
{
    segments.lock = lock;
    segments.have_key = pthread_key_create(&segments.key, give_back) == 0;
}

static segment_t *make(const char *directory, char *why, size_t why_bytes)
{
    char file[32];
    unsigned number = segments.count + 1; /* segment 0 is the sink's own */
    segment_t *segment = calloc(1, sizeof(*segment));
    if (!segment || segments.count == TOOL_SEGMENTS_MAX) {
        snprintf(why, why_bytes, "%s: %s", directory, strerror(segment ? EMFILE : ENOMEM));
        goto fail;
    }
    snprintf(file, sizeof(file), TRACE_RECORDS_FORMAT, number);
    segment->of.writer =
        trace_writer_open(directory, file, TRACE_CONTENTS_RECORDS, number, why, why_bytes);
    if (!segment->of.writer) goto fail;
    if (segments.count >= KEPT_DESCRIPTORS) trace_writer_lend(segment->of.writer);
    segment->next = segments.all;
    segments.all = segment;
    segments.count++;
    return segment;
fail:
    free(segment);
    return NULL;
}

bool tool_segment_take(const char *directory, char *why, size_t why_bytes)
{
    segment_t *segment = segments.free;
    *why = 0;
    if (tool_segment_own) /* the thread's segment is retired; the thread needs another */
        let_go(of_thread(), trace_writer_forget);
    if (segment)
        segments.free = segment->next_free;
    else if (!segments.refused)
        segment = make(directory, why, why_bytes);
    segments.refused |= !segment;
    own(segment);
    return segment;
}

void tool_segments_each(bool (*look)(const trace_writer_t *writer))
{
    for (const segment_t *s = segments.all; s && look(s->of.writer); s = s->next) {
    }
}

/* Takes all segments off the list. */
static segment_t *take_all(void)
{
    segment_t *first = segments.all;
    segments.all = segments.free = NULL;
    segments.count = 0;
    segments.refused = false;
    return first;
}

void tool_segments_close(void)
{
    for (segment_t *s = segments.free; s; s = s->next_free)
        s->of.retired = true; /* no thread uses it: it is freed at once, as the caller's own is */
    for (segment_t *s = take_all(), *next; s; s = next) {
        next = s->next;
        if (s->of.retired || (s == of_thread() && !s->of.busy)) {
            if (s == of_thread()) own(NULL);
            let_go(s, trace_writer_close);
        } else {
            trace_writer_end(s->of.writer);
            __atomic_store_n(&s->of.retired, true, __ATOMIC_RELEASE);
        }
    }
}

/* A signal handler that forks may have interrupted a record. That record's segment is kept: in the
 * child, the interrupted code goes on and writes the same bytes to the same place in the file as
 * the parent does. */
void tool_segments_forget(void)
{
    const segment_t *own_one = of_thread();
    own(NULL);
    for (segment_t *s = take_all(), *next; s; s = next) {
        next = s->next;
        if (s != own_one || !s->of.busy) let_go(s, trace_writer_forget);
    }
}
