/* reader.h - reads one segment record by record, in whatever state its writer has left it.
 *
 * The reader works on open segments, closed ones, those of killed writers, and on cut or damaged
 * files: it yields the whole records from the front, stops at the first bytes that are not a valid
 * record, and reports how many bytes it could not use. It keeps one window in memory. A file with
 * any content is safe to read. */
#ifndef CROCPROF_TRACE_READER_H
#define CROCPROF_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/format.h"

typedef struct trace_reader trace_reader_t;

/* Returns false for a file whose writer was killed before the header was complete: such a file
 * holds no records. */
bool trace_segment_begun(const char *path);

/* Opens a segment. NULL and one line in `why` if the file cannot be read or is not a segment of
 * this version. */
trace_reader_t *trace_reader_open(const char *path, char *why, size_t why_bytes);

/* The same for an open descriptor, which the reader then owns; `name` is for messages. */
trace_reader_t *trace_reader_open_fd(int fd, const char *name, char *why, size_t why_bytes);

/* Restricts the reader to part number `part` of `parts` parts of equal size, each of which begins
 * at a window. To be called before the first record is read. Returns how many bytes of records the
 * part has. */
uint64_t trace_reader_part(trace_reader_t *r, uint64_t part, uint64_t parts);

const trace_segment_header_t *trace_reader_header(const trace_reader_t *r);

/* Returns the next record, which is valid until the next call; NULL at the end. A record that is
 * returned is at least as long as its type requires, and its texts, if it has any, end inside of
 * it. Records of types that this version does not define are skipped. */
const trace_head_t *trace_reader_next(trace_reader_t *r);

/* The least size of a record of each type in bytes; 0 for types that this version does not
 * define. */
extern const uint16_t trace_least_bytes[TRACE_TYPE_COUNT];

static inline bool trace_counters_fit(const trace_counters_t *c, size_t bytes)
{
    return c->count <= (bytes - sizeof(*c)) / sizeof(trace_value_t);
}

static inline bool trace_readings_fit(const trace_readings_t *s, size_t bytes)
{
    return s->count <= (bytes - sizeof(*s)) / sizeof(trace_reading_t);
}

/* Returns whether a record has room for all the values or samples that it says it has. */
static inline bool trace_values_fit(const trace_head_t *record, size_t bytes)
{
    uint32_t type = trace_type(*record);
    if (type == TRACE_READINGS) return trace_readings_fit((const trace_readings_t *)record, bytes);
    return type != TRACE_COUNTERS || trace_counters_fit((const trace_counters_t *)record, bytes);
}

/* Returns the size of a timed record, or of a record whose type is to be skipped, that begins
 * `left` bytes before the end; 0 if the record is not valid. It is for callers that read records a
 * second time, since the file may have changed in between. */
static inline size_t trace_record_size(const trace_head_t *record, size_t left)
{
    uint32_t type = trace_type(*record);
    size_t bytes = trace_words(*record) * 8u;
    if (bytes < sizeof(*record) || bytes < trace_least_bytes[type] || bytes > left) return 0;
    return trace_values_fit(record, bytes) ? bytes : 0;
}

/* A shape (trace_shape()) of which a record has been checked. Most records have the shape of the
 * record before them, and then need no full check. */
typedef struct {
    uint32_t shape, bytes; /* `bytes`: size of a record of this shape; 0: no shape yet */
} trace_sound_t;

/* As trace_record_size(), but quicker for records of the shape in *s. */
static inline size_t trace_sound_size(trace_sound_t *s, const trace_head_t *record, size_t left)
{
    if (__builtin_expect(trace_shape(*record) == s->shape && s->bytes, 1))
        return s->bytes <= left ? s->bytes : 0;
    const uint32_t type = trace_type(*record);
    const size_t bytes = trace_record_size(record, left);
    const bool values = type == TRACE_COUNTERS || type == TRACE_READINGS;
    *s = (trace_sound_t){trace_shape(*record), values ? 0 : (uint32_t)bytes};
    return bytes;
}

/* The buffered part of a segment. It is declared here, as the first member of every reader, only
 * for the inline functions below. */
typedef struct {
    const char *buffer;
    uint64_t at;             /* offset of the buffered bytes among the segment's records */
    size_t have, used, last; /* bytes that are buffered, bytes handed out, and offset of the record
                              * handed out last */
    trace_sound_t timed;
} trace_reader_window_t;

/* The slow path of trace_reader_next_timed(), for a next record of another shape. */
const trace_head_t *trace_reader_next_shape(trace_reader_t *r);

/* As trace_reader_next(), but without a call if the next record is buffered and is a timed one of
 * the same shape as the last. */
static inline const trace_head_t *trace_reader_next_timed(trace_reader_t *r)
{
    trace_reader_window_t *w = (trace_reader_window_t *)r;
    const trace_head_t *record = (const trace_head_t *)(w->buffer + w->used);
    const size_t bytes = w->timed.bytes;
    if (__builtin_expect(
            !bytes || bytes > w->have - w->used || trace_shape(*record) != w->timed.shape, 0))
        return trace_reader_next_shape(r);
    w->last = w->used;
    w->used += bytes;
    return record;
}

/* Returns the offset in the file of the record that was handed out last. */
static inline uint64_t trace_reader_offset(const trace_reader_t *r)
{
    const trace_reader_window_t *w = (const trace_reader_window_t *)r;
    return TRACE_HEADER_BYTES + w->at + w->last;
}

/* Returns how many bytes below `committed` could not be read as records. To be called after
 * trace_reader_next() has returned NULL. */
uint64_t trace_reader_cut(const trace_reader_t *r);

/* For files that still grow. trace_reader_place() returns the end of the records that have been
 * read, once trace_reader_next() has returned NULL. trace_reader_from() makes another reader of the
 * same file begin there; to be called before its first record. */
uint64_t trace_reader_place(const trace_reader_t *r);
void trace_reader_from(trace_reader_t *r, uint64_t place);

void trace_reader_close(trace_reader_t *r);

/* Returns text number `index` behind a meta record's fixed part; "" if the record has fewer
 * texts. */
const char *trace_record_text(const trace_head_t *record, unsigned index);

#endif
