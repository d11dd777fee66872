/* writer.h - appends records to one segment file through a moving window of mapped memory.
 *
 * It runs inside the profiled program: after open it allocates nothing, takes no
 * lock, raises no signal, and its resident memory does not grow (one header page and one window are
 * mapped). A writer belongs to one thread at a time; threads that share one need a lock of their
 * own. Every record is in the file's pages when trace_writer_put returns and survives the process
 * from there on. */
#ifndef CROCPROF_TRACE_WRITER_H
#define CROCPROF_TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/format.h"

typedef struct trace_writer trace_writer_t;

/* Creates `directory`/`name` (an existing file is an error). NULL and one line in `why` on
 * failure. `contents` is TRACE_CONTENTS_*, `segment` the number kept in the header. */
trace_writer_t *trace_writer_open(const char *directory, const char *name, uint32_t contents,
                                  uint32_t segment, char *why, size_t why_bytes);

/* From here on the writer opens its file anew for each window and keeps no descriptor. If the
 * process can no longer open the path (it has changed its root or its user), records are
 * dropped. */
void trace_writer_lend(trace_writer_t *w);

/* From here on a window is in memory, and is written when it is full: this takes less time than
 * mapping the file, but what was not written dies with the process. To be called before the first
 * record, for a store that nobody reads before it is closed. Without memory nothing changes. */
void trace_writer_gather(trace_writer_t *w);
/* Writes what is in memory alone; no record may follow. False: it could not be written, and the
 * failure is noted. */
bool trace_writer_flush(trace_writer_t *w);

/* Appends a whole record whose head holds its size. False: the disk is full or the record too
 * long; nothing was written and the record counts as dropped. The first failure of a writer is
 * kept in the segment's header. */
bool trace_writer_put(trace_writer_t *w, const void *record);

/* The same for a record in two parts, both whole words; the head counts both. */
bool trace_writer_put_parts(trace_writer_t *w, const void *fixed, size_t fixed_bytes,
                            const void *rest, size_t rest_bytes);

/* Appends `fixed` (whose head has any size) with `count` texts behind it; NULL texts are empty.
 * A text that does not fit into the largest record is cut, marked (TRACE_CUT) and counted. */
bool trace_writer_put_texts(trace_writer_t *w, const void *fixed, size_t fixed_bytes,
                            const char *const *texts, size_t count);

/* Puts a text with its zero byte into `room` bytes; a text that is too long is cut, marked and
 * counted in `cut`. Returns the bytes that it takes, 0 if not even the mark fits. `to` may be NULL:
 * nothing is written then. */
size_t trace_text_fit(char *to, size_t room, const char *text, uint64_t *cut);

/* Counts texts that the caller has cut. */
void trace_writer_cut(trace_writer_t *w, uint64_t texts);

/* Adds to the counts in the header. `written` is kept by trace_writer_put itself. */
void trace_writer_count(trace_writer_t *w, uint64_t received, uint64_t dropped, uint64_t filtered);

trace_counts_t trace_writer_counts(const trace_writer_t *w);

/* A record that could not even be made counts as dropped, for this reason (an error number). */
void trace_writer_lose(trace_writer_t *w, const char *what, int error);

/* Text of the first failure, or NULL. */
const char *trace_writer_failure(const trace_writer_t *w);

/* Marks the orderly end, cuts the file to its records and frees the writer. NULL is allowed. */
void trace_writer_close(trace_writer_t *w);

/* Ends a writer that another thread may still be using: the file is only marked as ended in order.
 * The thread may still write records, which nobody counts; it frees the writer by
 * trace_writer_forget(). */
void trace_writer_end(trace_writer_t *w);

/* Frees a writer that has ended, or, in a forked child, the copy of the parent's writer, whose file
 * gets no mark. */
void trace_writer_forget(trace_writer_t *w);

/* ---- inline functions for the most frequent records ---- */

/* The writer's position in its file. Must be the first member of trace_writer: the functions below
 * cast. Within a window, header->committed grows in step with `next`. */
typedef struct {
    char *next, *end; /* of the free part of the window that is ready; NULL without a window */
    trace_segment_header_t *header;
} trace_place_t;

/* Goes on to the next window for trace_writer_reserve(). NULL where a put would fail. */
void *trace_writer_move_on(trace_writer_t *w, size_t bytes);

/* Memory in the file's mapping for a record of at most `bytes` bytes, which must be less than a
 * window. It has to be filled and committed before anything else is written. NULL where a put would
 * fail: nothing is counted. */
static inline void *trace_writer_reserve(trace_writer_t *w, size_t bytes)
{
    trace_place_t *at = (trace_place_t *)w;
    if (__builtin_expect((size_t)(at->end - at->next) < bytes, 0))
        return trace_writer_move_on(w, bytes);
    return at->next;
}

/* Makes the bytes at the position part of the file. They are committed before they are counted: if
 * the process is killed in between, the file has one record more than the count says. */
static inline void trace_writer_written(trace_writer_t *w, size_t bytes)
{
    trace_place_t *at = (trace_place_t *)w;
    trace_segment_header_t *h = at->header;
    at->next += bytes;
    __atomic_store_n(&h->committed, h->committed + bytes, __ATOMIC_RELEASE);
    __atomic_store_n(&h->counts.written, h->counts.written + 1, __ATOMIC_RELEASE);
}

/* The record has been filled in at the reserved place; it counts as received, too. */
static inline void trace_writer_commit(trace_writer_t *w, const void *record)
{
    trace_writer_written(w, trace_words(*(const trace_head_t *)record) * 8u);
    ((trace_place_t *)w)->header->counts.received++;
}

#endif
