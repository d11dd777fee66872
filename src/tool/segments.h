/* segments.h - a segment of the store for each thread that records.
 *
 * A record is in its thread's mapped segment when the call that made it returns, without a lock or
 * help of another thread. Segments of threads that have ended are given to new threads, so that
 * there are as many as threads have recorded at once. "Needs the lock" means that the caller holds
 * the sink's lock. */
#ifndef CROCPROF_TOOL_SEGMENTS_H
#define CROCPROF_TOOL_SEGMENTS_H

#include <pthread.h>
#include <stdbool.h>

#include "trace/writer.h"

enum { TOOL_SEGMENTS_MAX = 1024 };

/* The part of a thread's segment that the inline functions below use. */
typedef struct {
    trace_writer_t *writer;
    bool retired;       /* the store is closed */
    bool busy;          /* a record is being written */
    size_t aside_bytes; /* size of the records of signal handlers that wait until the interrupted
                         * record is whole */
} tool_segment_t;

extern __thread tool_segment_t *tool_segment_own __attribute__((tls_model("initial-exec")));

/* Returns whether the calling thread has a segment of the open store. */
static inline bool tool_segment_mine(void)
{
    return tool_segment_own && !__atomic_load_n(&tool_segment_own->retired, __ATOMIC_ACQUIRE);
}

static inline void tool_segment_set_busy(tool_segment_t *segment, bool busy)
{
    __atomic_store_n(&segment->busy, busy, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Returns whether the caller is a signal handler that has interrupted a record of its own
 * thread. */
static inline bool tool_segment_interrupted(void)
{
    return tool_segment_own && __atomic_load_n(&tool_segment_own->busy, __ATOMIC_RELAXED);
}

/* Writes the records that signal handlers have made meanwhile. The segment must not be busy. */
void tool_segment_catch_up(tool_segment_t *segment);

/* To be called when a record is whole, or abandoned. */
static inline void tool_segment_end(tool_segment_t *segment)
{
    tool_segment_set_busy(segment, false);
    if (__builtin_expect(__atomic_load_n(&segment->aside_bytes, __ATOMIC_RELAXED) != 0, 0))
        tool_segment_catch_up(segment);
}

/* Returns a place in the calling thread's segment for a record of at most `bytes`, to be filled and
 * then committed or abandoned before another record; NULL if there is no room. A record that is not
 * committed is not in the store. */
static inline void *tool_segment_reserve(size_t bytes)
{
    tool_segment_t *segment = tool_segment_own;
    if (__builtin_expect(!segment || tool_segment_interrupted(), 0)) return NULL;
    tool_segment_set_busy(segment, true);
    void *place = trace_writer_reserve(segment->writer, bytes);
    if (!place) tool_segment_end(segment);
    return place;
}

static inline void tool_segment_commit(const void *record)
{
    trace_writer_commit(tool_segment_own->writer, record);
    tool_segment_end(tool_segment_own);
}

static inline void tool_segment_abandon(void)
{
    tool_segment_end(tool_segment_own);
}

/* Puts a record into the calling thread's segment, or counts it there as dropped. If the caller is
 * a signal handler that has interrupted another record, its own record is written when that one is
 * whole. Returns false if the record is dropped; also, with *mine set to false, if the thread has
 * no segment: then nothing is counted. */
bool tool_segment_put(const void *fixed, size_t fixed_bytes, const void *rest, size_t rest_bytes,
                      bool *mine);

/* Gives the thread a segment of the store, a used one or a new one. Returns false if that fails:
 * the first time with a line in `why`, later with an empty one. Needs the lock. */
bool tool_segment_take(const char *directory, char *why, size_t why_bytes);

/* Calls `look` with the writer of each segment until `look` returns false. Needs the lock. */
void tool_segments_each(bool (*look)(const trace_writer_t *writer));

/* Closes the segments in order. Calls that have not returned yet may still record: each thread
 * keeps its mapping until it records again or ends. Needs the lock. */
void tool_segments_close(void);

/* In a forked child: releases the parent's segments. Needs the lock. */
void tool_segments_forget(void);

/* To be called once, before the other functions; `lock` is the sink's. */
void tool_segments_init(pthread_mutex_t *lock);

#endif
