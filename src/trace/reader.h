/* reader.h - reads one segment record by record, whatever state its writer left it in.
 *
 * The reader works on open segments, closed ones, those of killed writers, and on cut or damaged
 * files: it yields the whole records from the front, stops at the first bytes that are no record,
 * and says how many bytes it gave up. It keeps one window in memory. Any bytes are safe input. */
#ifndef CROCPROF_TRACE_READER_H
#define CROCPROF_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/format.h"

typedef struct trace_reader trace_reader_t;

/* False for a file whose writer was killed before the header was complete: it holds no records. */
bool trace_segment_begun(const char *path);

/* NULL and one line in `why` if the file cannot be read or is no segment of this version. */
trace_reader_t *trace_reader_open(const char *path, char *why, size_t why_bytes);

/* Takes over `fd`; `name` is for messages. */
trace_reader_t *trace_reader_open_fd(int fd, const char *name, char *why, size_t why_bytes);

/* Restricts the reader to one of `parts` equal parts, which are divided where windows begin. To be
 * called before the first record is read. Returns the bytes of records in the part. */
uint64_t trace_reader_part(trace_reader_t *r, uint64_t part, uint64_t parts);

const trace_segment_header_t *trace_reader_header(const trace_reader_t *r);

/* The next record, valid until the next call: at least as long as its type demands and with its
 * texts (if any) ended inside it. Types that this version does not know are skipped.
 * NULL at the end. */
const trace_head_t *trace_reader_next(trace_reader_t *r);

/* Least bytes of each type, 0 for types of other versions. */
extern const uint16_t trace_least_bytes[TRACE_TYPE_COUNT];

static inline bool trace_counters_fit(const trace_counters_t *c, size_t bytes)
{
    return c->count <= (bytes - sizeof(*c)) / sizeof(trace_value_t);
}

static inline bool trace_readings_fit(const trace_readings_t *s, size_t bytes)
{
    return s->count <= (bytes - sizeof(*s)) / sizeof(trace_reading_t);
}

/* Whether a record has room for all the values or samples that it says it has. */
static inline bool trace_values_fit(const trace_head_t *record, size_t bytes)
{
    uint32_t type = trace_type(*record);
    if (type == TRACE_READINGS) return trace_readings_fit((const trace_readings_t *)record, bytes);
    return type != TRACE_COUNTERS || trace_counters_fit((const trace_counters_t *)record, bytes);
}

/* Size of a timed record, or of one of a type that is to be skipped, that begins `left` bytes
 * before the end; 0 if it is not sound. For callers that read records a second time: the file may
 * have changed since. */
static inline size_t trace_record_size(const trace_head_t *record, size_t left)
{
    uint32_t type = trace_type(*record);
    size_t bytes = trace_words(*record) * 8u;
    if (bytes < sizeof(*record) || bytes < trace_least_bytes[type] || bytes > left) return 0;
    return trace_values_fit(record, bytes) ? bytes : 0;
}

/* A shape that has been found sound, so that further records of it need no full test: many records
 * of one shape come one after the other. */
typedef struct {
    uint32_t shape, bytes; /* bytes: size of a record; 0: no shape yet */
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

/* The first member of every reader; here only for the inline functions below. */
typedef struct {
    const char *buffer;
    uint64_t at;             /* place of the buffered bytes among the segment's records */
    size_t have, used, last; /* bytes buffered, handed out, and before the last record of these */
    trace_sound_t timed;
} trace_reader_window_t;

/* The part of trace_reader_next_timed() that is not inline: the next record has another shape. */
const trace_head_t *trace_reader_next_shape(trace_reader_t *r);

/* As trace_reader_next(), but inline if the next record is a timed one of the last one's shape and
 * is buffered. */
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

/* Offset in the file of the record that was handed out last. */
static inline uint64_t trace_reader_offset(const trace_reader_t *r)
{
    const trace_reader_window_t *w = (const trace_reader_window_t *)r;
    return TRACE_HEADER_BYTES + w->at + w->last;
}

/* Bytes of `committed` that could not be read as records; once trace_reader_next() has returned
 * NULL. */
uint64_t trace_reader_cut(const trace_reader_t *r);

/* For files that grow. trace_reader_place(): where the records end that have been read, once
 * trace_reader_next() has returned NULL. trace_reader_from(): has another reader of the same file
 * begin there; to be called before its first record. */
uint64_t trace_reader_place(const trace_reader_t *r);
void trace_reader_from(trace_reader_t *r, uint64_t place);

void trace_reader_close(trace_reader_t *r);

/* Text number `index` behind a meta record's fixed part; "" if the record has fewer. */
const char *trace_record_text(const trace_head_t *record, unsigned index);

#endif
