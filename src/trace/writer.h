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

/* Creates the file `directory`/`name`; an existing file is an error. `contents` is one of
 * TRACE_CONTENTS_*, `segment` the number for the header. NULL and one line in `why` on failure. */
trace_writer_t *trace_writer_open(const char *directory, const char *name, uint32_t contents,
                                  uint32_t segment, char *why, size_t why_bytes);

/* After this call the writer opens its file for each window and keeps no descriptor. If the process
 * can no longer open the path (it has changed its root or its user), records are dropped. */
void trace_writer_lend(trace_writer_t *w);

/* After this call the writer collects a window in memory and writes it when it is full. That takes
 * less time than mapping the file, but records that were not written yet are lost if the process is
 * killed. To be called before the first record, for a store that is read only after it is closed.
 * Without memory for a window the writer goes on mapping the file. */
void trace_writer_gather(trace_writer_t *w);
/* Writes the records that are only in memory to the file; no record may follow. Returns false if
 * they could not be written; the failure is noted. */
bool trace_writer_flush(trace_writer_t *w);

/* Appends a whole record whose head holds its size. Returns false if the disk is full or the record
 * too long: nothing was written then, and the record counts as dropped. The first failure of a
 * writer is kept in the segment's header. */
bool trace_writer_put(trace_writer_t *w, const void *record);

/* The same for a record in two parts, each of whole words; the size in the head is that of both. */
bool trace_writer_put_parts(trace_writer_t *w, const void *fixed, size_t fixed_bytes,
                            const void *rest, size_t rest_bytes);

/* Appends `fixed`, followed by `count` texts; the size in its head is set here. A NULL text counts
 * as empty. A text that does not fit into the largest record is cut, marked (TRACE_CUT) and
 * counted. */
bool trace_writer_put_texts(trace_writer_t *w, const void *fixed, size_t fixed_bytes,
                            const char *const *texts, size_t count);

/* Copies a text and its zero byte to `to`, which has `room` bytes; a text that is too long is cut,
 * marked with TRACE_CUT and counted in `cut`. Returns the number of bytes used, 0 if not even the
 * mark fits. If `to` is NULL, only the number is computed. */
size_t trace_text_fit(char *to, size_t room, const char *text, uint64_t *cut);

/* Adds the number of texts that the caller has cut to the count in the header. */
void trace_writer_cut(trace_writer_t *w, uint64_t texts);

/* Adds to the counts in the header. `written` is kept by trace_writer_put itself. */
void trace_writer_count(trace_writer_t *w, uint64_t received, uint64_t dropped, uint64_t filtered);

trace_counts_t trace_writer_counts(const trace_writer_t *w);

/* Counts a record as dropped that could not even be made, for this reason (an error number); `what`
 * names the operation that failed. */
void trace_writer_lose(trace_writer_t *w, const char *what, int error);

/* Returns the text of the first failure, or NULL. */
const char *trace_writer_failure(const trace_writer_t *w);

/* Marks the segment as ended in order, cuts the file to its records and frees the writer. NULL is
 * allowed. */
void trace_writer_close(trace_writer_t *w);

/* Marks the segment as ended in order while another thread may still be using the writer. Records
 * that the thread still writes are in the file, but not in the header's counts. The thread then
 * frees the writer by trace_writer_forget(). */
void trace_writer_end(trace_writer_t *w);

/* Frees a writer after trace_writer_end(), or, in a forked child, the copy of the parent's writer;
 * the file is not marked. */
void trace_writer_forget(trace_writer_t *w);

/* ---- inline functions for the most frequent records ---- */

/* The writer's position in its file. Must be the first member of trace_writer: the functions below
 * cast. Within a window, header->committed grows in step with `next`. */
typedef struct {
    char *next, *end; /* the part of the window that is free and mapped; NULL without a window */
    trace_segment_header_t *header;
} trace_place_t;

/* The slow path of trace_writer_reserve(), which maps the next window. Returns NULL where
 * trace_writer_put() would fail. */
void *trace_writer_move_on(trace_writer_t *w, size_t bytes);

/* Memory in the file's mapping for a record of at most `bytes` bytes, which must be less than a
 * window. The record has to be filled in and committed before the next one is written. Returns NULL
 * where trace_writer_put() would fail, without counting a dropped record. */
static inline void *trace_writer_reserve(trace_writer_t *w, size_t bytes)
{
    trace_place_t *at = (trace_place_t *)w;
    if (__builtin_expect((size_t)(at->end - at->next) < bytes, 0))
        return trace_writer_move_on(w, bytes);
    return at->next;
}

/* Makes the next `bytes` bytes a record of the file. They are committed before the record is
 * counted: if the process is killed in between, the file has one record more than the count
 * says. */
static inline void trace_writer_written(trace_writer_t *w, size_t bytes)
{
    trace_place_t *at = (trace_place_t *)w;
    trace_segment_header_t *h = at->header;
    at->next += bytes;
    __atomic_store_n(&h->committed, h->committed + bytes, __ATOMIC_RELEASE);
    __atomic_store_n(&h->counts.written, h->counts.written + 1, __ATOMIC_RELEASE);
}

/* Commits the record that the caller has filled in at the reserved place; it counts as received,
 * too. */
static inline void trace_writer_commit(trace_writer_t *w, const void *record)
{
    trace_writer_written(w, trace_words(*(const trace_head_t *)record) * 8u);
    ((trace_place_t *)w)->header->counts.received++;
}

#endif
